//! Conditions on the records that count in a book, and on their moves.

use std::fmt;
use std::str::FromStr;

use character_converter::traditional_to_simplified;
use serde::{Deserialize, Serialize};
use unicode_normalization::UnicodeNormalization;

use crate::book::model::counted_game::{Facts, side_of_tag};
use crate::game::{Notation, Outcome, Side};
use crate::record::Record;

/// The records that count, and which of their moves. A condition on a fact that a record does not state is
/// not met. Records are left out one by one before copies are brought together; results are those of the
/// games, settled over all copies that were not left out.
///
/// A book carries its filter as JSON: the fields in this order, those without effect left out, so
/// that equal filters are equal texts.
///
/// ```
/// use juzhong::book::Filter;
///
/// let filter = Filter { since: Some(2000), ..Filter::default() };
/// assert_eq!(filter.to_string().parse::<Filter>()?, filter);
/// assert_ne!(filter, Filter::default());
/// # Ok::<(), juzhong::book::UnknownFilter>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Filter {
    /// Both players have at least this rating.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_rating: Option<u16>,
    /// Played in this year or later.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<u16>,
    /// Played in this year or before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<u16>,
    /// Ended with this result. Only games that would be counted are checked for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result: Option<Ending>,
    /// One player's name contains this text, whatever the case.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub player: Option<String>,
    /// The name of the first side's player (Red in xiangqi) contains this text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_player: Option<String>,
    /// The name of the second side's player contains this text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub second_player: Option<String>,
    /// The event's name contains this text, whatever the case.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub event: Option<String>,
    /// Only moves of this player are kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mover: Option<Mover>,
    /// The moves before this ply are left out, the first move being ply 1; 0 and 1 keep all.
    #[serde(skip_serializing_if = "is_zero")]
    pub from_ply: u16,
    /// Every record counts, copies of a game too. The book then has no ids of games.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub every_record: bool,
    /// The tag `Group` is ignored.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub no_groups: bool,
    /// Mirror images of a game are copies of it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub fold_mirror: bool,
    /// Of a record with an illegal move the moves before count.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub keep_legal_part: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
const fn is_zero(n: &u16) -> bool {
    *n == 0
}

/// The result of a game, as far as known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub enum Ending {
    /// With this result.
    Known(Outcome),
    /// No result is stated.
    Unknown,
}

impl From<Option<Outcome>> for Ending {
    fn from(result: Option<Outcome>) -> Self {
        result.map_or(Self::Unknown, Self::Known)
    }
}

impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Known(Outcome::Win(Side::First)) => "1-0",
            Self::Known(Outcome::Win(Side::Second)) => "0-1",
            Self::Known(Outcome::Draw) => "1/2-1/2",
            Self::Unknown => "*",
        })
    }
}

/// No result is written so.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error, crate::message::ToMessage)]
#[error("give 1-0, 1/2-1/2, 0-1 or *")]
pub struct UnknownEnding;

impl FromStr for Ending {
    type Err = UnknownEnding;
    fn from_str(text: &str) -> Result<Self, UnknownEnding> {
        Ok(match text {
            "1-0" => Self::Known(Outcome::Win(Side::First)),
            "0-1" => Self::Known(Outcome::Win(Side::Second)),
            "1/2-1/2" => Self::Known(Outcome::Draw),
            "*" => Self::Unknown,
            _ => return Err(UnknownEnding),
        })
    }
}

impl From<Ending> for String {
    fn from(ending: Ending) -> Self {
        ending.to_string()
    }
}

impl TryFrom<String> for Ending {
    type Error = UnknownEnding;
    fn try_from(text: String) -> Result<Self, UnknownEnding> {
        text.parse()
    }
}

/// The side whose moves are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mover {
    /// The first side's (Red's in xiangqi).
    First,
    /// The second side's.
    Second,
    /// The winner's. Games that neither side won, or whose result is unknown, are left out.
    Winner,
}

/// The text by which a book carries it.
impl fmt::Display for Filter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = serde_json::to_string(&self.folded()).map_err(|_| fmt::Error)?;
        f.write_str(&text)
    }
}

/// The text is no filter.
#[derive(Debug, thiserror::Error, crate::message::ToMessage)]
#[error("no filter of this version of the program")]
pub struct UnknownFilter(#[source] serde_json::Error);

/// The inverse of its text.
impl FromStr for Filter {
    type Err = UnknownFilter;
    fn from_str(text: &str) -> Result<Self, UnknownFilter> {
        serde_json::from_str(text).map_err(UnknownFilter)
    }
}

impl Filter {
    /// The same filter as [`admits`](Self::admits) wants it and as books carry it: texts of names in simplified
    /// characters, half width and lower case, no field set that has no effect.
    #[must_use]
    pub fn folded(&self) -> Self {
        Self {
            player: folded_part(self.player.as_deref()),
            first_player: folded_part(self.first_player.as_deref()),
            second_player: folded_part(self.second_player.as_deref()),
            event: folded_part(self.event.as_deref()),
            from_ply: if self.from_ply == 1 { 0 } else { self.from_ply },
            ..self.clone()
        }
    }

    /// Returns true if the facts that the record states meet the conditions. For a [`folded`](Self::folded)
    /// filter.
    pub(crate) fn admits_record<G: Notation>(&self, record: &Record<G>, facts: &Facts) -> bool {
        self.admits_facts(facts)
            && self.player.as_ref().is_none_or(|part| plays(record, part, &Side::ALL))
            && self.first_player.as_ref().is_none_or(|part| plays(record, part, &[Side::First]))
            && self.second_player.as_ref().is_none_or(|part| plays(record, part, &[Side::Second]))
            && self.event.as_ref().is_none_or(|part| {
                record.tag("Event").is_some_and(|event| fold_name(event).contains(part))
            })
    }

    /// Returns true if ratings and year meet the conditions on them.
    #[must_use]
    pub fn admits_facts(&self, facts: &Facts) -> bool {
        self.min_rating.is_none_or(|n: u16| facts.ratings.iter().all(|r| r.is_some_and(|r| r >= n)))
            && self.since.is_none_or(|since| facts.year.is_some_and(|y| y >= since))
            && self.until.is_none_or(|until| facts.year.is_some_and(|y| y <= until))
    }

    /// Returns true if a record by itself meets the conditions on its facts and its result. For a
    /// [`folded`](Self::folded) filter.
    #[must_use]
    pub fn admits<G: Notation>(&self, record: &Record<G>) -> bool {
        self.admits_record(record, &Facts::of(record)) && self.admits_result(record.result)
    }

    /// Returns true if a game of this settled result is counted.
    pub(crate) fn admits_result(&self, result: Option<Outcome>) -> bool {
        self.result.is_none_or(|wanted| wanted == result.into())
            && (self.mover != Some(Mover::Winner) || matches!(result, Some(Outcome::Win(_))))
    }

    /// Returns true if the move that `side` makes after `played` plies of a game of this result is kept.
    pub(crate) fn keeps(&self, played: usize, side: Side, result: Option<Outcome>) -> bool {
        played + 1 >= usize::from(self.from_ply)
            && match self.mover {
                None => true,
                Some(Mover::First) => side == Side::First,
                Some(Mover::Second) => side == Side::Second,
                Some(Mover::Winner) => result == Some(Outcome::Win(side)),
            }
    }
}

/// The part of a name that a condition asks for, folded; `None` if it asks for nothing.
fn folded_part(text: Option<&str>) -> Option<String> {
    text.map(fold_name).filter(|text| !text.is_empty())
}

/// A name or a part of one, so that the same name in traditional or simplified characters, full or half width, capitals
/// or small letters is the same text: Unicode's form NFKC, then the dictionary of the crate `character_converter`, one
/// character at a time, so that a part of a name is folded as the whole is.
pub(crate) fn fold_name(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    let mut folded = String::with_capacity(text.len());
    for c in text.nfkc().flat_map(char::to_lowercase) {
        let mut buffer = [0; 4];
        folded.push_str(&traditional_to_simplified(c.encode_utf8(&mut buffer)));
    }
    folded
}

/// Returns true if the player of one of these sides has `part` in the name.
fn plays<G: Notation>(record: &Record<G>, part: &str, sides: &[Side]) -> bool {
    record.tags.iter().any(|(tag, value)| {
        side_of_tag::<G>(tag).is_some_and(|(side, rest)| rest.is_empty() && sides.contains(&side))
            && fold_name(value).contains(part)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Tree;
    use crate::xiangqi::Position;
    use proptest::prelude::*;

    #[test]
    fn texts_are_canonical() {
        assert_eq!(Filter::default().to_string(), "{}");
        let filter = Filter {
            since: Some(1990),
            result: Some(Ending::Unknown),
            player: Some("HU Ronghua".into()),
            event: Some(String::new()),
            mover: Some(Mover::Winner),
            from_ply: 1,
            every_record: true,
            ..Filter::default()
        };
        let text = filter.to_string();
        let expected = "{\"since\":1990,\"result\":\"*\",\"player\":\"hu ronghua\",\
             \"mover\":\"winner\",\"every_record\":true}";
        assert_eq!(text, expected);
        assert_eq!(text.parse::<Filter>().ok(), Some(filter.folded()));
        for bad in ["", "{\"since\":-1}", "{\"month\":3}", "{\"result\":\"won\"}", "[]x"] {
            assert_eq!(bad.parse::<Filter>().ok(), None, "{bad}");
        }
    }

    fn record(tags: &[(&str, &str)]) -> Record<Position> {
        Record {
            tags: tags.iter().map(|&(n, v)| (n.to_owned(), v.to_owned())).collect(),
            start: None,
            start_clock: 0,
            result: None,
            tree: Tree::default(),
        }
    }

    #[test]
    fn names_are_of_sides() {
        let record =
            record(&[("Red", "Hu Ronghua"), ("black", "Yang Guanlin"), ("Event", "第一屆")]);
        let facts = Facts::of(&record);
        let admits = |filter: Filter| filter.folded().admits_record(&record, &facts);
        let none = Filter::default;
        assert!(admits(none()));
        assert!(admits(Filter { player: Some("YANG".into()), ..none() }));
        assert!(!admits(Filter { first_player: Some("yang".into()), ..none() }));
        assert!(admits(Filter { second_player: Some("yang".into()), ..none() }));
        let [hu, yang] = ["hu", "yang"].map(|name| Some(name.to_owned()));
        assert!(admits(Filter { first_player: hu, player: yang, ..none() }));
        assert!(admits(Filter { event: Some("第一".into()), ..none() }));
        assert!(!admits(Filter { event: Some("第二".into()), ..none() }));
        assert!(!admits(Filter { since: Some(1800), ..none() }), "no year is stated");
        assert!(!admits(Filter { min_rating: Some(0), ..none() }), "no rating is stated");
    }

    #[test]
    fn names_are_the_same_in_both_scripts_and_widths() {
        for (a, b) in [
            ("胡荣华", "胡榮華"),
            ("吕钦", "呂欽"),
            ("许银川", "許銀川"),
            ("杨官璘", "楊官璘"),
            ("赵国荣", "趙國榮"),
            ("陶汉明", "陶漢明"),
            ("Hu Ronghua", "ＨＵ Ｒｏｎｇｈｕａ"),
            ("王天一", "王天一"),
        ] {
            assert_eq!(fold_name(a), fold_name(b), "{a}");
            let record = record(&[("Red", b), ("Event", b)]);
            for part in [a.to_owned(), a.chars().take(2).collect()] {
                let filter =
                    Filter { player: Some(part.clone()), event: Some(part), ..Filter::default() };
                assert!(filter.folded().admits(&record), "{a} finds {b}");
            }
        }
        assert!(!fold_name("胡荣华").contains(&fold_name("胡司令")));
    }

    proptest! {
        #[test]
        fn folding_twice_changes_nothing_more(text in "\\PC{0,8}") {
            prop_assert_eq!(fold_name(&fold_name(&text)), fold_name(&text));
        }
    }

    #[test]
    fn moves_are_of_plies_and_sides() {
        let red = Some(Outcome::Win(Side::First));
        let from = Filter { from_ply: 3, ..Filter::default() };
        assert_eq!(
            [0, 1, 2, 3].map(|p| from.keeps(p, Side::First, red)),
            [false, false, true, true]
        );
        let winner = Filter { mover: Some(Mover::Winner), ..Filter::default() };
        assert!(winner.keeps(0, Side::First, red) && !winner.keeps(1, Side::Second, red));
        assert!(winner.admits_result(red));
        assert!(!winner.admits_result(Some(Outcome::Draw)) && !winner.admits_result(None));
        let second = Filter { mover: Some(Mover::Second), ..Filter::default() };
        assert!(second.keeps(1, Side::Second, red) && second.admits_result(None));
    }

    proptest! {
        #[test]
        fn any_text_is_a_filter_or_none(text: String) {
            if let Ok(filter) = text.parse::<Filter>() {
                prop_assert_eq!(filter.to_string().parse::<Filter>().ok(), Some(filter.folded()));
            }
        }

        #[test]
        fn to_text_then_from_text_is_folding(
            numbers in prop::collection::vec(prop::option::of(any::<u16>()), 3),
            texts in prop::collection::vec(prop::option::of(any::<String>()), 4),
            from_ply: u16, switches: [bool; 4],
        ) {
            let filter = Filter {
                min_rating: numbers[0],
                since: numbers[1],
                until: numbers[2],
                result: Some(Ending::Known(Outcome::Draw)),
                player: texts[0].clone(),
                first_player: texts[1].clone(),
                second_player: texts[2].clone(),
                event: texts[3].clone(),
                mover: Some(Mover::First),
                from_ply,
                every_record: switches[0],
                no_groups: switches[1],
                fold_mirror: switches[2],
                keep_legal_part: switches[3],
            };
            prop_assert_eq!(filter.to_string().parse::<Filter>().ok(), Some(filter.folded()));
        }
    }
}
