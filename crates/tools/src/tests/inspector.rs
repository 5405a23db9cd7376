//! What the run inspector shows: every moment of a board, the chains of refused calls, one event
//! with all that belongs to it, and whether the record is the one that was written.

use super::{agent, host_in, person, refusal, tasks};
use crate::view::board::Card;
use crate::view::replay::{cards, digest};
use crate::{Caller, Host, scribe};
use domain::fold::Board;
use domain::{EndReason, Position, Source};
use serde_json::{Value, json};
use std::path::Path;

fn settle(host: &Host) {
    host.store().write_wait(|_| Ok(())).unwrap();
}

async fn view(host: &Host, name: &str, params: Value) -> Value {
    host.view(name, params).await.unwrap_or_else(|failure| panic!("{name}: {failure:?}"))
}

async fn only_run(host: &Host) -> String {
    let runs = view(host, "runs", json!({})).await;
    runs["runs"][0]["id"].as_str().unwrap().to_owned()
}

/// A small generator of numbers that only depend on the seed.
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }
}

/// A call as a busy, careless agent or person makes it.
fn any_call(dice: &mut Dice, tasks: u64) -> (&'static str, Value) {
    let id = (1 + dice.below(tasks.max(1) + 1)).to_string();
    let version = 1 + dice.below(4);
    let status =
        ["pending", "in_progress", "blocked", "done", "Done"][usize::try_from(dice.below(5)).unwrap()];
    match dice.below(20) {
        0..=3 => ("progress_create", json!({"subject": format!("task {}", dice.below(1_000))})),
        4..=11 => {
            ("progress_update", json!({"id": id, "expectedVersion": version, "patch": {"status": status}}))
        }
        12 => {
            ("progress_update", json!({"id": id, "expectedVersion": version, "patch": {"blockedBy": ["1"]}}))
        }
        13 => ("progress_update", json!({"id": id, "patch": {"subject": "again"}})),
        14 => ("progress_delete", json!({"id": id, "expectedVersion": version})),
        15 => ("progress_restore", json!({"id": id, "expectedVersion": version})),
        16 => ("progress_get", json!({"id": id})),
        17 => ("progress_list", json!({})),
        18 => ("progress_paint", json!({"id": id})),
        _ => ("progress_create", json!({"title": "no such field"})),
    }
}

/// The digest of the board as its rows show it now.
fn live(host: &Host) -> (Position, String) {
    host.store()
        .read(|reader| {
            let cards: Vec<Card> = match reader.project_first()? {
                Some(project) => reader.task_cards(&project)?.iter().map(crate::view::card_of).collect(),
                None => Vec::new(),
            };
            Ok((reader.position()?, digest(&cards)))
        })
        .unwrap()
}

/// P13: for every position, the board replayed there is the board that was live then.
async fn replays_as_it_was(seed: u64, calls: usize) {
    let dir = tempfile::tempdir().unwrap();
    let host = host_in(dir.path());
    let mut dice = Dice(seed);
    let mut seen = vec![live(&host)];
    for n in 0..calls {
        let (tool, arguments) = any_call(&mut dice, n as u64 / 5);
        let caller = match dice.below(4) {
            0 => person(),
            1 => agent("a"),
            2 => agent("b"),
            _ => agent("c"),
        };
        if dice.below(40) == 0 {
            host.end_run(caller.clone(), "completed").await.unwrap();
        }
        // Being refused is part of it.
        let _ = host.call(caller, tool, arguments).await;
        settle(&host);
        seen.push(live(&host));
    }
    host.store()
        .read(|reader| {
            let project = reader.project_first()?.expect("a call was made");
            for (position, digest_then) in &seen {
                let board = crate::replay::board_at(reader, &project, *position)?;
                assert_eq!(&digest(&cards(reader, &board)?), digest_then, "seed {seed} at {position}");
            }
            Ok(())
        })
        .unwrap();
    same_after_rebuilding(&host);
}

fn same_after_rebuilding(host: &Host) {
    let rows = |host: &Host| {
        let (position, digest) = live(host);
        let chains = host.store().read(|reader| reader.chain_list(&Default::default(), u32::MAX)).unwrap();
        let runs = host.store().read(|reader| reader.run_list(&Default::default(), u32::MAX)).unwrap();
        (position, digest, tasks(host), chains, runs)
    };
    let before = rows(host);
    host.store().write_wait(|tx| tx.views_rebuild()).unwrap();
    assert_eq!(rows(host), before);
}

/// `TALLYBOARD_HISTORIES=200 TALLYBOARD_CALLS=500` is what the promise is measured with.
#[tokio::test]
async fn every_moment_of_a_board_can_be_seen_again() {
    let number =
        |name: &str, otherwise| std::env::var(name).ok().and_then(|n| n.parse().ok()).unwrap_or(otherwise);
    let calls = usize::try_from(number("TALLYBOARD_CALLS", 150)).unwrap();
    for seed in 0..number("TALLYBOARD_HISTORIES", 6_u64) {
        replays_as_it_was(seed, calls).await;
    }
}

/// A kept board and the events after it give what all events give.
#[tokio::test]
async fn kept_boards_change_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let host = host_in(dir.path());
    let mut dice = Dice(3);
    for n in 0..1_600_u64 {
        let (tool, arguments) = any_call(&mut dice, n / 20);
        let _ = host.call(agent("a"), tool, arguments).await;
    }
    settle(&host);
    let project = host.store().read(|reader| reader.project_first()).unwrap().unwrap();
    let kept = host.store().read(|reader| crate::replay::unkept(reader, project.id, 10)).unwrap();
    let (end, live_digest) = live(&host);
    let whole = |from: Position, board: Board| {
        host.store()
            .read(|reader| {
                let mut board = board;
                crate::replay::forward(reader, &project, &mut board, (from, end))?;
                Ok(digest(&cards(reader, &board)?))
            })
            .unwrap()
    };
    assert_eq!(whole(Position(0), Board::default()), live_digest);
    host.store()
        .write_wait({
            let kept = kept.clone();
            move |tx| kept.iter().try_for_each(|(project, keyframe)| tx.keyframe_put(project, keyframe))
        })
        .unwrap();
    let keyframe = host.store().read(|reader| reader.keyframe_before(&project, end)).unwrap();
    assert!(keyframe.is_some(), "this test would say nothing");
    let near = host.store().read(|reader| crate::replay::board_at(reader, &project, end)).unwrap();
    let near = host.store().read(|reader| Ok(digest(&cards(reader, &near)?))).unwrap();
    assert_eq!(near, live_digest);
}

async fn stale_and_repaired(host: &Host) {
    host.call(person(), "progress_create", json!({"subject": "Fix login"})).await.unwrap();
    host.call(agent("codex"), "progress_get", json!({"id": "1"})).await.unwrap();
    let update = |version: u32, status: &str| json!({"id": "1", "expectedVersion": version, "patch": {"status": status}});
    host.call(person(), "progress_update", update(1, "blocked")).await.unwrap();
    host.call(agent("codex"), "progress_update", update(1, "Done")).await.unwrap_err();
    host.call(agent("codex"), "progress_update", update(1, "done")).await.unwrap_err();
    host.call(agent("codex"), "progress_update", update(2, "done")).await.unwrap();
    settle(host);
}

#[tokio::test]
async fn a_stale_call_leads_to_the_read_it_rested_on_and_to_its_repair() {
    let dir = tempfile::tempdir().unwrap();
    let host = host_in(dir.path());
    stale_and_repaired(&host).await;
    let run = only_run(&host).await;
    let rejected = view(&host, "rejected", json!({"run": run})).await;
    let chain = &rejected["chains"][0];
    assert_eq!(
        (&chain["outcome"], &chain["seq"], &chain["repairedBy"]),
        (&json!("repaired"), &json!(3), &json!(5))
    );
    let codes: Vec<_> = chain["tries"].as_array().unwrap().iter().map(|one| one["code"].clone()).collect();
    assert_eq!(codes, [json!("INVALID_INPUT"), json!("STALE"), Value::Null]);
    assert_eq!(chain["tries"][0]["paths"], json!(["patch.status"]));
    let detail = view(&host, "rejection", json!({"run": run, "seq": 4})).await;
    assert_eq!(
        detail["tries"][1]["diff"],
        json!([{"path": "patch.status", "before": "Done", "after": "done"}])
    );
    assert_eq!(detail["tries"][2]["diff"], json!([{"path": "expectedVersion", "before": 1, "after": 2}]));
    let event = view(&host, "event", json!({"run": run, "seq": 4})).await;
    assert_eq!(event["fits"], true);
    let related: Vec<_> = event["related"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| (one["why"].as_str().unwrap().to_owned(), one["line"]["seq"].as_u64().unwrap()))
        .collect();
    let expected = [("try", 3), ("repair", 5), ("stale_read", 2), ("overtaken", 3)]
        .map(|(why, seq)| (why.to_owned(), seq));
    assert_eq!(related, expected);
    let board = view(&host, "board", json!({})).await;
    assert_eq!(board["tasks"][0]["outcome"], "repaired");
}

#[tokio::test]
async fn a_person_marks_a_refusal_as_expected_and_takes_it_back() {
    let dir = tempfile::tempdir().unwrap();
    let host = host_in(dir.path());
    host.call(agent("a"), "progress_create", json!({"subject": "x"})).await.unwrap();
    host.call(agent("a"), "progress_update", json!({"id": "1", "patch": {"status": "done"}}))
        .await
        .unwrap_err();
    let run = only_run(&host).await;
    let mark = |expected: bool| json!({"run": run, "seq": 3, "expected": expected});
    let outcome = async || view(&host, "rejected", json!({"run": run})).await["chains"][0]["outcome"].clone();
    assert_eq!(outcome().await, "open");
    host.call(person(), "rejection_mark", mark(true)).await.unwrap();
    assert_eq!(outcome().await, "expected");
    host.call(person(), "rejection_mark", mark(false)).await.unwrap();
    assert_eq!(outcome().await, "open");
    let denied = refusal(host.call(agent("a"), "rejection_mark", mark(true)).await);
    assert_eq!(denied.code, crate::Code::PolicyDenied);
    let none =
        refusal(host.call(person(), "rejection_mark", json!({"run": run, "seq": 1, "expected": true})).await);
    assert_eq!(none.code, crate::Code::NotFound);
}

#[tokio::test]
async fn the_past_cannot_be_changed() {
    let dir = tempfile::tempdir().unwrap();
    let host = host_in(dir.path());
    stale_and_repaired(&host).await;
    let before = tasks(&host);
    let call = json!({"id": "1", "expectedVersion": 3, "patch": {"status": "pending"}});
    let failure = host.call_from_past(person(), 4, "progress_update", call).await;
    let refused = refusal(Err(failure));
    assert_eq!(refused.code, crate::Code::PolicyDenied);
    assert_eq!(tasks(&host), before);
    let run = view(&host, "runs", json!({"actor": "person"})).await["runs"][0]["id"].clone();
    let rejected = view(&host, "rejected", json!({"run": run})).await;
    assert_eq!(rejected["chains"][0]["code"], "POLICY_DENIED", "and it is written down");
}

#[tokio::test]
async fn one_moment_of_a_run_is_told_from_one_seq() {
    let dir = tempfile::tempdir().unwrap();
    let host = host_in(dir.path());
    stale_and_repaired(&host).await;
    let run = only_run(&host).await;
    let at = async |seq: u64| view(&host, "replay", json!({"run": run, "at": seq})).await;
    let (third, last) = (at(3).await, at(5).await);
    assert_eq!(third["tasks"][0]["status"], "blocked");
    assert_eq!((&third["rejected"], &third["of"], &third["at"]), (&json!(1), &json!(5), &json!(3)));
    assert_eq!(last["tasks"][0]["status"], "done");
    assert_eq!(last["changed"]["changes"][0]["after"], "done");
    assert_eq!(last["digest"], live(&host).1);
    let facts = view(&host, "run", json!({"run": run, "at": 3})).await;
    assert_eq!((&facts["run"]["events"], &facts["run"]["rejected"]), (&json!(3), &json!(1)));
    host.call(person(), "progress_create", json!({"subject": "later"})).await.unwrap();
    assert_eq!(at(5).await["ghosts"], json!([{"id": 2, "subject": "later", "status": "pending"}]));
}

async fn verdict(host: &Host, run: &str, ask: &str) -> Value {
    let mut found = view(host, "verify", json!({"run": run, "ask": ask})).await;
    while found["state"] == "running" {
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
        found = view(host, "verify", json!({"run": run})).await;
    }
    found
}

async fn long_run(host: &Host, events: u32) -> String {
    for n in 0..events {
        host.call(agent("a"), "progress_create", json!({"subject": format!("task {n}")})).await.unwrap();
    }
    only_run(host).await
}

#[tokio::test]
async fn a_sound_run_is_called_sound_and_its_signatures_stand_in_two_places() {
    let dir = tempfile::tempdir().unwrap();
    let host = host_in(dir.path());
    let run = long_run(&host, 230).await;
    let found = verdict(&host, &run, "look").await;
    assert_eq!((&found["state"], &found["report"]["coveredTo"]), (&json!("sound"), &json!(200)), "{found}");
    host.end_run(agent("a"), "completed").await.unwrap();
    let found = verdict(&host, &run, "look").await;
    assert_eq!((&found["report"]["events"], &found["report"]["coveredTo"]), (&json!(232), &json!(232)));
    host.close();
    let host = host_in(dir.path());
    let found = verdict(&host, &run, "look").await;
    let marks: Vec<_> = found["checkpoints"]
        .as_array()
        .unwrap()
        .iter()
        .map(|mark| {
            (
                mark["seq"].as_u64().unwrap(),
                mark["inStore"] == true,
                mark["outside"] == true,
                mark["signed"] == true,
            )
        })
        .collect();
    assert_eq!(marks, [100, 200, 232].map(|seq| (seq, true, true, true)));
}

/// What somebody with the file in hands can do: the triggers are theirs to drop.
fn tamper(host: &Host, sql: &'static str) {
    let unlocked = "DROP TRIGGER events_are_never_changed; DROP TRIGGER events_are_never_removed;
                    DROP TRIGGER checkpoints_are_never_removed; PRAGMA defer_foreign_keys = ON;";
    host.store().write_wait(move |tx| tx.execute_for_test(&format!("{unlocked} {sql}"))).unwrap();
}

#[tokio::test]
async fn what_was_done_to_the_stored_events_is_found() {
    let check = async |sql: &'static str, first_bad: u64, kind: &str| {
        let dir = tempfile::tempdir().unwrap();
        let host = host_in(dir.path());
        let run = long_run(&host, 230).await;
        host.end_run(agent("a"), "completed").await.unwrap();
        // Everything is copied out when the store is closed.
        host.close();
        let host = host_in(dir.path());
        tamper(&host, sql);
        let found = verdict(&host, &run, "start").await;
        assert_eq!(found["state"], "broken", "{sql}");
        assert_eq!(found["report"]["firstBadSeq"], first_bad, "{sql}: {}", found["report"]["problems"]);
        assert_eq!(found["report"]["problems"][0]["kind"], kind, "{sql}");
        let mark = view(&host, "runs", json!({})).await["runs"][0]["verify"]["state"].clone();
        assert_eq!(mark, "broken", "and lists say so");
    };
    check("UPDATE events SET body = replace(body, 'task 40\"', 'task 99\"') WHERE seq = 42;", 42, "altered")
        .await;
    check("DELETE FROM events WHERE seq = 42;", 42, "gap").await;
    // With its signatures in the store: the second copy vouches for what is gone.
    check(
        "DELETE FROM events WHERE seq > 150; DELETE FROM checkpoints WHERE seq > 150;
         UPDATE runs SET head_seq = 150, head_hash = (SELECT hash FROM events WHERE seq = 150);",
        151,
        "cut_tail",
    )
    .await;
}

/// The old copy goes on with the right key and signs a longer record than the one that was there: only
/// the marks outside the store still tell of the other one.
#[tokio::test]
async fn an_old_copy_that_went_on_is_found() {
    let (dir, kept) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let database = |dir: &Path| dir.join("tallyboard.db");
    let host = host_in(dir.path());
    let run = long_run(&host, 150).await;
    host.close();
    std::fs::copy(database(dir.path()), database(kept.path())).unwrap();
    let host = host_in(dir.path());
    long_run(&host, 100).await;
    assert_eq!(verdict(&host, &run, "start").await["state"], "sound");
    host.close();
    std::fs::copy(database(kept.path()), database(dir.path())).unwrap();
    let host = host_in(dir.path());
    host.call(agent("a"), "progress_create", json!({"subject": "another future"})).await.unwrap();
    long_run(&host, 200).await;
    for _ in 0..2 {
        let found = verdict(&host, &run, "start").await;
        assert_eq!(
            (&found["state"], &found["report"]["firstBadSeq"]),
            (&json!("broken"), &json!(200)),
            "{found}"
        );
    }
}

#[tokio::test]
async fn after_a_crash_open_runs_are_interrupted_and_go_on_when_called_again() {
    let dir = tempfile::tempdir().unwrap();
    let session = || {
        let run = crate::Run::Session { key: "s-1".into() };
        let identity = crate::Identity::Agent { name: "codex".into(), version: None, run };
        Caller { identity, project: None, call_id: None }
    };
    let host = host_in(dir.path());
    host.call(session(), "progress_create", json!({"subject": "x"})).await.unwrap();
    host.close();
    let clean = host_in(dir.path());
    let run = only_run(&clean).await;
    assert_eq!(
        view(&clean, "run", json!({"run": run})).await["run"]["status"],
        "running",
        "a clean end ends no run"
    );
    clean.call(session(), "progress_create", json!({"subject": "y"})).await.unwrap();
    drop(clean);
    // Nobody marked the store as closed: the program had died.
    let crashed = host_in(dir.path());
    let facts = view(&crashed, "run", json!({"run": run})).await;
    assert_eq!((&facts["run"]["status"], &facts["run"]["events"]), (&json!("interrupted"), &json!(4)));
    crashed.call(session(), "progress_create", json!({"subject": "z"})).await.unwrap();
    let facts = view(&crashed, "run", json!({"run": run})).await;
    assert_eq!((&facts["run"]["status"], &facts["run"]["events"]), (&json!("running"), &json!(6)));
    let kinds: Vec<_> = view(&crashed, "events", json!({"run": run})).await["events"]
        .as_array()
        .unwrap()
        .iter()
        .map(|line| line["kind"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(
        kinds,
        ["run_started", "task_created", "task_created", "run_ended", "run_resumed", "task_created"]
    );
}

#[tokio::test]
async fn silent_sessions_are_closed() {
    let dir = tempfile::tempdir().unwrap();
    let host = host_in(dir.path());
    host.call(person(), "progress_create", json!({"subject": "x"})).await.unwrap();
    let now = host.now();
    let close =
        |before| scribe::close(host.store(), Source::Window, before, now, EndReason::Completed, "silent");
    close(domain::Timestamp::from_unix_ms(0)).unwrap();
    let status = async || view(&host, "runs", json!({})).await["runs"][0]["status"].clone();
    assert_eq!(status().await, "running");
    close(now).unwrap();
    assert_eq!(status().await, "completed");
}

/// Sealed parts and the events after them give what all events give.
#[tokio::test]
async fn a_sealed_timeline_is_the_same_timeline() {
    let dir = tempfile::tempdir().unwrap();
    let host = host_in(dir.path());
    let mut dice = Dice(5);
    for n in 0..4_300_u64 {
        let (tool, arguments) = any_call(&mut dice, n / 40);
        let _ = host.call(agent("a"), tool, arguments).await;
    }
    settle(&host);
    let run = only_run(&host).await;
    let bytes = async |name: &str, params: Value| host.bytes(name, params).await.unwrap();
    let id = run.parse().unwrap();
    let index = async || {
        (
            bytes("run_index", json!({"run": run})).await,
            bytes("run_index", json!({"run": run, "from": 2_000})).await,
        )
    };
    let facts = async || {
        let mut facts = view(&host, "run", json!({"run": run, "at": 4_200})).await;
        facts["position"].take();
        facts
    };
    let unsealed = (index().await, facts().await);
    let sealed = host.store().read(|reader| crate::timeline::unsealed(reader, id, 10)).unwrap();
    // The scribe may have been here before.
    host.store()
        .write_wait(move |tx| {
            let run = tx.run_handle(id)?.expect("the run is there");
            sealed.iter().try_for_each(|segment| tx.segment_put(&run, segment))
        })
        .unwrap();
    let last = host.store().read(|reader| reader.segment_facts(id, domain::Seq(u64::MAX >> 1))).unwrap();
    assert_eq!(last.expect("sealed").0, domain::Seq(4_096));
    assert_eq!((index().await, facts().await), unsealed);
    let whole = &unsealed.0.0;
    assert_eq!(&whole[..4], b"TBI1");
    let count = u32::from_le_bytes(whole[4..8].try_into().unwrap()) as usize;
    assert_eq!(whole.len(), 32 + count * 16);
    let found = bytes("run_find", json!({"run": run, "text": "NO SUCH FIELD"})).await;
    assert!(found.len() > 40, "refused calls keep what was sent");
}

#[test]
fn a_witness_is_private() {
    let dir = tempfile::tempdir().unwrap();
    host_in(dir.path()).close();
    let key: &Path = &dir.path().join("witness/ledger.key");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(std::fs::metadata(key).unwrap().permissions().mode() & 0o777, 0o600);
    }
    assert_eq!(std::fs::read_to_string(key).unwrap().len(), 64);
}
