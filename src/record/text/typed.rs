//! Lines of moves as people type them: on a command line, at a prompt, in a script.

use crate::record::text::plain::{Parts, is_remark};
use crate::record::text::scan::{Scanner, Token, is_sign_of_value};
use crate::xiangqi::notation::{fold, is_chinese_move};

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
    /// Reads a text. Numbers before moves, results, comments, variations and signs of value are left out. What else is
    /// left over stands among the moves, behind the one that it is attached to, so that it is refused as a move.
    #[must_use]
    pub fn read(text: &str) -> Self {
        let mut parts = Parts::default();
        for line in text.split(['\n', '\r']).filter(|line| !is_remark(line.trim())) {
            parts.line(line);
        }
        let moves = Words::read(&parts.moves);
        Self { fen: parts.fen, moves }
    }
}

/// The words of a line, one by one.
struct Words<'a> {
    text: &'a str,
    moves: Vec<String>,
    /// The place behind the last move of the line itself, if nothing but signs of value came after it.
    last: Option<usize>,
    /// Variations that are open.
    depth: usize,
}

impl<'a> Words<'a> {
    fn read(text: &'a str) -> Vec<String> {
        let mut words = Self { text, moves: Vec::new(), last: None, depth: 0 };
        let mut scanner = Scanner::new(text);
        let mut end = 0;
        while let Some(token) = scanner.next() {
            let begin = scanner.token_start();
            words.passed_over(end, begin);
            end = scanner.token_end();
            words.token(&token, begin, end);
        }
        words.passed_over(end, text.len());
        // What is never closed is no move, and is refused as one.
        if words.depth > 0 {
            words.moves.push("(".to_owned());
        }
        words.moves
    }

    fn token(&mut self, token: &Token<'_>, begin: usize, end: usize) {
        let last = self.last.take();
        match token {
            Token::Open => self.depth += 1,
            Token::OpenComment => self.moves.push("{".to_owned()),
            Token::Close => match self.depth.checked_sub(1) {
                Some(depth) => self.depth = depth,
                None => self.moves.push(")".to_owned()),
            },
            // A null move is no move of a game that is typed.
            Token::Null | Token::Sign | Token::Move(_) if self.depth == 0 => {
                // The token itself ends where no move is so long.
                let written = &self.text[begin..end];
                if *token == Token::Sign && is_sign_of_value(written) {
                    return;
                }
                let word: String = written.chars().map(fold).collect();
                let word = word.trim_end_matches(['!', '?']);
                match self.moves.last_mut().filter(|_| last == Some(begin)) {
                    // Chinese moves are found written together; what is no further one belongs to the last.
                    Some(before) if !is_chinese(word) => before.push_str(word),
                    _ => self.moves.push(word.to_owned()),
                }
                self.last = Some(end);
            }
            _ => {}
        }
    }

    /// Keeps what the scanner passed over before a token, or before the end of the text, if it is neither a sign of value
    /// nor the number of a move.
    fn passed_over(&mut self, from: usize, to: usize) {
        let passed = &self.text[from..to];
        if self.depth > 0 || passed.is_empty() {
            return;
        }
        let is_last = to == self.text.len();
        let attached = passed.split(char::is_whitespace).next().unwrap_or_default();
        let is_whole = attached.len() < passed.len() || is_last;
        if self.last == Some(from)
            && is_whole
            && !attached.is_empty()
            && is_number(attached)
            && let Some(before) = self.moves.last_mut()
        {
            before.extend(attached.chars().map(fold));
            return;
        }
        let mut words = passed.split_whitespace();
        let leftover = words.find(|word| {
            let is_sign = word
                .strip_prefix('$')
                .is_some_and(|sign| !sign.starts_with(|c: char| fold(c).is_ascii_digit()));
            is_sign || is_last && is_number(word)
        });
        self.moves.extend(leftover.map(str::to_owned));
    }
}

/// Returns true if a word has digits only.
fn is_number(word: &str) -> bool {
    word.chars().all(|c| fold(c).is_ascii_digit())
}

/// Returns true if a (folded) word has the form of a Chinese move.
fn is_chinese(word: &str) -> bool {
    let letters: Vec<char> = word.chars().take(5).collect();
    letters.as_array::<4>().is_some_and(is_chinese_move)
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
        assert_eq!(
            moves("1. 炮二平五! 马8进7?! 2. 马二进三 $14"),
            ["炮二平五", "马8进7", "马二进三"]
        );
        assert_eq!(moves("1炮二平五马8进7 2马二进三"), ["炮二平五", "马8进7", "马二进三"]);
        assert_eq!(moves("1.炮二平五马8进72.马二进三"), ["炮二平五", "马8进7", "马二进三"]);
        assert_eq!(moves("h2e2 h9g7 2."), ["h2e2", "h9g7"]);
    }

    #[test]
    fn what_is_left_over_is_shown() {
        for (typed, read) in [
            ("炮二平九十", &["炮二平九十"][..]),
            ("炮二平五十 马8进7", &["炮二平五十", "马8进7"]),
            ("炮二平五x", &["炮二平五x"]),
            ("炮二平五+", &["炮二平五+"]),
            ("炮二平五5", &["炮二平五5"]),
            ("炮二平五５ 马8进7", &["炮二平五5", "马8进7"]),
            ("炮二平五马8进7七", &["炮二平五", "马8进7七"]),
            ("炮二平五车", &["炮二平五车"]),
            ("炮二平五马8进", &["炮二平五马8进"]),
            ("h2e2!!!!!!!!!!garbage", &["h2e2!!!!!!!!!!garbage"]),
            ("h2e2 42", &["h2e2", "42"]),
            ("h2e2 h9g7 2", &["h2e2", "h9g7", "2"]),
            ("h2e2 $$", &["h2e2", "$$"]),
            ("h2e2 )", &["h2e2", ")"]),
            ("h2e2 @", &["h2e2", "@"]),
        ] {
            assert_eq!(moves(typed), read, "{typed}");
        }
    }

    #[test]
    fn a_position_may_stand_before_the_moves() {
        let typed = TypedLine::read("4k4/9/9/9/9/9/9/9/9/3K5 b - - 3 7 moves e9e8");
        assert_eq!(typed.fen.as_deref(), Some("4k4/9/9/9/9/9/9/9/9/3K5 b - - 3 7"));
        assert_eq!(typed.moves, ["e9e8"]);
    }
}
