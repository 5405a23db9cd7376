//! Who answers the window: this process, which then owns the store and lets agents in, or another
//! owner that was there first.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use endpoint::feed::{self, Message};
use endpoint::remote::{Owner, RemoteError};
use endpoint::{ServeOptions, Server};
use futures::StreamExt;
use futures::stream::BoxStream;
use serde_json::Value;
use tools::{Answer, Caller, Code, Failure, Host, Identity, OpenError, Options, Refusal, Surface};

/// An owner that is just starting holds the lock before it answers; so long is it waited for.
const OWNER_WAIT: Duration = Duration::from_secs(10);
const OWNER_RETRY: Duration = Duration::from_millis(100);

pub(crate) type Messages = BoxStream<'static, Result<Message, RemoteError>>;

#[derive(Debug, Clone)]
pub(crate) enum Backend {
    Local(Arc<Local>),
    Attached(Owner),
}

/// The store is ours.
#[derive(Debug)]
pub(crate) struct Local {
    host: Host,
    person: String,
    /// Taken out when it is shut down. `None` from the start when no port could be had.
    server: parking_lot::Mutex<Option<Server>>,
    /// Names this owner in the feed.
    nonce: String,
}

/// Which store, and in whose name.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    pub(crate) data: PathBuf,
    pub(crate) person: String,
}

impl Backend {
    /// Takes the store, or attaches to whoever has it. The refusal says why neither went.
    pub(crate) async fn open(place: &Place) -> Result<Backend, Refusal> {
        let give_up = tokio::time::Instant::now() + OWNER_WAIT;
        loop {
            let options = Options {
                data: place.data.clone(),
                person: place.person.clone(),
                witness: program::witness_dir(&place.data),
            };
            let opened = tokio::task::spawn_blocking(move || Host::open(options)).await;
            let held = match opened {
                Ok(Ok(host)) => return Ok(Backend::Local(Arc::new(Local::start(host, place).await))),
                Ok(Err(OpenError::Unusable { message })) => return Err(unusable(&place.data, message)),
                Ok(Err(OpenError::Held { message, .. })) => message,
                Err(panicked) => return Err(unusable(&place.data, panicked.to_string())),
            };
            let why = match Owner::find(&place.data, Surface::Window).await {
                Ok(owner) => return Ok(Backend::Attached(owner)),
                Err(why) => why,
            };
            if tokio::time::Instant::now() > give_up {
                return Err(unusable(&place.data, format!("{held} It does not answer: {why}")));
            }
            tokio::time::sleep(OWNER_RETRY).await;
        }
    }

    pub(crate) async fn view(&self, name: &str, params: Value) -> Result<Value, Trouble> {
        match self {
            Backend::Local(local) => Ok(local.host.view(name, params).await?),
            Backend::Attached(owner) => Ok(owner.view(name, params).await?),
        }
    }

    pub(crate) async fn bytes(&self, name: &str, params: Value) -> Result<Vec<u8>, Trouble> {
        match self {
            Backend::Local(local) => Ok(local.host.bytes(name, params).await?),
            Backend::Attached(owner) => Ok(owner.bytes(name, params).await?),
        }
    }

    pub(crate) async fn call(
        &self,
        project: Option<String>,
        tool: &str,
        arguments: Value,
        at: Option<u64>,
    ) -> Result<Answer, Trouble> {
        match (self, at) {
            (Backend::Local(local), None) => {
                Ok(local.host.call(local.caller(project), tool, arguments).await?)
            }
            (Backend::Local(local), Some(at)) => {
                Err(local.host.call_from_past(local.caller(project), at, tool, arguments).await.into())
            }
            (Backend::Attached(owner), at) => Ok(owner.call(project.as_deref(), tool, arguments, at).await?),
        }
    }

    pub(crate) async fn feed(&self) -> Result<Messages, RemoteError> {
        match self {
            Backend::Local(local) => Ok(feed::messages(&local.host, &local.nonce).map(Ok).boxed()),
            Backend::Attached(owner) => owner.feed().await,
        }
    }
}

impl Local {
    async fn start(host: Host, place: &Place) -> Local {
        // Without the listener the board still works for the person; agents cannot come in, and
        // `view("status")` shows no address.
        let server = Server::start(host.clone(), ServeOptions::default())
            .await
            .inspect_err(|error| tracing::error!(%error, "agents cannot connect"))
            .ok();
        let nonce =
            server.as_ref().map_or_else(|| format!("window-{}", std::process::id()), |s| s.nonce().into());
        let url = server.as_ref().map_or("none", Server::mcp_url);
        tracing::info!(data = %place.data.display(), url, "the window owns the store");
        Local { host, person: place.person.clone(), server: parking_lot::Mutex::new(server), nonce }
    }

    fn caller(&self, project: Option<String>) -> Caller {
        let identity = Identity::Person { name: self.person.clone(), surface: Surface::Window };
        Caller { identity, project, call_id: None }
    }

    /// Lets agents finish, ends the person's sitting, and closes the store.
    pub(crate) async fn end(&self) {
        let server = self.server.lock().take();
        if let Some(server) = server {
            server.shutdown().await;
        }
        if let Err(failure) = self.host.end_run(self.caller(None), "completed").await {
            tracing::warn!(?failure, "the sitting could not be ended");
        }
        let host = self.host.clone();
        if tokio::task::spawn_blocking(move || host.close()).await.is_err() {
            tracing::error!("closing the store failed");
        }
    }
}

/// Why there is no answer.
#[derive(Debug)]
pub(crate) enum Trouble {
    Failed(Failure),
    /// The other owner went away before it answered.
    Lost(String),
}

impl From<Failure> for Trouble {
    fn from(failure: Failure) -> Trouble {
        Trouble::Failed(failure)
    }
}

impl From<RemoteError> for Trouble {
    fn from(error: RemoteError) -> Trouble {
        match error {
            RemoteError::Failed(failure) => Trouble::Failed(failure),
            RemoteError::Lost(why) => Trouble::Lost(why),
        }
    }
}

impl Trouble {
    pub(crate) fn into_refusal(self) -> Refusal {
        match self {
            Trouble::Failed(Failure::Refused(refusal)) => refusal,
            Trouble::Failed(Failure::UnknownTool { name, message }) => {
                Refusal::new(Code::InvalidInput, message).issue(
                    "tool",
                    "there is no such tool",
                    name.into(),
                    "a tool of this program",
                    "reload the window; it may be older than the program",
                )
            }
            Trouble::Lost(why) => {
                let message = format!("the program that owns the store went away before it answered: {why}");
                Refusal::new(Code::StoreUnavailable, message).issue(
                    "",
                    "it is not known whether this was carried out",
                    Value::Null,
                    "an owner that answers",
                    "look at the board, then try again",
                )
            }
        }
    }
}

fn unusable(data: &Path, why: String) -> Refusal {
    Refusal::new(Code::StoreUnavailable, why).issue(
        "",
        "the store could not be opened",
        data.display().to_string().into(),
        "a store that this program can open",
        "put right what is said above; the window tries again by itself. `tally doctor` says more",
    )
}
