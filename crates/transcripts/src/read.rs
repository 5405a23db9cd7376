//! A file in pieces → records → events. What the file is shows in its first records; a file that
//! is one JSON document is taken apart into records once it is whole.

use crate::format::{Dialect, FORMATS, Format, Outcome};
use crate::out::Out;
use crate::{Found, Session, Tally};
use domain::ledger::{Line, Lines};
use serde::de::IgnoredAny;
use serde_json::Value;
use std::collections::BTreeMap;

/// Longer lines are passed over and named.
const LINE_MAX: usize = 64 << 20;
/// A document may be so long; what is longer is read as lines.
const DOCUMENT_MAX: usize = 256 << 20;
/// Who is not recognised by then is not known.
const LOOKED_AT_MAX: usize = 400;

/// One file being read.
#[derive(Debug)]
pub struct Reading {
    out: Out,
    shape: Shape,
    speaker: Speaker,
}

#[derive(Debug)]
enum Shape {
    /// Nothing but blanks came yet.
    Unknown(Vec<u8>),
    Lines(Lines),
    Document(Vec<u8>),
    Over,
}

#[derive(Debug)]
enum Speaker {
    /// Records that came before any of them said whose they are.
    Unknown(Vec<(u64, Value)>),
    Known(&'static Format, Box<dyn Dialect>),
}

impl Reading {
    /// `raw`: nothing is masked.
    #[must_use]
    pub fn new(raw: bool) -> Reading {
        Reading {
            out: Out::new(raw),
            shape: Shape::Unknown(Vec::new()),
            speaker: Speaker::Unknown(Vec::new()),
        }
    }

    /// The format is known beforehand, by its name in [`FORMATS`].
    #[must_use]
    pub fn of(format: &str, raw: bool) -> Option<Reading> {
        let format = FORMATS.iter().find(|known| known.name == format)?;
        Some(Reading { speaker: Speaker::Known(format, (format.start)()), ..Reading::new(raw) })
    }

    /// The next bytes of the file.
    pub fn feed(&mut self, bytes: &[u8]) {
        match &mut self.shape {
            Shape::Unknown(held) => {
                held.extend_from_slice(bytes);
                self.decide(false);
            }
            Shape::Lines(lines) => feed_lines(lines, bytes, &mut self.speaker, &mut self.out),
            Shape::Document(held) => {
                held.extend_from_slice(bytes);
                if held.len() > DOCUMENT_MAX {
                    self.as_lines();
                }
            }
            Shape::Over => {}
        }
    }

    /// No more bytes for now: a last line without an end is taken if it is a whole record.
    pub fn settle(&mut self) {
        if let Shape::Lines(lines) = &mut self.shape
            && serde_json::from_slice::<IgnoredAny>(lines.half()).is_ok()
        {
            let (speaker, out) = (&mut self.speaker, &mut self.out);
            lines.settle(&mut |line| line_of(line, speaker, out));
        }
    }

    /// The file ends here.
    pub fn end(&mut self) {
        if matches!(self.shape, Shape::Unknown(_)) {
            self.decide(true);
        }
        if matches!(self.shape, Shape::Document(_)) {
            self.document();
        }
        if let Shape::Lines(lines) = std::mem::replace(&mut self.shape, Shape::Over) {
            let (speaker, out) = (&mut self.speaker, &mut self.out);
            let notes = lines.end(&mut |line| line_of(line, speaker, out));
            for (what, times) in notes {
                *out.tally.notes.entry(what.to_owned()).or_default() += times;
            }
        }
        match &mut self.speaker {
            Speaker::Known(_, dialect) => dialect.end(&mut self.out),
            Speaker::Unknown(held) => {
                for _ in held.drain(..) {
                    self.out.tally.skip("record of no known format");
                }
            }
        }
    }

    /// The events since the last call, in the order of the records.
    #[must_use]
    pub fn take(&mut self) -> Vec<Found> {
        self.out.take()
    }

    /// All sessions seen so far.
    #[must_use]
    pub fn sessions(&self) -> &BTreeMap<String, Session> {
        &self.out.sessions
    }

    #[must_use]
    pub fn tally(&self) -> &Tally {
        &self.out.tally
    }

    /// `None`: nothing said yet what the file is.
    #[must_use]
    pub fn format(&self) -> Option<&'static str> {
        match &self.speaker {
            Speaker::Known(format, _) => Some(format.name),
            Speaker::Unknown(_) => None,
        }
    }

    /// Lines or a document? The first line tells: a record is whole in it, or goes on below.
    fn decide(&mut self, ended: bool) {
        let Shape::Unknown(held) = &mut self.shape else { return };
        let blank = held.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        let Some(end) = memchr::memchr(b'\n', &held[blank..]).map(|end| blank + end) else {
            // A line that long is a record or a document of its own.
            if ended || held.len() > LINE_MAX {
                let held = std::mem::take(held);
                let whole = serde_json::from_slice::<IgnoredAny>(&held).is_ok();
                self.shape = Shape::Document(held);
                if !whole {
                    self.as_lines();
                }
            }
            return;
        };
        let first = held[blank..end].strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&held[blank..end]);
        let open = matches!(first.trim_ascii_start().first(), Some(b'{' | b'['));
        let goes_on = serde_json::from_slice::<IgnoredAny>(first).is_err_and(|error| error.is_eof());
        let held = std::mem::take(held);
        if open && goes_on {
            self.shape = Shape::Document(held);
        } else {
            self.shape = Shape::Lines(Lines::up_to(LINE_MAX));
            self.feed(&held);
        }
    }

    fn as_lines(&mut self) {
        if let Shape::Document(held) = &mut self.shape {
            let held = std::mem::take(held);
            self.shape = Shape::Lines(Lines::up_to(LINE_MAX));
            self.feed(&held);
        }
    }

    /// One JSON value, or several one after the other; what follows them and is none is one bad record.
    fn document(&mut self) {
        let Shape::Document(held) = &mut self.shape else { return };
        let bytes = held.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(held);
        let mut values = serde_json::Deserializer::from_slice(bytes).into_iter::<Value>();
        let (mut number, mut failed) = (0, None);
        for value in &mut values {
            match value {
                Ok(value) => {
                    number += 1;
                    value_of(number, value, &mut self.speaker, &mut self.out);
                }
                Err(error) => failed = Some(error),
            }
        }
        let Some(error) = failed else {
            self.shape = Shape::Over;
            return;
        };
        if number == 0 {
            return self.as_lines();
        }
        self.out.tally.lines += 1;
        self.out
            .tally
            .bad(number + 1, format!("after {number} JSON values there is something else: {error}"));
        self.shape = Shape::Over;
    }
}

fn feed_lines(lines: &mut Lines, bytes: &[u8], speaker: &mut Speaker, out: &mut Out) {
    lines.add(bytes, &mut |line| line_of(line, speaker, out));
}

fn line_of(line: Line<'_>, speaker: &mut Speaker, out: &mut Out) -> bool {
    if line.length > LINE_MAX as u64 {
        out.tally.lines += 1;
        out.tally
            .bad(line.number, format!("it is {} bytes long; lines up to {LINE_MAX} are read", line.length));
        return true;
    }
    match serde_json::from_slice::<Value>(line.bytes) {
        Ok(value) => value_of(line.number, value, speaker, out),
        Err(error) => broken(line, &error, speaker, out),
    }
    true
}

/// Two records that a resumed session glued onto one line are two; anything else is bad, and said so.
fn broken(line: Line<'_>, error: &serde_json::Error, speaker: &mut Speaker, out: &mut Out) {
    let mut values = serde_json::Deserializer::from_slice(line.bytes).into_iter::<Value>();
    let glued: Vec<_> = values.by_ref().map_while(Result::ok).collect();
    let rest = &line.bytes[values.byte_offset()..];
    let why = || {
        let bytes = line.bytes;
        if bytes.contains(&0) {
            "it has NUL bytes in it; the disk lost what stood there".to_owned()
        } else if std::str::from_utf8(bytes).is_err() {
            "it is not UTF-8; expected JSON in UTF-8".to_owned()
        } else if line.unended {
            format!("it is cut off, the file ends within it; {error}")
        } else {
            format!("it is not JSON; {error}")
        }
    };
    if glued.is_empty() || glued.iter().any(|value| !value.is_object()) {
        out.tally.lines += 1;
        out.tally.bad(line.number, why());
        return;
    }
    out.tally.note("records glued onto one line");
    for value in glued {
        value_of(line.number, value, speaker, out);
    }
    if !rest.trim_ascii().is_empty() {
        out.tally.lines += 1;
        out.tally.bad(line.number, why());
    }
}

fn value_of(number: u64, value: Value, speaker: &mut Speaker, out: &mut Out) {
    if let Speaker::Unknown(held) = speaker {
        let Some(format) = FORMATS.iter().find(|format| (format.claims)(&value)) else {
            out.tally.lines += 1;
            if held.len() < LOOKED_AT_MAX {
                held.push((number, value));
            } else {
                out.tally.skip("record of no known format");
            }
            return;
        };
        let mut dialect = (format.start)();
        for (number, value) in std::mem::take(held) {
            // It was counted when it came.
            out.tally.lines -= 1;
            records(number, value, dialect.as_mut(), out);
        }
        *speaker = Speaker::Known(format, dialect);
    }
    if let Speaker::Known(_, dialect) = speaker {
        records(number, value, dialect.as_mut(), out);
    }
}

fn records(number: u64, value: Value, dialect: &mut dyn Dialect, out: &mut Out) {
    let items = dialect.items(value);
    let single = items.len() == 1;
    for (item, place) in items.into_iter().zip(1..) {
        out.tally.lines += 1;
        match dialect.record(item, out) {
            Outcome::Mapped => out.tally.mapped += 1,
            Outcome::Skipped(name) => out.tally.skip(&name),
            Outcome::Bad(why) => out.tally.bad(if single { number } else { place }, why),
        }
    }
}
