//! Canonical JSON bytes as RFC 8785 (JCS) defines them: the bytes that are hashed and stored.

use serde_json::{Map, Value};

/// The one byte form of a JSON value: keys in UTF-16 order, shortest escapes, ECMAScript numbers.
#[must_use]
pub fn to_string(value: &Value) -> String {
    let mut out = String::with_capacity(256);
    write_value(&mut out, value);
    out
}

fn write_value(out: &mut String, value: &Value) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(true) => out.push_str("true"),
        Value::Bool(false) => out.push_str("false"),
        Value::Number(number) => write_number(out, number),
        Value::String(text) => write_string(out, text),
        Value::Array(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                write_value(out, item);
            }
            out.push(']');
        }
        Value::Object(map) => write_object(out, map),
    }
}

fn write_object(out: &mut String, map: &Map<String, Value>) {
    let mut entries: Vec<(&String, &Value)> = map.iter().collect();
    entries.sort_unstable_by(|(a, _), (b, _)| a.encode_utf16().cmp(b.encode_utf16()));
    out.push('{');
    for (index, (key, value)) in entries.into_iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        write_string(out, key);
        out.push(':');
        write_value(out, value);
    }
    out.push('}');
}

/// The largest integer that every IEEE 754 double holds exactly.
const SAFE_INTEGER: u64 = 1 << 53;

fn write_number(out: &mut String, number: &serde_json::Number) {
    use std::fmt::Write;
    let safe = match (number.as_i64(), number.as_u64()) {
        (Some(n), _) => n.unsigned_abs() <= SAFE_INTEGER,
        (None, Some(n)) => n <= SAFE_INTEGER,
        (None, None) => false,
    };
    if safe {
        // Writing to a String cannot fail.
        let _ = write!(out, "{number}");
    } else {
        let double = number.as_f64().unwrap_or(0.0);
        out.push_str(ryu_js::Buffer::new().format(double));
    }
}

fn write_string(out: &mut String, text: &str) {
    use std::fmt::Write;
    out.push('"');
    for ch in text.chars() {
        match ch {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\u{8}' => out.push_str("\\b"),
            '\t' => out.push_str("\\t"),
            '\n' => out.push_str("\\n"),
            '\u{c}' => out.push_str("\\f"),
            '\r' => out.push_str("\\r"),
            '\0'..='\u{1f}' => {
                let _ = write!(out, "\\u{:04x}", ch as u32);
            }
            _ => out.push(ch),
        }
    }
    out.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check(input: &str, expected: &str) {
        assert_eq!(to_string(&serde_json::from_str(input).unwrap()), expected);
    }

    #[test]
    fn the_examples_of_rfc_8785() {
        check(
            r#"{"numbers":[333333333.33333329,1E30,4.50,2e-3,0.000000000000000000000000001],
                "string":"\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/","literals":[null,true,false]}"#,
            "{\"literals\":[null,true,false],\"numbers\":[333333333.3333333,1e+30,4.5,0.002,1e-27],\
             \"string\":\"€$\\u000f\\nA'B\\\"\\\\\\\\\\\"/\"}",
        );
        // Sorting is by UTF-16 code units: a surrogate pair sorts before U+FB33.
        check(
            "{\"\u{fb33}\":6,\"\u{1F600}\":5,\"\u{20ac}\":4,\"\u{f6}\":3,\"\u{80}\":2,\"1\":1,\"\\r\":0}",
            "{\"\\r\":0,\"1\":1,\"\u{80}\":2,\"\u{f6}\":3,\"\u{20ac}\":4,\"\u{1F600}\":5,\"\u{fb33}\":6}",
        );
        check("[-0.0, 7.0, 9007199254740993]", "[0,7,9007199254740992]");
    }

    fn any_json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            (-(1i64 << 53)..(1i64 << 53)).prop_map(Value::from),
            ".*".prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 32, 6, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
                prop::collection::hash_map(".*", inner, 0..6)
                    .prop_map(|map| Value::Object(map.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn reading_back_gives_the_same_bytes(value in any_json()) {
            let once = to_string(&value);
            let again: Value = serde_json::from_str(&once).unwrap();
            prop_assert_eq!(&again, &value);
            prop_assert_eq!(to_string(&again), once);
        }
    }
}
