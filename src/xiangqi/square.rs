//! The points of the board.

use std::fmt;

/// A point of the 9 × 10 board, numbered `rank * 9 + file`: files a to i are 0 to 8, rank 0 is
/// Red's back rank.
///
/// ```
/// use juzhong::xiangqi::Square;
///
/// let square = Square::at(4, 0);
/// assert_eq!(square.to_string(), "e0");
/// assert_eq!(Square::parse("e0"), Some(square));
/// assert_eq!((square.file(), square.rank()), (4, 0));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Square(u8);

/// The file on the other side of the middle file.
#[must_use]
pub const fn mirror_file(file: u8) -> u8 {
    8 - file
}

impl Square {
    /// Number of squares.
    pub const COUNT: usize = 90;

    /// The square with this number, from input.
    #[must_use]
    pub const fn new(index: u8) -> Option<Self> {
        if index < 90 { Some(Self(index)) } else { None }
    }

    /// The square on `file` (0 to 8) and `rank` (0 to 9).
    ///
    /// # Panics
    ///
    /// If either is out of range: for constants.
    #[must_use]
    pub const fn at(file: u8, rank: u8) -> Self {
        assert!(file < 9 && rank < 10, "no such square");
        Self(rank * 9 + file)
    }

    /// The square with this number, for indices that come from squares.
    ///
    /// # Panics
    ///
    /// In debug builds if `index` is 90 or more.
    #[must_use]
    pub(crate) const fn from_index(index: usize) -> Self {
        debug_assert!(index < Self::COUNT);
        Self(index as u8)
    }

    /// The square `files` to the right and `ranks` up, if it is on the board.
    #[must_use]
    pub const fn offset(self, files: i8, ranks: i8) -> Option<Self> {
        let file = self.file().cast_signed() + files;
        let rank = self.rank().cast_signed() + ranks;
        if file < 0 || file > 8 || rank < 0 || rank > 9 {
            None
        } else {
            Some(Self::at(file.cast_unsigned(), rank.cast_unsigned()))
        }
    }

    /// 0 to 89.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// 0 (a) to 8 (i).
    #[must_use]
    pub const fn file(self) -> u8 {
        self.0 % 9
    }

    /// 0 (Red's back rank) to 9.
    #[must_use]
    pub const fn rank(self) -> u8 {
        self.0 / 9
    }

    /// The mirror image left to right.
    #[must_use]
    pub const fn mirrored(self) -> Self {
        Self(self.rank() * 9 + mirror_file(self.file()))
    }

    /// The square as the other side sees it: files keep, ranks turn.
    #[must_use]
    pub const fn flipped(self) -> Self {
        Self((9 - self.rank()) * 9 + self.file())
    }

    /// All squares in order.
    pub fn all() -> impl DoubleEndedIterator<Item = Self> + ExactSizeIterator {
        (0..90).map(Self)
    }

    /// Reads `a0` to `i9`, either case.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let &[file, rank] = text.as_bytes() else { return None };
        let file = file.to_ascii_lowercase().wrapping_sub(b'a');
        let rank = rank.wrapping_sub(b'0');
        (file < 9 && rank < 10).then(|| Self::at(file, rank))
    }
}

impl fmt::Display for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", char::from(b'a' + self.file()), self.rank())
    }
}

impl fmt::Debug for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
