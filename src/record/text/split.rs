//! Game boundaries, found in bytes before any decoding. A game begins with a tag line after other
//! text; with a tag line after a blank line that repeats the game's first tag or is `Game` or
//! `Event`; in text without tags with a line `1.` after a blank line. Comments before the first
//! game belong to it, and no game begins within a comment.
//!
//! Line ends and the `[` that begins a line are never part of a multi-byte character in the
//! encodings at hand; braces can be.

use crate::record::model::chunk::{Chunk, Start};
use crate::record::model::encoding::{Encoding, UTF8_MARK};
use crate::record::model::limits::MAX_GAME_BYTES;

/// Cuts a stretch in which each line that is not blank is a game.
pub(crate) fn cut_lines(bytes: &[u8], open: &Chunk, target: usize) -> Vec<Chunk> {
    let lines = Lines::new(bytes, open);
    let starts = lines.map(|TextLine { start: at, line, game, .. }| Start { at, line, game });
    open.cut_at(target, starts)
}

/// A line that is not blank.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TextLine<'a> {
    /// Without the end, and without the blanks around it.
    pub(crate) text: &'a [u8],
    /// Its start in the bytes given.
    pub(crate) start: usize,
    /// The start of the next line.
    pub(crate) end: usize,
    /// Its number.
    pub(crate) line: u64,
    /// The number of lines that are not blank up to here.
    pub(crate) game: u64,
}

/// The lines of a chunk that are not blank.
#[derive(Debug, Clone)]
pub(crate) struct Lines<'a> {
    bytes: &'a [u8],
    at: usize,
    line: u64,
    game: u64,
    line_end: u8,
}

impl<'a> Lines<'a> {
    /// The lines of `bytes`, which begin where `chunk` does.
    pub(crate) const fn new(bytes: &'a [u8], chunk: &Chunk) -> Self {
        let Chunk { line, game, line_end, .. } = *chunk;
        Self { bytes, at: 0, line, game, line_end }
    }
}

impl<'a> Iterator for Lines<'a> {
    type Item = TextLine<'a>;

    fn next(&mut self) -> Option<TextLine<'a>> {
        loop {
            let rest = self.bytes.get(self.at..).filter(|rest| !rest.is_empty())?;
            let end = rest.iter().position(|&b| b == self.line_end);
            let text = &rest[..end.unwrap_or(rest.len())];
            let start = self.at;
            let line = self.line;
            self.at += end.map_or(rest.len(), |end| end + 1);
            self.line += 1;
            let text = text.strip_prefix(UTF8_MARK).unwrap_or(text).trim_ascii();
            if !text.is_empty() {
                self.game += 1;
                let end = self.at;
                let game = self.game - 1;
                return Some(TextLine { text, start, end, line, game });
            }
        }
    }
}

/// The bytes of one game.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Block<'a> {
    /// From its first line that is not blank to the next game.
    pub(crate) bytes: &'a [u8],
    /// The offset of their start.
    pub(crate) start: usize,
    /// The number of that line.
    pub(crate) line: u64,
}

/// The games of a stretch of bytes.
#[derive(Debug)]
pub(crate) struct Blocks<'a> {
    bytes: &'a [u8],
    at: usize,
    line: u64,
    line_end: u8,
    encoding: Encoding,
    /// Up to here everything is known to be within a comment.
    comment_end: usize,
}

/// The properties of a block that its lines have shown so far.
#[derive(Debug, Default)]
struct Seen<'a> {
    part: GamePart,
    /// The name in the first line that is a tag.
    first_tag: Option<&'a [u8]>,
    after_blank: bool,
    in_comment: bool,
}

/// The part of a game that a line belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum GamePart {
    /// Nothing but comments so far.
    #[default]
    Preface,
    Tags,
    Moves,
}

impl<'a> Blocks<'a> {
    /// The games of `bytes`, which begin where `chunk` does.
    pub(crate) const fn new(bytes: &'a [u8], chunk: &Chunk) -> Self {
        let Chunk { line, encoding, line_end, .. } = *chunk;
        Self { bytes, at: 0, line, line_end, encoding, comment_end: 0 }
    }

    /// The next line with its end.
    fn line(&self) -> Option<&'a [u8]> {
        let rest = self.bytes.get(self.at..).filter(|rest| !rest.is_empty())?;
        let end = rest.iter().position(|&b| b == self.line_end).map_or(rest.len(), |i| i + 1);
        Some(&rest[..end])
    }

    const fn advance(&mut self, line: &[u8]) {
        self.at += line.len();
        self.line += 1;
    }

    /// Returns true if the next line begins another game than the one seen so far; notes what it shows.
    fn begins_game(&mut self, seen: &mut Seen<'a>, line: &'a [u8]) -> bool {
        let text = line.strip_prefix(UTF8_MARK).unwrap_or(line).trim_ascii_start();
        let tag = tag_name(text);
        if seen.in_comment && !(tag.is_some() && self.is_never_closed()) {
            self.note_text(seen, line);
            return false;
        }
        let after_blank = std::mem::replace(&mut seen.after_blank, text.is_empty());
        if let Some(name) = tag {
            return seen.is_over_at_tag(name, after_blank);
        }
        if seen.first_tag.is_none()
            && seen.part == GamePart::Moves
            && after_blank
            && is_first_move(text)
        {
            return true;
        }
        if !matches!(text.first(), None | Some(b';' | b'%')) {
            self.note_text(seen, line);
        } else if seen.part == GamePart::Tags && !text.is_empty() {
            seen.part = GamePart::Moves;
        }
        false
    }

    /// Notes a line that is no tag: whether it leaves a comment open, and whether more than
    /// comments stands in it.
    fn note_text(&self, seen: &mut Seen<'a>, line: &[u8]) {
        let mut has_text = seen.part == GamePart::Tags;
        if seen.in_comment || line.contains(&b'{') {
            for c in ascii(line, self.encoding) {
                match c {
                    b'}' => seen.in_comment = false,
                    _ if seen.in_comment => {}
                    b'{' => seen.in_comment = true,
                    b';' => break,
                    _ => has_text |= !c.is_ascii_whitespace(),
                }
            }
        } else {
            has_text = true;
        }
        if has_text {
            seen.part = GamePart::Moves;
        }
    }

    /// Returns true if the comment that is open at the next line has no end of its own: another one begins
    /// before any ends.
    fn is_never_closed(&mut self) -> bool {
        if self.at < self.comment_end {
            return false;
        }
        let rest = &self.bytes[self.at..];
        // A comment that goes further would make the game too long in any case.
        let rest = &rest[..rest.len().min(MAX_GAME_BYTES)];
        let mut length = 0;
        for run in rest.split_inclusive(|&b| b == self.line_end) {
            let brace = ascii(run, self.encoding).find(|c| matches!(c, b'{' | b'}'));
            if let Some(brace) = brace {
                self.comment_end = self.at + length;
                return brace == b'{';
            }
            length += run.len();
        }
        true
    }
}

impl<'a> Seen<'a> {
    /// Returns true if a tag line begins the next game; notes the tag.
    fn is_over_at_tag(&mut self, name: &'a [u8], after_blank: bool) -> bool {
        match self.part {
            GamePart::Preface if self.in_comment => return true,
            GamePart::Preface => self.part = GamePart::Tags,
            GamePart::Tags if after_blank && self.begins_games(name) => return true,
            GamePart::Tags => {}
            GamePart::Moves => return true,
        }
        self.first_tag.get_or_insert(name);
        false
    }

    /// Returns true for the name of a tag with which games of this text begin.
    fn begins_games(&self, name: &[u8]) -> bool {
        Some(name) == self.first_tag
            || [&b"Game"[..], b"Event"].iter().any(|first| name.eq_ignore_ascii_case(first))
    }
}

impl<'a> Iterator for Blocks<'a> {
    type Item = Block<'a>;

    fn next(&mut self) -> Option<Block<'a>> {
        while let Some(line) = self.line().filter(|line| line.trim_ascii().is_empty()) {
            self.advance(line);
        }
        let start = self.at;
        let number = self.line;
        let mut seen = Seen::default();
        while let Some(line) = self.line() {
            if self.begins_game(&mut seen, line) {
                break;
            }
            self.advance(line);
        }
        let bytes = &self.bytes[start..self.at];
        (!bytes.is_empty()).then_some(Block { bytes, start, line: number })
    }
}

/// The name in `[Name "value"]`, if the text begins like that.
pub(crate) fn tag_name(text: &[u8]) -> Option<&[u8]> {
    let rest = text.strip_prefix(b"[")?;
    let end = rest.iter().position(|b| !b.is_ascii_alphanumeric() && *b != b'_')?;
    (end > 0 && matches!(rest[end], b' ' | b'\t' | b'"')).then(|| &rest[..end])
}

/// Returns true if the text begins with the number of a first move, and not with `1...`.
fn is_first_move(text: &[u8]) -> bool {
    text.strip_prefix(b"1.").is_some_and(|rest| {
        let rest = rest.trim_ascii_start();
        !rest.starts_with(b".") && !rest.starts_with("\u{2026}".as_bytes())
    })
}

/// The bytes of a line that are characters of their own; of the others the first.
fn ascii(line: &[u8], encoding: Encoding) -> impl Iterator<Item = u8> {
    let mut bytes = line.iter().copied();
    std::iter::from_fn(move || {
        let byte = bytes.next()?;
        // The four bytes of some characters in GB18030 look like two pairs.
        if encoding.has_pairs() && byte > 0x80 {
            bytes.next();
        }
        Some(byte)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::model::format::Format;

    fn blocks(text: &str) -> Vec<(&str, u64)> {
        let chunk = &Chunk::whole_text(text.as_bytes(), Format::Pgn);
        let blocks = Blocks::new(text.as_bytes(), chunk);
        blocks.map(|b| (std::str::from_utf8(b.bytes).unwrap().trim(), b.line)).collect()
    }

    #[test]
    fn a_tag_after_moves_begins_a_game() {
        let text = "\n[A \"1\"]\n[B \"2\"]\n\n1. x\n[A \"3\"]\n* {\n[%clk 1]}\n";
        let expected = [("[A \"1\"]\n[B \"2\"]\n\n1. x", 2), ("[A \"3\"]\n* {\n[%clk 1]}", 6)];
        assert_eq!(blocks(text), expected);
    }

    #[test]
    fn games_without_moves_are_told_apart_by_their_first_tag() {
        let text = "[A \"1\"]\n\n[B \"2\"]\n\n[A \"3\"]\n[B \"4\"]";
        assert_eq!(blocks(text), [("[A \"1\"]\n\n[B \"2\"]", 1), ("[A \"3\"]\n[B \"4\"]", 5)]);
    }

    #[test]
    fn nothing_is_no_game() {
        assert_eq!(blocks(""), []);
        assert_eq!(blocks(" \r\n\n"), []);
    }

    #[test]
    fn chunks_cover_the_source_and_count_on() {
        let text = "[A \"1\"]\n\n1. x\n\n".repeat(5);
        let whole = Chunk::whole_text(text.as_bytes(), Format::Pgn);
        let chunks = whole.split_on(text.as_bytes(), 20);
        let places: Vec<_> = chunks.iter().map(|c| (c.bytes.clone(), c.line, c.game)).collect();
        assert_eq!(places, [(0..30, 1, 1), (30..60, 9, 3), (60..75, 17, 5)]);
    }

    #[test]
    fn a_game_or_event_tag_after_a_blank_line_begins_a_game() {
        let text = "[Event \"a\"]\n[Date \"1950\"]\n\n[Game \"b\"]\n[Event \"c\"]\n\n1. x\n";
        let expected = ["[Event \"a\"]\n[Date \"1950\"]", "[Game \"b\"]\n[Event \"c\"]\n\n1. x"];
        assert_eq!(blocks(text), [(expected[0], 1), (expected[1], 4)]);
    }

    #[test]
    fn a_first_move_begins_a_game_without_tags() {
        let text =
            "; c\n\n1. x y\n2. z *\n\n1. u\n{\n\n1. v}\n\n1. ... w\n\n[A \"1\"]\n\n1. x\n\n1. y";
        let expected = [
            ("; c\n\n1. x y\n2. z *", 1),
            ("1. u\n{\n\n1. v}\n\n1. ... w", 6),
            ("[A \"1\"]\n\n1. x\n\n1. y", 13),
        ];
        assert_eq!(blocks(text), expected);
    }

    #[test]
    fn a_preface_belongs_to_the_first_game() {
        for preface in ["; c\n\n", "% c\n", "{\nc\n}\n\n", "{c} {d\n\n}\n", "\u{feff}; c\n"] {
            let text = format!("{preface}[A \"1\"]\n\n1. x\n\n[A \"2\"]\n");
            assert_eq!(blocks(&text).len(), 2, "{text}");
        }
        assert_eq!(blocks("{never closed\n[A \"1\"]\n\n1. x {c} *").len(), 2);
    }

    #[test]
    fn a_mark_may_begin_any_line() {
        let text = "\u{feff}[A \"1\"]\n\n1. x *\n\u{feff}[A \"2\"]\n";
        assert_eq!(blocks(text)[1], ("\u{feff}[A \"2\"]", 4));
    }

    #[test]
    fn lines_may_end_in_carriage_returns_alone() {
        let text = "[A \"1\"]\r\r1. x *\r\r[A \"2\"]\r";
        assert_eq!(blocks(text), [("[A \"1\"]\r\r1. x *", 1), ("[A \"2\"]", 5)]);
    }

    #[test]
    fn no_game_begins_within_a_comment() {
        let closed = "[A \"1\"]\n\n1. x {a\n\n[A \"2\"]\n[A \"3\"]\n} y *";
        assert_eq!(blocks(closed), [(closed, 1)]);
        let open = "[A \"1\"]\n\n1. x {a\n\n[A \"2\"]\n\n1. x {b} *";
        assert_eq!(blocks(open).len(), 2);
        assert_eq!(blocks(&open.replace("{b}", "")).len(), 2);
    }

    #[test]
    fn second_bytes_of_characters_are_no_braces() {
        // The Big5 of 良 ends with the byte of }, that of 州 with the byte of {.
        let text = "[A \"1\"]\n\n1. 炮二平五 馬８進７ {良\n[A \"2\"]\n}\n州\n[A \"3\"]\n\n} *";
        let big5 = encoding_rs::BIG5.encode(text).0;
        let chunk = &Chunk::whole_text(&big5, Format::Pgn);
        assert_eq!(chunk.encoding, Encoding::Big5);
        assert_eq!(Blocks::new(&big5, chunk).count(), 2);
    }
}
