//! The answer about the scores of a book.

use std::path::Path;

use serde::Serialize;

use crate::answers::book::moves::Span;
use crate::book::PropagationReport;

/// The counts of the work done on the scores of a book.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ScoreCounts {
    /// Positions to be searched.
    pub searched: usize,
    /// Scores found.
    pub scored: u64,
    /// Proofs found in tables.
    pub proofs: u64,
    /// Scores imported.
    pub imported: u64,
    /// Scores cleared, if that was asked for.
    pub cleared: Option<usize>,
}

/// The answer: schema `juzhong.book.score/1`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ScoreAnswer {
    /// The schema.
    pub schema: &'static str,
    /// The path of the book.
    pub book: String,
    /// Positions to be searched.
    pub searched: usize,
    /// Scores found.
    pub scored: u64,
    /// Proofs found in tables.
    pub proofs: u64,
    /// Scores imported.
    pub imported: u64,
    /// Scores cleared, null if that was not asked for.
    pub cleared: Option<usize>,
    /// The scores of each source.
    pub sources: Vec<SourceScores>,
    /// Positions with a score that the book reaches.
    pub positions: u64,
    /// Positions in which the book ends, and which have no score.
    pub unscored_leaves: u64,
    /// Moves whose value is known at least in part.
    pub backed_moves: u64,
    /// Moves of positions that the start does not lead to.
    pub unreached_moves: u64,
    /// The value of the start for the first side, null if the book does not have the start.
    pub start: Option<Span>,
}

/// The scores of a source.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SourceScores {
    /// The name of the source.
    pub source: String,
    /// The number of its scores.
    pub scores: u64,
}

impl ScoreAnswer {
    /// The answer about the book at a path, which has scores of these sources.
    #[must_use]
    pub fn of(
        book: &Path,
        counts: &ScoreCounts,
        sources: &[(String, u64)],
        backed: &PropagationReport,
    ) -> Self {
        let &ScoreCounts { searched, scored, proofs, imported, cleared } = counts;
        let sources = sources.iter().map(|(source, scores)| (source.clone(), *scores));
        Self {
            schema: "juzhong.book.score/1",
            book: book.to_string_lossy().into_owned(),
            searched,
            scored,
            proofs,
            imported,
            cleared,
            sources: sources.map(|(source, scores)| SourceScores { source, scores }).collect(),
            positions: backed.scored,
            unscored_leaves: backed.unscored_leaves,
            backed_moves: backed.moves,
            unreached_moves: backed.unreached,
            start: backed.start.map(Span::from),
        }
    }
}
