//! Reviews of games as they are made: server-sent events.

use std::path::PathBuf;
use std::sync::Arc;

use axum::extract::State;
use serde::{Deserialize, Serialize};

use super::engines::EngineLease;
use super::params::{
    ClientParam, EngineParam, EvaluationParam, GameBody, GameParam, NotationParam, Params,
    RulesParam, number,
};
use super::problem::Problem;
use super::reply::blocking;
use super::searches::{ENGINE_QUEUE_TIME, EventStream, Outlet, SEARCH_QUEUE_TIME, streamed};
use super::state::App;
use crate::game_name::with_game;
use crate::loss_text::loss_text;
use juzhong::answers::{
    Described, LeftBook, MoveReview, NamedSides, ReviewAnswer, ReviewedGame, ScoreAnswer,
    SideReview, TurningPointAnswer, line_texts, parse_rules, read_game,
};
use juzhong::book::Book;
use juzhong::book::opening::Named;
use juzhong::engine::{OwnBook, Playable, TableOptions};
use juzhong::game::Side;
use juzhong::message::{Message, ToMessage};
use juzhong::record::Record;
use juzhong::review::{
    BookFinding, ClientAnalyst, EvaluationStep, Evaluators, GameMoves, GameValues, ReviewBooks,
    ReviewOptions, ReviewedMove, USUAL_EFFORT, Valuation, review,
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
    of: GameParam,
    #[serde(flatten)]
    notation: NotationParam,
    #[serde(flatten)]
    by: RulesParam,
    #[serde(flatten)]
    client: ClientParam,
    #[serde(flatten)]
    engine: EngineParam,
    #[serde(flatten)]
    evaluation: EvaluationParam,
    /// Positions to be looked at for each move.
    #[cfg_attr(
        feature = "schemas",
        schemars(with = "Option<u64>", range(min = 1, max = MOST), extend("default" = USUAL))
    )]
    nodes: Option<String>,
}

/// Reviews the game of the body, a JSON line. Streams the progress and the values of positions, then every move, then the
/// sums.
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
async fn started<G: Described + Named + Playable>(
    app: Arc<App>,
    query: ReviewQuery,
    body: GameBody,
    folders: Vec<PathBuf>,
) -> Result<EventStream, Problem> {
    let nodes = number("nodes", query.nodes.as_deref(), (1, MOST))?.unwrap_or(USUAL);
    let engine = app.engines.find_for(query.of.game()?, query.engine.engine.as_deref())?;
    let evaluation = query.evaluation.read(engine.is_none(), app.config.evaluation)?;
    let options = ReviewOptions {
        limits: Limits::nodes(nodes),
        effort: USUAL_EFFORT,
        engine: None,
        hash_mib: app.config.hash_mib,
        evaluation,
        threads: app.config.threads,
        tables: TableOptions { folders, ..TableOptions::default() },
        rules: parse_rules::<G>(query.by.rules.as_deref())?,
    };
    let lang = query.of.lang();
    let notation = query.notation.shown()?;
    let record =
        blocking(Arc::clone(&app), lang, move |_| Ok(read_game::<G>(body.bytes())?.record)).await?;
    if record.tree.moves.len() > LONGEST {
        return Err(Problem::bad_request("the game is too long to be reviewed"));
    }
    // Before there is room: it may be the client's last review that takes it.
    let stop = app.search_of("review", query.client.name());
    if let Some(engine) = engine {
        let lease = engine.lease(ENGINE_QUEUE_TIME).await?;
        return streamed(lang, (stop, ()), move |outlet| {
            let evaluators = evaluators_of::<G>(&lease, &options, outlet)?;
            let job = ReviewJob { record: &record, rules: options.rules, notation };
            reviewed(&app, &job, evaluators, outlet).map_err(Problem::internal)
        });
    }
    let permit = app.search_permit(SEARCH_QUEUE_TIME).await?;
    streamed(lang, (stop, permit), move |outlet| {
        let evaluators = Evaluators::<G>::new(&options).map_err(|error| error.message())?;
        let job = ReviewJob { record: &record, rules: options.rules, notation };
        reviewed(&app, &job, evaluators, outlet)
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
struct ReviewJob<'a, G: Playable> {
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

/// An event for each position as it is evaluated, in no fixed order; the last word on a move is that of its own event.
#[derive(Debug, Serialize)]
#[cfg_attr(
    feature = "schemas",
    derive(schemars::JsonSchema),
    schemars(rename = "ReviewedPosition")
)]
pub(crate) struct Evaluated {
    /// The expected score of the first side, 0 to 1.
    outlook: f64,
    /// Plies before the position.
    ply: usize,
    /// For the first side.
    score: ScoreAnswer,
}

/// An event for each move. Scores are for the side that made it.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema), schemars(rename = "ReviewedMove"))]
pub(crate) struct Reviewed {
    best: Option<String>,
    best_text: Option<String>,
    /// The better line in the notation that was asked for, a text for each move.
    better_texts: Vec<String>,
    /// True if a book knows the move so well that no search marks it.
    known: bool,
    /// The members that `review --json` has for the move.
    #[serde(flatten)]
    review: MoveReview,
    score: ScoreAnswer,
    /// The loss by tables, by the rules or by a mate, in words.
    words: Option<String>,
}

impl Reviewed {
    /// The event of a move of `position`.
    fn of<G: Described>(
        position: &G,
        reviewed: &ReviewedMove<G::Move>,
        review: MoveReview,
        notation: MoveNotation,
    ) -> Self {
        let best = reviewed.line.first().copied();
        let better = reviewed.better_line().unwrap_or_default();
        Self {
            best: best.map(G::move_text),
            best_text: best.map(|best| position.write_move(best, notation)),
            better_texts: line_texts(position, better.iter().copied(), notation),
            known: reviewed.is_known(),
            review,
            score: reviewed.after.into(),
            words: loss_text(reviewed),
        }
    }
}

/// The last event, or null where the review was stopped.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema), schemars(rename = "ReviewSummary"))]
pub(crate) struct Summary {
    accuracy: Accuracy,
    /// The move that decided the game; null where there is none.
    decided: Option<TurningPointAnswer>,
    /// The place where the game left the books.
    left_book: Option<LeftBook>,
    sides: Sides,
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

/// The sums of both sides.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema), schemars(rename = "ReviewedSides"))]
struct Sides {
    first: SideReview,
    second: SideReview,
}

impl From<NamedSides<SideReview>> for Sides {
    fn from(sides: NamedSides<SideReview>) -> Self {
        match sides {
            NamedSides::RedAndBlack { red: first, black: second }
            | NamedSides::BlackAndWhite { black: first, white: second } => Self { first, second },
        }
    }
}

fn reviewed<G: Described + Named + Playable>(
    app: &App,
    job: &ReviewJob<'_, G>,
    mut evaluators: Evaluators<G>,
    outlet: &Outlet,
) -> Result<Option<Summary>, Message> {
    let ReviewJob { record, rules, notation } = *job;
    let start = record.start.clone().unwrap_or_else(G::start);
    let moves = &record.tree.moves;
    let books = findings::<G>(app, &start, moves)?;
    let known: Vec<bool> = books.iter().map(BookFinding::is_known).collect();
    let start_clock = record.start_clock;
    let game = GameMoves { start: &start, start_clock, moves, known: &known };
    let Some(values) = evaluated(game, &mut evaluators, outlet)? else { return Ok(None) };
    let review = review(game, &values, &books, rules);
    let (place, number, opening) = ("", 1, None);
    let of = ReviewedGame { place, number, record, start: &start, review: &review, opening };
    let answer = ReviewAnswer::of(&of, Some(notation), false);
    let mut position = start.clone();
    for (reviewed, of_move) in review.moves.iter().zip(answer.moves) {
        outlet.send("move", &Reviewed::of(&position, reviewed, of_move, notation));
        position.make(reviewed.mv);
    }
    Ok(Some(Summary {
        accuracy: Accuracy {
            black: review.sides[Side::Second].accuracy,
            red: review.sides[Side::First].accuracy,
        },
        turning_point: answer.turning_point.as_ref().map(|point| point.ply),
        decided: answer.turning_point,
        left_book: answer.left_book,
        sides: answer.sides.into(),
    }))
}

/// The values of the positions of a game, each of which is an event; `None` if the review was stopped.
fn evaluated<G: Playable>(
    game: GameMoves<'_, G>,
    evaluators: &mut Evaluators<G>,
    outlet: &Outlet,
) -> Result<Option<GameValues<G>>, Message> {
    let views = views(game);
    // Every position on the way is evaluated, the last one too; second looks come on top of that.
    let of = game.moves.len() + 1;
    let mut done = 0;
    let values = evaluators
        .evaluate_in_steps(&[game], &outlet.stop, &mut |step| {
            done = (done + 1).min(of);
            outlet.send("progress", &Progress { done, of });
            if let EvaluationStep::Position { ply, value, .. } = step
                && let Some(&view) = views.get(ply)
            {
                outlet.offer("value", &Evaluated::of::<G>(ply, value.valuation(), view));
            }
        })
        .map_err(|error| error.message())?;
    Ok(values.into_iter().next().flatten())
}

/// The side to move in each position of a game, and the material that is left.
fn views<G: Playable>(game: GameMoves<'_, G>) -> Vec<(Side, i32)> {
    let mut position = game.start.clone();
    let mut views = vec![(position.turn(), position.phase())];
    for &mv in game.moves {
        position.make(mv);
        views.push((position.turn(), position.phase()));
    }
    views
}

impl Evaluated {
    /// The event of a position, by its value for the side to move.
    fn of<G: Playable>(ply: usize, value: Valuation, (turn, phase): (Side, i32)) -> Self {
        let value = if turn == Side::First { value } else { -value };
        let outlook = value.expected(phase, &G::WIN_MODEL);
        Self { outlook, ply, score: value.score.into() }
    }
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
