//! `book score`: scores of positions, and the values that follow from them.

use std::path::{Path, PathBuf};

use super::sources::{Saver, Scorable, SourceArgs, ask, check_interrupt, patiently, prove};
use crate::cli::args::input::Input;
use crate::cli::exit::{self, by_kind};
use crate::cli::interrupt::{self, stop_flag};
use crate::cli::{CliError, Context, with_game, write_answer};
use crate::language::{counts, say};
use juzhong::answers::book::{ScoreAnswer, ScoreCounts};
use juzhong::book::{
    Book, Costs, DropOutKind, Findings, GraphNode, MAX_SCORE_LINE, PropagationReport, ReplaceError,
    clear_scores, propagate,
};
use juzhong::bytes::StopFlag;
use juzhong::bytes::visible::Visible;
use juzhong::game::Side;
use juzhong::message::message;

/// Lines of scores that are kept at a time.
const BATCH: usize = 100_000;

/// Attach engine and tablebase scores to positions and propagate them to earlier moves.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The book.
    book: PathBuf,
    /// Search at most N positions, the most promising first [default: all].
    #[arg(long, value_name = "N")]
    leaves: Option<usize>,
    /// Also search positions inside the book: a better move found by the engine counts as an additional move, which
    /// exposes lines in which one side played badly.
    #[arg(long)]
    inner: bool,
    /// Use no engine: probe only the tables, if any, then propagate the scores.
    #[arg(long)]
    no_engine: bool,
    /// Import scores from a file (- for standard input) instead: one JSON object per line, with fen or key, source, one
    /// of cp, mate (in moves) and wdl, and optionally depth, nodes, bound and best.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["leaves", "inner", "no_engine", "clear"])]
    import: Option<PathBuf>,
    /// Clear the scores of one source, or of all.
    #[arg(long, value_name = "SOURCE", num_args = 0..=1, default_missing_value = "",
        conflicts_with_all = ["leaves", "inner", "no_engine"])]
    clear: Option<String>,
    /// Use only moves with at least this many games, and those added by hand [default: as the book was built].
    #[arg(long)]
    min_games: Option<u64>,
    #[command(flatten, next_help_heading = "Engine and tables")]
    sources: SourceArgs,
}

pub(crate) fn run(args: &Args, context: &mut Context<'_>) -> Result<u8, CliError> {
    with_game!(context.common.game, G => run_game::<G>(args, context))
}

fn run_game<G: Scorable>(args: &Args, context: &mut Context<'_>) -> Result<u8, CliError> {
    let book = super::open(&args.book)?;
    let min_games = args.min_games.unwrap_or(book.metadata().min_games);
    let mut report = ScoreCounts::default();
    let mut result = Ok(());
    if let Some(source) = &args.clear {
        let source = Some(source.as_str()).filter(|source| !source.is_empty());
        if let Some(source) = source {
            check_source(&book, source)?;
        }
        report.cleared = Some(clear_scores(&args.book, source, &stop_flag()).map_err(by_kind)?);
    } else if let Some(file) = &args.import {
        result = import::<G>(&book, args, file).map(|imported| report.imported = imported);
    } else {
        result = score::<G>(&book, args, min_games, &mut report, context);
    }
    // Even after an error the scores that were kept count.
    let has_new = report.scored + report.proofs > 0;
    // Even after an interrupt, which ended the searches.
    let is_due = interrupt::is_requested() || report.cleared.is_some();
    let stop = if is_due { StopFlag::default() } else { stop_flag() };
    let propagate = || propagate::<G>(&args.book, min_games, &stop);
    let backed = if has_new { patiently(propagate) } else { propagate() };
    result?;
    if has_new && matches!(backed, Err(ReplaceError::Interrupted { .. })) {
        check_interrupt(report.scored + report.proofs)?;
    }
    let backed = backed.map_err(by_kind)?;
    check_interrupt(report.scored + report.proofs)?;
    tell::<G>(&args.book, &report, &backed, context)?;
    Ok(exit::OK)
}

/// A source that the book does not have is an error that names those it has.
fn check_source(book: &Book, source: &str) -> Result<(), CliError> {
    let sources = book.score_sources().map_err(by_kind)?;
    if sources.iter().any(|(name, _)| name == source) {
        return Ok(());
    }
    let names: Vec<String> = sources.iter().map(|(name, _)| format!("`{name}`")).collect();
    let names = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
    let message = message!("the book has no scores of `{source}`; its sources: {names}");
    Err(CliError::message(exit::BAD_DATA, message))
}

fn score<G: Scorable>(
    book: &Book,
    args: &Args,
    min_games: u64,
    report: &mut ScoreCounts,
    context: &Context<'_>,
) -> Result<(), CliError> {
    stop_flag(); // from here on an interrupt ends in good order
    args.sources.check::<G>(context)?;
    let graph = book.playable_graph::<G>(min_games).map_err(by_kind)?;
    let mut scores = book.counting_scores().map_err(by_kind)?;
    let mut saver = Saver::new(&args.book);
    if let Some(mut tables) = args.sources.tables::<G>()? {
        let proofs = prove(book, &graph, &scores, &mut tables)?;
        report.proofs = proofs.len() as u64;
        scores.extend(proofs.iter().map(|(key, score)| (key.to_i64(), score.clone())));
        saver.pending.scores.extend(proofs);
        saver.save().map_err(by_kind)?;
    }
    let backed = graph.propagate(&scores);
    let unscored = graph.drop_outs(&scores, &backed, Costs::default(), false);
    let unscored = unscored.iter().filter(|drop| drop.kind == DropOutKind::Unscored);
    let mut leaves: Vec<GraphNode> = unscored.map(|drop| drop.node).collect();
    if args.inner {
        let mut inner: Vec<GraphNode> = graph
            .nodes()
            .filter(|&node| !scores.contains_key(&graph.key(node).to_i64()))
            .filter(|&node| !graph.is_leaf(node) && !graph.is_over(node))
            .collect();
        inner.sort_by_key(|&node| (graph.depth(node), graph.key(node)));
        leaves.extend(inner);
    }
    leaves.truncate(args.leaves.unwrap_or(usize::MAX));
    if args.no_engine || leaves.is_empty() {
        return Ok(());
    }
    report.searched = leaves.len();
    let mut engines = args.sources.engines::<G>(leaves.len(), context)?;
    let name = engines.first().map_or_else(String::new, |engine| engine.name().to_owned());
    let line = |number: usize| graph.line_to(leaves[number]);
    ask(leaves.len(), &line, &mut engines, &mut saver, &mut |number, evaluation, findings| {
        report.scored += 1;
        let position = graph.line_to(leaves[number]).position().clone();
        findings.scores.push(book.score_of(&position, &name, evaluation));
    })
}

/// Reads scores from a file, a batch at a time.
fn import<G: Scorable>(book: &Book, args: &Args, file: &Path) -> Result<u64, CliError> {
    let mut input = Input::open(file, MAX_SCORE_LINE as u64)?;
    let (mut findings, mut imported) = (Findings::default(), 0);
    loop {
        let line = input.next_text();
        let is_end = !matches!(line, Ok(Some(_)));
        let mut bad = None;
        if let Ok(Some(text)) = &line
            && !text.trim().is_empty()
        {
            match book.read_score::<G>(text) {
                Ok(score) => findings.scores.push(score),
                Err(what) => bad = Some(what),
            }
        }
        // Before an error is returned, too: its message counts the scores before it as kept.
        if findings.scores.len() >= BATCH || is_end || bad.is_some() {
            imported += findings.scores.len() as u64;
            if !findings.is_empty() {
                std::mem::take(&mut findings).save(&args.book).map_err(by_kind)?;
            }
        }
        if let Err(error) = line {
            return Err(error.within(message!("{imported} scores before it are kept")));
        }
        if let Some(what) = bad {
            let (name, number) = (input.name(), input.number());
            let message = message!(
                "{name}, line {number}: {what}; correct it and run this again ({imported} scores \
                 before it are kept)"
            );
            return Err(CliError::message(exit::BAD_DATA, message));
        }
        if is_end {
            return Ok(imported);
        }
    }
}

fn tell<G: Scorable>(
    path: &Path,
    report: &ScoreCounts,
    backed: &PropagationReport,
    context: &mut Context<'_>,
) -> Result<(), CliError> {
    let sources = Book::open(path).and_then(|book| book.score_sources()).map_err(by_kind)?;
    let out = &mut *context.out;
    if context.common.json {
        write_answer(out, &ScoreAnswer::of(path, report, &sources, backed))?;
        return Ok(());
    }
    if let Some(cleared) = report.cleared {
        say!(out, "forgotten  {}", counts::scores(cleared))?;
    }
    let scores = counts::scores(report.scored + report.imported);
    say!(out, "new        {scores}, {}", counts::proofs(report.proofs))?;
    for (name, count) in &sources {
        say!(out, "source     {} of {}", counts::scores(count), Visible(name))?;
    }
    say!(out, "scored     {} that the book reaches", counts::positions(backed.scored))?;
    say!(out, "unscored   {} in which it ends", counts::positions(backed.unscored_leaves))?;
    say!(out, "backed up  {}", counts::moves(backed.moves))?;
    if backed.unreached > 0 {
        let many = backed.unreached;
        say!(
            out,
            "unreached  {} of positions that the start does not lead to",
            counts::moves(many)
        )?;
    }
    if let Some(start) = backed.start {
        match G::BLACK {
            Side::First => say!(out, "start      {start} for Black")?,
            Side::Second => say!(out, "start      {start} for Red")?,
        }
    }
    Ok(())
}
