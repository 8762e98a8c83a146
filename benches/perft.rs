//! Perft with the last ply counted in bulk.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use juzhong::game::perft;
use juzhong::xiangqi::Position;

const POSITIONS: [(&str, &str, u32, u64); 2] = [
    ("start", juzhong::xiangqi::START_FEN, 4, 3_290_240),
    (
        "middle game",
        "r1ba1a3/4kn3/2n1b4/pNp1p1p1p/4c4/6P2/P1P2R2P/1CcC5/9/2BAKAB2 w - - 0 1",
        4,
        1_339_047,
    ),
];

fn bench(c: &mut Criterion) {
    let mut group = c.benchmark_group("perft");
    for (name, fen, depth, nodes) in POSITIONS {
        let Ok(mut position) = Position::from_fen(fen) else { continue };
        group.throughput(Throughput::Elements(nodes));
        group.bench_function(format!("{name}, depth {depth}"), |b| {
            b.iter(|| assert_eq!(perft(&mut position, depth), nodes));
        });
    }
    group.finish();
}

criterion_group!(benches, bench);
criterion_main!(benches);
