//! The board of one project: its tasks, and the calls of its runs as far as refusals need them.

use super::{At, FoldError};
use crate::event::{CallRejected, Payload, TaskCreated, TaskUpdated};
use crate::repair::{Calls, Outcomes, Shift};
use crate::task::{Stamp, Task};
use crate::{RunId, Status, TaskNo, Version};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Board {
    pub tasks: BTreeMap<TaskNo, Task>,
    /// Runs that made a call and have not ended with everything repaired.
    pub calls: BTreeMap<RunId, Calls>,
}

impl Board {
    /// The kinds that change what a board shows. Leaving out all others gives the same board.
    pub const KINDS: &'static [&'static str] = &[
        "call_answered",
        "call_rejected",
        "note",
        "rejection_marked",
        "run_ended",
        "task_created",
        "task_deleted",
        "task_restored",
        "task_updated",
        "todo_written",
    ];

    pub fn apply(&mut self, at: At, payload: &Payload) -> Result<(), FoldError> {
        match payload {
            Payload::TaskCreated(created) => {
                self.create(at, created)?;
                self.accepted(at, &created.call.tool, None);
            }
            Payload::TaskUpdated(updated) => {
                self.update(at, updated)?;
                self.accepted(at, &updated.call.tool, Some(updated.task));
            }
            Payload::TaskDeleted(deleted) => {
                self.change(at, deleted.task, deleted.version)?.deleted = true;
                self.accepted(at, &deleted.call.tool, Some(deleted.task));
            }
            Payload::TaskRestored(restored) => {
                self.change(at, restored.task, restored.version)?.deleted = false;
                self.accepted(at, &restored.call.tool, Some(restored.task));
            }
            Payload::CallAnswered(answered) => self.accepted(at, &answered.tool, answered.aim()),
            Payload::CallRejected(refused) => self.refuse(at, refused),
            Payload::RejectionMarked(marked) => {
                let shift = self
                    .calls
                    .get_mut(&marked.run)
                    .and_then(|calls| calls.marked(marked.seq, marked.expected));
                self.shifted(at, shift);
                self.accepted(at, &marked.call.tool, marked.task);
            }
            Payload::RunEnded(_) => {
                let shifts = self.calls.get_mut(&at.run).map(Calls::ended).unwrap_or_default();
                self.shifted(at, shifts);
                if self.calls.get(&at.run).is_some_and(|calls| calls.chains.is_empty()) {
                    self.calls.remove(&at.run);
                }
            }
            Payload::TodoWritten(written) => {
                if let Some(call) = &written.call {
                    self.accepted(at, &call.tool, None);
                }
            }
            Payload::Note(note) => {
                if let Some(call) = &note.call {
                    self.accepted(at, &call.tool, None);
                }
            }
            Payload::RunStarted(_)
            | Payload::RunResumed(_)
            | Payload::TurnStarted(_)
            | Payload::TurnEnded(_)
            | Payload::Message(_)
            | Payload::ModelProposed(_)
            | Payload::ToolCalled(_)
            | Payload::ToolReturned(_)
            | Payload::ToolFailed(_)
            | Payload::PermissionAsked(_)
            | Payload::PermissionDecided(_)
            | Payload::RogueFileSeen(_)
            | Payload::BudgetExhausted(_)
            | Payload::Verdict(_) => {}
        }
        Ok(())
    }

    fn create(&mut self, at: At, created: &TaskCreated) -> Result<(), FoldError> {
        if self.tasks.contains_key(&created.task) {
            return Err(FoldError::CreatedTwice(created.task));
        }
        let stamp = Stamp { position: at.position, run: at.run, at: at.at };
        let task = Task {
            no: created.task,
            id: created.id,
            version: created.version,
            status: created.status,
            subject: created.subject.clone(),
            description: created.description.clone(),
            blocked_by: created.blocked_by.clone(),
            holder: None,
            rejected: 0,
            outcomes: Outcomes::default(),
            deleted: false,
            created: stamp,
            changed: stamp,
            touched: at.position,
        };
        self.tasks.insert(created.task, task);
        Ok(())
    }

    fn change(&mut self, at: At, no: TaskNo, to: Version) -> Result<&mut Task, FoldError> {
        let task = self.tasks.get_mut(&no).ok_or(FoldError::UnknownTask(no))?;
        if to != task.version.next() {
            return Err(FoldError::Version { task: no, from: task.version, to });
        }
        task.version = to;
        task.changed = Stamp { position: at.position, run: at.run, at: at.at };
        task.touched = at.position;
        Ok(task)
    }

    fn update(&mut self, at: At, updated: &TaskUpdated) -> Result<(), FoldError> {
        let task = self.change(at, updated.task, updated.version)?;
        let changes = &updated.changes;
        if let Some(status) = &changes.status {
            task.holder = held_after(task.holder, status.before, status.after, at.run);
            task.status = status.after;
        }
        if let Some(subject) = &changes.subject {
            task.subject = subject.after.clone();
        }
        if let Some(description) = &changes.description {
            task.description = description.after.clone();
        }
        if let Some(blocked_by) = &changes.blocked_by {
            task.blocked_by = blocked_by.after.clone();
        }
        Ok(())
    }

    /// A refused call changes no task; the card only counts it.
    fn refuse(&mut self, at: At, refused: &CallRejected) {
        if let Some(task) = refused.task.and_then(|no| self.tasks.get_mut(&no)) {
            task.rejected =
                task.rejected.saturating_add(u32::try_from(1 + refused.suppressed).unwrap_or(u32::MAX));
            task.touched = at.position;
        }
        let calls = self.calls.entry(at.run).or_default();
        let (_, shifts) = calls.refused(at.seq, &refused.tool, refused.task, &refused.digest);
        self.shifted(at, shifts);
    }

    fn accepted(&mut self, at: At, tool: &str, task: Option<TaskNo>) {
        let shifts = self.calls.entry(at.run).or_default().accepted(tool, task);
        self.shifted(at, shifts);
    }

    fn shifted(&mut self, at: At, shifts: impl IntoIterator<Item = Shift>) {
        for shift in shifts {
            if let Some(task) = shift.task.and_then(|no| self.tasks.get_mut(&no)) {
                task.outcomes.shift(&shift);
                task.touched = at.position;
            }
        }
    }
}

/// Who holds a task after a change of status: whoever brought it into progress, until it leaves it.
#[must_use]
pub fn held_after<R>(holder: Option<R>, before: Status, after: Status, run: R) -> Option<R> {
    match (before, after) {
        (Status::InProgress, Status::InProgress) => holder.or(Some(run)),
        (_, Status::InProgress) => Some(run),
        _ => None,
    }
}
