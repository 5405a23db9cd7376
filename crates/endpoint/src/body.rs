//! Reading a request's body: JSON by its header, 1 MiB at most, within ten seconds.

use std::time::Duration;

use axum::body::Body;
use axum::http::{HeaderMap, StatusCode, header};
use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt as _;

use crate::deny::Denied;
use crate::message::SIZE_MAX;

/// A client that sends slower than this holds a connection for nothing.
const READ_MAX: Duration = Duration::from_secs(10);

/// How much of a body that is too large is read over, so that the answer still arrives.
const PASSED_OVER_MAX: usize = 16 * SIZE_MAX;

pub(crate) async fn read(headers: &HeaderMap, body: Body) -> Result<Bytes, Denied> {
    if !is_json(headers) {
        return Err(Denied::new(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            "the body is not said to be JSON",
            "Content-Type: application/json",
            "send that header",
        ));
    }
    match tokio::time::timeout(READ_MAX, take(body)).await {
        Ok(result) => result,
        Err(_) => Err(incomplete(StatusCode::REQUEST_TIMEOUT, "the body did not arrive within 10 seconds")),
    }
}

async fn take(mut body: Body) -> Result<Bytes, Denied> {
    let mut taken = BytesMut::new();
    let mut size = 0;
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|_| incomplete(StatusCode::BAD_REQUEST, "the body broke off"))?;
        let Ok(data) = frame.into_data() else { continue };
        size += data.len();
        if size > PASSED_OVER_MAX {
            break;
        }
        // A client that is still sending would not see our answer: what is too much is read over.
        if size > SIZE_MAX {
            taken = BytesMut::new();
        } else {
            taken.extend_from_slice(&data);
        }
    }
    if size > SIZE_MAX { Err(too_large()) } else { Ok(taken.freeze()) }
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
