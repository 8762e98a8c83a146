//! Outputs that other programs read, byte for byte: the JSON of queries and the commands' help. A change
//! here breaks somebody; `INSTA_UPDATE=always cargo test --release --test it cli::golden` accepts it.

use crate::support::folder::Folder;
use crate::support::program::{command, stdout, text, with_input, with_slashes};

/// The name of a command's answer, and its arguments, in a folder that has `games.pgn` and `one.pgn`. What one command makes stands in
/// the folder for the next.
type Answer = (&'static str, &'static str);

const ON_POSITIONS: [Answer; 20] = [
    ("position", "position --moves h2e2,h9g7"),
    (
        "position_by_repetition",
        "position --rules check --fen 3k5/9/9/9/9/9/9/9/4R4/5K3_w --moves e1d1,d9e9,d1e1,e9d9,e1d1,d9e9,d1e1,e9d9",
    ),
    ("position_refused", "position --fen 3k5/9/9/9/9/9/9/9/9/3K5_w"),
    ("position_eval", "position --eval"),
    ("position_gomoku", "--game gomoku position --size 5 --moves c3,c4"),
    ("position_renju", "--game gomoku position --variant renju --size 15 --moves h8,h9"),
    ("position_gomoku_eval", "--game gomoku position --size 5 --moves c3,c4 --eval"),
    ("perft", "perft 2 --divide"),
    ("analyse", "analyse --nodes 300 --threads 1 --multipv 2"),
    ("analyse_mate", "analyse --fen 3k5/9/9/9/9/9/9/9/4R4/4K4_w --depth 8 --threads 1"),
    ("analyse_no_mate", "analyse --mate 1 --depth 2 --threads 1 --notation wxf"),
    ("analyse_gomoku", "--game gomoku analyse --moves h8,h9 --nodes 100 --threads 1"),
    ("solve", "--game gomoku solve --moves h8,a1,h9,a2,h10,a3,h11"),
    ("config", "config"),
    ("bench", "bench --depth 3"),
    ("match", "match --games 2 --nodes 100"),
    ("match_gomoku", "--game gomoku match --games 2 --nodes 50 --sprt 0,8"),
    ("review_summary", "review one.pgn --nodes 20 --threads 1 --summary"),
    ("review_notation", "review one.pgn --nodes 20 --threads 1 --notation chinese"),
    ("review_gomoku", "--game gomoku review gomoku.jsonl --nodes 20 --threads 1"),
];

const ON_BOOKS: [Answer; 26] = [
    ("book_build", "book build games.pgn -o a.book --samples 2"),
    ("book_query", "book query a.book"),
    ("book_query_black", "book query a.book --moves h2e2 --notation chinese"),
    ("book_query_unknown", "book query a.book --moves a0a1"),
    ("book_games", "book games a.book --moves h2e2"),
    ("book_stats", "book stats a.book"),
    ("book_classify", "book classify games.pgn"),
    ("book_edit", "book edit a.book --moves h2e2 --move h7e7 --weight 5 --comment good"),
    ("book_edit_history", "book edit a.book --history"),
    ("book_edit_undo", "book edit a.book --undo"),
    ("book_doctor", "book doctor a.book"),
    ("book_doctor_repair", "book doctor a.book --repair -o repaired.book"),
    ("book_score", "book score a.book --nodes 50 --threads 1"),
    ("book_query_scored", "book query a.book --moves h2e2"),
    ("book_expand", "book expand a.book --nodes 50 --threads 1"),
    ("book_export", "book export a.book --to obk -o a.obk"),
    ("book_import", "book import a.obk -o imported.book"),
    ("book_import_report", "book import a.obk -o none.book --report"),
    ("book_flag", "book flag a.book"),
    ("book_map", "book map games.pgn -o shards"),
    ("book_reduce", "book reduce shards -o part"),
    ("book_pack", "book pack part -o packed.book"),
    ("book_merge", "book merge a.book imported.book -o merged.book"),
    ("book_prune", "book prune merged.book -o pruned.book --min-games 2"),
    ("convert", "convert games.pgn -o games.jsonl"),
    ("review", "review one.pgn --nodes 20 --threads 1 --book a.book"),
];

const ON_TABLES: [Answer; 13] = [
    ("tablebase_plan", "tablebase generate KRvKN --tables t --rules check --dry-run"),
    ("tablebase_generate", "tablebase generate KRvKN --tables t --rules check"),
    ("tablebase_list", "tablebase list --tables t"),
    ("tablebase_probe", "tablebase probe --tables t --fen 4k4/9/9/9/9/9/4n4/9/9/R3K4_w"),
    (
        "tablebase_probe_clock",
        "tablebase probe --tables t --fen 4k4/9/9/9/9/9/4n4/9/9/R3K4_w_-_-_119_60",
    ),
    ("tablebase_line", "tablebase line --tables t --fen 4k4/9/9/9/9/9/4n4/9/9/R3K4_w"),
    ("tablebase_line_loop", "tablebase line --tables t --fen 4k4/2R6/9/9/9/9/6n2/9/9/5K3_b"),
    ("tablebase_stats", "tablebase stats KRvKN --tables t"),
    ("tablebase_stats_swapped", "tablebase stats KNvKR --tables t"),
    ("tablebase_verify", "tablebase verify KRvKN --tables t"),
    ("tablebase_mine", "tablebase mine KRvKN --tables t --theme longest --number 1"),
    ("tablebase_mine_counts", "tablebase mine KRvKN --tables t --theme only-move --count"),
    (
        "bench_mates",
        "bench mates KRvKN --tables t --rules check --positions 20 --nodes 200 --threads 1",
    ),
];

/// Members whose values are times, or depend on the machine.
const CHANGING: [&str; 8] = [
    "time_ms",
    "seconds",
    "core_seconds",
    "ms_per_move",
    "nodes_per_second",
    "disk_free",
    "threads",
    "memory",
];

/// An answer with `0` for what differs from run to run.
fn steady(mut answer: String) -> String {
    for name in CHANGING {
        let mut from = 0;
        let member = format!("\"{name}\":");
        while let Some(at) = answer[from..].find(&member) {
            let begin = from + at + member.len();
            let rest = &answer[begin..];
            let len = rest.find([',', '}', ']']).unwrap_or(rest.len());
            answer.replace_range(begin..begin + len, "0");
            from = begin;
        }
    }
    answer
}

/// Compares the answers with those that are kept.
fn check_answers(answers: &[Answer]) {
    let folder = Folder::new();
    folder.write("games.pgn", include_bytes!("../../../books/openings/same-direction-cannons.pgn"));
    folder.write("gomoku.jsonl", "{\"moves\":\"h8 i9 h9 a1\",\"tags\":{\"Black\":\"a\"}}\n");
    folder.write("one.pgn", "[Red \"a\"]\n\n1. h2e2 h9g7 2. h0g2 i9h9 1-0\n");
    for (name, args) in answers {
        // Blanks within an argument are written as underscores, as FENs are in links.
        let mut command = command(&args.split(' ').collect::<Vec<_>>());
        let output = command.arg("--json").current_dir(folder.path()).output().unwrap();
        let code = output.status.code().unwrap();
        let errors = if code == 0 { String::new() } else { text(&output.stderr) };
        let answer = with_slashes(&steady(text(&output.stdout)));
        let shown = format!("{args}\nexit {code}\n{answer}{errors}");
        insta::assert_snapshot!(*name, shown);
    }
}

#[test]
fn answers_on_positions() {
    check_answers(&ON_POSITIONS);
}

#[test]
fn answers_on_books() {
    check_answers(&ON_BOOKS);
}

#[test]
fn answers_on_tables() {
    check_answers(&ON_TABLES);
}

#[test]
fn help() {
    // On Windows the usage names the program with its ending.
    insta::assert_snapshot!("help", stdout(&["--help"]).replace("juzhong.exe", "juzhong"));
}

/// The help in `play`, which comes from its table of commands.
#[test]
fn help_while_playing() {
    for (name, game, language) in [
        ("play_help", "xiangqi", "en"),
        ("play_help_zh", "xiangqi", "zh"),
        ("play_help_gomoku", "gomoku", "en"),
        ("play_help_gomoku_zh", "gomoku", "zh"),
    ] {
        let output = with_input(&["play", "--game", game, "--lang", language], "help\n");
        let output = text(&output.stdout);
        let help = output.split("> ").nth(1).unwrap();
        insta::assert_snapshot!(name, help);
    }
}
