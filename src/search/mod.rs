//! Alpha-beta search for any game with [`Heuristics`](crate::game::Heuristics), and the
//! evaluations of the games.
//!
//! The words used here: a *node* is a position in the search tree. A *PV node* is searched with an
//! open `Window` and has an exact value; the line of best moves through such nodes is the principal
//! variation. All other nodes are searched with a *null window*, which has no score between alpha
//! and beta: a *cut node* is expected to have a move that reaches beta (the rest need not be looked
//! at), an *all node* to have none (every move must be looked at). A node's *depth* is the number
//! of plies still to be searched, its *ply* the distance from the root. *Quiescence* follows noisy
//! moves only, where depth has run out.

mod history;
mod iterate;
mod kept_evaluations;
mod limits;
mod options;
mod order;
mod score;
mod searcher;
mod tablebase_probe;
mod transposition;
mod tree;
mod tunables;
mod wdl;
mod window;
mod worker;

/// The evaluations of the games: for each the part beside its rules that search needs.
pub mod eval;

pub use limits::{Control, CurrentMove, HashEntry, Iteration, Limits, MateSearch, SearchResult};
pub use options::{Features, MAX_HASH_MIB, MAX_MULTIPV, MAX_THREADS, SearchError, SearchOptions};
pub use score::{MAX_PLY, Score};
pub use searcher::Searcher;
pub use tablebase_probe::{HideDraws, MAX_TABLE_DISTANCE, TableValue, TablebaseProbe};
pub use wdl::{elo_score, normal_score, wdl};
pub use worker::tt_key;
