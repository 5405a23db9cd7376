//! The guard: every request passes here first, and only what passes reaches a body or a handler.
//!
//! In this order: the peer is on this machine → method and path are ours → `Host` is exactly ours →
//! `Origin` is absent or ours → `Sec-Fetch-Site` does not speak of another site → the credential that
//! the path asks for. There are no CORS headers anywhere, and no path without a credential other than
//! the two that are proofs themselves (`/proof`, `/login`).

use std::net::SocketAddr;

use axum::http::{HeaderMap, Method, StatusCode, Uri, header};

use crate::deny::Denied;
use crate::login;
use crate::secret::Secret;

/// Which listener a request came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    Agents,
    People,
}

/// What a path asks for before it opens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Credential {
    /// `Authorization: Bearer <agent.token>`
    AgentToken,
    /// `Authorization: Bearer <person.token>`
    PersonToken,
    /// The cookie of a signed-in browser.
    Cookie,
    /// The handler itself checks a proof and does nothing else.
    Proof,
}

/// What the guard knows of one listener.
#[derive(Debug, Clone)]
pub(crate) struct Guard {
    pub side: Side,
    pub port: u16,
    pub agent: Secret,
    pub person: Secret,
}

const POST: &[Method] = &[Method::POST];
const GET: &[Method] = &[Method::GET];

/// The whole table of ways in. A path that is not here does not exist.
fn way_in(side: Side, path: &str) -> Option<(&'static [Method], &'static str, Credential)> {
    use Credential::{AgentToken, Cookie, PersonToken, Proof};
    const POST_DELETE: &[Method] = &[Method::POST, Method::DELETE];
    Some(match (side, path) {
        (Side::Agents, "/mcp") => (POST_DELETE, "POST, DELETE", AgentToken),
        (Side::Agents, "/bridge/hold") => (GET, "GET", AgentToken),
        (Side::Agents, "/bridge/end") => (POST, "POST", AgentToken),
        (Side::Agents, "/proof") => (POST, "POST", Proof),
        (Side::Agents, "/api/login-link") => (POST, "POST", PersonToken),
        (_, path) if path.starts_with("/api/") => {
            let credential = if side == Side::Agents { PersonToken } else { Cookie };
            match &path["/api/".len()..] {
                "call" => (POST, "POST", credential),
                "feed" => (GET, "GET", credential),
                rest if rest.strip_prefix("view/").is_some_and(is_name) => (GET, "GET", credential),
                rest if rest.strip_prefix("bytes/").is_some_and(is_name) => (GET, "GET", credential),
                _ => return None,
            }
        }
        (Side::People, "/login") => (GET, "GET", Proof),
        (Side::People, _) => (GET, "GET", Cookie),
        (Side::Agents, _) => return None,
    })
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.len() <= 64 && text.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_')
}

impl Guard {
    /// `Err` is the answer; nothing else of the request may then be looked at.
    pub(crate) fn admit(
        &self,
        peer: SocketAddr,
        method: &Method,
        uri: &Uri,
        headers: &HeaderMap,
    ) -> Result<(), Denied> {
        if !peer.ip().is_loopback() {
            return Err(forbidden(
                "the request came from another machine",
                "a peer on this machine",
                "connect to 127.0.0.1",
            ));
        }
        let credential = self.path(method, uri)?;
        self.host(uri, headers)?;
        self.origin(method, headers)?;
        self.fetch_site(headers)?;
        self.credential(credential, headers)
    }

    fn path(&self, method: &Method, uri: &Uri) -> Result<Credential, Denied> {
        let path = uri.path();
        let Some((methods, allow, credential)) = way_in(self.side, path) else {
            let known = match self.side {
                Side::Agents => "/mcp for agents",
                Side::People => "/ for people",
            };
            return Err(Denied::new(
                StatusCode::NOT_FOUND,
                "there is nothing at this path",
                known,
                "check the URL",
            ));
        };
        if methods.contains(method) {
            return Ok(credential);
        }
        let message = format!("{method} is not offered here");
        let mut denied =
            Denied::new(StatusCode::METHOD_NOT_ALLOWED, message, allow, "send one of those methods");
        denied.allow = Some(allow);
        Err(denied)
    }

    fn host(&self, uri: &Uri, headers: &HeaderMap) -> Result<(), Denied> {
        let own = [format!("127.0.0.1:{}", self.port), format!("localhost:{}", self.port)];
        let mut hosts = headers.get_all(header::HOST).iter();
        let good = match (hosts.next(), hosts.next()) {
            (Some(host), None) => own.iter().any(|own| own.as_bytes() == host.as_bytes()),
            _ => false,
        };
        // A request line with a whole URL names a host of its own.
        if good && uri.authority().is_none() {
            return Ok(());
        }
        let expected = format!("Host: {} or {}, once", own[0], own[1]);
        Err(forbidden(
            "the Host header is not this listener's",
            expected,
            "use the URL from the ready file as it is",
        ))
    }

    fn origin(&self, method: &Method, headers: &HeaderMap) -> Result<(), Denied> {
        let own = [format!("http://127.0.0.1:{}", self.port), format!("http://localhost:{}", self.port)];
        let mut origins = headers.get_all(header::ORIGIN).iter();
        let must_be_there = self.side == Side::People && method == Method::POST;
        let good = match (origins.next(), origins.next()) {
            (None, _) => !must_be_there,
            (Some(origin), None) => own.iter().any(|own| own.as_bytes() == origin.as_bytes()),
            _ => false,
        };
        if good {
            return Ok(());
        }
        let expected =
            if must_be_there { format!("Origin: {}", own[0]) } else { "no Origin, or our own".to_owned() };
        Err(forbidden(
            "the request comes from a web page that is not ours",
            expected,
            "call from a program, not from a page",
        ))
    }

    /// Judged by site alone: programs on Node send `Sec-Fetch-Mode: cors` with everything.
    fn fetch_site(&self, headers: &HeaderMap) -> Result<(), Denied> {
        let good = headers.get_all("sec-fetch-site").iter().all(|site| match site.as_bytes() {
            b"none" => true,
            b"same-origin" => self.side == Side::People,
            _ => false,
        });
        if good {
            return Ok(());
        }
        Err(forbidden(
            "a browser sent this for another site",
            "no Sec-Fetch-Site, or `none`",
            "open the page from its own address",
        ))
    }

    fn credential(&self, wanted: Credential, headers: &HeaderMap) -> Result<(), Denied> {
        let (wanted, other) = match wanted {
            Credential::Proof => return Ok(()),
            Credential::Cookie => return self.cookie(headers),
            Credential::AgentToken => ((&self.agent, "agent.token"), (&self.person, "person.token")),
            Credential::PersonToken => ((&self.person, "person.token"), (&self.agent, "agent.token")),
        };
        let presented = bearer(headers);
        let presented = presented.unwrap_or_default();
        if wanted.0.matches(presented) {
            return Ok(());
        }
        let expected = format!("Authorization: Bearer <the content of {}>", wanted.1);
        if other.0.matches(presented) {
            let message = format!("this is the token of {}, which does not open this path", other.1);
            return Err(forbidden(message, expected, format!("send the token from {}", wanted.1)));
        }
        Err(Denied::new(
            StatusCode::UNAUTHORIZED,
            "no valid token",
            expected,
            "read the token from token_file in the ready file; it may have been renewed",
        ))
    }

    fn cookie(&self, headers: &HeaderMap) -> Result<(), Denied> {
        let mut cookies = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
        if cookies.any(|cookies| login::is_signed_in(cookies, &self.person)) {
            return Ok(());
        }
        Err(Denied::new(
            StatusCode::UNAUTHORIZED,
            "this browser is not signed in",
            "the cookie that a one-time link leaves",
            "run `tally open` and follow the link it prints",
        ))
    }
}

/// The one bearer token sent; `None` when there is none, or more than one header.
fn bearer(headers: &HeaderMap) -> Option<&[u8]> {
    let mut sent = headers.get_all(header::AUTHORIZATION).iter();
    match (sent.next(), sent.next()) {
        (Some(value), None) => {
            let (scheme, token) = value.as_bytes().split_at_checked(7)?;
            scheme.eq_ignore_ascii_case(b"bearer ").then_some(token)
        }
        _ => None,
    }
}

fn forbidden(message: impl Into<String>, expected: impl Into<String>, fix: impl Into<String>) -> Denied {
    Denied::new(StatusCode::FORBIDDEN, message, expected, fix)
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    /// What no test over a real loopback listener can show.
    #[test]
    fn another_machine_is_refused_whatever_it_knows() {
        let (agent, person) = (Secret::from_text("agent".into()), Secret::from_text("person".into()));
        let guard = Guard { side: Side::Agents, port: 8737, agent, person };
        let headers = HeaderMap::from_iter([
            (header::HOST, HeaderValue::from_static("127.0.0.1:8737")),
            (header::AUTHORIZATION, HeaderValue::from_static("Bearer agent")),
        ]);
        let from = |peer: &str| {
            let peer = SocketAddr::new(peer.parse().unwrap(), 50_000);
            guard.admit(peer, &Method::POST, &Uri::from_static("/mcp"), &headers)
        };
        assert_eq!(from("127.0.0.1"), Ok(()));
        assert_eq!(from("::1"), Ok(()));
        for stranger in ["192.168.1.7", "10.0.0.1", "0.0.0.0", "203.0.113.9", "fe80::1", "::ffff:192.168.1.7"]
        {
            assert_eq!(from(stranger).unwrap_err().status, StatusCode::FORBIDDEN, "{stranger}");
        }
    }

    /// A path that opens by itself would be a way in that nobody meant.
    #[test]
    fn every_way_in_asks_for_something() {
        let free = ["/proof", "/login"];
        for side in [Side::Agents, Side::People] {
            for path in [
                "/",
                "/mcp",
                "/proof",
                "/login",
                "/api/call",
                "/api/feed",
                "/api/view/board",
                "/api/bytes/run_index",
                "/bridge/hold",
            ] {
                let Some((_, _, credential)) = way_in(side, path) else { continue };
                assert!(credential != Credential::Proof || free.contains(&path), "{side:?} {path}");
            }
        }
        for odd in [
            "/mcp/",
            "//mcp",
            "/MCP",
            "/mcp/..",
            "/api/view/",
            "/api/view/a/b",
            "/api/view/%2e",
            "/api/bytes/",
            "/api/bytes/a/b",
            "/api",
            "/",
        ] {
            assert!(way_in(Side::Agents, odd).is_none(), "{odd}");
        }
    }
}
