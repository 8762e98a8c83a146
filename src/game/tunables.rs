//! Numbers of the search that each game sets for itself.

use std::ops::RangeInclusive;

/// Bound of most numbers: far beyond every margin, reduction and history that is of use, and so small that
/// the products that search makes of them fit into 32 bits.
const MOST: i32 = 1 << 15;

/// Defines the numbers, each with the range of what can be searched with, and by how much it is changed at the end of a
/// tuning to see what it does.
macro_rules! tunables {
    ($(#[$about:meta])* pub struct Tunables { $($(#[$doc:meta])* $name:ident: $range:expr, by $step:expr;)* }) => {
        $(#[$about])*
        pub struct Tunables {
            $($(#[$doc])* pub $name: i32,)*
        }

        impl Tunables {
            /// Names of the numbers.
            pub const NAMES: [&str; Self::COUNT] = [$(stringify!($name)),*];
            /// What can be searched with, in the order of [`NAMES`](Self::NAMES).
            pub const RANGES: [RangeInclusive<i32>; Self::COUNT] = [$($range),*];
            /// By how much each is changed at the end of a tuning to see what it does (at its beginning by more), in the order
            /// of [`NAMES`](Self::NAMES).
            pub const STEPS: [i32; Self::COUNT] = [$($step),*];
            /// How many they are.
            pub const COUNT: usize = [$(stringify!($name)),*].len();

            /// The numbers in the order of [`NAMES`](Self::NAMES).
            #[must_use]
            pub const fn values(&self) -> [i32; Self::COUNT] {
                [$(self.$name),*]
            }

            /// Numbers in the order of [`NAMES`](Self::NAMES), each brought into its range.
            #[must_use]
            pub fn from_values(values: [i32; Self::COUNT]) -> Self {
                let [$($name),*] = values;
                Self { $($name: $name.clamp(*$range.start(), *$range.end())),* }
            }
        }
    };
}

tunables! {
    /// The margins, reductions and weights of search that each game sets for itself and that can be tuned
    /// by games (`cargo xtask spsa`); the depths at which techniques begin and end are the same for all games, in
    /// `search::tunables`. Margins are centipawns, reductions 256ths of a ply, history values run from
    /// -16,384 to 16,384.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct Tunables {
        /// Half the first aspiration window.
        aspiration: 1..=1_000, by 3;
        /// A window that failed grows by this number of hundredths of its size.
        aspiration_growth: 10..=1_000, by 10;
        /// The margin of reverse futility for each ply.
        reverse_futility_margin: -MOST..=MOST, by 8;
        /// Deduction from that margin where a cut is expected of a node without a transposition table move.
        reverse_futility_unknown: -MOST..=MOST, by 5;
        /// Added once, whatever the depth, for each centipawn by which history corrects the evaluation, in 64ths.
        reverse_futility_correction: 0..=512, by 16;
        /// The last move counts as a bad one if the evaluations of its side before it and of the other side after it sum to
        /// more than this.
        worsening_margin: -MOST..=MOST, by 4;
        /// The margin of razoring: a constant ...
        razor_base: -MOST..=MOST, by 27;
        /// ... and this for each squared ply.
        razor_margin: -MOST..=MOST, by 14;
        /// A null move needs a static evaluation that exceeds beta by this ...
        null_eval_base: -MOST..=MOST, by 20;
        /// ... less this for each ply of depth.
        null_eval_margin: -MOST..=MOST, by 4;
        /// Centipawns above beta for each further ply that a null move saves; a divisor.
        null_reduction_margin: 1..=MOST, by 18;
        /// The margin above beta that a capture must reach for probcut.
        probcut_margin: 0..=2_000, by 22;
        /// The margin above beta that a score of the transposition table must reach to cut off without a
        /// search.
        tt_probcut_margin: 0..=2_000, by 37;
        /// The margin by which all other moves must be worse than a singular one, in 16ths of a centipawn a ply.
        singular_margin: 0..=2_000, by 4;
        /// The further margin for two plies of extension.
        double_margin: -MOST..=MOST, by 4;
        /// The gain expected of a quiet move at most, at depth 0.
        futility_base: 0..=MOST, by 20;
        /// The further gain expected for each ply of depth.
        futility_margin: -MOST..=MOST, by 11;
        /// History worth one centipawn of that gain; a divisor.
        futility_history: 1..=MOST, by 37;
        /// The gain expected of a capture at most beyond the captured piece, at depth 0.
        take_futility_base: -MOST..=MOST, by 22;
        /// The further gain expected for each ply of depth.
        take_futility_margin: -MOST..=MOST, by 18;
        /// History of a capture worth one centipawn of that gain; a divisor.
        take_futility_history: 1..=MOST, by 15;
        /// The moves of a node after which quiet ones are left out: this and the squared depth, half of that where the
        /// evaluation is not improving.
        late_base: 0..=MOST, by 1;
        /// The history below which a quiet move counts as bad, negated, for each ply.
        history_pruning_margin: -MOST..=MOST, by 675;
        /// The material that a noisy move may lose for each ply.
        exchange_noisy: -MOST..=MOST, by 15;
        /// The material that a quiet move may lose for each squared ply, late-move reductions deducted.
        exchange_quiet: -MOST..=MOST, by 5;
        /// The gain expected of a capture in quiescence at most beyond the captured piece.
        delta_margin: -MOST..=MOST, by 24;
        /// The part that the evaluation loses for each of up to 120 plies since a capture, in 16,384ths.
        fade: 0..=128, by 12;
        /// The product of the base-2 logarithms of depth and move number, times 256, is divided by this.
        lmr_divisor: 1..=MOST, by 80;
        /// The constant part of late-move reductions.
        lmr_base: -MOST..=MOST, by 40;
        /// Added where a cut is expected.
        lmr_cut: -MOST..=MOST, by 48;
        /// Added where the evaluation is not better than a turn ago.
        lmr_not_improving: -MOST..=MOST, by 30;
        /// Added where many moves of the node were refuted already.
        lmr_many_cutoffs: -MOST..=MOST, by 30;
        /// Less for each four centipawns by which history corrects the evaluation.
        lmr_correction: 0..=512, by 8;
        /// Added for quiet moves where the transposition table's move is noisy.
        lmr_tt_noisy: -MOST..=MOST, by 24;
        /// Less on the principal variation, and where it once ran.
        lmr_pv: -MOST..=MOST, by 36;
        /// Less for a check, or a threat in games without check.
        lmr_check: -MOST..=MOST, by 38;
        /// Less for moves out of check.
        lmr_evasion: -MOST..=MOST, by 38;
        /// Less for a noisy move.
        lmr_noisy: -MOST..=MOST, by 45;
        /// History of a noisy move that is worth one ply; a divisor.
        lmr_noisy_history: 1..=MOST, by 1_200;
        /// History of a quiet move that is worth one ply; a divisor.
        lmr_history: 1..=MOST, by 1_500;
        /// A reduced search that beats the best score by this is repeated a ply deeper.
        deeper_margin: -MOST..=MOST, by 10;
        /// A reduced search that beats the best score by less than this is repeated a ply less deep.
        shallower_margin: -MOST..=MOST, by 3;
        /// A reduced move that made its side's evaluation worse by this is searched a ply less deep.
        hindsight_margin: -MOST..=MOST, by 22;
        /// The bonus of a check or threat in the order of quiet moves.
        threat_bonus: -MOST..=MOST, by 1_800;
        /// A check or threat earns the bonus if it loses no more than this.
        threat_risk: -MOST..=MOST, by 15;
        /// The weight of history in the order of noisy moves, in 256ths.
        noisy_history: 0..=4_096, by 10;
        /// A cut earns a move this much history for each ply of depth ...
        history_bonus: -MOST..=MOST, by 25;
        /// ... less this ...
        history_bonus_base: 0..=MOST, by 40;
        /// ... and this at most.
        history_bonus_max: 0..=4_096, by 270;
        /// Moves tried in vain lose this percentage of what the cut earns.
        history_penalty: 0..=200, by 15;
        /// The part of the bonus, in 256ths, that a quiet move earns to which no answer is good ...
        history_unanswered: 0..=512, by 24;
        /// ... the part of bonus or penalty of one whose reduced search surprised ...
        history_surprise: 0..=512, by 24;
        /// ... and the part of the bonus of one of the transposition table that cuts off again.
        history_table_cut: 0..=512, by 24;
        /// An error of the evaluation of one centipawn, found one ply deep, counts this much the less; a divisor.
        correction_step: 1..=MOST, by 1;
        /// Centipawns that each structure may correct.
        correction_weight: 0..=1_000, by 8;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_come_back() {
        let values = std::array::from_fn(|i| *Tunables::RANGES[i].end());
        assert_eq!(Tunables::from_values(values).values(), values);
        let far = Tunables::from_values([i32::MIN; Tunables::COUNT]).values();
        assert_eq!(far, Tunables::RANGES.map(|range| *range.start()));
    }
}
