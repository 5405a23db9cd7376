//! Migrations: append-only SQL files, counted in `user_version`. A newer file is refused, an older
//! one is backed up before it is changed.

use crate::{OpenError, StoreError, Tx};
use rusqlite::{Connection, OptionalExtension};
use std::path::{Path, PathBuf};

pub(crate) const MIGRATIONS: &[&str] = &[
    include_str!("../../../migrations/0001_init.sql"),
    include_str!("../../../migrations/0002_inspector.sql"),
    include_str!("../../../migrations/0003_observed.sql"),
];

/// "TALY": tells our files from other SQLite databases.
const APPLICATION_ID: u32 = 0x5441_4C59;

fn sql(what: &str) -> impl FnOnce(rusqlite::Error) -> OpenError {
    let what = format!("the store cannot be brought up to date ({what})");
    move |source| OpenError::Sql { what, source }
}

/// Replays all events into the views: they may hold more of old events now.
pub(crate) fn replay(conn: &Connection) -> Result<(), StoreError> {
    Tx::new(conn, None)?.views_rebuild()
}

/// Brings the database to the newest format, and an older one then through `then`. Gives the backup's
/// path when one was made.
pub(crate) fn migrate(
    conn: &mut Connection,
    migrations: &[&str],
    backups: &Path,
    then: impl FnOnce(&Connection) -> Result<(), StoreError>,
) -> Result<Option<PathBuf>, OpenError> {
    let pragma = |conn: &Connection, name| conn.pragma_query_value(None, name, |row| row.get::<_, u32>(0));
    let found = pragma(conn, "user_version").map_err(sql("reading the version"))?;
    let known = u32::try_from(migrations.len()).unwrap_or(u32::MAX);
    if found > known {
        return Err(OpenError::Newer { found, known });
    }
    let owner = pragma(conn, "application_id").map_err(sql("reading the application id"))?;
    let tables: u32 = conn
        .query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))
        .map_err(sql("reading the schema"))?;
    if owner != APPLICATION_ID && tables > 0 {
        return Err(OpenError::Foreign { file: conn.path().unwrap_or("the file").to_owned() });
    }
    if found == known {
        return Ok(None);
    }
    let backup = if found > 0 { Some(back_up(conn, found, backups)?) } else { None };
    // A table that others refer to can only be made anew while references are not enforced.
    conn.pragma_update(None, "foreign_keys", false).map_err(sql("letting references be"))?;
    let tx =
        conn.transaction_with_behavior(rusqlite::TransactionBehavior::Exclusive).map_err(sql("starting"))?;
    for (step, migration) in migrations.iter().enumerate().skip(found as usize) {
        tx.execute_batch(migration).map_err(sql(&format!("step {}", step + 1)))?;
    }
    if found > 0 {
        then(&tx).map_err(|error| OpenError::Replay { error })?;
    }
    let broken: Option<String> = tx
        .query_row("SELECT \"table\" FROM pragma_foreign_key_check LIMIT 1", [], |row| row.get(0))
        .optional()
        .map_err(sql("checking references"))?;
    if let Some(table) = broken {
        return Err(OpenError::Dangling { table });
    }
    tx.pragma_update(None, "application_id", APPLICATION_ID).map_err(sql("marking the file"))?;
    tx.pragma_update(None, "user_version", known).map_err(sql("writing the version"))?;
    tx.commit().map_err(sql("committing"))?;
    conn.pragma_update(None, "foreign_keys", true).map_err(sql("enforcing references"))?;
    Ok(backup)
}

fn back_up(conn: &Connection, version: u32, backups: &Path) -> Result<PathBuf, OpenError> {
    let io = |source| OpenError::Io { what: "no backup could be made before migrating".into(), source };
    std::fs::create_dir_all(backups).map_err(io)?;
    let free = (1..).map(|n| backups.join(format!("format-{version}-{n}.db"))).find(|path| !path.exists());
    let path = free.unwrap_or_else(|| backups.join("format.db"));
    let name = path.to_string_lossy().into_owned();
    conn.execute("VACUUM INTO ?1", [&name]).map_err(sql("backing up"))?;
    std::fs::File::open(&path).and_then(|file| file.sync_all()).map_err(io)?;
    Ok(path)
}

/// The schema as SQL, for the golden file.
#[cfg(test)]
fn schema(conn: &Connection) -> String {
    let mut statement = conn
        .prepare("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY tbl_name, type DESC, name")
        .unwrap();
    let parts: Vec<String> = statement.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
    parts.join(";\n\n") + ";\n"
}

#[cfg(test)]
mod tests {
    #![expect(clippy::disallowed_methods, reason = "these tests need bare databases")]
    use super::*;

    fn nothing(_: &Connection) -> Result<(), StoreError> {
        Ok(())
    }

    fn memory() -> Connection {
        Connection::open_in_memory().unwrap()
    }

    #[test]
    fn all_migrations_together_give_the_golden_schema() {
        let mut conn = memory();
        migrate(&mut conn, MIGRATIONS, Path::new("unused"), replay).unwrap();
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../migrations/schema.sql");
        let found = schema(&conn);
        if std::env::var_os("ACCEPT").is_some() {
            std::fs::write(path, &found).unwrap();
        }
        let golden = std::fs::read_to_string(path).unwrap_or_default();
        assert_eq!(found, golden, "schema.sql is stale: run `ACCEPT=1 cargo test -p store golden`");
    }

    #[test]
    fn an_old_file_is_backed_up_then_brought_up_to_date() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("x.db");
        let steps = ["CREATE TABLE a (x) ", "ALTER TABLE a ADD COLUMN y"];
        let mut conn = Connection::open(&file).unwrap();
        assert_eq!(migrate(&mut conn, &steps[..1], dir.path(), nothing).unwrap(), None);
        conn.execute("INSERT INTO a VALUES (7)", []).unwrap();
        let backup = migrate(&mut conn, &steps, dir.path(), nothing).unwrap().expect("a backup");
        assert_eq!(conn.query_row("SELECT x FROM a WHERE y IS NULL", [], |r| r.get::<_, i64>(0)), Ok(7));
        let old = Connection::open(backup).unwrap();
        assert_eq!(old.query_row("SELECT * FROM a", [], |r| r.get::<_, i64>(0)), Ok(7));
        assert!(old.prepare("SELECT y FROM a").is_err());
    }

    #[test]
    fn a_step_that_fails_changes_nothing() {
        let mut conn = memory();
        migrate(&mut conn, &["CREATE TABLE a (x)"], Path::new("unused"), nothing).unwrap();
        let dir = tempfile::tempdir().unwrap();
        let steps = ["CREATE TABLE a (x)", "CREATE TABLE b (x)", "nonsense"];
        assert!(migrate(&mut conn, &steps, dir.path(), nothing).is_err());
        assert!(conn.prepare("SELECT * FROM b").is_err());
        assert_eq!(conn.pragma_query_value(None, "user_version", |r| r.get::<_, u32>(0)), Ok(1));
    }

    #[test]
    fn newer_and_foreign_files_are_refused() {
        let mut conn = memory();
        let newest =
            ["CREATE TABLE a (x)"; 1].into_iter().chain(std::iter::repeat_n("SELECT 1", MIGRATIONS.len()));
        migrate(&mut conn, &newest.collect::<Vec<_>>(), Path::new("unused"), nothing).unwrap();
        let newer = migrate(&mut conn, MIGRATIONS, Path::new("unused"), nothing);
        assert!(matches!(newer, Err(OpenError::Newer { found, known }) if found == known + 1), "{newer:?}");
        let mut foreign = memory();
        foreign.execute("CREATE TABLE contacts (name)", []).unwrap();
        assert!(matches!(
            migrate(&mut foreign, MIGRATIONS, Path::new("unused"), nothing),
            Err(OpenError::Foreign { .. })
        ));
    }

    /// A file of format 1, with a task and a call that was refused on it.
    #[test]
    fn the_first_format_opens_and_its_refusals_become_chains() {
        let dir = tempfile::tempdir().unwrap();
        let mut conn = Connection::open(dir.path().join("x.db")).unwrap();
        conn.pragma_update(None, "foreign_keys", true).unwrap();
        migrate(&mut conn, &MIGRATIONS[..1], dir.path(), nothing).unwrap();
        conn.execute_batch(include_str!("format1.sql")).unwrap();
        migrate(&mut conn, MIGRATIONS, dir.path(), replay).unwrap().expect("a backup");
        let chain: (u64, String, u32) = conn
            .query_row("SELECT seq, state, task FROM chains", [], |row| {
                Ok((row.get(0)?, row.get(1)?, row.get(2)?))
            })
            .unwrap();
        assert_eq!(chain, (3, "open".into(), 1));
        let run: (u64, u64, String) = conn
            .query_row("SELECT head_seq, calls, status FROM runs", [], |row| {
                Ok((row.get(0)?, row.get(1)?, row.get(2)?))
            })
            .unwrap();
        assert_eq!(run, (3, 2, "running".into()));
        let on: bool = conn.pragma_query_value(None, "foreign_keys", |row| row.get(0)).unwrap();
        assert!(on, "references are enforced again");
    }
}
