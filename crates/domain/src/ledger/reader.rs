//! A ledger file as lines, whatever pieces its bytes come in. What is forgiven is counted: a byte
//! order mark, lines that end as on Windows, blank lines.

use super::{Parsed, Unreadable, parse_line};
use std::collections::BTreeMap;

/// Longer lines are not kept: no event of ours comes near, and memory is not the file's to take.
pub const LINE_MAX: usize = 16 << 20;

/// A line without its end, and how it ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Line<'a> {
    /// From 1.
    pub number: u64,
    /// Of a line that is too long, its beginning.
    pub bytes: &'a [u8],
    /// The file ends without ending the line.
    pub unended: bool,
    /// How long it is, with what was not kept.
    pub length: u64,
}

impl<'a> Line<'a> {
    pub fn parse(&self) -> Result<Parsed<'a>, Unreadable> {
        if self.length > LINE_MAX as u64 { Err(Unreadable::TooLong) } else { parse_line(self.bytes) }
    }
}

#[derive(Debug)]
pub struct Lines {
    /// Longer lines are not kept.
    max: usize,
    /// A line whose end did not come yet.
    half: Vec<u8>,
    half_length: u64,
    number: u64,
    notes: BTreeMap<&'static str, u64>,
    /// Whoever reads had enough.
    stopped: bool,
}

impl Default for Lines {
    fn default() -> Lines {
        Lines::up_to(LINE_MAX)
    }
}

impl Lines {
    #[must_use]
    pub fn up_to(max: usize) -> Lines {
        Lines { max, half: Vec::new(), half_length: 0, number: 0, notes: BTreeMap::new(), stopped: false }
    }

    /// What came of a line whose end did not come yet.
    #[must_use]
    pub fn half(&self) -> &[u8] {
        &self.half
    }

    /// Takes the half line for a whole one; what comes next begins a line.
    pub fn settle(&mut self, each: &mut impl FnMut(Line<'_>) -> bool) {
        if self.half_length > 0 && !self.stopped {
            self.half_line(true, each);
        }
    }

    /// Adds the next bytes of the file. `each` says whether to go on; so does the answer.
    pub fn add(&mut self, mut bytes: &[u8], each: &mut impl FnMut(Line<'_>) -> bool) -> bool {
        while let Some(end) = memchr::memchr(b'\n', bytes) {
            let (line, rest) = (&bytes[..end], &bytes[end + 1..]);
            bytes = rest;
            let go_on = if self.half_length == 0 {
                self.line(line, line.len() as u64, false, each)
            } else {
                self.keep(line);
                self.half_line(false, each)
            };
            if !go_on {
                self.stopped = true;
                return false;
            }
        }
        self.keep(bytes);
        true
    }

    /// There are no more bytes. What was forgiven, with how often: `bom`, `crlf`, `blank`.
    pub fn end(mut self, each: &mut impl FnMut(Line<'_>) -> bool) -> BTreeMap<&'static str, u64> {
        self.settle(each);
        self.notes
    }

    fn keep(&mut self, bytes: &[u8]) {
        // One byte beyond the limit may be the carriage return of a line that is not too long.
        let room = (self.max + 1).saturating_sub(self.half.len()).min(bytes.len());
        self.half.extend_from_slice(&bytes[..room]);
        self.half_length += bytes.len() as u64;
    }

    fn half_line(&mut self, unended: bool, each: &mut impl FnMut(Line<'_>) -> bool) -> bool {
        let half = std::mem::take(&mut self.half);
        let length = std::mem::take(&mut self.half_length);
        let go_on = self.line(&half, length, unended, each);
        self.half = half;
        self.half.clear();
        // A giant does not hold its memory for the rest of the file.
        self.half.shrink_to(1 << 20);
        go_on
    }

    fn line(
        &mut self,
        mut bytes: &[u8],
        mut length: u64,
        unended: bool,
        each: &mut impl FnMut(Line<'_>) -> bool,
    ) -> bool {
        self.number += 1;
        let whole = length == bytes.len() as u64;
        if whole && let Some(rest) = bytes.strip_suffix(b"\r") {
            self.note("crlf");
            (bytes, length) = (rest, length - 1);
        }
        if self.number == 1
            && let Some(rest) = bytes.strip_prefix(b"\xEF\xBB\xBF")
        {
            self.note("bom");
            (bytes, length) = (rest, length - 3);
        }
        if whole && bytes.iter().all(|byte| matches!(byte, b' ' | b'\t' | b'\r')) {
            self.note("blank");
            return true;
        }
        each(Line { number: self.number, bytes, unended, length })
    }

    fn note(&mut self, what: &'static str) {
        *self.notes.entry(what).or_default() += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    type Seen = (Vec<(u64, Vec<u8>, bool, u64)>, Vec<(&'static str, u64)>);

    fn read(pieces: &[&[u8]]) -> Seen {
        let (mut lines, mut seen) = (Lines::default(), Vec::new());
        let mut each = |line: Line<'_>| {
            seen.push((line.number, line.bytes.to_vec(), line.unended, line.length));
            true
        };
        for piece in pieces {
            lines.add(piece, &mut each);
        }
        let notes = lines.end(&mut each);
        (seen, notes.into_iter().collect())
    }

    #[test]
    fn lines_and_what_was_forgiven() {
        let check = |text: &str, lines: &[(u64, &str, bool)], notes: &[(&'static str, u64)]| {
            let lines: Vec<_> = lines
                .iter()
                .map(|(number, line, unended)| {
                    (*number, line.as_bytes().to_vec(), *unended, line.len() as u64)
                })
                .collect();
            assert_eq!(read(&[text.as_bytes()]), (lines, notes.to_vec()), "{text:?}");
        };
        check("", &[], &[]);
        check("a\nb\n", &[(1, "a", false), (2, "b", false)], &[]);
        check("a\nb", &[(1, "a", false), (2, "b", true)], &[]);
        check("a\r\nb\r\n", &[(1, "a", false), (2, "b", false)], &[("crlf", 2)]);
        check("\u{feff}a\n\u{feff}b\n", &[(1, "a", false), (2, "\u{feff}b", false)], &[("bom", 1)]);
        check("\n \na\n\t", &[(3, "a", false)], &[("blank", 3)]);
        check("\u{feff}", &[], &[("blank", 1), ("bom", 1)]);
    }

    #[test]
    fn whoever_stops_sees_no_more() {
        let (mut lines, mut seen) = (Lines::default(), 0);
        let mut each = |_: Line<'_>| {
            seen += 1;
            seen < 2
        };
        assert!(lines.add(b"a", &mut each));
        assert!(!lines.add(b"a\nb\nc\nd", &mut each));
        lines.end(&mut each);
        assert_eq!(seen, 2);
    }

    #[test]
    fn a_line_beyond_the_limit_is_named_and_the_next_is_read() {
        let check = |length: usize, expected: Option<Unreadable>| {
            let long = vec![b'x'; length];
            let (mut lines, mut seen) = (Lines::default(), Vec::new());
            for piece in [&long[..], b"\r\nshort\n"] {
                lines.add(piece, &mut |line| {
                    assert!(line.bytes.len() <= LINE_MAX + 1, "what is beyond the limit is not kept");
                    seen.push((line.length, line.parse().err().filter(|why| *why == Unreadable::TooLong)));
                    true
                });
            }
            assert_eq!(seen.len(), 2);
            assert_eq!(seen[0].1, expected, "{length}");
            assert_eq!(seen[1], (5, None));
        };
        check(LINE_MAX, None);
        check(LINE_MAX + 2, Some(Unreadable::TooLong));
        check(3 * LINE_MAX, Some(Unreadable::TooLong));
    }

    proptest! {
        #[test]
        fn it_does_not_matter_where_the_pieces_end(text in "[ab\r\n \u{feff}]{0,30}", at in any::<prop::sample::Index>()) {
            let bytes = text.as_bytes();
            let (first, rest) = bytes.split_at(at.index(bytes.len() + 1));
            prop_assert_eq!(read(&[first, rest]), read(&[bytes]));
        }
    }
}
