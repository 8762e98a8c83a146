//! Endgame tables: values of positions, best lines, the index of sets.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::Uri;
use axum::response::Response;
use rand::RngExt;
use serde::Deserialize;
use serde_json::{Value, json};

use super::params::{Common, InPath, Params, read_line};
use super::problem::Problem;
use super::state::App;
use super::{answered, blocking};
use crate::cli::GameName;
use crate::cli::tablebase::{probe, show};
use juzhong::game::Game;
use juzhong::message::{ToMessage, message};
use juzhong::tablebase::{Material, TableError, Tables, Wdl};
use juzhong::xiangqi::Position;
use juzhong::xiangqi::notation::format_move;

/// Plies of a best line, at most.
const LONGEST_LINE: usize = 1_000;
/// The longest name of a set for which the command that builds it is named: seven men, and the letter between them.
const BUILDABLE: usize = 8;

/// The object of `tablebase probe --json`.
pub(crate) async fn probe_position(
    State(app): State<Arc<App>>,
    uri: Uri,
    Params(query): Params<Common>,
) -> Result<Response, Problem> {
    let tables = tables_for(&app, &query)?;
    answered(&app, &uri, query.lang(), move || {
        let typed = read_line::<Position>(&query.line()?)?;
        let set = Material::of(typed.line.position()).0;
        probe::answer(&tables, &typed.line, query.notation()?).map_err(|error| missing(error, set))
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
    app.tables.clone().ok_or_else(|| {
        let hint = "build some with `juzhong tablebase generate KRvK --tables DIR` and start the server with --tables DIR";
        Problem::not_found("no_tables", "no endgame tables are open").with_hint(hint)
    })
}

/// The problem of tables that lack a set, with the command that builds it.
fn missing(error: TableError, set: Material) -> Problem {
    if !error.is_missing() {
        return error.into();
    }
    let problem = Problem::not_found("not_in_tables", message!("the tables do not have {set}"));
    match set.to_string().len() {
        0..=BUILDABLE => problem
            .with_hint(message!("build it with `juzhong tablebase generate {set} --tables DIR`")),
        _ => problem,
    }
}

/// Best play from a position to its end.
pub(crate) async fn line(
    State(app): State<Arc<App>>,
    uri: Uri,
    Params(query): Params<Common>,
) -> Result<Response, Problem> {
    let tables = tables_for(&app, &query)?;
    answered(&app, &uri, query.lang(), move || {
        let typed = read_line::<Position>(&query.line()?)?;
        let mut position = typed.line.position().clone();
        let notation = query.notation()?.shown();
        let set = Material::of(&position).0;
        let line =
            tables.best_line(&position, LONGEST_LINE).map_err(|error| missing(error, set))?;
        let mut moves = Vec::new();
        for step in &line.moves {
            let text = format_move(&position, step.mv, notation);
            position.make(step.mv);
            moves.push(json!({
                "move": step.mv.to_string(),
                "text": text,
                "fen": position.to_fen(),
                "wdl": step.value.wdl.name(),
                "order": step.value.order,
                "distance": step.value.distance,
            }));
        }
        Ok(json!({"moves": moves}))
    })
    .await
}

/// The sets of the tables.
pub(crate) async fn list(
    State(app): State<Arc<App>>,
    uri: Uri,
    Params(query): Params<Common>,
) -> Result<Response, Problem> {
    let tables = tables_of(&app)?;
    answered(&app, &uri, query.lang(), move || {
        let sets = tables.materials();
        let stats = sets.iter().map(|&set| tables.stats(set).map(|stats| show::list_json(&stats)));
        let stats = stats.collect::<Result<Vec<Value>, _>>()?;
        Ok(json!({"schema": "juzhong.tablebase.list/1", "tables": stats}))
    })
    .await
}

/// The statistics of one set.
pub(crate) async fn stats(
    State(app): State<Arc<App>>,
    uri: Uri,
    InPath(set): InPath,
    Params(query): Params<Common>,
) -> Result<Response, Problem> {
    let tables = tables_of(&app)?;
    answered(&app, &uri, query.lang(), move || {
        let (set, swapped) = material(&set)?;
        let stats = tables.stats(set).map_err(|error| missing(error, set))?;
        Ok(show::answer(stats, swapped))
    })
    .await
}

/// The set of that name, and whether its stronger side was named second.
fn material(text: &str) -> Result<(Material, bool), Problem> {
    Material::parse_as_asked(text).map_err(|error| Problem::bad_request(error.message()))
}

/// The parameters of [`random`].
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct RandomQuery {
    lang: Option<String>,
    set: String,
    wdl: Option<String>,
}

/// A position of a set by chance, won, drawn or lost for the side to move.
pub(crate) async fn random(
    State(app): State<Arc<App>>,
    Params(query): Params<RandomQuery>,
) -> Result<Json<Value>, Problem> {
    let tables = tables_of(&app)?;
    let lang = Common::lang_named(query.lang.as_deref());
    blocking(app, lang, move |_| {
        let set = material(&query.set)?;
        let wanted = match query.wdl.as_deref() {
            None => None,
            Some(name) => Some(
                [Wdl::Win, Wdl::Draw, Wdl::Loss]
                    .into_iter()
                    .find(|wdl| wdl.name() == name)
                    .ok_or_else(|| Problem::bad_request("wdl is win, draw or loss"))?,
            ),
        };
        let mut rng = rand::rng();
        let found = tables
            .random_position(set, wanted, &mut |below| rng.random_range(0..below))
            .map_err(|error| missing(error, set.0))?;
        let Some((position, entry)) = found else {
            return Err(Problem::not_found("no_such_position", "no such position was found"));
        };
        Ok(json!({"fen": position.to_fen(), "wdl": entry.wdl.name(), "distance": entry.distance}))
    })
    .await
    .map(Json)
}
