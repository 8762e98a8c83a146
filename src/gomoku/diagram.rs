//! A board as lines of text, for terminals and messages.

use std::fmt::Write as _;

use super::{Board, Point};
use crate::game::{Game, Side};

/// The signs that draw a board.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DiagramStyle {
    /// `x`, `o` and `.`, `!` for a forbidden point.
    #[default]
    Ascii,
    /// `●`, `○` and `·`, `×` for a forbidden point.
    Unicode,
}

impl Board {
    /// Draws the board with row 1 below, letters and numbers at the edge, and the stone on `last` in
    /// parentheses. While Black is to move, the points where it may not are marked. Ends with a line break.
    ///
    /// ```
    /// use juzhong::game::Game;
    /// use juzhong::gomoku::{Board, DiagramStyle, Point};
    ///
    /// let middle = Point::parse("b2").unwrap();
    /// let board = Board::new(3, 3, 3)?.play(middle).unwrap();
    /// let lines = " 3 . . .\n 2 .(x).\n 1 . . .\n   a b c\n";
    /// assert_eq!(board.diagram(DiagramStyle::Ascii, Some(middle)), lines);
    /// # Ok::<(), juzhong::gomoku::GeometryError>(())
    /// ```
    #[must_use]
    pub fn diagram(&self, style: DiagramStyle, last: Option<Point>) -> String {
        let mut drawing = String::new();
        for row in (0..self.height()).rev() {
            let written = write!(drawing, "{:>2}", row + 1);
            debug_assert!(written.is_ok(), "writing to a string cannot fail");
            let mut closing = false;
            for column in 0..self.width() {
                let point = Point::new(column, row);
                let is_last = point == last;
                drawing.push(match (is_last, closing) {
                    (true, _) => '(',
                    (false, true) => ')',
                    (false, false) => ' ',
                });
                drawing.push(match point.and_then(|point| self.stone(point)) {
                    None if point.is_some_and(|point: Point| {
                        self.turn() == Side::First && self.forbidden(point).is_some()
                    }) =>
                    {
                        forbidden_sign(style)
                    }
                    stone => sign(stone, style),
                });
                closing = is_last;
            }
            drawing.push_str(if closing { ")\n" } else { "\n" });
        }
        drawing.push_str("  ");
        for letter in ('a'..).take(self.width().into()) {
            drawing.push(' ');
            drawing.push(letter);
        }
        drawing.push('\n');
        drawing
    }
}

const fn forbidden_sign(style: DiagramStyle) -> char {
    match style {
        DiagramStyle::Ascii => '!',
        DiagramStyle::Unicode => '×',
    }
}

const fn sign(stone: Option<Side>, style: DiagramStyle) -> char {
    match (stone, style) {
        (None, DiagramStyle::Ascii) => '.',
        (Some(Side::First), DiagramStyle::Ascii) => 'x',
        (Some(Side::Second), DiagramStyle::Ascii) => 'o',
        (None, DiagramStyle::Unicode) => '·',
        (Some(Side::First), DiagramStyle::Unicode) => '●',
        (Some(Side::Second), DiagramStyle::Unicode) => '○',
    }
}
