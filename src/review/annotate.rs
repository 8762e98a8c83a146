//! A review written into the record of its game.

use std::collections::BTreeMap;

use super::game_review::{GameReview, ReviewedMove};
use crate::game::{Game, ScoreKind, Side};
use crate::record::{MAX_PARTS, Record, Tree, Variation};
use crate::search::Score;

/// A record with the findings of a review.
#[derive(Debug, Clone)]
pub struct Annotated<G: Game> {
    /// The record with more comments and variations.
    pub record: Record<G>,
    /// Numeric annotation glyphs of moves of the main line, by their indices.
    pub nags: BTreeMap<usize, u8>,
}

/// Parts of a record that stay free for what a reader counts otherwise.
const SPARE_PARTS: usize = 1_000;

/// The text that is said of the move of a ply, if any.
pub type Comment<'a, G> = dyn Fn(usize, &ReviewedMove<<G as Game>::Move>) -> Option<String> + 'a;

/// Adds the findings of a review to the record of the game: after each move a comment with its evaluation from the
/// first side's view (`[%eval 0.34]`, mates as `[%eval #3]`) and the text that `comment` has for it, glyphs of marks,
/// and each better line, as far as it did not change any more, as a variation with its evaluation. `preface` is a
/// comment before the first move. What the record had before stays, in front; where it has nearly as many parts as
/// readers accept, less is added.
#[must_use]
pub fn annotate<G: Game>(
    record: &Record<G>,
    review: &GameReview<G::Move>,
    preface: Option<String>,
    comment: &Comment<'_, G>,
) -> Annotated<G> {
    let mut record = record.clone();
    drop_evals(&mut record.tree);
    let mut left = MAX_PARTS.saturating_sub(SPARE_PARTS + parts(&record));
    let mut added: Vec<(usize, String)> = preface.map(|text| (0, text)).into_iter().collect();
    let mut nags = BTreeMap::new();
    for (ply, reviewed) in review.moves.iter().enumerate() {
        nags.extend(reviewed.mark.map(|mark| (ply, mark.nag())));
        let better = reviewed.better_line();
        if left < 3 {
            continue;
        }
        left = left.saturating_sub(1 + 2 * usize::from(better.is_some()));
        let eval = eval_command(of_first_side(reviewed.after, reviewed.side));
        let text: Vec<String> = eval.into_iter().chain(comment(ply, reviewed)).collect();
        if !text.is_empty() {
            added.push((ply + 1, text.join(" ")));
        }
        let better = better.filter(|moves| {
            let mut there = record.tree.variations.iter().filter(|variation| variation.ply == ply);
            !there.any(|variation| variation.tree.moves.first() == moves.first())
        });
        let value = eval_command(of_first_side(reviewed.better_score(), reviewed.side));
        record.tree.variations.extend(better.map(|moves| Variation {
            ply,
            tree: Tree {
                moves: moves.to_vec(),
                comments: value.map(|value| (1, value)).into_iter().collect(),
                ..Tree::default()
            },
        }));
    }
    let comments = &mut record.tree.comments;
    // Of an earlier review of the same game.
    comments.retain(|old| {
        !added.iter().any(|(ply, new)| {
            *ply == old.0
                && (*new == old.1 || new.split_once("] ").is_some_and(|(_, text)| text == old.1))
        })
    });
    comments.extend(added);
    comments.sort_by_key(|(ply, _)| *ply);
    Annotated { record, nags }
}

/// Removes evaluations from the comments of the game's own moves, and the comments that had nothing else.
fn drop_evals<G: Game>(tree: &mut Tree<G>) {
    for (_, comment) in &mut tree.comments {
        while let Some(from) = comment.find("[%eval ") {
            let Some(length) = comment[from..].find(']') else { break };
            comment.replace_range(from..=from + length, "");
            *comment = comment.trim().to_owned();
        }
    }
    tree.comments.retain(|(_, comment)| !comment.is_empty());
}

/// The number of tags, comments and variations of a record.
fn parts<G: Game>(record: &Record<G>) -> usize {
    let of_trees = record.tree.with_variations();
    let of_trees = of_trees.map(|tree| tree.comments.len() + tree.variations.len());
    record.tags.len() + of_trees.sum::<usize>()
}

/// A score of `side` from the first side's view.
fn of_first_side(score: Score, side: Side) -> Score {
    match side {
        Side::First => score,
        Side::Second => -score,
    }
}

/// The evaluation as a command of a PGN comment, as lichess writes it; `None` for an early verdict, which no file
/// should keep.
fn eval_command(score: Score) -> Option<String> {
    if score.is_early() {
        return None;
    }
    Some(match score.kind() {
        ScoreKind::MateIn(plies) => format!("[%eval #{}]", plies.div_ceil(2)),
        ScoreKind::MatedIn(plies) => format!("[%eval #-{}]", plies.div_ceil(2)),
        _ => format!("[%eval {:.2}]", f64::from(score.value()) / 100.0),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn evaluations_are_commands() {
        for (score, command) in [
            (Score::from_eval(-34), "[%eval -0.34]"),
            (Score::mate_in(5), "[%eval #3]"),
            (Score::mated_in(4), "[%eval #-2]"),
        ] {
            assert_eq!(eval_command(score).as_deref(), Some(command));
        }
        assert_eq!(eval_command(Score::early_win(5)), None);
        assert_eq!(of_first_side(Score::mate_in(5), Side::Second), Score::mated_in(5));
    }
}
