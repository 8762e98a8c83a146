//! Engines as reviews ask them: the own one, and any other by its protocol.

use std::fmt::Debug;

use super::marks::Valuation;
use crate::bytes::StopFlag;
use crate::engine::{Choice, Engine, Playable, in_full};
use crate::game::Line;
use crate::message::{Message, message};
use crate::protocol::client::analysis::{legal_line, score_of};
use crate::protocol::client::{Client, ClientError, GoLimits, Thought};
use crate::search::{Limits, Score};

/// A question to an engine.
#[derive(Debug, Clone, Copy)]
pub struct Question<'a, M> {
    /// The limits of the search.
    pub limits: Limits,
    /// The moves to be searched; `None` for all.
    pub among: Option<&'a [M]>,
    /// True if endgame tables know that these moves keep a draw: the one that is hardest to answer is looked for.
    pub are_draws: bool,
}

impl<M> Question<'_, M> {
    /// A search of all moves.
    #[must_use]
    pub const fn of_all(limits: Limits) -> Self {
        Self { limits, among: None, are_draws: false }
    }
}

impl<'a, M> Question<'a, M> {
    /// A search of some moves.
    #[must_use]
    pub const fn of_some(moves: &'a [M], limits: Limits) -> Self {
        Self { limits, among: Some(moves), are_draws: false }
    }
}

/// An engine's answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding<M> {
    /// For the side to move.
    pub valuation: Valuation,
    /// The play expected, legal, with at least one move.
    pub line: Vec<M>,
    /// Plies searched.
    pub depth: u32,
    /// Positions searched.
    pub nodes: u64,
}

impl<M> Finding<M> {
    /// The same about the move that led to the position, for the side that made it.
    fn led_to_by(self, mv: M) -> Self {
        let Self { valuation, line, depth, nodes } = self;
        let line = std::iter::once(mv).chain(line).collect();
        Self { valuation: valuation.before(), line, depth, nodes }
    }
}

/// The line with one move more.
fn after_move<G: Playable>(line: &Line<G>, mv: G::Move) -> Line<G> {
    let mut after = line.clone();
    after.push(mv);
    after
}

/// An engine that reviews ask. Endgame tables are none of its business: reviews know them by themselves.
pub trait Analyst<G: Playable>: Debug + Send {
    /// Forgets what was searched before, so that it does not matter.
    ///
    /// # Errors
    ///
    /// If the engine is of no use any more: a text for people, which names it.
    fn forget(&mut self) -> Result<(), Message>;

    /// Searches the last position of a line; `None` where there is no move. An engine that cannot be told to leave
    /// moves out searches all of them.
    ///
    /// # Errors
    ///
    /// As [`forget`](Self::forget).
    fn search(
        &mut self,
        line: &Line<G>,
        question: &Question<'_, G::Move>,
        stop: &StopFlag,
    ) -> Result<Option<Finding<G::Move>>, Message>;

    /// Searches one legal move: by default the position after it, with the sign turned.
    ///
    /// # Errors
    ///
    /// As [`forget`](Self::forget).
    fn search_move(
        &mut self,
        line: &Line<G>,
        mv: G::Move,
        limits: &Limits,
        stop: &StopFlag,
    ) -> Result<Option<Finding<G::Move>>, Message> {
        let found = self.search(&after_move(line, mv), &Question::of_all(*limits), stop)?;
        Ok(found.map(|found| found.led_to_by(mv)))
    }

    /// Its messages since the last call, for people.
    fn take_warnings(&mut self) -> Vec<Message> {
        Vec::new()
    }
}

impl<G: Playable> Analyst<G> for Engine<G> {
    fn forget(&mut self) -> Result<(), Message> {
        self.new_game();
        Ok(())
    }

    fn search(
        &mut self,
        line: &Line<G>,
        question: &Question<'_, G::Move>,
        stop: &StopFlag,
    ) -> Result<Option<Finding<G::Move>>, Message> {
        let Question { limits, among, are_draws } = question;
        let choice = match among {
            None => Self::search(self, line, limits, stop),
            Some(moves) if *are_draws => self.search_draws(moves, line, limits, stop),
            Some(moves) => self.search_among(moves, line, limits, stop),
        };
        Ok(choice.map(|Choice { score, depth, nodes, pv: line, .. }| Finding {
            valuation: score.unwrap_or_default().into(),
            line,
            depth,
            nodes,
        }))
    }

    fn take_warnings(&mut self) -> Vec<Message> {
        Self::take_warnings(self)
    }
}

/// Any engine that speaks a protocol.
#[derive(Debug)]
pub struct ClientAnalyst {
    client: Client,
    /// True if it can be told to leave moves out, until it has answered such a search with one of those.
    heeds_moves: bool,
}

/// The option by which engines of UCI state chances beside scores.
const SHOW_CHANCES: &str = "UCI_ShowWDL";

impl ClientAnalyst {
    /// An engine that was greeted, and has the options that it is to have. It is asked to state chances, if it can.
    ///
    /// # Errors
    ///
    /// If it has ended, or is silent.
    pub fn new(mut client: Client) -> Result<Self, ClientError> {
        if client.has_option(SHOW_CHANCES) {
            match client.set_option(SHOW_CHANCES, "true") {
                // Scores do as well.
                Err(ClientError::BadOption { .. } | ClientError::NoOption { .. }) | Ok(()) => {}
                Err(error) => return Err(error),
            }
        }
        client.wait_ready()?;
        let heeds_moves = client.knows_search_moves() || client.knows_banned_moves();
        Ok(Self { client, heeds_moves })
    }

    /// Searches a position, some of its moves if any are named.
    fn think<G: Playable>(
        &mut self,
        line: &Line<G>,
        moves: &[G::Move],
        limits: &Limits,
        stop: &StopFlag,
    ) -> Result<Option<Finding<G::Move>>, Message> {
        let limits = GoLimits {
            depth: limits.depth,
            nodes: limits.nodes,
            move_time: limits.hard_time.or(limits.soft_time),
            ..GoLimits::default()
        };
        let mut thought = self.ask(line, moves, &limits, stop)?;
        // Some engines give up where only bad moves are left to them.
        if thought.best.is_none() && !moves.is_empty() && !stop.is_set() {
            thought = self.ask(line, &[], &limits, stop)?;
        }
        self.finding(line.position(), &thought, stop)
    }

    /// The engine's answer as it comes, about some of the moves if any are named.
    fn ask<G: Playable>(
        &mut self,
        line: &Line<G>,
        moves: &[G::Move],
        limits: &GoLimits,
        stop: &StopFlag,
    ) -> Result<Thought, Message> {
        let thought = self.client.go_some(line, moves, limits, &|| stop.is_set());
        thought.map_err(|error| in_full(&error))
    }

    /// An engine's answer, as far as it makes sense.
    fn finding<G: Playable>(
        &self,
        position: &G,
        thought: &Thought,
        stop: &StopFlag,
    ) -> Result<Option<Finding<G::Move>>, Message> {
        let Thought { info, .. } = thought;
        let engine = self.client.name();
        let fen = position.to_fen();
        let best = self.client.best_move(position, thought);
        let best = best.map_err(|error| message!("{} in {fen}", in_full(&error)))?;
        let Some(best) = best else { return Ok(None) };
        let score = match info.score {
            Some((kind, _)) => score_of(kind),
            // Nobody takes the answer of a search that was broken off.
            None if stop.is_set() => Score::DRAW,
            None => {
                return Err(message!(
                    "{engine}: no score for its move in {fen}; if it plays from a book of its own, switch that off"
                ));
            }
        };
        let line = legal_line(position, &info.pv);
        let line = if line.first() == Some(&best) { line } else { vec![best] };
        let valuation = Valuation { score, chances: info.wdl };
        Ok(Some(Finding { valuation, line, depth: info.depth, nodes: info.nodes }))
    }
}

impl<G: Playable> Analyst<G> for ClientAnalyst {
    fn forget(&mut self) -> Result<(), Message> {
        self.client.new_game().map(|_| ()).map_err(|error| in_full(&error))
    }

    fn search(
        &mut self,
        line: &Line<G>,
        question: &Question<'_, G::Move>,
        stop: &StopFlag,
    ) -> Result<Option<Finding<G::Move>>, Message> {
        let among = question.among.filter(|_| self.heeds_moves).unwrap_or_default();
        let found = self.think(line, among, &question.limits, stop)?;
        self.heeds_moves &=
            among.is_empty() || found.as_ref().is_none_or(|found| among.contains(&found.line[0]));
        Ok(found)
    }

    fn search_move(
        &mut self,
        line: &Line<G>,
        mv: G::Move,
        limits: &Limits,
        stop: &StopFlag,
    ) -> Result<Option<Finding<G::Move>>, Message> {
        // All others are not banned for one move: that is a long list, and the position after the move says the same.
        if self.heeds_moves && self.client.knows_search_moves() {
            let found = self.search(line, &Question::of_some(&[mv], *limits), stop)?;
            if self.heeds_moves {
                return Ok(found);
            }
        }
        let found = self.think(&after_move(line, mv), &[], limits, stop)?;
        Ok(found.map(|found| found.led_to_by(mv)))
    }

    fn take_warnings(&mut self) -> Vec<Message> {
        let name = self.client.name().to_owned();
        let warnings = self.client.take_warnings();
        warnings.into_iter().map(|text| message!("{name}: {text}")).collect()
    }
}
