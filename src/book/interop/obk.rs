//! `.obk`: the SQLite books of BHGUI and many others, table `bhobk`.
//!
//! The key is a Zobrist key of constants of its own ([`crate::hash::foreign::OBK`]); the move is
//! `from << 8 | to` in points of the [16 by 16 board](super::mailbox). Books store one of a position and
//! its mirror image, and readers look for both.
//!
//! Two dialects keep keys from 2^63 on: BHGUI binds the same eight bytes as a double, others as a signed
//! integer. A double that is a whole number becomes an integer in a column of integers ([`key_of`] undoes
//! it), and one whose bytes are no number becomes NULL: that row is lost. Some programs store `to << 8 |
//! from`; [`super::load::vote`] finds out.

use rusqlite::types::ValueRef;

use crate::book::interop::sqlite::Layout;
use crate::book::interop::words::{Words, fen_index, words_of};
use crate::book::interop::{BookFormat, mailbox};
use crate::hash::foreign::OBK;
use crate::xiangqi::{Move, Role};

/// The table as BHGUI makes it.
pub(crate) const LAYOUT: Layout = Layout {
    format: BookFormat::Obk,
    table: "bhobk",
    columns: ["vkey", "vmove", "vscore", "vwin", "vdraw", "vlost", "vvalid", "vmemo"],
    create: "CREATE TABLE bhobk([id] INTEGER PRIMARY KEY AUTOINCREMENT, [vkey] INTEGER, \
             [vmove] INTEGER, [vscore] INTEGER, [vwin] INTEGER, [vdraw] INTEGER, [vlost] INTEGER, \
             [vvalid] INTEGER, [vmemo] BLOB, [vindex] INTEGER)",
    create_index: "CREATE INDEX idxkey ON bhobk(vkey)",
};

/// Present when Red is to move.
pub(crate) const SIDE: [u64; 2] = [OBK[14 * 90], 0];

/// The order of the roles in the constants.
const ROLES: [Role; 7] =
    [Role::King, Role::Advisor, Role::Elephant, Role::Horse, Role::Rook, Role::Cannon, Role::Pawn];

/// The place of a role in K A B N R C P.
pub(crate) fn role_number(role: Role) -> usize {
    ROLES.iter().position(|&r| r == role).unwrap_or(0)
}

pub(crate) fn words() -> Box<Words> {
    words_of(|piece, square| {
        let number = piece.side().index() * 7 + role_number(piece.role());
        OBK[number * 90 + fen_index(square)]
    })
}

/// The way in which keys from 2^63 on are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Dialect {
    /// As signed integers.
    #[default]
    Int64,
    /// As doubles of the same bytes (BHGUI).
    Double,
}

/// The state of a key in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StoredKey {
    /// It is as it should be.
    Sound(u64),
    /// A double that became an integer.
    Punned(u64),
    /// An integer in a book of doubles, which no double can have become, or the reverse.
    Integer(u64),
    /// Lost.
    Null,
    /// No key.
    Damaged,
}

/// The key of a row in a book of that dialect.
pub(crate) fn key_of(value: ValueRef<'_>, dialect: Dialect) -> StoredKey {
    match value {
        ValueRef::Null => StoredKey::Null,
        ValueRef::Integer(key) if key >= 0 || dialect == Dialect::Int64 => {
            StoredKey::Sound(key.cast_unsigned())
        }
        ValueRef::Integer(key) => match as_double(key) {
            Some(bits) => StoredKey::Punned(bits),
            None => StoredKey::Integer(key.cast_unsigned()),
        },
        ValueRef::Real(key) if key.is_sign_negative() => match dialect {
            Dialect::Double => StoredKey::Sound(key.to_bits()),
            Dialect::Int64 => StoredKey::Integer(key.to_bits()),
        },
        _ => StoredKey::Damaged,
    }
}

/// Returns true if a key is from 2^63 on and must have been stored as an integer.
pub(crate) fn is_integer(value: ValueRef<'_>) -> bool {
    matches!(value, ValueRef::Integer(key) if key < 0 && as_double(key).is_none())
}

/// The bytes of the double that is this whole number.
fn as_double(number: i64) -> Option<u64> {
    let double = number as f64;
    // The upper bound is out of reach for negative numbers.
    (double as i64 == number).then(|| double.to_bits())
}

/// The move of a row.
pub(crate) fn decode_move(stored: i64) -> Option<Move> {
    let stored = u16::try_from(stored).ok()?;
    mailbox::mv((stored >> 8) as u8, (stored & 0xff) as u8)
}

/// The inverse of [`decode_move`].
pub(crate) const fn encode_move(mv: Move) -> u16 {
    (mailbox::point(mv.from()) as u16) << 8 | mailbox::point(mv.to()) as u16
}

/// Encodes a key for the file; `None` if the dialect cannot hold it.
pub(crate) fn encode_key(key: u64, dialect: Dialect) -> Option<rusqlite::types::Value> {
    use rusqlite::types::Value;
    let double = f64::from_bits(key);
    match dialect {
        // SQLite stores NaN as NULL, and -0.0 as 0.
        Dialect::Double if key >> 63 == 1 && (double.is_nan() || double == 0.0) => None,
        Dialect::Double if key >> 63 == 1 => Some(Value::Real(double)),
        _ => Some(Value::Integer(key.cast_signed())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn moves_are_those_of_real_books() {
        for (text, stored) in [("h2e2", 43687), ("g0e2", 51623), ("c3c4", 38277)] {
            let mv = Move::parse(text).unwrap();
            assert_eq!(i64::from(encode_move(mv)), stored);
            assert_eq!(decode_move(stored), Some(mv));
        }
        for bad in [-1, 0, 0x3333, 0x10000, 0x3332] {
            assert_eq!(decode_move(bad), None, "{bad}");
        }
    }

    #[test]
    fn doubles_that_became_integers_are_found_again() {
        for (stored, key) in
            [(-4_503_599_627_370_497, 0xc330_0000_0000_0001), (-1, 0xbff0_0000_0000_0000)]
        {
            let found = key_of(ValueRef::Integer(stored), Dialect::Double);
            assert_eq!(found, StoredKey::Punned(key));
        }
        let other = key_of(ValueRef::Integer(-6_779_375_433_368_598_546), Dialect::Double);
        assert_eq!(other, StoredKey::Integer(0xa1ea_d1f6_470e_07ee));
        let double = key_of(ValueRef::Real(-2.684_809_862_467_861e-145), Dialect::Double);
        assert_eq!(double, StoredKey::Sound(0xa1ea_d1f6_470e_07ee));
    }

    proptest! {
        #[test]
        fn keys_come_back(key: u64) {
            for dialect in [Dialect::Int64, Dialect::Double] {
                let Some(stored) = encode_key(key, dialect) else {
                    prop_assert!(f64::from_bits(key).is_nan());
                    continue;
                };
                let found = key_of(ValueRef::from(&stored), dialect);
                prop_assert_eq!(found, StoredKey::Sound(key));
            }
        }
    }
}
