//! The facts about an engine that requests may name: its own words about itself, and the values that they may ask for.

use serde::Serialize;

use super::problem::Problem;
use juzhong::bytes::visible::first_chars;
use juzhong::message::message;
use juzhong::protocol::Dialect;
use juzhong::protocol::client::{Client, EngineEntry, EngineSizes, NumberOption, Tuning};
use juzhong::search::MAX_MULTIPV;

/// The name of the own engine.
pub(crate) const OWN: &str = "self";
/// The longest text of an engine about itself, in characters.
const LONGEST_TEXT: usize = 200;
/// Options for the strength that are told, at most.
const MOST_STRENGTHS: usize = 16;

/// An engine, and the values that requests may ask of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema), schemars(rename = "EngineFacts"))]
pub(crate) struct EngineFacts {
    /// The author that it names.
    author: Option<String>,
    /// The transposition table in MiB; null if it has no option for that.
    hash: Option<NumberRange>,
    /// The most lines that it shows.
    lines: i64,
    /// The name by which requests call it.
    name: String,
    /// The protocol that it speaks; null for the server's own engine.
    #[cfg_attr(feature = "schemas", schemars(extend("enum" = ["uci", "cyclone", "ucci", "gomocup", null])))]
    protocol: Option<&'static str>,
    /// Its options for the strength; `strength` of `/api/move` is the value of the first.
    strengths: Vec<StrengthOption>,
    /// Threads of a search; null if it has no option for that.
    threads: Option<NumberRange>,
    /// The name that it gives itself.
    title: String,
}

/// Whole numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema), schemars(rename = "EngineRange"))]
pub(crate) struct NumberRange {
    /// The value where a request has none; null if it is unknown.
    default: Option<i64>,
    max: i64,
    min: i64,
}

/// An option of an engine for the strength at which it plays.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema), schemars(rename = "EngineStrength"))]
pub(crate) struct StrengthOption {
    #[serde(flatten)]
    range: NumberRange,
    name: String,
}

impl NumberRange {
    /// The range of a size of an engine that was started; `None` if it has no option for that.
    fn of(
        client: &Client,
        name: &str,
        kept: Option<usize>,
        allowed: Option<usize>,
    ) -> Option<Self> {
        // Engines of the Gomocup protocol announce no options.
        let is_known = client.protocol() == Dialect::Gomocup || client.has_option(name);
        let announced = client.number_option(name);
        is_known.then(|| Self::of_size(announced.as_ref(), kept, allowed.unwrap_or(1)))
    }

    /// From 1 up to a size of the own engine, which is the usual one, too.
    fn up_to(size: Option<usize>) -> Self {
        let usual = size.and_then(|size| i64::try_from(size).ok()).unwrap_or(1);
        Self { default: Some(usual), max: usual, min: 1 }
    }

    /// From 1 on, as far as the server allows it and the engine can.
    fn of_size(announced: Option<&NumberOption>, kept: Option<usize>, allowed: usize) -> Self {
        let own = announced.and_then(|option| option.usual);
        let default = kept.map(whole).or(own);
        // What the engine uses by itself is allowed in any case.
        let allowed = kept.map_or_else(|| whole(allowed).max(own.unwrap_or(1)), whole);
        let (least, most) =
            announced.map_or((1, i64::MAX), |option| (option.least.max(1), option.most));
        let max = allowed.min(most).max(least);
        Self { default, max, min: least }
    }

    const fn has(self, number: i64) -> bool {
        self.min <= number && number <= self.max
    }
}

impl From<NumberOption> for StrengthOption {
    fn from(option: NumberOption) -> Self {
        let NumberOption { name, least, most, usual } = option;
        Self { range: NumberRange { default: usual, max: most, min: least }, name: cut(&name) }
    }
}

impl EngineFacts {
    /// The facts about an engine that was started by `entry`, on a server whose own engine has the sizes `allowed`.
    pub(super) fn of(client: &Client, entry: &EngineEntry, allowed: EngineSizes) -> Self {
        let lines = client.number_option("MultiPV").map_or(1, |option| option.most);
        let strengths = client.strengths().into_iter().take(MOST_STRENGTHS);
        Self {
            author: client.author().map(cut),
            hash: NumberRange::of(client, "Hash", entry.hash, allowed.hash_mib),
            lines: lines.clamp(1, whole(MAX_MULTIPV)),
            name: entry.name.clone(),
            protocol: Some(protocol_name(client.protocol())),
            strengths: strengths.map(StrengthOption::from).collect(),
            threads: NumberRange::of(client, "Threads", entry.threads, allowed.threads),
            title: cut(client.name()),
        }
    }

    /// The facts about the server's own engine.
    pub(super) fn own(allowed: EngineSizes) -> Self {
        Self {
            author: None,
            hash: Some(NumberRange::up_to(allowed.hash_mib)),
            lines: whole(MAX_MULTIPV),
            name: OWN.to_owned(),
            protocol: None,
            strengths: Vec::new(),
            threads: Some(NumberRange::up_to(allowed.threads)),
            title: concat!("juzhong ", env!("CARGO_PKG_VERSION")).to_owned(),
        }
    }

    /// Refuses values that the engine does not have, or that are beyond what the server allows.
    pub(super) fn check(&self, tuning: &Tuning) -> Result<(), Problem> {
        let EngineSizes { threads, hash_mib } = tuning.sizes;
        self.check_size("threads", threads, self.threads)?;
        self.check_size("hash", hash_mib, self.hash)?;
        let Some(strength) = tuning.strength else { return Ok(()) };
        let engine = &self.name;
        match self.strengths.first() {
            Some(option) if option.range.has(strength) => Ok(()),
            Some(option) => Err(out_of_range("strength", option.range)),
            None => {
                let problem = message!("{engine} has no option for its strength");
                Err(Problem::bad_request(problem).with_hint("limit its time or its depth"))
            }
        }
    }

    fn check_size(
        &self,
        name: &'static str,
        wanted: Option<usize>,
        range: Option<NumberRange>,
    ) -> Result<(), Problem> {
        let Some(wanted) = wanted else { return Ok(()) };
        match range {
            Some(range) if i64::try_from(wanted).is_ok_and(|wanted| range.has(wanted)) => Ok(()),
            Some(range) => Err(out_of_range(name, range).with_hint(
                "the most is what the server was started with (--threads, --hash), or what the engine has in the settings",
            )),
            None => {
                let engine = &self.name;
                Err(Problem::bad_request(message!("{engine} has no option for {name}")))
            }
        }
    }
}

/// Refuses sizes of the server's own engine that are beyond what it was started with.
pub(super) fn check_own_sizes(wanted: EngineSizes, allowed: EngineSizes) -> Result<(), Problem> {
    let tuning = Tuning { sizes: wanted, strength: None };
    EngineFacts::own(allowed).check(&tuning)
}

fn out_of_range(name: &'static str, NumberRange { min, max, .. }: NumberRange) -> Problem {
    Problem::bad_request(message!("{name}: a number from {min} to {max} is wanted"))
}

/// A size as options have it.
fn whole(size: usize) -> i64 {
    i64::try_from(size).unwrap_or(i64::MAX)
}

/// A text of an engine, without what is beyond [`LONGEST_TEXT`].
fn cut(text: &str) -> String {
    first_chars(text, LONGEST_TEXT).to_owned()
}

const fn protocol_name(protocol: Dialect) -> &'static str {
    match protocol {
        Dialect::Uci => "uci",
        Dialect::Cyclone => "cyclone",
        Dialect::Ucci => "ucci",
        Dialect::Gomocup => "gomocup",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn announced(least: i64, most: i64, usual: i64) -> NumberOption {
        NumberOption { name: "Hash".to_owned(), least, most, usual: Some(usual) }
    }

    /// The least and the greatest size that requests may ask for, and the usual one.
    fn range(
        announced: Option<&NumberOption>,
        kept: Option<usize>,
        allowed: usize,
    ) -> (i64, i64, Option<i64>) {
        let NumberRange { default, max, min } = NumberRange::of_size(announced, kept, allowed);
        (min, max, default)
    }

    #[test]
    fn sizes_are_bounded_by_server_settings_and_engine() {
        let option = announced(4, 1024, 16);
        assert_eq!(range(Some(&option), None, 64), (4, 64, Some(16)));
        assert_eq!(range(Some(&option), Some(256), 64), (4, 256, Some(256)));
        assert_eq!(range(Some(&option), Some(9), 64), (4, 9, Some(9)));
        assert_eq!(range(Some(&option), None, 8), (4, 16, Some(16)));
        assert_eq!(range(Some(&announced(0, 32, 16)), None, 64), (1, 32, Some(16)));
        assert_eq!(range(None, None, 2), (1, 2, None));
    }
}
