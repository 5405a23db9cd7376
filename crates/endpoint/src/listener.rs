//! One listener: accepts connections, lets the guard look at each request first, and ends them all
//! when the owner closes.

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::body::HttpBody as _;
use axum::extract::{Request, State};
use axum::http::{HeaderValue, Response, StatusCode, header};
use axum::middleware::Next;
use futures::FutureExt as _;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::{AbortHandle, JoinSet};

use crate::app::App;
use crate::deny::Denied;
use crate::guard::{Guard, Side};
use crate::people;

/// More open connections than this, and one that has shown no credential goes.
const CONNECTIONS_MAX: usize = 256;
/// A connection without a request goes after this long. Clients keep idle ones for up to 90 s.
const IDLE_MAX: Duration = Duration::from_secs(120);
/// What is under way when the owner closes has this long.
const CLOSE_MAX: Duration = Duration::from_millis(800);

/// Who is at the other end, and whether the guard has let anything of theirs pass.
#[derive(Debug, Clone)]
struct Peer {
    address: SocketAddr,
    admitted: Arc<AtomicBool>,
}

/// The state of the outermost layer.
#[derive(Debug, Clone)]
pub(crate) struct Front {
    pub app: App,
    pub guard: Guard,
}

/// The outermost layer: the guard, then what every answer carries.
pub(crate) async fn front(State(front): State<Front>, request: Request, next: Next) -> Response<Body> {
    let as_rpc = request.uri().path() == "/mcp";
    let has_body = !request.body().is_end_stream();
    let mut response = match admit(&front.guard, &request) {
        Ok(()) => {
            let _here = front.app.activity.enter();
            let answer = AssertUnwindSafe(next.run(request)).catch_unwind().await;
            answer.unwrap_or_else(|_| {
                tracing::error!("a door panicked");
                let (status, fix) =
                    (StatusCode::INTERNAL_SERVER_ERROR, "try again; if it stays, tell the person");
                Denied::new(status, "a fault inside Tallyboard", "an answer", fix).response(as_rpc)
            })
        }
        Err(denied) => {
            tracing::info!(status = denied.status.as_u16(), problem = denied.message, "refused at the door");
            denied.response(as_rpc)
        }
    };
    let refused = response.status().is_client_error();
    let headers = response.headers_mut();
    if refused && has_body {
        // What is left of the body is not read, so nothing may follow it: say so before closing.
        headers.insert(header::CONNECTION, HeaderValue::from_static("close"));
    }
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    if front.guard.side == Side::People {
        people::protect(&mut response);
    }
    response
}

fn admit(guard: &Guard, request: &Request) -> Result<(), Denied> {
    let Some(peer) = request.extensions().get::<Peer>() else {
        return Err(Denied::new(
            StatusCode::FORBIDDEN,
            "the peer is not known",
            "a peer on this machine",
            "connect again",
        ));
    };
    guard.admit(peer.address, request.method(), request.uri(), request.headers())?;
    peer.admitted.store(true, Ordering::Relaxed);
    Ok(())
}

/// Serves until the owner closes; comes back when all connections are gone.
pub(crate) async fn serve(listener: TcpListener, router: Router, app: App) {
    let mut connections = Connections::default();
    let closing = app.closing();
    tokio::pin!(closing);
    loop {
        let accepted = tokio::select! {
            () = &mut closing => break,
            accepted = listener.accept() => accepted,
        };
        match accepted {
            Ok((stream, address)) => connections.open(stream, address, router.clone(), &app),
            Err(error) => {
                tracing::warn!(%error, "a connection could not be accepted");
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        }
    }
    drop(listener);
    connections.close().await;
}

#[derive(Default)]
struct Connections {
    tasks: JoinSet<()>,
    /// Oldest first.
    open: VecDeque<(AbortHandle, Arc<AtomicBool>)>,
}

impl Connections {
    fn open(&mut self, stream: TcpStream, address: SocketAddr, router: Router, app: &App) {
        while self.tasks.try_join_next().is_some() {}
        self.open.retain(|(task, _)| !task.is_finished());
        if self.open.len() >= CONNECTIONS_MAX && !self.make_room() {
            tracing::warn!("too many connections; one more was dropped");
            return;
        }
        let admitted = Arc::new(AtomicBool::new(false));
        let peer = Peer { address, admitted: Arc::clone(&admitted) };
        let task = self.tasks.spawn(connection(stream, router, peer, app.closing()));
        self.open.push_back((task, admitted));
    }

    /// Ends the oldest connection that has shown no credential.
    fn make_room(&mut self) -> bool {
        let stranger = self.open.iter().position(|(_, admitted)| !admitted.load(Ordering::Relaxed));
        let found = stranger.and_then(|index| self.open.remove(index));
        found.inspect(|(task, _)| task.abort()).is_some()
    }

    async fn close(mut self) {
        let all = async { while self.tasks.join_next().await.is_some() {} };
        if tokio::time::timeout(CLOSE_MAX, all).await.is_err() {
            tracing::warn!("some requests were still under way at the end");
        }
    }
}

async fn connection(stream: TcpStream, router: Router, peer: Peer, closing: impl Future<Output = ()>) {
    // Answers are small; each goes out at once.
    let _ = stream.set_nodelay(true);
    let service = tower::ServiceBuilder::new()
        .map_request(move |mut request: hyper::Request<hyper::body::Incoming>| {
            request.extensions_mut().insert(peer.clone());
            request.map(Body::new)
        })
        .service(router);
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(IDLE_MAX)
        .max_headers(64)
        .serve_connection(TokioIo::new(stream), TowerToHyperService::new(service));
    tokio::pin!(connection);
    let ended = tokio::select! {
        ended = connection.as_mut() => ended,
        () = closing => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = ended {
        tracing::debug!(%error, "a connection broke off");
    }
}
