//! The game on the board, kept from session to session.

use std::io;

use serde::{Deserialize, Serialize};

use super::game::{Played, SavedState};
use crate::cli::print::terminal::Terminal;
use crate::cli::prompt::state_file::{MAX_BYTES, StateFile, too_large};
use crate::language::text;
use juzhong::bytes::lock::{Claim, FileLock};
use juzhong::bytes::visible::ShowPath;
use juzhong::game::{Game, Side};
use juzhong::message::{Message, ToMessage, message};

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
        match FileLock::claim(file.path()).map_err(|error| error.message())? {
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
        self.read::<G>().map_err(|why| message!("{}: {why}", self.file.path().shown()))
    }

    /// The game in the file, and the person's side; `None` if there is none with moves.
    fn read<G: Terminal>(&self) -> Result<Option<(Played<G>, Side)>, Message> {
        let Some(text) = self.file.read().map_err(|error| error.message())? else {
            return Ok(None);
        };
        let kept: Kept = serde_json::from_str(&text).map_err(|error| error.to_string())?;
        let (game, side) = kept.restored::<G>()?;
        Ok((game.len() > 0).then_some((game, side)))
    }

    /// Keeps the game.
    pub(crate) fn keep<G: Terminal>(&mut self, game: &Played<G>, human: Side) -> io::Result<()> {
        // An empty game leaves the game of an earlier session in its place, but not one of this session.
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
