//! The growth and fall of openings by year.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use serde::Serialize;

use crate::answers::book::figures::{rounded, share};
use crate::book::opening::Code;
use crate::collection::{Conditions, GameIndex, IndexError, OpeningCount};
use crate::game::{Outcome, Side};

/// The games of an opening in a year.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct OpeningYear {
    /// The year.
    pub year: u16,
    /// Its games.
    pub games: u64,
    /// Their share of all games of the year, 0 to 1.
    pub share: f64,
}

/// An opening by year.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct OpeningTrend {
    /// The code; `None` for games without one.
    pub ecco: Option<String>,
    /// The Chinese name.
    pub name: Option<String>,
    /// The English name of the code.
    pub name_en: Option<&'static str>,
    /// All games.
    pub games: u64,
    /// Their share of all games, 0 to 1.
    pub share: f64,
    /// Games that the first side won.
    pub wins: u64,
    /// Games drawn.
    pub draws: u64,
    /// Games that the first side lost. The rest has no known result.
    pub losses: u64,
    /// The score of the first side in games with a known result, 0 to 1.
    pub score: Option<f64>,
    /// The years in which it was played.
    pub years: Vec<OpeningYear>,
}

/// All games of a year.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct YearGames {
    /// The year.
    pub year: u16,
    /// Its games.
    pub games: u64,
}

/// Openings by year: schema `juzhong.games.openings/1`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct OpeningsAnswer {
    schema: &'static str,
    /// All games that state a year; copies are one.
    pub games: u64,
    /// The years of games.
    pub years: Vec<YearGames>,
    /// The openings, the most frequent first.
    pub openings: Vec<OpeningTrend>,
}

impl OpeningsAnswer {
    /// The answer from the games of an index under conditions.
    ///
    /// # Errors
    ///
    /// [`IndexError`].
    pub fn of(index: &GameIndex, conditions: &Conditions) -> Result<Self, IndexError> {
        Ok(Self::from_counts(&index.opening_counts(conditions)?))
    }

    fn from_counts(counts: &[OpeningCount]) -> Self {
        let mut years = BTreeMap::<u16, u64>::new();
        let mut openings = BTreeMap::<Option<&str>, Vec<&OpeningCount>>::new();
        for count in counts {
            *years.entry(count.year).or_default() += count.games;
            openings.entry(count.code.as_deref()).or_default().push(count);
        }
        let games = years.values().sum();
        let trends = openings.into_iter().map(|(code, counts)| trend(code, &counts, &years));
        let mut openings: Vec<OpeningTrend> = trends.collect();
        openings.sort_by_key(|opening| Reverse(opening.games));
        let years = years.into_iter().map(|(year, games)| YearGames { year, games });
        Self { schema: "juzhong.games.openings/1", games, years: years.collect(), openings }
    }
}

fn trend(code: Option<&str>, counts: &[&OpeningCount], all: &BTreeMap<u16, u64>) -> OpeningTrend {
    let games: u64 = counts.iter().map(|count| count.games).sum();
    let wins = games_with(counts, Outcome::Win(Side::First));
    let draws = games_with(counts, Outcome::Draw);
    let losses = games_with(counts, Outcome::Win(Side::Second));
    let known = wins + draws + losses;
    let mut years = BTreeMap::<u16, u64>::new();
    for count in counts {
        *years.entry(count.year).or_default() += count.games;
    }
    let years = years.into_iter().map(|(year, games)| {
        let all = all.get(&year).copied().unwrap_or_default();
        OpeningYear { year, games, share: share(games, all) }
    });
    OpeningTrend {
        ecco: code.map(str::to_owned),
        name: counts.iter().find_map(|count| count.name.clone()),
        name_en: code.and_then(Code::parse).and_then(Code::english_name),
        games,
        share: share(games, all.values().sum()),
        wins,
        draws,
        losses,
        score: (known > 0).then(|| rounded((wins as f64 + draws as f64 / 2.0) / known as f64)),
        years: years.collect(),
    }
}

/// The games with a result.
fn games_with(counts: &[&OpeningCount], result: Outcome) -> u64 {
    let counts = counts.iter().filter(|count| count.result == Some(result));
    counts.map(|count| count.games).sum()
}
