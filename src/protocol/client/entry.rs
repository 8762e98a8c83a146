//! An engine as it is kept under a name: the command that starts it, its protocol, and the values that it is given.

use crate::bytes::StopFlag;
use crate::game::Game;
use crate::gomoku::Board;
use crate::protocol::client::ready::ReadyWord;
use crate::protocol::client::{Client, ClientError, EngineCommand, Timeouts};
use crate::protocol::wire::dialect::Dialect;
use crate::xiangqi::Position;

/// The longest name of an engine, in characters.
pub const LONGEST_ENGINE_NAME: usize = 64;

/// Returns true if an engine may have that name: letters of any script, digits, `-`, `_` and `.`, the first no `-`.
///
/// ```
/// use juzhong::protocol::client::is_engine_name;
///
/// assert!(is_engine_name("pikafish") && is_engine_name("象棋名手") && is_engine_name("fish_2.1"));
/// assert!(!is_engine_name("") && !is_engine_name("a b") && !is_engine_name("./fish") && !is_engine_name("-x"));
/// ```
#[must_use]
pub fn is_engine_name(name: &str) -> bool {
    let length = name.chars().count();
    (1..=LONGEST_ENGINE_NAME).contains(&length)
        && name.chars().all(|c| c.is_alphanumeric() || "-_.".contains(c))
        && !name.starts_with('-')
}

/// The sizes that most engines have options for, each in its protocol's words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct EngineSizes {
    /// Threads of a search.
    pub threads: Option<usize>,
    /// The transposition table, in MiB.
    pub hash_mib: Option<usize>,
}

impl EngineSizes {
    /// The same, with the values of `other` where that has some.
    #[must_use]
    pub fn or_else(self, other: Self) -> Self {
        let threads = self.threads.or(other.threads);
        Self { threads, hash_mib: self.hash_mib.or(other.hash_mib) }
    }

    /// The options by their names in UCI, with their values.
    pub(crate) fn options(self) -> impl Iterator<Item = (&'static str, String)> {
        let sizes = [("Threads", self.threads), ("Hash", self.hash_mib)];
        sizes.into_iter().filter_map(|(name, value)| Some((name, value?.to_string())))
    }
}

/// An engine with a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EngineEntry {
    /// Its name, by which people call it.
    pub name: String,
    /// The command that starts it.
    pub command: EngineCommand,
    /// Its protocol; `None` to find out.
    pub protocol: Option<Dialect>,
    /// The game that it plays, by its [name](crate::game::Game::NAME), where that is stated.
    pub game: Option<&'static str>,
    /// Names and values of its options, in the order in which they are set.
    pub options: Vec<(String, String)>,
    /// Threads of a search; `None` for its own default.
    pub threads: Option<usize>,
    /// Size of its transposition table in MiB; `None` for its own default.
    pub hash: Option<usize>,
    /// Processes of it that may run at the same time, at least 1.
    pub at_once: usize,
}

impl EngineEntry {
    /// An engine of that command with its own values, called by its program.
    #[must_use]
    pub fn of_command(command: EngineCommand) -> Self {
        Self {
            name: command.program.clone(),
            command,
            protocol: None,
            game: None,
            options: Vec::new(),
            threads: None,
            hash: None,
            at_once: 1,
        }
    }

    /// The game that it plays, by its [name](crate::game::Game::NAME): the one that is stated, else the only one of its
    /// protocol; `None` where neither is known.
    ///
    /// ```
    /// use juzhong::protocol::client::{EngineCommand, EngineEntry};
    ///
    /// let game = |command| EngineEntry::of_command(EngineCommand::parse(command).unwrap()).plays();
    /// assert_eq!((game("pbrain-rapfi.exe"), game("pikafish")), (Some("gomoku"), None));
    /// ```
    #[must_use]
    pub fn plays(&self) -> Option<&'static str> {
        let protocol =
            self.protocol.or_else(|| self.command.is_brain().then_some(Dialect::Gomocup));
        self.game.or_else(|| match protocol? {
            Dialect::Gomocup => Some(Board::NAME),
            Dialect::Ucci | Dialect::Cyclone => Some(Position::NAME),
            Dialect::Uci => None,
        })
    }

    /// Its sizes.
    #[must_use]
    pub const fn sizes(&self) -> EngineSizes {
        EngineSizes { threads: self.threads, hash_mib: self.hash }
    }

    /// Starts it with its options set, ready for a game. Sizes are set where it has options for them; that it
    /// has none is one of its [warnings](Client::take_warnings).
    ///
    /// # Errors
    ///
    /// As [`Client::start`] and [`Client::set_option`]: if it does not start, does not answer, or lacks an option.
    pub fn start(&self, timeouts: Timeouts) -> Result<Client, ClientError> {
        self.start_known(timeouts, ReadyWord::default(), None)
    }

    /// As [`start`](Self::start); once `stop` is set, an engine that is silent is given up at once.
    ///
    /// # Errors
    ///
    /// As [`start`](Self::start).
    pub fn start_until(&self, timeouts: Timeouts, stop: &StopFlag) -> Result<Client, ClientError> {
        self.start_known(timeouts, ReadyWord::default(), Some(stop))
    }

    /// As [`start`](Self::start), for an engine whose way of answering `isready` is known.
    pub(crate) fn start_again(
        &self,
        timeouts: Timeouts,
        ready: ReadyWord,
    ) -> Result<Client, ClientError> {
        self.start_known(timeouts, ready, None)
    }

    fn start_known(
        &self,
        timeouts: Timeouts,
        ready: ReadyWord,
        stop: Option<&StopFlag>,
    ) -> Result<Client, ClientError> {
        let Self { command, protocol, .. } = self;
        let mut client = Client::start_until(command, *protocol, timeouts, ready, stop)?;
        client.set_sizes(self.sizes())?;
        for (name, value) in &self.options {
            client.set_option(name, value)?;
        }
        client.wait_ready()?;
        client.wait_to_the_end();
        Ok(client)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_bounded() {
        assert!(is_engine_name(&"鱼".repeat(LONGEST_ENGINE_NAME)));
        assert!(!is_engine_name(&"鱼".repeat(LONGEST_ENGINE_NAME + 1)));
        for name in ["a/b", "a\\b", "a=b", "\"a\"", "a\n", "a:b", "a,b"] {
            assert!(!is_engine_name(name), "{name:?}");
        }
    }

    #[test]
    fn what_is_asked_for_counts_before_what_is_kept() {
        let kept = EngineSizes { threads: Some(2), hash_mib: Some(64) };
        let asked = EngineSizes { threads: None, hash_mib: Some(8) };
        let expected = EngineSizes { threads: Some(2), hash_mib: Some(8) };
        assert_eq!(asked.or_else(kept), expected);
        let options: Vec<_> = expected.options().collect();
        assert_eq!(options, [("Threads", "2".to_owned()), ("Hash", "8".to_owned())]);
    }
}
