//! The engine's lines, in the dialect of the GUI.

use std::io;

use crate::engine::Playable;
use crate::game::Bound;
use crate::protocol::conversation::Conversation;
use crate::protocol::wire::format::{Answer, Offer};
use crate::protocol::wire::scale;
use crate::search::{CurrentMove, HashEntry, Iteration, Score};

/// The additions to the move that is played.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Extras {
    /// An offered draw is accepted.
    pub(crate) draw: bool,
}

/// The parts of an iteration that are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Detail {
    /// With the chances of win, draw and loss.
    pub(crate) wdl: bool,
    /// UCCI: with what that protocol has no words for.
    pub(crate) debug: bool,
}

/// The engine's lines.
impl<T> Conversation<'_, T> {
    /// A move as the GUI writes it.
    pub(crate) fn text<G: Playable>(&self, mv: G::Move) -> String {
        self.wire().ranks.theirs(&G::move_text(mv))
    }

    /// The answer to the handshake, with the `option` lines given.
    pub(crate) fn introduce(&mut self, options: &str) -> io::Result<()> {
        let version = env!("CARGO_PKG_VERSION");
        if self.is_ucci() {
            // The version has a line of its own: adapters put both together.
            writeln!(self.output, "id name juzhong\nid version {version}")?;
            writeln!(self.output, "id copyright the juzhong authors")?;
        } else {
            writeln!(self.output, "id name juzhong {version}")?;
        }
        writeln!(self.output, "id author the juzhong authors")?;
        if self.is_ucci() {
            writeln!(self.output, "id user anybody")?;
        }
        writeln!(self.output, "{options}{}", self.wire().dialect.ok())
    }

    /// Writes the result of an iteration.
    pub(crate) fn iteration<G: Playable>(
        &mut self,
        iteration: &Iteration<G::Move>,
        detail: Detail,
    ) -> io::Result<()> {
        if self.is_ucci() {
            return self.ucci_iteration::<G>(iteration, detail);
        }
        let Iteration { depth, seldepth, multipv, score, nodes, time, .. } = iteration;
        let bound = match iteration.bound {
            Bound::Exact => "",
            Bound::Lower => " lowerbound",
            Bound::Upper => " upperbound",
        };
        let time = time.as_millis();
        let nps = nodes_per_second(iteration);
        let hashfull = iteration.hashfull_permille;
        let tbhits = iteration.table_hits;
        write!(
            self.output,
            "info depth {depth} seldepth {seldepth} multipv {multipv} score {score}{bound}"
        )?;
        if detail.wdl {
            let [win, draw, loss] = iteration.wdl;
            write!(self.output, " wdl {win} {draw} {loss}")?;
        }
        write!(
            self.output,
            " nodes {nodes} nps {nps} hashfull {hashfull} tbhits {tbhits} time {time}"
        )?;
        self.line_of_play::<G>(&iteration.pv)
    }

    /// UCCI has a line for the time and one for the moves, and scores without a unit.
    fn ucci_iteration<G: Playable>(
        &mut self,
        iteration: &Iteration<G::Move>,
        detail: Detail,
    ) -> io::Result<()> {
        let Iteration { depth, seldepth, multipv, nodes, time, .. } = iteration;
        if *multipv == 1 {
            writeln!(self.output, "info time {} nodes {nodes}", time.as_millis())?;
        }
        if detail.debug {
            let nps = nodes_per_second(iteration);
            let hashfull = iteration.hashfull_permille;
            let tbhits = iteration.table_hits;
            let text = format!("seldepth {seldepth} nps {nps} hashfull {hashfull} tbhits {tbhits}");
            self.message(&text)?;
        }
        write!(self.output, "info depth {depth}")?;
        if *multipv > 1 {
            write!(self.output, " multipv {multipv}")?;
        }
        write!(self.output, " score {}", scale::to_ucci(iteration.score.kind()))?;
        self.line_of_play::<G>(&iteration.pv)
    }

    /// Writes the move of the root that is searched now; UCCI has no word for its depth and number.
    pub(crate) fn current_move<G: Playable>(
        &mut self,
        current: &CurrentMove<G::Move>,
    ) -> io::Result<()> {
        let CurrentMove { depth, mv, number } = *current;
        let mv = self.text::<G>(mv);
        if self.is_ucci() {
            return writeln!(self.output, "info currmove {mv}");
        }
        writeln!(self.output, "info depth {depth} currmove {mv} currmovenumber {number}")
    }

    /// A score that no search found.
    pub(crate) fn score<G: Playable>(
        &mut self,
        depth: u32,
        score: Score,
        pv: &[G::Move],
    ) -> io::Result<()> {
        if self.is_ucci() {
            write!(self.output, "info depth {depth} score {}", scale::to_ucci(score.kind()))?;
        } else {
            write!(self.output, "info depth {depth} score {score}")?;
        }
        self.line_of_play::<G>(pv)
    }

    fn line_of_play<G: Playable>(&mut self, pv: &[G::Move]) -> io::Result<()> {
        if !pv.is_empty() {
            write!(self.output, " pv")?;
        }
        for &mv in pv {
            write!(self.output, " {}", self.wire().ranks.theirs(&G::move_text(mv)))?;
        }
        writeln!(self.output)
    }

    /// The move to play, and the answer expected.
    pub(crate) fn best<G: Playable>(
        &mut self,
        mv: G::Move,
        ponder: Option<G::Move>,
        extras: Extras,
    ) -> io::Result<()> {
        let offer = extras.draw.then_some(Offer::Draw);
        let answer =
            Answer { best: Some(G::move_text(mv)), ponder: ponder.map(G::move_text), offer };
        self.answer(&answer)
    }

    /// There is no move.
    pub(crate) fn no_move(&mut self) -> io::Result<()> {
        self.answer(&Answer::default())
    }

    /// UCCI: writes the transposition table's entry for a position in which `entry.best` is a legal move.
    pub(crate) fn hash_entry<G: Playable>(
        &mut self,
        entry: Option<HashEntry<G::Move>>,
    ) -> io::Result<()> {
        write!(self.output, "pophash")?;
        if let Some(HashEntry { best, score, bound, depth }) = entry {
            if let Some(best) = best {
                write!(self.output, " bestmove {}", self.text::<G>(best))?;
            }
            let score = scale::to_ucci(score.kind());
            if bound != Bound::Upper {
                write!(self.output, " lowerbound {score} depth {depth}")?;
            }
            if bound != Bound::Lower {
                write!(self.output, " upperbound {score} depth {depth}")?;
            }
        }
        writeln!(self.output)
    }

    /// Writes the number of leaves of the tree below a move.
    pub(crate) fn count<G: Playable>(&mut self, mv: G::Move, nodes: u64) -> io::Result<()> {
        writeln!(self.output, "{}: {nodes}", self.text::<G>(mv))
    }

    /// Writes the number of leaves of the whole tree.
    pub(crate) fn total(&mut self, nodes: u64) -> io::Result<()> {
        writeln!(self.output, "\nNodes searched: {nodes}")
    }
}

fn nodes_per_second<M>(iteration: &Iteration<M>) -> u128 {
    u128::from(iteration.nodes) * 1_000_000 / iteration.time.as_micros().max(1)
}
