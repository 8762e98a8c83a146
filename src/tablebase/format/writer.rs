//! Writing a table: stream after stream, block after block, the header last.

use std::io::{self, Seek, SeekFrom, Write};
use std::path::Path;

use rayon::prelude::*;

use crate::bytes::atomic::AtomicFile;
use crate::bytes::varint;
use crate::game::Side;
use crate::tablebase::format::compress::{Effort, Packed, Packer};
use crate::tablebase::format::error::TableError;
use crate::tablebase::format::header::{Header, Label, Stream};
use crate::tablebase::format::layout::{Layout, Maps, NO_SLOT, Rows};
use crate::tablebase::format::order;
use crate::tablebase::format::reader::Section;
use crate::tablebase::format::symbols::{Allowed, DRAWN, Filling, LOSS, Packing, WIN};
use crate::tablebase::format::word_counts::{count_words, longest_position};
use crate::tablebase::index::numbering::Index;
use crate::tablebase::solve::solver::ILLEGAL;
use crate::tablebase::solve::table::{DRAW, Table, exchanged};
use crate::tablebase::value::{Entry, Wdl};

/// Slots of a parallel task.
const TASK: usize = 1 << 14;
/// Blocks compressed at once before they are written.
const BATCH: u64 = 256;

/// Writes a table under its final name once it is complete. Returns the size in bytes.
///
/// `best_capture` gives the value of the best legal capture of a side and slot for the side that
/// makes it, if there is one: a value that a capture gives need not be stored.
pub(in crate::tablebase) fn write(
    path: &Path,
    table: &Table,
    label: Label,
    best_capture: impl Fn(usize, u32) -> Option<Entry> + Sync,
) -> Result<u64, TableError> {
    let failed = |source| TableError::Write { path: path.to_owned(), source };
    let layout = Layout::new(table.index.material);
    let mut header = header(table, label, &layout);
    let seal = |header: &Header| {
        header.sealed().map_err(|fault| TableError::Header { path: path.to_owned(), fault })
    };
    let mut file = AtomicFile::create(path).map_err(failed)?;
    let mut at = seal(&header)?.len() as u64;
    file.file_mut().seek(SeekFrom::Start(at)).map_err(failed)?;
    let maps = Maps::new(&layout, &table.index);
    let mut tables = Vec::new();
    for side in 0..table.words.len() {
        let free = freedom(table, side, &best_capture);
        for section in Section::ALL {
            let source = SymbolChoices::new(table, &header, side, section, &free);
            let coder = Coder { layout: &layout, index: &table.index, maps: &maps, source };
            let plan = order::choose(&coder, section, header.is_wide()).map_err(failed)?;
            let (stream, blocks) = coder.write(&plan, &mut file).map_err(failed)?;
            at += stream.bytes + stream.table_bytes;
            tables.push(blocks);
            header.streams[2 * side + section as usize] = stream;
        }
    }
    for blocks in &tables {
        file.write_all(blocks).map_err(failed)?;
    }
    file.file_mut().seek(SeekFrom::Start(0)).map_err(failed)?;
    file.write_all(&seal(&header)?).map_err(failed)?;
    file.commit().map_err(failed)?;
    Ok(at)
}

/// The header with empty streams.
fn header(table: &Table, label: Label, layout: &Layout) -> Header {
    let by_side = count_words(table);
    let sides = Side::ALL.map(|side| &by_side[side]);
    let occurring = |count: fn(&super::WordCounts, usize) -> u64| -> Vec<usize> {
        (0..table.ranks.len()).filter(|&r| sides.iter().any(|words| count(words, r) > 0)).collect()
    };
    let (wins, losses) = (occurring(super::WordCounts::wins), occurring(super::WordCounts::losses));
    let ranks = |list: &[usize]| list.iter().map(|&r| table.ranks[r]).collect();
    let counts = sides.map(|words| words.counts(&table.ranks));
    let empty =
        Stream { packing: 0, order: vec![0; layout.len()], bytes: 0, table_bytes: 0, table_crc: 0 };
    Header {
        material: table.index.material.to_string(),
        rules: label.rules.to_string(),
        metric: label.metric.to_string(),
        tool: concat!("juzhong ", env!("CARGO_PKG_VERSION")).to_owned(),
        slots: u64::from(table.index.slots),
        counts,
        longest: Side::ALL.map(|side| longest_fen(table, side, counts[side.index()].longest_win)),
        win_counts: sides.map(|words| wins.iter().map(|&r| words.wins(r)).collect()),
        loss_counts: sides.map(|words| losses.iter().map(|&r| words.losses(r)).collect()),
        wins: ranks(&wins),
        losses: ranks(&losses),
        dependencies: label.dependencies,
        content: label.content,
        fold: layout.fold as u8,
        streams: vec![empty; 2 * table.words.len()],
    }
}

fn longest_fen(table: &Table, side: Side, plies: u16) -> String {
    let is_other = side.index() >= table.words.len();
    let position = longest_position(table, if is_other { 0 } else { side.index() }, plies);
    let position = position.map(|p| if is_other { exchanged(&p) } else { p });
    position.filter(|_| plies > 0).map(|position| position.to_fen()).unwrap_or_default()
}

/// Set if the best capture has the slot's result.
const SAME_RESULT: u8 = 1;
/// Set if the best capture has the slot's value.
const SAME_VALUE: u8 = 2;

/// The flags of a side's slots by their best capture: two bits each, four slots a byte.
fn freedom(
    table: &Table,
    side: usize,
    best_capture: &(impl Fn(usize, u32) -> Option<Entry> + Sync),
) -> Vec<u8> {
    let bits = |slot: usize, word: u16| {
        if word == ILLEGAL {
            return 0;
        }
        let Some(capture) = best_capture(side, slot as u32) else { return 0 };
        match table.meaning(word) {
            Some(own) if own == capture => SAME_RESULT | SAME_VALUE,
            Some(own) if own.wdl == capture.wdl => SAME_RESULT,
            _ => 0,
        }
    };
    let mut free = vec![0; table.words[side].len().div_ceil(4)];
    free.par_chunks_mut(TASK / 4).zip(table.words[side].par_chunks(TASK)).enumerate().for_each(
        |(task, (free, words))| {
            for (i, &word) in words.iter().enumerate() {
                free[i / 4] |= bits(task * TASK + i, word) << (2 * (i % 4));
            }
        },
    );
    free
}

/// The symbols that may stand for each slot of a stream.
pub(super) struct SymbolChoices<'a> {
    words: &'a [u16],
    free: &'a [u8],
    /// By word and by its two bits of freedom.
    allowed: Vec<Allowed>,
    /// The same for draws.
    draws: [Allowed; 4],
    /// The symbol before the first of a block.
    start: u16,
}

impl<'a> SymbolChoices<'a> {
    fn new(
        table: &'a Table,
        header: &Header,
        side: usize,
        section: Section,
        free: &'a [u8],
    ) -> Self {
        let mut allowed = vec![[Allowed::ANY; 4]; 2 * table.ranks.len() + 1];
        for (r, rank) in table.ranks.iter().enumerate() {
            for (first, list) in [(1, &header.wins), (2, &header.losses)] {
                let Ok(number) = list.binary_search(rank) else { continue };
                let last = list.len() as u16 - 1;
                allowed[2 * r + first] = match section {
                    Section::Wdl => wdl_choices(if first == 1 { Wdl::Win } else { Wdl::Loss }),
                    Section::Distance => distance_choices(first == 1, number as u16, last),
                };
            }
        }
        let draws = match section {
            Section::Wdl => wdl_choices(Wdl::Draw),
            Section::Distance => [Allowed::ANY; 4],
        };
        let start = if section == Section::Wdl { DRAWN } else { 0 };
        Self { words: &table.words[side], free, allowed: allowed.concat(), draws, start }
    }

    #[inline]
    fn allowed(&self, slot: u32) -> Allowed {
        if slot == NO_SLOT {
            return Allowed::ANY;
        }
        let slot = slot as usize;
        let free = usize::from(self.free[slot / 4] >> (2 * (slot % 4)) & 3);
        match self.words[slot] {
            ILLEGAL => Allowed::ANY,
            DRAW => self.draws[free],
            word => self.allowed[4 * usize::from(word) + free],
        }
    }
}

/// By freedom: the symbols allowed for a result. A reader uses the better of the stored result and
/// of those that captures give.
fn wdl_choices(wdl: Wdl) -> [Allowed; 4] {
    let own = match wdl {
        Wdl::Loss => LOSS,
        Wdl::Draw => DRAWN,
        Wdl::Win => WIN,
    };
    let (exact, free) = (Allowed::only(own), Allowed { low: LOSS, high: own });
    [exact, free, exact, free]
}

/// By freedom: the symbols allowed for the number of a win or loss of `last + 1` pairs: none better
/// than its own.
fn distance_choices(is_win: bool, number: u16, last: u16) -> [Allowed; 4] {
    let exact = Allowed::only(number);
    let free =
        if is_win { Allowed { low: number, high: last } } else { Allowed { low: 0, high: number } };
    [exact, exact, free, free]
}

/// Lays out and compresses a stream.
pub(super) struct Coder<'a> {
    pub(super) layout: &'a Layout,
    index: &'a Index,
    maps: &'a Maps,
    source: SymbolChoices<'a>,
}

/// The layout of a stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Plan {
    pub(super) order: Vec<u8>,
    pub(super) packing: Packing,
    pub(super) filling: Filling,
}

/// Buffers of a thread that encodes blocks.
pub(super) struct Scratch {
    packer: io::Result<Packer>,
    slots: Vec<u32>,
    allowed: Vec<Allowed>,
    symbols: Vec<u16>,
    raw: Vec<u8>,
}

impl Scratch {
    pub(super) fn new(effort: Effort) -> Self {
        let (slots, allowed, symbols, raw) = Default::default();
        Self { packer: Packer::new(effort), slots, allowed, symbols, raw }
    }
}

impl Coder<'_> {
    pub(super) fn rows(&self, order: &[u8]) -> Rows<'_> {
        Rows::new(self.layout, self.index, self.maps, order)
    }

    /// Encodes a range of file slots as one block.
    pub(super) fn encode(
        &self,
        rows: &Rows<'_>,
        plan: &Plan,
        range: std::ops::Range<u64>,
        scratch: &mut Scratch,
    ) -> io::Result<Packed> {
        let Scratch { packer, slots, allowed, symbols, raw } = scratch;
        slots.clear();
        rows.slots(range, slots);
        allowed.clear();
        allowed.extend(slots.iter().map(|&slot| self.source.allowed(slot)));
        plan.filling.fill(allowed, self.source.start, symbols);
        plan.packing.pack(symbols, raw);
        match packer {
            Ok(packer) => packer.pack(raw),
            Err(error) => Err(io::Error::new(error.kind(), error.to_string())),
        }
    }

    /// The range of file slots of a block.
    pub(super) fn range(&self, packing: Packing, block: u64) -> std::ops::Range<u64> {
        let per_block = packing.block_slots();
        let slots = self.layout.slots().unwrap_or(0);
        block * per_block..slots.min((block + 1) * per_block)
    }

    /// Number of blocks.
    pub(super) fn blocks(&self, packing: Packing) -> u64 {
        self.layout.slots().unwrap_or(0).div_ceil(packing.block_slots())
    }

    /// Writes all blocks. Returns the stream and its block table.
    fn write(&self, plan: &Plan, file: &mut AtomicFile) -> io::Result<(Stream, Vec<u8>)> {
        let rows = self.rows(&plan.order);
        let mut table = Vec::new();
        let mut bytes = 0;
        let count = self.blocks(plan.packing);
        for start in (0..count).step_by(BATCH as usize) {
            let packed: Vec<Packed> = (start..count.min(start + BATCH))
                .into_par_iter()
                .map_init(
                    || Scratch::new(Effort::Full),
                    |scratch, block| {
                        self.encode(&rows, plan, self.range(plan.packing, block), scratch)
                    },
                )
                .collect::<io::Result<_>>()?;
            for block in &packed {
                bytes += list(block, &mut table);
                if let Packed::Frame(frame) = block {
                    file.write_all(frame)?;
                }
            }
        }
        let stream = Stream {
            packing: plan.packing.byte(),
            order: plan.order.clone(),
            bytes,
            table_bytes: table.len() as u64,
            table_crc: crc32fast::hash(&table),
        };
        Ok((stream, table))
    }
}

/// Appends a block to the block table. Returns its bytes in the stream.
fn list(block: &Packed, table: &mut Vec<u8>) -> u64 {
    match block {
        Packed::Constant(byte) => {
            table.extend([0, *byte]);
            0
        }
        Packed::Frame(frame) => {
            varint::put(table, frame.len() as u64);
            table.extend(crc32fast::hash(frame).to_le_bytes());
            frame.len() as u64
        }
    }
}
