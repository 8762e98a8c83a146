//! Gomoku: positions and moves as they are typed, and their description.

use crate::answers::described::{BoardRequest, Described, Refusal, Start};
use crate::answers::evaluation::{Evaluation, GomokuEvaluation, TermCount};
use crate::game::{Game, Heuristics, Line, Notation, Outcome};
use crate::gomoku::{Board, BoardError, Point, Threat, Variant};
use crate::message::{Message, ToMessage, message};
use crate::record::TypedLine;
use crate::search::eval::gomoku::{Term, TermKind, terms};
use crate::xiangqi::notation::MoveNotation;

impl Described for Board {
    fn read_start(text: &str) -> Result<Start<Self>, Refusal> {
        let position = Self::from_fen(text).map_err(|error| match error {
            BoardError::Count { .. } | BoardError::Over(_) => Refusal::Illegal {
                text: text.split_whitespace().collect::<Vec<_>>().join(" "),
                reasons: vec![error.message()],
            },
            _ => Refusal::Unreadable(error.message()),
        })?;
        Ok(Start { position, clock: 0, fullmoves: 1 })
    }

    fn with_board(fen: Option<&str>, board: &BoardRequest) -> Result<String, Message> {
        let variant = match &board.variant {
            Some(name) => Some(name.parse::<Variant>().map_err(|error| error.message())?),
            None => None,
        };
        let fen = fen
            .filter(|text| text.contains('/'))
            .map(|text| text.split_once(" moves ").unwrap_or((text, "")));
        let Some((fen, moves)) = fen else {
            let (width, height) = board.size.as_deref().map_or(Ok((15, 15)), read_size)?;
            let start = Self::with_variant(width, height, 5, variant.unwrap_or_default());
            return start.map(|board| board.to_fen()).map_err(|error| error.message());
        };
        if board.size.is_some() {
            return Err("the position of --fen has its size; leave --size out".into());
        }
        let read = Self::from_fen(fen).map_err(|error| error.message())?;
        let fields = read.to_fen();
        let rules = fields.split(' ').take(3).collect::<Vec<_>>().join(" ");
        let moves = if moves.is_empty() { String::new() } else { format!(" moves {moves}") };
        Ok(format!("{rules} {}{moves}", variant.unwrap_or_else(|| read.variant())))
    }

    fn forbidden_points(&self) -> Vec<(Point, &'static str)> {
        let points = self.empty_points();
        points.filter_map(|point| Some((point, self.forbidden(point)?.name()))).collect()
    }

    fn line_text(line: &Line<Self>, _fullmoves: u32) -> String {
        line.position().to_fen()
    }

    fn other_start(&self) -> Option<Start<Self>> {
        let start = Self::with_variant(self.width(), self.height(), self.row(), self.variant());
        let other = start.ok().filter(|start| *start != Self::start());
        other.map(|position| Start { position, clock: 0, fullmoves: 1 })
    }

    /// Moves are `h8`, which may stand together (`h8i9`) or be separated by commas, or `8,8`; their numbers have a full
    /// stop.
    fn typed(moves: &str) -> TypedLine {
        let mut typed = TypedLine::default();
        for word in moves.split_whitespace() {
            let word = match word.rsplit_once('.') {
                Some((number, rest)) if is_number(number) => rest,
                _ => word,
            };
            if is_result(word) || matches!(word, "startpos" | "position" | "moves") {
                continue;
            }
            if word.contains('/') {
                typed.fen = Some(word.to_owned());
            } else if numbered_point(word).is_some() {
                typed.moves.push(word.to_owned());
            } else {
                let words = word.split(',').filter(|word| !word.is_empty());
                typed.moves.extend(words.flat_map(points_apart));
            }
        }
        typed
    }

    fn read_move(&self, text: &str) -> Result<Point, Message> {
        let mv = <Self as Notation>::parse_move(text).or_else(|| numbered_point(text)).ok_or_else(
            || {
                let text: String = text.trim().chars().take(LONGEST_SHOWN).collect();
                message!("\"{text}\" is not a point; write for example h8 or 8,8")
            },
        )?;
        if self.is_legal(mv) {
            return Ok(mv);
        }
        Err(match self.forbidden(mv) {
            Some(reason) => message!("{mv} is forbidden to Black: {}", reason.name()),
            None if self.outcome().is_some() => message!("{mv} comes after the end of the game"),
            None if !self.contains(mv) => message!("{mv} is off the board"),
            None => message!("{mv} is taken"),
        })
    }

    fn write_move(&self, mv: Point, _notation: MoveNotation) -> String {
        Self::move_text(mv)
    }

    fn in_check(&self) -> bool {
        false
    }

    fn status(&self) -> &'static str {
        match self.outcome() {
            None => "ongoing",
            Some(Outcome::Win(_)) => "won",
            Some(Outcome::Draw) => "drawn",
        }
    }

    fn evaluation(&self) -> Evaluation {
        let points = self.empty_points();
        let points = points.map(|point| (Self::move_text(point), self.point_value(point)));
        Evaluation::Gomoku(GomokuEvaluation {
            best: self.best_point().map(Self::move_text),
            points: points.collect(),
            terms: terms(self).iter().map(TermCount::from).collect(),
            value: self.evaluate(),
        })
    }
}

impl From<&Term> for TermCount {
    fn from(term: &Term) -> Self {
        Self { count: term.counts.into(), term: term_name(term), value: term.values.into() }
    }
}

/// The name of a term of gomoku's evaluation.
#[must_use]
pub const fn term_name(term: &Term) -> &'static str {
    match term.kind {
        TermKind::Threat(threat) => threat_name(threat),
        TermKind::Threats => "threats together",
        TermKind::Move => "move",
    }
}

const fn threat_name(threat: Threat) -> &'static str {
    match threat {
        Threat::None => "no threat",
        Threat::Suspect => "perhaps forbidden",
        Threat::Two => "point with a two",
        Threat::DoubleTwo => "double two",
        Threat::ClosedThree => "point with a closed three",
        Threat::ClosedThreeAndMore => "closed three and more",
        Threat::Three => "point with a three",
        Threat::ThreeAndMore => "three and more",
        Threat::DoubleThree => "double three",
        Threat::Four => "point with a four",
        Threat::FourAndMore => "four and more",
        Threat::FourThree => "four and three",
        Threat::OpenFour => "point with two completions",
        Threat::Five => "point with a five",
    }
}

/// Characters of a typed word that are shown in messages, at most.
const LONGEST_SHOWN: usize = 24;

/// The parts of a text that begin with the letters after digits: `h8i9` is `h8` and `i9`.
fn points_apart(text: &str) -> Vec<String> {
    let mut parts = Vec::new();
    let mut part = String::new();
    let mut after_digit = false;
    for c in text.chars() {
        if after_digit && c.is_ascii_alphabetic() {
            parts.push(std::mem::take(&mut part));
        }
        after_digit = c.is_ascii_digit();
        part.push(c);
    }
    parts.push(part);
    parts
}

/// Returns true for what stands before the full stop of the number of a move.
fn is_number(text: &str) -> bool {
    text.chars().all(|c| c.is_ascii_digit() || c == '.')
}

/// Returns true for the result at the end of a game's moves, as PGN writes it.
fn is_result(word: &str) -> bool {
    matches!(word, "*" | "1-0" | "0-1" | "1/2-1/2")
}

/// A point by its column from the left and its row from below, both from 1: `8,8`.
fn numbered_point(text: &str) -> Option<Point> {
    let (column, row) = text.split_once(',')?;
    Point::new(coordinate(column)?, coordinate(row)?)
}

/// The coordinate of a number from 1.
fn coordinate(text: &str) -> Option<u8> {
    text.trim().parse::<u8>().ok()?.checked_sub(1)
}

/// Width and height of a board: `15`, `20x18`.
///
/// # Errors
///
/// The text is no size.
pub fn read_size(text: &str) -> Result<(u8, u8), Message> {
    let (width, height) = text.split_once(['x', 'X']).unwrap_or((text, text));
    match (width.parse(), height.parse()) {
        (Ok(width), Ok(height)) => Ok((width, height)),
        _ => Err(message!("\"{text}\" is no size of a board; write 15 or 20x18, say")),
    }
}
