//! Who calls, from where, on which board. A shell fills this in from what its transport proves;
//! the boundary decides what it means.

/// Who stands behind a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Identity {
    /// A person at one of our own surfaces.
    Person { name: String, surface: Surface },
    /// An agent. `name` and `version` come from MCP `clientInfo`; they are shown, never trusted.
    Agent { name: String, version: Option<String>, run: Run },
}

/// Where a person sits. One sitting at one surface is one run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Surface {
    Window,
    Browser,
    Cli,
}

/// What ties an agent's calls together, in the order of trust: the bridge's header, the session
/// minted by us, the ids a client sends in `_meta`, or nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Run {
    Bridge {
        key: String,
    },
    Session {
        key: String,
    },
    Meta {
        key: String,
    },
    /// The call gets a run of its own, flagged as not attributed.
    Unattributed,
}

/// One caller: identity, project, and the id that makes a transport-level retry harmless.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caller {
    pub identity: Identity,
    /// A project's id or its folder; `None` is the store's default project.
    pub project: Option<String>,
    /// Set by the bridge on each message: the same id again gives the first answer again.
    pub call_id: Option<String>,
}
