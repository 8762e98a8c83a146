//! The openings that the games of a match begin from.

use std::collections::HashSet;

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use crate::contest::games::Contested;
use crate::contest::one_game::line_of;
use crate::contest::referee::Referee;
use crate::engine::{Engine, EngineOptions};
use crate::game::{Line, MoveList};
use crate::message::Message;
use crate::record::{Record, Tree};
use crate::search::Limits;
use crate::xiangqi::Position;

/// Openings in the order in which a match plays them.
#[derive(Debug)]
pub struct MatchOpenings<G: Contested = Position> {
    list: Vec<Record<G>>,
    /// The place of each in the list that was given, from 1.
    numbers: Vec<usize>,
    seed: u64,
    /// Random plies where an opening comes again.
    extra: usize,
    left_out: Vec<LeftOut>,
}

/// An opening after which the game is over: two games from it would count and measure nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftOut {
    /// Its place in the list that was given, from 1.
    pub number: usize,
    /// The end of the game, for people.
    pub how: Message,
}

/// Positions searched to see whether random plies have given something away.
const NODES: u64 = 2000;
/// Centipawns by which random plies may change the score.
const SWING: i32 = 60;
/// The number of times that random plies are drawn before the last ones are accepted as they are.
const TRIES: usize = 60;

impl<G: Contested> MatchOpenings<G> {
    /// The openings cut after `plies` plies (0: whole), each position (with its clock) once, mirror images included,
    /// and shuffled by `seed`. Those that leave no move are left out; [`judged_by`](Self::judged_by) leaves out
    /// all that end the game. When the list is through it begins again, with `extra` more plies by chance that keep the score about where
    /// it was: engines that play the same again would play the same games.
    #[must_use]
    pub fn new(openings: Vec<Record<G>>, plies: usize, seed: u64, extra: usize) -> Self {
        let mut seen = HashSet::new();
        let mut left_out = Vec::new();
        let cut = (1..).zip(openings).map(|(number, opening)| (number, cut(opening, plies)));
        let mut list: Vec<(usize, Record<G>)> = cut.collect();
        list.retain(|(number, opening)| {
            let line = line_of(opening);
            let position = line.position();
            if position.outcome().is_some() {
                left_out.push(LeftOut { number: *number, how: position.how_ended().into() });
                return false;
            }
            seen.insert((position.canonical().key, line.clock()))
        });
        let mut chance = ChaCha8Rng::seed_from_u64(seed);
        // The shuffle of Fisher and Yates; the bias of the remainder of a 64-bit number is negligible.
        for last in (1..list.len()).rev() {
            let other = chance.next_u64() % (last as u64 + 1);
            list.swap(last, other as usize);
        }
        let (numbers, list) = list.into_iter().unzip();
        Self { list, numbers, seed, extra, left_out }
    }

    /// Leaves out what ends the game under the rules of this referee, by repetition or the limit of moves.
    #[must_use]
    pub fn judged_by(self, referee: &Referee<G>) -> Self {
        let Self { list, numbers, seed, extra, mut left_out } = self;
        let mut kept = (Vec::new(), Vec::new());
        for (opening, number) in list.into_iter().zip(numbers) {
            match end_of(&opening, referee) {
                Some(how) => left_out.push(LeftOut { number, how }),
                None => {
                    kept.0.push(opening);
                    kept.1.push(number);
                }
            }
        }
        left_out.sort_by_key(|left_out| left_out.number);
        Self { list: kept.0, numbers: kept.1, seed, extra, left_out }
    }

    /// The openings that are left out because the game is over after them, in the order in which they were given.
    #[must_use]
    pub fn left_out(&self) -> &[LeftOut] {
        &self.left_out
    }

    /// The number of openings, without random plies.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.list.len()
    }

    /// Returns true if there is none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// All of them, in order, for a digest.
    #[must_use]
    pub fn list(&self) -> &[Record<G>] {
        &self.list
    }

    /// The opening of a pair of games, counted from 0; `None` if there are no openings. Random plies do not end the
    /// game in the eyes of the referee.
    #[must_use]
    pub fn of_pair(&self, pair: usize, referee: &Referee<G>) -> Option<Record<G>> {
        let round = pair.checked_div(self.list.len())?;
        let opening = &self.list[pair % self.list.len()];
        if round == 0 || self.extra == 0 {
            return Some(opening.clone());
        }
        let mut chance = ChaCha8Rng::seed_from_u64(self.seed);
        // A stream for each pair: its plies do not depend on the pairs that were asked for before.
        chance.set_stream(1 + pair as u64);
        Some(extended(opening, self.extra, &mut chance, referee))
    }
}

/// The end of the game after an opening by the rules, for people; `None` if there is a game to play.
fn end_of<G: Contested>(opening: &Record<G>, referee: &Referee<G>) -> Option<Message> {
    referee.by_rules(&line_of(opening)).map(|end| end.how)
}

fn cut<G: Contested>(mut opening: Record<G>, plies: usize) -> Record<G> {
    if plies > 0 {
        opening.tree.moves.truncate(plies);
    }
    opening
}

/// The opening with `plies` random plies more.
fn extended<G: Contested>(
    opening: &Record<G>,
    plies: usize,
    chance: &mut ChaCha8Rng,
    referee: &Referee<G>,
) -> Record<G> {
    let options = EngineOptions { hash_mib: 1, ..EngineOptions::default() };
    let mut engine = Engine::<G>::new(options).ok();
    let mut score = |line: &Line<G>| {
        let engine = engine.as_mut()?;
        engine.new_game();
        let value = engine.search(line, &Limits::nodes(NODES), &())?.score?.value();
        // For the side that moves first in the opening, so that an odd number of plies is no matter.
        Some(if line.len().is_multiple_of(2) { value } else { -value })
    };
    let line = line_of(opening);
    let before = score(&line);
    let mut longer = line.clone();
    for _ in 0..TRIES {
        longer = line.clone();
        let played = (0..plies).all(|_| push_random(&mut longer, chance));
        if !played || referee.by_rules(&longer).is_some() {
            continue;
        }
        if before.zip(score(&longer)).is_none_or(|(before, after)| (after - before).abs() <= SWING)
        {
            break;
        }
    }
    if referee.by_rules(&longer).is_some() {
        return opening.clone();
    }
    let tree = Tree { moves: longer.moves().collect(), ..Tree::default() };
    Record { tree, ..opening.clone() }
}

/// Plays any legal move; `false` if there is none.
fn push_random<G: Contested>(line: &mut Line<G>, chance: &mut ChaCha8Rng) -> bool {
    let mut moves = MoveList::new();
    line.position().legal_moves(&mut moves);
    let Some(index) = chance.next_u64().checked_rem(moves.len() as u64) else { return false };
    line.push(moves[index as usize]);
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contest::games::{built_in_openings, read_positions};
    use crate::record::{Format, PgnOptions, WriteOptions, write_game};
    use crate::xiangqi::notation::MoveNotation;

    fn texts(openings: &MatchOpenings, pairs: std::ops::Range<usize>) -> Vec<String> {
        let texts = pairs.map(|pair| {
            let opening = openings.of_pair(pair, &Referee::default()).unwrap();
            let moves: Vec<_> = opening.tree.moves.iter().map(ToString::to_string).collect();
            moves.join(" ")
        });
        texts.collect()
    }

    /// The first of the built-in lines in the order of a seed.
    fn first_texts(seed: u64) -> Vec<String> {
        texts(&MatchOpenings::new(built_in_openings(&Position::start()), 8, seed, 2), 0..20)
    }

    fn three_lines() -> Vec<Record<Position>> {
        built_in_openings(&Position::start()).into_iter().take(3).collect()
    }

    #[test]
    fn the_built_in_lines_are_many_and_level() {
        let lines = built_in_openings(&Position::start());
        assert_eq!(lines.len(), 159);
        let openings = MatchOpenings::new(lines, 8, 1, 2);
        assert!(openings.len() > 100, "{}", openings.len());
        let different: HashSet<_> = texts(&openings, 0..openings.len()).into_iter().collect();
        assert_eq!(different.len(), openings.len());
    }

    #[test]
    fn the_order_depends_on_the_seed_alone() {
        assert_eq!(first_texts(1), first_texts(1));
        assert_ne!(first_texts(1), first_texts(2));
    }

    #[test]
    fn openings_that_come_again_are_not_the_same() {
        let openings = MatchOpenings::new(three_lines(), 8, 1, 2);
        let pairs = texts(&openings, 0..9);
        assert_eq!(pairs, texts(&openings, 0..9));
        assert!(pairs[3].starts_with(&pairs[0]) && pairs[6].starts_with(&pairs[0]));
        assert_eq!(pairs[3].len(), pairs[0].len() + 10);
        assert_eq!(pairs.iter().collect::<HashSet<_>>().len(), 9);
        let same = texts(&MatchOpenings::new(three_lines(), 8, 1, 0), 0..6);
        assert_eq!(same[..3], same[3..]);
    }

    #[test]
    fn positions_are_read_from_lists() {
        let fen = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR b - - 7 9";
        let other = "3k5/7R1/9/9/9/9/9/9/8R/4K4 w";
        let text = format!("\u{feff}# positions\n\n{fen}\r\n{other} - - bm h8h9; id \"mate\";\n");
        let positions = read_positions(&text, &Position::start()).unwrap().unwrap();
        assert_eq!((positions.len(), positions[0].start_clock), (2, 7));
        assert_eq!(positions[1].start, Some(Position::from_fen(other).unwrap()));
        let error =
            read_positions(&format!("{fen}\n\nnonsense"), &Position::start()).unwrap().unwrap_err();
        assert_eq!(error.line, 3);
        assert!(
            read_positions("1. h2e2 h9g7", &Position::start()).is_none()
                && read_positions("", &Position::start()).is_none()
        );
    }

    #[test]
    fn games_keep_their_moves() {
        let mut game = three_lines().remove(0);
        let mut begun = game.clone();
        begun.tree.moves.truncate(4);
        game.start = Some(line_of(&begun).position().clone());
        game.tree.moves.drain(..4);
        let moves = game.tree.moves.clone();
        for &format in Format::ALL {
            for notation in MoveNotation::ALL {
                let pgn = PgnOptions { notation, ..PgnOptions::default() };
                let options = WriteOptions { pgn, ..WriteOptions::default() };
                let mut bytes = Vec::new();
                let is_written = write_game(&mut bytes, &game, format, &options).is_ok();
                let Some(text) = String::from_utf8(bytes).ok().filter(|_| is_written) else {
                    continue;
                };
                if let Some(read) = read_positions(&text, &Position::start()) {
                    assert_eq!(format, Format::Plain, "{text}");
                    assert_eq!(read.unwrap()[0].tree.moves, moves, "{text}");
                }
            }
        }
    }

    #[test]
    fn moves_behind_a_position_are_played() {
        let fen = "3k5/7R1/9/9/9/9/9/9/8R/4K4 w";
        let lists = [
            format!("{fen} moves h8h9 d9d8"),
            format!("{fen} - - 0 1 h8h9 d9d8"),
            format!("{fen} - - 0 1 1. 車二進一 將4進1"),
            format!("# first\n\u{feff} {fen} h8h9 d9d8\n{fen} h8h9 d9d8"),
        ];
        for list in lists {
            for read in read_positions(&list, &Position::start()).unwrap().unwrap() {
                assert_eq!(read.tree.moves.len(), 2, "{list}");
            }
        }
        let epd = format!("{fen} - - bm h8h9; id \"mate\";\n{fen} - - 0 1\n{fen} - - c0 \"a\";");
        let positions = read_positions(&epd, &Position::start()).unwrap().unwrap();
        assert_eq!(positions.len(), 3);
        assert!(positions.iter().all(|position| position.tree.moves.is_empty()));
        for game in [format!("{fen}\nh8h9 d9d8"), format!("{fen} h8h9\nd9d8")] {
            assert!(read_positions(&game, &Position::start()).is_none(), "{game}");
        }
        let wrong = format!("{fen}\n{fen} h8h9 a0a1");
        assert_eq!(read_positions(&wrong, &Position::start()).unwrap().unwrap_err().line, 2);
    }

    #[test]
    fn what_cannot_be_played_is_left_out() {
        let mate = "3k5/3R5/3R5/9/9/9/9/9/9/4K4 b - - 0 1";
        let start = crate::xiangqi::START_FEN;
        let positions = read_positions(&format!("{mate}\n{start}\n{start}\n"), &Position::start())
            .unwrap()
            .unwrap();
        let openings = MatchOpenings::new(positions, 8, 1, 2);
        assert_eq!(openings.len(), 1);
        assert_eq!(openings.left_out(), [LeftOut { number: 1, how: "checkmate".into() }]);
        let none = MatchOpenings::<Position>::new(Vec::new(), 8, 1, 2);
        assert!(none.of_pair(0, &Referee::default()).is_none());
    }

    /// A position and moves from it.
    fn opening(fen: &str, moves: &str) -> Record<Position> {
        let mut records = read_positions(fen, &Position::start()).unwrap().unwrap();
        let mut record = records.remove(0);
        let moves = moves.split_whitespace().map(|mv| crate::xiangqi::Move::parse(mv).unwrap());
        record.tree.moves = moves.collect();
        record
    }

    #[test]
    fn openings_that_end_the_game_are_left_out() {
        let start = crate::xiangqi::START_FEN;
        let ended = [
            // Nobody does anything.
            opening(start, &"a0a1 a9a8 a1a0 a8a9 ".repeat(3)),
            // Red checks for ever.
            opening(
                "3k5/9/9/9/9/9/9/9/4R4/5K3 w - - 0 1",
                &format!("e1d1 {}", "d9e9 d1e1 e9d9 e1d1 ".repeat(3)),
            ),
            opening("3k5/9/9/9/9/9/9/9/4R4/5K3 w - - 119 90", "e1e2"),
            // Mate.
            opening("3k5/7R1/9/9/9/9/9/9/8R/4K4 w - - 0 1", "i1i9"),
        ];
        let goes_on =
            [opening(start, "h2e2"), opening("3k5/9/9/9/9/9/9/9/4R4/5K3 w - - 117 90", "e1e2")];
        let referee = Referee::default();
        let given: Vec<_> = ended.iter().chain(&goes_on).cloned().collect();
        let openings = MatchOpenings::new(given, 0, 1, 2).judged_by(&referee);
        let numbers: Vec<usize> = openings.left_out().iter().map(|l| l.number).collect();
        assert_eq!(numbers, [1, 2, 3, 4], "{:?}", openings.left_out());
        assert_eq!(openings.len(), 2);
        // Random plies end no game either: two of the second kind would reach the limit.
        for pair in 0..8 {
            let opening = openings.of_pair(pair, &referee).unwrap();
            assert_eq!(end_of(&opening, &referee), None, "{pair}");
        }
        let all = MatchOpenings::new(ended.to_vec(), 0, 1, 2).judged_by(&referee);
        assert!(all.is_empty() && all.of_pair(0, &referee).is_none());
    }
}
