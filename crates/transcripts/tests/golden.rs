//! Every format has a fixture folder; what is read from each file stands beside it in full.

use serde_json::{Value, json};
use std::path::Path;
use transcripts::{FORMATS, Reading};

fn read(bytes: &[u8], piece: usize) -> Value {
    let (mut reading, mut found) = (Reading::new(false), Vec::new());
    for piece in bytes.chunks(piece) {
        reading.feed(piece);
        found.extend(reading.take());
    }
    reading.end();
    found.extend(reading.take());
    let mut signs = std::collections::HashSet::new();
    for one in &found {
        assert!(signs.insert((one.session.clone(), one.sign.key)), "two events with one sign: {one:?}");
    }
    let tally = reading.tally();
    let skipped: u64 = tally.skipped.values().sum();
    assert_eq!(tally.lines, tally.mapped + skipped + tally.bad_lines);
    let sessions: serde_json::Map<String, Value> = reading
        .sessions()
        .iter()
        .map(|(id, s)| {
            let known = json!({"agent": s.agent, "version": s.version, "cwd": s.cwd, "title": s.title, "parent": s.parent});
            (id.clone(), known)
        })
        .collect();
    let events: Vec<Value> = found
        .iter()
        .map(|one| {
            let at = one.at.map(|at| at.to_string());
            json!({"session": one.session, "at": at, "kind": one.payload.kind(), "payload": one.payload.to_value().ok()})
        })
        .collect();
    let bad: Vec<Value> = tally.bad.iter().map(|bad| json!({"line": bad.line, "why": bad.why})).collect();
    json!({
        "format": reading.format(),
        "sessions": sessions,
        "tally": {"lines": tally.lines, "mapped": tally.mapped, "skipped": tally.skipped, "bad": bad, "notes": tally.notes},
        "events": events,
    })
}

#[test]
fn every_format_reads_its_fixtures_whatever_pieces_they_come_in() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    for format in FORMATS {
        let folder = fixtures.join(format.name);
        let files = std::fs::read_dir(&folder).unwrap_or_else(|_| panic!("{} has no fixture", format.name));
        let mut checked = 0;
        for file in files.map(|entry| entry.unwrap().path()) {
            if file.to_string_lossy().ends_with(".golden.json") {
                continue;
            }
            let bytes = std::fs::read(&file).unwrap();
            let told = read(&bytes, bytes.len());
            assert_eq!(told["format"], format.name, "{}", file.display());
            for piece in [1, 7, 100] {
                assert_eq!(read(&bytes, piece), told, "in pieces of {piece}: {}", file.display());
            }
            let golden = file.with_extension("golden.json");
            let text = format!("{}\n", serde_json::to_string_pretty(&told).unwrap());
            if std::env::var_os("ACCEPT").is_some() {
                std::fs::write(&golden, &text).unwrap();
            }
            let expected = std::fs::read_to_string(&golden).unwrap_or_default();
            assert_eq!(text, expected, "{} (ACCEPT=1 takes it)", golden.display());
            checked += 1;
        }
        assert!(checked > 0, "{} has no fixture", format.name);
    }
}

#[test]
fn a_last_line_without_an_end_is_taken_when_it_is_whole_and_waits_when_it_is_not() {
    let line = r#"{"type":"user","sessionId":"s","uuid":"u1","message":{"role":"user","content":"hello"}}"#;
    let mut reading = Reading::new(false);
    reading.feed(line.as_bytes());
    reading.feed(b"\n");
    let (half, rest) = line.split_at(40);
    reading.feed(half.as_bytes());
    reading.settle();
    assert_eq!(reading.tally().lines, 1, "half a line waits");
    reading.feed(rest.as_bytes());
    reading.settle();
    assert_eq!(reading.tally().lines, 2, "a whole one does not");
    reading.feed(b"\n");
    reading.end();
    assert_eq!((reading.tally().lines, reading.tally().bad_lines), (2, 0));
}

#[test]
fn what_is_nothing_we_know_is_accounted_for() {
    let check = |text: &[u8], lines: u64, skipped: u64, bad: &[&str]| {
        let mut reading = Reading::new(false);
        reading.feed(text);
        reading.end();
        let tally = reading.tally();
        assert_eq!((tally.lines, tally.mapped, tally.skipped.values().sum()), (lines, 0, skipped));
        assert_eq!(reading.format(), None);
        assert_eq!(tally.bad.len(), bad.len(), "{:?}", tally.bad);
        for (told, expected) in tally.bad.iter().zip(bad) {
            assert!(told.why.starts_with(expected), "{told:?}");
        }
    };
    check(b"", 0, 0, &[]);
    check(b"\n\n", 0, 0, &[]);
    check(b"{\"a\":1}\n[2]\n", 2, 2, &[]);
    check(b"# Title\ntext\n", 2, 0, &["it is not JSON", "it is not JSON"]);
    check(b"{\"a\":\x00}\n", 1, 0, &["it has NUL bytes"]);
    check(b"{\"a\":\"\xff\"}\n", 1, 0, &["it is not UTF-8"]);
    check(b"{\n \"a\": 1\n}\n", 1, 1, &[]);
    check(b"{\n \"a\": 1\n}\n<<<<<<< HEAD\n", 2, 1, &["after 1 JSON values"]);
    check(b"{\"a\":1}\n{\"a\"", 2, 1, &["it is cut off"]);
}
