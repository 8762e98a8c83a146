//! `position --eval`: the terms of the evaluation, for people.

use std::io::{self, Write};

use crate::language::{left, right, say, word};
use juzhong::game::BySide;
use juzhong::search::eval::xiangqi::{
    Explanation, NetworkExplanation, PieceValue, Share, explain, explain_network,
};
use juzhong::xiangqi::{Position, Square};

/// Shows every term with its parts, and each piece with its value on the board, in centipawns.
pub(crate) fn show(position: &Position, out: &mut dyn Write) -> io::Result<()> {
    let Explanation { phase, scale, terms, groups, value, men } = &explain(position);
    writeln!(out)?;
    let [head, red, black] = [word("centipawns"), word("Red"), word("Black")];
    writeln!(out, "{}{}{}", left(head, 22), right(red, 21), right(black, 21))?;
    let heads = [word("middle"), word("ending"), word("now")];
    write!(out, "{:<22}", "")?;
    for head in heads.iter().chain(&heads) {
        write!(out, "{}", right(head, 7))?;
    }
    writeln!(out, "{}", right(word("balance"), 9))?;
    for term in terms {
        row(out, term.name, term)?;
        for part in groups.iter().filter(|part| part.term == term.term) {
            let name = part.name.to_lowercase().replace('_', " ");
            if name != term.name {
                row(out, &format!("  {name}"), part)?;
            }
        }
    }
    writeln!(out)?;
    board(men, out)?;
    say!(out, "phase    {phase} of {} (the rest is ending)", Explanation::FULL_PHASE)?;
    let BySide { first, second } = scale;
    say!(out, "counts   {first}/64 of Red's advantage, {second}/64 of Black's")?;
    say!(out, "eval     {value:+} for the side to move")?;
    writeln!(out)?;
    say!(out, "by the network, each piece by leaving it out:")?;
    let NetworkExplanation { men, value, .. } = explain_network(position);
    board(&men, out)?;
    say!(out, "network  {value:+} for the side to move")
}

fn row(out: &mut dyn Write, name: &str, share: &Share) -> io::Result<()> {
    let indent = name.len() - name.trim_start().len();
    write!(out, "{:indent$}{}", "", left(word(name.trim_start()), 22 - indent))?;
    for worth in [share.value.first, share.value.second] {
        write!(out, "{:>7}{:>7}{:>7}", worth.middle, worth.ending, worth.now)?;
    }
    writeln!(out, "{:>+9}", share.value.first.now - share.value.second.now)
}

/// Writes the board, each piece with its value beside it.
fn board(men: &[PieceValue], out: &mut dyn Write) -> io::Result<()> {
    for rank in (0..10).rev() {
        write!(out, "{rank} ")?;
        for file in 0..9 {
            let square = Square::at(file, rank);
            match men.iter().find(|man| man.square == square) {
                Some(man) => write!(out, "{:>2}{:<5}", man.piece.letter(), man.value)?,
                None => write!(out, "{:>2}{:<5}", '.', "")?,
            }
        }
        writeln!(out)?;
    }
    write!(out, "  ")?;
    for file in 'a'..='i' {
        write!(out, "{file:>2}{:<5}", "")?;
    }
    writeln!(out)
}
