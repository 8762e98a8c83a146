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

/// The files of a demo that the page can show, in the user's folder for what can be made again.
pub(crate) struct BuiltIn(OutputPaths);

impl BuiltIn {
    pub(crate) fn in_cache() -> Result<Self, CliError> {
        Ok(Self(OutputPaths::in_folder(&cache_folder())?))
    }

    /// The opening book, built if it is not there yet. A book of other games, as an earlier version of the program has
    /// made it, is built again, unless the user has changed it; one that cannot be read is moved aside.
    pub(crate) fn book(&self, context: &mut Context<'_>) -> Result<PathBuf, CliError> {
        let Self(made) = self;
        let games = Games::new(None)?;
        if !stands(&made.book) || is_outdated(&made.book, games.folder())? {
            build_book(&games, made, context)?;
        }
        Ok(made.book.clone())
    }

    /// The folder of endgame tables; those that are not there yet are built.
    pub(crate) fn tables(&self, context: &mut Context<'_>) -> Result<PathBuf, CliError> {
        build_tables(&self.0, context)?;
        Ok(self.0.tables.clone())
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
