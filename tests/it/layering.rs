//! The rooms of `src/` use only what the map in `ARCHITECTURE.md` lets them use, and the map says what is listed here.

use std::fs;
use std::path::{Path, PathBuf};

/// Each room and the rooms it may use, from the ground up, as `lib.rs` lists them.
const ROOMS: [(&str, &[&str]); 18] = [
    ("message", &[]),
    ("bytes", &["message"]),
    ("hash", &["bytes"]),
    ("game", &["hash"]),
    ("xiangqi", &["message", "game", "hash"]),
    ("gomoku", &["message", "game", "hash"]),
    ("record", &["message", "bytes", "game", "xiangqi", "gomoku"]),
    ("book", &["message", "bytes", "hash", "game", "xiangqi", "gomoku", "record"]),
    ("tablebase", &["message", "bytes", "hash", "game", "xiangqi"]),
    ("search", &["message", "bytes", "hash", "game", "xiangqi", "gomoku"]),
    ("solve", &["message", "bytes", "hash", "game", "gomoku", "book"]),
    (
        "engine",
        &[
            "message",
            "bytes",
            "hash",
            "game",
            "xiangqi",
            "gomoku",
            "book",
            "tablebase",
            "search",
            "solve",
        ],
    ),
    (
        "review",
        &["message", "bytes", "game", "xiangqi", "record", "book", "tablebase", "search", "engine"],
    ),
    (
        "protocol",
        &[
            "message",
            "bytes",
            "hash",
            "game",
            "xiangqi",
            "gomoku",
            "book",
            "tablebase",
            "search",
            "engine",
        ],
    ),
    ("proxy", &["message", "bytes", "game", "xiangqi", "search", "engine", "protocol"]),
    (
        "contest",
        &[
            "message",
            "bytes",
            "game",
            "xiangqi",
            "gomoku",
            "record",
            "tablebase",
            "search",
            "engine",
            "protocol",
        ],
    ),
    (
        "answers",
        &[
            "message",
            "bytes",
            "game",
            "xiangqi",
            "gomoku",
            "record",
            "book",
            "tablebase",
            "search",
            "solve",
            "engine",
            "review",
            "contest",
        ],
    ),
    ("capi", &["game", "xiangqi", "book", "tablebase"]),
];

/// The files and folders of each room from the ground up, as `docs/design/rooms.md` lists them: each may use those
/// before it.
const FOLDERS: [(&str, &[&str]); 18] = [
    ("message", &["template", "value"]),
    (
        "bytes",
        &[
            "varint",
            "sealed",
            "counted",
            "flag",
            "visible",
            "line",
            "open",
            "map",
            "memory",
            "machine",
            "positioned",
            "atomic",
            "own_files",
            "lock",
            "journal",
            "external_sort",
        ],
    ),
    ("hash", &["xiangqi", "gomoku", "foreign"]),
    (
        "game",
        &["side", "score", "tunables", "position_text", "symmetry", "perft", "heuristics", "line"],
    ),
    (
        "xiangqi",
        &[
            "piece",
            "square",
            "bitboard",
            "attacks",
            "setup",
            "position",
            "movegen",
            "unmove",
            "fen",
            "game_impl",
            "notation",
            "material",
            "chase",
            "rule_set",
            "move_limit",
            "repetition",
            "explain",
        ],
    ),
    (
        "gomoku",
        &[
            "variant",
            "point",
            "point_set",
            "lines",
            "pattern",
            "threat",
            "weights",
            "values",
            "board",
            "game_impl",
            "notation",
            "diagram",
            "line_map",
            "vcf",
        ],
    ),
    (
        "record",
        &["model", "text", "programs", "gomoku", "utf16", "sniff", "formats", "source", "archives"],
    ),
    (
        "book",
        &[
            "model",
            "file",
            "move_choice",
            "builder",
            "edit",
            "analysis",
            "opening",
            "interop",
            "open",
        ],
    ),
    (
        "tablebase",
        &[
            "value", "material", "pattern", "family", "index", "solve", "format", "manual",
            "probe", "generate", "verify", "mine", "plan",
        ],
    ),
    (
        "search",
        &[
            "eval",
            "tunables",
            "tablebase_probe",
            "score",
            "wdl",
            "window",
            "options",
            "limits",
            "transposition",
            "history",
            "order",
            "worker",
            "tree",
            "iterate",
            "searcher",
        ],
    ),
    (
        "solve",
        &[
            "value",
            "proof",
            "check",
            "pairing",
            "expand",
            "pns",
            "tree",
            "exhaustive",
            "table",
            "prover",
            "store",
        ],
    ),
    (
        "engine",
        &[
            "clock",
            "chance",
            "warnings",
            "endgames",
            "playable",
            "validity",
            "tables",
            "claims",
            "conversion",
            "draw_proof",
            "root_ranking",
            "proofs",
            "games",
            "opening_books",
            "player",
            "level",
            "mate_check",
            "evaluators",
        ],
    ),
    ("review", &["figures", "books", "evaluate", "game_review", "annotate", "journal"]),
    ("protocol", &["wire", "conversation", "session", "gomocup", "client"]),
    (
        "proxy",
        &[
            "start",
            "options",
            "board",
            "search",
            "info",
            "own_engine",
            "backend",
            "failures",
            "front",
            "session",
        ],
    ),
    (
        "contest",
        &[
            "games",
            "stats",
            "sprt",
            "referee",
            "participant",
            "game_runner",
            "openings",
            "matches",
            "journal",
            "selfplay",
        ],
    ),
    (
        "answers",
        &[
            "error",
            "sides",
            "evaluation",
            "verdict",
            "described",
            "score",
            "line",
            "xiangqi",
            "gomoku",
            "position",
            "game_end",
            "book",
            "perft",
            "bench",
            "tablebase",
            "solve",
            "report",
            "analysis",
            "review",
            "match_report",
        ],
    ),
    ("capi", &["status", "arguments", "registry", "message", "board", "tables", "game", "book"]),
];

/// The files that stand above the listed files and folders of their room.
const ABOVE_ALL: [&str; 2] = ["mod", "tests"];

/// The rooms whose `mod.rs` defines names that their files use.
const WITH_OWN_NAMES: [&str; 3] = ["message", "hash", "game"];

/// The macro of the room `message`: exported macros stand at the root of the package, and the room hands it on.
const MESSAGE_MACRO: &str = "__message";

/// A file of the repository.
fn read(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    fs::read_to_string(path).expect("UTF-8").replace("\r\n", "\n")
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
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut wrong = Vec::new();
    for (room, may_use) in ROOMS {
        let mut files = Vec::new();
        rust_files(&src.join(room), &mut files);
        for file in files {
            let text = fs::read_to_string(&file).expect("UTF-8");
            assert!(!text.contains("crate::{"), "{}: name one room a line", file.display());
            for used in used_rooms(&text) {
                let is_room = ROOMS.iter().any(|&(name, _)| name == used);
                let allowed = used == room || may_use.contains(&used);
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
/// room's `mod.rs` (its text is `root`) takes it.
fn place_of(name: &str, folders: &[&str], root: &str) -> Option<usize> {
    let listed = |file: &str| folders.iter().position(|&folder| folder == file);
    let handed_on = |statement: &str| {
        let (_, path) = statement.rsplit_once("use ")?;
        let (file, names) = path.split_once("::")?;
        let place = listed(file)?;
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
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut wrong = Vec::new();
    for (room, _) in ROOMS {
        let mut files = Vec::new();
        rust_files(&src.join(room), &mut files);
        for file in files {
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
    let mut wrong = Vec::new();
    for (room, folders) in FOLDERS {
        let root = src.join(room);
        let root_text = read(&format!("src/{room}/mod.rs"));
        let mut files = Vec::new();
        rust_files(&root, &mut files);
        for file in files {
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
                let is_allowed = match place_of(used, folders, &root_text) {
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

/// The rows of Markdown tables that begin with a name in code, each as its cells.
fn rows(text: &str) -> Vec<Vec<&str>> {
    text.lines().filter(|line| line.starts_with("| `")).map(cells).collect()
}

/// The cells of a row of a Markdown table.
fn cells(row: &str) -> Vec<&str> {
    row.trim_matches('|').split('|').map(str::trim).collect()
}

/// The names in code within a cell.
fn names(cell: &str) -> Vec<&str> {
    cell.split('`').skip(1).step_by(2).collect()
}

#[test]
fn lib_lists_the_rooms_from_the_ground_up() {
    let lib = read("src/lib.rs");
    let listed: Vec<&str> = rooms_of_lib(&lib).into_iter().map(|(room, _)| room).collect();
    assert_eq!(listed, ROOMS.map(|(name, _)| name));
}

#[test]
fn the_map_lists_the_rooms_and_what_they_use() {
    let map = read("ARCHITECTURE.md");
    let lib = read("src/lib.rs");
    let rows = rows(section(&map, "Rooms"));
    let listed: Vec<Vec<&str>> = rows.iter().map(|row| names(row[0])).collect();
    assert_eq!(listed, ROOMS.map(|(room, _)| vec![room]));
    for (row, (room, may_use)) in rows.iter().zip(ROOMS) {
        let used: Vec<&str> = row[2].split(", ").filter(|&used| used != "none").collect();
        assert_eq!(used, may_use, "what {room} uses");
    }
    for (row, (room, comment)) in rows.iter().zip(rooms_of_lib(&lib)) {
        assert_eq!(format!("{}.", row[1]), comment, "what lib.rs says of {room}");
    }
}

#[test]
fn the_page_of_rooms_lists_their_files_from_the_ground_up() {
    let page = read("docs/design/rooms.md");
    let headings = page.lines().filter_map(|line| line.strip_prefix("## `")?.strip_suffix('`'));
    assert_eq!(headings.collect::<Vec<_>>(), ROOMS.map(|(room, _)| room));
    assert_eq!(FOLDERS.map(|(room, _)| room), ROOMS.map(|(room, _)| room));
    for (room, folders) in FOLDERS {
        let rows = rows(section(&page, &format!("`{room}`")));
        let listed: Vec<&str> = rows.iter().flat_map(|row| names(row[0])).collect();
        assert_eq!(listed, folders, "the files of {room}");
    }
}
