//! Refused calls as chains, and their tries.

use super::project::ProjectRow;
use super::task::ActorRow;
use super::{known, name, run_id, time};
use crate::{Reader, StoreError};
use domain::repair::Outcomes;
use domain::{ActorKind, Outcome, RunId, Seq, TaskNo, Timestamp};
use rusqlite::{OptionalExtension, Row, params};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChainRow {
    pub run: RunId,
    pub(crate) run_key: i64,
    /// The first refusal; it names the chain.
    pub seq: Seq,
    pub actor: ActorRow,
    pub tool: String,
    pub code: String,
    pub task: Option<TaskNo>,
    pub subject: Option<String>,
    pub outcome: Outcome,
    pub repaired_by: Option<Seq>,
    pub first_at: Timestamp,
    pub last_at: Timestamp,
}

/// Which chains are asked for; what is `None` does not matter.
#[derive(Debug, Clone, Copy, Default)]
pub struct ChainsOf<'a> {
    pub project: Option<&'a ProjectRow>,
    pub run: Option<RunId>,
    pub task: Option<TaskNo>,
    /// Chains that had begun by then.
    pub until: Option<Seq>,
}

const OUTCOME: &str =
    "CASE WHEN c.state = 'repaired' THEN 'repaired' WHEN c.expected THEN 'expected' ELSE c.state END";

fn chain(row: &Row<'_>) -> rusqlite::Result<ChainRow> {
    let kind = known(2, ActorKind::parse(row.get_ref(2)?.as_str()?))?;
    Ok(ChainRow {
        run: run_id(row, 0)?,
        seq: Seq(row.get(1)?),
        actor: ActorRow { kind, name: name(row, 3)? },
        tool: row.get(4)?,
        code: row.get(5)?,
        task: row.get::<_, Option<u32>>(6)?.map(TaskNo),
        subject: row.get(7)?,
        outcome: known(8, Outcome::parse(row.get_ref(8)?.as_str()?))?,
        repaired_by: row.get::<_, Option<u64>>(9)?.map(Seq),
        first_at: time(row, 10)?,
        last_at: time(row, 11)?,
        run_key: row.get(12)?,
    })
}

fn select(of: &ChainsOf<'_>) -> String {
    let mut sql = format!(
        "SELECT r.id, c.seq, r.actor, r.name, c.tool, c.code, c.task, t.subject, {OUTCOME}, c.repaired_by, c.first_at,
                c.last_at, c.run
         FROM chains c JOIN runs r ON r.key = c.run
         LEFT JOIN tasks t ON t.project = c.project AND t.no = c.task WHERE 1"
    );
    if of.project.is_some() {
        sql.push_str(" AND c.project = ?1");
    }
    if of.run.is_some() {
        sql.push_str(" AND c.run = (SELECT key FROM runs WHERE id = ?2)");
    }
    if of.task.is_some() {
        sql.push_str(" AND c.task = ?3");
    }
    if of.until.is_some() {
        sql.push_str(" AND c.seq <= ?4");
    }
    sql
}

impl Reader<'_> {
    /// Newest first.
    pub fn chain_list(&self, of: &ChainsOf<'_>, limit: u32) -> Result<Vec<ChainRow>, StoreError> {
        let sql = format!("{} ORDER BY c.position DESC LIMIT ?5", select(of));
        let mut statement = self.conn.prepare_cached(&sql)?;
        // A parameter that the text does not name may be bound all the same, as the last one is.
        let rows = statement.query_map(
            params![
                of.project.map(|project| project.key),
                of.run.map(|run| *run.0.as_bytes()),
                of.task.map(|task| task.0),
                of.until.map(|seq| seq.0),
                limit
            ],
            chain,
        )?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// The chain that a refusal belongs to: any of its tries names it.
    pub fn chain_of(&self, run: RunId, seq: Seq) -> Result<Option<ChainRow>, StoreError> {
        let sql = format!(
            "{} AND c.seq = (SELECT f.chain FROM refusals f JOIN runs x ON x.key = f.run WHERE x.id = ?2 AND f.seq = ?6)",
            select(&ChainsOf { run: Some(run), ..ChainsOf::default() })
        );
        let mut statement = self.conn.prepare_cached(&sql)?;
        let none: Option<i64> = None;
        let found = statement
            .query_row(params![none, run.0.as_bytes(), none, none, none, seq.0], chain)
            .optional()?;
        Ok(found)
    }

    /// The refused tries of a chain, oldest first.
    pub fn chain_tries(&self, chain: &ChainRow, limit: u32) -> Result<Vec<Seq>, StoreError> {
        let sql = "SELECT seq FROM refusals WHERE run = ?1 AND chain = ?2 ORDER BY seq LIMIT ?3";
        let mut statement = self.conn.prepare_cached(sql)?;
        let rows =
            statement.query_map(params![chain.run_key, chain.seq.0, limit], |row| Ok(Seq(row.get(0)?)))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// How the chains that aimed at a task came out.
    pub fn chain_outcomes(&self, project: &ProjectRow, task: TaskNo) -> Result<Outcomes, StoreError> {
        let sql = format!("SELECT {OUTCOME} FROM chains c WHERE c.project = ?1 AND c.task = ?2");
        let mut statement = self.conn.prepare_cached(&sql)?;
        let mut rows = statement.query(params![project.key, task.0])?;
        let mut outcomes = Outcomes::default();
        while let Some(row) = rows.next()? {
            outcomes.add(known(0, Outcome::parse(&row.get::<_, String>(0)?))?);
        }
        Ok(outcomes)
    }
}

/// The worst outcome of a task's chains, for a query that has the task as `t`.
pub(super) const WORST: &str = "CASE WHEN t.rejected > 0 THEN (
    SELECT max(CASE WHEN x.state = 'repaired' THEN 2 WHEN x.expected THEN 1 WHEN x.state = 'open' THEN 3
                    WHEN x.state = 'gave_up' THEN 4 ELSE 5 END)
    FROM chains x WHERE x.project = t.project AND x.task = t.no) END";

pub(super) fn worst(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<Outcome>> {
    Ok(row.get::<_, Option<u8>>(column)?.map(|rank| match rank {
        1 => Outcome::Expected,
        2 => Outcome::Repaired,
        3 => Outcome::Open,
        4 => Outcome::GaveUp,
        _ => Outcome::Loop,
    }))
}
