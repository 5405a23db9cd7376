//! Which bridges are there. A bridge keeps one request open while it lives; when that breaks off
//! without a word and none takes its place, its run was interrupted.

use std::collections::HashMap;
use std::time::Duration;

use parking_lot::Mutex;

/// How long a bridge has to come back.
pub(crate) const GRACE: Duration = Duration::from_secs(10);

#[derive(Debug, Default)]
pub(crate) struct Holds(Mutex<HashMap<String, Hold>>);

#[derive(Debug, Default)]
struct Hold {
    open: u32,
    /// Counts the breaks, so that a wait knows whether it is about the last one.
    breaks: u64,
}

impl Holds {
    pub(crate) fn open(&self, key: &str) {
        self.0.lock().entry(key.to_owned()).or_default().open += 1;
    }

    /// The request of `key` broke off. `Some`: none is left; pass it to [`Holds::lapsed`] after the grace.
    pub(crate) fn broke(&self, key: &str) -> Option<u64> {
        let mut holds = self.0.lock();
        let hold = holds.get_mut(key)?;
        hold.open = hold.open.saturating_sub(1);
        hold.breaks += 1;
        (hold.open == 0).then_some(hold.breaks)
    }

    /// True: the bridge did not come back since that break. It is then forgotten.
    pub(crate) fn lapsed(&self, key: &str, since: u64) -> bool {
        let mut holds = self.0.lock();
        let lapsed = holds.get(key).is_some_and(|hold| hold.open == 0 && hold.breaks == since);
        if lapsed {
            holds.remove(key);
        }
        lapsed
    }

    /// The bridge said good-bye: a break that follows means nothing.
    pub(crate) fn forget(&self, key: &str) {
        self.0.lock().remove(key);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bridge_lapses_only_when_it_stays_away() {
        let holds = Holds::default();
        holds.open("a");
        let first = holds.broke("a").unwrap();
        holds.open("a");
        assert!(!holds.lapsed("a", first), "came back");
        let second = holds.broke("a").unwrap();
        assert!(!holds.lapsed("a", first), "that break is over");
        assert!(holds.lapsed("a", second));
        assert!(!holds.lapsed("a", second), "once");
        // The new request is there before the old one breaks.
        holds.open("b");
        holds.open("b");
        assert_eq!(holds.broke("b"), None);
        // A good-bye.
        holds.forget("b");
        assert_eq!(holds.broke("b"), None);
    }
}
