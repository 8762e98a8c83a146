//! Statistics of a book: the coverage of games, its main lines, and the positions where its players choose
//! badly.

use std::cmp::{Ordering, Reverse};
use std::collections::{BTreeMap, BinaryHeap};

use serde::Serialize;

use crate::book::file::reader::{Book, BookEntry, shown_move};
use crate::book::file::walk::{BookWalker, Depth, Walk};
use crate::book::model::annotation::Annotation;
use crate::book::model::error::BookError;
use crate::book::model::move_stats::MoveStats;
use crate::game::{Notation, Packed, Side, Symmetric};

/// The most moves examined in the search for the main lines.
const MAX_LOOKS: usize = 200_000;

/// The options of the statistics of a book.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StatsOptions {
    /// Moves of fewer games are left out of coverage and lines.
    pub min_games: u64,
    /// The number of main lines to find. Default 5.
    pub lines: usize,
    /// Plies of a main line. Default 8.
    pub line_depth: usize,
    /// The number of differences of scores to find. Default 5.
    pub differences: usize,
    /// Games that both moves of such a difference have, at least. Default 20.
    pub enough: u64,
}

impl Default for StatsOptions {
    fn default() -> Self {
        Self { min_games: 1, lines: 5, line_depth: 8, differences: 5, enough: 20 }
    }
}

/// The statistics of a book.
#[derive(Debug, Clone, PartialEq)]
pub struct BookStats {
    /// Positions and moves by distance from the start.
    pub walk: Walk,
    /// The number of games that make a move of the book at each distance from the start; the sum of weights
    /// where [`by_weight`](Self::by_weight).
    pub coverage: Vec<u64>,
    /// True if no move of the book has a game, as in books imported from mere weights.
    pub by_weight: bool,
    /// The most played lines, and of those played equally often the heaviest.
    pub lines: Vec<LineCount>,
    /// Positions in which the most played move scores clearly worse than another, the greatest
    /// differences first.
    pub differences: Vec<Difference>,
    /// The counts of marks.
    pub marks: AnnotationCounts,
}

/// A line of moves from the start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineCount {
    /// The text of the start, if it is not the first usual one.
    pub start: Option<String>,
    /// The moves, in coordinates.
    pub moves: Vec<String>,
    /// Games of its rarest move: at most that many games follow it, as games may come from other lines.
    pub games: u64,
    /// The weight of its lightest move.
    pub weight: u64,
    /// The games of its last move.
    pub last: MoveStats,
}

/// A move of a difference of scores.
#[derive(Debug, Clone, PartialEq)]
pub struct Sample {
    /// In coordinates.
    pub mv: String,
    /// Its games.
    pub games: u64,
    /// The mover's score, 0 to 1.
    pub score: f64,
}

/// The most played move of a position, and one that scores clearly better: by more than two standard
/// errors.
#[derive(Debug, Clone, PartialEq)]
pub struct Difference {
    /// The position.
    pub position: String,
    /// Moves from the start.
    pub ply: usize,
    /// The most played move.
    pub played: Sample,
    /// The better one.
    pub better: Sample,
}

/// The numbers of moves that have marks.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct AnnotationCounts {
    /// Moves that have any mark.
    pub moves: u64,
    /// Those with each flag.
    pub flags: BTreeMap<&'static str, u64>,
    /// Those with a weight set by hand.
    pub weights: u64,
    /// Those with a priority.
    pub priorities: u64,
    /// Those with a comment.
    pub comments: u64,
    /// Moves of each line group.
    pub groups: BTreeMap<String, u64>,
}

impl AnnotationCounts {
    fn add(&mut self, mark: &Annotation) {
        if *mark == Annotation::default() {
            return;
        }
        self.moves += 1;
        for name in mark.flags.names() {
            *self.flags.entry(name).or_default() += 1;
        }
        self.weights += u64::from(mark.weight.is_some());
        self.priorities += u64::from(mark.priority != 0);
        self.comments += u64::from(mark.comment.is_some());
        for group in &mark.groups {
            *self.groups.entry(group.clone()).or_default() += 1;
        }
    }
}

/// The most played move of a position and the one with the best score of a side, among those of
/// enough games.
#[derive(Debug, Clone, Copy)]
struct Contrast {
    played: (u16, MoveStats),
    /// By side.
    best: [(u16, MoveStats); 2],
}

impl Contrast {
    fn new(entries: &[BookEntry], enough: u64) -> Option<Self> {
        let mut known = entries.iter().filter(|e| e.stats.decided() >= enough.max(1));
        let first = known.next()?;
        let first = (first.mv, first.stats);
        let mut contrast = Self { played: first, best: [first; 2] };
        for entry in known {
            let one = (entry.mv, entry.stats);
            if one.1.games > contrast.played.1.games {
                contrast.played = one;
            }
            for side in [Side::First, Side::Second] {
                let best = &mut contrast.best[side.index()];
                if is_better(&one.1, &best.1, side) {
                    *best = one;
                }
            }
        }
        (contrast.difference(Side::First).is_some() || contrast.difference(Side::Second).is_some())
            .then_some(contrast)
    }

    /// The difference by which the best move of a side scores better than the most played one, if it clearly
    /// does.
    fn difference(&self, side: Side) -> Option<f64> {
        let played = &self.played.1;
        let best = &self.best[side.index()].1;
        let difference = best.score(side)? - played.score(side)?;
        // A single game's score has a standard deviation of a half at most.
        let variance = 0.25 / played.decided() as f64 + 0.25 / best.decided() as f64;
        (difference > 2.0 * variance.sqrt()).then_some(difference)
    }
}

fn is_better(a: &MoveStats, b: &MoveStats, side: Side) -> bool {
    a.score(side).unwrap_or(0.0).total_cmp(&b.score(side).unwrap_or(0.0)) == Ordering::Greater
}

/// The moves of a book as its statistics need them.
struct BookMoves {
    places: Vec<crate::book::model::move_stats::RowKey>,
    /// Games of each, as far as they count for coverage, and the weight that is set.
    games: Vec<(u64, u64)>,
    /// True if some move has a game.
    has_games: bool,
    contrasts: BTreeMap<i64, Contrast>,
    marks: AnnotationCounts,
}

impl BookMoves {
    fn read(book: &Book, options: &StatsOptions) -> Result<Self, BookError> {
        let mut content = Self {
            places: Vec::new(),
            games: Vec::new(),
            has_games: false,
            contrasts: BTreeMap::new(),
            marks: AnnotationCounts::default(),
        };
        let mut entries: Vec<BookEntry> = Vec::new();
        book.for_each_place(|(key, mv), row, mark| {
            content.marks.add(&mark);
            let Some(entry) = BookEntry::new(key, mv, row, mark) else { return Ok(()) };
            content.places.push((key, mv));
            content.games.push(if entry.has_games(options.min_games) {
                (entry.stats.games, entry.weight.unwrap_or(0))
            } else {
                (0, 0)
            });
            content.has_games |= entry.stats.games > 0;
            if entries.first().is_some_and(|first| first.key != key) {
                content.contrast(&entries, options);
                entries.clear();
            }
            entries.push(entry);
            Ok(())
        })?;
        content.contrast(&entries, options);
        Ok(content)
    }

    fn contrast(&mut self, entries: &[BookEntry], options: &StatsOptions) {
        let Some(first) = entries.first() else { return };
        if entries.len() > 1
            && options.differences > 0
            && let Some(contrast) = Contrast::new(entries, options.enough)
        {
            self.contrasts.insert(first.key, contrast);
        }
    }
}

impl Book {
    /// Looks through the whole book. Holds the keys, moves and games of all rows in memory.
    ///
    /// # Errors
    ///
    /// [`BookError::OtherGame`], [`BookError::Damaged`].
    pub fn stats<G: Symmetric + Notation>(
        &self,
        options: &StatsOptions,
    ) -> Result<BookStats, BookError> {
        self.expect_game::<G>()?;
        let BookMoves { places, games, has_games, contrasts, marks } =
            BookMoves::read(self, options)?;
        let mut walker = BookWalker::<G>::new(self.foreign_keys(), places);
        walker.enter_all(&G::starts());
        let mut depths = Vec::new();
        let mut coverage = Vec::new();
        let mut differences = Vec::new();
        walker.run(usize::MAX, |stop, position| {
            if depths.len() == stop.ply {
                depths.push(Depth::default());
                coverage.push(0u64);
            }
            depths[stop.ply].positions += 1;
            depths[stop.ply].moves += stop.legal;
            let counts = games[stop.rows].iter();
            let counts = counts.map(|&(games, weight)| if has_games { games } else { weight });
            let sum = counts.fold(0, u64::saturating_add);
            coverage[stop.ply] = coverage[stop.ply].saturating_add(sum);
            let key = self.key_of(position).to_i64();
            if let Some(contrast) = contrasts.get(&key) {
                differences.extend(self.difference(position, stop.ply, contrast));
            }
            Ok::<(), BookError>(())
        })?;
        differences.sort_by(|a: &Difference, b| {
            score_gain(b)
                .total_cmp(&score_gain(a))
                .then(a.ply.cmp(&b.ply))
                .then(a.position.cmp(&b.position))
        });
        differences.truncate(options.differences);
        let unreached = walker.unreached().count() as u64;
        let lines = self.lines::<G>(options)?;
        let walk = Walk { depths, unreached };
        Ok(BookStats { walk, coverage, by_weight: !has_games, lines, differences, marks })
    }

    fn difference<G: Symmetric + Notation>(
        &self,
        position: &G,
        ply: usize,
        contrast: &Contrast,
    ) -> Option<Difference> {
        let mover = position.turn();
        contrast.difference(mover)?;
        let canonical = position.canonical_with(self.foreign_keys());
        let sample = |(bits, stats): (u16, MoveStats)| {
            let mv = shown_move(position, canonical, G::Move::unpack(bits)?);
            let score = stats.score(mover)?;
            Some(Sample { mv: G::move_text(mv), games: stats.games, score })
        };
        Some(Difference {
            position: position.to_fen(),
            ply,
            played: sample(contrast.played)?,
            better: sample(contrast.best[mover.index()])?,
        })
    }

    /// The most played lines: the best first by the games of their rarest moves, then by the weights of their
    /// lightest, then by their moves.
    fn lines<G: Symmetric + Notation>(
        &self,
        options: &StatsOptions,
    ) -> Result<Vec<LineCount>, BookError> {
        let mut found = Vec::new();
        let mut heap = BinaryHeap::new();
        let mut looks = MAX_LOOKS;
        let starts = G::starts();
        for number in 0..starts.len() {
            heap.push(((u64::MAX, u64::MAX), Reverse((number, Vec::<u16>::new())), [0u64; 4]));
        }
        // The least games of a line never grow as it gets longer: lines come in their order.
        while let Some(((games, weight), Reverse((number, line)), last)) = heap.pop() {
            if found.len() >= options.lines {
                break;
            }
            let start = &starts[number];
            let Some(position) = play(start, &line) else { continue };
            let moves = if line.len() < options.line_depth {
                self.probe_with(&position, options.min_games)?
            } else {
                Vec::new()
            };
            looks = looks.saturating_sub(1 + moves.len());
            if moves.is_empty() && !line.is_empty() || looks == 0 {
                found.push(line_count((number > 0).then_some(start), &line, (games, weight), last));
            }
            for found in moves {
                let t = found.stats;
                let longer = line.iter().copied().chain([found.mv.pack()]).collect();
                let counts = [t.games, t.first, t.draws, t.second];
                let least = (games.min(t.games), weight.min(found.weight));
                heap.push((least, Reverse((number, longer)), counts));
            }
        }
        Ok(found)
    }
}

/// The difference in score.
fn score_gain(d: &Difference) -> f64 {
    d.better.score - d.played.score
}

fn play<G: Notation>(start: &G, line: &[u16]) -> Option<G> {
    let mut position = start.clone();
    for &bits in line {
        let mv = G::Move::unpack(bits)?;
        position.make(mv);
    }
    Some(position)
}

fn line_count<G: Notation>(
    start: Option<&G>,
    line: &[u16],
    (games, weight): (u64, u64),
    last: [u64; 4],
) -> LineCount {
    let [all, first, draws, second] = last;
    let moves = line.iter().filter_map(|&bits| G::Move::unpack(bits)).map(G::move_text).collect();
    LineCount {
        start: start.map(G::to_fen),
        moves,
        games,
        weight,
        last: MoveStats { games: all, first, draws, second, ..MoveStats::default() },
    }
}
