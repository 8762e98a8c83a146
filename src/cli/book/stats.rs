use std::io::Write;
use std::path::PathBuf;

use serde_json::{Value, json};

use super::super::{CliError, Context, GameName, OrExit, exit};
use super::from_book;
use crate::book::{Book, Source, VERSION, Walk};
use crate::xiangqi::Position;

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Args {
    /// The book.
    book: PathBuf,
    /// List the files that it was made from.
    #[arg(long)]
    sources: bool,
}

pub(super) fn run(args: &Args, context: &mut Context<'_>) -> Result<u8, CliError> {
    if context.common.game != GameName::Xiangqi {
        return Err(CliError::message(exit::USAGE, "there are no books of gomoku yet"));
    }
    let book = Book::open(&args.book).map_err(from_book)?;
    book.verify().map_err(from_book)?;
    let walk = book.walk::<Position>().map_err(from_book)?;
    let sources = book.sources().map_err(from_book)?;
    let bytes = std::fs::metadata(&args.book)
        .or_exit_with(exit::IO, || args.book.display().to_string())?
        .len();
    if context.common.json {
        let answer = answer(args, &book, &walk, &sources, bytes);
        writeln!(context.out, "{answer}")?;
    } else {
        print(&book, &walk, &sources, bytes, context.out)?;
        if args.sources {
            for source in &sources {
                let hash = hex(&source.hash);
                writeln!(context.out, "{hash}  {:>8}  {}", source.games, source.name)?;
            }
        }
    }
    Ok(exit::OK)
}

fn hex(hash: &[u8; 32]) -> String {
    blake3::Hash::from_bytes(*hash).to_hex().to_string()
}

fn answer(args: &Args, book: &Book, walk: &Walk, sources: &[Source], bytes: u64) -> Value {
    let about = book.metadata();
    let counts = &about.counts;
    let depth: Vec<Value> = walk
        .depths
        .iter()
        .enumerate()
        .map(|(ply, d)| json!({"ply": ply, "positions": d.positions, "moves": d.moves}))
        .collect();
    let mut answer = json!({
        "schema": "juzhong.book.stats/1",
        "book": book.path().to_string_lossy(),
        "game": about.game,
        "version": VERSION,
        "bytes": bytes,
        "positions": about.positions,
        "moves": about.rows,
        "games": counts.games,
        "red": counts.first,
        "draws": counts.draws,
        "black": counts.second,
        "unknown": counts.unknown(),
        "disputed": counts.disputed,
        "tied": counts.tied,
        "duplicates": counts.duplicates,
        "records": counts.records,
        "bad": counts.bad,
        "filtered": counts.filtered,
        "other_starts": counts.other_starts,
        "other_start_records": counts.other_start_records,
        "no_moves": counts.no_moves,
        "no_move_records": counts.no_move_records,
        "sources": sources.len(),
        "max_ply": about.max_ply,
        "min_games": about.min_games,
        "min_share": about.min_share as f64 / 100.0,
        "filter": serde_json::to_value(&about.filter).unwrap_or_default(),
        "weight": about.weight.to_string(),
        "key_table": about.key_table,
        "stored_keys": book.foreign_keys().is_none(),
        "content": about.content,
        "depth": depth,
        "unreached": walk.unreached,
    });
    if args.sources {
        answer["source_files"] = sources
            .iter()
            .map(|s| json!({"hash": hex(&s.hash), "name": s.name, "records": s.games}))
            .collect();
    }
    answer
}

fn print(
    book: &Book,
    walk: &Walk,
    sources: &[Source],
    bytes: u64,
    out: &mut dyn Write,
) -> Result<(), CliError> {
    let about = book.metadata();
    let keys = if book.foreign_keys().is_none() { "the stored ones" } else { "its own" };
    writeln!(out, "{}: sound, version {VERSION}, {bytes} bytes", book.path().display())?;
    writeln!(out, "positions  {}", about.positions)?;
    writeln!(out, "moves      {} (up to ply {})", about.rows, about.max_ply)?;
    writeln!(out, "sources    {}", sources.len())?;
    super::print_counts(&about.counts, out)?;
    writeln!(
        out,
        "limits     {} games, {}.{:02} % of the position's games",
        about.min_games,
        about.min_share / 100,
        about.min_share % 100
    )?;
    writeln!(out, "weight     {}", about.weight)?;
    writeln!(out, "filter     {}", about.filter)?;
    writeln!(out, "keys       {} ({keys})", about.key_table)?;
    writeln!(out, "content    {}", about.content)?;
    writeln!(out, "{:>5} {:>10} {:>10}", "ply", "positions", "moves")?;
    for (ply, depth) in walk.depths.iter().enumerate() {
        writeln!(out, "{ply:>5} {:>10} {:>10}", depth.positions, depth.moves)?;
    }
    if walk.unreached > 0 {
        writeln!(out, "{} moves are not reached from the start", walk.unreached)?;
    }
    Ok(())
}
