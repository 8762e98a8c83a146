//! Quiet positions of games with the results of these.

use rayon::prelude::*;

use super::{Trace, Tunable};
use juzhong::contest::comment_centipawns;
use juzhong::engine::{Engine, EngineOptions};
use juzhong::game::{EvaluationKind, Heuristics, Line, MoveList, Outcome, Side};
use juzhong::record::Record;
use juzhong::search::{Limits, Score};

/// The selection of positions from the games.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sampling {
    /// Plies left out at the start of a game that begins at the usual start.
    pub(crate) skip_plies: usize,
    /// Shorter games are left out.
    pub(crate) min_plies: usize,
    /// A position is quiet if captures gain at most this much, in centipawns.
    pub(crate) quiet: i32,
    /// The most positions that are kept; of more, a part that depends on the positions alone.
    pub(crate) most: usize,
    /// Of this many games, one is held out for validation.
    pub(crate) hold_out: usize,
    /// Moves that a search of each position makes to score it; 0: positions have results only.
    pub(crate) search: u64,
    /// True if the scores that matches write beside moves are used; such positions are not searched.
    pub(crate) comments: bool,
}

impl Default for Sampling {
    fn default() -> Self {
        Self {
            skip_plies: 12,
            min_plies: 30,
            quiet: 20,
            most: 2_000_000,
            hold_out: 10,
            search: 0,
            comments: false,
        }
    }
}

/// Greater scores count as this, in centipawns.
const MOST: i32 = 3_000;

/// The depth to which captures are followed to decide whether a position is quiet, in plies.
const QUIET_PLIES: u32 = 6;

/// Positions and the results of their games, in a form that the evaluation is a product with.
#[derive(Debug, Default, Clone)]
pub(crate) struct Samples {
    /// The counts of the evaluation's terms: parameter, and count for the first side less count for the second.
    pub(crate) counts: Vec<(u16, i16)>,
    pub(crate) rows: Vec<SampleRow>,
}

/// One position.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SampleRow {
    /// Its part of the counts ends here.
    pub(crate) end: usize,
    /// The weight of the middle game, 0 to 1.
    pub(crate) middle: f32,
    /// The factors of the first and the second side's advantage, 0 to 1.
    pub(crate) scale: [f32; 2],
    /// The mean result: 1 if the first side won, 0 if the second did.
    pub(crate) result: f32,
    /// The score of a search for the first side, in centipawns; `None` if there was none.
    pub(crate) score: Option<f32>,
}

impl Samples {
    /// The number of positions.
    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    /// Returns true if there is none.
    pub(crate) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The counts of a position.
    pub(crate) fn counts_of(&self, row: usize) -> &[(u16, i16)] {
        let start = if row == 0 { 0 } else { self.rows[row - 1].end };
        &self.counts[start..self.rows[row].end]
    }

    pub(crate) fn push<G: Tunable>(&mut self, position: &G, result: f32, score: Option<f32>) {
        let Trace { counts, middle, scale } = position.trace();
        self.counts.extend(counts);
        self.rows.push(SampleRow { end: self.counts.len(), middle, scale, result, score });
    }

    fn append(&mut self, mut other: Self) {
        let before = self.counts.len();
        self.counts.append(&mut other.counts);
        self.rows
            .extend(other.rows.into_iter().map(|row| SampleRow { end: row.end + before, ..row }));
    }
}

/// A position in the games: its first occurrence, and the results of all.
#[derive(Debug, Clone, Copy)]
struct SampledPosition {
    key: u64,
    game: u32,
    ply: u32,
    /// Half points of the first side, and number of occurrences.
    points: u32,
    games: u32,
}

/// Quiet positions of the games, to fit and held out. Each counts once, with the mean result of the
/// games that it occurs in. They depend on the games and their order, not on the number of threads.
pub(crate) fn sample<G: Tunable>(games: &[Record<G>], sampling: &Sampling) -> [Samples; 2] {
    let places = places(games, sampling);
    let by_game: Vec<&[SampledPosition]> = places.chunk_by(|a, b| a.game == b.game).collect();
    let parts: Vec<(u32, Samples)> = by_game
        .par_iter()
        .map(|places| (places[0].game, of_game(&games[places[0].game as usize], places, sampling)))
        .collect();
    let mut sets = [Samples::default(), Samples::default()];
    for (game, part) in parts {
        let held_out = (game as usize).is_multiple_of(sampling.hold_out.max(1));
        sets[usize::from(held_out)].append(part);
    }
    sets
}

/// The positions that may be selected, each once, by game and ply.
fn places<G: Tunable>(games: &[Record<G>], sampling: &Sampling) -> Vec<SampledPosition> {
    let mut places: Vec<SampledPosition> = games
        .par_iter()
        .enumerate()
        .flat_map_iter(|(number, game)| places_of(number as u32, game, sampling))
        .collect();
    places.par_sort_unstable_by_key(|place| (place.key, place.game, place.ply));
    places.dedup_by(|next, kept| {
        let same = next.key == kept.key;
        if same {
            kept.points += next.points;
            kept.games += next.games;
        }
        same
    });
    if places.len() > sampling.most {
        places.par_sort_unstable_by_key(|place| place.key.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        places.truncate(sampling.most);
    }
    places.par_sort_unstable_by_key(|place| (place.game, place.ply));
    places
}

fn places_of<G: Tunable>(
    number: u32,
    game: &Record<G>,
    sampling: &Sampling,
) -> Vec<SampledPosition> {
    let moves = &game.tree.moves;
    let Some(result) = game.result.filter(|_| moves.len() >= sampling.min_plies) else {
        return Vec::new();
    };
    let points = match result {
        Outcome::Win(Side::First) => 2,
        Outcome::Draw => 1,
        Outcome::Win(Side::Second) => 0,
    };
    let skipped = if game.start.is_some() { 0 } else { sampling.skip_plies };
    let mut position = game.start.clone().unwrap_or_else(G::start);
    let mut places = Vec::with_capacity(moves.len());
    for (ply, &mv) in moves.iter().enumerate() {
        if ply >= skipped && !position.in_check() {
            let key = position.key().0;
            places.push(SampledPosition { key, game: number, ply: ply as u32, points, games: 1 });
        }
        position.make(mv);
    }
    places
}

fn of_game<G: Tunable>(
    game: &Record<G>,
    places: &[SampledPosition],
    sampling: &Sampling,
) -> Samples {
    let mut samples = Samples::default();
    let mut scorer = Scorer::new(sampling.search);
    let mut position = game.start.clone().unwrap_or_else(G::start);
    let mut next = places.iter().peekable();
    for (ply, &mv) in game.tree.moves.iter().enumerate() {
        if let Some(place) = next.next_if(|place| place.ply as usize == ply)
            && !position.is_decided()
            && is_quiet(&mut position, sampling.quiet)
        {
            let result = place.points as f32 / (2 * place.games) as f32;
            let told = if sampling.comments { told_score(game, ply) } else { None };
            let told = told.map(|score| for_first(score, position.turn()));
            samples.push(&position, result, told.or_else(|| scorer.score(&position)));
        }
        position.make(mv);
    }
    samples
}

/// Scores the positions of one game by search.
struct Scorer<G: Tunable> {
    engine: Option<Engine<G>>,
    limits: Limits,
}

impl<G: Tunable> Scorer<G> {
    /// Searches of this many moves; none for 0, or if there is no memory for them.
    fn new(nodes: u64) -> Self {
        // What is tuned are the classical terms.
        let evaluation = EvaluationKind::Classical;
        let options = EngineOptions { hash_mib: 1, evaluation, ..EngineOptions::default() };
        let engine = (nodes > 0).then(|| Engine::new(options).ok()).flatten();
        Self { engine, limits: Limits::nodes(nodes) }
    }

    /// The score of a search of the position by itself, for the first side, in centipawns.
    fn score(&mut self, position: &G) -> Option<f32> {
        let line = Line::new(position.clone(), 0);
        let choice = self.engine.as_mut()?.search(&line, &self.limits, &())?;
        let score = Score::from_eval(choice.score?.value()).value().clamp(-MOST, MOST);
        Some(for_first(score, position.turn()))
    }
}

fn for_first(score: i32, side: Side) -> f32 {
    (if side == Side::First { score } else { -score }) as f32
}

/// The score that the comment of a move states for the position before it, in centipawns for the side that moved;
/// `None` if it states none.
fn told_score<G: Tunable>(game: &Record<G>, ply: usize) -> Option<i32> {
    let comments = &game.tree.comments;
    let at = comments.binary_search_by_key(&(ply + 1), |(after, _)| *after).ok()?;
    Some(comment_centipawns(&comments[at].1)?.clamp(-MOST, MOST))
}

/// Returns true if captures gain no more than `bound`.
fn is_quiet<G: Heuristics>(position: &mut G, bound: i32) -> bool {
    let value = position.evaluate();
    quiesce(position, value, value + bound + 1, QUIET_PLIES) <= value + bound
}

/// The value of a position once captures that do not lose material are played out (fail-soft).
fn quiesce<G: Heuristics>(position: &mut G, alpha: i32, beta: i32, plies: u32) -> i32 {
    let mut best = position.evaluate();
    if plies == 0 || best >= beta {
        return best;
    }
    let mut moves = MoveList::new();
    position.noisy_moves(&mut moves);
    moves.sort_by_key(|&mv| -position.noisy_value(mv));
    for mv in moves {
        if position.exchange_value(mv) < 0 {
            continue;
        }
        let undo = position.make(mv);
        let score = -quiesce(position, -beta, -alpha.max(best), plies - 1);
        position.unmake(mv, undo);
        best = best.max(score);
        if best >= beta {
            break;
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use juzhong::record::Tree;
    use juzhong::xiangqi::{Move, Position};

    fn game(moves: &str, result: Outcome) -> Record<Position> {
        let moves = moves.split(' ').map(|text| Move::parse(text).unwrap()).collect();
        Record {
            tags: Vec::new(),
            start: None,
            start_clock: 0,
            result: Some(result),
            tree: Tree { moves, ..Tree::default() },
        }
    }

    fn all() -> Sampling {
        Sampling { skip_plies: 0, min_plies: 1, quiet: 5_000, hold_out: 2, ..Sampling::default() }
    }

    #[test]
    fn every_position_counts_once_with_its_mean_result() {
        let games = [
            game("h2e2 h9g7", Outcome::Win(Side::First)),
            game("h2e2 b9c7 h0g2", Outcome::Win(Side::Second)),
        ];
        let [fitted, held_out] = sample(&games, &all());
        let results: Vec<f32> = held_out.rows.iter().map(|row| row.result).collect();
        assert_eq!(results, [0.5, 0.5]);
        assert_eq!(fitted.rows.iter().map(|row| row.result).collect::<Vec<_>>(), [0.0]);
        assert_eq!(fitted.len() + held_out.len(), 3);
    }

    #[test]
    fn scores_are_of_the_search_and_do_not_depend_on_threads() {
        let games = [
            game("h2e2 h9g7 h0g2 i9h9", Outcome::Draw),
            game("c3c4 b7c7 b0c2 c9e7", Outcome::Win(Side::First)),
        ];
        let scored = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let sets = pool.install(|| sample(&games, &Sampling { search: 200, ..all() }));
            sets.map(|set| set.rows.iter().map(|row| row.score.unwrap()).collect::<Vec<_>>())
        };
        let scores = scored(1);
        assert!(scores.iter().flatten().all(|score| score.abs() < 1_000.0), "{scores:?}");
        assert_eq!(scored(2), scores);
        let [unscored, _] = sample(&games, &all());
        assert!(unscored.rows.iter().all(|row| row.score.is_none()));
    }

    #[test]
    fn scores_that_a_match_wrote_are_taken() {
        let mut games = [game("h2e2 h9g7 h0g2 i9h9 i0h0", Outcome::Draw)];
        let comments = [(1, "+0.25/9"), (2, "-M3/12 0.1s"), (3, "?/0"), (4, "good!")];
        games[0].tree.comments = comments.map(|(ply, text)| (ply, text.to_owned())).to_vec();
        let told = |comments| {
            let [_, held_out] = sample(&games, &Sampling { comments, ..all() });
            held_out.rows.iter().map(|row| row.score).collect::<Vec<_>>()
        };
        assert_eq!(told(true), [Some(25.0), Some(3_000.0), None, None, None]);
        assert_eq!(told(false), [None; 5]);
    }

    #[test]
    fn short_games_openings_and_unknown_results_are_left_out() {
        let mut games = [game("h2e2 h9g7 h0g2", Outcome::Draw)];
        let count = |games: &[_], sampling: &Sampling| {
            sample(games, sampling).iter().map(Samples::len).sum::<usize>()
        };
        assert_eq!(count(&games, &Sampling { min_plies: 4, ..all() }), 0);
        assert_eq!(count(&games, &Sampling { skip_plies: 2, ..all() }), 1);
        assert_eq!(count(&games, &Sampling { most: 2, ..all() }), 2);
        games[0].result = None;
        assert_eq!(count(&games, &all()), 0);
    }

    #[test]
    fn a_hanging_rook_is_not_quiet() {
        let mut hanging = Position::from_fen("3k5/9/9/9/r8/9/9/9/9/R3K4 w").unwrap();
        assert!(!is_quiet(&mut hanging, 20));
        let mut calm = Position::from_fen("3k5/9/9/9/1r7/9/9/9/9/R3K4 w").unwrap();
        assert!(is_quiet(&mut calm, 20));
    }
}
