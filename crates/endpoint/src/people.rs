//! The people's listener: the page itself, signing in, and the headers that keep the page to itself.

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderValue, Response, StatusCode, header};
use rust_embed::RustEmbed;

use crate::app::App;
use crate::caller::query;
use crate::deny::Denied;
use crate::login;

const CSP: &str = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; \
    img-src 'self' data:; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; \
    frame-ancestors 'none'";

/// The built UI; empty when it was not built before this crate.
#[derive(RustEmbed)]
#[folder = "../../ui/dist"]
#[allow_missing = true]
struct Ui;

const NOT_BUILT: &str = "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Tallyboard</title>\
    <h1>The page is not built into this program</h1>\
    <p>Run <code>npm ci &amp;&amp; npm run build</code> in <code>ui/</code>, then build the program again.</p></html>";

/// `GET /login?k=…`: a good key is used up and leaves the cookie.
pub(crate) async fn login(State(app): State<App>, request: Request) -> Response<Body> {
    let key = query(request.uri(), "k").unwrap_or_default();
    if !app.links.take(key) {
        let page = "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Tallyboard</title>\
            <h1>This link was used before, or is too old</h1>\
            <p>Run <code>tally open</code> and follow the link it prints.</p></html>";
        return html(StatusCode::UNAUTHORIZED, page);
    }
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::SEE_OTHER;
    let headers = response.headers_mut();
    headers.insert(header::LOCATION, HeaderValue::from_static("/"));
    match HeaderValue::from_str(&login::set_cookie(&app.person)) {
        Ok(cookie) => headers.insert(header::SET_COOKIE, cookie),
        Err(_) => None,
    };
    response
}

/// A file of the page. Paths without a dot are places inside the page.
pub(crate) async fn file(request: Request) -> Response<Body> {
    let path = request.uri().path().trim_start_matches('/');
    let path = if path.is_empty() || !path.contains('.') { "index.html" } else { path };
    let Some(file) = Ui::get(path) else {
        if path == "index.html" {
            return html(StatusCode::OK, NOT_BUILT);
        }
        let fix = "reload the page";
        return Denied::new(StatusCode::NOT_FOUND, "there is no such file", "a file of the page", fix)
            .response(false);
    };
    let mut response = Response::new(Body::from(file.data));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind(path)));
    // The build names assets by their content.
    if path.starts_with("assets/") {
        headers
            .insert(header::CACHE_CONTROL, HeaderValue::from_static("private, max-age=31536000, immutable"));
    }
    response
}

/// The kinds of file that a build of the page holds.
fn kind(path: &str) -> &'static str {
    match path.rsplit('.').next() {
        Some("html") => "text/html; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("json") => "application/json",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        Some("ico") => "image/x-icon",
        Some("woff2") => "font/woff2",
        _ => "application/octet-stream",
    }
}

fn html(status: StatusCode, page: &'static str) -> Response<Body> {
    let mut response = Response::new(Body::from(page));
    *response.status_mut() = status;
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
    response
}

/// Put on every answer of this listener.
pub(crate) fn protect(response: &mut Response<Body>) {
    response.headers_mut().insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(CSP));
}
