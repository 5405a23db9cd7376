//! `<data>/owner.json`, and its copies: where the owner of a store is to be found.

use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::secret::write_private;

pub(crate) const NAME: &str = "owner.json";

/// What `<data>/owner.json` and a ready file say.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OwnerFile {
    pub mcp_url: String,
    /// A one-time link into the page; null without the people's listener.
    pub ui_url: Option<String>,
    pub token_file: PathBuf,
    pub pid: u32,
    pub data: PathBuf,
    /// Random per start.
    pub nonce: String,
    pub version: String,
}

impl OwnerFile {
    /// Whole or not at all, readable by its owner alone.
    pub(crate) fn write(&self, path: &Path) -> Result<(), String> {
        let text = serde_json::to_string(self).map_err(|error| error.to_string())?;
        write_private(path, &text).map_err(|error| format!("cannot write {}: {error}", path.display()))
    }

    /// `Ok(None)`: nobody has announced himself.
    pub(crate) fn read(data: &Path) -> Result<Option<OwnerFile>, String> {
        let path = data.join(NAME);
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(format!("cannot read {}: {error}", path.display())),
        };
        serde_json::from_str(&text)
            .map(Some)
            .map_err(|error| format!("{} cannot be read: {error}", path.display()))
    }

    /// The agents' port on 127.0.0.1.
    pub(crate) fn port(&self) -> Option<u16> {
        self.mcp_url.strip_prefix("http://127.0.0.1:")?.strip_suffix("/mcp")?.parse().ok()
    }
}

/// Removes the file if it is still that owner's.
pub(crate) fn remove(path: &Path, nonce: &str) {
    let text = fs::read_to_string(path).unwrap_or_default();
    if serde_json::from_str::<OwnerFile>(&text).is_ok_and(|file| file.nonce == nonce) {
        let _ = fs::remove_file(path);
    }
}
