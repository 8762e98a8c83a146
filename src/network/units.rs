//! Rows of hidden units, and the arithmetic on them.

/// Hidden units of a view, each of which is there for the mirror image as well.
pub(super) const PAIRS: usize = 64;
/// Units of a row: those of the board as it is, then those of its mirror image.
const WIDTH: usize = 2 * PAIRS;
/// The integer that stands for 1 in a unit.
pub(super) const UNIT_HIDDEN: i16 = 255;
/// The integer that stands for 1 in a weight of the output.
pub(super) const UNIT_OUTPUT: i16 = 64;
/// The greatest weight of a feature, so that 32 men and the bias fit into 16 bits.
pub(super) const MOST_HIDDEN: i16 = 900;
/// The greatest weight of the output, so that its product with a unit fits into 16 bits.
pub(super) const MOST_OUTPUT: i16 = 127;

const _: () = assert!(33 * MOST_HIDDEN as i32 <= i16::MAX as i32);
const _: () = assert!(UNIT_HIDDEN as i32 * MOST_OUTPUT as i32 <= i16::MAX as i32);
// The sum over both views fits into 32 bits.
const _: () = assert!(
    2 * WIDTH as u64 * (UNIT_HIDDEN as u64) * (UNIT_HIDDEN as u64) * (MOST_OUTPUT as u64)
        <= i32::MAX as u64
);

/// A row of integers, one for each unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C, align(64))]
pub(super) struct Units([i16; WIDTH]);

impl Units {
    /// Zeros.
    pub(super) const ZERO: Self = Self([0; WIDTH]);

    /// A row whose halves are these.
    pub(super) fn of_halves(straight: &[i16], mirrored: &[i16]) -> Self {
        let mut units = Self::ZERO;
        units.0[..PAIRS].copy_from_slice(straight);
        units.0[PAIRS..].copy_from_slice(mirrored);
        units
    }

    /// Adds a row.
    #[inline(always)]
    pub(super) fn add(&mut self, row: &Self) {
        for (unit, weight) in self.0.iter_mut().zip(&row.0) {
            // Square by square, a man that moves may be counted twice for a time, and the sum may wrap; the sum of a
            // whole board fits.
            *unit = unit.wrapping_add(*weight);
        }
    }

    /// Takes a row away.
    #[inline(always)]
    pub(super) fn subtract(&mut self, row: &Self) {
        for (unit, weight) in self.0.iter_mut().zip(&row.0) {
            *unit = unit.wrapping_sub(*weight);
        }
    }

    /// The sum of the squares of the units, each between 0 and 1, times their weights.
    #[inline(always)]
    pub(super) fn weighed(&self, weights: &Self) -> i32 {
        let mut sum = 0;
        for (&unit, &weight) in self.0.iter().zip(&weights.0) {
            let active = unit.clamp(0, UNIT_HIDDEN);
            // The weight comes first: its product with a unit fits into 16 bits, as asserted above, and the
            // square of a unit does not.
            let product = active.wrapping_mul(weight);
            sum += i32::from(product) * i32::from(active);
        }
        sum
    }
}
