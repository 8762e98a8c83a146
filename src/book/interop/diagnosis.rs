//! What an examination finds, and a clean copy leaves out, of the program's own books and of foreign ones.

use std::collections::HashMap;

use crate::book::interop::BookFormat;
use crate::book::interop::hash_scheme::Scheme;
use crate::book::interop::index::{Index, Stored};
use crate::book::interop::issue::{Finding, Findings, Issue};
use crate::book::interop::obk::Dialect;
use crate::book::interop::walk::{Hit, Reach};
use crate::game::{Game, Packed, Symmetric};
use crate::message::{Message, message};
use crate::xiangqi::Position;

/// The options of an examination.
#[derive(Debug, Clone)]
pub struct DoctorOptions {
    /// The format, if it is not to be found by the file's content.
    pub from: Option<BookFormat>,
    /// Bytes for the rows; a book with more is refused. Default 1 GiB.
    pub memory: usize,
    /// The limits of the search for rows.
    pub reach: Reach,
    /// Examples of each fault, at most. Default 3.
    pub examples: usize,
    /// A clean copy has weights out of all proportion brought down to those of the other moves. Default:
    /// every weight stays as it is.
    pub weights: bool,
}

impl Default for DoctorOptions {
    fn default() -> Self {
        Self { from: None, memory: 1 << 30, reach: Reach::default(), examples: 3, weights: false }
    }
}

/// The program that a book is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BookKind {
    /// One of the program's own.
    Own,
    /// Another program's.
    Foreign(BookFormat),
}

impl BookKind {
    /// The name on the command line; `juzhong` for the program's own.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Own => "juzhong",
            Self::Foreign(format) => format.name(),
        }
    }
}

/// The result of an examination.
#[derive(Debug, Clone)]
pub struct Diagnosis {
    /// The program that the book is for.
    pub kind: BookKind,
    /// The way in which an `.obk` stores its keys.
    pub dialect: Option<Dialect>,
    /// True if moves are stored with origin and destination exchanged.
    pub is_swapped: bool,
    /// Keys stored as doubles that happened to be whole numbers and became integers. SQLite finds them
    /// as either.
    pub punned: u64,
    /// Rows in the file, or as far as it can be read.
    pub rows: u64,
    /// Different keys among them.
    pub positions: u64,
    /// Positions reached from the start.
    pub reached_positions: u64,
    /// Rows reached from the start, legal or not.
    pub reached: u64,
    /// Rows that were not; that is no fault in itself.
    pub unreached: u64,
    /// True if the search for rows was ended by its limit.
    pub is_cut: bool,
    /// Rows that may not be chosen.
    pub disabled: u64,
    /// Rows with a comment.
    pub comments: u64,
    /// Positions with several moves, and those of them whose moves all have the same weight: in foreign books
    /// without results that explain it, in the program's own books by weights set by hand.
    pub choices: u64,
    /// See [`choices`](Self::choices).
    pub equal_choices: u64,
    /// The faults, none in a healthy book, and the notices.
    pub findings: Vec<Finding>,
}

impl Diagnosis {
    /// Returns true if no fault was found; notices are none.
    #[must_use]
    pub fn is_healthy(&self) -> bool {
        self.findings.iter().all(|finding| finding.issue.is_notice())
    }
}

/// The differences of a clean copy from the book examined.
#[derive(Debug, Clone)]
pub struct RepairReport {
    /// The faults found.
    pub diagnosis: Diagnosis,
    /// Rows in the copy.
    pub written: u64,
    /// Rows left out: without a key, a move or a legal position, or illegal in it.
    pub dropped: u64,
    /// Rows that became one with another row of the same move.
    pub merged: u64,
    /// Weights brought down to those of the other moves, or set back to those that the games give; none
    /// unless [`DoctorOptions::weights`] asks for it.
    pub changed: u64,
    /// Records with something learnt, which the copy does not have.
    pub learning: u64,
    /// The parts that could not be read, of unknown size; none if all could.
    pub lost: Vec<Message>,
}

impl RepairReport {
    pub(crate) const fn new(diagnosis: Diagnosis, lost: Vec<Message>) -> Self {
        Self { diagnosis, written: 0, dropped: 0, merged: 0, changed: 0, learning: 0, lost }
    }

    /// The findings that the copy still has.
    pub fn left(&self) -> impl Iterator<Item = Issue> + '_ {
        self.diagnosis.findings.iter().map(|finding| finding.issue).filter(|issue: &Issue| {
            match issue {
                Issue::Outlier => self.changed == 0,
                issue => !issue.is_repairable(),
            }
        })
    }
}

/// A row's number that is a thousand times those of the other moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Outlier {
    pub(crate) row: usize,
    pub(crate) column: Column,
    /// The most that any other has.
    pub(crate) others: i64,
}

/// A number by which programs choose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Column {
    Score,
    Wins,
}

impl Column {
    pub(crate) fn of(self, row: &Stored) -> i64 {
        match self {
            Self::Score => row.value.into(),
            Self::Wins => row.wins.into(),
        }
    }
}

/// The same move under both images of a position that is not its own mirror image.
pub(crate) fn note_mirrored(position: &Position, hits: &[Hit], mirrored: &mut Vec<(usize, usize)>) {
    if position.canonical().by.count_ones() > 1 {
        return;
    }
    // One pair for each row of the other image, however many copies there are.
    let mut hits: Vec<&Hit> = hits.iter().collect();
    hits.sort_by_key(|hit| hit.mv.pack());
    for group in hits.chunk_by(|a, b| a.mv == b.mv) {
        let one = group[0];
        let others = group.iter().filter(|other| other.frame != one.frame);
        mirrored.extend(others.map(|other| (one.row, other.row)));
    }
}

/// The factor from which on a weight is out of all proportion: it is this many times any of at least two
/// others.
const OUT_OF_PROPORTION: i64 = 1000;

/// A score of at most this many times the number of games is taken to derive from these games.
const SCORE_PER_GAME: u64 = 4;

/// The weight of a move and the number of games in which it was played, as far as results say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Weighed {
    pub(crate) weight: i64,
    pub(crate) games: u64,
}

impl Weighed {
    /// The greater of the two: a move that was often played has a reason for a high weight, whatever it has.
    fn most(self) -> i64 {
        self.weight.max(i64::try_from(self.games).unwrap_or(i64::MAX))
    }
}

/// The one weight of a position that is out of proportion, and the most of any other. A weight that derives
/// from games never is, nor is that of the move that was played more often than all others together.
pub(crate) fn outlier(moves: &[Weighed]) -> Option<(usize, i64)> {
    let (at, most) = moves.iter().enumerate().max_by_key(|(_, found)| found.weight)?;
    let others = moves.iter().enumerate().filter(|&(i, _)| i != at).map(|(_, &other)| other);
    let next = others.clone().map(Weighed::most).max()?;
    let is_lone = moves.len() >= 3 && most.weight >= next.max(1).saturating_mul(OUT_OF_PROPORTION);
    let is_of_games = most.weight.cast_unsigned() <= most.games.saturating_mul(SCORE_PER_GAME);
    let is_usual = most.games > others.map(|other| other.games).fold(0, u64::saturating_add);
    (is_lone && !is_of_games && !is_usual).then_some((at, next))
}

/// Rows with weights out of proportion, and the keys of the positions that their moves lead to.
pub(crate) struct Heavy {
    outliers: Vec<Outlier>,
    after: HashMap<usize, Vec<u64>>,
}

/// The part of a weight that the replies to the move have together if games explain it: results that count
/// for one side only and games that end there make up for the rest.
const REPLIES: i64 = 8;

impl Heavy {
    pub(crate) fn new(outliers: Vec<Outlier>) -> Self {
        Self { outliers, after: HashMap::new() }
    }

    /// Notes the keys of the position that a row's move leads to, if its weight is one of them.
    pub(crate) fn note(&mut self, row: usize, keys_after: impl FnOnce() -> Vec<u64>) {
        if self.outliers.iter().any(|outlier| outlier.row == row) {
            self.after.insert(row, keys_after());
        }
    }

    /// Notes where the moves of a position lead.
    pub(crate) fn note_hits(&mut self, scheme: &Scheme, position: &Position, hits: &[Hit]) {
        for hit in hits {
            self.note(hit.row, || {
                let mut after = position.clone();
                after.make(hit.mv);
                scheme.keys(&after).into_iter().flatten().map(|(key, _)| key).collect()
            });
        }
    }

    /// Those that nothing explains: a move that was played often has replies that were, too.
    pub(crate) fn unexplained(mut self, index: &Index) -> Vec<Outlier> {
        let mut outliers = std::mem::take(&mut self.outliers);
        outliers.retain(|outlier| !self.is_explained(outlier, index));
        outliers
    }

    /// Returns true if the replies to a move weigh enough for its own weight to come from games.
    fn is_explained(&self, outlier: &Outlier, index: &Index) -> bool {
        let weight = outlier.column.of(index.row(outlier.row));
        outlier.column == Column::Score && self.replies(outlier.row, index) >= weight / REPLIES
    }

    /// The weight of all replies to the move of a row.
    fn replies(&self, row: usize, index: &Index) -> i64 {
        let keys = self.after.get(&row).into_iter().flatten();
        let rows = keys.flat_map(|&key| index.of(key)).map(|row| index.row(row));
        rows.map(|row: &Stored| Weighed { weight: row.value.into(), games: row.games() }.most())
            .fold(0, i64::saturating_add)
    }
}

/// The number of positions with a choice from which on their weights are checked as a whole.
const ENOUGH_CHOICES: u64 = 20;

/// If more than one position in this many has only moves of the same weight, the weights carry no
/// information.
const EQUAL_SHARE: u64 = 5;

pub(crate) fn note_equal(choices: u64, equal: u64, findings: &mut Findings) {
    if choices >= ENOUGH_CHOICES && equal * EQUAL_SHARE > choices {
        findings.add(Issue::AllEqual, || message!("of {choices} positions with several moves"));
        findings.add_many(Issue::AllEqual, equal - 1);
    }
}
