//! What a search without tablebases claims, held against tablebases of the same rules.
//!
//! A mate must be forced under the rules, whatever the depth. Whether it is shows best where a side may choose
//! between loops that lose and loops that do not: drawn positions on the drawing line itself, all of whose drawing
//! moves check or chase, and positions that only the repetition rule decides. [`draw_position`] draws such positions
//! by chance, [`check_mates`] searches one and compares every iteration.

use std::sync::Mutex;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use serde::Serialize;

use crate::game::{Game, Line, ScoreKind};
use crate::search::{Control, Iteration, Limits, Score, SearchError, SearchOptions, Searcher};
use crate::tablebase::{Entry, Material, ProbeError, Tables, Wdl};
use crate::xiangqi::repetition::chased;
use crate::xiangqi::{Move, Position, RuleSet};

/// Size of the transposition table in MiB.
const HASH_MIB: usize = 16;
/// Positions drawn until one is on the drawing line, or decided by rule.
const DRAWS: u32 = 120;
/// Turns of the side that has to keep a draw for which its line is followed.
const TURNS: u32 = 3;

/// The claims of a search about one position, held against its tablebase.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct MateCheck {
    /// Iterations whose score was a mate.
    pub mates: u32,
    /// Those of them in which the tablebase has another result.
    pub wrong: u32,
    /// Those of them that were shorter than the shortest mate.
    pub short: u32,
    /// Those of them in which the tablebase needs the repetition rule for the win: no mate is forced without it.
    pub by_rule: u32,
    /// True if the last iteration has the result of the tablebase: decided for the right side, or not decided.
    pub agrees: bool,
    /// True if the last iteration decides a drawn position, or for the wrong side.
    pub contradicts: bool,
}

/// The place of a drawn position among drawing lines that consist of loops, the better the later.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum DrawingLine {
    /// All moves that keep the draw check or newly chase something, and some move loses.
    Begins,
    /// So it is for some turns, however both sides keep the draw.
    Goes,
    /// So it is, and there are both checks and chases to choose from.
    Chooses,
}

/// The kinds of positions that a sample is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SampleKind {
    /// Drawn, and all moves that keep the draw check or newly chase something while others lose, if possible for some
    /// turns and with both to choose from.
    OnDrawingLine,
    /// Won or lost by the repetition rule only.
    ByRule,
    /// Won or lost without it.
    Forced,
}

/// Draws a position of a set, half of the time with the colours exchanged. `draw` gives a number below its argument.
/// `None` if none was found in some hundred draws.
///
/// # Errors
///
/// If a table is missing or damaged.
pub fn draw_position(
    tables: &Tables,
    material: Material,
    kind: SampleKind,
    draw: &mut dyn FnMut(u32) -> u32,
) -> Result<Option<(Position, Entry)>, ProbeError> {
    let wdl = match kind {
        SampleKind::OnDrawingLine => Wdl::Draw,
        SampleKind::ByRule | SampleKind::Forced => [Wdl::Win, Wdl::Loss][draw(2) as usize],
    };
    let mut best = None;
    for _ in 0..DRAWS {
        let swapped = draw(2) == 1;
        let drawn = tables.random_position((material, swapped), Some(wdl), draw)?;
        let Some((position, entry)) = drawn else { break };
        let place = match kind {
            SampleKind::OnDrawingLine => drawing_line(tables, &position, draw)?,
            SampleKind::ByRule => (entry.order > 0).then_some(DrawingLine::Chooses),
            SampleKind::Forced => (entry.order == 0).then_some(DrawingLine::Chooses),
        };
        if place.is_some() && place > best.as_ref().map(|&(place, _)| place) {
            best = place.map(|place| (place, (position, entry)));
        }
        if place == Some(DrawingLine::Chooses) {
            break;
        }
    }
    Ok(best.map(|(_, drawn)| drawn))
}

/// Follows the drawing line from a position, moves chosen by chance among those that keep the draw.
fn drawing_line(
    tables: &Tables,
    position: &Position,
    draw: &mut dyn FnMut(u32) -> u32,
) -> Result<Option<DrawingLine>, ProbeError> {
    let mut position = position.clone();
    let mut place = None;
    let mut checks = false;
    let mut chases = false;
    for turn in 0..TURNS {
        let (keeping, others) = drawing_moves(tables, &position)?;
        let mut kinds =
            keeping.iter().map(|&mv| (position.gives_check(mv), !chased(&position, mv).is_empty()));
        if keeping.is_empty() || !others || !kinds.all(|(check, chase)| check || chase) {
            return Ok(place);
        }
        let own_checks = keeping.iter().filter(|&&mv| position.gives_check(mv)).count();
        (checks, chases) = (checks || own_checks > 0, chases || own_checks < keeping.len());
        place = Some(match (turn + 1 == TURNS, checks && chases) {
            (true, true) => DrawingLine::Chooses,
            (true, false) => DrawingLine::Goes,
            _ => DrawingLine::Begins,
        });
        position.make(keeping[draw(keeping.len() as u32) as usize]);
        let (replies, _) = drawing_moves(tables, &position)?;
        if replies.is_empty() {
            return Ok(place);
        }
        position.make(replies[draw(replies.len() as u32) as usize]);
    }
    Ok(place)
}

/// The moves that keep a draw, and if others lose.
fn drawing_moves(tables: &Tables, position: &Position) -> Result<(Vec<Move>, bool), ProbeError> {
    let moves = tables.probe_children(position)?;
    let others = moves.iter().any(|(_, entry)| entry.wdl == Wdl::Loss);
    let keeping = moves.into_iter().filter(|(_, entry)| entry.wdl == Wdl::Draw);
    Ok((keeping.map(|(mv, _)| mv).collect(), others))
}

/// Keeps the score of every iteration.
#[derive(Default)]
struct Scores(Mutex<Vec<Score>>);

impl Control<Move> for Scores {
    fn should_stop(&self) -> bool {
        false
    }

    fn report(&self, iteration: &Iteration<Move>) {
        if let Ok(mut scores) = self.0.lock() {
            scores.push(iteration.score);
        }
    }
}

/// Searches `position` as in a new game, and holds the score of every iteration against `entry`, its value in
/// tablebases of the metric [`Dtm`](crate::tablebase::Metric::Dtm) made with the same rules.
pub fn check_mates(
    searcher: &mut Searcher<Position>,
    position: &Position,
    entry: Entry,
    rules: RuleSet,
    limits: &Limits,
) -> MateCheck {
    searcher.new_game();
    let scores = Scores::default();
    searcher.run(&Line::new(position.clone(), 0), rules, limits, &(), &scores);
    let scores = scores.0.into_inner().unwrap_or_default();
    let mut check = MateCheck::default();
    for &score in &scores {
        let (wdl, plies) = match score.kind() {
            ScoreKind::MateIn(plies) => (Wdl::Win, plies),
            ScoreKind::MatedIn(plies) => (Wdl::Loss, plies),
            _ => continue,
        };
        check.mates += 1;
        if wdl != entry.wdl {
            check.wrong += 1;
        } else if entry.order > 0 {
            check.by_rule += 1;
        } else if plies < u32::from(entry.distance) {
            check.short += 1;
        }
    }
    let said = scores.last().map_or(Wdl::Draw, |&score| decided(score));
    check.agrees = said == entry.wdl;
    check.contradicts = said != Wdl::Draw && said != entry.wdl;
    check
}

/// The result that a score stands for; a draw for every evaluation.
fn decided(score: Score) -> Wdl {
    if !score.is_decisive() {
        Wdl::Draw
    } else if score > Score::DRAW {
        Wdl::Win
    } else {
        Wdl::Loss
    }
}

/// A sample of positions.
#[derive(Debug, Clone, Copy)]
pub struct MateSample<'a> {
    /// The sets that positions are drawn from, in equal parts.
    pub materials: &'a [Material],
    /// Positions of each set: half of them drawn, a third decided by rule, the others without it.
    pub positions: u32,
    /// Seed of the draw.
    pub seed: u64,
}

/// The sums of [`MateCheck`] over a sample.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct MateReport {
    /// Positions searched.
    pub positions: u64,
    /// Those of them that are drawn.
    pub drawn: u64,
    /// Drawn positions that the last iteration decides.
    pub drawn_decided: u64,
    /// Positions decided by rule.
    pub by_rule: u64,
    /// Those of them whose last iteration says so.
    pub by_rule_found: u64,
    /// Positions decided one way whose last iteration says the contrary.
    pub contradicted: u64,
    /// Positions in which an iteration had a mate for its score.
    pub mates: u64,
    /// Positions in which it was a mate that the tablebase contradicts.
    pub wrong: u64,
    /// Positions in which it was shorter than the shortest mate.
    pub short: u64,
    /// Positions in which it was a win that needs the repetition rule.
    pub mates_by_rule: u64,
    /// The positions of [`wrong`](Self::wrong) and [`short`](Self::short), as FEN.
    pub examples: Vec<String>,
}

impl MateReport {
    fn add(&mut self, position: &Position, entry: Entry, check: MateCheck) {
        self.positions += 1;
        if entry.wdl == Wdl::Draw {
            self.drawn += 1;
            self.drawn_decided += u64::from(check.contradicts);
        } else {
            self.by_rule += u64::from(entry.order > 0);
            self.by_rule_found += u64::from(entry.order > 0 && check.agrees);
            self.contradicted += u64::from(check.contradicts);
        }
        self.mates += u64::from(check.mates > 0);
        self.wrong += u64::from(check.wrong > 0);
        self.short += u64::from(check.short > 0);
        self.mates_by_rule += u64::from(check.by_rule > 0);
        if check.wrong + check.short > 0 {
            self.examples.push(position.to_fen());
        }
    }
}

impl MateSample<'_> {
    /// Draws the positions, each with its value, on the threads of rayon's pool. Depends on the sample alone.
    ///
    /// # Errors
    ///
    /// If a table is missing or damaged.
    pub fn draw(&self, tables: &Tables) -> Result<Vec<(Position, Entry)>, ProbeError> {
        let numbers: Vec<(Material, u32)> = self
            .materials
            .iter()
            .flat_map(|&material| (0..self.positions).map(move |number| (material, number)))
            .collect();
        let drawn: Result<Vec<_>, ProbeError> = numbers
            .into_par_iter()
            .with_max_len(1)
            .map(|(material, number)| {
                // A generator for each position, so that the draws do not depend on the threads.
                let mut random = ChaCha8Rng::seed_from_u64(self.seed ^ u64::from(number) << 32);
                let kind = match number % 6 {
                    1 | 3 => SampleKind::ByRule,
                    5 => SampleKind::Forced,
                    _ => SampleKind::OnDrawingLine,
                };
                draw_position(tables, material, kind, &mut |below| random.random_range(0..below))
            })
            .collect();
        Ok(drawn?.into_iter().flatten().collect())
    }
}

/// [Checks](check_mates) each position, on the threads of rayon's pool.
///
/// # Errors
///
/// If there is no memory for a search.
pub fn check_sample(
    positions: &[(Position, Entry)],
    rules: RuleSet,
    limits: &Limits,
) -> Result<MateReport, SearchError> {
    let options = SearchOptions { hash_mib: HASH_MIB, ..SearchOptions::default() };
    let checks: Result<Vec<MateCheck>, SearchError> = positions
        .par_iter()
        .with_max_len(1)
        .map_init(
            || Searcher::<Position>::new(options),
            |searcher, (position, entry)| {
                let searcher = searcher.as_mut().map_err(|error| error.clone())?;
                Ok(check_mates(searcher, position, *entry, rules, limits))
            },
        )
        .collect();
    let mut report = MateReport::default();
    for ((position, entry), check) in positions.iter().zip(checks?) {
        report.add(position, *entry, check);
    }
    Ok(report)
}
