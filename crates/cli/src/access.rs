//! The store, however it can be reached: through its running owner, or by owning it for the time
//! of one command.

use anyhow::{Context, Result, anyhow};
use endpoint::remote::{FindError, Owner, RemoteError};
use serde_json::Value;
use std::path::Path;
use tools::{Answer, Caller, Failure, Host, Identity, OpenError, Options, Surface};

#[derive(Debug)]
pub(crate) enum Access {
    Owner(Owner),
    Own(Host),
}

impl Access {
    pub(crate) async fn open(data: &Path) -> Result<Access> {
        match Owner::find(data, Surface::Cli).await {
            Ok(owner) => return Ok(Access::Owner(owner)),
            // A stranger at the port owns nothing: the lock on the store decides.
            Err(FindError::NotRunning(_) | FindError::NotProven(_)) => {}
            Err(error) => return Err(anyhow!(error)).context("the owner of the store cannot be reached"),
        }
        match Host::open(Options {
            data: data.to_owned(),
            person: program::person(),
            witness: program::witness_dir(data),
        }) {
            Ok(host) => Ok(Access::Own(host)),
            Err(error @ OpenError::Held { .. }) => {
                Err(anyhow!("{error}\nIt does not answer yet; try again in a moment, or run `tally doctor`."))
            }
            Err(error @ OpenError::Unusable { .. }) => Err(anyhow!(error)),
        }
    }

    pub(crate) async fn call(
        &self,
        project: Option<&str>,
        tool: &str,
        arguments: Value,
    ) -> Result<Result<Answer, Failure>> {
        match self {
            Access::Owner(owner) => match owner.call(project, tool, arguments, None).await {
                Ok(answer) => Ok(Ok(answer)),
                Err(RemoteError::Failed(failure)) => Ok(Err(failure)),
                Err(error @ RemoteError::Lost(_)) => Err(anyhow!(error)),
            },
            Access::Own(host) => {
                let identity = Identity::Person { name: program::person(), surface: Surface::Cli };
                let caller = Caller { identity, project: project.map(str::to_owned), call_id: None };
                Ok(host.call(caller, tool, arguments).await)
            }
        }
    }

    pub(crate) async fn bytes(&self, name: &str, params: Value) -> Result<Vec<u8>> {
        match self {
            Access::Owner(owner) => Ok(owner.bytes(name, params).await?),
            Access::Own(host) => host.bytes(name, params).await.map_err(told),
        }
    }

    pub(crate) async fn view(&self, name: &str, params: Value) -> Result<Value> {
        match self {
            Access::Owner(owner) => Ok(owner.view(name, params).await?),
            Access::Own(host) => host.view(name, params).await.map_err(told),
        }
    }
}

fn told(failure: Failure) -> anyhow::Error {
    match failure {
        Failure::Refused(refusal) => anyhow!(refusal.to_text()),
        Failure::UnknownTool { message, .. } => anyhow!(message),
    }
}

impl Drop for Access {
    fn drop(&mut self) {
        if let Access::Own(host) = self {
            host.close();
        }
    }
}
