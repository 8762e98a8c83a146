use std::io::Write;
use std::path::PathBuf;

use serde_json::{Value, json};

use super::super::interrupt::stop_flag;
use super::super::size::parse_size;
use super::super::terminal::Terminal;
use super::super::{CliError, Context, GameName, exit};
use super::from_remake;
use crate::cli::language::{counts, say, text};
use juzhong::book::{MergeOptions, MergeReport, merge};
use juzhong::bytes::visible::ShowPath;
use juzhong::game::Symmetric;
use juzhong::gomoku::Board;
use juzhong::xiangqi::Position;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The books. No game may be counted in two of them, unless one book counts all games of the other and keeps as
    /// many moves of them.
    #[arg(required = true, num_args = 2.., value_name = "BOOK")]
    books: Vec<PathBuf>,
    /// Output file for the merged book. Edits are kept but can no longer be undone.
    #[arg(short, long)]
    output: PathBuf,
    /// Memory for sorting, such as 512MiB; the rest goes to temporary files.
    #[arg(long, default_value = "512MiB", value_parser = parse_size::<usize>)]
    memory: usize,
}

pub(crate) fn run(args: &Args, context: &mut Context<'_>) -> Result<u8, CliError> {
    match context.common.game {
        GameName::Xiangqi => run_game::<Position>(args, context),
        GameName::Gomoku => run_game::<Board>(args, context),
    }
}

fn run_game<G: Terminal + Symmetric>(
    args: &Args,
    context: &mut Context<'_>,
) -> Result<u8, CliError> {
    let was_backed = args.books.iter().any(|book| super::is_backed(book));
    let options = MergeOptions { memory: args.memory, stop: stop_flag() };
    let report = merge::<G>(&args.books, &args.output, &options).map_err(from_remake)?;
    if context.common.json {
        writeln!(context.out, "{}", answer(args, &report))?;
    } else {
        print(args, &report, context.out)?;
    }
    super::tell_unbacked(was_backed, &args.output);
    Ok(exit::OK)
}

/// The share of a book's rows that were found under other keys.
fn share(unreached: u64, rows: u64) -> f64 {
    unreached as f64 / rows.max(1) as f64
}

fn answer(args: &Args, report: &MergeReport) -> Value {
    let about = &report.metadata;
    let books: Vec<Value> = report
        .books
        .iter()
        .map(|book| {
            json!({
                "book": book.path.to_string_lossy(),
                "games": book.games,
                "moves": book.rows,
                "contained": book.is_contained,
                "rekeyed": book.is_rekeyed,
                "unreached": book.unreached,
                "unreached_share": share(book.unreached, book.rows),
            })
        })
        .collect();
    json!({
        "schema": "juzhong.book.merge/1",
        "book": args.output.to_string_lossy(),
        "games": about.counts.games,
        "positions": about.positions,
        "moves": about.rows,
        "marks": report.marks,
        "conflicts": report.conflicts,
        "max_ply": about.max_ply,
        "depths_differ": report.depths_differ,
        "min_games": about.min_games,
        "pruned": about.pruned,
        "content": about.content,
        "books": books,
    })
}

fn print(args: &Args, report: &MergeReport, out: &mut dyn Write) -> Result<(), CliError> {
    let about = &report.metadata;
    let book = args.output.shown();
    say!(out, "{book}: {} of {}", counts::moves(about.rows), counts::positions(about.positions))?;
    say!(out, "games      {}", about.counts.games)?;
    say!(
        out,
        "marks      {} ({} with different ones)",
        report.marks,
        counts::moves(report.conflicts)
    )?;
    if report.depths_differ {
        say!(out, "depth      the books differ; beyond the least, moves lack the games of some")?;
    }
    for book in &report.books {
        let mut notes = Vec::new();
        if book.is_contained {
            notes.push(text!("only its marks: another book counts all its games"));
        }
        if book.is_rekeyed {
            let percent = 100.0 * share(book.unreached, book.rows);
            notes.push(text!(
                "other keys, {} not reached ({percent:.2}%)",
                counts::rows(book.unreached)
            ));
        }
        let notes = notes.join("; ");
        say!(out, "from       {}: {} {notes}", book.path.shown(), counts::games(book.games))?;
    }
    Ok(())
}
