//! Scores and moves found for a book's positions, kept in the book.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::Path;

use rusqlite::Connection;

use crate::book::analysis::evaluator::{Evaluator, EvaluatorError};
use crate::book::analysis::graph::{Graph, GraphNode};
use crate::book::analysis::loops::Bans;
use crate::book::edit::journal;
use crate::book::file::reader::Book;
use crate::book::file::scores::{MAX_SOURCE, Score};
use crate::book::file::transaction::Revision;
use crate::book::file::{annotation_rows, scores};
use crate::book::model::annotation::Flags;
use crate::book::model::error::{BookError, ReplaceError};
use crate::book::model::move_stats::RowKey;
use crate::book::model::value::{Bounds, Evaluation, SourceScore};
use crate::bytes::StopFlag;
use crate::bytes::visible::first_bytes;
use crate::game::{Adjudicate, Line, Notation, Packed, Symmetric};
use crate::hash::Key;

/// Scores and moves to be kept in a book.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Findings {
    /// By canonical key; each replaces an earlier one of the same source, unless that one is of a deeper
    /// search.
    pub scores: Vec<(Key, Score)>,
    /// Moves to add. Deleted and locked moves stay as they are.
    pub added: Vec<Addition>,
}

/// A move to add to a book.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Addition {
    /// The canonical key of its position.
    pub key: Key,
    /// The move in that frame, packed.
    pub mv: u16,
    /// In words, for the journal.
    pub what: String,
}

impl Findings {
    /// Returns true if there is nothing to keep.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.scores.is_empty() && self.added.is_empty()
    }

    /// Keeps them in the book at `path`, all or none. Moves that are added are one edit, which can be undone.
    /// The values that result are left to [`propagate`].
    ///
    /// # Errors
    ///
    /// [`ReplaceError`]; the book is as it was then.
    pub fn save(&self, path: &Path) -> Result<(), ReplaceError> {
        let revision = Revision::open(path, &StopFlag::default())?;
        revision.run(|c| {
            for (key, score) in &self.scores {
                scores::put(c, key.to_i64(), score)?;
            }
            let edit = journal::last_edit(c)? + 1;
            let mut step = 1;
            for Addition { key, mv, what } in &self.added {
                let place = (key.to_i64(), *mv);
                let before = annotation_rows::get(c, place)?;
                let stays = [Flags::DELETED, Flags::LOCKED, Flags::ADDED];
                if !stays.into_iter().any(|flag| before.flags.has(flag)) {
                    let mut after = before.clone();
                    after.flags.set(Flags::ADDED, true);
                    journal::write(c, (edit, step), place, what, &before, &after)?;
                    step += 1;
                }
            }
            Ok(())
        })?;
        revision.commit()
    }
}

/// The counts of handing the scores of a book back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PropagationReport {
    /// Positions with a score, reached from the start.
    pub scored: u64,
    /// Positions in which the book ends, and which have no score.
    pub unscored_leaves: u64,
    /// Moves whose value is at least partly known now.
    pub moves: u64,
    /// Moves of positions that the start does not reach; they get no value.
    pub unreached: u64,
    /// The value of the start position for the first side, if the book has it.
    pub start: Option<Bounds>,
}

/// Hands the scores in the book at `path` back to the moves that lead to them, over the moves of at least
/// `min_games` games, and stores the values that result.
///
/// # Errors
///
/// [`ReplaceError`]; the book is as it was then.
pub fn propagate<G: Symmetric + Notation>(
    path: &Path,
    min_games: u64,
    stop: &StopFlag,
) -> Result<PropagationReport, ReplaceError> {
    // Before the moves are read, so that they cannot change meanwhile.
    let revision = Revision::open(path, stop)?;
    let book = revision.book();
    let graph = book.playable_graph::<G>(min_games)?;
    let scores = book.counting_scores()?;
    let backed = graph.propagate(&scores);
    let mut report = PropagationReport {
        scored: graph
            .nodes()
            .filter(|node: &GraphNode| scores.contains_key(&graph.key(*node).to_i64()))
            .count() as u64,
        unscored_leaves: graph
            .leaves()
            .filter(|node| !scores.contains_key(&graph.key(*node).to_i64()))
            .count() as u64,
        moves: 0,
        unreached: graph.unreached_moves(),
        start: graph.start().map(|node| backed.position(node)),
    };
    let moves = backed.moves(&graph).inspect(|_| report.moves += 1);
    revision.run(|c| scores::put_backed(c, moves))?;
    revision.commit()?;
    Ok(report)
}

/// Removes all scores in the book at `path`, or those of one source, and the values derived from them.
/// Returns their number.
///
/// # Errors
///
/// [`ReplaceError`]; the book is as it was then.
pub fn clear_scores(
    path: &Path,
    source: Option<&str>,
    stop: &StopFlag,
) -> Result<usize, ReplaceError> {
    let revision = Revision::open(path, stop)?;
    let cleared = revision.run(|c| scores::clear(c, source))?;
    revision.commit()?;
    Ok(cleared)
}

/// The moves that were flagged.
#[derive(Debug)]
pub struct FlagReport<G: Symmetric> {
    /// Moves that the repetition rules ban.
    pub bans: Bans<G::Move>,
    /// Moves that the tablebase proves lost, with a line that ends with each.
    pub lost: Vec<Line<G>>,
    /// Moves of positions that the start does not reach; they were not examined.
    pub unreached: u64,
}

/// An error of flagging moves.
#[derive(Debug, thiserror::Error, crate::message::ToMessage)]
#[non_exhaustive]
pub enum FlagError {
    /// The book cannot be used or replaced.
    #[error(transparent)]
    Replace(#[from] ReplaceError),
    /// The tablebase failed.
    #[error(transparent)]
    Evaluate(#[from] EvaluatorError),
}

impl From<BookError> for FlagError {
    fn from(error: BookError) -> Self {
        Self::Replace(error.into())
    }
}

/// Flags the moves of the book at `path` that `rules` on repetition ban ([`Graph::bans`]), and those that
/// lead to positions which `tables`, or scores in the book that are proofs, call won for the other side,
/// locked moves included. Earlier flags of both kinds are removed. The proofs of `tables` are kept with the
/// scores, so that they count later, too. If anything changes, the values derived from scores are removed
/// until [`propagate`] is run.
///
/// # Errors
///
/// [`FlagError`]; the book is as it was then.
pub fn flag<G: Symmetric + Notation + Adjudicate>(
    path: &Path,
    rules: G::Rules,
    tables: Option<&mut dyn Evaluator<G>>,
    stop: &StopFlag,
) -> Result<FlagReport<G>, FlagError> {
    let revision = Revision::open(path, stop)?;
    let graph = revision.book().graph::<G>(0, |_| true)?;
    let bans = graph.bans(rules);
    let Lost { places, lines: lost, proofs } = lost_moves(revision.book(), &graph, tables)?;
    let banned = bans.moves.iter().map(|ban| (graph.key(ban.node).to_i64(), ban.bits)).collect();
    revision.run(|c| {
        for (key, score) in &proofs {
            scores::put(c, key.to_i64(), score)?;
        }
        if !proofs.is_empty() {
            scores::forget_backed(c)?;
        }
        set_flag(c, Flags::BANNED, &banned)?;
        set_flag(c, Flags::LOST, &places)
    })?;
    revision.commit()?;
    Ok(FlagReport { bans, lost, unreached: graph.unreached_moves() })
}

/// The lost moves of a book, by proofs.
struct Lost<G: Symmetric> {
    places: BTreeSet<RowKey>,
    /// A line that ends with each of these moves.
    lines: Vec<Line<G>>,
    /// The answers of the tablebase, for the book.
    proofs: Vec<(Key, Score)>,
}

/// Moves into positions that are proven to be won for the side to move there.
fn lost_moves<G: Symmetric + Notation + Adjudicate>(
    book: &Book,
    graph: &Graph<G>,
    mut tables: Option<&mut dyn Evaluator<G>>,
) -> Result<Lost<G>, FlagError> {
    let known = book.counting_scores()?;
    let source = tables.as_deref().map_or_else(String::new, |tables| tables.name().to_owned());
    let mut places = BTreeSet::new();
    let mut lines = Vec::new();
    let mut proofs = Vec::new();
    let never = StopFlag::default();
    let mut failed = None;
    graph.for_each_move(|node, number, position, mv, after| {
        let known = graph.target_key(number).and_then(|key| known.get(&key));
        let mut won = known.is_some_and(|score| is_win(score.evaluation.score));
        if let Some(tables) =
            tables.as_deref_mut().filter(|t| !won && failed.is_none() && t.covers(after))
        {
            match tables.evaluate(&Line::new(after.clone(), 0), &never) {
                Ok(Some(answer)) => {
                    won = is_win(answer.score);
                    proofs.push(book.score_of(after, &source, answer));
                }
                Ok(None) => {}
                Err(error) => failed = Some(error),
            }
        }
        if won {
            places.insert((graph.key(node).to_i64(), graph.packed(position, mv)));
            let mut line = graph.line_to(node);
            line.push(mv);
            lines.push(line);
        }
    });
    failed.map_or(Ok(Lost { places, lines, proofs }), |error| Err(error.into()))
}

/// Returns true for wins by a table.
const fn is_win(score: SourceScore) -> bool {
    matches!(score, SourceScore::TableWin { .. })
}

/// Sets a flag on these moves and clears it on all others. Facts are no edits: locked moves are
/// flagged as well.
fn set_flag(c: &Connection, flag: Flags, on: &BTreeSet<RowKey>) -> rusqlite::Result<()> {
    let mut places = on.clone();
    {
        let mut statement = c.prepare("SELECT key, move FROM marks WHERE flags & ?1")?;
        let rows = statement.query_map([flag.bits()], |row| Ok((row.get(0)?, row.get(1)?)))?;
        for place in rows {
            places.insert(place?);
        }
    }
    for place in places {
        let mut mark = annotation_rows::get(c, place)?;
        if mark.flags.has(flag) != on.contains(&place) {
            mark.flags.set(flag, on.contains(&place));
            annotation_rows::set(c, place, &mark)?;
            scores::forget_backed(c)?;
        }
    }
    Ok(())
}

/// A name that fits.
fn stored_source(source: &str) -> String {
    let source = first_bytes(source, MAX_SOURCE);
    source.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

impl Book {
    /// The graph of the moves that may be played: of at least `min_games` games, or added by hand, and not
    /// banned. Lost ones are included: their proofs give their value.
    ///
    /// # Errors
    ///
    /// As [`graph`](Self::graph).
    pub fn playable_graph<G: Symmetric + Notation>(
        &self,
        min_games: u64,
    ) -> Result<Graph<G>, BookError> {
        self.graph(min_games, |entry| !entry.mark.flags.has(Flags::BANNED))
    }

    /// Returns true if the book has the values derived from its scores, see [`propagate`]. Changes of its moves
    /// remove them.
    ///
    /// # Errors
    ///
    /// [`BookError::Damaged`].
    pub fn is_backed(&self) -> Result<bool, BookError> {
        self.query(scores::is_backed)
    }

    /// The score that counts for each position that has one, by canonical key.
    ///
    /// # Errors
    ///
    /// [`BookError::Damaged`].
    pub fn counting_scores(&self) -> Result<HashMap<i64, Score>, BookError> {
        if !self.has_scores() {
            return Ok(HashMap::new());
        }
        self.query(scores::counting)
    }

    /// The number of scores of each source, by its name.
    ///
    /// # Errors
    ///
    /// [`BookError::Damaged`].
    pub fn score_sources(&self) -> Result<Vec<(String, u64)>, BookError> {
        self.query(scores::sources)
    }

    /// Every score of a position, by the name of the source; moves in the canonical frame.
    ///
    /// # Errors
    ///
    /// [`BookError::OtherGame`], [`BookError::Damaged`].
    pub fn scores_of<G: Symmetric>(&self, position: &G) -> Result<Vec<Score>, BookError> {
        self.expect_game::<G>()?;
        if !self.has_scores() {
            return Ok(Vec::new());
        }
        self.query(|c| scores::of_key(c, self.key_of(position).to_i64()))
    }

    /// A score as the book keeps it: the canonical key, and the move in that frame.
    pub fn score_of<G: Symmetric>(
        &self,
        position: &G,
        source: &str,
        evaluation: Evaluation<G::Move>,
    ) -> (Key, Score) {
        let evaluation = evaluation.map(|mv| self.packed_move(position, mv));
        (self.key_of(position), Score { source: stored_source(source), evaluation })
    }

    /// A move as the book keeps it: in the canonical frame, packed.
    pub fn packed_move<G: Symmetric>(&self, position: &G, mv: G::Move) -> u16 {
        position.canonical_move(position.canonical_with(self.foreign_keys()), mv).pack()
    }

    /// Key and packed move of all moves that were deleted by hand.
    pub(crate) fn deleted_moves(&self) -> Result<HashSet<RowKey>, BookError> {
        self.query(|c| {
            let mut statement = c.prepare("SELECT key, move FROM marks WHERE flags & ?1")?;
            let flag = Flags::DELETED.bits();
            statement.query_map([flag], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
        })
    }
}
