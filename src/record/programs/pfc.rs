//! PFC, the XML of Pengfei (鹏飞象棋): one game with variations and comments.
//!
//! ```text
//! <n version="2" win="*" m="4ka3/8R/… w - - 0 1" c="comment on the start">
//!  <n m="h6f7"><n m="e9d9" c="comment"/></n>
//!  <n m="h6g8"/>
//! </n>
//! ```
//!
//! The outermost element has the position and the result, every other one a move: the first within
//! another goes on with it, further ones are variations in its place. Other attributes of the
//! outermost element become tags if their names can be those of tags.

use crate::record::model::bad_game::BadGameReason;
use crate::record::model::format::{Format, GameCount};
use crate::record::model::format_row::{FormatInfo, FormatRow, ReadGames, Sniffer, Stage};
use crate::record::model::preorder::{Coordinates, FileMove, PreOrder};
use crate::record::model::record::Record;
use crate::record::model::single::{Fault, Found, go_on, on_lines, truncated};
use crate::record::model::texts::{Texts, push_tag, tidy};
use crate::record::programs::markup::{Piece, Pieces, attribute, attributes};
use crate::record::text::move_words::read_start;
use crate::record::text::scan::outcome;
use crate::xiangqi::{Position, Setup, Square};

/// The row of PFC.
pub(crate) const ROW: FormatRow = FormatRow {
    info: FormatInfo { games: GameCount::One, ..FormatInfo::of_text(Format::Pfc, "pfc", &["pfc"]) },
    sniff: &[Sniffer { stage: Stage::Element, shows: |sample| looks_like(sample.head()) }],
    read: ReadGames::One(game),
    write: None,
};

/// The name of every element.
const ELEMENT: &str = "n";

/// The attribute with a move or the position.
const MOVE: &str = "m";

/// The attribute with the comment after it.
const COMMENT: &str = "c";

/// Attributes of the outermost element that are no tags.
const NO_TAGS: [&str; 4] = [MOVE, COMMENT, "win", "version"];

/// Returns true if a text begins like a PFC.
fn looks_like(sample: &[u8]) -> bool {
    let head = &sample[..sample.len().min(4096)];
    if !head.starts_with(b"<") {
        return false;
    }
    let text = String::from_utf8_lossy(head);
    let root = Pieces::new(&text).find_map(|piece| match piece {
        Piece::Open { name, attributes, .. } => Some((name, attributes)),
        _ => None,
    });
    root.is_some_and(|(name, attributes)| {
        let start = attribute(attributes, MOVE);
        name == ELEMENT && start.is_some_and(|fen| fen.is_empty() || Setup::from_fen(&fen).is_ok())
    })
}

/// Reads the game of a PFC.
fn game(bytes: &[u8]) -> Result<Found, Fault> {
    let texts = Texts::default();
    let text = texts.detected(bytes);
    let found = on_lines(&text, read_text(&text))?;
    Ok(Found { is_undecoded: texts.is_undecoded(), ..found })
}

type Failure = (usize, BadGameReason);

fn read_text(text: &str) -> Result<Found, Failure> {
    let mut pieces = Pieces::new(text);
    let (at, root, is_closed) = loop {
        let at = pieces.at();
        match pieces.next() {
            Some(Piece::Open { name: ELEMENT, attributes, is_closed }) => {
                break (at, attributes, is_closed);
            }
            Some(_) => {}
            None => {
                let Fault { reason, .. } = truncated(text.len(), "the head: no element n follows");
                return Err((text.len(), reason));
            }
        }
    };
    let fen = attribute(root, MOVE).unwrap_or_default();
    let (start, start_clock) =
        read_start(&fen).map_err(|error| (at, BadGameReason::Start(error)))?;
    let (moves, end) = if is_closed { (Vec::new(), None) } else { moves(text, &mut pieces) };
    let comment = tidy(&attribute(root, COMMENT).unwrap_or_default());
    let mut order = PreOrder::new(start.clone().unwrap_or_else(Position::start), comment);
    let mut fault = None;
    for Element { at, node } in moves {
        if !go_on(order.add(node), at, &mut fault) && fault.is_some() {
            break;
        }
    }
    let (tree, cut_variations) = order.finish();
    let result = attribute(root, "win").and_then(|win| outcome(&win));
    let record = Record { tags: tags(root), start, start_clock, result, tree };
    let fault = end.or(fault);
    Ok(Found { cut_variations, fault, ..Found::new(record) })
}

fn tags(root: &str) -> Vec<(String, String)> {
    let mut tags = Vec::new();
    for (name, value) in attributes(root) {
        let is_tag = name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
        if is_tag && !NO_TAGS.contains(&name) {
            push_tag(&mut tags, name, tidy(&value));
        }
    }
    tags
}

/// A move and its place.
struct Element {
    at: usize,
    node: FileMove,
}

/// An element that is not closed yet.
struct Open {
    /// Its move; none in the outermost.
    index: Option<usize>,
    /// The last move that begins directly within it.
    last: Option<usize>,
}

/// The moves within the outermost element, in the order of the text, and a fault if it is not closed.
fn moves(text: &str, pieces: &mut Pieces<'_>) -> (Vec<Element>, Option<Fault>) {
    let mut elements: Vec<Element> = Vec::new();
    let mut open = vec![Open { index: None, last: None }];
    while let Some(within) = open.last_mut() {
        let at = pieces.at();
        let Some(piece) = pieces.next() else {
            let fault = truncated(text.len(), "the moves: an element is not closed");
            return (elements, Some(fault));
        };
        match piece {
            Piece::Open { name: ELEMENT, attributes, is_closed } => {
                let index = elements.len();
                // Known only now: the move before it on this level has an alternative, or the one around it an answer.
                if let Some(before) = within.last.replace(index) {
                    elements[before].node.has_alternative = true;
                } else if let Some(own) = within.index {
                    elements[own].node.is_last = false;
                }
                elements.push(Element { at, node: node(attributes) });
                if !is_closed {
                    open.push(Open { index: Some(index), last: None });
                }
            }
            Piece::Close(ELEMENT) => {
                open.pop();
            }
            Piece::Open { .. } | Piece::Close(_) | Piece::Text(_) => {}
        }
    }
    (elements, None)
}

/// A move after which nothing is known to follow.
fn node(attributes: &str) -> FileMove {
    let text = attribute(attributes, MOVE).unwrap_or_default();
    let comment = tidy(&attribute(attributes, COMMENT).unwrap_or_default());
    FileMove { mv: coordinates(text.trim()), comment, is_last: true, has_alternative: false }
}

/// Reads `h6f7`; else returns the beginning of the text.
fn coordinates(text: &str) -> Result<Coordinates, String> {
    let squares = text.split_at_checked(2).and_then(|(from, to)| {
        Some(Coordinates { from: Ok(Square::parse(from)?), to: Ok(Square::parse(to)?) })
    });
    squares.ok_or_else(|| text.chars().take(20).collect())
}
