//! Small ways into JSON of which nothing is certain.

use domain::Timestamp;
use serde_json::Value;

pub(crate) fn text<'a>(value: &'a Value, name: &str) -> Option<&'a str> {
    value.get(name)?.as_str()
}

/// A text that says something.
pub(crate) fn word<'a>(value: &'a Value, name: &str) -> Option<&'a str> {
    text(value, name).filter(|text| !text.trim().is_empty())
}

/// A count, also where it is written as a text, as protobuf's JSON does.
pub(crate) fn number(value: &Value, name: &str) -> Option<u64> {
    let value = value.get(name)?;
    let float = || value.as_f64().filter(|n| (0.0..1e15).contains(n)).map(|n| n.round());
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the range was checked")]
    let rounded = || float().map(|n| n as u64);
    value.as_u64().or_else(|| value.as_str()?.parse().ok()).or_else(rounded)
}

pub(crate) fn list<'a>(value: &'a Value, name: &str) -> &'a [Value] {
    value.get(name).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// A time as text, or as a number of seconds, milliseconds, microseconds or nanoseconds.
pub(crate) fn time(value: &Value) -> Option<Timestamp> {
    match value {
        Value::String(text) => Timestamp::parse(text)
            .or_else(|| Timestamp::parse(&format!("{text}Z")))
            .or_else(|| text.parse::<u64>().ok().and_then(since_epoch)),
        Value::Number(number) => {
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "the range was checked"
            )]
            let seconds = || number.as_f64().filter(|n| (1e8..1e11).contains(n)).map(|n| (n * 1e3) as u64);
            number.as_u64().or_else(seconds).and_then(since_epoch)
        }
        _ => None,
    }
}

fn since_epoch(number: u64) -> Option<Timestamp> {
    let unix_ms = match number {
        0 => return None,
        1..100_000_000_000 => number * 1_000,
        100_000_000_000..100_000_000_000_000 => number,
        100_000_000_000_000..100_000_000_000_000_000 => number / 1_000,
        _ => number / 1_000_000,
    };
    i64::try_from(unix_ms).ok().map(Timestamp::from_unix_ms)
}

/// What people would read of a content that is a text, a block, or a list of both.
pub(crate) fn readable(content: &Value) -> String {
    let mut out = String::new();
    gather(content, &mut out);
    out
}

fn gather(content: &Value, out: &mut String) {
    match content {
        Value::Null => {}
        Value::String(text) => add(out, text),
        Value::Array(parts) => parts.iter().for_each(|part| gather(part, out)),
        Value::Object(block) => {
            let inner =
                ["text", "thinking", "content", "output", "parts"].iter().find_map(|name| block.get(*name));
            match inner {
                Some(inner) if !inner.is_null() => gather(inner, out),
                _ => add(out, &picture(content).unwrap_or_else(|| content.to_string())),
            }
        }
        other => add(out, &other.to_string()),
    }
}

/// Pictures and other bytes are named, not copied.
fn picture(block: &Value) -> Option<String> {
    let source = block.get("source").unwrap_or(block);
    let data =
        text(source, "data").or_else(|| text(block, "image_url").filter(|url| url.starts_with("data:")))?;
    let kind = text(source, "media_type").or_else(|| text(block, "mimeType")).unwrap_or("bytes");
    Some(format!("[{kind}, {} bytes in base64]", data.len()))
}

fn add(out: &mut String, text: &str) {
    if !out.is_empty() && !text.is_empty() {
        out.push('\n');
    }
    out.push_str(text);
}

/// Arguments as a text: a text as it is, anything else as JSON.
pub(crate) fn as_text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn times_in_every_spelling() {
        let check = |value: Value, expected: Option<&str>| {
            assert_eq!(time(&value).map(|at| at.to_string()).as_deref(), expected, "{value}");
        };
        check(json!("2026-02-03T04:05:06.789Z"), Some("2026-02-03T04:05:06.789Z"));
        check(json!("2026-02-03T11:05:06+07:00"), Some("2026-02-03T04:05:06.000Z"));
        check(json!("2026-02-03T04:05:06.789123"), Some("2026-02-03T04:05:06.789Z"));
        check(json!(1_770_091_506), Some("2026-02-03T04:05:06.000Z"));
        check(json!(1_770_091_506.789), Some("2026-02-03T04:05:06.789Z"));
        check(json!(1_770_091_506_789_u64), Some("2026-02-03T04:05:06.789Z"));
        check(json!("1770091506789000000"), Some("2026-02-03T04:05:06.789Z"));
        check(json!("[trimmed]"), None);
        check(json!(0), None);
        check(json!(-5), None);
    }

    #[test]
    fn contents_as_people_read_them() {
        let check = |content: Value, expected: &str| assert_eq!(readable(&content), expected);
        check(json!("a"), "a");
        check(
            json!([{"type": "text", "text": "a"}, "b", {"type": "tool_result", "content": [{"text": "c"}]}]),
            "a\nb\nc",
        );
        check(
            json!({"type": "image", "source": {"media_type": "image/png", "data": "aGk="}}),
            "[image/png, 4 bytes in base64]",
        );
        check(
            json!({"type": "tool_reference", "tool_name": "x"}),
            "{\"type\":\"tool_reference\",\"tool_name\":\"x\"}",
        );
        check(Value::Null, "");
    }
}
