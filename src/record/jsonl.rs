//! Games as JSON, one object on each line.
//!
//! # Format
//!
//! | member | what it is |
//! |---|---|
//! | `moves` | the main line: a string of moves separated by blanks, or an array of such strings. Written as coordinates (`h2e2`), read in any notation. The only member that must be there |
//! | `start` | the start position in FEN, with the clock; absent for the usual one. `fen` and `startfen` are read as well |
//! | `result` | `"1-0"`, `"0-1"`, `"1/2-1/2"`, or `"*"` if unknown |
//! | `tags` | an object: names and values in file order |
//! | `comments` | an array of `[ply, text]`: the text stands after that many moves of the line |
//! | `lines` | an array of variations: `{"of":0,"ply":3,"moves":"…","comments":[…]}`. `of` is the line that it belongs to (0 the main line, 1 the first of `lines`, …), always an earlier one; `ply` the index of the move there that its first move replaces |
//!
//! Any other member that is a string or a number is read as a tag whose name begins with a capital.
//! Records lose nothing in this format.

use std::borrow::Cow;
use std::fmt;
use std::io::{self, Write};

use serde::de::{Deserializer, MapAccess, SeqAccess, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserialize, Serialize, Serializer};

use super::parsed::board_outcome;
use super::pgn::{START, read_start};
use super::split::Lines;
use super::{
    BadGame, BadGameReason, Chunk, MAX_GAME_BYTES, MAX_PARTS, MAX_VARIATION_DEPTH, ParsedGame,
    Place, ReadSummary, Record, Tree, Variation, scan, table,
};
use crate::game::Outcome;
use crate::xiangqi::notation::parse_move;
use crate::xiangqi::{Position, Setup};

/// Reads the games of one chunk; `bytes` is the whole source.
pub(super) fn read_chunk(
    source: &str,
    bytes: &[u8],
    chunk: &Chunk,
    sink: &mut dyn FnMut(Result<ParsedGame, BadGame>),
) -> ReadSummary {
    let mut summary = ReadSummary::default();
    let part = bytes.get(chunk.bytes.clone()).unwrap_or_default();
    for line in Lines::new(part, chunk) {
        let (place, game) = (Place::Line(line.line), line.game);
        match read_game(line.text) {
            Ok((parsed, cut)) => {
                summary.games += 1;
                summary.cut_variations += cut;
                sink(Ok(ParsedGame { place, game, ..parsed }));
            }
            Err(reason) => {
                summary.bad += 1;
                sink(Err(BadGame { source: source.to_owned(), place, game, reason }));
            }
        }
    }
    summary
}

/// A game as it is written.
#[derive(Debug, Default)]
struct Text<'a> {
    start: Option<Cow<'a, str>>,
    result: Option<Cow<'a, str>>,
    tags: Vec<(String, String)>,
    /// The main line and the variations.
    lines: Vec<LineText<'a>>,
}

/// A line of moves as it is written.
#[derive(Debug, Default, Deserialize)]
struct LineText<'a> {
    #[serde(default)]
    of: usize,
    #[serde(default)]
    ply: usize,
    #[serde(borrow)]
    moves: Moves<'a>,
    #[serde(default)]
    comments: Vec<(usize, String)>,
}

fn read_game(line: &[u8]) -> Result<(ParsedGame, u64), BadGameReason> {
    if line.len() > MAX_GAME_BYTES {
        return Err(BadGameReason::TooLong(line.len()));
    }
    let text: Text<'_> = serde_json::from_slice(line)
        .map_err(|error| BadGameReason::Malformed(json_error(&error)))?;
    let (start, start_clock) =
        read_start(text.start.as_deref().unwrap_or_default()).map_err(BadGameReason::Start)?;
    let position = start.clone().unwrap_or_else(|| START.clone());
    let result = read_result(text.result.as_deref().unwrap_or_default())?;
    let mut reader = TreeReader::new(&text.lines, position)?;
    let last = reader.lines(&text.lines)?;
    let end = board_outcome(&last);
    let record = Record { tags: text.tags, start, start_clock, result, tree: reader.join() };
    let parsed = ParsedGame { record, place: Place::Line(0), game: 0, end, note: None };
    Ok((parsed, reader.cut))
}

/// What is wrong with a line, whose number is known from elsewhere.
fn json_error(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let what = text.rsplit_once(" at line ").map_or(text.as_str(), |(what, _)| what);
    format!("not the JSON of a game: {what}, column {}", error.column())
}

/// The result that a member states; words of tables are read as well.
fn read_result(text: &str) -> Result<Option<Outcome>, BadGameReason> {
    let text = text.trim();
    let outcome = table::result(text).and_then(scan::outcome);
    let is_unknown = ["", "*", "?", "unknown"].iter().any(|word| text.eq_ignore_ascii_case(word));
    if outcome.is_none() && !is_unknown {
        let shown: String = text.chars().take(20).collect();
        let what = format!("result \"{shown}\" is none of 1-0, 0-1, 1/2-1/2 and *");
        return Err(BadGameReason::Malformed(what));
    }
    Ok(outcome)
}

/// Puts lines together to a tree.
struct TreeReader {
    /// Where each line begins, as soon as the line that it belongs to was read.
    starts: Vec<Option<Position>>,
    /// The variations of each line by ply, the last first.
    variations: Vec<Vec<usize>>,
    trees: Vec<Variation<Position>>,
    /// The line that each belongs to.
    parents: Vec<usize>,
    /// Variations that were cut.
    cut: u64,
}

impl TreeReader {
    fn new(lines: &[LineText<'_>], start: Position) -> Result<Self, BadGameReason> {
        let malformed = |what: String| Err(BadGameReason::Malformed(what));
        if lines.len() > MAX_PARTS {
            return Err(BadGameReason::TooManyParts);
        }
        let mut variations = vec![Vec::new(); lines.len()];
        let mut depths = vec![0_usize; lines.len()];
        for (index, line) in lines.iter().enumerate().skip(1) {
            if line.of >= index {
                return malformed(format!("line {index} is of line {}, a later one", line.of));
            }
            depths[index] = depths[line.of] + 1;
            if depths[index] > MAX_VARIATION_DEPTH {
                return Err(BadGameReason::TooDeep);
            }
            variations[line.of].push(index);
        }
        for list in &mut variations {
            list.sort_by_key(|&index| std::cmp::Reverse(lines[index].ply));
        }
        let mut starts = vec![None; lines.len()];
        if starts.is_empty() {
            return malformed("no \"moves\"".to_owned());
        }
        starts[0] = Some(start);
        Ok(Self { starts, variations, trees: Vec::new(), parents: Vec::new(), cut: 0 })
    }

    /// Plays all lines and returns the last position of the main line.
    fn lines(&mut self, lines: &[LineText<'_>]) -> Result<Position, BadGameReason> {
        let mut last = None;
        for (index, line) in lines.iter().enumerate() {
            let mut tree = Tree::default();
            if let Some(start) = self.starts[index].take() {
                let position = self.play(index, line, lines, start, &mut tree)?;
                last.get_or_insert(position);
            } else {
                self.cut += 1; // the line that it belongs to ended before
            }
            let plies = tree.moves.len();
            tree.comments = line.comments.clone();
            tree.comments.retain(|(ply, text)| *ply <= plies && !text.is_empty());
            tree.comments.sort_by_key(|(ply, _)| *ply);
            self.trees.push(Variation { ply: line.ply, tree });
            self.parents.push(line.of);
        }
        Ok(last.unwrap_or_else(|| START.clone()))
    }

    /// Plays one line; a bad move ends a variation, and refuses a main line.
    fn play(
        &mut self,
        index: usize,
        line: &LineText<'_>,
        lines: &[LineText<'_>],
        mut position: Position,
        tree: &mut Tree<Position>,
    ) -> Result<Position, BadGameReason> {
        for (ply, word) in line.moves.0.split_whitespace().enumerate() {
            match parse_move(&position, word) {
                Ok(mv) => {
                    let children = &mut self.variations[index];
                    while let Some(child) = children.pop_if(|child| lines[*child].ply <= ply) {
                        self.starts[child] = Some(position.clone());
                    }
                    position.play_unchecked(mv);
                    tree.moves.push(mv);
                }
                Err(error) if index == 0 => {
                    return Err(BadGameReason::Move { ply: ply + 1, error });
                }
                Err(_) => {
                    self.cut += 1;
                    break;
                }
            }
        }
        Ok(position)
    }

    /// The main line with all that belongs to it. Variations without moves and comments are left
    /// out.
    fn join(&mut self) -> Tree<Position> {
        while self.trees.len() > 1 {
            let (Some(mut line), Some(parent)) = (self.trees.pop(), self.parents.pop()) else {
                break;
            };
            line.tree.variations.reverse();
            if !(line.tree.moves.is_empty() && line.tree.comments.is_empty()) {
                self.trees[parent].tree.variations.push(line);
            }
        }
        let mut main = self.trees.pop().map(|line| line.tree).unwrap_or_default();
        main.variations.reverse();
        main
    }
}

/// Moves separated by blanks.
#[derive(Debug, Default)]
struct Moves<'a>(Cow<'a, str>);

impl<'de: 'a, 'a> Deserialize<'de> for Moves<'a> {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        struct Either;
        impl<'de> Visitor<'de> for Either {
            type Value = Moves<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("moves in a string or an array of strings")
            }
            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
                Ok(Moves(Cow::Borrowed(text)))
            }
            fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
                Ok(Moves(Cow::Owned(text.to_owned())))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
                let mut text = String::new();
                while let Some(mv) = list.next_element::<Cow<'de, str>>()? {
                    text.push_str(&mv);
                    text.push(' ');
                }
                Ok(Moves(Cow::Owned(text)))
            }
        }
        input.deserialize_any(Either)
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Text<'a> {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        struct Members;
        impl<'de> Visitor<'de> for Members {
            type Value = Text<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object with \"moves\"")
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
                read_members(map)
            }
        }
        input.deserialize_map(Members)
    }
}

fn read_members<'de, A: MapAccess<'de>>(mut map: A) -> Result<Text<'de>, A::Error> {
    let mut text = Text::default();
    let mut main = None;
    let mut comments = Vec::new();
    let mut lines: Vec<LineText<'de>> = Vec::new();
    while let Some(name) = map.next_key::<Cow<'de, str>>()? {
        match name.as_ref() {
            "moves" => main = Some(map.next_value()?),
            "start" | "startfen" | "fen" => text.start = map.next_value()?,
            "result" => text.result = map.next_value()?,
            "tags" => text.tags.append(&mut map.next_value::<Tags<Vec<_>>>()?.0),
            "comments" => comments = map.next_value()?,
            "lines" => lines = map.next_value()?,
            _ => {
                if let Some(value) = as_text(map.next_value()?) {
                    text.tags.push((capitalised(&name), value));
                }
            }
        }
    }
    if let Some(moves) = main {
        text.lines.push(LineText { moves, comments, ..LineText::default() });
        text.lines.append(&mut lines);
    }
    Ok(text)
}

/// A string or a number; `None` for anything else.
fn as_text(value: serde_json::Value) -> Option<String> {
    match value {
        serde_json::Value::String(text) => Some(text),
        serde_json::Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

fn capitalised(name: &str) -> String {
    let mut letters = name.chars();
    letters
        .next()
        .map_or_else(String::new, |first| first.to_ascii_uppercase().to_string() + letters.as_str())
}

/// Names and values as an object, in their order.
struct Tags<T>(T);

impl Serialize for Tags<&[(String, String)]> {
    fn serialize<S: Serializer>(&self, output: S) -> Result<S::Ok, S::Error> {
        let mut map = output.serialize_map(Some(self.0.len()))?;
        for (name, value) in self.0 {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

impl<'de> Deserialize<'de> for Tags<Vec<(String, String)>> {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        struct Entries;
        impl<'de> Visitor<'de> for Entries {
            type Value = Tags<Vec<(String, String)>>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object of strings")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut tags = Vec::new();
                while let Some((name, value)) = map.next_entry::<String, serde_json::Value>()? {
                    if let Some(value) = as_text(value) {
                        tags.push((name, value));
                    }
                }
                Ok(Tags(tags))
            }
        }
        input.deserialize_map(Entries)
    }
}

/// A game as it is written.
#[derive(Serialize)]
struct Written<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    start: Option<String>,
    moves: String,
    result: &'static str,
    tags: Tags<&'a [(String, String)]>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    comments: &'a [(usize, String)],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    lines: Vec<WrittenLine<'a>>,
}

/// A variation as it is written.
#[derive(Serialize)]
struct WrittenLine<'a> {
    of: usize,
    ply: usize,
    moves: String,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    comments: &'a [(usize, String)],
}

/// Writes a record as one line. The result is written from the record, whatever its tags say.
///
/// # Errors
///
/// If `out` fails.
pub fn write_jsonl(out: &mut impl Write, record: &Record<Position>) -> io::Result<()> {
    let start = record
        .start
        .as_ref()
        .map(|start| Setup { halfmove_clock: record.start_clock, ..start.to_setup() }.to_fen());
    let mut lines = Vec::new();
    let mut open: Vec<(usize, &Tree<Position>)> = vec![(0, &record.tree)];
    let mut next = 0;
    while let Some(&(index, tree)) = open.get(next) {
        next += 1;
        for variation in &tree.variations {
            let moves = moves_text(&variation.tree);
            let comments = variation.tree.comments.as_slice();
            lines.push(WrittenLine { of: index, ply: variation.ply, moves, comments });
            open.push((lines.len(), &variation.tree));
        }
    }
    let written = Written {
        start,
        moves: moves_text(&record.tree),
        result: super::result_text(record.result),
        tags: Tags(&record.tags),
        comments: &record.tree.comments,
        lines,
    };
    serde_json::to_writer(&mut *out, &written)?;
    out.write_all(b"\n")
}

fn moves_text(tree: &Tree<Position>) -> String {
    let mut text = String::with_capacity(5 * tree.moves.len());
    for mv in &tree.moves {
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(&mv.to_string());
    }
    text
}
