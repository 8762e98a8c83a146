//! Tables under a limit of plies without a capture, against the brute-force solver over positions and
//! plies left, and what the commands say of the limit.

use std::path::Path;

use juzhong::tablebase::{
    Entry, GenerateOptions, Material, Metric, NoProgress, Rules, Tables, VerifyOptions, Wdl,
    generate_all, verify,
};

use crate::support::brute::{Decided, Graph, Limited};
use crate::support::effort::is_full;
use crate::support::folder::Folder;
use crate::support::program::{exits, json, ok, stdout, text};
use crate::support::tables::small_graph;

fn build(dir: &Path, name: &str, rules: Rules, metric: Metric) -> Tables {
    let material: Material = name.parse().unwrap();
    let options = GenerateOptions { rules, metric, ..GenerateOptions::default() };
    generate_all(dir, &[material], &options, &NoProgress).unwrap();
    Tables::open(dir, rules, metric).unwrap()
}

fn entry_of(result: Option<Decided>) -> Entry {
    let Some(Decided { wins, order, plies }) = result else { return Entry::DRAW };
    let wdl = if wins { Wdl::Win } else { Wdl::Loss };
    Entry { wdl, order: order as u16, distance: plies as u16 }
}

/// Compares the tables of a set under a limit with the brute-force solver, value for value, and
/// proves them; the number of results, and of those by rule.
fn compare(name: &str, graph: &Graph, limit: u16, rules: Rules) -> (usize, usize) {
    let folder = Folder::new();
    let metric = Metric::within(limit).unwrap();
    let tables = build(folder.path(), name, rules, metric);
    let limited = Limited::new(graph, limit.into(), rules == Rules::Check);
    let (mut decided, mut by_rule) = (0, 0);
    for (position, result) in limited.iter() {
        let (found, expected) = (tables.probe(&position).unwrap(), entry_of(result));
        assert_eq!(found, expected, "{name} {rules} {metric}: {}", position.to_fen());
        decided += usize::from(expected.wdl != Wdl::Draw);
        by_rule += usize::from(expected.order > 0);
    }
    for (position, _) in limited.iter().step_by(997) {
        let moves = tables.probe_root(&position).unwrap();
        let own = tables.probe(&position).unwrap();
        assert_eq!(moves.first().map_or(own, |best| best.1), own, "{}", position.to_fen());
    }
    check_proof(folder.path(), rules, metric, &tables);
    (decided, by_rule)
}

fn check_proof(dir: &Path, rules: Rules, metric: Metric, tables: &Tables) {
    let options = VerifyOptions { rules, metric, ..VerifyOptions::default() };
    let materials: Vec<Material> = tables.materials().iter().copied().collect();
    for table in verify(dir, &materials, &options, &NoProgress).unwrap().tables {
        let table = table.unwrap();
        assert!(table.passed(), "{rules} {metric} {}: {:?}", table.material, table.mismatches);
    }
}

/// Results grow with the limit.
fn compare_limits(name: &str, graph: &Graph, limits: &[u16]) {
    for rules in [Rules::None, Rules::Check] {
        let counts: Vec<_> =
            limits.iter().map(|&limit| compare(name, graph, limit, rules)).collect();
        eprintln!("{name} {rules} {limits:?}: {counts:?}");
        assert!(counts.is_sorted_by_key(|count| count.0), "{name} {rules}: {counts:?}");
    }
}

#[test]
fn tables_under_a_limit_agree_with_brute_force() {
    let limits: &[u16] = if is_full() { &[1, 2, 5, 20] } else { &[2, 20] };
    compare_limits("KNvKP", &Graph::new("KNvKP"), limits);
}

#[test]
fn wins_by_rule_under_a_limit_agree_with_brute_force() {
    let counts = compare("KRvKN", small_graph(), 8, Rules::Check);
    assert!(counts.1 > 0, "{counts:?}");
}

#[test]
#[ignore = "cargo test --release --test it tablebase::limit::tables_of_four_men -- --ignored: minutes"]
fn tables_of_four_men_under_limits_agree_with_brute_force() {
    for name in ["KPvKP", "KNvKP", "KRvKP", "KCvKP", "KRvKN", "KNvKN", "KCvKN", "KRvKC"] {
        compare_limits(name, &Graph::new(name), &[1, 3, 5, 8, 12, 20]);
    }
}

#[test]
#[ignore = "cargo test --release --test it tablebase::limit::tables_of_five_men -- --ignored: minutes, 4 GiB"]
fn tables_of_five_men_under_limits_agree_with_brute_force() {
    for name in ["KPAvKP", "KRAvKN", "KRvKAA"] {
        compare_limits(name, &Graph::new(name), &[6, 12]);
    }
}

/// The folder's tables without a limit and under one are kept apart, and the proof holds under the
/// rules of chase too.
#[test]
fn tables_of_all_kinds_share_a_folder() {
    let folder = Folder::new();
    let all = [Metric::Dtm, Metric::Dtc, Metric::within(6).unwrap(), Metric::within(12).unwrap()];
    let kinds = all.map(|metric| {
        let tables = build(folder.path(), "KRvKN", Rules::Asian, metric);
        check_proof(folder.path(), Rules::Asian, metric, &tables);
        let wins = tables.stats("KRvKN".parse().unwrap()).unwrap().sides.first.counts.win;
        (tables.metric(), wins)
    });
    let wins = kinds.map(|kind| kind.1);
    assert_eq!(wins[0], wins[1], "{kinds:?}");
    assert!(wins[2] < wins[3] && wins[3] < wins[1], "{kinds:?}");
    let found: Vec<_> = Tables::kinds_in(folder.path()).unwrap().into_iter().collect();
    assert_eq!(found, all.map(|metric| (Rules::Asian, metric)));
    let dir = folder.path().to_str().unwrap();
    let list = stdout(&["tb", "list", "--tables", dir]);
    assert!(list.contains("KRvKN asian dtc12 "), "{list}");
}

/// A file under the name of another limit is refused.
#[test]
fn a_table_of_another_limit_is_refused() {
    let folder = Folder::new();
    build(folder.path(), "KRvK", Rules::None, Metric::within(6).unwrap());
    let path = |metric: &str| folder.path().join(format!("KRvK.none.{metric}.jzt"));
    for metric in ["dtc7", "dtc2", "dtc", "dtm"] {
        std::fs::copy(path("dtc6"), path(metric)).unwrap();
        let dir = folder.path().to_str().unwrap();
        let options = ["--rules", "none", "--metric", metric, "--tables", dir];
        let output = exits(&[&["tb", "stats", "KRvK"], &options[..]].concat(), 65);
        assert!(text(&output.stderr).contains("\"dtc6\""), "{}", text(&output.stderr));
    }
}

#[test]
fn the_command_line_names_limits() {
    let folder = Folder::new();
    let dir = folder.path().to_str().unwrap();
    let at = ["--rules", "check", "--tables", dir];
    let with = |command: &[&'static str], metric: &[&'static str]| -> Vec<String> {
        let all = [&["tb"][..], command, metric].concat();
        all.into_iter().map(str::to_owned).chain(at.map(str::to_owned)).collect()
    };
    let run = |command: &[&'static str], metric: &[&'static str]| {
        let args = with(command, metric);
        json(&args.iter().map(String::as_str).collect::<Vec<_>>())
    };
    let (by_option, by_name) = (["--metric", "dtc", "--limit", "7"], ["--metric", "dtc7"]);
    let built = run(&["generate", "KRvKN"], &by_option);
    assert_eq!(built["metric"], "dtc7");
    for metric in [&by_option[..], &by_name] {
        assert_eq!(run(&["stats", "KRvKN"], metric)["metric"], "dtc7");
        assert_eq!(run(&["verify"], metric)["passed"], true);
        let fen = ["--fen", "4k4/9/9/9/9/9/4n4/9/9/R3K4 w"];
        let probe = run(&[&["probe"], &fen[..]].concat(), metric);
        assert_eq!((&probe["wdl"], &probe["distance"]), (&"win".into(), &3.into()), "{probe}");
        let line = run(&[&["line"], &fen[..]].concat(), metric);
        assert_eq!(line["metric"], "dtc7");
    }
    let plan = run_plan(&["--metric", "dtc", "--limit", "7"]);
    assert!(plan.contains("KRvKN.asian.dtc7.jzt"), "{plan}");
}

fn run_plan(metric: &[&str]) -> String {
    stdout(&[&["tb", "plan", "KRvKN"], metric].concat())
}

#[test]
fn limits_that_cannot_be_are_refused() {
    for (metric, part) in [
        (&["--limit", "7"][..], "--limit 7 needs --metric dtc, not dtm"),
        (&["--metric", "dtm", "--limit", "7"], "--limit 7 needs --metric dtc, not dtm"),
        (&["--metric", "dtc8", "--limit", "7"], "--limit 7 needs --metric dtc, not dtc8"),
        (&["--metric", "dtc", "--limit", "0"], "0"),
        (&["--metric", "dtc", "--limit", "1001"], "1001"),
        (&["--metric", "dtc", "--limit", "-1"], "-1"),
        (&["--metric", "dtc0"], "dtc1 to dtc1000"),
        (&["--metric", "dtc1001"], "dtc1 to dtc1000"),
    ] {
        let output = exits(&[&["tb", "plan", "KRvKN"], metric].concat(), 2);
        assert!(text(&output.stderr).contains(part), "{}", text(&output.stderr));
    }
}

/// Distances to captures tell what the limit of the rules prevents.
#[test]
fn tables_without_a_limit_tell_what_comes_too_late() {
    let folder = Folder::new();
    let dir = folder.path().to_str().unwrap();
    let at = ["--rules", "check", "--metric", "dtc", "--tables", dir];
    ok(&[&["tb", "generate", "KNvKA"], &at[..]].concat());
    let stats = json(&[&["tb", "stats", "KNvKA"], &at[..]].concat());
    assert_eq!(stats["red"]["beyond_limit"]["plies"], 120);
    assert_eq!(stats["red"]["beyond_limit"]["win"], 0);
    let said = stdout(&[&["tb", "stats", "KNvKA"], &at[..]].concat());
    assert!(
        said.contains("beyond the limit of 120 plies without a capture: 0 won, 0 lost"),
        "{said}"
    );
}

/// The clock of a FEN, and moves after it, may prevent a win, which is called so.
#[test]
fn the_clock_of_a_position_counts() {
    let folder = Folder::new();
    let dir = folder.path().to_str().unwrap();
    let more = ["--metric", "dtc", "--limit", "120"];
    for set in ["KRvKN", "KRvK"] {
        ok(&["tb", "generate", set, "--tables", dir]);
        ok(&[&["tb", "generate", set, "--rules", "none", "--tables", dir], &more[..]].concat());
        ok(&["tb", "generate", set, "--rules", "none", "--metric", "dtc", "--tables", dir]);
    }
    let board = "5k3/9/9/9/9/R8/9/9/9/3K5 w - -";
    let value = json(&["tb", "probe", "--tables", dir, "--fen", &format!("{board} 0 1")]);
    let (wdl, distance) = (value["wdl"].clone(), value["distance"].as_u64().unwrap());
    assert_eq!(wdl, "win");
    let none = ["--rules", "none"];
    let kinds: [(Vec<&str>, &str); 3] = [
        (vec![], "prevented"),
        (none.to_vec(), "prevented"),
        ([&none[..], &more].concat(), "prevented"),
    ];
    let last = 120 - distance;
    for (options, late) in kinds {
        if options == none {
            continue; // there are no tables of distances to mate without rules
        }
        let all = |clock: u64| {
            let fen = format!("{board} {clock} 80");
            let args = [&["tb", "probe", "--tables", dir, "--fen", &fen], &options[..]].concat();
            let (told, answer) = (stdout(&args), json(&args));
            (told, answer)
        };
        let (told, answer) = all(0);
        assert!(!told.contains("clock"), "{told}");
        let clock = &answer["clock"];
        assert_eq!((&clock["plies"], &clock["left"]), (&0.into(), &120.into()), "{answer}");
        assert_eq!(clock["effect"], "in_time", "{answer}");
        let (told, answer) = all(last);
        let first = told.lines().next().unwrap();
        assert!(told.contains("comes in time") && !first.contains("prevents"), "{told}");
        assert_eq!(answer["clock"]["effect"], "in_time", "{answer}");
        for clock in [last + 1, 119, 120, 500] {
            let (told, answer) = all(clock);
            let first = told.lines().next().unwrap();
            assert!(
                first.contains("which the limit of 120 plies without a capture prevents"),
                "{told}"
            );
            assert_eq!(answer["clock"]["effect"], late, "{clock}: {answer}");
            assert_eq!(answer["wdl"], "win", "the value of the table stays: {answer}");
        }
    }
    // A capture in time sets the count back; tables of distances to mate do not say whether there is one.
    let capture = "4k4/9/9/9/9/9/4n4/9/9/R3K4 w - - 119 80";
    let told = stdout(&["tb", "probe", "--tables", dir, "--fen", capture]);
    assert!(told.lines().next().unwrap().contains("prevents"), "{told}");
    // One that is a capture itself saves the win, and comes first.
    let saved = "3k5/9/9/9/9/9/9/9/9/4KRn2 w - - 119 60";
    let args = ["tb", "probe", "--tables", dir, "--fen", saved];
    let (told, answer) = (stdout(&args), json(&args));
    let mut lines = told.lines();
    assert!(!lines.next().unwrap().contains("prevents"), "{told}");
    assert!(lines.next().unwrap().contains("comes in time"), "{told}");
    assert!(lines.next().unwrap().starts_with("f0g0  win"), "{told}");
    assert!(lines.all(|line| !line.contains("win") || line.contains("prevents")), "{told}");
    assert_eq!(answer["clock"]["effect"], "in_time", "{answer}");
    // Moves count, too, and captures among them.
    let fen = format!("{board} 117 80");
    let args = ["tb", "probe", "--tables", dir, "--fen", &fen, "--moves", "a4b4 f9f8"];
    assert_eq!(json(&args)["clock"]["plies"], 119);
    let fen = format!("{board} 118 80");
    let line = json(&["tb", "line", "--tables", dir, "--fen", &fen]);
    assert_eq!(line["clock"]["effect"], "prevented", "{line}");
    let batch = folder.path().join("fens");
    std::fs::write(&batch, format!("{board}_119_80\n").replace(' ', "_")).unwrap();
    let answer = json(&["tb", "probe", "--tables", dir, "--fens", batch.to_str().unwrap()]);
    assert_eq!(answer["clock"]["effect"], "prevented", "{answer}");
}
