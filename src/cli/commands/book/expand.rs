//! `book expand`: the places where a book can be left, and their analysis.

use std::collections::HashMap;
use std::path::PathBuf;

use super::sources::{Saver, Scorable, SourceArgs, ask, check_interrupt, patiently};
use crate::cli::args::line_args::NotationArgs;
use crate::cli::exit::{self, by_kind};
use crate::cli::interrupt::stop_flag;
use crate::cli::{CliError, Context, with_game, write_answer};
use crate::language::{counts, left, right, say, word};
use juzhong::answers::book::{ExitPlace, ExpandAnswer, Expansion, exit_kind, exit_text};
use juzhong::book::{
    Addition, Book, Costs, DropOut, Evaluation, Findings, Graph, Propagated, Score, propagate,
};
use juzhong::bytes::StopFlag;
use juzhong::game::{Game, Line};

/// List, or analyse, the most promising positions where a book could be extended.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The book.
    book: PathBuf,
    /// Number of positions to list or analyse.
    #[arg(long, default_value_t = 10)]
    count: usize,
    /// Also list positions inside the book that have no engine score yet and may have a better move.
    #[arg(long)]
    inner: bool,
    /// Search these positions and add the moves found, with their scores, to the book.
    #[arg(long)]
    analyse: bool,
    /// Use only moves with at least this many games, and those added by hand [default: as the book was built].
    #[arg(long)]
    min_games: Option<u64>,
    /// Penalty for each ply from the starting position, in centipawns.
    #[arg(long, value_name = "CP", default_value_t = Costs::default().ply)]
    ply_cost: u32,
    /// Penalty, in centipawns, each time a line is half as likely.
    #[arg(long, value_name = "CP", default_value_t = Costs::default().halving)]
    rarity_cost: u32,
    #[command(flatten)]
    notation: NotationArgs,
    #[command(flatten, next_help_heading = "Engine and tables")]
    sources: SourceArgs,
}

/// A book with what its scores make of it.
struct Scored<'a, G: Game> {
    book: &'a Book,
    graph: &'a Graph<G>,
    scores: &'a HashMap<i64, Score>,
    backed: &'a Propagated,
}

pub(crate) fn run(args: &Args, context: &mut Context<'_>) -> Result<u8, CliError> {
    with_game!(context.common.game, G => run_game::<G>(args, context))
}

fn run_game<G: Scorable>(args: &Args, context: &mut Context<'_>) -> Result<u8, CliError> {
    let book = super::open(&args.book)?;
    let min_games = args.min_games.unwrap_or(book.metadata().min_games);
    let graph = book.playable_graph::<G>(min_games).map_err(by_kind)?;
    let scores = book.counting_scores().map_err(by_kind)?;
    let backed = graph.propagate(&scores);
    let costs = Costs { ply: args.ply_cost, halving: args.rarity_cost };
    let mut drops = graph.drop_outs(&scores, &backed, costs, args.inner);
    let all = drops.len();
    drops.truncate(args.count);
    let scored = Scored { book: &book, graph: &graph, scores: &scores, backed: &backed };
    let mut done = Expansion::default();
    if args.analyse && !drops.is_empty() {
        let result = scored.analyse(args, &drops, &mut done, context);
        // Even after an error the moves and scores that were kept count.
        let backed = patiently(|| propagate::<G>(&args.book, min_games, &StopFlag::default()));
        result?;
        backed.map_err(by_kind)?;
        check_interrupt(done.scores)?;
    }
    if context.common.json {
        let places = drops.iter().map(|drop| scored.answer(drop, args.notation)).collect();
        let analysis = args.analyse.then_some(done);
        write_answer(context.out, &ExpandAnswer::of(&args.book, all, places, analysis))?;
        return Ok(exit::OK);
    }
    let [cost, gap] = [word("cost"), word("gap")].map(|head| right(head, 6));
    let (share, kind) = (right(word("share"), 9), left(word("kind"), 9));
    writeln!(context.out, "{cost} {gap} {share}  {kind} {}", word("line"))?;
    for drop in &drops {
        scored.print(drop, args.notation, context)?;
    }
    say!(context.out, "{} of {all} points where the book can be left", drops.len())?;
    if args.analyse {
        say!(
            context.out,
            "{} and {} added",
            counts::scores(done.scores),
            counts::moves(done.added)
        )?;
    }
    Ok(exit::OK)
}

/// The position to search, and the move before it if the book lacks that one.
struct Task<G: Game> {
    line: Line<G>,
    beyond: Option<G::Move>,
}

impl<G: Scorable> Task<G> {
    /// The line with the move.
    fn whole(&self) -> Line<G> {
        let mut line = self.line.clone();
        if let Some(mv) = self.beyond {
            line.push(mv);
        }
        line
    }
}

impl<G: Scorable> Scored<'_, G> {
    /// Searches the places, then the positions after the moves found: these are new in the book.
    fn analyse(
        &self,
        args: &Args,
        drops: &[DropOut],
        done: &mut Expansion,
        context: &Context<'_>,
    ) -> Result<(), CliError> {
        stop_flag(); // from here on an interrupt ends in good order
        args.sources.check::<G>(context)?;
        let mut engines = args.sources.engines::<G>(drops.len(), context)?;
        let name = engines.first().map_or_else(String::new, |engine| engine.name().to_owned());
        let mut saver = Saver::new(&args.book);
        let mut tasks: Vec<Task<G>> = drops
            .iter()
            .map(|drop| {
                let (line, beyond) = self.graph.line_of(drop);
                Task { line, beyond }
            })
            .collect();
        while !tasks.is_empty() {
            let mut further: Vec<(usize, Task<G>)> = Vec::new();
            // A move into a position that has a score needs no search.
            let (known, open): (Vec<Task<G>>, Vec<Task<G>>) =
                tasks.into_iter().partition(|task| self.is_known(task));
            for task in &known {
                done.added += self.add(task, &mut saver.pending);
            }
            ask(
                open.len(),
                &|number: usize| open[number].whole(),
                &mut engines,
                &mut saver,
                &mut |number, evaluation, findings| {
                    let task = &open[number];
                    done.added += self.add(task, findings);
                    done.scores += 1;
                    let line = task.whole();
                    findings.scores.push(self.book.score_of(line.position(), &name, evaluation));
                    let next = self.next_task(task, line, &evaluation);
                    further.extend(next.map(|next| (number, next)));
                },
            )?;
            // Answers come in any order from several engines; the result must not depend on it.
            further.sort_by_key(|(number, _)| *number);
            tasks = further.into_iter().map(|(_, task)| task).collect();
        }
        Ok(())
    }

    fn is_known(&self, task: &Task<G>) -> bool {
        let whole = task.whole();
        let key = self.book.key_of(whole.position()).to_i64();
        task.beyond.is_some() && self.scores.contains_key(&key)
    }

    /// Adds the move of a task to the book.
    fn add(&self, task: &Task<G>, findings: &mut Findings) -> u64 {
        let Some(mv) = task.beyond else { return 0 };
        let position = task.line.position();
        let (key, mv_bits) = (self.book.key_of(position), self.book.packed_move(position, mv));
        let what = format!("add {} in {}", G::move_text(mv), position.to_fen());
        findings.added.push(Addition { key, mv: mv_bits, what });
        1
    }

    /// After a search of a position that ends the book, or that it goes on from: the position after
    /// the move found, unless the book has that move. Not where the result is decided.
    fn next_task(
        &self,
        task: &Task<G>,
        line: Line<G>,
        evaluation: &Evaluation<G::Move>,
    ) -> Option<Task<G>> {
        if task.beyond.is_some() || evaluation.score.value().is_decisive() {
            return None;
        }
        let mv = evaluation.best?;
        let known = self.book.probe(line.position()).ok()?;
        let is_known = known.iter().any(|known| known.mv == mv);
        (!is_known).then_some(Task { line, beyond: Some(mv) })
    }

    fn answer(&self, drop: &DropOut, notation: NotationArgs) -> ExitPlace {
        ExitPlace::of(self.graph, self.backed, drop, notation.asked())
    }

    fn print(
        &self,
        drop: &DropOut,
        notation: NotationArgs,
        context: &mut Context<'_>,
    ) -> Result<(), CliError> {
        let (line, beyond) = self.graph.line_of(drop);
        let text = exit_text(&line, beyond, notation.shown());
        let (cost, gap, kind) = (drop.cost, drop.gap, left(word(exit_kind(drop)), 9));
        let share = f64::from(drop.frequency) / 1e4;
        writeln!(context.out, "{cost:>6} {gap:>6} {share:>8.4}%  {kind} {text}")?;
        Ok(())
    }
}
