//! Long texts, once each, by digest.

use super::hash_of;
use crate::{Reader, StoreError, Tx};
use domain::body::Keep;
use rusqlite::{OptionalExtension, params};

/// A part of a long text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BodyPart {
    /// The length of the whole, in bytes.
    pub bytes: u64,
    pub offset: u64,
    pub text: String,
    /// Where the next part begins.
    pub next: Option<u64>,
}

impl Reader<'_> {
    /// At most `limit` bytes from `offset` on, cut at a character. `None`: no such text is kept.
    pub fn body_part(&self, digest: &str, offset: u64, limit: u64) -> Result<Option<BodyPart>, StoreError> {
        let Some(digest) = hash_of(digest) else { return Ok(None) };
        let sql =
            "SELECT octet_length(text), substr(CAST(text AS BLOB), ?2 + 1, ?3) FROM bodies WHERE digest = ?1";
        let part: Option<(u64, Vec<u8>)> = self
            .conn
            .prepare_cached(sql)?
            .query_row(params![digest.0.as_slice(), offset, limit], |row| Ok((row.get(0)?, row.get(1)?)))
            .optional()?;
        Ok(part.map(|(bytes, part)| {
            let text = whole_characters(&part);
            let end = offset + text.len() as u64;
            BodyPart { bytes, offset, text: text.to_owned(), next: (end < bytes).then_some(end) }
        }))
    }
}

/// The part without the pieces of a character that was cut at its end.
fn whole_characters(part: &[u8]) -> &str {
    match std::str::from_utf8(part) {
        Ok(text) => text,
        Err(error) => std::str::from_utf8(&part[..error.valid_up_to()]).unwrap_or_default(),
    }
}

impl Tx<'_> {
    /// Keeps a text, unless it is there already.
    pub(crate) fn body_put(&self, keep: Keep<'_>) -> Result<(), StoreError> {
        let digest =
            hash_of(keep.digest).ok_or_else(|| StoreError::internal("a digest is not in hexadecimal"))?;
        self.conn
            .prepare_cached(
                "INSERT INTO bodies (digest, text) VALUES (?1, ?2) ON CONFLICT (digest) DO NOTHING",
            )?
            .execute(params![digest.0.as_slice(), keep.text])?;
        Ok(())
    }
}
