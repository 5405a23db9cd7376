//! Every answer and every refusal, word for word, in one long conversation (golden/conversation.txt).

use super::{agent, host_in, person, tasks, told, with_tasks};
use crate::Caller;
use serde_json::{Value, json};
use std::fmt::Write;

const CASES: &[(&str, &str, &str)] = &[
    ("the board is empty", "progress_list", r#"{}"#),
    ("a task", "progress_create", r#"{"subject":"Write the plan — é漢🚀","idempotencyKey":"turn-1-a"}"#),
    (
        "a task with everything",
        "progress_create",
        r##"{"subject":"Ship \"it\"","description":"two\nlines","blockedBy":["#1"],"idempotencyKey":"turn-1-b"}"##,
    ),
    (
        "the same again",
        "progress_create",
        r#"{"subject":"Write the plan — é漢🚀","idempotencyKey":"turn-1-a"}"#,
    ),
    ("the same key, another body", "progress_create", r#"{"subject":"Another","idempotencyKey":"turn-1-a"}"#),
    ("the list", "progress_list", "{}"),
    ("the list by dotted name", "progress.list", r#"{"status":"done"}"#),
    ("a wrong enum", "progress_update", r#"{"id":"1","expectedVersion":1,"patch":{"status":"Done"}}"#),
    ("a stale version", "progress_update", r#"{"id":"1","expectedVersion":9,"patch":{"status":"done"}}"#),
    ("no version", "progress_update", r#"{"id":"1","patch":{"status":"in_progress"}}"#),
    (
        "started",
        "progress_update",
        r##"{"id":"#1","expectedVersion":1.0,"patch":{"status":"in_progress"},"wait_for_previous":true}"##,
    ),
    ("in full", "progress_get", r#"{"id":"1"}"#),
    ("in full, blocked", "progress_get", r#"{"id":"2"}"#),
    (
        "many problems at once",
        "progress_update",
        r#"{"id":3,"status":"done","patch":{"title":"x","subject":"","description":null},"expectedVersion":0,"color":"red"}"#,
    ),
    ("an empty patch", "progress_update", r#"{"id":"1","expectedVersion":2,"patch":{}}"#),
    (
        "a patch as text",
        "progress_update",
        r#"{"id":"1","expectedVersion":"2","patch":"{\"status\":\"done\"}"}"#,
    ),
    ("nothing at all", "progress_create", "{}"),
    ("too long", "progress_create", LONG),
    ("a hidden character", "progress_create", r#"{"subject":"evil\u202etxt"}"#),
    ("blockers that are not there", "progress_create", r#"{"subject":"x","blockedBy":["7","1","8"]}"#),
    ("blockers as one text", "progress_create", r#"{"subject":"x","blockedBy":"1"}"#),
    ("a circle", "progress_update", r#"{"id":"1","expectedVersion":2,"patch":{"blockedBy":["2"]}}"#),
    ("blocked by itself", "progress_update", r#"{"id":"1","expectedVersion":2,"patch":{"blockedBy":["1"]}}"#),
    ("no such task", "progress_get", r#"{"id":"99"}"#),
    ("a bad cursor", "progress_list", r#"{"cursor":"page 2"}"#),
    ("an agent restores", "progress_restore", r#"{"id":"2","expectedVersion":1}"#),
    ("a stale delete", "progress_delete", r#"{"id":"2","expectedVersion":7}"#),
    ("a delete without a version", "progress_delete", r#"{"id":"2"}"#),
    ("deleted", "progress_delete", r#"{"id":"2","expectedVersion":1}"#),
    ("deleted again", "progress_delete", r#"{"id":"2","expectedVersion":2}"#),
    (
        "a secret in a refused call",
        "progress_create",
        r#"{"subject":"use ghp_abcdefghijklmnopqrstuvwxyz0123456789","extra":1}"#,
    ),
    ("an unknown tool", "progress_finish", r#"{"id":"1"}"#),
    ("the end", "progress_list", "{}"),
];

const LONG: &str = concat!(
    r#"{"subject":"0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789"#,
    r#"0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789x"}"#
);

#[tokio::test]
async fn every_answer_word_for_word() {
    let dir = tempfile::tempdir().unwrap();
    let host = host_in(dir.path());
    let mut transcript = String::new();
    for (what, tool, arguments) in CASES {
        let before = tasks(&host);
        let result = host.call(agent("codex"), tool, serde_json::from_str(arguments).unwrap()).await;
        if result.is_err() {
            assert_eq!(tasks(&host), before, "{what}: a refused call changed state");
        }
        let shown = if arguments.len() > 200 { "(long)" } else { arguments };
        writeln!(transcript, "── {what}\n{tool} {shown}\n{}", told(&result)).unwrap();
        if let Ok(answer) = &result {
            writeln!(transcript, "{}", answer.structured).unwrap();
        }
        transcript.push('\n');
    }
    golden("conversation.txt", &transcript);
}

/// Compares with a golden file in full; `ACCEPT=1` rewrites it.
pub(super) fn golden(name: &str, found: &str) {
    let path = format!("{}/src/tests/golden/{name}", env!("CARGO_MANIFEST_DIR"));
    if std::env::var_os("ACCEPT").is_some() {
        std::fs::write(&path, found).unwrap();
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(found, expected, "{name} is not what it was: look at the difference, then run with ACCEPT=1");
}

#[tokio::test]
async fn what_a_person_restores_is_back_with_a_new_version() {
    let dir = tempfile::tempdir().unwrap();
    let host = host_in(dir.path());
    with_tasks(&host, 2).await;
    let say = |caller: Caller, tool: &'static str, arguments: Value| {
        let host = host.clone();
        async move { told(&host.call(caller, tool, arguments).await) }
    };
    say(agent("a"), "progress_delete", json!({"id": "2", "expectedVersion": 1})).await;
    let stale = say(person(), "progress_restore", json!({"id": "2", "expectedVersion": 1})).await;
    assert!(stale.starts_with("STALE: task #2 is at version 2, not 1: a changed it"), "{stale}");
    let restored = say(person(), "progress_restore", json!({"id": "2", "expectedVersion": 2})).await;
    assert_eq!(restored, "Restored #2 v3 [pending] task 2");
    let twice = say(person(), "progress_restore", json!({"id": "2", "expectedVersion": 3})).await;
    assert!(twice.starts_with("INVALID_INPUT: task #2 is on the board (version 3)"), "{twice}");
    let next = say(person(), "progress_create", json!({"subject": "next"})).await;
    assert_eq!(next, "Created #3 v1 [pending] next");
}

#[tokio::test]
async fn pages_stay_under_8_kb_and_together_give_the_whole_board() {
    let dir = tempfile::tempdir().unwrap();
    let host = host_in(dir.path());
    for i in 0..150 {
        let subject = format!("{i} {}", "漢".repeat(60));
        host.call(person(), "progress_create", json!({"subject": subject})).await.unwrap();
    }
    let (mut cursor, mut ids, mut pages) = (None::<String>, Vec::new(), 0);
    loop {
        let mut arguments = json!({});
        if let Some(cursor) = &cursor {
            arguments["cursor"] = cursor.as_str().into();
        }
        let page = host.call(agent("a"), "progress_list", arguments).await.unwrap();
        assert!(page.text.len() <= 8_000 && page.structured.to_string().len() <= 8_000);
        ids.extend(page.structured["tasks"].as_array().unwrap().iter().map(|task| task["id"].clone()));
        pages += 1;
        if pages == 1 {
            // A task that is made while the pages are read does not move them.
            host.call(person(), "progress_create", json!({"subject": "late"})).await.unwrap();
        }
        cursor = page.structured["nextCursor"].as_str().map(str::to_owned);
        if cursor.is_none() {
            break;
        }
    }
    assert!(pages > 3);
    let expected: Vec<Value> = (1..=151).map(|no: u32| no.to_string().into()).collect();
    assert_eq!(ids, expected);
}
