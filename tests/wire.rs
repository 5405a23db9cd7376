//! What comes over the wire and is not as it should be: each kind refused with what is wrong and
//! what to do, nothing written, and the next good call answered.

use serde_json::{Value, json};
use tests::{Client, Store, call, initialize};

fn told(answer: &Value) -> String {
    answer["error"]["message"].as_str().unwrap_or_else(|| panic!("no JSON-RPC error: {answer}")).to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn malformed_messages() {
    let store = Store::default();
    let owner = store.owner();
    let client = owner.client();
    let deep = |levels: usize| {
        let nested = format!("{}1{}", r#"{"k":"#.repeat(levels), "}".repeat(levels));
        call(1, "progress_create", json!({"subject": "HERE"})).to_string().replace("\"HERE\"", &nested)
    };
    let large = call(1, "progress_create", json!({"subject": "x".repeat(1 << 20)})).to_string();
    let good = call(1, "progress_list", json!({})).to_string();
    let doubled = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"progress_create","arguments":{"subject":"first","subject":"second"}}}"#;
    let cases: Vec<(Vec<u8>, u16, i64, &str)> = vec![
        (b"{".to_vec(), 400, -32700, "not strict JSON"),
        (b"".to_vec(), 400, -32700, "not strict JSON"),
        (format!("{good} {good}").into(), 400, -32700, "trailing characters"),
        (doubled.into(), 400, -32700, r#"the key "subject" is there twice"#),
        (
            good.replace("tools/call", "tools\u{0}call").replace('\u{0}', "\n").into(),
            400,
            -32700,
            "control character",
        ),
        (good.replace("{}", "{\"n\":NaN}").into(), 400, -32700, "not strict JSON"),
        ([&b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\"}"[..]].concat(), 400, -32700, "not UTF-8"),
        (deep(40).into(), 400, -32700, "32 levels"),
        (deep(5_000).into(), 400, -32700, "32 levels"),
        (large.into(), 413, 413, "1 MiB"),
        (format!("[{good}]").into(), 400, -32600, "a batch"),
        (b"[]".to_vec(), 400, -32600, "a batch"),
        (b"\"text\"".to_vec(), 400, -32600, "not an object"),
        (good.replace("\"2.0\"", "\"1.0\"").into(), 400, -32600, "jsonrpc"),
        (good.replace("\"id\":1", "\"id\":null").into(), 400, -32600, "\"id\""),
        (good.replace("\"id\":1", "\"id\":{}").into(), 400, -32600, "\"id\""),
        (good.replace("\"progress_list\"", "3").into(), 400, -32602, "params.name"),
    ];
    let before = store.tasks().len();
    for (body, status, code, say) in cases {
        let shown = String::from_utf8_lossy(&body[..body.len().min(120)]).into_owned();
        let (got, answer) = client.send(body, &[]).await;
        assert_eq!(got, status, "{shown}: {answer}");
        assert_eq!(answer["error"]["code"], code, "{shown}: {answer}");
        assert!(told(&answer).contains(say), "{shown}: {answer}");
        assert!(told(&answer).contains("Fix: "), "{shown}: {answer}");
    }
    assert_eq!(store.tasks().len(), before);
    let (status, answer) = client.send(good.clone(), &[("content-type", "text/plain")]).await;
    assert_eq!((status, answer["error"]["code"].as_i64()), (415, Some(415)), "{answer}");
    let (status, _) = client.send(good.clone(), &[("accept", "application/json")]).await;
    assert_eq!(status, 406);
    let (status, answer) = client.send(good, &[]).await;
    assert_eq!((status, &answer["result"]["isError"]), (200, &json!(false)), "{answer}");
}

async fn refused(client: &Client, arguments: &Value) -> String {
    let answer = client.call("progress_create", arguments.clone()).await;
    let result = &answer["result"];
    assert_eq!(result["isError"], true, "{answer}");
    assert_eq!(result["structuredContent"]["code"], "INVALID_INPUT", "{answer}");
    result["content"][0]["text"].as_str().expect("text").to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn arguments_that_are_not_an_object_are_refused_by_the_board_itself() {
    let store = Store::default();
    let owner = store.owner();
    let client = owner.client();
    let text = refused(&client, &json!("{\"subject\":\"as text\"}")).await;
    assert!(text.contains("send the object itself: {\"subject\":\"as text\"}"), "{text}");
    for odd in [json!([1]), json!([]), json!(null), json!(7), json!(true), json!("plain")] {
        let text = refused(&client, &odd).await;
        assert!(text.contains("arguments: is "), "{text}");
    }
    // Absent arguments are none.
    let absent =
        json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "progress_list"}});
    let (_, answer) = client.send(absent.to_string(), &[]).await;
    assert_eq!(answer["result"]["isError"], false, "{answer}");
    assert!(store.tasks().is_empty());
    let runs = store.view("runs");
    let rejected: u64 =
        runs["runs"].as_array().unwrap().iter().map(|run| run["rejected"].as_u64().unwrap()).sum();
    assert_eq!(rejected, 7, "each refusal is in the ledger: {runs}");
}

#[tokio::test(flavor = "multi_thread")]
async fn quirks_of_real_clients() {
    let store = Store::default();
    let owner = store.owner();
    let client = owner.client();
    // Gemini injects this into every call.
    let answer = client.call("progress_create", json!({"subject": "a", "wait_for_previous": true})).await;
    assert_eq!(answer["result"]["isError"], false, "{answer}");
    // opencode cancels every call after its answer.
    let late = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1, "reason": "x"}});
    assert_eq!(client.send(late.to_string(), &[]).await.0, 202);
    assert_eq!(store.tasks().len(), 1, "what is committed stays");
    // 7.0 is 7; a null is not "absent".
    let answer = client
        .call("progress_update", json!({"id": "1", "expectedVersion": 1.0, "patch": {"status": "done"}}))
        .await;
    assert_eq!(answer["result"]["isError"], false, "{answer}");
    let answer = client
        .call("progress_update", json!({"id": "1", "expectedVersion": 2, "patch": {"subject": null}}))
        .await;
    assert_eq!(answer["result"]["structuredContent"]["code"], "INVALID_INPUT", "{answer}");
    // The dotted name; a name that nobody has.
    let answer = client.call("progress.list", json!({})).await;
    assert_eq!(answer["result"]["isError"], false, "{answer}");
    let answer = client.call("progress_destroy", json!({})).await;
    assert_eq!(answer["error"]["code"], -32602, "{answer}");
    assert!(told(&answer).contains("progress_list"), "{answer}");
    // What a server need not have: a JSON-RPC error, not a hang.
    for method in ["prompts/list", "resources/list", "logging/setLevel", "made/up"] {
        let (_, answer) =
            client.send(json!({"jsonrpc": "2.0", "id": 4, "method": method}).to_string(), &[]).await;
        assert_eq!(answer["error"]["code"], -32601, "{method}: {answer}");
        assert_eq!(answer["id"], 4, "{answer}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_is_one_run_also_after_a_restart_and_ends_with_delete() {
    let store = Store::default();
    let owner = store.owner();
    let http = reqwest::Client::new();
    let (url, token) = (owner.url.clone(), owner.token.clone());
    let accept = "application/json, text/event-stream";
    let open =
        http.post(&url).bearer_auth(&token).header("accept", accept).json(&initialize("codex-ish")).send();
    let session = open.await.unwrap().headers()["mcp-session-id"].to_str().unwrap().to_owned();
    let create = call(2, "progress_create", json!({"subject": "s"})).to_string();
    let with_session = [("mcp-session-id", session.as_str())];
    assert_eq!(owner.client().send(create.clone(), &with_session).await.0, 200);
    owner.kill();
    let owner = store.owner();
    assert_eq!(owner.url, url, "the same port again");
    assert_eq!(owner.client().send(create.clone(), &with_session).await.0, 200);
    let runs = store.view("runs");
    assert_eq!(runs["runs"].as_array().unwrap().len(), 1, "{runs}");
    let run = &runs["runs"][0];
    assert_eq!(
        (&run["agent"], &run["source"], &run["status"]),
        (&json!("codex-ish"), &json!("session"), &json!("running"))
    );
    let ended =
        http.delete(&url).bearer_auth(&token).header("mcp-session-id", &session).send().await.unwrap();
    assert_eq!(ended.status(), 200);
    assert_eq!(store.view("runs")["runs"][0]["status"], "completed");
    let forged = [("mcp-session-id", "e30.AAAAAAAAAAAAAAAAAAAAAA")];
    assert_eq!(owner.client().send(create, &forged).await.0, 404);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_modern_client_is_told_apart_by_its_conversation() {
    let store = Store::default();
    let owner = store.owner();
    let create = |thread: &str| {
        json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
            "name": "progress_create", "arguments": {"subject": "m"}, "_meta": {
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientCapabilities": {},
                "io.modelcontextprotocol/clientInfo": {"name": "modern", "version": "2"},
                "threadId": thread}}})
        .to_string()
    };
    let headers = [
        ("mcp-protocol-version", "2026-07-28"),
        ("mcp-method", "tools/call"),
        ("mcp-name", "progress_create"),
    ];
    for thread in ["one", "two", "one"] {
        let (status, answer) = owner.client().send(create(thread), &headers).await;
        assert_eq!((status, &answer["result"]["resultType"]), (200, &json!("complete")), "{answer}");
    }
    let runs = store.view("runs");
    assert_eq!(runs["runs"].as_array().unwrap().len(), 2, "{runs}");
    assert!(
        runs["runs"]
            .as_array()
            .unwrap()
            .iter()
            .all(|run| run["source"] == "meta" && run["agent"] == "modern")
    );
    let (status, answer) = owner.client().send(create("one"), &headers[..2]).await;
    assert_eq!((status, answer["error"]["code"].as_i64()), (400, Some(-32020)), "{answer}");
}

/// What a bridge does when an answer was lost: the same message under the same `Tally-Call`.
#[tokio::test(flavor = "multi_thread")]
async fn the_same_call_id_is_one_write_and_the_same_answer() {
    let store = Store::default();
    let owner = store.owner();
    let create = call(1, "progress_create", json!({"subject": "once"})).to_string();
    let headers = |id: &'static str| [("tally-run", "run-0123456789abcdef"), ("tally-call", id)];
    let (_, first) = owner.client().send(create.clone(), &headers("call-0123456789abcdef")).await;
    owner.kill();
    let owner = store.owner();
    let (_, again) = owner.client().send(create.clone(), &headers("call-0123456789abcdef")).await;
    assert_eq!(first, again);
    assert_eq!(store.tasks().len(), 1);
    owner.client().send(create.clone(), &headers("call-fedcba9876543210")).await;
    assert_eq!(store.tasks().len(), 2, "another call is another write");
    let (status, answer) = owner.client().send(create, &headers("no")).await;
    assert_eq!(status, 400, "{answer}");
    assert!(told(&answer).contains("tally-call"), "{answer}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_large_body_without_a_length_is_cut_off_and_a_slow_one_holds_up_nobody() {
    let store = Store::default();
    let owner = store.owner();
    let client = owner.client();
    // Chunked: no header tells its size.
    let chunks = (0..40).map(|_| Ok::<_, std::io::Error>(vec![b' '; 64 * 1024]));
    let body = reqwest::Body::wrap_stream(futures::stream::iter(chunks));
    let (status, answer) = client.send(body, &[]).await;
    assert_eq!(status, 413, "{answer}");
    // One byte, then nothing.
    let trickle = futures::StreamExt::chain(
        futures::stream::iter([Ok::<_, std::io::Error>(vec![b'{'])]),
        futures::stream::pending(),
    );
    let started = std::time::Instant::now();
    let slow = tokio::spawn({
        let client = client.clone();
        async move { client.send(reqwest::Body::wrap_stream(trickle), &[]).await }
    });
    for _ in 0..20 {
        let asked = std::time::Instant::now();
        client.call("progress_list", json!({})).await;
        assert!(asked.elapsed() < std::time::Duration::from_secs(1));
    }
    assert_eq!(slow.await.unwrap().0, 408);
    assert!(started.elapsed() < std::time::Duration::from_secs(15), "{:?}", started.elapsed());
}
