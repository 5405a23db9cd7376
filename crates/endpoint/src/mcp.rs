//! `/mcp`: both generations of MCP at one URL, without any state between requests.
//!
//! This layer reads the message strictly, finds out whose call it is, keeps a tool call's raw
//! arguments aside, and gives the message to rmcp, which speaks the protocol; [`Board`] is what
//! rmcp calls.

use std::convert::Infallible;
use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, Response, StatusCode, header};
use bytes::Bytes;
use http_body_util::{BodyExt as _, Full};
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use serde_json::Value;

use crate::app::App;
use crate::board::Board;
use crate::deny::{Denied, INVALID_REQUEST};
use crate::message::{Message, SIZE_MAX};
use crate::session::Session;
use crate::{body, caller};

type Protocol = StreamableHttpService<Board, NeverSessionManager>;

/// The state of the `/mcp` route.
#[derive(Clone)]
pub(crate) struct Mcp {
    app: App,
    protocol: Protocol,
}

impl Mcp {
    pub(crate) fn new(app: &App) -> Mcp {
        let port = app.mcp_port;
        let config = StreamableHttpServerConfig::default()
            .with_legacy_session_mode(false)
            .with_json_response(true)
            .with_allowed_hosts([format!("127.0.0.1:{port}"), format!("localhost:{port}")])
            .with_allowed_origins([format!("http://127.0.0.1:{port}"), format!("http://localhost:{port}")])
            .enforce_origin_validation()
            .with_max_request_body_bytes(SIZE_MAX);
        let board = Board::new(app.clone());
        let sessions = Arc::new(NeverSessionManager::default());
        let protocol = StreamableHttpService::new(move || Ok(board.clone()), sessions, config);
        Mcp { app: app.clone(), protocol }
    }
}

/// The handler of `/mcp`.
pub(crate) async fn handle(State(mcp): State<Mcp>, request: Request) -> Response<Body> {
    let result = if request.method() == Method::DELETE {
        mcp.close(request.headers()).await
    } else {
        mcp.answer(request).await
    };
    result.unwrap_or_else(|denied| denied.response(true))
}

impl Mcp {
    async fn answer(&self, request: Request) -> Result<Response<Body>, Denied> {
        let (mut parts, body) = request.into_parts();
        accepts_both(&parts.headers)?;
        let bytes = body::read(&parts.headers, body).await?;
        let mut message = Message::read(&bytes)?;
        let session = caller::session(&parts.headers, &message, &self.app.agent)?;
        let caller = caller::agent(&parts.headers, &parts.uri, &message, session.as_ref())
            .map_err(|denied| denied.answering(&message.id()))?;
        if let Some(call) = message.call() {
            parts.extensions.insert(call);
        }
        parts.extensions.insert(caller);
        let bytes = if message.tame_arguments() { Bytes::from(message.value.to_string()) } else { bytes };
        let opening = message.method() == "initialize" && message.is_request();
        let opened = opening.then(|| self.open(&parts, &message)).transpose()?;
        let request =
            Request::from_parts(parts, Full::new(bytes).map_err(|never: Infallible| match never {}));
        let response = readable(self.protocol.handle(request).await, &message).await;
        Ok(match opened {
            Some(session) => with_session(response, &session.id(&self.app.agent)).await,
            None => response,
        })
    }

    /// The session that an `initialize` opens.
    fn open(&self, parts: &axum::http::request::Parts, message: &Message) -> Result<Session, Denied> {
        let (name, version) = message.client().unwrap_or(("agent", None));
        let project = caller::project(&parts.headers, &parts.uri)?;
        Session::open(name, version, project).map_err(|problem| {
            Denied::new(StatusCode::INTERNAL_SERVER_ERROR, problem, "random bytes", "try again")
                .answering(&message.id())
        })
    }

    /// `DELETE`: the client is done with its session.
    async fn close(&self, headers: &HeaderMap) -> Result<Response<Body>, Denied> {
        let Some(id) = headers.get(caller::SESSION) else {
            let fix = "send the Mcp-Session-Id you got, or nothing at all";
            return Err(Denied::new(StatusCode::BAD_REQUEST, "no session is named", "Mcp-Session-Id", fix));
        };
        let session = id.to_str().ok().and_then(|id| Session::read(id, &self.app.agent));
        let session = session.ok_or_else(caller::unknown_session)?;
        let run = tools::Run::Session { key: session.key };
        let identity = tools::Identity::Agent { name: session.name, version: session.version, run };
        let caller = tools::Caller { identity, project: session.project, call_id: None };
        if let Err(failure) = self.app.host.end_run(caller, "completed").await {
            tracing::warn!(?failure, "a run could not be ended");
        }
        Ok(Response::new(Body::empty()))
    }
}

fn accepts_both(headers: &HeaderMap) -> Result<(), Denied> {
    let told: Vec<_> =
        headers.get_all(header::ACCEPT).iter().filter_map(|value| value.to_str().ok()).collect();
    let told = told.join(",").to_ascii_lowercase();
    if told.contains("application/json") && told.contains("text/event-stream") {
        return Ok(());
    }
    Err(Denied::new(
        StatusCode::NOT_ACCEPTABLE,
        "the Accept header lacks one of the two forms of an answer",
        "Accept: application/json, text/event-stream",
        "send that header",
    ))
}

/// rmcp answers some refusals as bare text; a client gets them as JSON-RPC all the same.
async fn readable(
    response: Response<http_body_util::combinators::BoxBody<Bytes, Infallible>>,
    message: &Message,
) -> Response<Body> {
    let is_json = response
        .headers()
        .get(header::CONTENT_TYPE)
        .is_some_and(|kind| kind.as_bytes().starts_with(b"application/json"));
    if response.status().as_u16() < 400 || is_json {
        return response.map(Body::new);
    }
    let status = response.status();
    let Ok(text) = response.into_body().collect().await;
    let told = String::from_utf8_lossy(&text.to_bytes()).into_owned();
    let told = told.trim_start_matches("Bad Request: ").to_owned();
    Denied::new(status, told, "a message as the MCP specification has it", "correct it and send it again")
        .code(INVALID_REQUEST)
        .answering(&message.id())
        .response(true)
}

/// Adds the session to the answer of an `initialize` that went well.
async fn with_session(response: Response<Body>, id: &str) -> Response<Body> {
    let (mut parts, body) = response.into_parts();
    let Ok(collected) = body.collect().await else { return Response::from_parts(parts, Body::empty()) };
    let bytes = collected.to_bytes();
    let went_well =
        serde_json::from_slice::<Value>(&bytes).is_ok_and(|answer| answer.get("result").is_some());
    if went_well && let Ok(value) = HeaderValue::from_str(id) {
        parts.headers.insert(caller::SESSION, value);
    }
    Response::from_parts(parts, Body::from(bytes))
}
