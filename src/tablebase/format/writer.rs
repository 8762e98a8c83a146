//! Writing a table: stream after stream, block after block, the header last.

use std::io::{self, Seek, SeekFrom, Write};
use std::path::Path;

use rayon::prelude::*;

use crate::bytes::atomic::AtomicFile;
use crate::game::Side;
use crate::tablebase::format::encoder::{Encoder, Numbering, Plan, SymbolChoices, freedom};
use crate::tablebase::format::error::TableError;
use crate::tablebase::format::header::{Header, Label, Section, Stream};
use crate::tablebase::format::layout::{Layout, Maps};
use crate::tablebase::format::order;
use crate::tablebase::format::symbols::Alphabet;
use crate::tablebase::format::value_counts::{WordCounts, count_words, longest_position};
use crate::tablebase::index::board::SlotBoard;
use crate::tablebase::solve::game_graph::TableGraph;
use crate::tablebase::solve::solver::{GameGraph, ILLEGAL, SlotSet};
use crate::tablebase::solve::table::{Cost, Table, cost, exchanged, word_of_cost};
use crate::tablebase::value::{Entry, Wdl};

/// The program, as headers and checkpoints name it.
pub(crate) const TOOL: &str = concat!("juzhong ", env!("CARGO_PKG_VERSION"));
/// Slots of a parallel task.
const TASK: usize = 1 << 14;
/// One slot in this number is looked at to see which side is in check more often.
const CHECK_SAMPLE: usize = 61;
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
    let layout = Layout::new(table.index.material);
    let mut header = header(table, label, &layout);
    let mut file = AtomicFile::create(path).map_err(|source| failed(path, source))?;
    // The header is written last, into the room left for it: its length is the same with empty streams.
    let mut at = sealed(path, &header)?.len() as u64;
    file.file_mut().seek(SeekFrom::Start(at)).map_err(|source| failed(path, source))?;
    let maps = Maps::new(&layout, &table.index);
    let values = Values { table, graph, good_captures };
    let numbering = Numbering { layout: &layout, index: &table.index, maps: &maps };
    header.rebuilt = values.rebuilt(&header, numbering).map_err(|source| failed(path, source))?;
    let mut tables = Vec::new();
    for side in 0..table.words.len() {
        let free = values.freedom(side, header.is_rebuilt(Section::Wdl.stream(side)));
        for section in Section::ALL {
            let number = section.stream(side);
            let encoder =
                Encoder { numbering, source: SymbolChoices::new(table, &header, number, &free) };
            let plan = plan(&encoder, &header, number).map_err(|source| failed(path, source))?;
            let (stream, blocks) =
                encoder.write(&plan, &mut file).map_err(|source| failed(path, source))?;
            at += stream.bytes + stream.table_bytes;
            tables.push(blocks);
            header.streams[number] = stream;
        }
    }
    for blocks in &tables {
        file.write_all(blocks).map_err(|source| failed(path, source))?;
    }
    file.file_mut().seek(SeekFrom::Start(0)).map_err(|source| failed(path, source))?;
    file.write_all(&sealed(path, &header)?).map_err(|source| failed(path, source))?;
    file.commit().map_err(|source| failed(path, source))?;
    Ok(at)
}

/// The bytes of a header.
fn sealed(path: &Path, header: &Header) -> Result<Vec<u8>, TableError> {
    header.sealed().map_err(|fault| TableError::Header { path: path.to_owned(), fault })
}

/// The error of writing a table.
fn failed(path: &Path, source: io::Error) -> TableError {
    TableError::Write { path: path.to_owned(), source }
}

/// The header with empty streams.
fn header(table: &Table, label: Label, layout: &Layout) -> Header {
    let by_side = count_words(table);
    let sides = Side::ALL.map(|side| &by_side[side]);
    let pairs = table.ranks.len();
    let wins = occurring(pairs, sides, WordCounts::wins);
    let losses = occurring(pairs, sides, WordCounts::losses);
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
        wins: wins.iter().map(|&r| table.ranks[r]).collect(),
        losses: losses.iter().map(|&r| table.ranks[r]).collect(),
        dependencies: label.dependencies,
        content: label.content,
        fold: layout.fold as u8,
        streams: vec![empty; 2 * table.words.len()],
        rebuilt: 0,
    }
}

/// The numbers, below `pairs`, of the pairs with positions of either side; `count` is that of wins or of losses.
fn occurring(
    pairs: usize,
    sides: [&WordCounts; 2],
    count: fn(&WordCounts, usize) -> u64,
) -> Vec<usize> {
    (0..pairs).filter(|&r| sides.iter().any(|words| count(words, r) > 0)).collect()
}

fn longest_fen(table: &Table, side: Side, plies: u16) -> String {
    let is_other = side.index() >= table.words.len();
    let position = longest_position(table, if is_other { 0 } else { side.index() }, plies);
    let position = position.map(|p| if is_other { exchanged(&p) } else { p });
    position.filter(|_| plies > 0).map(|position| position.to_fen()).unwrap_or_default()
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
        let second = self.distance_rate(header, numbering, 1)?;
        let first = self.distance_rate(header, numbering, 0)?;
        let costlier = usize::from(second > first);
        // One side at most: readers find its distances from those of the other.
        for side in [costlier, 1 - costlier] {
            if self.has_distances_by_moves(side) {
                rebuilt |= 1 << Section::Distance.stream(side);
                break;
            }
        }
        Ok(rebuilt)
    }

    /// Bytes for each 2^20 slots of a side's distances.
    fn distance_rate(
        &self,
        header: &Header,
        numbering: Numbering<'_>,
        side: usize,
    ) -> io::Result<u64> {
        let number = Section::Distance.stream(side);
        let source = SymbolChoices::new(self.table, header, number, &[]);
        let encoder = Encoder { numbering, source };
        order::first_rate(&encoder, header.alphabet(number))
    }

    /// Positions in check in a sample of a side's slots.
    fn count_checked(&self, side: usize) -> usize {
        // A prime step: one with a divisor in common with the size of the fastest group would meet only some of
        // its digits.
        let words = self.table.words[side].par_iter().enumerate().step_by(CHECK_SAMPLE);
        let checked = words.map_init(
            || self.graph.cursor(),
            |board, (slot, &word)| {
                word != ILLEGAL && self.graph.is_in_check(board, side, slot as u32)
            },
        );
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
        // A byte has the bits of four slots: a fourth of the task in bytes, so that no two tasks write one.
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

    fn freedom_by_captures(
        &self,
        board: &mut SlotBoard<'_>,
        side: usize,
        slot: u32,
        word: u16,
    ) -> u8 {
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

/// The layout of a stream that compresses best among those tried. Marks that all may be the same
/// need no trial.
fn plan(encoder: &Encoder<'_>, header: &Header, stream: usize) -> io::Result<Plan> {
    let alphabet = header.alphabet(stream);
    let wins_by_rule = header.counts[stream / 2].by_rule_win;
    if alphabet == Alphabet::LoopMarks && wins_by_rule == 0 {
        return Ok(order::first_plan(encoder, alphabet));
    }
    order::choose(encoder, alphabet)
}
