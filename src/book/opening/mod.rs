//! Names of openings: a classifier of xiangqi after the Encyclopedia of Chinese Chess Openings, and the openings
//! of gomoku. What works with games of any kind asks [`Named`].
//!
//! The encyclopedia is a tree of 260 codes. `books/ecco.tsv` holds it as lines of two sorts
//! (`books/README.md` describes their form):
//!
//! - an *exact* line ends in a position, which is found by its canonical key: by whatever order of
//!   moves, and from either side of the mirror, a game gets there;
//! - a *formation* goes on from the lines of a code and names the squares of the pieces that matter; the
//!   other pieces may stand anywhere.
//!
//! A game goes down the tree ([`OpeningTracker`]): from the code where it is, an exact line below it or a formation
//! that goes on from it takes it further: a formation up to [`FORMATION_PLY`], an exact line up to
//! [`MAX_PLY`]. The deepest line reached names the game. A position without a past
//! ([`Openings::name_position`]) is named by the exact line that ends there, or else by the line with most of
//! its pieces in place.

mod gomoku;
pub(crate) mod opening_stats;
mod table;
#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::LazyLock;

pub use gomoku::StoneTracker;
pub use table::{OpeningError, OpeningFault};
use table::{OpeningLine, OpeningTable, Rules};

use crate::game::{Game, Notation, Symmetric};
use crate::xiangqi::{Move, Position};

/// The number of plies after which a game's name is settled.
pub const MAX_PLY: u32 = 24;

/// The number of plies within which a formation must stand to count: the encyclopedia's lines have eight
/// moves of each side at most, and pieces that come to the same squares later belong to the middle game.
pub const FORMATION_PLY: u32 = 16;

/// The fewest pieces with which a position without a past is named.
pub const MIN_MEN: u32 = 28;

/// The code of an opening. Xiangqi has those of the encyclopedia, a letter from A to E and two digits; gomoku a number
/// and a letter: `1D` to `13D` and `1I` to `13I` are the openings of renju, F and S those of freestyle and swap2.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Code([u8; 3]);

impl Code {
    /// Reads a code; the letter may be small.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        if text.starts_with(|c: char| c.is_ascii_digit()) {
            return Self::of_gomoku(text);
        }
        let &[letter, tens, ones] = text.as_bytes() else { return None };
        let letter = letter.to_ascii_uppercase();
        let is_code =
            matches!(letter, b'A'..=b'E') && tens.is_ascii_digit() && ones.is_ascii_digit();
        is_code.then_some(Self([letter, tens, ones]))
    }

    fn of_gomoku(text: &str) -> Option<Self> {
        let (tens, ones, letter) = match *text.as_bytes() {
            [ones, letter] => (b'0', ones, letter),
            [tens, ones, letter] => (tens, ones, letter),
            _ => return None,
        };
        let letter = letter.to_ascii_uppercase();
        let is_code = matches!(letter, b'D' | b'F' | b'I' | b'S')
            && tens.is_ascii_digit()
            && ones.is_ascii_digit();
        is_code.then_some(Self([tens, ones, letter]))
    }

    /// The letter.
    #[must_use]
    pub const fn letter(self) -> char {
        if self.0[0].is_ascii_digit() { self.0[2] as char } else { self.0[0] as char }
    }

    /// The English name of the code; `None` for codes that the encyclopedia does not have.
    ///
    /// # Panics
    ///
    /// Never: a test reads the file, which is part of the program.
    #[must_use]
    pub fn english_name(self) -> Option<&'static str> {
        static NAMES: LazyLock<Vec<(Code, &str)>> = LazyLock::new(|| {
            let lines = include_str!("../../../books/ecco-en.tsv").lines();
            let lines = lines.filter(|line| !line.starts_with('#'));
            lines.map(|line| english_entry(line).expect("the lines are sound")).collect()
        });
        if self.0[0].is_ascii_digit() {
            return gomoku::english_name(self);
        }
        let at = NAMES.binary_search_by_key(&self, |&(code, _)| code).ok()?;
        Some(NAMES[at].1)
    }

    /// A description common to the openings of this letter.
    #[must_use]
    pub const fn group(self) -> &'static str {
        match (self.0[0], self.letter()) {
            (b'0'..=b'9', 'D') => "the second stone beside the first, in a straight line",
            (b'0'..=b'9', 'I') => "the second stone beside the first, on a diagonal",
            (b'0'..=b'9', 'F') => "first and second stones of freestyle",
            (b'0'..=b'9', _) => "three stones of swap2",
            (b'A', _) => "other first moves",
            (b'B', _) => "central cannon against other than screen horses and cannons",
            (b'C', _) => "central cannon against screen horses",
            (b'D', _) => "central cannon against a central cannon",
            _ => "pawn opening",
        }
    }
}

/// Reads a line of the English names.
fn english_entry(line: &'static str) -> Option<(Code, &'static str)> {
    let (code, name) = line.split_once('\t')?;
    Some((Code::parse(code)?, name))
}

impl Opening {
    /// The code's English name.
    #[must_use]
    pub fn english_name(&self) -> &'static str {
        self.code.english_name().unwrap_or(self.name)
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = if self.0[0] == b'0' { &self.0[1..] } else { &self.0[..] };
        shown.iter().try_for_each(|&byte| fmt::Write::write_char(f, byte as char))
    }
}

/// A game whose openings have names.
pub trait Named: Notation + Symmetric {
    /// Follows a game from its start.
    type Tracker: TrackOpening<Self>;

    /// The number of plies after which the name of a game is settled.
    const SETTLED: u32;

    /// The member of answers that has the code.
    const CODE_MEMBER: &'static str;

    /// Follows a game from the start given.
    fn tracker(start: &Self) -> Self::Tracker;

    /// Names the position without its past, if there is a name for it.
    fn opening(&self) -> Option<Opening>;

    /// The Chinese name of a code.
    fn name_of(code: Code) -> Option<&'static str>;

    /// Names a game from a usual start; `None` without moves. Moves must be legal.
    #[must_use]
    fn name_game(start: &Self, moves: &[Self::Move]) -> Option<Opening> {
        let mut position = start.clone();
        let mut tracker = Self::tracker(start);
        for &mv in moves.iter().take(Self::SETTLED as usize) {
            position.make(mv);
            tracker.push(&position);
        }
        tracker.opening()
    }
}

/// A game followed ply by ply, and named at each.
pub trait TrackOpening<G>: Clone + fmt::Debug {
    /// The position after one more move.
    fn push(&mut self, position: &G);

    /// The name of the game so far; `None` before the first move.
    fn opening(&self) -> Option<Opening>;
}

impl Named for Position {
    type Tracker = OpeningTracker<'static>;
    const SETTLED: u32 = MAX_PLY;
    const CODE_MEMBER: &'static str = "ecco";

    fn tracker(_start: &Self) -> OpeningTracker<'static> {
        OpeningTracker::new(Openings::built_in())
    }

    fn opening(&self) -> Option<Opening> {
        Openings::built_in().name_position(self)
    }

    fn name_of(code: Code) -> Option<&'static str> {
        Openings::built_in().name(code)
    }
}

impl TrackOpening<Position> for OpeningTracker<'_> {
    fn push(&mut self, position: &Position) {
        OpeningTracker::push(self, position);
    }

    fn opening(&self) -> Option<Opening> {
        OpeningTracker::opening(self)
    }
}

/// The name of a game or position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Opening {
    /// The code.
    pub code: Code,
    /// The code's Chinese name.
    pub name: &'static str,
    /// The number of plies after which the line was reached; for a position without a past, the number of
    /// moves of the line.
    pub ply: u32,
}

/// The lines of the encyclopedia.
#[derive(Debug)]
pub struct Openings(OpeningTable);

impl Openings {
    /// The lines of `books/ecco.tsv`.
    ///
    /// # Panics
    ///
    /// Never: a test reads the file, which is part of the program.
    #[must_use]
    pub fn built_in() -> &'static Self {
        static TABLE: LazyLock<Openings> = LazyLock::new(|| {
            Openings::parse(include_str!("../../../books/ecco.tsv")).expect("the lines are sound")
        });
        &TABLE
    }

    /// Reads lines of the form of `books/ecco.tsv`.
    ///
    /// # Errors
    ///
    /// The first line that is not understood, and why.
    pub fn parse(text: &'static str) -> Result<Self, OpeningError> {
        OpeningTable::parse(text).map(Self)
    }

    /// Code and name of every line, in the order of the file.
    #[must_use]
    pub fn lines(&self) -> impl ExactSizeIterator<Item = (Code, &'static str)> + '_ {
        self.0.lines.iter().map(|line| (line.code, line.name))
    }

    /// The name of a code.
    #[must_use]
    pub fn name(&self, code: Code) -> Option<&'static str> {
        self.0.lines.iter().find(|line| line.code == code).map(|line| line.name)
    }

    /// Names a game from the usual start; `None` without moves. Moves must be legal.
    #[must_use]
    pub fn name_game(&self, moves: &[Move]) -> Option<Opening> {
        let mut position = Position::start();
        let mut tracker = OpeningTracker::new(self);
        for &mv in moves.iter().take(MAX_PLY as usize) {
            position.make(mv);
            tracker.push(&position);
        }
        tracker.opening()
    }

    /// Names a position without a past, if it still resembles a line at all.
    #[must_use]
    pub fn name_position(&self, position: &Position) -> Option<Opening> {
        let exact = self.exact_lines(position).map(|(line, _)| line).next();
        let found = exact.or_else(|| {
            if position.occupied().len() < MIN_MEN {
                return None;
            }
            // The first of those with most moves.
            self.0
                .lines
                .iter()
                .filter(|line: &&OpeningLine| Frames::of(&line.whole, position, Frames::BOTH).any())
                .min_by_key(|line| std::cmp::Reverse(line.total))
        })?;
        (found.total > 0).then_some(Opening {
            code: found.code,
            name: found.name,
            ply: found.total,
        })
    }

    /// The exact lines that end here, each with the frames in which they do.
    fn exact_lines<'a>(
        &'a self,
        position: &Position,
    ) -> impl Iterator<Item = (&'a OpeningLine, Frames)> + use<'a> {
        let own = position.key();
        let mirrored = position.symmetric_key(1, None);
        let lines = self.0.exact.get(&own.min(mirrored)).map_or(&[][..], Vec::as_slice);
        lines.iter().filter_map(move |&at| {
            let line = self.0.lines.get(at)?;
            let key = line.exact?;
            Some((line, Frames(u8::from(own == key) | u8::from(mirrored == key) << 1)))
        })
    }
}

/// A set of frames in which a line is seen: as written (bit 0), mirrored (bit 1), or both.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Frames(u8);

impl Frames {
    const BOTH: Self = Self(3);

    /// Those of `among` in which the rules hold.
    fn of(rules: &[Rules; 2], position: &Position, among: Self) -> Self {
        let [plain, mirrored] =
            [0, 1].map(|frame: usize| among.0 >> frame & 1 == 1 && rules[frame].hold(position));
        Self(u8::from(plain) | u8::from(mirrored) << 1)
    }

    const fn any(self) -> bool {
        self.0 != 0
    }
}

/// Follows a game from the usual start, ply by ply, and names it at each.
#[derive(Debug, Clone)]
pub struct OpeningTracker<'a> {
    openings: &'a Openings,
    line: Option<&'a OpeningLine>,
    frames: Frames,
    ply: u32,
    reached: u32,
}

impl<'a> OpeningTracker<'a> {
    /// At the start of a game.
    #[must_use]
    pub fn new(openings: &'a Openings) -> Self {
        let line = openings.0.lines.iter().find(|line| line.total == 0);
        Self { openings, line, frames: Frames::BOTH, ply: 0, reached: 0 }
    }

    /// The position after one more move.
    pub fn push(&mut self, position: &Position) {
        self.ply += 1;
        if self.ply > MAX_PLY {
            return;
        }
        let exact = self
            .openings
            .exact_lines(position)
            .find(|(line, _)| self.line.is_none_or(|at| line.is_below(at.code)));
        if let Some((line, frames)) = exact {
            self.go(line, frames);
        }
        if self.ply > FORMATION_PLY {
            return;
        }
        // Each step goes down the tree, which ends.
        while let Some((line, frames)) = self.formation(position) {
            self.go(line, frames);
        }
    }

    const fn go(&mut self, line: &'a OpeningLine, frames: Frames) {
        self.line = Some(line);
        self.frames = frames;
        self.reached = self.ply;
    }

    /// The formation with most moves among those that go on from here and stand on the board.
    fn formation(&self, position: &Position) -> Option<(&'a OpeningLine, Frames)> {
        let table = &self.openings.0;
        let next = table.next.get(&self.line?.code)?;
        next.iter().filter_map(|&at| table.lines.get(at)).find_map(|line| {
            let frames = Frames::of(&line.own, position, self.frames);
            frames.any().then_some((line, frames))
        })
    }

    /// The name of the game so far; `None` before the first move.
    #[must_use]
    pub fn opening(&self) -> Option<Opening> {
        let line = self.line.filter(|_| self.ply > 0)?;
        Some(Opening { code: line.code, name: line.name, ply: self.reached })
    }
}
