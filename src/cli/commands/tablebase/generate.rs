//! `juzhong tablebase generate`: tables built, and what building them would need.

use std::num::NonZero;
use std::path::Path;

use super::Folder;
use super::progress::{Printer, Show, estimate_text, plan_text};
use super::sets::Sets;
use crate::cli::args::size::parse_size;
use crate::cli::{CliError, Context, OrExit, exit, interrupt, write_answer};
use crate::language::{counts, say};
use juzhong::answers::AnswerError;
use juzhong::answers::tablebase::{GenerateAnswer, GeneratePlanAnswer};
use juzhong::bytes::machine::available_memory;
use juzhong::bytes::visible::ShowPath;
use juzhong::tablebase::{GenerateOptions, Report, TableState, Workload, generate_all, workload};

/// Generate tables, along with the smaller tables their captures lead to.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  juzhong tablebase generate KRvKN --tables tables         KRvKN and what its captures lead to
  juzhong tablebase generate 'KRNvK*' --tables tables      against any advisors and elephants
  juzhong tablebase generate --men 4 --tables tables       all sets of up to four men
  juzhong tablebase generate --men 5 --tables tables --dry-run

Finished tables are kept: after an interruption (exit code 75), run the same command again to resume.
Several runs may work in one folder at the same time; they divide the tables among themselves.")]
pub(crate) struct Args {
    #[command(flatten)]
    sets: Sets,
    #[command(flatten)]
    folder: Folder,
    /// Number of threads (default: one per core).
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// Refuse sets that need more memory than this, as in 2GiB (default: the free memory of the machine).
    #[arg(long, value_name = "SIZE", value_parser = parse_size::<u64>)]
    memory: Option<u64>,
    /// Only report what would be built, and the memory, disk space and time it needs.
    #[arg(long)]
    dry_run: bool,
    /// Progress display on standard error.
    #[arg(long, value_enum, value_name = "HOW", default_value_t)]
    progress: Show,
}

pub(crate) fn run(args: &Args, context: &mut Context<'_>) -> Result<u8, CliError> {
    let materials = args.sets.materials()?;
    let mut options = GenerateOptions {
        rules: args.folder.rules_to_make(),
        metric: args.folder.metric()?,
        threads: args.threads.and_then(|threads| NonZero::new(threads.into())),
        memory: args.memory.or_else(available_memory),
        ..GenerateOptions::default()
    };
    if args.dry_run {
        let plan = workload(&args.folder.dir, &materials, &options);
        let plan = plan.map_err(AnswerError::from)?;
        show_plan(&plan, &options, context)?;
        plan.check(options.memory).map_err(AnswerError::from)?;
        return Ok(exit::OK);
    }
    interrupt::catch().and_then(|()| interrupt::insist()).or_exit(exit::IO)?;
    options.stop = interrupt::stop_flag();
    let printer = Printer::with(args.progress);
    let report = generate_all(&args.folder.dir, &materials, &options, &printer);
    printer.done();
    show_report(&report.map_err(AnswerError::from)?, &args.folder.dir, &options, context)?;
    Ok(exit::OK)
}

fn show_plan(
    plan: &Workload,
    options: &GenerateOptions,
    context: &mut Context<'_>,
) -> Result<(), CliError> {
    if context.common.json {
        let answer = GeneratePlanAnswer::new(plan, options.rules, options.metric);
        write_answer(context.out, &answer)?;
        return Ok(());
    }
    let out = &mut context.out;
    for table in &plan.tables {
        match table.state {
            TableState::Present(bytes) => {
                say!(out, "{}: there, {bytes} bytes", table.estimate.material)?;
            }
            TableState::Absent | TableState::Older => {
                writeln!(out, "{}", estimate_text(&table.estimate, plan.threads))?;
            }
        }
    }
    writeln!(out, "{}", plan_text(plan))?;
    Ok(())
}

fn show_report(
    report: &Report,
    dir: &Path,
    options: &GenerateOptions,
    context: &mut Context<'_>,
) -> Result<(), CliError> {
    if context.common.json {
        let answer = GenerateAnswer::new(report, options.rules, options.metric);
        write_answer(context.out, &answer)?;
        return Ok(());
    }
    let built = report.tables.iter().filter(|table| !table.reused).count();
    let bytes: u64 = report.tables.iter().map(|table| table.bytes).sum();
    say!(
        context.out,
        "{} in {} ({built} built now), {}",
        counts::tables(report.tables.len()),
        dir.shown(),
        counts::bytes(bytes)
    )?;
    Ok(())
}
