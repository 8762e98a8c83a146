//! The format of a source, determined from its content alone.

use crate::message::{Message, message};
use crate::record::model::encoding::{Encoding, UTF8_MARK};
use crate::record::model::format::Format;
use crate::record::model::parsed::BadGameReason;
use crate::record::programs::{ccm, che, chn, mxq, pfc, xqr};
use crate::record::text::scan::{Scanner, Token};
use crate::record::text::split::tag_name;
use crate::record::text::{dhtmlxq, export, plain, utf16, wxf};

/// The number of bytes of a source that are looked at.
const SAMPLE_BYTES: usize = 64 << 10;

/// The number of bytes of a source that are searched for marks that stand anywhere in a page.
const PAGE_BYTES: usize = 1 << 20;

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

impl Format {
    /// The format of a source. A blank source counts as PGN without games.
    ///
    /// # Errors
    ///
    /// Why it is in no known format.
    pub fn sniff(bytes: &[u8]) -> Result<Self, BadGameReason> {
        refuse_foreign(bytes)?;
        if let Some(format) = by_magic(bytes).or_else(|| by_layout(bytes)) {
            return Ok(format);
        }
        if let Some(encoding) = Encoding::utf16_of(bytes) {
            return utf16::sniff(bytes, encoding, sniff_text);
        }
        sniff_text(bytes)
    }

    /// The encoding of a source if it is UTF-16, and no binary file.
    pub(crate) fn utf16_of(bytes: &[u8]) -> Option<Encoding> {
        let encoding = Encoding::utf16_of(bytes)?;
        let is_binary = by_magic(bytes).or_else(|| by_layout(bytes)).is_some();
        (!is_binary && refuse_foreign(bytes).is_ok()).then_some(encoding)
    }
}

fn sniff_text(bytes: &[u8]) -> Result<Format, BadGameReason> {
    refuse_json(bytes)?;
    by_text(bytes).ok_or_else(|| BadGameReason::UnknownFormat(beginning(bytes).into()))
}

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
    let has_zeros = || bytes[..bytes.len().min(64)].contains(&0);
    let is_mark = |magic: &[u8]| magic.len() > 3 || has_zeros();
    let found = OTHERS.iter().find(|(magic, _)| bytes.starts_with(magic) && is_mark(magic));
    found.map(|&(_, what)| what)
}

/// Refuses files that are no game records but might hold some, and those that are of another kind.
pub(crate) fn refuse_foreign(bytes: &[u8]) -> Result<(), BadGameReason> {
    if let Some((_, what)) = FOREIGN.iter().find(|(magic, _)| bytes.starts_with(magic)) {
        let what = message!("{what}; unpack it and give what is in it");
        return Err(BadGameReason::Unsupported(what));
    }
    if let Some(what) = other_kind(bytes) {
        return Err(BadGameReason::Unsupported(what.to_owned().into()));
    }
    if bytes.get(257..262) == Some(b"ustar") {
        let what = "a tar archive; unpack it and give what is in it".to_owned();
        return Err(BadGameReason::Unsupported(what.into()));
    }
    Ok(())
}

/// Refuses JSON that is not one object on a line.
pub(crate) fn refuse_json(bytes: &[u8]) -> Result<(), BadGameReason> {
    if is_json_over_lines(bytes) {
        let what = "JSON over several lines, or an array; write one object on a line, as jq does: \
                    jq -c . for objects, jq -c '.[]' for an array";
        return Err(BadGameReason::Unsupported(what.to_owned().into()));
    }
    Ok(())
}

/// Formats with a mark of their own at the beginning.
fn by_magic(bytes: &[u8]) -> Option<Format> {
    // The version may be the number of a line end, but no text has zeros.
    let is_xqf = |rest: &[u8]| match rest.first() {
        Some(b'\n' | b'\r' | b'\t') => rest.len() == 1 || rest[..rest.len().min(64)].contains(&0),
        version => version.is_none_or(u8::is_ascii_control),
    };
    if bytes.strip_prefix(b"XQ").is_some_and(is_xqf) {
        return Some(Format::Xqf);
    }
    if bytes.starts_with(b"CCBridge Record\0") {
        return Some(Format::Cbr);
    }
    if bytes.starts_with(xqr::MAGIC) {
        return Some(Format::Xqr);
    }
    bytes.starts_with(b"CCBridge").then_some(Format::Cbl)
}

/// Formats without a mark, recognised by their layout and a first move that can be played.
fn by_layout(bytes: &[u8]) -> Option<Format> {
    if che::looks_like(bytes) {
        return Some(Format::Che);
    }
    if mxq::looks_like(bytes) {
        return Some(Format::Mxq);
    }
    if chn::looks_like(bytes) {
        return Some(Format::Chn);
    }
    ccm::looks_like(bytes).then_some(Format::Ccm)
}

/// Formats that are text.
fn by_text(bytes: &[u8]) -> Option<Format> {
    let text = bytes.strip_prefix(UTF8_MARK).unwrap_or(bytes).trim_ascii_start();
    let sample = &text[..text.len().min(SAMPLE_BYTES)];
    if sample.is_empty() || tag_name(sample).is_some() {
        return Some(Format::Pgn);
    }
    if begins_object(sample) {
        return Some(Format::Jsonl);
    }
    if wxf::looks_like(sample) {
        return Some(Format::Wxf);
    }
    if contains(sample, b"<ChineseChessRecord") {
        return Some(Format::Cbf);
    }
    if pfc::looks_like(sample) {
        return Some(Format::Pfc);
    }
    if contains(&text[..text.len().min(PAGE_BYTES)], b"[DhtmlXQ") {
        return Some(Format::DhtmlXq);
    }
    if dhtmlxq::is_bare(text) {
        return Some(Format::DhtmlXq);
    }
    if !is_text(sample) {
        return None;
    }
    let mut lines = sample.split(|&b| matches!(b, b'\n' | b'\r'));
    if lines.any(|line| tag_name(line.trim_ascii_start()).is_some()) {
        return Some(Format::Pgn);
    }
    let text = Encoding::detect(text).decode_lossy(sample);
    by_moves(&text).or_else(|| export::looks_like(&text).then_some(Format::Text))
}

/// Text without any mark: moves, with or without what only PGN has.
fn by_moves(text: &str) -> Option<Format> {
    // Templates of web pages.
    if ["{%", "{{", "{#"].iter().any(|mark| text.starts_with(mark)) {
        return None;
    }
    if text.starts_with(['{', '(', ';', '%', '｛']) {
        return Some(Format::Pgn);
    }
    let mut scanner = Scanner::new(text);
    let mut has_result = false;
    let first = loop {
        match scanner.next() {
            Some(Token::Move(first)) => break first,
            Some(Token::Result(_)) => has_result = true,
            Some(_) => {}
            None => return has_result.then_some(Format::Pgn), // numbers alone are none
        }
    };
    let is_numbered = scanner.token_start() > 0;
    if (is_numbered || text.contains(['{', '('])) && plain::is_move(&first) {
        return Some(Format::Pgn);
    }
    plain::looks_like(text).then_some(Format::Plain)
}

/// An object that does not end on its first line, or a list of objects.
pub(crate) fn is_json_over_lines(bytes: &[u8]) -> bool {
    let text = bytes.strip_prefix(UTF8_MARK).unwrap_or(bytes).trim_ascii_start();
    if let Some(list) = text.strip_prefix(b"[") {
        return begins_object(list.trim_ascii_start());
    }
    let line = text.split(|&b| matches!(b, b'\n' | b'\r')).next().unwrap_or_default();
    line.trim_ascii() == b"{" && begins_object(text)
}

/// `{"name":`, and not a comment in braces.
pub(crate) fn begins_object(text: &[u8]) -> bool {
    let Some(rest) = text.strip_prefix(b"{") else { return false };
    let rest = rest.trim_ascii_start();
    if rest.starts_with(b"}") {
        return true;
    }
    let Some(name) = rest.strip_prefix(b"\"") else { return false };
    let end = name.iter().position(|&b| b == b'"');
    end.is_some_and(|end| name[end + 1..].trim_ascii_start().starts_with(b":"))
}

/// Returns true if the bytes can be a text in an encoding at hand: no zero among the first ones.
pub(crate) fn is_text(bytes: &[u8]) -> bool {
    !bytes[..bytes.len().min(SAMPLE_BYTES)].contains(&0)
}

fn contains(bytes: &[u8], mark: &[u8]) -> bool {
    bytes.windows(mark.len()).any(|window| window == mark)
}

/// The beginning of the bytes, as words or in hexadecimal.
pub(crate) fn beginning(bytes: &[u8]) -> Message {
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
