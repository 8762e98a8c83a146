//! Encodings of text: names, detection, decoding.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::fmt;
use std::str::FromStr;

use crate::xiangqi::notation;

/// The encoding of a source's text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Encoding {
    /// With or without a byte order mark; ASCII is part of it.
    #[default]
    Utf8,
    /// Simplified Chinese; GBK and GB2312 are parts of it.
    Gb18030,
    /// Traditional Chinese.
    Big5,
    /// Western texts of a byte a character: Windows-1252, of which Latin-1 is the part that matters. Read only.
    Western,
    /// UTF-16 in the order of bytes that Windows has. Read only.
    Utf16Le,
    /// UTF-16 in the other order of bytes. Read only.
    Utf16Be,
}

/// The number of bytes of a source from which its encoding is determined. Games that turn out to be written
/// in another are looked at again one by one.
const SAMPLE_BYTES: usize = 64 << 10;

/// The number of bytes that are searched for the first one beyond ASCII.
const ASCII_BYTES: usize = 16 << 20;

pub(crate) const UTF8_MARK: &[u8] = b"\xef\xbb\xbf";

/// Characters that names of events, results and comments are full of, traditional and simplified.
/// Text read in the wrong encoding has hardly any of them.
const FREQUENT: &str = "紅红黑勝胜負负和先後后賽赛杯盃年月日中國国象棋局第輪轮對对隊队";

impl Encoding {
    /// The encoding that fits best: UTF-8 if the bytes are valid as that, else the one of GB18030
    /// and Big5 in which more Chinese moves appear, or as many moves and more common characters. Without a move or a word that
    /// names of games have it is the Western one where letters beyond ASCII stand alone within words. UTF-16 is found by
    /// its mark, or by its characters, before this.
    #[must_use]
    pub fn detect(bytes: &[u8]) -> Self {
        let sample = sample(bytes);
        let is_utf8 = match std::str::from_utf8(sample) {
            Ok(_) => true,
            // A character that the end of the sample cuts, in a long line.
            Err(error) => {
                error.error_len().is_none() && sample.as_ptr_range().end < bytes.as_ptr_range().end
            }
        };
        if bytes.starts_with(UTF8_MARK) || is_utf8 {
            return Self::Utf8;
        }
        // The later of two equal ones wins.
        let fits = [Self::Utf8, Self::Big5, Self::Gb18030]
            .map(|encoding| (encoding.fit(sample), encoding));
        let Some(((moves, .., frequent), best)) = fits.into_iter().max_by_key(|&(fit, _)| fit)
        else {
            return Self::default();
        };
        if moves == 0 && frequent == 0 && is_western(sample) { Self::Western } else { best }
    }

    /// Measures the fit of the encoding to a text, by what counts most first: Chinese moves, common characters, few
    /// faults, frequent characters.
    fn fit(self, sample: &[u8]) -> (usize, usize, Reverse<usize>, usize) {
        let text = self.decode_lossy(sample);
        let faults = text.matches(char::REPLACEMENT_CHARACTER).count();
        let frequent = text.chars().filter(|&c| FREQUENT.contains(c)).count();
        (chinese_moves(&text), common(self, sample), Reverse(faults), frequent)
    }

    /// The kind of UTF-16 that a source is: by its mark, or else by the characters that it would have in each. Binary files
    /// must be ruled out before.
    #[must_use]
    pub(crate) fn utf16_of(bytes: &[u8]) -> Option<Self> {
        match bytes {
            [0xff, 0xfe, ..] => return Some(Self::Utf16Le),
            [0xfe, 0xff, ..] => return Some(Self::Utf16Be),
            _ => {}
        }
        let sample = &bytes[..bytes.len().min(UTF16_SAMPLE)];
        let (units, _) = sample.as_chunks::<2>();
        // Hardly a game does without ASCII, whose characters have a byte of 0 in UTF-16.
        if units.len() < LEAST_UNITS || !sample.contains(&0) {
            return None;
        }
        let [little, big] = [u16::from_le_bytes, u16::from_be_bytes]
            .map(|unit| units.iter().filter(|&&bytes| is_usual(unit(bytes))).count());
        let (most, encoding) =
            if little >= big { (little, Self::Utf16Le) } else { (big, Self::Utf16Be) };
        // One character in twenty may be an unusual one.
        (20 * (units.len() - most) <= units.len()).then_some(encoding)
    }

    /// Returns true for the kinds of UTF-16.
    #[must_use]
    pub const fn is_utf16(self) -> bool {
        matches!(self, Self::Utf16Le | Self::Utf16Be)
    }

    /// Returns true if games can be written in the encoding.
    #[must_use]
    pub const fn is_written(self) -> bool {
        matches!(self, Self::Utf8 | Self::Gb18030 | Self::Big5)
    }

    /// Returns true if the second byte of a character may be one of ASCII.
    pub(crate) const fn has_pairs(self) -> bool {
        matches!(self, Self::Gb18030 | Self::Big5)
    }

    /// Decodes strictly; `buffer` is used where the bytes are not UTF-8 already.
    pub fn decode<'a>(self, bytes: &'a [u8], buffer: &'a mut String) -> Option<&'a str> {
        use encoding_rs::DecoderResult;
        if self == Self::Utf8 {
            return std::str::from_utf8(bytes).ok();
        }
        let mut decoder = self.table().new_decoder_without_bom_handling();
        buffer.clear();
        // The decoder fills what room there is, and does not make more.
        buffer.reserve(decoder.max_utf8_buffer_length_without_replacement(bytes.len())?);
        match decoder.decode_to_string_without_replacement(bytes, buffer, true) {
            (DecoderResult::InputEmpty, _) => Some(buffer),
            _ => None,
        }
    }

    /// Returns true if bytes are hardly anything but Big5: two characters or more, all of them common there but for signs,
    /// and most of them none of the common ones of GB18030.
    pub(crate) fn is_surely_big5(bytes: &[u8]) -> bool {
        let [in_gb, in_big5] = [Self::Gb18030, Self::Big5].map(|encoding| common(encoding, bytes));
        in_big5 > 1
            && in_big5 == pairs_of(bytes).filter(|(lead, _)| !matches!(lead, 0xa1..=0xa3)).count()
            && 2 * in_gb < in_big5
    }

    /// The encoding of a part of a source that is written in this one as a whole: parts may be in
    /// another.
    pub(crate) fn of_part(self, part: &[u8]) -> Self {
        if std::str::from_utf8(part).is_ok() {
            return Self::Utf8;
        }
        // Any bytes can be read as Western ones, and most Western ones as Chinese.
        if self == Self::Western || is_western(part) {
            return Self::detect(part);
        }
        let strictly = self.table().decode_without_bom_handling_and_without_replacement(part);
        if strictly.is_some() { self } else { Self::detect(part) }
    }

    /// Returns true if a part of a source that is written in this encoding as a whole may be in another that fits, too.
    pub(crate) fn is_doubted(self, part: &[u8]) -> bool {
        self != Self::Utf8 && (self == Self::Western || is_western(part))
    }

    /// Decodes a part of a source that is written in this encoding as a whole; see
    /// [`decode_shown`](Self::decode_shown).
    pub(crate) fn decode_part(self, part: &[u8]) -> (Cow<'_, str>, bool) {
        self.of_part(part).decode_shown(part)
    }

    /// Decodes; each byte that stands for no character becomes four characters such as `\xA4`, so that
    /// nothing of the source is lost and a reader sees what is there. Also says whether there are such.
    pub(crate) fn decode_shown(self, bytes: &[u8]) -> (Cow<'_, str>, bool) {
        use encoding_rs::DecoderResult;
        if let Some(text) = self.table().decode_without_bom_handling_and_without_replacement(bytes)
        {
            return (text, false);
        }
        let mut decoder = self.table().new_decoder_without_bom_handling();
        let mut text = String::with_capacity(bytes.len() * 2);
        let mut at = 0;
        loop {
            let rest = &bytes[at..];
            // No byte becomes more than three of UTF-8.
            text.reserve(3 * rest.len() + 16);
            let (result, read) =
                decoder.decode_to_string_without_replacement(rest, &mut text, true);
            at += read;
            match result {
                DecoderResult::InputEmpty => return (Cow::Owned(text), true),
                DecoderResult::OutputFull => {}
                DecoderResult::Malformed(len, after) => {
                    // The decoder has read `after` bytes beyond those that are malformed.
                    let end = at.saturating_sub(after.into());
                    let bad = bytes.get(end.saturating_sub(len.into())..end).unwrap_or_default();
                    text.extend(bad.iter().map(|byte| format!("\\x{byte:02X}")));
                }
            }
        }
    }

    /// Decodes with U+FFFD for what is malformed; only to look at a source, never to keep what it says.
    pub(crate) fn decode_lossy(self, bytes: &[u8]) -> Cow<'_, str> {
        self.table().decode_without_bom_handling(bytes).0
    }

    /// The text in this encoding; `?` for what it lacks if `replace`.
    ///
    /// # Errors
    ///
    /// The first character that the encoding lacks.
    pub(crate) fn encode(self, text: &str, replace: bool) -> Result<Vec<u8>, char> {
        use encoding_rs::EncoderResult;
        let mut encoder = self.table().new_encoder();
        let mut bytes = Vec::with_capacity(text.len() + 16);
        let mut rest = text;
        loop {
            let (result, read) =
                encoder.encode_from_utf8_to_vec_without_replacement(rest, &mut bytes, true);
            rest = &rest[read..];
            match result {
                EncoderResult::InputEmpty => return Ok(bytes),
                // No character has more than four bytes.
                EncoderResult::OutputFull => bytes.reserve(4 * rest.len().max(16)),
                EncoderResult::Unmappable(_) if replace => bytes.push(b'?'),
                EncoderResult::Unmappable(c) => return Err(c),
            }
        }
    }

    const fn table(self) -> &'static encoding_rs::Encoding {
        match self {
            Self::Utf8 => encoding_rs::UTF_8,
            Self::Gb18030 => encoding_rs::GB18030,
            Self::Big5 => encoding_rs::BIG5,
            Self::Western => encoding_rs::WINDOWS_1252,
            Self::Utf16Le => encoding_rs::UTF_16LE,
            Self::Utf16Be => encoding_rs::UTF_16BE,
        }
    }
}

/// No encoding has that name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, crate::message::ToMessage)]
#[error("unknown encoding \"{0}\"; choose utf-8, gb18030 or big5")]
pub struct UnknownEncoding(String);

impl FromStr for Encoding {
    type Err = UnknownEncoding;

    fn from_str(text: &str) -> Result<Self, UnknownEncoding> {
        match text.to_ascii_lowercase().as_str() {
            "utf-8" | "utf8" => Ok(Self::Utf8),
            "gb18030" | "gbk" | "gb2312" => Ok(Self::Gb18030),
            "big5" => Ok(Self::Big5),
            _ => Err(UnknownEncoding(text.to_owned())),
        }
    }
}

impl fmt::Display for Encoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.table().name())
    }
}

/// The first bytes from the line on that has the first one beyond ASCII, cut after a line where they
/// are cut at all: no character spans two lines.
fn sample(bytes: &[u8]) -> &[u8] {
    let ascii = bytes.get(..ASCII_BYTES).unwrap_or(bytes);
    let first = encoding_rs::Encoding::ascii_valid_up_to(ascii);
    let line = ascii[..first].iter().rposition(|&byte| is_line_end(byte)).map_or(0, |i| i + 1);
    // Bytes before it are characters of their own in all three.
    let begin = if first - line < SAMPLE_BYTES / 2 { line } else { first };
    let bytes = &bytes[begin..];
    let Some(head) = bytes.get(..SAMPLE_BYTES) else { return bytes };
    let end = head.iter().rposition(|&byte| is_line_end(byte)).map_or(head.len(), |i| i + 1);
    &head[..end]
}

const fn is_line_end(byte: u8) -> bool {
    matches!(byte, b'\n' | b'\r')
}

/// The number of bytes of a source that show whether it is UTF-16, and the fewest characters that do.
const UTF16_SAMPLE: usize = 4 << 10;
const LEAST_UNITS: usize = 4;

/// Returns true for characters that texts of games have: ASCII, letters of the West, Chinese characters and signs, forms of
/// full width.
const fn is_usual(unit: u16) -> bool {
    matches!(unit, 0x09 | 0x0a | 0x0d | 0x20..=0x7e | 0xa0..=0x17f | 0x2010..=0x2060
        | 0x2190..=0x22ff | 0x25a0..=0x26ff | 0x3000..=0x303f | 0x4e00..=0x9fff | 0xff01..=0xff5e)
}

/// The number of characters of two bytes that are among the common ones of their encoding: those of GB2312, and the first
/// plane of Big5.
fn common(encoding: Encoding, bytes: &[u8]) -> usize {
    pairs_of(bytes).filter(|&pair| is_common(encoding, pair)).count()
}

/// Returns true for a common character of two bytes.
const fn is_common(encoding: Encoding, pair: (u8, u8)) -> bool {
    match encoding {
        Encoding::Gb18030 => matches!(pair, (0xb0..=0xf7, 0xa1..=0xfe)),
        Encoding::Big5 => matches!(pair, (0xa4..=0xc6, 0x40..=0x7e | 0xa1..=0xfe)),
        _ => false,
    }
}

/// The characters of two bytes in a text in GB18030 or Big5.
fn pairs_of(bytes: &[u8]) -> impl Iterator<Item = (u8, u8)> {
    let mut rest = bytes;
    std::iter::from_fn(move || {
        loop {
            let (&lead, after) = rest.split_first()?;
            rest = after;
            if let (0x81..=0xfe, Some((&trail, after))) = (lead, after.split_first()) {
                rest = after;
                return Some((lead, trail));
            }
        }
    })
}

/// Returns true if bytes are a Western text of a byte a character: letters beyond ASCII stand alone or in pairs, most of
/// them alone and next to letters of ASCII, as they never do in Chinese texts. Other signs (quotation marks, dashes, `±`)
/// stand at the ends of words, or alone.
fn is_western(bytes: &[u8]) -> bool {
    let mut single = 0_usize;
    let mut double = 0_usize;
    let mut others = 0_usize;
    let mut before = None;
    let mut runs = bytes.chunk_by(|a, b| a.is_ascii() == b.is_ascii()).peekable();
    while let Some(run) = runs.next() {
        if run.is_ascii() {
            before = run.last();
            continue;
        }
        let next = runs.peek().and_then(|run| run.first());
        match western_run(before, run, next) {
            Some(Run::Signs) => others += 1,
            Some(Run::Letter) => single += 1,
            Some(Run::Pair) => double += 1,
            None => return false,
        }
    }
    single > double
        || single + double == 0
            && others > 0
            && !is_valid(Encoding::Gb18030, bytes)
            && !is_valid(Encoding::Big5, bytes)
}

/// Returns true if bytes stand for characters throughout.
fn is_valid(encoding: Encoding, bytes: &[u8]) -> bool {
    encoding.table().decode_without_bom_handling_and_without_replacement(bytes).is_some()
}

/// The kind of bytes beyond ASCII in a Western text.
enum Run {
    /// Signs, or a letter that is a word.
    Signs,
    /// A letter within a word.
    Letter,
    /// Bytes that may be one Chinese character as well.
    Pair,
}

/// The meaning of bytes beyond ASCII between two others, if it is a Western text.
fn western_run(before: Option<&u8>, run: &[u8], next: Option<&u8>) -> Option<Run> {
    if run.iter().any(|&byte| has_no_meaning(byte)) {
        return None;
    }
    let is_in_word = [before, next].into_iter().flatten().any(u8::is_ascii_alphabetic);
    // No Chinese text has a character between small letters.
    let is_within = [before, next].iter().all(|byte| byte.is_some_and(u8::is_ascii_lowercase));
    let letters = run.iter().position(|&byte| is_western_letter(byte)).map_or(&[][..], |begin| {
        let last = run.iter().rposition(|&byte| is_western_letter(byte));
        &run[begin..last.map_or(begin, |last| last + 1)]
    });
    match (letters.len(), run.len()) {
        (0, 1) => Some(Run::Signs),
        (1, 1) if !is_in_word => Some(Run::Signs),
        (1, 1) => Some(Run::Letter),
        (1 | 2, 2) if is_within => Some(Run::Letter),
        // A sign and a letter that no Chinese character begins with, or the other way round.
        (1, _) if is_in_word && is_no_character(run) => Some(Run::Letter),
        (0, _) if is_no_character(run) => Some(Run::Signs),
        (_, 2) => Some(Run::Pair),
        _ => None,
    }
}

/// Returns true for the letters of Windows-1252 beyond ASCII, but for ÿ.
const fn is_western_letter(byte: u8) -> bool {
    matches!(byte, 0x8a | 0x8c | 0x8e | 0x9a | 0x9c | 0x9e | 0x9f
        | 0xc0..=0xd6 | 0xd8..=0xf6 | 0xf8..=0xfe)
}

/// Returns true for a byte without a meaning in Windows-1252, and for `0xff`: a letter that hardly any name has (ÿ), and
/// the mark of what is no text.
const fn has_no_meaning(byte: u8) -> bool {
    matches!(byte, 0x81 | 0x8d | 0x8f | 0x90 | 0x9d | 0xff)
}

/// Returns true if bytes are no common Chinese characters in either encoding.
fn is_no_character(run: &[u8]) -> bool {
    common(Encoding::Gb18030, run) == 0 && common(Encoding::Big5, run) == 0
}

/// The number of places where four characters in a row read as a Chinese move.
fn chinese_moves(text: &str) -> usize {
    let mut last = ['\0'; 4];
    let mut count = 0;
    for c in text.chars() {
        last = [last[1], last[2], last[3], notation::fold(c)];
        count += usize::from(notation::is_chinese_move(&last));
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIMPLIFIED: &str = "1. 炮二平五 马８进７\n2. 马二进三 车９平８\n";
    const TRADITIONAL: &str = "1. 炮二平五 馬８進７\n2. 馬二進三 車９平８\n";

    /// A text in UTF-16, big-endian or little-endian.
    fn units(text: &str, big: bool) -> Vec<u8> {
        let bytes = if big { u16::to_be_bytes } else { u16::to_le_bytes };
        text.encode_utf16().flat_map(bytes).collect()
    }

    #[test]
    fn each_encoding_is_found() {
        let gb = encoding_rs::GB18030.encode(SIMPLIFIED).0;
        let big5 = encoding_rs::BIG5.encode(TRADITIONAL).0;
        assert_eq!(Encoding::detect(SIMPLIFIED.as_bytes()), Encoding::Utf8);
        assert_eq!(Encoding::detect(&gb), Encoding::Gb18030);
        assert_eq!(Encoding::detect(&big5), Encoding::Big5);
        assert_eq!(Encoding::detect(b"1. h2e2 h9g7"), Encoding::Utf8);
        assert_eq!(Encoding::detect(b""), Encoding::Utf8);
    }

    #[test]
    fn without_chinese_moves_the_tags_decide() {
        let traditional =
            "[Event \"全國象棋賽\"]\n[Red \"許銀川\"]\n[Black \"呂欽\"]\n\n1. H2-E2 *\n";
        let simplified =
            "[Event \"全国象棋赛\"]\n[Red \"许银川\"]\n[Black \"吕钦\"]\n\n1. H2-E2 *\n";
        let big5 = encoding_rs::BIG5.encode(traditional).0;
        assert_eq!(Encoding::detect(&big5), Encoding::Big5);
        for text in [traditional, simplified] {
            let gb = encoding_rs::GB18030.encode(text).0;
            assert_eq!(Encoding::detect(&gb), Encoding::Gb18030);
        }
    }

    #[test]
    fn bytes_without_a_character_are_shown() {
        let shown = |encoding: Encoding, bytes: &[u8]| encoding.decode_shown(bytes).0.into_owned();
        assert_eq!(shown(Encoding::Utf8, b"a\xffb\xe4\xb8"), "a\\xFFb\\xE4\\xB8");
        assert_eq!(shown(Encoding::Gb18030, b"\xd6\xd0\xff\xb9\xfa\xd6"), "中\\xFF国\\xD6");
        assert_eq!(shown(Encoding::Big5, b"\xa4\xa4\xa4!"), "中\\xA4!");
        assert!(shown(Encoding::Gb18030, b"\x81\x30\x81").starts_with("\\x81"));
    }

    #[test]
    fn western_texts_are_told_from_chinese_ones() {
        for text in [
            "[Red \"Müller\"]\n[Black \"José García\"]\n\n1. h2e2 h9g7 *\n",
            "[Site \"Århus\"]\n",
            "[Event \"Großmeister, Zürich\"]\n",
            "[Red \"François Noël\"]\n1. C2=5 ± *",
            "1. h2e2 ± h9g7 *",
            "[Red \"Ærø Ødegård\"]",
            "[Event \"São João, Conceição\"]",
            "[Annotator \"Élodie\"]\n{ «Échec» … N° 5 ¿Qué? }",
            "{ l’été – «à Zürich»… }",
        ] {
            let western = encoding_rs::WINDOWS_1252.encode(text).0;
            assert_eq!(Encoding::detect(&western), Encoding::Western, "{text}");
        }
        for text in
            ["[Red \"许银川\"]", "[Red \"王\"]", "[Red \"A组朱镕基\"]", "[Red \"IBM杯 vs吕钦\"]"]
        {
            let gb = encoding_rs::GB18030.encode(text).0;
            assert_eq!(Encoding::detect(&gb), Encoding::Gb18030, "{text}");
        }
        for text in
            ["[Red \"許銀川\"]", "[Red \"呂欽\"]", "[Red \"趙國榮\"]", "[Red \"胡榮華 vs 王\"]"]
        {
            let big5 = encoding_rs::BIG5.encode(text).0;
            assert_eq!(Encoding::detect(&big5), Encoding::Big5, "{text}");
        }
        // Traditional characters in GB18030.
        let gb = encoding_rs::GB18030.encode("[Red \"許銀川\"]\n[Black \"趙國榮\"]\n").0;
        assert_eq!(Encoding::detect(&gb), Encoding::Gb18030);
    }

    #[test]
    fn utf16_is_found_with_and_without_a_mark() {
        for text in
            ["[Red \"a\"]\n\n1. h2e2", SIMPLIFIED, "炮二平五\r\n马８进７", "{\"moves\":\"h2e2\"}"]
        {
            for (big, encoding) in [(false, Encoding::Utf16Le), (true, Encoding::Utf16Be)] {
                assert_eq!(Encoding::utf16_of(&units(text, big)), Some(encoding), "{text}");
                let marked = units(&format!("\u{feff}{text}"), big);
                assert_eq!(Encoding::utf16_of(&marked), Some(encoding), "{text}");
            }
        }
        for bytes in [&b"1. h2e2 h9g7"[..], b"", b"\0", b"XQ\x0a\0\0\0\0\0\0\0\0\0\0\0", &[0; 64]] {
            assert_eq!(Encoding::utf16_of(bytes), None, "{bytes:x?}");
        }
    }

    #[test]
    fn a_sample_may_end_within_a_character() {
        for blanks in 0..3 {
            let text = " ".repeat(blanks) + &"棋".repeat(SAMPLE_BYTES);
            assert_eq!(Encoding::detect(text.as_bytes()), Encoding::Utf8, "{blanks}");
        }
        assert_ne!(Encoding::detect(&"棋".as_bytes()[..2]), Encoding::Utf8);
    }

    #[test]
    fn a_sample_ends_with_a_line() {
        let mut text = "{注}\n".repeat(20_000);
        text.push_str(TRADITIONAL);
        assert_eq!(Encoding::detect(text.as_bytes()), Encoding::Utf8);
        assert!(sample(text.as_bytes()).ends_with(b"\n"));
    }
}
