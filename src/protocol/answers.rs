//! The engine's lines, in the dialect spoken.

use std::io::{self, Write};

use super::{Dialect, Ranks};
use crate::engine::{Bound, HashEntry, Iteration, Playable, Score, ScoreKind};

/// UCCI's scores are plain numbers; a mate is this less its plies, as ElephantEye writes it.
const UCCI_MATE: i32 = 10_000;
/// A win by table, in the same way.
const UCCI_TABLE: i32 = 9_500;
/// What is left for evaluations.
const UCCI_EVAL: i32 = 8_500;

/// Writes answers.
pub(super) struct Voice<'a> {
    output: &'a mut dyn Write,
    pub(super) dialect: Dialect,
    /// How moves are written.
    pub(super) ranks: Ranks,
}

/// What comes with the move that is played.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Extras {
    /// An offered draw is accepted.
    pub(super) draw: bool,
}

/// How an iteration is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Detail {
    /// With the chances of win, draw and loss.
    pub(super) wdl: bool,
    /// UCCI: with what that protocol has no words for.
    pub(super) debug: bool,
}

impl<'a> Voice<'a> {
    pub(super) fn new(output: &'a mut dyn Write, dialect: Dialect) -> Self {
        Self { output, dialect, ranks: Ranks::FromZero }
    }

    pub(super) fn flush(&mut self) -> io::Result<()> {
        self.output.flush()
    }

    /// A move as the GUI writes it.
    pub(super) fn text<G: Playable>(&self, mv: G::Move) -> String {
        self.ranks.theirs(&G::move_text(mv))
    }

    /// The answer to the handshake, with the `option` lines given.
    pub(super) fn introduce(&mut self, options: &str) -> io::Result<()> {
        let version = env!("CARGO_PKG_VERSION");
        writeln!(self.output, "id name juzhong {version}")?;
        if self.dialect.is_ucci() {
            writeln!(self.output, "id version {version}")?;
            writeln!(self.output, "id copyright the juzhong authors")?;
        }
        writeln!(self.output, "id author the juzhong authors")?;
        if self.dialect.is_ucci() {
            writeln!(self.output, "id user anybody")?;
        }
        writeln!(self.output, "{options}{}", self.dialect.ok())
    }

    pub(super) fn ready(&mut self) -> io::Result<()> {
        writeln!(self.output, "readyok")
    }

    /// A message for people. Line breaks in it would be read as answers.
    pub(super) fn message(&mut self, text: &str) -> io::Result<()> {
        let word = if self.dialect.is_ucci() { "message" } else { "string" };
        let text: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        writeln!(self.output, "info {word} {text}")
    }

    /// What an iteration found.
    pub(super) fn iteration<G: Playable>(
        &mut self,
        iteration: &Iteration<G::Move>,
        detail: Detail,
    ) -> io::Result<()> {
        if self.dialect.is_ucci() {
            return self.ucci_iteration::<G>(iteration, detail);
        }
        let Iteration { depth, seldepth, multipv, score, nodes, time, .. } = iteration;
        let bound = match iteration.bound {
            Bound::Exact => "",
            Bound::Lower => " lowerbound",
            Bound::Upper => " upperbound",
        };
        let (time, hashfull) = (time.as_millis(), iteration.hashfull_permille);
        let (nps, tbhits) = (nodes_per_second(iteration), iteration.table_hits);
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
            let (nps, hashfull) = (nodes_per_second(iteration), iteration.hashfull_permille);
            let tbhits = iteration.table_hits;
            let text = format!("seldepth {seldepth} nps {nps} hashfull {hashfull} tbhits {tbhits}");
            self.message(&text)?;
        }
        write!(self.output, "info depth {depth}")?;
        if *multipv > 1 {
            write!(self.output, " multipv {multipv}")?;
        }
        write!(self.output, " score {}", ucci_score(iteration.score))?;
        self.line_of_play::<G>(&iteration.pv)
    }

    /// A score that no search found.
    pub(super) fn score<G: Playable>(
        &mut self,
        depth: u32,
        score: Score,
        pv: &[G::Move],
    ) -> io::Result<()> {
        if self.dialect.is_ucci() {
            write!(self.output, "info depth {depth} score {}", ucci_score(score))?;
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
            write!(self.output, " {}", self.ranks.theirs(&G::move_text(mv)))?;
        }
        writeln!(self.output)
    }

    /// The move to play, and the answer expected.
    pub(super) fn best<G: Playable>(
        &mut self,
        mv: G::Move,
        ponder: Option<G::Move>,
        extras: Extras,
    ) -> io::Result<()> {
        write!(self.output, "bestmove {}", self.text::<G>(mv))?;
        if let Some(ponder) = ponder {
            write!(self.output, " ponder {}", self.text::<G>(ponder))?;
        }
        // UCI has no word for it.
        if extras.draw && self.dialect.is_ucci() {
            write!(self.output, " draw")?;
        }
        writeln!(self.output)
    }

    /// There is no move.
    pub(super) fn no_move(&mut self) -> io::Result<()> {
        let text = if self.dialect.is_ucci() { "nobestmove" } else { "bestmove (none)" };
        writeln!(self.output, "{text}")
    }

    /// UCCI: `stop` although nothing was searched.
    pub(super) fn nothing_to_stop(&mut self) -> io::Result<()> {
        if self.dialect.is_ucci() { self.no_move() } else { Ok(()) }
    }

    /// UCCI: the end of the session.
    pub(super) fn farewell(&mut self) -> io::Result<()> {
        if self.dialect.is_ucci() { writeln!(self.output, "bye") } else { Ok(()) }
    }

    /// UCCI: what the transposition table knows of a position of which `entry.best` is a legal move.
    pub(super) fn hash_entry<G: Playable>(
        &mut self,
        entry: Option<HashEntry<G::Move>>,
    ) -> io::Result<()> {
        write!(self.output, "pophash")?;
        if let Some(HashEntry { best, score, bound, depth }) = entry {
            if let Some(best) = best {
                write!(self.output, " bestmove {}", self.text::<G>(best))?;
            }
            let score = ucci_score(score);
            if bound != Bound::Upper {
                write!(self.output, " lowerbound {score} depth {depth}")?;
            }
            if bound != Bound::Lower {
                write!(self.output, " upperbound {score} depth {depth}")?;
            }
        }
        writeln!(self.output)
    }

    /// How many leaves the tree has below a move.
    pub(super) fn count<G: Playable>(&mut self, mv: G::Move, nodes: u64) -> io::Result<()> {
        writeln!(self.output, "{}: {nodes}", self.text::<G>(mv))
    }

    /// How many leaves the whole tree has.
    pub(super) fn total(&mut self, nodes: u64) -> io::Result<()> {
        writeln!(self.output, "\nNodes searched: {nodes}")
    }
}

fn nodes_per_second<M>(iteration: &Iteration<M>) -> u128 {
    u128::from(iteration.nodes) * 1_000_000 / iteration.time.as_micros().max(1)
}

/// A score as UCCI writes it: a plain number.
fn ucci_score(score: Score) -> i32 {
    let less = |top: i32, plies: u32| top - plies.min(1_000).cast_signed();
    match score.kind() {
        ScoreKind::Centipawns(value) => value.clamp(-UCCI_EVAL, UCCI_EVAL),
        ScoreKind::MateIn(plies) => less(UCCI_MATE, plies),
        ScoreKind::MatedIn(plies) => -less(UCCI_MATE, plies),
        ScoreKind::TableWin(plies) => less(UCCI_TABLE, plies),
        ScoreKind::TableLoss(plies) => -less(UCCI_TABLE, plies),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_of_ucci_are_numbers_in_ranges_of_their_own() {
        assert_eq!(ucci_score(Score::from_eval(-34)), -34);
        assert_eq!(ucci_score(Score::from_eval(20_000)), UCCI_EVAL);
        assert_eq!(ucci_score(Score::mate_in(3)), 9_997);
        assert_eq!(ucci_score(Score::mated_in(4)), -9_996);
        assert_eq!(ucci_score(Score::table_win(7)), 9_493);
        assert_eq!(ucci_score(Score::table_loss(999)), -8_501);
    }

    fn said(dialect: Dialect, say: impl FnOnce(&mut Voice<'_>)) -> String {
        let mut output = Vec::new();
        say(&mut Voice::new(&mut output, dialect));
        String::from_utf8(output).unwrap()
    }

    #[test]
    fn messages_stay_on_one_line() {
        let say = |voice: &mut Voice<'_>| voice.message("a\nbestmove b").unwrap();
        assert_eq!(said(Dialect::Uci, say), "info string a bestmove b\n");
        assert_eq!(said(Dialect::Ucci, say), "info message a bestmove b\n");
    }
}
