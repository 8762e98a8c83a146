//! An opened table: the header and the block tables are checked, the blocks are not yet.

use std::cell::RefCell;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU16, Ordering};

use rayon::prelude::*;

use crate::bytes::shelf::ShelfFile;
use crate::bytes::{sealed, varint};
use crate::game::Game;
use crate::message::{Message, message};
use crate::tablebase::format::compress::{BLOCK_LEN, unpack};
use crate::tablebase::format::error::TableError;
use crate::tablebase::format::file_name;
use crate::tablebase::format::header::{Header, Section, Stream};
use crate::tablebase::format::layout::{FoldedDigits, Layout, Maps, NO_SLOT, Rows, Strides};
use crate::tablebase::format::symbols::{LOOP_MARK, NO_MARK, Packing, wdl_of};
use crate::tablebase::index::numbering::Index;
use crate::tablebase::material::Material;
use crate::tablebase::value::{Metric, Rules, Wdl};
use crate::xiangqi::Position;

/// Returns true if a file is a table of a version that is no longer read.
pub(crate) fn is_unreadably_old(path: &Path) -> bool {
    let start = ShelfFile::open(path).and_then(|file| file.read(0, sealed::HEADER_LEN as u64));
    start.is_ok_and(|start| Header::is_unreadably_old(&start))
}

/// No frame is longer in a file: zstd lengthens what it cannot compress by less.
const LONGEST_FRAME: u32 = 2 * BLOCK_LEN as u32;

/// Bytes of a block's entry in the block table: at most a varint of [`LONGEST_FRAME`] and a
/// checksum, at least two for a block of equal bytes.
const LONGEST_ENTRY: u64 = 3 + 4;
const SHORTEST_ENTRY: u64 = 2;

/// A table's file, opened. Blocks are read at their places, not through a memory map: a file that is
/// truncated or overwritten while it is open is an error, never the end of the process.
#[derive(Debug)]
pub(crate) struct TableFile {
    path: PathBuf,
    file: ShelfFile,
    pub(crate) header: Header,
    material: Material,
    layout: Layout,
    streams: Vec<OpenStream>,
}

/// A stream, its block table read.
#[derive(Debug)]
struct OpenStream {
    packing: Packing,
    strides: Strides,
    blocks: Vec<BlockRef>,
}

/// An entry of the block table.
#[derive(Debug, Clone, Copy)]
struct BlockRef {
    /// Its first byte in the file; for a block of equal bytes, the byte.
    at: u64,
    /// Bytes in the file; 0 for a block of equal bytes.
    len: u32,
    /// CRC32 of these bytes.
    crc: u32,
}

/// The place of a value in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Spot {
    pub(crate) stream: usize,
    pub(crate) block: usize,
    place: usize,
}

impl Spot {
    /// A number that no other spot of the table has, below 2^38.
    #[inline]
    pub(crate) const fn number(self) -> u64 {
        (self.stream as u64) << 36 | (self.block as u64) << 18 | self.place as u64
    }
}

/// A block before it is decoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stored {
    /// All its bytes are this one.
    Constant(u8),
    /// It has to be decoded.
    Frame,
}

/// The memory of a thread that reads whole blocks.
struct Scratch {
    raw: Vec<u8>,
    slots: Vec<u32>,
}

impl TableFile {
    /// Opens the table of a material in a folder.
    pub(crate) fn open(
        dir: &Path,
        material: Material,
        rules: Rules,
        metric: Metric,
    ) -> Result<Self, TableError> {
        let path = dir.join(file_name(material, rules, metric));
        let unreadable = |source: io::Error| match source.kind() {
            io::ErrorKind::NotFound => {
                TableError::Missing { material, dir: dir.to_owned(), rules, metric }
            }
            _ => TableError::Read { path: path.clone(), source },
        };
        let file = ShelfFile::open(&path).map_err(unreadable)?;
        let start = read_start(&file).map_err(unreadable)?;
        let (header, start) = Header::read(&start)
            .map_err(|fault| TableError::Header { path: path.clone(), fault })?;
        let layout = header.check(material, rules, metric).map_err(|what| wrong(&path, what))?;
        check_lengths(&header, &layout).map_err(|what| wrong(&path, what))?;
        // All lengths are checked against the file before anything is allocated by them.
        let blocks_end =
            blocks_end(file.bytes(), start, &header).map_err(|what| wrong(&path, what))?;
        let tables = file.read(blocks_end, file.bytes() - blocks_end).map_err(unreadable)?;
        let streams =
            open_streams(&tables, start, &header, &layout).map_err(|what| wrong(&path, what))?;
        Ok(Self { path, file, header, material, layout, streams })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) const fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Sides to move that have values of their own: 1 or 2.
    #[inline]
    pub(crate) fn sides(&self) -> usize {
        self.header.sides()
    }

    /// Size in bytes.
    pub(crate) fn bytes(&self) -> u64 {
        self.file.bytes()
    }

    /// Bytes of a section, its block tables included.
    pub(crate) fn section_bytes(&self, section: Section) -> u64 {
        let streams = self.header.streams.iter().skip(section as usize).step_by(2);
        streams.map(|stream| stream.bytes + stream.table_bytes).sum()
    }

    /// The place of a position's value; `side` to move is one of the material's.
    #[inline]
    pub(crate) fn spot(&self, section: Section, side: usize, place: &FoldedDigits) -> Spot {
        let number = section.stream(side);
        let stream = &self.streams[number];
        let slot = place.slot(&stream.strides);
        let per_block = stream.packing.block_slots();
        let block = (slot / per_block) as usize;
        let place = (slot % per_block) as usize;
        Spot { stream: number, block, place }
    }

    /// The block table's entry for a block.
    #[inline]
    pub(crate) fn stored(&self, spot: Spot) -> Stored {
        match self.streams[spot.stream].blocks[spot.block] {
            // A block of equal bytes takes no space: its entry has the byte where others have their offset.
            BlockRef { len: 0, at, .. } => Stored::Constant(at as u8),
            _ => Stored::Frame,
        }
    }

    /// Symbols of a block.
    fn symbols_in(&self, stream: usize, block: usize) -> usize {
        let per_block = self.streams[stream].packing.block_slots();
        let slots = self.layout.slots().unwrap_or(0);
        per_block.min(slots - block as u64 * per_block) as usize
    }

    /// Decodes a block into `raw`, replacing its contents.
    pub(crate) fn decode(
        &self,
        stream: usize,
        block: usize,
        raw: &mut Vec<u8>,
    ) -> Result<(), TableError> {
        let open = &self.streams[stream];
        let len = open.packing.raw_len(self.symbols_in(stream, block));
        let entry = open.blocks[block];
        if entry.len == 0 {
            raw.clear();
            raw.resize(len, entry.at as u8);
            return Ok(());
        }
        thread_local! {
            // For each thread, so that a probe allocates nothing once the buffer has grown.
            static PACKED: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
        }
        PACKED.with_borrow_mut(|packed| {
            self.read_frame(stream, block, packed)?;
            unpack(packed, len, raw).ok_or_else(|| self.damaged_block(stream, block))
        })
    }

    /// Reads a block as it is in the file, which must have its checksum.
    fn read_frame(
        &self,
        stream: usize,
        block: usize,
        packed: &mut Vec<u8>,
    ) -> Result<(), TableError> {
        let BlockRef { at, len, crc } = self.streams[stream].blocks[block];
        packed.resize(len as usize, 0);
        self.file.read_at(at, packed).map_err(|source| match source.kind() {
            io::ErrorKind::UnexpectedEof => self.damaged_block(stream, block),
            _ => TableError::Read { path: self.path.clone(), source },
        })?;
        // A fuzzer does not find checksums.
        let is_whole = cfg!(fuzzing) || crc32fast::hash(packed) == crc;
        if is_whole { Ok(()) } else { Err(self.damaged_block(stream, block)) }
    }

    /// The symbol at a spot of a decoded block.
    #[inline]
    pub(crate) fn symbol(&self, raw: &[u8], spot: Spot) -> u16 {
        self.streams[spot.stream].packing.symbol(raw, spot.place)
    }

    /// The symbol at a spot of a block of equal bytes.
    #[inline]
    pub(crate) fn constant_symbol(&self, byte: u8, spot: Spot) -> u16 {
        let packing = self.streams[spot.stream].packing;
        match packing {
            // Low and high bytes lie apart in such a block, but all of them are equal.
            Packing::Wide => u16::from_le_bytes([byte, byte]),
            // Every byte is the same, so that only the place within a byte matters.
            _ => packing.symbol(&[byte], spot.place % packing.per_byte()),
        }
    }

    /// Returns true if the results of positions with this side in check to move are not in the file
    /// (section [`Wdl`](Section::Wdl)), or distances with this side to move: they follow from the
    /// values after each move.
    #[inline]
    pub(crate) fn is_rebuilt(&self, section: Section, side: usize) -> bool {
        self.header.is_rebuilt(section.stream(side))
    }

    /// Returns true if any values are rebuilt.
    pub(crate) fn rebuilds_anything(&self) -> bool {
        self.header.rebuilt != 0
    }

    /// The sides to move whose values must be read to know those of these sides: both where some are
    /// rebuilt.
    pub(crate) fn sides_to_read(&self, sides: [bool; 2]) -> [bool; 2] {
        let needs_both = (0..2)
            .any(|side| sides[side] && Section::ALL.into_iter().any(|s| self.is_rebuilt(s, side)));
        if needs_both { [true; 2] } else { sides }
    }

    /// Returns true if a symbol marks a win by rule at distance 1, where distances are rebuilt.
    pub(crate) fn is_in_loop(&self, symbol: u16, spot: Spot) -> Result<bool, TableError> {
        match symbol {
            NO_MARK => Ok(false),
            LOOP_MARK => Ok(true),
            _ => Err(self.damaged(spot)),
        }
    }

    /// The result that a symbol of the WDL section stands for.
    #[inline]
    pub(crate) fn wdl(&self, symbol: u16, spot: Spot) -> Result<Wdl, TableError> {
        wdl_of(symbol).ok_or_else(|| self.damaged(spot))
    }

    /// The order and distance that a symbol of the distance section stands for.
    pub(crate) fn rank(&self, symbol: u16, spot: Spot, wdl: Wdl) -> Result<(u16, u16), TableError> {
        let list = if wdl == Wdl::Win { &self.header.wins } else { &self.header.losses };
        let rank = list.get(usize::from(symbol)).copied();
        rank.ok_or_else(|| self.damaged(spot))
    }

    /// The error for a block with a symbol that cannot be.
    pub(crate) fn damaged(&self, spot: Spot) -> TableError {
        self.damaged_block(spot.stream, spot.block)
    }

    fn damaged_block(&self, stream: usize, block: usize) -> TableError {
        let entry = self.streams[stream].blocks[block];
        TableError::Block {
            path: self.path.clone(),
            section: match Section::of_stream(stream) {
                Section::Wdl => "WDL",
                Section::Distance => "distance",
            },
            block,
            offset: if entry.len == 0 { 0 } else { entry.at },
        }
    }

    /// Checks every block's checksum without decoding it.
    pub(crate) fn check_sums(&self) -> Result<(), TableError> {
        for (number, stream) in self.streams.iter().enumerate() {
            let blocks = stream.blocks.par_iter().enumerate();
            blocks.filter(|(_, entry)| entry.len > 0).try_for_each_init(
                || Vec::with_capacity(BLOCK_LEN),
                |packed, (block, _)| self.read_frame(number, block, packed),
            )?;
        }
        Ok(())
    }

    /// Checks that the table was built from the smaller tables with these content hashes, as far as
    /// they are given.
    pub(crate) fn check_dependencies(
        &self,
        content: impl Fn(Material) -> Option<[u8; 32]>,
    ) -> Result<(), TableError> {
        for left in self.material.captures() {
            let Some(content) = content(left) else { continue };
            if !self.header.dependencies.contains(&(left.to_string(), content)) {
                let what = message!("it was built from another {left} than the one beside it");
                return Err(TableError::Contents { path: self.path.clone(), what });
            }
        }
        Ok(())
    }

    /// The words that the file stores for a side's slots of the generator: the result in the two
    /// low bits (0 loss, 1 draw, 2 win), the number of the distance section above. Captures may
    /// make it better.
    pub(crate) fn stored_words(&self, index: &Index, side: usize) -> Result<Vec<u16>, TableError> {
        let maps = Maps::new(&self.layout, index);
        let words: Vec<AtomicU16> = (0..index.slots).map(|_| AtomicU16::new(0)).collect();
        for section in Section::ALL {
            let number = section.stream(side);
            let order = &self.header.streams[number].order;
            let rows = Rows::new(&self.layout, index, &maps, order);
            let blocks = 0..self.streams[number].blocks.len();
            blocks.into_par_iter().try_for_each_init(
                || Scratch { raw: Vec::with_capacity(BLOCK_LEN), slots: Vec::new() },
                |scratch, block| self.scatter(number, block, &rows, &words, scratch),
            )?;
        }
        Ok(words.into_iter().map(AtomicU16::into_inner).collect())
    }

    /// Adds the symbols of a block to the words of their slots.
    fn scatter(
        &self,
        stream: usize,
        block: usize,
        rows: &Rows<'_>,
        words: &[AtomicU16],
        Scratch { raw, slots }: &mut Scratch,
    ) -> Result<(), TableError> {
        self.decode(stream, block, raw)?;
        let packing = self.streams[stream].packing;
        let first = block as u64 * packing.block_slots();
        slots.clear();
        rows.slots(first..first + self.symbols_in(stream, block) as u64, slots);
        let shift = if stream.is_multiple_of(2) { 0 } else { 2 };
        for (place, &slot) in slots.iter().enumerate().filter(|&(_, &slot)| slot != NO_SLOT) {
            let symbol = packing.symbol(raw, place);
            if shift == 0 && wdl_of(symbol).is_none() {
                return Err(self.damaged_block(stream, block));
            }
            // Numbers too large for a word are impossible anyway.
            let part = symbol.min(u16::MAX >> 2) << shift;
            add_part(&words[slot as usize], part);
            // A file has one of two mirrored placements where the generator has two slots.
            if let Some(twin) = rows.twin(slot) {
                add_part(&words[twin as usize], part);
            }
        }
        Ok(())
    }

    /// The error for a position, the material's first side being Red, whose number stands for no
    /// pair, or whose value does not follow from those after its moves.
    pub(crate) fn impossible_number(&self, position: &Position) -> TableError {
        let side = position.turn().index();
        match self.layout.place(position, false) {
            Some(place) => {
                let spot = self.spot(Section::Distance, side, &place);
                self.damaged(spot)
            }
            None => {
                let what = message!("no place for {}", position.to_fen());
                TableError::Contents { path: self.path.clone(), what }
            }
        }
    }
}

/// Adds the symbol of a section to the word of a slot.
fn add_part(word: &AtomicU16, part: u16) {
    // No other thread writes this word at the same time: each slot is in one block of a section, and
    // sections follow each other.
    word.store(word.load(Ordering::Relaxed) | part, Ordering::Relaxed);
}

/// The error of a table with impossible contents.
fn wrong(path: &Path, what: Message) -> TableError {
    TableError::Contents { path: path.to_owned(), what }
}

/// The bytes of the header, or fewer if the file has fewer or begins otherwise.
fn read_start(file: &ShelfFile) -> io::Result<Vec<u8>> {
    let start = file.read(0, file.bytes().min(sealed::HEADER_LEN as u64))?;
    let Some(end) = Header::end(&start) else { return Ok(start) };
    file.read(0, file.bytes().min(end as u64))
}

/// Checks that the lengths of all streams can be those of their blocks, before anything is read or
/// allocated by them.
fn check_lengths(header: &Header, layout: &Layout) -> Result<(), Message> {
    for (number, stream) in header.streams.iter().enumerate() {
        let blocks = blocks_of(stream, layout);
        if !blocks.is_some_and(|blocks| has_possible_lengths(stream, blocks)) {
            return Err(message!(
                "stream {number} of {} bytes with a block table of {} is impossible",
                stream.bytes,
                stream.table_bytes
            ));
        }
    }
    Ok(())
}

/// Returns true if the lengths of a stream can be those of this number of blocks.
fn has_possible_lengths(stream: &Stream, blocks: u64) -> bool {
    let most = blocks.checked_mul(LONGEST_FRAME.into()).zip(blocks.checked_mul(LONGEST_ENTRY));
    let least = blocks.checked_mul(SHORTEST_ENTRY);
    most.is_some_and(|(bytes, table)| stream.bytes <= bytes && stream.table_bytes <= table)
        && least.is_some_and(|table| table <= stream.table_bytes)
}

/// Number of blocks of a stream.
fn blocks_of(stream: &Stream, layout: &Layout) -> Option<u64> {
    let packing = Packing::from_byte(stream.packing)?;
    Some(layout.slots()?.div_ceil(packing.block_slots()))
}

/// The end of the blocks of all streams, where the block tables begin, which go up to the end of
/// the file of `bytes` bytes; or a message about the fault.
fn blocks_end(bytes: u64, start: usize, header: &Header) -> Result<u64, Message> {
    let blocks = sum(header, |stream| stream.bytes);
    let blocks_end = blocks.and_then(|sum| sum.checked_add(start as u64));
    let tables = sum(header, |stream| stream.table_bytes);
    let end = tables.and_then(|sum| sum.checked_add(blocks_end?));
    let (Some(blocks_end), Some(end)) = (blocks_end, end) else {
        return Err("the header contradicts itself".into());
    };
    if end != bytes {
        return Err(message!(
            "{bytes} bytes where {end} are needed: the file is truncated or damaged"
        ));
    }
    Ok(blocks_end)
}

/// The sum of a length over all streams; `None` if it does not fit.
fn sum(header: &Header, length: fn(&Stream) -> u64) -> Option<u64> {
    header.streams.iter().map(length).try_fold(0u64, u64::checked_add)
}

/// The streams by their block tables, which are all of `tables`; or a message about their fault.
fn open_streams(
    tables: &[u8],
    start: usize,
    header: &Header,
    layout: &Layout,
) -> Result<Vec<OpenStream>, Message> {
    let mut at = start as u64;
    let mut tables = tables;
    let mut streams = Vec::new();
    for stream in &header.streams {
        let (own, rest) = tables.split_at(stream.table_bytes as usize);
        tables = rest;
        let open = open_stream(own, at, stream, layout);
        streams.push(open.ok_or("a block table is damaged: the file is damaged")?);
        at += stream.bytes;
    }
    Ok(streams)
}

fn open_stream(
    mut table: &[u8],
    start: u64,
    stream: &Stream,
    layout: &Layout,
) -> Option<OpenStream> {
    if crc32fast::hash(table) != stream.table_crc && !cfg!(fuzzing) {
        return None;
    }
    let packing = Packing::from_byte(stream.packing)?;
    // As many as the table has room for: see `check_lengths`.
    let count = blocks_of(stream, layout)?;
    let mut at = start;
    let mut blocks = Vec::with_capacity(count as usize);
    for _ in 0..count {
        let len = u32::try_from(varint::take(&mut table)?).ok()?;
        if len > LONGEST_FRAME {
            return None;
        }
        if len == 0 {
            let (&byte, rest) = table.split_first()?;
            table = rest;
            blocks.push(BlockRef { at: byte.into(), len, crc: 0 });
        } else {
            let (crc, rest) = table.split_first_chunk()?;
            table = rest;
            blocks.push(BlockRef { at, len, crc: u32::from_le_bytes(*crc) });
            at = at.checked_add(len.into())?;
        }
    }
    let is_whole = table.is_empty() && at == start + stream.bytes;
    is_whole.then_some(OpenStream { packing, strides: layout.strides(&stream.order)?, blocks })
}

#[cfg(test)]
mod tests {
    use std::sync::LazyLock;

    use proptest::prelude::*;

    use super::*;
    use crate::tablebase::format::compress::{Effort, Packed, Packer};
    use crate::tablebase::format::symbols::WIN;
    use crate::tablebase::generate::generator::{NoProgress, generate_all};
    use crate::tablebase::generate::options::GenerateOptions;
    use crate::tablebase::probe::tables::Tables;
    use crate::tablebase::solve::table::position_of;
    use crate::tablebase::verify::verifier::{VerifyOptions, verify};

    const PLACE: (Rules, Metric) = (Rules::Check, Metric::Dtm);

    fn build(name: &str) -> (tempfile::TempDir, Material) {
        let folder = tempfile::tempdir().unwrap();
        let material = name.parse().unwrap();
        generate_all(folder.path(), &[material], &GenerateOptions::default(), &NoProgress).unwrap();
        (folder, material)
    }

    fn open(dir: &Path, material: Material) -> Result<TableFile, TableError> {
        TableFile::open(dir, material, PLACE.0, PLACE.1)
    }

    /// Changes the header of a table and the bytes after it, and seals it again.
    fn change(dir: &Path, material: Material, change: impl FnOnce(&mut Header, &mut Vec<u8>)) {
        let path = dir.join(file_name(material, PLACE.0, PLACE.1));
        let bytes = std::fs::read(&path).unwrap();
        let (mut header, end) = Header::read(&bytes).unwrap();
        let mut rest = bytes[end..].to_vec();
        change(&mut header, &mut rest);
        std::fs::write(&path, [header.sealed().unwrap(), rest].concat()).unwrap();
    }

    /// A header that knows one win less than the blocks have.
    fn forget_a_win(header: &mut Header) {
        header.wins.pop();
        for side in 0..2 {
            let count = header.win_counts[side].pop().unwrap();
            header.counts[side].win -= count;
            header.counts[side].by_rule_win -= count;
            header.counts[side].last_order = 0;
        }
    }

    /// The section, number and offset of a damaged block.
    fn damage(error: &TableError) -> (&'static str, usize, u64) {
        match error {
            TableError::Block { section, block, offset, .. } => (*section, *block, *offset),
            _ => panic!("{error}"),
        }
    }

    /// The first spot of a stream.
    fn first_spot(stream: usize) -> Spot {
        Spot { stream, block: 0, place: 0 }
    }

    #[test]
    fn numbers_without_a_pair_are_damage() {
        let (folder, material) = build("KRvKN");
        change(folder.path(), material, |header, _| forget_a_win(header));
        let tables = Tables::open(folder.path(), PLACE.0, PLACE.1).unwrap();
        let index = Index::new(material).unwrap();
        let positions = (0..index.slots).filter_map(|slot| position_of(&index, 0, slot));
        let legal = positions.filter(|p| !p.is_attacked_king(!p.turn()));
        let errors = legal.filter_map(|position| tables.probe(&position).err());
        let found: std::collections::BTreeSet<_> = errors.map(|error| damage(&error)).collect();
        assert!(!found.is_empty());
        let error = tables.load(material, [true, false]).unwrap_err();
        assert!(found.contains(&damage(&error)), "{error}");
        let file = tables.file(material).unwrap();
        for (section, block, offset) in found {
            assert_eq!((section, file.streams[1].blocks[block].at), ("distance", offset));
        }
    }

    #[test]
    fn symbols_that_mean_nothing_are_damage() {
        let (folder, material) = build("KNvK");
        let file = open(folder.path(), material).unwrap();
        assert!(file.wdl(WIN, first_spot(0)).is_ok());
        let error = file.wdl(3, first_spot(2)).unwrap_err();
        assert!(matches!(error, TableError::Block { section: "WDL", .. }), "{error}");
        for wdl in [Wdl::Win, Wdl::Loss] {
            assert!(file.rank(0, first_spot(1), wdl).is_ok());
            let error = file.rank(u16::MAX, first_spot(1), wdl).unwrap_err();
            assert!(matches!(error, TableError::Block { section: "distance", .. }), "{error}");
        }
    }

    /// A change of the header, and the message that notices it.
    type Mistake = (fn(&mut Header), &'static str);

    #[test]
    fn verification_notices_what_headers_alone_say() {
        let mistakes: [Mistake; 5] = [
            (|header| header.win_counts[0].swap(2, 3), "header histogram"),
            (|header| header.loss_counts[1].swap(2, 3), "header histogram"),
            (|header| header.counts[0].last_order = 0, "header counts"),
            (|header| header.longest[0] = "3k5/9/9/9/9/9/9/9/9/R3K3n w".to_owned(), "longest win"),
            (|header| header.content[0] ^= 1, "content hash"),
        ];
        let (folder, material) = build("KRvKN");
        for (i, (mistake, check)) in mistakes.into_iter().enumerate() {
            let path = folder.path().join(file_name(material, PLACE.0, PLACE.1));
            let whole = std::fs::read(&path).unwrap();
            change(folder.path(), material, |header, _| mistake(header));
            let options = VerifyOptions::default();
            let proofs = verify(folder.path(), &[material], &options, &NoProgress).unwrap();
            let found = &proofs.tables[0].as_ref().unwrap().mismatches;
            assert_eq!(found.iter().map(|m| m.check).collect::<Vec<_>>(), [check], "{i}");
            std::fs::write(&path, whole).unwrap();
        }
    }

    /// The values that captures give are not in the file.
    #[test]
    fn smaller_tables_must_be_those_that_a_table_was_built_from() {
        let (folder, material) = build("KRvKN");
        let smaller: Material = "KRvK".parse().unwrap();
        change(folder.path(), smaller, |header, _| header.content[0] ^= 1);
        let tables = Tables::open(folder.path(), PLACE.0, PLACE.1).unwrap();
        assert!(tables.file(smaller).is_ok());
        let error = tables.file(material).unwrap_err().to_string();
        assert!(error.contains("another KRvK"), "{error}");
        let position = Position::from_fen("3k5/9/9/9/9/9/9/9/9/R3K3n b").unwrap();
        assert!(tables.probe_wdl(&position).is_err());
        std::fs::remove_file(folder.path().join(file_name(smaller, PLACE.0, PLACE.1))).unwrap();
        let tables = Tables::open(folder.path(), PLACE.0, PLACE.1).unwrap();
        assert!(tables.file(material).is_ok());
    }

    /// A change of the header and of the bytes that follow it.
    type Change = fn(&mut Header, &mut Vec<u8>);

    /// A block table that is whole, but not the one that the header states.
    fn put_table(header: &mut Header, rest: &mut Vec<u8>, table: &[u8]) {
        let stream = header.streams.last_mut().unwrap();
        rest.truncate(rest.len() - stream.table_bytes as usize);
        rest.extend(table);
        stream.table_bytes = table.len() as u64;
        stream.table_crc = crc32fast::hash(table);
    }

    #[test]
    fn lengths_that_do_not_add_up_are_refused() {
        let changes: [Change; 14] = [
            |header, _| header.streams[0].bytes = u64::MAX,
            |header, _| header.streams[1].table_bytes = u64::MAX,
            |header, _| header.streams[3].bytes += 1,
            |header, _| {
                header.streams[0].bytes += 1;
                header.streams[1].bytes -= 1;
            },
            |header, _| header.streams[2].table_crc ^= 1,
            |_, rest| rest.push(0),
            |_, rest| rest.truncate(rest.len() / 2),
            // No block; blocks of nothing but one byte; a block beyond the end.
            |header, rest| put_table(header, rest, &[]),
            |header, rest| put_table(header, rest, &[0; 24]),
            |header, rest| put_table(header, rest, &[0xff; 200]),
            // Tables and blocks of more bytes than their blocks can have, all there.
            |header, rest| put_table(header, rest, &[0; 1 << 16]),
            |header, rest| {
                header.streams[3].table_bytes += 1 << 16;
                rest.extend([0; 1 << 16]);
            },
            |header, rest| {
                header.streams[2].bytes += 1 << 28;
                rest.resize(rest.len() + (1 << 28), 0);
            },
            |header, _| header.streams[1].table_bytes = 1,
        ];
        let (folder, material) = build("KRvKN");
        assert!(open(folder.path(), material).is_ok());
        let path = folder.path().join(file_name(material, PLACE.0, PLACE.1));
        let whole = std::fs::read(&path).unwrap();
        for (i, fault) in changes.into_iter().enumerate() {
            std::fs::write(&path, &whole).unwrap();
            change(folder.path(), material, fault);
            let error = open(folder.path(), material).expect_err(&format!("change {i}"));
            assert!(matches!(error, TableError::Contents { .. }), "change {i}: {error}");
        }
    }

    /// The contents of the only block of a stream in a forged file.
    #[derive(Debug, Clone)]
    enum Forged {
        Raw(Vec<u8>),
        Compressed(Vec<u8>),
    }

    fn forged() -> impl Strategy<Value = Forged> {
        let raw = (prop::sample::select(vec![2, 20, u8::MAX]), any::<bool>());
        let raw = raw.prop_flat_map(|(last, is_one)| {
            prop::collection::vec(0..=last, if is_one { 1..2 } else { 60..100 })
        });
        prop_oneof![
            3 => raw.prop_map(Forged::Raw),
            1 => prop::collection::vec(any::<u8>(), 1..100).prop_map(Forged::Compressed),
        ]
    }

    /// Puts other blocks into a table of one block a stream, with the right checksums.
    fn forge(header: &mut Header, rest: &mut Vec<u8>, slots: usize, forged: &[(Packing, Forged)]) {
        let mut packer = Packer::new(Effort::Sample).unwrap();
        let mut tables = Vec::new();
        rest.clear();
        for (i, (stream, (packing, forged))) in header.streams.iter_mut().zip(forged).enumerate() {
            let packing = if i % 2 == 0 { *packing } else { Packing::Bytes };
            let block = match forged {
                Forged::Raw(bytes) => {
                    let raw: Vec<u8> =
                        bytes.iter().copied().cycle().take(packing.raw_len(slots)).collect();
                    packer.pack(&raw).unwrap()
                }
                Forged::Compressed(bytes) => Packed::Frame(bytes.clone()),
            };
            let (mut table, blocks) = (Vec::new(), rest.len());
            match block {
                Packed::Constant(byte) => table.extend([0, byte]),
                Packed::Frame(bytes) => {
                    varint::put(&mut table, bytes.len() as u64);
                    table.extend(crc32fast::hash(&bytes).to_le_bytes());
                    rest.extend(bytes);
                }
            }
            stream.packing = packing.byte();
            stream.bytes = (rest.len() - blocks) as u64;
            stream.table_bytes = table.len() as u64;
            stream.table_crc = crc32fast::hash(&table);
            tables.extend(table);
        }
        rest.extend(tables);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        /// Blocks that no writer makes, with checksums that are right: errors or values, no panic.
        #[test]
        fn forged_blocks_never_panic(
            forged in prop::collection::vec((prop::sample::select(&Packing::WDL[..]), forged()), 4),
        ) {
            static BUILT: LazyLock<(tempfile::TempDir, Material)> = LazyLock::new(|| build("KNvK"));
            let (folder, material) = (BUILT.0.path(), BUILT.1);
            let copy = tempfile::tempdir().unwrap();
            for name in ["KNvK", "KvK"] {
                let name = file_name(name.parse().unwrap(), PLACE.0, PLACE.1);
                std::fs::copy(folder.join(&name), copy.path().join(&name)).unwrap();
            }
            let slots = open(folder, material).unwrap().layout().slots().unwrap() as usize;
            change(copy.path(), material, |header, rest| forge(header, rest, slots, &forged));
            let tables = Tables::open(copy.path(), PLACE.0, PLACE.1).unwrap();
            prop_assert!(tables.stats(material).is_ok());
            let index = Index::new(material).unwrap();
            for slot in (0..index.slots).step_by(13) {
                let positions = (0..2).filter_map(|side| position_of(&index, side, slot));
                for position in positions.filter(|p| !p.is_attacked_king(!p.turn())) {
                    let wdl = tables.probe_wdl(&position);
                    if let (Ok(wdl), Ok(entry)) = (wdl, tables.probe(&position)) {
                        prop_assert_eq!(wdl, entry.wdl);
                    }
                    let _moves = tables.probe_root(&position);
                }
            }
            let _table = tables.load(material, [true, true]);
        }
    }
}
