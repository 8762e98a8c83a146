//! Reviews of games as they are made: server-sent events.

use std::path::PathBuf;
use std::sync::Arc;

use axum::extract::State;
use serde::{Deserialize, Serialize};

use super::engines::EngineLease;
use super::params::{ByEngine, ByRules, GameBody, InNotation, OfClient, OfGame, Params, number};
use super::problem::Problem;
use super::reply::blocking;
use super::searches::{ENGINE_QUEUE_TIME, EventStream, Outlet, SEARCH_QUEUE_TIME, streamed};
use super::state::App;
use crate::game_name::with_game;
use juzhong::answers::{Described, ScoreAnswer, move_texts, parse_rules, read_game};
use juzhong::book::Book;
use juzhong::engine::{OwnBook, Playable, TableOptions};
use juzhong::game::Side;
use juzhong::message::{Message, ToMessage};
use juzhong::record::Record;
use juzhong::review::{
    BookFinding, Certainty, ClientAnalyst, Evaluators, GameMoves, Mark, ReviewBooks, ReviewOptions,
    ReviewedMove, TurningPoint, USUAL_EFFORT, review,
};
use juzhong::search::Limits;
use juzhong::xiangqi::notation::MoveNotation;

/// Positions searched for each position of a game, usually and at most.
const USUAL: u64 = 30_000;
const MOST: u64 = 10_000_000;
/// The longest game that is reviewed, in plies.
const LONGEST: usize = 2_000;

/// The parameters of [`stream`].
#[derive(Debug, Default, Deserialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
#[serde(default)]
pub(crate) struct ReviewQuery {
    #[serde(flatten)]
    of: OfGame,
    #[serde(flatten)]
    notation: InNotation,
    #[serde(flatten)]
    by: ByRules,
    #[serde(flatten)]
    client: OfClient,
    #[serde(flatten)]
    engine: ByEngine,
    /// Positions to be looked at for each move.
    #[cfg_attr(
        feature = "schemas",
        schemars(with = "Option<u64>", range(min = 1, max = MOST), extend("default" = USUAL))
    )]
    nodes: Option<String>,
}

/// Reviews the game of the body, a JSON line. Streams the progress, then every move, then the accuracies.
pub(crate) async fn stream(
    State(app): State<Arc<App>>,
    Params(query): Params<ReviewQuery>,
    body: GameBody,
) -> Result<EventStream, Problem> {
    let game = query.of.game()?;
    let folders = app.table_folders(game);
    with_game!(game, G => started::<G>(app, query, body, folders).await)
}

/// Starts the review, with the endgame tables of these folders.
async fn started<G: Described + Playable>(
    app: Arc<App>,
    query: ReviewQuery,
    body: GameBody,
    folders: Vec<PathBuf>,
) -> Result<EventStream, Problem> {
    let nodes = number("nodes", query.nodes.as_deref(), (1, MOST))?.unwrap_or(USUAL);
    let engine = app.engines.find(query.engine.engine.as_deref())?;
    let options = ReviewOptions {
        limits: Limits::nodes(nodes),
        effort: USUAL_EFFORT,
        engine: None,
        hash_mib: app.config.hash_mib,
        threads: app.config.threads,
        tables: TableOptions { folders, ..TableOptions::default() },
        rules: parse_rules::<G>(query.by.rules.as_deref())?,
    };
    let lang = query.of.lang();
    let notation = query.notation.shown()?;
    let read = move |_: &App| Ok(read_game::<G>(body.bytes())?.record);
    let record = blocking(Arc::clone(&app), lang, read).await?;
    if record.tree.moves.len() > LONGEST {
        return Err(Problem::bad_request("the game is too long to be reviewed"));
    }
    // Before there is room: it may be the client's last review that takes it.
    let stop = app.search_of("review", query.client.name());
    if let Some(engine) = engine {
        let lease = engine.lease(ENGINE_QUEUE_TIME).await?;
        return streamed(lang, (stop, ()), move |outlet| {
            let evaluators = evaluators_of::<G>(&lease, &options, outlet)?;
            let asked = Asked { record: &record, rules: options.rules, notation };
            reviewed(&app, &asked, evaluators, outlet).map_err(Problem::internal)
        });
    }
    let permit = app.search_permit(SEARCH_QUEUE_TIME).await?;
    streamed(lang, (stop, permit), move |outlet| {
        let evaluators = Evaluators::<G>::new(&options).map_err(|error| error.message())?;
        let asked = Asked { record: &record, rules: options.rules, notation };
        reviewed(&app, &asked, evaluators, outlet)
    })
}

/// A process of an engine of the settings that evaluates; it ends with the review.
fn evaluators_of<G: Playable>(
    lease: &EngineLease,
    options: &ReviewOptions<G::Rules>,
    outlet: &Outlet,
) -> Result<Evaluators<G>, Problem> {
    let analyst = ClientAnalyst::new(lease.start(&outlet.stop)?)?;
    let evaluators = Evaluators::with_analysts(options, vec![Box::new(analyst)]);
    evaluators.map_err(|error| Problem::internal(error.message()))
}

/// A game to be reviewed.
struct Asked<'a, G: Playable> {
    record: &'a Record<G>,
    rules: G::Rules,
    notation: MoveNotation,
}

/// An event on the way: positions that are evaluated, and the number of all.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema), schemars(rename = "ReviewProgress"))]
pub(crate) struct Progress {
    done: usize,
    of: usize,
}

/// An event for each move. Scores are for the side that made it.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema), schemars(rename = "ReviewedMove"))]
pub(crate) struct Reviewed {
    best: Option<String>,
    best_text: Option<String>,
    /// The better line of a marked move, as far as it did not change any more.
    better: Vec<String>,
    /// The certainty of the mark: `proved`, `stable` or `likely`; `withdrawn` where a second look has found that the move
    /// deserves none.
    certainty: Option<&'static str>,
    /// True if a book knows the move so well that no search marks it.
    known: bool,
    /// The best moves found from the position before.
    line: Vec<String>,
    /// Of expected score, 0 to 1.
    loss: f64,
    loss_cp: u32,
    mark: Option<&'static str>,
    #[serde(rename = "move")]
    mv: String,
    /// The expected score of the first side after the move, 0 to 1.
    outlook: f64,
    /// `opening`, `middle_game` or `ending`.
    #[cfg_attr(
        feature = "schemas",
        schemars(extend("enum" = ["opening", "middle_game", "ending"]))
    )]
    phase: &'static str,
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
            better: move_texts::<G>(reviewed.better_line().unwrap_or_default()),
            certainty: reviewed.certainty.map(Certainty::name),
            known: reviewed.is_known(),
            line: move_texts::<G>(&reviewed.line),
            loss: reviewed.loss(),
            loss_cp: reviewed.centipawn_loss,
            mark: reviewed.mark.map(Mark::name),
            mv: G::move_text(reviewed.mv),
            outlook: reviewed.outlook,
            phase: reviewed.phase.name(),
            ply,
            score: reviewed.after.into(),
            source: reviewed.source.name(),
            text: position.write_move(reviewed.mv, notation),
        }
    }
}

/// The last event, or null where the review was stopped.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema), schemars(rename = "ReviewSummary"))]
pub(crate) struct Summary {
    accuracy: Accuracy,
    /// The number of the move after which the side that stands better at the end always stood better, from 1; null where
    /// there is none.
    turning_point: Option<usize>,
}

/// The accuracies of the first side and of the second, 0 to 100; null without moves.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
struct Accuracy {
    black: Option<f64>,
    red: Option<f64>,
}

fn reviewed<G: Described + Playable>(
    app: &App,
    asked: &Asked<'_, G>,
    mut evaluators: Evaluators<G>,
    outlet: &Outlet,
) -> Result<Option<Summary>, Message> {
    let Asked { record, rules, notation } = *asked;
    let start = record.start.clone().unwrap_or_else(G::start);
    let moves = &record.tree.moves;
    let books = findings::<G>(app, &start, moves)?;
    let known: Vec<bool> = books.iter().map(BookFinding::is_known).collect();
    let start_clock = record.start_clock;
    let game = GameMoves { start: &start, start_clock, moves, known: &known };
    // Every position on the way is evaluated, the last one too; second looks come on top of that.
    let of = moves.len() + 1;
    let mut done = 0;
    let values = evaluators
        .evaluate(&[game], &outlet.stop, &mut || {
            done = (done + 1).min(of);
            outlet.send("progress", &Progress { done, of });
        })
        .map_err(|error| error.message())?;
    let Some(Some(values)) = values.into_iter().next() else { return Ok(None) };
    let review = review(game, &values, &books, rules);
    let mut position = start.clone();
    for (ply, reviewed) in (1..).zip(&review.moves) {
        outlet.send("move", &Reviewed::of(ply, &position, reviewed, notation));
        position.make(reviewed.mv);
    }
    let accuracy = |side: Side| review.sides[side].accuracy;
    let accuracy = Accuracy { black: accuracy(Side::Second), red: accuracy(Side::First) };
    let turning_point = review.turning_point.map(|TurningPoint { ply, .. }| ply + 1);
    Ok(Some(Summary { accuracy, turning_point }))
}

/// The findings of the server's books about each move. A book that cannot be read any more has none.
fn findings<G: Playable>(
    app: &App,
    start: &G,
    moves: &[G::Move],
) -> Result<Vec<BookFinding<G::Move>>, Message> {
    let paths = app.books(G::NAME).map(|book| book.path.clone());
    let books = paths.filter(|path| Book::open(path).is_ok());
    let books: Vec<OwnBook> = books.map(OwnBook::from).collect();
    let books = ReviewBooks::open(&books);
    let found = books.and_then(|mut books| books.look_up_game(start, moves));
    found.map_err(|error| error.message())
}
