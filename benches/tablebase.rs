//! Building a small table, and probing with decoded blocks at hand.

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use juzhong::tablebase::{
    GenerateOptions, Material, Metric, NoProgress, Rules, Tables, generate_all,
};
use juzhong::xiangqi::Position;

fn material(name: &str) -> Option<Material> {
    name.parse().ok()
}

fn generate(c: &mut Criterion) {
    let mut group = c.benchmark_group("tablebase generate");
    group.sample_size(10);
    let Some(material) = material("KRvKN") else { return };
    let options = GenerateOptions::default();
    // Both sides of KRvKN; its small sub-sets come on top.
    group.throughput(Throughput::Elements(2 * 364_500));
    group.bench_function("KRvKN with sub-sets", |b| {
        b.iter_batched(
            tempfile::tempdir,
            |folder| {
                let folder = folder.ok()?;
                generate_all(folder.path(), &[material], &options, &NoProgress).ok()
            },
            BatchSize::PerIteration,
        );
    });
    group.finish();
}

fn probe(c: &mut Criterion) {
    let Ok(folder) = tempfile::tempdir() else { return };
    let Some(material) = material("KRvKN") else { return };
    let options = GenerateOptions::default();
    if generate_all(folder.path(), &[material], &options, &NoProgress).is_err() {
        return;
    }
    let Ok(tables) = Tables::open(folder.path(), Rules::Check, Metric::Dtm) else { return };
    let Ok(position) = Position::from_fen("4k4/9/9/4n4/9/9/9/9/9/3K4R w") else { return };
    let mut group = c.benchmark_group("tablebase probe");
    group.bench_function("wdl, cached", |b| b.iter(|| tables.probe_wdl(&position)));
    group.bench_function("wdl and distance, cached", |b| b.iter(|| tables.probe(&position)));
    group.bench_function("all moves, cached", |b| b.iter(|| tables.probe_root(&position)));
    group.finish();
}

criterion_group!(benches, generate, probe);
criterion_main!(benches);
