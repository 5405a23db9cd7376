//! Who calls: what the headers, the session and the message say, as a [`Caller`].

use axum::http::{HeaderMap, StatusCode, Uri};
use percent_encoding::percent_decode_str;
use serde_json::Value;
use tools::{Caller, Identity, Run, Surface};

use crate::deny::Denied;
use crate::message::Message;
use crate::secret::Secret;
use crate::session::Session;

pub(crate) const RUN: &str = "tally-run";
pub(crate) const CALL: &str = "tally-call";
pub(crate) const AGENT: &str = "tally-agent";
pub(crate) const PROJECT: &str = "tally-project";
pub(crate) const SURFACE: &str = "tally-surface";
pub(crate) const SESSION: &str = "mcp-session-id";

/// The session a message belongs to. One that is not ours is answered 404, upon which a client opens anew.
/// Messages of the 2026-07-28 kind have none, and `initialize` opens its own.
pub(crate) fn session(
    headers: &HeaderMap,
    message: &Message,
    secret: &Secret,
) -> Result<Option<Session>, Denied> {
    if message.own_version().is_some() || message.method() == "initialize" {
        return Ok(None);
    }
    let Some(id) = headers.get(SESSION) else { return Ok(None) };
    match id.to_str().ok().and_then(|id| Session::read(id, secret)) {
        Some(session) => Ok(Some(session)),
        None => Err(unknown_session().answering(&message.id())),
    }
}

pub(crate) fn unknown_session() -> Denied {
    Denied::new(
        StatusCode::NOT_FOUND,
        "this Mcp-Session-Id was not given out by this store",
        "an id from the answer to initialize",
        "send initialize again, without Mcp-Session-Id, and go on with the id you get",
    )
}

/// The agent behind a message, and its run: the bridge's header, then the session, then the client's
/// own conversation id, then none.
pub(crate) fn agent(
    headers: &HeaderMap,
    uri: &Uri,
    message: &Message,
    session: Option<&Session>,
) -> Result<Caller, Denied> {
    let named = percent(headers, AGENT)?;
    let (name, version) = match (&named, message.client(), session) {
        (Some(name), ..) => (name.clone(), None),
        (None, Some((name, version)), _) => (name.to_owned(), version.map(str::to_owned)),
        (None, None, Some(session)) => (session.name.clone(), session.version.clone()),
        (None, None, None) => product(headers),
    };
    let run = if let Some(key) = key(headers, RUN)? {
        Run::Bridge { key }
    } else if let Some(session) = session {
        Run::Session { key: session.key.clone() }
    } else if let Some(id) = message.conversation() {
        Run::Meta { key: format!("{name}/{id}") }
    } else {
        Run::Unattributed
    };
    let project = match project(headers, uri)? {
        Some(project) => Some(project),
        None => session.and_then(|session| session.project.clone()),
    };
    let identity = Identity::Agent { name, version, run };
    Ok(Caller { identity, project, call_id: key(headers, CALL)? })
}

/// The run of a bridge, from its header alone.
pub(crate) fn bridge(headers: &HeaderMap) -> Result<(String, Caller), Denied> {
    let Some(key) = key(headers, RUN)? else {
        return Err(bad(RUN, "is missing", "the bridge's run"));
    };
    let name = percent(headers, AGENT)?.unwrap_or_else(|| "agent".to_owned());
    let caller = bridge_of(&key, &name);
    Ok((key, caller))
}

/// A bridge's run is found by its key alone.
pub(crate) fn bridge_of(key: &str, name: &str) -> Caller {
    let run = Run::Bridge { key: key.to_owned() };
    Caller {
        identity: Identity::Agent { name: name.to_owned(), version: None, run },
        project: None,
        call_id: None,
    }
}

/// The person, at one of our own surfaces.
pub(crate) fn person(
    name: &str,
    surface: Surface,
    project: Option<String>,
    headers: &HeaderMap,
) -> Result<Caller, Denied> {
    let identity = Identity::Person { name: name.to_owned(), surface };
    Ok(Caller { identity, project, call_id: key(headers, CALL)? })
}

/// What one of our own programs says it is.
pub(crate) fn surface(headers: &HeaderMap) -> Result<Surface, Denied> {
    match text(headers, SURFACE)? {
        None | Some("cli") => Ok(Surface::Cli),
        Some("window") => Ok(Surface::Window),
        Some(_) => Err(bad(SURFACE, "is unknown", "cli or window")),
    }
}

/// The project that a header or the URL names: `Tally-Project`, else `?project=`.
pub(crate) fn project(headers: &HeaderMap, uri: &Uri) -> Result<Option<String>, Denied> {
    if let Some(project) = percent(headers, PROJECT)? {
        return Ok(Some(project));
    }
    let Some(value) = query(uri, "project") else { return Ok(None) };
    let value = value.replace('+', " ");
    Ok(Some(decode(&value).ok_or_else(|| bad("?project=", "is not UTF-8", "a percent-encoded folder"))?))
        .map(|project: Option<String>| project.filter(|project| !project.is_empty()))
}

/// A member of the query string, as it was sent.
pub(crate) fn query<'u>(uri: &'u Uri, name: &str) -> Option<&'u str> {
    let pairs = uri.query().unwrap_or_default().split('&');
    pairs.filter_map(|pair| pair.split_once('=')).find(|(key, _)| *key == name).map(|(_, value)| value)
}

pub(crate) fn decode(text: &str) -> Option<String> {
    percent_decode_str(text).decode_utf8().ok().map(|text| text.into_owned())
}

/// `^[A-Za-z0-9_-]{16,64}$`
fn key(headers: &HeaderMap, name: &'static str) -> Result<Option<String>, Denied> {
    let Some(value) = text(headers, name)? else { return Ok(None) };
    let good = (16..=64).contains(&value.len())
        && value.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'));
    if good {
        Ok(Some(value.to_owned()))
    } else {
        Err(bad(name, "is malformed", "16 to 64 of A-Z a-z 0-9 _ -"))
    }
}

fn percent(headers: &HeaderMap, name: &'static str) -> Result<Option<String>, Denied> {
    let Some(value) = text(headers, name)? else { return Ok(None) };
    let decoded = decode(value).filter(|text| text.len() <= 4096 && !text.chars().any(char::is_control));
    match decoded {
        Some(text) if text.is_empty() => Ok(None),
        Some(text) => Ok(Some(text)),
        None => Err(bad(
            name,
            "is malformed",
            "percent-encoded UTF-8 without control characters, 4096 bytes at most",
        )),
    }
}

fn text<'h>(headers: &'h HeaderMap, name: &'static str) -> Result<Option<&'h str>, Denied> {
    let mut values = headers.get_all(name).iter();
    match (values.next(), values.next()) {
        (None, _) => Ok(None),
        (Some(value), None) => match value.to_str() {
            Ok(text) => Ok(Some(text)),
            Err(_) => Err(bad(name, "is not ASCII", "visible ASCII")),
        },
        _ => Err(bad(name, "is there twice", "one value")),
    }
}

/// The first product of `User-Agent`.
fn product(headers: &HeaderMap) -> (String, Option<String>) {
    let agent = headers.get("user-agent").and_then(|value| value.to_str().ok()).unwrap_or_default();
    let first = agent.split([' ', '(']).next().unwrap_or_default();
    match first.split_once('/') {
        _ if first.is_empty() => ("agent".to_owned(), None),
        Some((name, version)) => (name.to_owned(), Some(version.to_owned())),
        None => (first.to_owned(), None),
    }
}

fn bad(what: &str, how: &str, expected: &str) -> Denied {
    Denied::new(StatusCode::BAD_REQUEST, format!("{what} {how}"), expected, "correct it, or leave it out")
}

/// The exact way out for arguments that are not an object.
pub(crate) fn arguments_fix(arguments: &Value) -> String {
    let inside = arguments.as_str().and_then(|text| tools::strict_json::parse(text.as_bytes()).ok());
    match inside {
        Some(object @ Value::Object(_)) => format!("send the object itself: {object}"),
        _ => "send an object with the tool's fields, for example {}".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;
    use serde_json::json;

    use super::*;

    const KEY: &str = "0123456789abcdef";

    fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
        pairs
            .iter()
            .map(|(name, value)| (name.parse().unwrap(), HeaderValue::from_str(value).unwrap()))
            .collect()
    }

    fn message(meta: Value) -> Message {
        let value = json!({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t","_meta":meta}});
        Message::read(value.to_string().as_bytes()).unwrap()
    }

    fn run(headers: &HeaderMap, meta: Value, session: Option<&Session>) -> (String, Option<String>, Run) {
        let caller = agent(headers, &Uri::from_static("/mcp"), &message(meta), session).unwrap();
        let Identity::Agent { name, version, run } = caller.identity else { panic!("a person") };
        (name, version, run)
    }

    #[test]
    fn a_run_is_told_by_the_bridge_then_the_session_then_the_conversation() {
        let session = Session::open("codex", Some("0.171"), None).unwrap();
        let meta = json!({"threadId": "t-1"});
        let bridge = headers(&[("tally-run", KEY), ("user-agent", "tally/1")]);
        assert_eq!(run(&bridge, meta.clone(), Some(&session)).2, Run::Bridge { key: KEY.into() });
        let plain = headers(&[("user-agent", "codex-rs/0.171 (linux)")]);
        assert_eq!(
            run(&plain, meta.clone(), Some(&session)),
            ("codex".into(), Some("0.171".into()), Run::Session { key: session.key.clone() })
        );
        let (name, version, of) = run(&plain, meta, None);
        assert_eq!((name.as_str(), version.as_deref()), ("codex-rs", Some("0.171")));
        assert_eq!(of, Run::Meta { key: "codex-rs/t-1".into() });
        assert_eq!(run(&HeaderMap::new(), json!({}), None), ("agent".into(), None, Run::Unattributed));
        let named = headers(&[("tally-agent", "my%20agent")]);
        assert_eq!(run(&named, json!({}), Some(&session)).0, "my agent");
    }

    #[test]
    fn a_project_comes_from_the_header_then_the_url_then_the_session() {
        let session = Session::open("codex", None, Some("/from/session".into())).unwrap();
        let of = |headers: &HeaderMap, uri: &'static str| {
            agent(headers, &Uri::from_static(uri), &message(json!({})), Some(&session)).unwrap().project
        };
        let header = headers(&[("tally-project", "/h%C3%A9/a%20b")]);
        assert_eq!(of(&header, "/mcp?project=/url").as_deref(), Some("/hé/a b"));
        assert_eq!(of(&HeaderMap::new(), "/mcp?x=1&project=%2Furl+x").as_deref(), Some("/url x"));
        assert_eq!(of(&HeaderMap::new(), "/mcp").as_deref(), Some("/from/session"));
    }

    #[test]
    fn malformed_headers_are_refused_by_name() {
        for (name, value) in [
            ("tally-run", "short"),
            ("tally-run", "has spaces in it!!"),
            ("tally-run", &"x".repeat(65)),
            ("tally-call", "../../etc/passwd"),
            ("tally-project", "%ff"),
            ("tally-project", "a%0Ab"),
        ] {
            let denied =
                agent(&headers(&[(name, value)]), &Uri::from_static("/mcp"), &message(json!({})), None);
            let denied = denied.expect_err(value);
            assert_eq!(denied.status, StatusCode::BAD_REQUEST);
            assert!(denied.message.contains(name), "{}", denied.message);
        }
        let mut twice = headers(&[("tally-run", KEY)]);
        twice.append("tally-run", HeaderValue::from_static(KEY));
        assert!(bridge(&twice).is_err() && bridge(&HeaderMap::new()).is_err());
        assert!(surface(&headers(&[("tally-surface", "browser")])).is_err());
    }

    #[test]
    fn a_string_that_holds_an_object_is_answered_with_the_object() {
        assert_eq!(arguments_fix(&json!("{\"id\": 3}")), "send the object itself: {\"id\":3}");
        for other in [json!("[1]"), json!([1]), json!(null), json!("{\"a\":1,\"a\":2}")] {
            assert!(arguments_fix(&other).starts_with("send an object with"), "{other}");
        }
    }
}
