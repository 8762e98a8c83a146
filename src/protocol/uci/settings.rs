//! The options that a GUI may set.

use std::fmt::{Display, Write as _};
use std::path::PathBuf;
use std::str::FromStr;

use crate::engine::{
    EngineOptions, MAX_HASH_MIB, MAX_MULTIPV, MAX_THREADS, OwnBook, Playable, Policy,
};
use crate::game::Side;

/// Plies of a book, and misses, at most.
const MAX_BOOK_PLIES: usize = 1000;
/// Games that a book move must have, at most.
const MAX_BOOK_GAMES: u64 = 1_000_000_000;
/// Centipawns.
const MAX_TEMPERATURE: u32 = 10_000;

/// Options as the GUI sees them; [`engine_options`](Self::engine_options) is what they mean.
#[derive(Debug, Clone)]
pub(crate) struct Settings<R> {
    options: EngineOptions<R>,
    own_book: bool,
}

impl<R: Copy + Display + FromStr + PartialEq + 'static> Settings<R> {
    pub(crate) const fn new(options: EngineOptions<R>) -> Self {
        Self { options, own_book: true }
    }

    pub(crate) fn engine_options(&self) -> EngineOptions<R> {
        let mut options = self.options.clone();
        if !self.own_book {
            options.books.clear();
        }
        options
    }

    /// Sets one option; names in any case, with or without spaces, with the names that other engines
    /// and protocols use.
    pub(crate) fn set(&mut self, name: &str, value: &str) -> Result<(), String> {
        let options = &mut self.options;
        let select = &mut options.select;
        match name.to_ascii_lowercase().replace(' ', "").as_str() {
            "hash" | "hashsize" => options.hash_mib = number(name, value, 1, MAX_HASH_MIB)?,
            "threads" => options.threads = number(name, value, 1, MAX_THREADS)?,
            "multipv" => options.multipv = number(name, value, 1, MAX_MULTIPV)?,
            "seed" => options.seed = number(name, value, 0, u64::MAX)?,
            "book" | "bookfile" | "bookfiles" | "bookpath" => set_books(options, None, value),
            "bookred" => set_books(options, Some(Side::First), value),
            "bookblack" => set_books(options, Some(Side::Second), value),
            "bookpolicy" => select.policy = parsed(name, value)?,
            "bestbookmove" => {
                select.policy = if flag(name, value)? { Policy::Best } else { Policy::Weighted };
            }
            "bookdepth" => {
                let plies = number(name, value, 0, MAX_BOOK_PLIES)?;
                select.ply_limit = if plies == 0 { usize::MAX } else { plies };
            }
            "bookmingames" => select.min_games = number(name, value, 0, MAX_BOOK_GAMES)?,
            "bookmisses" => select.misses = number(name, value, 0, MAX_BOOK_PLIES)?,
            "booktemperature" => select.temperature = number(name, value, 1, MAX_TEMPERATURE)?,
            "tables" | "egtbpaths" => options.tables = paths(value).into_iter().next(),
            "rules" => options.rules = parsed(name, value)?,
            "ownbook" | "usebook" => self.own_book = flag(name, value)?,
            "ponder" => drop(flag(name, value)?),
            "uci_variant" | "uci_analysemode" => {}
            _ => return Err(format!("unknown option: {}", super::command::shortened(name))),
        }
        Ok(())
    }

    /// The `option` lines.
    pub(crate) fn describe<G: Playable<Rules = R>>(&self) -> String {
        let options = &self.options;
        let select = &options.select;
        let books = |side| {
            join(options.books.iter().filter(|book| book.side == side).map(|book| &book.path))
        };
        let tables = join(options.tables.iter());
        let mut text = String::new();
        let mut line = |line: std::fmt::Arguments<'_>| {
            let written = writeln!(text, "option name {line}");
            debug_assert!(written.is_ok(), "writing to a string cannot fail");
        };
        let spin =
            |default: usize, max: usize| format!("type spin default {default} min 1 max {max}");
        line(format_args!("Hash {}", spin(options.hash_mib, MAX_HASH_MIB)));
        line(format_args!("Threads {}", spin(options.threads, MAX_THREADS)));
        line(format_args!("MultiPV {}", spin(options.multipv, MAX_MULTIPV)));
        line(format_args!("Ponder type check default false"));
        line(format_args!("OwnBook type check default {}", self.own_book));
        line(format_args!("BookFile type string default {}", books(None)));
        line(format_args!("BookRed type string default {}", books(Some(Side::First))));
        line(format_args!("BookBlack type string default {}", books(Some(Side::Second))));
        let policies: String = Policy::ALL.iter().map(|policy| format!(" var {policy}")).collect();
        line(format_args!("BookPolicy type combo default {}{policies}", select.policy));
        let plies = if select.ply_limit == usize::MAX { 0 } else { select.ply_limit };
        line(format_args!("BookDepth type spin default {plies} min 0 max {MAX_BOOK_PLIES}"));
        let games = select.min_games;
        line(format_args!("BookMinGames type spin default {games} min 0 max {MAX_BOOK_GAMES}"));
        let misses = select.misses;
        line(format_args!("BookMisses type spin default {misses} min 0 max {MAX_BOOK_PLIES}"));
        let temperature = select.temperature;
        line(format_args!(
            "BookTemperature type spin default {temperature} min 1 max {MAX_TEMPERATURE}"
        ));
        line(format_args!("Tables type string default {tables}"));
        let rules: String = G::RULES.iter().map(|rules| format!(" var {rules}")).collect();
        line(format_args!("Rules type combo default {}{rules}", options.rules));
        line(format_args!("Seed type string default {}", options.seed));
        text
    }
}

/// Replaces the books of one sort. Those for one side are asked before those for both.
fn set_books<R>(options: &mut EngineOptions<R>, side: Option<Side>, value: &str) {
    options.books.retain(|book| book.side != side);
    options.books.extend(paths(value).into_iter().map(|path| OwnBook { path, side }));
    options.books.sort_by_key(|book| book.side.is_none());
}

/// Several paths are separated by `;`. GUIs write `<empty>` for an empty text.
fn paths(value: &str) -> Vec<PathBuf> {
    let paths = value.split(';').map(str::trim);
    paths.filter(|path| !path.is_empty() && *path != "<empty>").map(PathBuf::from).collect()
}

fn join<'a>(paths: impl Iterator<Item = &'a PathBuf>) -> String {
    let texts: Vec<String> = paths.map(|path| path.display().to_string()).collect();
    if texts.is_empty() { "<empty>".to_owned() } else { texts.join(";") }
}

fn number<T: FromStr + PartialOrd + Display + Copy>(
    name: &str,
    value: &str,
    min: T,
    max: T,
) -> Result<T, String> {
    let number = value.parse().ok().filter(|n| (&min..=&max).contains(&n));
    number.ok_or_else(|| format!("{} from {min} to {max}", bad(name, value)))
}

fn parsed<T: FromStr>(name: &str, value: &str) -> Result<T, String> {
    value.to_ascii_lowercase().parse().map_err(|_| format!("{} known", bad(name, value)))
}

fn flag(name: &str, value: &str) -> Result<bool, String> {
    match value.to_ascii_lowercase().as_str() {
        "true" | "1" | "on" => Ok(true),
        "false" | "0" | "off" => Ok(false),
        _ => Err(format!("{} true or false", bad(name, value))),
    }
}

fn bad(name: &str, value: &str) -> String {
    format!("option {name}: \"{}\" is not", super::command::shortened(value))
}
