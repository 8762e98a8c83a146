//! Writing DhtmlXQ.

use std::io::{self, Write};

use crate::game::{Outcome, Side};
use crate::record::model::board::men_of;
use crate::record::model::record::{Record, Tree, Variation};
use crate::record::model::written::{Dropped, WriteError, WriteOptions, Written};
use crate::record::text::dhtmlxq::{MAX_NAME_BYTES, TEXTS, is_structure};
use crate::xiangqi::{Position, Setup, Square};

/// The longest name of a tag: a `_` before it and a bracket behind it are read with it.
const MAX_TAG_BYTES: usize = MAX_NAME_BYTES - 2;

/// Writes a record as DhtmlXQ in UTF-8 with a blank line after it.
///
/// Other start positions than the usual one are written as pieces and as FEN: only the latter, which some
/// programs do not read, states the side to move and keeps the clock. Tags that the format does not know are
/// written under their own names. Left out are `Result`, `FEN` and `Format`, which the record states; names
/// that the format uses otherwise, or of which nothing, or too much, remains without characters other than
/// letters, digits and `_`; and a second title. Several comments on a move are joined by line ends.
///
/// # Errors
///
/// If `out` fails.
pub fn write_dhtmlxq(out: &mut impl Write, record: &Record<Position>) -> io::Result<()> {
    out.write_all(b"[DhtmlXQ]\n")?;
    write_value(out, "ver", "www_dpxq_com")?;
    write_value(out, "init", "500,350")?;
    for (name, value) in tags_written(record) {
        write_value(out, &name, &escaped(value, false))?;
    }
    write_value(out, "result", result_text(record.result))?;
    let start = record.start.clone().unwrap_or_else(Position::start);
    if record.start.is_some() {
        let setup = Setup { halfmove_clock: record.start_clock, ..start.to_setup() };
        write_value(out, "fen", &setup.to_fen())?;
    }
    let men: String =
        men_of(&start).iter().map(|square| square.map_or("99".into(), digits)).collect();
    write_value(out, "binit", &men)?;
    write_tree(out, &record.tree)?;
    out.write_all(b"[/DhtmlXQ]\n\n")
}

const fn result_text(result: Option<Outcome>) -> &'static str {
    match result {
        Some(Outcome::Win(Side::First)) => "红胜",
        Some(Outcome::Win(Side::Second)) => "黑胜",
        Some(Outcome::Draw) => "和局",
        None => "未知",
    }
}

fn digits(square: Square) -> String {
    format!("{}{}", square.file(), 9 - square.rank())
}

/// Writes a record, and counts what is left out.
pub(crate) fn written(record: &Record<Position>, _: &WriteOptions) -> Result<Written, WriteError> {
    let mut text = Vec::new();
    write_dhtmlxq(&mut text, record)?;
    let dropped = Dropped { tags: tags_left_out(record), ..Dropped::default() };
    Ok(Written::text(text, dropped))
}

/// The number of tags whose names the format needs for itself, or that are second titles.
fn tags_left_out(record: &Record<Position>) -> u64 {
    let tags = record.tags.iter();
    let tags = tags.filter(|(name, value)| !is_said_otherwise(name) && !value.trim().is_empty());
    tags.count().saturating_sub(tags_written(record).count()) as u64
}

/// The tags that are written, under the names of their values. A second title would begin another
/// game, and values that are blank are read as none.
fn tags_written(record: &Record<Position>) -> impl Iterator<Item = (String, &str)> {
    let mut has_title = false;
    record.tags.iter().filter_map(move |(tag, value)| {
        let name = name_of(tag)?;
        if [tag, &name].into_iter().any(|name| is_said_otherwise(name)) || value.trim().is_empty() {
            return None;
        }
        let is_title = name.eq_ignore_ascii_case("title");
        if is_title && std::mem::replace(&mut has_title, true) {
            return None;
        }
        Some((name, value.as_str()))
    })
}

/// Returns true if a tag repeats what the record states.
fn is_said_otherwise(name: &str) -> bool {
    ["Result", "FEN", "Format"].iter().any(|tag| tag.eq_ignore_ascii_case(name))
}

/// The name that a tag is written under.
fn name_of(tag: &str) -> Option<String> {
    if let Some((name, _)) = TEXTS.iter().find(|(_, known)| known.eq_ignore_ascii_case(tag)) {
        return Some((*name).to_owned());
    }
    let name: String = tag.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
    let is_free = !name.is_empty() && name.len() <= MAX_TAG_BYTES;
    (is_free && !is_structure(&name.to_ascii_lowercase())).then_some(name)
}

fn write_value(out: &mut impl Write, name: &str, value: &str) -> io::Result<()> {
    writeln!(out, "[DhtmlXQ_{name}]{value}[/DhtmlXQ_{name}]")
}

/// Replaces by references what would not be read as it stands; in comments, bars that would read as
/// the end of a line.
fn escaped(text: &str, is_comment: bool) -> String {
    let mut out = String::with_capacity(text.len());
    for (at, c) in text.char_indices() {
        // The next byte, if this is a character of ASCII; no other is asked about it.
        let next = text.as_bytes().get(at + 1);
        match (c, next) {
            ('&', Some(b'#' | b'a'..=b'z')) => out.push_str("&amp;"),
            ('\\', Some(b'u')) => out.push_str("&#92;"),
            ('[', Some(b'/' | b'\\' | b'D')) => out.push_str("&#91;"),
            ('|', Some(b'|' | b'\n')) if is_comment => out.push_str("&#124;"),
            _ => out.push(c),
        }
    }
    out
}

/// A line that is still to be written.
struct Waiting<'a> {
    tree: &'a Tree<Position>,
    /// The number of the line that it leaves.
    parent: usize,
    /// Plies before its first move.
    depth: usize,
}

/// Writes the lines with rising numbers, each after the one that it leaves.
fn write_tree(out: &mut impl Write, tree: &Tree<Position>) -> io::Result<()> {
    let mut lines = vec![Waiting { tree, parent: 0, depth: 0 }];
    let mut number = 0;
    while let Some(&Waiting { tree, parent, depth }) = lines.get(number) {
        let moves: String =
            tree.moves.iter().flat_map(|mv| [digits(mv.from()), digits(mv.to())]).collect();
        if number == 0 {
            write_value(out, "movelist", &moves)?;
        } else {
            write_value(out, &format!("move_{parent}_{}_{number}", depth + 1), &moves)?;
        }
        for group in tree.comments.chunk_by(|a, b| a.0 == b.0) {
            let ply = depth + group[0].0;
            let texts: Vec<_> = group.iter().map(|(_, text)| text.as_str()).collect();
            let name = if number == 0 {
                format!("comment{ply}")
            } else {
                format!("comment{number}_{ply}")
            };
            let text = escaped(&texts.join("\n").replace("\r\n", "\n"), true).replace('\n', "||");
            write_value(out, &name, &text)?;
        }
        let mut variations: Vec<&Variation<Position>> = tree.variations.iter().collect();
        variations.sort_by_key(|variation| variation.ply);
        lines.extend(variations.into_iter().map(|variation| Waiting {
            tree: &variation.tree,
            parent: number,
            depth: depth + variation.ply,
        }));
        number += 1;
    }
    Ok(())
}
