//! The reduce: an associative sum by external sort in bounded memory.
//!
//! Many threads [`push`](Sorter::push) batches of items in any order. When they fill the budget
//! they are sorted, summed and written as one *run*, a zstd stream in an unnamed temporary file. At
//! the end all runs are merged, and what is equal is summed once more. The sum is associative and
//! commutative, so the result depends neither on the order of batches nor on where runs were cut.

use std::cmp::Ordering;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering as Memory};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rayon::slice::ParallelSliceMut;

/// Runs merged at once; that many are merged into one, so that few files are open.
const FAN_IN: usize = 64;

/// Uncompressed bytes of a block within a run.
const BLOCK: usize = 64 << 10;

/// The largest block accepted when reading one back.
const MAX_BLOCK: usize = 1 << 24;

/// A sum over items that compare as equal.
pub(super) trait Reduce: Sized + Send {
    /// What is pushed.
    type Item: Send;
    /// The order of items; equal ones are summed.
    fn item_order(a: &Self::Item, b: &Self::Item) -> Ordering;
    /// Memory that an item takes, in bytes.
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

/// Collects items.
#[derive(Debug)]
pub(super) struct Sorter<S: Reduce> {
    folder: PathBuf,
    budget: usize,
    stop: Arc<AtomicBool>,
    state: Mutex<State<S::Item>>,
}

#[derive(Debug)]
struct State<T> {
    items: Vec<Vec<T>>,
    bytes: usize,
    runs: Vec<File>,
}

impl<S: Reduce> Sorter<S> {
    /// Holds up to `budget` bytes of items, then writes runs to `folder`. Writing one fails with
    /// [`io::ErrorKind::Interrupted`] once `stop` is set.
    pub(super) fn new(folder: &Path, budget: usize, stop: &Arc<AtomicBool>) -> Self {
        let state = State { items: Vec::new(), bytes: 0, runs: Vec::new() };
        let stop = Arc::clone(stop);
        Self { folder: folder.to_owned(), budget, stop, state: Mutex::new(state) }
    }

    /// Adds a batch. No lock is held while a run is written.
    pub(super) fn push(&self, batch: Vec<S::Item>) -> io::Result<()> {
        let full = {
            let mut state = self.lock();
            state.bytes += batch.iter().map(S::item_size).sum::<usize>();
            state.items.push(batch);
            if state.bytes < self.budget {
                return Ok(());
            }
            state.bytes = 0;
            std::mem::take(&mut state.items)
        };
        let mut items = flatten(full);
        items.sort_unstable_by(S::item_order);
        let run = self.write_run(fold(items).map(Ok))?;
        self.add_run(run)
    }

    /// Memory that a batch takes, in bytes.
    pub(super) fn size(batch: &[S::Item]) -> usize {
        batch.iter().map(S::item_size).sum()
    }

    /// Adds a run that [`write_to`](Self::write_to) made.
    pub(super) fn add_run(&self, run: File) -> io::Result<()> {
        let runs = {
            let mut state = self.lock();
            state.runs.push(run);
            if state.runs.len() < FAN_IN {
                return Ok(());
            }
            std::mem::take(&mut state.runs)
        };
        let merged = self.write_run(Merge::new(runs, Vec::new())?)?;
        self.lock().runs.push(merged);
        Ok(())
    }

    /// All sums in ascending order.
    pub(super) fn finish(self) -> io::Result<Merge<S>> {
        let state = self.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        let mut items = flatten(state.items);
        items.par_sort_unstable_by(S::item_order);
        Merge::new(state.runs, items)
    }

    fn lock(&self) -> MutexGuard<'_, State<S::Item>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn write_run(&self, sums: impl Iterator<Item = io::Result<S>>) -> io::Result<File> {
        Self::write_sums(tempfile::tempfile_in(&self.folder)?, sums, &self.stop)
    }

    /// Writes items to an empty file as a run, and goes back to its start.
    pub(super) fn write_to(file: File, batches: Vec<Vec<S::Item>>) -> io::Result<File> {
        let mut items = flatten(batches);
        items.sort_unstable_by(S::item_order);
        Self::write_sums(file, fold(items).map(Ok), &AtomicBool::new(false))
    }

    fn write_sums(
        file: File,
        sums: impl Iterator<Item = io::Result<S>>,
        stop: &AtomicBool,
    ) -> io::Result<File> {
        let mut encoder = zstd::Encoder::new(BufWriter::new(file), 1)?;
        let mut block = Vec::with_capacity(BLOCK + 256);
        for sum in sums {
            sum?.put(&mut block);
            if block.len() >= BLOCK {
                if stop.load(Memory::Relaxed) {
                    return Err(io::ErrorKind::Interrupted.into());
                }
                write_block(&mut encoder, &mut block)?;
            }
        }
        if !block.is_empty() {
            write_block(&mut encoder, &mut block)?;
        }
        let mut file = encoder.finish()?.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.rewind()?;
        Ok(file)
    }
}

fn flatten<T>(mut batches: Vec<Vec<T>>) -> Vec<T> {
    let mut all = Vec::with_capacity(batches.iter().map(Vec::len).sum());
    for batch in &mut batches {
        all.append(batch);
        *batch = Vec::new();
    }
    all
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

fn write_block(out: &mut impl Write, block: &mut Vec<u8>) -> io::Result<()> {
    out.write_all(&(block.len() as u32).to_le_bytes())?;
    out.write_all(block)?;
    block.clear();
    Ok(())
}

/// Reads a run back.
struct Run {
    input: zstd::Decoder<'static, BufReader<File>>,
    block: Vec<u8>,
    at: usize,
}

impl Run {
    fn new(file: File) -> io::Result<Self> {
        Ok(Self { input: zstd::Decoder::new(file)?, block: Vec::new(), at: 0 })
    }

    fn next<S: Reduce>(&mut self) -> io::Result<Option<S>> {
        if self.at == self.block.len() && !self.next_block()? {
            return Ok(None);
        }
        let mut rest = &self.block[self.at..];
        let sum = S::take(&mut rest).ok_or_else(damaged_run)?;
        self.at = self.block.len() - rest.len();
        Ok(Some(sum))
    }

    fn next_block(&mut self) -> io::Result<bool> {
        let mut len = [0; 4];
        if self.input.read(&mut len[..1])? == 0 {
            return Ok(false);
        }
        self.input.read_exact(&mut len[1..])?;
        let len = u32::from_le_bytes(len) as usize;
        if len == 0 || len > MAX_BLOCK {
            return Err(damaged_run());
        }
        self.block.resize(len, 0);
        self.at = 0;
        self.input.read_exact(&mut self.block)?;
        Ok(true)
    }
}

fn damaged_run() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "a temporary file was changed while it was in use")
}

/// Where sums come from while merging.
enum Source<S: Reduce> {
    Memory(Fold<S>),
    File(Run),
}

impl<S: Reduce> Source<S> {
    fn next(&mut self) -> io::Result<Option<S>> {
        match self {
            Self::Memory(fold) => Ok(fold.next()),
            Self::File(run) => run.next(),
        }
    }
}

/// All sums in ascending order, each once.
pub(super) struct Merge<S: Reduce> {
    /// Each with its next sum; the exhausted ones are removed.
    heads: Vec<(S, Source<S>)>,
}

impl<S: Reduce> Merge<S> {
    fn new(runs: Vec<File>, items: Vec<S::Item>) -> io::Result<Self> {
        let mut sources = vec![Source::Memory(fold(items))];
        for run in runs {
            sources.push(Source::File(Run::new(run)?));
        }
        let mut heads = Vec::with_capacity(sources.len());
        for mut source in sources {
            if let Some(head) = source.next()? {
                heads.push((head, source));
            }
        }
        Ok(Self { heads })
    }

    /// Takes the sum at the head of source `i`.
    fn advance(&mut self, i: usize) -> io::Result<S> {
        let (head, source) = &mut self.heads[i];
        Ok(match source.next()? {
            Some(next) => std::mem::replace(head, next),
            None => self.heads.swap_remove(i).0,
        })
    }

    fn next_sum(&mut self) -> io::Result<Option<S>> {
        let least = (0..self.heads.len()).min_by(|&a, &b| self.heads[a].0.order(&self.heads[b].0));
        let Some(least) = least else { return Ok(None) };
        let mut sum = self.advance(least)?;
        // No source holds equal sums twice, so one look at each is enough; backwards, because an
        // exhausted source is replaced by the last.
        for i in (0..self.heads.len()).rev() {
            if self.heads[i].0.order(&sum) == Ordering::Equal {
                sum.absorb(self.advance(i)?);
            }
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

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn runs_change_nothing(
            batches in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..40), 0..90),
            budget in prop_oneof![Just(1usize), 1..200usize, Just(usize::MAX)],
        ) {
            let folder = tempfile::tempdir().unwrap();
            let sorter = Sorter::<Count>::new(folder.path(), budget, &Arc::default());
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
