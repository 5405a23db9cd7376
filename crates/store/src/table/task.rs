//! Tasks: one in full, a page of them as an agent reads it, all of them as cards.

use super::chain::{WORST, worst};
use super::project::ProjectRow;
use super::{known, name, run_id, time};
use crate::{Reader, StoreError};
use domain::task::{Stamp, Task};
use domain::{
    ActorKind, AgentName, Description, Position, ProjectId, Status, Subject, TaskId, TaskNo, Timestamp,
    Version,
};
use rusqlite::{OptionalExtension, Row, params};
use std::collections::BTreeMap;
use uuid::Uuid;

/// Who, in words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ActorRow {
    pub kind: ActorKind,
    pub name: AgentName,
}

/// What a card shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CardRow {
    pub no: TaskNo,
    pub version: Version,
    pub status: Status,
    pub subject: String,
    pub blocked_by: Vec<TaskNo>,
    pub held_by: Option<ActorRow>,
    pub rejected: u32,
    /// The worst of how its refused calls came out.
    pub outcome: Option<domain::Outcome>,
    pub deleted: bool,
    pub changed_at: Timestamp,
    pub changed_by: ActorRow,
}

/// A task with the words for the runs it names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskRow {
    pub task: Task,
    pub held_by: Option<ActorRow>,
    pub created_by: ActorRow,
    pub changed_by: ActorRow,
}

/// What a line of the list shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListRow {
    pub no: TaskNo,
    pub version: Version,
    pub status: Status,
    pub subject: String,
    pub blocked_by: Vec<TaskNo>,
    pub held_by: Option<String>,
}

/// A page of the list.
#[derive(Debug, Clone, Copy)]
pub struct Page {
    pub status: Option<Status>,
    pub after: TaskNo,
    pub limit: u32,
}

fn actor(row: &Row<'_>, column: usize) -> rusqlite::Result<ActorRow> {
    let kind = known(column, ActorKind::parse(&row.get::<_, String>(column)?))?;
    Ok(ActorRow { kind, name: name(row, column + 1)? })
}

fn actor_or_none(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<ActorRow>> {
    match row.get::<_, Option<String>>(column)? {
        Some(_) => actor(row, column).map(Some),
        None => Ok(None),
    }
}

fn cards() -> String {
    format!(
        "SELECT t.no, t.version, t.status, t.subject, t.rejected, t.deleted, t.changed_at, c.actor, c.name, h.actor,
                h.name, {WORST}
         FROM tasks t JOIN runs c ON c.key = t.changed_run LEFT JOIN runs h ON h.key = t.holder"
    )
}

fn card(row: &Row<'_>) -> rusqlite::Result<CardRow> {
    Ok(CardRow {
        no: TaskNo(row.get(0)?),
        version: Version(row.get(1)?),
        status: known(2, Status::parse(row.get_ref(2)?.as_str()?))?,
        subject: row.get(3)?,
        blocked_by: Vec::new(),
        rejected: row.get(4)?,
        deleted: row.get(5)?,
        changed_at: time(row, 6)?,
        changed_by: actor(row, 7)?,
        held_by: actor_or_none(row, 9)?,
        outcome: worst(row, 11)?,
    })
}

fn task(row: &Row<'_>) -> rusqlite::Result<TaskRow> {
    let stamp = |position: usize| {
        Ok::<_, rusqlite::Error>(Stamp {
            position: Position(row.get(position)?),
            run: run_id(row, position + 1)?,
            at: time(row, position + 2)?,
        })
    };
    let holder = row.get::<_, Option<[u8; 16]>>(9)?.map(|bytes| domain::RunId(Uuid::from_bytes(bytes)));
    let description = row.get::<_, Option<String>>(6)?;
    let task = Task {
        no: TaskNo(row.get(0)?),
        id: TaskId(Uuid::from_bytes(row.get(1)?)),
        version: Version(row.get(2)?),
        status: known(3, Status::parse(row.get_ref(3)?.as_str()?))?,
        rejected: row.get(4)?,
        outcomes: domain::repair::Outcomes::default(),
        subject: known(5, Subject::new(row.get::<_, String>(5)?).ok())?,
        description: match description {
            Some(text) => Some(known(6, Description::new(text).ok())?),
            None => None,
        },
        deleted: row.get(7)?,
        touched: Position(row.get(8)?),
        holder,
        blocked_by: Vec::new(),
        created: stamp(10)?,
        changed: stamp(13)?,
    };
    Ok(TaskRow {
        task,
        held_by: actor_or_none(row, 16)?,
        created_by: actor(row, 18)?,
        changed_by: actor(row, 20)?,
    })
}

impl Reader<'_> {
    /// One task, tombstones included.
    pub fn task_get(&self, project: &ProjectRow, no: TaskNo) -> Result<Option<TaskRow>, StoreError> {
        let sql = "SELECT t.no, t.id, t.version, t.status, t.rejected, t.subject, t.description, t.deleted, t.touched,
                          h.id, t.created_position, m.id, t.created_at, t.changed_position, c.id, t.changed_at,
                          h.actor, h.name, m.actor, m.name, c.actor, c.name
                   FROM tasks t JOIN runs m ON m.key = t.created_run JOIN runs c ON c.key = t.changed_run
                        LEFT JOIN runs h ON h.key = t.holder
                   WHERE t.project = ?1 AND t.no = ?2";
        let found = self.conn.prepare_cached(sql)?.query_row(params![project.key, no.0], task).optional()?;
        let Some(mut row) = found else { return Ok(None) };
        row.task.blocked_by = self.task_blockers(project, no)?;
        if row.task.rejected > 0 {
            row.task.outcomes = self.chain_outcomes(project, no)?;
        }
        Ok(Some(row))
    }

    /// Number, status and subject of every live task.
    pub fn task_names(
        &self,
        project: &ProjectRow,
        mut each: impl FnMut(TaskNo, Status, &str),
    ) -> Result<(), StoreError> {
        let sql = "SELECT no, status, subject FROM tasks WHERE project = ?1 AND deleted = 0 ORDER BY no";
        let mut statement = self.conn.prepare_cached(sql)?;
        let mut rows = statement.query([project.key])?;
        while let Some(row) = rows.next()? {
            let text = |column: usize| row.get_ref(column)?.as_str().map_err(StoreError::internal);
            let status = Status::parse(text(1)?).ok_or_else(|| StoreError::internal("an unknown status"))?;
            each(TaskNo(row.get(0)?), status, text(2)?);
        }
        Ok(())
    }

    /// What blocks a task, in order of number.
    pub fn task_blockers(&self, project: &ProjectRow, no: TaskNo) -> Result<Vec<TaskNo>, StoreError> {
        self.numbers(
            "SELECT blocker FROM task_deps WHERE project = ?1 AND task = ?2 ORDER BY blocker",
            project,
            no,
        )
    }

    /// What a task blocks: live tasks only.
    pub fn task_blocks(&self, project: &ProjectRow, no: TaskNo) -> Result<Vec<TaskNo>, StoreError> {
        let sql = "SELECT d.task FROM task_deps d JOIN tasks t ON t.project = d.project AND t.no = d.task
                   WHERE d.project = ?1 AND d.blocker = ?2 AND t.deleted = 0 ORDER BY d.task";
        self.numbers(sql, project, no)
    }

    fn numbers(&self, sql: &str, project: &ProjectRow, no: TaskNo) -> Result<Vec<TaskNo>, StoreError> {
        let mut statement = self.conn.prepare_cached(sql)?;
        let rows = statement.query_map(params![project.key, no.0], |row| row.get(0).map(TaskNo))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Live tasks in order of number, after `page.after`.
    pub fn task_page(&self, project: &ProjectRow, page: Page) -> Result<Vec<ListRow>, StoreError> {
        const ROWS: &str = "SELECT t.no, t.version, t.status, t.subject, h.name
                            FROM tasks t LEFT JOIN runs h ON h.key = t.holder
                            WHERE t.project = ?1 AND t.deleted = 0 AND t.no > ?2";
        let row = |row: &Row<'_>| {
            Ok(ListRow {
                no: TaskNo(row.get(0)?),
                version: Version(row.get(1)?),
                status: known(2, Status::parse(row.get_ref(2)?.as_str()?))?,
                subject: row.get(3)?,
                blocked_by: Vec::new(),
                held_by: row.get(4)?,
            })
        };
        let mut rows: Vec<ListRow> = match page.status {
            Some(status) => {
                let sql = format!("{ROWS} AND t.status = ?4 ORDER BY t.no LIMIT ?3");
                let params = params![project.key, page.after.0, page.limit, status.as_str()];
                self.conn.prepare_cached(&sql)?.query_map(params, row)?.collect::<Result<_, _>>()?
            }
            None => {
                let sql = format!("{ROWS} ORDER BY t.no LIMIT ?3");
                let params = params![project.key, page.after.0, page.limit];
                self.conn.prepare_cached(&sql)?.query_map(params, row)?.collect::<Result<_, _>>()?
            }
        };
        let (Some(first), Some(last)) = (rows.first(), rows.last()) else { return Ok(rows) };
        let mut deps = self.deps_between(project, first.no, last.no)?;
        for row in &mut rows {
            row.blocked_by = deps.remove(&row.no).unwrap_or_default();
        }
        Ok(rows)
    }

    /// Every live task as a card.
    pub fn task_cards(&self, project: &ProjectRow) -> Result<Vec<CardRow>, StoreError> {
        self.cards(project, 0)
    }

    /// The deleted tasks of a project.
    pub fn task_tombstones(&self, project: &ProjectRow) -> Result<Vec<CardRow>, StoreError> {
        self.cards(project, 1)
    }

    fn cards(&self, project: &ProjectRow, deleted: u8) -> Result<Vec<CardRow>, StoreError> {
        let sql = format!("{} WHERE t.project = ?1 AND t.deleted = ?2 ORDER BY t.no", cards());
        let mut statement = self.conn.prepare_cached(&sql)?;
        let rows = statement.query_map(params![project.key, deleted], card)?;
        let mut cards: Vec<CardRow> = rows.collect::<Result<_, _>>()?;
        let mut deps = self.deps_between(project, TaskNo(0), TaskNo(u32::MAX))?;
        for card in &mut cards {
            card.blocked_by = deps.remove(&card.no).unwrap_or_default();
        }
        Ok(cards)
    }

    /// The live blockers of the tasks in a range of numbers.
    fn deps_between(
        &self,
        project: &ProjectRow,
        first: TaskNo,
        last: TaskNo,
    ) -> Result<BTreeMap<TaskNo, Vec<TaskNo>>, StoreError> {
        let mut deps: BTreeMap<TaskNo, Vec<TaskNo>> = BTreeMap::new();
        let mut statement = self.conn.prepare_cached(
            "SELECT d.task, d.blocker FROM task_deps d JOIN tasks t ON t.project = d.project AND t.no = d.blocker
             WHERE d.project = ?1 AND d.task BETWEEN ?2 AND ?3 AND t.deleted = 0 ORDER BY d.task, d.blocker",
        )?;
        let mut rows = statement.query(params![project.key, first.0, last.0])?;
        while let Some(row) = rows.next()? {
            deps.entry(TaskNo(row.get(0)?)).or_default().push(TaskNo(row.get(1)?));
        }
        Ok(deps)
    }

    /// Cards that changed after a position, tombstones included.
    pub fn task_cards_since(
        &self,
        project: &ProjectRow,
        since: Position,
    ) -> Result<Vec<CardRow>, StoreError> {
        let sql = format!("{} WHERE t.project = ?1 AND t.touched > ?2 ORDER BY t.touched", cards());
        let mut statement = self.conn.prepare_cached(&sql)?;
        let rows = statement.query_map(params![project.key, since.0], card)?;
        let mut cards: Vec<CardRow> = rows.collect::<Result<_, _>>()?;
        self.fill_blockers(project, &mut cards)?;
        Ok(cards)
    }

    /// A card names the blockers that still live; the task itself remembers all.
    fn fill_blockers(&self, project: &ProjectRow, cards: &mut [CardRow]) -> Result<(), StoreError> {
        let sql =
            "SELECT d.blocker FROM task_deps d JOIN tasks t ON t.project = d.project AND t.no = d.blocker
                   WHERE d.project = ?1 AND d.task = ?2 AND t.deleted = 0 ORDER BY d.blocker";
        for card in cards {
            card.blocked_by = self.numbers(sql, project, card.no)?;
        }
        Ok(())
    }

    /// One card, tombstones included.
    pub fn task_card(&self, project: &ProjectRow, no: TaskNo) -> Result<Option<CardRow>, StoreError> {
        let sql = format!("{} WHERE t.project = ?1 AND t.no = ?2", cards());
        let found = self.conn.prepare_cached(&sql)?.query_row(params![project.key, no.0], card).optional()?;
        let Some(mut found) = found else { return Ok(None) };
        self.fill_blockers(project, std::slice::from_mut(&mut found))?;
        Ok(Some(found))
    }

    /// A task's title, tombstones included.
    pub fn task_subject(&self, project: &ProjectRow, no: TaskNo) -> Result<Option<String>, StoreError> {
        let sql = "SELECT subject FROM tasks WHERE project = ?1 AND no = ?2";
        let params = params![project.key, no.0];
        Ok(self.conn.prepare_cached(sql)?.query_row(params, |row| row.get(0)).optional()?)
    }

    /// The number the next task gets.
    pub fn task_no_next(&self, project: ProjectId) -> Result<TaskNo, StoreError> {
        let sql = "SELECT coalesce(max(t.no), 0) + 1 FROM tasks t
                   WHERE t.project = (SELECT key FROM projects WHERE id = ?1)";
        Ok(TaskNo(self.conn.prepare_cached(sql)?.query_row([project.0.as_bytes()], |row| row.get(0))?))
    }

    /// Live tasks in all projects.
    pub fn task_count(&self) -> Result<u32, StoreError> {
        Ok(self
            .conn
            .prepare_cached("SELECT count(*) FROM tasks WHERE deleted = 0")?
            .query_row([], |row| row.get(0))?)
    }
}
