//! Qwen Code's sessions: lines with the envelope of Claude Code's and the messages of Gemini's, in parts.

use super::{Dialect, Format, Outcome};
use crate::json::{list, number, readable, text, time, word};
use crate::out::{Out, plan_items};
use domain::event::{Role, Usage};
use serde_json::Value;
use std::collections::HashMap;

pub(super) const FORMAT: Format = Format { name: "qwen", claims, start: || Box::new(Qwen::default()) };

fn claims(record: &Value) -> bool {
    let parts = record.get("message").is_some_and(|message| message.get("parts").is_some());
    let telemetry = record.get("systemPayload").is_some() && text(record, "type") == Some("system");
    text(record, "sessionId").is_some() && (parts || telemetry)
}

#[derive(Debug, Default)]
struct Qwen {
    session: String,
    /// To-do lists until their result says that they were taken.
    plans: HashMap<String, Value>,
}

impl Dialect for Qwen {
    fn record(&mut self, record: Value, out: &mut Out) -> Outcome {
        if !record.is_object() {
            return Outcome::Bad("it is JSON, but no object; expected a record with a \"type\"".into());
        }
        if let Some(session) = word(&record, "sessionId") {
            session.clone_into(&mut self.session);
        }
        let known = out.record_of(&self.session, "qwen", record.get("timestamp").and_then(time));
        known.version = known.version.take().or_else(|| word(&record, "version").map(str::to_owned));
        known.cwd = known.cwd.take().or_else(|| word(&record, "cwd").map(str::to_owned));
        let id = word(&record, "uuid");
        let parts = record.get("message").map_or(&[][..], |message| list(message, "parts"));
        match text(&record, "type").unwrap_or_default() {
            "user" => {
                let words = parts.iter().map(readable).collect::<Vec<_>>().join("\n");
                out.turn_started(id, Some(&words));
                out.said(id, Role::User, &words);
            }
            "assistant" => self.answer(&record, id, parts, out),
            "tool_result" => self.result(&record, parts, out),
            "system" => {
                return match text(&record, "subtype") {
                    Some("ui_telemetry") => Outcome::skipped("system ui_telemetry"),
                    Some("attribution_snapshot") => Outcome::skipped("system attribution_snapshot"),
                    subtype => {
                        out.noted(id, subtype.unwrap_or("system"), &readable(&record["systemPayload"]));
                        Outcome::Mapped
                    }
                };
            }
            other => out.unknown(if other.is_empty() { "record without a type" } else { other }, &record),
        }
        Outcome::Mapped
    }
}

impl Qwen {
    fn answer(&mut self, record: &Value, id: Option<&str>, parts: &[Value], out: &mut Out) {
        let model = word(record, "model");
        let mut usage = record.get("usageMetadata").map(usage);
        for part in parts {
            if let Some(call) = part.get("functionCall") {
                let (call_id, name) = (word(call, "id"), text(call, "name").unwrap_or_default());
                out.proposed(call_id, name, call.get("args"), model, usage.take());
                if let (Some(call_id), "todo_write") = (call_id, name) {
                    self.plans.insert(call_id.to_owned(), call.get("args").cloned().unwrap_or_default());
                }
            } else if part.get("thought") == Some(&Value::Bool(true)) {
                out.thought(id, &readable(part), model, usage.take());
            } else {
                out.said_by(id, &readable(part), model, usage.take());
            }
        }
        if let Some(usage) = usage {
            out.used(id, "tokens", "", usage);
        }
    }

    fn result(&mut self, record: &Value, parts: &[Value], out: &mut Out) {
        let told = record.get("toolCallResult").unwrap_or(&Value::Null);
        for part in parts {
            let Some(response) = part.get("functionResponse") else { continue };
            let call = word(response, "id").or_else(|| word(told, "callId"));
            let result = readable(response.get("response").unwrap_or(&Value::Null));
            let (status, name) = (text(told, "status"), word(response, "name"));
            match status {
                Some("cancelled") => out.denied(call, name, Some("person"), &result),
                // What its own check refused never ran.
                Some("error") if text(told, "executionStatus") == Some("not_started") => {
                    out.denied(call, name, Some("rule"), text(told, "resultDisplay").unwrap_or(&result));
                }
                Some("error") => out.failed(call, name, &result, None),
                _ => {
                    out.returned(call, name, &result, None);
                    if let Some(plan) = call.and_then(|call| self.plans.remove(call)) {
                        out.plan(call, plan_items(list(&plan, "todos"), "content"));
                    }
                }
            }
        }
    }
}

fn usage(told: &Value) -> Usage {
    let count = |name: &str| number(told, name).unwrap_or(0);
    Usage {
        tokens_in: count("promptTokenCount"),
        tokens_out: count("candidatesTokenCount") + count("thoughtsTokenCount"),
        cache_read: number(told, "cachedContentTokenCount"),
        ..Usage::default()
    }
}
