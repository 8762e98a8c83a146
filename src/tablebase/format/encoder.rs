//! Encoding a stream: the symbols that may stand for each slot, and its blocks in a given layout.

use std::io::{self, Write};

use rayon::prelude::*;

use crate::bytes::atomic::AtomicFile;
use crate::bytes::varint;
use crate::tablebase::format::compress::{Effort, Packed, Packer};
use crate::tablebase::format::header::{Header, Stream};
use crate::tablebase::format::layout::{Layout, Maps, NO_SLOT, Rows};
use crate::tablebase::format::symbols::{
    Allowed, Alphabet, DRAWN, Filling, LOOP_MARK, LOSS, NO_MARK, Packing, WIN, symbol_of,
};
use crate::tablebase::index::numbering::Index;
use crate::tablebase::solve::solver::ILLEGAL;
use crate::tablebase::solve::table::{DRAW, Table};
use crate::tablebase::value::{Entry, Wdl};

/// Blocks compressed at once before they are written.
const BATCH: u64 = 256;

/// The freedom of a slot: what may stand there instead of its value. Two bits each, four slots a byte.
pub(crate) mod freedom {
    pub(crate) const NONE: u8 = 0;
    /// The best capture has the slot's result.
    pub(crate) const SAME_RESULT: u8 = 1;
    /// The result is rebuilt.
    pub(crate) const REBUILT_RESULT: u8 = 2;
    /// The best capture has the slot's value.
    pub(crate) const SAME_VALUE: u8 = 3;
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
    pub(crate) fn new(table: &'a Table, header: &Header, stream: usize, free: &'a [u8]) -> Self {
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
    let exact = Allowed::only(own);
    let free = Allowed { low: LOSS, high: own };
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
    pub(crate) index: &'a Index,
    pub(crate) maps: &'a Maps,
}

/// Lays out and compresses a stream.
pub(crate) struct Encoder<'a> {
    pub(crate) numbering: Numbering<'a>,
    pub(crate) source: SymbolChoices<'a>,
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
        Self {
            packer: Packer::new(effort),
            slots: Vec::new(),
            allowed: Vec::new(),
            symbols: Vec::new(),
            raw: Vec::new(),
        }
    }
}

impl Encoder<'_> {
    pub(crate) fn rows(&self, order: &[u8]) -> Rows<'_> {
        let Numbering { layout, index, maps } = self.numbering;
        Rows::new(layout, index, maps, order)
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
    pub(crate) fn write(
        &self,
        plan: &Plan,
        file: &mut AtomicFile,
    ) -> io::Result<(Stream, Vec<u8>)> {
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
            // Threads pack the blocks of a batch, but these are listed and written in order: the file does not
            // depend on the number of threads.
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
