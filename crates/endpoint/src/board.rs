//! The board as an MCP server: what rmcp calls. The tools and their rules are the host's.

use axum::http::request::Parts;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ErrorData, Implementation,
    ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::RequestContext;
use rmcp::{RoleServer, ServerHandler};
use serde_json::Value;
use tools::{Answer, Caller, Code, Failure, Refusal};

use crate::app::App;
use crate::bounded::{WAIT_MAX, bounded};
use crate::caller::arguments_fix;
use crate::message::RawCall;

#[derive(Debug, Clone)]
pub(crate) struct Board {
    app: App,
}

impl Board {
    pub(crate) fn new(app: App) -> Board {
        Board { app }
    }

    async fn call(&self, caller: Caller, call: RawCall) -> Result<Answer, Failure> {
        let host = self.app.host.clone();
        bounded(WAIT_MAX, async move {
            if call.arguments.is_object() {
                return host.call(caller, &call.tool, call.arguments).await;
            }
            let refusal = not_an_object(&call);
            Err(host.refuse(caller, &call.tool, call.arguments, refusal).await)
        })
        .await
    }
}

fn not_an_object(call: &RawCall) -> Refusal {
    let message = format!("{} was refused, nothing changed; 1 problem:", call.tool);
    let got = match &call.arguments {
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        _ => "a number",
    };
    Refusal::new(Code::InvalidInput, message).issue(
        "arguments",
        format!("is {got}, not an object"),
        call.arguments.clone(),
        "an object",
        arguments_fix(&call.arguments),
    )
}

impl ServerHandler for Board {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new("tallyboard", env!("CARGO_PKG_VERSION")))
            .with_instructions(self.app.host.instructions())
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tools: Vec<Tool> = serde_json::from_value(self.app.host.tool_list()).map_err(|error| {
            tracing::error!(%error, "the tools are not of MCP's form");
            ErrorData::internal_error("the tools could not be listed", None)
        })?;
        Ok(ListToolsResult::with_all_items(tools))
    }

    async fn call_tool(
        &self,
        _request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let parts = context.extensions.get::<Parts>();
        let known = parts.and_then(|parts| {
            Some((parts.extensions.get::<Caller>()?.clone(), parts.extensions.get::<RawCall>()?.clone()))
        });
        let Some((caller, call)) = known else {
            return Err(ErrorData::internal_error("the call did not come through the guard", None));
        };
        let result = match self.call(caller, call).await {
            Ok(answer) => result(answer.text, answer.structured, false),
            Err(Failure::Refused(refusal)) => {
                let structured = serde_json::to_value(&refusal).unwrap_or_default();
                result(refusal.to_text(), structured, true)
            }
            Err(Failure::UnknownTool { message, .. }) => {
                return Err(ErrorData::invalid_params(message, None));
            }
        };
        Ok(result.into())
    }
}

fn result(text: String, structured: Value, is_error: bool) -> CallToolResult {
    let mut result = CallToolResult::success(vec![ContentBlock::text(text)]);
    result.structured_content = Some(structured);
    result.is_error = Some(is_error);
    result
}
