//! Another xiangqi program, written by others: Fairy-Stockfish, which Debian has as a package.

use std::env::consts::EXE_SUFFIX;
use std::path::{Path, PathBuf};

/// Its path, by `JUZHONG_FAIRY_STOCKFISH` or where packages put it; `None`, and a word about it, if it is nowhere.
pub(crate) fn program() -> Option<String> {
    let named = std::env::var_os("JUZHONG_FAIRY_STOCKFISH").map(PathBuf::from);
    let usual = || {
        let folders = std::env::var_os("PATH").unwrap_or_default();
        let mut folders: Vec<_> = std::env::split_paths(&folders).collect();
        if cfg!(unix) {
            folders.push(Path::new("/usr/games").to_owned());
        }
        let name = format!("fairy-stockfish{EXE_SUFFIX}");
        folders.into_iter().map(|dir| dir.join(&name)).find(|path| path.is_file())
    };
    let found = named.or_else(usual).map(|path| path.display().to_string());
    if found.is_none() {
        println!("skipped: no Fairy-Stockfish (set JUZHONG_FAIRY_STOCKFISH)");
    }
    found
}
