//! A review as text for people, in 80 columns.

use std::io::{self, Write};
use std::time::Duration;

use super::Reviewed;
use super::annotated::Reviewable;
use super::summary::phase_name;
use crate::cli::print::opening_names::in_both;
use crate::language::{columns, counts, fitting, left, right, say, text, word};
use crate::loss_text::loss_text;
use juzhong::answers::line_texts;
use juzhong::game::{BySide, ScoreKind, Side};
use juzhong::review::{
    BookExit, GamePhase, Mark, ReviewedMove, SideSummary, TurningPoint, times_used,
};
use juzhong::search::Score;
use juzhong::xiangqi::notation::MoveNotation;

/// Columns of a line.
const WIDTH: usize = 80;
/// Columns before the moves of a better line.
const INDENT: usize = 8;

/// Shows a reviewed game: what it is, its moves, the sums of both sides.
pub(crate) fn show<G: Reviewable>(
    reviewed: &Reviewed<'_, G>,
    notation: MoveNotation,
    only_marked: bool,
    out: &mut dyn Write,
) -> io::Result<()> {
    head(reviewed, out)?;
    book_exit(reviewed, notation, out)?;
    let moves = &reviewed.review.moves;
    if moves.is_empty() {
        return say!(out, "moves    none");
    }
    let is_shown = |reviewed: &ReviewedMove<G::Move>| !only_marked || reviewed.mark.is_some();
    if moves.iter().any(is_shown) {
        writeln!(out)?;
        writeln!(out, "{}", G::table_head())?;
    }
    let mut position = reviewed.game.start.clone();
    let offset = usize::from(position.turn() == Side::Second);
    for (ply, reviewed) in moves.iter().enumerate() {
        if is_shown(reviewed) {
            row(&position, offset + ply, reviewed, notation, out)?;
        }
        position.make(reviewed.mv);
    }
    writeln!(out)?;
    sums::<G>(&reviewed.review.sides, out)?;
    times::<G>(reviewed, out)?;
    turning_point(reviewed, notation, out)
}

fn head<G: Reviewable>(reviewed: &Reviewed<'_, G>, out: &mut dyn Write) -> io::Result<()> {
    let record = &reviewed.game.record;
    let tag = |name| record.tag(name).filter(|value| !value.is_empty() && *value != "?");
    let mut line = |text: String| writeln!(out, "{}", fitting(&text, WIDTH));
    line(text!("{}: game {}", reviewed.game.place, reviewed.game.number))?;
    for side in Side::ALL {
        if let Some(player) = tag(G::side_name(side)) {
            line(G::player_line(side, player))?;
        }
    }
    match (tag("Event"), tag("Date")) {
        (Some(event), Some(date)) => line(text!("event    {event}, {date}"))?,
        (Some(event), None) => line(text!("event    {event}"))?,
        (None, Some(date)) => line(text!("date     {date}"))?,
        (None, None) => {}
    }
    if let Some(result) = record.result {
        line(text!("result   {result}"))?;
    }
    if let Some(opening) = reviewed.opening {
        let [name, other] = in_both(&opening);
        line(text!("opening  {} {name}", opening.code))?;
        line(format!("         {other}"))?;
    }
    Ok(())
}

/// Says where the game left the books.
fn book_exit<G: Reviewable>(
    reviewed: &Reviewed<'_, G>,
    notation: MoveNotation,
    out: &mut dyn Write,
) -> io::Result<()> {
    let Some(BookExit { ply, choice }) = &reviewed.review.book_exit else { return Ok(()) };
    let mut position = reviewed.game.start.clone();
    let offset = usize::from(position.turn() == Side::Second);
    let moves = &reviewed.game.record.tree.moves;
    for &mv in &moves[..*ply] {
        position.make(mv);
    }
    let number = (offset + ply) / 2 + 1;
    let side = word(G::side_name(position.turn()));
    let played = moves.get(*ply).map_or_else(String::new, |&mv| position.write_move(mv, notation));
    match choice {
        Some((mv, share)) => {
            let (mv, games) = (position.write_move(*mv, notation), share.games);
            let percent = 100.0 * share.share;
            say!(out, "book     left at move {number} of {side}, {played}")?;
            say!(out, "         the book plays {mv} ({}, {percent:.1}%)", counts::games(games))
        }
        None => say!(out, "book     ends before move {number} of {side}, {played}"),
    }
}

/// One move, and below it what was better.
fn row<G: Reviewable>(
    position: &G,
    ply: usize,
    reviewed: &ReviewedMove<G::Move>,
    notation: MoveNotation,
    out: &mut dyn Write,
) -> io::Result<()> {
    let number = ply / 2 + 1;
    let dots = if ply.is_multiple_of(2) { "." } else { "..." };
    let mv = left(&position.write_move(reviewed.mv, notation), 12);
    let source = left(word(reviewed.source.name()), 7);
    let eval = evaluation(for_first(reviewed.after, reviewed.side));
    let loss = 100.0 * reviewed.loss();
    let mark = mark_text(reviewed);
    let eval = right(&eval, 8);
    let line = format!("{number:>5}{dots:<4}{mv} {source} {eval} {loss:>5.1}%  {mark}");
    writeln!(out, "{}", line.trim_end())?;
    if let Some(loss) = loss_text(reviewed) {
        writeln!(out, "{:INDENT$} {loss}", "")?;
    }
    if let Some(line) = reviewed.better_line() {
        let eval = evaluation(for_first(reviewed.better_score(), reviewed.side));
        let texts = line_texts(position, line.iter().copied(), notation);
        say!(out, "{:INDENT$} better ({eval}): {}", "", joined(&texts, WIDTH - INDENT - 22))?;
    }
    Ok(())
}

/// Sign, name and certainty of a mark; that a move was the only one; the games of a move that a book knows well.
fn mark_text<M: Copy + PartialEq>(reviewed: &ReviewedMove<M>) -> String {
    let known = reviewed.book.filter(|share| share.is_known);
    match (reviewed.mark, known) {
        (Some(mark), _) => {
            let certainty = reviewed.certainty.map_or("", |certainty| word(certainty.name()));
            let name = word(mark.name());
            text!("{} {name}, {certainty}", mark.sign())
        }
        (None, Some(share)) => match share.score.map(|score| 100.0 * score) {
            Some(percent) => text!("{}, {percent:.0}%", counts::games(share.games)),
            None => counts::games(share.games),
        },
        (None, None) if reviewed.is_only => text!("only move"),
        (None, None) => String::new(),
    }
}

/// The time that both sides used, where the record has clocks.
fn times<G: Reviewable>(reviewed: &Reviewed<'_, G>, out: &mut dyn Write) -> io::Result<()> {
    let times = times_used(&reviewed.game.record);
    let first = reviewed.game.start.turn();
    let of = |side: Side| {
        let own = times.iter().skip(usize::from(side != first)).step_by(2).flatten();
        let time = own.copied().reduce(Duration::saturating_add);
        time.map_or_else(|| "-".to_owned(), clock)
    };
    if times.iter().all(Option::is_none) {
        return Ok(());
    }
    let [first, second] = Side::ALL.map(of);
    sums_row(word("time used"), &first, &second, out)
}

/// A time as hours, minutes and seconds.
fn clock(time: Duration) -> String {
    let seconds = time.as_secs_f64().round() as u64;
    format!("{}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60)
}

/// The move that decided the game.
fn turning_point<G: Reviewable>(
    reviewed: &Reviewed<'_, G>,
    notation: MoveNotation,
    out: &mut dyn Write,
) -> io::Result<()> {
    let Some(TurningPoint { ply, winner, before, after }) = reviewed.review.turning_point else {
        return Ok(());
    };
    let mut position = reviewed.game.start.clone();
    let offset = usize::from(position.turn() == Side::Second);
    let moves = &reviewed.game.record.tree.moves;
    moves[..ply].iter().for_each(|&mv| {
        position.make(mv);
    });
    let number = (offset + ply) / 2 + 1;
    let mover = word(G::side_name(position.turn()));
    let played = position.write_move(moves[ply], notation);
    let [before, after] = [before, after].map(|expected| 100.0 * expected);
    let winner = word(G::side_name(winner));
    writeln!(out)?;
    say!(out, "turning point: move {number} of {mover}, {played}")?;
    say!(out, "               expected score of {winner}: {before:.0}% before, {after:.0}% after")
}

fn sums<G: Reviewable>(sides: &BySide<SideSummary>, out: &mut dyn Write) -> io::Result<()> {
    let BySide { first, second } = sides;
    let percent = |side: &SideSummary| {
        side.accuracy.map_or_else(|| "-".to_owned(), |accuracy| format!("{accuracy:.1}%"))
    };
    let centipawns = |side: &SideSummary| {
        side.centipawn_loss.map_or_else(|| "-".to_owned(), |loss| format!("{loss:.0}"))
    };
    let points = |side: &SideSummary| format!("{:.2}", side.lost);
    let mut row = |name: &str, first: String, second: String| sums_row(name, &first, &second, out);
    let [first_name, second_name] = Side::ALL.map(|side| word(G::side_name(side)).to_owned());
    row("", first_name, second_name)?;
    row(word("moves"), first.moves.to_string(), second.moves.to_string())?;
    row(word("accuracy"), percent(first), percent(second))?;
    for phase in GamePhase::ALL {
        let of = |side: &SideSummary| side.phases[phase as usize].accuracy;
        if of(first).or(of(second)).is_some() {
            let [first, second] = [first, second]
                .map(|side| of(side).map_or_else(|| "-".to_owned(), |of| format!("{of:.1}%")));
            row(&format!("  {}", phase_name(phase)), first, second)?;
        }
    }
    row(word("points lost"), points(first), points(second))?;
    row(word("mean loss in centipawns"), centipawns(first), centipawns(second))?;
    let names = [word("inaccuracies"), word("mistakes"), word("blunders")];
    for (mark, name) in Mark::ALL.into_iter().zip(names) {
        let index = mark as usize;
        let [first, second] = [first, second].map(|side| side.marks[index].to_string());
        row(&format!("{name} {}", mark.sign()), first, second)?;
    }
    Ok(())
}

/// A number of both sides, with its name.
fn sums_row(name: &str, first: &str, second: &str, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{}{}{}", left(name, 28), right(first, 9), right(second, 9))
}

/// A score of `side` as the first side sees it.
pub(crate) fn for_first(score: Score, side: Side) -> Score {
    match side {
        Side::First => score,
        Side::Second => -score,
    }
}

/// An evaluation in pawns with its sign, a mate in moves (`#3`), or a result by tables.
fn evaluation(score: Score) -> String {
    match score.kind() {
        ScoreKind::Centipawns(value) => format!("{:+.2}", f64::from(value) / 100.0),
        ScoreKind::MateIn(0) | ScoreKind::TableWin(_) => text!("won"),
        ScoreKind::MatedIn(0) | ScoreKind::TableLoss(_) => text!("lost"),
        ScoreKind::MateIn(plies) => format!("#{}", plies.div_ceil(2)),
        ScoreKind::MatedIn(plies) => format!("#-{}", plies.div_ceil(2)),
    }
}

/// As many of the texts as fit.
fn joined(texts: &[String], width: usize) -> String {
    let mut line = String::new();
    for text in texts {
        if columns(&line) + 1 + columns(text) > width {
            break;
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(text);
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn evaluations_have_signs() {
        assert_eq!(evaluation(Score::from_eval(34)), "+0.34");
        assert_eq!(evaluation(Score::from_eval(-1234)), "-12.34");
        assert_eq!(evaluation(Score::mate_in(5)), "#3");
        assert_eq!(evaluation(for_first(Score::mate_in(5), Side::Second)), "#-3");
        assert_eq!(evaluation(Score::table_win(9)), "won");
        assert_eq!(evaluation(Score::mated_in(0)), "lost");
    }

    #[test]
    fn long_lines_are_cut() {
        let moves = vec!["马八进七".to_owned(); 30];
        assert!(columns(&joined(&moves, 50)) <= 50);
    }
}
