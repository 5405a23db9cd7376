//! The store by itself: what a commit means, what a refused job leaves behind, what SQLite guards.

use crate::table::run::RunsOf;
use crate::{Kind, Store, StoreError, StoreOptions, Touched, Tx};
use domain::event::{Cause, ProjectRef, RunStarted, TaskCreated};
use domain::{ActorKind, AgentName, Position, ProjectId, RunId, Source, Subject, TaskId, TaskNo, Timestamp};
use parking_lot::Mutex;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::channel;
use uuid::Uuid;

type Commits = Arc<Mutex<Vec<(Position, Vec<Touched>)>>>;

fn open(dir: &Path) -> (Store, Commits) {
    let commits = Commits::default();
    let seen = Arc::clone(&commits);
    let on_commit = Box::new(move |position, touched| seen.lock().push((position, touched)));
    (Store::open(StoreOptions { dir: dir.to_owned(), on_commit, sign: None }).unwrap(), commits)
}

fn at(second: i64) -> Timestamp {
    Timestamp::from_unix_ms(second * 1_000)
}

/// A new run in the one project, with a task in it.
fn run_with_task(tx: &mut Tx<'_>, n: u32) -> Result<(), StoreError> {
    let project = ProjectRef { id: ProjectId(Uuid::from_u128(1)), name: "acme".into(), path: None };
    let name = AgentName::lossy("codex");
    let started = RunStarted::new(project, ActorKind::Agent, name, None, Source::Bridge);
    let mut run = tx.run_start(RunId(Uuid::from_u128(u128::from(n) + 100)), at(1), started)?;
    let subject = Subject::new(format!("task {n}")).unwrap();
    let id = TaskId(Uuid::from_u128(u128::from(n)));
    let created = TaskCreated::new(TaskNo(n), id, subject, None, vec![], Cause::default());
    tx.append(&mut run, at(2), &created.into())?;
    Ok(())
}

fn counts(store: &Store) -> (u64, usize) {
    let runs = store.read(|reader| reader.run_list(&RunsOf::default(), 1_000)).unwrap().len();
    (store.read(|reader| reader.position()).unwrap().0, runs)
}

#[test]
fn a_job_that_fails_or_panics_leaves_nothing_and_the_others_stand() {
    let dir = tempfile::tempdir().unwrap();
    let (store, commits) = open(dir.path());
    let (answer, answers) = channel();
    // The first job keeps the writer busy until the others wait: they share one commit.
    let (go, wait) = channel::<()>();
    store.write(move |_| wait.recv().map_err(StoreError::internal), |_| ());
    for n in 1..=4u32 {
        let answer = answer.clone();
        let job = move |tx: &mut Tx<'_>| {
            run_with_task(tx, n)?;
            match n {
                2 => Err(StoreError::internal("changed my mind")),
                3 => panic!("deliberate"),
                _ => Ok(n),
            }
        };
        store.write(job, move |result| answer.send((n, result)).unwrap());
    }
    drop(answer);
    go.send(()).unwrap();
    let mut results: Vec<_> = (0..4).map(|_| answers.recv().unwrap()).collect();
    results.sort_by_key(|(n, _)| *n);
    let ok: Vec<_> = results.iter().map(|(_, result)| result.is_ok()).collect();
    assert_eq!(ok, [true, false, false, true]);
    assert_eq!(counts(&store), (4, 2));
    store.close();
    let commits = commits.lock();
    assert_eq!(commits.len(), 1, "one commit for all that waited: {commits:?}");
    assert_eq!(commits[0].0, Position(4));
    assert_eq!(commits[0].1.len(), 4);
}

#[test]
fn what_was_committed_is_there_after_reopening_and_the_chain_goes_on() {
    let dir = tempfile::tempdir().unwrap();
    for n in 1..=3 {
        let (store, _) = open(dir.path());
        store.write_wait(move |tx| run_with_task(tx, n)).unwrap();
        assert_eq!(counts(&store).0, u64::from(n) * 2);
        store.close();
    }
}

#[test]
fn sqlite_is_set_to_survive_the_loss_of_power() {
    let dir = tempfile::tempdir().unwrap();
    let (store, _) = open(dir.path());
    let pragma = |name: &'static str| {
        store
            .write_wait(move |tx| {
                let text = |row: &rusqlite::Row<'_>| row.get::<_, rusqlite::types::Value>(0);
                Ok(format!("{:?}", tx.conn.pragma_query_value(None, name, text)?))
            })
            .unwrap()
    };
    assert_eq!(pragma("journal_mode"), "Text(\"wal\")");
    assert_eq!(pragma("synchronous"), "Integer(2)");
    assert_eq!(pragma("foreign_keys"), "Integer(1)");
}

#[test]
fn the_database_itself_refuses_what_cannot_be() {
    let dir = tempfile::tempdir().unwrap();
    let (store, _) = open(dir.path());
    store.write_wait(|tx| run_with_task(tx, 1)).unwrap();
    let check = |sql: &'static str, why: &str| {
        let refused = store.write_wait(move |tx| tx.execute_for_test(sql)).unwrap_err();
        assert!(refused.message.contains(why), "{sql}: {refused}");
    };
    check("UPDATE events SET body = '{}'", "append-only");
    check("DELETE FROM events", "append-only");
    check(
        "INSERT INTO events SELECT 99, run, seq, project, kind, task, body, hash FROM events WHERE seq = 1",
        "UNIQUE",
    );
    check("UPDATE tasks SET status = 'Done'", "CHECK");
    check("UPDATE tasks SET subject = ''", "CHECK");
    check("UPDATE tasks SET holder = 1", "CHECK");
    check("UPDATE tasks SET version = 'two'", "cannot store TEXT");
    check("INSERT INTO task_deps VALUES (1, 1, 77)", "FOREIGN KEY");
    check("UPDATE runs SET actor = 'robot'", "CHECK");
}

#[test]
fn the_log_is_copied_back_beside_the_writer_and_is_empty_after_closing() {
    let dir = tempfile::tempdir().unwrap();
    let (store, _) = open(dir.path());
    let size = |name: &str| std::fs::metadata(dir.path().join(name)).map_or(0, |meta| meta.len());
    let before = size("tallyboard.db");
    for n in 1..=400 {
        store.write_wait(move |tx| run_with_task(tx, n)).unwrap();
    }
    let deadline = std::time::Instant::now() + std::time::Duration::from_secs(10);
    while size("tallyboard.db") == before && std::time::Instant::now() < deadline {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    assert!(size("tallyboard.db") > before, "nothing was copied back");
    store.close();
    assert_eq!(size("tallyboard.db-wal"), 0);
}

#[test]
fn readers_cannot_write_and_a_closed_store_says_so() {
    let dir = tempfile::tempdir().unwrap();
    let (store, _) = open(dir.path());
    let refused = store.read(|reader| Ok(reader.conn.execute("DELETE FROM runs", [])?)).unwrap_err();
    assert_eq!(refused.kind, Kind::ReadOnly);
    store.close();
    assert_eq!(store.write_wait(|tx| run_with_task(tx, 1)).unwrap_err().kind, Kind::Closed);
    assert_eq!(store.read(|reader| reader.position()).unwrap_err().kind, Kind::Closed);
}

#[cfg(unix)]
#[test]
fn the_folder_is_private() {
    use std::os::unix::fs::PermissionsExt;
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("data");
    let _store = open(&data);
    assert_eq!(std::fs::metadata(&data).unwrap().permissions().mode() & 0o777, 0o700);
}
