//! Building a book from generated games, and probing it.

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use juzhong::book::{Book, BuildOptions, Builder, ShardFormat, Synth, Work};
use juzhong::game::{Game, MoveList, Outcome, Side};
use juzhong::record::{PgnOptions, Record, Tree, write_pgn};
use juzhong::xiangqi::Position;
use juzhong::xiangqi::notation::MoveNotation;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::sync::Arc;

const GAMES: usize = 2000;

/// Games of 80 plies by a fixed pseudo-random walk that prefers the first moves generated, so that
/// openings are shared.
fn games() -> Vec<Record<Position>> {
    let mut state = 7u64;
    let mut random = move |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963);
        (state >> 33) as usize % below
    };
    (0..GAMES)
        .map(|i| {
            let mut position = Position::start();
            let mut tree = Tree::default();
            for _ in 0..80 {
                let mut moves = MoveList::new();
                position.legal_moves(&mut moves);
                let Some(&mv) = moves.get(random(moves.len().clamp(1, 3))) else { break };
                position.make(mv);
                tree.moves.push(mv);
            }
            let result = [Outcome::Win(Side::First), Outcome::Draw, Outcome::Win(Side::Second)];
            let result = Some(result[i % 3]);
            Record { tags: Vec::new(), start: None, start_clock: 0, result, tree }
        })
        .collect()
}

fn book(c: &mut Criterion) {
    let games = games();
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("bench.book");
    let build = || {
        let builder = Builder::new(&path, BuildOptions::default()).expect("a builder");
        builder.add(&games).expect("memory");
        builder.finish(Vec::new()).expect("a book")
    };
    let mut group = c.benchmark_group("book");
    group.sample_size(10).throughput(Throughput::Elements(GAMES as u64));
    group.bench_function("build from 2000 records", |b| {
        b.iter_batched(|| (), |()| build(), BatchSize::PerIteration);
    });
    build();
    let book = Book::open(&path).expect("the book");
    let positions: Vec<Position> = games
        .iter()
        .take(100)
        .flat_map(|game| {
            let mut position = Position::start();
            game.tree.moves.iter().take(60).map(move |&mv| {
                let before = position.clone();
                position.make(mv);
                before
            })
        })
        .collect();
    group.throughput(Throughput::Elements(positions.len() as u64));
    group.bench_function("probe", |b| {
        b.iter(|| {
            for position in &positions {
                black_box(book.probe(position).expect("a sound book"));
            }
        });
    });
    group.finish();
}

/// Made-up games of the scale benches.
const MADE_UP: u64 = 20_000;

/// A file of made-up games of 40 plies after the project's own games, every one with up to 24 plies of
/// its own.
fn made_up(folder: &Path) -> PathBuf {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("books/selfplay/selfplay.pgn");
    let (real, games) = (folder.join("real.book"), folder.join("games.pgn"));
    juzhong::book::build(&[own], &real, options(), false, 0, &|_| {}, &mut |_| {}).expect("a book");
    let synth = Synth::new(&Book::open(&real).expect("the book"), 40, 24, 1).expect("the book");
    let options = PgnOptions { notation: MoveNotation::Uci, ..PgnOptions::default() };
    let mut text = Vec::new();
    for number in 0..MADE_UP {
        write_pgn(&mut text, &synth.game(number), &options).expect("memory");
    }
    std::fs::write(&games, text).expect("a file");
    games
}

fn options() -> BuildOptions {
    BuildOptions { max_ply: 40, ..BuildOptions::default() }
}

/// The steps of a build: games read (`map`), moves replayed, sorted and summed (`reduce`), rows
/// packed (`pack`), and all of them at once.
fn scale(c: &mut Criterion) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let at = |name: &str| folder.path().join(name);
    let work = Work { memory: 512 << 20, threads: 0, stop: Arc::default() };
    let files = [made_up(folder.path())];
    let map = || {
        juzhong::book::map(
            &files,
            &at("map"),
            ShardFormat::Own,
            options(),
            (true, 0),
            &|_| {},
            &mut |_| {},
        )
        .expect("a shard")
    };
    let reduce = || {
        juzhong::book::reduce(&[at("map")], &at("reduced"), ShardFormat::Own, (1, 1), &work)
            .expect("a shard")
    };
    let clear = |name: &str| std::fs::remove_dir_all(at(name)).unwrap_or(());
    let mut group = c.benchmark_group("book");
    group.sample_size(10).throughput(Throughput::Elements(MADE_UP));
    group.bench_function("map, games", |b| {
        b.iter_batched(|| clear("map"), |()| map(), BatchSize::PerIteration);
    });
    group.throughput(Throughput::Elements(40 * MADE_UP));
    group.bench_function("reduce, moves", |b| {
        b.iter_batched(|| clear("reduced"), |()| reduce(), BatchSize::PerIteration);
    });
    clear("reduced");
    group.throughput(Throughput::Elements(reduce().rows[2]));
    group.bench_function("pack, rows", |b| {
        b.iter(|| {
            juzhong::book::pack(&[at("reduced")], &at("packed.book"), &work).expect("a book")
        });
    });
    group.throughput(Throughput::Elements(MADE_UP));
    group.bench_function("build, games", |b| {
        b.iter(|| {
            let book = at("built.book");
            juzhong::book::build(&files, &book, options(), true, 0, &|_| {}, &mut |_| {})
                .expect("a book")
        });
    });
    group.finish();
}

criterion_group!(benches, book, scale);
criterion_main!(benches);
