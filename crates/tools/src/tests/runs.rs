//! Which run a call belongs to, and what happens to calls that come twice.

use super::{agent, host_in, person, refusal, told};
use crate::{Caller, Code, Host, Identity, Run};
use serde_json::{Value, json};

async fn runs(host: &Host) -> Vec<(String, String, String, u64, u64)> {
    let view = host.view("runs", Value::Null).await.unwrap();
    let rows = view["runs"].as_array().unwrap();
    let text = |row: &Value, field: &str| row[field].as_str().unwrap().to_owned();
    let number = |row: &Value, field: &str| row[field].as_u64().unwrap();
    rows.iter()
        .rev()
        .map(|r| {
            (
                text(r, "agent"),
                text(r, "source"),
                text(r, "status"),
                number(r, "events"),
                number(r, "rejected"),
            )
        })
        .collect()
}

fn unattributed() -> Caller {
    let identity = Identity::Agent { name: "curl".into(), version: Some("8".into()), run: Run::Unattributed };
    Caller { identity, project: None, call_id: None }
}

#[tokio::test]
async fn no_call_is_filed_under_a_shared_run() {
    let dir = tempfile::tempdir().unwrap();
    let host = host_in(dir.path());
    let create = || json!({"subject": "x"});
    host.call(agent("codex"), "progress_create", create()).await.unwrap();
    host.call(agent("codex"), "progress_create", json!({})).await.unwrap_err();
    host.call(unattributed(), "progress_create", create()).await.unwrap();
    host.call(unattributed(), "progress_create", create()).await.unwrap();
    host.call(person(), "progress_create", create()).await.unwrap();
    host.call(person(), "progress_create", create()).await.unwrap();
    host.end_run(agent("codex"), "interrupted").await.unwrap();
    let row = |a: &str, b: &str, c: &str, d, e| (a.to_owned(), b.to_owned(), c.to_owned(), d, e);
    let expected = vec![
        row("codex", "bridge", "interrupted", 4, 1),
        row("curl", "unattributed", "completed", 3, 0),
        row("curl", "unattributed", "completed", 3, 0),
        row("ann", "window", "running", 3, 0),
    ];
    assert_eq!(runs(&host).await, expected);
    // Taken for dead, it goes on in the same run when its key calls again.
    host.call(agent("codex"), "progress_create", create()).await.unwrap();
    assert_eq!(runs(&host).await[0], row("codex", "bridge", "running", 6, 1));
    // After its own end, the key begins a new run.
    host.end_run(agent("codex"), "completed").await.unwrap();
    host.call(agent("codex"), "progress_create", create()).await.unwrap();
    assert_eq!(runs(&host).await.len(), 5);
}

#[tokio::test]
async fn clients_go_by_the_name_people_know() {
    let dir = tempfile::tempdir().unwrap();
    let host = host_in(dir.path());
    let names = ["codex-mcp-client", "qwen-cli-mcp-client-board", "opencode", "-mcp-client"];
    for name in names {
        host.call(agent(name), "progress_create", json!({"subject": "x"})).await.unwrap();
    }
    let found: Vec<_> = runs(&host).await.into_iter().map(|(name, ..)| name).collect();
    assert_eq!(found, ["codex", "qwen-cli", "opencode", "-mcp-client"]);
}

#[tokio::test]
async fn a_key_belongs_to_its_project_and_kind_of_actor_and_outlives_a_restart() {
    let dir = tempfile::tempdir().unwrap();
    let call = json!({"subject": "once", "idempotencyKey": "k"});
    let host = host_in(dir.path());
    let first = host.call(agent("a"), "progress_create", call.clone()).await.unwrap();
    host.close();
    drop(host);
    let host = host_in(dir.path());
    let mut again = host.call(agent("b"), "progress_create", call.clone()).await.unwrap();
    assert_eq!(again.structured["replayed"], true);
    again.structured.as_object_mut().unwrap().shift_remove("replayed");
    assert_eq!(again.structured, first.structured);
    let other =
        host.call(agent("a"), "progress_create", json!({"subject": "two", "idempotencyKey": "k"})).await;
    assert_eq!(refusal(other).code, Code::IdempotencyMismatch);
    let by_person = host.call(person(), "progress_create", call).await.unwrap();
    assert_eq!(by_person.structured["task"]["id"], "2");
}

#[tokio::test]
async fn a_refused_call_may_be_repaired_under_its_key() {
    let dir = tempfile::tempdir().unwrap();
    let host = host_in(dir.path());
    host.call(agent("a"), "progress_create", json!({"subject": "x"})).await.unwrap();
    let call = |version: u32| json!({"id": "1", "expectedVersion": version, "patch": {"status": "done"}, "idempotencyKey": "k"});
    let stale = refusal(host.call(agent("a"), "progress_update", call(9)).await);
    assert_eq!(stale.code, Code::Stale);
    let retry = stale.retry.unwrap();
    assert_eq!(retry, json!({"tool": "progress_update", "arguments": call(1)}));
    assert_eq!(stale.current.unwrap()["version"], 1);
    host.call(agent("a"), "progress_update", retry["arguments"].clone()).await.unwrap();
}

#[tokio::test]
async fn a_call_that_the_bridge_sends_twice_is_carried_out_once() {
    let dir = tempfile::tempdir().unwrap();
    let host = host_in(dir.path());
    let caller = Caller { call_id: Some("call-1".into()), ..agent("a") };
    let first = host.call(caller.clone(), "progress_create", json!({"subject": "x"})).await.unwrap();
    let again = host.call(caller.clone(), "progress_create", json!({"subject": "x"})).await.unwrap();
    assert_eq!(again, first);
    let other = host.call(caller, "progress_create", json!({"subject": "y"})).await;
    assert_eq!(refusal(other).code, Code::IdempotencyMismatch);
}

#[tokio::test]
async fn each_folder_has_its_board_and_the_first_is_the_default() {
    let dir = tempfile::tempdir().unwrap();
    let host = host_in(dir.path());
    let at = |name: &str, path: &str| Caller { project: Some(path.into()), ..agent(name) };
    host.call(at("a", "/home/ann/acme"), "progress_create", json!({"subject": "in acme"})).await.unwrap();
    host.call(at("b", "/home/ann/other"), "progress_create", json!({"subject": "in other"})).await.unwrap();
    let list = async |caller| told(&host.call(caller, "progress_list", json!({})).await);
    assert_eq!(list(person()).await, "#1 v1 [pending] in acme");
    assert_eq!(list(at("b", "/home/ann/other")).await, "#1 v1 [pending] in other");
    assert_eq!(list(at("c", "/home/ann/new")).await, "(the board is empty; progress_create makes a task)");
    // Who only asked has a run all the same, once the question is written down.
    host.store().write_wait(|_| Ok(())).unwrap();
    let board = host.view("board", Value::Null).await.unwrap();
    let names: Vec<_> = board["projects"].as_array().unwrap().iter().map(|p| p["name"].clone()).collect();
    assert_eq!(names, ["acme", "other", "new"]);
    let nobody = Caller { project: Some(uuid::Uuid::nil().to_string()), ..person() };
    let refused = refusal(host.call(nobody, "progress_create", json!({"subject": "x"})).await);
    assert_eq!(refused.code, Code::NotFound);
}

#[tokio::test]
async fn the_board_is_told_what_changed_and_only_that() {
    let dir = tempfile::tempdir().unwrap();
    let host = host_in(dir.path());
    let mut feed = host.feed();
    super::with_tasks(&host, 3).await;
    let full = host.view("board", Value::Null).await.unwrap();
    assert_eq!((full["full"].clone(), full["tasks"].as_array().unwrap().len()), (json!(true), 3));
    let since = full["position"].as_u64().unwrap();
    while feed.recv().await.unwrap().position < since {}
    host.call(agent("a"), "progress_update", json!({"id": "2", "patch": {"status": "Done"}}))
        .await
        .unwrap_err();
    host.call(agent("a"), "progress_delete", json!({"id": "3", "expectedVersion": 1})).await.unwrap();
    let change = feed.recv().await.unwrap();
    assert!(change.tags.iter().any(|tag| matches!(tag, crate::Tag::Task { id: 2, .. })), "{change:?}");
    let delta = host.view("board", json!({"since": since})).await.unwrap();
    assert_eq!(delta["full"], false);
    assert_eq!(delta["removed"], json!([3]));
    let cards: Vec<_> =
        delta["tasks"].as_array().unwrap().iter().map(|c| (c["id"].clone(), c["rejected"].clone())).collect();
    assert_eq!(cards, [(json!(2), json!(1))]);
    let kinds: Vec<_> = delta["strip"].as_array().unwrap().iter().map(|item| item["kind"].clone()).collect();
    assert_eq!(kinds, ["run_started", "call_rejected", "task_deleted"]);
    assert_eq!(delta["strip"][1]["code"], "INVALID_INPUT");
    assert_eq!(delta["strip"][1]["task"], 2);
    let ahead = host.view("board", json!({"since": 1_000_000})).await.unwrap();
    assert_eq!(ahead["full"], true);
}
