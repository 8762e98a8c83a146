use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::{CliError, Context, GameName, OrExit, exit};
use crate::game::{Adjudicate, Heuristics, Line, Notation};
use crate::gomoku::Board;
use crate::search::{
    Control, Found, Iteration, Limits, MAX_HASH_MIB, MAX_MULTIPV, MAX_PLY, MAX_THREADS, Score,
    ScoreKind, SearchOptions, Searcher,
};
use crate::xiangqi::{Position, Setup};

/// Searched unless a limit is given.
const DEFAULT_TIME: Duration = Duration::from_secs(5);

/// Searches one position and shows the best lines.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The position to start from (default: the start of a game).
    #[arg(long)]
    fen: Option<String>,
    /// Moves from there, as one text or many: h2e2 h9g7 …
    #[arg(long, num_args = 1..)]
    moves: Vec<String>,
    /// Which rules judge repetitions.
    #[arg(long)]
    rules: Option<String>,
    /// Stop after this many plies.
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..MAX_PLY as i64))]
    depth: Option<u32>,
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
            soft_time: None,
            hard_time: self.movetime.map(Duration::from_millis),
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
        GameName::Xiangqi => {
            let clock = match &args.fen {
                Some(fen) => Setup::from_fen(fen).or_exit(exit::BAD_DATA)?.halfmove_clock,
                None => 0,
            };
            run_game::<Position>(args, clock, context)
        }
        GameName::Gomoku => run_game::<Board>(args, 0, context),
    }
}

fn run_game<G: Notation + Heuristics + Adjudicate>(
    args: &Args,
    clock: u32,
    context: &mut Context<'_>,
) -> Result<u8, CliError> {
    let line = read_line::<G>(args, clock)?;
    let rules = match &args.rules {
        Some(text) => text.parse().map_err(|_| {
            CliError::message(exit::USAGE, format_args!("unknown rules \"{text}\" for --rules"))
        })?,
        None => G::Rules::default(),
    };
    let mut searcher = Searcher::<G>::new(args.options()).or_exit(exit::UNAVAILABLE)?;
    let lines = Progress::default();
    let start = Instant::now();
    let found = searcher.run(&line, rules, &args.limits(), &(), &lines);
    let answer = Answer { line: &line, found, lines: lines.last(), time: start.elapsed() };
    if context.common.json {
        writeln!(context.out, "{}", answer.json())?;
    } else {
        answer.print(context)?;
    }
    Ok(exit::OK)
}

/// The position with its past.
fn read_line<G: Notation + Adjudicate>(args: &Args, clock: u32) -> Result<Line<G>, CliError> {
    let start = match &args.fen {
        Some(text) => G::parse_position(text).or_exit(exit::BAD_DATA)?,
        None => G::start(),
    };
    let mut line = Line::new(start, clock);
    for (i, text) in args.moves.iter().flat_map(|text| text.split_whitespace()).enumerate() {
        let mv = G::parse_move(text).filter(|&mv| line.position().is_legal(mv));
        let mv = mv.ok_or_else(|| {
            let fen = line.position().position_text();
            let number = i + 1;
            CliError::message(
                exit::BAD_DATA,
                format_args!("move {number} of --moves, \"{text}\", is not legal in {fen}"),
            )
        })?;
        line.push(mv);
    }
    Ok(line)
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

struct Answer<'a, G: Notation> {
    line: &'a Line<G>,
    found: Found<G::Move>,
    lines: Vec<Iteration<G::Move>>,
    time: Duration,
}

impl<G: Notation> Answer<'_, G> {
    fn json(&self) -> Value {
        let (cp, mate) = score_fields(self.found.score);
        let lines: Vec<_> = self
            .lines
            .iter()
            .map(|line| {
                let (cp, mate) = score_fields(line.score);
                json!({
                    "multipv": line.multipv,
                    "score_cp": cp,
                    "mate": mate,
                    "depth": line.depth,
                    "seldepth": line.seldepth,
                    "pv": texts::<G>(&line.pv),
                })
            })
            .collect();
        json!({
            "schema": "juzhong.analyse/1",
            "fen": self.line.position().position_text(),
            "best": self.found.best.map(G::move_text),
            "score_cp": cp,
            "mate": mate,
            "depth": self.found.depth,
            "nodes": self.found.nodes,
            "time_ms": self.time.as_millis() as u64,
            "pv": texts::<G>(&self.found.pv),
            "lines": lines,
        })
    }

    fn print(&self, context: &mut Context<'_>) -> Result<(), CliError> {
        for line in &self.lines {
            let (number, depth, score) = (line.multipv, line.depth, line.score);
            let pv = texts::<G>(&line.pv).join(" ");
            writeln!(context.out, "{number}. depth {depth}, {score}: {pv}")?;
        }
        let best = self.found.best.map_or_else(|| "none".to_owned(), G::move_text);
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
