//! Percent-encoding of paths and queries.

use std::borrow::Cow;

/// Undoes percent-encoding; `plus` also turns `+` into a space, as queries need it. What is no valid
/// escape stays as it is.
pub(crate) fn percent_decode(text: &str, plus: bool) -> Cow<'_, str> {
    if !text.bytes().any(|b| b == b'%' || (plus && b == b'+')) {
        return Cow::Borrowed(text);
    }
    let bytes = text.as_bytes();
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let escaped = (byte == b'%')
            .then(|| bytes.get(at + 1..at + 3))
            .flatten()
            .and_then(|pair| std::str::from_utf8(pair).ok())
            .and_then(|pair| u8::from_str_radix(pair, 16).ok());
        if let Some(value) = escaped {
            decoded.push(value);
            at += 3;
        } else {
            decoded.push(if plus && byte == b'+' { b' ' } else { byte });
            at += 1;
        }
    }
    Cow::Owned(String::from_utf8_lossy(&decoded).into_owned())
}

#[cfg(test)]
mod tests {
    use super::percent_decode;

    #[test]
    fn escapes_are_undone_and_broken_ones_are_kept() {
        assert_eq!(percent_decode("system%3Aadmin", false), "system:admin");
        assert_eq!(percent_decode("a+b%zz%2", true), "a b%zz%2");
        assert_eq!(percent_decode("a+b", false), "a+b");
    }
}
