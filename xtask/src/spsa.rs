//! Tuning of the numbers of search by games.

use std::fmt::Write;
use std::io::ErrorKind;
use std::ops::RangeInclusive;
use std::path::PathBuf;

use anyhow::{Context, ensure};
use juzhong::bytes::atomic;
use juzhong::bytes::visible::ShowPath;
use juzhong::contest::Contested;
use juzhong::game::{BySide, Heuristics, Line, Outcome, Packed, Side, Tunables};
use juzhong::gomoku::Board;
use juzhong::search::{Limits, SearchError, SearchOptions, Searcher};
use juzhong::xiangqi::Position;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use rayon::prelude::*;

use crate::GameName;
use crate::games::{below, line_of, outcome_of, play_out, progress, read_openings};

/// Tunes the margins, reductions and weights of search by games (SPSA, Spall 1992): pairs of quick games between numbers
/// that lie above or below the present ones, each by chance, and a step towards the player that scores better. The
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
    /// Number that stays as it is, because the game does not use it; may be repeated.
    #[arg(long, value_name = "NAME", value_parser = Tunables::NAMES)]
    leave: Vec<String>,
    /// Pairs of games in all.
    #[arg(long, value_name = "N", default_value_t = 6_000, value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    pairs: u32,
    /// Nodes per move.
    #[arg(long, default_value_t = 4_000, value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    nodes: u64,
    /// The plies of an opening or game that are played before the first that is searched.
    #[arg(long, value_name = "N", default_value_t = 16, value_parser = clap::value_parser!(u32).range(..=100))]
    plies: u32,
    /// The step at the end after a pair in which one player wins both games, in parts of the difference from the present
    /// numbers; earlier steps are up to twice as large.
    #[arg(long, default_value_t = 0.016)]
    rate: f64,
    /// Random seed.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Games played in parallel, at most 32 (0: one per core).
    #[arg(long, default_value_t = 0)]
    threads: usize,
}

/// Pairs that are played with the same numbers.
const BATCH: u32 = 16;
/// The exponents by which steps and differences fall, and the part of the pairs by which the first steps are damped, as
/// Spall (1998) advises.
const STEP_EXPONENT: f64 = 0.602;
const DIFFERENCE_EXPONENT: f64 = 0.101;
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

fn tune<G: Contested + Heuristics>(args: &Args) -> anyhow::Result<()> {
    ensure!(args.rate > 0.0 && args.rate <= 1.0, "--rate is above 0 and at most 1");
    let openings = args.beginnings::<G>()?;
    let head = args.head(&openings);
    let name = || args.output.shown().to_string();
    let mut course = match std::fs::read_to_string(&args.output) {
        Ok(text) => Course::read(&text, head).with_context(name)?,
        Err(error) if error.kind() == ErrorKind::NotFound => {
            Course { head, pairs: 0, numbers: G::TUNABLES.values().map(f64::from) }
        }
        Err(error) => return Err(error).with_context(name),
    };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(args.threads).build()?;
    let bar = progress(args.pairs.into(), "pairs")?;
    while course.pairs < args.pairs {
        bar.set_position(course.pairs.into());
        pool.install(|| course.batch(&openings, args))?;
        atomic::write(&args.output, course.text().as_bytes())?;
    }
    bar.finish_and_clear();
    for (name, number) in Tunables::NAMES.iter().zip(course.numbers) {
        println!("{name}: {number:.0},");
    }
    Ok(())
}

impl Args {
    /// The lines that games begin with, none of which is over.
    fn beginnings<G: Contested>(&self) -> anyhow::Result<Vec<Line<G>>> {
        let start = G::start();
        let openings = if self.openings.is_empty() {
            G::built_in_openings(&start)
        } else {
            read_openings(&self.openings, &start)?
        };
        let lines = openings.iter().map(|opening| line_of(opening, self.plies as usize));
        let lines: Vec<_> = lines.filter(|line| outcome_of(line).is_none()).collect();
        ensure!(!lines.is_empty(), "the game is over after every opening");
        Ok(lines)
    }

    /// What the numbers depend on.
    fn head<G: Contested + Heuristics>(&self, openings: &[Line<G>]) -> String {
        let mut hasher = blake3::Hasher::new();
        for line in openings {
            hasher.update(&line.start().key().0.to_le_bytes());
            for mv in line.plies().iter().filter_map(|ply| ply.mv) {
                hasher.update(&mv.pack().to_le_bytes());
            }
            hasher.update(&u16::MAX.to_le_bytes());
        }
        let bounds = Tunables::RANGES.iter().flat_map(|range| [*range.start(), *range.end()]);
        for number in G::TUNABLES.values().into_iter().chain(Tunables::STEPS).chain(bounds) {
            hasher.update(&number.to_le_bytes());
        }
        let Self { game, leave, pairs, nodes, plies, rate, seed, .. } = self;
        let digest = &hasher.finalize().to_hex()[..16];
        format!(
            "# spsa {game:?} digest={digest} leave={leave:?} pairs={pairs} nodes={nodes} plies={plies} rate={rate} seed={seed}"
        )
    }
}

/// How far a tuning has come.
#[derive(Debug, Clone, PartialEq)]
struct Course {
    /// What the numbers depend on.
    head: String,
    /// Pairs played.
    pairs: u32,
    numbers: Numbers,
}

impl Course {
    /// Plays the next pairs.
    fn batch<G: Contested + Heuristics>(
        &mut self,
        openings: &[Line<G>],
        args: &Args,
    ) -> Result<(), SearchError> {
        let last = args.pairs.min(self.pairs + BATCH);
        let trials: Vec<_> = (self.pairs..last)
            .map(|pair| Trial::new(pair, &self.numbers, openings, args))
            .collect();
        let results: Vec<i32> = (0..2 * trials.len())
            .into_par_iter()
            .with_max_len(1)
            .map(|game| trials[game / 2].play(Side::ALL[game % 2], args))
            .collect::<Result<_, SearchError>>()?;
        for (trial, results) in trials.iter().zip(results.chunks(2)) {
            trial.step(results.iter().sum(), &mut self.numbers);
        }
        self.pairs = last;
        Ok(())
    }

    /// The file of the numbers: what they depend on, the pairs played, a line for each number.
    fn text(&self) -> String {
        let mut text = format!("{}\npairs {}\n", self.head, self.pairs);
        for (name, number) in Tunables::NAMES.iter().zip(self.numbers) {
            _ = writeln!(text, "{name} {number}");
        }
        text
    }

    fn read(text: &str, head: String) -> anyhow::Result<Self> {
        let mut lines = text.lines();
        ensure!(
            lines.next() == Some(&head),
            "made with other options, openings or numbers to begin with: name another file, or remove it"
        );
        let mut value = |name: &str| {
            let line = lines.next().and_then(|line| line.strip_prefix(name)?.strip_prefix(' '));
            line.with_context(|| format!("no line of {name}"))
        };
        let pairs = value("pairs")?.parse().context("pairs")?;
        let mut numbers = [0.0; Tunables::COUNT];
        for (name, number) in Tunables::NAMES.into_iter().zip(&mut numbers) {
            *number = value(name)?.parse().context(name)?;
        }
        let course = Self { head, pairs, numbers };
        let is_searched = |(number, range): (&f64, &RangeInclusive<i32>)| {
            (f64::from(*range.start())..=f64::from(*range.end())).contains(number)
        };
        ensure!(
            numbers.iter().zip(&Tunables::RANGES).all(is_searched),
            "a number out of its range"
        );
        // A number is written so that it comes back exactly: what differs was cut off or changed.
        ensure!(course.text() == text, "not as this program writes it");
        Ok(course)
    }
}

/// A pair of games between two sets of numbers.
struct Trial<'a, G: Contested> {
    opening: &'a Line<G>,
    players: [Tunables; 2],
    /// The step after a game won, in parts of the difference from the present numbers.
    rate: f64,
}

impl<'a, G: Contested + Heuristics> Trial<'a, G> {
    /// The trial of this number, from 0.
    fn new(pair: u32, numbers: &Numbers, openings: &'a [Line<G>], args: &Args) -> Self {
        let mut chance = ChaCha8Rng::seed_from_u64(args.seed);
        chance.set_stream(pair.into());
        let (done, all) = (f64::from(pair) + 1.0, f64::from(args.pairs));
        let growth = (all / done).powf(DIFFERENCE_EXPONENT);
        let mut differences = [0.0; Tunables::COUNT];
        for (i, difference) in differences.iter_mut().enumerate() {
            let size = growth * f64::from(Tunables::STEPS[i]);
            let signed = if chance.next_u64() & 1 == 1 { size } else { -size };
            let stays = args.leave.iter().any(|name| name == Tunables::NAMES[i]);
            *difference = if stays { 0.0 } else { signed };
        }
        let player = |sign: f64| {
            let value = |i: usize| (numbers[i] + sign * differences[i]).round() as i32;
            Tunables::from_values(std::array::from_fn(value))
        };
        let damping = DAMPING * all;
        let fall = ((damping + all) / (damping + done)).powf(STEP_EXPONENT);
        Self {
            opening: &openings[below(&mut chance, openings.len())],
            players: [player(1.0), player(-1.0)],
            rate: args.rate / 2.0 * fall / growth.powi(2),
        }
    }

    /// Plays the game in which the first player has `side`: 1 if it wins, -1 if it loses.
    fn play(&self, side: Side, args: &Args) -> Result<i32, SearchError> {
        let options = SearchOptions { hash_mib: 4, ..SearchOptions::default() };
        let player = |of: Side| -> Result<Searcher<G>, SearchError> {
            Ok(Searcher::new(options)?.with_tunables(&self.players[usize::from(of != side)]))
        };
        let mut players = BySide { first: player(Side::First)?, second: player(Side::Second)? };
        let limits = Limits::nodes(args.nodes);
        Ok(match play_out(self.opening.clone(), &mut players, &limits, MOST_PLIES) {
            Outcome::Draw => 0,
            Outcome::Win(winner) if winner == side => 1,
            Outcome::Win(_) => -1,
        })
    }

    /// Moves the numbers towards the better player; `result` is the games that the first one won less those that it lost.
    fn step(&self, result: i32, numbers: &mut Numbers) {
        let [first, second] = self.players.map(|player| player.values());
        for (i, number) in numbers.iter_mut().enumerate() {
            // What the players really had: at an end of its range a number is changed to one side only.
            let difference = f64::from(first[i] - second[i]) / 2.0;
            *number += self.rate * difference * f64::from(result);
            let range = &Tunables::RANGES[i];
            *number = number.clamp((*range.start()).into(), (*range.end()).into());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parsed;

    fn options(more: &[&str]) -> Args {
        let words = ["spsa", "--pairs", "18", "--nodes", "20", "-o", "x"];
        parsed([&words, more].concat())
    }

    fn tuned(args: &Args) -> String {
        run(args).unwrap();
        std::fs::read_to_string(&args.output).unwrap()
    }

    #[test]
    fn numbers_depend_neither_on_threads_nor_on_interruptions() {
        let folder = tempfile::tempdir().unwrap();
        for game in ["xiangqi", "gomoku"] {
            let of = |threads: &str| {
                let output = folder.path().join(format!("{game}{threads}"));
                Args { output, ..options(&["--game", game, "--threads", threads]) }
            };
            let text = tuned(&of("1"));
            assert!(text.contains("\npairs 18\naspiration "), "{text}");
            assert_eq!(text, tuned(&of("2")));
            // Done already: nothing changes.
            assert_eq!(text, tuned(&of("1")));
        }
        let args = Args { output: folder.path().join("again"), ..options(&["--threads", "1"]) };
        let openings = args.beginnings::<Position>().unwrap();
        let numbers = Position::TUNABLES.values().map(f64::from);
        let mut course = Course { head: args.head(&openings), pairs: 0, numbers };
        course.batch(&openings, &args).unwrap();
        assert_eq!(course.pairs, BATCH);
        std::fs::write(&args.output, course.text()).unwrap();
        let whole = std::fs::read_to_string(folder.path().join("xiangqi1")).unwrap();
        assert_eq!(tuned(&args), whole);
    }

    #[test]
    fn a_course_comes_back() {
        let numbers =
            std::array::from_fn(|i| f64::from(*Tunables::RANGES[i].end()) - i as f64 / 3.0);
        let course = Course { head: "# spsa".into(), pairs: 32, numbers };
        let text = course.text();
        assert_eq!(Course::read(&text, "# spsa".into()).unwrap(), course);
        assert!(Course::read(&text, "# other".into()).is_err());
        for end in (0..text.len()).filter(|&end| text.is_char_boundary(end)) {
            assert!(Course::read(&text[..end], "# spsa".into()).is_err(), "{end}");
        }
        for number in ["1001", "0", "NaN", "inf"] {
            let other = text.replace("aspiration 1000\n", &format!("aspiration {number}\n"));
            assert!(other != text && Course::read(&other, "# spsa".into()).is_err(), "{number}");
        }
    }

    #[test]
    fn numbers_move_towards_the_better_player_and_some_stay() {
        let args = options(&["--leave", "lmr_base"]);
        let openings = args.beginnings::<Position>().unwrap();
        let before = Position::TUNABLES.values().map(f64::from);
        let trial = Trial::new(0, &before, &openings, &args);
        let mut numbers = before;
        trial.step(0, &mut numbers);
        assert_eq!(numbers, before);
        trial.step(2, &mut numbers);
        for (i, name) in Tunables::NAMES.iter().enumerate() {
            let [first, second] = trial.players.map(|player| player.values()[i]);
            let moved = numbers[i] - before[i];
            assert_eq!(moved == 0.0, *name == "lmr_base", "{name}");
            assert!(moved * f64::from(first - second) >= 0.0, "{name}");
        }
    }
}
