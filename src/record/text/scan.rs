//! The tokens of a PGN's text after decoding. Total: any text gives tokens, in time linear in its
//! length.

use crate::game::{Outcome, Side};
use crate::xiangqi::notation::{MoveText, begins_chinese, fold, is_chinese_action, is_file_based};

/// One token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Token<'a> {
    /// `[Name "value"]`
    Tag(&'a str, String),
    /// A move, or any other word.
    Move(MoveText),
    /// A sign of value, such as `±` or `+-`, or any other word without a letter or digit.
    Sign,
    /// A null move: `--`, `Z0`, `null`.
    Null,
    /// `{…}` or `; …`, trimmed.
    Comment(&'a str),
    /// A comment that is never closed.
    OpenComment,
    /// `(`
    Open,
    /// `)`
    Close,
    /// A result; `None` for `*`.
    Result(Option<Outcome>),
}

/// Reads tokens one by one.
#[derive(Debug, Clone)]
pub(crate) struct Scanner<'a> {
    text: &'a str,
    at: usize,
    /// The offset at which the last token began.
    token: usize,
    /// The offset at which the line of the last tag ends: many tags may stand on one.
    line_end: Option<usize>,
    /// The offsets at which the last move number begins and ends, until it is taken.
    number: Option<(usize, usize)>,
    /// The numeric annotation glyphs that were passed over, until they are taken.
    glyphs: Vec<u8>,
}

/// The number of a move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Number {
    pub(crate) value: u64,
    /// A dot or another mark stands behind it.
    pub(crate) is_marked: bool,
    /// Black's move follows, as in `1... h9g7`.
    pub(crate) is_second: bool,
}

/// Glyphs of a move that are kept.
const MOST_GLYPHS: usize = 8;
/// Characters behind a number that are searched for its marks.
const LONGEST_MARK: usize = 16;

impl<'a> Scanner<'a> {
    pub(crate) const fn new(text: &'a str) -> Self {
        Self { text, at: 0, token: 0, line_end: None, number: None, glyphs: Vec::new() }
    }

    /// The offset at which the last token began.
    pub(crate) const fn token_start(&self) -> usize {
        self.token
    }

    /// The last token as it stands in the text.
    pub(crate) fn token_text(&self) -> &'a str {
        &self.text[self.token..self.at]
    }

    /// Goes back to a token, whose place is then that of the last one.
    pub(crate) const fn return_to(&mut self, token: usize) {
        (self.token, self.at) = (token, token);
    }

    /// Takes the numeric annotation glyphs that were passed over.
    pub(crate) fn take_glyphs(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.glyphs)
    }

    /// Takes the move number that was passed over last.
    pub(crate) fn take_number(&mut self) -> Option<Number> {
        let (begin, end) = self.number.take()?;
        let digits = self.text.get(begin..end)?.chars().map(fold);
        // Nine digits always fit; longer numbers count no moves.
        let value = digits.filter_map(|c| c.to_digit(10)).take(9);
        let value = value.fold(0, |value, digit| 10 * value + u64::from(digit));
        let between = self.text.get(end..self.token)?.chars().map(fold);
        let between = between.take_while(|c| is_mark(*c) || c.is_whitespace());
        let mut dots = 0;
        let mut is_marked = false;
        for c in between.take(LONGEST_MARK).filter(|&c| is_mark(c)) {
            is_marked = true;
            dots += if c == '\u{2026}' { 2 } else { 1 };
        }
        Some(Number { value, is_marked, is_second: dots > 1 })
    }

    /// The offset behind the last token.
    pub(crate) const fn token_end(&self) -> usize {
        self.at
    }

    /// The number of line ends before that place.
    pub(crate) fn lines_before(&self, at: usize) -> u64 {
        self.text.as_bytes()[..at].iter().filter(|&&b| b == b'\n').count() as u64
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    /// The character here, folded, and its length in bytes.
    #[inline]
    fn peek(&self) -> Option<(char, usize)> {
        let &byte = self.text.as_bytes().get(self.at)?;
        if byte.is_ascii() {
            return Some((char::from(byte), 1));
        }
        let c = self.rest().chars().next()?;
        Some((fold(c), c.len_utf8()))
    }

    /// The characters here, folded.
    fn ahead(&self) -> impl Iterator<Item = char> + 'a {
        self.rest().chars().map(fold)
    }

    fn looking_at(&self, text: &str) -> bool {
        let mut ahead = self.ahead();
        text.chars().all(|c| ahead.next() == Some(c))
    }

    fn bump(&mut self, chars: usize) {
        self.at += self.rest().chars().take(chars).map(char::len_utf8).sum::<usize>();
    }

    pub(crate) fn next(&mut self) -> Option<Token<'a>> {
        loop {
            let (c, len) = self.peek()?;
            self.token = self.at;
            match c {
                '{' => return Some(self.comment()),
                ';' => return Some(self.line_comment()),
                '%' if self.at_line_start() => {
                    self.line_comment();
                }
                '(' | ')' => {
                    self.at += len;
                    return Some(if c == '(' { Token::Open } else { Token::Close });
                }
                '[' => {
                    if let Some(tag) = self.tag() {
                        return Some(tag);
                    }
                    return Some(self.word());
                }
                '0'..='9' => {
                    if let Some(token) = self.number() {
                        return Some(token);
                    }
                }
                '$' => self.annotation(len),
                _ if c.is_whitespace() => self.at += len,
                '.' if !self.is_middle_piece() => self.at += len,
                '!' | '?' => self.marks(),
                '\u{2026}' | '\u{feff}' | '、' => self.at += len,
                _ if begins_chinese(c) => return Some(self.chinese()),
                _ => return Some(self.result().unwrap_or_else(|| self.word())),
            }
        }
    }

    fn at_line_start(&self) -> bool {
        self.at == 0 || self.text.as_bytes()[self.at - 1] == b'\n'
    }

    fn annotation(&mut self, len: usize) {
        self.at += len;
        let begin = self.at;
        self.skip_digits();
        let digits = self.text[begin..self.at].chars().map(fold).collect::<String>();
        if self.glyphs.len() < MOST_GLYPHS {
            self.glyphs.extend(digits.parse::<u8>());
        }
    }

    /// The marks `!` and `?` of a move, which stand for glyphs.
    fn marks(&mut self) {
        let mut marks = [None, None];
        let mut count = 0;
        while let Some((c @ ('!' | '?'), len)) = self.peek() {
            if count < marks.len() {
                marks[count] = Some(c);
            }
            count += 1;
            self.at += len;
        }
        let glyph = match marks {
            [Some('!'), None] => 1,
            [Some('?'), None] => 2,
            [Some('!'), Some('!')] => 3,
            [Some('?'), Some('?')] => 4,
            [Some('!'), _] => 5,
            _ => 6,
        };
        if self.glyphs.len() < MOST_GLYPHS {
            self.glyphs.push(glyph);
        }
    }

    /// Returns true if nothing but marks and glyphs follow up to the end of the word.
    fn is_at_glyphs(&self) -> bool {
        let mut rest = self.ahead().take_while(|&c| !c.is_whitespace() && !ends_word(c)).peekable();
        let mut count = 0;
        while let Some(c) = rest.next() {
            count += 1;
            match c {
                '!' | '?' => {}
                '$' if rest.next_if(char::is_ascii_digit).is_some() => {
                    while rest.next_if(char::is_ascii_digit).is_some() {}
                }
                _ => return false,
            }
        }
        count > 0
    }

    fn skip_digits(&mut self) -> usize {
        let mut count = 0;
        while let Some(('0'..='9', len)) = self.peek() {
            self.at += len;
            count += 1;
        }
        count
    }

    /// `.P=6`, not the dot of a number.
    fn is_middle_piece(&self) -> bool {
        let mut ahead = self.ahead().skip(1);
        matches!(ahead.next(), Some('P' | 'p'))
            && matches!(ahead.next(), Some('+' | '-' | '=' | '.'))
    }

    fn comment(&mut self) -> Token<'a> {
        let rest = self.rest();
        let Some(end) = rest.find(|c| c == '}' || c == '｝' && rest.starts_with('｛')) else {
            self.at = self.text.len();
            return Token::OpenComment;
        };
        let open = rest.chars().next().map_or(0, char::len_utf8);
        let close = rest[end..].chars().next().map_or(0, char::len_utf8);
        self.at += end + close;
        Token::Comment(rest[open..end].trim())
    }

    fn line_comment(&mut self) -> Token<'a> {
        let rest = self.rest();
        let line = &rest[..rest.find('\n').unwrap_or(rest.len())];
        self.at += line.len();
        let open = line.chars().next().map_or(0, char::len_utf8);
        Token::Comment(line[open..].trim())
    }

    /// A tag. The value ends with the first `"]` that nothing but another tag follows on its line,
    /// or else with the last `"]` if moves follow it, or else with the line's last quotation mark:
    /// values contain stray ones.
    fn tag(&mut self) -> Option<Token<'a>> {
        let rest = self.rest().strip_prefix('[')?;
        let name = &rest[..rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_')?];
        let value = rest[name.len()..].trim_start_matches([' ', '\t']).strip_prefix('"')?;
        if name.is_empty() {
            return None;
        }
        let begin = self.text.len() - value.len();
        let end = self.line_end(begin);
        let (value, after) = tag_value(&self.text[begin..end]);
        self.at = end - after.len();
        Some(Token::Tag(name, unescape(value)))
    }

    /// The offset at which the line that contains `from` ends.
    fn line_end(&mut self, from: usize) -> usize {
        if let Some(end) = self.line_end.filter(|&end| from <= end) {
            return end;
        }
        let rest = &self.text[from..];
        let end = from + rest.find('\n').unwrap_or(rest.len());
        self.line_end = Some(end);
        end
    }

    /// A result, a move that begins with a digit, or `None` after a move number.
    fn number(&mut self) -> Option<Token<'a>> {
        if let Some(result) = self.result() {
            return Some(result);
        }
        let start = self.at;
        let digits = self.skip_digits();
        let mut ahead = self.ahead();
        let next = ahead.next();
        let second = ahead.next();
        let third = ahead.next();
        let is_pawn = match (digits, next) {
            (2, Some('+' | '=' | '-')) => second.is_some_and(|c| c.is_ascii_digit()),
            (2, Some('.')) => {
                second.is_some_and(|c| c.is_ascii_digit()) && third.is_none_or(char::is_whitespace)
            }
            _ => false,
        };
        if is_pawn {
            self.at = start;
            return Some(self.word());
        }
        let is_chinese = next.is_some_and(begins_chinese) && second.is_some_and(is_chinese_action);
        if digits == 1 && is_chinese {
            self.at = start;
            return Some(self.chinese());
        }
        if &self.text[start..self.at] == "0000" {
            return Some(Token::Null);
        }
        self.number = Some((start, self.at));
        None
    }

    fn result(&mut self) -> Option<Token<'a>> {
        const WORDS: [(&str, Option<Outcome>); 17] = [
            ("*", None),
            ("1-0", Some(Outcome::Win(Side::First))),
            ("0-1", Some(Outcome::Win(Side::Second))),
            ("1/2-1/2", Some(Outcome::Draw)),
            ("1/2", Some(Outcome::Draw)),
            ("½-½", Some(Outcome::Draw)),
            ("0.5-0.5", Some(Outcome::Draw)),
            ("红胜", Some(Outcome::Win(Side::First))),
            ("紅勝", Some(Outcome::Win(Side::First))),
            ("红方胜", Some(Outcome::Win(Side::First))),
            ("紅方勝", Some(Outcome::Win(Side::First))),
            ("黑胜", Some(Outcome::Win(Side::Second))),
            ("黑勝", Some(Outcome::Win(Side::Second))),
            ("黑方胜", Some(Outcome::Win(Side::Second))),
            ("黑方勝", Some(Outcome::Win(Side::Second))),
            ("和棋", Some(Outcome::Draw)),
            ("和局", Some(Outcome::Draw)),
        ];
        let (first, _) = self.peek()?;
        // Asked at every word: hardly one begins like a result.
        if !matches!(first, '*' | '0' | '1' | '½' | '红' | '紅' | '黑' | '和') {
            return None;
        }
        let &(word, outcome) = WORDS.iter().find(|(word, _)| self.looking_at(word))?;
        self.bump(word.chars().count());
        Some(Token::Result(outcome))
    }

    /// Reads the four characters of a move, whatever comes after them: moves are found written together.
    /// What is none is a word.
    fn chinese(&mut self) -> Token<'a> {
        let mut text = MoveText::new();
        let mut ahead = self.ahead().take_while(|c| !c.is_whitespace());
        text.extend(ahead.by_ref().take(4));
        let is_move = matches!(*text, [_, _, third, _] if is_chinese_action(third));
        if is_move || is_file_based(&text) {
            self.bump(text.len());
            return Token::Move(text);
        }
        self.word()
    }

    /// Returns true if a Chinese move begins here.
    fn is_chinese_move(&self) -> bool {
        let text: MoveText = self.ahead().take(4).collect();
        matches!(*text, [_, _, third, _] if is_chinese_action(third)) && is_file_based(&text)
    }

    /// Up to a blank, a bracket or a Chinese move; characters beyond the longest move are dropped.
    fn word(&mut self) -> Token<'a> {
        let mut text = MoveText::new();
        while let Some((c, len)) = self.peek() {
            let ends = c.is_whitespace()
                || ends_word(c)
                || matches!(c, '!' | '?' | '$') && self.is_at_glyphs();
            // A word has a character at least, so that the scanner goes on whatever stands here.
            if self.at > self.token && (ends || begins_chinese(c) && self.is_chinese_move()) {
                break;
            }
            if !text.is_full() {
                text.push(c);
            }
            self.at += len;
        }
        if is_null(&text, self.token_text()) {
            return Token::Null;
        }
        if is_sign(&text) { Token::Sign } else { Token::Move(text) }
    }
}

/// Returns true for the brackets and signs that end a word.
const fn ends_word(c: char) -> bool {
    matches!(c, '{' | '}' | '(' | ')' | ';' | ']' | '*')
}

/// Signs of value and other marks that have letters.
const LETTERED_SIGNS: [&str; 7] = ["N", "TN", "D", "RR", "ep", "e.p.", "mate"];

/// Words for a null move, in small letters.
const NULL_MOVES: [&str; 8] = ["z0", "null", "nullmove", "pass", "@@@@", "空着", "停着", "停一着"];

/// Returns true if a (folded) word is a sign of value or another mark, and certainly no move.
fn is_sign(text: &[char]) -> bool {
    !text.iter().any(|c| c.is_alphanumeric())
        || text.len() <= 4
            && LETTERED_SIGNS.iter().any(|sign| sign.chars().eq(text.iter().copied()))
}

/// Returns true if a word is a sign of value or another mark, or a null move.
pub(crate) fn is_sign_or_null(word: &str) -> bool {
    folded(word).is_some_and(|text| is_null(&text, word) || is_sign(&text))
}

/// The characters of a word, folded; `None` if no move is that long.
pub(crate) fn folded(word: &str) -> Option<MoveText> {
    let mut text = MoveText::new();
    word.chars().all(|c| text.try_push(fold(c)).is_ok()).then_some(text)
}

/// Returns true if a word, folded and as it is written, is a null move. Long dashes are punctuation.
fn is_null(text: &[char], written: &str) -> bool {
    if text == ['-', '-'] {
        return matches!(written, "--" | "－－");
    }
    if let [a, b, c, d] | [a, b, '-', c, d] = text {
        let is_square = matches!(a.to_ascii_lowercase(), 'a'..='i') && b.is_ascii_digit();
        return is_square && a == c && b == d || text == ['n', 'u', 'l', 'l'] || is_null_word(text);
    }
    is_null_word(text)
}

/// Returns true for a mark behind the number of a move.
const fn is_mark(c: char) -> bool {
    matches!(c, '.' | '\u{2026}' | '、')
}

fn is_null_word(text: &[char]) -> bool {
    NULL_MOVES.iter().any(|word| word.chars().eq(text.iter().map(char::to_ascii_lowercase)))
}

/// The signs of value that stand right behind moves, long ones first.
const GLUED_SIGNS: [&str; 20] = [
    "++--", "--++", "+--", "--+", "+/-", "-/+", "+/=", "=/+", "+-", "-+", "+=", "=+", "=∞", "±",
    "∓", "⩲", "⩱", "∞", "=", "N",
];

/// Returns true if a word is a sign of value alone, without letters.
pub(crate) fn is_sign_of_value(word: &str) -> bool {
    word.chars().all(|c| !c.is_alphanumeric()) && GLUED_SIGNS.contains(&word)
}

/// The (folded) characters of a word without the sign of value at its end; `None` if there is none.
pub(crate) fn without_sign(text: &[char]) -> Option<&[char]> {
    let end = text.iter().rposition(|c| !matches!(c, '!' | '?')).map_or(0, |at| at + 1);
    let text = &text[..end];
    // The number of a glyph.
    let digits = text.iter().rev().take_while(|c| c.is_ascii_digit()).count();
    if let Some(at) = text.len().checked_sub(digits + 1).filter(|&at| at > 0 && digits > 0)
        && text[at] == '$'
    {
        return Some(&text[..at]);
    }
    GLUED_SIGNS.iter().find_map(|sign| {
        let at = text.len().checked_sub(sign.chars().count()).filter(|&at| at > 0)?;
        sign.chars().eq(text[at..].iter().copied()).then_some(&text[..at])
    })
}

/// The value and what follows the tag on its line.
fn tag_value(line: &str) -> (&str, &str) {
    let ends = line.match_indices('"').filter(|(at, _)| {
        let slashes = line[..*at].bytes().rev().take_while(|&b| b == b'\\').count();
        slashes % 2 == 0
    });
    let mut last = None;
    for (at, _) in ends {
        if let Some(after) = line[at + 1..].trim_start().strip_prefix(']') {
            last = Some((&line[..at], after));
            if matches!(after.trim_start().chars().next(), None | Some('[')) {
                return (&line[..at], after);
            }
        }
    }
    if let Some((value, after)) = last
        && begins_moves(after)
    {
        return (value, after);
    }
    let end = line.rfind('"').or_else(|| line.rfind(']')).unwrap_or(line.len());
    (line[..end].trim_end(), "")
}

/// Returns true if the text begins with a comment, a result, or a word that is Chinese or has a digit.
fn begins_moves(text: &str) -> bool {
    let word = text.split_whitespace().next().unwrap_or_default();
    let first = word.chars().next().map(fold);
    first.is_some_and(|c| matches!(c, '{' | '(' | ';' | '*') || begins_chinese(c))
        || word.chars().any(|c| fold(c).is_ascii_digit())
}

fn unescape(value: &str) -> String {
    if value.contains('\\') {
        value.replace("\\\"", "\"").replace("\\\\", "\\")
    } else {
        value.to_owned()
    }
}

/// The outcome that a result tag states. Beside the results of movetext these are what tables of
/// tournaments have: two points for a win, colons, a win of the first player.
pub(crate) fn outcome(value: &str) -> Option<Outcome> {
    match value.trim() {
        "1:0" | "2-0" | "2:0" | "先胜" | "先勝" | "红先胜" | "紅先勝" => {
            return Some(Outcome::Win(Side::First));
        }
        "0:1" | "0-2" | "0:2" | "先负" | "先負" | "红先负" | "紅先負" => {
            return Some(Outcome::Win(Side::Second));
        }
        "1-1" | "1:1" | "先和" | "红先和" | "紅先和" | "和" => return Some(Outcome::Draw),
        _ => {}
    }
    match Scanner::new(value.trim()).result()? {
        Token::Result(outcome) => outcome,
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(text: &str) -> Vec<String> {
        let mut scanner = Scanner::new(text);
        let mut tokens = Vec::new();
        while let Some(token) = scanner.next() {
            tokens.push(match token {
                Token::Tag(name, value) => format!("{name}={value}"),
                Token::Move(text) => text.iter().collect(),
                Token::Comment(text) => format!("{{{text}}}"),
                other => format!("{other:?}"),
            });
        }
        tokens
    }

    #[test]
    fn move_numbers_in_every_form() {
        for text in [
            "1. 炮二平五 马８进７ 2. 马二进三",
            "1.炮二平五 马8进7 2.马二进三",
            "1．炮二平五 马８进７ ２．马二进三",
            "1 炮二平五 马８进７ 2 马二进三",
            "1、炮二平五　马８进７\r\n2、马二进三",
            "1炮二平五马８进７2马二进三",
            "炮二平五 马８进７ 马二进三",
            "1. 炮二平五\n1. ... 马８进７\n2... 马二进三",
            "1. 炮二平五! $4 1…马８进７?! 2. 马二进三",
        ] {
            assert_eq!(tokens(text), ["炮二平五", "马8进7", "马二进三"], "{text}");
        }
    }

    #[test]
    fn latin_moves() {
        assert_eq!(
            tokens("1. C2=5 Ｈ８＋７ 2.+P=6 17=6 3. .P=6 17.6 12. h2e2 c5-c6 1c3c4"),
            ["C2=5", "H8+7", "+P=6", "17=6", ".P=6", "17.6", "h2e2", "c5-c6", "c3c4"]
        );
        assert_eq!(tokens("１卒平２ 三兵平四"), ["1卒平2", "三兵平四"]);
    }

    #[test]
    fn comments_brackets_results() {
        assert_eq!(
            tokens("{a\nb} (x) ; c d\n1-0 0-1 1/2-1/2 * 红胜"),
            [
                "{a\nb}",
                "Open",
                "x",
                "Close",
                "{c d}",
                "Result(Some(Win(First)))",
                "Result(Some(Win(Second)))",
                "Result(Some(Draw))",
                "Result(None)",
                "Result(Some(Win(First)))"
            ]
        );
        assert_eq!(tokens("{never"), ["OpenComment"]);
        assert_eq!(tokens("｛a｝b"), ["{a}", "b"]);
        assert_eq!(tokens("% escaped\nx"), ["x"]);
    }

    #[test]
    fn words_for_results() {
        let first = Some(Outcome::Win(Side::First));
        for text in ["1-0", " 1:0 ", "2-0", "先胜", "紅方勝"] {
            assert_eq!(outcome(text), first, "{text}");
        }
        assert_eq!(outcome("0:2"), Some(Outcome::Win(Side::Second)));
        assert_eq!(outcome("1-1"), Some(Outcome::Draw));
        for text in ["", "*", "3-0", "win"] {
            assert_eq!(outcome(text), None, "{text}");
        }
    }

    #[test]
    fn moves_on_the_line_of_a_tag() {
        let expected = ["A=x", "Result=1-0", "h2e2", "{a \"b\"}", "Result(None)"];
        assert_eq!(tokens("[A \"x\"] [Result \"1-0\"] 1. h2e2 {a \"b\"} *"), expected);
        assert_eq!(tokens("[A \"x\"] 炮二平五"), ["A=x", "炮二平五"]);
    }

    #[test]
    fn tags_with_stray_quotes() {
        assert_eq!(tokens("[Event \"{A-B} \"x\" y\"]\nz"), ["Event={A-B} \"x\" y", "z"]);
        assert_eq!(tokens("[A \"1\"] [B \"2\"]"), ["A=1", "B=2"]);
        assert_eq!(tokens("[Site \"C:\\\"]"), ["Site=C:\\"]);
        assert_eq!(tokens("[Site \"a\\\"] [b\"]"), ["Site=a\"] [b"]);
        assert_eq!(tokens("[A\"1\"]"), ["A=1"]);
        assert_eq!(tokens("[A \"1\"] junk\nz"), ["A=1", "z"]);
        assert_eq!(tokens("[A \"1\n[B \"2\"]"), ["A=1", "B=2"]);
    }
}
