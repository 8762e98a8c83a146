//! The clock of a position in words.

use crate::language::text;
use juzhong::answers::tablebase::{Clock, Effect};
use juzhong::tablebase::Entry;

/// The words behind a value: none where it comes in time.
pub(crate) fn note(clock: &Clock, entry: Entry, by_capture: bool) -> String {
    if !clock.counts() {
        return String::new();
    }
    let limit = clock.limit();
    let plies = clock.plies();
    match clock.effect(entry, by_capture) {
        Effect::None | Effect::InTime | Effect::NextInTime => String::new(),
        Effect::Prevented => {
            text!(
                ", which the limit of {limit} plies without a capture prevents: {plies} are played"
            )
        }
        Effect::LateUnlessLoop => text!(
            ", which the limit of {limit} plies without a capture prevents, {plies} being played, unless a repetition decides first"
        ),
        Effect::LateUnlessCapture => text!(
            ", which the limit of {limit} plies without a capture prevents, {plies} being played, unless a capture comes first: tables of metric dtc know"
        ),
    }
}

/// The clock with its effect on the value of the position, whose best move may be a capture; `None` where it has not
/// begun.
pub(crate) fn summary(clock: &Clock, entry: Entry, by_capture: bool) -> Option<String> {
    if !clock.counts() {
        return None;
    }
    let effect = match clock.effect(entry, by_capture) {
        Effect::None => text!("the value stays"),
        Effect::InTime => text!("the result comes in time"),
        Effect::NextInTime => text!("the next capture, mate or loop comes in time"),
        Effect::Prevented => text!("the limit comes first: a draw"),
        Effect::LateUnlessLoop => text!("the limit comes first, unless a repetition decides"),
        Effect::LateUnlessCapture => text!("the limit comes first, unless a capture does"),
    };
    let plies = clock.plies();
    let limit = clock.limit();
    let left = clock.left();
    Some(text!(
        "clock: {plies} of {limit} plies without a capture are played, {left} are left; {effect}"
    ))
}
