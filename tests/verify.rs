//! `tally verify` on files, as a person runs it: exit codes, what it prints, checkpoints beside a
//! ledger, giants, and Ctrl-C. The files are the test vectors of `crates/domain/tests/vectors`.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop there")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tests::Store;

fn vectors() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/domain/tests/vectors")
}

fn verify(store: &Store, arguments: &[&str]) -> (Value, i32) {
    let output = store.run(&[&["verify", "--json"], arguments].concat());
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let verdict = serde_json::from_str(&said)
        .unwrap_or_else(|_| panic!("{arguments:?}: {said}{}", String::from_utf8_lossy(&output.stderr)));
    (verdict, output.status.code().unwrap())
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

#[test]
fn every_vector_has_its_verdict_and_exit_code() {
    let store = Store::default();
    let expected: Value =
        serde_json::from_str(&std::fs::read_to_string(vectors().join("expected.json")).unwrap()).unwrap();
    let dir = tempfile::tempdir().unwrap();
    for (name, expected) in expected.as_object().unwrap() {
        let folder = dir.path().join("runs").join(expected["run"].as_str().unwrap_or(name));
        std::fs::create_dir_all(&folder).unwrap();
        // Only a ledger called so must be the folder's own.
        let file = folder.join(if expected["run"].is_null() { "some.jsonl" } else { "events.jsonl" });
        std::fs::copy(vectors().join(format!("{name}.jsonl")), &file).unwrap();
        let marks = vectors().join(format!("{name}.checkpoints.jsonl"));
        if marks.exists() {
            std::fs::copy(marks, folder.join("checkpoints.jsonl")).unwrap();
        }
        let (found, code) = verify(&store, &[text(&file), "--key", &our_key()]);
        for member in ["ok", "events", "first_bad_seq", "covered_to", "chained"] {
            assert_eq!(found[member], expected[member], "{name}, {member}: {found}");
        }
        assert_eq!(
            found["problems"].as_array().unwrap().len(),
            expected["problems"].as_array().unwrap().len(),
            "{name}: {found}"
        );
        let wanted = if found["ok"] == true {
            0
        } else if found["events"] == 0 {
            2
        } else {
            1
        };
        assert_eq!(code, wanted, "{name}: {found}");
    }
}

/// The key that signed the vectors stands in one of them.
fn our_key() -> String {
    let marks = std::fs::read_to_string(vectors().join("signed.checkpoints.jsonl")).unwrap();
    let mark: Value = serde_json::from_str(marks.lines().next().unwrap()).unwrap();
    mark["key"].as_str().unwrap().to_owned()
}

#[test]
fn a_folder_its_checkpoints_and_whose_they_are() {
    let (store, dir) = (Store::default(), tempfile::tempdir().unwrap());
    std::fs::copy(vectors().join("signed.jsonl"), dir.path().join("events.jsonl")).unwrap();
    let marks = dir.path().join("checkpoints.jsonl");
    std::fs::copy(vectors().join("signed.checkpoints.jsonl"), &marks).unwrap();
    let folder = text(dir.path());
    let (sound, code) = verify(&store, &[folder]);
    assert_eq!((&sound["covered_to"], code), (&json!(5), 0));
    assert_eq!(sound["signed_by"], our_key());
    assert_eq!(sound["uncovered"], Value::Null);
    // Without the marks it says what it could not see.
    std::fs::remove_file(&marks).unwrap();
    let (bare, code) = verify(&store, &[folder]);
    assert!(code == 0 && bare["uncovered"].as_str().unwrap().contains("no signed checkpoint"), "{bare}");
    // Another key than the one that is believed.
    let forged = vectors().join("another_key.checkpoints.jsonl");
    let (other, code) = verify(&store, &[folder, "--checkpoints", text(&forged), "--key", &our_key()]);
    assert_eq!((&other["problems"][0]["kind"], code), (&json!("checkpoint"), 1));
    for wrong in [["--checkpoints", "no/such.jsonl"], ["--key", "abc"]] {
        let (found, code) = verify(&store, &[folder, wrong[0], wrong[1]]);
        assert_eq!((&found["problems"][0]["kind"], code), (&json!("unreadable"), 2), "{found}");
    }
}

#[test]
fn what_cannot_be_read_is_unreadable_and_not_a_run() {
    let (store, dir) = (Store::default(), tempfile::tempdir().unwrap());
    let missing = dir.path().join("gone.jsonl");
    for path in [text(&missing), "gone.jsonl", text(dir.path())] {
        let (found, code) = verify(&store, &[path]);
        assert_eq!((&found["problems"][0]["kind"], code), (&json!("unreadable"), 2), "{path}: {found}");
    }
}

#[test]
fn giants_are_read_and_what_is_beyond_the_limit_is_named() {
    let (store, dir) = (Store::default(), tempfile::tempdir().unwrap());
    let line = |seq: u64, length: usize| {
        let text = "x".repeat(length);
        format!(
            r#"{{"seq":{seq},"run_id":"big","kind":"note","at":"2026-01-01T00:00:00Z","payload":"{text}"}}"#
        )
    };
    let check = |length: usize, events: u64, wanted: i32| {
        let file = dir.path().join("big.jsonl");
        std::fs::write(&file, format!("{}\n{}\n{}\n", line(1, 9), line(2, length), line(3, 9))).unwrap();
        let (found, code) = verify(&store, &[text(&file)]);
        assert_eq!((&found["events"], code), (&json!(events), wanted), "{found}");
        found
    };
    check(12_000_000, 3, 0);
    let found = check(40_000_000, 2, 1);
    assert_eq!(found["problems"][0]["text"], "line 2 is longer than 16 MiB");
    assert_eq!(found["problems"].as_array().unwrap().len(), 1);
}

#[test]
fn ctrl_c_ends_a_long_check_and_says_what_was_covered() {
    let (store, dir) = (Store::default(), tempfile::tempdir().unwrap());
    let file = dir.path().join("long.jsonl");
    let lines: String = (1..=300_000)
        .map(|seq| {
            format!("{{\"seq\":{seq},\"run_id\":\"long\",\"kind\":\"note\",\"at\":\"2026-01-01T00:00:00Z\",\"payload\":{{\"text\":\"words, words, words, words, words, words\"}}}}\n")
        })
        .collect();
    std::fs::write(&file, lines).unwrap();
    let mut command = Command::new(tests::tally());
    command.args(["verify", text(&file), "--json", "--data"]).arg(store.data());
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    std::thread::sleep(Duration::from_millis(500));
    let asked = Instant::now();
    tests::signal(child.id(), "INT");
    let output: Output = child.wait_with_output().unwrap();
    assert!(asked.elapsed() < Duration::from_secs(5));
    let said = String::from_utf8_lossy(&output.stdout);
    let found: Value = serde_json::from_str(&said).unwrap_or_else(|_| panic!("{said}"));
    assert_eq!((output.status.code(), &found["stopped"]), (Some(130), &json!(true)), "{found}");
    let events = found["events"].as_u64().unwrap();
    assert!(events > 0 && events < 300_000, "{found}");
}
