//! The commands `save` and `open`: the game in a file, and a game of a file in its place.

use std::io::{self, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use super::game::Played;
use super::setup::PlayGame;
use super::{Next, TerminalGame, Turn};
use crate::cli::args::game_input::remark;
use crate::cli::print::terminal::Terminal;
use crate::language::error_messages::message_of;
use crate::language::{counts, text};
use juzhong::bytes::StopFlag;
use juzhong::bytes::atomic::AtomicFile;
use juzhong::bytes::paths::resolve;
use juzhong::bytes::visible::{ShowPath, Visible};
use juzhong::game::Side;
use juzhong::message::{Message, ToMessage, message};
use juzhong::record::{Format, GameFile, Keep, ReadOptions, Record, WriteOptions, read_game_file};

/// The games of a file that are passed over at most on the way to the one that was asked for.
const MAX_GAME: u64 = 1_000_000;

impl<G: PlayGame> TerminalGame<'_, G> {
    /// Writes the game to a file. What stands there is replaced only if this session has saved it.
    pub(crate) fn save(&mut self, file: &str) -> Turn {
        let path = match (file, &self.saved) {
            ("", Some(saved)) if !self.games.is_studying() => saved.clone(),
            ("", _) => return self.answer("write save FILE"),
            (file, _) => PathBuf::from(file),
        };
        match self.write_to(&path) {
            Ok(()) => self.answer(text!("saved: {}", path.shown())),
            Err(why) => self.answer(message!("{}: {why}", path.shown())),
        }
    }

    fn write_to(&mut self, path: &Path) -> Result<(), Message> {
        let format = format_of::<G>(path)?;
        let bytes = self.in_format(format)?;
        let place = self.put(path, &bytes).map_err(|error| error.message())?;
        if !self.games.is_studying() {
            self.saved = Some(place);
            self.games.current.mark_saved();
            self.keep();
        }
        Ok(())
    }

    /// The game in a format of files.
    fn in_format(&self, format: Format) -> Result<Vec<u8>, Message> {
        let players = Side::ALL.map(|side| match side == self.human {
            true => "player".to_owned(),
            false => self.opponent.name(),
        });
        let game = self.game().to_save();
        let record = game.record(self.outcome(&game), players);
        let mut options = WriteOptions::default();
        if let Some(notation) = self.notation.asked() {
            options.pgn.notation = notation;
        }
        let mut bytes = Vec::new();
        G::write_record(&mut bytes, &record, format, &options).map_err(|error| error.message())?;
        Ok(bytes)
    }

    /// Writes a file, and returns its place with links followed.
    fn put(&self, path: &Path, bytes: &[u8]) -> io::Result<PathBuf> {
        let place = resolve(path)?;
        // A variation never replaces the file of its game.
        let is_ours = self.saved.as_ref() == Some(&place) && !self.games.is_studying();
        let mut file = match is_ours {
            true => AtomicFile::create(&place)?,
            false => AtomicFile::create_new(path)?,
        };
        file.write_all(bytes)?;
        file.commit()?;
        Ok(place)
    }

    /// Reads a game from a file, to go through it.
    pub(crate) fn open(&mut self, file: &str, number: u64) -> Turn {
        let path = Path::new(file);
        let (record, fault) = match read_record::<G>(path, number) {
            Ok(read) => read,
            Err(why) => return self.answer(message!("{}: {why}", path.shown())),
        };
        let stays = self.confirm_drop()?;
        if stays != Next::Moved {
            return Ok(stays);
        }
        if let Some(fault) = fault {
            self.say(fault)?;
        }
        let [red, black] = Side::ALL.map(|side| {
            let player = record.tag(G::side_name(side)).unwrap_or("?");
            Visible(player).to_string()
        });
        let game = Played::of_record(record);
        self.say(text!("{red} - {black}, {}; next shows them", counts::moves(game.len())))?;
        self.replace(game, true)
    }
}

/// The format of a file by the ending of its name.
fn format_of<G: PlayGame>(path: &Path) -> Result<Format, Message> {
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    if let Some(format) = Format::from_extension(ending, G::FORMATS) {
        return Ok(format);
    }
    let endings = G::WRITTEN.iter().filter_map(|format| format.extensions().first());
    let endings: Vec<_> = endings.map(|ending| format!(".{ending}")).collect();
    Err(match endings.split_last() {
        Some((last, others)) => message!("the name must end in {} or {last}", others.join(", ")),
        None => Message::default(),
    })
}

/// Reads the game of that number in a file of any format, and the notes on it.
fn read_record<G: Terminal>(
    path: &Path,
    number: u64,
) -> Result<(Record<G>, Option<String>), Message> {
    if number > MAX_GAME {
        return Err(message!("games beyond number {MAX_GAME} are not looked for"));
    }
    let folder = std::env::temp_dir();
    let source = path.shown().to_string();
    let opened = GameFile::open::<G>(path, &folder).map_err(|error| message_of(&error))?;
    let mut count = 0;
    let mut found = None;
    let never = StopFlag::default();
    let options = ReadOptions::keeping(Keep::Opened);
    read_game_file::<G>(&source, &opened, &folder, &never, options, &mut |_, game| {
        count += 1;
        if count < number {
            return ControlFlow::Continue(());
        }
        let whole = game.map(|game| {
            let remark = remark(&source, &game);
            (game.record, remark)
        });
        found = Some(whole.map_err(|bad| bad.message()));
        ControlFlow::Break(())
    })
    .map_err(|error| message_of(&error))?;
    found.ok_or_else(|| match count {
        0 => Message::from("no game in it"),
        1 => text!("one game in it").into(),
        _ => text!("{} in it", counts::games(count)).into(),
    })?
}
