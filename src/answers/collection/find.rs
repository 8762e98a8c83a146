//! The conditions of a search, as front ends have them: texts of positions, materials and patterns.

use std::collections::HashSet;
use std::error::Error;

use crate::answers::described::Described;
use crate::answers::error::{AnswerError, ErrorKind};
use crate::answers::line::Typed;
use crate::book::Book;
use crate::collection::{
    BoardPattern, Collected, Conditions, GameIndex, IndexError, Lines, material_key,
};
use crate::game::{Side, Symmetric};
use crate::hash::Key;
use crate::message::message;
use crate::tablebase::{Material, Pattern};
use crate::xiangqi::Role;

/// Plies of a game in a book from which on it follows the book.
pub const FOLLOWING: usize = 6;

/// Conditions on the boards of games, as texts that were typed. All of them must be met.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FindRequest {
    /// Positions one of which is on the board: FENs or `startpos`, with moves perhaps.
    pub positions: Vec<String>,
    /// The position at the end.
    pub last: Option<String>,
    /// The pieces on the board at some time, as sets of endgame tables are named, `*` included.
    pub material: Option<String>,
    /// The text of a [`BoardPattern`].
    pub pattern: Option<String>,
}

/// Conditions on the boards of games, as an index is asked for them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Wanted {
    /// Keys of positions or materials: one of each list is reached.
    any: Vec<Vec<Key>>,
    last: Option<Key>,
    pattern: Option<BoardPattern>,
}

impl FindRequest {
    /// Reads the texts.
    ///
    /// # Errors
    ///
    /// One of them cannot be read.
    pub fn read<G: Described + Collected>(&self) -> Result<Wanted, AnswerError> {
        let mut any = Vec::new();
        if !self.positions.is_empty() {
            let keys = self.positions.iter().map(|text| key_of::<G>(text, "position"));
            any.push(keys.collect::<Result<Vec<_>, _>>()?);
        }
        any.extend(self.material.as_deref().map(material_keys::<G>).transpose()?);
        let last = self.last.as_deref().map(|text| key_of::<G>(text, "last")).transpose()?;
        let pattern = self.pattern.as_deref().map(BoardPattern::read::<G>).transpose();
        let pattern = pattern.map_err(|error| unreadable("pattern", error))?;
        Ok(Wanted { any, last, pattern })
    }
}

impl Wanted {
    /// Adds these conditions to others on the games of an index.
    ///
    /// # Errors
    ///
    /// [`IndexError`].
    pub fn among<G: Collected>(
        &self,
        conditions: Conditions,
        index: &GameIndex,
    ) -> Result<Conditions, IndexError> {
        let mut sets = Vec::new();
        for keys in &self.any {
            sets.push(index.lines_with_any(keys)?);
        }
        if let Some(last) = self.last {
            sets.push(index.lines_ending_in::<G>(last)?);
        }
        if let Some(pattern) = &self.pattern {
            sets.push(index.lines_matching::<G>(pattern)?);
        }
        Ok(with_lines(conditions, sets))
    }
}

/// Adds sets of lines to conditions: games are in all of them.
fn with_lines(conditions: Conditions, sets: Vec<Lines>) -> Conditions {
    let lines = sets.into_iter().fold(conditions.lines.clone(), |before, set| match before {
        None => Some(set),
        Some(before) => Some(before.and(&set)),
    });
    Conditions { lines, ..conditions }
}

/// The conditions, and that games follow a book: `least` of their positions at least are in it, the start aside.
///
/// # Errors
///
/// The book or the index cannot be read.
pub fn following<G: Described + Collected>(
    conditions: Conditions,
    index: &GameIndex,
    (book, least): (&Book, usize),
) -> Result<Conditions, AnswerError> {
    let mut keys = positions_of::<G>(book)?;
    for start in G::starts() {
        keys.remove(&start.canonical().key);
    }
    let keys: Vec<Key> = keys.into_iter().collect();
    Ok(with_lines(conditions, vec![index.lines_with(&keys, least)?]))
}

/// The canonical keys of the positions of a book, those to which its last moves lead among them.
///
/// # Errors
///
/// The book cannot be read.
pub(super) fn positions_of<G: Described + Collected>(
    book: &Book,
) -> Result<HashSet<Key>, AnswerError> {
    let mut keys = HashSet::new();
    book.graph::<G>(0, |_| true)?.for_each_position(|_, position| {
        keys.insert(position.canonical().key);
    });
    Ok(keys)
}

/// The canonical key of a position as it was typed.
fn key_of<G: Described + Symmetric>(text: &str, name: &'static str) -> Result<Key, AnswerError> {
    let typed = Typed::<G>::read(text).map_err(|refusal| unreadable(name, refusal));
    Ok(typed?.line.position().canonical().key)
}

/// The keys of the sets of pieces that a name stands for.
fn material_keys<G: Described + Collected>(text: &str) -> Result<Vec<Key>, AnswerError> {
    if G::start().material().is_none() {
        let refused = message!("{} has no sets of pieces", G::NAME);
        return Err(AnswerError::new(ErrorKind::BadParameter, refused).in_parameter("material"));
    }
    let pattern = text.trim().parse::<Pattern>();
    let pattern = pattern.map_err(|error| unreadable("material", error))?;
    Ok(pattern.materials().iter().map(key_of_material).collect())
}

fn key_of_material(material: &Material) -> Key {
    material_key(counts_of(material, Side::First), counts_of(material, Side::Second))
}

/// The pieces of a side by their roles.
fn counts_of(material: &Material, side: Side) -> [u8; 7] {
    Role::ALL.map(|role| material.count(side, role))
}

/// The error of a text of a request that cannot be read.
fn unreadable(name: &'static str, error: impl Error + Send + Sync + 'static) -> AnswerError {
    AnswerError::new(ErrorKind::BadData, error).in_parameter(name)
}

impl From<IndexError> for AnswerError {
    fn from(error: IndexError) -> Self {
        let kind = match &error {
            IndexError::Interrupted => ErrorKind::Interrupted,
            IndexError::Busy(_) => ErrorKind::Locked,
            IndexError::Damaged { .. } | IndexError::Other { .. } => ErrorKind::Damaged,
            _ => ErrorKind::Io,
        };
        Self::new(kind, error)
    }
}
