//! `juzhong tablebase`: generating, probing and proving tablebases.

mod clock;
mod generate;
mod line;
mod mine;
mod plan;
pub(crate) mod probe;
mod progress;
mod proving;
mod sets;
pub(crate) mod show;
mod verify;

use std::path::PathBuf;

use serde_json::{Value, json};

use super::{CliError, Context, GameName, exit, tell};
use juzhong::message::{Message, ToMessage, message};
use juzhong::tablebase::{
    GenerateError, Material, MaterialError, Metric, Rules, TableError, Tables, Wdl,
};
use juzhong::xiangqi::repetition::MOVE_LIMIT;

#[derive(Debug, clap::Subcommand)]
pub(crate) enum Command {
    /// Generate tables, along with the smaller tables their captures lead to.
    Generate(generate::Args),
    /// Probe positions.
    ///
    /// Shows the value of a position for the side to move, and of all its moves, best first. The folder must also hold
    /// the tables that captures lead to.
    Probe(probe::Args),
    /// Show the best line from a position.
    ///
    /// Both sides play their best moves: to mate, to the next capture (with dtc), or once around the loop that the
    /// repetition rules decide.
    Line(line::Args),
    /// Search tables for instructive positions.
    ///
    /// Finds mutual zugzwangs, wins by only moves, the longest wins, results decided only by the repetition rules, and
    /// wins of the weaker side. Counts them, each once up to symmetry, and shows a sample or all of them with the best
    /// line.
    Mine(mine::Args),
    /// Show the statistics of a table.
    Stats(show::StatsArgs),
    /// List the tables in a folder.
    List(show::ListArgs),
    /// Verify tables with the ordinary legal move generator.
    ///
    /// Recomputes every position from one ply of moves, and every round of the repetition rules. If any are wrong,
    /// shows the first of them and exits with code 1. The smaller tables that captures lead to are trusted.
    Verify(verify::Args),
    /// Write the dependencies of tables, for workflow engines that build them.
    ///
    /// Lists the given tables and all that their captures lead to, each with its slots, memory and the smaller tables
    /// it requires. Nothing is built.
    Plan(plan::Args),
}

/// The rules of tables unless others are named: those of play.
const DEFAULT_RULES: Rules = Rules::Asian;

/// Which tables.
#[derive(Debug, clap::Args)]
struct Folder {
    /// Folder of the tables.
    #[arg(long = "tables", visible_alias = "dir", value_name = "FOLDER")]
    dir: PathBuf,
    /// Repetition rules: none, check (perpetual check loses) or asian (perpetual chase loses too) [default: asian; when
    /// reading tables, check or none if the folder has no others].
    #[arg(long)]
    rules: Option<Rules>,
    #[command(flatten)]
    measure: Measure,
}

/// What distances count.
#[derive(Debug, clap::Args)]
struct Measure {
    /// Metric of distances: dtm (plies to mate) or dtc (plies to the next capture by either side, or mate).
    #[arg(long, default_value_t)]
    metric: Metric,
    /// With --metric dtc: count N plies without a capture as a draw, as 120 are in play. Same as --metric dtcN.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=Metric::MAX_LIMIT as i64))]
    limit: Option<u16>,
}

impl Measure {
    /// The metric, with its limit.
    fn metric(&self) -> Result<Metric, CliError> {
        let Some(plies) = self.limit else { return Ok(self.metric) };
        let limited = Metric::within(plies);
        match (self.metric, limited) {
            (Metric::Dtc, Some(limited)) => Ok(limited),
            (metric, Some(limited)) if metric == limited => Ok(limited),
            (metric, _) => {
                let message = message!("--limit {plies} needs --metric dtc, not {metric}");
                Err(CliError::message(exit::USAGE, message))
            }
        }
    }
}

impl Folder {
    fn metric(&self) -> Result<Metric, CliError> {
        self.measure.metric()
    }

    /// The rules of tables that are made.
    fn rules_to_make(&self) -> Rules {
        self.rules.unwrap_or(DEFAULT_RULES)
    }

    /// The tables that are read.
    fn open(&self) -> Result<Tables, CliError> {
        let metric = self.metric()?;
        let open = |rules| Tables::open(&self.dir, rules, metric).map_err(table_error);
        if let Some(rules) = self.rules {
            return open(rules);
        }
        for rules in [Rules::Check, Rules::None] {
            if open(DEFAULT_RULES)?.materials().is_empty() && !open(rules)?.materials().is_empty() {
                return open(rules);
            }
        }
        open(DEFAULT_RULES)
    }
}

/// Opens the tables of a folder.
///
/// # Errors
///
/// If there is no such folder, or its files cannot be read.
#[cfg(feature = "web")]
pub(crate) fn open_folder(dir: &std::path::Path) -> Result<Tables, CliError> {
    let measure = Measure { metric: Metric::default(), limit: None };
    Folder { dir: dir.to_owned(), rules: None, measure }.open()
}

/// A material as it was named: perhaps with the canonical second side first.
#[derive(Debug, Clone, Copy)]
struct Asked {
    material: Material,
    swapped: bool,
}

impl std::str::FromStr for Asked {
    type Err = MaterialError;
    fn from_str(text: &str) -> Result<Self, MaterialError> {
        Material::parse_as_asked(text).map(|(material, swapped)| Self { material, swapped })
    }
}

pub(crate) fn run(command: &Command, context: &mut Context<'_>) -> Result<u8, CliError> {
    if context.common.game != GameName::Xiangqi {
        return Err(CliError::message(exit::USAGE, "there are endgame tables for xiangqi only"));
    }
    match command {
        Command::Generate(args) => generate::run(args, context),
        Command::Probe(args) => probe::run(args, context),
        Command::Line(args) => line::run(args, context),
        Command::Mine(args) => mine::run(args, context),
        Command::Stats(args) => show::stats(args, context),
        Command::List(args) => show::list(args, context),
        Command::Verify(args) => verify::run(args, context),
        Command::Plan(args) => plan::run(args, context),
    }
}

/// The exit code of a tablebase error.
fn table_code(error: &TableError) -> u8 {
    match error {
        _ if error.is_missing() => exit::NO_INPUT,
        TableError::Read { .. } => exit::IO,
        _ if error.is_out_of_space() => exit::IO,
        TableError::Write { .. } => exit::CANNOT_CREATE,
        _ => exit::BAD_DATA,
    }
}

pub(crate) fn table_error(error: TableError) -> CliError {
    CliError::new(table_code(&error), error)
}

/// The message with its causes.
fn full_message(error: &TableError) -> Message {
    error.message().with_causes(error)
}

/// Prints the error of one tablebase among several; returns its exit code, and the error as JSON.
fn report_one(error: TableError) -> (u8, Value) {
    let code = table_code(&error);
    let message = full_message(&error);
    tell(message!("juzhong: {message}"));
    (code, json!({"code": code, "message": message}))
}

fn generate_error(error: GenerateError) -> CliError {
    let code = match &error {
        GenerateError::Table(error) => table_code(error),
        // What was asked for cannot be met, here or anywhere.
        GenerateError::Memory { .. }
        | GenerateError::TooLarge(_)
        | GenerateError::TooDeep(_)
        | GenerateError::TooManyMoves(_) => exit::USAGE,
        GenerateError::Disk { .. } => exit::CANNOT_CREATE,
        GenerateError::Interrupted => exit::INTERRUPTED,
        GenerateError::Threads(_) => exit::IO,
        _ => exit::BAD_DATA,
    };
    CliError::new(code, error)
}

/// Returns true if a value comes after the limit of plies without a capture that ends games at the
/// board; `None` where distances do not tell, or the table has a limit of its own.
fn is_beyond_limit(entry: juzhong::tablebase::Entry, metric: Metric) -> Option<bool> {
    (metric == Metric::Dtc).then(|| u32::from(entry.distance) > MOVE_LIMIT)
}

/// The distance as answers give it: null for draws.
fn distance_of(entry: juzhong::tablebase::Entry) -> Option<u16> {
    (entry.wdl != Wdl::Draw).then_some(entry.distance)
}
