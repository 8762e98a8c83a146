//! Words that are moves in some notation, and starts as texts state them: what readers of texts have in common.

use std::sync::LazyLock;

use crate::record::text::scan;
use crate::xiangqi::notation::{Dialect, Fault, MoveText, read_move};
use crate::xiangqi::{FenError, Position, START_FEN, Setup};

/// The usual start.
pub(crate) static START: LazyLock<Position> = LazyLock::new(Position::start);

/// The start position that a FEN states, `None` if it is the usual one or the text is blank, and
/// the plies since the last irreversible move.
pub(crate) fn read_start(fen: &str) -> Result<(Option<Position>, u32), FenError> {
    let fen = fen.trim();
    if fen.is_empty() || fen == START_FEN {
        return Ok((None, 0));
    }
    let setup = Setup::from_fen(fen)?;
    let position = Position::from_setup(&setup)?;
    if position == *START {
        return Ok((None, 0));
    }
    Ok((Some(position), setup.halfmove_clock))
}

/// Returns true if the (folded) characters are a move in some notation, legal or not.
pub(crate) fn is_move(text: &MoveText) -> bool {
    is_move_text(text)
}

/// The same for any characters.
pub(crate) fn is_move_text(text: &[char]) -> bool {
    // Of ranks from 1 only the 10 cannot be read as one from 0.
    is_readable(text)
        || text.contains(&'0') && from_one(text).is_some_and(|text| is_readable(&text))
}

/// Returns true if characters are a move whose ranks, if it has some, count from 0.
fn is_readable(text: &[char]) -> bool {
    !matches!(read_move(&START, text, Dialect::Any), Err(Fault::Unreadable))
}

fn is_move_word(word: &str) -> bool {
    scan::folded(word).is_some_and(|text| is_move(&text))
}

/// A move, a result, or Chinese moves written together.
pub(crate) fn begins_with_move(word: &str) -> bool {
    // A Chinese move has four characters.
    let head: String = word.chars().take(4).collect();
    is_move_word(word) || scan::outcome(word).is_some() || !head.is_ascii() && is_move_word(&head)
}

/// A move by squares whose ranks count from 1, with ranks that count from 0. `None` if it is none.
pub(crate) fn from_one(text: &[char]) -> Option<MoveText> {
    let mut out = MoveText::new();
    let mut rest = text;
    while let Some((&c, after)) = rest.split_first() {
        rest = after;
        let rank = match (c, rest) {
            ('1', ['0', after @ ..]) => {
                rest = after;
                '9'
            }
            ('1'..='9', _) => char::from(c as u8 - 1),
            ('0', _) => return None,
            (c, _) => c,
        };
        out.try_push(rank).ok()?;
    }
    Some(out)
}
