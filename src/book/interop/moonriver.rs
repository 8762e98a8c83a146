//! `.xob`: the books of the "`MoonRiver` Xiangqi Opening Book".
//!
//! A header of 128 bytes, little-endian: 13579 (2 bytes), properties (2), 4 reserved, the numbers of Black's
//! and of Red's records (8 each), 8 reserved, 96 of text. Then Black's records and Red's, each in the order
//! of keys: the key of the position after the move (8 bytes) and the number of games in which it was reached
//! (2). Keys are of pieces and squares ([`crate::hash::foreign::MOONRIVER`]), not of the side to move.

use std::path::Path;

use crate::book::interop::error::InteropError;
use crate::book::interop::flat;
use crate::book::interop::flat::field;
use crate::book::interop::words::{Words, fen_index, words_of};
use crate::game::Side;
use crate::hash::foreign::MOONRIVER;
use crate::xiangqi::Role;

/// Bytes of a record.
pub(crate) const RECORD: usize = 10;

/// Bytes of the header.
pub(crate) const HEADER: usize = 128;

const SIGNATURE: u16 = 13579;

/// Keeps Black's records, after which Red is to move, apart from Red's.
pub(crate) const SIDE: [u64; 2] = [0x9e37_79b9_7f4a_7c15, 0];

/// The order of the roles in the constants.
const ROLES: [Role; 7] =
    [Role::King, Role::Advisor, Role::Elephant, Role::Rook, Role::Cannon, Role::Horse, Role::Pawn];

pub(crate) fn words() -> Box<Words> {
    words_of(|piece, square| {
        let role = ROLES.iter().position(|&role| role == piece.role()).unwrap_or(0);
        let side = 1 - piece.side().index();
        MOONRIVER[side * 630 + role * 90 + fen_index(square)]
    })
}

/// The contents of the header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Header {
    /// Black's records and Red's.
    pub(crate) counts: [u64; 2],
}

impl Header {
    /// `None` if this is no such header.
    pub(crate) fn take(bytes: &[u8]) -> Option<Self> {
        if bytes.len() < HEADER || u16::from_le_bytes(field(bytes, 0)) != SIGNATURE {
            return None;
        }
        Some(Self { counts: [count_at(bytes, 8)?, count_at(bytes, 16)?] })
    }

    pub(crate) fn put(self, text: &str, out: &mut Vec<u8>) {
        let start = out.len();
        out.extend_from_slice(&SIGNATURE.to_le_bytes());
        out.extend_from_slice(&[0; 6]);
        for count in self.counts {
            out.extend_from_slice(&count.to_le_bytes());
        }
        out.extend_from_slice(&[0; 8]);
        out.extend_from_slice(text.as_bytes());
        out.resize(start + HEADER, 0);
    }

    /// Bytes of a file with this header; `None` if there is none so long.
    pub(crate) fn file_len(self) -> Option<u64> {
        let records = self.counts[0].checked_add(self.counts[1])?;
        records.checked_mul(RECORD as u64)?.checked_add(HEADER as u64)
    }
}

/// A number of records in the header; `None` if it is below 0.
fn count_at(bytes: &[u8], at: usize) -> Option<u64> {
    u64::try_from(i64::from_le_bytes(field(bytes, at))).ok()
}

/// A record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Record {
    pub(crate) key: u64,
    pub(crate) count: u16,
}

impl Record {
    pub(crate) fn take(bytes: &[u8; RECORD]) -> Self {
        Self {
            key: u64::from_le_bytes(field(bytes, 0)),
            count: u16::from_le_bytes(field(bytes, 8)),
        }
    }

    pub(crate) fn put(self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.key.to_le_bytes());
        out.extend_from_slice(&self.count.to_le_bytes());
    }
}

/// Reads all whole records, Black's first, with the side that moved.
pub(crate) fn for_each(
    path: &Path,
    header: Header,
    visit: &mut dyn FnMut(u64, Side, Record) -> Result<(), InteropError>,
) -> Result<(), InteropError> {
    let [black, red] = header.counts;
    flat::for_each(path, HEADER as u64, black.saturating_add(red), &mut |number, bytes| {
        let side = if number < black { Side::Second } else { Side::First };
        visit(number, side, Record::take(bytes))
    })
}

/// The key's word for the side whose record it is.
pub(crate) const fn side_word(mover: Side) -> u64 {
    match mover {
        Side::First => SIDE[1],
        Side::Second => SIDE[0],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_round_trip() {
        let header = Header { counts: [11_639, 16_301] };
        let mut bytes = Vec::new();
        header.put("a book", &mut bytes);
        assert_eq!(bytes.len(), HEADER);
        assert_eq!(Header::take(&bytes), Some(header));
        assert_eq!(header.file_len(), Some(279_528));
        assert_eq!(Header::take(&bytes[..127]), None);
        let giant = Header { counts: [u64::MAX >> 1, 1] };
        assert_eq!(giant.file_len(), None);
        bytes[15] = 0xff;
        assert_eq!(Header::take(&bytes), None, "a negative number of records");
    }
}
