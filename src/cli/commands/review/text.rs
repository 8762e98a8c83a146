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
use juzhong::record::Record;
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
    if moves.iter().any(|reviewed| !only_marked || reviewed.mark.is_some()) {
        writeln!(out)?;
        writeln!(out, "{}", G::table_head())?;
    }
    let mut position = reviewed.game.start.clone();
    let offset = usize::from(position.turn() == Side::Second);
    for (ply, reviewed) in moves.iter().enumerate() {
        if !only_marked || reviewed.mark.is_some() {
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
    let mut lines = vec![text!("{}: game {}", reviewed.game.place, reviewed.game.number)];
    for side in Side::ALL {
        lines.extend(known_tag(record, G::side_name(side)).map(|name| G::player_line(side, name)));
    }
    lines.extend(match (known_tag(record, "Event"), known_tag(record, "Date")) {
        (Some(event), Some(date)) => Some(text!("event    {event}, {date}")),
        (Some(event), None) => Some(text!("event    {event}")),
        (None, Some(date)) => Some(text!("date     {date}")),
        (None, None) => None,
    });
    lines.extend(record.result.map(|result| text!("result   {result}")));
    if let Some(opening) = reviewed.opening {
        let [name, other] = in_both(&opening);
        lines.push(text!("opening  {} {name}", opening.code));
        lines.push(format!("         {other}"));
    }
    lines.into_iter().try_for_each(|line| writeln!(out, "{}", fitting(&line, WIDTH)))
}

/// The value of a tag, if it says something.
fn known_tag<'a, G: Reviewable>(record: &'a Record<G>, name: &str) -> Option<&'a str> {
    record.tag(name).filter(|value| !value.is_empty() && *value != "?")
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
    if times.iter().all(Option::is_none) {
        return Ok(());
    }
    let starts = reviewed.game.start.turn();
    // The times of the side that does not begin start with the second one; there is one at least, as seen above.
    let [first, second] = Side::ALL.map(|side| time_of(&times[usize::from(side != starts)..]));
    sums_row(word("time used"), &first, &second, out)
}

/// The sum of every other time, beginning with the first.
fn time_of(times: &[Option<Duration>]) -> String {
    let own = times.iter().step_by(2).flatten().copied();
    own.reduce(Duration::saturating_add).map_or_else(|| "-".to_owned(), clock)
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
    let sides = [&sides.first, &sides.second];
    let mut rows = vec![
        (String::new(), Side::ALL.map(|side| word(G::side_name(side)).to_owned())),
        (word("moves").to_owned(), sides.map(|side| side.moves.to_string())),
        (word("accuracy").to_owned(), sides.map(|side| percent(side.accuracy))),
    ];
    for phase in GamePhase::ALL {
        let accuracies = sides.map(|side| side.phases[phase as usize].accuracy);
        if accuracies.iter().any(Option::is_some) {
            rows.push((format!("  {}", phase_name(phase)), accuracies.map(percent)));
        }
    }
    let points = sides.map(|side| format!("{:.2}", side.lost));
    let centipawns = sides.map(|side| number_or_dash(side.centipawn_loss));
    rows.push((word("points lost").to_owned(), points));
    rows.push((word("mean loss in centipawns").to_owned(), centipawns));
    let names = [word("inaccuracies"), word("mistakes"), word("blunders")];
    for (mark, name) in Mark::ALL.into_iter().zip(names) {
        let counts = sides.map(|side| side.marks[mark as usize].to_string());
        rows.push((format!("{name} {}", mark.sign()), counts));
    }
    rows.iter().try_for_each(|(name, [first, second])| sums_row(name, first, second, out))
}

/// A share of 100, if it is known.
fn percent(share: Option<f64>) -> String {
    share.map_or_else(|| "-".to_owned(), |share| format!("{share:.1}%"))
}

/// A number without decimals, if it is known.
fn number_or_dash(number: Option<f64>) -> String {
    number.map_or_else(|| "-".to_owned(), |number| format!("{number:.0}"))
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
