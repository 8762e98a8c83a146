//! `book export`: a book as a table, or in the format of another program.

use std::io::{self, BufWriter, Write};
use std::path::PathBuf;

use clap::ValueEnum;

use super::FormatName;
use super::foreign::{self, ForeignArgs};
use crate::cli::args::percentage::percentage;
use crate::cli::exit::{self, by_kind};
use crate::cli::interrupt::stop_flag;
use crate::cli::print::bar::Bar;
use crate::cli::{CliError, Context, GameName, OrExit, with_game, write_answer};
use crate::language::{counts, say};
use juzhong::answers::book::{LibraryExportAnswer, LinesExportAnswer, flag_names};
use juzhong::answers::side_name;
use juzhong::book::interop::{
    LinesExportOptions, MAX_EXPORTED_DEPTH, export_library, export_lines,
};
use juzhong::book::{Book, BookEntry, BookError, BookMove, RowKey};
use juzhong::bytes::atomic::AtomicFile;
use juzhong::bytes::lock::FileLock;
use juzhong::bytes::visible::ShowPath;
use juzhong::game::{Notation, Packed, Side, Symmetric};
use juzhong::hash::Key;
use juzhong::record::{PgnOptions, write_pgn};
use juzhong::xiangqi::Position;

/// Export a book to another format.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The book.
    book: PathBuf,
    /// Output format.
    #[arg(long, value_enum)]
    to: Form,
    /// Output file [default: standard output].
    #[arg(short, long)]
    output: Option<PathBuf>,
    /// Hide moves with fewer games [default: as the book was built].
    #[arg(long)]
    min_games: Option<u64>,
    /// Maximum number of plies of a PGN.
    #[arg(long, value_name = "N", default_value_t = 40,
        value_parser = clap::value_parser!(u8).range(1..=MAX_EXPORTED_DEPTH as i64))]
    depth: u8,
    /// Leave out of a PGN moves with a smaller share of the games of their position, in percent.
    #[arg(long, value_name = "PERCENT", default_value_t = 0.0, value_parser = percentage)]
    share: f64,
    #[command(flatten)]
    foreign: ForeignArgs,
}

/// What a book can be written as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Form {
    /// A table with one row per move, ordered by the position's distance from the start; positions that cannot be
    /// reached from the start come last, identified by key, with moves as stored.
    Csv,
    /// .obk: BHGUI and many others.
    Obk,
    /// .pfBook: 鹏飞, 佳佳.
    Pfbook,
    /// .xqb: xqbook.
    Xqb,
    /// BOOK.DAT: ElephantEye, XQWizard.
    Eleeye,
    /// .xob: MoonRiver.
    Moonriver,
    /// .bin: XBoard for xiangqi, in PolyGlot format.
    Polyglot,
    /// .lib: RenLib, for gomoku on a 15x15 board.
    Lib,
    /// A game with variations, for programs that study lines; import reads it back with statistics, weights and
    /// comments. Xiangqi.
    Pgn,
}

impl Args {
    /// Returns true if standard output is for programs.
    pub(crate) const fn writes_data(&self) -> bool {
        self.output.is_none()
    }
}

impl Form {
    /// The format of another program.
    const fn foreign(self) -> Option<FormatName> {
        Some(match self {
            Self::Csv | Self::Lib | Self::Pgn => return None,
            Self::Obk => FormatName::Obk,
            Self::Pfbook => FormatName::Pfbook,
            Self::Xqb => FormatName::Xqb,
            Self::Eleeye => FormatName::Eleeye,
            Self::Moonriver => FormatName::Moonriver,
            Self::Polyglot => FormatName::Polyglot,
        })
    }
}

pub(crate) fn run(args: &Args, context: &mut Context<'_>) -> Result<u8, CliError> {
    let book = super::open(&args.book)?;
    match args.to {
        Form::Lib => return run_library(args, &book, context),
        Form::Pgn => return run_lines(args, &book, context),
        _ => {}
    }
    let Some(format) = args.to.foreign() else {
        return with_game!(context.common.game, G => run_csv::<G>(args, &book, context));
    };
    if context.common.game == GameName::Gomoku {
        let message = "books of that form are xiangqi's; gomoku books are exported as csv or lib";
        return Err(CliError::message(exit::USAGE, message));
    }
    let Some(output) = &args.output else {
        let message =
            "name a file with --output: books of other programs are not written to standard output";
        return Err(CliError::message(exit::USAGE, message));
    };
    foreign::run(&book, output, format, args.min_games, &args.foreign, context)
}

/// Writes a gomoku book as a library of `RenLib`.
fn run_library(args: &Args, book: &Book, context: &mut Context<'_>) -> Result<u8, CliError> {
    if context.common.game == GameName::Xiangqi {
        let message = "books of that form are gomoku's; give --game gomoku";
        return Err(CliError::message(exit::USAGE, message));
    }
    let Some(output) = &args.output else {
        let message = "name a file with --output: a library is not written to standard output";
        return Err(CliError::message(exit::USAGE, message));
    };
    let min_games = args.min_games.unwrap_or(book.metadata().min_games);
    let moves = export_library(book, output, min_games, &stop_flag()).map_err(by_kind)?;
    if context.common.json {
        write_answer(context.out, &LibraryExportAnswer::of(book.path(), output, moves))?;
    } else {
        say!(context.out, "{}: {}", output.shown(), counts::moves(moves))?;
    }
    Ok(exit::OK)
}

/// Writes a book of xiangqi as a game with variations.
fn run_lines(args: &Args, book: &Book, context: &mut Context<'_>) -> Result<u8, CliError> {
    if context.common.game == GameName::Gomoku {
        let message = "PGN is a format of xiangqi; gomoku books are exported as csv or lib";
        return Err(CliError::message(exit::USAGE, message));
    }
    let options = LinesExportOptions {
        depth: args.depth.into(),
        min_games: args.min_games.unwrap_or(book.metadata().min_games),
        min_share: args.share / 100.0,
        stop: stop_flag(),
    };
    let lines = export_lines::<Position>(book, &options).map_err(by_kind)?;
    let mut text = Vec::new();
    write_pgn(&mut text, &lines.record, &PgnOptions::default())?;
    let Some(path) = &args.output else {
        context.out.write_all(&text)?;
        return Ok(exit::OK);
    };
    let _lock = FileLock::take(path)?;
    let mut file = AtomicFile::create_new(path).or_exit_at(exit::CANNOT_CREATE, path)?;
    file.write_all(&text).and_then(|()| file.commit()).or_exit_at(exit::IO, path)?;
    if context.common.json {
        write_answer(context.out, &LinesExportAnswer::of(book.path(), path, &lines))?;
        return Ok(exit::OK);
    }
    let out = &mut context.out;
    say!(out, "{}: {}", path.shown(), counts::moves(lines.moves as u64))?;
    if lines.transpositions > 0 {
        say!(out, "{} lines end where another one goes on", lines.transpositions)?;
    }
    if lines.is_cut {
        say!(
            out,
            "the positions that are reached least are missing; see --depth, --share, --min-games"
        )?;
    }
    Ok(exit::OK)
}

fn run_csv<G: Symmetric + Notation>(
    args: &Args,
    book: &Book,
    context: &mut Context<'_>,
) -> Result<u8, CliError> {
    let min_games = args.min_games.unwrap_or(book.metadata().min_games);
    let Some(path) = &args.output else {
        write_csv::<G>(book, min_games, &Bar::hidden(), context.out)?;
        return Ok(exit::OK);
    };
    let _lock = FileLock::take(path)?;
    let file = AtomicFile::create_new(path).or_exit_at(exit::CANNOT_CREATE, path)?;
    let mut out = BufWriter::new(file);
    write_csv::<G>(book, min_games, &Bar::new(), &mut out)
        .map_err(|error| error.within(path.shown()))?;
    out.into_inner()
        .map_err(io::IntoInnerError::into_error)
        .and_then(AtomicFile::commit)
        .or_exit_at(exit::IO, path)?;
    Ok(exit::OK)
}

/// The columns; those of wins have the names of sides. Scores are the mover's, from 0 to 1.
const HEAD: [&str; 17] = [
    "fen",
    "key",
    "ply",
    "move",
    "games",
    "",
    "draws",
    "",
    "score",
    "mean_rating",
    "year_min",
    "year_max",
    "weight",
    "priority",
    "flags",
    "groups",
    "comment",
];

/// Positions between two changes of the progress bar.
const SHOWN_EVERY: u64 = 1 << 10;

/// Rows as RFC 4180 has them.
type Csv<'a> = csv::Writer<&'a mut dyn Write>;

/// Writes a row: cells before the move, and those from it on.
fn write_row(out: &mut Csv<'_>, place: [String; 3], line: Vec<String>) -> io::Result<()> {
    out.write_record(place.into_iter().chain(line)).map_err(io_error)
}

/// The error of the output: rows themselves are sound.
fn io_error(error: csv::Error) -> io::Error {
    match error.into_kind() {
        csv::ErrorKind::Io(error) => error,
        other => io::Error::other(format!("{other:?}")),
    }
}

fn write_csv<G: Symmetric + Notation>(
    book: &Book,
    min_games: u64,
    bar: &Bar,
    out: &mut dyn Write,
) -> Result<(), CliError> {
    let mut out = Csv::from_writer(out);
    let mut head = HEAD;
    // The two empty names of `HEAD`.
    [head[5], head[7]] = Side::ALL.map(side_name::<G>);
    out.write_record(head).map_err(io_error)?;
    bar.show("reading", 0, 0);
    let moves = book.moves_in_memory().map_err(by_kind)?;
    let (all, mut done) = (book.metadata().positions, 0);
    let unreached = book.for_each_position(|ply, position: &G, _| -> Result<(), Failed> {
        done += 1;
        if done % SHOWN_EVERY == 0 {
            bar.show("writing", done, all);
        }
        let fen = position.to_fen();
        let key = book.key_of(position).to_string();
        for found in book.probe_in_memory(&moves, position, min_games)? {
            let line = reached_line::<G>(&found, position.turn());
            write_row(&mut out, [fen.clone(), key.clone(), ply.to_string()], line)?;
        }
        Ok(())
    });
    let unreached = unreached.map_err(CliError::from)?;
    write_unreached::<G>(book, &unreached, min_games, &mut out)?;
    Ok(out.flush()?)
}

/// Writes moves that are not reached: their side is unknown, so there is no score.
fn write_unreached<G: Notation>(
    book: &Book,
    unreached: &[RowKey],
    min_games: u64,
    out: &mut Csv<'_>,
) -> Result<(), CliError> {
    let mut left = unreached;
    let mut written = Ok(());
    book.for_each_entry(|entry| {
        // Both are in the order of keys and moves, so that one pass over the entries meets them in turn.
        if written.is_ok() && left.first() == Some(&(entry.key, entry.mv)) {
            left = &left[1..];
            if entry.has_games(min_games) {
                let key = Key::from_i64(entry.key).to_string();
                let place = [String::new(), key, String::new()];
                written = write_row(out, place, unreached_line::<G>(&entry));
            }
        }
    })
    .map_err(by_kind)?;
    Ok(written?)
}

fn reached_line<G: Notation>(found: &BookMove<G::Move>, mover: Side) -> Vec<String> {
    let t = &found.stats;
    let score = t.score(mover).map_or_else(String::new, |score| format!("{score:.4}"));
    let marks = [
        flag_names(found).join(" "),
        found.groups.join(" "),
        found.comment.clone().unwrap_or_default(),
    ];
    let weights = (found.weight.to_string(), found.priority);
    line(&G::move_text(found.mv), t, &score, &weights, &marks)
}

fn unreached_line<G: Notation>(entry: &BookEntry) -> Vec<String> {
    let mv = G::Move::unpack(entry.mv).map_or_else(|| entry.mv.to_string(), G::move_text);
    let mark = &entry.mark;
    let groups: Vec<&str> = mark.groups.iter().map(String::as_str).collect();
    let marks = [
        mark.flags.names().collect::<Vec<_>>().join(" "),
        groups.join(" "),
        mark.comment.clone().unwrap_or_default(),
    ];
    let weight = entry.weight.map_or_else(String::new, |weight| weight.to_string());
    line(&mv, &entry.stats, "", &(weight, mark.priority), &marks)
}

/// From the move on. Numbers stand as they are: a negative one is no formula.
fn line(
    mv: &str,
    t: &juzhong::book::MoveStats,
    score: &str,
    (weight, priority): &(String, i64),
    marks: &[String],
) -> Vec<String> {
    let mut fields = vec![
        mv.to_owned(),
        t.games.to_string(),
        t.first.to_string(),
        t.draws.to_string(),
        t.second.to_string(),
        score.to_owned(),
        number_cell(t.mean_rating()),
        number_cell(t.years.map(|y| y.min.into())),
        number_cell(t.years.map(|y| y.max.into())),
        weight.clone(),
        priority.to_string(),
    ];
    fields.extend(marks.iter().map(|mark| unlike_a_formula(mark)));
    fields
}

/// The cell of a number, empty without one.
fn number_cell(number: Option<u64>) -> String {
    number.map_or_else(String::new, |number| number.to_string())
}

/// The first characters by which a spreadsheet recognises a formula, and the apostrophe, which prevents that.
const FORMULA: [char; 7] = ['=', '+', '-', '@', '\t', '\r', '\''];

/// A text that no spreadsheet reads as a formula: one that it would gets an apostrophe before it, and so does
/// one that begins with an apostrophe. Readers remove the first apostrophe of a cell, if there is one.
fn unlike_a_formula(text: &str) -> String {
    let mark = if text.starts_with(FORMULA) { "'" } else { "" };
    format!("{mark}{text}")
}

/// An error of a walk through the book.
enum Failed {
    Book(BookError),
    Out(io::Error),
}

impl From<BookError> for Failed {
    fn from(error: BookError) -> Self {
        Self::Book(error)
    }
}

impl From<io::Error> for Failed {
    fn from(error: io::Error) -> Self {
        Self::Out(error)
    }
}

impl From<Failed> for CliError {
    fn from(error: Failed) -> Self {
        match error {
            Failed::Book(error) => by_kind(error),
            Failed::Out(error) => Self::from(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_quoted_where_need_be() {
        let mut bytes = Vec::new();
        let mut out = Csv::from_writer(&mut bytes);
        let cells = ["a b", "a,\"b\"", "c\nd", ""].map(str::to_owned).to_vec();
        write_row(&mut out, ["".into(), "k".into(), "1".into()], cells).unwrap();
        drop(out);
        assert_eq!(bytes, b",k,1,a b,\"a,\"\"b\"\"\",\"c\nd\",\n");
    }

    /// A row of cells, and what a reader finds in it.
    fn round_trip(texts: &[String]) -> (Vec<u8>, Vec<String>) {
        let mut bytes = Vec::new();
        let mut out = Csv::from_writer(&mut bytes);
        let cells = texts.iter().map(|text| unlike_a_formula(text)).collect();
        write_row(&mut out, ["f".into(), "k".into(), "1".into()], cells).unwrap();
        drop(out);
        let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(&bytes[..]);
        let row = reader.records().next().unwrap().unwrap();
        let cells = row.iter().skip(3);
        let cells = cells.map(|cell| cell.strip_prefix('\'').unwrap_or(cell).to_owned()).collect();
        drop(reader);
        (bytes, cells)
    }

    #[test]
    fn no_cell_begins_like_a_formula() {
        for text in ["=1+1", "+1", "-2", "@SUM(A1)", "\tx", "\r=x", "'quoted", "'=1"] {
            assert!(unlike_a_formula(text).starts_with('\''));
            let (bytes, cells) = round_trip(&[text.to_owned()]);
            assert!(bytes.starts_with(b"f,k,1,'") || bytes.starts_with(b"f,k,1,\"'"), "{bytes:?}");
            assert_eq!(cells, [text]);
        }
    }

    proptest::proptest! {
        #[test]
        fn what_is_written_is_read(texts in proptest::collection::vec("[=+@',\"a\\-\t\r\n ]{0,6}", 1..5)) {
            proptest::prop_assert_eq!(round_trip(&texts).1, texts);
        }
    }
}
