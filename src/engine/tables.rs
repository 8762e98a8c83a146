//! Endgame tables of xiangqi in the search and at the root: values of all rules and metrics, made comparable.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::endgames::{DistanceTarget, Endgames, RootMove, TableOptions};
use super::validity;
use super::warnings::in_full;
use crate::bytes::shelf::is_folder;
use crate::bytes::visible::ShowPath;
use crate::game::{Adjudicate, Game, Line, Side};
use crate::message::{Message, message};
use crate::search::{MAX_TABLE_DISTANCE, TableValue, TablebaseProbe};
use crate::tablebase::{
    Entry, Material, Metric, ProbeError, TableStats, Tables, Wdl, take_loaded, use_cache_lane,
};
use crate::xiangqi::move_limit::{MOVE_LIMIT, plies_left};
use crate::xiangqi::{Move, Position, RuleSet};

/// Plies that a win of this order needs up to the verdict beyond its distance. Where it matters
/// most, at the root, that is computed for the position at hand (see `claims`); in the tree and for
/// the losing side this value is used, which no computed bound of the sets tried has exceeded: each
/// order may be left for the next lower one when its loop is about to be judged.
pub(crate) const fn claim_plies(order: u16) -> u32 {
    match order {
        0 => 0,
        _ => 16 + 20 * order as u32,
    }
}

/// Distances of order k and up count from k times this number of plies on, so that lower orders are
/// preferred.
const ORDER_DISTANCE: u16 = 200;

/// With distances to captures, every piece counts as this number of plies: captures are progress.
const MAN_DISTANCE: u16 = 60;

/// Xiangqi's endgame tables as the search and the root probe them. A table that turns out to be
/// damaged is not read from then on; the others serve.
#[derive(Debug)]
pub struct XiangqiTables {
    /// The preferred ones first; none is empty.
    tablebases: Vec<Tables>,
    rules: RuleSet,
    /// Nodes of less depth are not looked up.
    probe_depth: i32,
    /// Nor are positions of more pieces.
    men: u32,
    minds_limit: bool,
    /// True once `broken` has an entry.
    any_broken: AtomicBool,
    /// The tablebases and materials that could not be read.
    broken: Mutex<BTreeSet<(usize, Material)>>,
    damage: Mutex<Damage>,
}

/// Damage, each reported once.
#[derive(Debug, Default)]
struct Damage {
    all: BTreeSet<String>,
    unreported: Vec<Message>,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl XiangqiTables {
    /// The rules of play.
    pub(crate) const fn rules(&self) -> RuleSet {
        self.rules
    }

    /// Probes a tablebase if it has this material. A smaller table that never was there is no trouble.
    fn ask<T>(
        &self,
        tablebase: usize,
        position: &Position,
        question: impl FnOnce(&Tables) -> Result<T, ProbeError>,
    ) -> Option<T> {
        let tables = &self.tablebases[tablebase];
        if !tables.covers(position) || self.is_broken(tablebase, position) {
            return None;
        }
        match question(tables) {
            Ok(answer) => Some(answer),
            Err(ProbeError::Missing { material, .. })
                // Captures of a position lead to smaller tables: one that was never there makes the larger
                // one useless for this position, but is no damage.
                if !tables.materials().contains(&material) =>
            {
                None
            }
            Err(error) => {
                self.give_up(tablebase, Material::of(position).0, &error);
                None
            }
        }
    }

    fn is_broken(&self, tablebase: usize, position: &Position) -> bool {
        // A flag before the lock: no thread waits here as long as nothing is broken.
        self.any_broken.load(Ordering::Relaxed)
            && locked(&self.broken).contains(&(tablebase, Material::of(position).0))
    }

    /// Stops reading a table, and those that need it as soon as they are probed.
    fn give_up(&self, tablebase: usize, material: Material, error: &ProbeError) {
        // In this order, so that whoever sees the flag finds the entry.
        locked(&self.broken).insert((tablebase, material));
        self.any_broken.store(true, Ordering::Relaxed);
        let warning = message!("playing on without an endgame table: {}", in_full(error));
        let mut damage = locked(&self.damage);
        if damage.all.insert(warning.to_string()) {
            damage.unreported.push(warning);
        }
    }

    /// Returns true if a limit of moves without a capture ends games.
    fn has_limit(&self) -> bool {
        self.minds_limit && self.rules != RuleSet::None
    }

    /// Plies before the limit of moves without a capture; `u32::MAX` where there is none.
    pub(crate) fn plies_left(&self, line: &Line<Position>) -> u32 {
        if self.has_limit() { plies_left(line, self.rules) } else { u32::MAX }
    }

    /// Returns true if there are not too many pieces on the board.
    fn is_small(&self, position: &Position) -> bool {
        men(position) <= self.men
    }

    /// The value under the rules of play that a tablebase's entry stands for.
    fn valid(&self, tablebase: usize, entry: Entry, men: usize) -> Option<Entry> {
        validity::valid(entry, self.tablebases[tablebase].rules(), self.rules, men)
    }

    /// The moves by one tablebase, best first; see [`ranked_moves`](Self::ranked_moves).
    pub(crate) fn ranked_by(
        &self,
        tablebase: usize,
        position: &Position,
    ) -> Option<Vec<RootMove<Move>>> {
        let moves = self.ask(tablebase, position, |tables| tables.probe_root(position))?;
        let men = men(position) as usize;
        let all = moves.len();
        let known = moves.into_iter().filter_map(|(mv, entry)| {
            let left = men - usize::from(position.piece_at(mv.to()).is_some());
            let entry = self.valid(tablebase, entry, left)?;
            let value = self.value_of_move(tablebase, position, mv, entry);
            Some(RootMove { mv, entry, value, target: DistanceTarget::of_table(value) })
        });
        let mut known: Vec<RootMove<Move>> = known.collect();
        known.sort_by_key(|m| std::cmp::Reverse(m.entry));
        let is_won = known.first().is_some_and(|best| best.entry.wdl == Wdl::Win);
        // A win is a win whatever the other moves are worth. Whether a position is drawn or lost takes all
        // of them.
        (is_won || known.len() == all).then_some(known)
    }

    /// The tablebases with this metric, the preferred one first.
    pub(crate) fn tablebases_of(&self, metric: Metric) -> impl Iterator<Item = usize> {
        (0..self.tablebases.len())
            .filter(move |&tablebase: &usize| self.tablebases[tablebase].metric() == metric)
    }

    /// Returns true if the distances by which this position is decided are those to captures, and behind a
    /// capture the next one may come too late for the limit of moves, by the longest distances that the
    /// tables of the smaller sets state. A missing smaller table decides nothing.
    pub(crate) fn may_convert_late(&self, position: &Position) -> bool {
        self.has_limit()
            && (0..self.tablebases.len())
                .find(|&tablebase: &usize| self.tablebases[tablebase].covers(position))
                .is_some_and(|tablebase| self.converts_late(tablebase, position))
    }

    /// [`may_convert_late`](Self::may_convert_late), by one tablebase.
    pub(crate) fn converts_late(&self, tablebase: usize, position: &Position) -> bool {
        let tables = &self.tablebases[tablebase];
        if tables.metric() != Metric::Dtc {
            return false;
        }
        let mut left = vec![Material::of(position).0];
        let mut seen = BTreeSet::new();
        while let Some(material) = left.pop() {
            for smaller in material.captures() {
                if seen.insert(smaller) {
                    left.push(smaller);
                }
            }
        }
        seen.into_iter().any(|smaller| is_long(tables, smaller))
    }

    /// The value of a position as far as a tablebase knows it.
    pub(crate) fn entry_by(&self, tablebase: usize, position: &Position) -> Option<Entry> {
        let entry = self.ask(tablebase, position, |tables| tables.probe(position))?;
        self.valid(tablebase, entry, men(position) as usize)
    }

    /// A tablebase's value of a node with `left` plies left to the limit of moves.
    fn value_by(&self, tablebase: usize, position: &Position, left: u32) -> Option<TableValue> {
        let entry = self.entry_by(tablebase, position)?;
        let is_known = entry.wdl == Wdl::Draw || is_in_time(entry, left);
        is_known.then(|| value_of(entry, self.tablebases[tablebase].metric(), position))
    }

    /// The value of a move with this entry. Distances to captures do not distinguish a mate from a
    /// capture; the board does.
    fn value_of_move(
        &self,
        tablebase: usize,
        position: &Position,
        mv: Move,
        entry: Entry,
    ) -> TableValue {
        let metric = self.tablebases[tablebase].metric();
        if metric == Metric::Dtc && entry == Entry::win(0, 1) && mates(position, mv) {
            return TableValue::Mate(1);
        }
        value_of(entry, metric, position)
    }
}

/// Returns true if a move leaves the other side without one.
fn mates(position: &Position, mv: Move) -> bool {
    let mut after = position.clone();
    after.make(mv);
    !after.has_legal_move()
}

/// Returns true if some win of the set that needs no rule of repetition takes longer than the limit of moves
/// allows, in the metric of the tables.
fn is_long(tables: &Tables, material: Material) -> bool {
    tables
        .stats(material)
        .ok()
        .and_then(|stats: TableStats| {
            let rows = Side::ALL.into_iter().flat_map(|side| stats.sides[side].histogram.clone());
            rows.filter(|row| row.entry.order == 0).map(|row| row.entry.distance).max()
        })
        .is_some_and(|plies| u32::from(plies) > MOVE_LIMIT)
}

/// Pieces on the board, kings included.
fn men(position: &Position) -> u32 {
    Side::ALL.into_iter().map(|side| position.side(side).len()).sum()
}

/// Returns true if the decided outcome comes within `left` plies.
pub(crate) fn is_in_time(entry: Entry, left: u32) -> bool {
    u32::from(entry.distance) + claim_plies(entry.order) <= left
}

/// An entry for a position, or for a move from it, as the search sees it. Mates come with their
/// plies where the distance gives them; else the distance grows with orders, and pieces on the
/// board if it is one to captures.
fn value_of(entry: Entry, metric: Metric, position: &Position) -> TableValue {
    let Entry { wdl, order, distance } = entry;
    let to_mate = metric == Metric::Dtm || distance == 0;
    let is_mate = order == 0 && to_mate && distance <= MAX_TABLE_DISTANCE;
    let men = match metric {
        Metric::Dtm => 0,
        Metric::Dtc | Metric::DtcWithin(_) => MAN_DISTANCE * men(position) as u16,
    };
    // Not a number of plies any more: it only makes the search prefer wins that need no rule, and captures.
    let farther = ORDER_DISTANCE * order.min(3) + men;
    let weight = distance.saturating_add(farther).min(MAX_TABLE_DISTANCE);
    match wdl {
        Wdl::Draw => TableValue::Draw,
        Wdl::Win if is_mate => TableValue::Mate(distance),
        Wdl::Win => TableValue::Win(weight),
        Wdl::Loss if is_mate => TableValue::Mated(distance),
        Wdl::Loss => TableValue::Loss(weight),
    }
}

impl TablebaseProbe<Position> for XiangqiTables {
    const PRESENT: bool = true;

    /// Far from the limit of moves all plies since the last capture count against it: wins that
    /// would come in time thanks to checks that do not count are searched.
    fn probe(&self, line: &Line<Position>, depth: i32) -> Option<TableValue> {
        let position = line.position();
        if depth < self.probe_depth || !self.is_small(position) {
            return None;
        }
        let left = match self.rules {
            _ if !self.has_limit() => u32::MAX,
            _ if line.clock() > Position::STAGES_FROM => plies_left(line, self.rules),
            _ => MOVE_LIMIT.saturating_sub(line.clock()),
        };
        (0..self.tablebases.len()).find_map(|tablebase| self.value_by(tablebase, position, left))
    }

    fn enter(&self, worker: usize) {
        use_cache_lane(worker);
    }

    fn was_slow(&self) -> bool {
        take_loaded()
    }
}

impl Endgames<Position> for XiangqiTables {
    fn open(options: &TableOptions, rules: RuleSet) -> Result<Self, Message> {
        if let Some(missing) = options.folders.iter().find(|folder| !is_folder(folder)) {
            return Err(message!("there is no folder {}", missing.shown()));
        }
        if let Some(metric) = options.metric.filter(|metric| metric.limit().is_some()) {
            return Err(message!("tables of metric {metric} are not for play: name dtm or dtc"));
        }
        let mut tablebases = Vec::new();
        for made in validity::preferred(rules) {
            for metric in Metric::ALL {
                let is_wanted = options.rules.is_none_or(|wanted| wanted == made)
                    && options.metric.is_none_or(|wanted| wanted == metric);
                if is_wanted {
                    let tables = Tables::open_all(&options.folders, made, metric);
                    let tables = tables.map_err(|error| in_full(&error))?;
                    if !tables.materials().is_empty() {
                        tablebases.push(tables);
                    }
                }
            }
        }
        let Some(most) = tablebases.iter().map(Tables::most_men).max() else {
            return Err(no_tables(options, rules));
        };
        for tables in &tablebases {
            let rules = tables.rules();
            let metric = tables.metric();
            let sets = tables.materials().len();
            tracing::info!(%rules, %metric, sets, "endgame tables opened");
        }
        Ok(Self {
            tablebases,
            rules,
            probe_depth: i32::try_from(options.probe_depth).unwrap_or(i32::MAX),
            men: options.men.min(most) as u32,
            minds_limit: options.minds_limit,
            any_broken: AtomicBool::new(false),
            broken: Mutex::default(),
            damage: Mutex::default(),
        })
    }

    fn name_of(position: &Position) -> Option<String> {
        Some(Material::of(position).0.to_string())
    }

    fn warnings(&self) -> Vec<Message> {
        let known: BTreeSet<Material> = self
            .tablebases
            .iter()
            .filter(|tables: &&Tables| validity::fits(tables.rules(), self.rules))
            .flat_map(Tables::materials)
            .copied()
            .collect();
        let needed = self.tablebases.iter().filter(|tables| !tables.materials().is_subset(&known));
        let mut warnings: Vec<Message> =
            needed.filter_map(|tables| validity::remark(tables.rules(), self.rules)).collect();
        warnings.dedup(); // of both metrics
        warnings
    }

    fn covers(&self, position: &Position) -> bool {
        self.is_small(position) && self.tablebases.iter().any(|tables| tables.covers(position))
    }

    fn rules_name(&self) -> &'static str {
        self.tablebases.first().map_or("none", |tables| tables.rules().name())
    }

    fn ranked_moves(&self, position: &Position) -> Option<Vec<RootMove<Move>>> {
        if !self.is_small(position) {
            return None;
        }
        (0..self.tablebases.len()).find_map(|tablebase| self.ranked_by(tablebase, position))
    }

    fn take_warning(&self) -> Option<Message> {
        locked(&self.damage).unreported.pop()
    }
}

/// The message that there are no endgame tables to play with, and the remedy.
fn no_tables(options: &TableOptions, rules: RuleSet) -> Message {
    let folders: Vec<String> =
        options.folders.iter().map(|folder| folder.display().to_string()).collect();
    let [best, ..] = validity::preferred(rules);
    let made = options.rules.unwrap_or(best);
    let metric = options.metric.unwrap_or_default();
    let which = match (options.rules, options.metric) {
        (None, None) => "no table".into(),
        (Some(rules), None) => message!("no table of rules {rules}"),
        (None, Some(metric)) => message!("no table of metric {metric}"),
        (Some(rules), Some(metric)) => message!("no table of rules {rules} and metric {metric}"),
    };
    let first = folders.first().map_or("FOLDER", String::as_str);
    message!(
        "{} has {which}; build some with: juzhong tablebase generate --men 4 --tables {first} \
         --rules {made} --metric {metric}",
        folders.join(" and ")
    )
}
