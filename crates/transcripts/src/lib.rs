//! Foreign words: the bytes of what agents wrote → events of ours, and counted, named skips.
//!
//! [`Reading`] takes a file in pieces, finds out what it is by its content, and gives [`Found`]
//! events with the session they belong to and a sign by which the same record told again is known.
//! Every record is mapped, skipped by name, or bad with a reason; none is lost. No I/O, no clock.

mod format;
mod found;
mod json;
mod out;
mod pieces;
mod read;

pub use format::FORMATS;
pub use found::{Bad, Found, Session, Sign, Tally};
pub use pieces::{Block, Blocks, Part, Piece};
pub use read::Reading;
