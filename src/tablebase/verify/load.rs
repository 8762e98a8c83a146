//! Reading whole tables into memory: the stored values, and those that captures make better.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use rayon::prelude::*;

use crate::game::{Game, Side};
use crate::tablebase::format::{
    LOOP_MARK, NO_MARK, Section, TableError, TableFile, symbol_of, wdl_of,
};
use crate::tablebase::generate::subtable_pool::captures_of;
use crate::tablebase::index::board::SlotBoard;
use crate::tablebase::index::numbering::Index;
use crate::tablebase::material::Material;
use crate::tablebase::probe::tables::Tables;
use crate::tablebase::solve::game_graph::TableGraph;
use crate::tablebase::solve::solver::{GameGraph, ILLEGAL};
use crate::tablebase::solve::sub_values::SubValues;
use crate::tablebase::solve::table::{DRAW, Table, position_of};
use crate::tablebase::value::{Entry, Wdl};

/// Slots of a parallel task.
const TASK: usize = 1 << 12;
/// The stored symbol of a win with the first of the pairs: no value is better.
const BEST: u16 = 2;

impl Tables {
    /// Reads the values of a table with the given sides of its index to move; the words of the
    /// other sides are empty. Illegal slots have arbitrary values.
    ///
    /// Smaller tables are read as far as captures need them, each once, and are dropped as soon as
    /// no other needs them.
    pub(crate) fn load(&self, material: Material, wanted: [bool; 2]) -> Result<Table, TableError> {
        let (_, mut table) = self.load_last(material, wanted)?;
        drop_unwanted(&mut table, wanted);
        Ok(table)
    }

    /// Reads the values of a table with either side to move, and its moves. Illegal slots are
    /// [`ILLEGAL`].
    pub(crate) fn load_with_moves(
        &self,
        material: Material,
    ) -> Result<(TableGraph, Table), TableError> {
        let (graph, mut table) = self.load_last(material, [true; 2])?;
        for (side, words) in table.words.iter_mut().enumerate() {
            words.par_chunks_mut(TASK).enumerate().for_each(|(task, words)| {
                let mut board = graph.cursor();
                for (i, word) in words.iter_mut().enumerate() {
                    if !graph.is_legal(&mut board, side, (task * TASK + i) as u32) {
                        *word = ILLEGAL;
                    }
                }
            });
        }
        Ok((graph, table))
    }

    /// Reads a table after those that it needs.
    fn load_last(
        &self,
        material: Material,
        wanted: [bool; 2],
    ) -> Result<(TableGraph, Table), TableError> {
        let mut reading = PendingTables::new(material, wanted, |material, sides| {
            Ok(self.file(material)?.sides_to_read(sides))
        })?;
        let mut loaded = HashMap::new();
        while let Some((next, sides)) = reading.queue.pop() {
            let (graph, table) = self.load_over(next, sides, &loaded)?;
            if next == material {
                return Ok((graph, table));
            }
            loaded.insert(next, Arc::new(table.into()));
            reading.drop_unneeded(next, sides, &mut loaded);
        }
        Err(self.missing(material))
    }

    /// Reads a table; those that captures lead to are in `loaded`.
    fn load_over(
        &self,
        material: Material,
        sides: [bool; 2],
        loaded: &HashMap<Material, Arc<SubValues>>,
    ) -> Result<(TableGraph, Table), TableError> {
        let file = self.file(material)?;
        let too_many =
            || TableError::Contents { path: file.path().to_owned(), what: "too many slots".into() };
        let index = Index::new(material).map_err(|_| too_many())?;
        let graph = TableGraph::new(index, self.metric(), |left| match loaded.get(&left) {
            Some(sub) => Some(Arc::clone(sub)),
            // Captures of the side that is not wanted lead there: it is never looked up.
            None => SubValues::unknown(left).map(Arc::new),
        });
        let graph = graph.ok_or_else(too_many)?;
        let words = Loader::new(file, &graph).words(sides)?;
        let ranks = file.header.ranks();
        let table = Table { index: Arc::clone(graph.index()), words, ranks };
        Ok((graph, table))
    }
}

/// The tables still to be read.
struct PendingTables {
    /// Tables and the sides to move wanted of them; the next is the last.
    queue: Vec<(Material, [bool; 2])>,
    /// By table: the number of those in the queue that need it.
    users: HashMap<Material, usize>,
}

impl PendingTables {
    /// Queues all tables that a table needs, and itself: the fewest pieces first. `to_read` gives the
    /// sides to move that must be read of a table for those that are needed of it.
    fn new(
        material: Material,
        sides: [bool; 2],
        to_read: impl Fn(Material, [bool; 2]) -> Result<[bool; 2], TableError>,
    ) -> Result<Self, TableError> {
        let mut queue = Vec::new();
        let mut users = HashMap::new();
        let mut level = BTreeMap::from([(material, sides)]);
        while !level.is_empty() {
            for (&material, sides) in &mut level {
                *sides = to_read(material, *sides)?;
            }
            let mut next = BTreeMap::new();
            for (&material, &sides) in &level {
                for (left, sides) in needed_subs(material, sides) {
                    *users.entry(left).or_insert(0) += 1;
                    let wanted: &mut [bool; 2] = next.entry(left).or_default();
                    *wanted = [wanted[0] | sides[0], wanted[1] | sides[1]];
                }
            }
            queue.extend(level);
            level = next;
        }
        Ok(Self { queue, users })
    }

    /// Drops, after a table was read, those of its smaller tables that no other needs.
    fn drop_unneeded(
        &mut self,
        material: Material,
        sides: [bool; 2],
        loaded: &mut HashMap<Material, Arc<SubValues>>,
    ) {
        for left in needed_subs(material, sides).into_keys() {
            if let Some(users) = self.users.get_mut(&left) {
                *users -= 1;
                if *users == 0 {
                    loaded.remove(&left);
                }
            }
        }
    }
}

/// The tables that captures by these sides to move lead to, and the sides to move needed of them.
fn needed_subs(material: Material, sides: [bool; 2]) -> BTreeMap<Material, [bool; 2]> {
    let mut needed = BTreeMap::new();
    for mover in Side::ALL
        .into_iter()
        .filter(|&mover| sides[if material.is_symmetric() { 0 } else { mover.index() }])
    {
        for (left, side) in captures_of(material, mover) {
            needed.entry(left).or_insert([false; 2])[side] = true;
        }
    }
    needed
}

/// Leaves the words of the wanted sides only.
fn drop_unwanted(table: &mut Table, wanted: [bool; 2]) {
    for (words, is_wanted) in table.words.iter_mut().zip(wanted) {
        if !is_wanted {
            *words = Vec::new();
        }
    }
}

/// In words not yet final: the result is still to be rebuilt; the other bits are the stored number.
const PENDING: u16 = 0xc000;
/// In words not yet final, beyond [`DRAW`] and without all of [`PENDING`]: the distance is still to be
/// rebuilt; the lowest two bits are the symbol of the result, those from [`MARK`] on that of the mark.
const PARTIAL: u16 = DRAW | 8;
/// The place of a mark in such words.
const MARK: u32 = 4;

/// The result of a word that is not [`PENDING`]; `None` for illegal positions.
#[inline]
const fn result_of(word: u16) -> Option<Wdl> {
    match word {
        ILLEGAL => None,
        DRAW => Some(Wdl::Draw),
        PARTIAL.. => wdl_of(word & 3),
        _ if word & 1 == 1 => Some(Wdl::Win),
        _ => Some(Wdl::Loss),
    }
}

/// Turns the stored values into the words of a table.
struct Loader<'a> {
    file: &'a TableFile,
    graph: &'a TableGraph,
    /// Something is rebuilt: moves to illegal positions must be known as such.
    marks_illegal: bool,
    ranks: Vec<(u16, u16)>,
    /// By number: the words of losses and of wins.
    losses: Vec<u16>,
    wins: Vec<u16>,
}

impl<'a> Loader<'a> {
    fn new(file: &'a TableFile, graph: &'a TableGraph) -> Self {
        let ranks = file.header.ranks();
        let losses = words_of(&ranks, &file.header.losses, 2);
        let wins = words_of(&ranks, &file.header.wins, 1);
        Self { file, graph, marks_illegal: file.rebuilds_anything(), ranks, losses, wins }
    }

    /// The words of the sides to read; none for the others. Values are rebuilt once those that they
    /// follow from are known: results, which follow from results with the other side to move, then
    /// distances.
    fn words(&self, sides: [bool; 2]) -> Result<Vec<Vec<u16>>, TableError> {
        let index = self.graph.index();
        let mut words = Vec::new();
        for (side, is_wanted) in sides.into_iter().enumerate().take(index.sides()) {
            words.push(if is_wanted { self.file.stored_words(index, side)? } else { Vec::new() });
            self.each_slot(&mut words[side], side, |board, slot, stored| {
                self.first_word(board, side, slot, stored)
            })?;
        }
        for section in Section::ALL {
            let sides = (0..words.len()).filter(|&side| !words[side].is_empty());
            for side in
                sides.filter(|&side| self.file.is_rebuilt(section, side)).collect::<Vec<_>>()
            {
                let mut own = std::mem::take(&mut words[side]);
                let after = &words[1 - side];
                self.each_slot(&mut own, side, |board, slot, word| match section {
                    Section::Wdl if word & PENDING == PENDING => {
                        self.rebuilt_result(board, side, slot, word & !PENDING, after)
                    }
                    Section::Distance if word > DRAW => {
                        self.rebuilt_value(board, side, slot, word, after)
                    }
                    _ => Some(word),
                })?;
                words[side] = own;
            }
        }
        Ok(words)
    }

    /// Replaces the word of each slot of a side; those for which there is none are damage, but of
    /// illegal positions.
    fn each_slot(
        &self,
        words: &mut [u16],
        side: usize,
        word: impl Fn(&mut SlotBoard<'_>, u32, u16) -> Option<u16> + Sync,
    ) -> Result<(), TableError> {
        words.par_chunks_mut(TASK).enumerate().try_for_each(|(task, words)| {
            let mut board = self.graph.cursor();
            for (i, own) in words.iter_mut().enumerate() {
                let slot = (task * TASK + i) as u32;
                *own = match word(&mut board, slot, *own) {
                    Some(word) => word,
                    None => self.without_value(side, slot)?,
                };
            }
            Ok(())
        })
    }

    /// The word of a slot as far as it follows from what is stored and from captures: its final word,
    /// or one that is [`PENDING`] or [`PARTIAL`]. `None` if the number stands for no pair.
    #[inline]
    fn first_word(
        &self,
        board: &mut SlotBoard<'_>,
        side: usize,
        slot: u32,
        stored: u16,
    ) -> Option<u16> {
        if self.marks_illegal && !self.graph.is_legal(board, side, slot) {
            return Some(ILLEGAL);
        }
        if self.file.is_rebuilt(Section::Wdl, side) && self.graph.is_in_check(board, side, slot) {
            return Some(PENDING | stored >> 2);
        }
        self.word(board, side, slot, stored)
    }

    /// The word of a slot by its stored result and number and by captures.
    #[inline]
    fn word(&self, board: &mut SlotBoard<'_>, side: usize, slot: u32, stored: u16) -> Option<u16> {
        let is_rebuilt = self.file.is_rebuilt(Section::Distance, side);
        if stored == BEST && !is_rebuilt {
            // No capture is better.
            return self.wins.first().copied();
        }
        let capture = self.graph.best_capture(board, side, slot);
        let own = wdl_of(stored & 3)?;
        let wdl = capture.map_or(own, |capture| own.max(capture.wdl));
        if wdl == Wdl::Draw {
            return Some(DRAW);
        }
        let number = stored >> 2;
        if is_rebuilt {
            return Some(PARTIAL | (number & 3) << MARK | symbol_of(wdl));
        }
        self.better_word(wdl, number, capture)
    }

    /// The word of a number, or of a capture that is better.
    #[inline]
    fn better_word(&self, wdl: Wdl, number: u16, capture: Option<Entry>) -> Option<u16> {
        let list = if wdl == Wdl::Win { &self.wins } else { &self.losses };
        let word = *list.get(usize::from(number))?;
        match capture.filter(|capture| capture.wdl == wdl) {
            None => Some(word),
            Some(capture) => {
                let (order, distance) = self.ranks[usize::from(word - 1) / 2];
                let own = Entry { wdl, order, distance };
                if own >= capture { Some(word) } else { self.word_of(capture) }
            }
        }
    }

    /// The word of a position in check, whose result is the best that a move gives; partial if its
    /// distance is rebuilt as well.
    fn rebuilt_result(
        &self,
        board: &mut SlotBoard<'_>,
        side: usize,
        slot: u32,
        number: u16,
        after: &[u16],
    ) -> Option<u16> {
        let capture = self.graph.best_capture(board, side, slot);
        let mut wdl = capture.map_or(Wdl::Loss, |capture| capture.wdl);
        self.graph.successors(board, side, slot, |next| {
            if let Some(result) = result_of(after[next as usize]) {
                wdl = wdl.max(-result);
            }
            wdl < Wdl::Win
        });
        match wdl {
            Wdl::Draw => Some(DRAW),
            _ if self.file.is_rebuilt(Section::Distance, side) => {
                Some(PARTIAL | (number & 3) << MARK | symbol_of(wdl))
            }
            _ => self.better_word(wdl, number, capture),
        }
    }

    /// The word of the best move of a slot, or of that at distance 1 if it is marked.
    fn rebuilt_value(
        &self,
        board: &mut SlotBoard<'_>,
        side: usize,
        slot: u32,
        word: u16,
        after: &[u16],
    ) -> Option<u16> {
        let best =
            self.graph.best_move_at(board, side, slot, |_, next| self.entry(after[next as usize]));
        let best = best.unwrap_or(Entry::loss(0, 0));
        if Some(best.wdl) != result_of(word) {
            return None;
        }
        let is_by_rule = best.wdl == Wdl::Win && best.order > 0;
        match word >> MARK & 3 {
            LOOP_MARK if is_by_rule => self.word_of(Entry { distance: 1, ..best }),
            NO_MARK => self.word_of(best),
            // Any symbol may stand where it says nothing.
            _ if !is_by_rule => self.word_of(best),
            _ => None,
        }
    }

    /// The value of a final word.
    fn entry(&self, word: u16) -> Option<Entry> {
        match word {
            ILLEGAL => None,
            DRAW => Some(Entry::DRAW),
            _ => {
                let &(order, distance) = self.ranks.get(usize::from(word - 1) / 2)?;
                Some(Entry { wdl: result_of(word)?, order, distance })
            }
        }
    }

    fn word_of(&self, entry: Entry) -> Option<u16> {
        let rank = self.ranks.binary_search(&(entry.order, entry.distance)).ok()? as u16;
        Some(2 * rank + if entry.wdl == Wdl::Win { 1 } else { 2 })
    }

    /// The word of a slot whose number stands for no pair, or whose value does not follow from its
    /// moves: damage, but of illegal positions.
    fn without_value(&self, side: usize, slot: u32) -> Result<u16, TableError> {
        let position = position_of(self.graph.index(), side, slot);
        match position.filter(|position| !position.is_attacked_king(!position.turn())) {
            None => Ok(ILLEGAL),
            Some(position) => Err(self.file.impossible_number(&position)),
        }
    }
}

/// The words of pairs of a list, that of the first of all pairs being `first`.
fn words_of(ranks: &[(u16, u16)], list: &[(u16, u16)], first: u16) -> Vec<u16> {
    let places = list.iter().map(|rank| ranks.binary_search(rank).unwrap_or_default() as u16);
    places.map(|place| 2 * place + first).collect()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::tablebase::generate::generator::{NoProgress, generate_all};
    use crate::tablebase::generate::options::GenerateOptions;
    use crate::tablebase::solve::table::exchanged;
    use crate::tablebase::value::{Metric, Rules};
    use crate::tablebase::verify::verifier::mark_illegal;

    fn tables(dir: &Path, name: &str, metric: Metric) -> (Tables, Material) {
        let material = name.parse().unwrap();
        let options = GenerateOptions { metric, ..GenerateOptions::default() };
        generate_all(dir, &[material], &options, &NoProgress).unwrap();
        (Tables::open(dir, Rules::Check, metric).unwrap(), material)
    }

    /// Checks that values which a file leaves to its readers come out the same whole and position
    /// by position, and as the generator had them: the content hash is over its values.
    fn check(name: &str, metric: Metric) {
        let folder = tempfile::tempdir().unwrap();
        let (tables, material) = tables(folder.path(), name, metric);
        let mut table = tables.load(material, [true; 2]).unwrap();
        mark_illegal(&mut table);
        let hash = crate::tablebase::solve::content::content_hash(&table);
        assert_eq!(hash, tables.file(material).unwrap().header.content, "{name} {metric}");
        for (side, words) in table.words.iter().enumerate() {
            words.par_iter().enumerate().filter(|&(_, &word)| word != ILLEGAL).for_each(
                |(slot, &word)| {
                    let position = position_of(&table.index, side, slot as u32).unwrap();
                    let value = tables.probe(&position).unwrap();
                    let fen = position.to_fen();
                    assert_eq!(Some(value), table.meaning(word), "{name} {metric} {fen}");
                    assert_eq!(value.wdl, tables.probe_wdl(&position).unwrap(), "{fen}");
                    if slot % 64 == 0 {
                        assert_eq!(value, tables.probe(&exchanged(&position)).unwrap(), "{fen}");
                    }
                },
            );
        }
    }

    #[test]
    fn whole_tables_are_as_probed_and_as_generated() {
        for name in ["KPvKP", "KNvKA", "KRvKN", "KPvKAB"] {
            check(name, Metric::Dtm);
            check(name, Metric::Dtc);
        }
    }

    #[test]
    #[ignore = "cargo test --release --lib load -- --ignored: a minute on two cores"]
    fn larger_tables_are_as_probed_and_as_generated() {
        for name in ["KRvKR", "KCvKC", "KNvKN", "KCPvKA", "KRvKAABB", "KNPvKAA", "KPPvKP"] {
            check(name, Metric::Dtm);
            check(name, Metric::Dtc);
        }
    }

    #[test]
    fn a_side_alone_is_as_both() {
        let folder = tempfile::tempdir().unwrap();
        let (tables, material) = tables(folder.path(), "KPvKAB", Metric::Dtm);
        let both = tables.load(material, [true; 2]).unwrap();
        for side in 0..2 {
            let one = tables.load(material, [side == 0, side == 1]).unwrap();
            assert_eq!(one.words[side], both.words[side]);
            assert!(one.words[1 - side].is_empty());
        }
    }

    #[test]
    fn what_is_read_is_kept_as_long_as_needed() {
        let material = "KRNvKAB".parse().unwrap();
        let mut reading =
            PendingTables::new(material, [true, false], |_, sides| Ok(sides)).unwrap();
        let order = reading.queue.clone();
        assert_eq!(order.first(), Some(&(material, [true, false])));
        let mut loaded = HashMap::new();
        while let Some((next, sides)) = reading.queue.pop() {
            for (left, sides) in needed_subs(next, sides) {
                assert!(loaded.contains_key(&left), "{next} without {left}");
                let read = order.iter().find(|(material, _)| *material == left).unwrap().1;
                assert!(sides[0] <= read[0] && sides[1] <= read[1]);
            }
            loaded.insert(next, Arc::new(SubValues::unknown(next).unwrap()));
            reading.drop_unneeded(next, sides, &mut loaded);
        }
        assert_eq!(loaded.into_keys().collect::<Vec<_>>(), [material]);
    }
}
