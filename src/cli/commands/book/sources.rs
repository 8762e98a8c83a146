//! Sources of scores: the options of all commands that ask engines and tablebases, and the work with its
//! progress, interrupts and saves.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

use crate::cli::args::engine_args::EngineArgs;
use crate::cli::args::engine_command::{not_started, parse_option};
use crate::cli::args::evaluation::EvaluationArgs;
use crate::cli::exit::{self, by_kind};
use crate::cli::interrupt::{self, stop_flag};
use crate::cli::print::terminal::Terminal;
use crate::cli::{CliError, Context, OrExit, notice};
use juzhong::answers::parse_rules;
use juzhong::book::{
    Book, Evaluation, Evaluator, EvaluatorError, Findings, ReplaceError, Score, evaluate_all,
};
use juzhong::bytes::StopFlag;
use juzhong::engine::{Endgames, Playable, SearchEvaluator, TablebaseEvaluator};
use juzhong::game::{Game, Line};
use juzhong::hash::Key;
use juzhong::message::message;
use juzhong::protocol::client::{
    ClientEvaluator, EngineEntry, EngineSizes, GoLimits, Timeouts, evaluators_of,
};
use juzhong::search::{Limits, MAX_HASH_MIB, MAX_PLY, SearchOptions};

/// Searched where no limit is given.
const NODES: u64 = 200_000;

/// Scores are saved after this time, or ten times what the last saving took.
const SAVE_AFTER: Duration = Duration::from_secs(10);

/// The longest wait, at the end, until nobody else is changing the book.
const BUSY: Duration = Duration::from_secs(60);

/// Pause between two looks at that.
const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// Whom to ask, and how much.
#[derive(Debug, clap::Args)]
pub(crate) struct SourceArgs {
    #[command(flatten)]
    engine: EngineArgs,
    /// Option of another engine; may be repeated.
    #[arg(long, value_name = "NAME=VALUE", value_parser = parse_option)]
    option: Vec<(String, String)>,
    /// Folder of endgame tables; their values take precedence over the engine's.
    #[arg(long, value_name = "FOLDER")]
    tables: Option<PathBuf>,
    /// Repetition rules: none, check, asian, computer or chinese [default: asian].
    #[arg(long)]
    rules: Option<String>,
    /// Depth per position, in plies.
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..MAX_PLY as i64))]
    depth: Option<u32>,
    /// Nodes per position (200000 if no other limit is given).
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,
    /// Milliseconds per position; results then depend on the machine.
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u64).range(1..))]
    movetime: Option<u64>,
    /// Size of the transposition table in MiB, per thread of the own engine or process of another one.
    #[arg(long, value_name = "MIB", default_value_t = 16,
        value_parser = clap::value_parser!(u64).range(1..=MAX_HASH_MIB as u64))]
    hash: u64,
    /// Positions searched in parallel: threads of the own engine, or processes of another one [default for one of the
    /// settings: its at-once].
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=256))]
    threads: u16,
    #[command(flatten)]
    evaluation: EvaluationArgs,
    /// Seconds to wait for an answer of the other engine.
    #[arg(long, value_name = "SECONDS", default_value_t = 600,
        value_parser = clap::value_parser!(u64).range(1..))]
    timeout: u64,
}

/// Turns the answer about a line of that number into findings.
pub(crate) type Answer<'a, G> = dyn FnMut(usize, Evaluation<<G as Game>::Move>, &mut Findings) + 'a;

pub(crate) type Sources<'a, G> = Vec<Box<dyn Evaluator<G> + 'a>>;

/// A game whose books can be scored.
pub(crate) trait Scorable: Terminal + Playable {}

impl<G: Terminal + Playable> Scorable for G {}

impl SourceArgs {
    pub(crate) fn rules<G: Scorable>(&self) -> Result<G::Rules, CliError> {
        Ok(parse_rules::<G>(self.rules.as_deref())?)
    }

    /// The tablebases, if a folder is given.
    pub(crate) fn tables<G: Scorable>(&self) -> Result<Option<TablebaseEvaluator<G>>, CliError> {
        let tables = self.tables.as_ref().filter(|_| self.engine.has_front());
        let Some(folder) = tables else { return Ok(None) };
        TablebaseEvaluator::open(folder, self.rules::<G>()?).map(Some).or_exit(exit::NO_INPUT)
    }

    /// Refuses an evaluation beside another engine, and an engine that there is not, before there is any work.
    pub(crate) fn check<G: Scorable>(&self, context: &Context<'_>) -> Result<(), CliError> {
        let entry = self.engine.entry::<G>(EngineSizes::default(), context)?;
        self.evaluation.check(entry.as_ref(), context)
    }

    /// One engine for each thread, at most `at_most`.
    pub(crate) fn engines<G: Scorable>(
        &self,
        at_most: usize,
        context: &Context<'_>,
    ) -> Result<Sources<'static, G>, CliError> {
        let typed = context.typed_sizes(self.threads.into(), self.hash as usize);
        // Here threads are positions in parallel.
        let sizes = EngineSizes { threads: None, ..typed };
        let Some(entry) = self.engine.entry::<G>(sizes, context)? else {
            return self.own(usize::from(self.threads).min(at_most.max(1)));
        };
        let count = typed.threads.unwrap_or(entry.at_once).min(at_most.max(1));
        let options = [&entry.options[..], &self.option].concat();
        self.foreign(&EngineEntry { options, ..entry }, count)
    }

    fn own<G: Scorable>(&self, count: usize) -> Result<Sources<'static, G>, CliError> {
        let rules = self.rules::<G>()?;
        let free = self.depth.is_none() && self.movetime.is_none();
        let limits = Limits {
            depth: self.depth,
            nodes: self.nodes.or(free.then_some(NODES)),
            hard_time: self.movetime.map(Duration::from_millis),
            ..Limits::default()
        };
        let options = SearchOptions {
            hash_mib: self.hash as usize,
            evaluation: self.evaluation.kind(),
            ..SearchOptions::default()
        };
        let mut sources: Sources<'static, G> = Vec::new();
        let tables = self.tables.as_ref().filter(|_| self.engine.has_front());
        for _ in 0..count {
            let open = |folder: &PathBuf| {
                G::Tables::open(&folder.as_path().into(), rules)
                    .map_err(|message| CliError::message(exit::NO_INPUT, message))
            };
            let tables = tables.map(open).transpose()?;
            let source = SearchEvaluator::<G>::new(options, rules, limits, tables);
            sources.push(Box::new(source.or_exit(exit::UNAVAILABLE)?));
        }
        Ok(sources)
    }

    fn foreign<G: Scorable>(
        &self,
        entry: &EngineEntry,
        count: usize,
    ) -> Result<Sources<'static, G>, CliError> {
        let free = self.depth.is_none() && self.movetime.is_none();
        let limits = GoLimits {
            depth: self.depth,
            nodes: self.nodes.or(free.then_some(NODES)),
            move_time: self.movetime.map(Duration::from_millis),
            ..GoLimits::default()
        };
        let timeouts =
            Timeouts { search: Duration::from_secs(self.timeout), ..Timeouts::default() };
        let engines = evaluators_of(entry, limits, timeouts, count);
        let mut engines = engines.map_err(|error| not_started(error, entry))?;
        // All of them say the same.
        for warning in engines.first_mut().map(ClientEvaluator::take_warnings).unwrap_or_default() {
            notice(message!("{}: {warning}", entry.name));
        }
        Ok(engines.into_iter().map(|engine| Box::new(engine) as _).collect())
    }
}

/// Keeps findings in a book, now and then and at the end.
pub(crate) struct Saver<'a> {
    path: &'a Path,
    pub(crate) pending: Findings,
    saved: Instant,
    pause: Duration,
}

impl<'a> Saver<'a> {
    pub(crate) fn new(path: &'a Path) -> Self {
        let (pending, saved) = (Findings::default(), Instant::now());
        Self { path, pending, saved, pause: SAVE_AFTER }
    }

    /// Saves if that was long ago.
    fn save_at_times(&mut self) -> Result<(), ReplaceError> {
        if self.saved.elapsed() < self.pause {
            return Ok(());
        }
        match self.save() {
            // Somebody else is changing it: later, then.
            Err(ReplaceError::Busy { .. }) => {
                self.saved = Instant::now();
                Ok(())
            }
            result => result,
        }
    }

    /// Saves, and waits until no other process is changing the book.
    fn save_at_last(&mut self) -> Result<(), CliError> {
        patiently(|| self.save()).map_err(|error| {
            let lost = self.pending.scores.len();
            by_kind(error).within(format!("{lost} scores could not be kept"))
        })
    }

    pub(crate) fn save(&mut self) -> Result<(), ReplaceError> {
        if !self.pending.is_empty() {
            let began = Instant::now();
            self.pending.save(self.path)?;
            self.pending = Findings::default();
            // Saving to a large book may take long: it is to have at most about a tenth of the time.
            self.pause = SAVE_AFTER.max(began.elapsed() * 10);
        }
        self.saved = Instant::now();
        Ok(())
    }
}

/// Runs a change that needs the right to change a book; waits for at most [`BUSY`] while another process has
/// it.
pub(crate) fn patiently<T>(
    mut change: impl FnMut() -> Result<T, ReplaceError>,
) -> Result<T, ReplaceError> {
    let deadline = Instant::now() + BUSY;
    loop {
        match change() {
            Err(ReplaceError::Busy { .. }) if Instant::now() < deadline => {
                std::thread::sleep(POLL_INTERVAL);
            }
            result => return result,
        }
    }
}

/// The reason why asking ended early.
#[derive(Debug)]
pub(crate) enum AskError {
    Evaluate(EvaluatorError),
    Replace(ReplaceError),
}

impl From<EvaluatorError> for AskError {
    fn from(error: EvaluatorError) -> Self {
        Self::Evaluate(error)
    }
}

impl From<AskError> for CliError {
    fn from(error: AskError) -> Self {
        match error {
            AskError::Evaluate(error) => Self::new(exit::UNAVAILABLE, error),
            AskError::Replace(error) => by_kind(error),
        }
    }
}

/// Asks about all lines; `each` turns an answer into findings. Answers that came are saved, even if an error
/// comes after them.
pub(crate) fn ask<G: Scorable>(
    lines: usize,
    line: &(dyn Fn(usize) -> Line<G> + Sync),
    sources: &mut Sources<'_, G>,
    saver: &mut Saver<'_>,
    each: &mut Answer<'_, G>,
) -> Result<(), CliError> {
    let stop = stop_flag();
    let bar = progress_bar(lines);
    let mut done = |number, answer: Option<Evaluation<G::Move>>| {
        bar.inc(1);
        if let Some(evaluation) = answer {
            each(number, evaluation, &mut saver.pending);
        }
        saver.save_at_times().map(|()| true).map_err(AskError::Replace)
    };
    let result = evaluate_all(lines, line, sources, &stop, &mut done);
    bar.finish_and_clear();
    // Saving that failed would only fail again.
    if !matches!(result, Err(AskError::Replace(_))) {
        saver.save_at_last()?;
    }
    Ok(result?)
}

/// The error of a work that was interrupted, with what was kept.
pub(crate) fn check_interrupt(kept: u64) -> Result<(), CliError> {
    if interrupt::is_requested() {
        let message = message!("interrupted; {kept} scores are kept, run this again to go on");
        return Err(CliError::message(exit::INTERRUPTED, message));
    }
    Ok(())
}

fn progress_bar(lines: usize) -> ProgressBar {
    let style = ProgressStyle::with_template("searching {bar:40} {pos}/{len} {eta}")
        .unwrap_or_else(|_| ProgressStyle::default_bar());
    ProgressBar::new(lines as u64).with_style(style)
}

/// Asks tablebases about every position of a book that they cover, unless it has a proof already.
pub(crate) fn prove<G: Scorable>(
    book: &Book,
    graph: &juzhong::book::Graph<G>,
    scores: &std::collections::HashMap<i64, Score>,
    tables: &mut TablebaseEvaluator<G>,
) -> Result<Vec<(Key, Score)>, CliError> {
    let never = StopFlag::default();
    let name = Evaluator::<G>::name(tables).to_owned();
    let (mut found, mut failed) = (Vec::new(), None);
    graph.for_each_position(|node, position| {
        let known = scores.get(&graph.key(node).to_i64());
        // An estimate of a search is worth replacing, a proof is not.
        let is_known = known.is_some_and(|score| score.evaluation.score.is_proof());
        if is_known || failed.is_some() || !tables.covers(position) {
            return;
        }
        match tables.evaluate(&Line::new(position.clone(), 0), &never) {
            Ok(answer) => {
                found.extend(answer.map(|answer| book.score_of(position, &name, answer)));
            }
            Err(error) => failed = Some(error),
        }
    });
    match failed {
        Some(error) => Err(CliError::new(exit::BAD_DATA, error)),
        None => Ok(found),
    }
}
