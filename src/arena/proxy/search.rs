//! A `go` without answer, and when its answer must come.

use std::time::{Duration, Instant};

use super::command::Go;
use super::voice::Answer;
use crate::arena::Patience;

/// An engine with a fixed time for its move may take so much longer before it is told to stop.
const LATE: Duration = Duration::from_millis(200);
/// What handing on a search may take.
const MOMENT: Duration = Duration::from_millis(50);
/// Of an engine's clock, at most and at least, what is kept back for an answer without it.
const RESERVE: [Duration; 2] = [Duration::from_millis(300), Duration::from_millis(20)];

/// A search under way.
#[derive(Debug)]
pub(super) struct Search {
    pub(super) go: Go,
    /// When the clock began to run.
    began: Instant,
    /// Until `ponderhit` or `stop` no answer may be given.
    pub(super) pondering: bool,
    /// Until `stop` no answer may be given.
    pub(super) held: bool,
    /// Nothing ends it but `stop`, another `go` or the end of the input.
    pub(super) endless: bool,
    /// Book and tables are left out, because the GUI wants the engine's opinion.
    pub(super) analysing: bool,
    /// The answer, as soon as there is one.
    pub(super) answer: Option<Answer>,
    /// The engine was told of it.
    pub(super) sent: bool,
    /// The GUI wants the answer now.
    pub(super) stopped: bool,
    /// The engine was told to stop.
    pub(super) stop_said: bool,
    /// The first move of the engine's best line so far, with ranks from 0.
    pub(super) best: Option<String>,
    /// When the engine said something last.
    heard: Instant,
    /// When the engine is told to stop, and when it is given up.
    stop_at: Option<Instant>,
    give_up: Option<Instant>,
}

impl Search {
    pub(super) fn new(go: Go, mover: usize) -> Self {
        let now = Instant::now();
        let mut search = Self {
            began: now,
            pondering: go.ponder,
            held: go.infinite,
            endless: go.is_endless(mover),
            analysing: go.infinite || go.mate.is_some() || !go.search_moves.is_empty(),
            answer: None,
            sent: false,
            stopped: false,
            stop_said: false,
            best: None,
            heard: now,
            stop_at: None,
            give_up: None,
            go,
        };
        if !search.pondering {
            search.start_clock(mover);
        }
        search
    }

    /// From now on the clock runs.
    pub(super) fn start_clock(&mut self, mover: usize) {
        let now = Instant::now();
        (self.began, self.heard) = (now, now);
        if self.go.infinite {
            return;
        }
        let Some(time) = self.go.time(mover).map(Duration::from_millis) else { return };
        if self.go.move_time.is_some() {
            self.stop_at = Some(now + time + LATE);
            return;
        }
        let [most, least] = RESERVE;
        let reserve = (time / 10).clamp(least, most);
        self.stop_at = Some(now + time.saturating_sub(reserve).max(reserve));
        self.give_up = self.stop_at.map(|stop| stop + reserve * 2 / 3);
    }

    /// Milliseconds of the clock that have gone; the moments that handing on takes do not count.
    pub(super) fn elapsed(&self) -> u64 {
        let gone = self.began.elapsed();
        if self.pondering || gone < MOMENT {
            return 0;
        }
        u64::try_from(gone.as_millis()).unwrap_or(u64::MAX)
    }

    /// How long the search has run since `other`.
    pub(super) fn since(&self, other: Instant) -> Duration {
        self.began.max(other).elapsed()
    }

    /// The engine said something that belongs to the search.
    pub(super) fn hear(&mut self) {
        self.heard = Instant::now();
    }

    /// The engine begins, again perhaps.
    pub(super) fn send(&mut self) {
        self.sent = true;
        self.stop_said = false;
        self.hear();
    }

    /// The engine was told to stop.
    pub(super) fn say_stop(&mut self, patience: Patience) {
        self.stop_said = true;
        let give_up = Instant::now() + patience.stop;
        self.give_up = Some(self.give_up.map_or(give_up, |before| before.min(give_up)));
    }

    /// When the engine is to be told to stop, if it was not; whether it has begun or not.
    pub(super) fn stop_time(&self, patience: Patience) -> Option<Instant> {
        if self.stop_said || self.pondering {
            return None;
        }
        let silent = self.heard + patience.search;
        self.stop_at.or_else(|| (self.sent && !self.endless).then_some(silent))
    }

    /// When a stopped engine is given up.
    pub(super) fn end_time(&self) -> Option<Instant> {
        self.give_up.filter(|_| self.stop_said)
    }

    /// Whether the answer may be given.
    pub(super) const fn may_answer(&self) -> bool {
        !self.pondering && !self.held
    }
}
