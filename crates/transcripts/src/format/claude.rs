//! Claude Code's session files: one JSON object a line, with side chains of sub-agents in the same
//! file, in records of progress, or in files of their own. The format is its maker's own affair and
//! changes: what is not known is kept as it came.

use super::{Dialect, Format, Outcome};
use crate::json::{as_text, list, number, readable, text, time, word};
use crate::out::{Out, plan_items, plan_status};
use domain::event::{Role, Usage};
use domain::plan::{PlanItem, PlanStatus};
use serde_json::Value;
use std::collections::HashMap;

pub(super) const FORMAT: Format =
    Format { name: "claude-code", claims, start: || Box::new(Claude::default()) };

/// Records that are known and that no reader of a run misses.
const OF_NO_USE: &[&str] = &[
    "agent-name",
    "atis-latch",
    "bridge-session",
    "file-history-snapshot",
    "frame-link",
    "last-prompt",
    "mode",
    "permission-mode",
    "queue-operation",
    "relocated",
    "result",
    "started",
    "summary",
    "worktree-state",
];

fn claims(record: &Value) -> bool {
    let Some(kind) = text(record, "type") else { return false };
    let session = text(record, "sessionId").is_some();
    match kind {
        // Those whose messages have parts are of other agents that write in the same manner.
        "user" | "assistant" => record.get("message").is_some_and(|message| {
            message.get("parts").is_none() && (session || message.get("content").is_some())
        }),
        "summary" => record.get("leafUuid").is_some(),
        "file-history-snapshot" => record.get("snapshot").is_some(),
        "system" | "progress" | "attachment" => session && record.get("uuid").is_some(),
        "tool_use" | "tool_result" => session,
        known => {
            session
                && (OF_NO_USE.contains(&known) || matches!(known, "ai-title" | "custom-title" | "pr-link"))
        }
    }
}

#[derive(Debug, Default)]
struct Claude {
    /// The session of the records before: some records name none.
    session: String,
    /// Calls that change the to-do list, until their result says that they did.
    pending: HashMap<String, (String, Value)>,
    /// The to-do list of each session that is kept by single tasks.
    tasks: HashMap<String, Vec<(String, PlanItem)>>,
}

impl Dialect for Claude {
    fn record(&mut self, record: Value, out: &mut Out) -> Outcome {
        if !record.is_object() {
            return Outcome::Bad("it is JSON, but no object; expected a record with a \"type\"".into());
        }
        self.speak(&record, out);
        let Some(kind) = text(&record, "type") else {
            out.unknown("record without a type", &record);
            return Outcome::Mapped;
        };
        match kind {
            "user" => self.user(&record, out),
            "assistant" => self.assistant(&record, out),
            "system" => system(&record, out),
            "progress" => self.progress(&record, out),
            "ai-title" | "custom-title" => title(&record, out),
            "pr-link" => {
                out.noted(None, "pull request", word(&record, "prUrl").unwrap_or_default());
                Outcome::Mapped
            }
            "attachment" => {
                let inner = record.get("attachment").unwrap_or(&Value::Null);
                let topic = format!("attachment {}", text(inner, "type").unwrap_or_default());
                out.noted(word(&record, "uuid"), topic.trim_end(), &as_text(inner));
                Outcome::Mapped
            }
            "tool_use" => {
                let id = word(&record, "uuid");
                out.proposed(id, text(&record, "name").unwrap_or_default(), record.get("input"), None, None);
                Outcome::Mapped
            }
            "tool_result" => {
                out.returned(None, word(&record, "name"), &readable(&record["output"]), None);
                Outcome::Mapped
            }
            known => match OF_NO_USE.iter().find(|name| **name == known) {
                Some(name) => Outcome::skipped(name),
                None => {
                    out.unknown(known, &record);
                    Outcome::Mapped
                }
            },
        }
    }
}

impl Claude {
    /// Whose record it is: the session's, or one of its sub-agents'.
    fn speak(&mut self, record: &Value, out: &mut Out) {
        if let Some(session) = word(record, "sessionId") {
            session.clone_into(&mut self.session);
        } else if self.session.is_empty() && record.get("message").is_some() {
            // A session that no record names is known by how it begins.
            let begin = crate::found::mark(&[&record.to_string()]);
            self.session = format!("unnamed {:032x}", u128::from_be_bytes(begin));
        }
        let at = record.get("timestamp").and_then(time);
        let side = record.get("isSidechain") == Some(&Value::Bool(true));
        let agent = word(record, "agentId").filter(|_| side || record.get("type") != Some(&"started".into()));
        let session = match agent {
            Some(agent) if side => format!("{}/{agent}", self.session),
            None if side => format!("{}/sidechain", self.session),
            _ => self.session.clone(),
        };
        self.speak_as(&session, side, at, record, out);
    }

    fn speak_as(
        &self,
        session: &str,
        side: bool,
        at: Option<domain::Timestamp>,
        record: &Value,
        out: &mut Out,
    ) {
        let known = out.record_of(session, "claude-code", at);
        if side && known.parent.is_none() {
            known.parent = Some(self.session.clone());
        }
        if known.version.is_none() {
            known.version = word(record, "version").map(str::to_owned);
        }
        if known.cwd.is_none() {
            known.cwd = word(record, "cwd").map(str::to_owned);
        }
    }

    fn user(&mut self, record: &Value, out: &mut Out) -> Outcome {
        let id = word(record, "uuid");
        let content = match record.get("message") {
            Some(message @ Value::Object(_)) => message.get("content").unwrap_or(&Value::Null),
            Some(text @ Value::String(_)) => text,
            _ => &Value::Null,
        };
        match content {
            Value::String(text) => said(record, id, text, out),
            Value::Array(blocks) if !blocks.is_empty() => {
                for block in blocks {
                    match text(block, "type") {
                        Some("tool_result") => self.tool_result(record, block, out),
                        _ => said(record, id, &readable(block), out),
                    }
                }
            }
            _ => out.unknown("user record without content", record),
        }
        Outcome::Mapped
    }

    fn tool_result(&mut self, record: &Value, block: &Value, out: &mut Out) {
        let call = word(block, "tool_use_id");
        let result = readable(block.get("content").unwrap_or(&Value::Null));
        let told = record.get("toolUseResult").unwrap_or(&Value::Null);
        let took = ["durationMs", "totalDurationMs"].iter().find_map(|name| number(told, name));
        if block.get("is_error") != Some(&Value::Bool(true)) {
            out.returned(call, None, &result, took);
            if let Some((tool, input)) = call.and_then(|call| self.pending.remove(call)) {
                self.plan(call, &tool, &input, told, &result, out);
            }
            return;
        }
        if let Some(call) = call {
            self.pending.remove(call);
        }
        let no = ["The user doesn't want to proceed", "The user doesn't want to take this action"];
        let denied = ["has been denied", "hasn't granted it yet", "haven't granted it yet"];
        if no.iter().any(|no| result.starts_with(no)) {
            out.denied(call, None, Some("person"), &result);
        } else if result.contains("ermission") && denied.iter().any(|denied| result.contains(denied)) {
            out.denied(call, None, Some("rule"), &result);
        } else {
            out.failed(call, None, &result, took);
        }
    }

    fn plan(
        &mut self,
        call: Option<&str>,
        tool: &str,
        input: &Value,
        told: &Value,
        result: &str,
        out: &mut Out,
    ) {
        let session = out.speaking().to_owned();
        let tasks = self.tasks.entry(session).or_default();
        match tool {
            "TodoWrite" => {
                out.plan(call, plan_items(list(input, "todos"), "content"));
                return;
            }
            "TaskCreate" => {
                let told_id = told.get("task").and_then(|task| task.get("id"));
                let id = told_id.map(as_text).or_else(|| number_after(result, '#'));
                let Some(id) = id else { return };
                let content = word(input, "subject").unwrap_or("(no subject)").trim().to_owned();
                tasks.push((id, PlanItem { content, status: PlanStatus::Pending }));
            }
            _ => {
                let id = input.get("taskId").map(as_text).unwrap_or_default();
                let Some(place) = tasks.iter().position(|(known, _)| *known == id) else { return };
                if text(input, "status") == Some("deleted") {
                    tasks.remove(place);
                } else {
                    if let Some(status) = text(input, "status") {
                        tasks[place].1.status = plan_status(status);
                    }
                    if let Some(subject) = word(input, "subject") {
                        subject.trim().clone_into(&mut tasks[place].1.content);
                    }
                }
            }
        }
        let mut items: Vec<PlanItem> = Vec::with_capacity(tasks.len());
        for (id, item) in tasks.iter() {
            let twice = items.iter().any(|known| known.content == item.content);
            let content = if twice { format!("{} (#{id})", item.content) } else { item.content.clone() };
            items.push(PlanItem { content, status: item.status });
        }
        out.plan(call, items);
    }

    fn assistant(&mut self, record: &Value, out: &mut Out) -> Outcome {
        let message = record.get("message").unwrap_or(&Value::Null);
        let (id, model) =
            (word(record, "uuid"), word(message, "model").filter(|model| *model != "<synthetic>"));
        let mut usage = usage(message).and_then(|usage| match word(message, "id") {
            Some(id) => out.usage_once(id, usage),
            None => Some(usage),
        });
        if record.get("isApiErrorMessage") == Some(&Value::Bool(true)) {
            out.noted(id, "error of the model's service", &readable(&message["content"]));
            return Outcome::Mapped;
        }
        let whole = [message.get("content").unwrap_or(&Value::Null).clone()];
        let blocks = message.get("content").and_then(Value::as_array).map_or(&whole[..], Vec::as_slice);
        for block in blocks {
            match text(block, "type") {
                Some("thinking") => {
                    out.thought(id, text(block, "thinking").unwrap_or_default(), model, usage.take());
                }
                Some("redacted_thinking") => out.thought(id, "[hidden by the provider]", model, usage.take()),
                Some("tool_use" | "server_tool_use" | "mcp_tool_use") => {
                    let (call, tool) = (word(block, "id"), text(block, "name").unwrap_or_default());
                    out.proposed(call, tool, block.get("input"), model, usage.take());
                    if let (Some(call), "TodoWrite" | "TaskCreate" | "TaskUpdate") = (call, tool) {
                        let input = block.get("input").cloned().unwrap_or_default();
                        self.pending.insert(call.to_owned(), (tool.to_owned(), input));
                    }
                }
                _ => out.said_by(id, &readable(block), model, usage.take()),
            }
        }
        if let Some(usage) = usage {
            out.used(id, "tokens", "", usage);
        }
        if word(message, "stop_reason") == Some("end_turn") {
            out.turn_ended(word(message, "id").or(id), Some("end_turn"), None);
        }
        Outcome::Mapped
    }

    /// Reports of work in progress; those of a sub-agent hold its whole messages.
    fn progress(&mut self, record: &Value, out: &mut Out) -> Outcome {
        let data = record.get("data").unwrap_or(&Value::Null);
        let inner = data.get("message").filter(|_| text(data, "type") == Some("agent_progress"));
        let Some(inner) = inner.filter(|inner| inner.get("message").is_some()) else {
            let name = format!("progress {}", text(data, "type").unwrap_or_default());
            return Outcome::Skipped(name.trim_end().to_owned().into());
        };
        let at = inner.get("timestamp").or_else(|| record.get("timestamp")).and_then(time);
        let agent = word(data, "agentId").or_else(|| word(record, "parentToolUseID")).unwrap_or("agent");
        self.speak_as(&format!("{}/{agent}", self.session), true, at, record, out);
        if out.session().title.is_none() {
            out.session().title = word(data, "prompt").map(|prompt| prompt.chars().take(120).collect());
        }
        match text(inner, "type") {
            Some("assistant") => self.assistant(inner, out),
            _ => self.user(inner, out),
        }
    }
}

fn said(record: &Value, id: Option<&str>, words: &str, out: &mut Out) {
    let is = |name: &str| record.get(name) == Some(&Value::Bool(true));
    if words.starts_with("[Request interrupted by user") {
        out.turn_ended(id, Some("interrupted"), None);
        return;
    }
    if is("isCompactSummary") {
        out.noted(id, "summary of what was compacted", words);
        return;
    }
    let put_in =
        is("isMeta") || words.starts_with("<local-command-") || words.starts_with("<system-reminder>");
    if put_in {
        out.said(id, Role::System, words);
        return;
    }
    out.turn_started(word(record, "promptId").or(id), Some(words));
    out.said(id, Role::User, words);
}

fn system(record: &Value, out: &mut Out) -> Outcome {
    let id = word(record, "uuid");
    let content = || match record.get("content") {
        Some(content) if !content.is_null() => readable(content),
        _ => record.get("error").filter(|error| !error.is_null()).map(as_text).unwrap_or_default(),
    };
    match text(record, "subtype") {
        Some("turn_duration") => {
            out.turn_ended(id, None, number(record, "durationMs"));
            Outcome::Mapped
        }
        Some("stop_hook_summary") => Outcome::skipped("system stop_hook_summary"),
        Some("session_start") => Outcome::skipped("system session_start"),
        Some(subtype) => {
            out.noted(id, &subtype.replace('_', " "), &content());
            Outcome::Mapped
        }
        None => {
            out.noted(id, "system", &content());
            Outcome::Mapped
        }
    }
}

fn title(record: &Value, out: &mut Out) -> Outcome {
    let told = ["customTitle", "aiTitle", "title"].iter().find_map(|name| word(record, name));
    out.session().title = told.map(str::to_owned).or(out.session().title.take());
    Outcome::skipped("title")
}

/// All tokens that went in, with those from the cache.
fn usage(message: &Value) -> Option<Usage> {
    let usage = message.get("usage")?;
    let plain = number(usage, "input_tokens");
    let (read, write) =
        (number(usage, "cache_read_input_tokens"), number(usage, "cache_creation_input_tokens"));
    let tokens_in = plain.unwrap_or(0) + read.unwrap_or(0) + write.unwrap_or(0);
    let tokens_out = number(usage, "output_tokens").unwrap_or(0);
    Some(Usage { tokens_in, tokens_out, cache_read: read, cache_write: write, cost_micros: None })
}

fn number_after(text: &str, sign: char) -> Option<String> {
    let (_, rest) = text.split_once(sign)?;
    let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
    (!digits.is_empty()).then_some(digits)
}
