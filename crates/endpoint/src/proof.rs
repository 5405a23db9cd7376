//! How two processes of one user show each other that they know the same token without sending it.
//!
//! The client sends a nonce and its HMAC; the owner answers with an HMAC over the nonce and its own
//! port. The client checks that with the port it dialled, so a stranger on another port cannot pass
//! our question on to the real owner and our answer back.

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD as BASE64;

use crate::secret::{Secret, random_text};

const CLIENT: &str = "tallyboard/client/v1";
const OWNER: &str = "tallyboard/owner/v1";
/// The nonce must be long enough that none is ever asked twice.
const NONCE_LEN_MIN: usize = 22;

/// A client's question, and what it needs to check the answer.
#[derive(Debug)]
pub(crate) struct Question {
    nonce: String,
}

impl Question {
    pub(crate) fn new() -> Result<Question, String> {
        Ok(Question { nonce: random_text(32)? })
    }

    /// The value of the `Authorization` header.
    pub(crate) fn header(&self, secret: &Secret) -> String {
        let proof = BASE64.encode(secret.mac(CLIENT, &[self.nonce.as_bytes()]));
        format!("Proof {}.{proof}", self.nonce)
    }

    pub(crate) fn is_answered_by(&self, proof: &str, secret: &Secret, port_dialled: u16) -> bool {
        let port = port_dialled.to_string();
        secret.proves(proof, 32, OWNER, &[self.nonce.as_bytes(), port.as_bytes()])
    }
}

/// The owner's side: `None` when the question shows no knowledge of any of `secrets`.
pub(crate) fn answer(header: &str, secrets: &[&Secret], own_port: u16) -> Option<String> {
    let (nonce, proof) = header.strip_prefix("Proof ")?.split_once('.')?;
    if nonce.len() < NONCE_LEN_MIN {
        return None;
    }
    let secret = secrets.iter().find(|secret| secret.proves(proof, 32, CLIENT, &[nonce.as_bytes()]))?;
    let port = own_port.to_string();
    Some(BASE64.encode(secret.mac(OWNER, &[nonce.as_bytes(), port.as_bytes()])))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_owner_is_known_by_its_token_and_its_port() {
        let ours = Secret::from_text("ours".into());
        let theirs = Secret::from_text("theirs".into());
        let question = Question::new().unwrap();
        let header = question.header(&ours);
        let proof = answer(&header, &[&theirs, &ours], 8737).expect("knows the token");
        assert!(question.is_answered_by(&proof, &ours, 8737));
        // A squatter on another port that passes the question on to the owner.
        assert!(!question.is_answered_by(&proof, &ours, 9000));
        // A recorded answer, for another question.
        assert!(!Question::new().unwrap().is_answered_by(&proof, &ours, 8737));
        // A squatter without the token, and one that sends the question back.
        assert!(!question.is_answered_by(
            &answer(&question.header(&theirs), &[&theirs], 8737).unwrap(),
            &ours,
            8737
        ));
        let echo = header.rsplit('.').next().unwrap();
        assert!(!question.is_answered_by(echo, &ours, 8737));
    }

    #[test]
    fn an_owner_answers_only_who_knows_a_token() {
        let ours = Secret::from_text("ours".into());
        let header = Question::new().unwrap().header(&Secret::from_text("guess".into()));
        assert_eq!(answer(&header, &[&ours], 1), None);
        for junk in
            ["", "Proof", "Proof .", "Bearer ours", "Proof a.b", &format!("Proof short.{}", "A".repeat(43))]
        {
            assert_eq!(answer(junk, &[&ours], 1), None, "{junk}");
        }
    }
}
