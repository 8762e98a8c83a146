//! `juzhong tablebase plan`: what tables depend on, for workflow engines that build them.

use clap::ValueEnum;

use super::Measure;
use super::sets::Sets;
use crate::cli::{CliError, Context, exit, write_answer};
use juzhong::answers::AnswerError;
use juzhong::answers::tablebase::{PlanAnswer, USUAL_RULES};
use juzhong::tablebase::{Plan, Rules};

/// The workflow that `--format snakemake` writes behind its data, and that can be used without.
const SNAKEFILE: &str = include_str!("../../../../contrib/snakemake/Snakefile");

/// Write the dependencies of tables, for workflow engines that build them.
///
/// Lists the given tables and all that their captures lead to, each with its slots, memory and the smaller tables it
/// requires. Nothing is built.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    sets: Sets,
    /// Output format.
    #[arg(long, value_enum)]
    format: Option<Format>,
    /// Repetition rules: none, check (perpetual check loses) or asian (perpetual chase loses too).
    #[arg(long, default_value_t = USUAL_RULES)]
    rules: Rules,
    #[command(flatten)]
    measure: Measure,
}

/// How to write a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// One object with the slots, memory in bytes, file and required tables of each table (the default).
    Json,
    /// Graphviz graph.
    Dot,
    /// Makefile: make -f FILE -j 2 DIR=tables.
    Make,
    /// Snakefile for Snakemake 9: snakemake -s FILE --cores 2 --config dir=tables.
    Snakemake,
}

pub(crate) fn run(args: &Args, context: &mut Context<'_>) -> Result<u8, CliError> {
    let format = args.format.unwrap_or(Format::Json);
    if context.common.json && format != Format::Json {
        let message = "--json and another --format exclude each other; leave one out";
        return Err(CliError::message(exit::USAGE, message));
    }
    let materials = args.sets.materials()?;
    let plan = Plan::new(&materials, args.rules, args.measure.metric()?);
    let plan = plan.map_err(AnswerError::from)?;
    match format {
        Format::Json => write_answer(context.out, &PlanAnswer::from(plan))?,
        Format::Dot => write!(context.out, "{}", plan.to_dot())?,
        Format::Make => write!(context.out, "{}", plan.to_make())?,
        // An object of numbers, strings and lists is the same in Python.
        Format::Snakemake => {
            write!(context.out, "PLAN = ")?;
            write_answer(context.out, &PlanAnswer::from(plan))?;
            write!(context.out, "\n{SNAKEFILE}")?;
        }
    }
    Ok(exit::OK)
}
