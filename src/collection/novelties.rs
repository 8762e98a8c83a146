//! Novelties: moves made for the first time in positions that were known before.
//!
//! A position is known by earlier games of the collection, or by an older book. The positions of an index lie in buckets,
//! of which each core looks through one at a time; of everything else only the first year of each line is kept.

use std::cmp::Reverse;
use std::collections::HashMap;

use rayon::prelude::*;

use crate::book::{Book, BookError};
use crate::bytes::StopFlag;
use crate::collection::error::{IndexError, QueryResult, expect_going};
use crate::collection::game::Collected;
use crate::collection::lines::{LineSpan, Lines, StoredLine};
use crate::collection::postings::{self, Posting};
use crate::collection::query::Conditions;
use crate::collection::store::GameIndex;
use crate::game::Packed;
use crate::hash::Key;

/// Positions of a book that are kept in memory.
const MOST_KNOWN: usize = 1 << 19;

/// The order of novelties.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum NoveltyOrder {
    /// The latest first.
    #[default]
    Latest,
    /// Those that most games made since first.
    MostPlayed,
}

/// The novelties that are wanted.
#[derive(Debug, Clone)]
pub struct NoveltySearch {
    /// Games that must have reached the position before, at least.
    pub theory: u64,
    /// Plies before the move, at most.
    pub max_plies: u32,
    /// The first year and the last one of the move.
    pub years: (Option<u16>, Option<u16>),
    /// The lines whose novelties are wanted; all of them without this.
    pub among: Option<Lines>,
    /// The order.
    pub order: NoveltyOrder,
    /// The number of novelties, at most.
    pub take: usize,
}

impl Default for NoveltySearch {
    fn default() -> Self {
        Self {
            theory: 5,
            max_plies: 60,
            years: (None, None),
            among: None,
            order: NoveltyOrder::Latest,
            take: 50,
        }
    }
}

/// A move made for the first time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FirstMove {
    /// The line that made it first; of several of one year the one read first.
    pub line: i64,
    /// Moves of the line before it.
    pub ply: u32,
    /// The year, if it is known.
    pub year: Option<u16>,
    /// Games that reached the position before, copies aside.
    pub games_before: u64,
    /// Games with the move, this one among them, copies aside.
    pub games_with: u64,
}

/// The error of a search for novelties.
#[derive(Debug, thiserror::Error, crate::message::ToMessage)]
pub enum NoveltyError {
    /// The index cannot be read, or the search was interrupted.
    #[error(transparent)]
    Index(#[from] IndexError),
    /// The book cannot be read.
    #[error(transparent)]
    Book(#[from] BookError),
}

impl GameIndex {
    /// The moves that were made for the first time in a position that games of earlier years had reached. Games without a
    /// year count as earlier than any.
    ///
    /// # Errors
    ///
    /// [`IndexError`].
    pub fn first_moves(
        &self,
        search: &NoveltySearch,
        stop: &StopFlag,
    ) -> Result<Vec<FirstMove>, IndexError> {
        let years = &Years::of(self)?;
        let path = self.path();
        let own_stop = &self.stop;
        let parts = rayon::current_num_threads();
        let found = (0..parts).into_par_iter().map(|part| {
            let buckets = (0..postings::BUCKETS).skip(part).step_by(parts);
            Self::connect(path, own_stop)?.first_moves_in(buckets, years, search, stop)
        });
        let mut best = Best::new(search);
        // Each part returns those that come first among its own, in the same order; the first of all are among these.
        for part in found.collect::<Result<Vec<_>, IndexError>>()? {
            part.into_iter().for_each(|first| best.add(first));
        }
        Ok(best.into_sorted())
    }

    /// The novelties in the positions of some buckets.
    fn first_moves_in(
        &self,
        buckets: impl Iterator<Item = u64>,
        years: &Years,
        search: &NoveltySearch,
        stop: &StopFlag,
    ) -> Result<Vec<FirstMove>, IndexError> {
        let mut best = Best::new(search);
        let mut visits = Vec::new();
        for bucket in buckets {
            expect_going(stop)?;
            visits.clear();
            for bytes in self.bucket(bucket)? {
                postings::collect_all(bucket, &bytes, &mut visits)
                    .ok_or_else(|| self.damaged("a list of positions cannot be read"))?;
            }
            visits.retain(|visit: &Posting| visit.next().is_some() && years.has(visit));
            visits.sort_unstable();
            for group in visits.chunk_by_mut(|a, b| a.key() == b.key()) {
                // Not `theory` visits: one more is that of the game with the novelty.
                if group.len() as u64 > search.theory {
                    add_first_moves(group, years, search, &mut best);
                }
            }
        }
        Ok(best.into_sorted())
    }

    /// The moves that an older book lacks in positions that it knows by enough games. Of each game the first one counts.
    ///
    /// # Errors
    ///
    /// [`NoveltyError`].
    pub fn moves_beyond<G: Collected>(
        &self,
        book: &Book,
        search: &NoveltySearch,
        stop: &StopFlag,
    ) -> Result<Vec<FirstMove>, NoveltyError> {
        let years = Years::of(self)?;
        let mut theory = Theory { book, known: HashMap::new() };
        let mut found = HashMap::<(Key, u16), FirstMove>::new();
        let mut failed = Ok(());
        self.each_line(|line| {
            let Some(year) = years.of_line(line.number) else { return Ok(()) };
            if line.number % 256 == 0 {
                expect_going(stop)?;
            }
            if failed.is_err() || !search.wants(line.number, year) {
                return Ok(());
            }
            match theory.first_unknown::<G>(&line, search) {
                Ok(Some((place, ply, games_before))) => {
                    let this =
                        FirstMove { line: line.number, ply, year, games_before, games_with: 1 };
                    // A new entry has no games yet: this one is counted below as any later one is.
                    let before = found.entry(place).or_insert(FirstMove { games_with: 0, ..this });
                    let games_with = before.games_with + 1;
                    // Games without a year come last; of one year the line read first stays.
                    if (year.is_none(), year) < (before.year.is_none(), before.year) {
                        *before = this;
                    }
                    before.games_with = games_with;
                }
                Ok(None) => {}
                Err(error) => failed = Err(error),
            }
            Ok(())
        })?;
        failed?;
        let mut best = Best::new(search);
        found.into_values().for_each(|first| best.add(first));
        Ok(best.into_sorted())
    }

    /// The lines of the games that meet conditions.
    ///
    /// # Errors
    ///
    /// [`IndexError`].
    pub fn lines_meeting(&self, conditions: &Conditions) -> Result<Lines, IndexError> {
        self.within(conditions, &[], |index, among| {
            index.lines_of(conditions, among).in_index(&index.path)
        })
    }
}

impl FirstMove {
    /// The set of its line alone.
    #[must_use]
    pub fn line_alone(&self) -> Lines {
        Lines::new(vec![self.line])
    }
}

impl NoveltySearch {
    /// Returns true if novelties of a line of that year are wanted.
    fn wants(&self, line: i64, year: Option<u16>) -> bool {
        let (since, until) = self.years;
        let is_in_time = match year {
            None => since.is_none() && until.is_none(),
            Some(year) => {
                since.is_none_or(|since| since <= year) && until.is_none_or(|until| year <= until)
            }
        };
        is_in_time && self.among.as_ref().is_none_or(|lines| lines.has(line))
    }
}

/// The first year of the games of each line that games have. By number: there are many more questions than lines.
pub(crate) struct Years {
    span: LineSpan,
    /// By their places in the span: years, [`UNDATED`] or [`NO_GAME`].
    years: Vec<u16>,
}

/// Stands for a line of games without a year.
const UNDATED: u16 = u16::MAX;

/// Stands for a line that no game has.
const NO_GAME: u16 = u16::MAX - 1;

impl Years {
    pub(crate) fn of(index: &GameIndex) -> Result<Self, IndexError> {
        let span = LineSpan::of(index)?;
        let mut years = vec![NO_GAME; span.len()];
        let sql = "SELECT line, min(year) FROM games GROUP BY line ORDER BY line";
        let mut statement = index.connection.prepare(sql).in_index(&index.path)?;
        let mut rows = statement.query(()).in_index(&index.path)?;
        while let Some(row) = rows.next().in_index(&index.path)? {
            let line: i64 = row.get(0).in_index(&index.path)?;
            let year: Option<u16> = row.get(1).in_index(&index.path)?;
            // A game that was added since has none; its postings count for nothing.
            if let Some(at) = span.place(line) {
                // No year may be taken for one of the two marks.
                years[at] = year.map_or(UNDATED, |year| year.min(NO_GAME - 1));
            }
        }
        Ok(Self { span, years })
    }

    /// The year of a line; `None` if no game has the line.
    pub(crate) fn of_line(&self, line: i64) -> Option<Option<u16>> {
        match self.years[self.span.place(line)?] {
            NO_GAME => None,
            UNDATED => Some(None),
            year => Some(Some(year)),
        }
    }

    /// The year of the line of a visit, if it has one.
    fn year_of(&self, visit: &Posting) -> Option<u16> {
        self.of_line(visit.line_number()).flatten()
    }

    fn has(&self, visit: &Posting) -> bool {
        self.of_line(visit.line_number()).is_some()
    }
}

/// Adds the novelties in a position: `visits` are those of lines to it.
fn add_first_moves(
    visits: &mut [Posting],
    years: &Years,
    search: &NoveltySearch,
    best: &mut Best<'_>,
) {
    let mut all: Vec<u16> = visits.iter().filter_map(|visit| years.year_of(visit)).collect();
    all.sort_unstable();
    let undated = visits.len() - all.len();
    visits.sort_unstable_by_key(|visit| (visit.next(), visit.line));
    for same in visits.chunk_by(|a, b| a.next() == b.next()) {
        let dated: Option<Vec<u16>> = same.iter().map(|visit| years.year_of(visit)).collect();
        // The move of a game without a year may be older than any.
        let Some(dated) = dated else { continue };
        let Some(&year) = dated.iter().min() else { continue };
        let games_before = (undated + all.partition_point(|&other| other < year)) as u64;
        if games_before < search.theory {
            continue;
        }
        let is_first = |(visit, of): &(&Posting, &u16)| {
            **of == year
                && visit.ply <= search.max_plies
                && search.wants(visit.line_number(), Some(year))
        };
        if let Some((visit, _)) = same.iter().zip(&dated).find(is_first) {
            best.add(FirstMove {
                line: visit.line_number(),
                ply: visit.ply,
                year: Some(year),
                games_before,
                games_with: same.len() as u64,
            });
        }
    }
}

/// What a book knows of positions.
struct Theory<'a> {
    book: &'a Book,
    /// By canonical keys: the games of the position, and its moves in the canonical frame, packed.
    known: HashMap<Key, (u64, Vec<u16>)>,
}

/// The place of a move: the canonical key of the position, and the move in that frame, packed.
type MovePlace = (Key, u16);

impl Theory<'_> {
    /// The first move of a line that the book lacks in a position known well enough: its place, the moves before it, and
    /// the games of the book in the position.
    fn first_unknown<G: Collected>(
        &mut self,
        line: &StoredLine,
        search: &NoveltySearch,
    ) -> Result<Option<(MovePlace, u32, u64)>, BookError> {
        let Some((mut position, moves)) = line.played::<G>() else { return Ok(None) };
        for (ply, mv) in (0..search.max_plies).zip(moves) {
            let canonical = position.canonical();
            let bits = position.canonical_move(canonical, mv).pack();
            let (games, known) = self.moves_of(&position, canonical.key)?;
            if known.is_empty() {
                return Ok(None);
            }
            if !known.contains(&bits) {
                let is_theory = games >= search.theory;
                return Ok(is_theory.then_some(((canonical.key, bits), ply, games)));
            }
            position.make(mv);
        }
        Ok(None)
    }

    fn moves_of<G: Collected>(
        &mut self,
        position: &G,
        key: Key,
    ) -> Result<(u64, &[u16]), BookError> {
        // All at once: the positions that lines share are near the start, and soon known again.
        if self.known.len() >= MOST_KNOWN {
            self.known.clear();
        }
        if !self.known.contains_key(&key) {
            let canonical = position.canonical();
            let found = self.book.probe_with(position, 1)?;
            let games = found.iter().map(|found| found.stats.games).sum();
            let moves =
                found.iter().map(|found| position.canonical_move(canonical, found.mv).pack());
            self.known.insert(key, (games, moves.collect()));
        }
        let (games, moves) = &self.known[&key];
        Ok((*games, moves))
    }
}

/// The novelties that come first in an order.
struct Best<'a> {
    search: &'a NoveltySearch,
    found: Vec<FirstMove>,
}

impl<'a> Best<'a> {
    const fn new(search: &'a NoveltySearch) -> Self {
        Self { search, found: Vec::new() }
    }

    fn add(&mut self, first: FirstMove) {
        self.found.push(first);
        // Sorted only when at least as many again have come, which costs little for each.
        if self.found.len() > 2 * self.search.take + 1024 {
            self.cut();
        }
    }

    fn cut(&mut self) {
        match self.search.order {
            NoveltyOrder::Latest => self.found.sort_unstable_by_key(|first| {
                (Reverse((first.year, first.games_before)), first.line, first.ply)
            }),
            NoveltyOrder::MostPlayed => self.found.sort_unstable_by_key(|first| {
                (Reverse((first.games_with, first.year)), first.line, first.ply)
            }),
        }
        self.found.truncate(self.search.take);
    }

    fn into_sorted(mut self) -> Vec<FirstMove> {
        self.cut();
        self.found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collection::lines::FREE_NUMBERS;
    use crate::xiangqi::Position;

    fn add_game(index: &GameIndex, line: i64, year: Option<u16>) {
        let sql = "INSERT INTO games(file, seq, place, key, line, year, result, plies, broken)
             VALUES (1, ?1, 0, 0, ?1, ?2, 0, 0, 0)";
        index.connection.execute(sql, (line, year)).unwrap();
    }

    #[test]
    fn years_of_lines_with_free_numbers_between_them() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.games");
        let index = GameIndex::open::<Position>(&path, &StopFlag::default()).unwrap();
        assert_eq!(Years::of(&index).unwrap().of_line(1), None);
        add_game(&index, 7, Some(1999));
        add_game(&index, 9, None);
        add_game(&index, FREE_NUMBERS, Some(2001));
        let years = Years::of(&index).unwrap();
        let found = [6, 7, 8, 9, FREE_NUMBERS, FREE_NUMBERS + 1, i64::MAX, i64::MIN];
        let expected =
            [None, Some(Some(1999)), None, Some(None), Some(Some(2001)), None, None, None];
        assert_eq!(found.map(|line| years.of_line(line)), expected);
        add_game(&index, i64::MAX, None);
        assert!(matches!(Years::of(&index), Err(IndexError::Damaged { .. })));
    }
}
