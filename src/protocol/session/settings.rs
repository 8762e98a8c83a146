//! The values of the options, and their meaning for the engine.

use std::fmt::Display;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use crate::book::Policy;
use crate::bytes::machine::{available_memory, cores};
use crate::engine::clock::OVERHEAD;
use crate::engine::{EngineOptions, Level, OwnBook, Playable};
use crate::game::Side;
use crate::protocol::wire::command::shortened;
use crate::protocol::wire::dialect::Dialect;
use crate::protocol::wire::options;
use crate::protocol::wire::options::{ALL, Id, OptionKind, Unresolved};
use crate::protocol::wire::ranks::Ranks;
use crate::search::{Features, MAX_HASH_MIB, MAX_MULTIPV, MAX_THREADS};
use crate::tablebase::{Metric as TableMetric, Rules as TableRules};

/// Plies of a book, and misses, at most.
const MAX_BOOK_PLIES: usize = 1000;
/// Games that a book move must have, at most.
const MAX_BOOK_GAMES: u64 = 1_000_000_000;
/// Plies that a node must have left to be looked up, at most.
const MAX_PROBE_DEPTH: u32 = 100;
/// The pieces on the board at the start of a game.
const MAX_TABLE_MEN: usize = 32;
/// Centipawns.
const MAX_TEMPERATURE: u32 = 10_000;
/// Milliseconds.
const MAX_OVERHEAD: u64 = 10_000;
/// The bounds of the transposition table's size, in MiB, where the engine chooses it.
const AUTO_HASH: (usize, usize) = (16, 1024);

/// Options as the GUI sees them; [`engine_options`](Self::engine_options) is their meaning for the engine,
/// the fields are their meaning for the session.
#[derive(Debug)]
pub(crate) struct Settings<G: Playable> {
    options: EngineOptions<G::Rules>,
    own_book: bool,
    use_tables: bool,
    level: Level,
    randomness: Degree,
    pruning: Degree,
    /// The chances of win, draw and loss are reported.
    pub(crate) show_wdl: bool,
    /// Every search is an analysis: no move comes from a book.
    pub(crate) analyse: bool,
    /// More is reported.
    pub(crate) debug: bool,
    /// UCCI: commands wait until a search has ended.
    pub(crate) batch: bool,
    /// UCCI: clocks are milliseconds, not seconds.
    pub(crate) milliseconds: bool,
    /// The GUI will let the engine ponder.
    pub(crate) ponder: bool,
    /// Sixty moves without a capture draw, as the rules say.
    pub(crate) sixty_moves: bool,
    /// The time that passes until a move has reached the GUI.
    pub(crate) overhead: Duration,
    /// The way in which ranks are counted, where the dialect leaves it open.
    pub(crate) ranks: Ranks,
    /// The style, which decides about offers of a draw.
    pub(crate) style: Style,
}

/// UCCI's four steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Degree {
    None,
    Small,
    Medium,
    Large,
}

/// UCCI's styles of play. Here they only decide about offers of a draw.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Style {
    Solid,
    Normal,
    Risky,
}

const DEGREES: [(&str, Degree); 4] = [
    ("none", Degree::None),
    ("small", Degree::Small),
    ("medium", Degree::Medium),
    ("large", Degree::Large),
];

const STYLES: [(&str, Style); 3] =
    [("solid", Style::Solid), ("normal", Style::Normal), ("risky", Style::Risky)];

/// The names of rule sets in other programs (without `rule` at their end), and ours.
const RULES_ELSEWHERE: [(&str, &str); 4] = [
    ("alwaysdraw", "none"),
    ("nojudgement", "none"),
    ("checkban", "check"),
    ("allowchase", "check"),
];

const VARIANTS: [(&str, Ranks); 2] = [("xiangqi09", Ranks::FromZero), ("xiangqi", Ranks::FromOne)];

impl Style {
    /// Centipawns up to which an offered draw is accepted.
    pub(crate) const fn draw_up_to(self) -> i32 {
        match self {
            Self::Solid => 30,
            Self::Normal => 0,
            Self::Risky => -50,
        }
    }
}

/// The effect of setting an option, beside keeping its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Effect {
    Nothing,
    ClearHash,
    NewGame,
}

/// The reason why an option was not set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// There is none of that name.
    Unknown(String),
    /// A description of what is wrong, for people.
    Bad(String),
}

impl<G: Playable> Settings<G> {
    pub(crate) fn new(options: EngineOptions<G::Rules>) -> Self {
        Self {
            options,
            own_book: true,
            use_tables: true,
            level: Level::FULL,
            randomness: Degree::None,
            pruning: Degree::Large,
            show_wdl: false,
            analyse: false,
            debug: false,
            batch: false,
            milliseconds: false,
            ponder: false,
            sixty_moves: true,
            overhead: OVERHEAD,
            ranks: Ranks::FromZero,
            style: Style::Normal,
        }
    }

    pub(crate) fn engine_options(&self) -> EngineOptions<G::Rules> {
        let mut options = self.options.clone();
        if !self.own_book {
            options.books.clear();
        }
        if !self.use_tables {
            options.tables = Default::default();
        }
        options.tables.minds_limit = self.sixty_moves;
        if self.margin().is_some() {
            options.multipv = options.multipv.max(Level::LINES);
        }
        let all = options.features;
        options.features = match self.pruning {
            Degree::None => Features { pruning: false, reductions: false, ..all },
            Degree::Small => Features { pruning: false, ..all },
            Degree::Medium | Degree::Large => all,
        };
        options
    }

    /// Lines that the GUI wants to see.
    pub(crate) const fn multipv(&self) -> usize {
        self.options.multipv
    }

    /// Seed of every random choice, if one is set.
    pub(crate) const fn seed(&self) -> Option<u64> {
        self.options.seed
    }

    /// The most centipawns by which a move played for variety may be worse than the best.
    pub(crate) fn margin(&self) -> Option<i32> {
        let wanted = match self.randomness {
            Degree::None => None,
            Degree::Small => Some(10),
            Degree::Medium => Some(30),
            Degree::Large => Some(80),
        };
        wanted.max(self.level.margin())
    }

    /// The strength at which moves are chosen.
    pub(crate) const fn level(&self) -> Level {
        self.level
    }

    /// Goes back to the engine's values for what it could not have as wished.
    pub(crate) fn keep(&mut self, engine: &EngineOptions<G::Rules>) {
        self.options.hash_mib = engine.hash_mib;
        self.options.threads = engine.threads;
    }

    /// Wishes for no more than every machine has.
    pub(crate) const fn use_least(&mut self) {
        self.options.hash_mib = 1;
        self.options.threads = 1;
    }

    /// Sets the option that is named in what follows `setoption`.
    pub(crate) fn set(&mut self, text: &str) -> Result<Effect, Refusal> {
        let (id, name, value) = options::resolve(text).map_err(|unresolved| match unresolved {
            Unresolved::NoName => {
                Refusal::Bad("setoption wants: setoption name <name> [value <value>]".to_owned())
            }
            Unresolved::Unknown(name) => Refusal::Unknown(shortened(&name)),
        })?;
        self.set_one(id, &name, &value).map_err(Refusal::Bad)
    }

    /// Sets the option that has this name in any dialect.
    ///
    /// # Errors
    ///
    /// What is wrong, for people.
    pub(crate) fn set_named(&mut self, name: &str, value: &str) -> Result<(), String> {
        match self.set(&format!("name {name} value {value}")) {
            Ok(_) => Ok(()),
            Err(Refusal::Unknown(name)) => Err(format!("no option {name}")),
            Err(Refusal::Bad(what)) => Err(what),
        }
    }

    fn set_one(&mut self, id: Id, name: &str, value: &str) -> Result<Effect, String> {
        let options = &mut self.options;
        match id {
            Id::ClearHash => return Ok(Effect::ClearHash),
            Id::NewGame => return Ok(Effect::NewGame),
            Id::Hash => options.hash_mib = hash_mib(number(name, value, 0, MAX_HASH_MIB)?),
            Id::Threads => options.threads = threads(number(name, value, 0, MAX_THREADS)?),
            Id::MultiPv => options.multipv = number(name, value, 1, MAX_MULTIPV)?,
            Id::Seed => {
                let is_set = !matches!(value, "" | "<empty>");
                options.seed = is_set.then(|| number(name, value, 0, u64::MAX)).transpose()?;
            }
            Id::Rules => options.rules = rules(name, value)?,
            Id::Ponder => self.ponder = flag(name, value)?,
            Id::MoveOverhead => {
                self.overhead = Duration::from_millis(number(name, value, 0, MAX_OVERHEAD)?);
            }
            Id::OwnBook => self.own_book = flag(name, value)?,
            Id::UseTables => self.use_tables = flag(name, value)?,
            Id::SixtyMoves => self.sixty_moves = flag(name, value)?,
            Id::ShowWdl => self.show_wdl = flag(name, value)?,
            Id::AnalyseMode => self.analyse = flag(name, value)?,
            Id::Variant => self.ranks = choice(&VARIANTS, name, value)?,
            Id::Level => {
                let number =
                    number(name, value, Level::least::<G>().number(), Level::FULL.number())?;
                self.level = Level::of_game::<G>(number).unwrap_or(Level::FULL);
            }
            Id::Randomness => self.randomness = choice(&DEGREES, name, value)?,
            Id::Pruning => self.pruning = choice(&DEGREES, name, value)?,
            Id::Style => self.style = choice(&STYLES, name, value)?,
            Id::Debug => self.debug = flag(name, value)?,
            Id::Batch => self.batch = flag(name, value)?,
            Id::Milliseconds => self.milliseconds = flag(name, value)?,
            Id::Promotion if flag(name, value)? => {
                return Err(format!("option {name}: men are not promoted"));
            }
            Id::Idle | Id::Knowledge | Id::Promotion | Id::EvalApi => {}
            Id::Tables | Id::TablesRules | Id::TablesMetric | Id::TablesDepth | Id::TablesMen => {
                self.set_tables(id, name, value)?;
            }
            book => return self.set_book(book, name, value),
        }
        Ok(Effect::Nothing)
    }

    /// Sets an option of the tablebases.
    fn set_tables(&mut self, id: Id, name: &str, value: &str) -> Result<(), String> {
        let tables = &mut self.options.tables;
        match id {
            Id::TablesRules => tables.rules = unless_auto(name, value)?,
            Id::TablesMetric => tables.metric = unless_auto(name, value)?,
            Id::TablesDepth => tables.probe_depth = number(name, value, 1, MAX_PROBE_DEPTH)?,
            Id::TablesMen => tables.men = number(name, value, 0, MAX_TABLE_MEN)?,
            _ => tables.folders = entries(value).map(PathBuf::from).collect(),
        }
        Ok(())
    }

    /// Sets an option of the books.
    fn set_book(&mut self, id: Id, name: &str, value: &str) -> Result<Effect, String> {
        let options = &mut self.options;
        let select = &mut options.select;
        match id {
            Id::Books => set_books(options, None, value),
            Id::BookRed => set_books(options, Some(Side::First), value),
            Id::BookBlack => set_books(options, Some(Side::Second), value),
            Id::BookPolicy => select.policy = parsed(name, value)?,
            Id::BestBookMove => {
                select.policy = if flag(name, value)? { Policy::Best } else { Policy::Weighted };
            }
            Id::BookDepth => {
                let plies = number(name, value, 0, MAX_BOOK_PLIES)?;
                select.ply_limit = if plies == 0 { usize::MAX } else { plies };
            }
            Id::BookMinGames => select.min_games = number(name, value, 0, MAX_BOOK_GAMES)?,
            Id::BookMinWeight => select.min_weight = number(name, value, 0, MAX_BOOK_GAMES)?,
            Id::BookMisses => select.misses = number(name, value, 0, MAX_BOOK_PLIES)?,
            Id::BookTemperature => select.temperature = number(name, value, 1, MAX_TEMPERATURE)?,
            _ => {}
        }
        Ok(Effect::Nothing)
    }

    /// The `option` lines of a dialect.
    pub(crate) fn describe(&self, dialect: Dialect) -> String {
        // Ranks are counted in two ways in UCI only.
        let has_variant = dialect == Dialect::Uci && G::RANKS_FROM_ZERO;
        let known = ALL.iter().filter(|names| names.id != Id::Variant || has_variant);
        known
            .map(|names| options::announcement(names, &self.kind(names.id, dialect), dialect))
            .collect()
    }

    fn kind(&self, id: Id, dialect: Dialect) -> OptionKind {
        let options = &self.options;
        // UCCI lets the engine choose where a number is 0.
        let least = u64::from(!dialect.is_ucci());
        match id {
            Id::Hash => spin(options.hash_mib as u64, least, MAX_HASH_MIB as u64),
            Id::Threads => spin(options.threads as u64, least, MAX_THREADS as u64),
            Id::MultiPv => spin(options.multipv as u64, 1, MAX_MULTIPV as u64),
            Id::MoveOverhead => spin(self.overhead.as_millis() as u64, 0, MAX_OVERHEAD),
            Id::ClearHash | Id::NewGame => OptionKind::Button,
            Id::Ponder => OptionKind::Check(self.ponder),
            Id::OwnBook => OptionKind::Check(self.own_book),
            Id::UseTables => OptionKind::Check(self.use_tables),
            Id::SixtyMoves => OptionKind::Check(self.sixty_moves),
            Id::ShowWdl => OptionKind::Check(self.show_wdl),
            Id::AnalyseMode => OptionKind::Check(self.analyse),
            Id::Debug => OptionKind::Check(self.debug),
            Id::Batch => OptionKind::Check(self.batch),
            Id::Milliseconds => OptionKind::Check(self.milliseconds),
            Id::Promotion => OptionKind::Check(false),
            Id::Tables => {
                OptionKind::Text(join(options.tables.folders.iter().map(|folder| folder.display())))
            }
            Id::TablesRules => unless_given(options.tables.rules, TableRules::ALL),
            Id::TablesMetric => unless_given(options.tables.metric, TableMetric::ALL),
            Id::TablesDepth => {
                spin(u64::from(options.tables.probe_depth), 1, u64::from(MAX_PROBE_DEPTH))
            }
            Id::TablesMen => spin(options.tables.men as u64, 0, MAX_TABLE_MEN as u64),
            Id::Seed => {
                OptionKind::Text(options.seed.map_or_else(String::new, |seed| seed.to_string()))
            }
            Id::EvalApi => OptionKind::Text(String::new()),
            Id::Rules => combo(&options.rules, G::RULES),
            Id::Variant => choices(&VARIANTS, &self.ranks),
            Id::Level => {
                let [least, most] =
                    [Level::least::<G>(), Level::FULL].map(|l| u64::from(l.number()));
                spin(u64::from(self.level.number()), least, most)
            }
            Id::Randomness => choices(&DEGREES, &self.randomness),
            Id::Pruning => choices(&DEGREES, &self.pruning),
            Id::Idle => choices(&DEGREES, &Degree::None),
            Id::Knowledge => choices(&DEGREES, &Degree::Large),
            Id::Style => choices(&STYLES, &self.style),
            book => self.book_kind(book),
        }
    }

    /// The kind and value of an option of the books.
    fn book_kind(&self, id: Id) -> OptionKind {
        let select = &self.options.select;
        let books = |side| {
            let books = self.options.books.iter().filter(move |book| book.side == side);
            OptionKind::Text(join(books))
        };
        let most = MAX_BOOK_PLIES as u64;
        match id {
            Id::BookRed => books(Some(Side::First)),
            Id::BookBlack => books(Some(Side::Second)),
            Id::BookPolicy => combo(&select.policy, &Policy::ALL),
            Id::BestBookMove => OptionKind::Check(select.policy == Policy::Best),
            Id::BookDepth if select.ply_limit == usize::MAX => spin(0, 0, most),
            Id::BookDepth => spin(select.ply_limit as u64, 0, most),
            Id::BookMinGames => spin(select.min_games, 0, MAX_BOOK_GAMES),
            Id::BookMinWeight => spin(select.min_weight, 0, MAX_BOOK_GAMES),
            Id::BookMisses => spin(select.misses as u64, 0, most),
            Id::BookTemperature => {
                spin(u64::from(select.temperature), 1, u64::from(MAX_TEMPERATURE))
            }
            _ => books(None),
        }
    }
}

/// The size that a value of `Hash` means, in MiB: 0 lets the engine choose, an eighth of the free memory
/// within limits.
fn hash_mib(wished: usize) -> usize {
    let (least, most) = AUTO_HASH;
    let eighth = available_memory().map_or(64, |free| (free >> 23) as usize);
    if wished == 0 { eighth.clamp(least, most) } else { wished }
}

/// The number that a value of `Threads` means: 0 is one for each processor.
fn threads(wished: usize) -> usize {
    if wished == 0 { cores().get().min(MAX_THREADS) } else { wished }
}

/// Replaces the books of one sort, each as `FILE:policy=P:plies=N` and so on; the name of the option
/// determines the side. Those for one side are consulted before those for both.
fn set_books<R>(options: &mut EngineOptions<R>, side: Option<Side>, value: &str) {
    options.books.retain(|book| book.side != side);
    let books = entries(value).map(|text| OwnBook { side, ..OwnBook::parse(text) });
    options.books.extend(books);
    options.books.sort_by_key(|book| book.side.is_none());
}

/// Several entries are separated by `;`. GUIs write `<empty>` for an empty text.
fn entries(value: &str) -> impl Iterator<Item = &str> {
    value.split(';').map(str::trim).filter(|entry| !entry.is_empty() && *entry != "<empty>")
}

fn join(entries: impl Iterator<Item = impl Display>) -> String {
    let texts: Vec<String> = entries.map(|entry| entry.to_string()).collect();
    texts.join(";")
}

/// Reads the value of a combo with the choice `auto`, which gives `None`.
fn unless_auto<T: FromStr>(name: &str, value: &str) -> Result<Option<T>, String> {
    if value.eq_ignore_ascii_case("auto") { Ok(None) } else { parsed(name, value).map(Some) }
}

/// The default and the choices of such a combo.
fn unless_given<T: Display>(given: Option<T>, all: impl IntoIterator<Item = T>) -> OptionKind {
    let default = given.map_or_else(|| "auto".to_owned(), |given| given.to_string());
    let all = all.into_iter().map(|choice| choice.to_string());
    OptionKind::Combo { default, vars: std::iter::once("auto".to_owned()).chain(all).collect() }
}

const fn spin(default: u64, min: u64, max: u64) -> OptionKind {
    OptionKind::Spin { default, min, max }
}

fn combo<T: Display>(default: &T, all: &[T]) -> OptionKind {
    let vars = all.iter().map(T::to_string).collect();
    OptionKind::Combo { default: default.to_string(), vars }
}

fn choices<T: PartialEq>(all: &[(&str, T)], present: &T) -> OptionKind {
    let default = all.iter().find(|(_, value)| value == present).map_or("", |(name, _)| name);
    let vars = all.iter().map(|&(name, _)| name.to_owned()).collect();
    OptionKind::Combo { default: default.to_owned(), vars }
}

fn choice<T: Copy>(all: &[(&str, T)], name: &str, value: &str) -> Result<T, String> {
    let found = all.iter().find(|(text, _)| text.eq_ignore_ascii_case(value));
    found.map(|&(_, value)| value).ok_or_else(|| {
        let known: Vec<&str> = all.iter().map(|&(text, _)| text).collect();
        format!("{} {}", bad(name, value), known.join(", "))
    })
}

/// A rule set by its name here or in other programs.
fn rules<R: FromStr>(name: &str, value: &str) -> Result<R, String> {
    let lower = value.to_ascii_lowercase();
    let short = lower.strip_suffix("rule").unwrap_or(&lower);
    let ours = RULES_ELSEWHERE.iter().find(|&&(theirs, _)| theirs == short);
    parsed(name, ours.map_or(short, |&(_, ours)| ours))
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
    format!("option {}: \"{}\" is not", shortened(name), shortened(value))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::xiangqi::Position;

    #[test]
    fn tables_mind_the_limit_of_moves_as_play_does() {
        let mut settings = Settings::<Position>::new(EngineOptions::default());
        for (value, minds_limit) in [("false", false), ("true", true)] {
            settings.set_named("Sixty Move Rule", value).unwrap();
            assert_eq!(settings.engine_options().tables.minds_limit, minds_limit);
        }
    }
}
