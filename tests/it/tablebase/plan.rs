//! `juzhong tablebase plan`: what it writes, and that other programs understand it.

use std::path::Path;
use std::process::{Command, Output};

use juzhong::tablebase::{GenerateOptions, Material, NoProgress, Rules, generate_all};
use serde_json::Value;

use crate::support::program::{PROGRAM, ended, juzhong, text};

fn plan(args: &[&str]) -> Output {
    juzhong(&[&["tablebase", "plan"], args].concat())
}

fn planned(args: &[&str]) -> String {
    let output = plan(args);
    ended(&output, 0, &[]);
    text(&output.stdout)
}

fn json_plan(args: &[&str]) -> Value {
    serde_json::from_str(&planned(args)).unwrap()
}

#[test]
fn json_names_what_every_table_needs() {
    let plan = json_plan(&["--men", "5"]);
    assert_eq!(plan["schema"], "juzhong.tablebase.plan/1");
    assert_eq!((&plan["rules"], &plan["metric"]), (&"asian".into(), &"dtm".into()));
    let tables = plan["tables"].as_array().unwrap();
    assert_eq!(tables.len(), 226);
    let mut names = Vec::new();
    for table in tables {
        for left in table["captures"].as_array().unwrap() {
            assert!(names.contains(&left), "{table}");
        }
        names.push(&table["material"]);
        let slots = table["slots"].as_u64().unwrap();
        assert!(table["memory"].as_u64().unwrap() > 2 * slots, "{table}");
        let name = table["material"].as_str().unwrap();
        assert_eq!(table["file"], format!("{name}.asian.dtm.jzt"));
        assert_eq!(table["men"], name.len() - 1);
    }
}

#[test]
fn options_change_what_is_planned() {
    let other = json_plan(&["KNvKR", "--rules", "none", "--metric", "dtc"]);
    assert_eq!(other["tables"][3]["file"], "KRvKN.none.dtc.jzt");
    assert_eq!(other["tables"][3]["slots"], 364_500);
    assert!(planned(&["KRvKN", "--format", "make", "--rules", "none"]).contains("--rules none"));
    assert_eq!(planned(&["KRvKN", "--json"]), planned(&["KRvKN", "KNvK", "--format", "json"]));
    for format in ["json", "dot", "make", "snakemake"] {
        let args = ["--men", "4", "--format", format];
        assert_eq!(planned(&args), planned(&args), "{format}");
    }
}

#[test]
fn sets_are_named_as_in_generating() {
    let folder = tempfile::tempdir().unwrap();
    let list = folder.path().join("list.txt");
    std::fs::write(&list, "KNvKR  # twice\nKRvK*\n").unwrap();
    let names = |args: &[&str]| -> Vec<String> {
        let plan = json_plan(args);
        let tables = plan["tables"].as_array().unwrap().iter();
        tables.map(|table| table["material"].as_str().unwrap().to_owned()).collect()
    };
    let pattern = names(&["KRvK*", "KRvKN"]);
    assert!(pattern.iter().any(|name| name == "KRvKAABB"));
    assert_eq!(names(&["--list", list.to_str().unwrap()]), pattern);
    assert_eq!(names(&["--men", "4", "KRvKA"]), names(&["--men", "4"]));
}

#[test]
fn wrong_arguments() {
    let fails = |args: &[&str], code: i32, part: &str| {
        ended(&plan(args), code, &[part]);
    };
    fails(&[], 2, "<MATERIAL|--men <N>|--family <NAME>|--list <FILE>>");
    fails(&["KR*NvK"], 2, "does not end a side");
    fails(&["--list", "no-such-list"], 66, "no-such-list");
    fails(&["--men", "1"], 2, "2..=6");
    fails(&["KRvK", "--format", "yaml"], 2, "snakemake");
    fails(&["KRvK", "--format", "dot", "--json"], 2, "leave one out");
    fails(&["KRRNNCCvKRRNNCC"], 2, "slots");
    fails(&["KRvK", "--game", "gomoku"], 2, "xiangqi only");
}

#[test]
fn the_snakefile_carries_its_plan() {
    let snakefile = planned(&["KRvKN", "--format", "snakemake"]);
    let (first, rest) = snakefile.split_once("\n\n").unwrap();
    let plan: Value = serde_json::from_str(first.strip_prefix("PLAN = ").unwrap()).unwrap();
    assert_eq!(plan, json_plan(&["KRvKN"]));
    assert_eq!(rest, include_str!("../../../contrib/snakemake/Snakefile"));
}

fn files(dir: &Path) -> Vec<(String, Vec<u8>)> {
    let mut files: Vec<_> = std::fs::read_dir(dir)
        .unwrap()
        .map(|entry| entry.unwrap())
        .map(|entry| (entry.file_name(), std::fs::read(entry.path()).unwrap()))
        .map(|(name, bytes)| (name.into_string().unwrap(), bytes))
        .filter(|(name, _)| name.ends_with(".jzt"))
        .collect();
    files.sort();
    files
}

/// Skipped where there is no `make`; on Windows its shell would read the backslashes in the path of the program.
#[cfg(unix)]
#[test]
fn make_builds_the_same_tables() {
    let folder = tempfile::tempdir().unwrap();
    let makefile = folder.path().join("Makefile");
    std::fs::write(&makefile, planned(&["--men", "3", "--format", "make"])).unwrap();
    let run = |options: &[&str]| {
        let mut make = Command::new("make");
        make.current_dir(&folder).args(["-s", "-j2", "DIR=made", "OPTIONS=--threads 1"]);
        make.arg(format!("JUZHONG={PROGRAM}")).args(options).output()
    };
    let Ok(built) = run(&[]) else { return };
    assert!(built.status.success(), "{built:?}");
    let whole = folder.path().join("whole");
    let materials = Material::all_up_to(3);
    let options = GenerateOptions { rules: Rules::Asian, ..GenerateOptions::default() };
    generate_all(&whole, &materials, &options, &NoProgress).unwrap();
    assert_eq!(files(&folder.path().join("made")), files(&whole));
    assert!(run(&["-q"]).unwrap().status.success(), "nothing is left to do");
}
