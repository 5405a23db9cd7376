//! Doors on loopback: MCP over HTTP for agents, the people's listener for browsers, the stdio
//! bridge, and the guard that stands before all of them.
//!
//! A door holds no rule of the board: it proves who calls, checks that what came is well formed,
//! and hands it to [`tools::Host`]. Two programs stand on this crate:
//!
//! - an **owner** (`tally serve`, the desktop app) opens a [`tools::Host`] and starts a [`Server`];
//! - everything else on the machine (`tally call`, `tally open`, a second desktop window) finds the
//!   owner with [`remote::Owner::find`] and speaks to it.

pub mod feed;
pub mod remote;
mod server;

pub use server::{ServeOptions, Server, StartError};
