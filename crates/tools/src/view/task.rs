//! One task in full: fields, versions with who did what, and the calls that were refused.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::board::{Actor, FieldChange, TaskStatus};

#[derive(Debug, Clone, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[ts(optional_fields)]
pub struct TaskParams {
    pub project: Option<String>,
    pub id: u32,
}

#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct TaskDetail {
    pub project: String,
    #[ts(type = "number")]
    pub position: u64,
    pub id: u32,
    pub version: u32,
    pub status: TaskStatus,
    pub subject: String,
    pub description: Option<String>,
    pub blocked_by: Vec<Link>,
    pub blocks: Vec<Link>,
    pub held_by: Option<Actor>,
    pub deleted: bool,
    pub created_at: String,
    pub created_by: Actor,
    pub changed_at: String,
    pub changed_by: Actor,
    /// Newest first.
    pub versions: Vec<TaskVersion>,
    /// Newest first; at most 100.
    pub rejected: Vec<Rejection>,
}

#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Link {
    pub id: u32,
    pub status: TaskStatus,
    pub subject: String,
}

#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct TaskVersion {
    pub version: u32,
    pub at: String,
    pub actor: Actor,
    pub run: String,
    #[ts(type = "number")]
    pub seq: u64,
    #[ts(type = "number")]
    pub position: u64,
    /// task_created, task_updated, task_deleted or task_restored.
    pub kind: String,
    pub changes: Vec<FieldChange>,
    /// The call that caused it.
    pub tool: String,
    /// The caller's idempotency key.
    pub key: Option<String>,
}

#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Rejection {
    #[ts(type = "number")]
    pub position: u64,
    pub run: String,
    #[ts(type = "number")]
    pub seq: u64,
    pub at: String,
    pub actor: Actor,
    pub tool: String,
    pub code: String,
    pub outcome: super::rejected::Outcome,
    /// The chain it belongs to: the seq of its first refusal.
    #[ts(type = "number")]
    pub chain: u64,
    /// The text the agent was told, whole.
    pub text: String,
    /// The arguments as sent, masked and cut.
    pub arguments: String,
}

use super::board::field_changes;
use super::{actor_of, in_project, outcome_of, status_of};
use crate::host::Host;
use crate::{Code, Refusal};
use domain::TaskNo;
use domain::event::Payload;
use serde_json::json;
use store::table::event::EventRow;
use store::table::project::ProjectRow;
use store::{Reader, StoreError};

const VERSIONS_MAX: usize = 500;
const REJECTED_MAX: usize = 100;
/// Enough events to fill both lists.
const EVENTS_MAX: u32 = 1_000;

pub(crate) fn load(host: &Host, params: &TaskParams) -> Result<TaskDetail, Refusal> {
    let no = TaskNo(params.id);
    let found = in_project(host, params.project.as_deref(), |reader, project| match project {
        Some(project) => detail(reader, &project, no),
        None => Ok(None),
    })?;
    found.ok_or_else(|| {
        Refusal::new(Code::NotFound, format!("there is no task #{no} on this board")).issue(
            "id",
            "unknown task",
            json!(params.id),
            "a task of this project",
            "go back to the board",
        )
    })
}

fn detail(reader: &Reader<'_>, project: &ProjectRow, no: TaskNo) -> Result<Option<TaskDetail>, StoreError> {
    let Some(row) = reader.task_get(project, no)? else { return Ok(None) };
    let task = &row.task;
    let (mut versions, mut rejected) = (Vec::new(), Vec::new());
    for event in reader.event_of_task(project, no, EVENTS_MAX)? {
        if let Some(version) = version(&event) {
            versions.push(version);
        } else if rejected.len() < REJECTED_MAX
            && let Some(rejection) = rejection(reader, &event)?
        {
            rejected.push(rejection);
        }
    }
    versions.truncate(VERSIONS_MAX);
    Ok(Some(TaskDetail {
        project: project.id.to_string(),
        position: reader.position()?.0,
        id: task.no.0,
        version: task.version.0,
        status: status_of(task.status),
        subject: task.subject.to_string(),
        description: task.description.as_ref().map(ToString::to_string),
        blocked_by: links(reader, project, &task.blocked_by)?,
        blocks: links(reader, project, &reader.task_blocks(project, no)?)?,
        held_by: row.held_by.as_ref().map(actor_of),
        deleted: task.deleted,
        created_at: task.created.at.to_string(),
        created_by: actor_of(&row.created_by),
        changed_at: task.changed.at.to_string(),
        changed_by: actor_of(&row.changed_by),
        versions,
        rejected,
    }))
}

fn links(reader: &Reader<'_>, project: &ProjectRow, numbers: &[TaskNo]) -> Result<Vec<Link>, StoreError> {
    let mut links = Vec::new();
    for &no in numbers {
        if let Some(card) = reader.task_card(project, no)?.filter(|card| !card.deleted) {
            links.push(Link { id: no.0, status: status_of(card.status), subject: card.subject });
        }
    }
    Ok(links)
}

fn version(row: &EventRow) -> Option<TaskVersion> {
    let (version, changes, call) = match row.payload.as_ref()? {
        Payload::TaskCreated(event) => (event.version, vec![], &event.call),
        Payload::TaskUpdated(event) => (event.version, field_changes(&event.changes), &event.call),
        Payload::TaskDeleted(event) => (event.version, vec![], &event.call),
        Payload::TaskRestored(event) => (event.version, vec![], &event.call),
        _ => return None,
    };
    Some(TaskVersion {
        version: version.0,
        at: row.event.at.to_string(),
        actor: actor_of(&row.actor),
        run: row.event.run.to_string(),
        seq: row.event.seq.0,
        position: row.position.0,
        kind: row.event.kind.clone(),
        changes,
        tool: call.tool.clone(),
        key: call.key.clone(),
    })
}

fn rejection(reader: &Reader<'_>, row: &EventRow) -> Result<Option<Rejection>, StoreError> {
    let Some(Payload::CallRejected(event)) = &row.payload else { return Ok(None) };
    let chain = reader.chain_of(row.event.run, row.event.seq)?;
    Ok(Some(Rejection {
        position: row.position.0,
        run: row.event.run.to_string(),
        seq: row.event.seq.0,
        at: row.event.at.to_string(),
        actor: actor_of(&row.actor),
        tool: event.tool.clone(),
        code: event.code.clone(),
        outcome: outcome_of(chain.as_ref().map_or(domain::Outcome::Open, |chain| chain.outcome)),
        chain: chain.map_or(row.event.seq, |chain| chain.seq).0,
        text: event.told.clone(),
        arguments: event.arguments.clone(),
    }))
}
