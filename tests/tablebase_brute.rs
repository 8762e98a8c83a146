//! The brute-force oracle against published counts, and the endgame tables against the oracle.

mod brute;

use brute::{Counts, Graph, Rules};
use juzhong::game::Side;

/// A set, and win, draw, loss for the first side to move and for the second.
type Row = (&'static str, [u64; 3], [u64; 3]);

/// Sets in which the repetition rules change nothing, with the longest win in plies.
const UNRULED: [(Row, u32); 9] = [
    (("KRvK", [3_834, 0, 0], [0, 108, 4_806]), 3),
    (("KPvK", [2_394, 432, 0], [0, 546, 2_469]), 19),
    (("KNvK", [4_590, 0, 0], [0, 108, 4_806]), 13),
    (("KNvKA", [21_366, 60, 0], [0, 816, 21_990]), 37),
    (("KRvKA", [18_507, 0, 0], [0, 732, 22_074]), 9),
    (("KRvKB", [26_808, 0, 0], [0, 1_530, 32_436]), 11),
    (("KRvKAA", [35_166, 0, 0], [0, 1_302, 40_368]), 19),
    (("KPvKP", [6_681, 149_491, 86], [6_681, 149_491, 86]), 21),
    (("KRvKR", [139_671, 193_950, 14_400], [139_671, 193_950, 14_400]), 9),
];

/// The same, with more positions.
const UNRULED_LARGE: [(Row, u32); 2] = [
    (("KRvKC", [348_021, 0, 0], [0, 14_796, 423_315]), 15),
    (("KCvKC", [0, 438_111, 0], [0, 438_111, 0]), 0),
];

fn wdl(counts: Counts) -> [u64; 3] {
    [counts.win, counts.draw, counts.loss]
}

fn check_unruled(&((material, first, second), longest): &(Row, u32)) {
    let graph = Graph::new(material);
    for rules in [Rules::None, Rules::Check] {
        let solution = graph.solve(rules);
        let (red, black) = (solution.counts(Side::First), solution.counts(Side::Second));
        assert_eq!(wdl(red), first, "{material} {rules:?}");
        assert_eq!(wdl(black), second, "{material} {rules:?}");
        assert_eq!(red.longest_win, longest, "{material} {rules:?}");
        assert_eq!(red.by_rule_win + black.by_rule_win, 0, "{material} {rules:?}");
    }
}

#[test]
fn published_counts() {
    UNRULED.iter().for_each(check_unruled);
}

#[test]
#[ignore = "cargo test --release --test tablebase_brute -- --ignored"]
fn published_counts_of_larger_sets() {
    UNRULED_LARGE.iter().for_each(check_unruled);
}

#[test]
fn published_counts_with_and_without_the_rule() {
    let graph = Graph::new("KRvKN");
    let none = graph.solve(Rules::None);
    assert_eq!(wdl(none.counts(Side::First)), [346_311, 702, 1_008]);
    assert_eq!(wdl(none.counts(Side::Second)), [37_476, 3_710, 370_780]);
    let check = graph.solve(Rules::Check);
    let (red, black) = (check.counts(Side::First), check.counts(Side::Second));
    assert_eq!(wdl(red), [346_935, 78, 1_008]);
    assert_eq!(wdl(black), [37_476, 1_140, 373_350]);
    assert_eq!((red.by_rule_win, black.by_rule_loss), (624, 2_570));
}

/// Five men: about 4 GiB of memory.
#[test]
#[ignore = "cargo test --release --test tablebase_brute five_men -- --ignored"]
fn published_counts_of_five_men() {
    let graph = Graph::new("KRvKPP");
    let check = graph.solve(Rules::Check);
    assert_eq!(wdl(check.counts(Side::First)), [5_705_222, 2_840, 31_856]);
    assert_eq!(wdl(check.counts(Side::Second)), [482_784, 13_534, 5_887_241]);
}
