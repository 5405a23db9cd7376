//! The text a model reads: always the same shape, whatever the content.

use crate::{Status, TaskNo, Version};

/// What a line about a task shows.
#[derive(Debug, Clone, Copy)]
pub struct Line<'a> {
    pub no: TaskNo,
    pub version: Version,
    pub status: Status,
    pub subject: &'a str,
    pub blocked_by: &'a [TaskNo],
    pub held_by: Option<&'a str>,
}

/// `#3 v7 [in_progress] Fix login [blocked by #1, #2] (held by codex)`
#[must_use]
pub fn task_line(line: &Line<'_>) -> String {
    let Line { no, version, status, subject, blocked_by, held_by } = line;
    let blocked = match blocked_by {
        [] => String::new(),
        some => format!(" [blocked by {}]", numbers(some)),
    };
    let held = held_by.map(|name| format!(" (held by {name})")).unwrap_or_default();
    format!("#{no} v{version} [{status}] {subject}{blocked}{held}")
}

/// `#1, #2`
#[must_use]
pub fn numbers(tasks: &[TaskNo]) -> String {
    tasks.iter().map(|no| format!("#{no}")).collect::<Vec<_>>().join(", ")
}

/// Many numbers, at most `max` of them: `#1, #2 and 40 more`.
#[must_use]
pub fn numbers_max(tasks: &[TaskNo], max: usize) -> String {
    match tasks.len().saturating_sub(max) {
        0 => numbers(tasks),
        more => format!("{} and {more} more", numbers(&tasks[..max])),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_task_is_one_line() {
        let check = |blocked_by: &[u32], held_by, expected: &str| {
            let blocked_by: Vec<_> = blocked_by.iter().copied().map(TaskNo).collect();
            let line = Line {
                no: TaskNo(3),
                version: Version(7),
                status: Status::InProgress,
                subject: "Fix login",
                blocked_by: &blocked_by,
                held_by,
            };
            assert_eq!(task_line(&line), expected);
        };
        check(&[], None, "#3 v7 [in_progress] Fix login");
        check(&[1, 2], Some("codex"), "#3 v7 [in_progress] Fix login [blocked by #1, #2] (held by codex)");
    }

    #[test]
    fn long_lists_say_how_many_more() {
        let many: Vec<_> = (1..=5).map(TaskNo).collect();
        assert_eq!(numbers_max(&many, 2), "#1, #2 and 3 more");
        assert_eq!(numbers_max(&many, 5), "#1, #2, #3, #4, #5");
    }
}
