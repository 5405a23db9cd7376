//! The change feed as messages: the same for a browser (SSE), a window that owns the store, and a
//! window attached to another owner.

use std::collections::HashSet;
use std::time::Duration;

use futures::stream::{self, Stream};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::sync::broadcast::{Receiver, error::RecvError, error::TryRecvError};
use tokio::time::{Interval, MissedTickBehavior};
use tools::{Change, Host, Tag};

/// More than this in one message is no better than "refetch everything".
const TAGS_MAX: usize = 256;

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

impl Message {
    /// `hello`, `change` or `beat`.
    #[must_use]
    pub fn event(&self) -> &'static str {
        match self {
            Message::Hello { .. } => "hello",
            Message::Change { .. } => "change",
            Message::Beat { .. } => "beat",
        }
    }
}

/// Follows `host`: hello at once, each change as it happens (what waits at that moment is sent as
/// one), a beat each second. Never ends by itself.
pub fn messages(host: &Host, owner: &str) -> impl Stream<Item = Message> + Send + 'static + use<> {
    let changes = host.feed();
    let hello = Message::Hello {
        position: host.position(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        owner: owner.to_owned(),
    };
    let mut beats = tokio::time::interval(Duration::from_secs(1));
    beats.set_missed_tick_behavior(MissedTickBehavior::Delay);
    beats.reset();
    let follower = Follower { host: host.clone(), changes, beats, hello: Some(hello) };
    stream::unfold(follower, |mut follower| async move { Some((follower.next().await, follower)) })
}

struct Follower {
    host: Host,
    changes: Receiver<Change>,
    beats: Interval,
    hello: Option<Message>,
}

impl Follower {
    async fn next(&mut self) -> Message {
        if let Some(hello) = self.hello.take() {
            return hello;
        }
        tokio::select! {
            biased;
            change = self.changes.recv() => self.gather(change),
            _ = self.beats.tick() => Message::Beat { position: self.host.position() },
        }
    }

    /// One message of `first` and all that waits behind it.
    fn gather(&mut self, first: Result<Change, RecvError>) -> Message {
        let mut tags: Vec<Tag> = Vec::new();
        let mut seen: HashSet<Tag> = HashSet::new();
        let mut position = 0;
        let mut whole = first.is_ok();
        let mut next = first.ok();
        loop {
            if let Some(change) = next.take() {
                position = position.max(change.position);
                // A change without tags stands for everything.
                whole &= !change.tags.is_empty();
                tags.extend(change.tags.into_iter().filter(|tag| seen.insert(tag.clone())));
            }
            match self.changes.try_recv() {
                Ok(change) => next = Some(change),
                Err(TryRecvError::Lagged(_)) => whole = false,
                Err(TryRecvError::Empty | TryRecvError::Closed) => break,
            }
        }
        if !whole || tags.len() > TAGS_MAX {
            tags.clear();
            position = self.host.position();
        }
        Message::Change { position, tags: serde_json::to_value(tags).unwrap_or_default() }
    }
}

#[cfg(test)]
mod tests {
    use futures::StreamExt as _;
    use serde_json::json;
    use tools::{Caller, Identity, Options, Surface};

    use super::*;

    #[tokio::test]
    async fn what_waits_is_sent_as_one_and_a_beat_follows() {
        let dir = tempfile::tempdir().unwrap();
        let host =
            Host::open(Options { data: dir.path().into(), person: "Ada".into(), witness: None }).unwrap();
        let mut feed = Box::pin(messages(&host, "nonce"));
        let hello = feed.next().await.unwrap();
        assert_eq!(
            hello,
            Message::Hello { position: 0, version: env!("CARGO_PKG_VERSION").into(), owner: "nonce".into() }
        );
        for subject in ["one", "two", "three"] {
            let identity = Identity::Person { name: "Ada".into(), surface: Surface::Cli };
            let caller = Caller { identity, project: None, call_id: None };
            host.call(caller, "progress_create", json!({"subject": subject})).await.unwrap();
        }
        // The answer may overtake the feed by a moment.
        tokio::time::sleep(Duration::from_millis(100)).await;
        let Message::Change { position, tags } = feed.next().await.unwrap() else { panic!("no change") };
        assert_eq!(position, host.position());
        let tasks = tags.as_array().unwrap().iter().filter(|tag| tag["kind"] == "task").count();
        assert_eq!(tasks, 3, "{tags}");
        assert_eq!(feed.next().await.unwrap(), Message::Beat { position });
        host.close();
    }

    #[test]
    fn the_wire_form_is_flat() {
        let change = Message::Change { position: 7, tags: json!([]) };
        assert_eq!(
            serde_json::to_value(&change).unwrap(),
            json!({"event": "change", "position": 7, "tags": []})
        );
    }
}
