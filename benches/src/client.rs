//! The thinnest HTTP/1.1 client that keeps its connection: what it costs must not blur the figures.

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

pub(crate) struct Client {
    stream: TcpStream,
    head: String,
    buffer: Vec<u8>,
    next_id: u64,
}

impl Client {
    /// A bare connection, for the bare round trip.
    pub(crate) async fn connect(authority: &str, path: &str, headers: &str) -> Result<Client> {
        let stream = TcpStream::connect(authority).await?;
        stream.set_nodelay(true)?;
        let head = format!(
            "POST {path} HTTP/1.1\r\nhost: {authority}\r\ncontent-type: application/json\r\n{headers}"
        );
        Ok(Client { stream, head, buffer: Vec::with_capacity(64 << 10), next_id: 0 })
    }

    /// An agent: initialized, with a session of its own.
    pub(crate) async fn agent(authority: &str, token: &str, name: &str) -> Result<Client> {
        let headers =
            format!("authorization: Bearer {token}\r\naccept: application/json, text/event-stream\r\n");
        let mut client = Client::connect(authority, "/mcp", &headers).await?;
        let hello = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": name, "version": "1"}});
        let (head, _) = client.rpc("initialize", &hello).await?;
        let session = header(&head, "mcp-session-id").context("no session was minted")?;
        client.head.push_str(&format!("mcp-session-id: {session}\r\nmcp-protocol-version: 2025-06-18\r\n"));
        Ok(client)
    }

    pub(crate) async fn call(&mut self, tool: &str, arguments: &Value) -> Result<Value> {
        let (_, body) = self.rpc("tools/call", &json!({"name": tool, "arguments": arguments})).await?;
        let mut answer: Value = serde_json::from_slice(&body)?;
        if !answer["error"].is_null() {
            bail!("{answer}");
        }
        Ok(answer["result"].take())
    }

    pub(crate) async fn rpc(&mut self, method: &str, params: &Value) -> Result<(String, Vec<u8>)> {
        self.next_id += 1;
        let body =
            json!({"jsonrpc": "2.0", "id": self.next_id, "method": method, "params": params}).to_string();
        self.post(&body).await
    }

    /// Sends one request and reads its whole answer.
    pub(crate) async fn post(&mut self, body: &str) -> Result<(String, Vec<u8>)> {
        let request = format!("{}content-length: {}\r\n\r\n{body}", self.head, body.len());
        self.stream.write_all(request.as_bytes()).await?;
        self.buffer.clear();
        let head_end = loop {
            if let Some(at) = self.buffer.windows(4).position(|four| four == b"\r\n\r\n") {
                break at + 4;
            }
            self.fill().await?;
        };
        let head = String::from_utf8_lossy(&self.buffer[..head_end]).into_owned();
        let length: usize =
            header(&head, "content-length").and_then(|n| n.parse().ok()).context("no content-length")?;
        while self.buffer.len() < head_end + length {
            self.fill().await?;
        }
        let body = self.buffer[head_end..head_end + length].to_vec();
        if !head.starts_with("HTTP/1.1 2") {
            bail!("{head}{}", String::from_utf8_lossy(&body));
        }
        Ok((head, body))
    }

    async fn fill(&mut self) -> Result<()> {
        if self.stream.read_buf(&mut self.buffer).await? == 0 {
            bail!("the connection was closed");
        }
        Ok(())
    }
}

fn header(head: &str, name: &str) -> Option<String> {
    head.lines().find_map(|line| {
        let (key, value) = line.split_once(':')?;
        key.eq_ignore_ascii_case(name).then(|| value.trim().to_owned())
    })
}
