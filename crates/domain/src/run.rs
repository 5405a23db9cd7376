//! Runs: whose they are, where they came from, how they end.

use serde::{Deserialize, Serialize};

macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($variant:ident = $word:literal),* $(,)? }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub enum $name { $(#[serde(rename = $word)] $variant),* }

        impl $name {
            pub const ALL: &'static [$name] = &[$($name::$variant),*];

            #[must_use]
            pub fn as_str(self) -> &'static str {
                match self { $($name::$variant => $word),* }
            }

            #[must_use]
            pub fn parse(word: &str) -> Option<Self> {
                match word { $($word => Some($name::$variant),)* _ => None }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }
    };
}
pub(crate) use words;

words!(
    /// Who did it.
    ActorKind { Agent = "agent", Person = "person", Host = "host" }
);

words!(
    /// How the calls of a run were tied together.
    Source {
        Bridge = "bridge",
        Session = "session",
        Meta = "meta",
        Unattributed = "unattributed",
        Window = "window",
        Browser = "browser",
        Cli = "cli",
        Import = "import",
        Transcript = "transcript",
        Hooks = "hooks",
        Telemetry = "telemetry",
    }
);

impl Source {
    /// The run was not tied to this board by its calls: it is watched from outside, and touches no task.
    #[must_use]
    pub fn is_observed(self) -> bool {
        matches!(self, Source::Import | Source::Transcript | Source::Hooks | Source::Telemetry)
    }
}

words!(
    /// Why a run ended.
    EndReason {
        Completed = "completed",
        Failed = "failed",
        Interrupted = "interrupted",
        Cancelled = "cancelled",
        BudgetExhausted = "budget_exhausted",
    }
);

/// A run is running until it ends with a reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunStatus {
    Running,
    Ended(EndReason),
}

impl RunStatus {
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            RunStatus::Running => "running",
            RunStatus::Ended(reason) => reason.as_str(),
        }
    }
}
