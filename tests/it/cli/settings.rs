//! Defaults of options from a file and from the environment, and `juzhong config`.

use std::process::Output;

use serde_json::Value;

use crate::support::folder::Folder;
use crate::support::program::{command, ended, sample_book, text};

/// Runs with a file of settings and variables of the environment.
fn with(file: &str, variables: &[(&str, &str)], args: &[&str]) -> Output {
    let mut command = command(args);
    command.env("JUZHONG_CONFIG", file).envs(variables.iter().copied()).output().unwrap()
}

/// The value and the source of a setting in force.
fn setting(name: &str, file: &str, variables: &[(&str, &str)], more: &[&str]) -> (Value, Value) {
    let output = with(file, variables, &[&["config", "--json"], more].concat());
    ended(&output, 0, &[]);
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    let mut rows = answer["settings"].as_array().unwrap().iter();
    let row = rows.find(|row| row["name"] == name).unwrap();
    (row["values"].clone(), row["source"].clone())
}

#[test]
fn the_nearest_source_counts() {
    let folder = Folder::new();
    let file = &folder.write("config.toml", "rules = \"check\"\n[engine]\nhash = 16\n");
    let here = |name, variables: &[(&str, &str)]| setting(name, file, variables, &[]);
    assert_eq!(here("rules", &[]), ("check".into(), "file".into()).map_values());
    assert_eq!(
        here("rules", &[("JUZHONG_RULES", "none")]),
        ("none".into(), "JUZHONG_RULES".into()).map_values()
    );
    assert_eq!(here("engine.hash", &[]), ("16".into(), "file".into()).map_values());
    assert_eq!(here("engine.threads", &[]), ("1".into(), "default".into()).map_values());
    assert_eq!(
        setting("rules", file, &[], &["--config", "none"]),
        ("asian".into(), "default".into()).map_values()
    );
}

/// Values are lists in answers.
trait MapValues {
    fn map_values(self) -> (Value, Value);
}

impl MapValues for (Value, Value) {
    fn map_values(self) -> (Value, Value) {
        (Value::Array(vec![self.0]), self.1)
    }
}

#[test]
fn the_file_serves_the_commands_and_the_command_line_counts_more() {
    let folder = Folder::new();
    sample_book(&folder);
    let file = &folder.write("config.toml", "book = \"a.book\"\nnotation = \"wxf\"\nhash = 3\n");
    ended(&with(file, &[], &["position"]), 2, &["config.toml", "no setting hash", "engine.hash"]);
    let file =
        &folder.write("config.toml", "book = [\"a.book:policy=best\"]\nnotation = \"wxf\"\n");
    let query = with(file, &[], &["book", "query"]);
    ended(&query, 0, &[]);
    assert!(text(&query.stdout).contains("C2=5"), "{}", text(&query.stdout));
    let query = with(file, &[], &["book", "query", "--notation", "uci"]);
    assert!(text(&query.stdout).contains("h2e2"));
    let known = with(file, &[], &["analyse", "--depth", "1", "--json"]);
    ended(&known, 0, &[]);
    let known: Value = serde_json::from_slice(&known.stdout).unwrap();
    assert_eq!(known["known"]["source"], "book");
    ended(&with(file, &[], &["book", "query", &folder.at("no.book")]), 66, &["no.book"]);
}

#[test]
fn tables_of_the_settings_are_built_and_asked() {
    let folder = Folder::new();
    let file = &folder.write("config.toml", "tables = [\"t\", \"u\"]\n");
    ended(&with(file, &[], &["tb", "generate", "KRvK", "--progress", "none"]), 0, &[]);
    let fen = ["--fen", "4k4/9/9/9/9/9/9/9/9/R2K5 w"];
    ended(&with(file, &[], &[&["tb", "probe"], &fen[..]].concat()), 0, &[]);
    let listed = with("none", &[("JUZHONG_TABLES", &folder.at("t"))], &["tb", "list"]);
    assert!(text(&listed.stdout).contains("KRvK asian dtm"), "{}", text(&listed.stdout));
}

#[test]
fn faults_name_their_place() {
    let folder = Folder::new();
    for (text, parts) in [
        ("rules = \"chess\"", &["config.toml: rules", "chess", "asian"][..]),
        ("notation = 3", &["config.toml: notation", "3"]),
        ("board = [\"ascii\", \"hanzi\"]", &["config.toml: board", "one value"]),
        ("[engine]\nhash = \"many\"", &["config.toml: engine.hash", "many"]),
        ("engine = 3", &["config.toml", "[engine]"]),
        ("book = {}", &["config.toml: ", "book"]),
        ("rules = ", &["config.toml", "line 1"]),
        ("[engine]\nspeed = 3", &["config.toml", "engine.speed"]),
    ] {
        let file = &folder.write("config.toml", text);
        ended(&with(file, &[], &["position"]), 2, parts);
    }
    let file = &folder.write("config.toml", b"rules = \"\xff\"".as_slice());
    ended(&with(file, &[], &["position"]), 2, &["config.toml", "UTF-8"]);
    ended(&with("none", &[("JUZHONG_HASH", "x")], &["position"]), 2, &["JUZHONG_HASH", "x"]);
    ended(&with(&folder.at("missing.toml"), &[], &["position"]), 66, &["missing.toml"]);
}

#[test]
fn settings_of_xiangqi_leave_gomoku_alone() {
    let folder = Folder::new();
    sample_book(&folder);
    let text = "book = \"a.book\"\ntables = \"t\"\nrules = \"check\"\n[engine]\nhash = 8\nevaluation = \"classical\"\n";
    let file = &folder.write("config.toml", text);
    for game in [&["--game", "gomoku"][..], &["--game=gomoku"]] {
        ended(&with(file, &[], &[&["position"], game].concat()), 0, &[]);
        ended(&with(file, &[], &[&["analyse", "--depth", "1"], game].concat()), 0, &[]);
    }
}

#[test]
fn every_command_that_a_setting_serves_is_asked() {
    let folder = Folder::new();
    let file = &folder.write("config.toml", "[engine]\nthreads = 0\n");
    ended(&with(file, &[], &["position"]), 2, &["config.toml: engine.threads", "0"]);
    let file = &folder.write("config.toml", "book = []\n");
    ended(&with(file, &[], &["position"]), 0, &[]);
}
