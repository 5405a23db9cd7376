//! First answers, given again when the same call comes again.

use super::project::ProjectRow;
use crate::{Reader, StoreError, Tx};
use domain::Timestamp;
use domain::ledger::Hash;
use rusqlite::{OptionalExtension, params};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredAnswer {
    /// What the call asked for, apart from its key.
    pub fingerprint: Hash,
    pub answer: String,
}

impl Reader<'_> {
    pub fn answer_get(
        &self,
        project: &ProjectRow,
        scope: &str,
        key: &str,
    ) -> Result<Option<StoredAnswer>, StoreError> {
        let sql = "SELECT fingerprint, answer FROM answers WHERE project = ?1 AND scope = ?2 AND key = ?3";
        let stored = |row: &rusqlite::Row<'_>| {
            Ok(StoredAnswer { fingerprint: Hash(row.get(0)?), answer: row.get(1)? })
        };
        Ok(self.conn.prepare_cached(sql)?.query_row(params![project.key, scope, key], stored).optional()?)
    }
}

impl Tx<'_> {
    pub fn answer_put(
        &self,
        project: &ProjectRow,
        scope: &str,
        key: &str,
        stored: &StoredAnswer,
        at: Timestamp,
    ) -> Result<(), StoreError> {
        self.conn
            .prepare_cached(
                "INSERT INTO answers (project, scope, key, fingerprint, answer, at) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            )?
            .execute(params![
                project.key,
                scope,
                key,
                stored.fingerprint.0.as_slice(),
                stored.answer,
                at.unix_ms()
            ])?;
        Ok(())
    }

    /// Forgets answers older than `before`; gives how many.
    pub fn answer_prune(&self, before: Timestamp) -> Result<usize, StoreError> {
        Ok(self.conn.prepare_cached("DELETE FROM answers WHERE at < ?1")?.execute([before.unix_ms()])?)
    }
}
