//! `book doctor`: the examination and repair of books.

use std::io::Write;
use std::path::PathBuf;

use super::{DialectName, FormatName, ReachArgs};
use crate::cli::args::size::parse_size;
use crate::cli::exit::{self, by_kind};
use crate::cli::print::bar::Bar;
use crate::cli::{CliError, Context, GameName, write_answer};
use crate::language::{counts, say, text, word};
use juzhong::answers::book::{DoctorAnswer, RepairAnswer, dialect_name, share};
use juzhong::book::interop::{
    Diagnosis, DoctorOptions, RepairReport, examine, examine_gomoku, repair, repair_gomoku,
};
use juzhong::bytes::visible::{ShowPath, Visible};

/// Check a book (native or foreign) and write a repaired copy.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The book, native or of another program.
    book: PathBuf,
    /// Write a repaired copy to --output.
    #[arg(long, requires = "output")]
    repair: bool,
    /// New file for the repaired copy.
    #[arg(short, long, requires = "repair")]
    output: Option<PathBuf>,
    /// In the repaired copy, reduce extreme weights to the level of the other moves; otherwise weights are left
    /// unchanged.
    #[arg(long, requires = "repair")]
    weights: bool,
    /// Storage of keys of 2^63 and above in the repaired copy of an .obk, not all of which fit a double [default: as
    /// in the book].
    #[arg(long, value_enum, requires = "repair")]
    dialect: Option<DialectName>,
    /// Format of the file, if it cannot be detected.
    #[arg(long, value_enum)]
    from: Option<FormatName>,
    /// Number of examples shown for each fault.
    #[arg(long, default_value_t = 3)]
    examples: usize,
    /// Memory limit for the rows; larger books are refused.
    #[arg(long, default_value = "1GiB", value_parser = parse_size::<usize>)]
    memory: usize,
    #[command(flatten)]
    reach: ReachArgs,
}

pub(crate) fn run(args: &Args, context: &mut Context<'_>) -> Result<u8, CliError> {
    let of_gomoku = context.common.game == GameName::Gomoku;
    if of_gomoku && (args.from.is_some() || args.dialect.is_some()) {
        let message = "--from and --dialect are for books of xiangqi by other programs";
        return Err(CliError::message(exit::USAGE, message));
    }
    let bar = Bar::new();
    let options = DoctorOptions {
        from: args.from.map(Into::into),
        memory: args.memory,
        reach: args.reach.reach(&bar),
        examples: args.examples,
        weights: args.weights,
    };
    let repaired = match &args.output {
        Some(output) => {
            let dialect = args.dialect.map(Into::into);
            let repaired = if of_gomoku {
                repair_gomoku(&args.book, output, &options)
            } else {
                repair(&args.book, output, dialect, &options)
            };
            Some(repaired.map_err(by_kind)?)
        }
        None => None,
    };
    let diagnosis = match &repaired {
        Some(report) => report.diagnosis.clone(),
        None if of_gomoku => examine_gomoku(&args.book, &options).map_err(by_kind)?,
        None => examine(&args.book, &options).map_err(by_kind)?,
    };
    drop(bar);
    if context.common.json {
        let repair = args.output.as_ref().zip(repaired.as_ref());
        let repair = repair.map(|(output, report)| RepairAnswer::of(output, report));
        write_answer(context.out, &DoctorAnswer::of(&args.book, &diagnosis, repair))?;
    } else {
        print(args, &diagnosis, context.out)?;
        if let Some(repaired) = &repaired {
            print_repair(args, repaired, context.out)?;
        }
    }
    Ok(if diagnosis.is_healthy() { exit::OK } else { exit::FAILED })
}

fn print(args: &Args, found: &Diagnosis, out: &mut dyn Write) -> Result<(), CliError> {
    let verdict = word(if found.is_healthy() { "healthy" } else { "not healthy" });
    writeln!(out, "{}: {verdict} ({})", args.book.shown(), found.kind.name())?;
    say!(out, "rows       {} of {}", found.rows, counts::positions(found.positions))?;
    let percent = 100.0 * share(found.unreached, found.rows);
    say!(out, "unreached  {} ({percent:.2}%) from the start of a game", found.unreached)?;
    if found.is_cut {
        say!(out, "           the search ended at its limit; --positions N sets another")?;
    }
    if let Some(dialect) = found.dialect {
        write!(out, "{}", text!("keys       {}", dialect_name(dialect)))?;
        match found.punned {
            0 => writeln!(out)?,
            punned => say!(out, ", of which {punned} became integers and are found as such")?,
        }
    }
    say!(out, "disabled   {}", found.disabled)?;
    say!(out, "comments   {}", found.comments)?;
    if found.choices > 0 {
        say!(
            out,
            "choices    {} with several moves, {} of them without any preference",
            counts::positions(found.choices),
            found.equal_choices
        )?;
    }
    for finding in &found.findings {
        let issue = finding.issue;
        let notice = if issue.is_notice() { word("notice, ") } else { "" };
        let text = word(issue.text());
        writeln!(out, "{notice}{}: {} {text}", issue.name(), finding.count)?;
        for example in &finding.examples {
            writeln!(out, "    {}", Visible(example))?;
        }
    }
    Ok(())
}

fn print_repair(args: &Args, report: &RepairReport, out: &mut dyn Write) -> Result<(), CliError> {
    let output = args.output.as_ref().map_or_else(String::new, |path| path.shown().to_string());
    say!(out, "{output}: a clean copy of {}", counts::rows(report.written))?;
    say!(out, "dropped    {}", report.dropped)?;
    say!(out, "merged     {} into other rows of the same move", report.merged)?;
    say!(out, "changed    {}", counts::weights(report.changed))?;
    if report.learning > 0 {
        say!(
            out,
            "learning   {} with results of learning, left out",
            counts::records(report.learning)
        )?;
    }
    for lost in &report.lost {
        say!(out, "lost       {}", Visible(lost))?;
    }
    for issue in report.left() {
        say!(out, "left       {}", issue.text())?;
    }
    Ok(())
}
