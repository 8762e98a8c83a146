//! Long texts, a stretch at a time, so that no more of one is held in memory. Sources that cannot be
//! cut between games are one stretch.

use std::io;
use std::ops::{Deref, Range};
use std::path::Path;
use std::sync::Arc;

use crate::bytes::map::MappedFile;
use crate::bytes::positioned::PositionedFile;
use crate::record::archives::changed;
use crate::record::formats::Formats;
use crate::record::model::chunk::Chunk;
use crate::record::model::limits::MAX_GAME_BYTES;

/// Bytes of a source that are looked at together. Fixed: what is read must not depend on the machine.
pub(crate) const WINDOW: usize = 32 << 20;

/// Chunks that end so near to the end of a window, while more follows, are left to the next one:
/// whether a game ends there can depend on what follows.
const MARGIN: usize = 2 * MAX_GAME_BYTES;

/// The longest window that is held in memory.
const LONGEST: usize = 8 * WINDOW;

const _: () = assert!(WINDOW >= 2 * MARGIN);

/// A stretch of a source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Window {
    /// The offset at which it begins in the source.
    pub(crate) start: usize,
    /// The offset at which it ends; what lies behind the last chunk belongs to the next window.
    pub(crate) end: usize,
    /// Its chunks. Places are those in the window, numbers of lines and games those in the source.
    pub(crate) chunks: Vec<Chunk>,
}

/// Cuts a source into windows, from its beginning to its end. Every chunk is in one of them.
#[derive(Debug)]
struct Cutter {
    split: Split,
    start: usize,
    lines: u64,
    games: u64,
    chunk: usize,
    /// The first chunk of all, once it is known: encoding and ends of lines are those of the source.
    head: Option<Chunk>,
    is_done: bool,
}

impl Cutter {
    const fn new(split: Split, chunk: usize) -> Self {
        Self { split, start: 0, lines: 0, games: 0, chunk, head: None, is_done: false }
    }

    /// The chunks of the window that begins where `stretch` does; `None` if none of them is whole, so
    /// that more must be looked at.
    fn cut(&mut self, stretch: &[u8], is_last: bool) -> Option<Vec<Chunk>> {
        let mut chunks = match &self.head {
            None => (self.split)(stretch, self.chunk),
            Some(head) => head.split_on(stretch, self.chunk),
        };
        for chunk in &mut chunks {
            chunk.line += self.lines;
            chunk.game += self.games;
        }
        if is_last {
            self.is_done = true;
            return Some(chunks);
        }
        // The chunk behind those that are kept begins the next window; without one to keep, the window is too short.
        let whole = stretch.len().saturating_sub(MARGIN);
        let kept = chunks.partition_point(|chunk| chunk.bytes.end <= whole);
        let next = chunks.get(kept).filter(|_| kept > 0)?;
        self.start += next.bytes.start;
        (self.lines, self.games) = (next.line - 1, next.game - 1);
        self.head.get_or_insert_with(|| next.clone());
        chunks.truncate(kept);
        Some(chunks)
    }
}

/// Splits sources of a game: [`Formats::split_games`].
pub(crate) type Split = fn(&[u8], usize) -> Vec<Chunk>;

/// Returns true if a source that begins so can be cut between games.
pub(crate) fn can_be_cut(split: Split, head: &[u8]) -> bool {
    split(head, usize::MAX).iter().any(Chunk::can_be_cut)
}

/// The windows of a source that is held.
#[derive(Debug)]
pub(crate) struct Windows<'a> {
    bytes: &'a [u8],
    cutter: Cutter,
    window: usize,
}

impl<'a> Windows<'a> {
    /// Windows whose chunks have about `chunk` bytes.
    pub(crate) fn new<G: Formats>(bytes: &'a [u8], chunk: usize) -> Self {
        let window = match bytes.get(..WINDOW) {
            Some(first) if can_be_cut(G::split_games, first) => WINDOW,
            _ => bytes.len(),
        };
        Self { bytes, cutter: Cutter::new(G::split_games, chunk), window }
    }
}

impl Iterator for Windows<'_> {
    type Item = Window;

    fn next(&mut self) -> Option<Window> {
        if self.cutter.is_done {
            return None;
        }
        let start = self.cutter.start;
        let mut length = self.window;
        loop {
            let end = self.bytes.len().min(start.saturating_add(length));
            if let Some(chunks) = self.cutter.cut(&self.bytes[start..end], end == self.bytes.len())
            {
                return Some(Window { start, end, chunks });
            }
            // Nothing in it is whole: one long game.
            length = length.saturating_mul(2);
        }
    }
}

/// A stretch of a file.
#[derive(Debug)]
pub(crate) struct FileWindow {
    /// Its bytes. What lies behind the last chunk belongs to the next window, unless this is the last.
    pub(crate) bytes: WindowBytes,
    /// Its chunks, as in [`Window`].
    pub(crate) chunks: Vec<Chunk>,
    is_last: bool,
}

impl FileWindow {
    /// The bytes that no other window has.
    pub(crate) fn own(&self) -> &[u8] {
        match self.chunks.last() {
            Some(last) if !self.is_last => &self.bytes[..last.bytes.end],
            _ => &self.bytes,
        }
    }
}

/// The bytes of a stretch of a file.
#[derive(Debug)]
pub(crate) enum WindowBytes {
    /// Read from it.
    Read(Vec<u8>),
    /// In a copy of it.
    Copied(Arc<MappedFile>, Range<usize>),
}

impl Deref for WindowBytes {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        match self {
            Self::Read(bytes) => bytes,
            Self::Copied(map, range) => map.get(range.clone()).unwrap_or_default(),
        }
    }
}

/// The windows of a file that can be cut between games. Each is read when it is requested; only where a
/// game is longer than is worth holding is the file copied to one without a name, and that one mapped.
#[derive(Debug)]
pub(crate) struct FileWindows<'a> {
    file: &'a PositionedFile,
    len: u64,
    folder: &'a Path,
    cutter: Cutter,
    copy: Option<Arc<MappedFile>>,
}

impl<'a> FileWindows<'a> {
    pub(crate) const fn new(
        file: &'a PositionedFile,
        len: u64,
        (split, chunk): (Split, usize),
        folder: &'a Path,
    ) -> Self {
        Self { file, len, folder, cutter: Cutter::new(split, chunk), copy: None }
    }

    /// The bytes from `start` on.
    fn bytes(&mut self, start: usize, length: usize) -> io::Result<WindowBytes> {
        let end = self.len.min((start as u64).saturating_add(length as u64));
        if length > LONGEST && self.copy.is_none() {
            self.copy = Some(Arc::new(changed::copy(self.file, self.folder)?));
        }
        Ok(match &self.copy {
            Some(copy) => WindowBytes::Copied(Arc::clone(copy), start..end as usize),
            None => WindowBytes::Read(changed::read(self.file, start as u64, end - start as u64)?),
        })
    }

    fn window(&mut self) -> io::Result<FileWindow> {
        let start = self.cutter.start;
        let mut length = WINDOW;
        loop {
            let bytes = self.bytes(start, length)?;
            let is_last = start as u64 + bytes.len() as u64 >= self.len;
            if let Some(chunks) = self.cutter.cut(&bytes, is_last) {
                return Ok(FileWindow { bytes, chunks, is_last });
            }
            // Doubled, so that all attempts at a long game read no more than some times its length.
            length = length.saturating_mul(2);
        }
    }
}

impl Iterator for FileWindows<'_> {
    type Item = io::Result<FileWindow>;

    fn next(&mut self) -> Option<io::Result<FileWindow>> {
        if self.cutter.is_done {
            return None;
        }
        let window = self.window();
        // After an error the same would be read again for ever.
        self.cutter.is_done |= window.is_err();
        Some(window)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::source::read_chunk;
    use crate::xiangqi::Position;

    /// Numbers of lines and games of everything read, by windows of about that size.
    fn places(text: &str, window: usize) -> Vec<(String, u64)> {
        let mut places = Vec::new();
        let windows = Windows { window, ..Windows::new::<Position>(text.as_bytes(), 1 << 10) };
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
        assert_eq!(Windows::new::<Position>(b"", 10).count(), 1);
    }
}
