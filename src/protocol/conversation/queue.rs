//! Commands that wait for the end of a search, in bounded memory.

use std::collections::VecDeque;
use std::time::Instant;

use crate::protocol::wire::command::Command;

/// A command that may have to wait.
pub(crate) trait Waits {
    /// Commands that may wait.
    const MOST: usize;
    /// Bytes that their lines may have.
    const MOST_BYTES: usize;

    /// Returns true if it begins a search.
    fn is_search(&self) -> bool {
        false
    }

    /// Returns true if it is kept though there is no room.
    fn is_kept_anyway(&self) -> bool {
        false
    }
}

impl Waits for Command {
    const MOST: usize = 10_000;
    const MOST_BYTES: usize = 16 << 20;

    fn is_search(&self) -> bool {
        matches!(self, Self::Go(_))
    }

    fn is_kept_anyway(&self) -> bool {
        *self == Self::Quit
    }
}

/// Commands that wait, in order.
#[derive(Debug)]
pub(crate) struct Queue<C> {
    waiting: VecDeque<QueuedCommand<C>>,
    /// Of the lines that wait.
    bytes: usize,
    /// The number of the commands that begin a search.
    searches: usize,
}

/// A command that waits.
#[derive(Debug)]
pub(crate) struct QueuedCommand<C> {
    pub(crate) command: C,
    /// `stop` came after it.
    pub(crate) stopped: bool,
    /// The time at which it came.
    pub(crate) since: Instant,
    /// Of its line.
    bytes: usize,
}

impl<C> Default for Queue<C> {
    fn default() -> Self {
        Self { waiting: VecDeque::new(), bytes: 0, searches: 0 }
    }
}

impl<C: Waits> Queue<C> {
    /// Keeps a command whose line has `bytes` bytes; `false` if there is no room.
    pub(crate) fn push(&mut self, command: C, bytes: usize) -> bool {
        let is_full = self.waiting.len() >= C::MOST || self.bytes + bytes > C::MOST_BYTES;
        if is_full && !command.is_kept_anyway() {
            return false;
        }
        self.bytes += bytes;
        self.searches += usize::from(command.is_search());
        self.waiting.push_back(QueuedCommand {
            command,
            stopped: false,
            since: Instant::now(),
            bytes,
        });
        true
    }

    /// The next command.
    pub(crate) fn pop(&mut self) -> Option<QueuedCommand<C>> {
        let next = self.waiting.pop_front()?;
        self.bytes -= next.bytes;
        self.searches -= usize::from(next.command.is_search());
        Some(next)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// The commands, in order.
    pub(crate) fn commands(&self) -> impl DoubleEndedIterator<Item = &C> {
        self.waiting.iter().map(|waiting| &waiting.command)
    }

    /// Returns true if a search waits.
    pub(crate) const fn has_search(&self) -> bool {
        self.searches > 0
    }

    pub(crate) fn clear(&mut self) {
        *self = Self::default();
    }

    /// Drops all commands but these.
    pub(crate) fn retain(&mut self, is_kept: impl Fn(&C) -> bool) {
        self.waiting.retain(|waiting| is_kept(&waiting.command));
        self.bytes = self.waiting.iter().map(|waiting| waiting.bytes).sum();
        self.searches = self.commands().filter(|command| command.is_search()).count();
    }

    /// `stop` came.
    pub(crate) fn stop(&mut self) {
        self.waiting.iter_mut().for_each(|waiting| waiting.stopped = true);
    }
}

impl Queue<Command> {
    /// `ponderhit` came, perhaps with an offer of a draw: searches that wait need not ponder at all.
    pub(crate) fn ponder_hit(&mut self, draw: bool) {
        for waiting in &mut self.waiting {
            if let Command::Go(go) = &mut waiting.command {
                go.ponder_hit(draw);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_waits_is_bounded_but_quit_is_kept() {
        let mut queue = Queue::default();
        assert!(!queue.push(Command::IsReady, Command::MOST_BYTES + 1));
        for _ in 0..Command::MOST {
            assert!(queue.push(Command::Go(Box::default()), 2));
        }
        assert!(!queue.push(Command::IsReady, 1) && queue.has_search());
        assert!(queue.push(Command::Quit, 4));
        queue.stop();
        for _ in 0..Command::MOST {
            assert!(queue.pop().unwrap().stopped);
        }
        assert!(!queue.has_search());
        assert_eq!(queue.pop().unwrap().command, Command::Quit);
        assert!(queue.pop().is_none() && queue.bytes == 0);
    }

    #[test]
    fn what_is_dropped_makes_room() {
        let mut queue = Queue::default();
        assert!(queue.push(Command::Go(Box::default()), Command::MOST_BYTES - 1));
        assert!(queue.push(Command::NewGame, 1) && !queue.push(Command::NewGame, 1));
        queue.retain(|command| *command == Command::NewGame);
        assert!(!queue.has_search() && queue.push(Command::NewGame, 1));
    }
}
