//! Rules of a deployment, apart from what is always true. One rule, one file; each is pure and is
//! asked in the order of [`Policies`]. Tightening one never invalidates what was written before.

pub mod stale_guard;

pub use stale_guard::StaleGuard;

/// The rules in force for one project.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Policies {
    pub stale_guard: StaleGuard,
}
