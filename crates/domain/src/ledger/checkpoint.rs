//! Signed marks: a run's ledger stood at this hash. They show a tail that was cut and a file that
//! was put in the place of another.

use super::hex::{hex, unhex};
use super::{Hash, Line, Lines};
use crate::{RunId, Seq, Timestamp, canonical};
use ed25519_dalek::{Signature, Signer, SigningKey, VerifyingKey};
use serde::{Deserialize, Serialize};
use serde_json::json;

#[derive(Debug, Clone, Copy, PartialEq, Eq, std::hash::Hash)]
pub struct Checkpoint {
    pub run: RunId,
    pub seq: Seq,
    pub hash: Hash,
    pub at: Timestamp,
}

/// The key of a store, from 32 bytes that nobody else knows.
#[derive(Debug, Clone)]
pub struct Key(SigningKey);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PublicKey(VerifyingKey);

/// A checkpoint as one line of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sealed {
    pub at: String,
    pub hash: String,
    /// The public key, in hexadecimal.
    pub key: String,
    pub run_id: String,
    pub seq: u64,
    pub sig: String,
}

impl Checkpoint {
    /// What is signed: the canonical JSON of the four facts.
    #[must_use]
    pub fn signed_bytes(&self) -> Vec<u8> {
        let facts = json!({
            "at": self.at.to_string(),
            "hash": self.hash.hex(),
            "run_id": self.run.to_string(),
            "seq": self.seq.0,
        });
        canonical::to_string(&facts).into_bytes()
    }

    #[must_use]
    pub fn sign(&self, key: &Key) -> [u8; 64] {
        key.0.sign(&self.signed_bytes()).to_bytes()
    }

    /// Was it signed by that key?
    #[must_use]
    pub fn is_signed(&self, key: &PublicKey, sig: &[u8; 64]) -> bool {
        key.0.verify_strict(&self.signed_bytes(), &Signature::from_bytes(sig)).is_ok()
    }

    #[must_use]
    pub fn seal(&self, key: &PublicKey, sig: &[u8; 64]) -> Sealed {
        Sealed {
            at: self.at.to_string(),
            hash: self.hash.hex(),
            key: key.hex(),
            run_id: self.run.to_string(),
            seq: self.seq.0,
            sig: hex(sig),
        }
    }
}

impl Key {
    #[must_use]
    pub fn from_secret(secret: &[u8; 32]) -> Key {
        Key(SigningKey::from_bytes(secret))
    }

    #[must_use]
    pub fn public(&self) -> PublicKey {
        PublicKey(self.0.verifying_key())
    }
}

impl PublicKey {
    #[must_use]
    pub fn hex(&self) -> String {
        hex(self.0.as_bytes())
    }

    #[must_use]
    pub fn from_hex(digits: &str) -> Option<PublicKey> {
        VerifyingKey::from_bytes(&unhex(digits.as_bytes())?).ok().map(PublicKey)
    }
}

impl Sealed {
    /// One line of a file, without the line's end.
    #[must_use]
    pub fn line(&self) -> String {
        canonical::to_string(&serde_json::to_value(self).unwrap_or_default())
    }

    /// The checkpoint and its signature; `None` when a member is not what it should be, or is spelled
    /// in another way than it was signed.
    #[must_use]
    pub fn open(&self) -> Option<(Checkpoint, [u8; 64])> {
        let (run, at) = (self.run_id.parse::<RunId>().ok()?, Timestamp::parse(&self.at)?);
        if run.to_string() != self.run_id || at.to_string() != self.at {
            return None;
        }
        let hash = Hash(unhex(self.hash.as_bytes())?);
        Some((Checkpoint { run, seq: Seq(self.seq), hash, at }, unhex(self.sig.as_bytes())?))
    }

    /// The key that it says it was signed with, when it really was.
    #[must_use]
    pub fn signer(&self) -> Option<PublicKey> {
        let key = PublicKey::from_hex(&self.key)?;
        let (checkpoint, sig) = self.open()?;
        checkpoint.is_signed(&key, &sig).then_some(key)
    }
}

/// The checkpoints of a file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Believed {
    /// Those that one key signed rightly.
    pub checkpoints: Vec<Checkpoint>,
    pub key: Option<PublicKey>,
    /// What is wrong with the others, in words.
    pub bad: Vec<String>,
}

impl Believed {
    /// `key`: whose checkpoints count; without it, that of the first one that is signed rightly.
    #[must_use]
    pub fn read(file: &[u8], key: Option<PublicKey>) -> Believed {
        let mut believed = Believed { key, ..Believed::default() };
        let mut lines = Lines::default();
        let mut each = |line: Line<'_>| {
            believed.add(&line);
            true
        };
        lines.add(file, &mut each);
        lines.end(&mut each);
        believed
    }

    fn add(&mut self, line: &Line<'_>) {
        let sealed: Option<Sealed> = serde_json::from_slice(line.bytes).ok();
        let signed = sealed.and_then(|sealed| Some((sealed.signer()?, sealed.open()?.0)));
        match signed {
            Some((key, checkpoint)) if *self.key.get_or_insert(key) == key => {
                self.checkpoints.push(checkpoint)
            }
            Some(_) => self.bad.push(format!("checkpoint line {} is signed by another key", line.number)),
            None => self.bad.push(format!("checkpoint line {} has no right signature", line.number)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    #[test]
    fn a_signature_holds_for_these_facts_and_this_key_only() {
        let key = Key::from_secret(&[7; 32]);
        let checkpoint = Checkpoint {
            run: RunId(Uuid::from_u128(7)),
            seq: Seq(100),
            hash: Hash::of(b"x"),
            at: Timestamp::from_unix_ms(1_000),
        };
        let sig = checkpoint.sign(&key);
        assert!(checkpoint.is_signed(&key.public(), &sig));
        assert!(!Checkpoint { seq: Seq(99), ..checkpoint }.is_signed(&key.public(), &sig));
        assert!(!checkpoint.is_signed(&Key::from_secret(&[8; 32]).public(), &sig));
        let sealed = checkpoint.seal(&key.public(), &sig);
        let read: Sealed = serde_json::from_str(&sealed.line()).unwrap();
        assert_eq!(read.open(), Some((checkpoint, sig)));
        assert_eq!(read.signer(), Some(key.public()));
        assert_eq!(Sealed { seq: 101, ..read.clone() }.signer(), None);
        let respelled = Sealed { at: "1970-01-01T00:00:01Z".into(), ..read.clone() };
        assert_eq!(respelled.open(), None);
        let other = Key::from_secret(&[8; 32]);
        let theirs = checkpoint.seal(&other.public(), &checkpoint.sign(&other)).line();
        let file = format!("{}\n\n{theirs}\n{{}}\n{}", read.line(), Sealed { seq: 101, ..read }.line());
        let check = |asked: Option<PublicKey>, key: &Key, bad: &[&str]| {
            let found = Believed::read(file.as_bytes(), asked);
            assert_eq!((found.checkpoints, found.key), (vec![checkpoint], Some(key.public())));
            assert_eq!(found.bad, bad);
        };
        let wrong = ["checkpoint line 4 has no right signature", "checkpoint line 5 has no right signature"];
        check(None, &key, &[&["checkpoint line 3 is signed by another key"], &wrong[..]].concat());
        let asked = PublicKey::from_hex(&other.public().hex());
        check(asked, &other, &[&["checkpoint line 1 is signed by another key"], &wrong[..]].concat());
    }
}
