//! Batches of positions: a text file with one position per line, or standard input for `-`.

use std::path::Path;

use serde::Serialize;

use super::input::Input;
use crate::cli::{CliError, exit};
use juzhong::answers::Refusal;

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

/// The answer to a line that gives no position.
#[derive(Debug, Serialize)]
pub(crate) struct BadLine {
    fen: String,
    error: LineFault,
}

/// The fault of a line.
#[derive(Debug, Serialize)]
struct LineFault {
    /// The exit code that it leads to.
    code: u8,
    message: String,
}

impl BadLine {
    pub(crate) fn new(line: String, refusal: &Refusal) -> Self {
        let message = refusal.to_string();
        Self { fen: line, error: LineFault { code: exit::BAD_DATA, message } }
    }
}
