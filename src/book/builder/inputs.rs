//! The list of game files that a build reads, gathered from files and folders.

use std::io::{self, Read};
use std::path::{Path, PathBuf};

use crate::book::model::error::BuildError;
use crate::bytes::kept_open::is_kept_open;
use crate::bytes::open;
use crate::message::{Message, ToMessage};
use crate::record::{Formats, HEAD_BYTES, HIDDEN, LINK, admit, tell_skipped};

/// The files to read.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Inputs {
    /// The game files, sorted, each path once. Files and folders in folders that cannot be read are among
    /// them: reading them reports the error.
    pub files: Vec<PathBuf>,
    /// Folders that were given and hold no game files.
    pub empty: Vec<PathBuf>,
    /// The entries of folders that are passed over, and why, sorted.
    pub skipped: Vec<(PathBuf, Message)>,
}

/// The game files among `inputs`: files as they are given, whatever their names, and in folders, at any
/// depth, every file with the ending of a format of games, bare or packed, every archive, and every other
/// file that begins like games. In folders neither links are followed nor hidden entries entered; a path
/// given by name may be a link. Entries that are passed over are logged.
///
/// # Errors
///
/// [`BuildError::Input`] for an input that cannot be read, [`BuildError::StrangeInput`] for one that is
/// neither file nor folder, [`BuildError::NoFiles`] if there are only folders without game files.
pub fn find_games<G: Formats>(inputs: &[PathBuf]) -> Result<Inputs, BuildError> {
    let mut found = Inputs::default();
    for input in inputs {
        let about = std::fs::metadata(input).map_err(|e| input_error(input, e))?;
        if about.is_dir() {
            let before = found.files.len();
            search::<G>(input, &mut found)?;
            if found.files.len() == before {
                found.empty.push(input.clone());
            }
        } else if about.is_file() {
            let _can_be_read = open::regular(input).map_err(|e| input_error(input, e))?;
            found.files.push(input.clone());
        } else {
            return Err(strange(input));
        }
    }
    found.files.sort_unstable();
    found.files.dedup();
    found.skipped.sort_unstable_by(|(a, _), (b, _)| a.cmp(b));
    found.skipped.dedup_by(|(a, _), (b, _)| a == b);
    for (path, why) in &found.skipped {
        tell_skipped(path, "", why);
    }
    match found.empty.first() {
        Some(folder) if found.files.is_empty() => Err(BuildError::NoFiles { path: folder.clone() }),
        _ => Ok(found),
    }
}

/// The error for something that is neither a file nor a folder.
fn strange(path: &Path) -> BuildError {
    let what = match open::regular(path) {
        Err(error) if error.kind() == io::ErrorKind::InvalidInput => error.message(),
        _ => "neither a file nor a folder".into(),
    };
    BuildError::StrangeInput { path: path.to_owned(), what }
}

fn search<G: Formats>(folder: &Path, inputs: &mut Inputs) -> Result<(), BuildError> {
    let mut folders = vec![folder.to_owned()];
    while let Some(current) = folders.pop() {
        let entries = match std::fs::read_dir(&current) {
            Ok(entries) => entries,
            // A folder within the one that was named is one bad source then.
            Err(error) if current != folder && open::is_refused(&error) => {
                inputs.files.push(current);
                continue;
            }
            Err(error) => return Err(input_error(&current, error)),
        };
        for entry in entries {
            let entry = entry.map_err(|e| input_error(&current, e))?;
            let path = entry.path();
            // The type of the entry itself: links are neither files nor folders here.
            let kind = entry.file_type().map_err(|e| input_error(&path, e))?;
            let why = if entry.file_name().as_encoded_bytes().starts_with(b".") {
                HIDDEN.into()
            } else if kind.is_dir() {
                folders.push(path);
                continue;
            } else if kind.is_symlink() {
                LINK.into()
            } else if kind.is_file() {
                match judge::<G>(&path) {
                    Ok(()) => {
                        inputs.files.push(path);
                        continue;
                    }
                    Err(why) => why,
                }
            } else {
                "a FIFO, a device or a socket, no file".into()
            };
            inputs.skipped.push((path, why));
        }
    }
    Ok(())
}

/// Returns an error that says why a file in a folder is passed over. Files that cannot be read are not.
fn judge<G: Formats>(path: &Path) -> Result<(), Message> {
    if is_kept_open(path) {
        return Err(open::KEPT_OPEN.into());
    }
    let mut head = Vec::new();
    let read =
        open::regular(path).and_then(|file| file.take(HEAD_BYTES as u64).read_to_end(&mut head));
    match read {
        Ok(_) => admit::<G>(&path.file_name().unwrap_or_default().to_string_lossy(), &head),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Err("removed meanwhile".into()),
        Err(_) => Ok(()),
    }
}

fn input_error(path: &Path, source: io::Error) -> BuildError {
    BuildError::Input { path: path.to_owned(), source }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::xiangqi::Position;

    #[test]
    fn finds_game_files_only() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        for name in ["b/c/2.PGN", "b/1.pgn", "notes.txt", ".hidden/3.pgn", "a.pgn"] {
            std::fs::create_dir_all(at(name).parent().unwrap()).unwrap();
            std::fs::write(at(name), "").unwrap();
        }
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(folder.path(), at("b/loop")).unwrap();
            std::os::unix::fs::symlink(at("a.pgn"), at("link.pgn")).unwrap();
            let files = |name| find_games::<Position>(&[at(name)]).unwrap().files;
            assert_eq!(files("link.pgn"), [at("link.pgn")]);
            assert_eq!(files("b/loop").len(), 3);
        }
        std::fs::write(at("notes.txt"), "Notes on games").unwrap();
        let found = find_games::<Position>(&[folder.path().to_owned(), at("a.pgn")]).unwrap();
        assert_eq!(found.files, [at("a.pgn"), at("b/1.pgn"), at("b/c/2.PGN")]);
        std::fs::write(at("b/moves.txt"), "h2e2 h9g7").unwrap();
        std::fs::write(at("b/packed.jsonl.zst"), "").unwrap();
        std::fs::write(at("b/packed.zip"), "").unwrap();
        std::fs::write(at("b/packed.7z"), "").unwrap();
        std::fs::write(at("b/game"), "[Red \"a\"]\n\n1. h2e2 *\n").unwrap();
        std::fs::write(at("b/page.html"), "{% block %}\n<p>None.</p>\n").unwrap();
        std::fs::write(at("b/README.md"), "[Games](a.html), so:\n\n[Red \"a\"]\n\n1. ... *\n")
            .unwrap();
        std::fs::write(at("b/empty"), " \n").unwrap();
        std::fs::write(at("b/old.RAR"), "Rar!\x1a\x07").unwrap();
        let found = find_games::<Position>(&[at("b")]).unwrap();
        let more = ["1.pgn", "c/2.PGN", "game", "moves.txt", "old.RAR", "packed.7z"];
        let more = [&more[..], &["packed.jsonl.zst", "packed.zip"]].concat();
        assert_eq!(found.files, more.iter().map(|name| at("b").join(name)).collect::<Vec<_>>());
        let skipped: Vec<_> =
            found.skipped.iter().filter(|(_, why)| *why != LINK).map(|s| s.0.clone()).collect();
        assert_eq!(skipped, ["b/README.md", "b/empty", "b/page.html"].map(at));
        assert!(found.skipped.iter().all(|(_, why)| !why.to_string().is_empty()));
        assert_eq!(find_games::<Position>(&[at("notes.txt")]).unwrap().files, [at("notes.txt")]);
        assert!(matches!(find_games::<Position>(&[at("none")]), Err(BuildError::Input { .. })));
        std::fs::create_dir(at("empty")).unwrap();
        assert!(matches!(find_games::<Position>(&[at("empty")]), Err(BuildError::NoFiles { .. })));
        assert_eq!(find_games::<Position>(&[at("empty"), at("b")]).unwrap().empty, [at("empty")]);
    }
}
