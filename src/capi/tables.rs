//! Endgame tables.

use std::ffi::c_char;
use std::path::PathBuf;

use super::arguments::{self, MAX_PATH, Output, OutputArray};
use super::board::{
    JZ_RULES_ASIAN, JZ_RULES_CHECK, JZ_RULES_NONE, JzMove, outcome_number, position_of_board,
    position_of_fen,
};
use super::registry::{HandleTarget, Registry};
use super::status::{Failure, JZ_ERROR_MISSING, JZ_ERROR_NUMBER, JzStatus, guarded};
use crate::tablebase::{Entry, LineEnd, Metric, Rules, Tables, Wdl};
use crate::xiangqi::{Move, Position};

/// A handle of open tables; 0 is none. Any number of threads may use it at the same time.
pub type JzTables = u64;

/// Distances are plies to mate.
pub const JZ_METRIC_DTM: i32 = 0;
/// Distances are plies to the next capture or mate. A metric from 1 to 1000 is the same under a limit: that many plies
/// without a capture draw.
pub const JZ_METRIC_DTC: i32 = -1;

/// The side to move loses.
pub const JZ_LOSS: i32 = -1;
/// Neither side can win.
pub const JZ_DRAW: i32 = 0;
/// The side to move wins.
pub const JZ_WIN: i32 = 1;

/// The most folders that are opened as one.
pub const JZ_MAX_FOLDERS: usize = 256;
/// The most plies of a line of best play.
pub const JZ_MAX_PLIES: usize = 10000;

/// The value of a position for the side to move, or of a move for the side that makes it.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JzValue {
    /// `JZ_WIN`, `JZ_DRAW` or `JZ_LOSS`.
    pub result: i32,
    /// The round of the repetition rule that decides; 0 if none is needed, and for draws. Of two wins the one of the
    /// lower order is better.
    pub order: u16,
    /// Plies to the end of the metric (order 0), or to the loop that decides; 0 for draws.
    pub distance: u16,
}

/// A move and its value for the side that makes it.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JzRootMove {
    /// The move.
    pub mv: JzMove,
    /// Its value; distances count from before the move.
    pub value: JzValue,
}

const _: () = assert!(size_of::<JzRootMove>() == 16);

/// The line ends with mate.
pub const JZ_END_MATE: i32 = 0;
/// The line ends with stalemate, which loses.
pub const JZ_END_STALEMATE: i32 = 1;
/// The line ends with a capture, up to which distances count.
pub const JZ_END_CAPTURE: i32 = 2;
/// The last position of the line has occurred in it before.
pub const JZ_END_LOOP: i32 = 3;
/// Neither side can win.
pub const JZ_END_DRAW: i32 = 4;
/// The line has as many plies as were asked for.
pub const JZ_END_LIMIT: i32 = 5;

/// The end of a line of best play.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JzLineEnd {
    /// `JZ_END_…`.
    pub end: i32,
    /// The verdict on the loop at the end of the line, claimed when it is played again: `JZ_RED_WINS`,
    /// `JZ_BLACK_WINS` or `JZ_DRAWN`; `JZ_GOES_ON` if there is no loop.
    pub verdict: i32,
    /// The index of the first move of that loop; the number of moves if there is none.
    pub loop_start: u32,
}

/// Lanes of the registry: threads that can look tables up without waiting for each other.
const LANES: usize = 16;

static TABLES: Registry<Tables, LANES> = Registry::new(1);

impl From<Entry> for JzValue {
    fn from(Entry { wdl, order, distance }: Entry) -> Self {
        Self { result: result_number(wdl), order, distance }
    }
}

impl From<(Move, Entry)> for JzRootMove {
    fn from((mv, value): (Move, Entry)) -> Self {
        Self { mv: mv.into(), value: value.into() }
    }
}

const fn result_number(wdl: Wdl) -> i32 {
    match wdl {
        Wdl::Loss => JZ_LOSS,
        Wdl::Draw => JZ_DRAW,
        Wdl::Win => JZ_WIN,
    }
}

const fn end_number(end: LineEnd) -> i32 {
    match end {
        LineEnd::Mate => JZ_END_MATE,
        LineEnd::Stalemate => JZ_END_STALEMATE,
        LineEnd::Capture => JZ_END_CAPTURE,
        LineEnd::Loop => JZ_END_LOOP,
        LineEnd::Draw => JZ_END_DRAW,
        LineEnd::Limit => JZ_END_LIMIT,
    }
}

fn rules_of(number: i32) -> Result<Rules, Failure> {
    match number {
        JZ_RULES_NONE => Ok(Rules::None),
        JZ_RULES_CHECK => Ok(Rules::Check),
        JZ_RULES_ASIAN => Ok(Rules::Asian),
        _ => Err(Failure::new(JZ_ERROR_NUMBER, "tables have no such rules")),
    }
}

fn metric_of(number: i32) -> Result<Metric, Failure> {
    match number {
        JZ_METRIC_DTM => Ok(Metric::Dtm),
        JZ_METRIC_DTC => Ok(Metric::Dtc),
        plies => u16::try_from(plies)
            .ok()
            .and_then(Metric::within)
            .ok_or(Failure::new(JZ_ERROR_NUMBER, "tables have no such metric")),
    }
}

/// Opens folders of tables as one: of tables that several of them have, those of the first count. Tables are read when
/// first needed; decoded blocks take at most 128 MiB. `metric` is `JZ_METRIC_DTM`, `JZ_METRIC_DTC` or a limit of
/// plies. Folders without tables of these rules and this metric are no error: see `jz_tables_most_pieces`.
///
/// # Safety
///
/// `folders` points to `count` texts that end with NUL, `tables` is writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn jz_tables_open(
    folders: *const *const c_char,
    count: usize,
    rules: i32,
    metric: i32,
    tables: *mut JzTables,
) -> JzStatus {
    guarded(|| {
        // SAFETY: `tables` is writable, as the caller promises.
        let tables = unsafe { Output::new(tables)? };
        // SAFETY: `folders` points to `count` values, as the caller promises.
        let folders = unsafe { arguments::values(folders, count, JZ_MAX_FOLDERS)? };
        let folder = |&path: &*const c_char| -> Result<PathBuf, Failure> {
            // SAFETY: `path` ends with NUL, as the caller promises.
            Ok(PathBuf::from(unsafe { arguments::text(path, MAX_PATH)? }))
        };
        let folders = folders.iter().map(folder).collect::<Result<Vec<_>, _>>()?;
        let opened = Tables::open_all(&folders, rules_of(rules)?, metric_of(metric)?)?;
        tables.set(TABLES.open(opened)?);
        Ok(())
    })
}

/// Closes tables. Calls under way in other threads end as if they were open; later ones fail with `JZ_ERROR_CLOSED`.
#[unsafe(no_mangle)]
pub extern "C" fn jz_tables_close(tables: JzTables) -> JzStatus {
    guarded(|| TABLES.close(tables))
}

/// States the most pieces, kings included, that any of the tables has; 0 if there are no tables.
///
/// # Safety
///
/// `pieces` is writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn jz_tables_most_pieces(tables: JzTables, pieces: *mut u32) -> JzStatus {
    guarded(|| {
        // SAFETY: `pieces` is writable, as the caller promises.
        let pieces = unsafe { Output::new(pieces)? };
        pieces.set(TABLES.find(tables)?.most_men() as u32);
        Ok(())
    })
}

/// The tables of a handle, if they have the position's. That they have not is a common answer in a search, so it costs
/// no more than any other.
fn tables_for(tables: JzTables, position: &Position) -> Result<HandleTarget<Tables>, Failure> {
    let found = TABLES.find(tables)?;
    if found.covers(position) { Ok(found) } else { Err(Failure::of(JZ_ERROR_MISSING)) }
}

/// A result for a position.
fn result_for(tables: JzTables, position: &Position, to: &Output<i32>) -> Result<(), Failure> {
    to.set(result_number(tables_for(tables, position)?.probe_wdl(position)?));
    Ok(())
}

/// Looks up the result of a FEN for the side to move: `JZ_WIN`, `JZ_DRAW` or `JZ_LOSS`. The position is as if no move
/// had been made: its counters do not count. Allocates nothing but for a block that is read from a file.
///
/// # Safety
///
/// `fen` ends with NUL, `result` is writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn jz_tables_result_fen(
    tables: JzTables,
    fen: *const c_char,
    result: *mut i32,
) -> JzStatus {
    guarded(|| {
        // SAFETY: `result` is writable, as the caller promises.
        let result = unsafe { Output::new(result)? };
        // SAFETY: `fen` ends with NUL, as the caller promises.
        let position = unsafe { position_of_fen(fen)? };
        result_for(tables, &position, &result)
    })
}

/// Looks up a result as `jz_tables_result_fen` does, of the piece on each of `JZ_SQUARES` squares and the side to move.
///
/// # Safety
///
/// `board` points to `JZ_SQUARES` bytes, `result` is writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn jz_tables_result(
    tables: JzTables,
    board: *const u8,
    turn: i32,
    result: *mut i32,
) -> JzStatus {
    guarded(|| {
        // SAFETY: `result` is writable, as the caller promises.
        let result = unsafe { Output::new(result)? };
        // SAFETY: `board` points to `JZ_SQUARES` bytes, as the caller promises.
        let position = unsafe { position_of_board(board, turn)? };
        result_for(tables, &position, &result)
    })
}

/// A value for a position.
fn value_for(tables: JzTables, position: &Position, to: &Output<JzValue>) -> Result<(), Failure> {
    to.set(tables_for(tables, position)?.probe(position)?.into());
    Ok(())
}

/// Looks up the full value of a FEN for the side to move.
///
/// # Safety
///
/// `fen` ends with NUL, `value` is writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn jz_tables_value_fen(
    tables: JzTables,
    fen: *const c_char,
    value: *mut JzValue,
) -> JzStatus {
    guarded(|| {
        // SAFETY: `value` is writable, as the caller promises.
        let value = unsafe { Output::new(value)? };
        // SAFETY: `fen` ends with NUL, as the caller promises.
        let position = unsafe { position_of_fen(fen)? };
        value_for(tables, &position, &value)
    })
}

/// Looks up the full value of the piece on each of `JZ_SQUARES` squares and the side to move.
///
/// # Safety
///
/// `board` points to `JZ_SQUARES` bytes, `value` is writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn jz_tables_value(
    tables: JzTables,
    board: *const u8,
    turn: i32,
    value: *mut JzValue,
) -> JzStatus {
    guarded(|| {
        // SAFETY: `value` is writable, as the caller promises.
        let value = unsafe { Output::new(value)? };
        // SAFETY: `board` points to `JZ_SQUARES` bytes, as the caller promises.
        let position = unsafe { position_of_board(board, turn)? };
        value_for(tables, &position, &value)
    })
}

/// Moves for a position.
fn moves_for(
    tables: JzTables,
    position: &Position,
    to: &OutputArray<JzRootMove>,
) -> Result<(), Failure> {
    let moves = tables_for(tables, position)?.probe_root(position)?;
    to.set(moves.into_iter().map(JzRootMove::from))
}

/// Looks up all legal moves of a FEN, best first: wins by order, then distance; draws; losses, the longest resistance
/// first. A side that wins and always plays the first move wins: inside a loop that decides, the first move stays in
/// it until the win can be claimed. None for a side that is mated or stalemated. `JZ_MAX_MOVES` are room enough.
///
/// # Safety
///
/// `fen` ends with NUL, `moves` points to `capacity` writable moves, `count` is writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn jz_tables_moves_fen(
    tables: JzTables,
    fen: *const c_char,
    moves: *mut JzRootMove,
    capacity: usize,
    count: *mut usize,
) -> JzStatus {
    guarded(|| {
        // SAFETY: `moves` has room for `capacity`, and `count` is writable, as the caller promises.
        let moves = unsafe { OutputArray::new(moves, capacity, count)? };
        // SAFETY: `fen` ends with NUL, as the caller promises.
        let position = unsafe { position_of_fen(fen)? };
        moves_for(tables, &position, &moves)
    })
}

/// Looks up all legal moves as `jz_tables_moves_fen` does, of the piece on each of `JZ_SQUARES` squares and the side
/// to move.
///
/// # Safety
///
/// `board` points to `JZ_SQUARES` bytes, `moves` to `capacity` writable moves, `count` is writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn jz_tables_moves(
    tables: JzTables,
    board: *const u8,
    turn: i32,
    moves: *mut JzRootMove,
    capacity: usize,
    count: *mut usize,
) -> JzStatus {
    guarded(|| {
        // SAFETY: `moves` has room for `capacity`, and `count` is writable, as the caller promises.
        let moves = unsafe { OutputArray::new(moves, capacity, count)? };
        // SAFETY: `board` points to `JZ_SQUARES` bytes, as the caller promises.
        let position = unsafe { position_of_board(board, turn)? };
        moves_for(tables, &position, &moves)
    })
}

/// Follows best play of both sides from a FEN, for as many plies as there is room for in `moves` and at most
/// `JZ_MAX_PLIES`: to mate, to a capture where distances end with one, or once around the loop that decides.
///
/// # Safety
///
/// `fen` ends with NUL, `moves` points to `capacity` writable moves, `count` and `end` are writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn jz_tables_line_fen(
    tables: JzTables,
    fen: *const c_char,
    moves: *mut JzRootMove,
    capacity: usize,
    count: *mut usize,
    end: *mut JzLineEnd,
) -> JzStatus {
    guarded(|| {
        // SAFETY: `moves` has room for `capacity`, and `count` is writable, as the caller promises.
        let moves = unsafe { OutputArray::new(moves, capacity, count)? };
        // SAFETY: `end` is writable, as the caller promises.
        let end = unsafe { Output::new(end)? };
        // SAFETY: `fen` ends with NUL, as the caller promises.
        let position = unsafe { position_of_fen(fen)? };
        let plies = capacity.min(JZ_MAX_PLIES);
        let line = tables_for(tables, &position)?.best_line(&position, plies)?;
        let loop_start = line.repeated.as_ref().map_or(line.moves.len(), |repeated| repeated.start);
        let verdict = line.repeated.and_then(|repeated| repeated.judgement.verdict.outcome());
        end.set(JzLineEnd {
            end: end_number(line.end),
            verdict: outcome_number(verdict),
            loop_start: loop_start as u32,
        });
        moves.set(line.moves.iter().map(|step| (step.mv, step.value).into()))
    })
}
