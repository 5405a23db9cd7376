//! Bytes as lower-case hexadecimal digits, and back. Upper case is another spelling, and not read.

const DIGITS: &[u8; 16] = b"0123456789abcdef";

pub(super) fn hex(bytes: &[u8]) -> String {
    let digit = |value: u8| char::from(DIGITS[usize::from(value)]);
    let mut text = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        text.push(digit(byte >> 4));
        text.push(digit(byte & 15));
    }
    text
}

pub(super) fn unhex<const N: usize>(text: &[u8]) -> Option<[u8; N]> {
    if text.len() != N * 2 {
        return None;
    }
    // Arithmetic on all digits alike and one question at the end: the compiler takes many of them at
    // once, and this is done twice for every event.
    let (mut bytes, mut right) = ([0; N], true);
    for (byte, pair) in bytes.iter_mut().zip(text.as_chunks::<2>().0) {
        let (high, high_right) = value(pair[0]);
        let (low, low_right) = value(pair[1]);
        right &= high_right & low_right;
        *byte = high << 4 | low;
    }
    right.then_some(bytes)
}

#[inline]
fn value(digit: u8) -> (u8, bool) {
    let (number, letter) = (digit.wrapping_sub(b'0'), digit.wrapping_sub(b'a'));
    (if number < 10 { number } else { letter.wrapping_add(10) & 15 }, (number < 10) | (letter < 6))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_and_nothing_else() {
        let check = |text: &str, expected: Option<[u8; 2]>| assert_eq!(unhex(text.as_bytes()), expected);
        check("09af", Some([0x09, 0xaf]));
        check("09AF", None);
        check("09ag", None);
        check("09a", None);
        check("09aff", None);
        check("0é1", None);
        assert_eq!(hex(&[0x09, 0xaf]), "09af");
    }
}
