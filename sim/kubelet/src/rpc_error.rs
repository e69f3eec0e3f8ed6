//! Failed calls in the words of grpc-go, which reach users through pod events.

use tonic::{Code, Status};

/// Why a call to a driver failed. Displays as grpc-go's `status.Error` does.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("rpc error: code = {} desc = {message}", go_name(*.code))]
pub struct RpcError {
    /// The gRPC status code.
    pub code: Code,
    /// What happened.
    pub message: String,
}

impl RpcError {
    pub(crate) fn new(code: Code, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
        }
    }

    /// The call took too long.
    pub(crate) fn deadline() -> Self {
        Self::new(Code::DeadlineExceeded, "context deadline exceeded")
    }

    /// The peer closed the connection while a call was running.
    pub(crate) fn closed() -> Self {
        Self::new(Code::Unavailable, "error reading from server: EOF")
    }

    /// Nobody listens at `path`.
    pub(crate) fn dial(path: &std::path::Path, error: &std::io::Error) -> Self {
        let path = path.display();
        let reason = os_text(error);
        Self::new(
            Code::Unavailable,
            format!(
                "connection error: desc = \"transport: Error while dialing: dial unix {path}: connect: {reason}\""
            ),
        )
    }
}

impl From<Status> for RpcError {
    fn from(status: Status) -> Self {
        Self::new(status.code(), status.message())
    }
}

/// What Go prints for an error of the operating system.
fn os_text(error: &std::io::Error) -> String {
    use std::io::ErrorKind;
    match error.kind() {
        ErrorKind::NotFound => "no such file or directory".into(),
        ErrorKind::ConnectionRefused => "connection refused".into(),
        ErrorKind::PermissionDenied => "permission denied".into(),
        ErrorKind::InvalidInput => "invalid argument".into(),
        _ => error.to_string(),
    }
}

fn go_name(code: Code) -> &'static str {
    match code {
        Code::Ok => "OK",
        Code::Cancelled => "Canceled",
        Code::Unknown => "Unknown",
        Code::InvalidArgument => "InvalidArgument",
        Code::DeadlineExceeded => "DeadlineExceeded",
        Code::NotFound => "NotFound",
        Code::AlreadyExists => "AlreadyExists",
        Code::PermissionDenied => "PermissionDenied",
        Code::ResourceExhausted => "ResourceExhausted",
        Code::FailedPrecondition => "FailedPrecondition",
        Code::Aborted => "Aborted",
        Code::OutOfRange => "OutOfRange",
        Code::Unimplemented => "Unimplemented",
        Code::Internal => "Internal",
        Code::Unavailable => "Unavailable",
        Code::DataLoss => "DataLoss",
        Code::Unauthenticated => "Unauthenticated",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_call_reads_as_in_go() {
        let status = Status::failed_precondition("device gpu-0 is held");
        assert_eq!(
            RpcError::from(status).to_string(),
            "rpc error: code = FailedPrecondition desc = device gpu-0 is held"
        );
        let missing = std::io::Error::from_raw_os_error(2);
        assert_eq!(
            RpcError::dial(std::path::Path::new("/x/dra.sock"), &missing).to_string(),
            "rpc error: code = Unavailable desc = connection error: desc = \"transport: Error while dialing: dial unix /x/dra.sock: connect: no such file or directory\""
        );
    }
}
