//! The rule sets of xiangqi, which differ in repetitions and in the limit of moves.

use std::fmt;
use std::str::FromStr;

/// The rules that judge repetitions and long games.
///
/// ```
/// use juzhong::game::{Adjudicate, Horizon, Line, Side, Verdict};
/// use juzhong::xiangqi::{Move, Position, RuleSet};
///
/// // Red's rook checks for ever.
/// let mut line = Line::new(Position::from_fen("4k4/9/9/9/9/9/9/9/R8/3K5 w")?, 0);
/// for text in ["a1e1", "e9f9", "e1f1", "f9e9", "f1e1", "e9f9", "e1f1", "f9e9", "f1e1"] {
///     line.push(Move::parse(text).unwrap());
/// }
/// let verdict = |rules| Position::judge(&line, rules, Horizon::Game).verdict;
/// assert_eq!(verdict(RuleSet::Asian), Verdict::Loses(Side::First));
/// assert_eq!(verdict(RuleSet::None), Verdict::Draw);
/// # Ok::<(), juzhong::xiangqi::FenError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum RuleSet {
    /// Every repetition draws; no limit of moves.
    None,
    /// Perpetual check loses, every other repetition draws; 60 moves each without a capture draw.
    Check,
    /// Perpetual check and perpetual chase lose; 60 moves each without a capture draw, each side's
    /// checks beyond ten not counted.
    #[default]
    Asian,
    /// As [`Asian`](Self::Asian), but a loop with any check in it is no chase.
    Computer,
    /// As [`Asian`](Self::Asian), and checks, threats of mate in one and chases of any pieces may
    /// not be mixed into a perpetual attack either, unless the other side does so too; 60 moves each
    /// without a capture draw. An approximation of the Chinese rules: they see longer threats, and
    /// know chases of protected pieces.
    Chinese,
}

/// A rule set that does not exist.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, crate::message::ToMessage)]
#[error("no rules \"{0}\" (use none, check, asian, computer or chinese)")]
pub struct UnknownRuleSet(String);

impl RuleSet {
    /// All five.
    pub const ALL: [Self; 5] =
        [Self::None, Self::Check, Self::Asian, Self::Computer, Self::Chinese];

    const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Check => "check",
            Self::Asian => "asian",
            Self::Computer => "computer",
            Self::Chinese => "chinese",
        }
    }
}

impl fmt::Display for RuleSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for RuleSet {
    type Err = UnknownRuleSet;
    fn from_str(text: &str) -> Result<Self, UnknownRuleSet> {
        let found = Self::ALL.into_iter().find(|rules| text.eq_ignore_ascii_case(rules.name()));
        found.ok_or_else(|| UnknownRuleSet(text.chars().take(40).collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_round_trip() {
        for rules in RuleSet::ALL {
            assert_eq!(rules.to_string().parse(), Ok(rules));
        }
        let unknown = "national".parse::<RuleSet>().unwrap_err();
        assert!(unknown.to_string().contains("asian"));
    }
}
