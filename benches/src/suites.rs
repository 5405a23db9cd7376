//! What is measured.

use crate::client::Client;
use crate::owner::Owner;
use crate::raw::Raw;
use crate::report::{Report, ms, percentile};
use anyhow::{Context, Result};
use axum::routing::post;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

async fn with_tasks(owner: &Owner, n: usize) -> Result<()> {
    let mut agents = Vec::new();
    for i in 0..32 {
        let mut agent = Client::agent(&owner.authority, &owner.token, "filler").await?;
        let share = n / 32 + usize::from(i < n % 32);
        agents.push(tokio::spawn(async move {
            for k in 0..share {
                agent
                    .call("progress_create", &json!({"subject": format!("Task {i}.{k} of the benchmark")}))
                    .await?;
            }
            anyhow::Ok(())
        }));
    }
    for agent in agents {
        agent.await??;
    }
    Ok(())
}

fn version_of(result: &Value) -> Option<u64> {
    result["structuredContent"]["task"]["version"].as_u64()
}

/// Changes one task once; gives its new version.
async fn update(agent: &mut Client, id: usize, version: u64) -> Result<u64> {
    let status = if version % 2 == 1 { "in_progress" } else { "pending" };
    let call = json!({"id": id.to_string(), "expectedVersion": version, "patch": {"status": status}});
    let result = agent.call("progress_update", &call).await?;
    version_of(&result).with_context(|| format!("not updated: {result}"))
}

/// A durable update over MCP beside the bare transaction, in turns so that noise meets both.
pub(crate) async fn one_caller(tally: &Path, report: &mut Report) -> Result<()> {
    let dir = tempfile::tempdir()?;
    let owner = Owner::start(tally, dir.path())?;
    with_tasks(&owner, 1).await?;
    let mut agent = Client::agent(&owner.authority, &owner.token, "one").await?;
    let mut raw = Raw::open(dir.path())?;
    let (mut ours, mut bare, mut version) = (Vec::new(), Vec::new(), 1);
    for round in 0..60 {
        for _ in 0..10 {
            let began = Instant::now();
            version = update(&mut agent, 1, version).await?;
            let took = began.elapsed();
            let plain = raw.update()?;
            if round >= 5 {
                ours.push(took);
                bare.push(plain);
            }
        }
    }
    let (our, base) = (percentile(&mut ours, 0.5), percentile(&mut bare, 0.5));
    let ratio = ms(our) / ms(base);
    let measured = format!("{:.2} ms = {ratio:.2} × {:.2} ms", ms(our), ms(base));
    report.add(
        "one caller: durable update over MCP HTTP, p50, beside a raw transaction",
        measured,
        "≤ 1.15 ×",
        ratio <= 1.15,
    );
    Ok(())
}

pub(crate) async fn many_callers(tally: &Path, report: &mut Report) -> Result<()> {
    const CALLERS: usize = 32;
    let dir = tempfile::tempdir()?;
    let owner = Owner::start(tally, dir.path())?;
    with_tasks(&owner, CALLERS).await?;
    let mut raw = Raw::open(dir.path())?;
    let mut bare: Vec<Duration> = (0..200).map(|_| raw.update()).collect::<Result<_>>()?;
    let base = percentile(&mut bare, 0.5);
    let alone = race(&owner, 1, Duration::from_secs(4)).await?;
    let mut together = race(&owner, CALLERS, Duration::from_secs(6)).await?;
    #[expect(clippy::cast_precision_loss, reason = "counts are small")]
    let (one, many) = (alone.len() as f64 / 4.0, together.len() as f64 / 6.0);
    let factor = many / one;
    let measured = format!("{many:.0}/s = {factor:.1} × {one:.0}/s");
    report.add(
        "32 callers: acknowledged updates a second beside one caller",
        measured,
        "≥ 20 ×",
        factor >= 20.0,
    );
    let p99 = percentile(&mut together, 0.99);
    let ratio = ms(p99) / ms(base);
    let measured = format!("{:.1} ms = {ratio:.1} × {:.2} ms", ms(p99), ms(base));
    report.add("32 callers: p99 beside a raw transaction", measured, "< 5 ×", ratio < 5.0);
    Ok(())
}

/// How long each acknowledged update of `callers` took, each on a task of its own.
async fn race(owner: &Owner, callers: usize, time: Duration) -> Result<Vec<Duration>> {
    let mut agents = Vec::new();
    for i in 1..=callers {
        let mut agent = Client::agent(&owner.authority, &owner.token, "racer").await?;
        let task = agent.call("progress_get", &json!({"id": i.to_string()})).await?;
        let mut version = version_of(&task).context("no version")?;
        agents.push(tokio::spawn(async move {
            let (end, mut took) = (Instant::now() + time, Vec::new());
            while Instant::now() < end {
                let began = Instant::now();
                version = update(&mut agent, i, version).await?;
                took.push(began.elapsed());
            }
            anyhow::Ok(took)
        }));
    }
    let mut all = Vec::new();
    for agent in agents {
        all.extend(agent.await??);
    }
    Ok(all)
}

pub(crate) async fn list(tally: &Path, report: &mut Report) -> Result<()> {
    let bare = bare_round_trip().await?;
    let mut found = Vec::new();
    for n in [100, 1_000, 10_000] {
        let dir = tempfile::tempdir()?;
        let owner = Owner::start(tally, dir.path())?;
        with_tasks(&owner, n).await?;
        let mut agent = Client::agent(&owner.authority, &owner.token, "lister").await?;
        let mut took = Vec::new();
        for _ in 0..2_000 {
            let began = Instant::now();
            agent.call("progress_list", &json!({})).await?;
            took.push(began.elapsed());
        }
        found.push(percentile(&mut took, 0.5));
        if n == 1_000 {
            idle(&owner, report)?;
        }
    }
    let (small, large) = (found[0], found[2]);
    report.add(
        "an MCP round trip that does nothing (ping), p50",
        format!("{:.3} ms", ms(ping(tally).await?)),
        "—",
        true,
    );
    let beside = format!("{:.2} ms (bare round trip {:.3} ms)", ms(large), ms(bare));
    report.add("progress_list, first page, 10,000 tasks, p50", beside, "< 0.5 ms", ms(large) < 0.5);
    let ratio = ms(large) / ms(small);
    report.add(
        "… beside the same at 100 tasks",
        format!("{ratio:.2} × {:.2} ms", ms(small)),
        "≤ 1.3 ×",
        ratio <= 1.3,
    );
    Ok(())
}

/// What the protocol alone costs.
async fn ping(tally: &Path) -> Result<Duration> {
    let dir = tempfile::tempdir()?;
    let owner = Owner::start(tally, dir.path())?;
    let mut agent = Client::agent(&owner.authority, &owner.token, "pinger").await?;
    let mut took = Vec::new();
    for _ in 0..2_000 {
        let began = Instant::now();
        agent.rpc("ping", &json!({})).await?;
        took.push(began.elapsed());
    }
    Ok(percentile(&mut took, 0.5))
}

fn idle(owner: &Owner, report: &mut Report) -> Result<()> {
    let mb = owner.resident_mb()?;
    report.add("headless owner, resident, 1,000 tasks", format!("{mb:.1} MB"), "< 30 MB", mb < 30.0);
    let before = owner.cpu_seconds()?;
    std::thread::sleep(Duration::from_secs(10));
    let share = (owner.cpu_seconds()? - before) * 10.0;
    report.add("headless owner, processor while idle", format!("{share:.1} %"), "< 1 %", share < 1.0);
    Ok(())
}

async fn bare_round_trip() -> Result<Duration> {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    let authority = listener.local_addr()?.to_string();
    let server = tokio::spawn(async move {
        axum::serve(listener, axum::Router::new().route("/", post(|body: String| async move { body }))).await
    });
    let mut client = Client::connect(&authority, "/", "").await?;
    let mut took = Vec::new();
    for _ in 0..2_000 {
        let began = Instant::now();
        client.post("{}").await?;
        took.push(began.elapsed());
    }
    server.abort();
    Ok(percentile(&mut took, 0.5))
}

/// 16 writers × 20 edits on one task, by patch with a retry on STALE: every acknowledged one counts.
pub(crate) async fn lost_edits(tally: &Path, report: &mut Report) -> Result<()> {
    let dir = tempfile::tempdir()?;
    let owner = Owner::start(tally, dir.path())?;
    with_tasks(&owner, 1).await?;
    let mut writers = Vec::new();
    for _ in 0..16 {
        let mut agent = Client::agent(&owner.authority, &owner.token, "writer").await?;
        writers.push(tokio::spawn(async move {
            let (mut acknowledged, mut version) = (0u64, 1);
            while acknowledged < 20 {
                let call = json!({"id": "1", "expectedVersion": version, "patch": {"status": "blocked"}});
                let result = agent.call("progress_update", &call).await?;
                match version_of(&result) {
                    Some(now) => {
                        acknowledged += 1;
                        version = now;
                    }
                    None => {
                        version = result["structuredContent"]["current"]["version"]
                            .as_u64()
                            .context("no current")?
                    }
                }
            }
            anyhow::Ok(acknowledged)
        }));
    }
    let mut acknowledged = 0;
    for writer in writers {
        acknowledged += writer.await??;
    }
    let mut reader = Client::agent(&owner.authority, &owner.token, "reader").await?;
    let version =
        version_of(&reader.call("progress_get", &json!({"id": "1"})).await?).context("no version")?;
    let lost = acknowledged + 1 - version;
    report.add(
        "16 writers × 20 edits of one task: acknowledged edits lost",
        lost.to_string(),
        "0",
        lost == 0,
    );
    Ok(())
}

pub(crate) async fn programs(tally: &Path, report: &mut Report) -> Result<()> {
    let mut took = Vec::new();
    for _ in 0..40 {
        let began = Instant::now();
        Command::new(tally).arg("--version").stdout(Stdio::null()).status()?;
        took.push(began.elapsed());
    }
    let version = percentile(&mut took, 0.5);
    report.add("tally --version, p50 of 40", format!("{:.1} ms", ms(version)), "< 5 ms", ms(version) < 5.0);
    let dir = tempfile::tempdir()?;
    let owner = Owner::start(tally, dir.path())?;
    let mut took: Vec<_> = (0..20).map(|_| bridge_ready(tally, &owner)).collect::<Result<_>>()?;
    let ready = percentile(&mut took, 0.5);
    report.add(
        "bridge: start to the answer of initialize, p50 of 20",
        format!("{:.1} ms", ms(ready)),
        "< 50 ms",
        ms(ready) < 50.0,
    );
    Ok(())
}

fn bridge_ready(tally: &Path, owner: &Owner) -> Result<Duration> {
    let began = Instant::now();
    let mut bridge = Command::new(tally)
        .args(["mcp", "--data"])
        .arg(&owner.dir)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    let mut stdin = bridge.stdin.take().context("no stdin")?;
    let stdout = bridge.stdout.take().context("no stdout")?;
    let hello = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}});
    writeln!(stdin, "{hello}")?;
    let mut line = String::new();
    BufReader::new(stdout).read_line(&mut line)?;
    let took = began.elapsed();
    drop(stdin);
    bridge.wait()?;
    anyhow::ensure!(line.contains("\"result\""), "the bridge answered: {line}");
    Ok(took)
}
