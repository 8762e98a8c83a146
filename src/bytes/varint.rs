//! Unsigned LEB128 varints: seven bits a byte, least significant first, the high bit set on every
//! byte but the last.

/// The longest encoding of a `u64`, in bytes.
pub const MAX_LEN: usize = 10;

/// Appends `value` to `out`; 1 to [`MAX_LEN`] bytes.
pub fn put(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push((value as u8) | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Reads one varint from the front of `input` and advances it. `None` if `input` ends inside it, if the value
/// exceeds 64 bits, or if the encoding is longer than it needs to be (encodings are unique).
///
/// ```
/// use juzhong::bytes::varint;
///
/// let mut bytes = Vec::new();
/// varint::put(&mut bytes, 300);
/// assert_eq!(bytes, [0xac, 0x02]);
/// let mut input = bytes.as_slice();
/// assert_eq!(varint::take(&mut input), Some(300));
/// assert!(input.is_empty());
/// // Longer than it needs to be.
/// assert_eq!(varint::take(&mut [0x81, 0x00].as_slice()), None);
/// ```
pub fn take(input: &mut &[u8]) -> Option<u64> {
    let mut value = 0u64;
    for (i, &byte) in input.iter().enumerate().take(MAX_LEN) {
        let bits = u64::from(byte & 0x7f);
        // Nine bytes have 63 bits, so that one is left for the tenth.
        if i == MAX_LEN - 1 && bits > 1 {
            return None;
        }
        value |= bits << (7 * i);
        if byte < 0x80 {
            // A last byte without bits adds nothing: the encoding could be shorter.
            if byte == 0 && i > 0 {
                return None;
            }
            *input = &input[i + 1..];
            return Some(value);
        }
    }
    None
}

/// Maps signed integers to unsigned ones so that small magnitudes stay small (0, -1, 1, -2, …).
#[must_use]
pub const fn zigzag(value: i64) -> u64 {
    // The arithmetic shift gives all ones for negative numbers, which invert the other bits.
    ((value << 1) ^ (value >> 63)).cast_unsigned()
}

/// The inverse of [`zigzag`].
#[must_use]
pub const fn unzigzag(value: u64) -> i64 {
    (value >> 1).cast_signed() ^ -(value & 1).cast_signed()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn put_then_take_is_identity(value: u64, tail: Vec<u8>) {
            let mut bytes = Vec::new();
            put(&mut bytes, value);
            prop_assert!(bytes.len() <= MAX_LEN);
            bytes.extend_from_slice(&tail);
            let mut rest = bytes.as_slice();
            prop_assert_eq!(take(&mut rest), Some(value));
            prop_assert_eq!(rest, tail.as_slice());
        }

        #[test]
        fn zigzag_round_trips(value: i64) {
            prop_assert_eq!(unzigzag(zigzag(value)), value);
        }

        #[test]
        fn what_take_accepts_put_writes(bytes: Vec<u8>) {
            let mut rest = bytes.as_slice();
            if let Some(value) = take(&mut rest) {
                let mut again = Vec::new();
                put(&mut again, value);
                prop_assert_eq!(&bytes[..bytes.len() - rest.len()], again.as_slice());
            }
        }
    }

    #[test]
    fn refuses_overlong_and_truncated() {
        assert_eq!(take(&mut [0x80u8, 0x00].as_slice()), None);
        assert_eq!(take(&mut [0x80u8].as_slice()), None);
        assert_eq!(take(&mut [0xffu8; 11].as_slice()), None);
        assert_eq!(take(&mut [].as_slice()), None);
    }
}
