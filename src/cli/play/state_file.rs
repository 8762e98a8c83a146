//! Files in the user's state folder: the game that was on the board, and what was typed.
//!
//! Nothing that stands there is trusted: only regular files of this user are read, replaced or removed, and no
//! link is followed.

use std::fs::{self, DirBuilder};
use std::io::{self, Read, Write};
use std::path::PathBuf;

use etcetera::BaseStrategy;
use serde::{Deserialize, Serialize};

use juzhong::bytes::atomic::{AtomicFile, folder_of};
use juzhong::bytes::lock::{Claim, FileLock};
use juzhong::bytes::own_files;
use juzhong::bytes::visible::ShowPath;

use super::super::terminal::{Terminal, legal_moves};
use super::game::Played;
use juzhong::game::{Game, Side};

/// The longest file that is read, in bytes.
const MAX_BYTES: u64 = 1 << 20;

/// A file of that kind.
#[derive(Debug)]
pub(super) struct StateFile(PathBuf);

impl StateFile {
    /// The file of that name; `None` where the user has no such folder.
    pub(super) fn of(name: &str) -> Option<Self> {
        let base = etcetera::choose_base_strategy().ok()?;
        let folder = base.state_dir().unwrap_or_else(|| base.data_dir());
        Some(Self(folder.join("juzhong").join(name)))
    }

    /// The whole file as text.
    pub(super) fn read(&self) -> Option<String> {
        let mut text = String::new();
        let file = own_files::open(&self.0).ok()?;
        let read = file.take(MAX_BYTES + 1).read_to_string(&mut text).ok()?;
        (read as u64 <= MAX_BYTES).then_some(text)
    }

    /// Makes the folder, for this user alone.
    fn make_folder(&self) -> io::Result<()> {
        let mut builder = DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(folder_of(&self.0))
    }

    /// Checks that nothing, or a file of this user, stands there.
    fn check(&self) -> io::Result<()> {
        match self.0.symlink_metadata() {
            Ok(about) if !own_files::is_own_file(&self.0, &about) => {
                let text = format!("{}: not a file of this user; remove it", self.0.shown());
                Err(io::Error::new(io::ErrorKind::AlreadyExists, text))
            }
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    /// Writes the whole file, readable for this user alone.
    pub(super) fn write(&self, text: &str) -> io::Result<()> {
        self.make_folder()?;
        self.check()?;
        let mut file = AtomicFile::create(&self.0)?;
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            file.file_mut().set_permissions(fs::Permissions::from_mode(0o600))?;
        }
        file.write_all(text.as_bytes())?;
        file.commit()
    }

    fn remove(&self) -> io::Result<()> {
        if self.0.symlink_metadata().is_err() {
            return Ok(());
        }
        self.check()?;
        fs::remove_file(&self.0)
    }
}

/// The place for the game on the board, held by one process.
#[derive(Debug)]
pub(super) struct Autosave {
    file: StateFile,
    _lock: FileLock,
    is_written: bool,
}

/// A game as it is kept.
#[derive(Debug, Serialize, Deserialize)]
struct Kept {
    schema: String,
    game: String,
    /// The start, if it is not the usual one.
    start: Option<String>,
    moves: Vec<String>,
    /// Plies that are made.
    ply: usize,
    /// True if the person has the first side.
    first: bool,
}

const SCHEMA: &str = "juzhong.play/1";

impl Autosave {
    /// Claims the place for games of `G`.
    ///
    /// # Errors
    ///
    /// Why the game will not be kept.
    pub(super) fn claim<G: Game>() -> Result<Self, String> {
        let name = format!("play-{}.json", G::NAME);
        let file = StateFile::of(&name).ok_or("no folder for the state of programs")?;
        file.make_folder().map_err(|error| error.to_string())?;
        match FileLock::claim(&file.0).map_err(|error| error.to_string())? {
            Claim::Ours(lock) => Ok(Self { file, _lock: lock, is_written: false }),
            Claim::Others(_) => Err("another game is being played".to_owned()),
        }
    }

    /// The game that was left, and the person's side.
    pub(super) fn left<G: Terminal>(&self) -> Option<(Played<G>, Side)> {
        let kept: Kept = serde_json::from_str(&self.file.read()?).ok()?;
        if kept.schema != SCHEMA || kept.game != G::NAME || kept.moves.is_empty() {
            return None;
        }
        let mut game = match &kept.start {
            None => Played::new(),
            Some(text) => Played::from_start(G::read_start(text).ok()?),
        };
        for text in &kept.moves {
            let mv = G::parse_move(text)?;
            if !legal_moves(game.position()).contains(&mv) {
                return None;
            }
            game.push(mv);
        }
        let side = if kept.first { Side::First } else { Side::Second };
        game.go_to(kept.ply).then_some((game, side))
    }

    /// Keeps the game.
    pub(super) fn keep<G: Terminal>(&mut self, game: &Played<G>, human: Side) -> io::Result<()> {
        let moves = game.all_moves();
        if moves.is_empty() && !self.is_written {
            return Ok(());
        }
        self.is_written = true;
        let kept = Kept {
            schema: SCHEMA.to_owned(),
            game: G::NAME.to_owned(),
            start: game.fen().map(str::to_owned),
            moves: moves.into_iter().map(G::move_text).collect(),
            ply: game.line().len(),
            first: human == Side::First,
        };
        self.file.write(&serde_json::to_string(&kept)?)
    }

    /// Removes the game, which was left on purpose.
    pub(super) fn remove(&self) -> io::Result<()> {
        self.file.remove()
    }
}
