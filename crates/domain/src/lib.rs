//! What is true: ids, checked text, tasks, runs, events, the fold and the hash chain.
//!
//! No I/O, no clock, no randomness, and nothing here knows a transport or SQL. Everything that
//! orders or identifies (ids, versions, seq, time) is handed in by the store.

pub mod body;
pub mod canonical;
pub mod event;
pub mod fold;
pub mod id;
pub mod ledger;
pub mod mask;
pub mod plan;
pub mod policy;
pub mod render;
pub mod repair;
pub mod run;
pub mod task;
pub mod text;
pub mod timestamp;

pub use body::Body;
pub use event::Payload;
pub use id::{Position, ProjectId, RunId, Seq, TaskId, TaskNo, Version};
pub use repair::Outcome;
pub use run::{ActorKind, EndReason, RunStatus, Source};
pub use task::{Patch, Status, Task};
pub use text::{AgentName, Description, Subject, TextError};
pub use timestamp::Timestamp;
