//! Texts out of files of other programs: fields with rubbish behind their end, characters cut in
//! half, characters written as names or numbers.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::fmt::Write as _;

use crate::record::model::encoding::Encoding;

/// Decodes the texts of one game. Bytes that stand for no character are shown as such (`\xA4`).
#[derive(Debug)]
pub(crate) struct Texts {
    is_undecoded: Cell<bool>,
    /// The encoding of texts whose format has no say in it.
    encoding: Encoding,
    /// Such texts as far as they are not ASCII, each on a line, to find their encoding.
    seen: RefCell<Vec<u8>>,
}

/// Bytes of texts from which their encoding is found.
const SEEN_BYTES: usize = 16 << 10;

impl Default for Texts {
    fn default() -> Self {
        Self::of(Encoding::Gb18030)
    }
}

impl Texts {
    const fn of(encoding: Encoding) -> Self {
        Self { is_undecoded: Cell::new(false), encoding, seen: RefCell::new(Vec::new()) }
    }

    /// Reads a game of a program that writes GB18030; if its texts are in another encoding, reads it again in that one.
    pub(crate) fn read<T>(read: impl Fn(&Self) -> T) -> T {
        let texts = Self::default();
        let found = read(&texts);
        match texts.other_encoding() {
            None => found,
            Some(encoding) => read(&Self::of(encoding)),
        }
    }

    fn other_encoding(&self) -> Option<Encoding> {
        let seen = self.seen.borrow();
        if seen.is_empty() {
            return None;
        }
        let found = Encoding::detect(&seen);
        let is_sure = match found {
            Encoding::Utf8 => is_surely_utf8(&seen),
            Encoding::Big5 => Encoding::is_surely_big5(&seen),
            other => other != Encoding::Gb18030,
        };
        is_sure.then_some(found)
    }

    fn note_bytes(&self, text: &[u8]) {
        let mut seen = self.seen.borrow_mut();
        if text.is_ascii() || seen.len() > SEEN_BYTES {
            return;
        }
        seen.extend_from_slice(&text[..text.len().min(SEEN_BYTES)]);
        seen.push(b'\n');
    }

    /// Returns true if bytes of the texts so far stand for no character.
    pub(crate) fn is_undecoded(&self) -> bool {
        self.is_undecoded.get()
    }

    fn note(&self, is_undecoded: bool) {
        self.is_undecoded.set(self.is_undecoded() || is_undecoded);
    }

    /// A text in that encoding.
    pub(crate) fn decode<'a>(&self, encoding: Encoding, bytes: &'a [u8]) -> Cow<'a, str> {
        let (text, is_undecoded) = encoding.decode_shown(bytes);
        self.note(is_undecoded);
        text
    }

    /// A text in the encoding of the file, GB18030 mostly, up to the first NUL.
    pub(crate) fn text(&self, bytes: &[u8]) -> String {
        let text = before_nul(bytes);
        self.note_bytes(text);
        tidy(&self.decode(self.encoding, text))
    }

    /// A text in a field of fixed width, as [`text`](Self::text); a character that is cut off at its
    /// end is left out.
    pub(crate) fn field(&self, bytes: &[u8]) -> String {
        let text = before_nul(bytes);
        let in_utf8 = whole_utf8(text);
        if std::str::from_utf8(in_utf8).is_ok() {
            self.note_bytes(in_utf8);
        } else {
            self.note_bytes(text);
        }
        let whole = match self.encoding {
            Encoding::Utf8 => in_utf8,
            Encoding::Gb18030 => &text[..whole_characters(text)],
            Encoding::Big5 => &text[..whole_pairs(text)],
            _ => text,
        };
        tidy(&self.decode(self.encoding, whole))
    }

    /// A text in the encoding that fits it best.
    pub(crate) fn detected(&self, bytes: &[u8]) -> String {
        self.decode(Encoding::detect(bytes), bytes).into_owned()
    }

    /// A text of CCBridge, in UTF-16, up to the first NUL: what stands behind it is left from before.
    pub(crate) fn utf16(&self, bytes: &[u8]) -> String {
        let (units, _) = bytes.as_chunks::<2>();
        let units =
            units.iter().map(|&unit| u16::from_le_bytes(unit)).take_while(|&unit| unit != 0);
        let mut text = String::new();
        let mut letters = char::decode_utf16(units).peekable();
        while let Some(letter) = letters.next() {
            match letter {
                Ok(letter) => text.push(letter),
                // Half a character at the end is cut off.
                Err(_) if letters.peek().is_none() => {}
                Err(half) => {
                    let _ = write!(text, "\\u{:04X}", half.unpaired_surrogate());
                    self.note(true);
                }
            }
        }
        tidy(&text)
    }
}

fn before_nul(bytes: &[u8]) -> &[u8] {
    let end = bytes.iter().position(|&b| b == 0).unwrap_or(bytes.len());
    &bytes[..end]
}

/// The length of a text in GB18030 without the first bytes of a character whose others are missing.
fn whole_characters(text: &[u8]) -> usize {
    let mut at = 0;
    loop {
        // The second byte tells the length: a digit stands in characters of four bytes only.
        at += match text[at..] {
            []
            | [0x81..=0xfe]
            | [0x81..=0xfe, b'0'..=b'9']
            | [0x81..=0xfe, b'0'..=b'9', 0x81..=0xfe] => return at,
            [0x81..=0xfe, b'0'..=b'9', 0x81..=0xfe, b'0'..=b'9', ..] => 4,
            [0x81..=0xfe, 0x40..=0x7e | 0x80..=0xfe, ..] => 2,
            [_, ..] => 1,
        }
    }
}

/// The length of a text in Big5 without the first byte of a character whose second one is missing.
const fn whole_pairs(text: &[u8]) -> usize {
    let mut at = 0;
    while at < text.len() {
        let next = if text[at] > 0x80 { at + 2 } else { at + 1 };
        if next > text.len() {
            break;
        }
        at = next;
    }
    at
}

/// A text in UTF-8 without the first bytes of a character whose others are missing.
fn whole_utf8(text: &[u8]) -> &[u8] {
    match std::str::from_utf8(text) {
        Err(error) if error.error_len().is_none() => &text[..error.valid_up_to()],
        _ => text,
    }
}

/// Returns true if bytes that are valid as UTF-8 are hardly anything else: a character of three bytes or more stands in
/// them, or a letter of two bytes beside one of ASCII.
fn is_surely_utf8(bytes: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(bytes) else { return false };
    let mut before = None;
    let mut letters = text.chars().peekable();
    while let Some(c) = letters.next() {
        let is_in_word = is_letter(before) || is_letter(letters.peek().copied());
        if c.len_utf8() > 2 || !c.is_ascii() && c.is_alphabetic() && is_in_word {
            return true;
        }
        before = Some(c);
    }
    false
}

fn is_letter(c: Option<char>) -> bool {
    c.is_some_and(|c| c.is_ascii_alphabetic())
}

/// The text without blanks and line ends around it and without control characters; lines end in
/// line feeds.
pub(crate) fn tidy(text: &str) -> String {
    let text = text.trim();
    if !text.contains(|c: char| c.is_control() && c != '\n') {
        return text.to_owned();
    }
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    text.chars().filter(|&c| !c.is_control() || matches!(c, '\n' | '\t')).collect()
}

/// Appends a tag, unless its value is empty.
pub(crate) fn push_tag(tags: &mut Vec<(String, String)>, name: &str, value: String) {
    if !value.is_empty() {
        tags.push((name.to_owned(), value));
    }
}

/// Replaces the references of XML and HTML (`&amp;`, `&#20013;`) and, with `escapes`, those of
/// scripts (`\u4e2d`). What is no reference stays as it is.
pub(crate) fn unescape(text: &str, escapes: bool) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['&', '\\']) {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let found = if rest.starts_with('&') {
            reference(rest)
        } else {
            escapes.then(|| escape(rest)).flatten()
        };
        let (c, len) = found.unwrap_or(if rest.starts_with('&') { ('&', 1) } else { ('\\', 1) });
        out.push(c);
        rest = &rest[len..];
    }
    out.push_str(rest);
    out
}

/// The character that a reference at the beginning of the text means, and the reference's length.
fn reference(text: &str) -> Option<(char, usize)> {
    const LONGEST: usize = 10;
    let end = text.bytes().take(LONGEST).position(|b| b == b';')?;
    let name = &text[1..end];
    let c = match name {
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "quot" => '"',
        "apos" => '\'',
        "nbsp" => ' ',
        _ => {
            let number = name.strip_prefix('#')?;
            let code = match number.strip_prefix(['x', 'X']) {
                Some(digits) => u32::from_str_radix(digits, 16).ok()?,
                None => number.parse().ok()?,
            };
            char::from_u32(code)?
        }
    };
    Some((c, end + 1))
}

/// The same for `\u4e2d`; a pair of surrogates is one character.
fn escape(text: &str) -> Option<(char, usize)> {
    let first = escaped_unit(text)?;
    if let Some(c) = char::from_u32(u32::from(first)) {
        return Some((c, 6));
    }
    let pair = [first, escaped_unit(&text[6..])?];
    Some((char::decode_utf16(pair).next()?.ok()?, 12))
}

/// The unit of UTF-16 that a text begins with, as `\u4e2d`.
fn escaped_unit(text: &str) -> Option<u16> {
    let digits = text.strip_prefix("\\u")?.get(..4)?;
    if !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
        return None;
    }
    u16::from_str_radix(digits, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gb18030_field(bytes: &[u8]) -> String {
        Texts::default().field(bytes)
    }

    fn utf16(bytes: &[u8]) -> String {
        Texts::default().utf16(bytes)
    }

    #[test]
    fn fields_end_where_they_end() {
        let cut = &encoding_rs::GB18030.encode(" 中国象棋\r\n").0[..6];
        assert_eq!(gb18030_field(cut), "中国");
        assert_eq!(Texts::default().text(cut), "中国\\xCF");
        assert_eq!(gb18030_field(b"a\0b"), "a");
        assert_eq!(gb18030_field(b"\xff\xff"), "\\xFF\\xFF");
        for (bytes, text) in [
            (&b"a\xffbcd"[..], "a\\xFFbcd"),
            (b"a\xffbc", "a\\xFFbc"),
            (b"a\xffb", "a\\xFFb"),
            (b"\xd6\xd0\xff", "中\\xFF"),
            (b"\xff\xd6", "\\xFF"),
            (b"a\x81\x30\x81", "a"),
            (b"a\x81\x30", "a"),
            (b"a\x81\x30b", "a\\x810b"),
        ] {
            assert_eq!(gb18030_field(bytes), text, "{bytes:x?}");
        }
        let units: Vec<u8> = "将\0rubbish".encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert_eq!(utf16(&units), "将");
        assert_eq!(utf16(&[0x06, 0x5c, 0x00, 0xd8, 0x01]), "将");
        assert_eq!(utf16(&[0x06, 0x5c, 0x00, 0xd8, 0x06, 0x5c]), "将\\uD800将");
        let texts = Texts::default();
        texts.field(b"a\xd6");
        assert!(!texts.is_undecoded());
        texts.field(b"\xff");
        texts.field(b"a");
        assert!(texts.is_undecoded());
        assert_eq!(tidy("a\r\nb\rc\u{1}\t "), "a\nb\nc");
    }

    #[test]
    fn references_are_replaced_once() {
        let read = |text| unescape(text, true);
        assert_eq!(
            read("a&amp;lt; &#20013;&#x56fd;&nbsp;&&x; &#1114112;"),
            "a&lt; 中国 &&x; &#1114112;"
        );
        assert_eq!(read(r"\u4e2d\uD83D\uDE00\ud83d \u12 \n"), "中😀\\ud83d \\u12 \\n");
        assert_eq!(unescape(r"\u4e2d&lt;", false), r"\u4e2d<");
        assert_eq!(read("&国国国国国;"), "&国国国国国;");
    }
}
