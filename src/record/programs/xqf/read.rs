//! Reading XQF.

use crate::game::{Outcome, Side};
use crate::message::{Message, message};
use crate::record::model::bad_game::BadGameReason;
use crate::record::model::board::{Board, board_of, note, start_position};
use crate::record::model::parsed::Note;
use crate::record::model::preorder::{Coordinates, FileMove, PreOrder};
use crate::record::model::record::Record;
use crate::record::model::single::{Fault, Found, go_on, unless_truncated};
use crate::record::model::texts::{Texts, push_tag};
use crate::record::programs::xqf::keys::Keys;
use crate::record::programs::xqf::{
    FROM_SHIFT, MAGIC, MEN, NODES, PLAIN_VERSION, RESULT, SIDE_TO_MOVE, TEXTS, TO_SHIFT, TREE,
    square,
};
use crate::xiangqi::{Position, Square};

/// The last version there is.
const LAST_VERSION: u8 = 18;

/// Reads the game of an XQF.
pub(crate) fn game(bytes: &[u8]) -> Result<Found, Fault> {
    Texts::read(|texts| read(bytes, texts))
}

fn read(bytes: &[u8], texts: &Texts) -> Result<Found, Fault> {
    let Some((header, _)) = bytes.split_first_chunk::<TREE>() else {
        let within = message!("the header, after {} of its {TREE} bytes", bytes.len());
        return Err(Fault::at(bytes.len(), BadGameReason::Truncated(within)));
    };
    let keys = keys(header)?;
    let is_plain = header[2] <= PLAIN_VERSION;
    let mut tree = TreeReader { bytes, at: TREE, is_plain, keys, texts };
    let (first, comment) = tree.node()?;
    let board = board(header, &keys).map_err(|reason| Fault::at(MEN, reason))?;
    // Some files of positions promise moves, count none and end; a game would be cut off there.
    let ends = tree.at == bytes.len() && header[NODES..NODES + 4] == [0; 4];
    let is_position = ends && board != Position::start().to_setup().board;
    let has_moves = first.has_child && !is_position;
    // Looked at ahead, for the piece that moves first tells who is to move.
    let first_square = if has_moves { tree.clone().node()?.0.from.ok() } else { None };
    let stated = if header[SIDE_TO_MOVE] == 1 { Side::Second } else { Side::First };
    let start =
        start_position(&board, first_square, stated).map_err(|reason| Fault::at(MEN, reason))?;
    let note = note(start.as_ref(), first_square, stated)
        .or_else(|| (first.has_child && !has_moves).then_some(Note::NoMoves));
    let mut order = PreOrder::new(start.clone().unwrap_or_else(Position::start), comment);
    let mut more = has_moves;
    let mut fault = None;
    while more {
        let at = tree.at;
        let Some((node, comment)) = unless_truncated(tree.node(), &mut fault)? else { break };
        let node = FileMove {
            mv: Ok(Coordinates { from: node.from, to: node.to }),
            comment,
            is_last: !node.has_child,
            has_alternative: node.has_sibling,
        };
        more = go_on(order.add(node), at, &mut fault);
    }
    let (tree, cut_variations) = order.finish();
    let result = match header[RESULT] {
        1 => Some(Outcome::Win(Side::First)),
        2 => Some(Outcome::Win(Side::Second)),
        3 | 4 => Some(Outcome::Draw),
        _ => None,
    };
    let tags = tags(header, texts);
    let record = Record { tags, start, start_clock: 0, result, tree };
    let is_undecoded = texts.is_undecoded();
    Ok(Found { cut_variations, is_undecoded, note, fault, ..Found::new(record) })
}

fn keys(header: &[u8; TREE]) -> Result<Keys, Fault> {
    let version = header[2];
    if !header.starts_with(MAGIC) {
        let reason = BadGameReason::Malformed("no XQF: it does not begin with XQ".into());
        return Err(Fault::at(0, reason));
    }
    if !(PLAIN_VERSION..=LAST_VERSION).contains(&version) {
        let text = message!(
            "XQF of version {version}; versions {PLAIN_VERSION} (1.0) to {LAST_VERSION} (1.8) are read"
        );
        return Err(Fault::at(2, BadGameReason::Unsupported(text)));
    }
    let mut first = [0; 16];
    first.copy_from_slice(&header[..16]);
    if first[12..].iter().fold(0_u8, |sum, byte| sum.wrapping_add(*byte)) != 0 {
        let text = "bytes 12 to 15, which make the keys, do not sum to 0: the header is damaged";
        return Err(Fault::at(12, BadGameReason::Malformed(text.to_owned().into())));
    }
    Ok(Keys::of(&first))
}

fn board(header: &[u8; TREE], keys: &Keys) -> Result<Board, BadGameReason> {
    let mut squares = [None; 32];
    for (i, &raw) in header[MEN..MEN + 32].iter().enumerate() {
        squares[keys.man(i)] = square(raw.wrapping_sub(keys.board)).ok();
    }
    board_of(&squares)
}

fn tags(header: &[u8; TREE], texts: &Texts) -> Vec<(String, String)> {
    let mut tags = Vec::with_capacity(TEXTS.len());
    for (at, width, name) in TEXTS {
        let field = &header[at + 1..at + width];
        let len = usize::from(header[at]).min(field.len());
        push_tag(&mut tags, name, texts.field(&field[..len]));
    }
    tags
}

/// A node of the tree without its comment.
struct Links {
    from: Result<Square, u8>,
    to: Result<Square, u8>,
    has_child: bool,
    has_sibling: bool,
}

#[derive(Clone)]
struct TreeReader<'a> {
    bytes: &'a [u8],
    at: usize,
    /// True if the version is one without keys.
    is_plain: bool,
    keys: Keys,
    texts: &'a Texts,
}

impl TreeReader<'_> {
    /// The next node and its comment.
    fn node(&mut self) -> Result<(Links, String), Fault> {
        let [from, to, marks, _] = self.take("the tree of moves")?;
        let has_comment = self.is_plain || marks & 0x20 != 0;
        let comment = if has_comment { self.comment()? } else { String::new() };
        let (child, sibling) = if self.is_plain { (0xf0, 0x0f) } else { (0x80, 0x40) };
        let links = Links {
            from: square(from.wrapping_sub(FROM_SHIFT).wrapping_sub(self.keys.from)),
            to: square(to.wrapping_sub(TO_SHIFT).wrapping_sub(self.keys.to)),
            has_child: marks & child != 0,
            has_sibling: marks & sibling != 0,
        };
        Ok((links, comment))
    }

    fn comment(&mut self) -> Result<String, Fault> {
        let at = self.at;
        let len = u32::from_le_bytes(self.take("the length of a comment")?);
        let len = len.wrapping_sub(self.keys.comment);
        let rest = self.bytes.len() - self.at;
        if usize::try_from(len).map_or(true, |len| len > rest) {
            let within = message!("a comment that claims {len} bytes, of which {rest} are there");
            return Err(Fault::at(at, BadGameReason::Truncated(within)));
        }
        let end = self.at + len as usize;
        let text: Vec<u8> = (self.at..end).map(|at| self.plain(at)).collect();
        self.at = end;
        Ok(self.texts.text(&text))
    }

    fn plain(&self, at: usize) -> u8 {
        self.bytes[at].wrapping_sub(self.keys.stream[at % 32])
    }

    fn take(&mut self, within: impl Into<Message>) -> Result<[u8; 4], Fault> {
        if self.bytes.len() - self.at < 4 {
            return Err(Fault::at(self.at, BadGameReason::Truncated(within.into())));
        }
        let at = self.at;
        self.at += 4;
        Ok([0, 1, 2, 3].map(|i| self.plain(at + i)))
    }
}
