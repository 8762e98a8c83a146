//! A `go` without answer, and the time at which its answer must come.

use std::time::{Duration, Instant};

use crate::game::Side;
use crate::protocol::client::Timeouts;
use crate::protocol::{Answer, Go, Info, Owed};

/// An engine with a fixed time for its move may overrun it by this much before it gets `stop`.
const LATE: Duration = Duration::from_millis(200);
/// The time after that at which we answer ourselves.
const OBEY: Duration = Duration::from_millis(100);
/// The time that passing on a search may take.
const MOMENT: Duration = Duration::from_millis(50);
/// The part at the end of an engine's clock, at least and at most, that is kept back: where it begins the
/// engine gets `stop`, after [`ENGINES_PART`] of it we answer ourselves, and the rest remains as a margin.
const RESERVE: [Duration; 2] = [Duration::from_millis(60), Duration::from_millis(400)];
/// The reserve is the clock divided by this, and never more than two thirds of the clock.
const PARTS: u32 = 7;
/// Of ten parts of the reserve, those that the engine has for obeying.
const ENGINES_PART: u32 = 3;
/// Clocks may have run below zero: at least this much is assumed to remain.
const LEAST: Duration = Duration::from_millis(60);
/// A time is nearly over when this little remains before our answer.
const NEARLY: Duration = Duration::from_secs(1);
/// The longest time for our own search for a move in the engine's place.
const QUICK: Duration = Duration::from_millis(100);
/// The rest of the clock divided by this bounds it too.
const QUICK_PART: u32 = 4;

/// A search under way.
#[derive(Debug)]
pub(crate) struct Search {
    pub(crate) go: Go,
    mover: Side,
    /// The time at which the clock began to run.
    began: Instant,
    pub(crate) owed: Owed<Answer>,
    /// Book and tablebases are left out, because the GUI wants the engine's opinion.
    pub(crate) analysing: bool,
    /// The commands about it that the engine got.
    engine: LastCommand,
    /// The GUI wants the answer now.
    pub(crate) stopped: bool,
    /// The engine's latest report on its best line.
    pub(crate) info: Info,
    /// The time of the engine's last line.
    heard: Instant,
    /// `None` without a limit in time, and before the clock runs.
    deadlines: Option<Deadlines>,
}

/// The commands about a search that an engine got, the last of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LastCommand {
    Nothing,
    /// `go`.
    Go,
    /// `stop`, at this time.
    Stop(Instant),
}

/// The times by which a search must come to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Deadlines {
    /// The engine gets `stop`.
    stop: Instant,
    /// We answer ourselves.
    answer: Instant,
    /// The clock has run down, if there is one.
    clock: Option<Instant>,
}

impl Deadlines {
    /// Those of a search that may take this time from `now` on.
    fn of_move(now: Instant, time: Duration) -> Self {
        let stop = now + time + LATE;
        Self { stop, answer: stop + OBEY, clock: None }
    }

    /// Those of a search with this time on the clock.
    fn of_clock(now: Instant, time: Duration) -> Self {
        let [least, most] = RESERVE;
        let time = time.max(LEAST);
        let reserve = (time / PARTS).clamp(least, most).min(time * 2 / 3);
        let stop = now + (time - reserve);
        Self { stop, answer: stop + reserve * ENGINES_PART / 10, clock: Some(now + time) }
    }
}

impl Search {
    pub(crate) fn new(go: Go, mover: Side) -> Self {
        let now = Instant::now();
        let mut search = Self {
            mover,
            began: now,
            owed: Owed {
                pondering: go.ponder,
                until_stop: go.infinite,
                endless: go.is_endless(mover),
                answer: None,
            },
            analysing: go.infinite || go.mate.is_some() || !go.search_moves.is_empty(),
            engine: LastCommand::Nothing,
            stopped: false,
            info: Info::default(),
            heard: now,
            deadlines: None,
            go,
        };
        if !search.owed.pondering {
            search.start_clock();
        }
        search
    }

    /// From now on the clock runs.
    pub(crate) fn start_clock(&mut self) {
        let now = Instant::now();
        self.began = now;
        self.heard = now;
        if self.go.infinite {
            return;
        }
        let Some(time) = self.go.time(self.mover).map(Duration::from_millis) else { return };
        self.deadlines = Some(if self.go.move_time.is_some() {
            Deadlines::of_move(now, time)
        } else {
            Deadlines::of_clock(now, time)
        });
    }

    /// The `go` for an engine that begins now: the time that has passed is subtracted, except for the moments
    /// that passing on takes.
    pub(crate) fn go_from_now(&self) -> Go {
        let go = Go { ponder: self.owed.pondering, ..self.go.clone() };
        let gone = self.began.elapsed();
        if self.owed.pondering || gone < MOMENT {
            return go;
        }
        go.after(u64::try_from(gone.as_millis()).unwrap_or(u64::MAX), self.mover)
    }

    /// The time for our own search for a move in the engine's place.
    pub(crate) fn quick(&self) -> Duration {
        let clock = self.deadlines.and_then(|deadlines| deadlines.clock);
        match clock.filter(|_| !self.owed.pondering) {
            Some(end) => (time_until(end) / QUICK_PART).min(QUICK),
            None => QUICK,
        }
    }

    /// Returns true if there is no time to wait for an engine that must be started first.
    pub(crate) fn is_nearly_over(&self) -> bool {
        let is_near = self.deadlines.is_some_and(|times| time_until(times.answer) < NEARLY);
        self.stopped || self.stop_said().is_some() || is_near
    }

    /// The time that the search has run since `other`.
    pub(crate) fn since(&self, other: Instant) -> Duration {
        self.began.max(other).elapsed()
    }

    /// The engine wrote a line that belongs to the search.
    pub(crate) fn hear(&mut self) {
        self.heard = Instant::now();
    }

    /// The engine begins, again perhaps.
    pub(crate) fn send(&mut self) {
        self.engine = LastCommand::Go;
        self.hear();
    }

    /// The engine is of no use any more.
    pub(crate) const fn unsend(&mut self) {
        self.engine = LastCommand::Nothing;
    }

    /// The engine got `stop`.
    pub(crate) fn say_stop(&mut self) {
        self.engine = LastCommand::Stop(Instant::now());
    }

    /// The time at which the engine got `stop`.
    pub(crate) const fn stop_said(&self) -> Option<Instant> {
        match self.engine {
            LastCommand::Stop(said) => Some(said),
            LastCommand::Nothing | LastCommand::Go => None,
        }
    }

    /// Returns true if the engine got the search.
    pub(crate) const fn is_sent(&self) -> bool {
        !matches!(self.engine, LastCommand::Nothing)
    }

    /// Returns true if it waits for the engine's answer.
    pub(crate) const fn is_with_engine(&self) -> bool {
        self.is_sent() && self.owed.answer.is_none()
    }

    /// The time at which the engine is to get `stop`, if it has not; it may or may not have begun.
    pub(crate) fn stop_time(&self, timeouts: Timeouts) -> Option<Instant> {
        if self.stop_said().is_some() || self.owed.pondering {
            return None;
        }
        if let Some(Deadlines { stop, .. }) = self.deadlines {
            return Some(stop);
        }
        let may_be_silent = !self.is_sent() || self.owed.endless;
        (!may_be_silent).then_some(self.heard + timeouts.search)
    }

    /// The time at which we answer ourselves though the engine may still obey.
    pub(crate) fn answer_time(&self) -> Option<Instant> {
        self.deadlines.filter(|_| self.stop_said().is_some()).map(|times| times.answer)
    }

    /// The time at which a stopped engine is given up.
    pub(crate) fn end_time(&self, timeouts: Timeouts) -> Option<Instant> {
        self.stop_said().map(|said| said + timeouts.stop)
    }
}

fn time_until(end: Instant) -> Duration {
    end.saturating_duration_since(Instant::now())
}
