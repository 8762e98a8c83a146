use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use indicatif::{ProgressBar, ProgressStyle};
use serde_json::json;

use super::super::{CliError, Context, GameName, OrExit, exit};
use super::from_build;
use crate::book::{
    BuildOptions, BuildReport, Filter, Progress, Reject, RejectReason, build, find_games,
};
use crate::bytes::atomic::AtomicFile;
use crate::game::{Outcome, Side};

/// Bad games shown where no list of them was asked for.
const SHOWN: usize = 3;

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Args {
    /// Game files, and folders of them (*.pgn at any depth).
    #[arg(required = true)]
    inputs: Vec<PathBuf>,
    /// Where to write the book.
    #[arg(short, long)]
    output: PathBuf,
    /// Moves of a game that are kept, at most.
    #[arg(long, default_value_t = 60, value_parser = clap::value_parser!(u16).range(1..))]
    max_ply: u16,
    /// Queries of this book leave out moves of fewer games.
    #[arg(long, default_value_t = 1)]
    min_games: u64,
    /// Only games in which both players have at least this rating.
    #[arg(long)]
    min_rating: Option<u16>,
    /// Only games of this year or later.
    #[arg(long)]
    since: Option<u16>,
    /// Only games of this year or before.
    #[arg(long)]
    until: Option<u16>,
    /// Only games that ended so: 1-0, 1/2-1/2, 0-1 or * (unknown).
    #[arg(long, value_parser = parse_result)]
    result: Option<GameResult>,
    /// Only games in which a player's name contains this text.
    #[arg(long)]
    player: Option<String>,
    /// Number of threads [default: one for each core].
    #[arg(long, default_value_t = 0, hide_default_value = true,
        value_parser = clap::value_parser!(u16).range(..=1024))]
    threads: u16,
    /// Memory for sorting, such as 512MiB; beyond that, temporary files are used.
    #[arg(long, default_value = "512MiB", value_parser = parse_size)]
    memory: usize,
    /// Write the list of games that are not in the statistics: file, line, game and reason,
    /// separated by tabs.
    #[arg(long)]
    rejects: Option<PathBuf>,
    /// Fail at bad games instead of leaving them out.
    #[arg(long)]
    strict: bool,
}

/// A result to filter by.
#[derive(Debug, Clone, Copy)]
struct GameResult(Option<Outcome>);

fn parse_result(text: &str) -> Result<GameResult, String> {
    Ok(GameResult(match text {
        "1-0" => Some(Outcome::Win(Side::First)),
        "0-1" => Some(Outcome::Win(Side::Second)),
        "1/2-1/2" => Some(Outcome::Draw),
        "*" => None,
        _ => return Err("give 1-0, 1/2-1/2, 0-1 or *".to_owned()),
    }))
}

/// A number of bytes: digits and perhaps KiB, MiB, GiB (or K, M, G).
fn parse_size(text: &str) -> Result<usize, String> {
    let digits = text.trim_end_matches(|c: char| !c.is_ascii_digit());
    let shift = match &text[digits.len()..] {
        "" | "B" => 0,
        "K" | "KiB" => 10,
        "M" | "MiB" => 20,
        "G" | "GiB" => 30,
        _ => return Err("give a number with KiB, MiB or GiB, such as 512MiB".to_owned()),
    };
    let number: usize = digits.parse().map_err(|_| "give a number such as 512MiB".to_owned())?;
    number.checked_mul(1 << shift).ok_or_else(|| "more memory than there can be".to_owned())
}

pub(super) fn run(args: &Args, context: &mut Context<'_>) -> Result<u8, CliError> {
    if context.common.game != GameName::Xiangqi {
        return Err(CliError::message(exit::USAGE, "books are built from xiangqi games only"));
    }
    let files = find_games(&args.inputs).map_err(from_build)?;
    let rejects = args.rejects.as_deref().map(create_rejects).transpose()?;
    let bar = progress_bar();
    let report = build(
        &files,
        &args.output,
        args.options(),
        args.strict,
        args.threads.into(),
        &|progress| {
            advance(&bar, progress);
        },
    );
    bar.finish_and_clear();
    let report = report.map_err(from_build)?;
    if let Some((path, file)) = rejects {
        write_rejects(path, file, &report.rejects)?;
    } else {
        show_bad(&report);
    }
    if context.common.json {
        writeln!(context.out, "{}", answer(args, &report))?;
    } else {
        print(args, &report, context.out)?;
    }
    Ok(exit::OK)
}

impl Args {
    fn options(&self) -> BuildOptions {
        BuildOptions {
            max_ply: self.max_ply.into(),
            min_games: self.min_games,
            filter: Filter {
                min_rating: self.min_rating,
                since: self.since,
                until: self.until,
                result: self.result.map(|GameResult(result)| result),
                player: self.player.clone(),
            },
            memory: self.memory,
            stop: stop_flag(),
            ..BuildOptions::default()
        }
    }
}

/// Set when the user interrupts the program. Without a handler an interrupt ends it at once, as
/// usual.
fn stop_flag() -> Arc<AtomicBool> {
    let flag = Arc::new(AtomicBool::new(false));
    let set = Arc::clone(&flag);
    let handler = ctrlc::set_handler(move || set.store(true, Ordering::Relaxed));
    if let Err(error) = handler {
        tracing::debug!("no handler for interrupts: {error}");
    }
    flag
}

fn progress_bar() -> ProgressBar {
    let style = ProgressStyle::with_template("{msg} {bar:40} {bytes}/{total_bytes} {eta}")
        .unwrap_or_else(|_| ProgressStyle::default_bar());
    ProgressBar::new(0).with_style(style).with_message("reading")
}

fn advance(bar: &ProgressBar, progress: Progress) {
    match progress {
        Progress::Total(bytes) => bar.set_length(bytes),
        Progress::Read(bytes) => bar.inc(bytes),
        Progress::Packing => bar.set_message("packing"),
    }
}

fn create_rejects(path: &Path) -> Result<(&Path, AtomicFile), CliError> {
    let file = AtomicFile::create(path)
        .or_exit_with(exit::CANNOT_CREATE, || path.display().to_string())?;
    Ok((path, file))
}

fn write_rejects(path: &Path, mut file: AtomicFile, rejects: &[Reject]) -> Result<(), CliError> {
    let mut text = Vec::new();
    for reject in rejects {
        let reason = reject.reason.to_string().replace(['\t', '\n', '\r'], " ");
        let source = reject.source.display();
        writeln!(text, "{source}\t{}\t{}\t{reason}", reject.line, reject.game)?;
    }
    let written = file.write_all(&text).and_then(|()| file.commit());
    written.or_exit_with(exit::IO, || path.display().to_string())
}

fn show_bad(report: &BuildReport) {
    let is_bad = |r: &&Reject| matches!(r.reason, RejectReason::Bad(_));
    for reject in report.rejects.iter().filter(is_bad).take(SHOWN) {
        eprintln!("juzhong: left out: {reject}");
    }
    let bad = report.metadata.counts.bad;
    if bad > SHOWN as u64 {
        eprintln!("juzhong: left out: {bad} bad games in all; --rejects FILE lists them");
    }
}

fn answer(args: &Args, report: &BuildReport) -> serde_json::Value {
    let about = &report.metadata;
    let counts = &about.counts;
    json!({
        "schema": "juzhong.book.build/1",
        "book": args.output,
        "files": report.files,
        "same_files": report.same_files,
        "records": counts.records,
        "bad": counts.bad,
        "filtered": counts.filtered,
        "duplicates": counts.duplicates,
        "other_starts": counts.other_starts,
        "no_moves": counts.no_moves,
        "games": counts.games,
        "red": counts.first,
        "draws": counts.draws,
        "black": counts.second,
        "disputed": counts.disputed,
        "positions": about.positions,
        "moves": about.rows,
        "content": about.content,
    })
}

fn print(args: &Args, report: &BuildReport, out: &mut dyn Write) -> Result<(), CliError> {
    let about = &report.metadata;
    let counts = &about.counts;
    writeln!(
        out,
        "{}: {} moves of {} positions from {} games",
        args.output.display(),
        about.rows,
        about.positions,
        counts.games
    )?;
    writeln!(
        out,
        "{} files, {} records: {} counted, {} further copies ({} games with disputed result), \
         {} bad, {} from other starts, {} without moves, {} left out by filters",
        report.files,
        counts.records,
        counts.games,
        counts.duplicates,
        counts.disputed,
        counts.bad,
        counts.other_starts,
        counts.no_moves,
        counts.filtered
    )?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes() {
        assert_eq!(parse_size("2GiB"), Ok(2 << 30));
        assert_eq!(parse_size("100"), Ok(100));
        assert_eq!(parse_size("64M"), Ok(64 << 20));
        for bad in ["", "GiB", "-1", "1TB", "1 GiB", "99999999999999999GiB"] {
            assert!(parse_size(bad).is_err(), "{bad}");
        }
    }
}
