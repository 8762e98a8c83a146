//! Commands that wait for the end of a search, in bounded memory.

use std::collections::VecDeque;
use std::time::Instant;

use crate::protocol::wire::command::Command;

/// Commands that may wait, and the bytes of their lines.
const MOST: (usize, usize) = (10_000, 16 << 20);

/// Commands that wait, in order.
#[derive(Debug, Default)]
pub(crate) struct Queue {
    waiting: VecDeque<Waiting>,
    /// Of the lines that wait.
    bytes: usize,
    /// The number of the commands that are `go`.
    searches: usize,
}

/// A command that waits.
#[derive(Debug)]
pub(crate) struct Waiting {
    pub(crate) command: Command,
    /// `stop` came after it.
    pub(crate) stopped: bool,
    /// The time at which it came.
    pub(crate) since: Instant,
    /// Of its line.
    bytes: usize,
}

impl Queue {
    /// Keeps a command whose line has `bytes` bytes; `false` if there is no room. For `quit` there is always
    /// room.
    pub(crate) fn push(&mut self, command: Command, bytes: usize) -> bool {
        let (most, most_bytes) = MOST;
        let full = self.waiting.len() >= most || self.bytes + bytes > most_bytes;
        if full && command != Command::Quit {
            return false;
        }
        self.bytes += bytes;
        self.searches += usize::from(matches!(command, Command::Go(_)));
        self.waiting.push_back(Waiting { command, stopped: false, since: Instant::now(), bytes });
        true
    }

    /// The next command.
    pub(crate) fn pop(&mut self) -> Option<Waiting> {
        let next = self.waiting.pop_front()?;
        self.bytes -= next.bytes;
        self.searches -= usize::from(matches!(next.command, Command::Go(_)));
        Some(next)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Returns true if a search waits.
    pub(crate) const fn has_search(&self) -> bool {
        self.searches > 0
    }

    pub(crate) fn clear(&mut self) {
        *self = Self::default();
    }

    /// `stop` came.
    pub(crate) fn stop(&mut self) {
        self.waiting.iter_mut().for_each(|waiting| waiting.stopped = true);
    }

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
        let (most, most_bytes) = MOST;
        let mut queue = Queue::default();
        assert!(!queue.push(Command::IsReady, most_bytes + 1));
        for _ in 0..most {
            assert!(queue.push(Command::Go(Box::default()), 2));
        }
        assert!(!queue.push(Command::IsReady, 1) && queue.has_search());
        assert!(queue.push(Command::Quit, 4));
        queue.stop();
        for _ in 0..most {
            assert!(queue.pop().unwrap().stopped);
        }
        assert!(!queue.has_search());
        assert_eq!(queue.pop().unwrap().command, Command::Quit);
        assert!(queue.pop().is_none() && queue.bytes == 0);
    }
}
