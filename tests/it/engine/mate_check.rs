//! Mates that searches without tables claim are wins in the tables, and no shorter than these allow.

use juzhong::book::Evaluator;
use juzhong::bytes::StopFlag;
use juzhong::engine::{MateSample, SearchEvaluator, check_sample};
use juzhong::game::Line;
use juzhong::search::{Limits, Score, SearchOptions, Searcher};
use juzhong::tablebase::{Material, Metric, Rules, Tables};
use juzhong::xiangqi::{Position, RuleSet};

use crate::support::effort::is_full;
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
        let sample = MateSample {
            materials: &materials,
            positions: if is_full() { 40 } else { 16 },
            seed: 7,
        };
        let positions = sample.draw(&tables).unwrap();
        assert_eq!(positions, sample.draw(&tables).unwrap());
        assert!(positions.iter().any(|(_, entry)| entry.order > 0));
        let report = check_sample(&positions, rules, &Limits::nodes(10_000)).unwrap();
        assert!(report.drawn * 2 >= positions.len() as u64, "{report:?}");
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

/// A composed mate whose defender can only put the end off by perpetual check: won, and no mate in so many moves.
const CHECKS_FOR_EVER: &str = "3ak4/4a4/4b4/9/2b4R1/1N5n1/5p1r1/3RB4/2p1r4/2B2K1c1 w - - 0 1";

/// Books keep no score that rests on an early verdict.
#[test]
fn books_keep_no_score_by_an_early_verdict() {
    let limits = Limits::nodes(300_000);
    let line = Line::new(Position::from_fen(CHECKS_FOR_EVER).unwrap(), 0);
    for rules in [RuleSet::Check, RuleSet::Asian] {
        let options = SearchOptions { hash_mib: 16, ..SearchOptions::default() };
        let mut searcher = Searcher::<Position>::new(options).unwrap();
        let found = searcher.run(&line, rules, &limits, &(), &());
        assert!(found.score.is_early() && found.score > Score::DRAW, "{found:?}");
        let mut evaluator = SearchEvaluator::<Position>::new(options, rules, limits, None).unwrap();
        assert_eq!(evaluator.evaluate(&line, &StopFlag::default()).unwrap(), None);
    }
}
