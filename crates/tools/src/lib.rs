//! The boundary: all that an agent or a person may do, and all that a screen may see.
//!
//! One road in: [`Host::call`] (parse → policy → one transaction of state and event → change tags).
//! One road out: [`Host::view`]. No other crate writes to the store, and no shell holds a rule.

pub mod caller;
pub mod change;
mod checks;
mod clean;
mod dispatch;
pub mod error;
pub mod generate;
pub mod host;
pub mod import;
mod observe;
mod rate;
pub mod registry;
mod replay;
mod scribe;
pub mod shape;
pub mod sources;
pub mod strict_json;
mod timeline;
pub mod tool;
pub mod view;
mod witness;

pub use caller::{Caller, Identity, Run, Surface};
pub use change::{Change, Tag};
pub use error::{Answer, Code, Failure, Issue, Refusal};
pub use host::{Host, OpenError, Options};

#[cfg(test)]
mod tests;
#[cfg(test)]
mod typescript;
