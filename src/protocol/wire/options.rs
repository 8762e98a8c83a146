//! The names of options in all dialects, and the lines that announce them.

use std::fmt::{self, Write as _};

use crate::protocol::wire::dialect::Dialect;

/// An option, under any of its names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Id {
    Hash,
    ClearHash,
    Threads,
    MultiPv,
    Ponder,
    MoveOverhead,
    OwnBook,
    Books,
    BookRed,
    BookBlack,
    BookPolicy,
    BestBookMove,
    BookDepth,
    BookMinGames,
    BookMinWeight,
    BookMisses,
    BookTemperature,
    UseTables,
    Tables,
    TablesRules,
    TablesMetric,
    TablesDepth,
    TablesMen,
    Rules,
    SixtyMoves,
    ShowWdl,
    AnalyseMode,
    Variant,
    Seed,
    Level,
    Randomness,
    Pruning,
    Style,
    Debug,
    Batch,
    Milliseconds,
    NewGame,
    /// Known to UCCI, without effect here.
    Idle,
    Knowledge,
    Promotion,
    EvalApi,
}

/// An option's names.
#[derive(Debug)]
pub(crate) struct Names {
    pub(crate) id: Id,
    /// As announced in UCI; empty where it is not announced, though it is understood.
    uci: &'static str,
    /// As announced in UCCI, where names are one word in small letters.
    ucci: &'static str,
    /// Other names, written as [`folded`] gives them.
    also: &'static [&'static str],
}

const fn names(
    id: Id,
    uci: &'static str,
    ucci: &'static str,
    also: &'static [&'static str],
) -> Names {
    Names { id, uci, ucci, also }
}

/// Every option, in the order of announcement. The protocol of UCCI wants `usemillisec` always.
pub(crate) const ALL: [Names; 41] = [
    names(Id::Milliseconds, "", "usemillisec", &[]),
    names(Id::Hash, "Hash", "hashsize", &[]),
    names(Id::Threads, "Threads", "threads", &[]),
    names(Id::ClearHash, "Clear Hash", "clearhash", &[]),
    names(Id::MultiPv, "MultiPV", "multipv", &[]),
    names(Id::Ponder, "Ponder", "ponder", &[]),
    names(Id::MoveOverhead, "Move Overhead", "moveoverhead", &[]),
    names(Id::OwnBook, "OwnBook", "usebook", &[]),
    names(Id::Books, "BookFile", "bookfiles", &["book", "bookpath"]),
    names(Id::BookRed, "BookRed", "bookred", &[]),
    names(Id::BookBlack, "BookBlack", "bookblack", &[]),
    names(Id::BookPolicy, "BookPolicy", "bookpolicy", &[]),
    names(Id::BestBookMove, "", "", &["bestbookmove"]),
    names(Id::BookDepth, "BookDepth", "bookdepth", &[]),
    names(Id::BookMinGames, "BookMinGames", "bookmingames", &[]),
    names(Id::BookMinWeight, "BookMinWeight", "bookminweight", &[]),
    names(Id::BookMisses, "BookMisses", "bookmisses", &[]),
    names(Id::BookTemperature, "BookTemperature", "booktemperature", &[]),
    names(Id::UseTables, "UseTables", "useegtb", &[]),
    names(Id::Tables, "Tables", "egtbpaths", &["egtbpath"]),
    names(Id::TablesRules, "TablesRules", "tablesrules", &[]),
    names(Id::TablesMetric, "TablesMetric", "tablesmetric", &[]),
    names(Id::TablesDepth, "TablesDepth", "tablesdepth", &[]),
    names(Id::TablesMen, "TablesMen", "tablesmen", &[]),
    names(Id::Rules, "Rules", "rules", &["repetitionrule", "repetition"]),
    names(Id::SixtyMoves, "Sixty Move Rule", "sixtymoverule", &[]),
    names(Id::ShowWdl, "UCI_ShowWDL", "", &[]),
    names(Id::AnalyseMode, "UCI_AnalyseMode", "", &[]),
    names(Id::Variant, "UCI_Variant", "", &[]),
    names(Id::Level, "Level", "level", &[]),
    names(Id::Randomness, "Randomness", "randomness", &[]),
    names(Id::Seed, "Seed", "seed", &[]),
    names(Id::Pruning, "", "pruning", &[]),
    names(Id::Style, "", "style", &[]),
    names(Id::Debug, "", "debug", &[]),
    names(Id::Batch, "", "batch", &[]),
    names(Id::Idle, "", "idle", &[]),
    names(Id::Knowledge, "", "knowledge", &["selectivity"]),
    names(Id::Promotion, "", "promotion", &[]),
    names(Id::EvalApi, "", "evalapi", &[]),
    names(Id::NewGame, "", "newgame", &[]),
];

impl Names {
    /// The name that a dialect announces, if it does.
    fn announced(&self, dialect: Dialect) -> Option<&'static str> {
        let name = if dialect.is_ucci() { self.ucci } else { self.uci };
        (!name.is_empty()).then_some(name)
    }

    fn is(&self, name: &str) -> bool {
        let listed = [self.uci, self.ucci];
        listed.iter().any(|own| folded(own) == name) || self.also.contains(&name)
    }
}

/// A name as it is compared: without case, blanks and underscores.
pub(crate) fn folded(name: &str) -> String {
    let kept = name.chars().filter(|c| !c.is_whitespace() && *c != '_');
    kept.map(|c| c.to_ascii_lowercase()).collect()
}

/// The option of a name of any dialect, in any case, with or without its blanks.
fn find(name: &str) -> Option<Id> {
    let name = folded(name);
    ALL.iter().find(|names| !name.is_empty() && names.is(&name)).map(|names| names.id)
}

/// Returns true if two names, of any dialects and programs, mean the same option.
pub(crate) fn is_same(a: &str, b: &str) -> bool {
    folded(a) == folded(b) || find(a).is_some_and(|id| find(b) == Some(id))
}

/// The name in a dialect of an option of another program that both protocols have; its own name where they do
/// not.
pub(crate) fn name_in(dialect: Dialect, name: &str) -> String {
    const COMMON: [Id; 3] = [Id::Hash, Id::Threads, Id::Ponder];
    let common = find(name).filter(|id| COMMON.contains(id));
    let names = ALL.iter().find(|names| Some(names.id) == common);
    names.and_then(|names| names.announced(dialect)).unwrap_or(name).to_owned()
}

/// The first word and what follows it.
fn split_word(text: &str) -> (&str, &str) {
    let text = text.trim_start();
    let end = text.find(char::is_whitespace).unwrap_or(text.len());
    text.split_at(end)
}

/// The text after the first `count` words.
fn rest_after(text: &str, count: usize) -> &str {
    (0..count).fold(text, |text, _| split_word(text).1).trim()
}

/// Name and value in what follows `setoption`, without knowledge of names: in UCI `name <words>
/// [value <text>]`, in UCCI `<word> [<text>]`. `None` without a name.
pub(crate) fn name_and_value(text: &str) -> Option<(String, &str)> {
    let (first, rest) = split_word(text);
    if first != "name" {
        return (!first.is_empty()).then(|| (first.to_owned(), rest.trim()));
    }
    let words: Vec<&str> = rest.split_whitespace().collect();
    let end = words.iter().skip(1).position(|&word| word == "value");
    let end = end.map_or(words.len(), |end| end + 1);
    (end > 0).then(|| (words[..end].join(" "), rest_after(rest, end + 1)))
}

/// Reads the words after `setoption` as an option, its name as written, and the value. The word `name`
/// distinguishes the grammars of UCI and UCCI; the longest name that is known wins where no `value` ends it.
///
/// # Errors
///
/// The name that is not known, or the reason why there is none.
pub(crate) fn resolve(text: &str) -> Result<(Id, String, String), Unresolved> {
    let named = split_word(text).0 == "name";
    let text = if named { rest_after(text, 1) } else { text };
    let words: Vec<&str> = text.split_whitespace().collect();
    let end = words.iter().position(|&word| named && word == "value").unwrap_or(words.len());
    if end == 0 {
        return Err(Unresolved::NoName);
    }
    let name = words[..end].join(" ");
    if let Some(id) = find(&name) {
        return Ok((id, name, rest_after(text, end + 1).to_owned()));
    }
    /// Words of the longest name, rounded up.
    const LONGEST: usize = 4;
    let shorter = (1..end.min(LONGEST + 1)).rev().find_map(|len| {
        let name = words[..len].join(" ");
        Some((find(&name)?, name, rest_after(text, len).to_owned()))
    });
    shorter.ok_or(Unresolved::Unknown(name))
}

/// The reason why the words of `setoption` name no option.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Unresolved {
    /// No name.
    NoName,
    /// A name that no option has.
    Unknown(String),
}

/// The values that an option can have, and the present one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum OptionKind {
    Check(bool),
    Spin {
        default: u64,
        min: u64,
        max: u64,
    },
    Combo {
        default: String,
        vars: Vec<String>,
    },
    /// Empty for none.
    Text(String),
    Button,
}

/// The line that announces an option in a dialect; empty where the dialect does not know it.
pub(crate) fn announcement(names: &Names, kind: &OptionKind, dialect: Dialect) -> String {
    let Some(name) = names.announced(dialect) else { return String::new() };
    let mut line = String::from(if dialect.is_ucci() { "option " } else { "option name " });
    let written = write!(line, "{name} type ").and_then(|()| {
        if dialect.is_ucci() { kind.write_ucci(&mut line) } else { kind.write_uci(&mut line) }
    });
    debug_assert!(written.is_ok(), "writing to a string cannot fail");
    line.push('\n');
    line
}

impl OptionKind {
    fn write_uci(&self, line: &mut String) -> fmt::Result {
        match self {
            Self::Check(default) => write!(line, "check default {default}"),
            Self::Spin { default, min, max } => {
                write!(line, "spin default {default} min {min} max {max}")
            }
            Self::Combo { default, vars } => {
                write!(line, "combo default {default}{}", choices(default, vars))
            }
            Self::Text(text) if text.is_empty() => line.write_str("string default <empty>"),
            Self::Text(text) => write!(line, "string default {text}"),
            Self::Button => line.write_str("button"),
        }
    }

    /// UCCI writes the default last, and none where it is empty.
    fn write_ucci(&self, line: &mut String) -> fmt::Result {
        match self {
            Self::Spin { default, min, max } => {
                write!(line, "spin min {min} max {max} default {default}")
            }
            Self::Combo { default, vars } => {
                write!(line, "combo{} default {default}", choices(default, vars))
            }
            Self::Text(text) if text.is_empty() => line.write_str("string"),
            _ => self.write_uci(line),
        }
    }
}

/// The default comes first: adapters are in use (UCI2WB) that show the first choice as the present value, and
/// send it back.
fn choices(default: &str, vars: &[String]) -> String {
    let (first, others): (Vec<_>, Vec<_>) = vars.iter().partition(|var| *var == default);
    first.into_iter().chain(others).map(|var| format!(" var {var}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resolved(line: &str) -> Result<(Id, String), Unresolved> {
        resolve(line).map(|(id, _, value)| (id, value))
    }

    #[test]
    fn names_of_both_grammars_in_any_case() {
        let is = |id, value: &str| Ok((id, value.to_owned()));
        assert_eq!(resolved("name Hash value 64"), is(Id::Hash, "64"));
        assert_eq!(resolved("hashsize 64"), is(Id::Hash, "64"));
        assert_eq!(resolved("name HASHSIZE value 64"), is(Id::Hash, "64"));
        assert_eq!(resolved("Hash 64"), is(Id::Hash, "64"));
        assert_eq!(resolved("name Hash 64"), is(Id::Hash, "64"));
        assert_eq!(resolved("name Clear Hash"), is(Id::ClearHash, ""));
        assert_eq!(resolved("clear hash"), is(Id::ClearHash, ""));
        assert_eq!(resolved("move overhead 50"), is(Id::MoveOverhead, "50"));
        assert_eq!(resolved("name Book value /a b/c.book"), is(Id::Books, "/a b/c.book"));
        assert_eq!(resolved("bookfiles /a b/value.book"), is(Id::Books, "/a b/value.book"));
        assert_eq!(resolved("BookFile /a  b.book "), is(Id::Books, "/a  b.book"));
        assert_eq!(resolved("newgame"), is(Id::NewGame, ""));
        assert_eq!(resolved("name uci_showwdl value true"), is(Id::ShowWdl, "true"));
        assert_eq!(resolved(""), Err(Unresolved::NoName));
        assert_eq!(resolved("name value 3"), Err(Unresolved::NoName));
        assert_eq!(resolved("no such 3"), Err(Unresolved::Unknown("no such 3".to_owned())));
    }

    #[test]
    fn names_and_values_of_other_programs() {
        let read = |text| name_and_value(text).map(|(name, value)| format!("{name}={value}"));
        for (text, expected) in [
            ("name Hash value 64\r", "Hash=64"),
            ("name Clear  Hash", "Clear Hash="),
            ("name A value /a  b/c value", "A=/a  b/c value"),
            ("hashsize 64", "hashsize=64"),
            ("bookfiles a b;c", "bookfiles=a b;c"),
        ] {
            assert_eq!(read(text).as_deref(), Some(expected));
        }
        assert_eq!([read(""), read("name")], [None, None]);
        assert!(is_same("HASH", "hashsize") && is_same("Own Book", "usebook"));
        assert!(is_same("Odd_One", "odd one") && !is_same("odd", "even"));
        assert_eq!(name_in(Dialect::Ucci, "Hash"), "hashsize");
        assert_eq!(name_in(Dialect::Uci, "hashsize"), "Hash");
        assert_eq!(name_in(Dialect::Ucci, "Clear Hash"), "Clear Hash");
    }

    #[test]
    fn no_two_options_share_a_name() {
        for names in &ALL {
            for name in [names.uci, names.ucci].iter().chain(names.also) {
                assert!(name.is_empty() || find(name) == Some(names.id), "{name}");
            }
            assert!(names.ucci.bytes().all(|byte| byte.is_ascii_lowercase()), "{}", names.ucci);
        }
    }

    #[test]
    fn announcements_follow_the_dialect() {
        let line = |id, kind: &OptionKind, dialect| {
            let names = ALL.iter().find(|names| names.id == id).unwrap();
            announcement(names, kind, dialect)
        };
        let spin = OptionKind::Spin { default: 64, min: 1, max: 128 };
        assert_eq!(
            line(Id::Hash, &spin, Dialect::Uci),
            "option name Hash type spin default 64 min 1 max 128\n"
        );
        assert_eq!(
            line(Id::Hash, &spin, Dialect::Ucci),
            "option hashsize type spin min 1 max 128 default 64\n"
        );
        let combo =
            OptionKind::Combo { default: "b".to_owned(), vars: vec!["a".into(), "b".into()] };
        assert_eq!(
            line(Id::Rules, &combo, Dialect::Cyclone),
            "option name Rules type combo default b var b var a\n"
        );
        assert_eq!(
            line(Id::Rules, &combo, Dialect::Ucci),
            "option rules type combo var b var a default b\n"
        );
        assert_eq!(line(Id::Batch, &OptionKind::Check(false), Dialect::Uci), "");
        let text = OptionKind::Text(String::new());
        assert_eq!(line(Id::Books, &text, Dialect::Ucci), "option bookfiles type string\n");
    }
}
