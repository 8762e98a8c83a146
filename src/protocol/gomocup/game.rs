//! The game as the manager sets it up: the board, its rules, the stones in order.

use crate::game::{Game, Line, Notation, Side};
use crate::gomoku::{Board, Point, Variant};
use crate::protocol::wire::gomocup::Cell;

/// Columns and rows that a board may have.
const SIZES: std::ops::RangeInclusive<i64> = 5..=20;
/// Stones in a row that win.
const ROW: u8 = 5;

/// The meaning of the two numbers of a point.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Order {
    /// The column, then the row, as in the Gomocup protocol.
    #[default]
    ColumnFirst,
    /// The row, then the column, as Yixin Board says them.
    RowFirst,
}

/// A game: a position, and the moves since.
#[derive(Debug, Clone)]
pub(crate) struct Table {
    pub(crate) line: Line<Board>,
    pub(crate) order: Order,
}

/// A number of columns or rows that a board may have.
fn size(number: i64) -> Option<u8> {
    u8::try_from(number).ok().filter(|_| SIZES.contains(&number))
}

impl Table {
    /// An empty board.
    ///
    /// # Errors
    ///
    /// If it would be too small or too large.
    pub(crate) fn new(
        width: i64,
        height: i64,
        variant: Variant,
        order: Order,
    ) -> Result<Self, String> {
        let (Some(width), Some(height)) = (size(width), size(height)) else {
            let (least, most) = SIZES.into_inner();
            return Err(format!("a board has {least} to {most} columns and rows"));
        };
        Self::empty(width, height, variant, order)
    }

    fn empty(width: u8, height: u8, variant: Variant, order: Order) -> Result<Self, String> {
        let board = Board::with_variant(width, height, ROW, variant);
        let board = board.map_err(|error| error.to_string())?;
        Ok(Self { line: Line::new(board, 0), order })
    }

    /// The position now.
    pub(crate) const fn board(&self) -> &Board {
        self.line.position()
    }

    /// Returns true if both boards have as many columns and rows.
    pub(crate) fn is_as_large_as(&self, other: &Self) -> bool {
        self.board().width() == other.board().width()
            && self.board().height() == other.board().height()
    }

    /// The points that the side to move may not play though they are empty.
    pub(crate) fn forbidden(&self) -> Vec<Cell> {
        let board = self.board();
        if !board.variant().forbids(board.turn()) {
            return Vec::new();
        }
        let forbidden = board.points().filter(|&point| board.forbidden(point).is_some());
        forbidden.map(|point| self.cell(point)).collect()
    }

    /// The same without stones, under these rules.
    pub(crate) fn cleared(&self, variant: Variant) -> Result<Self, String> {
        Self::empty(self.board().width(), self.board().height(), variant, self.order)
    }

    /// The same stones under other rules.
    ///
    /// # Errors
    ///
    /// If they break them.
    pub(crate) fn under(&self, variant: Variant) -> Result<Self, String> {
        let board = self.board();
        self.cleared(variant)?.filled(&Side::ALL.map(|side| stones_of(board, side).collect()))
    }

    /// The board with these stones on it, whatever their order.
    fn filled(&self, stones: &[Vec<Point>; 2]) -> Result<Self, String> {
        let empty = self.line.start();
        let rows: Vec<String> = (0..empty.height())
            .rev()
            .map(|row| (0..empty.width()).map(|column| sign(stones, column, row)).collect())
            .collect();
        // The first side moves first: one stone more of its own means that the second is to move.
        let turn = if stones[0].len() > stones[1].len() { 'o' } else { 'x' };
        let variant = empty.variant().name();
        let text = format!("{}{turn} {ROW} {variant}", with_counts(&rows.join("/")));
        let board = Board::from_fen(&text).map_err(|error| error.to_string())?;
        Ok(Self { line: Line::new(board, 0), order: self.order })
    }

    /// The point of the board that a cell is.
    ///
    /// # Errors
    ///
    /// If it is none.
    pub(crate) fn point(&self, cell: Cell) -> Result<Point, String> {
        let (column, from_top) = match self.order {
            Order::ColumnFirst => (cell.column, cell.row),
            Order::RowFirst => (cell.row, cell.column),
        };
        let row = i64::from(self.board().height()).checked_sub(1);
        let row = row.and_then(|last| last.checked_sub(from_top));
        let point = u8::try_from(column).ok().zip(row.and_then(|row| u8::try_from(row).ok()));
        point
            .and_then(|(column, row)| Point::new(column, row))
            .filter(|&point| self.board().contains(point))
            .ok_or_else(|| format!("{cell} is off the board"))
    }

    /// The cell of a point.
    pub(crate) fn cell(&self, point: Point) -> Cell {
        cell(self.board(), point, self.order)
    }

    /// The move to an empty cell.
    ///
    /// # Errors
    ///
    /// If it cannot be made.
    pub(crate) fn legal(&self, cell: Cell) -> Result<Point, String> {
        let point = self.point(cell)?;
        if self.board().outcome().is_some() {
            return Err("the game is over".to_owned());
        }
        if !self.board().is_empty(point) {
            return Err(format!("{cell} is occupied"));
        }
        if !self.board().is_legal(point) {
            return Err(format!("{cell} is forbidden"));
        }
        Ok(point)
    }

    /// Makes a move.
    ///
    /// # Errors
    ///
    /// If it cannot be made.
    pub(crate) fn play(&mut self, cell: Cell) -> Result<Point, String> {
        let point = self.legal(cell)?;
        self.line.push(point);
        Ok(point)
    }

    /// Takes the last move back. Where the position was set up whole, any stone of the side that moved last
    /// may be that.
    ///
    /// # Errors
    ///
    /// If it was another, or there is none.
    pub(crate) fn take_back(&mut self, cell: Cell) -> Result<(), String> {
        let point = self.point(cell)?;
        let last = self.line.plies().last().and_then(|ply| ply.mv);
        let mover = !self.board().turn();
        match last {
            Some(last) if last == point => {
                self.line.pop();
                Ok(())
            }
            None if self.board().stone(point) == Some(mover) => {
                let board = self.board();
                let stones = Side::ALL
                    .map(|side| stones_of(board, side).filter(|&other| other != point).collect());
                *self = self.filled(&stones)?;
                Ok(())
            }
            _ => Err(format!("{cell} is not the last move")),
        }
    }

    /// The position with the stones of a list, the engine to move: its own and its opponent's, in any order. The game
    /// may be over.
    ///
    /// # Errors
    ///
    /// If there is no such position.
    pub(crate) fn with_stones(&self, stones: &[(Cell, Option<i64>)]) -> Result<Self, String> {
        let mut own = Vec::new();
        let mut other = Vec::new();
        for &(cell, owner) in stones {
            let point = self.point(cell)?;
            if own.contains(&point) || other.contains(&point) {
                return Err(format!("{cell} is named twice"));
            }
            match owner {
                Some(1) => own.push(point),
                Some(2) => other.push(point),
                Some(3) => {
                    return Err(format!("{cell} is of a continuous game, which is not played"));
                }
                _ => return Err(format!("{cell} has no owner; write x,y,1 or x,y,2")),
            }
        }
        let mine = own.len();
        let theirs = other.len();
        let sides = if mine == theirs {
            [own, other]
        } else if mine + 1 == theirs {
            [other, own]
        } else {
            return Err(format!(
                "{mine} own stones and {theirs} of the opponent: players move in turn"
            ));
        };
        self.filled(&sides)
    }

    /// The same, if the game goes on.
    ///
    /// # Errors
    ///
    /// If it is over.
    pub(crate) fn going_on(self) -> Result<Self, String> {
        match self.board().outcome() {
            Some(_) => Err("the game is over".to_owned()),
            None => Ok(self),
        }
    }

    /// The position after these moves from the empty board.
    ///
    /// # Errors
    ///
    /// The first that cannot be made.
    pub(crate) fn after(&self, cells: &[Cell], variant: Variant) -> Result<Self, String> {
        let mut table = self.cleared(variant)?;
        for &cell in cells {
            table.play(cell)?;
        }
        Ok(table)
    }
}

/// The cell of a point of that board.
pub(crate) fn cell(board: &Board, point: Point, order: Order) -> Cell {
    let row = i64::from(board.height()) - 1 - i64::from(point.row());
    let column = point.column().into();
    match order {
        Order::ColumnFirst => Cell { column, row },
        Order::RowFirst => Cell { column: row, row: column },
    }
}

/// The points of a side's stones.
fn stones_of(board: &Board, side: Side) -> impl Iterator<Item = Point> {
    board.points().filter(move |&point| board.stone(point) == Some(side))
}

/// The sign of a point in the text of a position with these stones of both sides.
fn sign(stones: &[Vec<Point>; 2], column: u8, row: u8) -> char {
    match Point::new(column, row) {
        Some(point) if stones[0].contains(&point) => 'x',
        Some(point) if stones[1].contains(&point) => 'o',
        _ => '-',
    }
}

/// The rows of a position with numbers in place of the dashes for empty points.
fn with_counts(rows: &str) -> String {
    let mut text = String::new();
    let mut empty = 0;
    for sign in rows.chars().chain(std::iter::once(' ')) {
        if sign == '-' {
            empty += 1;
            continue;
        }
        if empty > 0 {
            text += &std::mem::take(&mut empty).to_string();
        }
        text.push(sign);
    }
    text
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn table(width: i64, height: i64, variant: Variant) -> Table {
        Table::new(width, height, variant, Order::ColumnFirst).unwrap()
    }

    const fn at(column: i64, row: i64) -> Cell {
        Cell { column, row }
    }

    /// A stone of the engine in a list.
    const fn own(cell: Cell) -> (Cell, Option<i64>) {
        (cell, Some(1))
    }

    /// A stone of its opponent.
    const fn other(cell: Cell) -> (Cell, Option<i64>) {
        (cell, Some(2))
    }

    #[test]
    fn rows_count_from_the_top() {
        let table = table(20, 10, Variant::Freestyle);
        assert_eq!(table.point(at(0, 0)).unwrap().to_string(), "a10");
        assert_eq!(table.point(at(19, 9)).unwrap().to_string(), "t1");
        for off in [at(20, 0), at(0, 10), at(-1, 0), at(0, -1), at(i64::MAX, i64::MIN)] {
            assert!(table.point(off).unwrap_err().contains("off the board"));
        }
        for (width, height) in [(4, 15), (15, 21), (-15, 15), (i64::MAX, 15)] {
            assert!(Table::new(width, height, Variant::Freestyle, Order::RowFirst).is_err());
        }
    }

    /// The names of points are those that Yixin Board shows, whatever the order of the numbers.
    #[test]
    fn rows_may_come_first() {
        let table = Table::new(20, 10, Variant::Freestyle, Order::RowFirst).unwrap();
        assert_eq!(table.point(at(9, 19)).unwrap().to_string(), "t1");
        assert_eq!(table.cell(table.point(at(2, 17)).unwrap()), at(2, 17));
        assert!(table.point(at(10, 0)).is_err() && table.point(at(0, 20)).is_err());
    }

    #[test]
    fn the_engine_moves_where_stones_are_listed() {
        let empty = table(15, 15, Variant::Standard);
        let black = empty.with_stones(&[other(at(8, 8)), own(at(7, 7))]).unwrap();
        assert_eq!((black.board().turn(), black.board().stones()), (Side::First, 2));
        assert_eq!(black.board().variant(), Variant::Standard);
        let white = empty.with_stones(&[other(at(8, 8)), own(at(7, 7)), other(at(0, 0))]).unwrap();
        assert_eq!(white.board().turn(), Side::Second);
        let row: Vec<_> = (0..5).flat_map(|n| [own(at(n, 0)), other(at(n, 9))]).collect();
        for (stones, part) in [
            (vec![own(at(0, 0))], "1 own stones and 0"),
            (vec![other(at(0, 0)), other(at(1, 0))], "0 own stones and 2"),
            (vec![own(at(0, 0)), other(at(0, 0))], "named twice"),
            (vec![(at(0, 0), Some(3))], "continuous"),
            (vec![(at(0, 0), None)], "no owner"),
            (vec![own(at(0, 15))], "off the board"),
            (row, "over"),
        ] {
            let error = empty.with_stones(&stones).and_then(Table::going_on).unwrap_err();
            assert!(error.contains(part), "{error}");
        }
    }

    #[test]
    fn only_the_last_move_is_taken_back() {
        let mut table = table(15, 15, Variant::Freestyle);
        table.play(at(7, 7)).unwrap();
        table.play(at(8, 8)).unwrap();
        assert!(table.take_back(at(7, 7)).is_err());
        table.take_back(at(8, 8)).unwrap();
        table.take_back(at(7, 7)).unwrap();
        assert!(table.take_back(at(7, 7)).is_err());
        assert_eq!(table.board().stones(), 0);
        let stones = [own(at(0, 0)), other(at(1, 1)), other(at(2, 2))];
        let mut listed = table.with_stones(&stones).unwrap();
        assert!(listed.take_back(at(0, 0)).is_err());
        listed.take_back(at(1, 1)).unwrap();
        assert_eq!((listed.board().stones(), listed.board().turn()), (2, Side::First));
    }

    #[test]
    fn forbidden_points_are_refused() {
        let mut table = table(15, 15, Variant::Renju);
        for (column, row) in [(7, 7), (0, 0), (8, 7), (0, 2), (6, 8), (0, 4), (6, 9), (0, 6)] {
            table.play(at(column, row)).unwrap();
        }
        assert!(table.play(at(6, 7)).unwrap_err().contains("forbidden"));
        assert!(table.under(Variant::Freestyle).unwrap().play(at(6, 7)).is_ok());
    }

    proptest! {
        #[test]
        fn cells_and_points_are_inverse(width in 5_i64..=20, height in 5_i64..=20, column in 0_i64..20, row in 0_i64..20) {
            let table = table(width, height, Variant::Freestyle);
            let cell = at(column, row);
            match table.point(cell) {
                Ok(point) => prop_assert_eq!(table.cell(point), cell),
                Err(_) => prop_assert!(column >= width || row >= height),
            }
        }

        /// The order of the stones is no matter, and the position is that of the moves.
        #[test]
        fn listed_stones_make_the_position_of_the_moves(picks in prop::collection::vec((0_i64..15, 0_i64..15), 0..40), reversed: bool) {
            let empty = table(15, 15, Variant::Freestyle);
            let mut played = empty.clone();
            let mut cells = Vec::new();
            for (column, row) in picks {
                if played.board().outcome().is_none() && played.play(at(column, row)).is_ok() {
                    cells.push(at(column, row));
                }
            }
            prop_assume!(played.board().outcome().is_none());
            let count = cells.len();
            let stones = cells.iter().enumerate().map(|(index, &cell)| {
                if (count - index).is_multiple_of(2) { own(cell) } else { other(cell) }
            });
            let mut stones: Vec<_> = stones.collect();
            if reversed {
                stones.reverse();
            }
            let listed = empty.with_stones(&stones).unwrap();
            prop_assert_eq!(listed.board(), played.board());
        }
    }
}
