//! The header of a table: the facts that a reader needs before the blocks.

use serde::{Deserialize, Serialize};

use crate::bytes::sealed::{self, SealError, SealedKind};
use crate::game::{BySide, Game, Side};
use crate::message::{Message, message};
use crate::tablebase::format::layout::Layout;
use crate::tablebase::format::symbols::{Alphabet, Packing};
use crate::tablebase::format::value_counts::{HistogramRow, SideCounts, count_words};
use crate::tablebase::index::numbering::Index;
use crate::tablebase::material::Material;
use crate::tablebase::solve::solver::{ORDER_LIMIT, RANK_LIMIT};
use crate::tablebase::solve::table::{Table, locate_position};
use crate::tablebase::value::{Entry, Metric, Rules};
use crate::xiangqi::Position;

/// The kind of the sealed header: magic, version and limit of its length.
const KIND: SealedKind = SealedKind { magic: *b"JZTABLE\0", version: 3, limit: 1 << 22 };

/// The version before it, which is read as well: headers without [`Header::rebuilt`].
const OLDER: SealedKind = SealedKind { version: 2, ..KIND };

/// (order, distance) pairs.
pub(crate) type Ranks = Vec<(u16, u16)>;

/// The two parts of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Section {
    Wdl,
    Distance,
}

impl Section {
    pub(crate) const ALL: [Self; 2] = [Self::Wdl, Self::Distance];

    /// The number of its stream with a side to move.
    #[inline]
    pub(crate) const fn stream(self, side: usize) -> usize {
        2 * side + self as usize
    }

    /// The section of a stream.
    pub(crate) const fn of_stream(stream: usize) -> Self {
        if stream.is_multiple_of(2) { Self::Wdl } else { Self::Distance }
    }
}

/// The facts about a table that a reader needs before its blocks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Header {
    pub(crate) material: String,
    pub(crate) rules: String,
    pub(crate) metric: String,
    /// The program that wrote it.
    pub(crate) tool: String,
    /// Slots per side to move of the generator.
    pub(crate) slots: u64,
    /// By side to move.
    pub(crate) counts: [SideCounts; 2],
    /// By side to move: a position with the longest win of order 0 in FEN; empty if there is none.
    pub(crate) longest: [String; 2],
    /// The (order, distance) pairs of wins, ascending.
    pub(crate) wins: Ranks,
    /// The (order, distance) pairs of losses, ascending.
    pub(crate) losses: Ranks,
    /// By side to move: the number of positions of the whole board for each pair of `wins`.
    pub(crate) win_counts: [Vec<u64>; 2],
    /// By side to move: the number of positions of the whole board for each pair of `losses`.
    pub(crate) loss_counts: [Vec<u64>; 2],
    /// The tables that captures lead to, by name, and their content hashes.
    pub(crate) dependencies: Vec<(String, [u8; 32])>,
    /// See [`crate::tablebase::solve::content`].
    pub(crate) content: [u8; 32],
    /// The component through which mirror images are folded.
    pub(crate) fold: u8,
    /// For each side to move the stream of results, then that of distances.
    pub(crate) streams: Vec<Stream>,
    /// Bit n is set if readers rebuild values of stream n from those after one move: of results
    /// those of positions in check, of distances all.
    pub(crate) rebuilt: u8,
}

/// The values of a section with one side to move: consecutive blocks, and a table of them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Stream {
    /// The packing of values into bytes: see [`Packing`].
    pub(crate) packing: u8,
    /// The components, the slowest first.
    pub(crate) order: Vec<u8>,
    /// Bytes of all blocks.
    pub(crate) bytes: u64,
    /// Bytes of the block table.
    pub(crate) table_bytes: u64,
    /// CRC32 of the block table.
    pub(crate) table_crc: u32,
}

/// The contents of the header beside the values.
pub(crate) struct Label {
    pub(crate) rules: Rules,
    pub(crate) metric: Metric,
    pub(crate) dependencies: Vec<(String, [u8; 32])>,
    pub(crate) content: [u8; 32],
}

impl Header {
    /// Returns true if numbers of the distance section need two bytes.
    fn is_wide(&self) -> bool {
        self.wins.len().max(self.losses.len()) > 256
    }

    /// The symbols of a stream.
    pub(crate) fn alphabet(&self, stream: usize) -> Alphabet {
        match Section::of_stream(stream) {
            Section::Wdl => Alphabet::Results,
            Section::Distance if self.is_rebuilt(stream) => Alphabet::LoopMarks,
            Section::Distance if self.is_wide() => Alphabet::WideNumbers,
            Section::Distance => Alphabet::Numbers,
        }
    }

    /// Returns true if readers rebuild values of a stream: see [`Header::rebuilt`].
    #[inline]
    pub(crate) fn is_rebuilt(&self, stream: usize) -> bool {
        self.rebuilt >> stream & 1 == 1
    }

    /// Returns true if what is rebuilt can be: of each section no more than one side of two, from
    /// the other.
    fn can_rebuild(&self) -> bool {
        let sides = self.sides();
        self.rebuilt == 0
            || sides == 2
                && u32::from(self.rebuilt) >> (2 * sides) == 0
                && !Section::ALL.into_iter().any(|section: Section| {
                    (0..2).all(|side| self.is_rebuilt(section.stream(side)))
                })
    }

    /// Sides to move that have streams of their own.
    pub(crate) fn sides(&self) -> usize {
        self.streams.len() / 2
    }

    /// The header's bytes as they stand in the file. Their number does not depend on that of blocks.
    pub(crate) fn sealed(&self) -> Result<Vec<u8>, SealError> {
        sealed::seal(KIND, self)
    }

    /// Reads the header at the beginning of `bytes`; returns it with its end.
    pub(crate) fn read(bytes: &[u8]) -> Result<(Self, usize), SealError> {
        let end = Self::end(bytes).unwrap_or(bytes.len()).min(bytes.len());
        let own = &bytes[..end];
        let header = match sealed::version(own) {
            // The field that version 3 has gained, as it would stand in older files: nothing is rebuilt.
            Some(version) if version == OLDER.version => sealed::unseal_older(OLDER, own, &[0])?,
            _ => sealed::unseal(KIND, own)?,
        };
        Ok((header, end))
    }

    /// Returns true if a header that begins with these bytes is of a version that is no longer read.
    pub(crate) fn is_unreadably_old(start: &[u8]) -> bool {
        start.starts_with(&KIND.magic)
            && sealed::version(start).is_some_and(|version| version < OLDER.version)
    }

    /// The end of the header, by its first [`sealed::HEADER_LEN`] bytes; `None` if they are fewer,
    /// or state a length that no header has.
    pub(crate) fn end(start: &[u8]) -> Option<usize> {
        sealed::end(KIND, start)
    }

    /// The layout of the file, or the reason for which the header cannot be right.
    pub(crate) fn check(
        &self,
        material: Material,
        rules: Rules,
        metric: Metric,
    ) -> Result<Layout, Message> {
        let names = [
            ("material", &self.material, material.to_string()),
            ("rules", &self.rules, rules.to_string()),
            ("metric", &self.metric, metric.to_string()),
        ];
        for (what, found, wanted) in names {
            if *found != wanted {
                return Err(message!("the {what} in the file is {found:?}, not {wanted:?}"));
            }
        }
        if Index::count_slots(material).map(u64::from) != Some(self.slots) {
            return Err(message!("{} slots are impossible", self.slots));
        }
        if !self.has_possible_ranks() || !self.could_count(material) {
            return Err("the header contradicts itself".into());
        }
        if self.ranks().iter().any(|&(_, distance)| distance > metric.horizon()) {
            return Err("the header has distances beyond its limit".into());
        }
        let names = self.dependencies.iter().map(|(name, _)| name.as_str());
        if !names.eq(material.captures().iter().map(Material::to_string)) {
            return Err("the header names other smaller tables than captures lead to".into());
        }
        let layout = Layout::with_fold(material, self.fold.into());
        let layout = layout.ok_or("there is no component to fold through")?;
        let sides = if material.is_symmetric() { 1 } else { 2 };
        let are_possible = self.streams.len() == 2 * sides
            && self.streams.iter().enumerate().all(|(i, stream)| {
                let packing = Packing::from_byte(stream.packing);
                layout.strides(&stream.order).is_some()
                    && packing.is_some_and(|p| p.is_possible(self.alphabet(i)))
            });
        if are_possible && self.can_rebuild() && (self.rebuilt == 0 || metric.limit().is_none()) {
            Ok(layout)
        } else {
            Err("a stream is impossible".into())
        }
    }

    /// Returns true if the pairs can be those of a table: no more than [`Table`] has words for.
    fn has_possible_ranks(&self) -> bool {
        possible_ranks(&self.wins)
            && possible_ranks(&self.losses)
            && self.ranks().len() <= RANK_LIMIT as usize
    }

    /// Returns true if the counts can be those of a table of this number of slots with these pairs.
    fn could_count(&self, material: Material) -> bool {
        let last_order = self.wins.iter().chain(&self.losses).map(|&(order, _)| order).max();
        Side::ALL.into_iter().all(|side| {
            let i = side.index();
            let counts = &self.counts[i];
            let sum = counts.win.checked_add(counts.draw).and_then(|s| s.checked_add(counts.loss));
            // A slot stands for a position and perhaps its mirror image.
            sum.is_some_and(|sum| sum <= 2 * self.slots)
                && counts.last_order <= last_order.unwrap_or(0)
                && adds_up(&self.wins, &self.win_counts[i], counts.win, counts.by_rule_win)
                && adds_up(&self.losses, &self.loss_counts[i], counts.loss, counts.by_rule_loss)
                && (counts.longest_win == 0) == self.longest[i].is_empty()
                && self.has_longest(material, i)
        })
    }

    fn has_longest(&self, material: Material, side: usize) -> bool {
        let fen = &self.longest[side];
        fen.is_empty()
            || fen.len() < 128
                && Position::from_fen(fen).is_ok_and(|position| {
                    Material::of(&position) == (material, false)
                        && position.turn() == Side::ALL[side]
                })
    }

    /// The pairs of wins and losses together, ascending, each once.
    pub(crate) fn ranks(&self) -> Ranks {
        let mut ranks = [self.wins.as_slice(), self.losses.as_slice()].concat();
        ranks.sort_unstable();
        ranks.dedup();
        ranks
    }

    /// The number of positions of each value that occurs with a side to move.
    pub(crate) fn histogram(&self, side: Side) -> Vec<HistogramRow> {
        let i = side.index();
        let wins = self.wins.iter().map(|&(order, distance)| Entry::win(order, distance));
        let losses = self.losses.iter().map(|&(order, distance)| Entry::loss(order, distance));
        let counts = self.win_counts[i].iter().chain(&self.loss_counts[i]);
        let rows = wins.chain(losses).zip(counts);
        rows.filter(|&(_, &count)| count > 0)
            .map(|(entry, &count)| HistogramRow { entry, count })
            .collect()
    }

    /// The names of the counts and longest wins that are not those of a table, its illegal
    /// positions marked.
    pub(crate) fn mistakes(&self, table: &Table) -> Vec<&'static str> {
        let by_side = count_words(table);
        let longest = self.longest_positions();
        let mut mistakes = Vec::new();
        for side in Side::ALL {
            let counts = &self.counts[side.index()];
            let word_counts = &by_side[side];
            if *counts != word_counts.counts(&table.ranks) {
                mistakes.push("header counts");
            }
            if self.histogram(side) != word_counts.histogram(&table.ranks) {
                mistakes.push("header histogram");
            }
            let win = Some(Entry::win(0, counts.longest_win));
            if longest[side].as_ref().is_some_and(|position| value(table, position) != win) {
                mistakes.push("longest win");
            }
        }
        mistakes
    }

    /// By side to move: a position with the longest win, if there is one.
    pub(crate) fn longest_positions(&self) -> BySide<Option<Position>> {
        BySide::new_with(|side| Position::from_fen(&self.longest[side.index()]).ok())
    }
}

/// The value of a position, the material's first side being Red, in a table.
fn value(table: &Table, position: &Position) -> Option<Entry> {
    let (side, slot) = locate_position(&table.index, position, false)?;
    table.meaning(table.words[side][slot as usize])
}

/// Returns true if the counts of all pairs add up to these sums.
fn adds_up(ranks: &[(u16, u16)], counts: &[u64], sum: u64, by_rule: u64) -> bool {
    ranks.len() == counts.len()
        && total(ranks, counts, 0) == Some(sum)
        && total(ranks, counts, 1) == Some(by_rule)
}

/// The sum of the counts of pairs from an order on.
fn total(ranks: &[(u16, u16)], counts: &[u64], first_order: u16) -> Option<u64> {
    let pairs = ranks.iter().zip(counts).filter(|((order, _), _)| *order >= first_order);
    // Counts come from a file: their sum may not fit.
    pairs.map(|(_, &count)| count).try_fold(0u64, u64::checked_add)
}

/// Returns true if these can be (order, distance) pairs of a table: ascending, none out of the
/// generator's range.
fn possible_ranks(ranks: &[(u16, u16)]) -> bool {
    ranks.len() <= RANK_LIMIT as usize
        && ranks.is_sorted_by(|a, b| a < b)
        && ranks
            .iter()
            .all(|&(order, distance)| order < ORDER_LIMIT && u32::from(distance) < RANK_LIMIT)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tablebase::format::file_name;
    use crate::tablebase::generate::generator::{NoProgress, generate_all};
    use crate::tablebase::generate::options::GenerateOptions;

    const PLACE: (Rules, Metric) = (Rules::Check, Metric::Dtm);

    fn header(name: &str) -> Header {
        let folder = tempfile::tempdir().unwrap();
        let material = name.parse().unwrap();
        generate_all(folder.path(), &[material], &GenerateOptions::default(), &NoProgress).unwrap();
        let file = folder.path().join(file_name(material, PLACE.0, PLACE.1));
        Header::read(&std::fs::read(file).unwrap()).unwrap().0
    }

    /// A change, and a part of the error message about it.
    type Change = (fn(&mut Header), &'static str);

    fn refuse(header: &Header, changes: &[Change]) {
        let material = header.material.parse().unwrap();
        assert!(header.check(material, PLACE.0, PLACE.1).is_ok());
        for (i, (change, part)) in changes.iter().enumerate() {
            let mut header = header.clone();
            change(&mut header);
            let error = header.check(material, PLACE.0, PLACE.1).expect_err(&format!("change {i}"));
            assert!(error.to_string().contains(part), "change {i}: {error}");
        }
    }

    const CONTRADICTION: &str = "contradicts itself";

    #[test]
    fn headers_of_other_tables_are_refused() {
        refuse(
            &header("KRvKN"),
            &[
                (|h| h.material = "KRvKC".to_owned(), "material"),
                (|h| h.rules = "none".to_owned(), "rules"),
                (|h| h.metric = "dtc".to_owned(), "metric"),
                (|h| h.slots += 1, "slots"),
                (|h| h.slots = u64::MAX, "slots"),
                (|h| h.dependencies.clear(), "smaller tables"),
                (|h| h.dependencies.reverse(), "smaller tables"),
                (|h| h.dependencies[0].0 = "KPvK".to_owned(), "smaller tables"),
                (|h| h.fold = 4, "fold"),
                (|h| h.fold = u8::MAX, "fold"),
            ],
        );
    }

    #[test]
    fn pairs_out_of_bounds_are_refused() {
        fn add_win(header: &mut Header, pair: (u16, u16)) {
            header.wins.push(pair);
            header.win_counts.iter_mut().for_each(|counts| counts.push(0));
        }
        fn add_loss(header: &mut Header, pair: (u16, u16)) {
            header.losses.push(pair);
            header.loss_counts.iter_mut().for_each(|counts| counts.push(0));
        }
        let header = header("KRvKN");
        let mut more = header.clone();
        add_win(&mut more, (ORDER_LIMIT - 1, (RANK_LIMIT - 1) as u16));
        add_loss(&mut more, (ORDER_LIMIT - 1, (RANK_LIMIT - 1) as u16));
        refuse(&more, &[]);
        refuse(
            &header,
            &[
                (|h| add_win(h, (ORDER_LIMIT, 1)), CONTRADICTION),
                (|h| add_loss(h, (ORDER_LIMIT, 1)), CONTRADICTION),
                (|h| add_win(h, (ORDER_LIMIT - 1, RANK_LIMIT as u16)), CONTRADICTION),
                (|h| add_loss(h, (ORDER_LIMIT - 1, u16::MAX)), CONTRADICTION),
                (|h| add_win(h, (0, 1)), CONTRADICTION),
                (|h| h.wins.reverse(), CONTRADICTION),
                (|h| h.losses.swap(0, 1), CONTRADICTION),
                (
                    |h| {
                        for order in [900, 901] {
                            for distance in 0..RANK_LIMIT as u16 {
                                add_win(h, (order, distance));
                            }
                        }
                    },
                    CONTRADICTION,
                ),
                (|h| h.wins.push((900, 1)), CONTRADICTION),
                (|h| h.win_counts[1].push(0), CONTRADICTION),
                (|h| h.loss_counts[0].truncate(1), CONTRADICTION),
            ],
        );
    }

    /// Adds pairs that no position has.
    fn fill(header: &mut Header, pairs: usize) {
        for distance in 0..pairs as u16 {
            header.wins.push((900, distance));
            header.losses.push((900, distance));
        }
        for side in 0..2 {
            header.win_counts[side].resize(header.wins.len(), 0);
            header.loss_counts[side].resize(header.losses.len(), 0);
        }
    }

    /// As many pairs as words have room for may be written, and are read.
    #[test]
    fn as_many_pairs_as_a_table_has_are_read() {
        let mut header = header("KRvKN");
        header.rebuilt = 0;
        let known = header.ranks().len();
        let mut more = header.clone();
        fill(&mut header, RANK_LIMIT as usize - known);
        assert_eq!(header.ranks().len(), RANK_LIMIT as usize);
        header.streams.iter_mut().skip(1).step_by(2).for_each(|s| s.packing = Packing::Wide.byte());
        let material = "KRvKN".parse().unwrap();
        let checked = header.check(material, PLACE.0, PLACE.1);
        assert!(checked.is_ok(), "{checked:?}");
        assert_eq!(Header::read(&header.sealed().unwrap()).unwrap().0, header);
        fill(&mut more, RANK_LIMIT as usize - known + 1);
        let error = more.check(material, PLACE.0, PLACE.1).unwrap_err();
        assert!(error.to_string().contains(CONTRADICTION));
    }

    #[test]
    fn counts_out_of_bounds_are_refused() {
        refuse(
            &header("KRvKN"),
            &[
                (|h| h.counts[0].win = u64::MAX, CONTRADICTION),
                (|h| h.counts[0].draw = u64::MAX, CONTRADICTION),
                (|h| h.counts[1].draw += 2 * h.slots, CONTRADICTION),
                (|h| h.counts[0].loss += 1, CONTRADICTION),
                (|h| h.counts[0].by_rule_win += 1, CONTRADICTION),
                (|h| h.counts[1].by_rule_loss -= 1, CONTRADICTION),
                (|h| h.counts[1].last_order = 999, CONTRADICTION),
                (|h| h.win_counts[0][0] = u64::MAX, CONTRADICTION),
                (|h| h.loss_counts[1][0] += 1, CONTRADICTION),
                (|h| h.counts[0].longest_win = 0, CONTRADICTION),
                (|h| h.longest[0].clear(), CONTRADICTION),
                (|h| h.longest[0].push_str(&" ".repeat(128)), CONTRADICTION),
                (|h| h.longest[0] = "nothing".to_owned(), CONTRADICTION),
                (|h| h.longest.reverse(), CONTRADICTION),
                (|h| h.longest[0] = "3k5/9/9/9/9/9/9/9/9/R3K4 w".to_owned(), CONTRADICTION),
                // The rook is the first side's.
                (|h| h.longest[0] = "3k4r/9/9/9/9/9/9/9/9/N3K4 w".to_owned(), CONTRADICTION),
            ],
        );
    }

    #[test]
    fn impossible_streams_are_refused() {
        const STREAM: &str = "stream";
        let mut header = header("KRvKN");
        assert_eq!(header.rebuilt.count_ones(), 2, "results and distances, of one side each");
        // All distances stored.
        header.rebuilt = 0;
        header
            .streams
            .iter_mut()
            .skip(1)
            .step_by(2)
            .for_each(|s| s.packing = Packing::Bytes.byte());
        for bits in [0b0001, 0b0100] {
            let rebuilt = Header { rebuilt: bits, ..header.clone() };
            refuse(&rebuilt, &[]);
        }
        refuse(
            &header,
            &[
                (|h| h.rebuilt = 0b0101, STREAM),
                (|h| h.rebuilt = 0b1010, STREAM),
                (|h| h.rebuilt = 0b1_0000, STREAM),
                (|h| h.rebuilt = u8::MAX, STREAM),
                (
                    |h| {
                        h.rebuilt = 0b0010;
                        h.streams[1].packing = Packing::Wide.byte();
                    },
                    STREAM,
                ),
                (|h| h.streams.clear(), STREAM),
                (|h| h.streams.truncate(2), STREAM),
                (|h| h.streams.extend(h.streams.clone()), STREAM),
                (|h| h.streams[0].order.clear(), STREAM),
                (|h| h.streams[1].order.push(0), STREAM),
                (|h| h.streams[2].order[0] = h.streams[2].order[1], STREAM),
                (|h| h.streams[3].order[3] = u8::MAX, STREAM),
                (|h| h.streams[0].packing = Packing::Wide.byte(), STREAM),
                (|h| h.streams[1].packing = Packing::Wide.byte(), STREAM),
                (|h| h.streams[1].packing = Packing::Quads.byte(), STREAM),
                (|h| h.streams[3].packing = Packing::Fives.byte(), STREAM),
                (|h| h.streams[2].packing = u8::MAX, STREAM),
            ],
        );
        let metric = "dtc120".parse().unwrap();
        for (rebuilt, is_possible) in [(0, true), (0b0001, false), (0b0010, false)] {
            let limited = Header { metric: "dtc120".to_owned(), rebuilt, ..header.clone() };
            let found = limited.check("KRvKN".parse().unwrap(), PLACE.0, metric);
            assert_eq!(found.is_ok(), is_possible, "{found:?}");
        }
        let mut wide = header;
        wide.wins = (1..=257).map(|distance| (0, distance)).collect();
        assert!(wide.is_wide());
        for (packing, is_possible) in [(Packing::Bytes, false), (Packing::Wide, true)] {
            assert_eq!(packing.is_possible(wide.alphabet(1)), is_possible);
        }
        let symmetric = self::header("KRvKR");
        assert_eq!((symmetric.streams.len(), symmetric.rebuilt), (2, 0));
        refuse(&symmetric, &[(|h| h.rebuilt = 1, STREAM), (|h| h.rebuilt = 2, STREAM)]);
    }
}
