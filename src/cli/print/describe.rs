//! Choices, scores and results in words.

use super::terminal::Terminal;
use crate::language::{self, counts, text, word};
use juzhong::engine::{Choice, DistanceTarget, MoveSource, RootMove};
use juzhong::game::{Horizon, Line, Outcome, ScoreKind};
use juzhong::protocol::client::Thought;
use juzhong::search::Score;
use juzhong::tablebase::{Entry, Wdl};

/// Describes the source of a move and its score.
pub(crate) fn describe<G: Terminal>(choice: &Choice<G::Move>) -> String {
    let source = word(choice.source.name());
    match (&choice.table, choice.score) {
        (Some(table), _) => {
            format!("{source}{}{}", language::colon(), table_text(table))
        }
        (None, Some(score)) => text!("{source}: depth {}, {}", choice.depth, worth::<G>(score)),
        (None, None) if choice.source == MoveSource::Search => text!("no search"),
        (None, None) => source.to_owned(),
    }
}

/// Describes a foreign engine's score of its move.
pub(crate) fn describe_thought<G: Terminal>(thought: &Thought) -> String {
    let score = match thought.info.score {
        None => String::new(),
        Some((ScoreKind::Centipawns(score), _)) => {
            format!(", {:+.2}", f64::from(score) / 100.0)
        }
        Some((ScoreKind::MateIn(plies), _)) => {
            format!(", {}", G::sure_win(&counts::moves(plies.div_ceil(2))))
        }
        Some((ScoreKind::MatedIn(plies), _)) => {
            format!(", {}", G::sure_loss(&counts::moves(plies.div_ceil(2))))
        }
        Some((ScoreKind::TableWin(_), _)) => text!(", wins by tables"),
        Some((ScoreKind::TableLoss(_), _)) => text!(", loses by tables"),
    };
    text!("depth {}{score}", thought.info.depth)
}

/// The result of a move by the tablebases: its [`Display`], in the language of the program.
pub(crate) fn table_text<M>(found: &RootMove<M>) -> String {
    let Entry { wdl, order, distance } = found.entry;
    let result = word(wdl.name());
    let plies = counts::plies(distance);
    match (wdl, order) {
        (Wdl::Draw, _) => result.to_owned(),
        (_, 0) => match found.target {
            DistanceTarget::Mate => text!("{result}, mate in {plies}"),
            DistanceTarget::CaptureOrMate => text!("{result}, capture or mate in {plies}"),
            DistanceTarget::End => text!("{result} in {plies}"),
            DistanceTarget::EndAtMost => text!("{result} in at most {plies}"),
        },
        (_, order) => text!("{result} by repetition, order {order}, {plies}"),
    }
}

/// A score in words where it is more than an evaluation.
fn worth<G: Terminal>(score: Score) -> String {
    match score.kind() {
        ScoreKind::MateIn(plies) => G::sure_win(&counts::plies(plies)),
        ScoreKind::MatedIn(plies) => G::sure_loss(&counts::plies(plies)),
        ScoreKind::TableWin(plies) => text!("wins by the tables in {}", counts::plies(plies)),
        ScoreKind::TableLoss(plies) => text!("loses by the tables in {}", counts::plies(plies)),
        ScoreKind::Centipawns(value) => format!("{:+.2}", f64::from(value) / 100.0),
    }
}

/// The result of the game, if it has ended.
pub(crate) fn result_text<G: Terminal>(line: &Line<G>, rules: G::Rules) -> Option<String> {
    if let Some(outcome) = line.position().outcome() {
        let status = word(line.position().status());
        return Some(format!("{status}{}{}", language::colon(), winner_text::<G>(outcome)));
    }
    let judgement = G::judge(line, rules, Horizon::Game);
    let outcome = judgement.verdict.outcome()?;
    let reason = judgement.reason.unwrap_or("by the rules on repetition");
    Some(format!("{}{}{}", word(reason), language::colon(), winner_text::<G>(outcome)))
}

fn winner_text<G: Terminal>(outcome: Outcome) -> String {
    match outcome {
        Outcome::Win(side) => text!("{} wins", word(G::side_name(side))),
        Outcome::Draw => word("draw").to_owned(),
    }
}
