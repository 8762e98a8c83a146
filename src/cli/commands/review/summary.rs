//! The sums of many reviews as text for people, in 80 columns.

use std::io::{self, Write};

use crate::cli::print::opening_names::in_both;
use crate::language::{counts, fitting, left, right, say, text, word};
use juzhong::review::{GamePhase, Mark, Summary, SummaryRow, SummarySums};

/// Columns of a name.
const NAME: usize = 24;
/// Columns of games, moves, accuracy and points.
const NUMBERS: [usize; 4] = [6, 8, 10, 13];
/// Columns of the count of a mark.
const MARK: usize = 6;
/// Players and openings that are shown.
const ROWS: usize = 30;

/// Shows the sums by phase, player and opening.
pub(crate) fn show(summary: &Summary, out: &mut dyn Write) -> io::Result<()> {
    say!(out, "{} reviewed", counts::games(summary.all.games))?;
    writeln!(out)?;
    head(&text!("phase"), out)?;
    for (phase, sums) in summary.phases() {
        row(&phase_name(phase), None, sums, out)?;
    }
    row(&text!("all"), Some(summary.all.games), &summary.all.all(), out)?;
    group(&text!("player"), summary.players().map(|(name, row)| (name.to_owned(), row)), out)?;
    let openings = summary.openings();
    let named =
        openings.map(|(opening, row)| (format!("{} {}", opening.code, in_both(&opening)[0]), row));
    group(&text!("opening"), named, out)
}

/// The name of a phase for people.
pub(crate) fn phase_name(phase: GamePhase) -> String {
    match phase {
        GamePhase::Opening => text!("opening"),
        GamePhase::MiddleGame => text!("middle game"),
        GamePhase::Ending => text!("ending"),
    }
}

/// Rows of one kind, and the phases in which their points were lost.
fn group<'a>(
    title: &str,
    rows: impl Iterator<Item = (String, &'a SummaryRow)>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let rows: Vec<_> = rows.collect();
    if rows.is_empty() {
        return Ok(());
    }
    writeln!(out)?;
    head(title, out)?;
    for (name, of) in rows.iter().take(ROWS) {
        row(name, Some(of.games), &of.all(), out)?;
        where_lost(of, out)?;
    }
    match rows.len().saturating_sub(ROWS) {
        0 => Ok(()),
        more => say!(out, "and {more} more; --json has them all"),
    }
}

fn head(title: &str, out: &mut dyn Write) -> io::Result<()> {
    let marks = Mark::ALL.map(Mark::sign);
    let [games, moves, accuracy, lost] =
        [word("games"), word("moves"), word("accuracy"), word("points lost")].map(str::to_owned);
    line(title, &[games, moves, accuracy, lost], &marks.map(str::to_owned), out)
}

fn row(name: &str, games: Option<u64>, sums: &SummarySums, out: &mut dyn Write) -> io::Result<()> {
    let games = games.map_or_else(String::new, |games| games.to_string());
    let accuracy = sums.accuracy().map_or_else(|| "-".to_owned(), |of| format!("{of:.1}%"));
    let numbers = [games, sums.moves.to_string(), accuracy, format!("{:.1}", sums.lost())];
    line(name, &numbers, &sums.marks.map(|count| count.to_string()), out)
}

fn line(name: &str, numbers: &[String], marks: &[String], out: &mut dyn Write) -> io::Result<()> {
    let numbers: String =
        numbers.iter().zip(NUMBERS).map(|(number, width)| right(number, width)).collect();
    let marks: String = marks.iter().map(|count| right(count, MARK)).collect();
    let name = left(&fitting(name, NAME), NAME);
    writeln!(out, "{}", fitting(&format!("{name}{numbers}{marks}"), 80))
}

/// The points lost in each phase.
fn where_lost(row: &SummaryRow, out: &mut dyn Write) -> io::Result<()> {
    let phases = GamePhase::ALL.into_iter().zip(&row.phases);
    let phases: Vec<String> = phases.map(|(phase, sums)| lost_in(phase, sums)).collect();
    say!(out, "  lost in: {}", phases.join(", "))
}

/// The name of a phase and the points lost in it.
fn lost_in(phase: GamePhase, sums: &SummarySums) -> String {
    format!("{} {:.1}", phase_name(phase), sums.lost())
}
