//! Cross tables: everybody's results against everybody.

use std::cmp::Reverse;

use crate::contest::match_elo::Count;
use crate::contest::ratings::{Rating, Ratings};
use crate::contest::tournament::TournamentTotals;

/// The table of a tournament, the best engine first.
#[derive(Debug, Clone, PartialEq)]
pub struct CrossTable {
    /// A row for each engine.
    pub rows: Vec<CrossRow>,
    /// True if ratings needed virtual draws, as in [`Ratings`].
    pub with_prior: bool,
}

/// An engine in a cross table.
#[derive(Debug, Clone, PartialEq)]
pub struct CrossRow {
    /// The number of the engine, from 0.
    pub engine: usize,
    /// Its place, from 1; engines of the same rating and score share one.
    pub rank: usize,
    /// Its rating; `None` before it has played.
    pub rating: Option<Rating>,
    /// Its results as the first and as the second side.
    pub colours: [Count; 2],
    /// Its results against each engine, by their numbers; `None` where the two do not meet.
    pub against: Vec<Option<Count>>,
}

impl CrossRow {
    /// Its results with either colour.
    #[must_use]
    pub fn total(&self) -> Count {
        self.colours[0] + self.colours[1]
    }

    /// The values that decide about its place: the rating, and the points where ratings are the same.
    fn merit(&self) -> (Option<i64>, u64) {
        // Thousandths of Elo: what is less may come from the order of sums.
        let rating = self.rating.map(|rating| (rating.elo * 1e3).round() as i64);
        let Count { wins, draws, .. } = self.total();
        (rating, 2 * wins + draws)
    }
}

impl CrossTable {
    /// The table of the games so far. Engines are in the order of their ratings; those that have not played come last.
    #[must_use]
    pub fn of(totals: &TournamentTotals) -> Self {
        let Ratings { players, with_prior } = totals.ratings();
        let rows = players.into_iter().enumerate().map(|(engine, rating)| CrossRow {
            engine,
            rank: 0,
            rating,
            colours: totals.colours(engine),
            against: against(totals, engine),
        });
        let mut rows: Vec<CrossRow> = rows.collect();
        rows.sort_by_key(|row| Reverse(row.merit()));
        let merits: Vec<_> = rows.iter().map(CrossRow::merit).collect();
        for row in &mut rows {
            row.rank = 1 + merits.iter().filter(|&&merit| merit > row.merit()).count();
        }
        Self { rows, with_prior }
    }
}

/// The results of an engine against each engine.
fn against(totals: &TournamentTotals, engine: usize) -> Vec<Option<Count>> {
    let mut against = vec![None; totals.engines()];
    for ([first, second], totals) in totals.pairings() {
        let count = totals.results.total();
        if first == engine {
            against[second] = Some(count);
        } else if second == engine {
            against[first] = Some(count.reversed());
        }
    }
    against
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contest::schedule::{Schedule, TournamentForm};
    use crate::contest::scheduler::ContestGame;
    use crate::game::{Outcome, Side};
    use crate::record::{Record, Tree};
    use crate::xiangqi::Position;

    fn game(schedule: &Schedule, number: usize, outcome: Outcome) -> ContestGame<Position> {
        let (first, second) = ("Red".to_owned(), "Black".to_owned());
        let record = Record {
            tags: vec![(first, format!("r{number}")), (second, format!("b{number}"))],
            start: None,
            start_clock: 0,
            result: Some(outcome),
            tree: Tree::default(),
        };
        ContestGame {
            number,
            engines: schedule.engines_of(number).unwrap(),
            record,
            outcome,
            fault: None,
            effort: Default::default(),
            warnings: Default::default(),
        }
    }

    /// Of three engines the last one wins as the first side, and everything else is drawn.
    fn totals(games: usize) -> TournamentTotals {
        let schedule = Schedule::new(TournamentForm::RoundRobin, 3);
        let mut totals = TournamentTotals::new(schedule.clone());
        for number in 0..games {
            let engines = schedule.engines_of(number).unwrap();
            let wins = engines[number % 2] == 2;
            let outcome = if wins { Outcome::Win(Side::First) } else { Outcome::Draw };
            totals.add(&game(&schedule, number, outcome));
        }
        totals
    }

    #[test]
    fn rows_and_columns_add_up() {
        let totals = totals(24);
        let table = CrossTable::of(&totals);
        let engines: Vec<usize> = table.rows.iter().map(|row| row.engine).collect();
        let ranks: Vec<usize> = table.rows.iter().map(|row| row.rank).collect();
        assert_eq!((engines, ranks), (vec![2, 0, 1], vec![1, 2, 2]));
        assert_eq!(table.rows[0].colours[0], Count { wins: 8, draws: 0, losses: 0 });
        assert_eq!(table.rows[0].colours[1], Count { wins: 0, draws: 8, losses: 0 });
        for row in &table.rows {
            assert_eq!(row.against[row.engine], None);
            let sum = row.against.iter().flatten().fold(Count::default(), |sum, &one| sum + one);
            assert_eq!(sum, row.total());
            for other in &table.rows {
                let there = row.against[other.engine];
                assert_eq!(there, other.against[row.engine].map(Count::reversed));
            }
        }
    }

    #[test]
    fn whoever_has_not_played_comes_last() {
        let totals = totals(2);
        let table = CrossTable::of(&totals);
        let engines = Schedule::new(TournamentForm::RoundRobin, 3).engines_of(0).unwrap();
        let waiting = (0..3).find(|engine| !engines.contains(engine)).unwrap();
        assert_eq!(table.rows[2].engine, waiting);
        assert_eq!((table.rows[2].rating, totals.name(waiting)), (None, None));
        assert_eq!(totals.name(engines[0]), Some("b1"));
        assert_eq!(table.rows[2].against[engines[0]], Some(Count::default()));
    }
}
