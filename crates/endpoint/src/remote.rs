//! A client of a running owner, for the programs on this machine that do not own the store.
//!
//! Before a token leaves this process, the owner proves that it knows it (`POST /proof`), on each
//! new connection; a stranger that took the port gets nothing.

use std::path::Path;
use std::sync::Arc;

use axum::http::StatusCode;
use futures::stream::{self, BoxStream, StreamExt as _};
use http_body_util::BodyExt as _;
use hyper::body::Incoming;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Value, json};
use tools::{Answer, Code, Failure, Refusal, Surface};

use crate::client::{Ask, Line, LineError, Reply};
use crate::owner_file::OwnerFile;
use crate::secret::{PERSON_FILE, Secret, random_text};
use crate::{caller, feed};

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
pub struct Owner {
    file: Arc<OwnerFile>,
    line: Line,
    surface: &'static str,
}

/// Reads `owner.json` and connects with the token in `token_name`.
pub(crate) async fn connect(data: &Path, token_name: &str) -> Result<(OwnerFile, Line), FindError> {
    let Some(file) = OwnerFile::read(data).map_err(FindError::Unreadable)? else {
        return Err(FindError::NotRunning(format!("nobody owns the store in {} now", data.display())));
    };
    let Some(port) = file.port() else {
        return Err(FindError::Unreadable(format!(
            "owner.json in {} names no address of ours",
            data.display()
        )));
    };
    let secret = Secret::load(data, token_name).map_err(FindError::Unreadable)?;
    match Line::open(port, secret).await {
        Ok(line) => Ok((file, line)),
        Err(LineError::NotProven(told)) => Err(FindError::NotProven(told)),
        Err(LineError::Unreachable(told) | LineError::Lost(told)) => Err(FindError::NotRunning(told)),
    }
}

impl Owner {
    /// Reads `<data>/owner.json`, connects and lets the owner prove itself.
    pub async fn find(data: &Path, surface: Surface) -> Result<Owner, FindError> {
        let (file, line) = connect(data, PERSON_FILE).await?;
        let surface = match surface {
            Surface::Window => "window",
            Surface::Cli | Surface::Browser => "cli",
        };
        Ok(Owner { file: Arc::new(file), line, surface })
    }

    /// What the owner has announced.
    #[must_use]
    pub fn file(&self) -> &OwnerFile {
        &self.file
    }

    /// As [`tools::Host::view`].
    pub async fn view(&self, name: &str, params: Value) -> Result<Value, RemoteError> {
        let params = params.to_string();
        let path = format!("/api/view/{name}?params={}", utf8_percent_encode(&params, NON_ALPHANUMERIC));
        let reply = self.ask(Ask::get(path)).await?;
        let value = value_of(&reply)?;
        if reply.status == StatusCode::OK { Ok(value) } else { Err(refused(value)) }
    }

    /// As [`tools::Host::bytes`].
    pub async fn bytes(&self, name: &str, params: Value) -> Result<Vec<u8>, RemoteError> {
        let params = params.to_string();
        let path = format!("/api/bytes/{name}?params={}", utf8_percent_encode(&params, NON_ALPHANUMERIC));
        let reply = self.ask(Ask::get(path)).await?;
        if reply.status == StatusCode::OK { Ok(reply.body.to_vec()) } else { Err(refused(value_of(&reply)?)) }
    }

    /// As [`tools::Host::call`], or as [`tools::Host::call_from_past`] with `at`. Tried again once over a new connection: the call's id makes that one write.
    pub async fn call(
        &self,
        project: Option<&str>,
        tool: &str,
        arguments: Value,
        at: Option<u64>,
    ) -> Result<Answer, RemoteError> {
        let body = json!({"project": project, "tool": tool, "arguments": arguments, "at": at});
        let id = random_text(16).map_err(RemoteError::Lost)?;
        let reply = self.ask(Ask::post("/api/call", body.to_string()).with(caller::CALL, &id)).await?;
        let mut value = value_of(&reply)?;
        if value["ok"] != true {
            return Err(refused(value));
        }
        serde_json::from_value(value["answer"].take()).map_err(|error| RemoteError::Lost(error.to_string()))
    }

    /// The owner's feed; ends (after one `Lost`) when the owner goes.
    pub async fn feed(&self) -> Result<BoxStream<'static, Result<feed::Message, RemoteError>>, RemoteError> {
        let ask = Ask::get("/api/feed").with(caller::SURFACE, self.surface);
        let (status, body) = self.line.follow(&ask).await.map_err(lost)?;
        if status != StatusCode::OK {
            return Err(RemoteError::Lost(format!("the owner gives no feed ({status})")));
        }
        let events = Events { body: Some(body), text: Vec::new() };
        Ok(stream::unfold(events, |mut events| async move { Some((events.next().await?, events)) }).boxed())
    }

    /// A fresh one-time link for a browser; refused when the owner has no people's listener.
    pub async fn login_link(&self) -> Result<String, RemoteError> {
        let reply = self.ask(Ask::post("/api/login-link", "")).await?;
        let value = value_of(&reply)?;
        match value["url"].as_str() {
            Some(url) => Ok(url.to_owned()),
            None => Err(refused(value)),
        }
    }

    async fn ask(&self, ask: Ask) -> Result<Reply, RemoteError> {
        let ask = ask.with(caller::SURFACE, self.surface);
        match self.line.ask(&ask).await {
            Err(LineError::Lost(_)) => self.line.ask(&ask).await.map_err(lost),
            other => other.map_err(lost),
        }
    }
}

/// Server-sent events, read as they come.
struct Events {
    body: Option<Incoming>,
    text: Vec<u8>,
}

impl Events {
    async fn next(&mut self) -> Option<Result<feed::Message, RemoteError>> {
        loop {
            if let Some(end) = self.text.windows(2).position(|pair| pair == b"\n\n") {
                let event: Vec<u8> = self.text.drain(..end + 2).collect();
                match message(&String::from_utf8_lossy(&event)) {
                    Some(message) => return Some(Ok(message)),
                    None => continue,
                }
            }
            match self.body.as_mut()?.frame().await {
                Some(Ok(frame)) => self.text.extend_from_slice(frame.data_ref().map_or(&[], |data| data)),
                Some(Err(_)) | None => {
                    self.body = None;
                    return Some(Err(RemoteError::Lost("the owner has ended the feed".into())));
                }
            }
        }
    }
}

/// `None`: a comment, or an event of a later version.
fn message(event: &str) -> Option<feed::Message> {
    let field = |name: &str| {
        let line = event.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
        Some(line.strip_prefix(' ').unwrap_or(line))
    };
    let mut value: Value = serde_json::from_str(field("data")?).ok()?;
    value["event"] = field("event")?.into();
    serde_json::from_value(value).ok()
}

fn value_of(reply: &Reply) -> Result<Value, RemoteError> {
    serde_json::from_slice(&reply.body)
        .map_err(|_| RemoteError::Lost(format!("the owner's answer cannot be read ({})", reply.status)))
}

fn refused(mut value: Value) -> RemoteError {
    let refusal = serde_json::from_value::<Refusal>(value["refusal"].take()).unwrap_or_else(|_| {
        let told = |name: &str| value["error"][name].as_str().unwrap_or_default().to_owned();
        let refusal = Refusal::new(Code::InvalidInput, told("message"));
        refusal.issue("", "refused at the door", Value::Null, told("expected"), told("fix"))
    });
    RemoteError::Failed(Failure::Refused(refusal))
}

fn lost(error: LineError) -> RemoteError {
    RemoteError::Lost(error.to_string())
}

fn failure_text(failure: &Failure) -> String {
    match failure {
        Failure::Refused(refusal) => refusal.to_text(),
        Failure::UnknownTool { message, .. } => message.clone(),
    }
}
