//! `juzhong review`.

mod annotated;
mod engine;
mod summary;
mod text;

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressFinish, ProgressStyle};

use crate::cli::args::engine_args::EngineArgs;
use crate::cli::args::evaluation::EvaluationArgs;
use crate::cli::args::game_filter::{GameFilter, GameFilterArgs, SearchArgs, opening_of};
use crate::cli::args::game_input::{
    STANDARD, find_inputs, no_game, read_file, refuse_input_as_output, temporary_folder,
};
use crate::cli::args::line_args::NotationArgs;
use crate::cli::args::packed_file::PackedFile;
use crate::cli::args::player::TableArgs;
use crate::cli::exit::{self, by_kind};
use crate::cli::interrupt::{self, stop_flag};
use crate::cli::print::listing::{Listing, show_some};
use crate::cli::print::read_summary;
use crate::cli::{CliError, Context, OrExit, notice, with_game, write_answer};
use crate::language::text;
use annotated::{Reviewable, format_of};
use juzhong::answers::{ReviewAnswer, ReviewSummaryAnswer, ReviewedGame, parse_rules};
use juzhong::book::Inputs;
use juzhong::book::opening::Opening;
use juzhong::bytes::lock::FileLock;
use juzhong::bytes::machine::cores;
use juzhong::bytes::visible::ShowPath;
use juzhong::engine::{OwnBook, TableOptions};
use juzhong::game::EvaluationKind;
use juzhong::message::{Message, ToMessage, message};
use juzhong::protocol::client::EngineEntry;
use juzhong::record::{
    BadGame, BadGameReason, Format, Keep, ParsedGame, ReadOptions, ReadSummary, Record, tell_words,
};
use juzhong::review::{
    BookFinding, Evaluators, GameMoves, GameReview, GameValues, KNOWN_GAMES, ReviewBooks,
    ReviewJournal, ReviewOptions, Summary, USUAL_EFFORT, review,
};
use juzhong::search::{Limits, MAX_HASH_MIB, MAX_PLY};

/// Positions searched in each position of a game where no limit is given.
const NODES: u64 = 100_000;
/// The longest game that is reviewed, in plies.
const MAX_GAME_PLIES: usize = 2_000;
/// The most positions that are searched at the same time.
const MAX_THREADS: u16 = 256;
/// Positions for each thread that are evaluated before games are written.
const BATCH: usize = 64;
/// Bytes of comments in games that wait to be written, after which no more are read.
const BATCH_BYTES: usize = 16 << 20;

/// Review games: source, evaluation and loss of every move, better lines, accuracy.
///
/// The source of a move is `book` if a book has it, else `table` if endgame tables know the position, else `search`.
/// Marks go by the loss of expected score: inaccuracy (5%), mistake (10%), blunder (20%); where tables know the
/// position, by the truth. A move that seems to be a fault is searched again, deeper, side by side with the best of
/// the others; a mark that does not hold is withdrawn. A move that a book knows well has no mark but its number of
/// games. With limits of --nodes and --depth the results are the same on every machine and with any number of
/// threads; with --movetime they are not.
///
/// With -o an interrupted review resumes when the same command is run again.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Game files in any format, plain, compressed (.zst, .gz, .xz, .bz2) or in archives (.zip, .tar, .7z), and folders
    /// of them, searched recursively; - reads standard input, up to 16 GiB.
    #[arg(required = true, value_name = "GAME")]
    inputs: Vec<PathBuf>,
    #[command(flatten, next_help_heading = "Search")]
    engine: EngineArgs,
    /// Nodes per position of a game (100000 if no other limit is given).
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..), help_heading = "Search")]
    nodes: Option<u64>,
    /// Depth per position, in plies.
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..MAX_PLY as i64),
        help_heading = "Search")]
    depth: Option<u32>,
    /// Milliseconds per position of a game; results then depend on the machine.
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u64).range(1..),
        help_heading = "Search")]
    movetime: Option<u64>,
    /// Effort of the second look at a move that seems to be a fault, in searches of a position: 6 for one round with
    /// twice the nodes, 18 for a second one with four times as many, 42, 90 and so on; 0 for none.
    #[arg(long, value_name = "N", default_value_t = USUAL_EFFORT,
        value_parser = clap::value_parser!(u32).range(..=10_000), help_heading = "Search")]
    effort: u32,
    /// Size of the transposition table in MiB, per thread of the own engine or process of another one.
    #[arg(long, value_name = "MIB", default_value_t = 16,
        value_parser = clap::value_parser!(u64).range(1..=MAX_HASH_MIB as u64),
        help_heading = "Search")]
    hash: u64,
    /// Positions searched in parallel: threads of the own engine, or processes of another one [default: one per core, for
    /// another engine its at-once in the settings].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=MAX_THREADS.into()),
        help_heading = "Search")]
    threads: Option<u16>,
    #[command(flatten, next_help_heading = "Search")]
    evaluation: EvaluationArgs,
    /// Repetition rules: none, check, asian, computer or chinese [default: asian].
    #[arg(long, help_heading = "Search")]
    rules: Option<String>,
    /// Opening book; may be repeated, books are queried in this order. FILE:red and FILE:black apply to one side only;
    /// FILE:plies=N:games=N:weight=N, any of these in any order, limits what counts as a book move.
    #[arg(long, value_name = "FILE", help_heading = "Opening books")]
    book: Vec<String>,
    /// Games in a book with which a move is known well, and has no mark by a search; for a book with games=N of its own
    /// that is the number.
    #[arg(long, value_name = "N", default_value_t = KNOWN_GAMES, help_heading = "Opening books")]
    known_games: u64,
    #[command(flatten, next_help_heading = "Endgame tables")]
    tables: TableArgs,
    /// Also write the annotated games (evaluations, marks, better lines) as PGN (gomoku: as SGF, or as JSON lines if
    /// the name ends in .jsonl); - writes them to standard output instead of the text. Output is compressed if the name
    /// ends in .zst or .gz.
    #[arg(short, long, visible_alias = "pgn", value_name = "FILE", help_heading = "Output")]
    output: Option<PathBuf>,
    /// Show the sums of all games instead of each: by player, opening and phase, and where points were lost.
    #[arg(long, conflicts_with = "mistakes", help_heading = "Output")]
    summary: bool,
    /// Show only marked moves.
    #[arg(long, help_heading = "Output")]
    mistakes: bool,
    #[command(flatten, next_help_heading = "Output")]
    notation: NotationArgs,
    /// List skipped games in a new file. Tab-separated: file, line (in binary files the byte offset, as in @6699), game
    /// and reason.
    #[arg(long, value_name = "FILE", help_heading = "Input")]
    rejects: Option<PathBuf>,
    /// Keep the moves before an illegal one, or before the end of a truncated file, instead of skipping the game; this
    /// is always on.
    #[arg(long, help_heading = "Input")]
    keep_legal_part: bool,
    #[command(flatten, next_help_heading = "Filters")]
    games: GameFilterArgs,
    #[command(flatten, next_help_heading = "Filters")]
    search: SearchArgs,
}

impl Args {
    /// Returns true if standard output is for programs.
    pub(crate) fn writes_data(&self) -> bool {
        self.output.as_deref() == Some(Path::new(STANDARD))
    }

    fn options<G: Reviewable>(
        &self,
        entry: Option<&EngineEntry>,
    ) -> Result<ReviewOptions<G::Rules>, CliError> {
        let is_free = self.depth.is_none() && self.movetime.is_none();
        Ok(ReviewOptions {
            limits: Limits {
                depth: self.depth,
                nodes: self.nodes.or(is_free.then_some(NODES)),
                hard_time: self.movetime.map(Duration::from_millis),
                ..Limits::default()
            },
            effort: self.effort,
            engine: entry.map(engine::identity),
            hash_mib: self.hash as usize,
            // Another engine has its own: its reviews go on whatever the settings say of this one.
            evaluation: match entry {
                Some(_) => EvaluationKind::default(),
                None => self.evaluation.kind(),
            },
            threads: match (self.threads, entry) {
                (Some(threads), _) => threads.into(),
                (None, Some(entry)) => entry.at_once,
                (None, None) => cores().get().min(MAX_THREADS.into()),
            },
            tables: match self.engine.has_front() {
                true => self.tables.options(),
                false => TableOptions::default(),
            },
            rules: parse_rules::<G>(self.rules.as_deref())?,
        })
    }

    fn books(&self) -> Result<ReviewBooks, CliError> {
        let books = self.book.iter().filter(|_| self.engine.has_front());
        let books: Vec<OwnBook> = books.map(|text| OwnBook::parse(text)).collect();
        let books = ReviewBooks::open(&books).map_err(by_kind)?;
        Ok(books.known_from(self.known_games))
    }

    /// The format of annotated games.
    fn format<G: Reviewable>(&self) -> Result<Format, CliError> {
        let output = self.file();
        format_of::<G>(output).ok_or_else(|| {
            let endings = G::ANNOTATED.iter().filter_map(|format| format.extensions().first());
            let endings: Vec<_> = endings.map(|ending| format!(".{ending}")).collect();
            let output = output.unwrap_or(Path::new(STANDARD)).shown();
            let message = message!("{output}: the name must end in {}", endings.join(" or "));
            CliError::message(exit::USAGE, message)
        })
    }

    /// Refuses two kinds of output in one place.
    fn check_outputs(&self, is_json: bool) -> Result<(), CliError> {
        if self.writes_data() && is_json {
            let message = "-o - and --json both write to standard output; name a file after -o";
            return Err(CliError::message(exit::USAGE, message));
        }
        if self.writes_data() && self.summary {
            let message = "-o - and --summary both write to standard output; name a file after -o";
            return Err(CliError::message(exit::USAGE, message));
        }
        Ok(())
    }

    fn output_or_standard(&self) -> &Path {
        self.output.as_deref().unwrap_or(Path::new(STANDARD))
    }

    /// The file of annotated games, if one is asked for.
    fn file(&self) -> Option<&Path> {
        self.output.as_deref().filter(|_| !self.writes_data())
    }
}

pub(crate) fn run(args: &Args, context: &mut Context<'_>) -> Result<u8, CliError> {
    with_game!(context.common.game, G => run_game::<G>(args, context))
}

fn run_game<G: Reviewable>(args: &Args, context: &mut Context<'_>) -> Result<u8, CliError> {
    args.check_outputs(context.common.json)?;
    let entry = args.entry::<G>(context)?;
    let options = args.options::<G>(entry.as_ref())?;
    let format = args.format::<G>()?;
    let inputs = find_inputs::<G>(&args.inputs)?;
    refuse_input_as_output(&inputs.files, args.output_or_standard())?;
    stop_flag(); // from here on an interrupt ends in good order
    let mut work = Work::<G>::new(args, format, entry.as_ref(), &options, context)?;
    work.tell_warnings();
    let folder = temporary_folder(args.output_or_standard());
    for file in &inputs.files {
        work.read(file, &folder)?;
    }
    work.review_batch()?;
    work.end(&inputs)
}

/// The outcome of showing something. If nobody reads it any more, a file is still to be written.
fn unless_unread(shown: io::Result<()>, has_file: bool) -> Result<(), CliError> {
    match shown {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe && has_file => Ok(()),
        shown => Ok(shown?),
    }
}

/// A count of positions: how many there will be is known at the end only.
fn progress_bar() -> ProgressBar {
    let style = ProgressStyle::with_template(&text!(
        "{{spinner}} reviewing, positions: {{pos}} {{elapsed}}"
    ))
    .unwrap_or_else(|_| ProgressStyle::default_spinner());
    ProgressBar::new_spinner().with_style(style).with_finish(ProgressFinish::AndClear)
}

/// The file of annotated games, and the evaluations that are kept beside it until it is whole.
struct AnnotatedFile<'a, G> {
    path: &'a Path,
    file: PackedFile,
    journal: ReviewJournal<G>,
    /// The right to write it.
    _lock: Option<FileLock>,
}

impl<'a, G: Reviewable> AnnotatedFile<'a, G> {
    fn open(path: &'a Path, options: &ReviewOptions<G::Rules>) -> Result<Self, CliError> {
        let lock = FileLock::take_for_file(path)?;
        let file = PackedFile::create(path).or_exit_at(exit::CANNOT_CREATE, path)?;
        let journal = ReviewJournal::open(path, options).map_err(by_kind)?;
        if journal.games() > 0 {
            let games = journal.games();
            notice(message!("games that were evaluated before: {games}"));
        }
        Ok(Self { path, file, journal, _lock: lock })
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), CliError> {
        self.file
            .write_all(bytes)
            .or_exit_with(exit::IO, || message!("{}: is the disk full?", self.path.shown()))
    }

    /// Moves the file to its place.
    fn close(self) -> Result<(), CliError> {
        let Self { path, file, journal, _lock } = self;
        // The journal goes last: until the file is in its place, it is all there is of the work.
        file.commit().or_exit_at(exit::IO, path)?;
        journal.discard();
        Ok(())
    }
}

/// A game to be reviewed.
struct Waiting<G: Reviewable> {
    /// The file, and the line or byte in it.
    place: String,
    /// Its number in the source, from 1.
    number: u64,
    record: Record<G>,
    start: G,
    /// The findings of the books about each move, if there are books.
    books: Vec<BookFinding<G::Move>>,
    /// For each of these moves, true if a book knows it well.
    known: Vec<bool>,
}

impl<G: Reviewable> Waiting<G> {
    fn moves(&self) -> GameMoves<'_, G> {
        let Record { start_clock, tree, .. } = &self.record;
        let (start, start_clock) = (&self.start, *start_clock);
        GameMoves { start, start_clock, moves: &tree.moves, known: &self.known }
    }
}

/// Games that are evaluated together.
struct Batch<G: Reviewable> {
    games: Vec<Waiting<G>>,
    positions: usize,
    bytes: usize,
}

impl<G: Reviewable> Default for Batch<G> {
    fn default() -> Self {
        Self { games: Vec::new(), positions: 0, bytes: 0 }
    }
}

impl<G: Reviewable> Batch<G> {
    fn push(&mut self, game: Waiting<G>) {
        self.positions += game.record.tree.moves.len() + 1;
        self.bytes += game.record.rough_size();
        self.games.push(game);
    }
}

/// A reviewed game with what is shown of it.
struct Reviewed<'a, G: Reviewable> {
    game: &'a Waiting<G>,
    review: &'a GameReview<G::Move>,
    opening: Option<Opening>,
}

impl<'a, G: Reviewable> Reviewed<'a, G> {
    /// The game as answers have it.
    fn for_answer(&self) -> ReviewedGame<'a, G> {
        let Waiting { place, number, record, start, .. } = self.game;
        let Self { review, opening, .. } = *self;
        ReviewedGame { place, number: *number, record, start, review, opening }
    }
}

#[derive(Default)]
struct Report {
    read: ReadSummary,
    reviewed: u64,
    /// Good games that the conditions left out.
    filtered: u64,
    /// Games with too many moves.
    too_long: u64,
}

impl Report {
    /// Says what was left out.
    fn tell(&self) {
        let bad = self.read.bad + self.too_long;
        if bad > 0 {
            notice(message!("bad games left out: {bad}"));
        }
        read_summary::tell_cut(self.read.cut);
        read_summary::tell_skipped_words(self.read.skipped_words);
        if self.filtered > 0 {
            let count = self.filtered;
            notice(message!("games that do not meet the conditions: {count}"));
        }
    }
}

/// Games on their way.
struct Work<'a, 'b, G: Reviewable> {
    args: &'a Args,
    /// The format of annotated games.
    format: Format,
    rules: G::Rules,
    /// Positions after which a batch is full.
    batch_positions: usize,
    is_json: bool,
    out: &'b mut dyn Write,
    file: Option<AnnotatedFile<'a, G>>,
    evaluators: Evaluators<G>,
    books: ReviewBooks,
    batch: Batch<G>,
    filter: GameFilter,
    listing: Listing<'a>,
    report: Report,
    first_bad: Option<Message>,
    summary: Summary,
    bar: ProgressBar,
}

impl<'a, 'b, G: Reviewable> Work<'a, 'b, G> {
    /// Opens what the work needs.
    fn new(
        args: &'a Args,
        format: Format,
        entry: Option<&EngineEntry>,
        options: &ReviewOptions<G::Rules>,
        context: &'b mut Context<'_>,
    ) -> Result<Self, CliError> {
        let filter = GameFilter::new::<G>(&args.games, &args.search)?;
        let books = args.books()?;
        let listing = Listing::open(args.rejects.as_deref(), args.output_or_standard())?;
        let evaluators = engine::evaluators(entry, options)?;
        Ok(Self {
            args,
            format,
            rules: options.rules,
            batch_positions: BATCH * options.threads,
            file: args.file().map(|path| AnnotatedFile::open(path, options)).transpose()?,
            is_json: context.common.json,
            out: &mut *context.out,
            evaluators,
            books,
            batch: Batch::default(),
            filter,
            listing,
            report: Report::default(),
            first_bad: None,
            summary: Summary::default(),
            bar: progress_bar(),
        })
    }

    /// Closes the files, and says what was left out.
    fn end(self, inputs: &Inputs) -> Result<u8, CliError> {
        let Self { args, is_json, file, report, first_bad, listing, bar, summary, out, .. } = self;
        bar.finish_and_clear();
        if report.read.games == 0 || report.reviewed == 0 && report.filtered == 0 {
            listing.close_with_error()?;
            return Err(no_game(inputs, first_bad));
        }
        listing.close()?;
        if report.reviewed == 0 {
            let message = message!("none of {} games meets the conditions", report.filtered);
            return Err(CliError::message(exit::FAILED, message));
        }
        let has_file = file.is_some();
        if let Some(file) = file {
            file.close()?;
        }
        if args.summary {
            let shown = match is_json {
                true => write_answer(out, &ReviewSummaryAnswer::of::<G>(&summary)),
                false => summary::show(&summary, out),
            };
            unless_unread(shown, has_file)?;
        }
        show_some("no game files in", &inputs.empty);
        report.tell();
        Ok(exit::OK)
    }

    /// Reads and reviews the games of one file.
    fn read(&mut self, path: &Path, folder: &Path) -> Result<(), CliError> {
        let reading = ReadOptions::keeping(Keep::LegalPart);
        let read = read_file(path, folder, reading, &mut |source, game| self.game(source, game));
        match read {
            Ok(read) => self.report.read += read,
            Err(_) if interrupt::is_requested() => return Err(self.interrupted()),
            Err(error) => return Err(error),
        }
        Ok(())
    }

    fn game(&mut self, source: &str, game: Result<ParsedGame<G>, BadGame>) -> Result<(), CliError> {
        if interrupt::is_requested() {
            return Err(self.interrupted());
        }
        let game = match game {
            Ok(game) => game,
            Err(bad) => {
                self.leave_out(&bad);
                return Ok(());
            }
        };
        if !self.filter.is_empty() && !self.filter.admits(&game.record) {
            self.listing.release(&self.bar);
            self.report.filtered += 1;
            return Ok(());
        }
        if game.note.is_some() {
            let listing = &mut self.listing;
            self.bar.suspend(|| listing.add_note(source, &game));
        }
        let ParsedGame { record, place, game: number, cut, words, .. } = game;
        if let Some(words) = &words {
            self.bar.suspend(|| tell_words(&place.within(source), words));
        }
        if let Some(cut) = cut {
            let listing = &mut self.listing;
            self.bar.suspend(|| listing.add_cut(&cut, &record));
        }
        let plies = record.tree.moves.len();
        if plies > MAX_GAME_PLIES {
            self.report.too_long += 1;
            let reason = BadGameReason::Unsupported(message!(
                "a game of {plies} plies; at most {MAX_GAME_PLIES} are reviewed, cut it into pieces"
            ));
            self.leave_out(&BadGame { source: source.to_owned(), place, game: number, reason });
            return Ok(());
        }
        self.listing.release(&self.bar);
        let start = record.start.clone().unwrap_or_else(G::start);
        let books = self.books.look_up_game(&start, &record.tree.moves).map_err(by_kind)?;
        let known = books.iter().map(BookFinding::is_known).collect();
        let place = place.within(source);
        self.batch.push(Waiting { place, number, record, start, books, known });
        if self.batch.positions >= self.batch_positions || self.batch.bytes >= BATCH_BYTES {
            self.review_batch()?;
        }
        Ok(())
    }

    fn leave_out(&mut self, bad: &BadGame) {
        self.first_bad.get_or_insert_with(|| bad.message());
        let listing = &mut self.listing;
        self.bar.suspend(|| listing.add_bad(bad));
    }

    /// Evaluates the games that wait, keeps that, and writes them.
    fn review_batch(&mut self) -> Result<(), CliError> {
        let Batch { games, .. } = std::mem::take(&mut self.batch);
        let mut values = self.kept_values(&games)?;
        let open: Vec<usize> = (0..games.len()).filter(|&n| values[n].is_none()).collect();
        let moves: Vec<_> = open.iter().map(|&number| games[number].moves()).collect();
        let bar = &self.bar;
        let evaluated = self.evaluators.evaluate(&moves, &stop_flag(), &mut || bar.inc(1));
        self.tell_warnings();
        // All finished games go to the journal before one without values ends the batch.
        for (number, evaluated) in open.into_iter().zip(evaluated.map_err(by_kind)?) {
            if let (Some(file), Some(evaluated)) = (&mut self.file, &evaluated) {
                file.journal.add(games[number].moves(), evaluated).map_err(by_kind)?;
            }
            values[number] = evaluated;
        }
        for (game, values) in games.iter().zip(values) {
            let Some(values) = values else { return Err(self.interrupted()) };
            self.write(game, &values)?;
        }
        Ok(())
    }

    /// The values of games that an interrupted review has finished.
    fn kept_values(
        &mut self,
        games: &[Waiting<G>],
    ) -> Result<Vec<Option<GameValues<G>>>, CliError> {
        let Some(file) = &mut self.file else { return Ok(vec![None; games.len()]) };
        let kept = games.iter().map(|game| file.journal.find(game.moves(), self.rules));
        kept.collect::<Result<_, _>>().map_err(by_kind)
    }

    fn write(&mut self, game: &Waiting<G>, values: &GameValues<G>) -> Result<(), CliError> {
        let review = &review(game.moves(), values, &game.books, self.rules);
        let reviewed = Reviewed { game, review, opening: opening_of(&game.record) };
        let notation = self.args.notation;
        if self.args.writes_data() || self.file.is_some() {
            let annotated = annotated::annotated(&reviewed, self.format, notation);
            let annotated = annotated.map_err(by_kind)?;
            match &mut self.file {
                Some(file) => file.write(&annotated)?,
                None => self.out.write_all(&annotated)?,
            }
        }
        self.report.reviewed += 1;
        self.summary.add(&game.record, review, reviewed.opening);
        if self.args.writes_data() || self.args.summary {
            return Ok(());
        }
        let shown = self.show(&reviewed);
        unless_unread(shown, self.file.is_some())
    }

    fn show(&mut self, reviewed: &Reviewed<'_, G>) -> io::Result<()> {
        let (out, is_first, is_json) = (&mut *self.out, self.report.reviewed == 1, self.is_json);
        let (only_marked, notation) = (self.args.mistakes, self.args.notation);
        self.bar.suspend(|| {
            if is_json {
                let game = reviewed.for_answer();
                write_answer(out, &ReviewAnswer::of(&game, notation.asked(), only_marked))?;
            } else {
                if !is_first {
                    writeln!(out)?;
                }
                text::show(reviewed, notation.shown(), only_marked, out)?;
            }
            out.flush()
        })
    }

    fn tell_warnings(&mut self) {
        for warning in self.evaluators.take_warnings() {
            self.bar.suspend(|| notice(warning));
        }
    }

    /// The error of a review that was interrupted: what is kept, and how it goes on.
    fn interrupted(&self) -> CliError {
        let message = match &self.file {
            Some(file) => {
                let games = file.journal.games();
                message!(
                    "interrupted; run the same command to go on (games that are kept: {games})"
                )
            }
            None => {
                "interrupted; with -o FILE finished games are kept, and the same command goes on"
                    .into()
            }
        };
        CliError::message(exit::INTERRUPTED, message)
    }
}
