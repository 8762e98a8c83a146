//! Validity of tablebases made with some repetition rules for play under others.
//!
//! The rules of tables (`none`, `check`, `asian`) and those of play (these three, `computer` and
//! `chinese`) differ in which endless play loses. Mate is mate under all of them. The consequences,
//! *deciding* standing for any win or loss:
//!
//! - **Order 0 is valid always.** It is a mate that is forced with ever smaller distances, so that no
//!   position comes back on the way.
//! - **Under `none` every value is known from any tables.** Tables of all rules have the same
//!   order 0, and what is not of order 0 is a draw where repetition draws.
//! - **`check` decides, then so do `asian`, `computer` and `chinese`.** In the loops that decide,
//!   all moves of the loser check and some of the winner's do not. That loses under all four,
//!   whatever else the winner does, for perpetual check is judged before all else. All that leaves the
//!   loops is a loss of lower order, and that is the same argument again.
//! - **`asian` draws, then so does `check`**: the last point the other way round, for whoever
//!   would win under `check` would under `asian`. **So does `computer`**: a loop that it decides has
//!   perpetual check, or perpetual chase without any check; `asian` decides both in the same way, so
//!   that whoever forces such loops wins under `asian` too.
//!
//!   Both hold but for one kind of loop, also under `asian` itself: a victim that only checks and
//!   chases, neither for ever nor one piece for ever, draws in the tables, while at the board the
//!   chaser of such a loop loses. Such draws are believed: nothing distinguishes them from others, and
//!   the root judges the repetitions of the game by the rules of play, so that no loop loses that need
//!   not.
//! - **`asian` decides in order 1 or above**: by check or by chase, the table does not say which,
//!   so that under other rules (but `none`) it may be a draw. Unknown.
//! - **`check` draws**: a chase may decide under the others. Unknown, but for positions of at most
//!   four pieces under `asian` and `computer`: there chases decide nothing
//!   (`tablebase generate --men 4` gives the same values with both rules), so that the decisions of
//!   `asian` are valid there as decisions of `check`.
//! - **`none` draws**: a check may decide under all others. Unknown.
//! - **`chinese`** also judges threats of mate and mixed attacks, which no tables know: no draw is
//!   valid.
//!
//! Limits of the number of moves are judged elsewhere.

use crate::message::{Message, message};
use crate::tablebase::{Entry, Rules, Wdl};
use crate::xiangqi::RuleSet;

/// Number of pieces up to which perpetual chase decides nothing.
const CHASELESS_MEN: usize = 4;

/// The value under the rules of `play` of a position of `men` pieces for which tablebases made with
/// the rules `made` have `entry`; `None` if it is not known.
pub(crate) fn valid(entry: Entry, made: Rules, play: RuleSet, men: usize) -> Option<Entry> {
    let decides = entry.wdl != Wdl::Draw;
    if decides && entry.order == 0 || fits(made, play) {
        return Some(entry);
    }
    if play == RuleSet::None {
        return Some(Entry::DRAW);
    }
    let chaseless = men <= CHASELESS_MEN;
    let knows = match made {
        Rules::None => false,
        Rules::Check if decides => true,
        Rules::Check => chaseless && matches!(play, RuleSet::Asian | RuleSet::Computer),
        Rules::Asian if decides => chaseless,
        Rules::Asian => matches!(play, RuleSet::Check | RuleSet::Computer),
    };
    knows.then_some(entry)
}

/// Returns true if tablebases were made with the rules of play.
pub(crate) const fn fits(made: Rules, play: RuleSet) -> bool {
    matches!(
        (made, play),
        (Rules::None, RuleSet::None)
            | (Rules::Check, RuleSet::Check)
            | (Rules::Asian, RuleSet::Asian)
    )
}

/// The rules of tables, those that say most about play first.
pub(crate) const fn preferred(play: RuleSet) -> [Rules; 3] {
    match play {
        RuleSet::None => [Rules::None, Rules::Check, Rules::Asian],
        RuleSet::Asian => [Rules::Asian, Rules::Check, Rules::None],
        RuleSet::Check | RuleSet::Computer | RuleSet::Chinese => {
            [Rules::Check, Rules::Asian, Rules::None]
        }
    }
}

/// A remark for people on the use of tablebases of the rules `made` in `play`; `None` where they
/// were made with its rules.
pub(crate) fn remark(made: Rules, play: RuleSet) -> Option<Message> {
    if fits(made, play) {
        return None;
    }
    let counts = match (made, play) {
        (_, RuleSet::None) => "what they decide by repetition is taken for a draw",
        (Rules::Check, RuleSet::Chinese) => "their wins and losses count, their draws do not",
        (Rules::Check, _) => {
            "their wins and losses count, their draws only up to four men, since chases may decide"
        }
        (Rules::Asian, RuleSet::Check | RuleSet::Computer) => {
            "their draws and mates count, beyond four men not what repetition decides"
        }
        (Rules::Asian, _) => "only their mates count, and up to four men what checks decide",
        (Rules::None, _) => "only their mates count, their draws do not",
    };
    Some(message!("endgame tables of rules {made} in play by rules {play}: {counts}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mates_are_valid_always_and_own_rules_say_all() {
        for play in RuleSet::ALL {
            for made in Rules::ALL {
                for entry in [Entry::win(0, 9), Entry::loss(0, 8)] {
                    assert_eq!(valid(entry, made, play, 9), Some(entry));
                }
                assert_eq!(remark(made, play).is_none(), fits(made, play));
            }
        }
        for entry in [Entry::DRAW, Entry::win(2, 3), Entry::loss(1, 4)] {
            assert_eq!(valid(entry, Rules::Asian, RuleSet::Asian, 9), Some(entry));
            assert_eq!(valid(entry, Rules::Check, RuleSet::None, 9), Some(Entry::DRAW));
        }
    }

    /// By rules of tablebases and of play, for five pieces: true for a draw and for a win by rule if it is known.
    fn known(made: Rules, play: RuleSet) -> [bool; 2] {
        [Entry::DRAW, Entry::win(1, 1)].map(|entry| valid(entry, made, play, 5).is_some())
    }

    #[test]
    fn other_rules_say_less() {
        for play in [RuleSet::Check, RuleSet::Asian, RuleSet::Computer, RuleSet::Chinese] {
            assert_eq!(known(Rules::None, play), [false, false], "{play}");
        }
        for play in [RuleSet::Asian, RuleSet::Computer, RuleSet::Chinese] {
            assert_eq!(known(Rules::Check, play), [false, true], "{play}");
        }
        for play in [RuleSet::Check, RuleSet::Computer] {
            assert_eq!(known(Rules::Asian, play), [true, false], "{play}");
        }
        assert_eq!(known(Rules::Asian, RuleSet::Chinese), [false, false]);
        assert_eq!(valid(Entry::DRAW, Rules::Check, RuleSet::Asian, 4), Some(Entry::DRAW));
    }
}
