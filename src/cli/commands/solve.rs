//! Exact results of gomoku positions, and the checking of their proofs.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use indicatif::ProgressBar;
use serde::Serialize;
use serde_json::Value as Json;

use crate::cli::args::fens::Fens;
use crate::cli::args::line_args::LineArgs;
use crate::cli::args::size::parse_size;
use crate::cli::interrupt::{is_requested, stop_flag};
use crate::cli::{CliError, Context, GameName, OrExit, exit, tell};
use crate::language::{self, say, text, word};
use juzhong::answers::{CheckAnswer, Described, ErrorReport, Refusal, SolveAnswer};
use juzhong::bytes::visible::ShowPath;
use juzhong::bytes::{atomic, open};
use juzhong::gomoku::{Board, Point};
use juzhong::message::{Message, ToMessage};
use juzhong::solve::{Budget, CheckError, Proof, Prover, Solution, SolutionStore, Value, check};

/// The greatest proof file that is read.
const MOST_PROOF_BYTES: u64 = 1 << 29;
/// The greatest file of answers that is continued.
const MOST_ANSWER_BYTES: u64 = 1 << 32;
/// The limit in seconds where none is given.
const SECONDS: f64 = 10.0;
/// The limit in seconds for checking a proof where none is given.
const CHECK_SECONDS: f64 = 600.0;
/// The time between two reports of progress.
const QUIET: Duration = Duration::from_secs(5);

/// Solve gomoku positions exactly, and check proofs.
///
/// Shows who wins and in how many plies, with a proof that can be checked.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    line: LineArgs,
    /// Answer each line of a file (`-`: standard input) with one JSON object: a position, or moves from the start, as
    /// in h8i9g7.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["fen", "moves", "proof"])]
    fens: Option<PathBuf>,
    /// Append the answers of --fens to this file, skipping lines already answered in it.
    #[arg(long, value_name = "FILE", requires = "fens", conflicts_with_all = ["fen", "moves", "proof", "check"])]
    output: Option<PathBuf>,
    /// Give up on a position after this many seconds [default: 10; with --nodes, none; with --check, 600].
    #[arg(long, value_parser = parse_seconds)]
    seconds: Option<f64>,
    /// Give up on a position after this many nodes; results are then reproducible.
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,
    /// Memory for stored positions.
    #[arg(long, value_name = "SIZE", default_value = "256MiB", value_parser = parse_memory)]
    memory: usize,
    /// Write the proof to this file.
    #[arg(long, value_name = "FILE")]
    proof: Option<PathBuf>,
    /// Add the proven positions to this book, for the engine to probe.
    #[arg(long, value_name = "BOOK")]
    store: Option<PathBuf>,
    /// Check a proof by trying every defence, using only the rules.
    #[arg(long, value_name = "PROOF", conflicts_with_all = ["fen", "moves", "fens", "proof", "store", "variant", "size"])]
    check: Option<PathBuf>,
}

fn parse_seconds(text: &str) -> Result<f64, String> {
    let seconds = text.parse().ok().filter(|seconds| (0.01..=1e7).contains(seconds));
    seconds.ok_or_else(|| "seconds go from 0.01 to 10000000".to_owned())
}

fn parse_memory(text: &str) -> Result<usize, Message> {
    let bytes: usize = parse_size(text)?;
    let is_enough = bytes >= 1 << 20;
    if is_enough { Ok(bytes) } else { Err("at least 1MiB is needed".into()) }
}

pub(crate) fn run(args: &Args, context: &mut Context<'_>) -> Result<u8, CliError> {
    if let Some(path) = &args.check {
        return run_check(path, args, context);
    }
    if context.common.game != GameName::Gomoku {
        let message = "solve knows only gomoku; add --game gomoku. Xiangqi has endgame tables: tablebase probe";
        return Err(CliError::message(exit::USAGE, message));
    }
    match &args.fens {
        Some(path) => run_batch(&mut Fens::open(path)?, args, context),
        None => run_one(args, context),
    }
}

/// The limits, of which `seconds` is one if no other is given.
fn budget(args: &Args, seconds: f64) -> Budget {
    let seconds = args.seconds.or(args.nodes.is_none().then_some(seconds));
    let limit = seconds.map(Duration::from_secs_f64);
    let deadline = limit.and_then(|limit| Instant::now().checked_add(limit));
    let nodes = args.nodes.unwrap_or(u64::MAX);
    Budget { deadline, nodes, memory: args.memory, stop: stop_flag() }
}

fn run_one(args: &Args, context: &mut Context<'_>) -> Result<u8, CliError> {
    let board = match args.line.read::<Board>() {
        Ok(typed) => typed.line.position().clone(),
        Err(refusal) => return Err(CliError::new(exit::BAD_DATA, refusal)),
    };
    let mut keeper = Keeper::open(args)?;
    let bar = ProgressBar::new_spinner();
    bar.set_message(word("solving"));
    bar.enable_steady_tick(Duration::from_millis(200));
    let solution = Prover::default().solve(&board, &budget(args, SECONDS));
    bar.finish_and_clear();
    if solution.value == Value::Unknown && is_requested() {
        return Err(CliError::message(exit::INTERRUPTED, "interrupted; run it again"));
    }
    keeper.add(&board, &solution);
    keeper.save()?;
    let answer = SolveAnswer::of(&board, &solution);
    if context.common.json {
        write_json(context.out, &answer)?;
    } else {
        show(&answer, context)?;
    }
    if let Some(path) = &args.proof {
        context.out.flush()?;
        write_proof(path, &solution)?;
    }
    Ok(exit::OK)
}

/// Writes the proof of a solution, after it was checked.
fn write_proof(path: &Path, solution: &Solution) -> Result<(), CliError> {
    let Some(proof) = &solution.proof else {
        let message = match solution.value {
            Value::Unknown => {
                "nothing was proved, so that there is no proof to write; give it more --seconds or --nodes"
            }
            _ => {
                "the proof was not completed within the limits; give it more --seconds, --nodes or --memory"
            }
        };
        return Err(CliError::message(exit::FAILED, message));
    };
    let checked = check(proof, &Budget { stop: stop_flag(), ..Budget::default() });
    if let Err(error) = checked {
        let code = if error == CheckError::Stopped { exit::INTERRUPTED } else { exit::FAILED };
        return Err(CliError::new(code, error).within("the proof was not written"));
    }
    let bytes = proof.to_bytes().or_exit_at(exit::FAILED, path)?;
    atomic::write(path, &bytes).or_exit_at(exit::CANNOT_CREATE, path)
}

/// The book of `--store`.
struct Keeper<'a>(Option<(&'a Path, SolutionStore)>);

/// The time between two times that a batch is kept at least, and the share of the time that keeping may take.
const KEPT_EVERY: Duration = Duration::from_secs(5);
const KEEPING_SHARE: u32 = 20;

impl<'a> Keeper<'a> {
    fn open(args: &'a Args) -> Result<Self, CliError> {
        let Some(path) = &args.store else { return Ok(Self(None)) };
        let is_new = matches!(path.symlink_metadata(), Err(error) if error.kind() == io::ErrorKind::NotFound);
        let store = match is_new {
            true => SolutionStore::create(path).or_exit_at(exit::CANNOT_CREATE, path),
            false => SolutionStore::open(path).or_exit_at(exit::BAD_DATA, path),
        };
        Ok(Self(Some((path, store?))))
    }

    fn add(&mut self, board: &Board, solution: &Solution) {
        if let Some((_, store)) = &mut self.0 {
            store.add(board, solution);
        }
    }

    fn save(&mut self) -> Result<(), CliError> {
        let Some((path, store)) = &mut self.0 else { return Ok(()) };
        store.save().map(drop).or_exit_at(exit::CANNOT_CREATE, path)
    }
}

fn write_json(out: &mut dyn Write, answer: &impl Serialize) -> Result<(), CliError> {
    let mut line = serde_json::to_vec(answer)?;
    line.push(b'\n');
    Ok(out.write_all(&line)?)
}

fn show(answer: &SolveAnswer, context: &mut Context<'_>) -> Result<(), CliError> {
    let out = &mut context.out;
    say!(out, "value    {}", word(answer.value))?;
    if let Some(distance) = answer.distance {
        say!(out, "distance {distance}")?;
    }
    if let Some(proof) = answer.proof {
        say!(out, "proof    {proof}")?;
    }
    if !answer.line.is_empty() {
        say!(out, "line     {}", answer.line.join(" "))?;
    }
    say!(out, "nodes    {}", answer.nodes)?;
    Ok(())
}

/// The answers of a batch: standard output, or a file that is continued.
struct Answers<'a> {
    file: Option<File>,
    out: &'a mut dyn Write,
    /// The answers that the file has already, in order.
    known: std::vec::IntoIter<KnownAnswer>,
}

/// An answer of an earlier run.
struct KnownAnswer {
    position: String,
    /// True if the line was no position.
    is_refusal: bool,
}

impl<'a> Answers<'a> {
    fn open(path: Option<&Path>, out: &'a mut dyn Write) -> Result<Self, CliError> {
        let Some(path) = path else {
            return Ok(Self { file: None, out, known: Vec::new().into_iter() });
        };
        let is_new = matches!(path.symlink_metadata(), Err(error) if error.kind() == io::ErrorKind::NotFound);
        if is_new {
            let file = OpenOptions::new().append(true).create_new(true).open(path);
            let file = file.or_exit_at(exit::CANNOT_CREATE, path)?;
            return Ok(Self { file: Some(file), out, known: Vec::new().into_iter() });
        }
        let bytes = open::read(path, MOST_ANSWER_BYTES).or_exit_at(exit::IO, path)?;
        // A last line without its end was being written when the program was ended.
        let whole = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
        let known = answered(&bytes[..whole]).map_err(|number| {
            let message = text!(
                "{}: line {number} is no answer of solve; choose another --output",
                path.shown()
            );
            CliError::message(exit::BAD_DATA, message)
        })?;
        let mut file = open::writable(path).or_exit_at(exit::CANNOT_CREATE, path)?;
        file.set_len(whole as u64).or_exit_at(exit::IO, path)?;
        io::Seek::seek(&mut file, io::SeekFrom::End(0)).or_exit_at(exit::IO, path)?;
        Ok(Self { file: Some(file), out, known: known.into_iter() })
    }

    /// The answer that the position has already.
    fn known(&mut self, position: &str, number: u64) -> Result<Option<KnownAnswer>, CliError> {
        match self.known.next() {
            None => Ok(None),
            Some(known) if known.position == position => Ok(Some(known)),
            Some(KnownAnswer { position: known, .. }) => {
                let message = text!(
                    "line {number}: the file of --output answers another position there, {known}; choose another file"
                );
                Err(CliError::message(exit::BAD_DATA, message))
            }
        }
    }

    fn write(&mut self, answer: &SolveAnswer) -> Result<(), CliError> {
        match &mut self.file {
            Some(file) => write_json(file, answer),
            None => {
                write_json(self.out, answer)?;
                Ok(self.out.flush()?)
            }
        }
    }
}

/// Whole lines of answers; the number of the first line that is none.
fn answered(bytes: &[u8]) -> Result<Vec<KnownAnswer>, usize> {
    let lines = bytes.split_inclusive(|&byte| byte == b'\n');
    (1..).zip(lines).map(|(number, line)| known_answer(line).ok_or(number)).collect()
}

/// The answer in a line; `None` if it is no answer of this command.
fn known_answer(line: &[u8]) -> Option<KnownAnswer> {
    let answer: Json = serde_json::from_slice(line).ok()?;
    let position =
        answer["position"].as_str().filter(|_| answer["schema"] == SolveAnswer::SCHEMA)?;
    Some(KnownAnswer { position: position.to_owned(), is_refusal: !answer["error"].is_null() })
}

/// A batch: answers are written once what they prove is in the book of `--store`, so that a run that goes on leaves
/// nothing out.
struct Batch<'a> {
    keeper: Keeper<'a>,
    answers: Answers<'a>,
    pending: Vec<SolveAnswer>,
    kept: Instant,
    /// The time that keeping took the last time.
    cost: Duration,
}

impl Batch<'_> {
    fn write(&mut self, answer: SolveAnswer) -> Result<(), CliError> {
        self.pending.push(answer);
        // The longer keeping takes the rarer it is, so that its share of the time stays small.
        let due = KEPT_EVERY.max(self.cost * KEEPING_SHARE);
        // Without a book nothing has to be kept before an answer may be written.
        let is_due = self.keeper.0.is_none() || self.kept.elapsed() >= due;
        if is_due { self.keep() } else { Ok(()) }
    }

    fn keep(&mut self) -> Result<(), CliError> {
        let start = Instant::now();
        self.keeper.save()?;
        (self.kept, self.cost) = (Instant::now(), start.elapsed());
        self.pending.drain(..).try_for_each(|answer| self.answers.write(&answer))
    }
}

fn run_batch(fens: &mut Fens, args: &Args, context: &mut Context<'_>) -> Result<u8, CliError> {
    let mut prover = Prover::default();
    let keeper = Keeper::open(args)?;
    let answers = Answers::open(args.output.as_deref(), context.out)?;
    let (kept, cost) = (Instant::now(), Duration::ZERO);
    let mut batch = Batch { keeper, answers, pending: Vec::new(), kept, cost };
    let (mut code, mut solved, mut total) = (exit::OK, 0_u64, 0_u64);
    let mut last = Instant::now();
    while let Some(line) = fens.next_line()? {
        total += 1;
        if let Some(known) = batch.answers.known(&line, fens.number())? {
            if known.is_refusal {
                code = exit::BAD_DATA;
            }
            continue;
        }
        let answer = match read_line(&line, args) {
            Ok(board) => {
                let solution = prover.solve(&board, &budget(args, SECONDS));
                if solution.value == Value::Unknown && is_requested() {
                    batch.keep()?;
                    // The position of this line has no answer.
                    return Err(interrupted(total - 1, args.output.is_some()));
                }
                batch.keeper.add(&board, &solution);
                solved += u64::from(solution.value != Value::Unknown);
                SolveAnswer::of(&board, &solution).in_batch(line)
            }
            Err(refusal) => {
                code = exit::BAD_DATA;
                let number = fens.number();
                let message = language::translated(refusal.message());
                tell(text!("{}:{number}: {}", fens.name(), &message));
                SolveAnswer::refused(
                    line,
                    ErrorReport { code: exit::BAD_DATA, message: message.into() },
                )
            }
        };
        batch.write(answer)?;
        if last.elapsed() >= QUIET {
            last = Instant::now();
            tell(text!("{total} positions, {solved} of them solved now"));
        }
        if is_requested() {
            batch.keep()?;
            return Err(interrupted(total, args.output.is_some()));
        }
    }
    batch.keep()?;
    Ok(code)
}

fn interrupted(answered: u64, is_kept: bool) -> CliError {
    let message = match is_kept {
        true => text!("interrupted after {answered} positions; run it again to go on from there"),
        false => text!("interrupted after {answered} positions; with --output it can go on later"),
    };
    CliError::message(exit::INTERRUPTED, message)
}

/// A line of a batch: a position, or moves.
fn read_line(text: &str, args: &Args) -> Result<Board, Refusal> {
    let board = args.line.board.clone();
    let line = match points(text) {
        Some(moves) => LineArgs { fen: None, moves, board },
        None => LineArgs { fen: Some(text.to_owned()), moves: Vec::new(), board },
    };
    line.read::<Board>().map(|typed| typed.line.position().clone())
}

/// The moves of a text such as `h8i9g7`; `None` if it is anything else.
fn points(text: &str) -> Option<Vec<String>> {
    let moves = Board::typed(text).moves;
    // A FEN may begin like a point, too, but has slashes.
    let begins_as_point = moves.first().is_some_and(|text| Point::parse(text).is_some());
    (begins_as_point && !text.contains('/')).then_some(moves)
}

fn run_check(path: &Path, args: &Args, context: &mut Context<'_>) -> Result<u8, CliError> {
    let bytes = open::read(path, MOST_PROOF_BYTES).or_exit_at(exit::NO_INPUT, path)?;
    let proof = Proof::from_bytes(&bytes).or_exit_at(exit::BAD_DATA, path)?;
    let result = check(&proof, &budget(args, CHECK_SECONDS));
    if result == Err(CheckError::Stopped) {
        let (code, message) = match is_requested() {
            true => (exit::INTERRUPTED, "interrupted before the whole proof was checked"),
            false => (
                exit::FAILED,
                "the proof is too long to be checked within the limits; give it more --seconds or --nodes",
            ),
        };
        return Err(CliError::message(code, message));
    }
    let checked = CheckAnswer::of(&proof, result.as_ref().copied());
    if context.common.json {
        write_json(context.out, &checked)?;
    } else {
        show_checked(&checked, context)?;
    }
    Ok(if checked.valid { exit::OK } else { exit::FAILED })
}

fn show_checked(checked: &CheckAnswer, context: &mut Context<'_>) -> Result<(), CliError> {
    let out = &mut context.out;
    say!(out, "fen      {}", checked.fen)?;
    say!(out, "value    {}", word(checked.value))?;
    if let Some(distance) = checked.distance {
        say!(out, "distance {distance}")?;
    }
    say!(out, "proof    {}", checked.proof)?;
    match (&checked.reason, checked.positions) {
        (None, positions) => say!(out, "valid    yes: {} positions", positions.unwrap_or(0))?,
        (Some(reason), _) => say!(out, "valid    no: {}", language::translated(reason))?,
    }
    Ok(())
}
