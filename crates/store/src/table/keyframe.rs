//! Boards as they were, kept so that any moment is near. Made from the events, and good for nothing
//! without them.

use super::project::ProjectRow;
use crate::{Reader, StoreError, Tx};
use domain::{Position, ProjectId};
use rusqlite::{OptionalExtension, params};
use uuid::Uuid;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyframeRow {
    pub position: Position,
    /// How many events of the board it holds.
    pub events: u64,
    /// The board, as `tools` wrote it.
    pub board: Vec<u8>,
}

impl Reader<'_> {
    /// The last one at or before `at`.
    pub fn keyframe_before(
        &self,
        project: &ProjectRow,
        at: Position,
    ) -> Result<Option<KeyframeRow>, StoreError> {
        let sql = "SELECT position, events, board FROM keyframes WHERE project = ?1 AND position <= ?2
                   ORDER BY position DESC LIMIT 1";
        let found = self.conn.prepare_cached(sql)?.query_row(params![project.key, at.0], |row| {
            Ok(KeyframeRow { position: Position(row.get(0)?), events: row.get(1)?, board: row.get(2)? })
        });
        Ok(found.optional()?)
    }

    /// Projects whose board had at least `events` events since its last keyframe.
    pub fn keyframe_wanted(&self, events: u64) -> Result<Vec<ProjectId>, StoreError> {
        let sql = format!(
            "SELECT p.id FROM projects p WHERE (
                 SELECT count(*) FROM (
                     SELECT 1 FROM events e WHERE e.project = p.key AND e.kind IN ({}) AND e.position >
                            coalesce((SELECT max(k.position) FROM keyframes k WHERE k.project = p.key), 0)
                     LIMIT ?1)) >= ?1",
            super::event::OF_BOARD
        );
        let mut statement = self.conn.prepare_cached(&sql)?;
        let rows = statement.query_map([events], |row| Ok(ProjectId(Uuid::from_bytes(row.get(0)?))))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }
}

impl Tx<'_> {
    /// Keeps a keyframe, unless it is there already.
    pub fn keyframe_put(&self, project: &ProjectRow, keyframe: &KeyframeRow) -> Result<(), StoreError> {
        self.conn
            .prepare_cached(
                "INSERT INTO keyframes (project, position, events, board) VALUES (?1, ?2, ?3, ?4) ON CONFLICT DO NOTHING",
            )?
            .execute(params![project.key, keyframe.position.0, keyframe.events, keyframe.board])?;
        Ok(())
    }
}
