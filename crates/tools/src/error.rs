//! What a call answers: the text a model reads, the same thing structured, or a refusal it can
//! repair from in one try.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use ts_rs::TS;

/// An accepted call.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Answer {
    pub text: String,
    #[ts(type = "unknown")]
    pub structured: Value,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Code {
    InvalidInput,
    NotFound,
    Stale,
    IdempotencyMismatch,
    Cycle,
    PolicyDenied,
    TooLarge,
    RateLimited,
    StoreUnavailable,
    Internal,
}

/// One thing wrong with the input: where, what came, what was expected, what to send instead.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Issue {
    pub path: String,
    pub problem: String,
    #[ts(type = "unknown")]
    pub got: Value,
    pub expected: String,
    pub fix: String,
}

/// A refused call, whole. `to_text` is what goes into `content[0].text`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Refusal {
    pub code: Code,
    pub message: String,
    pub issues: Vec<Issue>,
    /// The task as it is now (STALE).
    #[serde(skip_serializing_if = "Option::is_none", default)]
    #[ts(type = "TaskFields | null", optional)]
    pub current: Option<Value>,
    /// The call to send instead (STALE, and where one is known).
    #[serde(skip_serializing_if = "Option::is_none", default)]
    #[ts(type = "{ tool: string; arguments: Record<string, unknown> } | null", optional)]
    pub retry: Option<Value>,
}

/// How a call can fail to be accepted.
#[derive(Debug, Clone, PartialEq)]
pub enum Failure {
    /// Answered as an `isError` result.
    Refused(Refusal),
    /// No such tool: answered as a JSON-RPC error (-32602).
    UnknownTool { name: String, message: String },
}
