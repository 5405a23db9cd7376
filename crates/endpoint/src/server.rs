//! One owner's listeners: bound, announced in `owner.json`, and ended together.

use std::path::{Path, PathBuf};
use std::time::Duration;

use axum::Router;
use axum::middleware::from_fn_with_state;
use axum::routing::{any, get, post};
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tools::Host;

use crate::app::{App, Inner};
use crate::guard::{Guard, Side};
use crate::hold::Holds;
use crate::listener::{Front, front, serve};
use crate::owner_file::{self, OwnerFile};
use crate::secret::{AGENT_FILE, PERSON_FILE, Secret, random_text};
use crate::{api, link, mcp, people, port};

/// What an owner offers, and where.
#[derive(Debug, Clone, Default)]
pub struct ServeOptions {
    /// The agents' port. `None`: the remembered one, else 8737, else any free one. `Some` and busy: an error.
    pub port: Option<u16>,
    /// Whether to open the people's listener (the UI in a browser).
    pub ui: bool,
    /// The people's port, by the same rules (8738).
    pub ui_port: Option<u16>,
    /// A second copy of `<data>/owner.json`, for whoever started us.
    pub ready_file: Option<PathBuf>,
}

/// Why an owner could not start. Each message says what to do.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    #[error("{0}")]
    PortBusy(String),
    #[error("{0}")]
    Secret(String),
    #[error("{0}")]
    Io(String),
}

/// The running listeners. Dropping it ends them at once; [`Server::shutdown`] ends them cleanly.
#[derive(Debug)]
pub struct Server {
    app: App,
    tasks: JoinSet<()>,
    mcp_url: String,
    ui_url: Option<String>,
    token_file: PathBuf,
    files: Vec<PathBuf>,
}

impl Server {
    /// Binds, writes the ready files, serves. Needs a tokio runtime; returns when both listeners accept.
    /// Calls `host.set_listener`.
    pub async fn start(host: Host, options: ServeOptions) -> Result<Server, StartError> {
        let data = std::path::absolute(host.data()).map_err(|error| StartError::Io(error.to_string()))?;
        let agent = Secret::load_or_create(&data, AGENT_FILE).map_err(StartError::Secret)?;
        let person = Secret::load_or_create(&data, PERSON_FILE).map_err(StartError::Secret)?;
        let nonce = random_text(16).map_err(StartError::Io)?;
        let agents = port::bind(&data, port::AGENTS, options.port).await.map_err(StartError::PortBusy)?;
        let people = match options.ui {
            true => {
                Some(port::bind(&data, port::PEOPLE, options.ui_port).await.map_err(StartError::PortBusy)?)
            }
            false => None,
        };
        let mcp_port = port_of(&agents)?;
        let ui_port = people.as_ref().map(port_of).transpose()?;
        let app = App::new(Inner {
            host,
            agent,
            person,
            nonce,
            mcp_port,
            ui_port,
            links: Default::default(),
            holds: Holds::load(&data),
            activity: Default::default(),
            stop: watch::Sender::new(false),
        });
        let mut server = Server {
            tasks: JoinSet::new(),
            mcp_url: format!("http://127.0.0.1:{mcp_port}/mcp"),
            ui_url: ui_port.map(|port| format!("http://127.0.0.1:{port}")),
            token_file: data.join(AGENT_FILE),
            files: Vec::new(),
            app,
        };
        server.app.host.set_listener(Some(server.mcp_url.clone()), Some(server.token_file.clone()));
        server.tasks.spawn(serve(agents, agents_router(&server.app), server.app.clone()));
        if let Some((people, port)) = people.zip(ui_port) {
            server.tasks.spawn(serve(people, people_router(&server.app, port), server.app.clone()));
        }
        server.tasks.spawn(link::await_all(server.app.clone()));
        server.announce(&data, options.ready_file)?;
        let doors = [(port::AGENTS, Some(mcp_port)), (port::PEOPLE, ui_port)];
        let used: Vec<_> = doors.into_iter().filter_map(|(door, port)| Some((door, port?))).collect();
        port::remember(&data, &used);
        Ok(server)
    }

    fn announce(&mut self, data: &Path, ready_file: Option<PathBuf>) -> Result<(), StartError> {
        self.files = [Some(data.join(owner_file::NAME)), ready_file].into_iter().flatten().collect();
        let file = OwnerFile {
            mcp_url: self.mcp_url.clone(),
            ui_url: self.login_link(),
            token_file: self.token_file.clone(),
            pid: std::process::id(),
            data: data.to_owned(),
            nonce: self.app.nonce.clone(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
        };
        for path in &self.files {
            file.write(path).map_err(StartError::Io)?;
        }
        Ok(())
    }

    /// `http://127.0.0.1:PORT/mcp`
    #[must_use]
    pub fn mcp_url(&self) -> &str {
        &self.mcp_url
    }

    /// `http://127.0.0.1:PORT` of the people's listener, without any secret. `None` unless asked for.
    #[must_use]
    pub fn ui_url(&self) -> Option<&str> {
        self.ui_url.as_deref()
    }

    /// A fresh one-time link that signs a browser in. `None` without the people's listener.
    #[must_use]
    pub fn login_link(&self) -> Option<String> {
        self.app.login_link()
    }

    /// The file with the agents' token.
    #[must_use]
    pub fn token_file(&self) -> &Path {
        &self.token_file
    }

    /// Random per start; the feed's `hello` carries it as `owner`.
    #[must_use]
    pub fn nonce(&self) -> &str {
        &self.app.nonce
    }

    /// How long nobody has held, followed or asked anything. `None` while somebody does.
    #[must_use]
    pub fn idle(&self) -> Option<Duration> {
        self.app.activity.idle()
    }

    /// Ends feeds and holds, lets calls in flight answer (one second at most), removes the ready files.
    /// The host stays open; close it afterwards.
    pub async fn shutdown(mut self) {
        self.app.stop.send_replace(true);
        while self.tasks.join_next().await.is_some() {}
        self.app.host.set_listener(None, None);
        for path in &self.files {
            owner_file::remove(path, &self.app.nonce);
        }
    }
}

fn port_of(listener: &TcpListener) -> Result<u16, StartError> {
    listener.local_addr().map(|address| address.port()).map_err(|error| StartError::Io(error.to_string()))
}

fn guarded(router: Router, app: &App, side: Side, port: u16) -> Router {
    let guard = Guard { side, port, agent: app.agent.clone(), person: app.person.clone() };
    router.layer(from_fn_with_state(Front { app: app.clone(), guard }, front))
}

fn api_router(app: &App, side: Side) -> Router {
    Router::new()
        .route("/api/view/{name}", get(api::view))
        .route("/api/bytes/{name}", get(api::bytes))
        .route("/api/call", post(api::call))
        .route("/api/feed", get(api::feed))
        .route("/api/login-link", post(api::login_link))
        .with_state(api::Api { app: app.clone(), side })
}

fn agents_router(app: &App) -> Router {
    let links = Router::new()
        .route("/proof", post(link::prove))
        .route("/bridge/hold", get(link::hold))
        .route("/bridge/end", post(link::good_bye))
        .with_state(app.clone());
    let mcp = Router::new().route("/mcp", any(mcp::handle)).with_state(mcp::Mcp::new(app));
    guarded(links.merge(mcp).merge(api_router(app, Side::Agents)), app, Side::Agents, app.mcp_port)
}

fn people_router(app: &App, port: u16) -> Router {
    let pages = Router::new().route("/login", get(people::login)).with_state(app.clone());
    let router = pages.merge(api_router(app, Side::People)).fallback(people::file);
    guarded(router, app, Side::People, port)
}
