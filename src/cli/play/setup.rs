//! The command `setup`: pieces placed by hand, and what `play` needs of a game for it.

use super::game::Played;
use super::{TerminalGame, Turn};
use crate::cli::GameName;
use crate::cli::print::terminal::Terminal;
use crate::language::{self, text};
use juzhong::answers::Refusal;
use juzhong::engine::Playable;
use juzhong::game::Side;
use juzhong::gomoku::Board;
use juzhong::message::{Message, ToMessage, message};
use juzhong::xiangqi::{Piece, Position, Setup, Square};

/// A game that is played in the terminal.
pub(crate) trait PlayGame: Terminal + Playable {
    /// Its name, by which texts are chosen.
    const GAME: GameName;

    /// The form of what may be typed to place pieces.
    const SETUP: &'static str;

    /// The placement in `text`, a position legal or not, after changes as they are typed: `e0=K`, `a9=`, `clear`,
    /// the name of a side.
    ///
    /// # Errors
    ///
    /// The reason why a change is not understood, and what may be typed.
    fn rearranged(text: &str, changes: &[&str]) -> Result<String, Message>;
}

impl PlayGame for Position {
    const GAME: GameName = GameName::Xiangqi;
    const SETUP: &'static str = "write setup e0=K a9=r e3= red, setup clear, or setup FEN";

    fn rearranged(text: &str, changes: &[&str]) -> Result<String, Message> {
        let mut setup = Setup::from_fen(text).map_err(|error| error.message())?;
        for &change in changes {
            rearrange(&mut setup, change)?;
        }
        // A placement by hand has no past.
        setup.halfmove_clock = 0;
        setup.fullmoves = 1;
        Ok(setup.to_fen())
    }
}

impl PlayGame for Board {
    const GAME: GameName = GameName::Gomoku;
    const SETUP: &'static str = "give the whole position as text: setup FEN";

    /// Refuses every change: a position is given as a whole.
    fn rearranged(_text: &str, _changes: &[&str]) -> Result<String, Message> {
        Err(Self::SETUP.into())
    }
}

/// Words of a placement, in Chinese and as the games have them.
pub(crate) const WORDS: [(&str, &str); 6] = [
    ("清空", "clear"),
    ("开局", "start"),
    ("红", "red"),
    ("红方", "red"),
    ("黑", "black"),
    ("黑方", "black"),
];

/// The changes of a placement, as the games understand them.
fn changes(text: &str) -> Vec<&str> {
    text.split_whitespace().map(in_english).collect()
}

fn in_english(word: &str) -> &str {
    WORDS.iter().find(|(chinese, _)| *chinese == word).map_or(word, |(_, english)| english)
}

/// Makes one change to a placement.
fn rearrange(setup: &mut Setup, change: &str) -> Result<(), Message> {
    match change.to_ascii_lowercase().as_str() {
        "clear" => *setup = Setup { turn: setup.turn, ..Setup::empty() },
        "start" => *setup = Position::start().to_setup(),
        "red" => setup.turn = Side::First,
        "black" => setup.turn = Side::Second,
        _ => {
            let (square, piece) = change.split_once('=').ok_or_else(|| unknown(change))?;
            let square = Square::parse(square).ok_or_else(|| unknown(change))?;
            let mut letters = piece.chars();
            let piece = match (letters.next(), letters.next()) {
                (None | Some('.'), None) => None,
                (Some(letter), None) => {
                    Some(Piece::from_letter(letter).ok_or_else(|| unknown(change))?)
                }
                _ => return Err(unknown(change)),
            };
            setup.board[square.index()] = piece;
        }
    }
    Ok(())
}

/// The answer to a change that is none.
fn unknown(change: &str) -> Message {
    message!("\"{change}\": write e0=K, e0= for none, clear, start, red or black")
}

impl<G: PlayGame> TerminalGame<'_, G> {
    /// Places men. What is no legal position is remembered, for further changes.
    pub(crate) fn set_up(&mut self, text: &str) -> Turn {
        let draft = match &self.draft {
            Some(draft) => draft.clone(),
            None => G::line_text(self.game().line(), self.game().fullmoves),
        };
        if text.is_empty() {
            self.say(draft)?;
            return self.answer(G::SETUP);
        }
        // A FEN has slashes, changes have none.
        let wanted = match text.contains('/') {
            true => text.to_owned(),
            false => match G::rearranged(&draft, &changes(text)) {
                Ok(wanted) => wanted,
                Err(message) => return self.answer(message),
            },
        };
        match G::read_start(&wanted) {
            Ok(start) => self.begin(Played::from_start(start), true),
            Err(Refusal::Unreadable(message)) => self.answer(message),
            Err(Refusal::Illegal { reasons, .. }) => {
                self.say(G::draw_illegal(&wanted).trim_end())?;
                self.draft = Some(wanted);
                for reason in reasons {
                    self.say(text!("illegal: {}", language::translated(reason)))?;
                }
                self.answer("the game stays as it is until the position is legal")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_a_placement_are_understood_in_chinese() {
        assert_eq!(changes("清空 e0=K 红"), ["clear", "e0=K", "red"]);
    }
}
