//! A review as a JSON object.

use serde_json::{Value, json};

use super::super::line_args::NotationArgs;
use super::Reviewed;
use super::annotated::Reviewable;
use juzhong::answers::line_texts;
use juzhong::game::{ScoreKind, Side};
use juzhong::review::{
    BookExit, BookShare, GameReview, Mark, ReviewedMove, SideSummary, TableLoss, TableTruth,
};
use juzhong::search::Score;
use juzhong::tablebase::Entry;

/// The object of a game; with `only_marked`, of its moves those that have a mark.
pub(crate) fn answer<G: Reviewable>(
    reviewed: &Reviewed<'_, G>,
    notation: NotationArgs,
    only_marked: bool,
) -> Value {
    let Reviewed { game, review, opening } = reviewed;
    let tag = |name| game.record.tag(name).filter(|value| !value.is_empty());
    let mut position = game.start.clone();
    let mut moves = Vec::new();
    let mut exit = Value::Null;
    for (ply, reviewed) in review.moves.iter().enumerate() {
        if let Some(of) = review.book_exit.as_ref().filter(|of| of.ply == ply) {
            exit = exit_answer(of, reviewed.mv, &position, notation);
        }
        if !only_marked || reviewed.mark.is_some() {
            moves.push(move_answer(ply, reviewed, &position, notation));
        }
        position.make(reviewed.mv);
    }
    let GameReview { sides, .. } = review;
    let [first, second] = Side::ALL.map(name::<G>);
    let [first_player, second_player] = [&first, &second].map(|side| format!("{side}_player"));
    json!({
        "schema": "juzhong.review/1",
        "place": game.place,
        "game": game.number,
        first_player: tag(&first),
        second_player: tag(&second),
        "event": tag("Event"),
        "date": tag("Date"),
        "result": game.record.result.map(|result| result.to_string()),
        "fen": game.start.to_fen(),
        G::CODE_MEMBER: opening.map(|opening| opening.code.to_string()),
        "name": opening.map(|opening| opening.name),
        "name_en": opening.map(|opening| opening.english_name()),
        "left_book": exit,
        "moves": moves,
        first: side_answer(&sides.first),
        second: side_answer(&sides.second),
    })
}

/// The name of a side in answers: `red`.
fn name<G: Reviewable>(side: Side) -> String {
    G::side_name(side).to_ascii_lowercase()
}

fn exit_answer<G: Reviewable>(
    exit: &BookExit<G::Move>,
    played: G::Move,
    position: &G,
    notation: NotationArgs,
) -> Value {
    let mut answer = json!({
        "ply": exit.ply + 1,
        "move": G::move_text(played),
        "book_move": exit.choice.map(|(mv, _)| G::move_text(mv)),
        "book": exit.choice.map(|(_, share)| share_answer(share)),
    });
    if let Some(notation) = notation.asked() {
        answer["text"] = position.write_move(played, notation).into();
        answer["book_text"] = exit.choice.map(|(mv, _)| position.write_move(mv, notation)).into();
    }
    answer
}

fn move_answer<G: Reviewable>(
    ply: usize,
    reviewed: &ReviewedMove<G::Move>,
    position: &G,
    notation: NotationArgs,
) -> Value {
    let line: Vec<String> = reviewed.line.iter().map(|&mv| G::move_text(mv)).collect();
    let mut answer = json!({
        "ply": ply + 1,
        "side": name::<G>(reviewed.side),
        "move": G::move_text(reviewed.mv),
        "source": reviewed.source.name(),
        "book": reviewed.book.map(share_answer),
        "table": reviewed.truth.map(truth_answer),
        "before": score_answer(reviewed.before, reviewed.expected_before),
        "after": score_answer(reviewed.after, reviewed.expected_after),
        "loss": rounded(reviewed.loss()),
        "loss_cp": reviewed.centipawn_loss,
        "accuracy": of_hundred(reviewed.accuracy),
        "mark": reviewed.mark.map(Mark::name),
        "only_move": reviewed.is_only,
        "line": line,
        "depth": reviewed.depth,
        "nodes": reviewed.nodes,
    });
    if let Some(notation) = notation.asked() {
        answer["text"] = position.write_move(reviewed.mv, notation).into();
        let texts = line_texts(position, reviewed.line.iter().copied(), notation);
        answer["line_text"] = texts.join(" ").into();
    }
    answer
}

/// Four digits after the point.
fn rounded(value: f64) -> f64 {
    (value * 1e4).round() / 1e4
}

/// Two digits after the point.
fn of_hundred(value: f64) -> f64 {
    (value * 1e2).round() / 1e2
}

fn share_answer(share: BookShare) -> Value {
    json!({
        "games": share.games,
        "share": rounded(share.share),
        "score": share.score.map(rounded),
    })
}

fn truth_answer(truth: TableTruth) -> Value {
    let value = |Entry { wdl, order, distance }: Entry| json!({"value": wdl.name(), "order": order, "distance": distance});
    json!({
        "before": value(truth.before),
        "after": value(truth.after),
        "loss": truth.loss().map(TableLoss::name),
    })
}

/// A score for the side that moves: centipawns, moves to mate or a result by tables; two of them are null.
fn score_answer(score: Score, expected: f64) -> Value {
    let moves = |plies: u32| i64::from(plies.div_ceil(2));
    let (cp, mate, table) = match score.kind() {
        ScoreKind::Centipawns(value) => (Some(value), None, None),
        ScoreKind::MateIn(plies) => (None, Some(moves(plies)), None),
        ScoreKind::MatedIn(plies) => (None, Some(-moves(plies)), None),
        ScoreKind::TableWin(_) => (None, None, Some("win")),
        ScoreKind::TableLoss(_) => (None, None, Some("loss")),
    };
    json!({"score_cp": cp, "mate": mate, "table": table, "expected": rounded(expected)})
}

fn side_answer(side: &SideSummary) -> Value {
    let [inaccuracies, mistakes, blunders] = side.marks;
    json!({
        "moves": side.moves,
        "accuracy": side.accuracy.map(of_hundred),
        "mean_loss_cp": side.centipawn_loss.map(rounded),
        "inaccuracies": inaccuracies,
        "mistakes": mistakes,
        "blunders": blunders,
    })
}
