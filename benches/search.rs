//! Search and evaluation speed.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use juzhong::game::{Adjudicate, EvaluationKind, Evaluator, Game, Heuristics, Line, MoveList};
use juzhong::search::{Limits, SearchOptions, Searcher, tt_key};
use juzhong::xiangqi::{Position, START_FEN};

const POSITIONS: [(&str, &str); 2] = [
    ("start", START_FEN),
    ("middle game", "r1bakabr1/9/1cn3nc1/p1p1p1p1p/9/9/P1P1P1P1P/1C2C1N2/9/RNBAKABR1 w - - 0 1"),
];

fn bench(c: &mut Criterion) {
    let options = SearchOptions { hash_mib: 16, ..SearchOptions::default() };
    let Ok(mut searcher) = Searcher::<Position>::new(options) else { return };
    let rules = <Position as Adjudicate>::Rules::default();
    for (name, fen) in POSITIONS {
        let Ok(position) = Position::from_fen(fen) else { continue };
        let line = Line::new(position.clone(), 0);
        let nodes = 50_000;
        let mut group = c.benchmark_group("search");
        group.throughput(Throughput::Elements(nodes)).sample_size(20);
        group.bench_function(name, |b| {
            b.iter(|| {
                searcher.new_game();
                searcher.run(&line, rules, &Limits::nodes(nodes), &(), &())
            });
        });
        group.finish();
        c.bench_function(&format!("table probe/{name}"), |b| {
            b.iter(|| searcher.probe(tt_key(&line, rules)));
        });
        let mut moves = MoveList::new();
        position.legal_moves(&mut moves);
        let next: Vec<_> = moves.iter().filter_map(|&mv| position.play(mv).ok()).collect();
        for kind in EvaluationKind::ALL {
            // The positions after all moves, one after the other at the same ply, as a search comes to them.
            let mut evaluator = <Position as Heuristics>::Evaluator::of_kind(kind);
            evaluator.evaluate(&position, 0);
            let mut turn = next.iter().cycle();
            c.bench_function(&format!("evaluate/{kind}/{name}"), |b| {
                b.iter(|| turn.next().map(|position| evaluator.evaluate(position, 1)));
            });
        }
        c.bench_function(&format!("legal moves/{name}"), |b| {
            b.iter(|| {
                let mut moves = MoveList::new();
                position.legal_moves(&mut moves);
                moves.len()
            });
        });
        c.bench_function(&format!("checks among the legal moves/{name}"), |b| {
            let mut moves = MoveList::new();
            position.legal_moves(&mut moves);
            b.iter(|| moves.iter().filter(|mv| position.gives_check(**mv)).count());
        });
        let mut captures = MoveList::new();
        position.append_captures(&mut captures);
        c.bench_function(&format!("exchanges/{name}"), |b| {
            b.iter(|| captures.iter().map(|&mv| position.exchange_value(mv)).sum::<i32>());
        });
        c.bench_function(&format!("exchanges that do not lose/{name}"), |b| {
            b.iter(|| captures.iter().filter(|mv| position.exchange_reaches(**mv, 0)).count());
        });
    }
}

criterion_group!(benches, bench);
criterion_main!(benches);
