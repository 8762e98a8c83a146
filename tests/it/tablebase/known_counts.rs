//! Endgame tables against known counts.

use juzhong::tablebase::{Metric, Rules, SideCounts, Tables};

use crate::support::tables::{build_tables, tables_of_four_men};

/// Set, rules, then for each side to move win/draw/loss and wins and losses by rule, and the longest
/// win of either side in plies.
type Row = (&'static str, Rules, [[u64; 5]; 2], u16);

/// A set in which the rule changes nothing: win/draw/loss, and the longest win if known.
type Plain = (&'static str, [[u64; 3]; 2], Option<u16>);

const NO_RULE_NEEDED: [(&str, [[u64; 3]; 2], u16); 11] = [
    ("KRvK", [[3834, 0, 0], [0, 108, 4806]], 3),
    ("KPvK", [[2394, 432, 0], [0, 546, 2469]], 19),
    ("KNvK", [[4590, 0, 0], [0, 108, 4806]], 13),
    ("KNvKA", [[21366, 60, 0], [0, 816, 21990]], 37),
    ("KRvKA", [[18507, 0, 0], [0, 732, 22074]], 9),
    ("KRvKB", [[26808, 0, 0], [0, 1530, 32436]], 11),
    ("KRvKR", [[139_671, 193_950, 14400], [139_671, 193_950, 14400]], 9),
    ("KRvKC", [[348_021, 0, 0], [0, 14796, 423_315]], 15),
    ("KPvKP", [[6681, 149_491, 86], [6681, 149_491, 86]], 21),
    ("KCvKC", [[0, 438_111, 0], [0, 438_111, 0]], 0),
    ("KRvKAA", [[35166, 0, 0], [0, 1302, 40368]], 19),
];

const SMALL: [Row; 2] = [
    ("KRvKN", Rules::None, [[346_311, 702, 1008, 0, 0], [37476, 3710, 370_780, 0, 0]], 25),
    ("KRvKN", Rules::Check, [[346_935, 78, 1008, 624, 0], [37476, 1140, 373_350, 0, 2570]], 25),
];

fn numbers(counts: &SideCounts) -> [u64; 5] {
    [counts.win, counts.draw, counts.loss, counts.by_rule_win, counts.by_rule_loss]
}

fn check(tables: &Tables, name: &str, expected: [[u64; 5]; 2], longest: Option<u16>) {
    let stats = tables.stats(name.parse().unwrap()).unwrap();
    let (first, second) = (stats.sides.first.counts, stats.sides.second.counts);
    assert_eq!([numbers(&first), numbers(&second)], expected, "{name}");
    if let Some(longest) = longest {
        assert_eq!(first.longest_win.max(second.longest_win), longest, "{name}");
    }
}

fn without_rule([w, d, l]: [u64; 3]) -> [u64; 5] {
    [w, d, l, 0, 0]
}

#[test]
fn small_sets_have_the_known_counts() {
    for rules in [Rules::None, Rules::Check] {
        let tables = Tables::open(tables_of_four_men(), rules, Metric::Dtm).unwrap();
        assert!(tables.materials().len() >= 49);
        for (name, counts, longest) in NO_RULE_NEEDED {
            check(&tables, name, counts.map(without_rule), Some(longest));
        }
        for (name, _, counts, longest) in SMALL.iter().filter(|row| row.1 == rules) {
            check(&tables, name, *counts, Some(*longest));
        }
    }
}

#[test]
fn medium_sets_have_the_known_counts() {
    let rows = [
        ("KRvKAABB", [[590_094, 129_438, 0], [0, 408_288, 432_474]], Some(63)),
        ("KRPvKAA", [[1_761_162, 0, 0], [0, 65364, 2_121_870]], Some(19)),
    ];
    check_plain(&rows, &[Rules::Check]);
}

#[test]
#[ignore = "cargo test --release --test it tablebase::known_counts -- --ignored: a minute or two on two cores"]
fn larger_sets_have_the_known_counts() {
    let rows = [
        ("KNPvKAA", [[1_958_091, 4161, 0], [0, 169_446, 2_017_788]], Some(41)),
        ("KNPvKAABB", [[8_997_030, 29_178_606, 0], [0, 39_980_539, 2_342_015]], Some(129)),
        ("KRvKCC", [[15_257_365, 267_977, 28467], [1_275_546, 2_550_391, 15_218_603]], None),
    ];
    check_plain(&rows, &Rules::ALL);
}

fn check_plain(rows: &[Plain], choices: &[Rules]) {
    let folder = tempfile::tempdir().unwrap();
    for &rules in choices {
        for &(name, counts, longest) in rows {
            let tables = build_tables(folder.path(), &[name], rules);
            check(&tables, name, counts.map(without_rule), longest);
        }
    }
}

#[test]
#[ignore = "cargo test --release --test it tablebase::known_counts -- --ignored: minutes on two cores"]
fn sets_that_need_the_rule_have_the_known_counts() {
    let folder = tempfile::tempdir().unwrap();
    let rows: [Row; 2] = [
        (
            "KRCvKR",
            Rules::None,
            [[12_801_421, 17_021_513, 1_091_112, 0, 0], [11_422_916, 18_140_009, 1_544_693, 0, 0]],
            0,
        ),
        (
            "KRCvKR",
            Rules::Check,
            [
                [23_962_500, 5_859_864, 1_091_682, 11_161_079, 570],
                [11_423_936, 12_356_163, 7_327_519, 1020, 5_782_826],
            ],
            0,
        ),
    ];
    for (name, rules, counts, _) in rows {
        let start = std::time::Instant::now();
        let tables = build_tables(folder.path(), &[name], rules);
        println!("{name} {rules}: {:.1?}", start.elapsed());
        check(&tables, name, counts, None);
    }
    let tables = build_tables(folder.path(), &["KRvKPP"], Rules::Check);
    let stats = tables.stats("KRvKPP".parse().unwrap()).unwrap();
    let wdl = |counts: &SideCounts| [counts.win, counts.draw, counts.loss];
    assert_eq!(wdl(&stats.sides.first.counts), [5_705_222, 2840, 31856]);
    assert_eq!(wdl(&stats.sides.second.counts), [482_784, 13534, 5_887_241]);
}
