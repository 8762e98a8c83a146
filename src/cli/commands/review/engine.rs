//! The engines that search for a review.

use super::Args;
use crate::cli::args::engine_command::{engine_fault, started, tell_engine_warnings};
use crate::cli::exit::by_kind;
use crate::cli::interrupt::stop_flag;
use crate::cli::{CliError, Context};
use juzhong::engine::Playable;
use juzhong::protocol::client::{EngineEntry, EngineSizes, Timeouts};
use juzhong::review::{Analyst, ClientAnalyst, Evaluators, ReviewOptions};

impl Args {
    /// The engine of another program that is to search, if one is named. Threads are positions in parallel here.
    pub(super) fn entry<G: Playable>(
        &self,
        context: &Context<'_>,
    ) -> Result<Option<EngineEntry>, CliError> {
        let typed = context.typed_sizes(0, self.hash as usize);
        let entry = self.engine.entry::<G>(EngineSizes { threads: None, ..typed }, context)?;
        self.evaluation.check(entry.as_ref(), context)?;
        Ok(entry)
    }
}

/// The engines, one for each position in parallel: the own one, or processes of the one of that entry.
pub(super) fn evaluators<G: Playable>(
    entry: Option<&EngineEntry>,
    options: &ReviewOptions<G::Rules>,
) -> Result<Evaluators<G>, CliError> {
    let Some(entry) = entry else { return Evaluators::new(options).map_err(by_kind) };
    let analysts = (0..options.threads.max(1)).map(|_| analyst::<G>(entry));
    let analysts = analysts.collect::<Result<_, _>>()?;
    Evaluators::with_analysts(options, analysts).map_err(by_kind)
}

fn analyst<G: Playable>(entry: &EngineEntry) -> Result<Box<dyn Analyst<G>>, CliError> {
    let mut client = started(entry, Timeouts::default(), &stop_flag())?;
    client.new_game().map_err(engine_fault)?;
    tell_engine_warnings(&mut client);
    Ok(Box::new(ClientAnalyst::new(client).map_err(engine_fault)?))
}

/// An engine with its settings, in words by which a review that goes on knows it again.
pub(super) fn identity(entry: &EngineEntry) -> String {
    let EngineEntry { command, protocol, options, threads, hash, .. } = entry;
    format!("{command:?} {protocol:?} {options:?} {threads:?} {hash:?}")
}
