//! Chinese: which language is chosen, that no English sentence is left, and that programs read the same in both.

use std::process::Output;

use crate::support::folder::Folder;
use crate::support::program::{columns, command, ended, juzhong, ok, sample_book, text};

/// Runs in Chinese.
fn chinese(args: &[&str]) -> Output {
    command(args).env("JUZHONG_LANG", "zh").output().unwrap()
}

/// Runs with these variables and no others that name a language.
fn in_locale(variables: &[(&str, &str)], args: &[&str]) -> String {
    let mut command = command(args);
    for name in ["JUZHONG_LANG", "LC_ALL", "LC_MESSAGES", "LANG"] {
        command.env_remove(name);
    }
    text(&command.envs(variables.iter().copied()).output().unwrap().stdout)
}

#[test]
fn the_language_is_that_of_the_nearest_source() {
    let folder = Folder::new();
    let is_chinese = |variables: &[(&str, &str)], more: &[&str]| {
        in_locale(variables, &[&["position"], more].concat()).contains("走棋方")
    };
    assert!(is_chinese(&[("LANG", "zh_CN.UTF-8")], &[]));
    assert!(is_chinese(&[("LC_ALL", ""), ("LC_MESSAGES", "zh_TW")], &[]));
    assert!(!is_chinese(&[("LC_ALL", "C"), ("LANG", "zh_CN.UTF-8")], &[]));
    assert!(!is_chinese(&[("LANG", "de_DE.UTF-8")], &[]));
    assert!(is_chinese(&[("LANG", "C"), ("JUZHONG_LANG", "zh")], &[]));
    assert!(!is_chinese(&[("JUZHONG_LANG", "zh")], &["--lang", "en"]));
    assert!(is_chinese(&[("JUZHONG_LANG", "en")], &["--lang=zh"]));
    let file = folder.write("config.toml", "lang = \"zh\"\n");
    assert!(is_chinese(&[("LANG", "C"), ("JUZHONG_CONFIG", &file)], &[]));
    assert!(!is_chinese(&[("JUZHONG_CONFIG", &file), ("JUZHONG_LANG", "en")], &[]));
    ended(&juzhong(&["position", "--lang", "fr"]), 2, &["invalid value 'fr'", "en, zh"]);
}

/// Runs in that language, at a terminal of that locale.
fn at_terminal(lang: &str, locale: &str, args: &[&str]) -> String {
    let mut command = command(args);
    command.env("JUZHONG_LANG", lang).env("LC_ALL", locale);
    text(&command.output().unwrap().stdout)
}

#[test]
fn boards_have_characters_where_the_language_is_chinese() {
    let folder = Folder::new();
    let tables = &folder.at("tables");
    ok(&["tablebase", "generate", "KRvK", "--tables", tables]);
    let rook = "3k5/9/9/9/9/9/9/9/9/R3K4 w";
    let (red, black) = (" 九 八 七 六 五 四 三 二 一", " １ ２ ３ ４ ５ ６ ７ ８ ９");
    let shows = |text: &str| text.contains('俥') && text.contains('帥') && text.contains('將');
    for args in [
        &["position", "--fen", rook][..],
        &["analyse", "--fen", rook, "--depth", "1"],
        &["tablebase", "probe", "--tables", tables, "--fen", rook],
        &["tablebase", "line", "--tables", tables, "--fen", rook],
        &["play", "--fen", rook],
    ] {
        let text = at_terminal("zh", "zh_CN.UTF-8", args);
        assert!(shows(&text) && text.contains(red) && text.contains(black), "{args:?}: {text}");
        for (lang, locale) in [("zh", "zh_CN.GB18030"), ("zh", "C"), ("en", "en_US.UTF-8")] {
            let text = at_terminal(lang, locale, args);
            let is_plain = !shows(&text) && !text.contains(red) && !text.contains('楚');
            assert!(is_plain, "{args:?} {locale}: {text}");
        }
        let letters = at_terminal("zh", "zh_CN.UTF-8", &[args, &["--board", "ascii"]].concat());
        assert!(!shows(&letters) && letters.contains(". . ."), "{args:?}: {letters}");
        let asked = at_terminal("en", "C", &[args, &["--board", "hanzi"]].concat());
        assert!(shows(&asked) && !asked.contains('九'), "{args:?}: {asked}");
        let coordinates = &[args, &["--notation", "uci"]].concat();
        let text = at_terminal("zh", "zh_CN.UTF-8", coordinates);
        assert!(shows(&text) && text.contains(" ａ ｂ ｃ") && !text.contains('九'), "{text}");
    }
    // The setting, and a position that is refused.
    let file = &folder.write("config.toml", "board = \"ascii\"\n");
    let text = at_terminal("zh", "zh_CN.UTF-8", &["position", "--config", file]);
    assert!(!shows(&text) && text.contains("r n b a k"), "{text}");
    let text = at_terminal("zh", "zh_CN.UTF-8", &["config"]);
    assert!(text.lines().any(|line| line.starts_with("board") && line.contains("hanzi")), "{text}");
    let text =
        at_terminal("zh", "zh_CN.UTF-8", &["position", "--fen", "3k5/9/9/9/9/9/9/9/9/3K5 w"]);
    assert!(text.contains('帥') && text.contains(red), "{text}");
    // Stones of gomoku have no characters.
    let text = at_terminal("zh", "zh_CN.UTF-8", &["--game", "gomoku", "position", "--moves", "h8"]);
    assert!(text.contains('x') && !text.contains('●'), "{text}");
}

/// The first line with an English sentence: three words in a row.
fn english(text: &str) -> Option<&str> {
    let is_word = |word: &&str| {
        let word = word.trim_end_matches(['.', ':', ';']);
        word.len() > 1 && word.chars().all(|c| c.is_ascii_lowercase())
    };
    // Examples of commands stay as they are.
    text.lines().filter(|line| !line.starts_with("  juzhong ")).find(|line| {
        let words: Vec<&str> = line.split(' ').collect();
        words.windows(3).any(|three| three.iter().all(is_word))
    })
}

#[test]
fn an_unknown_value_is_refused_in_chinese() {
    ended(&chinese(&["position", "--rules", "foo"]), 2, &["没有规则“foo”"]);
    let gomoku = chinese(&["--game", "gomoku", "position", "--rules", "foo"]);
    ended(&gomoku, 2, &["五子棋没有重复局面", "“foo”"]);
}

#[test]
fn no_sentence_of_a_report_is_english() {
    let folder = Folder::new();
    let book = &sample_book(&folder);
    let tables = &folder.at("tables");
    let bad = &folder.write("bad.pgn", "[Red \"x\"]\n\n1. h2e2 h2e2 *\n");
    let rook = "3k5/9/9/9/9/9/9/9/9/R3K4 w";
    let commands: &[&[&str]] = &[
        &["tablebase", "generate", "KRvK", "--tables", tables],
        &["tablebase", "generate", "KRvKA", "--tables", tables, "--dry-run"],
        &["tablebase", "list", "--tables", tables],
        &["tablebase", "stats", "KRvK", "--tables", tables],
        &["tablebase", "verify", "KRvK", "--tables", tables],
        &["tablebase", "probe", "--tables", tables, "--fen", rook],
        &["tablebase", "line", "--tables", tables, "--fen", rook, "--why"],
        &["book", "query", book],
        &["book", "query", book, "--tree", "2"],
        &["book", "query", book, "--moves", "a0a1 a9a8 a1a0"],
        &["book", "stats", book],
        &["book", "doctor", book],
        &["book", "classify", "--moves", "炮二平五 马８进７"],
        &["book", "expand", book],
        &["book", "flag", book],
        &["book", "score", book, "--nodes", "20"],
        &["book", "export", book, "--to", "obk", "-o", &folder.at("a.obk")],
        &["book", "doctor", &folder.at("a.obk")],
        &["book", "import", &folder.at("a.obk"), "-o", &folder.at("b.book")],
        &["book", "merge", book, &folder.at("b.book"), "-o", &folder.at("c.book")],
        &["book", "prune", book, "--min-games", "2", "-o", &folder.at("d.book")],
        &["position", "--eval"],
        &["position", "--fen", "3k5/9/9/9/9/9/9/9/4K4/R3K4 w"],
        &["analyse", "--depth", "4", "--book", book, "--tables", tables],
        &["match", "--games", "2", "--nodes", "50", "-o", &folder.at("m.pgn")],
        &["convert", &folder.at("m.pgn"), "-o", &folder.at("m.txt")],
        &["convert", &folder.at("nothing.pgn"), "-o", &folder.at("n.txt")],
        &["review", bad],
        &["book", "build", bad, "-o", &folder.at("e.book")],
        &["book", "games", book, "--limit", "0"],
        &["book", "merge", book, "-o", &folder.at("f.book")],
        &["analyse", "--nodes", "50", "--book", &folder.at("nothing.book")],
        &["config"],
        &["bench", "--depth", "2"],
        &["query", book],
        &["book", "query"],
        &["book", "query", &folder.at("nothing.book")],
        &["book", "query", book, "--moves", "zz"],
        &["book", "edit", book, "--move", "h2e2", "--weight", "5"],
        &["book", "edit", book, "--undo"],
        &["analyse", "--depth", "x"],
        &["position", "--fen", "bad"],
        &["tablebase", "generate", "XYZ", "--tables", tables],
        &["demo", "--dir", &folder.at("demo")],
    ];
    for args in commands {
        let output = chinese(args);
        let said = [text(&output.stdout), text(&output.stderr)].concat();
        assert!(said.contains(|c: char| !c.is_ascii()) || said.is_empty(), "{args:?}: {said}");
        assert_eq!(english(&said), None, "{args:?}");
    }
}

#[test]
fn no_help_is_english() {
    let groups = ["book", "tablebase"];
    let names = |args: &[&str]| -> Vec<String> {
        let help = juzhong(&[args, &["--help"]].concat());
        let after = text(&help.stdout).split_once("Commands:\n").map(|(_, after)| after.to_owned());
        let lines = after.unwrap_or_default();
        let names = lines.lines().take_while(|line| line.starts_with("  "));
        names.filter_map(|line| line.split_whitespace().next().map(str::to_owned)).collect()
    };
    let mut pages: Vec<Vec<String>> = vec![Vec::new()];
    pages.extend(names(&[]).into_iter().map(|name| vec![name]));
    for group in groups {
        pages.extend(names(&[group]).into_iter().map(|name| vec![group.to_owned(), name]));
    }
    assert!(pages.len() > 30, "{pages:?}");
    for page in pages {
        let args: Vec<&str> = page.iter().map(String::as_str).chain(["--help"]).collect();
        if args[0] == "help" || args.get(1) == Some(&"help") {
            continue;
        }
        let output = chinese(&args);
        ended(&output, 0, &[]);
        assert_eq!(english(&text(&output.stdout)), None, "{args:?}");
    }
}

#[test]
fn programs_read_the_same_in_both_languages() {
    let folder = Folder::new();
    let book = &sample_book(&folder);
    let commands: &[&[&str]] = &[
        &["position", "--json"],
        &["book", "query", book, "--json"],
        &["book", "stats", book, "--json"],
        &["book", "doctor", book, "--json"],
        &["book", "classify", "--moves", "h2e2 h9g7", "--json"],
        &["analyse", "--nodes", "500", "--json"],
    ];
    let untimed = |output: Output| {
        let mut answer: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        answer["time_ms"].take();
        answer
    };
    for args in commands {
        assert_eq!(untimed(chinese(args)), untimed(ok(args)), "{args:?}");
    }
    for args in [&["position", "--fen", "x"][..], &["book", "query", "no.book"], &["perft"]] {
        assert_eq!(chinese(args).status.code(), juzhong(args).status.code(), "{args:?}");
    }
}

#[test]
fn moves_and_names_of_openings_are_those_of_the_language() {
    let folder = Folder::new();
    let book = &sample_book(&folder);
    let query = chinese(&["book", "query", book, "--moves", "h2e2"]);
    assert!(text(&query.stdout).contains("进"), "{}", text(&query.stdout));
    let query = chinese(&["book", "query", book, "--notation", "uci"]);
    assert!(text(&query.stdout).contains("h2e2"));
    let named = |output: Output| text(&output.stdout).lines().next().unwrap().to_owned();
    let args = ["book", "classify", "--moves", "h2e2 h7e7"];
    assert_eq!(named(chinese(&args)), "D00 顺炮缓开车对其他");
    assert_eq!(named(ok(&args)), "D00 Same Direction Cannons, Delayed Chariot vs Others");
}

#[test]
fn reports_keep_to_80_columns() {
    let folder = Folder::new();
    let book = &sample_book(&folder);
    let commands: &[&[&str]] = &[
        &["book", "query", book],
        &["book", "stats", book],
        &["book", "classify", "books/openings"],
        &["position", "--eval"],
        &["review", "books/openings/opposing-pawns.pgn", "--nodes", "20", "--book", book],
    ];
    for args in commands {
        for output in [chinese(args), ok(args)] {
            let shown = text(&output.stdout);
            let wide = shown.lines().find(|line| columns(line) > 80 && !line.contains(book));
            assert_eq!(wide, None, "{args:?}");
        }
    }
}

#[test]
fn names_that_others_chose_stay_as_they_are() {
    let folder = Folder::new();
    let tags = "[Red \"Red\"]\n[Black \"no name\"]\n[Event \"book\"]\n";
    let game = folder.write("red.pgn", format!("{tags}\n1. h2e2 h9g7 *\n"));
    let shown = text(&chinese(&["review", &game, "--nodes", "20"]).stdout);
    for line in ["红方     Red\n", "黑方     no name\n", "赛事     book\n"] {
        assert!(shown.contains(line), "{shown}");
    }
    let many = folder.write("many.pgn", format!("[FEN \"{}\"]\n\n1. h2e2 *\n", "a: ".repeat(300)));
    let told = chinese(&["review", &many, "--nodes", "20"]);
    assert_eq!(told.status.code(), Some(65));
}
