//! A review as text for people, in 80 columns.

use std::io::{self, Write};

use super::super::line_args::line_texts;
use super::super::terminal::Terminal;
use super::Reviewed;
use juzhong::game::{BySide, Game, ScoreKind, Side};
use juzhong::review::{BookExit, Mark, ReviewedMove, SideSummary, TableLoss};
use juzhong::search::Score;
use juzhong::tablebase::Wdl;
use juzhong::xiangqi::notation::MoveNotation;
use juzhong::xiangqi::{Move, Position};

/// Columns of a line.
const WIDTH: usize = 80;
/// Columns before the moves of a better line.
const INDENT: usize = 8;

/// Shows a reviewed game: what it is, its moves, the sums of both sides.
pub(super) fn show(
    reviewed: &Reviewed<'_>,
    notation: MoveNotation,
    only_marked: bool,
    out: &mut dyn Write,
) -> io::Result<()> {
    head(reviewed, out)?;
    book_exit(reviewed, notation, out)?;
    let moves = &reviewed.review.moves;
    if moves.is_empty() {
        return writeln!(out, "moves    none");
    }
    let is_shown = |reviewed: &ReviewedMove<Move>| !only_marked || reviewed.mark.is_some();
    if moves.iter().any(is_shown) {
        writeln!(out)?;
        writeln!(out, "   move               source      eval   loss   (eval: pawns, for Red)")?;
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
    sums(&reviewed.review.sides, out)
}

fn head(reviewed: &Reviewed<'_>, out: &mut dyn Write) -> io::Result<()> {
    let record = &reviewed.game.record;
    let tag = |name| record.tag(name).filter(|value| !value.is_empty() && *value != "?");
    let mut line = |text: String| writeln!(out, "{}", fitting(&text, WIDTH));
    line(format!("{}: game {}", reviewed.game.place, reviewed.game.number))?;
    if let Some(red) = tag("Red") {
        line(format!("red      {red}"))?;
    }
    if let Some(black) = tag("Black") {
        line(format!("black    {black}"))?;
    }
    match (tag("Event"), tag("Date")) {
        (Some(event), Some(date)) => line(format!("event    {event}, {date}"))?,
        (Some(event), None) => line(format!("event    {event}"))?,
        (None, Some(date)) => line(format!("date     {date}"))?,
        (None, None) => {}
    }
    if let Some(result) = record.result {
        line(format!("result   {result}"))?;
    }
    if let Some(opening) = reviewed.opening {
        line(format!("opening  {} {}", opening.code, opening.name))?;
    }
    Ok(())
}

/// Says where the game left the books.
fn book_exit(
    reviewed: &Reviewed<'_>,
    notation: MoveNotation,
    out: &mut dyn Write,
) -> io::Result<()> {
    let Some(BookExit { ply, choice }) = &reviewed.review.book_exit else { return Ok(()) };
    let mut position = reviewed.game.start.clone();
    let offset = usize::from(position.turn() == Side::Second);
    let moves = &reviewed.game.record.tree.moves;
    moves[..*ply].iter().for_each(|&mv| drop_undo(&mut position, mv));
    let number = (offset + ply) / 2 + 1;
    let side = Position::side_name(position.turn());
    let played = moves.get(*ply).map_or_else(String::new, |&mv| position.write_move(mv, notation));
    match choice {
        Some((mv, share)) => {
            let (mv, games) = (position.write_move(*mv, notation), share.games);
            let percent = 100.0 * share.share;
            writeln!(out, "book     left at move {number} of {side}, {played}")?;
            writeln!(out, "         the book plays {mv} ({games} games, {percent:.1}%)")
        }
        None => writeln!(out, "book     ends before move {number} of {side}, {played}"),
    }
}

fn drop_undo(position: &mut Position, mv: Move) {
    let _undo = position.make(mv);
}

/// One move, and below it what was better.
fn row(
    position: &Position,
    ply: usize,
    reviewed: &ReviewedMove<Move>,
    notation: MoveNotation,
    out: &mut dyn Write,
) -> io::Result<()> {
    let number = ply / 2 + 1;
    let dots = if ply.is_multiple_of(2) { "." } else { "..." };
    let mv = padded(&position.write_move(reviewed.mv, notation), 12);
    let source = reviewed.source.name();
    let eval = evaluation(for_red(reviewed.after, reviewed.side));
    let loss = 100.0 * reviewed.loss();
    let mark = mark_text(reviewed);
    let line = format!("{number:>5}{dots:<4}{mv} {source:<7} {eval:>8} {loss:>5.1}%  {mark}");
    writeln!(out, "{}", line.trim_end())?;
    if let Some(loss) = loss_text(reviewed) {
        writeln!(out, "{:INDENT$} {loss}", "")?;
    }
    if let Some(line) = reviewed.better_line() {
        let eval = evaluation(for_red(reviewed.before, reviewed.side));
        let texts = line_texts(position, line.iter().copied(), notation);
        writeln!(out, "{:INDENT$} better ({eval}): {}", "", joined(&texts, WIDTH - INDENT - 22))?;
    }
    Ok(())
}

/// Sign and name of a mark; that a move was the only one.
fn mark_text(reviewed: &ReviewedMove<Move>) -> String {
    match reviewed.mark {
        Some(mark) => format!("{} {}", mark.sign(), mark.name()),
        None if reviewed.is_only => "only move".to_owned(),
        None => String::new(),
    }
}

/// The loss by the truth of the tables, if there is one.
pub(super) fn loss_text(reviewed: &ReviewedMove<Move>) -> Option<String> {
    let truth = reviewed.truth?;
    Some(match (truth.loss()?, truth.after.wdl) {
        (TableLoss::WinLetGo, Wdl::Loss) => "A win let go: now it is lost.".to_owned(),
        (TableLoss::WinLetGo, _) => "A win let go: now it is a draw.".to_owned(),
        (TableLoss::DrawLost, _) => "A draw let go: now it is lost.".to_owned(),
        (TableLoss::LongerWin(0), _) => "The win takes longer.".to_owned(),
        (TableLoss::LongerWin(1), _) => "The win takes 1 ply longer.".to_owned(),
        (TableLoss::LongerWin(plies), _) => format!("The win takes {plies} plies longer."),
        (TableLoss::SoonerLoss(0), _) => "The loss comes sooner.".to_owned(),
        (TableLoss::SoonerLoss(1), _) => "The loss comes 1 ply sooner.".to_owned(),
        (TableLoss::SoonerLoss(plies), _) => format!("The loss comes {plies} plies sooner."),
    })
}

fn sums(sides: &BySide<SideSummary>, out: &mut dyn Write) -> io::Result<()> {
    let BySide { first, second } = sides;
    let percent = |side: &SideSummary| {
        side.accuracy.map_or_else(|| "-".to_owned(), |accuracy| format!("{accuracy:.1}%"))
    };
    let centipawns = |side: &SideSummary| {
        side.centipawn_loss.map_or_else(|| "-".to_owned(), |loss| format!("{loss:.0}"))
    };
    writeln!(out, "{:<28}{:>9}{:>9}", "", "Red", "Black")?;
    writeln!(out, "{:<28}{:>9}{:>9}", "moves", first.moves, second.moves)?;
    writeln!(out, "{:<28}{:>9}{:>9}", "accuracy", percent(first), percent(second))?;
    writeln!(
        out,
        "{:<28}{:>9}{:>9}",
        "mean loss in centipawns",
        centipawns(first),
        centipawns(second)
    )?;
    for (mark, name) in Mark::ALL.into_iter().zip(["inaccuracies", "mistakes", "blunders"]) {
        let (index, sign) = (mark as usize, mark.sign());
        let name = format!("{name} {sign}");
        writeln!(out, "{name:<28}{:>9}{:>9}", first.marks[index], second.marks[index])?;
    }
    Ok(())
}

/// A score of `side` as Red sees it.
pub(super) fn for_red(score: Score, side: Side) -> Score {
    match side {
        Side::First => score,
        Side::Second => -score,
    }
}

/// An evaluation in pawns with its sign, a mate in moves (`#3`), or a result by tables.
fn evaluation(score: Score) -> String {
    match score.kind() {
        ScoreKind::Centipawns(value) => format!("{:+.2}", f64::from(value) / 100.0),
        ScoreKind::MateIn(0) | ScoreKind::TableWin(_) => "won".to_owned(),
        ScoreKind::MatedIn(0) | ScoreKind::TableLoss(_) => "lost".to_owned(),
        ScoreKind::MateIn(plies) => format!("#{}", plies.div_ceil(2)),
        ScoreKind::MatedIn(plies) => format!("#-{}", plies.div_ceil(2)),
    }
}

/// The columns of a text on a terminal: two for each character outside ASCII.
fn columns(text: &str) -> usize {
    text.chars().map(|c| if c.is_ascii() { 1 } else { 2 }).sum()
}

fn padded(text: &str, width: usize) -> String {
    format!("{text}{}", " ".repeat(width.saturating_sub(columns(text))))
}

/// The text, cut where it has more columns.
fn fitting(text: &str, width: usize) -> String {
    if columns(text) <= width {
        return text.to_owned();
    }
    let mut cut = String::new();
    for c in text.chars() {
        if columns(&cut) + 2 + 2 > width {
            break;
        }
        cut.push(c);
    }
    cut.push('…');
    cut
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
        assert_eq!(evaluation(for_red(Score::mate_in(5), Side::Second)), "#-3");
        assert_eq!(evaluation(Score::table_win(9)), "won");
        assert_eq!(evaluation(Score::mated_in(0)), "lost");
    }

    #[test]
    fn long_texts_are_cut() {
        assert_eq!(fitting("abc", 3), "abc");
        let cut = fitting(&"马".repeat(60), 80);
        assert!(columns(&cut) <= 80 && cut.ends_with('…'), "{cut}");
        let moves = vec!["马八进七".to_owned(); 30];
        assert!(columns(&joined(&moves, 50)) <= 50);
    }
}
