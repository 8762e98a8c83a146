//! Reading PGN from bytes to replayed, legality-checked games, and single moves as text.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use encoding_rs::BIG5;
use juzhong::game::{Game, MoveList, Outcome, Side};
use juzhong::record::{PgnOptions, Record, Tree, read_games, write_pgn};
use juzhong::xiangqi::notation::{MoveNotation, format_move, parse_move};
use juzhong::xiangqi::{Move, Position};

const GAMES: u64 = 200;
const PLIES: usize = 80;

/// Random moves; the same for the same seed.
fn random_moves(seed: u64) -> Vec<Move> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut position = Position::start();
    let mut played = Vec::new();
    while played.len() < PLIES {
        let mut moves = MoveList::new();
        position.legal_moves(&mut moves);
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        let Some(&mv) = moves.get((state >> 33) as usize % moves.len().max(1)) else { break };
        position.make(mv);
        played.push(mv);
    }
    played
}

fn source(notation: MoveNotation) -> String {
    let mut out = Vec::new();
    for seed in 1..=GAMES {
        let record = Record {
            tags: [("Event", "联赛"), ("Red", "甲乙丙"), ("Black", "丁戊"), ("Date", "2000")]
                .map(|(name, value)| (name.to_owned(), value.to_owned()))
                .to_vec(),
            start: None,
            start_clock: 0,
            result: Some(Outcome::Win(Side::First)),
            tree: Tree { moves: random_moves(seed), ..Tree::default() },
        };
        let options = PgnOptions { notation, ..PgnOptions::default() };
        if write_pgn(&mut out, &record, &options).is_err() {
            break;
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// The traditional characters, without which there is no Big5.
fn traditional(text: &str) -> String {
    let pairs =
        [('马', '馬'), ('车', '車'), ('进', '進'), ('后', '後'), ('帅', '帥'), ('将', '將')];
    pairs.iter().fold(text.replace("联赛", "聯賽"), |text, &(from, to)| {
        text.replace(from, &to.to_string())
    })
}

fn bench_reading(c: &mut Criterion) {
    let chinese = source(MoveNotation::Chinese);
    let sources = [
        ("Chinese, Big5", BIG5.encode(&traditional(&chinese)).0.into_owned()),
        ("Chinese, UTF-8", chinese.into_bytes()),
        ("UCI", source(MoveNotation::Uci).into_bytes()),
        ("WXF", source(MoveNotation::Wxf).into_bytes()),
    ];
    let mut group = c.benchmark_group("read PGN");
    group.throughput(Throughput::Elements(GAMES));
    for (name, bytes) in sources {
        group.bench_function(name, |b| {
            b.iter(|| {
                let summary = read_games("bench", &bytes, &mut |game| {
                    std::hint::black_box(&game);
                });
                assert_eq!((summary.games, summary.bad), (GAMES, 0));
            });
        });
    }
    group.finish();
}

fn bench_moves(c: &mut Criterion) {
    let position = Position::start();
    let mut moves = MoveList::new();
    position.legal_moves(&mut moves);
    let mut group = c.benchmark_group("moves of the start position");
    group.throughput(Throughput::Elements(moves.len() as u64));
    for notation in MoveNotation::ALL {
        group.bench_function(format!("write {notation}"), |b| {
            b.iter(|| {
                moves.iter().map(|&mv| format_move(&position, mv, notation).len()).sum::<usize>()
            });
        });
        let texts: Vec<_> = moves.iter().map(|&mv| format_move(&position, mv, notation)).collect();
        group.bench_function(format!("read {notation}"), |b| {
            b.iter(|| texts.iter().filter(|text| parse_move(&position, text).is_ok()).count());
        });
    }
    group.finish();
}

criterion_group!(benches, bench_reading, bench_moves);
criterion_main!(benches);
