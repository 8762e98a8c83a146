//! A game as the book counts it: once, however many copies of it the sources hold.

use std::cmp::Ordering;
use std::io;

use crate::book::model::details::GameDetails;
use crate::book::model::groups::GroupNames;
use crate::book::model::move_stats::{MoveStats, result_number, result_of, tally_of};
use crate::bytes::external_sort::Summand;
use crate::bytes::varint;
use crate::game::{Notation, Outcome, Packed, Side, Symmetric};
use crate::record::Record;

/// The first plausible year: earlier ones are treated as misprints.
pub const FIRST_YEAR: u16 = 1800;

/// The last plausible year: later ones are treated as misprints.
pub const LAST_YEAR: u16 = 2035;

/// The highest plausible rating: greater ones are treated as misprints.
const MAX_RATING: u16 = 4000;

/// Names a game: the first 128 bits of the BLAKE3 hash of the game's name, the text of the start
/// position and every move of the main line as 16 bits, little-endian.
///
/// # Stability
///
/// These are in every book, and two books are compared by them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GameId(pub [u8; 16]);

/// The kind of games whose ids a table holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum IdTable {
    Games,
    Elsewhere,
}

impl GameId {
    /// The name of the game that begins at `start` and goes on with `moves`.
    #[must_use]
    pub fn new<G: Notation>(start: &str, moves: &[G::Move]) -> Self {
        let mut hasher = blake3::Hasher::new();
        // With a zero after each text, so that no two pairs of texts give the same bytes.
        hasher.update(G::NAME.as_bytes()).update(&[0]).update(start.as_bytes()).update(&[0]);
        let mut bytes = Vec::with_capacity(2 * moves.len());
        bytes.extend(moves.iter().flat_map(|mv| mv.pack().to_le_bytes()));
        hasher.update(&bytes);
        let mut id = [0; 16];
        hasher.finalize_xof().fill(&mut id);
        Self(id)
    }
}

impl GameId {
    /// The name that a game from a usual start, with that text, shares with its mirror images, and the moves of
    /// the image that it is the name of: of all images that with the least moves.
    pub(crate) fn folded<G: Notation + Symmetric>(
        (usual, start): (&G, &str),
        moves: &[G::Move],
    ) -> (Self, Vec<G::Move>) {
        let key = usual.symmetric_key(0, None);
        // Only images that leave the start as it is: others are games from another start.
        let images = (0..usual.symmetries()).filter(|&s| usual.symmetric_key(s, None) == key);
        let least = images
            .map(|s| moves.iter().map(|&mv| usual.map_move(mv, s)).collect::<Vec<_>>())
            .min_by_key(|moves: &Vec<G::Move>| moves.iter().map(|mv| mv.pack()).collect::<Vec<_>>())
            .unwrap_or_else(|| moves.to_vec());
        (Self::new::<G>(start, &least), least)
    }
}

/// The kind of a game, by its start and moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum GameKind {
    /// Begins at a usual start and has moves: counted.
    Usual,
    /// Begins elsewhere.
    OtherStart,
    /// Begins at a usual start and has no moves.
    NoMoves,
}

impl GameKind {
    /// The inverse of `as u8`; `None` for other numbers.
    #[must_use]
    pub const fn from_number(number: u8) -> Option<Self> {
        Some(match number {
            0 => Self::Usual,
            1 => Self::OtherStart,
            2 => Self::NoMoves,
            _ => return None,
        })
    }
}

/// The starts of games that are counted, with their texts.
#[derive(Debug)]
pub(crate) struct UsualStarts<G> {
    starts: Vec<G>,
    texts: Vec<String>,
}

impl<G: Notation> UsualStarts<G> {
    pub(crate) fn new() -> Self {
        let starts = G::starts();
        Self { texts: starts.iter().map(G::to_fen).collect(), starts }
    }

    /// The number of the start with that text; the first is that of a game that states none.
    pub(crate) fn number_of(&self, text: Option<&str>) -> Option<u8> {
        let Some(text) = text else { return Some(0) };
        self.texts.iter().position(|start| start == text).and_then(|n| u8::try_from(n).ok())
    }

    pub(crate) fn get(&self, number: u8) -> Option<&G> {
        self.starts.get(usize::from(number))
    }

    pub(crate) fn text(&self, number: u8) -> &str {
        self.texts.get(usize::from(number)).map_or("", String::as_str)
    }
}

/// All copies of a game. Differences between copies are settled without regard to their order: the result by
/// majority, the year is the earliest stated, a rating the highest stated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CountedGame {
    pub(crate) id: GameId,
    /// 0, so that copies are brought together, or a number that no other record has; in shards, one
    /// that only records of one file have.
    pub(crate) serial: u64,
    pub(crate) kind: GameKind,
    /// The number of its start among the usual ones; only of counted games.
    pub(crate) start: u8,
    /// Number of copies that state each result, by its number.
    pub(crate) votes: [u64; 4],
    pub(crate) year: Option<u16>,
    /// By side.
    pub(crate) ratings: [Option<u16>; 2],
    /// The first moves of the main line, packed; only of counted games.
    pub(crate) moves: Box<[u16]>,
    /// Only of counted games.
    pub(crate) groups: GroupNames,
    /// Its details that samples show, if the book has samples; only of counted games.
    pub(crate) details: Option<Box<GameDetails>>,
}

/// Added to the number of the kind where details follow.
const WITH_DETAILS: u8 = 0x80;

/// Added to the number of the kind where that of the start follows: it is not the first one.
const WITH_START: u8 = 0x40;

/// More copies of a game than any collection has; sums of such numbers fit.
pub(crate) const MAX_VOTES: u64 = 1 << 48;

/// The result that most of the copies with a result state; `None` on a tie for the most, and if no
/// copy states one. The votes are by the results' numbers.
pub(crate) fn majority(votes: &[u64; 4]) -> Option<Outcome> {
    let most = *votes[1..].iter().max()?;
    let mut leaders = (1..4).filter(|&number| votes[usize::from(number)] == most);
    match (leaders.next(), leaders.next()) {
        // A second leader is a tie: then no result is better than a wrong one.
        (Some(number), None) if most > 0 => result_of(number),
        _ => None,
    }
}

impl CountedGame {
    /// The game of a record. Up to `max_ply` moves are kept.
    pub(crate) fn new<G: Notation>(
        record: &Record<G>,
        facts: &Facts,
        usual: &UsualStarts<G>,
        max_ply: usize,
    ) -> Self {
        let moves = &record.tree.moves;
        let text = record.start.as_ref().map(G::to_fen);
        let start = usual.number_of(text.as_deref());
        let other = text.filter(|_| start.is_none());
        let kind = match (&other, moves.is_empty()) {
            (Some(_), _) => GameKind::OtherStart,
            (None, true) => GameKind::NoMoves,
            (None, false) => GameKind::Usual,
        };
        let kept = if kind == GameKind::Usual { moves.len().min(max_ply) } else { 0 };
        let mut votes = [0; 4];
        votes[usize::from(result_number(facts.result))] = 1;
        let start = start.filter(|_| kind != GameKind::OtherStart).unwrap_or(0);
        Self {
            // All moves name a game, those beyond the ones that are kept, too.
            id: GameId::new::<G>(other.as_deref().unwrap_or(usual.text(start)), moves),
            serial: 0,
            kind,
            start,
            votes,
            year: facts.year,
            ratings: facts.ratings,
            moves: moves[..kept].iter().map(|mv| mv.pack()).collect(),
            groups: if kept > 0 { GroupNames::of(record) } else { GroupNames::default() },
            details: None,
        }
    }

    /// Makes mirror images of a game from the usual start copies of one game.
    pub(crate) fn fold<G: Notation + Symmetric>(
        &mut self,
        moves: &[G::Move],
        usual: &UsualStarts<G>,
    ) {
        if self.kind == GameKind::Usual
            && let Some(start) = usual.get(self.start)
        {
            let (id, moves) = GameId::folded::<G>((start, usual.text(self.start)), moves);
            self.id = id;
            self.moves = moves[..self.moves.len()].iter().map(|mv| mv.pack()).collect();
        }
    }

    /// A game without any facts but its id.
    #[cfg(test)]
    pub(crate) fn empty(id: GameId) -> Self {
        Self {
            id,
            serial: 0,
            kind: GameKind::Usual,
            start: 0,
            votes: [0; 4],
            year: None,
            ratings: [None; 2],
            moves: Box::new([]),
            groups: GroupNames::default(),
            details: None,
        }
    }

    /// The number of copies.
    pub(crate) fn copies(&self) -> u64 {
        self.votes.iter().fold(0, |sum, &votes| sum.saturating_add(votes))
    }

    /// The [`majority`] of the copies.
    pub(crate) fn result(&self) -> Option<Outcome> {
        majority(&self.votes)
    }

    /// Returns true if two copies state different results.
    pub(crate) fn is_disputed(&self) -> bool {
        self.votes[1..].iter().filter(|&&n| n > 0).count() > 1
    }
}

/// The facts in a record's tags that concern a book.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Facts {
    /// The result, if one is stated.
    pub result: Option<Outcome>,
    /// The year in which it was played.
    pub year: Option<u16>,
    /// The players' ratings, first side first.
    pub ratings: [Option<u16>; 2],
}

impl Facts {
    /// Reads the facts that a record states. Years and ratings that cannot be are none.
    #[must_use]
    pub fn of<G: Notation>(record: &Record<G>) -> Self {
        let mut facts = Self { result: record.result, ..Self::default() };
        for (name, value) in &record.tags {
            if facts.year.is_none() && name.eq_ignore_ascii_case("Date") {
                facts.year = year(value);
            } else if let Some((side, rest)) = side_of_tag::<G>(name)
                && (rest.eq_ignore_ascii_case("Elo") || rest.eq_ignore_ascii_case("Rating"))
            {
                let slot = &mut facts.ratings[side.index()];
                *slot = slot.or_else(|| rating(value));
            }
        }
        facts
    }

    /// The counts of one game in which `mover` made the move.
    #[must_use]
    pub fn counts(&self, mover: Side) -> MoveStats {
        tally_of(self.result, self.ratings[mover.index()], self.year)
    }
}

/// The side that a tag such as `RedElo` is about, and the rest of its name after the colour. Gomoku is begun
/// by Black, xiangqi by Red, which some programs call White.
pub(crate) fn side_of_tag<G: Notation>(name: &str) -> Option<(Side, &str)> {
    let (colour, len) = ["red", "white", "black"]
        .iter()
        .map(|colour| (*colour, colour.len()))
        .find(|(colour, len)| name.get(..*len).is_some_and(|s| s.eq_ignore_ascii_case(colour)))?;
    Some((if colour == "black" { G::BLACK } else { !G::BLACK }, &name[len..]))
}

/// The first plausible year among the numbers of four digits (`1987.05.12`) or eight (`19870512`).
fn year(text: &str) -> Option<u16> {
    text.split(|c: char| !c.is_ascii_digit())
        .filter(|digits| matches!(digits.len(), 4 | 8))
        .filter_map(|digits| digits[..4].parse().ok())
        .find(|year| (FIRST_YEAR..=LAST_YEAR).contains(year))
}

fn rating(text: &str) -> Option<u16> {
    text.trim().parse().ok().filter(|n| (1..=MAX_RATING).contains(n))
}

impl Summand for CountedGame {
    fn size(&self) -> usize {
        let details = self.details.as_ref().map_or(0, |details| details.size());
        size_of::<Self>() + 2 * self.moves.len() + 16 + self.groups.size() + details
    }

    fn order(&self, other: &Self) -> Ordering {
        (self.id, self.serial).cmp(&(other.id, other.serial))
    }

    fn absorb(&mut self, other: Self) {
        for (votes, more) in self.votes.iter_mut().zip(other.votes) {
            *votes = votes.saturating_add(more);
        }
        self.year = match (self.year, other.year) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
        for (rating, more) in self.ratings.iter_mut().zip(other.ratings) {
            *rating = (*rating).max(more);
        }
        self.groups.absorb(other.groups);
        self.details = match (self.details.take(), other.details) {
            (Some(a), Some(b)) => Some(Box::new((*a).better(*b))),
            (a, b) => a.or(b),
        };
    }

    fn put(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.id.0);
        varint::put(out, self.serial);
        let details = if self.details.is_some() { WITH_DETAILS } else { 0 };
        let start = if self.start > 0 { WITH_START } else { 0 };
        out.push(self.kind as u8 | details | start);
        if self.start > 0 {
            out.push(self.start);
        }
        for n in self.votes {
            varint::put(out, n);
        }
        for n in [self.year, self.ratings[0], self.ratings[1]] {
            varint::put(out, n.unwrap_or(0).into());
        }
        varint::put(out, self.moves.len() as u64);
        out.extend(self.moves.iter().flat_map(|mv| mv.to_le_bytes()));
        self.groups.put(out);
        if let Some(details) = &self.details {
            details.put(out);
        }
    }

    fn take(input: &mut &[u8]) -> Option<Self> {
        let id = GameId(*input.split_off(..16)?.first_chunk()?);
        let serial = varint::take(input)?;
        let kind = *input.split_off_first()?;
        let has_details = kind & WITH_DETAILS != 0;
        let start = if kind & WITH_START == 0 { 0 } else { *input.split_off_first()? };
        let kind = GameKind::from_number(kind & !WITH_DETAILS & !WITH_START)?;
        let mut votes = [0; 4];
        for n in &mut votes {
            *n = varint::take(input).filter(|&votes| votes <= MAX_VOTES)?;
        }
        let mut numbers = [None; 3];
        for n in &mut numbers {
            *n = Some(u16::try_from(varint::take(input)?).ok()?).filter(|&n| n > 0);
        }
        let [year, first, second] = numbers;
        let len = usize::try_from(varint::take(input)?).ok()?;
        let bytes = input.split_off(..len.checked_mul(2)?)?;
        let moves = bytes.as_chunks().0.iter().map(|&b| u16::from_le_bytes(b)).collect();
        let groups = GroupNames::take(input)?;
        let details = if has_details { Some(Box::new(GameDetails::take(input)?)) } else { None };
        let ratings = [first, second];
        Some(Self { id, serial, kind, start, votes, year, ratings, moves, groups, details })
    }
}

/// The facts that one file states of a game. The same from several readings of the file counts once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FromSource(pub(crate) CountedGame);

impl Summand for FromSource {
    fn size(&self) -> usize {
        self.0.size()
    }

    fn order(&self, other: &Self) -> Ordering {
        self.0.order(&other.0)
    }

    fn absorb(&mut self, _same: Self) {}

    fn put(&self, out: &mut Vec<u8>) {
        self.0.put(out);
    }

    fn take(input: &mut &[u8]) -> Option<Self> {
        CountedGame::take(input).map(Self)
    }
}

/// Brings together the facts that all files state of a game: from the items of each file, in the order of
/// ids, makes each game once, without a source.
pub(crate) struct Copies<I> {
    from_sources: I,
    next: Option<CountedGame>,
}

impl<I> Copies<I> {
    pub(crate) const fn new(from_sources: I) -> Self {
        Self { from_sources, next: None }
    }
}

impl<I: Iterator<Item = io::Result<FromSource>>> Iterator for Copies<I> {
    type Item = io::Result<CountedGame>;

    fn next(&mut self) -> Option<io::Result<CountedGame>> {
        for copy in self.from_sources.by_ref() {
            let copy = match copy {
                Ok(FromSource(copy)) => CountedGame { serial: 0, ..copy },
                Err(error) => return Some(Err(error)),
            };
            match &mut self.next {
                Some(game) if game.id == copy.id => game.absorb(copy),
                next => {
                    if let Some(game) = next.replace(copy) {
                        return Some(Ok(game));
                    }
                }
            }
        }
        self.next.take().map(Ok)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::book::model::details::tests::any_details;
    use proptest::prelude::*;

    fn with_votes(votes: [u64; 4]) -> CountedGame {
        CountedGame { votes, ..CountedGame::empty(GameId([7; 16])) }
    }

    #[test]
    fn the_majority_of_stated_results_decides() {
        let red = Some(Outcome::Win(Side::First));
        assert_eq!(with_votes([9, 2, 1, 1]).result(), red);
        assert_eq!(with_votes([0, 0, 3, 1]).result(), Some(Outcome::Draw));
        assert_eq!(with_votes([5, 0, 0, 1]).result(), Some(Outcome::Win(Side::Second)));
        assert_eq!(with_votes([0, 1, 0, 1]).result(), None);
        assert_eq!(with_votes([4, 0, 0, 0]).result(), None);
        assert!(with_votes([0, 1, 0, 1]).is_disputed());
        assert!(!with_votes([1, 2, 0, 0]).is_disputed());
    }

    #[test]
    fn years_come_from_dates_of_any_form() {
        for (text, expected) in [
            ("1987.05.12", Some(1987)),
            ("12/5/2004", Some(2004)),
            ("１９８７", None),
            ("約1956年", Some(1956)),
            ("????.??.??", None),
            ("20041231", Some(2004)),
            ("3004", None),
            ("0000.2011", Some(2011)),
            ("", None),
        ] {
            assert_eq!(year(text), expected, "{text}");
        }
    }

    fn any_number() -> impl Strategy<Value = Option<u16>> {
        prop::option::of(1..4000u16)
    }

    fn any_played() -> impl Strategy<Value = CountedGame> {
        let moves = prop::collection::vec(any::<u16>(), 0..70);
        let details = prop::option::of(any_details().prop_map(Box::new));
        let ratings = (any_number(), any_number());
        (any::<[u8; 16]>(), any::<[u32; 4]>(), any_number(), ratings, moves, details).prop_map(
            |(id, votes, year, (first, second), moves, details)| CountedGame {
                id: GameId(id),
                serial: u64::from(votes[0]),
                kind: GameKind::Usual,
                start: votes[1] as u8,
                votes: votes.map(u64::from),
                year,
                ratings: [first, second],
                moves: moves.into(),
                groups: GroupNames::default(),
                details,
            },
        )
    }

    fn sum(mut one: CountedGame, other: &CountedGame) -> CountedGame {
        one.absorb(other.clone());
        one
    }

    #[test]
    fn forged_votes_are_none() {
        for (votes, is_sound) in [(MAX_VOTES, true), (MAX_VOTES + 1, false), (1 << 63, false)] {
            let mut bytes = Vec::new();
            with_votes([0, votes, 0, 0]).put(&mut bytes);
            assert_eq!(CountedGame::take(&mut bytes.as_slice()).is_some(), is_sound);
        }
    }

    proptest! {
        #[test]
        fn put_then_take_is_identity(played in any_played()) {
            let mut bytes = Vec::new();
            played.put(&mut bytes);
            let mut rest = bytes.as_slice();
            prop_assert_eq!(CountedGame::take(&mut rest), Some(played));
            prop_assert!(rest.is_empty());
        }

        #[test]
        fn copies_may_come_in_any_order(
            a in any_played(), b in any_played(), c in any_played(),
        ) {
            let one = sum(sum(a.clone(), &b), &c);
            let other = sum(a, &sum(c, &b));
            prop_assert_eq!(one, other);
        }
    }
}
