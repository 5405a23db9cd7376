//! Copying the write-ahead log back into the database, on a thread and a connection of its own.
//!
//! SQLite does this inside a commit by default, so that every few hundred calls one waits ten
//! times as long. A passive checkpoint beside the writer makes nobody wait.

use parking_lot::Mutex;
use rusqlite::Connection;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;
use std::time::Duration;

/// A commit writes about six pages, so this is SQLite's own measure of a thousand pages.
const COMMITS: u32 = 160;

/// So long a restart of the log waits for readers; it keeps the writer waiting meanwhile.
const RESTART_WAIT: Duration = Duration::from_millis(50);

#[derive(Debug)]
pub(crate) struct Checkpointer {
    wake: Mutex<Option<SyncSender<()>>>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl Checkpointer {
    pub(crate) fn start(conn: Connection) -> Result<Checkpointer, std::io::Error> {
        let (wake, woken) = sync_channel(1);
        let thread =
            std::thread::Builder::new().name("store-checkpoint".into()).spawn(move || run(&conn, &woken))?;
        Ok(Checkpointer { wake: Mutex::new(Some(wake)), thread: Mutex::new(Some(thread)) })
    }

    /// Tells of the nth commit.
    pub(crate) fn committed(&self, n: u32) {
        if n.is_multiple_of(COMMITS)
            && let Some(wake) = &*self.wake.lock()
        {
            // One that is still at work needs no second call.
            let _ = wake.try_send(());
        }
    }

    pub(crate) fn stop(&self) {
        self.wake.lock().take();
        if let Some(thread) = self.thread.lock().take()
            && thread.join().is_err()
        {
            tracing::error!("the checkpoint thread had panicked");
        }
    }
}

impl Drop for Checkpointer {
    fn drop(&mut self) {
        self.stop();
    }
}

fn run(conn: &Connection, woken: &Receiver<()>) {
    if let Err(error) = conn.busy_timeout(RESTART_WAIT) {
        tracing::warn!(%error, "the wait of a checkpoint could not be set");
    }
    while woken.recv().is_ok() {
        // Nearly all is copied while the writer goes on. The restart copies what came meanwhile and lets
        // the log begin anew: a log that only grows makes every flush pay for the file's new size.
        let result = checkpoint(conn, "PASSIVE").and_then(|()| checkpoint(conn, "RESTART"));
        if let Err(error) = result {
            tracing::warn!(%error, "the write-ahead log could not be copied back; it grows until the next try");
        }
    }
}

/// A restart that had to give way to a reader is tried again next time.
fn checkpoint(conn: &Connection, mode: &str) -> Result<(), rusqlite::Error> {
    conn.query_row(&format!("PRAGMA wal_checkpoint({mode})"), [], |_| Ok(()))
}
