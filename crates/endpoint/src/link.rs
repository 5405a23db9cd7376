//! The doors of the stdio bridge, and the proof that an owner gives before it is trusted.

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{Response, StatusCode, header};
use bytes::Bytes;
use futures::StreamExt as _;
use serde_json::{Value, json};
use tokio_stream::wrappers::IntervalStream;

use crate::activity::Presence;
use crate::app::App;
use crate::deny::{Denied, json_response};
use crate::hold::GRACE;
use crate::{body, caller, proof};

/// How often a held request says that it is still open.
const PULSE: std::time::Duration = std::time::Duration::from_secs(5);

/// `POST /proof`
pub(crate) async fn prove(State(app): State<App>, request: Request) -> Response<Body> {
    let headers = request.headers();
    let question =
        headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok()).unwrap_or_default();
    match proof::answer(question, &[&app.agent, &app.person], app.mcp_port) {
        Some(proof) => json_response(StatusCode::OK, &json!({"proof": proof})),
        None => Denied::new(
            StatusCode::UNAUTHORIZED,
            "the question does not show that you know a token",
            "Authorization: Proof <nonce>.<HMAC>",
            "read the token from token_file in the ready file; it may have been renewed",
        )
        .response(false),
    }
}

/// `GET /bridge/hold`: open for as long as the bridge lives.
pub(crate) async fn hold(State(app): State<App>, request: Request) -> Response<Body> {
    let key = match caller::bridge(request.headers()) {
        Ok((key, _)) => key,
        Err(denied) => return denied.response(false),
    };
    app.holds.open(&key);
    let held = Held { key, _here: app.activity.enter(), app: app.clone() };
    let pulses = IntervalStream::new(tokio::time::interval(PULSE)).map(move |_| {
        let _held = &held;
        Ok::<_, std::convert::Infallible>(Bytes::from_static(b"\n"))
    });
    Response::new(Body::from_stream(pulses.take_until(app.closing())))
}

/// The open request of one bridge; its drop is the bridge's end or a break.
struct Held {
    key: String,
    _here: Presence,
    app: App,
}

impl Drop for Held {
    fn drop(&mut self) {
        if self.app.is_closing() {
            return;
        }
        let (Some(since), Ok(runtime)) =
            (self.app.holds.broke(&self.key), tokio::runtime::Handle::try_current())
        else {
            return;
        };
        runtime.spawn(await_return(self.app.clone(), self.key.clone(), since));
    }
}

/// Gives a bridge its time to come back; its run was interrupted when it does not.
async fn await_return(app: App, key: String, since: u64) {
    tokio::select! {
        () = tokio::time::sleep(GRACE) => {}
        () = app.closing() => return,
    }
    if app.holds.lapsed(&key, since) {
        end(&app, caller::bridge_of(&key, "agent"), "interrupted").await;
    }
}

/// At the start: those whom the last owner held have the same time to find us.
pub(crate) async fn await_all(app: App) {
    let missing = app.holds.missing();
    futures::future::join_all(missing.into_iter().map(|(key, since)| await_return(app.clone(), key, since)))
        .await;
}

/// `POST /bridge/end` with `{"reason": "completed" | "cancelled"}`
pub(crate) async fn good_bye(State(app): State<App>, request: Request) -> Response<Body> {
    let (parts, body) = request.into_parts();
    let result = async {
        let (key, caller) = caller::bridge(&parts.headers)?;
        let bytes = body::read(&parts.headers, body).await?;
        let told: Value = serde_json::from_slice(&bytes).unwrap_or_default();
        match told["reason"].as_str() {
            Some(reason @ ("completed" | "cancelled")) => Ok((key, caller, reason.to_owned())),
            _ => {
                let expected = "{\"reason\": \"completed\" or \"cancelled\"}";
                Err(Denied::new(StatusCode::BAD_REQUEST, "no reason is told", expected, "send one of them"))
            }
        }
    };
    match result.await {
        Ok((key, caller, reason)) => {
            app.holds.forget(&key);
            end(&app, caller, &reason).await;
            json_response(StatusCode::OK, &json!({"ok": true}))
        }
        Err(denied) => denied.response(false),
    }
}

async fn end(app: &App, caller: tools::Caller, reason: &str) {
    if let Err(failure) = app.host.end_run(caller, reason).await {
        tracing::warn!(?failure, reason, "a bridge's run could not be ended");
    }
}
