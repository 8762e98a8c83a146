//! Games of the engine against itself, for books and for tuning.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use rayon::prelude::*;

use crate::contest::games::Contested;
use crate::contest::one_game::{self, Turn};
use crate::contest::referee::{End, Referee};
use crate::engine::{Choice, Engine, EngineError, EngineOptions};
use crate::game::{Line, Outcome, Side, side_name};
use crate::record::Record;
use crate::search::Limits;
use crate::xiangqi::Position;

/// Games of the engine against itself, each from an opening line. They depend on these fields
/// alone, not on the number of threads.
#[derive(Debug, Clone)]
pub struct SelfPlay<G: Contested = Position> {
    /// Positions searched for a move, give or take a fifth: by chance, so that two games from the
    /// same opening differ.
    pub nodes: u64,
    /// Size of the transposition table of each game, in MiB.
    pub hash_mib: usize,
    /// Seed of that chance.
    pub seed: u64,
    /// The rules that judge repetitions.
    pub rules: G::Rules,
}

/// The reason why there are no games.
#[derive(Debug, thiserror::Error, crate::message::ToMessage)]
#[non_exhaustive]
pub enum SelfPlayError {
    /// Nothing to start from.
    #[error("there are no opening lines to play from")]
    NoOpenings,
    /// No engine.
    #[error(transparent)]
    Engine(#[from] EngineError),
}

impl<G: Contested> SelfPlay<G> {
    /// Plays `games` games, going around the `openings`, on the threads of the current rayon pool;
    /// `done` is called after each, from any thread. The games come in order.
    ///
    /// # Errors
    ///
    /// If there is no opening, or no engine can be set up.
    pub fn play(
        &self,
        openings: &[Record<G>],
        games: usize,
        done: &(dyn Fn() + Sync),
    ) -> Result<Vec<Record<G>>, SelfPlayError> {
        if openings.is_empty() {
            return Err(SelfPlayError::NoOpenings);
        }
        (0..games)
            .into_par_iter()
            .with_max_len(1)
            .map(|number: usize| {
                let mut engine = Engine::new(self.engine_options())?;
                let game = self.game(&mut engine, &openings[number % openings.len()], number);
                done();
                Ok(game)
            })
            .collect()
    }

    fn engine_options(&self) -> EngineOptions<G::Rules> {
        let hash_mib = self.hash_mib;
        let rules = self.rules;
        EngineOptions { hash_mib, rules, ..EngineOptions::default() }
    }

    fn game(&self, engine: &mut Engine<G>, opening: &Record<G>, number: usize) -> Record<G> {
        let mut chance = ChaCha8Rng::seed_from_u64(self.seed);
        chance.set_stream(number as u64);
        let referee = Referee { rules: self.rules, ..Referee::default() };
        let played = one_game::play(opening, &referee, &mut |line: &Line<G>| {
            let limits = Limits::nodes(self.nodes * (80 + chance.next_u64() % 41) / 100);
            match engine.choose(line, &limits, &()) {
                Some(Choice { mv, .. }) => Turn::Move { mv, score: None, comment: None },
                None => Turn::Over(End::new(Outcome::Draw, "no move")),
            }
        });
        played.map_or_else(|| opening.clone(), |played| played.record(opening, self.tags(number)))
    }

    fn tags(&self, number: usize) -> Vec<(String, String)> {
        let player = concat!("juzhong ", env!("CARGO_PKG_VERSION"));
        [
            ("Game", G::GAME_TAG),
            ("Event", "juzhong self-play"),
            ("Round", &(number + 1).to_string()),
            (side_name::<G>(Side::First), player),
            (side_name::<G>(Side::Second), player),
            ("Nodes", &self.nodes.to_string()),
        ]
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .to_vec()
    }
}
