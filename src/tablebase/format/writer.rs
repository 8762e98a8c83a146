//! Writing a table: stream after stream, block after block, the header last.

use std::io::{self, Seek, SeekFrom, Write};
use std::path::Path;

use rayon::prelude::*;

use crate::bytes::atomic::AtomicFile;
use crate::bytes::varint;
use crate::game::Side;
use crate::tablebase::format::compress::{Effort, Packed, Packer};
use crate::tablebase::format::error::TableError;
use crate::tablebase::format::header::{Header, Label, Section, Stream};
use crate::tablebase::format::layout::{Layout, Maps, NO_SLOT, Rows};
use crate::tablebase::format::order;
use crate::tablebase::format::symbols::{
    Allowed, Alphabet, DRAWN, Filling, LOOP_MARK, LOSS, NO_MARK, Packing, WIN, symbol_of,
};
use crate::tablebase::format::word_counts::{count_words, longest_position};
use crate::tablebase::index::board::Board;
use crate::tablebase::index::numbering::Index;
use crate::tablebase::solve::game_graph::TableGraph;
use crate::tablebase::solve::solver::{GameGraph, ILLEGAL, SlotSet};
use crate::tablebase::solve::table::{Cost, DRAW, Table, cost, exchanged, word_of_cost};
use crate::tablebase::value::{Entry, Wdl};

/// The program, as headers and checkpoints name it.
pub(crate) const TOOL: &str = concat!("juzhong ", env!("CARGO_PKG_VERSION"));
/// Slots of a parallel task.
const TASK: usize = 1 << 14;
/// One slot in this number is looked at to see which side is in check more often.
const CHECK_SAMPLE: usize = 61;
/// Blocks compressed at once before they are written.
const BATCH: u64 = 256;

/// Writes a table under its final name once it is complete. Returns the size in bytes.
///
/// `graph` gives the moves, `good_captures` those positions in which a capture wins or draws: a value
/// that follows from other values need not be stored.
pub(crate) fn write(
    path: &Path,
    table: &Table,
    label: Label,
    graph: &TableGraph,
    good_captures: &SlotSet,
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
    let values = Values { table, graph, good_captures };
    let numbering = Numbering { layout: &layout, index: &table.index, maps: &maps };
    header.rebuilt = values.rebuilt(&header, numbering).map_err(failed)?;
    let mut tables = Vec::new();
    for side in 0..table.words.len() {
        let free = values.freedom(side, header.is_rebuilt(Section::Wdl.stream(side)));
        for section in Section::ALL {
            let number = section.stream(side);
            let coder =
                Coder { numbering, source: SymbolChoices::new(table, &header, number, &free) };
            let plan = coder.plan(&header, number).map_err(failed)?;
            let (stream, blocks) = coder.write(&plan, &mut file).map_err(failed)?;
            at += stream.bytes + stream.table_bytes;
            tables.push(blocks);
            header.streams[number] = stream;
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
        tool: TOOL.to_owned(),
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
        rebuilt: 0,
    }
}

fn longest_fen(table: &Table, side: Side, plies: u16) -> String {
    let is_other = side.index() >= table.words.len();
    let position = longest_position(table, if is_other { 0 } else { side.index() }, plies);
    let position = position.map(|p| if is_other { exchanged(&p) } else { p });
    position.filter(|_| plies > 0).map(|position| position.to_fen()).unwrap_or_default()
}

/// The freedom of a slot: what may stand there instead of its value. Two bits each, four slots a byte.
mod freedom {
    pub(crate) const NONE: u8 = 0;
    /// The best capture has the slot's result.
    pub(crate) const SAME_RESULT: u8 = 1;
    /// The result is rebuilt.
    pub(crate) const REBUILT_RESULT: u8 = 2;
    /// The best capture has the slot's value.
    pub(crate) const SAME_VALUE: u8 = 3;
}

/// A solved table and what its values follow from.
struct Values<'a> {
    table: &'a Table,
    graph: &'a TableGraph,
    good_captures: &'a SlotSet,
}

impl Values<'_> {
    /// The streams whose values readers rebuild, as [`Header::rebuilt`] has them: the results of
    /// positions in check of the side that has more of them, and the distances of the side that
    /// needs more bytes, if every one of them is found to follow from its moves.
    fn rebuilt(&self, header: &Header, numbering: Numbering<'_>) -> io::Result<u8> {
        // Under a limit a result does not follow from results alone.
        if self.table.words.len() != 2 || self.graph.horizon() != u16::MAX {
            return Ok(0);
        }
        let checked = [0, 1].map(|side| self.count_checked(side));
        let more_checked = usize::from(checked[1] > checked[0]);
        let mut rebuilt = 0;
        if checked[more_checked] > 0 {
            rebuilt |= 1 << Section::Wdl.stream(more_checked);
        }
        let rate = |side: usize| {
            let number = Section::Distance.stream(side);
            let source = SymbolChoices::new(self.table, header, number, &[]);
            let coder = Coder { numbering, source };
            order::first_rate(&coder, header.alphabet(number))
        };
        let costlier = usize::from(rate(1)? > rate(0)?);
        for side in [costlier, 1 - costlier] {
            if self.has_distances_by_moves(side) {
                rebuilt |= 1 << Section::Distance.stream(side);
                break;
            }
        }
        Ok(rebuilt)
    }

    /// Positions in check in a sample of a side's slots.
    fn count_checked(&self, side: usize) -> usize {
        let words = self.table.words[side].par_iter().enumerate().step_by(CHECK_SAMPLE);
        let is_checked = |board: &mut Board<'_>, (slot, &word): (usize, &u16)| {
            word != ILLEGAL && self.graph.is_in_check(board, side, slot as u32)
        };
        let checked = words.map_init(|| self.graph.cursor(), is_checked);
        checked.filter(|&is_checked| is_checked).count()
    }

    /// Returns true if each value of a side is that of its best move, or that at distance 1 for wins
    /// by rule at this distance.
    fn has_distances_by_moves(&self, side: usize) -> bool {
        let after = &self.table.words[self.graph.other(side)];
        self.table.words[side].par_chunks(TASK).enumerate().all(|(task, words)| {
            let mut board = self.graph.cursor();
            words.iter().enumerate().all(|(i, &word)| {
                let Some(own) = self.table.meaning(word).filter(|own| own.wdl != Wdl::Draw) else {
                    return true;
                };
                let slot = (task * TASK + i) as u32;
                let mut least = Cost::MAX;
                self.graph.successors(&mut board, side, slot, |next| {
                    least = least.min(cost(after[next as usize]));
                    true
                });
                let best = word_of_cost(least).and_then(|word| self.table.meaning(word));
                let mut best = best.map(Entry::before);
                // Losing captures are nothing to a win.
                if own.wdl == Wdl::Loss || self.good_captures.has(side, slot) {
                    best = best.max(self.graph.best_capture(&mut board, side, slot));
                }
                let best = best.unwrap_or(Entry::loss(0, 0));
                best == own || own.is_in_loop() && own == Entry { distance: 1, ..best }
            })
        })
    }

    /// The freedom of a side's slots.
    fn freedom(&self, side: usize, is_result_rebuilt: bool) -> Vec<u8> {
        let words = &self.table.words[side];
        let mut free = vec![0; words.len().div_ceil(4)];
        free.par_chunks_mut(TASK / 4).zip(words.par_chunks(TASK)).enumerate().for_each(
            |(task, (free, words))| {
                let mut board = self.graph.cursor();
                for (i, &word) in words.iter().enumerate().filter(|&(_, &word)| word != ILLEGAL) {
                    let slot = (task * TASK + i) as u32;
                    let bits =
                        if is_result_rebuilt && self.graph.is_in_check(&mut board, side, slot) {
                            freedom::REBUILT_RESULT
                        } else {
                            self.freedom_by_captures(&mut board, side, slot, word)
                        };
                    free[i / 4] |= bits << (2 * (i % 4));
                }
            },
        );
        free
    }

    fn freedom_by_captures(&self, board: &mut Board<'_>, side: usize, slot: u32, word: u16) -> u8 {
        if !self.good_captures.has(side, slot) {
            return freedom::NONE;
        }
        let capture = self.graph.best_capture(board, side, slot);
        match (self.table.meaning(word), capture) {
            (Some(own), Some(capture)) if own == capture => freedom::SAME_VALUE,
            (Some(own), Some(capture)) if own.wdl == capture.wdl => freedom::SAME_RESULT,
            _ => freedom::NONE,
        }
    }
}

/// The symbols that may stand for each slot of a stream.
pub(crate) struct SymbolChoices<'a> {
    words: &'a [u16],
    /// Empty if no slot is free.
    free: &'a [u8],
    /// By word and by its two bits of freedom.
    allowed: Vec<Allowed>,
    /// The same for draws.
    draws: [Allowed; 4],
    /// The symbol before the first of a block.
    start: u16,
}

impl<'a> SymbolChoices<'a> {
    /// Of a stream; without `free` no slot is free.
    fn new(table: &'a Table, header: &Header, stream: usize, free: &'a [u8]) -> Self {
        let alphabet = header.alphabet(stream);
        let mut allowed = vec![[Allowed::ANY; 4]; 2 * table.ranks.len() + 1];
        for (r, rank) in table.ranks.iter().enumerate() {
            for (first, list) in [(1, &header.wins), (2, &header.losses)] {
                let Ok(number) = list.binary_search(rank) else { continue };
                let last = list.len() as u16 - 1;
                let wdl = if first == 1 { Wdl::Win } else { Wdl::Loss };
                allowed[2 * r + first] = match alphabet {
                    Alphabet::Results => wdl_choices(wdl),
                    Alphabet::Numbers | Alphabet::WideNumbers => {
                        distance_choices(wdl, number as u16, last)
                    }
                    Alphabet::LoopMarks => mark_choices(wdl, *rank),
                };
            }
        }
        let (draws, start) = match alphabet {
            Alphabet::Results => (wdl_choices(Wdl::Draw), DRAWN),
            _ => ([Allowed::ANY; 4], 0),
        };
        let words = &table.words[stream / 2];
        Self { words, free, allowed: allowed.concat(), draws, start }
    }

    #[inline]
    fn allowed(&self, slot: u32) -> Allowed {
        if slot == NO_SLOT {
            return Allowed::ANY;
        }
        let slot = slot as usize;
        let free =
            self.free.get(slot / 4).map_or(0, |free| usize::from(free >> (2 * (slot % 4)) & 3));
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
    let own = symbol_of(wdl);
    let (exact, free) = (Allowed::only(own), Allowed { low: LOSS, high: own });
    [exact, free, Allowed { low: LOSS, high: WIN }, free]
}

/// By freedom: the symbols allowed for the number of a win or loss of `last + 1` pairs: none better
/// than its own.
fn distance_choices(wdl: Wdl, number: u16, last: u16) -> [Allowed; 4] {
    let exact = Allowed::only(number);
    let free = match wdl {
        Wdl::Win => Allowed { low: number, high: last },
        _ => Allowed { low: 0, high: number },
    };
    [exact, exact, exact, free]
}

/// The symbols allowed where distances are rebuilt: a mark matters for wins by rule only.
fn mark_choices(wdl: Wdl, (order, distance): (u16, u16)) -> [Allowed; 4] {
    let own = if Entry::win(order, distance).is_in_loop() { LOOP_MARK } else { NO_MARK };
    let is_free = wdl != Wdl::Win || order == 0;
    [if is_free { Allowed { low: NO_MARK, high: LOOP_MARK } } else { Allowed::only(own) }; 4]
}

/// The numbering of a file, and how it maps to the generator's.
#[derive(Clone, Copy)]
pub(crate) struct Numbering<'a> {
    pub(crate) layout: &'a Layout,
    index: &'a Index,
    maps: &'a Maps,
}

/// Lays out and compresses a stream.
pub(crate) struct Coder<'a> {
    pub(crate) numbering: Numbering<'a>,
    source: SymbolChoices<'a>,
}

/// The layout of a stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Plan {
    pub(crate) order: Vec<u8>,
    pub(crate) packing: Packing,
    pub(crate) filling: Filling,
}

/// Buffers of a thread that encodes blocks.
pub(crate) struct Scratch {
    packer: io::Result<Packer>,
    slots: Vec<u32>,
    allowed: Vec<Allowed>,
    symbols: Vec<u16>,
    raw: Vec<u8>,
}

impl Scratch {
    pub(crate) fn new(effort: Effort) -> Self {
        let (slots, allowed, symbols, raw) = Default::default();
        Self { packer: Packer::new(effort), slots, allowed, symbols, raw }
    }
}

impl Coder<'_> {
    pub(crate) fn rows(&self, order: &[u8]) -> Rows<'_> {
        let Numbering { layout, index, maps } = self.numbering;
        Rows::new(layout, index, maps, order)
    }

    /// The layout of a stream that compresses best among those tried. Marks that all may be the same
    /// need no trial.
    fn plan(&self, header: &Header, stream: usize) -> io::Result<Plan> {
        let alphabet = header.alphabet(stream);
        let wins_by_rule = header.counts[stream / 2].by_rule_win;
        if alphabet == Alphabet::LoopMarks && wins_by_rule == 0 {
            return Ok(order::first_plan(self, alphabet));
        }
        order::choose(self, alphabet)
    }

    /// Encodes a range of file slots as one block.
    pub(crate) fn encode(
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
    pub(crate) fn range(&self, packing: Packing, block: u64) -> std::ops::Range<u64> {
        let per_block = packing.block_slots();
        let slots = self.numbering.layout.slots().unwrap_or(0);
        block * per_block..slots.min((block + 1) * per_block)
    }

    /// Number of blocks.
    pub(crate) fn blocks(&self, packing: Packing) -> u64 {
        self.numbering.layout.slots().unwrap_or(0).div_ceil(packing.block_slots())
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
