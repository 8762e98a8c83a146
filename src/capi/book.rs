//! Opening books.

use std::ffi::c_char;
use std::path::Path;
use std::sync::Mutex;

use super::arguments::{self, MAX_PATH, Output, OutputArray};
use super::board::{JzMove, position_of_fen};
use super::registry::Registry;
use super::status::{
    Failure, JZ_ERROR_INTERNAL, JZ_ERROR_NO_MOVE, JZ_ERROR_NUMBER, JzStatus, guarded,
};
use crate::book::{Book, BookMove, Policy, SelectOptions, Selector, Value};
use crate::xiangqi::{Move, Position};

/// A handle of an open book; 0 is none. Threads that use one handle at the same time wait for each other: for more
/// speed each thread opens the book for itself.
pub type JzBook = u64;

/// Chooses the move of the greatest assured value if the heaviest has one, else the heaviest.
pub const JZ_POLICY_BEST: i32 = 0;
/// Draws a move in proportion to the weights.
pub const JZ_POLICY_WEIGHTED: i32 = 1;
/// Draws a move by values, the better the likelier: see `temperature`.
pub const JZ_POLICY_SOFTMAX: i32 = 2;
/// Draws a move, all alike.
pub const JZ_POLICY_UNIFORM: i32 = 3;
/// Draws one of the line groups of the moves, all alike, then one of its moves by weight.
pub const JZ_POLICY_GROUP: i32 = 4;

/// Selection leaves the move out.
pub const JZ_BOOK_DISABLED: u32 = 1;
/// The move loses by the repetition rules.
pub const JZ_BOOK_BANNED: u32 = 2;
/// Endgame tables prove that the move loses.
pub const JZ_BOOK_LOST: u32 = 4;
/// Edits leave the move alone.
pub const JZ_BOOK_LOCKED: u32 = 8;
/// The move was added by hand.
pub const JZ_BOOK_ADDED: u32 = 16;

/// A move that a book has for a position.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JzBookMove {
    /// The move.
    pub mv: JzMove,
    /// Games in which it was played.
    pub games: u64,
    /// Those won by Red.
    pub red_wins: u64,
    /// Those drawn.
    pub draws: u64,
    /// Those won by Black. Games beyond the sum of the three have no known result.
    pub black_wins: u64,
    /// Its weight in selection.
    pub weight: u64,
    /// Selection prefers the highest; 0 unless one was set.
    pub priority: i64,
    /// Its assured value in centipawns for the side that makes it, if `has_value` is not 0.
    pub value: i32,
    /// 1 if scores of engines or tables assure a value, else 0.
    pub has_value: u32,
    /// A sum of `JZ_BOOK_…`.
    pub flags: u32,
    /// 0.
    pub reserved: u32,
}

const _: () = assert!(size_of::<JzBookMove>() == 72);

/// The way to choose a move.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JzSelection {
    /// `JZ_POLICY_…`.
    pub policy: i32,
    /// Of `JZ_POLICY_SOFTMAX`: a move that is `d` centipawns worse than the best has a chance `exp(d / temperature)`
    /// times smaller. 0 for the default, 50.
    pub temperature: u32,
    /// Moves of fewer games are left out, but for those added by hand.
    pub min_games: u64,
    /// Moves of less weight are left out.
    pub min_weight: u64,
    /// The seed of the draw: equal seeds and equal questions give equal answers.
    pub seed: u64,
}

static BOOKS: Registry<Mutex<Book>, 1> = Registry::new(3);

impl From<&BookMove<Move>> for JzBookMove {
    fn from(found: &BookMove<Move>) -> Self {
        let flags = [
            (found.disabled, JZ_BOOK_DISABLED),
            (found.banned, JZ_BOOK_BANNED),
            (found.lost, JZ_BOOK_LOST),
            (found.locked, JZ_BOOK_LOCKED),
            (found.added, JZ_BOOK_ADDED),
        ];
        let value = found.score.assured();
        Self {
            mv: found.mv.into(),
            games: found.stats.games,
            red_wins: found.stats.first,
            draws: found.stats.draws,
            black_wins: found.stats.second,
            weight: found.weight,
            priority: found.priority,
            value: value.map_or(0, Value::value),
            has_value: u32::from(value.is_some()),
            flags: flags.into_iter().filter(|(is_set, _)| *is_set).map(|(_, flag)| flag).sum(),
            reserved: 0,
        }
    }
}

impl JzSelection {
    fn options(&self) -> Result<SelectOptions, Failure> {
        let policy = match self.policy {
            JZ_POLICY_BEST => Policy::Best,
            JZ_POLICY_WEIGHTED => Policy::Weighted,
            JZ_POLICY_SOFTMAX => Policy::Softmax,
            JZ_POLICY_UNIFORM => Policy::Uniform,
            JZ_POLICY_GROUP => Policy::Group,
            _ => return Err(Failure::new(JZ_ERROR_NUMBER, "there is no such policy")),
        };
        let default = SelectOptions::default();
        let temperature =
            if self.temperature == 0 { default.temperature } else { self.temperature };
        let min_games = self.min_games;
        let min_weight = self.min_weight;
        Ok(SelectOptions { policy, temperature, min_games, min_weight, ..default })
    }
}

/// The moves of a book for a position; an error if the file was damaged since it was opened.
fn moves_of(book: JzBook, position: &Position) -> Result<Vec<BookMove<Move>>, Failure> {
    let found = BOOKS.find(book)?;
    let mut book = found.lock().map_err(|_| Failure::of(JZ_ERROR_INTERNAL))?;
    book.check_if_changed()?;
    Ok(book.probe(position)?)
}

/// Opens a book of xiangqi made by `juzhong book build`, and compares the file with its digest.
///
/// # Safety
///
/// `path` ends with NUL, `book` is writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn jz_book_open(path: *const c_char, book: *mut JzBook) -> JzStatus {
    guarded(|| {
        // SAFETY: `book` is writable, as the caller promises.
        let book = unsafe { Output::new(book)? };
        // SAFETY: `path` ends with NUL, as the caller promises.
        let path = unsafe { arguments::text(path, MAX_PATH)? };
        let opened = Book::open(Path::new(path))?;
        opened.check_file()?;
        // Refuses a book of another game at once.
        opened.probe(&Position::start())?;
        book.set(BOOKS.open(Mutex::new(opened))?);
        Ok(())
    })
}

/// Closes a book. Calls under way in other threads end as if it were open; later ones fail with `JZ_ERROR_CLOSED`.
#[unsafe(no_mangle)]
pub extern "C" fn jz_book_close(book: JzBook) -> JzStatus {
    guarded(|| BOOKS.close(book))
}

/// Looks up the moves that a book has for a FEN, those of most games first; none is no error. `JZ_MAX_MOVES` are room
/// enough.
///
/// # Safety
///
/// `fen` ends with NUL, `moves` points to `capacity` writable moves, `count` is writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn jz_book_moves_fen(
    book: JzBook,
    fen: *const c_char,
    moves: *mut JzBookMove,
    capacity: usize,
    count: *mut usize,
) -> JzStatus {
    guarded(|| {
        // SAFETY: `moves` has room for `capacity`, and `count` is writable, as the caller promises.
        let moves = unsafe { OutputArray::new(moves, capacity, count)? };
        // SAFETY: `fen` ends with NUL, as the caller promises.
        let position = unsafe { position_of_fen(fen)? };
        moves.set(moves_of(book, &position)?.iter().map(JzBookMove::from))
    })
}

/// Chooses one of the moves that a book has for a FEN. Disabled, banned and lost moves are left out, and of the rest
/// all but those of the highest priority; `JZ_ERROR_NO_MOVE` if none is left, or a weight of 0 was set for all. The past
/// of the game is not known here: whether the move loses by repetition, the caller finds out by `jz_game_push` and
/// `jz_game_state`.
///
/// # Safety
///
/// `fen` ends with NUL, `selection` points to a selection, `choice` is writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn jz_book_choose_fen(
    book: JzBook,
    fen: *const c_char,
    selection: *const JzSelection,
    choice: *mut JzBookMove,
) -> JzStatus {
    guarded(|| {
        // SAFETY: `choice` is writable, as the caller promises.
        let choice = unsafe { Output::new(choice)? };
        // SAFETY: `selection` points to a value, as the caller promises.
        let selection = unsafe { arguments::value(selection)? };
        // SAFETY: `fen` ends with NUL, as the caller promises.
        let position = unsafe { position_of_fen(fen)? };
        let mut selector = Selector::new(selection.options()?, selection.seed);
        let moves = moves_of(book, &position)?;
        let chosen = selector.choose(&moves, 0, |_| true);
        choice.set(chosen.ok_or(Failure::of(JZ_ERROR_NO_MOVE))?.into());
        Ok(())
    })
}
