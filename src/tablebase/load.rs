//! Reading whole tables into memory: what is stored, and what captures make better.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use rayon::prelude::*;

use super::arena::TableArena;
use super::format::{TableError, TableFile, wdl_of};
use super::index::Index;
use super::material::Material;
use super::probe::Tables;
use super::solve::ILLEGAL;
use super::table::{DRAW, Table, position_of};
use super::value::{Entry, Wdl};
use crate::game::Side;
use crate::xiangqi::Role;

/// Slots of a parallel task.
const TASK: usize = 1 << 12;

/// Tables at hand, by material and the sides to move that were read.
type Shelf = HashMap<(Material, [bool; 2]), Arc<Table>>;

impl Tables {
    /// Reads the values of a table with the given sides of its index to move; the words of a side
    /// not asked for are empty. Illegal slots have arbitrary values.
    pub(super) fn load(&self, material: Material, sides: [bool; 2]) -> Result<Table, TableError> {
        self.load_over(material, sides, &mut Shelf::new())
    }

    fn load_over(
        &self,
        material: Material,
        sides: [bool; 2],
        shelf: &mut Shelf,
    ) -> Result<Table, TableError> {
        let mut subs = HashMap::new();
        for (left, sides) in needed_subs(material, sides) {
            let sub = match shelf.get(&(left, sides)) {
                Some(sub) => Arc::clone(sub),
                None => Arc::new(self.load_over(left, sides, shelf)?),
            };
            shelf.insert((left, sides), Arc::clone(&sub));
            subs.insert(left, sub);
        }
        let file = self.file(material)?;
        let too_many = || TableError::Contents {
            path: file.path().to_owned(),
            what: "too many slots".to_owned(),
        };
        let index = Index::new(material).map_err(|_| too_many())?;
        let find = |left| match subs.get(&left) {
            Some(sub) => Some(Arc::clone(sub)),
            // Captures of the side that is not wanted lead there: nobody asks.
            None => Table::without_values(left).map(Arc::new),
        };
        let arena = TableArena::new(index, self.metric(), find).ok_or_else(too_many)?;
        let loader = Loader::new(file, &arena);
        let mut words = Vec::new();
        for (side, is_wanted) in sides.into_iter().enumerate().take(arena.index().sides()) {
            words.push(if is_wanted { loader.words(side)? } else { Vec::new() });
        }
        let ranks = file.header.ranks();
        Ok(Table { index: Arc::clone(arena.index()), words, ranks })
    }
}

/// The tables that captures by these sides to move lead to, and the sides to move needed of them.
fn needed_subs(material: Material, sides: [bool; 2]) -> BTreeMap<Material, [bool; 2]> {
    let mut needed = BTreeMap::new();
    for mover in Side::ALL {
        let is_wanted = sides[if material.is_symmetric() { 0 } else { mover.index() }];
        let subs = Role::ALL.into_iter().filter_map(|role| material.without(!mover, role));
        for (left, swap) in subs.filter(|_| is_wanted) {
            let to_move = if swap { mover } else { !mover };
            let side = if left.is_symmetric() { 0 } else { to_move.index() };
            needed.entry(left).or_insert([false; 2])[side] = true;
        }
    }
    needed
}

/// Turns what is stored into the words of a table.
struct Loader<'a> {
    file: &'a TableFile,
    arena: &'a TableArena,
    ranks: Vec<(u16, u16)>,
    /// By number: the words of losses and of wins.
    losses: Vec<u16>,
    wins: Vec<u16>,
}

impl<'a> Loader<'a> {
    fn new(file: &'a TableFile, arena: &'a TableArena) -> Self {
        let ranks = file.header.ranks();
        let words = |list: &[(u16, u16)], first: u16| {
            let word = |rank| 2 * ranks.binary_search(rank).unwrap_or_default() as u16 + first;
            list.iter().map(word).collect()
        };
        let (losses, wins) = (words(&file.header.losses, 2), words(&file.header.wins, 1));
        Self { file, arena, ranks, losses, wins }
    }

    fn words(&self, side: usize) -> Result<Vec<u16>, TableError> {
        let mut words = self.file.stored_words(self.arena.index(), side)?;
        words.par_chunks_mut(TASK).enumerate().try_for_each(|(task, words)| {
            for (i, word) in words.iter_mut().enumerate() {
                let slot = (task * TASK + i) as u32;
                *word = match self.word(side, slot, *word) {
                    Some(word) => word,
                    None if self.is_legal(side, slot) => {
                        return Err(self.file.impossible_number(side));
                    }
                    None => ILLEGAL,
                };
            }
            Ok(())
        })?;
        Ok(words)
    }

    /// The word of a slot; `None` if its number stands for no pair.
    fn word(&self, side: usize, slot: u32, stored: u16) -> Option<u16> {
        let capture = self.arena.best_capture(side, slot);
        let own = wdl_of(stored & 3)?;
        let wdl = capture.map_or(own, |capture| own.max(capture.wdl));
        let number = usize::from(stored >> 2);
        let word = match wdl {
            Wdl::Draw => return Some(DRAW),
            Wdl::Loss => *self.losses.get(number)?,
            Wdl::Win => *self.wins.get(number)?,
        };
        match capture.filter(|capture| capture.wdl == wdl) {
            None => Some(word),
            Some(capture) => {
                let (order, distance) = self.ranks[usize::from(word - 1) / 2];
                let own = Entry { wdl, order, distance };
                if own >= capture { Some(word) } else { self.word_of(capture) }
            }
        }
    }

    fn word_of(&self, entry: Entry) -> Option<u16> {
        let rank = self.ranks.binary_search(&(entry.order, entry.distance)).ok()? as u16;
        Some(2 * rank + if entry.wdl == Wdl::Win { 1 } else { 2 })
    }

    fn is_legal(&self, side: usize, slot: u32) -> bool {
        position_of(self.arena.index(), side, slot)
            .is_some_and(|position| !position.is_attacked_king(!position.turn()))
    }
}
