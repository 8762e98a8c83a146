//! Files in the user's state folder: the game that was on the board, and what was typed.
//!
//! Nothing that stands there is trusted: only regular files of this user are read, replaced or removed, and no
//! link is followed.

use std::fs::{self, DirBuilder};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::PathBuf;

use etcetera::BaseStrategy;
use serde::{Deserialize, Serialize};

use super::game::{Played, SavedState};
use crate::cli::print::terminal::Terminal;
use crate::language::text;
use juzhong::bytes::atomic::AtomicFile;
use juzhong::bytes::lock::{Claim, FileLock};
use juzhong::bytes::own_files;
use juzhong::bytes::paths::folder_of;
use juzhong::bytes::visible::ShowPath;
use juzhong::game::{Game, Side};
use juzhong::message::{Message, ToMessage, message};

/// The longest file that is read, in bytes.
const MAX_BYTES: u64 = 1 << 20;

/// A file of that kind.
#[derive(Debug)]
pub(crate) struct StateFile(PathBuf);

impl StateFile {
    /// The file of that name; `None` where the user has no such folder.
    pub(crate) fn of(name: &str) -> Option<Self> {
        let base = etcetera::choose_base_strategy().ok()?;
        let folder = base.state_dir().unwrap_or_else(|| base.data_dir());
        Some(Self(folder.join("juzhong").join(name)))
    }

    /// The whole file as text; `None` if there is none.
    fn read(&self) -> io::Result<Option<String>> {
        let file = match own_files::open(&self.0) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            file => file?,
        };
        let mut text = String::new();
        let read = file.take(MAX_BYTES + 1).read_to_string(&mut text)?;
        if read as u64 > MAX_BYTES {
            return Err(too_large());
        }
        Ok(Some(text))
    }

    /// The last lines of the file, of a file that is too large only those in its last part; what is no text is
    /// left out.
    pub(crate) fn last_lines(&self) -> io::Result<Vec<String>> {
        let mut file = own_files::open(&self.0)?;
        let before = file.metadata()?.len().saturating_sub(MAX_BYTES);
        // With the byte before, to see whether a line begins there.
        file.seek(SeekFrom::Start(before.saturating_sub(1)))?;
        let mut bytes = Vec::new();
        file.take(MAX_BYTES + 1).read_to_end(&mut bytes)?;
        let is_cut = usize::from(before > 0);
        let lines = bytes.split(|&byte| byte == b'\n').skip(is_cut);
        Ok(lines.filter_map(|line| Some(str::from_utf8(line).ok()?.to_owned())).collect())
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
                let text = message!("{}: not a file of this user; remove it", self.0.shown());
                Err(io::Error::new(io::ErrorKind::AlreadyExists, text))
            }
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    /// Writes the whole file, readable for this user alone.
    pub(crate) fn write(&self, text: &str) -> io::Result<()> {
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

fn too_large() -> io::Error {
    let text = message!("more than {MAX_BYTES} bytes");
    io::Error::new(io::ErrorKind::FileTooLarge, text)
}

/// The place for the game on the board, held by one process.
#[derive(Debug)]
pub(crate) struct Autosave {
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
    #[serde(flatten)]
    state: SavedState,
    /// True if the person has the first side.
    first: bool,
}

impl Kept {
    fn of<G: Terminal>(game: &Played<G>, human: Side) -> Self {
        Self {
            schema: SCHEMA.to_owned(),
            game: G::NAME.to_owned(),
            start: game.fen().map(str::to_owned),
            moves: game.all_moves().into_iter().map(G::move_text).collect(),
            state: game.saved_state(),
            first: human == Side::First,
        }
    }

    /// The game, and the person's side.
    fn restored<G: Terminal>(self) -> Result<(Played<G>, Side), Message> {
        if self.schema != SCHEMA || self.game != G::NAME {
            return Err("not a game that this program has kept".into());
        }
        let mut game = match &self.start {
            None => Played::new(),
            Some(text) => {
                Played::from_start(G::read_start(text).map_err(|refusal| refusal.message())?)
            }
        };
        for text in &self.moves {
            let mv = G::parse_move(text).filter(|&mv| game.position().is_legal(mv));
            game.push(mv.ok_or_else(|| text!("no legal move: {text}"))?);
        }
        let side = if self.first { Side::First } else { Side::Second };
        let game = game.restored(self.state).ok_or("more moves are made than there are")?;
        Ok((game, side))
    }
}

const SCHEMA: &str = "juzhong.play/1";

impl Autosave {
    /// Claims the place for games of `G`.
    ///
    /// # Errors
    ///
    /// Why the game will not be kept.
    pub(crate) fn claim<G: Game>() -> Result<Self, Message> {
        let name = format!("play-{}.json", G::NAME);
        let file = StateFile::of(&name).ok_or("no folder for the state of programs")?;
        file.make_folder().map_err(|error| error.message())?;
        match FileLock::claim(&file.0).map_err(|error| error.message())? {
            Claim::Ours(lock) => Ok(Self { file, _lock: lock, is_written: false }),
            Claim::Others(_) => Err("another game is being played".into()),
        }
    }

    /// The game that was left, and the person's side.
    ///
    /// # Errors
    ///
    /// The reason why the file holds no such game.
    pub(crate) fn left<G: Terminal>(&self) -> Result<Option<(Played<G>, Side)>, Message> {
        let read = || {
            let Some(text) = self.file.read().map_err(|error| error.message())? else {
                return Ok(None);
            };
            let kept: Kept = serde_json::from_str(&text).map_err(|error| error.to_string())?;
            let (game, side) = kept.restored::<G>()?;
            Ok((game.len() > 0).then_some((game, side)))
        };
        read().map_err(|why: Message| message!("{}: {why}", self.file.0.shown()))
    }

    /// Keeps the game.
    pub(crate) fn keep<G: Terminal>(&mut self, game: &Played<G>, human: Side) -> io::Result<()> {
        if game.len() == 0 && !self.is_written {
            return Ok(());
        }
        let text = serde_json::to_string(&Kept::of(game, human))?;
        if text.len() as u64 > MAX_BYTES {
            return Err(too_large());
        }
        self.is_written = true;
        self.file.write(&text)
    }

    /// Removes the game, which was left on purpose.
    pub(crate) fn remove(&self) -> io::Result<()> {
        self.file.remove()
    }
}

/// The game as it comes back from what would be kept of it.
#[cfg(test)]
pub(crate) fn kept_and_restored<G: Terminal>(
    game: &Played<G>,
    human: Side,
) -> Result<(Played<G>, Side), Message> {
    let text = serde_json::to_string(&Kept::of(game, human)).map_err(|error| error.to_string())?;
    let kept: Kept = serde_json::from_str(&text).map_err(|error| error.to_string())?;
    kept.restored()
}
