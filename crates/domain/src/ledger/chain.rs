//! The hash chain: an event's canonical bytes, the hash over them, and the event that follows.
//!
//! The bytes hashed are the bytes stored. An event without its `hash` is the *body*.

use crate::{RunId, Seq, Timestamp, canonical};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::borrow::Cow;
use std::fmt::Write;

/// A link of the chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, std::hash::Hash)]
pub struct Hash(pub [u8; 32]);

impl Hash {
    #[must_use]
    pub fn of(bytes: &[u8]) -> Hash {
        Hash(Sha256::digest(bytes).into())
    }

    /// What stands as `prev` in the first event of a run.
    #[must_use]
    pub fn genesis(run: RunId) -> Hash {
        Hash::genesis_of(&run.to_string())
    }

    /// The same, for a run whose id need not be one of ours.
    #[must_use]
    pub fn genesis_of(run: &str) -> Hash {
        Hash::of(format!("tallyboard/ledger/v1\n{run}").as_bytes())
    }

    #[must_use]
    pub fn hex(self) -> String {
        self.0.iter().fold(String::with_capacity(64), |mut hex, byte| {
            let _ = write!(hex, "{byte:02x}");
            hex
        })
    }
}

#[must_use]
pub fn sha256_hex(bytes: &[u8]) -> String {
    Hash::of(bytes).hex()
}

/// Where a run's ledger stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Head {
    pub seq: Seq,
    pub hash: Hash,
}

impl Head {
    #[must_use]
    pub fn start(run: RunId) -> Head {
        Head { seq: Seq(0), hash: Hash::genesis(run) }
    }

    /// The next event's canonical body, and the head after it.
    #[must_use]
    pub fn append(self, run: RunId, kind: &str, at: Timestamp, payload: Value) -> (String, Head) {
        let seq = self.seq.next();
        let body = canonical::to_string(&json!({
            "seq": seq.0,
            "run_id": run.to_string(),
            "kind": kind,
            "at": at.to_string(),
            "payload": payload,
            "prev": self.hash.hex(),
        }));
        let hash = Hash::of(body.as_bytes());
        (body, Head { seq, hash })
    }
}

/// An event read back from its body.
#[derive(Debug, Clone, PartialEq)]
pub struct Read {
    pub seq: Seq,
    pub run: RunId,
    pub kind: String,
    pub at: Timestamp,
    pub payload: Value,
    pub prev: String,
}

/// What is wrong with one event of a chain.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Broken {
    #[error("the event is not readable: {0}")]
    Unreadable(String),
    #[error("the event belongs to run {found}, not to {expected}")]
    ForeignRun { expected: RunId, found: String },
    #[error("seq {found} stands where seq {expected} should: an event is missing, repeated or moved")]
    Order { expected: Seq, found: u64 },
    #[error("the event's bytes hash to {found}, but {expected} was written with it")]
    Altered { expected: String, found: String },
    #[error("prev is {found}, but the event before has hash {expected}")]
    Unlinked { expected: String, found: String },
}

/// Reads a body without checking the chain.
pub fn read(body: &str) -> Result<Read, Broken> {
    let unreadable = |what: &str| Broken::Unreadable(what.to_owned());
    let mut value: Value =
        serde_json::from_str(body).map_err(|error| Broken::Unreadable(error.to_string()))?;
    let text = |value: &Value, field: &str| {
        value[field].as_str().map(str::to_owned).ok_or_else(|| unreadable(&format!("{field} is not a text")))
    };
    Ok(Read {
        seq: Seq(value["seq"].as_u64().ok_or_else(|| unreadable("seq is not a number"))?),
        run: text(&value, "run_id")?.parse().map_err(|_| unreadable("run_id is not a UUID"))?,
        kind: text(&value, "kind")?,
        at: Timestamp::parse(&text(&value, "at")?).ok_or_else(|| unreadable("at is not an RFC 3339 time"))?,
        prev: text(&value, "prev")?,
        payload: value["payload"].take(),
    })
}

/// What a fold needs of a body, without building a tree of it.
#[derive(Debug)]
pub struct Brief<'a> {
    pub seq: Seq,
    pub kind: Cow<'a, str>,
    pub at: Timestamp,
    /// The payload as JSON text.
    pub payload: &'a str,
}

#[derive(Deserialize)]
struct Envelope<'a> {
    seq: u64,
    #[serde(borrow)]
    kind: Cow<'a, str>,
    #[serde(borrow)]
    at: Cow<'a, str>,
    #[serde(borrow)]
    payload: &'a RawValue,
}

/// As [`read`], for many events: the payload stays text.
pub fn read_brief(body: &str) -> Result<Brief<'_>, Broken> {
    let Envelope { seq, kind, at, payload } =
        serde_json::from_str(body).map_err(|error| Broken::Unreadable(error.to_string()))?;
    let at = Timestamp::parse(&at).ok_or_else(|| Broken::Unreadable("at is not an RFC 3339 time".into()))?;
    Ok(Brief { seq: Seq(seq), kind, at, payload: payload.get() })
}

/// Checks one event against the head before it, and gives the head after it.
pub fn verify(run: RunId, head: Head, body: &str, written: Hash) -> Result<Head, Broken> {
    let event = read(body)?;
    if event.run != run {
        return Err(Broken::ForeignRun { expected: run, found: event.run.to_string() });
    }
    if event.seq != head.seq.next() {
        return Err(Broken::Order { expected: head.seq.next(), found: event.seq.0 });
    }
    let found = Hash::of(body.as_bytes());
    if found != written {
        return Err(Broken::Altered { expected: written.hex(), found: found.hex() });
    }
    if event.prev != head.hash.hex() {
        return Err(Broken::Unlinked { expected: head.hash.hex(), found: event.prev });
    }
    Ok(Head { seq: event.seq, hash: found })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use uuid::Uuid;

    const RUN: RunId = RunId(Uuid::from_u128(7));

    type Events = Vec<(String, Hash)>;

    fn chain(notes: &[String]) -> Events {
        let mut head = Head::start(RUN);
        notes
            .iter()
            .enumerate()
            .map(|(i, text)| {
                let at = Timestamp::from_unix_ms(1000 * i64::try_from(i).unwrap());
                let (body, after) = head.append(RUN, "note", at, json!({"v": 1, "text": text}));
                head = after;
                (body, after.hash)
            })
            .collect()
    }

    /// The seq of the first event that does not fit, if any.
    fn first_bad(events: &[(String, Hash)]) -> Option<u64> {
        let mut head = Head::start(RUN);
        for (body, hash) in events {
            match verify(RUN, head, body, *hash) {
                Ok(after) => head = after,
                Err(_) => return Some(head.seq.0 + 1),
            }
        }
        None
    }

    #[test]
    fn one_event_has_these_bytes_and_this_hash() {
        let events = chain(&["hi".into()]);
        assert_eq!(
            events[0].0,
            "{\"at\":\"1970-01-01T00:00:00.000Z\",\"kind\":\"note\",\"payload\":{\"text\":\"hi\",\"v\":1},\
             \"prev\":\"292ba29c99dfe3130c61a5edde1f0b0bfdbc476be950a329615ef51709efe66d\",\
             \"run_id\":\"00000000-0000-0000-0000-000000000007\",\"seq\":1}"
        );
        assert_eq!(events[0].1, Hash::of(events[0].0.as_bytes()));
    }

    /// Whoever can hash can write an event that fits itself; it must fit the chain as well.
    #[test]
    fn an_event_that_was_hashed_anew_is_found_by_what_it_says_of_the_others() {
        let first = Head::start(RUN).append(RUN, "note", Timestamp::from_unix_ms(0), json!({})).1;
        let verified = |head: Head, run: RunId| {
            let (body, after) = head.append(run, "note", Timestamp::from_unix_ms(0), json!({}));
            verify(RUN, first, &body, after.hash)
        };
        assert!(verified(first, RUN).is_ok());
        let skipped = Head { seq: Seq(7), ..first };
        assert_eq!(verified(skipped, RUN), Err(Broken::Order { expected: Seq(2), found: 8 }));
        let elsewhere = Head { hash: Hash::of(b"another past"), ..first };
        assert!(matches!(verified(elsewhere, RUN), Err(Broken::Unlinked { .. })));
        let other = RunId(Uuid::from_u128(8));
        assert!(matches!(verified(first, other), Err(Broken::ForeignRun { .. })));
    }

    proptest! {
        #[test]
        fn any_edit_of_any_byte_is_found_where_it_is(
            notes in prop::collection::vec(".{0,20}", 1..8), at in any::<prop::sample::Index>(), bit in 0u8..7,
        ) {
            let mut events = chain(&notes);
            prop_assert_eq!(first_bad(&events), None);
            let victim = at.index(events.len());
            let mut bytes = events[victim].0.clone().into_bytes();
            let byte = at.index(bytes.len());
            bytes[byte] ^= 1 << bit;
            if let Ok(edited) = String::from_utf8(bytes) {
                events[victim].0 = edited;
                prop_assert_eq!(first_bad(&events), Some(victim as u64 + 1));
            }
        }

        #[test]
        fn removing_repeating_or_swapping_is_found(
            notes in prop::collection::vec(".{0,8}", 3..8), at in any::<prop::sample::Index>(),
        ) {
            let events = chain(&notes);
            let i = at.index(events.len() - 1);
            let check = |edit: &dyn Fn(&mut Events), bad: usize| {
                let mut events = events.clone();
                edit(&mut events);
                assert_eq!(first_bad(&events), Some(bad as u64 + 1));
            };
            check(&|e| { e.remove(i); }, i);
            check(&|e| e.insert(i, e[i].clone()), i + 1);
            check(&|e| e.swap(i, i + 1), i);
        }
    }
}
