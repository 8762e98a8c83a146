use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use super::playable::{Endgames, NoTables, Playable, RootMove};
use crate::game::Line;
use crate::gomoku::{Board, FreeRules};
use crate::search::{Oracle, TableValue};
use crate::tablebase::{Metric, ProbeError, Rules, Tables, Wdl};
use crate::xiangqi::{FenError, Move, Position, RuleSet, Setup};

/// Xiangqi's endgame tables as the search and the root ask them. At the first damage met they are
/// left alone.
#[derive(Debug)]
pub struct XiangqiTables {
    tables: Tables,
    damaged: AtomicBool,
    /// The damage, until it is told.
    trouble: Mutex<Option<String>>,
}

impl XiangqiTables {
    /// Asks the tables if they have this material. A set that is not there is no trouble.
    fn ask<T>(
        &self,
        position: &Position,
        question: impl FnOnce(&Tables) -> Result<T, ProbeError>,
    ) -> Option<T> {
        if !self.tables.covers(position) || self.damaged.load(Ordering::Relaxed) {
            return None;
        }
        match question(&self.tables) {
            Ok(answer) => Some(answer),
            Err(ProbeError::Missing { .. }) => None,
            Err(error) => {
                if !self.damaged.swap(true, Ordering::Relaxed) {
                    let message = format!("playing on without endgame tables: {}", in_full(&error));
                    *self.trouble.lock().unwrap_or_else(PoisonError::into_inner) = Some(message);
                }
                None
            }
        }
    }
}

/// An error with its causes.
#[must_use]
pub fn in_full(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(Some(error), |error| error.source());
    causes.map(ToString::to_string).collect::<Vec<_>>().join(": ")
}

/// The tables that fit rules of play best.
const fn table_rules(rules: RuleSet) -> Rules {
    match rules {
        RuleSet::None => Rules::None,
        RuleSet::Asian => Rules::Asian,
        RuleSet::Check | RuleSet::Computer | RuleSet::Chinese => Rules::Check,
    }
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
    /// Under the Asian rules tables that know perpetual chase are used if there are any, else those of
    /// perpetual check, as under the rule sets for which there are none.
    fn open(folder: &Path, rules: RuleSet) -> Result<Self, String> {
        if !folder.is_dir() {
            return Err(format!("there is no folder {}", folder.display()));
        }
        let open =
            |rules| Tables::open(folder, rules, Metric::Dtm).map_err(|error| in_full(&error));
        let mut tables = open(table_rules(rules))?;
        if tables.rules() == Rules::Asian && tables.materials().is_empty() {
            tracing::info!("no tables of asian rules, looking for those of check");
            tables = open(Rules::Check)?;
        }
        let rules = tables.rules();
        if tables.materials().is_empty() {
            let folder = folder.display();
            return Err(format!(
                "{folder} has no table of rules {rules}; build some with: \
                 juzhong tablebase generate --men 4 --dir {folder} --rules {rules}"
            ));
        }
        let sets = tables.materials().len();
        tracing::info!(folder = %folder.display(), %rules, sets, "endgame tables opened");
        Ok(Self { tables, damaged: AtomicBool::new(false), trouble: Mutex::default() })
    }

    fn covers(&self, position: &Position) -> bool {
        self.tables.covers(position)
    }

    fn rules_name(&self) -> &'static str {
        self.tables.rules().name()
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
