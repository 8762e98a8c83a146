//! The worth of an evaluation in endings that tables know: the signs of its values, and the won positions that a search
//! without tables wins against perfect defence. The part of an advantage that counts there is fitted, too.

mod fit;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, ensure};
use juzhong::game::{Evaluator, Game, Line, Outcome};
use juzhong::search::eval::xiangqi::Evaluation;
use juzhong::search::{Limits, SearchOptions, Searcher};
use juzhong::tablebase::{Entry, Material, ProbeError, Tables, Wdl};
use juzhong::xiangqi::{Move, Position, RuleSet};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use rayon::prelude::*;

use crate::games::{below, outcome_of};
use crate::network::evaluation;
use crate::positions::read_tables;

/// Holds an evaluation against endgame tables.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Folder of tables.
    tables: PathBuf,
    /// Number of men of the sets from which positions are drawn; to fit, the greatest number.
    #[arg(long, value_name = "N", default_value_t = 5)]
    men: usize,
    /// Use the network of a file instead of the classical evaluation.
    #[arg(long, value_name = "FILE")]
    network: Option<PathBuf>,
    /// Positions whose values are compared; to fit, positions of each set.
    #[arg(long, value_name = "N", default_value_t = 20_000)]
    positions: u32,
    /// Compare the score of a search of this many nodes; 0 for the evaluation by itself.
    #[arg(long, value_name = "N", default_value_t = 0)]
    nodes: u64,
    /// Won positions that are played out.
    #[arg(long, value_name = "N", default_value_t = 0)]
    games: u32,
    /// Milliseconds per move of these games.
    #[arg(long, value_name = "MS", default_value_t = 100)]
    move_time: u64,
    /// Instead fit the part of an advantage that counts in each set of up to --men men, and write FILE
    /// (src/search/eval/xiangqi/ending_numbers.rs).
    #[arg(long, value_name = "FILE", conflicts_with_all = ["network", "nodes", "games", "move_time"])]
    fit: Option<PathBuf>,
    /// Seed of the positions.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Positions or games in parallel.
    #[arg(long, value_name = "N", default_value_t = 1)]
    threads: usize,
}

/// Values of drawn positions below this many centipawns count as right.
const LEVEL: i32 = 100;
/// A game of this many plies is not won.
const MOST_PLIES: usize = 240;
/// The sets that are listed, those in which most is wrong first.
const LISTED: usize = 20;

pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let tables = read_tables(&args.tables)?;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(args.threads).build()?;
    if let Some(file) = &args.fit {
        return pool.install(|| fit::run(&tables, args.men, args.positions, args.seed, file));
    }
    let materials: Vec<Material> =
        tables.materials().iter().copied().filter(|material| material.men() == args.men).collect();
    ensure!(!materials.is_empty(), "no tables of {} men in that folder", args.men);
    let endings = Endings {
        args,
        tables: &tables,
        materials,
        evaluation: evaluation(args.network.as_ref())?,
    };
    pool.install(|| endings.values())?;
    pool.install(|| endings.games())
}

/// Right ones among some values or games.
#[derive(Debug, Clone, Copy, Default)]
struct Share {
    right: u32,
    of: u32,
}

impl Share {
    fn add(&mut self, is_right: bool) {
        self.right += u32::from(is_right);
        self.of += 1;
    }

    const fn wrong(self) -> u32 {
        self.of - self.right
    }

    fn percent(self) -> f64 {
        100.0 * f64::from(self.right) / f64::from(self.of.max(1))
    }
}

struct Endings<'a> {
    args: &'a Args,
    tables: &'a Tables,
    materials: Vec<Material>,
    evaluation: Evaluation,
}

impl Endings<'_> {
    /// Prints how often values are right.
    fn values(&self) -> anyhow::Result<()> {
        let seen: Vec<Option<(Material, Wdl, bool)>> = (0..self.args.positions)
            .into_par_iter()
            .map(|number| self.value(number))
            .collect::<anyhow::Result<_>>()?;
        let mut by_result = BTreeMap::<Wdl, Share>::new();
        let mut by_material = BTreeMap::<Material, Share>::new();
        for (material, wdl, is_right) in seen.into_iter().flatten() {
            by_result.entry(wdl).or_default().add(is_right);
            by_material.entry(material).or_default().add(is_right);
        }
        for (wdl, share) in &by_result {
            println!(
                "{:<5} {:>6} of {:>6} right: {:.2} %",
                wdl.name(),
                share.right,
                share.of,
                share.percent()
            );
        }
        let mut worst: Vec<(Material, Share)> = by_material.into_iter().collect();
        worst.sort_by_key(|&(material, share)| (std::cmp::Reverse(share.wrong()), material));
        for (material, share) in worst.into_iter().take(LISTED) {
            println!("      {material} {} of {} right", share.right, share.of);
        }
        Ok(())
    }

    /// The result of a position drawn by chance, and whether its value agrees; `None` where a set has no position.
    fn value(&self, number: u32) -> anyhow::Result<Option<(Material, Wdl, bool)>> {
        let Some((material, position, entry)) = self.draw(number, None)? else { return Ok(None) };
        let value = match self.args.nodes {
            0 => self.evaluation.clone().evaluate(&position, 1),
            nodes => {
                let limits = Limits::nodes(nodes);
                self.searcher()?
                    .run(&Line::new(position, 0), RuleSet::default(), &limits, &(), &())
                    .score
                    .value()
            }
        };
        Ok(Some((material, entry.wdl, is_right(entry.wdl, value))))
    }

    /// Prints how many won positions are won.
    fn games(&self) -> anyhow::Result<()> {
        let played: Vec<Option<(Material, bool)>> = (0..self.args.games)
            .into_par_iter()
            .with_max_len(1)
            .map(|number| self.game(number))
            .collect::<anyhow::Result<_>>()?;
        let mut all = Share::default();
        let mut by_material = BTreeMap::<Material, Share>::new();
        for (material, is_won) in played.into_iter().flatten() {
            all.add(is_won);
            by_material.entry(material).or_default().add(is_won);
        }
        if all.of > 0 {
            println!("games {:>6} of {:>6} won: {:.2} %", all.right, all.of, all.percent());
        }
        for (material, share) in by_material.into_iter().filter(|(_, share)| share.wrong() > 0) {
            println!("      {material} {} of {} won", share.right, share.of);
        }
        Ok(())
    }

    /// Plays a won position out; returns whether it was won.
    fn game(&self, number: u32) -> anyhow::Result<Option<(Material, bool)>> {
        let Some((material, position, _)) = self.draw(number, Some(Wdl::Win))? else {
            return Ok(None);
        };
        let attacker = position.turn();
        let mut searcher = self.searcher()?;
        let limits = Limits::move_time(Duration::from_millis(self.args.move_time));
        let mut line = Line::new(position, 0);
        while line.len() < MOST_PLIES {
            if let Some(outcome) = outcome_of(&line) {
                return Ok(Some((material, outcome == Outcome::Win(attacker))));
            }
            let mv = if line.position().turn() == attacker {
                searcher
                    .run(&line, RuleSet::default(), &limits, &(), &())
                    .best
                    .context("no move")?
            } else {
                match self.defence(line.position())? {
                    Some(mv) => mv,
                    // The win is gone.
                    None => return Ok(Some((material, false))),
                }
            };
            line.push(mv);
        }
        Ok(Some((material, false)))
    }

    /// The move of a lost side after which its end is farthest away; `None` if it is not lost.
    fn defence(&self, position: &Position) -> anyhow::Result<Option<Move>> {
        let best = self.tables.probe_root(position)?.into_iter().next();
        Ok(best.filter(|(_, entry)| entry.wdl == Wdl::Loss).map(|(mv, _)| mv))
    }

    fn searcher(&self) -> anyhow::Result<Searcher<Position>> {
        let options = SearchOptions { hash_mib: 16, ..SearchOptions::default() };
        Ok(Searcher::new(options)?.with_evaluator(&self.evaluation))
    }

    /// A position of one of the sets, drawn by its number, with its entry.
    fn draw(
        &self,
        number: u32,
        wdl: Option<Wdl>,
    ) -> anyhow::Result<Option<(Material, Position, Entry)>> {
        let mut chance = ChaCha8Rng::seed_from_u64(self.args.seed);
        // Each number has random numbers of its own, so that threads change nothing.
        chance.set_stream(number.into());
        let material = self.materials[below(&mut chance, self.materials.len())];
        let drawn = random_position(self.tables, material, wdl, &mut chance)?;
        Ok(drawn.map(|(position, entry)| (material, position, entry)))
    }
}

/// A position of a set, with a result or any, half of the time with the colours exchanged.
fn random_position(
    tables: &Tables,
    material: Material,
    wdl: Option<Wdl>,
    chance: &mut ChaCha8Rng,
) -> Result<Option<(Position, Entry)>, ProbeError> {
    let swapped = below(chance, 2) == 1;
    let mut draw = |bound| below(chance, bound as usize) as u32;
    tables.random_position((material, swapped), wdl, &mut draw)
}

/// Returns true if a value for the side to move says what the table says.
const fn is_right(wdl: Wdl, value: i32) -> bool {
    match wdl {
        Wdl::Win => value > 0,
        Wdl::Draw => value.abs() < LEVEL,
        Wdl::Loss => value < 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_held_against_results() {
        let cases = [
            (Wdl::Win, 1, true),
            (Wdl::Win, 0, false),
            (Wdl::Loss, -1, true),
            (Wdl::Loss, 3, false),
        ];
        for (wdl, value, expected) in cases {
            assert_eq!(is_right(wdl, value), expected, "{wdl:?} {value}");
        }
        assert!(is_right(Wdl::Draw, -99) && !is_right(Wdl::Draw, 100));
    }
}
