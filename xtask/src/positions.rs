//! Positions with scores and results, for training a network.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, ensure};
use juzhong::bytes::visible::ShowPath;
use juzhong::game::Packed;
use juzhong::record::Record;
use juzhong::search::eval::xiangqi::Evaluation;
use juzhong::tablebase::{Rules, Tables};
use juzhong::xiangqi::Position;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use rayon::prelude::*;

use crate::games::{progress, read_games};
use crate::labelled::{GamePlan, Piece, PieceHead, Player};
use crate::network;

/// Plays quick games of xiangqi from random points of given games and keeps their quiet positions, each with the score
/// of its search and the result, in numbered files for training. A file depends on its number, the seed and the games
/// given, not on the number of threads; those that are there already are not made again.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Game files in any format, and folders of them: the games begin at random points of these.
    #[arg(required = true)]
    openings: Vec<PathBuf>,
    /// Folder for the files.
    #[arg(short, long, value_name = "FOLDER")]
    output: PathBuf,
    /// Number of the first file.
    #[arg(long, value_name = "N", default_value_t = 0)]
    from: u64,
    /// Number of files.
    #[arg(long, value_name = "N", default_value_t = 100)]
    pieces: u64,
    /// Games of a file.
    #[arg(long, value_name = "N", default_value_t = 500, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    games: u32,
    /// Nodes per move.
    #[arg(long, default_value_t = 1_500, value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    nodes: u32,
    /// The most random moves of a game before the first that is searched.
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u32).range(..=100))]
    random_moves: u32,
    /// Folder of endgame tables of the usual rules, for the results of positions that they have.
    #[arg(long, value_name = "FOLDER")]
    tables: Option<PathBuf>,
    /// File of a network that evaluates; without it the classical evaluation does.
    #[arg(long, value_name = "FILE")]
    network: Option<PathBuf>,
    /// Random seed.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Files made in parallel (0: one per core).
    #[arg(long, default_value_t = 0)]
    threads: usize,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let (openings, _) = read_games::<Position>(&args.openings)?;
    ensure!(!openings.is_empty(), "no games to begin from");
    std::fs::create_dir_all(&args.output)?;
    let evaluation = network::evaluation(args.network.as_ref())?;
    let tables = args.tables.as_deref().map(read_tables).transpose()?;
    let digest = digest(&openings, &evaluation, args.tables.as_deref())?;
    let source = Source { openings, evaluation, tables, digest };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(args.threads).build()?;
    let bar = progress(args.pieces, "files")?;
    let samples: u64 = pool.install(|| {
        (args.from..args.from.saturating_add(args.pieces))
            // One after the other, so that what an interrupted run has made is its beginning.
            .par_bridge()
            .map(|number| {
                let made = args.make(number, &source);
                bar.inc(1);
                made
            })
            .try_reduce(|| 0, |one, other| Ok(one + other))
    })?;
    bar.finish_and_clear();
    println!("{samples} positions written to {}", args.output.shown());
    Ok(())
}

/// The games to begin from, the evaluation, the endgame tables, and a number that stands for all of them.
struct Source {
    openings: Vec<Record<Position>>,
    evaluation: Evaluation,
    tables: Option<Arc<Tables>>,
    digest: u64,
}

impl Args {
    const fn head(&self, number: u64, openings: u64) -> PieceHead {
        let Self { seed, nodes, games, random_moves, .. } = *self;
        PieceHead { seed, number, openings, nodes, games, random_moves }
    }

    /// Makes a file unless it is there; returns the number of its positions, 0 if it was there.
    fn make(&self, number: u64, source: &Source) -> anyhow::Result<u64> {
        let path = self.output.join(format!("{number:06}.jzlabel"));
        let head = self.head(number, source.digest);
        if path.exists() {
            check(&path, head)?;
            return Ok(0);
        }
        let plan = GamePlan { nodes: self.nodes.into(), random_moves: self.random_moves };
        let mut player = Player::new(plan, &source.evaluation, source.tables.clone())?;
        for game in 0..u64::from(self.games) {
            let mut chance = ChaCha8Rng::seed_from_u64(self.seed);
            chance.set_stream(number.wrapping_mul(u64::from(self.games)).wrapping_add(game));
            player.game(&source.openings, &mut chance);
        }
        let piece = Piece { head, samples: player.into_samples() };
        piece.write(&path)?;
        Ok(piece.samples.len() as u64)
    }
}

/// Refuses a file that was made in another way: what is in a folder is one set.
fn check(path: &Path, head: PieceHead) -> anyhow::Result<()> {
    let found = Piece::read(path)?.head;
    ensure!(
        found == head,
        "{}: made with other options, openings or another network",
        path.shown()
    );
    Ok(())
}

/// The tables of a folder.
pub(crate) fn read_tables(folder: &Path) -> anyhow::Result<Arc<Tables>> {
    let kinds = Tables::kinds_in(folder)?;
    let kind = kinds.into_iter().find(|&(rules, _)| rules == Rules::Asian);
    let (rules, metric) =
        kind.with_context(|| format!("{}: no tables of the usual rules", folder.shown()))?;
    Ok(Arc::new(Tables::open(folder, rules, metric)?))
}

/// A number that stands for the games and their order, for the network, and for the names of the tables.
fn digest(
    games: &[Record<Position>],
    evaluation: &Evaluation,
    tables: Option<&Path>,
) -> anyhow::Result<u64> {
    let mut hasher = blake3::Hasher::new();
    if let Some(folder) = tables {
        let names = std::fs::read_dir(folder)?.map(|entry| Ok(entry?.file_name()));
        let mut names = names.collect::<std::io::Result<Vec<_>>>()?;
        names.sort();
        names.iter().for_each(|name| {
            hasher.update(name.as_encoded_bytes());
        });
    }
    if let Evaluation::Network(network) = evaluation {
        hasher.update(network.digest().as_bytes());
    }
    for game in games {
        if let Some(start) = &game.start {
            hasher.update(start.to_fen().as_bytes());
        }
        for &mv in &game.tree.moves {
            hasher.update(&mv.pack().to_le_bytes());
        }
        hasher.update(&u16::MAX.to_le_bytes());
    }
    let [a, b, c, d, e, f, g, h, ..] = *hasher.finalize().as_bytes();
    Ok(u64::from_le_bytes([a, b, c, d, e, f, g, h]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parsed;
    use juzhong::record::Tree;
    use juzhong::tablebase::{GenerateOptions, NoProgress, Wdl, generate_all};

    const GAMES: &str = "1. h2e2 h9g7 2. h0g2 i9h9 3. i0h0 b9c7 4. b0a2 c6c5 5. h0h6 *\n\n";

    #[test]
    fn results_of_tables_are_exact() {
        let folder = tempfile::tempdir().unwrap();
        let tables = folder.path().join("tables");
        let materials = ["KPvK".parse().unwrap()];
        let options = GenerateOptions { rules: Rules::Asian, ..GenerateOptions::default() };
        generate_all(&tables, &materials, &options, &NoProgress).unwrap();
        let tables = read_tables(&tables).unwrap();
        let plan = GamePlan { nodes: 30, random_moves: 0 };
        let mut player =
            Player::new(plan, &Evaluation::Classical, Some(Arc::clone(&tables))).unwrap();
        let start = Position::from_fen("3k5/9/9/9/9/9/P8/9/9/4K4 w").unwrap();
        let game = Record {
            tags: Vec::new(),
            start: Some(start),
            start_clock: 0,
            result: None,
            tree: Tree::default(),
        };
        player.game(&[game], &mut ChaCha8Rng::seed_from_u64(1));
        let samples = player.into_samples();
        assert!(!samples.is_empty());
        for sample in samples {
            let value = tables.probe_wdl(&sample.position()).unwrap();
            let result = [Wdl::Loss, Wdl::Draw, Wdl::Win][usize::from(sample.result())];
            assert_eq!((sample.is_exact(), result), (true, value));
        }
        read_tables(folder.path()).unwrap_err();
    }

    fn made(folder: &Path, more: &[&str]) -> anyhow::Result<()> {
        let at = |name: &str| folder.join(name).to_str().unwrap().to_owned();
        std::fs::write(at("games.pgn"), GAMES)?;
        let output = at("out");
        let args = ["positions", "--games", "2", "--nodes", "100", "-o", &output, &at("games.pgn")];
        run(&parsed([&args[..], more].concat()))
    }

    fn files(folder: &Path) -> Vec<Vec<u8>> {
        let name = |number| folder.join(format!("out/{number:06}.jzlabel"));
        (0..3).map(|number| std::fs::read(name(number)).unwrap()).collect()
    }

    #[test]
    fn files_do_not_depend_on_threads_and_are_resumed() {
        let [one, other] = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
        made(one.path(), &["--pieces", "3", "--threads", "2"]).unwrap();
        made(other.path(), &["--from", "1", "--pieces", "1", "--threads", "1"]).unwrap();
        made(other.path(), &["--pieces", "3", "--threads", "1"]).unwrap();
        let [one, other] = [files(one.path()), files(other.path())];
        assert_eq!(one, other);
        assert_ne!(one[0][56..], one[1][56..]);
        assert!(one.iter().all(|file| file.len() > 56 + 10 * 32));
    }

    #[test]
    fn a_folder_holds_one_set() {
        let folder = tempfile::tempdir().unwrap();
        made(folder.path(), &["--pieces", "1", "--threads", "1"]).unwrap();
        let refused = made(folder.path(), &["--pieces", "1", "--seed", "2"]).unwrap_err();
        assert!(refused.to_string().contains("other options"), "{refused}");
    }
}
