//! Copilot CLI's event files: one event a line, each with an id and the id of the one before.

use super::{Dialect, Format, Outcome};
use crate::json::{as_text, list, number, readable, text, time, word};
use crate::out::Out;
use domain::event::{Decision, Role, Usage};
use serde_json::Value;

pub(super) const FORMAT: Format = Format { name: "copilot", claims, start: || Box::new(Copilot::default()) };

fn claims(record: &Value) -> bool {
    let dotted = text(record, "type").is_some_and(|kind| {
        matches!(
            kind,
            "session.start"
                | "assistant.message"
                | "assistant.turn_start"
                | "tool.execution_start"
                | "hook.start"
                | "user.message"
        )
    });
    dotted && record.get("data").is_some_and(Value::is_object)
}

/// Known, and of no use to who reads the run.
const OF_NO_USE: &[&str] = &[
    "hook.end",
    "hook.start",
    "session.auto_mode_resolved",
    "session.permissions_changed",
    "session.usage_checkpoint",
];

#[derive(Debug, Default)]
struct Copilot {
    session: String,
    turns: u64,
    model: Option<String>,
}

impl Dialect for Copilot {
    fn record(&mut self, record: Value, out: &mut Out) -> Outcome {
        let Some(kind) = text(&record, "type") else {
            return Outcome::Bad("it has no \"type\"; expected an event of a Copilot session".into());
        };
        let data = record.get("data").unwrap_or(&Value::Null);
        if let Some(session) = word(data, "sessionId").filter(|_| kind == "session.start") {
            session.clone_into(&mut self.session);
        }
        let at = record.get("timestamp").and_then(time);
        let session = out.record_of(&self.session, "copilot", at);
        let id = word(&record, "id");
        let call = word(data, "toolCallId");
        match kind {
            "session.start" => {
                session.version = word(data, "copilotVersion").map(str::to_owned);
                session.cwd = data.get("context").and_then(|context| word(context, "cwd")).map(str::to_owned);
            }
            "user.message" => out.said(id, Role::User, text(data, "content").unwrap_or_default()),
            "system.message" => out.said(id, Role::System, text(data, "content").unwrap_or_default()),
            "system.notification" => out.noted(id, kind, text(data, "content").unwrap_or_default()),
            "assistant.turn_start" => {
                self.turns += 1;
                out.turn_started(Some(&self.turns.to_string()), None);
            }
            "assistant.turn_end" => out.turn_ended(Some(&self.turns.to_string()), None, None),
            "abort" => out.turn_ended(id, word(data, "reason").or(Some("aborted")), None),
            "assistant.message" => self.answer(id, data, out),
            "tool.execution_start" => out.called(call, text(data, "toolName").unwrap_or_default(), None),
            "tool.execution_complete" => {
                let result = data.get("result").or_else(|| data.get("error")).unwrap_or(&Value::Null);
                let result = text(result, "message").map_or_else(|| readable(result), str::to_owned);
                match data.get("success") {
                    Some(Value::Bool(false)) => out.failed(call, None, &result, None),
                    _ => out.returned(call, None, &result, None),
                }
            }
            "permission.requested" | "permission.completed" => permission(data, out),
            "session.model_change" => {
                self.model = word(data, "newModel").map(str::to_owned);
                out.noted(id, kind, self.model.as_deref().unwrap_or_default());
            }
            "session.shutdown" => shutdown(id, data, out),
            "session.info" | "session.truncation" | "session.error" => {
                out.noted(id, kind, &word(data, "message").map_or_else(|| as_text(data), str::to_owned));
            }
            known => match OF_NO_USE.iter().find(|name| **name == known) {
                Some(name) => return Outcome::skipped(name),
                None => out.unknown(known, &record),
            },
        }
        Outcome::Mapped
    }
}

impl Copilot {
    fn answer(&self, id: Option<&str>, data: &Value, out: &mut Out) {
        let model = word(data, "model").or(self.model.as_deref());
        let words = text(data, "content").unwrap_or_default();
        if !words.is_empty() {
            out.said_by(id, words, model, None);
        }
        for call in list(data, "toolRequests") {
            let name = text(call, "name").unwrap_or_default();
            out.proposed(word(call, "toolCallId"), name, call.get("arguments"), model, None);
        }
    }
}

fn permission(data: &Value, out: &mut Out) {
    if let Some(asked) = data.get("permissionRequest") {
        let question = word(asked, "fullCommandText").or_else(|| word(asked, "intention"));
        return out.asked(word(asked, "toolCallId"), None, question);
    }
    let result = data.get("result").and_then(|result| text(result, "kind")).unwrap_or_default();
    let decision = if result.starts_with("approved") { Decision::Allowed } else { Decision::Denied };
    out.decided(word(data, "toolCallId"), None, decision, None, Some(result));
}

/// The tokens of the whole session stand at its end, model by model.
fn shutdown(id: Option<&str>, data: &Value, out: &mut Out) {
    for (model, told) in data.get("modelMetrics").and_then(Value::as_object).into_iter().flatten() {
        let told = told.get("usage").unwrap_or(&Value::Null);
        let usage = Usage {
            tokens_in: number(told, "inputTokens").unwrap_or(0),
            tokens_out: number(told, "outputTokens").unwrap_or(0),
            cache_read: number(told, "cacheReadTokens"),
            cache_write: number(told, "cacheWriteTokens"),
            cost_micros: None,
        };
        out.used(id, "tokens", model, usage);
    }
    out.noted(id, "session.shutdown", text(data, "shutdownType").unwrap_or_default());
}
