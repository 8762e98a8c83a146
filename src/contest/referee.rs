//! The end of a game: by the rules of the game, by the limit of plies, or because both engines agree on the result.

use std::str::FromStr;

use crate::bytes::by_count;
use crate::contest::games::Contested;
use crate::engine::ProbeBudget;
use crate::game::{Horizon, Line, Outcome, side_name};
use crate::message::{Message, message};
use crate::tablebase::Wdl;
use crate::xiangqi::Position;

/// A longer game is a draw, unless another limit is set.
pub const MAX_PLIES: usize = 400;

/// The score of a mate as referees see it, in centipawns.
pub(crate) const MATE: i32 = 30_000;

/// The rules for when a game ends, and with which result.
#[derive(Debug)]
pub struct Referee<G: Contested = Position> {
    /// The rules that judge repetitions, and the limit of moves without a capture.
    pub rules: G::Rules,
    /// A game of this many plies is a draw.
    pub max_plies: usize,
    /// The rule for a draw in a game that both engines call level.
    pub draw: Option<DrawRule>,
    /// The rule for a win in a game that both engines call decided.
    pub resign: Option<ResignRule>,
    /// Tablebases that decide games.
    pub tables: Option<G::Tables>,
}

impl<G: Contested> Default for Referee<G> {
    /// The usual rules, and nothing that ends games early.
    fn default() -> Self {
        let rules = G::Rules::default();
        Self { rules, max_plies: MAX_PLIES, draw: None, resign: None, tables: None }
    }
}

/// Both engines call the game level for a while.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DrawRule {
    /// Not before this many moves of each side.
    pub from: usize,
    /// For this many moves of each side in a row.
    pub moves: usize,
    /// Scores of at most this many centipawns.
    pub score: i32,
}

/// Both engines call the game decided for a while, and agree on the winner.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ResignRule {
    /// For this many moves of each side in a row.
    pub moves: usize,
    /// Scores of at least this many centipawns.
    pub score: i32,
}

/// The numbers of a rule, separated by commas.
fn numbers<const N: usize>(text: &str) -> Option<[u16; N]> {
    let numbers: Vec<u16> =
        text.split(',').map(|n| n.trim().parse().ok()).collect::<Option<_>>()?;
    <[u16; N]>::try_from(numbers).ok()
}

impl FromStr for DrawRule {
    type Err = &'static str;
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match numbers(text) {
            Some([from, moves, score]) if moves > 0 => {
                Ok(Self { from: from.into(), moves: moves.into(), score: score.into() })
            }
            _ => Err("write FROM,MOVES,CENTIPAWNS as in 40,8,10"),
        }
    }
}

impl FromStr for ResignRule {
    type Err = &'static str;
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match numbers(text) {
            Some([moves, score]) if moves > 0 && score > 0 => {
                Ok(Self { moves: moves.into(), score: score.into() })
            }
            _ => Err("write MOVES,CENTIPAWNS as in 3,800"),
        }
    }
}

/// The end of a game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct End {
    pub(crate) outcome: Outcome,
    /// For people.
    pub(crate) how: Message,
}

impl End {
    pub(crate) fn new(outcome: Outcome, how: impl Into<Message>) -> Self {
        Self { outcome, how: how.into() }
    }
}

impl<G: Contested> Referee<G> {
    /// The end of the game, if it is over. `scores` are the engines' scores of the last plies, each for its
    /// own side, in centipawns; plies of the opening have none.
    pub(crate) fn end(&self, line: &Line<G>, scores: &[Option<i32>]) -> Option<End> {
        self.by_rules(line)
            .or_else(|| self.by_tables(line))
            .or_else(|| self.by_agreement(line, scores))
            .or_else(|| {
                let too_long = line.len() >= self.max_plies;
                too_long.then(|| End::new(Outcome::Draw, "longest game"))
            })
    }

    /// The end by the rules of the game: mate, repetition, the limit of moves.
    pub(crate) fn by_rules(&self, line: &Line<G>) -> Option<End> {
        let position = line.position();
        if let Some(outcome) = position.outcome() {
            return Some(End::new(outcome, position.how_ended()));
        }
        let judgement = G::judge(line, self.rules, Horizon::Game);
        let outcome = judgement.verdict.outcome()?;
        Some(End::new(outcome, judgement.reason.unwrap_or("by the rules on repetition")))
    }

    /// The result of which the tablebases are sure under the rules of the match, the moves so far considered.
    /// A win that the limit of moves might spoil is played out.
    fn by_tables(&self, line: &Line<G>) -> Option<End> {
        let advice = G::advise(self.tables.as_ref()?, line, &ProbeBudget::default());
        let advice = advice.filter(|advice| advice.is_sure)?;
        let side = line.position().turn();
        let outcome = match advice.wdl {
            Wdl::Win => Outcome::Win(side),
            Wdl::Draw => Outcome::Draw,
            Wdl::Loss => Outcome::Win(!side),
        };
        Some(End::new(outcome, message!("by the tables: {}", advice.moves.first()?)))
    }

    fn by_agreement(&self, line: &Line<G>, scores: &[Option<i32>]) -> Option<End> {
        if let Some(ResignRule { moves, score }) = self.resign
            && let Some(last) = last_scores(scores, moves)
        {
            // The side to move made the first of an even number of plies.
            let mover = line.position().turn();
            for (winner, first) in [(mover, 1), (!mover, -1)] {
                let mut sign = -first;
                let agreed = last.iter().all(|said| {
                    sign = -sign;
                    said.is_some_and(|said| said * sign >= score)
                });
                if agreed {
                    let loser = side_name::<G>(!winner);
                    let how = by_count(
                        moves as u64,
                        message!("resigned for {loser} after 1 move"),
                        message!("resigned for {loser} after {moves} moves"),
                    );
                    return Some(End::new(Outcome::Win(winner), how));
                }
            }
        }
        let DrawRule { from, moves, score } = self.draw?;
        let last = last_scores(scores, moves).filter(|_| line.len() >= 2 * from)?;
        let drawn = last.iter().all(|said| said.is_some_and(|said| said.abs() <= score));
        drawn.then(|| End::new(Outcome::Draw, message!("called a draw after {moves} level moves")))
    }
}

/// The scores of the last moves of both sides, that number of each; `None` where there are fewer.
fn last_scores(scores: &[Option<i32>], moves: usize) -> Option<&[Option<i32>]> {
    scores.len().checked_sub(2 * moves).map(|from| &scores[from..])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contest::one_game::centipawns;
    use crate::game::{ScoreKind, Side};
    use crate::xiangqi::Move;

    fn line(moves: &str) -> Line<Position> {
        let mut line = Line::new(Position::start(), 0);
        moves.split_whitespace().for_each(|mv| line.push(Move::parse(mv).unwrap()));
        line
    }

    fn end(referee: &Referee, moves: &str, scores: &[i32]) -> Option<Outcome> {
        let scores: Vec<_> = scores.iter().map(|&score| Some(score)).collect();
        referee.end(&line(moves), &scores).map(|end| end.outcome)
    }

    const LEVEL: &str = "h2e2 h9g7 h0g2 i9h9";

    #[test]
    fn lost_games_are_resigned_if_both_agree() {
        let referee = Referee { resign: Some("2,500".parse().unwrap()), ..Referee::default() };
        let [red, black] = Side::ALL.map(|side| Some(Outcome::Win(side)));
        assert_eq!(end(&referee, LEVEL, &[600, -700, 500, -500]), red);
        assert_eq!(end(&referee, LEVEL, &[0, 0, -600, 700, -500, 500]), black);
        assert_eq!(end(&referee, "h2e2 h9g7 h0g2", &[-700, 500, -500, 900]), red);
        for open in [&[600, -700, 500, -499][..], &[700, 700, 700, 700], &[600, -600], &[]] {
            assert_eq!(end(&referee, LEVEL, open), None);
        }
        assert_eq!(referee.end(&line(LEVEL), &[None, Some(-600), Some(600), Some(-600)]), None);
    }

    #[test]
    fn level_games_are_drawn_not_too_early() {
        let referee =
            |text: &str| Referee { draw: Some(text.parse().unwrap()), ..Referee::default() };
        let draw = Some(Outcome::Draw);
        assert_eq!(end(&referee("2,1,10"), LEVEL, &[50, 50, -10, 10]), draw);
        assert_eq!(end(&referee("2,2,10"), LEVEL, &[50, 50, -10, 10]), None);
        assert_eq!(end(&referee("3,1,10"), LEVEL, &[50, 50, -10, 10]), None);
        assert_eq!(end(&Referee { max_plies: 4, ..Referee::default() }, LEVEL, &[]), draw);
    }

    #[test]
    fn scores_beyond_all_numbers_are_decided_ones() {
        let scores = [i32::MIN, i32::MAX, i32::MIN, i32::MAX]
            .map(|score| centipawns(ScoreKind::Centipawns(score)));
        let draw = Referee { draw: Some("2,1,10".parse().unwrap()), ..Referee::default() };
        assert_eq!(end(&draw, LEVEL, &scores), None);
        let resign = Referee { resign: Some("2,500".parse().unwrap()), ..Referee::default() };
        assert_eq!(end(&resign, LEVEL, &scores), Some(Outcome::Win(Side::Second)));
    }

    #[test]
    fn rules_are_read_as_they_are_written() {
        assert_eq!("40, 8,10".parse(), Ok(DrawRule { from: 40, moves: 8, score: 10 }));
        assert_eq!("3,800".parse(), Ok(ResignRule { moves: 3, score: 800 }));
        for bad in ["", "3", "3,", "0,800", "3,0", "3,-800", "3,800,1", "x,y"] {
            assert!(bad.parse::<ResignRule>().is_err(), "{bad}");
        }
        assert!("40,0,10".parse::<DrawRule>().is_err());
    }

    #[test]
    fn repetition_is_judged_by_the_rules() {
        let there_and_back = "h2h3 h7h6 h3h2 h6h7 ".repeat(2);
        assert_eq!(end(&Referee::default(), &there_and_back, &[]), Some(Outcome::Draw));
        let mated = "h2e2 h9g7";
        assert_eq!(end(&Referee::default(), mated, &[]), None);
    }
}
