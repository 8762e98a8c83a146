//! The lines that follow a position.

use std::io::Write;

use serde_json::{Value, json};

use super::super::{CliError, Context, exit};
use super::query::{head, marks_text, move_answer, percent, probe};
use crate::book::{Book, BookMove};
use crate::game::{Notation, Symmetric};

/// Moves shown, at most.
const MAX_MOVES: usize = 100_000;

/// A move and what follows.
struct Branch<M> {
    found: BookMove<M>,
    next: Vec<Self>,
}

pub(super) fn run<G: Symmetric + Notation>(
    book: &Book,
    position: &G,
    depth: u8,
    min_games: u64,
    context: &mut Context<'_>,
) -> Result<u8, CliError> {
    let mut left = MAX_MOVES;
    let tree = grow(book, &mut position.clone(), depth, min_games, &mut left)?;
    let is_cut = left == 0;
    if context.common.json {
        let mut answer = head(book, position);
        answer["depth"] = depth.into();
        answer["min_games"] = min_games.into();
        answer["cut"] = is_cut.into();
        answer["moves"] = branches(position, &tree);
        writeln!(context.out, "{answer}")?;
    } else {
        writeln!(context.out, "{}", position.position_text())?;
        print(position, &tree, 0, context.out)?;
        if is_cut {
            writeln!(context.out, "cut after {MAX_MOVES} moves; raise --min-games")?;
        }
    }
    Ok(if tree.is_empty() { exit::FAILED } else { exit::OK })
}

/// The most played lines come first, so a tree that is cut lacks seldom played ones.
fn grow<G: Symmetric + Notation>(
    book: &Book,
    position: &mut G,
    depth: u8,
    min_games: u64,
    left: &mut usize,
) -> Result<Vec<Branch<G::Move>>, CliError> {
    if depth == 0 {
        return Ok(Vec::new());
    }
    let mut tree = Vec::new();
    for found in probe(book, position, min_games)? {
        let Some(fewer) = left.checked_sub(1) else { break };
        *left = fewer;
        let mv = found.mv;
        let undo = position.make(mv);
        let next = grow(book, position, depth - 1, min_games, left)?;
        position.unmake(mv, undo);
        tree.push(Branch { found, next });
    }
    Ok(tree)
}

fn branches<G: Symmetric + Notation>(position: &G, tree: &[Branch<G::Move>]) -> Value {
    let branch = |branch: &Branch<G::Move>| {
        let mut answer = move_answer::<G>(&branch.found, position.side_to_move());
        let mut after = position.clone();
        after.make(branch.found.mv);
        answer["moves"] = branches(&after, &branch.next);
        answer
    };
    json!(tree.iter().map(branch).collect::<Vec<_>>())
}

fn print<G: Symmetric + Notation>(
    position: &G,
    tree: &[Branch<G::Move>],
    ply: usize,
    out: &mut dyn Write,
) -> Result<(), CliError> {
    for branch in tree {
        let found = &branch.found;
        let score = percent(found, position.side_to_move());
        let (mv, games, marks) = (G::move_text(found.mv), found.tally.games, marks_text(found));
        writeln!(out, "{}{mv} {games} {score}{marks}", "  ".repeat(ply))?;
        let mut after = position.clone();
        after.make(found.mv);
        print(&after, &branch.next, ply + 1, out)?;
    }
    Ok(())
}
