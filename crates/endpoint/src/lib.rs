//! Doors on loopback: MCP over HTTP for agents, the people's listener for browsers, the stdio
//! bridge, and the guard that stands before all of them.
//!
//! A door holds no rule of the board: it proves who calls, checks that what came is well formed,
//! and hands it to [`tools::Host`]. Two programs stand on this crate:
//!
//! - an **owner** (`tally serve`, the desktop app) opens a [`tools::Host`] and starts a [`Server`];
//! - everything else on the machine (`tally call`, `tally open`, a second desktop window) finds the
//!   owner with [`remote::Owner::find`] and speaks to it.

mod activity;
mod api;
mod app;
mod board;
mod body;
mod bounded;
pub mod bridge;
mod caller;
mod client;
mod deny;
pub mod feed;
mod guard;
mod hold;
mod link;
mod listener;
mod login;
mod mcp;
mod message;
mod owner_file;
mod people;
mod port;
mod proof;
pub mod remote;
mod secret;
mod server;
mod session;

pub use owner_file::OwnerFile;
pub use server::{ServeOptions, Server, StartError};
