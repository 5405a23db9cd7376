//! The board as text, one line a task, a page at a time.

use super::{Hints, Run, Stop, Tool, input, task_schema, texts};
use crate::shape::{Field, NotEmpty, Shape};
use crate::{Answer, Code, Refusal};
use domain::render::{self, Line};
use domain::{Status, TaskNo};
use serde::Deserialize;
use serde_json::{Value, json};
use store::Reader;
use store::table::project::ProjectRow;
use store::table::task::{ListRow, Page};

pub const TOOL: Tool = Tool {
    name: "progress_list",
    title: "List tasks",
    says: |_| {
        "Lists the project's shared board, one line a task: #id vVersion [status] subject [blocked by ...] (held by ...). \
         Use when: you start work, want to know what is open, or need ids and versions. \
         Not for: one task's details (progress_get). Optional: status filters, limit (1-200, else 50) caps the page, cursor \
         continues where the page before ended. Never read progress from a file: this board is the only record."
            .into()
    },
    input: Shape::Object(FIELDS, NotEmpty::No),
    output: || {
        json!({
            "type": "object",
            "properties": {
                "tasks": {"type": "array", "items": task_schema()},
                "nextCursor": {"type": "string"},
            },
            "required": ["tasks"],
        })
    },
    hints: Hints { read_only: true, idempotent: true },
    people_only: false,
    run: Run::Read(read),
};

const LIMIT_MAX: u32 = 200;
/// Fifty ordinary tasks fill a page of 8 kB.
const LIMIT_DEFAULT: u32 = 50;

const FIELDS: &[Field] = &[
    Field {
        name: "status",
        shape: Shape::Status,
        required: false,
        says: "Only tasks with this status: pending, in_progress, blocked or done.",
    },
    Field {
        name: "cursor",
        shape: Shape::Cursor,
        required: false,
        says: "The nextCursor of the page before.",
    },
    Field {
        name: "limit",
        shape: Shape::Integer { min: 1, max: LIMIT_MAX as i64 },
        required: false,
        says: "At most this many tasks, 1-200; 50 without it. A page also ends at 8 kB.",
    },
];

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Input {
    status: Option<Status>,
    cursor: Option<String>,
    limit: Option<u32>,
}

/// A page stays under 8 kB, text and structure each, with room for the last line and the brackets.
const PAGE_BYTES_MAX: usize = 8_000 - 160;

fn read(reader: &Reader<'_>, project: &ProjectRow, arguments: Value) -> Result<Answer, Stop> {
    let Input { status, cursor, limit } = input(arguments)?;
    let after = match &cursor {
        Some(text) => cursor_read(text)?,
        None => TaskNo(0),
    };
    let limit = limit.unwrap_or(LIMIT_DEFAULT);
    // One more than asked tells whether there is a next page.
    let rows = reader.task_page(project, Page { status, after, limit: limit + 1 })?;
    let (mut lines, mut tasks, mut last) = (Vec::new(), Vec::new(), None);
    let (mut text_bytes, mut json_bytes) = (0, 0);
    for row in rows.iter().take(limit as usize) {
        let (line, fields) = (line(row), fields(row));
        text_bytes += line.len() + 1;
        json_bytes += fields.to_string().len() + 1;
        if last.is_some() && text_bytes.max(json_bytes) > PAGE_BYTES_MAX {
            break;
        }
        lines.push(line);
        tasks.push(fields);
        last = Some(row.no);
    }
    let more = tasks.len() < rows.len();
    let mut structured = json!({"tasks": tasks});
    match (last, more) {
        (None, _) => lines.push(empty_line(status, cursor.is_some())),
        (Some(last), true) => {
            let next = cursor_write(last);
            lines.push(format!("(more: call progress_list again with cursor {next})"));
            structured["nextCursor"] = next.into();
        }
        (Some(_), false) => {}
    }
    Ok(Answer { text: lines.join("\n"), structured })
}

fn line(row: &ListRow) -> String {
    render::task_line(&Line {
        no: row.no,
        version: row.version,
        status: row.status,
        subject: &row.subject,
        blocked_by: &row.blocked_by,
        held_by: row.held_by.as_deref(),
    })
}

fn fields(row: &ListRow) -> Value {
    let mut fields = json!({
        "id": row.no.to_string(),
        "version": row.version.0,
        "status": row.status.as_str(),
        "subject": row.subject,
        "blockedBy": texts(&row.blocked_by),
    });
    if let Some(held) = &row.held_by {
        fields["heldBy"] = held.as_str().into();
    }
    fields
}

fn empty_line(status: Option<Status>, paged: bool) -> String {
    match (status, paged) {
        (_, true) => "(no more tasks)".into(),
        (Some(status), false) => format!("(no tasks with status {status})"),
        (None, false) => "(the board is empty; progress_create makes a task)".into(),
    }
}

fn cursor_write(last: TaskNo) -> String {
    format!("after-{last}")
}

fn cursor_read(text: &str) -> Result<TaskNo, Stop> {
    text.strip_prefix("after-").and_then(TaskNo::parse).ok_or_else(|| {
        Refusal::new(Code::InvalidInput, "progress_list does not know this cursor.")
            .issue(
                "cursor",
                "not a cursor of this list",
                json!(text),
                "the nextCursor of the page before, unchanged",
                "leave cursor out to start from the first page",
            )
            .into()
    })
}
