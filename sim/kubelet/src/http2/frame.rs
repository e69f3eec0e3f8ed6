//! HTTP/2 frames (RFC 9113, section 4).

use tokio::io::{AsyncRead, AsyncReadExt};

/// The largest payload that an endpoint may send before it is told otherwise.
pub(super) const MAX_PAYLOAD: usize = 16_384;

/// Frame types.
pub(super) mod kind {
    pub(in crate::http2) const DATA: u8 = 0;
    pub(in crate::http2) const HEADERS: u8 = 1;
    pub(in crate::http2) const RST_STREAM: u8 = 3;
    pub(in crate::http2) const SETTINGS: u8 = 4;
    pub(in crate::http2) const PUSH_PROMISE: u8 = 5;
    pub(in crate::http2) const PING: u8 = 6;
    pub(in crate::http2) const GOAWAY: u8 = 7;
    pub(in crate::http2) const WINDOW_UPDATE: u8 = 8;
    pub(in crate::http2) const CONTINUATION: u8 = 9;
}

/// Frame flags.
pub(super) mod flag {
    pub(in crate::http2) const ACK: u8 = 0x1;
    pub(in crate::http2) const END_STREAM: u8 = 0x1;
    pub(in crate::http2) const END_HEADERS: u8 = 0x4;
    pub(in crate::http2) const PADDED: u8 = 0x8;
    pub(in crate::http2) const PRIORITY: u8 = 0x20;
}

#[derive(Debug)]
pub(super) struct Frame {
    pub(super) kind: u8,
    pub(super) flags: u8,
    pub(super) stream: u32,
    pub(super) payload: Vec<u8>,
}

/// Why a frame could not be read.
#[derive(Debug, thiserror::Error)]
pub(super) enum FrameError {
    #[error("{0}")]
    Io(#[from] std::io::Error),
    #[error("frame of {0} bytes, more than the {MAX_PAYLOAD} that were agreed")]
    TooLarge(usize),
    #[error("frame of type {kind} is cut short")]
    Short { kind: u8 },
}

impl Frame {
    pub(super) fn has(&self, flag: u8) -> bool {
        self.flags & flag != 0
    }

    pub(super) async fn read(io: &mut (impl AsyncRead + Unpin)) -> Result<Self, FrameError> {
        let mut head = [0_u8; 9];
        io.read_exact(&mut head).await?;
        let [a, b, c, kind, flags, s0, s1, s2, s3] = head;
        let length = usize::from(a) << 16 | usize::from(b) << 8 | usize::from(c);
        if length > MAX_PAYLOAD {
            return Err(FrameError::TooLarge(length));
        }
        let mut payload = vec![0; length];
        io.read_exact(&mut payload).await?;
        Ok(Self {
            kind,
            flags,
            // The highest bit is reserved.
            stream: u32::from_be_bytes([s0, s1, s2, s3]) & 0x7fff_ffff,
            payload,
        })
    }

    /// The payload of DATA or HEADERS without padding and priority.
    pub(super) fn content(&self) -> Result<&[u8], FrameError> {
        let short = || FrameError::Short { kind: self.kind };
        let mut content = self.payload.as_slice();
        if self.has(flag::PADDED) {
            let (&padding, rest) = content.split_first().ok_or_else(short)?;
            let kept = rest
                .len()
                .checked_sub(usize::from(padding))
                .ok_or_else(short)?;
            content = &rest[..kept];
        }
        if self.kind == kind::HEADERS && self.has(flag::PRIORITY) {
            content = content.get(5..).ok_or_else(short)?;
        }
        Ok(content)
    }

    /// The number at `offset` of the payload.
    pub(super) fn number(&self, offset: usize) -> Result<u32, FrameError> {
        self.payload
            .get(offset..offset + 4)
            .and_then(|bytes| bytes.try_into().ok())
            .map(u32::from_be_bytes)
            .ok_or(FrameError::Short { kind: self.kind })
    }

    /// The settings of a SETTINGS frame.
    pub(super) fn settings(&self) -> impl Iterator<Item = (u16, u32)> + '_ {
        self.payload.chunks_exact(6).map(|entry| {
            (
                u16::from_be_bytes([entry[0], entry[1]]),
                u32::from_be_bytes([entry[2], entry[3], entry[4], entry[5]]),
            )
        })
    }
}

/// Appends a frame to `out`. Payloads are built here and never reach [`MAX_PAYLOAD`].
pub(super) fn put(out: &mut Vec<u8>, kind: u8, flags: u8, stream: u32, payload: &[u8]) {
    debug_assert!(payload.len() <= MAX_PAYLOAD);
    let length = u32::try_from(payload.len()).unwrap_or(0).to_be_bytes();
    out.extend([length[1], length[2], length[3], kind, flags]);
    out.extend(stream.to_be_bytes());
    out.extend(payload);
}

/// What RFC 9113, section 7 calls an error code.
pub(super) fn error_name(code: u32) -> String {
    const NAMES: [&str; 14] = [
        "NO_ERROR",
        "PROTOCOL_ERROR",
        "INTERNAL_ERROR",
        "FLOW_CONTROL_ERROR",
        "SETTINGS_TIMEOUT",
        "STREAM_CLOSED",
        "FRAME_SIZE_ERROR",
        "REFUSED_STREAM",
        "CANCEL",
        "COMPRESSION_ERROR",
        "CONNECT_ERROR",
        "ENHANCE_YOUR_CALM",
        "INADEQUATE_SECURITY",
        "HTTP_1_1_REQUIRED",
    ];
    usize::try_from(code)
        .ok()
        .and_then(|at| NAMES.get(at))
        .map_or_else(|| format!("unknown error code 0x{code:x}"), |n| (*n).into())
}
