//! Who plays against the person: this program's engine at some level, or another engine.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use crate::cli::args::engine_command::engine_fault;
use crate::cli::args::player::tell_warnings;
use crate::cli::print::describe::{describe, describe_thought};
use crate::cli::print::terminal::Terminal;
use crate::cli::{CliError, OrExit, exit};
use juzhong::bytes::StopFlag;
use juzhong::engine::{Engine, EngineOptions, Level, Playable, RootMove, choose_at, seed_or_drawn};
use juzhong::game::Line;
use juzhong::protocol::client::{Client, ClientError, GoLimits, Thought};
use juzhong::search::Limits;

/// This program's engine.
pub(crate) struct Own<G: Playable> {
    engine: Engine<G>,
    limits: Limits,
    level: Level,
    random: ChaCha8Rng,
}

/// The opponent of the human, and the limits of its searches.
pub(crate) enum Opponent<G: Playable> {
    Own(Box<Own<G>>),
    Foreign(Box<Foreign<G>>),
}

/// Another engine.
pub(crate) struct Foreign<G: Playable> {
    pub(crate) client: Client,
    pub(crate) limits: GoLimits,
    /// The books and tables that are asked before it.
    pub(crate) front: Option<Engine<G>>,
}

impl<G: Playable + Terminal> Foreign<G> {
    fn choose(
        &mut self,
        start: Option<&str>,
        line: &Line<G>,
        stop: &StopFlag,
    ) -> Result<Option<Reply<G::Move>>, CliError> {
        if let Some(front) = &mut self.front {
            let known = front.consult(line);
            tell_warnings(front);
            if let Some(choice) = known {
                return Ok(Some(Reply { mv: choice.mv, about: describe::<G>(&choice) }));
            }
        }
        let (mv, thought) = self.think(start, line, stop).map_err(engine_fault)?;
        Ok(mv.map(|mv| Reply { mv, about: describe_thought::<G>(&thought) }))
    }

    /// The move that it finds, which is legal, and what it says of it.
    fn think(
        &mut self,
        start: Option<&str>,
        line: &Line<G>,
        stop: &StopFlag,
    ) -> Result<(Option<G::Move>, Thought), ClientError> {
        self.client.set_line(start, line)?;
        let thought = self.client.go(&self.limits, &|| stop.is_set())?;
        Ok((self.client.best_move(line.position(), &thought)?, thought))
    }
}

/// A move and its description.
pub(crate) struct Reply<M> {
    pub(crate) mv: M,
    pub(crate) about: String,
}

/// The purpose of a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// A move of the opponent, at its level.
    Play,
    /// Advice, at full strength.
    Advise,
}

impl<G: Playable + Terminal> Own<G> {
    pub(crate) fn new(engine: Engine<G>, limits: Limits, level: Level) -> Self {
        let random = ChaCha8Rng::seed_from_u64(seed_or_drawn(engine.options().seed));
        Self { engine, limits, level, random }
    }

    fn choose(
        &mut self,
        line: &Line<G>,
        purpose: Purpose,
        stop: &StopFlag,
    ) -> Result<Option<Reply<G::Move>>, CliError> {
        let level = if purpose == Purpose::Play { self.level } else { Level::FULL };
        let multipv = level.lines();
        if self.engine.options().multipv != multipv {
            let options = EngineOptions { multipv, ..self.engine.options().clone() };
            self.engine.set_options(options).or_exit(exit::UNAVAILABLE)?;
        }
        // Without a margin nothing is drawn: advice leaves the sequence of a seed where it is.
        let chance = if level.margin().is_some() { self.random.next_u64() } else { 0 };
        let choice = choose_at(&mut self.engine, line, (level, self.limits), chance, stop);
        tell_warnings(&mut self.engine);
        Ok(choice.map(|choice| Reply { mv: choice.mv, about: describe::<G>(&choice) }))
    }
}

impl<G: Playable + Terminal> Opponent<G> {
    /// The opponent's move in a game that is not over; `None` if there is none all the same. `start` is the
    /// position where the line begins, if that is not the usual start. Once `stop` is set, the best move found by
    /// then is played.
    pub(crate) fn choose(
        &mut self,
        start: Option<&str>,
        line: &Line<G>,
        purpose: Purpose,
        stop: &StopFlag,
    ) -> Result<Option<Reply<G::Move>>, CliError> {
        match self {
            Self::Own(own) => own.choose(line, purpose, stop),
            Self::Foreign(foreign) => foreign.choose(start, line, stop),
        }
    }

    /// Forgets the last game.
    pub(crate) fn new_game(&mut self) -> Result<(), CliError> {
        match self {
            Self::Own(own) => own.engine.new_game(),
            Self::Foreign(foreign) => {
                foreign.client.new_game().map_err(engine_fault)?;
                foreign.front.iter_mut().for_each(Engine::new_game);
            }
        }
        Ok(())
    }

    /// The level; another engine has none.
    pub(crate) const fn level(&self) -> Option<Level> {
        match self {
            Self::Own(own) => Some(own.level),
            Self::Foreign(..) => None,
        }
    }

    pub(crate) const fn set_level(&mut self, level: Level) {
        if let Self::Own(own) = self {
            own.level = level;
        }
    }

    /// The name of the opponent in records.
    pub(crate) fn name(&self) -> String {
        match self {
            Self::Own(own) if own.level == Level::FULL => "juzhong".to_owned(),
            Self::Own(own) => format!("juzhong level {}", own.level.number()),
            Self::Foreign(foreign) => foreign.client.name().to_owned(),
        }
    }

    /// True if it plays with endgame tables that can be asked.
    pub(crate) fn has_tables(&self) -> bool {
        match self {
            Self::Own(own) => own.engine.has_tables(),
            Self::Foreign(foreign) => foreign.front.as_ref().is_some_and(Engine::has_tables),
        }
    }

    /// The legal moves by the endgame tables, the best first.
    pub(crate) fn table_moves(&mut self, line: &Line<G>) -> Option<Vec<RootMove<G::Move>>> {
        let engine = match self {
            Self::Own(own) => &mut own.engine,
            Self::Foreign(foreign) => foreign.front.as_mut()?,
        };
        let moves = engine.ranked_moves(line);
        tell_warnings(engine);
        moves
    }
}
