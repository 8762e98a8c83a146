//! The records of a damaged book: whatever lies in its pages, whether or not anything leads there.
//!
//! SQLite finds a page by those that refer to it, so a file that is cut off or that has one bad page hides much
//! that is still there. All tables of a book but two are trees of index pages, whose cells are records; here
//! each page is read for itself.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};

use rusqlite::types::Value;

use crate::book::file::pages::{Cell, PAGE_HEADER, PageKind, number, short, varint};
use crate::bytes::StopFlag;

/// Columns of a record, at most: more than any table has.
const MAX_COLUMNS: usize = 16;

/// Pages between two looks at the stop flag.
const PAGES_PER_STOP_CHECK: u64 = 1 << 10;

/// The deepest tree that SQLite reads.
const MAX_DEPTH: usize = 20;

/// References from page to page, by the inner pages that can be read.
#[derive(Debug, Default)]
pub(crate) struct Parents(HashMap<u32, u32>);

impl Parents {
    /// The first page of the table that a page belongs to, as far as other pages lead there.
    pub(crate) fn root(&self, page: u32) -> u32 {
        let parents = std::iter::successors(Some(page), |page| self.0.get(page).copied());
        // With an end, because pages of a damaged file may name each other as parents.
        parents.take(MAX_DEPTH).last().unwrap_or(page)
    }

    /// Notes the children of an inner page.
    fn add(&mut self, parent: u32, page: &[u8], cells: usize) {
        let pointers = page.get(PAGE_HEADER + 4..).unwrap_or_default().chunks_exact(2).take(cells);
        let children = pointers.filter_map(|pointer| page.get(usize::from(short(pointer))..));
        for child in children.chain(page.get(PAGE_HEADER..)).filter_map(|bytes| bytes.get(..4)) {
            self.0.insert(number(child), parent);
        }
    }
}

/// Calls `visit` with every record in the index pages of a file, and its page. Cells that are none are passed
/// over. The error is of [`io::ErrorKind::Interrupted`] once `stop` is set.
pub(crate) fn for_each_record(
    file: &mut File,
    page_size: u64,
    stop: &StopFlag,
    visit: &mut dyn FnMut(u32, Vec<Value>) -> io::Result<()>,
) -> io::Result<Parents> {
    let len = file.metadata()?.len();
    let mut pages = Pages { file, size: page_size as usize, pages: len / page_size, left: 2 * len };
    let mut page = vec![0; pages.size];
    let mut parents = Parents::default();
    // The first page holds the schema.
    for at in 1..pages.pages {
        if at % PAGES_PER_STOP_CHECK == 0 && stop.is_set() {
            return Err(io::ErrorKind::Interrupted.into());
        }
        pages.read(at + 1, &mut page)?;
        let Some(kind) = PageKind::of(page[0]) else { continue };
        let start = match kind {
            PageKind::IndexLeaf => PAGE_HEADER,
            PageKind::IndexInner => PAGE_HEADER + 4,
            PageKind::TableLeaf | PageKind::TableInner => continue,
        };
        let cells = usize::from(short(&page[3..]));
        // Numbers of pages have 32 bits.
        let Ok(number) = u32::try_from(at + 1) else { break };
        if kind.is_inner() {
            parents.add(number, &page, cells);
        }
        for pointer in page[start..].chunks_exact(2).take(cells) {
            let Some(bytes) = page.get(usize::from(short(pointer))..) else { continue };
            if let Some(record) = pages.record(kind, bytes)? {
                visit(number, record)?;
            }
        }
    }
    Ok(parents)
}

struct Pages<'a> {
    file: &'a mut File,
    size: usize,
    /// Whole pages of the file.
    pages: u64,
    /// Bytes of long values that are still read: in a forged file many records can share them.
    left: u64,
}

impl Pages<'_> {
    /// Reads the beginning of a page, which the file has.
    fn read(&mut self, number: u64, into: &mut [u8]) -> io::Result<()> {
        self.file.seek(SeekFrom::Start((number - 1) * self.size as u64))?;
        self.file.read_exact(into)
    }

    /// The record of a cell; `None` if it is none, or if a part of it is lost.
    fn record(&mut self, kind: PageKind, bytes: &[u8]) -> io::Result<Option<Vec<Value>>> {
        let Some(cell) = Cell::read(kind, bytes, self.size) else { return Ok(None) };
        let child = if kind.is_inner() { 4 } else { 0 };
        let Some((_, head)) = varint(&bytes[child..]) else { return Ok(None) };
        let end = cell.len - if cell.chain.is_some() { 4 } else { 0 };
        let Some(local) = bytes.get(child + head..end) else { return Ok(None) };
        let Some((first, rest)) = cell.chain else { return Ok(values(local)) };
        let mut payload = local.to_vec();
        Ok(match self.chain(first, rest, &mut payload)? {
            true => values(&payload),
            false => None,
        })
    }

    /// Reads the rest of a long value; `false` if some of its pages are not there.
    fn chain(&mut self, first: u32, mut rest: u64, payload: &mut Vec<u8>) -> io::Result<bool> {
        let mut next = u64::from(first);
        let mut page = vec![0; self.size];
        while rest > 0 {
            let part = rest.min(self.size as u64 - 4);
            if next < 2 || next > self.pages || part > self.left {
                return Ok(false);
            }
            self.left -= part;
            self.read(next, &mut page)?;
            next = number(&page[..4]).into();
            payload.extend_from_slice(&page[4..4 + part as usize]);
            rest -= part;
        }
        Ok(true)
    }
}

/// The values of a record; `None` if the bytes are none.
fn values(payload: &[u8]) -> Option<Vec<Value>> {
    let (head, read) = varint(payload)?;
    let head = usize::try_from(head).ok()?;
    let mut types = payload.get(read..head)?;
    let mut body = payload.get(head..)?;
    let mut values = Vec::new();
    while !types.is_empty() {
        let (serial, read) = varint(types)?;
        types = &types[read..];
        if values.len() == MAX_COLUMNS {
            return None;
        }
        values.push(value(serial, &mut body)?);
    }
    (!values.is_empty() && body.is_empty()).then_some(values)
}

/// The value of a serial type, taken from the front of `body`.
fn value(serial: u64, body: &mut &[u8]) -> Option<Value> {
    let len = match serial {
        0 | 8 | 9 => 0,
        1..=4 => serial as usize,
        5 => 6,
        6 | 7 => 8,
        10 | 11 => return None,
        _ => usize::try_from((serial - 12) / 2).ok()?,
    };
    let (bytes, rest) = body.split_at_checked(len)?;
    *body = rest;
    Some(match serial {
        0 => Value::Null,
        1..=6 => Value::Integer(integer(bytes)),
        7 => Value::Real(f64::from_bits(integer(bytes).cast_unsigned())),
        8 => Value::Integer(0),
        9 => Value::Integer(1),
        _ if serial.is_multiple_of(2) => Value::Blob(bytes.to_vec()),
        _ => Value::Text(String::from_utf8(bytes.to_vec()).ok()?),
    })
}

/// An integer in two's complement, the highest byte first.
fn integer(bytes: &[u8]) -> i64 {
    // Integers of one to eight bytes in two's complement: all ones to begin with extend the sign.
    let sign = if bytes.first().is_some_and(|&byte| byte >= 0x80) { -1 } else { 0 };
    bytes.iter().fold(sign, |number: i64, &byte| number << 8 | i64::from(byte))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::book::builder::options::BuildOptions;
    use crate::book::tests::{build_with, random_games};

    #[test]
    fn every_row_of_a_sound_book_is_found() {
        let folder = tempfile::tempdir().unwrap();
        let (book, _) =
            build_with(folder.path(), &random_games(300), BuildOptions::default()).unwrap();
        let mut expected = Vec::new();
        book.query(|c| {
            let mut rows = c.prepare("SELECT key, move, stats FROM moves ORDER BY key, move")?;
            let rows = rows.query_map([], |row| Ok(vec![row.get(0)?, row.get(1)?, row.get(2)?]))?;
            expected = rows.collect::<rusqlite::Result<Vec<Vec<Value>>>>()?;
            Ok(())
        })
        .unwrap();
        assert!(expected.len() > 4000, "several levels of pages");
        let mut found = Vec::new();
        let mut file = File::open(book.path()).unwrap();
        for_each_record(&mut file, 8192, &StopFlag::default(), &mut |_, record| {
            if let [Value::Integer(_), Value::Integer(_), Value::Blob(_)] = record[..] {
                found.push(record);
            }
            Ok(())
        })
        .unwrap();
        found.sort_by_key(|row| match row[..2] {
            [Value::Integer(key), Value::Integer(mv)] => (key, mv),
            _ => unreachable!(),
        });
        assert!(found == expected);
    }

    #[test]
    fn integers_have_signs() {
        assert_eq!(values(&[3, 1, 9, 0xfe]), Some(vec![Value::Integer(-2), Value::Integer(1)]));
        assert_eq!(values(&[2, 2, 0x7f, 0xff]), Some(vec![Value::Integer(0x7fff)]));
        assert_eq!(values(&[2, 15, 0x41]), Some(vec![Value::Text("A".to_owned())]));
        for bad in [&[][..], &[0], &[9, 1], &[2, 10], &[2, 1], &[2, 1, 5, 5]] {
            assert_eq!(values(bad), None, "{bad:?}");
        }
    }
}
