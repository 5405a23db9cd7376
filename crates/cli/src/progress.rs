//! What is left of a long piece of work, on the terminal; and Ctrl-C as a wish to stop.

use std::io::{IsTerminal, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Work that is shorter says nothing.
const QUIET: Duration = Duration::from_secs(1);
const EACH: Duration = Duration::from_millis(200);

/// In what the work is counted.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Unit {
    Events,
    Bytes,
}

impl Unit {
    fn say(self, done: u64, of: u64) -> String {
        match self {
            Unit::Events => format!("{done} of about {of} events"),
            Unit::Bytes => format!("{:.1} of {:.1} MB", to_f64(done) / 1e6, to_f64(of) / 1e6),
        }
    }
}

#[derive(Debug)]
pub(crate) struct Progress {
    what: &'static str,
    unit: Unit,
    shown: bool,
    visible: bool,
    started: Instant,
    last: Instant,
    stop: Arc<AtomicBool>,
}

impl Progress {
    /// From now on Ctrl-C is a wish that [`Progress::tell`] passes on.
    pub(crate) fn start(what: &'static str, unit: Unit) -> Progress {
        let stop = Arc::new(AtomicBool::new(false));
        let wish = Arc::clone(&stop);
        tokio::spawn(async move {
            if tokio::signal::ctrl_c().await.is_ok() {
                wish.store(true, Ordering::Release);
            }
        });
        let now = Instant::now();
        Progress {
            what,
            unit,
            shown: false,
            visible: std::io::stderr().is_terminal(),
            started: now,
            last: now,
            stop,
        }
    }

    /// So far `done` of about `of`. False: the person wants to stop.
    pub(crate) fn tell(&mut self, done: u64, of: u64) -> bool {
        if self.visible && self.started.elapsed() >= QUIET && self.last.elapsed() >= EACH {
            self.last = Instant::now();
            self.shown = true;
            let left = match done {
                0 => String::new(),
                done => {
                    let each = self.started.elapsed().as_secs_f64() / to_f64(done);
                    format!(", {:.1} s left", each * to_f64(of.saturating_sub(done)))
                }
            };
            let line = format!("{} {}{left}; Ctrl-C stops", self.what, self.unit.say(done, of));
            // A terminal that is gone needs no progress.
            let _ = write!(std::io::stderr(), "\r\x1b[K{line}");
        }
        !self.stop.load(Ordering::Acquire)
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if self.shown {
            let _ = write!(std::io::stderr(), "\r\x1b[K");
        }
    }
}

fn to_f64(n: u64) -> f64 {
    n as f64
}
