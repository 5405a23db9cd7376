//! Signing a browser in: a link that works once, and the cookie it leaves.
//!
//! The cookie is a date under the person's token, so it outlives a restart of the owner; a new
//! `person.token` ends all of them.

use std::time::{SystemTime, UNIX_EPOCH};

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD as BASE64;
use parking_lot::Mutex;
use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;

use crate::secret::{Secret, random_text};

pub(crate) const COOKIE: &str = "tally_session";
const LABEL: &str = "tallyboard/cookie/v1";
const COOKIE_DAYS: u64 = 30;
/// Links given out and not yet used; the oldest goes when there are more.
const LINKS_MAX: usize = 32;

/// The keys of links that have not been used.
#[derive(Debug, Default)]
pub(crate) struct Links(Mutex<Vec<[u8; 32]>>);

impl Links {
    /// A new key for `/login?k=`.
    pub(crate) fn make(&self) -> Result<String, String> {
        let key = random_text(32)?;
        let mut links = self.0.lock();
        if links.len() == LINKS_MAX {
            links.remove(0);
        }
        links.push(Sha256::digest(key.as_bytes()).into());
        Ok(key)
    }

    /// True once for each key.
    pub(crate) fn take(&self, key: &str) -> bool {
        let digest: [u8; 32] = Sha256::digest(key.as_bytes()).into();
        let mut links = self.0.lock();
        let found = links.iter().position(|link| bool::from(link.ct_eq(&digest)));
        found.map(|index| links.remove(index)).is_some()
    }
}

/// The whole `Set-Cookie` value, valid from now.
pub(crate) fn set_cookie(secret: &Secret) -> String {
    let age = COOKIE_DAYS * 86_400;
    format!("{COOKIE}={}; HttpOnly; SameSite=Strict; Path=/; Max-Age={age}", cookie(secret, now()))
}

/// Whether one of the cookies sent is ours and still good.
pub(crate) fn is_signed_in(cookie_header: &str, secret: &Secret) -> bool {
    cookie_header
        .split(';')
        .filter_map(|pair| pair.trim().strip_prefix(COOKIE)?.strip_prefix('='))
        .any(|value| is_good(value, secret, now()))
}

fn cookie(secret: &Secret, issued: u64) -> String {
    let mac = secret.mac(LABEL, &[issued.to_string().as_bytes()]);
    format!("{issued}.{}", BASE64.encode(mac))
}

fn is_good(value: &str, secret: &Secret, now: u64) -> bool {
    let Some((issued, mac)) = value.split_once('.') else { return false };
    let Ok(date) = issued.parse::<u64>() else { return false };
    let fresh = date <= now + 86_400 && now < date + COOKIE_DAYS * 86_400;
    secret.proves(mac, 32, LABEL, &[issued.as_bytes()]) && fresh
}

#[expect(clippy::disallowed_methods, reason = "a cookie's age is wall time; nothing is ordered by it")]
fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_works_once() {
        let links = Links::default();
        let key = links.make().unwrap();
        assert!(!links.take(""));
        assert!(!links.take(&key[1..]));
        assert!(links.take(&key));
        assert!(!links.take(&key));
        let oldest = links.make().unwrap();
        for _ in 0..LINKS_MAX {
            links.make().unwrap();
        }
        assert!(!links.take(&oldest));
    }

    #[test]
    fn a_cookie_lasts_thirty_days_and_cannot_be_made_up() {
        let secret = Secret::from_text("person".into());
        let day = 86_400;
        let value = cookie(&secret, 1_000 * day);
        assert!(is_good(&value, &secret, 1_000 * day));
        assert!(is_good(&value, &secret, 1_029 * day));
        assert!(!is_good(&value, &secret, 1_030 * day));
        assert!(!is_good(&value, &secret, 998 * day), "from the future");
        let mac = value.split_once('.').unwrap().1;
        for forged in
            [format!("{}.{mac}", 1_010 * day), mac.into(), format!("{}.", 1_000 * day), String::new()]
        {
            assert!(!is_good(&forged, &secret, 1_000 * day), "{forged}");
        }
        assert!(!is_good(&value, &Secret::from_text("rotated".into()), 1_000 * day));
        assert!(is_signed_in(&format!("a=b; {COOKIE}=junk; {COOKIE}={}", cookie(&secret, now())), &secret));
        assert!(!is_signed_in(&format!("x{COOKIE}={}", cookie(&secret, now())), &secret));
    }
}
