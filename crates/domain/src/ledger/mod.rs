//! The ledger of one run: canonical event bytes, the hash chain over them, its file form, its
//! verification, and the signed marks that say where it stood.

mod chain;
mod checkpoint;
mod gaps;
mod hex;
mod line;
mod reader;
mod report;
mod scan;
mod strict;
mod verify;

pub use chain::{Brief, Broken, Hash, Head, Read, read, read_brief, sha256_hex, verify};
pub use checkpoint::{Believed, Checkpoint, Key, PublicKey, Sealed};
pub use line::{Link, Parsed, Unreadable, parse_body, parse_line, to_line};
pub use reader::{LINE_MAX, Line, Lines};
pub use report::{Fault, Problem, Report};
pub use verify::Verifier;
