//! Building tables: smaller ones first, each material solved in memory and written whole.
//!
//! Small tables are built several at a time, each by one thread; large ones one after the other, each
//! by all threads. Since a table has more slots than those its captures lead to, all small ones can
//! come first. The memory of the largest table bounds that of all.

use std::collections::{BTreeMap, HashMap};
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::tablebase::format;
use crate::tablebase::format::{Label, TableError, TableFile, file_name};
use crate::tablebase::generate::checkpoint::{self, Checkpoint, Identity};
use crate::tablebase::generate::estimate::{Estimate, Workload, captured_bytes, workload};
use crate::tablebase::generate::lock::Site;
use crate::tablebase::generate::options::{GenerateError, GenerateOptions};
use crate::tablebase::generate::subtable_pool::SubtablePool;
use crate::tablebase::index::numbering::Index;
use crate::tablebase::material::Material;
use crate::tablebase::probe::tables::Tables;
use crate::tablebase::solve::chase_play::ChasePlay;
use crate::tablebase::solve::content::content_hash;
use crate::tablebase::solve::game_graph::TableGraph;
use crate::tablebase::solve::snapshot::STATE_VERSION;
use crate::tablebase::solve::solver::{SolveError, Watch, solve_with};
use crate::tablebase::solve::table::Table;

use crate::bytes::lock::Claim;
use crate::bytes::{StopFlag, machine};

/// The phase of building a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// Every slot gets its first look; `done` of `total` have had it.
    Looking {
        /// Slots looked at.
        done: u64,
        /// All slots.
        total: u64,
    },
    /// Results of this order and distance in plies spread to the positions before.
    Spreading {
        /// The round of the repetition rule; 0 before the first.
        order: u16,
        /// Plies.
        distance: u16,
    },
    /// The repetition rule is judged in this round.
    Judging {
        /// The round, from 1.
        order: u16,
    },
    /// The content hash is computed.
    Hashing,
    /// The blocks are packed and written.
    Packing,
}

/// Receives the progress of building tables. Every method may be called from any thread, and
/// several tables may be at work at once; the defaults do nothing.
pub trait Progress: Sync {
    /// The tables to build, reported once before it begins.
    fn planned(&self, plan: &Workload) {
        let _unused = plan;
    }
    /// A table is begun, the `number`-th (from 1) of `of`.
    fn started(&self, estimate: &Estimate, number: usize, of: usize) {
        let _unused = (estimate, number, of);
    }
    /// The phase of a table at work; called often.
    fn phase(&self, material: Material, phase: Phase) {
        let _unused = (material, phase);
    }
    /// Another process, perhaps of this number, builds the table: it is waited for.
    fn waiting(&self, material: Material, process: Option<u32>) {
        let _unused = (material, process);
    }
    /// A table's proof is begun, the `number`-th (from 1) of `of`.
    fn verifying(&self, material: Material, number: usize, of: usize) {
        let _unused = (material, number, of);
    }
    /// `done` of `total` steps of a phase of the current proof are done.
    fn checked(&self, phase: &str, done: u64, total: u64) {
        let _unused = (phase, done, total);
    }
    /// A table is there.
    fn finished(&self, built: &Built) {
        let _unused = built;
    }
}

/// Ignores all progress.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoProgress;

impl Progress for NoProgress {}

/// A table that was built, or was there already.
#[derive(Debug, Clone)]
pub struct Built {
    /// The material of the table.
    pub material: Material,
    /// Its file.
    pub path: PathBuf,
    /// Size of the file in bytes.
    pub bytes: u64,
    /// True if a valid table was there already.
    pub reused: bool,
}

/// The result of [`generate_all`].
#[derive(Debug, Clone, Default)]
pub struct Report {
    /// Every table wanted or needed, each after those its captures lead to.
    pub tables: Vec<Built>,
}

/// Tables of at most this number of slots per side to move are built by one thread each,
const SMALL: u64 = 1 << 20;
/// if all together have this number of times as many slots for each thread: else too few are left
/// in the end for all threads.
const SHARE: u64 = 4;
/// Most tables at work at once: their memory is part of every estimate's share for the program.
const MOST_AT_ONCE: usize = 8;
/// Bytes of tables kept at hand even where the largest table leaves no room: part of every
/// estimate's share for the program.
const MIN_POOL_BYTES: u64 = 4 << 20;
/// Time to wait before looking again for a table that another process builds.
const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// Builds the tables of `materials` and all those their captures lead to, in `dir`, which is created
/// if need be. Valid tables that are there already are kept, those of version 2 too; those of version 1
/// are built again. The files do not depend on the number of threads. Several processes may build in one
/// folder at the same time: each table is built by one of them.
///
/// # Errors
///
/// See [`GenerateError`]; tables finished before stay.
pub fn generate_all(
    dir: &Path,
    materials: &[Material],
    options: &GenerateOptions,
    progress: &dyn Progress,
) -> Result<Report, GenerateError> {
    let plan = workload(dir, materials, options)?;
    progress.planned(&plan);
    plan.check(options.memory)?;
    let generator = Generator::open(dir, &plan, options, progress)?;
    let slots: u64 = plan.tables.iter().map(|table| table.estimate.slots).sum();
    let most = SMALL.min(slots / (SHARE * plan.threads.max(1) as u64));
    let (small, large): (Vec<_>, Vec<_>) = plan
        .tables
        .iter()
        .map(|table| table.estimate)
        .partition(|planned: &Estimate| planned.slots <= most);
    let at_once = plan.threads.min(MOST_AT_ONCE);
    generator.provide_all(&small, at_once, 1)?;
    generator.provide_all(&large, 1, plan.threads)?;
    Ok(generator.into_report())
}

struct Generator<'a> {
    dir: &'a Path,
    options: &'a GenerateOptions,
    progress: &'a dyn Progress,
    /// `None` where nothing has to be built.
    site: Option<Site>,
    subtables: SubtablePool,
    /// Peak memory in bytes.
    memory: u64,
    /// The place of every table in the order of building, from 1.
    numbers: HashMap<Material, usize>,
    state: Mutex<BuildState>,
    /// A table was finished.
    news: Condvar,
}

#[derive(Default)]
struct BuildState {
    /// By number: the tables provided so far.
    done: BTreeMap<usize, Built>,
    /// Their content hashes.
    contents: HashMap<Material, [u8; 32]>,
    /// The error of the table with the lowest number.
    failed: Option<(usize, GenerateError)>,
}

impl BuildState {
    /// Returns true if the tables that captures lead to are there.
    fn is_ready(&self, material: Material) -> bool {
        material.captures().iter().all(|left| self.contents.contains_key(left))
    }
}

impl<'a> Generator<'a> {
    fn open(
        dir: &'a Path,
        plan: &Workload,
        options: &'a GenerateOptions,
        progress: &'a dyn Progress,
    ) -> Result<Self, GenerateError> {
        let has_work = plan.to_build().next().is_some();
        if !has_work {
            Site::tidy(dir);
        }
        let site = has_work
            .then(|| Site::enter(dir))
            .transpose()
            .map_err(|source| TableError::Write { path: dir.to_owned(), source })?;
        let materials = plan.tables.iter().map(|table| table.estimate.material);
        Ok(Self {
            dir,
            options,
            progress,
            site,
            subtables: SubtablePool::new(plan.to_build().map(|table| table.material)),
            memory: plan.memory(),
            numbers: materials.zip(1..).collect(),
            state: Mutex::default(),
            news: Condvar::new(),
        })
    }

    fn into_report(self) -> Report {
        let state = self.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        Report { tables: state.done.into_values().collect() }
    }

    fn lock(&self) -> MutexGuard<'_, BuildState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Provides the tables, `at_once` at a time with `threads` threads each.
    fn provide_all(
        &self,
        tables: &[Estimate],
        at_once: usize,
        threads: usize,
    ) -> Result<(), GenerateError> {
        let waiting = Mutex::new(tables.to_vec());
        let pools = (0..at_once.min(tables.len())).map(|_| machine::pool(NonZero::new(threads)));
        let pools = pools
            .collect::<Result<Vec<_>, _>>()
            .map_err(|error| GenerateError::Threads(error.to_string()))?;
        std::thread::scope(|scope| {
            for pool in &pools {
                scope.spawn(|| pool.install(|| self.work(&waiting)));
            }
        });
        self.lock().failed.take().map_or(Ok(()), |(_, error)| Err(error))
    }

    /// Provides tables, `waiting` in the order of building, until there are none left or something
    /// fails.
    fn work(&self, waiting: &Mutex<Vec<Estimate>>) {
        // Those that other processes build, to be looked for again.
        let mut elsewhere: Vec<Estimate> = Vec::new();
        loop {
            if self.options.stop.is_set() {
                self.fail(usize::MAX, GenerateError::Interrupted);
            }
            let state = self.lock();
            if state.failed.is_some() {
                return;
            }
            let provided = state.done.len();
            let mut list = locked(waiting);
            // The first that can be built: the list is in the order of building, in which no table comes
            // before those it needs.
            let ready = list.iter().position(|table| state.is_ready(table.material));
            let taken = ready.map(|at| list.remove(at));
            // Both locks are let go of before a table is built, which may take hours.
            drop((list, state));
            let Some(table) = taken else {
                locked(waiting).append(&mut elsewhere);
                if locked(waiting).is_empty() {
                    return;
                }
                self.wait(provided);
                continue;
            };
            let number = self.numbers[&table.material];
            match self.provide(&table, number) {
                Ok(true) => {}
                Ok(false) => elsewhere.push(table),
                Err(error) => self.fail(number, error),
            }
            self.news.notify_all();
        }
    }

    /// Waits until more tables are provided than there were, or for some time.
    fn wait(&self, provided: usize) {
        drop(self.news.wait_timeout_while(self.lock(), POLL_INTERVAL, |state: &mut BuildState| {
            state.done.len() == provided && state.failed.is_none()
        }));
    }

    fn fail(&self, number: usize, error: GenerateError) {
        let mut state = self.lock();
        // Of several errors the one of the first table, whatever thread is faster.
        if state.failed.as_ref().is_none_or(|(first, _)| number < *first) {
            state.failed = Some((number, error));
        }
    }

    /// Makes a table be there; returns `false` if another process may be building it.
    fn provide(&self, table: &Estimate, number: usize) -> Result<bool, GenerateError> {
        let GenerateOptions { rules, metric, .. } = *self.options;
        let material = table.material;
        let name = file_name(material, rules, metric);
        let path = self.dir.join(&name);
        let mut existing = self.existing(material)?;
        let mut claim = None;
        if let (None, Some(site)) = (&existing, &self.site) {
            let claimed = site.claim(&name);
            match claimed.map_err(|source| TableError::Write { path: path.clone(), source })? {
                Claim::Ours(lock) => claim = Some(lock),
                Claim::Others(process) => {
                    self.progress.waiting(material, process);
                    return Ok(false);
                }
            }
            // Another process may just have finished it.
            existing = self.existing(material)?;
        }
        let reused = existing.is_some();
        let (bytes, content) = match existing {
            Some(found) => found,
            None => {
                self.progress.started(table, number, self.numbers.len());
                self.make_room(table);
                self.build(table, &path)?
            }
        };
        drop(claim);
        self.subtables.finished(material);
        let built = Built { material, path, bytes, reused };
        self.progress.finished(&built);
        tracing::info!(%material, "table at hand");
        let mut state = self.lock();
        state.contents.insert(material, content);
        state.done.insert(number, built);
        Ok(true)
    }

    /// The size and content hash of the table's file if it is there, in this format, undamaged and
    /// built from the smaller tables that are there.
    fn existing(&self, material: Material) -> Result<Option<(u64, [u8; 32])>, GenerateError> {
        let GenerateOptions { rules, metric, .. } = *self.options;
        match TableFile::open(self.dir, material, rules, metric) {
            Ok(file) => {
                file.check_sums()?;
                file.check_dependencies(|left| {
                    Some(self.lock().contents.get(&left).copied().unwrap_or_default())
                })?;
                Ok(Some((file.bytes(), file.header.content)))
            }
            Err(error) if error.is_missing() || error.is_older_format() => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Leaves no more tables at hand than the peak memory has room for beside this one.
    fn make_room(&self, table: &Estimate) {
        // The estimate includes the smaller tables, which are what the pool holds.
        let own = table.memory - captured_bytes(table.material).unwrap_or(0);
        let room = (self.memory + MIN_POOL_BYTES).saturating_sub(own);
        self.subtables.shrink(room);
    }

    /// Solves a table and writes it; its size and content hash.
    fn build(&self, planned: &Estimate, path: &Path) -> Result<(u64, [u8; 32]), GenerateError> {
        let GenerateOptions { rules, metric, .. } = *self.options;
        let material = planned.material;
        let graph = self.graph(material)?;
        let listener = Listener { progress: self.progress, stop: &self.options.stop, material };
        let checkpoint = self.checkpoint(planned, path);
        let solution = solve_with(&graph, rules, ChasePlay::solve, &listener, &checkpoint);
        let mut solution = solution.map_err(|error| match error {
            SolveError::TooDeep => GenerateError::TooDeep(material),
            SolveError::TooManyMoves => GenerateError::TooManyMoves(material),
            SolveError::Cancelled => GenerateError::Interrupted,
        })?;
        let good_captures = std::mem::take(&mut solution.good_captures);
        let table = Table::from_solution(Arc::clone(graph.index()), solution);
        self.enter(material, Phase::Hashing)?;
        let content = content_hash(&table);
        self.enter(material, Phase::Packing)?;
        let dependencies = self.dependencies(material);
        let label = Label { rules, metric, dependencies, content };
        let bytes = format::write(path, &table, label, &graph, &good_captures)?;
        // Only after the table is there under its name.
        checkpoint.remove();
        self.subtables.put(table);
        Ok((bytes, content))
    }

    /// The tables that captures lead to and their content hashes.
    fn dependencies(&self, material: Material) -> Vec<(String, [u8; 32])> {
        let state = self.lock();
        material
            .captures()
            .iter()
            .map(|left| (left.to_string(), state.contents.get(left).copied().unwrap_or_default()))
            .collect()
    }

    fn checkpoint(&self, planned: &Estimate, path: &Path) -> Checkpoint {
        let identity = Identity {
            tool: format::TOOL.to_owned(),
            state: STATE_VERSION,
            material: planned.material.to_string(),
            rules: self.options.rules.to_string(),
            metric: self.options.metric.to_string(),
            slots: planned.slots,
            dependencies: self.dependencies(planned.material),
        };
        let interval = self.options.checkpoint_interval.unwrap_or(checkpoint::INTERVAL);
        Checkpoint::new(path, identity, interval, planned)
    }

    /// The positions of a material, with the tables that captures lead to.
    fn graph(&self, material: Material) -> Result<TableGraph, GenerateError> {
        let GenerateOptions { rules, metric, .. } = *self.options;
        let mut folder = None;
        let smaller = self.subtables.fetch(material, |left, sides| {
            let tables = match &folder {
                Some(tables) => tables,
                None => folder.insert(Tables::open(self.dir, rules, metric)?),
            };
            tables.load(left, sides)
        })?;
        let index = Index::new(material).map_err(|_| GenerateError::TooLarge(material))?;
        let graph = TableGraph::new(index, metric, |left| smaller.get(&left).cloned());
        graph.ok_or_else(|| {
            let dir = self.dir.to_owned();
            TableError::Missing { material, dir, rules, metric }.into()
        })
    }

    /// Reports a phase, unless all is to end.
    fn enter(&self, material: Material, phase: Phase) -> Result<(), GenerateError> {
        if self.options.stop.is_set() {
            return Err(GenerateError::Interrupted);
        }
        self.progress.phase(material, phase);
        Ok(())
    }
}

/// The tables that nobody has taken yet.
fn locked(waiting: &Mutex<Vec<Estimate>>) -> MutexGuard<'_, Vec<Estimate>> {
    waiting.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Passes the solver's progress on.
struct Listener<'a> {
    progress: &'a dyn Progress,
    stop: &'a StopFlag,
    material: Material,
}

impl Watch for Listener<'_> {
    fn examined(&self, done: u64, total: u64) {
        self.progress.phase(self.material, Phase::Looking { done, total });
    }
    fn ply(&self, order: u16, distance: u16) {
        self.progress.phase(self.material, Phase::Spreading { order, distance });
    }
    fn judging(&self, order: u16) {
        self.progress.phase(self.material, Phase::Judging { order });
    }
    fn is_cancelled(&self) -> bool {
        self.stop.is_set()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tablebase::Entry;
    use crate::tablebase::value::{Metric, Rules};
    use crate::tablebase::verify::verifier::mark_illegal;

    fn load(dir: &Path, material: Material, rules: Rules) -> Table {
        let tables = Tables::open(dir, rules, Metric::Dtm).unwrap();
        let mut table = tables.load(material, [true; 2]).unwrap();
        mark_illegal(&mut table);
        table
    }

    #[test]
    fn a_table_built_from_another_than_the_one_beside_it_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let options = GenerateOptions::default();
        let materials = ["KNvKA".parse().unwrap()];
        generate_all(folder.path(), &materials, &options, &NoProgress).unwrap();
        let plan = workload(folder.path(), &materials, &options).unwrap();
        let generator = Generator::open(folder.path(), &plan, &options, &NoProgress).unwrap();
        for name in ["KNvK", "KAvK"] {
            let material = name.parse().unwrap();
            let file = TableFile::open(folder.path(), material, options.rules, options.metric);
            generator.lock().contents.insert(material, file.unwrap().header.content);
        }
        assert!(generator.existing(materials[0]).unwrap().is_some());
        generator.lock().contents.insert("KAvK".parse().unwrap(), [1; 32]);
        let error = generator.existing(materials[0]).unwrap_err().to_string();
        assert!(error.contains("built from another KAvK") && error.contains("remove"), "{error}");
    }

    /// Small tables are built before large ones.
    #[test]
    fn tables_have_more_slots_than_those_their_captures_lead_to() {
        for material in Material::all_up_to(6) {
            let slots = Index::count_slots(material);
            let smaller = material.captures().into_iter().map(Index::count_slots);
            assert!(smaller.max().is_none_or(|most| most < slots), "{material}");
        }
    }

    /// The rule of perpetual check adds results of order 1 and up, and nothing else.
    #[test]
    fn without_the_rule_there_is_order_0_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let materials = Material::all_up_to(4);
        for rules in Rules::ALL {
            let options = GenerateOptions { rules, ..GenerateOptions::default() };
            generate_all(folder.path(), &materials, &options, &NoProgress).unwrap();
        }
        for material in materials {
            let plain = load(folder.path(), material, Rules::None);
            let ruled = load(folder.path(), material, Rules::Check);
            assert_eq!(plain.last_order(), 0, "{material}");
            for (plain_side, ruled_side) in plain.words.iter().zip(&ruled.words) {
                for (&a, &b) in plain_side.iter().zip(ruled_side) {
                    let ruled = ruled.meaning(b);
                    let expected = match ruled {
                        Some(entry) if entry.order > 0 => Some(Entry::DRAW),
                        _ => ruled,
                    };
                    assert_eq!(plain.meaning(a), expected, "{material}");
                }
            }
        }
    }
}
