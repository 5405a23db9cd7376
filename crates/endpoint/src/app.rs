//! What all doors of one owner share.

use std::sync::Arc;

use tokio::sync::watch;
use tools::Host;

use crate::activity::Activity;
use crate::hold::Holds;
use crate::login::Links;
use crate::secret::Secret;

/// Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct App(Arc<Inner>);

#[derive(Debug)]
pub(crate) struct Inner {
    pub host: Host,
    pub agent: Secret,
    pub person: Secret,
    /// Random per start.
    pub nonce: String,
    pub mcp_port: u16,
    pub ui_port: Option<u16>,
    pub links: Links,
    pub holds: Holds,
    pub activity: Activity,
    /// True once the owner is closing.
    pub stop: watch::Sender<bool>,
}

impl App {
    pub(crate) fn new(inner: Inner) -> App {
        App(Arc::new(inner))
    }

    pub(crate) fn is_closing(&self) -> bool {
        *self.stop.borrow()
    }

    /// Comes back when the owner is closing.
    pub(crate) fn closing(&self) -> impl Future<Output = ()> + Send + 'static + use<> {
        let mut stop = self.stop.subscribe();
        async move {
            let _ = stop.wait_for(|closing| *closing).await;
        }
    }

    /// A one-time link; `None` without the people's listener.
    pub(crate) fn login_link(&self) -> Option<String> {
        let port = self.ui_port?;
        let key =
            self.links.make().inspect_err(|error| tracing::error!(%error, "no link could be made")).ok()?;
        Some(format!("http://127.0.0.1:{port}/login?k={key}"))
    }
}

impl std::ops::Deref for App {
    type Target = Inner;

    fn deref(&self) -> &Inner {
        &self.0
    }
}
