//! The host: it owns the store of one data folder, takes calls and answers views.

use std::path::{Path, PathBuf};

use serde_json::Value;
use tokio::sync::broadcast;

use crate::{Answer, Caller, Change, Failure};

#[derive(Debug, Clone)]
pub struct Options {
    pub data: PathBuf,
    /// The name written into the ledger for what a person does.
    pub person: String,
}

#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// Another process owns the store. `pid` when it could be read.
    #[error("{message}")]
    Held { pid: Option<u32>, message: String },
    /// Nothing can be opened at all: a newer file, not a database, no permission …
    #[error("{message}")]
    Unusable { message: String },
}

/// Cheap to clone; the last clone closes the store.
#[derive(Debug, Clone)]
pub struct Host {}

impl Host {
    /// Takes the lock, migrates (after a backup) and opens the store. A store that fails its check
    /// opens read-only; `view("status")` says why.
    pub fn open(_options: Options) -> Result<Host, OpenError> {
        todo!()
    }

    /// One tool call. Answers only after the commit. Never panics: a panic inside is INTERNAL.
    pub async fn call(&self, _caller: Caller, _tool: &str, _arguments: Value) -> Result<Answer, Failure> {
        todo!()
    }

    /// Records a refusal that a shell had to make before `call` could be reached (for example
    /// arguments that are not an object). Gives back what to answer.
    pub async fn refuse(&self, _caller: Caller, _tool: &str, _raw: Value, _refusal: crate::Refusal) -> Failure {
        todo!()
    }

    /// Ends the run behind `caller` (bridge closed, session deleted, person signed off). Reasons:
    /// completed, failed, interrupted, cancelled, budget_exhausted. A run that never began is no error.
    pub async fn end_run(&self, _caller: Caller, _reason: &str) -> Result<(), Failure> {
        todo!()
    }

    /// One read model: `board`, `task`, `runs`, `status`. Params as in `view/`.
    pub async fn view(&self, _name: &str, _params: Value) -> Result<Value, Failure> {
        todo!()
    }

    /// MCP `tools/list`: `[{name, title, description, inputSchema, outputSchema, annotations}]`,
    /// in a fixed order, as JSON.
    pub fn tool_list(&self) -> Value {
        todo!()
    }

    /// MCP server instructions.
    pub fn instructions(&self) -> String {
        todo!()
    }

    /// The change feed. A receiver that lags gets `RecvError::Lagged`; it then sends the screen a
    /// `Change` with the present position and no tags (= refetch everything you show).
    pub fn feed(&self) -> broadcast::Receiver<Change> {
        todo!()
    }

    /// The store's newest position.
    pub fn position(&self) -> u64 {
        todo!()
    }

    /// Shown by `view("status")`.
    pub fn set_listener(&self, _mcp_url: Option<String>, _token_file: Option<PathBuf>) {
        todo!()
    }

    pub fn data(&self) -> &Path {
        todo!()
    }

    /// Commits what waits, checkpoints the WAL, frees the lock. Later calls get STORE_UNAVAILABLE.
    pub fn close(&self) {
        todo!()
    }
}
