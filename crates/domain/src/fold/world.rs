//! Everything that follows from all events of a store.

use super::{Board, Facts};
use crate::event::{Payload, ProjectRef, RunStarted};
use crate::{
    ActorKind, AgentName, Position, ProjectId, RunId, RunStatus, Seq, Source, TaskNo, Timestamp, Version,
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
    pub board: Board,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Run {
    pub project: ProjectId,
    pub actor: ActorKind,
    pub name: AgentName,
    pub version: Option<String>,
    pub source: Source,
    pub parent: Option<RunId>,
    pub title: Option<String>,
    pub started_at: Timestamp,
    pub facts: Facts,
}

impl Run {
    #[must_use]
    pub fn status(&self) -> RunStatus {
        self.facts.ended.map_or(RunStatus::Running, RunStatus::Ended)
    }
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
        if at.seq != run.facts.events.next() {
            return Err(FoldError::Order { run: at.run, last: run.facts.events, found: at.seq });
        }
        run.facts.apply(at, payload);
        let Some(payload) = payload else { return Ok(()) };
        match self.projects.get_mut(&run.project) {
            Some(project) => project.board.apply(at, payload),
            None => Err(FoldError::UnknownRun(at.run)),
        }
    }

    fn start(&mut self, at: At, started: &RunStarted) -> Result<(), FoldError> {
        if self.runs.contains_key(&at.run) {
            return Err(FoldError::StartedTwice(at.run));
        }
        let ProjectRef { id, name, path } = started.project.clone();
        self.projects.entry(id).or_insert_with(|| Project { name, path, board: Board::default() });
        self.runs.insert(
            at.run,
            Run {
                project: id,
                actor: started.actor,
                name: started.name.clone(),
                version: started.version.clone(),
                source: started.source,
                parent: started.parent,
                title: started.title.clone(),
                started_at: at.at,
                facts: Facts::default(),
            },
        );
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::{Cause, RunEnded, TaskCreated, TaskDeleted};
    use crate::task::Change;
    use crate::{EndReason, Status, Subject, TaskId};
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
        assert_eq!(fold(&events).unwrap().projects[&PROJECT].board.tasks[&TaskNo(1)].holder, Some(RUN));
        events.push(moved(1, 3, InProgress, Done));
        let world = fold(&events).unwrap();
        let task = &world.projects[&PROJECT].board.tasks[&TaskNo(1)];
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
        assert!(world.projects[&PROJECT].board.tasks[&TaskNo(1)].deleted);
        assert_eq!(world.runs[&RUN].status(), RunStatus::Ended(EndReason::Interrupted));
        assert_eq!(world.runs[&RUN].facts.events, Seq(4));
    }
}
