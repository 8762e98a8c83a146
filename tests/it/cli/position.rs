//! `juzhong position` as other programs see it.

use std::fs;

use serde_json::{Value, json};

use crate::support::folder::Folder;
use crate::support::program::{
    ended, exits, fails, json, json_with_code, juzhong, ok, stdout, text, with_input,
};

const START: &str = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1";

#[test]
fn the_start_position() {
    let answer = json_with_code(&["position"], 0);
    assert_eq!(answer["schema"], "juzhong.position/1");
    assert_eq!(answer["fen"], START);
    assert_eq!(answer["key"].as_str().unwrap().len(), 16);
    assert_eq!(answer["in_check"], false);
    assert_eq!(answer["status"], "ongoing");
    assert_eq!(answer["verdict"], "none");
    assert_eq!(answer["reason"], Value::Null);
    let moves: Vec<&str> =
        answer["legal_moves"].as_array().unwrap().iter().map(|m| m.as_str().unwrap()).collect();
    assert_eq!(moves.len(), 44);
    assert!(moves.is_sorted());
}

#[test]
fn moves_come_as_one_text_or_many_in_any_notation() {
    let expected = json(&["position", "--moves", "h2e2 h9g7"]);
    assert_eq!(
        expected["fen"],
        "rnbakab1r/9/1c4nc1/p1p1p1p1p/9/9/P1P1P1P1P/1C2C4/9/RNBAKABNR w - - 2 2"
    );
    for moves in [["h2e2", "h9g7"], ["炮二平五", "马８进７"], ["C2=5", "H8+7"], ["H2-E2", "H9-G7"]]
    {
        let args = ["position", "--moves", moves[0], moves[1]];
        assert_eq!(json(&args), expected, "{moves:?}");
    }
}

#[test]
fn mate_and_stalemate() {
    let status = |fen| json(&["position", "--fen", fen])["status"].clone();
    assert_eq!(status("R3k4/1R7/9/9/9/9/9/9/9/3K5 b - - 0 1"), "checkmate");
    assert_eq!(status("3k5/9/3P5/9/9/9/9/9/9/4K4 b - - 0 1"), "stalemate");
}

#[test]
fn verdicts_by_the_rules_asked_for() {
    let fen = "9/4k4/9/9/9/9/9/9/2p6/3K1RBc1 w - - 0 1";
    let loop_of_checks = "f0e0 e8f8 e0f0 f8e8 ".repeat(3);
    let verdict = |rules: &[&str]| {
        let args = ["position", "--fen", fen, "--moves", &loop_of_checks];
        let answer = json(&[&args, rules].concat());
        (answer["verdict"].clone(), answer["reason"].is_string())
    };
    assert_eq!(verdict(&[]), ("red_loses".into(), true));
    assert_eq!(verdict(&["--rules", "check"]), ("red_loses".into(), true));
    assert_eq!(verdict(&["--rules", "none"]), ("draw".into(), true));
}

#[test]
fn a_chase_is_explained_move_by_move() {
    let fen = "4ck3/9/9/9/9/2r1R4/9/9/4A4/3AK4 w - - 0 1";
    let cycle = "e4e3 c4c3 e3e4 c3c4 ";
    let played =
        |cycles: usize| json(&["position", "--fen", fen, "--moves", &cycle.repeat(cycles)]);
    let chased = json!([{"man": "R", "at": "e4"}]);
    // Twice is not often enough, but the loop can be looked at.
    let twice = played(1);
    assert_eq!(
        (&twice["verdict"], &twice["loop"]["verdict"]),
        (&"none".into(), &"black_loses".into())
    );
    assert_eq!(twice["loop"]["occurrences"], 2);
    assert_eq!(twice["loop"]["moves"].as_array().unwrap().len(), 4);
    let thrice = played(2);
    assert_eq!(
        (&thrice["verdict"], &thrice["reason"]),
        (&"black_loses".into(), &"perpetual chase".into())
    );
    let report = &thrice["loop"];
    assert_eq!((&report["occurrences"], &report["verdict"]), (&3.into(), &thrice["verdict"]));
    assert_eq!(report["moves"].as_array().unwrap().len(), 8);
    assert_eq!(
        report["moves"][1],
        json!({"ply": 2, "side": "black", "man": "r", "move": "c4c3", "checks": [],
               "chases": [{"man": "R", "at": "e3", "by": [{"man": "r", "at": "c3"}]}]})
    );
    assert_eq!(report["moves"][0]["chases"], json!([]));
    assert_eq!(report["red"], json!({"perpetual_check": false, "perpetual_chase": []}));
    assert_eq!(report["black"], json!({"perpetual_check": false, "perpetual_chase": chased}));
    assert_eq!(played(0)["loop"], Value::Null);
    let text = stdout(&["position", "--fen", fen, "--moves", &cycle.repeat(2)]);
    for words in [
        "loop     moves 1 to 8; the position has occurred 3 times",
        "     2  black  r c4c3  chases R e3 with r c3",
        "  black  newly chases R e4 with every move",
        "  so     black_loses (perpetual chase)",
    ] {
        assert!(text.contains(words), "{words}: {text}");
    }
}

#[test]
fn checks_and_the_move_limit_are_explained() {
    let fen = "9/4k4/9/9/9/9/9/9/2p6/3K1RBc1 w - - 0 1";
    let args = ["position", "--fen", fen, "--moves", &"f0e0 e8f8 e0f0 f8e8 ".repeat(2)];
    let answer = json(&args);
    assert_eq!(answer["loop"]["moves"][0]["checks"], json!([{"man": "R", "at": "e0"}]));
    assert_eq!(answer["loop"]["red"]["perpetual_check"], true);
    let fen = "3k5/9/r8/9/9/9/9/R8/9/5K3 w - - 119 80";
    let answer = json(&["position", "--fen", fen, "--moves", "f0f1"]);
    assert_eq!(answer["verdict"], "draw");
    let checks = json!({"red": 0, "black": 0});
    assert_eq!(answer["limit"], json!({"plies": 120, "counted": 120, "checks": checks}));
    let text = stdout(&["position", "--fen", fen, "--moves", "f0f1"]);
    assert!(text.contains("limit    120 plies since the last capture, 120 of them counted"));
}

#[test]
fn an_illegal_position_is_described_with_every_reason() {
    let fen = "4k4/9/9/9/9/9/9/9/4C4/R3K3R b - - 0 1";
    let answer = json_with_code(&["position", "--fen", "4k4/9/9/9/9/9/9/9/9/4K4"], 65);
    assert_eq!(answer["status"], "illegal");
    assert_eq!(answer["reasons"].as_array().unwrap().len(), 1);
    let answer = json_with_code(&["position", "--fen", "9/9/9/9/9/9/9/9/9/B8"], 65);
    assert!(answer["reasons"].as_array().unwrap().len() >= 3, "{answer}");
    json(&["position", "--fen", fen]);
    let output = exits(&["position", "--fen", "4k4/9/9/9/9/9/9/9/9/4K4"], 65);
    assert!(text(&output.stdout).contains("the kings face each other"));
}

#[test]
fn every_kind_of_bad_fen_is_refused_in_words() {
    for (fen, word) in [
        ("", "empty"),
        ("4k4/9/9 w", "ranks"),
        ("4k4/9/9/9/9/9/9/9/9/3K6 w", "files"),
        ("4k4/9/9/9/9/9/9/9/9/3X5 w", "no piece"),
        ("4k4/9/9/9/9/9/9/9/9/3K5 x", "side to move"),
        ("4k4/9/9/9/9/9/9/9/9/3K5 w - - x 1", "number"),
    ] {
        let output = juzhong(&["position", "--json", "--fen", fen]);
        ended(&output, 65, &[word]);
        assert!(output.stdout.is_empty());
    }
    for (fen, word) in [
        ("9/9/9/9/9/9/9/9/9/3K5 w", "black has no king"),
        ("3kk4/9/9/9/9/9/9/9/9/3K5 w", "more than 1"),
        ("k8/9/9/9/9/9/9/9/9/3K5 w", "can never stand"),
        ("3k5/9/9/9/9/9/9/9/3R5/4K4 w", "not to move is in check"),
    ] {
        let answer = json_with_code(&["position", "--fen", fen], 65);
        assert!(answer["reason"].as_str().unwrap().contains(word), "{fen}: {answer}");
    }
}

#[test]
fn bad_moves_and_rules_say_what_is_wrong() {
    fails(&["position", "--moves", "h2e2", "h2e2"], 65, &["move 2"]);
    fails(&["position", "--rules", "mine"], 2, &["asian"]);
    fails(&["position", "--fens", "/nonexistent/file"], 66, &[]);
    fails(&["position", "--fens", "x", "--fen", "y"], 2, &[]);
}

#[test]
fn what_is_left_over_of_a_move_is_shown() {
    for (moves, shown) in [
        ("炮二平九十", "\"炮二平九十\" is no move"),
        ("炮二平五十", "\"炮二平五十\" is no move"),
        ("h2e2!!!!!!!!!!!garbage", "garbage"),
        ("炮二平五5", "\"炮二平五5\""),
        ("h2e2 h9g7 42", "\"42\" is no move"),
        ("h2e2 )", "\")\" is no move"),
    ] {
        fails(&["position", "--moves", moves], 65, &[shown]);
    }
    fails(&["--game", "gomoku", "position", "--moves", "h8 x9"], 65, &["\"x9\" is not a point"]);
}

#[test]
fn batches_answer_every_line_in_its_place() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("fens.txt");
    let long = "9".repeat(10_000);
    let lines = [START, "nonsense", "4k4/9/9/9/9/9/9/9/9/4K4 w", &long, START].join("\r\n");
    fs::write(&file, lines).unwrap();
    let output = exits(&["position", "--fens", file.to_str().unwrap()], 65);
    let answers: Vec<Value> =
        text(&output.stdout).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(answers.len(), 5);
    assert_eq!(answers[0], answers[4]);
    assert_eq!(answers[0]["fen"], START);
    assert_eq!(answers[1]["fen"], "nonsense");
    assert_eq!(answers[1]["error"]["code"], 65);
    assert!(answers[1]["error"]["message"].is_string());
    assert_eq!(answers[2]["status"], "illegal");
    assert!(answers[3]["error"].is_object());
    ended(&with_input(&["position", "--fens", "-"], format!("{START}\n")), 0, &[]);
}

#[test]
fn boards_are_drawn_in_three_styles() {
    for (style, signs) in
        [("ascii", "r n b a k a b n r"), ("hanzi", "車 馬 象 士 將"), ("unicode", "🩫 🩪 🩩 🩨 🩧")]
    {
        let text = stdout(&["position", "--board", style]);
        assert!(text.contains(signs), "{text}");
        assert!(!text.contains('\u{1b}'), "no colours");
    }
}

#[test]
fn gomoku_positions() {
    let answer = json_with_code(&["position", "--game", "gomoku", "--moves", "h8 i9"], 0);
    assert_eq!(answer["legal_moves"].as_array().unwrap().len(), 223);
    let args = ["position", "--game", "gomoku", "--fen", " xxx/3/3  x 3"];
    let answer = json_with_code(&args, 65);
    assert_eq!((&answer["fen"], &answer["status"]), (&"xxx/3/3 x 3".into(), &"illegal".into()));
    assert_eq!(answer["reasons"].as_array().unwrap().len(), 1);
    fails(&["position", "--game", "gomoku", "--moves", "h8", "h8"], 65, &[]);
    for moves in [&["h8i9g7"][..], &["8,8", "9,9", "7,7"], &["1. h8 i9 2. g7"]] {
        let args = [&["position", "--game", "gomoku", "--moves"], moves].concat();
        assert_eq!(json(&args)["fen"], "15/15/15/15/15/15/8o6/7x7/6x8/15/15/15/15/15/15 o 5");
    }
}

#[test]
fn forbidden_points_of_renju_are_marked_for_black() {
    let threes = ["h8", "a1", "i8", "a3", "j9", "a5", "j10", "a7"];
    let renju = ["position", "--game", "gomoku", "--variant", "renju", "--moves"];
    let text = stdout(&[&renju[..], &threes].concat());
    assert!(text.contains("forbidden j8: double-three"), "{text}");
    assert!(text.contains("\n 8 . . . . . . . x x ! . . . . .\n"), "{text}");
    let text = stdout(&[&renju[..], &threes, &["--board", "unicode"]].concat());
    assert!(text.contains("● ● × ·") && text.contains("(○)"), "{text}");
    let text = stdout(&[&renju[..], &threes[..7]].concat());
    assert!(!text.contains('!'), "White is to move: {text}");
    fails(&[&renju[..], &threes, &["j8"]].concat(), 65, &["j8 is forbidden to Black"]);
    for (size, edge) in [("20", "20 ."), ("7x5", " 5 .")] {
        let text = stdout(&["position", "--game", "gomoku", "--size", size]);
        assert!(text.starts_with(edge), "{text}");
    }
    let args = ["perft", "2", "--game", "gomoku", "--variant", "standard", "--size", "6x5"];
    assert_eq!(stdout(&args), "870\n");
    fails(&["perft", "2", "--size", "20"], 65, &["one board"]);
}

#[test]
fn the_evaluation_taken_apart() {
    let answer = json(&["position", "--eval"]);
    let eval = &answer["eval"];
    assert_eq!(eval["phase"], eval["full_phase"]);
    assert_eq!(eval["men"].as_array().unwrap().len(), 32);
    let terms = eval["terms"].as_array().unwrap();
    for term in terms.iter().filter(|term| term["term"] != "tempo") {
        assert_eq!(term["red"], term["black"], "{term}");
    }
    assert!(eval["parts"].as_array().unwrap().iter().any(|part| part["part"] == "placement"));
    assert!(json(&["position"]).get("eval").is_none());
    let text = stdout(&["position", "--eval"]);
    for word in ["material", "relations", "patterns", "king", "eval "] {
        assert!(text.contains(word), "{word}: {text}");
    }
}

#[test]
fn a_position_is_drawn_into_files() {
    let folder = Folder::new();
    let [svg, png] = ["a.svg", "a.png"].map(|name| folder.at(name));
    let drawn = ["position", "--moves", "h2e2", "--svg", &svg, "--png", &png, "--width", "300"];
    let plain = stdout(&["position", "--moves", "h2e2"]);
    assert_eq!(stdout(&drawn), plain);
    let text = fs::read_to_string(&svg).unwrap();
    assert!(text.contains("width=\"300\" height=\"331\"") && text.ends_with("</svg>\n"), "{text}");
    assert_eq!(text.matches("<use href=\"#man-").count(), 32);
    let bytes = fs::read(&png).unwrap();
    assert_eq!(bytes[16..24], [0, 0, 1, 44, 0, 0, 1, 75]);
    let output = ok(&["position", "--svg", "-", "--flip", "--mark", "e4", "Rh2e2"]);
    assert!(output.stdout.starts_with(b"<?xml") && output.stdout.ends_with(b"</svg>\n"));
    let stones = ["position", "--game", "gomoku", "--moves", "h8 i9", "--png", "-"];
    assert!(ok(&stones).stdout.starts_with(b"\x89PNG"));
    fails(&["position", "--svg", "-", "--png", "-"], 2, &["standard output takes one answer"]);
    fails(&["position", "--svg", "-", "--json"], 2, &["standard output takes one answer"]);
    fails(&["position", "--svg", &svg, "--mark", "x"], 2, &["--mark", "\"x\" is no mark"]);
    fails(&["position", "--svg", &folder.at("no/a.svg")], 73, &["a.svg"]);
    exits(&["position", "--svg", &svg, "--width", "1"], 2);
}
