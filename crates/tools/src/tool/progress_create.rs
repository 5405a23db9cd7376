//! Makes a task. The store allots its number.

use super::{Cx, Hints, Ref, Run, Stop, Tool, input, one_task_schema};
use crate::shape::{Field, NotEmpty, Shape};
use crate::{Code, Refusal};
use domain::event::{Payload, TaskCreated};
use domain::task::sorted;
use domain::{Description, Subject, TaskNo};
use serde::Deserialize;
use serde_json::{Value, json};

pub const TOOL: Tool = Tool {
    name: "progress_create",
    title: "Create a task",
    says: |_| {
        "Creates one task on the project's shared board, with status pending and version 1; the board allots its id. \
         Use when: you plan or discover a piece of work that will take more than one step, or that another agent or a \
         person should see. Not for: notes, logs, or changing a task that exists (progress_update). \
         Limits: subject 1-200 characters on one line, description at most 2000, blockedBy at most 50 ids of live tasks. \
         Send an idempotencyKey (1-100 characters): a retry with the same key and body gives the first answer and makes \
         no second task. Progress is kept on this board only: never in a file, never through the shell."
            .into()
    },
    input: Shape::Object(FIELDS, NotEmpty::No),
    output: one_task_schema,
    hints: Hints { read_only: false, idempotent: true },
    people_only: false,
    run: Run::Write(decide),
};

const FIELDS: &[Field] = &[
    Field {
        name: "subject",
        shape: Shape::Subject,
        required: true,
        says: "What is to be done, in one line of 1-200 characters.",
    },
    Field {
        name: "description",
        shape: Shape::Description,
        required: false,
        says: "Details, at most 2000 characters. Lines are allowed.",
    },
    Field {
        name: "blockedBy",
        shape: Shape::TaskRefs,
        required: false,
        says: "Ids of live tasks that must be done first, for example [\"1\", \"2\"].",
    },
    super::progress_update::IDEMPOTENCY_KEY,
];

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Input {
    subject: Subject,
    description: Option<Description>,
    blocked_by: Option<Vec<Ref>>,
    #[serde(rename = "idempotencyKey")]
    _key: Option<String>,
}

fn decide(cx: &Cx<'_>, arguments: Value) -> Result<Payload, Stop> {
    let input: Input = input(arguments)?;
    let no = cx.reader.task_no_next(cx.project.id)?;
    let blocked_by = blockers(cx, "blockedBy", input.blocked_by.unwrap_or_default())?;
    let description = input.description.filter(|text| !text.as_str().is_empty());
    Ok(TaskCreated::new(no, cx.new_id, input.subject, description, blocked_by, cx.cause.clone()).into())
}

/// The task numbers of a `blockedBy`, all of them live, or one issue for each that is not.
pub(super) fn blockers(cx: &Cx<'_>, path: &str, refs: Vec<Ref>) -> Result<Vec<TaskNo>, Stop> {
    let mut refusal =
        Refusal::new(Code::NotFound, "blockedBy names tasks that are not on the board; nothing changed.");
    for (index, Ref(no)) in refs.iter().enumerate() {
        let live = cx.reader.task_get(cx.project, *no)?.is_some_and(|row| !row.task.deleted);
        if !live {
            refusal = refusal.issue(
                format!("{path}[{index}]"),
                format!("there is no live task #{no}"),
                json!(no.to_string()),
                "the number of a live task",
                "leave it out, or call progress_list and use a number it shows",
            );
        }
    }
    if refusal.issues.is_empty() {
        Ok(sorted(refs.into_iter().map(|Ref(no)| no).collect()))
    } else {
        Err(refusal.into())
    }
}
