//! The protobuf wire format: tags, varints, lengths.

/// Why bytes are not a message.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum WireError {
    /// The bytes end within a value (Go's gogo/protobuf says `unexpected EOF`).
    #[error("unexpected EOF")]
    UnexpectedEnd,
    /// A varint of more than 64 bits.
    #[error("proto: integer overflow")]
    Overflow,
    /// Groups and unknown wire types.
    #[error("proto: illegal wireType {0}")]
    WireType(u64),
    /// Text that is not UTF-8.
    #[error("proto: field {0} contains invalid UTF-8")]
    NotUtf8(u32),
    /// A value whose wire type does not fit its field.
    #[error("proto: wrong wireType for field {0:?}")]
    WrongType(String),
    /// Messages within messages without end.
    #[error("proto: message is nested too deep")]
    TooDeep,
    /// An embedded JSON document that is none.
    #[error("{0}")]
    Embedded(String),
}

/// One value, by wire type.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Wire<'a> {
    Varint(u64),
    Fixed64(u64),
    Fixed32(u32),
    Bytes(&'a [u8]),
}

impl<'a> Wire<'a> {
    pub(super) fn bytes(self, field: &str) -> Result<&'a [u8], WireError> {
        match self {
            Wire::Bytes(bytes) => Ok(bytes),
            _ => Err(WireError::WrongType(field.to_owned())),
        }
    }

    pub(super) fn varint(self, field: &str) -> Result<u64, WireError> {
        match self {
            Wire::Varint(value) => Ok(value),
            _ => Err(WireError::WrongType(field.to_owned())),
        }
    }

    /// An `int32` or `int64`: two's complement in the varint.
    pub(super) fn signed(self, field: &str) -> Result<i64, WireError> {
        Ok(i64::from_ne_bytes(self.varint(field)?.to_ne_bytes()))
    }
}

/// Reads the fields of one message in the order of the bytes.
pub(super) struct Fields<'a> {
    rest: &'a [u8],
}

impl<'a> Fields<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    /// The next field number and value; `None` at the end.
    pub(super) fn next(&mut self) -> Result<Option<(u32, Wire<'a>)>, WireError> {
        if self.rest.is_empty() {
            return Ok(None);
        }
        let tag = self.take_varint()?;
        let number = u32::try_from(tag >> 3).map_err(|_| WireError::Overflow)?;
        let value = match tag & 7 {
            0 => Wire::Varint(self.take_varint()?),
            1 => Wire::Fixed64(u64::from_le_bytes(self.take_array()?)),
            2 => {
                let length =
                    usize::try_from(self.take_varint()?).map_err(|_| WireError::Overflow)?;
                Wire::Bytes(self.take(length)?)
            }
            5 => Wire::Fixed32(u32::from_le_bytes(self.take_array()?)),
            other => return Err(WireError::WireType(other)),
        };
        Ok(Some((number, value)))
    }

    /// The varints of a packed list.
    pub(super) fn packed(bytes: &'a [u8]) -> Result<Vec<Wire<'a>>, WireError> {
        let mut fields = Self::new(bytes);
        let mut values = Vec::new();
        while !fields.rest.is_empty() {
            values.push(Wire::Varint(fields.take_varint()?));
        }
        Ok(values)
    }

    fn take_varint(&mut self) -> Result<u64, WireError> {
        let mut value = 0_u64;
        for shift in (0..64).step_by(7) {
            let (byte, rest) = self.rest.split_first().ok_or(WireError::UnexpectedEnd)?;
            self.rest = rest;
            value |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Ok(value);
            }
        }
        Err(WireError::Overflow)
    }

    fn take(&mut self, length: usize) -> Result<&'a [u8], WireError> {
        let (head, rest) = self
            .rest
            .split_at_checked(length)
            .ok_or(WireError::UnexpectedEnd)?;
        self.rest = rest;
        Ok(head)
    }

    fn take_array<const N: usize>(&mut self) -> Result<[u8; N], WireError> {
        let (head, rest) = self
            .rest
            .split_first_chunk::<N>()
            .ok_or(WireError::UnexpectedEnd)?;
        self.rest = rest;
        Ok(*head)
    }
}

/// Text of a string field.
pub(super) fn text(number: u32, bytes: &[u8]) -> Result<String, WireError> {
    String::from_utf8(bytes.to_vec()).map_err(|_| WireError::NotUtf8(number))
}
