//! Game boundaries, found in bytes before any decoding: a tag line after other text, or a tag line
//! after a blank line that repeats the game's first tag. Line ends and the `[` that begins a line
//! are never part of a multi-byte character in the encodings at hand.

use std::ops::Range;

use super::Encoding;

/// The longest game accepted, in bytes; a longer stretch without a game boundary is refused unread.
pub const MAX_GAME_BYTES: usize = 4 << 20;

/// A run of whole games within a source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chunk {
    /// Its bytes within the source.
    pub bytes: Range<usize>,
    /// The number of its first line, from 1.
    pub line: u64,
    /// The number of its first game, from 1.
    pub game: u64,
    /// The encoding of the whole source.
    pub encoding: Encoding,
}

/// Splits a source at game boundaries into chunks of about `target` bytes (at least one game
/// each). Reading the chunks in order gives the same as reading the whole.
#[must_use]
pub fn split_games(bytes: &[u8], target: usize) -> Vec<Chunk> {
    let encoding = Encoding::detect(bytes);
    let mut chunks = Vec::new();
    let mut open = Chunk { bytes: 0..bytes.len(), line: 1, game: 1, encoding };
    if bytes.len() > target {
        for (game, block) in (1..).zip(Blocks::new(bytes, 1)) {
            if block.start - open.bytes.start >= target && game > open.game {
                open.bytes.end = block.start;
                let next =
                    Chunk { bytes: block.start..bytes.len(), line: block.line, game, encoding };
                chunks.push(std::mem::replace(&mut open, next));
            }
        }
    }
    chunks.push(open);
    chunks
}

/// The bytes of one game.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Block<'a> {
    /// From its first line that is not blank to the next game.
    pub(super) bytes: &'a [u8],
    /// Where they start.
    pub(super) start: usize,
    /// The number of that line.
    pub(super) line: u64,
}

/// The games of a stretch of bytes.
#[derive(Debug)]
pub(super) struct Blocks<'a> {
    bytes: &'a [u8],
    at: usize,
    line: u64,
}

impl<'a> Blocks<'a> {
    /// `line` is the number of the first line.
    pub(super) const fn new(bytes: &'a [u8], line: u64) -> Self {
        Self { bytes, at: 0, line }
    }

    /// The next line with its end.
    fn line(&self) -> Option<&'a [u8]> {
        let rest = self.bytes.get(self.at..).filter(|rest| !rest.is_empty())?;
        let end = rest.iter().position(|&b| b == b'\n').map_or(rest.len(), |i| i + 1);
        Some(&rest[..end])
    }

    const fn advance(&mut self, line: &[u8]) {
        self.at += line.len();
        self.line += 1;
    }
}

impl<'a> Iterator for Blocks<'a> {
    type Item = Block<'a>;

    fn next(&mut self) -> Option<Block<'a>> {
        let first = loop {
            let line = self.line()?;
            if !line.trim_ascii().is_empty() {
                break line;
            }
            self.advance(line);
        };
        let (start, number) = (self.at, self.line);
        let first_tag = tag_name(first);
        let (mut in_tags, mut after_blank) = (first_tag.is_some(), false);
        self.advance(first);
        while let Some(line) = self.line() {
            match line.trim_ascii_start().first() {
                None => after_blank = true,
                Some(b'[') => {
                    if let Some(name) = tag_name(line)
                        && (!in_tags || after_blank && Some(name) == first_tag)
                    {
                        break;
                    }
                    in_tags &= tag_name(line).is_some();
                    after_blank = false;
                }
                Some(_) => in_tags = false,
            }
            self.advance(line);
        }
        Some(Block { bytes: &self.bytes[start..self.at], start, line: number })
    }
}

/// The name in `[Name "value"]`, if the line begins like that.
fn tag_name(line: &[u8]) -> Option<&[u8]> {
    let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
    let rest = line.trim_ascii_start().strip_prefix(b"[")?;
    let end = rest.iter().position(|b| !b.is_ascii_alphanumeric() && *b != b'_')?;
    (end > 0 && matches!(rest[end], b' ' | b'\t' | b'"')).then(|| &rest[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blocks(text: &str) -> Vec<(&str, u64)> {
        let blocks = Blocks::new(text.as_bytes(), 1);
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
        let chunks = split_games(text.as_bytes(), 20);
        let places: Vec<_> = chunks.iter().map(|c| (c.bytes.clone(), c.line, c.game)).collect();
        assert_eq!(places, [(0..30, 1, 1), (30..60, 9, 3), (60..75, 17, 5)]);
    }
}
