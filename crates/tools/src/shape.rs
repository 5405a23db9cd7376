//! What a tool's input must look like, said once: the published JSON Schema and the check that
//! finds every problem at once both come from the same value.

use crate::Issue;
use domain::{Description, Status, Subject, TaskNo, TextError};
use serde_json::{Map, Value, json};

/// The kind of one value.
#[derive(Debug, Clone, Copy)]
pub enum Shape {
    Subject,
    Description,
    IdempotencyKey,
    Cursor,
    Status,
    TaskRef,
    /// Task numbers, in any order.
    TaskRefs,
    /// The id of a run: a UUID in lower case.
    RunId,
    Flag,
    Integer {
        min: i64,
        max: i64,
    },
    Object(&'static [Field], NotEmpty),
}

/// Must an object name at least one field?
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotEmpty {
    Yes,
    No,
}

#[derive(Debug, Clone, Copy)]
pub struct Field {
    pub name: &'static str,
    pub shape: Shape,
    pub required: bool,
    pub says: &'static str,
}

/// The most task numbers in one list.
pub const REFS_MAX: usize = 50;
/// The longest key or cursor, in characters.
pub const KEY_MAX: usize = 100;

const STATUSES: [&str; 4] = ["pending", "in_progress", "blocked", "done"];

impl Shape {
    /// The published schema: draft 2020-12 without the parts that clients are known to mishandle.
    #[must_use]
    pub fn schema(&self) -> Value {
        match self {
            Shape::Subject => json!({"type": "string", "minLength": 1, "maxLength": Subject::MAX}),
            Shape::Description => json!({"type": "string", "maxLength": Description::MAX}),
            Shape::IdempotencyKey | Shape::Cursor => {
                json!({"type": "string", "minLength": 1, "maxLength": KEY_MAX})
            }
            Shape::Status => json!({"type": "string", "enum": STATUSES}),
            Shape::TaskRef => json!({"type": "string", "pattern": "^#?[1-9][0-9]{0,9}$"}),
            Shape::TaskRefs => {
                json!({"type": "array", "items": Shape::TaskRef.schema(), "maxItems": REFS_MAX})
            }
            Shape::RunId => json!({
                "type": "string",
                "pattern": "^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$",
            }),
            Shape::Flag => json!({"type": "boolean"}),
            Shape::Integer { min, max } => json!({"type": "integer", "minimum": min, "maximum": max}),
            Shape::Object(fields, not_empty) => object_schema(fields, *not_empty),
        }
    }

    /// What is expected, in words.
    #[must_use]
    pub fn expected(&self) -> String {
        match self {
            Shape::Subject => format!("a text of 1-{} characters on one line", Subject::MAX),
            Shape::Description => format!("a text of at most {} characters", Description::MAX),
            Shape::IdempotencyKey | Shape::Cursor => format!("a text of 1-{KEY_MAX} characters"),
            Shape::Status => STATUSES.join(" | "),
            Shape::TaskRef => "a task number as text, like \"3\"".into(),
            Shape::TaskRefs => {
                format!("a list of at most {REFS_MAX} task numbers as text, like [\"1\", \"2\"]")
            }
            Shape::RunId => "the id of a run, as tally runs shows it".into(),
            Shape::Flag => "true or false".into(),
            Shape::Integer { min, max } => format!("a whole number from {min} to {max}"),
            Shape::Object(fields, _) => {
                let names: Vec<_> = fields.iter().map(|field| field.name).collect();
                format!("an object with {}", names.join(", "))
            }
        }
    }

    /// Adds every problem of `value` to `issues`. Whole numbers written as `7.0` become `7`.
    pub fn check(&self, value: &mut Value, path: &str, issues: &mut Vec<Issue>) {
        match (self, &mut *value) {
            (Shape::Object(fields, not_empty), Value::Object(map)) => {
                check_object(fields, *not_empty, map, path, issues);
            }
            (Shape::TaskRefs, Value::Array(items)) => {
                if items.len() > REFS_MAX {
                    let fix = format!("send at most {REFS_MAX}; {} came", items.len());
                    issues.push(self.issue(path, "too many task numbers", &json!(items.len()), fix));
                }
                for (index, item) in items.iter_mut().enumerate() {
                    Shape::TaskRef.check(item, &format!("{path}[{index}]"), issues);
                }
            }
            (Shape::Integer { min, max }, Value::Number(number)) => match whole(number) {
                Some(n) if (*min..=*max).contains(&n) => *value = json!(n),
                _ => {
                    let fix = format!("send a whole number from {min} to {max}");
                    issues.push(self.issue(path, "not in range", value, fix));
                }
            },
            (Shape::Flag, Value::Bool(_)) => {}
            (_, Value::String(text)) => self.check_text(&text.clone(), path, issues),
            _ => issues.push(self.wrong_type(path, value)),
        }
    }

    fn check_text(&self, text: &str, path: &str, issues: &mut Vec<Issue>) {
        let got = Value::from(text);
        let problem = match self {
            Shape::Subject => text_problem(Subject::new(text).err()),
            Shape::Description => text_problem(Description::new(text).err()),
            Shape::IdempotencyKey | Shape::Cursor => {
                text_problem(domain::text::IdempotencyKey::new(text).err())
            }
            Shape::Status if Status::parse(text).is_none() => {
                let fix = format!("send \"{}\"", Status::nearest(text));
                Some(("not one of the allowed values".into(), fix))
            }
            Shape::TaskRef if TaskNo::parse(text).is_none() => {
                let fix = "send the number that progress_list shows, like \"3\" or \"#3\"".to_owned();
                Some(("not a task number".into(), fix))
            }
            Shape::RunId if !is_run_id(text) => {
                Some(("not the id of a run".into(), "send the id that the run list shows".to_owned()))
            }
            Shape::Status | Shape::TaskRef | Shape::RunId => None,
            Shape::TaskRefs | Shape::Flag | Shape::Integer { .. } | Shape::Object(..) => {
                issues.push(self.wrong_type(path, &got));
                return;
            }
        };
        if let Some((problem, fix)) = problem {
            issues.push(self.issue(path, &problem, &got, fix));
        }
    }

    fn wrong_type(&self, path: &str, value: &Value) -> Issue {
        let came = match value {
            Value::Null => "null",
            Value::Bool(_) => "a truth value",
            Value::Number(_) => "a number",
            Value::String(_) => "a text",
            Value::Array(_) => "a list",
            Value::Object(_) => "an object",
        };
        let fix = match (self, value) {
            (_, Value::Null) => format!("leave {path} out, or send {}", self.expected()),
            (Shape::TaskRef, Value::Number(n)) => format!("send \"{n}\""),
            (Shape::TaskRefs, Value::String(text)) if TaskNo::parse(text).is_some() => {
                format!("send [\"{text}\"]")
            }
            // A value that was sent as JSON text: show the value itself.
            (Shape::TaskRefs | Shape::Integer { .. } | Shape::Object(..), Value::String(text)) => {
                match serde_json::from_str::<Value>(text) {
                    Ok(inner) if !inner.is_string() => {
                        format!("send the value itself, not a text that holds it: {}", brief(&inner))
                    }
                    _ => format!("send {}", self.expected()),
                }
            }
            _ => format!("send {}", self.expected()),
        };
        self.issue(path, &format!("{came} is the wrong kind of value here"), value, fix)
    }

    fn issue(&self, path: &str, problem: &str, got: &Value, fix: String) -> Issue {
        Issue { path: path.into(), problem: problem.into(), got: cut(got), expected: self.expected(), fix }
    }
}

/// A whole number, also when it was written as `7.0`.
fn whole(number: &serde_json::Number) -> Option<i64> {
    const SAFE: f64 = 9_007_199_254_740_992.0;
    #[expect(clippy::cast_possible_truncation, reason = "the value is whole and within ±2^53")]
    number
        .as_i64()
        .or_else(|| number.as_f64().filter(|n| n.fract() == 0.0 && n.abs() <= SAFE).map(|n| n as i64))
}

fn text_problem(error: Option<TextError>) -> Option<(String, String)> {
    let error = error?;
    let fix = match &error {
        TextError::Blank => "send a text with at least one visible character".to_owned(),
        TextError::TooLong { len, max } => format!("shorten it by {} characters to {max}", len - max),
        TextError::Forbidden { index, .. } => {
            format!(
                "take the character at place {index} out; control, reordering and invisible characters are not allowed here"
            )
        }
    };
    Some((format!("the text {error}"), fix))
}

fn object_schema(fields: &[Field], not_empty: NotEmpty) -> Value {
    let mut properties = Map::new();
    for field in fields {
        let mut schema = field.shape.schema();
        schema["description"] = field.says.into();
        properties.insert(field.name.into(), schema);
    }
    let required: Vec<_> = fields.iter().filter(|field| field.required).map(|field| field.name).collect();
    let mut schema = json!({"type": "object", "properties": properties, "additionalProperties": false});
    if !required.is_empty() {
        schema["required"] = required.into();
    }
    if not_empty == NotEmpty::Yes {
        schema["minProperties"] = 1.into();
    }
    schema
}

fn check_object(
    fields: &[Field],
    not_empty: NotEmpty,
    map: &mut Map<String, Value>,
    path: &str,
    issues: &mut Vec<Issue>,
) {
    let at = |name: &str| if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
    let names = || fields.iter().map(|field| field.name).collect::<Vec<_>>().join(", ");
    for (name, value) in map.iter() {
        if !fields.iter().any(|field| field.name == name) {
            issues.push(Issue {
                path: at(name),
                problem: "unknown field".into(),
                got: cut(value),
                expected: format!("only {}", names()),
                fix: unknown_field_fix(fields, name, value, map),
            });
        }
    }
    for field in fields {
        match map.get_mut(field.name) {
            Some(value) => field.shape.check(value, &at(field.name), issues),
            None if field.required => issues.push(Issue {
                path: at(field.name),
                problem: "missing".into(),
                got: Value::Null,
                expected: field.shape.expected(),
                fix: format!("add \"{}\" with {}", field.name, field.shape.expected()),
            }),
            None => {}
        }
    }
    if not_empty == NotEmpty::Yes && map.is_empty() {
        issues.push(Issue {
            path: path.into(),
            problem: "empty".into(),
            got: json!({}),
            expected: format!("at least one of {}", names()),
            fix: "name the fields to change".into(),
        });
    }
}

/// Where the field belongs, when that can be told; otherwise it must go.
fn unknown_field_fix(fields: &[Field], name: &str, value: &Value, sent: &Map<String, Value>) -> String {
    for field in fields {
        if let Shape::Object(inner, _) = field.shape
            && inner.iter().any(|inner| inner.name == name)
        {
            let moved = json!({field.name: {name: value}});
            return format!("move it into \"{}\": {}", field.name, brief(&moved));
        }
    }
    let plain = |text: &str| text.replace(['_', '-'], "").to_lowercase();
    let meant = fields.iter().find(|field| {
        plain(field.name) == plain(name) || synonyms(field.name).contains(&plain(name).as_str())
    });
    match meant {
        Some(field) if sent.contains_key(field.name) => {
            format!("remove it; \"{}\" is there already", field.name)
        }
        Some(field) => format!("rename it to \"{}\"", field.name),
        None => "remove it".into(),
    }
}

/// Names that models are known to use instead.
fn synonyms(field: &str) -> &'static [&'static str] {
    match field {
        "subject" => &["title", "name", "task", "summary"],
        "description" => &["desc", "details", "body", "content", "notes"],
        "blockedBy" => &["dependencies", "dependson", "deps", "blockers", "addblockedby"],
        "id" => &["taskid", "number", "no"],
        "expectedVersion" => &["version", "baseversion", "expectedversion"],
        "idempotencyKey" => &["key", "requestid", "idempotencykey"],
        "status" => &["state"],
        "patch" => &["changes", "update", "updates", "fields"],
        _ => &[],
    }
}

/// Long values are cut in an error: the caller knows what it sent.
#[must_use]
pub fn cut(value: &Value) -> Value {
    const CHARS_MAX: usize = 200;
    match value {
        Value::String(text) => {
            let text = domain::text::visible(text);
            if text.chars().count() <= CHARS_MAX {
                return text.into();
            }
            let start: String = text.chars().take(CHARS_MAX).collect();
            format!("{start}…").into()
        }
        Value::Array(_) | Value::Object(_) => {
            let text = value.to_string();
            if text.chars().count() > CHARS_MAX { brief(value).into() } else { value.clone() }
        }
        other => other.clone(),
    }
}

/// A value as one short line.
#[must_use]
pub fn brief(value: &Value) -> String {
    const CHARS_MAX: usize = 200;
    let text = value.to_string();
    if text.chars().count() <= CHARS_MAX {
        return text;
    }
    let start: String = text.chars().take(CHARS_MAX).collect();
    format!("{start}…")
}

fn is_run_id(text: &str) -> bool {
    text.parse::<domain::RunId>().is_ok_and(|id| id.to_string() == text)
}
