//! Answers about the openings of games.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

use serde::Serialize;

use crate::answers::book::figures::rounded;
use crate::answers::book::names::{OpeningCode, OpeningName};
use crate::answers::described::Described;
use crate::answers::error::AnswerError;
use crate::answers::line::LineRequest;
use crate::answers::sides::NamedSides;
use crate::book::opening::{Code, Named, Opening};
use crate::game::{BySide, Outcome, Side};
use crate::record::Record;

/// The name of the last position of a line, or of a game that begins with it; none if it has no name.
///
/// # Errors
///
/// The position or a move cannot be read.
pub fn classify_line<G: Described + Named>(
    request: &LineRequest,
) -> Result<ClassifiedLine<G>, AnswerError> {
    let line = request.line::<G>()?.line;
    let opening = match request.is_from_start() {
        true => G::name_game(line.start(), &line.moves().collect::<Vec<_>>()),
        false => line.position().opening(),
    };
    Ok(ClassifiedLine { position: line.position().clone(), opening })
}

/// A position with its name.
#[derive(Debug, Clone)]
pub struct ClassifiedLine<G> {
    /// The position.
    pub position: G,
    /// Its name.
    pub opening: Option<Opening>,
}

impl<G: Named> ClassifiedLine<G> {
    /// The answer.
    #[must_use]
    pub fn answer(&self) -> LineOpening {
        LineOpening {
            schema: SCHEMA,
            fen: self.position.to_fen(),
            opening: DescribedOpening::of::<G>(self.opening),
        }
    }
}

const SCHEMA: &str = "juzhong.book.classify/1";

/// The answer about a line: schema `juzhong.book.classify/1`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LineOpening {
    /// The schema.
    pub schema: &'static str,
    /// The last position.
    pub fen: String,
    /// Its name.
    #[serde(flatten)]
    pub opening: DescribedOpening,
}

/// The code, names, group and length of an opening, null where there is none.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DescribedOpening {
    /// Code and names.
    #[serde(flatten)]
    pub name: OpeningName,
    /// The group that all openings of its letter belong to.
    pub group: Option<&'static str>,
    /// The number of plies after which the game came to it.
    pub ply: Option<u32>,
}

impl DescribedOpening {
    /// The description of an opening of the game `G`.
    #[must_use]
    pub fn of<G: Named>(opening: Option<Opening>) -> Self {
        Self {
            name: OpeningName::of::<G>(opening),
            group: opening.map(|opening| opening.code.group()),
            ply: opening.map(|opening| opening.ply),
        }
    }
}

/// The answer about one game of many.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct GameOpening {
    /// The file.
    pub file: String,
    /// The place in it.
    pub place: String,
    /// The code that the game itself states.
    pub stated: Option<String>,
    /// The opening found.
    #[serde(flatten)]
    pub opening: DescribedOpening,
}

impl GameOpening {
    /// The answer about a game at a place of a file.
    #[must_use]
    pub fn of<G: Described + Named>(
        file: &str,
        place: String,
        record: &Record<G>,
        found: Option<Opening>,
    ) -> Self {
        Self {
            file: file.to_owned(),
            place,
            stated: record.tag(stated_tag::<G>()).map(str::to_owned),
            opening: DescribedOpening::of::<G>(found),
        }
    }
}

/// The tag in which games state the code of their opening.
const fn stated_tag<G: Named>() -> &'static str {
    match G::BLACK {
        Side::First => "Opening",
        Side::Second => "ECCO",
    }
}

/// The games of a code.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CodeResults {
    /// All of them.
    pub games: u64,
    /// Those won by the first side.
    pub first: u64,
    /// Those drawn.
    pub draws: u64,
    /// Those won by the second side.
    pub second: u64,
}

impl CodeResults {
    const fn add(&mut self, result: Option<Outcome>) {
        self.games += 1;
        match result {
            Some(Outcome::Win(Side::First)) => self.first += 1,
            Some(Outcome::Draw) => self.draws += 1,
            Some(Outcome::Win(Side::Second)) => self.second += 1,
            None => {}
        }
    }
}

/// The comparison of the codes that games state with those found.
#[derive(Debug, Clone, Default)]
pub struct Comparison {
    /// Games that state a code.
    pub stated: u64,
    /// Those of them for which a code of the same letter was found.
    pub letters: u64,
    /// Those of them for which the same code was found.
    pub codes: u64,
    /// Stated and found, where they differ.
    others: HashMap<(Code, Option<Code>), u64>,
}

impl Comparison {
    fn add(&mut self, stated: Code, found: Option<Code>) {
        self.stated += 1;
        self.letters += u64::from(found.is_some_and(|code| code.letter() == stated.letter()));
        if found == Some(stated) {
            self.codes += 1;
        } else {
            *self.others.entry((stated, found)).or_default() += 1;
        }
    }

    /// Stated and found codes that differ, with their games, the most frequent first.
    #[must_use]
    pub fn others(&self) -> Vec<((Code, Option<Code>), u64)> {
        let mut list: Vec<_> = self.others.iter().map(|(&pair, &count)| (pair, count)).collect();
        list.sort_by_key(|&(pair, count)| (Reverse(count), pair));
        list
    }
}

/// The openings of many games, counted.
#[derive(Debug, Clone, Default)]
pub struct OpeningCounts {
    /// By codes.
    pub codes: BTreeMap<Code, CodeResults>,
    /// All games.
    pub games: u64,
    /// Games of no named opening.
    pub unnamed: u64,
    /// Games that begin elsewhere.
    pub other_starts: u64,
    /// Games that cannot be read.
    pub bad: u64,
    /// The comparison with the codes that games state.
    pub comparison: Comparison,
}

impl OpeningCounts {
    /// Counts a game and returns its opening.
    pub fn add<G: Described + Named>(&mut self, record: &Record<G>) -> Option<Opening> {
        self.games += 1;
        let start = record.start.clone().unwrap_or_else(G::start);
        if record.start.is_some() && !G::starts().iter().any(|s| s.key() == start.key()) {
            self.other_starts += 1;
            return None;
        }
        let found = G::name_game(&start, &record.tree.moves);
        match found {
            Some(opening) => self.codes.entry(opening.code).or_default().add(record.result),
            None => self.unnamed += 1,
        }
        if let Some(stated) = record.tag(stated_tag::<G>()).and_then(Code::parse) {
            self.comparison.add(stated, found.map(|opening| opening.code));
        }
        found
    }

    /// The answer about games of `G`, with the comparison if that is wanted.
    #[must_use]
    pub fn answer<G: Named>(&self, with_comparison: bool) -> GamesOpenings {
        let codes = self.codes.iter();
        GamesOpenings {
            schema: SCHEMA,
            games: self.games,
            bad: self.bad,
            other_starts: self.other_starts,
            unnamed: self.unnamed,
            codes: codes.map(|(&code, results)| CodeGames::of::<G>(code, results)).collect(),
            compare: with_comparison.then(|| CodeComparison::from(&self.comparison)),
        }
    }
}

/// The answer about many games: schema `juzhong.book.classify/1`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GamesOpenings {
    /// The schema.
    pub schema: &'static str,
    /// All games.
    pub games: u64,
    /// Games that cannot be read.
    pub bad: u64,
    /// Games that begin elsewhere.
    pub other_starts: u64,
    /// Games of no named opening.
    pub unnamed: u64,
    /// The games of each code.
    pub codes: Vec<CodeGames>,
    /// The comparison with the codes that games state, if it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compare: Option<CodeComparison>,
}

/// The games of a code.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CodeGames {
    /// The code.
    #[serde(flatten)]
    pub code: OpeningCode,
    /// The Chinese name.
    pub name: Option<&'static str>,
    /// The English name.
    pub name_en: Option<&'static str>,
    /// The games.
    pub games: u64,
    /// The games that each side won.
    #[serde(flatten)]
    pub wins: NamedSides<u64>,
    /// The games drawn.
    pub draws: u64,
}

impl CodeGames {
    fn of<G: Named>(code: Code, results: &CodeResults) -> Self {
        let &CodeResults { games, first, draws, second } = results;
        Self {
            code: OpeningCode::of::<G>(Some(code)),
            name: G::name_of(code),
            name_en: code.english_name(),
            games,
            wins: NamedSides::of::<G>(BySide { first, second }),
            draws,
        }
    }
}

/// The comparison of the codes that games state with those found.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CodeComparison {
    /// Games that state a code.
    pub stated: u64,
    /// Those for which a code of the same letter was found.
    pub same_letter: u64,
    /// Those for which the same code was found.
    pub same_code: u64,
    /// The share of the same letter; null where no game states a code.
    pub letter_share: Option<f64>,
    /// The share of the same code; null where no game states a code.
    pub code_share: Option<f64>,
    /// Stated and found codes that differ, the most frequent first.
    pub others: Vec<CodePair>,
}

/// A code that games state and another that was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CodePair {
    /// Stated.
    pub stated: String,
    /// Found, null if none was.
    pub found: Option<String>,
    /// The games.
    pub games: u64,
}

impl From<&Comparison> for CodeComparison {
    fn from(comparison: &Comparison) -> Self {
        let &Comparison { stated, letters, codes, .. } = comparison;
        let others = comparison.others().into_iter();
        Self {
            stated,
            same_letter: letters,
            same_code: codes,
            letter_share: share_of_stated(letters, stated),
            code_share: share_of_stated(codes, stated),
            others: others.map(CodePair::from).collect(),
        }
    }
}

impl From<((Code, Option<Code>), u64)> for CodePair {
    fn from(((stated, found), games): ((Code, Option<Code>), u64)) -> Self {
        Self { stated: stated.to_string(), found: found.map(|code| code.to_string()), games }
    }
}

/// The share of games among those that state a code, if any does.
fn share_of_stated(part: u64, stated: u64) -> Option<f64> {
    (stated > 0).then(|| rounded(part as f64 / stated as f64))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gomoku::Board;
    use crate::xiangqi::Position;

    #[test]
    fn an_opening_has_the_members_of_its_game() {
        let line = LineRequest { moves: "h2e2 h9g7".to_owned(), ..LineRequest::default() };
        let named = classify_line::<Position>(&line).unwrap().answer();
        let named = serde_json::to_value(named).unwrap();
        assert!(named["ecco"].is_string() && named["name_en"].is_string(), "{named}");
        let none = classify_line::<Board>(&LineRequest::default()).unwrap().answer();
        let none = serde_json::to_value(none).unwrap();
        assert!(none.as_object().unwrap().contains_key("opening"), "{none}");
        assert!(none["opening"].is_null() && none["ply"].is_null(), "{none}");
    }
}
