//! Runs that are watched from outside: what their transcripts tell goes into ledgers of their own. They
//! touch no task; the same told again, by the same file or another source, is told once.

mod project;
mod record;

pub(crate) use record::{Teller, record};

use domain::RunId;
use domain::ledger::Hash;

/// The run of an agent's session: the same for whoever tells of it.
pub(crate) fn run_id(agent: &str, session: &str) -> RunId {
    let hash = Hash::of(format!("tallyboard/observed/v1\n{agent}\n{session}").as_bytes());
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&hash.0[..16]);
    RunId(uuid::Builder::from_custom_bytes(bytes).into_uuid())
}
