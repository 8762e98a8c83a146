//! The lines that follow a position.

use std::io::Write;

use super::query::{marks_text, percent};
use crate::cli::print::terminal::Terminal;
use crate::cli::{CliError, Context, exit, write_answer};
use crate::language::say;
use juzhong::answers::book::{Branch, FoundTree, MAX_TREE_MOVES, TreeRequest};
use juzhong::book::Book;
use juzhong::xiangqi::notation::MoveNotation;

/// Shows the lines in a notation.
pub(crate) fn run<G: Terminal>(
    book: &Book,
    request: &TreeRequest,
    shown: MoveNotation,
    context: &mut Context<'_>,
) -> Result<u8, CliError> {
    let tree = request.find::<G>(book)?;
    if context.common.json {
        write_answer(context.out, &tree.answer(book, request.query.notation))?;
    } else {
        print(&tree, shown, context.out)?;
    }
    let is_empty = tree.moves.first().next().is_none();
    Ok(if is_empty { exit::FAILED } else { exit::OK })
}

fn print<G: Terminal>(
    tree: &FoundTree<G>,
    notation: MoveNotation,
    out: &mut dyn Write,
) -> Result<(), CliError> {
    writeln!(out, "{}", tree.position.to_fen())?;
    for branch in tree.moves.first() {
        print_branch(tree, branch, &tree.position, (0, notation), out)?;
    }
    if tree.moves.is_cut() {
        say!(out, "cut after {MAX_TREE_MOVES} moves; raise --min-games")?;
    }
    Ok(())
}

/// Prints a move of a position, and those after it.
fn print_branch<G: Terminal>(
    tree: &FoundTree<G>,
    branch: &Branch<G::Move>,
    position: &G,
    (ply, notation): (usize, MoveNotation),
    out: &mut dyn Write,
) -> Result<(), CliError> {
    let found = &branch.found;
    let score = percent(found, position.turn());
    let mv = position.write_move(found.mv, notation);
    let marks = marks_text(found);
    let number = match found.stats.games {
        0 => format!("weight {}", found.weight),
        games => format!("{games} {score}"),
    };
    writeln!(out, "{}{mv} {number}{marks}", "  ".repeat(ply))?;
    let mut after = position.clone();
    after.make(found.mv);
    for branch in tree.moves.after(branch) {
        print_branch(tree, branch, &after, (ply + 1, notation), out)?;
    }
    Ok(())
}
