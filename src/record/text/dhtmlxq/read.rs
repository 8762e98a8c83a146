//! Reading DhtmlXQ: the values of a game put together, and its lines played.

use std::collections::HashMap;

use crate::game::{Game, Outcome, Side};
use crate::message::message;
use crate::record::model::bad_game::BadGameReason;
use crate::record::model::board::{board_of, start_position};
use crate::record::model::chunk::{Chunk, Start};
use crate::record::model::chunk_reader::ChunkReader;
use crate::record::model::encoding::{Encoding, UTF8_MARK};
use crate::record::model::limits::{MAX_GAME_BYTES, MAX_PARTS, MAX_VARIATION_DEPTH};
use crate::record::model::place::Place;
use crate::record::model::preorder::Coordinates;
use crate::record::model::record::{Record, Tree, Variation};
use crate::record::model::single::{Fault, Found};
use crate::record::model::texts::{Texts, push_tag, tidy, unescape};
use crate::record::text::dhtmlxq::blocks::{Block, Blocks};
use crate::record::text::dhtmlxq::{MAX_NAME_BYTES, TEXTS, is_structure};
use crate::record::text::move_words::read_start;
use crate::record::text::scan;
use crate::xiangqi::notation::MoveError;
use crate::xiangqi::{Position, Square};

/// Names of values that make a game: moves, a board, a position.
const OF_GAMES: [&[u8]; 3] = [b"movelist", b"binit", b"fen"];

/// The longest text of digits alone that is a game, in bytes, and the shortest, in digits.
const MAX_BARE_BYTES: usize = 64 << 10;
const MIN_BARE_DIGITS: usize = 8;

/// Returns true if a text is the digits of a main line and nothing else, all its moves legal.
pub(crate) fn is_bare(text: &[u8]) -> bool {
    bare(text).is_some()
}

/// The game of a text of digits alone.
fn bare(text: &[u8]) -> Option<Found> {
    let text = text.strip_prefix(UTF8_MARK).unwrap_or(text);
    if text.len() > MAX_BARE_BYTES || !text.iter().copied().all(is_digit_or_blank) {
        return None;
    }
    let moves: String =
        text.iter().filter(|b| b.is_ascii_digit()).map(|&b| char::from(b)).collect();
    if moves.len() < MIN_BARE_DIGITS {
        return None;
    }
    let main = Branch { moves, ..Branch::default() };
    Parts { main, ..Parts::default() }.game().ok()
}

const fn is_digit_or_blank(byte: u8) -> bool {
    byte.is_ascii_digit() || byte.is_ascii_whitespace()
}

/// Cuts a stretch before the values of games.
pub(crate) fn cut(bytes: &[u8], open: &Chunk, target: usize) -> Vec<Chunk> {
    let blocks = (1..).zip(Blocks::new(bytes, 1).filter(|block| is_game(bytes, block)));
    let starts = blocks.map(|(game, Block { start: at, line, .. })| Start { at, line, game });
    open.cut_at(target, starts)
}

/// Returns true if the values belong to a game, or are too many to decide that.
fn is_game(bytes: &[u8], block: &Block) -> bool {
    block.len > MAX_GAME_BYTES
        || block.values.len() > MAX_PARTS
        || block.values.iter().any(|value| is_of_game(&bytes[value.name.clone()]))
}

/// Returns true for the names of values that make a game.
fn is_of_game(name: &[u8]) -> bool {
    OF_GAMES.iter().any(|other| name.eq_ignore_ascii_case(other))
}

/// Reads the games of a chunk of a text; values that belong to no game are passed over.
pub(crate) fn read(reader: &mut ChunkReader<'_>) {
    let chunk = reader.chunk;
    let (part, is_truncated) = without_cut_mark(reader.part());
    if let Some(found) = bare(part) {
        return reader.report(Place::Line(chunk.line), chunk.game, Ok(found));
    }
    let mut blocks = Blocks::new(part, chunk.line).filter(|block| is_game(part, block)).peekable();
    let mut number = chunk.game;
    while let Some(block) = blocks.next() {
        let place = Place::Line(block.line);
        let mut game = read_to_fault(part, &block, chunk.encoding);
        // The mark that is cut off is one of the last game.
        if let Ok(found) = &mut game
            && is_truncated
            && blocks.peek().is_none()
            && found.fault.is_none()
        {
            let reason = BadGameReason::Truncated("a mark".into());
            found.fault = Some(Fault { place, reason });
        }
        reader.report(place, number, game);
        number += 1;
    }
}

/// Reads a game, or as far as its moves are legal.
fn read_to_fault(bytes: &[u8], block: &Block, encoding: Encoding) -> Result<Found, Fault> {
    let place = Place::Line(block.line);
    let reason = match read_block(bytes, block, encoding, usize::MAX) {
        Ok(found) => return Ok(found),
        Err(reason) => reason,
    };
    let fault = Fault { place, reason };
    match fault.reason {
        BadGameReason::Move { ply, .. } if ply > 1 => {
            match read_block(bytes, block, encoding, ply - 1) {
                Ok(legal) => Ok(Found { fault: Some(fault), ..legal }),
                Err(_) => Err(fault),
            }
        }
        _ => Err(fault),
    }
}

/// The bytes without a mark at their end that is cut off, and whether there is one.
fn without_cut_mark(bytes: &[u8]) -> (&[u8], bool) {
    const MARKS: [&[u8]; 3] = [b"[DhtmlXQ", b"[/DhtmlXQ", b"[\\/DhtmlXQ"];
    let text = bytes.trim_ascii_end();
    // As far back as the longest mark may begin: a name, and what stands before it.
    let tail = &text[text.len().saturating_sub(MAX_NAME_BYTES + 16)..];
    let Some(begin) = tail.iter().rposition(|&byte| byte == b'[') else { return (bytes, false) };
    let tail = &tail[begin..];
    let is_cut = !tail.contains(&b']') && MARKS.iter().any(|mark| begins_mark(tail, mark));
    if is_cut { (&text[..text.len() - tail.len()], true) } else { (bytes, false) }
}

/// Returns true if a text that begins with a bracket begins a mark, as far as it goes.
fn begins_mark(text: &[u8], mark: &[u8]) -> bool {
    text.starts_with(mark) || text.len() > 1 && mark.starts_with(text)
}

/// Reads a game, at most `plies` plies of its main line.
fn read_block(
    bytes: &[u8],
    block: &Block,
    encoding: Encoding,
    plies: usize,
) -> Result<Found, BadGameReason> {
    if block.len > MAX_GAME_BYTES {
        return Err(BadGameReason::TooLong(block.len));
    }
    if block.values.len() > MAX_PARTS {
        return Err(BadGameReason::TooManyParts);
    }
    let mut parts = Parts::default();
    let texts = Texts::default();
    let begin = block.values.first().map_or(0, |value| value.name.start);
    let end = block.values.last().map_or(begin, |value| value.value.end);
    let encoding = encoding.of_part(&bytes[begin..end]);
    for value in &block.values {
        let name = String::from_utf8_lossy(&bytes[value.name.clone()]);
        parts.take(&name, &texts.decode(encoding, &bytes[value.value.clone()]));
    }
    // A move has four digits. `usize::MAX` stands for all plies: the product overflows, and nothing is cut.
    if let Some(end) = plies.checked_mul(4) {
        parts.main.moves = parts.main.moves.chars().take(end).collect();
    }
    let found = parts.game()?;
    Ok(Found { is_undecoded: texts.is_undecoded(), ..found })
}

/// A line of moves as the text has it.
#[derive(Debug, Default)]
struct Branch {
    /// The number of the line that it leaves.
    parent: usize,
    /// Plies before its first move.
    depth: usize,
    /// The digits of its moves.
    moves: String,
    /// The ply that a comment follows, from the start of the game, and its text.
    comments: Vec<(usize, String)>,
}

/// The contents of the values of one game.
#[derive(Debug, Default)]
struct Parts {
    tags: Vec<(String, String)>,
    result: Option<Outcome>,
    fen: String,
    board: String,
    main: Branch,
    /// The other lines with their numbers, in file order.
    branches: Vec<(usize, Branch)>,
    /// Comments with the number of their line.
    comments: Vec<(usize, (usize, String))>,
}

impl Parts {
    fn take(&mut self, name: &str, value: &str) {
        let lower = name.to_ascii_lowercase();
        match lower.as_str() {
            "movelist" => self.main.moves = without_blanks(value),
            "binit" => self.board = without_blanks(value),
            "fen" => self.fen = tidy(value),
            "result" => self.result = outcome(&tidy(&unescape(value, true))),
            lower if is_structure(lower) => {
                if let Some(place) = lower.strip_prefix("comment") {
                    self.take_comment(&numbers(place), value);
                } else if let Some(place) = lower.strip_prefix("move_")
                    && let &[Some(parent), Some(ply), Some(number)] = &numbers(place)[..]
                {
                    let depth = ply.saturating_sub(1);
                    let moves = without_blanks(value);
                    let branch = Branch { parent, depth, moves, ..Branch::default() };
                    self.branches.push((number, branch));
                }
            }
            lower => {
                let tag = TEXTS.iter().find(|(known, _)| *known == lower);
                let tag = tag.map_or(name, |(_, tag)| *tag);
                push_tag(&mut self.tags, tag, tidy(&unescape(value, true)));
            }
        }
    }

    fn take_comment(&mut self, place: &[Option<usize>], value: &str) {
        let (branch, ply) = match *place {
            [Some(ply)] => (0, ply),
            [Some(branch), Some(ply)] => (branch, ply),
            _ => return,
        };
        let text = tidy(&unescape(&value.replace("||", "\n"), true));
        if !text.is_empty() {
            self.comments.push((branch, (ply, text)));
        }
    }

    fn game(mut self) -> Result<Found, BadGameReason> {
        let (start, start_clock) = self.start()?;
        let tags = std::mem::take(&mut self.tags);
        let result = self.result;
        let first = start.clone().unwrap_or_else(Position::start);
        let (tree, cut_variations) = Weaver::new(self).weave(first)?;
        let record = Record { tags, start, start_clock, result, tree };
        Ok(Found { cut_variations, ..Found::new(record) })
    }

    fn start(&self) -> Result<(Option<Position>, u32), BadGameReason> {
        if !self.fen.is_empty() {
            return read_start(&self.fen).map_err(BadGameReason::Start);
        }
        let board = if self.board.is_empty() {
            Position::start().to_setup().board
        } else {
            board_of(&men(&self.board)?)?
        };
        let first = self.main.moves.as_bytes().first_chunk().copied().and_then(square);
        start_position(&board, first.and_then(Result::ok), Side::First).map(|start| (start, 0))
    }
}

fn without_blanks(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect()
}

/// The numbers of a name such as `0_5_1`.
fn numbers(text: &str) -> Vec<Option<usize>> {
    text.split('_').map(|number| number.parse().ok()).collect()
}

/// Reads `binit`.
fn men(digits: &str) -> Result<[Option<Square>; 32], BadGameReason> {
    let (pairs, rest) = digits.as_bytes().as_chunks::<2>();
    if pairs.len() != 32 || !rest.is_empty() {
        return Err(no_board(digits));
    }
    let mut squares = [None; 32];
    for (place, pair) in squares.iter_mut().zip(pairs) {
        *place = square(*pair).ok_or_else(|| no_board(digits))?.ok();
    }
    Ok(squares)
}

/// The fault of a `binit` that is no board.
fn no_board(digits: &str) -> BadGameReason {
    let shown: String = digits.chars().take(80).collect();
    BadGameReason::Malformed(message!("binit is not 64 digits: \"{shown}\""))
}

/// The square of two digits, file and rank from the top, or the number off the board; `None` if
/// they are no digits.
fn square([file, rank]: [u8; 2]) -> Option<Result<Square, u8>> {
    let file = digit(file)?;
    let rank = digit(rank)?;
    Some(if file < 9 { Ok(Square::at(file, 9 - rank)) } else { Err(file * 10 + rank) })
}

fn digit(byte: u8) -> Option<u8> {
    byte.is_ascii_digit().then(|| byte - b'0')
}

fn outcome(text: &str) -> Option<Outcome> {
    match text {
        "W" | "w" => Some(Outcome::Win(Side::First)),
        "L" | "l" => Some(Outcome::Win(Side::Second)),
        "D" | "d" => Some(Outcome::Draw),
        text => scan::outcome(text),
    }
}

/// The line that a line leaves: its parent, or where both begin at the same ply, the line that the
/// parent leaves. No line is found on a way that is too long or leads around in a circle.
fn left_by(branches: &[Branch], index: usize) -> Option<usize> {
    let depth = branches[index].depth;
    let mut parent = branches[index].parent;
    for _ in 0..=MAX_VARIATION_DEPTH {
        if parent == 0 || branches.get(parent)?.depth < depth {
            return Some(parent);
        }
        parent = branches[parent].parent;
    }
    None
}

/// Plays the lines and puts them into one tree.
struct Weaver {
    /// The main line first.
    branches: Vec<Branch>,
    /// The lines that leave each line, by the ply where they do, the last one first.
    children: Vec<Vec<usize>>,
    /// Lines that were begun.
    begun: usize,
    cut_variations: u64,
}

/// A line that is being played.
struct Open {
    branch: usize,
    position: Position,
    tree: Tree<Position>,
    /// Set once a move of it could not be played.
    is_cut: bool,
}

impl Weaver {
    fn new(parts: Parts) -> Self {
        let mut numbers = HashMap::from([(0, 0)]);
        let mut branches = vec![parts.main];
        let mut cut_variations = 0;
        for (number, branch) in parts.branches {
            let index = branches.len();
            if *numbers.entry(number).or_insert(index) == index {
                branches.push(branch);
            } else {
                cut_variations += 1;
            }
        }
        for (number, comment) in parts.comments {
            if let Some(&index) = numbers.get(&number) {
                branches[index].comments.push(comment);
            }
        }
        // A line that does not exist becomes a number beyond the list, for which `left_by` returns `None`.
        for branch in &mut branches[1..] {
            branch.parent = numbers.get(&branch.parent).copied().unwrap_or(usize::MAX);
        }
        let mut children = vec![Vec::new(); branches.len()];
        // Backwards, because the last one of a list is taken first; the stable sort keeps that order within a ply.
        for index in (1..branches.len()).rev() {
            if let Some(parent) = left_by(&branches, index) {
                children[parent].push(index);
            }
        }
        for siblings in &mut children {
            siblings.sort_by_key(|&index| std::cmp::Reverse(branches[index].depth));
        }
        Self { branches, children, begun: 0, cut_variations }
    }

    /// The tree, and how many lines were cut or never reached.
    fn weave(mut self, start: Position) -> Result<(Tree<Position>, u64), BadGameReason> {
        let mut open = self.open(0, start);
        let mut stack: Vec<Open> = Vec::new();
        loop {
            if let Some(child) = self.variation(&open) {
                if stack.len() == MAX_VARIATION_DEPTH {
                    return Err(BadGameReason::TooDeep);
                }
                let variation = self.open(child, open.position.clone());
                stack.push(std::mem::replace(&mut open, variation));
            } else if let Some(text) = self.branches[open.branch].next_move(&open) {
                if let Err(error) = open.play(text) {
                    if stack.is_empty() {
                        let ply = open.tree.moves.len() + 1;
                        return Err(BadGameReason::Move { ply, error });
                    }
                    open.is_cut = true;
                    self.cut_variations += 1;
                }
            } else {
                let (ply, tree) = self.close(open);
                let Some(mut parent) = stack.pop() else {
                    let lost = (self.branches.len() - self.begun) as u64;
                    return Ok((tree, self.cut_variations + lost));
                };
                if !(tree.moves.is_empty() && tree.comments.is_empty()) {
                    let ply = ply - self.branches[parent.branch].depth;
                    parent.tree.variations.push(Variation { ply, tree });
                }
                open = parent;
            }
        }
    }

    fn open(&mut self, branch: usize, position: Position) -> Open {
        self.begun += 1;
        Open { branch, position, tree: Tree::default(), is_cut: false }
    }

    /// The next line that leaves this one before its next move.
    fn variation(&mut self, open: &Open) -> Option<usize> {
        let branch = &self.branches[open.branch];
        branch.next_move(open)?;
        let ply = branch.depth + open.tree.moves.len();
        self.children[open.branch].pop_if(|child| self.branches[*child].depth == ply)
    }

    /// The plies before the line, and the line with its comments.
    fn close(&mut self, mut open: Open) -> (usize, Tree<Position>) {
        let branch = &mut self.branches[open.branch];
        let len = open.tree.moves.len();
        for (ply, text) in std::mem::take(&mut branch.comments) {
            let place = ply.saturating_sub(branch.depth);
            // Beyond the end of a line that was cut, comments are on lost moves, and dropped; those of a whole line go to
            // its end.
            if place <= len || !open.is_cut {
                open.tree.comments.push((place.min(len), text));
            }
        }
        open.tree.comments.sort_by_key(|(place, _)| *place);
        (branch.depth, open.tree)
    }
}

impl Branch {
    /// The digits of the move that an open line goes on with.
    fn next_move(&self, open: &Open) -> Option<&[u8]> {
        let rest = self.moves.as_bytes().get(4 * open.tree.moves.len()..)?;
        (!open.is_cut && !rest.is_empty()).then(|| &rest[..rest.len().min(4)])
    }
}

impl Open {
    fn play(&mut self, text: &[u8]) -> Result<(), MoveError> {
        let squares = text.as_chunks::<2>().0;
        let &[from, to] = squares else { return Err(unreadable(text)) };
        let from = square(from).ok_or_else(|| unreadable(text))?;
        let to = square(to).ok_or_else(|| unreadable(text))?;
        let mv = Coordinates { from, to }.check(&self.position)?;
        self.position.make(mv);
        self.tree.moves.push(mv);
        Ok(())
    }
}

/// The fault of digits that are no two squares.
fn unreadable(text: &[u8]) -> MoveError {
    MoveError::Unreadable(String::from_utf8_lossy(text).into_owned())
}
