//! `juzhong tune`.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;

use super::listing::claim_file;
use super::{CliError, Context, GameName, OrExit, exit, interrupt, tell, write_answer};
use juzhong::book::find_games;
use juzhong::bytes::visible::ShowPath;
use juzhong::bytes::{atomic, open};
use juzhong::gomoku::Board;
use juzhong::record::{Formats, ReadSummary, Record, read_packed};
use juzhong::tune::{
    Fit, FitOptions, Foretold, OrderFit, OrderOptions, Samples, Sampling, Tunable, fit, fit_order,
    order_source, sample, source,
};
use juzhong::xiangqi::Position;

/// Fits the weights of the evaluation to the results of games: takes quiet positions, finds the
/// weights that foretell the results best, and writes them as Rust source. The outcome does not
/// depend on the number of threads.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
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

pub(crate) fn run(args: &Args, context: &mut Context<'_>) -> Result<u8, CliError> {
    match context.common.game {
        GameName::Xiangqi => run_game::<Position>(args, context),
        GameName::Gomoku => run_game::<Board>(args, context),
    }
}

fn run_game<G: Tunable + Formats>(args: &Args, context: &mut Context<'_>) -> Result<u8, CliError> {
    args.check()?;
    if args.moves {
        return fit_moves::<G>(args, context);
    }
    let pool = rayon::ThreadPoolBuilder::new().num_threads(args.threads).build();
    let pool = pool.or_exit_with(exit::UNAVAILABLE, || "cannot start the threads")?;
    let (games, read) = read::<G>(&args.inputs)?;
    let samples = pool.install(|| sample(&games, &args.sampling()));
    if samples[0].is_empty() {
        let message = format!("no quiet position with a result in {} games", games.len());
        return Err(CliError::message(exit::BAD_DATA, message));
    }
    let bar = ProgressBar::new(u64::from(args.steps));
    if let Ok(style) = ProgressStyle::with_template("step {pos}/{len} {msg} {elapsed} eta {eta}") {
        bar.set_style(style);
    }
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
    report(&read, &samples, &fitted, context)
}

/// Fits the order of quiet moves instead of the evaluation.
fn fit_moves<G: Tunable + Formats>(args: &Args, context: &mut Context<'_>) -> Result<u8, CliError> {
    if G::ORDER_WEIGHTS == 0 {
        let message = format!("the order of moves of {} is not tuned", G::NAME);
        return Err(CliError::message(exit::USAGE, message));
    }
    let options = OrderOptions {
        skip_plies: args.skip_plies,
        hold_out: args.hold_out as usize,
        ..Default::default()
    };
    let (games, read) = read::<G>(&args.inputs)?;
    let OrderFit { weights, fitted, held_out } = fit_order(&games, &options);
    if fitted.moves == 0 {
        let message = format!("no quiet move in {} games", games.len());
        return Err(CliError::message(exit::BAD_DATA, message));
    }
    if let Some(path) = &args.output {
        let about = format!(
            "juzhong tune --game {} --moves --skip-plies {} --hold-out {} {}\n{} moves, {} held out, of which {:.1} % first and {:.1} % among the \
             first four;\ncross entropy {:.4}, held out {:.4}.{}",
            G::NAME,
            args.skip_plies,
            args.hold_out,
            args.names(),
            fitted.moves,
            held_out.moves,
            100.0 * held_out.first,
            100.0 * held_out.first_four,
            fitted.loss,
            held_out.loss,
            args.remark()
        );
        write_source(path, &order_source::<G>(&weights, &about))?;
    }
    if context.common.json {
        let answer = OrderAnswer {
            schema: "juzhong.tune_moves/1",
            games: read.games,
            fitted: fitted.into(),
            held_out: held_out.into(),
        };
        write_answer(context.out, &answer)?;
        return Ok(exit::OK);
    }
    writeln!(context.out, "games      {}", read.games)?;
    for (name, told) in [("fitted", fitted), ("held out", held_out)] {
        let Foretold { moves, loss, first, first_four } = told;
        let (first, four) = (100.0 * first, 100.0 * first_four);
        writeln!(
            context.out,
            "{name:<10} {moves} moves, loss {loss:.4}, {first:.1} % first, {four:.1} % among the first four"
        )?;
    }
    Ok(exit::OK)
}

fn write_source(path: &Path, text: &str) -> Result<(), CliError> {
    let _lock = claim_file(path)?;
    atomic::write(path, text.as_bytes()).or_exit_with(exit::CANNOT_CREATE, || path.shown())
}

impl Args {
    fn check(&self) -> Result<(), CliError> {
        let positive = |value: f64| value.is_finite() && value > 0.0;
        if !positive(self.rate) || !positive(self.spread) {
            return Err(CliError::message(
                exit::USAGE,
                "--rate and --spread must be greater than 0",
            ));
        }
        if !(0.0..=1.0).contains(&self.blend) {
            return Err(CliError::message(exit::USAGE, "--blend must be from 0 to 1"));
        }
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
            "juzhong tune --game {game} {} --skip-plies {} --min-plies {} --hold-out {} --positions {positions} --quiet {quiet} --search {search}{told} \
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

/// All games; bad ones are left out and counted.
fn read<G: Formats>(inputs: &[PathBuf]) -> Result<(Vec<Record<G>>, ReadSummary), CliError> {
    let mut games = Vec::new();
    let mut summary = ReadSummary::default();
    for file in find_games::<G>(inputs).or_exit(exit::NO_INPUT)?.files {
        let bytes = match open::read(&file, u64::MAX) {
            Err(error) if open::is_refused(&error) => {
                tracing::info!("{file:?}: {error}");
                summary.bad += 1;
                continue;
            }
            bytes => bytes.or_exit_with(exit::NO_INPUT, || file.shown())?,
        };
        let name = file.shown().to_string();
        let read = read_packed::<G>(
            &name,
            &bytes,
            &std::env::temp_dir(),
            &interrupt::stop_flag(),
            &mut |_, game| {
                games.extend(game.ok().map(|game| game.record));
                ControlFlow::Continue(())
            },
        );
        summary += read.or_exit_with(exit::IO, || name)?;
    }
    if summary.bad > 0 {
        tell(format_args!("juzhong: {} bad games left out", summary.bad));
    }
    Ok((games, summary))
}

fn report(
    read: &ReadSummary,
    samples: &[Samples; 2],
    fitted: &Fit,
    context: &mut Context<'_>,
) -> Result<u8, CliError> {
    let Fit { slope, before, after, .. } = fitted;
    if context.common.json {
        let answer = TuneAnswer {
            schema: "juzhong.tune/1",
            games: read.games,
            positions: samples[0].len(),
            held_out: samples[1].len(),
            slope: *slope,
            loss: LossAnswer { before: before.fitted, after: after.fitted },
            loss_held_out: LossAnswer { before: before.held_out, after: after.held_out },
        };
        write_answer(context.out, &answer)?;
        return Ok(exit::OK);
    }
    let out = &mut context.out;
    writeln!(out, "games      {}", read.games)?;
    writeln!(out, "positions  {} fitted, {} held out", samples[0].len(), samples[1].len())?;
    writeln!(out, "slope      {slope:.6} for a centipawn")?;
    writeln!(out, "loss       {:.6} before, {:.6} after", before.fitted, after.fitted)?;
    writeln!(out, "held out   {:.6} before, {:.6} after", before.held_out, after.held_out)?;
    Ok(exit::OK)
}

/// The answer of a fit of the evaluation: schema `juzhong.tune/1`.
#[derive(Debug, Serialize)]
struct TuneAnswer {
    schema: &'static str,
    games: u64,
    /// Positions fitted.
    positions: usize,
    /// Positions held out.
    held_out: usize,
    /// The slope of the curve for a centipawn.
    slope: f64,
    loss: LossAnswer,
    loss_held_out: LossAnswer,
}

/// A logistic loss before and after a fit.
#[derive(Debug, Serialize)]
struct LossAnswer {
    before: f64,
    after: f64,
}

/// The answer of a fit of the order of moves: schema `juzhong.tune_moves/1`.
#[derive(Debug, Serialize)]
struct OrderAnswer {
    schema: &'static str,
    games: u64,
    fitted: ForetoldAnswer,
    held_out: ForetoldAnswer,
}

/// How well moves are foretold.
#[derive(Debug, Serialize)]
struct ForetoldAnswer {
    moves: usize,
    loss: f64,
    /// The share of moves that stand first.
    first: f64,
    /// The share of moves among the first four.
    first_four: f64,
}

impl From<Foretold> for ForetoldAnswer {
    fn from(told: Foretold) -> Self {
        let Foretold { moves, loss, first, first_four } = told;
        Self { moves, loss, first, first_four }
    }
}
