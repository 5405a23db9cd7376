//! Lines of a run's log by range, and one event in full.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::board::FieldChange;
use super::rejected::Outcome;

#[derive(Debug, Clone, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[ts(optional_fields)]
pub struct EventsParams {
    pub run: String,
    /// Lines from this seq on. With `seqs`, ignored.
    #[ts(type = "number", optional)]
    pub from: Option<u64>,
    /// At most this many, 1 to 500. Default 200.
    pub limit: Option<u32>,
    /// Just these, in this order (what a filter left); at most 500.
    #[ts(type = "number[]", optional)]
    pub seqs: Option<Vec<u64>>,
}

#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Events {
    #[ts(type = "number")]
    pub position: u64,
    /// The run's newest seq.
    #[ts(type = "number")]
    pub head: u64,
    pub events: Vec<EventLine>,
}

/// One line of a log. The UI words it from its own catalogue.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct EventLine {
    #[ts(type = "number")]
    pub seq: u64,
    #[ts(type = "number")]
    pub position: u64,
    pub kind: String,
    pub at: String,
    #[ts(type = "number | null")]
    pub duration_ms: Option<u64>,
    pub lane: Lane,
    pub state: State,
    pub tool: Option<String>,
    pub task: Option<u32>,
    pub version: Option<u32>,
    /// call_rejected: its code.
    pub code: Option<String>,
    /// call_rejected: how it came out.
    pub outcome: Option<Outcome>,
    /// task_updated: what changed.
    pub changes: Vec<FieldChange>,
    /// At most 200 characters of what it says: the subject, the message, the reason …
    pub text: String,
}

/// The rows of a timeline, in this order. The number is the byte in the index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum Lane {
    /// 0: start, end, turns, verdict, budget.
    Run,
    /// 1: messages and what the model proposed.
    Model,
    /// 2: tools that the agent called, and permissions.
    Tools,
    /// 3: calls that reached this board.
    Board,
    /// 4: the plan and notes.
    Plan,
    /// 5: files that appeared beside the board.
    Files,
    /// 6: kinds of a later program.
    Other,
}

/// What colours an event. The number is the byte in the index; the highest is the worst.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// 0
    Plain,
    /// 1
    Ok,
    /// 2: somebody was asked.
    Asked,
    /// 3: a file appeared that has no effect.
    Rogue,
    /// 4: a tool failed, a permission was denied, a run failed.
    Failed,
    /// 5: a call was refused here.
    Rejected,
}

#[derive(Debug, Clone, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[ts(optional_fields)]
pub struct EventParams {
    pub run: String,
    #[ts(type = "number")]
    pub seq: u64,
}

/// One event in full.
#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct EventDetail {
    pub line: EventLine,
    pub run: String,
    /// The bytes that were hashed: canonical JSON.
    pub body: String,
    pub hash: String,
    pub prev: String,
    /// The bytes hash to `hash`, and `prev` is the hash of the event before.
    pub fits: bool,
    /// The texts of the event that are kept apart because they are long.
    pub bodies: Vec<BodyRef>,
    pub related: Vec<Related>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct BodyRef {
    /// Where in the payload, as a JSON pointer.
    pub path: String,
    pub digest: String,
    #[ts(type = "number")]
    pub bytes: u64,
}

#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Related {
    pub why: Why,
    pub run: String,
    pub line: EventLine,
}

/// How another event belongs to this one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum Why {
    /// What came of this call, or the call that this came of.
    Call,
    Result,
    /// An earlier or later try of the same refused call.
    Try,
    /// The accepted call that repaired this refused one.
    Repair,
    /// The read that showed the agent the version it then held on to.
    StaleRead,
    /// The change that made the version stale.
    Overtaken,
    /// The version of the same task before or after.
    VersionBefore,
    VersionAfter,
}

/// A long text that an event refers to by its digest, a page at a time.
#[derive(Debug, Clone, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[ts(optional_fields)]
pub struct BodyParams {
    pub digest: String,
    /// Bytes to pass over.
    #[ts(type = "number", optional)]
    pub offset: Option<u64>,
}

#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Body {
    pub digest: String,
    #[ts(type = "number")]
    pub bytes: u64,
    #[ts(type = "number")]
    pub offset: u64,
    /// At most 256 kB.
    pub text: String,
    #[ts(type = "number | null")]
    pub next: Option<u64>,
}
