//! `juzhong tablebase verify`: proofs of tables.

use std::num::NonZero;

use super::probe::describe;
use super::proving::Proving;
use super::sets::named;
use super::{Folder, report_of, tell_error};
use crate::cli::{CliError, Context, OrExit, exit, interrupt, write_answer};
use crate::language::{counts, say, text};
use juzhong::answers::tablebase::{FailedTable, VerifiedTable, VerifyAnswer};
use juzhong::bytes::visible::ShowPath;
use juzhong::message::{Message, message};
use juzhong::tablebase::{Mismatch, Pattern, Proofs, Verification, VerifyOptions, verify};

/// Verify tables with the ordinary legal move generator.
///
/// Recomputes every position from one ply of moves, and every round of the repetition rules. If any are wrong, shows
/// the first of them and exits with code 1. The smaller tables that captures lead to are trusted.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Material, as in KRvKN, or patterns, as in KRvK* (default: every table in the folder with these rules and
    /// metric).
    #[arg(value_name = "MATERIAL")]
    materials: Vec<Pattern>,
    #[command(flatten)]
    folder: Folder,
    /// Number of threads (default: one per core).
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
}

pub(crate) fn run(args: &Args, context: &mut Context<'_>) -> Result<u8, CliError> {
    let mut materials = named(&args.materials);
    let opened = args.folder.open()?;
    let dir = &args.folder.dir;
    let rules = opened.rules();
    let metric = opened.metric();
    if materials.is_empty() {
        materials.extend(opened.materials());
    }
    if materials.is_empty() {
        let message = message!("{}: no tables with rules {rules}, metric {metric}", dir.shown());
        return Err(CliError::message(exit::NO_INPUT, message));
    }
    let printer = Proving::new();
    interrupt::catch().or_exit(exit::IO)?;
    let threads = args.threads.and_then(|threads| NonZero::new(threads.into()));
    let options = VerifyOptions { rules, metric, threads, stop: interrupt::stop_flag() };
    let found = verify(dir, &materials, &options, &printer);
    printer.done();
    let Proofs { tables: found, interrupted } = found.or_exit(exit::IO)?;
    // The greatest exit code counts: those of errors are greater than that of a wrong table.
    let mut worst = exit::OK;
    let mut tables = Vec::new();
    for (material, result) in materials.iter().zip(found) {
        match result {
            Ok(table) => {
                worst = worst.max(if table.passed() { exit::OK } else { exit::FAILED });
                if !context.common.json {
                    print(&table, context)?;
                }
                tables.push(VerifiedTable::Proved((&table).into()));
            }
            Err(error) => {
                let error = report_of(&error.into());
                tell_error(&error);
                worst = worst.max(error.code);
                let material = material.to_string();
                tables.push(VerifiedTable::Failed(FailedTable { material, kind: None, error }));
            }
        }
    }
    let left = materials.len() - tables.len();
    if context.common.json {
        let passed = worst == exit::OK && !interrupted;
        write_answer(context.out, &VerifyAnswer::new((&opened).into(), passed, tables))?;
    }
    if interrupted {
        let message =
            message!("interrupted; {left} of {} not checked", counts::tables(materials.len()));
        return Err(CliError::message(exit::INTERRUPTED, message));
    }
    Ok(worst)
}

fn print(table: &Verification, context: &mut Context<'_>) -> Result<(), CliError> {
    let verdict = if table.passed() { text!("right") } else { text!("{} WRONG", table.wrong) };
    say!(context.out, "{}: {}, {verdict}", table.material, counts::positions(table.positions))?;
    for mismatch in &table.mismatches {
        writeln!(context.out, "  {}", text(mismatch))?;
    }
    Ok(())
}

fn text(mismatch: &Mismatch) -> Message {
    let Mismatch { fen, found, expected, check } = mismatch;
    if fen.is_empty() {
        return message!("the whole table: wrong {check}");
    }
    let found = found.map_or("nothing".to_owned(), describe);
    let expected =
        expected.map_or_else(Message::default, |e| message!(", its moves say {}", describe(e)));
    message!("{fen}: the table says {found}{expected} ({check})")
}

#[cfg(test)]
mod tests {
    use juzhong::tablebase::Entry;

    use super::*;

    /// The text of a mismatch.
    fn of(
        fen: &str,
        found: Option<Entry>,
        expected: Option<Entry>,
        check: &'static str,
    ) -> Message {
        text(&Mismatch { fen: fen.to_owned(), found, expected, check })
    }

    #[test]
    fn mismatches_in_words() {
        let (win, loss) = (Some(Entry::win(0, 1)), Some(Entry::loss(2, 4)));
        assert_eq!(of("", None, None, "content hash"), "the whole table: wrong content hash");
        assert_eq!(
            of("FEN", win, Some(Entry::DRAW), "one ply of legal moves"),
            "FEN: the table says win in 1 ply, its moves say draw (one ply of legal moves)"
        );
        assert_eq!(
            of("FEN", loss, None, "check"),
            "FEN: the table says loss by the repetition rule (order 2), the loop within 4 plies (check)"
        );
    }
}
