//! The four things a page may ask of this process. `build.rs` lists them, and
//! `capabilities/main.json` lets the window call them.

use serde_json::{Value, json};
use tauri::State;
use tauri::ipc::{Channel, Response};
use tools::Refusal;

use crate::desk::Desk;
use crate::feed::Item;

#[tauri::command]
pub(crate) async fn view(
    desk: State<'_, Desk>,
    name: String,
    params: Option<Value>,
) -> Result<Value, Refusal> {
    desk.view(&name, params.unwrap_or_default()).await
}

/// An `ArrayBuffer` on the page's side.
#[tauri::command]
pub(crate) async fn bytes(
    desk: State<'_, Desk>,
    name: String,
    params: Option<Value>,
) -> Result<Response, Refusal> {
    desk.bytes(&name, params.unwrap_or_default()).await.map(Response::new)
}

/// `{ok: true, answer}` or `{ok: false, refusal}`: being refused is an answer, not a fault.
#[tauri::command]
pub(crate) async fn call(
    desk: State<'_, Desk>,
    project: Option<String>,
    tool: String,
    arguments: Value,
    at: Option<u64>,
) -> Result<Value, ()> {
    Ok(match desk.call(project, &tool, arguments, at).await {
        Ok(answer) => json!({ "ok": true, "answer": answer }),
        Err(refusal) => json!({ "ok": false, "refusal": refusal }),
    })
}

#[tauri::command]
pub(crate) fn feed(desk: State<'_, Desk>, channel: Channel<Vec<Item>>) {
    desk.follow(move |items| channel.send(items).is_ok());
}
