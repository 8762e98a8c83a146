//! The endgame tables of each game.

use super::endgames::{Endgames, NoTables, ProbeBudget, RootMove, RootRanking, TableOptions};
use super::playable::Playable;
use super::root_ranking::RootRanker;
use super::tables::XiangqiTables;
use crate::game::Line;
use crate::gomoku::{Board, FreeRules};
use crate::xiangqi::{FenError, Move, Position, RuleSet, Setup};

impl Endgames<Position> for XiangqiTables {
    fn open(options: &TableOptions, rules: RuleSet) -> Result<Self, String> {
        Self::open(options, rules)
    }
    fn warnings(&self) -> Vec<String> {
        self.warnings()
    }
    fn covers(&self, position: &Position) -> bool {
        self.covers(position)
    }
    fn rules_name(&self) -> &'static str {
        self.rules_name()
    }
    fn ranked_moves(&self, position: &Position) -> Option<Vec<RootMove<Move>>> {
        self.ranked_moves(position)
    }
    fn advise(
        &self,
        line: &Line<Position>,
        probe_budget: &ProbeBudget<'_>,
    ) -> Option<RootRanking<Move>> {
        RootRanker::new(self, line, self.rules()).advise(probe_budget)
    }
    fn take_warning(&self) -> Option<String> {
        self.take_warning()
    }
}

impl Playable for Position {
    type Tables = XiangqiTables;
    const RULES: &'static [RuleSet] = &RuleSet::ALL;

    fn read_line(text: &str) -> Result<Line<Self>, FenError> {
        let setup = Setup::from_fen(text)?;
        let ply = 2 * setup.fullmoves.saturating_sub(1) as usize + setup.turn.index();
        Ok(Line::new(Self::from_setup(&setup)?, setup.halfmove_clock).begun_at(ply))
    }
}

impl Playable for Board {
    type Tables = NoTables;
    const RULES: &'static [FreeRules] = &[FreeRules];
}
