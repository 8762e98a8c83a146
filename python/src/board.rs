//! Positions with the moves that led to them.

use std::borrow::Cow;

use juzhong::game::{Game, Line, MoveList, Side};
use juzhong::xiangqi::notation::{MoveNotation, format_move, parse_move};
use juzhong::xiangqi::{
    Bitboard, FenError, Move, Piece, Position, RuleSet, START_FEN, Setup, Square,
};
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use pyo3::types::{PyDict, PyIterator, PyList, PyType};

use crate::convert::{color_of, named, side_of, square_of};
use crate::errors::{IllegalMoveError, fen_error, invalid_uci, move_error};
use crate::moves::PyMove;
use crate::piece::{PyPiece, role_of};
use crate::rules::PyOutcome;

/// The greatest counter that a FEN has.
const MAX_COUNTER: u32 = 99_999;

/// Texts that are read between two looks for signals.
const FENS_AT_ONCE: usize = 4096;

/// A position with the moves that led to it, which the rules of repetition need. Only legal positions and legal moves
/// are taken.
#[pyclass(module = "juzhong")]
#[derive(Debug, Clone)]
pub(crate) struct Board {
    past: Past,
    /// The number of the move pair at the start.
    fullmoves: u32,
}

/// The position of a board with its moves. A [`Line`] has tables of some kilobytes, which a board without moves does not
/// need.
#[derive(Debug, Clone)]
#[expect(clippy::large_enum_variant, reason = "most boards have no moves: those of many FENs")]
enum Past {
    /// No moves; the number of plies since the last capture.
    Empty(Position, u32),
    /// Perhaps some.
    Moves(Box<Line<Position>>),
}

impl Past {
    /// The moves as the rules judge them.
    fn line(&self) -> Cow<'_, Line<Position>> {
        match self {
            Self::Empty(position, clock) => Cow::Owned(Line::new(position.clone(), *clock)),
            Self::Moves(line) => Cow::Borrowed(line),
        }
    }

    fn moves(&self) -> Option<&Line<Position>> {
        match self {
            Self::Empty(..) => None,
            Self::Moves(line) => Some(line),
        }
    }

    fn push(&mut self, mv: Move) {
        if let Self::Empty(..) = self {
            *self = Self::Moves(Box::new(self.line().into_owned()));
        }
        if let Self::Moves(line) = self {
            line.push(mv);
        }
    }
}

impl Board {
    /// Reads a FEN.
    pub(crate) fn read(fen: &str) -> Result<Self, FenError> {
        let setup = Setup::from_fen(fen)?;
        let position = Position::from_setup(&setup)?;
        Ok(Self::at(position, setup.halfmove_clock, setup.fullmoves))
    }

    /// The position as the start of a line, a number of plies after the last capture.
    pub(crate) fn at(position: Position, clock: u32, fullmoves: u32) -> Self {
        Self { past: Past::Empty(position, clock), fullmoves }
    }

    pub(crate) fn position(&self) -> &Position {
        match &self.past {
            Past::Empty(position, _) => position,
            Past::Moves(line) => line.position(),
        }
    }

    /// Plays a move if it is legal.
    pub(crate) fn play(&mut self, mv: Move) -> PyResult<()> {
        if !self.position().is_legal(mv) {
            return Err(illegal(self.position(), mv));
        }
        self.past.push(mv);
        Ok(())
    }

    fn parsed(&self, text: &str) -> PyResult<Move> {
        parse_move(self.position(), text).map_err(|error| move_error(&error))
    }

    fn parsed_uci(&self, uci: &str) -> PyResult<Move> {
        let mv = Move::parse(uci).ok_or_else(|| invalid_uci(uci))?;
        if self.position().is_legal(mv) { Ok(mv) } else { Err(illegal(self.position(), mv)) }
    }

    fn setup(&self) -> Setup {
        Setup {
            halfmove_clock: self.halfmove_clock().min(MAX_COUNTER),
            fullmoves: self.fullmove_number(),
            ..self.position().to_setup()
        }
    }
}

/// The exception for a move that is against the rules; its message says which rule.
fn illegal(position: &Position, mv: Move) -> PyErr {
    match parse_move(position, &mv.to_string()) {
        Err(error) => move_error(&error),
        Ok(_) => IllegalMoveError::new_err(format!("\"{mv}\" is illegal")),
    }
}

/// The numbers of a set of squares, in order.
fn numbers(squares: Bitboard) -> Vec<usize> {
    squares.into_iter().map(|square| square.index()).collect()
}

/// A function and its arguments, as `pickle` wants them: see [`Board::_restore`].
type Reduced<'py> = (Bound<'py, PyAny>, (String, Vec<PyMove>));

#[pymethods]
impl Board {
    /// Sets up a position. Counters that the FEN leaves out are 0 and 1.
    ///
    /// Raises InvalidFenError for a text that is no FEN, and its subclass IllegalPositionError for a position that is not
    /// legal.
    #[new]
    #[pyo3(signature = (fen = START_FEN))]
    fn new(fen: &str) -> PyResult<Self> {
        Self::read(fen).map_err(|error| fen_error(&error, ""))
    }

    /// The colour of the side to move: `juzhong.RED` or `juzhong.BLACK`.
    #[getter]
    fn turn(&self) -> bool {
        color_of(self.position().turn())
    }

    /// The plies since the last capture, those before the first position as far as its FEN counts them.
    #[getter]
    fn halfmove_clock(&self) -> u32 {
        match &self.past {
            Past::Empty(_, clock) => *clock,
            Past::Moves(line) => line.clock(),
        }
    }

    /// The number of the move pair, from 1; it grows after a move of Black.
    #[getter]
    fn fullmove_number(&self) -> u32 {
        let black_began = (self.position().turn() == Side::Second) == self.ply().is_multiple_of(2);
        let pairs = (self.ply() + usize::from(black_began)) / 2;
        let pairs = u32::try_from(pairs).unwrap_or(MAX_COUNTER);
        self.fullmoves.saturating_add(pairs).min(MAX_COUNTER)
    }

    /// The moves since the first position.
    #[getter]
    fn move_stack(&self) -> Vec<PyMove> {
        self.past.moves().map_or_else(Vec::new, |line| line.moves().map(PyMove).collect())
    }

    /// The stored Zobrist key of the position, 64 bits. It depends on the pieces and the side to move alone.
    #[getter]
    fn key(&self) -> u64 {
        self.position().key().0
    }

    /// The legal moves.
    #[getter]
    fn legal_moves(&self) -> LegalMoves {
        let mut moves = MoveList::new();
        self.position().legal_moves(&mut moves);
        LegalMoves { moves: moves.into_iter().collect() }
    }

    /// Writes the FEN, with counters.
    fn fen(&self) -> String {
        self.setup().to_fen()
    }

    /// Writes the first field of the FEN, the pieces.
    fn board_fen(&self) -> String {
        self.fen().split(' ').next().unwrap_or_default().to_owned()
    }

    /// Sets up another position and forgets all moves. After an exception, which is as for `Board(fen)`, nothing has
    /// changed.
    fn set_fen(&mut self, fen: &str) -> PyResult<()> {
        *self = Self::new(fen)?;
        Ok(())
    }

    /// Sets up the start of a game and forgets all moves.
    fn reset(&mut self) {
        *self = Self::at(Position::start(), 0, 1);
    }

    /// A copy; without the moves if `stack` is false.
    #[pyo3(signature = (*, stack = true))]
    fn copy(&self, stack: bool) -> Self {
        if stack {
            return self.clone();
        }
        Self::at(self.position().clone(), self.halfmove_clock(), self.fullmove_number())
    }

    /// The first position, without moves.
    fn root(&self) -> Self {
        let mut root = self.clone();
        if let Past::Moves(line) = &mut root.past {
            while line.pop() {}
        }
        root
    }

    /// Plays a move.
    ///
    /// Raises IllegalMoveError if it is not legal; the board stays as it is.
    fn push(&mut self, r#move: PyMove) -> PyResult<()> {
        self.play(r#move.0)
    }

    /// Takes back the last move and returns it.
    ///
    /// Raises IndexError if there is none.
    fn pop(&mut self) -> PyResult<PyMove> {
        let last = self.peek()?;
        if let Past::Moves(line) = &mut self.past {
            line.pop();
        }
        Ok(last)
    }

    /// The last move.
    ///
    /// Raises IndexError if there is none.
    fn peek(&self) -> PyResult<PyMove> {
        let last = self.past.moves().and_then(|line| line.plies().last()?.mv);
        last.map(PyMove).ok_or_else(|| PyIndexError::new_err("no move was made on this board"))
    }

    /// The number of moves since the first position.
    pub(crate) fn ply(&self) -> usize {
        self.past.moves().map_or(0, Line::len)
    }

    /// Reads a legal move by its coordinates (`h2e2`, `H2-E2`).
    ///
    /// Raises InvalidMoveError for another text, IllegalMoveError for a move that is not legal.
    fn parse_uci(&self, uci: &str) -> PyResult<PyMove> {
        self.parsed_uci(uci).map(PyMove)
    }

    /// Plays a move by its coordinates and returns it; raises as `parse_uci`.
    fn push_uci(&mut self, uci: &str) -> PyResult<PyMove> {
        let mv = self.parsed_uci(uci)?;
        self.past.push(mv);
        Ok(PyMove(mv))
    }

    /// Reads a legal move in any notation: `h2e2`, `H2-E2`, `C2=5`, `炮二平五`, `Che2`.
    ///
    /// Raises InvalidMoveError for a text in no notation, AmbiguousMoveError if several pieces can make the move,
    /// IllegalMoveError if none can.
    fn parse_move(&self, text: &str) -> PyResult<PyMove> {
        self.parsed(text).map(PyMove)
    }

    /// Plays a move in any notation and returns it; raises as `parse_move`.
    fn push_move(&mut self, text: &str) -> PyResult<PyMove> {
        let mv = self.parsed(text)?;
        self.past.push(mv);
        Ok(PyMove(mv))
    }

    /// Writes a legal move: `uci` `h2e2`, `iccs` `H2-E2`, `wxf` `C2=5`, `chinese` `炮二平五`.
    ///
    /// Raises IllegalMoveError if it is not legal, ValueError for another notation.
    #[pyo3(signature = (r#move, notation = "uci"))]
    fn notate(&self, r#move: PyMove, notation: &str) -> PyResult<String> {
        let notation: MoveNotation = named(notation)?;
        if !self.position().is_legal(r#move.0) {
            return Err(illegal(self.position(), r#move.0));
        }
        Ok(format_move(self.position(), r#move.0, notation))
    }

    /// The piece on a square (0 to 89), or None.
    fn piece_at(&self, square: i64) -> PyResult<Option<PyPiece>> {
        Ok(self.position().piece_at(square_of(square)?).map(PyPiece))
    }

    /// The pieces by their squares.
    fn piece_map<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let map = PyDict::new(py);
        for square in self.position().occupied() {
            if let Some(piece) = self.position().piece_at(square) {
                map.set_item(square.index(), Bound::new(py, PyPiece(piece))?)?;
            }
        }
        Ok(map)
    }

    /// The squares of the pieces of a type and colour, in order.
    fn pieces(&self, piece_type: i64, color: bool) -> PyResult<Vec<usize>> {
        Ok(numbers(self.position().pieces(side_of(color), role_of(piece_type)?)))
    }

    /// The square of a king.
    fn king(&self, color: bool) -> usize {
        self.position().king(side_of(color)).index()
    }

    /// The squares of the pieces of a colour that attack a square, in order.
    fn attackers(&self, color: bool, square: i64) -> PyResult<Vec<usize>> {
        Ok(numbers(self.position().attackers(side_of(color), square_of(square)?)))
    }

    /// The squares of the pieces that give check, in order.
    fn checkers(&self) -> Vec<usize> {
        numbers(self.position().checkers())
    }

    /// Returns True if the move is legal.
    fn is_legal(&self, r#move: PyMove) -> bool {
        self.position().is_legal(r#move.0)
    }

    /// Returns True if the legal move captures a piece.
    fn is_capture(&self, r#move: PyMove) -> bool {
        self.position().piece_at(r#move.0.to()).is_some()
    }

    /// Returns True if the move is legal and gives check.
    fn gives_check(&self, r#move: PyMove) -> bool {
        self.is_legal(r#move) && self.position().gives_check(r#move.0)
    }

    /// Returns True if the side to move is in check.
    fn is_check(&self) -> bool {
        self.position().in_check()
    }

    /// Returns True if the side to move is in check and has no move: it has lost.
    fn is_checkmate(&self) -> bool {
        self.position().in_check() && !self.position().has_legal_move()
    }

    /// Returns True if the side to move is not in check and has no move: it has lost.
    fn is_stalemate(&self) -> bool {
        !self.position().in_check() && !self.position().has_legal_move()
    }

    /// Returns True if neither side has the pieces to win.
    fn is_insufficient_material(&self) -> bool {
        self.position().is_dead()
    }

    /// The number of times that the position has occurred since the last capture, now included.
    fn occurrences(&self) -> usize {
        self.past.moves().map_or(0, |line| line.earlier_occurrences().count()) + 1
    }

    /// Returns True if the position occurs for the `count`-th time or more.
    #[pyo3(signature = (count = 3))]
    fn is_repetition(&self, count: usize) -> bool {
        self.occurrences() >= count
    }

    /// The end of the game by the rules (`none`, `check`, `asian`, `computer` or `chinese`), or None while it goes on. A
    /// repetition is judged when the position occurs for the third time.
    ///
    /// Raises ValueError for other rules.
    #[pyo3(signature = (rules = "asian"))]
    fn outcome(&self, rules: &str) -> PyResult<Option<PyOutcome>> {
        let rules: RuleSet = named(rules)?;
        Ok(PyOutcome::of(&self.past.line(), rules))
    }

    /// Returns True if the game has ended by the rules; raises as `outcome`.
    #[pyo3(signature = (rules = "asian"))]
    fn is_game_over(&self, rules: &str) -> PyResult<bool> {
        self.outcome(rules).map(|outcome| outcome.is_some())
    }

    /// The result by the rules: `1-0`, `0-1`, `1/2-1/2`, or `*` while the game goes on; raises as `outcome`.
    #[pyo3(signature = (rules = "asian"))]
    fn result(&self, rules: &str) -> PyResult<String> {
        let outcome = self.outcome(rules)?;
        Ok(outcome.map_or_else(|| "*".to_owned(), |outcome| outcome.result()))
    }

    fn __eq__(&self, other: &Self) -> bool {
        self.setup() == other.setup()
    }

    fn __str__(&self) -> String {
        let ranks = (0..10).rev().map(|rank| {
            let letters = (0..9).map(|file| {
                let square = Square::at(file, rank);
                self.position().piece_at(square).map_or('.', Piece::letter)
            });
            letters.map(String::from).collect::<Vec<_>>().join(" ")
        });
        ranks.collect::<Vec<_>>().join("\n")
    }

    fn __repr__(&self) -> String {
        format!("Board('{}')", self.fen())
    }

    fn __copy__(&self) -> Self {
        self.clone()
    }

    #[pyo3(signature = (_memo, /))]
    fn __deepcopy__(&self, _memo: &Bound<'_, PyAny>) -> Self {
        self.clone()
    }

    /// Makes the board of a FEN and moves from there, for `pickle`.
    #[classmethod]
    fn _restore(_cls: &Bound<'_, PyType>, fen: &str, moves: Vec<PyMove>) -> PyResult<Self> {
        let mut board = Self::new(fen)?;
        moves.into_iter().try_for_each(|mv| board.play(mv.0))?;
        Ok(board)
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Reduced<'py>> {
        let restore = slf.get_type().getattr("_restore")?;
        let board = slf.borrow();
        Ok((restore, (board.root().fen(), board.move_stack())))
    }
}

/// The legal moves of a position, in the order of generation. They stay what they are when the board changes.
#[pyclass(module = "juzhong", frozen, sequence)]
#[derive(Debug)]
pub(crate) struct LegalMoves {
    moves: Vec<Move>,
}

#[pymethods]
impl LegalMoves {
    /// The number of moves.
    const fn count(&self) -> usize {
        self.moves.len()
    }

    const fn __len__(&self) -> usize {
        self.moves.len()
    }

    fn __contains__(&self, r#move: &Bound<'_, PyAny>) -> bool {
        r#move.extract::<PyMove>().is_ok_and(|mv| self.moves.contains(&mv.0))
    }

    fn __getitem__(&self, index: isize) -> PyResult<PyMove> {
        let from_end = if index < 0 { self.moves.len() } else { 0 };
        let found = from_end.checked_add_signed(index).and_then(|index| self.moves.get(index));
        found.copied().map(PyMove).ok_or_else(|| PyIndexError::new_err("no such move"))
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        PyList::new(py, self.moves.iter().copied().map(PyMove))?.try_iter()
    }

    fn __repr__(&self) -> String {
        let moves: Vec<String> = self.moves.iter().map(Move::to_string).collect();
        format!("<LegalMoves {}>", moves.join(" "))
    }
}

/// Reads many FENs, detached from the interpreter.
///
/// Raises as `Board(fen)`, with the index in the message; if `strict` is false, None stands in the place of what is no
/// FEN of a legal position.
#[pyfunction]
#[pyo3(signature = (fens, *, strict = true))]
pub(crate) fn parse_fens(
    py: Python<'_>,
    fens: Vec<PyBackedStr>,
    strict: bool,
) -> PyResult<Vec<Option<Board>>> {
    let mut boards = Vec::with_capacity(fens.len());
    for some in fens.chunks(FENS_AT_ONCE) {
        py.check_signals()?;
        let read: Vec<_> = py.detach(|| some.iter().map(|fen| Board::read(fen)).collect());
        for board in read {
            match board {
                Ok(board) => boards.push(Some(board)),
                Err(error) if strict => {
                    return Err(fen_error(&error, &format!("fens[{}]: ", boards.len())));
                }
                Err(_) => boards.push(None),
            }
        }
    }
    Ok(boards)
}
