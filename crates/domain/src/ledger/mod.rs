//! The ledger of one run: canonical event bytes, the hash chain over them, its file form, its
//! verification, and the signed marks that say where it stood.

mod chain;
mod checkpoint;
mod line;
mod verify;

pub use chain::{Brief, Broken, Hash, Head, Read, read, read_brief, sha256_hex, verify};
pub use checkpoint::{Checkpoint, Key, PublicKey, Sealed};
pub use line::{Link, Parsed, Unreadable, parse_body, parse_line, to_line};
pub use verify::{Fault, Problem, Report, Verifier};
