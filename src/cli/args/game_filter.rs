//! Conditions on games, and what is looked for in a collection.

use crate::cli::{CliError, exit};
use juzhong::answers::{Described, Typed};
use juzhong::book::opening::{Code, Named, Opening};
use juzhong::book::{Ending, Filter};
use juzhong::game::{Game, Side, Symmetric};
use juzhong::gomoku::Board;
use juzhong::hash::Key;
use juzhong::message::message;
use juzhong::record::Record;
use juzhong::tablebase::{Material, Pattern};
use juzhong::xiangqi::Position;

/// Conditions on what a record states.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct GameFilterArgs {
    /// Only games in which both players have at least this rating.
    #[arg(long)]
    min_rating: Option<u16>,
    /// Only games from this year on.
    #[arg(long)]
    since: Option<u16>,
    /// Only games up to this year.
    #[arg(long)]
    until: Option<u16>,
    /// Only games with this result: 1-0, 1/2-1/2, 0-1 or * (unknown).
    #[arg(long)]
    result: Option<Ending>,
    /// Only games with a player whose name contains this text; simplified and traditional characters, full and half
    /// width, upper and lower case are treated alike.
    #[arg(long)]
    player: Option<String>,
    /// Only games in which Red's name contains this text.
    #[arg(long, alias = "white")]
    red: Option<String>,
    /// Only games in which Black's name contains this text.
    #[arg(long)]
    black: Option<String>,
    /// Only games whose event contains this text.
    #[arg(long)]
    event: Option<String>,
}

impl GameFilterArgs {
    /// Puts the conditions that are given into a filter.
    pub(crate) fn apply<G: Game>(&self, filter: &mut Filter) {
        filter.min_rating = self.min_rating.or(filter.min_rating);
        filter.since = self.since.or(filter.since);
        filter.until = self.until.or(filter.until);
        filter.result = self.result.or(filter.result);
        let (first, second) = match G::BLACK {
            Side::First => (&self.black, &self.red),
            Side::Second => (&self.red, &self.black),
        };
        let texts = [
            (&self.player, &mut filter.player),
            (first, &mut filter.first_player),
            (second, &mut filter.second_player),
            (&self.event, &mut filter.event),
        ];
        for (asked, to) in texts {
            if asked.is_some() {
                to.clone_from(asked);
            }
        }
    }
}

/// Conditions on the moves of a game.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct SearchArgs {
    /// Only games with this opening: an ECCO code or its first characters (B, B2, B24).
    #[arg(long, value_name = "CODE", value_parser = parse_code)]
    opening: Option<String>,
    /// Only games that reach this position or its mirror image: a FEN or startpos, optionally followed by moves.
    #[arg(long, value_name = "FEN")]
    position: Option<String>,
    /// Only games that reach this material, as in KRvKN, or a pattern, as in 'KRvK*', for either side.
    #[arg(long, value_name = "MATERIAL")]
    material: Option<Pattern>,
}

/// The beginning of a code: a letter, and digits.
fn parse_code(text: &str) -> Result<String, String> {
    let code = text.to_ascii_uppercase();
    if code.starts_with(|c: char| c.is_ascii_digit()) && Code::parse(&code).is_some() {
        return Ok(code);
    }
    // A beginning is right if zeros make a whole code of it.
    let whole: String = code.chars().chain("000".chars()).take(3).collect();
    match Code::parse(&whole) {
        Some(_) if code.len() <= 3 => Ok(code),
        _ => Err("write a code of the ECCO or its beginning, such as B, B2 or B24".to_owned()),
    }
}

/// Conditions on games, ready for many of them.
pub(crate) struct GameFilter {
    filter: Filter,
    opening: Option<String>,
    position: Option<Key>,
    material: Option<Pattern>,
}

/// A game whose records can be filtered.
pub(crate) trait Filtered: Described + Named {
    /// Returns true if the pieces on the board are of a set of endgame tables; `None` where the game has no such
    /// sets.
    fn is_of_material(&self, pattern: &Pattern) -> Option<bool>;
}

impl Filtered for Position {
    fn is_of_material(&self, pattern: &Pattern) -> Option<bool> {
        Some(pattern.materials().contains(&Material::of(self).0))
    }
}

impl Filtered for Board {
    fn is_of_material(&self, _pattern: &Pattern) -> Option<bool> {
        None
    }
}

impl GameFilter {
    /// Reads the conditions.
    pub(crate) fn new<G: Filtered + Symmetric>(
        about: &GameFilterArgs,
        moves: &SearchArgs,
    ) -> Result<Self, CliError> {
        let mut filter = Filter::default();
        about.apply::<G>(&mut filter);
        if let Some(pattern) = &moves.material
            && G::start().is_of_material(pattern).is_none()
        {
            let message = message!("--material: {} has no sets of men", G::NAME);
            return Err(CliError::message(exit::USAGE, message));
        }
        let position = moves.position.as_ref().map(|text| {
            let typed = Typed::<G>::read(text);
            typed.map_err(|refusal| CliError::new(exit::BAD_DATA, refusal).within("--position"))
        });
        let position = position.transpose()?;
        Ok(Self {
            filter: filter.folded(),
            opening: moves.opening.clone(),
            position: position.map(|typed| typed.line.position().canonical().key),
            material: moves.material.clone(),
        })
    }

    /// Returns true if every game is admitted.
    pub(crate) fn is_empty(&self) -> bool {
        self.filter == Filter::default()
            && self.opening.is_none()
            && self.position.is_none()
            && self.material.is_none()
    }

    /// Returns true if the main line of the game meets all conditions.
    pub(crate) fn admits<G: Filtered + Symmetric>(&self, record: &Record<G>) -> bool {
        self.filter.admits(record) && self.is_of_opening(record) && self.is_reached(record)
    }

    fn is_of_opening<G: Filtered + Symmetric>(&self, record: &Record<G>) -> bool {
        let Some(wanted) = &self.opening else { return true };
        opening_of(record).is_some_and(|opening| opening.code.to_string().starts_with(wanted))
    }

    /// Returns true if the position and the men that are wanted come up, if any are.
    fn is_reached<G: Filtered + Symmetric>(&self, record: &Record<G>) -> bool {
        let (mut has_position, mut has_material) =
            (self.position.is_none(), self.material.is_none());
        let mut position = record.start.clone().unwrap_or_else(G::start);
        let mut moves = record.tree.moves.iter();
        loop {
            has_position =
                has_position || self.position.is_some_and(|key| position.canonical().key == key);
            has_material = has_material
                || self
                    .material
                    .as_ref()
                    .is_some_and(|pattern| position.is_of_material(pattern) == Some(true));
            if has_position && has_material {
                return true;
            }
            let Some(&mv) = moves.next() else { return false };
            position.make(mv);
        }
    }
}

/// The name of a game that begins with a usual start.
pub(crate) fn opening_of<G: Filtered + Symmetric>(record: &Record<G>) -> Option<Opening> {
    let start = record.start.clone().unwrap_or_else(G::start);
    let is_usual =
        record.start.is_none() || G::starts().iter().any(|usual| usual.key() == start.key());
    is_usual.then(|| G::name_game(&start, &record.tree.moves)).flatten()
}
