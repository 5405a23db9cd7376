//! What a log and a timeline say of one event: where it is drawn, how it is coloured, and a few words.

use crate::{TaskNo, Version};
use std::borrow::Cow;

/// The rows of a timeline. The numbers stand in stored indexes: they are never changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Lane {
    Run = 0,
    Model = 1,
    Tools = 2,
    Board = 3,
    Plan = 4,
    Files = 5,
    Other = 6,
}

/// What colours an event; the highest is the worst. The numbers stand in stored indexes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum State {
    Plain = 0,
    Ok = 1,
    Asked = 2,
    Rogue = 3,
    Failed = 4,
    Rejected = 5,
}

/// One event as a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line<'a> {
    pub lane: Lane,
    pub state: State,
    /// The event ended something that took so long.
    pub duration_ms: Option<u64>,
    pub tool: Option<&'a str>,
    pub task: Option<TaskNo>,
    pub version: Option<Version>,
    pub text: Cow<'a, str>,
}

impl<'a> Line<'a> {
    #[must_use]
    pub fn new(lane: Lane, state: State) -> Line<'a> {
        Line { lane, state, duration_ms: None, tool: None, task: None, version: None, text: "".into() }
    }

    #[must_use]
    pub fn text(self, text: impl Into<Cow<'a, str>>) -> Line<'a> {
        Line { text: text.into(), ..self }
    }

    #[must_use]
    pub fn tool(self, tool: &'a str) -> Line<'a> {
        Line { tool: Some(tool), ..self }
    }

    #[must_use]
    pub fn took(self, duration_ms: Option<u64>) -> Line<'a> {
        Line { duration_ms, ..self }
    }

    #[must_use]
    pub fn task(self, task: TaskNo, version: Version) -> Line<'a> {
        Line { task: Some(task), version: Some(version), ..self }
    }
}

/// Every payload says what a log shows of it and which texts are kept beside it.
pub trait Fact {
    fn line(&self) -> Line<'_>;

    /// The long texts of this payload, each with its member's name.
    fn bodies(&self) -> Vec<(&'static str, &crate::Body)> {
        Vec::new()
    }
}
