//! Writing PGN.

use std::collections::BTreeMap;
use std::io::{self, Write};

use crate::game::{Game, Outcome, Side};
use crate::record::model::record::{Record, Tree, Variation};
use crate::record::model::written::{Dropped, PgnOptions, WriteError, WriteOptions, Written};
use crate::xiangqi::notation::{MoveNotation, format_move};
use crate::xiangqi::{Move, Position, Setup};

/// Writes a record as UTF-8 PGN with a blank line after it. In comments `}` is written as `&#125;`, which
/// every reader accepts as text and [reading](crate::record::source::read_games) turns back, and a line that begins with `[`
/// is joined to the line before. The tags `Result`, `FEN` and `Format` are written from the record and the
/// options; the record's own tags of these names are ignored.
///
/// # Errors
///
/// If `out` fails.
pub fn write_pgn(
    out: &mut impl Write,
    record: &Record<Position>,
    options: &PgnOptions,
) -> io::Result<()> {
    write_annotated_pgn(out, record, &BTreeMap::new(), options)
}

/// The same with further numeric annotation glyphs (`$4`) of moves of the main line, by the moves' indices.
///
/// # Errors
///
/// As with [`write_pgn`].
pub fn write_annotated_pgn(
    out: &mut impl Write,
    record: &Record<Position>,
    nags: &BTreeMap<usize, u8>,
    options: &PgnOptions,
) -> io::Result<()> {
    write_tags(out, record, options.notation)?;
    let mut writer = MoveWriter { out, column: 0, opening: 0, nags, options };
    writer.tree(record)?;
    writer.word(result_text(record.result))?;
    out.write_all(b"\n\n")
}

/// A result as PGN writes it: `1-0`, `0-1`, `1/2-1/2`, or `*` if it is not known.
///
/// ```
/// use juzhong::game::{Outcome, Side};
/// use juzhong::record::result_text;
///
/// assert_eq!(result_text(Some(Outcome::Win(Side::Second))), "0-1");
/// assert_eq!(result_text(None), "*");
/// ```
#[must_use]
pub const fn result_text(result: Option<Outcome>) -> &'static str {
    match result {
        Some(Outcome::Win(Side::First)) => "1-0",
        Some(Outcome::Win(Side::Second)) => "0-1",
        Some(Outcome::Draw) => "1/2-1/2",
        None => "*",
    }
}

fn write_tags(
    out: &mut impl Write,
    record: &Record<Position>,
    notation: MoveNotation,
) -> io::Result<()> {
    const WRITTEN_HERE: [&str; 3] = ["Result", "FEN", "Format"];
    if record.tag("Game").is_none() {
        write_tag(out, "Game", "Chinese Chess")?;
    }
    for (name, value) in &record.tags {
        if !WRITTEN_HERE.iter().any(|here| name.eq_ignore_ascii_case(here)) {
            write_tag(out, name, value)?;
        }
    }
    write_tag(out, "Result", result_text(record.result))?;
    if let Some(start) = &record.start {
        let setup = Setup { halfmove_clock: record.start_clock, ..start.to_setup() };
        write_tag(out, "FEN", &setup.to_fen())?;
    }
    let format = match notation {
        MoveNotation::Uci => "UCI",
        MoveNotation::Iccs => "ICCS",
        MoveNotation::Wxf => "WXF",
        MoveNotation::Chinese => "Chinese",
    };
    write_tag(out, "Format", format)?;
    out.write_all(b"\n")
}

/// A move as text, in traditional characters if `traditional`.
pub(crate) fn move_text(
    position: &Position,
    mv: Move,
    notation: MoveNotation,
    traditional: bool,
) -> String {
    let text = format_move(position, mv, notation);
    if !traditional || notation != MoveNotation::Chinese {
        return text;
    }
    text.chars().map(traditional_of).collect()
}

/// The traditional character for one of those in moves.
const fn traditional_of(c: char) -> char {
    match c {
        '车' => '車',
        '马' => '馬',
        '进' => '進',
        '帅' => '帥',
        '将' => '將',
        '后' => '後',
        c => c,
    }
}

/// A comment in braces. A line of it that looks like a tag is joined to the line before: many
/// readers look for tags at the beginning of lines only.
fn comment_text(text: &str) -> String {
    let mut comment = String::with_capacity(text.len() + 2);
    comment.push('{');
    for (index, line) in text.split('\n').enumerate() {
        let begin = line.trim_start_matches(|c: char| c.is_ascii_whitespace() || c == '\u{feff}');
        if begin.starts_with('[') {
            comment.truncate(comment.trim_end().len());
            comment.push(' ');
        } else if index > 0 {
            comment.push('\n');
        }
        push_escaped(&mut comment, line);
    }
    comment.push('}');
    comment
}

/// The references that stand in a comment for the brace that would end it, and for an ampersand where such a
/// reference would be mistaken for one.
const REFERENCES: [(&str, char); 2] = [("&#125;", '}'), ("&#38;", '&')];

fn push_escaped(out: &mut String, text: &str) {
    for (at, c) in text.char_indices() {
        match c {
            '}' => out.push_str("&#125;"),
            '&' if is_reference(&text[at..]) => out.push_str("&#38;"),
            c => out.push(c),
        }
    }
}

/// Returns true if a text begins with one of the references.
fn is_reference(text: &str) -> bool {
    REFERENCES.iter().any(|(name, _)| text.starts_with(name))
}

/// The text of a comment as it was before it was written: see [`write_pgn`].
pub(crate) fn read_comment(text: &str) -> std::borrow::Cow<'_, str> {
    if !REFERENCES.iter().any(|(name, _)| text.contains(name)) {
        return text.into();
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        out.push_str(&rest[..at]);
        let found = REFERENCES.iter().find(|(name, _)| rest[at..].starts_with(name));
        let (c, len) = found.map_or(('&', 1), |(name, c)| (*c, name.len()));
        out.push(c);
        rest = &rest[at + len..];
    }
    out.push_str(rest);
    out.into()
}

/// Writes a record, and counts what is left out.
pub(crate) fn written(
    record: &Record<Position>,
    options: &WriteOptions,
) -> Result<Written, WriteError> {
    let mut text = Vec::new();
    write_pgn(&mut text, record, &options.pgn)?;
    let dropped = Dropped { tags: tags_left_out(record), ..Dropped::default() };
    Ok(Written::text(text, dropped))
}

/// The number of tags whose names have no character that PGN allows there.
fn tags_left_out(record: &Record<Position>) -> u64 {
    record.tags.iter().filter(|(name, _)| !name.contains(is_of_name)).count() as u64
}

const fn is_of_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// Characters that no tag name has are left out; line ends in values become blanks.
fn write_tag(out: &mut impl Write, name: &str, value: &str) -> io::Result<()> {
    let name: String = name.chars().filter(|c| is_of_name(*c)).collect();
    if name.is_empty() {
        return Ok(());
    }
    // Backslashes first, or those before quotation marks would be doubled, too.
    let value = value.replace('\\', "\\\\").replace('"', "\\\"").replace(['\n', '\r'], " ");
    writeln!(out, "[{name} \"{value}\"]")
}

/// A line of moves that is being written.
struct Open<'a> {
    tree: &'a Tree<Position>,
    /// The variations by ply, the last first.
    variations: Vec<&'a Variation<Position>>,
    comments: std::iter::Peekable<std::slice::Iter<'a, (usize, String)>>,
    glyphs: std::iter::Peekable<std::slice::Iter<'a, (usize, u8)>>,
    position: Position,
    /// The position before the last move written.
    before: Option<Position>,
    /// Plies since the first position of the game.
    offset: usize,
    /// Moves written.
    written: usize,
    /// True if Black's next move needs its number.
    needs_number: bool,
}

impl<'a> Open<'a> {
    fn new(tree: &'a Tree<Position>, position: Position, offset: usize) -> Self {
        // Reversed as a whole: taken from the end, those of one ply keep their order.
        let mut variations: Vec<_> = tree.variations.iter().collect();
        variations.sort_by_key(|variation| variation.ply);
        variations.reverse();
        let comments = tree.comments.iter().peekable();
        let glyphs = tree.glyphs.iter().peekable();
        let before = None;
        Self {
            tree,
            variations,
            comments,
            glyphs,
            position,
            before,
            offset,
            written: 0,
            needs_number: true,
        }
    }

    /// The glyphs of the last move written.
    fn next_glyphs(&mut self) -> Vec<u8> {
        let mut glyphs = Vec::new();
        while let Some((ply, glyph)) = self.glyphs.next_if(|(ply, _)| *ply <= self.written) {
            glyphs.extend((*ply == self.written).then_some(*glyph));
        }
        glyphs
    }
}

struct MoveWriter<'a, W> {
    out: &'a mut W,
    column: usize,
    /// Variations that begin with the next word.
    opening: usize,
    /// Of the main line.
    nags: &'a BTreeMap<usize, u8>,
    options: &'a PgnOptions,
}

impl<W: Write> MoveWriter<'_, W> {
    /// Writes all moves; variations are kept on an explicit stack.
    fn tree(&mut self, record: &Record<Position>) -> io::Result<()> {
        let start = record.start.clone().unwrap_or_else(Position::start);
        let offset = usize::from(start.turn() == Side::Second);
        let mut stack = vec![Open::new(&record.tree, start, offset)];
        while let Some(open) = stack.last_mut() {
            self.comments(open)?;
            if let Some(variation) = self.next_variation(open) {
                let position = open.before.clone().unwrap_or_else(|| open.position.clone());
                let offset = open.offset + variation.ply;
                open.needs_number = true;
                self.opening += 1;
                stack.push(Open::new(&variation.tree, position, offset));
            } else if open.written < open.tree.moves.len() {
                self.next_move(open)?;
                let written = open.written;
                let mut glyphs = open.next_glyphs();
                if !self.options.comments {
                    glyphs.clear();
                }
                let is_main = stack.len() == 1;
                let nag = self.nags.get(&(written - 1)).filter(|_| is_main);
                glyphs.extend(nag.filter(|nag| !glyphs.contains(nag)).copied());
                for glyph in glyphs {
                    self.word(&format!("${glyph}"))?;
                }
            } else {
                stack.pop();
                if !stack.is_empty() {
                    self.close()?;
                }
            }
        }
        Ok(())
    }

    fn comments(&mut self, open: &mut Open<'_>) -> io::Result<()> {
        while let Some((_, text)) = open.comments.next_if(|(ply, _)| *ply <= open.written) {
            if self.options.comments {
                self.word(&comment_text(text))?;
                open.needs_number = true;
            }
        }
        Ok(())
    }

    /// The next variation on the last move written.
    fn next_variation<'a>(&self, open: &mut Open<'a>) -> Option<&'a Variation<Position>> {
        loop {
            let variation = *open.variations.last()?;
            if variation.ply >= open.written {
                return None;
            }
            open.variations.pop();
            if self.options.variations && variation.ply + 1 == open.written {
                return Some(variation);
            }
        }
    }

    fn next_move(&mut self, open: &mut Open<'_>) -> io::Result<()> {
        let Some(&mv) = open.tree.moves.get(open.written) else { return Ok(()) };
        let ply = open.offset + open.written;
        let number = ply / 2 + 1;
        let PgnOptions { notation, traditional, .. } = *self.options;
        let text = move_text(&open.position, mv, notation, traditional);
        if ply.is_multiple_of(2) {
            self.word(&format!("{number}. {text}"))?;
        } else if open.needs_number {
            self.word(&format!("{number}. ... {text}"))?;
        } else {
            self.word(&text)?;
        }
        open.needs_number = false;
        // Only where a variation follows: a clone for each move would cost time.
        open.before = open
            .variations
            .last()
            .is_some_and(|variation| variation.ply == open.written)
            .then(|| open.position.clone());
        open.position.make(mv);
        open.written += 1;
        Ok(())
    }

    /// Closes a variation, unless nothing was written of it.
    fn close(&mut self) -> io::Result<()> {
        if self.opening > 0 {
            self.opening -= 1;
            return Ok(());
        }
        self.column += 1;
        self.out.write_all(b")")
    }

    /// Writes a word after a blank, or on a new line where it would not fit.
    fn word(&mut self, word: &str) -> io::Result<()> {
        let width = self.opening + word.lines().next().map_or(0, columns);
        if self.column > 0 {
            let breaks = self.column + 1 + width > self.options.width;
            self.out.write_all(if breaks { b"\n" } else { b" " })?;
            self.column = if breaks { 0 } else { self.column + 1 };
        }
        for _ in 0..std::mem::take(&mut self.opening) {
            self.out.write_all(b"(")?;
        }
        self.out.write_all(word.as_bytes())?;
        self.column = match word.rsplit_once('\n') {
            Some((_, last)) => columns(last),
            None => self.column + width,
        };
        Ok(())
    }
}

/// The approximate width of a text on a terminal: two columns for each character outside ASCII.
fn columns(text: &str) -> usize {
    text.chars().map(|c| if c.is_ascii() { 1 } else { 2 }).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::source::read_games;
    use proptest::prelude::*;

    #[test]
    fn glyphs_and_shapes_are_written_as_they_were_read() {
        let text = "[Game \"Chinese Chess\"]\n[Result \"*\"]\n[Format \"ICCS\"]\n\n\
            1. H2-E2 $1 $16 { [%csl Gh9,Ra0][%cal Gh2e2,Yb7b0] central} 1. ... H9-G7\n\
            (1. ... H7-E7 $6 2. H0-G2 $3) 2. H0-G2 $5 *\n\n";
        let mut records = Vec::new();
        read_games("t", text.as_bytes(), &mut |game| records.push(game.unwrap().record));
        assert_eq!(records[0].tree.glyphs, [(1, 1), (1, 16), (3, 5)]);
        let options = PgnOptions { notation: MoveNotation::Iccs, ..PgnOptions::default() };
        let mut bytes = Vec::new();
        write_pgn(&mut bytes, &records[0], &options).unwrap();
        assert_eq!(String::from_utf8(bytes).unwrap(), text);
    }

    #[test]
    fn references_stand_for_braces_only() {
        assert_eq!(
            comment_text("a } b & c &amp; &#125; &#38; &#1;"),
            "{a &#125; b & c &amp; &#38;#125; &#38;#38; &#1;}"
        );
    }

    proptest! {
        #[test]
        fn comments_survive_a_round_trip(words in prop::collection::vec("[{}&#;()a-c1-358马 \n]{1,9}|&#125;|&#38;", 1..9)) {
            let text = crate::record::model::texts::tidy(&words.concat());
            prop_assume!(!text.is_empty());
            let mut record = Record {
                tags: Vec::new(), start: None, start_clock: 0, result: None, tree: Tree::default(),
            };
            record.tree.comments.push((0, text));
            let mut bytes = Vec::new();
            write_pgn(&mut bytes, &record, &PgnOptions::default()).unwrap();
            let mut comments = Vec::new();
            read_games("t", &bytes, &mut |game| comments.push(game.unwrap().record.tree.comments));
            prop_assert_eq!(comments, [record.tree.comments]);
        }
    }
}
