//! Identifiers of shares. Source: `github.com/google/uuid`.

const NORMAL_LENGTH: usize = 36;
const URN: &str = "urn:uuid:";

/// What is wrong with a UUID, if anything.
pub(super) fn problem(uid: &str) -> Option<String> {
    if let Some(problem) = malformed(uid.as_bytes()) {
        return Some(format!("error validating uid: {problem}"));
    }
    (uid.len() != NORMAL_LENGTH || uid != uid.to_lowercase()).then(|| {
        "uid must be in RFC 4122 normalized form, `xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx` with lowercase hexadecimal characters"
            .to_owned()
    })
}

fn malformed(uid: &[u8]) -> Option<String> {
    const BARE_LENGTH: usize = 32;
    const BRACED_LENGTH: usize = NORMAL_LENGTH + 2;
    const URN_LENGTH: usize = NORMAL_LENGTH + URN.len();
    let invalid = || Some("invalid UUID format".to_owned());
    let normal = match uid.len() {
        NORMAL_LENGTH => uid,
        URN_LENGTH => {
            let (prefix, rest) = uid.split_at(URN.len());
            if !prefix.eq_ignore_ascii_case(URN.as_bytes()) {
                let shown = crate::field::go_quote(&String::from_utf8_lossy(prefix));
                return Some(format!("invalid urn prefix: {shown}"));
            }
            rest
        }
        BRACED_LENGTH => match uid {
            [b'{', inner @ .., b'}'] => inner,
            _ => return Some("invalid bracketed UUID format".to_owned()),
        },
        BARE_LENGTH => {
            return if uid.iter().all(u8::is_ascii_hexdigit) {
                None
            } else {
                invalid()
            };
        }
        length => return Some(format!("invalid UUID length: {length}")),
    };
    let is_good = normal.iter().enumerate().all(|(index, byte)| match index {
        8 | 13 | 18 | 23 => *byte == b'-',
        _ => byte.is_ascii_hexdigit(),
    });
    if is_good { None } else { invalid() }
}
