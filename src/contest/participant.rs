//! The engines of a match: how they are started, and those that a worker keeps from game to game.

use crate::contest::games::Contested;
use crate::engine::{Engine, EngineOptions};
use crate::protocol::client::{
    Client, ClientError, EngineCommand, EngineSizes, ReadyWord, Timeouts,
};
use crate::protocol::{Dialect, is_same};
use crate::search::MAX_HASH_MIB;

/// An engine that takes part in a match: the way to start it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Participant {
    /// The command that starts it; `None` for this program's own engine.
    pub command: Option<EngineCommand>,
    /// Its protocol; `None` to find out.
    pub protocol: Option<Dialect>,
    /// Its sizes, set where it has options for them.
    pub sizes: EngineSizes,
    /// Names and values of its options.
    pub options: Vec<(String, String)>,
    /// Its name in games; `None` for the name that it gives itself.
    pub name: Option<String>,
    /// True if it is started anew for every game.
    pub restart: bool,
}

impl Participant {
    /// Starts it, with its options set. The own engine plays by `rules`.
    ///
    /// # Errors
    ///
    /// If it does not start, does not answer, or lacks an option.
    pub fn start<G: Contested>(
        &self,
        rules: G::Rules,
        timeouts: Timeouts,
    ) -> Result<Client, ClientError> {
        self.start_again::<G>(rules, timeouts, ReadyWord::default())
    }

    /// As [`start`](Self::start), for an engine whose way of answering `isready` is known.
    fn start_again<G: Contested>(
        &self,
        rules: G::Rules,
        timeouts: Timeouts,
        ready: ReadyWord,
    ) -> Result<Client, ClientError> {
        let mut client = match &self.command {
            Some(command) => Client::start_again(command, self.protocol, timeouts, ready)?,
            None => {
                let seed = Some(0); // matches can be repeated
                let mut options = EngineOptions { rules, seed, ..EngineOptions::default() };
                options.hash_mib = self.own_hash_mib().unwrap_or(options.hash_mib);
                let engine = Engine::<G>::new(options).map_err(ClientError::Own)?;
                Client::within(engine, timeouts)?
            }
        };
        client.set_sizes(self.sizes)?;
        for (name, value) in &self.options {
            client.set_option(name, value)?;
        }
        client.wait_ready()?;
        Ok(client)
    }

    /// The transposition table of the own engine in MiB, for that engine to begin with: it takes no memory for another. `None`
    /// for the engine's own choice, also where the last value stated is none: setting it says so.
    fn own_hash_mib(&self) -> Option<usize> {
        match self.options.iter().rfind(|(name, _)| is_same(name, "Hash")) {
            Some((_, value)) => value.parse().ok().filter(|mib| (1..=MAX_HASH_MIB).contains(mib)),
            None => self.sizes.hash_mib,
        }
    }
}

/// An engine of one worker: kept from game to game as long as nothing is wrong with it.
#[derive(Debug)]
pub(crate) struct EngineSlot<'a, G: Contested> {
    participant: &'a Participant,
    rules: G::Rules,
    timeouts: Timeouts,
    client: Option<Client>,
    /// The engine's way of answering `isready`, as far as it was seen.
    ready: ReadyWord,
    /// The messages of an engine that was ended.
    warnings: Vec<String>,
}

impl<'a, G: Contested> EngineSlot<'a, G> {
    pub(crate) const fn new(
        participant: &'a Participant,
        rules: G::Rules,
        timeouts: Timeouts,
    ) -> Self {
        let ready = ReadyWord::Unknown;
        Self { participant, rules, timeouts, client: None, ready, warnings: Vec::new() }
    }

    /// Starts the engine, or prepares it for a new game, so that it knows nothing of earlier ones. An engine
    /// that has no command for that, or has died in the meantime, is started anew.
    pub(crate) fn start(&mut self) -> Result<(), ClientError> {
        let kept = self.client.take().filter(|_| !self.participant.restart);
        if let Some(mut client) = kept {
            if client.new_game().unwrap_or(false) {
                self.client = Some(client);
                return Ok(());
            }
            client.quit();
        }
        let mut client =
            self.participant.start_again::<G>(self.rules, self.timeouts, self.ready)?;
        client.new_game()?;
        self.ready = client.ready_word();
        self.client = Some(client);
        Ok(())
    }

    /// The engine, if it is running.
    pub(crate) const fn client(&mut self) -> Option<&mut Client> {
        self.client.as_mut()
    }

    /// Ends the engine.
    pub(crate) fn release(&mut self) {
        if let Some(mut client) = self.client.take() {
            self.warnings.extend(client.take_warnings());
            client.quit();
        }
    }

    /// Returns the messages of the engine before and between searches since the last call.
    pub(crate) fn take_warnings(&mut self) -> Vec<String> {
        let mut warnings = std::mem::take(&mut self.warnings);
        warnings.extend(self.client.iter_mut().flat_map(Client::take_warnings));
        warnings
    }

    /// The name of the engine.
    pub(crate) fn name(&self) -> String {
        self.participant.name.clone().unwrap_or_else(|| {
            self.client.as_ref().map_or_else(String::new, |c| c.name().to_owned())
        })
    }
}

/// Engines that a worker keeps running. One that plays again after that number of others is started anew, so that
/// tournaments of many engines need bounded memory.
const MOST_RUNNING: usize = 8;

/// The engines of one worker.
#[derive(Debug)]
pub(crate) struct EngineSlots<'a, G: Contested> {
    slots: Vec<EngineSlot<'a, G>>,
    /// Engines that may be running, the one that played last at the end.
    recent: Vec<usize>,
}

impl<'a, G: Contested> EngineSlots<'a, G> {
    pub(crate) fn new(
        participants: &'a [Participant],
        rules: G::Rules,
        timeouts: Timeouts,
    ) -> Self {
        let slots = participants.iter().map(|one| EngineSlot::new(one, rules, timeouts)).collect();
        Self { slots, recent: Vec::new() }
    }

    /// Starts two different engines or prepares them for a new game; `None` if there are no such two. An error comes
    /// with the number of the engine.
    pub(crate) fn start(
        &mut self,
        engines: [usize; 2],
    ) -> Result<Option<[&mut EngineSlot<'a, G>; 2]>, (usize, ClientError)> {
        self.recent.retain(|engine| !engines.contains(engine));
        while self.recent.len() + engines.len() > MOST_RUNNING {
            let oldest = self.recent.remove(0);
            self.slots[oldest].release();
        }
        self.recent.extend(engines);
        let Ok(mut slots) = self.slots.get_disjoint_mut(engines) else { return Ok(None) };
        for (slot, engine) in slots.iter_mut().zip(engines) {
            slot.start().map_err(|error| (engine, error))?;
        }
        Ok(Some(slots))
    }

    /// Ends all of them.
    pub(crate) fn release(&mut self) {
        self.slots.iter_mut().for_each(EngineSlot::release);
    }
}
