//! Events → what is. Pure folds: the same events give the same state, whoever asks and whenever.
//!
//! They check shape only (versions count up by one, a task exists before it changes); they never
//! ask what a policy says today, so a history that was valid when written replays for ever.
//! [`World`] folds everything; [`Board`] needs only the events that touch one project's board, and
//! [`Facts`] those of one run, so that a kept state and the events after it give any moment.

mod board;
mod facts;
mod world;

pub use board::{Board, held_after};
pub use facts::{Facts, ToolCount, Used};
pub use world::{At, FoldError, Project, Run, World};
