//! Secrets that are known by their shape are masked before a text is stored or hashed.
//!
//! A plain scan without regular expressions: a prefix that providers document, then the run of
//! token characters after it. The mark says which rule matched and how long the secret was.

/// (rule, prefix, shortest tail). Prefixes and lengths are those the providers publish.
const TOKENS: &[(&str, &str, usize)] = &[
    ("anthropic-key", "sk-ant-", 20),
    ("openai-key", "sk-proj-", 20),
    ("openai-key", "sk-", 32),
    ("github-token", "ghp_", 36),
    ("github-token", "gho_", 36),
    ("github-token", "ghs_", 36),
    ("github-token", "ghu_", 36),
    ("github-token", "github_pat_", 22),
    ("gitlab-token", "glpat-", 20),
    ("aws-key-id", "AKIA", 16),
    ("google-key", "AIza", 35),
    ("slack-token", "xoxb-", 20),
    ("slack-token", "xoxp-", 20),
    ("stripe-key", "sk_live_", 20),
    ("npm-token", "npm_", 36),
    ("jwt", "eyJ", 40),
];

const PEM_BEGIN: &str = "-----BEGIN ";
const PEM_KEY: &str = "PRIVATE KEY-----";

fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.')
}

/// The text with every known secret replaced by `[redacted:rule,length]`.
#[must_use]
pub fn mask(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = String::with_capacity(text.len());
    let (mut at, mut copied) = (0, 0);
    while at < bytes.len() {
        match secret_at(text, at) {
            Some((rule, len)) => {
                out.push_str(&text[copied..at]);
                out.push_str(&format!("[redacted:{rule},{len}]"));
                at += len;
                copied = at;
            }
            None => at += 1,
        }
    }
    out.push_str(&text[copied..]);
    out
}

fn secret_at(text: &str, at: usize) -> Option<(&'static str, usize)> {
    let bytes = text.as_bytes();
    let rest = &bytes[at..];
    let first = rest[0];
    if first == b'-' && rest.starts_with(PEM_BEGIN.as_bytes()) {
        return pem_at(&text[at..]);
    }
    if first == b':' && rest.starts_with(b"://") {
        return None;
    }
    if let Some(found) = url_password_at(text, at) {
        return Some(found);
    }
    if at > 0 && is_token(bytes[at - 1]) {
        return None;
    }
    TOKENS.iter().find_map(|&(rule, prefix, tail_min)| {
        let tail = rest.strip_prefix(prefix.as_bytes())?;
        let len = tail.iter().take_while(|&&b| is_token(b)).count();
        let jwt_like = rule != "jwt" || tail[..len].iter().filter(|&&b| b == b'.').count() == 2;
        (len >= tail_min && jwt_like).then_some((rule, prefix.len() + len))
    })
}

fn pem_at(rest: &str) -> Option<(&'static str, usize)> {
    let head_end = rest.find(PEM_KEY).filter(|&end| end < 60)? + PEM_KEY.len();
    let body = &rest[head_end..];
    let end = body.find(PEM_KEY).map_or(rest.len(), |end| head_end + end + PEM_KEY.len());
    Some(("private-key", end))
}

/// `scheme://user:PASSWORD@host`: the password only.
fn url_password_at(text: &str, at: usize) -> Option<(&'static str, usize)> {
    let bytes = text.as_bytes();
    if at == 0 || bytes[at - 1] != b':' {
        return None;
    }
    let user_start = text[..at - 1].rfind("://")? + 3;
    let user = &bytes[user_start..at - 1];
    let plain =
        |b: u8| !b.is_ascii_whitespace() && !matches!(b, b'/' | b'"' | b'\'' | b'@' | b'?' | b'#' | b'\\');
    if user.is_empty() || user.len() > 64 || !user.iter().all(|&b| plain(b) && b != b':') {
        return None;
    }
    let len = bytes[at..].iter().take_while(|&&b| plain(b)).count();
    (len > 0 && bytes.get(at + len) == Some(&b'@')).then_some(("url-password", len))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_secrets_are_masked_and_nothing_else() {
        let check = |input: &str, expected: &str| assert_eq!(mask(input), expected);
        let ghp = format!("ghp_{}", "a1B2".repeat(9));
        check(&format!("use {ghp} now"), "use [redacted:github-token,40] now");
        check(&format!("{{\"k\":\"sk-ant-{}\"}}", "x".repeat(24)), "{\"k\":\"[redacted:anthropic-key,31]\"}");
        check("postgres://ann:hunter2@db/x", "postgres://ann:[redacted:url-password,7]@db/x");
        check(&format!("eyJ{}.{}.sig", "a".repeat(30), "b".repeat(20)), "[redacted:jwt,58]");
        check(
            "-----BEGIN RSA PRIVATE KEY-----\nMII\n-----END RSA PRIVATE KEY-----!",
            "[redacted:private-key,65]!",
        );
        for plain in [
            "task-sk-1",
            "AKIA",
            "see http://a:80/b@c",
            "ask-me-about-it",
            "漢字 eyJ.a.b",
            "sk-short",
            "a://b:c d@",
        ] {
            check(plain, plain);
        }
    }
}
