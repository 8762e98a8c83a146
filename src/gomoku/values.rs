//! The values of points by class. A board keeps their sums, for an evaluation that adds up some 400 values at each
//! position would take as long as the rest of the search.

use super::threat::CLASSES;
use super::weights::WEIGHTS;

/// By [`PointClass`](super::PointClass), in tenths of a centipawn for the side to move: what a point is worth that is
/// of that class for the side to move, and one that is of that class for the other side.
pub(crate) static CLASS_VALUES: [[i16; 2]; CLASSES] = {
    let mut values = [[0; 2]; CLASSES];
    let mut class = 0;
    while class < CLASSES {
        values[class] = [WEIGHTS[class], WEIGHTS[CLASSES + class]];
        class += 1;
    }
    values
};
