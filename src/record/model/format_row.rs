//! The row of a format: all that the program knows of it, in one constant in the format's own file.
//!
//! The lists of rows, one for each game, are in [`formats`](crate::record::formats). What the other parts of the program
//! ask of a format (its name, its endings, whether its files can be cut, who reads and writes it) they ask its row.

use crate::game::Game;
use crate::record::model::chunk::Cut;
use crate::record::model::chunk_reader::ChunkReader;
use crate::record::model::format::{Format, GameCount};
use crate::record::model::place::Place;
use crate::record::model::record::Record;
use crate::record::model::sample::Sample;
use crate::record::model::single::{Fault, Found};
use crate::record::model::written::{WriteError, WriteOptions, Written};
use crate::xiangqi::Position;

/// A format of a game's files: what it is, and how its games are found, read and written.
#[derive(Debug)]
pub struct FormatRow<G: Game = Position> {
    pub(crate) info: FormatInfo,
    /// The signs that a source is in the format.
    pub(crate) sniff: &'static [Sniffer],
    pub(crate) read: ReadGames<G>,
    /// `None` if games are not written in the format.
    pub(crate) write: Option<WriteGame<G>>,
}

/// The part of a format's row that is the same for all games.
#[derive(Debug)]
pub struct FormatInfo {
    /// The format.
    pub format: Format,
    /// The name on the command line.
    pub name: &'static str,
    /// The endings of file names, in lower case, the usual one first.
    pub endings: &'static [&'static str],
    /// Endings of files that are read but not written, in lower case.
    pub(crate) other_endings: &'static [&'static str],
    /// Those of the endings that many files without games have, too.
    pub(crate) shared_endings: &'static [&'static str],
    /// The number of games that a file may hold.
    pub games: GameCount,
    /// The kind of the files.
    pub kind: FileKind,
    pub(crate) certainty: Certainty,
    pub(crate) cut: Cut,
}

impl FormatInfo {
    /// Binary files of one game that cannot be taken for anything else. A row states beside it what is different.
    pub(crate) const fn of_bytes(
        format: Format,
        name: &'static str,
        endings: &'static [&'static str],
    ) -> Self {
        Self {
            format,
            name,
            endings,
            other_endings: &[],
            shared_endings: &[],
            games: GameCount::One,
            kind: FileKind::Binary,
            certainty: Certainty::Unmistakable,
            cut: Cut::Whole,
        }
    }

    /// Texts of any number of games, which other texts may look like. A row states beside it what is different.
    pub(crate) const fn of_text(
        format: Format,
        name: &'static str,
        endings: &'static [&'static str],
    ) -> Self {
        Self {
            games: GameCount::Many,
            kind: FileKind::Text,
            certainty: Certainty::Likely,
            ..Self::of_bytes(format, name, endings)
        }
    }
}

/// The kind of a format's files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FileKind {
    /// Text, with lines as the places of its faults.
    Text,
    /// Bytes, with offsets as the places of faults.
    Binary,
}

impl FileKind {
    /// The place at which a file begins.
    pub(crate) const fn begin(self) -> Place {
        match self {
            Self::Text => Place::Line(1),
            Self::Binary => Place::Offset(0),
        }
    }
}

/// The certainty with which a source is in a format.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Certainty {
    /// No text looks so by chance: if it cannot be read, it is damaged.
    Unmistakable,
    /// A text that looks so has games if its name says nothing else.
    Likely,
    /// The same if its beginning says so.
    If(fn(&[u8]) -> bool),
}

/// The signs that a source is in a format.
#[derive(Debug)]
pub(crate) struct Sniffer {
    pub(crate) stage: Stage,
    pub(crate) shows: fn(&Sample<'_>) -> bool,
}

/// The kinds of evidence for a format, the strongest first: a source is in the first format of the game's list that has
/// evidence of the first stage for which there is one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stage {
    /// A mark at the beginning of a binary file.
    Mark,
    /// A layout of bytes, and first moves that can be played.
    Layout,
    /// The same of so little layout that other formats are asked first.
    LooseLayout,
    /// Nothing at all, or nothing but blanks.
    Blank,
    /// The first characters of a text.
    Beginning,
    /// The elements of a text in XML.
    Element,
    /// Marks that may stand anywhere in a page.
    Page,
    /// Lines of a kind that may stand anywhere. From here on a source with zeros is no text.
    Lines,
    /// Moves, and little else.
    Moves,
    /// Moves in a text of which little is known.
    FreeText,
    /// Bytes in which no text was found.
    Rest,
}

/// Reads the games of a source.
#[derive(Debug)]
pub(crate) enum ReadGames<G: Game> {
    /// The one game of a file.
    One(fn(&[u8]) -> Result<Found<G>, Fault>),
    /// The games of a chunk, in the order of the source.
    Chunk(fn(&mut ChunkReader<'_, G>)),
}

/// Writes a record.
pub(crate) type WriteGame<G> = fn(&Record<G>, &WriteOptions) -> Result<Written, WriteError>;
