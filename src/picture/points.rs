//! Points of boards, as drawings have them: their places, and the marks that are drawn on them.

use crate::game::Notation;
use crate::picture::drawing::{Colour, Drawing, Shape};
use crate::picture::svg::{number, push};
use crate::picture::theme::{CELL, GRAIN, GRAIN_OPACITY, MARGIN, PLANK, WHITE};

/// Wavy lines of the wood.
const GRAINS: u8 = 26;

/// Marks of a picture at most: those after them are left out.
pub(crate) const MOST_MARKS: usize = 100;

/// A point of a board: its column from the left and its row from below, as the first side sees them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Spot {
    /// From 0.
    pub column: u8,
    /// From 0.
    pub row: u8,
}

/// The points of a board and the side from which it is seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Grid {
    /// The number of columns.
    pub columns: u8,
    /// The number of rows.
    pub rows: u8,
    /// The second side sits below.
    pub is_flipped: bool,
}

impl Grid {
    /// Width and height of the drawing.
    pub(crate) fn size(self) -> [f32; 2] {
        [self.columns, self.rows].map(|count| f32::from(count) * CELL + 2.0 * MARGIN)
    }

    /// Returns true if the board has the point.
    #[must_use]
    pub const fn has(self, spot: Spot) -> bool {
        spot.column < self.columns && spot.row < self.rows
    }

    /// The middle of a point.
    pub(crate) fn place(self, spot: Spot) -> [f32; 2] {
        let [column, row] = match self.is_flipped {
            false => [spot.column, self.rows.saturating_sub(1 + spot.row)],
            true => [self.columns.saturating_sub(1 + spot.column), spot.row],
        };
        [column, row].map(|at| MARGIN + CELL * (f32::from(at) + 0.5))
    }

    /// The point at a column and a row as seen, from the left above.
    pub(crate) const fn seen(self, column: u8, row: u8) -> Spot {
        match self.is_flipped {
            false => Spot { column, row: self.rows.saturating_sub(1 + row) },
            true => Spot { column: self.columns.saturating_sub(1 + column), row },
        }
    }
}

/// The colour of a mark, with the letters of `[%csl]` and `[%cal]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum MarkColour {
    /// `G`
    #[default]
    Green,
    /// `R`
    Red,
    /// `B`
    Blue,
    /// `Y`
    Yellow,
}

impl MarkColour {
    const fn of_letter(letter: char) -> Option<Self> {
        match letter {
            'G' => Some(Self::Green),
            'R' => Some(Self::Red),
            'B' => Some(Self::Blue),
            'Y' => Some(Self::Yellow),
            _ => None,
        }
    }

    const fn colour(self) -> Colour {
        match self {
            Self::Green => [0x15, 0x78, 0x1b],
            Self::Red => [0xc0, 0x27, 0x18],
            Self::Blue => [0x17, 0x57, 0xb8],
            Self::Yellow => [0xc4, 0x8a, 0x00],
        }
    }
}

/// An arrow between two points, or a ring around one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Mark {
    /// Its colour.
    pub colour: MarkColour,
    /// The point, or where the arrow begins.
    pub from: Spot,
    /// Where the arrow ends; `None` for a ring.
    pub to: Option<Spot>,
}

/// The text is no mark.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, crate::message::ToMessage)]
#[error(
    "\"{0}\" is no mark; give a point (e4) or two (h2e2), after a letter for the colour perhaps: G, R, B or Y"
)]
pub struct UnknownMark(String);

impl Mark {
    /// Reads a mark as it is typed and as it stands in comments: `e4`, `Re4`, `Gh2e2`. The letter is its colour.
    ///
    /// ```
    /// use juzhong::picture::{Mark, MarkColour};
    /// use juzhong::xiangqi::Position;
    ///
    /// let mark = Mark::read::<Position>("Rh2e2")?;
    /// assert_eq!((mark.colour, mark.from.column, mark.from.row), (MarkColour::Red, 7, 2));
    /// assert!(Mark::read::<Position>("e4")?.to.is_none());
    /// assert!(Mark::read::<Position>("44").is_err());
    /// # Ok::<(), juzhong::picture::UnknownMark>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The text is no mark.
    pub fn read<G: Notation>(text: &str) -> Result<Self, UnknownMark> {
        Self::try_read::<G>(text.trim()).ok_or_else(|| UnknownMark(text.to_owned()))
    }

    fn try_read<G: Notation>(text: &str) -> Option<Self> {
        let first = text.chars().next()?;
        let named = MarkColour::of_letter(first);
        let points = if named.is_some() { &text[1..] } else { text };
        let [from, rest] = first_spot(points)?;
        let to = if rest.is_empty() {
            None
        } else {
            let [to, rest] = first_spot(rest)?;
            if !rest.is_empty() {
                return None;
            }
            Some(spot_of::<G>(to)?)
        };
        let from = spot_of::<G>(from)?;
        Some(Self { colour: named.unwrap_or_default(), from, to: to.filter(|&to| to != from) })
    }
}

/// The text of a point at the beginning of a text, and the rest.
fn first_spot(text: &str) -> Option<[&str; 2]> {
    // `None` where the first character has several bytes: no letter of a column has.
    let digits = text.get(1..)?.bytes().take_while(u8::is_ascii_digit).count();
    let (point, rest) = text.split_at_checked(1 + digits)?;
    (digits > 0 && point.as_bytes()[0].is_ascii_lowercase()).then_some([point, rest])
}

fn spot_of<G: Notation>(text: &str) -> Option<Spot> {
    let (letter, row) = text.split_at_checked(1)?;
    let column = letter.as_bytes()[0].checked_sub(b'a')?;
    let row: u8 = row.parse().ok()?;
    let row = if G::RANKS_FROM_ZERO { row } else { row.checked_sub(1)? };
    Some(Spot { column, row })
}

/// A comment taken apart: the arrows and rings in its commands (`[%csl Ge4]`, `[%cal Gh2e2]`), and the text without
/// commands.
#[must_use]
pub(crate) fn divided<G: Notation>(comment: &str) -> (Vec<Mark>, String) {
    let mut marks = Vec::new();
    let mut text = String::new();
    let mut rest = comment;
    while let Some(begin) = rest.find("[%") {
        let Some(length) = rest[begin..].find(']') else { break };
        let command = &rest[begin + 2..begin + length];
        text.push_str(&rest[..begin]);
        rest = &rest[begin + length + 1..];
        let Some((name, list)) = command.split_once(' ') else { continue };
        if matches!(name, "csl" | "cal") {
            marks.extend(list.split(',').filter_map(|mark| Mark::read::<G>(mark).ok()));
        }
    }
    text.push_str(rest);
    // A comment may have a million of them.
    marks.truncate(MOST_MARKS);
    (marks, text.trim().to_owned())
}

/// Draws the wood.
pub(crate) fn add_wood(drawing: &mut Drawing) {
    let [width, height] = drawing.size;
    drawing.add(Shape::rectangle([0.0; 2], [width, height]).filled(PLANK).named("plank"));
    let mut grain = String::new();
    for line in 0..GRAINS {
        let at = f32::from(line);
        // Waves, no random numbers: every drawing has the same wood.
        let y = height * (at + 0.5) / f32::from(GRAINS) + 9.0 * (at * 2.4).sin();
        let swing = 7.0 + 6.0 * (at * 1.7).sin();
        let [x1, x2, width] = [width * 0.3, width * 0.6, width].map(whole);
        let [y, y1, y2, y3] = [y, y + swing, y - swing * 1.6, y + swing * 0.7].map(whole);
        push(&mut grain, format_args!("M0 {y}C{x1} {y1} {x2} {y2} {width} {y3}"));
    }
    let grain = Shape::path(grain).stroked(GRAIN, 3.0).opaque(GRAIN_OPACITY);
    drawing.add(grain.named("grain"));
}

fn whole(value: f32) -> String {
    number(value.round())
}

/// Draws an arrow or a ring.
pub(crate) fn add_mark(drawing: &mut Drawing, grid: Grid, mark: Mark) {
    const WIDTH: f32 = 15.0;
    const OPACITY: f32 = 0.92;
    if !grid.has(mark.from) || !mark.to.is_none_or(|to| grid.has(to)) {
        return;
    }
    let colour = mark.colour.colour();
    let from = grid.place(mark.from);
    let shape = match mark.to {
        None => Shape::circle(from, 42.0).stroked(colour, WIDTH * 0.6),
        Some(to) => {
            let arrow = arrow_path(from, grid.place(to), WIDTH);
            Shape::path(arrow).filled(colour).stroked(WHITE, 2.0)
        }
    };
    drawing.add(shape.opaque(OPACITY));
}

/// The outline of an arrow that stops short of the piece at which it points.
fn arrow_path([x1, y1]: [f32; 2], [x2, y2]: [f32; 2], width: f32) -> String {
    // Not 0: an arrow to its own point is read as a ring.
    let length = (x2 - x1).hypot(y2 - y1);
    let [ux, uy] = [(x2 - x1) / length, (y2 - y1) / length];
    let stop = length - 12.0;
    let neck = stop - 20.0 - width * 1.3;
    let half = width / 2.0;
    let wing = half + 6.0 + width * 0.5;
    let corners = [
        (30.0, half),
        (neck, half),
        (neck, wing),
        (stop, 0.0),
        (neck, -wing),
        (neck, -half),
        (30.0, -half),
    ];
    let points = corners.map(|(along, side)| {
        let [x, y] = [x1 + ux * along - uy * side, y1 + uy * along + ux * side];
        format!("{} {}", number(x), number(y))
    });
    format!("M{}z", points.join("L"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gomoku::Board;
    use crate::xiangqi::Position;

    #[test]
    fn points_are_where_the_board_is_seen_from() {
        let grid = Grid { columns: 9, rows: 10, is_flipped: false };
        let corner = Spot { column: 0, row: 0 };
        assert_eq!(grid.place(corner), [86.0, 986.0]);
        assert_eq!(Grid { is_flipped: true, ..grid }.place(corner), [886.0, 86.0]);
        for is_flipped in [false, true] {
            let grid = Grid { is_flipped, ..grid };
            for (column, row) in [(0, 0), (8, 9), (3, 7)] {
                let [x, y] = grid.place(grid.seen(column, row));
                let seen = [column, row].map(|at| 86.0 + 100.0 * f32::from(at));
                assert_eq!([x, y], seen);
            }
        }
    }

    #[test]
    fn marks_are_read_as_each_game_numbers_rows() {
        let mark = Mark::read::<Board>("Yh15").expect("a mark");
        assert_eq!((mark.from, mark.to), (Spot { column: 7, row: 14 }, None));
        assert_eq!(Mark::read::<Board>("a1b12").expect("a mark").to.map(|to| to.row), Some(11));
        for wrong in ["", "G", "h", "h2e", "h2e2x", "Xh2", "炮", "Gé", "h0", "h999"] {
            assert!(Mark::read::<Board>(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn comments_are_divided() {
        let divide = divided::<Position>;
        let (marks, text) = divide("[%csl Ge4,Rh9] good [%cal Bh2e2,zz][%eval 0.3]");
        assert_eq!((marks.len(), text.as_str()), (3, "good"));
        assert_eq!(divide("[%cal").1, "[%cal");
        assert_eq!(divide("a [b] [%x] c").1, "a [b]  c");
    }
}
