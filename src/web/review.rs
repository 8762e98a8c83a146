//! Reviews of games as they are made: server-sent events.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use serde::{Deserialize, Serialize};

use super::blocking;
use super::games::game_of;
use super::params::{ByRules, GameBody, InNotation, OfGame, Params, number};
use super::problem::Problem;
use super::searches::{EventStream, Outlet, ScoreAnswer, streamed};
use super::state::App;
use crate::game_name::GameName;
use juzhong::answers::{Described, move_texts, parse_rules};
use juzhong::book::Book;
use juzhong::engine::{OwnBook, Playable, TableOptions};
use juzhong::game::Side;
use juzhong::gomoku::Board;
use juzhong::message::{Message, ToMessage};
use juzhong::record::Record;
use juzhong::review::{
    BookFinding, Evaluators, GameMoves, Mark, ReviewBooks, ReviewOptions, ReviewedMove, review,
};
use juzhong::search::Limits;
use juzhong::xiangqi::Position;
use juzhong::xiangqi::notation::MoveNotation;

/// Positions searched for each position of a game, usually and at most.
const USUAL: u64 = 30_000;
const MOST: u64 = 10_000_000;
/// The time that a review waits for searches to end.
const PATIENCE: Duration = Duration::from_secs(1);
/// The longest game that is reviewed, in plies.
const LONGEST: usize = 2_000;

/// The parameters of [`stream`].
#[derive(Debug, Default, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
pub(crate) struct ReviewQuery {
    #[serde(flatten)]
    of: OfGame,
    #[serde(flatten)]
    notation: InNotation,
    #[serde(flatten)]
    by: ByRules,
    client: Option<String>,
    nodes: Option<String>,
}

/// Reviews the game of the body, a JSON line. Streams the progress, then every move, then the accuracies.
pub(crate) async fn stream(
    State(app): State<Arc<App>>,
    Params(query): Params<ReviewQuery>,
    body: GameBody,
) -> Result<EventStream, Problem> {
    let folders = app.table_folders();
    match query.of.game()? {
        GameName::Xiangqi => started::<Position>(app, query, body, folders).await,
        GameName::Gomoku => started::<Board>(app, query, body, Vec::new()).await,
    }
}

/// Starts the review, with the endgame tables of these folders.
async fn started<G: Described + Playable>(
    app: Arc<App>,
    query: ReviewQuery,
    body: GameBody,
    folders: Vec<PathBuf>,
) -> Result<EventStream, Problem> {
    let nodes = number("nodes", query.nodes.as_deref(), (1, MOST))?.unwrap_or(USUAL);
    let options = ReviewOptions {
        limits: Limits::nodes(nodes),
        hash_mib: app.config.hash_mib,
        threads: app.config.threads,
        tables: TableOptions { folders, ..TableOptions::default() },
        rules: parse_rules::<G>(query.by.rules.as_deref())?,
    };
    let (lang, notation) = (query.of.lang(), query.notation.shown()?);
    let read = move |_: &App| game_of::<G>(body.bytes()).map(|game| game.record);
    let record = blocking(Arc::clone(&app), lang, read).await?;
    if record.tree.moves.len() > LONGEST {
        return Err(Problem::bad_request("the game is too long to be reviewed"));
    }
    // Before there is room: it may be the client's last review that takes it.
    let stop = app.search_of("review", query.client.as_deref());
    let permit = app.search_permit(PATIENCE).await?;
    streamed(lang, (stop, permit), move |outlet| {
        reviewed(&app, &record, &options, notation, outlet)
    })
}

/// An event on the way: positions that are evaluated, of so many.
#[derive(Debug, Serialize)]
struct Progress {
    done: usize,
    of: usize,
}

/// An event for each move. Scores are for the side that made it.
#[derive(Debug, Serialize)]
struct Reviewed {
    best: Option<String>,
    best_text: Option<String>,
    /// The best moves found from the position before.
    line: Vec<String>,
    /// Of expected score, 0 to 1.
    loss: f64,
    loss_cp: u32,
    mark: Option<&'static str>,
    #[serde(rename = "move")]
    mv: String,
    /// From 1.
    ply: usize,
    score: ScoreAnswer,
    source: &'static str,
    text: String,
}

impl Reviewed {
    /// The event of a move of `position`.
    fn of<G: Described>(
        ply: usize,
        position: &G,
        reviewed: &ReviewedMove<G::Move>,
        notation: MoveNotation,
    ) -> Self {
        let best = reviewed.line.first().copied();
        Self {
            best: best.map(G::move_text),
            best_text: best.map(|best| position.write_move(best, notation)),
            line: move_texts::<G>(&reviewed.line),
            loss: reviewed.loss(),
            loss_cp: reviewed.centipawn_loss,
            mark: reviewed.mark.map(Mark::name),
            mv: G::move_text(reviewed.mv),
            ply,
            score: reviewed.after.into(),
            source: reviewed.source.name(),
            text: position.write_move(reviewed.mv, notation),
        }
    }
}

/// The last event, or null where the review was stopped.
#[derive(Debug, Serialize)]
struct Summary {
    accuracy: Accuracy,
}

/// The accuracies of the first side and of the second, 0 to 100; null without moves.
#[derive(Debug, Serialize)]
struct Accuracy {
    black: Option<f64>,
    red: Option<f64>,
}

fn reviewed<G: Described + Playable>(
    app: &App,
    record: &Record<G>,
    options: &ReviewOptions<G::Rules>,
    notation: MoveNotation,
    outlet: &Outlet,
) -> Result<Option<Summary>, Message> {
    let start = record.start.clone().unwrap_or_else(G::start);
    let moves = &record.tree.moves;
    let books = findings::<G>(app, &start, moves)?;
    let mut evaluators = Evaluators::<G>::new(options).map_err(|error| error.message())?;
    let game = GameMoves { start: &start, start_clock: record.start_clock, moves };
    // Every position on the way is evaluated, the last one too.
    let (mut done, of) = (0, moves.len() + 1);
    let values = evaluators
        .evaluate(&[game], &outlet.stop, &mut || {
            done = (done + 1).min(of);
            outlet.send("progress", &Progress { done, of });
        })
        .map_err(|error| error.message())?;
    let Some(Some(values)) = values.into_iter().next() else { return Ok(None) };
    let review = review(game, &values, &books, options.rules);
    let mut position = start.clone();
    for (ply, reviewed) in (1..).zip(&review.moves) {
        outlet.send("move", &Reviewed::of(ply, &position, reviewed, notation));
        position.make(reviewed.mv);
    }
    let accuracy = |side: Side| review.sides[side].accuracy;
    let accuracy = Accuracy { black: accuracy(Side::Second), red: accuracy(Side::First) };
    Ok(Some(Summary { accuracy }))
}

/// The findings of the server's books about each move. A book that cannot be read any more has none.
fn findings<G: Playable>(
    app: &App,
    start: &G,
    moves: &[G::Move],
) -> Result<Vec<BookFinding<G::Move>>, Message> {
    let paths = app.books(G::NAME).map(|book| &book.path);
    let books = paths.filter(|path| Book::open(path).is_ok());
    let books: Vec<OwnBook> = books.map(|path| OwnBook::from(path.clone())).collect();
    let books = ReviewBooks::open(&books);
    let found = books.and_then(|mut books| books.look_up_game(start, moves));
    found.map_err(|error| error.message())
}
