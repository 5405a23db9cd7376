//! Checked text: each rule about what a title, a description or a name may hold exists once, here.
//! Text is taken as it is or refused; it is never trimmed, cut or normalised on the way in.

use serde::{Deserialize, Serialize};
use std::fmt;

/// Why a text was refused. Lengths are counted in Unicode code points, as JSON Schema counts them.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TextError {
    #[error("is blank")]
    Blank,
    #[error("has {len} characters, {max} at most")]
    TooLong { len: usize, max: usize },
    #[error("holds the character U+{:04X} at {index}", *.ch as u32)]
    Forbidden { ch: char, index: usize },
}

/// Characters that can break a line, drive a terminal, reverse the reading order or hide:
/// C0 and C1 controls, line and paragraph separators, bidirectional overrides and isolates, and
/// invisible spaces. Joiners (U+200C, U+200D) stay: scripts and emoji need them.
fn is_forbidden(ch: char) -> bool {
    matches!(ch,
        '\u{0}'..='\u{1F}' | '\u{7F}'..='\u{9F}'
        | '\u{200B}' | '\u{200E}' | '\u{200F}' | '\u{2028}' | '\u{2029}'
        | '\u{202A}'..='\u{202E}' | '\u{2060}' | '\u{2066}'..='\u{2069}' | '\u{FEFF}')
}

/// The text with every character that could hide or reorder something written out as `<U+202E>`.
#[must_use]
pub fn visible(text: &str) -> String {
    let shown =
        |ch| if is_forbidden(ch) && ch != '\n' { format!("<U+{:04X}>", ch as u32) } else { ch.to_string() };
    text.chars().map(shown).collect()
}

fn check(text: &str, max: usize, blank_allowed: bool, multiline: bool) -> Result<(), TextError> {
    if !blank_allowed && text.trim().is_empty() {
        return Err(TextError::Blank);
    }
    let len = text.chars().count();
    if len > max {
        return Err(TextError::TooLong { len, max });
    }
    let layout = |ch| multiline && matches!(ch, '\n' | '\r' | '\t');
    match text.chars().enumerate().find(|&(_, ch)| is_forbidden(ch) && !layout(ch)) {
        Some((index, ch)) => Err(TextError::Forbidden { ch, index }),
        None => Ok(()),
    }
}

macro_rules! checked_text {
    ($(#[$doc:meta])* $name:ident, max $max:expr, blank $blank:expr, multiline $multiline:expr) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(try_from = "String", into = "String")]
        pub struct $name(String);

        impl $name {
            pub const MAX: usize = $max;

            pub fn new(text: impl Into<String>) -> Result<Self, TextError> {
                let text = text.into();
                check(&text, Self::MAX, $blank, $multiline)?;
                Ok($name(text))
            }

            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl TryFrom<String> for $name {
            type Error = TextError;
            fn try_from(text: String) -> Result<Self, TextError> {
                Self::new(text)
            }
        }

        impl From<$name> for String {
            fn from(text: $name) -> String {
                text.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

checked_text!(
    /// The title of a task: one line.
    Subject, max 200, blank false, multiline false
);
checked_text!(
    /// The body of a task: plain text, lines allowed, may be empty.
    Description, max 2000, blank true, multiline true
);
checked_text!(
    /// The name an agent or a person goes by.
    AgentName, max 64, blank false, multiline false
);
checked_text!(
    /// A key that makes a retry harmless.
    IdempotencyKey, max 100, blank false, multiline false
);

impl AgentName {
    /// A name from outside that must not fail a call: what is not allowed is left out.
    /// Used for `clientInfo` only, which describes and never decides.
    #[must_use]
    pub fn lossy(text: &str) -> AgentName {
        let kept: String = text.chars().filter(|&ch| !is_forbidden(ch)).take(Self::MAX).collect();
        AgentName::new(kept).unwrap_or_else(|_| AgentName("agent".into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_subject_is_one_visible_line_of_at_most_200_characters() {
        for good in ["Fix login", "é漢🚀", "Ship \"it\"", &"漢".repeat(200), "👩‍👩‍👧 family", " padded "]
        {
            assert!(Subject::new(good).is_ok(), "{good:?}");
        }
        let check = |text: &str, expected| assert_eq!(Subject::new(text).unwrap_err(), expected, "{text:?}");
        check("", TextError::Blank);
        check(" \u{3000}", TextError::Blank);
        check(&"漢".repeat(201), TextError::TooLong { len: 201, max: 200 });
        check("a\nb", TextError::Forbidden { ch: '\n', index: 1 });
        check("a\u{1b}[31m", TextError::Forbidden { ch: '\u{1b}', index: 1 });
        check("evil\u{202E}txt", TextError::Forbidden { ch: '\u{202E}', index: 4 });
        check("zero\u{200B}width", TextError::Forbidden { ch: '\u{200B}', index: 4 });
    }

    #[test]
    fn a_description_may_be_empty_and_have_lines() {
        assert!(Description::new("").is_ok());
        assert!(Description::new("two\nlines\r\n\ttabbed").is_ok());
        assert!(Description::new("nul\0").is_err());
        assert!(Description::new("x".repeat(2001)).is_err());
    }

    #[test]
    fn a_clients_name_never_fails_a_call() {
        assert_eq!(AgentName::lossy("codex\u{1b}").as_str(), "codex");
        assert_eq!(AgentName::lossy("\n").as_str(), "agent");
        assert_eq!(AgentName::lossy(&"x".repeat(99)).as_str().len(), 64);
    }
}
