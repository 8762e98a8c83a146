use std::sync::mpsc;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::interrupt;
use super::line_args::{LineArgs, NotationArgs};
use super::play::describe;
use super::player::{BookArgs, TableArgs, tell_warnings};
use super::position::refuse;
use super::terminal::{ShownBoardArgs, Terminal};
use super::{CliError, Context, OrExit, exit, with_game};
use crate::cli::language::{counts, say};
use juzhong::answers::{line_texts, parse_rules};
use juzhong::bytes::StopFlag;
use juzhong::engine::{Choice, Endgames, Engine, EngineOptions, Playable};
use juzhong::game::{Game, Horizon, Line, Notation, ScoreKind, Verdict};
use juzhong::search::{
    Control, Iteration, Limits, MAX_HASH_MIB, MAX_MULTIPV, MAX_PLY, MAX_THREADS, MateSearch, Score,
    SearchOptions, SearchResult, Searcher,
};
use juzhong::tablebase::Wdl;
use juzhong::xiangqi::notation::MoveNotation;

/// Searched with `--json` unless a limit is given.
const DEFAULT_TIME: Duration = Duration::from_secs(5);
/// Plies of a line that tables continue, at most.
const MAX_LINE: usize = 600;

/// Searches one position and shows the best lines, depth by depth.
///
/// Without a limit the search goes on until Ctrl-C, which ends it with what is known by then. Where endgame tables
/// know the end of a line, it is shown to mate, or once around the loop that decides.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten, next_help_heading = "Position")]
    line: LineArgs,
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

    fn options(&self) -> SearchOptions {
        SearchOptions {
            hash_mib: self.hash as usize,
            threads: self.threads as usize,
            multipv: self.multipv as usize,
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
    let line = typed.line;
    let tables = args.tables.options();
    let tables = (!tables.folders.is_empty()).then(|| G::Tables::open(&tables, rules)).transpose();
    let tables = tables.map_err(|message| CliError::message(exit::NO_INPUT, message))?;
    let known = consult::<G>(args, &line, rules)?;
    let mut searcher = Searcher::<G>::new(args.options()).or_exit(exit::UNAVAILABLE)?;
    if !context.common.json {
        let (position, last) = (line.position(), line.moves().last());
        args.drawing.draw(position, last, args.notation, context.out)?;
    }
    let began = Instant::now();
    let limits = args.limits(context.common.json);
    let shown = Shown { line: &line, rules, notation: args.notation, tables: tables.as_ref() };
    let (found, no_mate, lines) = {
        let search = |control: &Reports<G::Move>| {
            let proof =
                args.mate.map(|moves| searcher.find_mate(&line, rules, moves, &limits, control));
            let no_mate = args.mate.filter(|_| proof.as_ref().is_some_and(MateSearch::is_refuted));
            let found = match (proof.and_then(|proof| proof.found), &tables) {
                (Some(mate), _) => mate,
                (None, Some(tables)) => searcher.run(&line, rules, &limits, tables, control),
                (None, None) => searcher.run(&line, rules, &limits, &(), control),
            };
            (found, no_mate)
        };
        let ((found, no_mate), lines) = stream(search, &shown, context)?;
        (found, no_mate, lines)
    };
    let time = began.elapsed();
    while let Some(warning) = tables.as_ref().and_then(Endgames::take_warning) {
        super::tell(format_args!("juzhong: {warning}"));
    }
    let fen = G::line_text(&line, typed.fullmoves);
    let answer = Answer::<G> { fen, shown, known, no_mate, found, lines, time };
    if context.common.json {
        writeln!(context.out, "{}", answer.json())?;
    } else {
        answer.print(context)?;
    }
    Ok(exit::OK)
}

/// The lines of one depth, the best first.
type Lines<G> = Vec<Iteration<<G as Game>::Move>>;

/// Runs a search in a thread of its own and prints each depth as it comes, unless one JSON object is to be the
/// answer. Returns the result of the search and the lines of the last depth. An interrupt ends the search, not
/// the program.
fn stream<G: Terminal + Playable, T: Send>(
    search: impl FnOnce(&Reports<G::Move>) -> T + Send,
    shown: &Shown<'_, G>,
    context: &mut Context<'_>,
) -> Result<(T, Lines<G>), CliError> {
    let (sender, reports) = mpsc::channel();
    let control = Reports { stop: interrupt::stop_flag(), sender };
    let stop = control.stop.clone();
    std::thread::scope(|scope| {
        let searching = scope.spawn(move || search(&control));
        let mut lines = Lines::<G>::new();
        let mut written = Ok(());
        for iteration in reports {
            lines.truncate(iteration.multipv as usize - 1);
            if !context.common.json && written.is_ok() {
                written = shown.print(&iteration, context);
                if written.is_err() {
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

/// The line searched, and the rules, notation and tables with which lines from there are shown.
struct Shown<'a, G: Playable> {
    /// The line to the position searched.
    line: &'a Line<G>,
    rules: G::Rules,
    notation: NotationArgs,
    tables: Option<&'a G::Tables>,
}

impl<G: Terminal + Playable> Shown<'_, G> {
    fn position(&self) -> &G {
        self.line.position()
    }

    /// The text of a line from the position.
    fn text(&self, moves: &[G::Move], notation: MoveNotation) -> String {
        line_texts(self.position(), moves.iter().copied(), notation).join(" ")
    }

    /// The moves of a line, and where tables know the value of its end, best play from there to the end of the
    /// game, or until a position comes again.
    fn continued(&self, moves: &[G::Move]) -> Vec<G::Move> {
        let mut line = self.line.clone();
        moves.iter().for_each(|&mv| line.push(mv));
        let mut moves = moves.to_vec();
        let Some(tables) = self.tables else { return moves };
        while moves.len() < MAX_LINE
            && line.position().outcome().is_none()
            && G::judge(&line, self.rules, Horizon::Game).verdict == Verdict::None
            && tables.covers(line.position())
            && line.earlier_occurrences().next().is_none()
        {
            let ranked = tables.ranked_moves(line.position()).unwrap_or_default();
            let Some(best) = ranked.first().filter(|best| best.entry.wdl != Wdl::Draw) else {
                break;
            };
            line.push(best.mv);
            moves.push(best.mv);
        }
        moves
    }

    fn print(&self, line: &Iteration<G::Move>, context: &mut Context<'_>) -> Result<(), CliError> {
        let (number, depth, score) = (line.multipv, line.depth, line.score);
        let pv = self.text(&self.continued(&line.pv), self.notation.shown());
        say!(context.out, "{number}. depth {depth}, {score}: {pv}")?;
        context.out.flush()?;
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
    let (books, tables) = (args.books.books(), args.tables.options());
    if args.books.is_empty() && tables.folders.is_empty() {
        return Ok(None);
    }
    let select = args.books.select();
    let options =
        EngineOptions { books, select, tables, rules, hash_mib: 1, ..EngineOptions::default() };
    let mut engine = Engine::<G>::new(options).or_exit(exit::UNAVAILABLE)?;
    let known = engine.consult(line);
    tell_warnings(&mut engine);
    Ok(known)
}

struct Answer<'a, G: Playable> {
    /// The position searched.
    fen: String,
    shown: Shown<'a, G>,
    /// The move of the book or the tablebases.
    known: Option<Choice<G::Move>>,
    /// There is no mate in this many moves.
    no_mate: Option<u32>,
    found: SearchResult<G::Move>,
    lines: Lines<G>,
    time: Duration,
}

impl<G: Terminal + Playable> Answer<'_, G> {
    fn json(&self) -> Value {
        let (cp, mate) = score_fields(self.found.score);
        let lines: Vec<_> = self
            .lines
            .iter()
            .map(|line| {
                let (cp, mate) = score_fields(line.score);
                let mut answer = json!({
                    "multipv": line.multipv,
                    "score_cp": cp,
                    "mate": mate,
                    "depth": line.depth,
                    "seldepth": line.seldepth,
                    "pv": texts::<G>(&line.pv),
                });
                let whole = self.shown.continued(&line.pv);
                if whole.len() > line.pv.len() {
                    answer["table_line"] = texts::<G>(&whole[line.pv.len()..]).into();
                }
                if let Some(notation) = self.shown.notation.asked() {
                    answer["text"] = self.shown.text(&whole, notation).into();
                }
                answer
            })
            .collect();
        let mut answer = json!({
            "schema": "juzhong.analyse/1",
            "fen": self.fen,
            "best": self.found.best.map(G::move_text),
            "score_cp": cp,
            "mate": mate,
            "no_mate_in": self.no_mate,
            "depth": self.found.depth,
            "nodes": self.found.nodes,
            "table_hits": self.found.table_hits,
            "known": self.known.as_ref().map(|known| json!({
                "move": G::move_text(known.mv),
                "source": known.source.name(),
                "value": known.table.as_ref().map(ToString::to_string),
            })),
            "time_ms": self.time.as_millis() as u64,
            "pv": texts::<G>(&self.found.pv),
            "lines": lines,
        });
        if let Some(notation) = self.shown.notation.asked() {
            let written = |mv| self.shown.position().write_move(mv, notation);
            answer["text"] = self.found.best.map(written).into();
            if let Some(known) = &self.known {
                answer["known"]["text"] = written(known.mv).into();
            }
        }
        answer
    }

    fn print(&self, context: &mut Context<'_>) -> Result<(), CliError> {
        let written = |mv| self.shown.position().write_move(mv, self.shown.notation.shown());
        if let Some(known) = &self.known {
            let mv = written(known.mv);
            say!(context.out, "{mv} from {}", describe::<G>(known))?;
        }
        if let Some(moves) = self.no_mate {
            say!(context.out, "no mate in {moves} can be forced")?;
        }
        let best = self.found.best.map_or_else(|| "none".to_owned(), written);
        let (nodes, ms) = (self.found.nodes, self.time.as_millis());
        say!(context.out, "best {best}, {}, {}, {ms} ms", self.found.score, counts::nodes(nodes))?;
        Ok(())
    }
}

fn texts<G: Notation>(moves: &[G::Move]) -> Vec<String> {
    moves.iter().map(|&mv| G::move_text(mv)).collect()
}

/// Centipawns, and moves to mate (negative if the side to move is mated); one of them is null.
fn score_fields(score: Score) -> (Option<i32>, Option<i64>) {
    match score.kind() {
        ScoreKind::MateIn(plies) => (None, Some(i64::from(plies.div_ceil(2)))),
        ScoreKind::MatedIn(plies) => (None, Some(-i64::from(plies.div_ceil(2)))),
        _ => (Some(score.value()), None),
    }
}
