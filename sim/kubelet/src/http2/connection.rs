//! One connection that makes one unary gRPC call after the other.

use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio::io::AsyncWriteExt;
use tokio::net::UnixStream;
use tonic::Code;

use super::call::{Call, Step, request_headers};
use super::frame::{self, Frame, FrameError, flag, kind};
use super::hpack::Decoder;
use crate::rpc_error::RpcError;

const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// What each window is before SETTINGS and WINDOW_UPDATE (RFC 9113, section 6.9.2).
const INITIAL_WINDOW: i64 = 65_535;

const SETTINGS_INITIAL_WINDOW_SIZE: u16 = 4;

/// A gRPC connection to a Unix socket with an `:authority` of the caller's choice.
///
/// After an error other than a status of the peer it is of no more use.
#[derive(Debug)]
pub struct RawConnection {
    io: UnixStream,
    authority: String,
    decoder: Decoder,
    next_stream: u32,
    /// What may be sent on the connection.
    window: i64,
    /// What may be sent on a new stream.
    stream_window: i64,
}

impl RawConnection {
    /// Connects to `socket` and waits for the peer's SETTINGS, trying again until `limit` has passed
    /// as grpc-go's blocking dial does.
    ///
    /// # Errors
    /// `DeadlineExceeded`: nobody accepted and greeted in time.
    pub async fn dial(
        socket: &Path,
        authority: impl Into<String>,
        limit: Duration,
    ) -> Result<Self, RpcError> {
        /// Far below grpc-go's 1 s, since the socket's file exists when this is called.
        const AGAIN: Duration = Duration::from_millis(20);
        let authority = authority.into();
        let attempts = async {
            loop {
                match Self::dial_once(socket.to_owned(), authority.clone()).await {
                    Ok(connection) => return connection,
                    Err(error) => tracing::trace!(%error, "dialling again"),
                }
                tokio::time::sleep(AGAIN).await;
            }
        };
        tokio::time::timeout(limit, attempts)
            .await
            .map_err(|_| RpcError::deadline())
    }

    async fn dial_once(socket: PathBuf, authority: String) -> Result<Self, RpcError> {
        let io = UnixStream::connect(&socket)
            .await
            .map_err(|e| RpcError::dial(&socket, &e))?;
        let mut connection = Self {
            io,
            authority,
            decoder: Decoder::default(),
            next_stream: 1,
            window: INITIAL_WINDOW,
            stream_window: INITIAL_WINDOW,
        };
        let mut greeting = PREFACE.to_vec();
        frame::put(&mut greeting, kind::SETTINGS, 0, 0, &[]);
        connection.send(&greeting).await?;
        let first = connection.receive().await?;
        if first.kind != kind::SETTINGS || first.has(flag::ACK) {
            return Err(RpcError::new(
                Code::Unavailable,
                "connection error: desc = \"error reading server preface: initial frame is not a settings frame\"",
            ));
        }
        connection.handle(&first, None).await?;
        Ok(connection)
    }

    /// Calls `method` (`/package.Service/Method`) and returns the encoded answer.
    ///
    /// # Errors
    /// The peer's status, `DeadlineExceeded` after `limit`, or what went wrong on the wire.
    pub async fn call(
        &mut self,
        method: &str,
        message: &[u8],
        limit: Duration,
    ) -> Result<Vec<u8>, RpcError> {
        tokio::time::timeout(limit, self.call_untimed(method, message, limit))
            .await
            .unwrap_or_else(|_| Err(RpcError::deadline()))
    }

    async fn call_untimed(
        &mut self,
        method: &str,
        message: &[u8],
        limit: Duration,
    ) -> Result<Vec<u8>, RpcError> {
        let mut call = Call::new(self.next_stream, message, self.stream_window);
        self.next_stream += 2;
        let mut out = Vec::new();
        let headers = request_headers(method, &self.authority, limit);
        frame::put(
            &mut out,
            kind::HEADERS,
            flag::END_HEADERS,
            call.stream,
            &headers,
        );
        loop {
            call.put_data(&mut out, &mut self.window);
            self.send(&out).await?;
            out.clear();
            let frame = self.receive().await?;
            if let Some(answer) = self.handle(&frame, Some(&mut call)).await? {
                return answer.message();
            }
        }
    }

    /// Takes one frame into account; returns the answer of the running call when it is complete.
    async fn handle(
        &mut self,
        frame: &Frame,
        mut call: Option<&mut Call>,
    ) -> Result<Option<super::call::Answer>, RpcError> {
        match frame.kind {
            kind::SETTINGS if !frame.has(flag::ACK) => {
                self.settings(frame, call.as_deref_mut());
                self.send_frame(kind::SETTINGS, flag::ACK, &[]).await?;
            }
            kind::PING if !frame.has(flag::ACK) => {
                self.send_frame(kind::PING, flag::ACK, &frame.payload)
                    .await?;
            }
            // A peer that shuts down gracefully still answers the streams that it names.
            kind::GOAWAY => {
                let last = frame.number(0).map_err(wire)?;
                if call.is_none_or(|call| call.stream > last) {
                    return Err(goaway(frame));
                }
            }
            kind::PUSH_PROMISE => return Err(protocol_error("unexpected PUSH_PROMISE")),
            kind::WINDOW_UPDATE if frame.stream == 0 => {
                self.window += i64::from(frame.number(0).map_err(wire)?);
            }
            kind::HEADERS if !frame.has(flag::END_HEADERS) => {
                return self.continued_headers(frame, call).await;
            }
            kind::HEADERS => {
                let block = frame.content().map_err(wire)?.to_vec();
                return self.headers(frame, &block, call);
            }
            kind::CONTINUATION => return Err(protocol_error("unexpected CONTINUATION")),
            _ => {
                if let Some(call) = call.filter(|call| call.stream == frame.stream) {
                    return self.stream_frame(frame, call).await;
                }
            }
        }
        Ok(None)
    }

    fn settings(&mut self, frame: &Frame, call: Option<&mut Call>) {
        for (id, value) in frame.settings() {
            if id == SETTINGS_INITIAL_WINDOW_SIZE {
                let change = i64::from(value) - self.stream_window;
                self.stream_window += change;
                if let Some(call) = call {
                    call.window += change;
                }
                return;
            }
        }
    }

    /// A header block is decoded whatever stream it is for: the table belongs to the connection.
    fn headers(
        &mut self,
        frame: &Frame,
        block: &[u8],
        call: Option<&mut Call>,
    ) -> Result<Option<super::call::Answer>, RpcError> {
        let fields = self
            .decoder
            .decode(block)
            .map_err(|e| protocol_error(&e.to_string()))?;
        match call.filter(|call| call.stream == frame.stream) {
            Some(call) => Ok(call.headers(fields, frame.has(flag::END_STREAM))),
            None => Ok(None),
        }
    }

    async fn continued_headers(
        &mut self,
        first: &Frame,
        call: Option<&mut Call>,
    ) -> Result<Option<super::call::Answer>, RpcError> {
        /// More than any gRPC server sends.
        const MAX_BLOCK: usize = 1 << 20;
        let mut block = first.content().map_err(wire)?.to_vec();
        loop {
            let next = self.receive().await?;
            if next.kind != kind::CONTINUATION || next.stream != first.stream {
                return Err(protocol_error("header block is interrupted"));
            }
            block.extend(&next.payload);
            if block.len() > MAX_BLOCK {
                return Err(protocol_error("header block is too large"));
            }
            if next.has(flag::END_HEADERS) {
                return self.headers(first, &block, call);
            }
        }
    }

    async fn stream_frame(
        &mut self,
        frame: &Frame,
        call: &mut Call,
    ) -> Result<Option<super::call::Answer>, RpcError> {
        match frame.kind {
            kind::DATA => {
                let received = u32::try_from(frame.payload.len()).unwrap_or(0);
                if received > 0 {
                    self.give_window(call.stream, received).await?;
                }
                let content = frame.content().map_err(wire)?;
                match call.data(content, frame.has(flag::END_STREAM))? {
                    Step::Wait => Ok(None),
                    Step::Done(answer) => Ok(Some(answer)),
                }
            }
            kind::WINDOW_UPDATE => {
                call.window += i64::from(frame.number(0).map_err(wire)?);
                Ok(None)
            }
            kind::RST_STREAM => {
                let code = frame.number(0).map_err(wire)?;
                Err(Call::reset(code))
            }
            _ => Ok(None),
        }
    }

    /// Gives back what was received, on the connection and on the stream.
    async fn give_window(&mut self, stream: u32, bytes: u32) -> Result<(), RpcError> {
        let mut out = Vec::new();
        for stream in [0, stream] {
            frame::put(
                &mut out,
                kind::WINDOW_UPDATE,
                0,
                stream,
                &bytes.to_be_bytes(),
            );
        }
        self.send(&out).await
    }

    async fn send_frame(&mut self, kind: u8, flags: u8, payload: &[u8]) -> Result<(), RpcError> {
        let mut out = Vec::new();
        frame::put(&mut out, kind, flags, 0, payload);
        self.send(&out).await
    }

    async fn send(&mut self, bytes: &[u8]) -> Result<(), RpcError> {
        self.io.write_all(bytes).await.map_err(|error| {
            RpcError::new(
                Code::Unavailable,
                format!("error writing to server: {error}"),
            )
        })
    }

    async fn receive(&mut self) -> Result<Frame, RpcError> {
        Frame::read(&mut self.io).await.map_err(wire)
    }
}

fn wire(error: FrameError) -> RpcError {
    match error {
        FrameError::Io(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => {
            RpcError::closed()
        }
        FrameError::Io(error) => RpcError::new(
            Code::Unavailable,
            format!("error reading from server: {error}"),
        ),
        FrameError::TooLarge(_) | FrameError::Short { .. } => protocol_error(&error.to_string()),
    }
}

fn protocol_error(what: &str) -> RpcError {
    RpcError::new(
        Code::Unavailable,
        format!("connection error: desc = \"{what}\""),
    )
}

fn goaway(frame: &Frame) -> RpcError {
    let code = frame.number(4).unwrap_or(0);
    let debug = String::from_utf8_lossy(frame.payload.get(8..).unwrap_or(&[])).into_owned();
    RpcError::new(
        Code::Unavailable,
        format!(
            "closing transport due to: connection error: desc = \"received goaway\", received prior goaway: code: {}, debug data: {debug:?}",
            frame::error_name(code)
        ),
    )
}
