//! `juzhong analyse`.

use std::io::Write;
use std::sync::mpsc;
use std::time::{Duration, Instant};

use super::position::refuse;
use crate::cli::args::engine_args::{EngineArgs, front};
use crate::cli::args::engine_command::{engine_fault, started, tell_engine_warnings};
use crate::cli::args::evaluation::EvaluationArgs;
use crate::cli::args::line_args::{LineArgs, NotationArgs};
use crate::cli::args::player::{BookArgs, TableArgs, tell_warnings};
use crate::cli::print::describe::describe;
use crate::cli::print::terminal::{ShownBoardArgs, Terminal};
use crate::cli::{CliError, Context, OrExit, exit, interrupt, with_game, write_answer};
use crate::language::{counts, say};
use juzhong::answers::{Analysed, Analysis, AnalysisAnswer, line_texts, parse_rules};
use juzhong::bytes::StopFlag;
use juzhong::bytes::visible::Visible;
use juzhong::engine::{Choice, Endgames, EngineOptions, Playable};
use juzhong::game::{Bound, Game, Line};
use juzhong::protocol::client::{Client, ClientError, EngineEntry, GoLimits, Timeouts};
use juzhong::search::{
    Control, Iteration, Limits, MAX_HASH_MIB, MAX_MULTIPV, MAX_PLY, MAX_THREADS, MateSearch,
    SearchOptions, SearchResult, Searcher,
};

/// Searched with `--json` unless a limit is given.
const DEFAULT_TIME: Duration = Duration::from_secs(5);
/// The longest search of another engine without a limit, which Ctrl-C ends.
const ENDLESS: Duration = Duration::from_secs(30 * 24 * 3600);

/// Search a position and show the best lines.
///
/// Without a limit the search runs until Ctrl-C, then shows what it has found. Where endgame tables know the end of a
/// line, it is shown to mate, or once around the loop that decides. Another engine (--engine) searches by its own
/// rules, and with its own sizes unless --threads and --hash are given; books and tables are asked before it.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten, next_help_heading = "Position")]
    line: LineArgs,
    #[command(flatten, next_help_heading = "Search")]
    engine: EngineArgs,
    /// Stop at this depth, in plies.
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..MAX_PLY as i64),
        help_heading = "Search")]
    depth: Option<u32>,
    /// First look for a forced mate or stalemate in at most this many moves: the search is exhaustive and reports if
    /// there is none.
    #[arg(long, value_name = "MOVES", value_parser = clap::value_parser!(u32).range(1..MAX_PLY as i64 / 2),
        help_heading = "Search")]
    mate: Option<u32>,
    /// Stop after this many nodes.
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..), help_heading = "Search")]
    nodes: Option<u64>,
    /// Stop after this many milliseconds (default without another limit: until Ctrl-C; with --json, 5000).
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..), help_heading = "Search")]
    movetime: Option<u64>,
    /// Number of best lines to search.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=MAX_MULTIPV as u64),
        help_heading = "Search")]
    multipv: u64,
    /// Size of the transposition table in MiB.
    #[arg(long, default_value_t = 64, value_parser = clap::value_parser!(u64).range(1..=MAX_HASH_MIB as u64),
        help_heading = "Search")]
    hash: u64,
    /// Number of search threads; results are reproducible only with one.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=MAX_THREADS as u64),
        help_heading = "Search")]
    threads: u64,
    #[command(flatten, next_help_heading = "Search")]
    evaluation: EvaluationArgs,
    /// Repetition rules (xiangqi: none, check, asian, computer or chinese; default: asian).
    #[arg(long, help_heading = "Search")]
    rules: Option<String>,
    #[command(flatten, next_help_heading = "Opening books")]
    books: BookArgs,
    #[command(flatten, next_help_heading = "Endgame tables")]
    tables: TableArgs,
    #[command(flatten, next_help_heading = "Output")]
    notation: NotationArgs,
    #[command(flatten, next_help_heading = "Output")]
    drawing: ShownBoardArgs,
}

impl Args {
    fn limits(&self, is_for_programs: bool) -> Limits {
        let limits = Limits {
            depth: self.depth,
            nodes: self.nodes,
            hard_time: self.movetime.map(Duration::from_millis),
            ..Limits::default()
        };
        if is_for_programs && limits == Limits::default() {
            Limits::move_time(DEFAULT_TIME)
        } else {
            limits
        }
    }

    /// The limits of another engine, and the times that it may take.
    fn foreign_limits(&self, is_for_programs: bool) -> (GoLimits, Timeouts) {
        let limits = self.limits(is_for_programs);
        let is_endless = limits == Limits::default();
        let limits = GoLimits {
            depth: limits.depth,
            nodes: limits.nodes,
            move_time: limits.hard_time,
            ..GoLimits::default()
        };
        let usual = Timeouts::default();
        let search = if is_endless { ENDLESS } else { usual.search };
        (limits, Timeouts { search, ..usual })
    }

    fn options(&self) -> SearchOptions {
        SearchOptions {
            hash_mib: self.hash as usize,
            threads: self.threads as usize,
            multipv: self.multipv as usize,
            evaluation: self.evaluation.kind(),
        }
    }
}

pub(crate) fn run(args: &Args, context: &mut Context<'_>) -> Result<u8, CliError> {
    with_game!(context.common.game, G => run_game::<G>(args, context))
}

fn run_game<G: Terminal + Playable>(
    args: &Args,
    context: &mut Context<'_>,
) -> Result<u8, CliError> {
    let rules = parse_rules::<G>(args.rules.as_deref())?;
    let typed = match args.line.read::<G>() {
        Ok(typed) => typed,
        Err(refusal) => return refuse::<G>(refusal, context),
    };
    let sizes = context.typed_sizes(args.threads as usize, args.hash as usize);
    let entry = args.engine.entry::<G>(sizes, context)?;
    args.evaluation.check(entry.as_ref(), context)?;
    let tables = args.tables.options();
    let has_tables = args.engine.has_front() && !tables.folders.is_empty();
    let tables = has_tables.then(|| G::Tables::open(&tables, rules)).transpose();
    let tables = tables.map_err(|message| CliError::message(exit::NO_INPUT, message))?;
    let known = consult::<G>(args, &typed.line, rules)?;
    let mut seeker = Seeker::new(args, entry.as_ref(), context.common.json)?;
    if !context.common.json {
        let (position, last) = (typed.line.position(), typed.line.moves().last());
        args.drawing.draw(position, last, args.notation, context.out)?;
    }
    let began = Instant::now();
    let analysed = Analysed { line: &typed.line, rules, tables: tables.as_ref() };
    let shown = Shown { analysed, notation: args.notation };
    let search = |control: &Reports<G::Move>| match &mut seeker {
        Seeker::Own(searcher) => {
            let limits = args.limits(context.common.json);
            Ok(search_own(args, searcher, &shown.analysed, &limits, control))
        }
        Seeker::Foreign(client, limits) => {
            let start = typed.start_text();
            client
                .analyse(start.as_deref(), &typed.line, limits, control)
                .map(|found| (found, None))
        }
    };
    let is_for_programs = context.common.json;
    let (found, lines) = stream(search, &shown, is_for_programs, context.out)?;
    let (found, no_mate_in) = found.map_err(engine_fault)?;
    let time = began.elapsed();
    while let Some(warning) = tables.as_ref().and_then(Endgames::take_warning) {
        crate::cli::notice(warning);
    }
    let analysis = Analysis { known, no_mate_in, found, lines, time };
    let engine = seeker.end();
    if context.common.json {
        let fen = G::line_text(&typed.line, typed.fullmoves);
        let asked = args.notation.asked();
        let answer = AnalysisAnswer::of(fen, &shown.analysed, &analysis, asked);
        write_answer(context.out, &AnalysisAnswer { engine, ..answer })?;
    } else {
        shown.print_result(&analysis, engine.as_deref(), context)?;
    }
    Ok(exit::OK)
}

/// The engine that searches.
enum Seeker<G: Playable> {
    Own(Box<Searcher<G>>),
    Foreign(Box<Client>, GoLimits),
}

impl<G: Playable> Seeker<G> {
    /// The own engine, or the one of the entry, started and ready.
    fn new(
        args: &Args,
        entry: Option<&EngineEntry>,
        is_for_programs: bool,
    ) -> Result<Self, CliError> {
        let Some(entry) = entry else {
            let searcher = Searcher::new(args.options()).or_exit(exit::UNAVAILABLE)?;
            return Ok(Self::Own(Box::new(searcher)));
        };
        if args.mate.is_some() {
            let message = "--mate is a search of this program's own engine; leave --engine out";
            return Err(CliError::message(exit::USAGE, message));
        }
        // From here on an interrupt ends the engine in good order.
        let stop = interrupt::stop_flag();
        let (limits, timeouts) = args.foreign_limits(is_for_programs);
        let mut client = started(entry, timeouts, &stop)?;
        prepare(&mut client, args.multipv as usize).map_err(engine_fault)?;
        tell_engine_warnings(&mut client);
        Ok(Self::Foreign(Box::new(client), limits))
    }

    /// Ends another engine; returns its name.
    fn end(self) -> Option<String> {
        let Self::Foreign(mut client, _) = self else { return None };
        tell_engine_warnings(&mut client);
        let name = client.name().to_owned();
        client.quit();
        Some(name)
    }
}

fn prepare(client: &mut Client, lines: usize) -> Result<(), ClientError> {
    client.set_lines(lines)?;
    client.new_game().map(drop)
}

/// Searches with the own engine; also returns the number of moves in which no mate can be forced, if that was asked.
fn search_own<G: Playable>(
    args: &Args,
    searcher: &mut Searcher<G>,
    analysed: &Analysed<'_, G>,
    limits: &Limits,
    control: &Reports<G::Move>,
) -> (SearchResult<G::Move>, Option<u32>) {
    let (line, rules) = (analysed.line, analysed.rules);
    let proof = args.mate.map(|moves| searcher.find_mate(line, rules, moves, limits, control));
    let no_mate = args.mate.filter(|_| proof.as_ref().is_some_and(MateSearch::is_refuted));
    let found = match (proof.and_then(|proof| proof.found), analysed.tables) {
        (Some(mate), _) => mate,
        (None, Some(tables)) => searcher.run(line, rules, limits, tables, control),
        (None, None) => searcher.run(line, rules, limits, &(), control),
    };
    (found, no_mate)
}

/// The lines of one depth, the best first.
type Lines<G> = Vec<Iteration<<G as Game>::Move>>;

/// Runs a search in a thread of its own and prints each depth as it comes, unless one JSON object is to be the
/// answer. Returns the result of the search and the lines of the last depth. An interrupt ends the search, not
/// the program.
fn stream<G: Terminal + Playable, T: Send>(
    search: impl FnOnce(&Reports<G::Move>) -> T + Send,
    shown: &Shown<'_, G>,
    is_for_programs: bool,
    out: &mut dyn Write,
) -> Result<(T, Lines<G>), CliError> {
    let (sender, reports) = mpsc::channel();
    let control = Reports { stop: interrupt::stop_flag(), sender };
    let stop = control.stop.clone();
    std::thread::scope(|scope| {
        let searching = scope.spawn(move || search(&control));
        let mut lines = Lines::<G>::new();
        let mut written = Ok(());
        // Other engines report bounds, too, of what they search again at once.
        for iteration in reports.into_iter().filter(|line| line.bound == Bound::Exact) {
            // Lines are counted from 1; one that comes again replaces itself and those behind it.
            lines.truncate(iteration.multipv as usize - 1);
            if !is_for_programs && written.is_ok() {
                written = shown.print(&iteration, out);
                if written.is_err() {
                    // Nobody reads what comes: the search need not go on.
                    stop.set();
                }
            }
            lines.push(iteration);
        }
        let found = searching.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        written.map(|()| (found, lines))
    })
}

/// Sends the iterations of a search to the thread that prints them.
struct Reports<M> {
    stop: StopFlag,
    sender: mpsc::Sender<Iteration<M>>,
}

impl<M: Clone + Send + Sync> Control<M> for Reports<M> {
    fn should_stop(&self) -> bool {
        self.stop.is_set()
    }
    fn report(&self, iteration: &Iteration<M>) {
        // Without a reader the search has been stopped.
        let _unread = self.sender.send(iteration.clone());
    }
}

/// The line searched, and the notation in which lines from there are shown.
struct Shown<'a, G: Playable> {
    analysed: Analysed<'a, G>,
    notation: NotationArgs,
}

impl<G: Terminal + Playable> Shown<'_, G> {
    fn position(&self) -> &G {
        self.analysed.line.position()
    }

    fn print(&self, line: &Iteration<G::Move>, out: &mut dyn Write) -> Result<(), CliError> {
        let (number, depth, score) = (line.multipv, line.depth, line.score);
        let moves = self.analysed.continued(&line.pv);
        let pv = line_texts(self.position(), moves, self.notation.shown()).join(" ");
        say!(out, "{number}. depth {depth}, {score}: {pv}")?;
        out.flush()?;
        Ok(())
    }

    /// Says what was found, once it is known.
    fn print_result(
        &self,
        analysis: &Analysis<G::Move>,
        engine: Option<&str>,
        context: &mut Context<'_>,
    ) -> Result<(), CliError> {
        let Analysis { known, no_mate_in, found, time, .. } = analysis;
        let written = |mv| self.position().write_move(mv, self.notation.shown());
        if let Some(known) = known {
            let mv = written(known.mv);
            say!(context.out, "{mv} from {}", describe::<G>(known))?;
        }
        if let Some(moves) = no_mate_in {
            say!(context.out, "no mate in {moves} can be forced")?;
        }
        let best = found.best.map_or_else(|| "none".to_owned(), written);
        let ms = time.as_millis();
        say!(context.out, "best {best}, {}, {}, {ms} ms", found.score, counts::nodes(found.nodes))?;
        if let Some(engine) = engine {
            say!(context.out, "engine {}", Visible(engine))?;
        }
        Ok(())
    }
}

/// The move that the engine would play without a search; problems of books and tablebases go to standard
/// error.
fn consult<G: Playable>(
    args: &Args,
    line: &Line<G>,
    rules: G::Rules,
) -> Result<Option<Choice<G::Move>>, CliError> {
    let options = EngineOptions {
        books: args.books.books(),
        select: args.books.select(),
        tables: args.tables.options(),
        rules,
        ..EngineOptions::default()
    };
    let Some(mut engine) = front::<G>(args.engine.with_front(options))? else { return Ok(None) };
    let known = engine.consult(line);
    tell_warnings(&mut engine);
    Ok(known)
}
