//! kill -9 at random moments under load. An acknowledged write is there afterwards, once.

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test stops where it stops; the figures are for the reader"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tests::{Store, call, initialize, signal, until};

const KILLS: usize = 25;

/// Three agents at bridges, which send again by themselves, and three over HTTP, which send again
/// with their idempotency key; all of them until they have an answer.
#[test]
fn no_acknowledged_write_is_lost_and_none_is_doubled() {
    let store = Store::default();
    let owner = store.owner();
    let token = owner.token.clone();
    let url = owner.url.clone();
    let stop = AtomicBool::new(false);
    let acknowledged = Mutex::new(Vec::new());
    // A dropped owner is killed; from here on the bridges start them.
    let first = Arc::new(Mutex::new(Some(owner)));
    let mut downtimes = Vec::new();
    std::thread::scope(|scope| {
        for writer in 0..3 {
            scope.spawn({
                let (store, stop, acknowledged) = (&store, &stop, &acknowledged);
                move || bridged(writer, store, stop, acknowledged)
            });
            let (token, url) = (token.clone(), url.clone());
            scope.spawn({
                let (store, stop, acknowledged) = (&store, &stop, &acknowledged);
                move || direct(writer, store, &url, &token, stop, acknowledged)
            });
        }
        let mut random = Random(std::process::id());
        println!("seed {}", random.0);
        for _ in 0..KILLS {
            std::thread::sleep(Duration::from_millis(u64::from(random.next() % 250) + 30));
            let pid = until("an owner", || store.owner_pid());
            signal(pid, "KILL");
            first.lock().unwrap().take();
            let killed = Instant::now();
            let count = acknowledged.lock().unwrap().len();
            until("writes go on", || (acknowledged.lock().unwrap().len() > count + 6).then_some(()));
            downtimes.push(killed.elapsed());
        }
        stop.store(true, Ordering::Relaxed);
    });
    let acknowledged = acknowledged.into_inner().unwrap();
    let tasks = store.tasks();
    let mut found: BTreeMap<&str, usize> = BTreeMap::new();
    for task in &tasks {
        *found.entry(task["subject"].as_str().unwrap()).or_default() += 1;
    }
    let lost: Vec<_> = acknowledged.iter().filter(|subject| !found.contains_key(subject.as_str())).collect();
    let doubled: Vec<_> = found.iter().filter(|(_, count)| **count > 1).collect();
    let asked: BTreeSet<_> = acknowledged.iter().map(String::as_str).collect();
    let unasked: Vec<_> = found.keys().filter(|subject| !asked.contains(**subject)).collect();
    downtimes.sort();
    println!(
        "{KILLS} kills, {} acknowledged, {} lost, {} doubled; writing again after {:?} (median), {:?} (worst)",
        acknowledged.len(),
        lost.len(),
        doubled.len(),
        downtimes[KILLS / 2],
        downtimes[KILLS - 1],
    );
    assert!(lost.is_empty(), "{lost:?}");
    assert!(doubled.is_empty(), "{doubled:?}");
    assert!(unasked.is_empty(), "every writer waited for its answer: {unasked:?}");
    assert!(acknowledged.len() > KILLS * 7);
}

fn bridged(writer: usize, store: &Store, stop: &AtomicBool, acknowledged: &Mutex<Vec<String>>) {
    let mut bridge = store.bridge();
    bridge.ask(&initialize("writer"));
    for number in 0.. {
        if stop.load(Ordering::Relaxed) {
            return;
        }
        let subject = format!("bridge {writer} {number}");
        let answer = bridge.ask(&call(number, "progress_create", json!({"subject": subject})));
        assert_eq!(answer["result"]["isError"], false, "{answer}");
        acknowledged.lock().unwrap().push(subject);
    }
}

fn direct(
    writer: usize,
    store: &Store,
    url: &str,
    token: &str,
    stop: &AtomicBool,
    acknowledged: &Mutex<Vec<String>>,
) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let http = reqwest::Client::builder().timeout(Duration::from_secs(12)).build().unwrap();
    let mut url = url.to_owned();
    for number in 0.. {
        if stop.load(Ordering::Relaxed) {
            return;
        }
        let subject = format!("direct {writer} {number}");
        let message = call(number, "progress_create", json!({"subject": subject, "idempotencyKey": subject}));
        let answer = until("an answer", || {
            let sent = http
                .post(&url)
                .bearer_auth(token)
                .header("accept", "application/json, text/event-stream")
                .json(&message);
            let answer = runtime.block_on(async { sent.send().await?.json::<Value>().await });
            if answer.is_err() {
                url = store
                    .announced()
                    .map_or(url.clone(), |file| file["mcp_url"].as_str().unwrap().to_owned());
            }
            answer.ok().filter(|answer| answer.get("result").is_some())
        });
        assert_eq!(answer["result"]["isError"], false, "{answer}");
        acknowledged.lock().unwrap().push(subject);
    }
}

/// Xorshift: enough to choose moments.
struct Random(u32);

impl Random {
    fn next(&mut self) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 17;
        self.0 ^= self.0 << 5;
        self.0
    }
}
