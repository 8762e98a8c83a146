//! Endgame tables: values of positions, best lines, the index of sets.

use std::sync::Arc;

use axum::extract::State;
use axum::http::Uri;
use rand::RngExt;
use serde::Deserialize;

use super::params::{Common, LanguageParam, Params, PathParam};
use super::problem::Problem;
use super::reply::{Answer, answered, reply};
use super::state::App;
use crate::game_name::GameName;
use crate::language::error_messages::in_full;
use juzhong::answers::tablebase::{
    BestPlay, LineMoves, ListAnswer, NamedSet, Probe, ProbeAnswer, RandomPosition, StatsAnswer,
    random_position,
};
use juzhong::answers::{AnswerError, ErrorKind};
use juzhong::message::{ToMessage, message};
use juzhong::tablebase::{Material, Tables, Wdl};
use juzhong::xiangqi::Position;

/// Plies of a best line, at most.
const LONGEST_LINE: usize = 1_000;
/// The longest name of a set for which the command that builds it is named: seven men, and the letter between them.
const BUILDABLE: usize = 8;

/// The object of `tablebase probe --json`.
pub(crate) async fn probe_position(
    State(app): State<Arc<App>>,
    uri: Uri,
    Params(query): Params<Common>,
) -> Result<Answer<ProbeAnswer>, Problem> {
    let tables = tables_for(&app, &query)?;
    answered(&app, &uri, query.lang(), move || {
        let line = query.read::<Position>()?.line;
        let set = Material::of(line.position()).0;
        let notation = query.asked_notation()?;
        let probe = Probe::of(&tables, &line).map_err(|error| table_problem(&error, set))?;
        Ok(probe.answer(notation))
    })
    .await
}

/// The tables, for a question about a game that has some.
fn tables_for(app: &App, query: &Common) -> Result<Arc<Tables>, Problem> {
    match query.game()? {
        GameName::Xiangqi => tables_of(app),
        GameName::Gomoku => {
            let hint = "ask /api/solve";
            Err(Problem::bad_request("gomoku has no endgame tables").with_hint(hint))
        }
    }
}

fn tables_of(app: &App) -> Result<Arc<Tables>, Problem> {
    app.tables().ok_or_else(|| {
        let hint = "build some with `juzhong tablebase generate KRvK --tables DIR` and start the server with --tables DIR";
        Problem::not_found("no_tables", "no endgame tables are open").with_hint(hint)
    })
}

/// The problem of tables that lack a set, with the command that builds it, or that cannot be read.
fn table_problem(error: &AnswerError, set: Material) -> Problem {
    if error.kind() != ErrorKind::NotFound {
        return damaged(error);
    }
    let problem = Problem::not_found("not_in_tables", message!("the tables do not have {set}"));
    match set.to_string().len() {
        0..=BUILDABLE => problem
            .with_hint(message!("build it with `juzhong tablebase generate {set} --tables DIR`")),
        _ => problem,
    }
}

/// The problem of tables that cannot be read: they are the server's own, whatever is wrong with them.
fn damaged(error: &AnswerError) -> Problem {
    Problem::damaged(in_full(error))
}

/// Best play from a position to its end.
pub(crate) async fn line(
    State(app): State<Arc<App>>,
    uri: Uri,
    Params(query): Params<Common>,
) -> Result<Answer<LineMoves>, Problem> {
    let tables = tables_for(&app, &query)?;
    answered(&app, &uri, query.lang(), move || {
        let line = query.read::<Position>()?.line;
        let set = Material::of(line.position()).0;
        let notation = query.shown_notation()?;
        let play = BestPlay::of(&tables, &line, LONGEST_LINE, notation);
        Ok(play.map_err(|error| table_problem(&error, set))?.moves())
    })
    .await
}

/// The sets of the tables.
pub(crate) async fn list(
    State(app): State<Arc<App>>,
    uri: Uri,
    Params(query): Params<LanguageParam>,
) -> Result<Answer<ListAnswer>, Problem> {
    let tables = tables_of(&app)?;
    answered(&app, &uri, query.lang(), move || {
        ListAnswer::of(&tables).map_err(|error| damaged(&error))
    })
    .await
}

/// The statistics of one set.
pub(crate) async fn stats(
    State(app): State<Arc<App>>,
    uri: Uri,
    PathParam(set): PathParam,
    Params(query): Params<LanguageParam>,
) -> Result<Answer<StatsAnswer>, Problem> {
    let tables = tables_of(&app)?;
    answered(&app, &uri, query.lang(), move || {
        let set = named_set(&set)?;
        StatsAnswer::of(&tables, set).map_err(|error| table_problem(&error, set.material))
    })
    .await
}

/// The set of that name.
fn named_set(text: &str) -> Result<NamedSet, Problem> {
    text.parse::<NamedSet>().map_err(|error| Problem::bad_request(error.message()))
}

/// The parameters of [`random`].
#[derive(Debug, Default, Deserialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
#[serde(default)]
pub(crate) struct RandomQuery {
    #[serde(flatten)]
    lang: LanguageParam,
    /// The set, such as KRvKN.
    set: String,
    /// Its value for the side to move.
    #[cfg_attr(feature = "schemas", schemars(extend("enum" = ["win", "draw", "loss"])))]
    wdl: Option<String>,
}

/// A position of a set by chance, won, drawn or lost for the side to move.
pub(crate) async fn random(
    State(app): State<Arc<App>>,
    Params(query): Params<RandomQuery>,
) -> Result<Answer<RandomPosition>, Problem> {
    let tables = tables_of(&app)?;
    reply(app, query.lang.lang(), move |_| {
        let set = named_set(&query.set)?;
        let wanted = query.wdl.as_deref().map(result_named).transpose()?;
        let mut rng = rand::rng();
        let found = random_position(&tables, set, wanted, &mut |below| rng.random_range(0..below));
        let found = found.map_err(|error| table_problem(&error, set.material))?;
        found.ok_or_else(|| Problem::not_found("no_such_position", "no such position was found"))
    })
    .await
}

/// The result of that name.
fn result_named(name: &str) -> Result<Wdl, Problem> {
    let results = [Wdl::Win, Wdl::Draw, Wdl::Loss];
    let named = results.into_iter().find(|wdl| wdl.name() == name);
    named.ok_or_else(|| Problem::bad_request("wdl is win, draw or loss"))
}
