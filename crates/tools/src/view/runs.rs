//! Every run of the store, newest first.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

#[derive(Debug, Clone, Default, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
#[ts(optional_fields)]
pub struct RunsParams {
    pub project: Option<String>,
    pub limit: Option<u32>,
    /// Only those of agents, persons or the host.
    pub actor: Option<super::board::ActorKind>,
    /// Only those whose agent's name has this in it.
    pub agent: Option<String>,
    /// Only those that started at or after this time (RFC 3339).
    pub since: Option<String>,
}

#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Runs {
    #[ts(type = "number")]
    pub position: u64,
    pub runs: Vec<RunRow>,
}

#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct RunRow {
    pub id: String,
    pub project: String,
    /// The agent's name, or the person's.
    pub agent: String,
    pub agent_version: Option<String>,
    /// agent, person or host.
    pub actor: super::board::ActorKind,
    /// running, completed, failed, interrupted, cancelled or budget_exhausted.
    pub status: String,
    /// bridge, session, meta, unattributed, window, browser or cli.
    pub source: String,
    #[ts(type = "number")]
    pub events: u64,
    #[ts(type = "number")]
    pub rejected: u64,
    pub started: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub ended: Option<String>,
    pub last_at: String,
    /// Refused calls that were neither repaired nor given up yet.
    #[ts(type = "number")]
    pub open_refusals: u64,
    /// The run that started this one.
    pub parent: Option<String>,
    /// What the agent said it was for, when it said so.
    pub title: Option<String>,
    #[ts(type = "number | null")]
    pub tokens_in: Option<u64>,
    #[ts(type = "number | null")]
    pub tokens_out: Option<u64>,
    /// US dollars, where known.
    pub cost: Option<f64>,
    /// `null`: never checked.
    pub verify: Option<super::verify::VerifyMark>,
}

use super::{actor_of, in_project, verify_mark};
use crate::host::Host;
use crate::{Code, Refusal};
use domain::Timestamp;
use serde_json::json;
use store::table::run::{RunRow as Row, RunsOf};
use store::table::task::ActorRow;
use store::{Reader, StoreError};

const LIMIT_DEFAULT: u32 = 200;
const LIMIT_MAX: u32 = 5_000;

pub(crate) fn load(host: &Host, params: &RunsParams) -> Result<Runs, Refusal> {
    let since = params.since.as_deref().map(|text| time("since", text)).transpose()?;
    in_project(host, params.project.as_deref(), |reader, project| {
        let of = RunsOf {
            // Without a named project, the runs of all.
            project: project.as_ref().filter(|_| params.project.is_some()),
            actor: params.actor.map(super::actor_kind),
            agent: params.agent.as_deref(),
            since,
            parent: None,
        };
        let rows = reader.run_list(&of, params.limit.unwrap_or(LIMIT_DEFAULT).min(LIMIT_MAX))?;
        let runs = rows.iter().map(|row| run_row(reader, row)).collect::<Result<_, _>>()?;
        Ok(Runs { position: reader.position()?.0, runs })
    })
}

pub(super) fn time(field: &str, text: &str) -> Result<Timestamp, Refusal> {
    Timestamp::parse(text).ok_or_else(|| {
        Refusal::new(Code::InvalidInput, format!("{field} is not a time")).issue(
            field,
            "not an RFC 3339 time",
            json!(text),
            "a time such as 2026-11-30T12:00:00Z",
            "correct the time, or leave it out",
        )
    })
}

pub(super) fn run_row(reader: &Reader<'_>, row: &Row) -> Result<RunRow, StoreError> {
    let actor = actor_of(&ActorRow { kind: row.actor, name: row.name.clone() });
    Ok(RunRow {
        id: row.id.to_string(),
        project: row.project.to_string(),
        agent: actor.name,
        agent_version: row.version.clone(),
        actor: actor.kind,
        status: row.status.clone(),
        source: row.source.to_string(),
        events: row.events.0,
        rejected: row.rejected,
        started: row.started_at.to_string(),
        ended: row.ended_at.map(|at| at.to_string()),
        last_at: row.last_at.to_string(),
        open_refusals: row.open,
        parent: row.parent.map(|id| id.to_string()),
        title: row.title.clone(),
        tokens_in: row.tokens_in,
        tokens_out: row.tokens_out,
        cost: row.cost.map(dollars),
        verify: reader.check_get(row.id)?.map(verify_mark),
    })
}

/// Millionths of a dollar as dollars.
pub(super) fn dollars(micros: u64) -> f64 {
    micros as f64 / 1_000_000.0
}
