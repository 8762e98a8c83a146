//! The board: stones, keys, patterns of all lines kept up to date move by move, and the rules on top of them.

use std::fmt;
use std::ops::RangeInclusive;

use super::lines::LineCells;
use super::lines::{Axis, EDGE, EMPTY, Lines, owner, stone};
use super::pattern::{Around, LinePattern, PatternPair, PatternSource, RowRules};
use super::threat::{self, ClassTable, LinePairs, PointClass, THREATS, Threat};
use super::values::CLASS_VALUES;
use super::{Point, PointSet, Variant};
use crate::game::{Game, MoveList, Notation, Outcome, Side};
use crate::hash::gomoku::{KEYS, POINTS, SECOND_TO_MOVE};
use crate::hash::{Key, KeyTable};

/// Widths and heights that a board may have.
pub const SIZES: RangeInclusive<u8> = 1..=20;

/// The reasons for which a board cannot be made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error, crate::message::ToMessage)]
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

/// A gomoku position: a board of up to 20×20 points, the stones on it and the side to move. Whoever first has
/// `row` stones in an unbroken row, column or diagonal wins; the [variant](Variant) says whether more count too.
///
/// For every empty point and both players the board also keeps the [patterns](LinePattern) that a stone there
/// would make along the four lines and the [threat](Threat) that they are together, and the sums of the values of these
/// points; a move changes them along four lines only.
///
/// ```
/// use juzhong::game::{Game, Outcome, Side};
/// use juzhong::gomoku::{Board, Point};
///
/// // Tic-tac-toe: three in a row on 3 × 3 points.
/// let mut board = Board::new(3, 3, 3)?;
/// for text in ["b2", "a1", "c3", "a2", "a3", "b1"] {
///     board.make(Point::parse(text).unwrap());
/// }
/// assert_eq!(board.outcome(), None);
/// let board = board.play(Point::parse("c1").unwrap()).unwrap();
/// assert_eq!(board.winner(), Some(Side::First));
/// assert_eq!(board.outcome(), Some(Outcome::Win(Side::First)));
/// # Ok::<(), juzhong::gomoku::GeometryError>(())
/// ```
#[derive(Clone)]
pub struct Board {
    width: u8,
    height: u8,
    row: u8,
    variant: Variant,
    turn: Side,
    winner: Option<Side>,
    stones: u16,
    key: Key,
    lines: Lines,
    empty: PointSet,
    /// By point, a byte for each axis; on an occupied point, from before the stone was placed.
    patterns: [LinePairs; POINTS],
    /// By point and player, alike.
    classes: [[PointClass; 2]; POINTS],
    /// By player, the points on which a stone makes a four or more; occupied ones as they were before.
    fours: [PointSet; 2],
    counts: [ThreatCounts; 2],
    pattern_source: PatternSource,
    class_tables: [&'static ClassTable; 2],
}

/// Sums over the empty points of what one player's stones would make there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ThreatCounts {
    /// The number of points by [`Threat`].
    pub threats: [i16; THREATS],
    /// The sums of the points' values for the side to move, in tenths of a centipawn: the first if this player is to
    /// move, the second if the other is.
    pub(crate) values: [i32; 2],
}

impl ThreatCounts {
    const NONE: Self = Self { threats: [0; THREATS], values: [0; 2] };

    /// Adds a point of a class, or takes one away (`sign` is -1).
    #[inline]
    fn add(&mut self, class: PointClass, sign: i16) {
        self.threats[class.threat() as usize] += sign;
        for (sum, value) in self.values.iter_mut().zip(CLASS_VALUES[class.index()]) {
            *sum += i32::from(sign) * i32::from(value);
        }
    }

    /// The number of points on which a stone makes this threat.
    #[must_use]
    pub const fn of(&self, threat: Threat) -> i16 {
        self.threats[threat as usize]
    }

    /// The number of points on which a stone makes a four that one stone stops.
    #[must_use]
    pub const fn simple_fours(&self) -> i16 {
        self.of(Threat::Four) + self.of(Threat::FourAndMore) + self.of(Threat::FourThree)
    }
}

/// The most points whose patterns a move changes where these depend on five cells on each side.
const MOST_CHANGES: usize = 40;

/// A point before a move changed its patterns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Change {
    index: u16,
    classes: [PointClass; 2],
    patterns: LinePairs,
}

/// The information that [`Board::unmake`](Game::unmake) needs: the points that the move changed, and the counts before
/// it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Undo {
    counts: [ThreatCounts; 2],
    changes: [Change; MOST_CHANGES],
    /// Number of changes; beyond [`MOST_CHANGES`], everything is worked out again.
    len: u8,
}

impl Undo {
    const fn new(counts: &[ThreatCounts; 2]) -> Self {
        let none = Change { index: 0, classes: [PointClass::LEAST; 2], patterns: LinePairs::NONE };
        Self { counts: *counts, changes: [none; MOST_CHANGES], len: 0 }
    }

    #[inline]
    const fn push(&mut self, change: Change) {
        if (self.len as usize) < MOST_CHANGES {
            self.changes[self.len as usize] = change;
        }
        self.len = self.len.saturating_add(1);
    }

    /// The changes, if all of them are known.
    fn changes(&self) -> Option<&[Change]> {
        self.changes.get(..usize::from(self.len))
    }
}

impl fmt::Debug for Undo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Undo").field("len", &self.len).finish_non_exhaustive()
    }
}

/// The reason for which a move is forbidden.
///
/// ```
/// use juzhong::game::Game;
/// use juzhong::gomoku::{Board, Forbidden, Point, Variant};
///
/// // Renju: two open threes at once, along the row and along the column.
/// let mut board = Board::with_variant(15, 15, 5, Variant::Renju)?;
/// for text in ["g8", "a1", "i8", "c1", "h7", "e1", "h9", "g1"] {
///     board.make(Point::parse(text).unwrap());
/// }
/// assert_eq!(board.forbidden(Point::parse("h8").unwrap()), Some(Forbidden::DoubleThree));
/// # Ok::<(), juzhong::gomoku::GeometryError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Forbidden {
    /// It makes a row that is too long.
    Overline,
    /// It makes two fours or more.
    DoubleFour,
    /// It makes two open threes or more.
    DoubleThree,
}

impl Forbidden {
    /// All three.
    pub const ALL: [Self; 3] = [Self::Overline, Self::DoubleFour, Self::DoubleThree];

    /// `overline`, `double-four` or `double-three`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Overline => "overline",
            Self::DoubleFour => "double-four",
            Self::DoubleThree => "double-three",
        }
    }
}

/// Stones that may be imagined one after the other when it is decided whether a three can become an open four by a
/// move that is not forbidden itself. Real positions need three or four.
const FORBIDDEN_DEPTH: u8 = 10;

impl Board {
    /// An empty board of `width` × `height` points on which `row` in a row, or more, win.
    ///
    /// # Errors
    ///
    /// If a side has no point or more than 20, or a row would fit nowhere.
    pub fn new(width: u8, height: u8, row: u8) -> Result<Self, GeometryError> {
        Self::with_variant(width, height, row, Variant::Freestyle)
    }

    /// An empty board of a variant.
    ///
    /// # Errors
    ///
    /// As [`new`](Self::new).
    pub fn with_variant(
        width: u8,
        height: u8,
        row: u8,
        variant: Variant,
    ) -> Result<Self, GeometryError> {
        if !SIZES.contains(&width) || !SIZES.contains(&height) {
            return Err(GeometryError::Size { width: width.into(), height: height.into() });
        }
        let most = width.max(height);
        if !(1..=most).contains(&row) {
            return Err(GeometryError::Row { row, width, height, most });
        }
        Ok(Self::with_geometry(width, height, row, variant))
    }

    /// An empty board of a geometry that [`new`](Self::new) accepts.
    pub(crate) fn with_geometry(width: u8, height: u8, row: u8, variant: Variant) -> Self {
        let mut board = Self {
            width,
            height,
            row,
            variant,
            turn: Side::First,
            winner: None,
            stones: 0,
            key: Key(0),
            lines: Lines::empty(width, height),
            empty: PointSet::of_board(width, height),
            patterns: [LinePairs::NONE; POINTS],
            classes: [[PointClass::LEAST; 2]; POINTS],
            fours: [PointSet::EMPTY; 2],
            counts: [ThreatCounts::NONE; 2],
            pattern_source: PatternSource::new(RowRules { row, variant }),
            class_tables: Side::ALL.map(|side| threat::table(variant.forbids(side))),
        };
        board.key =
            Key(board.key_words().map(|index| KEYS.geometry_word(index)).fold(0, |a, b| a ^ b));
        board.work_out_patterns();
        board
    }

    /// The empty board of the same size and rules.
    #[must_use]
    pub fn cleared(&self) -> Self {
        Self::with_geometry(self.width, self.height, self.row, self.variant)
    }

    /// Puts stones on the empty board at once. One player may have a row among them.
    pub(crate) fn fill(&mut self, stones: &[Vec<Point>; 2], turn: Side) {
        for side in Side::ALL {
            for &point in &stones[side.index()] {
                self.lines.set(point, stone(side));
                self.empty.remove(point);
                self.key.0 ^= KEYS.stones[side.index()][point.index()];
                self.stones += 1;
            }
        }
        if turn != self.turn {
            self.switch_turn();
        }
        self.winner = Side::ALL.into_iter().find(|&side| self.has_row(side));
        self.work_out_patterns();
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

    /// The rule of what counts as a row, and of which moves are forbidden.
    #[must_use]
    pub const fn variant(&self) -> Variant {
        self.variant
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
        self.empty.contains(point)
    }

    /// Returns true if `point` lies on the board.
    #[must_use]
    pub const fn contains(&self, point: Point) -> bool {
        self.lines.cell(point) != EDGE
    }

    /// All points of the board, row by row from a1.
    pub fn points(&self) -> impl Iterator<Item = Point> + use<> {
        PointSet::of_board(self.width, self.height).iter()
    }

    /// The empty points, row by row from a1.
    pub fn empty_points(&self) -> impl Iterator<Item = Point> + use<> {
        self.empty.iter()
    }

    /// The empty points.
    #[must_use]
    pub const fn empty_set(&self) -> &PointSet {
        &self.empty
    }

    /// The empty points at most two columns and two rows from a stone, or at most four steps along a line.
    #[must_use]
    pub fn near_stones(&self) -> PointSet {
        self.stone_set().neighbourhood().intersection(&self.empty)
    }

    /// The occupied points.
    fn stone_set(&self) -> PointSet {
        PointSet::of_board(self.width, self.height).difference(&self.empty)
    }

    /// The threats that `side` can make with one stone, counted over the empty points, and the values of these points.
    #[must_use]
    pub const fn counts(&self, side: Side) -> &ThreatCounts {
        &self.counts[side.index()]
    }

    /// The threat that a stone of `side` on an empty point would make. On an occupied point it means nothing.
    #[inline]
    #[must_use]
    pub const fn threat(&self, side: Side, point: Point) -> Threat {
        self.classes[point.index()][side.index()].threat()
    }

    /// The class of an empty point for `side`. On an occupied point it means nothing.
    #[inline]
    #[must_use]
    pub const fn point_class(&self, side: Side, point: Point) -> PointClass {
        self.classes[point.index()][side.index()]
    }

    /// The patterns that a stone of `side` on an empty point would make along the four lines: horizontal,
    /// vertical, rising, falling. On an occupied point they mean nothing.
    #[must_use]
    pub fn line_patterns(&self, side: Side, point: Point) -> [LinePattern; 4] {
        self.patterns[point.index()].patterns(side)
    }

    /// The empty points on which a stone of `side` would make at least this threat, row by row from a1.
    pub fn points_with(&self, side: Side, least: Threat) -> impl Iterator<Item = Point> + '_ {
        let among = if least.is_four() {
            self.fours[side.index()].intersection(&self.empty)
        } else {
            self.empty
        };
        among.iter().filter(move |&point| self.threat(side, point) >= least)
    }

    /// The reason for which the first player may not move to an empty point, whoever's turn it is; `None` where it
    /// may, and in variants without forbidden moves. A row of the right length is never forbidden. An open
    /// three counts only if a move that is not forbidden makes it an open four, and no row at the same time, as
    /// the rules of the Renju International Federation say.
    #[must_use]
    pub fn forbidden(&self, point: Point) -> Option<Forbidden> {
        self.forbidden_within(point, FORBIDDEN_DEPTH)
    }

    fn forbidden_within(&self, point: Point, depth: u8) -> Option<Forbidden> {
        let black = Side::First;
        // The class tables have sorted out nearly every point already; only suspects are looked at.
        if !self.is_empty(point) || self.threat(black, point) != Threat::Suspect {
            return None;
        }
        let patterns = self.line_patterns(black, point);
        if patterns.contains(&LinePattern::Overline) {
            return Some(Forbidden::Overline);
        }
        if patterns.iter().map(|pattern| pattern.fours()).sum::<u32>() > 1 {
            return Some(Forbidden::DoubleFour);
        }
        let mut after = self.clone();
        after.turn = black;
        after.make(point);
        let lines = Axis::ALL.into_iter().zip(patterns);
        let threes = lines
            .filter(|(_, pattern)| pattern.is_open_three())
            .filter(|&(axis, _)| depth == 0 || after.can_open_four(point, axis, depth - 1))
            .count();
        (threes > 1).then_some(Forbidden::DoubleThree)
    }

    /// Returns true if the first player can make an open four along a line through `point` by a move that is not
    /// forbidden and does not make a row at the same time.
    fn can_open_four(&self, point: Point, axis: Axis, depth: u8) -> bool {
        self.points_along(point, axis, 4).any(|next| {
            self.is_empty(next)
                && self.pattern(Side::First, next, axis) == LinePattern::OpenFour
                && self.threat(Side::First, next) != Threat::Five
                && self.forbidden_within(next, depth).is_none()
        })
    }

    /// The points of a line at most `reach` steps from `point`, itself left out, as far as the board goes.
    pub(crate) fn points_along(
        &self,
        point: Point,
        axis: Axis,
        reach: i32,
    ) -> impl Iterator<Item = Point> + use<> {
        let board = (i32::from(self.width), i32::from(self.height));
        (-reach..=reach).filter(|&steps| steps != 0).filter_map(move |steps| {
            let (columns, rows) = axis.direction();
            let column = i32::from(point.column()) + steps * columns;
            let row = i32::from(point.row()) + steps * rows;
            let is_inside = (0..board.0).contains(&column) && (0..board.1).contains(&row);
            let place = is_inside.then_some((column as u8, row as u8));
            place.and_then(|(column, row)| Point::new(column, row))
        })
    }

    const fn pattern(&self, side: Side, point: Point, axis: Axis) -> LinePattern {
        super::pattern::of_side(self.patterns[point.index()].pair(axis), side)
    }

    /// The pattern that a stone of `side` on an empty point would make along a line.
    pub(crate) const fn pattern_along(&self, side: Side, point: Point, axis: Axis) -> LinePattern {
        self.pattern(side, point, axis)
    }

    /// The cells around a point along a line, as seen by a player who puts a stone there.
    pub(crate) fn around(&self, side: Side, point: Point, axis: Axis) -> Around {
        let (line, at) = self.lines.through(axis, point);
        Around::new(line, at, side, 20)
    }

    /// The numbers of the key words for size and rules.
    fn key_words(&self) -> impl Iterator<Item = usize> + use<> {
        let geometry = [self.width, self.height, self.row];
        let words = (0..).zip(geometry).map(|(kind, length)| geometry_word(kind, length));
        // No board has a side or a row of length 0, so that those words are free for the variants.
        let variant = match self.variant {
            Variant::Freestyle => None,
            Variant::Standard => Some(geometry_word(2, 0)),
            Variant::Renju => Some(geometry_word(1, 0)),
        };
        words.chain(variant)
    }

    /// The key under the words of `table` after moving every stone by `image`. The words of a table
    /// that is too short count as 0.
    pub(crate) fn key_with(&self, table: &KeyTable, image: impl Fn(Point) -> Point) -> Key {
        let words = table.words();
        let word = |index: usize| words.get(index).copied().unwrap_or(0);
        let mut key = self.key_words().map(word).fold(0, |a, b| a ^ b);
        if self.turn == Side::Second {
            key ^= word(SECOND_TO_MOVE);
        }
        for point in self.stone_set().iter() {
            if let Some(side) = self.stone(point) {
                key ^= word(side.index() * POINTS + image(point).index());
            }
        }
        Key(key)
    }

    /// The key after moving every stone by `image`.
    pub(crate) fn key_of_image(&self, image: impl Fn(Point) -> Point) -> Key {
        let mut key = self.key.0;
        for point in self.stone_set().iter() {
            if let Some(side) = self.stone(point) {
                let words = &KEYS.stones[side.index()];
                // Words of turn and geometry stay as they are: the board's symmetries do not change them.
                key ^= words[point.index()] ^ words[image(point).index()];
            }
        }
        Key(key)
    }

    /// The key after a move of the side to move, without making it.
    #[inline]
    pub(crate) const fn key_after_move(&self, point: Point) -> Key {
        Key(self.key.0 ^ KEYS.stones[self.turn.index()][point.index()] ^ KEYS.second_to_move)
    }

    /// Gives the move to the other side.
    pub(crate) const fn switch_turn(&mut self) {
        self.turn = match self.turn {
            Side::First => Side::Second,
            Side::Second => Side::First,
        };
        self.key.0 ^= KEYS.second_to_move;
    }

    /// The record of a move that changes nothing.
    pub(crate) const fn undo_nothing(&self) -> Undo {
        Undo::new(&self.counts)
    }

    /// Changes a cell and the patterns on the four lines through it.
    fn change(&mut self, point: Point, cell: u8, undo: &mut Undo) {
        self.lines.set(point, cell);
        match self.pattern_source {
            PatternSource::Near(table) => {
                let pair = |line: LineCells, at| table[usize::from(line.four_neighbours(at))];
                self.change_around::<4>(point, pair, undo);
            }
            PatternSource::Far(table) => {
                let pair = |line: LineCells, at| table[line.five_neighbours(at) as usize];
                self.change_around::<5>(point, pair, undo);
            }
            // As far as the longest row reaches: 20 cells.
            source @ PatternSource::Computed(_) => {
                self.change_around::<20>(point, |line, at| source.pair(line, at), undo);
            }
        }
    }

    #[inline]
    fn change_around<const REACH: i32>(
        &mut self,
        point: Point,
        pair: impl Fn(LineCells, i32) -> PatternPair,
        undo: &mut Undo,
    ) {
        for axis in Axis::ALL {
            let (line, at) = self.lines.through(axis, point);
            for direction in [1, -1] {
                let step = (direction * axis.step()) as isize;
                let mut index = point.index();
                for distance in 1..=REACH {
                    index = index.wrapping_add_signed(step);
                    let place = at + direction * distance;
                    match line.cell(place) {
                        EMPTY => {
                            let pair = pair(line, place);
                            if self.patterns[index].pair(axis) != pair {
                                self.change_patterns(index, axis, pair, undo);
                            }
                        }
                        // Nothing beyond the edge changes; beyond a stone it may, for patterns look past
                        // stones of the other side's.
                        EDGE => break,
                        _ => {}
                    }
                }
            }
        }
    }

    #[inline]
    fn change_patterns(&mut self, index: usize, axis: Axis, pair: PatternPair, undo: &mut Undo) {
        let before = self.patterns[index];
        let classes = self.classes[index];
        undo.push(Change { index: index as u16, classes, patterns: before });
        let after = before.with(axis, pair);
        self.patterns[index] = after;
        let old = before.pair(axis);
        for side in Side::ALL {
            let shift = 4 * side.index();
            let old = old >> shift & 15;
            let new = pair >> shift & 15;
            if old == new {
                continue;
            }
            let kept = classes[side.index()];
            let class = self.class_tables[side.index()][after.index(side)];
            if kept != class {
                let counts = &mut self.counts[side.index()];
                counts.add(kept, -1);
                counts.add(class, 1);
                // Only a change of kind is entered: the set is asked for at every node, and most changes
                // leave it as it is.
                if kept.threat().is_four() != class.threat().is_four() {
                    self.fours[side.index()].toggle(index);
                }
                self.classes[index][side.index()] = class;
            }
        }
    }

    /// Restores a point, but for the counts.
    #[inline]
    fn take_back(&mut self, change: Change) {
        let index = usize::from(change.index);
        self.patterns[index] = change.patterns;
        let classes = std::mem::replace(&mut self.classes[index], change.classes);
        for side in Side::ALL.map(Side::index) {
            if classes[side].threat().is_four() != change.classes[side].threat().is_four() {
                self.fours[side].toggle(index);
            }
        }
    }

    /// Takes a point out of the counts.
    fn discount(&mut self, point: Point) {
        for side in Side::ALL.map(Side::index) {
            self.counts[side].add(self.classes[point.index()][side], -1);
        }
    }

    /// Works out all patterns and threats again.
    fn work_out_patterns(&mut self) {
        self.counts = [ThreatCounts::NONE; 2];
        self.fours = [PointSet::EMPTY; 2];
        for point in self.empty.iter() {
            let pairs = LinePairs::new(Axis::ALL.map(|axis| {
                let (line, at) = self.lines.through(axis, point);
                self.pattern_source.pair(line, at)
            }));
            self.patterns[point.index()] = pairs;
            for side in Side::ALL {
                let class = self.class_tables[side.index()][pairs.index(side)];
                self.classes[point.index()][side.index()] = class;
                self.counts[side.index()].add(class, 1);
                if class.threat().is_four() {
                    self.fours[side.index()].insert(point);
                }
            }
        }
    }

    /// Returns true if `side` has a row that wins, found by looking at every line of the board.
    pub(crate) fn has_row(&self, side: Side) -> bool {
        self.row_without(side, None)
    }

    /// Returns true if `side` would have a row that wins without the stone on `removed`.
    pub(crate) fn row_without(&self, side: Side, removed: Option<Point>) -> bool {
        let is_own = |point: Point| self.stone(point) == Some(side) && Some(point) != removed;
        let exact = self.variant.is_exact(side);
        self.points().any(|first| {
            Axis::ALL.into_iter().any(|axis| {
                if !is_own(first) || axis.previous(first).is_some_and(is_own) {
                    return false;
                }
                let run = std::iter::successors(Some(first), |&point| axis.next(point))
                    .take_while(|&point| is_own(point))
                    .count();
                let row = usize::from(self.row);
                run == row || run > row && !exact
            })
        })
    }

    /// Returns true if the side to move has empty points, and all of them are forbidden.
    fn is_out_of_moves(&self) -> bool {
        self.variant.forbids(self.turn)
            // Only suspects can be forbidden: if some empty point is no suspect, which the counts show without a
            // walk over the points, there is a legal move.
            && self.counts[self.turn.index()].of(Threat::Suspect)
                == (self.area() - self.stones).cast_signed()
            && self.empty.iter().all(|point| self.forbidden(point).is_some())
    }

    /// Returns true if the side to move may not move to this empty point.
    #[inline]
    fn is_forbidden(&self, point: Point) -> bool {
        self.variant.forbids(self.turn) && self.forbidden(point).is_some()
    }
}

/// The number of the key word for a width (0), a height (1) or a row length (2).
const fn geometry_word(kind: usize, length: u8) -> usize {
    SECOND_TO_MOVE + 1 + 21 * kind + length as usize
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
        if self.winner.is_none() {
            moves.extend(self.empty.iter().filter(|&point| !self.is_forbidden(point)));
        }
    }

    fn is_legal(&self, mv: Point) -> bool {
        self.winner.is_none() && self.is_empty(mv) && !self.is_forbidden(mv)
    }

    fn make(&mut self, point: Point) -> Undo {
        let side = self.turn;
        let mut undo = Undo::new(&self.counts);
        if self.threat(side, point) == Threat::Five {
            self.winner = Some(side);
        }
        self.discount(point);
        self.empty.remove(point);
        self.change(point, stone(side), &mut undo);
        self.stones += 1;
        self.key.0 ^= KEYS.stones[side.index()][point.index()];
        self.switch_turn();
        undo
    }

    fn unmake(&mut self, point: Point, undo: Undo) {
        self.switch_turn();
        self.key.0 ^= KEYS.stones[self.turn.index()][point.index()];
        self.stones -= 1;
        self.winner = None;
        self.lines.set(point, EMPTY);
        self.empty.insert(point);
        match undo.changes() {
            Some(changes) => {
                // No point shares more than one line with the stone, so that each has changed once at most: they can
                // be taken back in any order.
                for &change in changes {
                    self.take_back(change);
                }
                self.counts = undo.counts;
            }
            None => self.work_out_patterns(),
        }
    }

    /// A row wins; a full board without one is a draw, and so is a board on which the side to move may
    /// not move anywhere.
    fn outcome(&self) -> Option<Outcome> {
        match self.winner {
            Some(side) => Some(Outcome::Win(side)),
            None => (self.is_full() || self.is_out_of_moves()).then_some(Outcome::Draw),
        }
    }

    fn count_legal_moves(&self) -> u64 {
        if self.winner.is_some() {
            return 0;
        }
        let mut count = u64::from(self.area() - self.stones);
        if self.variant.forbids(self.turn) {
            count -= self.empty.iter().filter(|&point| self.is_forbidden(point)).count() as u64;
        }
        count
    }
}

impl PartialEq for Board {
    /// Equal geometry, rules, stones and side to move.
    fn eq(&self, other: &Self) -> bool {
        (self.width, self.height, self.row, self.variant, self.turn)
            == (other.width, other.height, other.row, other.variant, other.turn)
            && self.lines == other.lines
    }
}

impl Eq for Board {}

impl fmt::Debug for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Board({})", self.to_fen())
    }
}
