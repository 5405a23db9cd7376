//! Gemini CLI's sessions: one JSON document with all messages, or lines of messages and of patches
//! (`$set`) that tell them again. A message grows: its calls come after its words.

use super::{Dialect, Format, Outcome};
use crate::json::{list, number, readable, text, time, word};
use crate::out::{Out, plan_items};
use domain::event::{Role, Usage};
use serde_json::Value;

pub(super) const FORMAT: Format = Format { name: "gemini", claims, start: || Box::new(Gemini::default()) };

fn claims(record: &Value) -> bool {
    (text(record, "projectHash").is_some() && text(record, "sessionId").is_some())
        || (text(record, "type") == Some("gemini") && text(record, "id").is_some())
}

#[derive(Debug, Default)]
struct Gemini {
    session: String,
}

impl Dialect for Gemini {
    /// A document gives its head, then each of its messages; a patch gives those that it sets.
    fn items(&mut self, mut value: Value) -> Vec<Value> {
        if let Some(Value::Array(messages)) = value.get_mut("messages").map(Value::take) {
            return std::iter::once(value).chain(messages).collect();
        }
        vec![value]
    }

    fn record(&mut self, record: Value, out: &mut Out) -> Outcome {
        if !record.is_object() {
            return Outcome::Bad(
                "it is JSON, but no object; expected a message or the head of a session".into(),
            );
        }
        if let Some(session) = word(&record, "sessionId") {
            session.clone_into(&mut self.session);
            let at = record.get("startTime").and_then(time);
            out.record_of(&self.session, "gemini", at);
            return Outcome::Mapped;
        }
        if let Some(set) = record.get("$set") {
            let before = out.count();
            for message in list(set, "messages") {
                self.message(message, out);
            }
            let name = "patch without news";
            return if out.count() > before { Outcome::Mapped } else { Outcome::skipped(name) };
        }
        let before = out.count();
        let known = self.message(&record, out);
        match (known, out.count() > before) {
            (true, true) => Outcome::Mapped,
            (true, false) => Outcome::skipped("message told before"),
            (false, _) => {
                out.record_of(&self.session, "gemini", record.get("timestamp").and_then(time));
                out.unknown(text(&record, "type").unwrap_or("record without a type"), &record);
                Outcome::Mapped
            }
        }
    }
}

impl Gemini {
    /// `false`: it is no message that we know.
    fn message(&self, message: &Value, out: &mut Out) -> bool {
        let Some(kind @ ("user" | "gemini" | "info" | "warning" | "error")) = text(message, "type") else {
            return false;
        };
        out.record_of(&self.session, "gemini", message.get("timestamp").and_then(time));
        let id = word(message, "id");
        let content = readable(message.get("content").unwrap_or(&Value::Null));
        let fresh = |out: &mut Out, what: &str| out.first(&[what, id.unwrap_or_default(), &content]);
        match kind {
            "user" => {
                if fresh(out, "user") {
                    if content.trim_start().starts_with("<session_context>") {
                        out.said(id, Role::System, &content);
                    } else {
                        out.turn_started(id, Some(&content));
                        out.said(id, Role::User, &content);
                    }
                }
            }
            "gemini" => self.answer(message, id, &content, out),
            _ => {
                if fresh(out, "note") {
                    out.noted(id, kind, &content);
                }
            }
        }
        true
    }

    fn answer(&self, message: &Value, id: Option<&str>, content: &str, out: &mut Out) {
        let model = word(message, "model");
        let mut usage =
            message.get("tokens").map(usage).and_then(|usage| out.usage_once(id.unwrap_or(content), usage));
        for thought in list(message, "thoughts") {
            let words = [text(thought, "subject"), text(thought, "description")];
            let words = words.into_iter().flatten().collect::<Vec<_>>().join("\n");
            if out.first(&["thought", id.unwrap_or_default(), &words]) {
                out.thought(id, &words, model, usage.take());
            }
        }
        if !content.is_empty() && out.first(&["said", id.unwrap_or_default(), content]) {
            out.said_by(id, content, model, usage.take());
        }
        for call in list(message, "toolCalls") {
            self.call(call, model, &mut usage, out);
        }
        if let Some(usage) = usage {
            out.used(id, "tokens", "", usage);
        }
    }

    fn call(&self, call: &Value, model: Option<&str>, usage: &mut Option<Usage>, out: &mut Out) {
        let id = word(call, "id");
        let name = text(call, "name").unwrap_or_default();
        let again = id.unwrap_or(name);
        if out.first(&["proposed", again]) {
            out.proposed(id, name, call.get("args"), model, usage.take());
        }
        let parts = list(call, "result").iter().filter_map(|part| part.pointer("/functionResponse/response"));
        let result = parts.map(readable).collect::<Vec<_>>().join("\n");
        let status = text(call, "status").unwrap_or_default();
        if !matches!(status, "success" | "error" | "cancelled") || !out.first(&["closed", again]) {
            return;
        }
        out.record_of(&self.session, "gemini", call.get("timestamp").and_then(time));
        match status {
            "success" => {
                out.returned(id, Some(name), &result, None);
                if name == "write_todos" {
                    out.plan(id, plan_items(list(&call["args"], "todos"), "description"));
                }
            }
            "cancelled" => out.denied(id, Some(name), Some("person"), &result),
            _ => out.failed(id, Some(name), &result, None),
        }
    }
}

/// All tokens that went in, with those from the cache; thoughts went out.
fn usage(tokens: &Value) -> Usage {
    let count = |name: &str| number(tokens, name).unwrap_or(0);
    Usage {
        tokens_in: count("input") + count("tool"),
        tokens_out: count("output") + count("thoughts"),
        cache_read: number(tokens, "cached"),
        ..Usage::default()
    }
}
