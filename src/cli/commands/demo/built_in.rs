//! The demo's book and tables in the user's folder, for who opens the page and has none of their own yet.

use std::fs;
use std::path::{Path, PathBuf};

use super::{
    Games, OutputPaths, build_book, build_tables, cache_folder, hashes_of_games,
    sources_of_unchanged, stands,
};
use crate::cli::{CliError, Context, OrExit, exit, tell};
use crate::language::text;
use juzhong::book::Book;
use juzhong::bytes::visible::ShowPath;

/// The files of a demo that the page can show.
pub(crate) struct BuiltIn {
    /// The opening book.
    pub(crate) book: PathBuf,
    /// The folder of endgame tables.
    pub(crate) tables: PathBuf,
}

impl BuiltIn {
    /// Builds what is not there yet. A book of other games, as an earlier version of the program has made it, is built
    /// again, unless the user has changed it; one that cannot be read is moved aside.
    pub(crate) fn in_cache(context: &mut Context<'_>) -> Result<Self, CliError> {
        let dir = cache_folder();
        let made = OutputPaths::in_folder(&dir)?;
        let games = Games::new(None)?;
        if !stands(&made.book) || is_outdated(&made.book, games.folder())? {
            build_book(&games, &made, context)?;
        }
        build_tables(&made, context)?;
        Ok(Self { book: made.book, tables: made.tables })
    }
}

/// Returns true if the built-in book is to be built again.
fn is_outdated(book: &Path, games: &Path) -> Result<bool, CliError> {
    let opened = Book::open(book);
    let sources = match &opened {
        Ok(book) => sources_of_unchanged(book),
        Err(error) => {
            let aside = book.with_extension("unreadable");
            fs::rename(book, &aside)
                .or_exit_with(exit::CANNOT_CREATE, || book.shown().to_string())?;
            tell(text!("{error}; it is now {}, and a new book is built", aside.shown()));
            return Ok(true);
        }
    };
    Ok(sources.is_some() && sources != hashes_of_games(games))
}
