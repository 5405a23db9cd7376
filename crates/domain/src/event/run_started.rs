//! The first event of every run: whose it is, on which project, how its calls are tied together.

use crate::{ActorKind, AgentName, ProjectId, Source};
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunStarted {
    v: u8,
    pub project: ProjectRef,
    pub actor: ActorKind,
    /// The agent's name, or the person's.
    pub name: AgentName,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub version: Option<String>,
    pub source: Source,
}

/// The project as it was known when the run began.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProjectRef {
    pub id: ProjectId,
    pub name: String,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub path: Option<String>,
}

impl RunStarted {
    #[must_use]
    pub fn new(
        project: ProjectRef,
        actor: ActorKind,
        name: AgentName,
        version: Option<String>,
        source: Source,
    ) -> Self {
        RunStarted { v: 1, project, actor, name, version, source }
    }
}
