//! CBF, the XML of CCBridge: one game with variations and comments.
//!
//! ```text
//! <ChineseChessRecord>
//!  <Head> <Name>…</Name> … <RecordResult>1</RecordResult> <FEN>…</FEN> </Head>
//!  <MoveList>
//!   <Move value="00-00"><![CDATA[comment on the start position]]></Move>
//!   <Move value="77-47"/> <Move value="70-62" branch="1"/> <Move value="79-67" end="1"/>
//!   <Move value="72-42" end="1"/>
//!  </MoveList>
//! </ChineseChessRecord>
//! ```
//!
//! A move's digits are file and rank, both from 0, the rank from the top. The moves are a tree, depth
//! first: `end="1"` says that no answer follows, `branch="1"` that another move in its place comes
//! after all its answers. Moves that belong to no branch are counted as a variation that was cut.

use crate::game::{Outcome, Side};
use crate::record::model::bad_game::BadGameReason;
use crate::record::model::board::from_top_left;
use crate::record::model::format::{Format, GameCount};
use crate::record::model::format_row::{FormatInfo, FormatRow, ReadGames, Sniffer, Stage};
use crate::record::model::preorder::{Coordinates, FileMove, PreOrder};
use crate::record::model::record::Record;
use crate::record::model::sample::contains;
use crate::record::model::single::{Fault, Found, go_on, on_lines};
use crate::record::model::texts::{Texts, push_tag, tidy};
use crate::record::programs::markup::{Piece, Pieces, attribute};
use crate::record::text::move_words::read_start;
use crate::xiangqi::{Position, Square};

/// The row of CBF.
pub(crate) const ROW: FormatRow = FormatRow {
    info: FormatInfo { games: GameCount::One, ..FormatInfo::of_text(Format::Cbf, "cbf", &["cbf"]) },
    sniff: &[Sniffer {
        stage: Stage::Element,
        shows: |sample| contains(sample.head(), b"<ChineseChessRecord"),
    }],
    read: ReadGames::One(game),
    write: None,
};

/// The names of tags by those of elements.
const TEXTS: [(&str, &str); 19] = [
    ("Name", "Title"),
    ("Contest", "Event"),
    ("Round", "Round"),
    ("Group", "Group"),
    ("Table", "Board"),
    ("Date", "Date"),
    ("Site", "Site"),
    ("TimeRule", "TimeControl"),
    ("Red", "Red"),
    ("RedTeam", "RedTeam"),
    ("RedTime", "RedTime"),
    ("RedRating", "RedElo"),
    ("Black", "Black"),
    ("BlackTeam", "BlackTeam"),
    ("BlackTime", "BlackTime"),
    ("BlackRating", "BlackElo"),
    ("Commentator", "Annotator"),
    ("Creator", "Author"),
    ("ECCO", "ECCO"),
];

/// Reads the game of a CBF.
fn game(bytes: &[u8]) -> Result<Found, Fault> {
    let texts = Texts::default();
    let text = texts.detected(bytes);
    let mut reader = Reader { text: &text, pieces: Pieces::new(&text), moves_at: 0 };
    let found = on_lines(&text, reader.game())?;
    Ok(Found { is_undecoded: texts.is_undecoded(), ..found })
}

/// The contents of the head.
#[derive(Default)]
struct Head {
    tags: Vec<(String, String)>,
    result: Option<Outcome>,
    start: Option<Position>,
    start_clock: u32,
}

/// A `Move` element.
struct MoveElement {
    value: String,
    is_last: bool,
    has_alternative: bool,
    comment: String,
}

impl MoveElement {
    fn node(self) -> FileMove {
        let Self { value, is_last, has_alternative, comment } = self;
        let mv = coordinates(&value).ok_or_else(|| value.chars().take(20).collect());
        FileMove { mv, comment, is_last, has_alternative }
    }
}

struct Reader<'a> {
    text: &'a str,
    pieces: Pieces<'a>,
    /// The offset at which the last element of a move began.
    moves_at: usize,
}

type Failure = (usize, BadGameReason);

impl Reader<'_> {
    fn game(&mut self) -> Result<Found, Failure> {
        let head = self.head()?;
        let mut first = self.next_move()?;
        let comment = first.take_if(|first| first.value == "00-00").map(|first| first.comment);
        let mut next = if comment.is_some() { self.next_move()? } else { first };
        let start = head.start.clone().unwrap_or_else(Position::start);
        let mut order = PreOrder::new(start, comment.unwrap_or_default());
        let mut goes_on = true;
        let mut left_over = 0;
        let mut fault = None;
        let mut end = None;
        while let Some(element) = next {
            let at = self.moves_at;
            next = match self.next_move() {
                Err((at, reason @ BadGameReason::Truncated(_))) => {
                    end = Some(Fault::at(at, reason));
                    None
                }
                read => read?,
            };
            if goes_on {
                goes_on = go_on(order.add(element.node()), at, &mut fault);
            } else if fault.is_none() {
                left_over = 1;
            }
        }
        let (tree, cut_variations) = order.finish();
        let Head { tags, result, start, start_clock } = head;
        let record = Record { tags, start, start_clock, result, tree };
        let cut_variations = cut_variations + left_over;
        Ok(Found { cut_variations, fault: end.or(fault), ..Found::new(record) })
    }

    /// Reads up to the list of moves.
    fn head(&mut self) -> Result<Head, Failure> {
        let mut head = Head::default();
        let mut element = "";
        let mut text = String::new();
        while let Some(piece) = self.pieces.next() {
            match piece {
                Piece::Open { name: "MoveList", is_closed: false, .. } => return Ok(head),
                Piece::Open { name, .. } => {
                    element = name;
                    text.clear();
                }
                Piece::Text(more) => text.push_str(&more),
                Piece::Close(name) if name == element => {
                    let at = self.pieces.at();
                    head.take(name, &tidy(&text)).map_err(|reason| (at, reason))?;
                }
                Piece::Close(_) => {}
            }
        }
        let within = "the head: no MoveList follows".to_owned();
        Err((self.text.len(), BadGameReason::Truncated(within.into())))
    }

    /// The next move; `None` at the end of the list.
    fn next_move(&mut self) -> Result<Option<MoveElement>, Failure> {
        let mut open: Option<MoveElement> = None;
        loop {
            let at = self.pieces.at();
            let Some(piece) = self.pieces.next() else { break };
            match piece {
                Piece::Open { name: "Move", .. } if open.is_some() => {
                    let text = "a Move begins within another, which is not closed".to_owned();
                    return Err((at, BadGameReason::Malformed(text.into())));
                }
                Piece::Open { name: "Move", attributes, is_closed } => {
                    self.moves_at = at;
                    let element = MoveElement {
                        value: attribute(attributes, "value").unwrap_or_default(),
                        is_last: is_set(attributes, "end"),
                        has_alternative: is_set(attributes, "branch"),
                        comment: String::new(),
                    };
                    if is_closed {
                        return Ok(Some(element));
                    }
                    open = Some(element);
                }
                Piece::Text(text) => {
                    if let Some(element) = &mut open {
                        element.comment.push_str(&text);
                    }
                }
                Piece::Close("Move") => {
                    if let Some(mut element) = open.take() {
                        element.comment = tidy(&element.comment);
                        return Ok(Some(element));
                    }
                }
                Piece::Close("MoveList") => return Ok(None),
                Piece::Open { .. } | Piece::Close(_) => {}
            }
        }
        let reason = BadGameReason::Truncated("the list of moves".into());
        Err((self.text.len(), reason))
    }
}

impl Head {
    fn take(&mut self, element: &str, value: &str) -> Result<(), BadGameReason> {
        match element {
            "FEN" if !value.is_empty() => {
                (self.start, self.start_clock) = read_start(value).map_err(BadGameReason::Start)?;
            }
            "RecordResult" => {
                self.result = match value {
                    "1" => Some(Outcome::Win(Side::First)),
                    "2" => Some(Outcome::Win(Side::Second)),
                    "3" => Some(Outcome::Draw),
                    _ => None,
                };
            }
            _ => {
                if let Some((_, tag)) = TEXTS.iter().find(|(name, _)| *name == element) {
                    push_tag(&mut self.tags, tag, value.to_owned());
                }
            }
        }
        Ok(())
    }
}

/// Returns true if a mark of a move is set.
fn is_set(attributes: &str, name: &str) -> bool {
    attribute(attributes, name).is_some_and(|set| set == "1")
}

/// Reads `77-47`.
fn coordinates(text: &str) -> Option<Coordinates> {
    let &[a, b, b'-', c, d] = text.trim().as_bytes() else { return None };
    Some(Coordinates { from: square(a, b)?, to: square(c, d)? })
}

/// The square of two digits, or their number; `None` if they are no digits.
fn square(file: u8, row: u8) -> Option<Result<Square, u8>> {
    if !file.is_ascii_digit() || !row.is_ascii_digit() {
        return None;
    }
    let file = file - b'0';
    let row = row - b'0';
    Some(from_top_left(file, row).map_err(|_| file * 10 + row))
}
