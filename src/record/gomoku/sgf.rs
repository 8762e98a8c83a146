//! Smart Game Format, game 4: trees of nodes with properties, `(;GM[4]SZ[15];B[hh];W[ih](;B[ii])(;B[hi]))`.
//!
//! Points are two letters from the top left corner, or a letter and a number as players write them. `SZ` is the
//! size of the board (15 if not stated), `RU` the variant: its name, or 0 for freestyle, 1 for standard and 4
//! for renju. Names of properties are read as the first formats have them, too: small letters in them do not count
//! (`Black[hh]`, `GaMe[4]`). Stones that stand before the first move (`AB`, `AW`, `PL`) are the start position. Of trees within
//! one another the first is the main line, the others are variations.

use std::borrow::Cow;

use crate::game::{Game, Notation, Outcome, Side};
use crate::gomoku::{Board, Point, Variant};
use crate::message::message;
use crate::record::gomoku::{board, fit, pos, tree};
use crate::record::model::bad_game::BadGameReason;
use crate::record::model::chunk_reader::ChunkReader;
use crate::record::model::format::Format;
use crate::record::model::format_row::{FormatInfo, FormatRow, ReadGames, Sniffer, Stage};
use crate::record::model::limits::{MAX_GAME_BYTES, MAX_PARTS};
use crate::record::model::place::Place;
use crate::record::model::preorder::{FileMove, PreOrder, WrittenMove};
use crate::record::model::record::Record;
use crate::record::model::sample::Sample;
use crate::record::model::single::{Fault, Found, go_on, malformed, truncated, unless_truncated};
use crate::record::model::texts::{Texts, tidy};
use crate::record::model::written::{WriteError, WriteOptions, Written};

/// The row of SGF.
pub(crate) const ROW: FormatRow<Board> = FormatRow {
    info: FormatInfo::of_text(Format::Sgf, "sgf", &["sgf"]),
    sniff: &[Sniffer { stage: Stage::Beginning, shows: looks_like }],
    read: ReadGames::Chunk(read),
    write: Some(written),
};

/// Properties of the first node, and the tags that they are kept as.
const TAGS: [(&str, &str); 13] = [
    ("EV", "Event"),
    ("RO", "Round"),
    ("PC", "Site"),
    ("DT", "Date"),
    ("PB", "Black"),
    ("PW", "White"),
    ("BR", "BlackRating"),
    ("WR", "WhiteRating"),
    ("GN", "Id"),
    ("ON", "Opening"),
    ("AN", "Annotator"),
    ("TM", "TimeControl"),
    ("TE", "Termination"),
];

fn looks_like(sample: &Sample<'_>) -> bool {
    let node = sample.decoded().strip_prefix('(');
    let is_node = node.is_some_and(|rest| rest.trim_start().starts_with(';'));
    // Forty stones may begin so as well; no tree of that length has forty different letters.
    is_node && sample.is_text() && !pos::looks_like(sample.without_mark())
}

/// Reads the games of a source.
fn read(reader: &mut ChunkReader<'_, Board>) {
    let texts = Texts::default();
    let text = texts.decode(reader.chunk.encoding, reader.bytes);
    let mut at = 0;
    let mut line = 1;
    let mut number = 0;
    while let Some(before) = text[at..].find('(') {
        let begin = at + before;
        let tree = &text[begin..begin + tree_len(&text[begin..])];
        line += line_ends(&text[at..begin]);
        number += 1;
        let read = match read_whole_tree(tree, line) {
            Ok(found) => Ok(Found { is_undecoded: texts.is_undecoded(), ..found }),
            Err(fault) => Err(fault),
        };
        reader.report(Place::Line(line), number, read);
        line += line_ends(tree);
        at = begin + tree.len();
    }
}

fn line_ends(text: &str) -> u64 {
    text.bytes().filter(|&byte| byte == b'\n').count() as u64
}

/// Reads a tree that begins on a line. Faults are at their lines.
fn read_whole_tree(tree: &str, line: u64) -> Result<Found<Board>, Fault> {
    if tree.len() > MAX_GAME_BYTES {
        return Err(Fault { place: Place::Line(line), reason: BadGameReason::TooLong(tree.len()) });
    }
    let found = read_tree(tree).map_err(|fault| on_line(tree, line, fault))?;
    let fault = found.fault.map(|fault| on_line(tree, line, fault));
    Ok(Found { fault, ..found })
}

/// A fault at an offset in a tree that begins on a line, at its line.
fn on_line(tree: &str, line: u64, fault: Fault) -> Fault {
    let Place::Offset(offset) = fault.place else { return fault };
    let bytes = tree.as_bytes();
    let before = bytes.get(..offset as usize).unwrap_or(bytes);
    let more = before.iter().filter(|&&byte| byte == b'\n').count() as u64;
    Fault { place: Place::Line(line + more), ..fault }
}

/// The bytes of the tree at the beginning of a text, brackets in values left aside; the rest if it is never
/// closed.
fn tree_len(text: &str) -> usize {
    let mut depth = 0_usize;
    let mut in_value = false;
    let mut is_escaped = false;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if in_value => is_escaped = true,
            b']' => in_value = false,
            _ if in_value => {}
            b'[' => in_value = true,
            b'(' => depth += 1,
            b')' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return at + 1;
                }
            }
            _ => {}
        }
    }
    text.len()
}

/// A piece of a tree.
#[derive(Debug, PartialEq, Eq)]
enum Token<'a> {
    Open,
    Close,
    Node,
    Property(Cow<'a, str>, Vec<String>),
}

struct Tokens<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Tokens<'a> {
    fn skip_blanks(&mut self) {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start().len();
    }

    fn next(&mut self) -> Result<Option<Token<'a>>, Fault> {
        self.skip_blanks();
        let Some(c) = self.text[self.at..].chars().next() else { return Ok(None) };
        let begin = self.at;
        self.at += c.len_utf8();
        Ok(Some(match c {
            '(' => Token::Open,
            ')' => Token::Close,
            ';' => Token::Node,
            c if c.is_ascii_alphabetic() => {
                let rest = &self.text[begin..];
                let len = rest.bytes().take_while(u8::is_ascii_alphabetic).count();
                self.at = begin + len;
                let values = self.values()?;
                if values.is_empty() && self.at == self.text.len() {
                    return Err(truncated(begin, "a property"));
                }
                Token::Property(property_name(&rest[..len]), values)
            }
            c => {
                return Err(malformed(
                    begin,
                    message!("'{}' where a node or a property is due", c.escape_debug()),
                ));
            }
        }))
    }

    fn values(&mut self) -> Result<Vec<String>, Fault> {
        let mut values = Vec::new();
        loop {
            self.skip_blanks();
            let begin = self.at;
            if !self.text[begin..].starts_with('[') {
                return Ok(values);
            }
            if values.len() >= MAX_PARTS {
                return Err(Fault::at(begin, BadGameReason::TooManyParts));
            }
            let mut value = String::new();
            let mut is_escaped = false;
            let mut end = None;
            for (offset, c) in self.text[begin + 1..].char_indices() {
                match c {
                    // An escaped end of a line is none.
                    '\n' | '\r' if is_escaped => is_escaped = false,
                    _ if is_escaped => {
                        value.push(c);
                        is_escaped = false;
                    }
                    '\\' => is_escaped = true,
                    ']' => {
                        end = Some(offset);
                        break;
                    }
                    _ => value.push(c),
                }
            }
            let end = end.ok_or_else(|| truncated(begin, "a value"))?;
            self.at = begin + 1 + end + 1;
            values.push(value);
        }
    }
}

/// The name of a property without its small letters, which the first formats have and which do not count. One of
/// small letters alone stands for the same in capitals.
fn property_name(written: &str) -> Cow<'_, str> {
    if written.chars().all(|c| c.is_ascii_uppercase()) {
        return Cow::Borrowed(written);
    }
    let name: String = written.chars().filter(char::is_ascii_uppercase).collect();
    Cow::Owned(if name.is_empty() { written.to_ascii_uppercase() } else { name })
}

/// A node with a move, or the first ones without.
#[derive(Debug, Default)]
struct Node {
    at: usize,
    mv: Option<(Side, String)>,
    comment: String,
    answers: Vec<usize>,
}

/// The statements of the nodes before the first move.
#[derive(Debug, Default)]
struct Head {
    size: Option<String>,
    rule: Option<String>,
    game: Option<String>,
    result: Option<String>,
    turn: Option<String>,
    stones: [Vec<String>; 2],
    tags: Vec<(String, String)>,
}

impl Head {
    fn note(&mut self, name: &str, values: &[String]) {
        match name {
            "SZ" => self.size = first_of(values),
            "RU" => self.rule = first_of(values),
            "GM" => self.game = first_of(values),
            "RE" => self.result = first_of(values),
            "PL" => self.turn = first_of(values),
            "AB" => self.stones[0].extend_from_slice(values),
            "AW" => self.stones[1].extend_from_slice(values),
            _ => {
                let tag = TAGS.iter().find(|(property, _)| *property == name);
                if let (Some((_, tag)), Some(value)) = (tag, first_of(values))
                    && !value.is_empty()
                {
                    self.tags.push(((*tag).to_owned(), tidy(&value)));
                }
            }
        }
    }

    fn variant(&self) -> Variant {
        let rule = self.rule.as_deref().unwrap_or_default().to_ascii_lowercase();
        match rule.as_str() {
            "1" => Variant::Standard,
            "4" => Variant::Renju,
            rule => {
                let mut variants = Variant::ALL.into_iter();
                variants.find(|variant| rule.contains(&variant.to_string())).unwrap_or_default()
            }
        }
    }

    /// The board before the first move.
    fn start(&self) -> Result<Board, BadGameReason> {
        let malformed = BadGameReason::Malformed;
        if let Some(game) = self.game.as_deref().filter(|game| *game != "4") {
            let what = message!("game {} of SGF; 4 is gomoku", board::quoted(game));
            return Err(malformed(what));
        }
        let size = self.size.as_deref().unwrap_or("15");
        let (width, height) = size.split_once(':').unwrap_or((size, size));
        let (Ok(width), Ok(height)) = (width.trim().parse(), height.trim().parse()) else {
            return Err(malformed(message!("size \"{}\" is no number", board::quoted(size))));
        };
        let empty = board::empty(width, height, self.variant())?;
        if self.stones.iter().all(Vec::is_empty) {
            return Ok(empty);
        }
        // Made of its text, so that the same is checked as of any position.
        let mut cells = vec![vec![b'1'; usize::from(width)]; usize::from(height)];
        for (texts, sign) in self.stones.iter().zip([b'x', b'o']) {
            for text in texts {
                let place = point(&empty, text).map(|mv| board::to_top(&empty, mv));
                let Some((column, row)) = place else {
                    let text = board::quoted(text);
                    return Err(malformed(message!("a stone on \"{text}\", which is no point")));
                };
                cells[usize::from(row)][usize::from(column)] = sign;
            }
        }
        let rows: Vec<String> = cells.iter().map(|row| digits_apart(row)).collect();
        let turn = match self.turn.as_deref().map(str::trim) {
            Some("B" | "b" | "1" | "black") => Some(" x"),
            Some("W" | "w" | "2" | "white") => Some(" o"),
            _ => None,
        };
        let [black, white] = self.stones.each_ref().map(Vec::len);
        let turn = turn.unwrap_or(if black > white { " o" } else { " x" });
        let text = format!("{}{turn} 5 {}", rows.join("/"), self.variant());
        Board::from_fen(&text).map_err(|error| malformed(message!("start position: {error}")))
    }
}

/// The first value of a property.
fn first_of(values: &[String]) -> Option<String> {
    values.first().map(|value| value.trim().to_owned())
}

/// A row of a position's text: empty points, marked `1`, are counted together.
fn digits_apart(row: &[u8]) -> String {
    let mut text = String::new();
    for run in row.chunk_by(|a, b| *a == b'1' && *b == b'1') {
        match run {
            [b'1', ..] => text.push_str(&run.len().to_string()),
            _ => text.extend(run.iter().map(|&sign| char::from(sign))),
        }
    }
    text
}

/// A point as files write it.
fn point(board: &Board, text: &str) -> Option<Point> {
    let text = text.trim();
    if let [column, row] = text.as_bytes()
        && row.is_ascii_alphabetic()
    {
        return board::from_top(board, number_of(*column)?, number_of(*row)?);
    }
    Point::parse(text).filter(|&point| board.contains(point))
}

/// The number of a letter, from 0.
fn number_of(letter: u8) -> Option<u32> {
    letter.to_ascii_lowercase().checked_sub(b'a').map(u32::from)
}

/// A move with its colour.
struct Stone {
    side: Side,
    text: String,
}

impl WrittenMove<Board> for Stone {
    fn play(mv: Result<Self, String>, board: &Board, ply: usize) -> Result<Point, BadGameReason> {
        let stone = match mv {
            Ok(stone) => stone,
            Err(text) => return Point::play(Err(text), board, ply),
        };
        if stone.side != board.turn() {
            let what = message!("a stone of {} out of turn", colour(stone.side));
            return Err(BadGameReason::Unplayable { ply, what });
        }
        let point = point(board, &stone.text).ok_or_else(|| board::quoted(&stone.text));
        Point::play(point, board, ply)
    }
}

const fn colour(side: Side) -> &'static str {
    match side {
        Side::First => "Black",
        Side::Second => "White",
    }
}

fn read_tree(text: &str) -> Result<Found<Board>, Fault> {
    let mut head = Head::default();
    let mut nodes = vec![Node::default()];
    let mut fault = None;
    // Of a file that ends too early the nodes before are there.
    unless_truncated(read_nodes(text, &mut head, &mut nodes), &mut fault)?;
    let start = head.start().map_err(|reason| Fault::at(0, reason))?;
    let preface = nodes[0].comment.clone();
    let mut order = PreOrder::new(start.clone(), preface);
    // Each node with whether another one in its place follows; the next one last.
    let mut open: Vec<(usize, bool)> = Vec::new();
    push_answers(&mut open, &nodes[0].answers);
    while let Some((index, has_alternative)) = open.pop() {
        let node = &nodes[index];
        push_answers(&mut open, &node.answers);
        let mv = node.mv.clone().ok_or_else(|| "pass".to_owned());
        let mv = mv.map(|(side, text)| Stone { side, text });
        let comment = node.comment.clone();
        let is_last = node.answers.is_empty();
        let added = order.add(FileMove { mv, comment, is_last, has_alternative });
        if !go_on(added, node.at, &mut fault) {
            break;
        }
    }
    let (tree, cut_variations) = order.finish();
    let result = head.result.as_deref().and_then(result);
    let record = board::record(head.tags, &start, result, tree);
    Ok(Found { cut_variations, fault, ..Found::new(record) })
}

/// Adds answers to the nodes that are still to be read, the first on top.
fn push_answers(open: &mut Vec<(usize, bool)>, answers: &[usize]) {
    let last = answers.last();
    open.extend(answers.iter().rev().map(|answer| (*answer, Some(answer) != last)));
}

/// Reads `B+5`, `W+Resign`, `0`, `Draw` or `1-0`.
fn result(text: &str) -> Option<Outcome> {
    let text = text.trim();
    match text.to_ascii_lowercase().get(..2) {
        Some("b+") => Some(Outcome::Win(Side::First)),
        Some("w+") => Some(Outcome::Win(Side::Second)),
        _ if text == "0" => Some(Outcome::Draw),
        _ => board::result(text),
    }
}

/// Reads the nodes of a tree with moves; the first one, which is there, stands for all before them.
fn read_nodes(text: &str, head: &mut Head, nodes: &mut Vec<Node>) -> Result<(), Fault> {
    let mut tokens = Tokens { text, at: 0 };
    // Where the next node belongs, and the same before each open tree.
    let mut last = 0;
    let mut before = Vec::new();
    let mut parts = 0;
    loop {
        let at = tokens.at;
        let Some(token) = tokens.next()? else { break };
        parts += 1;
        if parts > 20 * MAX_PARTS {
            return Err(Fault::at(at, BadGameReason::TooManyParts));
        }
        match token {
            Token::Property(name, values) if matches!(&*name, "B" | "W") => {
                let side = if name == "B" { Side::First } else { Side::Second };
                let text = values.into_iter().next().unwrap_or_default();
                let index = nodes.len();
                nodes.push(Node { at, mv: Some((side, text)), ..Node::default() });
                nodes[last].answers.push(index);
                last = index;
            }
            Token::Property(name, values) if name == "C" => nodes[last].add_comments(&values),
            Token::Property(name, values) if last == 0 => head.note(&name, &values),
            Token::Open => before.push(last),
            Token::Close => {
                last = before.pop().unwrap_or(0);
                if before.is_empty() {
                    return Ok(());
                }
            }
            Token::Property(..) | Token::Node => {}
        }
    }
    Err(truncated(text.len(), "a tree that is never closed"))
}

impl Node {
    /// Adds the values of a comment, a line each.
    fn add_comments(&mut self, values: &[String]) {
        for value in values {
            if !self.comment.is_empty() {
                self.comment.push('\n');
            }
            self.comment.push_str(&tidy(value));
        }
    }
}

/// Writes a record, and counts what is left out.
fn written(record: &Record<Board>, _: &WriteOptions) -> Result<Written, WriteError> {
    let start = record.start.clone().unwrap_or_else(Board::start);
    let dropped = fit::tags_lost(record, tags_kept(record));
    Ok(Written::text(write(record, &start), dropped))
}

/// The tree of a record on a board of any size.
fn write(record: &Record<Board>, start: &Board) -> String {
    let width = start.width();
    let height = start.height();
    let size = if width == height { width.to_string() } else { format!("{width}:{height}") };
    let rule = match start.variant() {
        Variant::Freestyle => "0",
        Variant::Standard => "1",
        _ => "4",
    };
    let mut text = format!("(;FF[4]GM[4]CA[UTF-8]SZ[{size}]RU[{rule}]");
    for (property, tag) in TAGS {
        if let Some(value) = record.tag(tag) {
            put_property(&mut text, property, &escaped(value));
        }
    }
    text += match record.result {
        Some(Outcome::Win(Side::First)) => "RE[B+]",
        Some(Outcome::Win(Side::Second)) => "RE[W+]",
        Some(Outcome::Draw) => "RE[0]",
        None => "",
    };
    put_stones(&mut text, start);
    put_tree(&mut text, record, start);
    text.push('\n');
    text
}

/// The number of tags that have a property.
fn tags_kept(record: &Record<Board>) -> usize {
    TAGS.iter().filter(|(_, tag)| record.tag(tag).is_some()).count()
}

fn letters(board: &Board, mv: Point) -> String {
    let (column, row) = board::to_top(board, mv);
    [column, row].map(|number| char::from(b'a' + number)).iter().collect()
}

fn put_stones(text: &mut String, start: &Board) {
    for (side, name) in [(Side::First, "AB"), (Side::Second, "AW")] {
        let mut points =
            start.points().filter(|&point| start.stone(point) == Some(side)).peekable();
        if points.peek().is_some() {
            text.push_str(name);
            points.for_each(|point| put_property(text, "", &letters(start, point)));
        }
    }
    if start.stones() > 0 {
        *text += if start.turn() == Side::First { "PL[B]" } else { "PL[W]" };
    }
}

/// A part of the text that is still to be written.
enum Rest {
    /// A tree within the tree, from a node on.
    Tree(usize),
    Close,
}

fn put_tree(text: &mut String, record: &Record<Board>, start: &Board) {
    let nodes = tree::nodes_of(&record.tree);
    let mut open = Vec::new();
    let mut next = Some(0);
    loop {
        while let Some(node) = next.take().and_then(|index| nodes.get(index)) {
            put_node(text, node, start);
            match &node.answers[..] {
                [only] => next = Some(*only),
                // Taken from the end: the first tree, its bracket, the next tree.
                answers => open.extend(
                    answers.iter().rev().flat_map(|&index| [Rest::Close, Rest::Tree(index)]),
                ),
            }
        }
        match open.pop() {
            Some(Rest::Tree(index)) => {
                text.push('(');
                next = Some(index);
            }
            Some(Rest::Close) => text.push(')'),
            None => break,
        }
    }
    text.push(')');
}

fn put_node(text: &mut String, node: &tree::Node, start: &Board) {
    if let Some(mv) = node.mv {
        // The first move has a depth of 1.
        let is_black = (start.turn() == Side::First) == (node.depth % 2 == 1);
        put_property(text, if is_black { ";B" } else { ";W" }, &letters(start, mv));
    }
    if !node.comment.is_empty() {
        put_property(text, "C", &escaped(&node.comment));
    }
}

fn put_property(text: &mut String, name: &str, value: &str) {
    text.extend([name, "[", value, "]"]);
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace(']', "\\]")
}
