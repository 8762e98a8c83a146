//! Long sources, a stretch at a time, so that no more of one is held in memory.

use crate::record::{Chunk, MAX_GAME_BYTES, split_games};

/// Bytes of a source that are looked at together. Fixed: what is read must not depend on the machine.
pub(super) const WINDOW: usize = 32 << 20;

/// Chunks that end so near to the end of a window, while more follows, are left to the next one:
/// whether a game ends there can depend on what follows.
const MARGIN: usize = 2 * MAX_GAME_BYTES;

const _: () = assert!(WINDOW >= 2 * MARGIN);

/// A stretch of a source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Window {
    /// Where it begins in the source.
    pub(super) start: usize,
    /// Where it ends; what lies behind the last chunk belongs to the next window.
    pub(super) end: usize,
    /// Its chunks. Places are those in the window, numbers of lines and games those in the source.
    pub(super) chunks: Vec<Chunk>,
}

/// The windows of a source. Every chunk is in one of them.
#[derive(Debug)]
pub(super) struct Windows<'a> {
    bytes: &'a [u8],
    start: usize,
    lines: u64,
    games: u64,
    chunk: usize,
    window: usize,
    is_done: bool,
}

impl<'a> Windows<'a> {
    /// Windows whose chunks have about `chunk` bytes.
    pub(super) const fn new(bytes: &'a [u8], chunk: usize) -> Self {
        Self { bytes, start: 0, lines: 0, games: 0, chunk, window: WINDOW, is_done: false }
    }
}

impl Iterator for Windows<'_> {
    type Item = Window;

    fn next(&mut self) -> Option<Window> {
        if self.is_done {
            return None;
        }
        let (start, mut length) = (self.start, self.window);
        loop {
            let end = self.bytes.len().min(start.saturating_add(length));
            let mut chunks = split_games(&self.bytes[start..end], self.chunk);
            for chunk in &mut chunks {
                chunk.line += self.lines;
                chunk.game += self.games;
            }
            if end == self.bytes.len() {
                self.is_done = true;
                return Some(Window { start, end, chunks });
            }
            let whole = end - start - MARGIN;
            let kept = chunks.partition_point(|chunk| chunk.bytes.end <= whole);
            if kept > 0
                && let Some(next) = chunks.get(kept)
            {
                self.start += next.bytes.start;
                (self.lines, self.games) = (next.line - 1, next.game - 1);
                chunks.truncate(kept);
                return Some(Window { start, end, chunks });
            }
            // Nothing in it is whole: one long game, or a format that cannot be split.
            length = length.saturating_mul(2);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::read_chunk;

    /// Numbers of lines and games of everything read, by windows of about that size.
    fn places(text: &str, window: usize) -> Vec<(String, u64)> {
        let mut places = Vec::new();
        let windows = Windows { window, ..Windows::new(text.as_bytes(), 1 << 10) };
        for Window { start, end, chunks } in windows {
            let bytes = &text.as_bytes()[start..end];
            for chunk in chunks {
                read_chunk("", bytes, &chunk, &mut |game| {
                    places.push(match game {
                        Ok(game) => (format!("{:?}", game.record.tags), game.game),
                        Err(bad) => (bad.to_string(), bad.game),
                    });
                });
            }
        }
        places
    }

    #[test]
    fn windows_are_as_good_as_the_whole() {
        use std::fmt::Write;
        let mut text = String::new();
        let mut game = 0;
        while text.len() < 3 * MARGIN {
            game += 1;
            let comment = "x".repeat(game * 7919 % 200_000);
            let mv = if game % 5 == 0 { "a0a9" } else { "h2e2" };
            write!(text, "[Event \"{game}\"]\n\n1. {mv} {{{comment}\n}} *\n\n").unwrap();
        }
        let whole = places(&text, usize::MAX);
        assert_eq!(whole.len(), game);
        assert_eq!(places(&text, MARGIN + (MARGIN >> 2)), whole);
        assert_eq!(places(&text, MARGIN + 1), whole);
    }

    #[test]
    fn an_empty_source_has_one_window() {
        assert_eq!(Windows::new(b"", 10).count(), 1);
    }
}
