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

use super::board::field_changes;
use super::{outcome_of, with_run};
use crate::host::Host;
use crate::{Code, Refusal};
use domain::event::{Payload, line};
use domain::{RunId, Seq};
use serde_json::json;
use store::table::event::EventRow;
use store::{Reader, StoreError};

const LINES_DEFAULT: u32 = 200;
const LINES_MAX: u32 = 500;
const TEXT_CHARS_MAX: usize = 200;
const BODY_PAGE_BYTES: u64 = 256 * 1024;

pub(crate) fn load(host: &Host, params: &EventsParams) -> Result<Events, Refusal> {
    with_run(host, &params.run, |reader, row| {
        let limit = params.limit.unwrap_or(LINES_DEFAULT).clamp(1, LINES_MAX);
        let rows = match &params.seqs {
            Some(seqs) => {
                let wanted = seqs.iter().take(LINES_MAX as usize);
                wanted
                    .filter_map(|&seq| reader.event_get(row.id, Seq(seq)).transpose())
                    .collect::<Result<_, _>>()?
            }
            None => reader.event_range(row.id, Seq(params.from.unwrap_or(1)), limit)?,
        };
        let events = rows.iter().map(|event| event_line(reader, event)).collect::<Result<_, _>>()?;
        Ok(Events { position: reader.position()?.0, head: row.events.0, events })
    })
}

pub(super) fn event_line(reader: &Reader<'_>, row: &EventRow) -> Result<EventLine, StoreError> {
    let event = &row.event;
    let mut out = EventLine {
        seq: event.seq.0,
        position: row.position.0,
        kind: event.kind.clone(),
        at: event.at.to_string(),
        duration_ms: None,
        lane: Lane::Other,
        state: State::Plain,
        tool: None,
        task: None,
        version: None,
        code: None,
        outcome: None,
        changes: vec![],
        text: String::new(),
    };
    let Some(payload) = &row.payload else {
        out.text = cut(&event.payload.to_string());
        return Ok(out);
    };
    let line = payload.line();
    out.duration_ms = line.duration_ms;
    out.lane = lane(line.lane);
    out.state = state(line.state);
    out.tool = line.tool.map(cut);
    out.task = line.task.map(|no| no.0);
    out.version = line.version.map(|version| version.0);
    out.text = cut(&line.text);
    match payload {
        Payload::CallRejected(refused) => {
            out.code = Some(refused.code.clone());
            out.outcome = reader.chain_of(event.run, event.seq)?.map(|chain| outcome_of(chain.outcome));
        }
        Payload::TaskUpdated(updated) => out.changes = field_changes(&updated.changes),
        _ => {}
    }
    Ok(out)
}

fn cut(text: &str) -> String {
    text.chars().take(TEXT_CHARS_MAX).collect()
}

fn lane(lane: line::Lane) -> Lane {
    match lane {
        line::Lane::Run => Lane::Run,
        line::Lane::Model => Lane::Model,
        line::Lane::Tools => Lane::Tools,
        line::Lane::Board => Lane::Board,
        line::Lane::Plan => Lane::Plan,
        line::Lane::Files => Lane::Files,
        line::Lane::Other => Lane::Other,
    }
}

fn state(state: line::State) -> State {
    match state {
        line::State::Plain => State::Plain,
        line::State::Ok => State::Ok,
        line::State::Asked => State::Asked,
        line::State::Rogue => State::Rogue,
        line::State::Failed => State::Failed,
        line::State::Rejected => State::Rejected,
    }
}

pub(crate) fn load_one(host: &Host, params: &EventParams) -> Result<EventDetail, Refusal> {
    let found = with_run(host, &params.run, |reader, row| detail(reader, row.id, Seq(params.seq)))?;
    found.ok_or_else(|| {
        Refusal::new(Code::NotFound, format!("the run has no event {}", params.seq)).issue(
            "seq",
            "no such event",
            json!(params.seq),
            "the number of an event of this run",
            "go back to the log",
        )
    })
}

fn detail(reader: &Reader<'_>, run: RunId, seq: Seq) -> Result<Option<EventDetail>, StoreError> {
    let mut stored = None;
    reader.event_bytes_each(run, seq, |found, _, body, hash| {
        if found == seq {
            stored = Some((body.to_owned(), hash));
        }
        false
    })?;
    let (Some((body, hash)), Some(row)) = (stored, reader.event_get(run, seq)?) else { return Ok(None) };
    let before = match seq.0 {
        0 | 1 => Some(domain::ledger::Hash::genesis(run)),
        n => reader.event_hash(run, Seq(n - 1))?,
    };
    let linked = before.is_some_and(|before| before.hex() == row.event.prev);
    Ok(Some(EventDetail {
        line: event_line(reader, &row)?,
        run: run.to_string(),
        fits: linked && domain::ledger::Hash::of(body.as_bytes()) == hash,
        body,
        hash: hash.hex(),
        prev: row.event.prev.clone(),
        bodies: row.payload.as_ref().map(bodies).unwrap_or_default(),
        related: super::related::related(reader, &row)?,
    }))
}

fn bodies(payload: &Payload) -> Vec<BodyRef> {
    if let Payload::CallRejected(refused) = payload {
        let cut = refused.is_cut().then(|| BodyRef {
            path: "/arguments".into(),
            digest: refused.digest.clone(),
            bytes: refused.bytes,
        });
        return cut.into_iter().collect();
    }
    let kept = payload.bodies().into_iter().filter_map(|(name, body)| match body {
        domain::Body::Kept(kept) => {
            Some(BodyRef { path: format!("/{name}"), digest: kept.digest.clone(), bytes: kept.bytes })
        }
        domain::Body::Text(_) => None,
    });
    kept.collect()
}

pub(crate) fn load_body(host: &Host, params: &BodyParams) -> Result<Body, Refusal> {
    let part = host
        .store()
        .read(|reader| reader.body_part(&params.digest, params.offset.unwrap_or(0), BODY_PAGE_BYTES))
        .map_err(|error| crate::host::unavailable(&error))?;
    let part = part.ok_or_else(|| {
        Refusal::new(Code::NotFound, "this text is not kept in this store").issue(
            "digest",
            "no such text",
            json!(params.digest),
            "the digest of a text that an event of this store refers to",
            "a run from a file brings its events, not the long texts beside them",
        )
    })?;
    let digest = params.digest.clone();
    Ok(Body { digest, bytes: part.bytes, offset: part.offset, text: part.text, next: part.next })
}
