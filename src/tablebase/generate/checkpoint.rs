//! The checkpoint of a table at work: the state of its solver beside the file to be, under the name
//! `.TABLE.checkpoint`, so that a killed run loses no more than the time between two of them.
//!
//! A checkpoint is written whole or not at all, sealed with what it belongs to (program, set, rules,
//! metric, the very smaller tables), and with checksums throughout. One that is foreign, damaged or of
//! another program is not used, and the table begun again. It is a convenience: where it cannot be written,
//! the work goes on without.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::bytes::atomic::AtomicFile;
use crate::bytes::sealed::{self, SealedKind};
use crate::bytes::visible::ShowPath;
use crate::bytes::{BinarySize, machine, own_files};
use crate::message::message;
use crate::tablebase::generate::estimate::Estimate;
use crate::tablebase::generate::lock::checkpoint_path;
use crate::tablebase::solve::snapshot::{Keeper, SolverPlace};
use crate::tablebase::solve::solver::{GameGraph, Solver};

/// The time between two checkpoints, unless [`GenerateOptions`] has another.
///
/// [`GenerateOptions`]: crate::tablebase::generate::options::GenerateOptions
pub(crate) const INTERVAL: Duration = Duration::from_secs(10 * 60);
/// A solved table is kept once more if it was solved this part of the interval after the last checkpoint:
/// its packing takes time, too.
const LAST: u32 = 5;

const KIND: SealedKind = SealedKind { magic: *b"JZTBLCP\0", version: 2, limit: 1 << 20 };

/// The set and the options that a checkpoint belongs to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Identity {
    /// The program that wrote it.
    pub(crate) tool: String,
    /// Its [`STATE_VERSION`](crate::tablebase::solve::snapshot::STATE_VERSION).
    pub(crate) state: u32,
    pub(crate) material: String,
    pub(crate) rules: String,
    pub(crate) metric: String,
    /// Slots of each side to move.
    pub(crate) slots: u64,
    /// The smaller tables and their content hashes.
    pub(crate) dependencies: Vec<(String, [u8; 32])>,
}

/// The beginning of the file.
#[derive(Debug, Serialize, Deserialize)]
struct Head {
    identity: Identity,
    place: SolverPlace,
}

/// The checkpoint of one table.
pub(crate) struct Checkpoint {
    path: PathBuf,
    identity: Identity,
    interval: Duration,
    /// Bytes that the table itself will need on the disk.
    reserved: u64,
    last: Mutex<Instant>,
}

impl Checkpoint {
    /// For the table at a path.
    pub(crate) fn new(
        table: &Path,
        identity: Identity,
        interval: Duration,
        estimate: &Estimate,
    ) -> Self {
        let path = checkpoint_path(table);
        Self { path, identity, interval, reserved: estimate.disk, last: Mutex::new(Instant::now()) }
    }

    /// Removes the checkpoint: the table is there.
    pub(crate) fn remove(&self) {
        if own_files::is_own_file_at(&self.path) {
            let removed = std::fs::remove_file(&self.path);
            tracing::debug!(path = %self.path.shown(), ?removed, "checkpoint");
        }
    }

    /// True if it is time for a checkpoint.
    fn is_due(&self, is_done: bool) -> bool {
        let last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        // Once all is decided, packing follows, in which no state is kept: losing it would cost all the
        // work.
        last.elapsed() >= if is_done { self.interval / LAST } else { self.interval }
    }

    fn read<'a, A: GameGraph>(&self, graph: &'a A) -> io::Result<Solver<'a, A>> {
        let mut file = BufReader::with_capacity(1 << 20, own_files::open(&self.path)?);
        let Head { identity, place } = read_head(&mut file)?;
        if identity != self.identity {
            return Err(io::Error::other("of another program, or of other tables"));
        }
        Solver::read_state(graph, place, file)
    }

    fn write<A: GameGraph>(&self, solver: &Solver<'_, A>) -> io::Result<()> {
        if self.path.symlink_metadata().is_ok() && !own_files::is_own_file_at(&self.path) {
            return Err(io::Error::other("there is something else of that name"));
        }
        // A checkpoint must not take the space that the table itself will need.
        let needed = solver.state_bytes() + self.reserved;
        let free = machine::free_space(self.path.parent().unwrap_or(&self.path))?;
        if free.is_some_and(|free| free < needed) {
            let text = message!("up to {} are needed on the disk", BinarySize(needed));
            return Err(io::Error::new(io::ErrorKind::StorageFull, text));
        }
        let head = Head { identity: self.identity.clone(), place: solver.place() };
        let mut file = AtomicFile::create(&self.path)?;
        let mut out = BufWriter::with_capacity(1 << 20, file.file_mut());
        out.write_all(&sealed::seal(KIND, &head).map_err(io::Error::other)?)?;
        solver.write_state(&mut out)?;
        out.flush()?;
        drop(out);
        file.commit()
    }
}

/// Reads the sealed head and leaves the rest.
fn read_head(file: &mut BufReader<File>) -> io::Result<Head> {
    let mut bytes = vec![0; sealed::HEADER_LEN];
    file.read_exact(&mut bytes)?;
    let end = sealed::end(KIND, &bytes)
        .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "no checkpoint"))?;
    bytes.resize(end, 0);
    file.read_exact(&mut bytes[sealed::HEADER_LEN..])?;
    sealed::unseal(KIND, &bytes).map_err(io::Error::other)
}

impl<'a, A: GameGraph> Keeper<'a, A> for Checkpoint {
    fn restore(&self, graph: &'a A) -> Option<Solver<'a, A>> {
        self.path.symlink_metadata().ok()?;
        let read = self.read(graph);
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
        match read {
            Ok(solver) => {
                tracing::info!(path = %self.path.shown(), "going on from a checkpoint");
                Some(solver)
            }
            Err(error) => {
                let path = self.path.shown();
                tracing::warn!(%path, %error, "this checkpoint is not used, the table begun again");
                None
            }
        }
    }

    fn pause(&self, solver: &Solver<'a, A>) {
        if !self.is_due(solver.is_done) {
            return;
        }
        if let Err(error) = self.write(solver) {
            let path = self.path.shown();
            tracing::warn!(%path, %error, "no checkpoint was written; the work goes on without");
        }
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

    use super::*;
    use crate::bytes::StopFlag;
    use crate::tablebase::generate::generator::{NoProgress, Phase, Progress, generate_all};
    use crate::tablebase::generate::options::{GenerateError, GenerateOptions};
    use crate::tablebase::material::Material;

    const NAME: &str = ".KRvKN.asian.dtm.jzt.checkpoint";

    fn options(interval: Duration) -> GenerateOptions {
        let checkpoint_interval = Some(interval);
        let rules = crate::tablebase::value::Rules::Asian;
        GenerateOptions { rules, checkpoint_interval, ..GenerateOptions::default() }
    }

    /// Every file of a folder but the lock that stays, with its bytes.
    fn files(dir: &Path) -> BTreeMap<String, Vec<u8>> {
        let entries = std::fs::read_dir(dir).unwrap().map(|entry| entry.unwrap());
        let named = entries.map(|entry| (entry.file_name().into_string().unwrap(), entry.path()));
        let files = named.filter(|(name, _)| name != ".juzhong.lock");
        files.map(|(name, path)| (name, std::fs::read(path).unwrap())).collect()
    }

    fn undisturbed() -> BTreeMap<String, Vec<u8>> {
        let folder = tempfile::tempdir().unwrap();
        generate_all(folder.path(), &sets(), &options(INTERVAL), &NoProgress).unwrap();
        files(folder.path())
    }

    fn sets() -> Vec<Material> {
        vec!["KRvKN".parse().unwrap()]
    }

    /// Stops at the second ply after the beginning.
    struct StopSoon {
        stop: StopFlag,
        plies: AtomicUsize,
    }

    impl Progress for StopSoon {
        fn phase(&self, _material: Material, phase: Phase) {
            let is_ply = matches!(phase, Phase::Spreading { .. } | Phase::Packing);
            if is_ply && self.plies.fetch_add(1, Relaxed) == 1 {
                self.stop.set();
            }
        }
    }

    /// Without what is kept this would never come to an end.
    #[test]
    fn runs_of_a_ply_each_build_the_same_table() {
        let folder = tempfile::tempdir().unwrap();
        let mut interrupted = 0;
        loop {
            let options = options(Duration::ZERO);
            let progress = StopSoon { stop: options.stop.clone(), plies: AtomicUsize::new(0) };
            match generate_all(folder.path(), &sets(), &options, &progress) {
                Ok(_) => break,
                Err(GenerateError::Interrupted) => interrupted += 1,
                Err(error) => panic!("{error}"),
            }
        }
        assert!(interrupted > 20, "{interrupted}");
        assert!(files(folder.path()) == undisturbed());
    }

    /// A folder with the checkpoint of a table.
    fn with_checkpoint() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for _ in 0..100 {
            let options = options(Duration::ZERO);
            let progress = StopSoon { stop: options.stop.clone(), plies: AtomicUsize::new(0) };
            generate_all(folder.path(), &sets(), &options, &progress).unwrap_err();
            if folder.path().join(NAME).exists() {
                return folder;
            }
        }
        panic!("no checkpoint");
    }

    #[test]
    fn what_is_damaged_or_foreign_is_not_believed() {
        let made = with_checkpoint();
        let good = std::fs::read(made.path().join(NAME)).unwrap();
        let mut flipped = good.clone();
        *flipped.last_mut().unwrap() ^= 1;
        let foreign = String::from_utf8_lossy(&good[..60]).replace("juzhong", "anybody");
        let longer = [good.as_slice(), b"x"].concat();
        let bad: [&[u8]; 6] =
            [b"", b"text", &good[..good.len() / 2], &flipped, foreign.as_bytes(), &longer];
        for bytes in bad {
            let folder = tempfile::tempdir().unwrap();
            std::fs::write(folder.path().join(NAME), bytes).unwrap();
            generate_all(folder.path(), &sets(), &options(INTERVAL), &NoProgress).unwrap();
            assert!(files(folder.path()) == undisturbed());
        }
    }

    #[test]
    fn a_checkpoint_over_other_smaller_tables_is_not_used() {
        let folder = with_checkpoint();
        let file = own_files::open(&folder.path().join(NAME)).unwrap();
        let mut head = read_head(&mut BufReader::new(file)).unwrap();
        assert!(head.identity.tool.starts_with("juzhong "));
        let estimate = crate::tablebase::generate::estimate::estimate(
            sets()[0],
            crate::tablebase::value::Rules::Asian,
        );
        let path = folder.path().join("KRvKN.asian.dtm.jzt");
        head.identity.dependencies[0].1 = [1; 32];
        let other = Checkpoint::new(&path, head.identity, INTERVAL, &estimate.unwrap());
        let graph = crate::tablebase::solve::tests::random_graph::RandomGraph::chain(3);
        let error = other.read(&graph).err().unwrap();
        assert!(error.to_string().contains("other tables"), "{error}");
    }

    /// A link is neither read nor replaced, nor is what it leads to.
    #[cfg(unix)]
    #[test]
    fn a_link_of_that_name_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let precious = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(precious.path(), "precious").unwrap();
        std::os::unix::fs::symlink(precious.path(), folder.path().join(NAME)).unwrap();
        generate_all(folder.path(), &sets(), &options(Duration::ZERO), &NoProgress).unwrap();
        assert_eq!(std::fs::read_to_string(precious.path()).unwrap(), "precious");
        assert!(folder.path().join(NAME).is_symlink());
        std::fs::remove_file(folder.path().join(NAME)).unwrap();
        assert!(files(folder.path()) == undisturbed());
    }
}
