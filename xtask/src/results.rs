//! The chances of results that scores stand for, fitted to games.

use std::path::PathBuf;

use anyhow::ensure;
use juzhong::engine::{Engine, EngineOptions};
use juzhong::game::{Line, Outcome, PHASES, Side, WinModel};
use juzhong::gomoku::Board;
use juzhong::record::{Formats, Record};
use juzhong::search::Limits;
use juzhong::xiangqi::Position;
use rayon::prelude::*;

use crate::GameName;
use crate::games::read_games;
use crate::tuning::Tunable;

/// Fits the chances of a win, a draw and a loss to the results of games: scores positions of them by a search, finds the
/// curve under which the results are most likely, and shows how well it fits the games held out. The outcome does not
/// depend on the number of threads.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Game of the evaluation.
    #[arg(long, value_enum, default_value = "xiangqi")]
    game: GameName,
    /// Game files in any format, and folders of them.
    #[arg(required = true)]
    inputs: Vec<PathBuf>,
    /// Nodes of the search that scores a position.
    #[arg(long, value_name = "NODES", default_value_t = 2_000,
        value_parser = clap::value_parser!(u64).range(1..))]
    search: u64,
    /// Skip this many plies of each game.
    #[arg(long, value_name = "N", default_value_t = 16)]
    skip_plies: usize,
    /// Then take one position in N, from a place that changes from game to game.
    #[arg(long, value_name = "N", default_value_t = 16,
        value_parser = clap::value_parser!(u64).range(1..))]
    every: u64,
    /// Hold out one game in N to be foretold.
    #[arg(long, value_name = "N", default_value_t = 5,
        value_parser = clap::value_parser!(u64).range(2..))]
    hold_out: u64,
    /// Number of threads (0: one per core).
    #[arg(long, default_value_t = 0)]
    threads: usize,
}

/// A position with the result of its game.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Scored {
    /// For the side to move.
    score: i32,
    phase: i32,
    /// The side to move won (0), drew (1) or lost (2).
    result: usize,
}

/// Greater scores count as this, in centipawns.
const MOST: i32 = 2_000;
/// The bounds between the rows of the table, in centipawns.
const ROWS: [i32; 8] = [25, 75, 150, 250, 400, 600, 1_000, MOST + 1];

pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    match args.game {
        GameName::Xiangqi => run_game::<Position>(args),
        GameName::Gomoku => run_game::<Board>(args),
    }
}

fn run_game<G: Tunable + Formats>(args: &Args) -> anyhow::Result<()> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(args.threads).build()?;
    let (games, _) = read_games::<G>(&args.inputs)?;
    let [fitted, held_out] = pool.install(|| scored(&games, args));
    ensure!(!fitted.is_empty(), "no position with a result in {} games", games.len());
    let model = fit(&fitted, &G::RESULT_MODEL);
    println!("positions  {} fitted, {} held out", fitted.len(), held_out.len());
    for (name, model) in
        [("in use", &G::RESULT_MODEL), ("reviews", &G::WIN_MODEL), ("fitted", &model)]
    {
        let WinModel { centre, centre_ending, spread } = model;
        println!(
            "{name:<10} centre {centre:.1}, {centre_ending:+.1} in the ending, spread {spread:.1}; \
             loss {:.5}, held out {:.5}",
            loss(&fitted, model),
            loss(&held_out, model)
        );
    }
    println!(
        "\nheld out, by the score of the side that is better: seen, foretold by the fitted curve"
    );
    println!("phase   score        positions  win            draw           loss");
    for phases in [
        (PHASES * 3 / 4)..=PHASES,
        (PHASES * 3 / 8)..=(PHASES * 3 / 4 - 1),
        0..=(PHASES * 3 / 8 - 1),
    ] {
        let rows = held_out.iter().filter(|row| phases.contains(&row.phase));
        table(&rows.map(|row| row.for_better()).collect::<Vec<_>>(), &phases, &model);
    }
    Ok(())
}

/// One table of what was seen and what the model foretells, a row for each range of scores.
fn table(rows: &[Scored], phases: &std::ops::RangeInclusive<i32>, model: &WinModel) {
    let mut from = 0;
    for to in ROWS {
        let within: Vec<&Scored> =
            rows.iter().filter(|row| (from..to).contains(&row.score)).collect();
        if !within.is_empty() {
            let count = within.len();
            let cells: Vec<String> = (0..3)
                .map(|result| {
                    let seen = within.iter().filter(|row| row.result == result).count();
                    let told: f64 = within.iter().map(|row| chances(row, model)[result]).sum();
                    format!("{:5.1}% {:5.1}%", percent(seen as f64, count), percent(told, count))
                })
                .collect();
            let (least, most) = (phases.start(), phases.end());
            let range = format!("{from}–{}", to - 1);
            println!("{least:>2}–{most:<2}   {range:<11} {count:>9}  {}", cells.join("  "));
        }
        from = to;
    }
}

fn percent(part: f64, whole: usize) -> f64 {
    100.0 * part / whole as f64
}

impl Scored {
    /// The same seen from the side that the score says is better.
    const fn for_better(self) -> Self {
        if self.score >= 0 {
            return self;
        }
        Self { score: -self.score, result: 2 - self.result, ..self }
    }
}

/// Positions of the games, to fit and held out, in the order of the games.
fn scored<G: Tunable>(games: &[Record<G>], args: &Args) -> [Vec<Scored>; 2] {
    let parts: Vec<Vec<Scored>> =
        games.par_iter().enumerate().map(|(number, game)| of_game(number, game, args)).collect();
    let mut sets = [Vec::new(), Vec::new()];
    for (number, part) in parts.into_iter().enumerate() {
        let is_held_out = (number as u64).is_multiple_of(args.hold_out);
        sets[usize::from(is_held_out)].extend(part);
    }
    sets
}

fn of_game<G: Tunable>(number: usize, game: &Record<G>, args: &Args) -> Vec<Scored> {
    let options = EngineOptions { hash_mib: 1, ..EngineOptions::default() };
    let (Some(outcome), Ok(mut engine)) = (game.result, Engine::<G>::new(options)) else {
        return Vec::new();
    };
    let every = args.every as usize;
    let first = args.skip_plies + number % every;
    let limits = Limits::nodes(args.search);
    let mut line = Line::new(game.start.clone().unwrap_or_else(G::start), game.start_clock);
    let mut rows = Vec::new();
    for (ply, &mv) in game.tree.moves.iter().enumerate() {
        if ply >= first && (ply - first).is_multiple_of(every) {
            let found = engine.search(&line, &limits, &()).and_then(|choice| choice.score);
            rows.extend(found.filter(|score| !score.is_decisive()).map(|score| Scored {
                score: score.value().clamp(-MOST, MOST),
                phase: line.position().phase(),
                result: result_for(line.position().turn(), outcome),
            }));
        }
        line.push(mv);
    }
    rows
}

fn result_for(side: Side, outcome: Outcome) -> usize {
    match outcome {
        Outcome::Draw => 1,
        Outcome::Win(winner) if winner == side => 0,
        Outcome::Win(_) => 2,
    }
}

/// The chances of the results of a position.
fn chances(row: &Scored, model: &WinModel) -> [f64; 3] {
    let gone = f64::from(PHASES - row.phase) / f64::from(PHASES);
    let centre = model.centre + model.centre_ending * gone;
    let chance = |score: i32| 1.0 / (1.0 + ((centre - f64::from(score)) / model.spread).exp());
    let [win, loss] = [row.score, -row.score].map(chance);
    [win, 1.0 - win - loss, loss]
}

/// The mean loss in nats for each position: the cross entropy.
fn loss(rows: &[Scored], model: &WinModel) -> f64 {
    let sum: f64 = rows.iter().map(|row| -chances(row, model)[row.result].max(1e-9).ln()).sum();
    sum / rows.len().max(1) as f64
}

/// The ways in which the numbers of the model are changed: each by itself, and two together.
const WAYS: [[f64; 3]; 5] =
    [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, -1.0, 0.0], [1.0, 0.0, 1.0]];

fn moved(model: &WinModel, by: &[f64; 3]) -> WinModel {
    let [centre, centre_ending, spread] = *by;
    WinModel {
        centre: model.centre + centre,
        centre_ending: model.centre_ending + centre_ending,
        spread: model.spread + spread,
    }
}

/// The model under which the results are most likely: each number in turn, in steps that shorten.
fn fit(rows: &[Scored], start: &WinModel) -> WinModel {
    let mut best = (loss(rows, start), *start);
    let mut step = 64.0;
    while step > 0.4 {
        let before = best.0;
        for way in WAYS {
            for step in [step, -step] {
                let model = moved(&best.1, &way.map(|part| part * step));
                let is_valid = model.centre > 0.0
                    && model.centre + model.centre_ending > 0.0
                    && model.spread > 1.0;
                let loss = if is_valid { loss(rows, &model) } else { f64::INFINITY };
                if loss < best.0 {
                    best = (loss, model);
                }
            }
        }
        if best.0 >= before {
            step /= 2.0;
        }
    }
    best.1
}

#[cfg(test)]
mod tests {
    use super::*;
    use juzhong::game::Heuristics;
    use juzhong::search::{Score, wdl};

    const MODEL: WinModel = WinModel { centre: 120.0, centre_ending: 60.0, spread: 90.0 };

    /// Positions whose results are as frequent as the model says.
    fn rows() -> Vec<Scored> {
        let mut rows = Vec::new();
        for phase in [0, 8, 16, 24, PHASES] {
            for score in (-600..=600).step_by(50) {
                let row = Scored { score, phase, result: 0 };
                for (result, chance) in chances(&row, &MODEL).into_iter().enumerate() {
                    let count = (200.0 * chance).round() as usize;
                    rows.extend(std::iter::repeat_n(Scored { result, ..row }, count));
                }
            }
        }
        rows
    }

    #[test]
    fn the_curve_of_made_up_results_is_found() {
        let found = fit(&rows(), &Position::WIN_MODEL);
        for (found, true_value) in [
            (found.centre, MODEL.centre),
            (found.centre_ending, MODEL.centre_ending),
            (found.spread, MODEL.spread),
        ] {
            assert!((found - true_value).abs() < 5.0, "{found} {true_value}");
        }
    }

    #[test]
    fn chances_are_those_of_the_search() {
        for phase in [0, 20, PHASES] {
            for score in [-300, -20, 0, 75, 900] {
                let told = chances(&Scored { score, phase, result: 0 }, &MODEL);
                let searched = wdl(Score::from_eval(score), phase, &MODEL);
                for (told, searched) in told.into_iter().zip(searched) {
                    assert!(
                        (1_000.0 * told - f64::from(searched)).abs() <= 1.0,
                        "{told} {searched}"
                    );
                }
            }
        }
    }
}
