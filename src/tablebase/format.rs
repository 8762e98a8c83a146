//! Tables on disk: one file for each material, rules and metric.
//!
//! ```text
//! header    sealed bincode (magic "JZTABLE\0", version, length, CRC32): see [`Header`]
//! wdl       compressed blocks, four slots a byte: 0 loss, 1 draw, 2 win
//! distance  compressed blocks, one byte a slot: the number of the (order, distance) pair among those
//!           of wins or of losses, whichever the slot is; where there are more than 256, blocks of
//!           half as many slots hold the low bytes and then the high bytes
//! ```
//!
//! Both sections hold the slots with the first side to move, then those with the second (which
//! colour-symmetric materials lack), each side beginning a block. Illegal slots, and draws in the
//! distance section, hold whatever compresses well.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::compress::{BLOCK_LEN, BlockRef, Packer, unpack};
use super::index::Index;
use super::material::Material;
use super::solve::{ILLEGAL, ORDER_LIMIT, RANK_LIMIT};
use super::table::{DRAW, Table};
use super::value::{Entry, Metric, Rules, Wdl};
use crate::bytes::atomic::AtomicFile;
use crate::bytes::map::MappedFile;
use crate::bytes::sealed::{self, Kind, SealError};

/// How the header is sealed.
const KIND: Kind = Kind { magic: *b"JZTABLE\0", version: 1, limit: 1 << 28 };

/// Slots of a block of the WDL section.
const WDL_SLOTS: usize = BLOCK_LEN * 4;

/// What a reader needs to know of a table before its blocks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Header {
    pub(super) material: String,
    pub(super) rules: String,
    pub(super) metric: String,
    /// The program that wrote it.
    pub(super) tool: String,
    /// Slots per side to move.
    pub(super) slots: u64,
    /// By side to move.
    pub(super) counts: [SideCounts; 2],
    /// The (order, distance) pairs of wins, ascending.
    pub(super) wins: Vec<(u16, u16)>,
    /// The (order, distance) pairs of losses, ascending.
    pub(super) losses: Vec<(u16, u16)>,
    /// The tables that captures lead to, by name, and their content hashes.
    pub(super) dependencies: Vec<(String, [u8; 32])>,
    /// See [`super::content`].
    pub(super) content: [u8; 32],
    pub(super) wdl: Vec<BlockRef>,
    pub(super) distance: Vec<BlockRef>,
}

/// The results of all positions with one side to move, over the whole board: mirror images counted
/// separately, identical men not distinguished.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct SideCounts {
    /// Won for the side to move.
    pub win: u64,
    /// Drawn.
    pub draw: u64,
    /// Lost for the side to move.
    pub loss: u64,
    /// Won by the repetition rule (order 1 and up); counted in `win` also.
    pub by_rule_win: u64,
    /// Lost by the repetition rule (order 1 and up); counted in `loss` also.
    pub by_rule_loss: u64,
    /// Plies of the longest win of order 0; 0 if there is none.
    pub longest_win: u16,
    /// A slot with that win.
    pub(super) longest_slot: Option<u32>,
    /// The highest order that occurs.
    pub last_order: u16,
}

impl SideCounts {
    pub(super) fn add(&mut self, entry: Entry, weight: u64, slot: u32) {
        let by_rule = if entry.order > 0 { weight } else { 0 };
        self.last_order = self.last_order.max(entry.order);
        match entry.wdl {
            Wdl::Draw => self.draw += weight,
            Wdl::Loss => {
                self.loss += weight;
                self.by_rule_loss += by_rule;
            }
            Wdl::Win => {
                self.win += weight;
                self.by_rule_win += by_rule;
                if entry.order == 0 && entry.distance > self.longest_win {
                    self.longest_win = entry.distance;
                    self.longest_slot = Some(slot);
                }
            }
        }
    }

    /// Both together; of equally long wins the one with the lower slot.
    pub(super) fn merged(self, other: Self) -> Self {
        let longest = |counts: &Self| (counts.longest_win, std::cmp::Reverse(counts.longest_slot));
        let best = if longest(&other) > longest(&self) { &other } else { &self };
        Self {
            win: self.win + other.win,
            draw: self.draw + other.draw,
            loss: self.loss + other.loss,
            by_rule_win: self.by_rule_win + other.by_rule_win,
            by_rule_loss: self.by_rule_loss + other.by_rule_loss,
            longest_win: best.longest_win,
            longest_slot: best.longest_slot,
            last_order: self.last_order.max(other.last_order),
        }
    }
}

/// Why a table cannot be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TableError {
    /// There is no such table.
    #[error(
        "no table {material} in {}; build it with: juzhong tablebase generate {material} --dir {} --rules {rules} --metric {metric}",
        dir.display(), dir.display()
    )]
    Missing {
        /// The material, in its canonical name.
        material: Material,
        /// The folder.
        dir: PathBuf,
        /// The rules asked for.
        rules: Rules,
        /// The metric asked for.
        metric: Metric,
    },
    /// Reading failed.
    #[error("cannot read {} ({})", path.display(), reading_remedy(path, source))]
    Read {
        /// The file or folder.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// Writing failed.
    #[error("cannot write {} (free its place and some space there, or use another --dir)", path.display())]
    Write {
        /// The file or folder.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// The header is damaged, of another version, or of another kind of file.
    #[error("{}: {}", path.display(), header_remedy(fault))]
    Header {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        fault: SealError,
    },
    /// The header contradicts the file's name or itself.
    #[error("{}: {what}; remove the file and generate it again", path.display())]
    Contents {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        what: String,
    },
    /// A block does not have its checksum or cannot be decoded.
    #[error(
        "{}: {section} block {block} at byte {offset} is damaged; remove the file and generate it again",
        path.display()
    )]
    Block {
        /// The file.
        path: PathBuf,
        /// `WDL` or `distance`.
        section: &'static str,
        /// Number of the block.
        block: usize,
        /// Where it begins in the file.
        offset: u64,
    },
}

impl TableError {
    /// Whether the reason is a file or folder that does not exist.
    #[must_use]
    pub fn is_missing(&self) -> bool {
        match self {
            Self::Missing { .. } => true,
            Self::Read { source, .. } => source.kind() == io::ErrorKind::NotFound,
            _ => false,
        }
    }

    /// Whether the file is of a format older than this program's.
    pub(super) fn is_older_format(&self) -> bool {
        matches!(self, Self::Header { fault: SealError::Version { found, supported }, .. }
            if found < supported)
    }
}

/// What to do where a file or folder cannot be read.
fn reading_remedy(path: &Path, error: &io::Error) -> String {
    if error.kind() == io::ErrorKind::NotFound {
        let dir = path.display();
        format!("build tables with: juzhong tablebase generate MATERIAL --dir {dir}")
    } else {
        "check what is there and its permissions, or use another --dir".to_owned()
    }
}

/// What is wrong with a header, and what to do.
fn header_remedy(fault: &SealError) -> String {
    match fault {
        SealError::Version { found, supported } if found > supported => format!(
            "version {found}, but this program reads version {supported}; update juzhong, or use another --dir"
        ),
        SealError::Version { found, supported } => format!(
            "version {found}, but this program reads version {supported}; generate it again"
        ),
        _ => format!("{fault}; remove the file and generate it again"),
    }
}

/// The name of a table's file.
pub(super) fn file_name(material: Material, rules: Rules, metric: Metric) -> String {
    format!("{material}.{rules}.{metric}.jzt")
}

/// The material that a file name stands for, if it is one of a table with these rules and metric.
pub(super) fn material_of_file(name: &str, rules: Rules, metric: Metric) -> Option<Material> {
    let stem = name.strip_suffix(&format!(".{rules}.{metric}.jzt"))?;
    stem.parse().ok().filter(|material: &Material| material.to_string() == stem)
}

impl Header {
    /// Slots of a block of the distance section.
    fn distance_slots(&self) -> usize {
        if self.is_wide() { BLOCK_LEN / 2 } else { BLOCK_LEN }
    }

    fn is_wide(&self) -> bool {
        self.wins.len().max(self.losses.len()) > 256
    }

    /// Why the header cannot be right, if so.
    fn fault(&self, material: Material, rules: Rules, metric: Metric) -> Option<String> {
        let names = [
            ("material", &self.material, material.to_string()),
            ("rules", &self.rules, rules.to_string()),
            ("metric", &self.metric, metric.to_string()),
        ];
        for (what, found, wanted) in names {
            if *found != wanted {
                return Some(format!("the {what} in the file is {found:?}, not {wanted:?}"));
            }
        }
        let slots = Index::count_slots(material).map(u64::from);
        if slots != Some(self.slots) {
            return Some(format!("{} slots are impossible", self.slots));
        }
        let sides = if material.is_symmetric() { 1 } else { 2 };
        let blocks = |per_block: usize| sides * (self.slots as usize).div_ceil(per_block);
        if self.wdl.len() != blocks(WDL_SLOTS)
            || self.distance.len() != blocks(self.distance_slots())
        {
            return Some("the number of blocks is impossible".to_owned());
        }
        let are_possible = possible_ranks(&self.wins) && possible_ranks(&self.losses);
        if !are_possible || !self.counts.iter().all(|counts| self.could_count(counts)) {
            return Some("the header contradicts itself".to_owned());
        }
        let names = self.dependencies.iter().map(|(name, _)| name.as_str());
        if !names.eq(material.captures().iter().map(Material::to_string)) {
            return Some("the header names other smaller tables than captures lead to".to_owned());
        }
        None
    }

    /// Whether a side's counts can be those of so many slots with these pairs.
    fn could_count(&self, counts: &SideCounts) -> bool {
        let sum = counts.win.checked_add(counts.draw).and_then(|sum| sum.checked_add(counts.loss));
        let last_order = self.wins.iter().chain(&self.losses).map(|&(order, _)| order).max();
        let longest = counts.longest_slot.map(u64::from);
        // A slot stands for a position and perhaps its mirror image.
        sum.is_some_and(|sum| sum <= 2 * self.slots)
            && counts.by_rule_win <= counts.win
            && counts.by_rule_loss <= counts.loss
            && longest.is_none_or(|slot| slot < self.slots)
            && longest.is_some() == (counts.longest_win > 0)
            && counts.last_order <= last_order.unwrap_or(0)
    }

    /// The pairs of wins and losses together, ascending, each once.
    fn ranks(&self) -> Vec<(u16, u16)> {
        let mut ranks = [self.wins.as_slice(), self.losses.as_slice()].concat();
        ranks.sort_unstable();
        ranks.dedup();
        ranks
    }
}

/// Whether these can be the (order, distance) pairs of a table: ascending, few enough for words, none
/// out of the generator's range.
fn possible_ranks(ranks: &[(u16, u16)]) -> bool {
    ranks.len() < usize::from(DRAW) / 4
        && ranks.is_sorted_by(|a, b| a < b)
        && ranks
            .iter()
            .all(|&(order, distance)| order < ORDER_LIMIT && u32::from(distance) < RANK_LIMIT)
}

/// (order, distance) pairs.
type Ranks = Vec<(u16, u16)>;

/// What goes into the header beside the values.
pub(super) struct Label {
    pub(super) rules: Rules,
    pub(super) metric: Metric,
    pub(super) dependencies: Vec<(String, [u8; 32])>,
    pub(super) content: [u8; 32],
}

/// Writes a table under its final name once it is complete. Returns the size in bytes.
pub(super) fn write(path: &Path, table: &Table, label: Label) -> Result<u64, TableError> {
    let failed = |source| TableError::Write { path: path.to_owned(), source };
    let (wins, losses) = occurring(table);
    let counts = table.counts();
    let mut header = Header {
        material: table.index.material.to_string(),
        rules: label.rules.to_string(),
        metric: label.metric.to_string(),
        tool: concat!("juzhong ", env!("CARGO_PKG_VERSION")).to_owned(),
        slots: u64::from(table.index.slots),
        counts: [counts.first, counts.second],
        wins,
        losses,
        dependencies: label.dependencies,
        content: label.content,
        wdl: Vec::new(),
        distance: Vec::new(),
    };
    let (wdl, wdl_bytes) = pack_section(table, WDL_SLOTS, wdl_block).map_err(failed)?;
    let numbers = Numbers::new(table, &header);
    let pack_distance = |words: &[u16]| numbers.block(words);
    let (distance, distance_bytes) =
        pack_section(table, header.distance_slots(), pack_distance).map_err(failed)?;
    header.wdl = wdl;
    header.distance = distance;
    let sealed = sealed::seal(KIND, &header)
        .map_err(|fault| TableError::Header { path: path.to_owned(), fault })?;
    let mut file = AtomicFile::create(path).map_err(failed)?;
    for bytes in [&sealed, &wdl_bytes, &distance_bytes] {
        file.write_all(bytes).map_err(failed)?;
    }
    file.commit().map_err(failed)?;
    Ok((sealed.len() + wdl_bytes.len() + distance_bytes.len()) as u64)
}

/// The (order, distance) pairs of wins and of losses.
fn occurring(table: &Table) -> (Ranks, Ranks) {
    let used = table.used_words();
    let of = |first: usize| {
        let ranks = table.ranks.iter().enumerate();
        ranks.filter(|(r, _)| used[2 * r + first]).map(|(_, &rank)| rank).collect()
    };
    (of(1), of(2))
}

/// Packs the blocks of a section in parallel; their bytes follow each other in order.
fn pack_section(
    table: &Table,
    slots: usize,
    raw: impl Fn(&[u16]) -> Vec<u8> + Sync,
) -> io::Result<(Vec<BlockRef>, Vec<u8>)> {
    let chunks: Vec<&[u16]> = table.words.iter().flat_map(|side| side.chunks(slots)).collect();
    let packed: Vec<(BlockRef, Vec<u8>)> = chunks
        .into_par_iter()
        .map_init(Packer::new, |packer, words| match packer {
            Ok(packer) => packer.pack(&raw(words)),
            Err(error) => Err(io::Error::new(error.kind(), error.to_string())),
        })
        .collect::<io::Result<_>>()?;
    let blocks = packed.iter().map(|(block, _)| *block).collect();
    Ok((blocks, packed.into_iter().flat_map(|(_, bytes)| bytes).collect()))
}

/// Four slots a byte; illegal slots continue what is before them.
fn wdl_block(words: &[u16]) -> Vec<u8> {
    let mut last = 1;
    let mut raw = vec![0; words.len().div_ceil(4)];
    for (i, &word) in words.iter().enumerate() {
        last = match word {
            ILLEGAL => last,
            DRAW => 1,
            _ if word & 1 == 1 => 2,
            _ => 0,
        };
        raw[i / 4] |= last << (2 * (i % 4));
    }
    raw
}

/// From words to numbers in the header's lists.
struct Numbers {
    by_word: Vec<u16>,
    is_wide: bool,
}

impl Numbers {
    fn new(table: &Table, header: &Header) -> Self {
        let mut by_word = vec![0; 2 * table.ranks.len() + 1];
        for (r, rank) in table.ranks.iter().enumerate() {
            for (first, list) in [(1, &header.wins), (2, &header.losses)] {
                if let Ok(number) = list.binary_search(rank) {
                    by_word[2 * r + first] = number as u16;
                }
            }
        }
        Self { by_word, is_wide: header.is_wide() }
    }

    /// Draws and illegal slots continue what is before them.
    fn block(&self, words: &[u16]) -> Vec<u8> {
        let mut last = 0;
        let numbers = words.iter().map(|&word| {
            if word != ILLEGAL && word != DRAW {
                last = self.by_word[usize::from(word)];
            }
            last
        });
        let numbers: Vec<u16> = numbers.collect();
        let low = numbers.iter().map(|&number| number as u8);
        if self.is_wide {
            low.chain(numbers.iter().map(|&number| (number >> 8) as u8)).collect()
        } else {
            low.collect()
        }
    }
}

/// A table's file, opened: the header is checked, the blocks are not yet.
#[derive(Debug)]
pub(super) struct TableFile {
    path: PathBuf,
    map: MappedFile,
    pub(super) header: Header,
    pub(super) index: Index,
    /// Where each block begins, by section.
    offsets: [Vec<u64>; 2],
}

/// The two parts of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Section {
    Wdl,
    Distance,
}

impl TableFile {
    /// Opens the table of a material in a folder.
    pub(super) fn open(
        dir: &Path,
        material: Material,
        rules: Rules,
        metric: Metric,
    ) -> Result<Self, TableError> {
        let path = dir.join(file_name(material, rules, metric));
        let map = MappedFile::open(&path).map_err(|source| match source.kind() {
            io::ErrorKind::NotFound => {
                TableError::Missing { material, dir: dir.to_owned(), rules, metric }
            }
            _ => TableError::Read { path: path.clone(), source },
        })?;
        let (header, start) =
            read_header(&map).map_err(|fault| TableError::Header { path: path.clone(), fault })?;
        let fault = |what| TableError::Contents { path: path.clone(), what };
        if let Some(what) = header.fault(material, rules, metric) {
            return Err(fault(what));
        }
        let mut at = start as u64;
        let mut ends = |blocks: &[BlockRef]| {
            let begin = |block: &BlockRef| {
                let here = at;
                at += u64::from(block.len);
                here
            };
            blocks.iter().map(begin).collect::<Vec<u64>>()
        };
        let offsets = [ends(&header.wdl), ends(&header.distance)];
        if at != map.len() as u64 {
            let have = map.len();
            return Err(fault(format!(
                "{have} bytes where {at} are needed: the file is truncated or damaged"
            )));
        }
        let index = Index::new(material).map_err(|_| fault("too many slots".to_owned()))?;
        Ok(Self { path, map, header, index, offsets })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Size in bytes.
    pub(super) fn bytes(&self) -> u64 {
        self.map.len() as u64
    }

    /// The block and the place in it of a slot.
    pub(super) fn place(&self, section: Section, side: usize, slot: u32) -> (usize, usize) {
        let per_block = self.block_slots(section);
        let per_side = (self.header.slots as usize).div_ceil(per_block);
        (side * per_side + slot as usize / per_block, slot as usize % per_block)
    }

    fn block_slots(&self, section: Section) -> usize {
        match section {
            Section::Wdl => WDL_SLOTS,
            Section::Distance => self.header.distance_slots(),
        }
    }

    /// Number of slots in a block.
    fn slots_in(&self, section: Section, block: usize) -> usize {
        let per_block = self.block_slots(section);
        let slots = self.header.slots as usize;
        per_block.min(slots - block % slots.div_ceil(per_block) * per_block)
    }

    /// Decodes a block.
    pub(super) fn block(&self, section: Section, block: usize) -> Result<Vec<u8>, TableError> {
        let slots = self.slots_in(section, block);
        let (list, len) = match section {
            Section::Wdl => (&self.header.wdl, slots.div_ceil(4)),
            Section::Distance if self.header.is_wide() => (&self.header.distance, slots * 2),
            Section::Distance => (&self.header.distance, slots),
        };
        let offset = self.offsets[section as usize][block];
        let packed = &self.map[offset as usize..][..list[block].len as usize];
        unpack(list[block], packed, len).ok_or_else(|| self.damaged(section, block))
    }

    /// Win, draw or loss at a place of a decoded WDL block.
    pub(super) fn wdl_at(&self, raw: &[u8], block: usize, place: usize) -> Result<Wdl, TableError> {
        match raw[place / 4] >> (2 * (place % 4)) & 3 {
            0 => Ok(Wdl::Loss),
            1 => Ok(Wdl::Draw),
            2 => Ok(Wdl::Win),
            _ => Err(self.damaged(Section::Wdl, block)),
        }
    }

    /// The order and distance at a place of a decoded distance block.
    pub(super) fn rank_at(
        &self,
        raw: &[u8],
        block: usize,
        place: usize,
        wdl: Wdl,
    ) -> Result<(u16, u16), TableError> {
        let list = if wdl == Wdl::Win { &self.header.wins } else { &self.header.losses };
        let rank = list.get(self.number_at(raw, place)).copied();
        rank.ok_or_else(|| self.damaged(Section::Distance, block))
    }

    /// The number at a place of a decoded distance block.
    fn number_at(&self, raw: &[u8], place: usize) -> usize {
        let low = usize::from(raw[place]);
        if self.header.is_wide() { low | usize::from(raw[raw.len() / 2 + place]) << 8 } else { low }
    }

    fn damaged(&self, section: Section, block: usize) -> TableError {
        TableError::Block {
            path: self.path.clone(),
            section: match section {
                Section::Wdl => "WDL",
                Section::Distance => "distance",
            },
            block,
            offset: self.offsets[section as usize][block],
        }
    }

    /// Checks every block's checksum without decoding it.
    pub(super) fn check_sums(&self) -> Result<(), TableError> {
        let sections =
            [(Section::Wdl, &self.header.wdl), (Section::Distance, &self.header.distance)];
        for (section, list) in sections {
            (0..list.len()).into_par_iter().try_for_each(|block| {
                let offset = self.offsets[section as usize][block];
                let packed = &self.map[offset as usize..][..list[block].len as usize];
                if crc32fast::hash(packed) == list[block].crc {
                    return Ok(());
                }
                Err(self.damaged(section, block))
            })?;
        }
        Ok(())
    }

    /// Checks that the table was built from the smaller tables with these content hashes.
    pub(super) fn check_dependencies(
        &self,
        content: impl Fn(Material) -> Option<[u8; 32]>,
    ) -> Result<(), TableError> {
        for left in self.index.material.captures() {
            let built_from = (left.to_string(), content(left).unwrap_or_default());
            if !self.header.dependencies.contains(&built_from) {
                let what = format!("it was built from another {left} than the one beside it");
                return Err(TableError::Contents { path: self.path.clone(), what });
            }
        }
        Ok(())
    }

    /// Reads the whole table into memory. Illegal slots have arbitrary values.
    pub(super) fn load(&self) -> Result<Table, TableError> {
        let ranks = self.header.ranks();
        let word_of = |wdl: Wdl, rank: (u16, u16)| match wdl {
            Wdl::Draw => DRAW,
            _ => {
                let r = ranks.binary_search(&rank).unwrap_or_default() as u16;
                2 * r + if wdl == Wdl::Win { 1 } else { 2 }
            }
        };
        let number_words = |wdl, list: &[(u16, u16)]| -> Vec<u16> {
            list.iter().map(|&rank| word_of(wdl, rank)).collect()
        };
        let maps = [
            number_words(Wdl::Loss, &self.header.losses),
            number_words(Wdl::Win, &self.header.wins),
        ];
        let slots = self.header.slots as usize;
        let mut words = vec![vec![0u16; slots]; self.index.sides()];
        for (side, words) in words.iter_mut().enumerate() {
            words.par_chunks_mut(WDL_SLOTS).enumerate().try_for_each(|(chunk, words)| {
                self.load_chunk(side, chunk * WDL_SLOTS, words, &maps)
            })?;
        }
        Ok(Table {
            index: std::sync::Arc::new(
                Index::new(self.index.material).map_err(|_| self.too_many())?,
            ),
            words,
            ranks,
        })
    }

    fn too_many(&self) -> TableError {
        TableError::Contents { path: self.path.clone(), what: "too many slots".to_owned() }
    }

    fn load_chunk(
        &self,
        side: usize,
        start: usize,
        words: &mut [u16],
        [losses, wins]: &[Vec<u16>; 2],
    ) -> Result<(), TableError> {
        let (wdl_block, _) = self.place(Section::Wdl, side, start as u32);
        let wdl = self.block(Section::Wdl, wdl_block)?;
        let per_block = self.block_slots(Section::Distance);
        for (part, words) in words.chunks_mut(per_block).enumerate() {
            let first = start + part * per_block;
            let (block, _) = self.place(Section::Distance, side, first as u32);
            let numbers = self.block(Section::Distance, block)?;
            for (i, word) in words.iter_mut().enumerate() {
                let place = first - start + i;
                let number = self.number_at(&numbers, i);
                let found = match self.wdl_at(&wdl, wdl_block, place)? {
                    Wdl::Loss => losses.get(number).copied(),
                    Wdl::Draw => Some(DRAW),
                    Wdl::Win => wins.get(number).copied(),
                };
                *word = found.ok_or_else(|| self.damaged(Section::Distance, block))?;
            }
        }
        Ok(())
    }
}

/// The header and where it ends.
fn read_header(bytes: &[u8]) -> Result<(Header, usize), SealError> {
    let length = bytes.get(12..20).and_then(|field| field.try_into().ok()).map(u64::from_le_bytes);
    let end = match length {
        Some(length) if length <= KIND.limit => sealed::HEADER_LEN + length as usize,
        _ => bytes.len(),
    };
    let end = end.min(bytes.len());
    Ok((sealed::unseal(KIND, &bytes[..end])?, end))
}

#[cfg(test)]
mod tests {
    use super::super::generate::{GenerateOptions, NoProgress, generate_all};
    use super::*;

    const PLACE: (Rules, Metric) = (Rules::Check, Metric::Dtm);

    fn table(name: &str) -> (tempfile::TempDir, TableFile) {
        let folder = tempfile::tempdir().unwrap();
        let material = name.parse().unwrap();
        generate_all(folder.path(), &[material], &GenerateOptions::default(), &NoProgress).unwrap();
        let file = TableFile::open(folder.path(), material, PLACE.0, PLACE.1).unwrap();
        (folder, file)
    }

    #[test]
    fn numbers_without_a_pair_are_damage() {
        let (_folder, file) = table("KNvK");
        assert!(file.load().is_ok());
        let cut_wins: fn(&mut Header) = |header| header.wins.truncate(1);
        let cut_losses: fn(&mut Header) = |header| header.losses.truncate(1);
        for cut in [cut_wins, cut_losses] {
            let (_folder, mut file) = table("KNvK");
            cut(&mut file.header);
            let error = file.load().unwrap_err();
            assert!(matches!(error, TableError::Block { section: "distance", .. }), "{error}");
        }
        assert!(file.rank_at(&[0], 0, 0, Wdl::Win).is_ok());
        assert!(file.rank_at(&[255], 0, 0, Wdl::Win).is_err());
        assert!(file.wdl_at(&[0b11], 0, 0).is_err());
    }

    #[test]
    fn headers_out_of_bounds_are_refused() {
        let (_folder, file) = table("KRvKN");
        let fault = |change: &dyn Fn(&mut Header)| {
            let mut header = file.header.clone();
            change(&mut header);
            header.fault(file.index.material, PLACE.0, PLACE.1)
        };
        assert_eq!(fault(&|_| {}), None);
        let changes: [&dyn Fn(&mut Header); 12] = [
            &|header| header.wins.push((0x7fff, 1)),
            &|header| header.losses.push((ORDER_LIMIT, 1)),
            &|header| header.wins.push((ORDER_LIMIT - 1, 0xffff)),
            &|header| header.wins.reverse(),
            &|header| header.counts[0].win = u64::MAX,
            &|header| header.counts[1].draw += 2 * header.slots,
            &|header| header.counts[0].by_rule_win = header.counts[0].win + 1,
            &|header| header.counts[0].longest_slot = None,
            &|header| header.counts[0].longest_slot = Some(u32::MAX),
            &|header| header.counts[1].last_order = 999,
            &|header| header.dependencies.clear(),
            &|header| header.dependencies[0].0 = "KPvK".to_owned(),
        ];
        for (i, change) in changes.into_iter().enumerate() {
            assert!(fault(change).is_some(), "change {i}");
        }
    }
}
