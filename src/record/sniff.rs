//! The format of a source, determined from its content alone, by the sniffers of the formats' rows.

use crate::game::Game;
use crate::message::{Message, message};
use crate::record::model::bad_game::BadGameReason;
use crate::record::model::encoding::Encoding;
use crate::record::model::format::Format;
use crate::record::model::format_row::{FormatRow, Stage};
use crate::record::model::sample::{Sample, is_text};
use crate::record::text::jsonl;
use crate::record::utf16;

/// Refuses files of a game's programs that are no records.
pub(crate) type Refuse = fn(&[u8]) -> Result<(), BadGameReason>;

/// The stages for bytes, as they come.
const OF_BYTES: [Stage; 3] = [Stage::Mark, Stage::Layout, Stage::LooseLayout];

/// The stages for texts.
const OF_TEXTS: [Stage; 3] = [Stage::Beginning, Stage::Element, Stage::Page];

/// Those after which a source with zeros is no text.
const OF_SOUND_TEXTS: [Stage; 3] = [Stage::Lines, Stage::Moves, Stage::FreeText];

/// The format of a source, one of `rows`.
///
/// # Errors
///
/// The reason why it is in none.
pub(crate) fn sniff<G: Game>(
    bytes: &[u8],
    rows: &[FormatRow<G>],
    refuse: Refuse,
) -> Result<Format, BadGameReason> {
    refuse_foreign(bytes)?;
    refuse(bytes)?;
    // Before UTF-16, whose characters the bytes of a binary file may look like.
    if let Some(format) = of_bytes(bytes, rows) {
        return Ok(format);
    }
    match Encoding::utf16_of(bytes) {
        Some(encoding) => utf16::sniff(bytes, encoding, |text| of_text(text, rows)),
        None => of_text(bytes, rows),
    }
}

/// The encoding of a source if it is UTF-16, and no binary file.
pub(crate) fn utf16_of<G: Game>(
    bytes: &[u8],
    rows: &[FormatRow<G>],
    refuse: Refuse,
) -> Option<Encoding> {
    let encoding = Encoding::utf16_of(bytes)?;
    let is_other = refuse_foreign(bytes).is_err() || refuse(bytes).is_err();
    (!is_other && of_bytes(bytes, rows).is_none()).then_some(encoding)
}

/// The format of a binary file.
fn of_bytes<G: Game>(bytes: &[u8], rows: &[FormatRow<G>]) -> Option<Format> {
    first_shown(&Sample::new(bytes), &OF_BYTES, rows)
}

/// The format of a text, or of bytes that have neither a mark nor moves to be known by.
fn of_text<G: Game>(bytes: &[u8], rows: &[FormatRow<G>]) -> Result<Format, BadGameReason> {
    let sample = Sample::new(bytes);
    if sample.text.is_empty()
        && let Some(format) = first_shown(&sample, &[Stage::Blank], rows)
    {
        return Ok(format);
    }
    let is_json = refuse_json(bytes);
    let mut found = None;
    if is_json.is_ok() {
        found = first_shown(&sample, &OF_TEXTS, rows);
        if found.is_none() && sample.is_text() {
            found = first_shown(&sample, &OF_SOUND_TEXTS, rows);
        }
    }
    match found.or_else(|| first_shown(&sample, &[Stage::Rest], rows)) {
        Some(format) => Ok(format),
        None => is_json.and_then(|()| Err(BadGameReason::UnknownFormat(quoted(bytes)))),
    }
}

/// The first of `rows` with evidence of the first of `stages` in which one has some.
fn first_shown<G: Game>(
    sample: &Sample<'_>,
    stages: &[Stage],
    rows: &[FormatRow<G>],
) -> Option<Format> {
    for stage in stages {
        for row in rows {
            let mut sniffers = row.sniff.iter().filter(|sniffer| sniffer.stage == *stage);
            if sniffers.any(|sniffer| (sniffer.shows)(sample)) {
                return Some(row.info.format);
            }
        }
    }
    None
}

/// The beginnings of files that are no game records but might hold some, and the names of their kinds.
const FOREIGN: [(&[u8], &str); 7] = [
    (b"Rar!", "a RAR archive"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive"),
    (b"\xfd7zXZ", "an xz file"),
    (b"BZh", "a bzip2 file"),
    (b"PK\x03\x04", "a zip archive within another file"),
    (b"\x1f\x8b", "a gzip file within another file"),
    (b"\x28\xb5\x2f\xfd", "a zstd file within another file"),
];

/// The beginnings of files of other kinds, with what they are and what to do. Some are of this program; their marks are
/// part of their formats.
const OTHERS: [(&[u8], &str); 18] = [
    (
        b"JZTABLE\0",
        "an endgame table; `juzhong tablebase probe --tables FOLDER` looks positions up in the tables of its folder",
    ),
    (b"JZPROOF1", "a proof; `juzhong --game gomoku solve --check FILE` checks it"),
    (
        b"JZSHARD\0",
        "a part of a book that is being built; `juzhong book reduce` makes a book of such",
    ),
    (b"%PDF", "a PDF document; give the games themselves"),
    (b"\x89PNG", "an image; give the games themselves"),
    (b"\xff\xd8\xff", "an image; give the games themselves"),
    (b"GIF8", "an image; give the games themselves"),
    (b"RIFF", "a sound, an image or a video; give the games themselves"),
    (b"\0\0\0\x18ftyp", "a video; give the games themselves"),
    (b"\0\0\0\x20ftyp", "a video; give the games themselves"),
    (b"\x1aE\xdf\xa3", "a video; give the games themselves"),
    (b"ID3", "a sound; give the games themselves"),
    (b"OggS", "a sound or a video; give the games themselves"),
    (
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
        "a document of an office program; save its text and give that",
    ),
    (b"{\\rtf", "a document of an office program; save its text and give that"),
    (b"\x7fELF", "a program; give the games themselves"),
    (b"MZ", "a program; give the games themselves"),
    (b"PAR1", "a table in Parquet's format; give the games themselves"),
];

/// The beginning of databases of SQLite, and the place and the value of the number by which the program's own books
/// are known among them.
const SQLITE: &[u8] = b"SQLite format 3\0";
const APPLICATION: (usize, &[u8]) = (68, b"JZBK");

/// The kind of a file that is known by its beginning and holds no games, and what to do with it.
fn other_kind(bytes: &[u8]) -> Option<&'static str> {
    if bytes.starts_with(SQLITE) {
        let (at, number) = APPLICATION;
        return Some(match bytes.get(at..).is_some_and(|rest| rest.starts_with(number)) {
            true => {
                "an opening book of this program, no file of games; `juzhong book query` and `juzhong book games` show \
                 what is in it"
            }
            false => {
                "a database of SQLite, no file of games; if it is a book of another program, `juzhong book import` reads it"
            }
        });
    }
    // A letter or two begin texts, too.
    let has_zeros = bytes[..bytes.len().min(64)].contains(&0);
    let kind =
        OTHERS.iter().find(|(mark, _)| bytes.starts_with(mark) && (mark.len() > 3 || has_zeros));
    kind.map(|&(_, what)| what)
}

/// Refuses files that are no game records but might hold some, and those that are of another kind.
fn refuse_foreign(bytes: &[u8]) -> Result<(), BadGameReason> {
    if let Some((_, what)) = FOREIGN.iter().find(|(magic, _)| bytes.starts_with(magic)) {
        let what = message!("{what}; unpack it and give what is in it");
        return Err(BadGameReason::Unsupported(what));
    }
    if let Some(what) = other_kind(bytes) {
        return Err(BadGameReason::Unsupported(what.to_owned().into()));
    }
    // A tar archive begins with a name; its mark stands behind it.
    if bytes.get(257..262) == Some(b"ustar") {
        let what = "a tar archive; unpack it and give what is in it".to_owned();
        return Err(BadGameReason::Unsupported(what.into()));
    }
    Ok(())
}

/// Refuses JSON that is not one object on a line.
fn refuse_json(bytes: &[u8]) -> Result<(), BadGameReason> {
    if jsonl::is_over_lines(bytes) {
        let what = "JSON over several lines, or an array; write one object on a line, as jq does: \
                    jq -c . for objects, jq -c '.[]' for an array";
        return Err(BadGameReason::Unsupported(what.to_owned().into()));
    }
    Ok(())
}

/// The first bytes for a message, as words or in hexadecimal.
fn quoted(bytes: &[u8]) -> Message {
    if is_text(bytes) {
        let text = &bytes[..bytes.len().min(400)];
        let text = Encoding::detect(bytes).decode_lossy(text);
        let words: Vec<_> = text.split_whitespace().take(6).collect();
        let text: String = words.join(" ").chars().take(32).collect();
        return format!("\"{}\"", text.escape_debug()).into();
    }
    let bytes: Vec<_> = bytes.iter().take(8).map(|b| format!("{b:02x}")).collect();
    message!("the bytes {}", bytes.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_over_lines_is_refused_with_a_remedy() {
        let texts = ["{\n  \"moves\": \"h2e2\"\n}\n", "[{\"moves\": \"h2e2\"}]", "[\n {\"a\":1}]"];
        for text in texts {
            let refused = Format::sniff(text.as_bytes());
            assert!(matches!(refused, Err(BadGameReason::Unsupported(_))), "{text}");
        }
        assert!(Format::sniff(b"XQ\nh2e2 h9g7\n").is_err());
        assert_eq!(Format::sniff(b"XQ\n\0\0"), Ok(Format::Xqf));
        for text in [b"[\0A\0 \0\"\0\"\0]\0", b"\0[\0A\0 \0\"\0\"\0]"] {
            assert_eq!(Format::sniff(text), Ok(Format::Pgn));
        }
    }

    #[test]
    fn formats_are_told_from_content() {
        let formats: [(&[u8], Format); 22] = [
            (b"", Format::Pgn),
            (b" \r\n", Format::Pgn),
            (b"[Event \"a\"]\n", Format::Pgn),
            (b"{a comment}\n[Event \"a\"]\n", Format::Pgn),
            (b"my games\n\n[Event \"a\"]\n", Format::Pgn),
            (b"1. h2e2 h9g7", Format::Pgn),
            (b"h2e2 {good} h9g7", Format::Pgn),
            (b"{\"moves\":\"h2e2\"}", Format::Jsonl),
            (b"\xef\xbb\xbf { \"a\" : 1}", Format::Jsonl),
            (b"h2e2 h9g7\nb2e2\n", Format::Plain),
            (b"H2-E2,H9-G7", Format::Plain),
            (b"C2=5 H8+7", Format::Plain),
            (b"XQ\x0a\0", Format::Xqf),
            (b"CCBridge Record\0", Format::Cbr),
            (b"CCBridgeLibrary\0", Format::Cbl),
            (b"<?xml?>\n<ChineseChessRecord>", Format::Cbf),
            (b"<html> [DhtmlXQ_title]", Format::DhtmlXq),
            (b"<n m=\"\"><n m=\"h2e2\"/></n>", Format::Pfc),
            (b"\0\x02\x20\x17", Format::Xqr),
            (b"GL\xd0\x07\xd4\x07\x01\0", Format::Chn),
            (b"1 1\r\n25 32 1 2 7 2 4 0 1 0", Format::Che),
            (b"\x01a\x05Moves\x057C-4C", Format::Mxq),
        ];
        for (bytes, format) in formats {
            let text = String::from_utf8_lossy(bytes);
            assert_eq!(Format::sniff(bytes), Ok(format), "{text}");
        }
        for result in ["*", "1-0", "1. *"] {
            assert_eq!(Format::sniff(result.as_bytes()), Ok(Format::Pgn), "{result}");
        }
        for digits in ["77477062\n", "\u{feff} 7747 7062\r\n7967"] {
            assert_eq!(Format::sniff(digits.as_bytes()), Ok(Format::DhtmlXq), "{digits}");
        }
        let chinese = encoding_rs::BIG5.encode("炮二平五 馬８進７").0;
        assert_eq!(Format::sniff(&chinese), Ok(Format::Plain));
    }

    #[test]
    fn what_is_unknown_is_named() {
        let unknown = |bytes: &[u8]| Format::sniff(bytes).unwrap_err().to_string();
        assert!(unknown(b"Hello, world.").contains("\"Hello, world.\""));
        assert!(unknown(b"\x89PNX\0\0").contains("89 50 4e 58 00 00"));
        assert!(unknown(b"Rar!").contains("unpack"));
        for digits in ["7747", "77477747", "774770623", "12345678", "1. 2. 3."] {
            assert!(unknown(digits.as_bytes()).contains(digits), "{digits}");
        }
        for template in ["{% extends \"a.html\" %}\n<p>1</p>", "{{ title }}", "{# x #}\n<html>"] {
            assert!(Format::sniff(template.as_bytes()).is_err(), "{template}");
        }
    }
}
