//! The answers to questions, from what the tables and books here know.

use super::action::{Action, MoveQuery};
use super::answer::Answer;
use super::known::{Known, known_moves, rank};
use super::question::Question;
use super::rules::rules_of;
use crate::web::problem::Problem;
use crate::web::state::App;
use juzhong::answers::LineRequest;
use juzhong::game::{Game, Notation};
use juzhong::xiangqi::{Move, Position};

/// The plies of a line, at most.
const LONGEST_LINE: usize = 60;

/// Answers a question from the books and tables of the server.
///
/// # Errors
///
/// The books or tables cannot be read. A fault of the question is an answer.
pub(crate) fn answer_to(app: &App, question: &Question) -> Result<Answer, Problem> {
    let Some(action) = question.get("action") else { return Ok(Answer::INVALID) };
    let Some(board) = question.get("board") else { return Ok(Answer::INVALID) };
    let request = LineRequest { fen: Some(board.to_owned()), ..LineRequest::default() };
    let Ok(typed) = request.read::<Position>() else { return Ok(Answer::Status("invalid board")) };
    let position = typed.line.position();
    // A board that cannot be read is named before an action that there is not.
    let Some(action) = Action::named(action) else { return Ok(Answer::INVALID) };
    match action {
        Action::Moves(query) => ask(app, question, query, position),
        Action::Rules => Ok(rules_of(&typed.line, question)),
        Action::Queue => Ok(Answer::Status("ok")),
        Action::Store => Ok(stored(position, question)),
    }
}

/// The answer to a question about moves that are known.
fn ask(
    app: &App,
    question: &Question,
    query: MoveQuery,
    position: &Position,
) -> Result<Answer, Problem> {
    if query.is_of_scores() && position.outcome().is_some() {
        return Ok(Answer::Status(end_of(position)));
    }
    let mut known = known_moves(app, position)?;
    let banned = question.moves("ban");
    if !banned.is_empty() {
        known.retain(|known| !banned.contains(&known.mv.to_string().as_str()));
        rank(&mut known);
    }
    let Some(&Known { mv, score, .. }) = known.first() else {
        return Ok(Answer::Status(if query.is_of_scores() { "unknown" } else { "nobestmove" }));
    };
    Ok(match query {
        MoveQuery::All => Answer::All(known),
        MoveQuery::Score => Answer::Score(score),
        MoveQuery::Line => best_line(app, position.clone(), mv, score)?,
        MoveQuery::Best => Answer::Best(mv),
        MoveQuery::Equals => match known.iter().filter(|known| known.rank == 2).count() {
            1 => Answer::Best(mv),
            // Moves are sorted by score, so that those of rank 2 come first.
            count => Answer::Search(known[..count].iter().map(|known| known.mv).collect()),
        },
    })
}

/// The word for the end of a game.
pub(crate) fn end_of(position: &Position) -> &'static str {
    if position.in_check() { "checkmate" } else { "stalemate" }
}

/// The acknowledgement of a move that is to be stored or queued: nothing is, for books are edited in other ways. What
/// has a score needs a token, which nobody has.
fn stored(position: &Position, question: &Question) -> Answer {
    match question.moves("move").first() {
        Some(mv) if !is_legal(position, mv) => Answer::INVALID,
        Some(_) if question.get("score").is_some() => Answer::Status("tokenerror"),
        _ => Answer::Status("ok"),
    }
}

/// Returns true if a text is a move that is legal in a position.
fn is_legal(position: &Position, text: &str) -> bool {
    Position::parse_move(text).is_some_and(|mv| position.is_legal(mv))
}

/// The best moves one after the other, as far as they are known.
fn best_line(app: &App, mut position: Position, mv: Move, score: i64) -> Result<Answer, Problem> {
    let mut moves = vec![mv];
    let mut seen = vec![position.key()];
    position.make(mv);
    while moves.len() < LONGEST_LINE && !seen.contains(&position.key()) {
        seen.push(position.key());
        let Some(best) = known_moves(app, &position)?.into_iter().next() else { break };
        moves.push(best.mv);
        position.make(best.mv);
    }
    Ok(Answer::Line { score, moves })
}
