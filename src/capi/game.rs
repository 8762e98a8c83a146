//! Games: a position with its past, for legal moves and the verdicts of the rules.

use std::ffi::c_char;
use std::sync::{Mutex, MutexGuard};

use super::arguments::{self, MAX_TEXT, Output, OutputArray, TextBuffer, fixed_text};
use super::board::{
    JZ_RULES_ASIAN, JZ_RULES_CHECK, JZ_RULES_CHINESE, JZ_RULES_COMPUTER, JZ_RULES_NONE, JZ_SQUARES,
    JzMove, board_of, outcome_number, setup_of_fen,
};
use super::registry::Registry;
use super::status::{
    Failure, JZ_ERROR_INTERNAL, JZ_ERROR_NO_MOVE, JZ_ERROR_NUMBER, JzStatus, guarded,
};
use crate::game::{Adjudicate, Game, Horizon, Line, MoveList, Side};
use crate::xiangqi::notation::parse_move;
use crate::xiangqi::{Position, RuleSet, Setup};

/// A handle of a game; 0 is none. Threads that use one game at the same time wait for each other.
pub type JzGame = u64;

/// The state of a game.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JzGameState {
    /// `JZ_GOES_ON`, `JZ_RED_WINS`, `JZ_BLACK_WINS` or `JZ_DRAWN`.
    pub outcome: i32,
    /// How often the position has occurred since the last capture, 1 if never before.
    pub occurrences: u32,
    /// Plies since the last capture.
    pub quiet_plies: u32,
    /// 1 if the side to move is in check, else 0.
    pub in_check: u32,
    /// The reason of the outcome, such as `checkmate` or `perpetual check`; empty while the game goes on.
    pub reason: [c_char; 64],
}

static GAMES: Registry<Mutex<Play>, 1> = Registry::new(2);

/// A game and its rules.
#[derive(Debug)]
struct Play {
    line: Line<Position>,
    rules: RuleSet,
}

impl Play {
    fn new(position: Position, setup: &Setup, rules: RuleSet) -> Self {
        // Pairs of moves are numbered from 1.
        let pairs = setup.fullmoves.saturating_sub(1) as usize;
        let ply = 2 * pairs + usize::from(setup.turn == Side::Second);
        Self { line: Line::new(position, setup.halfmove_clock).begun_at(ply), rules }
    }

    fn fen(&self) -> String {
        let mut setup = self.line.position().to_setup();
        setup.halfmove_clock = self.line.clock();
        setup.fullmoves = (self.line.game_ply() / 2 + 1) as u32;
        setup.to_fen()
    }

    fn state(&self) -> JzGameState {
        let position = self.line.position();
        let judgement = Position::judge(&self.line, self.rules, Horizon::Game);
        let (outcome, reason) = match position.outcome() {
            None => (judgement.verdict.outcome(), judgement.reason.unwrap_or_default()),
            mated if position.in_check() => (mated, "checkmate"),
            stalemated => (stalemated, "stalemate"),
        };
        JzGameState {
            outcome: outcome_number(outcome),
            occurrences: self.line.earlier_occurrences().count() as u32 + 1,
            quiet_plies: self.line.clock(),
            in_check: u32::from(position.in_check()),
            reason: fixed_text(if outcome.is_some() { reason } else { "" }),
        }
    }
}

fn rules_of(number: i32) -> Result<RuleSet, Failure> {
    match number {
        JZ_RULES_NONE => Ok(RuleSet::None),
        JZ_RULES_CHECK => Ok(RuleSet::Check),
        JZ_RULES_ASIAN => Ok(RuleSet::Asian),
        JZ_RULES_COMPUTER => Ok(RuleSet::Computer),
        JZ_RULES_CHINESE => Ok(RuleSet::Chinese),
        _ => Err(Failure::new(JZ_ERROR_NUMBER, "there are no such rules")),
    }
}

/// Does something with a game.
fn with_game<T>(
    game: JzGame,
    run: impl FnOnce(&mut MutexGuard<'_, Play>) -> Result<T, Failure>,
) -> Result<T, Failure> {
    let found = GAMES.find(game)?;
    let mut play = found.lock().map_err(|_| Failure::of(JZ_ERROR_INTERNAL))?;
    run(&mut play)
}

/// Begins a game at a FEN, with its counters, or at the start of a game if `fen` is null, under the rules
/// `JZ_RULES_…`. All but `JZ_RULES_NONE` draw after 60 moves of each side without a capture.
///
/// # Safety
///
/// `fen` is null or ends with NUL, `game` is writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn jz_game_open(
    fen: *const c_char,
    rules: i32,
    game: *mut JzGame,
) -> JzStatus {
    guarded(|| {
        // SAFETY: `game` is writable, as the caller promises.
        let game = unsafe { Output::new(game)? };
        let (position, setup) = if fen.is_null() {
            let start = Position::start();
            let setup = start.to_setup();
            (start, setup)
        } else {
            // SAFETY: `fen` ends with NUL, as the caller promises.
            unsafe { setup_of_fen(fen)? }
        };
        let play = Play::new(position, &setup, rules_of(rules)?);
        game.set(GAMES.open(Mutex::new(play))?);
        Ok(())
    })
}

/// Closes a game. Calls under way in other threads end as if it were open; later ones fail with `JZ_ERROR_CLOSED`.
#[unsafe(no_mangle)]
pub extern "C" fn jz_game_close(game: JzGame) -> JzStatus {
    guarded(|| GAMES.close(game))
}

/// Plays a legal move, in any notation: `h2e2`, `H2-E2`, `C2=5` or `炮二平五`. The rules may have ended the game: it
/// can go on nevertheless, as long as there are moves.
///
/// # Safety
///
/// `text` ends with NUL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn jz_game_push(game: JzGame, text: *const c_char) -> JzStatus {
    guarded(|| {
        // SAFETY: `text` ends with NUL, as the caller promises.
        let text = unsafe { arguments::text(text, MAX_TEXT)? };
        with_game(game, |play| {
            let mv = parse_move(play.line.position(), text)?;
            play.line.push(mv);
            Ok(())
        })
    })
}

/// Takes the last move back; `JZ_ERROR_NO_MOVE` at the start.
#[unsafe(no_mangle)]
pub extern "C" fn jz_game_pop(game: JzGame) -> JzStatus {
    guarded(|| {
        let popped = with_game(game, |play| Ok(play.line.pop()))?;
        if popped { Ok(()) } else { Err(Failure::of(JZ_ERROR_NO_MOVE)) }
    })
}

/// Writes the FEN of a game's position, with its counters; `JZ_FEN_SIZE` bytes are room enough.
///
/// # Safety
///
/// `buffer` points to `capacity` writable bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn jz_game_fen(
    game: JzGame,
    buffer: *mut c_char,
    capacity: usize,
) -> JzStatus {
    guarded(|| {
        // SAFETY: `buffer` points to `capacity` writable bytes, as the caller promises.
        let buffer = unsafe { TextBuffer::new(buffer, capacity)? };
        buffer.write(&with_game(game, |play| Ok(play.fen()))?)
    })
}

/// Writes the piece on each of the `JZ_SQUARES` squares of a game's position, and the side to move.
///
/// # Safety
///
/// `board` points to `JZ_SQUARES` writable bytes, `turn` is writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn jz_game_board(game: JzGame, board: *mut u8, turn: *mut i32) -> JzStatus {
    guarded(|| {
        // SAFETY: `board` points to `JZ_SQUARES` writable bytes, as the caller promises.
        let board = unsafe { Output::new(board.cast::<[u8; JZ_SQUARES]>())? };
        // SAFETY: `turn` is writable, as the caller promises.
        let turn = unsafe { Output::new(turn)? };
        let (squares, side) = with_game(game, |play| Ok(board_of(play.line.position())))?;
        board.set(squares);
        turn.set(side);
        Ok(())
    })
}

/// Lists the legal moves of a game's position; `JZ_MAX_MOVES` are room enough.
///
/// # Safety
///
/// `moves` points to `capacity` writable moves, `count` is writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn jz_game_moves(
    game: JzGame,
    moves: *mut JzMove,
    capacity: usize,
    count: *mut usize,
) -> JzStatus {
    guarded(|| {
        // SAFETY: `moves` has room for `capacity`, and `count` is writable, as the caller promises.
        let moves = unsafe { OutputArray::new(moves, capacity, count)? };
        let mut legal = MoveList::new();
        with_game(game, |play| {
            play.line.position().legal_moves(&mut legal);
            Ok(())
        })?;
        moves.set(legal.iter().map(|&mv| mv.into()))
    })
}

/// Judges a game by its rules: mate, stalemate, the third occurrence of a position, moves without a capture, and
/// pieces with which nobody can win.
///
/// # Safety
///
/// `state` is writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn jz_game_state(game: JzGame, state: *mut JzGameState) -> JzStatus {
    guarded(|| {
        // SAFETY: `state` is writable, as the caller promises.
        let state = unsafe { Output::new(state)? };
        state.set(with_game(game, |play| Ok(play.state()))?);
        Ok(())
    })
}
