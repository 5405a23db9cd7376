//! What can happen. Each kind has one payload type in its own file, a version, and a golden example.
//!
//! A kind or version this program does not know is kept as it is and counted, never refused.

mod call_rejected;
mod run_ended;
mod run_started;
mod task_created;
mod task_deleted;
mod task_restored;
mod task_updated;

pub use call_rejected::{CallRejected, Refused};
pub use run_ended::RunEnded;
pub use run_started::{ProjectRef, RunStarted};
pub use task_created::TaskCreated;
pub use task_deleted::TaskDeleted;
pub use task_restored::TaskRestored;
pub use task_updated::TaskUpdated;

use serde::{Deserialize, Serialize};
use serde_json::Value;

macro_rules! kinds {
    ($($kind:literal => $payload:ident),* $(,)?) => {
        /// One thing that happened, with its facts.
        #[derive(Debug, Clone, PartialEq)]
        pub enum Payload { $($payload($payload)),* }

        impl Payload {
            pub const KINDS: &'static [&'static str] = &[$($kind),*];

            #[must_use]
            pub fn kind(&self) -> &'static str {
                match self { $(Payload::$payload(_) => $kind),* }
            }

            /// The payload as it stands in the ledger.
            pub fn to_value(&self) -> Result<Value, serde_json::Error> {
                match self { $(Payload::$payload(payload) => serde_json::to_value(payload)),* }
            }

            /// Reads a payload. `Ok(None)`: a kind that this program does not know.
            pub fn parse(kind: &str, value: Value) -> Result<Option<Payload>, serde_json::Error> {
                Ok(Some(match kind {
                    $($kind => Payload::$payload(serde_json::from_value(value)?),)*
                    _ => return Ok(None),
                }))
            }
        }

        $(impl From<$payload> for Payload {
            fn from(payload: $payload) -> Payload {
                Payload::$payload(payload)
            }
        })*
    };
}

kinds! {
    "call_rejected" => CallRejected,
    "run_ended" => RunEnded,
    "run_started" => RunStarted,
    "task_created" => TaskCreated,
    "task_deleted" => TaskDeleted,
    "task_restored" => TaskRestored,
    "task_updated" => TaskUpdated,
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{EndReason, TaskNo, Version};

    /// Every kind, written by hand once and never edited: what was written must be read for ever.
    fn golden(kind: &str) -> &'static str {
        match kind {
            "call_rejected" => include_str!("golden/call_rejected.v1.json"),
            "run_ended" => include_str!("golden/run_ended.v1.json"),
            "run_started" => include_str!("golden/run_started.v1.json"),
            "task_created" => include_str!("golden/task_created.v1.json"),
            "task_deleted" => include_str!("golden/task_deleted.v1.json"),
            "task_restored" => include_str!("golden/task_restored.v1.json"),
            "task_updated" => include_str!("golden/task_updated.v1.json"),
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
