//! Official MCP clients against a real owner: Rust over both transports and both generations, and
//! Python when it is there.

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test stops where it stops; the figures are for the reader"
)]

use std::path::Path;
use std::process::Command as StdCommand;

use rmcp::model::{CallToolRequestParams, ProtocolVersion};
use rmcp::service::{ClientLifecycleMode, ClientServiceExt as _, RoleClient, RunningService};
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use rmcp::transport::{StreamableHttpClientTransport, TokioChildProcess};
use serde_json::{Value, json};
use tests::{Owner, Store, tally};

type Running = RunningService<RoleClient, ()>;

fn lifecycles() -> [ClientLifecycleMode; 2] {
    let preferred_versions = vec![ProtocolVersion::V_2026_07_28];
    [ClientLifecycleMode::Initialize, ClientLifecycleMode::Discover { preferred_versions }]
}

async fn over_http(owner: &Owner, lifecycle: ClientLifecycleMode) -> Running {
    let config =
        StreamableHttpClientTransportConfig::with_uri(owner.url.clone()).auth_header(owner.token.clone());
    let transport = StreamableHttpClientTransport::with_client(reqwest::Client::new(), config);
    ().serve_with_lifecycle(transport, lifecycle).await.expect("opens")
}

async fn over_stdio(store: &Store, lifecycle: ClientLifecycleMode) -> Running {
    let mut command = tokio::process::Command::new(tally());
    command.arg("mcp").arg("--data").arg(store.data()).current_dir(store.data());
    let transport = TokioChildProcess::new(command).expect("starts");
    ().serve_with_lifecycle(transport, lifecycle).await.expect("opens")
}

async fn call(client: &Running, tool: &'static str, arguments: Value) -> (bool, String, Value) {
    let Value::Object(arguments) = arguments else { panic!("an object") };
    let result = client
        .call_tool(CallToolRequestParams::new(tool).with_arguments(arguments))
        .await
        .expect("an answer");
    let text = serde_json::to_value(&result.content[0]).unwrap()["text"].as_str().unwrap().to_owned();
    (result.is_error == Some(true), text, result.structured_content.unwrap_or_default())
}

/// What each of them does in each way.
async fn exercise(client: Running) {
    let info = client.peer_info().expect("a server");
    let info = serde_json::to_value(&*info).unwrap();
    assert!(info["instructions"].as_str().unwrap().contains("progress_"), "{info}");
    let tools = client.list_all_tools().await.unwrap();
    let names: Vec<_> = tools.iter().map(|tool| tool.name.as_ref()).collect();
    assert!(names.contains(&"progress_create") && names.len() <= 8, "{names:?}");
    for tool in &tools {
        let hints = tool.annotations.as_ref().expect("annotations");
        let all =
            [hints.read_only_hint, hints.destructive_hint, hints.idempotent_hint, hints.open_world_hint];
        assert!(all.iter().all(Option::is_some), "{}: {hints:?}", tool.name);
    }
    let subject = "from Rust é漢🚀 \"quoted\"";
    let (failed, text, made) = call(&client, "progress_create", json!({"subject": subject})).await;
    assert!(!failed, "{text}");
    assert_eq!(made["task"]["subject"], subject);
    let id = made["task"]["id"].as_str().unwrap();
    let (failed, text, wrong) = call(&client, "progress_create", json!({"subject": "x", "bogus": 1})).await;
    assert!(failed && text.contains("bogus"), "{text}");
    assert_eq!(wrong["code"], "INVALID_INPUT");
    let patch = json!({"id": id, "expectedVersion": 1, "patch": {"status": "done"}});
    let (failed, text, _) = call(&client, "progress_update", patch.clone()).await;
    assert!(!failed, "{text}");
    let (failed, text, stale) = call(&client, "progress_update", patch).await;
    assert!(failed && text.contains("STALE"), "{text}");
    assert_eq!(stale["current"]["version"], 2, "{stale}");
    let lists = (0..50).map(|_| async { call(&client, "progress_list", json!({})).await.0 });
    let lists = futures::future::join_all(lists).await;
    assert!(lists.iter().all(|failed| !failed));
    client.cancel().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn rust_over_http() {
    for lifecycle in lifecycles() {
        let store = Store::default();
        let owner = store.owner();
        exercise(over_http(&owner, lifecycle).await).await;
        assert_eq!(store.tasks().len(), 1);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn rust_over_stdio() {
    for lifecycle in lifecycles() {
        let store = Store::default();
        let _owner = store.owner();
        exercise(over_stdio(&store, lifecycle).await).await;
        let runs = store.view("runs");
        assert_eq!(runs["runs"][0]["source"], "bridge", "{runs}");
        assert_eq!(runs["runs"][0]["status"], "completed", "{runs}");
    }
}

/// The official Python client, in both its modes. `MCP_PY` names a Python that has the package `mcp`.
#[test]
fn python_over_http() {
    let Some(python) = std::env::var_os("MCP_PY") else {
        println!("SKIPPED: MCP_PY names no Python with the package mcp");
        return;
    };
    let store = Store::default();
    let owner = store.owner();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("python_client.py");
    let output = StdCommand::new(python).arg(script).args([&owner.url, &owner.token]).output().unwrap();
    let told = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{told}{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(store.tasks().len(), 2, "{told}");
}
