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
    let (low, high) = text.iter().fold((false, 0), |(low, high), byte| (low | (*byte < b' '), high | *byte));
    if low || (high >= 0x80 && std::str::from_utf8(text).is_err()) {
        return None;
    }
    let mut scan = Scan { text, at: 0, layout: None };
    scan.value(0)?;
    let known_layout = scan.layout.is_none_or(|layout| layout == b"1");
    (scan.at == text.len()).then_some(Scanned { known_layout })
}

struct Scan<'a> {
    text: &'a [u8],
    at: usize,
    /// The value of the member `v` of the outermost object.
    layout: Option<&'a [u8]>,
}

impl<'a> Scan<'a> {
    fn next(&self) -> u8 {
        // No token begins with a zero byte.
        self.text.get(self.at).copied().unwrap_or(0)
    }

    fn value(&mut self, depth: usize) -> Option<()> {
        match self.next() {
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
        (self.text.get(self.at..self.at + N)? == token).then(|| self.at += N)
    }

    /// Was it `byte`? Then it is behind us.
    fn took(&mut self, byte: u8) -> bool {
        let took = self.next() == byte;
        self.at += usize::from(took);
        took
    }

    fn array(&mut self, depth: usize) -> Option<()> {
        self.at += 1;
        if self.took(b']') {
            return Some(());
        }
        loop {
            self.value(depth + 1)?;
            if !self.took(b',') {
                return self.took(b']').then_some(());
            }
        }
    }

    fn object(&mut self, depth: usize) -> Option<()> {
        self.at += 1;
        if self.took(b'}') {
            return Some(());
        }
        let mut before: &[u8] = b"";
        let mut first = true;
        loop {
            let name = self.name()?;
            // Plain ASCII sorts alike by bytes and by UTF-16 units; equal names do not ascend either.
            if !first && before >= name {
                return None;
            }
            (before, first) = (name, false);
            let value = self.at;
            self.value(depth + 1)?;
            if depth == 0 && name == b"v" {
                self.layout = Some(&self.text[value..self.at]);
            }
            if !self.took(b',') {
                return self.took(b'}').then_some(());
            }
        }
    }

    /// A member's name of plain ASCII, with the colon behind it.
    fn name(&mut self) -> Option<&'a [u8]> {
        if !self.took(b'"') {
            return None;
        }
        let rest = &self.text[self.at..];
        let end = rest.iter().position(|byte| NAME_ENDS[usize::from(*byte)])?;
        self.at += end;
        self.eat(b"\":")?;
        Some(&rest[..end])
    }

    fn string(&mut self) -> Option<()> {
        self.at += 1;
        loop {
            let rest = self.text.get(self.at..)?;
            let end = memchr::memchr2(b'"', b'\\', rest)?;
            self.at += end + 1;
            if rest[end] == b'"' {
                return Some(());
            }
            self.at += escape(&rest[end + 1..])?;
        }
    }

    fn number(&mut self) -> Option<()> {
        let rest = &self.text[self.at..];
        let end = rest.iter().position(|byte| matches!(byte, b',' | b']' | b'}')).unwrap_or(rest.len());
        let token = &rest[..end];
        self.at += end;
        if is_plain_number(token) {
            return Some(());
        }
        let text = std::str::from_utf8(token).ok()?;
        // Rust reads words like "inf" as numbers too, and JSON has none.
        let number = text.parse::<f64>().ok().filter(|number| number.is_finite())?;
        (ryu_js::Buffer::new().format(number) == text).then_some(())
    }
}

/// A quote, a backslash, and whatever is not ASCII.
const NAME_ENDS: [bool; 256] = {
    let mut ends = [false; 256];
    let mut byte = 0x80;
    while byte < 256 {
        ends[byte] = true;
        byte += 1;
    }
    ends[b'"' as usize] = true;
    ends[b'\\' as usize] = true;
    ends
};

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
