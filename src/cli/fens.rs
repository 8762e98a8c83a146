//! Batches of positions: a text file with one position per line, or standard input for `-`.

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;

use super::{CliError, OrExit, exit};
use crate::bytes::read_line;

/// The longest line that is read, in bytes; a longer one is cut and so refused later.
const MAX_LINE: u64 = 4096;

/// The lines of a batch, one at a time.
pub(super) struct Fens {
    reader: Box<dyn BufRead>,
    name: String,
    /// Lines read so far.
    number: u64,
}

impl Fens {
    /// Opens the batch; `-` is standard input.
    pub(super) fn open(path: &Path) -> Result<Self, CliError> {
        if path.as_os_str() == "-" {
            return Ok(Self {
                reader: Box::new(io::stdin().lock()),
                name: "stdin".to_owned(),
                number: 0,
            });
        }
        let name = path.display().to_string();
        let file =
            File::open(path).or_exit_with(exit::NO_INPUT, || format!("cannot open {name}"))?;
        Ok(Self { reader: Box::new(BufReader::new(file)), name, number: 0 })
    }

    /// The file's name, for messages.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// The number of the line read last, from 1.
    pub(super) const fn number(&self) -> u64 {
        self.number
    }

    /// The next line that is not blank, without its end and surrounding blanks; `None` at the end.
    pub(super) fn next_line(&mut self) -> Result<Option<String>, CliError> {
        loop {
            let line = read_line(&mut self.reader, MAX_LINE);
            let line = line.or_exit_with(exit::IO, || format!("cannot read {}", self.name))?;
            self.number += 1;
            match line.as_deref().map(str::trim) {
                None => return Ok(None),
                Some("") => {}
                Some(text) => return Ok(Some(text.to_owned())),
            }
        }
    }
}
