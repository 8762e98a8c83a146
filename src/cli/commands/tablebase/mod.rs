//! `juzhong tablebase`: generating, probing and proving tablebases.

mod clock;
mod generate;
mod line;
mod mine;
mod plan;
mod probe;
mod progress;
mod proving;
mod sets;
mod show;
mod verify;

use std::path::PathBuf;

use crate::cli::{CliError, Context, GameName, exit, notice};
use crate::language::error_messages::in_full;
use juzhong::answers::tablebase::{USUAL_RULES, open_tables};
use juzhong::answers::{AnswerError, ErrorReport};
use juzhong::message::message;
use juzhong::tablebase::{Metric, Rules, Tables};

#[derive(Debug, clap::Subcommand)]
pub(crate) enum Command {
    Generate(generate::Args),
    Probe(probe::Args),
    Line(line::Args),
    Mine(mine::Args),
    Stats(show::StatsArgs),
    List(show::ListArgs),
    Verify(verify::Args),
    Plan(plan::Args),
}

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
        self.rules.unwrap_or(USUAL_RULES)
    }

    /// The tables that are read.
    fn open(&self) -> Result<Tables, CliError> {
        Ok(open_tables(&self.dir, self.rules, self.metric()?)?)
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

/// Prints an error about one of several tables or positions, for which the others are answered all the same.
fn tell_error(error: &ErrorReport) {
    notice(error.message.clone());
}

/// An error about one of several tables or positions.
fn report_of(error: &AnswerError) -> ErrorReport {
    ErrorReport { code: exit::code_of(error.kind()), message: in_full(error) }
}
