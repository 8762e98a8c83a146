//! `isready`, which an engine of UCCI need not know.

use std::time::Duration;

use crate::protocol::wire::dialect::Dialect;

/// An engine of UCCI that has never answered `readyok` gets the timeout divided by this.
const UCCI_PARTS: u32 = 4;

/// The knowledge about an engine's answer to `isready`. The least that UCCI asks of engines in leagues is
/// without it: there silence counts as readiness, once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum ReadyWord {
    /// It was not asked.
    #[default]
    Unknown,
    /// It has answered `readyok`.
    Understood,
    /// It was asked and stayed silent: it is not asked again.
    Ignored,
}

impl ReadyWord {
    /// Returns true if silence means no more than that the engine does not know the word.
    pub(crate) fn may_be_ignored(self, dialect: Dialect) -> bool {
        dialect.is_ucci() && self != Self::Understood
    }

    /// The time to wait for `readyok`, where an engine that knows the word may take `start`.
    pub(crate) fn timeout(self, dialect: Dialect, start: Duration) -> Duration {
        if self.may_be_ignored(dialect) { start / UCCI_PARTS } else { start }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The seconds to wait where an engine may take 8 of them to start.
    fn wait(word: ReadyWord, dialect: Dialect) -> u64 {
        word.timeout(dialect, Duration::from_secs(8)).as_secs()
    }

    #[test]
    fn only_ucci_may_be_silent_and_only_where_it_never_answered() {
        assert_eq!(wait(ReadyWord::Unknown, Dialect::Ucci), 2);
        assert_eq!(wait(ReadyWord::Understood, Dialect::Ucci), 8);
        for dialect in [Dialect::Uci, Dialect::Cyclone] {
            assert_eq!(wait(ReadyWord::Unknown, dialect), 8);
            assert!(!ReadyWord::Unknown.may_be_ignored(dialect));
        }
    }
}
