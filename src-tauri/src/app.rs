//! The window itself: what Tauri is told, and when the store is opened and closed.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use tauri::{App, AppHandle, Builder, Manager, RunEvent, WebviewWindowBuilder, Wry};
use tauri_plugin_window_state::StateFlags;

use crate::backend::Place;
use crate::commands;
use crate::desk::Desk;

/// Opens the window and stays until it is closed. Gives back the exit code, or why there is no window.
pub(crate) fn run(place: Place) -> Result<i32, String> {
    let app = build(place)?;
    let code = app.run_return(|app, event| {
        if let RunEvent::Exit = event {
            app.state::<Desk>().close();
        }
    });
    Ok(code)
}

/// GTK panics when it cannot reach the screen; that is a message for a person, not a crash.
fn build(place: Place) -> Result<App, String> {
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| ()));
    let built = catch_unwind(AssertUnwindSafe(|| builder(place).build(tauri::generate_context!())));
    std::panic::set_hook(hook);
    match built {
        Ok(app) => app.map_err(|error| format!("the window could not be opened: {error}")),
        Err(panic) => {
            let why = panic.downcast_ref::<String>().map(String::as_str);
            let why = why.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no reason was given");
            Err(format!("the window could not be opened: {why}"))
        }
    }
}

fn builder(place: Place) -> Builder<Wry> {
    let one = tauri_plugin_single_instance::Builder::new()
        .dbus_id(instance_id(&place.data))
        .callback(|app, _arguments, _folder| focus(app))
        .build();
    let remembered = tauri_plugin_window_state::Builder::new()
        .with_state_flags(StateFlags::SIZE | StateFlags::POSITION | StateFlags::MAXIMIZED)
        .with_filename(place.data.join("window.json").to_string_lossy())
        .build();
    Builder::default()
        // First, so that a second start ends before it touches anything.
        .plugin(one)
        .plugin(remembered)
        .invoke_handler(tauri::generate_handler![
            commands::view,
            commands::bytes,
            commands::call,
            commands::feed
        ])
        .setup(|app| {
            let webview = place.data.join("webview");
            app.manage(Desk::open(place));
            end_on_signal(app.handle());
            // `tauri.conf.json` says how it looks. What the page keeps (theme, drafts) is the store's own.
            let config = app.config().app.windows.first().ok_or("tauri.conf.json describes no window")?;
            WebviewWindowBuilder::from_config(app, config)?.data_directory(webview).build()?;
            Ok(())
        })
}

/// One window a store: another `--data` is another instance.
fn instance_id(data: &Path) -> String {
    let mut hasher = DefaultHasher::new();
    data.hash(&mut hasher);
    format!("app.tallyboard.Tallyboard.s{:016x}", hasher.finish())
}

fn focus(app: &AppHandle) {
    let Some(window) = app.get_webview_window("main") else { return };
    let focused = window.unminimize().and_then(|()| window.show()).and_then(|()| window.set_focus());
    if let Err(error) = focused {
        tracing::warn!(%error, "the window could not be brought to the front");
    }
}

/// A session that ends asks programs to go; they then close as if the window had been closed.
#[cfg(unix)]
fn end_on_signal(app: &AppHandle) {
    use tokio::signal::unix::{SignalKind, signal};

    for kind in [SignalKind::terminate(), SignalKind::interrupt(), SignalKind::hangup()] {
        let app = app.clone();
        tauri::async_runtime::spawn(async move {
            if let Ok(mut signal) = signal(kind) {
                signal.recv().await;
                app.exit(0);
            }
        });
    }
}

#[cfg(not(unix))]
fn end_on_signal(_app: &AppHandle) {}
