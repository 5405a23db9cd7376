//! Every tool, in the order in which clients see them.

use crate::tool::{
    Tool, progress_create, progress_delete, progress_get, progress_list, progress_restore, progress_update,
    rejection_mark,
};
use domain::policy::Policies;
use serde_json::{Value, json};

pub const TOOLS: &[Tool] = &[
    progress_create::TOOL,
    progress_delete::TOOL,
    progress_get::TOOL,
    progress_list::TOOL,
    progress_restore::TOOL,
    progress_update::TOOL,
    rejection_mark::TOOL,
];

/// Finds a tool by its name or by the dotted alias (`progress.update`).
#[must_use]
pub fn find(name: &str) -> Option<&'static Tool> {
    let plain = match name.split_once('.') {
        Some((noun, verb)) if !verb.contains('.') => format!("{noun}_{verb}"),
        _ => name.to_owned(),
    };
    TOOLS.iter().find(|tool| tool.name == plain)
}

/// The tools agents may call, as MCP's `tools/list` gives them.
#[must_use]
pub fn tool_list(policies: &Policies) -> Value {
    let shown = TOOLS.iter().filter(|tool| !tool.people_only).map(|tool| {
        json!({
            "name": tool.name,
            "title": tool.title,
            "description": (tool.says)(policies),
            "inputSchema": tool.input.schema(),
            "outputSchema": (tool.output)(),
            "annotations": {
                "title": tool.title,
                "readOnlyHint": tool.hints.read_only,
                "destructiveHint": false,
                "idempotentHint": tool.hints.idempotent,
                "openWorldHint": false,
            },
            "_meta": {"anthropic/alwaysLoad": true},
        })
    });
    shown.collect()
}

/// What an MCP client tells its model about this server.
#[must_use]
pub fn instructions(policies: &Policies) -> String {
    format!(
        "This server holds the project's shared task board; agents and people see and change the same tasks, live. \
         Keep all progress here with the progress_* tools: list the board before you start, set a task in_progress \
         when you begin it and done when it is finished, create tasks for work you discover. \
         Never write progress to a file (progress.json, TODO.md, tasks.json ...) and never change it through the \
         shell: such files have no effect. Ids, versions and times come from the board. {} \
         A refused call changes nothing and says how to repair it; repair it and send it again. \
         Do not use the board for one-step questions or for notes.",
        crate::tool::version_rule(policies)
    )
}
