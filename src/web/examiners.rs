//! Examiners of exercises, kept from one request to the next: one of each game.

use std::sync::Mutex;

use super::locked::locked;
use juzhong::engine::Playable;
use juzhong::gomoku::Board;
use juzhong::train::Examiner;
use juzhong::xiangqi::Position;

/// The examiners that no request uses.
#[derive(Default)]
pub(crate) struct Examiners {
    xiangqi: Slot<Position>,
    gomoku: Slot<Board>,
}

/// The place of the examiner of a game.
type Slot<G> = Mutex<Option<PreparedExaminer<G>>>;

/// An examiner, and what it was made for.
pub(crate) struct PreparedExaminer<G: Playable> {
    pub(crate) examiner: Examiner<G>,
    /// The rules that it judges by.
    pub(crate) rules: G::Rules,
    /// The number of changes of books and tables before it was made.
    pub(crate) changes: u64,
}

/// A game whose examiner is kept.
pub(crate) trait KeptExaminer: Playable {
    /// The place of its examiner.
    fn slot(examiners: &Examiners) -> &Slot<Self>;
}

impl KeptExaminer for Position {
    fn slot(examiners: &Examiners) -> &Slot<Self> {
        &examiners.xiangqi
    }
}

impl KeptExaminer for Board {
    fn slot(examiners: &Examiners) -> &Slot<Self> {
        &examiners.gomoku
    }
}

impl Examiners {
    /// Takes the examiner that was made for these rules after that many changes, if one is kept. Requests at the same time
    /// find none, and make their own.
    pub(crate) fn take<G: KeptExaminer>(
        &self,
        rules: G::Rules,
        changes: u64,
    ) -> Option<PreparedExaminer<G>> {
        let kept = locked(G::slot(self)).take();
        kept.filter(|kept| kept.rules == rules && kept.changes == changes)
    }

    /// Keeps an examiner for the next request.
    pub(crate) fn keep<G: KeptExaminer>(&self, examiner: PreparedExaminer<G>) {
        *locked(G::slot(self)) = Some(examiner);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use juzhong::engine::EngineOptions;
    use juzhong::review::ReviewBooks;
    use juzhong::xiangqi::RuleSet;

    /// An examiner of the usual rules, made after that many changes.
    fn prepared(changes: u64) -> PreparedExaminer<Position> {
        let options = EngineOptions { hash_mib: 1, ..EngineOptions::default() };
        let examiner = Examiner::<Position>::new(options, ReviewBooks::default(), 1).unwrap();
        PreparedExaminer { examiner, rules: RuleSet::default(), changes }
    }

    #[test]
    fn an_examiner_serves_its_rules_until_something_changes() {
        let examiners = Examiners::default();
        let other = RuleSet::ALL.into_iter().find(|&rules| rules != RuleSet::default()).unwrap();
        for (rules, changes, is_kept) in
            [(RuleSet::default(), 2, true), (other, 2, false), (RuleSet::default(), 3, false)]
        {
            examiners.keep(prepared(2));
            assert_eq!(examiners.take::<Position>(rules, changes).is_some(), is_kept);
            assert!(examiners.take::<Position>(rules, changes).is_none());
        }
        assert!(examiners.take::<Board>(Default::default(), 2).is_none());
    }
}
