//! One owner's listeners: bound, announced in `owner.json`, and ended together.

use std::path::{Path, PathBuf};
use std::time::Duration;

use tools::Host;

/// What an owner offers, and where.
#[derive(Debug, Clone, Default)]
pub struct ServeOptions {
    /// The person's name as written into the ledger (the same as in [`tools::Options::person`]).
    pub person: String,
    /// The agents' port. `None`: the remembered one, else 8737, else any free one. `Some` and busy: an error.
    pub port: Option<u16>,
    /// Whether to open the people's listener (the UI in a browser).
    pub ui: bool,
    /// The people's port, by the same rules (8738).
    pub ui_port: Option<u16>,
    /// A second copy of `<data>/owner.json`, for whoever started us.
    pub ready_file: Option<PathBuf>,
}

/// Why an owner could not start. Each message says what to do.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    #[error("{0}")]
    PortBusy(String),
    #[error("{0}")]
    Secret(String),
    #[error("{0}")]
    Io(String),
}

/// The running listeners. Dropping it ends them at once; [`Server::shutdown`] ends them cleanly.
#[derive(Debug)]
pub struct Server {}

impl Server {
    /// Binds, writes the ready files, serves. Needs a tokio runtime; returns when both listeners accept.
    /// Calls `host.set_listener`.
    pub async fn start(_host: Host, _options: ServeOptions) -> Result<Server, StartError> {
        todo!()
    }

    /// `http://127.0.0.1:PORT/mcp`
    #[must_use]
    pub fn mcp_url(&self) -> &str {
        todo!()
    }

    /// `http://127.0.0.1:PORT` of the people's listener, without any secret. `None` unless asked for.
    #[must_use]
    pub fn ui_url(&self) -> Option<&str> {
        todo!()
    }

    /// A fresh one-time link that signs a browser in. `None` without the people's listener.
    #[must_use]
    pub fn login_link(&self) -> Option<String> {
        todo!()
    }

    #[must_use]
    pub fn token_file(&self) -> &Path {
        todo!()
    }

    /// Random per start; the feed's `hello` carries it as `owner`.
    #[must_use]
    pub fn nonce(&self) -> &str {
        todo!()
    }

    /// How long nobody has held, followed or asked anything. `None` while somebody does.
    #[must_use]
    pub fn idle(&self) -> Option<Duration> {
        todo!()
    }

    /// Ends feeds and holds, lets calls in flight answer (one second at most), removes the ready files.
    /// The host stays open; close it afterwards.
    pub async fn shutdown(self) {
        todo!()
    }
}
