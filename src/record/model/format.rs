use std::fmt;
use std::str::FromStr;

/// Endings of formats that many other files have, too.
const AMBIGUOUS: [&str; 5] = ["txt", "csv", "html", "htm", "xml"];

/// Endings of packed files.
const PACKINGS: [&str; 5] = ["zst", "zstd", "gz", "xz", "bz2"];

/// Endings of game files beside those of [`Format::extensions`]; used for nothing else.
const GAME_ENDINGS: [&str; 8] = ["pgns", "wxf", "che", "mxq", "ccm", "chn", "pfc", "xqr"];

/// A format of game records.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Format {
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

/// Endings of archives. RAR is not read.
const ARCHIVES: [&str; 9] = ["zip", "7z", "rar", "tar", "tgz", "txz", "tbz", "tbz2", "tzst"];

impl Format {
    /// The formats of gomoku, the usual one first.
    pub const GOMOKU: [Self; 10] = [
        Self::Jsonl,
        Self::Moves,
        Self::Psq,
        Self::Rec,
        Self::Sgf,
        Self::Lib,
        Self::Rif,
        Self::Offsets,
        Self::Bdt,
        Self::Pos,
    ];

    /// The formats of xiangqi.
    pub const XIANGQI: [Self; 16] = [
        Self::Pgn,
        Self::Jsonl,
        Self::Plain,
        Self::Xqf,
        Self::Cbr,
        Self::Cbl,
        Self::Cbf,
        Self::DhtmlXq,
        Self::Che,
        Self::Mxq,
        Self::Ccm,
        Self::Chn,
        Self::Pfc,
        Self::Xqr,
        Self::Wxf,
        Self::Text,
    ];

    /// Its name on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pgn => "pgn",
            Self::Jsonl => "jsonl",
            Self::Plain => "plain",
            Self::Xqf => "xqf",
            Self::Cbr => "cbr",
            Self::Cbl => "cbl",
            Self::Cbf => "cbf",
            Self::DhtmlXq => "dhtmlxq",
            Self::Che => "che",
            Self::Mxq => "mxq",
            Self::Ccm => "ccm",
            Self::Chn => "chn",
            Self::Pfc => "pfc",
            Self::Xqr => "xqr",
            Self::Wxf => "wxf",
            Self::Text => "text",
            Self::Moves => "moves",
            Self::Psq => "psq",
            Self::Rec => "rec",
            Self::Sgf => "sgf",
            Self::Lib => "lib",
            Self::Rif => "rif",
            Self::Offsets => "offsets",
            Self::Bdt => "bdt",
            Self::Pos => "pos",
        }
    }

    /// The endings of the format's file names, in lower case, the usual one first. They are a hint for
    /// finding and naming files; the format of a file is determined from its content.
    #[must_use]
    pub const fn extensions(self) -> &'static [&'static str] {
        match self {
            Self::Pgn => &["pgn"],
            Self::Jsonl => &["jsonl", "ndjson"],
            Self::Plain => &["txt", "csv"],
            Self::Xqf => &["xqf"],
            Self::Cbr => &["cbr"],
            Self::Cbl => &["cbl"],
            Self::Cbf => &["cbf"],
            Self::DhtmlXq => &["ubb", "dhtmlxq", "html", "htm"],
            Self::Che => &["che"],
            Self::Mxq => &["mxq"],
            Self::Ccm => &["ccm"],
            Self::Chn => &["chn"],
            Self::Pfc => &["pfc"],
            Self::Xqr => &["xqr"],
            Self::Wxf => &["wxf"],
            Self::Text => &[],
            Self::Moves | Self::Offsets => &["txt"],
            Self::Psq => &["psq"],
            Self::Rec => &["rec"],
            Self::Sgf => &["sgf"],
            Self::Lib => &["lib"],
            Self::Rif => &["rif", "xml"],
            Self::Bdt => &["bdt"],
            Self::Pos => &["pos"],
        }
    }

    /// All formats.
    fn all() -> impl Iterator<Item = Self> {
        let more = Self::GOMOKU.into_iter().filter(|format| !Self::XIANGQI.contains(format));
        Self::XIANGQI.into_iter().chain(more)
    }

    /// The one of `formats` that files with this ending usually have, whatever the case.
    #[must_use]
    pub fn from_extension(ending: &str, formats: &[Self]) -> Option<Self> {
        formats
            .iter()
            .copied()
            .find(|f| f.extensions().iter().any(|e| e.eq_ignore_ascii_case(ending)))
    }

    /// Judges from a name how likely the file is to hold games in one of `formats`: `None` if it is not, else whether its ending
    /// is used for nothing else. The ending of a packed file (`.zst`, `.gz`) is the one before.
    #[must_use]
    pub fn is_game_file(name: &str, formats: &[Self]) -> Option<bool> {
        let is_packing =
            |ending: &str| PACKINGS.iter().any(|packing| ending.eq_ignore_ascii_case(packing));
        let (stem, mut ending) = name.rsplit_once('.')?;
        if is_packing(ending) {
            (_, ending) = stem.rsplit_once('.')?;
        }
        if formats == Self::XIANGQI
            && GAME_ENDINGS.iter().any(|other| ending.eq_ignore_ascii_case(other))
        {
            return Some(true);
        }
        Self::from_extension(ending, formats)?;
        Some(!AMBIGUOUS.iter().any(|other| ending.eq_ignore_ascii_case(other)))
    }

    /// Returns true if a name tells nothing about a file's content: it has no ending, or one that is used for
    /// everything.
    pub(crate) fn is_open_name(name: &str) -> bool {
        let split = |name: &str| {
            let (stem, ending) = name.rsplit_once('.')?;
            Some((stem.to_owned(), ending.to_ascii_lowercase()))
        };
        let mut ending = split(name);
        if let Some((stem, last)) = &ending
            && PACKINGS.contains(&last.as_str())
        {
            ending = split(stem);
        }
        ending.is_none_or(|(_, ending)| AMBIGUOUS.contains(&ending.as_str()))
    }

    /// Returns true if a file of that name is an archive, packed perhaps, in which games may lie.
    pub(crate) fn is_archive(name: &str) -> bool {
        let ending = |name: &str| name.rsplit_once('.').map_or(0, |(stem, _)| stem.len() + 1);
        let (stem, mut ending) = name.split_at(ending(name));
        if PACKINGS.iter().any(|packing| ending.eq_ignore_ascii_case(packing)) {
            let stem = stem.strip_suffix('.').unwrap_or(stem);
            ending = stem.rsplit_once('.').map_or("", |(_, ending)| ending);
        }
        ARCHIVES.iter().any(|archive| ending.eq_ignore_ascii_case(archive))
    }

    /// Returns true if a file of this format can hold more than one game.
    #[must_use]
    pub const fn holds_many(self) -> bool {
        matches!(
            self,
            Self::Pgn
                | Self::Jsonl
                | Self::Plain
                | Self::Cbl
                | Self::DhtmlXq
                | Self::Moves
                | Self::Sgf
                | Self::Rif
                | Self::Offsets
                | Self::Bdt
        )
    }
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
    Format::all().map(Format::name).collect::<Vec<_>>().join(", ")
}

impl FromStr for Format {
    type Err = UnknownFormat;

    fn from_str(text: &str) -> Result<Self, UnknownFormat> {
        Self::all()
            .find(|format| format.name().eq_ignore_ascii_case(text))
            .ok_or_else(|| UnknownFormat(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_endings_lead_back() {
        for format in Format::all() {
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
