//! `juzhong convert`.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use indicatif::{ProgressBar, ProgressFinish, ProgressStyle};

use crate::cli::args::game_filter::{GameFilter, GameFilterArgs, SearchArgs};
use crate::cli::args::game_input::{
    STANDARD, find_inputs, interrupted, no_game, read_file, refuse_input_as_output,
    temporary_folder,
};
use crate::cli::args::line_args::BoardArgs;
use crate::cli::args::packed_file::{PackedFile, target_by_ending};
use crate::cli::args::picture::{LookArgs, refused};
use crate::cli::interrupt::{self, stop_flag};
use crate::cli::print::listing::{Listing, show_some};
use crate::cli::print::read_summary;
use crate::cli::print::terminal::Terminal;
use crate::cli::{CliError, Context, OrExit, exit, notice, with_game, write_answer};
use crate::language::{self, Language, counts, text};
use juzhong::answers::{ConvertReport, read_size};
use juzhong::bytes::atomic::{folder_beside, place_folder};
use juzhong::bytes::lock::FileLock;
use juzhong::bytes::visible::ShowPath;
use juzhong::game::Symmetric;
use juzhong::message::{Message, ToMessage, message};
use juzhong::picture::{
    MAX_FILM_WIDTH, MIN_WIDTH, PictureError, PresentationOptions, Reader, Target,
};
use juzhong::record::{
    BadGame, Dropped, Encoding, Format, Keep, ParsedGame, PgnOptions, ReadOptions, ReadSummary,
    WriteError, WriteOptions, tell_words,
};
use juzhong::xiangqi::notation::MoveNotation;

/// Convert game records between formats, notations and encodings.
///
/// Inputs of all formats may be mixed; their games are written in the order of the paths.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Game files in any format, plain, compressed (.zst, .gz, .xz, .bz2) or in archives (.zip, .tar, .7z), and folders
    /// of them, searched recursively; - reads standard input, up to 16 GiB.
    #[arg(required = true)]
    inputs: Vec<PathBuf>,
    /// Output file; - is standard output. Output is compressed if the name ends in .zst or .gz. A name that ends in /
    /// is a new folder with one file per game.
    #[arg(short, long, help_heading = "Output")]
    output: PathBuf,
    /// Output format: pgn, jsonl, plain, xqf or dhtmlxq; for gomoku jsonl, moves, psq, rec, sgf, lib, offsets, bdt or
    /// pos; for people gif (the game as a picture that moves) or html (a page to be read and printed) [default: by the extension of the output; on standard output pgn, for gomoku jsonl].
    #[arg(long, help_heading = "Output")]
    to: Option<Target>,
    /// Move notation in pgn and plain: uci, iccs, wxf or chinese. JSONL always uses uci, html without a choice that of
    /// --lang.
    #[arg(long, default_value_t = MoveNotation::Chinese, help_heading = "Output")]
    notation: MoveNotation,
    /// Text encoding: utf-8, gb18030 or big5 (with moves in traditional characters).
    #[arg(long, default_value = "utf-8", help_heading = "Output")]
    encoding: Encoding,
    /// Write ? for characters missing in the encoding instead of failing.
    #[arg(long, help_heading = "Output")]
    replace: bool,
    /// Gomoku: board size for files that do not state it (lists of moves and offsets), such as 15 or 19x19 [default:
    /// 15, or 20 if a move needs it].
    #[arg(long, help_heading = "Input")]
    size: Option<String>,
    /// Fail on bad games instead of skipping them.
    #[arg(long, help_heading = "Input")]
    strict: bool,
    /// Keep the moves before an illegal one, or before the end of a truncated file, instead of skipping the game; such
    /// games are counted, and listed by --rejects. Without --strict this is the default for a single file.
    #[arg(long, help_heading = "Input")]
    keep_legal_part: bool,
    /// List skipped games in a new file. Tab-separated: file, line (in binary files the byte offset, as in @6699), game
    /// and reason.
    #[arg(long, help_heading = "Input")]
    rejects: Option<PathBuf>,
    #[command(flatten, next_help_heading = "Filters")]
    games: GameFilterArgs,
    #[command(flatten, next_help_heading = "Filters")]
    search: SearchArgs,
    /// Width of a gif in pixels.
    #[arg(long, value_name = "PIXELS", default_value_t = FILM_WIDTH, help_heading = "Pictures", value_parser = clap::value_parser!(u32).range(i64::from(MIN_WIDTH)..=i64::from(MAX_FILM_WIDTH)))]
    width: u32,
    #[command(flatten)]
    look: LookArgs,
}

/// Pixels of a picture that moves, as the page in the browser makes it.
const FILM_WIDTH: u32 = 540;

impl Args {
    /// Returns true if standard output is for programs.
    pub(crate) fn writes_data(&self) -> bool {
        self.output == Path::new(STANDARD)
    }
}

pub(crate) fn run(args: &Args, context: &mut Context<'_>) -> Result<u8, CliError> {
    with_game!(context.common.game, G => run_game::<G>(args, context))
}

fn run_game<G: Terminal + Symmetric>(
    args: &Args,
    context: &mut Context<'_>,
) -> Result<u8, CliError> {
    let format = args.format::<G>()?;
    let reading = args.reading::<G>()?;
    let inputs = find_inputs::<G>(&args.inputs)?;
    refuse_input_as_output(&inputs.files, &args.output)?;
    stop_flag(); // from here on an interrupt ends in good order
    let listing = Listing::open(args.rejects.as_deref(), &args.output)?;
    let to_stdout = args.output == Path::new(STANDARD);
    let filter = GameFilter::new::<G>(&args.games, &args.search)?;
    let mut work = Work {
        output: Output::open(args, format, context.out)?,
        format,
        options: args.options(reading.board),
        shown: args.shown(context.typed.contains("notation")),
        listing,
        report: Report::default(),
        first_bad: None,
        reading,
        is_strict: args.strict,
        filter,
        bar: progress_bar(to_stdout),
    };
    let folder = temporary_folder(&args.output);
    for file in &inputs.files {
        work.file::<G>(file, &folder)?;
    }
    let Work { output, mut report, first_bad, listing, bar, .. } = work;
    bar.finish_and_clear();
    if args.strict
        && let Some(bad) = &first_bad
    {
        listing.close_with_error()?;
        let message = message!("{bad} (leave out --strict to skip bad games)");
        return Err(CliError::message(exit::BAD_DATA, message));
    }
    if report.read.games == 0 {
        listing.close_with_error()?;
        return Err(no_game(&inputs, first_bad));
    }
    if report.read.games == report.filtered {
        listing.close()?;
        let message = message!("none of {} games meets the conditions", report.filtered);
        return Err(CliError::message(exit::FAILED, message));
    }
    output.close()?;
    listing.close()?;
    show_some("no game files in", &inputs.empty);
    report.read.skipped += inputs.skipped.len() as u64;
    report.show_dropped(format);
    report.tell(args, format, inputs.files.len(), (!to_stdout).then_some(context))?;
    Ok(exit::OK)
}

impl Args {
    /// The format to write.
    fn format<G: Terminal>(&self) -> Result<Target, CliError> {
        let format = match self.to.or_else(|| target_by_ending(&self.output, G::FORMATS)) {
            Some(format) => format,
            None if self.output == Path::new(STANDARD) => Target::Record(G::WRITTEN[0]),
            None => {
                let output = self.output.shown();
                let message = message!("{output}: no format has this ending; give one with --to");
                return Err(CliError::message(exit::USAGE, message));
            }
        };
        if format == Target::Record(Format::Jsonl) && self.encoding != Encoding::Utf8 {
            let message = "JSONL is UTF-8 always; leave --encoding out";
            return Err(CliError::message(exit::USAGE, message));
        }
        if format == Target::Record(Format::Xqf) && self.encoding == Encoding::Big5 {
            let message = "XQF is GB18030 always; leave --encoding out";
            return Err(CliError::message(exit::USAGE, message));
        }
        if matches!(format, Target::Shown(_)) && self.encoding != Encoding::Utf8 {
            let message = message!("{format} has no choice of encoding; leave --encoding out");
            return Err(CliError::message(exit::USAGE, message));
        }
        Ok(format)
    }

    /// The way in which games are shown to people.
    fn shown(&self, is_notation_given: bool) -> PresentationOptions<'static> {
        let language = Language::current();
        let notation = if is_notation_given { self.notation } else { language.notation() };
        let reader = Reader { language: language.tag(), notation, translate: &language::said };
        PresentationOptions { look: self.look.look(notation), width: self.width, reader }
    }

    fn options(&self, board: Option<(u8, u8)>) -> WriteOptions {
        let traditional = self.encoding == Encoding::Big5;
        let pgn = PgnOptions { notation: self.notation, traditional, ..PgnOptions::default() };
        WriteOptions { pgn, encoding: self.encoding, replace: self.replace, board }
    }

    /// The way in which games are read: a single file is opened for a person.
    fn reading<G: Terminal>(&self) -> Result<ReadOptions, CliError> {
        let is_single = match self.inputs.as_slice() {
            [input] => input.as_path() == Path::new(STANDARD) || input.is_file(),
            _ => false,
        };
        let keep = match (self.strict, self.keep_legal_part) {
            (_, true) => Keep::LegalPart,
            (false, false) if is_single => Keep::Opened,
            _ => Keep::Nothing,
        };
        let board = self.size.as_deref().map(board_size::<G>).transpose()?;
        Ok(ReadOptions { keep, board })
    }
}

/// Width and height of a board as `--size` has them.
fn board_size<G: Terminal>(size: &str) -> Result<(u8, u8), CliError> {
    let board = BoardArgs { size: Some(size.to_owned()), ..BoardArgs::default() };
    board.start::<G>()?;
    read_size(size).map_err(|error| CliError::message(exit::USAGE, error))
}

/// The counts of what was read and of what was dropped.
#[derive(Debug, Default)]
struct Report {
    read: ReadSummary,
    /// Good games that the conditions left out.
    filtered: u64,
    dropped: Dropped,
}

impl Report {
    /// Says what the format has no room for, and what was read otherwise than the files state.
    fn show_dropped(&self, format: Target) {
        let Dropped { variations, comments, tags, results } = self.dropped;
        let parts = [
            (variations, counts::variations(variations)),
            (comments, counts::comments(comments)),
            (tags, counts::tags(tags)),
            (results, counts::results(results)),
        ];
        for (_, what) in parts.into_iter().filter(|&(count, _)| count > 0) {
            notice(text!("{what} left out: {format} has no room for that"));
        }
        read_summary::tell_all(&self.read);
    }

    /// Sums up, on standard error if the games went to standard output.
    fn tell(
        &self,
        args: &Args,
        format: Target,
        files: usize,
        context: Option<&mut Context<'_>>,
    ) -> Result<(), CliError> {
        let ReadSummary { games, bad, cut_variations, noted, skipped, undecoded, cut, .. } =
            self.read;
        let ReadSummary { guessed, skipped_words, .. } = self.read;
        let (games, filtered) = (games - self.filtered, self.filtered);
        let output = args.output.display();
        let (counted, files_read) = (counts::games(games), counts::files(files));
        let mut text = text!("{counted} of {files_read}, {bad} bad left out");
        if filtered > 0 {
            text += &text!(", {filtered} others not meeting the conditions");
        }
        if skipped > 0 {
            text += &text!(", {skipped} files without games passed over (-v names them)");
        }
        let Some(context) = context else {
            notice(text);
            return Ok(());
        };
        if context.common.json {
            let answer = ConvertReport {
                schema: ConvertReport::SCHEMA,
                output: output.to_string(),
                format: format.name(),
                files,
                games,
                bad,
                filtered,
                skipped,
                cut_variations,
                noted,
                undecoded,
                cut,
                guessed,
                skipped_words,
                dropped: self.dropped.into(),
            };
            write_answer(context.out, &answer)?;
        } else {
            writeln!(context.out, "{}: {text}", args.output.shown())?;
        }
        Ok(())
    }
}

/// Games on their way.
struct Work<'a, 'b> {
    output: Output<'a>,
    format: Target,
    options: WriteOptions,
    shown: PresentationOptions<'static>,
    listing: Listing<'b>,
    report: Report,
    first_bad: Option<Message>,
    reading: ReadOptions,
    /// A bad game is to be an error.
    is_strict: bool,
    filter: GameFilter,
    /// Counts the games; nothing where standard error is no terminal.
    bar: ProgressBar,
}

/// A count of games: how many there will be is known at the end only. None where the games themselves may go to
/// the terminal.
fn progress_bar(to_stdout: bool) -> ProgressBar {
    if to_stdout {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("{spinner} converting, {pos} games {elapsed}")
        .unwrap_or_else(|_| ProgressStyle::default_spinner());
    ProgressBar::new_spinner().with_style(style).with_finish(ProgressFinish::AndClear)
}

impl Work<'_, '_> {
    /// Converts the games of one file.
    fn file<G: Terminal + Symmetric>(
        &mut self,
        path: &Path,
        folder: &Path,
    ) -> Result<(), CliError> {
        let reading = self.reading;
        let mut sink = |source: &str, game| self.game::<G>(source, game);
        let read = read_file(path, folder, reading, &mut sink)?;
        self.report.read += read;
        Ok(())
    }

    fn game<G: Terminal + Symmetric>(
        &mut self,
        source: &str,
        game: Result<ParsedGame<G>, BadGame>,
    ) -> Result<(), CliError> {
        if interrupt::is_requested() {
            return Err(interrupted());
        }
        self.bar.inc(1);
        match game {
            Ok(game) => {
                // With --strict the lines are held back: the error at the end replaces the first of them.
                if !self.is_strict {
                    self.listing.release(&self.bar);
                }
                if let Some(note) = game.note.filter(|_| game.cut.is_none()) {
                    let is_opened = self.reading.keep == Keep::Opened;
                    let listing = &mut self.listing;
                    self.bar.suspend(|| match is_opened {
                        true => listing.add_note(source, &game),
                        false => tracing::info!("{}: {note}", game.place.within(source)),
                    });
                }
                if let Some(words) = &game.words {
                    self.bar.suspend(|| tell_words(&game.place.within(source), words));
                }
                if let Some(cut) = &game.cut {
                    let listing = &mut self.listing;
                    self.bar.suspend(|| listing.add_cut(cut, &game.record));
                }
                if !self.filter.is_empty() && !self.filter.admits(&game.record) {
                    self.report.filtered += 1;
                    return Ok(());
                }
                self.write(source, &game)
            }
            Err(bad) => {
                self.first_bad.get_or_insert_with(|| bad.message());
                let listing = &mut self.listing;
                self.bar.suspend(|| listing.add_bad(&bad));
                Ok(())
            }
        }
    }

    fn write<G: Terminal>(&mut self, source: &str, game: &ParsedGame<G>) -> Result<(), CliError> {
        let record = &game.record;
        let written = match self.format {
            Target::Record(format) => {
                let options = &self.options;
                self.output.game(|out| Ok(G::write_record(out, record, format, options)?))
            }
            Target::Shown(presentation) => {
                let options = &self.shown;
                self.output.game(|out| Ok(presentation.write(out, record, options)?))
            }
        };
        match written {
            Ok(dropped) => {
                self.report.dropped += dropped;
                Ok(())
            }
            Err(Refusal::Output(error)) => Err(error),
            Err(
                Refusal::Picture(PictureError::Io(error)) | Refusal::Game(WriteError::Io(error)),
            ) => Err(self.output.failed(error)),
            Err(Refusal::Picture(error)) => {
                let place = game.place.within(source);
                Err(refused(error).within(message!("{place}: game {}", game.game)))
            }
            Err(Refusal::Game(error @ WriteError::NoWriter(..))) => {
                Err(CliError::new(exit::USAGE, error))
            }
            Err(Refusal::Game(error)) => {
                let place = game.place.within(source);
                let option = match error {
                    WriteError::Unencodable(..) => " (--replace)",
                    _ => "",
                };
                let message = message!("{place}: game {}: {error}{option}", game.game);
                Err(CliError::message(exit::BAD_DATA, message))
            }
        }
    }
}

/// Returns true if a file in an output folder has a name as [`Output::game`] makes it.
fn is_game_file(name: &str) -> bool {
    name.split_once('.').is_some_and(|(number, _)| {
        // Numbers have six digits, and more of them from the millionth game on.
        number.len() >= 6 && number.bytes().all(|byte| byte.is_ascii_digit())
    })
}

/// The destination of the games.
enum Output<'a> {
    Standard {
        out: &'a mut dyn Write,
        /// A picture or a page, and whether it was written: several are no file.
        single: Option<bool>,
    },
    File {
        path: &'a Path,
        /// A format that holds one game a file, and whether it was written.
        single: Option<bool>,
        file: Box<PackedFile>,
        /// The right to write it.
        _lock: Option<FileLock>,
    },
    Folder {
        path: &'a Path,
        folder: tempfile::TempDir,
        format: Target,
        games: u64,
        /// The right to write it.
        _lock: FileLock,
    },
}

/// The reason why a game was not written.
enum Refusal {
    Game(WriteError),
    Picture(PictureError),
    Output(CliError),
}

impl From<WriteError> for Refusal {
    fn from(error: WriteError) -> Self {
        Self::Game(error)
    }
}

impl From<PictureError> for Refusal {
    fn from(error: PictureError) -> Self {
        Self::Picture(error)
    }
}

impl<'a> Output<'a> {
    fn open(args: &'a Args, format: Target, out: &'a mut dyn Write) -> Result<Self, CliError> {
        let path = args.output.as_path();
        if path == Path::new(STANDARD) {
            let single = matches!(format, Target::Shown(_)).then_some(false);
            return Ok(Self::Standard { out, single });
        }
        // The components of a path do not show a separator at its end, the bytes do.
        let last = path.as_os_str().as_encoded_bytes().last();
        if last.is_some_and(|&byte| std::path::is_separator(char::from(byte))) {
            if fs::read_dir(path).is_ok_and(|mut entries| entries.next().is_some()) {
                let message =
                    message!("{}: the folder is not empty; choose a new one", path.shown());
                return Err(CliError::message(exit::CANNOT_CREATE, message));
            }
            let lock = FileLock::take(path)?;
            lock.sweep_folders(is_game_file);
            let folder = folder_beside(path).or_exit_at(exit::CANNOT_CREATE, path)?;
            return Ok(Self::Folder { path, folder, format, games: 0, _lock: lock });
        }
        if path.is_dir() {
            let message =
                message!("{}: a folder; write {0}/ for a file for each game", path.shown());
            return Err(CliError::message(exit::CANNOT_CREATE, message));
        }
        let lock = FileLock::take_for_file(path)?;
        let file = PackedFile::create(path).or_exit_at(exit::CANNOT_CREATE, path)?;
        let single = (!format.holds_many()).then_some(false);
        Ok(Self::File { path, single, file: Box::new(file), _lock: lock })
    }

    /// Writes one game by `write`.
    fn game(
        &mut self,
        write: impl FnOnce(&mut dyn Write) -> Result<Dropped, Refusal>,
    ) -> Result<Dropped, Refusal> {
        match self {
            Self::Standard { single: Some(true), .. } => {
                let message = "this format holds one game a file; name a folder (games/) with -o";
                Err(Refusal::Output(CliError::message(exit::USAGE, message)))
            }
            Self::Standard { out, single } => {
                if let Some(is_written) = single {
                    *is_written = true;
                }
                write(*out)
            }
            Self::File { path, single: Some(true), .. } => {
                let path = path.shown();
                let message = message!(
                    "{path}: this format holds one game a file; write {path}/ for a folder of files"
                );
                Err(Refusal::Output(CliError::message(exit::USAGE, message)))
            }
            Self::File { single, file, .. } => {
                if let Some(is_written) = single {
                    *is_written = true;
                }
                write(file)
            }
            Self::Folder { folder, format, games, .. } => {
                *games += 1;
                let ending = format.ending();
                let mut bytes = Vec::new();
                let dropped = write(&mut bytes)?;
                fs::write(folder.path().join(format!("{games:06}.{ending}")), bytes)
                    .map_err(|error| Refusal::Game(error.into()))?;
                Ok(dropped)
            }
        }
    }

    /// An error of writing.
    fn failed(&self, error: io::Error) -> CliError {
        match self {
            Self::Standard { .. } => error.into(),
            Self::File { path, .. } | Self::Folder { path, .. } => {
                let context = message!("{}: is the disk full?", path.shown());
                CliError::new(exit::IO, error).within(context)
            }
        }
    }

    /// Moves the output to its place.
    fn close(self) -> Result<(), CliError> {
        match self {
            Self::Standard { out, .. } => Ok(out.flush()?),
            Self::File { path, file, _lock, .. } => file.commit().or_exit_at(exit::IO, path),
            Self::Folder { path, folder, _lock, .. } => {
                place_folder(folder, path).or_exit_at(exit::CANNOT_CREATE, path)
            }
        }
    }
}
