//! Header blocks (RFC 7541).
//!
//! Tables and Huffman code come from `httlib`; its decoder indexes past the end of cut-off input,
//! so that reading is done here: a driver that speaks garbage must not take the kubelet down.

use httlib_hpack::table::Table;

/// The table size that an encoder may use before it is told otherwise.
const MAX_TABLE: usize = 4_096;

/// Octets of the longest integer that is accepted, as all implementations limit it.
const MAX_INTEGER: u32 = 4;

/// A header block that breaks RFC 7541.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("malformed header block: {0}")]
pub(super) struct HpackError(&'static str);

/// Reads the header blocks of one connection, in their order.
#[derive(Debug, Default)]
pub(super) struct Decoder {
    table: Table<'static>,
}

impl Decoder {
    /// The fields of one block, as text (bytes that are no UTF-8 are replaced).
    pub(super) fn decode(&mut self, block: &[u8]) -> Result<Vec<(String, String)>, HpackError> {
        let mut input = Input(block);
        let mut fields = Vec::new();
        while let Some(&first) = input.0.first() {
            match first.leading_zeros() {
                0 => {
                    let index = input.integer(7)?;
                    let (name, value) = self.entry(index)?;
                    fields.push((text(name), text(value)));
                }
                1 => {
                    let (name, value) = self.literal(&mut input, 6)?;
                    fields.push((text(&name), text(&value)));
                    self.table.insert(name, value);
                }
                2 => self.resize(input.integer(5)?)?,
                _ => {
                    let (name, value) = self.literal(&mut input, 4)?;
                    fields.push((text(&name), text(&value)));
                }
            }
        }
        Ok(fields)
    }

    fn entry(&self, index: usize) -> Result<(&[u8], &[u8]), HpackError> {
        u32::try_from(index)
            .ok()
            .and_then(|index| self.table.get(index))
            .ok_or(HpackError("index of no entry"))
    }

    fn literal(
        &self,
        input: &mut Input<'_>,
        prefix: u32,
    ) -> Result<(Vec<u8>, Vec<u8>), HpackError> {
        let name = match input.integer(prefix)? {
            0 => input.string()?,
            index => self.entry(index)?.0.to_vec(),
        };
        Ok((name, input.string()?))
    }

    fn resize(&mut self, size: usize) -> Result<(), HpackError> {
        match u32::try_from(size) {
            Ok(fits) if size <= MAX_TABLE => {
                self.table.update_max_dynamic_size(fits);
                Ok(())
            }
            _ => Err(HpackError("table larger than agreed")),
        }
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

struct Input<'a>(&'a [u8]);

impl<'a> Input<'a> {
    fn byte(&mut self) -> Result<u8, HpackError> {
        let (&first, rest) = self.0.split_first().ok_or(HpackError("cut short"))?;
        self.0 = rest;
        Ok(first)
    }

    /// Section 5.1.
    fn integer(&mut self, prefix: u32) -> Result<usize, HpackError> {
        let mask = u8::MAX >> (8 - prefix);
        let mut value = usize::from(self.byte()? & mask);
        if value < usize::from(mask) {
            return Ok(value);
        }
        for octet in 0..MAX_INTEGER {
            let byte = self.byte()?;
            value += usize::from(byte & 0x7f) << (7 * octet);
            if byte & 0x80 == 0 {
                return Ok(value);
            }
        }
        Err(HpackError("integer too long"))
    }

    fn take(&mut self, length: usize) -> Result<&'a [u8], HpackError> {
        let (taken, rest) = self
            .0
            .split_at_checked(length)
            .ok_or(HpackError("cut short"))?;
        self.0 = rest;
        Ok(taken)
    }

    /// Section 5.2.
    fn string(&mut self) -> Result<Vec<u8>, HpackError> {
        let huffman = self.0.first().is_some_and(|first| first & 0x80 != 0);
        let length = self.integer(7)?;
        let bytes = self.take(length)?;
        if !huffman {
            return Ok(bytes.to_vec());
        }
        let mut decoded = Vec::with_capacity(bytes.len() * 2);
        httlib_huffman::decode(bytes, &mut decoded, httlib_huffman::DecoderSpeed::FourBits)
            .map_err(|_| HpackError("invalid Huffman code"))?;
        Ok(decoded)
    }
}

/// Appends a field that the peer's table does not keep (section 6.2.2).
pub(super) fn put(out: &mut Vec<u8>, name: &str, value: &str) {
    out.push(0);
    put_string(out, name);
    put_string(out, value);
}

fn put_string(out: &mut Vec<u8>, string: &str) {
    const PREFIX: usize = 0x7f;
    if string.len() < PREFIX {
        out.push(u8::try_from(string.len()).unwrap_or(0));
    } else {
        out.push(0x7f);
        let mut rest = string.len() - PREFIX;
        while rest >= 0x80 {
            out.push(u8::try_from(rest & 0x7f).unwrap_or(0) | 0x80);
            rest >>= 7;
        }
        out.push(u8::try_from(rest).unwrap_or(0));
    }
    out.extend(string.as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
        pairs
            .iter()
            .map(|(n, v)| ((*n).into(), (*v).into()))
            .collect()
    }

    #[test]
    fn what_is_written_is_read_back() {
        let long = "x".repeat(1_000);
        let sent = [("content-type", "application/grpc"), ("long", &long)];
        let mut block = Vec::new();
        for (name, value) in sent {
            put(&mut block, name, value);
        }
        assert_eq!(Decoder::default().decode(&block).unwrap(), fields(&sent));
    }

    #[test]
    fn huffman_and_table_are_read_as_in_the_examples_of_the_rfc() {
        // RFC 7541, appendix C.4.1 and C.4.2.
        let first = [
            0x82, 0x86, 0x84, 0x41, 0x8c, 0xf1, 0xe3, 0xc2, 0xe5, 0xf2, 0x3a, 0x6b, 0xa0, 0xab,
            0x90, 0xf4, 0xff,
        ];
        let second = [
            0x82, 0x86, 0x84, 0xbe, 0x58, 0x86, 0xa8, 0xeb, 0x10, 0x64, 0x9c, 0xbf,
        ];
        let mut decoder = Decoder::default();
        let common = [
            (":method", "GET"),
            (":scheme", "http"),
            (":path", "/"),
            (":authority", "www.example.com"),
        ];
        assert_eq!(decoder.decode(&first).unwrap(), fields(&common));
        let mut with_cache = common.to_vec();
        with_cache.push(("cache-control", "no-cache"));
        assert_eq!(decoder.decode(&second).unwrap(), fields(&with_cache));
    }

    #[test]
    fn cut_off_input_is_an_error() {
        let mut block = Vec::new();
        put(&mut block, "grpc-status", "0");
        for length in 1..block.len() {
            assert!(
                Decoder::default().decode(&block[..length]).is_err(),
                "{length}"
            );
        }
        for cut in [&[0xff][..], &[0x3f], &[0x7f], &[0x40], &[0x0f]] {
            assert!(Decoder::default().decode(cut).is_err(), "{cut:x?}");
        }
    }

    #[test]
    fn random_bytes_never_panic() {
        // A linear congruential generator: the same bytes on each run.
        let mut state = 1_u64;
        for _ in 0..20_000 {
            let block: Vec<u8> = (0..24)
                .map(|_| {
                    state = state
                        .wrapping_mul(6_364_136_223_846_793_005)
                        .wrapping_add(1);
                    state.to_be_bytes()[0]
                })
                .collect();
            let mut decoder = Decoder::default();
            let _ = decoder.decode(&block);
            let _ = decoder.decode(&block[..12]);
        }
    }
}
