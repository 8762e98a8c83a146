//! The option that names an engine, the same for every command that has one.

use super::engine_command::{OWN, named_engine, require_game};
use crate::cli::{CliError, Context, OrExit, exit};
use juzhong::engine::{Engine, EngineOptions, Playable};
use juzhong::game::Game;
use juzhong::protocol::client::{EngineEntry, EngineSizes};

/// The engine, and what stands in front of it.
#[derive(Debug, clap::Args)]
pub(crate) struct EngineArgs {
    /// Engine: a name of the settings (see juzhong engine), or the command line of a program as one argument [default:
    /// self, this program's own engine].
    #[arg(long, value_name = "NAME|CMD", default_value = OWN, hide_default_value = true)]
    engine: String,
    /// Leave the engine alone: no books and no endgame tables in front of it.
    #[arg(long)]
    no_front: bool,
}

impl EngineArgs {
    /// The engine, with the sizes that the command line asks for; `None` for the own one. One that is known to play
    /// another game is refused.
    pub(crate) fn entry<G: Game>(
        &self,
        sizes: EngineSizes,
        context: &Context<'_>,
    ) -> Result<Option<EngineEntry>, CliError> {
        let entry = self.entry_of_any_game(sizes, context)?;
        entry.iter().try_for_each(|entry| require_game(entry, G::NAME))?;
        Ok(entry)
    }

    /// The engine, as [`entry`](Self::entry) gives it, whatever game it plays.
    pub(crate) fn entry_of_any_game(
        &self,
        sizes: EngineSizes,
        context: &Context<'_>,
    ) -> Result<Option<EngineEntry>, CliError> {
        let entry = named_engine(&self.engine, &context.engines)?;
        Ok(entry.map(|entry| with_sizes(entry, sizes)))
    }

    /// Returns true if books and tables stand in front of the engine.
    pub(crate) const fn has_front(&self) -> bool {
        !self.no_front
    }

    /// The options with the books and tables that stand in front of the engine.
    pub(crate) fn with_front<R: Clone>(&self, options: EngineOptions<R>) -> EngineOptions<R> {
        if self.has_front() { options } else { options.without_files() }
    }
}

/// An engine with these sizes, where there are some.
pub(crate) fn with_sizes(entry: EngineEntry, sizes: EngineSizes) -> EngineEntry {
    let EngineSizes { threads, hash_mib } = sizes.or_else(entry.sizes());
    EngineEntry { threads, hash: hash_mib, ..entry }
}

/// The books and tables of these options, to be asked before another engine; `None` if there are none.
pub(crate) fn front<G: Playable>(
    options: EngineOptions<G::Rules>,
) -> Result<Option<Engine<G>>, CliError> {
    if options.books.is_empty() && options.tables.folders.is_empty() {
        return Ok(None);
    }
    // It never searches, so that the least sizes do.
    let options = EngineOptions { hash_mib: 1, threads: 1, multipv: 1, ..options };
    Engine::new(options).map(Some).or_exit(exit::UNAVAILABLE)
}
