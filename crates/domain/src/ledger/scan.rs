//! Is a text canonical JSON (RFC 8785), without building anything of it?
//!
//! `None` means "not surely": names beyond ASCII and very deep nesting are left to the reader that
//! builds the value and writes it anew.

/// Deeper values are left to the other reader.
const DEPTH_MAX: usize = 48;

/// What a canonical payload says of itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Scanned {
    /// Its member `v` is 1, or it has none.
    pub known_layout: bool,
}

pub(super) fn scan(text: &[u8]) -> Option<Scanned> {
    // The canonical form has no raw control character anywhere, and no white space between tokens.
    if text.iter().fold(0, |low, byte| low | u8::from(*byte < b' ')) != 0
        || std::str::from_utf8(text).is_err()
    {
        return None;
    }
    let mut scan = Scan { rest: text, layout: None };
    scan.value(0)?;
    scan.rest.is_empty().then_some(Scanned { known_layout: scan.layout.is_none_or(|layout| layout == b"1") })
}

struct Scan<'a> {
    rest: &'a [u8],
    /// The value of the member `v` of the outermost object.
    layout: Option<&'a [u8]>,
}

impl<'a> Scan<'a> {
    fn value(&mut self, depth: usize) -> Option<()> {
        match *self.rest.first()? {
            b'"' => self.string(),
            b'{' if depth < DEPTH_MAX => self.object(depth),
            b'[' if depth < DEPTH_MAX => self.array(depth),
            b't' => self.eat(b"true"),
            b'f' => self.eat(b"false"),
            b'n' => self.eat(b"null"),
            _ => self.number(),
        }
    }

    fn eat<const N: usize>(&mut self, token: &[u8; N]) -> Option<()> {
        self.rest = self.rest.strip_prefix(token)?;
        Some(())
    }

    /// True when `end` comes, false when there is a comma.
    fn ends(&mut self, end: u8) -> Option<bool> {
        let (byte, rest) = self.rest.split_first()?;
        self.rest = rest;
        match *byte {
            b',' => Some(false),
            byte => (byte == end).then_some(true),
        }
    }

    fn array(&mut self, depth: usize) -> Option<()> {
        self.eat(b"[")?;
        if self.rest.first() == Some(&b']') {
            return self.eat(b"]");
        }
        loop {
            self.value(depth + 1)?;
            if self.ends(b']')? {
                return Some(());
            }
        }
    }

    fn object(&mut self, depth: usize) -> Option<()> {
        self.eat(b"{")?;
        if self.rest.first() == Some(&b'}') {
            return self.eat(b"}");
        }
        let mut before: Option<&[u8]> = None;
        loop {
            let name = self.name()?;
            // Plain ASCII sorts alike by bytes and by UTF-16 units; equal names do not ascend either.
            if before.is_some_and(|before| before >= name) {
                return None;
            }
            before = Some(name);
            self.eat(b":")?;
            let value = self.rest;
            self.value(depth + 1)?;
            if depth == 0 && name == b"v" {
                self.layout = Some(&value[..value.len() - self.rest.len()]);
            }
            if self.ends(b'}')? {
                return Some(());
            }
        }
    }

    /// A member's name of plain ASCII.
    fn name(&mut self) -> Option<&'a [u8]> {
        self.eat(b"\"")?;
        let end = self.rest.iter().position(|byte| matches!(byte, b'"' | b'\\' | 0x80..))?;
        let (name, rest) = self.rest.split_at(end);
        self.rest = rest;
        self.eat(b"\"")?;
        Some(name)
    }

    fn string(&mut self) -> Option<()> {
        self.eat(b"\"")?;
        loop {
            let end = memchr::memchr2(b'"', b'\\', self.rest)?;
            let (byte, rest) = self.rest[end..].split_first()?;
            self.rest = rest;
            if *byte == b'"' {
                return Some(());
            }
            self.rest = &rest[escape(rest)?..];
        }
    }

    fn number(&mut self) -> Option<()> {
        let end =
            self.rest.iter().position(|byte| matches!(byte, b',' | b']' | b'}')).unwrap_or(self.rest.len());
        let (token, rest) = self.rest.split_at(end);
        self.rest = rest;
        if is_plain_number(token) {
            return Some(());
        }
        let text = std::str::from_utf8(token).ok()?;
        // Rust reads words like "inf" as numbers too, and JSON has none.
        let number = text.parse::<f64>().ok().filter(|number| number.is_finite())?;
        (ryu_js::Buffer::new().format(number) == text).then_some(())
    }
}

/// Up to fifteen digits, which no two doubles share, with or without a point, in the one form that
/// needs no exponent. Most numbers are such, and there is nothing to compute.
fn is_plain_number(token: &[u8]) -> bool {
    let digits = token.strip_prefix(b"-").unwrap_or(token);
    let point = digits.iter().position(|byte| *byte == b'.');
    let (whole, fraction) = digits.split_at(point.unwrap_or(digits.len()));
    let fraction = fraction.strip_prefix(b".").unwrap_or(fraction);
    let numeric = |digits: &[u8]| digits.iter().all(u8::is_ascii_digit);
    if whole.len() + fraction.len() > 15 || !numeric(whole) || !numeric(fraction) {
        return false;
    }
    match (whole, point) {
        (b"0", None) => token == b"0",
        ([b'1'..=b'9', ..], None) => true,
        ([b'1'..=b'9', ..], Some(_)) => fraction.last().is_some_and(|last| *last != b'0'),
        // Below a millionth there is an exponent.
        (b"0", Some(_)) => {
            fraction.last().is_some_and(|last| *last != b'0')
                && fraction.iter().take(6).any(|digit| *digit != b'0')
        }
        _ => false,
    }
}

/// How long a canonical escape is behind its backslash.
fn escape(after: &[u8]) -> Option<usize> {
    match after {
        [b'"' | b'\\' | b'b' | b't' | b'n' | b'f' | b'r', ..] => Some(1),
        [b'u', b'0', b'0', b'0', b'0'..=b'7' | b'b' | b'e' | b'f', ..] => Some(5),
        [b'u', b'0', b'0', b'1', b'0'..=b'9' | b'a'..=b'f', ..] => Some(5),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::canonical;
    use proptest::prelude::*;

    fn check(text: &str, expected: Option<bool>) {
        assert_eq!(scan(text.as_bytes()).map(|scanned| scanned.known_layout), expected, "{text}");
    }

    #[test]
    fn canonical_texts_are_known_and_others_left() {
        for text in [
            r#"{"a":[],"b":{},"c":[1,-2,0,true,false,null],"v":1}"#,
            r#"{"text":"é漢\n\u000b\u001f\"\\","v":1}"#,
            r#"[0.5,-10.25,0.000001,0.00000123456,1e+30,9007199254740992,1e-7,123456789.25]"#,
            "\"x\"",
            r#"{"nested":{"v":2}}"#,
        ] {
            check(text, Some(true));
        }
        for text in [r#"{"v":2}"#, r#"{"v":12}"#, r#"{"v":"1"}"#, r#"{"a":{"v":1},"v":[1]}"#] {
            check(text, Some(false));
        }
        for text in [
            "",
            "{",
            "[1",
            "[1,]",
            "{\"a\":1,}",
            "{\"a\" :1}",
            "[ 1]",
            "{\"b\":1,\"a\":2}",
            "{\"a\":1,\"a\":2}",
            "01",
            "-0",
            "0.10",
            "00.1",
            ".5",
            "1.",
            "-.5",
            "0.0000001",
            "-0.0",
            "1.2.3",
            "1-2",
            "1.0",
            "1e2",
            "1E+30",
            "+1",
            "-",
            "inf",
            "NaN",
            "1e400",
            "9007199254740993",
            "\"\\/\"",
            "\"\\u0041\"",
            "\"\\u001F\"",
            "\"\\u000a\"",
            "\"\\x\"",
            "\"\\\"",
            "\"a\nb\"",
            "\"a\0b\"",
            "{\"é\":1}",
            "1 ",
            "[1]]",
            "tru",
            "truex",
            "{1:2}",
        ] {
            check(text, None);
        }
        assert_eq!(scan(b"\"\xff\""), None);
        let deep = |n: usize| format!("{}{}", "[".repeat(n), "]".repeat(n));
        check(&deep(DEPTH_MAX), Some(true));
        check(&deep(DEPTH_MAX + 1), None);
        check(&deep(100_000), None);
    }

    proptest! {
        /// Whatever is called canonical is what the writer of canonical JSON makes of it.
        #[test]
        fn never_says_so_of_another_form(
            text in r#"[\[\]{}:,0-9.eE+\-"\\abvu ntrlfsé]{0,14}"#, number in any::<f64>(), place in any::<prop::sample::Index>(),
        ) {
            let mut good = canonical::to_string(&serde_json::json!({"a": [number, text], "v": 1, "w": {}}));
            for edited in [false, true] {
                if edited {
                    let at = place.index(good.len());
                    if good.is_char_boundary(at) {
                        good.insert_str(at, &text);
                    }
                }
                for text in [&text, &good] {
                    if scan(text.as_bytes()).is_some() {
                        let value: serde_json::Value = serde_json::from_str(text).unwrap();
                        prop_assert_eq!(&canonical::to_string(&value), text);
                    }
                }
            }
        }
    }
}
