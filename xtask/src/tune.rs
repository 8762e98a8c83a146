//! The weights of the evaluation, fitted to the results of games.

use std::path::{Path, PathBuf};

use anyhow::{bail, ensure};
use indicatif::{ProgressBar, ProgressStyle};
use juzhong::bytes::atomic;
use juzhong::gomoku::Board;
use juzhong::record::{Formats, ReadSummary};
use juzhong::xiangqi::Position;

use crate::GameName;
use crate::games::read_games;
use crate::tuning::{
    Fit, FitOptions, Foretold, OrderFit, OrderOptions, Samples, Sampling, Tunable, fit, fit_order,
    order_source, sample, source,
};

/// Fits the weights of the evaluation to the results of games: takes quiet positions, finds the
/// weights that foretell the results best, and writes them as Rust source. The outcome does not
/// depend on the number of threads.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Game of the weights.
    #[arg(long, value_enum, default_value = "xiangqi")]
    game: GameName,
    /// Game files in any format, and folders of them.
    #[arg(required = true)]
    inputs: Vec<PathBuf>,
    /// Source file to write: src/search/eval/xiangqi/numbers.rs, or for gomoku src/gomoku/weights.rs (with --moves
    /// src/search/eval/gomoku/order.rs). Without it the weights are fitted but not written.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Description of the games for the header of the source file.
    #[arg(long, default_value = "")]
    about: String,
    /// Fit the ordering of quiet moves to the moves played, instead of the evaluation (gomoku).
    #[arg(long, conflicts_with_all = ["min_plies", "quiet", "positions", "search", "comments", "blend", "steps",
        "rate", "spread", "threads"])]
    moves: bool,
    /// Number of threads (0: one per core).
    #[arg(long, default_value_t = 0)]
    threads: usize,
    /// Skip this many plies of games from the usual starting position.
    #[arg(long, value_name = "N", default_value_t = Sampling::default().skip_plies,
        help_heading = "Sampling")]
    skip_plies: usize,
    /// Skip shorter games.
    #[arg(long, value_name = "N", default_value_t = Sampling::default().min_plies,
        help_heading = "Sampling")]
    min_plies: usize,
    /// Largest gain by captures, in centipawns, in a position that counts as quiet.
    #[arg(long, value_name = "CP", default_value_t = Sampling::default().quiet,
        value_parser = clap::value_parser!(i32).range(0..=10_000), help_heading = "Sampling")]
    quiet: i32,
    /// Maximum number of positions.
    #[arg(long, value_name = "N", default_value_t = Sampling::default().most,
        help_heading = "Sampling")]
    positions: usize,
    /// Hold out one game in N for validation.
    #[arg(long, value_name = "N", default_value_t = Sampling::default().hold_out as u64,
        value_parser = clap::value_parser!(u64).range(2..), help_heading = "Sampling")]
    hold_out: u64,
    /// Also score each position by a search of this many nodes (0: by results alone).
    #[arg(long, value_name = "NODES", default_value_t = Sampling::default().search,
        help_heading = "Fitting")]
    search: u64,
    /// Use the scores that `match` wrote beside the moves; positions with a score are not searched.
    #[arg(long, help_heading = "Fitting")]
    comments: bool,
    /// Weight of these scores against the results, from 0 to 1.
    #[arg(long, value_name = "PART", default_value_t = FitOptions::default().blend,
        help_heading = "Fitting")]
    blend: f64,
    /// Number of optimiser steps.
    #[arg(long, value_name = "N", default_value_t = FitOptions::default().steps,
        value_parser = clap::value_parser!(u32).range(1..=100_000), help_heading = "Fitting")]
    steps: u32,
    /// Initial step size, in centipawns.
    #[arg(long, value_name = "CP", default_value_t = FitOptions::default().rate,
        help_heading = "Fitting")]
    rate: f64,
    /// Expected deviation of a weight from its initial value, in centipawns.
    #[arg(long, value_name = "CP", default_value_t = FitOptions::default().spread,
        help_heading = "Fitting")]
    spread: f64,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    match args.game {
        GameName::Xiangqi => run_game::<Position>(args),
        GameName::Gomoku => run_game::<Board>(args),
    }
}

fn run_game<G: Tunable + Formats>(args: &Args) -> anyhow::Result<()> {
    args.check()?;
    if args.moves {
        return fit_moves::<G>(args);
    }
    let pool = rayon::ThreadPoolBuilder::new().num_threads(args.threads).build()?;
    let (games, read) = read_games::<G>(&args.inputs)?;
    let samples = pool.install(|| sample(&games, &args.sampling()));
    ensure!(!samples[0].is_empty(), "no quiet position with a result in {} games", games.len());
    let bar = ProgressBar::new(u64::from(args.steps));
    bar.set_style(ProgressStyle::with_template("step {pos}/{len} {msg} {elapsed} eta {eta}")?);
    let fitted = pool.install(|| {
        fit(&samples, &G::weights(), &args.options(), &mut |step, loss| {
            bar.set_position(u64::from(step));
            bar.set_message(format!("loss {loss:.6}"));
        })
    });
    bar.finish_and_clear();
    if let Some(path) = &args.output {
        write_source(path, &source::<G>(&fitted.weights, &args.head(G::NAME, &samples, &fitted)))?;
    }
    report(&read, &samples, &fitted);
    Ok(())
}

/// Fits the order of quiet moves instead of the evaluation.
fn fit_moves<G: Tunable + Formats>(args: &Args) -> anyhow::Result<()> {
    if G::ORDER_WEIGHTS == 0 {
        bail!("the order of moves of {} is not tuned", G::NAME);
    }
    let options = OrderOptions {
        skip_plies: args.skip_plies,
        hold_out: args.hold_out as usize,
        ..Default::default()
    };
    let (games, read) = read_games::<G>(&args.inputs)?;
    let found = fit_order(&games, &options);
    ensure!(found.fitted.moves > 0, "no quiet move in {} games", games.len());
    if let Some(path) = &args.output {
        write_source(path, &order_source::<G>(&found.weights, &args.order_head(G::NAME, &found)))?;
    }
    println!("games      {}", read.games);
    for (name, told) in [("fitted", &found.fitted), ("held out", &found.held_out)] {
        let Foretold { moves, loss, first, first_four } = told;
        println!(
            "{name:<10} {moves} moves, loss {loss:.4}, {:.1} % first, {:.1} % among the first four",
            100.0 * first,
            100.0 * first_four
        );
    }
    Ok(())
}

fn write_source(path: &Path, text: &str) -> anyhow::Result<()> {
    Ok(atomic::write(path, text.as_bytes())?)
}

impl Args {
    fn check(&self) -> anyhow::Result<()> {
        for value in [self.rate, self.spread] {
            ensure!(value.is_finite() && value > 0.0, "--rate and --spread must be greater than 0");
        }
        ensure!((0.0..=1.0).contains(&self.blend), "--blend must be from 0 to 1");
        Ok(())
    }

    const fn sampling(&self) -> Sampling {
        Sampling {
            skip_plies: self.skip_plies,
            min_plies: self.min_plies,
            quiet: self.quiet,
            most: self.positions,
            hold_out: self.hold_out as usize,
            search: self.search,
            comments: self.comments,
        }
    }

    const fn options(&self) -> FitOptions {
        FitOptions { steps: self.steps, rate: self.rate, spread: self.spread, blend: self.blend }
    }

    /// A description of how the weights were made, for the head of the source.
    fn head(&self, game: &str, samples: &[Samples; 2], fitted: &Fit) -> String {
        let Self { positions, steps, rate, spread, quiet, search, blend, .. } = self;
        let Fit { before, after, .. } = fitted;
        let told = if self.comments { " --comments" } else { "" };
        format!(
            "cargo xtask tune --game {game} {} --skip-plies {} --min-plies {} --hold-out {} --positions {positions} --quiet {quiet} --search {search}{told} \
             --blend {blend} --steps {steps} --rate {rate} --spread {spread}\n\
             {} quiet positions, {} held out; logistic loss of those fitted {:.5} before\n\
             and {:.5} after, held out {:.5} and {:.5}.{}",
            self.names(),
            self.skip_plies,
            self.min_plies,
            self.hold_out,
            samples[0].len(),
            samples[1].len(),
            before.fitted,
            after.fitted,
            before.held_out,
            after.held_out,
            self.remark()
        )
    }

    /// The same for the order of moves.
    fn order_head(&self, game: &str, found: &OrderFit) -> String {
        let OrderFit { fitted, held_out, .. } = found;
        format!(
            "cargo xtask tune --game {game} --moves --skip-plies {} --hold-out {} {}\n{} moves, {} held out, of which {:.1} % first and {:.1} % among \
             the first four;\ncross entropy {:.4}, held out {:.4}.{}",
            self.skip_plies,
            self.hold_out,
            self.names(),
            fitted.moves,
            held_out.moves,
            100.0 * held_out.first,
            100.0 * held_out.first_four,
            fitted.loss,
            held_out.loss,
            self.remark()
        )
    }

    /// The names of the files of games.
    fn names(&self) -> String {
        let names: Vec<String> = self
            .inputs
            .iter()
            .filter_map(|path| Some(path.file_name()?.to_string_lossy().into_owned()))
            .collect();
        names.join(" ")
    }

    /// The user's remark on the games, as a paragraph of its own.
    fn remark(&self) -> String {
        if self.about.is_empty() { String::new() } else { format!("\n\n{}", self.about) }
    }
}

fn report(read: &ReadSummary, samples: &[Samples; 2], fitted: &Fit) {
    let Fit { slope, before, after, .. } = fitted;
    println!("games      {}", read.games);
    println!("positions  {} fitted, {} held out", samples[0].len(), samples[1].len());
    println!("slope      {slope:.6} for a centipawn");
    println!("loss       {:.6} before, {:.6} after", before.fitted, after.fitted);
    println!("held out   {:.6} before, {:.6} after", before.held_out, after.held_out);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parsed;

    /// Games of three lines, each with its mirror image.
    const GAMES: &str = "\
h8h9g7g8f7f6j6e7i7k5j7h7i6i5h5g4k6h6k8l9j9j8m6l6l7n5i10 1-0
h8h9h10k11g9i11g8f10g7g10f8i8g5g6e7d6d8e8f6h4c9 1-0
h8i9g6h10j8g10i6i10j10i8i11h9f11j9k9k6j7f9g9e10f10a1i7j6e11 1-0
";

    fn tune(args: &[&str]) -> anyhow::Result<()> {
        run(&parsed([&["tune"], args].concat()))
    }

    #[test]
    fn weights_are_fitted_to_games() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
        let games = &at("games.txt");
        std::fs::write(games, GAMES).unwrap();
        let gomoku = [games, "--game", "gomoku", "--hold-out", "3", "--skip-plies", "4", "-o"];
        let short = [&at("numbers.rs"), "--steps", "2", "--min-plies", "10", "--threads", "1"];
        tune(&[&gomoku[..], &short].concat()).unwrap();
        assert!(std::fs::read_to_string(at("numbers.rs")).unwrap().contains("static WEIGHTS"));
        tune(&[&gomoku[..], &[&at("order.rs"), "--moves"]].concat()).unwrap();
        assert!(std::fs::read_to_string(at("order.rs")).unwrap().contains("static ORDER"));
        let refused = tune(&[games, "--moves"]).unwrap_err().to_string();
        assert!(refused.contains("xiangqi is not tuned"), "{refused}");
        let refused = tune(&[games]).unwrap_err().to_string();
        assert!(refused.contains("no quiet position"), "{refused}");
    }
}
