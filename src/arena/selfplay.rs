use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use rayon::prelude::*;

use crate::engine::{Choice, Engine, EngineError, EngineOptions, Limits};
use crate::game::{Game, Horizon, Line, Outcome};
use crate::record::{Record, Tree};
use crate::xiangqi::{Move, Position, RuleSet};

/// A longer game is a draw.
pub const MAX_PLIES: usize = 400;

/// Games of the engine against itself, each from an opening line. They depend on these fields
/// alone, not on the number of threads.
#[derive(Debug, Clone)]
pub struct SelfPlay {
    /// Positions searched for a move, give or take a fifth: by chance, so that two games from the
    /// same opening differ.
    pub nodes: u64,
    /// Size of the transposition table of each game, in MiB.
    pub hash_mib: usize,
    /// Seed of that chance.
    pub seed: u64,
    /// Which rules judge repetitions.
    pub rules: RuleSet,
}

/// Why there are no games.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SelfPlayError {
    /// Nothing to start from.
    #[error("there are no opening lines to play from")]
    NoOpenings,
    /// No engine.
    #[error(transparent)]
    Engine(#[from] EngineError),
}

impl SelfPlay {
    /// Plays `games` games, going around the `openings`, on the threads of the current rayon pool;
    /// `done` is called after each, from any thread. The games come in order.
    ///
    /// # Errors
    ///
    /// If there is no opening, or no engine can be set up.
    pub fn play(
        &self,
        openings: &[Record<Position>],
        games: usize,
        done: &(dyn Fn() + Sync),
    ) -> Result<Vec<Record<Position>>, SelfPlayError> {
        if openings.is_empty() {
            return Err(SelfPlayError::NoOpenings);
        }
        let play = |number: usize| {
            let mut engine = Engine::new(self.engine_options())?;
            let game = self.game(&mut engine, &openings[number % openings.len()], number);
            done();
            Ok(game)
        };
        (0..games).into_par_iter().with_max_len(1).map(play).collect()
    }

    fn engine_options(&self) -> EngineOptions<RuleSet> {
        let (hash_mib, rules) = (self.hash_mib, self.rules);
        EngineOptions { hash_mib, rules, ..EngineOptions::default() }
    }

    fn game(
        &self,
        engine: &mut Engine<Position>,
        opening: &Record<Position>,
        number: usize,
    ) -> Record<Position> {
        let mut chance = ChaCha8Rng::seed_from_u64(self.seed);
        chance.set_stream(number as u64);
        let mut line = Line::new(Position::start(), 0);
        opening.tree.moves.iter().for_each(|&mv| line.push(mv));
        let (outcome, termination) = loop {
            if let Some(end) = self.end(&line) {
                break end;
            }
            let limits = Limits::nodes(self.nodes * (80 + chance.next_u64() % 41) / 100);
            match engine.choose(&line, &limits, &()) {
                Some(Choice { mv, .. }) => line.push(mv),
                None => break (Outcome::Draw, "no move"),
            }
        };
        let moves: Vec<Move> = line.moves().collect();
        Record {
            tags: self.tags(opening, number, termination),
            start: None,
            start_clock: 0,
            result: Some(outcome),
            tree: Tree { moves, ..Tree::default() },
        }
    }

    /// The result by the rules, or because it takes too long.
    fn end(&self, line: &Line<Position>) -> Option<(Outcome, &'static str)> {
        let position = line.position();
        if let Some(outcome) = position.outcome() {
            let how = if position.in_check() { "checkmate" } else { "stalemate" };
            return Some((outcome, how));
        }
        let judgement =
            <Position as crate::game::Adjudicate>::judge(line, self.rules, Horizon::Game);
        if let Some(outcome) = judgement.verdict.outcome() {
            return Some((outcome, judgement.reason.unwrap_or("by the rules")));
        }
        (line.len() >= MAX_PLIES).then_some((Outcome::Draw, "longest game"))
    }

    fn tags(
        &self,
        opening: &Record<Position>,
        number: usize,
        termination: &str,
    ) -> Vec<(String, String)> {
        let player = concat!("juzhong ", env!("CARGO_PKG_VERSION"));
        let mut tags = vec![
            ("Game".to_owned(), "Chinese Chess".to_owned()),
            ("Event".to_owned(), "juzhong self-play".to_owned()),
            ("Round".to_owned(), (number + 1).to_string()),
            ("Red".to_owned(), player.to_owned()),
            ("Black".to_owned(), player.to_owned()),
        ];
        for name in ["ECCO", "Opening", "OpeningEN", "Group"] {
            if let Some(value) = opening.tag(name) {
                tags.push((name.to_owned(), value.to_owned()));
            }
        }
        tags.push(("Nodes".to_owned(), self.nodes.to_string()));
        tags.push(("Termination".to_owned(), termination.to_owned()));
        tags
    }
}
