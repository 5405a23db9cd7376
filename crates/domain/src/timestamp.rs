//! Wall-clock time as data: milliseconds since the Unix epoch, written as RFC 3339 in UTC.
//! It never orders anything.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};
use std::fmt;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp {
    unix_ms: i64,
}

impl Timestamp {
    /// 9999-12-31T23:59:59.999Z, the last time with a four-digit year.
    const MAX_MS: i64 = 253_402_300_799_999;

    /// Times outside the years 1970 to 9999 are moved to the nearest end.
    #[must_use]
    pub fn from_unix_ms(unix_ms: i64) -> Self {
        Timestamp { unix_ms: unix_ms.clamp(0, Self::MAX_MS) }
    }

    #[must_use]
    pub fn unix_ms(self) -> i64 {
        self.unix_ms
    }

    /// Reads any RFC 3339 time; what is finer than a millisecond is cut.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let at = OffsetDateTime::parse(text, &Rfc3339).ok()?;
        let unix_ms = i64::try_from(at.unix_timestamp_nanos().div_euclid(1_000_000)).ok()?;
        (0..=Self::MAX_MS).contains(&unix_ms).then_some(Timestamp { unix_ms })
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let at = OffsetDateTime::from_unix_timestamp_nanos(i128::from(self.unix_ms) * 1_000_000)
            .map_err(|_| fmt::Error)?;
        let (date, (h, m, s, ms)) = (at.date(), at.to_hms_milli());
        let (year, month, day) = (date.year(), u8::from(date.month()), date.day());
        write!(f, "{year:04}-{month:02}-{day:02}T{h:02}:{m:02}:{s:02}.{ms:03}Z")
    }
}

impl Serialize for Timestamp {
    /// As text where people read; as a number in kept states, which are read by the million.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if serializer.is_human_readable() {
            return serializer.collect_str(self);
        }
        serializer.serialize_i64(self.unix_ms)
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        if !deserializer.is_human_readable() {
            return Ok(Timestamp::from_unix_ms(i64::deserialize(deserializer)?));
        }
        let text = String::deserialize(deserializer)?;
        Timestamp::parse(&text).ok_or_else(|| D::Error::custom("not an RFC 3339 time"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_and_reads_utc_milliseconds() {
        let check = |ms, text: &str| {
            assert_eq!(Timestamp::from_unix_ms(ms).to_string(), text);
            assert_eq!(Timestamp::parse(text), Some(Timestamp::from_unix_ms(ms)));
        };
        check(0, "1970-01-01T00:00:00.000Z");
        check(1_796_040_000_007, "2026-11-30T12:00:00.007Z");
        check(Timestamp::MAX_MS, "9999-12-31T23:59:59.999Z");
        assert_eq!(
            Timestamp::parse("2026-11-30T14:00:00.0079+02:00"),
            Timestamp::parse("2026-11-30T12:00:00.007Z")
        );
        assert_eq!(Timestamp::parse("yesterday"), None);
        assert_eq!(Timestamp::from_unix_ms(-5).unix_ms(), 0);
    }
}
