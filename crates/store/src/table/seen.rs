//! What was told of an observed run already, by the signs of its records.

use crate::{RunHandle, StoreError, Tx};
use rusqlite::params;

impl Tx<'_> {
    /// Remembers a sign. `false`: it was known already.
    pub fn seen_first(&self, run: &RunHandle, sign: [u8; 16]) -> Result<bool, StoreError> {
        let sql = "INSERT INTO seen (run, sign) VALUES (?1, ?2) ON CONFLICT DO NOTHING";
        Ok(self.conn.prepare_cached(sql)?.execute(params![run.key, sign.as_slice()])? == 1)
    }

    /// Counts words that a teller told. `false`: another teller told them as often before.
    pub fn said_first(&self, run: &RunHandle, words: [u8; 16], teller: &str) -> Result<bool, StoreError> {
        let mine = "INSERT INTO said (run, words, teller, times) VALUES (?1, ?2, ?3, 1)
                    ON CONFLICT DO UPDATE SET times = times + 1 RETURNING times";
        let mine: u64 = self
            .conn
            .prepare_cached(mine)?
            .query_row(params![run.key, words.as_slice(), teller], |row| row.get(0))?;
        let others =
            "SELECT coalesce(max(times), 0) FROM said WHERE run = ?1 AND words = ?2 AND teller <> ?3";
        let others: u64 = self
            .conn
            .prepare_cached(others)?
            .query_row(params![run.key, words.as_slice(), teller], |row| row.get(0))?;
        Ok(mine > others)
    }
}
