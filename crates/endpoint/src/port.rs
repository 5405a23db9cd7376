//! Which ports an owner listens at, and how it finds the same ones again next time.

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::net::Ipv4Addr;
use std::path::Path;

use tokio::net::TcpListener;

use crate::secret::write_private;

const MEMORY_FILE: &str = "ports.json";

/// A door's name in the memory file, and the port it has when nobody chose one.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Door {
    pub name: &'static str,
    pub usual: u16,
}

pub(crate) const AGENTS: Door = Door { name: "mcp", usual: 8737 };
pub(crate) const PEOPLE: Door = Door { name: "ui", usual: 8738 };

/// Binds on 127.0.0.1. A wished port is had or an error; without a wish it is the remembered one,
/// else the usual one, else any.
pub(crate) async fn bind(data: &Path, door: Door, wished: Option<u16>) -> Result<TcpListener, String> {
    let at = async |port: u16| TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await;
    if let Some(port) = wished {
        return match at(port).await {
            Ok(listener) => Ok(listener),
            Err(error) if error.kind() == ErrorKind::AddrInUse => Err(format!(
                "port {port} on 127.0.0.1 is in use by another program; choose another one, or leave the option out to get a free one"
            )),
            Err(error) => Err(format!("cannot listen at 127.0.0.1:{port}: {error}")),
        };
    }
    let remembered = recall(data).get(door.name).copied();
    for port in remembered.into_iter().chain([door.usual]) {
        if let Ok(listener) = at(port).await {
            return Ok(listener);
        }
    }
    at(0).await.map_err(|error| format!("cannot listen on 127.0.0.1: {error}"))
}

/// Writes down the ports in use. That it fails costs only the same port next time.
pub(crate) fn remember(data: &Path, ports: &[(Door, u16)]) {
    let mut memory = recall(data);
    let before = memory.clone();
    memory.extend(ports.iter().map(|(door, port)| (door.name.to_owned(), *port)));
    if memory == before {
        return;
    }
    let text = serde_json::to_string(&memory).unwrap_or_default();
    if let Err(error) = write_private(&data.join(MEMORY_FILE), &text) {
        tracing::warn!(%error, "the ports in use could not be written down");
    }
}

fn recall(data: &Path) -> BTreeMap<String, u16> {
    let text = std::fs::read_to_string(data.join(MEMORY_FILE)).unwrap_or_default();
    serde_json::from_str(&text).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn port(listener: &TcpListener) -> u16 {
        listener.local_addr().unwrap().port()
    }

    #[tokio::test]
    async fn a_port_is_found_again_and_a_wished_one_is_had_or_an_error() {
        let dir = tempfile::tempdir().unwrap();
        let first = bind(dir.path(), AGENTS, Some(0)).await.unwrap();
        let chosen = port(&first);
        remember(dir.path(), &[(AGENTS, chosen)]);
        let busy = bind(dir.path(), AGENTS, Some(chosen)).await.unwrap_err();
        assert!(busy.contains("in use") && busy.contains(&chosen.to_string()), "{busy}");
        // Taken: another one. Free again: the same one.
        assert_ne!(port(&bind(dir.path(), AGENTS, None).await.unwrap()), chosen);
        drop(first);
        assert_eq!(port(&bind(dir.path(), AGENTS, None).await.unwrap()), chosen);
        // The other door keeps its own memory.
        remember(dir.path(), &[(PEOPLE, 1)]);
        assert_eq!(recall(dir.path()), BTreeMap::from([("mcp".into(), chosen), ("ui".into(), 1)]));
        std::fs::write(dir.path().join(MEMORY_FILE), "not json").unwrap();
        assert!(bind(dir.path(), AGENTS, None).await.is_ok());
    }
}
