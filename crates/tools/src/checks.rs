//! Checks of ledgers: each runs on a thread of its own, says how far it is, and can be stopped.

use crate::host::Host;
use crate::witness::{Signed, signed};
use crate::{Change, Tag};
use domain::ledger::{Checkpoint, Hash, Report, Verifier, parse_body};
use domain::{RunId, Seq, Timestamp};
use parking_lot::Mutex;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};
use store::table::check::CheckRow;
use store::{Reader, StoreError};

/// Screens are told of progress this often.
const TOLD_EACH: Duration = Duration::from_millis(150);
/// Between two looks at the clock and the stop flag.
const LOOK_EACH: u64 = 4_096;

#[derive(Debug, Default)]
pub(crate) struct Checks {
    of_run: Mutex<HashMap<RunId, Arc<Check>>>,
}

/// One check, under way or done.
#[derive(Debug)]
pub(crate) struct Check {
    pub done: AtomicU64,
    pub of: u64,
    pub started: Instant,
    stop: AtomicBool,
    outcome: Mutex<Option<Outcome>>,
}

#[derive(Debug, Clone)]
pub(crate) enum Outcome {
    Stopped,
    Failed(StoreError),
    Done(Box<Found>),
}

#[derive(Debug, Clone)]
pub(crate) struct Found {
    pub report: Report,
    pub at: Timestamp,
}

impl Check {
    pub(crate) fn outcome(&self) -> Option<Outcome> {
        self.outcome.lock().clone()
    }

    pub(crate) fn stop(&self) {
        self.stop.store(true, Ordering::Release);
    }
}

impl Checks {
    pub(crate) fn get(&self, run: RunId) -> Option<Arc<Check>> {
        self.of_run.lock().get(&run).cloned()
    }
}

/// Starts a check of the whole run, or goes on behind what an earlier one found sound.
pub(crate) fn start(host: &Host, run: RunId, of: u64, behind: Option<(Seq, Hash)>) -> Arc<Check> {
    let check = Arc::new(Check {
        done: AtomicU64::new(behind.map_or(0, |(seq, _)| seq.0)),
        of,
        started: Instant::now(),
        stop: AtomicBool::new(false),
        outcome: Mutex::new(None),
    });
    if let Some(before) = host.checks().of_run.lock().insert(run, Arc::clone(&check)) {
        before.stop();
    }
    let (host, work) = (host.clone(), Arc::clone(&check));
    let spawned = std::thread::Builder::new().name("verify".into()).spawn(move || {
        let outcome = match perform(&host, run, behind, &work) {
            Ok(Some(report)) => {
                let at = host.now();
                keep(&host, run, &report, at);
                Outcome::Done(Box::new(Found { report, at }))
            }
            Ok(None) => Outcome::Stopped,
            Err(error) => Outcome::Failed(error),
        };
        *work.outcome.lock() = Some(outcome);
        tell(&host, run);
    });
    if let Err(error) = spawned {
        *check.outcome.lock() = Some(Outcome::Failed(StoreError::internal(error)));
    }
    check
}

fn tell(host: &Host, run: RunId) {
    let tags = vec![Tag::Verify { run: run.to_string() }];
    host.tell(Change { position: host.position(), tags });
}

/// Keeps the verdict, for the mark in lists.
fn keep(host: &Host, run: RunId, report: &Report, at: Timestamp) {
    let row =
        CheckRow { seq: Seq(report.last_seq), ok: report.ok, first_bad: report.first_bad_seq.map(Seq), at };
    host.store().write_later(
        move |tx| match tx.run_handle(run)? {
            Some(run) => tx.check_put(&run, row),
            None => Ok(()),
        },
        |result| {
            if let Err(error) = result {
                tracing::warn!(%error, "the verdict on a run could not be kept");
            }
        },
    );
}

/// `None`: it was stopped.
fn perform(
    host: &Host,
    run: RunId,
    behind: Option<(Seq, Hash)>,
    check: &Check,
) -> Result<Option<Report>, StoreError> {
    let all: Vec<Signed> = checkpoints(host, run)?.iter().map(|kept| kept.mark).collect();
    let told = Mutex::new(Instant::now());
    let progress = |done: u64| {
        check.done.store(done, Ordering::Relaxed);
        let mut told = told.lock();
        if told.elapsed() >= TOLD_EACH {
            *told = Instant::now();
            tell(host, run);
        }
        !check.stop.load(Ordering::Acquire)
    };
    let read = |marks: &[Checkpoint], behind: Option<(Seq, Hash)>| {
        host.store().read(|reader| verify(reader, run, marks, behind, &progress))
    };
    // A signature costs more to check than thousands of events. So all marks are compared first, whoever
    // made them: an old copy that went on differs from some of them. In a sound chain the newest good
    // signature vouches for all before it; only otherwise is every one of them tried.
    let marks: Vec<_> = all.iter().map(|(mark, _)| *mark).collect();
    match read(&marks, behind)? {
        Some(report) if !(report.ok && covers(host, &all, report.covered_to)) => {
            let marks = believed(host, all.iter());
            read(&marks, None)
        }
        other => Ok(other),
    }
}

/// Did our key sign a mark at that seq?
fn covers(host: &Host, all: &[Signed], seq: u64) -> bool {
    seq == 0 || !believed(host, all.iter().filter(|(mark, _)| mark.seq.0 == seq)).is_empty()
}

/// A checkpoint, and in which of the two places it is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Kept {
    pub mark: Signed,
    pub in_store: bool,
    pub outside: bool,
}

/// Every checkpoint of the run, from both places, each once, in the order of the seq.
pub(crate) fn checkpoints(host: &Host, run: RunId) -> Result<Vec<Kept>, StoreError> {
    let stored = host.store().read(|reader| reader.checkpoint_list(run))?;
    let stored: HashSet<Signed> = stored.iter().map(signed).collect();
    let outside: HashSet<Signed> = host.witness().outside(run).into_iter().collect();
    let kept = |mark: &Signed| Kept {
        mark: *mark,
        in_store: stored.contains(mark),
        outside: outside.contains(mark),
    };
    let mut all: Vec<Kept> = stored.union(&outside).map(kept).collect();
    all.sort_by_key(|kept| kept.mark.0.seq);
    Ok(all)
}

/// Those that our key signed.
fn believed<'a>(host: &Host, marks: impl Iterator<Item = &'a Signed>) -> Vec<Checkpoint> {
    let Some(key) = host.witness().public() else { return Vec::new() };
    marks.filter(|(mark, sig)| mark.is_signed(&key, sig)).map(|(mark, _)| *mark).collect()
}

/// Checks the stored events of a run. `progress` is told how many were read, and says whether to go on.
pub(crate) fn verify(
    reader: &Reader<'_>,
    run: RunId,
    marks: &[Checkpoint],
    behind: Option<(Seq, Hash)>,
    progress: &dyn Fn(u64) -> bool,
) -> Result<Option<Report>, StoreError> {
    let mut verifier = Verifier::new(Some(run), marks);
    if let Some((seq, hash)) = behind {
        verifier = verifier.behind(seq, hash);
    }
    let mut stopped = false;
    reader.event_bytes_each(run, behind.map_or(Seq(1), |(seq, _)| seq.next()), |seq, _, body, hash| {
        match parse_body(body.as_bytes(), hash) {
            Ok(parsed) => verifier.event(None, &parsed),
            Err(why) => verifier.unreadable(seq.0, &why, false),
        }
        stopped = verifier.events().is_multiple_of(LOOK_EACH) && !progress(verifier.events());
        !stopped
    })?;
    if stopped {
        return Ok(None);
    }
    let known = reader.run_get(run)?.map_or(0, |row| row.events.0);
    Ok(Some(verifier.ends_at(known).finish()))
}
