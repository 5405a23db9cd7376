//! Changes only what the patch names.

use super::progress_create::blockers;
use super::{
    Cx, Hints, Ref, Run, Stop, Tool, check_version, input, live_task, one_task_schema, version_rule,
};
use crate::shape::{Field, KEY_MAX, NotEmpty, Shape};
use crate::{Code, Refusal};
use domain::event::{Payload, TaskUpdated};
use domain::task::{Patch, find_cycle};
use domain::{Description, Status, Subject, TaskNo};
use serde::Deserialize;
use serde_json::{Value, json};

pub const TOOL: Tool = Tool {
    name: "progress_update",
    title: "Update a task",
    says: |policies| {
        format!(
            "Changes one task on the shared board: only the fields named in patch, everything else stays. \
             Use when: you start a task (status in_progress), finish it (done), get stuck (blocked), or learn \
             something that changes its subject, description or blockedBy. Not for: new work (progress_create) or \
             removing a task (progress_delete). {} \
             status is exactly one of pending, in_progress, blocked, done. patch must name at least one field; \
             blockedBy replaces the whole list and must not close a circle. An empty description removes it. \
             A retry with the same idempotencyKey and body gives the first answer and changes nothing again. \
             Progress is kept on this board only: never in a file, never through the shell.",
            version_rule(policies)
        )
    },
    input: Shape::Object(FIELDS, NotEmpty::No),
    output: one_task_schema,
    hints: Hints { read_only: false, idempotent: true },
    people_only: false,
    run: Run::Write(decide),
};

/// The largest version a call may name: what every JSON reader holds exactly is far above.
const VERSION_MAX: i64 = u32::MAX as i64;

pub(super) const ID: Field = Field {
    name: "id",
    shape: Shape::TaskRef,
    required: true,
    says: "The task's number as text, for example \"3\".",
};
pub(super) const EXPECTED_VERSION: Field = Field {
    name: "expectedVersion",
    shape: Shape::Integer { min: 1, max: VERSION_MAX },
    required: false,
    says: "The version you last read, for example 7.",
};
pub(super) const IDEMPOTENCY_KEY: Field = Field {
    name: "idempotencyKey",
    shape: Shape::IdempotencyKey,
    required: false,
    says: "1-100 characters of your choice, the same when you send the same call again.",
};
const _: () = assert!(KEY_MAX == domain::text::IdempotencyKey::MAX);

const FIELDS: &[Field] = &[
    ID,
    Field {
        name: "patch",
        shape: Shape::Object(PATCH, NotEmpty::Yes),
        required: true,
        says: "The fields to change, at least one.",
    },
    EXPECTED_VERSION,
    IDEMPOTENCY_KEY,
];

const PATCH: &[Field] = &[
    Field {
        name: "status",
        shape: Shape::Status,
        required: false,
        says: "One of pending, in_progress, blocked, done.",
    },
    Field {
        name: "subject",
        shape: Shape::Subject,
        required: false,
        says: "The new title, 1-200 characters.",
    },
    Field {
        name: "description",
        shape: Shape::Description,
        required: false,
        says: "The new details, at most 2000 characters; empty removes them.",
    },
    Field {
        name: "blockedBy",
        shape: Shape::TaskRefs,
        required: false,
        says: "The whole new list of ids that must be done first; [] removes all.",
    },
];

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Input {
    id: Ref,
    patch: PatchInput,
    expected_version: Option<u32>,
    #[serde(rename = "idempotencyKey")]
    _key: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct PatchInput {
    status: Option<Status>,
    subject: Option<Subject>,
    description: Option<Description>,
    blocked_by: Option<Vec<Ref>>,
}

fn decide(cx: &Cx<'_>, arguments: Value) -> Result<Payload, Stop> {
    let Input { id: Ref(no), patch, expected_version, _key } = input(arguments.clone())?;
    let row = live_task(cx.reader, cx.project, no)?;
    check_version(cx, &row, expected_version, TOOL.name, &arguments)?;
    let PatchInput { status, subject, description, blocked_by } = patch;
    let blocked_by = match blocked_by {
        Some(refs) => {
            let numbers = blockers(cx, "patch.blockedBy", refs)?;
            refuse_cycle(cx, no, &numbers)?;
            Some(numbers)
        }
        None => None,
    };
    let changes = Patch { status, subject, description, blocked_by }.diff(&row.task);
    Ok(TaskUpdated::new(no, row.task.version.next(), changes, cx.cause.clone()).into())
}

fn refuse_cycle(cx: &Cx<'_>, no: TaskNo, blockers: &[TaskNo]) -> Result<(), Stop> {
    let circle =
        find_cycle(no, blockers, |task| cx.reader.task_blockers(cx.project, task).map_err(Stop::Store))?;
    let Some(circle) = circle else { return Ok(()) };
    let named = circle.iter().map(|no| format!("#{no}")).collect::<Vec<_>>().join(" is blocked by ");
    let culprit = circle.get(1).copied().unwrap_or(no);
    let sent: Vec<_> = blockers.iter().map(TaskNo::to_string).collect();
    Err(Refusal::new(Code::Cycle, format!("these blockers would close a circle: {named}. Nothing changed."))
        .issue(
            "patch.blockedBy",
            format!("closes a circle: {named}"),
            json!(sent),
            "blockers that do not wait for this task",
            format!("leave #{culprit} out, or first remove the other link of the circle"),
        )
        .into())
}
