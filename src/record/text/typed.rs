//! Lines of moves as people type them: on a command line, at a prompt, in a script.

use crate::record::text::plain::{Parts, is_remark};
use crate::record::text::scan::{Scanner, Token, is_sign_of_value};

/// A position and moves as typed, in any notation and with or without numbers: `h2e2 h9g7`, `1. 炮二平五 马８进７`,
/// `C2=5,H8+7`, `startpos moves h2e2`, a FEN with moves after it.
///
/// ```
/// use juzhong::record::TypedLine;
///
/// let typed = TypedLine::read("1. 炮二平五 马８进７ 2. 马二进三");
/// assert_eq!(typed.fen, None);
/// assert_eq!(typed.moves, ["炮二平五", "马8进7", "马二进三"]);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TypedLine {
    /// The FEN before the moves, if there is one: board, side to move, and the counters that were written.
    pub fen: Option<String>,
    /// The texts of the moves, one by one and folded to half width. None of them need be a move.
    pub moves: Vec<String>,
}

impl TypedLine {
    /// Reads a text. Numbers, results, comments, variations and signs of value are left out.
    #[must_use]
    pub fn read(text: &str) -> Self {
        let mut parts = Parts::default();
        for line in text.split(['\n', '\r']).filter(|line| !is_remark(line.trim())) {
            parts.line(line);
        }
        let mut scanner = Scanner::new(&parts.moves);
        let (mut moves, mut depth) = (Vec::new(), 0_usize);
        while let Some(token) = scanner.next() {
            match token {
                Token::Open => depth += 1,
                // What is never closed is no move, and is refused as one.
                Token::OpenComment => moves.push("{".to_owned()),
                // So are null moves, and what is no sign of value.
                Token::Null if depth == 0 => moves.push(scanner.token_text().to_owned()),
                Token::Sign if depth == 0 && !is_sign_of_value(scanner.token_text()) => {
                    moves.push(scanner.token_text().to_owned());
                }
                Token::Close => depth = depth.saturating_sub(1),
                Token::Move(text) if depth == 0 => {
                    let text: String = text.into_iter().collect();
                    moves.push(text.trim_end_matches(['!', '?']).to_owned());
                }
                _ => {}
            }
        }
        if depth > 0 {
            moves.push("(".to_owned());
        }
        Self { fen: parts.fen, moves }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moves(text: &str) -> Vec<String> {
        TypedLine::read(text).moves
    }

    #[test]
    fn numbers_commas_and_words_of_protocols_are_left_out() {
        for text in [
            "h2e2 h9g7 h0g2",
            "h2e2,h9g7，h0g2",
            "1. h2e2 h9g7 2. h0g2",
            "1.h2e2 h9g7 2.h0g2 *",
            "startpos moves h2e2 h9g7 h0g2",
            "position startpos moves h2e2 h9g7 h0g2",
            "h2e2h9g7h0g2",
            "h2e2! {a comment} (1. c3c4) h9g7 $1 h0g2 1-0",
            "h2e2 ± h9g7 +- h0g2 =",
        ] {
            assert_eq!(moves(text), ["h2e2", "h9g7", "h0g2"], "{text}");
        }
        assert_eq!(moves("1. 炮二平五 马８进７"), ["炮二平五", "马8进7"]);
        assert_eq!(moves("炮二平五马8进7"), ["炮二平五", "马8进7"]);
        assert_eq!(moves("C2=5, H8+7"), ["C2=5", "H8+7"]);
        assert_eq!(moves("h8 h9 i8"), ["h8", "h9", "i8"]);
        assert_eq!(moves(""), [""; 0]);
        assert_eq!(moves("h2e2 {x h9g7"), ["h2e2", "{"]);
        assert_eq!(moves("h2e2 (x h9g7"), ["h2e2", "("]);
        assert_eq!(moves("h2e2 -- h9g7 } foo"), ["h2e2", "--", "h9g7", "}", "foo"]);
    }

    #[test]
    fn a_position_may_stand_before_the_moves() {
        let typed = TypedLine::read("4k4/9/9/9/9/9/9/9/9/3K5 b - - 3 7 moves e9e8");
        assert_eq!(typed.fen.as_deref(), Some("4k4/9/9/9/9/9/9/9/9/3K5 b - - 3 7"));
        assert_eq!(typed.moves, ["e9e8"]);
    }
}
