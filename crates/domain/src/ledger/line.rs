//! Events as they are read: a stored body with its hash beside it, or a line of a file with its hash
//! inside it.
//!
//! The canonical form has everything that the chain needs at known places: the time first, the hash
//! after it, and `prev`, `run_id` and `seq` last. Such an event is checked without reading its JSON;
//! any other spelling is read, put into canonical form, and then checked.

use super::Hash;
use super::checkpoint::unhex;
use crate::canonical;
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::borrow::Cow;

/// An event as far as the chain needs it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parsed<'a> {
    pub seq: u64,
    pub run: Cow<'a, str>,
    pub kind: Cow<'a, str>,
    /// The payload is of the layout that this program writes.
    pub known_layout: bool,
    /// `None`: the line has no chain.
    pub link: Option<Link>,
}

/// Where an event stands in its chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Link {
    pub prev: Hash,
    /// The hash that was written with it.
    pub written: Hash,
    /// What its bytes hash to.
    pub found: Hash,
}

/// Why a line is no event.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unreadable {
    #[error("broken JSON: {0}")]
    Json(String),
    #[error("holds a NUL byte")]
    Nul,
    #[error("is not UTF-8")]
    Utf8,
    #[error("{0}")]
    Member(String),
}

/// The line of a file: the body with its hash at the sorted place.
#[must_use]
pub fn to_line(body: &str, hash: Hash) -> String {
    // `at` is the only member that sorts before `hash`; its value holds no escape.
    let end = body.match_indices("\",").next().map_or(0, |(place, _)| place + 2);
    format!("{}\"hash\":\"{}\",{}", &body[..end], hash.hex(), &body[end..])
}

/// `{"at":"2026-11-30T12:00:00.000Z",` and what follows it in a file.
const AT: usize = 33;
const HASH: &[u8] = b"\"hash\":\"";
const HASH_END: usize = AT + 8 + 64 + 2;

/// A line of a file.
pub fn parse_line(line: &[u8]) -> Result<Parsed<'_>, Unreadable> {
    if let Some(written) = fast_hash(line)
        && let Some(tail) = Tail::of(line)
        && let Some((kind, payload)) = fast_kind(&line[HASH_END..tail.start])
    {
        let mut hash = Sha256::new();
        hash.update(&line[..AT]);
        hash.update(&line[HASH_END..]);
        let found = Hash(hash.finalize().into());
        // A line that does not fit itself is read in full, to say what it is.
        if found == written {
            return Ok(tail.parsed(kind, payload, written, found));
        }
    }
    slow(line, None)
}

/// A stored body, with the hash that was written beside it.
pub fn parse_body(body: &[u8], written: Hash) -> Result<Parsed<'_>, Unreadable> {
    if body.len() > AT
        && let Some(tail) = Tail::of(body)
        && let Some((kind, payload)) = fast_kind(&body[AT..tail.start])
    {
        let found = Hash::of(body);
        if found == written {
            return Ok(tail.parsed(kind, payload, written, found));
        }
    }
    slow(body, Some(written))
}

fn fast_hash(line: &[u8]) -> Option<Hash> {
    let inner = line.get(AT..HASH_END)?;
    if !line.starts_with(b"{\"at\":\"") || &line[AT - 2..AT] != b"\"," || !inner.starts_with(HASH) {
        return None;
    }
    if !inner.ends_with(b"\",") {
        return None;
    }
    unhex(std::str::from_utf8(&inner[8..72]).ok()?).map(Hash)
}

/// `"kind":"note","payload":…` → the kind, and the bytes of the payload.
fn fast_kind(middle: &[u8]) -> Option<(&str, &[u8])> {
    let rest = middle.strip_prefix(b"\"kind\":\"")?;
    let end = memchr::memchr(b'"', rest)?;
    let kind = std::str::from_utf8(&rest[..end]).ok()?;
    if kind.contains('\\') {
        return None;
    }
    Some((kind, rest[end..].strip_prefix(b"\",\"payload\":")?))
}

/// `,"prev":"<64>","run_id":"<36>","seq":<n>}` at the end of an event.
struct Tail<'a> {
    start: usize,
    prev: Hash,
    run: &'a str,
    seq: u64,
}

const TAIL_FIXED: usize = 9 + 64 + 12 + 36 + 8;

impl<'a> Tail<'a> {
    fn of(bytes: &'a [u8]) -> Option<Tail<'a>> {
        let inner = bytes.strip_suffix(b"}")?;
        let digits = inner.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
        if digits == 0 || digits > 19 {
            return None;
        }
        let seq_at = inner.len() - digits;
        if inner[seq_at] == b'0' {
            return None;
        }
        let start = seq_at.checked_sub(TAIL_FIXED)?;
        let fixed = &inner[start..seq_at];
        let whole = fixed.starts_with(b",\"prev\":\"")
            && &fixed[73..85] == b"\",\"run_id\":\""
            && &fixed[121..] == b"\",\"seq\":";
        if !whole {
            return None;
        }
        let text = |bytes: &'a [u8]| std::str::from_utf8(bytes).ok();
        let seq = inner[seq_at..].iter().fold(0_u64, |n, digit| n * 10 + u64::from(digit - b'0'));
        Some(Tail { start, prev: Hash(unhex(text(&fixed[9..73])?)?), run: text(&fixed[85..121])?, seq })
    }

    fn parsed(&self, kind: &'a str, payload: &[u8], written: Hash, found: Hash) -> Parsed<'a> {
        Parsed {
            seq: self.seq,
            run: self.run.into(),
            kind: kind.into(),
            known_layout: memchr::memmem::find(payload, b"\"v\":1").is_some(),
            link: Some(Link { prev: self.prev, written, found }),
        }
    }
}

/// Reads the JSON. `beside`: the hash that stands beside a body, and not in it.
fn slow(bytes: &[u8], beside: Option<Hash>) -> Result<Parsed<'static>, Unreadable> {
    if bytes.contains(&0) {
        return Err(Unreadable::Nul);
    }
    let text = std::str::from_utf8(bytes).map_err(|_| Unreadable::Utf8)?;
    let value: Value = serde_json::from_str(text).map_err(|error| Unreadable::Json(error.to_string()))?;
    let Value::Object(mut members) = value else {
        return Err(Unreadable::Member("is JSON, but no object".into()));
    };
    let wrong = |what: &str| Unreadable::Member(format!("{what}, as an event has it"));
    let seq =
        members.get("seq").and_then(Value::as_u64).ok_or_else(|| wrong("\"seq\" is no whole number"))?;
    let member = |name: &str| members.get(name).and_then(Value::as_str).map(str::to_owned);
    let run = member("run_id").ok_or_else(|| wrong("\"run_id\" is no text"))?;
    let kind = member("kind").ok_or_else(|| wrong("\"kind\" is no text"))?;
    member("at").ok_or_else(|| wrong("\"at\" is no text"))?;
    let prev = member("prev");
    let layout = members.get("payload").and_then(|payload| payload.get("v"));
    let known_layout = layout.is_none_or(|v| v.as_u64() == Some(1));
    let written = match (beside, members.shift_remove("hash")) {
        (Some(written), _) => Some(written),
        (None, None) => None,
        (None, Some(hash)) => {
            let hash = hash.as_str().and_then(unhex).map(Hash);
            Some(hash.ok_or_else(|| wrong("\"hash\" is not 64 hexadecimal digits"))?)
        }
    };
    let link = match (written, prev) {
        (None, None) => None,
        (Some(written), Some(prev)) => {
            let prev = unhex(&prev).map(Hash);
            let prev = prev.ok_or_else(|| wrong("\"prev\" is not 64 hexadecimal digits"))?;
            let found = match beside {
                Some(_) => Hash::of(bytes),
                None => Hash::of(canonical::to_string(&Value::Object(members)).as_bytes()),
            };
            Some(Link { prev, written, found })
        }
        (Some(_), None) => return Err(wrong("\"prev\" is missing beside \"hash\"")),
        (None, Some(_)) => return Err(wrong("\"hash\" is missing beside \"prev\"")),
    };
    Ok(Parsed { seq, run: run.into(), kind: kind.into(), known_layout, link })
}
