//! What both programs (`tally`, `tallyboard`) do before anything else: which store, whose name,
//! where the log goes.

mod data;
mod log;
mod person;

pub use data::{data_dir, witness_dir};
pub use log::{Log, log};
pub use person::person;
