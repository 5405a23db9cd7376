//! Codex rollouts, old and new, and what `codex exec --json` prints: one JSON object a line. The same
//! words stand in a rollout twice, as items of the model's context and as messages to the screen.

use super::{Dialect, Format, Outcome};
use crate::json::{as_text, list, number, readable, text, time, word};
use crate::out::{Out, plan_items};
use domain::event::{Role, Usage};
use serde_json::{Value, json};
use std::collections::{HashMap, HashSet};

pub(super) const FORMAT: Format = Format { name: "codex", claims, start: || Box::new(Codex::default()) };

fn claims(record: &Value) -> bool {
    let payload = record.get("payload").is_some_and(Value::is_object);
    match text(record, "type") {
        Some(
            "session_meta" | "response_item" | "event_msg" | "turn_context" | "compacted" | "world_state",
        ) => payload,
        Some("thread.started") => text(record, "thread_id").is_some(),
        Some("item.completed" | "item.started") => record.get("item").is_some(),
        Some("turn.completed") => record.get("usage").is_some(),
        // The oldest rollouts begin with a line without a type.
        None => {
            text(record, "id").is_some()
                && text(record, "timestamp").is_some()
                && record.get("instructions").is_some()
        }
        _ => false,
    }
}

/// Records that are known and say nothing that another record does not say.
const TOLD_ELSEWHERE: &[&str] = &[
    "agent_message_delta",
    "agent_reasoning_delta",
    "collab_waiting_end",
    "exec_command_begin",
    "exec_command_output_delta",
    "ghost_snapshot",
    "inter_agent_communication_metadata",
    "mcp_tool_call_begin",
    "patch_apply_begin",
    "thread_settings_applied",
    "token_usage_record",
    "turn_diff",
    "world_state",
];

#[derive(Debug, Default)]
struct Codex {
    session: String,
    model: Option<String>,
    /// How often words were said, in the context and on the screen.
    said: HashMap<String, (u32, u32)>,
    /// Calls of which an event said that they failed.
    failed: HashSet<String>,
    /// Plans until the answer says that they were taken.
    plans: HashMap<String, Value>,
}

impl Dialect for Codex {
    fn record(&mut self, record: Value, out: &mut Out) -> Outcome {
        if !record.is_object() {
            return Outcome::Bad("it is JSON, but no object; expected a record with a \"type\"".into());
        }
        let at = record.get("timestamp").or_else(|| record.get("created_at")).and_then(time);
        let payload = record.get("payload").unwrap_or(&record);
        if let Some("session_meta") = text(&record, "type") {
            self.meta(payload, at, out);
            return Outcome::Mapped;
        }
        if let (None, true) = (text(&record, "type"), record.get("instructions").is_some()) {
            self.meta(&record, at, out);
            return Outcome::Mapped;
        }
        if let Some(thread) =
            word(&record, "thread_id").filter(|_| text(&record, "type") == Some("thread.started"))
        {
            thread.clone_into(&mut self.session);
        }
        out.record_of(&self.session, "codex", at);
        match text(&record, "type") {
            Some("turn_context") => {
                self.model = word(payload, "model").map(str::to_owned).or(self.model.take());
                let session = out.session();
                session.cwd = session.cwd.take().or_else(|| word(payload, "cwd").map(str::to_owned));
                Outcome::skipped("turn_context")
            }
            Some("response_item") => self.item(payload, out),
            Some("event_msg") => self.event(payload, out),
            Some("compacted") => {
                out.noted(None, "compacted", word(payload, "message").unwrap_or_default());
                Outcome::Mapped
            }
            Some(
                "thread.started" | "turn.started" | "item.started" | "item.updated" | "item.completed"
                | "turn.completed" | "turn.failed",
            ) => Codex::printed(&record, out),
            Some(known) => match TOLD_ELSEWHERE.iter().find(|name| **name == known) {
                Some(name) => Outcome::skipped(name),
                None => self.item(&record, out),
            },
            None if record.get("record_type").is_some() => Outcome::skipped("state"),
            None => self.item(&record, out),
        }
    }
}

impl Codex {
    fn meta(&mut self, meta: &Value, at: Option<domain::Timestamp>, out: &mut Out) {
        let id = word(meta, "id").unwrap_or_default();
        // A fork repeats the session it came from, with its first record.
        if self.session.is_empty() {
            id.clone_into(&mut self.session);
        }
        let session = out.record_of(&self.session, "codex", at);
        if id != self.session {
            return;
        }
        session.cwd = session.cwd.take().or_else(|| word(meta, "cwd").map(str::to_owned));
        session.version = session.version.take().or_else(|| word(meta, "cli_version").map(str::to_owned));
        let spawned = meta.pointer("/source/subagent/thread_spawn/parent_thread_id").and_then(Value::as_str);
        let parent =
            spawned.or_else(|| word(meta, "parent_thread_id")).or_else(|| word(meta, "forked_from_id"));
        session.parent = parent.map(str::to_owned);
    }

    /// Whether these words were not told yet: the context and the screen each say them once.
    fn fresh(&mut self, on_screen: bool, kind: &str, words: &str) -> bool {
        let (context, screen) = self.said.entry(format!("{kind}\n{}", words.trim())).or_default();
        let (mine, other) = if on_screen { (screen, context) } else { (context, screen) };
        *mine += 1;
        *mine > *other
    }

    fn say(&mut self, on_screen: bool, role: Role, words: &str, out: &mut Out) {
        if words.trim().is_empty() || !self.fresh(on_screen, role.as_str(), words) {
            return;
        }
        match role {
            Role::Assistant => out.said_by(None, words, self.model.as_deref(), None),
            role => out.said(None, role, words),
        }
    }

    fn think(&mut self, on_screen: bool, words: &str, out: &mut Out) {
        if !words.trim().is_empty() && self.fresh(on_screen, "thought", words) {
            out.thought(None, words, self.model.as_deref(), None);
        }
    }

    /// What went into the model's context, or came out of the model.
    fn item(&mut self, item: &Value, out: &mut Out) -> Outcome {
        let kind = text(item, "type").unwrap_or(if item.get("role").is_some() { "message" } else { "" });
        let call = word(item, "call_id").or_else(|| word(item, "id"));
        match kind {
            "message" => {
                let content = item.get("content").or_else(|| item.get("message")).unwrap_or(&Value::Null);
                let words = readable(content);
                let role = match text(item, "role") {
                    Some("assistant") => Role::Assistant,
                    Some("user") if !put_in(&words) => Role::User,
                    _ => Role::System,
                };
                self.say(false, role, &words, out);
            }
            "reasoning" => {
                let told = list(item, "summary").iter().map(readable).collect::<Vec<_>>().join("\n");
                let told = if told.is_empty() {
                    item.get("content").map(readable).unwrap_or_default()
                } else {
                    told
                };
                if told.is_empty() {
                    return Outcome::skipped("reasoning that is encrypted");
                }
                self.think(false, &told, out);
            }
            "function_call" | "custom_tool_call" | "local_shell_call" | "tool_search_call" => {
                let name = match (word(item, "namespace"), word(item, "name")) {
                    (Some(space), Some(name)) => format!("{space}__{name}"),
                    (None, Some(name)) => name.to_owned(),
                    _ => kind.trim_end_matches("_call").to_owned(),
                };
                let arguments = ["arguments", "input", "action"].iter().find_map(|name| item.get(*name));
                out.proposed(call, &name, arguments, self.model.as_deref(), None);
                if let ("update_plan", Some(call)) = (name.as_str(), call) {
                    let plan = arguments.and_then(|text| serde_json::from_str(text.as_str()?).ok());
                    self.plans
                        .insert(call.to_owned(), plan.or_else(|| arguments.cloned()).unwrap_or_default());
                }
            }
            "function_call_output"
            | "custom_tool_call_output"
            | "tool_search_output"
            | "local_shell_call_output" => {
                self.output(item, call, out);
            }
            "web_search_call" => {
                out.proposed(call, "web_search", item.get("action"), self.model.as_deref(), None);
            }
            known => {
                if let Some(name) = TOLD_ELSEWHERE.iter().find(|name| **name == known) {
                    return Outcome::skipped(name);
                }
                out.unknown(if known.is_empty() { "record without a type" } else { known }, item);
            }
        }
        Outcome::Mapped
    }

    fn output(&mut self, item: &Value, call: Option<&str>, out: &mut Out) {
        let output =
            ["output", "tools", "result"].iter().find_map(|name| item.get(*name)).unwrap_or(&Value::Null);
        let success = output.get("success").or_else(|| item.get("success"));
        // Old rollouts hold JSON in the text: {"output": …, "metadata": {"exit_code": …}}.
        let inner = output
            .as_str()
            .filter(|text| text.starts_with("{\"output\""))
            .and_then(|text| serde_json::from_str::<Value>(text).ok());
        let words = readable(inner.as_ref().unwrap_or(output));
        let took = inner
            .as_ref()
            .and_then(|inner| inner.pointer("/metadata/duration_seconds"))
            .and_then(Value::as_f64);
        let took = took.and_then(|seconds| number(&json!({"ms": seconds * 1e3}), "ms"));
        let known_failed = call.is_some_and(|call| self.failed.remove(call));
        let refused = words.contains("rejected by user") && words.len() < 400;
        if refused {
            out.denied(call, None, Some("person"), &words);
        } else if known_failed || success == Some(&Value::Bool(false)) {
            out.failed(call, None, &words, took);
        } else {
            out.returned(call, None, &words, took);
            if let Some(plan) = call.and_then(|call| self.plans.remove(call)) {
                out.plan(call, plan_items(list(&plan, "plan"), "step"));
            }
        }
    }

    /// What the screen was told.
    fn event(&mut self, event: &Value, out: &mut Out) -> Outcome {
        let kind = text(event, "type").unwrap_or_default();
        let turn = word(event, "turn_id");
        let message = || word(event, "message").or_else(|| word(event, "text")).unwrap_or_default();
        let told =
            |told: bool| if told { Outcome::Mapped } else { Outcome::skipped("told by another record") };
        match kind {
            "user_message" | "agent_message" | "agent_reasoning" => {
                let before = out.count();
                match kind {
                    "user_message" => self.say(true, Role::User, message(), out),
                    "agent_message" => self.say(true, Role::Assistant, message(), out),
                    _ => self.think(true, message(), out),
                }
                return told(out.count() > before);
            }
            "token_count" => return Codex::tokens(event, out),
            "task_started" | "turn_started" => out.turn_started(turn, None),
            "task_complete" | "turn_complete" => {
                out.turn_ended(turn, Some("completed"), number(event, "duration_ms"))
            }
            "turn_aborted" => {
                out.turn_ended(turn, word(event, "reason").or(Some("aborted")), number(event, "duration_ms"));
            }
            "exec_command_end"
            | "patch_apply_end"
            | "mcp_tool_call_end"
            | "web_search_end"
            | "dynamic_tool_call_response"
            | "item_completed" => {
                return told(self.finished(event, out));
            }
            "exec_approval_request" | "apply_patch_approval_request" => {
                let question = word(event, "reason").map(str::to_owned);
                let question = question.or_else(|| event.get("command").map(as_text)).unwrap_or_default();
                out.asked(word(event, "call_id"), None, Some(&question));
            }
            "thread_name_updated" => {
                out.session().title = word(event, "thread_name").map(str::to_owned);
                return Outcome::skipped("title");
            }
            "error" | "stream_error" | "warning" | "context_compacted" => {
                let said = event.get("error").map_or_else(|| message().to_owned(), as_text);
                out.noted(None, kind, &said);
            }
            known => {
                if let Some(name) = TOLD_ELSEWHERE.iter().find(|name| **name == known) {
                    return Outcome::skipped(name);
                }
                out.unknown(if known.is_empty() { "event without a type" } else { known }, event);
            }
        }
        Outcome::Mapped
    }

    /// A tool came back; the model is told in another record, and only this one says that it failed.
    fn finished(&mut self, event: &Value, out: &mut Out) -> bool {
        let item = event.get("item").unwrap_or(event);
        if text(item, "type") == Some("Plan") {
            out.noted(word(item, "id"), "plan", word(item, "text").unwrap_or_default());
            return true;
        }
        let call = word(item, "call_id").or_else(|| word(item, "callId")).or_else(|| word(item, "id"));
        let answer = item.get("result").unwrap_or(&Value::Null);
        let is_error =
            answer.get("isError").or_else(|| answer.pointer("/Ok/isError")) == Some(&Value::Bool(true));
        let failed = is_error
            || answer.get("Err").is_some()
            || text(item, "status") == Some("failed")
            || item.get("success") == Some(&Value::Bool(false));
        if let (true, Some(call)) = (failed, call) {
            self.failed.insert(call.to_owned());
        }
        false
    }

    /// The counts are of the whole session; what is new since the last one is counted.
    fn tokens(event: &Value, out: &mut Out) -> Outcome {
        let Some(total) = event.get("info").and_then(|info| info.get("total_token_usage")) else {
            return Outcome::skipped("token_count without counts");
        };
        let usage = Usage {
            tokens_in: number(total, "input_tokens").unwrap_or(0),
            tokens_out: number(total, "output_tokens").unwrap_or(0),
            cache_read: number(total, "cached_input_tokens"),
            cache_write: number(total, "cache_write_input_tokens"),
            cost_micros: None,
        };
        match out.usage_once("session", usage) {
            Some(fresh) => {
                out.used(None, "tokens", "", fresh);
                Outcome::Mapped
            }
            None => Outcome::skipped("token_count without news"),
        }
    }

    /// What `codex exec --json` prints.
    fn printed(record: &Value, out: &mut Out) -> Outcome {
        let item = record.get("item").unwrap_or(&Value::Null);
        let (id, kind) = (word(item, "id"), text(item, "type").unwrap_or_default());
        match (text(record, "type").unwrap_or_default(), kind) {
            ("thread.started", _) => return Outcome::skipped("thread.started"),
            ("turn.started", _) => out.turn_started(None, None),
            ("turn.completed", _) => {
                let told = record.get("usage").unwrap_or(&Value::Null);
                let count = |name: &str| number(told, name);
                let usage = Usage {
                    tokens_in: count("input_tokens").unwrap_or(0),
                    tokens_out: count("output_tokens").unwrap_or(0),
                    cache_read: count("cached_input_tokens"),
                    ..Usage::default()
                };
                out.used(None, "tokens", "", usage);
                out.turn_ended(None, Some("completed"), None);
            }
            ("turn.failed", _) => out.turn_ended(None, Some("failed"), None),
            ("item.updated", _) => return Outcome::skipped("item.updated"),
            ("item.completed", "agent_message") => {
                out.said_by(id, text(item, "text").unwrap_or_default(), None, None)
            }
            ("item.completed", "reasoning") => {
                out.thought(id, text(item, "text").unwrap_or_default(), None, None)
            }
            ("item.completed", "todo_list") => out.plan(id, todo_list(item)),
            ("item.completed", "error") => out.noted(id, "error", text(item, "message").unwrap_or_default()),
            (phase, "command_execution" | "mcp_tool_call" | "web_search" | "file_change") => {
                let tool = word(item, "tool").unwrap_or(kind);
                if id.is_none_or(|id| out.first(&["item", id])) {
                    let input =
                        ["command", "arguments", "query", "changes"].iter().find_map(|name| item.get(*name));
                    out.proposed(id, tool, input, None, None);
                    out.called(id, tool, None);
                }
                if phase == "item.completed" {
                    let result =
                        ["aggregated_output", "result", "error"].iter().find_map(|name| item.get(*name));
                    let result = result.map(readable).unwrap_or_default();
                    match text(item, "status") {
                        Some("failed") => out.failed(id, Some(tool), &result, None),
                        _ => out.returned(id, Some(tool), &result, None),
                    }
                }
            }
            _ => out.unknown(kind, record),
        }
        Outcome::Mapped
    }
}

fn todo_list(item: &Value) -> Vec<domain::plan::PlanItem> {
    let items: Vec<Value> = list(item, "items")
        .iter()
        .map(|item| {
            let done = item.get("completed") == Some(&Value::Bool(true));
            json!({"content": item["text"], "status": if done { "completed" } else { "pending" }})
        })
        .collect();
    plan_items(&items, "content")
}

/// What the program puts in where a person's words stand.
fn put_in(words: &str) -> bool {
    let starts = [
        "<environment_context>",
        "<user_instructions>",
        "<permissions instructions>",
        "<turn_aborted>",
        "# AGENTS.md instructions",
    ];
    starts.iter().any(|start| words.trim_start().starts_with(start))
}
