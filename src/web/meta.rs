//! What the server has, and the texts of the page.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use serde_json::{Value, json};

use super::state::App;
use crate::cli::language::Language;
use juzhong::engine::Level;
use juzhong::game::Game;
use juzhong::gomoku::Board;
use juzhong::xiangqi::Position;

/// The books, tables and limits of the server.
pub(super) async fn meta(State(app): State<Arc<App>>) -> Json<Value> {
    let books = |game: &str| {
        let about = |book: &Arc<super::state::SharedBook>| json!({"name": book.name, "games": book.games, "positions": book.positions, "writable": true});
        app.books(game).map(about).collect::<Vec<_>>()
    };
    let tables = app.tables.as_ref().map(|tables| {
        json!({
            "sets": tables.materials().len(),
            "rules": tables.rules().name(),
            "metric": tables.metric().name(),
        })
    });
    let levels: Vec<u8> = Level::all().map(Level::number).collect();
    Json(json!({
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
    }))
}
