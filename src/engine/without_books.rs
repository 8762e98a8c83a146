//! A stand-in for the books where the feature `book` is not chosen: there are none to play from.

use super::playable::Playable;
use crate::game::Line;
use crate::message::Message;

/// A book to play from: without the feature `book` there is none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OwnBook {}

/// The way of choosing one of a book's moves: without the feature `book` there is nothing to choose.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SelectOptions {}

/// The books that the engine plays from: none.
#[derive(Debug)]
pub(crate) struct OpeningBooks;

impl OpeningBooks {
    /// Opens no book.
    #[expect(clippy::extra_unused_type_parameters, reason = "as the books of the feature `book`")]
    pub(crate) const fn open<G: Playable>(
        _books: &[OwnBook],
        _select: SelectOptions,
        _seed: Option<u64>,
        _warnings: &mut Vec<Message>,
    ) -> Self {
        Self
    }

    /// Begins another game.
    pub(crate) const fn new_game(&mut self) {}

    /// Has no move.
    pub(crate) const fn choose<G: Playable>(
        &mut self,
        _line: &Line<G>,
        _rules: G::Rules,
        _refuses: &dyn Fn(G::Move, &Line<G>) -> bool,
        _warnings: &mut Vec<Message>,
    ) -> Option<G::Move> {
        None
    }
}
