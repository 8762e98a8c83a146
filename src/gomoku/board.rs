use std::fmt;
use std::ops::RangeInclusive;

use super::lines::{Axis, EDGE, EMPTY, LineCells, Lines, owner, stone};
use super::shape::{self, Shape, ShapeTable};
use super::{Notice, Point};
use crate::game::{Game, MoveList, Notation, Outcome, Side};
use crate::hash::gomoku::{KEYS, POINTS, SECOND_TO_MOVE};
use crate::hash::{Key, KeyTable};

/// Widths and heights that a board may have.
pub const SIZES: RangeInclusive<u8> = 1..=20;

/// The reasons for which a board cannot be made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum GeometryError {
    /// A side is too short or too long.
    #[error("the board is {width}x{height}; each side must have 1 to 20 points")]
    Size {
        /// Columns asked for.
        width: usize,
        /// Rows asked for.
        height: usize,
    },
    /// No line of the board can hold a row.
    #[error("{row} in a row does not fit a {width}x{height} board; the row must have 1 to {most}")]
    Row {
        /// Row length asked for.
        row: u8,
        /// Columns.
        width: u8,
        /// Rows.
        height: u8,
        /// The greatest possible row length.
        most: u8,
    },
}

/// A gomoku position by freestyle rules: a board of up to 20×20 points, the stones on it and the
/// side to move. Whoever first has `row` or more stones in an unbroken row, column or diagonal wins.
///
/// For every empty point and both players the board also keeps the [shapes](Notice) that a stone
/// there would make; a move changes them along four lines only.
#[derive(Clone)]
pub struct Board {
    width: u8,
    height: u8,
    row: u8,
    turn: Side,
    winner: Option<Side>,
    stones: u16,
    key: Key,
    lines: Lines,
    /// By player and point; on an occupied point, the shape from before the stone was placed.
    shapes: [[Shape; POINTS]; 2],
    notices: [Notice; 2],
    table: Option<&'static ShapeTable>,
}

/// The undo record of a move; empty, for the board itself and the point suffice to undo it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Undo;

impl Board {
    /// An empty board of `width` × `height` points on which `row` in a row win.
    ///
    /// # Errors
    ///
    /// If a side has no point or more than 20, or a row would fit nowhere.
    pub fn new(width: u8, height: u8, row: u8) -> Result<Self, GeometryError> {
        if !SIZES.contains(&width) || !SIZES.contains(&height) {
            return Err(GeometryError::Size { width: width.into(), height: height.into() });
        }
        let most = width.max(height);
        if !(1..=most).contains(&row) {
            return Err(GeometryError::Row { row, width, height, most });
        }
        Ok(Self::with_geometry(width, height, row))
    }

    /// An empty board of a geometry that [`new`](Self::new) accepts.
    pub(crate) fn with_geometry(width: u8, height: u8, row: u8) -> Self {
        let [by_width, by_height, by_row] = &KEYS.geometry;
        let geometry = by_width[usize::from(width)]
            ^ by_height[usize::from(height)]
            ^ by_row[usize::from(row)];
        let mut board = Self {
            width,
            height,
            row,
            turn: Side::First,
            winner: None,
            stones: 0,
            key: Key(geometry),
            lines: Lines::empty(width, height),
            shapes: [[Shape::NONE; POINTS]; 2],
            notices: [Notice::default(); 2],
            table: shape::table(row),
        };
        board.reshape();
        board
    }

    /// Puts stones on the empty board at once. One player may have a row among them.
    pub(crate) fn fill(&mut self, stones: &[Vec<Point>; 2], turn: Side) {
        for side in Side::ALL {
            for &point in &stones[side.index()] {
                self.lines.set(point, stone(side));
                self.key.0 ^= KEYS.stones[side.index()][point.index()];
                self.stones += 1;
            }
        }
        if turn != self.turn {
            self.switch_turn();
        }
        self.winner = Side::ALL.into_iter().find(|&side| self.has_row(side));
        self.reshape();
    }

    /// Number of columns.
    #[must_use]
    pub const fn width(&self) -> u8 {
        self.width
    }

    /// Number of rows of the board.
    #[must_use]
    pub const fn height(&self) -> u8 {
        self.height
    }

    /// The number of stones in a row that win.
    #[must_use]
    pub const fn row(&self) -> u8 {
        self.row
    }

    /// The side that has a row.
    #[must_use]
    pub const fn winner(&self) -> Option<Side> {
        self.winner
    }

    /// Number of stones on the board.
    #[must_use]
    pub const fn stones(&self) -> u16 {
        self.stones
    }

    /// Number of points.
    #[must_use]
    pub const fn area(&self) -> u16 {
        self.width as u16 * self.height as u16
    }

    /// Returns true if no point is empty.
    #[must_use]
    pub const fn is_full(&self) -> bool {
        self.stones == self.area()
    }

    /// The owner of the stone on `point`, if there is one.
    #[must_use]
    pub const fn stone(&self, point: Point) -> Option<Side> {
        owner(self.lines.cell(point))
    }

    /// Returns true if `point` lies on the board and is empty.
    #[must_use]
    pub const fn is_empty(&self, point: Point) -> bool {
        self.lines.cell(point) == EMPTY
    }

    /// Returns true if `point` lies on the board.
    #[must_use]
    pub const fn contains(&self, point: Point) -> bool {
        self.lines.cell(point) != EDGE
    }

    /// All points of the board, row by row from a1.
    pub fn points(&self) -> impl Iterator<Item = Point> + use<> {
        let width = self.width;
        (0..self.height)
            .flat_map(move |row| (0..width).filter_map(move |column| Point::new(column, row)))
    }

    /// The board without stones.
    pub(crate) fn emptied(&self) -> Self {
        Self::with_geometry(self.width, self.height, self.row)
    }

    /// Returns true if rows of `side` that are too long do not count.
    pub(crate) const fn needs_exact_row(&self, _side: Side) -> bool {
        false
    }

    /// Returns true if some empty points may be forbidden.
    pub(crate) const fn has_forbidden_points(&self) -> bool {
        false
    }

    /// The empty points, row by row from a1.
    pub fn empty_points(&self) -> impl Iterator<Item = Point> + '_ {
        self.lines.empty_points()
    }

    /// The empty points at most two columns and two rows from a stone, row by row from a1.
    pub fn empty_points_near_stones(&self) -> impl Iterator<Item = Point> + '_ {
        self.lines.empty_points_near_stones()
    }

    /// The rows, fours and prospects that `side` can make with one stone, counted over the empty
    /// points.
    #[must_use]
    pub const fn notice(&self, side: Side) -> Notice {
        self.notices[side.index()]
    }

    pub(crate) const fn shape(&self, side: Side, point: Point) -> Shape {
        self.shapes[side.index()][point.index()]
    }

    /// The sum, over the four lines, of the shapes that a stone of `side` on `point` would make,
    /// worked out from the cells themselves.
    pub(crate) fn exact_shape(&self, side: Side, point: Point) -> Shape {
        Axis::ALL.into_iter().fold(Shape::NONE, |sum, axis| {
            let (line, at) = self.lines.through(axis, point);
            sum + shape::exact(line, at, side, self.row)
        })
    }

    /// The key under the words of `table` after moving every stone by `image`. The words of a table
    /// that is too short count as 0.
    pub(super) fn key_with(&self, table: &KeyTable, image: impl Fn(Point) -> Point) -> Key {
        let words = table.words();
        let word = |index: usize| words.get(index).copied().unwrap_or(0);
        let geometry = [self.width, self.height, self.row];
        let mut key = 0;
        for (kind, length) in geometry.into_iter().enumerate() {
            key ^= word(SECOND_TO_MOVE + 1 + 21 * kind + usize::from(length));
        }
        if self.turn == Side::Second {
            key ^= word(SECOND_TO_MOVE);
        }
        for point in self.points() {
            if let Some(side) = self.stone(point) {
                key ^= word(side.index() * POINTS + image(point).index());
            }
        }
        Key(key)
    }

    /// The key after moving every stone by `image`.
    pub(super) fn key_of_image(&self, image: impl Fn(Point) -> Point) -> Key {
        let mut key = self.key.0;
        for point in self.points() {
            if let Some(side) = self.stone(point) {
                let words = &KEYS.stones[side.index()];
                key ^= words[point.index()] ^ words[image(point).index()];
            }
        }
        Key(key)
    }

    /// Gives the move to the other side.
    pub(crate) fn switch_turn(&mut self) {
        self.turn = !self.turn;
        self.key.0 ^= KEYS.second_to_move;
    }

    /// Changes a cell and the shapes on the four lines through it.
    fn change(&mut self, point: Point, cell: u8) {
        let before = Axis::ALL.map(|axis| self.lines.through(axis, point).0);
        self.lines.set(point, cell);
        for (axis, before) in Axis::ALL.into_iter().zip(before) {
            let (after, at) = self.lines.through(axis, point);
            for direction in [1, -1] {
                self.change_along(point, axis, direction, (before, after, at));
            }
        }
    }

    /// Updates the shapes that see `point` along `axis` in one direction. No shape sees beyond a
    /// foreign stone.
    fn change_along(
        &mut self,
        point: Point,
        axis: Axis,
        direction: i32,
        (before, after, at): (LineCells, LineCells, i32),
    ) {
        let step = (direction * axis.step()) as isize;
        let mut index = point.index();
        let mut seeing = [true; 2];
        for distance in 1..i32::from(self.row) {
            index = index.wrapping_add_signed(step);
            let place = at + direction * distance;
            match (after.cell(place), owner(after.cell(place))) {
                (EMPTY, _) => {
                    for side in Side::ALL {
                        if seeing[side.index()] {
                            self.change_shape(side, index, (before, after), place);
                        }
                    }
                }
                (_, Some(side)) => seeing[(!side).index()] = false,
                (_, None) => break,
            }
        }
    }

    fn change_shape(
        &mut self,
        side: Side,
        index: usize,
        (before, after): (LineCells, LineCells),
        at: i32,
    ) {
        let old = self.line_shape(before, at, side);
        let new = self.line_shape(after, at, side);
        if old != new {
            let shape = &mut self.shapes[side.index()][index];
            let notice = &mut self.notices[side.index()];
            notice.remove(*shape);
            *shape = *shape + new - old;
            notice.add(*shape);
        }
    }

    fn line_shape(&self, line: LineCells, place: i32, side: Side) -> Shape {
        match self.table {
            Some(table) => shape::from_table(table, line, place, side),
            None => shape::exact(line, place, side, self.row),
        }
    }

    /// Works out all shapes again.
    fn reshape(&mut self) {
        self.notices = [Notice::default(); 2];
        for point in self.points() {
            for side in Side::ALL {
                let shape = if self.is_empty(point) {
                    Axis::ALL.into_iter().fold(Shape::NONE, |sum, axis| {
                        let (line, at) = self.lines.through(axis, point);
                        sum + self.line_shape(line, at, side)
                    })
                } else {
                    Shape::NONE
                };
                self.shapes[side.index()][point.index()] = shape;
                if self.is_empty(point) {
                    self.notices[side.index()].add(shape);
                }
            }
        }
    }

    /// Returns true if `side` has a row, found by looking at every line of the board.
    pub(super) fn has_row(&self, side: Side) -> bool {
        self.row_without(side, None)
    }

    /// Returns true if `side` would have a row without the stone on `removed`.
    pub(super) fn row_without(&self, side: Side, removed: Option<Point>) -> bool {
        let is_own = |point: Point| self.stone(point) == Some(side) && Some(point) != removed;
        self.points().any(|first| {
            Axis::ALL.into_iter().any(|axis| {
                let mut point = Some(first);
                (0..self.row).all(|_| {
                    let own = point.is_some_and(is_own);
                    point = point.and_then(|point| axis.next(point));
                    own
                })
            })
        })
    }
}

impl Game for Board {
    type Move = Point;
    type Undo = Undo;

    const NAME: &'static str = "gomoku";
    const BLACK: Side = Side::First;

    fn turn(&self) -> Side {
        self.turn
    }

    fn key(&self) -> Key {
        self.key
    }

    fn legal_moves(&self, moves: &mut MoveList<Point>) {
        if self.winner().is_none() {
            moves.extend(self.empty_points());
        }
    }

    fn is_legal(&self, mv: Point) -> bool {
        self.winner().is_none() && self.is_empty(mv)
    }

    fn make(&mut self, point: Point) -> Undo {
        let side = self.turn;
        if self.shape(side, point).fives() > 0 {
            self.winner = Some(side);
        }
        for side in Side::ALL {
            self.notices[side.index()].remove(self.shape(side, point));
        }
        self.change(point, stone(side));
        self.stones += 1;
        self.key.0 ^= KEYS.stones[side.index()][point.index()];
        self.switch_turn();
        Undo
    }

    fn unmake(&mut self, point: Point, _undo: Undo) {
        self.switch_turn();
        self.key.0 ^= KEYS.stones[self.turn.index()][point.index()];
        self.stones -= 1;
        self.change(point, EMPTY);
        for side in Side::ALL {
            self.notices[side.index()].add(self.shape(side, point));
        }
        self.winner = None;
    }

    /// A row wins, a full board without one is a draw.
    fn outcome(&self) -> Option<Outcome> {
        match self.winner() {
            Some(side) => Some(Outcome::Win(side)),
            None => self.is_full().then_some(Outcome::Draw),
        }
    }

    fn count_legal_moves(&self) -> u64 {
        if self.winner().is_some() { 0 } else { u64::from(self.area() - self.stones()) }
    }
}

impl PartialEq for Board {
    /// Equal geometry, stones and side to move.
    fn eq(&self, other: &Self) -> bool {
        (self.width, self.height, self.row, self.turn)
            == (other.width, other.height, other.row, other.turn)
            && self.lines == other.lines
    }
}

impl Eq for Board {}

impl fmt::Debug for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Board({})", self.to_fen())
    }
}
