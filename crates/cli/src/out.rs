//! What a command says: results on standard output, everything else on standard error.

use std::io::Write;

/// A line of result. A reader that went away (`| head`) is no error.
pub(crate) fn line(text: &str) {
    let _ = writeln!(std::io::stdout().lock(), "{text}");
}

/// A line for the person, not for a pipe.
pub(crate) fn complain(text: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{text}");
}
