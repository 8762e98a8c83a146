//! The certain losses of a review in words.

use crate::language::text;
use juzhong::game::ScoreKind;
use juzhong::review::{ReviewedMove, TableLoss, TableTruth};
use juzhong::tablebase::Wdl;

/// The certain part of a loss in words: by tables, by the rules, by a mate.
pub(crate) fn loss_text<M: Copy + PartialEq>(reviewed: &ReviewedMove<M>) -> Option<String> {
    match reviewed.truth {
        Some(truth) => table_text(reviewed, truth),
        None => reviewed.mark.and_then(|_| end_text(reviewed)),
    }
}

/// The loss by the truth of the tables, if there is one.
fn table_text<M>(reviewed: &ReviewedMove<M>, truth: TableTruth) -> Option<String> {
    let loss = truth.loss()?;
    let after = match truth.after.wdl {
        Wdl::Loss => text!("now it is lost"),
        _ => text!("now it is a draw"),
    };
    let name = reviewed.endgame.as_deref();
    let plies = truth.before.distance;
    Some(match (loss, name) {
        (TableLoss::WinLetGo, Some(name)) if truth.before.order == 0 && plies > 0 => {
            text!("Throws away a won ending: {name}, win in {plies} plies; {after}.")
        }
        (TableLoss::WinLetGo, Some(name)) => text!("Throws away a won ending: {name}; {after}."),
        (TableLoss::WinLetGo, None) => text!("Throws away a won ending; {after}."),
        (TableLoss::DrawLost, Some(name)) => text!("Throws away a drawn ending: {name}; {after}."),
        (TableLoss::DrawLost, None) => text!("Throws away a drawn ending; {after}."),
        (TableLoss::LongerWin(0), _) => text!("The win takes longer."),
        (TableLoss::LongerWin(1), _) => text!("The win takes 1 ply longer."),
        (TableLoss::LongerWin(plies), _) => text!("The win takes {plies} plies longer."),
        (TableLoss::SoonerLoss(0), _) => text!("The loss comes sooner."),
        (TableLoss::SoonerLoss(1), _) => text!("The loss comes 1 ply sooner."),
        (TableLoss::SoonerLoss(plies), _) => text!("The loss comes {plies} plies sooner."),
    })
}

/// The end of the game by the rules, or the mate that a marked move allows or misses.
fn end_text<M: Copy + PartialEq>(reviewed: &ReviewedMove<M>) -> Option<String> {
    let (from, to) = match &reviewed.look {
        Some(look) => (look.other.score, look.played.score),
        None => (reviewed.before, reviewed.after),
    };
    match (from.kind(), to.kind()) {
        (_, ScoreKind::MatedIn(_)) if reviewed.is_end_by_rule => {
            Some(text!("Loses at once by the rules on repetition."))
        }
        _ if reviewed.is_end_by_rule => Some(text!("A draw at once by the rules.")),
        (_, ScoreKind::MatedIn(plies)) if plies > 0 => {
            let moves = plies.div_ceil(2);
            Some(text!("Allows mate in {moves}."))
        }
        (ScoreKind::MateIn(plies), _) if plies > 0 => {
            let moves = plies.div_ceil(2);
            Some(text!("Misses mate in {moves}."))
        }
        _ => None,
    }
}
