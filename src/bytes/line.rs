//! Lines of text from outside, in bounded memory.

use std::io::{self, BufRead, Read};

/// Reads one line with its end; bytes that are not UTF-8 become replacement characters, and what a
/// line has beyond `max` bytes is dropped. `None` at the end of the input.
///
/// # Errors
///
/// Those of reading.
pub fn read_line(input: &mut impl BufRead, max: u64) -> io::Result<Option<String>> {
    let mut bytes = Vec::new();
    if input.by_ref().take(max).read_until(b'\n', &mut bytes)? == 0 {
        return Ok(None);
    }
    if bytes.last() != Some(&b'\n') {
        input.skip_until(b'\n')?;
    }
    Ok(Some(String::from_utf8_lossy(&bytes).into_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_are_cut_and_bad_bytes_replaced() {
        let mut input: &[u8] = b"ab\r\nlong line\n\xff\nend";
        let mut lines = Vec::new();
        while let Some(line) = read_line(&mut input, 5).unwrap() {
            lines.push(line);
        }
        assert_eq!(lines, ["ab\r\n", "long ", "\u{fffd}\n", "end"]);
    }
}
