//! Constants of other programs' position hashes, for reading and writing their books. They lie in
//! `books/keys/` in the form of the program's own key tables, with zeros in place of a seed.

use super::{assert_len, word};

/// The `.obk` and `.pfBook` books: pieces K A B N R C P of Red, then of Black, each with its 90
/// squares in the order of FENs (a9 first), then one word for Red to move.
pub static OBK: [u64; 14 * 90 + 1] = decode(include_bytes!("../../books/keys/obk.keys"));

/// The `.xob` books of the "MoonRiver Xiangqi Opening Book" by Nguyen Hong Pham (2018, MIT licence):
/// pieces K A B R C N P of Black, then of Red, squares in the order of FENs. Nothing for the side to
/// move.
pub static MOONRIVER: [u64; 14 * 90] = decode(include_bytes!("../../books/keys/moonriver.keys"));

/// The array `Random64` of the PolyGlot books, which `XBoard` also uses for other games.
pub static POLYGLOT: [u64; 781] = decode(include_bytes!("../../books/keys/polyglot.keys"));

const fn decode<const LEN: usize>(file: &[u8]) -> [u64; LEN] {
    assert_len(file, LEN);
    let mut words = [0; LEN];
    // A `const fn` has no iterators, hence the loops by index here and in the other tables.
    let mut i = 0;
    while i < LEN {
        words[i] = word(file, i);
        i += 1;
    }
    words
}

#[cfg(test)]
mod tests {
    use crate::hash::KeyTable;

    fn check(file: &[u8], game: &str, file_crc: u32, words: &[u64]) {
        let table = KeyTable::from_bytes(file).unwrap();
        assert_eq!(table.game(), game);
        assert_eq!(table.words(), words);
        assert_eq!(crc32fast::hash(file), file_crc);
    }

    #[test]
    fn stored_constants_are_unchanged() {
        let obk = include_bytes!("../../books/keys/obk.keys");
        check(obk, "obk", 0x5aa5_1dde, &super::OBK);
        let moonriver = include_bytes!("../../books/keys/moonriver.keys");
        check(moonriver, "moonriver", 0xdb0a_6a1b, &super::MOONRIVER);
        let polyglot = include_bytes!("../../books/keys/polyglot.keys");
        check(polyglot, "polyglot", 0x901e_d65e, &super::POLYGLOT);
    }
}
