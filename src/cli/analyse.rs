use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::line_args::{LineArgs, NotationArgs, line_texts, parse_rules};
use super::play::describe;
use super::player::{BookArgs, TableArgs, tell_warnings};
use super::position::refuse;
use super::terminal::Terminal;
use super::{CliError, Context, GameName, OrExit, exit};
use juzhong::engine::{Choice, Endgames, Engine, EngineOptions, Playable};
use juzhong::game::{Line, Notation, ScoreKind};
use juzhong::gomoku::Board;
use juzhong::search::{
    Control, Found, Iteration, Limits, MAX_HASH_MIB, MAX_MULTIPV, MAX_PLY, MAX_THREADS, MateSearch,
    Score, SearchOptions, Searcher,
};
use juzhong::xiangqi::Position;
use juzhong::xiangqi::notation::MoveNotation;

/// Searched unless a limit is given.
const DEFAULT_TIME: Duration = Duration::from_secs(5);

/// Searches one position and shows the best lines.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    line: LineArgs,
    #[command(flatten)]
    notation: NotationArgs,
    /// Which rules judge repetitions (xiangqi: none, check, asian, computer or chinese; default
    /// asian).
    #[arg(long)]
    rules: Option<String>,
    #[command(flatten)]
    books: BookArgs,
    #[command(flatten)]
    tables: TableArgs,
    /// Stop after this many plies.
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..MAX_PLY as i64))]
    depth: Option<u32>,
    /// Look for a forced mate or stalemate in at most so many moves first: every one is found, and where
    /// there is none that is said.
    #[arg(long, value_name = "MOVES", value_parser = clap::value_parser!(u32).range(1..MAX_PLY as i64 / 2))]
    mate: Option<u32>,
    /// Stop after this many positions.
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,
    /// Stop after this many milliseconds (default, without another limit: 5000).
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..))]
    movetime: Option<u64>,
    /// How many of the best lines to search.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=MAX_MULTIPV as u64))]
    multipv: u64,
    /// Size of the hash table in MiB.
    #[arg(long, default_value_t = 64, value_parser = clap::value_parser!(u64).range(1..=MAX_HASH_MIB as u64))]
    hash: u64,
    /// Number of search threads; the answer is reproducible with one.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=MAX_THREADS as u64))]
    threads: u64,
}

impl Args {
    fn limits(&self) -> Limits {
        let limits = Limits {
            depth: self.depth,
            nodes: self.nodes,
            hard_time: self.movetime.map(Duration::from_millis),
            ..Limits::default()
        };
        if limits == Limits::default() { Limits::move_time(DEFAULT_TIME) } else { limits }
    }

    fn options(&self) -> SearchOptions {
        SearchOptions {
            hash_mib: self.hash as usize,
            threads: self.threads as usize,
            multipv: self.multipv as usize,
        }
    }
}

pub(super) fn run(args: &Args, context: &mut Context<'_>) -> Result<u8, CliError> {
    match context.common.game {
        GameName::Xiangqi => run_game::<Position>(args, context),
        GameName::Gomoku => run_game::<Board>(args, context),
    }
}

fn run_game<G: Terminal + Playable>(
    args: &Args,
    context: &mut Context<'_>,
) -> Result<u8, CliError> {
    let rules = parse_rules::<G>(args.rules.as_deref())?;
    let typed = match args.line.read::<G>() {
        Ok(typed) => typed,
        Err(refusal) => return refuse(refusal, context),
    };
    let line = typed.line;
    let tables = args.tables.options();
    let tables = (!tables.folders.is_empty()).then(|| G::Tables::open(&tables, rules)).transpose();
    let tables = tables.map_err(|message| CliError::message(exit::NO_INPUT, message))?;
    let known = consult::<G>(args, &line, rules)?;
    let mut searcher = Searcher::<G>::new(args.options()).or_exit(exit::UNAVAILABLE)?;
    let lines = Progress::default();
    let began = Instant::now();
    let limits = args.limits();
    let proof = args.mate.map(|moves| searcher.find_mate(&line, rules, moves, &limits, &lines));
    let no_mate = args.mate.filter(|_| proof.as_ref().is_some_and(MateSearch::is_refuted));
    let found = match (proof.and_then(|proof| proof.found), &tables) {
        (Some(mate), _) => mate,
        (None, Some(tables)) => searcher.run(&line, rules, &limits, tables, &lines),
        (None, None) => searcher.run(&line, rules, &limits, &(), &lines),
    };
    let time = began.elapsed();
    while let Some(warning) = tables.as_ref().and_then(Endgames::take_warning) {
        super::tell(format_args!("juzhong: {warning}"));
    }
    let fen = G::line_text(&line, typed.fullmoves);
    let answer = Answer::<G> {
        fen,
        position: line.position(),
        notation: args.notation,
        known,
        no_mate,
        found,
        lines: lines.last(),
        time,
    };
    if context.common.json {
        writeln!(context.out, "{}", answer.json())?;
    } else {
        answer.print(context)?;
    }
    Ok(exit::OK)
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

/// Keeps the lines of the last iteration.
struct Progress<M>(std::sync::Mutex<Vec<Iteration<M>>>);

impl<M> Default for Progress<M> {
    fn default() -> Self {
        Self(std::sync::Mutex::new(Vec::new()))
    }
}

impl<M: Clone> Progress<M> {
    fn last(&self) -> Vec<Iteration<M>> {
        self.0.lock().map(|lines| lines.clone()).unwrap_or_default()
    }
}

impl<M: Clone + Send> Control<M> for Progress<M> {
    fn should_stop(&self) -> bool {
        false
    }
    fn report(&self, iteration: &Iteration<M>) {
        if let Ok(mut lines) = self.0.lock() {
            lines.truncate(iteration.multipv as usize - 1);
            lines.push(iteration.clone());
        }
    }
}

struct Answer<'a, G: Terminal> {
    /// The position searched.
    fen: String,
    position: &'a G,
    notation: NotationArgs,
    /// The move of the book or the tablebases.
    known: Option<Choice<G::Move>>,
    /// There is no mate in this many moves.
    no_mate: Option<u32>,
    found: Found<G::Move>,
    lines: Vec<Iteration<G::Move>>,
    time: Duration,
}

impl<G: Terminal> Answer<'_, G> {
    /// The text of a line from the position.
    fn line_text(&self, moves: &[G::Move], notation: MoveNotation) -> String {
        line_texts(self.position, moves.iter().copied(), notation).join(" ")
    }

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
                if let Some(notation) = self.notation.asked() {
                    answer["text"] = self.line_text(&line.pv, notation).into();
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
        if let Some(notation) = self.notation.asked() {
            let written = |mv| self.position.write_move(mv, notation);
            answer["text"] = self.found.best.map(written).into();
            if let Some(known) = &self.known {
                answer["known"]["text"] = written(known.mv).into();
            }
        }
        answer
    }

    fn print(&self, context: &mut Context<'_>) -> Result<(), CliError> {
        for line in &self.lines {
            let (number, depth, score) = (line.multipv, line.depth, line.score);
            let pv = self.line_text(&line.pv, self.notation.shown());
            writeln!(context.out, "{number}. depth {depth}, {score}: {pv}")?;
        }
        if let Some(known) = &self.known {
            let mv = self.position.write_move(known.mv, self.notation.shown());
            writeln!(context.out, "{mv} from {}", describe(known))?;
        }
        if let Some(moves) = self.no_mate {
            writeln!(context.out, "no mate in {moves} can be forced")?;
        }
        let written = |mv| self.position.write_move(mv, self.notation.shown());
        let best = self.found.best.map_or_else(|| "none".to_owned(), written);
        let (nodes, ms) = (self.found.nodes, self.time.as_millis());
        writeln!(context.out, "best {best}, {}, {nodes} nodes, {ms} ms", self.found.score)?;
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
