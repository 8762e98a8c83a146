//! Runs of whole games within a source, which can be read one by one.

use std::ops::Range;
use std::sync::Arc;

use crate::record::model::encoding::Encoding;
use crate::record::model::format::Format;
use crate::record::model::options::{Keep, ReadOptions};

/// The number of bytes of a source from which the way its lines end is determined.
const LINE_SAMPLE_BYTES: usize = 64 << 10;

/// A run of whole games within a source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chunk {
    /// Its bytes within the source.
    pub bytes: Range<usize>,
    /// The number of its first line, from 1.
    pub line: u64,
    /// The number of its first game, from 1.
    pub game: u64,
    /// The encoding of the whole source, if it is a text.
    pub encoding: Encoding,
    /// The format of the whole source, if it has a known one.
    pub format: Option<Format>,
    /// The way in which its games are read.
    pub options: ReadOptions,
    /// The byte that ends its lines: `\n`, or `\r` in files of old Macintoshes.
    pub(crate) line_end: u8,
    /// The meaning of the lines of a plain list.
    pub(crate) layout: Layout,
}

/// The meaning of the lines of a plain list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Layout {
    /// A game each.
    Games,
    /// One game together.
    OneGame,
    /// The rows of a table with these columns.
    Table(Arc<Columns>),
}

/// The meanings of the columns of a table, by their numbers from 0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Columns {
    pub(crate) separator: u8,
    /// Of all moves or of one.
    pub(crate) moves: usize,
    /// Of the game that a move belongs to; `None` if each row is a game.
    pub(crate) game: Option<usize>,
    pub(crate) result: Option<usize>,
    pub(crate) tags: Vec<(usize, &'static str)>,
}

/// The way in which sources of a format are divided into chunks.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Cut {
    /// They are one chunk.
    Whole,
    /// Into chunks of about that many bytes, if the source is there as a whole.
    Chunks(fn(&[u8], usize) -> Vec<Chunk>),
    /// Between games, from any game on: the chunks of a stretch that the given one covers.
    Games(fn(&[u8], &Chunk, usize) -> Vec<Chunk>),
    /// The same, where the beginning of the source says how: `first` cuts a stretch from the beginning of a source, `on`
    /// a later one.
    BehindHead { first: fn(&[u8], usize) -> Vec<Chunk>, on: fn(&[u8], &Chunk, usize) -> Vec<Chunk> },
}

/// A place where a chunk can begin: a game begins there.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Start {
    pub(crate) at: usize,
    /// The number of its line.
    pub(crate) line: u64,
    /// Its number.
    pub(crate) game: u64,
}

impl Chunk {
    /// The whole source.
    pub(crate) fn whole(bytes: &[u8], format: Option<Format>) -> Self {
        Self {
            bytes: 0..bytes.len(),
            line: 1,
            game: 1,
            encoding: Encoding::Utf8,
            format,
            options: ReadOptions::default(),
            line_end: b'\n',
            layout: Layout::Games,
        }
    }

    /// The whole source, a text.
    pub(crate) fn whole_text(bytes: &[u8], format: Format) -> Self {
        Self {
            encoding: Encoding::detect(bytes),
            line_end: line_end(bytes),
            ..Self::whole(bytes, Some(format))
        }
    }

    /// The whole source, a text in UTF-16 of that format. It is read at once.
    pub(crate) fn whole_utf16(bytes: &[u8], format: Option<Format>, encoding: Encoding) -> Self {
        Self { encoding, ..Self::whole(bytes, format) }
    }

    /// The same chunk; of games with an illegal move, or that are truncated, the moves before are kept if so.
    #[must_use]
    pub fn keeping_legal_part(&self, keep_legal_part: bool) -> Self {
        let keep = if keep_legal_part { Keep::LegalPart } else { Keep::Nothing };
        self.read_with(ReadOptions { keep, ..self.options })
    }

    /// The same chunk, read so.
    #[must_use]
    pub fn read_with(&self, options: ReadOptions) -> Self {
        Self { options, ..self.clone() }
    }

    /// Returns true if the source can be cut between games.
    #[must_use]
    pub const fn can_be_cut(&self) -> bool {
        let Some(format) = self.format else { return false };
        match format.info().cut {
            // It is turned into UTF-8 as a whole.
            _ if self.encoding.is_utf16() => false,
            Cut::Games(_) => true,
            Cut::BehindHead { .. } => !matches!(self.layout, Layout::OneGame),
            Cut::Whole | Cut::Chunks(_) => false,
        }
    }

    /// The chunks, of about `target` bytes each, of a further stretch of the source that this is a
    /// chunk of, which [can be cut](Self::can_be_cut). It begins with a game; places, lines and games
    /// are counted from its beginning.
    #[must_use]
    pub fn split_on(&self, bytes: &[u8], target: usize) -> Vec<Self> {
        let open = Self { bytes: 0..bytes.len(), line: 1, game: 1, ..self.clone() };
        if bytes.len() <= target || !open.can_be_cut() {
            return vec![open];
        }
        match open.format.map(|format| format.info().cut) {
            Some(Cut::Games(on) | Cut::BehindHead { on, .. }) => on(bytes, &open, target),
            Some(Cut::Whole | Cut::Chunks(_)) | None => vec![open],
        }
    }

    /// Cuts the chunk into some of about `target` bytes, but of at least one game, before games.
    pub(crate) fn cut_at(&self, target: usize, starts: impl Iterator<Item = Start>) -> Vec<Self> {
        let mut open = self.clone();
        let mut chunks = Vec::new();
        for Start { at, line, game } in starts {
            if at - open.bytes.start >= target && game > open.game {
                let next = Self { bytes: at..self.bytes.end, line, game, ..open.clone() };
                open.bytes.end = at;
                chunks.push(std::mem::replace(&mut open, next));
            }
        }
        chunks.push(open);
        chunks
    }
}

fn line_end(bytes: &[u8]) -> u8 {
    let sample = &bytes[..bytes.len().min(LINE_SAMPLE_BYTES)];
    if sample.contains(&b'\r') && !sample.contains(&b'\n') { b'\r' } else { b'\n' }
}
