//! Which board a watched run stands beside: that of the folder it worked in.

use crate::dispatch::{find_project, new_project};
use crate::sources::Sources;
use domain::ProjectId;
use domain::event::ProjectRef;
use std::path::Path;
use store::{Reader, StoreError};

/// A session that names no folder stands with the runs from files.
pub(super) fn of(
    reader: &Reader<'_>,
    cwd: Option<&str>,
    sources: &Sources,
) -> Result<ProjectRef, StoreError> {
    let known =
        |row: store::table::project::ProjectRow| ProjectRef { id: row.id, name: row.name, path: row.path };
    let Some(folder) = cwd.filter(|cwd| Path::new(cwd).is_absolute()).map(root) else {
        let imported = reader.project_by_id(store::IMPORTED)?.map(known);
        let new = || ProjectRef { id: store::IMPORTED, name: "Imported".to_owned(), path: None };
        return Ok(imported.unwrap_or_else(new));
    };
    match find_project(reader, Some(&folder))? {
        Ok(Some(row)) => Ok(known(row)),
        _ => Ok(new_project(Some(&folder), ProjectId((sources.uuid)()))),
    }
}

/// The folder's git root where it is on this machine, else the folder.
fn root(cwd: &str) -> String {
    let found = Path::new(cwd).ancestors().find(|folder| folder.join(".git").exists());
    found.map_or_else(|| cwd.to_owned(), |root| root.to_string_lossy().into_owned())
}
