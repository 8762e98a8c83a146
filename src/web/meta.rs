//! What the server has, and the texts of the page.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use serde_json::{Value, json};

use super::blocking;
use super::params::{Common, Params};
use super::problem::Problem;
use super::state::{App, SharedBook};
use crate::cli::language::Language;
use juzhong::engine::Level;
use juzhong::game::Game;
use juzhong::gomoku::Board;
use juzhong::xiangqi::Position;

/// The books, tables and limits of the server.
pub(crate) async fn meta(
    State(app): State<Arc<App>>,
    Params(query): Params<Common>,
) -> Result<Json<Value>, Problem> {
    blocking(app, query.lang(), |app| Ok(about(app))).await.map(Json)
}

fn about(app: &App) -> Value {
    drop(app.look_for_changes());
    let books = |game: &str| app.books(game).map(|book| about_book(book)).collect::<Vec<_>>();
    let tables = app.tables.as_ref().map(|tables| {
        json!({
            "sets": tables.materials().len(),
            "rules": tables.rules().name(),
            "metric": tables.metric().to_string(),
        })
    });
    let levels: Vec<u8> = Level::all().map(Level::number).collect();
    json!({
        "version": env!("CARGO_PKG_VERSION"),
        "lang": if Language::current() == Language::Zh { "zh" } else { "en" },
        "xiangqi": {"books": books(Position::NAME), "tables": tables},
        "gomoku": {"books": books(Board::NAME), "tables": null},
        "library": (!app.config.library.is_empty()).then(|| json!({"folders": app.config.library.len()})),
        "autosave": app.config.autosave.is_some(),
        "engine": {
            "threads": app.config.threads,
            "hash_mib": app.config.hash_mib,
            "levels": [levels.first(), levels.last()],
        },
        "writes": true,
    })
}

/// A book as it is now; without counts and with the reason if it cannot be read any more.
fn about_book(book: &SharedBook) -> Value {
    let counts = book.read(|book| {
        let metadata = book.metadata();
        Ok((metadata.counts.games, metadata.positions))
    });
    let is_read_only =
        std::fs::metadata(&book.path).is_ok_and(|about| about.permissions().readonly());
    match counts {
        Ok((games, positions)) => {
            json!({"name": book.name, "games": games, "positions": positions, "writable": !is_read_only})
        }
        Err(problem) => {
            json!({"name": book.name, "games": 0, "positions": 0, "writable": false, "error": problem.detail()})
        }
    }
}
