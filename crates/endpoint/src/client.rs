//! Connections to an owner. Each one begins with the owner's proof; only then does our token go out.

use std::net::Ipv4Addr;
use std::sync::Arc;
use std::time::Duration;

use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, Request, StatusCode, header};
use bytes::Bytes;
use http_body_util::{BodyExt as _, Full, Limited};
use hyper::body::Incoming;
use hyper::client::conn::http1::{self, SendRequest};
use hyper_util::rt::TokioIo;
use parking_lot::Mutex;
use serde_json::Value;
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::proof::Question;
use crate::secret::Secret;

/// Loopback either answers at once or not at all.
const CONNECT_MAX: Duration = Duration::from_secs(2);
/// An owner answers any call within ten seconds.
const ANSWER_MAX: Duration = Duration::from_secs(15);
const ANSWER_SIZE_MAX: usize = 64 << 20;
/// Idle connections kept.
const IDLE_MAX: usize = 8;

type Sender = SendRequest<Full<Bytes>>;

#[derive(Debug, thiserror::Error)]
pub(crate) enum LineError {
    /// Nobody answers at the port.
    #[error("{0}")]
    Unreachable(String),
    /// Somebody does, who does not know our token.
    #[error("{0}")]
    NotProven(String),
    /// The connection went before the whole answer was there.
    #[error("{0}")]
    Lost(String),
}

/// A request that can be sent again.
#[derive(Debug, Clone)]
pub(crate) struct Ask {
    pub method: Method,
    pub path: String,
    pub headers: HeaderMap,
    pub body: Bytes,
}

impl Ask {
    pub(crate) fn get(path: impl Into<String>) -> Ask {
        Ask { method: Method::GET, path: path.into(), headers: HeaderMap::new(), body: Bytes::new() }
    }

    pub(crate) fn post(path: impl Into<String>, body: impl Into<Bytes>) -> Ask {
        let ask =
            Ask { method: Method::POST, path: path.into(), headers: HeaderMap::new(), body: body.into() };
        ask.with("content-type", "application/json")
    }

    /// A value that is not fit for a header is left out.
    pub(crate) fn with(mut self, name: &'static str, value: &str) -> Ask {
        if let Ok(value) = HeaderValue::from_str(value) {
            self.headers.insert(HeaderName::from_static(name), value);
        }
        self
    }
}

/// What came back, whole.
#[derive(Debug)]
pub(crate) struct Reply {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub body: Bytes,
}

/// A proven owner's port, and the connections to it.
#[derive(Debug, Clone)]
pub(crate) struct Line(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    port: u16,
    secret: Secret,
    idle: Mutex<Vec<Sender>>,
}

impl Line {
    /// Connects once, and lets the owner prove itself.
    pub(crate) async fn open(port: u16, secret: Secret) -> Result<Line, LineError> {
        let line = Line(Arc::new(Inner { port, secret, idle: Mutex::default() }));
        let first = line.connect().await?;
        line.keep(first);
        Ok(line)
    }

    pub(crate) fn is(&self, other: &Line) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// Sends and reads the whole answer. A kept connection that turns out dead is replaced once.
    pub(crate) async fn ask(&self, ask: &Ask) -> Result<Reply, LineError> {
        while let Some(kept) = self.take() {
            match self.exchange(kept, ask).await {
                Err(LineError::Lost(_)) => {}
                other => return other,
            }
        }
        let fresh = self.connect().await?;
        self.exchange(fresh, ask).await
    }

    /// Sends and hands over the body as it comes, on a connection of its own.
    pub(crate) async fn follow(&self, ask: &Ask) -> Result<(StatusCode, Incoming), LineError> {
        let mut fresh = self.connect().await?;
        // The connection may still be busy with the end of the answer before: a request sent now is cancelled.
        fresh.ready().await.map_err(|error| lost(&error))?;
        let sent = timeout(ANSWER_MAX, fresh.send_request(self.request(ask)?)).await;
        let response = sent.map_err(|_| lost("the owner does not answer"))?.map_err(|error| lost(&error))?;
        // hyper ends the connection when the sender goes and the body is read.
        Ok((response.status(), response.into_body()))
    }

    async fn exchange(&self, mut sender: Sender, ask: &Ask) -> Result<Reply, LineError> {
        let exchange = async {
            sender.ready().await.map_err(|error| lost(&error))?;
            let response = sender.send_request(self.request(ask)?).await.map_err(|error| lost(&error))?;
            let (parts, body) = response.into_parts();
            let body = Limited::new(body, ANSWER_SIZE_MAX).collect().await.map_err(|error| lost(&error))?;
            Ok(Reply { status: parts.status, headers: parts.headers, body: body.to_bytes() })
        };
        let reply = timeout(ANSWER_MAX, exchange).await.map_err(|_| lost("the owner does not answer"))??;
        self.keep(sender);
        Ok(reply)
    }

    fn request(&self, ask: &Ask) -> Result<Request<Full<Bytes>>, LineError> {
        let mut request = Request::new(Full::new(ask.body.clone()));
        *request.method_mut() = ask.method.clone();
        *request.uri_mut() = ask.path.parse().map_err(|error| lost(&error))?;
        *request.headers_mut() = ask.headers.clone();
        let bearer = format!("Bearer {}", self.0.secret.reveal());
        let mut bearer = HeaderValue::from_str(&bearer).map_err(|error| lost(&error))?;
        bearer.set_sensitive(true);
        request.headers_mut().insert(header::AUTHORIZATION, bearer);
        self.host(request.headers_mut())?;
        Ok(request)
    }

    fn host(&self, headers: &mut HeaderMap) -> Result<(), LineError> {
        let host = format!("127.0.0.1:{}", self.0.port);
        headers.insert(header::HOST, HeaderValue::from_str(&host).map_err(|error| lost(&error))?);
        Ok(())
    }

    fn take(&self) -> Option<Sender> {
        let mut idle = self.0.idle.lock();
        while let Some(sender) = idle.pop() {
            if !sender.is_closed() {
                return Some(sender);
            }
        }
        None
    }

    fn keep(&self, sender: Sender) {
        let mut idle = self.0.idle.lock();
        if idle.len() < IDLE_MAX && !sender.is_closed() {
            idle.push(sender);
        }
    }

    /// A new connection, over which the owner has shown that it knows our token.
    async fn connect(&self) -> Result<Sender, LineError> {
        let address = (Ipv4Addr::LOCALHOST, self.0.port);
        let unreachable = |error: &dyn std::fmt::Display| {
            LineError::Unreachable(format!("nobody answers at 127.0.0.1:{}: {error}", self.0.port))
        };
        let connected = timeout(CONNECT_MAX, TcpStream::connect(address)).await;
        let stream =
            connected.map_err(|_| unreachable(&"it takes too long"))?.map_err(|error| unreachable(&error))?;
        let _ = stream.set_nodelay(true);
        let (mut sender, connection) =
            http1::handshake(TokioIo::new(stream)).await.map_err(|error| lost(&error))?;
        tokio::spawn(connection);
        match timeout(CONNECT_MAX, self.prove(&mut sender)).await {
            Ok(Ok(true)) => Ok(sender),
            Ok(Err(error)) => Err(error),
            Ok(Ok(false)) | Err(_) => Err(LineError::NotProven(format!(
                "what answers at 127.0.0.1:{} is not the owner of this store (it does not know the token)",
                self.0.port
            ))),
        }
    }

    async fn prove(&self, sender: &mut Sender) -> Result<bool, LineError> {
        let question = Question::new().map_err(|error| lost(&error))?;
        let mut request = Request::new(Full::new(Bytes::new()));
        *request.method_mut() = Method::POST;
        *request.uri_mut() = "/proof".parse().map_err(|error| lost(&error))?;
        let header = HeaderValue::from_str(&question.header(&self.0.secret)).map_err(|error| lost(&error))?;
        request.headers_mut().insert(header::AUTHORIZATION, header);
        self.host(request.headers_mut())?;
        let response = sender.send_request(request).await.map_err(|error| lost(&error))?;
        let body = Limited::new(response.into_body(), 4096).collect().await.map_err(|error| lost(&error))?;
        let answer: Value = serde_json::from_slice(&body.to_bytes()).unwrap_or_default();
        let proof = answer["proof"].as_str().unwrap_or_default();
        Ok(question.is_answered_by(proof, &self.0.secret, self.0.port))
    }
}

fn lost(error: &(impl std::fmt::Display + ?Sized)) -> LineError {
    LineError::Lost(format!("the connection to the owner broke off: {error}"))
}
