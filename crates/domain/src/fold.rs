//! Events → what is. A pure fold: the same events give the same state, whoever asks and whenever.
//!
//! It checks shape only (versions count up by one, a task exists before it changes); it never asks
//! what a policy says today, so a history that was valid when written replays for ever.

use crate::event::{CallRejected, Payload, ProjectRef, RunStarted, TaskCreated, TaskUpdated};
use crate::task::{Stamp, Task};
use crate::{
    ActorKind, AgentName, Position, ProjectId, RunId, RunStatus, Seq, Source, Status, TaskNo, Timestamp,
    Version,
};
use std::collections::BTreeMap;

/// Everything that follows from the events so far.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct World {
    pub projects: BTreeMap<ProjectId, Project>,
    pub runs: BTreeMap<RunId, Run>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Project {
    pub name: String,
    pub path: Option<String>,
    pub tasks: BTreeMap<TaskNo, Task>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Run {
    pub project: ProjectId,
    pub actor: ActorKind,
    pub name: AgentName,
    pub version: Option<String>,
    pub source: Source,
    pub status: RunStatus,
    pub events: Seq,
    pub rejected: u64,
    pub started_at: Timestamp,
    pub ended_at: Option<Timestamp>,
    pub last_at: Timestamp,
}

/// Where and when an event stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct At {
    pub position: Position,
    pub run: RunId,
    pub seq: Seq,
    pub at: Timestamp,
}

/// An event that cannot follow from the ones before it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FoldError {
    #[error("run {0} has no run_started before this event")]
    UnknownRun(RunId),
    #[error("run {0} started twice")]
    StartedTwice(RunId),
    #[error("seq {found} follows seq {last} in run {run}")]
    Order { run: RunId, last: Seq, found: Seq },
    #[error("task {0} does not exist")]
    UnknownTask(TaskNo),
    #[error("task {0} was created twice")]
    CreatedTwice(TaskNo),
    #[error("task {task} goes from version {from} to version {to}")]
    Version { task: TaskNo, from: Version, to: Version },
}

impl World {
    /// Adds one event. An unknown kind (`None`) only counts.
    pub fn apply(&mut self, at: At, payload: Option<&Payload>) -> Result<(), FoldError> {
        if let Some(Payload::RunStarted(started)) = payload {
            self.start(at, started)?;
        }
        let run = self.runs.get_mut(&at.run).ok_or(FoldError::UnknownRun(at.run))?;
        if at.seq != run.events.next() {
            return Err(FoldError::Order { run: at.run, last: run.events, found: at.seq });
        }
        run.events = at.seq;
        run.last_at = at.at;
        let Some(payload) = payload else { return Ok(()) };
        match payload {
            Payload::RunStarted(_) => return Ok(()),
            Payload::RunEnded(ended) => {
                run.status = RunStatus::Ended(ended.reason);
                run.ended_at = Some(at.at);
                return Ok(());
            }
            Payload::CallRejected(refused) => run.rejected += 1 + refused.suppressed,
            Payload::TaskCreated(_)
            | Payload::TaskUpdated(_)
            | Payload::TaskDeleted(_)
            | Payload::TaskRestored(_) => {}
        }
        let project = run.project;
        match self.projects.get_mut(&project) {
            Some(project) => project.apply(at, payload),
            None => Err(FoldError::UnknownRun(at.run)),
        }
    }

    fn start(&mut self, at: At, started: &RunStarted) -> Result<(), FoldError> {
        if self.runs.contains_key(&at.run) {
            return Err(FoldError::StartedTwice(at.run));
        }
        let ProjectRef { id, name, path } = started.project.clone();
        self.projects.entry(id).or_insert_with(|| Project { name, path, tasks: BTreeMap::new() });
        self.runs.insert(
            at.run,
            Run {
                project: id,
                actor: started.actor,
                name: started.name.clone(),
                version: started.version.clone(),
                source: started.source,
                status: RunStatus::Running,
                events: Seq(0),
                rejected: 0,
                started_at: at.at,
                ended_at: None,
                last_at: at.at,
            },
        );
        Ok(())
    }
}

impl Project {
    fn apply(&mut self, at: At, payload: &Payload) -> Result<(), FoldError> {
        match payload {
            Payload::TaskCreated(created) => self.create(at, created),
            Payload::TaskUpdated(updated) => self.update(at, updated),
            Payload::TaskDeleted(deleted) => self.hide(at, deleted.task, deleted.version, true),
            Payload::TaskRestored(restored) => self.hide(at, restored.task, restored.version, false),
            Payload::CallRejected(refused) => {
                self.refuse(at, refused);
                Ok(())
            }
            Payload::RunStarted(_) | Payload::RunEnded(_) => Ok(()),
        }
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

    fn hide(&mut self, at: At, no: TaskNo, to: Version, deleted: bool) -> Result<(), FoldError> {
        let task = self.change(at, no, to)?;
        task.deleted = deleted;
        Ok(())
    }

    /// A refused call changes no task; the card only counts it.
    fn refuse(&mut self, at: At, refused: &CallRejected) {
        if let Some(task) = refused.task.and_then(|no| self.tasks.get_mut(&no)) {
            task.rejected =
                task.rejected.saturating_add(u32::try_from(1 + refused.suppressed).unwrap_or(u32::MAX));
            task.touched = at.position;
        }
    }
}

/// Who holds a task after its status went from `before` to `after` in `run`: the run that took it
/// into progress holds it until it leaves progress.
#[must_use]
pub fn held_after<R>(holder: Option<R>, before: Status, after: Status, run: R) -> Option<R> {
    match (before, after) {
        (Status::InProgress, Status::InProgress) => holder.or(Some(run)),
        (_, Status::InProgress) => Some(run),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::{Cause, RunEnded, TaskDeleted};
    use crate::task::Change;
    use crate::{EndReason, Subject, TaskId};
    use uuid::Uuid;

    const RUN: RunId = RunId(Uuid::from_u128(1));
    const PROJECT: ProjectId = ProjectId(Uuid::from_u128(9));

    fn started() -> Payload {
        let project = ProjectRef { id: PROJECT, name: "acme".into(), path: None };
        RunStarted::new(project, ActorKind::Agent, AgentName::lossy("codex"), None, Source::Bridge).into()
    }

    fn created(no: u32) -> Payload {
        let subject = Subject::new(format!("task {no}")).unwrap();
        TaskCreated::new(
            TaskNo(no),
            TaskId(Uuid::from_u128(u128::from(no))),
            subject,
            None,
            vec![],
            Cause::default(),
        )
        .into()
    }

    fn moved(no: u32, version: u32, before: Status, after: Status) -> Payload {
        let changes = crate::task::Changes { status: Some(Change { before, after }), ..Default::default() };
        crate::event::TaskUpdated::new(TaskNo(no), Version(version), changes, Cause::default()).into()
    }

    fn fold(events: &[Payload]) -> Result<World, FoldError> {
        let mut world = World::default();
        for (i, payload) in events.iter().enumerate() {
            let n = i as u64 + 1;
            let at = At { position: Position(n), run: RUN, seq: Seq(n), at: Timestamp::from_unix_ms(0) };
            world.apply(at, Some(payload))?;
        }
        Ok(world)
    }

    #[test]
    fn a_task_is_held_while_it_is_in_progress() {
        use Status::{Done, InProgress, Pending};
        let mut events = vec![started(), created(1), moved(1, 2, Pending, InProgress)];
        assert_eq!(fold(&events).unwrap().projects[&PROJECT].tasks[&TaskNo(1)].holder, Some(RUN));
        events.push(moved(1, 3, InProgress, Done));
        let world = fold(&events).unwrap();
        let task = &world.projects[&PROJECT].tasks[&TaskNo(1)];
        assert_eq!((task.holder, task.status, task.version), (None, Done, Version(3)));
    }

    #[test]
    fn what_cannot_follow_is_refused() {
        use Status::{Done, Pending};
        let check = |events: &[Payload], expected| assert_eq!(fold(events).unwrap_err(), expected);
        check(&[created(1)], FoldError::UnknownRun(RUN));
        check(&[started(), started()], FoldError::StartedTwice(RUN));
        check(&[started(), created(1), created(1)], FoldError::CreatedTwice(TaskNo(1)));
        check(&[started(), moved(1, 2, Pending, Done)], FoldError::UnknownTask(TaskNo(1)));
        check(
            &[started(), created(1), moved(1, 3, Pending, Done)],
            FoldError::Version { task: TaskNo(1), from: Version(1), to: Version(3) },
        );
    }

    #[test]
    fn a_tombstone_keeps_the_task_and_an_end_keeps_the_reason() {
        let deleted = TaskDeleted::new(TaskNo(1), Version(2), Cause::default());
        let ended = RunEnded::new(EndReason::Interrupted);
        let world = fold(&[started(), created(1), deleted.into(), ended.into()]).unwrap();
        assert!(world.projects[&PROJECT].tasks[&TaskNo(1)].deleted);
        assert_eq!(world.runs[&RUN].status, RunStatus::Ended(EndReason::Interrupted));
        assert_eq!(world.runs[&RUN].events, Seq(4));
    }
}
