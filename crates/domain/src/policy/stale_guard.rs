//! Must a change say which version it is based on? People and agents go through the same check.

use crate::Version;
use crate::run::words;
use serde::{Deserialize, Serialize};

words!(
    /// `required` (the default): a change without `expectedVersion` is refused. `optional`: it is let
    /// through, and the last writer wins knowingly.
    StaleGuard { Required = "required", Optional = "optional" }
);

#[expect(clippy::derivable_impls, reason = "the macro that makes the words makes no default")]
impl Default for StaleGuard {
    fn default() -> Self {
        StaleGuard::Required
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    Fresh,
    /// No version was sent, and the policy wants one.
    Missing,
    Stale,
}

impl StaleGuard {
    #[must_use]
    pub fn decide(self, expected: Option<Version>, present: Version) -> Verdict {
        match (expected, self) {
            (Some(expected), _) if expected == present => Verdict::Fresh,
            (Some(_), _) => Verdict::Stale,
            (None, StaleGuard::Required) => Verdict::Missing,
            (None, StaleGuard::Optional) => Verdict::Fresh,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decision_table() {
        let check = |guard: StaleGuard, expected: Option<u32>, verdict| {
            assert_eq!(guard.decide(expected.map(Version), Version(7)), verdict, "{guard} {expected:?}");
        };
        check(StaleGuard::Required, Some(7), Verdict::Fresh);
        check(StaleGuard::Required, Some(6), Verdict::Stale);
        check(StaleGuard::Required, Some(8), Verdict::Stale);
        check(StaleGuard::Required, None, Verdict::Missing);
        check(StaleGuard::Optional, Some(7), Verdict::Fresh);
        check(StaleGuard::Optional, Some(6), Verdict::Stale);
        check(StaleGuard::Optional, None, Verdict::Fresh);
    }
}
