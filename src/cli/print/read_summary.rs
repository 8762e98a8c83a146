//! Lines on standard error about games read otherwise than their files state.

use crate::cli::notice;
use crate::language::{counted, counts};
use juzhong::message::message;
use juzhong::record::ReadSummary;

/// Says everything.
pub(crate) fn tell_all(read: &ReadSummary) {
    tell_cut_variations(read.cut_variations);
    tell_noted(read.noted);
    tell_cut(read.cut);
    tell_guessed(read.guessed);
    tell_skipped_words(read.skipped_words);
    tell_undecoded(read.undecoded);
}

fn tell_cut_variations(count: u64) {
    if count > 0 {
        notice(counted!(
            count == 1,
            "{count} variation cut at a move that cannot be played",
            "{count} variations cut at a move that cannot be played"
        ));
    }
}

fn tell_noted(games: u64) {
    if games > 0 {
        notice(message!(
            "{} read otherwise than the file states (-v lists them)",
            counts::games(games)
        ));
    }
}

/// Says how many games break off.
pub(crate) fn tell_cut(games: u64) {
    if games > 0 {
        notice(message!(
            "{} cut before an illegal move, or where the file ends too early",
            counts::games(games)
        ));
    }
}

fn tell_guessed(moves: u64) {
    if moves > 0 {
        notice(message!(
            "{} that several pieces could make: that one with which the rest can be played, else the one in front",
            counts::moves(moves)
        ));
    }
}

/// Says how many words and signs between moves are no moves.
pub(crate) fn tell_skipped_words(count: u64) {
    if count > 0 {
        notice(counted!(
            count == 1,
            "{count} word or sign between moves that is no move passed over (-v names it)",
            "{count} words or signs between moves that are no moves passed over (-v names them)"
        ));
    }
}

fn tell_undecoded(games: u64) {
    if games > 0 {
        notice(message!(
            "{} with bytes that stand for no character, written as \\xA4",
            counts::games(games)
        ));
    }
}
