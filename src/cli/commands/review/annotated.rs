//! A review as a record: the game with evaluations, marks and better lines.

use std::path::Path;

use super::Reviewed;
use crate::cli::args::line_args::NotationArgs;
use crate::cli::args::packed_file::format_by_ending;
use crate::cli::print::opening_names::in_both;
use crate::cli::print::terminal::Terminal;
use crate::language::{counts, text};
use crate::loss_text::loss_text;
use juzhong::engine::{MoveSource, Playable};
use juzhong::game::Side;
use juzhong::gomoku::Board;
use juzhong::record::{Format, Formats, PgnOptions, WriteError, WriteOptions, write_annotated_pgn};
use juzhong::review::{Annotated, Certainty, Mark, ReviewedMove, annotate};
use juzhong::xiangqi::Position;
use juzhong::xiangqi::notation::MoveNotation;

/// A game of which games are reviewed in the terminal.
pub(crate) trait Reviewable: Terminal + Playable {
    /// The formats of annotated games, the usual one first.
    const ANNOTATED: &'static [Format];

    /// True if the usual format is written whatever the ending of the output.
    const TAKES_ANY_ENDING: bool;

    /// Writes an annotated game in one of these formats.
    fn write_annotated(
        out: &mut Vec<u8>,
        annotated: &Annotated<Self>,
        format: Format,
        notation: NotationArgs,
    ) -> Result<(), WriteError>;

    /// The head of the table of moves.
    fn table_head() -> String;

    /// The line that names the player of a side.
    fn player_line(side: Side, player: &str) -> String;

    /// The sentence on the accuracy of a side, in percent.
    fn accuracy_text(side: Side, accuracy: f64) -> String;
}

impl Reviewable for Position {
    const ANNOTATED: &'static [Format] = &[Format::Pgn];
    const TAKES_ANY_ENDING: bool = true;

    /// Writes Chinese moves unless another notation is asked for.
    fn write_annotated(
        out: &mut Vec<u8>,
        annotated: &Annotated<Self>,
        _format: Format,
        notation: NotationArgs,
    ) -> Result<(), WriteError> {
        let notation = notation.asked().unwrap_or(MoveNotation::Chinese);
        let options = PgnOptions { notation, ..PgnOptions::default() };
        Ok(write_annotated_pgn(out, &annotated.record, &annotated.nags, &options)?)
    }

    fn table_head() -> String {
        text!("   move               source      eval   loss   (eval: pawns, for Red)")
    }

    fn player_line(side: Side, player: &str) -> String {
        let (red, black) = (player, player);
        match side {
            Side::First => text!("red      {red}"),
            Side::Second => text!("black    {black}"),
        }
    }

    fn accuracy_text(side: Side, accuracy: f64) -> String {
        match side {
            Side::First => text!("Accuracy of Red: {accuracy:.1}%."),
            Side::Second => text!("Accuracy of Black: {accuracy:.1}%."),
        }
    }
}

impl Reviewable for Board {
    const ANNOTATED: &'static [Format] = &[Format::Sgf, Format::Jsonl];
    const TAKES_ANY_ENDING: bool = false;

    fn write_annotated(
        out: &mut Vec<u8>,
        annotated: &Annotated<Self>,
        format: Format,
        _notation: NotationArgs,
    ) -> Result<(), WriteError> {
        Self::write_record(out, &annotated.record, format, &WriteOptions::default()).map(|_| ())
    }

    fn table_head() -> String {
        text!("   move               source      eval   loss   (eval: for Black)")
    }

    fn player_line(side: Side, player: &str) -> String {
        let (black, white) = (player, player);
        match side {
            Side::First => text!("black    {black}"),
            Side::Second => text!("white    {white}"),
        }
    }

    fn accuracy_text(side: Side, accuracy: f64) -> String {
        match side {
            Side::First => text!("Accuracy of Black: {accuracy:.1}%."),
            Side::Second => text!("Accuracy of White: {accuracy:.1}%."),
        }
    }
}

/// The format of annotated games in an output, by the ending of its name; `None` if it has none of the game's.
pub(crate) fn format_of<G: Reviewable>(output: Option<&Path>) -> Option<Format> {
    let Some(path) = output.filter(|_| !G::TAKES_ANY_ENDING) else { return Some(G::ANNOTATED[0]) };
    format_by_ending(path, G::ANNOTATED)
}

/// The annotated game.
pub(crate) fn annotated<G: Reviewable>(
    reviewed: &Reviewed<'_, G>,
    format: Format,
    notation: NotationArgs,
) -> Result<Vec<u8>, WriteError> {
    let record = &reviewed.game.record;
    let annotated = annotate(record, reviewed.review, preface(reviewed), &|_, of| comment(of));
    let mut bytes = Vec::new();
    G::write_annotated(&mut bytes, &annotated, format, notation)?;
    Ok(bytes)
}

/// The opening and the accuracy of both sides.
fn preface<G: Reviewable>(reviewed: &Reviewed<'_, G>) -> Option<String> {
    let opening =
        reviewed.opening.map(|opening| format!("{} {}.", opening.code, in_both(&opening)[0]));
    let sides = &reviewed.review.sides;
    let [first, second] = Side::ALL.map(|side| {
        let accuracy = sides[side].accuracy;
        accuracy.map(|accuracy| G::accuracy_text(side, accuracy))
    });
    let sentences: Vec<String> = [opening, first, second].into_iter().flatten().collect();
    (!sentences.is_empty()).then(|| sentences.join(" "))
}

/// The remark on a move, if there is something to say.
fn comment<M: Copy + PartialEq>(reviewed: &ReviewedMove<M>) -> Option<String> {
    let percent = 100.0 * reviewed.loss();
    let mark = reviewed.mark.map(|mark| match mark {
        Mark::Inaccuracy => text!("Inaccuracy: {percent:.1}% of the expected score lost."),
        Mark::Mistake => text!("Mistake: {percent:.1}% of the expected score lost."),
        Mark::Blunder => text!("Blunder: {percent:.1}% of the expected score lost."),
    });
    let mark = mark.map(|mark| match reviewed.certainty.map(certainty_text) {
        Some(certainty) => format!("{mark} {certainty}"),
        None => mark,
    });
    let truth = loss_text(reviewed);
    let book = match (reviewed.source, reviewed.book) {
        (MoveSource::Book, Some(share)) => Some(text!("Book: {}.", counts::games(share.games))),
        _ => None,
    };
    let only = reviewed.is_only.then(|| text!("Only move."));
    let sentences: Vec<String> = [mark, truth, book, only].into_iter().flatten().collect();
    (!sentences.is_empty()).then(|| sentences.join(" "))
}

/// The certainty of a mark as a sentence.
fn certainty_text(certainty: Certainty) -> String {
    match certainty {
        Certainty::Proved => text!("Proved."),
        Certainty::Stable => text!("Stable in deeper searches."),
        Certainty::Likely | Certainty::Withdrawn => text!("Likely."),
    }
}
