//! Options as lines: their names in all dialects, the lines that announce them, and those that set them.

use std::fmt::{self, Write as _};

use crate::protocol::wire::dialect::Dialect;

/// An option's names.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Names {
    /// As announced in UCI; empty where it is not announced, though it is understood.
    pub(crate) uci: &'static str,
    /// As announced in UCCI, where names are one word in small letters; empty likewise.
    pub(crate) ucci: &'static str,
    /// Other names, written as [`folded`] gives them.
    pub(crate) also: &'static [&'static str],
}

impl Names {
    /// The name that a dialect announces, if it does.
    pub(crate) fn announced(&self, dialect: Dialect) -> Option<&'static str> {
        let name = if dialect.is_ucci() { self.ucci } else { self.uci };
        (!name.is_empty()).then_some(name)
    }

    /// Returns true if this is one of them, in any case, with or without its blanks.
    pub(crate) fn has(&self, name: &str) -> bool {
        let name = folded(name);
        let is_listed = [self.uci, self.ucci].iter().any(|own| folded(own) == name);
        !name.is_empty() && (is_listed || self.also.contains(&name.as_str()))
    }
}

/// A name as it is compared: without case, blanks and underscores.
pub(crate) fn folded(name: &str) -> String {
    let kept = name.chars().filter(|c| !c.is_whitespace() && *c != '_');
    kept.map(|c| c.to_ascii_lowercase()).collect()
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
    // A name has one word at least, even if that is `value`.
    let end = words.iter().skip(1).position(|&word| word == "value");
    let end = end.map_or(words.len(), |end| end + 1);
    (end > 0).then(|| (words[..end].join(" "), rest_after(rest, end + 1)))
}

/// Reads the words after `setoption` as an option, which `find` looks for by its name, its name as written, and
/// the value. The word `name` distinguishes the grammars of UCI and UCCI; the longest name that is known wins
/// where no `value` ends it.
///
/// # Errors
///
/// The name that is not known, or the reason why there is none.
pub(crate) fn resolve<T>(
    text: &str,
    find: impl Fn(&str) -> Option<T>,
) -> Result<(T, String, String), Unresolved> {
    let is_uci = split_word(text).0 == "name";
    let text = if is_uci { rest_after(text, 1) } else { text };
    let words: Vec<&str> = text.split_whitespace().collect();
    let end = words.iter().position(|&word| is_uci && word == "value").unwrap_or(words.len());
    if end == 0 {
        return Err(Unresolved::NoName);
    }
    let name = words[..end].join(" ");
    if let Some(option) = find(&name) {
        return Ok((option, name, rest_after(text, end + 1).to_owned()));
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
    /// A number from 1 to `max`. UCCI's GUIs may say 0 to let the engine choose.
    Amount {
        default: u64,
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
            Self::Amount { default, max } => {
                write!(line, "spin default {default} min 1 max {max}")
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
            Self::Amount { default, max } => {
                write!(line, "spin min 0 max {max} default {default}")
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

    #[test]
    fn names_and_values_of_other_programs() {
        for (text, expected) in [
            ("name Hash value 64\r", "Hash=64"),
            ("name Clear  Hash", "Clear Hash="),
            ("name A value /a  b/c value", "A=/a  b/c value"),
            ("hashsize 64", "hashsize=64"),
            ("bookfiles a b;c", "bookfiles=a b;c"),
        ] {
            let read = name_and_value(text).map(|(name, value)| format!("{name}={value}"));
            assert_eq!(read.as_deref(), Some(expected));
        }
        assert_eq!(["", "name"].map(name_and_value), [None, None]);
    }

    #[test]
    fn announcements_follow_the_dialect() {
        const HASH: Names = Names { uci: "Hash", ucci: "hashsize", also: &[] };
        const RULES: Names = Names { uci: "Rules", ucci: "rules", also: &[] };
        const BATCH: Names = Names { uci: "", ucci: "batch", also: &[] };
        let spin = OptionKind::Spin { default: 64, min: 1, max: 128 };
        assert_eq!(
            announcement(&HASH, &spin, Dialect::Uci),
            "option name Hash type spin default 64 min 1 max 128\n"
        );
        assert_eq!(
            announcement(&HASH, &spin, Dialect::Ucci),
            "option hashsize type spin min 1 max 128 default 64\n"
        );
        let amount = OptionKind::Amount { default: 64, max: 128 };
        assert_eq!(
            announcement(&HASH, &amount, Dialect::Uci),
            announcement(&HASH, &spin, Dialect::Uci)
        );
        assert_eq!(
            announcement(&HASH, &amount, Dialect::Ucci),
            "option hashsize type spin min 0 max 128 default 64\n"
        );
        let combo =
            OptionKind::Combo { default: "b".to_owned(), vars: vec!["a".into(), "b".into()] };
        assert_eq!(
            announcement(&RULES, &combo, Dialect::Cyclone),
            "option name Rules type combo default b var b var a\n"
        );
        assert_eq!(
            announcement(&RULES, &combo, Dialect::Ucci),
            "option rules type combo var b var a default b\n"
        );
        assert_eq!(announcement(&BATCH, &OptionKind::Check(false), Dialect::Uci), "");
        let text = OptionKind::Text(String::new());
        assert_eq!(announcement(&BATCH, &text, Dialect::Ucci), "option batch type string\n");
    }
}
