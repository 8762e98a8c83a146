//! Long texts, a stretch at a time, so that no more of one is held in memory. Sources that cannot be
//! cut between games are one stretch.

use super::{Chunk, MAX_GAME_BYTES, split_games};

/// Bytes of a source that are looked at together. Fixed: what is read must not depend on the machine.
pub(crate) const WINDOW: usize = 32 << 20;

/// Chunks that end so near to the end of a window, while more follows, are left to the next one:
/// whether a game ends there can depend on what follows.
const MARGIN: usize = 2 * MAX_GAME_BYTES;

const _: () = assert!(WINDOW >= 2 * MARGIN);

/// A stretch of a source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Window {
    /// Where it begins in the source.
    pub(crate) start: usize,
    /// Where it ends; what lies behind the last chunk belongs to the next window.
    pub(crate) end: usize,
    /// Its chunks. Places are those in the window, numbers of lines and games those in the source.
    pub(crate) chunks: Vec<Chunk>,
}

/// The windows of a source. Every chunk is in one of them.
#[derive(Debug)]
pub(crate) struct Windows<'a> {
    bytes: &'a [u8],
    start: usize,
    lines: u64,
    games: u64,
    chunk: usize,
    window: usize,
    /// The first chunk of all, once it is known: encoding and ends of lines are those of the source.
    head: Option<Chunk>,
    is_done: bool,
}

impl<'a> Windows<'a> {
    /// Windows whose chunks have about `chunk` bytes.
    pub(crate) fn new(bytes: &'a [u8], chunk: usize) -> Self {
        let can_be_cut =
            |first: &[u8]| split_games(first, usize::MAX).iter().any(Chunk::can_be_cut);
        let window = match bytes.get(..WINDOW) {
            Some(first) if can_be_cut(first) => WINDOW,
            _ => bytes.len(),
        };
        Self { bytes, start: 0, lines: 0, games: 0, chunk, window, head: None, is_done: false }
    }

    /// The chunks of a stretch, places and numbers counted from its beginning.
    fn chunks(&self, stretch: &[u8]) -> Vec<Chunk> {
        match &self.head {
            None => split_games(stretch, self.chunk),
            Some(head) => head.split_on(stretch, self.chunk),
        }
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
            let mut chunks = self.chunks(&self.bytes[start..end]);
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
                self.head.get_or_insert_with(|| next.clone());
                chunks.truncate(kept);
                return Some(Window { start, end, chunks });
            }
            // Nothing in it is whole: one long game.
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

    fn check((text, games): &(String, usize), windows: &[usize]) {
        let whole = places(text, usize::MAX);
        assert_eq!(whole.len(), *games);
        for &window in windows {
            assert_eq!(places(text, window), whole);
        }
    }

    /// Texts beyond some margins: `game` writes the game of that number with some more letters.
    fn long(head: &str, game: impl Fn(&mut String, usize, &str)) -> (String, usize) {
        let mut text = head.to_owned();
        let mut number = 0;
        while text.len() < MARGIN + (MARGIN >> 1) {
            number += 1;
            game(&mut text, number, &"x".repeat(number * 7919 % 200_000));
        }
        (text, number)
    }

    #[test]
    fn other_texts_have_windows_too() {
        use std::fmt::Write;
        let mv = |n: usize| if n.is_multiple_of(5) { "a0a9" } else { "h2e2" };
        let texts = [
            long("", |text, n, x| {
                let mv = mv(n);
                writeln!(text, r#"{{"moves":"{mv}","tags":{{"n":"{n}","x":"{x}"}}}}"#).unwrap();
                text.push_str(if n.is_multiple_of(3) { "\n" } else { "" });
            }),
            long("", |text, n, x| writeln!(text, "Xy{n};{}\n# {x}", mv(n)).unwrap()),
            long("id,event,moves\n", |text, n, x| {
                writeln!(text, "{n},{x},{}", mv(n)).unwrap();
            }),
            long("game_id,event,move\n", |text, n, x| {
                writeln!(
                    text,
                    "{n},{x},h2e2\n{n},,{}",
                    if n.is_multiple_of(5) { "a0a9" } else { "h9g7" }
                )
                .unwrap();
            }),
            long("", |text, n, x| {
                let moves = if n.is_multiple_of(5) { "0001" } else { "7747" };
                writeln!(text, "<p>[DhtmlXQ]\n[DhtmlXQ_title]{n}{x}[/DhtmlXQ_title]").unwrap();
                writeln!(text, "[DhtmlXQ_movelist]{moves}[/DhtmlXQ_movelist][/DhtmlXQ]").unwrap();
            }),
        ];
        for text in texts {
            check(&text, &[MARGIN + (MARGIN >> 2)]);
        }
    }

    #[test]
    fn windows_are_as_good_as_the_whole() {
        use std::fmt::Write;
        let text = long("", |text, game, comment| {
            let mv = if game.is_multiple_of(5) { "a0a9" } else { "h2e2" };
            write!(text, "[Event \"{game}\"]\n\n1. {mv} {{{comment}\n}} *\n\n").unwrap();
        });
        check(&text, &[MARGIN + (MARGIN >> 2), MARGIN + 1]);
    }

    #[test]
    fn an_empty_source_has_one_window() {
        assert_eq!(Windows::new(b"", 10).count(), 1);
    }
}
