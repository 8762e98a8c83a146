//! Games of a search with a network against the same search with the classical evaluation.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::ensure;
use juzhong::contest::{MatchResults, built_in_openings};
use juzhong::game::{BySide, Outcome};
use juzhong::record::Record;
use juzhong::search::eval::xiangqi::Evaluation;
use juzhong::search::{Limits, SearchError, SearchOptions, Searcher};
use juzhong::xiangqi::Position;
use rayon::prelude::*;

use crate::games::{line_of, play_out};

/// The options of games.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// File of the network.
    network: PathBuf,
    /// File of the network of the other side; without it that has the classical evaluation.
    #[arg(long, value_name = "FILE")]
    against: Option<PathBuf>,
    /// Pairs of games, each of an opening of the project with colours exchanged.
    #[arg(long, value_name = "N", default_value_t = 50)]
    pairs: usize,
    /// Nodes per move.
    #[arg(long, conflicts_with = "move_time", default_value_t = 5_000)]
    nodes: u64,
    /// Milliseconds per move instead.
    #[arg(long, value_name = "MS")]
    move_time: Option<u64>,
    /// Size of the transposition table of each side in MiB.
    #[arg(long, value_name = "MIB", default_value_t = 8)]
    hash: usize,
    /// Pairs played in parallel.
    #[arg(long, default_value_t = 1)]
    threads: usize,
}

/// A game of this many plies is drawn.
const MOST_PLIES: usize = 300;

pub(super) fn run(args: &Args) -> anyhow::Result<()> {
    let openings = built_in_openings(&Position::start());
    ensure!(!openings.is_empty(), "no openings");
    let sides =
        [super::evaluation(Some(&args.network))?, super::evaluation(args.against.as_ref())?];
    let pool = rayon::ThreadPoolBuilder::new().num_threads(args.threads).build()?;
    let outcomes: Vec<[Outcome; 2]> = pool.install(|| {
        (0..args.pairs)
            .into_par_iter()
            .with_max_len(1)
            .map(|pair| args.pair(&openings[pair % openings.len()], &sides))
            .collect::<Result<_, SearchError>>()
    })?;
    let mut results = MatchResults::default();
    outcomes.iter().flatten().for_each(|&outcome| results.add(outcome));
    let total = results.total();
    println!("network    +{} ={} -{}", total.wins, total.draws, total.losses);
    println!("pairs      {:?}", results.pairs);
    if let Some(estimate) = results.by_pairs() {
        println!("Elo        {:+.0} ({:+.0} to {:+.0})", estimate.elo, estimate.low, estimate.high);
    }
    Ok(())
}

impl Args {
    fn limits(&self) -> Limits {
        let time = self.move_time.map(|time| Limits::move_time(Duration::from_millis(time)));
        time.unwrap_or_else(|| Limits::nodes(self.nodes))
    }

    /// Two games from an opening; the network plays first in the first of them.
    fn pair(
        &self,
        opening: &Record<Position>,
        sides: &[Evaluation; 2],
    ) -> Result<[Outcome; 2], SearchError> {
        let options = SearchOptions { hash_mib: self.hash, ..SearchOptions::default() };
        let player = |side: usize| -> Result<Searcher<Position>, SearchError> {
            Ok(Searcher::new(options)?.with_evaluator(&sides[side]))
        };
        let mut first = BySide { first: player(0)?, second: player(1)? };
        let mut second = BySide { first: player(1)?, second: player(0)? };
        let line = line_of(opening, usize::MAX);
        let limits = self.limits();
        let game = |players: &mut _| play_out(line.clone(), players, &limits, MOST_PLIES);
        Ok([game(&mut first), game(&mut second)])
    }
}
