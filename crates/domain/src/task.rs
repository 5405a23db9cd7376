//! The task: its fields, its four states and the legal changes to it.

use crate::repair::Outcomes;
use crate::run::words;
use crate::{Description, Position, RunId, Subject, TaskId, TaskNo, Timestamp, Version};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

words!(
    /// Where a task stands. Closed here, in the tools' schema and in the database.
    Status { Pending = "pending", InProgress = "in_progress", Blocked = "blocked", Done = "done" }
);

impl Status {
    /// The right spelling nearest to a wrong one: known synonyms first, then the smallest edit.
    #[must_use]
    pub fn nearest(word: &str) -> Status {
        let plain: String =
            word.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect();
        match plain.as_str() {
            "todo" | "open" | "new" | "ready" | "backlog" | "queued" | "notstarted" | "planned" => {
                Status::Pending
            }
            "doing" | "started" | "active" | "running" | "working" | "wip" | "inprogress" | "progress"
            | "ongoing" => Status::InProgress,
            "waiting" | "stuck" | "onhold" | "hold" | "paused" => Status::Blocked,
            "complete" | "completed" | "finished" | "closed" | "resolved" | "fixed" | "success" => {
                Status::Done
            }
            _ => {
                let distance = |status: &&Status| edit_distance(&plain, &status.as_str().replace('_', ""));
                Status::ALL.iter().min_by_key(distance).copied().unwrap_or(Status::Pending)
            }
        }
    }
}

fn edit_distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, ca) in a.chars().take(40).enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, cb) in b.iter().enumerate() {
            let substituted = diagonal + usize::from(ca != *cb);
            diagonal = row[j + 1];
            row[j + 1] = substituted.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

/// A task as the fold knows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Task {
    pub no: TaskNo,
    pub id: TaskId,
    pub version: Version,
    pub status: Status,
    pub subject: Subject,
    pub description: Option<Description>,
    /// Sorted, without repeats.
    pub blocked_by: Vec<TaskNo>,
    /// The run that took it into progress, while it is in progress.
    pub holder: Option<RunId>,
    /// Refused calls that aimed at it.
    pub rejected: u32,
    /// How they came out, as chains.
    pub outcomes: Outcomes,
    pub deleted: bool,
    pub created: Stamp,
    pub changed: Stamp,
    /// The last position that altered anything a card shows.
    pub touched: Position,
}

/// When and by which run something happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stamp {
    pub position: Position,
    pub run: RunId,
    pub at: Timestamp,
}

/// What a caller wants changed: only the named fields.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Patch {
    pub status: Option<Status>,
    pub subject: Option<Subject>,
    pub description: Option<Description>,
    pub blocked_by: Option<Vec<TaskNo>>,
}

/// One field before and after.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change<T> {
    pub before: T,
    pub after: T,
}

/// The field diff of one version. A field that the call named stands here even when it kept its value.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Changes {
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub status: Option<Change<Status>>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub subject: Option<Change<Subject>>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub description: Option<Change<Option<Description>>>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub blocked_by: Option<Change<Vec<TaskNo>>>,
}

impl Patch {
    /// The diff this patch makes on `task`. An empty description takes the description away.
    #[must_use]
    pub fn diff(self, task: &Task) -> Changes {
        let described = |text: Description| Some(text).filter(|text| !text.as_str().is_empty());
        Changes {
            status: self.status.map(|after| Change { before: task.status, after }),
            subject: self.subject.map(|after| Change { before: task.subject.clone(), after }),
            description: self
                .description
                .map(|after| Change { before: task.description.clone(), after: described(after) }),
            blocked_by: self
                .blocked_by
                .map(|after| Change { before: task.blocked_by.clone(), after: sorted(after) }),
        }
    }
}

/// Task numbers in order, each once.
#[must_use]
pub fn sorted(mut numbers: Vec<TaskNo>) -> Vec<TaskNo> {
    numbers.sort_unstable();
    numbers.dedup();
    numbers
}

/// The circle that `task` blocked by `blockers` would close, as the path `task → … → task`, or none.
/// `blocked_by` gives the present blockers of any other task. Each task is visited once.
pub fn find_cycle<E>(
    task: TaskNo,
    blockers: &[TaskNo],
    mut blocked_by: impl FnMut(TaskNo) -> Result<Vec<TaskNo>, E>,
) -> Result<Option<Vec<TaskNo>>, E> {
    // Depth first; `came_from[x]` is the task that x blocks on the way down.
    let mut came_from: HashMap<TaskNo, TaskNo> = HashMap::new();
    let mut open: Vec<(TaskNo, TaskNo)> = blockers.iter().rev().map(|&blocker| (blocker, task)).collect();
    while let Some((at, from)) = open.pop() {
        if at == task {
            let mut path = vec![task, from];
            while let Some(&before) = path.last().and_then(|last| came_from.get(last)) {
                path.push(before);
            }
            if path.last() != Some(&task) {
                path.push(task);
            }
            path.reverse();
            return Ok(Some(path));
        }
        if came_from.contains_key(&at) {
            continue;
        }
        came_from.insert(at, from);
        open.extend(blocked_by(at)?.into_iter().rev().map(|blocker| (blocker, at)));
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_status_names_the_nearest_right_one() {
        let check = |word, expected| assert_eq!(Status::nearest(word), expected, "{word}");
        check("Done", Status::Done);
        check("COMPLETE", Status::Done);
        check("completed", Status::Done);
        check("in-progress", Status::InProgress);
        check("doing", Status::InProgress);
        check("todo", Status::Pending);
        check("pendng", Status::Pending);
        check("bloked", Status::Blocked);
        check("on hold", Status::Blocked);
    }

    #[test]
    fn cycles_are_found_and_named() {
        // 1 ← 2 ← 3, 4 stands alone, 5 ← 1 and 5 ← 2 meet without a circle.
        let blocked_by = |no: TaskNo| -> Result<Vec<TaskNo>, ()> {
            Ok(match no.0 {
                2 => vec![TaskNo(1)],
                3 => vec![TaskNo(2)],
                5 => vec![TaskNo(1), TaskNo(2)],
                _ => vec![],
            })
        };
        let check = |task, blockers: &[u32], expected: Option<&[u32]>| {
            let blockers: Vec<_> = blockers.iter().copied().map(TaskNo).collect();
            let found = find_cycle(TaskNo(task), &blockers, blocked_by).unwrap();
            let expected = expected.map(|path| path.iter().copied().map(TaskNo).collect::<Vec<_>>());
            assert_eq!(found, expected, "#{task} by {blockers:?}");
        };
        check(1, &[1], Some(&[1, 1]));
        check(1, &[3], Some(&[1, 3, 2, 1]));
        check(1, &[4, 3], Some(&[1, 3, 2, 1]));
        check(1, &[4], None);
        check(4, &[5, 3], None);
    }

    #[test]
    fn long_chains_do_not_overflow() {
        let blocked_by = |no: TaskNo| Ok::<_, ()>(if no.0 < 20_000 { vec![no.next()] } else { vec![] });
        assert_eq!(find_cycle(TaskNo(1_000_000), &[TaskNo(1)], blocked_by), Ok(None));
    }
}
