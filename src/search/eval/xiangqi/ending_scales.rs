//! The part of an advantage that counts with few men: fitted to endgame tables, a number for each set of pieces that
//! [`SCALES`](super::ending_numbers::SCALES) has.

use crate::search::eval::xiangqi::ending_numbers::SCALES;

/// Bits for the number of pieces of a role; as many as this of one role are in no set.
const BITS: u32 = 2;

/// Stands for the pieces of the side with the advantage and of the other side, each given by [`Role`](crate::xiangqi::Role);
/// `None` for sets that no table was fitted to for want of room in the key.
#[must_use]
pub fn ending_key(ahead: [u8; 7], other: [u8; 7]) -> Option<u32> {
    let mut key = 0;
    // Both sides have a king, which comes first.
    for &count in ahead[1..].iter().chain(&other[1..]) {
        if count >= 1 << BITS {
            return None;
        }
        key = key << BITS | u32::from(count);
    }
    Some(key)
}

/// The fitted part for a side with these pieces, in 64ths.
pub(crate) fn ending_scale(ahead: [u8; 7], other: [u8; 7]) -> Option<i32> {
    let key = ending_key(ahead, other)?;
    let at = SCALES.binary_search_by_key(&key, |&(key, _)| key).ok()?;
    Some(SCALES[at].1.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_are_sorted_and_parts_are_parts() {
        assert!(SCALES.is_sorted_by(|one, other| one.0 < other.0));
        assert!(SCALES.iter().all(|&(_, part)| part <= 64));
        // A rook alone wins, but not against a rook.
        let [bare, rook] = [[1, 0, 0, 0, 0, 0, 0], [1, 1, 0, 0, 0, 0, 0]];
        assert_eq!(ending_scale(rook, bare), Some(64));
        assert!(ending_scale(rook, rook).is_some_and(|part| part < 32));
        assert_eq!(ending_scale([1, 4, 0, 0, 0, 0, 0], bare), None);
    }
}
