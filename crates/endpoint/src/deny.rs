//! What a door says when it does not let a request through: what happened, what was expected, and
//! the way out, as JSON (JSON-RPC shaped at `/mcp`), without any header that would help a web page.

use axum::body::Body;
use axum::http::{HeaderValue, Response, StatusCode, header};
use serde_json::{Value, json};

/// JSON-RPC's own codes, for messages that were read and are not well formed.
pub(crate) const PARSE_ERROR: i64 = -32700;
pub(crate) const INVALID_REQUEST: i64 = -32600;
pub(crate) const METHOD_NOT_FOUND: i64 = -32601;
pub(crate) const INVALID_PARAMS: i64 = -32602;

/// A refusal before any handler.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Denied {
    pub status: StatusCode,
    /// JSON-RPC's code; the HTTP status where JSON-RPC has none (ours stay outside its range).
    pub code: i64,
    pub message: String,
    pub expected: String,
    pub fix: String,
    /// For `405`: what the path does take.
    pub allow: Option<&'static str>,
    /// The id of the message it answers, once that was read.
    pub id: Value,
}

impl Denied {
    pub(crate) fn new(
        status: StatusCode,
        message: impl Into<String>,
        expected: impl Into<String>,
        fix: impl Into<String>,
    ) -> Denied {
        let code = i64::from(status.as_u16());
        let (message, expected, fix) = (message.into(), expected.into(), fix.into());
        Denied { status, code, message, expected, fix, allow: None, id: Value::Null }
    }

    pub(crate) fn code(mut self, code: i64) -> Denied {
        self.code = code;
        self
    }

    pub(crate) fn answering(mut self, id: &Value) -> Denied {
        self.id = id.clone();
        self
    }

    /// For `/mcp` and for the bridge's standard output.
    pub(crate) fn rpc(&self) -> Value {
        let Denied { code, message, expected, fix, id, .. } = self;
        let told = format!("{message}. Expected: {expected}. Fix: {fix}.");
        json!({"jsonrpc": "2.0", "id": id, "error": {
            "code": code, "message": told, "data": {"problem": message, "expected": expected, "fix": fix},
        }})
    }

    /// For all other paths.
    fn plain(&self) -> Value {
        let Denied { code, message, expected, fix, .. } = self;
        json!({"error": {"code": code, "message": message, "expected": expected, "fix": fix}})
    }

    pub(crate) fn response(&self, as_rpc: bool) -> Response<Body> {
        let body = if as_rpc { self.rpc() } else { self.plain() };
        let mut response = json_response(self.status, &body);
        if let Some(allow) = self.allow {
            response.headers_mut().insert(header::ALLOW, HeaderValue::from_static(allow));
        }
        if self.status == StatusCode::UNAUTHORIZED {
            response.headers_mut().insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        response
    }
}

pub(crate) fn json_response(status: StatusCode, body: &Value) -> Response<Body> {
    let mut response = Response::new(Body::from(body.to_string()));
    *response.status_mut() = status;
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}
