//! Mates that searches without tables claim are wins in the tables, and no shorter than these allow.

use juzhong::book::Evaluator;
use juzhong::bytes::StopFlag;
use juzhong::engine::{MateSample, SearchEvaluator, check_sample};
use juzhong::game::Line;
use juzhong::search::{Limits, SearchOptions, Searcher};
use juzhong::tablebase::{Material, Metric, Rules, Tables, Wdl};
use juzhong::xiangqi::{Position, RuleSet};

use crate::support::folder::Folder;
use crate::support::tables::{asian_tables, build_tables, small_tables};

fn materials(names: &[&str]) -> Vec<Material> {
    names.iter().map(|name| name.parse().unwrap()).collect()
}

/// Half of the positions are drawn ones whose drawing moves check or chase, a third is decided by rule.
#[test]
fn claimed_mates_are_wins_of_the_tables() {
    for (folder, made, rules, names) in [
        (small_tables(), Rules::Check, RuleSet::Check, &["KRvKN"][..]),
        (asian_tables(), Rules::Asian, RuleSet::Asian, &["KRvKN", "KCvKN"]),
    ] {
        let tables = Tables::open(folder, made, Metric::Dtm).unwrap();
        let materials = materials(names);
        let sample = MateSample { materials: &materials, positions: 40, seed: 7 };
        let positions = sample.draw(&tables).unwrap();
        assert_eq!(positions, sample.draw(&tables).unwrap());
        assert!(positions.iter().any(|(_, entry)| entry.order > 0));
        let report = check_sample(&positions, rules, &Limits::nodes(10_000)).unwrap();
        assert!(report.drawn >= 20, "{report:?}");
        assert_eq!((report.wrong, report.short, report.mates_by_rule), (0, 0, 0), "{report:?}");
        assert_eq!(report.contradicted, 0, "{report:?}");
    }
}

/// The sets in which chases decide as well, and longer searches.
#[test]
#[ignore = "cargo test --release --test it claimed_mates -- --ignored (three minutes)"]
fn claimed_mates_are_wins_of_larger_tables() {
    let names = ["KRCvKR", "KRNvKR", "KRvKNC", "KRCvKN", "KRvKN", "KRAvKNA"];
    for (made, rules) in [(Rules::Check, RuleSet::Check), (Rules::Asian, RuleSet::Asian)] {
        let folder = Folder::new();
        let tables = build_tables(folder.path(), &names, made);
        let materials = materials(&names);
        let sample = MateSample { materials: &materials, positions: 100, seed: 1 };
        let positions = sample.draw(&tables).unwrap();
        let report = check_sample(&positions, rules, &Limits::nodes(100_000)).unwrap();
        assert_eq!((report.wrong, report.short, report.mates_by_rule), (0, 0, 0), "{report:?}");
        println!("{made}: {report:?}");
    }
}

/// Books keep no score that rests on an early verdict.
#[test]
fn books_keep_no_score_by_an_early_verdict() {
    let tables = Tables::open(small_tables(), Rules::Check, Metric::Dtm).unwrap();
    let materials = materials(&["KRvKN"]);
    let sample = MateSample { materials: &materials, positions: 60, seed: 3 };
    let limits = Limits::nodes(20_000);
    let mut evaluator = SearchEvaluator::<Position>::new(4, RuleSet::Check, limits, None).unwrap();
    let options = SearchOptions { hash_mib: 4, threads: 1, multipv: 1 };
    let mut searcher = Searcher::<Position>::new(options).unwrap();
    let mut early = 0;
    for (position, entry) in sample.draw(&tables).unwrap() {
        if entry.wdl == Wdl::Draw {
            continue;
        }
        let line = Line::new(position, 0);
        searcher.new_game();
        let found = searcher.run(&line, RuleSet::Check, &limits, &(), &());
        let kept = evaluator.evaluate(&line, &StopFlag::default()).unwrap();
        assert_eq!(kept.is_none(), found.score.is_early());
        early += u32::from(found.score.is_early());
    }
    assert!(early > 0);
}
