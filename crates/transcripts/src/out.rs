//! What a dialect says into: events of the session that speaks, each with its sign.

use crate::found::mark;
use crate::{Found, Session, Sign, Tally};
use domain::event::{
    Decision, Layout, Message, ModelProposed, Note, PermissionAsked, PermissionDecided, Role, TodoWritten,
    ToolCalled, ToolFailed, ToolReturned, TurnEnded, TurnStarted, Usage,
};
use domain::plan::{PlanItem, PlanStatus};
use domain::{Body, Payload, Timestamp};
use serde_json::Value;
use std::collections::{BTreeMap, HashMap, HashSet};

#[derive(Debug)]
pub(crate) struct Out {
    raw: bool,
    found: Vec<Found>,
    pub(crate) tally: Tally,
    pub(crate) sessions: BTreeMap<String, Session>,
    speaks: String,
    at: Option<Timestamp>,
    /// Calls whose result has not come, by session and id.
    open: HashMap<(String, String), Open>,
    /// Model messages whose tokens were counted, with what was counted of them.
    counted: HashMap<(String, String), Usage>,
    /// How often a record without an id of its own came with the same content and time.
    times: HashMap<[u8; 16], u32>,
    /// What a source that repeats itself told already.
    told: HashSet<[u8; 16]>,
}

#[derive(Debug)]
struct Open {
    tool: String,
    at: Option<Timestamp>,
    called: bool,
}

impl Out {
    pub(crate) fn new(raw: bool) -> Out {
        Out {
            raw,
            found: Vec::new(),
            tally: Tally::default(),
            sessions: BTreeMap::new(),
            speaks: String::new(),
            at: None,
            open: HashMap::new(),
            counted: HashMap::new(),
            times: HashMap::new(),
            told: HashSet::new(),
        }
    }

    pub(crate) fn take(&mut self) -> Vec<Found> {
        std::mem::take(&mut self.found)
    }

    /// Whose record this is, and its time. A record without a time has that of the one before.
    pub(crate) fn record_of(&mut self, session: &str, agent: &str, at: Option<Timestamp>) -> &mut Session {
        if self.speaks != session {
            session.clone_into(&mut self.speaks);
            self.at = None;
        }
        if let (Some(before), Some(now)) = (self.at, at)
            && now < before
        {
            self.tally.note("times that go back");
        }
        self.at = at.or(self.at);
        let known = self.sessions.entry(session.to_owned()).or_default();
        if known.agent.is_empty() {
            agent.clone_into(&mut known.agent);
        }
        known
    }

    /// The session that speaks.
    pub(crate) fn session(&mut self) -> &mut Session {
        self.sessions.entry(self.speaks.clone()).or_default()
    }

    pub(crate) fn speaking(&self) -> &str {
        &self.speaks
    }

    pub(crate) fn body(&self, text: &str) -> Body {
        if self.raw { Body::raw(text) } else { Body::new(text) }
    }

    /// An event whose record has an id of its own.
    pub(crate) fn put(&mut self, id: &str, payload: impl Into<Payload>) {
        let payload = payload.into();
        let key = mark(&["id", payload.kind(), id]);
        let key = self.nth(key);
        self.push(Sign { key, said: None }, payload);
    }

    /// An event whose record has no id: known by its content, its time, and how often it came.
    pub(crate) fn put_plain(&mut self, payload: impl Into<Payload>) {
        let payload = payload.into();
        let key = self.plain_key(&payload);
        self.push(Sign { key, said: None }, payload);
    }

    fn plain_key(&mut self, payload: &Payload) -> [u8; 16] {
        let content = payload.to_value().map(|value| value.to_string()).unwrap_or_default();
        let at = self.at.map(|at| at.unix_ms().to_string()).unwrap_or_default();
        let key = mark(&["plain", &self.speaks, payload.kind(), &at, &content]);
        self.nth(key)
    }

    fn nth(&mut self, key: [u8; 16]) -> [u8; 16] {
        let times = self.times.entry(key).or_default();
        *times += 1;
        if *times == 1 {
            return key;
        }
        let mut next = key;
        for (byte, more) in next.iter_mut().zip(times.to_le_bytes()) {
            *byte ^= more;
        }
        next
    }

    fn push(&mut self, sign: Sign, payload: Payload) {
        self.found.push(Found { session: self.speaks.clone(), at: self.at, sign, payload });
    }

    /// The phase of a call: sources that tell of the same call agree on its sign.
    fn phase(&mut self, phase: &str, call: Option<&str>, payload: impl Into<Payload>) {
        match call {
            Some(call) => {
                let key = mark(&["call", phase, call]);
                self.push(Sign { key, said: None }, payload.into());
            }
            None => self.put_plain(payload),
        }
    }

    pub(crate) fn said(&mut self, id: Option<&str>, role: Role, text: &str) {
        self.message(id, Message::new(role, self.body(text)), text);
    }

    pub(crate) fn said_by(
        &mut self,
        id: Option<&str>,
        text: &str,
        model: Option<&str>,
        usage: Option<Usage>,
    ) {
        let model = model.map(str::to_owned);
        let message = Message { model, usage, ..Message::new(Role::Assistant, self.body(text)) };
        self.message(id, message, text);
    }

    pub(crate) fn thought(
        &mut self,
        id: Option<&str>,
        text: &str,
        model: Option<&str>,
        usage: Option<Usage>,
    ) {
        let model = model.map(str::to_owned);
        let message =
            Message { model, usage, thought: true, ..Message::new(Role::Assistant, self.body(text)) };
        self.message(id, message, text);
    }

    fn message(&mut self, id: Option<&str>, message: Message, text: &str) {
        let kind = if message.thought { "thought" } else { "said" };
        let said = mark(&[kind, message.role.as_str(), text.trim()]);
        let payload = Payload::from(message);
        let key = match id {
            Some(id) => self.nth(mark(&["id", kind, id])),
            None => self.plain_key(&payload),
        };
        self.push(Sign { key, said: Some(said) }, payload);
    }

    /// The model asked for a tool.
    pub(crate) fn proposed(
        &mut self,
        call: Option<&str>,
        tool: &str,
        arguments: Option<&Value>,
        model: Option<&str>,
        usage: Option<Usage>,
    ) {
        let tool = tool_name(tool);
        self.opened(call, &tool, false);
        let arguments = arguments.map(|value| self.body(&crate::json::as_text(value)));
        let model = model.map(str::to_owned);
        let v = Layout::default();
        let call_owned = call.map(str::to_owned);
        let proposed =
            ModelProposed { v, call: call_owned, tool, arguments, model, usage, duration_ms: None };
        self.phase("proposed", call, proposed);
    }

    /// The agent ran it.
    pub(crate) fn called(&mut self, call: Option<&str>, tool: &str, arguments: Option<&Value>) {
        let tool = tool_name(tool);
        self.opened(call, &tool, true);
        let arguments = arguments.map(|value| self.body(&crate::json::as_text(value)));
        let called = ToolCalled { v: Layout::default(), call: call.map(str::to_owned), tool, arguments };
        self.phase("called", call, called);
    }

    fn opened(&mut self, call: Option<&str>, tool: &str, called: bool) {
        let Some(call) = call else { return };
        let at = self.at;
        let open = self.open.entry((self.speaks.clone(), call.to_owned()));
        let open = open.or_insert_with(|| Open { tool: tool.to_owned(), at, called });
        open.called |= called;
    }

    /// The tool's name as the proposal had it, how long it took, and the call itself where no record told of it.
    fn closed(&mut self, call: Option<&str>, tool: Option<&str>, ran: bool) -> (String, Option<u64>) {
        let open = call.and_then(|call| self.open.remove(&(self.speaks.clone(), call.to_owned())));
        let name = tool.map(tool_name).or_else(|| open.as_ref().map(|open| open.tool.clone()));
        let name = name.unwrap_or_else(|| "unknown".to_owned());
        let began = open.as_ref().and_then(|open| open.at);
        let took = began
            .zip(self.at)
            .and_then(|(began, ended)| u64::try_from(ended.unix_ms() - began.unix_ms()).ok());
        if ran && open.is_some_and(|open| !open.called) {
            let called = ToolCalled {
                v: Layout::default(),
                call: call.map(str::to_owned),
                tool: name.clone(),
                arguments: None,
            };
            self.phase("called", call, called);
        }
        (name, took)
    }

    pub(crate) fn returned(
        &mut self,
        call: Option<&str>,
        tool: Option<&str>,
        result: &str,
        took: Option<u64>,
    ) {
        let (tool, between) = self.closed(call, tool, true);
        let result = Some(self.body(result));
        let duration_ms = took.or(between);
        let v = Layout::default();
        self.phase(
            "closed",
            call,
            ToolReturned { v, call: call.map(str::to_owned), tool, result, duration_ms },
        );
    }

    pub(crate) fn failed(&mut self, call: Option<&str>, tool: Option<&str>, error: &str, took: Option<u64>) {
        self.fail(call, tool, error, took, true);
    }

    /// The model began to ask for a tool and never finished: nothing was run.
    pub(crate) fn interrupted(&mut self, call: Option<&str>, tool: &str, why: &str) {
        self.fail(call, Some(tool), why, None, false);
    }

    /// How many events there are since the last [`Out::take`].
    pub(crate) fn count(&self) -> usize {
        self.found.len()
    }

    fn fail(&mut self, call: Option<&str>, tool: Option<&str>, error: &str, took: Option<u64>, ran: bool) {
        let (tool, between) = self.closed(call, tool, ran);
        let error = self.body(error);
        let duration_ms = took.or(between);
        let v = Layout::default();
        self.phase("closed", call, ToolFailed { v, call: call.map(str::to_owned), tool, error, duration_ms });
    }

    /// A person or a rule said no: the tool was not run.
    pub(crate) fn denied(&mut self, call: Option<&str>, tool: Option<&str>, by: Option<&str>, reason: &str) {
        self.decided(call, tool, Decision::Denied, by, Some(reason));
        self.fail(call, tool, reason, None, false);
    }

    pub(crate) fn decided(
        &mut self,
        call: Option<&str>,
        tool: Option<&str>,
        decision: Decision,
        by: Option<&str>,
        reason: Option<&str>,
    ) {
        let tool = self.tool_of(call, tool);
        let reason = reason.map(|reason| self.body(reason).shown().to_owned());
        let by = by.map(str::to_owned);
        let (v, id) = (Layout::default(), call.map(str::to_owned));
        self.phase(
            "decided",
            call,
            PermissionDecided { v, call: id, tool, decision, by, reason, duration_ms: None },
        );
    }

    pub(crate) fn asked(&mut self, call: Option<&str>, tool: Option<&str>, question: Option<&str>) {
        let tool = self.tool_of(call, tool);
        let question = question.map(|question| self.body(question));
        self.phase(
            "asked",
            call,
            PermissionAsked { v: Layout::default(), call: call.map(str::to_owned), tool, question },
        );
    }

    fn tool_of(&self, call: Option<&str>, tool: Option<&str>) -> String {
        let open = || call.and_then(|call| self.open.get(&(self.speaks.clone(), call.to_owned())));
        tool.map(tool_name)
            .or_else(|| open().map(|open| open.tool.clone()))
            .unwrap_or_else(|| "unknown".to_owned())
    }

    /// `prompt`: the words that gave the turn, by which other sources tell the same.
    pub(crate) fn turn_started(&mut self, id: Option<&str>, prompt: Option<&str>) {
        let payload = Payload::from(TurnStarted { v: Layout::default(), turn: id.map(str::to_owned) });
        let said = prompt.map(|prompt| mark(&["turn", prompt.trim()]));
        let key = match id {
            Some(id) => mark(&["id", payload.kind(), &self.speaks, id]),
            None => self.plain_key(&payload),
        };
        let key = if id.is_some() { self.nth(key) } else { key };
        self.push(Sign { key, said }, payload);
    }

    pub(crate) fn turn_ended(&mut self, id: Option<&str>, reason: Option<&str>, duration_ms: Option<u64>) {
        let reason = reason.map(str::to_owned);
        let turn = TurnEnded { v: Layout::default(), turn: id.map(str::to_owned), reason, duration_ms };
        self.by_id(id, turn);
    }

    fn by_id(&mut self, id: Option<&str>, payload: impl Into<Payload>) {
        match id {
            Some(id) => self.put(&format!("{}/{id}", self.speaks), payload),
            None => self.put_plain(payload),
        }
    }

    /// The whole to-do list of the session, as it is now.
    pub(crate) fn plan(&mut self, id: Option<&str>, todos: Vec<PlanItem>) {
        self.by_id(id, TodoWritten { v: Layout::default(), todos, call: None });
    }

    /// A record that has no kind of ours and says something to people.
    pub(crate) fn noted(&mut self, id: Option<&str>, topic: &str, text: &str) {
        let note = self.note(topic, text);
        self.by_id(id, note);
    }

    /// A record of a type that is not known: kept as it came.
    pub(crate) fn unknown(&mut self, topic: &str, record: &Value) {
        self.tally.note(&format!("type not known: {topic}"));
        let note = self.note(topic, &record.to_string());
        self.put_plain(note);
    }

    fn note(&self, topic: &str, text: &str) -> Note {
        let topic = Some(topic.chars().take(100).collect());
        Note { v: Layout::default(), topic, text: self.body(text), data: None, call: None, usage: None }
    }

    /// Tokens that no message carries.
    pub(crate) fn used(&mut self, id: Option<&str>, topic: &str, text: &str, usage: Usage) {
        let note = Note { usage: Some(usage), ..self.note(topic, text) };
        self.by_id(id, note);
    }

    /// What is new in the tokens of a message: many records of one message tell the same, or more each time.
    pub(crate) fn usage_once(&mut self, message: &str, usage: Usage) -> Option<Usage> {
        let known = self.counted.entry((self.speaks.clone(), message.to_owned())).or_default();
        let more = |new: u64, old: u64| new.saturating_sub(old);
        let part = |new: Option<u64>, old: Option<u64>| new.map(|new| more(new, old.unwrap_or(0)));
        let fresh = Usage {
            tokens_in: more(usage.tokens_in, known.tokens_in),
            tokens_out: more(usage.tokens_out, known.tokens_out),
            cache_read: part(usage.cache_read, known.cache_read),
            cache_write: part(usage.cache_write, known.cache_write),
            cost_micros: part(usage.cost_micros, known.cost_micros),
        };
        if fresh.tokens_in == 0 && fresh.tokens_out == 0 {
            return None;
        }
        *known = usage;
        Some(fresh)
    }

    /// Whether this was not told before in this reading.
    pub(crate) fn first(&mut self, words: &[&str]) -> bool {
        self.told.insert(mark(words))
    }
}

/// Model slips become names of tools: one line, and not endless.
fn tool_name(name: &str) -> String {
    let name: String = name.chars().take_while(|ch| !ch.is_control()).take(200).collect();
    if name.trim().is_empty() { "unknown".to_owned() } else { name }
}

/// Items of a to-do list in any spelling; what has no text is left out.
pub(crate) fn plan_items(items: &[Value], name: &str) -> Vec<PlanItem> {
    let item = |value: &Value| {
        let content = value.as_str().or_else(|| crate::json::text(value, name))?.trim();
        let status = crate::json::text(value, "status").unwrap_or_default();
        (!content.is_empty()).then(|| PlanItem { content: content.to_owned(), status: plan_status(status) })
    };
    let mut seen = HashSet::new();
    let items = items.iter().filter_map(item);
    items.filter(|item| seen.insert(item.content.clone())).collect()
}

pub(crate) fn plan_status(word: &str) -> PlanStatus {
    match word {
        "completed" | "done" | "complete" => PlanStatus::Completed,
        "in_progress" | "in-progress" | "inProgress" | "doing" => PlanStatus::InProgress,
        _ => PlanStatus::Pending,
    }
}
