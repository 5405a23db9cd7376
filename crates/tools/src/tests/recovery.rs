//! What goes wrong below: a full disk, a damaged file, a panic, a second owner.

use super::{agent, host_in, person, refusal, tasks, told, update, with_tasks};
use crate::{Code, Host, OpenError, Options};
use serde_json::{Value, json};
use store::StoreError;

#[tokio::test]
async fn a_full_disk_is_said_and_over_when_there_is_space() {
    let dir = tempfile::tempdir().unwrap();
    let host = host_in(dir.path());
    with_tasks(&host, 1).await;
    let mut before = tasks(&host);
    // SQLite itself says "full" when its file may not grow.
    host.store().write_wait(|tx| tx.pages_limit(Some(2))).unwrap();
    let text = "x".repeat(1_900);
    let mut full = None;
    for i in 1..200 {
        let result =
            host.call(person(), "progress_update", update(1, i, &json!({"description": text}))).await;
        if result.is_err() {
            full = Some((i, refusal(result)));
            break;
        }
        before = tasks(&host);
    }
    let (version, said) = full.expect("the file cannot grow for ever");
    assert_eq!(said.code, Code::StoreUnavailable);
    assert!(said.to_text().contains("the disk is full; nothing was changed"), "{}", said.to_text());
    assert_eq!(tasks(&host), before);
    host.store().write_wait(|tx| tx.pages_limit(None)).unwrap();
    host.call(person(), "progress_update", update(1, version, &json!({"description": text}))).await.unwrap();
}

#[tokio::test]
async fn a_panic_in_one_call_harms_no_other() {
    let dir = tempfile::tempdir().unwrap();
    let host = host_in(dir.path());
    with_tasks(&host, 1).await;
    let panicking = host.store().write_wait(|_| -> Result<(), StoreError> { panic!("deliberate") });
    assert!(panicking.unwrap_err().message.contains("panic"));
    assert_eq!(told(&host.call(agent("a"), "progress_list", json!({})).await), "#1 v1 [pending] task 1");
    with_tasks(&host, 1).await;
}

#[tokio::test]
async fn a_damaged_file_opens_for_reading_and_says_so() {
    let dir = tempfile::tempdir().unwrap();
    let host = host_in(dir.path());
    with_tasks(&host, 40).await;
    host.close();
    drop(host);
    let file = dir.path().join("tallyboard.db");
    let mut bytes = std::fs::read(&file).unwrap();
    // The first page stays whole: the file is still a database, but some of its trees are not.
    let page = 4096;
    for n in [bytes.len() / page - 1, bytes.len() / page - 2, bytes.len() / page - 3] {
        bytes[n * page..n * page + 64].fill(0xff);
    }
    std::fs::write(&file, bytes).unwrap();
    let host = host_in(dir.path());
    let status = host.view("status", Value::Null).await.unwrap();
    assert!(status["readOnly"].as_str().unwrap().contains("fails its check"), "{status}");
    let refused = refusal(host.call(person(), "progress_create", json!({"subject": "x"})).await);
    assert_eq!(refused.code, Code::StoreUnavailable);
    assert!(refused.to_text().contains("restore the store from a backup"), "{}", refused.to_text());
}

#[tokio::test]
async fn secrets_of_a_refused_call_are_never_stored() {
    let dir = tempfile::tempdir().unwrap();
    let host = host_in(dir.path());
    let secret = format!("ghp_{}", "x1Y2".repeat(9));
    host.call(agent("a"), "progress_create", json!({"subject": 7, "token": secret})).await.unwrap_err();
    host.close();
    for entry in std::fs::read_dir(dir.path()).unwrap() {
        let path = entry.unwrap().path();
        if path.is_file() {
            let bytes = std::fs::read(&path).unwrap();
            let found = bytes.windows(secret.len()).any(|window| window == secret.as_bytes());
            assert!(!found, "{} holds the secret", path.display());
        }
    }
    let host = host_in(dir.path());
    let bodies = host.store().read(|reader| reader.event_raw_after(domain::Position(0), 9)).unwrap();
    assert!(bodies.iter().any(|raw| raw.body.contains("[redacted:github-token,40]")));
}

#[test]
fn what_is_not_a_store_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("tallyboard.db"), "no database ".repeat(500)).unwrap();
    match Host::open(Options { data: dir.path().into(), person: "ann".into(), witness: None }) {
        Err(OpenError::Unusable { message }) => assert!(message.contains("is not a database"), "{message}"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn one_owner_at_a_time() {
    let dir = tempfile::tempdir().unwrap();
    let first = host_in(dir.path());
    match Host::open(Options { data: dir.path().into(), person: "ann".into(), witness: None }) {
        Err(OpenError::Held { pid, message }) => {
            assert_eq!(pid, Some(std::process::id()));
            assert!(message.contains("one owner at a time"), "{message}");
        }
        other => panic!("{other:?}"),
    }
    first.close();
    Host::open(Options { data: dir.path().into(), person: "ann".into(), witness: None }).unwrap();
}

#[tokio::test]
async fn events_can_be_neither_changed_nor_removed_and_a_rogue_file_changes_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let host = host_in(dir.path());
    with_tasks(&host, 1).await;
    for sql in ["UPDATE events SET seq = 7", "DELETE FROM events"] {
        let refused = host.store().write_wait(move |tx| tx.execute_for_test(sql));
        assert!(refused.unwrap_err().message.contains("append-only"));
    }
    let before = tasks(&host);
    std::fs::write(dir.path().join("progress.json"), r#"{"tasks":[{"id":"1","status":"done"}]}"#).unwrap();
    assert_eq!(tasks(&host), before);
    let list = told(&host.call(agent("a"), "progress_list", json!({})).await);
    assert_eq!(list, "#1 v1 [pending] task 1");
}
