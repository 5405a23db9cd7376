//! `tallyboard`: the board in a window. A shell: it holds no rule, it opens the store (or attaches
//! to whoever has it open) and carries views, calls and changes between it and the page.

mod app;
mod args;
mod backend;
mod commands;
mod desk;
mod feed;
mod webview;

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use args::Wanted;
use backend::Place;

fn main() -> ExitCode {
    match args::parse(std::env::args_os().skip(1)) {
        Ok(Wanted::Window { data }) => open(data),
        Ok(Wanted::Help) => say(args::HELP),
        Ok(Wanted::Version) => say(concat!("tallyboard ", env!("CARGO_PKG_VERSION"), "\n")),
        Err(why) => fail(2, &why),
    }
}

fn open(data: Option<PathBuf>) -> ExitCode {
    let run = || {
        webview::screen()?;
        webview::prepare();
        let data = program::data_dir(data.as_deref())?;
        // A folder that takes no log takes no store either; the window says so.
        let _log = program::log(&data, "tallyboard");
        app::run(Place { data, person: program::person() })
    };
    match run() {
        Ok(code) => ExitCode::from(u8::try_from(code).unwrap_or(1)),
        Err(why) => fail(1, &format!("{why}\n{}", webview::INSTEAD)),
    }
}

fn say(text: &str) -> ExitCode {
    // A reader that went away wants no more.
    let _ = std::io::stdout().write_all(text.as_bytes());
    ExitCode::SUCCESS
}

fn fail(code: u8, why: &str) -> ExitCode {
    eprintln!("tallyboard: {why}");
    ExitCode::from(code)
}
