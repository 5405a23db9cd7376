//! One JSON-RPC message of a client: read strictly, checked as an envelope, and a tool call's raw
//! arguments kept as they came.

use axum::http::StatusCode;
use serde_json::{Map, Value, json};
use tools::strict_json;

use crate::deny::{Denied, INVALID_PARAMS, INVALID_REQUEST, METHOD_NOT_FOUND, PARSE_ERROR};

/// The largest message taken, in bytes.
pub(crate) const SIZE_MAX: usize = 1 << 20;

const META_VERSION: &str = "io.modelcontextprotocol/protocolVersion";
const META_CLIENT: &str = "io.modelcontextprotocol/clientInfo";

/// A message whose envelope is well formed.
#[derive(Debug, Clone)]
pub(crate) struct Message {
    pub value: Value,
}

/// A `tools/call` as it came.
#[derive(Debug, Clone)]
pub(crate) struct RawCall {
    pub tool: String,
    /// Absent counts as `{}`.
    pub arguments: Value,
}

impl Message {
    pub(crate) fn read(bytes: &[u8]) -> Result<Message, Denied> {
        let value = strict_json::parse(bytes).map_err(|error| {
            let message = format!(
                "the message is not strict JSON: {} at line {}, column {} (byte {}){}",
                error.problem,
                error.line,
                error.column,
                error.byte,
                if error.path.is_empty() { String::new() } else { format!(", in {}", error.path) },
            );
            bad(PARSE_ERROR, message, "one JSON-RPC message", error.fix)
        })?;
        let message = Message { value };
        message.check().map_err(|denied| denied.answering(&message.id()))?;
        Ok(message)
    }

    /// Its id, or null.
    pub(crate) fn id(&self) -> Value {
        match &self.value["id"] {
            id @ Value::String(_) => id.clone(),
            Value::Number(number) if number.is_i64() || number.is_u64() => number.clone().into(),
            _ => Value::Null,
        }
    }

    pub(crate) fn method(&self) -> &str {
        self.value["method"].as_str().unwrap_or_default()
    }

    /// Has an id, so an answer is owed.
    pub(crate) fn is_request(&self) -> bool {
        self.value.get("id").is_some() && self.value.get("method").is_some()
    }

    fn params(&self) -> &Value {
        &self.value["params"]
    }

    fn meta(&self) -> &Value {
        &self.params()["_meta"]
    }

    /// The protocol version that a message of the 2026-07-28 kind carries with itself.
    pub(crate) fn own_version(&self) -> Option<&str> {
        self.meta()[META_VERSION].as_str()
    }

    /// What the call is about, for `Mcp-Name`.
    pub(crate) fn subject(&self) -> Option<&str> {
        match self.method() {
            "tools/call" | "prompts/get" => self.params()["name"].as_str(),
            "resources/read" => self.params()["uri"].as_str(),
            _ => None,
        }
    }

    /// Name and version of the client: of `initialize`, or of the message itself.
    pub(crate) fn client(&self) -> Option<(&str, Option<&str>)> {
        let info = match self.method() {
            "initialize" => &self.params()["clientInfo"],
            _ => &self.meta()[META_CLIENT],
        };
        Some((info["name"].as_str()?, info["version"].as_str()))
    }

    /// An id of the client's own for the conversation that the call belongs to.
    pub(crate) fn conversation(&self) -> Option<&str> {
        let told = |name: &str| self.meta()[name].as_str().filter(|id| !id.is_empty() && id.len() <= 128);
        told("threadId").or_else(|| told("sessionId"))
    }

    pub(crate) fn call(&self) -> Option<RawCall> {
        if self.method() != "tools/call" {
            return None;
        }
        let tool = self.params()["name"].as_str()?.to_owned();
        let arguments = self.params().get("arguments").cloned().unwrap_or_else(|| json!({}));
        Some(RawCall { tool, arguments })
    }

    /// Puts `{}` for arguments that no MCP library takes. True: the message is not what came.
    pub(crate) fn tame_arguments(&mut self) -> bool {
        match self.value.pointer_mut("/params/arguments") {
            Some(arguments) if !arguments.is_object() => {
                *arguments = Value::Object(Map::new());
                true
            }
            _ => false,
        }
    }

    fn check(&self) -> Result<(), Denied> {
        let Value::Object(members) = &self.value else {
            let (got, fix) = match &self.value {
                Value::Array(_) => ("a batch", "send each message in a request of its own"),
                _ => ("not an object", "send a JSON-RPC request object"),
            };
            return Err(bad(INVALID_REQUEST, format!("the message is {got}"), "one JSON-RPC object", fix));
        };
        if self.value["jsonrpc"] != "2.0" {
            return Err(invalid("\"jsonrpc\" is missing or not \"2.0\"", "\"jsonrpc\":\"2.0\"", "add it"));
        }
        match members.get("id") {
            None | Some(Value::String(_)) => {}
            Some(Value::Number(number)) if number.is_i64() || number.is_u64() => {}
            Some(_) => {
                return Err(invalid(
                    "\"id\" is not a string or a whole number",
                    "such an id, or none for a notification",
                    "send one",
                ));
            }
        }
        let is_answer = members.contains_key("result") || members.contains_key("error");
        match members.get("method") {
            Some(Value::String(_)) => {}
            None if is_answer => {}
            _ => {
                return Err(invalid(
                    "\"method\" is missing or not a string",
                    "the name of a method",
                    "add it, for example \"tools/list\"",
                ));
            }
        }
        match members.get("params") {
            None | Some(Value::Object(_)) => {}
            Some(_) => {
                return Err(params("\"params\" is not an object", "an object", "send the object itself"));
            }
        }
        if !matches!(self.params().get("_meta"), None | Some(Value::Object(_))) {
            return Err(params(
                "\"params._meta\" is not an object",
                "an object",
                "send one, or leave it out",
            ));
        }
        self.check_method()
    }

    fn check_method(&self) -> Result<(), Denied> {
        match self.method() {
            "initialize" if self.own_version().is_some() => {
                let message = "initialize is no method of the protocol version that this message names";
                let denied =
                    Denied::new(StatusCode::NOT_FOUND, message, "server/discover", "send that instead");
                Err(denied.code(METHOD_NOT_FOUND))
            }
            "tools/call" if self.is_request() && !self.params()["name"].is_string() => Err(params(
                "\"params.name\" is missing or not a string",
                "the name of a tool",
                "send {\"name\":\"progress_list\",\"arguments\":{}} with the tool you mean",
            )),
            "initialize" if self.is_request() && self.client().is_none() => Err(params(
                "\"params.clientInfo.name\" is missing or not a string",
                "{\"name\":…,\"version\":…}",
                "say which client you are",
            )),
            "initialize" if self.is_request() && !self.params()["protocolVersion"].is_string() => {
                Err(params(
                    "\"params.protocolVersion\" is missing or not a string",
                    "a protocol version such as \"2025-11-25\"",
                    "send the version you speak",
                ))
            }
            _ => Ok(()),
        }
    }
}

fn invalid(message: &str, expected: &str, fix: &str) -> Denied {
    bad(INVALID_REQUEST, message, expected, fix)
}

fn params(message: &str, expected: &str, fix: &str) -> Denied {
    bad(INVALID_PARAMS, message, expected, fix)
}

fn bad(code: i64, message: impl Into<String>, expected: &str, fix: impl Into<String>) -> Denied {
    Denied::new(StatusCode::BAD_REQUEST, message, expected, fix).code(code)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(value: Value) -> Message {
        Message::read(value.to_string().as_bytes()).unwrap()
    }

    #[test]
    fn a_malformed_envelope_is_told_by_its_member_and_keeps_its_id() {
        let cases = [
            (json!([{"jsonrpc":"2.0","id":1,"method":"ping"}]), INVALID_REQUEST, "a batch"),
            (json!(7), INVALID_REQUEST, "not an object"),
            (json!({"id":9,"method":"ping"}), INVALID_REQUEST, "jsonrpc"),
            (json!({"jsonrpc":"1.0","id":9,"method":"ping"}), INVALID_REQUEST, "jsonrpc"),
            (json!({"jsonrpc":"2.0","id":null,"method":"ping"}), INVALID_REQUEST, "\"id\""),
            (json!({"jsonrpc":"2.0","id":1.5,"method":"ping"}), INVALID_REQUEST, "\"id\""),
            (json!({"jsonrpc":"2.0","id":9}), INVALID_REQUEST, "method"),
            (json!({"jsonrpc":"2.0","id":9,"method":7}), INVALID_REQUEST, "method"),
            (json!({"jsonrpc":"2.0","id":9,"method":"x","params":[1]}), INVALID_PARAMS, "params"),
            (json!({"jsonrpc":"2.0","id":9,"method":"x","params":{"_meta":1}}), INVALID_PARAMS, "_meta"),
            (
                json!({"jsonrpc":"2.0","id":9,"method":"tools/call","params":{}}),
                INVALID_PARAMS,
                "params.name",
            ),
            (json!({"jsonrpc":"2.0","id":9,"method":"tools/call"}), INVALID_PARAMS, "params.name"),
            (
                json!({"jsonrpc":"2.0","id":9,"method":"initialize","params":{"protocolVersion":"2025-06-18"}}),
                INVALID_PARAMS,
                "clientInfo",
            ),
            (
                json!({"jsonrpc":"2.0","id":9,"method":"initialize","params":{"_meta":{META_VERSION:"2026-07-28"}}}),
                METHOD_NOT_FOUND,
                "no method",
            ),
            (
                json!({"jsonrpc":"2.0","id":9,"method":"initialize","params":{"clientInfo":{"name":"x"}}}),
                INVALID_PARAMS,
                "protocolVersion",
            ),
        ];
        for (value, code, said) in cases {
            let denied = Message::read(value.to_string().as_bytes()).unwrap_err();
            assert_eq!(denied.code, code, "{value}");
            assert!(denied.message.contains(said), "{value}: {}", denied.message);
            assert_eq!(denied.rpc()["id"], if value["id"] == 9 { json!(9) } else { Value::Null }, "{value}");
        }
        let denied = Message::read(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"id\":2}").unwrap_err();
        assert_eq!(denied.code, PARSE_ERROR);
        assert!(denied.message.contains("the key \"id\" is there twice at line 1"), "{}", denied.message);
    }

    #[test]
    fn arguments_are_kept_as_they_came() {
        let call = |arguments: Value| json!({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t","arguments":arguments}});
        for odd in [json!("{}"), json!([1]), json!(null), json!(3), json!(true)] {
            let mut message = read(call(odd.clone()));
            assert_eq!(message.call().unwrap().arguments, odd);
            assert!(message.tame_arguments());
            assert_eq!(message.value["params"]["arguments"], json!({}));
        }
        let mut message = read(call(json!({"id": "3"})));
        assert!(!message.tame_arguments());
        assert_eq!(message.call().unwrap().arguments, json!({"id": "3"}));
        let mut absent = read(json!({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t"}}));
        assert_eq!(absent.call().unwrap().arguments, json!({}));
        assert!(!absent.tame_arguments());
    }

    #[test]
    fn a_client_is_known_by_what_it_says_of_itself() {
        let modern = read(json!({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t","_meta":{
            META_VERSION: "2026-07-28", META_CLIENT: {"name": "codex", "version": "0.171"}, "threadId": "t-1", "sessionId": "s-1"}}}));
        assert_eq!(modern.client(), Some(("codex", Some("0.171"))));
        assert_eq!(modern.own_version(), Some("2026-07-28"));
        assert_eq!(modern.conversation(), Some("t-1"));
        assert_eq!(modern.subject(), Some("t"));
        let odd = read(
            json!({"jsonrpc":"2.0","id":1,"method":"x","params":{"_meta":{"threadId": "x".repeat(129), "sessionId": 4}}}),
        );
        assert_eq!((odd.conversation(), odd.client(), odd.own_version()), (None, None, None));
    }
}
