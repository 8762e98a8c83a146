//! Building a book from generated games, and probing it.

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use juzhong::book::{Book, BuildOptions, Builder};
use juzhong::game::{Game, MoveList, Outcome, Side};
use juzhong::record::{Record, Tree};
use juzhong::xiangqi::Position;
use std::hint::black_box;

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

criterion_group!(benches, book);
criterion_main!(benches);
