//! The one writer: jobs that wait are committed together, each in a savepoint of its own, and are
//! answered only after the commit.

use crate::checkpoint::Checkpointer;
use crate::open::{OnCommit, Sign};
use crate::{Kind, StoreError, Tx};
use parking_lot::{Mutex, RwLock};
use rusqlite::Connection;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// The most jobs in one commit. A job writes about 1 kB, so this stays far under SQLite's cache.
const BATCH_MAX: usize = 256;

/// A batch waits for the callers that were just answered, as long as they keep coming back: no gap
/// longer than this, and in all no longer than half a commit takes. A caller that misses a commit
/// waits for a whole one, so the pause pays; a lone caller never waits.
const GAP: Duration = Duration::from_micros(500);
const GATHER_MAX: Duration = Duration::from_millis(3);

type ReadOnly = Arc<RwLock<Option<StoreError>>>;

trait Job: Send {
    fn run(&mut self, tx: &mut Tx<'_>) -> Result<(), StoreError>;
    fn finish(self: Box<Self>, committed: Result<(), StoreError>);
    /// Somebody waits for it, and may come back with the next.
    fn awaited(&self) -> bool;
}

struct Work<T, J, D> {
    job: Option<J>,
    done: D,
    result: Option<T>,
    awaited: bool,
}

impl<T, J, D> Job for Work<T, J, D>
where
    T: Send,
    J: FnOnce(&mut Tx<'_>) -> Result<T, StoreError> + Send,
    D: FnOnce(Result<T, StoreError>) + Send,
{
    fn run(&mut self, tx: &mut Tx<'_>) -> Result<(), StoreError> {
        let job = self.job.take().ok_or_else(|| StoreError::internal("a job ran twice"))?;
        self.result = Some(job(tx)?);
        Ok(())
    }

    fn finish(self: Box<Self>, committed: Result<(), StoreError>) {
        let result = self.result.ok_or_else(|| StoreError::internal("a job did not run"));
        (self.done)(committed.and(result));
    }

    fn awaited(&self) -> bool {
        self.awaited
    }
}

enum Message {
    Job(Box<dyn Job>),
    Stop,
}

#[derive(Debug)]
pub(crate) struct Writer {
    queue: Sender<Message>,
    /// Jobs that were handed in and not taken up yet.
    waiting: Arc<AtomicUsize>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl Writer {
    /// Without a connection every job is told why.
    pub(crate) fn start(
        connected: Option<(Connection, Checkpointer)>,
        read_only: ReadOnly,
        on_commit: OnCommit,
        sign: Option<Sign>,
    ) -> Result<Writer, std::io::Error> {
        let (queue, jobs) = channel();
        let waiting = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&waiting);
        let thread =
            std::thread::Builder::new().name("store-writer".into()).spawn(move || match connected {
                Some((conn, checkpointer)) => {
                    let (expected, took) = (1, Duration::ZERO);
                    Loop {
                        conn,
                        checkpointer,
                        jobs,
                        waiting: counted,
                        read_only,
                        on_commit,
                        sign,
                        expected,
                        took,
                        commits: 0,
                    }
                    .run();
                }
                None => refuse_all(&jobs, &read_only),
            })?;
        Ok(Writer { queue, waiting, thread: Mutex::new(Some(thread)) })
    }

    pub(crate) fn submit<T: Send + 'static>(
        &self,
        job: impl FnOnce(&mut Tx<'_>) -> Result<T, StoreError> + Send + 'static,
        done: impl FnOnce(Result<T, StoreError>) + Send + 'static,
        awaited: bool,
    ) {
        let work = Box::new(Work { job: Some(job), done, result: None, awaited });
        self.waiting.fetch_add(1, Ordering::AcqRel);
        if let Err(unsent) = self.queue.send(Message::Job(work))
            && let Message::Job(job) = unsent.0
        {
            job.finish(Err(StoreError::closed()));
        }
    }

    pub(crate) fn stop(&self) {
        let Some(thread) = self.thread.lock().take() else { return };
        // A queue that is gone means the thread has ended already.
        let _ = self.queue.send(Message::Stop);
        if thread.join().is_err() {
            tracing::error!("the writer's thread had panicked");
        }
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.stop();
    }
}

fn refuse_all(jobs: &Receiver<Message>, read_only: &ReadOnly) {
    while let Ok(Message::Job(job)) = jobs.recv() {
        let why = read_only.read().clone().unwrap_or_else(StoreError::closed);
        job.finish(Err(why));
    }
}

struct Loop {
    conn: Connection,
    checkpointer: Checkpointer,
    jobs: Receiver<Message>,
    read_only: ReadOnly,
    on_commit: OnCommit,
    sign: Option<Sign>,
    waiting: Arc<AtomicUsize>,
    /// How many callers are about: those answered last, and those that waited meanwhile.
    expected: usize,
    /// How long the last commit took.
    took: Duration,
    commits: u32,
}

impl Loop {
    fn run(mut self) {
        loop {
            let Ok(Message::Job(first)) = self.jobs.recv() else { break };
            let (batch, stop) = self.gather(first);
            self.waiting.fetch_sub(batch.len(), Ordering::AcqRel);
            self.commit(batch);
            if stop {
                break;
            }
        }
        // Jobs that came after the stop are told so.
        while let Ok(message) = self.jobs.try_recv() {
            if let Message::Job(job) = message {
                job.finish(Err(StoreError::closed()));
            }
        }
        self.checkpointer.stop();
        if let Err(error) = self.conn.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())) {
            tracing::warn!(%error, "the write-ahead log could not be emptied at the end");
        }
    }

    /// What waits now, and for a moment what is likely to come.
    fn gather(&self, first: Box<dyn Job>) -> (Vec<Box<dyn Job>>, bool) {
        let mut batch = vec![first];
        let deadline = Instant::now() + (self.took / 2).min(GATHER_MAX);
        while batch.len() < BATCH_MAX {
            let message = match self.jobs.try_recv() {
                Ok(message) => message,
                Err(_) if batch.len() < self.expected => {
                    let left = deadline.saturating_duration_since(Instant::now());
                    match self.jobs.recv_timeout(left.min(GAP)) {
                        Ok(message) => message,
                        Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => break,
                    }
                }
                Err(_) => break,
            };
            match message {
                Message::Job(job) => batch.push(job),
                Message::Stop => return (batch, true),
            }
        }
        (batch, false)
    }

    fn commit(&mut self, mut batch: Vec<Box<dyn Job>>) {
        let began = Instant::now();
        let refused = self.read_only.read().clone();
        let outcome = match refused {
            Some(why) => Err(why),
            None => run_batch(&self.conn, self.sign.as_ref(), &mut batch),
        };
        self.took = began.elapsed();
        let awaited = batch.iter().filter(|job| job.awaited()).count();
        self.expected = awaited + self.waiting.load(Ordering::Acquire);
        match outcome {
            Ok((results, touched, position)) => {
                for (job, result) in batch.into_iter().zip(results) {
                    job.finish(result);
                }
                if !touched.is_empty() {
                    (self.on_commit)(position, touched);
                }
                self.commits = self.commits.wrapping_add(1);
                self.checkpointer.committed(self.commits);
            }
            Err(error) => {
                self.recover(&error);
                for job in batch {
                    job.finish(Err(error.clone()));
                }
            }
        }
    }

    fn recover(&mut self, error: &StoreError) {
        if !self.conn.is_autocommit()
            && let Err(stuck) = self.conn.execute_batch("ROLLBACK")
        {
            tracing::error!(%stuck, "a failed transaction could not be rolled back");
        }
        if error.kind == Kind::Corrupt {
            tracing::error!(%error, "the database is damaged: no more writes");
            let message = format!("the database is damaged and is open for reading only: {error}");
            *self.read_only.write() = Some(StoreError { kind: Kind::ReadOnly, message });
        }
    }
}

type Batch = (Vec<Result<(), StoreError>>, Vec<crate::Touched>, domain::Position);

/// Runs every job in its savepoint and commits. An error here means that nothing was committed.
fn run_batch(
    conn: &Connection,
    sign: Option<&Sign>,
    batch: &mut [Box<dyn Job>],
) -> Result<Batch, StoreError> {
    conn.prepare_cached("BEGIN IMMEDIATE")?.execute([])?;
    let mut tx = Tx::new(conn, sign)?;
    let mut results = Vec::with_capacity(batch.len());
    for job in batch {
        conn.prepare_cached("SAVEPOINT job")?.execute([])?;
        let mark = tx.mark();
        let result = catch_unwind(AssertUnwindSafe(|| job.run(&mut tx)))
            .unwrap_or_else(|_| Err(StoreError::internal("the call failed inside the program (a panic)")));
        if let Err(error) = &result {
            // SQLite ends the whole transaction itself on a full disk or an I/O error.
            if conn.is_autocommit() || matches!(error.kind, Kind::Full | Kind::Io | Kind::Corrupt) {
                return Err(error.clone());
            }
            conn.prepare_cached("ROLLBACK TO job")?.execute([])?;
            tx.back_to(mark);
        }
        conn.prepare_cached("RELEASE job")?.execute([])?;
        results.push(result);
    }
    let (position, touched) = tx.into_parts();
    conn.prepare_cached("COMMIT")?.execute([])?;
    Ok((results, touched, position))
}
