//! The state of one unary call, without I/O.

use std::time::Duration;

use tonic::Code;

use super::frame::{self, MAX_PAYLOAD, flag, kind};
use super::hpack;
use crate::rpc_error::RpcError;

/// The largest answer that grpc-go accepts (`defaultClientMaxReceiveMessageSize`).
const MAX_MESSAGE: usize = 4 << 20;

/// Compression flag and length before a gRPC message.
const PREFIX: usize = 5;

pub(super) struct Call {
    pub(super) stream: u32,
    /// What may still be sent on the stream.
    pub(super) window: i64,
    unsent: Vec<u8>,
    sent_all: bool,
    response: Vec<(String, String)>,
    body: Vec<u8>,
}

/// What a frame did to a call.
pub(super) enum Step {
    Wait,
    Done(Answer),
}

/// A complete response.
pub(super) struct Answer {
    headers: Vec<(String, String)>,
    trailers: Vec<(String, String)>,
    body: Vec<u8>,
}

/// The header block of a request, as grpc-go sends it.
pub(super) fn request_headers(method: &str, authority: &str, limit: Duration) -> Vec<u8> {
    let timeout = grpc_timeout(limit);
    let mut block = Vec::new();
    for (name, value) in [
        (":method", "POST"),
        (":scheme", "http"),
        (":path", method),
        (":authority", authority),
        ("content-type", "application/grpc"),
        ("user-agent", "grpc-go/1.82.1"),
        ("te", "trailers"),
        ("grpc-timeout", &timeout),
    ] {
        hpack::put(&mut block, name, value);
    }
    block
}

/// At most eight digits and a unit (gRPC over HTTP/2, "Timeout").
fn grpc_timeout(limit: Duration) -> String {
    const MAX: u128 = 99_999_999;
    match limit.as_micros() {
        micros if micros <= MAX => format!("{micros}u"),
        micros => format!("{}m", (micros / 1_000).min(MAX)),
    }
}

impl Call {
    pub(super) fn new(stream: u32, message: &[u8], window: i64) -> Self {
        let mut unsent = vec![0];
        unsent.extend(
            u32::try_from(message.len())
                .unwrap_or(u32::MAX)
                .to_be_bytes(),
        );
        unsent.extend(message);
        Self {
            stream,
            window,
            unsent,
            sent_all: false,
            response: Vec::new(),
            body: Vec::new(),
        }
    }

    /// Appends as much of the message as both windows allow.
    pub(super) fn put_data(&mut self, out: &mut Vec<u8>, connection_window: &mut i64) {
        while !self.sent_all {
            let allowed = usize::try_from(self.window.min(*connection_window)).unwrap_or(0);
            let length = allowed.min(MAX_PAYLOAD).min(self.unsent.len());
            if length == 0 {
                return;
            }
            let chunk: Vec<u8> = self.unsent.drain(..length).collect();
            self.sent_all = self.unsent.is_empty();
            let flags = if self.sent_all { flag::END_STREAM } else { 0 };
            frame::put(out, kind::DATA, flags, self.stream, &chunk);
            let length = i64::try_from(length).unwrap_or(0);
            self.window -= length;
            *connection_window -= length;
        }
    }

    pub(super) fn headers(&mut self, fields: Vec<(String, String)>, last: bool) -> Option<Answer> {
        if !last {
            self.response = fields;
            return None;
        }
        // A response without a message has its status in its only header block.
        if self.response.is_empty() {
            self.response.clone_from(&fields);
        }
        Some(self.answer(fields))
    }

    pub(super) fn data(&mut self, content: &[u8], last: bool) -> Result<Step, RpcError> {
        self.body.extend(content);
        if self.body.len() > MAX_MESSAGE + PREFIX {
            return Err(RpcError::new(
                Code::ResourceExhausted,
                format!(
                    "grpc: received message larger than max ({} vs. {MAX_MESSAGE})",
                    self.body.len() - PREFIX
                ),
            ));
        }
        Ok(if last {
            Step::Done(self.answer(Vec::new()))
        } else {
            Step::Wait
        })
    }

    fn answer(&mut self, trailers: Vec<(String, String)>) -> Answer {
        Answer {
            headers: std::mem::take(&mut self.response),
            trailers,
            body: std::mem::take(&mut self.body),
        }
    }

    /// The error that grpc-go makes of a reset (`internal/transport/http_util.go`).
    pub(super) fn reset(code: u32) -> RpcError {
        let status = match code {
            // REFUSED_STREAM
            7 => Code::Unavailable,
            // CANCEL
            8 => Code::Cancelled,
            // ENHANCE_YOUR_CALM
            0xb => Code::ResourceExhausted,
            // INADEQUATE_SECURITY
            0xc => Code::PermissionDenied,
            _ => Code::Internal,
        };
        RpcError::new(
            status,
            format!(
                "stream terminated by RST_STREAM with error code: {}",
                frame::error_name(code)
            ),
        )
    }
}

impl Answer {
    fn field<'a>(fields: &'a [(String, String)], name: &str) -> Option<&'a str> {
        fields
            .iter()
            .find(|(n, _)| n == name)
            .map(|(_, v)| v.as_str())
    }

    /// The one message of the answer.
    pub(super) fn message(self) -> Result<Vec<u8>, RpcError> {
        self.check_http()?;
        self.check_status()?;
        let Some((prefix, message)) = self.body.split_at_checked(PREFIX) else {
            return Err(RpcError::new(
                Code::Internal,
                "cardinality violation: received no response message from non-server-streaming RPC",
            ));
        };
        if prefix[0] != 0 {
            return Err(RpcError::new(
                Code::Internal,
                "grpc: compressed flag set with identity or empty encoding",
            ));
        }
        let length = u32::from_be_bytes([prefix[1], prefix[2], prefix[3], prefix[4]]);
        if usize::try_from(length) != Ok(message.len()) {
            return Err(RpcError::new(Code::Internal, "unexpected EOF"));
        }
        Ok(message.to_vec())
    }

    fn check_http(&self) -> Result<(), RpcError> {
        let status = Self::field(&self.headers, ":status").unwrap_or("");
        if status != "200" {
            let code = match status {
                "400" => Code::Internal,
                "401" => Code::Unauthenticated,
                "403" => Code::PermissionDenied,
                "404" => Code::Unimplemented,
                "429" | "502" | "503" | "504" => Code::Unavailable,
                _ => Code::Unknown,
            };
            return Err(RpcError::new(
                code,
                format!("unexpected HTTP status code received from server: {status}"),
            ));
        }
        let content = Self::field(&self.headers, "content-type").unwrap_or("");
        if content.starts_with("application/grpc") {
            Ok(())
        } else {
            Err(RpcError::new(
                Code::Unknown,
                format!("transport: received unexpected content-type {content:?}"),
            ))
        }
    }

    fn check_status(&self) -> Result<(), RpcError> {
        let Some(status) = Self::field(&self.trailers, "grpc-status") else {
            return Err(RpcError::new(
                Code::Internal,
                "server closed the stream without sending trailers",
            ));
        };
        let code = Code::from_bytes(status.as_bytes());
        if code == Code::Ok && status == "0" {
            return Ok(());
        }
        let message = Self::field(&self.trailers, "grpc-message").unwrap_or("");
        Err(RpcError::new(code, percent_decoded(message)))
    }
}

/// `grpc-message` is percent-encoded; what is not is taken as it stands.
fn percent_decoded(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let hex = (byte == b'%')
            .then(|| text.get(at + 1..at + 3))
            .flatten()
            .and_then(|digits| u8::from_str_radix(digits, 16).ok());
        out.push(hex.unwrap_or(byte));
        at += if hex.is_some() { 3 } else { 1 };
    }
    String::from_utf8_lossy(&out).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_larger_than_the_window_waits_for_the_peer() {
        let mut call = Call::new(1, &[7; 20], 10);
        let (mut out, mut connection) = (Vec::new(), 100);
        call.put_data(&mut out, &mut connection);
        assert_eq!(out.len(), 9 + 10);
        assert_eq!((call.window, connection), (0, 90));
        out.clear();
        call.window = 100;
        call.put_data(&mut out, &mut connection);
        assert_eq!(out.len(), 9 + 15);
        assert_eq!(out[4], flag::END_STREAM);
    }

    #[test]
    fn messages_of_a_status_are_decoded() {
        assert_eq!(percent_decoded("50%25 of %C3%A4 100% %"), "50% of ä 100% %");
    }
}
