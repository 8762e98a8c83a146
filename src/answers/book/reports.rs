//! Answers about books that were made: built in one step or in three, merged, pruned.

use std::path::Path;

use serde::Serialize;

use crate::answers::book::stats::CountedRecords;
use crate::book::opening::Named;
use crate::book::{BuildReport, MergeReport, MergedBook, Metadata, PruneReport, ShardReport};

/// The answer about a book that was built: schema `juzhong.book.build/1`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct BuildAnswer {
    /// The schema.
    pub schema: &'static str,
    /// The path of the book.
    pub book: String,
    /// Files read.
    pub files: usize,
    /// Files with the content of another one.
    pub same_files: usize,
    /// Files that the book which was added to has counted.
    pub known_files: usize,
    /// Games that the book which was added to had not counted.
    pub new_games: u64,
    /// Files and members of archives that hold no games.
    pub skipped: u64,
    /// Records that an interrupted build had read.
    pub resumed_records: u64,
    /// The numbers of records by what became of them.
    #[serde(flatten)]
    pub counts: CountedRecords,
    /// Records that state another result than the last position has.
    pub contradicted: u64,
    /// Records cut before an illegal move.
    pub cut: u64,
    /// Words between moves that are none.
    pub skipped_words: u64,
    /// Positions of the book.
    pub positions: u64,
    /// Its moves.
    pub moves: u64,
    /// The digest of its rows.
    pub content: String,
}

impl BuildAnswer {
    /// The answer about the book at a path, with the number of files passed over.
    #[must_use]
    pub fn of<G: Named>(book: &Path, report: &BuildReport, skipped: u64) -> Self {
        let about = &report.metadata;
        Self {
            schema: "juzhong.book.build/1",
            book: book.to_string_lossy().into_owned(),
            files: report.files,
            same_files: report.same_files,
            known_files: report.known_files,
            new_games: report.new_games,
            skipped,
            resumed_records: report.kept,
            counts: CountedRecords::of::<G>(&about.counts),
            contradicted: report.contradicted,
            cut: report.cut,
            skipped_words: report.words,
            positions: about.positions,
            moves: about.rows,
            content: about.content.clone(),
        }
    }
}

/// The answer about a shard of game files: schema `juzhong.book.map/1`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MapAnswer {
    /// The schema.
    pub schema: &'static str,
    /// The path of the shard.
    pub shard: String,
    /// Files read.
    pub files: usize,
    /// Files with the content of another one.
    pub same_files: usize,
    /// Files and members of archives that hold no games.
    pub skipped: u64,
    /// Different files.
    pub sources: u64,
    /// Different games.
    pub games: u64,
}

impl MapAnswer {
    /// The answer about the shard at a path, with the number of files passed over.
    #[must_use]
    pub fn of(shard: &Path, report: &ShardReport, skipped: u64) -> Self {
        let [sources, games, ..] = report.rows;
        Self {
            schema: "juzhong.book.map/1",
            shard: shard.to_string_lossy().into_owned(),
            files: report.files,
            same_files: report.same_files,
            skipped,
            sources,
            games,
        }
    }
}

/// The answer about a shard of moves: schema `juzhong.book.reduce/1`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ReduceAnswer {
    /// The schema.
    pub schema: &'static str,
    /// The path of the shard.
    pub shard: String,
    /// The part of the games that it has.
    pub part: u32,
    /// The number of parts.
    pub parts: u32,
    /// Different games.
    pub games: u64,
    /// Moves.
    pub moves: u64,
}

impl ReduceAnswer {
    /// The answer about the shard at a path, with its number among the parts and their count.
    #[must_use]
    pub fn of(shard: &Path, (part, parts): (u32, u32), report: &ShardReport) -> Self {
        let [_, games, moves, _] = report.rows;
        Self {
            schema: "juzhong.book.reduce/1",
            shard: shard.to_string_lossy().into_owned(),
            part,
            parts,
            games,
            moves,
        }
    }
}

/// The answer about a book that was packed of shards: schema `juzhong.book.pack/1`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PackAnswer {
    /// The schema.
    pub schema: &'static str,
    /// The path of the book.
    pub book: String,
    /// Records in the sources.
    pub records: u64,
    /// Games that count.
    pub games: u64,
    /// Positions of the book.
    pub positions: u64,
    /// Its moves.
    pub moves: u64,
    /// The digest of its rows.
    pub content: String,
}

impl PackAnswer {
    /// The answer about the book at a path.
    #[must_use]
    pub fn of(book: &Path, about: &Metadata) -> Self {
        Self {
            schema: "juzhong.book.pack/1",
            book: book.to_string_lossy().into_owned(),
            records: about.counts.records,
            games: about.counts.games,
            positions: about.positions,
            moves: about.rows,
            content: about.content.clone(),
        }
    }
}

/// The answer about a merged book: schema `juzhong.book.merge/1`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MergeAnswer {
    /// The schema.
    pub schema: &'static str,
    /// The path of the merged book.
    pub book: String,
    /// Its games.
    pub games: u64,
    /// Its positions.
    pub positions: u64,
    /// Its moves.
    pub moves: u64,
    /// Its marks.
    pub marks: u64,
    /// Moves of which books say different things.
    pub conflicts: u64,
    /// Moves of a game that are kept, at most.
    pub max_ply: u64,
    /// The books keep games to different depths.
    pub depths_differ: bool,
    /// Moves of fewer games are not shown unless asked for.
    pub min_games: u64,
    /// Moves were dropped from it.
    pub pruned: bool,
    /// The digest of its rows.
    pub content: String,
    /// The books that it was merged of.
    pub books: Vec<MergedPart>,
}

/// A book that was merged.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MergedPart {
    /// Its path.
    pub book: String,
    /// Its games.
    pub games: u64,
    /// Its moves.
    pub moves: u64,
    /// Another book counts all its games, so that only its marks count.
    pub contained: bool,
    /// Its rows were found anew under other keys.
    pub rekeyed: bool,
    /// Rows that could not be found.
    pub unreached: u64,
    /// Their share of its rows.
    pub unreached_share: f64,
}

impl MergeAnswer {
    /// The answer about the book at a path.
    #[must_use]
    pub fn of(book: &Path, report: &MergeReport) -> Self {
        let about = &report.metadata;
        Self {
            schema: "juzhong.book.merge/1",
            book: book.to_string_lossy().into_owned(),
            games: about.counts.games,
            positions: about.positions,
            moves: about.rows,
            marks: report.marks,
            conflicts: report.conflicts,
            max_ply: about.max_ply,
            depths_differ: report.depths_differ,
            min_games: about.min_games,
            pruned: about.pruned,
            content: about.content.clone(),
            books: report.books.iter().map(MergedPart::from).collect(),
        }
    }
}

impl From<&MergedBook> for MergedPart {
    fn from(book: &MergedBook) -> Self {
        Self {
            book: book.path.to_string_lossy().into_owned(),
            games: book.games,
            moves: book.rows,
            contained: book.is_contained,
            rekeyed: book.is_rekeyed,
            unreached: book.unreached,
            unreached_share: rekeyed_share(book),
        }
    }
}

/// The share of a merged book's rows that were not found under the other keys.
#[must_use]
pub fn rekeyed_share(book: &MergedBook) -> f64 {
    book.unreached as f64 / book.rows.max(1) as f64
}

/// The answer about a smaller copy of a book: schema `juzhong.book.prune/1`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PruneAnswer {
    /// The schema.
    pub schema: &'static str,
    /// The path of the smaller book.
    pub book: String,
    /// Its positions.
    pub positions: u64,
    /// Its moves.
    pub moves: u64,
    /// Moves dropped.
    pub dropped: u64,
    /// Those of too few games.
    pub few_games: u64,
    /// Those of too small a share.
    pub small_share: u64,
    /// Those too far from the start, or that only dropped moves lead to.
    pub cut_off: u64,
    /// Those that had been deleted by hand.
    pub deleted: u64,
    /// Moves were dropped from it.
    pub pruned: bool,
    /// The digest of its rows.
    pub content: String,
}

impl PruneAnswer {
    /// The answer about the book at a path.
    #[must_use]
    pub fn of(book: &Path, report: &PruneReport) -> Self {
        let about = &report.metadata;
        Self {
            schema: "juzhong.book.prune/1",
            book: book.to_string_lossy().into_owned(),
            positions: about.positions,
            moves: about.rows,
            dropped: report.dropped(),
            few_games: report.few_games,
            small_share: report.small_share,
            cut_off: report.cut_off,
            deleted: report.deleted,
            pruned: about.pruned,
            content: about.content.clone(),
        }
    }
}
