//! Hides a task from the board. Its number is never used again; a person can bring it back.

use super::progress_update::{EXPECTED_VERSION, ID, IDEMPOTENCY_KEY};
use super::{
    Cx, Hints, Ref, Run, Stop, Tool, check_version, input, live_task, one_task_schema, version_rule,
};
use crate::shape::{Field, NotEmpty, Shape};
use domain::event::{Payload, TaskDeleted};
use serde::Deserialize;
use serde_json::Value;

pub const TOOL: Tool = Tool {
    name: "progress_delete",
    title: "Delete a task",
    says: |policies| {
        format!(
            "Takes one task off the shared board. It is a tombstone: the id is never used again, history stays, and a \
             person can restore it. Use when: a task was created by mistake or is no longer wanted. Not for: finished \
             work (progress_update with status done) and never to make a list look finished. {} \
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

pub(super) const FIELDS: &[Field] = &[ID, EXPECTED_VERSION, IDEMPOTENCY_KEY];

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Input {
    pub id: Ref,
    pub expected_version: Option<u32>,
    #[serde(rename = "idempotencyKey")]
    _key: Option<String>,
}

fn decide(cx: &Cx<'_>, arguments: Value) -> Result<Payload, Stop> {
    let Input { id: Ref(no), expected_version, .. } = input(arguments.clone())?;
    let row = live_task(cx.reader, cx.project, no)?;
    check_version(cx, &row, expected_version, TOOL.name, &arguments)?;
    Ok(TaskDeleted::new(no, row.task.version.next(), cx.cause.clone()).into())
}
