//! Games as sources: moves that a review has marked, positions to solve, and lines of a repertoire.

use std::collections::HashMap;
use std::ops::ControlFlow;

use super::lines::solutions;
use super::{Found, SourceError, SourceOptions, playable_line};
use crate::engine::Playable;
use crate::game::{Line, Side};
use crate::message::{Message, message};
use crate::record::{Formats, ParsedGame, Tree, read_packed};
use crate::train::examiner::Examiner;
use crate::train::exercise::{
    Accepted, Exercise, Kind, MAX_ACCEPTED, MAX_PLIES, ScoreFacts, start_text,
};

/// The numeric annotation glyphs of marks: mistake, blunder, inaccuracy.
const MARKS: [u8; 3] = [2, 4, 6];

/// Reads a source of games.
pub(super) fn read<G: Playable + Formats>(
    name: &str,
    bytes: &[u8],
    options: &SourceOptions<'_, G::Rules>,
    examiner: &mut Examiner<G>,
) -> Result<Found, SourceError> {
    if options.is_repertoire && options.side.is_none() {
        return Err(SourceError::NoSide { name: name.to_owned() });
    }
    let mut reader = Reader { options, examiner, found: Found::default(), places: HashMap::new() };
    let mut sink = |source: &str, game: Result<ParsedGame<G>, crate::record::BadGame>| {
        match game {
            Ok(game) => reader.game(&format!("{source}:{}", game.place), &game),
            Err(bad) => reader.found.pass(source, message!("{bad}")),
        }
        if reader.found.is_cut { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    read_packed::<G>(name, bytes, options.folder, options.stop, &mut sink)
        .map_err(SourceError::Io)?;
    // A search that was ended has found nothing, whatever that seems to say.
    if options.stop.is_set() {
        return Err(SourceError::Io(std::io::ErrorKind::Interrupted.into()));
    }
    Ok(reader.found)
}

/// Reads games.
struct Reader<'a, 'b, G: Playable> {
    options: &'a SourceOptions<'b, G::Rules>,
    examiner: &'a mut Examiner<G>,
    found: Found,
    /// The places of the exercises of a repertoire by their names.
    places: HashMap<String, usize>,
}

/// A line of moves on its way through a tree.
struct OpenTree<'a, G: Playable> {
    tree: &'a Tree<G>,
    line: Line<G>,
}

impl<G: Playable + Formats> Reader<'_, '_, G> {
    fn game(&mut self, place: &str, game: &ParsedGame<G>) {
        let record = &game.record;
        let first = record.start.clone().unwrap_or_else(G::start);
        let line = Line::new(first, record.start_clock);
        let start = start_text(line.start(), record.start_clock);
        let before = (self.found.exercises.len(), self.found.passed);
        if self.options.is_repertoire {
            self.repertoire(place, &start, OpenTree { tree: &record.tree, line });
            return;
        }
        let marked = game.nags.iter().filter(|(_, nag)| MARKS.contains(nag));
        let marked: Vec<usize> = marked.map(|(&ply, _)| ply).collect();
        if !marked.is_empty() {
            self.mistakes(place, &start, line, &record.tree, &marked);
        } else if record.start.is_some() && !record.tree.moves.is_empty() {
            self.solve(place, &start, &line, &record.tree);
        }
        if before == (self.found.exercises.len(), self.found.passed) {
            self.found.pass(place, nothing_there());
        }
    }

    /// The marked moves that have a better variation.
    fn mistakes(
        &mut self,
        place: &str,
        start: &str,
        mut line: Line<G>,
        tree: &Tree<G>,
        marked: &[usize],
    ) {
        for (ply, &played) in tree.moves.iter().enumerate().take(MAX_PLIES) {
            let position = line.position();
            let is_wanted = self.options.side.is_none_or(|side| side == position.turn());
            if is_wanted && marked.contains(&ply) {
                let accepted = better(tree, ply, played, position);
                if !accepted.is_empty() {
                    let source = format!("{place}, ply {}", ply + 1);
                    let exercise = Exercise::named(
                        Kind::Mistake,
                        self.options.rules,
                        start.to_owned(),
                        &line,
                        &source,
                    );
                    let exercise = exercise.with_played(played, position);
                    if !self.found.push(Exercise { accepted, ..exercise }) {
                        return;
                    }
                }
            }
            line.push(played);
        }
    }

    /// The first position, whose solution is the game.
    fn solve(&mut self, place: &str, start: &str, line: &Line<G>, tree: &Tree<G>) {
        let position = line.position();
        if self.options.side.is_some_and(|side| side != position.turn()) {
            return self.found.pass(place, "the other side is to move");
        }
        let moves = playable_line(position, tree.moves.iter().copied());
        let known =
            moves.first().cloned().map(|first| Accepted { line: moves, ..Accepted::new(first) });
        let accepted = solutions(self.examiner, line, known, self.options);
        if accepted.is_empty() {
            return self.found.pass(place, "the side to move loses");
        }
        let exercise =
            Exercise::named(Kind::Position, self.options.rules, start.to_owned(), line, place);
        self.found.push(Exercise { accepted, ..exercise });
    }

    /// The positions of a game and its variations in which the side of the repertoire is to move.
    fn repertoire(&mut self, place: &str, start: &str, game: OpenTree<'_, G>) {
        let Some(side) = self.options.side else { return };
        let mut open = vec![game];
        while let Some(OpenTree { tree, mut line }) = open.pop() {
            for (ply, &mv) in tree.moves.iter().enumerate() {
                let is_deep = line.len() >= self.options.depth.min(MAX_PLIES);
                if is_deep || self.found.is_cut {
                    break;
                }
                let variations = tree.variations.iter().filter(|variation| variation.ply == ply);
                // The last one is looked at first: in reverse, the first comes first.
                let variations: Vec<_> = variations.collect();
                open.extend(
                    variations
                        .into_iter()
                        .rev()
                        .map(|variation| OpenTree { tree: &variation.tree, line: line.clone() }),
                );
                self.own_move(place, start, &line, mv, side);
                line.push(mv);
            }
        }
    }

    /// A move of the repertoire, if its side makes it.
    fn own_move(&mut self, place: &str, start: &str, line: &Line<G>, mv: G::Move, side: Side) {
        if line.position().turn() != side {
            return;
        }
        let exercise =
            Exercise::named(Kind::Repertoire, self.options.rules, start.to_owned(), line, place);
        let right = Accepted::new(G::move_text(mv));
        if let Some(&at) = self.places.get(&exercise.id) {
            let accepted = &mut self.found.exercises[at].accepted;
            if accepted.len() < MAX_ACCEPTED && accepted.iter().all(|known| known.mv != right.mv) {
                accepted.push(right);
            }
            return;
        }
        let (id, at) = (exercise.id.clone(), self.found.exercises.len());
        if self.found.push(Exercise { accepted: vec![right], ..exercise }) {
            self.places.insert(id, at);
        }
    }
}

/// Says what a game lacks that gives no exercise.
fn nothing_there() -> Message {
    "no marked move with a variation, and no position to solve; review it first, or add --repertoire"
        .into()
}

/// The first moves of the variations beside a move, with their lines and the evaluation before the move.
fn better<G: Playable>(tree: &Tree<G>, ply: usize, played: G::Move, position: &G) -> Vec<Accepted> {
    let score = evaluation_before(tree, ply, position.turn());
    let mut accepted: Vec<Accepted> = Vec::new();
    let variations = tree.variations.iter().filter(|variation| variation.ply == ply);
    // A review adds its line behind the variations that were there.
    for variation in variations.collect::<Vec<_>>().into_iter().rev() {
        let line = playable_line(position, variation.tree.moves.iter().copied());
        let first = variation.tree.moves.first().copied().filter(|&first| first != played);
        let Some(text) = first.map(G::move_text) else { continue };
        if accepted.len() < MAX_ACCEPTED && accepted.iter().all(|known| known.mv != text) {
            let score = score.filter(|_| accepted.is_empty());
            accepted.push(Accepted { score, line, ..Accepted::new(text) });
        }
    }
    accepted
}

/// The evaluation in the comment before a move (`[%eval 0.34]`, `[%eval #3]`, for the first side), for `side`.
fn evaluation_before<G: Playable>(tree: &Tree<G>, ply: usize, side: Side) -> Option<ScoreFacts> {
    let comments = tree.comments.iter().filter(|(at, _)| *at == ply && ply > 0);
    let text = comments.rev().find_map(|(_, text)| text.split_once("[%eval "))?.1;
    let text = text.split(']').next()?.trim();
    let sign = if side == Side::First { 1 } else { -1 };
    if let Some(mate) = text.strip_prefix('#') {
        let mate: i32 = mate.parse().ok().filter(|mate: &i32| mate.unsigned_abs() < 1_000)?;
        return Some(ScoreFacts { mate: Some(sign * mate), cp: None });
    }
    let pawns: f64 = text.parse().ok().filter(|pawns: &f64| pawns.abs() < 1_000.0)?;
    Some(ScoreFacts { cp: Some(sign * (pawns * 100.0).round() as i32), mate: None })
}
