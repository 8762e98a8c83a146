//! The part of an advantage that counts with few men: fitted to endgame tables, a number for each set of pieces that
//! [`SCALES`] has.

use crate::search::eval::xiangqi::ending_numbers::SCALES;

/// Bits for the number of pieces of a role: at most three in a set of five men.
const BITS: u32 = 2;

/// Returns the key of a set: the numbers of pieces by [`Role`](crate::xiangqi::Role) of the side with the advantage, then of the
/// other side; `None` with more than three pieces of a role.
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
        // A side without attackers has no part of its own.
        assert!(SCALES.iter().all(|&(key, _)| key >= 1 << 16));
        // A horse wins alone, and against an advisor, but hardly against an elephant, and a cannon never alone.
        let bare = [1, 0, 0, 0, 0, 0, 0];
        let [horse, cannon, advisor, elephant] = [2, 3, 5, 6].map(|role| {
            let mut men = bare;
            men[role] = 1;
            men
        });
        let part = |ahead, other| ending_scale(ahead, other).unwrap();
        assert!(part(horse, bare) == 64 && part(horse, advisor) == 64);
        assert!(part(horse, elephant) < 32 && part(cannon, bare) < 8);
        assert_eq!(ending_scale([1, 4, 0, 0, 0, 0, 0], bare), None);
    }
}
