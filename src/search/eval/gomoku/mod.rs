//! The evaluation and move ordering that search needs for gomoku.
//!
//! Positions that threats decide at once are scored as decided: a row that can be completed, two completions of the
//! opponent, an open four that cannot be met in time. Otherwise the evaluation is the sum of the values of the empty points
//! by what both players' stones would make there ([`ThreatCounts`](crate::gomoku::ThreatCounts)), and of the strong threats together.

mod candidates;
mod evaluation;
mod fours;
mod order;
mod point_values;

pub use evaluation::{GROUPS, PARTS, Term, TermKind, class_parameters, counted, terms, weights};
pub use point_values::Urgency;

use crate::game::{Game, Heuristics, MoveList, StaticEvaluator, Tunables, WinModel};
use crate::gomoku::{Board, Point, Threat, Undo};
use crate::hash::Key;
use crate::hash::gomoku::POINTS;
use evaluation::balance;
use order::ORDER;

/// Completes a row with the next stone.
const FIVE: i32 = 19_000;

/// Faces two completions and has none.
const TWO_FIVES: i32 = 18_000;

/// Makes two completions with the next stone, and the opponent has nothing that comes first.
const OPEN_FOUR: i32 = 17_000;

/// Bound of the scores that rest on values alone.
const VALUE_LIMIT: i32 = 15_000;

/// Boards of up to this many points are searched without leaving out a point.
const SMALL_BOARD: u16 = 36;

impl Board {
    /// The value of a position that threats decide at once, for the side to move.
    #[inline]
    fn decisive_threat(&self) -> Option<i32> {
        let own = self.counts(self.turn());
        let other = self.counts(!self.turn());
        if own.of(Threat::Five) > 0 {
            Some(FIVE)
        } else if other.of(Threat::Five) > 1 {
            Some(-TWO_FIVES)
        } else {
            let wins = other.of(Threat::Five) == 0
                && own.of(Threat::OpenFour) > 0
                && !self.has_fours(!self.turn());
            wins.then_some(OPEN_FOUR)
        }
    }
}

impl Heuristics for Board {
    type Evaluator = StaticEvaluator;

    /// A stone more is never a burden, but a pass in front of a threat loses at once, and the game
    /// consists of threats.
    const NULL_MOVE: bool = false;
    const EXTENDS_THREATS: bool = true;
    const SOLVES_LEAVES: bool = true;
    const WIN_MODEL: WinModel = WinModel { centre: 4.0, centre_ending: 0.0, spread: 108.0 };
    /// Most were found by SPSA (Spall 1992) in games of 3,000 positions a move (`docs/lab/search-steps.md`), the others set
    /// by hand; some are of no use without null moves, gains of captures and corrections.
    const TUNABLES: Tunables = Tunables {
        aspiration: 14,
        aspiration_growth: 70,
        reverse_futility_margin: 30,
        reverse_futility_unknown: 10,
        reverse_futility_correction: 0,
        worsening_margin: 2,
        razor_base: 2,
        razor_margin: 15,
        null_eval_base: 130,
        null_eval_margin: 15,
        null_reduction_margin: 120,
        probcut_margin: 150,
        tt_probcut_margin: 253,
        singular_margin: 17,
        double_margin: 71,
        futility_base: 105,
        futility_margin: 59,
        futility_history: 250,
        take_futility_base: 150,
        take_futility_margin: 120,
        take_futility_history: 100,
        late_base: 0,
        history_pruning_margin: 9_515,
        exchange_noisy: 90,
        exchange_quiet: 25,
        delta_margin: 160,
        fade: 0,
        lmr_divisor: 1_348,
        lmr_base: 33,
        lmr_cut: 223,
        lmr_not_improving: 142,
        lmr_many_cutoffs: 200,
        lmr_correction: 0,
        lmr_tt_noisy: 160,
        lmr_pv: 166,
        lmr_check: -17,
        lmr_evasion: -171,
        lmr_noisy: 300,
        lmr_noisy_history: 8_000,
        lmr_history: 7_945,
        deeper_margin: -7,
        shallower_margin: 8,
        hindsight_margin: 159,
        threat_bonus: 719,
        threat_risk: 60,
        noisy_history: 48,
        history_bonus: 70,
        history_bonus_base: 60,
        history_bonus_max: 1_800,
        history_penalty: 100,
        history_unanswered: 128,
        history_surprise: 128,
        history_table_cut: 128,
        correction_step: 8,
        correction_weight: 40,
    };
    const HISTORY_LEN: usize = 2 * POINTS;

    fn evaluate(&self) -> i32 {
        self.decisive_threat().unwrap_or_else(|| {
            let own = self.counts(self.turn());
            let other = self.counts(!self.turn());
            balance(own, other).clamp(-VALUE_LIMIT, VALUE_LIMIT)
        })
    }

    /// Returns true if the opponent would complete a row, or the game is over: nothing may be
    /// concluded from the evaluation then.
    fn in_check(&self) -> bool {
        let own = self.counts(self.turn());
        let other = self.counts(!self.turn());
        self.outcome().is_some() || own.of(Threat::Five) == 0 && other.of(Threat::Five) > 0
    }

    /// A win by continuous fours.
    fn forced_win(&self) -> Option<u32> {
        fours::win(self, fours::LEAF_NODES)
    }

    /// All moves but four kinds. Where a row can be completed, nothing else is tried; where the
    /// opponent's must be stopped, only that; where the opponent threatens an open four, only what may stop it, and
    /// own fours: all three lose nothing. On larger boards points far from every stone are left out
    /// ([`Board::near_stones`]); the first stone goes to the middle.
    fn plausible_moves(&self, moves: &mut MoveList<Point>) {
        moves.extend(self.candidates().iter());
    }

    /// A stone that completes a row, else one that stops the opponent's row, else those that make
    /// an open four or two fours.
    fn noisy_moves(&self, moves: &mut MoveList<Point>) {
        let own = self.counts(self.turn());
        let other = self.counts(!self.turn());
        if own.of(Threat::Five) > 0 || other.of(Threat::Five) > 0 || own.of(Threat::OpenFour) > 0 {
            self.plausible_noisy(moves);
        }
    }

    fn plausible_noisy(&self, moves: &mut MoveList<Point>) {
        moves.extend(self.candidates().iter().filter(|&mv| self.is_noisy(mv)));
    }

    fn plausible_quiets(&self, moves: &mut MoveList<Point>) {
        moves.extend(self.candidates().iter().filter(|&mv| !self.is_noisy(mv)));
    }

    fn is_plausible(&self, mv: Point) -> bool {
        self.candidates().contains(mv)
    }

    /// Returns true if the stone completes a row or two completions, or stops a row.
    fn is_noisy(&self, mv: Point) -> bool {
        self.threat(self.turn(), mv) >= Threat::OpenFour
            || self.threat(!self.turn(), mv) == Threat::Five
    }

    fn creates_threat(&self, mv: Point) -> bool {
        let threat = self.threat(self.turn(), mv);
        threat >= Threat::Three
    }

    fn key_after(&self, mv: Point) -> Key {
        self.key_after_move(mv)
    }

    fn noisy_value(&self, mv: Point) -> i32 {
        self.urgency(mv) as i32
    }

    /// Nothing is exchanged, but no move that wins may seem hopeless.
    fn exchange_value(&self, mv: Point) -> i32 {
        if self.threat(self.turn(), mv) >= Threat::OpenFour { FIVE } else { 0 }
    }

    fn quiet_values(&self) -> impl Fn(Point) -> i32 {
        move |mv| {
            let [own, other] =
                class_parameters(self, mv).map(|parameter| i32::from(ORDER[parameter]));
            own + other - self.eccentricity(mv)
        }
    }

    fn history_index(&self, mv: Point) -> usize {
        self.turn().index() * POINTS + mv.index()
    }

    fn allows_null_move(&self) -> bool {
        false
    }

    fn pass(&mut self) -> Undo {
        self.switch_turn();
        self.undo_nothing()
    }

    fn unpass(&mut self, _undo: Undo) {
        self.switch_turn();
    }
}
