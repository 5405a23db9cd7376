//! The change feed on its way to the page: what has piled up goes out as one batch.
//!
//! The channel into the page has no backpressure, so this is where a flood of commits is folded:
//! the page hears the newest position and everything that went stale, at most once in [`GAP`].

use std::time::Duration;

use endpoint::feed::Message;
use futures::{FutureExt, Stream, StreamExt};
use serde::Serialize;
use serde_json::Value;
use tokio::time::{Instant, timeout_at};

/// 125 batches a second are more than a screen shows; a quiet feed never waits for it.
const GAP: Duration = Duration::from_millis(8);

/// No batch is made of more messages than this, so that a flood cannot keep it from going out.
const MESSAGES_MAX: usize = 1_024;

/// One message as the page knows it.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum Item {
    Hello {
        position: u64,
        version: String,
        owner: String,
    },
    /// No tags: refetch everything you show.
    Change {
        position: u64,
        tags: Vec<Value>,
    },
    Beat {
        position: u64,
    },
    /// The owner went away; a hello follows when there is one again.
    Lost,
}

/// Sends `messages` on until they end or fail (`true`) or nobody listens any more (`false`).
pub(crate) async fn pump<E>(
    messages: impl Stream<Item = Result<Message, E>>,
    send: impl Fn(Vec<Item>) -> bool,
) -> bool {
    let mut messages = std::pin::pin!(messages.fuse());
    let mut open_at = Instant::now();
    while let Some(Ok(first)) = messages.next().await {
        let mut batch = Batch::default();
        batch.add(first);
        let mut count = 1;
        let mut ended = false;
        while !ended && count < MESSAGES_MAX {
            // Before `open_at` nothing may go out, so there is time to gather; after it, only what waits.
            let next = match messages.next().now_or_never() {
                Some(ready) => ready,
                None if Instant::now() < open_at => match timeout_at(open_at, messages.next()).await {
                    Ok(next) => next,
                    Err(_) => break,
                },
                None => break,
            };
            match next {
                Some(Ok(message)) => batch.add(message),
                _ => ended = true,
            }
            count += 1;
        }
        tokio::time::sleep_until(open_at).await;
        if !send(batch.into_items()) {
            return false;
        }
        open_at = Instant::now() + GAP;
        if ended {
            break;
        }
    }
    true
}

#[derive(Default)]
struct Batch {
    hello: Option<Item>,
    change: Option<(u64, Vec<Value>)>,
    beat: Option<u64>,
}

impl Batch {
    fn add(&mut self, message: Message) {
        match message {
            Message::Hello { position, version, owner } => {
                // Everything before it is of an older connection.
                *self = Batch { hello: Some(Item::Hello { position, version, owner }), ..Batch::default() };
            }
            Message::Change { position, tags } => {
                let tags = match tags {
                    Value::Array(tags) => tags,
                    _ => Vec::new(),
                };
                self.change = Some(match self.change.take() {
                    // "Everything" stays everything, whatever is added to it.
                    Some((_, held)) if held.is_empty() || tags.is_empty() => (position, Vec::new()),
                    Some((_, mut held)) => {
                        for tag in tags {
                            if !held.contains(&tag) {
                                held.push(tag);
                            }
                        }
                        (position, held)
                    }
                    None => (position, tags),
                });
            }
            Message::Beat { position } => self.beat = Some(position),
        }
    }

    fn into_items(self) -> Vec<Item> {
        let change = self.change.map(|(position, tags)| Item::Change { position, tags });
        let beat = self.beat.map(|position| Item::Beat { position });
        self.hello.into_iter().chain(change).chain(beat).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures::stream;
    use serde_json::json;
    use std::cell::RefCell;

    fn change(position: u64, tags: Value) -> Message {
        Message::Change { position, tags }
    }

    async fn batches(messages: Vec<Message>) -> Vec<Vec<Item>> {
        let sent = RefCell::new(Vec::new());
        let messages = stream::iter(messages.into_iter().map(Ok::<_, ()>));
        let listening = pump(messages, |batch| {
            sent.borrow_mut().push(batch);
            true
        })
        .await;
        assert!(listening);
        sent.into_inner()
    }

    #[tokio::test]
    async fn what_is_queued_goes_out_as_one_batch_with_each_tag_once() {
        let sent = batches(vec![
            change(1, json!(["a"])),
            Message::Beat { position: 1 },
            change(2, json!(["b", "a"])),
            change(3, json!(["c"])),
        ])
        .await;
        let tags = vec![json!("a"), json!("b"), json!("c")];
        assert_eq!(sent, [vec![Item::Change { position: 3, tags }, Item::Beat { position: 1 }]]);
    }

    #[tokio::test]
    async fn refetch_everything_is_not_lost_in_a_batch() {
        let sent =
            batches(vec![change(1, json!(["a"])), change(2, json!([])), change(3, json!(["b"]))]).await;
        assert_eq!(sent, [vec![Item::Change { position: 3, tags: vec![] }]]);
    }

    #[tokio::test]
    async fn a_hello_ends_what_came_before_it() {
        let hello = Message::Hello { position: 9, version: "1".into(), owner: "o".into() };
        let sent = batches(vec![change(1, json!(["a"])), hello, change(10, json!(["b"]))]).await;
        assert_eq!(sent.len(), 1);
        assert!(matches!(sent[0][..], [Item::Hello { .. }, Item::Change { position: 10, .. }]));
    }

    #[tokio::test(start_paused = true)]
    async fn a_flood_is_sent_no_more_often_than_the_gap_and_a_quiet_feed_at_once() {
        let start = Instant::now();
        let messages = Box::pin(stream::unfold(0_u64, |position| async move {
            // A thousand commits, one a millisecond; the first after a quiet second.
            let wait = if position == 0 { 1_000 } else { 1 };
            tokio::time::sleep(Duration::from_millis(wait)).await;
            (position < 1_000).then(|| (Ok::<_, ()>(change(position, json!([position]))), position + 1))
        }));
        let sent = RefCell::new(Vec::new());
        pump(messages, |batch| {
            sent.borrow_mut().push((start.elapsed().as_millis(), batch));
            true
        })
        .await;
        let sent = sent.into_inner();
        assert_eq!(sent[0].0, 1_000, "a quiet feed does not wait");
        assert!(sent.windows(2).all(|pair| pair[1].0 - pair[0].0 >= GAP.as_millis()));
        let tags: usize = sent.iter().map(|(_, batch)| matches_tags(batch)).sum();
        assert_eq!(tags, 1_000, "nothing is lost");
    }

    fn matches_tags(batch: &[Item]) -> usize {
        match batch {
            [Item::Change { tags, .. }] => tags.len(),
            other => panic!("{other:?}"),
        }
    }

    #[tokio::test]
    async fn it_ends_when_nobody_listens() {
        let messages = stream::repeat_with(|| Ok::<_, ()>(Message::Beat { position: 0 }));
        assert!(!pump(messages, |_| false).await);
    }

    #[test]
    fn the_page_sees_a_type_and_its_fields() {
        let text = serde_json::to_value([Item::Beat { position: 7 }, Item::Lost]).unwrap();
        assert_eq!(text, json!([{ "type": "beat", "position": 7 }, { "type": "lost" }]));
    }
}
