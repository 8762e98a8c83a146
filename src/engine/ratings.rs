//! Strength by an Elo rating: handicaps between those of the levels whose ratings were measured.

use std::ops::RangeInclusive;

use super::handicap::Handicap;
use super::level::Level;
use super::playable::Playable;

/// The lowest and the highest Elo rating that the engine can be held to in a game: those of the weakest level that searches
/// and of the strongest below full strength. `None` where the levels of the game are not rated.
#[must_use]
pub fn elo_range<G: Playable>() -> Option<RangeInclusive<u16>> {
    let ratings = G::LEVEL_RATINGS?;
    Some(*ratings.first()?..=*ratings.last()?)
}

/// The handicap of a rating, which is cut to the [range](elo_range): between those of the two levels nearest to it, nodes
/// in geometric and margins in linear proportion. `None` where the levels of the game are not rated.
///
/// ```
/// use juzhong::engine::{Level, elo_range, handicap_of_elo};
/// use juzhong::xiangqi::Position;
///
/// let elo = elo_range::<Position>().unwrap();
/// let weakest = handicap_of_elo::<Position>(*elo.start()).unwrap();
/// assert_eq!(weakest, Level::WEAKEST.handicap());
/// assert!(handicap_of_elo::<Position>(*elo.end()).unwrap().margin.is_none());
/// ```
#[must_use]
pub fn handicap_of_elo<G: Playable>(elo: u16) -> Option<Handicap> {
    let ratings = G::LEVEL_RATINGS?;
    let above = ratings.partition_point(|&rating| rating <= elo);
    let lower = level(above.saturating_sub(1))?;
    let neighbours = above.checked_sub(1).and_then(|below| ratings.get(below..=above));
    let Some(&[least, next]) = neighbours else { return Some(lower.handicap()) };
    let part = f64::from(elo - least) / f64::from(next - least);
    Some(lower.handicap().towards(level(above)?.handicap(), part))
}

/// The level whose rating has this index.
fn level(index: usize) -> Option<Level> {
    Level::new(u8::try_from(index + 1).ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gomoku::Board;
    use crate::xiangqi::Position;

    fn of(elo: u16) -> Handicap {
        handicap_of_elo::<Position>(elo).unwrap()
    }

    #[test]
    fn ratings_grow_with_the_levels_and_stand_for_them() {
        let ratings = Position::LEVEL_RATINGS.unwrap();
        assert!(ratings.is_sorted_by(|a, b| a < b));
        let levels = Level::all().filter(|&level| level != Level::FULL);
        for (level, &rating) in levels.zip(&ratings) {
            assert_eq!(of(rating), level.handicap(), "{level:?}");
        }
        assert_eq!(of(0), of(ratings[0]));
        assert_eq!(of(u16::MAX), of(ratings[8]));
    }

    #[test]
    fn a_higher_rating_is_never_held_to_more() {
        let range = elo_range::<Position>().unwrap();
        for elo in *range.start()..*range.end() {
            let (weaker, stronger) = (of(elo), of(elo + 1));
            assert!(weaker.margin >= stronger.margin, "{elo}");
            let is_alike = weaker.margin.is_some() == stronger.margin.is_some();
            assert!(!is_alike || weaker.nodes <= stronger.nodes, "{elo}");
        }
    }

    #[test]
    fn games_without_rated_levels_have_no_ratings() {
        assert_eq!(handicap_of_elo::<Board>(1_500), None);
        assert_eq!(elo_range::<Board>(), None);
    }
}
