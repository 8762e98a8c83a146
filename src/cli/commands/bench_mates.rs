//! `juzhong bench mates`: mates that searches claim, compared with tables.

use std::num::NonZero;
use std::path::PathBuf;

use crate::cli::{CliError, Context, OrExit, exit, write_answer};
use crate::language::say;
use juzhong::answers::{AnswerError, MatesAnswer, SampledPosition};
use juzhong::engine::{MateReport, MateSample, check_sample};
use juzhong::search::Limits;
use juzhong::tablebase::{Entry, Material, Metric, Rules, Tables};
use juzhong::xiangqi::{Position, RuleSet};

/// Sets in which repetition decides something.
const SETS: [&str; 5] = ["KRCvKR", "KRNvKR", "KRvKNC", "KRCvKN", "KRvKN"];

/// Check mates claimed by searches without tables against the tables.
///
/// Searches positions of tables without the tables and counts the mates that the tables contradict. Half of the
/// positions are drawn and all of their drawing moves are checks or chases; a third are decided by the repetition
/// rules alone.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Material to test, as in KRvKN; its tables must exist [default: KRCvKR KRNvKR KRvKNC KRCvKN KRvKN].
    #[arg(value_name = "MATERIAL")]
    materials: Vec<Material>,
    /// Folder of the tables.
    #[arg(long, value_name = "FOLDER")]
    tables: PathBuf,
    /// Repetition rules of tables and searches: check or asian.
    #[arg(long, value_name = "RULES", default_value = "asian", value_parser = ["check", "asian"])]
    rules: String,
    /// Positions per material set.
    #[arg(long, value_name = "N", default_value_t = 400, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    positions: u32,
    /// Nodes per search; every iteration is checked.
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: u64,
    /// Random seed.
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// List the positions without searching, each with its value for the side to move, its order and its distance.
    #[arg(long)]
    list: bool,
    /// Number of threads (default: one per core).
    #[arg(long, value_name = "N")]
    threads: Option<NonZero<u16>>,
}

pub(crate) fn run(args: &Args, context: &mut Context<'_>) -> Result<u8, CliError> {
    let (made, rules) = match args.rules.as_str() {
        "check" => (Rules::Check, RuleSet::Check),
        _ => (Rules::Asian, RuleSet::Asian),
    };
    let tables = Tables::open(&args.tables, made, Metric::Dtm).map_err(AnswerError::from)?;
    let materials = if args.materials.is_empty() {
        SETS.iter().filter_map(|name| name.parse().ok()).collect()
    } else {
        args.materials.clone()
    };
    let sample = MateSample { materials: &materials, positions: args.positions, seed: args.seed };
    let threads = args.threads.map_or(0, |threads| threads.get().into());
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let pool = pool.or_exit(exit::UNAVAILABLE)?;
    let positions = pool.install(|| sample.draw(&tables)).or_exit(exit::BAD_DATA)?;
    if args.list {
        return list(&positions, context);
    }
    let limits = Limits::nodes(args.nodes);
    let report = pool.install(|| check_sample(&positions, rules, &limits));
    let report = report.or_exit(exit::UNAVAILABLE)?;
    let has_failed = report.wrong + report.short > 0;
    let answer = MatesAnswer::new(report, &args.rules, args.nodes);
    if context.common.json {
        write_answer(context.out, &answer)?;
    } else {
        print(&answer.report, context)?;
    }
    Ok(if has_failed { exit::FAILED } else { exit::OK })
}

fn list(positions: &[(Position, Entry)], context: &mut Context<'_>) -> Result<u8, CliError> {
    for (position, entry) in positions {
        let row = SampledPosition::new(position, *entry);
        if context.common.json {
            write_answer(context.out, &row)?;
        } else {
            let SampledPosition { fen, wdl, order, distance } = row;
            writeln!(context.out, "{fen}\t{wdl}\t{order}\t{distance}")?;
        }
    }
    Ok(exit::OK)
}

fn print(report: &MateReport, context: &mut Context<'_>) -> Result<(), CliError> {
    let MateReport { positions, drawn, drawn_decided, by_rule, by_rule_found, .. } = report;
    let MateReport { contradicted, mates, wrong, short, mates_by_rule, .. } = report;
    let decided = positions - drawn;
    say!(context.out, "{drawn} drawn positions, {drawn_decided} of them scored as decided")?;
    say!(
        context.out,
        "{decided} decided positions, {contradicted} of them scored the other way round; {by_rule} of them by rule, {by_rule_found} of these scored so"
    )?;
    say!(
        context.out,
        "mates in {mates} positions: {wrong} wrong, {short} too short, {mates_by_rule} by rule"
    )?;
    for fen in &report.examples {
        writeln!(context.out, "{fen}")?;
    }
    Ok(())
}
