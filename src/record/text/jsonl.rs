//! Games as JSON, one object on each line.
//!
//! # Format
//!
//! | member | what it is |
//! |---|---|
//! | `moves` | the main line: a string of moves separated by blanks, or an array of such strings. Written as coordinates (`h2e2`, in gomoku `h8`), read in any notation. The only member that must be there |
//! | `start` | the start position in FEN, with the clock; absent for the usual one. `fen` and `startfen` are read as well |
//! | `result` | `"1-0"`, `"0-1"`, `"1/2-1/2"`, or `"*"` if unknown |
//! | `tags` | an object: names and values in file order |
//! | `comments` | an array of `[ply, text]`: the text stands after that many moves of the line |
//! | `glyphs` | an array of `[ply, number]`: numeric annotation glyphs, as PGN numbers them (4 is `??`), of the move that ends after that many moves of the line |
//! | `lines` | an array of variations: `{"of":0,"ply":3,"moves":"…","comments":[…]}`. `of` is the line that it belongs to (0 the main line, 1 the first of `lines`, …), always an earlier one; `ply` the index of the move there that its first move replaces, from 0 |
//!
//! All plies are counted in the line itself, not in the game: `ply` of a variation from the first move
//! of the line that it belongs to, that of a comment from the first move of its own line. So a variation
//! of a variation that begins at ply 10 and is left at its third move has `ply` 2, not 12.
//!
//! Each of these members stands once in its object; two of them are an error, since it is unknown which
//! one counts. Names within `tags` may repeat, as they may in PGN. Any other member that is a string or a
//! number is read as a tag whose name begins with a capital. Records lose nothing in this format.

use std::borrow::Cow;
use std::cell::Cell;
use std::collections::BTreeMap;
use std::fmt;
use std::io::{self, Write};
use std::marker::PhantomData;

use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserialize, Serialize, Serializer};

use crate::game::Outcome;
use crate::message::{Message, message};
use crate::record::model::bad_game::BadGameReason;
use crate::record::model::chunk::Cut;
use crate::record::model::chunk_reader::ChunkReader;
use crate::record::model::encoding::UTF8_MARK;
use crate::record::model::format::Format;
use crate::record::model::format_row::{FormatInfo, FormatRow, ReadGames, Sniffer, Stage};
use crate::record::model::limits::{MAX_GAME_BYTES, MAX_PARTS, MAX_VARIATION_DEPTH};
use crate::record::model::options::Keep;
use crate::record::model::parsed::ParsedGame;
use crate::record::model::place::Place;
use crate::record::model::record::{Record, Tree, Variation};
use crate::record::model::recorded::Recorded;
use crate::record::model::sample::Sample;
use crate::record::model::written::{Dropped, WriteError, WriteOptions, Written};
use crate::record::text::pgn_writer::result_text;
use crate::record::text::split::{Lines, TextLine, cut_lines};

/// The row of JSON lines, in which games of all kinds are written.
pub(crate) const fn row<G: Recorded>() -> FormatRow<G> {
    FormatRow {
        info: FormatInfo {
            cut: Cut::Games(cut_lines),
            ..FormatInfo::of_text(Format::Jsonl, "jsonl", &["jsonl", "ndjson"])
        },
        sniff: &[Sniffer { stage: Stage::Beginning, shows: looks_like }],
        read: ReadGames::Chunk(read),
        write: Some(written),
    }
}

fn looks_like(sample: &Sample<'_>) -> bool {
    begins_object(sample.head())
}

/// Returns true if a text begins with an object and not with a comment in braces: `{"name":`.
pub(crate) fn begins_object(text: &[u8]) -> bool {
    let Some(rest) = text.strip_prefix(b"{") else { return false };
    let rest = rest.trim_ascii_start();
    if rest.starts_with(b"}") {
        return true;
    }
    let Some(name) = rest.strip_prefix(b"\"") else { return false };
    let end = name.iter().position(|&b| b == b'"');
    end.is_some_and(|end| name[end + 1..].trim_ascii_start().starts_with(b":"))
}

/// Returns true for an object that does not end on its first line, and for a list of objects.
pub(crate) fn is_over_lines(bytes: &[u8]) -> bool {
    let text = bytes.strip_prefix(UTF8_MARK).unwrap_or(bytes).trim_ascii_start();
    if let Some(list) = text.strip_prefix(b"[") {
        return begins_object(list.trim_ascii_start());
    }
    let line = text.split(|&b| matches!(b, b'\n' | b'\r')).next().unwrap_or_default();
    line.trim_ascii() == b"{" && begins_object(text)
}

/// Reads the games of a chunk.
fn read<G: Recorded>(reader: &mut ChunkReader<'_, G>) {
    let keep = reader.chunk.options.keep;
    for TextLine { text, line, game, .. } in Lines::new(reader.part(), reader.chunk) {
        let place = Place::Line(line);
        match read_game(text, usize::MAX) {
            Ok(read) => hand_over(reader, place, game, read, None),
            Err(reason) => match legal_part(text, &reason, keep) {
                Some(part) => hand_over(reader, place, game, part, Some(reason)),
                None => reader.refuse(reader.bad(place, game, reason)),
            },
        }
    }
}

/// The moves of a game before the one that is at fault, if they are to be kept.
fn legal_part<G: Recorded>(
    line: &[u8],
    reason: &BadGameReason,
    keep: Keep,
) -> Option<(ParsedGame<G>, u64)> {
    let ply = reason.bad_ply().filter(|_| keep != Keep::Nothing)?;
    read_game(line, ply - 1).ok().filter(|(part, _)| keep.keeps(&part.record))
}

/// Hands over a game with the number of its variations that were cut.
fn hand_over<G: Recorded>(
    reader: &mut ChunkReader<'_, G>,
    place: Place,
    game: u64,
    (parsed, cut_variations): (ParsedGame<G>, u64),
    fault: Option<BadGameReason>,
) {
    let cut = fault.map(|reason| Box::new(reader.bad(place, game, reason)));
    reader.summary.cut_variations += cut_variations;
    reader.accept(ParsedGame { place, game, cut, ..parsed });
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
#[derive(Debug, Default)]
struct LineText<'a> {
    of: usize,
    ply: usize,
    moves: Moves<'a>,
    comments: Vec<(usize, String)>,
    glyphs: Vec<(usize, u8)>,
}

impl LineText<'_> {
    /// Refuses comments beyond the end of the line.
    fn check_comments(&self) -> Result<(), BadGameReason> {
        let Some(last) = self.comments.iter().map(|(ply, _)| *ply).max() else { return Ok(()) };
        let plies = self.moves.0.split_whitespace().count();
        if last > plies {
            let what = message!("a comment on ply {last} of a line of {plies}");
            return Err(BadGameReason::Malformed(what));
        }
        Ok(())
    }
}

/// Reads a game, at most `plies` plies of its main line, and returns the number of variations that were cut.
fn read_game<G: Recorded>(
    line: &[u8],
    plies: usize,
) -> Result<(ParsedGame<G>, u64), BadGameReason> {
    if line.len() > MAX_GAME_BYTES {
        return Err(BadGameReason::TooLong(line.len()));
    }
    let text = read_text(line)?;
    let (start, start_clock) = G::recorded_start(text.start.as_deref().unwrap_or_default())?;
    let position = start.clone().unwrap_or_else(G::start);
    let result = read_result::<G>(text.result.as_deref().unwrap_or_default())?;
    // The whole main line decides how moves are written, or the longer part of it.
    let mut first = TreeReader::read(&text.lines, position.clone(), plies, 0);
    for scheme in 1..G::SCHEMES {
        first = match first {
            Err(fault) if fault.bad_ply().is_some() => {
                TreeReader::read(&text.lines, position.clone(), plies, scheme)
                    .map_err(|other| if other.bad_ply() > fault.bad_ply() { other } else { fault })
            }
            first => first,
        };
    }
    let (mut reader, last) = first?;
    let end = last.end();
    let record = Record { tags: text.tags, start, start_clock, result, tree: reader.join() };
    // The caller knows both, and puts them in.
    let place = Place::Line(0);
    let game = 0;
    let nags = BTreeMap::new();
    let parsed = ParsedGame { record, place, game, end, note: None, cut: None, words: None, nags };
    Ok((parsed, reader.cut))
}

fn read_text(line: &[u8]) -> Result<Text<'_>, BadGameReason> {
    let parts = Parts::default();
    let mut input = serde_json::Deserializer::from_slice(line);
    let text = parts.game().deserialize(&mut input);
    text.and_then(|text| input.end().map(|()| text)).map_err(|error| {
        // An error of the deserialiser is only a text: the count tells whether there were too many parts.
        if parts.0.get() > MAX_PARTS {
            return BadGameReason::TooManyParts;
        }
        BadGameReason::Malformed(json_error(&error))
    })
}

/// The message for a line that is not the JSON of a game; the line's number is known from elsewhere.
fn json_error(error: &serde_json::Error) -> Message {
    /// Messages quote what they complain of, in full.
    const LONGEST: usize = 200;
    let text = error.to_string();
    let what = text.rsplit_once(" at line ").map_or(text.as_str(), |(what, _)| what);
    let shown: String = what.chars().take(LONGEST).collect();
    let rest = if shown.len() < what.len() { "…" } else { "" };
    message!("not the JSON of a game: {shown}{rest}, column {}", error.column())
}

/// The result that a member states; words used in CSV tables are read as well.
fn read_result<G: Recorded>(text: &str) -> Result<Option<Outcome>, BadGameReason> {
    let text = text.trim();
    let outcome = G::read_result(text);
    let is_unknown = ["", "*", "?", "unknown"].iter().any(|word| text.eq_ignore_ascii_case(word));
    if outcome.is_none() && !is_unknown {
        let shown: String = text.chars().take(20).collect();
        let what = message!("result \"{shown}\" is none of 1-0, 0-1, 1/2-1/2 and *");
        return Err(BadGameReason::Malformed(what));
    }
    Ok(outcome)
}

/// Puts lines together to a tree.
struct TreeReader<G: Recorded> {
    /// The position where each line begins, as soon as the line that it belongs to was read.
    starts: Vec<Option<G>>,
    /// The variations of each line by ply, the last first.
    variations: Vec<Vec<usize>>,
    trees: Vec<Variation<G>>,
    /// The line that each belongs to.
    parents: Vec<usize>,
    /// Variations that were cut.
    cut: u64,
    /// Plies of the main line that are read at most.
    plies: usize,
    /// The way in which moves are written.
    scheme: u8,
}

impl<G: Recorded> TreeReader<G> {
    /// Plays all lines, with moves written in one way; returns the last position of the main line, too.
    fn read(
        lines: &[LineText<'_>],
        start: G,
        plies: usize,
        scheme: u8,
    ) -> Result<(Self, G), BadGameReason> {
        let mut reader = Self { scheme, ..Self::new(lines, start, plies)? };
        reader.lines(lines).map(|last| (reader, last))
    }

    fn new(lines: &[LineText<'_>], start: G, plies: usize) -> Result<Self, BadGameReason> {
        if lines.len() > MAX_PARTS {
            return Err(BadGameReason::TooManyParts);
        }
        let mut variations = vec![Vec::new(); lines.len()];
        let mut depths = vec![0_usize; lines.len()];
        for (index, line) in lines.iter().enumerate().skip(1) {
            // No line is its own ancestor, then, and the depth of the one that it leaves is known.
            if line.of >= index {
                let what = message!("line {index} is of line {}, a later one", line.of);
                return Err(BadGameReason::Malformed(what));
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
            return Err(BadGameReason::Malformed("no \"moves\"".into()));
        }
        starts[0] = Some(start);
        Ok(Self {
            starts,
            variations,
            trees: Vec::new(),
            parents: Vec::new(),
            cut: 0,
            plies,
            scheme: 0,
        })
    }

    /// Plays all lines and returns the last position of the main line.
    fn lines(&mut self, lines: &[LineText<'_>]) -> Result<G, BadGameReason> {
        let mut last = None;
        for (index, line) in lines.iter().enumerate() {
            let mut tree = Tree::default();
            if let Some(start) = self.starts[index].take() {
                let position = self.play(index, line, lines, start, &mut tree)?;
                last.get_or_insert(position);
            } else {
                self.cut += 1; // the line that it belongs to ended before
            }
            line.check_comments()?;
            let plies = tree.moves.len();
            tree.comments = line.comments.clone();
            tree.comments.retain(|(ply, text)| *ply <= plies && !text.is_empty());
            tree.comments.sort_by_key(|(ply, _)| *ply);
            tree.glyphs = line.glyphs.clone();
            tree.glyphs.retain(|(ply, _)| (1..=plies).contains(ply));
            tree.glyphs.sort_by_key(|(ply, _)| *ply);
            self.trees.push(Variation { ply: line.ply, tree });
            self.parents.push(line.of);
        }
        Ok(last.unwrap_or_else(G::start))
    }

    /// Plays one line; a bad move ends a variation, and refuses a main line.
    fn play(
        &mut self,
        index: usize,
        line: &LineText<'_>,
        lines: &[LineText<'_>],
        mut position: G,
        tree: &mut Tree<G>,
    ) -> Result<G, BadGameReason> {
        let most = if index == 0 { self.plies } else { usize::MAX };
        for (ply, word) in line.moves.0.split_whitespace().take(most).enumerate() {
            match position.read_recorded(word, self.scheme, ply + 1) {
                Ok(mv) => {
                    // The variations that replace this move begin with the position before it.
                    let children = &mut self.variations[index];
                    while let Some(child) = children.pop_if(|child| lines[*child].ply <= ply) {
                        self.starts[child] = Some(position.clone());
                    }
                    position.make(mv);
                    tree.moves.push(mv);
                }
                Err(reason) if index == 0 => return Err(reason),
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
    fn join(&mut self) -> Tree<G> {
        // From the last one back: what belongs to a line stands behind it, so that it is whole when its turn comes.
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

/// Counts the comments, variations and tags of a game while it is read.
#[derive(Debug, Default)]
struct Parts(Cell<usize>);

impl Parts {
    /// Counts one more.
    fn count<E: Error>(&self) -> Result<(), E> {
        self.0.set(self.0.get() + 1);
        if self.0.get() > MAX_PARTS { Err(E::custom("too many parts")) } else { Ok(()) }
    }

    const fn game(&self) -> Reading<'_, Text<'static>> {
        Reading { parts: self, what: PhantomData }
    }

    const fn line(&self) -> Reading<'_, LineText<'static>> {
        Reading { parts: self, what: PhantomData }
    }

    const fn tags(&self) -> Reading<'_, Tags<()>> {
        Reading { parts: self, what: PhantomData }
    }

    const fn list<S>(&self, item: S) -> List<'_, S> {
        List { parts: self, item }
    }
}

/// Reads an object whose parts are counted.
struct Reading<'p, T> {
    parts: &'p Parts,
    what: PhantomData<T>,
}

impl<T> Clone for Reading<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Reading<'_, T> {}

/// Reads an array whose elements are counted.
struct List<'p, S> {
    parts: &'p Parts,
    item: S,
}

impl<'de, S: DeserializeSeed<'de> + Copy> DeserializeSeed<'de> for List<'_, S> {
    type Value = Vec<S::Value>;
    fn deserialize<D: Deserializer<'de>>(self, input: D) -> Result<Self::Value, D::Error> {
        input.deserialize_seq(self)
    }
}

impl<'de, S: DeserializeSeed<'de> + Copy> Visitor<'de> for List<'_, S> {
    type Value = Vec<S::Value>;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array")
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut input: A) -> Result<Self::Value, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = input.next_element_seed(self.item)? {
            self.parts.count()?;
            list.push(item);
        }
        Ok(list)
    }
}

/// Keeps the only value of a member.
fn put<T, E: Error>(place: &mut Option<T>, name: &str, value: T) -> Result<(), E> {
    match place.replace(value) {
        None => Ok(()),
        Some(_) => Err(E::custom(format_args!("member \"{name}\" stands twice"))),
    }
}

impl<'de> DeserializeSeed<'de> for Reading<'_, Text<'static>> {
    type Value = Text<'de>;
    fn deserialize<D: Deserializer<'de>>(self, input: D) -> Result<Self::Value, D::Error> {
        input.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Reading<'_, Text<'static>> {
    type Value = Text<'de>;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object with \"moves\"")
    }
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut start = None;
        let mut result = None;
        let mut tags = None;
        let mut main = None;
        let mut comments = None;
        let mut glyphs = None;
        let mut lines = None;
        let mut others = Vec::new();
        while let Some(name) = map.next_key::<Cow<'de, str>>()? {
            match name.as_ref() {
                "moves" => put(&mut main, &name, map.next_value::<Moves<'de>>()?)?,
                "start" | "startfen" | "fen" => put_start(&mut start, &name, map.next_value()?)?,
                "result" => put(&mut result, &name, map.next_value()?)?,
                "tags" => put(&mut tags, &name, map.next_value_seed(self.parts.tags())?)?,
                "comments" => {
                    put(&mut comments, &name, map.next_value_seed(comments_of(self.parts))?)?;
                }
                "glyphs" => put(&mut glyphs, &name, map.next_value_seed(glyphs_of(self.parts))?)?,
                "lines" => {
                    let list = self.parts.list(self.parts.line());
                    put(&mut lines, &name, map.next_value_seed(list)?)?;
                }
                _ => {
                    if let Some(value) = map.next_value::<Scalar>()?.0 {
                        self.parts.count()?;
                        others.push((capitalised(&name), value));
                    }
                }
            }
        }
        let mut tags = tags.unwrap_or_default();
        tags.append(&mut others);
        let mut text =
            Text { start: start.flatten(), result: result.flatten(), tags, lines: Vec::new() };
        if let Some(moves) = main {
            let comments = comments.unwrap_or_default();
            let glyphs = glyphs.unwrap_or_default();
            text.lines.push(LineText { moves, comments, glyphs, ..LineText::default() });
            text.lines.append(&mut lines.unwrap_or_default());
        }
        Ok(text)
    }
}

/// Keeps a start position, which other programs state under several names: all must say the same.
fn put_start<'a, E: Error>(
    place: &mut Option<Option<Cow<'a, str>>>,
    name: &str,
    value: Option<Cow<'a, str>>,
) -> Result<(), E> {
    if place.as_ref().is_some_and(|known| *known == value) {
        return Ok(());
    }
    put(place, name, value)
}

/// Reads glyphs of a line.
const fn glyphs_of(parts: &Parts) -> List<'_, PhantomData<(usize, u8)>> {
    parts.list(PhantomData)
}

/// Reads comments of a line.
const fn comments_of(parts: &Parts) -> List<'_, PhantomData<(usize, String)>> {
    parts.list(PhantomData)
}

impl<'de> DeserializeSeed<'de> for Reading<'_, LineText<'static>> {
    type Value = LineText<'de>;
    fn deserialize<D: Deserializer<'de>>(self, input: D) -> Result<Self::Value, D::Error> {
        input.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Reading<'_, LineText<'static>> {
    type Value = LineText<'de>;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a variation, an object with \"moves\"")
    }
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut of = None;
        let mut ply = None;
        let mut moves = None;
        let mut comments = None;
        let mut glyphs = None;
        while let Some(name) = map.next_key::<Cow<'de, str>>()? {
            match name.as_ref() {
                "of" => put(&mut of, &name, map.next_value()?)?,
                "ply" => put(&mut ply, &name, map.next_value()?)?,
                "moves" => put(&mut moves, &name, map.next_value()?)?,
                "comments" => {
                    put(&mut comments, &name, map.next_value_seed(comments_of(self.parts))?)?;
                }
                "glyphs" => put(&mut glyphs, &name, map.next_value_seed(glyphs_of(self.parts))?)?,
                _ => _ = map.next_value::<IgnoredAny>()?,
            }
        }
        let moves = moves.ok_or_else(|| A::Error::missing_field("moves"))?;
        let comments = comments.unwrap_or_default();
        let glyphs = glyphs.unwrap_or_default();
        Ok(LineText { of: of.unwrap_or(0), ply: ply.unwrap_or(0), moves, comments, glyphs })
    }
}

/// A string or a number; `None` for anything else, which is not kept.
struct Scalar(Option<String>);

impl<'de> Deserialize<'de> for Scalar {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        struct Any;
        impl<'de> Visitor<'de> for Any {
            type Value = Scalar;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("any value")
            }
            fn visit_str<E>(self, text: &str) -> Result<Scalar, E> {
                Ok(Scalar(Some(text.to_owned())))
            }
            fn visit_u64<E>(self, number: u64) -> Result<Scalar, E> {
                Ok(Scalar(Some(number.to_string())))
            }
            fn visit_i64<E>(self, number: i64) -> Result<Scalar, E> {
                Ok(Scalar(Some(number.to_string())))
            }
            fn visit_f64<E>(self, number: f64) -> Result<Scalar, E> {
                let number = serde_json::Number::from_f64(number);
                Ok(Scalar(number.map(|number| number.to_string())))
            }
            fn visit_bool<E>(self, _: bool) -> Result<Scalar, E> {
                Ok(Scalar(None))
            }
            fn visit_unit<E>(self) -> Result<Scalar, E> {
                Ok(Scalar(None))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Scalar, A::Error> {
                while list.next_element::<IgnoredAny>()?.is_some() {}
                Ok(Scalar(None))
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Scalar, A::Error> {
                while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
                Ok(Scalar(None))
            }
        }
        input.deserialize_any(Any)
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

impl<'de> DeserializeSeed<'de> for Reading<'_, Tags<()>> {
    type Value = Vec<(String, String)>;
    fn deserialize<D: Deserializer<'de>>(self, input: D) -> Result<Self::Value, D::Error> {
        input.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Reading<'_, Tags<()>> {
    type Value = Vec<(String, String)>;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object of strings")
    }
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut tags = Vec::new();
        while let Some((name, value)) = map.next_entry::<String, Scalar>()? {
            if let Some(value) = value.0 {
                self.parts.count()?;
                tags.push((name, value));
            }
        }
        Ok(tags)
    }
}

/// A game as it is written.
#[derive(Serialize)]
struct WrittenRecord<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    start: Option<String>,
    moves: String,
    result: &'static str,
    tags: Tags<&'a [(String, String)]>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    comments: &'a [(usize, String)],
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    glyphs: &'a [(usize, u8)],
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
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    glyphs: &'a [(usize, u8)],
}

/// Writes a record, of which nothing is left out.
fn written<G: Recorded>(record: &Record<G>, _: &WriteOptions) -> Result<Written, WriteError> {
    let mut line = Vec::new();
    write_jsonl(&mut line, record)?;
    Ok(Written::bytes(line, Dropped::default()))
}

/// Writes a record as one line. The result is written from the record, whatever its tags say.
///
/// # Errors
///
/// If `out` fails.
pub fn write_jsonl<G: Recorded>(out: &mut impl Write, record: &Record<G>) -> io::Result<()> {
    // Breadth first, so that each line stands before those that belong to it.
    let mut lines = Vec::new();
    let mut open: Vec<(usize, &Tree<G>)> = vec![(0, &record.tree)];
    let mut next = 0;
    while let Some(&(index, tree)) = open.get(next) {
        next += 1;
        for variation in &tree.variations {
            let moves = moves_text(&variation.tree);
            let comments = variation.tree.comments.as_slice();
            let glyphs = variation.tree.glyphs.as_slice();
            lines.push(WrittenLine { of: index, ply: variation.ply, moves, comments, glyphs });
            open.push((lines.len(), &variation.tree));
        }
    }
    let object = WrittenRecord {
        start: G::start_text(record),
        moves: moves_text(&record.tree),
        result: result_text(record.result),
        tags: Tags(&record.tags),
        comments: &record.tree.comments,
        glyphs: &record.tree.glyphs,
        lines,
    };
    serde_json::to_writer(&mut *out, &object)?;
    out.write_all(b"\n")
}

fn moves_text<G: Recorded>(tree: &Tree<G>) -> String {
    let mut text = String::with_capacity(5 * tree.moves.len());
    for mv in &tree.moves {
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(&G::move_text(*mv));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::model::chunk::Chunk;
    use crate::xiangqi::Position;

    fn fault(line: &str) -> String {
        read_game::<Position>(line.as_bytes(), usize::MAX).unwrap_err().to_string()
    }

    #[test]
    fn a_member_that_stands_twice_is_an_error() {
        for name in ["moves", "result", "tags", "comments", "lines", "start"] {
            let value = match name {
                "tags" => "{}",
                "comments" | "lines" => "[]",
                _ => "\"\"",
            };
            let other = if name == "start" { "\"x\"" } else { value };
            let text = fault(&format!(r#"{{"moves":"h2e2","{name}":{value},"{name}":{other}}}"#));
            assert!(text.contains(&format!("member \"{name}\" stands twice")), "{text}");
        }
        let line = r#"{"moves":"h2e2","lines":[{"moves":"b2e2","ply":0,"ply":1}]}"#;
        assert!(fault(line).contains("\"ply\" stands twice"));
        let start = crate::xiangqi::START_FEN;
        let line = format!(r#"{{"fen":"{start}","moves":"h2e2","startfen":"{start}"}}"#);
        assert!(read_game::<Position>(line.as_bytes(), usize::MAX).is_ok());
        let line = r#"{"moves":"h2e2","tags":{"A":"1","A":"2"},"a":3,"b":[1,{"c":2}],"d":null}"#;
        let (game, _) = read_game::<Position>(line.as_bytes(), usize::MAX).unwrap();
        let tags: Vec<_> = game.record.tags.iter().map(|(n, v)| format!("{n}{v}")).collect();
        assert_eq!(tags, ["A1", "A2", "A3"]);
    }

    #[test]
    fn glyphs_of_all_lines_are_read_and_written() {
        let line = "{\"moves\":\"h2e2 h9g7\",\"result\":\"*\",\"tags\":{},\"glyphs\":[[1,1],[1,16]],\
            \"lines\":[{\"of\":0,\"ply\":1,\"moves\":\"h7e7\",\"glyphs\":[[1,6]]}]}\n";
        let (game, _) = read_game::<Position>(line.as_bytes(), usize::MAX).unwrap();
        let mut bytes = Vec::new();
        write_jsonl(&mut bytes, &game.record).unwrap();
        assert_eq!(String::from_utf8(bytes).unwrap(), line);
    }

    #[test]
    fn parts_are_counted_before_they_are_kept() {
        for (member, part) in [
            ("comments", r#"[0,"x"],"#),
            ("lines", r#"{"moves":"h2e2"},"#),
            ("lines", r#"{"moves":"h2e2","comments":[[0,"x"],[0,"y"]]},"#),
        ] {
            let each = 1 + part.matches("[0,").count() * usize::from(member == "lines");
            let many = part.repeat(MAX_PARTS / each + 1);
            let text = fault(&format!(
                r#"{{"moves":"h2e2","{member}":[{}]}}"#,
                many.trim_end_matches(',')
            ));
            assert!(text.contains("more than 100000 variations"), "{text}");
        }
        let tags = (0..=MAX_PARTS).map(|n| format!(r#""t{n}":"","#)).collect::<String>();
        let line = format!(r#"{{{tags}"moves":"h2e2"}}"#);
        assert!(fault(&line).contains("more than 100000 variations"));
    }

    #[test]
    fn ranks_can_count_from_one() {
        let (game, _) =
            read_game::<Position>(br#"{"moves":"h3e3 h10g8 h1g3 i10h10"}"#, usize::MAX).unwrap();
        let moves: Vec<_> = game.record.tree.moves.iter().map(ToString::to_string).collect();
        assert_eq!(moves, ["h2e2", "h9g7", "h0g2", "i9h9"]);
        assert!(fault(r#"{"moves":"h3e3 h9g7"}"#).starts_with("ply 2: \"h9g7\""));
        assert!(fault(r#"{"moves":"a2a3 h9g7"}"#).starts_with("ply 1: \"a2a3\""));
        // The longer part of a game that breaks off decides as well.
        for (ranks, fault) in [("h3e3 h10g8 h1g3 a1a9", 3), ("h2e2 h9g7 h0g2 a0a9", 3)] {
            let line = format!(r#"{{"moves":"{ranks}"}}"#);
            let chunk = Chunk::whole_text(line.as_bytes(), Format::Jsonl).keeping_legal_part(true);
            let mut kept = Vec::new();
            crate::record::source::read_chunk("t", line.as_bytes(), &chunk, &mut |game| {
                kept.push(game.unwrap());
            });
            let moves: Vec<_> = kept[0].record.tree.moves.iter().map(ToString::to_string).collect();
            assert_eq!(moves, ["h2e2", "h9g7", "h0g2"]);
            let cut = kept[0].cut.as_ref().unwrap().to_string();
            assert!(cut.contains(&format!("ply {}:", fault + 1)), "{cut}");
        }
    }

    #[test]
    fn comments_beyond_a_line_are_refused() {
        let beyond = fault(r#"{"moves":"h2e2","comments":[[1,"near"],[9,"far"]]}"#);
        assert_eq!(beyond, "a comment on ply 9 of a line of 1");
        let variation =
            r#"{"moves":"h2e2 h9g7","lines":[{"ply":1,"moves":"b9c7","comments":[[2,"x"]]}]}"#;
        assert_eq!(fault(variation), "a comment on ply 2 of a line of 1");
        // A line that breaks off has the comments up to there.
        let line = r#"{"moves":"h2e2 h9g7 z9","comments":[[1,"a"],[3,"b"]]}"#;
        assert!(fault(line).starts_with("ply 3:"), "{}", fault(line));
        let (game, _) = read_game::<Position>(line.as_bytes(), 2).unwrap();
        assert_eq!(game.record.tree.comments, [(1, "a".to_owned())]);
    }

    #[test]
    fn what_is_quoted_in_messages_is_short() {
        let text = fault(&format!(r#"{{"moves":{{"{}":1}}}}"#, "x".repeat(1 << 20)));
        assert!(text.len() < 400, "{}", text.len());
        let text = fault(&format!(r#"{{"moves":"h2e2","comments":"{}"}}"#, "x".repeat(1 << 20)));
        assert!(text.len() < 400, "{}", text.len());
    }
}
