//! Exercises: those that are due, and the answers to them.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::extract::State;
use serde::{Deserialize, Serialize};

use super::examiners::{KeptExaminer, PreparedExaminer};
use super::params::{
    ClientParam, Common, GameParam, JsonBody, LanguageParam, NotationParam, Params, RulesParam,
    number,
};
use super::problem::Problem;
use super::reply::{Answer, reply};
use super::searches::{Quiet, SEARCH_QUEUE_TIME};
use super::state::App;
use crate::game_name::{GameName, with_game};
use crate::language::error_messages::in_full;
use crate::today::today;
use juzhong::answers::{AnswerError, Described, DueExercise, TrainVerdict, parse_rules};
use juzhong::engine::{EngineOptions, Playable, TableOptions};
use juzhong::message::ToMessage;
use juzhong::review::ReviewBooks;
use juzhong::train::{
    Accepted, Added, Collection, Day, Examined, Examiner, Exercise, Grade, Kind, MAX_ACCEPTED,
    MAX_LINE, MAX_PLIES, Opened, TrainError,
};

/// Exercises of a page, at most and usually.
const LONGEST_PAGE: usize = 100;
const USUAL_PAGE: usize = 20;
/// Positions that each of two searches looks at for a move that nothing else knows, and the size of their table in MiB.
const NODES: u64 = 100_000;
const HASH_MIB: usize = 16;
/// The longest time for the search of an answer.
const LONGEST_LOOK: Duration = Duration::from_secs(60);
/// The longest name of an exercise and the longest move, in bytes.
const LONGEST_TEXT: usize = 64;

/// The parameters of [`due`].
#[derive(Debug, Default, Deserialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
#[serde(default)]
pub(crate) struct DueQuery {
    #[serde(flatten)]
    of: GameParam,
    #[serde(flatten)]
    notation: NotationParam,
    /// Exercises to pass over.
    #[cfg_attr(feature = "schemas", schemars(with = "Option<usize>", extend("default" = 0)))]
    from: Option<String>,
    /// Exercises that are wanted, at most.
    #[cfg_attr(
        feature = "schemas",
        schemars(with = "Option<usize>", range(min = 1, max = LONGEST_PAGE), extend("default" = USUAL_PAGE))
    )]
    limit: Option<String>,
}

/// The exercises that are due.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
pub(crate) struct DueExercises {
    /// The day of the server.
    day: String,
    /// Exercises that are due.
    due: usize,
    /// A page of them, in the order in which they are asked, without their answers.
    exercises: Vec<DueExercise>,
    /// The first later day on which one is due.
    next: Option<String>,
    /// Exercises of the game.
    total: usize,
}

/// The exercises of a game that are due today.
pub(crate) async fn due(
    State(app): State<Arc<App>>,
    Params(query): Params<DueQuery>,
) -> Result<Answer<DueExercises>, Problem> {
    let from = number("from", query.from.as_deref(), (0, usize::MAX))?.unwrap_or(0);
    let limit = number("limit", query.limit.as_deref(), (1, LONGEST_PAGE))?.unwrap_or(USUAL_PAGE);
    reply(app, query.of.lang(), move |app| {
        let collection = Collection::read(file_of(app)?)?;
        let (day, game) = (day_of(app), query.of.game()?);
        let notation = query.notation.asked()?;
        let due = collection.due(game.name(), day);
        let page = due.iter().skip(from).take(limit);
        let exercises = with_game!(game, G => {
            page.map(|exercise| Ok(DueExercise::of(&opened::<G>(exercise)?, notation)))
                .collect::<Result<Vec<_>, Problem>>()?
        });
        let of_game = collection.exercises().iter().filter(|of| of.game == game.name());
        let days = of_game.clone().filter_map(|exercise| exercise.schedule.due);
        Ok(DueExercises {
            day: day.to_string(),
            due: due.len(),
            exercises,
            next: days.filter(|&due| due > day).min().map(|day| day.to_string()),
            total: of_game.count(),
        })
    })
    .await
}

/// The body of [`answer`].
#[derive(Debug, Default, Deserialize)]
#[cfg_attr(
    feature = "schemas",
    derive(schemars::JsonSchema),
    schemars(rename = "ExerciseAnswer", description = "The answer to an exercise.")
)]
#[serde(default)]
pub(crate) struct TrainAnswerBody {
    #[serde(flatten)]
    lang: LanguageParam,
    #[serde(flatten)]
    notation: NotationParam,
    /// The name of the exercise.
    id: String,
    /// The move, in any notation; without one the exercise is given up.
    #[serde(rename = "move")]
    mv: Option<String>,
    /// True if the piece that moves was shown before.
    hinted: Option<bool>,
}

/// The verdict on an answer, which is in the file once this is body.
pub(crate) async fn answer(
    State(app): State<Arc<App>>,
    JsonBody(body): JsonBody<TrainAnswerBody>,
) -> Result<Answer<TrainVerdict>, Problem> {
    let lang = body.lang.lang();
    let stop = app.search_of("train", None);
    let permit = app.search_permit(SEARCH_QUEUE_TIME).await?;
    let deadline = Instant::now() + LONGEST_LOOK;
    let control = Quiet { stop: stop.0.clone(), deadline };
    reply(app, lang, move |app| {
        let _permit = permit;
        let path = file_of(app)?;
        let collection = Collection::read(path)?;
        let length = body.id.len().max(body.mv.as_ref().map_or(0, String::len));
        if length > LONGEST_TEXT {
            return Err(Problem::bad_request("the id or the move is too long"));
        }
        let exercise = collection.get(&body.id);
        let exercise = exercise.ok_or_else(|| TrainError::Unknown { id: body.id.clone() })?;
        let game: GameName = exercise
            .game
            .parse()
            .map_err(|_| Problem::internal("the exercise is of an unknown game"))?;
        with_game!(game, G => judged::<G>(&Judge { app, game, control }, exercise, &body))
    })
    .await
}

/// Judges an answer and notes it.
fn judged<G: Described + KeptExaminer>(
    judge: &Judge<'_>,
    exercise: &Exercise,
    body: &TrainAnswerBody,
) -> Result<TrainVerdict, Problem> {
    let app = judge.app;
    let opened = opened::<G>(exercise)?;
    let position = opened.line.position();
    let mv = body.mv.as_ref().map(|text| read_move(position, text)).transpose()?;
    let mut prepared = judge.examiner::<G>(opened.rules)?;
    let examined = mv.map(|mv| judge.examined(&mut prepared, &opened, mv)).transpose()?;
    app.examiners.keep(prepared);
    let grade = match &examined {
        Some(examined) if examined.is_right && body.hinted == Some(true) => Grade::Hinted,
        Some(examined) if examined.is_right => Grade::Right,
        _ => Grade::Wrong,
    };
    let notation = body.notation.asked()?;
    let day = day_of(app);
    let schedule = Collection::update(file_of(app)?, false, |collection| {
        collection.answer(&exercise.id, grade, day).cloned()
    })?;
    let answer = mv.zip(examined.as_ref());
    Ok(TrainVerdict::of(&opened, answer, &schedule, day, notation))
}

/// A moment of a game: the position, and the moves that are known of it.
#[derive(Debug, Default, Deserialize)]
#[cfg_attr(
    feature = "schemas",
    derive(schemars::JsonSchema),
    schemars(
        rename = "Moment",
        description = "A position of a game in which a move was wrong, as a review has found it."
    )
)]
#[serde(default)]
pub(crate) struct Moment {
    #[serde(flatten)]
    common: Common,
    #[serde(flatten)]
    by: RulesParam,
    #[serde(flatten)]
    client: ClientParam,
    /// The move to be judged, in any notation; without one the right moves are told.
    #[serde(rename = "move")]
    mv: Option<String>,
    /// The move that was wrong.
    played: Option<String>,
    /// The better line of the review, by coordinates; its first move is right.
    better: Vec<String>,
    /// The place that it comes from.
    source: String,
}

impl Moment {
    /// The exercise of the moment. Right are the first move of the better line, all moves that keep the value by tables, and
    /// else those that a book of the server knows well.
    fn exercise<G: Described + Playable>(
        &self,
        examiner: &mut Examiner<G>,
    ) -> Result<Exercise, Problem> {
        let typed = self.common.read::<G>()?;
        let mut texts = self.better.iter().chain(&self.mv).chain(&self.played);
        let are_short = texts.all(|text| text.len() <= LONGEST_TEXT);
        let is_short = typed.line.moves().count() <= MAX_PLIES && self.better.len() <= MAX_LINE;
        if !are_short || !is_short {
            return Err(Problem::bad_request("the game, the line or a move is too long"));
        }
        let position = typed.line.position();
        let start = typed.start_text().unwrap_or_else(|| G::start().to_fen());
        let rules = parse_rules::<G>(self.by.rules.as_deref())?;
        let of = Exercise::named(Kind::Mistake, rules, start, &typed.line, &self.source);
        let played = self.played.as_ref().map(|text| read_move(position, text));
        let of = match played.transpose()? {
            Some(played) => of.with_played(played, position),
            None => of,
        };
        let first = self.better.first().ok_or_else(|| Problem::bad_request("better: no moves"))?;
        let best = read_move(position, first)?;
        let best = Accepted { line: self.better.clone(), ..Accepted::new(G::move_text(best)) };
        let mut accepted = vec![best];
        let others = match examiner.keeping(&typed.line) {
            Some(keeping) => keeping,
            None => examiner.known(&typed.line)?,
        };
        for other in others.into_iter().filter(|other| Some(&other.mv) != of.played.as_ref()) {
            if let Some(known) = accepted.iter_mut().find(|known| known.mv == other.mv) {
                known.book = other.book;
                known.table = other.table;
            } else if accepted.len() < MAX_ACCEPTED {
                accepted.push(other);
            }
        }
        Ok(Exercise { accepted, ..of })
    }
}

/// The verdict on a move in a moment of a game; nothing is kept.
pub(crate) async fn judge(
    State(app): State<Arc<App>>,
    JsonBody(moment): JsonBody<Moment>,
) -> Result<Answer<TrainVerdict>, Problem> {
    let lang = moment.common.lang();
    let stop = app.search_of("train", moment.client.name());
    let permit = app.search_permit(SEARCH_QUEUE_TIME).await?;
    let control = Quiet { stop: stop.0.clone(), deadline: Instant::now() + LONGEST_LOOK };
    let game = moment.common.game()?;
    reply(app, lang, move |app| {
        let _permit = permit;
        with_game!(game, G => judged_moment::<G>(&Judge { app, game, control }, &moment))
    })
    .await
}

fn judged_moment<G: Described + KeptExaminer>(
    judge: &Judge<'_>,
    moment: &Moment,
) -> Result<TrainVerdict, Problem> {
    let rules = parse_rules::<G>(moment.by.rules.as_deref())?;
    let mut prepared = judge.examiner::<G>(rules)?;
    let exercise = moment.exercise(&mut prepared.examiner)?;
    let opened = exercise.open::<G>().map_err(Problem::bad_request)?;
    let position = opened.line.position();
    let mv = moment.mv.as_ref().map(|text| read_move(position, text)).transpose()?;
    let examined = mv.map(|mv| judge.examined(&mut prepared, &opened, mv)).transpose()?;
    judge.app.examiners.keep(prepared);
    let notation = moment.common.asked_notation()?;
    let answer = mv.zip(examined.as_ref());
    Ok(TrainVerdict::of(&opened, answer, &exercise.schedule, day_of(judge.app), notation))
}

/// A moment that is among the exercises.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
pub(crate) struct KeptMoment {
    /// `new`, `extended` by right moves, or `known`.
    #[cfg_attr(feature = "schemas", schemars(extend("enum" = ["new", "extended", "known"])))]
    added: &'static str,
    /// The name of the exercise.
    id: String,
    /// Exercises of the file.
    total: usize,
}

/// Adds a moment to the exercises; it is in the file once this is body.
pub(crate) async fn add(
    State(app): State<Arc<App>>,
    JsonBody(moment): JsonBody<Moment>,
) -> Result<Answer<KeptMoment>, Problem> {
    let game = moment.common.game()?;
    reply(app, moment.common.lang(), move |app| {
        let file = file_of(app)?;
        let exercise = with_game!(game, G => moment_exercise::<G>(app, game, &moment))?;
        let id = exercise.id.clone();
        let (added, total) = Collection::update(file, false, |collection| {
            let added = collection.add(exercise);
            Ok((added, collection.exercises().len()))
        })?;
        let added = match added {
            Added::New => "new",
            Added::Extended => "extended",
            Added::Known => "known",
        };
        Ok(KeptMoment { added, id, total })
    })
    .await
}

/// The exercise of a moment, which can be asked.
fn moment_exercise<G: Described + KeptExaminer>(
    app: &App,
    game: GameName,
    moment: &Moment,
) -> Result<Exercise, Problem> {
    let rules = parse_rules::<G>(moment.by.rules.as_deref())?;
    let mut prepared = prepared_examiner::<G>(app, game, rules)?;
    let exercise = moment.exercise::<G>(&mut prepared.examiner)?;
    app.examiners.keep(prepared);
    exercise.open::<G>().map_err(Problem::bad_request)?;
    Ok(exercise)
}

/// The parts that judge the moves of a request.
struct Judge<'a> {
    app: &'a App,
    game: GameName,
    control: Quiet,
}

impl Judge<'_> {
    fn examiner<G: KeptExaminer>(&self, rules: G::Rules) -> Result<PreparedExaminer<G>, Problem> {
        prepared_examiner(self.app, self.game, rules)
    }

    /// The truth about a move, by the books and tables of the server and a short search.
    fn examined<G: KeptExaminer>(
        &self,
        prepared: &mut PreparedExaminer<G>,
        opened: &Opened<'_, G>,
        mv: G::Move,
    ) -> Result<Examined, Problem> {
        let examined = prepared.examiner.examine(opened, mv, &self.control)?;
        examined.ok_or_else(|| Problem::busy("the search was ended; try again"))
    }
}

/// The examiner that is kept for a game, or a new one: it looks in the books and tables of the server and searches.
fn prepared_examiner<G: KeptExaminer>(
    app: &App,
    game: GameName,
    rules: G::Rules,
) -> Result<PreparedExaminer<G>, Problem> {
    // Changes by other programs are counted only once they are looked for.
    drop(app.look_for_changes());
    let changes = app.changes();
    if let Some(kept) = app.examiners.take(rules, changes) {
        return Ok(kept);
    }
    let tables = TableOptions { folders: app.table_folders(game), ..TableOptions::default() };
    let options = EngineOptions {
        tables,
        hash_mib: HASH_MIB,
        rules,
        evaluation: app.config.evaluation,
        ..EngineOptions::default()
    };
    let books = app.books(game.name()).map(|book| book.connection());
    let books = ReviewBooks::of_open(books.collect::<Result<Vec<_>, Problem>>()?);
    let examiner = Examiner::new(options, books, NODES);
    let examiner = examiner.map_err(|error| Problem::internal(error.message()))?;
    Ok(PreparedExaminer { examiner, rules, changes })
}

/// A move of a request, in any notation.
fn read_move<G: Described>(position: &G, text: &str) -> Result<G::Move, Problem> {
    position.read_move(text).map_err(Problem::bad_request)
}

fn opened<G: Playable>(exercise: &Exercise) -> Result<Opened<'_, G>, Problem> {
    exercise.open().map_err(Problem::damaged)
}

/// The day for which exercises are due.
fn day_of(app: &App) -> Day {
    app.config.today.unwrap_or_else(today)
}

/// The file of exercises.
fn file_of(app: &App) -> Result<&Path, Problem> {
    app.config.train.as_deref().ok_or_else(|| {
        let hint = "make a file with `juzhong train my.train --add SOURCE` and start the server with --train my.train";
        Problem::not_found("no_exercises", "the server has no exercises").with_hint(hint)
    })
}

impl From<TrainError> for Problem {
    fn from(error: TrainError) -> Self {
        match error {
            TrainError::Unknown { .. } => Self::not_found("no_exercise", error.message()),
            // As if the file were not there: another request may find it readable.
            TrainError::Io { .. } => Self::unavailable(in_full(&error)),
            _ => AnswerError::from(error).into(),
        }
    }
}
