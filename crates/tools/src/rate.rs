//! A flood from one run must not crowd out the others: a token bucket for each run.

use parking_lot::Mutex;
use std::collections::HashMap;
use std::time::Instant;

/// Calls a second that one run may make for ever, and how many at once.
const PER_SECOND: f64 = 1_000.0;
const BURST: f64 = 2_000.0;

/// Refusals of a flood that are written down, each second. The others are counted.
const WRITTEN_PER_SECOND: f64 = 1.0;

/// Buckets that are full again are forgotten beyond this many.
const BUCKETS_MAX: usize = 1_024;

#[derive(Debug, Default)]
pub(crate) struct Limiter {
    buckets: Mutex<HashMap<String, Bucket>>,
}

#[derive(Debug)]
struct Bucket {
    tokens: f64,
    refilled: Instant,
    written: Option<Instant>,
    suppressed: u64,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    Allowed,
    /// Refused; write it down with the number of refusals that were not.
    Refused {
        suppressed: u64,
    },
    /// Refused; only counted.
    RefusedSilently,
}

impl Limiter {
    pub(crate) fn ask(&self, run: &str, now: Instant) -> Verdict {
        let mut buckets = self.buckets.lock();
        if buckets.len() > BUCKETS_MAX {
            buckets.retain(|_, bucket| bucket.level(now) < BURST);
        }
        let fresh = || Bucket { tokens: BURST, refilled: now, written: None, suppressed: 0 };
        let bucket = buckets.entry(run.to_owned()).or_insert_with(fresh);
        bucket.tokens = bucket.level(now);
        bucket.refilled = now;
        if bucket.tokens >= 1.0 {
            bucket.tokens -= 1.0;
            return Verdict::Allowed;
        }
        let quiet = |written: Instant| now.duration_since(written).as_secs_f64() < 1.0 / WRITTEN_PER_SECOND;
        if bucket.written.is_some_and(quiet) {
            bucket.suppressed += 1;
            return Verdict::RefusedSilently;
        }
        bucket.written = Some(now);
        Verdict::Refused { suppressed: std::mem::take(&mut bucket.suppressed) }
    }
}

impl Bucket {
    fn level(&self, now: Instant) -> f64 {
        (self.tokens + now.duration_since(self.refilled).as_secs_f64() * PER_SECOND).min(BURST)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn a_flood_is_refused_counted_and_forgiven() {
        let limiter = Limiter::default();
        let start = Instant::now();
        for _ in 0..2_000 {
            assert_eq!(limiter.ask("a", start), Verdict::Allowed);
        }
        assert_eq!(limiter.ask("a", start), Verdict::Refused { suppressed: 0 });
        assert_eq!(limiter.ask("a", start), Verdict::RefusedSilently);
        assert_eq!(limiter.ask("b", start), Verdict::Allowed);
        let later = start + Duration::from_secs(1);
        for _ in 0..1_000 {
            assert_eq!(limiter.ask("a", later), Verdict::Allowed);
        }
        assert_eq!(limiter.ask("a", later), Verdict::Refused { suppressed: 1 });
    }
}
