//! Building, checking and probing tables.
//!
//! Positions to probe are random legal ones, drawn with a fixed seed. "Cached" means that their
//! blocks are decoded already, but there are too many of them for rebuilt values to be at hand;
//! "uncached" that no block is, the file being in the page cache. Times are those of one position.

use std::hint::black_box;
use std::num::NonZero;
use std::path::Path;
use std::time::{Duration, Instant};

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use juzhong::game::Side;
use juzhong::tablebase::{
    GenerateOptions, Material, Metric, NoProgress, Rules, Tables, VerifyOptions, generate_all,
    verify,
};
use juzhong::xiangqi::{Piece, Position, Role, Setup, Square, can_stand};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// Sets without captures of one side, with captures on both sides, one that is its own swap, and one
/// of five men in which repetition decides much.
const SETS: [&str; 5] = ["KRvKAABB", "KRvKN", "KNPvKA", "KRvKR", "KRCvKR"];
/// Positions of each set.
const POSITIONS: usize = 2000;
/// Positions of each set where rebuilt values must not be at hand.
const MANY: usize = 500_000;

fn build(dir: &Path, name: &str, threads: Option<NonZero<usize>>) -> Option<()> {
    let options = GenerateOptions { threads, ..GenerateOptions::default() };
    generate_all(dir, &[name.parse().ok()?], &options, &NoProgress).ok().map(drop)
}

/// Random legal positions of a material, with either side to move.
fn random_positions(material: Material, count: usize) -> Vec<Position> {
    let mut random = ChaCha8Rng::seed_from_u64(2026);
    let mut men = Vec::new();
    for (side, role) in Side::ALL.into_iter().flat_map(|s| Role::ALL.map(|r| (s, r))) {
        let piece = Piece::new(side, role);
        let squares: Vec<Square> = Square::all().filter(|&s| can_stand(piece, s)).collect();
        men.extend((0..material.count(side, role)).map(|_| (piece, squares.clone())));
    }
    let mut below = |limit: usize| random.next_u32() as usize % limit;
    let mut positions = Vec::new();
    while positions.len() < count {
        let mut setup = Setup::empty();
        for (piece, squares) in &men {
            setup.board[squares[below(squares.len())].index()] = Some(*piece);
        }
        setup.turn = Side::ALL[below(2)];
        let on_board = setup.board.iter().flatten().count();
        positions.extend(Position::from_setup(&setup).ok().filter(|_| on_board == men.len()));
    }
    positions
}

/// The time of `probe` for each of `runs` positions, which come again and again.
fn run<T>(runs: u64, positions: &[Position], probe: impl Fn(&Position) -> T) -> Duration {
    let start = Instant::now();
    for position in positions.iter().cycle().take(runs as usize) {
        black_box(probe(position));
    }
    start.elapsed()
}

/// The same with nothing decoded before each probe; forgetting is not counted.
fn run_uncached<T>(
    runs: u64,
    tables: &Tables,
    positions: &[Position],
    probe: impl Fn(&Position) -> T,
) -> Duration {
    let mut total = Duration::ZERO;
    for position in positions.iter().cycle().take(runs as usize) {
        tables.clear_cache();
        let start = Instant::now();
        black_box(probe(position));
        total += start.elapsed();
    }
    total
}

fn probe(c: &mut Criterion) {
    let Ok(folder) = tempfile::tempdir() else { return };
    let mut group = c.benchmark_group("tablebase probe");
    for name in SETS {
        let Ok(material) = name.parse::<Material>() else { return };
        let Some(()) = build(folder.path(), name, None) else { return };
        let Ok(tables) = Tables::open(folder.path(), Rules::Check, Metric::Dtm) else { return };
        let positions = random_positions(material, POSITIONS);
        let many = random_positions(material, MANY);
        let checked: Vec<Position> = many.iter().filter(|p| p.in_check()).cloned().collect();
        let wdl = |position: &Position| tables.probe_wdl(position);
        let value = |position: &Position| tables.probe(position);
        let moves = |position: &Position| tables.probe_root(position);
        // So that files are open and blocks decoded.
        run(MANY as u64, &many, value);
        group.bench_function(format!("{name}, WDL, cached"), |b| {
            b.iter_custom(|runs| run(runs, &many, wdl));
        });
        group.bench_function(format!("{name}, WDL in check, cached"), |b| {
            b.iter_custom(|runs| run(runs, &checked, wdl));
        });
        group.bench_function(format!("{name}, WDL and distance, cached"), |b| {
            b.iter_custom(|runs| run(runs, &many, value));
        });
        group.bench_function(format!("{name}, all moves, cached"), |b| {
            b.iter_custom(|runs| run(runs, &many, moves));
        });
        group.bench_function(format!("{name}, WDL, uncached"), |b| {
            b.iter_custom(|runs| run_uncached(runs, &tables, &positions, wdl));
        });
        group.bench_function(format!("{name}, WDL and distance, uncached"), |b| {
            b.iter_custom(|runs| run_uncached(runs, &tables, &positions, value));
        });
        group.bench_function(format!("{name}, all moves, uncached"), |b| {
            b.iter_custom(|runs| run_uncached(runs, &tables, &positions, moves));
        });
    }
    group.finish();
}

/// Cached WDL probes of the same positions by several threads at once, each from another position
/// on.
fn probe_in_threads(c: &mut Criterion) {
    let Ok(folder) = tempfile::tempdir() else { return };
    let Ok(material) = "KRvKAABB".parse::<Material>() else { return };
    let Some(()) = build(folder.path(), "KRvKAABB", None) else { return };
    let Ok(tables) = Tables::open(folder.path(), Rules::Check, Metric::Dtm) else { return };
    let positions = random_positions(material, POSITIONS);
    run(POSITIONS as u64, &positions, |position| tables.probe_wdl(position));
    let mut group = c.benchmark_group("tablebase probe in threads");
    for threads in [1, 2] {
        group.throughput(Throughput::Elements((threads * POSITIONS) as u64));
        let probe_all = |thread: usize| {
            for position in positions.iter().cycle().skip(331 * thread).take(POSITIONS) {
                let _answer = black_box(tables.probe_wdl(position));
            }
        };
        group.bench_function(format!("KRvKAABB, WDL, {threads} threads"), |b| {
            b.iter_custom(|runs| {
                let work = |thread| (0..runs).for_each(|_| probe_all(thread));
                let start = Instant::now();
                std::thread::scope(|scope| {
                    for thread in 0..threads {
                        scope.spawn(move || work(thread));
                    }
                });
                start.elapsed()
            });
        });
    }
    group.finish();
}

/// Compression is part of it: at its highest level it is the larger part.
fn generate(c: &mut Criterion) {
    let mut group = c.benchmark_group("tablebase generate");
    group.sample_size(10);
    for (name, threads) in [("KRvKN", 2), ("KRvKAABB", 1), ("KRvKAABB", 2)] {
        group.bench_function(format!("{name} with sub-sets, {threads} threads"), |b| {
            b.iter_batched(
                tempfile::tempdir,
                |folder| {
                    let folder = folder.ok()?;
                    build(folder.path(), name, NonZero::new(threads))
                },
                BatchSize::PerIteration,
            );
        });
    }
    group.finish();
}

fn prove(c: &mut Criterion) {
    let Ok(folder) = tempfile::tempdir() else { return };
    let Ok(material) = "KRvKN".parse::<Material>() else { return };
    let Some(()) = build(folder.path(), "KRvKN", None) else { return };
    let mut group = c.benchmark_group("tablebase verify");
    group.sample_size(10);
    let options = VerifyOptions::default();
    group.bench_function("KRvKN", |b| {
        b.iter(|| verify(folder.path(), &[material], &options, &NoProgress));
    });
    group.finish();
}

criterion_group!(benches, probe, probe_in_threads, generate, prove);
criterion_main!(benches);
