//! The reduce: an associative sum by external sort in bounded memory.
//!
//! Many threads [`push`](Sorter::push) batches of items in any order. When they fill the budget they are
//! sorted, summed and written as one *run* to an unnamed temporary file. At the end all runs are merged, and
//! equal items are summed once more. The sum is associative and commutative, so the result depends neither on
//! the order of batches nor on where runs were cut.
//!
//! A run is a row of blocks, each compressed by itself, so that many runs are read at once with
//! little memory:
//!
//! ```text
//! length    LE32: bytes of sums in the block, at most 16 MiB; 0 ends the run
//! packed    LE32: bytes that follow
//! check     LE32: CRC32 of the two lengths and the bytes that follow
//! bytes     the sums as a zstd frame; at the end, LE64: number of sums in the run
//! ```

use std::cmp::Ordering;
use std::fs::File;
use std::io::{self, BufWriter, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::sync_channel;
use std::sync::{Mutex, MutexGuard, PoisonError};

use rayon::slice::ParallelSliceMut;
use zstd::bulk::{Compressor, Decompressor};

use crate::bytes::flag::StopFlag;
use crate::bytes::open;
use crate::bytes::visible::ShowPath;
use crate::message::message;

/// Runs merged at once; that many of one level are merged into one of the next.
const FAN_IN: usize = 64;

/// Uncompressed bytes of a block within a run.
const BLOCK: usize = 64 << 10;

/// The largest block accepted when reading one back.
const MAX_BLOCK: usize = 1 << 24;

/// Memory that a merge needs, in bytes: blocks of every run, packed and unpacked.
pub(crate) const MERGE_MEMORY: usize = FAN_IN * 3 * BLOCK;

/// A sum over items that compare as equal.
pub(crate) trait Reduce: Sized + Send {
    /// The item that is pushed.
    type Item: Send;
    /// The order of items; equal ones are summed.
    fn item_order(a: &Self::Item, b: &Self::Item) -> Ordering;
    /// Memory that an item needs, in bytes.
    fn item_size(item: &Self::Item) -> usize;
    /// The sum of one item.
    fn begin(item: Self::Item) -> Self;
    /// The same order for sums.
    fn order(&self, other: &Self) -> Ordering;
    /// Adds an equal one.
    fn absorb(&mut self, other: Self);
    /// Appends the bytes of a sum.
    fn put(&self, out: &mut Vec<u8>);
    /// The inverse of `put`.
    fn take(input: &mut &[u8]) -> Option<Self>;
}

/// An item that is its own sum.
pub(crate) trait Summand: Sized + Send {
    /// Memory that it needs, in bytes.
    fn size(&self) -> usize {
        size_of::<Self>()
    }
    /// The order of items; equal ones are summed.
    fn order(&self, other: &Self) -> Ordering;
    /// Adds an equal one.
    fn absorb(&mut self, other: Self);
    /// Appends its bytes.
    fn put(&self, out: &mut Vec<u8>);
    /// The inverse of `put`.
    fn take(input: &mut &[u8]) -> Option<Self>;
}

impl<S: Summand> Reduce for S {
    type Item = Self;

    fn item_order(a: &Self, b: &Self) -> Ordering {
        Summand::order(a, b)
    }

    fn item_size(item: &Self) -> usize {
        item.size()
    }

    fn begin(item: Self) -> Self {
        item
    }

    fn order(&self, other: &Self) -> Ordering {
        Summand::order(self, other)
    }

    fn absorb(&mut self, other: Self) {
        Summand::absorb(self, other);
    }

    fn put(&self, out: &mut Vec<u8>) {
        Summand::put(self, out);
    }

    fn take(input: &mut &[u8]) -> Option<Self> {
        Summand::take(input)
    }
}

/// Collects items.
#[derive(Debug)]
pub(crate) struct Sorter<S: Reduce> {
    folder: PathBuf,
    budget: usize,
    stop: StopFlag,
    state: Mutex<SortState<S::Item>>,
}

#[derive(Debug)]
struct SortState<T> {
    items: Vec<T>,
    bytes: usize,
    /// By level: those of level `n` were merged from [`FAN_IN`] of level `n - 1`.
    runs: Vec<Vec<File>>,
}

impl<T> Default for SortState<T> {
    fn default() -> Self {
        Self { items: Vec::new(), bytes: 0, runs: Vec::new() }
    }
}

impl<S: Reduce> Sorter<S> {
    /// Holds up to `budget` bytes of items, then writes runs to `folder`. Writing one fails with
    /// [`io::ErrorKind::Interrupted`] once `stop` is set.
    pub(crate) fn new(folder: &Path, budget: usize, stop: &StopFlag) -> Self {
        let stop = stop.clone();
        Self { folder: folder.to_owned(), budget, stop, state: Mutex::new(SortState::default()) }
    }

    /// Adds a batch. No lock is held while a run is written.
    pub(crate) fn push(&self, batch: Vec<S::Item>) -> io::Result<()> {
        let bytes = Self::size(&batch);
        // The lock is released before sorting and writing, so that other threads go on filling the next lot
        // meanwhile.
        let mut items = {
            let mut state = self.lock();
            state.bytes += bytes;
            state.items.extend(batch);
            if state.bytes < self.budget {
                return Ok(());
            }
            state.bytes = 0;
            std::mem::take(&mut state.items)
        };
        items.sort_unstable_by(S::item_order);
        let run = self.write_run(fold(items).map(Ok))?;
        self.add_run(run)
    }

    /// Memory that a batch needs, in bytes.
    pub(crate) fn size(batch: &[S::Item]) -> usize {
        batch.iter().map(S::item_size).sum()
    }

    /// Adds a run, such as [`write_to`](Self::write_to) makes. Where there are many of a level, they
    /// are merged into one of the next.
    pub(crate) fn add_run(&self, mut run: File) -> io::Result<()> {
        // Runs of one level are about equally long. Merging only those keeps the work at one pass over all
        // data for each level.
        for level in 0.. {
            let full = {
                let mut state = self.lock();
                if state.runs.len() == level {
                    state.runs.push(Vec::new());
                }
                let runs = &mut state.runs[level];
                runs.push(run);
                if runs.len() < FAN_IN {
                    break;
                }
                std::mem::take(runs)
            };
            let full = full.into_iter().map(Run::temporary).collect();
            run = self.write_run(Merge::of_runs(full, &self.stop)?)?;
        }
        Ok(())
    }

    /// All sums in ascending order; an error of [`io::ErrorKind::Interrupted`] once `stop` is set.
    pub(crate) fn finish(self) -> io::Result<Merge<S>> {
        self.finish_with(Vec::new())
    }

    /// All sums in ascending order, with those of further runs.
    pub(crate) fn finish_with(self, mut further: Vec<Run>) -> io::Result<Merge<S>> {
        let mut state = std::mem::take(&mut *self.lock());
        // Unstable, because equal items are summed, and sums do not depend on order.
        state.items.par_sort_unstable_by(S::item_order);
        // The smallest first.
        let mut runs: Vec<Run> = state.runs.into_iter().flatten().map(Run::temporary).collect();
        runs.append(&mut further);
        while runs.len() > FAN_IN {
            // As few as are needed to come down to the fan-in: what is merged here is written and read once
            // more.
            let few = FAN_IN.min(runs.len() - FAN_IN + 1);
            let few = runs.drain(..few).collect();
            runs.push(Run::temporary(self.write_run(Merge::of_runs(few, &self.stop)?)?));
        }
        let memory = MergeSource::Memory(fold(state.items));
        Merge::new(runs.into_iter().map(MergeSource::File).chain([memory]).collect(), &self.stop)
    }

    fn lock(&self) -> MutexGuard<'_, SortState<S::Item>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn write_run(&self, sums: impl Iterator<Item = io::Result<S>>) -> io::Result<File> {
        Self::write_sums(tempfile::tempfile_in(&self.folder)?, sums, &self.stop)
    }

    /// Writes items to an empty file as a run, and goes back to its start.
    pub(crate) fn write_to(file: File, batches: Vec<Vec<S::Item>>) -> io::Result<File> {
        let mut items = flatten(batches);
        items.sort_unstable_by(S::item_order);
        Self::write_sums(file, fold(items).map(Ok), &StopFlag::default())
    }

    /// Writes sums to an empty file as a run, and goes back to its start.
    fn write_sums(
        file: File,
        sums: impl Iterator<Item = io::Result<S>>,
        stop: &StopFlag,
    ) -> io::Result<File> {
        let mut run = RunWriter::new(file)?;
        for sum in sums {
            // Once for each block: the flag is shared with other threads, and sums come by the million.
            if run.block.is_empty() && stop.is_set() {
                return Err(io::ErrorKind::Interrupted.into());
            }
            run.put(&sum?)?;
        }
        let mut file = run.finish()?;
        file.rewind()?;
        Ok(file)
    }
}

/// All items in one list; each batch is freed once copied.
fn flatten<T>(batches: Vec<Vec<T>>) -> Vec<T> {
    let mut all = Vec::with_capacity(batches.iter().map(Vec::len).sum());
    for batch in batches {
        all.extend(batch);
    }
    all
}

/// Writes a run.
pub(crate) struct RunWriter<W: Write> {
    out: BufWriter<W>,
    compressor: Compressor<'static>,
    block: Vec<u8>,
    count: u64,
}

impl<W: Write> RunWriter<W> {
    /// Begins at the present position of `out`.
    pub(crate) fn new(out: W) -> io::Result<Self> {
        let compressor = Compressor::new(1)?;
        // The last sum of a block may end beyond its nominal length.
        let block = Vec::with_capacity(BLOCK + 256);
        Ok(Self { out: BufWriter::with_capacity(BLOCK, out), compressor, block, count: 0 })
    }

    /// Adds a sum; they come in ascending order.
    pub(crate) fn put(&mut self, sum: &impl Reduce) -> io::Result<()> {
        sum.put(&mut self.block);
        self.count += 1;
        if self.block.len() >= BLOCK { self.end_block() } else { Ok(()) }
    }

    fn end_block(&mut self) -> io::Result<()> {
        let packed = self.compressor.compress(&self.block)?;
        write_block(&mut self.out, self.block.len(), &packed)?;
        self.block.clear();
        Ok(())
    }

    /// Ends the run.
    pub(crate) fn finish(mut self) -> io::Result<W> {
        if !self.block.is_empty() {
            self.end_block()?;
        }
        // An empty block ends a run and states its sums: a file cut off between two blocks would otherwise
        // pass for whole.
        write_block(&mut self.out, 0, &self.count.to_le_bytes())?;
        self.out.into_inner().map_err(io::IntoInnerError::into_error)
    }
}

fn write_block(out: &mut impl Write, length: usize, packed: &[u8]) -> io::Result<()> {
    let lengths = lengths(length as u32, packed.len() as u32);
    out.write_all(&lengths)?;
    out.write_all(&check(lengths, packed).to_le_bytes())?;
    out.write_all(packed)
}

fn lengths(length: u32, packed: u32) -> [u8; 8] {
    // As little-endian bytes the length comes first.
    (u64::from(packed) << 32 | u64::from(length)).to_le_bytes()
}

fn check(lengths: [u8; 8], packed: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&lengths);
    hasher.update(packed);
    hasher.finalize()
}

/// Sums neighbours of a sorted list.
struct Fold<S: Reduce> {
    items: std::vec::IntoIter<S::Item>,
    next: Option<S>,
}

fn fold<S: Reduce>(items: Vec<S::Item>) -> Fold<S> {
    let mut items = items.into_iter();
    let next = items.next().map(S::begin);
    Fold { items, next }
}

impl<S: Reduce> Iterator for Fold<S> {
    type Item = S;
    fn next(&mut self) -> Option<S> {
        let mut sum = self.next.take()?;
        for item in self.items.by_ref() {
            let other = S::begin(item);
            if sum.order(&other) == Ordering::Equal {
                sum.absorb(other);
            } else {
                self.next = Some(other);
                break;
            }
        }
        Some(sum)
    }
}

/// Reads a run back.
#[derive(Debug)]
pub(crate) struct Run {
    file: RunFile,
    packed: Vec<u8>,
    block: Vec<u8>,
    at: usize,
    taken: u64,
    has_ended: bool,
}

#[derive(Debug)]
enum RunFile {
    Temporary(File),
    /// A file whose run begins after this number of bytes; opened when it is read first.
    Named {
        path: PathBuf,
        skip: u64,
        file: Option<File>,
    },
}

impl Run {
    /// The run in a temporary file, from its present position.
    const fn temporary(file: File) -> Self {
        Self::new(RunFile::Temporary(file))
    }

    /// The run in a file, after `skip` bytes.
    pub(crate) const fn named(path: PathBuf, skip: u64) -> Self {
        Self::new(RunFile::Named { path, skip, file: None })
    }

    const fn new(file: RunFile) -> Self {
        Self { file, packed: Vec::new(), block: Vec::new(), at: 0, taken: 0, has_ended: false }
    }

    fn next<S: Reduce>(&mut self, unpack: &mut Decompressor<'_>) -> io::Result<Option<S>> {
        if self.at == self.block.len() && !self.next_block(unpack)? {
            return Ok(None);
        }
        let mut rest = &self.block[self.at..];
        let sum = S::take(&mut rest).ok_or_else(|| self.damaged())?;
        self.at = self.block.len() - rest.len();
        self.taken += 1;
        Ok(Some(sum))
    }

    fn next_block(&mut self, unpack: &mut Decompressor<'_>) -> io::Result<bool> {
        if self.has_ended {
            return Ok(false);
        }
        let mut head = [0; 12];
        self.read_exact(&mut head)?;
        let [length, packed, stated] = [0, 4, 8]
            .map(|at| u32::from_le_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]));
        // Before any memory is taken. Data that cannot be packed grows by less than one part in 128.
        if length as usize > MAX_BLOCK || packed as usize > MAX_BLOCK + (MAX_BLOCK >> 7) {
            return Err(self.damaged());
        }
        // Taken out meanwhile, for `read_exact` borrows all of `self`.
        let mut bytes = std::mem::take(&mut self.packed);
        bytes.resize(packed as usize, 0);
        self.read_exact(&mut bytes)?;
        if check(lengths(length, packed), &bytes) != stated {
            return Err(self.damaged());
        }
        self.block.clear();
        self.at = 0;
        if length == 0 {
            self.has_ended = true;
            let count = bytes.first_chunk().map(|&count| u64::from_le_bytes(count));
            return if count == Some(self.taken) { Ok(false) } else { Err(self.damaged()) };
        }
        // The capacity bounds what is unpacked, whatever the frame claims.
        self.block.reserve_exact(length as usize);
        let unpacked = unpack.decompress_to_buffer(&bytes, &mut self.block);
        if unpacked.ok() != Some(length as usize) {
            return Err(self.damaged());
        }
        self.packed = bytes;
        Ok(true)
    }

    fn read_exact(&mut self, bytes: &mut [u8]) -> io::Result<()> {
        let file = match &mut self.file {
            RunFile::Temporary(file) | RunFile::Named { file: Some(file), .. } => file,
            RunFile::Named { path, skip, file } => {
                let mut opened = open::regular(path)?;
                opened.seek(io::SeekFrom::Start(*skip))?;
                file.insert(opened)
            }
        };
        file.read_exact(bytes).map_err(|error| match error.kind() {
            io::ErrorKind::UnexpectedEof => self.damaged(),
            _ => error,
        })
    }

    fn damaged(&self) -> io::Error {
        let what = match &self.file {
            RunFile::Temporary(_) => {
                "a temporary file was changed while it was in use; start again".into()
            }
            RunFile::Named { path, .. } => {
                message!("{}: damaged or cut short; make it again", path.shown())
            }
        };
        io::Error::new(io::ErrorKind::InvalidData, what)
    }
}

/// A source of sums while merging.
enum MergeSource<S: Reduce> {
    Memory(Fold<S>),
    File(Run),
}

impl<S: Reduce> MergeSource<S> {
    fn next(&mut self, unpack: &mut Decompressor<'_>) -> io::Result<Option<S>> {
        match self {
            Self::Memory(fold) => Ok(fold.next()),
            Self::File(run) => run.next(unpack),
        }
    }
}

/// No source.
const NO_SOURCE: usize = usize::MAX;

/// All sums in ascending order, each once. The least head is found by a tournament in which every inner node
/// remembers the loser there (Knuth, The Art of Computer Programming 3, 5.4.1: a tree of losers).
pub(crate) struct Merge<S: Reduce> {
    sources: Vec<MergeSource<S>>,
    /// The next sum of each source.
    heads: Vec<Option<S>>,
    /// `losers[0]` is the winner; the children of node `n` are `2n` and `2n + 1`, and source `i`
    /// is leaf `i + sources.len()`.
    losers: Vec<usize>,
    unpack: Decompressor<'static>,
    /// Ends it by an error.
    stop: StopFlag,
}

impl<S: Reduce> Merge<S> {
    fn new(mut sources: Vec<MergeSource<S>>, stop: &StopFlag) -> io::Result<Self> {
        let mut unpack = Decompressor::new()?;
        let heads = sources
            .iter_mut()
            .map(|source| source.next(&mut unpack))
            .collect::<io::Result<Vec<_>>>()?;
        let losers = vec![NO_SOURCE; sources.len().max(1)];
        let mut merge = Self { sources, heads, losers, unpack, stop: stop.clone() };
        for source in 0..merge.sources.len() {
            merge.play(source);
        }
        Ok(merge)
    }

    fn of_runs(runs: Vec<Run>, stop: &StopFlag) -> io::Result<Self> {
        Self::new(runs.into_iter().map(MergeSource::File).collect(), stop)
    }

    /// Plays the matches from a source's leaf up to the root. While the tree is being filled, the
    /// first to arrive at a node waits there.
    fn play(&mut self, source: usize) {
        let mut winner = source;
        // Leaves have the numbers after those of the inner nodes, so that no tree is stored and any number
        // of sources fits.
        let mut node = (source + self.sources.len()) / 2;
        while node > 0 {
            let other = self.losers[node];
            if other == NO_SOURCE {
                self.losers[node] = winner;
                return;
            }
            if self.is_less(other, winner) {
                self.losers[node] = winner;
                winner = other;
            }
            node /= 2;
        }
        self.losers[0] = winner;
    }

    /// An exhausted source is greater than any other.
    fn is_less(&self, a: usize, b: usize) -> bool {
        match (&self.heads[a], &self.heads[b]) {
            (Some(a), Some(b)) => a.order(b) == Ordering::Less,
            (a, _) => a.is_some(),
        }
    }

    /// Removes the least head if it is equal to `sum`, or any least head without a `sum`, and returns it.
    fn take_least(&mut self, sum: Option<&S>) -> io::Result<Option<S>> {
        let winner = self.losers[0];
        // Without any source the winner is `NO_SOURCE`, which has no head.
        let Some(head) = self.heads.get(winner).and_then(Option::as_ref) else { return Ok(None) };
        if sum.is_some_and(|sum| sum.order(head) != Ordering::Equal) {
            return Ok(None);
        }
        let next = self.sources[winner].next(&mut self.unpack)?;
        // Checksums hold for blocks only; that the runs ascend is what the merge rests on.
        if next.as_ref().is_some_and(|next| head.order(next) != Ordering::Less)
            && let MergeSource::File(run) = &self.sources[winner]
        {
            return Err(run.damaged());
        }
        let head = std::mem::replace(&mut self.heads[winner], next);
        self.play(winner);
        Ok(head)
    }

    fn next_sum(&mut self) -> io::Result<Option<S>> {
        if self.stop.is_set() {
            return Err(io::ErrorKind::Interrupted.into());
        }
        let Some(mut sum) = self.take_least(None)? else { return Ok(None) };
        while let Some(other) = self.take_least(Some(&sum))? {
            sum.absorb(other);
        }
        Ok(Some(sum))
    }
}

impl<S: Reduce> Iterator for Merge<S> {
    type Item = io::Result<S>;
    fn next(&mut self) -> Option<io::Result<S>> {
        self.next_sum().transpose()
    }
}

/// Runs `produce` in a thread of its own, some batches ahead of `consume`. Items of `produce` are refused once
/// the consumer has ended; then it should end.
pub(crate) fn ahead<T: Send, R>(
    produce: impl FnOnce(&mut dyn FnMut(T) -> bool) + Send,
    consume: impl FnOnce(&mut dyn Iterator<Item = T>) -> R,
) -> R {
    // Bounded, so that a fast producer does not fill the memory.
    let (sender, receiver) = sync_channel(4);
    std::thread::scope(|scope| {
        scope.spawn(move || produce(&mut |batch| sender.send(batch).is_ok()));
        consume(&mut receiver.into_iter())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Counts of a number.
    #[derive(Debug, PartialEq, Eq)]
    struct Count(u8, u64);

    impl Reduce for Count {
        type Item = u8;
        fn item_order(a: &u8, b: &u8) -> Ordering {
            a.cmp(b)
        }
        fn item_size(_item: &u8) -> usize {
            1
        }
        fn begin(item: u8) -> Self {
            Self(item, 1)
        }
        fn order(&self, other: &Self) -> Ordering {
            self.0.cmp(&other.0)
        }
        fn absorb(&mut self, other: Self) {
            self.1 += other.1;
        }
        fn put(&self, out: &mut Vec<u8>) {
            out.push(self.0);
            out.extend_from_slice(&self.1.to_le_bytes());
        }
        fn take(input: &mut &[u8]) -> Option<Self> {
            let item = *input.split_off_first()?;
            Some(Self(item, u64::from_le_bytes(*input.split_off(..8)?.first_chunk()?)))
        }
    }

    #[test]
    fn a_merge_can_be_stopped() {
        let stop = StopFlag::default();
        let sorter = Sorter::<Count>::new(Path::new("."), 1 << 20, &stop);
        sorter.push(vec![1, 2, 3]).unwrap();
        let mut sums = sorter.finish().unwrap();
        assert_eq!(sums.next().unwrap().unwrap(), Count(1, 1));
        stop.set();
        let error = sums.next().unwrap().unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::Interrupted);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn runs_change_nothing(
            batches in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..40), 0..90),
            budget in prop_oneof![Just(1usize), 1..200usize, Just(usize::MAX)],
        ) {
            let folder = tempfile::tempdir().unwrap();
            let sorter = Sorter::<Count>::new(folder.path(), budget, &StopFlag::default());
            let mut expected = std::collections::BTreeMap::new();
            for batch in batches {
                for &n in &batch {
                    *expected.entry(n).or_insert(0) += 1;
                }
                sorter.push(batch).unwrap();
            }
            let sums: Vec<Count> = sorter.finish().unwrap().map(Result::unwrap).collect();
            let expected: Vec<Count> = expected.into_iter().map(|(n, c)| Count(n, c)).collect();
            prop_assert_eq!(sums, expected);
        }
    }
}
