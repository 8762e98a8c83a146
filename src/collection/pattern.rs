//! Patterns of pieces: a board with points of which some are left open.

use crate::collection::game::Collected;

/// Columns of the largest board, and rows.
pub(crate) const LONGEST: usize = 20;

/// Points of a board, and of a pattern, at most.
pub(crate) const MOST_POINTS: usize = LONGEST * LONGEST;

/// Bytes of the text of a pattern, at most.
const MOST_TEXT: usize = 4 * MOST_POINTS;

/// Contents that are wanted on some points of the board.
///
/// Its text is a list of points, each behind what stands there (`Ce2,ne5,.e6`: a red cannon, a black horse, nothing), or
/// rows as in FEN, from the top, in which a number stands for a stretch of empty points, `?` for a point with anything on it,
/// and `*` for all points from there to the end of the row: `*/*/*/*/4p4/*/*/*/*/*`.
///
/// Mirror images count: those that the game does not tell apart from the board as it is.
///
/// ```
/// use juzhong::collection::BoardPattern;
/// use juzhong::game::{Game, Notation};
/// use juzhong::xiangqi::Position;
///
/// let pattern = BoardPattern::read::<Position>("Cb2,.c2")?;
/// let start = Position::start();
/// assert!(pattern.images(&start).matches(&start));
/// // The other cannon stands on the mirror image of b2.
/// let mut moved = start.clone();
/// moved.make(Position::parse_move("b2c2").unwrap());
/// assert!(pattern.images(&moved).matches(&moved));
/// moved.make(Position::parse_move("h7g7").unwrap());
/// moved.make(Position::parse_move("h2g2").unwrap());
/// assert!(!pattern.images(&moved).matches(&moved));
/// # Ok::<(), juzhong::collection::PatternError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BoardPattern {
    points: Vec<WantedPoint>,
    /// Columns and rows, if the text has rows.
    size: Option<[u8; 2]>,
}

/// A point, and the letter of the piece that is wanted there; `None` for no piece.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct WantedPoint {
    pub(crate) column: u8,
    pub(crate) row: u8,
    pub(crate) letter: Option<char>,
}

/// A pattern in all its images on a board.
#[derive(Debug, Clone)]
pub struct PatternImages(Vec<Vec<WantedPoint>>);

/// A text that is no pattern.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, crate::message::ToMessage)]
#[non_exhaustive]
pub enum PatternError {
    /// The text is longer than any pattern.
    #[error("a pattern has at most {most} characters")]
    TooLong {
        /// The number of characters that it may have.
        most: usize,
    },
    /// No point is wanted.
    #[error(
        "no point is named; write points, as in Ce2,ne5, or rows, as in FEN, with ? and * for what is left open"
    )]
    Empty,
    /// A part of a list is none.
    #[error(
        "{part} is no piece with its point; write them as in Ce2,ne5 and a dot for an empty point, as in .e6"
    )]
    Part {
        /// The part.
        part: String,
    },
    /// A character of a row is none.
    #[error("{letter} stands for no piece in a row of a pattern")]
    Letter {
        /// The character.
        letter: char,
    },
    /// The rows do not make up a board.
    #[error("row {row} of the pattern, from the top, has not as many points as the board")]
    Row {
        /// The number of the row, from 1.
        row: usize,
    },
    /// There are too few rows, or too many.
    #[error("the pattern has not as many rows as the board; write * for one that is left open")]
    Rows,
}

impl BoardPattern {
    /// Reads the text of a pattern on the boards of `G`.
    ///
    /// # Errors
    ///
    /// [`PatternError`].
    pub fn read<G: Collected>(text: &str) -> Result<Self, PatternError> {
        let text = text.trim();
        if text.len() > MOST_TEXT {
            return Err(PatternError::TooLong { most: MOST_TEXT });
        }
        let pattern = match text.contains('/') {
            true => Self::of_rows::<G>(text)?,
            false => Self::of_list::<G>(text)?,
        };
        if pattern.points.is_empty() {
            return Err(PatternError::Empty);
        }
        Ok(pattern)
    }

    fn of_list<G: Collected>(text: &str) -> Result<Self, PatternError> {
        let parts = text.split(|c: char| c == ',' || c == '，' || c.is_whitespace());
        let points = parts.filter(|part| !part.is_empty()).map(|part| {
            // The error quotes the beginning only: a part may be as long as the text.
            WantedPoint::read::<G>(part)
                .ok_or_else(|| PatternError::Part { part: part.chars().take(12).collect() })
        });
        Ok(Self { points: points.collect::<Result<_, _>>()?, size: None })
    }

    fn of_rows<G: Collected>(text: &str) -> Result<Self, PatternError> {
        let board = text.split_whitespace().next().unwrap_or_default();
        let rows: Vec<&str> = board.split('/').collect();
        let sizes: Vec<[u8; 2]> = G::starts().iter().map(G::size).collect();
        let size = sizes.into_iter().find(|&[_, height]| usize::from(height) == rows.len());
        let Some([width, height]) = size else { return Err(PatternError::Rows) };
        let mut points = Vec::new();
        // The text begins with the top row, which has the highest number.
        for (number, (text, row)) in rows.iter().zip((0..height).rev()).enumerate() {
            let wrong = PatternError::Row { row: number + 1 };
            let reached = row_of::<G>(text, row, &mut points)?;
            if reached.is_some_and(|column| column != u32::from(width)) {
                return Err(wrong);
            }
            if points.iter().any(|point| point.column >= width) {
                return Err(wrong);
            }
        }
        Ok(Self { points, size: Some([width, height]) })
    }

    /// The images of the pattern on the board of a position; none if the board is of another size.
    #[must_use]
    pub fn images<G: Collected>(&self, position: &G) -> PatternImages {
        let [width, height] = position.size();
        if self.size.is_some_and(|size| size != [width, height]) {
            return PatternImages(Vec::new());
        }
        // Each symmetry doubles the images, so that all products of the symmetries are among them.
        let mut images = vec![self.points.clone()];
        add_images(&mut images, |point| point.flipped(width));
        if position.symmetries() >= 4 {
            add_images(&mut images, |point| point.upside_down(height));
        }
        if position.symmetries() >= 8 {
            add_images(&mut images, WantedPoint::transposed);
        }
        images.retain(|points| points.iter().all(|point| point.is_on(width, height)));
        PatternImages(images)
    }
}

impl WantedPoint {
    /// Reads a part of a list, as `Ce2`; `None` if it is none.
    fn read<G: Collected>(part: &str) -> Option<Self> {
        let letter = part.chars().next()?;
        let [column, row] = G::point(&part[letter.len_utf8()..])?;
        let letter = match letter {
            '.' => None,
            letter if G::LETTERS.contains(letter) => Some(letter),
            _ => return None,
        };
        Some(Self { column, row, letter })
    }

    const fn flipped(self, width: u8) -> Self {
        // A point beyond the board stays there.
        Self { column: width.wrapping_sub(1).wrapping_sub(self.column), ..self }
    }

    const fn upside_down(self, height: u8) -> Self {
        Self { row: height.wrapping_sub(1).wrapping_sub(self.row), ..self }
    }

    const fn transposed(self) -> Self {
        Self { column: self.row, row: self.column, ..self }
    }

    const fn is_on(self, width: u8, height: u8) -> bool {
        self.column < width && self.row < height
    }
}

impl PatternImages {
    /// Returns true if one of the images is on the board.
    #[must_use]
    pub fn matches<G: Collected>(&self, position: &G) -> bool {
        self.0.iter().any(|points| {
            points.iter().all(|point| position.letter(point.column, point.row) == point.letter)
        })
    }

    /// The points of each image.
    pub(crate) fn points(&self) -> impl Iterator<Item = &[WantedPoint]> {
        self.0.iter().map(Vec::as_slice)
    }
}

/// Adds the image of each list of points under a symmetry of the board.
fn add_images(images: &mut Vec<Vec<WantedPoint>>, image_of: impl Fn(WantedPoint) -> WantedPoint) {
    for at in 0..images.len() {
        let image: Vec<WantedPoint> = images[at].iter().map(|&point| image_of(point)).collect();
        images.push(image);
    }
}

/// Adds the points of a row; returns the number of points that the text covers, `None` if the rest is left open.
fn row_of<G: Collected>(
    text: &str,
    row: u8,
    points: &mut Vec<WantedPoint>,
) -> Result<Option<u32>, PatternError> {
    let mut column = 0_u32;
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '*' => return Ok(None),
            '?' => column += 1,
            '0'..='9' => {
                let mut count = letter.to_digit(10).unwrap_or_default();
                while let Some(digit) = letters.peek().and_then(|next| next.to_digit(10)) {
                    letters.next();
                    // A number may have hundreds of digits; it is held at one that no row reaches.
                    count = (count * 10 + digit).min(MOST_POINTS as u32);
                }
                // Cut at 255, which is beyond every board, too: the caller refuses such a row.
                let until = (column + count).min(u32::from(u8::MAX));
                for column in column..until {
                    points.push(WantedPoint { column: column as u8, row, letter: None });
                }
                column = until;
            }
            letter if G::LETTERS.contains(letter) => {
                let at = column.min(u32::from(u8::MAX)) as u8;
                points.push(WantedPoint { column: at, row, letter: Some(letter) });
                column += 1;
            }
            letter => return Err(PatternError::Letter { letter }),
        }
    }
    Ok(Some(column))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{Game, Notation};
    use crate::gomoku::Board;
    use crate::xiangqi::Position;
    use proptest::prelude::*;

    fn is_on<G: Collected>(pattern: &str, position: &G) -> bool {
        BoardPattern::read::<G>(pattern).unwrap().images(position).matches(position)
    }

    /// The error of a text that is no pattern of xiangqi.
    fn refused(text: &str) -> PatternError {
        BoardPattern::read::<Position>(text).unwrap_err()
    }

    #[test]
    fn a_board_is_a_pattern_of_itself_and_of_its_mirror_image() {
        let position = Position::from_fen("3akab2/9/9/9/4p4/2R6/9/9/4A4/4K4 w").unwrap();
        let mirrored = Position::from_fen("2baka3/9/9/9/4p4/6R2/9/9/4A4/4K4 w").unwrap();
        let text = position.to_fen();
        assert!(is_on(&text, &position) && is_on(&text, &mirrored));
        assert!(!is_on(&text, &Position::start()));
        for open in
            ["*/*/*/*/4p4/*/*/*/*/*", "*/*/*/*/*/??R*/*/*/*/*", "pe5", "pe5,.e6", "Rc4", "Rg4"]
        {
            assert!(is_on(open, &position), "{open}");
        }
        for other in ["*/*/*/*/4p3?/*/*/*/*/R*", "Pe5", ".e5", "Rc5"] {
            assert!(!is_on(other, &position), "{other}");
        }
    }

    #[test]
    fn patterns_of_gomoku_count_in_all_their_images() {
        let mut board = Board::start();
        for point in ["h8", "i9", "h9", "a1"] {
            board.make(Board::parse_move(point).unwrap());
        }
        for image in ["oa1", "oo1", "oa15", "xh8,xh9,oi9", "xh8,xi8,oi7"] {
            assert!(is_on(image, &board), "{image}");
        }
        assert!(!is_on("xa1", &board) && !is_on("oa2", &board));
    }

    #[test]
    fn what_is_no_pattern_is_refused() {
        assert_eq!(refused(""), PatternError::Empty);
        assert_eq!(refused("*/*/*/*/*/*/*/*/*/*"), PatternError::Empty);
        assert_eq!(refused("*/*"), PatternError::Rows);
        assert_eq!(refused("*/*/*/8/*/*/*/*/*/*"), PatternError::Row { row: 4 });
        assert_eq!(refused("*/*/*/x8/*/*/*/*/*/*"), PatternError::Letter { letter: 'x' });
        assert!(matches!(refused("Xe4"), PatternError::Part { .. }));
        assert!(matches!(refused("Re"), PatternError::Part { .. }));
    }

    proptest! {
        #[test]
        fn any_text_is_a_pattern_or_none(text: String) {
            let read = [BoardPattern::read::<Position>(&text), BoardPattern::read::<Board>(&text)];
            for pattern in read.into_iter().flatten() {
                let _is_there = pattern.images(&Position::start()).matches(&Position::start());
            }
        }

        #[test]
        fn any_rows_are_a_pattern_or_none(text in "[KRp?*0-9/]{0,60}") {
            let _pattern = BoardPattern::read::<Position>(&text);
        }
    }
}
