use super::playable::{Endgames, NoTables, Playable, RootMove};
use crate::game::Line;
use crate::gomoku::{Board, FreeRules};
use crate::search::{Oracle, TableValue};
use crate::xiangqi::{FenError, Move, Position, RuleSet, Setup};
use std::path::Path;

/// Xiangqi's endgame tables.
#[derive(Debug)]
pub struct XiangqiTables;
impl Oracle<Position> for XiangqiTables {
    const PRESENT: bool = true;
    fn probe(&self, _: &Position) -> Option<TableValue> {
        None
    }
}
impl Endgames<Position> for XiangqiTables {
    fn open(_: &Path, _: RuleSet) -> Result<Self, String> {
        Err("no".into())
    }
    fn ranked_moves(&self, _: &Position) -> Option<Vec<RootMove<Move>>> {
        None
    }
    fn trouble(&self) -> Option<String> {
        None
    }
}
impl Playable for Position {
    type Tables = XiangqiTables;
    const RULES: &'static [RuleSet] = &RuleSet::ALL;
    fn read_line(text: &str) -> Result<Line<Self>, FenError> {
        let setup = Setup::from_fen(text)?;
        Ok(Line::new(Self::from_setup(&setup)?, setup.halfmove_clock))
    }
}
impl Playable for Board {
    type Tables = NoTables;
    const RULES: &'static [FreeRules] = &[FreeRules];
}
