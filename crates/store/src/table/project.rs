//! Projects: working folders with a board each.

use super::policy::policies;
use crate::{Reader, StoreError};
use domain::ProjectId;
use domain::policy::Policies;
use rusqlite::{OptionalExtension, Row};
use uuid::Uuid;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProjectRow {
    pub(crate) key: i64,
    pub id: ProjectId,
    pub name: String,
    pub path: Option<String>,
    pub policies: Policies,
}

const COLUMNS: &str = "key, id, name, path";

fn project(row: &Row<'_>) -> rusqlite::Result<ProjectRow> {
    Ok(ProjectRow {
        key: row.get(0)?,
        id: ProjectId(Uuid::from_bytes(row.get(1)?)),
        name: row.get(2)?,
        path: row.get(3)?,
        policies: Policies::default(),
    })
}

impl ProjectRow {
    /// Stands for a project that is not in the store: nothing is found in it.
    #[must_use]
    pub fn missing(id: ProjectId, policies: Policies) -> ProjectRow {
        ProjectRow { key: 0, id, name: String::new(), path: None, policies }
    }
}

impl Reader<'_> {
    fn project_where(
        &self,
        condition: &str,
        params: impl rusqlite::Params,
    ) -> Result<Option<ProjectRow>, StoreError> {
        let sql = format!("SELECT {COLUMNS} FROM projects {condition}");
        let found = self.conn.prepare_cached(&sql)?.query_row(params, project).optional()?;
        match found {
            Some(row) => Ok(Some(ProjectRow { policies: policies(self.conn, row.key)?, ..row })),
            None => Ok(None),
        }
    }

    pub fn project_by_id(&self, id: ProjectId) -> Result<Option<ProjectRow>, StoreError> {
        self.project_where("WHERE id = ?1", [id.0.as_bytes()])
    }

    pub fn project_by_path(&self, path: &str) -> Result<Option<ProjectRow>, StoreError> {
        self.project_where("WHERE path = ?1", [path])
    }

    /// The default project: the one that was opened first.
    pub fn project_first(&self) -> Result<Option<ProjectRow>, StoreError> {
        self.project_where("ORDER BY key LIMIT 1", [])
    }

    /// Oldest first.
    pub fn project_list(&self) -> Result<Vec<ProjectRow>, StoreError> {
        let sql = format!("SELECT {COLUMNS} FROM projects ORDER BY key");
        Ok(self.conn.prepare_cached(&sql)?.query_map([], project)?.collect::<Result<_, _>>()?)
    }
}
