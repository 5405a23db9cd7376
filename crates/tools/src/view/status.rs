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
