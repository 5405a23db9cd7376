//! The first event of every run: whose it is, on which project, how its calls are tied together.

use super::line::{Fact, Lane, Line, State};
use crate::{ActorKind, AgentName, ProjectId, RunId, Source};
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
    /// The run that started this one, when it is a sub-run.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub parent: Option<RunId>,
    /// What the run is for, in the agent's words.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub title: Option<String>,
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
        RunStarted { v: 1, project, actor, name, version, source, parent: None, title: None }
    }
}

impl Fact for RunStarted {
    fn line(&self) -> Line<'_> {
        Line::new(Lane::Run, State::Plain).text(self.title.as_deref().unwrap_or(self.name.as_str()))
    }
}
