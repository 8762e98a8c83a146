use crate::hash::Key;

use super::{Game, MoveList, Outcome};

/// Number of [structure keys](Heuristics::structure_keys).
pub const STRUCTURES: usize = 4;

/// The [phase](Heuristics::phase) of a game that has just begun.
pub const PHASES: i32 = 32;

/// What alpha-beta search needs beside the rules. Scores are centipawns-like integers from the
/// point of view of the side to move.
pub trait Heuristics: Game {
    /// Whether passing is worse than any move often enough for null-move pruning to be sound.
    const NULL_MOVE: bool;

    /// Whether every answer to a threat is searched a ply deeper; otherwise only one that is the only
    /// one.
    const EXTENDS_THREATS: bool = false;

    /// Upper bound (exclusive) of [`history_index`](Self::history_index).
    const HISTORY_LEN: usize;

    /// Kinds of gains that [`gain_index`](Self::gain_index) tells apart; 0 where experience with
    /// forcing moves is not worth keeping.
    const GAINS: usize = 0;

    /// Static evaluation for the side to move; symmetric in the sides and below the mate range
    /// (absolute value at most 20,000).
    fn evaluate(&self) -> i32;

    /// Whether the side to move is under a threat that must be answered (xiangqi: in check).
    fn is_threatened(&self) -> bool;

    /// Whether the side to move has no legal move, asked only where it is not
    /// [threatened](Self::is_threatened) and [`abrupt_outcome`](Self::abrupt_outcome) says nothing: the
    /// static evaluation must not be taken for the value there. Asked at most nodes, so the answer has
    /// to be quick where there are moves.
    fn is_stuck(&self) -> bool {
        false
    }

    /// Whether `mv` makes a threat that must be answered (xiangqi: gives check). A guess that is
    /// always `false` only costs depth.
    fn creates_threat(&self, mv: Self::Move) -> bool {
        let _ = mv;
        false
    }

    /// The key of the position after a plausible move, if it is cheaper than making the move. Only a
    /// hint: the key of another position costs time, nothing else.
    fn key_after(&self, mv: Self::Move) -> Key {
        let _ = mv;
        self.key()
    }

    /// The result that quiescence search must know of before it evaluates. Games whose positions
    /// end otherwise than by threats too rarely to be worth a look may answer `None`.
    fn abrupt_outcome(&self) -> Option<Outcome> {
        self.outcome()
    }

    /// Appends the moves that search tries at all: every legal move, or less where the rest is known
    /// to be no better (gomoku: what stops a four). At least one where there is a legal move.
    fn plausible_moves(&self, moves: &mut MoveList<Self::Move>) {
        self.legal_moves(moves);
    }

    /// Appends the [plausible](Self::plausible_moves) moves that are [forcing](Self::is_forcing).
    fn plausible_forcing(&self, moves: &mut MoveList<Self::Move>) {
        self.plausible_moves(moves);
        moves.retain(|mv| self.is_forcing(*mv));
    }

    /// Appends the [plausible](Self::plausible_moves) moves that are not forcing.
    fn plausible_quiets(&self, moves: &mut MoveList<Self::Move>) {
        self.plausible_moves(moves);
        moves.retain(|mv| !self.is_forcing(*mv));
    }

    /// Whether `mv`, any move of the type, is plausible here: legal, and not one that
    /// [`plausible_moves`](Self::plausible_moves) leaves out.
    fn is_plausible(&self, mv: Self::Move) -> bool {
        self.is_legal(mv)
    }

    /// Appends the legal moves that quiescence search tries (xiangqi: captures).
    fn forcing_moves(&self, moves: &mut MoveList<Self::Move>);

    /// Appends quiet moves that make a threat and are worth a look where depth has run out (xiangqi:
    /// checks).
    fn quiet_threats(&self, moves: &mut MoveList<Self::Move>) {
        let _ = moves;
    }

    /// Whether `mv` changes the balance at once (xiangqi: captures something).
    fn is_forcing(&self, mv: Self::Move) -> bool;

    /// The order of forcing moves: greater first (xiangqi: most valuable victim, least valuable
    /// attacker).
    fn forcing_value(&self, mv: Self::Move) -> i32;

    /// The material that `mv` wins or loses after all exchanges on its target square (static
    /// exchange evaluation); 0 where the game has no exchanges.
    fn exchange_value(&self, mv: Self::Move) -> i32;

    /// Whether [`exchange_value`](Self::exchange_value) is `least` or more; often cheaper to tell.
    fn exchange_reaches(&self, mv: Self::Move, least: i32) -> bool {
        self.exchange_value(mv) >= least
    }

    /// What a forcing move gains before any answer (xiangqi: the man taken).
    fn immediate_gain(&self, mv: Self::Move) -> i32 {
        self.exchange_value(mv)
    }

    /// The kind of a forcing move's gain (xiangqi: the role taken), below [`GAINS`](Self::GAINS).
    fn gain_index(&self, mv: Self::Move) -> usize {
        let _ = mv;
        0
    }

    /// Keys of parts of the position whose evaluation tends to err alike (xiangqi: the pawns, the
    /// guards, the other men of each side); `None` where errors are not learned.
    fn structure_keys(&self) -> Option<[u64; STRUCTURES]> {
        None
    }

    /// Low bits: what good quiet moves depend on most, and changes least (xiangqi: the pawns). Where
    /// nothing does, always the same.
    fn setting_key(&self) -> u64 {
        0
    }

    /// How much there is left to win or lose the game with, from 0 to [`PHASES`].
    fn phase(&self) -> i32 {
        PHASES
    }

    /// A static guess of a quiet move's worth, for what cannot be learned fast enough by history
    /// (xiangqi: men that flee from cheaper ones; gomoku: the point's value); 0 is fine.
    fn quiet_values(&self) -> impl Fn(Self::Move) -> i32;

    /// Where history statistics for `mv` are kept: piece and target, below
    /// [`HISTORY_LEN`](Self::HISTORY_LEN).
    fn history_index(&self, mv: Self::Move) -> usize;

    /// Whether null-move pruning may be tried here (enough attacking material left).
    fn allows_null_move(&self) -> bool;

    /// Passes. Only where the side to move is not [threatened](Self::is_threatened).
    fn make_null(&mut self) -> Self::Undo;

    /// Takes back [`make_null`](Self::make_null).
    fn unmake_null(&mut self, undo: Self::Undo);
}
