//! Foreign text on a terminal: characters that would command it, or change the order of its text, are shown
//! escaped.
//!
//! Names of files and of archive members, tags, groups, comments, lines of engines and of errors come from
//! others. All code that prints them does so through this module.

use std::fmt::{self, Display, Write};
use std::io;
use std::path::Path;

use crate::message::Message;

/// Foreign text, shown in one line: control characters (escapes and line ends among them) and characters that
/// have no shape of their own but steer how others are shown are escaped, as `\n` or `\u{1b}`.
///
/// ```
/// use juzhong::bytes::visible::Visible;
/// assert_eq!(Visible("red\u{1b}[31m\n").to_string(), r"red\u{1b}[31m\n");
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Visible<T>(pub T);

impl<T: Display> Display for Visible<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if f.width().is_some() {
            // The width is that of the escaped text, so it must be there as a whole before it is padded.
            let mut text = String::new();
            write!(Escaper { out: &mut text, keeps_lines: false }, "{}", self.0)?;
            return f.pad(&text);
        }
        write!(Escaper { out: f, keeps_lines: false }, "{}", self.0)
    }
}

/// A text of several lines that this program composed of its own and of others' words: line ends and
/// tabulators stay, all else is as with [`Visible`].
#[derive(Debug, Clone, Copy)]
pub struct VisibleLines<T>(pub T);

impl<T: Display> Display for VisibleLines<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(Escaper { out: f, keeps_lines: true }, "{}", self.0)
    }
}

impl From<ShownPath<'_>> for Message {
    fn from(path: ShownPath<'_>) -> Self {
        Self::from(path.to_string())
    }
}

impl Message {
    /// The message with its names and values as [`Visible`] text.
    #[must_use]
    pub fn visible(self) -> Self {
        self.map_texts(|text| Visible(text).to_string())
    }
}

/// The text without what is beyond its first characters, at most `most`.
///
/// ```
/// use juzhong::bytes::visible::first_chars;
/// assert_eq!(first_chars("炮二平五", 2), "炮二");
/// ```
#[must_use]
pub fn first_chars(text: &str, most: usize) -> &str {
    text.char_indices().nth(most).map_or(text, |(end, _)| &text[..end])
}

/// The text without what is beyond its first bytes, at most `most`; no character is cut in two.
///
/// ```
/// use juzhong::bytes::visible::first_bytes;
/// assert_eq!(first_bytes("炮二平五", 7), "炮二");
/// ```
#[must_use]
pub fn first_bytes(text: &str, most: usize) -> &str {
    &text[..text.floor_char_boundary(most)]
}

/// Shows paths.
pub trait ShowPath {
    /// The path as [`Visible`] text; bytes that are not UTF-8 are shown as `\xff`.
    fn shown(&self) -> ShownPath<'_>;
}

impl ShowPath for Path {
    fn shown(&self) -> ShownPath<'_> {
        ShownPath(self)
    }
}

/// A path that is shown.
#[derive(Debug, Clone, Copy)]
pub struct ShownPath<'a>(&'a Path);

impl Display for ShownPath<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for chunk in self.0.as_os_str().as_encoded_bytes().utf8_chunks() {
            Visible(chunk.valid()).fmt(f)?;
            chunk.invalid().iter().try_for_each(|byte| write!(f, "\\x{byte:02x}"))?;
        }
        Ok(())
    }
}

/// Returns true if the character is shown escaped.
#[must_use]
pub const fn is_hidden(c: char) -> bool {
    matches!(
        c,
        '\0'..='\x1f' | '\x7f'..='\u{9f}'
            | '\u{61c}' // Arabic letter mark
            | '\u{200b}'..='\u{200f}' // no width, joiners, marks of direction
            | '\u{2028}'..='\u{202e}' // separators, embeddings and overrides of direction
            | '\u{2060}'..='\u{206f}' // invisible operators, isolates of direction
            | '\u{feff}' | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e007f}' // tags
    )
}

/// The escape style of a [`VisibleWriter`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// As [`VisibleLines`] does; bytes that are not UTF-8 as `\xff`.
    Text,
    /// As `\u001b`, which means the same in JSON: there such characters stand in strings only.
    Json,
}

/// A writer for the output of a command that escapes all hidden characters but line ends and tabulators: the
/// last guard, should foreign text have come that far unescaped.
pub struct VisibleWriter<'a> {
    out: &'a mut dyn io::Write,
    form: Form,
    /// The beginning of a character.
    part: Vec<u8>,
}

impl fmt::Debug for VisibleWriter<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("VisibleWriter").field("form", &self.form).finish_non_exhaustive()
    }
}

impl<'a> VisibleWriter<'a> {
    /// Writes to `out`.
    pub fn new(out: &'a mut dyn io::Write, form: Form) -> Self {
        Self { out, form, part: Vec::new() }
    }

    fn text(&mut self, text: &str) -> io::Result<()> {
        match self.form {
            Form::Text => write!(self.out, "{}", VisibleLines(text)),
            Form::Json => self.json(text),
        }
    }

    fn json(&mut self, mut rest: &str) -> io::Result<()> {
        while let Some(at) = rest.find(|c| is_hidden(c) && !matches!(c, '\n' | '\t')) {
            self.out.write_all(&rest.as_bytes()[..at])?;
            let mut chars = rest[at..].chars();
            // JSON has escapes of UTF-16 units: two for a character beyond the first plane.
            let mut units = [0; 2];
            for unit in chars.next().unwrap_or_default().encode_utf16(&mut units) {
                write!(self.out, "\\u{unit:04x}")?;
            }
            rest = chars.as_str();
        }
        self.out.write_all(rest.as_bytes())
    }

    fn bytes(&mut self, bytes: &[u8], is_end: bool) -> io::Result<()> {
        let mut chunks = bytes.utf8_chunks().peekable();
        while let Some(chunk) = chunks.next() {
            self.text(chunk.valid())?;
            let rest = chunk.invalid();
            // A character that may go on in the next piece.
            let is_open = !is_end
                && chunks.peek().is_none()
                && str::from_utf8(rest).is_err_and(|error| error.error_len().is_none());
            if is_open {
                self.part = rest.to_vec();
            } else {
                rest.iter().try_for_each(|byte| write!(self.out, "\\x{byte:02x}"))?;
            }
        }
        Ok(())
    }
}

impl io::Write for VisibleWriter<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.part.is_empty() {
            self.bytes(bytes, false)?;
        } else {
            let whole = [std::mem::take(&mut self.part).as_slice(), bytes].concat();
            self.bytes(&whole, false)?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let part = std::mem::take(&mut self.part);
        self.bytes(&part, true)?;
        self.out.flush()
    }
}

struct Escaper<'a, W> {
    out: &'a mut W,
    keeps_lines: bool,
}

impl<W: Write> Write for Escaper<'_, W> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let mut rest = text;
        while let Some(at) =
            rest.find(|c| is_hidden(c) && !(self.keeps_lines && matches!(c, '\n' | '\t')))
        {
            self.out.write_str(&rest[..at])?;
            let mut chars = rest[at..].chars();
            if let Some(c) = chars.next() {
                write!(self.out, "{}", c.escape_default())?;
            }
            rest = chars.as_str();
        }
        self.out.write_str(rest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_commands_a_terminal_is_shown() {
        let text = "a\u{1b}]0;x\u{7}\r\n\t\u{9b}31m\u{202e}炮\u{7f}é\\";
        let shown = r"a\u{1b}]0;x\u{7}\r\n\t\u{9b}31m\u{202e}炮\u{7f}é\";
        assert_eq!(Visible(text).to_string(), shown);
        assert_eq!(VisibleLines("a\n\tb\u{1b}\r").to_string(), "a\n\tb\\u{1b}\\r");
        assert_eq!(format!("{:>4}|{:<4}|", Visible("a"), Visible("\n")), "   a|\\n  |");
    }

    #[cfg(unix)]
    #[test]
    fn paths_show_their_bytes() {
        use std::os::unix::ffi::OsStrExt;
        let path = Path::new(std::ffi::OsStr::from_bytes(b"a\xff/\x1b[2J\xe7\x82\xae\n"));
        assert_eq!(path.shown().to_string(), r"a\xff/\u{1b}[2J炮\n");
    }

    #[test]
    fn pieces_of_characters_are_put_together() {
        use io::Write as _;
        let mut out = Vec::new();
        let mut writer = VisibleWriter::new(&mut out, Form::Text);
        for byte in "a炮\u{1b}\u{9b}\u{202e}\n".bytes() {
            writer.write_all(&[byte]).unwrap();
        }
        writer.write_all(b"\x9b\xe7").unwrap();
        writer.flush().unwrap();
        let shown = "a炮\\u{1b}\\u{9b}\\u{202e}\n\\x9b\\xe7";
        assert_eq!(String::from_utf8(out).unwrap(), shown);
    }

    proptest! {
        #[test]
        fn nothing_hidden_comes_out_and_json_means_the_same(
            text: String, more in "[\\x00-\\x{9f}\u{202e}\u{e0001}]*", cut in 1usize..9,
        ) {
            use io::Write as _;
            let text = text + &more;
            prop_assert!(!Visible(&text).to_string().contains(is_hidden));
            let mut json = Vec::new();
            let mut writer = VisibleWriter::new(&mut json, Form::Json);
            let all = serde_json::json!([text]).to_string();
            for piece in all.as_bytes().chunks(cut) {
                writer.write_all(piece).unwrap();
            }
            writer.flush().unwrap();
            let json = String::from_utf8(json).unwrap();
            prop_assert!(!json.contains(is_hidden));
            let back: Vec<String> = serde_json::from_str(&json).unwrap();
            prop_assert_eq!(&back[0], &text);
        }
    }
}
