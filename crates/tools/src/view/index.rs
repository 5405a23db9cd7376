//! Timelines as bytes: of a run, and of a board; and the events that hold a text.
//!
//! The layout stands in `docs/cli.md` beside the routes; `crate::timeline` writes it.

use super::{in_project, with_run};
use crate::host::Host;
use crate::{Refusal, timeline};
use domain::Seq;
use serde::Deserialize;

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RunIndexParams {
    pub run: String,
    /// Rows from this seq on; absent: all.
    pub from: Option<u64>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct BoardIndexParams {
    pub project: Option<String>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FindParams {
    pub run: String,
    pub text: String,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LinesParams {
    pub run: String,
    pub from: u64,
}

/// A part of an export is about this long.
const LINES_BYTES: usize = 4 << 20;

/// Events as the lines of a ledger file, from `from` on.
pub(super) fn lines(host: &Host, params: &LinesParams) -> Result<Vec<u8>, Refusal> {
    with_run(host, &params.run, |reader, run| {
        let mut out = Vec::new();
        reader.event_bytes_each(run.id, Seq(params.from), |_, _, body, hash| {
            out.extend_from_slice(domain::ledger::to_line(body, hash).as_bytes());
            out.push(b'\n');
            out.len() < LINES_BYTES
        })?;
        Ok(out)
    })
}

pub(super) fn load_run(host: &Host, params: &RunIndexParams) -> Result<Vec<u8>, Refusal> {
    with_run(host, &params.run, |reader, run| {
        timeline::run_index(reader, run.id, Seq(params.from.unwrap_or(1)))
    })
}

pub(super) fn load_board(host: &Host, params: &BoardIndexParams) -> Result<Vec<u8>, Refusal> {
    in_project(host, params.project.as_deref(), |reader, project| {
        timeline::board_index(reader, &project.unwrap_or_else(super::no_project))
    })
}

pub(super) fn find(host: &Host, params: &FindParams) -> Result<Vec<u8>, Refusal> {
    with_run(host, &params.run, |reader, run| timeline::run_find(reader, run.id, &params.text))
}
