//! Every typed id and counter. Nothing that orders or identifies is a bare number or string.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;
use uuid::Uuid;

macro_rules! uuid_id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub Uuid);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.hyphenated().fmt(f)
            }
        }

        impl FromStr for $name {
            type Err = uuid::Error;
            fn from_str(s: &str) -> Result<Self, Self::Err> {
                Uuid::try_parse(s).map($name)
            }
        }
    };
}

macro_rules! counter {
    ($(#[$doc:meta])* $name:ident($inner:ty)) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub $inner);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }

        impl $name {
            /// The one after this.
            #[must_use]
            pub fn next(self) -> Self {
                $name(self.0 + 1)
            }
        }
    };
}

uuid_id!(
    /// A project: one working folder, or the default board.
    ProjectId
);
uuid_id!(
    /// A run: one agent session, or one person's sitting.
    RunId
);
uuid_id!(
    /// The row identity of a task; people and agents use [`TaskNo`].
    TaskId
);
counter!(
    /// The short number of a task within its project, from 1. Never used again after a delete.
    TaskNo(u32)
);
counter!(
    /// The version of a task, from 1.
    Version(u32)
);
counter!(
    /// The order of an event within its run, from 1, without gaps.
    Seq(u64)
);
counter!(
    /// The store-wide order of all events, from 1.
    Position(u64)
);

impl TaskNo {
    /// Reads `3` or `#3`; nothing else (no sign, no space, no leading zero).
    #[must_use]
    pub fn parse(text: &str) -> Option<TaskNo> {
        let digits = text.strip_prefix('#').unwrap_or(text);
        if digits.is_empty() || digits.starts_with('0') || !digits.bytes().all(|b| b.is_ascii_digit()) {
            return None;
        }
        digits.parse().ok().map(TaskNo)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn task_numbers_are_read_in_two_spellings_only() {
        let check =
            |text, expected: Option<u32>| assert_eq!(TaskNo::parse(text), expected.map(TaskNo), "{text:?}");
        check("3", Some(3));
        check("#3", Some(3));
        check("4294967295", Some(u32::MAX));
        check("4294967296", None);
        for bad in ["", "#", "0", "#0", "03", " 3", "3 ", "+3", "-3", "3.0", "##3", "three", "٣"] {
            check(bad, None);
        }
    }
}
