//! Ledger files through the command line: out, checked, and in again; and what strangers' files hold.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop there")]

use std::path::{Path, PathBuf};
use std::process::Output;

use serde_json::{Value, json};
use tests::Store;

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

fn run(store: &Store, arguments: &[&str], expected: i32) -> Output {
    let output = store.run(arguments);
    assert_eq!(output.status.code(), Some(expected), "{arguments:?}: {}", text(&output));
    output
}

fn json_of(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {}", text(output)))
}

/// A store with one run of a person: three tasks and a refused call.
fn filled() -> (Store, String) {
    let store = Store::default();
    for subject in ["one", "two", "三"] {
        run(&store, &["call", "progress_create", &json!({"subject": subject}).to_string()], 0);
    }
    run(&store, &["call", "progress_update", r#"{"id":"1","patch":{"status":"Done"}}"#], 1);
    let runs = json_of(&run(&store, &["runs", "--json"], 0));
    (store, runs["runs"][0]["id"].as_str().unwrap().to_owned())
}

fn export(store: &Store, id: &str, dir: &Path) -> PathBuf {
    let file = dir.join("events.jsonl");
    run(store, &["export", id, "--out", file.to_str().unwrap()], 0);
    file
}

#[test]
fn what_is_exported_is_sound_and_is_the_same_run_elsewhere() {
    let (store, id) = filled();
    let dir = tempfile::tempdir().unwrap();
    let file = export(&store, &id, dir.path());
    let file = file.to_str().unwrap();
    let verdict = json_of(&run(&store, &["verify", file, "--json"], 0));
    assert_eq!((&verdict["ok"], &verdict["events"]), (&json!(true), &json!(5)));
    let elsewhere = Store::default();
    run(&elsewhere, &["call", "progress_create", r#"{"subject":"mine"}"#], 0);
    let account = json_of(&run(&elsewhere, &["import", file, "--json"], 0));
    assert_eq!(
        (&account["format"], &account["events"], &account["runs"][0]),
        (&json!("ledger"), &json!(5), &json!(id))
    );
    assert_eq!(account["lines"], 5);
    // Once more: nothing is doubled.
    let again = json_of(&run(&elsewhere, &["import", file, "--json"], 0));
    assert_eq!((&again["events"], &again["skipped"]["there already"]), (&json!(0), &json!(5)));
    // The same bytes come out again, and the board is untouched.
    let back = tempfile::tempdir().unwrap();
    let copy = export(&elsewhere, &id, back.path());
    assert_eq!(std::fs::read(copy).unwrap(), std::fs::read(file).unwrap());
    run(&elsewhere, &["verify", &id], 0);
    let board = json_of(&run(&elsewhere, &["replay", "--project", "--at", "9999", "--json"], 0));
    assert_eq!(board["tasks"].as_array().unwrap().len(), 1);
    // Into the store that it came from nothing is read.
    let own = json_of(&run(&store, &["import", file, "--json"], 0));
    assert_eq!(own["events"], 0);
    let moment = json_of(&run(&elsewhere, &["replay", &id, "--at", "3", "--json"], 0));
    assert_eq!(moment["tasks"].as_array().unwrap().len(), 2, "a run from a file shows its own board");
}

#[test]
fn a_file_that_was_changed_is_named_with_its_line() {
    let (store, id) = filled();
    let check = |edit: &dyn Fn(&mut Vec<String>), code: i32, kind: &str, first: u64| {
        let dir = tempfile::tempdir().unwrap();
        let file = export(&store, &id, dir.path());
        let mut lines: Vec<String> =
            std::fs::read_to_string(&file).unwrap().lines().map(str::to_owned).collect();
        edit(&mut lines);
        std::fs::write(&file, lines.join("\n")).unwrap();
        let verdict = json_of(&run(&store, &["verify", file.to_str().unwrap(), "--json"], code));
        assert_eq!(verdict["ok"], false);
        assert_eq!(
            (&verdict["problems"][0]["kind"], &verdict["first_bad_seq"]),
            (&json!(kind), &json!(first))
        );
        let said = text(&run(&store, &["verify", file.to_str().unwrap()], code));
        assert!(said.contains(&format!("the first bad event is {first}")), "{said}");
    };
    check(&|lines| lines[2] = lines[2].replace("two", "too"), 1, "altered", 3);
    check(&|lines| drop(lines.remove(2)), 1, "gap", 3);
    check(&|lines| lines.swap(1, 2), 1, "reorder", 2);
    check(&|lines| lines[4].truncate(90), 1, "truncated", 5);
    check(&|lines| lines[3] = "{\"seq\":4".into(), 1, "unreadable", 4);
}

#[test]
fn a_cut_tail_shows_against_the_checkpoints_kept_outside() {
    let (store, id) = filled();
    let dir = tempfile::tempdir().unwrap();
    let file = export(&store, &id, dir.path());
    let marks = store.data().join("witness/checkpoints.jsonl");
    let (file, marks) = (file.to_str().unwrap().to_owned(), marks.to_str().unwrap().to_owned());
    let whole = json_of(&run(&store, &["verify", &file, "--checkpoints", &marks, "--json"], 0));
    assert_eq!(whole["covered_to"], 5);
    let cut: Vec<_> = std::fs::read_to_string(&file).unwrap().lines().take(3).map(str::to_owned).collect();
    std::fs::write(&file, cut.join("\n") + "\n").unwrap();
    let verdict = json_of(&run(&store, &["verify", &file, "--checkpoints", &marks, "--json"], 1));
    assert_eq!((&verdict["problems"][0]["kind"], &verdict["first_bad_seq"]), (&json!("cut_tail"), &json!(4)));
}

/// What strangers' files hold is named in the account; none keeps the others out.
#[test]
fn strange_files_are_accounted_for() {
    let store = Store::default();
    let dir = tempfile::tempdir().unwrap();
    let plain = |seq: u64, kind: &str| {
        format!(
            r#"{{"seq":{seq},"run_id":"demo-001","kind":"{kind}","at":"2026-01-01T00:00:0{seq}.123456+00:00","payload":{{"goal":"修复折扣计算"}}}}"#
        )
    };
    let check = |name: &str, bytes: Vec<u8>, code: i32, expected: Value| {
        let file = dir.path().join(name);
        std::fs::write(&file, bytes).unwrap();
        let account = json_of(&run(&store, &["import", file.to_str().unwrap(), "--json"], code));
        for (member, value) in expected.as_object().unwrap() {
            assert_eq!(&account[member], value, "{name}: {account}");
        }
        let bad = account["badLines"].as_u64().unwrap();
        let skipped: u64 = account["skipped"].as_object().unwrap().values().filter_map(Value::as_u64).sum();
        let blank = account["notes"]["blank"].as_u64().unwrap_or(0);
        let lines = account["lines"].as_u64().unwrap();
        assert_eq!(
            lines,
            account["mapped"].as_u64().unwrap() + skipped + bad,
            "{name} ({blank} blank): {account}"
        );
    };
    let two = format!("{}\n{}\n", plain(1, "run_started"), plain(2, "model_proposed"));
    check(
        "plain.jsonl",
        two.clone().into_bytes(),
        0,
        json!({"format": "plain ledger", "events": 2, "problems": []}),
    );
    check("empty.jsonl", vec![], 2, json!({"events": 0, "why": "it is empty"}));
    let other = |text: &str| text.replace("demo-001", "demo-002").into_bytes();
    let bom = [b"\xEF\xBB\xBF".as_slice(), &other(&two.replace('\n', "\r\n"))].concat();
    check("bom.jsonl", bom, 0, json!({"events": 2, "notes": {"bom": 1, "crlf": 2}}));
    let cut = format!("{}\n{}", plain(1, "note"), &plain(2, "note")[..40]).replace("demo-001", "demo-003");
    check("cut.jsonl", cut.into_bytes(), 4, json!({"events": 1, "mapped": 1}));
    let nul =
        format!("{}\n\0\0\n{}\n", plain(1, "note"), plain(2, "painted")).replace("demo-001", "demo-004");
    check(
        "nul.jsonl",
        nul.into_bytes(),
        4,
        json!({"events": 2, "notes": {"unknown kind or layout: painted": 1}}),
    );
    let late = format!("{}\n", plain(2, "note")).replace("demo-001", "demo-005");
    check(
        "late.jsonl",
        late.into_bytes(),
        0,
        json!({"events": 1, "problems": ["event 1 is missing: after 0 comes 2"]}),
    );
    let big = plain(1, "note").replace("修复折扣计算", &"x".repeat(12 << 20)).replace("demo-001", "demo-006");
    check("big.jsonl", big.into_bytes(), 0, json!({"events": 1}));
    let mixed = format!("{}\n{}\n", plain(1, "note"), plain(2, "note").replace("demo-001", "demo-008"))
        .replace("demo-001", "demo-007");
    check("mixed.jsonl", mixed.into_bytes(), 0, json!({"events": 1, "skipped": {"another run": 1}}));
    let missing = dir.path().join("nowhere.jsonl");
    run(&store, &["import", missing.to_str().unwrap()], 2);
    run(&store, &["verify", "--all"], 1);
}

/// Ctrl-C leaves whole runs or none, and the same command goes on from there.
#[test]
fn a_stopped_import_has_written_nothing_of_the_run() {
    const EVENTS: u64 = 60_000;
    let (store, dir) = (Store::default(), tempfile::tempdir().unwrap());
    let line = |seq| {
        format!(
            "{{\"seq\":{seq},\"run_id\":\"long\",\"kind\":\"note\",\"at\":\"2026-01-01T00:00:00Z\",\"payload\":{{\"text\":\"words\"}}}}\n"
        )
    };
    std::fs::write(dir.path().join("long.jsonl"), (1..=EVENTS).map(line).collect::<String>()).unwrap();
    let mut command = std::process::Command::new(tests::tally());
    command.args(["import", dir.path().to_str().unwrap(), "--data"]).arg(store.data());
    let child = command.stderr(std::process::Stdio::piped()).spawn().unwrap();
    // By now it reads or writes; the whole takes many times as long.
    std::thread::sleep(std::time::Duration::from_millis(700));
    tests::signal(child.id(), "INT");
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{}", text(&output));
    assert!(text(&output).contains("0 of 1 files"), "{}", text(&output));
    assert_eq!(json_of(&run(&store, &["runs", "--json"], 0))["runs"], json!([]));
    let account = json_of(&run(&store, &["import", dir.path().to_str().unwrap(), "--json"], 0));
    assert_eq!(account["events"], json!(EVENTS));
}

/// A run's ledger goes on at the next seq after a restart, and two runs never share one.
#[test]
fn a_restart_goes_on_at_the_next_seq() {
    let (store, id) = filled();
    run(&store, &["call", "progress_create", r#"{"subject":"after a restart"}"#], 0);
    let runs = json_of(&run(&store, &["runs", "--json"], 0));
    assert_eq!(runs["runs"].as_array().unwrap().len(), 1);
    assert_eq!((&runs["runs"][0]["id"], &runs["runs"][0]["events"]), (&json!(id), &json!(6)));
    run(&store, &["verify", &id], 0);
    // By its first letters; and what is no run says so.
    run(&store, &["verify", &id[..13]], 0);
    let said = text(&run(&store, &["verify", "ffff0000"], 1));
    assert!(said.contains("there is no run ffff0000"), "{said}");
}
