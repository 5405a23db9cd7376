//! What the top bar, the status bar and the empty screen need to know about the store.

use serde::Serialize;
use ts_rs::TS;

#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Status {
    /// The program's version.
    pub version: String,
    /// The folder that holds the store.
    pub data: String,
    #[ts(type = "number")]
    pub position: u64,
    /// Why nothing can be written, or `null`.
    pub read_only: Option<String>,
    /// Where agents connect, once the listener is up.
    pub mcp_url: Option<String>,
    pub token_file: Option<String>,
    /// The person's name as written into the ledger.
    pub person: String,
    pub tasks: u32,
    pub runs_open: u32,
    #[ts(type = "number")]
    pub rejected: u64,
}

use crate::Refusal;
use crate::host::{Host, unavailable};

pub(crate) fn load(host: &Host) -> Result<Status, Refusal> {
    let listener = host.listener();
    let read = host.store().read(|reader| {
        let (runs_open, rejected) = reader.run_totals()?;
        Ok((reader.position()?.0, reader.task_count()?, runs_open, rejected))
    });
    let read_only = host.store().read_only();
    // A damaged store may answer nothing; that it is damaged must be said all the same.
    let (position, tasks, runs_open, rejected) = match (read, &read_only) {
        (Ok(found), _) => found,
        (Err(_), Some(_)) => (0, 0, 0, 0),
        (Err(error), None) => return Err(unavailable(&error)),
    };
    Ok(Status {
        version: env!("CARGO_PKG_VERSION").into(),
        data: host.data().display().to_string(),
        position,
        read_only,
        mcp_url: listener.mcp_url,
        token_file: listener.token_file.map(|path| path.display().to_string()),
        person: host.person().into(),
        tasks,
        runs_open,
        rejected,
    })
}
