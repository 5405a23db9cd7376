//! The worked example in `docs/ledger-check.md` is true.

use domain::ledger::{Hash, Head, parse_line, to_line};
use domain::{RunId, Timestamp};
use serde_json::json;

#[test]
fn the_worked_example_of_the_page() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/ledger-check.md");
    let page = std::fs::read_to_string(path).unwrap();
    let run: RunId = "019e3a5c-7b00-7000-8000-000000000001".parse().unwrap();
    let at = Timestamp::parse("2026-11-30T12:00:00.000Z").unwrap();
    let mut head = Head::start(run);
    let shown = |text: &str| assert!(page.contains(text), "the page does not show {text}");
    shown(&Hash::genesis(run).hex());
    for text in ["Hello, “board”", "Zweite Zeile\n"] {
        let (body, after) = head.append(run, "note", at, json!({"v": 1, "text": text}));
        let line = to_line(&body, after.hash);
        assert!(parse_line(line.as_bytes()).is_ok());
        shown(&body);
        shown(&after.hash.hex());
        shown(&line);
        head = after;
    }
}
