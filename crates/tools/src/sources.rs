//! Time and identity from outside, handed in so that tests can fix them.

use domain::Timestamp;
use std::fmt;
use std::sync::Arc;
use uuid::Uuid;

#[derive(Clone)]
pub struct Sources {
    pub now: Arc<dyn Fn() -> Timestamp + Send + Sync>,
    pub uuid: Arc<dyn Fn() -> Uuid + Send + Sync>,
}

impl fmt::Debug for Sources {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Sources")
    }
}

impl Default for Sources {
    /// The system's clock and random numbers.
    #[expect(clippy::disallowed_methods, reason = "the one place where the clock and the dice are read")]
    fn default() -> Self {
        let now = || {
            let since =
                std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
            Timestamp::from_unix_ms(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
        };
        Sources { now: Arc::new(now), uuid: Arc::new(Uuid::now_v7) }
    }
}
