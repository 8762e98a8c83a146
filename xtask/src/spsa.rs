//! Tuning of the numbers of search by games.

use std::fmt::Write;
use std::path::PathBuf;

use anyhow::{Context, bail, ensure};
use juzhong::answers::{BoardRequest, Described};
use juzhong::bytes::atomic;
use juzhong::bytes::visible::ShowPath;
use juzhong::contest::Contested;
use juzhong::game::{BySide, Heuristics, Line, Outcome, Side, Tunables};
use juzhong::gomoku::Board;
use juzhong::record::Record;
use juzhong::search::{Limits, SearchError, SearchOptions, Searcher};
use juzhong::xiangqi::Position;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use rayon::prelude::*;

use crate::GameName;
use crate::games::{below, play_out, progress, read_openings};

/// Tunes the margins, reductions and weights of search by games (SPSA, Spall 1992): pairs of quick games between numbers
/// that lie above or below the present ones, each by chance, and a step towards the side that scores better. The
/// numbers are written after every 16 pairs; the same command goes on from them. They do not depend on the number of
/// threads.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Files and folders of games and openings to begin from [default: the openings of the program].
    openings: Vec<PathBuf>,
    /// Game to play.
    #[arg(long, value_enum, default_value = "xiangqi")]
    game: GameName,
    /// File of the numbers.
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Pairs of games in all.
    #[arg(long, value_name = "N", default_value_t = 6_000, value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    pairs: u32,
    /// Nodes per move.
    #[arg(long, default_value_t = 4_000, value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    nodes: u64,
    /// The plies of an opening or game that are played before the first that is searched.
    #[arg(long, value_name = "N", default_value_t = 16)]
    plies: usize,
    /// The step after a pair that is won by two, in parts of the perturbation; it falls slowly.
    #[arg(long, default_value_t = 0.016)]
    rate: f64,
    /// Random seed.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Games played in parallel (0: one per core).
    #[arg(long, default_value_t = 0)]
    threads: usize,
}

/// Pairs that are played with the same numbers.
const BATCH: u32 = 16;
/// The perturbation at the end, as a part of the number that a tuning begins with ...
const PERTURBATION: f64 = 0.15;
/// ... and at least.
const LEAST_PERTURBATION: f64 = 2.0;
/// The exponents by which steps and perturbations fall, and the part of the pairs by which the first steps are damped, as
/// Spall (1998) advises.
const STEP_EXPONENT: f64 = 0.602;
const PERTURBATION_EXPONENT: f64 = 0.101;
const DAMPING: f64 = 0.1;
/// A game of this many plies is drawn.
const MOST_PLIES: usize = 240;

/// A number for each of the [`Tunables`].
type Numbers = [f64; Tunables::COUNT];

pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    match args.game {
        GameName::Xiangqi => tune::<Position>(args),
        GameName::Gomoku => tune::<Board>(args),
    }
}

fn tune<G: Contested + Described + Heuristics>(args: &Args) -> anyhow::Result<()> {
    ensure!(args.rate.is_finite() && args.rate > 0.0, "--rate is a number above 0");
    let start =
        BoardRequest::default().start::<G>().map_err(|refusal| anyhow::anyhow!("{refusal}"))?;
    let openings = if args.openings.is_empty() {
        G::built_in_openings(&start)
    } else {
        read_openings(&args.openings, &start)?
    };
    let mut course = match std::fs::read_to_string(&args.output) {
        Ok(text) => Course::read(&text, args).with_context(|| args.output.shown().to_string())?,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            Course { pairs: 0, numbers: G::TUNABLES.values().map(f64::from) }
        }
        Err(error) => return Err(error).with_context(|| args.output.shown().to_string()),
    };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(args.threads).build()?;
    let bar = progress(args.pairs.into(), "pairs")?;
    while course.pairs < args.pairs {
        bar.set_position(course.pairs.into());
        let last = args.pairs.min(course.pairs + BATCH);
        let trials: Vec<_> = pool.install(|| {
            (course.pairs..last)
                .into_par_iter()
                .with_max_len(1)
                .map(|pair| {
                    Trial::new::<G>(pair, args).played(&course.numbers, &start, &openings, args)
                })
                .collect::<Result<_, SearchError>>()
        })?;
        trials.iter().for_each(|trial| trial.step(&mut course.numbers));
        course.pairs = last;
        atomic::write(&args.output, course.text(args).as_bytes())?;
    }
    bar.finish_and_clear();
    print!("{}", course.text(args));
    Ok(())
}

/// How far a tuning has come.
#[derive(Debug, Clone, PartialEq)]
struct Course {
    /// Pairs played.
    pairs: u32,
    numbers: Numbers,
}

impl Course {
    /// The file of the numbers: what it was made with, the pairs played, a line for each number.
    fn text(&self, args: &Args) -> String {
        let mut text = format!("{}\npairs {}\n", args.head(), self.pairs);
        for (name, number) in Tunables::NAMES.iter().zip(self.numbers) {
            _ = writeln!(text, "{name} {number}");
        }
        text
    }

    fn read(text: &str, args: &Args) -> anyhow::Result<Self> {
        let mut lines = text.lines();
        if lines.next() != Some(&args.head()) {
            bail!("made with other options or by another program: name another file, or remove it");
        }
        let mut value = |name: &str| {
            let line = lines.next().and_then(|line| line.strip_prefix(name)?.strip_prefix(' '));
            line.with_context(|| format!("no line of {name}")).map(str::to_owned)
        };
        let pairs = value("pairs")?.parse()?;
        let mut numbers = [0.0; Tunables::COUNT];
        for (name, number) in Tunables::NAMES.iter().zip(&mut numbers) {
            *number = value(name)?.parse::<f64>()?;
            ensure!(number.is_finite(), "{name} is no number");
        }
        Ok(Self { pairs, numbers })
    }
}

impl Args {
    /// What the numbers depend on, but for the openings.
    fn head(&self) -> String {
        let Self { game, pairs, nodes, plies, rate, seed, .. } = self;
        format!("# spsa {game:?} pairs={pairs} nodes={nodes} plies={plies} rate={rate} seed={seed}")
    }
}

/// A pair of games between two sets of numbers.
struct Trial {
    chance: ChaCha8Rng,
    /// By how much each number differs from the present one, signed as the first player has it.
    perturbation: Numbers,
    /// The part of that which a result of half a point a game is worth.
    rate: f64,
    /// Half points of the first player more than of the second, in both games.
    result: i32,
}

impl Trial {
    fn new<G: Heuristics>(pair: u32, args: &Args) -> Self {
        let mut chance = ChaCha8Rng::seed_from_u64(args.seed);
        chance.set_stream(pair.into());
        let (done, all) = (f64::from(pair) + 1.0, f64::from(args.pairs));
        let growth = (all / done).powf(PERTURBATION_EXPONENT);
        let perturbation = G::TUNABLES.values().map(|value| {
            let end = (f64::from(value.abs()) * PERTURBATION).max(LEAST_PERTURBATION);
            if chance.next_u64() & 1 == 1 { end * growth } else { -end * growth }
        });
        let damping = DAMPING * all;
        let fall = ((damping + all) / (damping + done)).powf(STEP_EXPONENT);
        Self { chance, perturbation, rate: args.rate / 2.0 * fall / growth.powi(2), result: 0 }
    }

    /// The same trial with its result.
    fn played<G: Contested + Heuristics>(
        mut self,
        numbers: &Numbers,
        start: &G,
        openings: &[Record<G>],
        args: &Args,
    ) -> Result<Self, SearchError> {
        let opening = &openings[below(&mut self.chance, openings.len())];
        let mut line =
            Line::new(opening.start.clone().unwrap_or_else(|| start.clone()), opening.start_clock);
        opening.tree.moves.iter().take(args.plies).for_each(|&mv| line.push(mv));
        let limits = Limits::nodes(args.nodes);
        for first in Side::ALL {
            let player = |side| self.player(numbers, if side == first { 1.0 } else { -1.0 });
            let mut players = BySide { first: player(Side::First)?, second: player(Side::Second)? };
            match play_out(line.clone(), &mut players, &limits, MOST_PLIES) {
                Outcome::Draw => {}
                Outcome::Win(winner) => self.result += if winner == first { 1 } else { -1 },
            }
        }
        Ok(self)
    }

    /// A player with the numbers on one side of the present ones.
    fn player<G: Contested + Heuristics>(
        &self,
        numbers: &Numbers,
        sign: f64,
    ) -> Result<Searcher<G>, SearchError> {
        let options = SearchOptions { hash_mib: 4, ..SearchOptions::default() };
        let values =
            std::array::from_fn(|i| (numbers[i] + sign * self.perturbation[i]).round() as i32);
        Ok(Searcher::new(options)?.with_tunables(&Tunables::from_values(values)))
    }

    /// Moves the numbers towards the better player.
    fn step(&self, numbers: &mut Numbers) {
        for ((number, perturbation), range) in
            numbers.iter_mut().zip(self.perturbation).zip(Tunables::RANGES)
        {
            *number += self.rate * perturbation * f64::from(self.result);
            *number = number.clamp((*range.start()).into(), (*range.end()).into());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parsed;

    fn tuned(file: &std::path::Path, more: &[&str]) -> String {
        let words = ["spsa", "--pairs", "18", "--nodes", "20", "-o", file.to_str().unwrap()];
        run(&parsed([&words[..], more].concat())).unwrap();
        std::fs::read_to_string(file).unwrap()
    }

    #[test]
    fn numbers_do_not_depend_on_threads() {
        let folder = tempfile::tempdir().unwrap();
        for game in ["xiangqi", "gomoku"] {
            let of = |threads: &str| {
                tuned(&folder.path().join(threads), &["--game", game, "--threads", threads])
            };
            let text = of("1");
            assert_eq!(text, of("2"));
            assert!(text.contains("\npairs 18\naspiration "), "{text}");
            // Done already: nothing changes.
            assert_eq!(text, of("1"));
            ["1", "2"]
                .iter()
                .for_each(|name| std::fs::remove_file(folder.path().join(name)).unwrap());
        }
    }

    #[test]
    fn a_course_comes_back() {
        let args: Args = parsed(vec!["spsa", "-o", "x"]);
        let numbers = std::array::from_fn(|i| i as f64 / 3.0 - 5.0);
        let course = Course { pairs: 32, numbers };
        let text = course.text(&args);
        assert_eq!(Course::read(&text, &args).unwrap(), course);
        let other: Args = parsed(vec!["spsa", "-o", "x", "--seed", "2"]);
        assert!(Course::read(&text, &other).is_err());
        for end in [0, 20, 90, text.len() - 40] {
            assert!(Course::read(&text[..end], &args).is_err(), "{end}");
        }
    }

    #[test]
    fn numbers_move_towards_the_better_player() {
        let args: Args = parsed(vec!["spsa", "-o", "x"]);
        let mut trial = Trial::new::<Position>(0, &args);
        let mut numbers = [100.0; Tunables::COUNT];
        trial.step(&mut numbers);
        assert_eq!(numbers, [100.0; Tunables::COUNT]);
        trial.result = 2;
        trial.step(&mut numbers);
        let moved = numbers.iter().zip(trial.perturbation);
        assert!(moved.clone().all(|(number, by)| (number - 100.0) * by > 0.0));
    }
}
