//! Check and chase in endgame tables: against the literal parity game on positions × men, against
//! known counts, and the lines that explain what is decided by rule.

use std::path::Path;

use juzhong::game::{Game, Side, Verdict};
use juzhong::tablebase::{
    Entry, LineEnd, Metric, NoProgress, Rules, Tables, VerifyOptions, Wdl, verify,
};
use juzhong::xiangqi::Position;

use crate::support::brute::certificate::{Certified, certify};
use crate::support::brute::{self, Graph, Wdl as BruteWdl};
use crate::support::effort::is_full;
use crate::support::tables::{
    asian_tables, build_tables, small_graph, small_tables, tables_of_four_men,
};

fn opened(folder: &Path, rules: Rules) -> Tables {
    Tables::open(folder, rules, Metric::Dtm).unwrap()
}

/// The number of positions that chase decides in a set.
fn decided_by_chase(name: &str) -> usize {
    let folder = tempfile::tempdir().unwrap();
    compare(name, &Graph::new(name), &build_tables(folder.path(), &[name], Rules::Asian))
}

/// Slot for slot; how many positions chase decides.
fn compare(name: &str, graph: &Graph, asian: &Tables) -> usize {
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
    by_chase
}

#[test]
fn tables_agree_with_the_literal_game() {
    compare("KRvKN", small_graph(), &opened(asian_tables(), Rules::Asian));
}

#[test]
#[ignore = "cargo test --release --test it tablebase::chase::tables_of_four_men_agree_with_the_literal_game -- --ignored: minutes, 3 GiB"]
fn tables_of_four_men_agree_with_the_literal_game() {
    let sets = ["KRvKN", "KRvKC", "KNvKN", "KCvKC", "KCvKN", "KRvKR", "KCvKP"];
    let decided: usize = sets.iter().map(|name| decided_by_chase(name)).sum();
    assert_eq!(decided, 0);
}

#[test]
#[ignore = "cargo test --release --test it tablebase::chase::tables_of_five_men_agree_with_the_literal_game -- --ignored: minutes, 8 GiB"]
fn tables_of_five_men_agree_with_the_literal_game() {
    let decided: usize =
        ["KRAvKR", "KRvKNA", "KCAvKN"].iter().map(|name| decided_by_chase(name)).sum();
    println!("{decided} positions of five men are decided by chase");
}

/// The results of a set under either rule, proved by the literal game on what chase decides and on
/// what it might decide.
fn certify_set(name: &str) -> Certified {
    let folder = tempfile::tempdir().unwrap();
    let [check, asian] =
        [Rules::Check, Rules::Asian].map(|rules| build_tables(folder.path(), &[name], rules));
    let result = |tables: &Tables, position: &Position| match tables.probe_wdl(position).unwrap() {
        Wdl::Loss => BruteWdl::Loss,
        Wdl::Draw => BruteWdl::Draw,
        Wdl::Win => BruteWdl::Win,
    };
    let certified = certify(
        name,
        |position: &Position| result(&check, position),
        |position: &Position| result(&asian, position),
    );
    println!("{name}: {certified:?}");
    certified
}

#[test]
fn draws_of_small_sets_are_certified() {
    let certified = certify_set("KRvKN");
    assert_eq!(certified.by_chase.first + certified.by_chase.second, 0);
}

#[test]
#[ignore = "cargo test --release --test it tablebase::chase::what_chase_decides_of_five_men_is_certified -- --ignored --nocapture: an hour on two cores"]
fn what_chase_decides_of_five_men_is_certified() {
    for name in ["KRNvKR", "KNCvKR", "KRCvKN", "KCPvKR"] {
        certify_set(name);
    }
}

#[test]
#[ignore = "cargo test --release --test it tablebase::chase::what_chase_decides_of_rook_and_cannon_is_certified -- --ignored --nocapture: 5 to 15 minutes on two cores"]
fn what_chase_decides_of_rook_and_cannon_is_certified() {
    let by_chase = certify_set("KRCvKR").by_chase;
    assert_eq!([by_chase.first, by_chase.second], [44_352, 0]);
}

/// Sets in which chase changes nothing.
#[test]
fn sets_that_need_no_rule_are_as_under_none() {
    let names = [
        "KRvK", "KPvK", "KNvK", "KNvKA", "KRvKA", "KRvKB", "KRvKAA", "KRvKR", "KRvKC", "KPvKP",
        "KCvKC",
    ];
    let names = if is_full() { &names[..] } else { &names[..8] };
    let folder = tempfile::tempdir().unwrap();
    let [none, check] =
        [Rules::None, Rules::Check].map(|rules| opened(tables_of_four_men(), rules));
    let asian = build_tables(folder.path(), names, Rules::Asian);
    are_the_same(names, &[none, check, asian]);
}

#[test]
#[ignore = "cargo test --release --test it tablebase::chase::larger_sets_that_need_no_rule_are_as_under_none -- --ignored: a minute or two"]
fn larger_sets_that_need_no_rule_are_as_under_none() {
    let folder = tempfile::tempdir().unwrap();
    let names = ["KRvKAABB", "KRPvKAA", "KNPvKAA", "KNPvKAABB"];
    are_the_same(&names, &Rules::ALL.map(|rules| build_tables(folder.path(), &names, rules)));
}

fn are_the_same(names: &[&str], [none, check, asian]: &[Tables; 3]) {
    for name in names {
        let content = |tables: &Tables| tables.stats(name.parse().unwrap()).unwrap().content;
        assert_eq!(content(asian), content(none), "{name}");
        assert_eq!(content(asian), content(check), "{name}");
    }
}

/// Win, draw, loss of either side to move, as an independent implementation has them.
#[test]
#[ignore = "cargo test --release --test it tablebase::chase::chase_decides_as_many_as_known -- --ignored: minutes on two cores"]
fn chase_decides_as_many_as_known() {
    let folder = tempfile::tempdir().unwrap();
    let tables = build_tables(folder.path(), &["KRCvKR"], Rules::Asian);
    let sides = tables.stats("KRCvKR".parse().unwrap()).unwrap().sides;
    let wdl = |counts: &juzhong::tablebase::SideCounts| [counts.win, counts.draw, counts.loss];
    assert_eq!(wdl(&sides.first.counts), [23_988_674, 5_833_690, 1_091_682]);
    assert_eq!(wdl(&sides.second.counts), [11_423_936, 12_337_985, 7_345_697]);
}

/// The loop at the end of a line decided by rule is lost for the side that loses by the table.
fn explain(tables: &Tables, position: &Position, entry: Entry) {
    let line = tables.best_line(position, 2_000).unwrap();
    let fen = position.to_fen();
    assert_eq!(line.entry, entry, "{fen}");
    match line.end {
        LineEnd::Loop => {
            let loser = if entry.wdl == Wdl::Win { !position.turn() } else { position.turn() };
            let repeated = line.repeated.unwrap();
            assert_eq!(repeated.judgement.verdict, Verdict::Loses(loser), "{fen}");
            assert_eq!(repeated.moves.len(), line.moves.len() - repeated.start, "{fen}");
        }
        LineEnd::Mate | LineEnd::Stalemate => {}
        end => panic!("{fen} ends with {}", end.name()),
    }
}

#[test]
fn loops_are_judged_as_the_table_says() {
    for (folder, rules) in [(small_tables(), Rules::Check), (asian_tables(), Rules::Asian)] {
        let tables = opened(folder, rules);
        let mut explained = 0;
        for position in small_graph().positions() {
            let entry = tables.probe(&position).unwrap();
            if entry.order > 0 {
                explain(&tables, &position, entry);
                explained += 1;
            }
        }
        assert!(explained > 3_000, "{explained}");
    }
}

/// Positions that chase decides, with the side that loses.
const CHASES: [(&str, Side); 6] = [
    ("9/4k4/9/1r7/9/4C4/9/9/3RK4/9 b", Side::Second),
    ("4k4/6r2/9/9/5RC2/9/9/9/5K3/9 w", Side::Second),
    ("9/9/4k2C1/9/7r1/9/9/9/4R4/3K5 b", Side::Second),
    ("9/9/5k3/1R7/9/9/2C6/7r1/3K5/9 b", Side::Second),
    ("3k5/9/9/9/r7C/9/9/9/3R5/3K5 b", Side::Second),
    ("4k3r/5R3/9/9/9/6C2/9/9/3K5/9 w", Side::Second),
];

#[test]
#[ignore = "cargo test --release --test it tablebase::chase::chases_of_a_rook_are_explained -- --ignored: minutes"]
fn chases_of_a_rook_are_explained() {
    let folder = tempfile::tempdir().unwrap();
    let tables = build_tables(folder.path(), &["KRCvKR"], Rules::Asian);
    for (fen, loser) in CHASES {
        let position = Position::from_fen(fen).unwrap();
        let entry = tables.probe(&position).unwrap();
        assert_eq!(entry.wdl == Wdl::Loss, position.turn() == loser, "{fen}");
        explain(&tables, &position, entry);
    }
}

#[test]
fn tables_of_asian_rules_are_verified() {
    let materials = ["KRvKN", "KCvKN"].map(|name| name.parse().unwrap());
    let options = VerifyOptions { rules: Rules::Asian, ..VerifyOptions::default() };
    let proofs = verify(asian_tables(), &materials, &options, &NoProgress).unwrap();
    for result in proofs.tables {
        assert!(result.unwrap().passed());
    }
}
