//! `/api/…`: the views, the calls and the feed of a person, for a browser and for our own programs.

use std::collections::HashMap;
use std::convert::Infallible;

use axum::body::Body;
use axum::extract::{Path, Query, Request, State};
use axum::http::{HeaderMap, HeaderValue, Response, StatusCode, Uri, header};
use axum::response::IntoResponse as _;
use axum::response::sse::{Event, Sse};
use futures::StreamExt as _;
use serde_json::{Map, Value, json};
use tools::{Caller, Code, Failure, Refusal, Surface, strict_json};

use crate::app::App;
use crate::bounded::{WAIT_MAX, bounded};
use crate::deny::{Denied, INVALID_REQUEST, json_response};
use crate::guard::Side;
use crate::{body, caller, feed};

/// The state of the `/api` routes: the same for both listeners but for who sits there.
#[derive(Debug, Clone)]
pub(crate) struct Api {
    pub app: App,
    pub side: Side,
}

impl Api {
    fn surface(&self, headers: &HeaderMap) -> Result<Surface, Denied> {
        match self.side {
            Side::People => Ok(Surface::Browser),
            Side::Agents => caller::surface(headers),
        }
    }
}

/// `GET /api/view/<name>?params=<json>`
pub(crate) async fn view(
    State(api): State<Api>,
    Path(name): Path<String>,
    Query(query): Query<HashMap<String, String>>,
) -> Response<Body> {
    let params = match asked_params(&query) {
        Ok(params) => params,
        Err(refused) => return *refused,
    };
    let host = api.app.host.clone();
    match bounded(WAIT_MAX, async move { host.view_text(&name, params).await }).await {
        Ok(view) => {
            let mut response = Response::new(Body::from(view));
            response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
            response
        }
        Err(failure) => failed(&failure),
    }
}

/// `GET /api/bytes/<name>?params=<json>`
pub(crate) async fn bytes(
    State(api): State<Api>,
    Path(name): Path<String>,
    Query(query): Query<HashMap<String, String>>,
) -> Response<Body> {
    let params = match asked_params(&query) {
        Ok(params) => params,
        Err(refused) => return *refused,
    };
    let host = api.app.host.clone();
    match bounded(WAIT_MAX, async move { host.bytes(&name, params).await }).await {
        Ok(bytes) => {
            let mut response = Response::new(Body::from(bytes));
            let kind = HeaderValue::from_static("application/octet-stream");
            response.headers_mut().insert(header::CONTENT_TYPE, kind);
            response
        }
        Err(failure) => failed(&failure),
    }
}

fn asked_params(query: &HashMap<String, String>) -> Result<Value, Box<Response<Body>>> {
    match query.get("params").map(|text| strict_json::parse(text.as_bytes())).transpose() {
        Ok(params) => Ok(params.unwrap_or_else(|| json!({}))),
        Err(error) => Err(Box::new(failed(&Failure::Refused(not_json("params", &error.to_string()))))),
    }
}

fn failed(failure: &Failure) -> Response<Body> {
    let refusal = refusal(failure);
    let status = match refusal.code {
        Code::NotFound => StatusCode::NOT_FOUND,
        Code::Internal => StatusCode::INTERNAL_SERVER_ERROR,
        Code::StoreUnavailable => StatusCode::SERVICE_UNAVAILABLE,
        _ => StatusCode::BAD_REQUEST,
    };
    json_response(status, &json!({"refusal": refusal}))
}

/// A person is told of an unknown tool as of any other wrong input.
fn refusal(failure: &Failure) -> Refusal {
    match failure {
        Failure::Refused(refusal) => refusal.clone(),
        Failure::UnknownTool { name, message } => Refusal::new(Code::InvalidInput, message.clone()).issue(
            "tool",
            "no such tool",
            json!(name),
            "the name of a tool",
            "choose one of those named",
        ),
    }
}

fn not_json(what: &str, told: &str) -> Refusal {
    Refusal::new(Code::InvalidInput, format!("{what} is not strict JSON: {told}"))
}

struct Asked {
    caller: Caller,
    tool: String,
    arguments: Value,
    /// The screen that asks shows the past.
    at: Option<u64>,
}

/// `POST /api/call` with `{project?, tool, arguments, at?}`
pub(crate) async fn call(State(api): State<Api>, request: Request) -> Response<Body> {
    let (parts, body) = request.into_parts();
    let asked = async {
        let bytes = body::read(&parts.headers, body).await?;
        asked(&api, &parts.headers, &bytes)
    };
    let Asked { caller, tool, arguments, at } = match asked.await {
        Ok(asked) => asked,
        Err(denied) => return denied.response(false),
    };
    let host = api.app.host.clone();
    let result = bounded(WAIT_MAX, async move {
        match at {
            Some(at) => Err(host.call_from_past(caller, at, &tool, arguments).await),
            None => host.call(caller, &tool, arguments).await,
        }
    })
    .await;
    let answer = match result {
        Ok(answer) => json!({"ok": true, "answer": answer}),
        Err(failure) => json!({"ok": false, "refusal": refusal(&failure)}),
    };
    json_response(StatusCode::OK, &answer)
}

fn asked(api: &Api, headers: &HeaderMap, bytes: &[u8]) -> Result<Asked, Denied> {
    let wrong = |message: String| {
        let expected = "{\"project\"?: text, \"tool\": text, \"arguments\": object, \"at\"?: whole number}";
        Denied::new(StatusCode::BAD_REQUEST, message, expected, "send exactly those members")
            .code(INVALID_REQUEST)
    };
    let body =
        strict_json::parse(bytes).map_err(|error| wrong(format!("the body is not strict JSON: {error}")))?;
    let Value::Object(mut members) = body else { return Err(wrong("the body is not an object".into())) };
    let project = match members.remove("project") {
        None | Some(Value::Null) => None,
        Some(Value::String(project)) => Some(project),
        Some(_) => return Err(wrong("\"project\" is not a text".into())),
    };
    let Some(Value::String(tool)) = members.remove("tool") else {
        return Err(wrong("\"tool\" is missing or not a text".into()));
    };
    let arguments = members.remove("arguments").unwrap_or_else(|| Value::Object(Map::new()));
    if !arguments.is_object() {
        return Err(wrong("\"arguments\" is not an object".into()));
    }
    let at = match members.remove("at") {
        None | Some(Value::Null) => None,
        Some(at) => Some(at.as_u64().ok_or_else(|| wrong("\"at\" is not a whole number".into()))?),
    };
    if let Some(unknown) = members.keys().next() {
        return Err(wrong(format!("{unknown:?} is not known here")));
    }
    let surface = api.surface(headers)?;
    let caller = caller::person(api.app.host.person(), surface, project, headers)?;
    Ok(Asked { caller, tool, arguments, at })
}

/// `GET /api/feed`: server-sent events until the owner closes or the client goes.
pub(crate) async fn feed(State(api): State<Api>) -> Response<Body> {
    let presence = api.app.activity.enter();
    let events = feed::messages(&api.app.host, &api.app.nonce).map(move |message| {
        let _here = &presence;
        Ok::<_, Infallible>(event(&message))
    });
    Sse::new(events.take_until(api.app.closing())).into_response()
}

fn event(message: &feed::Message) -> Event {
    let mut data = serde_json::to_value(message).unwrap_or_default();
    if let Some(data) = data.as_object_mut() {
        data.shift_remove("event");
    }
    Event::default().event(message.event()).data(data.to_string())
}

/// `POST /api/login-link`
pub(crate) async fn login_link(State(api): State<Api>, _uri: Uri) -> Response<Body> {
    match api.app.login_link() {
        Some(url) => json_response(StatusCode::OK, &json!({"url": url})),
        None => Denied::new(
            StatusCode::CONFLICT,
            "the running owner has no page for browsers",
            "an owner started with --ui",
            "use its window, or end it and start `tally serve --ui`",
        )
        .response(false),
    }
}
