//! Games of an index written to a file or to standard output.

use std::io::Write;
use std::path::{Path, PathBuf};

use crate::cli::args::packed_file::{PackedFile, format_by_ending};
use crate::cli::print::terminal::Terminal;
use crate::cli::{CliError, Context, OrExit, exit, notice};
use juzhong::answers::{AnswerError, read_game};
use juzhong::bytes::lock::FileLock;
use juzhong::bytes::visible::ShowPath;
use juzhong::collection::{GameIndex, IndexedGame};
use juzhong::message::message;
use juzhong::record::{Format, PgnOptions, WriteOptions};
use juzhong::xiangqi::notation::MoveNotation;

/// The name of standard output.
const STANDARD: &str = "-";

/// The way in which games are written.
#[derive(Debug, clap::Args)]
pub(crate) struct OutputArgs {
    /// Write the games to a new file, packed if its name ends with .zst or .gz; - writes them to standard output.
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    output: Option<PathBuf>,
    /// Format of the games, such as pgn or jsonl [default: by the ending of the file, else pgn or psq].
    #[arg(long, value_name = "FORMAT", help_heading = "Output")]
    to: Option<Format>,
    /// Notation of moves in PGN.
    #[arg(long, value_name = "NOTATION", help_heading = "Output")]
    notation: Option<MoveNotation>,
}

impl OutputArgs {
    /// Returns true if games are to be written.
    pub(crate) const fn is_given(&self) -> bool {
        self.output.is_some() || self.to.is_some()
    }

    /// The notation that was asked for.
    pub(crate) const fn notation(&self) -> Option<MoveNotation> {
        self.notation
    }

    /// Returns true if standard output is for games.
    pub(crate) fn is_standard(&self) -> bool {
        self.is_given() && self.output.as_deref().is_none_or(|path| path == Path::new(STANDARD))
    }

    fn format<G: Terminal>(&self) -> Result<Format, CliError> {
        if let Some(format) = self.to {
            if G::WRITTEN.contains(&format) {
                return Ok(format);
            }
            let message =
                message!("--to {}: games of {} are not written so", format.name(), G::NAME);
            return Err(CliError::message(exit::USAGE, message));
        }
        let Some(path) = self.output.as_deref().filter(|path| *path != Path::new(STANDARD)) else {
            return Ok(G::WRITTEN[0]);
        };
        format_by_ending(path, G::WRITTEN).ok_or_else(|| {
            let message =
                message!("{}: no format has this ending; give one with --to", path.shown());
            CliError::message(exit::USAGE, message)
        })
    }
}

/// A file to which games are written, or standard output.
pub(crate) struct GameOutput<'a> {
    file: Option<(PackedFile, &'a Path)>,
    out: &'a mut dyn Write,
    _lock: Option<FileLock>,
    format: Format,
    options: WriteOptions,
    written: u64,
    left_out: u64,
}

impl<'a> GameOutput<'a> {
    /// Opens the output.
    pub(crate) fn open<G: Terminal>(
        args: &'a OutputArgs,
        out: &'a mut dyn Write,
    ) -> Result<Self, CliError> {
        let format = args.format::<G>()?;
        let path = args.output.as_deref().filter(|path| *path != Path::new(STANDARD));
        // Taken before the check that no such file exists, so that no other run of this program creates it in between.
        let lock = path.map(FileLock::take_for_file).transpose()?.flatten();
        let file = path.map(|path| {
            if path.exists() {
                let message =
                    message!("{}: already exists; choose another name for --output", path.shown());
                return Err(CliError::message(exit::CANNOT_CREATE, message));
            }
            let file = PackedFile::create(path);
            let file = file.or_exit_at(exit::CANNOT_CREATE, path)?;
            Ok((file, path))
        });
        let pgn =
            PgnOptions { notation: args.notation.unwrap_or_default(), ..PgnOptions::default() };
        let options = WriteOptions { pgn, ..WriteOptions::default() };
        let file = file.transpose()?;
        Ok(Self { file, out, _lock: lock, format, options, written: 0, left_out: 0 })
    }

    /// Writes a game of the index. One that is too long for it, or that the format cannot hold, is left out and counted.
    pub(crate) fn write<G: Terminal>(
        &mut self,
        index: &GameIndex,
        game: &IndexedGame,
    ) -> Result<(), CliError> {
        if self.written > 0 && !self.format.holds_many() {
            let message =
                message!("{} holds one game a file; choose pgn or jsonl", self.format.name());
            return Err(CliError::message(exit::USAGE, message));
        }
        let stored = index.game(&game.number.to_string()).map_err(AnswerError::from)?;
        let json = stored.and_then(|game| game.json);
        let record = json.and_then(|json| read_game::<G>(json.as_bytes()).ok());
        let Some(parsed) = record else {
            self.left_out += 1;
            return Ok(());
        };
        let mut text = Vec::new();
        if G::write_record(&mut text, &parsed.record, self.format, &self.options).is_err() {
            self.left_out += 1;
            return Ok(());
        }
        match &mut self.file {
            Some((file, path)) => {
                file.write_all(&text).or_exit_at(exit::IO, path)?;
            }
            None => self.out.write_all(&text)?,
        }
        self.written += 1;
        Ok(())
    }

    /// Completes the file; returns the number of games in it.
    pub(crate) fn close(self) -> Result<u64, CliError> {
        if let Some((file, path)) = self.file {
            file.commit().or_exit_at(exit::CANNOT_CREATE, path)?;
        }
        if self.left_out > 0 {
            notice(message!(
                "{} games left out: too long for the index, or not to be written in this format",
                self.left_out
            ));
        }
        Ok(self.written)
    }
}

/// Refuses games and JSON on standard output at the same time.
pub(crate) fn refuse_both(output: &OutputArgs, context: &Context<'_>) -> Result<(), CliError> {
    if output.is_standard() && context.common.json {
        let message = "-o - and --json both write to standard output; name a file after -o";
        return Err(CliError::message(exit::USAGE, message));
    }
    Ok(())
}
