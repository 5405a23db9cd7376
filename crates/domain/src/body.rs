//! A text of any length inside an event: whole when it is short, else an excerpt and the digest
//! under which the whole is kept once.

use crate::ledger::sha256_hex;
use crate::mask::mask;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Longer texts, in bytes after masking, are kept apart.
pub const INLINE_BYTES_MAX: usize = 4_096;

/// So many characters of a text that is kept apart stay in the event.
const EXCERPT_CHARS_MAX: usize = 400;

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Body {
    Text(String),
    Kept(Kept),
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Kept {
    pub excerpt: String,
    /// SHA-256 of the masked text.
    pub digest: String,
    pub bytes: u64,
    /// The whole, until it is stored.
    #[serde(skip)]
    whole: Option<Arc<str>>,
}

/// A text to be kept under its digest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Keep<'a> {
    pub digest: &'a str,
    pub text: &'a str,
}

impl Body {
    /// Masks known secrets, then keeps the text whole or apart.
    #[must_use]
    pub fn new(text: &str) -> Body {
        Body::from(mask(text))
    }

    /// For a project that chose to keep texts as they are.
    #[must_use]
    pub fn raw(text: &str) -> Body {
        Body::from(text.to_owned())
    }

    fn from(text: String) -> Body {
        if text.len() <= INLINE_BYTES_MAX {
            return Body::Text(text);
        }
        Body::Kept(Kept {
            excerpt: text.chars().take(EXCERPT_CHARS_MAX).collect(),
            digest: sha256_hex(text.as_bytes()),
            bytes: text.len() as u64,
            whole: Some(text.into()),
        })
    }

    /// What can be shown without fetching anything.
    #[must_use]
    pub fn shown(&self) -> &str {
        match self {
            Body::Text(text) => text,
            Body::Kept(kept) => &kept.excerpt,
        }
    }

    #[must_use]
    pub fn bytes(&self) -> u64 {
        match self {
            Body::Text(text) => text.len() as u64,
            Body::Kept(kept) => kept.bytes,
        }
    }

    /// What must be stored beside the event.
    #[must_use]
    pub fn keep(&self) -> Option<Keep<'_>> {
        match self {
            Body::Text(_) => None,
            Body::Kept(kept) => kept.whole.as_deref().map(|text| Keep { digest: &kept.digest, text }),
        }
    }
}

/// Two bodies are equal when the ledger says the same of both.
impl PartialEq for Body {
    fn eq(&self, other: &Body) -> bool {
        match (self, other) {
            (Body::Text(a), Body::Text(b)) => a == b,
            (Body::Kept(a), Body::Kept(b)) => {
                (&a.excerpt, &a.digest, a.bytes) == (&b.excerpt, &b.digest, b.bytes)
            }
            _ => false,
        }
    }
}

impl Eq for Body {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_text_stays_and_a_long_one_is_kept_by_digest() {
        assert_eq!(serde_json::to_string(&Body::new("hello")).unwrap(), "\"hello\"");
        assert_eq!(Body::new(&"x".repeat(INLINE_BYTES_MAX)).keep(), None);
        let long = "é".repeat(INLINE_BYTES_MAX / 2 + 1);
        let body = Body::new(&long);
        let keep = body.keep().expect("one byte too long to stay");
        assert_eq!((keep.text, keep.digest), (long.as_str(), sha256_hex(long.as_bytes()).as_str()));
        let value = serde_json::to_value(&body).unwrap();
        assert_eq!(value["bytes"], INLINE_BYTES_MAX as u64 + 2);
        let read: Body = serde_json::from_value(value).unwrap();
        assert_eq!(read, body);
        assert_eq!(read.keep(), None, "what was read is stored already");
        assert_eq!(read.shown().chars().count(), EXCERPT_CHARS_MAX);
    }

    #[test]
    fn secrets_are_masked_before_anything_is_kept_or_hashed() {
        let secret = format!("ghp_{}", "a1".repeat(18));
        let long = format!("{secret} {}", "x".repeat(5_000));
        let body = Body::new(&long);
        let keep = body.keep().expect("long");
        assert!(!keep.text.contains(&secret) && !body.shown().contains(&secret));
        assert_eq!(keep.digest, sha256_hex(keep.text.as_bytes()));
    }
}
