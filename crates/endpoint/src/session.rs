//! `Mcp-Session-Id`, minted by us when a client opens with `initialize`.
//!
//! The id carries who opened it and a random key, signed with the agents' token: nothing is kept,
//! and a restart of the owner changes nothing for a client that goes on with its id.

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD as BASE64;
use serde::{Deserialize, Serialize};

use crate::secret::{Secret, random_text};

const LABEL: &str = "tallyboard/session/v1";
const MAC_LEN: usize = 16;
/// Longer ids are not ours.
const ID_LEN_MAX: usize = 8 * 1024;

/// What a session id says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Session {
    #[serde(rename = "n")]
    pub name: String,
    #[serde(rename = "v", default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    #[serde(rename = "r")]
    pub key: String,
    #[serde(rename = "p", default, skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
}

impl Session {
    pub(crate) fn open(
        name: &str,
        version: Option<&str>,
        project: Option<String>,
    ) -> Result<Session, String> {
        let short = |text: &str| text.chars().take(128).collect::<String>();
        Ok(Session { name: short(name), version: version.map(short), key: random_text(16)?, project })
    }

    pub(crate) fn id(&self, secret: &Secret) -> String {
        let said = BASE64.encode(serde_json::to_vec(self).unwrap_or_default());
        let mac = secret.mac(LABEL, &[said.as_bytes()]);
        format!("{said}.{}", BASE64.encode(&mac[..MAC_LEN]))
    }

    /// `None`: not an id that this store has minted.
    pub(crate) fn read(id: &str, secret: &Secret) -> Option<Session> {
        if id.len() > ID_LEN_MAX {
            return None;
        }
        let (said, mac) = id.split_once('.')?;
        if !secret.proves(mac, MAC_LEN, LABEL, &[said.as_bytes()]) {
            return None;
        }
        serde_json::from_slice(&BASE64.decode(said).ok()?).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_comes_back_whole_and_survives_a_restart() {
        let secret = Secret::from_text("secret".into());
        let session = Session::open("codex é", Some("0.171"), Some("/home/you/project".into())).unwrap();
        let id = session.id(&secret);
        assert!(id.bytes().all(|byte| byte.is_ascii_graphic()), "fit for a header: {id}");
        assert_eq!(Session::read(&id, &Secret::from_text("secret".into())), Some(session.clone()));
        assert_ne!(Session::open("codex é", None, None).unwrap().key, session.key);
    }

    #[test]
    fn an_id_that_was_made_up_or_changed_is_not_ours() {
        let secret = Secret::from_text("secret".into());
        let id = Session::open("codex", None, None).unwrap().id(&secret);
        let (said, mac) = id.split_once('.').unwrap();
        let other = Session::open("codex", None, None).unwrap().id(&secret);
        let (other_said, _) = other.split_once('.').unwrap();
        let stranger = Session::open("codex", None, None).unwrap().id(&Secret::from_text("guess".into()));
        let forged = [
            String::new(),
            ".".into(),
            said.into(),
            format!("{said}."),
            format!(".{mac}"),
            format!("{other_said}.{mac}"),
            format!("{id}A"),
            format!("{id}.x"),
            id[1..].to_owned(),
            stranger,
            format!("{said}.{}", "A".repeat(22)),
            "x".repeat(10_000),
        ];
        for id in forged {
            assert_eq!(Session::read(&id, &secret), None, "{id}");
        }
    }
}
