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
    pub parent: Option<RunId>,
    pub title: Option<String>,
    pub tokens_in: Option<u64>,
    pub tokens_out: Option<u64>,
    /// Millionths of a US dollar.
    pub cost: Option<u64>,
    /// Chains of refused calls that are open.
    pub open: u64,
}

/// Which runs are asked for; what is `None` does not matter.
#[derive(Debug, Clone, Copy, Default)]
pub struct RunsOf<'a> {
    pub project: Option<&'a ProjectRow>,
    pub actor: Option<ActorKind>,
    /// A part of the agent's name.
    pub agent: Option<&'a str>,
    pub since: Option<Timestamp>,
    pub parent: Option<RunId>,
}

const RUN: &str = "SELECT r.id, p.id, r.actor, r.name, r.version, r.source, r.status, r.head_seq, r.rejected,
                          r.started_at, r.ended_at, r.last_at, o.id, r.title, r.tokens_in, r.tokens_out, r.cost,
                          (SELECT count(*) FROM chains c WHERE c.run = r.key AND c.state <> 'repaired'
                                                           AND c.state = 'open' AND NOT c.expected)
                   FROM runs r JOIN projects p ON p.key = r.project LEFT JOIN runs o ON o.key = r.parent";

const HANDLE: &str = "SELECT r.key, r.id, r.project, p.id, r.head_seq, r.head_hash, r.source = 'import'
                      FROM runs r JOIN projects p ON p.key = r.project";

fn handle(row: &Row<'_>) -> rusqlite::Result<RunHandle> {
    Ok(RunHandle {
        key: row.get(0)?,
        id: run_id(row, 1)?,
        project_key: row.get(2)?,
        project: ProjectId(Uuid::from_bytes(row.get(3)?)),
        head: Head { seq: Seq(row.get(4)?), hash: Hash(row.get(5)?) },
        imported: row.get(6)?,
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
        parent: row.get::<_, Option<[u8; 16]>>(12)?.map(|id| RunId(Uuid::from_bytes(id))),
        title: row.get(13)?,
        tokens_in: row.get(14)?,
        tokens_out: row.get(15)?,
        cost: row.get(16)?,
        open: row.get(17)?,
    })
}

impl Reader<'_> {
    /// The run that the calls with this key belong to: one that is open, or one that was taken for dead.
    pub fn run_by_key(&self, source: Source, key: &str) -> Result<Option<(RunHandle, bool)>, StoreError> {
        let sql = format!(
            "{HANDLE} JOIN run_keys k ON k.run = r.key
             WHERE k.source = ?1 AND k.key = ?2 AND r.status IN ('running', 'interrupted')"
        );
        let sql = sql.replace(" FROM runs r", ", r.status = 'running' FROM runs r");
        let found = self
            .conn
            .prepare_cached(&sql)?
            .query_row(params![source.as_str(), key], |row| Ok((handle(row)?, row.get(7)?)))
            .optional()?;
        Ok(found)
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

    /// Newest first.
    pub fn run_list(&self, of: &RunsOf<'_>, limit: u32) -> Result<Vec<RunRow>, StoreError> {
        let sql = format!(
            "{RUN} WHERE (?1 IS NULL OR r.project = ?1) AND (?2 IS NULL OR r.actor = ?2)
               AND (?3 IS NULL OR instr(lower(r.name), lower(?3)) > 0) AND (?4 IS NULL OR r.started_at >= ?4)
               AND (?5 IS NULL OR o.id = ?5)
             ORDER BY r.key DESC LIMIT ?6"
        );
        let params = params![
            of.project.map(|project| project.key),
            of.actor.map(ActorKind::as_str),
            of.agent,
            of.since.map(Timestamp::unix_ms),
            of.parent.map(|run| *run.0.as_bytes()),
            limit
        ];
        Ok(self.conn.prepare_cached(&sql)?.query_map(params, run)?.collect::<Result<_, _>>()?)
    }

    pub fn run_get(&self, id: RunId) -> Result<Option<RunRow>, StoreError> {
        let sql = format!("{RUN} WHERE r.id = ?1");
        Ok(self.conn.prepare_cached(&sql)?.query_row([id.0.as_bytes()], run).optional()?)
    }

    /// Runs whose id begins so, newest first; two at most.
    pub fn run_by_prefix(&self, prefix: &str) -> Result<Vec<RunId>, StoreError> {
        let sql = "SELECT id FROM runs WHERE lower(hex(id)) LIKE ?1 ORDER BY key DESC LIMIT 2";
        let plain: String = prefix.chars().filter(char::is_ascii_hexdigit).collect();
        let mut statement = self.conn.prepare_cached(sql)?;
        let rows = statement.query_map([format!("{}%", plain.to_ascii_lowercase())], |row| run_id(row, 0))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// A run to write to.
    pub fn run_handle(&self, id: RunId) -> Result<Option<RunHandle>, StoreError> {
        let sql = format!("{HANDLE} WHERE r.id = ?1");
        Ok(self.conn.prepare_cached(&sql)?.query_row([id.0.as_bytes()], handle).optional()?)
    }

    /// Open runs that were last heard of at or before `before`.
    pub fn run_silent(&self, source: Source, before: Timestamp) -> Result<Vec<RunHandle>, StoreError> {
        let sql = format!("{HANDLE} WHERE r.status = 'running' AND r.source = ?1 AND r.last_at <= ?2");
        let mut statement = self.conn.prepare_cached(&sql)?;
        let rows = statement.query_map(params![source.as_str(), before.unix_ms()], handle)?;
        Ok(rows.collect::<Result<_, _>>()?)
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
