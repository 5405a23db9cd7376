//! JSON as it is taken from outside: UTF-8, each key once, at most 32 levels deep, one value and
//! nothing after it. What serde_json would forgive silently (the last of two equal keys wins) is
//! refused here, with the place and the way out.

use std::cell::RefCell;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

/// How deep arrays and objects may be nested.
pub const DEPTH_MAX: usize = 32;

/// Why a text is not strict JSON. `Display` says where and what to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StrictError {
    pub problem: String,
    pub fix: String,
    /// Bytes before the place where reading stopped.
    pub byte: usize,
    /// Both from 1.
    pub line: usize,
    pub column: usize,
    /// The keys down to that place, for example `params.arguments.todos[3]`; empty at the top.
    pub path: String,
}

impl fmt::Display for StrictError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let StrictError { problem, fix, byte, line, column, path } = self;
        write!(f, "{problem} at line {line}, column {column} (byte {byte})")?;
        if !path.is_empty() {
            write!(f, ", in {path}")?;
        }
        write!(f, ". Fix: {fix}.")
    }
}

impl std::error::Error for StrictError {}

/// Reads exactly one JSON value from `bytes`.
pub fn parse(bytes: &[u8]) -> Result<Value, StrictError> {
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let byte = error.valid_up_to();
        let (line, column) = line_and_column(bytes, byte);
        let (problem, fix) = ("not UTF-8".into(), "send the text as UTF-8".into());
        StrictError { problem, fix, byte, line, column, path: String::new() }
    })?;
    let place = RefCell::new(Place::default());
    let mut reader = serde_json::Deserializer::from_str(text);
    let read = Strict { place: &place, depth: 0 }.deserialize(&mut reader);
    let whole = read.and_then(|value| reader.end().map(|()| value));
    whole.map_err(|error| explain(bytes, &error, &place.into_inner()))
}

/// Where the reader stands, kept as it was when an error stopped it.
#[derive(Default)]
struct Place {
    path: Vec<Step>,
    broken: Option<Broken>,
}

enum Step {
    Key(String),
    Index(usize),
}

/// The rules serde_json does not have.
enum Broken {
    Twice(String),
    Deep,
}

struct Strict<'a> {
    place: &'a RefCell<Place>,
    depth: usize,
}

impl Strict<'_> {
    fn inner<E: serde::de::Error>(&self) -> Result<usize, E> {
        if self.depth == DEPTH_MAX {
            self.place.borrow_mut().broken = Some(Broken::Deep);
            return Err(E::custom("too deep"));
        }
        Ok(self.depth + 1)
    }

    /// Reads one member at `step`; on an error the path stays as it is, so that it can be told.
    fn at<T, E>(&self, step: Step, read: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
        self.place.borrow_mut().path.push(step);
        let value = read()?;
        self.place.borrow_mut().path.pop();
        Ok(value)
    }
}

impl<'de> DeserializeSeed<'de> for Strict<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Value, D::Error> {
        from.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Strict<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Value, A::Error> {
        let depth = self.inner()?;
        let mut items = Vec::new();
        loop {
            let item = self.at(Step::Index(items.len()), || {
                seq.next_element_seed(Strict { place: self.place, depth })
            })?;
            match item {
                Some(item) => items.push(item),
                None => return Ok(Value::Array(items)),
            }
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let depth = self.inner()?;
        let mut members = Map::new();
        while let Some(key) = map.next_key::<String>()? {
            if members.contains_key(&key) {
                self.place.borrow_mut().broken = Some(Broken::Twice(key));
                return Err(A::Error::custom("twice"));
            }
            let value =
                self.at(Step::Key(key.clone()), || map.next_value_seed(Strict { place: self.place, depth }))?;
            members.insert(key, value);
        }
        Ok(Value::Object(members))
    }
}

fn explain(bytes: &[u8], error: &serde_json::Error, place: &Place) -> StrictError {
    let (problem, fix) = match &place.broken {
        Some(Broken::Twice(key)) => (
            format!("the key {} is there twice", Value::from(key.as_str())),
            "send each key once, with the value you mean".into(),
        ),
        Some(Broken::Deep) => (
            format!("nested more than {DEPTH_MAX} levels deep"),
            format!("keep arrays and objects within {DEPTH_MAX} levels"),
        ),
        None => (plain(error), "send one complete JSON value as RFC 8259 has it".into()),
    };
    let byte = byte_of(bytes, error.line(), error.column());
    let (line, column) = line_and_column(bytes, byte);
    StrictError { problem, fix, byte, line, column, path: written(&place.path) }
}

/// serde_json's own sentence, without the place it appends.
fn plain(error: &serde_json::Error) -> String {
    let text = error.to_string();
    text.split_once(" at line ").map_or(text.clone(), |(sentence, _)| sentence.to_string())
}

fn written(path: &[Step]) -> String {
    let mut text = String::new();
    for step in path {
        match step {
            Step::Index(index) => text.push_str(&format!("[{index}]")),
            Step::Key(key) if text.is_empty() => text.push_str(key),
            Step::Key(key) => text.push_str(&format!(".{key}")),
        }
    }
    text
}

/// serde_json counts columns in bytes, from 1 for the last byte it read.
fn byte_of(bytes: &[u8], line: usize, column: usize) -> usize {
    let start = match line.checked_sub(2) {
        None => 0,
        Some(nth) => bytes
            .iter()
            .enumerate()
            .filter(|(_, byte)| **byte == b'\n')
            .nth(nth)
            .map_or(bytes.len(), |(index, _)| index + 1),
    };
    (start + column.saturating_sub(1)).min(bytes.len())
}

fn line_and_column(bytes: &[u8], byte: usize) -> (usize, usize) {
    let before = &bytes[..byte.min(bytes.len())];
    let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
    let column = before.iter().rev().take_while(|byte| **byte != b'\n').count() + 1;
    (line, column)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn refused(text: impl AsRef<[u8]>) -> StrictError {
        parse(text.as_ref()).expect_err("taken")
    }

    #[test]
    fn plain_values_are_taken_as_they_are() {
        for text in [
            "null",
            "true",
            "-0.5",
            "1e3",
            "18446744073709551615",
            r#""é漢🚀 \u00e9""#,
            "[]",
            " {\"a\":[1,{}]}\n",
        ] {
            assert_eq!(
                parse(text.as_bytes()).unwrap(),
                serde_json::from_str::<Value>(text).unwrap(),
                "{text}"
            );
        }
    }

    #[test]
    fn a_key_twice_is_named_with_its_place() {
        let error = refused(r#"{"params":{"todos":[{"a":1},{"b":1,"b":2}]}}"#);
        assert_eq!(error.path, "params.todos[1]");
        assert!(error.to_string().contains(r#"the key "b" is there twice at line 1, column"#), "{error}");
        assert!(error.to_string().ends_with("Fix: send each key once, with the value you mean."));
        // The same key in another spelling, and in an inner object.
        refused(r#"{"a":1,"\u0061":2}"#);
        assert!(parse(br#"{"a":{"a":{"a":1}}}"#).is_ok());
    }

    #[test]
    fn depth_32_is_taken_and_33_is_not() {
        let nested = |n| format!("{}{}", "[".repeat(n), "]".repeat(n));
        assert!(parse(nested(32).as_bytes()).is_ok());
        assert!(refused(nested(33)).problem.contains("32 levels"));
        assert!(refused(nested(100_000)).problem.contains("32 levels"));
        let objects = |n| format!("{}1{}", r#"{"k":"#.repeat(n), "}".repeat(n));
        assert!(parse(objects(32).as_bytes()).is_ok());
        assert_eq!(refused(objects(33)).path, ["k"; 32].join("."));
    }

    #[test]
    fn what_is_not_json_is_refused_with_its_place() {
        for text in [
            "",
            " ",
            "{",
            "[1,]",
            "{'a':1}",
            "NaN",
            "Infinity",
            "-Infinity",
            "01",
            "+1",
            "1.",
            "0x10",
            "tru",
            "\"a\nb\"",
            r#""\ud800""#,
            "// c\n1",
            "{} {}",
            "1 2",
            "[1] x",
            "{\"a\":1,}",
            "1e999",
            "\u{feff}{}",
        ] {
            refused(text);
        }
        let error = refused("{\n  \"a\": 1,\n  \"b\": nope\n}");
        assert_eq!((error.line, error.path.as_str()), (3, "b"));
        assert_eq!(error.byte, 20, "{error}");
    }

    #[test]
    fn bytes_that_are_not_utf8_are_refused_with_their_offset() {
        let error = refused(b"{\"a\":\n\"\xff\"}");
        assert_eq!((error.byte, error.line, error.column), (7, 2, 2));
        assert_eq!(error.problem, "not UTF-8");
        refused(b"\"\xc3\"");
        refused(b"\xef\xbb\xbf{}");
        refused(b"\"\xed\xa0\x80\"");
    }

    fn value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<f64>().prop_filter("finite", |n| n.is_finite()).prop_map(Value::from),
            any::<String>().prop_map(Value::from),
        ];
        leaf.prop_recursive(6, 64, 8, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..8).prop_map(Value::from),
                prop::collection::btree_map(any::<String>(), inner, 0..8)
                    .prop_map(|map| Value::Object(map.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn what_serde_writes_is_read_back_equal(value in value()) {
            let text = serde_json::to_string_pretty(&value).unwrap();
            prop_assert_eq!(parse(text.as_bytes()).unwrap(), value);
        }

        #[test]
        fn no_bytes_panic_and_none_is_taken_that_serde_refuses(bytes in prop::collection::vec(any::<u8>(), 0..64)) {
            if let Ok(value) = parse(&bytes) {
                prop_assert_eq!(serde_json::from_slice::<Value>(&bytes).unwrap(), value);
            }
        }

        #[test]
        fn a_repeated_key_is_found_anywhere(value in value(), key in "[a-z]{1,4}") {
            let mut text = serde_json::to_string(&json!({"outer": [value]})).unwrap();
            text.truncate(text.len() - 1);
            let twice = format!("{text},\"in\":{{{0}:1,{0}:2}}}}", Value::from(key));
            prop_assert!(parse(twice.as_bytes()).is_err());
        }
    }
}
