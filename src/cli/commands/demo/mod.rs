//! `juzhong demo`.

#[cfg(feature = "web")]
pub(crate) mod built_in;
mod gomoku;

use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;
use std::{env, fs};

use indicatif::{ProgressBar, ProgressStyle};

use crate::cli::args::line_args::NotationArgs;
use crate::cli::args::player::tell_warnings;
use crate::cli::print::describe::{describe, result_text};
use crate::cli::print::terminal::{BoardStyle, Drawn, View};
use crate::cli::{CliError, Context, GameName, OrExit, exit, user_folders};
use crate::language::{self, counts, left, say, text, word};
use juzhong::answers::Described;
use juzhong::book;
use juzhong::book::{Book, BuildOptions, Editor, ReadOptions, find_games};
use juzhong::bytes::StopFlag;
use juzhong::bytes::atomic::AtomicFile;
use juzhong::bytes::lock::FileLock;
use juzhong::bytes::open;
use juzhong::bytes::visible::ShowPath;
use juzhong::contest::OPENING_FILES;
use juzhong::engine::{Engine, EngineOptions};
use juzhong::game::{Adjudicate, Game, Horizon, Line};
use juzhong::message::message;
use juzhong::record::{PgnOptions, Record, Tree, read_games, write_pgn};
use juzhong::search::Limits;
use juzhong::tablebase::{
    Built, Estimate, GenerateOptions, Material, Metric, NoProgress, Progress, Rules, Verification,
    VerifyOptions, generate_all, verify,
};
use juzhong::xiangqi::notation::MoveNotation;
use juzhong::xiangqi::{Move, Position, RuleSet};

/// Run the whole pipeline on the built-in games: build a book and tables, then play from them.
///
/// For gomoku: builds a book, plays a game from it, proves who wins that game, and keeps nothing.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Folder for book, tables and games (default: juzhong/demo in the user's cache folder).
    #[arg(long)]
    dir: Option<PathBuf>,
    /// Folder of game files (default: the built-in games).
    #[arg(long)]
    books: Option<PathBuf>,
    /// Nodes per move [default: 50000, for gomoku 10000].
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,
    /// Random seed for the choice of book moves.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Board style [default: hanzi, for gomoku unicode, if the terminal supports UTF-8, else ascii].
    #[arg(long, value_enum, value_name = "STYLE")]
    board: Option<BoardStyle>,
}

/// Games of the engine against itself.
const SELFPLAY: (&str, &str) =
    ("selfplay.pgn", include_str!("../../../../books/selfplay/selfplay.pgn"));
/// Tablebases are built for all sets of up to this many pieces.
const MEN: usize = 4;
/// The set whose tablebase is verified.
const VERIFIED: &str = "KRvKN";
/// The start of the game: a won endgame with one piece more than the tables have, rook against advisor and
/// elephant.
const ENDGAME: &str = "4ka3/9/4b4/9/9/9/9/9/R8/3K5 w - - 0 1";
/// The line for it that is added to the book by hand.
const ENDGAME_LINE: [&str; 2] = ["a1e1", "e9e8"];
/// The game is broken off after this many plies.
const MAX_PLIES: usize = 200;
/// Positions searched for a move.
const NODES: u64 = 50_000;
/// The event that the games played name.
const EVENT: &str = "juzhong demo";
const RULES: Rules = Rules::Asian;
const METRIC: Metric = Metric::Dtm;

pub(crate) fn run(args: &Args, context: &mut Context<'_>) -> Result<u8, CliError> {
    match context.common.game {
        GameName::Xiangqi => run_xiangqi(args, context),
        GameName::Gomoku => gomoku::run(args, context),
    }
}

fn run_xiangqi(args: &Args, context: &mut Context<'_>) -> Result<u8, CliError> {
    let start = Instant::now();
    let games = Games::new(args.books.as_deref())?;
    let place = OutputPaths::in_folder(&args.dir.clone().unwrap_or_else(cache_folder))?;
    place.check(games.folder(), args.dir.is_some())?;
    build_book(&games, &place, context)?;
    build_tables(&place, context)?;
    let verified = verify_table(&place, context)?;
    say!(context.out, "\n4. An endgame: the book begins, the search goes on, the tables end it")?;
    let record = Show::new(args, &place)?.play(context)?;
    let mut pgn = Vec::new();
    write_pgn(&mut pgn, &record, &PgnOptions::default())?;
    place.write_games(&pgn)?;
    say!(context.out, "\nDone in {:.1} s. What was made:", start.elapsed().as_secs_f64())?;
    for (what, path) in [("book", &place.book), ("tables", &place.tables), ("games", &place.games)]
    {
        writeln!(context.out, "  {} {}", left(word(what), 7), path.shown())?;
    }
    Ok(if verified { exit::OK } else { exit::FAILED })
}

/// The paths of the outputs.
struct OutputPaths {
    book: PathBuf,
    tables: PathBuf,
    games: PathBuf,
}

impl OutputPaths {
    /// The paths in a folder, which is made if need be.
    fn in_folder(dir: &Path) -> Result<Self, CliError> {
        fs::create_dir_all(dir).or_exit_with(exit::CANNOT_CREATE, || {
            message!("cannot create {}; choose another folder with --dir", dir.shown())
        })?;
        Ok(Self {
            book: dir.join("demo.book"),
            tables: dir.join("tables"),
            games: dir.join("games.pgn"),
        })
    }

    /// Refuses to replace what no demo made. In a folder given by the user, that includes the
    /// book: it must be of the same games and without changes.
    fn check(&self, books: &Path, is_named: bool) -> Result<(), CliError> {
        let is_games = !stands(&self.games) || is_demo_games(&self.games);
        let is_book = !is_named || !stands(&self.book) || is_demo_book(&self.book, books);
        for (path, is_own) in [(&self.games, is_games), (&self.book, is_book)] {
            if !is_own {
                let message = message!(
                    "{}: not as a demo of these games made it; move it away or choose another folder \
                     with --dir",
                    path.shown()
                );
                return Err(CliError::message(exit::CANNOT_CREATE, message));
            }
        }
        Ok(())
    }

    /// Writes the games played in place of those of another demo.
    fn write_games(&self, pgn: &[u8]) -> Result<(), CliError> {
        let replaces = stands(&self.games) && is_demo_games(&self.games);
        // What is no file of a demo is not replaced, even if it was put there since the check at the start.
        let create = if replaces { AtomicFile::create } else { AtomicFile::create_new };
        let _lock = FileLock::take(&self.games)?;
        let written = create(&self.games).and_then(|mut file| {
            file.write_all(pgn)?;
            file.commit()
        });
        written.or_exit_at(exit::CANNOT_CREATE, &self.games)
    }
}

/// Returns true if anything stands there.
fn stands(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}

/// Returns true if the file holds games of a demo and nothing that somebody added to them.
fn is_demo_games(path: &Path) -> bool {
    const MOST: u64 = 1 << 20;
    let Ok(bytes) = open::read(path, MOST) else { return false };
    let mut again = Vec::new();
    let mut all_demo = true;
    read_games("", &bytes, &mut |game| {
        let written = game.map(|game| {
            all_demo &= game.record.tag("Event") == Some(EVENT);
            write_pgn(&mut again, &game.record, &PgnOptions::default())
        });
        all_demo &= matches!(written, Ok(Ok(_)));
    });
    // Written again, games of a demo are the same bytes: anything that was added makes a difference.
    all_demo && again == bytes
}

/// Returns true if the book is the one that a demo makes of these games.
fn is_demo_book(path: &Path, books: &Path) -> bool {
    let of_book = Book::open(path).ok().and_then(|book| sources_of_unchanged(&book));
    of_book.is_some() && of_book == hashes_of_games(books)
}

/// The hashes of the game files of a book as a demo leaves it; `None` where anything else was changed.
fn sources_of_unchanged(book: &Book) -> Option<BTreeSet<[u8; 32]>> {
    let edits = book.history().ok()?;
    // A demo that was interrupted before it added its line has left no edits.
    let is_line = edits.is_empty()
        || edits.len() == ENDGAME_LINE.len()
            && edits.iter().zip(ENDGAME_LINE).all(|(step, mv)| step.what.contains(mv));
    let is_changed = !is_line || !book.score_sources().ok()?.is_empty();
    let hashes = book.sources().ok()?.into_iter().map(|source| source.hash);
    (!is_changed).then(|| hashes.collect())
}

/// The hashes of the game files in a folder.
fn hashes_of_games(folder: &Path) -> Option<BTreeSet<[u8; 32]>> {
    let files = find_games::<Position>(&[folder.to_owned()]).ok()?.files;
    files.iter().map(|file| hash_of(file)).collect()
}

fn hash_of(file: &Path) -> Option<[u8; 32]> {
    let file = open::regular(file).ok()?;
    Some(blake3::Hasher::new().update_reader(file).ok()?.finalize().into())
}

/// The folder of game files: the one named, or one with the built-in games that lasts as long as this does.
enum Games {
    Named(PathBuf),
    BuiltIn(tempfile::TempDir),
}

impl Games {
    fn new(named: Option<&Path>) -> Result<Self, CliError> {
        match named {
            Some(folder) => Ok(Self::Named(folder.to_owned())),
            None => {
                let cannot = "cannot unpack the built-in games; is there room for temporary files?";
                Ok(Self::BuiltIn(unpack_games().or_exit_with(exit::CANNOT_CREATE, || cannot)?))
            }
        }
    }

    fn folder(&self) -> &Path {
        match self {
            Self::Named(folder) => folder,
            Self::BuiltIn(folder) => folder.path(),
        }
    }
}

/// A temporary folder with the built-in games.
fn unpack_games() -> std::io::Result<tempfile::TempDir> {
    let folder = tempfile::tempdir()?;
    for (name, text) in OPENING_FILES.into_iter().chain([SELFPLAY]) {
        fs::write(folder.path().join(name), text)?;
    }
    Ok(folder)
}

/// The folder as the report names it.
impl std::fmt::Display for Games {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Named(folder) => write!(f, "{}", text!("the games in {}", folder.shown())),
            Self::BuiltIn(_) => f.write_str("the built-in games"),
        }
    }
}

/// The folder of the demo in the user's folder for what can be made again, else in that for temporary files.
fn cache_folder() -> PathBuf {
    user_folders::cache().unwrap_or_else(|| env::temp_dir().join("juzhong")).join("demo")
}

fn build_book(
    games: &Games,
    place: &OutputPaths,
    context: &mut Context<'_>,
) -> Result<(), CliError> {
    let start = Instant::now();
    let source = language::translated(games.to_string());
    say!(context.out, "1. An opening book from {source}")?;
    context.out.flush()?;
    let files = find_games::<Position>(&[games.folder().to_owned()]).or_exit(exit::NO_INPUT)?.files;
    let options = BuildOptions::default();
    let report = book::build::<Position>(&files, &place.book, options, ReadOptions::default())
        .or_exit_with(exit::CANNOT_CREATE, || "cannot build the book")?;
    let counts = report.metadata.counts;
    say!(
        context.out,
        "   {} of {}, {} of {}, {:.1} s",
        counts::games(counts.games),
        counts::files(report.files),
        counts::moves(report.metadata.rows),
        counts::positions(report.metadata.positions),
        start.elapsed().as_secs_f64()
    )?;
    add_line(&place.book)?;
    say!(context.out, "   and a line for the endgame of step 4, added by hand")?;
    writeln!(context.out, "   -> {}", place.book.shown())?;
    Ok(())
}

/// Adds the line for the endgame to the book.
fn add_line(book: &Path) -> Result<(), CliError> {
    let start = Position::from_fen(ENDGAME).or_exit(exit::BAD_DATA)?;
    let line: Vec<Move> = ENDGAME_LINE.iter().filter_map(|text| Move::parse(text)).collect();
    let add = || {
        let mut editor = Editor::open(book, &StopFlag::default())?;
        editor.add_line(&start, &line, &[], &[])?;
        editor.commit()
    };
    add().or_exit_with(exit::CANNOT_CREATE, || "cannot add a line to the book")
}

fn build_tables(place: &OutputPaths, context: &mut Context<'_>) -> Result<(), CliError> {
    let start = Instant::now();
    say!(context.out, "\n2. All endgame tables of up to {MEN} men, rules {RULES}")?;
    context.out.flush()?;
    fs::create_dir_all(&place.tables).or_exit_with(exit::CANNOT_CREATE, || place.tables.shown())?;
    let materials = Material::all_up_to(MEN);
    let options = GenerateOptions { rules: RULES, metric: METRIC, ..GenerateOptions::default() };
    let bar = Bar::new(materials.len());
    let report = generate_all(&place.tables, &materials, &options, &bar);
    bar.0.finish_and_clear();
    let tables = report.or_exit_with(exit::CANNOT_CREATE, || "cannot build the tables")?.tables;
    let bytes: u64 = tables.iter().map(|table| table.bytes).sum();
    let reused = tables.iter().filter(|table| table.reused).count();
    say!(
        context.out,
        "   {} ({reused} were there already), {:.1} MiB, {:.1} s",
        counts::tables(tables.len()),
        bytes as f64 / f64::from(1 << 20),
        start.elapsed().as_secs_f64()
    )?;
    writeln!(context.out, "   -> {}", place.tables.shown())?;
    Ok(())
}

/// Progress of building tablebases on standard error.
struct Bar(ProgressBar);

impl Bar {
    fn new(tables: usize) -> Self {
        let bar = ProgressBar::new(tables as u64);
        if let Ok(style) =
            ProgressStyle::with_template(&text!("   {{pos}}/{{len}} tables {{msg}} {{elapsed}}"))
        {
            bar.set_style(style);
        }
        Self(bar)
    }
}

impl Progress for Bar {
    fn started(&self, estimate: &Estimate, _number: usize, _of: usize) {
        self.0.set_message(estimate.material.to_string());
    }
    fn finished(&self, _built: &Built) {
        self.0.inc(1);
    }
}

/// Returns true if the tablebase is right.
fn verify_table(place: &OutputPaths, context: &mut Context<'_>) -> Result<bool, CliError> {
    let start = Instant::now();
    say!(context.out, "\n3. Proof of the table {VERIFIED} by the ordinary move generator")?;
    context.out.flush()?;
    let material: Material = VERIFIED.parse().or_exit(exit::BAD_DATA)?;
    let options = VerifyOptions { rules: RULES, metric: METRIC, ..VerifyOptions::default() };
    let checked = verify(&place.tables, &[material], &options, &NoProgress)
        .or_exit(exit::IO)?
        .tables
        .into_iter()
        .collect::<Result<Vec<_>, _>>()
        .or_exit_with(exit::BAD_DATA, || "cannot verify the table")?;
    for table in &checked {
        let verdict = word(if table.passed() { "all right" } else { "WRONG" });
        say!(
            context.out,
            "   {} checked, {} wrong: {verdict}, {:.1} s",
            counts::positions(table.positions),
            table.wrong,
            start.elapsed().as_secs_f64()
        )?;
    }
    Ok(!checked.is_empty() && checked.iter().all(Verification::passed))
}

/// The engine playing both sides.
struct Show {
    engine: Engine<Position>,
    limits: Limits,
    board: Option<BoardStyle>,
}

impl Show {
    fn new(args: &Args, place: &OutputPaths) -> Result<Self, CliError> {
        let mut engine = Engine::new(EngineOptions {
            books: vec![place.book.clone().into()],
            tables: place.tables.clone().into(),
            seed: Some(args.seed),
            ..EngineOptions::default()
        })
        .or_exit(exit::UNAVAILABLE)?;
        tell_warnings(&mut engine);
        let limits = Limits::nodes(args.nodes.unwrap_or(NODES));
        Ok(Self { engine, limits, board: args.board })
    }

    fn play(&mut self, context: &mut Context<'_>) -> Result<Record<Position>, CliError> {
        let start = Position::from_fen(ENDGAME).or_exit(exit::BAD_DATA)?;
        let view = view(self.board);
        write!(context.out, "{}", start.draw(view, None))?;
        let mut line = Line::new(start, 0);
        while result_text(&line, RuleSet::default()).is_none() && line.len() < MAX_PLIES {
            context.out.flush()?;
            let Some(choice) = self.engine.choose(&line, &self.limits, &()) else { break };
            tell_warnings(&mut self.engine);
            let position = line.position();
            let text = position.write_move(choice.mv, MoveNotation::Chinese);
            let number = line.len() / 2 + 1;
            let dots = if line.len().is_multiple_of(2) { "." } else { "…" };
            let from = describe::<Position>(&choice);
            writeln!(context.out, "   {number:>3}{dots} {text} {}  {from}", choice.mv)?;
            line.push(choice.mv);
        }
        write!(context.out, "{}", line.position().draw(view, line.moves().last()))?;
        let result = result_text(&line, RuleSet::default());
        writeln!(
            context.out,
            "   {}",
            language::translated(result.as_deref().unwrap_or("broken off"))
        )?;
        Ok(record(&line))
    }
}

/// Boards as wanted, else with characters in every language, as the moves beside them, unless the terminal has none.
fn view(wanted: Option<BoardStyle>) -> View {
    let usual = if language::has_unicode() { BoardStyle::Hanzi } else { BoardStyle::Ascii };
    let view = View::usual::<Position>(NotationArgs::default().shown());
    View { style: wanted.unwrap_or(usual), ..view }
}

fn record(line: &Line<Position>) -> Record<Position> {
    let result = line.position().outcome().or_else(|| {
        let verdict = Position::judge(line, RuleSet::default(), Horizon::Game).verdict;
        verdict.outcome()
    });
    let is_start = *line.start() == Position::start();
    Record {
        tags: vec![
            tag("Game", "Chinese Chess"),
            tag("Event", EVENT),
            tag("Red", "juzhong"),
            tag("Black", "juzhong"),
        ],
        start: (!is_start).then(|| line.start().clone()),
        start_clock: 0,
        result,
        tree: Tree { moves: line.moves().collect(), ..Tree::default() },
    }
}

/// A tag of a record.
fn tag(name: &str, value: &str) -> (String, String) {
    (name.to_owned(), value.to_owned())
}
