//! Roles and pieces, with their letters and characters.

use crate::game::Side;

/// The kind of a piece, in the canonical order of material names (`K R N C P A B`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Role {
    /// 帅 将
    King,
    /// 车
    Rook,
    /// 马
    Horse,
    /// 炮
    Cannon,
    /// 兵 卒
    Pawn,
    /// 仕 士
    Advisor,
    /// 相 象
    Elephant,
}

impl Role {
    /// All seven, in order.
    pub const ALL: [Self; 7] = [
        Self::King,
        Self::Rook,
        Self::Horse,
        Self::Cannon,
        Self::Pawn,
        Self::Advisor,
        Self::Elephant,
    ];

    /// 0 to 6.
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The capital letter in FENs and material names.
    #[must_use]
    pub const fn letter(self) -> char {
        match self {
            Self::King => 'K',
            Self::Rook => 'R',
            Self::Horse => 'N',
            Self::Cannon => 'C',
            Self::Pawn => 'P',
            Self::Advisor => 'A',
            Self::Elephant => 'B',
        }
    }

    /// Reads a letter of either case; also H (horse), E and M (elephant), G (advisor, as "guard").
    #[must_use]
    pub const fn from_letter(letter: char) -> Option<Self> {
        Some(match letter.to_ascii_uppercase() {
            'K' => Self::King,
            'R' => Self::Rook,
            'N' | 'H' => Self::Horse,
            'C' => Self::Cannon,
            'P' => Self::Pawn,
            'A' | 'G' => Self::Advisor,
            'B' | 'E' | 'M' => Self::Elephant,
            _ => return None,
        })
    }

    /// Number of them in a full set.
    #[must_use]
    pub const fn full_count(self) -> u8 {
        match self {
            Self::King => 1,
            Self::Pawn => 5,
            _ => 2,
        }
    }
}

/// A piece: a role and its side. One byte, and so is an `Option` of it.
///
/// ```
/// use juzhong::game::Side;
/// use juzhong::xiangqi::{Piece, Role};
///
/// let cannon = Piece::from_letter('c').unwrap();
/// assert_eq!((cannon.side(), cannon.role()), (Side::Second, Role::Cannon));
/// assert_eq!(Piece::new(Side::First, Role::Cannon).letter(), 'C');
/// // The horse is N, but many write H.
/// assert_eq!(Role::from_letter('h'), Some(Role::Horse));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
#[expect(missing_docs, reason = "each name says all of it")]
pub enum Piece {
    RedKing,
    RedRook,
    RedHorse,
    RedCannon,
    RedPawn,
    RedAdvisor,
    RedElephant,
    BlackKing,
    BlackRook,
    BlackHorse,
    BlackCannon,
    BlackPawn,
    BlackAdvisor,
    BlackElephant,
}

const _: () = assert!(size_of::<Option<Piece>>() == 1);

/// The role of each piece.
static ROLES: [Role; Piece::COUNT] = {
    let mut roles = [Role::King; Piece::COUNT];
    let mut i = 0;
    while i < Piece::COUNT {
        roles[i] = Role::ALL[i % 7];
        i += 1;
    }
    roles
};

impl Piece {
    /// Number of different pieces.
    pub const COUNT: usize = 14;

    /// All fourteen, Red first, in order.
    pub const ALL: [Self; 14] = [
        Self::RedKing,
        Self::RedRook,
        Self::RedHorse,
        Self::RedCannon,
        Self::RedPawn,
        Self::RedAdvisor,
        Self::RedElephant,
        Self::BlackKing,
        Self::BlackRook,
        Self::BlackHorse,
        Self::BlackCannon,
        Self::BlackPawn,
        Self::BlackAdvisor,
        Self::BlackElephant,
    ];

    /// The piece of that side and role.
    #[must_use]
    pub const fn new(side: Side, role: Role) -> Self {
        Self::ALL[side.index() * 7 + role.index()]
    }

    /// 0 to 13; key tables are laid out by it.
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The side that owns it.
    #[must_use]
    pub const fn side(self) -> Side {
        if (self as u8) < 7 { Side::First } else { Side::Second }
    }

    /// The role of the piece.
    #[must_use]
    pub const fn role(self) -> Role {
        // Read from a table: a remainder by 7 is several times as slow, and this is asked for very often.
        ROLES[self as usize]
    }

    /// The FEN letter: capital for Red.
    #[must_use]
    pub const fn letter(self) -> char {
        let letter = self.role().letter();
        match self.side() {
            Side::First => letter,
            Side::Second => letter.to_ascii_lowercase(),
        }
    }

    /// Reads a FEN letter; the case gives the side. Accepts the letters of
    /// [`Role::from_letter`].
    #[must_use]
    pub const fn from_letter(letter: char) -> Option<Self> {
        match Role::from_letter(letter) {
            Some(role) => {
                let side = if letter.is_ascii_uppercase() { Side::First } else { Side::Second };
                Some(Self::new(side, role))
            }
            None => None,
        }
    }
}
