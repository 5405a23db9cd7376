//! Runs, and the keys that tie calls to them.

use super::project::ProjectRow;
use super::{known, name, run_id, time};
use crate::{Reader, RunHandle, StoreError, Tx};
use domain::ledger::{Hash, Head};
use domain::{ActorKind, AgentName, ProjectId, RunId, Seq, Source, Timestamp};
use rusqlite::{OptionalExtension, Row, params};
use uuid::Uuid;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunRow {
    pub id: RunId,
    pub project: ProjectId,
    pub actor: ActorKind,
    pub name: AgentName,
    pub version: Option<String>,
    pub source: Source,
    /// `running`, or how it ended.
    pub status: String,
    pub events: Seq,
    pub rejected: u64,
    pub started_at: Timestamp,
    pub ended_at: Option<Timestamp>,
    pub last_at: Timestamp,
}

const HANDLE: &str = "SELECT r.key, r.id, r.project, p.id, r.head_seq, r.head_hash
                      FROM runs r JOIN projects p ON p.key = r.project";

fn handle(row: &Row<'_>) -> rusqlite::Result<RunHandle> {
    Ok(RunHandle {
        key: row.get(0)?,
        id: run_id(row, 1)?,
        project_key: row.get(2)?,
        project: ProjectId(Uuid::from_bytes(row.get(3)?)),
        head: Head { seq: Seq(row.get(4)?), hash: Hash(row.get(5)?) },
    })
}

fn run(row: &Row<'_>) -> rusqlite::Result<RunRow> {
    Ok(RunRow {
        id: run_id(row, 0)?,
        project: ProjectId(Uuid::from_bytes(row.get(1)?)),
        actor: known(2, ActorKind::parse(&row.get::<_, String>(2)?))?,
        name: name(row, 3)?,
        version: row.get(4)?,
        source: known(5, Source::parse(&row.get::<_, String>(5)?))?,
        status: row.get(6)?,
        events: Seq(row.get(7)?),
        rejected: row.get(8)?,
        started_at: time(row, 9)?,
        ended_at: row.get::<_, Option<i64>>(10)?.map(Timestamp::from_unix_ms),
        last_at: time(row, 11)?,
    })
}

impl Reader<'_> {
    /// The open run that the calls with this key belong to.
    pub fn run_by_key(&self, source: Source, key: &str) -> Result<Option<RunHandle>, StoreError> {
        let sql = format!(
            "{HANDLE} JOIN run_keys k ON k.run = r.key WHERE k.source = ?1 AND k.key = ?2 AND r.status = 'running'"
        );
        Ok(self.conn.prepare_cached(&sql)?.query_row(params![source.as_str(), key], handle).optional()?)
    }

    /// The open sitting of a person at a surface, when its last event is not older than `since`.
    pub fn run_sitting(
        &self,
        project: &ProjectRow,
        source: Source,
        person: &AgentName,
        since: Timestamp,
    ) -> Result<Option<RunHandle>, StoreError> {
        let sql = format!(
            "{HANDLE} WHERE r.project = ?1 AND r.actor = 'person' AND r.source = ?2 AND r.name = ?3
             AND r.status = 'running' AND r.last_at >= ?4 ORDER BY r.key DESC LIMIT 1"
        );
        let params = params![project.key, source.as_str(), person.as_str(), since.unix_ms()];
        Ok(self.conn.prepare_cached(&sql)?.query_row(params, handle).optional()?)
    }

    /// Newest first, of one project or of all.
    pub fn run_list(&self, project: Option<&ProjectRow>, limit: u32) -> Result<Vec<RunRow>, StoreError> {
        let sql = "SELECT r.id, p.id, r.actor, r.name, r.version, r.source, r.status, r.head_seq, r.rejected,
                          r.started_at, r.ended_at, r.last_at
                   FROM runs r JOIN projects p ON p.key = r.project
                   WHERE ?1 IS NULL OR r.project = ?1 ORDER BY r.key DESC LIMIT ?2";
        let params = params![project.map(|project| project.key), limit];
        Ok(self.conn.prepare_cached(sql)?.query_map(params, run)?.collect::<Result<_, _>>()?)
    }

    /// (open runs, refused calls in all)
    pub fn run_totals(&self) -> Result<(u32, u64), StoreError> {
        let sql = "SELECT count(*) FILTER (WHERE status = 'running'), coalesce(sum(rejected), 0) FROM runs";
        Ok(self.conn.prepare_cached(sql)?.query_row([], |row| Ok((row.get(0)?, row.get(1)?)))?)
    }
}

impl Tx<'_> {
    /// From now on the calls with this key belong to `run`.
    pub fn run_key_set(&self, source: Source, key: &str, run: &RunHandle) -> Result<(), StoreError> {
        self.conn
            .prepare_cached("INSERT OR REPLACE INTO run_keys (source, key, run) VALUES (?1, ?2, ?3)")?
            .execute(params![source.as_str(), key, run.key])?;
        Ok(())
    }
}
