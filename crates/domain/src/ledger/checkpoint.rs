//! Signed marks: a run's ledger stood at this hash. They show a tail that was cut and a file that
//! was put in the place of another.

use super::Hash;
use crate::{RunId, Seq, Timestamp, canonical};
use ed25519_dalek::{Signature, Signer, SigningKey, VerifyingKey};
use serde::{Deserialize, Serialize};
use serde_json::json;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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
}

impl Sealed {
    /// One line of a file, without the line's end.
    #[must_use]
    pub fn line(&self) -> String {
        canonical::to_string(&serde_json::to_value(self).unwrap_or_default())
    }

    /// The checkpoint and its signature; `None` when a member is not what it should be.
    #[must_use]
    pub fn open(&self) -> Option<(Checkpoint, [u8; 64])> {
        let run = self.run_id.parse().ok()?;
        let (hash, at) = (Hash(unhex(&self.hash)?), Timestamp::parse(&self.at)?);
        Some((Checkpoint { run, seq: Seq(self.seq), hash, at }, unhex(&self.sig)?))
    }

    /// The key that it says it was signed with, when it really was.
    #[must_use]
    pub fn signer(&self) -> Option<PublicKey> {
        let key = PublicKey(VerifyingKey::from_bytes(&unhex(&self.key)?).ok()?);
        let (checkpoint, sig) = self.open()?;
        checkpoint.is_signed(&key, &sig).then_some(key)
    }
}

fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write;
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut out, byte| {
        // Writing to a String cannot fail.
        let _ = write!(out, "{byte:02x}");
        out
    })
}

pub(super) fn unhex<const N: usize>(text: &str) -> Option<[u8; N]> {
    let text = text.as_bytes();
    if text.len() != N * 2 {
        return None;
    }
    let mut bytes = [0; N];
    for (byte, pair) in bytes.iter_mut().zip(text.chunks_exact(2)) {
        let digit = |c: u8| (c as char).to_digit(16).filter(|_| !c.is_ascii_uppercase());
        *byte = u8::try_from(digit(pair[0])? * 16 + digit(pair[1])?).ok()?;
    }
    Some(bytes)
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
        assert_eq!(Sealed { seq: 101, ..read }.signer(), None);
    }
}
