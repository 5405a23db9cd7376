//! What may stand behind `tallyboard` on the command line. Few things: the rest is in the window,
//! or belongs to `tally`.

use std::ffi::OsString;
use std::path::PathBuf;

pub(crate) const HELP: &str = "\
Tallyboard: the live task board for AI coding agents, in a window.

Usage: tallyboard [--data DIR]

  --data DIR     the folder that holds the store (default: $TALLYBOARD_DATA, else the user's data folder)
  -h, --help     this text
  -V, --version  the version

In a terminal or a browser: tally --help
";

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    Window { data: Option<PathBuf> },
    Help,
    Version,
}

/// Reads the arguments behind the program's name.
pub(crate) fn parse(arguments: impl IntoIterator<Item = OsString>) -> Result<Wanted, String> {
    let mut data = None;
    let mut arguments = arguments.into_iter();
    while let Some(argument) = arguments.next() {
        let text = argument.to_string_lossy();
        match text.as_ref() {
            "-h" | "--help" => return Ok(Wanted::Help),
            "-V" | "--version" => return Ok(Wanted::Version),
            "--data" => {
                let folder = arguments.next().filter(|folder| !folder.is_empty());
                data = Some(PathBuf::from(folder.ok_or("--data needs a folder")?));
            }
            other => match other.strip_prefix("--data=") {
                Some(folder) if !folder.is_empty() => data = Some(PathBuf::from(folder)),
                _ => {
                    return Err(format!("\"{other}\" is not an option of tallyboard; see tallyboard --help"));
                }
            },
        }
    }
    Ok(Wanted::Window { data })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &[&str]) -> Result<Wanted, String> {
        parse(line.iter().map(OsString::from))
    }

    #[test]
    fn the_data_folder_is_taken_in_both_spellings() {
        let wanted = Wanted::Window { data: Some("here".into()) };
        assert_eq!(read(&["--data", "here"]).as_ref(), Ok(&wanted));
        assert_eq!(read(&["--data=here"]).as_ref(), Ok(&wanted));
        assert_eq!(read(&[]), Ok(Wanted::Window { data: None }));
    }

    #[test]
    fn what_is_not_known_is_refused() {
        assert!(read(&["--data"]).is_err());
        assert!(read(&["--data="]).is_err());
        assert!(read(&["--frobnicate"]).unwrap_err().contains("--frobnicate"));
        assert_eq!(read(&["-V"]), Ok(Wanted::Version));
        assert_eq!(read(&["--help", "--frobnicate"]), Ok(Wanted::Help));
    }
}
