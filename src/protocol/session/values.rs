//! The values of options: read from what a GUI sets, and written as it is announced.

use std::fmt::Display;
use std::str::FromStr;

use crate::protocol::wire::format::shortened;
use crate::protocol::wire::options::OptionKind;

/// The names of rule sets in other programs (without `rule` at their end), and ours.
const RULES_ELSEWHERE: [(&str, &str); 4] = [
    ("alwaysdraw", "none"),
    ("nojudgement", "none"),
    ("checkban", "check"),
    ("allowchase", "check"),
];

/// A value that a GUI gives an option.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Given<'a> {
    /// The option, as the GUI calls it.
    pub(crate) name: &'a str,
    /// The value; empty where there is none.
    pub(crate) value: &'a str,
}

/// Every error is for people and names the option, its value and what it can be.
impl<'a> Given<'a> {
    /// Reads a value of a check.
    pub(crate) fn flag(self) -> Result<bool, String> {
        match self.value.to_ascii_lowercase().as_str() {
            "true" | "1" | "on" => Ok(true),
            "false" | "0" | "off" => Ok(false),
            _ => Err(format!("{} true or false", self.fault_start())),
        }
    }

    /// Reads a number within these bounds.
    pub(crate) fn number<T>(self, min: T, max: T) -> Result<T, String>
    where
        T: FromStr + PartialOrd + Display + Copy,
    {
        let number = self.value.parse().ok().filter(|n| (&min..=&max).contains(&n));
        number.ok_or_else(|| format!("{} from {min} to {max}", self.fault_start()))
    }

    /// Reads one of the names of a type.
    pub(crate) fn parsed<T: FromStr>(self) -> Result<T, String> {
        let name = self.value.to_ascii_lowercase();
        name.parse().map_err(|_| format!("{} known", self.fault_start()))
    }

    /// Reads one of the names of a type; `auto` gives `None`.
    pub(crate) fn unless_auto<T: FromStr>(self) -> Result<Option<T>, String> {
        if self.value.eq_ignore_ascii_case("auto") { Ok(None) } else { self.parsed().map(Some) }
    }

    /// Reads one of these choices.
    pub(crate) fn choice<T: Copy>(self, all: &[(&str, T)]) -> Result<T, String> {
        let found = all.iter().find(|(text, _)| text.eq_ignore_ascii_case(self.value));
        found.map(|&(_, value)| value).ok_or_else(|| {
            let known: Vec<&str> = all.iter().map(|&(text, _)| text).collect();
            format!("{} {}", self.fault_start(), known.join(", "))
        })
    }

    /// Reads a rule set by its name here or in other programs.
    pub(crate) fn rules<R: FromStr>(self) -> Result<R, String> {
        let lower = self.value.to_ascii_lowercase();
        let short = lower.strip_suffix("rule").unwrap_or(&lower);
        let ours = RULES_ELSEWHERE.iter().find(|&&(theirs, _)| theirs == short);
        let value = ours.map_or(short, |&(_, ours)| ours);
        Given { name: self.name, value }.parsed()
    }

    /// Reads the entries of a list, separated by `;`; every text is one. GUIs write `<empty>` for an empty text.
    pub(crate) fn list<T: From<&'a str>>(self) -> Result<Vec<T>, String> {
        let entries = self.value.split(';').map(str::trim);
        let entries = entries.filter(|entry| !entry.is_empty() && *entry != "<empty>");
        Ok(entries.map(T::from).collect())
    }

    /// The beginning of a message on what the value should be.
    fn fault_start(self) -> String {
        format!("option {}: \"{}\" is not", shortened(self.name), shortened(self.value))
    }
}

/// A list as [`Given::list`] reads it.
pub(crate) fn list(entries: impl Iterator<Item = impl Display>) -> OptionKind {
    let texts: Vec<String> = entries.map(|entry| entry.to_string()).collect();
    OptionKind::Text(texts.join(";"))
}

/// One of the values of a type.
pub(crate) fn combo<T: Display>(default: &T, all: &[T]) -> OptionKind {
    let vars = all.iter().map(T::to_string).collect();
    OptionKind::Combo { default: default.to_string(), vars }
}

/// One of the values of a type, or `auto`.
pub(crate) fn combo_or_auto<T: Display>(
    given: Option<T>,
    all: impl IntoIterator<Item = T>,
) -> OptionKind {
    let default = given.map_or_else(|| "auto".to_owned(), |given| given.to_string());
    let all = all.into_iter().map(|choice| choice.to_string());
    OptionKind::Combo { default, vars: std::iter::once("auto".to_owned()).chain(all).collect() }
}

/// One of these choices.
pub(crate) fn choices<T: PartialEq>(all: &[(&str, T)], present: &T) -> OptionKind {
    let default = all.iter().find(|(_, value)| value == present).map_or("", |(name, _)| name);
    let vars = all.iter().map(|&(name, _)| name.to_owned()).collect();
    OptionKind::Combo { default: default.to_owned(), vars }
}
