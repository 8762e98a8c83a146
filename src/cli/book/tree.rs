//! The lines that follow a position.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io::Write;

use serde_json::{Value, json};

use super::super::line_args::NotationArgs;
use super::super::terminal::Terminal;
use super::super::{CliError, Context, exit};
use super::names::{Names, fields};
use super::query::{head, marks_text, move_answer, percent, probe};
use crate::cli::language::say;
use juzhong::book::{Book, BookMove};
use juzhong::game::Symmetric;
use juzhong::xiangqi::notation::MoveNotation;

/// Moves shown, at most.
const MAX_MOVES: usize = 100_000;

/// A move and what follows.
struct Branch<M> {
    found: BookMove<M>,
    /// Numbers of the branches after it, the most played first, then the heaviest.
    next: Vec<usize>,
}

/// The lines from a position.
struct Tree<G: Symmetric> {
    branches: Vec<Branch<G::Move>>,
    first: Vec<usize>,
    is_cut: bool,
}

pub(crate) fn run<G: Symmetric + Terminal>(
    book: &Book,
    position: &G,
    names: &Names<G>,
    (depth, min_games, notation): (u8, u64, NotationArgs),
    context: &mut Context<'_>,
) -> Result<u8, CliError> {
    let tree = Tree::grow(book, position, depth, min_games, MAX_MOVES)?;
    if context.common.json {
        let mut answer = head(book, position);
        answer["depth"] = depth.into();
        answer["min_games"] = min_games.into();
        answer["cut"] = tree.is_cut.into();
        for (field, value) in fields::<G>(names.here(position)) {
            answer[field] = value;
        }
        let games = tree.first.iter().map(|&number| tree.branches[number].found.stats.games);
        answer["total"] = games.fold(0, u64::saturating_add).into();
        let weights = tree.first.iter().map(|&number| tree.branches[number].found.weight);
        answer["total_weight"] = weights.fold(0, u64::saturating_add).into();
        answer["moves"] = tree.answer(&tree.first, position, names, notation);
        writeln!(context.out, "{answer}")?;
    } else {
        writeln!(context.out, "{}", position.to_fen())?;
        tree.print(&tree.first, position, (0, notation.shown()), context.out)?;
        if tree.is_cut {
            say!(context.out, "cut after {MAX_MOVES} moves; raise --min-games")?;
        }
    }
    Ok(if tree.first.is_empty() { exit::FAILED } else { exit::OK })
}

/// A position whose moves are not in the tree yet.
struct Open<G> {
    position: G,
    /// The branch that leads there.
    after: Option<usize>,
    plies: u8,
}

impl<G: Symmetric + Terminal> Tree<G> {
    /// The moves of the most played positions first, so that a tree that is cut lacks those that come
    /// up seldom: how often a line comes up is the least number of games of its moves, and in books without
    /// games the least weight.
    fn grow(
        book: &Book,
        position: &G,
        depth: u8,
        min_games: u64,
        at_most: usize,
    ) -> Result<Self, CliError> {
        let mut tree = Self { branches: Vec::new(), first: Vec::new(), is_cut: false };
        let mut open = vec![Open { position: position.clone(), after: None, plies: 0 }];
        // Games, weight, then the order of finding.
        let mut queue = BinaryHeap::from([(u64::MAX, u64::MAX, Reverse(0))]);
        while let Some((games, weight, Reverse(number))) = queue.pop() {
            let Open { position, after, plies } = &open[number];
            let (position, after, plies) = (position.clone(), *after, *plies + 1);
            let moves = probe(book, &position, min_games)?;
            let room = at_most - tree.branches.len();
            tree.is_cut |= moves.len() > room;
            for found in moves.into_iter().take(room) {
                let branch = tree.branches.len();
                match after {
                    Some(before) => tree.branches[before].next.push(branch),
                    None => tree.first.push(branch),
                }
                if plies < depth {
                    let (games, weight) = (games.min(found.stats.games), weight.min(found.weight));
                    queue.push((games, weight, Reverse(open.len())));
                    let mut next = position.clone();
                    next.make(found.mv);
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

    fn answer(
        &self,
        branches: &[usize],
        position: &G,
        names: &Names<G>,
        notation: NotationArgs,
    ) -> Value {
        let mut moves = Vec::new();
        for Branch { found, next } in branches.iter().map(|&number| &self.branches[number]) {
            let mut answer = move_answer(found, position, notation);
            let mut after = position.clone();
            after.make(found.mv);
            let mut names = names.clone();
            names.push(&after);
            for (field, value) in fields::<G>(names.here(&after)) {
                answer[field] = value;
            }
            answer["moves"] = self.answer(next, &after, &names, notation);
            moves.push(answer);
        }
        json!(moves)
    }

    fn print(
        &self,
        branches: &[usize],
        position: &G,
        (ply, notation): (usize, MoveNotation),
        out: &mut dyn Write,
    ) -> Result<(), CliError> {
        for Branch { found, next } in branches.iter().map(|&number| &self.branches[number]) {
            let score = percent(found, position.turn());
            let mv = position.write_move(found.mv, notation);
            let (games, marks) = (found.stats.games, marks_text(found));
            let number = match games {
                0 => format!("weight {}", found.weight),
                games => format!("{games} {score}"),
            };
            writeln!(out, "{}{mv} {number}{marks}", "  ".repeat(ply))?;
            let mut after = position.clone();
            after.make(found.mv);
            self.print(next, &after, (ply + 1, notation), out)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use juzhong::book::{BuildOptions, ReadOptions, build};
    use juzhong::xiangqi::Position;

    #[test]
    fn a_tree_that_is_cut_lacks_what_was_played_seldom() {
        let folder = tempfile::tempdir().unwrap();
        let (games, book) = (folder.path().join("a.pgn"), folder.path().join("a.book"));
        let shuffle = "h2e2 h9g7 a0a1 a9a8 a1a0 a8a9 a0a1 a9a8";
        let lines = [shuffle, "h2e2 b9c7", "g3g4 g6g5"];
        let pgn: String =
            lines.iter().map(|line| format!("[Result \"1-0\"]\n\n{line} 1-0\n\n")).collect();
        std::fs::write(&games, pgn).unwrap();
        build::<Position>(&[games], &book, BuildOptions::default(), ReadOptions::default())
            .unwrap();
        let book = Book::open(&book).unwrap();
        let grow = |at_most| Tree::grow(&book, &Position::start(), 60, 1, at_most).unwrap();
        let whole = grow(100);
        assert!(!whole.is_cut);
        let all = whole.branches.len();
        assert!(!grow(all).is_cut, "of just that size");
        let cut = grow(5);
        assert!(cut.is_cut);
        let texts: Vec<_> =
            cut.first.iter().map(|&number| cut.branches[number].found.mv.to_string()).collect();
        assert_eq!(texts, ["h2e2", "g3g4"]);
    }
}
