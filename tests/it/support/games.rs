//! Helpers of the tests of game records: reading bytes, growing random records, comparing trees.

use juzhong::game::{Game, MoveList, Outcome, Side};
use juzhong::record::{
    BadGame, BadGameReason, ParsedGame, ReadSummary, Record, Tree, Variation, read_games,
};
use juzhong::xiangqi::Position;
use proptest::prelude::*;

pub(crate) type Read = Result<ParsedGame, BadGame>;

/// All games of the bytes.
pub(crate) fn read(bytes: &[u8]) -> (Vec<Read>, ReadSummary) {
    let mut games = Vec::new();
    let summary = read_games("test", bytes, &mut |game| games.push(game));
    assert_eq!(summary.games + summary.bad, games.len() as u64);
    (games, summary)
}

/// The only game of the bytes.
pub(crate) fn read_one(bytes: &[u8]) -> Read {
    let (mut games, _) = read(bytes);
    assert_eq!(games.len(), 1);
    games.remove(0)
}

pub(crate) fn reason(bytes: &[u8]) -> BadGameReason {
    read_one(bytes).unwrap_err().reason
}

/// Every beginning of the bytes is read or refused, and nothing else.
pub(crate) fn check_prefixes(bytes: &[u8]) {
    for len in 0..bytes.len() {
        read(&bytes[..len]);
    }
}

/// The main line.
pub(crate) fn moves(tree: &Tree<Position>) -> String {
    tree.moves.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
}

/// A tree as text: moves, comments in braces, variations in parentheses behind the move that they
/// replace. A variation on the first move of a variation stands beside it.
pub(crate) fn outline(tree: &Tree<Position>) -> String {
    let mut out = Vec::new();
    outline_line(tree, &mut out);
    out.join(" ")
}

fn outline_line(tree: &Tree<Position>, out: &mut Vec<String>) {
    for ply in 0..=tree.moves.len() {
        let comments = tree.comments.iter().filter(|(at, _)| *at == ply);
        out.extend(comments.map(|(_, text)| format!("{{{text}}}")));
        let Some(mv) = tree.moves.get(ply) else { return };
        out.push(mv.to_string());
        outline_variations(tree, ply, out);
    }
}

fn outline_variations(tree: &Tree<Position>, ply: usize, out: &mut Vec<String>) {
    for variation in tree.variations.iter().filter(|variation| variation.ply == ply) {
        let mut inner = variation.tree.clone();
        inner.variations.retain(|variation| variation.ply > 0);
        out.push(format!("({})", outline(&inner)));
        outline_variations(&variation.tree, 0, out);
    }
}

/// A comment of what means something in one of the formats.
fn comment(choice: u16) -> String {
    const LINES: [&str; 6] = [
        "[DhtmlXQ_binit]",
        "a||b|\n||",
        "[/DhtmlXQ_x]&amp;",
        r"\u4e2d [\/DhtmlXQ]",
        "&#124;<b>",
        "x",
    ];
    let line = LINES[usize::from(choice) / 5 % LINES.len()];
    format!("注 {choice}\n{line}后")
}

/// A tree along choices: each number picks a move, every seventh opens a variation, every fifth
/// adds a comment.
pub(crate) fn grow(position: &mut Position, choices: &[u16], depth: usize) -> Tree<Position> {
    grow_with(position, choices, depth, comment)
}

/// The same, with other comments.
pub(crate) fn grow_with(
    position: &mut Position,
    choices: &[u16],
    depth: usize,
    comment: fn(u16) -> String,
) -> Tree<Position> {
    let mut tree = Tree::default();
    for (ply, &choice) in choices.iter().enumerate() {
        let mut moves = MoveList::new();
        position.legal_moves(&mut moves);
        let Some(&mv) = moves.get(usize::from(choice) % moves.len().max(1)) else { break };
        if choice % 7 == 0 && depth < 3 {
            let tree_of = grow_with(&mut position.clone(), &choices[ply + 1..], depth + 1, comment);
            if !tree_of.moves.is_empty() {
                tree.variations.push(Variation { ply, tree: tree_of });
            }
        }
        position.make(mv);
        tree.moves.push(mv);
        if choice % 5 == 0 {
            tree.comments.push((ply + 1, comment(choice)));
        }
    }
    tree
}

/// Tags that every format of this project keeps, and their longest values in XQF.
pub(crate) const TAGS: [(&str, usize); 9] = [
    ("Title", 63),
    ("Event", 63),
    ("Date", 15),
    ("Site", 15),
    ("Red", 15),
    ("Black", 15),
    ("TimeControl", 63),
    ("Annotator", 15),
    ("Author", 15),
];

/// Random records with variations, comments, tags and start positions.
pub(crate) fn records() -> impl Strategy<Value = Record<Position>> {
    let values = prop::collection::vec("[^\\p{Cc}\\p{Co}\u{feff}\u{fffd}]{0,16}", TAGS.len());
    let choices = prop::collection::vec(any::<u16>(), 0..60);
    let opening = prop::collection::vec(any::<u16>(), 0..6);
    (values, choices, opening, 0..4_u8, any::<bool>()).prop_map(
        |(values, choices, opening, result, has_preface)| {
            let mut position = Position::start();
            grow(&mut position, &opening, 9);
            let start = (position != Position::start()).then(|| position.clone());
            let mut tree = grow(&mut position, &choices, 0);
            if has_preface {
                tree.comments.insert(0, (0, "第一".to_owned()));
            }
            let result = [
                None,
                Some(Outcome::Draw),
                Some(Outcome::Win(Side::First)),
                Some(Outcome::Win(Side::Second)),
            ][usize::from(result)];
            let tags =
                TAGS.iter().zip(values).map(|((name, _), v)| ((*name).to_owned(), v)).collect();
            Record { tags, start, start_clock: 0, result, tree }
        },
    )
}
