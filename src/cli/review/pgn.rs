//! A review as PGN: the game with evaluations, marks and better lines.

use super::super::line_args::NotationArgs;
use super::super::{CliError, OrExit, exit};
use super::Reviewed;
use super::text::loss_text;
use crate::cli::book::names::in_both;
use crate::cli::language::{counts, text};
use juzhong::engine::MoveSource;
use juzhong::record::{PgnOptions, write_annotated_pgn};
use juzhong::review::{Annotated, Mark, ReviewedMove, annotate};
use juzhong::xiangqi::Move;
use juzhong::xiangqi::notation::MoveNotation;

/// The annotated game; its moves are Chinese unless another notation is asked for.
pub(super) fn annotated(
    reviewed: &Reviewed<'_>,
    notation: NotationArgs,
) -> Result<Vec<u8>, CliError> {
    let record = &reviewed.game.record;
    let Annotated { record, nags } =
        annotate(record, reviewed.review, preface(reviewed), &|_, of| comment(of));
    let notation = notation.asked().unwrap_or(MoveNotation::Chinese);
    let options = PgnOptions { notation, ..PgnOptions::default() };
    let mut bytes = Vec::new();
    write_annotated_pgn(&mut bytes, &record, &nags, &options).or_exit(exit::IO)?;
    Ok(bytes)
}

/// The opening and the accuracy of both sides.
fn preface(reviewed: &Reviewed<'_>) -> Option<String> {
    let opening =
        reviewed.opening.map(|opening| format!("{} {}.", opening.code, in_both(&opening)[0]));
    let sides = &reviewed.review.sides;
    let red = sides.first.accuracy.map(|accuracy| text!("Accuracy of Red: {accuracy:.1}%."));
    let black = sides.second.accuracy.map(|accuracy| text!("Accuracy of Black: {accuracy:.1}%."));
    let sentences: Vec<String> = [opening, red, black].into_iter().flatten().collect();
    (!sentences.is_empty()).then(|| sentences.join(" "))
}

/// The remark on a move, if there is something to say.
fn comment(reviewed: &ReviewedMove<Move>) -> Option<String> {
    let percent = 100.0 * reviewed.loss();
    let mark = reviewed.mark.map(|mark| match mark {
        Mark::Inaccuracy => text!("Inaccuracy: {percent:.1}% of the expected score lost."),
        Mark::Mistake => text!("Mistake: {percent:.1}% of the expected score lost."),
        Mark::Blunder => text!("Blunder: {percent:.1}% of the expected score lost."),
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
