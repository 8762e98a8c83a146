//! The pairings of a tournament and the order of its games.
//!
//! A round is one opening, played by every pairing twice in a row with colours exchanged; so all pairings have the same
//! openings, and a tournament that is cut off between two rounds has as many games of each. Within a round of a round
//! robin the pairings come as in the circle method of chess clubs: everybody plays once before anybody plays twice
//! (but for the one who has no opponent, if they are odd).

use std::fmt;
use std::str::FromStr;

/// The form of a tournament.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TournamentForm {
    /// Everybody plays everybody.
    #[default]
    RoundRobin,
    /// The first engine plays all others.
    Gauntlet,
}

impl TournamentForm {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::RoundRobin, Self::Gauntlet];

    /// `round-robin` or `gauntlet`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::RoundRobin => "round-robin",
            Self::Gauntlet => "gauntlet",
        }
    }
}

impl fmt::Display for TournamentForm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for TournamentForm {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let known = Self::ALL.into_iter().find(|form| form.name().eq_ignore_ascii_case(text));
        known.ok_or("choose round-robin or gauntlet")
    }
}

/// Engines in a tournament at most: each has a letter.
pub const MAX_ENGINES: usize = 26;

/// The letter of an engine, counted from 0: `a` for the first one.
///
/// ```
/// assert_eq!(juzhong::contest::engine_letter(2), 'c');
/// ```
#[must_use]
pub fn engine_letter(engine: usize) -> char {
    ('a'..='z').nth(engine).unwrap_or('?')
}

/// The number of the engine with a letter, from 0.
pub(crate) fn engine_of_letter(letter: &str) -> Option<usize> {
    (0..MAX_ENGINES).find(|&engine| letter.chars().eq([engine_letter(engine)]))
}

/// The pairings of a tournament, in the order in which they play an opening.
///
/// ```
/// use juzhong::contest::{Schedule, TournamentForm};
///
/// let schedule = Schedule::new(TournamentForm::Gauntlet, 3);
/// assert_eq!(schedule.pairings(), [[0, 1], [0, 2]]);
/// // Two games of each pairing and opening: the fourth game is the second one of the first and the third engine.
/// assert_eq!((schedule.engines_of(3), schedule.round_of(3)), (Some([0, 2]), 0));
/// assert_eq!((schedule.engines_of(4), schedule.round_of(4)), (Some([0, 1]), 1));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Schedule {
    engines: usize,
    pairings: Vec<[usize; 2]>,
}

impl Schedule {
    /// The schedule of a tournament of this form with this number of engines.
    #[must_use]
    pub fn new(form: TournamentForm, engines: usize) -> Self {
        let pairings = match form {
            TournamentForm::RoundRobin => in_circles(engines),
            TournamentForm::Gauntlet => (1..engines).map(|other| [0, other]).collect(),
        };
        Self { engines, pairings }
    }

    /// The number of engines.
    #[must_use]
    pub const fn engines(&self) -> usize {
        self.engines
    }

    /// The pairings, each with the engine that was named first before the other.
    #[must_use]
    pub fn pairings(&self) -> &[[usize; 2]] {
        &self.pairings
    }

    /// The place among the pairings of the one that plays a game, counted from 0; `None` without pairings.
    #[must_use]
    pub fn pairing_of(&self, game: usize) -> Option<usize> {
        (game / 2).checked_rem(self.pairings.len())
    }

    /// The engines that play a game, counted from 0: the first one of them has the first side in even games.
    #[must_use]
    pub fn engines_of(&self, game: usize) -> Option<[usize; 2]> {
        self.pairing_of(game).map(|pairing| self.pairings[pairing])
    }

    /// The opening of a game, counted from 0.
    #[must_use]
    pub fn round_of(&self, game: usize) -> usize {
        (game / 2).checked_div(self.pairings.len()).unwrap_or(0)
    }

    /// The number of games if each pairing plays this number, rounded up to an even one.
    #[must_use]
    pub const fn games(&self, each: usize) -> usize {
        each.saturating_add(each % 2).saturating_mul(self.pairings.len())
    }
}

/// All pairs of engines: one stays in its place, the others move round it.
fn in_circles(engines: usize) -> Vec<[usize; 2]> {
    let Some(last) = (engines + engines % 2).checked_sub(1) else { return Vec::new() };
    let pairs = (0..last).flat_map(|turn| opposite(turn, last)).map(|[a, b]| [a.min(b), a.max(b)]);
    // The place that is nobody's if they are odd.
    pairs.filter(|pair| pair[1] < engines).collect()
}

/// The pairs of a turn: the place `last` stays, the places before it are round a circle and pair off across it.
fn opposite(turn: usize, last: usize) -> impl Iterator<Item = [usize; 2]> {
    let around = (1..=last / 2).map(move |step| [turn + step, turn + last - step]);
    let around = around.map(move |pair| pair.map(|place| place % last));
    std::iter::once([turn, last]).chain(around)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn everybody_meets_everybody_once_a_round() {
        for engines in 0..=MAX_ENGINES {
            let schedule = Schedule::new(TournamentForm::RoundRobin, engines);
            let met: BTreeSet<_> = schedule.pairings().iter().copied().collect();
            let all: BTreeSet<_> =
                (0..engines).flat_map(|a| (a + 1..engines).map(move |b| [a, b])).collect();
            assert_eq!((schedule.pairings().len(), &met), (all.len(), &all), "{engines}");
            assert_eq!(schedule.games(3), 4 * all.len());
        }
        assert_eq!(Schedule::new(TournamentForm::RoundRobin, 2).pairings(), [[0, 1]]);
        assert_eq!(Schedule::new(TournamentForm::RoundRobin, 0).engines_of(5), None);
    }

    /// Nobody, wherever it is cut off, has played much more than anybody else.
    #[test]
    fn a_part_of_a_round_robin_is_balanced() {
        for engines in 2..=MAX_ENGINES {
            let schedule = Schedule::new(TournamentForm::RoundRobin, engines);
            let mut played = vec![0_u32; engines];
            for pair in schedule.pairings() {
                pair.iter().for_each(|&engine| played[engine] += 1);
                let most = played.iter().max().unwrap();
                let least = played.iter().min().unwrap();
                assert!(most - least <= 2 - (engines as u32 + 1) % 2, "{engines}: {played:?}");
            }
        }
    }

    #[test]
    fn a_gauntlet_is_the_first_against_all() {
        let schedule = Schedule::new(TournamentForm::Gauntlet, 5);
        assert_eq!(schedule.pairings(), [[0, 1], [0, 2], [0, 3], [0, 4]]);
        assert_eq!(schedule.games(10), 40);
    }

    #[test]
    fn pairings_play_the_same_openings_with_both_colours() {
        for form in TournamentForm::ALL {
            let schedule = Schedule::new(form, 4);
            let all = schedule.games(6);
            for &pair in schedule.pairings() {
                let games: Vec<usize> =
                    (0..all).filter(|&game| schedule.engines_of(game) == Some(pair)).collect();
                let rounds: Vec<usize> =
                    games.iter().map(|&game| schedule.round_of(game)).collect();
                assert_eq!(rounds, [0, 0, 1, 1, 2, 2]);
                assert!(games.chunks(2).all(|two| two[0] % 2 == 0 && two[1] == two[0] + 1));
            }
        }
    }

    #[test]
    fn names_and_letters_come_back() {
        for form in TournamentForm::ALL {
            assert_eq!(form.name().parse(), Ok(form));
        }
        assert!("swiss".parse::<TournamentForm>().is_err());
        for engine in 0..MAX_ENGINES {
            assert_eq!(engine_of_letter(&engine_letter(engine).to_string()), Some(engine));
        }
        assert_eq!(
            (engine_of_letter("?"), engine_of_letter("ab"), engine_of_letter("")),
            (None, None, None)
        );
    }
}
