//! The lines that follow a position, as a tree.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use serde::Serialize;

use crate::answers::book::moves::{MoveAnswer, all_games, all_weight, moves_of};
use crate::answers::book::names::{Names, OpeningName};
use crate::answers::book::query::{Place, QueryRequest, after};
use crate::answers::described::Described;
use crate::answers::error::AnswerError;
use crate::book::opening::Named;
use crate::book::{Book, BookMove};
use crate::game::{Notation, Symmetric};
use crate::xiangqi::notation::MoveNotation;

/// Moves of a tree, at most.
pub const MAX_TREE_MOVES: usize = 100_000;

/// The question about the lines that follow a position.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TreeRequest {
    /// The question about the position.
    pub query: QueryRequest,
    /// The length of the lines, in plies.
    pub depth: u8,
}

impl TreeRequest {
    /// The answer of a book.
    ///
    /// # Errors
    ///
    /// The position or a move cannot be read; the book cannot be read, or is one of another game.
    pub fn answer<G: Described + Named>(&self, book: &Book) -> Result<TreeAnswer, AnswerError> {
        Ok(self.find::<G>(book)?.answer(book, self.query.notation))
    }

    /// The tree that the answer is made of.
    ///
    /// # Errors
    ///
    /// As [`answer`](Self::answer).
    pub fn find<G: Described + Named>(&self, book: &Book) -> Result<FoundTree<G>, AnswerError> {
        let line = self.query.line.line::<G>()?.line;
        let names = Names::along(&self.query.line, &line);
        let min_games = self.query.min_games.unwrap_or(book.metadata().min_games);
        let position = line.position().clone();
        let moves = TreeMoves::grow(book, &position, self.depth, min_games, MAX_TREE_MOVES)?;
        Ok(FoundTree { position, names, depth: self.depth, min_games, moves })
    }
}

/// The lines from a position.
#[derive(Debug)]
pub struct FoundTree<G: Named> {
    /// The position.
    pub position: G,
    /// The moves.
    pub moves: TreeMoves<G::Move>,
    names: Names<G>,
    depth: u8,
    min_games: u64,
}

/// The moves of a tree.
#[derive(Debug)]
pub struct TreeMoves<M> {
    branches: Vec<Branch<M>>,
    /// Numbers of the branches from the position itself.
    first: Vec<usize>,
    is_cut: bool,
}

/// A move and what follows.
#[derive(Debug)]
pub struct Branch<M> {
    /// The move.
    pub found: BookMove<M>,
    /// Numbers of the branches after it, the most played first, then the heaviest.
    next: Vec<usize>,
}

/// A position whose moves are not in the tree yet.
#[derive(Clone)]
struct Open<G> {
    position: G,
    /// The branch that leads there.
    after: Option<usize>,
    plies: u8,
}

impl<M> TreeMoves<M> {
    /// The moves of the position itself.
    pub fn first(&self) -> impl Iterator<Item = &Branch<M>> {
        self.first.iter().map(|&number| &self.branches[number])
    }

    /// The moves after one of the tree.
    pub fn after(&self, branch: &Branch<M>) -> impl Iterator<Item = &Branch<M>> {
        branch.next.iter().map(|&number| &self.branches[number])
    }

    /// Returns true if there are more moves than [`MAX_TREE_MOVES`]; those that come up seldom are missing then.
    #[must_use]
    pub const fn is_cut(&self) -> bool {
        self.is_cut
    }

    /// The moves of the most played positions first, so that a tree that is cut lacks those that come
    /// up seldom: how often a line comes up is the least number of games of its moves, and in books without
    /// games the least weight.
    fn grow<G: Symmetric<Move = M> + Notation>(
        book: &Book,
        position: &G,
        depth: u8,
        min_games: u64,
        at_most: usize,
    ) -> Result<Self, AnswerError> {
        let mut tree = Self { branches: Vec::new(), first: Vec::new(), is_cut: false };
        let mut open = vec![Open { position: position.clone(), after: None, plies: 0 }];
        // Games, weight, then the order of finding.
        let mut queue = BinaryHeap::from([(u64::MAX, u64::MAX, Reverse(0))]);
        while let Some((games, weight, Reverse(number))) = queue.pop() {
            let Open { position, after: before, plies } = open[number].clone();
            let plies = plies + 1;
            let moves = moves_of(book, &position, min_games)?;
            let room = at_most - tree.branches.len();
            tree.is_cut |= moves.len() > room;
            for found in moves.into_iter().take(room) {
                let branch = tree.branches.len();
                match before {
                    Some(before) => tree.branches[before].next.push(branch),
                    None => tree.first.push(branch),
                }
                if plies < depth {
                    let games = games.min(found.stats.games);
                    let weight = weight.min(found.weight);
                    queue.push((games, weight, Reverse(open.len())));
                    let next = after(&position, &found);
                    open.push(Open { position: next, after: Some(branch), plies });
                }
                tree.branches.push(Branch { found, next: Vec::new() });
            }
            if tree.is_cut {
                break;
            }
        }
        Ok(tree)
    }
}

impl<G: Described + Named> FoundTree<G> {
    /// The answer of the book that the tree is from.
    #[must_use]
    pub fn answer(&self, book: &Book, notation: Option<MoveNotation>) -> TreeAnswer {
        let Self { position, names, depth, min_games, moves } = self;
        TreeAnswer {
            place: Place::of(book, position),
            opening: OpeningName::of::<G>(names.here(position)),
            depth: *depth,
            min_games: *min_games,
            cut: moves.is_cut,
            total: all_games(moves.first().map(|branch| &branch.found)),
            total_weight: all_weight(moves.first().map(|branch| &branch.found)),
            moves: self.answers(&moves.first, position, names, notation),
        }
    }

    fn answers(
        &self,
        branches: &[usize],
        position: &G,
        names: &Names<G>,
        notation: Option<MoveNotation>,
    ) -> Vec<TreeMove> {
        let branches = branches.iter().map(|&number| &self.moves.branches[number]);
        branches
            .map(|Branch { found, next }| {
                let next_position = after(position, found);
                let mut names = names.clone();
                names.push(&next_position);
                let opening = names.here(&next_position);
                TreeMove {
                    found: MoveAnswer::of(found, position, opening, notation),
                    moves: self.answers(next, &next_position, &names, notation),
                }
            })
            .collect()
    }
}

/// The answer: schema `juzhong.book.query/1`, with the lines instead of the moves alone.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TreeAnswer {
    /// The position.
    #[serde(flatten)]
    pub place: Place,
    /// Its name.
    #[serde(flatten)]
    pub opening: OpeningName,
    /// The length of the lines that was asked for, in plies.
    pub depth: u8,
    /// Moves of fewer games are left out.
    pub min_games: u64,
    /// There are more moves than [`MAX_TREE_MOVES`].
    pub cut: bool,
    /// The games of all moves of the position.
    pub total: u64,
    /// The weights of all moves of the position.
    pub total_weight: u64,
    /// The moves, those of most games first.
    pub moves: Vec<TreeMove>,
}

/// A move of the answer, and those after it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TreeMove {
    /// The move.
    #[serde(flatten)]
    pub found: MoveAnswer,
    /// The moves after it.
    pub moves: Vec<Self>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answers::book::sample_book::book_of;
    use crate::xiangqi::Position;

    #[test]
    fn a_tree_that_is_cut_lacks_what_was_played_seldom() {
        let folder = tempfile::tempdir().unwrap();
        let shuffle = "h2e2 h9g7 a0a1 a9a8 a1a0 a8a9 a0a1 a9a8";
        let lines = [shuffle, "h2e2 b9c7", "g3g4 g6g5"];
        let pgn: String =
            lines.iter().map(|line| format!("[Result \"1-0\"]\n\n{line} 1-0\n\n")).collect();
        let book = Book::open(&book_of(folder.path(), &pgn)).unwrap();
        let start = Position::start();
        let grow = |at_most| TreeMoves::grow(&book, &start, 60, 1, at_most).unwrap();
        let whole = grow(100);
        assert!(!whole.is_cut());
        let all = whole.branches.len();
        assert!(!grow(all).is_cut(), "of just that size");
        let cut = grow(5);
        assert!(cut.is_cut());
        let texts: Vec<_> = cut.first().map(|branch| branch.found.mv.to_string()).collect();
        assert_eq!(texts, ["h2e2", "g3g4"]);
    }
}
