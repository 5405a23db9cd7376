//! One format a file: how its records are known, and what each of them says.

mod claude;
mod codex;
mod copilot;
mod deepseek;
mod gemini;
mod qwen;

use crate::out::Out;
use serde_json::Value;
use std::borrow::Cow;

/// A way of writing things down.
#[derive(Debug)]
pub struct Format {
    pub name: &'static str,
    /// Whether a record is of this format beyond doubt.
    pub(crate) claims: fn(&Value) -> bool,
    pub(crate) start: fn() -> Box<dyn Dialect>,
}

/// Every format that is read. The first that claims a record has it: the narrow ones come first.
pub const FORMATS: &[Format] =
    &[codex::FORMAT, deepseek::FORMAT, copilot::FORMAT, gemini::FORMAT, qwen::FORMAT, claude::FORMAT];

/// What became of one record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Outcome {
    Mapped,
    /// Known, and of no use to anyone who reads the run; its name.
    Skipped(Cow<'static, str>),
    Bad(String),
}

impl Outcome {
    pub(crate) fn skipped(name: &'static str) -> Outcome {
        Outcome::Skipped(Cow::Borrowed(name))
    }
}

/// What one file says, record by record.
pub(crate) trait Dialect: std::fmt::Debug + Send {
    /// A value that holds many records gives them one by one.
    fn items(&mut self, value: Value) -> Vec<Value> {
        vec![value]
    }

    fn record(&mut self, record: Value, out: &mut Out) -> Outcome;

    /// The file ends here.
    fn end(&mut self, _out: &mut Out) {}
}
