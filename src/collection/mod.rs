//! Collections of games: the games of files and folders in an index, which is kept up with the files.
//!
//! An index is one SQLite file of this program for the games of one kind in a set of files and folders
//! ([`index_path`]). It has a row for each game, with its texts folded for searches, the game itself, packed, and the
//! positions of all games as sorted lists. So a search reads no game file, and every game opens at once, wherever it lies
//! in a packed file.
//!
//! - [`GameIndex::open`] opens an index or makes one; it refuses files of other programs and makes damaged ones anew.
//! - [`GameIndex::update`] brings it up to its files: those of another size or time are read again, the rest is left
//!   alone. It goes on where it was interrupted, and others may search meanwhile.
//! - [`GameIndex::update_from`] takes games over from indexes of parts of the files, made elsewhere.
//! - [`GameIndex::find`] lists games by [`Conditions`], sorted, copies folded; [`GameIndex::reaching`] counts the moves in
//!   a position; [`GameIndex::game`] is one game whole.
//! - [`Lines`] are sets of lines: those that reach a position of several, a material, or a [`BoardPattern`].
//!
//! Games with the same start and moves are copies of one line. The positions are those of lines, so that copies cost
//! nothing there.
//!
//! Answers do not depend on the order in which files were read: games are listed by the paths of their files, then by
//! their numbers in them.

mod entry;
mod error;
mod game;
mod lines;
mod novelties;
mod openings;
mod pattern;
mod pattern_search;
mod player;
mod postings;
mod query;
mod rows;
mod store;
mod take_over;
mod text;
mod update;

pub use entry::{Fault, GameKey, IndexedGame};
pub use error::IndexError;
pub use game::{BoardChange, Collected, material_key};
pub use lines::{Lines, MovesOfLine};
pub use novelties::{FirstMove, NoveltyError, NoveltyOrder, NoveltySearch};
pub use openings::OpeningCount;
pub use pattern::{BoardPattern, PatternError, PatternImages};
pub use player::{PlayerGame, PlayerName, Visits};
pub use query::{
    Conditions, Found, FoundPage, LineMove, Reached, SortColumn, StoredGame, UnknownColumn,
};
pub use store::{GameIndex, index_path, indexes_in};
pub use update::{IndexProgress, IndexReport};
