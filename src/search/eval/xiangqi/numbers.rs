//! The numbers of the evaluation, in centipawns. They are those of the first program that this
//! project started from, where a match did not show others to be better; change them only with
//! another match.

use crate::game::Side;
use crate::xiangqi::{Piece, Role, Square};

/// What each man is worth, in the order of [`Role`]; a king is never exchanged. The first program
/// had 500, 300, 300, 80, 250, 250: advisors and elephants at half a rook lose by about 150 Elo
/// against these.
pub(super) const MATERIAL: [i32; 7] = by_role(0, 600, 290, 300, 80, 130, 130);

/// The worth of each empty point that a man reaches.
pub(super) const MOBILITY: [i32; 7] = by_role(0, 6, 12, 6, 15, 1, 1);

/// Relations between men count in eighths of their material.
pub(super) const RELATION_UNIT: i32 = 8;
/// Units counted against a man in danger when the opponent is to move.
pub(super) const DANGER_WAITING: i32 = 5;
/// Units counted against a man in danger when its owner is to move.
pub(super) const DANGER_TO_MOVE: i32 = 1;
/// For each guard, up to two, of a man that is not attacked.
pub(super) const GUARDED: i32 = 5;
/// Against a king in check.
pub(super) const IN_CHECK: i32 = 20;

const fn by_role(
    king: i32,
    rook: i32,
    horse: i32,
    cannon: i32,
    pawn: i32,
    advisor: i32,
    elephant: i32,
) -> [i32; 7] {
    [king, rook, horse, cannon, pawn, advisor, elephant]
}

/// By file (rows, a to i), then by rank from one's own back rank.
type Placement = [[i8; 10]; 9];

/// In the order of [`Role`]; each is its own mirror image.
#[rustfmt::skip]
const PLACEMENTS: [Placement; 7] = [
    // King
    [
        [  0,   0,   0,   0,   0,   0,   0,   0,   0,   0],
        [  0,   0,   0,   0,   0,   0,   0,   0,   0,   0],
        [  0,   0,   0,   0,   0,   0,   0,   0,   0,   0],
        [  1,  -8,  -9,   0,   0,   0,   0,   0,   0,   0],
        [  5,  -8,  -9,   0,   0,   0,   0,   0,   0,   0],
        [  1,  -8,  -9,   0,   0,   0,   0,   0,   0,   0],
        [  0,   0,   0,   0,   0,   0,   0,   0,   0,   0],
        [  0,   0,   0,   0,   0,   0,   0,   0,   0,   0],
        [  0,   0,   0,   0,   0,   0,   0,   0,   0,   0],
    ],
    // Rook
    [
        [ -6,   5,  -2,   4,   8,   8,   6,   6,   6,   6],
        [  6,   8,   8,   9,  12,  11,  13,   8,  12,   8],
        [  4,   6,   4,   4,  12,  11,  13,   7,   9,   7],
        [ 12,  12,  12,  12,  14,  14,  16,  14,  16,  13],
        [  0,   0,  12,  14,  15,  15,  16,  16,  33,  14],
        [ 12,  12,  12,  12,  14,  14,  16,  14,  16,  13],
        [  4,   6,   4,   4,  12,  11,  13,   7,   9,   7],
        [  6,   8,   8,   9,  12,  11,  13,   8,  12,   8],
        [ -6,   5,  -2,   4,   8,   8,   6,   6,   6,   6],
    ],
    // Horse
    [
        [  0,  -3,   5,   4,   2,   2,   5,   4,   2,   2],
        [ -3,   2,   4,   6,  10,  12,  20,  10,   8,   2],
        [  2,   4,   6,  10,  13,  11,  12,  11,  15,   2],
        [  0,   5,   7,   7,  14,  15,  19,  15,   9,   8],
        [  2, -10,   4,  10,  15,  16,  12,  11,   6,   2],
        [  0,   5,   7,   7,  14,  15,  19,  15,   9,   8],
        [  2,   4,   6,  10,  13,  11,  12,  11,  15,   2],
        [ -3,   2,   4,   6,  10,  12,  20,  10,   8,   2],
        [  0,  -3,   5,   4,   2,   2,   5,   4,   2,   2],
    ],
    // Cannon
    [
        [  0,   0,   1,   0,  -1,   0,   0,   1,   2,   4],
        [  0,   1,   0,   0,   0,   0,   3,   1,   2,   4],
        [  1,   2,   4,   0,   3,   0,   3,   0,   0,   0],
        [  3,   2,   3,   0,   0,   0,   2,  -5,  -4,  -5],
        [  3,   2,   5,   0,   4,   4,   4,  -4,  -7,  -6],
        [  3,   2,   3,   0,   0,   0,   2,  -5,  -4,  -5],
        [  1,   2,   4,   0,   3,   0,   3,   0,   0,   0],
        [  0,   1,   0,   0,   0,   0,   3,   1,   2,   4],
        [  0,   0,   1,   0,  -1,   0,   0,   1,   2,   4],
    ],
    // Pawn
    [
        [  0,   0,   0,  -2,   3,  10,  20,  20,  20,   0],
        [  0,   0,   0,   0,   0,  18,  27,  30,  30,   0],
        [  0,   0,   0,  -2,   4,  22,  30,  45,  50,   0],
        [  0,   0,   0,   0,   0,  35,  40,  55,  65,   2],
        [  0,   0,   0,   6,   7,  40,  42,  55,  70,   4],
        [  0,   0,   0,   0,   0,  35,  40,  55,  65,   2],
        [  0,   0,   0,  -2,   4,  22,  30,  45,  50,   0],
        [  0,   0,   0,   0,   0,  18,  27,  30,  30,   0],
        [  0,   0,   0,  -2,   3,  10,  20,  20,  20,   0],
    ],
    // Advisor
    [
        [  0,   0,   0,   0,   0,   0,   0,   0,   0,   0],
        [  0,   0,   0,   0,   0,   0,   0,   0,   0,   0],
        [  0,   0,   0,   0,   0,   0,   0,   0,   0,   0],
        [  0,   0,   0,   0,   0,   0,   0,   0,   0,   0],
        [  0,   3,   0,   0,   0,   0,   0,   0,   0,   0],
        [  0,   0,   0,   0,   0,   0,   0,   0,   0,   0],
        [  0,   0,   0,   0,   0,   0,   0,   0,   0,   0],
        [  0,   0,   0,   0,   0,   0,   0,   0,   0,   0],
        [  0,   0,   0,   0,   0,   0,   0,   0,   0,   0],
    ],
    // Elephant
    [
        [  0,   0,  -2,   0,   0,   0,   0,   0,   0,   0],
        [  0,   0,   0,   0,   0,   0,   0,   0,   0,   0],
        [  0,   0,   0,   0,   0,   0,   0,   0,   0,   0],
        [  0,   0,   0,   0,   0,   0,   0,   0,   0,   0],
        [  0,   0,   3,   0,   0,   0,   0,   0,   0,   0],
        [  0,   0,   0,   0,   0,   0,   0,   0,   0,   0],
        [  0,   0,   0,   0,   0,   0,   0,   0,   0,   0],
        [  0,   0,   0,   0,   0,   0,   0,   0,   0,   0],
        [  0,   0,  -2,   0,   0,   0,   0,   0,   0,   0],
    ],
];

const fn placement(piece: Piece, square: Square) -> i32 {
    let own = match piece.side() {
        Side::First => square,
        Side::Second => square.flipped(),
    };
    PLACEMENTS[piece.role().index()][own.file() as usize][own.rank() as usize] as i32
}

/// The worth of each man on each square by the placement tables.
pub(super) static PLACEMENT: [[i8; Square::COUNT]; Piece::COUNT] = {
    let mut table = [[0; Square::COUNT]; Piece::COUNT];
    let mut p = 0;
    while p < Piece::COUNT {
        let mut s = 0;
        while s < Square::COUNT {
            table[p][s] = placement(Piece::ALL[p], Square::from_index(s)) as i8;
            s += 1;
        }
        p += 1;
    }
    table
};

/// The material worth of a role.
pub(super) const fn material(role: Role) -> i32 {
    MATERIAL[role.index()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placements_are_symmetric() {
        for piece in Piece::ALL {
            for square in Square::all() {
                let value = PLACEMENT[piece.index()][square.index()];
                assert_eq!(value, PLACEMENT[piece.index()][square.mirrored().index()]);
                let other = Piece::new(!piece.side(), piece.role());
                assert_eq!(value, PLACEMENT[other.index()][square.flipped().index()]);
            }
        }
        let red_pawn = PLACEMENT[Piece::RedPawn.index()];
        assert_eq!(red_pawn[Square::at(4, 8).index()], 70);
    }
}
