use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use indicatif::{ProgressBar, ProgressStyle};
use serde_json::json;

use super::super::{CliError, Context, GameName, OrExit, exit, interrupt};
use super::from_build;
use crate::book::{
    BuildError, BuildOptions, BuildReport, Ending, Filter, Progress, Reject, RejectReason, build,
    find_games,
};
use crate::bytes::atomic::{AtomicFile, resolve};
use crate::game::{Outcome, Side};

/// Bad games shown where no list of them was asked for, and files without games.
const SHOWN: usize = 3;

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Args {
    /// Game files, and folders of them (*.pgn at any depth).
    #[arg(required = true)]
    inputs: Vec<PathBuf>,
    /// Where to write the book.
    #[arg(short, long)]
    pub(super) output: PathBuf,
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
    result: Option<Ending>,
    /// Only games in which a player's name contains this text.
    #[arg(long)]
    player: Option<String>,
    /// Number of threads [default: one for each core].
    #[arg(long, default_value_t = 0, hide_default_value = true,
        value_parser = clap::value_parser!(u16).range(..=1024))]
    pub(super) threads: u16,
    /// Memory for sorting, such as 512MiB; beyond that, temporary files are used.
    #[arg(long, default_value = "512MiB", value_parser = parse_size)]
    memory: usize,
    /// Write the list of games that are not in the statistics: file, line, game and reason,
    /// separated by tabs. A new file: nothing is replaced.
    #[arg(long)]
    rejects: Option<PathBuf>,
    /// Fail at bad games instead of leaving them out.
    #[arg(long)]
    pub(super) strict: bool,
}

fn parse_result(text: &str) -> Result<Ending, String> {
    Ok(match text {
        "1-0" => Ending::Known(Outcome::Win(Side::First)),
        "0-1" => Ending::Known(Outcome::Win(Side::Second)),
        "1/2-1/2" => Ending::Known(Outcome::Draw),
        "*" => Ending::Unknown,
        _ => return Err("give 1-0, 1/2-1/2, 0-1 or *".to_owned()),
    })
}

/// A number of bytes: digits and perhaps KiB, MiB, GiB (or K, M, G).
pub(super) fn parse_size(text: &str) -> Result<usize, String> {
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
    let report = read_inputs(args, context, |files, progress, rejected| {
        let (output, options) = (&args.output, args.options());
        let threads = args.threads.into();
        build(files, output, options, args.strict, threads, progress, rejected)
    })?;
    show_empty("no games in", &report.empty_files);
    if context.common.json {
        writeln!(context.out, "{}", answer(args, &report))?;
    } else {
        print(args, &report, context.out)?;
    }
    Ok(exit::OK)
}

/// Runs a step that reads game files: finds them, shows progress and lists the rejects.
pub(super) fn read_inputs<T>(
    args: &Args,
    context: &Context<'_>,
    step: impl FnOnce(
        &[PathBuf],
        &(dyn Fn(Progress) + Sync),
        &mut (dyn FnMut(&Reject) + Send),
    ) -> Result<T, BuildError>,
) -> Result<T, CliError> {
    if context.common.game != GameName::Xiangqi {
        return Err(CliError::message(exit::USAGE, "books are built from xiangqi games only"));
    }
    let inputs = find_games(&args.inputs).map_err(from_build)?;
    let mut listing = Listing::open(args)?;
    let bar = progress_bar();
    let result =
        step(&inputs.files, &|progress| advance(&bar, progress), &mut |reject| listing.add(reject));
    bar.finish_and_clear();
    // These end a build after all files were read, so the list is complete.
    if matches!(result, Ok(_) | Err(BuildError::Strict { .. } | BuildError::NoGames { .. })) {
        listing.close()?;
    }
    let report = result.map_err(from_build)?;
    show_empty("no game files in", &inputs.empty);
    Ok(report)
}

impl Args {
    pub(super) fn options(&self) -> BuildOptions {
        BuildOptions {
            max_ply: self.max_ply.into(),
            min_games: self.min_games,
            filter: Filter {
                min_rating: self.min_rating,
                since: self.since,
                until: self.until,
                result: self.result,
                player: self.player.clone(),
            },
            memory: self.memory,
            stop: stop_flag(),
            ..BuildOptions::default()
        }
    }
}

/// Set when the user interrupts the program or the system ends it; the second time ends it at once.
/// Without a handler the first does, as usual.
pub(super) fn stop_flag() -> Arc<AtomicBool> {
    if let Err(error) = interrupt::catch() {
        tracing::debug!("no handler for interrupts: {error}");
    }
    interrupt::requested()
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

/// Where rejects go: to the list that was asked for, or the first bad ones to standard error.
struct Listing<'a> {
    list: Option<(&'a Path, BufWriter<AtomicFile>)>,
    /// What went wrong first.
    written: io::Result<()>,
    bad: usize,
}

impl<'a> Listing<'a> {
    fn open(args: &'a Args) -> Result<Self, CliError> {
        let list = match args.rejects.as_deref() {
            None => None,
            Some(path) => {
                check_list(path, &args.output)?;
                let file = AtomicFile::create(path)
                    .or_exit_with(exit::CANNOT_CREATE, || path.display().to_string())?;
                Some((path, BufWriter::new(file)))
            }
        };
        Ok(Self { list, written: Ok(()), bad: 0 })
    }

    fn add(&mut self, reject: &Reject) {
        if let Some((_, file)) = &mut self.list {
            let Reject { line, game, reason, .. } = reject;
            if self.written.is_ok() {
                let source = reject.source_name();
                self.written = writeln!(file, "{source}\t{line}\t{game}\t{reason}");
            }
        } else if matches!(reject.reason, RejectReason::Bad(_)) {
            self.bad += 1;
            if self.bad <= SHOWN {
                eprintln!("juzhong: left out: {reject}");
            }
        }
    }

    fn close(self) -> Result<(), CliError> {
        if self.bad > SHOWN {
            eprintln!(
                "juzhong: left out: {} bad games in all; --rejects FILE lists them",
                self.bad
            );
        }
        let Some((path, file)) = self.list else { return Ok(()) };
        if path.exists() {
            return Err(list_exists(path));
        }
        self.written
            .and_then(|()| file.into_inner().map_err(io::IntoInnerError::into_error))
            .and_then(AtomicFile::commit)
            .or_exit_with(exit::IO, || path.display().to_string())
    }
}

/// The list must not replace anything, an input above all, nor be the book.
fn check_list(list: &Path, book: &Path) -> Result<(), CliError> {
    if list.is_symlink() || list.exists() {
        return Err(list_exists(list));
    }
    if resolve(list).is_ok_and(|list| resolve(book).is_ok_and(|book| book == list)) {
        let message = format!("{}: both the book and the list of rejects", list.display());
        return Err(CliError::message(exit::CANNOT_CREATE, message));
    }
    Ok(())
}

fn list_exists(path: &Path) -> CliError {
    let path = path.display();
    let message = format!("{path}: something stands there; choose another name for --rejects");
    CliError::message(exit::CANNOT_CREATE, message)
}

/// One line for each path, of many only the first.
pub(super) fn show_empty(what: &str, paths: &[PathBuf]) {
    for path in paths.iter().take(SHOWN) {
        eprintln!("juzhong: {what} {}", path.display());
    }
    if paths.len() > SHOWN {
        eprintln!("juzhong: {what} {} more", paths.len() - SHOWN);
    }
}

fn answer(args: &Args, report: &BuildReport) -> serde_json::Value {
    let about = &report.metadata;
    let counts = &about.counts;
    json!({
        "schema": "juzhong.book.build/1",
        "book": args.output.to_string_lossy(),
        "files": report.files,
        "same_files": report.same_files,
        "records": counts.records,
        "bad": counts.bad,
        "filtered": counts.filtered,
        "duplicates": counts.duplicates,
        "other_starts": counts.other_starts,
        "other_start_records": counts.other_start_records,
        "no_moves": counts.no_moves,
        "no_move_records": counts.no_move_records,
        "games": counts.games,
        "red": counts.first,
        "draws": counts.draws,
        "black": counts.second,
        "disputed": counts.disputed,
        "tied": counts.tied,
        "positions": about.positions,
        "moves": about.rows,
        "content": about.content,
    })
}

fn print(args: &Args, report: &BuildReport, out: &mut dyn Write) -> Result<(), CliError> {
    let about = &report.metadata;
    let book = args.output.display();
    writeln!(out, "{book}: {} moves of {} positions", about.rows, about.positions)?;
    writeln!(out, "files      {} ({} the same as another)", report.files, report.same_files)?;
    super::print_counts(&about.counts, out)
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
