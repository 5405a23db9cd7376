//! A client of a running owner, for the programs on this machine that do not own the store.
//!
//! Before a token leaves this process, the owner proves that it knows it (`POST /proof`), on each
//! new connection; a stranger that took the port gets nothing.

use std::path::{Path, PathBuf};

use futures::stream::{self, BoxStream};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tools::{Answer, Failure, Surface};

use crate::feed;

/// What `<data>/owner.json` and a ready file say.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct OwnerFile {
    pub mcp_url: String,
    pub ui_url: Option<String>,
    pub token_file: PathBuf,
    pub pid: u32,
    pub data: PathBuf,
    pub nonce: String,
    pub version: String,
}

/// Why there is no owner to speak to.
#[derive(Debug, thiserror::Error)]
pub enum FindError {
    /// Nobody owns this store now: no `owner.json`, or nobody answers at its port.
    #[error("{0}")]
    NotRunning(String),
    /// Somebody answers who does not know our token.
    #[error("{0}")]
    NotProven(String),
    #[error("{0}")]
    Unreadable(String),
}

/// Why a request to the owner has no answer.
#[derive(Debug, thiserror::Error)]
pub enum RemoteError {
    /// The owner answered, and refused.
    #[error("{}", failure_text(.0))]
    Failed(Failure),
    /// The connection went; [`Owner::find`] again.
    #[error("{0}")]
    Lost(String),
}

/// A proven owner, spoken to as the person at `surface`. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Owner {}

impl Owner {
    /// Reads `<data>/owner.json`, connects and lets the owner prove itself.
    pub async fn find(_data: &Path, _surface: Surface) -> Result<Owner, FindError> {
        todo!()
    }

    #[must_use]
    pub fn file(&self) -> &OwnerFile {
        todo!()
    }

    /// As [`tools::Host::view`].
    pub async fn view(&self, _name: &str, _params: Value) -> Result<Value, RemoteError> {
        todo!()
    }

    /// As [`tools::Host::call`]. Tried again once over a new connection: the call's id makes that one write.
    pub async fn call(
        &self,
        _project: Option<&str>,
        _tool: &str,
        _arguments: Value,
    ) -> Result<Answer, RemoteError> {
        todo!()
    }

    /// The owner's feed; ends (after one `Lost`) when the owner goes.
    pub async fn feed(&self) -> Result<BoxStream<'static, Result<feed::Message, RemoteError>>, RemoteError> {
        Ok(Box::pin(stream::pending()))
    }

    /// A fresh one-time link for a browser; refused when the owner has no people's listener.
    pub async fn login_link(&self) -> Result<String, RemoteError> {
        todo!()
    }
}

fn failure_text(failure: &Failure) -> String {
    match failure {
        Failure::Refused(refusal) => refusal.to_text(),
        Failure::UnknownTool { message, .. } => message.clone(),
    }
}
