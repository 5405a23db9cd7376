//! What differs between webviews and screens, in one place.

use std::ffi::OsStr;
use std::path::Path;

/// Whether there is a screen to open a window on; else why not.
pub(crate) fn screen() -> Result<(), String> {
    if !cfg!(target_os = "linux") || is_set("DISPLAY") || is_set("WAYLAND_DISPLAY") {
        return Ok(());
    }
    Err("there is no screen to open a window on (neither DISPLAY nor WAYLAND_DISPLAY is set)".to_owned())
}

/// Said under each reason for which no window can be opened.
pub(crate) const INSTEAD: &str = "Use the board in a browser instead: tally serve --ui";

/// WebKitGTK draws slowly, or nothing at all, when it shares buffers with a GPU that is not there.
/// Its switch is an environment variable that must stand before the process starts, so the program
/// starts itself again with it. Returns when nothing has to change. (Switched on, WebKitWebDriver
/// 2.50 never answers a request for a screenshot: tests that want one set it to 0 themselves.)
#[cfg(target_os = "linux")]
pub(crate) fn prepare() {
    use std::os::unix::process::CommandExt;

    const SWITCH: &str = "WEBKIT_DISABLE_DMABUF_RENDERER";
    if std::env::var_os(SWITCH).is_some() || has_gpu(Path::new("/dev/dri")) {
        return;
    }
    let Ok(program) = std::env::current_exe() else { return };
    let error = std::process::Command::new(program).args(std::env::args_os().skip(1)).env(SWITCH, "1").exec();
    eprintln!("tallyboard: could not start again with {SWITCH}=1 ({error}); going on without it");
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn prepare() {}

/// A render node is there as soon as a driver works that can draw.
fn has_gpu(folder: &Path) -> bool {
    let Ok(entries) = std::fs::read_dir(folder) else { return false };
    entries.flatten().any(|entry| entry.file_name().as_encoded_bytes().starts_with(b"renderD"))
}

fn is_set(name: &str) -> bool {
    std::env::var_os(name).as_deref().is_some_and(|value| value != OsStr::new(""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_render_node_is_a_gpu_and_a_card_alone_is_none() {
        let folder = tempfile::tempdir().unwrap();
        assert!(!has_gpu(&folder.path().join("absent")));
        std::fs::write(folder.path().join("card0"), "").unwrap();
        assert!(!has_gpu(folder.path()));
        std::fs::write(folder.path().join("renderD128"), "").unwrap();
        assert!(has_gpu(folder.path()));
    }
}
