//! Blocks: the games and their values within the bytes around them.

use std::ops::Range;

use crate::record::model::limits::{MAX_GAME_BYTES, MAX_PARTS};
use crate::record::text::dhtmlxq::MAX_NAME_BYTES;

const MARK: &[u8] = b"[DhtmlXQ";

/// Names that no game has twice: a second one begins the next game.
const ONCE: [&[u8]; 4] = [b"ver", b"title", b"binit", b"movelist"];

/// A value with its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Value {
    pub(crate) name: Range<usize>,
    pub(crate) value: Range<usize>,
}

/// The values of one game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Block {
    /// The offset at which its first mark begins.
    pub(crate) start: usize,
    /// The line of that.
    pub(crate) line: u64,
    /// From its first mark to the end of its last value, in bytes.
    pub(crate) len: usize,
    /// Those that begin within the first [`MAX_GAME_BYTES`], one more than [`MAX_PARTS`] at most.
    pub(crate) values: Vec<Value>,
}

/// Finds the games of a source.
#[derive(Debug)]
pub(crate) struct Blocks<'a> {
    bytes: &'a [u8],
    at: usize,
    line: u64,
    /// Up to where lines were counted.
    counted: usize,
}

#[derive(Debug)]
enum Mark {
    /// `[DhtmlXQ]`
    Begin,
    /// `[DhtmlXQ_name]` with its name.
    Name(Range<usize>),
    /// `[/DhtmlXQ]`
    End,
    /// `[/DhtmlXQ_name]`
    Close,
}

impl<'a> Blocks<'a> {
    /// The games of `bytes`, whose first line has that number.
    pub(crate) const fn new(bytes: &'a [u8], line: u64) -> Self {
        Self { bytes, at: 0, line, counted: 0 }
    }

    /// The next mark at `from` or later: where it begins and ends.
    fn mark(&self, from: usize) -> Option<(Range<usize>, Mark)> {
        let mut at = from;
        loop {
            at += self.bytes.get(at..)?.iter().position(|&b| b == b'[')?;
            if let Some((end, mark)) = self.mark_at(at) {
                return Some((at..end, mark));
            }
            at += 1;
        }
    }

    fn mark_at(&self, at: usize) -> Option<(usize, Mark)> {
        let rest = &self.bytes[at..];
        let slashes = [&b"[/"[..], b"[\\/"].into_iter().find(|s| rest.starts_with(s));
        let name = match slashes {
            Some(slashes) => rest[slashes.len()..].strip_prefix(&MARK[1..])?,
            None => rest.strip_prefix(MARK)?,
        };
        let len = name.iter().take(MAX_NAME_BYTES).position(|&b| b == b']')?;
        if !name[..len].iter().all(|b| b.is_ascii_alphanumeric() || *b == b'_') {
            return None;
        }
        let begin = at + rest.len() - name.len();
        // `name` is not empty: the closing bracket at least is in it.
        let is_value = name[0] == b'_';
        let mark = match (slashes.is_some(), is_value) {
            (false, true) => Mark::Name(begin + 1..begin + len),
            (false, false) => Mark::Begin,
            (true, true) => Mark::Close,
            (true, false) => Mark::End,
        };
        Some((begin + len + 1, mark))
    }

    fn line_of(&mut self, at: usize) -> u64 {
        let lines = self.bytes[self.counted..at].iter().filter(|&&b| b == b'\n').count();
        self.counted = at;
        self.line += lines as u64;
        self.line
    }

    /// Returns true if a game in which these of [`ONCE`] were seen is over where a value of that name begins;
    /// notes the name.
    fn is_over(&self, seen: &mut [bool; ONCE.len()], name: &Range<usize>) -> bool {
        let name = &self.bytes[name.clone()];
        let once = ONCE.iter().position(|once| name.eq_ignore_ascii_case(once));
        once.is_some_and(|once| std::mem::replace(&mut seen[once], true))
    }
}

impl Iterator for Blocks<'_> {
    type Item = Block;

    fn next(&mut self) -> Option<Block> {
        let mut values: Vec<Value> = Vec::new();
        let mut seen = [false; ONCE.len()];
        let mut word = None;
        let mut begin = self.at;
        let mut last = self.at;
        while let Some((place, mark)) = self.mark(self.at) {
            match mark {
                Mark::Begin | Mark::End if !values.is_empty() => break,
                Mark::Begin => word = Some(place.start),
                Mark::End | Mark::Close => {}
                Mark::Name(name) => {
                    if self.is_over(&mut seen, &name) {
                        break;
                    }
                    if values.is_empty() {
                        begin = word.unwrap_or(place.start);
                    }
                    // A value ends where the next mark begins, of whatever kind.
                    let end = self.mark(place.end).map_or(self.bytes.len(), |(next, _)| next.start);
                    if place.start - begin <= MAX_GAME_BYTES && values.len() <= MAX_PARTS {
                        values.push(Value { name, value: place.end..end });
                    }
                    (self.at, last) = (end, end);
                    continue;
                }
            }
            self.at = place.end;
        }
        if values.is_empty() {
            self.at = self.bytes.len();
            return None;
        }
        Some(Block { start: begin, line: self.line_of(begin), len: last - begin, values })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blocks(text: &str) -> Vec<(u64, String)> {
        let mut found = Vec::new();
        for block in Blocks::new(text.as_bytes(), 1) {
            let values = block.values.into_iter();
            let values = values.map(|v| format!("{}={}", &text[v.name], &text[v.value]));
            found.push((block.line, values.collect::<Vec<_>>().join(" ")));
        }
        found
    }

    #[test]
    fn games_and_values_are_found_in_any_text() {
        let page =
            "<p>[x]\n\"[DhtmlXQ]\\n[DhtmlXQ_red]a[\\/DhtmlXQ_black]b[DhtmlXQ_movelist]77\n47";
        assert_eq!(blocks(page), [(2, "red=a movelist=77\n47".to_owned())]);
        let two = "[DhtmlXQiFrame][DhtmlXQ_red]a[/DhtmlXQ_red][/DhtmlXQiFrame]\n\n[DhtmlXQ]\n[DhtmlXQ_red]b";
        assert_eq!(blocks(two), [(1, "red=a".to_owned()), (3, "red=b".to_owned())]);
        let bare = "[DhtmlXQ_title]a[/DhtmlXQ_title]\n[DhtmlXQ_time][/DhtmlXQ_time]\n[DhtmlXQ_time]c[/]\n[DhtmlXQ_title]b";
        assert_eq!(blocks(bare).len(), 2);
        assert_eq!(blocks("[DhtmlXQ][/DhtmlXQ] [DhtmlXQ_ [DhtmlXQ_\u{4e2d}]"), []);
    }

    #[test]
    fn values_are_counted() {
        let text = "[DhtmlXQ_x]".repeat(MAX_PARTS + 10) + "[DhtmlXQ_movelist]7747";
        let blocks: Vec<Block> = Blocks::new(text.as_bytes(), 1).collect();
        assert_eq!((blocks.len(), blocks[0].values.len()), (1, MAX_PARTS + 1));
        let mut games = Vec::new();
        crate::record::source::read_games("t", text.as_bytes(), &mut |game| games.push(game));
        assert_eq!(games.len(), 1);
        assert!(games[0].as_ref().unwrap_err().to_string().contains("more than 100000"));
    }
}
