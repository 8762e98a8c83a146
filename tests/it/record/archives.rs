//! Games read from folders and from archives of them, and the reports of the rest.

use std::fs;
use std::io::{Cursor, Write};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use juzhong::book::find_games;
use juzhong::record::read_packed;
use juzhong::xiangqi::Position;
use proptest::prelude::*;
use serde_json::Value;

use crate::support::folder::Folder;
use crate::support::program::{PROGRAM, fails, juzhong, ok, text, with_slashes};

/// A file of a collection: its path and its bytes.
type File = (String, Vec<u8>);

fn games(number: u8) -> Vec<u8> {
    format!("[Red \"{number}\"]\n\n1. h2e2 h9g7 1-0\n\n[Red \"b{number}\"]\n\n1. c3c4 *\n").into()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn bzip2(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn xz(bytes: &[u8]) -> Vec<u8> {
    let options = lzma_rust2::XzOptions::with_preset(1);
    let mut writer = lzma_rust2::XzWriter::new(Vec::new(), options).unwrap();
    writer.write_all(bytes).unwrap();
    writer.finish().unwrap()
}

fn tar(files: &[File]) -> Vec<u8> {
    let mut builder = tar::Builder::new(Vec::new());
    for (name, content) in files {
        let mut header = tar::Header::new_gnu();
        header.set_size(content.len() as u64);
        header.set_mode(0o644);
        builder.append_data(&mut header, name, content.as_slice()).unwrap();
    }
    builder.into_inner().unwrap()
}

fn sevenz(files: &[File]) -> Vec<u8> {
    let mut writer = sevenz_rust2::ArchiveWriter::new(Cursor::new(Vec::new())).unwrap();
    for (name, content) in files {
        let entry = sevenz_rust2::ArchiveEntry::new_file(name);
        writer.push_archive_entry(entry, Some(content.as_slice())).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

/// A zip archive of stored or deflated files.
fn zip(files: &[File], deflate: bool) -> Vec<u8> {
    let (mut archive, mut directory) = (Vec::new(), Vec::new());
    for (name, content) in files {
        let mut data = content.clone();
        if deflate {
            let level = flate2::Compression::fast();
            let mut encoder = flate2::write::DeflateEncoder::new(Vec::new(), level);
            encoder.write_all(content).unwrap();
            data = encoder.finish().unwrap();
        }
        let mut shared = vec![20, 0, 0, 8, if deflate { 8 } else { 0 }, 0, 0, 0, 0, 0];
        for n in [crc32fast::hash(content), data.len() as u32, content.len() as u32] {
            shared.extend_from_slice(&n.to_le_bytes());
        }
        shared.extend_from_slice(&[name.len() as u8, 0, 0, 0]);
        directory.extend_from_slice(&[b"PK\x01\x02\x14\0", &shared[..], &[0; 10]].concat());
        directory.extend_from_slice(&(archive.len() as u32).to_le_bytes());
        directory.extend_from_slice(name.as_bytes());
        archive.extend_from_slice(&[b"PK\x03\x04", &shared[..], name.as_bytes(), &data].concat());
    }
    let count = (files.len() as u16).to_le_bytes();
    let mut end = [b"PK\x05\x06\0\0\0\0", &count[..], &count].concat();
    end.extend_from_slice(&(directory.len() as u32).to_le_bytes());
    end.extend_from_slice(&(archive.len() as u32).to_le_bytes());
    [archive, directory, end, vec![0, 0]].concat()
}

/// Everything read of a file or folder: the path of each source within it, and the game or the fault.
fn read(path: &Path) -> Vec<String> {
    let mut lines = Vec::new();
    for file in find_games::<Position>(&[path.to_owned()]).map_or(Vec::new(), |found| found.files) {
        let bytes = fs::read(&file).unwrap();
        let name = file.strip_prefix(path).unwrap().to_str().unwrap();
        let name = name.replace(std::path::MAIN_SEPARATOR, "/");
        let mut sink = |source: &str, game: Result<juzhong::record::ParsedGame, _>| {
            let game = game.map_or_else(
                |bad: juzhong::record::BadGame| format!("{}: {}", bad.place, bad.reason),
                |game| format!("{:?} {:?}", game.record.tags, game.record.tree.moves),
            );
            lines.push(format!("{}: {game}", source.trim_start_matches('/')));
            ControlFlow::Continue(())
        };
        let folder = std::env::temp_dir();
        read_packed::<Position>(&name, &bytes, &folder, &Arc::default(), &mut sink).unwrap();
    }
    lines.sort();
    lines
}

const ENDINGS: [&str; 13] =
    ["pgn", "pgns", "txt", "wxf", "xqf", "gz", "pgn.xz", "png", "md", "zip", "7z", "tar.bz2", ""];

fn any_file() -> impl Strategy<Value = (&'static str, Vec<u8>)> {
    let bytes = prop_oneof![
        4 => any::<u8>().prop_map(games),
        1 => Just(b"h2e2 h9g7\nb2e2\n".to_vec()),
        1 => Just(b"Notes on [games](a.html).\n".to_vec()),
        1 => Just(b"{% block a %}\n".to_vec()),
        1 => Just(b"\x89PNG\r\n\x1a\n\0\0\0".to_vec()),
        1 => Just(Vec::new()),
        1 => any::<u8>().prop_map(|n| gzip(&games(n))),
        1 => any::<u8>().prop_map(|n| xz(&games(n))),
        1 => any::<u8>().prop_map(|n| bzip2(&games(n))),
        1 => any::<u8>().prop_map(|n| zip(&[("in/x.pgn".into(), games(n))], true)),
        1 => any::<u8>().prop_map(|n| tar(&[("in/y".into(), games(n))])),
        1 => any::<u8>().prop_map(|n| sevenz(&[("in/z.pgn".into(), games(n))])),
        1 => any::<u8>().prop_map(|n| gzip(&tar(&[("in/y".into(), games(n))]))),
        1 => any::<u8>().prop_map(|n| { let mut cut = gzip(&games(n)); cut.truncate(40); cut }),
        1 => Just(b"Rar!\x1a\x07\x01\0".to_vec()),
    ];
    (prop::sample::select(&ENDINGS[..]), bytes)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_folder_and_its_archives_give_the_same(
        files in prop::collection::vec((any_file(), 0..4_usize), 1..8),
    ) {
        let folders = ["", "a/", "a/b/", ".hidden/"];
        let files: Vec<File> = files.into_iter().enumerate().map(|(number, ((ending, bytes), at))| {
            let dot = if ending.is_empty() { "" } else { "." };
            (format!("{}{number}{dot}{ending}", folders[at]), bytes)
        }).collect();
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().join("folder");
        fs::create_dir(&folder).unwrap();
        for (name, bytes) in &files {
            fs::create_dir_all(folder.join(name).parent().unwrap()).unwrap();
            fs::write(folder.join(name), bytes).unwrap();
        }
        let expected = read(&folder);
        // A file without bytes is no member of a 7z archive, and no game either way.
        let tarred = tar(&files);
        let archives = [
            zip(&files, false), zip(&files, true), gzip(&tarred), bzip2(&tarred), xz(&tarred),
            zstd::encode_all(tarred.as_slice(), 1).unwrap(), tarred, sevenz(&files),
        ];
        for (number, bytes) in archives.into_iter().enumerate() {
            let archive = place.path().join("archive");
            fs::write(&archive, bytes).unwrap();
            prop_assert_eq!(&read(&archive), &expected, "{}", number);
        }
    }
}

/// A folder with these files.
fn folder_of(files: &[(&str, &[u8])]) -> Folder {
    let folder = Folder::new();
    for (name, bytes) in files {
        folder.write(name, bytes);
    }
    folder
}

/// Builds a book of the folder `games`; returns what it says as JSON, on standard error, and its rejects.
fn build(folder: &Folder, more: &[&str]) -> (Value, String, String) {
    let (input, book) = (folder.at("games"), folder.at("book"));
    let rejects = folder.at("rejects");
    let build = ["book", "build", &input, "-o", &book, "--json", "--rejects", &rejects];
    let output = ok(&[&build, more].concat());
    let answer = serde_json::from_slice(&output.stdout).unwrap();
    let list = fs::read_to_string(&rejects).unwrap();
    fs::remove_file(rejects).unwrap();
    (answer, with_slashes(&text(&output.stderr)), list)
}

#[test]
fn what_is_passed_over_is_counted_and_named() {
    let (one, two) = (games(1), games(2));
    let zipped = zip(&[("x.pgn".into(), games(3)), ("note.md".into(), b"A note.".to_vec())], true);
    let folder = folder_of(&[
        ("games/a", &one),
        ("games/b.pgns", &two),
        ("games/old.mxq", b"no such format\0"),
        ("games/c.zip", &zipped),
        ("games/note.md", b"Notes."),
        ("games/.git/x.pgn", &one),
        ("games/empty", b""),
    ]);
    let (answer, errors, list) = build(&folder, &["-v"]);
    assert_eq!((answer["records"].as_u64(), answer["bad"].as_u64()), (Some(7), Some(1)));
    assert_eq!(answer["skipped"], 4);
    for name in ["games/note.md", "games/.git", "games/empty", "games/c.zip/note.md"] {
        let line = errors.lines().find(|line| line.contains(name) && line.contains("passed over"));
        assert!(line.is_some(), "{name}: {errors}");
    }
    assert!(list.contains("old.mxq\t") && list.lines().count() == 1, "{list}");
    let output = juzhong(&["convert", &folder.at("games"), "-o", &folder.at("all.jsonl")]);
    assert!(text(&output.stdout).contains("4 files without games passed over"), "{output:?}");
}

#[test]
fn truncated_files_are_read_up_to_the_break_and_said() {
    let many: Vec<u8> = (0..3000_u32)
        .flat_map(|n| {
            let name = blake3::hash(&n.to_le_bytes()).to_hex();
            format!("[Red \"{name}\"]\n\n1. h2e2 h9g7 {{{n}}} *\n\n").into_bytes()
        })
        .collect();
    let mut packed = gzip(&many);
    packed.truncate(packed.len() / 2);
    let folder = folder_of(&[("games/a.pgn.gz", &packed), ("games/b.pgn", &games(2))]);
    let (answer, _, list) = build(&folder, &["--no-dedup"]);
    assert_eq!(answer["bad"], 1);
    assert!(answer["games"].as_u64().unwrap() > 500, "{answer}");
    assert!(list.lines().count() == 1 && list.contains("truncated"), "{list}");
    let (input, book) = (folder.at("games"), folder.at("strict"));
    fails(&["book", "build", &input, "-o", &book, "--strict"], 65, &["truncated"]);
    // The whole file of the same bytes is another source.
    fs::write(folder.join("games/c.pgn"), &many).unwrap();
    let (more, _, _) = build(&folder, &["--no-dedup"]);
    assert!(more["games"].as_u64() > answer["games"].as_u64());
    assert_eq!((&more["same_files"], &more["bad"]), (&Value::from(0), &Value::from(1)));
}

/// A number as 7z writes it, below 2^21.
fn sevenz_number(n: usize) -> Vec<u8> {
    match n {
        0..0x80 => vec![n as u8],
        0x80..0x4000 => vec![0x80 | (n >> 8) as u8, n as u8],
        _ => vec![0xc0 | (n >> 16) as u8, n as u8, (n >> 8) as u8],
    }
}

/// A 7z archive of `count` files of 15 bytes without sense, each a block of its own that states a coder with
/// these properties.
fn sevenz_blocks(count: usize, method: &[u8], properties: &[u8]) -> Vec<u8> {
    let number = sevenz_number;
    let (data, size) = ([0; 20], 15);
    let coder = [&[1, 0x20 | method.len() as u8], method, &number(properties.len()), properties];
    let names: Vec<u8> = (0..count)
        .flat_map(|n| {
            format!("{n}.pgn\0").encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<_>>()
        })
        .collect();
    let header = [
        &[1, 4, 6, 0][..],
        &number(count),
        &[9],
        &number(data.len()).repeat(count),
        &[0, 7, 11],
        &number(count),
        &[0],
        &coder.concat().repeat(count),
        &[12],
        &number(size).repeat(count),
        &[0, 8, 0, 0, 5],
        &number(count),
        &[17],
        &number(names.len() + 1),
        &[0],
        &names,
        &[0, 0],
    ]
    .concat();
    let bytes = data.repeat(count);
    let mut start = (bytes.len() as u64).to_le_bytes().to_vec();
    start.extend_from_slice(&(header.len() as u64).to_le_bytes());
    start.extend_from_slice(&crc32fast::hash(&header).to_le_bytes());
    let crc = crc32fast::hash(&start).to_le_bytes();
    [b"7z\xbc\xaf\x27\x1c\0\x04", &crc[..], &start, &bytes, &header].concat()
}

#[test]
fn models_of_many_blocks_are_refused() {
    let folder = Folder::new();
    let path = folder.at("a.7z");
    // PPMd with models of 64 KiB and of 127 MiB; LZMA with tables of 12 KiB and of 6 MiB.
    let ppmd = |order: u8, bytes: u32| [&[order][..], &bytes.to_le_bytes()].concat();
    let lzma = |properties: u8| vec![properties, 0, 0, 1, 0];
    let (ppmd_id, lzma_id) = (b"\x03\x04\x01", b"\x03\x01\x01");
    for (method, small, large) in
        [(ppmd_id, ppmd(6, 1 << 16), ppmd(6, 127 << 20)), (lzma_id, lzma(93), lzma(4 * 9 + 8))]
    {
        fs::write(&path, sevenz_blocks(20, method, &small)).unwrap();
        let lines = read(Path::new(&path));
        assert!(lines.len() == 20 && !lines[0].contains("models of"), "{lines:?}");
        fs::write(&path, sevenz_blocks(1400, method, &large)).unwrap();
        let lines = read(Path::new(&path));
        assert!(lines.len() == 1 && lines[0].contains("models of"), "{lines:?}");
    }
    // Archives in an archive share one bound. Of the order 0 no model is made.
    let few = sevenz_blocks(40, ppmd_id, &ppmd(0, 127 << 20));
    fs::write(&path, tar(&[("a.7z".into(), few.clone()), ("b.7z".into(), few)])).unwrap();
    let lines = read(Path::new(&path));
    assert!(lines.len() == 41 && lines[40].starts_with("b.7z: "), "{lines:?}");
    assert!(lines[40].contains("models of 5080 MiB"), "{}", lines[40]);
}

#[test]
fn streams_without_content_are_passed_over() {
    let folder = Folder::new();
    let path = folder.at("a.pgn.bz2");
    fs::write(&path, [bzip2(b"").repeat(300_000), bzip2(&games(1))].concat()).unwrap();
    assert_eq!(read(Path::new(&path)).len(), 2);
}

#[cfg(unix)]
mod unix {
    use std::os::unix::fs::{PermissionsExt, symlink};
    use std::os::unix::net::UnixListener;
    use std::os::unix::process::CommandExt;

    use std::process::{Command, Output};

    use super::*;

    #[test]
    fn fifos_sockets_and_links_are_named_and_not_waited_for() {
        let folder = folder_of(&[("games/a.pgn", &games(1)), ("other/b.pgn", &games(2))]);
        let made = Command::new("mkfifo").arg(folder.join("games/fifo.pgn")).status().unwrap();
        assert!(made.success());
        let _socket = UnixListener::bind(folder.join("games/socket.pgn")).unwrap();
        symlink(folder.join("games"), folder.join("games/loop")).unwrap();
        symlink(folder.join("other"), folder.join("games/out")).unwrap();
        symlink("self.pgn", folder.join("games/self.pgn")).unwrap();
        let (answer, errors, _) = build(&folder, &["-v"]);
        assert_eq!((&answer["records"], &answer["skipped"]), (&Value::from(2), &Value::from(5)));
        for name in ["fifo.pgn", "socket.pgn", "loop", "out", "self.pgn"] {
            assert!(errors.contains(&format!("games/{name}\": ")), "{name}: {errors}");
        }
        for command in [&["book", "build"][..], &["convert"], &["book", "classify"]] {
            let (fifo, output) = (folder.at("games/fifo.pgn"), folder.at("x.jsonl"));
            let to = if command.contains(&"classify") { vec![] } else { vec!["-o", &output] };
            let refused = juzhong(&[command, &[&fifo], &to].concat());
            let errors = text(&refused.stderr);
            assert!(!refused.status.success());
            assert!(errors.contains("FIFO") && errors.contains("to a file first"), "{errors}");
        }
    }

    /// Runs the program as nobody if this is root, who may read everything.
    fn as_nobody(folder: &Folder, args: &[&str]) -> Output {
        let is_root = fs::read(folder.join("games/secret.pgn")).is_ok();
        let mut command = Command::new(folder.copy_program(PROGRAM.as_ref(), "program"));
        if is_root {
            command.uid(65534).gid(65534);
        }
        command.args(args).output().unwrap()
    }

    #[test]
    fn what_cannot_be_read_is_listed_and_the_rest_is_read() {
        let files = ["a.pgn", "secret.pgn", "z.pgn", "locked/b.pgn"];
        let files: Vec<(String, Vec<u8>)> =
            (1..).zip(files).map(|(n, name)| (format!("games/{name}"), games(n))).collect();
        let files: Vec<(&str, &[u8])> =
            files.iter().map(|(name, bytes)| (name.as_str(), bytes.as_slice())).collect();
        let folder = folder_of(&files);
        let mode = |name: &str, mode: u32| {
            fs::set_permissions(folder.join(name), PermissionsExt::from_mode(mode)).unwrap();
        };
        fs::create_dir(folder.join("out")).unwrap();
        for (name, bits) in
            [("out", 0o777), ("", 0o755), ("games/secret.pgn", 0), ("games/locked", 0)]
        {
            mode(name, bits);
        }
        let (input, book) = (folder.at("games"), folder.at("out/book"));
        let list = folder.at("out/rejects");
        let build = ["book", "build", &input, "-o", &book, "--json", "--rejects", &list];
        let built = as_nobody(&folder, &build);
        let converted =
            as_nobody(&folder, &["convert", &input, "-o", &folder.at("out/all.jsonl"), "--json"]);
        let secret = folder.at("games/secret.pgn");
        let named = as_nobody(&folder, &["book", "build", &secret, "-o", &book]);
        mode("games/locked", 0o700);
        assert!(built.status.success(), "{}", text(&built.stderr));
        let answer: Value = serde_json::from_slice(&built.stdout).unwrap();
        assert_eq!((&answer["records"], &answer["bad"]), (&Value::from(6), &Value::from(2)));
        let list = fs::read_to_string(list).unwrap();
        for (name, word) in [("secret.pgn", "cannot be read"), ("locked", "folder cannot be")] {
            let line = list.lines().find(|line| line.contains(name));
            assert!(line.is_some_and(|line| line.contains(word)), "{list}");
        }
        let converted: Value = serde_json::from_slice(&converted.stdout).unwrap();
        assert_eq!((&converted["games"], &converted["bad"]), (&Value::from(4), &Value::from(2)));
        assert_eq!(named.status.code(), Some(66));
        assert!(text(&named.stderr).contains("secret.pgn"), "{named:?}");
    }
}
