//! The timeline of a run as columns of bytes: what a screen needs to draw a million events.
//!
//! Parts of [`SEGMENT`] events are sealed: their columns, what was known of the run at their end,
//! and the tasks they touched are kept, so that neither the whole timeline nor any moment of it
//! needs more than one part's events read again.

use domain::event::{KIND_UNKNOWN, Payload, kind_code, line};
use domain::fold::{At, Facts};
use domain::ledger::Brief;
use domain::{Position, RunId, Seq, TaskNo, Timestamp, Version};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use store::table::project::ProjectRow;
use store::table::segment::SegmentRow;
use store::{Reader, StoreError};

/// So many events make a sealed part.
pub(crate) const SEGMENT: u64 = 2_048;

/// Bytes of an event in the columns: at 8, dur 4, kind, lane, state, spare.
const WIDTH: usize = 16;

/// One event in the columns.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Mark {
    pub at: Timestamp,
    pub duration_ms: u64,
    pub kind: u8,
    pub lane: u8,
    pub state: u8,
}

impl Mark {
    pub(crate) fn of(kind: &str, at: Timestamp, payload: Option<&Payload>) -> Mark {
        let Some(payload) = payload else {
            let kind = kind_code(kind);
            let (lane, state) = (line::Lane::Other as u8, line::State::Plain as u8);
            // A kind of ours whose payload has another shape is drawn with those of later programs.
            return Mark { at, duration_ms: 0, kind, lane, state };
        };
        let line = payload.line();
        Mark {
            at,
            duration_ms: line.duration_ms.unwrap_or(0),
            kind: kind_code(kind),
            lane: line.lane as u8,
            state: line.state as u8,
        }
    }
}

/// Columns that grow at their end.
#[derive(Debug, Clone, Default)]
pub(crate) struct Columns {
    at: Vec<u8>,
    dur: Vec<u8>,
    kind: Vec<u8>,
    lane: Vec<u8>,
    state: Vec<u8>,
}

impl Columns {
    pub(crate) fn len(&self) -> usize {
        self.kind.len()
    }

    pub(crate) fn push(&mut self, mark: Mark) {
        self.at.extend_from_slice(&(mark.at.unix_ms() as f64).to_le_bytes());
        self.dur.extend_from_slice(&(mark.duration_ms as f32).to_le_bytes());
        self.kind.push(mark.kind);
        self.lane.push(mark.lane);
        self.state.push(mark.state);
    }

    /// The stored form: the columns one after the other.
    fn packed(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.len() * WIDTH);
        for column in [&self.at, &self.dur, &self.kind, &self.lane, &self.state] {
            out.extend_from_slice(column);
        }
        out
    }

    fn push_packed(&mut self, packed: &[u8], skip: usize) {
        let count = packed.len() / (WIDTH - 1);
        let (mut from, skip) = (0, skip.min(count));
        for (column, width) in [
            (&mut self.at, 8),
            (&mut self.dur, 4),
            (&mut self.kind, 1),
            (&mut self.lane, 1),
            (&mut self.state, 1),
        ] {
            column.extend_from_slice(&packed[from + skip * width..from + count * width]);
            from += count * width;
        }
    }

    /// What is sent: a header of 32 bytes, the columns, and the keys when they are not consecutive.
    #[expect(
        clippy::cast_precision_loss,
        reason = "JavaScript has no other number; positions stay below 2^53"
    )]
    pub(crate) fn sent(&self, first: u64, position: Position, keys: Option<&[u64]>) -> Vec<u8> {
        let count = self.len();
        let mut out = Vec::with_capacity(32 + count * (WIDTH + keys.map_or(0, |_| 8)));
        out.extend_from_slice(b"TBI1");
        out.extend_from_slice(&u32::try_from(count).unwrap_or(u32::MAX).to_le_bytes());
        out.extend_from_slice(&(first as f64).to_le_bytes());
        out.extend_from_slice(&(position.0 as f64).to_le_bytes());
        out.extend_from_slice(&u32::from(keys.is_some()).to_le_bytes());
        out.extend_from_slice(&[0; 4]);
        for column in [&self.at, &self.dur, &self.kind, &self.lane, &self.state] {
            out.extend_from_slice(column);
        }
        out.resize(32 + count * WIDTH, 0);
        for key in keys.unwrap_or_default() {
            out.extend_from_slice(&(*key as f64).to_le_bytes());
        }
        out
    }
}

/// What a part of a run did to one task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Touch {
    pub changes: u32,
    pub refused: u32,
    pub first: Seq,
    pub last: Seq,
    pub version: Version,
}

pub(crate) type Touches = BTreeMap<TaskNo, Touch>;

pub(crate) fn touch(touches: &mut Touches, seq: Seq, payload: &Payload) {
    let version = payload.line().version;
    let Some(task) = payload.task() else { return };
    let fresh = Touch { changes: 0, refused: 0, first: seq, last: seq, version: Version(0) };
    let touch = touches.entry(task).or_insert(fresh);
    touch.last = seq;
    match (payload, version) {
        (Payload::CallRejected(_), _) => touch.refused += 1,
        (_, Some(version)) => {
            touch.changes += 1;
            touch.version = version;
        }
        _ => {}
    }
}

fn merge(touches: &mut Touches, later: Touches) {
    for (task, touch) in later {
        let whole = touches.entry(task).or_insert(Touch { changes: 0, refused: 0, ..touch });
        whole.changes += touch.changes;
        whole.refused += touch.refused;
        whole.last = touch.last;
        whole.version = whole.version.max(touch.version);
    }
}

/// A run up to some event.
#[derive(Debug, Default)]
pub(crate) struct Known {
    pub facts: Facts,
    pub touches: Touches,
}

/// An event read back, as far as timelines need it.
fn read(body: &str, imported: bool) -> Result<(Brief<'_>, Option<Payload>), StoreError> {
    let event = domain::ledger::read_brief(body).map_err(StoreError::internal)?;
    let payload = match Payload::parse_text(&event.kind, event.payload) {
        Err(_) if imported => None,
        other => other?,
    };
    Ok((event, payload))
}

/// What was known of a run after event `at`. Gives where the last event stands in the store.
pub(crate) fn known(
    reader: &Reader<'_>,
    run: RunId,
    at: Seq,
    with_touches: bool,
) -> Result<(Known, Position), StoreError> {
    let mut known = Known::default();
    let mut from = Seq(0);
    if let Some((last, facts)) = reader.segment_facts(run, at)? {
        from = last;
        known.facts = postcard::from_bytes(&facts).map_err(StoreError::internal)?;
    }
    if with_touches && from.0 > 0 {
        let mut broken = None;
        reader.segment_each(run, Seq(0), |segment| {
            if segment.last <= from {
                match postcard::from_bytes(&segment.touched) {
                    Ok(touches) => merge(&mut known.touches, touches),
                    Err(error) => broken = Some(error),
                }
            }
        })?;
        if let Some(error) = broken {
            return Err(StoreError::internal(error));
        }
    }
    let imported = reader.import_get(run)?.is_some();
    let (mut position, mut failed) = (Position(0), None);
    reader.event_bytes_each(run, from.next(), |seq, place, body, _| {
        if seq > at {
            return false;
        }
        position = place;
        match read(body, imported) {
            Ok((event, payload)) => {
                let stands = At { position: place, run, seq, at: event.at };
                known.facts.apply(stands, payload.as_ref());
                if let Some(payload) = &payload {
                    touch(&mut known.touches, seq, payload);
                }
                true
            }
            Err(error) => {
                failed = Some(error);
                false
            }
        }
    })?;
    if let Some(error) = failed {
        return Err(error);
    }
    if position == Position(0) {
        position = reader.event_position(run, from)?.unwrap_or_default();
    }
    Ok((known, position))
}

/// The columns of a run from `from` on, as they are sent.
pub(crate) fn run_index(reader: &Reader<'_>, run: RunId, from: Seq) -> Result<Vec<u8>, StoreError> {
    let mut columns = Columns::default();
    let mut next = from.0.max(1);
    reader.segment_each(run, Seq(next - 1), |segment| {
        // A part that does not follow on is left to the events themselves.
        if segment.first.0 <= next {
            let skip = usize::try_from(next - segment.first.0).unwrap_or(usize::MAX);
            columns.push_packed(&segment.columns, skip);
            next = segment.last.0 + 1;
        }
    })?;
    tail(reader, run, Seq(next), &mut columns)?;
    Ok(columns.sent(from.0.max(1), reader.position()?, None))
}

fn tail(reader: &Reader<'_>, run: RunId, from: Seq, columns: &mut Columns) -> Result<(), StoreError> {
    let imported = reader.import_get(run)?.is_some();
    let mut failed = None;
    reader.event_bytes_each(run, from, |_, _, body, _| match read(body, imported) {
        Ok((event, payload)) => {
            columns.push(Mark::of(&event.kind, event.at, payload.as_ref()));
            true
        }
        Err(error) => {
            failed = Some(error);
            false
        }
    })?;
    failed.map_or(Ok(()), Err)
}

/// The columns of what happened on a board, with the position of each row as its key. What only the
/// payload knows is left out: a board's scrubber needs where and what, not how long.
pub(crate) fn board_index(reader: &Reader<'_>, project: &ProjectRow) -> Result<Vec<u8>, StoreError> {
    let (mut columns, mut keys) = (Columns::default(), Vec::new());
    reader.event_of_board_heads(project, |position, kind, at| {
        let at = Timestamp::parse(at).unwrap_or(Timestamp::from_unix_ms(0));
        let (lane, state) = match kind {
            "call_rejected" => (line::Lane::Board, line::State::Rejected),
            "run_started" | "run_ended" | "run_resumed" => (line::Lane::Run, line::State::Plain),
            "note" | "todo_written" => (line::Lane::Plan, line::State::Plain),
            _ => (line::Lane::Board, line::State::Ok),
        };
        let kind = kind_code(kind);
        columns.push(Mark { at, duration_ms: 0, kind, lane: lane as u8, state: state as u8 });
        keys.push(position.0);
    })?;
    Ok(columns.sent(keys.first().copied().unwrap_or(0), reader.position()?, Some(&keys)))
}

/// The next parts of a run that are full and not sealed yet, at most `limit`.
pub(crate) fn unsealed(reader: &Reader<'_>, run: RunId, limit: usize) -> Result<Vec<SegmentRow>, StoreError> {
    let mut facts = Facts::default();
    let mut from = Seq(1);
    if let Some((last, stored)) = reader.segment_facts(run, Seq(u64::MAX >> 1))? {
        facts = postcard::from_bytes(&stored).map_err(StoreError::internal)?;
        from = last.next();
    }
    let imported = reader.import_get(run)?.is_some();
    let mut sealed: Vec<SegmentRow> = Vec::new();
    let (mut columns, mut touches, mut first) = (Columns::default(), Touches::new(), from);
    let mut failed = None;
    reader.event_bytes_each(run, from, |seq, position, body, _| {
        let (event, payload) = match read(body, imported) {
            Ok(read) => read,
            Err(error) => {
                failed = Some(error);
                return false;
            }
        };
        facts.apply(At { position, run, seq, at: event.at }, payload.as_ref());
        columns.push(Mark::of(&event.kind, event.at, payload.as_ref()));
        if let Some(payload) = &payload {
            touch(&mut touches, seq, payload);
        }
        if columns.len() as u64 == SEGMENT {
            let full = std::mem::take(&mut columns);
            match seal(first, seq, &full, &facts, &std::mem::take(&mut touches)) {
                Ok(segment) => sealed.push(segment),
                Err(error) => failed = Some(error),
            }
            first = seq.next();
        }
        sealed.len() < limit && failed.is_none()
    })?;
    failed.map_or(Ok(sealed), Err)
}

fn seal(
    first: Seq,
    last: Seq,
    columns: &Columns,
    facts: &Facts,
    touches: &Touches,
) -> Result<SegmentRow, StoreError> {
    Ok(SegmentRow {
        first,
        last,
        columns: columns.packed(),
        facts: postcard::to_allocvec(facts).map_err(StoreError::internal)?,
        touched: postcard::to_allocvec(touches).map_err(StoreError::internal)?,
    })
}

/// The events whose bytes hold `text`, whatever its case; as they are sent.
pub(crate) fn run_find(reader: &Reader<'_>, run: RunId, text: &str) -> Result<Vec<u8>, StoreError> {
    // The stored bytes are JSON: what is looked for must be spelled as it stands there.
    let quoted = serde_json::to_string(text)?.to_lowercase();
    let wanted = &quoted[1..quoted.len() - 1];
    let mut out = Vec::new();
    reader.event_bytes_each(run, Seq(1), |seq, _, body, _| {
        if contains(body, wanted) {
            out.extend_from_slice(&u32::try_from(seq.0).unwrap_or(u32::MAX).to_le_bytes());
        }
        true
    })?;
    Ok(out)
}

fn contains(body: &str, wanted: &str) -> bool {
    if wanted.is_ascii() && wanted.len() <= body.len() {
        let (body, wanted) = (body.as_bytes(), wanted.as_bytes());
        let Some((&first, rest)) = wanted.split_first() else { return true };
        let upper = first.to_ascii_uppercase();
        return memchr::memchr2_iter(first, upper, &body[..=body.len() - wanted.len()])
            .any(|at| body[at + 1..at + wanted.len()].eq_ignore_ascii_case(rest));
    }
    body.to_lowercase().contains(wanted)
}

const _: () = assert!(KIND_UNKNOWN as usize > Payload::KINDS.len());
