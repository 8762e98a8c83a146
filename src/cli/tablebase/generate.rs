use std::num::NonZero;

use serde_json::{Value, json};

use super::progress::{Printer, Show, estimate_numbers, estimate_text, plan_numbers, plan_text};
use super::sets::Sets;
use super::{Folder, generate_error};
use crate::cli::language::{counts, say};
use crate::cli::size::parse_size;
use crate::cli::{CliError, Context, OrExit, exit, interrupt};
use juzhong::bytes::machine::available_memory;
use juzhong::bytes::visible::ShowPath;
use juzhong::tablebase::{GenerateOptions, Report, TableState, Workload, generate_all, workload};

/// Builds tables.
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
        let plan = workload(&args.folder.dir, &materials, &options).map_err(generate_error)?;
        show_plan(&plan, args, context)?;
        return plan.check(options.memory).map(|()| exit::OK).map_err(generate_error);
    }
    interrupt::catch().and_then(|()| interrupt::insist()).or_exit(exit::IO)?;
    options.stop = interrupt::stop_flag();
    let printer = Printer::with(args.progress);
    let report = generate_all(&args.folder.dir, &materials, &options, &printer);
    printer.done();
    show_report(&report.map_err(generate_error)?, args, context)?;
    Ok(exit::OK)
}

fn show_plan(plan: &Workload, args: &Args, context: &mut Context<'_>) -> Result<(), CliError> {
    let out = &mut context.out;
    if context.common.json {
        let tables: Vec<Value> = plan
            .tables
            .iter()
            .map(|table| {
                let mut fields = estimate_numbers(&table.estimate);
                let (state, bytes) = match table.state {
                    TableState::Absent => ("absent", None),
                    TableState::Older => ("older", None),
                    TableState::Present(bytes) => ("present", Some(bytes)),
                };
                fields["state"] = state.into();
                fields["bytes"] = bytes.into();
                fields
            })
            .collect();
        let answer = json!({
            "schema": "juzhong.tablebase.generate.plan/1",
            "rules": args.folder.rules_to_make().name(),
            "metric": args.folder.metric()?.to_string(),
            "total": plan_numbers(plan),
            "tables": tables,
        });
        writeln!(out, "{answer}")?;
        return Ok(());
    }
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

fn show_report(report: &Report, args: &Args, context: &mut Context<'_>) -> Result<(), CliError> {
    if context.common.json {
        let tables: Vec<_> = report
            .tables
            .iter()
            .map(|built| {
                json!({
                    "material": built.material.to_string(),
                    "path": built.path.display().to_string(),
                    "bytes": built.bytes,
                    "reused": built.reused,
                })
            })
            .collect();
        let answer = json!({
            "schema": "juzhong.tablebase.generate/1",
            "rules": args.folder.rules_to_make().name(),
            "metric": args.folder.metric()?.to_string(),
            "tables": tables,
        });
        writeln!(context.out, "{answer}")?;
        return Ok(());
    }
    let built = report.tables.iter().filter(|table| !table.reused).count();
    let bytes: u64 = report.tables.iter().map(|table| table.bytes).sum();
    say!(
        context.out,
        "{} in {} ({built} built now), {}",
        counts::tables(report.tables.len()),
        args.folder.dir.shown(),
        counts::bytes(bytes)
    )?;
    Ok(())
}
