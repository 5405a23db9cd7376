//! The program's own log: JSON lines in `<data>/logs/`, one file a day, for whoever looks into a
//! fault. The record of what agents and people did is the ledger, not this.

use std::io;
use std::path::Path;

use tracing_appender::non_blocking::WorkerGuard;
use tracing_appender::rolling::{RollingFileAppender, Rotation};
use tracing_subscriber::EnvFilter;

const FILES_KEPT: usize = 14;

/// Writes what waits when it is dropped: keep it until the program ends.
#[derive(Debug)]
#[must_use]
pub struct Log {
    _worker: WorkerGuard,
}

/// What is written unless `TALLYBOARD_LOG` says otherwise. rmcp tells of each request at `info`:
/// a line of log for every call would cost more than the call.
const LEVELS: &str = "info,rmcp=warn";

/// Starts the log of `program` ("tally", "tallyboard"). `TALLYBOARD_LOG` says how much is written
/// (`info,rmcp=warn` unless set; see tracing-subscriber's `EnvFilter`). Panics are written down as well.
pub fn log(data: &Path, program: &str) -> io::Result<Log> {
    let folder = data.join("logs");
    create_private(&folder)?;
    let file = RollingFileAppender::builder()
        .rotation(Rotation::DAILY)
        .filename_prefix(program)
        .filename_suffix("jsonl")
        .max_log_files(FILES_KEPT)
        .build(folder)
        .map_err(io::Error::other)?;
    let (writer, worker) = tracing_appender::non_blocking(file);
    let filter = EnvFilter::try_from_env("TALLYBOARD_LOG").unwrap_or_else(|_| EnvFilter::new(LEVELS));
    let subscriber = tracing_subscriber::fmt().json().with_env_filter(filter).with_writer(writer).finish();
    tracing::subscriber::set_global_default(subscriber).map_err(io::Error::other)?;
    log_panics();
    Ok(Log { _worker: worker })
}

fn log_panics() {
    let before = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        let place = panic.location().map(ToString::to_string);
        tracing::error!(place, message = panic.payload_as_str(), "panic");
        before(panic);
    }));
}

/// The store lies here too: nobody else is to read it.
fn create_private(folder: &Path) -> io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_panics_land_in_the_folder() {
        let data = tempfile::tempdir().unwrap();
        let log = log(data.path(), "tally").unwrap();
        tracing::info!(number = 7, "hello");
        assert!(std::thread::spawn(|| panic!("on purpose")).join().is_err());
        drop(log);
        let file = std::fs::read_dir(data.path().join("logs")).unwrap().next().unwrap().unwrap();
        let name = file.file_name().into_string().unwrap();
        assert!(name.starts_with("tally.") && name.ends_with(".jsonl"), "{name}");
        let text = std::fs::read_to_string(file.path()).unwrap();
        assert!(text.contains("\"number\":7") && text.contains("on purpose"), "{text}");
    }
}
