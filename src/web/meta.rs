//! What the server has, and the texts of the page.

use std::sync::Arc;

use axum::extract::State;
use serde::Serialize;

use super::params::{LanguageParam, Params};
use super::problem::Problem;
use super::reply::{Answer, reply};
use super::state::{App, BuiltIn, SharedBook};
use crate::game_name::GameName;
use crate::language::Language;
use juzhong::engine::Level;
use juzhong::game::Game;
use juzhong::gomoku::Board;
use juzhong::tablebase::{Material, Tables};
use juzhong::xiangqi::Position;

/// The books, tables and limits of a server.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema), schemars(rename = "Meta"))]
pub(crate) struct About {
    /// Games that are played on the page are kept.
    autosave: bool,
    /// The book and the tables that the program makes for a server that is given none; absent where it is given some.
    #[serde(skip_serializing_if = "Option::is_none")]
    built_in: Option<AboutBuiltIn>,
    engine: AboutEngine,
    /// The names of the engines of other programs that requests may name.
    engines: Vec<String>,
    gomoku: AboutGame,
    /// The language of texts where a request names none: `en` or `zh`.
    #[cfg_attr(feature = "schemas", schemars(extend("enum" = ["en", "zh"])))]
    lang: &'static str,
    library: Option<AboutLibrary>,
    /// Reviews take `engine`.
    reviews_by_engines: bool,
    /// The server has exercises.
    train: bool,
    version: &'static str,
    /// The server writes, for those who have the token.
    writes: bool,
    xiangqi: AboutGame,
}

/// The limits of searches.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema), schemars(rename = "EngineMeta"))]
struct AboutEngine {
    /// The evaluation of the own engine in xiangqi.
    #[cfg_attr(feature = "schemas", schemars(extend("enum" = ["network", "classical"])))]
    evaluation: &'static str,
    hash_mib: usize,
    /// The lowest and the highest level.
    #[cfg_attr(feature = "schemas", schemars(with = "[u8; 2]"))]
    levels: [Option<u8>; 2],
    threads: usize,
    /// The engine that searches where a request names none; null for the server's own.
    usual: Option<String>,
}

/// The books and tables of a game.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema), schemars(rename = "GameMeta"))]
struct AboutGame {
    books: Vec<AboutBook>,
    /// The names of those `engines` that play it, or of which that is not known.
    engines: Vec<String>,
    tables: Option<AboutTables>,
}

/// A book as it is now.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema), schemars(rename = "BookMeta"))]
struct AboutBook {
    /// The reason why it cannot be read any more.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    games: u64,
    name: String,
    positions: u64,
    writable: bool,
}

/// The endgame tables.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema), schemars(rename = "TablesMeta"))]
struct AboutTables {
    metric: String,
    rules: &'static str,
    sets: usize,
    /// The men of the largest set, kings included.
    largest: usize,
}

/// The built-in book and tables.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema), schemars(rename = "BuiltInMeta"))]
struct AboutBuiltIn {
    /// The reason why they could not be made.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    /// They are being made; the book is open before the tables are.
    making: bool,
}

/// The library of games.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema), schemars(rename = "LibraryMeta"))]
struct AboutLibrary {
    folders: usize,
}

/// The books, tables and limits of the server.
pub(crate) async fn meta(
    State(app): State<Arc<App>>,
    Params(query): Params<LanguageParam>,
) -> Result<Answer<About>, Problem> {
    reply(app, query.lang(), |app| Ok(About::of(app))).await
}

impl About {
    fn of(app: &App) -> Self {
        drop(app.look_for_changes());
        let config = &app.config;
        let tables = app.tables().as_deref().map(AboutTables::of);
        let levels: Vec<u8> = Level::all().map(Level::number).collect();
        let folders = config.library.len();
        Self {
            autosave: config.autosave.is_some(),
            built_in: app.built_in().as_ref().map(AboutBuiltIn::of),
            engine: AboutEngine {
                evaluation: config.evaluation.name(),
                hash_mib: config.hash_mib,
                levels: [levels.first().copied(), levels.last().copied()],
                threads: config.threads,
                usual: app.engines.usual_name(),
            },
            engines: app.engines.names(),
            gomoku: AboutGame {
                books: AboutBook::all(app, Board::NAME),
                engines: app.engines.names_of(GameName::Gomoku),
                tables: None,
            },
            lang: if Language::current() == Language::Zh { "zh" } else { "en" },
            library: (folders > 0).then_some(AboutLibrary { folders }),
            reviews_by_engines: true,
            train: config.train.is_some(),
            version: env!("CARGO_PKG_VERSION"),
            writes: true,
            xiangqi: AboutGame {
                books: AboutBook::all(app, Position::NAME),
                engines: app.engines.names_of(GameName::Xiangqi),
                tables,
            },
        }
    }
}

impl AboutBuiltIn {
    fn of(built_in: &BuiltIn) -> Self {
        let error = match built_in {
            BuiltIn::Making | BuiltIn::Ready => None,
            BuiltIn::Failed(reason) => Some(reason.clone()),
        };
        Self { error, making: matches!(built_in, BuiltIn::Making) }
    }
}

impl AboutTables {
    fn of(tables: &Tables) -> Self {
        Self {
            metric: tables.metric().to_string(),
            rules: tables.rules().name(),
            sets: tables.materials().len(),
            largest: tables.materials().iter().map(Material::men).max().unwrap_or(0),
        }
    }
}

impl AboutBook {
    /// The books of a game.
    fn all(app: &App, game: &str) -> Vec<Self> {
        app.books(game).map(|book| Self::of(&book)).collect()
    }

    /// A book as it is now; without counts and with the reason if it cannot be read any more.
    fn of(book: &SharedBook) -> Self {
        let counts = book.read(|book| {
            let metadata = book.metadata();
            Ok((metadata.counts.games, metadata.positions))
        });
        let is_read_only =
            std::fs::metadata(&book.path).is_ok_and(|about| about.permissions().readonly());
        let name = book.name.clone();
        match counts {
            Ok((games, positions)) => {
                Self { error: None, games, name, positions, writable: !is_read_only }
            }
            Err(problem) => {
                let error = Some(problem.detail());
                Self { error, games: 0, name, positions: 0, writable: false }
            }
        }
    }
}
