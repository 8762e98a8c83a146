use std::collections::HashMap;
use std::path::Path;
use std::sync::{Mutex, PoisonError, RwLock};

use super::playable::{Endgames, NoTables, Playable, RootMove};
use crate::game::Line;
use crate::gomoku::{Board, FreeRules};
use crate::hash::Key;
use crate::search::{Oracle, TableValue};
use crate::tablebase::{Metric, ProbeError, Rules, Tables, Wdl};
use crate::xiangqi::{FenError, Move, Position, RuleSet, Setup};

/// With more men no position is looked up.
const MOST_MEN: u32 = 8;

/// Xiangqi's endgame tables as the search and the root ask them. Which sets of men the folder lacks
/// is remembered, so that a position without a table costs little.
#[derive(Debug)]
pub struct XiangqiTables {
    tables: Tables,
    /// By material key.
    usable: RwLock<HashMap<Key, bool>>,
    /// The first damage met and not yet told.
    trouble: Mutex<Option<String>>,
}

impl XiangqiTables {
    /// Asks the tables unless they are known not to answer for this material.
    fn ask<T>(
        &self,
        position: &Position,
        question: impl FnOnce(&Tables) -> Result<T, ProbeError>,
    ) -> Option<T> {
        if position.occupied().len() > MOST_MEN {
            return None;
        }
        let material = position.material_key();
        let usable = self.usable.read().unwrap_or_else(PoisonError::into_inner);
        let known = usable.get(&material).copied();
        drop(usable);
        if known == Some(false) {
            return None;
        }
        let answer = question(&self.tables).map_err(|error| self.note(&error)).ok();
        if known.is_none() || answer.is_none() {
            let mut usable = self.usable.write().unwrap_or_else(PoisonError::into_inner);
            usable.insert(material, answer.is_some());
        }
        answer
    }

    /// A set that is not there is no trouble; a damaged table is.
    fn note(&self, error: &ProbeError) {
        if matches!(error, ProbeError::Missing { .. }) {
            return;
        }
        let message = format!("playing on without an endgame table: {}", in_full(error));
        let mut trouble = self.trouble.lock().unwrap_or_else(PoisonError::into_inner);
        trouble.get_or_insert(message);
    }
}

/// An error with its causes.
pub(super) fn in_full(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(Some(error), |error| error.source());
    causes.map(ToString::to_string).collect::<Vec<_>>().join(": ")
}

impl Oracle<Position> for XiangqiTables {
    const PRESENT: bool = true;

    fn probe(&self, position: &Position) -> Option<TableValue> {
        Some(match self.ask(position, |tables| tables.probe_wdl(position))? {
            Wdl::Win => TableValue::Win,
            Wdl::Draw => TableValue::Draw,
            Wdl::Loss => TableValue::Loss,
        })
    }
}

impl Endgames<Position> for XiangqiTables {
    /// Tables know no perpetual chase: rule sets that have it use those of perpetual check.
    fn open(folder: &Path, rules: RuleSet) -> Result<Self, String> {
        let rules = match rules {
            RuleSet::None => Rules::None,
            RuleSet::Check | RuleSet::Asian | RuleSet::Computer | RuleSet::Chinese => Rules::Check,
        };
        if !folder.is_dir() {
            return Err(format!("there is no folder {}", folder.display()));
        }
        let tables = Tables::open(folder, rules, Metric::Dtm).map_err(|error| in_full(&error))?;
        Ok(Self { tables, usable: RwLock::default(), trouble: Mutex::default() })
    }

    fn ranked_moves(&self, position: &Position) -> Option<Vec<RootMove<Move>>> {
        let moves = self.ask(position, |tables| tables.probe_root(position))?;
        Some(moves.into_iter().map(|(mv, entry)| RootMove { mv, entry }).collect())
    }

    fn trouble(&self) -> Option<String> {
        self.trouble.lock().unwrap_or_else(PoisonError::into_inner).take()
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
