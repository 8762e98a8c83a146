//! Proved positions in a book: scores of the source `solve KIND`, which count as those of endgame tables do.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use super::proof::{Goal, NodeId, Proof, ProofNode};
use super::prover::Solution;
use super::value::{ProofKind, Value};
use crate::book::interop::{InteropError, create_empty};
use crate::book::{Book, BookError, Evaluation, Findings, ReplaceError, Score, SourceScore};
use crate::bytes::StopFlag;
use crate::game::{Game, Packed, Symmetric};
use crate::gomoku::{Board, Point};
use crate::hash::{Key, KeyTable};

/// The beginning of the names of sources that are provers.
const SOURCE: &str = "solve ";

/// The most positions of one proof that are stored.
const MOST_POSITIONS: usize = 100_000;

/// The reasons why proved positions cannot be stored or opened.
#[derive(Debug, thiserror::Error, crate::message::ToMessage)]
#[non_exhaustive]
pub enum StoreError {
    /// The book cannot be read.
    #[error(transparent)]
    Book(#[from] BookError),
    /// The book cannot be made.
    #[error(transparent)]
    Create(#[from] InteropError),
    /// The book cannot be changed.
    #[error(transparent)]
    Replace(#[from] ReplaceError),
    /// The book is of another game.
    #[error("a book of {0}, not of gomoku")]
    OtherGame(String),
    /// Nothing in the book is proved.
    #[error("no proved positions; add some with: solve --store")]
    Empty,
}

/// The proved value of a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Proved {
    /// The value for the side to move.
    pub value: Value,
    /// Plies to the end by the proof, of wins and losses.
    pub distance: u16,
    /// The way in which it was proved.
    pub kind: ProofKind,
    /// A move that keeps the value, if the proof has one.
    pub best: Option<Point>,
}

/// The proved positions of a book, in memory.
#[derive(Debug)]
pub struct ProvedPositions {
    /// The keys of the book, if they are not the stored ones.
    keys: Option<KeyTable>,
    /// By canonical key; moves in that frame.
    positions: HashMap<i64, Proved>,
}

impl ProvedPositions {
    /// Reads the proved positions of a book.
    ///
    /// # Errors
    ///
    /// If it is no book of gomoku, or nothing is proved in it.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        let book = open_book(path)?;
        let scores = book.counting_scores()?;
        let positions: HashMap<i64, Proved> =
            scores.into_iter().filter_map(|(key, score)| Some((key, proved(&score)?))).collect();
        if positions.is_empty() {
            return Err(StoreError::Empty);
        }
        Ok(Self { keys: book.foreign_keys().cloned(), positions })
    }

    /// Number of positions.
    #[must_use]
    pub fn len(&self) -> usize {
        self.positions.len()
    }

    /// Returns true if there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.positions.is_empty()
    }

    /// Returns what is proved about a position.
    #[must_use]
    pub fn probe(&self, board: &Board) -> Option<Proved> {
        let canonical = board.canonical_with(self.keys.as_ref());
        let proved = *self.positions.get(&canonical.key.to_i64())?;
        let best = proved.best.map(|best| board.played_move(canonical, best));
        Some(Proved { best: best.filter(|&best| board.is_legal(best)), ..proved })
    }
}

fn open_book(path: &Path) -> Result<Book, StoreError> {
    let book = Book::open(path)?;
    match book.metadata().game.as_str() {
        Board::NAME => Ok(book),
        other => Err(StoreError::OtherGame(other.to_owned())),
    }
}

fn proved(score: &Score) -> Option<Proved> {
    let kind = score.source.strip_prefix(SOURCE)?.parse().ok()?;
    let (value, distance) = match score.evaluation.score {
        SourceScore::TableWin { distance, .. } => (Value::Win, distance),
        SourceScore::TableDraw => (Value::Draw, 0),
        SourceScore::TableLoss { distance, .. } => (Value::Loss, distance),
        _ => return None,
    };
    let best = score.evaluation.best.and_then(Point::unpack);
    Some(Proved { value, distance, kind, best })
}

/// Solutions to be kept in a book.
#[derive(Debug)]
pub struct SolutionStore {
    path: PathBuf,
    /// `None` while the book is replaced: Windows replaces no open file.
    book: Option<Book>,
    scores: Vec<(Key, Score)>,
    seen: HashSet<Key>,
}

impl SolutionStore {
    /// Opens the book, to which nothing is written yet.
    ///
    /// # Errors
    ///
    /// If it is no book of gomoku.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        let book = Some(open_book(path)?);
        Ok(Self { path: path.to_owned(), book, scores: Vec::new(), seen: HashSet::new() })
    }

    /// Makes a book without games and opens it.
    ///
    /// # Errors
    ///
    /// If it cannot be made.
    pub fn create(path: &Path) -> Result<Self, StoreError> {
        create_empty::<Board>(path, &StopFlag::default())?;
        Self::open(path)
    }

    /// Adds a position and its solution, and the positions that the listed moves of the proof lead to.
    pub fn add(&mut self, board: &Board, solution: &Solution) {
        let Some(kind) = solution.kind else { return };
        let most = self.scores.len() + MOST_POSITIONS;
        let mut collector = Collector { store: self, kind, most };
        let distance = solution.distance.unwrap_or(0);
        collector.add(board, solution.value, distance, solution.line.first().copied());
        if let Some(proof) = &solution.proof {
            collector.walk(proof);
        }
    }

    /// Writes what was added since the last time to the book, all or nothing. Returns the number of positions.
    ///
    /// # Errors
    ///
    /// If the book cannot be changed; it is as it was then.
    pub fn save(&mut self) -> Result<usize, StoreError> {
        let scores = std::mem::take(&mut self.scores);
        let added = scores.len();
        if added > 0 {
            self.book = None;
            Findings { scores, added: Vec::new() }.save(&self.path)?;
            self.book = Some(open_book(&self.path)?);
        }
        Ok(added)
    }
}

/// The positions of a proof as a book keeps them.
struct Collector<'a> {
    store: &'a mut SolutionStore,
    kind: ProofKind,
    /// The most positions in the store.
    most: usize,
}

impl Collector<'_> {
    fn add(&mut self, board: &Board, value: Value, distance: u32, best: Option<Point>) {
        let distance = u16::try_from(distance).unwrap_or(u16::MAX);
        let score = match value {
            Value::Win => SourceScore::TableWin { order: 0, distance },
            Value::Loss => SourceScore::TableLoss { order: 0, distance },
            Value::Draw => SourceScore::TableDraw,
            Value::Unknown => return,
        };
        let source = format!("{SOURCE}{}", self.kind);
        let Some(book) = &self.store.book else { return };
        let (key, score) = book.score_of(board, &source, Evaluation::proof(score, best));
        if self.store.seen.insert(key) {
            self.store.scores.push((key, score));
        }
    }

    fn walk(&mut self, proof: &Proof) {
        let plies = proof.plies();
        let mut board = proof.board.clone();
        for claim in proof.claims.iter().filter(|claim| claim.goal == Goal::Win) {
            self.visit(proof, &plies, claim.root, &mut board);
        }
    }

    /// Adds what lies below a node. Every level plays a move of the proof.
    fn visit(&mut self, proof: &Proof, plies: &[u32], id: NodeId, board: &mut Board) {
        let Some(node) = proof.nodes.get(id as usize) else { return };
        if self.store.scores.len() >= self.most {
            return;
        }
        let distance = plies.get(id as usize).copied().unwrap_or(0);
        match node {
            ProofNode::End | ProofNode::Pairs(_) => {}
            &ProofNode::Move(point, child) => {
                self.add(board, Value::Win, distance, Some(point));
                self.below(proof, plies, (point, child), board);
            }
            ProofNode::Answers { answers, .. } => {
                self.add(board, Value::Loss, distance, None);
                for &answer in answers {
                    self.below(proof, plies, answer, board);
                }
            }
        }
    }

    fn below(
        &mut self,
        proof: &Proof,
        plies: &[u32],
        (point, child): (Point, NodeId),
        board: &mut Board,
    ) {
        if board.is_legal(point) {
            let undo = board.make(point);
            self.visit(proof, plies, child, board);
            board.unmake(point, undo);
        }
    }
}
