//! Brings a deleted task back. For people only.

use super::progress_delete::{FIELDS, Input};
use super::{Cx, Hints, Ref, Run, Stop, Tool, check_version, input, not_found, one_task_schema};
use crate::shape::{NotEmpty, Shape};
use crate::{Code, Refusal};
use domain::event::{Payload, TaskRestored};
use serde_json::{Value, json};

pub const TOOL: Tool = Tool {
    name: "progress_restore",
    title: "Restore a task",
    says: |_| "Brings a deleted task back to the board, as a new version. People only.".into(),
    input: Shape::Object(FIELDS, NotEmpty::No),
    output: one_task_schema,
    hints: Hints { read_only: false, idempotent: true },
    people_only: true,
    run: Run::Write(decide),
};

fn decide(cx: &Cx<'_>, arguments: Value) -> Result<Payload, Stop> {
    let Input { id: Ref(no), expected_version, .. } = input(arguments.clone())?;
    let row = match cx.reader.task_get(cx.project, no)? {
        Some(row) if row.task.deleted => row,
        Some(row) => {
            let problem = format!("task #{no} is on the board (version {})", row.task.version);
            return Err(Refusal::new(Code::InvalidInput, format!("{problem}; nothing changed."))
                .issue(
                    "id",
                    "not deleted",
                    json!(no.to_string()),
                    "a deleted task",
                    "nothing needs restoring",
                )
                .into());
        }
        None => return Err(not_found("id", no, None).into()),
    };
    check_version(cx, &row, expected_version, TOOL.name, &arguments)?;
    Ok(TaskRestored::new(no, row.task.version.next(), cx.cause.clone()).into())
}
