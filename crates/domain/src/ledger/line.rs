//! Events as they are read: a stored body with its hash beside it, or a line of a file with its hash
//! inside it.
//!
//! The canonical form has everything that the chain needs at known places: the time first, the hash
//! after it, and `prev`, `run_id` and `seq` last. Such an event is checked without building its JSON;
//! any other spelling is read, put into canonical form, and then checked. Both come to one verdict.

use super::hex::unhex;
use super::scan::{Scanned, scan};
use super::{Hash, strict};
use crate::canonical;
use serde_json::{Map, Value};
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
    #[error("is broken JSON: {0}")]
    Json(String),
    #[error("holds a NUL byte")]
    Nul,
    #[error("is not UTF-8")]
    Utf8,
    #[error("is longer than 16 MiB")]
    TooLong,
    #[error("is not an event: {0}")]
    Member(&'static str),
}

/// The greatest `seq`: up to here every JSON reader holds whole numbers exactly.
const SEQ_MAX: u64 = 1 << 53;

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
        && let Some(frame) = Frame::of(line, HASH_END)
    {
        let mut hash = Sha256::new();
        hash.update(&line[..AT]);
        hash.update(&line[HASH_END..]);
        // A line that does not fit itself is read in full, to say what it is.
        if hash.finalize().as_slice() == written.0 {
            return Ok(frame.parsed(written));
        }
    }
    slow(line, None)
}

/// A stored body, with the hash that was written beside it.
pub fn parse_body(body: &[u8], written: Hash) -> Result<Parsed<'_>, Unreadable> {
    if let Some(frame) = Frame::of(body, AT)
        && Hash::of(body) == written
    {
        return Ok(frame.parsed(written));
    }
    slow(body, Some(written))
}

fn fast_hash(line: &[u8]) -> Option<Hash> {
    let digits = line.get(AT..HASH_END)?.strip_prefix(HASH)?.strip_suffix(b"\",")?;
    unhex(digits).map(Hash)
}

/// What stands around a payload in the canonical form: `{"at":"<24>",` `"kind":"<kind>","payload":` and
/// `,"prev":"<64>","run_id":"<36>","seq":<n>}`.
struct Frame<'a> {
    kind: &'a str,
    payload: Scanned,
    prev: Hash,
    run: &'a str,
    seq: u64,
}

const TAIL: usize = 9 + 64 + 12 + 36 + 8;

impl<'a> Frame<'a> {
    /// `from`: where the kind begins.
    fn of(bytes: &'a [u8], from: usize) -> Option<Frame<'a>> {
        let at = bytes.get(..AT)?.strip_prefix(b"{\"at\":\"")?.strip_suffix(b"\",")?;
        plain(at)?;
        let inner = bytes.strip_suffix(b"}")?;
        let digits = inner.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
        let (rest, digits) = inner.split_at(inner.len() - digits);
        if digits.is_empty() || digits.len() > 15 || digits[0] == b'0' {
            return None;
        }
        let (rest, tail) = rest.split_at(rest.len().checked_sub(TAIL)?);
        let tail = tail.strip_prefix(b",\"prev\":\"")?.strip_suffix(b"\",\"seq\":")?;
        let (prev, run) = tail.split_at(64);
        let middle = rest.get(from..)?.strip_prefix(b"\"kind\":\"")?;
        let (kind, payload) = middle.split_at(memchr::memchr(b'"', middle)?);
        Some(Frame {
            kind: plain(kind)?,
            payload: scan(payload.strip_prefix(b"\",\"payload\":")?)?,
            prev: Hash(unhex(prev)?),
            run: plain(run.strip_prefix(b"\",\"run_id\":\"")?)?,
            seq: digits.iter().fold(0, |n, digit| n * 10 + u64::from(digit - b'0')),
        })
    }

    fn parsed(&self, written: Hash) -> Parsed<'a> {
        Parsed {
            seq: self.seq,
            run: self.run.into(),
            kind: self.kind.into(),
            known_layout: self.payload.known_layout,
            link: Some(Link { prev: self.prev, written, found: written }),
        }
    }
}

/// A text that no JSON would escape.
fn plain(bytes: &[u8]) -> Option<&str> {
    // Without a way out in between, the compiler looks at many bytes at once.
    let plain = bytes.iter().fold(true, |plain, byte| {
        plain & (*byte >= b' ') & (*byte <= b'~') & (*byte != b'"') & (*byte != b'\\')
    });
    if plain { std::str::from_utf8(bytes).ok() } else { None }
}

/// Reads the JSON. `beside`: the hash that stands beside a body, and not in it.
fn slow(bytes: &[u8], beside: Option<Hash>) -> Result<Parsed<'static>, Unreadable> {
    if memchr::memchr(0, bytes).is_some() {
        return Err(Unreadable::Nul);
    }
    let text = std::str::from_utf8(bytes).map_err(|_| Unreadable::Utf8)?;
    let value = strict::parse(text).map_err(|error| Unreadable::Json(error.to_string()))?;
    let Value::Object(mut members) = value else {
        return Err(Unreadable::Member("it is JSON, but no object"));
    };
    let seq = members.get("seq").and_then(Value::as_u64).filter(|seq| (1..=SEQ_MAX).contains(seq));
    let seq = seq.ok_or(Unreadable::Member("\"seq\" is not a whole number from 1"))?;
    let run = text_of(&members, "run_id").ok_or(Unreadable::Member("\"run_id\" is not a text"))?;
    let kind = text_of(&members, "kind").ok_or(Unreadable::Member("\"kind\" is not a text"))?;
    text_of(&members, "at").ok_or(Unreadable::Member("\"at\" is not a text"))?;
    let payload = members.get("payload").ok_or(Unreadable::Member("\"payload\" is missing"))?;
    let known_layout = payload.get("v").is_none_or(|v| v.as_u64() == Some(1));
    let inside = members.shift_remove("hash");
    let link = match (beside, inside, members.get("prev")) {
        (None, None, None) => None,
        (None, None, Some(_)) => return Err(Unreadable::Member("\"hash\" is missing beside \"prev\"")),
        (_, _, None) => return Err(Unreadable::Member("\"prev\" is missing beside \"hash\"")),
        (Some(written), _, Some(prev)) => Some(Link {
            prev: digits(prev, "\"prev\" is not 64 hexadecimal digits")?,
            written,
            found: Hash::of(bytes),
        }),
        (None, Some(hash), Some(prev)) => Some(Link {
            prev: digits(prev, "\"prev\" is not 64 hexadecimal digits")?,
            written: digits(&hash, "\"hash\" is not 64 hexadecimal digits")?,
            found: Hash::of(canonical::to_string(&Value::Object(members)).as_bytes()),
        }),
    };
    Ok(Parsed { seq, run: run.into(), kind: kind.into(), known_layout, link })
}

fn text_of(members: &Map<String, Value>, name: &str) -> Option<String> {
    members.get(name)?.as_str().map(str::to_owned)
}

fn digits(value: &Value, otherwise: &'static str) -> Result<Hash, Unreadable> {
    let hash = value.as_str().and_then(|text| unhex(text.as_bytes()));
    hash.map(Hash).ok_or(Unreadable::Member(otherwise))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ledger::Head;
    use crate::{RunId, Timestamp};
    use proptest::prelude::*;
    use serde_json::json;

    fn event(text: &str, number: f64) -> (String, Hash) {
        let run = RunId(uuid::Uuid::from_u128(7));
        let payload = json!({"v": 1, "text": text, "cost": number, "é": [{}]});
        let (body, head) = Head::start(run).append(run, "note", Timestamp::from_unix_ms(0), payload);
        (body, head.hash)
    }

    proptest! {
        /// The quick reader says what the thorough one says, whatever is done to a line.
        #[test]
        fn both_readers_agree(
            text in ".{0,12}", number in any::<f64>(), beyond_ascii in any::<bool>(),
            at in any::<prop::sample::Index>(), byte in any::<u8>(), act in 0..4,
        ) {
            let number = if number.is_finite() { number } else { 0.5 };
            let (mut body, _) = event(&text, number);
            if !beyond_ascii {
                body = body.replace("\"é\"", "\"e\"");
            }
            let mut bytes = body.into_bytes();
            let place = at.index(bytes.len());
            match act {
                0 => bytes[place] = byte,
                1 => bytes.insert(place, byte),
                2 => drop(bytes.remove(place)),
                _ => {}
            }
            // Whoever edits may hash as well.
            let hash = Hash::of(&bytes);
            prop_assert_eq!(parse_body(&bytes, hash), slow(&bytes, Some(hash)));
            if let Ok(body) = String::from_utf8(bytes) {
                let line = to_line(&body, hash);
                prop_assert_eq!(parse_line(line.as_bytes()), slow(line.as_bytes(), None));
            }
        }
    }

    #[test]
    fn what_is_no_event_is_named() {
        let check = |line: &[u8], expected: &str| {
            let why = parse_line(line).unwrap_err().to_string();
            assert!(why.contains(expected), "{why}");
        };
        check(b"", "broken JSON: EOF");
        check(b"[1]", "no object");
        check(b"{\"a\":1,\"\\u0061\":2}", "\"a\" is there twice");
        check(b"{\"a\":\"\xff\"}", "UTF-8");
        check(b"{\"a\":\"\0\"}", "NUL");
        check(&[b"[".repeat(200), b"]".repeat(200)].concat(), "recursion");
        let plain =
            r#"{"seq":1,"run_id":"demo-001","kind":"note","at":"2026-01-01T00:00:00.1+00:00","payload":{}}"#;
        assert_eq!(parse_line(plain.as_bytes()).unwrap().link, None);
        let edited =
            |from: &str, to: &str, expected: &str| check(plain.replace(from, to).as_bytes(), expected);
        for seq in
            ["0", "-1", "1.0", "1.5", "\"1\"", "true", "9007199254740993", "18446744073709551616", "null"]
        {
            edited("\"seq\":1", &format!("\"seq\":{seq}"), "\"seq\" is not");
        }
        edited("\"demo-001\"", "7", "\"run_id\" is not");
        edited("\"note\"", "null", "\"kind\" is not");
        edited("\"at\"", "\"when\"", "\"at\" is not");
        edited("\"payload\"", "\"load\"", "\"payload\" is missing");
        edited("\"seq\"", "\"hash\":\"00\",\"seq\"", "\"prev\" is missing");
        edited("\"seq\"", "\"prev\":\"00\",\"seq\"", "\"hash\" is missing");
        edited("\"seq\"", "\"prev\":\"00\",\"hash\":\"00\",\"seq\"", "\"prev\" is not 64");
        let zeros = "0".repeat(64);
        edited("\"seq\"", &format!("\"prev\":\"{zeros}\",\"hash\":7,\"seq\""), "\"hash\" is not 64");
    }
}
