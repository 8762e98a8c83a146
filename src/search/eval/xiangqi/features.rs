//! The parameters of the evaluation: their names and the terms that they belong to. The weights
//! stand in `numbers.rs`, in this order.

use crate::xiangqi::{Piece, Role, Square};

/// The terms in which the evaluation is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Term {
    /// The worth of the pieces by themselves.
    Material,
    /// Their worth beside each other: pairs, cannons among many pieces, a side without rooks.
    Imbalance,
    /// The squares they stand on.
    Placement,
    /// The points that they can go to.
    Mobility,
    /// Attackers and guards of the pieces, and the cost of exchanges.
    Relations,
    /// Pawns across the river, side by side; the centre pawn.
    Pawns,
    /// Linked horses, rooks and cannons on their lines, pieces that work together.
    Patterns,
    /// Advisors and elephants against the opponent's pieces.
    Guards,
    /// Pieces that bear on the opponent's palace, checks, pins to the king.
    King,
    /// Having the move.
    Tempo,
}

impl Term {
    /// Every term, in order.
    pub const ALL: [Self; 10] = [
        Self::Material,
        Self::Imbalance,
        Self::Placement,
        Self::Mobility,
        Self::Relations,
        Self::Pawns,
        Self::Patterns,
        Self::Guards,
        Self::King,
        Self::Tempo,
    ];

    /// The name, in small letters.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Material => "material",
            Self::Imbalance => "imbalance",
            Self::Placement => "placement",
            Self::Mobility => "mobility",
            Self::Relations => "relations",
            Self::Pawns => "pawns",
            Self::Patterns => "patterns",
            Self::Guards => "guards",
            Self::King => "king",
            Self::Tempo => "tempo",
        }
    }
}

/// A group of parameters of one kind.
#[derive(Debug, Clone, Copy)]
pub struct Group {
    /// The name, unique.
    pub name: &'static str,
    /// The term that it is shown under.
    pub term: Term,
    /// Number of its parameters.
    pub len: usize,
}

/// Declares the groups: for each a constant with the index of its first parameter, and the row in
/// [`GROUPS`].
macro_rules! groups {
    ($($(#[$doc:meta])* $name:ident: $term:ident[$len:expr];)*) => {
        /// Every group, in the order of the weights.
        pub const GROUPS: &[Group] =
            &[$(Group { name: stringify!($name), term: Term::$term, len: $len }),*];

        #[expect(non_camel_case_types, clippy::upper_case_acronyms, reason = "names of groups")]
        enum Number { $($name),* }

        $($(#[$doc])* pub(crate) const $name: usize = first_of(Number::$name as usize);)*
    };
}

const fn first_of(group: usize) -> usize {
    let mut first = 0;
    let mut i = 0;
    while i < group {
        first += GROUPS[i].len;
        i += 1;
    }
    first
}

/// Number of parameters.
pub const COUNT: usize = first_of(GROUPS.len());

/// Points of one wing with the middle file: placements are mirror images.
pub(crate) const WING: usize = 50;

/// Roles that can be lost.
pub(crate) const MEN: usize = 6;

groups! {
    /// By role.
    MATERIAL: Material[7];

    /// Two of a kind, and a horse beside a cannon: rooks, horses, cannons, horse and cannon.
    PAIRS: Imbalance[4];
    /// A cannon or a horse, for each piece on the board beyond 16.
    MEN_ON_BOARD: Imbalance[2];
    /// For each pair of own and opponent's piece, by roles without the king, own first.
    AGAINST: Imbalance[MEN * MEN];
    /// The opponent has a rook, this side none.
    ROOKLESS: Imbalance[1];

    /// By role, file from the edge to the middle, own rank.
    PLACEMENT: Placement[7 * WING];

    /// By number of points that a rook can go to without falling to something cheaper.
    ROOK_MOBILITY: Mobility[18];
    /// By number of points that a cannon can go to that no pawn, advisor or elephant guards.
    CANNON_MOBILITY: Mobility[18];
    /// By number of points that a horse can go to that no pawn, advisor or elephant guards.
    HORSE_MOBILITY: Mobility[9];
    /// For each empty point that pawns, advisors and elephants reach.
    SMALL_MOBILITY: Mobility[3];
    /// By number of points that the king can go to and that are not attacked.
    KING_MOBILITY: Mobility[5];
    /// For each leg of a horse that an own piece blocks.
    BLOCKED_LEG: Mobility[1];

    /// A piece that is guarded and not attacked, and one guarded twice.
    GUARDED: Relations[2];
    /// Attacked and not guarded, by role; owner to move, then waiting.
    LOOSE: Relations[2 * MEN];
    /// Guarded, and attacked by something cheaper.
    CHEAPLY_ATTACKED: Relations[2 * MEN];
    /// Attacked twice and guarded once.
    OUTNUMBERED: Relations[2 * MEN];
    /// Attacked with guards enough.
    PRESSED: Relations[MEN];
    /// A piece attacked by a pawn, a horse, a cannon, a rook, by role of the piece.
    ATTACKED_BY: Relations[4 * MEN];

    /// By number of pawns across the river.
    CROSSED: Pawns[6];
    /// Crossed pawns side by side.
    PHALANX: Pawns[1];
    /// The pawn on the middle file at home, for each cannon of the opponent.
    CENTRE_PAWN: Pawns[1];
    /// Crossed pawns within one file of the opponent's king.
    PAWN_NEAR_KING: Pawns[1];

    /// A horse that guards the other.
    LINKED_HORSES: Patterns[1];
    /// Two cannons on one line with nothing between.
    LINKED_CANNONS: Patterns[1];
    /// Two rooks that guard each other.
    LINKED_ROOKS: Patterns[1];
    /// A rook on a file without own pawns, and without any.
    ROOK_FILE: Patterns[2];
    /// A rook on the opponent's back rank.
    SUNK_ROOK: Patterns[1];
    /// A cannon on the opponent's back rank; with a rook that bears on the palace.
    BOTTOM_CANNON: Patterns[2];
    /// A cannon that faces the king with nothing between: on the file, on the rank.
    HOLLOW_CANNON: Patterns[2];
    /// A cannon on a line of the king with two pieces between: both of the king's side, one, none.
    BEARING_CANNON: Patterns[3];
    /// A rook on a line of the king with an own piece between, or with two pieces.
    BEARING_ROOK: Patterns[2];
    /// Two cannons on one line of the king.
    DOUBLE_CANNON: Patterns[1];
    /// A cannon on a line of the king, with a horse, with a rook that bears on the palace.
    CANNON_WITH: Patterns[2];
    /// A horse within two steps of the king, on its line, with a cannon behind.
    CANNON_BEHIND_HORSE: Patterns[1];

    /// By numbers of advisors and elephants.
    GUARD_SET: Guards[9];
    /// For each missing advisor and each rook, horse, cannon, pawn of the opponent.
    MISSING_ADVISOR: Guards[4];
    /// For each missing elephant and each rook, horse, cannon, pawn of the opponent.
    MISSING_ELEPHANT: Guards[4];
    /// Advisors that guard each other; elephants that do.
    LINKED_GUARDS: Guards[2];

    /// By number of pieces that bear on the palace of the opponent.
    BEARERS: King[7];
    /// Points of the palace that a rook, horse, cannon bears on.
    PALACE_HITS: King[3];
    /// For each piece that bears on the palace, for each missing advisor, each missing elephant.
    BEARERS_MISSING: King[2];
    /// Points of the palace that are attacked, and guarded by nothing but the king.
    WEAK_POINTS: King[1];
    /// A safe check by rook, horse, cannon; another one.
    SAFE_CHECK: King[6];
    /// A piece pinned to its king by a rook or the other king, by role without the king.
    PINNED: King[MEN];
    /// No own piece before the king on its file, on a side of its rank.
    OPEN_KING: King[2];
    /// In check.
    CHECKED: King[1];

    /// The side to move.
    TEMPO: Tempo[1];
}

/// The parameter for a piece on a square.
pub(crate) const fn placement(piece: Piece, square: Square) -> usize {
    let own = match piece.side() {
        crate::game::Side::First => square,
        crate::game::Side::Second => square.flipped(),
    };
    let file = if own.file() > 4 { 8 - own.file() } else { own.file() };
    PLACEMENT + piece.role().index() * WING + file as usize * 10 + own.rank() as usize
}

/// The number of a role among those that can be lost.
pub(crate) const fn man(role: Role) -> usize {
    role.index().saturating_sub(1)
}

/// The group of a parameter, and its number in it.
#[must_use]
pub fn group_of(parameter: usize) -> Option<(&'static Group, usize)> {
    let mut first = 0;
    for group in GROUPS {
        if parameter < first + group.len {
            return Some((group, parameter - first));
        }
        first += group.len;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_parameter_has_its_place() {
        assert_eq!(group_of(PLACEMENT + 3).map(|(g, i)| (g.name, i)), Some(("PLACEMENT", 3)));
        assert_eq!(group_of(TEMPO).map(|(g, i)| (g.name, i)), Some(("TEMPO", 0)));
        assert_eq!(TEMPO + 1, COUNT);
        assert!(group_of(COUNT).is_none());
    }

    #[test]
    fn placements_are_symmetric() {
        for piece in Piece::ALL {
            for square in Square::all() {
                let parameter = placement(piece, square);
                assert_eq!(parameter, placement(piece, square.mirrored()));
                let other = Piece::new(!piece.side(), piece.role());
                assert_eq!(parameter, placement(other, square.flipped()));
            }
        }
    }
}
