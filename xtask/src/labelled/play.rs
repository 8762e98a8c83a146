//! Quick games of the engine against itself, from random points of given games.

use std::collections::HashSet;
use std::sync::Arc;

use juzhong::game::{Game, Heuristics, Line, MoveList, Outcome};
use juzhong::record::Record;
use juzhong::search::eval::xiangqi::Evaluation;
use juzhong::search::{Limits, SearchError, SearchOptions, SearchResult, Searcher};
use juzhong::tablebase::Tables;
use juzhong::xiangqi::{Move, Position, RuleSet};
use rand_chacha::ChaCha8Rng;

use super::Sample;
use crate::games::{below, outcome_of};

/// A game in which a side is ahead by this many centipawns ...
const WON: i32 = 1_500;
/// ... for this many plies counts as won.
const WON_PLIES: u32 = 4;
/// A game that is level within this many centipawns ...
const LEVEL: i32 = 20;
/// ... for this many plies ...
const LEVEL_PLIES: u32 = 16;
/// ... after this many plies from where it began counts as drawn, ...
const LEVEL_FROM: usize = 50;
/// ... and so does every game of this many plies.
const MOST_PLIES: usize = 160;
/// The last plies of a given game, which no game begins from.
const LAST_PLIES: usize = 8;
/// A game begins from the first of this many random points: most games end with few men, and take long over it.
const POINTS: usize = 3;
/// Of the positions with fewer men than this, every other one is kept: they are most of those of long games.
const FEW_MEN: u32 = 16;

/// The way in which games are played.
#[derive(Debug, Clone, Copy)]
pub(crate) struct GamePlan {
    /// Positions searched for a move.
    pub(crate) nodes: u64,
    /// The most random moves before the first that is searched.
    pub(crate) random_moves: u32,
}

/// Plays games and keeps their quiet positions, each once.
#[derive(Debug)]
pub(crate) struct Player {
    plan: GamePlan,
    tables: Option<Arc<Tables>>,
    searcher: Searcher<Position>,
    seen: HashSet<u64>,
    samples: Vec<Sample>,
}

/// The run of plies in which the scores have said the same.
#[derive(Debug, Default)]
struct Agreement {
    won_plies: u32,
    level_plies: u32,
}

impl Agreement {
    /// Notes a score; returns the result for the side to move that is now agreed on.
    fn note(&mut self, score: i32, plies: usize) -> Option<i32> {
        self.won_plies = if score.abs() >= WON { self.won_plies + 1 } else { 0 };
        self.level_plies = if score.abs() <= LEVEL { self.level_plies + 1 } else { 0 };
        if self.won_plies >= WON_PLIES {
            return Some(score.signum());
        }
        (plies >= LEVEL_FROM && self.level_plies >= LEVEL_PLIES).then_some(0)
    }
}

impl Player {
    /// A player that has seen no position.
    ///
    /// # Errors
    ///
    /// If there is no memory for its search.
    pub(crate) fn new(
        plan: GamePlan,
        evaluation: &Evaluation,
        tables: Option<Arc<Tables>>,
    ) -> Result<Self, SearchError> {
        let options = SearchOptions { hash_mib: 1, ..SearchOptions::default() };
        let searcher = Searcher::new(options)?.with_evaluator(evaluation);
        Ok(Self { plan, tables, searcher, seen: HashSet::new(), samples: Vec::new() })
    }

    /// The positions kept.
    pub(crate) fn into_samples(self) -> Vec<Sample> {
        self.samples
    }

    /// Plays a game from a random point of one of the given games; one whose result stays unknown leaves nothing.
    pub(crate) fn game(&mut self, openings: &[Record<Position>], chance: &mut ChaCha8Rng) {
        let Some(line) = self.beginning(openings, chance) else { return };
        let first = self.samples.len();
        self.searcher.new_game();
        match self.play_out(line) {
            Some(outcome) => {
                self.samples[first..].iter_mut().for_each(|sample| sample.set_outcome(outcome));
            }
            None => self.samples.truncate(first),
        }
    }

    /// A random point of one of the games, and random moves after it.
    fn beginning(
        &self,
        openings: &[Record<Position>],
        chance: &mut ChaCha8Rng,
    ) -> Option<Line<Position>> {
        let game = &openings[below(chance, openings.len())];
        let moves = &game.tree.moves;
        let last = moves.len().saturating_sub(LAST_PLIES).max(1);
        let plies = (0..POINTS).map(|_| below(chance, last)).min().unwrap_or(0);
        let mut position = game.start.clone().unwrap_or_else(Position::start);
        for &mv in moves.iter().take(plies) {
            position.make(mv);
        }
        for _ in 0..below(chance, self.plan.random_moves as usize + 1) {
            let mut moves = MoveList::new();
            position.legal_moves(&mut moves);
            if moves.is_empty() {
                return None;
            }
            position.make(moves[below(chance, moves.len())]);
        }
        Some(Line::new(position, 0))
    }

    /// Plays to the end; `None` if there is no result.
    fn play_out(&mut self, mut line: Line<Position>) -> Option<Outcome> {
        let mut agreement = Agreement::default();
        loop {
            if let Some(outcome) = end(&line) {
                return Some(outcome);
            }
            let limits = Limits::nodes(self.plan.nodes);
            let found = self.searcher.run(&line, RuleSet::default(), &limits, &(), &());
            let mv = found.best?;
            let turn = line.position().turn();
            let score = found.score.value();
            if found.score.is_decisive() {
                return Some(Outcome::Win(if score > 0 { turn } else { !turn }));
            }
            self.keep(&line, &found, mv);
            if let Some(result) = agreement.note(score, line.len()) {
                return Some(match result {
                    0 => Outcome::Draw,
                    1 => Outcome::Win(turn),
                    _ => Outcome::Win(!turn),
                });
            }
            line.push(mv);
        }
    }

    /// Keeps a position that is quiet and new, but only half of those with few men.
    fn keep(&mut self, line: &Line<Position>, found: &SearchResult<Move>, mv: Move) {
        let position = line.position();
        let key = position.key().0;
        let left_out = position.occupied().len() < FEW_MEN && key & 1 == 1;
        if left_out || position.in_check() || position.is_noisy(mv) || !self.seen.insert(key) {
            return;
        }
        let score = i16::try_from(found.score.value()).unwrap_or(i16::MAX);
        let plies = u8::try_from(line.len()).unwrap_or(u8::MAX);
        let mut sample = Sample::new(position, score, plies);
        let tables = self.tables.as_ref().filter(|tables| tables.covers(position));
        // A table that cannot be read leaves the result of the game.
        if let Some(value) = tables.and_then(|tables| tables.probe_wdl(position).ok()) {
            sample.set_exact(value);
        }
        self.samples.push(sample);
    }
}

/// The end of a game by the rules, or by its length.
fn end(line: &Line<Position>) -> Option<Outcome> {
    outcome_of(line).or_else(|| (line.len() >= MOST_PLIES).then_some(Outcome::Draw))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn games_end_where_the_scores_agree() {
        let mut agreement = Agreement::default();
        let scores = [1_600, -1_600, 1_600, -1_600];
        let told: Vec<_> = scores.iter().map(|&score| agreement.note(score, 9)).collect();
        assert_eq!(told, [None, None, None, Some(-1)]);
        let mut agreement = Agreement::default();
        assert_eq!((0..30).find(|_| agreement.note(3, LEVEL_FROM).is_some()), Some(15));
        assert_eq!((0..30).find(|_| agreement.note(3, LEVEL_FROM - 1).is_some()), None);
    }
}
