//! How fast a check is beside bare hashing: `cargo test --release -p domain --test ledger -- --ignored
//! --nocapture speed`.

use crate::good::{RUN, at, check};
use domain::ledger::{Hash, Head, Verifier, parse_body, to_line};
use serde_json::json;
use std::time::{Duration, Instant};

const EVENTS: u64 = 1_000_000;
/// A body of about 500 bytes, as a task's change makes.
const TEXT: usize = 240;

fn best(of: u32, mut work: impl FnMut()) -> Duration {
    let times = (0..of).map(|_| {
        let started = Instant::now();
        work();
        started.elapsed()
    });
    times.min().unwrap()
}

#[test]
#[ignore = "a measurement, for an optimised build on a quiet machine"]
fn speed_of_a_million_events() {
    let mut head = Head::start(RUN);
    let mut stored = Vec::new();
    let mut file = Vec::new();
    for n in 0..EVENTS {
        let text = format!("Set to \"done\" — {n} {}", "the words of a change ".repeat(TEXT / 22));
        let payload = json!({"v": 1, "text": text, "data": {"n": n, "ok": true, "cost": 0.25}});
        let (body, after) = head.append(RUN, "note", at(0), payload);
        head = after;
        file.extend_from_slice(to_line(&body, head.hash).as_bytes());
        file.push(b'\n');
        stored.push((body, head.hash));
    }
    let bytes: usize = stored.iter().map(|(body, _)| body.len()).sum();
    let hashing = best(3, || {
        assert!(stored.iter().all(|(body, hash)| Hash::of(body.as_bytes()) == *hash));
    });
    let rows = best(3, || {
        let mut verifier = Verifier::new(Some(RUN), &[]);
        for (body, hash) in &stored {
            verifier.event(None, &parse_body(body.as_bytes(), *hash).unwrap());
        }
        let report = verifier.finish();
        assert!(report.ok && report.events == EVENTS);
    });
    let hashing_lines = best(3, || {
        let (mut from, zeros) = (0, Hash([0; 32]));
        for end in memchr::memchr_iter(b'\n', &file) {
            assert_ne!(Hash::of(&file[from..end]), zeros);
            from = end + 1;
        }
    });
    let lines = best(3, || assert!(check(&file, Verifier::new(Some(RUN), &[])).ok));
    let ratio = |time: Duration, hashing: Duration| time.as_secs_f64() / hashing.as_secs_f64();
    let (of_rows, of_lines) = (ratio(rows, hashing), ratio(lines, hashing_lines));
    eprintln!("{EVENTS} events of {} bytes", bytes / stored.len());
    eprintln!("stored rows {rows:.0?} = {of_rows:.2} × hashing ({hashing:.0?})");
    eprintln!("lines of a file {lines:.0?} = {of_lines:.2} × hashing ({hashing_lines:.0?})");
    assert!(of_rows <= 2.0 && of_lines <= 2.0);
}
