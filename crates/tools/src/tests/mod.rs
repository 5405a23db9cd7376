//! The boundary as its callers meet it, over a real store in a folder of its own.

mod concurrency;
mod conversation;
mod import;
mod inspector;
mod properties;
mod recovery;
mod runs;
mod schema;

use crate::sources::Sources;
use crate::{Answer, Caller, Failure, Host, Identity, Options, Refusal, Run, Surface};
use domain::Timestamp;
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use uuid::Uuid;

/// A host whose clock ticks a second a look and whose ids count up.
fn host_in(dir: &Path) -> Host {
    let (clock, ids) = (AtomicI64::new(1_796_040_000_000), AtomicU64::new(0));
    // Ids must not repeat when the same store is opened again.
    let start = u64::from(std::process::id()) + u64::try_from(dir.as_os_str().len()).unwrap();
    let opened = std::fs::read_dir(dir).map(Iterator::count).unwrap_or(0) as u128;
    let sources = Sources {
        now: Arc::new(move || Timestamp::from_unix_ms(clock.fetch_add(1_000, Ordering::Relaxed))),
        uuid: Arc::new(move || {
            let n = u128::from(ids.fetch_add(1, Ordering::Relaxed));
            Uuid::from_u128((opened << 96) | (u128::from(start) << 32) | n)
        }),
    };
    Host::open_with(Options { data: dir.to_owned(), person: "ann".into(), witness: None }, sources).unwrap()
}

fn agent(name: &str) -> Caller {
    let run = Run::Bridge { key: format!("key-of-{name}") };
    Caller {
        identity: Identity::Agent { name: name.into(), version: None, run },
        project: None,
        call_id: None,
    }
}

fn person() -> Caller {
    let identity = Identity::Person { name: "ann".into(), surface: Surface::Window };
    Caller { identity, project: None, call_id: None }
}

/// The answer's text or the refusal's, as the model reads it.
fn told(result: &Result<Answer, Failure>) -> String {
    match result {
        Ok(answer) => answer.text.clone(),
        Err(Failure::Refused(refusal)) => refusal.to_text(),
        Err(Failure::UnknownTool { message, .. }) => format!("unknown tool: {message}"),
    }
}

fn refusal(result: Result<Answer, Failure>) -> Refusal {
    match result {
        Err(Failure::Refused(refusal)) => refusal,
        other => panic!("expected a refusal, got {other:?}"),
    }
}

/// Creates `n` tasks named `task 1` and so on.
async fn with_tasks(host: &Host, n: u32) {
    for i in 1..=n {
        host.call(person(), "progress_create", json!({"subject": format!("task {i}")})).await.unwrap();
    }
}

fn update(id: u32, version: u64, patch: &Value) -> Value {
    json!({"id": id.to_string(), "expectedVersion": version, "patch": patch})
}

/// Everything that a refused call must leave as it was: the tasks, without their count of refusals.
fn tasks(host: &Host) -> Vec<Value> {
    host.store()
        .read(|reader| {
            let mut out = Vec::new();
            for project in reader.project_list()? {
                for card in reader.task_cards(&project)?.into_iter().chain(reader.task_tombstones(&project)?)
                {
                    let mut row = reader.task_get(&project, card.no)?.expect("it is listed");
                    row.task.rejected = 0;
                    row.task.outcomes = domain::repair::Outcomes::default();
                    row.task.touched = domain::Position(0);
                    out.push(json!(format!("{row:?}")));
                }
            }
            Ok(out)
        })
        .unwrap()
}
