//! Openings that Yixin Board plays with its engine in steps: swap2, and Soosõrv's opening of renju. Each step is a
//! question that one or several searches answer.

use std::collections::HashSet;

use crate::game::{Game, MoveList, Symmetric};
use crate::gomoku::{Board, Point};
use crate::protocol::gomocup::swap::Proposal;
use crate::protocol::wire::gomocup::{Cell, message};
use crate::search::{MAX_MULTIPV, Score};

/// Fifth moves that White may ask for.
pub(crate) const FIFTHS: std::ops::RangeInclusive<i64> = 1..=8;
/// Stones before the fifth move.
pub(crate) const BEFORE_FIFTH: usize = 4;

/// A question of a manager that is answered by searches.
#[derive(Debug, Clone)]
pub(crate) enum Question {
    /// The first three stones, of which the opponent may choose the side.
    Propose {
        /// The rule.
        rule: &'static str,
        /// The openings.
        proposal: Proposal,
    },
    /// Whether to change sides, the side to move being the engine's.
    Side {
        /// The word of the answer.
        word: &'static str,
        /// The position.
        position: Board,
        /// The move to be made is the one of this number, the best being the first.
        number: usize,
        /// The score of that move.
        score: Option<Score>,
    },
    /// White's second stone, and the number of fifth moves that Black has to offer.
    Fourth {
        /// The position after three stones.
        position: Board,
        /// The stone, once it is found.
        stone: Option<Point>,
        /// The number, once it is found.
        fifths: Option<usize>,
    },
    /// Black's fifth moves, of which White will choose one.
    Fifths {
        /// The position after four stones.
        position: Board,
        /// The number to be offered.
        count: usize,
        /// The moves, once they are found.
        found: Option<Vec<Point>>,
    },
    /// The choice of one of the fifth moves.
    Choose {
        /// The position after four stones.
        position: Board,
        /// Moves that are not looked at yet; the last one is next.
        open: Vec<Point>,
        /// The number of all of them.
        count: usize,
        /// The worst for Black so far, and White's score.
        best: Option<(Score, Point)>,
    },
    /// A move after which the score is about this.
    Balance {
        /// The position.
        position: Board,
        /// Centipawns.
        target: i32,
        /// The move, once it is found.
        found: Option<Point>,
    },
}

/// A search that a question needs.
#[derive(Debug, Clone)]
pub(crate) struct Inquiry {
    pub(crate) position: Board,
    /// Best lines.
    pub(crate) lines: usize,
    pub(crate) banned: Vec<Point>,
}

/// A move and its score, for the side to move.
pub(crate) type Scored = (Point, Score);

impl Question {
    /// The next search; `None` once the answer is known.
    pub(crate) fn next(&self) -> Option<Inquiry> {
        let inquiry = |position: &Board, lines: usize, banned| {
            Some(Inquiry { position: position.clone(), lines, banned })
        };
        match self {
            Self::Propose { proposal, .. } => inquiry(proposal.position()?, 1, Vec::new()),
            Self::Side { position, number, score: None, .. } => {
                inquiry(position, *number, images(position))
            }
            Self::Fourth { position, stone: None, .. } => inquiry(position, 1, Vec::new()),
            Self::Fourth { position, stone: Some(stone), fifths: None } => {
                let after = position.play(*stone).ok()?;
                inquiry(&after, *FIFTHS.end() as usize, images(&after))
            }
            Self::Fifths { position, count, found: None } => {
                inquiry(position, *count, images(position))
            }
            Self::Choose { position, open, .. } => {
                let after = position.play(*open.last()?).ok()?;
                inquiry(&after, 1, Vec::new())
            }
            Self::Balance { position, found: None, .. } => {
                inquiry(position, MAX_MULTIPV, Vec::new())
            }
            Self::Side { .. }
            | Self::Fourth { .. }
            | Self::Fifths { .. }
            | Self::Balance { .. } => None,
        }
    }

    /// The number of parts that the time for a move is divided into.
    pub(crate) fn shares(&self) -> u32 {
        match self {
            Self::Propose { proposal, .. } => proposal.shares(),
            Self::Side { .. } | Self::Fifths { .. } | Self::Balance { .. } => 1,
            Self::Fourth { .. } => 2,
            Self::Choose { count, .. } => u32::try_from(*count).unwrap_or(1).max(1),
        }
    }

    /// Counts the lines that a search has found, the best first; none if the game is over or the search was lost.
    pub(crate) fn hear(&mut self, lines: &[Scored]) {
        let first = lines.first();
        match self {
            Self::Propose { proposal, .. } => proposal.judge(first.map(|line| line.1)),
            Self::Side { number, score, .. } => {
                let line = lines.get(*number - 1).or(lines.last());
                *score = Some(line.map_or(Score::DRAW, |line| line.1));
            }
            Self::Fourth { position, stone: stone @ None, fifths } => {
                *stone = first.map(|line| line.0).or_else(|| any(position));
                if stone.is_none() {
                    *fifths = Some(1);
                }
            }
            Self::Fourth { fifths, .. } => *fifths = Some(most_level(lines)),
            Self::Fifths { position, count, found } => {
                *found = Some(filled(position, lines, *count));
            }
            Self::Choose { open, best, .. } => {
                let score = first.map_or(-Score::INFINITE, |line| line.1);
                if let Some(point) = open.pop()
                    && best.is_none_or(|(most, _)| score > most)
                {
                    *best = Some((score, point));
                }
            }
            Self::Balance { position, target, found } => {
                let distance = |line: &&Scored| line.1.value().abs_diff(*target);
                let nearest = lines.iter().min_by_key(distance);
                *found = nearest.map(|line| line.0).or_else(|| any(position));
            }
        }
    }

    /// The lines of the answer; none where there is no move.
    pub(crate) fn answer(&self, cell: impl Fn(Point) -> Cell) -> Vec<String> {
        let point = |point| {
            let Cell { column, row } = cell(point);
            format!("{column} {row}")
        };
        let said = match self {
            Self::Propose { rule, proposal } => {
                let stones = proposal.best().into_iter().flatten().zip(1..);
                stones.map(|(stone, n)| format!("{rule} MOVE{n} {}", point(stone))).collect()
            }
            Self::Side { word, score, .. } => {
                let swaps = score.is_some_and(|score| score < Score::DRAW);
                vec![format!("{word} {}", if swaps { "YES" } else { "NO" })]
            }
            Self::Fourth { stone, fifths, .. } => {
                let fifths = fifths.unwrap_or(1);
                let text = |&stone| format!("SOOSORV MOVE4 {} {fifths}", point(stone));
                stone.iter().map(text).collect()
            }
            Self::Fifths { found, .. } => {
                let moves = found.iter().flatten();
                let moves = moves.map(|&mv| format!("SOOSORV MOVE5 {}", point(mv)));
                let begin = std::iter::once("SOOSORV MOVE5 REFRESH".to_owned());
                let end = std::iter::once("SOOSORV MOVE5 DONE".to_owned());
                begin.chain(moves).chain(end).collect()
            }
            Self::Choose { best, .. } => {
                let text = |&(_, mv): &(Score, Point)| format!("SOOSORV MOVE5C {}", point(mv));
                best.iter().map(text).collect()
            }
            Self::Balance { found, .. } => {
                return found.iter().map(|&mv| cell(mv).to_string()).collect();
            }
        };
        said.iter().map(|text: &String| message(text)).collect()
    }

    /// The stones that the answer puts on the board of the session.
    pub(crate) fn stones(&self) -> Vec<Point> {
        match self {
            Self::Propose { proposal, .. } => proposal.best().into_iter().flatten().collect(),
            Self::Fourth { stone, .. } => stone.iter().copied().collect(),
            Self::Balance { found, .. } => found.iter().copied().collect(),
            Self::Side { .. } | Self::Fifths { .. } | Self::Choose { .. } => Vec::new(),
        }
    }

    /// Returns true if Yixin Board, when it gives the search up, passes over the next move of its engine.
    pub(crate) fn owes_move(&self) -> bool {
        matches!(self, Self::Side { word, .. } if word.starts_with("SWAP2"))
    }
}

/// The number of the line whose score is the most level one.
fn most_level(lines: &[Scored]) -> usize {
    let level = |&(_, line): &(usize, &Scored)| line.1.value().unsigned_abs();
    (1..).zip(lines).min_by_key(level).map_or(1, |(number, _)| number)
}

fn any(position: &Board) -> Option<Point> {
    legal(position).into_iter().next()
}

fn legal(position: &Board) -> Vec<Point> {
    let mut moves = MoveList::new();
    position.legal_moves(&mut moves);
    moves.to_vec()
}

/// Legal moves that lead to images of the position after another one: fifth moves must differ from each other.
fn images(position: &Board) -> Vec<Point> {
    let mut seen = HashSet::new();
    let is_image =
        |&mv: &Point| position.play(mv).is_ok_and(|after| !seen.insert(after.canonical().key));
    legal(position).into_iter().filter(is_image).collect()
}

/// As many moves as there are to be: those of the lines, and others where these are too few.
fn filled(position: &Board, lines: &[Scored], count: usize) -> Vec<Point> {
    let mut moves: Vec<Point> = lines.iter().map(|line| line.0).collect();
    let images = images(position);
    let others = legal(position).into_iter().filter(|mv| !images.contains(mv));
    moves.extend(others.filter(|mv| lines.iter().all(|line| line.0 != *mv)));
    moves.truncate(count);
    moves
}
