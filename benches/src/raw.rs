//! The yardstick: the same rows in one plain SQLite transaction, WAL and `synchronous=FULL`.

use anyhow::Result;
use rusqlite::{Connection, params};
use std::path::Path;
use std::time::{Duration, Instant};

pub(crate) struct Raw {
    conn: Connection,
    position: i64,
}

impl Raw {
    #[expect(clippy::disallowed_methods, reason = "the yardstick is SQLite without the store")]
    pub(crate) fn open(dir: &Path) -> Result<Raw> {
        let conn = Connection::open(dir.join("raw.db"))?;
        conn.pragma_update(None, "journal_mode", "WAL")?;
        conn.pragma_update(None, "synchronous", "FULL")?;
        // The yardstick gets every advantage that the store has.
        conn.set_db_config(rusqlite::config::DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
        conn.set_prepared_statement_cache_capacity(64);
        conn.execute_batch(include_str!("../../migrations/0001_init.sql"))?;
        conn.execute_batch(
            "INSERT INTO projects VALUES (1, zeroblob(16), 'raw', NULL);
             INSERT INTO runs VALUES (1, zeroblob(16), 1, 'agent', 'raw', NULL, 'session', 'running', 0, zeroblob(32), 0, 0, NULL, 0);
             INSERT INTO tasks VALUES (1, 1, zeroblob(16), 1, 'pending', 'x', NULL, NULL, 0, 0, 1, 1, 0, 1, 1, 0, 1);",
        )?;
        Ok(Raw { conn, position: 0 })
    }

    /// One event row, one run row, one task row.
    pub(crate) fn update(&mut self) -> Result<Duration> {
        let body = "x".repeat(420);
        let began = Instant::now();
        self.position += 1;
        let n = self.position;
        self.conn.prepare_cached("BEGIN IMMEDIATE")?.execute([])?;
        self.conn
            .prepare_cached("INSERT INTO events VALUES (?1, 1, ?1, 1, 'task_updated', 1, ?2, ?3)")?
            .execute(params![n, body, [7u8; 32].as_slice()])?;
        self.conn
            .prepare_cached("UPDATE runs SET head_seq = ?1, head_hash = ?2, last_at = ?1 WHERE key = 1")?
            .execute(params![n, [7u8; 32].as_slice()])?;
        self.conn
            .prepare_cached("UPDATE tasks SET version = ?1 + 1, changed_position = ?1, touched = ?1 WHERE project = 1 AND no = 1")?
            .execute(params![n])?;
        self.conn.prepare_cached("COMMIT")?.execute([])?;
        Ok(began.elapsed())
    }
}
