use std::fmt;
use std::str::FromStr;

/// Endings of formats that many other files have, too.
const AMBIGUOUS: [&str; 4] = ["txt", "csv", "html", "htm"];

/// Endings of packed files.
const PACKINGS: [&str; 3] = ["zst", "zstd", "gz"];

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
    /// WXF files of `PlayOK` and `XieXie`.
    Wxf,
    /// Exports of Chinese programs and sites: free lines, then numbered moves.
    Text,
}

/// Endings of archives; of these only zip is read, and not within another archive.
const ARCHIVES: [&str; 6] = ["zip", "7z", "rar", "tar", "xz", "bz2"];

impl Format {
    /// All formats.
    pub const ALL: [Self; 10] = [
        Self::Pgn,
        Self::Jsonl,
        Self::Plain,
        Self::Xqf,
        Self::Cbr,
        Self::Cbl,
        Self::Cbf,
        Self::DhtmlXq,
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
            Self::Wxf => "wxf",
            Self::Text => "text",
        }
    }

    /// What names of its files end with, in lower case, the usual one first. That is a hint for
    /// finding and naming files; what a file holds is told from its content.
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
            Self::Wxf => &["wxf"],
            Self::Text => &[],
        }
    }

    /// The format that files with this ending usually have, whatever the case.
    #[must_use]
    pub fn from_extension(ending: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|f| f.extensions().iter().any(|e| e.eq_ignore_ascii_case(ending)))
    }

    /// Whether a file of that name is likely to hold games: `None` if not, else whether its ending
    /// is used for nothing else. The ending of a packed file (`.zst`, `.gz`) is the one before.
    #[must_use]
    pub fn is_game_file(name: &str) -> Option<bool> {
        let is_packing =
            |ending: &str| PACKINGS.iter().any(|packing| ending.eq_ignore_ascii_case(packing));
        let (stem, mut ending) = name.rsplit_once('.')?;
        if is_packing(ending) {
            (_, ending) = stem.rsplit_once('.')?;
        }
        Self::from_extension(ending)?;
        Some(!AMBIGUOUS.iter().any(|other| ending.eq_ignore_ascii_case(other)))
    }

    /// Whether a file of that name is an archive, in which games may lie.
    pub(crate) fn is_archive(name: &str) -> bool {
        let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
        ARCHIVES.iter().any(|archive| ending.eq_ignore_ascii_case(archive))
    }

    /// Whether a file of this format can hold more than one game.
    #[must_use]
    pub const fn holds_many(self) -> bool {
        !matches!(self, Self::Xqf | Self::Cbr | Self::Cbf)
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// No format has that name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no format \"{0}\"; give pgn, jsonl, plain, xqf, cbr, cbl, cbf, dhtmlxq, wxf or text")]
pub struct UnknownFormat(String);

impl FromStr for Format {
    type Err = UnknownFormat;

    fn from_str(text: &str) -> Result<Self, UnknownFormat> {
        Self::ALL
            .into_iter()
            .find(|format| format.name().eq_ignore_ascii_case(text))
            .ok_or_else(|| UnknownFormat(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_endings_lead_back() {
        for format in Format::ALL {
            assert_eq!(format.name().parse(), Ok(format));
            for ending in format.extensions() {
                assert_eq!(Format::from_extension(&ending.to_uppercase()), Some(format));
            }
        }
        assert!("chess".parse::<Format>().is_err());
        assert_eq!(Format::from_extension("png"), None);
        for (name, expected) in [
            ("a.pgn", Some(true)),
            ("a.XQF", Some(true)),
            ("b/a.PGN.zst", Some(true)),
            ("a.txt.gz", Some(false)),
            ("a.html", Some(false)),
            ("pgn", None),
            ("a.zst", None),
            ("a.png", None),
        ] {
            assert_eq!(Format::is_game_file(name), expected, "{name}");
        }
    }
}
