//! What vouches for the ledger from outside the store: the key that signs checkpoints, and a second
//! copy of every checkpoint.

use domain::ledger::{Checkpoint, Head, Key, PublicKey, Sealed};
use domain::{RunId, Timestamp};
use parking_lot::Mutex;
use std::collections::HashSet;
use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use store::table::checkpoint::CheckpointRow;
use store::{Store, StoreError};

const KEY_FILE: &str = "ledger.key";
const CHECKPOINT_FILE: &str = "checkpoints.jsonl";
/// Checkpoints that are copied at once.
const AT_ONCE: u32 = 5_000;

/// A checkpoint with its signature.
pub(crate) type Signed = (Checkpoint, [u8; 64]);

#[derive(Debug)]
pub(crate) struct Witness {
    file: PathBuf,
    /// `None`: there is no key to sign with; why was logged.
    key: Option<Key>,
    /// The newest checkpoint of the store that stands in the file; `None`: not looked yet.
    copied: Mutex<Option<i64>>,
}

impl Witness {
    pub(crate) fn open(dir: &Path) -> Witness {
        let key = load_key(dir)
            .inspect_err(|error| {
                tracing::warn!(%error, dir = %dir.display(), "there is no key: checkpoints are not signed");
            })
            .ok();
        Witness { file: dir.join(CHECKPOINT_FILE), key, copied: Mutex::new(None) }
    }

    pub(crate) fn can_sign(&self) -> bool {
        self.key.is_some()
    }

    pub(crate) fn public(&self) -> Option<PublicKey> {
        self.key.as_ref().map(Key::public)
    }

    pub(crate) fn sign(&self, run: RunId, head: Head, at: Timestamp) -> [u8; 64] {
        let checkpoint = Checkpoint { run, seq: head.seq, hash: head.hash, at };
        self.key.as_ref().map_or([0; 64], |key| checkpoint.sign(key))
    }

    /// The checkpoints of one run that stand outside the store.
    pub(crate) fn outside(&self, run: RunId) -> Vec<Signed> {
        let name = run.to_string();
        let text = std::fs::read_to_string(&self.file).unwrap_or_default();
        let lines = text.lines().filter(|line| line.contains(&name));
        lines
            .filter_map(|line| serde_json::from_str::<Sealed>(line).ok()?.open())
            .filter(|(checkpoint, _)| checkpoint.run == run)
            .collect()
    }

    /// Copies what the store has signed since to the file outside it.
    pub(crate) fn copy_out(&self, store: &Store) -> Result<(), StoreError> {
        let Some(public) = self.public() else { return Ok(()) };
        let mut copied = self.copied.lock();
        // The first time the file itself says what it has.
        let known = if copied.is_none() { self.known() } else { HashSet::new() };
        let mut last = copied.unwrap_or(0);
        loop {
            let rows = store.read(|reader| reader.checkpoint_after(last, AT_ONCE))?;
            let Some(newest) = rows.last().map(|row| row.key) else { break };
            let fresh: String = rows
                .iter()
                .filter(|row| !known.contains(&(row.run, row.seq.0)))
                .map(|row| signed(row).0.seal(&public, &row.sig).line() + "\n")
                .collect();
            self.add(&fresh).map_err(StoreError::internal)?;
            last = newest;
        }
        *copied = Some(last);
        Ok(())
    }

    fn known(&self) -> HashSet<(RunId, u64)> {
        let text = std::fs::read_to_string(&self.file).unwrap_or_default();
        let sealed = text.lines().filter_map(|line| serde_json::from_str::<Sealed>(line).ok()?.open());
        sealed.map(|(checkpoint, _)| (checkpoint.run, checkpoint.seq.0)).collect()
    }

    fn add(&self, lines: &str) -> std::io::Result<()> {
        if lines.is_empty() {
            return Ok(());
        }
        let mut file = private().append(true).create(true).open(&self.file)?;
        file.write_all(lines.as_bytes())?;
        file.sync_data()
    }
}

/// A stored checkpoint and its signature.
pub(crate) fn signed(row: &CheckpointRow) -> Signed {
    (Checkpoint { run: row.run, seq: row.seq, hash: row.hash, at: row.at }, row.sig)
}

/// Options for a file that only its owner may read.
fn private() -> OpenOptions {
    #[cfg_attr(not(unix), expect(unused_mut, reason = "only Unix has modes"))]
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(0o600);
    }
    options
}

fn make_private_dir(dir: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(dir)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(dir, std::fs::Permissions::from_mode(0o700))?;
    }
    Ok(())
}

/// Reads the key, or makes one where there is none.
fn load_key(dir: &Path) -> std::io::Result<Key> {
    let path = dir.join(KEY_FILE);
    match File::open(&path) {
        Ok(file) => return read_key(file),
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
        Err(_) => {}
    }
    make_private_dir(dir)?;
    let mut secret = [0; 32];
    getrandom::fill(&mut secret).map_err(|error| std::io::Error::other(error.to_string()))?;
    let text: String = secret.iter().map(|byte| format!("{byte:02x}")).collect();
    match private().write(true).create_new(true).open(&path) {
        Ok(mut file) => {
            file.write_all(text.as_bytes())?;
            file.sync_all()?;
            Ok(Key::from_secret(&secret))
        }
        // Another program of ours was quicker.
        Err(error) if error.kind() == ErrorKind::AlreadyExists => read_key(File::open(&path)?),
        Err(error) => Err(error),
    }
}

fn read_key(mut file: File) -> std::io::Result<Key> {
    let mut text = String::new();
    file.read_to_string(&mut text)?;
    let text = text.trim();
    let mut secret = [0; 32];
    let pairs = text.as_bytes().chunks(2);
    if text.len() != 64 || !text.is_ascii() {
        return Err(std::io::Error::other("the key file does not hold 64 hexadecimal digits"));
    }
    for (byte, pair) in secret.iter_mut().zip(pairs) {
        let digits = std::str::from_utf8(pair).map_err(std::io::Error::other)?;
        *byte = u8::from_str_radix(digits, 16).map_err(std::io::Error::other)?;
    }
    Ok(Key::from_secret(&secret))
}
