//! Standard input and output as lines, on threads of their own: a blocked pipe holds up nobody else.

use std::io::{BufReader, Write as _};

use axum::http::StatusCode;
use tokio::sync::{mpsc, oneshot};

use crate::deny::{Denied, INVALID_REQUEST};
use crate::message::SIZE_MAX;

/// One line of the client.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Line {
    Message(Vec<u8>),
    /// Longer than a message may be; it was read over and dropped.
    TooLong,
}

pub(super) fn too_long() -> Denied {
    Denied::new(
        StatusCode::PAYLOAD_TOO_LARGE,
        "the line is longer than 1 MiB and was dropped",
        "1048576 bytes at most",
        "send less in one call",
    )
    .code(INVALID_REQUEST)
}

/// The lines of standard input; ends with it.
pub(super) fn reader() -> mpsc::Receiver<Line> {
    let (sender, lines) = mpsc::channel(64);
    std::thread::spawn(move || {
        let mut input = BufReader::with_capacity(64 * 1024, std::io::stdin());
        while let Ok(Some(line)) = next(&mut input) {
            if sender.blocking_send(line).is_err() {
                break;
            }
        }
    });
    lines
}

/// The next line that is not blank; `None` at the end. A last line without its end counts.
fn next(input: &mut impl std::io::BufRead) -> std::io::Result<Option<Line>> {
    let mut line = Vec::new();
    let mut dropped = false;
    loop {
        let ready = match input.fill_buf() {
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
            ready => ready?,
        };
        let end = ready.iter().position(|byte| *byte == b'\n');
        let taken = end.unwrap_or(ready.len());
        let over = ready.is_empty();
        if dropped || line.len() + taken > SIZE_MAX {
            dropped = true;
            line = Vec::new();
        } else {
            line.extend_from_slice(&ready[..taken]);
        }
        let consumed = taken + usize::from(end.is_some());
        input.consume(consumed);
        if end.is_none() && !over {
            continue;
        }
        if dropped {
            return Ok(Some(Line::TooLong));
        }
        if !line.trim_ascii().is_empty() {
            return Ok(Some(Line::Message(line)));
        }
        if over {
            return Ok(None);
        }
        line.clear();
    }
}

/// Where answers go; the second part comes back when all of them are written.
pub(super) fn writer() -> (mpsc::Sender<Vec<u8>>, oneshot::Receiver<()>) {
    let (answers, mut queue) = mpsc::channel::<Vec<u8>>(64);
    let (done, written) = oneshot::channel();
    std::thread::spawn(move || {
        let mut output = std::io::stdout().lock();
        while let Some(mut answer) = queue.blocking_recv() {
            // One answer, one line: JSON has no bare line ends but those between its tokens.
            answer.retain(|byte| !matches!(byte, b'\n' | b'\r'));
            answer.push(b'\n');
            if output.write_all(&answer).and_then(|()| output.flush()).is_err() {
                break;
            }
        }
        let _ = done.send(());
    });
    (answers, written)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &[u8]) -> Vec<Line> {
        let mut input = BufReader::with_capacity(16, text);
        std::iter::from_fn(|| next(&mut input).unwrap()).collect()
    }

    #[test]
    fn blank_lines_are_passed_over_and_the_last_needs_no_end() {
        let line = |text: &str| Line::Message(text.as_bytes().to_vec());
        assert_eq!(all(b"{}\n\n  \r\n[1]\n{\"a\":1}"), [line("{}"), line("[1]"), line("{\"a\":1}")]);
        assert_eq!(all(b""), []);
        assert_eq!(all(b"\n"), []);
    }

    #[test]
    fn a_line_over_the_limit_is_dropped_and_the_stream_goes_on() {
        let mut text = vec![b'x'; SIZE_MAX];
        text.extend_from_slice(b"\n");
        text.extend(vec![b'y'; SIZE_MAX + 1]);
        text.extend_from_slice(b"\n{}\n");
        let lines = all(&text);
        assert_eq!(lines.len(), 3);
        assert!(matches!(&lines[0], Line::Message(line) if line.len() == SIZE_MAX));
        assert_eq!(lines[1..], [Line::TooLong, Line::Message(b"{}".to_vec())]);
    }
}
