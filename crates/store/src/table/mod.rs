//! One file a table: its questions (on [`crate::Reader`]) and its own writes (on [`crate::Tx`]).
//! The views are written by events only, so most tables have questions alone.

pub mod answer;
pub mod body;
pub mod chain;
pub mod check;
pub mod checkpoint;
pub mod event;
pub mod file;
pub mod import;
pub mod keyframe;
pub mod policy;
pub mod project;
pub mod run;
pub mod seen;
pub mod segment;
pub mod task;

use domain::ledger::Hash;
use domain::{AgentName, RunId, Timestamp};
use rusqlite::types::Type;
use uuid::Uuid;

/// Reads a value that a CHECK or our own code has already vouched for.
pub(crate) fn known<T>(column: usize, value: Option<T>) -> rusqlite::Result<T> {
    let foreign =
        || rusqlite::Error::FromSqlConversionFailure(column, Type::Text, "not a known value".into());
    value.ok_or_else(foreign)
}

fn run_id(row: &rusqlite::Row<'_>, column: usize) -> rusqlite::Result<RunId> {
    Ok(RunId(Uuid::from_bytes(row.get(column)?)))
}

fn time(row: &rusqlite::Row<'_>, column: usize) -> rusqlite::Result<Timestamp> {
    Ok(Timestamp::from_unix_ms(row.get(column)?))
}

fn name(row: &rusqlite::Row<'_>, column: usize) -> rusqlite::Result<AgentName> {
    known(column, AgentName::new(row.get::<_, String>(column)?).ok())
}

/// A hash from its hexadecimal form.
fn hash_of(hex: &str) -> Option<Hash> {
    let mut bytes = [0; 32];
    if hex.len() != 64 || !hex.is_ascii() {
        return None;
    }
    for (byte, pair) in bytes.iter_mut().zip(hex.as_bytes().chunks(2)) {
        *byte = u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()?;
    }
    Some(Hash(bytes))
}
