//! A run of a million events: made once, then checked, replayed and opened.

use crate::report::{Report, ms, percentile};
use anyhow::{Context, Result, bail};
use domain::ledger::{Hash, Head, Verifier, parse_body};
use domain::{RunId, Timestamp};
use rusqlite::{Connection, params};
use serde_json::{Value, json};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};
use tools::{Host, Options};

const EVENTS: u64 = 1_000_000;
const TASKS: u32 = 10_000;
/// So many events are checked without reading them from the store.
const IN_MEMORY: usize = 250_000;

pub(crate) async fn inspector(tally: &Path, report: &mut Report) -> Result<()> {
    let dir = std::path::PathBuf::from(std::env::var_os("INSPECT_STORE").context("INSPECT_STORE")?);
    if !dir.join("tallyboard.db").exists() {
        let made = Command::new(tally)
            .args(["demo", "--events", &EVENTS.to_string(), "--tasks", &TASKS.to_string(), "--keep"])
            .arg(&dir)
            .status()?;
        if !made.success() {
            bail!("the store could not be made");
        }
    }
    size(tally, &dir, report)?;
    let host = Host::open(Options { data: dir.clone(), person: "bench".into(), witness: None })?;
    let run = long_run(&host).await?;
    verify(&host, &run, &dir, report).await?;
    moments(&host, &run, report).await?;
    host.close();
    appending(report)
}

async fn view(host: &Host, name: &str, params: Value) -> Result<Value> {
    host.view(name, params).await.map_err(|failure| anyhow::anyhow!("{name}: {failure:?}"))
}

async fn long_run(host: &Host) -> Result<String> {
    let runs = view(host, "runs", json!({"limit": 5_000})).await?;
    let runs = runs["runs"].as_array().context("runs")?;
    let longest = runs.iter().max_by_key(|run| run["events"].as_u64()).context("a run")?;
    Ok(longest["id"].as_str().context("id")?.to_owned())
}

/// The database beside the same runs as JSON Lines.
fn size(tally: &Path, dir: &Path, report: &mut Report) -> Result<()> {
    let output =
        Command::new(tally).args(["runs", "--limit", "5000", "--json", "--data"]).arg(dir).output()?;
    let runs: Value = serde_json::from_slice(&output.stdout)?;
    let mut raw = 0;
    for run in runs["runs"].as_array().context("runs")? {
        let id = run["id"].as_str().context("id")?;
        let lines = Command::new(tally).args(["export", id, "--out", "-", "--data"]).arg(dir).output()?;
        raw += lines.stdout.len() as u64;
    }
    let stored = std::fs::metadata(dir.join("tallyboard.db"))?.len();
    let ratio = to_f64(stored) / to_f64(raw);
    let measured = format!("{} MB = {ratio:.2} × {} MB", stored >> 20, raw >> 20);
    report.add("store size, 1,000,000 events, beside the raw JSON Lines", measured, "≤ 1.5 ×", ratio <= 1.5);
    Ok(())
}

#[expect(clippy::disallowed_methods, reason = "the yardstick is SQLite without the store")]
async fn verify(host: &Host, run: &str, dir: &Path, report: &mut Report) -> Result<()> {
    let mut took = Vec::new();
    let mut events = 0;
    for _ in 0..3 {
        let began = Instant::now();
        let mut found = view(host, "verify", json!({"run": run, "ask": "start"})).await?;
        while found["state"] == "running" {
            tokio::time::sleep(Duration::from_millis(5)).await;
            found = view(host, "verify", json!({"run": run})).await?;
        }
        took.push(began.elapsed());
        if found["state"] != "sound" {
            bail!("a false alarm on a good run: {}", found["report"]);
        }
        events = found["report"]["events"].as_u64().context("events")?;
    }
    let verified = percentile(&mut took, 0.5);
    let conn = Connection::open(dir.join("tallyboard.db"))?;
    let mut statement = conn.prepare(
        "SELECT body, hash FROM events WHERE run = (SELECT key FROM runs ORDER BY head_seq DESC) ORDER BY seq",
    )?;
    let (mut rows, mut kept, began) = (statement.query([])?, Vec::new(), Instant::now());
    let mut took_here = Duration::ZERO;
    while let Some(row) = rows.next()? {
        let body = row.get_ref(0)?.as_str()?;
        std::hint::black_box(Hash::of(body.as_bytes()));
        // Part of them are kept, to be checked without the reading; that takes time of its own.
        if kept.len() < IN_MEMORY {
            let copying = Instant::now();
            kept.push((body.to_owned(), Hash(row.get_ref(1)?.as_blob()?.try_into()?)));
            took_here += copying.elapsed();
        }
    }
    let read = began.elapsed() - took_here;
    let ratio = verified.as_secs_f64() / read.as_secs_f64();
    report.add(
        &format!("verify of {events} stored events beside reading and hashing the same rows"),
        format!("{:.0} ms = {ratio:.2} × {:.0} ms; 0 false alarms", ms(verified), ms(read)),
        "≤ 2 ×, < 1,500 ms",
        ratio <= 2.0 && ms(verified) < 1_500.0,
    );
    let began = Instant::now();
    for (body, _) in &kept {
        std::hint::black_box(Hash::of(body.as_bytes()));
    }
    let alone = began.elapsed();
    let began = Instant::now();
    let mut verifier = Verifier::new(Some(run.parse()?), &[]);
    for (body, hash) in &kept {
        verifier.event(None, &parse_body(body.as_bytes(), *hash).map_err(|why| anyhow::anyhow!("{why}"))?);
    }
    if !verifier.finish().ok {
        bail!("a false alarm in memory");
    }
    let checked = began.elapsed();
    let ratio = checked.as_secs_f64() / alone.as_secs_f64();
    report.add(
        &format!("the same check in memory, of {} events, beside hashing alone", kept.len()),
        format!("{:.0} ms = {ratio:.2} × {:.0} ms", ms(checked), ms(alone)),
        "≤ 2 ×",
        ratio <= 2.0,
    );
    Ok(())
}

/// Any moment of the run, as the screen asks for it.
async fn moments(host: &Host, run: &str, report: &mut Report) -> Result<()> {
    let mut seed = 7_u64;
    let mut dice = || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        1 + (seed >> 33) % EVENTS
    };
    for (what, name) in [("the board (10,000 tasks)", "replay"), ("the run’s facts", "run")] {
        let mut took = Vec::new();
        for _ in 0..60 {
            let began = Instant::now();
            host.view_text(name, json!({"run": run, "at": dice()}))
                .await
                .map_err(|f| anyhow::anyhow!("{f:?}"))?;
            took.push(began.elapsed());
        }
        let p95 = percentile(&mut took, 0.95);
        report.add(
            &format!("any seq of 1,000,000: {what}, p95 of 60"),
            format!("{:.0} ms", ms(p95)),
            "< 50 ms",
            ms(p95) < 50.0,
        );
    }
    let mut took = Vec::new();
    for _ in 0..100 {
        let began = Instant::now();
        host.view_text("events", json!({"run": run, "from": dice(), "limit": 60}))
            .await
            .map_err(|f| anyhow::anyhow!("{f:?}"))?;
        took.push(began.elapsed());
    }
    let p95 = percentile(&mut took, 0.95);
    report.add(
        "any seq of 1,000,000: a screen of its log, p95 of 100",
        format!("{:.1} ms", ms(p95)),
        "< 50 ms",
        ms(p95) < 50.0,
    );
    let began = Instant::now();
    let bytes = host.bytes("run_index", json!({"run": run})).await.map_err(|f| anyhow::anyhow!("{f:?}"))?;
    report.add(
        "the whole timeline as columns",
        format!("{:.0} ms, {} MB", ms(began.elapsed()), bytes.len() >> 20),
        "—",
        true,
    );
    Ok(())
}

/// The same inserts, with and without the chain.
#[expect(clippy::disallowed_methods, reason = "the yardstick is SQLite without the store")]
fn appending(report: &mut Report) -> Result<()> {
    const ROWS: i64 = 20_000;
    let run = RunId(uuid::Uuid::from_u128(7));
    let payload = json!({"v": 1, "text": "x".repeat(300)});
    let mut ratios = Vec::new();
    for _ in 0..5 {
        let mut times = [Duration::ZERO; 2];
        for chained in [false, true] {
            let dir = tempfile::tempdir()?;
            let mut conn = Connection::open(dir.path().join("x.db"))?;
            conn.pragma_update(None, "journal_mode", "WAL")?;
            conn.pragma_update(None, "synchronous", "FULL")?;
            conn.execute_batch(
                "CREATE TABLE events (position INTEGER PRIMARY KEY, run INTEGER, seq INTEGER, body TEXT, hash BLOB, UNIQUE (run, seq)) STRICT",
            )?;
            let began = Instant::now();
            let tx = conn.transaction()?;
            let mut head = Head::start(run);
            for n in 1..=ROWS {
                let at = Timestamp::from_unix_ms(n);
                let (body, after) = head.append(run, "note", at, payload.clone());
                let hash = if chained { after.hash.0 } else { [0; 32] };
                // Without the chain the event is built the same, but for hashing it.
                head = if chained { after } else { Head { seq: after.seq, ..head } };
                tx.prepare_cached("INSERT INTO events VALUES (?1, 1, ?1, ?2, ?3)")?.execute(params![
                    n,
                    body,
                    hash.as_slice()
                ])?;
            }
            tx.commit()?;
            times[usize::from(chained)] = began.elapsed();
        }
        // `append` hashes in both cases; the cost of the hash alone is taken off the plain one.
        let began = Instant::now();
        let (body, _) = Head::start(run).append(run, "note", Timestamp::from_unix_ms(1), payload.clone());
        for _ in 0..ROWS {
            std::hint::black_box(Hash::of(std::hint::black_box(body.as_bytes())));
        }
        let plain = times[0].saturating_sub(began.elapsed());
        ratios.push(times[1].as_secs_f64() / plain.as_secs_f64());
    }
    ratios.sort_by(f64::total_cmp);
    let ratio = ratios[2];
    report.add(
        "appending an event beside the same insert without the chain, 20,000 in a transaction",
        format!("{ratio:.2} ×"),
        "≤ 1.15 ×",
        ratio <= 1.15,
    );
    Ok(())
}

fn to_f64(n: u64) -> f64 {
    n as f64
}
