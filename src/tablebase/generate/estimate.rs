//! Estimates of building tables, known before it begins: slots, memory, disk and time.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::bytes::machine;
use crate::tablebase::format::{TableError, TableFile, file_name};
use crate::tablebase::generate::options::{GenerateError, GenerateOptions};
use crate::tablebase::generate::subtable_pool;
use crate::tablebase::index::numbering::Index;
use crate::tablebase::material::Material;
use crate::tablebase::value::Rules;

/// Bytes of the program, its threads and buffers, the tables kept for later, and the lists of the
/// rule rounds.
const OWN_LEN: u64 = 64 << 20;
/// Bits of a slot and side to move while a table is solved: the word, and a mark.
const SLOT_BITS: u64 = 17;
/// Bits of the flags of a block of slots on one side, and the block's size.
const FLAG_BITS: u64 = 80;
const FLAG_BLOCK: u64 = 256;
/// Bits of a slot, for one side, of the values that captures give, kept while that side is packed:
/// the flags are gone by then.
const FREEDOM_BITS: u64 = 2;
/// Bytes of flags, or of the values that captures give, that [`OWN_LEN`] covers.
const FLAGS_LEN: u64 = 16 << 20;
/// Bytes of an index for a placement of a group: squares, mirror image, folding.
const INDEX_DIGIT_LEN: u64 = 24;
/// Bytes of the file's layout for a placement of a group.
const LAYOUT_DIGIT_LEN: u64 = 40;
/// Bytes of both that [`OWN_LEN`] covers.
const DIGITS_LEN: u64 = 8 << 20;
/// Bytes of a word.
const WORD_LEN: u64 = 2;

/// Slots of one side that a core solves and packs in a second where repetition draws. To measure it
/// again: the user time of `juzhong tablebase generate KRCvKR --rules none`, for 65.6 million.
const SLOTS_PER_SECOND: u64 = 3_000_000;
/// Percentage by which judging repetition prolongs that: nothing where few positions are endless,
/// twice as much where many are.
const CHECK_COST: u64 = 60;
/// The same for chases, which have states of their own.
const ASIAN_COST: u64 = 200;
/// Time of any table beside that of its slots: opening, index, writing to the disk.
const TABLE_TIME: Duration = Duration::from_millis(8);

/// Bytes of a file that the slots do not explain: the header.
const HEADER_LEN: u64 = 4 << 10;
/// Slots of one side, in a file, for a byte. The more pieces defend, the better a table packs; this is
/// for those that pack badly (attackers on both sides), so that most tables need less.
const SLOTS_PER_BYTE: u64 = 6;

/// The cost of building one table, those its captures lead to being there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Estimate {
    /// The material of the table.
    pub material: Material,
    /// Slots per side to move.
    pub slots: u64,
    /// 1 where the colours are symmetric, so that one side to move stands for both; else 2.
    pub sides: u64,
    /// Peak memory in bytes: 17 bits for each slot and side, the words of the one side needed of each
    /// table that a capture leads to, and 64 MiB; a quarter of a byte more for each slot beyond 67
    /// million, and the numbering of five pawns (some 220 MB).
    pub memory: u64,
    /// Size of the file in bytes, roughly, rather too much than too little.
    pub disk: u64,
    /// Time that one core needs, roughly; more cores share it.
    pub work: Duration,
}

/// The state of a table before building.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TableState {
    /// There is no such table.
    Absent,
    /// The table is of an older format, and will be replaced.
    Older,
    /// The table is there, with this number of bytes. Its blocks are checked before it is used.
    Present(u64),
}

/// A wanted table, or one that captures lead to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Needed {
    /// The cost of building it.
    pub estimate: Estimate,
    /// Its state, which says whether it has to be built.
    pub state: TableState,
}

/// The cost of building tables together.
#[derive(Debug, Clone)]
pub struct Workload {
    /// The folder.
    pub dir: PathBuf,
    /// All tables, each after those its captures lead to.
    pub tables: Vec<Needed>,
    /// Bytes free on the disk, where that is known.
    pub free: Option<u64>,
    /// Number of threads that will work.
    pub threads: usize,
}

impl Workload {
    /// The tables that have to be built.
    pub fn to_build(&self) -> impl Iterator<Item = &Estimate> {
        self.tables
            .iter()
            .filter(|table: &&Needed| !matches!(table.state, TableState::Present(_)))
            .map(|table| &table.estimate)
    }

    /// Slots for each side to move of all tables to build.
    #[must_use]
    pub fn slots(&self) -> u64 {
        self.to_build().map(|table| table.slots).sum()
    }

    /// Peak memory in bytes: that of the table that needs most. Tables built at the same time share it.
    #[must_use]
    pub fn memory(&self) -> u64 {
        self.to_build().map(|table| table.memory).max().unwrap_or(0)
    }

    /// Bytes that will be written, roughly.
    #[must_use]
    pub fn disk(&self) -> u64 {
        self.to_build().map(|table| table.disk).sum()
    }

    /// Time with all threads, roughly.
    #[must_use]
    pub fn time(&self) -> Duration {
        let work: Duration = self.to_build().map(|table| table.work).sum();
        work / u32::try_from(self.threads).unwrap_or(1).max(1)
    }

    /// Checks that all that has to be built fits in the memory allowed (unlimited if `None`) and on
    /// the disk.
    ///
    /// # Errors
    ///
    /// The first limit that is exceeded, see [`GenerateError`].
    pub fn check(&self, memory: Option<u64>) -> Result<(), GenerateError> {
        for &Estimate { material, memory: needed, .. } in self.to_build() {
            if let Some(allowed) = memory.filter(|&allowed| allowed < needed) {
                return Err(GenerateError::Memory { material, needed, allowed });
            }
        }
        let needed = self.disk();
        match self.free {
            Some(free) if free < needed => {
                Err(GenerateError::Disk { dir: self.dir.clone(), needed, free })
            }
            _ => Ok(()),
        }
    }
}

/// Plans the building of the tables of `materials` and all those their captures lead to. Nothing is
/// built or written.
///
/// # Errors
///
/// If a material has too many positions, or a table that is there cannot be used.
pub fn workload(
    dir: &Path,
    materials: &[Material],
    options: &GenerateOptions,
) -> Result<Workload, GenerateError> {
    let GenerateOptions { rules, metric, threads, .. } = *options;
    let mut tables = Vec::new();
    for material in with_captures(materials)? {
        let is_there = dir.join(file_name(material, rules, metric)).exists();
        let state = match TableFile::open(dir, material, rules, metric) {
            Ok(file) => TableState::Present(file.bytes()),
            Err(error) if error.is_older_format() => TableState::Older,
            Err(error) if is_there => return Err(error.into()),
            Err(_) => TableState::Absent,
        };
        let estimate = estimate(material, rules).ok_or(GenerateError::TooLarge(material))?;
        tables.push(Needed { estimate, state });
    }
    let free = machine::free_space(dir)
        .map_err(|source| TableError::Read { path: dir.to_owned(), source })?;
    let threads = threads.unwrap_or_else(machine::cores).get();
    Ok(Workload { dir: dir.to_owned(), tables, free, threads })
}

/// The materials and all that captures lead to, fewest pieces first.
///
/// # Errors
///
/// [`GenerateError::TooLarge`] for the first that has too many slots, before anything is listed: full
/// sets lead to a million others.
pub(crate) fn with_captures(materials: &[Material]) -> Result<Vec<Material>, GenerateError> {
    // The materials that captures lead to have fewer slots.
    if let Some(&material) =
        materials.iter().find(|material: &&Material| Index::count_slots(**material).is_none())
    {
        return Err(GenerateError::TooLarge(material));
    }
    let mut all = BTreeSet::new();
    let mut rest: Vec<Material> = materials.to_vec();
    while let Some(material) = rest.pop() {
        // By the number of pieces first: every capture leads to a material with fewer.
        if all.insert((material.men(), material)) {
            rest.extend(material.captures());
        }
    }
    Ok(all.into_iter().map(|(_, material)| material).collect())
}

/// Estimates the cost of building the table, those its captures lead to being there; `None` if it
/// has too many slots.
pub(crate) fn estimate(material: Material, rules: Rules) -> Option<Estimate> {
    let slots = u64::from(Index::count_slots(material)?);
    let sides = if material.is_symmetric() { 1 } else { 2 };
    // Flags are needed while solving, freedoms while writing: never both at once.
    let flags = sides * slots.div_ceil(FLAG_BLOCK) * FLAG_BITS / 8;
    let freedom = (slots * FREEDOM_BITS).div_ceil(8);
    let own = OWN_LEN + flags.max(freedom).saturating_sub(FLAGS_LEN);
    let own = own + digits_bytes(material).saturating_sub(DIGITS_LEN);
    let memory = own + (sides * slots * SLOT_BITS).div_ceil(8) + captured_bytes(material)?;
    let disk = HEADER_LEN + sides * slots / SLOTS_PER_BYTE;
    let cost = match rules {
        Rules::None => 0,
        Rules::Check => CHECK_COST,
        Rules::Asian => ASIAN_COST,
    };
    let millis = sides * slots * 10 * (100 + cost) / SLOTS_PER_SECOND;
    let work = TABLE_TIME + Duration::from_millis(millis);
    Some(Estimate { material, slots, sides, memory, disk, work })
}

/// Bytes of the numbering: the index and the layout of the file, and the indexes of the tables that
/// captures lead to.
fn digits_bytes(material: Material) -> u64 {
    let smaller = material.captures().into_iter().map(Index::count_digits);
    let own = Index::count_digits(material) * (INDEX_DIGIT_LEN + LAYOUT_DIGIT_LEN);
    own + smaller.map(|digits| digits * INDEX_DIGIT_LEN).sum::<u64>()
}

/// Bytes of the words needed of the tables that captures lead to.
pub(crate) fn captured_bytes(material: Material) -> Option<u64> {
    subtable_pool::needed_sides(material)
        .into_keys()
        .map(|left| Some(WORD_LEN * u64::from(Index::count_slots(left)?)))
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn estimate_of(name: &str) -> Estimate {
        estimate(name.parse().unwrap(), Rules::Check).unwrap()
    }

    #[test]
    fn memory_is_that_of_the_design() {
        for name in ["KRvKN", "KRCvKR", "KNPvKAABB"] {
            let Estimate { material, slots, memory, .. } = estimate_of(name);
            let captured = captured_bytes(material).unwrap();
            assert_eq!(memory, slots * 17 / 4 + (64 << 20) + captured, "{name}");
        }
        let Estimate { material, slots, memory, .. } = estimate_of("KPPPPPvK");
        let captured = captured_bytes(material).unwrap();
        let numbering = memory - (slots * 17 / 4 + slots / 4 + (48 << 20) + captured);
        assert!((200 << 20..250 << 20).contains(&numbering), "{numbering}");
        let symmetric = estimate_of("KRvKR");
        assert_eq!(symmetric.sides, 1);
        assert!(symmetric.memory < (64 << 20) + 5 * symmetric.slots / 2);
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let materials = ["KRvKN".parse().unwrap()];
        let mut plan = workload(folder.path(), &materials, &GenerateOptions::default()).unwrap();
        assert_eq!(plan.tables.len(), 4);
        assert!(plan.check(None).is_ok());
        assert!(plan.check(Some(plan.memory())).is_ok());
        let error = plan.check(Some(plan.memory() - 1)).unwrap_err();
        assert!(matches!(error, GenerateError::Memory { .. }), "{error}");
        plan.free = Some(plan.disk());
        assert!(plan.check(None).is_ok());
        plan.free = Some(plan.disk() - 1);
        let error = plan.check(None).unwrap_err();
        assert!(matches!(error, GenerateError::Disk { .. }), "{error}");
        let needed = crate::bytes::BinarySize(plan.disk()).to_string();
        assert!(error.to_string().contains(&format!("about {needed} in")), "{error}");
        plan.free = None;
        assert!(plan.check(None).is_ok());
    }
}
