//! The `:authority` of the kubelet's calls on a registration socket.
//!
//! The kubelet dials that socket by its path and sets no authority, so grpc-go
//! sends the percent-encoded path. Rust's `http` crate refuses `%` in a host,
//! and tonic answers with a protocol error before any service sees the call.
//! What stands before an `@` counts as user information, where `%` is legal.
//! Hence: a registration socket served from Rust has an `@` in its **file name**.
//! The socket of the DRA service is dialled as `unix:` and sends `localhost`.
//! Source: `pkg/kubelet/pluginmanager/operationexecutor/operation_generator.go`.

/// What the kubelet sends as `:authority` to the registration socket at `path`.
///
/// The escapes are those of grpc-go's `encodeAuthority`: all bytes but letters,
/// digits, `-_.~`, the sub-delimiters of RFC 3986 and `:[]@`.
pub fn of_registration_socket(path: &str) -> String {
    const HEX: &[u8; 16] = b"0123456789ABCDEF";
    let mut out = String::with_capacity(path.len() + 16);
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.~!$&'()*+,;=:[]@".contains(&byte) {
            out.push(char::from(byte));
        } else {
            out.push('%');
            out.push(char::from(HEX[usize::from(byte >> 4)]));
            out.push(char::from(HEX[usize::from(byte & 0x0f)]));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::uri::Authority;

    #[test]
    fn slashes_are_escaped_and_the_at_sign_is_not() {
        assert_eq!(
            of_registration_socket("/var/lib/kubelet/plugins_registry/gpu.example.com@reg.sock"),
            "%2Fvar%2Flib%2Fkubelet%2Fplugins_registry%2Fgpu.example.com@reg.sock"
        );
    }

    #[test]
    fn an_authority_is_accepted_only_when_the_file_name_has_an_at_sign() {
        let authority = |file: &str| {
            of_registration_socket(&format!("/var/lib/kubelet/plugins_registry/{file}"))
                .parse::<Authority>()
        };
        let accepted = authority("gpu.example.com@reg.sock").unwrap();
        assert_eq!(accepted.host(), "reg.sock");
        // Should this one parse one day, the `@` is needed no longer.
        assert!(authority("gpu.example.com-reg.sock").is_err());
    }
}
