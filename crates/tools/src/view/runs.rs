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

use super::{actor_of, in_project};
use crate::Refusal;
use crate::host::Host;
use store::table::task::ActorRow;

const LIMIT_DEFAULT: u32 = 200;

pub(crate) fn load(host: &Host, params: &RunsParams) -> Result<Runs, Refusal> {
    in_project(host, params.project.as_deref(), |reader, project| {
        // Without a named project, the runs of all.
        let project = project.filter(|_| params.project.is_some());
        let rows = reader.run_list(project.as_ref(), params.limit.unwrap_or(LIMIT_DEFAULT))?;
        let runs = rows.into_iter().map(|row| {
            let actor = actor_of(&ActorRow { kind: row.actor, name: row.name });
            RunRow {
                id: row.id.to_string(),
                project: row.project.to_string(),
                agent: actor.name,
                agent_version: row.version,
                actor: actor.kind,
                status: row.status,
                source: row.source.to_string(),
                events: row.events.0,
                rejected: row.rejected,
                started: row.started_at.to_string(),
                ended: row.ended_at.map(|at| at.to_string()),
                last_at: row.last_at.to_string(),
                open_refusals: 0,
                parent: None,
                title: None,
                tokens_in: None,
                tokens_out: None,
                cost: None,
                verify: None,
            }
        });
        Ok(Runs { position: reader.position()?.0, runs: runs.collect() })
    })
}
