//! Batches of positions: a text file with one position per line, or standard input for `-`.

use std::path::Path;

use super::CliError;
use super::input::Input;

/// The longest line that is read, in bytes; a longer one is cut and so refused later.
const MAX_LINE: u64 = 4096;

/// The lines of a batch, one at a time.
pub(crate) struct Fens(Input);

impl Fens {
    /// Opens the batch; `-` is standard input.
    pub(crate) fn open(path: &Path) -> Result<Self, CliError> {
        Input::open(path, MAX_LINE).map(Self)
    }

    /// The file's name, for messages.
    pub(crate) fn name(&self) -> &str {
        self.0.name()
    }

    /// The number of the line read last, from 1.
    pub(crate) const fn number(&self) -> u64 {
        self.0.number()
    }

    /// The next line that is neither blank nor a comment (`#`), without its end and surrounding blanks; `None` at the
    /// end.
    pub(crate) fn next_line(&mut self) -> Result<Option<String>, CliError> {
        while let Some(line) = self.0.next_beginning()? {
            let text = line.trim();
            if !text.is_empty() && !text.starts_with('#') {
                return Ok(Some(text.to_owned()));
            }
        }
        Ok(None)
    }
}
