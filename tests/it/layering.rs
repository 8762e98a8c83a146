//! The rooms of `src/` use only what the map in `ARCHITECTURE.md` lets them use, and the files and folders of a room those
//! before them in `docs/design/rooms.md`. The tables of these pages are the rules: they are read here.

use std::fs;
use std::path::{Path, PathBuf};

/// The files that stand above the listed files and folders of their room: `description` is a test of the server's.
const ABOVE_ALL: [&str; 3] = ["mod", "tests", "description"];

/// The rooms whose `mod.rs` defines names that their files use.
const WITH_OWN_NAMES: [&str; 4] = ["message", "hash", "game", "language"];

/// The macro of the room `message`: exported macros stand at the root of the package, and the room hands it on.
const MESSAGE_MACRO: &str = "__message";

/// A file of the repository.
fn read(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    fs::read_to_string(path).expect("UTF-8").replace("\r\n", "\n")
}

/// The Rust files of a room or a part of the program.
fn files_of(room: &str) -> Vec<PathBuf> {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let file = src.join(format!("{room}.rs"));
    if file.is_file() {
        return vec![file];
    }
    let mut files = Vec::new();
    rust_files(&src.join(room), &mut files);
    files
}

fn rust_files(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("src is readable") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            rust_files(&path, files);
        } else if path.extension().is_some_and(|e| e == "rs") {
            files.push(path);
        }
    }
}

/// The name that a text begins with.
fn first_name(text: &str) -> &str {
    let end = text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    &text[..end.unwrap_or(text.len())]
}

/// The rooms named by `crate::room` in a source text.
fn used_rooms(text: &str) -> impl Iterator<Item = &str> {
    text.split("crate::").skip(1).map(first_name)
}

#[test]
fn rooms_use_only_what_lies_below_them() {
    let map = read("ARCHITECTURE.md");
    let all = [users(&map, "Rooms"), users(&map, "The program")].concat();
    let mut wrong = Vec::new();
    for (room, may_use) in &all {
        for file in files_of(room) {
            // Tests of texts read those of the whole program.
            if file.file_name().is_some_and(|file| file == "tests.rs") {
                continue;
            }
            let text = fs::read_to_string(&file).expect("UTF-8");
            assert!(!text.contains("crate::{"), "{}: name one room a line", file.display());
            for used in used_rooms(&text) {
                let is_room = all.iter().any(|&(name, _)| name == used);
                let allowed = used == *room || may_use.contains(&used);
                if is_room && !allowed {
                    wrong.push(format!("{} uses {used}", file.display()));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "edges that the map does not have:\n{}", wrong.join("\n"));
}

/// The names that a path goes on with: one, or those in braces on the same line; an empty one if there is neither.
fn next_names(rest: &str) -> Vec<&str> {
    match rest.strip_prefix('{').and_then(|rest| rest.split_once('}')) {
        Some((names, _)) => names.split(", ").map(first_name).collect(),
        None => vec![first_name(rest)],
    }
}

/// The place in `folders` of the file or folder that a name comes from: the one of that name, or the one from which the
/// room's `mod.rs` (its text is `root`) takes it. What `mod.rs` takes from another room lies below all of them.
fn place_of(name: &str, room: &str, folders: &[&str], root: &str) -> Option<usize> {
    let listed = |file: &str| folders.iter().position(|&folder| folder == file);
    let own = format!("crate::{room}::");
    let handed_on = |statement: &str| {
        let (_, path) = statement.rsplit_once("use ")?;
        let (file, names) = path.strip_prefix(&own).unwrap_or(path).split_once("::")?;
        let place = if file == "crate" { 0 } else { listed(file)? };
        let mut names = names.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        names.any(|other| other == name).then_some(place)
    };
    if name.is_empty() {
        return None;
    }
    listed(name).or_else(|| root.split(';').find_map(handed_on))
}

/// The names that follow `crate::room::` in a source text, outside of its tests, or as many `super::` as lead from the
/// file to the room.
fn used_folders<'a>(text: &'a str, room: &str, levels: usize) -> impl Iterator<Item = &'a str> {
    let text = text.split("mod tests {").next().unwrap_or(text);
    let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
    let prefixes = [format!("crate::{room}::"), "super::".repeat(levels)];
    code.flat_map(move |line| {
        let after = |prefix: &String| line.split(prefix.as_str()).skip(1).collect::<Vec<_>>();
        let rests: Vec<_> = prefixes.iter().flat_map(after).collect();
        rests.into_iter().flat_map(next_names)
    })
}

#[test]
fn rooms_hand_on_nothing_of_other_rooms() {
    let map = read("ARCHITECTURE.md");
    let mut wrong = Vec::new();
    for (room, _) in users(&map, "Rooms") {
        for file in files_of(room) {
            let text = fs::read_to_string(&file).expect("UTF-8");
            let hands_on = |line: &&str| {
                let rest = line.trim_start().strip_prefix("pub").unwrap_or_default();
                let is_restricted = rest.starts_with('(');
                !is_restricted && rest.contains(" use crate::")
            };
            for line in text.lines().filter(hands_on) {
                let is_other = |used| used != room && used != MESSAGE_MACRO;
                if used_rooms(line).any(is_other) {
                    wrong.push(format!("{}: {line}", file.display()));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "names of other rooms handed on:\n{}", wrong.join("\n"));
}

#[test]
fn folders_of_a_room_use_only_what_lies_below_them() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let page = read("docs/design/rooms.md");
    let mut wrong = Vec::new();
    for room in headings(&page) {
        let folders = listed_files(&page, room);
        let root = src.join(room);
        let root_text = read(&format!("src/{room}/mod.rs"));
        for file in files_of(room) {
            let within = file.strip_prefix(&root).expect("a file of the room");
            let first = within.components().next().expect("a name").as_os_str();
            let name = Path::new(first).file_stem().and_then(|stem| stem.to_str());
            let Some(at) = folders.iter().position(|&folder| Some(folder) == name) else {
                if !ABOVE_ALL.iter().any(|&above| Some(above) == name) {
                    wrong.push(format!("{room} has {}, which is not listed", within.display()));
                }
                continue;
            };
            if within.file_name().is_some_and(|file| file == "tests.rs") {
                continue;
            }
            let text = fs::read_to_string(&file).expect("UTF-8");
            let is_root = within.file_name().is_some_and(|file| file == "mod.rs");
            let levels = within.components().count() - usize::from(is_root);
            for used in used_folders(&text, room, levels) {
                let is_allowed = match place_of(used, room, &folders, &root_text) {
                    Some(place) => place <= at,
                    None => used == "super" || !used.is_empty() && WITH_OWN_NAMES.contains(&room),
                };
                if !is_allowed {
                    wrong.push(format!("{} uses {room}::{used}", file.display()));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "arrows that lead up:\n{}", wrong.join("\n"));
}

/// The rooms of `lib.rs`, each with the comment before it.
fn rooms_of_lib(lib: &str) -> Vec<(&str, &str)> {
    let mut rooms = Vec::new();
    let mut comment = "";
    for line in lib.lines() {
        if let Some(text) = line.strip_prefix("// ") {
            comment = text;
        }
        if let Some(room) = line.strip_prefix("pub mod ") {
            rooms.push((room.trim_end_matches(';'), comment));
        }
    }
    rooms
}

/// The part of a Markdown text under a heading of the second level.
fn section<'a>(text: &'a str, heading: &str) -> &'a str {
    let start = format!("\n## {heading}\n");
    let (_, rest) = text.split_once(start.as_str()).expect("the heading is there");
    rest.split("\n## ").next().unwrap_or(rest)
}

/// The rows of the first table of a Markdown text, each as its cells.
fn rows(text: &str) -> Vec<Vec<&str>> {
    let lines = text.lines().skip_while(|line| !line.starts_with('|'));
    let table: Vec<Vec<&str>> = lines.take_while(|line| line.starts_with('|')).map(cells).collect();
    assert!(table.len() > 2, "a table with rows is there: {text}");
    for row in &table {
        assert_eq!(row.len(), table[0].len(), "cells of {row:?}");
    }
    table[2..].to_vec()
}

/// The cells of a row of a Markdown table.
fn cells(row: &str) -> Vec<&str> {
    let inner = row.strip_prefix('|').and_then(|row| row.strip_suffix('|'));
    inner.unwrap_or_else(|| panic!("a bar at both ends: {row}")).split('|').map(str::trim).collect()
}

/// The names in code within a cell.
fn names(cell: &str) -> Vec<&str> {
    cell.split('`').skip(1).step_by(2).collect()
}

/// The names in code of which a cell consists, with commas between them.
fn only_names(cell: &str) -> Vec<&str> {
    let names = names(cell);
    let is_list = names.iter().map(|name| format!("`{name}`")).eq(cell.split(", "));
    assert!(is_list, "names in code with commas between them: {cell:?}");
    names
}

/// The words of a cell, with commas between them; none in a cell `none`.
fn words(cell: &str) -> Vec<&str> {
    if cell == "none" { Vec::new() } else { cell.split(", ").collect() }
}

/// The rooms, or the parts of the program, of the table under a heading of the map, from the ground up, and those that
/// each may use.
fn users<'a>(map: &'a str, heading: &str) -> Vec<(&'a str, Vec<&'a str>)> {
    let rows = rows(section(map, heading));
    let user = |row: &Vec<&'a str>| {
        let [name] = only_names(row[0])[..] else { panic!("one name in a row: {row:?}") };
        (name, words(row[2]))
    };
    rows.iter().map(user).collect()
}

/// The rooms and parts of the program whose files the page of rooms lists.
fn headings(page: &str) -> Vec<&str> {
    page.lines().filter_map(|line| line.strip_prefix("## `")?.strip_suffix('`')).collect()
}

/// The files and folders of a room that the page of rooms lists, from the ground up.
fn listed_files<'a>(page: &'a str, room: &str) -> Vec<&'a str> {
    let rows = rows(section(page, &format!("`{room}`")));
    rows.iter().flat_map(|row| only_names(row[0])).collect()
}

#[test]
fn lib_lists_the_rooms_from_the_ground_up() {
    let map = read("ARCHITECTURE.md");
    let lib = read("src/lib.rs");
    let listed: Vec<&str> = rooms_of_lib(&lib).into_iter().map(|(room, _)| room).collect();
    let mapped: Vec<&str> = users(&map, "Rooms").into_iter().map(|(room, _)| room).collect();
    assert_eq!(listed, mapped);
    for (row, (room, comment)) in rows(section(&map, "Rooms")).iter().zip(rooms_of_lib(&lib)) {
        assert_eq!(format!("{}.", row[1]), comment, "what lib.rs says of {room}");
    }
}

#[test]
fn the_map_lists_the_parts_of_the_program() {
    let map = read("ARCHITECTURE.md");
    let main = read("src/main.rs");
    let mut parts: Vec<&str> =
        users(&map, "The program").into_iter().map(|(part, _)| part).collect();
    let modules = main.lines().filter_map(|line| line.strip_prefix("mod ")?.strip_suffix(';'));
    let mut modules: Vec<&str> = modules.collect();
    parts.sort_unstable();
    modules.sort_unstable();
    assert_eq!(parts, modules);
}

#[test]
fn the_map_lets_rooms_use_only_those_before_them() {
    let map = read("ARCHITECTURE.md");
    for heading in ["Rooms", "The program"] {
        let mut before = Vec::new();
        for (room, may_use) in users(&map, heading) {
            for used in may_use {
                assert!(before.contains(&used), "{room} may use {used}, which is not before it");
            }
            before.push(room);
        }
    }
}

#[test]
fn the_page_of_rooms_lists_their_files_from_the_ground_up() {
    let page = read("docs/design/rooms.md");
    let map = read("ARCHITECTURE.md");
    let parts = users(&map, "The program").into_iter().filter(|(part, _)| files_of(part).len() > 1);
    let all = users(&map, "Rooms").into_iter().chain(parts).map(|(room, _)| room);
    assert_eq!(headings(&page), all.collect::<Vec<_>>());
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for room in headings(&page) {
        let listed = listed_files(&page, room);
        for (at, name) in listed.iter().enumerate() {
            let folder = src.join(room).join(name);
            let is_there = folder.is_dir() || folder.with_extension("rs").is_file();
            assert!(is_there, "{room} has no {name}");
            assert!(!listed[..at].contains(name), "{room} lists {name} twice");
        }
    }
}

/// The features of `Cargo.toml` but for `default`, each with what it enables, in the order of the file.
fn features(manifest: &str) -> Vec<(&str, Vec<&str>)> {
    let (_, rest) = manifest.split_once("\n[features]\n").expect("the features are there");
    let (features, _) = rest.split_once("\n[dependencies]\n").expect("they end before these");
    let mut found = Vec::new();
    for entry in features.split(']') {
        let Some((name, list)) = entry.split_once(" = [") else { continue };
        let name = name.lines().last().expect("a name");
        if name != "default" {
            found.push((name, list.split('"').skip(1).step_by(2).collect()));
        }
    }
    found
}

/// The rooms of `lib.rs` that are compiled with a feature; with none those that need none.
fn rooms_with<'a>(lib: &'a str, feature: Option<&str>) -> Vec<&'a str> {
    let mut rooms = Vec::new();
    for block in lib.split("\n\n") {
        let Some((before, room)) = block.split_once("pub mod ") else { continue };
        let needed = before.split_once("#[cfg(feature = \"").map(|(_, rest)| first_name(rest));
        if needed == feature {
            rooms.push(room.trim_end().trim_end_matches(';'));
        }
    }
    rooms
}

#[test]
fn the_guide_lists_the_features() {
    let manifest = read("Cargo.toml");
    let lib = read("src/lib.rs");
    let guide = read("docs/guide/library.md");
    let rows = rows(section(&guide, "Features"));
    assert_eq!((rows[0][0], names(rows[0][2])), ("none", rooms_with(&lib, None)));
    let features = features(&manifest);
    let listed: Vec<Vec<&str>> = rows[1..].iter().map(|row| only_names(row[0])).collect();
    assert_eq!(listed, features.iter().map(|&(feature, _)| vec![feature]).collect::<Vec<_>>());
    for (row, (feature, enabled)) in rows[1..].iter().zip(features) {
        let (crates, implied): (Vec<&str>, Vec<&str>) =
            enabled.iter().partition(|enabled| enabled.starts_with("dep:"));
        assert_eq!(names(row[1]), implied, "what {feature} implies");
        let rooms = rooms_with(&lib, Some(feature));
        assert!(names(row[2]).starts_with(&rooms), "the modules of {feature}: {rooms:?}");
        for named in names(row[3]) {
            assert!(crates.contains(&format!("dep:{named}").as_str()), "{feature} without {named}");
        }
        let is_described = lib
            .lines()
            .any(|line| line.starts_with("//! ") && line.contains(&format!("`{feature}`")));
        assert!(is_described, "lib.rs does not name {feature}");
    }
}
