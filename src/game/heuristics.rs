//! The contract that a game signs to be searched: evaluation, order of moves, exchanges.

use crate::hash::Key;

use super::{Game, MoveList, Outcome, Tunables};

/// Number of [structure keys](Heuristics::structure_keys).
pub const STRUCTURES: usize = 4;

/// The [phase](Heuristics::phase) of a game that has just begun.
pub const PHASES: i32 = 32;

/// The chances that centipawns stand for: logistic, as `search::wdl` describes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WinModel {
    /// The score in centipawns at which a win is as likely as not when a game begins ...
    pub centre: f64,
    /// ... and its increase towards the [phase](Heuristics::phase) 0: endings may be harder to win.
    pub centre_ending: f64,
    /// Centipawns from an even chance to 73 %.
    pub spread: f64,
}

/// An evaluation that a search can use, in games that have more than one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum EvaluationKind {
    /// By learned weights.
    #[default]
    Network,
    /// By terms that people have named.
    Classical,
}

impl EvaluationKind {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Network, Self::Classical];

    /// The name of it in options.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Network => "network",
            Self::Classical => "classical",
        }
    }
}

impl std::fmt::Display for EvaluationKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.name())
    }
}

/// An evaluation that there is not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the evaluation is network or classical")]
pub struct UnknownEvaluation;

impl std::str::FromStr for EvaluationKind {
    type Err = UnknownEvaluation;

    fn from_str(text: &str) -> Result<Self, UnknownEvaluation> {
        let found = Self::ALL.into_iter().find(|kind| kind.name() == text);
        found.ok_or(UnknownEvaluation)
    }
}

/// The evaluation of the positions of a search, one after the other: it may keep what it has computed for one for those
/// next to it, which must change the time only.
pub trait Evaluator<G>: Clone + std::fmt::Debug + Send {
    /// A new evaluator of this kind; a game with one evaluation has the same for both.
    fn of_kind(kind: EvaluationKind) -> Self;

    /// The evaluation of a position, `ply` plies after the root, for the side to move; symmetric in the sides and below
    /// the mate range (absolute value at most 20,000).
    fn evaluate(&mut self, position: &G, ply: usize) -> i32;
}

/// The [evaluation](Heuristics::evaluate) of a position by itself.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct StaticEvaluator;

impl<G: Heuristics> Evaluator<G> for StaticEvaluator {
    fn of_kind(_kind: EvaluationKind) -> Self {
        Self
    }

    #[inline]
    fn evaluate(&mut self, position: &G, _ply: usize) -> i32 {
        position.evaluate()
    }
}

/// The functions of a game that alpha-beta search needs beside the rules. Scores are integers like centipawns
/// from the point of view of the side to move.
pub trait Heuristics: Game {
    /// True if passing is worse than any move often enough for null-move pruning to be sound.
    const NULL_MOVE: bool;

    /// True if every answer to a threat is searched a ply deeper; otherwise only the only answer to one is.
    const EXTENDS_THREATS: bool = false;

    /// True if [`forced_win`](Self::forced_win) is worth asking where depth runs out.
    const SOLVES_LEAVES: bool = false;

    /// True if an evaluation costs much more than looking it up in a table of those of other positions.
    const KEEPS_EVALUATIONS: bool = false;

    /// The chances by which reviews give marks: the loss of a move is the loss of expected points by them.
    const WIN_MODEL: WinModel;

    /// The chances of the results of games that its evaluations stand for.
    const RESULT_MODEL: WinModel = Self::WIN_MODEL;

    /// The margins, reductions and weights of search for this game.
    const TUNABLES: Tunables;

    /// The evaluation of the positions of a search.
    type Evaluator: Evaluator<Self>;

    /// True if searches can use either [kind of evaluation](EvaluationKind).
    const HAS_NETWORK: bool = false;

    /// Upper bound (exclusive) of [`history_index`](Self::history_index).
    const HISTORY_LEN: usize;

    /// The number of kinds of gains that [`gain_index`](Self::gain_index) distinguishes; 0 where experience
    /// with noisy moves is not worth keeping.
    const GAINS: usize = 0;

    /// Static evaluation for the side to move; symmetric in the sides and below the mate range
    /// (absolute value at most 20,000).
    fn evaluate(&self) -> i32;

    /// The number of plies in which the side to move wins by means that the game solves itself (gomoku: continuous
    /// fours), if such a win is found quickly.
    fn forced_win(&self) -> Option<u32> {
        None
    }

    /// Returns true if the side to move is under a threat that must be answered (xiangqi: in check; gomoku: the
    /// other side can complete its row with the next move).
    fn in_check(&self) -> bool;

    /// Returns true if the side to move has no legal move, so that the static evaluation must not be used as
    /// the value. Called only where the side is not [in_check](Self::in_check) and
    /// [`abrupt_outcome`](Self::abrupt_outcome) is `None`. Called at most nodes, so it has to be quick where
    /// there are moves.
    fn is_stuck(&self) -> bool {
        false
    }

    /// Returns true if `mv` makes a threat that must be answered (xiangqi: gives check). A guess that is
    /// always `false` only costs depth.
    fn creates_threat(&self, mv: Self::Move) -> bool {
        let _ = mv;
        false
    }

    /// [`creates_threat`](Self::creates_threat) for many moves of the position, for which some work can be done once.
    fn threat_test(&self) -> impl Fn(Self::Move) -> bool {
        |mv| self.creates_threat(mv)
    }

    /// The key of the position after a plausible move, if it is cheaper than making the move. Only a
    /// hint: the key of another position costs time, nothing else.
    fn key_after(&self, mv: Self::Move) -> Key {
        let _ = mv;
        self.key()
    }

    /// The result for which quiescence search must check before it evaluates. Games whose positions end
    /// otherwise than by threats too rarely to be worth a check may return `None`.
    fn abrupt_outcome(&self) -> Option<Outcome> {
        self.outcome()
    }

    /// Appends the moves that search tries at all: every legal move, or fewer where the others are known to
    /// be no better (gomoku: only the moves that stop a four). At least one where there is a legal move.
    fn plausible_moves(&self, moves: &mut MoveList<Self::Move>) {
        self.legal_moves(moves);
    }

    /// Appends the [plausible](Self::plausible_moves) moves that are [noisy](Self::is_noisy).
    fn plausible_noisy(&self, moves: &mut MoveList<Self::Move>) {
        self.plausible_moves(moves);
        moves.retain(|mv| self.is_noisy(*mv));
    }

    /// Appends the [plausible](Self::plausible_moves) moves that are not noisy.
    fn plausible_quiets(&self, moves: &mut MoveList<Self::Move>) {
        self.plausible_moves(moves);
        moves.retain(|mv| !self.is_noisy(*mv));
    }

    /// Returns true if `mv`, any move of the type, is plausible here: legal, and not one that
    /// [`plausible_moves`](Self::plausible_moves) leaves out.
    fn is_plausible(&self, mv: Self::Move) -> bool {
        self.is_legal(mv)
    }

    /// Appends the legal moves that quiescence search tries (xiangqi: captures).
    fn noisy_moves(&self, moves: &mut MoveList<Self::Move>);

    /// Appends quiet moves that make a threat and are worth trying where depth has run out (xiangqi:
    /// checks).
    fn quiet_threats(&self, moves: &mut MoveList<Self::Move>) {
        let _ = moves;
    }

    /// Returns true if `mv` changes the balance at once (xiangqi: a capture).
    fn is_noisy(&self, mv: Self::Move) -> bool;

    /// The order of noisy moves: greater first (xiangqi: most valuable victim, least valuable
    /// attacker).
    fn noisy_value(&self, mv: Self::Move) -> i32;

    /// The material that `mv` wins or loses after all exchanges on its target square (static
    /// exchange evaluation); 0 where the game has no exchanges.
    fn exchange_value(&self, mv: Self::Move) -> i32;

    /// Returns true if [`exchange_value`](Self::exchange_value) is at least `least`; often cheaper than the
    /// value.
    fn exchange_reaches(&self, mv: Self::Move, least: i32) -> bool {
        self.exchange_value(mv) >= least
    }

    /// The gain of a noisy move before any answer (xiangqi: the value of the captured piece).
    fn immediate_gain(&self, mv: Self::Move) -> i32 {
        self.exchange_value(mv)
    }

    /// The kind of a noisy move's gain (xiangqi: the captured role), below [`GAINS`](Self::GAINS).
    fn gain_index(&self, mv: Self::Move) -> usize {
        let _ = mv;
        0
    }

    /// Keys of parts of the position whose evaluation tends to err alike (xiangqi: the pawns, the guards, the
    /// other pieces of each side); `None` where errors are not learned.
    fn structure_keys(&self) -> Option<[u64; STRUCTURES]> {
        None
    }

    /// A key whose low bits describe what good quiet moves depend on most and what changes least (xiangqi:
    /// the pawns). A constant where there is nothing of the kind.
    fn setting_key(&self) -> u64 {
        0
    }

    /// The amount of material left to win or lose the game with, from 0 to [`PHASES`].
    fn phase(&self) -> i32 {
        PHASES
    }

    /// A static guess of a quiet move's value, for what history cannot learn fast enough (xiangqi: pieces
    /// that flee from cheaper ones; gomoku: the point's value); 0 is fine.
    fn quiet_values(&self) -> impl Fn(Self::Move) -> i32;

    /// The index of the history statistics for `mv`, by piece and target; below
    /// [`HISTORY_LEN`](Self::HISTORY_LEN).
    fn history_index(&self, mv: Self::Move) -> usize;

    /// Returns true if null-move pruning may be tried here (enough attacking material left).
    fn allows_null_move(&self) -> bool;

    /// Passes. Only where the side to move is not [in_check](Self::in_check).
    fn pass(&mut self) -> Self::Undo;

    /// Takes back [`pass`](Self::pass).
    fn unpass(&mut self, undo: Self::Undo);
}
