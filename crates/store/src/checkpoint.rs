//! Copying the write-ahead log back into the database, on a thread and a connection of its own.
//!
//! SQLite does this inside a commit by default, so that every few hundred calls one waits ten
//! times as long. A passive checkpoint beside the writer makes nobody wait.

use parking_lot::Mutex;
use rusqlite::Connection;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;

/// A commit writes about six pages, so this is SQLite's own measure of a thousand pages.
const COMMITS: u32 = 160;

/// At 64 MB of log (pages of 4 kB) the writer is made to wait until the log starts anew.
const LOG_PAGES_MAX: i64 = 16_384;

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
    while woken.recv().is_ok() {
        let result = checkpoint(conn, "PASSIVE").and_then(|pages| match pages > LOG_PAGES_MAX {
            true => checkpoint(conn, "RESTART"),
            false => Ok(pages),
        });
        if let Err(error) = result {
            tracing::warn!(%error, "the write-ahead log could not be copied back; it grows until the next try");
        }
    }
}

/// Gives the pages that the log holds.
fn checkpoint(conn: &Connection, mode: &str) -> Result<i64, rusqlite::Error> {
    conn.query_row(&format!("PRAGMA wal_checkpoint({mode})"), [], |row| row.get(1))
}
