//! Building a book from generated games, from records and from files, adding to it, and probing it.

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use std::path::{Path, PathBuf};
use std::time::Duration;

use juzhong::book::{self, Book, BuildOptions, Builder, Filter, ReadOptions, Work};
use juzhong::bytes::StopFlag;
use juzhong::game::{Game, MoveList, Outcome, Side};
use juzhong::record::{PgnOptions, Record, Tree, write_pgn};
use juzhong::xiangqi::Position;
use juzhong::xiangqi::notation::MoveNotation;
use std::hint::black_box;

use made_up::MadeUpGames;

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

/// The games as one file in UCI notation, so often that reading takes some seconds.
fn file_of(games: &[Record<Position>], folder: &Path) -> PathBuf {
    let path = folder.join("games.pgn");
    let mut bytes = Vec::new();
    for game in games {
        write_pgn(&mut bytes, game, &PgnOptions::default()).expect("memory");
    }
    std::fs::write(&path, bytes.repeat(10)).expect("a file");
    path
}

/// From a file to a finished book, in input games a second: with copies counted once and each, and
/// with all that was read written to parts (more often than in real builds, where the first part is
/// written after half a minute).
fn files(c: &mut Criterion) {
    let games = games();
    let folder = tempfile::tempdir().expect("a temporary folder");
    let input = [file_of(&games, folder.path())];
    let output = folder.path().join("bench.book");
    let every_record = Filter { every_record: true, ..Filter::default() };
    let parts = Duration::from_millis(200);
    let half_minute = BuildOptions::default().keep_every;
    let mut group = c.benchmark_group("book of files");
    group.sample_size(10).throughput(Throughput::Elements(10 * GAMES as u64));
    for (name, filter, keep_every) in [
        ("20000 games", Filter::default(), half_minute),
        ("20000 games, every record", every_record, half_minute),
        ("20000 games, parts every 200 ms", Filter::default(), parts),
    ] {
        let options = BuildOptions { filter, keep_every, ..BuildOptions::default() };
        group.bench_function(name, |b| {
            b.iter(|| {
                let options = options.clone();
                book::build::<Position>(&input, &output, options, ReadOptions::default())
                    .expect("a book")
            });
        });
    }
    group.finish();
}

/// Adding a tenth of the games to a book of the others.
fn into(c: &mut Criterion) {
    let games = games();
    let folder = tempfile::tempdir().expect("a temporary folder");
    let at = |name: &str| folder.path().join(name);
    let build = |path: &Path, games: &[Record<Position>], base: Option<PathBuf>| {
        let options = BuildOptions { base, ..BuildOptions::default() };
        let builder = Builder::new(path, options).expect("a builder");
        builder.add(games).expect("memory");
        builder.finish(Vec::new()).expect("a book")
    };
    let (most, rest) = games.split_at(GAMES * 9 / 10);
    build(&at("base"), most, None);
    let mut group = c.benchmark_group("book into");
    group.sample_size(10).throughput(Throughput::Elements(rest.len() as u64));
    group.bench_function("200 games into a book of 1800", |b| {
        b.iter(|| build(&at("sum"), rest, Some(at("base"))));
    });
    group.finish();
}

/// Made-up games of the scale benches.
const MADE_UP: u64 = 20_000;

/// A file of made-up games of 40 plies after the project's own games, every one with up to 24 plies of
/// its own.
fn made_up(folder: &Path) -> PathBuf {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("../books/selfplay/selfplay.pgn");
    let (real, games) = (folder.join("real.book"), folder.join("games.pgn"));
    book::build::<Position>(&[own], &real, options(), ReadOptions::default()).expect("a book");
    let made_up = MadeUpGames::new::<Position>(&Book::open(&real).expect("the book"), 40, 24, 1)
        .expect("the book");
    let options = PgnOptions { notation: MoveNotation::Uci, ..PgnOptions::default() };
    let mut text = Vec::new();
    for number in 0..MADE_UP {
        write_pgn(&mut text, &made_up.game::<Position>(number), &options).expect("memory");
    }
    std::fs::write(&games, text).expect("a file");
    games
}

fn strict() -> ReadOptions<'static> {
    ReadOptions { strict: true, ..ReadOptions::default() }
}

fn options() -> BuildOptions {
    BuildOptions { max_ply: 40, ..BuildOptions::default() }
}

/// The steps of a build: games read (`map`), moves replayed, sorted and summed (`reduce`), rows
/// packed (`pack`), and all of them at once.
fn scale(c: &mut Criterion) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let at = |name: &str| folder.path().join(name);
    let work = Work { memory: 512 << 20, threads: None, stop: StopFlag::default() };
    let files = [made_up(folder.path())];
    let map = || book::map::<Position>(&files, &at("map"), options(), strict()).expect("a shard");
    let reduce =
        || book::reduce::<Position>(&[at("map")], &at("reduced"), (1, 1), &work).expect("a shard");
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
            book::pack::<Position>(&[at("reduced")], &at("packed.book"), &work).expect("a book")
        });
    });
    group.throughput(Throughput::Elements(MADE_UP));
    group.bench_function("build, games", |b| {
        b.iter(|| {
            let book = at("built.book");
            book::build::<Position>(&files, &book, options(), strict()).expect("a book")
        });
    });
    group.finish();
}

criterion_group!(benches, book, files, into, scale);
criterion_main!(benches);
