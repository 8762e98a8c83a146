//! Lines of text from outside, in bounded memory and without loss.

use std::io::{self, BufRead, Read};

/// A line as it was read, with its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RawLine {
    /// Its bytes, at most as many as were asked for.
    pub bytes: Vec<u8>,
    /// True if the line goes on: its rest is still to be read.
    pub is_cut: bool,
}

/// A reason why a line cannot be read as text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error, crate::message::ToMessage)]
#[non_exhaustive]
pub enum LineError {
    /// It is longer than this number of bytes.
    #[error("a line of more than {0} bytes")]
    TooLong(usize),
    /// Its bytes stand for no characters.
    #[error("neither UTF-8 nor GB18030; save it as UTF-8")]
    NotText,
}

/// Reads one line with its end, and no more than `max` bytes of it. `None` at the end of the input.
///
/// # Errors
///
/// Those of reading.
pub fn read_line(input: &mut impl BufRead, max: u64) -> io::Result<Option<RawLine>> {
    let mut bytes = Vec::new();
    if input.by_ref().take(max).read_until(b'\n', &mut bytes)? == 0 {
        return Ok(None);
    }
    let is_cut = bytes.len() as u64 == max && bytes.last() != Some(&b'\n');
    // A line that has just as many bytes, and ends with the input, is whole.
    let is_cut = is_cut && !input.fill_buf()?.is_empty();
    Ok(Some(RawLine { bytes, is_cut }))
}

impl RawLine {
    /// The text of a line that is UTF-8 or else, as programs from China write, GB18030.
    ///
    /// # Errors
    ///
    /// [`LineError`].
    pub fn text(self) -> Result<String, LineError> {
        if self.is_cut {
            return Err(LineError::TooLong(self.bytes.len()));
        }
        decode(self.bytes).map_err(|_| LineError::NotText)
    }

    /// The text as in [`text`](Self::text), where need be cut; bytes that are no characters stand
    /// in it as `\xff`.
    #[must_use]
    pub fn readable(self) -> String {
        readable(self.bytes)
    }
}

/// The text of bytes that are UTF-8 or GB18030; else bytes that are no UTF-8 stand in it as `\xff`.
#[must_use]
pub fn readable(bytes: Vec<u8>) -> String {
    decode(bytes).unwrap_or_else(|bytes| {
        bytes
            .utf8_chunks()
            .map(|chunk: std::str::Utf8Chunk<'_>| {
                let bad = chunk.invalid().iter().map(|byte| format!("\\x{byte:02x}"));
                std::iter::once(chunk.valid().to_owned()).chain(bad).collect::<String>()
            })
            .collect()
    })
}

fn decode(bytes: Vec<u8>) -> Result<String, Vec<u8>> {
    String::from_utf8(bytes).or_else(|error| {
        let bytes = error.into_bytes();
        let table = encoding_rs::GB18030;
        let text = table.decode_without_bom_handling_and_without_replacement(&bytes);
        text.map(std::borrow::Cow::into_owned).ok_or(bytes)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_are_cut_and_nothing_is_lost() {
        let mut input: &[u8] = b"ab\r\nlong line\nexact\n12345";
        let mut lines = Vec::new();
        while let Some(line) = read_line(&mut input, 5).unwrap() {
            lines.push((String::from_utf8(line.bytes).unwrap(), line.is_cut));
        }
        let expected = [
            ("ab\r\n", false),
            ("long ", true),
            ("line\n", false),
            ("exact", true),
            ("\n", false),
            ("12345", false),
        ];
        assert_eq!(lines, expected.map(|(text, is_cut)| (text.to_owned(), is_cut)));
    }

    #[test]
    fn what_is_no_text_is_not_guessed() {
        let line = |bytes: &[u8]| RawLine { bytes: bytes.to_vec(), is_cut: false };
        assert_eq!(line("炮\n".as_bytes()).text().unwrap(), "炮\n");
        let gbk = encoding_rs::GB18030.encode("象棋\n").0;
        assert_eq!(line(&gbk).text().unwrap(), "象棋\n");
        assert_eq!(line(b"a\xff\n").text(), Err(LineError::NotText));
        assert_eq!(line(b"a\xff\n").readable(), "a\\xff\n");
        let cut = RawLine { is_cut: true, ..line(b"abc") };
        assert_eq!(cut.text(), Err(LineError::TooLong(3)));
    }
}
