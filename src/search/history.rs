//! Statistics of moves that cut off elsewhere in the tree, and of errors of the evaluation, for order and pruning.

use crate::bytes::memory;
use crate::game::{Heuristics, STRUCTURES, Side, Tunables};
use crate::search::kept_evaluations::KeptEvaluations;
use crate::search::tunables::{CORRECTION_MAX, HISTORY_MAX};

/// The history that one thread has gathered: the success of moves, the evaluations, and their errors.
///
/// Quiet moves are judged by themselves, in their setting, and as answers to the opponent's last
/// move and to the side's own last three (continuation history); noisy moves by their gain.
#[derive(Debug)]
pub(crate) struct History {
    /// Number of different move indices.
    len: usize,
    quiet: [Vec<i16>; 2],
    noisy: Vec<i16>,
    /// After the opponent's move; after moves of the same side.
    continuation: [Vec<i16>; 2],
    /// By setting.
    settings: Vec<i16>,
    /// Stands in where nothing was played before.
    nothing: Vec<i16>,
    /// By structure, side to move and key.
    corrections: Vec<i16>,
    pub(crate) evaluations: KeptEvaluations,
}

/// The context that the history of quiet moves at a node depends on.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Before {
    /// The history indices of the moves one, two, four and six plies before; `None` for a pass or
    /// before the root.
    pub(crate) moves: [Option<usize>; 4],
    /// The [setting](Heuristics::setting_key).
    pub(crate) setting: u64,
}

/// The keys by which the evaluation is corrected.
pub(crate) type Structures = Option<[u64; STRUCTURES]>;

/// Entries of each table of corrections; a power of two.
const CORRECTIONS: usize = 1 << 14;
/// Number of settings distinguished; a power of two.
const SETTINGS: usize = 1 << 9;
/// The tables of continuation history that the moves before belong to: answers to the opponent's
/// move, or to the side's own.
const CONTINUATIONS: [usize; 4] = [0, 1, 1, 1];

/// The history of quiet moves at one node.
#[derive(Clone, Copy)]
pub(crate) struct Experience<'a> {
    quiet: &'a [i16],
    after: [&'a [i16]; 4],
    setting: &'a [i16],
}

impl Experience<'_> {
    /// Prefetches what is far away of the history of the move of this index.
    #[inline]
    pub(crate) fn prefetch(&self, index: usize) {
        for row in self.after {
            memory::prefetch(&row[index]);
        }
        memory::prefetch(&self.setting[index]);
    }

    /// The history of the move of this index, five times `HISTORY_MAX` at most.
    #[inline]
    pub(crate) fn of(&self, index: usize) -> i32 {
        let here = i32::from(self.quiet[index]) + i32::from(self.setting[index]);
        together(here, self.after.map(|row| i32::from(row[index])))
    }
}

/// The history of a move by itself and in its setting, and as an answer to the moves one, two, four and six plies
/// before.
#[inline]
const fn together(here: i32, after: [i32; 4]) -> i32 {
    let [one, two, four, six] = after;
    // Moves further back say less about this one.
    here + one + two + four / 2 + six / 2
}

impl History {
    /// An empty history; `None` if there is no memory for it.
    pub(crate) fn new<G: Heuristics>() -> Option<Self> {
        let len = G::HISTORY_LEN;
        let pairs = len * len;
        Some(Self {
            len,
            quiet: [zeros(len)?, zeros(len)?],
            noisy: zeros(len * G::GAINS)?,
            continuation: [zeros(pairs)?, zeros(pairs)?],
            settings: zeros(SETTINGS * len)?,
            nothing: zeros(len)?,
            corrections: zeros(STRUCTURES * 2 * CORRECTIONS)?,
            evaluations: KeptEvaluations::new::<G>()?,
        })
    }

    /// Forgets everything but the evaluations.
    pub(crate) fn clear(&mut self) {
        for table in self.quiet.iter_mut().chain(&mut self.continuation) {
            table.fill(0);
        }
        self.settings.fill(0);
        self.noisy.fill(0);
        self.corrections.fill(0);
        // With the same evaluator, the evaluation of a position is the same in every game.
    }

    /// The history of quiet moves of `side` where these moves were played before.
    #[inline]
    pub(crate) fn experience(&self, side: Side, before: Before) -> Experience<'_> {
        let row = |table: usize, first: Option<usize>| match first {
            Some(first) => &self.continuation[table][first * self.len..(first + 1) * self.len],
            // A row of zeros instead of a branch for each move that is ranked.
            None => &self.nothing[..],
        };
        let [one, two, four, six] = before.moves;
        let [a, b, c, d] = CONTINUATIONS;
        let after = [row(a, one), row(b, two), row(c, four), row(d, six)];
        let setting = &self.settings[self.setting_row(before)..][..self.len];
        Experience { quiet: &self.quiet[side.index()], after, setting }
    }

    /// [`Experience::of`] for one move.
    #[inline]
    pub(crate) fn experience_of(&self, side: Side, before: Before, index: usize) -> i32 {
        let setting = self.settings[self.setting_row(before) + index];
        let after = |i: usize| match before.moves[i] {
            Some(first) => i32::from(self.continuation[CONTINUATIONS[i]][first * self.len + index]),
            None => 0,
        };
        together(
            self.quiet(side, index) + i32::from(setting),
            [after(0), after(1), after(2), after(3)],
        )
    }

    const fn setting_row(&self, before: Before) -> usize {
        (before.setting as usize & (SETTINGS - 1)) * self.len
    }

    /// The history of a quiet move by itself.
    #[inline]
    pub(crate) fn quiet(&self, side: Side, index: usize) -> i32 {
        i32::from(self.quiet[side.index()][index])
    }

    /// The history of a noisy move; 0 where none is kept.
    #[inline]
    pub(crate) fn noisy(&self, slot: usize) -> i32 {
        self.noisy.get(slot).copied().map_or(0, i32::from)
    }

    /// Records that a quiet move did well (`bonus` above 0) or badly.
    pub(crate) fn note_quiet(&mut self, side: Side, index: usize, before: Before, bonus: i32) {
        pull(&mut self.quiet[side.index()][index], bonus, HISTORY_MAX);
        self.note_answer(index, before, bonus);
    }

    /// Records that a quiet move did well or badly as an answer to those before it.
    pub(crate) fn note_answer(&mut self, index: usize, before: Before, bonus: i32) {
        let in_setting = self.setting_row(before) + index;
        pull(&mut self.settings[in_setting], bonus, HISTORY_MAX);
        for (table, first) in CONTINUATIONS.into_iter().zip(before.moves) {
            if let Some(first) = first {
                let at = first * self.len + index;
                pull(&mut self.continuation[table][at], bonus, HISTORY_MAX);
            }
        }
    }

    /// Records that a noisy move did well or badly.
    pub(crate) fn note_noisy(&mut self, slot: usize, bonus: i32) {
        if let Some(value) = self.noisy.get_mut(slot) {
            pull(value, bonus, HISTORY_MAX);
        }
    }

    /// Prefetches the corrections of these keys.
    #[inline]
    pub(crate) fn prefetch_corrections(&self, side: Side, keys: &Structures) {
        let Some(keys) = keys else { return };
        for (i, &key) in keys.iter().enumerate() {
            memory::prefetch(&self.corrections[slot(i, side, key)]);
        }
    }

    /// The correction of the static evaluation, in centipawns.
    pub(crate) fn correction(&self, tunables: &Tunables, side: Side, keys: &Structures) -> i32 {
        let Some(keys) = keys else { return 0 };
        let sum: i32 =
            (0..STRUCTURES).map(|i| i32::from(self.corrections[slot(i, side, keys[i])])).sum();
        sum * tunables.correction_weight / CORRECTION_MAX
    }

    /// Records that search found a value `error` centipawns above the static evaluation.
    pub(crate) fn note_error(
        &mut self,
        tunables: &Tunables,
        side: Side,
        keys: &Structures,
        error: i32,
        depth: i32,
    ) {
        let Some(keys) = keys else { return };
        // A quarter of the range at most, so that no single search outweighs all before it.
        let most = CORRECTION_MAX / 4;
        let bonus = (error * depth / tunables.correction_step).clamp(-most, most);
        for (i, &key) in keys.iter().enumerate() {
            pull(&mut self.corrections[slot(i, side, key)], bonus, CORRECTION_MAX);
        }
    }
}

fn slot(structure: usize, side: Side, key: u64) -> usize {
    // Two structures with the same low bits share a slot; the error this makes is small and passes.
    let low = key as usize & (CORRECTIONS - 1);
    (2 * structure + side.index()) * CORRECTIONS + low
}

fn zeros(len: usize) -> Option<Vec<i16>> {
    let mut table = Vec::new();
    table.try_reserve_exact(len).ok()?;
    memory::prefer_large_pages(&mut table);
    table.resize(len, 0);
    Some(table)
}

/// The bonus of a move that cut off a node of this depth.
pub(crate) fn bonus(tunables: &Tunables, depth: i32) -> i32 {
    (tunables.history_bonus * depth - tunables.history_bonus_base)
        .clamp(0, tunables.history_bonus_max)
}

/// The penalty of the moves that were tried before it.
pub(crate) fn penalty(tunables: &Tunables, depth: i32) -> i32 {
    -bonus(tunables, depth) * tunables.history_penalty / 100
}

/// Moves a value towards the bonus's bound, the less the nearer it is already.
fn pull(value: &mut i16, bonus: i32, most: i32) {
    let old = i32::from(*value);
    // The pull shrinks as the value grows, so that it never passes `most` and recent results outweigh old
    // ones.
    *value = (old + bonus - old * bonus.abs() / most) as i16;
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn values_stay_in_bounds(bonuses in prop::collection::vec(-8_192..=8_192, 0..500)) {
            let mut value = 0;
            for bonus in bonuses {
                pull(&mut value, bonus, HISTORY_MAX);
                prop_assert!(i32::from(value).abs() <= HISTORY_MAX);
            }
        }
    }

    #[test]
    fn one_move_has_the_experience_of_its_row() {
        let mut history = History::new::<crate::xiangqi::Position>().unwrap();
        let before = Before { moves: [Some(3), None, Some(5), Some(7)], setting: 11 };
        history.note_quiet(Side::First, 17, before, 1_000);
        history.note_quiet(Side::First, 17, Before { setting: 12, ..before }, -300);
        for side in Side::ALL {
            for index in [16, 17] {
                let of_row = history.experience(side, before).of(index);
                assert_eq!(history.experience_of(side, before, index), of_row);
            }
        }
        assert!(history.experience_of(Side::First, before, 17) > 0);
    }

    #[test]
    fn corrections_follow_the_error_within_bounds() {
        let tunables = crate::xiangqi::Position::TUNABLES;
        let mut history = History::new::<crate::xiangqi::Position>().unwrap();
        let keys = Some([1, 2, 3, 4]);
        assert_eq!(history.correction(&tunables, Side::First, &keys), 0);
        for _ in 0..10_000 {
            history.note_error(&tunables, Side::First, &keys, 500, 20);
        }
        let most = history.correction(&tunables, Side::First, &keys);
        assert!(most > 0 && most <= 4 * tunables.correction_weight);
        assert_eq!(history.correction(&tunables, Side::Second, &keys), 0);
        assert_eq!(history.correction(&tunables, Side::First, &None), 0);
    }
}
