//! What a call answers: the text a model reads, the same thing structured, or a refusal it can
//! repair from in one try.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use ts_rs::TS;

/// An accepted call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
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

impl Code {
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Code::InvalidInput => "INVALID_INPUT",
            Code::NotFound => "NOT_FOUND",
            Code::Stale => "STALE",
            Code::IdempotencyMismatch => "IDEMPOTENCY_MISMATCH",
            Code::Cycle => "CYCLE",
            Code::PolicyDenied => "POLICY_DENIED",
            Code::TooLarge => "TOO_LARGE",
            Code::RateLimited => "RATE_LIMITED",
            Code::StoreUnavailable => "STORE_UNAVAILABLE",
            Code::Internal => "INTERNAL",
        }
    }
}

impl Refusal {
    #[must_use]
    pub fn new(code: Code, message: impl Into<String>) -> Refusal {
        Refusal { code, message: message.into(), issues: Vec::new(), current: None, retry: None }
    }

    #[must_use]
    pub fn issue(
        mut self,
        path: impl Into<String>,
        problem: impl Into<String>,
        got: Value,
        expected: impl Into<String>,
        fix: impl Into<String>,
    ) -> Refusal {
        let (path, problem, expected, fix) = (path.into(), problem.into(), expected.into(), fix.into());
        self.issues.push(Issue { path, problem, got, expected, fix });
        self
    }

    /// What the model reads: the whole error in plain lines.
    #[must_use]
    pub fn to_text(&self) -> String {
        let mut text = format!("{}: {}", self.code.as_str(), self.message);
        for (index, issue) in self.issues.iter().enumerate() {
            let Issue { path, problem, got, expected, fix } = issue;
            let place = if path.is_empty() { "the call" } else { path };
            let came = if got.is_null() { String::new() } else { format!(" Got: {}.", plain(got)) };
            let number = index + 1;
            text.push_str(&format!(
                "\n{number}. {place}: {problem}.{came} Expected: {expected}. Fix: {fix}."
            ));
        }
        if let Some(retry) = &self.retry {
            let tool = retry["tool"].as_str().unwrap_or_default();
            let mut arguments = Vec::new();
            flatten("", &retry["arguments"], &mut arguments);
            text.push_str(&format!("\nCall again: {tool} with {}.", arguments.join(", ")));
        }
        text
    }
}

/// A value without JSON's braces, for reading.
fn plain(value: &Value) -> String {
    match value {
        Value::Array(items) => format!("[{}]", items.iter().map(plain).collect::<Vec<_>>().join(", ")),
        Value::Object(_) => {
            let mut parts = Vec::new();
            flatten("", value, &mut parts);
            if parts.is_empty() { "nothing".into() } else { parts.join(", ") }
        }
        other => other.to_string(),
    }
}

/// `id = "3", patch.status = "done"`
fn flatten(path: &str, value: &Value, out: &mut Vec<String>) {
    match value {
        Value::Object(map) => {
            for (name, value) in map {
                let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
                flatten(&path, value, out);
            }
        }
        other => out.push(format!("{path} = {}", plain(other))),
    }
}
