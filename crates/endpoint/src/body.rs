//! Reading a request's body: JSON by its header, 1 MiB at most, within ten seconds.

use std::time::Duration;

use axum::body::Body;
use axum::http::{HeaderMap, StatusCode, header};
use bytes::Bytes;
use http_body_util::{BodyExt as _, LengthLimitError, Limited};

use crate::deny::Denied;
use crate::message::SIZE_MAX;

/// A client that sends slower than this holds a connection for nothing.
const READ_MAX: Duration = Duration::from_secs(10);

pub(crate) async fn read(headers: &HeaderMap, body: Body) -> Result<Bytes, Denied> {
    if !is_json(headers) {
        return Err(Denied::new(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            "the body is not said to be JSON",
            "Content-Type: application/json",
            "send that header",
        ));
    }
    let told =
        headers.get(header::CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse::<usize>().ok());
    if told.is_some_and(|told| told > SIZE_MAX) {
        return Err(too_large());
    }
    match tokio::time::timeout(READ_MAX, Limited::new(body, SIZE_MAX).collect()).await {
        Ok(Ok(collected)) => Ok(collected.to_bytes()),
        Ok(Err(error)) if error.is::<LengthLimitError>() => Err(too_large()),
        Ok(Err(_)) => Err(incomplete(StatusCode::BAD_REQUEST, "the body broke off")),
        Err(_) => Err(incomplete(StatusCode::REQUEST_TIMEOUT, "the body did not arrive within 10 seconds")),
    }
}

fn is_json(headers: &HeaderMap) -> bool {
    let mut values = headers.get_all(header::CONTENT_TYPE).iter();
    let essence = |text: &str| {
        text.split(';').next().is_some_and(|kind| kind.trim().eq_ignore_ascii_case("application/json"))
    };
    match (values.next(), values.next()) {
        (Some(value), None) => value.to_str().is_ok_and(essence),
        _ => false,
    }
}

fn too_large() -> Denied {
    Denied::new(
        StatusCode::PAYLOAD_TOO_LARGE,
        "the message is larger than 1 MiB",
        "1048576 bytes at most",
        "send less in one call",
    )
}

fn incomplete(status: StatusCode, message: &str) -> Denied {
    Denied::new(status, message, "the whole body", "send it again")
}
