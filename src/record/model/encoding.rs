use std::borrow::Cow;
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
}

/// The number of bytes of a source from which its encoding is determined. Games that turn out to be written
/// in another are looked at again one by one.
const SAMPLE_BYTES: usize = 64 << 10;

/// The number of bytes that are searched for the first one beyond ASCII.
const ASCII_BYTES: usize = 16 << 20;

pub(in crate::record) const UTF8_MARK: &[u8] = b"\xef\xbb\xbf";

/// Characters that names of events, results and comments are full of, traditional and simplified.
/// Text read in the wrong one of two encodings has hardly any of them.
const FREQUENT: &str = "紅红黑勝胜負负和先後后賽赛杯盃年月日中國国象棋局第輪轮對对隊队";

impl Encoding {
    /// The encoding that fits best: UTF-8 if the bytes are valid as that, else the one of GB18030
    /// and Big5 in which more Chinese moves appear, or as many moves and more frequent characters.
    #[must_use]
    pub fn detect(bytes: &[u8]) -> Self {
        let sample = sample(bytes);
        if bytes.starts_with(UTF8_MARK) || std::str::from_utf8(sample).is_ok() {
            return Self::Utf8;
        }
        let fit = |encoding: Self| {
            let text = encoding.decode_lossy(sample);
            let faults = text.matches(char::REPLACEMENT_CHARACTER).count();
            let frequent = text.chars().filter(|&c| FREQUENT.contains(c)).count();
            (chinese_moves(&text), frequent, std::cmp::Reverse(faults))
        };
        // The later of two equal ones wins.
        [Self::Utf8, Self::Big5, Self::Gb18030]
            .into_iter()
            .max_by_key(|&e| fit(e))
            .unwrap_or_default()
    }

    /// Decodes strictly; `buffer` is used where the bytes are not UTF-8 already.
    pub fn decode<'a>(self, bytes: &'a [u8], buffer: &'a mut String) -> Option<&'a str> {
        use encoding_rs::DecoderResult;
        if self == Self::Utf8 {
            return std::str::from_utf8(bytes).ok();
        }
        let mut decoder = self.table().new_decoder_without_bom_handling();
        buffer.clear();
        buffer.reserve(decoder.max_utf8_buffer_length_without_replacement(bytes.len())?);
        match decoder.decode_to_string_without_replacement(bytes, buffer, true) {
            (DecoderResult::InputEmpty, _) => Some(buffer),
            _ => None,
        }
    }

    /// The encoding of a part of a source that is written in this one as a whole: parts may be in
    /// another.
    pub(crate) fn of_part(self, part: &[u8]) -> Self {
        if std::str::from_utf8(part).is_ok() {
            return Self::Utf8;
        }
        let strictly = self.table().decode_without_bom_handling_and_without_replacement(part);
        if strictly.is_some() { self } else { Self::detect(part) }
    }

    /// Decodes a part of a source that is written in this encoding as a whole; see
    /// [`decode_shown`](Self::decode_shown).
    pub(in crate::record) fn decode_part(self, part: &[u8]) -> (Cow<'_, str>, bool) {
        self.of_part(part).decode_shown(part)
    }

    /// Decodes; each byte that stands for no character becomes four characters such as `\xA4`, so that
    /// nothing of the source is lost and a reader sees what is there. Also says whether there are such.
    pub(in crate::record) fn decode_shown(self, bytes: &[u8]) -> (Cow<'_, str>, bool) {
        use encoding_rs::DecoderResult;
        if let Some(text) = self.table().decode_without_bom_handling_and_without_replacement(bytes)
        {
            return (text, false);
        }
        let mut decoder = self.table().new_decoder_without_bom_handling();
        let (mut text, mut at) = (String::with_capacity(bytes.len() * 2), 0);
        loop {
            let rest = &bytes[at..];
            text.reserve(3 * rest.len() + 16);
            let (result, read) =
                decoder.decode_to_string_without_replacement(rest, &mut text, true);
            at += read;
            match result {
                DecoderResult::InputEmpty => return (Cow::Owned(text), true),
                DecoderResult::OutputFull => {}
                DecoderResult::Malformed(len, after) => {
                    let end = at.saturating_sub(after.into());
                    let bad = bytes.get(end.saturating_sub(len.into())..end).unwrap_or_default();
                    text.extend(bad.iter().map(|byte| format!("\\x{byte:02X}")));
                }
            }
        }
    }

    /// Decodes with U+FFFD for what is malformed; only to look at a source, never to keep what it says.
    pub(in crate::record) fn decode_lossy(self, bytes: &[u8]) -> Cow<'_, str> {
        self.table().decode_without_bom_handling(bytes).0
    }

    /// The text in this encoding; `?` for what it lacks if `replace`.
    ///
    /// # Errors
    ///
    /// The first character that the encoding lacks.
    pub(in crate::record) fn encode(self, text: &str, replace: bool) -> Result<Vec<u8>, char> {
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
        }
    }
}

/// No encoding has that name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
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
    let is_line_end = |b: &u8| matches!(b, b'\n' | b'\r');
    let ascii = bytes.get(..ASCII_BYTES).unwrap_or(bytes);
    let first = encoding_rs::Encoding::ascii_valid_up_to(ascii);
    let line = ascii[..first].iter().rposition(is_line_end).map_or(0, |i| i + 1);
    // Bytes before it are characters of their own in all three.
    let begin = if first - line < SAMPLE_BYTES / 2 { line } else { first };
    let bytes = &bytes[begin..];
    let Some(head) = bytes.get(..SAMPLE_BYTES) else { return bytes };
    let end = head.iter().rposition(is_line_end).map_or(head.len(), |i| i + 1);
    &head[..end]
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
    fn a_sample_ends_with_a_line() {
        let mut text = "{注}\n".repeat(20_000);
        text.push_str(TRADITIONAL);
        assert_eq!(Encoding::detect(text.as_bytes()), Encoding::Utf8);
        assert!(sample(text.as_bytes()).ends_with(b"\n"));
    }
}
