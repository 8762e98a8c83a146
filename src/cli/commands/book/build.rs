//! `book build`: a book from game files.

use std::io::Write;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

use crate::cli::args::game_filter::GameFilterArgs;
use crate::cli::args::size::parse_size;
use crate::cli::exit::{self, by_kind};
use crate::cli::interrupt::stop_flag;
use crate::cli::print::listing::{ListFile, Listing, show_some};
use crate::cli::print::terminal::Terminal;
use crate::cli::{CliError, Context, notice, with_game, write_answer};
use crate::language::{counts, say};
use juzhong::answers::book::BuildAnswer;
use juzhong::book::{
    Book, BuildError, BuildOptions, BuildProgress, BuildReport, Dispute, DisputeCounts,
    MAX_SAMPLES, MAX_SHARE, Mover, ReadOptions, Reject, Weight, build, disputes, find_games,
};
use juzhong::bytes::paths::folder_of;
use juzhong::bytes::visible::ShowPath;
use juzhong::game::{Side, Symmetric};
use juzhong::message::message;
use juzhong::record::result_text;

/// Build a book from game files and folders.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Output file for the book [default: the book given by --into].
    #[arg(short, long, required_unless_present = "into", help_heading = "Output")]
    output: Option<PathBuf>,
    /// Add to this book: files and games already counted are not counted again. Its build options (filters, limits,
    /// weight) also apply to what is added.
    #[arg(long, value_name = "BOOK", help_heading = "Output")]
    into: Option<PathBuf>,
    /// List games with disputed results in a new file: copies disagree, or the result contradicts the mate or stalemate
    /// on the board. One tab-separated line for each copy: the game's content hash, kind of dispute (majority, tie,
    /// board), result counted, result on the board, file, line, number, result stated. Games excluded by filters or
    /// already in the book of --into are not listed. Reads the inputs twice.
    #[arg(long, help_heading = "Output")]
    disputes: Option<PathBuf>,
    /// Interval of checkpoints, from which an interrupted build resumes.
    #[arg(long, value_name = "SECONDS", default_value_t = 30, hide = true)]
    keep_every: u32,
    #[command(flatten)]
    intake: Intake,
}

/// What is read, and how.
#[derive(Debug, clap::Args)]
pub(crate) struct Intake {
    /// Game files in any format, plain, compressed (.zst, .gz, .xz, .bz2) or in archives (.zip, .tar, .7z), and folders
    /// of them, searched recursively.
    #[arg(required = true)]
    inputs: Vec<PathBuf>,
    /// Number of threads [default: one per core].
    #[arg(long, default_value_t = 0, hide_default_value = true,
        value_parser = clap::value_parser!(u16).range(..=1024), help_heading = "Resources")]
    pub(crate) threads: u16,
    /// Memory for sorting, such as 512MiB; the rest goes to temporary files.
    #[arg(long, default_value = "512MiB", value_parser = parse_size::<usize>,
        help_heading = "Resources")]
    memory: usize,
    /// Fail on bad games instead of skipping them.
    #[arg(long, help_heading = "Input")]
    pub(crate) strict: bool,
    /// List rejected games in a new file: bad games, games without moves and games from other starting positions, but
    /// not those excluded by filters. Tab-separated: file, line (in binary files the byte offset, as in @6699), game
    /// and reason.
    #[arg(long, help_heading = "Input")]
    rejects: Option<PathBuf>,
    #[command(flatten)]
    rules: Rules,
}

/// What a book is built by.
#[derive(Debug, clap::Args)]
struct Rules {
    /// Keep the moves before an illegal one instead of skipping the game; such games are counted, and listed by
    /// --rejects.
    #[arg(long, help_heading = "Input")]
    keep_legal_part: bool,
    /// Count only the moves of this side.
    #[arg(long, value_enum, conflicts_with = "winner_only", help_heading = "Counting")]
    colour: Option<Colour>,
    /// Count only the winner's moves; games without a winner are skipped.
    #[arg(long, help_heading = "Counting")]
    winner_only: bool,
    /// Skip the moves before this ply (the first move is ply 1).
    #[arg(long, value_name = "PLY", value_parser = clap::value_parser!(u16).range(1..),
        help_heading = "Counting")]
    from_ply: Option<u16>,
    /// Keep at most this many plies of each game [default: 60].
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..), help_heading = "Counting")]
    max_ply: Option<u16>,
    /// Count every record, including copies of a game.
    #[arg(long, help_heading = "Counting")]
    no_dedup: bool,
    /// Treat a game and its mirror image as copies; otherwise they count as two games.
    #[arg(long, help_heading = "Counting")]
    fold_mirror: bool,
    /// Ignore the tag Group, which adds a game's moves to a line group.
    #[arg(long, help_heading = "Counting")]
    no_groups: bool,
    /// Keep up to N sample games for each move, for `book games`: the highest rated first, then the latest. This makes
    /// the book about two and a half times as large, whatever N is [default: 0].
    #[arg(long, value_name = "N",
        value_parser = clap::value_parser!(u16).range(0..=i64::from(MAX_SAMPLES)),
        help_heading = "Counting")]
    samples: Option<u16>,
    /// Hide moves with fewer games in queries of this book [default: 1].
    #[arg(long, help_heading = "Move selection")]
    min_games: Option<u64>,
    /// Hide moves played in less than this percentage of the position's games, such as 2.5, in queries of this book
    /// [default: 0].
    #[arg(long, value_name = "PERCENT", value_parser = parse_percent,
        help_heading = "Move selection")]
    min_share: Option<u64>,
    /// Formula for the weight of a move in move selection. Variables: games won (w), drawn (d) and lost (l) by the
    /// mover, with unknown result (u), all games (n), mean rating (r) and last year (y); max(…), min(…) and parentheses
    /// are allowed [default: 2*w+d+u].
    #[arg(long, value_name = "FORMULA", help_heading = "Move selection")]
    weight: Option<Weight>,
    #[command(flatten, next_help_heading = "Filters")]
    games: GameFilterArgs,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum Colour {
    #[value(alias = "white")]
    Red,
    Black,
}

const fn mover(side: Side) -> Mover {
    match side {
        Side::First => Mover::First,
        Side::Second => Mover::Second,
    }
}

/// A percentage with up to two decimals, in hundredths.
pub(crate) fn parse_percent(text: &str) -> Result<u64, String> {
    let (whole, decimals) = text.split_once('.').unwrap_or((text, ""));
    let digits = format!("{whole}{decimals:0<2}");
    let is_number = digits.bytes().all(|byte| byte.is_ascii_digit());
    let share = digits.parse().ok().filter(|&share| share <= MAX_SHARE);
    match share {
        Some(share) if is_number && !whole.is_empty() && decimals.len() <= 2 => Ok(share),
        _ => Err("give a percentage of 0 to 100 with two decimals at most, such as 2.5".to_owned()),
    }
}

pub(crate) fn run(args: &Args, context: &mut Context<'_>) -> Result<u8, CliError> {
    with_game!(context.common.game, G => run_game::<G>(args, context))
}

fn run_game<G: Terminal + Symmetric>(
    args: &Args,
    context: &mut Context<'_>,
) -> Result<u8, CliError> {
    let options = args.options::<G>()?;
    let was_backed = args.into.as_deref().is_some_and(super::is_backed);
    let intake = &args.intake;
    let list = args.disputes.as_deref();
    let list = list.map(|path| ListFile::open("--disputes", path, args.output()));
    let mut list = list.transpose()?;
    let mut in_doubt = DisputeCounts::default();
    let (passed_over, report) =
        intake.read::<G, _>(args.output(), |files, progress, rejected| {
            // Before the book that is added to is replaced.
            if let Some(list) = &mut list {
                in_doubt = list_disputes::<G>(list, args, files, &options)?;
            }
            let (progress, rejected) = (Box::new(progress), Box::new(rejected));
            let (strict, threads) = (intake.strict, NonZero::new(intake.threads.into()));
            let read = ReadOptions { strict, threads, progress, rejected };
            build::<G>(files, args.output(), options, read)
        })?;
    if let (Some(list), Some(path)) = (list, &args.disputes) {
        list.close()?;
        let DisputeCounts { disputed, tied, contradicted } = in_doubt;
        notice(message!(
            "{} with copies that differ ({tied} tied), {contradicted} whose \
             result contradicts the board: {}",
            counts::games(disputed),
            path.shown()
        ));
    }
    show_some("no games in", &report.empty_files);
    let skipped = passed_over + report.skipped;
    if context.common.json {
        write_answer(context.out, &BuildAnswer::of::<G>(args.output(), &report, skipped))?;
    } else {
        print::<G>(args, &report, skipped, context.out)?;
    }
    super::tell_unbacked(was_backed, args.output());
    Ok(exit::OK)
}

/// Writes the list of games whose result is in doubt.
fn list_disputes<G: Terminal + Symmetric>(
    list: &mut ListFile<'_>,
    args: &Args,
    files: &[PathBuf],
    options: &BuildOptions,
) -> Result<DisputeCounts, BuildError> {
    disputes::<G>(files, folder_of(args.output()), options, &mut |dispute| {
        let Dispute { game_id, doubt, counted, end, place, number, stated, .. } = dispute;
        let end = end.map_or("-".to_owned(), |end| end.to_string());
        let (counted, stated) = (result_text(*counted), result_text(*stated));
        let source = dispute.source_name();
        let id = game_id.0.iter().fold(String::new(), |id, byte| id + &format!("{byte:02x}"));
        list.line(format_args!(
            "{id}\t{doubt}\t{counted}\t{end}\t{source}\t{place}\t{number}\t{stated}"
        ));
    })
}

impl Args {
    fn output(&self) -> &Path {
        self.output.as_deref().or(self.into.as_deref()).unwrap_or_else(|| Path::new(""))
    }

    /// The options of the book that is added to, with the values given on the command line in their place: a
    /// difference is an error then that names both.
    fn options<G: Terminal>(&self) -> Result<BuildOptions, CliError> {
        let base = match &self.into {
            None => BuildOptions::default(),
            Some(base) => BuildOptions::like(&Book::open_own(base, &stop_flag()).map_err(by_kind)?),
        };
        let keep_every = Duration::from_secs(self.keep_every.into());
        Ok(BuildOptions { keep_every, ..self.intake.options::<G>(base)? })
    }
}

impl Intake {
    /// The options, with the values given on the command line in their place.
    pub(crate) fn options<G: Terminal>(
        &self,
        mut options: BuildOptions,
    ) -> Result<BuildOptions, CliError> {
        self.rules.apply::<G>(&mut options);
        if usize::from(options.filter.from_ply) > options.max_ply {
            let message = message!(
                "--from-ply {} is beyond --max-ply {}",
                options.filter.from_ply,
                options.max_ply
            );
            return Err(CliError::message(exit::USAGE, message));
        }
        options.memory = self.memory;
        options.stop = stop_flag();
        Ok(options)
    }

    /// Runs a step that reads game files: finds them, shows progress and lists the rejects. Returns
    /// how many files in folders were passed over, too.
    pub(crate) fn read<G: Terminal, T>(
        &self,
        output: &Path,
        step: impl FnOnce(
            &[PathBuf],
            &(dyn Fn(BuildProgress) + Sync),
            &mut (dyn FnMut(&Reject) + Send),
        ) -> Result<T, BuildError>,
    ) -> Result<(u64, T), CliError> {
        let inputs = find_games::<G>(&self.inputs).map_err(by_kind)?;
        let mut listing = Listing::open(self.rejects.as_deref(), output)?;
        let bar = progress_bar();
        let result = step(&inputs.files, &|progress| advance(&bar, progress), &mut |reject| {
            listing.add(reject);
        });
        bar.finish_and_clear();
        // These end a build after all files were read, so the list is complete.
        match result {
            Ok(_) => listing.close()?,
            Err(BuildError::Strict { .. } | BuildError::NoGames { .. }) => {
                listing.close_with_error()?;
            }
            Err(_) => {}
        }
        let report = result.map_err(by_kind)?;
        show_some("no game files in", &inputs.empty);
        Ok((inputs.skipped.len() as u64, report))
    }
}

impl Rules {
    fn apply<G: Terminal>(&self, options: &mut BuildOptions) {
        fn put<T>(asked: Option<T>, to: &mut T) {
            if let Some(asked) = asked {
                *to = asked;
            }
        }
        put(self.max_ply.map(usize::from), &mut options.max_ply);
        put(self.samples, &mut options.samples);
        put(self.min_games, &mut options.min_games);
        put(self.min_share, &mut options.min_share);
        put(self.weight.clone(), &mut options.weight);
        let filter = &mut options.filter;
        put(self.from_ply, &mut filter.from_ply);
        self.games.apply::<G>(filter);
        let colour = self.colour.map(|colour| match colour {
            Colour::Red => mover(!G::BLACK),
            Colour::Black => mover(G::BLACK),
        });
        put(colour.or(self.winner_only.then_some(Mover::Winner)).map(Some), &mut filter.mover);
        // Where a book is added to, its own options come first: a flag that is not given does not unset them.
        filter.every_record |= self.no_dedup;
        filter.no_groups |= self.no_groups;
        filter.fold_mirror |= self.fold_mirror;
        filter.keep_legal_part |= self.keep_legal_part;
    }
}

fn progress_bar() -> ProgressBar {
    let style = ProgressStyle::with_template("{msg} {bar:40} {bytes}/{total_bytes} {eta}")
        .unwrap_or_else(|_| ProgressStyle::default_bar());
    ProgressBar::new(0).with_style(style).with_message("reading")
}

fn advance(bar: &ProgressBar, progress: BuildProgress) {
    match progress {
        BuildProgress::Total(bytes) => bar.set_length(bytes),
        BuildProgress::Read(bytes) => bar.inc(bytes),
        BuildProgress::Packing => bar.set_message("packing"),
    }
}

fn print<G: Terminal>(
    args: &Args,
    report: &BuildReport,
    skipped: u64,
    out: &mut dyn Write,
) -> Result<(), CliError> {
    let about = &report.metadata;
    let book = args.output().shown();
    say!(out, "{book}: {} of {}", counts::moves(about.rows), counts::positions(about.positions))?;
    say!(out, "files      {} ({} the same as another)", report.files, report.same_files)?;
    if skipped > 0 {
        say!(out, "skipped    {skipped} that hold no games (-v names them)")?;
    }
    if args.into.is_some() {
        say!(out, "known      {} that the book has counted", counts::files(report.known_files))?;
        say!(out, "new        {} that the book had not counted", counts::games(report.new_games))?;
    }
    if report.kept > 0 {
        say!(
            out,
            "kept       {} that an interrupted build had read",
            counts::records(report.kept)
        )?;
    }
    super::print_counts::<G>(&about.counts, out)?;
    if report.cut > 0 {
        say!(out, "cut        {} before an illegal move", counts::records(report.cut))?;
    }
    if report.words > 0 {
        let words = report.words;
        say!(out, "words      {words} between moves that are none, passed over (-v names them)")?;
    }
    say!(
        out,
        "results    {} contradicted by the last position",
        counts::records(report.contradicted)
    )?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentages() {
        assert_eq!(parse_percent("2.5"), Ok(250));
        assert_eq!(parse_percent("0.05"), Ok(5));
        assert_eq!(parse_percent("100"), Ok(10_000));
        for bad in ["", ".", ".5", "-1", "+1", "1.234", "100.01", "1e2", "99999999999999999999"] {
            assert!(parse_percent(bad).is_err(), "{bad}");
        }
    }
}
