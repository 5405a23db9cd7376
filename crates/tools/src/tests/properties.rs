//! Whatever is called: the fold of the events is the state of the store, a refused call changes no
//! task, the chain of every run holds, and views that are dropped and replayed come back equal.

use super::{agent, host_in, person, tasks};
use crate::{Failure, Host};
use domain::event::Payload;
use domain::fold::{At, World};
use domain::ledger::{self, Head};
use domain::{Outcome, Position, RunId};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use store::table::chain::ChainsOf;
use store::table::run::RunsOf;

/// Calls that mostly make sense, and some that do not.
fn call() -> impl Strategy<Value = (bool, &'static str, Value)> {
    let id = (1u32..7).prop_map(|no| no.to_string());
    let version = prop_oneof![3 => 1u32..4, 1 => Just(99u32)];
    let status = prop::sample::select(vec!["pending", "in_progress", "blocked", "done", "Done"]);
    let refs = prop::collection::vec((1u32..7).prop_map(|no| no.to_string()), 0..3);
    let key = prop::option::of(prop::sample::select(vec!["k1", "k2"]));
    let create = (refs.clone(), key, "[a-z]{0,6}").prop_map(|(refs, key, subject)| {
        let mut call = json!({"subject": subject, "blockedBy": refs});
        if let Some(key) = key {
            call["idempotencyKey"] = key.into();
        }
        ("progress_create", call)
    });
    let patch = prop_oneof![
        4 => status.prop_map(|status| json!({"status": status})),
        2 => refs.prop_map(|refs| json!({"blockedBy": refs})),
        1 => "[a-z]{0,9}".prop_map(|text| json!({"description": text, "subject": "again"})),
        1 => Just(json!({})),
    ];
    let update = (id.clone(), version.clone(), patch).prop_map(|(id, version, patch)| {
        ("progress_update", json!({"id": id, "expectedVersion": version, "patch": patch}))
    });
    let remove = (id.clone(), version.clone(), any::<bool>()).prop_map(|(id, version, restore)| {
        let tool = if restore { "progress_restore" } else { "progress_delete" };
        (tool, json!({"id": id, "expectedVersion": version}))
    });
    let read = id.prop_map(|id| ("progress_get", json!({"id": id})));
    let calls = prop_oneof![4 => create, 6 => update, 2 => remove, 1 => read];
    (any::<bool>(), calls).prop_map(|(by_person, (tool, arguments))| (by_person, tool, arguments))
}

/// The fold of everything in the store, each run's chain checked on the way.
fn replay(host: &Host) -> World {
    // Answered questions are written down after the answer.
    host.store().write_wait(|_| Ok(())).unwrap();
    let events = host.store().read(|reader| reader.event_raw_after(Position(0), u32::MAX)).unwrap();
    let (mut world, mut heads) = (World::default(), BTreeMap::<RunId, Head>::new());
    for raw in events {
        let head = heads.entry(raw.run).or_insert_with(|| Head::start(raw.run));
        *head = ledger::verify(raw.run, *head, &raw.body, raw.hash).unwrap();
        let event = ledger::read(&raw.body).unwrap();
        let payload = Payload::parse(&event.kind, event.payload).unwrap();
        let at = At { position: raw.position, run: raw.run, seq: event.seq, at: event.at };
        world.apply(at, payload.as_ref()).unwrap();
    }
    world
}

fn assert_store_is(host: &Host, world: &World) {
    host.store()
        .read(|reader| {
            for project in reader.project_list()? {
                let folded = &world.projects[&project.id];
                for task in folded.board.tasks.values() {
                    let stored = reader.task_get(&project, task.no)?.expect("every folded task is stored");
                    assert_eq!(&stored.task, task);
                }
                let live = folded.board.tasks.values().filter(|task| !task.deleted).count();
                assert_eq!(reader.task_cards(&project)?.len(), live);
                for (run, calls) in &folded.board.calls {
                    let of = ChainsOf { run: Some(*run), ..ChainsOf::default() };
                    let rows = reader.chain_list(&of, u32::MAX)?;
                    let stored = rows.iter().rev().filter(|row| row.outcome != Outcome::Repaired);
                    let stored: Vec<_> = stored.map(|row| (row.seq, row.outcome)).collect();
                    let folded: Vec<_> = calls.chains.iter().map(|c| (c.seq, c.outcome())).collect();
                    assert_eq!(stored, folded);
                }
            }
            let runs = reader.run_list(&RunsOf::default(), u32::MAX)?;
            assert_eq!(runs.len(), world.runs.len());
            for row in runs {
                let folded = &world.runs[&row.id];
                let facts = &folded.facts;
                let stored = (row.events, row.rejected, Some(row.last_at), row.ended_at, row.status.as_str());
                let status = folded.status();
                assert_eq!(
                    stored,
                    (facts.events, facts.rejected, facts.last_at, facts.ended_at, status.as_str())
                );
            }
            Ok(())
        })
        .unwrap();
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, max_shrink_iters: 200, ..ProptestConfig::default() })]

    #[test]
    fn the_fold_is_the_state(calls in prop::collection::vec(call(), 1..40)) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let dir = tempfile::tempdir().unwrap();
        let host = host_in(dir.path());
        for (by_person, tool, arguments) in calls {
            let before = tasks(&host);
            let caller = if by_person { person() } else { agent("a") };
            let result = runtime.block_on(host.call(caller, tool, arguments));
            if let Err(Failure::Refused(_)) = result {
                prop_assert_eq!(tasks(&host), before);
            }
        }
        let world = replay(&host);
        assert_store_is(&host, &world);
        host.store().write_wait(|tx| tx.views_rebuild()).unwrap();
        assert_store_is(&host, &world);
    }
}
