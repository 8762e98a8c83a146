//! The options of the engine: a row for each, with its names, its value and what setting it does. Nothing else
//! lists them.

use std::time::Duration;

use crate::book::Policy;
use crate::engine::{Level, Playable, elo_range};
use crate::game::{EvaluationKind, Side};
use crate::protocol::session::settings::{
    DEGREES, Degree, MAX_BOOK_PLIES, SCALES, STYLES, Settings, VARIANTS,
};
use crate::protocol::session::values::{Given, choices, combo, combo_or_auto, list};
use crate::protocol::wire::dialect::Dialect;
use crate::protocol::wire::format::shortened;
use crate::protocol::wire::options::{
    Names, OptionKind, Unresolved, announcement, folded, resolve,
};
use crate::search::{MAX_HASH_MIB, MAX_MULTIPV, MAX_THREADS};
use crate::tablebase::{Metric as TableMetric, Rules as TableRules};
use crate::xiangqi::Position;

/// Games that a book move must have, at most.
const MAX_BOOK_GAMES: u64 = 1_000_000_000;
/// The weight that a book move must have, at most.
const MAX_BOOK_WEIGHT: u64 = 1_000_000_000;
/// Plies that a node must have left to be looked up, at most.
const MAX_PROBE_DEPTH: u64 = 100;
/// The pieces on the board at the start of a game.
const MAX_TABLE_MEN: u64 = 32;
/// Centipawns.
const MAX_TEMPERATURE: u64 = 10_000;
/// Milliseconds.
const MAX_OVERHEAD: u64 = 10_000;

/// The effect of setting an option, beside keeping its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Effect {
    Nothing,
    ClearHash,
    NewGame,
}

/// The reason why an option was not set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum OptionError {
    /// There is none of that name.
    Unknown(String),
    /// A description of what is wrong, for people.
    Bad(String),
}

/// The present value of an option, with the values that it can have.
type Get<G> = fn(&Settings<G>) -> OptionKind;
/// Gives an option a value.
type Set<G> = fn(&mut Settings<G>, Given<'_>) -> Result<(), String>;

/// The present number of an option.
type GetNumber<G> = fn(&Settings<G>) -> u64;
/// Gives an option a number within its bounds.
type SetNumber<G> = fn(&mut Settings<G>, u64);

/// An option of the engine in games of `G`.
struct EngineOption<G: Playable> {
    names: Names,
    /// Returns true if a dialect that has a name for it announces it.
    is_shown: fn(Dialect) -> bool,
    value: Value<G>,
}

/// A value that is kept, or a button. The bounds of numbers are both announced and held to.
enum Value<G: Playable> {
    Check {
        get: fn(&Settings<G>) -> bool,
        place: fn(&mut Settings<G>) -> &mut bool,
    },
    Number {
        min: u64,
        max: u64,
        get: GetNumber<G>,
        set: SetNumber<G>,
    },
    /// A number from 1 to `max`, or 0 to let the engine choose.
    Amount {
        max: u64,
        get: GetNumber<G>,
        set: SetNumber<G>,
    },
    /// Any other value, which reads what it is given.
    Applied {
        get: Get<G>,
        set: Set<G>,
    },
    Button(Effect),
    /// The only value that other engines' option can have here.
    Fixed(&'static str),
}

/// An option with these names in UCI and UCCI, of which an empty one is not announced.
const fn named<G: Playable>(
    uci: &'static str,
    ucci: &'static str,
    value: Value<G>,
) -> EngineOption<G> {
    EngineOption { names: Names { uci, ucci, also: &[] }, is_shown: always, value }
}

/// An option with any value.
const fn option<G: Playable>(
    uci: &'static str,
    ucci: &'static str,
    get: Get<G>,
    set: Set<G>,
) -> EngineOption<G> {
    named(uci, ucci, Value::Applied { get, set })
}

/// An option with one of the choices of a list, kept in a field of the settings. The list is both announced and read.
macro_rules! choice {
    ($uci:literal, $ucci:literal, $choices:ident, $field:ident) => {
        option(
            $uci,
            $ucci,
            |s| choices(&$choices, &s.$field),
            |s, given| put(&mut s.$field, given.choice(&$choices)),
        )
    };
}

/// An option with a number within bounds.
const fn number<G: Playable>(
    uci: &'static str,
    ucci: &'static str,
    (min, max): (u64, u64),
    get: GetNumber<G>,
    set: SetNumber<G>,
) -> EngineOption<G> {
    named(uci, ucci, Value::Number { min, max, get, set })
}

/// An option with a number up to `max` that the engine may choose.
const fn amount<G: Playable>(
    uci: &'static str,
    ucci: &'static str,
    max: u64,
    get: GetNumber<G>,
    set: SetNumber<G>,
) -> EngineOption<G> {
    named(uci, ucci, Value::Amount { max, get, set })
}

/// An option that is on or off.
const fn check<G: Playable>(
    uci: &'static str,
    ucci: &'static str,
    get: fn(&Settings<G>) -> bool,
    place: fn(&mut Settings<G>) -> &mut bool,
) -> EngineOption<G> {
    named(uci, ucci, Value::Check { get, place })
}

/// An option without a value.
const fn button<G: Playable>(
    uci: &'static str,
    ucci: &'static str,
    effect: Effect,
) -> EngineOption<G> {
    named(uci, ucci, Value::Button(effect))
}

/// An option of other engines, not announced, of whose values the engine has one: it is understood, and others are refused
/// by saying so.
const fn fixed<G: Playable>(
    names: &'static [&'static str],
    value: &'static str,
) -> EngineOption<G> {
    named("", "", Value::Fixed(value)).also(names)
}

const fn always(_: Dialect) -> bool {
    true
}

/// UCI leaves open how ranks are counted, where the game counts them from 0.
fn has_variants<G: Playable>(dialect: Dialect) -> bool {
    dialect == Dialect::Uci && G::RANKS_FROM_ZERO
}

/// The bounds of `UCI_Elo`; any rating of the type where the levels of the game have none.
fn rating_bounds<G: Playable>() -> (u64, u64) {
    let range = elo_range::<G>().unwrap_or(0..=u16::MAX);
    (u64::from(*range.start()), u64::from(*range.end()))
}

/// Ratings mean something in games whose levels were rated.
fn has_ratings<G: Playable>(_: Dialect) -> bool {
    G::LEVEL_RATINGS.is_some()
}

/// Only games with a network have an evaluation to choose.
fn has_network<G: Playable>(_: Dialect) -> bool {
    G::HAS_NETWORK
}

/// Sets an option that UCCI knows and that has no effect here.
const fn without_effect<G: Playable>(_: &mut Settings<G>, _: Given<'_>) -> Result<(), String> {
    Ok(())
}

/// Keeps a value that could be read.
fn put<T>(place: &mut T, value: Result<T, String>) -> Result<(), String> {
    *place = value?;
    Ok(())
}

impl<G: Playable> EngineOption<G> {
    /// The same with further names, written as [`folded`] gives them.
    const fn also(mut self, names: &'static [&'static str]) -> Self {
        self.names.also = names;
        self
    }

    /// The same, announced in these dialects only.
    const fn shown_in(mut self, is_shown: fn(Dialect) -> bool) -> Self {
        self.is_shown = is_shown;
        self
    }

    /// Every option, in the order of announcement.
    const ALL: &'static [Self] = &[
        // The protocol of UCCI wants this one always.
        check("", "usemillisec", |s| s.milliseconds, |s| &mut s.milliseconds),
        amount(
            "Hash",
            "hashsize",
            MAX_HASH_MIB as u64,
            |s| s.options.hash_mib as u64,
            |s, mib| s.set_hash(mib as usize),
        ),
        amount(
            "Threads",
            "threads",
            MAX_THREADS as u64,
            |s| s.options.threads as u64,
            |s, count| s.set_threads(count as usize),
        ),
        button("Clear Hash", "clearhash", Effect::ClearHash),
        number(
            "MultiPV",
            "multipv",
            (1, MAX_MULTIPV as u64),
            |s| s.options.multipv as u64,
            |s, lines| s.options.multipv = lines as usize,
        ),
        check("Ponder", "ponder", |s| s.ponder, |s| &mut s.ponder),
        number(
            "Move Overhead",
            "moveoverhead",
            (0, MAX_OVERHEAD),
            |s| s.overhead.as_millis() as u64,
            |s, ms| s.overhead = Duration::from_millis(ms),
        ),
        check("OwnBook", "usebook", |s| s.own_book, |s| &mut s.own_book),
        option(
            "BookFile",
            "bookfiles",
            |s| list(s.books(None)),
            |s, given| given.list().map(|books| s.set_books(None, &books)),
        )
        .also(&["book", "bookpath"]),
        option(
            "BookRed",
            "bookred",
            |s| list(s.books(Some(Side::First))),
            |s, given| given.list().map(|books| s.set_books(Some(Side::First), &books)),
        ),
        option(
            "BookBlack",
            "bookblack",
            |s| list(s.books(Some(Side::Second))),
            |s, given| given.list().map(|books| s.set_books(Some(Side::Second), &books)),
        ),
        option(
            "BookPolicy",
            "bookpolicy",
            |s| combo(&s.options.select.policy, &Policy::ALL),
            |s, given| put(&mut s.options.select.policy, given.parsed()),
        ),
        // Of other engines, and not announced.
        option(
            "",
            "",
            |s| OptionKind::Check(s.options.select.policy == Policy::Best),
            |s, given| put(&mut s.options.select.policy, given.flag().map(best_or_weighted)),
        )
        .also(&["bestbookmove"]),
        number(
            "BookDepth",
            "bookdepth",
            (0, MAX_BOOK_PLIES as u64),
            |s| s.book_plies() as u64,
            |s, plies| s.set_book_plies(plies as usize),
        ),
        number(
            "BookMinGames",
            "bookmingames",
            (0, MAX_BOOK_GAMES),
            |s| s.options.select.min_games,
            |s, games| s.options.select.min_games = games,
        ),
        number(
            "BookMinWeight",
            "bookminweight",
            (0, MAX_BOOK_WEIGHT),
            |s| s.options.select.min_weight,
            |s, weight| s.options.select.min_weight = weight,
        ),
        number(
            "BookMisses",
            "bookmisses",
            (0, MAX_BOOK_PLIES as u64),
            |s| s.options.select.misses as u64,
            |s, misses| s.options.select.misses = misses as usize,
        ),
        number(
            "BookTemperature",
            "booktemperature",
            (1, MAX_TEMPERATURE),
            |s| u64::from(s.options.select.temperature),
            |s, degree| s.options.select.temperature = degree as u32,
        ),
        check("UseTables", "useegtb", |s| s.use_tables, |s| &mut s.use_tables),
        option(
            "Tables",
            "egtbpaths",
            |s| list(s.options.tables.folders.iter().map(|folder| folder.display())),
            |s, given| put(&mut s.options.tables.folders, given.list()),
        )
        .also(&["egtbpath"]),
        option(
            "TablesRules",
            "tablesrules",
            |s| combo_or_auto(s.options.tables.rules, TableRules::ALL),
            |s, given| put(&mut s.options.tables.rules, given.unless_auto()),
        ),
        option(
            "TablesMetric",
            "tablesmetric",
            |s| combo_or_auto(s.options.tables.metric, TableMetric::ALL),
            |s, given| put(&mut s.options.tables.metric, given.unless_auto()),
        ),
        number(
            "TablesDepth",
            "tablesdepth",
            (1, MAX_PROBE_DEPTH),
            |s| u64::from(s.options.tables.probe_depth),
            |s, depth| s.options.tables.probe_depth = depth as u32,
        ),
        number(
            "TablesMen",
            "tablesmen",
            (0, MAX_TABLE_MEN),
            |s| s.options.tables.men as u64,
            |s, men| s.options.tables.men = men as usize,
        ),
        option(
            "Rules",
            "rules",
            |s| combo(&s.options.rules, G::RULES),
            |s, given| put(&mut s.options.rules, given.rules()),
        )
        .also(&["repetitionrule", "repetition"]),
        check("Sixty Move Rule", "sixtymoverule", |s| s.sixty_moves, |s| &mut s.sixty_moves),
        fixed(&["rule60maxply"], "120"),
        fixed(&["drawrule"], "None"),
        fixed(&["luoutput"], "false"),
        option(
            "Evaluation",
            "evaluation",
            |s| combo(&s.options.evaluation, &EvaluationKind::ALL),
            |s, given| put(&mut s.options.evaluation, given.parsed()),
        )
        .shown_in(has_network::<G>),
        choice!("ScoreType", "scoretype", SCALES, scale),
        check("UCI_ShowWDL", "", |s| s.show_wdl, |s| &mut s.show_wdl),
        check("UCI_AnalyseMode", "", |s| s.analyse, |s| &mut s.analyse),
        choice!("UCI_Variant", "", VARIANTS, ranks).shown_in(has_variants::<G>),
        number(
            "Level",
            "level",
            (Level::least::<G>().number() as u64, Level::FULL.number() as u64),
            |s| u64::from(s.level.number()),
            |s, number| s.level = Level::of_game::<G>(number as u8).unwrap_or(Level::FULL),
        ),
        check(
            "UCI_LimitStrength",
            "limitstrength",
            |s| s.limits_strength,
            |s| &mut s.limits_strength,
        )
        .shown_in(has_ratings::<G>),
        option(
            "UCI_Elo",
            "elo",
            |s| {
                let (min, max) = rating_bounds::<G>();
                OptionKind::Spin { default: u64::from(s.elo), min, max }
            },
            |s, given| {
                let (min, max) = rating_bounds::<G>();
                given.number(min, max).map(|elo| s.elo = elo as u16)
            },
        )
        .shown_in(has_ratings::<G>),
        choice!("Randomness", "randomness", DEGREES, randomness),
        option(
            "Seed",
            "seed",
            |s| OptionKind::Text(s.seed().map_or_else(String::new, |seed| seed.to_string())),
            |s, given| {
                let is_set = !matches!(given.value, "" | "<empty>");
                let seed = is_set.then(|| given.number(0, u64::MAX)).transpose();
                put(&mut s.options.seed, seed)
            },
        ),
        choice!("", "pruning", DEGREES, pruning),
        choice!("", "style", STYLES, style),
        check("", "debug", |s| s.debug, |s| &mut s.debug),
        check("", "batch", |s| s.batch, |s| &mut s.batch),
        option("", "idle", |_| choices(&DEGREES, &Degree::None), without_effect),
        option("", "knowledge", |_| choices(&DEGREES, &Degree::Large), without_effect)
            .also(&["selectivity"]),
        option(
            "",
            "promotion",
            |_| OptionKind::Check(false),
            |_, given| match given.flag()? {
                true => Err(format!("option {}: men are not promoted", given.name)),
                false => Ok(()),
            },
        ),
        option("", "evalapi", |_| OptionKind::Text(String::new()), without_effect),
        button("", "newgame", Effect::NewGame),
    ];

    /// The option of a name of any dialect, in any case, with or without its blanks.
    fn find(name: &str) -> Option<&'static Self> {
        Self::ALL.iter().find(|option| option.names.has(name))
    }

    /// The present value.
    fn kind(&self, settings: &Settings<G>) -> OptionKind {
        match self.value {
            Value::Check { get, .. } => OptionKind::Check(get(settings)),
            Value::Number { min, max, get, .. } => {
                OptionKind::Spin { default: get(settings), min, max }
            }
            Value::Amount { max, get, .. } => OptionKind::Amount { default: get(settings), max },
            Value::Applied { get, .. } => get(settings),
            Value::Button(_) => OptionKind::Button,
            Value::Fixed(value) => choices(&[(value, ())], &()),
        }
    }

    /// Gives it a value, or presses it.
    fn set(&self, settings: &mut Settings<G>, given: Given<'_>) -> Result<Effect, String> {
        match self.value {
            Value::Check { place, .. } => *place(settings) = given.flag()?,
            Value::Number { min, max, set, .. } => set(settings, given.number(min, max)?),
            Value::Amount { max, set, .. } => set(settings, given.number(0, max)?),
            Value::Applied { set, .. } => set(settings, given)?,
            Value::Button(effect) => return Ok(effect),
            Value::Fixed(value) => given.choice(&[(value, ())])?,
        }
        Ok(Effect::Nothing)
    }
}

const fn best_or_weighted(is_best: bool) -> Policy {
    if is_best { Policy::Best } else { Policy::Weighted }
}

/// Options by name.
impl<G: Playable> Settings<G> {
    /// Sets the option that is named in what follows `setoption`.
    pub(crate) fn set(&mut self, text: &str) -> Result<Effect, OptionError> {
        let resolved = resolve(text, EngineOption::<G>::find);
        let (option, name, value) = resolved.map_err(|unresolved| match unresolved {
            Unresolved::NoName => OptionError::Bad(
                "setoption wants: setoption name <name> [value <value>]".to_owned(),
            ),
            Unresolved::Unknown(name) => OptionError::Unknown(shortened(&name)),
        })?;
        option.set(self, Given { name: &name, value: &value }).map_err(OptionError::Bad)
    }

    /// Sets the option that has this name in any dialect.
    ///
    /// # Errors
    ///
    /// What is wrong, for people.
    pub(crate) fn set_named(&mut self, name: &str, value: &str) -> Result<(), String> {
        match self.set(&format!("name {name} value {value}")) {
            Ok(_) => Ok(()),
            Err(OptionError::Unknown(name)) => Err(format!("no option {name}")),
            Err(OptionError::Bad(what)) => Err(what),
        }
    }

    /// The `option` lines of a dialect.
    pub(crate) fn describe(&self, dialect: Dialect) -> String {
        let shown = EngineOption::<G>::ALL.iter().filter(|option| (option.is_shown)(dialect));
        shown.map(|option| announcement(&option.names, &option.kind(self), dialect)).collect()
    }
}

/// The names of the option of ours that has this one; they are the same for every game.
fn names_of(name: &str) -> Option<&'static Names> {
    EngineOption::<Position>::find(name).map(|option| &option.names)
}

/// Returns true if two names, of any dialects and programs, mean the same option.
pub(crate) fn is_same(a: &str, b: &str) -> bool {
    folded(a) == folded(b) || names_of(a).is_some_and(|names| names.has(b))
}

/// The name in a dialect of an option of another program that both protocols have; its own name where they do
/// not.
pub(crate) fn name_in(dialect: Dialect, name: &str) -> String {
    const COMMON: [&str; 3] = ["Hash", "Threads", "Ponder"];
    let common = names_of(name).filter(|names| COMMON.contains(&names.uci));
    common.and_then(|names| names.announced(dialect)).unwrap_or(name).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::EngineOptions;
    use crate::gomoku::Board;

    fn resolved(line: &str) -> Result<(&'static str, String), Unresolved> {
        let (names, _, value) = resolve(line, names_of)?;
        Ok((if names.uci.is_empty() { names.ucci } else { names.uci }, value))
    }

    /// The result for an option that is known, and its value.
    fn found(name: &'static str, value: &str) -> Result<(&'static str, String), Unresolved> {
        Ok((name, value.to_owned()))
    }

    #[test]
    fn names_of_both_grammars_in_any_case() {
        assert_eq!(resolved("name Hash value 64"), found("Hash", "64"));
        assert_eq!(resolved("hashsize 64"), found("Hash", "64"));
        assert_eq!(resolved("name HASHSIZE value 64"), found("Hash", "64"));
        assert_eq!(resolved("Hash 64"), found("Hash", "64"));
        assert_eq!(resolved("name Hash 64"), found("Hash", "64"));
        assert_eq!(resolved("name Clear Hash"), found("Clear Hash", ""));
        assert_eq!(resolved("clear hash"), found("Clear Hash", ""));
        assert_eq!(resolved("move overhead 50"), found("Move Overhead", "50"));
        assert_eq!(resolved("name Book value /a b/c.book"), found("BookFile", "/a b/c.book"));
        assert_eq!(resolved("bookfiles /a b/value.book"), found("BookFile", "/a b/value.book"));
        assert_eq!(resolved("BookFile /a  b.book "), found("BookFile", "/a  b.book"));
        assert_eq!(resolved("newgame"), found("newgame", ""));
        assert_eq!(resolved("name uci_showwdl value true"), found("UCI_ShowWDL", "true"));
        assert_eq!(resolved(""), Err(Unresolved::NoName));
        assert_eq!(resolved("name value 3"), Err(Unresolved::NoName));
        assert_eq!(resolved("no such 3"), Err(Unresolved::Unknown("no such 3".to_owned())));
    }

    #[test]
    fn options_of_other_programs_are_known_by_our_names() {
        assert!(is_same("HASH", "hashsize") && is_same("Own Book", "usebook"));
        assert!(is_same("Odd_One", "odd one") && !is_same("odd", "even"));
        assert_eq!(name_in(Dialect::Ucci, "Hash"), "hashsize");
        assert_eq!(name_in(Dialect::Uci, "hashsize"), "Hash");
        assert_eq!(name_in(Dialect::Ucci, "Clear Hash"), "Clear Hash");
    }

    #[test]
    fn no_two_options_share_a_name() {
        for EngineOption { names, .. } in EngineOption::<Position>::ALL {
            for name in [names.uci, names.ucci].iter().chain(names.also) {
                let found = name.is_empty() || names_of(name) == Some(names);
                assert!(found, "{name}");
            }
            assert!(names.ucci.bytes().all(|byte| byte.is_ascii_lowercase()), "{}", names.ucci);
        }
    }

    /// A value that is not the present one.
    fn another(kind: &OptionKind) -> Option<String> {
        match kind {
            OptionKind::Check(is_on) => Some((!is_on).to_string()),
            OptionKind::Spin { default, min, max } => {
                Some(if default == max { *min } else { default + 1 }.to_string())
            }
            OptionKind::Amount { default, max } => {
                Some(if default == max { 1 } else { default + 1 }.to_string())
            }
            OptionKind::Combo { default, vars } => vars.iter().find(|var| *var != default).cloned(),
            OptionKind::Text(_) => Some("7".to_owned()),
            OptionKind::Button => None,
        }
    }

    fn every_value_is_kept<G: Playable>() {
        const WITHOUT_EFFECT: [&str; 4] = ["idle", "knowledge", "promotion", "evalapi"];
        for option in EngineOption::<G>::ALL {
            let names = &option.names;
            let mut settings = Settings::<G>::new(EngineOptions::default());
            let before = option.kind(&settings);
            let Some(value) = another(&before) else { continue };
            let name = [names.uci, names.ucci].into_iter().chain(names.also.iter().copied());
            let name = name.max_by_key(|name| name.len()).unwrap_or_default();
            let set = settings.set_named(name, &value);
            let is_kept = option.kind(&settings) != before;
            if WITHOUT_EFFECT.contains(&names.ucci) {
                assert!(!is_kept, "{name} has an effect");
            } else {
                assert!(set.is_ok() && is_kept, "{name} was not set to {value}: {set:?}");
            }
        }
    }

    #[test]
    fn an_option_that_is_set_shows_its_new_value() {
        every_value_is_kept::<Position>();
        every_value_is_kept::<Board>();
    }
}
