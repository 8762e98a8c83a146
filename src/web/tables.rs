//! Endgame tables: values of positions, best lines, the index of sets.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::Uri;
use axum::response::Response;
use rand::Rng;
use serde::Deserialize;
use serde_json::{Value, json};

use super::params::{Common, Params, read_line};
use super::problem::Problem;
use super::state::App;
use super::{answered, blocking};
use crate::cli::language::Language;
use crate::cli::tablebase::{probe, show, table_error};
use juzhong::game::{Game, Side};
use juzhong::tablebase::{Material, TableError, Tables, Wdl};
use juzhong::xiangqi::notation::format_move;
use juzhong::xiangqi::{Piece, Position, Setup};

/// Plies of a best line, at most.
const LONGEST_LINE: usize = 1_000;
/// The longest name of a set for which the command that builds it is named: seven men, and the letter between them.
const BUILDABLE: usize = 8;
/// Attempts at a random position before it is given up.
const ATTEMPTS: u32 = 20_000;

/// The object of `tablebase probe --json`.
pub(super) async fn probe_position(
    State(app): State<Arc<App>>,
    uri: Uri,
    Params(query): Params<Common>,
) -> Result<Response, Problem> {
    let tables = tables_of(&app)?;
    answered(&app, &uri, query.lang(), move || {
        let typed = read_line::<Position>(&query.line()?)?;
        let position = typed.line.position().clone();
        let set = Material::of(&position).0;
        probe::answer(&tables, position, query.notation()?).map_err(|error| missing(error, set))
    })
    .await
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
        return table_error(error).into();
    }
    let problem = Problem::not_found("not_in_tables", format!("the tables do not have {set}"));
    match set.to_string().len() {
        0..=BUILDABLE => problem
            .with_hint(format!("build it with `juzhong tablebase generate {set} --tables DIR`")),
        _ => problem,
    }
}

/// Best play from a position to its end.
pub(super) async fn line(
    State(app): State<Arc<App>>,
    uri: Uri,
    Params(query): Params<Common>,
) -> Result<Response, Problem> {
    let tables = tables_of(&app)?;
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
pub(super) async fn list(
    State(app): State<Arc<App>>,
    uri: Uri,
    Params(query): Params<Common>,
) -> Result<Response, Problem> {
    let tables = tables_of(&app)?;
    answered(&app, &uri, query.lang(), move || {
        let sets = tables.materials();
        let stats = sets.iter().map(|&set| tables.stats(set).map(|stats| show::list_json(&stats)));
        let stats = stats.collect::<Result<Vec<Value>, _>>().map_err(table_error)?;
        Ok(json!({"schema": "juzhong.tablebase.list/1", "tables": stats}))
    })
    .await
}

/// The statistics of one set.
pub(super) async fn stats(
    State(app): State<Arc<App>>,
    uri: Uri,
    Path(set): Path<String>,
    Params(query): Params<Common>,
) -> Result<Response, Problem> {
    let tables = tables_of(&app)?;
    answered(&app, &uri, query.lang(), move || {
        let set = material(&set)?;
        let stats = tables.stats(set).map_err(|error| missing(error, set))?;
        Ok(show::stats_json(&set.to_string(), &stats))
    })
    .await
}

fn material(text: &str) -> Result<Material, Problem> {
    Material::parse_as_asked(text)
        .map(|(material, _)| material)
        .map_err(|error| Problem::bad_request(error.to_string()))
}

/// The pieces of a set on points by chance; `None` if that is no legal position.
fn placed(set: Material, rng: &mut impl Rng) -> Option<Position> {
    let name = set.to_string();
    let (red, black) = name.split_once('v')?;
    let black = black.to_lowercase();
    let mut setup = Setup::empty();
    for letter in red.chars().chain(black.chars()) {
        let square = rng.next_u32() as usize % setup.board.len();
        if setup.board[square].replace(Piece::from_letter(letter)?).is_some() {
            return None;
        }
    }
    setup.turn = Side::ALL[rng.next_u32() as usize % 2];
    Position::from_setup(&setup).ok()
}

/// The parameters of [`random`].
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct RandomQuery {
    set: String,
    wdl: Option<String>,
}

/// A position of a set by chance, won, drawn or lost for the side to move.
pub(super) async fn random(
    State(app): State<Arc<App>>,
    Params(query): Params<RandomQuery>,
) -> Result<Json<Value>, Problem> {
    let tables = tables_of(&app)?;
    blocking(Language::current(), move || {
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
        for _ in 0..ATTEMPTS {
            let Some(position) = placed(set, &mut rng) else { continue };
            let entry = tables.probe(&position).map_err(|error| missing(error, set))?;
            if wanted.is_none_or(|wanted| wanted == entry.wdl) {
                return Ok(json!({"fen": position.to_fen(), "wdl": entry.wdl.name(), "distance": entry.distance}));
            }
        }
        Err(Problem::not_found("no_such_position", "no such position was found"))
    })
    .await
    .map(Json)
}
