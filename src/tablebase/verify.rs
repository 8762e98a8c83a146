//! Proof of a table by the ordinary legal move generator: the values of order 0 and all that
//! follows move by move are recomputed from one ply of legal moves; what the repetition rule decides
//! is recomputed by `endless`, which shares no code with the generator.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use rayon::prelude::*;

use super::content::content_hash;
use super::endless::{self, Decided};
use super::format::{TableError, TableFile};
use super::generate::Progress;
use super::index::Index;
use super::material::Material;
use super::solve::ILLEGAL;
use super::table::{Table, locate_position};
use super::value::{Entry, Metric, Rules, Wdl};
use crate::game::{MoveList, Side};
use crate::xiangqi::{Move, Position, Role, Setup};

/// Mismatches reported for each table.
const REPORTED: usize = 10;
/// Slots of a parallel task.
const TASK: usize = 1 << 12;

/// Something in a table that does not follow from the rules.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mismatch {
    /// The position; empty where the whole table is meant.
    pub fen: String,
    /// What the table says.
    pub found: Option<Entry>,
    /// What follows from the legal moves, where that is known.
    pub expected: Option<Entry>,
    /// What was checked.
    pub check: &'static str,
}

/// What [`verify`] found in one table.
#[derive(Debug, Clone)]
pub struct Verification {
    /// Which table.
    pub material: Material,
    /// Legal positions checked, one for each slot and side to move.
    pub positions: u64,
    /// How many checks failed.
    pub wrong: u64,
    /// The first of them.
    pub mismatches: Vec<Mismatch>,
}

impl Verification {
    /// Whether nothing was wrong.
    #[must_use]
    pub const fn passed(&self) -> bool {
        self.wrong == 0
    }
}

/// Proves the tables of `materials` in `dir`: checksums, the content hash, the counts, one-ply
/// consistency by the ordinary legal move generator, and the rounds of the repetition rule, which
/// must find nothing more among the positions left drawn. The tables that captures lead to are
/// taken as they are, but must be those that the table was built from.
///
/// One result for each material, in that order: an error if the table or one that its captures lead
/// to is missing or damaged.
pub fn verify(
    dir: &Path,
    materials: &[Material],
    rules: Rules,
    metric: Metric,
    progress: &dyn Progress,
) -> Vec<Result<Verification, TableError>> {
    let verify = |(i, &material): (usize, &Material)| {
        progress.verifying(material, i + 1, materials.len());
        verify_one(dir, material, rules, metric)
    };
    materials.iter().enumerate().map(verify).collect()
}

fn verify_one(
    dir: &Path,
    material: Material,
    rules: Rules,
    metric: Metric,
) -> Result<Verification, TableError> {
    let file = TableFile::open(dir, material, rules, metric)?;
    let mut subs = HashMap::new();
    let mut dependencies = Vec::new();
    for left in material.captures() {
        let sub = TableFile::open(dir, left, rules, metric)?;
        dependencies.push((left.to_string(), sub.header.content));
        subs.insert(left, Arc::new(sub.load()?));
    }
    let mut table = file.load()?;
    mark_illegal(&mut table);
    let prover = Prover { table, subs, metric };
    let mut result = prover.prove(rules);
    let counts = prover.table.counts();
    result.claim("header counts", file.header.counts == [counts.first, counts.second]);
    result.claim("content hash", file.header.content == content_hash(&prover.table));
    result.claim("hashes of smaller tables", file.header.dependencies == dependencies);
    Ok(result)
}

impl Verification {
    fn claim(&mut self, check: &'static str, holds: bool) {
        if !holds {
            self.wrong += 1;
            self.add(Mismatch { fen: String::new(), found: None, expected: None, check });
        }
    }

    fn add(&mut self, mismatch: Mismatch) {
        if self.mismatches.len() < REPORTED {
            self.mismatches.push(mismatch);
        }
    }

    fn join(mut self, other: Self) -> Self {
        self.positions += other.positions;
        self.wrong += other.wrong;
        for mismatch in other.mismatches {
            self.add(mismatch);
        }
        self
    }
}

/// Marks as illegal what the ordinary rules call illegal.
pub(super) fn mark_illegal(table: &mut Table) {
    let index = &table.index;
    for (side, words) in table.words.iter_mut().enumerate() {
        words.par_chunks_mut(TASK).enumerate().for_each(|(chunk, words)| {
            for (i, word) in words.iter_mut().enumerate() {
                if legal_position(index, side, (chunk * TASK + i) as u32).is_none() {
                    *word = ILLEGAL;
                }
            }
        });
    }
}

/// The position of a slot, if it is legal.
fn legal_position(index: &Index, side: usize, slot: u32) -> Option<Position> {
    let squares = index.squares(&index.digits(slot));
    let mut setup = Setup::empty();
    setup.turn = Side::ALL[side];
    for (man, square) in index.men.iter().zip(&squares) {
        if setup.board[square.index()].replace(man.piece).is_some() {
            return None;
        }
    }
    let position = Position::from_setup_unchecked(&setup);
    let is_possible = Side::ALL.into_iter().all(|side| !has_doubled_pawns(&position, side));
    (is_possible && !position.is_attacked_king(!position.turn())).then_some(position)
}

fn has_doubled_pawns(position: &Position, side: Side) -> bool {
    let mut files = 0u16;
    for pawn in position.pieces(side, Role::Pawn) {
        let is_home = (pawn.rank() < 5) == (side == Side::First);
        if is_home && files >> pawn.file() & 1 == 1 {
            return true;
        }
        files |= u16::from(is_home) << pawn.file();
    }
    false
}

/// A table with its illegal positions marked, and those that captures lead to.
pub(super) struct Prover {
    pub(super) table: Table,
    subs: HashMap<Material, Arc<Table>>,
    metric: Metric,
}

/// A legal move and what it leads to.
pub(super) struct Step {
    pub(super) is_capture: bool,
    /// The value for the side that moves, counted from before the move.
    pub(super) value: Entry,
    /// Whether it gives check.
    pub(super) is_check: bool,
    /// The slot it leads to, for quiet moves.
    pub(super) slot: u32,
}

impl Prover {
    pub(super) fn position(&self, side: usize, slot: u32) -> Option<Position> {
        if self.table.words[side][slot as usize] == ILLEGAL {
            return None;
        }
        legal_position(&self.table.index, side, slot)
    }

    pub(super) fn entry(&self, side: usize, slot: u32) -> Option<Entry> {
        self.table.meaning(self.table.words[side][slot as usize])
    }

    /// Calls `visit` with each legal move until it returns `false`; whether it never did. `None` if
    /// a value is missing.
    pub(super) fn steps(
        &self,
        position: &Position,
        mut visit: impl FnMut(&Step) -> bool,
    ) -> Option<bool> {
        let mut position = position.clone();
        let mut moves = MoveList::<Move>::new();
        position.append_legal(&mut moves);
        for mv in moves {
            let is_check = position.gives_check(mv);
            let undo = position.play_unchecked(mv);
            let is_capture = undo.captured().is_some();
            let (value, slot) = self.look_up(&position)?;
            position.undo(mv, undo);
            let value = if is_capture { self.metric.before_capture(value) } else { value.before() };
            if !visit(&Step { is_capture, value, is_check, slot }) {
                return Some(false);
            }
        }
        Some(true)
    }

    /// The value of a legal capture for the side that makes it.
    pub(super) fn capture(&self, position: &Position, mv: Move) -> Option<Entry> {
        let mut after = position.clone();
        after.play_unchecked(mv);
        self.look_up(&after).map(|(value, _)| self.metric.before_capture(value))
    }

    fn look_up(&self, position: &Position) -> Option<(Entry, u32)> {
        let (material, swap) = Material::of(position);
        let own = material == self.table.index.material;
        let table = if own { &self.table } else { self.subs.get(&material)?.as_ref() };
        let (side, slot) = locate_position(&table.index, position, swap)?;
        let entry = table.meaning(table.words[side][slot as usize])?;
        Some((entry, slot))
    }

    fn prove(&self, rules: Rules) -> Verification {
        let decided = match rules {
            Rules::None => Vec::new(),
            Rules::Check | Rules::Asian => endless::decide_all(self, rules),
        };
        let slots = self.table.index.slots as usize;
        let tasks = (0..self.table.words.len())
            .flat_map(|side| (0..slots).step_by(TASK).map(move |start| (side, start)))
            .collect::<Vec<_>>();
        let parts: Vec<Verification> = tasks
            .par_iter()
            .map(|&(side, start)| self.prove_slots(side, start..slots.min(start + TASK), &decided))
            .collect();
        parts.into_iter().fold(self.nothing(), Verification::join)
    }

    fn nothing(&self) -> Verification {
        let material = self.table.index.material;
        Verification { material, positions: 0, wrong: 0, mismatches: Vec::new() }
    }

    fn prove_slots(
        &self,
        side: usize,
        range: std::ops::Range<usize>,
        decided: &[Decided],
    ) -> Verification {
        let mut result = self.nothing();
        for slot in range {
            let slot = slot as u32;
            let Some(position) = self.position(side, slot) else { continue };
            result.positions += 1;
            let found = self.entry(side, slot);
            let (expected, check) = self.expected(&position, side, slot, decided);
            if found != expected {
                result.wrong += 1;
                result.add(Mismatch { fen: position.to_fen(), found, expected, check });
            }
        }
        result
    }

    /// What follows from the legal moves and from the rounds of the rule.
    fn expected(
        &self,
        position: &Position,
        side: usize,
        slot: u32,
        decided: &[Decided],
    ) -> (Option<Entry>, &'static str) {
        let mut best = None;
        let complete = self.steps(position, |step| {
            best = best.max(Some(step.value));
            true
        });
        if complete.is_none() {
            return (None, "a move leads to a position without value");
        }
        // Without a legal move the side to move has lost.
        let best = best.unwrap_or(Entry::loss(0, 0));
        for round in decided {
            if let Some(distance) = round.lost(side, slot) {
                let is_lost = best.wdl == Wdl::Loss && best.order <= round.order;
                let expected = is_lost.then_some(Entry::loss(round.order, distance));
                return (expected, "lost by the repetition rule");
            }
            if let Some(distance) = round.won(side, slot) {
                let by_rule = Entry::win(round.order, distance);
                return (Some(best.max(by_rule)), "won by the repetition rule");
            }
        }
        (Some(best), "one ply of legal moves")
    }
}

#[cfg(test)]
mod tests {
    use super::super::{GenerateOptions, NoProgress, generate_all};
    use super::*;

    fn prover(dir: &Path, material: Material) -> Prover {
        let open = |material| {
            TableFile::open(dir, material, Rules::Check, Metric::Dtm).unwrap().load().unwrap()
        };
        let mut table = open(material);
        mark_illegal(&mut table);
        let subs = material.captures().into_iter().map(|left| (left, Arc::new(open(left))));
        Prover { table, subs: subs.collect(), metric: Metric::Dtm }
    }

    #[test]
    fn any_changed_value_is_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let material: Material = "KNvKA".parse().unwrap();
        let options = GenerateOptions::default();
        generate_all(folder.path(), &[material], &options, &NoProgress).unwrap();
        let mut prover = prover(folder.path(), material);
        assert!(prover.prove(Rules::Check).passed());
        for (side, slot, change) in [(0, 1000, 2), (1, 2000, 2), (1, 5000, 4)] {
            let legal = (slot..).find(|&slot| prover.table.words[side][slot] != ILLEGAL).unwrap();
            let word = prover.table.words[side][legal];
            let changed = if word <= change { word + change } else { word - change };
            prover.table.words[side][legal] = changed;
            let result = prover.prove(Rules::Check);
            assert!(!result.passed(), "{side} {slot}");
            assert!(!result.mismatches[0].fen.is_empty());
            prover.table.words[side][legal] = word;
        }
    }
}
