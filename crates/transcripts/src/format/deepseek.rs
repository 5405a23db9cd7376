//! deepseek-harness session logs: one event a line, with the model's stream in packed chunks. Whole
//! messages follow their chunks; the chunks speak only where no whole message came.

use super::{Dialect, Format, Outcome};
use crate::json::{as_text, list, number, readable, text, time, word};
use crate::out::{Out, plan_items};
use crate::pieces::{Block, Blocks, Part, Piece};
use domain::event::{Decision, Role, Usage};
use serde_json::Value;

pub(super) const FORMAT: Format =
    Format { name: "deepseek-harness", claims, start: || Box::new(Deepseek::default()) };

fn claims(record: &Value) -> bool {
    let kind = text(record, "type");
    (kind == Some("session") && record.get("createdAt").is_some() && text(record, "id").is_some())
        || (kind.is_some_and(|kind| kind.contains('/')) && record.get("data").is_some_and(Value::is_object))
}

/// Known, and of no use to who reads the run.
const OF_NO_USE: &[&str] = &[
    "agent/inbox/spliced",
    "approval/policy",
    "compaction/start",
    "plan/mode",
    "request/context",
    "request/header",
    "sandbox/mode",
    "session/end-seed",
    "session/title-llm-request",
    "step/end",
    "step/start",
    "tool-workflow/agent-end",
    "tool-workflow/agent-start",
];

#[derive(Debug, Default)]
struct Deepseek {
    session: String,
    /// The answer that is being streamed.
    stream: Blocks,
    turn: u64,
}

impl Dialect for Deepseek {
    fn record(&mut self, record: Value, out: &mut Out) -> Outcome {
        let Some(kind) = text(&record, "type") else {
            return Outcome::Bad(
                "it has no \"type\"; expected a record of a deepseek-harness session".into(),
            );
        };
        let at =
            ["at", "time", "timestamp", "createdAt"].iter().find_map(|name| record.get(*name)).and_then(time);
        if kind == "session" {
            return self.start(&record, at, out);
        }
        out.record_of(&self.session, "deepseek-harness", at);
        self.event(kind, record.get("data").unwrap_or(&Value::Null), &record, out)
    }

    fn end(&mut self, out: &mut Out) {
        self.cut(out);
    }
}

impl Deepseek {
    fn start(&mut self, record: &Value, at: Option<domain::Timestamp>, out: &mut Out) -> Outcome {
        let id = word(record, "id").unwrap_or_default();
        // Recorded examples have a placeholder here; the time of creation tells them apart.
        self.session = match (id.contains("{{"), record.get("createdAt")) {
            (true, Some(created)) => format!("{id}@{created}"),
            _ => id.to_owned(),
        };
        let session = out.record_of(&self.session, "deepseek-harness", at);
        session.cwd = word(record, "cwd").map(str::to_owned);
        session.parent = word(record, "parentSession").map(str::to_owned);
        Outcome::Mapped
    }

    fn event(&mut self, kind: &str, data: &Value, record: &Value, out: &mut Out) -> Outcome {
        let call = || word(data, "callId").or_else(|| word(data, "subCallId"));
        match kind {
            "turn/start" => {
                self.cut(out);
                self.turn = number(data, "turn").unwrap_or(0);
                out.turn_started(Some(&self.turn.to_string()), None);
            }
            "turn/end" => {
                self.cut(out);
                let reason =
                    data.get("reason").map(|reason| text(reason, "kind").unwrap_or_default().to_owned());
                out.turn_ended(
                    Some(&number(data, "turn").unwrap_or(self.turn).to_string()),
                    reason.as_deref(),
                    None,
                );
            }
            "user/message" => {
                let from = data.get("source").and_then(|source| text(source, "kind"));
                let role = if from == Some("user") { Role::User } else { Role::System };
                out.said(word(data, "id"), role, &readable(&data["content"]));
            }
            "assistant/message" => self.answer(data, out),
            "assistant/chunk" => return self.chunk(data.get("chunk").unwrap_or(&Value::Null)),
            "reasoning-chunks" | "text-chunks" | "tool-call-chunks" => return self.packed(kind, data),
            "tool/call" | "tool/code-dispatch-start" => {
                out.called(call(), text(data, "name").unwrap_or_default(), data.get("arguments"));
            }
            "tool/result" => result(data, out),
            "tool/code-dispatch" => {
                let result = readable(&data["content"]);
                match data.get("isError") {
                    Some(Value::Bool(true)) => out.failed(call(), word(data, "name"), &result, None),
                    _ => out.returned(call(), word(data, "name"), &result, None),
                }
            }
            "approval/asked" => out.asked(call(), word(data, "toolName"), word(data, "reason")),
            "approval/decided" => {
                let allowed = word(data, "outcome").is_some_and(|outcome| outcome.starts_with("allowed"));
                let decision = if allowed { Decision::Allowed } else { Decision::Denied };
                out.decided(word(data, "id"), word(data, "toolName"), decision, None, word(data, "outcome"));
            }
            "todo/write" => out.plan(None, plan_items(list(data, "todos"), "content")),
            "session/title" => {
                out.session().title = word(data, "title").map(str::to_owned);
                return Outcome::skipped("title");
            }
            "compaction/summary" => out.noted(word(data, "compactionId"), kind, &readable(&data["summary"])),
            "command/run"
            | "command/done"
            | "permission/preset"
            | "goal/change"
            | "subagent/descriptor"
            | "hook/invoked"
            | "hook/result"
            | "compaction/end"
            | "tool-workflow/run-start"
            | "tool-workflow/run-end" => {
                out.noted(None, kind, &as_text(data));
            }
            known => match OF_NO_USE.iter().find(|name| **name == known) {
                Some(name) => return Outcome::skipped(name),
                None => out.unknown(known, record),
            },
        }
        Outcome::Mapped
    }

    /// The whole answer: what was streamed of it is in it.
    fn answer(&mut self, data: &Value, out: &mut Out) {
        self.stream = Blocks::default();
        let message = data.get("message").unwrap_or(&Value::Null);
        let id = word(message, "id");
        let model = message.get("source").and_then(|source| word(source, "model"));
        let mut usage = data.get("usage").map(usage);
        for block in list(message, "content") {
            match text(block, "type") {
                Some("reasoning") => {
                    out.thought(id, text(block, "text").unwrap_or_default(), model, usage.take());
                }
                Some("tool-call") => {
                    let name = text(block, "name").unwrap_or_default();
                    out.proposed(word(block, "id"), name, block.get("arguments"), model, usage.take());
                }
                _ => out.said_by(id, &readable(block), model, usage.take()),
            }
        }
        if let Some(usage) = usage {
            out.used(id, "tokens", "", usage);
        }
    }

    fn chunk(&mut self, chunk: &Value) -> Outcome {
        let name = text(chunk, "type").unwrap_or_default();
        let block = number(chunk, "index").unwrap_or(0);
        let words = || text(chunk, "text").unwrap_or_default().to_owned();
        let part = match name {
            "text-delta" => Part::Said(words()),
            "reasoning-delta" => Part::Thought(words()),
            "tool-call-delta" => Part::Call {
                id: word(chunk, "id").map(str::to_owned),
                name: word(chunk, "name").map(str::to_owned),
                arguments: text(chunk, "argumentsDelta").unwrap_or_default().to_owned(),
            },
            "block-end" => Part::Close,
            _ => return Outcome::skipped("stream chunk"),
        };
        self.stream.add(Piece { block, nth: self.stream.next(block), part });
        Outcome::skipped("stream chunk")
    }

    /// Many chunks of one block in one record.
    fn packed(&mut self, kind: &str, data: &Value) -> Outcome {
        let block = number(data, "index").unwrap_or(0);
        let name = if kind == "tool-call-chunks" { "args" } else { "texts" };
        for words in list(data, name) {
            let words = words.as_str().unwrap_or_default().to_owned();
            let part = match kind {
                "reasoning-chunks" => Part::Thought(words),
                "text-chunks" => Part::Said(words),
                _ => Part::Call {
                    id: word(data, "id").map(str::to_owned),
                    name: word(data, "name").map(str::to_owned),
                    arguments: words,
                },
            };
            self.stream.add(Piece { block, nth: self.stream.next(block), part });
        }
        Outcome::skipped("stream chunk")
    }

    /// The stream broke off: what was whole was said; a call that was not whole is an interrupted call.
    fn cut(&mut self, out: &mut Out) {
        let mut stream = std::mem::take(&mut self.stream);
        for block in stream.whole() {
            match block {
                Block::Said(text) => out.said_by(None, &text, None, None),
                Block::Thought(text) => out.thought(None, &text, None, None),
                Block::Call { id, name, arguments } => {
                    out.proposed(id.as_deref(), &name, Some(&Value::String(arguments)), None, None);
                }
            }
        }
        for block in stream.interrupted() {
            match block {
                Block::Said(text) => out.said_by(None, &text, None, None),
                Block::Thought(text) => out.thought(None, &text, None, None),
                Block::Call { id, name, .. } => {
                    out.interrupted(
                        id.as_deref(),
                        &name,
                        "the stream ended within the arguments of this call",
                    );
                }
            }
        }
    }
}

fn result(data: &Value, out: &mut Out) {
    for block in data.get("message").map_or(&[][..], |message| list(message, "content")) {
        let call = word(block, "toolCallId");
        let result = readable(block.get("content").unwrap_or(&Value::Null));
        match block.get("isError") {
            Some(Value::Bool(true)) => out.failed(call, None, &result, None),
            _ => out.returned(call, None, &result, None),
        }
    }
}

/// All tokens that went in, with those from the cache.
fn usage(told: &Value) -> Usage {
    let read = number(told, "cacheReadTokens");
    let tokens_in = number(told, "inputTokens").unwrap_or(0) + read.unwrap_or(0);
    let tokens_out = number(told, "outputTokens").unwrap_or(0);
    Usage { tokens_in, tokens_out, cache_read: read, cache_write: None, cost_micros: None }
}
