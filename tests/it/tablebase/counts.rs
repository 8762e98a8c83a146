//! The counts of tables against `data/tablebase_counts.tsv`, which `contrib/python/counts.py` wrote:
//! for each set and side to move the results, what repetition decides, the longest win, and the hash
//! of all values. Rules check, metric dtm.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use juzhong::tablebase::{Family, Material, Metric, Rules, SideStats, Tables};

use crate::support::tables::tables_of_four_men;

const HEADER: &str =
    "material\tside\twin\tdraw\tloss\tby_rule_win\tby_rule_loss\tlongest_win\tcontent";

/// The men up to which the file has every set.
const COMPLETE: usize = 5;

const FOLDER: &str = "JUZHONG_TABLES";

/// The lines of the file that are about each set, in the order of the file.
fn expected() -> Vec<(Material, Vec<&'static str>)> {
    let mut lines = include_str!("../../data/tablebase_counts.tsv").lines();
    assert_eq!(lines.next(), Some(HEADER));
    let mut sets: Vec<(Material, Vec<&str>)> = Vec::new();
    for line in lines {
        let name = line.split('\t').next().unwrap();
        let material = name.parse().unwrap();
        assert_eq!(Material::to_string(&material), name);
        match sets.last_mut() {
            Some((last, lines)) if *last == material => lines.push(line),
            _ => sets.push((material, vec![line])),
        }
    }
    sets
}

fn lines(tables: &Tables, material: Material) -> Vec<String> {
    let stats = tables.stats(material).unwrap();
    let content: String = stats.content.iter().map(|byte| format!("{byte:02x}")).collect();
    let line = |(side, SideStats { counts, .. }): (&str, &SideStats)| {
        let results =
            [counts.win, counts.draw, counts.loss, counts.by_rule_win, counts.by_rule_loss];
        let numbers = results.map(|number| number.to_string()).join("\t");
        format!("{material}\t{side}\t{numbers}\t{}\t{content}", counts.longest_win)
    };
    [("red", &stats.sides.first), ("black", &stats.sides.second)].map(line).to_vec()
}

fn compare(dir: &Path, materials: &[Material]) {
    let expected: BTreeMap<_, _> = expected().into_iter().collect();
    let tables = Tables::open(dir, Rules::Check, Metric::Dtm).unwrap();
    for &material in materials {
        assert_eq!(lines(&tables, material), expected[&material]);
    }
}

#[test]
fn the_file_has_all_sets_of_up_to_some_number_of_men() {
    let sets: Vec<_> = expected().into_iter().map(|(material, _)| material).collect();
    let all = Material::all_up_to(COMPLETE);
    let (complete, others) = sets.split_at(all.len());
    assert_eq!(complete, all);
    // After them, what the practical endings need beyond.
    let mut needed = Family::Practical.materials();
    loop {
        let further: BTreeSet<_> = needed.iter().flat_map(Material::captures).collect();
        let before = needed.len();
        needed.extend(further);
        if needed.len() == before {
            break;
        }
    }
    needed.retain(|set| set.men() > COMPLETE);
    assert_eq!(others.iter().copied().collect::<BTreeSet<_>>(), needed);
    assert_eq!(others.len(), needed.len());
}

#[test]
fn counts_agree_with_each_other() {
    let mut contents = BTreeSet::new();
    for (material, lines) in expected() {
        let fields: Vec<Vec<&str>> = lines.iter().map(|line| line.split('\t').collect()).collect();
        let [red, black] = &fields[..] else { panic!("{material}: {} lines", lines.len()) };
        assert_eq!((red[1], black[1], red[8]), ("red", "black", black[8]), "{material}");
        assert!(!material.is_symmetric() || red[2..] == black[2..], "{material}");
        for side in [red, black] {
            let numbers: Vec<u64> = side[2..8].iter().map(|field| field.parse().unwrap()).collect();
            let [win, _, loss, by_rule_win, by_rule_loss, longest] = numbers[..] else {
                panic!("{side:?}")
            };
            assert!(by_rule_win <= win && by_rule_loss <= loss, "{side:?}");
            // A win takes an odd number of plies.
            assert_eq!(longest % 2, u64::from(win > by_rule_win), "{side:?}");
        }
        assert!(red[8].len() == 64 && contents.insert(red[8]), "{material}");
    }
}

#[test]
fn small_sets_have_the_counts_of_the_file() {
    let four = ["KRvKN", "KPvKP", "KNAvK"].map(|name| name.parse().unwrap());
    compare(tables_of_four_men(), &[Material::all_up_to(3), four.to_vec()].concat());
}

#[test]
#[ignore = "cargo test --release --test it tablebase::counts::sets_of_four_men_have_the_counts_of_the_file -- --ignored: some seconds"]
fn sets_of_four_men_have_the_counts_of_the_file() {
    compare(tables_of_four_men(), &Material::all_up_to(4));
}

#[test]
#[ignore = "JUZHONG_TABLES=FOLDER cargo test --release --test it tablebase::counts::tables_of_a_folder_have_the_counts_of_the_file -- --ignored: tables for all lines"]
fn tables_of_a_folder_have_the_counts_of_the_file() {
    let Some(dir) = std::env::var_os(FOLDER) else {
        println!("skipped: {FOLDER} names no folder of tables");
        return;
    };
    let sets: Vec<_> = expected().into_iter().map(|(material, _)| material).collect();
    compare(Path::new(&dir), &sets);
}
