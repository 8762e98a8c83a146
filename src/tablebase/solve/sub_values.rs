//! The values of smaller tables, which answer captures: a byte for each slot where that suffices.

use std::sync::Arc;

use rayon::prelude::*;

use crate::game::Side;
use crate::tablebase::index::numbering::{Digits, Index};
use crate::tablebase::material::Material;
use crate::tablebase::solve::table::{Table, locate, meaning};
use crate::tablebase::value::Entry;

/// Slots of a parallel task.
const TASK: usize = 1 << 16;

/// The values of a table, or of one of its sides to move, as short as they can be kept.
#[derive(Debug)]
pub(crate) struct SubValues {
    pub(crate) index: Arc<Index>,
    /// By side to move.
    words: Vec<Words>,
    ranks: Vec<(u16, u16)>,
}

/// The words of a side, as in [`Table`].
#[derive(Debug)]
enum Words {
    Wide(Vec<u16>),
    /// At most 256 words occur: the number of each slot's word, and the words.
    Narrow(Vec<u8>, Vec<u16>),
}

impl Words {
    fn new(words: Vec<u16>) -> Self {
        let occurring = occurring(&words);
        if occurring.len() > 256 {
            return Self::Wide(words);
        }
        let mut numbers = vec![0; 1 << 16];
        for (number, &word) in occurring.iter().enumerate() {
            numbers[usize::from(word)] = number as u8;
        }
        let narrow = words.par_iter().map(|&word| numbers[usize::from(word)]).collect();
        Self::Narrow(narrow, occurring)
    }

    #[inline]
    fn word(&self, slot: u32) -> u16 {
        match self {
            Self::Wide(words) => words[slot as usize],
            Self::Narrow(numbers, words) => words[usize::from(numbers[slot as usize])],
        }
    }

    fn bytes(&self) -> u64 {
        match self {
            Self::Wide(words) => 2 * words.len() as u64,
            Self::Narrow(numbers, _) => numbers.len() as u64,
        }
    }
}

/// The words that occur, ascending.
fn occurring(words: &[u16]) -> Vec<u16> {
    let used = words
        .par_chunks(TASK)
        .fold(none_used, mark_used)
        .reduce(none_used, |a: Vec<bool>, b: Vec<bool>| {
            a.iter().zip(&b).map(|(a, b)| a | b).collect()
        });
    (0..=u16::MAX).filter(|&word| used[usize::from(word)]).collect()
}

/// Marks the words that occur.
fn mark_used(mut used: Vec<bool>, words: &[u16]) -> Vec<bool> {
    for &word in words {
        used[usize::from(word)] = true;
    }
    used
}

/// A mark for each possible word, none set.
fn none_used() -> Vec<bool> {
    vec![false; 1 << 16]
}

impl From<Table> for SubValues {
    fn from(table: Table) -> Self {
        let words = table.words.into_iter().map(Words::new).collect();
        Self { index: table.index, words, ranks: table.ranks }
    }
}

impl SubValues {
    /// Values of which nothing is known; `None` if the table has too many slots.
    pub(crate) fn unknown(material: Material) -> Option<Self> {
        Table::without_values(material).map(Self::from)
    }

    /// Size of the values in bytes.
    pub(crate) fn bytes(&self) -> u64 {
        self.words.iter().map(Words::bytes).sum()
    }

    /// The value of a placement; `None` if illegal.
    #[inline]
    pub(crate) fn entry(&self, side: Side, digits: &Digits) -> Option<Entry> {
        let (side, slot) = locate(&self.index, side, digits);
        meaning(&self.ranks, self.words[side].word(slot))
    }

    /// The highest order that occurs.
    pub(crate) fn last_order(&self) -> u16 {
        self.ranks.last().map_or(0, |&(order, _)| order)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_words_take_a_byte_each_and_many_two() {
        for different in [1, 2, 255, 256, 257, 5000] {
            let words: Vec<u16> = (0..10_000u32).map(|i| (i % different * 13) as u16).collect();
            let kept = Words::new(words.clone());
            assert_eq!(kept.bytes(), if different > 256 { 20_000 } else { 10_000 });
            assert!((0..).zip(&words).all(|(slot, &word)| kept.word(slot) == word));
        }
        assert_eq!(Words::new(Vec::new()).bytes(), 0);
    }
}
