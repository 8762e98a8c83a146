//! The engines of the settings: processes that the server owns, kept from request to request, and ended with it.

use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use axum::http::StatusCode;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::engine_facts::{EngineFacts, OWN};
use super::locked::locked;
use super::problem::Problem;
use crate::game_name::GameName;
use crate::language::error_messages::in_full;
use juzhong::bytes::StopFlag;
use juzhong::message::message;
use juzhong::protocol::client::{
    Client, ClientError, EngineEntry, EngineSizes, Timeouts, Tuning, is_engine_name,
};

/// The times that an engine may take.
const TIMEOUTS: Timeouts = Timeouts {
    start: Duration::from_secs(15),
    search: Duration::from_secs(3600),
    stop: Duration::from_secs(3),
};
/// The time in which those that search have ended once the server ends.
const CLOSING_TIME: Duration = Duration::from_secs(8);

/// The engines that requests may name.
pub(crate) struct Engines {
    pools: Vec<Arc<EnginePool>>,
    /// The engine of requests that name none; `None` for the own one.
    usual: Option<Arc<EnginePool>>,
}

impl Engines {
    /// The engines of these entries, and the one that is meant where none is named. They end once `stop` is set. Requests
    /// may ask for sizes up to `allowed` where an entry has none, and as many processes search at the same time as
    /// `most_at_once` says.
    pub(crate) fn new(
        entries: &[EngineEntry],
        usual: Option<&EngineEntry>,
        stop: &StopFlag,
        (allowed, most_at_once): (EngineSizes, usize),
    ) -> Self {
        let all = Arc::new(Semaphore::new(most_at_once));
        let pool = |entry: &EngineEntry| {
            let (stop, all) = (stop.clone(), Arc::clone(&all));
            Arc::new(EnginePool::new(entry.clone(), stop, all, allowed))
        };
        let mut pools: Vec<_> = entries.iter().map(pool).collect();
        let usual = usual.map(|entry| {
            let known = entries.iter().position(|known| known.name == entry.name);
            let name = if known.is_some() { entry.name.clone() } else { free_name(entry, entries) };
            // With the sizes of the command line, if there are some.
            let entry = EngineEntry { name, ..entry.clone() };
            let usual = pool(&entry);
            match known {
                Some(index) => pools[index] = Arc::clone(&usual),
                None => pools.push(Arc::clone(&usual)),
            }
            usual
        });
        Self { pools, usual }
    }

    /// Their names.
    pub(crate) fn names(&self) -> Vec<String> {
        self.pools.iter().map(|pool| pool.entry.name.clone()).collect()
    }

    /// The names of those that may play a game: not those of which another one is known.
    pub(crate) fn names_of(&self, game: GameName) -> Vec<String> {
        let of_game = self.pools.iter().filter(|pool| pool.may_play(game));
        of_game.map(|pool| pool.entry.name.clone()).collect()
    }

    /// The name of the engine that is meant where none is named, if that is not the own one.
    pub(crate) fn usual_name(&self) -> Option<String> {
        self.usual.as_ref().map(|pool| pool.entry.name.clone())
    }

    /// The engine of that name; `None` for the own one.
    pub(crate) fn find(&self, name: Option<&str>) -> Result<Option<Arc<EnginePool>>, Problem> {
        match name {
            None => Ok(self.usual.clone()),
            Some(OWN) => Ok(None),
            Some(name) => match self.pools.iter().find(|pool| pool.entry.name == name) {
                Some(pool) => Ok(Some(Arc::clone(pool))),
                None => Err(unknown(name)),
            },
        }
    }

    /// The engine of that name for a game; `None` for the own one, which is meant, too, where none is named and the usual one
    /// is of another game.
    pub(crate) fn find_for(
        &self,
        game: GameName,
        name: Option<&str>,
    ) -> Result<Option<Arc<EnginePool>>, Problem> {
        match self.find(name)? {
            Some(pool) if pool.may_play(game) => Ok(Some(pool)),
            Some(pool) if name.is_some() => Err(of_another_game(&pool.entry)),
            _ => Ok(None),
        }
    }

    /// Ends them all; waits for those that search, which have been stopped.
    pub(crate) async fn close(&self) {
        for pool in &self.pools {
            let all = pool.room.acquire_many(pool.entry.at_once as u32);
            let _late = tokio::time::timeout(CLOSING_TIME, all).await;
            pool.room.close();
            pool.idle().clear();
        }
    }
}

fn unknown(name: &str) -> Problem {
    let hint = "add it by `juzhong engine add NAME PROGRAM` and start the server again; /api/meta lists those that there are";
    Problem::not_found("no_engine", message!("the settings have no engine {name}")).with_hint(hint)
}

fn of_another_game(entry: &EngineEntry) -> Problem {
    let (name, game) = (&entry.name, entry.plays().unwrap_or_default());
    Problem::bad_request(message!("{name} is an engine of {game}"))
}

/// A name that requests can use for an engine that is none of the settings: of its program, as far as it goes.
fn free_name(entry: &EngineEntry, taken: &[EngineEntry]) -> String {
    let stem = std::path::Path::new(&entry.command.program).file_stem().unwrap_or_default();
    let stem = stem.to_string_lossy().into_owned();
    let is_fit = is_engine_name(&stem) && stem != OWN;
    let mut name = if is_fit { stem } else { "engine".to_owned() };
    while taken.iter().any(|other| other.name == name) {
        name.push('_');
    }
    name
}

/// The processes of one engine.
pub(crate) struct EnginePool {
    entry: EngineEntry,
    /// As many as may run at the same time.
    room: Arc<Semaphore>,
    /// As many as may run at the same time of all engines.
    all: Arc<Semaphore>,
    /// Those that wait for the next request.
    idle: Mutex<Vec<Client>>,
    stop: StopFlag,
    /// Sizes that requests may ask for where the entry has none.
    allowed: EngineSizes,
    /// The facts about it, once it was started.
    facts: Mutex<Option<EngineFacts>>,
}

impl EnginePool {
    fn new(entry: EngineEntry, stop: StopFlag, all: Arc<Semaphore>, allowed: EngineSizes) -> Self {
        let room = Arc::new(Semaphore::new(entry.at_once.max(1)));
        Self { entry, room, all, idle: Mutex::default(), stop, allowed, facts: Mutex::default() }
    }

    /// Returns true unless it is known to play another game.
    fn may_play(&self, game: GameName) -> bool {
        self.entry.plays().is_none_or(|known| known == game.name())
    }

    /// The facts about it, if it was started before.
    pub(crate) fn facts(&self) -> Option<EngineFacts> {
        locked(&self.facts).clone()
    }

    fn facts_of(&self, client: &Client) -> EngineFacts {
        let mut facts = locked(&self.facts);
        facts.get_or_insert_with(|| EngineFacts::of(client, &self.entry, self.allowed)).clone()
    }

    fn idle(&self) -> MutexGuard<'_, Vec<Client>> {
        locked(&self.idle)
    }

    /// The right to use one process, if there is room within `patience`.
    pub(crate) async fn lease(
        self: &Arc<Self>,
        patience: Duration,
    ) -> Result<EngineLease, Problem> {
        let both = async {
            // The own room first: who waits for a busy engine takes no place from other engines.
            let one = Arc::clone(&self.room).acquire_owned().await.ok()?;
            Some([one, Arc::clone(&self.all).acquire_owned().await.ok()?])
        };
        match tokio::time::timeout(patience, both).await {
            Ok(Some(permits)) => Ok(EngineLease { pool: Arc::clone(self), _permits: permits }),
            _ => Err(Problem::busy("this engine is searching for others; try again")),
        }
    }

    /// A process that knows nothing of earlier games: one that waits, if it can be told that, else a new one, which is
    /// given up while it starts once `stop` is set.
    fn client(&self, stop: &StopFlag) -> Result<Client, ClientError> {
        let waiting = self.idle().pop();
        if let Some(mut client) = waiting {
            if client.new_game().unwrap_or(false) {
                return Ok(client);
            }
            drop(client);
        }
        let mut client = self.entry.start_until(TIMEOUTS, stop)?;
        client.new_game()?;
        Ok(client)
    }

    /// Keeps a process for the next request, unless the server ends.
    fn keep(&self, client: Client) {
        let mut idle = self.idle();
        if !self.stop.is_set() && idle.len() < self.entry.at_once {
            idle.push(client);
        }
    }
}

/// The right to use one process of an engine.
pub(crate) struct EngineLease {
    pool: Arc<EnginePool>,
    _permits: [OwnedSemaphorePermit; 2],
}

impl EngineLease {
    /// Lets a process work, with the values of `tuning`, which are refused where it cannot have them. One that fails is
    /// ended, and the next request gets a new one. While it starts it is given up once `stop` is set.
    pub(crate) fn run<T>(
        self,
        stop: &StopFlag,
        tuning: &Tuning,
        work: impl FnOnce(&mut Client) -> Result<T, ClientError>,
    ) -> Result<T, Problem> {
        let Self { pool, .. } = &self;
        let mut client = pool.client(stop)?;
        if let Err(refusal) = pool.facts_of(&client).check(tuning) {
            pool.keep(client);
            return Err(refusal);
        }
        let untuned = client.tune(&pool.entry, tuning)?;
        let result = work(&mut client)?;
        if client.untune(untuned).unwrap_or(false) {
            pool.keep(client);
        }
        Ok(result)
    }

    /// Starts a process of its own for the one who holds this, and who ends it.
    pub(crate) fn start(&self, stop: &StopFlag) -> Result<Client, ClientError> {
        let mut client = self.pool.entry.start_until(TIMEOUTS, stop)?;
        client.new_game()?;
        Ok(client)
    }

    /// The facts about the engine; it is started for that if need be.
    pub(crate) fn facts(self, stop: &StopFlag) -> Result<EngineFacts, Problem> {
        if let Some(facts) = self.pool.facts() {
            return Ok(facts);
        }
        let client = self.pool.client(stop)?;
        let facts = self.pool.facts_of(&client);
        self.pool.keep(client);
        Ok(facts)
    }
}

impl From<ClientError> for Problem {
    fn from(error: ClientError) -> Self {
        let problem = Self::new(StatusCode::BAD_GATEWAY, "engine", in_full(&error));
        match error.remedy() {
            Some(remedy) => problem.with_hint(remedy),
            None => problem,
        }
    }
}
