//! One task in full.

use super::progress_update::ID;
use super::{Hints, Ref, Run, Stop, Tool, input, live_task, one_task_schema, task_fields, task_line};
use crate::Answer;
use crate::shape::{Field, NotEmpty, Shape};
use domain::render::numbers_max;
use serde::Deserialize;
use serde_json::{Value, json};
use store::Reader;
use store::table::project::ProjectRow;

pub const TOOL: Tool = Tool {
    name: "progress_get",
    title: "Read a task",
    says: |_| {
        "Shows one task in full: fields, version, what blocks it, what it blocks, and who changed it last. \
         Use when: you need a task's description, or its present version before progress_update or progress_delete. \
         Not for: an overview (progress_list). Never read progress from a file: this board is the only record."
            .into()
    },
    input: Shape::Object(FIELDS, NotEmpty::No),
    output: one_task_schema,
    hints: Hints { read_only: true, idempotent: true },
    people_only: false,
    run: Run::Read(read),
};

const FIELDS: &[Field] = &[ID];

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Input {
    id: Ref,
}

/// A task that blocks hundreds of others must not fill the answer.
const BLOCKS_MAX: usize = 50;

fn read(reader: &Reader<'_>, project: &ProjectRow, arguments: Value) -> Result<Answer, Stop> {
    let Input { id: Ref(no) } = input(arguments)?;
    let row = live_task(reader, project, no)?;
    let task = &row.task;
    let mut text = task_line(&row);
    let blocks = reader.task_blocks(project, no)?;
    if !blocks.is_empty() {
        text.push_str(&format!("\nblocks {}", numbers_max(&blocks, BLOCKS_MAX)));
    }
    text.push_str(&format!(
        "\ncreated by {} ({}) at {}",
        row.created_by.name, row.created_by.kind, task.created.at
    ));
    if task.changed != task.created {
        let by = &row.changed_by;
        text.push_str(&format!("\nlast changed by {} ({}) at {}", by.name, by.kind, task.changed.at));
    }
    if let Some(description) = &task.description {
        text.push_str(&format!("\n\n{description}"));
    }
    Ok(Answer { text, structured: json!({"task": task_fields(&row)}) })
}
