//! `BOOK.DAT`: the books of `ElephantEye` and `XQWizard`.
//!
//! Records of eight bytes, little-endian, in the order of their keys: the key (four bytes, the second of the
//! three numbers that identify a position in these programs), the move (`from | to << 8` in points of the [16
//! by 16 board](super::mailbox)) and its weight. Of a position and its mirror image the one with the smaller
//! keys is kept.
//!
//! The words are RC4's stream under a key of four zeros: three numbers of four bytes for Black to move, then
//! three for each piece (K A B N R C P of Red, then of Black) on each of 256 points.

use std::path::Path;
use std::sync::LazyLock;

use crate::book::interop::error::InteropError;
use crate::book::interop::flat::field;
use crate::book::interop::obk::role_number;
use crate::book::interop::words::{Words, words_of};
use crate::book::interop::{flat, mailbox};
use crate::xiangqi::Move;

/// Bytes of a record.
pub(crate) const RECORD: usize = 8;

/// Both halves of the key: the one in the file above, the one by which of two mirror images is chosen
/// below.
struct Locks {
    black_to_move: u64,
    words: Box<[[u64; 256]; 14]>,
}

static LOCKS: LazyLock<Locks> = LazyLock::new(|| {
    let mut stream = Rc4::new([0; 4]);
    let black_to_move = stream.locks();
    let mut words = Box::new([[0; 256]; 14]);
    for word in words.iter_mut().flatten() {
        *word = stream.locks();
    }
    Locks { black_to_move, words }
});

/// By side to move.
pub(crate) fn side() -> [u64; 2] {
    [0, LOCKS.black_to_move]
}

pub(crate) fn words() -> Box<Words> {
    words_of(|piece, square| {
        let number = piece.side().index() * 7 + role_number(piece.role());
        LOCKS.words[number][usize::from(mailbox::point(square))]
    })
}

/// The stream cipher RC4, here a source of fixed numbers.
struct Rc4 {
    state: [u8; 256],
    x: u8,
    y: u8,
}

impl Rc4 {
    fn new(key: [u8; 4]) -> Self {
        let mut state = [0; 256];
        for (i, byte) in state.iter_mut().enumerate() {
            *byte = i as u8;
        }
        let mut y = 0u8;
        for x in 0..256 {
            y = y.wrapping_add(state[x]).wrapping_add(key[x % 4]);
            state.swap(x, usize::from(y));
        }
        Self { state, x: 0, y: 0 }
    }

    fn byte(&mut self) -> u8 {
        self.x = self.x.wrapping_add(1);
        let x = usize::from(self.x);
        let a = self.state[usize::from(self.x)];
        self.y = self.y.wrapping_add(a);
        let b = self.state[usize::from(self.y)];
        self.state.swap(x, usize::from(self.y));
        self.state[usize::from(a.wrapping_add(b))]
    }

    fn number(&mut self) -> u32 {
        // Elements of an array are evaluated in order: the first byte of the stream is the lowest.
        u32::from_le_bytes([self.byte(), self.byte(), self.byte(), self.byte()])
    }

    /// The three numbers of one word: the first is for the program's own tables.
    fn locks(&mut self) -> u64 {
        let _key = self.number();
        let lock0 = self.number();
        let lock1 = self.number();
        u64::from(lock1) << 32 | u64::from(lock0)
    }
}

/// A record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Record {
    pub(crate) key: u32,
    pub(crate) mv: u16,
    pub(crate) weight: u16,
}

impl Record {
    pub(crate) fn take(bytes: [u8; RECORD]) -> Self {
        Self {
            key: u32::from_le_bytes(field(&bytes, 0)),
            mv: u16::from_le_bytes(field(&bytes, 4)),
            weight: u16::from_le_bytes(field(&bytes, 6)),
        }
    }

    pub(crate) fn put(self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.key.to_le_bytes());
        out.extend_from_slice(&self.mv.to_le_bytes());
        out.extend_from_slice(&self.weight.to_le_bytes());
    }
}

/// The move of a record.
pub(crate) fn decode_move(stored: u16) -> Option<Move> {
    mailbox::mv((stored & 0xff) as u8, (stored >> 8) as u8)
}

/// The inverse of [`decode_move`].
pub(crate) const fn encode_move(mv: Move) -> u16 {
    mailbox::point(mv.from()) as u16 | (mailbox::point(mv.to()) as u16) << 8
}

/// Reads all whole records.
pub(crate) fn for_each(
    path: &Path,
    visit: &mut dyn FnMut(u64, Record) -> Result<(), InteropError>,
) -> Result<(), InteropError> {
    flat::for_each(path, 0, u64::MAX, &mut |number, bytes| visit(number, Record::take(*bytes)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_are_those_of_real_books() {
        let mv = Move::parse("h2e2").unwrap();
        assert_eq!(encode_move(mv), 0xa7aa);
        assert_eq!(decode_move(0xa7aa), Some(mv));
        assert_eq!(decode_move(0), None);
    }

    #[test]
    fn records_round_trip() {
        let record = Record { key: 0x0526_56d5, mv: 0xa7aa, weight: 9 };
        let mut bytes = Vec::new();
        record.put(&mut bytes);
        assert_eq!(bytes, [0xd5, 0x56, 0x26, 0x05, 0xaa, 0xa7, 9, 0]);
        assert_eq!(Record::take(field(&bytes, 0)), record);
    }
}
