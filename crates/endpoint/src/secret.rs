//! The two tokens of a store: made once, kept in files that only their owner reads, compared in
//! constant time, and never printed.

use std::fmt;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD as BASE64;
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;

/// What agents and bridges carry.
pub(crate) const AGENT_FILE: &str = "agent.token";
/// What our own programs carry when they act for the person.
pub(crate) const PERSON_FILE: &str = "person.token";

/// 32 random bytes, as base64url.
const TEXT_LEN: usize = 43;

/// A secret that can be shown to whoever proves nothing else, and prove itself without being shown.
#[derive(Clone)]
pub(crate) struct Secret {
    text: String,
    digest: [u8; 32],
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

impl Secret {
    /// Reads `<dir>/<name>`, or makes it.
    pub(crate) fn load_or_create(dir: &Path, name: &str) -> Result<Secret, String> {
        keep_private(dir, 0o700)?;
        let path = dir.join(name);
        if !path.exists() {
            write_private(&path, &random_text(32)?).map_err(|error| cannot("create", &path, &error))?;
        }
        Secret::load(dir, name)
    }

    pub(crate) fn load(dir: &Path, name: &str) -> Result<Secret, String> {
        let path = dir.join(name);
        keep_private(&path, 0o600)?;
        let text = fs::read_to_string(&path).map_err(|error| cannot("read", &path, &error))?;
        let text = text.trim_end().to_owned();
        if text.len() != TEXT_LEN || BASE64.decode(&text).is_err() {
            return Err(format!(
                "{} does not hold a token ({TEXT_LEN} base64url characters); delete it and start again",
                path.display()
            ));
        }
        Ok(Secret::from_text(text))
    }

    pub(crate) fn from_text(text: String) -> Secret {
        let digest = Sha256::digest(text.as_bytes()).into();
        Secret { text, digest }
    }

    /// The token itself, for the header of a request to a proven owner.
    pub(crate) fn reveal(&self) -> &str {
        &self.text
    }

    /// Both sides are hashed first, so that neither length nor content shows in the time taken.
    pub(crate) fn matches(&self, presented: &[u8]) -> bool {
        let digest: [u8; 32] = Sha256::digest(presented).into();
        self.digest.ct_eq(&digest).into()
    }

    /// HMAC-SHA256 under this secret over `label || parts`.
    pub(crate) fn mac(&self, label: &str, parts: &[&[u8]]) -> [u8; 32] {
        // HMAC takes a key of any length, so this never fails.
        let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(self.text.as_bytes()) else { return self.digest };
        mac.update(label.as_bytes());
        for part in parts {
            mac.update(part);
        }
        mac.finalize().into_bytes().into()
    }

    /// Whether `presented` is the base64url of the first `keep` bytes of that HMAC.
    pub(crate) fn proves(&self, presented: &str, keep: usize, label: &str, parts: &[&[u8]]) -> bool {
        let Ok(presented) = BASE64.decode(presented) else { return false };
        self.mac(label, parts)[..keep].ct_eq(&presented).into()
    }
}

/// `count` random bytes as base64url.
pub(crate) fn random_text(count: usize) -> Result<String, String> {
    let mut bytes = vec![0; count];
    getrandom::fill(&mut bytes).map_err(|error| format!("the system gives no random bytes: {error}"))?;
    Ok(BASE64.encode(bytes))
}

/// Writes a file that only its owner reads, whole or not at all.
pub(crate) fn write_private(path: &Path, text: &str) -> std::io::Result<()> {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.tmp", std::process::id()));
    let draft: PathBuf = path.with_file_name(name);
    let _ = fs::remove_file(&draft);
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let written = options.open(&draft).and_then(|mut file| {
        file.write_all(text.as_bytes())?;
        file.sync_all()
    });
    written.and_then(|()| fs::rename(&draft, path)).inspect_err(|_| {
        let _ = fs::remove_file(&draft);
    })
}

fn cannot(what: &str, path: &Path, error: &std::io::Error) -> String {
    format!("cannot {what} {}: {error}", path.display())
}

/// Takes away what group and others may do; an error when that cannot be had.
#[cfg(unix)]
fn keep_private(path: &Path, mode: u32) -> Result<(), String> {
    use std::os::unix::fs::PermissionsExt as _;
    let found = match fs::symlink_metadata(path) {
        Ok(found) => found,
        Err(error) => return Err(cannot("read", path, &error)),
    };
    if found.file_type().is_symlink() && mode == 0o600 {
        return Err(format!(
            "{} is a link; a token must be a plain file: delete it and start again",
            path.display()
        ));
    }
    if found.permissions().mode() & 0o077 == 0 || found.file_type().is_symlink() {
        return Ok(());
    }
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).map_err(|error| {
        format!(
            "{} can be read by others, and that cannot be changed ({error}); run `chmod {mode:o}` on it as its owner",
            path.display()
        )
    })
}

/// On other systems the user's own folder is what keeps others out.
#[cfg(not(unix))]
fn keep_private(_path: &Path, _mode: u32) -> Result<(), String> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_made_once_and_matches_only_itself() {
        let dir = tempfile::tempdir().unwrap();
        let made = Secret::load_or_create(dir.path(), AGENT_FILE).unwrap();
        let again = Secret::load_or_create(dir.path(), AGENT_FILE).unwrap();
        assert!(again.matches(made.reveal().as_bytes()));
        assert_eq!(made.reveal().len(), TEXT_LEN);
        let wrong = format!("{}A", &made.reveal()[..42]);
        for other in ["", &wrong, &made.reveal()[..42], &format!("{}=", made.reveal())] {
            assert!(!made.matches(other.as_bytes()) || other == made.reveal());
        }
        let person = Secret::load_or_create(dir.path(), PERSON_FILE).unwrap();
        assert!(!person.matches(made.reveal().as_bytes()));
        assert_eq!(format!("{made:?}"), "Secret(…)");
    }

    #[cfg(unix)]
    #[test]
    fn files_are_private_and_made_private_again() {
        use std::os::unix::fs::PermissionsExt as _;
        let dir = tempfile::tempdir().unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        fs::set_permissions(dir.path(), fs::Permissions::from_mode(0o755)).unwrap();
        Secret::load_or_create(dir.path(), AGENT_FILE).unwrap();
        let file = dir.path().join(AGENT_FILE);
        assert_eq!((mode(dir.path()), mode(&file)), (0o700, 0o600));
        fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
        Secret::load(dir.path(), AGENT_FILE).unwrap();
        assert_eq!(mode(&file), 0o600);
        fs::write(&file, "short").unwrap();
        assert!(Secret::load(dir.path(), AGENT_FILE).unwrap_err().contains("delete it"));
        fs::remove_file(&file).unwrap();
        std::os::unix::fs::symlink("/dev/null", &file).unwrap();
        assert!(Secret::load(dir.path(), AGENT_FILE).unwrap_err().contains("is a link"));
    }
}
