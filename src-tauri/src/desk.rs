//! The window's end of the boundary: keeps a [`Backend`] under it for as long as the window is
//! open, and puts another one there when an owner it was attached to goes away.

use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt;
use serde_json::Value;
use tauri::async_runtime::{self, JoinHandle};
use tokio::sync::{Notify, watch};
use tools::{Answer, Code, Refusal};

use crate::backend::{Backend, Local, Place, Trouble};
use crate::feed::{self, Item};

/// How long a view or a call waits for a store that is just being opened or taken over.
const READY_WAIT: Duration = Duration::from_secs(5);

/// A store that could not be opened is tried again: the disk may be free, the other program ended.
const REOPEN_EACH: Duration = Duration::from_secs(2);

/// A feed that ended is asked for again.
const FEED_RETRY: Duration = Duration::from_millis(100);

/// Closing a store takes milliseconds; a window that will not go away is worse than a WAL left behind.
const CLOSE_WAIT: Duration = Duration::from_secs(4);

#[derive(Debug, Clone)]
enum State {
    Opening,
    Ready(Backend),
    Failed(Refusal),
}

#[derive(Debug)]
pub(crate) struct Desk {
    state: watch::Receiver<State>,
    closing: Arc<Notify>,
    supervisor: parking_lot::Mutex<Option<JoinHandle<()>>>,
    /// One page, one feed: a reloaded page replaces the feed of the one before.
    follower: parking_lot::Mutex<Option<JoinHandle<()>>>,
}

impl Desk {
    /// Begins to open the store; does not wait for it.
    pub(crate) fn open(place: Place) -> Desk {
        let (sender, state) = watch::channel(State::Opening);
        let closing = Arc::new(Notify::new());
        let supervisor = async_runtime::spawn(supervise(place, sender, Arc::clone(&closing)));
        Desk {
            state,
            closing,
            supervisor: parking_lot::Mutex::new(Some(supervisor)),
            follower: parking_lot::Mutex::new(None),
        }
    }

    /// A view changes nothing, so it is asked again of whoever owns the store next.
    pub(crate) async fn view(&self, name: &str, params: Value) -> Result<Value, Refusal> {
        match self.backend().await?.view(name, params.clone()).await {
            Err(Trouble::Lost(_)) => {
                tokio::time::sleep(FEED_RETRY).await;
                self.backend().await?.view(name, params).await.map_err(Trouble::into_refusal)
            }
            answer => answer.map_err(Trouble::into_refusal),
        }
    }

    pub(crate) async fn bytes(&self, name: &str, params: Value) -> Result<Vec<u8>, Refusal> {
        match self.backend().await?.bytes(name, params.clone()).await {
            Err(Trouble::Lost(_)) => {
                tokio::time::sleep(FEED_RETRY).await;
                self.backend().await?.bytes(name, params).await.map_err(Trouble::into_refusal)
            }
            answer => answer.map_err(Trouble::into_refusal),
        }
    }

    pub(crate) async fn call(
        &self,
        project: Option<String>,
        tool: &str,
        arguments: Value,
        at: Option<u64>,
    ) -> Result<Answer, Refusal> {
        self.backend().await?.call(project, tool, arguments, at).await.map_err(Trouble::into_refusal)
    }

    /// Sends the change feed to `send` until it says that nobody listens, or the next page follows.
    pub(crate) fn follow(&self, send: impl Fn(Vec<Item>) -> bool + Send + Sync + 'static) {
        let task = async_runtime::spawn(follow(self.state.clone(), send));
        if let Some(before) = self.follower.lock().replace(task) {
            before.abort();
        }
    }

    /// Ends what this process owns. Blocks; called once, when the window is gone.
    pub(crate) fn close(&self) {
        self.closing.notify_one();
        let Some(supervisor) = self.supervisor.lock().take() else { return };
        let ended = async_runtime::block_on(async { tokio::time::timeout(CLOSE_WAIT, supervisor).await });
        if ended.is_err() {
            tracing::error!("the store was not closed in time");
        }
    }

    async fn backend(&self) -> Result<Backend, Refusal> {
        let mut state = self.state.clone();
        let known = state.wait_for(|state| !matches!(state, State::Opening));
        let Ok(Ok(known)) = tokio::time::timeout(READY_WAIT, known).await else { return Err(not_yet()) };
        match &*known {
            State::Ready(backend) => Ok(backend.clone()),
            State::Failed(refusal) => Err(refusal.clone()),
            State::Opening => Err(not_yet()),
        }
    }
}

fn not_yet() -> Refusal {
    Refusal::new(Code::StoreUnavailable, "the store is still being opened").issue(
        "",
        "nothing could be read or written yet",
        Value::Null,
        "an open store",
        "wait a moment; the window goes on by itself",
    )
}

async fn supervise(place: Place, state: watch::Sender<State>, closing: Arc<Notify>) {
    loop {
        let opened = tokio::select! {
            opened = Backend::open(&place) => opened,
            () = closing.notified() => return,
        };
        match opened {
            Ok(backend) => {
                state.send_replace(State::Ready(backend.clone()));
                match backend {
                    Backend::Local(local) => return own(&local, &closing).await,
                    Backend::Attached(_) => tokio::select! {
                        () = gone(&backend) => {}
                        () = closing.notified() => return,
                    },
                }
                tracing::info!("the owner of the store went away");
                state.send_replace(State::Opening);
            }
            Err(refusal) => {
                // Tried each two seconds; said once.
                if !matches!(&*state.borrow(), State::Failed(known) if known == &refusal) {
                    tracing::error!(why = refusal.message, "no store");
                }
                state.send_replace(State::Failed(refusal));
                tokio::select! {
                    () = tokio::time::sleep(REOPEN_EACH) => {}
                    () = closing.notified() => return,
                }
            }
        }
    }
}

async fn own(local: &Local, closing: &Notify) {
    closing.notified().await;
    local.end().await;
}

/// Returns when the owner no longer answers.
async fn gone(backend: &Backend) {
    tracing::info!("attached to the owner of the store");
    if let Ok(mut messages) = backend.feed().await {
        while let Some(Ok(_)) = messages.next().await {}
    }
}

async fn follow(mut state: watch::Receiver<State>, send: impl Fn(Vec<Item>) -> bool) {
    loop {
        let backend = match state.wait_for(|state| matches!(state, State::Ready(_))).await.as_deref() {
            Ok(State::Ready(backend)) => backend.clone(),
            // The supervisor ended: the window is closing.
            _ => return,
        };
        if let Ok(messages) = backend.feed().await
            && !(feed::pump(messages, &send).await && send(vec![Item::Lost]))
        {
            return;
        }
        tokio::time::sleep(FEED_RETRY).await;
    }
}
