//! 16 writers meet: no acknowledged edit is lost, however they go about it.

use super::{agent, host_in, update, with_tasks};
use crate::{Code, Failure, Host};
use serde_json::{Value, json};

const WRITERS: u32 = 16;
const EDITS: u32 = 20;

async fn race<F>(host: &Host, writer: impl Fn(Host, u32) -> F) -> u32
where
    F: Future<Output = u32> + Send + 'static,
{
    let writers: Vec<_> = (0..WRITERS).map(|w| tokio::spawn(writer(host.clone(), w))).collect();
    let mut acknowledged = 0;
    for writer in writers {
        acknowledged += writer.await.unwrap();
    }
    acknowledged
}

async fn get(host: &Host, id: u32) -> Value {
    let answer = host.call(agent("reader"), "progress_get", json!({"id": id.to_string()})).await.unwrap();
    answer.structured["task"].clone()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn on_different_tasks() {
    let dir = tempfile::tempdir().unwrap();
    let host = host_in(dir.path());
    with_tasks(&host, WRITERS).await;
    let acknowledged = race(&host, async |host: Host, w: u32| {
        for edit in 1..=EDITS {
            let patch = json!({"subject": format!("writer {w} edit {edit}")});
            let name = format!("w{w}");
            host.call(agent(&name), "progress_update", update(w + 1, u64::from(edit), &patch)).await.unwrap();
        }
        EDITS
    })
    .await;
    assert_eq!(acknowledged, WRITERS * EDITS);
    for w in 0..WRITERS {
        let task = get(&host, w + 1).await;
        assert_eq!(task["version"], EDITS + 1);
        assert_eq!(task["subject"], format!("writer {w} edit {EDITS}"));
    }
}

/// Each writer patches the one task with the version it last saw, and takes what STALE tells it.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn on_one_task_by_patch() {
    let dir = tempfile::tempdir().unwrap();
    let host = host_in(dir.path());
    with_tasks(&host, 1).await;
    let acknowledged = race(&host, async |host: Host, w: u32| {
        let (mut done, mut version) = (0, 1);
        while done < EDITS {
            let patch = json!({"subject": format!("writer {w} edit {done}")});
            match host.call(agent(&format!("w{w}")), "progress_update", update(1, version, &patch)).await {
                Ok(answer) => {
                    version = answer.structured["task"]["version"].as_u64().unwrap();
                    done += 1;
                }
                Err(Failure::Refused(refusal)) if refusal.code == Code::Stale => {
                    version = refusal.current.unwrap()["version"].as_u64().unwrap();
                }
                Err(other) => panic!("{other:?}"),
            }
        }
        done
    })
    .await;
    assert_eq!(get(&host, 1).await["version"], acknowledged + 1);
}

/// Read, add a line to the description, write, and start over on STALE: every line must be there.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn on_one_task_by_read_modify_write() {
    let dir = tempfile::tempdir().unwrap();
    let host = host_in(dir.path());
    with_tasks(&host, 1).await;
    let acknowledged = race(&host, async |host: Host, w: u32| {
        let mut done = 0;
        while done < EDITS {
            let task = get(&host, 1).await;
            let text = format!("{}{w:x}{done:x};", task["description"].as_str().unwrap_or_default());
            let call = update(1, task["version"].as_u64().unwrap(), &json!({"description": text}));
            match host.call(agent(&format!("w{w}")), "progress_update", call).await {
                Ok(_) => done += 1,
                Err(Failure::Refused(refusal)) if refusal.code == Code::Stale => {}
                Err(other) => panic!("{other:?}"),
            }
        }
        done
    })
    .await;
    let text = get(&host, 1).await["description"].as_str().unwrap().to_owned();
    assert_eq!(text.matches(';').count(), acknowledged as usize);
    for w in 0..WRITERS {
        for edit in 0..EDITS {
            assert!(text.contains(&format!("{w:x}{edit:x};")), "writer {w} edit {edit}");
        }
    }
}
