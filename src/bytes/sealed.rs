//! The only user of bincode: a small container of magic, version, length and CRC32 around a bincode payload
//! with fixed-width little-endian integers, a size limit and no trailing bytes.
//!
//! ```text
//! offset  0  magic      8 bytes
//!         8  version    u32
//!        12  length     u64, bytes of payload
//!        20  crc32      u32, over bytes 0..20 and the payload
//!        24  payload    bincode 1, fixed-width integers
//! ```

use bincode::Options;
use serde::{Serialize, de::DeserializeOwned};

/// Bytes before the payload.
pub const HEADER_LEN: usize = 24;

/// A kind of sealed file: its magic, the version this program writes, and the largest payload it accepts.
#[derive(Debug, Clone, Copy)]
pub struct SealedKind {
    /// First eight bytes of the file.
    pub magic: [u8; 8],
    /// The version written, and the only one read.
    pub version: u32,
    /// Upper bound on the payload, in bytes; protects against hostile lengths.
    pub limit: u64,
}

/// A reason why bytes could not be sealed or unsealed.
#[derive(Debug, thiserror::Error, crate::message::ToMessage)]
#[non_exhaustive]
pub enum SealError {
    /// Fewer bytes than the header or the stated length needs.
    #[error("truncated: {have} bytes where {need} are needed")]
    Truncated {
        /// Bytes present.
        have: usize,
        /// Bytes needed.
        need: u64,
    },
    /// The magic is another one.
    #[error("not this kind of file: it starts with {found:?}, not {expected:?}")]
    Magic {
        /// The beginning of the file.
        found: String,
        /// The magic it should start with.
        expected: String,
    },
    /// Written by another version.
    #[error(
        "version {found}, but this program reads version {supported}; rebuild the file or update juzhong"
    )]
    Version {
        /// Version in the file.
        found: u32,
        /// Version supported.
        supported: u32,
    },
    /// The length exceeds the limit of its kind, or differs from the bytes present.
    #[error("length {length} is impossible (limit {limit})")]
    Length {
        /// Stated length.
        length: u64,
        /// Largest length accepted.
        limit: u64,
    },
    /// The checksum does not match: the bytes were damaged.
    #[error("damaged: checksum {found:08x} where {expected:08x} is stated")]
    Checksum {
        /// Computed.
        found: u32,
        /// Stated.
        expected: u32,
    },
    /// The payload does not decode as a value of this kind.
    #[error("malformed payload")]
    Payload(#[source] bincode::Error),
}

fn options(limit: u64) -> impl Options {
    bincode::DefaultOptions::new()
        .with_fixint_encoding()
        .with_little_endian()
        .with_limit(limit)
        .reject_trailing_bytes()
}

/// Seals `value` into bytes. Equal values give equal bytes.
///
/// # Errors
///
/// [`SealError::Payload`] if the value exceeds the kind's limit or cannot be serialised.
pub fn seal<T: Serialize>(kind: SealedKind, value: &T) -> Result<Vec<u8>, SealError> {
    let payload = options(kind.limit).serialize(value).map_err(SealError::Payload)?;
    let mut out = Vec::with_capacity(HEADER_LEN + payload.len());
    out.extend_from_slice(&kind.magic);
    out.extend_from_slice(&kind.version.to_le_bytes());
    out.extend_from_slice(&(payload.len() as u64).to_le_bytes());
    let crc = checksum(&out, &payload);
    out.extend_from_slice(&crc.to_le_bytes());
    out.extend_from_slice(&payload);
    Ok(out)
}

/// Decodes the output of [`seal`]. All of `bytes` must belong to it.
///
/// # Errors
///
/// Every way in which the bytes can be wrong, see [`SealError`].
pub fn unseal<T: DeserializeOwned>(kind: SealedKind, bytes: &[u8]) -> Result<T, SealError> {
    options(kind.limit).deserialize(checked_payload(kind, bytes)?).map_err(SealError::Payload)
}

/// Decodes the same from an older version, `kind`, whose values end before some fields that they
/// have gained since: `gained` are the bytes of those.
///
/// # Errors
///
/// As those of [`unseal`].
pub fn unseal_older<T: DeserializeOwned>(
    kind: SealedKind,
    bytes: &[u8],
    gained: &[u8],
) -> Result<T, SealError> {
    let payload = [checked_payload(kind, bytes)?, gained].concat();
    options(kind.limit + gained.len() as u64).deserialize(&payload).map_err(SealError::Payload)
}

/// The version that sealed bytes state; `None` if they are too few.
#[must_use]
pub fn version(bytes: &[u8]) -> Option<u32> {
    (bytes.len() >= HEADER_LEN).then(|| u32_at(bytes, 8))
}

/// The end of sealed bytes, by their first [`HEADER_LEN`]; `None` if they are too few, or state a length beyond the
/// limit.
pub(crate) fn end(kind: SealedKind, start: &[u8]) -> Option<usize> {
    let length = stated_length(start.get(..20)?);
    (length <= kind.limit).then(|| HEADER_LEN + length as usize)
}

/// The length of the payload that a header states.
fn stated_length(header: &[u8]) -> u64 {
    u64::from(u32_at(header, 12)) | u64::from(u32_at(header, 16)) << 32
}

/// The payload, if it has its checksum.
fn checked_payload(kind: SealedKind, bytes: &[u8]) -> Result<&[u8], SealError> {
    let (header, payload) = split(kind, bytes)?;
    let expected = u32_at(header, 20);
    let found = checksum(&header[..20], payload);
    // A fuzzer does not find checksums.
    if found != expected && !cfg!(fuzzing) {
        return Err(SealError::Checksum { found, expected });
    }
    Ok(payload)
}

fn split(kind: SealedKind, bytes: &[u8]) -> Result<(&[u8], &[u8]), SealError> {
    let truncated = |need| SealError::Truncated { have: bytes.len(), need };
    // First of all, so that a short file of another kind is not called truncated.
    if !bytes.starts_with(&kind.magic) && bytes.len() >= kind.magic.len() {
        return Err(SealError::Magic {
            found: bytes[..8].escape_ascii().to_string(),
            expected: kind.magic.escape_ascii().to_string(),
        });
    }
    let (header, payload) =
        bytes.split_at_checked(HEADER_LEN).ok_or_else(|| truncated(HEADER_LEN as u64))?;
    let version = u32_at(header, 8);
    if version != kind.version {
        return Err(SealError::Version { found: version, supported: kind.version });
    }
    let length = stated_length(header);
    if length > kind.limit || length < payload.len() as u64 {
        return Err(SealError::Length { length, limit: kind.limit });
    }
    if length > payload.len() as u64 {
        return Err(truncated(HEADER_LEN as u64 + length));
    }
    Ok((header, payload))
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}

fn checksum(header: &[u8], payload: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(header);
    hasher.update(payload);
    hasher.finalize()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const KIND: SealedKind = SealedKind { magic: *b"JZTEST\0\0", version: 3, limit: 1 << 16 };
    type Sample = (u32, Vec<u64>, String);

    proptest! {
        #[test]
        fn seal_then_unseal_is_identity(value: Sample) {
            let bytes = seal(KIND, &value).unwrap();
            prop_assert_eq!(unseal::<Sample>(KIND, &bytes).unwrap(), value);
        }

        #[test]
        fn any_flipped_bit_is_noticed(value: Sample, at: prop::sample::Index, bit in 0..8u8) {
            let mut bytes = seal(KIND, &value).unwrap();
            let at = at.index(bytes.len());
            bytes[at] ^= 1 << bit;
            prop_assert!(unseal::<Sample>(KIND, &bytes).is_err());
        }

        #[test]
        fn any_truncation_is_noticed(value: Sample, at: prop::sample::Index) {
            let bytes = seal(KIND, &value).unwrap();
            let short = &bytes[..at.index(bytes.len())];
            prop_assert!(unseal::<Sample>(KIND, short).is_err());
        }

        #[test]
        fn garbage_never_panics(bytes: Vec<u8>) {
            let mut framed = KIND.magic.to_vec();
            framed.extend_from_slice(&bytes);
            prop_assert!(unseal::<Sample>(KIND, &framed).is_err());
        }
    }

    #[test]
    fn older_values_get_the_fields_they_lack() {
        let older = SealedKind { version: 2, ..KIND };
        let bytes = seal(older, &(7u16, 9u64)).unwrap();
        assert_eq!(version(&bytes), Some(2));
        assert!(unseal::<(u16, u64, u8)>(KIND, &bytes).is_err());
        assert_eq!(unseal_older::<(u16, u64, u8)>(older, &bytes, &[5]).unwrap(), (7, 9, 5));
        assert!(unseal_older::<(u16, u64, u8)>(older, &bytes, &[]).is_err());
        assert!(unseal_older::<(u16, u64, u8)>(older, &bytes, &[5, 6]).is_err());
    }

    #[test]
    fn golden_bytes() {
        let bytes = seal(KIND, &(7u16, vec![1u64])).unwrap();
        let hex: String = bytes.iter().map(|b| format!("{b:02x}")).collect();
        assert_eq!(
            hex,
            "4a5a544553540000030000001200000000000000c57a335f07000100000000000000\
             0100000000000000"
        );
    }
}
