//! The pages of a book's file: each belongs to one place of one table.
//!
//! SQLite reads a page wherever another one refers to it. In a forged file a few pages can stand for any
//! number of rows, which a reader with a limit of steps notices, but which a copy would write out. A file
//! whose pages and cells are each used once holds no more than its length.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};

use crate::book::file::digest::Header;
use crate::bytes::StopFlag;
use crate::message::{Message, message};

/// The deepest tree that SQLite reads.
const MAX_DEPTH: u8 = 20;

/// Pages between two looks at the stop flag.
const PAGES_PER_STOP_CHECK: u64 = 1 << 10;

/// Bytes of the header of a page, without the last child of an inner one.
pub(crate) const PAGE_HEADER: usize = 8;

/// Checks the trees of pages below `roots` and page 1, in time that is linear in the length of the file. The
/// error is of [`io::ErrorKind::InvalidData`] if a page is used twice, or if its cells are longer than it
/// is, and of [`io::ErrorKind::Interrupted`] once `stop` is set.
pub(crate) fn check(file: &mut File, roots: &[u32], stop: &StopFlag) -> io::Result<()> {
    let mut bytes = [0; Header::LEN];
    file.rewind()?;
    file.read_exact(&mut bytes)?;
    let header = Header::parse(&bytes).ok_or_else(|| fault("its header is not SQLite's"))?;
    // Bytes of each page that SQLite leaves alone; unused pages; the first page of maps of pages.
    if bytes[20] != 0 || [32_usize, 36, 52].iter().any(|&at| number(&bytes[at..at + 4]) != 0) {
        return Err(fault("its pages are not laid out as this program does"));
    }
    // By the length of the file: what the header states may be forged.
    let pages = file.metadata()?.len() / header.page_size;
    let used = vec![0; usize::try_from(pages / 64 + 1).map_err(io::Error::other)?];
    let page = vec![0; header.page_size as usize];
    let mut walk = Walk { file, pages, used, page, open: Vec::new(), seen: 0, stop };
    for root in std::iter::once(1).chain(roots.iter().copied()) {
        walk.enter(root, 0)?;
        while let Some((number, depth)) = walk.open.pop() {
            walk.tree_page(number, depth)?;
        }
    }
    Ok(())
}

struct Walk<'a> {
    file: &'a mut File,
    pages: u64,
    /// A bit for each page: true if something refers to it.
    used: Vec<u64>,
    /// The content of the page at hand.
    page: Vec<u8>,
    /// Pages of the tree that are still to be read, and their depths.
    open: Vec<(u32, u8)>,
    /// Pages read so far.
    seen: u64,
    stop: &'a StopFlag,
}

impl Walk<'_> {
    /// Notes that something refers to a page.
    fn mark(&mut self, number: u32) -> io::Result<()> {
        if number == 0 || u64::from(number) > self.pages {
            return Err(fault(message!("it refers to page {number}, which it does not have")));
        }
        let word = number as usize / 64;
        let bit = 1 << (number % 64);
        if self.used[word] & bit != 0 {
            return Err(fault(message!("page {number} is used twice")));
        }
        self.used[word] |= bit;
        Ok(())
    }

    fn enter(&mut self, number: u32, depth: u8) -> io::Result<()> {
        if depth >= MAX_DEPTH {
            return Err(fault("its pages are nested too deeply"));
        }
        self.mark(number)?;
        self.open.push((number, depth));
        Ok(())
    }

    /// Reads the beginning of a page, `bytes` of it, into [`Self::page`].
    fn read(&mut self, number: u32, bytes: usize) -> io::Result<()> {
        self.seen += 1;
        if self.seen.is_multiple_of(PAGES_PER_STOP_CHECK) && self.stop.is_set() {
            return Err(io::ErrorKind::Interrupted.into());
        }
        let at = (u64::from(number) - 1) * self.page.len() as u64;
        self.file.seek(SeekFrom::Start(at))?;
        self.file.read_exact(&mut self.page[..bytes])
    }

    /// Reads a page of a tree, enters its children and follows the chains of its cells.
    fn tree_page(&mut self, number: u32, depth: u8) -> io::Result<()> {
        let size = self.page.len();
        self.read(number, size)?;
        let start = if number == 1 { Header::LEN } else { 0 };
        let kind = PageKind::of(self.page[start]).ok_or_else(|| odd(number))?;
        let cells = usize::from(short(&self.page[start + 3..]));
        let mut pointers = start + PAGE_HEADER;
        let mut children = Vec::new();
        if kind.is_inner() {
            children.push(self::number(&self.page[pointers..pointers + 4]));
            pointers += 4;
        }
        // With room for all pointers to cells none of them is read beyond the page.
        let mut left = size.checked_sub(pointers + 2 * cells).ok_or_else(|| odd(number))?;
        let mut chains = Vec::new();
        for pointer in 0..cells {
            let at = usize::from(short(&self.page[pointers + 2 * pointer..]));
            let bytes = self.page.get(at..).ok_or_else(|| odd(number))?;
            let cell = Cell::read(kind, bytes, size).ok_or_else(|| odd(number))?;
            // Cells that overlap are together longer than the page, if there are many of them.
            left = left.checked_sub(cell.len).ok_or_else(|| odd(number))?;
            children.extend(cell.child);
            chains.extend(cell.chain);
        }
        // Only now: following a chain reuses the buffer of the page.
        for child in children {
            self.enter(child, depth + 1)?;
        }
        chains.into_iter().try_for_each(|(first, rest)| self.chain(first, rest))
    }

    /// Follows the pages of a long value, of which they hold `rest` bytes.
    fn chain(&mut self, first: u32, rest: u64) -> io::Result<()> {
        let page_payload = self.page.len() as u64 - 4;
        let mut next = first;
        for _ in 0..rest.div_ceil(page_payload) {
            self.mark(next)?;
            self.read(next, 4)?;
            next = number(&self.page[..4]);
        }
        Ok(())
    }
}

/// The kinds of pages of a tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PageKind {
    IndexInner,
    TableInner,
    IndexLeaf,
    TableLeaf,
}

impl PageKind {
    pub(crate) const fn of(byte: u8) -> Option<Self> {
        Some(match byte {
            2 => Self::IndexInner,
            5 => Self::TableInner,
            10 => Self::IndexLeaf,
            13 => Self::TableLeaf,
            _ => return None,
        })
    }

    pub(crate) const fn is_inner(self) -> bool {
        matches!(self, Self::IndexInner | Self::TableInner)
    }
}

/// A cell of a page.
pub(crate) struct Cell {
    /// Its bytes in the page.
    pub(crate) len: usize,
    child: Option<u32>,
    /// The first page of the rest of its value, and the bytes of that.
    pub(crate) chain: Option<(u32, u64)>,
}

impl Cell {
    /// Reads the cell at the beginning of `bytes`, which end with the page; `None` if it is longer.
    pub(crate) fn read(kind: PageKind, bytes: &[u8], size: usize) -> Option<Self> {
        let mut len = 0;
        let child = if kind.is_inner() {
            len = 4;
            Some(number(bytes.get(..4)?))
        } else {
            None
        };
        let (value, more) = varint(bytes.get(len..)?)?;
        len += more;
        if kind == PageKind::TableInner {
            return Some(Self { len, child, chain: None });
        }
        if kind == PageKind::TableLeaf {
            len += varint(bytes.get(len..)?)?.1;
        }
        let local = local_bytes(kind, value, size as u64);
        len += usize::try_from(local).ok()?;
        let mut chain = None;
        if local < value {
            chain = Some((number(bytes.get(len..len + 4)?), value - local));
            len += 4;
        }
        (len <= bytes.len()).then_some(Self { len, child, chain })
    }
}

/// The bytes of a value of that length that lie in the cell itself.
const fn local_bytes(kind: PageKind, value: u64, size: u64) -> u64 {
    let most = match kind {
        PageKind::TableLeaf => size - 35,
        _ => (size - 12) * 64 / 255 - 23,
    };
    if value <= most {
        return value;
    }
    let least = (size - 12) * 32 / 255 - 23;
    // SQLite fills the pages of the chain wholly and keeps what remains in the cell, if it fits; the
    // figures are those of its file format.
    let even = least + (value - least) % (size - 4);
    if even <= most { even } else { least }
}

/// A number as SQLite writes it, and its length.
pub(crate) fn varint(bytes: &[u8]) -> Option<(u64, usize)> {
    let mut value = 0u64;
    for (i, &byte) in bytes.iter().enumerate().take(9) {
        // The ninth byte counts with all its eight bits.
        if i == 8 {
            return Some((value << 8 | u64::from(byte), 9));
        }
        value = value << 7 | u64::from(byte & 0x7f);
        if byte < 0x80 {
            return Some((value, i + 1));
        }
    }
    None
}

pub(crate) fn number(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0, |number, &byte| number << 8 | u32::from(byte))
}

pub(crate) fn short(bytes: &[u8]) -> u16 {
    u16::from_be_bytes([bytes[0], bytes[1]])
}

fn odd(number: u32) -> io::Error {
    fault(message!("page {number} is no sound page of a table"))
}

fn fault(what: impl Into<Message>) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::book::builder::options::BuildOptions;
    use crate::book::tests::build_some;
    use proptest::prelude::*;
    use std::io::Write;

    fn checked(bytes: &[u8], roots: &[u32]) -> io::Result<()> {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(bytes).unwrap();
        check(&mut file, roots, &StopFlag::default())
    }

    #[test]
    fn a_table_that_is_named_twice_is_refused() {
        let (_folder, book) = build_some(BuildOptions::default());
        let bytes = std::fs::read(book.path()).unwrap();
        checked(&bytes, &[2, 3]).unwrap();
        let error = checked(&bytes, &[2, 3, 2]).unwrap_err();
        assert!(error.to_string().contains("page 2 is used twice"), "{error}");
        assert!(checked(&bytes, &[u32::MAX]).is_err());
        let stop = StopFlag::default();
        stop.set();
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(&bytes).unwrap();
        check(&mut file, &[2, 3], &stop).unwrap(); // too few pages to look at the flag
    }

    #[test]
    fn numbers_are_read_as_sqlite_writes_them() {
        assert_eq!(varint(&[0x7f]), Some((127, 1)));
        assert_eq!(varint(&[0x81, 0x00, 9]), Some((128, 2)));
        assert_eq!(varint(&[0xff; 9]), Some((u64::MAX, 9)));
        assert_eq!(varint(&[0x81]), None);
        for (kind, value, local) in [
            (PageKind::TableLeaf, 4061, 4061),
            (PageKind::TableLeaf, 4062, 489),
            (PageKind::TableLeaf, 489 + 4092 + 7, 496),
            (PageKind::IndexLeaf, 1002, 1002),
            (PageKind::IndexLeaf, 1003, 489),
        ] {
            assert_eq!(local_bytes(kind, value, 4096), local, "{kind:?} {value}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn changed_files_are_read_to_an_end(
            changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..40),
        ) {
            let (_folder, book) = build_some(BuildOptions::default());
            let mut bytes = std::fs::read(book.path()).unwrap();
            for (at, byte) in changes {
                // Mostly where pages begin.
                let at = at.index(bytes.len());
                let at = if byte % 4 == 0 { at } else { at / 8192 * 8192 + at % 64 };
                bytes[at] = byte;
            }
            drop(checked(&bytes, &[2, 3, 4, 5, 6, 7, 8, 9]));
        }
    }
}
