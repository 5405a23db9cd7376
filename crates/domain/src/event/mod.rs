//! What can happen. Each kind has one payload type in its own file, a version, and a golden example.
//!
//! A kind or version this program does not know is kept as it is and counted, never refused.

mod budget_exhausted;
mod call_answered;
mod call_rejected;
pub mod line;
mod message;
mod model_proposed;
mod note;
mod permission_asked;
mod permission_decided;
mod rejection_marked;
mod rogue_file_seen;
mod run_ended;
mod run_resumed;
mod run_started;
mod task_created;
mod task_deleted;
mod task_restored;
mod task_updated;
mod todo_written;
mod tool_called;
mod tool_failed;
mod tool_returned;
mod turn_ended;
mod turn_started;
mod verdict;

pub use budget_exhausted::BudgetExhausted;
pub use call_answered::CallAnswered;
pub use call_rejected::{CallRejected, Refused};
pub use message::{Message, Role};
pub use model_proposed::ModelProposed;
pub use note::Note;
pub use permission_asked::PermissionAsked;
pub use permission_decided::{Decision, PermissionDecided};
pub use rejection_marked::RejectionMarked;
pub use rogue_file_seen::RogueFileSeen;
pub use run_ended::RunEnded;
pub use run_resumed::RunResumed;
pub use run_started::{ProjectRef, RunStarted};
pub use task_created::TaskCreated;
pub use task_deleted::TaskDeleted;
pub use task_restored::TaskRestored;
pub use task_updated::TaskUpdated;
pub use todo_written::TodoWritten;
pub use tool_called::ToolCalled;
pub use tool_failed::ToolFailed;
pub use tool_returned::ToolReturned;
pub use turn_ended::TurnEnded;
pub use turn_started::TurnStarted;
pub use verdict::{Finding, Verdict};

use crate::body::Keep;
use line::{Fact, Line};
use serde::{Deserialize, Serialize};
use serde_json::Value;

macro_rules! kinds {
    ($($kind:literal => $payload:ident),* $(,)?) => {
        /// One thing that happened, with its facts.
        #[derive(Debug, Clone, PartialEq)]
        pub enum Payload { $($payload($payload)),* }

        impl Payload {
            /// In the order of their codes.
            pub const KINDS: &'static [&'static str] = &[$($kind),*];

            #[must_use]
            pub fn kind(&self) -> &'static str {
                match self { $(Payload::$payload(_) => $kind),* }
            }

            /// The payload as it stands in the ledger.
            pub fn to_value(&self) -> Result<Value, serde_json::Error> {
                match self { $(Payload::$payload(payload) => serde_json::to_value(payload)),* }
            }

            /// As [`Payload::parse`], from JSON text.
            pub fn parse_text(kind: &str, text: &str) -> Result<Option<Payload>, serde_json::Error> {
                Ok(Some(match kind {
                    $($kind => Payload::$payload(serde_json::from_str(text)?),)*
                    _ => return Ok(None),
                }))
            }

            /// Reads a payload. `Ok(None)`: a kind that this program does not know.
            pub fn parse(kind: &str, value: Value) -> Result<Option<Payload>, serde_json::Error> {
                Ok(Some(match kind {
                    $($kind => Payload::$payload(serde_json::from_value(value)?),)*
                    _ => return Ok(None),
                }))
            }
        }

        impl Payload {
            fn fact(&self) -> &dyn Fact {
                match self { $(Payload::$payload(payload) => payload),* }
            }
        }

        $(impl From<$payload> for Payload {
            fn from(payload: $payload) -> Payload {
                Payload::$payload(payload)
            }
        })*
    };
}

// A kind's code in a timeline's index is its place here: new kinds go to the end.
kinds! {
    "run_started" => RunStarted,
    "run_ended" => RunEnded,
    "run_resumed" => RunResumed,
    "turn_started" => TurnStarted,
    "turn_ended" => TurnEnded,
    "message" => Message,
    "model_proposed" => ModelProposed,
    "tool_called" => ToolCalled,
    "tool_returned" => ToolReturned,
    "tool_failed" => ToolFailed,
    "permission_asked" => PermissionAsked,
    "permission_decided" => PermissionDecided,
    "call_answered" => CallAnswered,
    "call_rejected" => CallRejected,
    "task_created" => TaskCreated,
    "task_updated" => TaskUpdated,
    "task_deleted" => TaskDeleted,
    "task_restored" => TaskRestored,
    "todo_written" => TodoWritten,
    "note" => Note,
    "rogue_file_seen" => RogueFileSeen,
    "budget_exhausted" => BudgetExhausted,
    "verdict" => Verdict,
    "rejection_marked" => RejectionMarked,
}

/// The call that caused an event.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cause {
    pub tool: String,
    /// The caller's idempotency key.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub key: Option<String>,
    /// Arguments that a client is known to inject and that were taken out before checking.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub stripped: Vec<String>,
}

/// The layout of a payload. What a later program wrote is read as far as it is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Layout(u8);

impl Default for Layout {
    fn default() -> Layout {
        Layout(1)
    }
}

/// What a step of the model used.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    #[serde(default)]
    pub tokens_in: u64,
    #[serde(default)]
    pub tokens_out: u64,
    /// Of those that went in: read from the provider's cache, and written to it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub cache_read: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub cache_write: Option<u64>,
    /// Millionths of a US dollar, where the price is known.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub cost_micros: Option<u64>,
}

/// The code of a kind that this program does not know.
pub const KIND_UNKNOWN: u8 = 255;

/// The byte that stands for a kind in a timeline's index.
#[must_use]
pub fn kind_code(kind: &str) -> u8 {
    let place = Payload::KINDS.iter().position(|known| *known == kind);
    place.and_then(|place| u8::try_from(place).ok()).unwrap_or(KIND_UNKNOWN)
}

impl Payload {
    /// What a log shows of it.
    #[must_use]
    pub fn line(&self) -> Line<'_> {
        self.fact().line()
    }

    /// The long texts that stand in it, each with its member's name.
    #[must_use]
    pub fn bodies(&self) -> Vec<(&'static str, &crate::Body)> {
        self.fact().bodies()
    }

    /// What must be stored beside it.
    #[must_use]
    pub fn keeps(&self) -> Vec<Keep<'_>> {
        match self {
            Payload::CallRejected(event) => event.keep().into_iter().collect(),
            other => other.bodies().into_iter().filter_map(|(_, body)| body.keep()).collect(),
        }
    }

    /// The tokens and dollars it tells of.
    #[must_use]
    pub fn usage(&self) -> Option<Usage> {
        match self {
            Payload::Message(event) => event.usage,
            Payload::ModelProposed(event) => event.usage,
            Payload::Note(event) => event.usage,
            _ => None,
        }
    }

    /// The task it is about.
    #[must_use]
    pub fn task(&self) -> Option<crate::TaskNo> {
        match self {
            Payload::TaskCreated(event) => Some(event.task),
            Payload::TaskUpdated(event) => Some(event.task),
            Payload::TaskDeleted(event) => Some(event.task),
            Payload::TaskRestored(event) => Some(event.task),
            Payload::CallRejected(event) => event.task,
            Payload::RejectionMarked(event) => event.task,
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{EndReason, TaskNo, Version};

    /// Every kind, written by hand once and never edited: what was written must be read for ever.
    fn golden(kind: &str) -> &'static str {
        match kind {
            "budget_exhausted" => include_str!("golden/budget_exhausted.v1.json"),
            "call_answered" => include_str!("golden/call_answered.v1.json"),
            "call_rejected" => include_str!("golden/call_rejected.v1.json"),
            "message" => include_str!("golden/message.v1.json"),
            "model_proposed" => include_str!("golden/model_proposed.v1.json"),
            "note" => include_str!("golden/note.v1.json"),
            "permission_asked" => include_str!("golden/permission_asked.v1.json"),
            "permission_decided" => include_str!("golden/permission_decided.v1.json"),
            "rejection_marked" => include_str!("golden/rejection_marked.v1.json"),
            "rogue_file_seen" => include_str!("golden/rogue_file_seen.v1.json"),
            "run_ended" => include_str!("golden/run_ended.v1.json"),
            "run_resumed" => include_str!("golden/run_resumed.v1.json"),
            "run_started" => include_str!("golden/run_started.v1.json"),
            "task_created" => include_str!("golden/task_created.v1.json"),
            "task_deleted" => include_str!("golden/task_deleted.v1.json"),
            "task_restored" => include_str!("golden/task_restored.v1.json"),
            "task_updated" => include_str!("golden/task_updated.v1.json"),
            "todo_written" => include_str!("golden/todo_written.v1.json"),
            "tool_called" => include_str!("golden/tool_called.v1.json"),
            "tool_failed" => include_str!("golden/tool_failed.v1.json"),
            "tool_returned" => include_str!("golden/tool_returned.v1.json"),
            "turn_ended" => include_str!("golden/turn_ended.v1.json"),
            "turn_started" => include_str!("golden/turn_started.v1.json"),
            "verdict" => include_str!("golden/verdict.v1.json"),
            other => panic!("the kind {other} has no golden example"),
        }
    }

    #[test]
    fn every_kind_reads_its_golden_example_and_writes_it_back() {
        for kind in Payload::KINDS {
            let value: Value = serde_json::from_str(golden(kind)).unwrap();
            let payload = Payload::parse(kind, value.clone()).unwrap().expect("a known kind");
            assert_eq!(payload.kind(), *kind);
            assert_eq!(payload.to_value().unwrap(), value, "{kind}");
        }
    }

    #[test]
    fn unknown_kinds_are_told_apart_from_broken_ones() {
        assert_eq!(Payload::parse("task_painted", Value::Null).unwrap(), None);
        assert!(Payload::parse("run_ended", serde_json::json!({"v": 1, "reason": "bored"})).is_err());
        let ended = Payload::from(RunEnded::new(EndReason::Completed));
        assert_eq!(Payload::parse("run_ended", ended.to_value().unwrap()).unwrap(), Some(ended));
    }

    #[test]
    fn fields_of_a_later_version_do_not_break_reading() {
        let value =
            serde_json::json!({"v": 1, "task": 3, "version": 9, "call": {"tool": "x"}, "colour": "red"});
        let expected =
            TaskDeleted::new(TaskNo(3), Version(9), Cause { tool: "x".into(), ..Cause::default() });
        assert_eq!(Payload::parse("task_deleted", value).unwrap(), Some(expected.into()));
    }
}
