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
