//! Building tables: smaller ones first, each material solved in memory and written whole.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use super::arena::TableArena;
use super::content::content_hash;
use super::format::{self, Label, TableError, TableFile, file_name};
use super::index::Index;
use super::material::Material;
use super::solve::{SolveError, Watch, solve};
use super::table::Table;
use super::value::{Metric, Rules};

/// What to build tables with.
#[derive(Debug, Clone, Copy, Default)]
pub struct GenerateOptions {
    /// Which repetition rules.
    pub rules: Rules,
    /// What distances count.
    pub metric: Metric,
    /// Number of threads; as many as there are cores if not given.
    pub threads: Option<usize>,
    /// Most memory to use, in bytes; unlimited if not given.
    pub memory: Option<u64>,
}

/// Hears how the building of tables goes on. Every method may be called from any thread; the
/// defaults do nothing.
pub trait Progress: Sync {
    /// What has to be built, once, before it begins.
    fn planned(&self, tables: &[Estimate]) {
        let _unused = tables;
    }
    /// A table is begun, the `number`-th (from 1) of `of`.
    fn started(&self, estimate: &Estimate, number: usize, of: usize) {
        let _unused = (estimate, number, of);
    }
    /// `done` of `total` slots of the current table were looked at.
    fn examined(&self, done: u64, total: u64) {
        let _unused = (done, total);
    }
    /// The current table spreads the results of this order and distance.
    fn ply(&self, order: u16, distance: u16) {
        let _unused = (order, distance);
    }
    /// A table's proof is begun, the `number`-th (from 1) of `of`.
    fn verifying(&self, material: Material, number: usize, of: usize) {
        let _unused = (material, number, of);
    }
    /// `done` of `total` steps of a phase of the current proof are done.
    fn checked(&self, phase: &str, done: u64, total: u64) {
        let _unused = (phase, done, total);
    }
    /// Whether to give up; asked often.
    fn is_cancelled(&self) -> bool {
        false
    }
    /// A table is there.
    fn finished(&self, built: &Built) {
        let _unused = built;
    }
}

/// Progress that nobody hears.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoProgress;

impl Progress for NoProgress {}

/// What building a table takes, known before it begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Estimate {
    /// Which table.
    pub material: Material,
    /// Slots per side to move.
    pub slots: u64,
    /// Peak memory in bytes: the words of this table and of those its captures lead to, what is kept
    /// of others, and, where repetition decides, as much as a list of all slots for the lists of the
    /// rule rounds, which have no useful bound of their own.
    pub memory: u64,
}

/// A table that was built, or was there already.
#[derive(Debug, Clone)]
pub struct Built {
    /// Which table.
    pub material: Material,
    /// Its file.
    pub path: PathBuf,
    /// Size of the file in bytes.
    pub bytes: u64,
    /// Whether a valid table was there already.
    pub reused: bool,
}

/// What [`generate_all`] did.
#[derive(Debug, Clone, Default)]
pub struct Report {
    /// Every table asked for or needed, each after those its captures lead to.
    pub tables: Vec<Built>,
}

/// Why tables could not be built.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GenerateError {
    /// The material has too many positions.
    #[error("{0} has more than 4 billion slots for each side; no table of it can be built")]
    TooLarge(Material),
    /// The memory allowed does not suffice.
    #[error(
        "{material} needs about {} MiB of memory, {} MiB are allowed; raise --memory",
        needed.div_ceil(1 << 20), allowed >> 20
    )]
    Memory {
        /// Which table.
        material: Material,
        /// Bytes needed.
        needed: u64,
        /// Bytes allowed.
        allowed: u64,
    },
    /// A line of play does not fit in the words of the generator.
    #[error("{0} has lines too long for a table")]
    TooDeep(Material),
    /// A position has too many moves for the words of the generator.
    #[error(
        "{0} has positions with more moves than the generator counts; no table of it can be built"
    )]
    TooManyMoves(Material),
    /// The threads could not be started.
    #[error("cannot start threads: {0}")]
    Threads(String),
    /// [`Progress::is_cancelled`] said so.
    #[error("interrupted; finished tables are kept, run the command again to go on")]
    Interrupted,
    /// A file could not be read or written.
    #[error(transparent)]
    Table(#[from] TableError),
}

/// Builds the tables of `materials` and all those their captures lead to, in `dir`, which is created
/// if need be. Valid tables that are there already are kept, those of an older format built again.
/// The files do not depend on the number of threads.
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
    let needed = with_captures(materials);
    let is_too_large = |material: &&Material| Index::count_slots(**material).is_none();
    // Those asked for come first: they are what the message should name.
    if let Some(&material) = materials.iter().chain(&needed).find(is_too_large) {
        return Err(GenerateError::TooLarge(material));
    }
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(options.threads.unwrap_or(0))
        .build()
        .map_err(|error| GenerateError::Threads(error.to_string()))?;
    let mut workshop =
        Workshop { dir, options, progress, shelf: HashMap::new(), contents: HashMap::new() };
    let mut report = Report::default();
    workshop.plan(&needed)?;
    std::fs::create_dir_all(dir)
        .map_err(|source| TableError::Write { path: dir.to_owned(), source })?;
    workshop.sweep(&needed);
    pool.install(|| {
        for (i, &material) in needed.iter().enumerate() {
            let built = workshop.provide(material, i + 1, needed.len())?;
            progress.finished(&built);
            tracing::info!(%material, "table at hand");
            report.tables.push(built);
        }
        Ok(report)
    })
}

/// The materials and all that captures lead to, fewest men first.
pub(super) fn with_captures(materials: &[Material]) -> Vec<Material> {
    let mut all = BTreeSet::new();
    let mut rest: Vec<Material> = materials.to_vec();
    while let Some(material) = rest.pop() {
        if all.insert((material.men(), material)) {
            rest.extend(material.captures());
        }
    }
    all.into_iter().map(|(_, material)| material).collect()
}

/// A finished table at hand, and its content hash.
type Shelved = (Arc<Table>, [u8; 32]);

/// Bytes of tables kept at hand beyond those needed next.
const SHELF_LEN: u64 = 64 << 20;
/// Bytes of what does not grow with the tables: threads, buffers, the program.
const OWN_LEN: u64 = 16 << 20;
/// Bytes of a slot in the lists of the rule rounds.
const LISTED_LEN: u64 = 4;

/// Unfinished files that have not been written to for this time belong to no run any more.
const LEFT_BEHIND: Duration = Duration::from_hours(1);

struct Workshop<'a> {
    dir: &'a Path,
    options: &'a GenerateOptions,
    progress: &'a dyn Progress,
    shelf: HashMap<Material, Shelved>,
    /// The content hashes of all tables provided so far.
    contents: HashMap<Material, [u8; 32]>,
}

impl Workshop<'_> {
    /// Announces what has to be built, and refuses what exceeds the memory allowed.
    fn plan(&self, needed: &[Material]) -> Result<(), GenerateError> {
        let GenerateOptions { rules, metric, .. } = *self.options;
        let is_to_build = |&&material: &&Material| {
            TableFile::open(self.dir, material, rules, metric)
                .is_err_and(|error| is_to_build(&error))
        };
        let absent = needed.iter().filter(is_to_build);
        let estimates: Vec<Estimate> =
            absent.filter_map(|&material| estimate(material, rules)).collect();
        self.progress.planned(&estimates);
        for &Estimate { material, memory: needed, .. } in &estimates {
            if let Some(allowed) = self.options.memory.filter(|&allowed| allowed < needed) {
                return Err(GenerateError::Memory { material, needed, allowed });
            }
        }
        Ok(())
    }

    /// Removes what killed runs left of unfinished files. Young ones may be those of another run.
    fn sweep(&self, needed: &[Material]) {
        let GenerateOptions { rules, metric, .. } = *self.options;
        let prefixes: Vec<String> = needed
            .iter()
            .map(|&material| format!(".{}.part-", file_name(material, rules, metric)))
            .collect();
        for entry in std::fs::read_dir(self.dir).into_iter().flatten().flatten() {
            let name = entry.file_name();
            let name = name.to_string_lossy();
            let age = entry.metadata().and_then(|data| data.modified()).map(|time| time.elapsed());
            let is_old = matches!(age, Ok(Ok(age)) if age > LEFT_BEHIND);
            if is_old && prefixes.iter().any(|prefix| name.starts_with(prefix)) {
                let removed = std::fs::remove_file(entry.path());
                tracing::debug!(%name, ?removed, "left behind");
            }
        }
    }

    /// Builds the table unless it is there.
    fn provide(
        &mut self,
        material: Material,
        number: usize,
        of: usize,
    ) -> Result<Built, GenerateError> {
        let GenerateOptions { rules, metric, .. } = *self.options;
        let path = self.dir.join(file_name(material, rules, metric));
        if let Some(bytes) = self.existing(material)? {
            return Ok(Built { material, path, bytes, reused: true });
        }
        let estimate = estimate(material, rules).ok_or(GenerateError::TooLarge(material))?;
        self.progress.started(&estimate, number, of);
        if let Some(allowed) = self.options.memory.filter(|&allowed| allowed < estimate.memory) {
            return Err(GenerateError::Memory { material, needed: estimate.memory, allowed });
        }
        self.fetch(material)?;
        let bytes = self.build(material, &path)?;
        Ok(Built { material, path, bytes, reused: false })
    }

    /// The size of the table's file if it is there, in this format, undamaged and built from the
    /// smaller tables that are there.
    fn existing(&mut self, material: Material) -> Result<Option<u64>, GenerateError> {
        let GenerateOptions { rules, metric, .. } = *self.options;
        match TableFile::open(self.dir, material, rules, metric) {
            Ok(file) => {
                file.check_sums()?;
                file.check_dependencies(|left| self.contents.get(&left).copied())?;
                self.contents.insert(material, file.header.content);
                Ok(Some(file.bytes()))
            }
            Err(error) if is_to_build(&error) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Puts the tables that captures lead to on the shelf and others off it.
    fn fetch(&mut self, material: Material) -> Result<(), GenerateError> {
        let GenerateOptions { rules, metric, .. } = *self.options;
        let needed = material.captures();
        let total: u64 = self.shelf.values().map(|(table, _)| table.bytes()).sum();
        if total > SHELF_LEN {
            self.shelf.retain(|left, _| needed.contains(left));
        }
        for left in needed {
            if !self.shelf.contains_key(&left) {
                let file = TableFile::open(self.dir, left, rules, metric)?;
                let table = Arc::new(file.load()?);
                self.shelf.insert(left, (table, file.header.content));
            }
        }
        Ok(())
    }

    fn go_on(&self) -> Result<(), GenerateError> {
        if self.progress.is_cancelled() { Err(GenerateError::Interrupted) } else { Ok(()) }
    }

    fn build(&mut self, material: Material, path: &Path) -> Result<u64, GenerateError> {
        let GenerateOptions { rules, metric, .. } = *self.options;
        let index = Index::new(material).map_err(|_| GenerateError::TooLarge(material))?;
        let find = |left| self.shelf.get(&left).map(|(table, _)| Arc::clone(table));
        let arena = TableArena::new(index, metric, find).ok_or_else(|| {
            GenerateError::Table(TableError::Missing {
                material,
                dir: self.dir.to_owned(),
                rules,
                metric,
            })
        })?;
        let solution =
            solve(&arena, rules, &Listener(self.progress)).map_err(|error| match error {
                SolveError::TooDeep => GenerateError::TooDeep(material),
                SolveError::TooManyMoves => GenerateError::TooManyMoves(material),
                SolveError::Cancelled => GenerateError::Interrupted,
            })?;
        let table = Table::from_solution(arena.into_index(), solution);
        self.go_on()?;
        let content = content_hash(&table);
        self.go_on()?;
        let hash_of = |left: Material| {
            let hash = self.shelf.get(&left).map(|&(_, hash)| hash).unwrap_or_default();
            (left.to_string(), hash)
        };
        let dependencies = material.captures().into_iter().map(hash_of).collect();
        let label = Label { rules, metric, dependencies, content };
        let bytes = format::write(path, &table, label)?;
        self.contents.insert(material, content);
        self.shelf.insert(material, (Arc::new(table), content));
        Ok(bytes)
    }
}

/// Whether a table that cannot be opened for this reason is built.
fn is_to_build(error: &TableError) -> bool {
    error.is_missing() || error.is_older_format()
}

/// What building the table takes, those its captures lead to being there.
fn estimate(material: Material, rules: Rules) -> Option<Estimate> {
    let slots = u64::from(Index::count_slots(material)?);
    let words =
        |material: Material, slots: u64| if material.is_symmetric() { 2 } else { 4 } * slots;
    let mut memory = words(material, slots) + slots / 4 + SHELF_LEN + OWN_LEN;
    if rules != Rules::None {
        memory += LISTED_LEN * slots;
    }
    for left in material.captures() {
        memory += words(left, u64::from(Index::count_slots(left)?));
    }
    Some(Estimate { material, slots, memory })
}

/// Passes on what the solver says.
struct Listener<'a>(&'a dyn Progress);

impl Watch for Listener<'_> {
    fn examined(&self, done: u64, total: u64) {
        self.0.examined(done, total);
    }
    fn ply(&self, order: u16, distance: u16) {
        self.0.ply(order, distance);
    }
    fn is_cancelled(&self) -> bool {
        self.0.is_cancelled()
    }
}

#[cfg(test)]
mod tests {
    use super::super::verify::mark_illegal;
    use super::*;

    fn load(dir: &Path, material: Material, rules: Rules) -> Table {
        let file = TableFile::open(dir, material, rules, Metric::Dtm).unwrap();
        let mut table = file.load().unwrap();
        mark_illegal(&mut table);
        table
    }

    #[test]
    fn what_killed_runs_left_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        let leave = |name: &str, hours| {
            let path = folder.path().join(name);
            let file = std::fs::File::create(&path).unwrap();
            file.set_modified(std::time::SystemTime::now() - Duration::from_hours(hours)).unwrap();
            path
        };
        let old = leave(".KNvK.check.dtm.jzt.part-abc", 2);
        let young = leave(".KNvK.check.dtm.jzt.part-abd", 0);
        let strange = leave(".KNvK.none.dtm.jzt.part-abc", 2);
        let materials = ["KNvK".parse().unwrap()];
        generate_all(folder.path(), &materials, &GenerateOptions::default(), &NoProgress).unwrap();
        assert_eq!([old, young, strange].map(|path| path.exists()), [false, true, true]);
    }

    /// What the rule of perpetual check adds are results of order 1 and up, and nothing else.
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
                        Some(entry) if entry.order > 0 => Some(super::super::Entry::DRAW),
                        _ => ruled,
                    };
                    assert_eq!(plain.meaning(a), expected, "{material}");
                }
            }
        }
    }
}
