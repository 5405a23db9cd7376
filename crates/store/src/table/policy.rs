//! The rules of a project that differ from the defaults.

use super::project::ProjectRow;
use crate::{StoreError, Tx};
use domain::policy::{Policies, StaleGuard};
use rusqlite::{Connection, params};

pub(super) fn policies(conn: &Connection, project: i64) -> Result<Policies, StoreError> {
    let mut found = Policies::default();
    let mut statement = conn.prepare_cached("SELECT name, value FROM policies WHERE project = ?1")?;
    let mut rows = statement.query([project])?;
    while let Some(row) = rows.next()? {
        let (name, value): (String, String) = (row.get(0)?, row.get(1)?);
        if name == "stale_guard" {
            found.stale_guard = StaleGuard::parse(&value).ok_or_else(|| {
                StoreError::internal(format!("the policy stale_guard has no value {value}"))
            })?;
        }
    }
    Ok(found)
}

impl Tx<'_> {
    pub fn policy_stale_guard_set(&self, project: &ProjectRow, guard: StaleGuard) -> Result<(), StoreError> {
        self.conn
            .prepare_cached(
                "INSERT OR REPLACE INTO policies (project, name, value) VALUES (?1, 'stale_guard', ?2)",
            )?
            .execute(params![project.key, guard.as_str()])?;
        Ok(())
    }
}
