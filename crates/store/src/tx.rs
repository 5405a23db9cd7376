//! The write handle: append an event and what follows from it, in one transaction.

use crate::open::Sign;
use crate::views::{self, Row};
use crate::{Reader, StoreError};
use domain::event::{Payload, RunStarted};
use domain::ledger::Head;
use domain::{Position, ProjectId, RunId, Seq, TaskNo, Timestamp};
use rusqlite::{Connection, params};
use std::ops::Deref;

/// What a commit made stale.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Touched {
    pub project: ProjectId,
    pub run: RunId,
    pub task: Option<TaskNo>,
    /// A run started: the list of runs, and perhaps of projects, grew.
    pub started: bool,
}

/// Where an event went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Placed {
    pub position: Position,
    pub seq: Seq,
}

/// A run's ledger is signed after so many events, and at its end.
pub(crate) const CHECKPOINT_EVENTS: u64 = 100;

/// A run that can be appended to.
#[derive(Debug, Clone)]
pub struct RunHandle {
    pub id: RunId,
    pub project: ProjectId,
    pub(crate) key: i64,
    pub(crate) project_key: i64,
    pub(crate) head: Head,
    /// It was read in from a file.
    pub(crate) imported: bool,
}

impl RunHandle {
    /// Where its ledger stands.
    #[must_use]
    pub fn head(&self) -> Head {
        self.head
    }
}

#[expect(missing_debug_implementations, reason = "it holds a closure")]
pub struct Tx<'a> {
    reader: Reader<'a>,
    last: Position,
    touched: Vec<Touched>,
    sign: Option<&'a Sign>,
}

/// How far a transaction had come, to go back to.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Mark {
    last: Position,
    touched: usize,
}

impl<'a> Deref for Tx<'a> {
    type Target = Reader<'a>;
    fn deref(&self) -> &Reader<'a> {
        &self.reader
    }
}

impl<'a> Tx<'a> {
    pub(crate) fn new(conn: &'a Connection, sign: Option<&'a Sign>) -> Result<Self, StoreError> {
        let reader = Reader { conn };
        let last = reader.position()?;
        Ok(Tx { reader, last, touched: Vec::new(), sign })
    }

    pub(crate) fn last(&self) -> Position {
        self.last
    }

    pub(crate) fn mark(&self) -> Mark {
        Mark { last: self.last, touched: self.touched.len() }
    }

    pub(crate) fn back_to(&mut self, mark: Mark) {
        self.last = mark.last;
        self.touched.truncate(mark.touched);
    }

    pub(crate) fn into_parts(self) -> (Position, Vec<Touched>) {
        (self.last, self.touched)
    }

    /// Starts a run with its first event. The project is made when it is new.
    pub fn run_start(
        &mut self,
        id: RunId,
        at: Timestamp,
        started: RunStarted,
    ) -> Result<RunHandle, StoreError> {
        let project = started.project.id;
        let project_key = match self.project_by_id(project)? {
            Some(known) => known.key,
            None => views::next_key(self.conn, "projects")?,
        };
        let key = views::next_key(self.conn, "runs")?;
        let mut run = RunHandle { id, project, key, project_key, head: Head::start(id), imported: false };
        self.append(&mut run, at, &started.into())?;
        Ok(run)
    }

    /// Writes one event at the end of its run's ledger, and applies it to the views.
    pub fn append(
        &mut self,
        run: &mut RunHandle,
        at: Timestamp,
        payload: &Payload,
    ) -> Result<Placed, StoreError> {
        let (body, head) = run.head.append(run.id, payload.kind(), at, payload.to_value()?);
        for keep in payload.keeps() {
            self.body_put(keep)?;
        }
        let placed = self.insert(run, at, payload.kind(), &body, head, Some(payload))?;
        if head.seq.0.is_multiple_of(CHECKPOINT_EVENTS) || matches!(payload, Payload::RunEnded(_)) {
            self.checkpoint(run, at)?;
        }
        Ok(placed)
    }

    /// Puts one event into the store, and the views past it.
    pub(crate) fn insert(
        &mut self,
        run: &mut RunHandle,
        at: Timestamp,
        kind: &str,
        body: &str,
        head: Head,
        payload: Option<&Payload>,
    ) -> Result<Placed, StoreError> {
        let position = self.last.next();
        let task = payload.and_then(Payload::task);
        self.conn
            .prepare_cached(
                "INSERT INTO events (position, run, seq, project, kind, task, body, hash)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
            )?
            .execute(params![
                position.0,
                run.key,
                head.seq.0,
                run.project_key,
                kind,
                task.map(|no| no.0),
                body,
                head.hash.0.as_slice(),
            ])?;
        let (run_key, project_key, imported) = (run.key, run.project_key, run.imported);
        let row = Row { position, run_key, run: run.id, project_key, at, head, imported };
        views::apply(self.conn, &row, payload)?;
        run.head = head;
        self.last = position;
        let started = head.seq == Seq(1);
        self.touched.push(Touched { project: run.project, run: run.id, task, started });
        Ok(Placed { position, seq: head.seq })
    }

    /// Signs where the run stands, unless that was done before. Without a key nothing is signed.
    pub fn checkpoint(&mut self, run: &RunHandle, at: Timestamp) -> Result<(), StoreError> {
        match self.sign {
            Some(sign) => self.checkpoint_put(run, at, sign(run.id, run.head, at)),
            None => Ok(()),
        }
    }
}

/// Doors for tests of other crates: what no caller can do.
#[doc(hidden)]
impl Tx<'_> {
    /// The database may not grow beyond its present size plus `more` pages; `None` lifts the limit.
    pub fn pages_limit(&self, more: Option<u32>) -> Result<(), StoreError> {
        let pages: u32 = self.conn.query_row("PRAGMA page_count", [], |row| row.get(0))?;
        let limit = more.map_or(u32::MAX - 1, |more| pages + more);
        self.conn.query_row(&format!("PRAGMA max_page_count = {limit}"), [], |_| Ok(()))?;
        Ok(())
    }

    pub fn execute_for_test(&self, sql: &str) -> Result<(), StoreError> {
        self.conn.execute_batch(sql)?;
        Ok(())
    }
}
