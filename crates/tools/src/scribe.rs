//! What is done beside the calls, on a thread of its own: sealing timelines, keeping boards, signing
//! what was not signed for a minute, copying signatures out of the store, and closing runs that
//! nobody will close.

use crate::sources::Sources;
use crate::witness::Witness;
use crate::{replay, timeline};
use domain::event::RunEnded;
use domain::{EndReason, ProjectId, RunId, Source, Timestamp};
use parking_lot::Mutex;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use store::{Store, StoreError, Touched};

/// No more rounds than this; what commits tell meanwhile is taken together.
const ROUND_GAP: Duration = Duration::from_millis(250);
/// How often the clock is looked at.
const SWEEP: Duration = Duration::from_secs(10);
/// No event stays unsigned longer than this, give or take a sweep.
const UNSIGNED_MS_MAX: i64 = 60_000;
/// A session without an event for so long has no client any more.
const SILENT_MS: i64 = 60 * 60 * 1_000;
/// A person who did nothing for so long has left.
const SITTING_MS: i64 = 30 * 60 * 1_000;
/// So many sealed parts or kept boards are made between two looks at what else there is to do.
const AT_ONCE: usize = 64;

/// What commits made necessary. Filled on the writer's thread, so it only counts.
#[derive(Debug, Default)]
struct Told {
    runs: HashMap<RunId, u64>,
    boards: HashMap<ProjectId, u64>,
}

#[derive(Debug)]
pub(crate) struct Scribe {
    told: Arc<Mutex<Told>>,
    wake: Mutex<Option<SyncSender<()>>>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

/// The writer's side: counts what was committed and wakes the scribe.
#[derive(Debug, Clone)]
pub(crate) struct Bell {
    told: Arc<Mutex<Told>>,
    wake: SyncSender<()>,
}

impl Bell {
    pub(crate) fn committed(&self, touched: &[Touched]) {
        let mut told = self.told.lock();
        for touch in touched {
            *told.runs.entry(touch.run).or_default() += 1;
            *told.boards.entry(touch.project).or_default() += 1;
        }
        drop(told);
        // A scribe that was called already needs no second call.
        let _ = self.wake.try_send(());
    }
}

/// Made before the store is open, because the store tells of its commits from the start.
pub(crate) fn bell() -> (Bell, Receiver<()>) {
    let (wake, woken) = sync_channel(1);
    (Bell { told: Arc::default(), wake }, woken)
}

impl Scribe {
    pub(crate) fn start(
        store: Store,
        sources: Sources,
        witness: Arc<Witness>,
        bell: &Bell,
        woken: Receiver<()>,
    ) -> Result<Scribe, std::io::Error> {
        let told = Arc::clone(&bell.told);
        let work = Work { store, sources, witness, told: Arc::clone(&told), pending: Pending::default() };
        let thread = std::thread::Builder::new().name("scribe".into()).spawn(move || work.run(&woken))?;
        Ok(Scribe { told, wake: Mutex::new(Some(bell.wake.clone())), thread: Mutex::new(Some(thread)) })
    }

    /// Signs and copies what is left, then ends the thread.
    pub(crate) fn stop(&self) {
        let Some(wake) = self.wake.lock().take() else { return };
        self.told.lock().runs.insert(STOP, u64::MAX);
        // It is awake, or this wakes it.
        let _ = wake.try_send(());
        if let Some(thread) = self.thread.lock().take()
            && thread.join().is_err()
        {
            tracing::error!("the scribe's thread had panicked");
        }
    }
}

impl Drop for Scribe {
    fn drop(&mut self) {
        self.stop();
    }
}

/// No run has this id; it stands for the end among what was told.
const STOP: RunId = RunId(uuid::Uuid::nil());

/// What was told and is not done yet.
#[derive(Debug, Default)]
struct Pending {
    runs: HashMap<RunId, u64>,
    boards: HashMap<ProjectId, u64>,
    unsealed: HashSet<RunId>,
    unkept: HashSet<ProjectId>,
}

struct Work {
    store: Store,
    sources: Sources,
    witness: Arc<Witness>,
    told: Arc<Mutex<Told>>,
    pending: Pending,
}

impl Work {
    fn run(mut self, woken: &Receiver<()>) {
        if let Err(error) = self.first_look() {
            tracing::warn!(%error, "what was left undone by the last owner could not be read");
        }
        let mut swept = Instant::now();
        loop {
            let busy = self.round();
            if swept.elapsed() >= SWEEP {
                swept = Instant::now();
                self.sweep();
            }
            if self.take_told() {
                self.finish();
                return;
            }
            let wait = if busy { Duration::ZERO } else { SWEEP.saturating_sub(swept.elapsed()) };
            match woken.recv_timeout(wait) {
                // What else is committed in this moment is done in the same round.
                Ok(()) => std::thread::sleep(if self.stopping() { Duration::ZERO } else { ROUND_GAP }),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return,
            }
        }
    }

    fn stopping(&self) -> bool {
        self.told.lock().runs.contains_key(&STOP)
    }

    fn first_look(&mut self) -> Result<(), StoreError> {
        let (runs, boards) = self.store.read(|reader| {
            Ok((reader.segment_wanted(timeline::SEGMENT)?, reader.keyframe_wanted(replay::KEYFRAME_EVENTS)?))
        })?;
        self.pending.unsealed.extend(runs);
        self.pending.unkept.extend(boards);
        Ok(())
    }

    /// Adds what was told since. True: it is time to end.
    fn take_told(&mut self) -> bool {
        let Told { runs, boards } = std::mem::take(&mut *self.told.lock());
        let stop = runs.contains_key(&STOP);
        for (run, events) in runs {
            let sum = self.pending.runs.entry(run).or_default();
            *sum = sum.saturating_add(events);
            // The count began somewhere within a part, so half a part may complete one.
            if *sum >= timeline::SEGMENT / 2 && run != STOP {
                *sum = 0;
                self.pending.unsealed.insert(run);
            }
        }
        for (board, events) in boards {
            let sum = self.pending.boards.entry(board).or_default();
            *sum += events;
            if *sum >= replay::KEYFRAME_EVENTS / 2 {
                *sum = 0;
                self.pending.unkept.insert(board);
            }
        }
        stop
    }

    /// Does a piece of what is there to do. True: there is more.
    fn round(&mut self) -> bool {
        if self.store.read_only().is_some() {
            return false;
        }
        if let Err(error) = self.witness.copy_out(&self.store) {
            tracing::warn!(%error, "checkpoints could not be written to their second place");
        }
        if let Some(&run) = self.pending.unsealed.iter().next() {
            match self.seal(run) {
                Ok(true) => return true,
                Ok(false) => {}
                Err(error) => tracing::warn!(%error, %run, "a timeline could not be sealed"),
            }
            self.pending.unsealed.remove(&run);
        }
        if let Some(&project) = self.pending.unkept.iter().next() {
            match self.keep(project) {
                Ok(true) => return true,
                Ok(false) => {}
                Err(error) => tracing::warn!(%error, %project, "a board could not be kept"),
            }
            self.pending.unkept.remove(&project);
        }
        !self.pending.unsealed.is_empty() || !self.pending.unkept.is_empty()
    }

    /// True: there may be more of this run.
    fn seal(&self, run: RunId) -> Result<bool, StoreError> {
        let sealed = self.store.read(|reader| timeline::unsealed(reader, run, AT_ONCE))?;
        let more = sealed.len() == AT_ONCE;
        if !sealed.is_empty() {
            self.store.write_wait(move |tx| {
                let Some(run) = tx.run_handle(run)? else { return Ok(()) };
                sealed.iter().try_for_each(|segment| tx.segment_put(&run, segment))
            })?;
        }
        Ok(more)
    }

    fn keep(&self, project: ProjectId) -> Result<bool, StoreError> {
        let kept = self.store.read(|reader| replay::unkept(reader, project, AT_ONCE))?;
        let more = kept.len() == AT_ONCE;
        if !kept.is_empty() {
            self.store.write_wait(move |tx| {
                kept.iter().try_for_each(|(project, keyframe)| tx.keyframe_put(project, keyframe))
            })?;
        }
        Ok(more)
    }

    fn sweep(&self) {
        let now = (self.sources.now)();
        let result = self.sign(before(now, UNSIGNED_MS_MAX)).and_then(|()| self.close_silent(now));
        if let Err(error) = result {
            tracing::warn!(%error, "runs could not be looked after");
        }
    }

    /// Signs every run with an event at or before `before` that no signature covers.
    fn sign(&self, before: Timestamp) -> Result<(), StoreError> {
        let runs = self.store.read(|reader| reader.checkpoint_wanted(before))?;
        if runs.is_empty() || !self.witness.can_sign() {
            return Ok(());
        }
        let now = (self.sources.now)();
        self.store.write_wait(move |tx| {
            for run in runs {
                if let Some(run) = tx.run_handle(run)? {
                    tx.checkpoint(&run, now)?;
                }
            }
            Ok(())
        })
    }

    fn close_silent(&self, now: Timestamp) -> Result<(), StoreError> {
        let silent = [
            (Source::Session, SILENT_MS, EndReason::Interrupted, "no call came for an hour"),
            (Source::Meta, SILENT_MS, EndReason::Interrupted, "no call came for an hour"),
            (Source::Transcript, SILENT_MS, EndReason::Completed, "nothing was written for an hour"),
            (Source::Window, SITTING_MS, EndReason::Completed, "nothing was done for half an hour"),
            (Source::Browser, SITTING_MS, EndReason::Completed, "nothing was done for half an hour"),
            (Source::Cli, SITTING_MS, EndReason::Completed, "nothing was done for half an hour"),
        ];
        for (source, ms, reason, note) in silent {
            close(&self.store, source, before(now, ms), now, reason, note)?;
        }
        Ok(())
    }

    fn finish(&self) {
        if self.store.read_only().is_some() {
            return;
        }
        let result =
            self.sign(Timestamp::from_unix_ms(i64::MAX)).and_then(|()| self.witness.copy_out(&self.store));
        if let Err(error) = result {
            tracing::warn!(%error, "the last events could not be signed");
        }
    }
}

fn before(now: Timestamp, ms: i64) -> Timestamp {
    Timestamp::from_unix_ms(now.unix_ms() - ms)
}

/// Ends the open runs of one source that were last heard of at or before `before`.
pub(crate) fn close(
    store: &Store,
    source: Source,
    before: Timestamp,
    now: Timestamp,
    reason: EndReason,
    note: &'static str,
) -> Result<(), StoreError> {
    if store.read(|reader| reader.run_silent(source, before))?.is_empty() {
        return Ok(());
    }
    store.write_wait(move |tx| {
        for mut run in tx.run_silent(source, before)? {
            tx.append(&mut run, now, &RunEnded::because(reason, note).into())?;
        }
        Ok(())
    })
}
