//! Imports as jobs: whole files or none, and on from where one was stopped.

use super::{host_in, refusal};
use crate::Host;
use serde_json::{Value, json};
use std::io::Write;
use std::path::{Path, PathBuf};

fn plain(dir: &Path, run: &str, events: u64) -> PathBuf {
    let path = dir.join(format!("{run}.jsonl"));
    let mut file = std::io::BufWriter::new(std::fs::File::create(&path).unwrap());
    for seq in 1..=events {
        let at = "2026-01-01T00:00:00Z";
        writeln!(
            file,
            r#"{{"seq":{seq},"run_id":"{run}","kind":"note","at":"{at}","payload":{{"text":"{seq}"}}}}"#
        )
        .unwrap();
    }
    path
}

async fn view(host: &Host, params: Value) -> Value {
    host.view("import", params).await.unwrap()
}

/// Looks until what is looked for is there.
async fn until(host: &Host, mut found: impl FnMut(&Value) -> bool) -> Value {
    loop {
        let job = view(host, json!({"ask": "look"})).await;
        if found(&job) {
            return job;
        }
        tokio::task::yield_now().await;
    }
}

fn over(job: &Value) -> bool {
    job["state"] == "done" || job["state"] == "stopped"
}

async fn runs(host: &Host) -> usize {
    host.view("runs", json!({})).await.unwrap()["runs"].as_array().unwrap().len()
}

#[tokio::test]
async fn stopped_while_it_writes_it_leaves_whole_files_and_goes_on_from_there() {
    let (store, files) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let host = host_in(store.path());
    assert_eq!(view(&host, json!({"ask": "look"})).await, Value::Null);
    let small = plain(files.path(), "a", 3);
    let big = plain(files.path(), "b", 40_000);
    let start = json!({"ask": "start", "paths": [files.path()]});
    view(&host, start.clone()).await;
    // The first half of a file's bytes is the survey, the second the writing.
    let small_bytes = small.metadata().unwrap().len();
    let writing = small_bytes + big.metadata().unwrap().len() / 2;
    let job = until(&host, |job| job["bytesDone"].as_u64().unwrap() > writing).await;
    assert_eq!((&job["state"], &job["filesDone"], &job["files"]), (&json!("running"), &json!(1), &json!(2)));
    assert!(job["file"].as_str().unwrap().ends_with("b.jsonl") && job["leftMs"].is_u64(), "{job}");
    view(&host, json!({"ask": "stop", "job": job["job"]})).await;
    let job = until(&host, over).await;
    assert_eq!((&job["state"], &job["filesDone"]), (&json!("stopped"), &json!(1)));
    assert_eq!(runs(&host).await, 1, "the small one is there, and nothing of the big one");

    view(&host, start).await;
    let job = until(&host, over).await;
    let told: Vec<_> =
        job["accounts"].as_array().unwrap().iter().map(|a| (&a["events"], &a["skipped"])).collect();
    assert_eq!(told, [(&json!(0), &json!({"there already": 3})), (&json!(40_000), &json!({}))]);
    assert_eq!((&job["state"], runs(&host).await), (&json!("done"), 2));
    let from = view(&host, json!({"ask": "look", "job": job["job"], "from": 1})).await;
    assert_eq!(from["accounts"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn no_file_keeps_another_out() {
    let (store, files) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let host = host_in(store.path());
    std::fs::create_dir_all(files.path().join("deep/er")).unwrap();
    std::fs::create_dir_all(files.path().join("node_modules")).unwrap();
    std::fs::create_dir_all(files.path().join("nothing")).unwrap();
    plain(&files.path().join("deep/er"), "inner", 2);
    plain(&files.path().join("node_modules"), "strange", 2);
    std::fs::write(files.path().join("prose.txt"), "# A page\n").unwrap();
    let paths = [files.path().to_owned(), files.path().join("gone"), files.path().join("nothing")];
    view(&host, json!({"ask": "start", "paths": paths})).await;
    let job = until(&host, over).await;
    let told: Vec<_> = job["accounts"]
        .as_array()
        .unwrap()
        .iter()
        .map(|account| {
            let file = Path::new(account["file"].as_str().unwrap()).file_name().unwrap().to_str().unwrap();
            let why = account["why"].as_str().unwrap_or("");
            format!("{file}: {} {why}", account["events"])
        })
        .collect();
    assert_eq!(
        told,
        [
            "inner.jsonl: 2 ",
            "prose.txt: 0 no line of it is an event",
            "gone: 0 there is no such file",
            "nothing: 0 it is a folder without files"
        ]
    );
}

#[tokio::test]
async fn what_cannot_be_asked_says_what_can() {
    let store = tempfile::tempdir().unwrap();
    let host = host_in(store.path());
    let asked = [
        json!({"ask": "start", "paths": []}),
        json!({"ask": "start", "paths": ["here.jsonl"]}),
        json!({"ask": "stop", "job": 7}),
        json!({"ask": "wait"}),
    ];
    for params in asked {
        let refused = host.view("import", params.clone()).await.map(|_| unreachable!("{params}"));
        let refusal = refusal(refused);
        assert!(!refusal.issues.is_empty() && !refusal.issues[0].fix.is_empty(), "{params}: {refusal:?}");
    }
}

/// A session of Claude Code in two files: its own, and that of a sub-agent.
fn session(dir: &Path) -> (PathBuf, PathBuf) {
    let line = |uuid: &str, second: u32, more: Value| {
        let mut record = json!({"sessionId": "5e55", "uuid": uuid, "cwd": "/home/ann/acme", "version": "2.1.0",
                                "timestamp": format!("2026-05-04T09:00:{second:02}Z")});
        record.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        format!("{record}\n")
    };
    let said = |text: &str| json!({"type": "user", "message": {"role": "user", "content": text}});
    let asked = json!({"type": "assistant", "message": {"id": "m1", "role": "assistant", "usage": {"input_tokens": 5, "output_tokens": 2},
        "content": [{"type": "tool_use", "id": "t1", "name": "TodoWrite", "input": {"todos": [{"content": "Mow", "status": "pending"}]}}]}});
    let answered = json!({"type": "user", "message": {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "ok"}]}});
    let mut side = said("Find the mower");
    side.as_object_mut()
        .unwrap()
        .extend([("isSidechain".to_owned(), json!(true)), ("agentId".to_owned(), json!("ag1"))]);
    let (own, sub) = (dir.join("5e55.jsonl"), dir.join("agent-ag1.jsonl"));
    std::fs::write(
        &own,
        [
            line("u1", 0, said("Mow the lawn")),
            line("a1", 1, asked),
            line("u2", 2, answered),
            "{\"type\":\"us".into(),
        ]
        .concat(),
    )
    .unwrap();
    std::fs::write(&sub, line("s1", 1, side)).unwrap();
    (own, sub)
}

async fn read_in(host: &Host, paths: &[&Path]) -> Vec<Value> {
    view(host, json!({"ask": "start", "paths": paths})).await;
    until(host, over).await["accounts"].as_array().unwrap().clone()
}

#[tokio::test]
async fn a_session_that_an_agent_wrote_becomes_a_run_once_however_often_it_is_read() {
    let (store, files) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let host = host_in(store.path());
    let (own, sub) = session(files.path());
    // The sub-agent's file is read before the run it belongs to is known.
    let accounts = read_in(&host, &[&sub, &own]).await;
    let told: Vec<_> =
        accounts.iter().map(|a| (&a["format"], &a["lines"], &a["mapped"], &a["badLines"])).collect();
    let claude = json!("claude-code");
    assert_eq!(
        told,
        [(&claude, &json!(1), &json!(1), &json!(0)), (&claude, &json!(4), &json!(3), &json!(1))]
    );
    assert_eq!((&accounts[1]["tokens"]["in"], &accounts[1]["tokens"]["out"]), (&json!(5), &json!(2)));
    let (child, parent) = (accounts[0]["runs"][0].clone(), accounts[1]["runs"][0].clone());

    let detail = host.view("run", json!({"run": parent})).await.unwrap();
    assert_eq!(
        (&detail["run"]["source"], &detail["run"]["status"]),
        (&json!("transcript"), &json!("completed"))
    );
    assert_eq!((&detail["project"]["name"], &detail["children"][0]["id"]), (&json!("acme"), &child));
    assert_eq!(detail["plan"]["items"][0]["content"], "Mow");
    assert_eq!(detail["files"][0]["badLines"], 1, "what could not be read is told on the run");
    let events = detail["run"]["events"].clone();

    let again = read_in(&host, &[&own]).await;
    assert_eq!((&again[0]["events"], &again[0]["mapped"]), (&json!(0), &json!(3)));

    // The half line is finished, and the session goes on.
    let mut text = std::fs::read_to_string(&own).unwrap();
    text.push_str("er\",\"sessionId\":\"5e55\",\"uuid\":\"u3\",\"timestamp\":\"2026-05-04T09:10:00Z\",\"message\":{\"role\":\"user\",\"content\":\"And the hedge\"}}\n");
    std::fs::write(&own, &text).unwrap();
    let grown = read_in(&host, &[&own]).await;
    // It goes on, a turn starts, words are said, and it falls silent again.
    assert_eq!((&grown[0]["events"], &grown[0]["badLines"]), (&json!(4), &json!(0)));
    // The same in another place, as after a rotation: nothing new.
    let moved = files.path().join("moved.jsonl");
    std::fs::rename(&own, &moved).unwrap();
    assert_eq!(read_in(&host, &[&moved]).await[0]["events"], 0);
    let detail = host.view("run", json!({"run": parent})).await.unwrap();
    assert_eq!(detail["run"]["events"].as_u64().unwrap(), events.as_u64().unwrap() + 4);
    let check = loop {
        let check = host.view("verify", json!({"run": parent})).await.unwrap();
        if check["state"] != "running" {
            break check;
        }
        tokio::task::yield_now().await;
    };
    assert_eq!(check["report"]["ok"], true, "{check}");
}
