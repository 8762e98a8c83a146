//! Openings that Yixin Board plays with its engine in steps: swap2, and Soosõrv's opening of renju. Each step is a
//! question that one or several searches answer.

use std::collections::HashSet;

use crate::game::{Game, MoveList, Symmetric};
use crate::gomoku::{Board, Point, Variant};
use crate::protocol::conversation::position::any_move;
use crate::protocol::gomocup::game::Table;
use crate::protocol::gomocup::swap::Proposal;
use crate::protocol::wire::gomocup::{Cell, Step, message};
use crate::search::{MAX_MULTIPV, Score};

/// Fifth moves that White may ask for.
const FIFTHS: std::ops::RangeInclusive<i64> = 1..=8;
/// Stones before the fifth move.
const BEFORE_FIFTH: usize = 4;

/// The error where an opening has no room.
pub(crate) const TOO_SMALL: &str = "the board is too small for an opening";

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
    /// True to change sides, the side to move being the engine's.
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

impl Inquiry {
    /// A search of all moves.
    const fn of(position: Board, lines: usize) -> Self {
        Self { position, lines, banned: Vec::new() }
    }

    /// A search of moves that lead to different positions, images counted as one.
    fn without_images(position: Board, lines: usize) -> Self {
        let banned = images(&position);
        Self { position, lines, banned }
    }
}

/// A move and its score, for the side to move.
pub(crate) type Scored = (Point, Score);

impl Question {
    /// A step of swap2: the first clears the board, before the others stones were set up.
    ///
    /// # Errors
    ///
    /// If these are not as many as there must be, or the board is too small.
    pub(crate) fn swap2(step: u8, table: &mut Table, variant: Variant) -> Result<Self, String> {
        let (word, stones) = match step {
            1 => {
                *table = table.cleared(variant)?;
                let proposal = Proposal::new(table.board()).ok_or(TOO_SMALL)?;
                return Ok(Self::Propose { rule: "SWAP2", proposal });
            }
            2 => ("SWAP2 SWAP1", 3),
            _ => ("SWAP2 SWAP2", 5),
        };
        let position = table.board().clone();
        let there = position.stones();
        if there != stones {
            return Err(format!(
                "YXSWAP2STEP{step}: {stones} stones come before it by YXBOARD, not {there}"
            ));
        }
        Ok(Self::Side { word, position, number: 1, score: None })
    }

    /// The first step of Soosõrv's opening, which clears the board.
    ///
    /// # Errors
    ///
    /// If the board is too small.
    pub(crate) fn propose_soosorv(table: &mut Table, variant: Variant) -> Result<Self, String> {
        *table = table.cleared(variant)?;
        let proposal = Proposal::of_renju(table.board()).ok_or(TOO_SMALL)?;
        Ok(Self::Propose { rule: "SOOSORV", proposal })
    }

    /// A later step of Soosõrv's opening, after these stones, which are put on the board.
    ///
    /// # Errors
    ///
    /// If they, or the number of fifth moves, are not what the step wants.
    pub(crate) fn soosorv(
        Step { step, fifths }: Step,
        cells: &[Cell],
        table: &mut Table,
        variant: Variant,
    ) -> Result<Self, String> {
        let stones = if step < 4 { BEFORE_FIFTH - 1 } else { BEFORE_FIFTH };
        let offered = cells.len().checked_sub(stones).filter(|&more| match step {
            6 => i64::try_from(more).is_ok_and(|more| FIFTHS.contains(&more)),
            _ => more == 0,
        });
        let Some(offered) = offered else {
            let more = if step == 6 { " and the fifth moves" } else { "" };
            return Err(format!("it has {stones} stones{more}, not {}", cells.len()));
        };
        if step > 3 && step < 6 && !FIFTHS.contains(&fifths) {
            let (least, most) = FIFTHS.into_inner();
            return Err(format!("there are {least} to {most} fifth moves"));
        }
        let after = table.after(&cells[..stones], variant)?;
        let position = after.board().clone();
        let open = cells[stones..].iter().map(|&cell| after.legal(cell));
        let open: Vec<Point> = open.collect::<Result<_, _>>()?;
        *table = after;
        let count = usize::try_from(fifths).unwrap_or(1);
        Ok(match step {
            2 => Self::Side { word: "SOOSORV SWAP1", position, number: 1, score: None },
            3 => Self::Fourth { position, stone: None, fifths: None },
            4 => Self::Side { word: "SOOSORV SWAP2", position, number: count, score: None },
            5 => Self::Fifths { position, count, found: None },
            _ => Self::Choose { position, open, count: offered, best: None },
        })
    }

    /// The next search; `None` once the answer is known.
    pub(crate) fn next(&self) -> Option<Inquiry> {
        Some(match self {
            Self::Propose { proposal, .. } => Inquiry::of(proposal.position()?.clone(), 1),
            Self::Side { position, number, score: None, .. } => {
                Inquiry::without_images(position.clone(), *number)
            }
            Self::Fourth { position, stone: None, .. } => Inquiry::of(position.clone(), 1),
            Self::Fourth { position, stone: Some(stone), fifths: None } => {
                Inquiry::without_images(position.play(*stone).ok()?, *FIFTHS.end() as usize)
            }
            Self::Fifths { position, count, found: None } => {
                Inquiry::without_images(position.clone(), *count)
            }
            Self::Choose { position, open, .. } => {
                Inquiry::of(position.play(*open.last()?).ok()?, 1)
            }
            Self::Balance { position, found: None, .. } => {
                Inquiry::of(position.clone(), MAX_MULTIPV)
            }
            Self::Side { .. }
            | Self::Fourth { .. }
            | Self::Fifths { .. }
            | Self::Balance { .. } => return None,
        })
    }

    /// Best lines of the next search.
    pub(crate) fn lines(&self) -> usize {
        self.next().map_or(1, |inquiry| inquiry.lines)
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
                *stone = first.map(|line| line.0).or_else(|| any_move(position, &[]));
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
                let nearest = lines.iter().min_by_key(|line| line.1.value().abs_diff(*target));
                *found = nearest.map(|line| line.0).or_else(|| any_move(position, &[]));
            }
        }
    }

    /// The lines of the answer; none where there is no move.
    pub(crate) fn answer(&self, cell: impl Fn(Point) -> Cell) -> Vec<String> {
        let said = match self {
            Self::Propose { rule, proposal } => {
                let stones = proposal.best().into_iter().flatten().zip(1..);
                stones
                    .map(|(stone, n)| format!("{rule} MOVE{n} {}", in_message(cell(stone))))
                    .collect()
            }
            Self::Side { word, score, .. } => {
                let swaps = score.is_some_and(|score| score < Score::DRAW);
                vec![format!("{word} {}", if swaps { "YES" } else { "NO" })]
            }
            Self::Fourth { stone, fifths, .. } => {
                let fifths = fifths.unwrap_or(1);
                let stone = stone.map(|stone| in_message(cell(stone)));
                stone.iter().map(|stone| format!("SOOSORV MOVE4 {stone} {fifths}")).collect()
            }
            Self::Fifths { found, .. } => {
                let mut lines = vec!["SOOSORV MOVE5 REFRESH".to_owned()];
                let moves = found.iter().flatten();
                lines.extend(moves.map(|&mv| format!("SOOSORV MOVE5 {}", in_message(cell(mv)))));
                lines.push("SOOSORV MOVE5 DONE".to_owned());
                lines
            }
            Self::Choose { best, .. } => {
                let chosen = best.map(|(_, mv)| in_message(cell(mv)));
                chosen.iter().map(|stone| format!("SOOSORV MOVE5C {stone}")).collect()
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

/// The two numbers of a cell as messages have them: answers have a comma between them.
fn in_message(Cell { column, row }: Cell) -> String {
    format!("{column} {row}")
}

/// The number of the line whose score is the most level one.
fn most_level(lines: &[Scored]) -> usize {
    let nearest = (1..).zip(lines).min_by_key(|(_, line)| line.1.value().unsigned_abs());
    nearest.map_or(1, |(number, _)| number)
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
