//! A run ended, and why.

use crate::EndReason;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunEnded {
    v: u8,
    pub reason: EndReason,
}

impl RunEnded {
    #[must_use]
    pub fn new(reason: EndReason) -> Self {
        RunEnded { v: 1, reason }
    }
}
