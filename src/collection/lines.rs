//! Sets of lines: by the positions that they reach, and by patterns on the board.

use std::collections::{BTreeMap, HashMap, HashSet};

use rayon::prelude::*;

use crate::collection::error::{IndexError, QueryResult};
use crate::collection::game::{Collected, moves_in};
use crate::collection::pattern::BoardPattern;
use crate::collection::pattern_search::PatternSearch;
use crate::collection::postings::{self, Posting};
use crate::collection::store::GameIndex;
use crate::hash::Key;

/// Lines that are looked through at once.
const BATCH: usize = 4_096;

/// Parts of the lines for each core: some have more lines than others, for numbers may be free.
const PARTS_EACH: i64 = 4;

/// Lines of an index: games with the same start and moves are one. It is of use as long as the index is open.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Lines {
    /// Their numbers, ascending.
    pub(crate) numbers: Vec<i64>,
}

impl Lines {
    pub(crate) fn new(mut numbers: Vec<i64>) -> Self {
        numbers.sort_unstable();
        numbers.dedup();
        Self { numbers }
    }

    /// The lines in both sets.
    #[must_use]
    pub fn and(mut self, other: &Self) -> Self {
        self.numbers.retain(|&line| other.has(line));
        self
    }

    /// Returns true if a line is one of them.
    pub(crate) fn has(&self, line: i64) -> bool {
        self.numbers.binary_search(&line).is_ok()
    }

    /// The number of lines.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.numbers.len()
    }

    /// Returns true if there is none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.numbers.is_empty()
    }
}

/// A line of moves.
#[derive(Debug, Clone)]
pub struct MovesOfLine<G: Collected> {
    /// The start, if it is not the usual one.
    pub start: Option<G>,
    /// The moves, up to one that is damaged.
    pub moves: Vec<G::Move>,
}

impl<G: Collected> MovesOfLine<G> {
    /// The canonical key of the last position.
    pub(crate) fn last_key(&self) -> Key {
        let mut position = self.start.clone().unwrap_or_else(G::start);
        for &mv in &self.moves {
            position.make(mv);
        }
        position.canonical().key
    }
}

/// Numbers of lines that may be free, besides some for each line: an index is made anew before most of them are.
pub(crate) const FREE_NUMBERS: i64 = 1 << 20;

/// The numbers from the first line that games have to the last one, for lists by number.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LineSpan {
    first: i64,
    len: usize,
}

impl LineSpan {
    pub(crate) fn of(index: &GameIndex) -> Result<Self, IndexError> {
        let sql = "SELECT coalesce(min(line), 0), coalesce(max(line), 0), count(DISTINCT line) FROM games";
        let found =
            index.connection.query_row(sql, (), |row| Ok([row.get(0)?, row.get(1)?, row.get(2)?]));
        let [first, last, lines]: [i64; 3] = found.in_index(&index.path)?;
        // Lists by number take memory for free numbers, too: a damaged file must not make them take all of it.
        let most = FREE_NUMBERS.saturating_add(lines.saturating_mul(16));
        let span = last.checked_sub(first).filter(|span| (0..=most).contains(span));
        let span =
            span.ok_or_else(|| index.damaged("the number of a line is out of all proportion"))?;
        Ok(Self { first, len: span as usize + 1 })
    }

    /// The numbers in the span.
    pub(crate) const fn len(self) -> usize {
        self.len
    }

    /// The place of a line in a list of all numbers of the span; `None` outside it.
    pub(crate) fn place(self, line: i64) -> Option<usize> {
        let at = usize::try_from(line.checked_sub(self.first)?).ok()?;
        (at < self.len).then_some(at)
    }
}

/// A line as the index has it.
pub(crate) struct StoredLine {
    pub(crate) number: i64,
    start: Option<String>,
    moves: Vec<u8>,
}

impl GameIndex {
    /// The lines that reach the position, or the material, of one of these keys.
    ///
    /// # Errors
    ///
    /// [`IndexError`].
    pub fn lines_with_any(&self, keys: &[Key]) -> Result<Lines, IndexError> {
        let mut numbers = Vec::new();
        self.each_posting(keys, |posting| numbers.push(posting.line_number()))?;
        Ok(Lines::new(numbers))
    }

    /// The lines that reach the positions of at least `least` of these keys.
    ///
    /// # Errors
    ///
    /// [`IndexError`].
    pub fn lines_with(&self, keys: &[Key], least: usize) -> Result<Lines, IndexError> {
        let mut counts = HashMap::<i64, usize>::new();
        self.each_posting(keys, |posting| {
            *counts.entry(posting.line_number()).or_default() += 1;
        })?;
        let enough = counts.into_iter().filter(|&(_, count)| count >= least);
        Ok(Lines::new(enough.map(|(line, _)| line).collect()))
    }

    /// The lines whose last position has this key.
    ///
    /// # Errors
    ///
    /// [`IndexError`].
    pub fn lines_ending_in<G: Collected>(&self, key: Key) -> Result<Lines, IndexError> {
        let postings = self.postings(key)?;
        let (last, others): (Vec<Posting>, Vec<Posting>) =
            postings.into_iter().partition(|posting| posting.next().is_none());
        let mut numbers: Vec<i64> = last.iter().map(Posting::line_number).collect();
        // Where a position was on the board before, its posting is of the first time.
        for part in others.chunks(BATCH) {
            let lines = self.moves_of_lines::<G>(part.iter().map(Posting::line_number))?;
            let ends = lines.iter().filter(|(_, line)| line.last_key() == key);
            numbers.extend(ends.map(|(number, _)| number));
        }
        Ok(Lines::new(numbers))
    }

    /// The postings of a key in all segments, lines that no game has any more among them.
    pub(crate) fn postings(&self, key: Key) -> Result<Vec<Posting>, IndexError> {
        let mut found = Vec::new();
        for bytes in self.bucket(postings::bucket(key))? {
            postings::collect(key, &bytes, &mut found)
                .ok_or_else(|| self.damaged("a list of positions cannot be read"))?;
        }
        Ok(found)
    }

    /// The bytes of a bucket in each segment.
    pub(crate) fn bucket(&self, bucket: u64) -> Result<Vec<Vec<u8>>, IndexError> {
        let sql = "SELECT data FROM positions WHERE bucket = ? ORDER BY segment";
        let mut statement = self.connection.prepare_cached(sql).in_index(&self.path)?;
        let rows = statement.query_map([bucket.cast_signed()], |row| row.get(0));
        rows.in_index(&self.path)?.collect::<rusqlite::Result<_>>().in_index(&self.path)
    }

    /// Hands over every posting of these keys. Lines that no game has any more are among them.
    pub(crate) fn each_posting(
        &self,
        keys: &[Key],
        mut take: impl FnMut(&Posting),
    ) -> Result<(), IndexError> {
        let mut buckets = BTreeMap::<u64, HashSet<u64>>::new();
        for &key in keys {
            buckets.entry(postings::bucket(key)).or_default().insert(postings::kept(key));
        }
        // Each bucket is read once, whatever number of the keys it has.
        for (bucket, keys) in buckets {
            for bytes in self.bucket(bucket)? {
                postings::collect_any(&keys, bucket, &bytes, &mut take)
                    .ok_or_else(|| self.damaged("a list of positions cannot be read"))?;
            }
        }
        Ok(())
    }

    /// The moves of lines.
    ///
    /// # Errors
    ///
    /// [`IndexError`].
    pub fn moves_of_lines<G: Collected>(
        &self,
        lines: impl Iterator<Item = i64>,
    ) -> Result<HashMap<i64, MovesOfLine<G>>, IndexError> {
        let mut statement = self
            .connection
            .prepare_cached("SELECT start, moves FROM lines WHERE id = ?")
            .in_index(&self.path)?;
        let mut found = HashMap::new();
        for line in lines {
            if found.contains_key(&line) {
                continue;
            }
            let row = statement.query_row([line], |row| {
                Ok((row.get::<_, Option<String>>(0)?, row.get::<_, Vec<u8>>(1)?))
            });
            let (start, bytes) = row.in_index(&self.path)?;
            let start = self.start_of::<G>(start)?;
            let moves = legal_moves(start.as_ref(), &bytes);
            found.insert(line, MovesOfLine { start, moves });
        }
        Ok(found)
    }

    /// The lines in which the pattern is on the board after any move, or before the first.
    ///
    /// Every line is played through, on all cores, each of which reads a part of the index by a connection of its own.
    ///
    /// # Errors
    ///
    /// [`IndexError`].
    pub fn lines_matching<G: Collected>(
        &self,
        pattern: &BoardPattern,
    ) -> Result<Lines, IndexError> {
        let sql = "SELECT coalesce(min(id), 0), coalesce(max(id), 0) FROM lines";
        let (first, last): (i64, i64) = self
            .connection
            .query_row(sql, (), |row| Ok((row.get(0)?, row.get(1)?)))
            .in_index(&self.path)?;
        let parts = PARTS_EACH * (rayon::current_num_threads() as u64).cast_signed();
        // One more than the quotient, so that the last part reaches the last number.
        let each = last.saturating_sub(first) / parts + 1;
        let path = self.path();
        let stop = &self.stop;
        let found = (0..parts).into_par_iter().map(|part| {
            let start = first.saturating_add(part.saturating_mul(each));
            let end = start.saturating_add(each - 1);
            Self::connect(path, stop)?.matching_among::<G>(pattern, [start, end])
        });
        Ok(Lines::new(found.collect::<Result<Vec<_>, _>>()?.concat()))
    }

    /// The numbers of the lines from one number to another in which the pattern is on the board at any time.
    fn matching_among<G: Collected>(
        &self,
        pattern: &BoardPattern,
        ends: [i64; 2],
    ) -> Result<Vec<i64>, IndexError> {
        let usual = PatternSearch::new(pattern, &G::start());
        let sql = "SELECT id, start, moves FROM lines WHERE id BETWEEN ? AND ?";
        let mut statement = self.connection.prepare(sql).in_index(&self.path)?;
        let mut rows = statement.query(ends).in_index(&self.path)?;
        let mut found = Vec::new();
        while let Some(row) = rows.next().in_index(&self.path)? {
            let start = self.start_of::<G>(row.get(1).in_index(&self.path)?)?;
            let moves = row.get_ref(2).in_index(&self.path)?.as_blob();
            let moves = moves.map_err(|_| self.damaged("the moves of a line cannot be read"))?;
            let has_pattern = match start {
                None => usual.is_in(moves),
                Some(start) => PatternSearch::new(pattern, &start).is_in(moves),
            };
            if has_pattern {
                found.push(row.get(0).in_index(&self.path)?);
            }
        }
        Ok(found)
    }

    /// The start of a line, as it is stored; `None` for the usual one.
    fn start_of<G: Collected>(&self, fen: Option<String>) -> Result<Option<G>, IndexError> {
        let start = fen.map(|fen| G::from_fen(&fen)).transpose();
        start.map_err(|_| self.damaged("a start cannot be read"))
    }

    /// Hands over every line, in the order of their numbers, lines that no game has any more among them.
    pub(crate) fn each_line(
        &self,
        mut take: impl FnMut(StoredLine) -> Result<(), IndexError>,
    ) -> Result<(), IndexError> {
        let sql = "SELECT id, start, moves FROM lines ORDER BY id";
        let mut statement = self.connection.prepare_cached(sql).in_index(&self.path)?;
        let mut rows = statement.query(()).in_index(&self.path)?;
        while let Some(row) = rows.next().in_index(&self.path)? {
            take(StoredLine::of_row(row).in_index(&self.path)?)?;
        }
        Ok(())
    }
}

impl StoredLine {
    /// The line of a row of its number, start and moves.
    fn of_row(row: &rusqlite::Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self { number: row.get(0)?, start: row.get(1)?, moves: row.get(2)? })
    }

    /// The start, and the moves up to one that is not legal; `None` if the start cannot be read.
    pub(crate) fn played<G: Collected>(&self) -> Option<(G, Vec<G::Move>)> {
        let start = match &self.start {
            Some(fen) => G::from_fen(fen).ok()?,
            None => G::start(),
        };
        let moves = legal_moves(Some(&start), &self.moves);
        Some((start, moves))
    }
}

/// The moves in their bytes, up to one that is not legal.
fn legal_moves<G: Collected>(start: Option<&G>, bytes: &[u8]) -> Vec<G::Move> {
    let mut position = start.cloned().unwrap_or_else(G::start);
    let mut moves = Vec::with_capacity(bytes.len() / 2);
    for mv in moves_in::<G::Move>(bytes) {
        let Some(mv) = mv.filter(|&mv| position.is_legal(mv)) else { break };
        position.make(mv);
        moves.push(mv);
    }
    moves
}
