//! Carries one message to the owner and its answer back, over as many owners as it takes.

use std::sync::Arc;
use std::time::Duration;

use axum::http::StatusCode;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use bytes::Bytes;
use http_body_util::BodyExt as _;
use parking_lot::Mutex;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Value, json};
use tokio::time::{Instant, sleep, timeout};

use super::BridgeOptions;
use super::finder::Finder;
use crate::caller;
use crate::client::{Ask, Reply};
use crate::deny::Denied;
use crate::message::Message;
use crate::secret::random_text;

/// How long a message is tried.
const TRY_MAX: Duration = Duration::from_secs(30);
const PAUSE_MIN: Duration = Duration::from_millis(20);
const PAUSE_MAX: Duration = Duration::from_secs(1);
/// How long the good-bye may take.
const GOOD_BYE_MAX: Duration = Duration::from_millis(250);

pub(super) struct Courier {
    finder: Finder,
    run: String,
    agent: Option<String>,
    project: Option<String>,
    opened: Mutex<Opened>,
}

/// What `initialize` has settled.
#[derive(Debug, Default, Clone)]
struct Opened {
    session: Option<String>,
    version: Option<String>,
}

impl Courier {
    pub(super) fn new(options: BridgeOptions) -> Result<Courier, String> {
        let BridgeOptions { data, project, agent, program } = options;
        let encode = |text: &str| utf8_percent_encode(text, NON_ALPHANUMERIC).to_string();
        Ok(Courier {
            finder: Finder::new(data, program),
            run: random_text(24)?,
            agent: agent.as_deref().map(encode),
            project: project.map(|path| encode(&path.to_string_lossy())),
            opened: Mutex::default(),
        })
    }

    pub(super) fn has_found_owner(&self) -> bool {
        self.finder.ever()
    }

    /// The line to write, or nothing for what is not a request.
    pub(super) async fn deliver(&self, message: &Message) -> Option<Vec<u8>> {
        let answer = self.exchange(message).await;
        message.is_request().then(|| match answer {
            Ok(bytes) => bytes.to_vec(),
            Err(denied) => denied.answering(&message.id()).rpc().to_string().into_bytes(),
        })
    }

    async fn exchange(&self, message: &Message) -> Result<Bytes, Denied> {
        let deadline = Instant::now() + TRY_MAX;
        let body = Bytes::from(message.value.to_string());
        let call = random_text(16).map_err(|told| away(&told))?;
        let mut pause = PAUSE_MIN;
        loop {
            let owner = self.finder.owner(deadline).await.map_err(|told| away(&told))?;
            let told = match owner.ask(&self.ask(message, &body, &call)).await {
                Ok(reply) => match self.read(message, &reply) {
                    Some(answer) => return Ok(answer),
                    None => format!("the owner answered {}", reply.status),
                },
                Err(error) => error.to_string(),
            };
            tracing::warn!(told, "a message is sent again");
            self.finder.lost(&owner).await;
            if Instant::now() + pause > deadline {
                return Err(away(&told));
            }
            sleep(pause).await;
            pause = (pause * 2).min(PAUSE_MAX);
        }
    }

    fn ask(&self, message: &Message, body: &Bytes, call: &str) -> Ask {
        let mut ask = self
            .named(Ask::post("/mcp", body.clone()))
            .with("accept", "application/json, text/event-stream")
            .with(caller::CALL, call);
        if let Some(project) = &self.project {
            ask = ask.with(caller::PROJECT, project);
        }
        if let Some(version) = message.own_version() {
            ask = ask.with("mcp-protocol-version", version).with("mcp-method", &fit(message.method()));
            return match message.subject() {
                Some(subject) => ask.with("mcp-name", &fit(subject)),
                None => ask,
            };
        }
        if message.method() == "initialize" {
            return ask;
        }
        let opened = self.opened.lock().clone();
        if let Some(session) = &opened.session {
            ask = ask.with(caller::SESSION, session);
        }
        match &opened.version {
            Some(version) => ask.with("mcp-protocol-version", version),
            None => ask,
        }
    }

    fn named(&self, ask: Ask) -> Ask {
        let ask = ask
            .with(caller::RUN, &self.run)
            .with("user-agent", concat!("tally-bridge/", env!("CARGO_PKG_VERSION")));
        match &self.agent {
            Some(agent) => ask.with(caller::AGENT, agent),
            None => ask,
        }
    }

    /// `None`: not an answer; try again.
    fn read(&self, message: &Message, reply: &Reply) -> Option<Bytes> {
        match reply.status {
            StatusCode::OK => {
                if message.method() == "initialize" {
                    self.open(reply);
                }
                Some(reply.body.clone())
            }
            StatusCode::ACCEPTED if !message.is_request() => Some(Bytes::new()),
            // The token was renewed, or the session is of another store: look anew.
            StatusCode::UNAUTHORIZED => None,
            StatusCode::NOT_FOUND if self.opened.lock().session.take().is_some() => None,
            _ => {
                let mut answer: Value = serde_json::from_slice(&reply.body).ok()?;
                if answer["id"].is_null() {
                    answer["id"] = message.id();
                }
                Some(Bytes::from(answer.to_string()))
            }
        }
    }

    fn open(&self, reply: &Reply) {
        let answer: Value = serde_json::from_slice(&reply.body).unwrap_or_default();
        let session = reply.headers.get(caller::SESSION).and_then(|id| id.to_str().ok()).map(str::to_owned);
        let version = answer["result"]["protocolVersion"].as_str().map(str::to_owned);
        *self.opened.lock() = Opened { session, version };
    }

    /// Keeps a request open at whoever is the owner, so that it knows we are here.
    pub(super) async fn hold(self: Arc<Self>) {
        // The first time an owner is started at once: the client's first message then finds it there.
        let mut owner = self.finder.owner(Instant::now() + TRY_MAX).await.ok();
        loop {
            if let Some(line) = owner {
                match line.follow(&self.named(Ask::get("/bridge/hold"))).await {
                    Ok((StatusCode::OK, mut body)) => while let Some(Ok(_)) = body.frame().await {},
                    Ok((status, _)) => tracing::warn!(%status, "the owner does not hold"),
                    Err(error) => tracing::debug!(%error, "the owner has gone"),
                }
                self.finder.lost(&line).await;
            }
            sleep(Duration::from_millis(200)).await;
            owner = self.finder.owner_if_there().await.ok();
        }
    }

    pub(super) async fn say_good_bye(&self, reason: &str) {
        let ask = self.named(Ask::post("/bridge/end", json!({"reason": reason}).to_string()));
        let heard = async {
            match self.finder.known().await {
                Some(owner) => owner.ask(&ask).await.is_ok(),
                None => false,
            }
        };
        if !timeout(GOOD_BYE_MAX, heard).await.unwrap_or(false) {
            tracing::warn!("the owner did not hear the good-bye");
        }
    }
}

/// MCP's form for a header value that is not plain ASCII.
fn fit(text: &str) -> String {
    let plain = text.bytes().all(|byte| (b' '..=b'~').contains(&byte))
        && text.trim() == text
        && !(text.starts_with("=?base64?") && text.ends_with("?="));
    if plain { text.to_owned() } else { format!("=?base64?{}?=", BASE64_STANDARD.encode(text)) }
}

fn away(told: &str) -> Denied {
    Denied::new(
        StatusCode::SERVICE_UNAVAILABLE,
        format!("Tallyboard cannot be reached: {told}"),
        "a running owner of the store",
        "send the same call again in a while, with the same idempotencyKey if it had one",
    )
    .code(-32603)
}
