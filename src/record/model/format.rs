//! The formats of game records by their names, and what names of files say of them.

use std::fmt;
use std::str::FromStr;

/// Endings of packed files.
const PACKINGS: [&str; 5] = ["zst", "zstd", "gz", "xz", "bz2"];

/// Endings of archives. RAR is not read.
const ARCHIVES: [&str; 9] = ["zip", "7z", "rar", "tar", "tgz", "txz", "tbz", "tbz2", "tzst"];

/// Defines the formats, and the list of all of them.
macro_rules! formats {
    ($($(#[$doc:meta])+ $name:ident,)+) => {
        /// A format of game records. What there is to know of it is in its [row](Self::info).
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Format {
            $($(#[$doc])+ $name,)+
        }

        impl Format {
            /// All formats, those of xiangqi first.
            pub const ALL: &'static [Self] = &[$(Self::$name),+];
        }
    };
}

formats! {
    /// Portable Game Notation: tags and moves in text, with comments and variations.
    Pgn,
    /// A JSON object on each line.
    Jsonl,
    /// Lists of moves and nothing else.
    Plain,
    /// XQStudio, one game a file.
    Xqf,
    /// CCBridge, one game a file.
    Cbr,
    /// CCBridge, a library of games.
    Cbl,
    /// XML of the Chinese Chess Bridge, one game a file.
    Cbf,
    /// Marked text of DhtmlXQ and UBB, alone or within HTML.
    DhtmlXq,
    /// Numbers in decimal, of the game of QQ, one game a file.
    Che,
    /// Strings of the game of Movesky, one game a file.
    Mxq,
    /// Records of the game of 17pk or Zhongyou, one game a file.
    Ccm,
    /// A dump of the game of Ourgame, one game a file.
    Chn,
    /// XML of Pengfei, one game a file.
    Pfc,
    /// XiangQi Replay, one game a file.
    Xqr,
    /// WXF files of `PlayOK` and `XieXie`.
    Wxf,
    /// Exports of Chinese programs and sites: free lines, then numbered moves.
    Text,
    /// Gomoku: moves written together on a line, `h8i9g8`, with a result perhaps.
    Moves,
    /// Gomoku: Piskvork and its tournaments, one game a file.
    Psq,
    /// Gomoku: Gomotur, one game a file.
    Rec,
    /// Smart Game Format: trees of games.
    Sgf,
    /// Gomoku: `RenLib`, a library of variations.
    Lib,
    /// Gomoku: XML of the RenjuNet database, renju.
    Rif,
    /// Gomoku: lists of distances from the middle of the board, a line each.
    Offsets,
    /// Gomoku: the games of a tournament, a line each, `Tournament=[…]`.
    Bdt,
    /// Gomoku: the stones of one game in bytes.
    Pos,
}

/// The number of games that files of a format may hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum GameCount {
    /// One game a file.
    One,
    /// Any number of games.
    Many,
}

impl Format {
    /// Its name on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.info().name
    }

    /// The endings of the format's file names, in lower case, the usual one first. They are a hint for
    /// finding and naming files; the format of a file is determined from its content.
    #[must_use]
    pub const fn extensions(self) -> &'static [&'static str] {
        self.info().endings
    }

    /// The one of `formats` that files with this ending usually have, whatever the case.
    #[must_use]
    pub fn from_extension(ending: &str, formats: &[Self]) -> Option<Self> {
        formats.iter().copied().find(|format| has(format.extensions(), ending))
    }

    /// Judges from a name how likely the file is to hold games in one of `formats`: `None` if it is not, else whether its ending
    /// is used for nothing else. The ending of a packed file (`.zst`, `.gz`) is the one before.
    #[must_use]
    pub fn is_game_file(name: &str, formats: &[Self]) -> Option<bool> {
        let (stem, mut ending) = name.rsplit_once('.')?;
        if has(&PACKINGS, ending) {
            (_, ending) = stem.rsplit_once('.')?;
        }
        if formats.iter().any(|format| has(format.info().other_endings, ending)) {
            return Some(true);
        }
        Self::from_extension(ending, formats)?;
        Some(!is_shared(ending))
    }

    /// Returns true if a name tells nothing about a file's content: it has no ending, or one that is used for
    /// everything.
    pub(crate) fn is_open_name(name: &str) -> bool {
        let mut parts = name.rsplit_once('.');
        if let Some((stem, ending)) = parts
            && has(&PACKINGS, ending)
        {
            parts = stem.rsplit_once('.');
        }
        parts.is_none_or(|(_, ending)| is_shared(ending))
    }

    /// Returns true if a file of that name is an archive, packed perhaps, in which games may lie.
    pub(crate) fn is_archive(name: &str) -> bool {
        let (stem, mut ending) = name.rsplit_once('.').unwrap_or(("", name));
        if has(&PACKINGS, ending) {
            ending = stem.rsplit_once('.').map_or("", |(_, ending)| ending);
        }
        has(&ARCHIVES, ending)
    }

    /// Returns true if a file of this format can hold more than one game.
    #[must_use]
    pub const fn holds_many(self) -> bool {
        matches!(self.info().games, GameCount::Many)
    }
}

/// Returns true if an ending is one of a list, whatever its case.
fn has(endings: &[&str], ending: &str) -> bool {
    endings.iter().any(|other| other.eq_ignore_ascii_case(ending))
}

/// Returns true if many files without games have the ending, too.
fn is_shared(ending: &str) -> bool {
    Format::ALL.iter().any(|format| has(format.info().shared_endings, ending))
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// No format has that name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, crate::message::ToMessage)]
#[error("no format \"{0}\"; give one of {names}", names = names())]
pub struct UnknownFormat(String);

/// The names of all formats.
fn names() -> String {
    Format::ALL.iter().map(|format| format.name()).collect::<Vec<_>>().join(", ")
}

impl FromStr for Format {
    type Err = UnknownFormat;

    fn from_str(text: &str) -> Result<Self, UnknownFormat> {
        Self::ALL
            .iter()
            .copied()
            .find(|format| format.name().eq_ignore_ascii_case(text))
            .ok_or_else(|| UnknownFormat(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_endings_lead_back() {
        for &format in Format::ALL {
            assert_eq!(format.name().parse(), Ok(format));
        }
        for formats in [&Format::XIANGQI[..], &Format::GOMOKU] {
            for &format in formats.iter().filter(|&&format| format != Format::Offsets) {
                for ending in format.extensions() {
                    let found = Format::from_extension(&ending.to_uppercase(), formats);
                    assert_eq!(found, Some(format));
                }
            }
        }
        assert!("chess".parse::<Format>().is_err());
        assert_eq!(Format::from_extension("png", &Format::XIANGQI), None);
        for (name, expected) in [
            ("a.pgn", Some(true)),
            ("a.XQF", Some(true)),
            ("b/a.PGN.zst", Some(true)),
            ("a.txt.gz", Some(false)),
            ("a.pgns.xz", Some(true)),
            ("a.WXF", Some(true)),
            ("a.html", Some(false)),
            ("pgn", None),
            ("a.zst", None),
            ("a.png", None),
        ] {
            assert_eq!(Format::is_game_file(name, &Format::XIANGQI), expected, "{name}");
        }
        let open = [("game", true), ("a.TXT.gz", true), ("a.gz", true), ("a.md", false)];
        for (name, expected) in open.into_iter().chain([("a.md.xz", false)]) {
            assert_eq!(Format::is_open_name(name), expected, "{name}");
        }
        for (name, expected) in [
            ("a.ZIP", true),
            ("a.tar.xz", true),
            ("a.tgz", true),
            ("a.pgn.xz", false),
            ("xz", false),
        ] {
            assert_eq!(Format::is_archive(name), expected, "{name}");
        }
    }
}
