//! The verdicts of the rules on moves.

use super::answer::Answer;
use super::lookup::end_of;
use super::question::Question;
use juzhong::game::{Adjudicate, Game, Horizon, Line, MoveList, Notation, Verdict};
use juzhong::xiangqi::{Position, RuleSet};

/// The plies of a game whose repetitions are judged, at most.
const LONGEST_GAME: usize = 2_046;

/// The verdict of the rules on each move after those of `movelist`.
pub(crate) fn rules_of(line: &Line<Position>, question: &Question) -> Answer {
    let played = question.moves("movelist");
    let mut line = line.clone();
    if played.is_empty() || played.len() > LONGEST_GAME {
        return Answer::Status("invalid movelist");
    }
    for text in played {
        let mv = Position::parse_move(text).filter(|&mv| line.position().is_legal(mv));
        let Some(mv) = mv else { return Answer::Status("invalid movelist") };
        line.push(mv);
    }
    if line.position().outcome().is_some() {
        return Answer::Status(end_of(line.position()));
    }
    // One repetition is enough unless more are asked for; the board waits for two.
    let repetitions = question.get("reptimes").and_then(|text| text.parse::<u32>().ok());
    let horizon = match repetitions {
        Some(2..=10) => Horizon::Game,
        _ => Horizon::Search { root: line.len() },
    };
    let mover = line.position().turn();
    let mut moves = MoveList::new();
    line.position().legal_moves(&mut moves);
    let judged = moves.into_iter().map(|mv| {
        line.push(mv);
        let verdict = Position::judge(&line, RuleSet::default(), horizon).verdict;
        line.pop();
        (
            mv,
            match verdict {
                Verdict::Draw => "draw",
                Verdict::Loses(side) if side == mover => "ban",
                Verdict::Loses(_) | Verdict::None => "none",
            },
        )
    });
    Answer::Rules(judged.collect())
}
