//! Is the record the one that was written? Asking starts the check of a run; the answer says how
//! far it is, and the feed tells when there is more.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

#[derive(Debug, Clone, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[ts(optional_fields)]
pub struct VerifyParams {
    pub run: String,
    /// `start` checks anew, `stop` ends a check under way, `look` (the default) starts one only when
    /// there is none for the run as it stands.
    pub ask: Option<VerifyAsk>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum VerifyAsk {
    #[default]
    Look,
    Start,
    Stop,
}

#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Verify {
    pub run: String,
    pub state: VerifyState,
    /// Events checked so far, of how many.
    #[ts(type = "number")]
    pub done: u64,
    #[ts(type = "number")]
    pub of: u64,
    /// How long it will take yet, while running.
    #[ts(type = "number | null")]
    pub left_ms: Option<u64>,
    pub report: Option<VerifyReport>,
    /// Signed marks, oldest first; the newest 500. While it runs they are left out.
    pub checkpoints: Vec<CheckpointRow>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum VerifyState {
    Running,
    Sound,
    Broken,
    Stopped,
}

#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct VerifyReport {
    pub ok: bool,
    #[ts(type = "number")]
    pub events: u64,
    #[ts(type = "number | null")]
    pub first_bad_seq: Option<u64>,
    pub problems: Vec<Problem>,
    /// Up to this seq a signed checkpoint vouches for the record; 0: none does.
    #[ts(type = "number")]
    pub covered_to: u64,
    /// Kinds of a later program: kept, and counted.
    pub unknown: Vec<KindCount>,
    pub checked_at: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct KindCount {
    pub kind: String,
    #[ts(type = "number")]
    pub events: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Problem {
    #[ts(type = "number | null")]
    pub seq: Option<u64>,
    /// altered, gap, repeat, reorder, foreign_run, unreadable, cut_tail, swapped, checkpoint.
    pub kind: String,
    pub text: String,
    /// Altered: the hash that was written, and what the bytes hash to.
    pub expected: Option<String>,
    pub found: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct CheckpointRow {
    #[ts(type = "number")]
    pub seq: u64,
    pub at: String,
    /// Both copies are there and say the same.
    pub in_store: bool,
    pub outside: bool,
    /// The signature is by this store's key.
    pub signed: bool,
}

/// The mark in lists: what the last check found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct VerifyMark {
    pub state: VerifyState,
    /// Checked up to this seq; newer events were not.
    #[ts(type = "number")]
    pub to: u64,
    #[ts(type = "number | null")]
    pub first_bad_seq: Option<u64>,
}

use super::with_run;
use crate::Refusal;
use crate::checks::{self, Check, Found, Kept, Outcome};
use crate::host::{Host, unavailable};
use domain::ledger::Report;
use domain::{RunId, Seq};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use store::table::run::RunRow;

/// The newest checkpoints that are shown.
const CHECKPOINTS_MAX: usize = 500;

pub(crate) fn load(host: &Host, params: &VerifyParams) -> Result<Verify, Refusal> {
    let row = with_run(host, &params.run, |_, row| Ok(row))?;
    let check = asked(host, &row, params.ask.unwrap_or_default());
    let outcome = check.outcome();
    let done = check.done.load(Ordering::Relaxed);
    let (state, report) = match outcome {
        None => (VerifyState::Running, None),
        Some(Outcome::Stopped) => (VerifyState::Stopped, None),
        Some(Outcome::Failed(error)) => return Err(unavailable(&error)),
        Some(Outcome::Done(found)) => {
            let state = if found.report.ok { VerifyState::Sound } else { VerifyState::Broken };
            (state, Some(report(&found)))
        }
    };
    Ok(Verify {
        run: row.id.to_string(),
        done: report.as_ref().map_or(done, |report| report.events),
        of: check.of,
        left_ms: (state == VerifyState::Running).then(|| left_ms(&check, done)).flatten(),
        checkpoints: if state == VerifyState::Running { Vec::new() } else { checkpoints(host, row.id)? },
        state,
        report,
    })
}

/// The check to speak of: the one there is, one that goes on behind it, or a new one.
fn asked(host: &Host, row: &RunRow, ask: VerifyAsk) -> Arc<Check> {
    let known = host.checks().get(row.id);
    match (ask, known) {
        (VerifyAsk::Stop, Some(check)) => {
            check.stop();
            check
        }
        (VerifyAsk::Look, Some(check)) => match check.outcome() {
            Some(Outcome::Done(found)) if found.report.ok && found.report.last_seq < row.events.0 => {
                let behind = found.report.last_hash.map(|hash| (Seq(found.report.last_seq), hash));
                checks::start(host, row.id, row.events.0, behind)
            }
            _ => check,
        },
        (_, _) => checks::start(host, row.id, row.events.0, None),
    }
}

fn left_ms(check: &Check, done: u64) -> Option<u64> {
    let left = check.of.saturating_sub(done);
    let elapsed = u64::try_from(check.started.elapsed().as_millis()).ok()?;
    (done > 0).then(|| elapsed * left / done)
}

fn report(found: &Found) -> VerifyReport {
    let Report { ok, events, first_bad_seq, problems, covered_to, unknown, .. } = &found.report;
    let problems = problems.iter().map(|problem| Problem {
        seq: problem.seq,
        kind: problem.fault.as_str().to_owned(),
        text: problem.text.clone(),
        expected: problem.expected.clone(),
        found: problem.found.clone(),
    });
    VerifyReport {
        ok: *ok,
        events: *events,
        first_bad_seq: *first_bad_seq,
        problems: problems.collect(),
        covered_to: *covered_to,
        unknown: unknown
            .iter()
            .map(|(kind, events)| KindCount { kind: kind.clone(), events: *events })
            .collect(),
        checked_at: found.at.to_string(),
    }
}

fn checkpoints(host: &Host, run: RunId) -> Result<Vec<CheckpointRow>, Refusal> {
    let all = checks::checkpoints(host, run).map_err(|error| unavailable(&error))?;
    let key = host.witness().public();
    let skip = all.len().saturating_sub(CHECKPOINTS_MAX);
    let rows = all[skip..].iter().map(|Kept { mark: (mark, sig), in_store, outside }| CheckpointRow {
        seq: mark.seq.0,
        at: mark.at.to_string(),
        in_store: *in_store,
        outside: *outside,
        signed: key.is_some_and(|key| mark.is_signed(&key, sig)),
    });
    Ok(rows.collect())
}
