//! The rooms of `src/` use only what the map in `ARCHITECTURE.md` lets them use.

use std::fs;
use std::path::{Path, PathBuf};

/// Each room and the rooms it may use, from the ground up, as `lib.rs` lists them.
const ROOMS: [(&str, &[&str]); 17] = [
    ("bytes", &[]),
    ("hash", &["bytes"]),
    ("game", &["hash"]),
    ("xiangqi", &["game", "hash"]),
    ("gomoku", &["game", "hash"]),
    ("record", &["bytes", "game", "xiangqi", "gomoku"]),
    ("book", &["bytes", "hash", "game", "xiangqi", "gomoku", "record"]),
    ("tablebase", &["bytes", "game", "xiangqi"]),
    ("search", &["bytes", "hash", "game", "xiangqi", "gomoku"]),
    ("solve", &["bytes", "hash", "game", "gomoku", "book"]),
    (
        "engine",
        &["bytes", "hash", "game", "xiangqi", "gomoku", "book", "tablebase", "search", "solve"],
    ),
    ("review", &["bytes", "game", "xiangqi", "record", "book", "tablebase", "search", "engine"]),
    (
        "protocol",
        &["bytes", "hash", "game", "xiangqi", "gomoku", "book", "tablebase", "search", "engine"],
    ),
    ("proxy", &["bytes", "game", "xiangqi", "search", "engine", "protocol"]),
    (
        "contest",
        &[
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
    ("tune", &["game", "xiangqi", "gomoku", "record", "search", "engine", "protocol", "contest"]),
    ("capi", &["game", "xiangqi", "book", "tablebase"]),
];

/// The rooms with folders inside, and their files and folders from the ground up: each may use those before
/// it.
const FOLDERS: [(&str, &[&str]); 12] = [
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
            "repetition",
            "explain",
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
    (
        "record",
        &["model", "text", "programs", "sniff", "source", "write", "formats", "gomoku", "archives"],
    ),
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
        "book",
        &[
            "model",
            "file",
            "move_choice",
            "build",
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
    ("capi", &["status", "arguments", "registry", "message", "board", "tables", "game", "book"]),
];

/// The files that stand above the listed files and folders of their room.
const ABOVE_ALL: [&str; 3] = ["mod", "tests", "kinds"];

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

/// The rooms named by `crate::room` in a source text.
fn used_rooms(text: &str) -> impl Iterator<Item = &str> {
    text.split("crate::").skip(1).map(|rest| {
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
        &rest[..end]
    })
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

/// The names that follow `crate::room::` in a source text, outside of its tests, or as many `super::` as lead from the
/// file to the room.
fn used_folders<'a>(text: &'a str, room: &str, levels: usize) -> impl Iterator<Item = &'a str> {
    let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or(text);
    let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
    let prefixes = [format!("crate::{room}::"), "super::".repeat(levels)];
    code.flat_map(move |line| {
        let after = |prefix: &String| line.split(prefix.as_str()).skip(1).collect::<Vec<_>>();
        let rests: Vec<_> = prefixes.iter().flat_map(after).collect();
        rests.into_iter().map(|rest| {
            let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
            &rest[..end.unwrap_or(rest.len())]
        })
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
                if used_rooms(line).any(|used| used != room) {
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
                if used != "super" && !folders[..=at].contains(&used) {
                    wrong.push(format!("{} uses {room}::{used}", file.display()));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "arrows that lead up:\n{}", wrong.join("\n"));
}

#[test]
fn lib_lists_the_rooms_from_the_ground_up() {
    let lib = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/lib.rs");
    let text = fs::read_to_string(lib).expect("UTF-8");
    let listed: Vec<&str> =
        text.lines().filter_map(|line| line.strip_prefix("pub mod ")?.strip_suffix(';')).collect();
    assert_eq!(listed, ROOMS.map(|(name, _)| name));
}
