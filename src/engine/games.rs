//! The endgame tables of each game.

use super::endgames::{ProbeBudget, RootRanking};
use super::playable::Playable;
use super::proofs::ProvedTables;
use super::root_ranking::RootRanker;
use super::tables::XiangqiTables;
use crate::game::Line;
use crate::gomoku::{Board, FreeRules, Point};
use crate::xiangqi::{FenError, Move, Position, RuleSet, Setup};

impl Playable for Position {
    type Tables = XiangqiTables;
    const RULES: &'static [RuleSet] = &RuleSet::ALL;

    fn read_line(text: &str) -> Result<Line<Self>, FenError> {
        let setup = Setup::from_fen(text)?;
        let ply = 2 * setup.fullmoves.saturating_sub(1) as usize + setup.turn.index();
        Ok(Line::new(Self::from_setup(&setup)?, setup.halfmove_clock).begun_at(ply))
    }

    fn advise(
        tables: &XiangqiTables,
        line: &Line<Self>,
        probe_budget: &ProbeBudget<'_>,
    ) -> Option<RootRanking<Move>> {
        RootRanker::new(tables, line, tables.rules()).advise(probe_budget)
    }
}

impl Playable for Board {
    type Tables = ProvedTables;
    const RULES: &'static [FreeRules] = &[FreeRules];

    fn advise(
        tables: &ProvedTables,
        line: &Line<Self>,
        _: &ProbeBudget<'_>,
    ) -> Option<RootRanking<Point>> {
        tables.ranking(line.position())
    }
}
