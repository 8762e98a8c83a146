use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::BuildError;
use crate::bytes::open::regular;
use crate::record::{Format, Packed};

/// How much of a file is looked at to tell whether it begins like games; more than what that needs once
/// it is unpacked.
const HEAD_BYTES: u64 = 4 << 20;

/// What there is to read.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Inputs {
    /// The game files, sorted, each path once.
    pub files: Vec<PathBuf>,
    /// Folders that were given and hold no game files.
    pub empty: Vec<PathBuf>,
    /// Archives in folders that cannot be read and were passed over.
    pub archives: Vec<PathBuf>,
}

/// The game files among `inputs`: files as they are given, whatever their names, and in folders,
/// at any depth, every file with the ending of a format of games, bare or packed, and every `.zip`.
/// Files with endings that many others have (`.txt`, `.csv`, `.html`) are taken if they begin like
/// games. In folders neither links are followed nor hidden entries entered; what is given by name
/// may be a link.
///
/// # Errors
///
/// [`BuildError::Input`] for what cannot be read, [`BuildError::StrangeInput`] for what is neither
/// file nor folder, [`BuildError::NoFiles`] if there are only folders without game files.
pub fn find_games(inputs: &[PathBuf]) -> Result<Inputs, BuildError> {
    let mut found = Inputs::default();
    for input in inputs {
        let about = std::fs::metadata(input).map_err(|e| input_error(input, e))?;
        if about.is_dir() {
            let before = found.files.len();
            search(input, &mut found)?;
            if found.files.len() == before {
                found.empty.push(input.clone());
            }
        } else if about.is_file() {
            found.files.push(input.clone());
        } else {
            return Err(BuildError::StrangeInput { path: input.clone() });
        }
    }
    for list in [&mut found.files, &mut found.archives] {
        list.sort_unstable();
        list.dedup();
    }
    match found.empty.first() {
        Some(folder) if found.files.is_empty() => Err(BuildError::NoFiles { path: folder.clone() }),
        _ => Ok(found),
    }
}

fn search(folder: &Path, inputs: &mut Inputs) -> Result<(), BuildError> {
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let error = |e| input_error(&folder, e);
        for entry in std::fs::read_dir(&folder).map_err(error)? {
            let entry = entry.map_err(error)?;
            let is_hidden = entry.file_name().as_encoded_bytes().starts_with(b".");
            // The type of the entry itself: links are neither files nor folders here.
            let kind = entry.file_type().map_err(error)?;
            if kind.is_dir() && !is_hidden {
                folders.push(entry.path());
            } else if kind.is_file() && !is_hidden {
                if is_game_file(&entry.path()).map_err(error)? {
                    inputs.files.push(entry.path());
                } else if Format::is_archive(&entry.file_name().to_string_lossy()) {
                    inputs.archives.push(entry.path());
                }
            }
        }
    }
    Ok(())
}

fn is_game_file(path: &Path) -> io::Result<bool> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    match Format::is_game_file(&name) {
        Some(true) => Ok(true),
        Some(false) => begins_like_games(path),
        None => Ok(path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("zip"))),
    }
}

fn begins_like_games(path: &Path) -> io::Result<bool> {
    let mut head = Vec::new();
    regular(path)?.take(HEAD_BYTES).read_to_end(&mut head)?;
    if head.is_empty() {
        return Ok(false);
    }
    let Ok(packed) = Packed::open(&head) else { return Ok(false) };
    Ok(packed.members().iter().any(|member| packed.sniff(member).is_ok()))
}

fn input_error(path: &Path, source: io::Error) -> BuildError {
    BuildError::Input { path: path.to_owned(), source }
}

#[cfg(test)]
mod tests {
    use super::*;

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
            let files = |name| find_games(&[at(name)]).unwrap().files;
            assert_eq!(files("link.pgn"), [at("link.pgn")]);
            assert_eq!(files("b/loop").len(), 3);
        }
        std::fs::write(at("notes.txt"), "Notes on games").unwrap();
        let found = find_games(&[folder.path().to_owned(), at("a.pgn")]).unwrap();
        assert_eq!(found.files, [at("a.pgn"), at("b/1.pgn"), at("b/c/2.PGN")]);
        std::fs::write(at("b/moves.txt"), "h2e2 h9g7").unwrap();
        std::fs::write(at("b/packed.jsonl.zst"), "").unwrap();
        std::fs::write(at("b/packed.zip"), "").unwrap();
        std::fs::write(at("b/packed.7z"), "").unwrap();
        let found = find_games(&[at("b")]).unwrap();
        let more = ["b/1.pgn", "b/c/2.PGN", "b/moves.txt", "b/packed.jsonl.zst", "b/packed.zip"];
        assert_eq!(found.files, more.map(at));
        assert_eq!(found.archives, [at("b/packed.7z")]);
        assert_eq!(find_games(&[at("notes.txt")]).unwrap().files, [at("notes.txt")]);
        assert!(matches!(find_games(&[at("none")]), Err(BuildError::Input { .. })));
        std::fs::create_dir(at("empty")).unwrap();
        assert!(matches!(find_games(&[at("empty")]), Err(BuildError::NoFiles { .. })));
        assert_eq!(find_games(&[at("empty"), at("b")]).unwrap().empty, [at("empty")]);
    }
}
