//! What a reading found → events at the end of their runs' ledgers, in one transaction.

use super::{project, run_id};
use crate::sources::Sources;
use domain::event::{Payload, RunEnded, RunResumed, RunStarted};
use domain::{ActorKind, AgentName, EndReason, RunId, Source, Timestamp};
use std::collections::{BTreeMap, HashMap, HashSet};
use store::{RunHandle, StoreError, Tx};
use transcripts::{Found, Session};

/// A session that wrote nothing for so long is over, as far as anyone can see from outside.
pub(crate) const SILENT_MS: i64 = 5 * 60 * 1_000;

/// Who tells.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Teller {
    /// The format; words told by several of them are told once.
    pub(crate) name: &'static str,
    pub(crate) source: Source,
}

#[derive(Debug, Default)]
pub(crate) struct Recorded {
    /// Runs that were told of, new or not, in the order of their sessions' names.
    pub(crate) runs: Vec<RunHandle>,
    pub(crate) events: u64,
    /// What was known already.
    pub(crate) known: u64,
}

pub(crate) fn record(
    tx: &mut Tx<'_>,
    teller: Teller,
    sessions: &BTreeMap<String, Session>,
    found: Vec<Found>,
    sources: &Sources,
    now: Timestamp,
) -> Result<Recorded, StoreError> {
    let mut writing = Writing { teller, sources, now, runs: HashMap::new() };
    let mut recorded = Recorded::default();
    for one in found {
        let Some(session) = sessions.get(&one.session) else { continue };
        let run = writing.run(tx, &one.session, session, one.at)?;
        let told = tx.seen_first(&run.handle, one.sign.key)?;
        let told = told
            && match one.sign.said {
                Some(words) => tx.said_first(&run.handle, words, teller.name)?,
                None => true,
            };
        if !told {
            recorded.known += 1;
            continue;
        }
        recorded.events += run.append(tx, one.at, &one.payload, now)?;
    }
    let mut runs: Vec<_> = writing.runs.into_iter().collect();
    runs.sort_by(|(one, _), (other, _)| one.cmp(other));
    for (_, mut run) in runs {
        recorded.events += run.close(tx, now)?;
        recorded.runs.push(run.handle);
    }
    Ok(recorded)
}

struct Writing<'a> {
    teller: Teller,
    sources: &'a Sources,
    now: Timestamp,
    runs: HashMap<String, Open>,
}

struct Open {
    handle: RunHandle,
    running: bool,
    last: Timestamp,
    /// Calls that were asked for and have no result.
    waiting: HashSet<String>,
    fresh: u64,
}

impl Writing<'_> {
    fn run(
        &mut self,
        tx: &mut Tx<'_>,
        name: &str,
        session: &Session,
        at: Option<Timestamp>,
    ) -> Result<&mut Open, StoreError> {
        if !self.runs.contains_key(name) {
            let run = self.open(tx, name, session, at)?;
            self.runs.insert(name.to_owned(), run);
        }
        self.runs.get_mut(name).ok_or_else(|| StoreError::internal("a run that was just opened is not there"))
    }

    fn open(
        &self,
        tx: &mut Tx<'_>,
        name: &str,
        session: &Session,
        at: Option<Timestamp>,
    ) -> Result<Open, StoreError> {
        let id = run_id(&session.agent, name);
        let waiting = HashSet::new();
        if let (Some(handle), Some(row)) = (tx.run_handle(id)?, tx.run_get(id)?) {
            let running = row.status == "running";
            return Ok(Open { handle, running, last: row.last_at, waiting, fresh: 0 });
        }
        let project = project::of(tx, session.cwd.as_deref(), self.sources)?;
        let agent = AgentName::lossy(&session.agent);
        let plain = |text: &str, most: usize| {
            text.chars().filter(|ch| !ch.is_control()).take(most).collect::<String>()
        };
        let version = session.version.as_deref().map(|version| plain(version, 64));
        let mut started = RunStarted::new(project, ActorKind::Agent, agent, version, self.teller.source);
        started.parent = session.parent.as_deref().map(|parent| run_id(&session.agent, parent));
        started.title = session.title.as_deref().map(|title| domain::mask::mask(&plain(title, 200)));
        let at = at.unwrap_or(self.now);
        let handle = tx.run_start(id, at, started)?;
        Ok(Open { handle, running: true, last: at, waiting, fresh: 1 })
    }
}

impl Open {
    fn append(
        &mut self,
        tx: &mut Tx<'_>,
        at: Option<Timestamp>,
        payload: &Payload,
        now: Timestamp,
    ) -> Result<u64, StoreError> {
        let mut written = std::mem::take(&mut self.fresh);
        let at = at.unwrap_or(self.last.min(now));
        if !self.running {
            tx.append(&mut self.handle, at, &RunResumed::default().into())?;
            self.running = true;
            written += 1;
        }
        match payload {
            Payload::ModelProposed(event) => self.waiting.extend(event.call.clone()),
            Payload::ToolCalled(event) => self.waiting.extend(event.call.clone()),
            Payload::ToolReturned(event) => forget(&mut self.waiting, event.call.as_ref()),
            Payload::ToolFailed(event) => forget(&mut self.waiting, event.call.as_ref()),
            _ => {}
        }
        tx.append(&mut self.handle, at, payload)?;
        if matches!(payload, Payload::RunEnded(_)) {
            self.running = false;
        }
        self.last = self.last.max(at);
        Ok(written + 1)
    }

    /// A session that fell silent is over: with calls that wait it was interrupted.
    fn close(&mut self, tx: &mut Tx<'_>, now: Timestamp) -> Result<u64, StoreError> {
        let mut written = std::mem::take(&mut self.fresh);
        if self.running && now.unix_ms() - self.last.unix_ms() > SILENT_MS {
            let ended = if self.waiting.is_empty() {
                RunEnded::new(EndReason::Completed)
            } else {
                RunEnded::because(
                    EndReason::Interrupted,
                    &format!("{} calls have no result", self.waiting.len()),
                )
            };
            tx.append(&mut self.handle, self.last, &ended.into())?;
            self.running = false;
            written += 1;
        }
        Ok(written)
    }
}

fn forget(waiting: &mut HashSet<String>, call: Option<&String>) {
    if let Some(call) = call {
        waiting.remove(call);
    }
}

impl Recorded {
    pub(crate) fn ids(&self) -> Vec<RunId> {
        self.runs.iter().map(|run| run.id).collect()
    }
}
