//! Repertoires: books for one side, with a few answers of its own to everything that is likely.
//!
//! A walk follows the answers of the side, and of the other side's moves those that are likely, by their share of the games
//! of a position. The product of these shares is the reach of a position: how often it comes up if the side plays by the
//! repertoire. Positions are walked through ply by ply; what several lines reach at the same ply has the sum of their
//! reaches.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashSet};
use std::path::Path;

use crate::book::file::reader::{Book, BookEntry, BookMove};
use crate::book::interop::InteropError;
use crate::book::interop::own_book::OwnWriter;
use crate::book::model::annotation::{Annotation, Flags};
use crate::book::model::error::BookError;
use crate::book::model::metadata::{Metadata, Source};
use crate::book::model::move_stats::RowKey;
use crate::book::model::value::Value;
use crate::bytes::StopFlag;
use crate::bytes::paths::base_name;
use crate::game::{Notation, Packed, Side, Symmetric};
use crate::hash::Key;

/// Games at even chances that are added to those of a move before its score is compared, so that few games do not count
/// for much.
const EVEN_GAMES: f64 = 10.0;

/// The loss of score by games, of 1, from which on an answer is doubtful.
const DOUBTFUL: f64 = 0.05;

/// The loss by scores of engines and tables, in centipawns, from which on an answer is doubtful.
const DOUBTFUL_SCORE: i32 = 50;

/// Positions of a walk, at most.
const MOST_POSITIONS: usize = 2_000_000;

/// The way in which the answers of the side are chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum AnswerChoice {
    /// By the score of their games, and before that by the values of engines and tables, where the book has them.
    #[default]
    Score,
    /// By the number of games.
    Popularity,
    /// By priority and weight, as the book itself chooses.
    Weight,
}

/// The options of a repertoire.
#[derive(Debug, Clone)]
pub struct RepertoireOptions {
    /// The side that it is for.
    pub side: Side,
    /// The number of answers in a position, at most.
    pub answers: usize,
    /// The way in which they are chosen.
    pub choice: AnswerChoice,
    /// The least reach of a position, of 1.
    pub reach: f64,
    /// Plies, at most.
    pub depth: usize,
    /// Moves with fewer games are left out.
    pub min_games: u64,
    /// Ends the work.
    pub stop: StopFlag,
}

impl Default for RepertoireOptions {
    fn default() -> Self {
        Self {
            side: Side::First,
            answers: 1,
            choice: AnswerChoice::default(),
            reach: 0.01,
            depth: 40,
            min_games: 1,
            stop: StopFlag::default(),
        }
    }
}

/// The counts of a repertoire that was made.
#[derive(Debug, Clone, PartialEq)]
pub struct RepertoireReport {
    /// Positions in which the side is to move and has an answer.
    pub positions: u64,
    /// Its answers.
    pub answers: u64,
    /// Moves of the other side.
    pub replies: u64,
    /// Plies of the longest line.
    pub depth: usize,
    /// Positions reached at the same ply by more than one line.
    pub transpositions: u64,
    /// The new book's metadata.
    pub metadata: Metadata,
}

/// A position of a repertoire.
#[derive(Debug, Clone, PartialEq)]
pub struct RepertoirePosition<M> {
    /// The moves that lead there most often.
    pub line: Vec<M>,
    /// The reach, of 1.
    pub reach: f64,
    /// Moves for it: the answers of the source to a hole, those that are better than a doubtful one.
    pub moves: Vec<BookMove<M>>,
}

/// The reason why an answer is doubtful.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RepertoireDoubt {
    /// It loses by the repetition rules or by endgame tables.
    Lost,
    /// Engines or tables know better.
    Score,
    /// Others score better in games.
    Games,
}

impl RepertoireDoubt {
    /// `lost`, `score` or `games`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Lost => "lost",
            Self::Score => "score",
            Self::Games => "games",
        }
    }
}

/// An answer of a repertoire that its source does not bear out.
#[derive(Debug, Clone, PartialEq)]
pub struct DoubtfulAnswer<M> {
    /// The position, with the moves that are better.
    pub position: RepertoirePosition<M>,
    /// The answer, as the source has it.
    pub answer: BookMove<M>,
    /// The reason.
    pub doubt: RepertoireDoubt,
}

/// The findings in a repertoire.
#[derive(Debug, Clone, PartialEq)]
pub struct RepertoireCheck<M> {
    /// Positions in which the side is to move and has an answer.
    pub positions: u64,
    /// Their answers.
    pub answers: u64,
    /// Positions that the source reaches and the repertoire does not answer, those reached most often first.
    pub holes: Vec<RepertoirePosition<M>>,
    /// Answers that are doubtful, those reached most often first.
    pub doubtful: Vec<DoubtfulAnswer<M>>,
    /// The answered positions that come up most often: what to learn first.
    pub first: Vec<RepertoirePosition<M>>,
    /// Positions reached at the same ply by more than one line.
    pub transpositions: u64,
}

/// A position of a walk.
struct Walked<G: Symmetric> {
    position: G,
    line: Vec<G::Move>,
    reach: f64,
}

impl<G: Symmetric> Walked<G> {
    /// The position with some moves for it, as a check lists it.
    fn with(&self, moves: Vec<BookMove<G::Move>>) -> RepertoirePosition<G::Move> {
        RepertoirePosition { line: self.line.clone(), reach: self.reach, moves }
    }
}

/// The positions of a walk, a ply after the other.
struct Walk<'a, G: Symmetric> {
    options: &'a RepertoireOptions,
    seen: HashSet<Key>,
    now: BTreeMap<Key, Walked<G>>,
    next: BTreeMap<Key, Walked<G>>,
    ply: usize,
    transpositions: u64,
}

impl<'a, G: Symmetric + Notation> Walk<'a, G> {
    fn new(options: &'a RepertoireOptions) -> Self {
        let start = Walked { position: G::start(), line: Vec::new(), reach: 1.0 };
        let now = BTreeMap::from([(start.position.canonical().key, start)]);
        Self {
            options,
            seen: HashSet::new(),
            now,
            next: BTreeMap::new(),
            ply: 0,
            transpositions: 0,
        }
    }

    /// The next position.
    fn next(&mut self) -> Option<Walked<G>> {
        if self.options.stop.is_set() || self.seen.len() >= MOST_POSITIONS {
            return None;
        }
        if self.now.is_empty() {
            self.ply += 1;
            std::mem::swap(&mut self.now, &mut self.next);
        }
        let (key, walked) = self.now.pop_first()?;
        self.seen.insert(key);
        Some(walked)
    }

    /// Goes on after a move that is made with a probability.
    fn go_on(&mut self, from: &Walked<G>, mv: G::Move, share: f64) {
        let reach = from.reach * share;
        if self.ply + 1 > self.options.depth {
            return;
        }
        let mut position = from.position.clone();
        position.make(mv);
        let key = position.canonical().key;
        if self.seen.contains(&key) {
            return;
        }
        let mut line = from.line.clone();
        line.push(mv);
        match self.next.get_mut(&key) {
            None => drop(self.next.insert(key, Walked { position, line, reach })),
            Some(known) => {
                self.transpositions += 1;
                if reach > known.reach - reach && reach > known.reach {
                    known.line = line;
                    known.position = position;
                }
                known.reach += reach;
            }
        }
    }

    fn is_own(&self, position: &G) -> bool {
        position.turn() == self.options.side
    }
}

/// The moves that a player may make by the book.
fn playable<G: Symmetric>(
    book: &Book,
    position: &G,
    min_games: u64,
) -> Result<Vec<BookMove<G::Move>>, BookError> {
    let mut moves = book.probe_with(position, min_games)?;
    moves.retain(|found| !found.disabled && !found.banned && !found.lost);
    Ok(moves)
}

/// The moves of the other side, each with its share.
fn with_shares<M: Copy>(moves: &[BookMove<M>]) -> Vec<(BookMove<M>, f64)> {
    let games: u64 = moves.iter().map(|found| found.stats.games).sum();
    // Without games the weights count, each as 1 at least.
    let counts: Vec<u64> = moves
        .iter()
        .map(|found| if games == 0 { found.weight.max(1) } else { found.stats.games })
        .collect();
    let all: u64 = counts.iter().sum();
    let shares = counts.into_iter().map(|count| count as f64 / all.max(1) as f64);
    moves.iter().cloned().zip(shares).collect()
}

/// The score of the games of a move for the side that makes it, with some games at even chances added.
fn score_of<M>(found: &BookMove<M>, mover: Side) -> f64 {
    let decided = found.stats.decided() as f64;
    let points = found.stats.wins(mover) as f64 + found.stats.draws as f64 / 2.0;
    (points + EVEN_GAMES / 2.0) / (decided + EVEN_GAMES)
}

/// The value of a move by engines and tables, in centipawns.
fn value_of<M>(found: &BookMove<M>) -> Option<i32> {
    (found.score.engine.is_some() || found.score.backed.is_some())
        .then(|| found.score.assured())
        .flatten()
        .map(Value::value)
}

/// The moves in the order in which the side chooses them.
fn ranked<M: Copy + Ord>(
    mut moves: Vec<BookMove<M>>,
    choice: AnswerChoice,
    mover: Side,
) -> Vec<BookMove<M>> {
    moves.sort_by(|a, b| {
        let by_choice = match choice {
            AnswerChoice::Score => {
                let values = value_of(b).cmp(&value_of(a));
                values.then_with(|| score_of(b, mover).total_cmp(&score_of(a, mover)))
            }
            AnswerChoice::Popularity => b.stats.games.cmp(&a.stats.games),
            AnswerChoice::Weight => (b.priority, b.weight).cmp(&(a.priority, a.weight)),
        };
        by_choice
            .then_with(|| b.stats.games.cmp(&a.stats.games))
            .then_with(|| b.weight.cmp(&a.weight))
            .then_with(|| a.mv.cmp(&b.mv))
    });
    moves
}

/// Makes the repertoire of a side at `output` from a book. An existing file is never replaced.
///
/// # Errors
///
/// [`InteropError::Interrupted`], [`InteropError::Nothing`] if the book has no move for the side, and those of reading and
/// writing.
pub fn build_repertoire<G: Symmetric + Notation>(
    book: &Book,
    output: &Path,
    options: &RepertoireOptions,
) -> Result<RepertoireReport, InteropError> {
    book.expect_game::<G>()?;
    let mut writer = OwnWriter::create(output, &options.stop)?;
    let mut walk = Walk::<G>::new(options);
    let mut rows = BTreeMap::<RowKey, BookEntry>::new();
    let mut report = Counts::default();
    while let Some(walked) = walk.next() {
        let moves = playable(book, &walked.position, options.min_games)?;
        let chosen = if walk.is_own(&walked.position) {
            let mut answers = ranked(moves, options.choice, options.side);
            answers.truncate(options.answers.max(1));
            let share = 1.0 / answers.len().max(1) as f64;
            report.positions += u64::from(!answers.is_empty());
            report.answers += answers.len() as u64;
            answers.into_iter().map(|found| (found, share)).collect()
        } else {
            let mut likely = with_shares(&moves);
            likely.retain(|(_, share)| walked.reach * share >= options.reach);
            report.replies += likely.len() as u64;
            likely
        };
        for (rank, (found, share)) in chosen.iter().enumerate() {
            let (place, entry) = entry_of(&walked.position, found, rank);
            rows.insert(place, entry);
            walk.go_on(&walked, found.mv, *share);
        }
        if !chosen.is_empty() {
            report.depth = report.depth.max(walked.line.len() + 1);
        }
    }
    let path = book.path().to_owned();
    if options.stop.is_set() {
        return Err(InteropError::Interrupted { path });
    }
    if report.answers == 0 {
        let what = "it has no move for that side".into();
        return Err(InteropError::Nothing { path, what });
    }
    for entry in rows.values() {
        writer.add(entry)?;
    }
    let name = base_name(&path);
    let hash = blake3::hash(book.metadata().content.as_bytes()).into();
    let metadata = writer.finish::<G>(&[Source { hash, name, games: 0 }])?;
    Ok(RepertoireReport {
        positions: report.positions,
        answers: report.answers,
        replies: report.replies,
        depth: report.depth,
        transpositions: walk.transpositions,
        metadata,
    })
}

#[derive(Default)]
struct Counts {
    positions: u64,
    answers: u64,
    replies: u64,
    depth: usize,
}

/// The row of a move in the new book: it belongs to it by hand; the first answer is preferred.
fn entry_of<G: Symmetric>(
    position: &G,
    found: &BookMove<G::Move>,
    rank: usize,
) -> (RowKey, BookEntry) {
    let canonical = position.canonical();
    let key = canonical.key.to_i64();
    let mv = position.canonical_move(canonical, found.mv).pack();
    let mut mark = Annotation {
        priority: if rank == 0 { found.priority.max(1) } else { found.priority.min(0) },
        comment: found.comment.clone(),
        groups: found.groups.iter().cloned().collect(),
        ..Annotation::default()
    };
    mark.flags.set(Flags::ADDED, true);
    let weight = Some(found.weight.max(1));
    ((key, mv), BookEntry { key, mv, stats: found.stats, weight, mark })
}

/// Positions of each list of a check, at most.
const LISTED: usize = 100;

/// Looks through the repertoire of a side: what the source reaches and it does not answer, and answers that the source does
/// not bear out. Of the options, `side`, `reach`, `depth` and `min_games` count.
///
/// # Errors
///
/// Those of reading the books.
pub fn check_repertoire<G: Symmetric + Notation>(
    repertoire: &Book,
    source: &Book,
    options: &RepertoireOptions,
) -> Result<RepertoireCheck<G::Move>, BookError> {
    repertoire.expect_game::<G>()?;
    source.expect_game::<G>()?;
    let mut walk = Walk::<G>::new(options);
    let mut check = RepertoireCheck {
        positions: 0,
        answers: 0,
        holes: Vec::new(),
        doubtful: Vec::new(),
        first: Vec::new(),
        transpositions: 0,
    };
    while let Some(walked) = walk.next() {
        let known = playable(source, &walked.position, options.min_games)?;
        let own = playable(repertoire, &walked.position, 0)?;
        if !walk.is_own(&walked.position) {
            // Where the source has nothing, the repertoire's own lines are followed.
            let replies = if known.is_empty() { &own } else { &known };
            for (found, share) in with_shares(replies) {
                if walked.reach * share >= options.reach {
                    walk.go_on(&walked, found.mv, share);
                }
            }
            continue;
        }
        if own.is_empty() {
            if !known.is_empty() {
                let mut answers = ranked(known, AnswerChoice::Score, options.side);
                answers.truncate(3);
                check.holes.push(walked.with(answers));
            }
            continue;
        }
        check.positions += 1;
        check.answers += own.len() as u64;
        for answer in doubts(&own, &source.probe_with(&walked.position, 0)?, options.side) {
            let (answer, doubt, better) = answer;
            check.doubtful.push(DoubtfulAnswer { position: walked.with(better), answer, doubt });
        }
        let share = 1.0 / own.len() as f64;
        for found in &own {
            walk.go_on(&walked, found.mv, share);
        }
        check.first.push(walked.with(own));
    }
    check.transpositions = walk.transpositions;
    by_reach(&mut check.holes, |position| position.reach);
    by_reach(&mut check.first, |position| position.reach);
    by_reach(&mut check.doubtful, |answer| answer.position.reach);
    Ok(check)
}

/// Sorts by reach, the greatest first; what is alike stays in the order of the walk.
fn by_reach<T>(list: &mut Vec<T>, reach: impl Fn(&T) -> f64) {
    list.sort_by(|a, b| reach(b).total_cmp(&reach(a)));
    list.truncate(LISTED);
}

/// The answers that others of the source are better than, each with the reason and the better ones.
fn doubts<M: Copy + Ord>(
    own: &[BookMove<M>],
    known: &[BookMove<M>],
    side: Side,
) -> Vec<(BookMove<M>, RepertoireDoubt, Vec<BookMove<M>>)> {
    let mut found = Vec::new();
    for answer in own {
        let Some(played) = known.iter().find(|of| of.mv == answer.mv) else { continue };
        let others: Vec<&BookMove<M>> =
            known.iter().filter(|of| !of.banned && !of.lost && of.mv != played.mv).collect();
        if played.lost || played.banned {
            let better: Vec<_> = others.into_iter().take(3).cloned().collect();
            found.push((played.clone(), RepertoireDoubt::Lost, better));
            continue;
        }
        let others = others.into_iter();
        let by_score: Vec<BookMove<M>> = others
            .clone()
            .filter(|of| match (value_of(of), value_of(played)) {
                (Some(of), Some(played)) => of - played >= DOUBTFUL_SCORE,
                _ => false,
            })
            .cloned()
            .collect();
        let by_games = others.filter(|of| score_of(of, side) - score_of(played, side) >= DOUBTFUL);
        let (doubt, mut better) = match by_score.is_empty() {
            false => (RepertoireDoubt::Score, by_score),
            true => (RepertoireDoubt::Games, by_games.cloned().collect()),
        };
        better.sort_by_key(|of| Reverse((value_of(of), of.stats.games)));
        better.truncate(3);
        if !better.is_empty() {
            found.push((played.clone(), doubt, better));
        }
    }
    found
}
