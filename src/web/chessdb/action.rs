//! The actions that questions name.

/// An action.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Action {
    /// Asks about moves that are known.
    Moves(MoveQuery),
    /// Asks for the verdict of the rules on each move.
    Rules,
    /// Asks for the analysis of a position.
    Queue,
    /// Asks for a move to be stored.
    Store,
}

/// The part of the known moves that is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MoveQuery {
    /// All of them.
    All,
    /// The score of the best.
    Score,
    /// The line of best moves.
    Line,
    /// The best.
    Best,
    /// All that are as good as the best.
    Equals,
}

/// Every action by its name.
const NAMES: [(&str, Action); 10] = [
    ("queryall", Action::Moves(MoveQuery::All)),
    ("queryscore", Action::Moves(MoveQuery::Score)),
    ("querypv", Action::Moves(MoveQuery::Line)),
    ("query", Action::Moves(MoveQuery::Best)),
    ("querybest", Action::Moves(MoveQuery::Best)),
    ("querylearn", Action::Moves(MoveQuery::Best)),
    ("querysearch", Action::Moves(MoveQuery::Equals)),
    ("queryrule", Action::Rules),
    ("queue", Action::Queue),
    ("store", Action::Store),
];

impl Action {
    /// The action of that name.
    pub(crate) fn named(name: &str) -> Option<Self> {
        NAMES.into_iter().find(|(own, _)| *own == name).map(|(_, action)| action)
    }
}

impl MoveQuery {
    /// Returns true if scores are wanted, else moves. Positions without any have other words for it.
    pub(crate) const fn is_of_scores(self) -> bool {
        matches!(self, Self::All | Self::Score | Self::Line)
    }
}
