//! Whether anybody is there: requests, feeds and holds under way, and when the last one went.

use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;

#[derive(Debug, Clone)]
pub(crate) struct Activity(Arc<Mutex<State>>);

#[derive(Debug)]
struct State {
    under_way: usize,
    last: Instant,
}

/// Something under way, until it is dropped.
#[derive(Debug)]
pub(crate) struct Presence(Activity);

impl Default for Activity {
    fn default() -> Self {
        Activity(Arc::new(Mutex::new(State { under_way: 0, last: Instant::now() })))
    }
}

impl Activity {
    pub(crate) fn enter(&self) -> Presence {
        self.0.lock().under_way += 1;
        Presence(self.clone())
    }

    /// `None` while something is under way.
    pub(crate) fn idle(&self) -> Option<Duration> {
        let state = self.0.lock();
        (state.under_way == 0).then(|| state.last.elapsed())
    }
}

impl Drop for Presence {
    fn drop(&mut self) {
        let mut state = self.0.0.lock();
        state.under_way -= 1;
        state.last = Instant::now();
    }
}
