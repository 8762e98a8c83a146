//! Answers for positions from a folder of tables.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use super::format::{Section, TableError, TableFile, material_of_file};
use super::material::Material;
use super::table::{Table, locate_position};
use super::value::{Entry, Metric, Rules, Wdl};
use crate::game::MoveList;
use crate::xiangqi::{Move, Position};

/// Number of independently locked parts of the block cache.
const SHARDS: usize = 16;
/// Blocks of at most 32 KiB that each part keeps.
const SHARD_BLOCKS: usize = 128;
/// How many checks and answers are followed to tell a loop from what leads to it. A heuristic bound:
/// what only leads to a loop over more answers than these is taken for the loop itself. That may
/// change which of several winning moves of the same order comes first, never a result.
pub(super) const LOOP_DEPTH: u32 = 3;

/// A folder of tables with one set of rules and one metric. Tables are opened when first needed;
/// decoded blocks (at most 64 MiB) are kept and shared by all threads.
#[derive(Debug)]
pub struct Tables {
    dir: PathBuf,
    rules: Rules,
    metric: Metric,
    present: BTreeSet<Material>,
    most_men: usize,
    open: RwLock<HashMap<Material, Arc<TableFile>>>,
    cache: [Mutex<Shard>; SHARDS],
}

/// Why a position could not be looked up: see [`TableError`].
pub type ProbeError = TableError;

type BlockKey = (Material, Section, usize);

/// A part of the block cache; the least recently used block goes first.
#[derive(Debug, Default)]
struct Shard {
    blocks: HashMap<BlockKey, (Arc<[u8]>, u64)>,
    clock: u64,
}

impl Tables {
    /// Opens a folder. What is written into it afterwards is not seen.
    ///
    /// # Errors
    ///
    /// If the folder cannot be read.
    pub fn open(dir: &Path, rules: Rules, metric: Metric) -> Result<Self, TableError> {
        let failed = |source| TableError::Read { path: dir.to_owned(), source };
        let mut present = BTreeSet::new();
        for entry in std::fs::read_dir(dir).map_err(failed)? {
            let name = entry.map_err(failed)?.file_name();
            let name = name.to_str().unwrap_or_default();
            present.extend(material_of_file(name, rules, metric));
        }
        Ok(Self {
            dir: dir.to_owned(),
            rules,
            metric,
            most_men: present.iter().map(Material::men).max().unwrap_or(0),
            present,
            open: RwLock::default(),
            cache: std::array::from_fn(|_| Mutex::default()),
        })
    }

    /// Which repetition rules the tables follow.
    #[must_use]
    pub const fn rules(&self) -> Rules {
        self.rules
    }

    /// What the distances count.
    #[must_use]
    pub const fn metric(&self) -> Metric {
        self.metric
    }

    /// The materials of the folder.
    #[must_use]
    pub const fn materials(&self) -> &BTreeSet<Material> {
        &self.present
    }

    /// The most men (kings included) that any table of the folder has; 0 for an empty folder.
    #[must_use]
    pub const fn most_men(&self) -> usize {
        self.most_men
    }

    /// Whether the folder has the table of a position. Cheap: for search, before
    /// [`probe_wdl`](Self::probe_wdl).
    #[must_use]
    pub fn covers(&self, position: &Position) -> bool {
        position.occupied().len() as usize <= self.most_men
            && self.present.contains(&Material::of(position).0)
    }

    /// Win, draw or loss for the side to move.
    ///
    /// # Errors
    ///
    /// If the table is missing or damaged.
    pub fn probe_wdl(&self, position: &Position) -> Result<Wdl, ProbeError> {
        let (file, side, slot) = self.find(position)?;
        self.wdl(&file, side, slot)
    }

    /// The full value for the side to move.
    ///
    /// # Errors
    ///
    /// If the table is missing or damaged.
    pub fn probe(&self, position: &Position) -> Result<Entry, ProbeError> {
        let (file, side, slot) = self.find(position)?;
        let wdl = self.wdl(&file, side, slot)?;
        if wdl == Wdl::Draw {
            return Ok(Entry::DRAW);
        }
        let (block, place) = file.place(Section::Distance, side, slot);
        let raw = self.block(&file, Section::Distance, block)?;
        let (order, distance) = file.rank_at(&raw, block, place, wdl)?;
        Ok(Entry { wdl, order, distance })
    }

    /// The value of every legal move for the side that makes it, best first: wins by order, then
    /// distance; draws; losses, the longest resistance first. Distances count from this position.
    /// Equally good moves come in the order of their squares.
    ///
    /// # Errors
    ///
    /// If a table is missing or damaged.
    pub fn probe_root(&self, position: &Position) -> Result<Vec<(Move, Entry)>, ProbeError> {
        let mut position = position.clone();
        let mut values = self.child_values(&mut position)?;
        self.prefer_loops(&mut position, &mut values)?;
        values.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(&b.0)));
        Ok(values)
    }

    /// At distance 1 of a win by rule the position itself is in the deciding loop: there a quiet move
    /// that is no check and stays in the loop comes before every other, and has the position's
    /// value.
    fn prefer_loops(
        &self,
        position: &mut Position,
        values: &mut [(Move, Entry)],
    ) -> Result<(), ProbeError> {
        let own = self.probe(position)?;
        if own.wdl != Wdl::Win || own.order == 0 || own.distance != 1 {
            return Ok(());
        }
        let mut found = false;
        for (mv, value) in &mut *values {
            if !stays(position, *mv, *value, own.order) || position.gives_check(*mv) {
                continue;
            }
            let undo = position.play_unchecked(*mv);
            let in_loop = self.in_loop(position, own.order, LOOP_DEPTH);
            position.undo(*mv, undo);
            if in_loop? {
                value.distance = own.distance;
                found = true;
            }
        }
        if self.rules == Rules::Asian && !found {
            self.prefer_chases(position, values, own)?;
        }
        Ok(())
    }

    /// Whether a position lost in `order` belongs to the deciding loop, and not to what only leads
    /// there: every move but those that lose in a lower order, or by a capture, is a check, and each
    /// of these checks has a quiet answer that leads back into the loop. Answers are followed
    /// `depth` times.
    fn in_loop(&self, position: &mut Position, order: u16, depth: u32) -> Result<bool, ProbeError> {
        for (mv, value) in self.child_values(position)? {
            let leaves = value.order < order || position.piece_at(mv.to()).is_some();
            if leaves {
                continue;
            }
            if !position.gives_check(mv) {
                return Ok(false);
            }
            if depth > 0 {
                let undo = position.play_unchecked(mv);
                let answered = self.has_answer(position, order, depth - 1);
                position.undo(mv, undo);
                if !answered? {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    fn has_answer(
        &self,
        position: &mut Position,
        order: u16,
        depth: u32,
    ) -> Result<bool, ProbeError> {
        for (mv, value) in self.child_values(position)? {
            if !stays(position, mv, value, order) {
                continue;
            }
            let undo = position.play_unchecked(mv);
            let in_loop = self.in_loop(position, order, depth);
            position.undo(mv, undo);
            if in_loop? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The value of every legal move, in the order of generation.
    pub(super) fn child_values(
        &self,
        position: &mut Position,
    ) -> Result<Vec<(Move, Entry)>, ProbeError> {
        let mut moves = MoveList::new();
        position.append_legal(&mut moves);
        let mut values = Vec::with_capacity(moves.len());
        for mv in moves {
            let undo = position.play_unchecked(mv);
            let value = self.probe(position);
            position.undo(mv, undo);
            let value = value?;
            let is_capture = undo.captured().is_some();
            let value = if is_capture { self.metric.before_capture(value) } else { value.before() };
            values.push((mv, value));
        }
        Ok(values)
    }

    /// Reads the values of a table with the given sides of its index to move; the words of a side
    /// not asked for are empty. Illegal slots have arbitrary values.
    pub(super) fn load(&self, material: Material, sides: [bool; 2]) -> Result<Table, TableError> {
        let mut table = self.file(material)?.load()?;
        for (words, is_wanted) in table.words.iter_mut().zip(sides) {
            if !is_wanted {
                *words = Vec::new();
            }
        }
        Ok(table)
    }

    pub(super) fn file(&self, material: Material) -> Result<Arc<TableFile>, ProbeError> {
        let known = self.open.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(file) = known.get(&material) {
            return Ok(Arc::clone(file));
        }
        drop(known);
        if !self.present.contains(&material) {
            let (rules, metric) = (self.rules, self.metric);
            return Err(TableError::Missing { material, dir: self.dir.clone(), rules, metric });
        }
        let file = TableFile::open(&self.dir, material, self.rules, self.metric)?;
        let mut open = self.open.write().unwrap_or_else(PoisonError::into_inner);
        Ok(Arc::clone(open.entry(material).or_insert_with(|| Arc::new(file))))
    }

    /// The table of a position, and its side and slot there.
    fn find(&self, position: &Position) -> Result<(Arc<TableFile>, usize, u32), ProbeError> {
        let (material, swap) = Material::of(position);
        let file = self.file(material)?;
        let place = locate_position(&file.index, position, swap);
        let (side, slot) = place.ok_or_else(|| TableError::Contents {
            path: file.path().to_owned(),
            what: format!("no place for {}", position.to_fen()),
        })?;
        Ok((file, side, slot))
    }

    fn wdl(&self, file: &TableFile, side: usize, slot: u32) -> Result<Wdl, ProbeError> {
        let (block, place) = file.place(Section::Wdl, side, slot);
        let raw = self.block(file, Section::Wdl, block)?;
        file.wdl_at(&raw, block, place)
    }

    /// A decoded block, from the cache if it is there.
    fn block(
        &self,
        file: &TableFile,
        section: Section,
        block: usize,
    ) -> Result<Arc<[u8]>, ProbeError> {
        let key = (file.index.material, section, block);
        let shard = &self.cache[shard_of(&key)];
        let lock = || shard.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(raw) = lock().get(&key) {
            return Ok(raw);
        }
        let raw: Arc<[u8]> = file.block(section, block)?.into();
        lock().put(key, Arc::clone(&raw));
        Ok(raw)
    }
}

/// Whether a move of the winner keeps to a win of `order` without a capture.
pub(super) fn stays(position: &Position, mv: Move, value: Entry, order: u16) -> bool {
    value.wdl == Wdl::Win && value.order == order && position.piece_at(mv.to()).is_none()
}

fn shard_of(key: &BlockKey) -> usize {
    use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};
    BuildHasherDefault::<DefaultHasher>::default().hash_one(key) as usize % SHARDS
}

impl Shard {
    fn get(&mut self, key: &BlockKey) -> Option<Arc<[u8]>> {
        self.clock += 1;
        let (raw, used) = self.blocks.get_mut(key)?;
        *used = self.clock;
        Some(Arc::clone(raw))
    }

    fn put(&mut self, key: BlockKey, raw: Arc<[u8]>) {
        if self.blocks.len() >= SHARD_BLOCKS {
            let oldest = self.blocks.iter().min_by_key(|(_, (_, used))| *used).map(|(&key, _)| key);
            if let Some(oldest) = oldest {
                self.blocks.remove(&oldest);
            }
        }
        self.clock += 1;
        self.blocks.insert(key, (raw, self.clock));
    }
}
