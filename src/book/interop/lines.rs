//! Books as games with variations, and back.
//!
//! A move carries what the book has of it in a comment, as a command in brackets beside the text for people:
//!
//! ```text
//! 1. h2e2 {[%book games=12,7,3,2 ratings=4800/2 years=1990-2001 priority=1] main line}
//! ```
//!
//! `games` are all of them, those won by the first side, the drawn ones, those won by the second side. A position that
//! several lines reach has its moves in one of them, the one reached most often; the others end with `[%book transposes]`.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, HashSet};
use std::fmt::Write;
use std::path::Path;

use crate::book::file::reader::{Book, BookEntry, BookMove};
use crate::book::interop::error::InteropError;
use crate::book::interop::import::shorten;
use crate::book::interop::options::FileImportOptions;
use crate::book::interop::own_book::OwnWriter;
use crate::book::interop::progress::Step;
use crate::book::interop::write::join;
use crate::book::model::annotation::{Annotation, Flags, MAX_GROUP};
use crate::book::model::metadata::{Metadata, Source};
use crate::book::model::move_stats::{MoveStats, RowKey, Years};
use crate::bytes::paths::base_name;
use crate::bytes::{StopFlag, open};
use crate::game::{Game, Notation, Packed, Symmetric};
use crate::hash::Key;
use crate::message::message;
use crate::record::{Formats, Record, Tree, Variation};

/// Moves of an export, at most: readers bound the comments and variations of a game.
pub const MAX_EXPORTED_MOVES: usize = 30_000;

/// Plies of an export, at most: readers bound how deep variations nest.
pub const MAX_EXPORTED_DEPTH: usize = 100;

/// Bytes of memory for a byte of text, about.
const MEMORY_FACTOR: usize = 16;

/// The beginning of the command in a comment, and its end.
const COMMAND: &str = "[%book ";
const END: char = ']';

/// The word for a position whose moves stand elsewhere.
const TRANSPOSES: &str = "transposes";

/// The part of a book that is written.
#[derive(Debug, Clone)]
pub struct LinesExportOptions {
    /// Plies, at most.
    pub depth: usize,
    /// Moves with fewer games are left out.
    pub min_games: u64,
    /// Moves with a smaller share of the games of their position, of 1, are left out.
    pub min_share: f64,
    /// Ends the export.
    pub stop: StopFlag,
}

/// A book as a game with variations.
#[derive(Debug)]
pub struct ExportedLines<G: Game> {
    /// The game.
    pub record: Record<G>,
    /// Its moves, those of variations included.
    pub moves: usize,
    /// Places where a line ends at a position whose moves stand elsewhere.
    pub transpositions: usize,
    /// Moves are missing, of the positions that are reached least: there are more than [`MAX_EXPORTED_MOVES`].
    pub is_cut: bool,
}

/// The counts of an import.
#[derive(Debug, Clone)]
pub struct LinesImport {
    /// Games read.
    pub games: u64,
    /// Games that cannot be read, or begin elsewhere.
    pub unreadable: u64,
    /// Moves with a comment.
    pub comments: u64,
    /// The new book's metadata.
    pub metadata: Metadata,
}

/// A move of the export.
struct Node<M> {
    /// `None` for the start.
    found: Option<BookMove<M>>,
    next: Vec<usize>,
    transposes: bool,
}

/// A position whose moves are not in the tree yet.
#[derive(Clone)]
struct Open<G> {
    position: G,
    node: usize,
    plies: usize,
}

/// A book as a game with variations from the usual start.
///
/// # Errors
///
/// [`InteropError::Interrupted`], [`InteropError::Nothing`] if no move is left, and those of reading the book.
pub fn export_lines<G: Symmetric + Notation>(
    book: &Book,
    options: &LinesExportOptions,
) -> Result<ExportedLines<G>, InteropError> {
    let path = book.path().to_owned();
    let root = Node { found: None, next: Vec::new(), transposes: false };
    let mut nodes: Vec<Node<G::Move>> = vec![root];
    let mut seen = HashSet::<Key>::new();
    let mut open = vec![Open { position: G::start(), node: 0, plies: 0 }];
    let mut is_cut = false;
    // How often a position is reached, in parts of `WHOLE`, then the order of finding.
    let mut queue = BinaryHeap::from([(WHOLE, Reverse(0))]);
    while let Some((reach, Reverse(number))) = queue.pop() {
        if options.stop.is_set() {
            return Err(InteropError::Interrupted { path });
        }
        let Open { position, node, plies } = open[number].clone();
        if !seen.insert(position.canonical().key) {
            nodes[node].transposes = true;
            continue;
        }
        if plies >= options.depth.min(MAX_EXPORTED_DEPTH) {
            continue;
        }
        let moves = moves_of(book, &position, options)?;
        let all: u64 = moves.iter().map(|found| found.weight.max(1)).sum();
        for found in moves {
            if nodes.len() > MAX_EXPORTED_MOVES {
                is_cut = true;
                break;
            }
            let mut next = position.clone();
            next.make(found.mv);
            let share =
                u128::from(reach) * u128::from(found.weight.max(1)) / u128::from(all.max(1));
            let child = nodes.len();
            nodes.push(Node { found: Some(found), next: Vec::new(), transposes: false });
            nodes[node].next.push(child);
            queue.push((u64::try_from(share).unwrap_or(reach), Reverse(open.len())));
            open.push(Open { position: next, node: child, plies: plies + 1 });
        }
    }
    if nodes.len() == 1 {
        let what = message!("it has no move from the usual start");
        return Err(InteropError::Nothing { path, what });
    }
    // Where nothing follows in the book, no moves stand elsewhere either.
    let transpositions = nodes.iter().filter(|node| node.transposes).count();
    let tags = vec![("Event".to_owned(), base_name(book.path()))];
    let tree = tree_of::<G>(&nodes, 0);
    let record = Record { tags, start: None, start_clock: 0, result: None, tree };
    Ok(ExportedLines { record, moves: nodes.len() - 1, transpositions, is_cut })
}

/// The whole, in which the reach of positions is measured.
const WHOLE: u64 = 1_000_000_000_000;

/// The moves of a position that are written, those preferred first.
fn moves_of<G: Symmetric>(
    book: &Book,
    position: &G,
    options: &LinesExportOptions,
) -> Result<Vec<BookMove<G::Move>>, InteropError> {
    let mut moves = book.probe_with(position, options.min_games)?;
    let all: u64 = moves.iter().map(|found| found.stats.games).sum();
    moves.retain(|found| found.added || found.stats.games as f64 >= options.min_share * all as f64);
    moves.sort_by_key(|found| {
        (found.disabled, Reverse((found.priority, found.weight, found.stats.games)), found.mv)
    });
    Ok(moves)
}

/// The line that begins with the move of a node, or after it for the start: the first move of each position goes on the line,
/// the others begin variations.
fn tree_of<G: Game>(nodes: &[Node<G::Move>], begin: usize) -> Tree<G> {
    let mut tree = Tree::default();
    let mut at = begin;
    put(&mut tree, &nodes[at]);
    while let Some((&first, others)) = nodes[at].next.split_first() {
        let ply = tree.moves.len();
        // Recursion ends with the depth of the export, which is bounded.
        let variations = others.iter().map(|&other| Variation { ply, tree: tree_of(nodes, other) });
        tree.variations.extend(variations);
        put(&mut tree, &nodes[first]);
        at = first;
    }
    tree
}

/// Adds the move of a node to a line.
fn put<G: Game>(tree: &mut Tree<G>, node: &Node<G::Move>) {
    let Some(found) = &node.found else { return };
    tree.moves.push(found.mv);
    let ply = tree.moves.len();
    if let Some(glyph) = glyph_of(found.priority) {
        tree.glyphs.push((ply, glyph));
    }
    let command = command_of(found, node.transposes);
    let text = match (&found.comment, command.is_empty()) {
        (Some(comment), false) => format!("{command} {comment}"),
        (Some(comment), true) => comment.clone(),
        (None, _) => command,
    };
    if !text.is_empty() {
        tree.comments.push((ply, text));
    }
}

/// The glyph of a priority: `!!`, `!`, `?`, `??`.
const fn glyph_of(priority: i64) -> Option<u8> {
    match priority {
        2.. => Some(3),
        1 => Some(1),
        0 => None,
        -1 => Some(2),
        ..=-2 => Some(4),
    }
}

/// The priority that a glyph stands for: `!!` 2, `!` 1, `?!` and `?` -1, `??` -2.
const fn priority_of(glyph: u8) -> i64 {
    match glyph {
        3 => 2,
        1 => 1,
        2 | 6 => -1,
        4 => -2,
        _ => 0,
    }
}

/// The command with what a book has of a move; empty for a move of which it has nothing.
fn command_of<M>(found: &BookMove<M>, transposes: bool) -> String {
    let mut words: Vec<String> = Vec::new();
    let MoveStats { games, first, draws, second, rating_sum, rating_count, years } = found.stats;
    if games > 0 {
        words.push(format!("games={games},{first},{draws},{second}"));
    }
    if rating_count > 0 {
        words.push(format!("ratings={rating_sum}/{rating_count}"));
    }
    if let Some(Years { min, max }) = years {
        words.push(format!("years={min}-{max}"));
    }
    if found.weight_is_set {
        words.push(format!("weight={}", found.weight));
    }
    if found.priority != 0 {
        words.push(format!("priority={}", found.priority));
    }
    let flags = [
        (found.disabled, "disabled"),
        (found.banned, "banned"),
        (found.lost, "lost"),
        (found.locked, "locked"),
        (found.added && games > 0, "added"),
        (transposes, TRANSPOSES),
    ];
    for (_, name) in flags.iter().filter(|(is_set, _)| *is_set) {
        words.push((*name).to_owned());
    }
    words.extend(found.groups.iter().map(|group| format!("group={}", escaped(group))));
    if words.is_empty() { String::new() } else { format!("{COMMAND}{}{END}", words.join(" ")) }
}

/// A name without blanks, brackets, braces and signs: those are written as `%` and two digits.
fn escaped(name: &str) -> String {
    let mut text = String::new();
    for c in name.chars() {
        if c.is_ascii() && !c.is_ascii_alphanumeric() || c.is_whitespace() || c.is_control() {
            for byte in c.to_string().bytes() {
                // Writing to a string does not fail.
                let _ = write!(text, "%{byte:02X}");
            }
        } else {
            text.push(c);
        }
    }
    text
}

/// The inverse of [`escaped`]; `None` for what it does not write.
fn unescaped(text: &str) -> Option<String> {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        if byte == b'%' {
            let digits = std::str::from_utf8(after.get(..2)?).ok()?;
            bytes.push(u8::from_str_radix(digits, 16).ok()?);
            rest = &after[2..];
        } else {
            bytes.push(byte);
            rest = after;
        }
    }
    String::from_utf8(bytes).ok()
}

/// A move as a file has it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct FileMove {
    pub(super) stats: MoveStats,
    pub(super) weight: Option<u64>,
    pub(super) mark: Annotation,
}

impl FileMove {
    /// Takes over a comment: its command, and the rest as text. What cannot be read in a command is left in the text.
    fn take_comment(&mut self, comment: &str) {
        let mut text = comment.to_owned();
        if let Some(begin) = comment.find(COMMAND)
            && let Some(len) = comment[begin..].find(END)
        {
            let words = &comment[begin + COMMAND.len()..begin + len];
            if self.take_command(words).is_some() {
                text.replace_range(begin..=begin + len, "");
            }
        }
        let text = text.trim();
        if !text.is_empty() {
            self.mark.comment = join(self.mark.comment.take(), Some(text.to_owned()));
        }
    }

    fn take_command(&mut self, words: &str) -> Option<()> {
        // A command counts as a whole: words before one that is not understood change nothing.
        let mut read = self.clone();
        for word in words.split_whitespace() {
            read.take_word(word)?;
        }
        *self = read;
        Some(())
    }

    fn take_word(&mut self, word: &str) -> Option<()> {
        let Some((name, value)) = word.split_once('=') else {
            let flag = Flags::ALL.iter().find(|(_, name)| *name == word);
            if let Some(&(flag, _)) = flag {
                self.mark.flags.set(flag, true);
            } else if word != TRANSPOSES {
                return None;
            }
            return Some(());
        };
        match name {
            "games" => {
                let counts: Vec<u64> =
                    value.split(',').map(|n| n.parse().ok()).collect::<Option<_>>()?;
                let &[games, first, draws, second] = counts.as_slice() else { return None };
                let decided = first.checked_add(draws)?.checked_add(second)?;
                if decided > games || i64::try_from(games).is_err() {
                    return None;
                }
                self.stats = MoveStats { games, first, draws, second, ..self.stats };
            }
            "ratings" => {
                let (sum, count) = value.split_once('/')?;
                let (rating_sum, rating_count) = (sum.parse().ok()?, count.parse().ok()?);
                if i64::try_from(rating_sum).is_err() || i64::try_from(rating_count).is_err() {
                    return None;
                }
                self.stats = MoveStats { rating_sum, rating_count, ..self.stats };
            }
            "years" => {
                let (min, max) = value.split_once('-')?;
                let (min, max) = (min.parse().ok()?, max.parse().ok()?);
                self.stats.years = (min <= max).then_some(Years { min, max });
            }
            "weight" => {
                let weight = value.parse().ok().filter(|&weight| i64::try_from(weight).is_ok())?;
                self.weight = Some(weight);
            }
            "priority" => self.mark.priority = value.parse().ok()?,
            "group" => self.add_group(unescaped(value)?)?,
            _ => return None,
        }
        Some(())
    }

    /// Adds a group; `None` if it is no name of one.
    pub(super) fn add_group(&mut self, name: String) -> Option<()> {
        if name.is_empty() || name.len() > MAX_GROUP {
            return None;
        }
        self.mark.groups.insert(name);
        Some(())
    }

    /// The entry of a book.
    pub(super) fn entry(mut self, (key, mv): RowKey) -> BookEntry {
        if self.stats.games == 0 {
            self.stats = MoveStats::default();
            self.mark.flags.set(Flags::ADDED, true);
        }
        if let Some(comment) = &mut self.mark.comment {
            shorten(comment);
        }
        self.mark.weight = None;
        BookEntry { key, mv, stats: self.stats, weight: self.weight, mark: self.mark }
    }
}

/// Makes a book at `output` of the games in the file at `path`: their moves, those of variations included, comments, and
/// priorities for glyphs. What [`export_lines`] writes of a move is read back.
///
/// # Errors
///
/// See [`InteropError`]. Nothing is left behind then; an existing file is never replaced.
pub fn import_lines<G: Formats + Symmetric>(
    path: &Path,
    output: &Path,
    options: &FileImportOptions,
) -> Result<LinesImport, InteropError> {
    let mut writer = OwnWriter::create(output, &options.stop)?;
    options.progress.report(Step::Reading, 0, 0);
    let read = open::read(path, (options.memory / MEMORY_FACTOR) as u64);
    let bytes = read.map_err(|source| InteropError::Io { path: path.to_owned(), source })?;
    let mut lines = ReadLines::<G>::default();
    G::read_records("", &bytes, &mut |game| match game {
        Ok(game) if !options.stop.is_set() => lines.add(&game.record),
        Ok(_) => {}
        Err(_) => lines.unreadable += 1,
    });
    options.expect_going(path)?;
    if lines.moves.is_empty() {
        let what = message!("no game in it begins with the usual start of the game");
        return Err(InteropError::Nothing { path: path.to_owned(), what });
    }
    let ReadLines { moves, games, unreadable, .. } = lines;
    let mut comments = 0;
    let all = moves.len() as u64;
    for (done, (place, found)) in (0..).zip(moves) {
        if done % 4096 == 0 {
            options.progress.report(Step::Writing, done, all);
        }
        comments += u64::from(found.mark.comment.is_some());
        writer.add(&found.entry(place))?;
    }
    let source = Source { hash: blake3::hash(&bytes).into(), name: base_name(path), games };
    let metadata = writer.finish::<G>(&[source])?;
    Ok(LinesImport { games, unreadable, comments, metadata })
}

/// The moves of games.
struct ReadLines<G> {
    starts: Vec<G>,
    moves: BTreeMap<RowKey, FileMove>,
    games: u64,
    unreadable: u64,
}

impl<G: Notation> Default for ReadLines<G> {
    fn default() -> Self {
        Self { starts: G::starts(), moves: BTreeMap::new(), games: 0, unreadable: 0 }
    }
}

impl<G: Symmetric + Notation> ReadLines<G> {
    /// Adds the moves of a game and of its variations, if it has a usual start.
    fn add(&mut self, record: &Record<G>) {
        let start = record.start.clone().unwrap_or_else(G::start);
        if !self.starts.iter().any(|usual| usual.key() == start.key()) {
            self.unreadable += 1;
            return;
        }
        self.games += 1;
        for_each_move(record, start, |mv| {
            let found = self.moves.entry(mv.place).or_default();
            for glyph in mv.glyphs {
                if found.mark.priority == 0 {
                    found.mark.priority = priority_of(glyph);
                }
            }
            for comment in mv.comments {
                found.take_comment(comment);
            }
            true
        });
    }
}

/// A move of a game or of one of its variations.
pub(crate) struct MoveOfTree<'a> {
    /// Its place in a book.
    pub(crate) place: RowKey,
    /// The comments behind it.
    pub(crate) comments: Vec<&'a str>,
    /// Its glyphs.
    pub(crate) glyphs: Vec<u8>,
}

/// Hands over every move of a game and of its variations, as long as `take` wants more.
pub(crate) fn for_each_move<G: Symmetric>(
    record: &Record<G>,
    start: G,
    mut take: impl FnMut(MoveOfTree<'_>) -> bool,
) {
    let mut position = start;
    // Lines still to be played, each after a number of moves of `path`: those of the deepest places last.
    let mut open: Vec<(usize, &Tree<G>)> = vec![(0, &record.tree)];
    let mut path = Vec::new();
    while let Some((depth, tree)) = open.pop() {
        while path.len() > depth {
            if let Some((mv, undo)) = path.pop() {
                position.unmake(mv, undo);
            }
        }
        let mut variations: Vec<_> = tree.variations.iter().collect();
        variations.sort_by_key(|variation| variation.ply);
        open.extend(variations.iter().map(|variation| (depth + variation.ply, &variation.tree)));
        let mut comments = tree.comments.iter().filter(|(ply, _)| *ply > 0).peekable();
        let mut glyphs = tree.glyphs.iter().peekable();
        for (ply, &mv) in (1..).zip(&tree.moves) {
            let canonical = position.canonical();
            let place = (canonical.key.to_i64(), position.canonical_move(canonical, mv).pack());
            let mut of_move = MoveOfTree { place, comments: Vec::new(), glyphs: Vec::new() };
            while let Some((_, text)) = comments.next_if(|(at, _)| *at <= ply) {
                of_move.comments.push(text);
            }
            while let Some((_, glyph)) = glyphs.next_if(|(at, _)| *at <= ply) {
                of_move.glyphs.push(*glyph);
            }
            if !take(of_move) {
                return;
            }
            path.push((mv, position.make(mv)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn found(name: &str) -> FileMove {
        let mut found = FileMove::default();
        found.take_comment(name);
        found
    }

    #[test]
    fn commands_are_read_and_the_rest_is_text() {
        let read = found(
            "good [%book games=12,7,3,1 years=1990-2001 weight=3 priority=-4 disabled group=a%20b] move",
        );
        assert_eq!((read.stats.games, read.stats.first, read.weight), (12, 7, Some(3)));
        assert_eq!(read.mark.comment.as_deref(), Some("good  move"));
        assert_eq!((read.mark.priority, read.mark.groups.first().unwrap().as_str()), (-4, "a b"));
        for wrong in ["[%book games=1,1,1,1]", "[%book x]", "[%book weight=-1]", "[%book games=1"] {
            let read = found(wrong);
            assert_eq!((read.mark.comment.as_deref(), read.stats.games), (Some(wrong), 0));
        }
    }

    proptest! {
        #[test]
        fn names_of_groups_are_read_back(name: String) {
            prop_assert_eq!(unescaped(&escaped(&name)), Some(name));
        }

        #[test]
        fn any_comment_can_be_read(text in "(\\[%book [a-z=0-9,/% -]{0,40}\\]?|[ -~]){0,3}") {
            found(&text);
        }
    }
}
