//! Which bridges are there. A bridge keeps one request open while it lives; when that breaks off
//! without a word and none takes its place, its run was interrupted.
//!
//! The keys are also kept in a file, so that the next owner knows whom the last one was holding:
//! a bridge that died while no owner ran is found out all the same.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use parking_lot::Mutex;

use crate::secret::write_private;

/// How long a bridge has to come back.
pub(crate) const GRACE: Duration = Duration::from_secs(10);

const FILE: &str = "bridges.json";

#[derive(Debug)]
pub(crate) struct Holds {
    file: PathBuf,
    bridges: Mutex<BTreeMap<String, Hold>>,
}

#[derive(Debug, Default)]
struct Hold {
    open: u32,
    /// Counts the breaks, so that a wait knows whether it is about the last one.
    breaks: u64,
}

impl Holds {
    /// With the bridges that the last owner knew, none of them here yet.
    pub(crate) fn load(data: &Path) -> Holds {
        let file = data.join(FILE);
        let text = std::fs::read_to_string(&file).unwrap_or_default();
        let keys: Vec<String> = serde_json::from_str(&text).unwrap_or_default();
        let bridges = keys.into_iter().map(|key| (key, Hold::default())).collect();
        Holds { file, bridges: Mutex::new(bridges) }
    }

    /// Those that are not here: each with what [`Holds::lapsed`] asks for.
    pub(crate) fn missing(&self) -> Vec<(String, u64)> {
        let bridges = self.bridges.lock();
        bridges
            .iter()
            .filter(|(_, hold)| hold.open == 0)
            .map(|(key, hold)| (key.clone(), hold.breaks))
            .collect()
    }

    pub(crate) fn open(&self, key: &str) {
        let mut bridges = self.bridges.lock();
        let known = bridges.contains_key(key);
        bridges.entry(key.to_owned()).or_default().open += 1;
        if !known {
            self.keep(&bridges);
        }
    }

    /// The request of `key` broke off. `Some`: none is left; pass it to [`Holds::lapsed`] after the grace.
    pub(crate) fn broke(&self, key: &str) -> Option<u64> {
        let mut bridges = self.bridges.lock();
        let hold = bridges.get_mut(key)?;
        hold.open = hold.open.saturating_sub(1);
        hold.breaks += 1;
        (hold.open == 0).then_some(hold.breaks)
    }

    /// True: the bridge did not come back since that break. It is then forgotten.
    pub(crate) fn lapsed(&self, key: &str, since: u64) -> bool {
        let mut bridges = self.bridges.lock();
        let lapsed = bridges.get(key).is_some_and(|hold| hold.open == 0 && hold.breaks == since);
        if lapsed {
            bridges.remove(key);
            self.keep(&bridges);
        }
        lapsed
    }

    /// The bridge said good-bye: a break that follows means nothing.
    pub(crate) fn forget(&self, key: &str) {
        let mut bridges = self.bridges.lock();
        if bridges.remove(key).is_some() {
            self.keep(&bridges);
        }
    }

    fn keep(&self, bridges: &BTreeMap<String, Hold>) {
        let keys: Vec<_> = bridges.keys().collect();
        let text = serde_json::to_string(&keys).unwrap_or_default();
        if let Err(error) = write_private(&self.file, &text) {
            tracing::warn!(%error, "the bridges that are here could not be written down");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bridge_lapses_only_when_it_stays_away() {
        let dir = tempfile::tempdir().unwrap();
        let holds = Holds::load(dir.path());
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

    #[test]
    fn the_next_owner_knows_whom_the_last_one_held() {
        let dir = tempfile::tempdir().unwrap();
        let holds = Holds::load(dir.path());
        ["a", "b", "c"].iter().for_each(|key| holds.open(key));
        holds.forget("b");
        let next = Holds::load(dir.path());
        next.open("c");
        assert_eq!(next.missing(), [("a".to_owned(), 0)]);
        assert!(next.lapsed("a", 0) && !next.lapsed("c", 0));
        assert_eq!(Holds::load(dir.path()).missing(), [("c".to_owned(), 0)]);
    }
}
