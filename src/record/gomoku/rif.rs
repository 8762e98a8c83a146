//! XML of the RenjuNet database: games of renju with their players, tournaments and rules by number.

use std::collections::HashMap;

use crate::game::{Outcome, Side};
use crate::gomoku::{Board, Point, Variant};
use crate::message::message;
use crate::record::gomoku::board;
use crate::record::model::bad_game::BadGameReason;
use crate::record::model::chunk_reader::ChunkReader;
use crate::record::model::encoding::Encoding;
use crate::record::model::format::Format;
use crate::record::model::format_row::{
    Certainty, FormatInfo, FormatRow, ReadGames, Sniffer, Stage,
};
use crate::record::model::limits::MAX_GAME_BYTES;
use crate::record::model::parsed::Note;
use crate::record::model::place::Place;
use crate::record::model::shared::{SharedBudget, SharedText};
use crate::record::model::single::{Fault, Found, line};
use crate::record::model::texts::{Texts, push_tag, tidy};
use crate::record::programs::markup::{Piece, Pieces, attribute};

/// The row of the RenjuNet database.
pub(crate) const ROW: FormatRow<Board> = FormatRow {
    info: FormatInfo {
        shared_endings: &["xml"],
        certainty: Certainty::Unmistakable,
        ..FormatInfo::of_text(Format::Rif, "rif", &["rif", "xml"])
    },
    sniff: &[Sniffer {
        stage: Stage::Element,
        shows: |sample| sample.is_text() && looks_like(sample.decoded()),
    }],
    read: ReadGames::Chunk(read),
    write: None,
};

/// Returns true if the beginning of a text is that of the database.
fn looks_like(text: &str) -> bool {
    let parts =
        ["<games", "<game ", "<players", "<countries", "<tournaments", "<rules", "<openings"];
    text.contains("<database") && parts.into_iter().any(|part| text.contains(part))
}

/// The names that games refer to by number.
#[derive(Debug, Default)]
struct Names {
    players: HashMap<String, SharedText>,
    tournaments: HashMap<String, SharedText>,
    /// Of tournaments.
    years: HashMap<String, SharedText>,
    rules: HashMap<String, SharedText>,
    openings: HashMap<String, SharedText>,
}

/// The tags of a game.
#[derive(Debug, Default)]
struct GameTags {
    tags: Vec<(String, String)>,
    /// The bytes of those that other games may have, too.
    shared: usize,
    /// Set if one of these was cut.
    is_cut: bool,
}

impl Names {
    fn note(&mut self, tag: &str, attributes: &str) {
        let id = value(attributes, "id");
        if id.is_empty() {
            return;
        }
        match tag {
            "player" => {
                let names = ["name", "surname"].map(|name| value(attributes, name));
                let name = names.join(" ");
                self.players.insert(id, shared(&name));
            }
            "tournament" => {
                self.years.insert(id.clone(), shared(&value(attributes, "year")));
                self.tournaments.insert(id, shared(&value(attributes, "name")));
            }
            "rule" => drop(self.rules.insert(id, shared(&value(attributes, "name")))),
            "opening" => {
                let names = ["name", "abbr"].map(|name| value(attributes, name));
                let name = names.into_iter().find(|name| !name.is_empty());
                self.openings.insert(id, shared(&name.unwrap_or_default()));
            }
            _ => {}
        }
    }

    fn tags(&self, attributes: &str) -> GameTags {
        let mut all = GameTags::default();
        for (tag, name, names) in [
            ("Event", "tournament", Some(&self.tournaments)),
            ("Round", "round", None),
            ("Date", "tournament", Some(&self.years)),
            ("Black", "black", Some(&self.players)),
            ("White", "white", Some(&self.players)),
            ("Rule", "rule", Some(&self.rules)),
            ("Opening", "opening", Some(&self.openings)),
            ("Swap", "swap", None),
            ("Id", "id", None),
        ] {
            let Some(names) = names else {
                push_tag(&mut all.tags, tag, tidy(&value(attributes, name)));
                continue;
            };
            if let Some(SharedText { text, is_cut }) = names.get(&value(attributes, name)) {
                all.shared += text.len();
                all.is_cut |= is_cut;
                push_tag(&mut all.tags, tag, text.clone());
            }
        }
        all
    }
}

/// The value of an attribute, empty without one.
fn value(attributes: &str, name: &str) -> String {
    attribute(attributes, name).unwrap_or_default()
}

/// A name that games may share.
fn shared(name: &str) -> SharedText {
    SharedText::new(tidy(name))
}

/// The parts of a game that is being read.
struct Open {
    place: Place,
    /// The reason why there are none, if the file's budget for shared texts is used up.
    tags: Result<GameTags, BadGameReason>,
    result: Option<Outcome>,
    moves: String,
    info: String,
    /// The element that texts belong to.
    within: String,
}

impl Open {
    fn add(&mut self, text: &str) {
        let to = match self.within.as_str() {
            "move" => &mut self.moves,
            "info" => &mut self.info,
            _ => return,
        };
        if to.len() <= MAX_GAME_BYTES {
            to.push_str(text);
        }
    }

    fn finish(self) -> Result<Found<Board>, Fault> {
        let place = self.place;
        let at = |reason| Fault { place, reason };
        let GameTags { tags, is_cut, .. } = self.tags.map_err(at)?;
        if self.moves.len().max(self.info.len()) > MAX_GAME_BYTES {
            return Err(at(BadGameReason::TooLong(self.moves.len().max(self.info.len()))));
        }
        let start = board::empty(15, 15, Variant::Renju).map_err(at)?;
        let words = self.moves.split_whitespace().enumerate();
        let points = words.map(|(index, word)| match Point::parse(word) {
            Some(point) => Ok((0, point)),
            None => {
                let what = message!("\"{}\" is no point such as h8", board::quoted(word));
                Err(at(BadGameReason::Unplayable { ply: index + 1, what }))
            }
        });
        let (mut tree, mut fault) = line(start.clone(), points)?;
        // Games in which Black lost by a forbidden move go to that move.
        let count = self.moves.split_whitespace().count();
        if self.result == Some(Outcome::Win(Side::Second))
            && let Some(BadGameReason::Unplayable { ply, what }) = fault.as_ref().map(|f| &f.reason)
            && *ply == count
            && what.to_string().contains("forbidden")
        {
            tree.comments.push((tree.moves.len(), what.to_string()));
            fault = None;
        }
        let info = tidy(&self.info);
        if !info.is_empty() {
            tree.comments.insert(0, (0, info));
        }
        let fault = fault.map(|fault| Fault { place, ..fault });
        let note = is_cut.then_some(Note::CutText);
        Ok(Found { fault, note, ..Found::new(board::record(tags, &start, self.result, tree)) })
    }
}

/// The games of a source that is being read.
struct Games<'a, 'r> {
    reader: &'a mut ChunkReader<'r, Board>,
    names: Names,
    budget: SharedBudget,
    /// The number of games so far.
    number: u64,
    open: Option<Open>,
}

/// Reads the games of a source.
fn read(reader: &mut ChunkReader<'_, Board>) {
    let bytes = reader.bytes;
    let texts = Texts::default();
    let text = texts.decode(Encoding::detect(bytes), bytes);
    let mut pieces = Pieces::new(&text);
    let budget = SharedBudget::of(bytes.len());
    let mut games = Games { reader, names: Names::default(), budget, number: 0, open: None };
    let mut line = 1;
    loop {
        let before = pieces.at();
        let Some(piece) = pieces.next() else { break };
        games.piece(piece, line);
        line += text[before..pieces.at()].bytes().filter(|&byte| byte == b'\n').count() as u64;
    }
    games.end();
}

impl Games<'_, '_> {
    /// Takes a piece that begins on a line.
    fn piece(&mut self, piece: Piece<'_>, line: u64) {
        match piece {
            Piece::Open { name: "game", attributes, is_closed } => {
                self.finish();
                self.open = Some(self.begin(attributes, line));
                if is_closed {
                    self.finish();
                }
            }
            Piece::Open { name, attributes, is_closed } => match &mut self.open {
                Some(game) if !is_closed => name.clone_into(&mut game.within),
                Some(_) => {}
                None => self.names.note(name, attributes),
            },
            Piece::Close("game") => self.finish(),
            Piece::Close(_) => {
                if let Some(game) = &mut self.open {
                    game.within.clear();
                }
            }
            Piece::Text(text) => {
                if let Some(game) = &mut self.open {
                    game.add(&text);
                }
            }
        }
    }

    /// The game that an element begins.
    fn begin(&mut self, attributes: &str, line: u64) -> Open {
        let result = match attribute(attributes, "bresult").as_deref().map(str::trim) {
            Some("1") => Some(Outcome::Win(Side::First)),
            Some("0") => Some(Outcome::Win(Side::Second)),
            Some("0.5" | "0,5") => Some(Outcome::Draw),
            _ => None,
        };
        let tags = self.names.tags(attributes);
        Open {
            place: Place::Line(line),
            tags: self.budget.take(tags.shared).map(|()| tags),
            result,
            moves: String::new(),
            info: String::new(),
            within: String::new(),
        }
    }

    /// Hands over the game that is open.
    fn finish(&mut self) {
        if let Some(game) = self.open.take() {
            self.number += 1;
            self.reader.report(game.place, self.number, game.finish());
        }
    }

    /// Hands over the game that is never closed.
    fn end(self) {
        if let Some(game) = self.open {
            let reason = BadGameReason::Truncated("a game".into());
            let fault = Fault { place: game.place, reason };
            self.reader.report(game.place, self.number + 1, Err(fault));
        }
    }
}
