//! Perpetual chase in endgame tables: against the literal parity game on positions × men, against
//! known counts, and the lines that explain what is decided by rule.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod brute;

use std::path::Path;

use brute::{Graph, Wdl as BruteWdl};
use juzhong::tablebase::{
    GenerateOptions, Material, Metric, NoProgress, Rules, Tables, Wdl, generate_all,
};

fn tables(dir: &Path, names: &[&str], rules: Rules) -> Tables {
    let materials: Vec<Material> = names.iter().map(|name| name.parse().unwrap()).collect();
    let options = GenerateOptions { rules, ..GenerateOptions::default() };
    generate_all(dir, &materials, &options, &NoProgress).unwrap();
    Tables::open(dir, rules, Metric::Dtm).unwrap()
}

/// Slot for slot; how many positions chase decides.
fn compare(name: &str) -> usize {
    let folder = tempfile::tempdir().unwrap();
    let asian = tables(folder.path(), &[name], Rules::Asian);
    let graph = Graph::new(name);
    let solution = graph.solve(brute::Rules::Asian);
    let check = graph.solve(brute::Rules::Check);
    let mut by_chase = 0;
    for (position, value) in solution.iter() {
        let entry = asian.probe(&position).unwrap();
        let wdl = match value.wdl {
            BruteWdl::Loss => Wdl::Loss,
            BruteWdl::Draw => Wdl::Draw,
            BruteWdl::Win => Wdl::Win,
        };
        assert_eq!(entry.wdl, wdl, "{name}: {} {entry:?}", position.to_fen());
        assert_eq!(entry.order > 0, value.by_rule, "{name}: {}", position.to_fen());
        by_chase += usize::from(check.value(&position).wdl != value.wdl);
    }
    println!("{name}: {by_chase} positions decided by chase");
    by_chase
}

#[test]
fn tables_agree_with_the_literal_game() {
    ["KRvKN", "KRvKC"].iter().for_each(|name| {
        compare(name);
    });
}

#[test]
#[ignore = "cargo test --release --test tablebase_chase four_men -- --ignored: minutes, 3 GiB"]
fn tables_of_four_men_agree_with_the_literal_game() {
    let sets = ["KRvKN", "KRvKC", "KNvKN", "KCvKC", "KCvKN", "KRvKR", "KCvKP"];
    let decided: usize = sets.iter().map(|name| compare(name)).sum();
    println!("{decided} positions of four men are decided by chase");
}

#[test]
#[ignore = "cargo test --release --test tablebase_chase five_men -- --ignored: minutes, 8 GiB"]
fn tables_of_five_men_agree_with_the_literal_game() {
    let decided: usize = ["KRAvKR", "KRvKNA", "KCAvKN"].iter().map(|name| compare(name)).sum();
    println!("{decided} positions of five men are decided by chase");
}

/// Sets in which chase changes nothing.
#[test]
fn sets_that_need_no_rule_are_as_under_none() {
    let names = [
        "KRvK", "KPvK", "KNvK", "KNvKA", "KRvKA", "KRvKB", "KRvKAA", "KRvKR", "KRvKC", "KPvKP",
        "KCvKC",
    ];
    same_under_all_rules(&names);
}

#[test]
#[ignore = "cargo test --release --test tablebase_chase larger -- --ignored: a minute or two"]
fn larger_sets_that_need_no_rule_are_as_under_none() {
    same_under_all_rules(&["KRvKAABB", "KRPvKAA", "KNPvKAA", "KNPvKAABB"]);
}

fn same_under_all_rules(names: &[&str]) {
    let folder = tempfile::tempdir().unwrap();
    let [none, check, asian] = Rules::ALL.map(|rules| tables(folder.path(), names, rules));
    for name in names {
        let content = |tables: &Tables| tables.stats(name.parse().unwrap()).unwrap().content;
        assert_eq!(content(&asian), content(&none), "{name}");
        assert_eq!(content(&asian), content(&check), "{name}");
    }
}

/// Win, draw, loss of either side to move, as an independent implementation has them.
#[test]
#[ignore = "cargo test --release --test tablebase_chase known -- --ignored: minutes on two cores"]
fn chase_decides_as_many_as_known() {
    let folder = tempfile::tempdir().unwrap();
    let tables = tables(folder.path(), &["KRCvKR"], Rules::Asian);
    let sides = tables.stats("KRCvKR".parse().unwrap()).unwrap().sides;
    let wdl = |counts: &juzhong::tablebase::SideCounts| [counts.win, counts.draw, counts.loss];
    assert_eq!(wdl(&sides.first.counts), [23_988_674, 5_833_690, 1_091_682]);
    assert_eq!(wdl(&sides.second.counts), [11_423_936, 12_337_985, 7_345_697]);
}
