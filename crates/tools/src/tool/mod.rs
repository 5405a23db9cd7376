//! What an agent or a person may do: one verb, one tool, one file.
//!
//! A tool that writes only *decides*: it looks at the present state and gives back the event that
//! should happen, or why not. [`crate::dispatch`] performs it.

pub mod progress_create;
pub mod progress_delete;
pub mod progress_get;
pub mod progress_list;
pub mod progress_restore;
pub mod progress_update;
pub mod rejection_mark;

use crate::shape::Shape;
use crate::{Answer, Code, Refusal};
use domain::event::{Cause, Payload};
use domain::policy::stale_guard::Verdict;
use domain::policy::{Policies, StaleGuard};
use domain::render::{self, Line};
use domain::{TaskId, TaskNo, Version};
use serde_json::{Value, json};
use store::table::project::ProjectRow;
use store::table::task::TaskRow;
use store::{Reader, StoreError};

#[derive(Debug)]
pub struct Tool {
    pub name: &'static str,
    pub title: &'static str,
    pub says: fn(&Policies) -> String,
    pub input: Shape,
    pub output: fn() -> Value,
    pub hints: Hints,
    /// Agents are refused; the tool is not shown to them.
    pub people_only: bool,
    pub run: Run,
}

/// MCP's annotations. None of our tools reaches outside the store.
#[derive(Debug, Clone, Copy)]
pub struct Hints {
    pub read_only: bool,
    pub idempotent: bool,
}

#[derive(Debug)]
pub enum Run {
    Read(fn(&Reader<'_>, &ProjectRow, Value) -> Result<Answer, Stop>),
    Write(fn(&Cx<'_>, Value) -> Result<Payload, Stop>),
}

/// What a decision may look at.
#[derive(Debug)]
pub struct Cx<'a> {
    pub reader: &'a Reader<'a>,
    pub project: &'a ProjectRow,
    /// The row identity for a task that is about to be made.
    pub new_id: TaskId,
    pub cause: Cause,
}

/// Why a tool did not go through.
#[derive(Debug)]
pub enum Stop {
    Refused(Box<Refusal>),
    Store(StoreError),
}

impl From<StoreError> for Stop {
    fn from(error: StoreError) -> Stop {
        Stop::Store(error)
    }
}

impl From<Refusal> for Stop {
    fn from(refusal: Refusal) -> Stop {
        Stop::Refused(Box::new(refusal))
    }
}

/// The check has vouched for the shape, so a failure here is a fault of ours.
pub(crate) fn input<T: serde::de::DeserializeOwned>(arguments: Value) -> Result<T, Stop> {
    serde_json::from_value(arguments).map_err(|error| {
        Stop::Store(StoreError::internal(format!("checked arguments do not parse: {error}")))
    })
}

/// A task number in an argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Ref(pub TaskNo);

impl<'de> serde::Deserialize<'de> for Ref {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        TaskNo::parse(&text).map(Ref).ok_or_else(|| serde::de::Error::custom("not a task number"))
    }
}

/// A live task, or the refusal that says what became of it.
pub(crate) fn live_task(reader: &Reader<'_>, project: &ProjectRow, no: TaskNo) -> Result<TaskRow, Stop> {
    match reader.task_get(project, no)? {
        Some(row) if !row.task.deleted => Ok(row),
        found => Err(not_found("id", no, found.as_ref()).into()),
    }
}

fn not_found(path: &str, no: TaskNo, found: Option<&TaskRow>) -> Refusal {
    let problem = match found {
        Some(row) => format!("task #{no} was deleted by {} at {}", row.changed_by.name, row.task.changed.at),
        None => format!("there is no task #{no} on this board"),
    };
    let fix = "call progress_list and use a number it shows";
    Refusal::new(Code::NotFound, format!("{problem}; nothing changed.")).issue(
        path,
        problem,
        json!(no.to_string()),
        "the number of a live task",
        fix,
    )
}

/// The stale guard, the same for agents and people. `resend` is the call as it came.
pub(crate) fn check_version(
    cx: &Cx<'_>,
    row: &TaskRow,
    expected: Option<u32>,
    tool: &str,
    resend: &Value,
) -> Result<(), Stop> {
    let present = row.task.version;
    let mut again = resend.clone();
    again["expectedVersion"] = present.0.into();
    let again = json!({"tool": tool, "arguments": again});
    match cx.project.policies.stale_guard.decide(expected.map(Version), present) {
        Verdict::Fresh => Ok(()),
        Verdict::Missing => {
            let message = format!(
                "{tool} on #{} needs expectedVersion, the version you read; nothing changed.",
                row.task.no
            );
            let mut refusal = Refusal::new(Code::InvalidInput, message).issue(
                "expectedVersion",
                "missing",
                Value::Null,
                "the version your change is based on",
                format!("add expectedVersion; the task is at version {present} now"),
            );
            refusal.retry = Some(again);
            Err(refusal.into())
        }
        Verdict::Stale => {
            let got = expected.unwrap_or_default();
            let now = task_line(row);
            // A version that is ahead was never read from this board: nobody changed anything.
            let changed = if got < present.0 {
                format!(": {} changed it at {}", row.changed_by.name, row.task.changed.at)
            } else {
                String::new()
            };
            let no = row.task.no;
            let message = format!(
                "task #{no} is at version {present}, not {got}{changed}. Nothing changed.\nNow: {now}"
            );
            let mut refusal = Refusal::new(Code::Stale, message).issue(
                "expectedVersion",
                "not the present version",
                json!(got),
                present.to_string(),
                "look at the task as it is now; if your change is still right, send it again with this version",
            );
            refusal.current = Some(task_fields(row));
            refusal.retry = Some(again);
            Err(refusal.into())
        }
    }
}

pub(crate) fn task_line(row: &TaskRow) -> String {
    let task = &row.task;
    render::task_line(&Line {
        no: task.no,
        version: task.version,
        status: task.status,
        subject: task.subject.as_str(),
        blocked_by: &task.blocked_by,
        held_by: row.held_by.as_ref().map(|held| held.name.as_str()),
    })
}

fn texts(numbers: &[TaskNo]) -> Vec<String> {
    numbers.iter().map(TaskNo::to_string).collect()
}

/// A task as `structuredContent` gives it.
pub(crate) fn task_fields(row: &TaskRow) -> Value {
    let task = &row.task;
    let mut fields = json!({
        "id": task.no.to_string(),
        "version": task.version.0,
        "status": task.status.as_str(),
        "subject": task.subject.as_str(),
        "blockedBy": texts(&task.blocked_by),
    });
    if let Some(text) = &task.description {
        fields["description"] = text.as_str().into();
    }
    if let Some(held) = &row.held_by {
        fields["heldBy"] = held.name.as_str().into();
    }
    if task.deleted {
        fields["deleted"] = true.into();
    }
    fields
}

pub(crate) fn task_schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "id": {"type": "string"},
            "version": {"type": "integer"},
            "status": Shape::Status.schema(),
            "subject": {"type": "string"},
            "description": {"type": "string"},
            "blockedBy": {"type": "array", "items": {"type": "string"}},
            "heldBy": {"type": "string"},
            "deleted": {"type": "boolean"},
        },
        "required": ["id", "version", "status", "subject", "blockedBy"],
    })
}

/// What every tool about one task gives.
pub(crate) fn one_task_schema() -> Value {
    json!({
        "type": "object",
        "properties": {"task": task_schema(), "replayed": {"type": "boolean"}},
        "required": ["task"],
    })
}

/// The sentence about `expectedVersion` that fits the policy in force.
pub(crate) fn version_rule(policies: &Policies) -> &'static str {
    match policies.stale_guard {
        StaleGuard::Required => {
            "expectedVersion is required: the version you last read. If someone changed the task since, you get STALE \
             with the task as it is now and the call to repeat."
        }
        StaleGuard::Optional => {
            "expectedVersion is optional: send the version you last read to be refused (STALE) instead of overwriting \
             what someone changed since."
        }
    }
}
