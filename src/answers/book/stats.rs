//! The statistics of a book: its games, openings, lines, coverage, sources and marks.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::answers::book::figures::rounded;
use crate::answers::book::names::OpeningCode;
use crate::answers::described::Described;
use crate::answers::error::{AnswerError, ErrorKind};
use crate::answers::line::line_texts;
use crate::answers::sides::NamedSides;
use crate::book::opening::{Code, Named};
use crate::book::{
    AnnotationCounts, Book, BookMove, BookStats, Counts, Difference, Filter, LineCount,
    OpeningStats, Origin, Origins, Sample, Source, StatsOptions, Years,
};
use crate::bytes::visible::ShowPath;
use crate::game::{BySide, Side};
use crate::xiangqi::notation::MoveNotation;

/// The question about the statistics of a book.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct StatsRequest {
    /// Moves of fewer games are left out of coverage and lines; if not given, as the book was built.
    pub min_games: Option<u64>,
    /// The number of most played lines.
    pub lines: usize,
    /// The length of these lines, in plies.
    pub line_depth: usize,
    /// The number of most frequent openings.
    pub openings: usize,
    /// The number of positions whose most played move scores clearly worse than another.
    pub differences: usize,
    /// The least number of decided games of both moves in such a position.
    pub enough: u64,
    /// The files that the book was built from are wanted, too.
    pub sources: bool,
    /// The notation in which texts of moves are wanted beside their coordinates.
    pub notation: Option<MoveNotation>,
}

impl StatsRequest {
    /// The answer about the book at a path, all of which is verified.
    ///
    /// # Errors
    ///
    /// The book cannot be read, is damaged, or is one of another game.
    pub fn answer<G: Described + Named>(&self, book: &Path) -> Result<StatsAnswer, AnswerError> {
        Ok(self.find::<G>(book)?.answer(self))
    }

    /// The statistics that the answer is made of.
    ///
    /// # Errors
    ///
    /// As [`answer`](Self::answer).
    pub fn find<G: Described + Named>(&self, path: &Path) -> Result<FoundStats<G>, AnswerError> {
        let book = Book::open(path)?;
        book.verify()?;
        let options = self.options(&book);
        let stats = book.stats::<G>(&options)?;
        let mut opening_stats = book.opening_stats::<G>(options.min_games)?;
        opening_stats.openings.truncate(self.openings);
        let sources = book.sources()?;
        let origins = book.origins()?;
        let edits: BTreeSet<u64> = book.history()?.iter().map(|step| step.edit).collect();
        let bytes = length_of(path)?;
        let start = first_start::<G>(&book, options.min_games)?;
        let first_moves = book.probe_with(&start, options.min_games)?;
        let edits = edits.len() as u64;
        Ok(FoundStats {
            book,
            stats,
            opening_stats,
            sources,
            origins,
            edits,
            bytes,
            start,
            first_moves,
        })
    }

    fn options(&self, book: &Book) -> StatsOptions {
        StatsOptions {
            min_games: self.min_games.unwrap_or(book.metadata().min_games),
            lines: self.lines,
            line_depth: self.line_depth,
            differences: self.differences,
            enough: self.enough,
        }
    }
}

/// The first usual start that a book has moves for; the usual start if it has none.
fn first_start<G: Described + Named>(book: &Book, min_games: u64) -> Result<G, AnswerError> {
    for start in G::starts() {
        if !book.probe_with(&start, min_games)?.is_empty() {
            return Ok(start);
        }
    }
    Ok(G::start())
}

/// The length of a file cannot be found out.
#[derive(Debug, thiserror::Error)]
#[error("{}", path.shown())]
struct LengthError {
    path: PathBuf,
    source: io::Error,
}

/// The length of a file, in bytes.
fn length_of(path: &Path) -> Result<u64, AnswerError> {
    let about = std::fs::metadata(path).map_err(|source| {
        AnswerError::new(ErrorKind::Io, LengthError { path: path.to_owned(), source })
    })?;
    Ok(about.len())
}

/// A book and its statistics.
#[derive(Debug)]
pub struct FoundStats<G: Named> {
    /// The book.
    pub book: Book,
    /// Coverage, lines, differences and marks.
    pub stats: BookStats,
    /// Its games by their openings.
    pub opening_stats: OpeningStats,
    /// The files that it was built from.
    pub sources: Vec<Source>,
    /// The books that it was merged of.
    pub origins: Origins,
    /// The edits that can be undone.
    pub edits: u64,
    /// The length of the file.
    pub bytes: u64,
    /// The first start that the book has moves for.
    pub start: G,
    /// The moves there.
    pub first_moves: Vec<BookMove<G::Move>>,
}

impl<G: Described + Named> FoundStats<G> {
    /// The years of the games by the first moves of the book.
    #[must_use]
    pub fn years(&self) -> Option<Years> {
        self.first_moves.iter().filter_map(|first| first.stats.years).reduce(Years::union)
    }

    /// The share of the book's games; of the weight of its first moves where it has no games.
    #[must_use]
    pub fn share(&self, count: u64) -> f64 {
        let all = match self.stats.by_weight {
            true => self.stats.coverage.first().copied().unwrap_or(0),
            false => self.book.metadata().counts.games,
        };
        (count as f64 / all.max(1) as f64).min(1.0)
    }

    /// The names of the merged books that a source came with.
    #[must_use]
    pub fn books_of(&self, source: &Source) -> Vec<&str> {
        (1u32..)
            .zip(&self.origins.books)
            .filter(|(number, _)| self.origins.sources.contains(&(*number, source.hash)))
            .map(|(_, book)| book.name.as_str())
            .collect()
    }

    /// A number of games as answers have it, and the weight that it is in books without games.
    fn games_or_weight(&self, count: u64) -> (u64, Option<u64>) {
        if self.stats.by_weight { (0, Some(count)) } else { (count, None) }
    }

    /// The answer to a question.
    #[must_use]
    pub fn answer(&self, request: &StatsRequest) -> StatsAnswer {
        let Self { book, stats, .. } = self;
        let notation = request.notation;
        let about = book.metadata();
        let years = self.years();
        let differences = stats.differences.iter();
        StatsAnswer {
            schema: "juzhong.book.stats/1",
            book: book.path().to_string_lossy().into_owned(),
            game: about.game.clone(),
            version: book.version(),
            bytes: self.bytes,
            positions: about.positions,
            moves: about.rows,
            counts: CountedRecords::of::<G>(&about.counts),
            unknown: about.counts.unknown(),
            sources: self.sources.len(),
            max_ply: about.max_ply,
            min_games: about.min_games,
            min_share: about.min_share as f64 / 100.0,
            filter: about.filter.clone(),
            weight: about.weight.to_string(),
            key_table: about.key_table.clone(),
            stored_keys: book.foreign_keys().is_none(),
            content: about.content.clone(),
            depth: self.depths(),
            unreached: stats.walk.unreached,
            pruned: about.pruned,
            edits: self.edits,
            books: self.origins.books.clone(),
            marks: stats.marks.clone(),
            coverage: self.coverage(),
            openings: self.openings(),
            lines: stats.lines.iter().map(|line| PlayedLine::of::<G>(line, notation)).collect(),
            differences: differences.map(|d| ScoreDifference::of::<G>(d, notation)).collect(),
            samples: book.samples(),
            by_weight: stats.by_weight,
            year_min: years.map(|years| years.min),
            year_max: years.map(|years| years.max),
            source_files: request.sources.then(|| self.source_files()),
        }
    }

    fn depths(&self) -> Vec<DepthCounts> {
        let depths = self.stats.walk.depths.iter().enumerate();
        depths
            .map(|(ply, depth)| DepthCounts { ply, positions: depth.positions, moves: depth.moves })
            .collect()
    }

    fn coverage(&self) -> Vec<Coverage> {
        let counts = self.stats.coverage.iter().enumerate();
        counts
            .map(|(ply, &count)| {
                let (games, weight) = self.games_or_weight(count);
                Coverage { ply, games, share: rounded(self.share(count)), weight }
            })
            .collect()
    }

    fn openings(&self) -> Openings {
        let stats = &self.opening_stats;
        let (games, weight) = self.games_or_weight(stats.games);
        let most_frequent = stats.openings.iter();
        Openings {
            games,
            weight,
            letters: stats.letters.clone(),
            most_frequent: most_frequent.map(|opening| self.frequent_opening(opening)).collect(),
        }
    }

    fn frequent_opening(
        &self,
        &(code, name, count): &(Code, &'static str, u64),
    ) -> FrequentOpening {
        let (games, weight) = self.games_or_weight(count);
        FrequentOpening {
            code: OpeningCode::of::<G>(Some(code)),
            name,
            name_en: code.english_name(),
            games,
            weight,
        }
    }

    fn source_files(&self) -> Vec<SourceFile> {
        let sources = self.sources.iter();
        sources
            .map(|source| SourceFile {
                hash: hash_text(source),
                name: source.name.clone(),
                records: source.games,
                books: self.books_of(source).into_iter().map(str::to_owned).collect(),
            })
            .collect()
    }
}

/// The hash of a source's content, in hexadecimal.
#[must_use]
pub fn hash_text(source: &Source) -> String {
    blake3::Hash::from_bytes(source.hash).to_hex().to_string()
}

/// The answer: schema `juzhong.book.stats/1`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StatsAnswer {
    /// The schema.
    pub schema: &'static str,
    /// The path of the book.
    pub book: String,
    /// The game's name.
    pub game: String,
    /// The version of the book's layout.
    pub version: i64,
    /// The length of the file.
    pub bytes: u64,
    /// Positions with moves.
    pub positions: u64,
    /// Moves, over all positions.
    pub moves: u64,
    /// The numbers of records by what became of them.
    #[serde(flatten)]
    pub counts: CountedRecords,
    /// Games without a known result.
    pub unknown: u64,
    /// The number of files that the book was built from.
    pub sources: usize,
    /// Moves of a game that are kept, at most.
    pub max_ply: u64,
    /// Moves of fewer games are not shown unless asked for.
    pub min_games: u64,
    /// Moves of a smaller percentage of their position's games are not shown unless asked for.
    pub min_share: f64,
    /// The records that count, and which of their moves.
    pub filter: Filter,
    /// The formula for weights.
    pub weight: String,
    /// The fingerprint of the key table.
    pub key_table: String,
    /// The keys are the program's stored ones.
    pub stored_keys: bool,
    /// The digest of all rows.
    pub content: String,
    /// Positions and moves by distance from the start.
    pub depth: Vec<DepthCounts>,
    /// Moves that the start does not lead to.
    pub unreached: u64,
    /// Moves were dropped from it.
    pub pruned: bool,
    /// Edits that can be undone.
    pub edits: u64,
    /// The books that it was merged of.
    pub books: Vec<Origin>,
    /// The numbers of moves with marks.
    pub marks: AnnotationCounts,
    /// The games that still make a move of the book, by distance from the start.
    pub coverage: Vec<Coverage>,
    /// The games by openings.
    pub openings: Openings,
    /// The most played lines.
    pub lines: Vec<PlayedLine>,
    /// Positions whose most played move scores clearly worse than another.
    pub differences: Vec<ScoreDifference>,
    /// Sample games of each move, at most.
    pub samples: u16,
    /// No move has a game; weights stand for games.
    pub by_weight: bool,
    /// The first year of the games.
    pub year_min: Option<u16>,
    /// The last year of the games.
    pub year_max: Option<u16>,
    /// The files that it was built from, if they were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source_files: Option<Vec<SourceFile>>,
}

/// The numbers of records by what became of them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CountedRecords {
    /// All but the wins.
    #[serde(flatten)]
    pub counts: Counts,
    /// The games that each side won.
    #[serde(flatten)]
    pub wins: NamedSides<u64>,
}

impl CountedRecords {
    /// The counts of a book of the game `G`.
    #[must_use]
    pub fn of<G: Named>(counts: &Counts) -> Self {
        let &Counts { first, second, .. } = counts;
        Self { counts: *counts, wins: NamedSides::of::<G>(BySide { first, second }) }
    }
}

/// Positions first reached after the same number of plies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct DepthCounts {
    /// The number of plies.
    pub ply: usize,
    /// The positions.
    pub positions: u64,
    /// Their moves.
    pub moves: u64,
}

/// The games that still make a move of the book at a distance from the start.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Coverage {
    /// The distance in plies.
    pub ply: usize,
    /// The games.
    pub games: u64,
    /// Their share of all, from 0 to 1.
    pub share: f64,
    /// The weight in a book without games.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weight: Option<u64>,
}

/// The games by openings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Openings {
    /// Games that begin with a move of the book.
    pub games: u64,
    /// The weight in a book without games.
    pub weight: Option<u64>,
    /// Games by the letters of codes.
    pub letters: BTreeMap<char, u64>,
    /// The most frequent openings.
    pub most_frequent: Vec<FrequentOpening>,
}

/// An opening with its games.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FrequentOpening {
    /// Its code.
    #[serde(flatten)]
    pub code: OpeningCode,
    /// The Chinese name.
    pub name: &'static str,
    /// The English name.
    pub name_en: Option<&'static str>,
    /// Its games.
    pub games: u64,
    /// The weight in a book without games.
    pub weight: Option<u64>,
}

/// A line from the start with its games.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PlayedLine {
    /// The moves by their coordinates, with blanks between them.
    pub line: String,
    /// The moves in the notation that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The start, if it is not the usual one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start: Option<String>,
    /// The games of its rarest move.
    pub games: u64,
    /// The weight of its lightest move.
    pub weight: u64,
    /// Of the games of its last move, those that each side won.
    #[serde(flatten)]
    pub wins: NamedSides<u64>,
    /// Of the games of its last move, those drawn.
    pub draws: u64,
    /// The first side's share of the points in these games.
    pub score: Option<f64>,
}

impl PlayedLine {
    fn of<G: Described + Named>(line: &LineCount, notation: Option<MoveNotation>) -> Self {
        let last = &line.last;
        Self {
            line: line.moves.join(" "),
            text: notation.map(|notation| played_line_text::<G>(line, notation)),
            start: line.start.clone(),
            games: line.games,
            weight: line.weight,
            wins: NamedSides::of::<G>(BySide { first: last.first, second: last.second }),
            draws: last.draws,
            score: last.score(Side::First).map(rounded),
        }
    }
}

/// A line in another notation.
#[must_use]
pub fn played_line_text<G: Described + Named>(line: &LineCount, notation: MoveNotation) -> String {
    let moves = line.moves.iter().map_while(|text| G::parse_move(text));
    let start = line.start.as_ref().and_then(|text| G::from_fen(text).ok());
    line_texts(&start.unwrap_or_else(G::start), moves, notation).join(" ")
}

/// A position whose most played move scores clearly worse than another.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ScoreDifference {
    /// The position.
    pub fen: String,
    /// Moves from the start.
    pub ply: usize,
    /// The most played move.
    pub played: ScoredMove,
    /// The better one.
    pub better: ScoredMove,
    /// The difference of their scores.
    pub difference: f64,
}

/// A move with its score by the games.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ScoredMove {
    /// The move by its coordinates.
    #[serde(rename = "move")]
    pub mv: String,
    /// The move in the notation that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Its games.
    pub games: u64,
    /// The mover's share of the points.
    pub score: f64,
}

impl ScoreDifference {
    fn of<G: Described + Named>(found: &Difference, notation: Option<MoveNotation>) -> Self {
        let Difference { position, ply, played, better } = found;
        Self {
            fen: position.clone(),
            ply: *ply,
            played: ScoredMove::of::<G>(position, played, notation),
            better: ScoredMove::of::<G>(position, better, notation),
            difference: rounded(better.score - played.score),
        }
    }
}

impl ScoredMove {
    fn of<G: Described + Named>(
        position: &str,
        sample: &Sample,
        notation: Option<MoveNotation>,
    ) -> Self {
        let Sample { mv, games, score } = sample;
        Self {
            mv: mv.clone(),
            text: notation.map(|notation| played_move_text::<G>(position, mv, notation)),
            games: *games,
            score: rounded(*score),
        }
    }
}

/// A move of a position, both as texts, in another notation.
#[must_use]
pub fn played_move_text<G: Described + Named>(
    fen: &str,
    mv: &str,
    notation: MoveNotation,
) -> String {
    match (G::from_fen(fen), G::parse_move(mv)) {
        (Ok(position), Some(mv)) => position.write_move(mv, notation),
        _ => mv.to_owned(),
    }
}

/// A file that the book was built from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SourceFile {
    /// BLAKE3 of its content, in hexadecimal.
    pub hash: String,
    /// Its base name.
    pub name: String,
    /// Records in it.
    pub records: u64,
    /// The names of the merged books that it came with.
    pub books: Vec<String>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answers::book::sample_book::book_of;
    use crate::xiangqi::Position;

    #[test]
    fn statistics_are_those_of_the_games() {
        let folder = tempfile::tempdir().unwrap();
        let book = book_of(folder.path(), "1. h2e2 h9g7 1-0\n\n1. g3g4 1/2-1/2\n");
        let request = StatsRequest { lines: 1, line_depth: 2, openings: 5, ..Default::default() };
        let answer = request.answer::<Position>(&book).unwrap();
        assert_eq!((answer.counts.counts.games, answer.unknown, answer.sources), (2, 0, 1));
        assert_eq!(answer.coverage.iter().map(|at| at.games).collect::<Vec<_>>(), [2, 1]);
        let object = serde_json::to_value(&answer).unwrap();
        assert_eq!(
            (&object["red"], &object["draws"], &object["black"]),
            (&1.into(), &1.into(), &0.into())
        );
        assert!(object.get("source_files").is_none() && object["year_min"].is_null());
        let request = StatsRequest { sources: true, ..request };
        let files = request.answer::<Position>(&book).unwrap().source_files.unwrap();
        assert_eq!((files.len(), files[0].records), (1, 2));
    }

    #[test]
    fn a_book_that_is_not_there_is_absent() {
        let error = StatsRequest::default().answer::<Position>(Path::new("none.book"));
        assert_eq!(error.unwrap_err().kind(), ErrorKind::Absent);
    }
}
