//! What is remembered: the only crate that knows SQL.
//!
//! One process owns a store (an OS lock says so), one thread writes to it, and what waits is
//! committed together, each job in a savepoint of its own. A job is answered only after the commit.
//! Reads go through read-only connections and see whole commits.

mod checkpoint;
mod error;
mod lock;
mod migrate;
mod open;
mod read;
pub mod table;
#[cfg(test)]
mod tests;
mod tx;
mod views;
mod writer;

pub use error::{Kind, OpenError, StoreError};
pub use open::{Sign, Store, StoreOptions};
pub use read::Reader;
pub use tx::{Placed, RunHandle, Touched, Tx};
pub use views::IMPORTED;
