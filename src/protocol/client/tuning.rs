//! Values of an engine's options that hold for a while: its sizes, and the strength at which it plays.

use crate::protocol::client::{Client, ClientError, EngineEntry, EngineSizes};
use crate::protocol::wire::announced::Announced;

/// Option of UCI for the strength, which counts while [`LIMIT`] is on.
const ELO: &str = "UCI_Elo";
const LIMIT: &str = "UCI_LimitStrength";
/// Options for the strength by their usual names, the best first.
const STRENGTHS: [&str; 3] = ["Skill Level", ELO, "Level"];
/// Words in names of other options for the strength, and in names of those that are something else.
const STRONG_WORDS: [&str; 5] = ["strength", "skill", "skilllevel", "level", "elo"];
const OTHER_WORDS: [&str; 5] = ["log", "debug", "probe", "verbose", "own"];

/// An option of an engine that is a whole number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NumberOption {
    /// Its name.
    pub name: String,
    /// The lowest value.
    pub least: i64,
    /// The highest value.
    pub most: i64,
    /// The value that it has by itself, where it says so.
    pub usual: Option<i64>,
}

impl NumberOption {
    fn of(announced: &Announced) -> Option<Self> {
        let (least, most) = announced.range()?;
        let name = announced.name.clone();
        Some(Self { name, least, most, usual: announced.number("default") })
    }
}

/// Values in place of the usual ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tuning {
    /// Its sizes.
    pub sizes: EngineSizes,
    /// The value of the first of its [options for the strength](Client::strengths).
    pub strength: Option<i64>,
}

/// The values that were there before.
#[derive(Debug, Default)]
#[must_use]
pub struct Untuned {
    /// Names and values; `None` where the usual value is unknown.
    values: Vec<(String, Option<String>)>,
}

impl Client {
    /// The author that the engine names.
    #[must_use]
    pub fn author(&self) -> Option<&str> {
        self.author.as_deref().filter(|author| !author.is_empty())
    }

    /// The option of that name, or of a name that means the same in its protocol, if it is a number within a range.
    #[must_use]
    pub fn number_option(&self, name: &str) -> Option<NumberOption> {
        self.options.find(name).and_then(NumberOption::of)
    }

    /// Its options for the strength, the one that is meant by [`Tuning::strength`] first: `Skill Level`, `UCI_Elo` with
    /// `UCI_LimitStrength`, `Level`, then others whose names speak of strength.
    #[must_use]
    pub fn strengths(&self) -> Vec<NumberOption> {
        let usual = STRENGTHS.iter().filter_map(|&name| self.options.find(name));
        let others = self.options.iter().filter(|option| speaks_of_strength(&option.name));
        let mut found: Vec<NumberOption> = Vec::new();
        for option in usual.chain(others).filter(|option| self.is_strength(option)) {
            let is_known = found.iter().any(|known| known.name == option.name);
            found.extend(NumberOption::of(option).filter(|_| !is_known));
        }
        found
    }

    /// Returns true if the option is none that counts only with another, which is missing.
    fn is_strength(&self, option: &Announced) -> bool {
        let needs_limit = option.name.eq_ignore_ascii_case(ELO);
        option.range().is_some_and(|(least, most)| least < most)
            && (!needs_limit || self.has_option(LIMIT))
    }

    /// Sets values until [`untune`](Self::untune). `entry` is the one by which the engine was started.
    ///
    /// # Errors
    ///
    /// [`ClientError::NoOption`] and [`ClientError::BadOption`] if it lacks an option or cannot have the value.
    pub fn tune(&mut self, entry: &EngineEntry, tuning: &Tuning) -> Result<Untuned, ClientError> {
        let values = self.values_of(tuning)?;
        let mut untuned = Untuned::default();
        if self.is_brain() {
            self.set_sizes(tuning.sizes)?;
            untuned.values = values.into_iter().map(|(name, _)| (name, None)).collect();
            return Ok(untuned);
        }
        for (name, value) in values {
            self.set_option(&name, &value)?;
            let usual = self.usual_value(entry, &name);
            untuned.values.push((name, usual));
        }
        Ok(untuned)
    }

    /// Sets the usual values again; returns false if one of them is unknown, so that the engine has to be started again.
    ///
    /// # Errors
    ///
    /// As [`set_option`](Self::set_option).
    pub fn untune(&mut self, untuned: Untuned) -> Result<bool, ClientError> {
        for (name, usual) in untuned.values {
            let Some(usual) = usual else { return Ok(false) };
            self.set_option(&name, &usual)?;
        }
        Ok(true)
    }

    /// The options that are set for it, in their order.
    fn values_of(&self, tuning: &Tuning) -> Result<Vec<(String, String)>, ClientError> {
        let mut values: Vec<(String, String)> =
            tuning.sizes.options().map(|(name, value)| (name.to_owned(), value)).collect();
        let Some(strength) = tuning.strength else { return Ok(values) };
        let Some(option) = self.strengths().into_iter().next() else {
            let engine = self.child.engine().to_owned();
            return Err(ClientError::NoOption { engine, option: STRENGTHS[0].to_owned() });
        };
        if option.name.eq_ignore_ascii_case(ELO) {
            values.push((LIMIT.to_owned(), "true".to_owned()));
        }
        values.push((option.name, strength.to_string()));
        Ok(values)
    }

    /// The value that an option has in an engine that was started by `entry`.
    fn usual_value(&self, entry: &EngineEntry, name: &str) -> Option<String> {
        let meant = self.options.find(name)?;
        // Of an option that is set twice the last value counts, and any counts before a size.
        let set = entry.options.iter().rev().find(|(name, _)| self.is_option(meant, name));
        let kept = set.map(|(_, value)| value.clone()).or_else(|| {
            let size = entry.sizes().options().find(|(name, _)| self.is_option(meant, name));
            size.map(|(_, value)| value)
        });
        kept.or_else(|| meant.usual().map(str::to_owned))
    }

    /// Returns true if `name` means the option `meant`.
    fn is_option(&self, meant: &Announced, name: &str) -> bool {
        self.options.find(name).is_some_and(|found| found == meant)
    }
}

fn speaks_of_strength(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    has_word(&name, &STRONG_WORDS) && !has_word(&name, &OTHER_WORDS)
}

/// Returns true if one of the words of a name is among these.
fn has_word(name: &str, words: &[&str]) -> bool {
    name.split(|c: char| !c.is_alphanumeric()).any(|word| words.contains(&word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_strength_are_told_from_others() {
        for name in ["Skill Level", "Playing Strength", "UCI_Elo", "Level", "SkillLevel"] {
            assert!(speaks_of_strength(name), "{name}");
        }
        for name in ["Log Level", "debug_level", "Velocity", "Develop", "Hash", "UCI_LimitStrength"]
        {
            assert!(!speaks_of_strength(name), "{name}");
        }
    }
}
