//! The brute-force solver against published counts, and the endgame tables against it.

use juzhong::game::{Game, Side};
use juzhong::tablebase::{Entry, Metric, Rules as TableRules, Tables, Wdl as TableWdl};
use juzhong::xiangqi::Position;

use crate::support::brute::{Counts, Graph, Rules, Solution, Wdl, cycle_lost};
use crate::support::effort::is_full;
use crate::support::tables::{build_tables, small_graph, small_tables};

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
    let count = if is_full() { UNRULED.len() } else { UNRULED.len() - 2 };
    UNRULED[..count].iter().for_each(check_unruled);
}

#[test]
#[ignore = "cargo test --release --test it tablebase::brute -- --ignored"]
fn published_counts_of_larger_sets() {
    UNRULED_LARGE.iter().for_each(check_unruled);
}

/// Every legal position of the set and its subsets, slot for slot.
fn compare(solution: &Solution<'_>, tables: &Tables) {
    for (position, value) in solution.iter() {
        let fen = || position.to_fen();
        let entry = tables.probe(&position).unwrap_or_else(|error| panic!("{}: {error}", fen()));
        let wdl = match value.wdl {
            Wdl::Loss => TableWdl::Loss,
            Wdl::Draw => TableWdl::Draw,
            Wdl::Win => TableWdl::Win,
        };
        assert_eq!(entry.wdl, wdl, "{}: {entry:?}, {value:?}", fen());
        assert_eq!(entry.order > 0, value.by_rule, "{}: {entry:?}, {value:?}", fen());
        if let Some(dtm) = value.dtm {
            assert_eq!(u32::from(entry.distance), dtm, "{}: {entry:?}", fen());
        }
        assert_eq!(tables.probe_wdl(&position).ok(), Some(wdl), "{}", fen());
    }
}

/// The moves of some positions: each as its position says, the best one first and as good as the
/// position itself.
fn compare_moves(solution: &Solution<'_>, tables: &Tables) {
    let probe = |position: &Position| tables.probe(position).expect("the tables are there");
    for (position, _) in solution.iter().step_by(997) {
        let own: Entry = probe(&position);
        let moves = tables.probe_root(&position).expect("the tables are there");
        assert_eq!(moves.len() as u64, position.count_legal_moves(), "{}", position.to_fen());
        assert!(moves.is_sorted_by(|a, b| a.1 >= b.1), "{}", position.to_fen());
        assert_eq!(moves.first().map_or(own, |best| best.1), own, "{}", position.to_fen());
        for &(mv, entry) in &moves {
            let mut after = position.clone();
            after.make(mv);
            // A move that goes on with the loop that decides has the value of the position.
            let goes_on = own.order > 0 && own.distance == 1 && entry == own;
            assert!(
                goes_on || entry == probe(&after).before(),
                "{mv} in {}: {entry:?}",
                position.to_fen()
            );
        }
    }
}

/// Playing the first move of every answer wins what is won by rule.
fn check_play(solution: &Solution<'_>, tables: &Tables) {
    let best =
        |position: &Position| tables.probe_root(position).expect("the tables are there")[0].0;
    let lost = solution.cycle_not_won(best).map(|position| position.to_fen());
    assert_eq!(lost, None, "playing the best moves repeats without winning");
}

fn check_tables(material: &str) {
    let graph = Graph::new(material);
    for (rules, of_tables) in [(Rules::None, TableRules::None), (Rules::Check, TableRules::Check)] {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let tables = build_tables(dir.path(), &[material], of_tables);
        let solution = graph.solve(rules);
        compare(&solution, &tables);
        compare_moves(&solution, &tables);
        check_play(&solution, &tables);
    }
}

#[test]
fn cycles_are_judged_by_their_greatest_priority() {
    let lost = |priorities: [u8; 3], edges: [&[usize]; 3]| {
        let plan = (0..3).map(|node| (node, edges[node].to_vec())).collect();
        cycle_lost(&plan, |node| priorities[node]).is_some()
    };
    let round: [&[usize]; 3] = [&[1], &[2], &[0]];
    assert!(lost([1, 1, 1], round), "both sides only check");
    assert!(lost([1, 2, 3], round), "the checker does not check");
    assert!(!lost([1, 2, 1], round), "only the checker checks for ever");
    assert!(!lost([3, 1, 2], [&[1], &[2], &[1]]), "one non-check before the loop");
    assert!(lost([1, 2, 1], [&[1, 2], &[0], &[0]]), "one of two loops is mutual");
}

#[test]
fn tables_agree_with_brute_force() {
    check_tables("KPvKP");
}

#[test]
#[ignore = "cargo test --release --test it tablebase::brute::tables -- --ignored"]
fn tables_of_four_men_agree_with_brute_force() {
    let sets = ["KRvKN", "KNvKN", "KNvKP", "KRvKP", "KCvKP", "KCvKN", "KRvKC", "KRvKR", "KCvKC"];
    sets.iter().for_each(|set| check_tables(set));
}

#[test]
#[ignore = "cargo test --release --test it tablebase::brute::tables -- --ignored"]
fn tables_of_five_men_agree_with_brute_force() {
    ["KRvKAA", "KPAvKP", "KCAvKP", "KRAvKN", "KRvKNA", "KRAvKR"]
        .iter()
        .for_each(|set| check_tables(set));
}

/// Sets of which the rule decides much, for either side: about 2 GiB of memory.
#[test]
#[ignore = "cargo test --release --test it tablebase::brute::tables_with_two_pawns_agree_with_brute_force -- --ignored"]
fn tables_with_two_pawns_agree_with_brute_force() {
    ["KPPvKN", "KRvKPP"].iter().for_each(|set| check_tables(set));
}

#[test]
fn published_counts_with_and_without_the_rule() {
    let graph = small_graph();
    let none = graph.solve(Rules::None);
    assert_eq!(wdl(none.counts(Side::First)), [346_311, 702, 1_008]);
    assert_eq!(wdl(none.counts(Side::Second)), [37_476, 3_710, 370_780]);
    let check = graph.solve(Rules::Check);
    let (red, black) = (check.counts(Side::First), check.counts(Side::Second));
    assert_eq!(wdl(red), [346_935, 78, 1_008]);
    assert_eq!(wdl(black), [37_476, 1_140, 373_350]);
    assert_eq!((red.by_rule_win, black.by_rule_loss), (624, 2_570));
    let tables = Tables::open(small_tables(), TableRules::Check, Metric::Dtm).unwrap();
    compare(&check, &tables);
    check_play(&check, &tables);
}

/// Five men: about 2 GiB of memory.
#[test]
#[ignore = "cargo test --release --test it tablebase::brute::published_counts_of_five_men -- --ignored"]
fn published_counts_of_five_men() {
    let graph = Graph::new("KRvKPP");
    let check = graph.solve(Rules::Check);
    assert_eq!(wdl(check.counts(Side::First)), [5_705_222, 2_840, 31_856]);
    assert_eq!(wdl(check.counts(Side::Second)), [482_784, 13_534, 5_887_241]);
}
