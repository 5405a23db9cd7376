//! Refused calls as chains: what was tried, what the agent was told, and how it came out.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::board::Actor;

#[derive(Debug, Clone, Default, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
#[ts(optional_fields)]
pub struct RejectedParams {
    pub project: Option<String>,
    /// Only those of this run.
    pub run: Option<String>,
    /// Only those that aimed at this task.
    pub task: Option<u32>,
    /// With `run`: as it was after this seq.
    #[ts(type = "number", optional)]
    pub at: Option<u64>,
    /// At most this many chains, newest first. Default 500, at most 2,000.
    pub limit: Option<u32>,
}

#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Rejected {
    #[ts(type = "number")]
    pub position: u64,
    /// Refused calls in all, with those a flood left unwritten.
    #[ts(type = "number")]
    pub calls: u64,
    pub counts: OutcomeCounts,
    /// From the first refusal to the repair.
    #[ts(type = "number | null")]
    pub median_repair_ms: Option<u64>,
    /// Newest first.
    pub chains: Vec<Chain>,
    /// There are more than were sent.
    pub more: bool,
}

/// Chains by how they came out.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct OutcomeCounts {
    pub open: u32,
    pub repaired: u32,
    pub gave_up: u32,
    #[serde(rename = "loop")]
    pub looped: u32,
    pub expected: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// Not repaired yet, and the run goes on.
    Open,
    /// The same run's same call was accepted later.
    Repaired,
    /// The run ended, or went on to other things, without repairing it.
    GaveUp,
    /// The very same call was refused three times or more.
    Loop,
    /// A person said that this refusal is as it should be.
    Expected,
}

/// Tries of one call: refused ones, and the accepted one that ended them.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Chain {
    pub run: String,
    /// The first refusal; it names the chain.
    #[ts(type = "number")]
    pub seq: u64,
    pub actor: Actor,
    pub tool: String,
    /// Of the first refusal.
    pub code: String,
    pub task: Option<u32>,
    pub subject: Option<String>,
    pub outcome: Outcome,
    /// Oldest first; at most 50 refused ones.
    pub tries: Vec<Try>,
    #[ts(type = "number | null")]
    pub repaired_by: Option<u64>,
    #[ts(type = "number | null")]
    pub repair_ms: Option<u64>,
    pub first_at: String,
    pub last_at: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Try {
    #[ts(type = "number")]
    pub seq: u64,
    pub at: String,
    /// `null`: accepted.
    pub code: Option<String>,
    /// Where the arguments were wrong, as `patch.status`; empty when the whole call was.
    pub paths: Vec<String>,
}

#[derive(Debug, Clone, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[ts(optional_fields)]
pub struct RejectionParams {
    pub run: String,
    /// Any try of the chain.
    #[ts(type = "number")]
    pub seq: u64,
}

/// One chain with everything that was sent and said.
#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ChainDetail {
    pub chain: Chain,
    pub tries: Vec<TryDetail>,
}

#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct TryDetail {
    #[ts(type = "number")]
    pub seq: u64,
    pub at: String,
    pub code: Option<String>,
    pub paths: Vec<String>,
    /// What the agent was told, word for word; empty for the accepted one.
    pub told: String,
    /// The arguments as JSON text: masked; of an accepted call, what its event shows.
    pub arguments: String,
    /// The arguments are longer than `arguments`; the rest is under this digest.
    pub digest: Option<String>,
    #[ts(type = "number")]
    pub bytes: u64,
    /// What differs from the try before, as JSON pointers with both values.
    pub diff: Vec<ArgumentChange>,
}

#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ArgumentChange {
    /// As `patch.status`.
    pub path: String,
    /// Absent: it was not there.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(type = "unknown", optional)]
    pub before: Option<serde_json::Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(type = "unknown", optional)]
    pub after: Option<serde_json::Value>,
}

use super::{actor_of, in_project, outcome_of, run_named, with_run};
use crate::host::Host;
use crate::{Code, Refusal};
use domain::event::{CallRejected, Payload};
use domain::{RunId, Seq, TaskNo};
use serde_json::{Value, json};
use store::table::chain::{ChainRow, ChainsOf};
use store::{Reader, StoreError};

const CHAINS_DEFAULT: u32 = 500;
const CHAINS_MAX: u32 = 2_000;
const TRIES_MAX: u32 = 50;

pub(crate) fn load(host: &Host, params: &RejectedParams) -> Result<Rejected, Refusal> {
    let limit = params.limit.unwrap_or(CHAINS_DEFAULT).clamp(1, CHAINS_MAX);
    let run = match &params.run {
        Some(named) => Some(run_named(host, named)?),
        None => None,
    };
    in_project(host, params.project.as_deref(), |reader, project| {
        let of = ChainsOf {
            project: project.as_ref().filter(|_| run.is_none()),
            run,
            task: params.task.map(TaskNo),
            until: params.at.filter(|_| run.is_some()).map(Seq),
        };
        let mut rows = reader.chain_list(&of, limit + 1)?;
        let more = rows.len() > limit as usize;
        rows.truncate(limit as usize);
        let mut chains = Vec::with_capacity(rows.len());
        for row in &rows {
            chains.push(as_it_was(chain(reader, row)?, of.until));
        }
        let mut repairs: Vec<u64> = chains.iter().filter_map(|chain| chain.repair_ms).collect();
        repairs.sort_unstable();
        Ok(Rejected {
            position: reader.position()?.0,
            calls: chains
                .iter()
                .map(|chain| chain.tries.iter().filter(|t| t.code.is_some()).count() as u64)
                .sum(),
            counts: counts(&chains),
            median_repair_ms: repairs.get(repairs.len() / 2).copied(),
            chains,
            more,
        })
    })
}

fn counts(chains: &[Chain]) -> OutcomeCounts {
    let mut counts = OutcomeCounts::default();
    for chain in chains {
        *match chain.outcome {
            Outcome::Open => &mut counts.open,
            Outcome::Repaired => &mut counts.repaired,
            Outcome::GaveUp => &mut counts.gave_up,
            Outcome::Loop => &mut counts.looped,
            Outcome::Expected => &mut counts.expected,
        } += 1;
    }
    counts
}

/// A chain without what came after `until`.
fn as_it_was(mut chain: Chain, until: Option<Seq>) -> Chain {
    let Some(until) = until else { return chain };
    let later = |seq: u64| seq > until.0;
    chain.tries.retain(|try_| !later(try_.seq));
    if chain.repaired_by.is_some_and(later) {
        chain.repaired_by = None;
        chain.repair_ms = None;
        chain.outcome = Outcome::Open;
    }
    chain
}

fn chain(reader: &Reader<'_>, row: &ChainRow) -> Result<Chain, StoreError> {
    let mut tries = Vec::new();
    for seq in reader.chain_tries(row, TRIES_MAX)? {
        if let Some((at, refused)) = refusal(reader, row.run, seq)? {
            tries.push(Try { seq: seq.0, at, code: Some(refused.code), paths: refused.paths });
        }
    }
    let repaired = match row.repaired_by {
        Some(seq) => reader.event_get(row.run, seq)?,
        None => None,
    };
    let repair_ms = repaired.as_ref().map(|event| event.event.at.unix_ms() - row.first_at.unix_ms());
    if let Some(event) = &repaired {
        tries.push(Try { seq: event.event.seq.0, at: event.event.at.to_string(), code: None, paths: vec![] });
    }
    Ok(Chain {
        run: row.run.to_string(),
        seq: row.seq.0,
        actor: actor_of(&row.actor),
        tool: row.tool.clone(),
        code: row.code.clone(),
        task: row.task.map(|no| no.0),
        subject: row.subject.clone(),
        outcome: outcome_of(row.outcome),
        tries,
        repaired_by: row.repaired_by.map(|seq| seq.0),
        repair_ms: repair_ms.and_then(|ms| u64::try_from(ms).ok()),
        first_at: row.first_at.to_string(),
        last_at: row.last_at.to_string(),
    })
}

fn refusal(reader: &Reader<'_>, run: RunId, seq: Seq) -> Result<Option<(String, CallRejected)>, StoreError> {
    let row = reader.event_get(run, seq)?;
    Ok(row.and_then(|row| match row.payload {
        Some(Payload::CallRejected(refused)) => Some((row.event.at.to_string(), refused)),
        _ => None,
    }))
}

pub(crate) fn load_one(host: &Host, params: &RejectionParams) -> Result<ChainDetail, Refusal> {
    let found = with_run(host, &params.run, |reader, run| {
        let Some(row) = reader.chain_of(run.id, Seq(params.seq))? else { return Ok(None) };
        let chain = chain(reader, &row)?;
        let tries = details(reader, row.run, &chain)?;
        Ok(Some(ChainDetail { chain, tries }))
    })?;
    found.ok_or_else(|| {
        Refusal::new(Code::NotFound, format!("event {} is not a refused call", params.seq)).issue(
            "seq",
            "not a refused call",
            json!(params.seq),
            "the number of a refused call of this run",
            "choose one in the list of rejected calls",
        )
    })
}

fn details(reader: &Reader<'_>, run: RunId, chain: &Chain) -> Result<Vec<TryDetail>, StoreError> {
    let mut details: Vec<TryDetail> = Vec::new();
    let mut before: Option<Value> = None;
    for one in &chain.tries {
        let (told, arguments, digest, bytes) = match refusal(reader, run, Seq(one.seq))? {
            Some((_, refused)) => {
                let digest = refused.is_cut().then(|| refused.digest.clone());
                (refused.told, refused.arguments, digest, refused.bytes)
            }
            None => {
                let arguments = accepted(reader, run, Seq(one.seq))?.to_string();
                let bytes = arguments.len() as u64;
                (String::new(), arguments, None, bytes)
            }
        };
        let now: Value = serde_json::from_str(&arguments).unwrap_or(Value::Null);
        let diff = before.as_ref().map(|before| diff(before, &now)).unwrap_or_default();
        before = Some(now);
        details.push(TryDetail {
            seq: one.seq,
            at: one.at.clone(),
            code: one.code.clone(),
            paths: one.paths.clone(),
            told,
            arguments,
            digest,
            bytes,
            diff,
        });
    }
    Ok(details)
}

/// What an accepted call must have asked for, as its event shows it.
fn accepted(reader: &Reader<'_>, run: RunId, seq: Seq) -> Result<Value, StoreError> {
    let Some(row) = reader.event_get(run, seq)? else { return Ok(Value::Null) };
    let refs = |numbers: &[TaskNo]| numbers.iter().map(ToString::to_string).collect::<Vec<_>>();
    Ok(match &row.payload {
        Some(Payload::TaskCreated(event)) => {
            let mut arguments = json!({"subject": event.subject});
            if let Some(description) = &event.description {
                arguments["description"] = json!(description);
            }
            if !event.blocked_by.is_empty() {
                arguments["blockedBy"] = json!(refs(&event.blocked_by));
            }
            arguments
        }
        Some(Payload::TaskUpdated(event)) => {
            let mut patch = json!({});
            let changes = &event.changes;
            if let Some(change) = &changes.status {
                patch["status"] = json!(change.after);
            }
            if let Some(change) = &changes.subject {
                patch["subject"] = json!(change.after);
            }
            if let Some(change) = &changes.description {
                patch["description"] = json!(change.after.as_ref().map_or("", |text| text.as_str()));
            }
            if let Some(change) = &changes.blocked_by {
                patch["blockedBy"] = json!(refs(&change.after));
            }
            json!({"id": event.task.to_string(), "expectedVersion": event.version.0 - 1, "patch": patch})
        }
        Some(Payload::TaskDeleted(event)) => {
            json!({"id": event.task.to_string(), "expectedVersion": event.version.0 - 1})
        }
        Some(Payload::TaskRestored(event)) => {
            json!({"id": event.task.to_string(), "expectedVersion": event.version.0 - 1})
        }
        Some(Payload::CallAnswered(event)) => {
            serde_json::from_str(event.arguments.shown()).unwrap_or(Value::Null)
        }
        _ => Value::Null,
    })
}

/// What differs, leaf by leaf. The key that makes a retry harmless is not an argument.
fn diff(before: &Value, after: &Value) -> Vec<ArgumentChange> {
    let mut changes = Vec::new();
    walk("", Some(before), Some(after), &mut changes);
    changes.retain(|change| change.path != "idempotencyKey");
    changes
}

fn walk(path: &str, before: Option<&Value>, after: Option<&Value>, changes: &mut Vec<ArgumentChange>) {
    if before == after {
        return;
    }
    if let (Some(Value::Object(old)), Some(Value::Object(new))) = (before, after) {
        let names = old.keys().chain(new.keys().filter(|name| !old.contains_key(*name)));
        for name in names {
            let inner = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
            walk(&inner, old.get(name), new.get(name), changes);
        }
        return;
    }
    changes.push(ArgumentChange { path: path.into(), before: before.cloned(), after: after.cloned() });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_differs_is_shown() {
        let check = |before: Value, after: Value, expected: &[(&str, Option<Value>, Option<Value>)]| {
            let found: Vec<_> =
                diff(&before, &after).into_iter().map(|c| (c.path, c.before, c.after)).collect();
            let expected: Vec<_> =
                expected.iter().map(|(path, b, a)| ((*path).to_owned(), b.clone(), a.clone())).collect();
            assert_eq!(found, expected);
        };
        check(json!({"id": "1"}), json!({"id": "1"}), &[]);
        check(
            json!({"id": "1", "patch": {"status": "Done"}}),
            json!({"id": "1", "patch": {"status": "done"}, "expectedVersion": 2}),
            &[
                ("patch.status", Some(json!("Done")), Some(json!("done"))),
                ("expectedVersion", None, Some(json!(2))),
            ],
        );
        check(
            json!({"title": "x"}),
            json!({"subject": "x"}),
            &[("title", Some(json!("x")), None), ("subject", None, Some(json!("x")))],
        );
        check(json!({"idempotencyKey": "a"}), json!({"idempotencyKey": "b"}), &[]);
        check(json!("{}"), json!({}), &[("", Some(json!("{}")), Some(json!({})))]);
    }
}
