//! Which folder holds the store, and which what vouches for it.

use std::ffi::OsString;
use std::path::{Path, PathBuf, absolute};

const FOLDER: &str = "tallyboard";

/// `--data`, else `TALLYBOARD_DATA`, else the user's data folder (`$XDG_DATA_HOME/tallyboard`).
/// Absolute; need not exist yet.
pub fn data_dir(asked: Option<&Path>) -> Result<PathBuf, String> {
    choose(asked, &|name| std::env::var_os(name))
}

fn choose(asked: Option<&Path>, variable: &dyn Fn(&str) -> Option<OsString>) -> Result<PathBuf, String> {
    let set = |name: &str| variable(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let chosen = asked.map(Path::to_owned).or_else(|| set("TALLYBOARD_DATA"));
    if let Some(folder) = chosen {
        return absolute(&folder)
            .map_err(|error| format!("{} cannot be the data folder: {error}", folder.display()));
    }
    // The XDG specification has relative values ignored.
    let users = set("XDG_DATA_HOME").filter(|folder| folder.is_absolute()).or_else(|| {
        if cfg!(windows) {
            set("LOCALAPPDATA")
        } else if cfg!(target_os = "macos") {
            set("HOME").map(|home| home.join("Library/Application Support"))
        } else {
            set("HOME").map(|home| home.join(".local/share"))
        }
    });
    let users = users.ok_or("there is no home folder to keep the store in; name one with --data DIR")?;
    Ok(users.join(FOLDER))
}

/// Where the signing key and the second copy of the checkpoints of the user's own store are kept: not
/// beside it, so that whoever puts an old store back does not put these back with it. `None`: the
/// store is another one and keeps them in its folder.
#[must_use]
pub fn witness_dir(data: &Path) -> Option<PathBuf> {
    beside(data, &|name| std::env::var_os(name))
}

fn beside(data: &Path, variable: &dyn Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let set = |name: &str| variable(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    if let Some(folder) = set("TALLYBOARD_WITNESS") {
        return absolute(folder).ok();
    }
    let own = choose(None, &|name| if name == "TALLYBOARD_DATA" { None } else { variable(name) });
    if own.as_deref() != Ok(data) {
        return None;
    }
    let state = set("XDG_STATE_HOME").filter(|folder| folder.is_absolute()).or_else(|| {
        if cfg!(windows) {
            set("APPDATA")
        } else if cfg!(target_os = "macos") {
            set("HOME").map(|home| home.join("Library/Preferences"))
        } else {
            set("HOME").map(|home| home.join(".local/state"))
        }
    })?;
    Some(state.join(FOLDER))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_users_own_store_has_its_witness_elsewhere() {
        let check = |data: &str, variables: &[(&str, &str)], expected: Option<&str>| {
            let variable = |name: &str| {
                variables.iter().find(|(known, _)| *known == name).map(|(_, value)| OsString::from(value))
            };
            assert_eq!(beside(Path::new(data), &variable), expected.map(PathBuf::from), "{data}");
        };
        let own = [("XDG_DATA_HOME", "/c"), ("XDG_STATE_HOME", "/s"), ("HOME", "/d")];
        check("/c/tallyboard", &own, Some("/s/tallyboard"));
        check("/tmp/other", &own, None);
        check("/tmp/other", &[("TALLYBOARD_WITNESS", "/w"), ("HOME", "/d")], Some("/w"));
    }

    fn chosen(asked: Option<&str>, variables: &[(&str, &str)]) -> Result<PathBuf, String> {
        choose(asked.map(Path::new), &|name| {
            variables.iter().find(|(known, _)| *known == name).map(|(_, value)| OsString::from(value))
        })
    }

    #[test]
    fn the_nearest_wish_wins() {
        let all = [("TALLYBOARD_DATA", "/b"), ("XDG_DATA_HOME", "/c"), ("HOME", "/d")];
        assert_eq!(chosen(Some("/a"), &all), Ok("/a".into()));
        assert_eq!(chosen(None, &all), Ok("/b".into()));
        assert_eq!(chosen(None, &all[1..]), Ok("/c/tallyboard".into()));
        assert!(chosen(None, &[]).unwrap_err().contains("--data"));
    }

    #[test]
    fn what_is_relative_or_empty() {
        assert!(chosen(Some("here"), &[]).unwrap().is_absolute());
        let ignored =
            [("TALLYBOARD_DATA", ""), ("XDG_DATA_HOME", "c"), ("HOME", "/d"), ("LOCALAPPDATA", "/d")];
        assert!(chosen(None, &ignored).unwrap().starts_with("/d"));
    }
}
