//! What outside of `src/record` names formats agrees with their rows, and CONTRIBUTING's steps for a new one name what
//! there is.

use std::fs;
use std::path::Path;

use juzhong::gomoku::Board;
use juzhong::picture::Presentation;
use juzhong::record::{Format, Formats};
use juzhong::xiangqi::Position;

/// The formats that the page does not offer: lists for other programs, and boards of one size.
const NOT_ON_THE_PAGE: [&str; 5] = ["rec", "lib", "offsets", "bdt", "pos"];

/// A file of the repository.
fn read(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    fs::read_to_string(path).expect("UTF-8").replace("\r\n", "\n")
}

/// The part of a text between two others.
fn between<'a>(text: &'a str, begin: &str, end: &str) -> &'a str {
    let (_, rest) = text.split_once(begin).expect(begin);
    rest.split_once(end).expect(end).0
}

fn names(formats: &[Format]) -> Vec<&'static str> {
    formats.iter().map(|format| format.name()).collect()
}

/// The texts in quotation marks, one after the other.
fn quoted(text: &str, mark: char) -> Vec<&str> {
    text.split(mark).skip(1).step_by(2).collect()
}

/// Names as a choice, with `comma` between them and `or` before the last.
fn choice(names: &[&str], comma: &str, or: &str) -> String {
    let (last, first) = names.split_last().expect("names");
    format!("{}{or}{last}", first.join(comma))
}

#[test]
fn the_help_of_convert_names_the_formats_that_are_written() {
    let [xiangqi, gomoku] = [Position::WRITTEN, Board::WRITTEN].map(names);
    let source = read("src/cli/commands/convert.rs");
    let (before, _) = source.split_once("\n    to: Option<Target>").expect("the option");
    let help =
        before.rsplit_once("/// Output format: ").expect("its help").1.replace("\n    /// ", " ");
    let expected =
        [&xiangqi, &gomoku].map(|names| choice(names, ", ", " or ")).join("; for gomoku ");
    assert!(help.starts_with(&format!("{expected}; for people ")), "{help}");
    for presentation in Presentation::ALL {
        assert!(help.contains(&format!(" {} (", presentation.name())), "{help}");
    }
    let catalogue = read("locale/zh.po");
    let chinese = between(&catalogue, &format!("msgid \"Output format: {expected}; "), "\n\n");
    let expected = [&xiangqi, &gomoku].map(|names| choice(names, "、", " 或 ")).join("；五子棋为 ");
    assert!(chinese.contains(&expected), "{chinese}");
}

#[test]
fn the_page_offers_formats_that_are_written() {
    let page = read("src/web/page/panels/file.js");
    let lists = between(&page, "const formats = app.game === 'gomoku' ? ", ";\n");
    let (gomoku, xiangqi) = lists.split_once(" : ").expect("two lists");
    for (list, written) in [(gomoku, names(Board::WRITTEN)), (xiangqi, names(Position::WRITTEN))] {
        let offered = quoted(list, '\'');
        for name in &offered {
            assert!(written.contains(name), "{name} is not written");
        }
        for name in written {
            let is_offered = offered.contains(&name);
            assert_ne!(is_offered, NOT_ON_THE_PAGE.contains(&name), "{name}: offered or not");
        }
    }
}

#[test]
fn the_spark_example_looks_for_all_endings_of_games() {
    let script = read("contrib/spark/juzhong_book.py");
    let listed = quoted(between(&script, "\nFORMATS = (", ")"), '"');
    for ending in listed.iter().filter_map(|ending| ending.strip_prefix('.')) {
        let is_game = Format::is_game_file(&format!("a.{ending}"), Position::FORMATS);
        assert!(is_game == Some(true) || ending == "tar", "{ending}");
    }
    for format in Position::FORMATS {
        for ending in format.extensions() {
            let is_game = Format::is_game_file(&format!("a.{ending}"), Position::FORMATS);
            let is_listed = listed.contains(&format!(".{ending}").as_str());
            assert_eq!(is_listed, is_game == Some(true), "{ending} of {format}");
        }
    }
}

/// The sources of the program, one after the other.
fn sources(folder: &Path, text: &mut String) {
    for entry in fs::read_dir(folder).expect("src is readable") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            sources(&path, text);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            text.push_str(&fs::read_to_string(&path).expect("UTF-8"));
        }
    }
}

/// Returns true if a word of a document is one of the sources, with or without its type.
fn is_identifier(name: &str, sources: &str) -> bool {
    name.split("::").all(|part| {
        let is_part_of_word = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
        sources.match_indices(part).any(|(at, _)| {
            let before = sources[..at].chars().next_back();
            let after = sources[at + part.len()..].chars().next();
            !is_part_of_word(before) && !is_part_of_word(after)
        })
    })
}

#[test]
fn the_steps_for_a_new_format_name_what_there_is() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = read("CONTRIBUTING.md");
    let steps = between(&page, "\n### A format of game records\n", "\n### ");
    let mut text = String::new();
    sources(&root.join("src"), &mut text);
    sources(&root.join("tests"), &mut text);
    let mut wrong = Vec::new();
    for name in quoted(steps, '`') {
        let is_path = name.contains('/') || name.ends_with(".md");
        let is_there = if is_path {
            root.join(name).exists() || root.join("src").join(name).exists()
        } else {
            name.starts_with("--") && text.contains(name) || is_identifier(name, &text)
        };
        if !is_there {
            wrong.push(name);
        }
    }
    assert!(wrong.is_empty(), "the steps name what there is not: {wrong:?}");
}
