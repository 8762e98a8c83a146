//! One game: the turns, the clocks, the faults of engines.

use std::time::Duration;

use crate::bytes::StopFlag;
use crate::contest::games::Contested;
use crate::contest::participant::EngineSlot;
use crate::contest::referee::{End, MATE, Referee};
use crate::game::{Line, Outcome, ScoreKind, Side, side_name};
use crate::message::{Message, message};
use crate::protocol::client::analysis::legal;
use crate::protocol::client::{ClientError, Clocks, GoLimits, Thought};
use crate::protocol::{Offer, scale};
use crate::record::{Record, Tree};

/// The limits of the engines' searches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TimeControl {
    /// Plies a move.
    pub depth: Option<u32>,
    /// Positions a move.
    pub nodes: Option<u64>,
    /// Time a move.
    pub move_time: Option<Duration>,
    /// A clock for each side.
    pub clock: Option<ClockSetting>,
    /// A time that is overrun by no more than this is not overrun: it covers the delays of the runner and the
    /// pipes.
    pub margin: Duration,
}

/// Time for a game, and what every move adds to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClockSetting {
    /// At the start.
    pub base: Duration,
    /// After every move.
    pub increment: Duration,
}

impl std::str::FromStr for ClockSetting {
    type Err = &'static str;

    /// `10+0.1`, in seconds; the increment may be missing.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (base, increment) = text.split_once('+').unwrap_or((text, "0"));
        match (seconds(base), seconds(increment)) {
            (Some(base), Some(increment)) if base > Duration::ZERO => Ok(Self { base, increment }),
            _ => Err("write SECONDS+INCREMENT as in 10+0.1"),
        }
    }
}

/// Reads a number of seconds, at most a day.
fn seconds(text: &str) -> Option<Duration> {
    let seconds = text.trim().parse::<f64>().ok()?;
    let time = Duration::try_from_secs_f64(seconds).ok()?;
    (time <= Duration::from_secs(86_400)).then_some(time)
}

impl std::fmt::Display for ClockSetting {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}+{}", self.base.as_secs_f64(), self.increment.as_secs_f64())
    }
}

impl std::fmt::Display for TimeControl {
    /// `nodes 20000`, or as the tag `TimeControl` has it: `10+0.1`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let nodes = self.nodes.map(|n| format!("nodes {n}"));
        let depth = self.depth.map(|n| format!("depth {n}"));
        let time = self.move_time.map(|time| format!("{} s a move", time.as_secs_f64()));
        let clock = self.clock.map(|clock| clock.to_string());
        let parts: Vec<String> = [nodes, depth, time, clock].into_iter().flatten().collect();
        f.write_str(&parts.join(", "))
    }
}

/// A fault of an engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EngineFault {
    /// It ended by itself.
    Crash,
    /// It did not answer.
    Hang,
    /// It made an illegal move, or none.
    Illegal,
    /// It took too long.
    Time,
}

impl EngineFault {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Crash, Self::Hang, Self::Illegal, Self::Time];

    /// `crash`, `hang`, `illegal` or `time`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Crash => "crash",
            Self::Hang => "hang",
            Self::Illegal => "illegal",
            Self::Time => "time",
        }
    }
}

/// The work of an engine on its moves; sums.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Effort {
    /// Moves.
    pub moves: u64,
    /// Plies searched, as the engine reports.
    pub depth: u64,
    /// Positions searched, as the engine reports.
    pub nodes: u64,
    /// Microseconds from command to answer, as the runner of the game sees it.
    pub micros: u64,
}

impl std::ops::AddAssign for Effort {
    fn add_assign(&mut self, other: Self) {
        self.moves += other.moves;
        self.depth += other.depth;
        self.nodes = self.nodes.saturating_add(other.nodes);
        self.micros += other.micros;
    }
}

impl Effort {
    fn of(thought: &Thought) -> Self {
        Self {
            moves: 1,
            depth: thought.info.depth.into(),
            nodes: thought.info.nodes,
            micros: u64::try_from(thought.took.as_micros()).unwrap_or(u64::MAX),
        }
    }
}

/// The outcome of a turn.
pub(crate) enum Turn<G: Contested> {
    /// A move, with the score that the engine gives itself, and what is written after it.
    Move { mv: G::Move, score: Option<i32>, comment: Option<String> },
    /// The game is over without one.
    Over(End),
    /// The match is to stop.
    Abandoned,
}

/// The moves of a game and its end.
pub(crate) struct Played<G: Contested> {
    pub(crate) line: Line<G>,
    pub(crate) comments: Vec<(usize, String)>,
    pub(crate) end: End,
}

/// Plays a game from the end of an opening; `None` if it was abandoned.
pub(crate) fn play<G: Contested>(
    opening: &Record<G>,
    referee: &Referee<G>,
    turn: &mut dyn FnMut(&Line<G>) -> Turn<G>,
) -> Option<Played<G>> {
    let mut line = line_of(opening);
    let mut scores = Vec::new();
    let mut comments = Vec::new();
    let end = loop {
        // Before each turn, also the first: an opening may end with a finished game.
        if let Some(end) = referee.end(&line, &scores) {
            break end;
        }
        match turn(&line) {
            Turn::Move { mv, score, comment } => {
                line.push(mv);
                scores.push(score);
                comments.extend(comment.map(|comment| (line.len(), comment)));
            }
            Turn::Over(end) => break end,
            Turn::Abandoned => return None,
        }
    };
    Some(Played { line, comments, end })
}

/// An opening as a line.
pub(crate) fn line_of<G: Contested>(opening: &Record<G>) -> Line<G> {
    let start = opening.start.clone().unwrap_or_else(G::start);
    let mut line = Line::new(start, opening.start_clock);
    opening.tree.moves.iter().for_each(|&mv| line.push(mv));
    line
}

impl<G: Contested> Played<G> {
    /// The game as a record, with the tags of its opening after those given.
    pub(crate) fn record(self, opening: &Record<G>, mut tags: Vec<(String, String)>) -> Record<G> {
        for name in ["ECCO", "Opening", "OpeningEN", "Group"] {
            if let Some(value) = opening.tag(name) {
                tags.push((name.to_owned(), value.to_owned()));
            }
        }
        tags.push(("Termination".to_owned(), self.end.how.to_string()));
        Record {
            tags,
            start: opening.start.clone(),
            start_clock: opening.start_clock,
            result: Some(self.end.outcome),
            tree: Tree {
                moves: self.line.moves().collect(),
                comments: self.comments,
                ..Tree::default()
            },
        }
    }
}

/// Two engines at a board.
pub(crate) struct GameRunner<'a, 'b, G: Contested> {
    pub(crate) time_control: TimeControl,
    pub(crate) referee: &'a Referee<G>,
    /// Those of the first and the second side.
    pub(crate) slots: [&'a mut EngineSlot<'b, G>; 2],
    pub(crate) stop: &'a StopFlag,
    /// Time left, the first side's first.
    remaining: [Duration; 2],
    /// That of the first and the second side.
    pub(crate) effort: [Effort; 2],
    /// The side that committed a fault, and the fault.
    pub(crate) fault: Option<(Side, EngineFault)>,
    draw_offered: bool,
    /// Of the start, `None` if it is the usual one.
    start: Option<String>,
}

impl<'a, 'b, G: Contested> GameRunner<'a, 'b, G> {
    pub(crate) fn new(
        time_control: TimeControl,
        referee: &'a Referee<G>,
        slots: [&'a mut EngineSlot<'b, G>; 2],
        stop: &'a StopFlag,
    ) -> Self {
        let base = time_control.clock.map_or(Duration::ZERO, |clock| clock.base);
        Self {
            time_control,
            referee,
            slots,
            stop,
            remaining: [base; 2],
            effort: [Effort::default(); 2],
            fault: None,
            draw_offered: false,
            start: None,
        }
    }

    /// Plays a game; `None` if it was to stop.
    pub(crate) fn play(&mut self, opening: &Record<G>) -> Option<Played<G>> {
        self.start = G::start_text(opening);
        let referee = self.referee;
        play(opening, referee, &mut |line| self.turn(line))
    }

    fn turn(&mut self, line: &Line<G>) -> Turn<G> {
        let side = line.position().turn();
        if self.is_stopped() {
            return Turn::Abandoned;
        }
        let thought = match self.think(line, side) {
            Ok(thought) => thought,
            // Not the engine's fault: it was stopped.
            Err(_) if self.is_stopped() => return Turn::Abandoned,
            Err(error) => {
                let ended = matches!(error, ClientError::Ended { .. });
                let fault = if ended { EngineFault::Crash } else { EngineFault::Hang };
                return self.blame(side, fault, crate::engine::in_full(&error));
            }
        };
        // Before the clock is set: what counts is the time that there was for this move.
        let allowed = self.allowed(side).unwrap_or(Duration::MAX);
        self.count_time(side, thought.took);
        if thought.took > allowed.saturating_add(self.time_control.margin) {
            let [took, allowed] = [thought.took, allowed].map(|time| time.as_millis());
            let side_name = side_name::<G>(side);
            let how = message!("{side_name} lost on time: {took} ms for a move, {allowed} ms left");
            return self.blame(side, EngineFault::Time, how);
        }
        if self.is_stopped() {
            return Turn::Abandoned;
        }
        self.answer(line, side, &thought)
    }

    fn is_stopped(&self) -> bool {
        self.stop.is_set()
    }

    fn think(&mut self, line: &Line<G>, side: Side) -> Result<Thought, ClientError> {
        let limits = self.limits(side);
        let stop = self.stop;
        let overdue = self.allowed(side).map(|time| time + self.time_control.margin);
        let began = std::time::Instant::now();
        let start = self.start.clone();
        let Some(client) = self.slots[side.index()].client() else { return Ok(Thought::default()) };
        client.set_line(start.as_deref(), line)?;
        client.go(&limits, &|| stop.is_set() || overdue.is_some_and(|time| began.elapsed() > time))
    }

    fn limits(&self, side: Side) -> GoLimits {
        let TimeControl { depth, nodes, move_time, clock, .. } = self.time_control;
        let clocks = clock.map(|clock| Clocks {
            remaining: self.remaining,
            increment: [clock.increment; 2],
            moves_to_go: None,
            mover: side.index(),
        });
        GoLimits { depth, nodes, move_time, clocks, draw_offered: self.draw_offered }
    }

    /// The time for a move, without the margin.
    fn allowed(&self, side: Side) -> Option<Duration> {
        let clock = self.time_control.clock.map(|_| self.remaining[side.index()]);
        [self.time_control.move_time, clock].into_iter().flatten().min()
    }

    /// Sets the clock after a move.
    fn count_time(&mut self, side: Side, took: Duration) {
        if let Some(clock) = self.time_control.clock {
            let left = &mut self.remaining[side.index()];
            *left = left.saturating_sub(took) + clock.increment;
        }
    }

    fn answer(&mut self, line: &Line<G>, side: Side, thought: &Thought) -> Turn<G> {
        // An offer stands for one turn: the other side answers it by offering too.
        let accepted = self.draw_offered && thought.offer == Some(Offer::Draw);
        self.draw_offered = thought.offer == Some(Offer::Draw);
        if accepted {
            return Turn::Over(End::new(Outcome::Draw, "draw agreed"));
        }
        if thought.offer == Some(Offer::Resign) {
            let how = message!("{} resigns", side_name::<G>(side));
            return Turn::Over(End::new(Outcome::Win(!side), how));
        }
        let Some(text) = &thought.best else {
            let how = message!("{} made no move", side_name::<G>(side));
            return self.blame(side, EngineFault::Illegal, how);
        };
        let Some(mv) = legal(line.position(), text) else {
            let text: String = text.chars().take(20).collect();
            let how = message!("{} made the illegal move {text}", side_name::<G>(side));
            return self.blame(side, EngineFault::Illegal, how);
        };
        self.effort[side.index()] += Effort::of(thought);
        let score = thought.info.score.map(|(score, _)| score);
        Turn::Move { mv, score: score.map(centipawns), comment: Some(self.comment(score, thought)) }
    }

    /// The engine's report on its move, as other arenas write it: `+0.31/12 0.104s`. The time is left out
    /// where it is of no account.
    fn comment(&self, score: Option<ScoreKind>, thought: &Thought) -> String {
        let score = score.map_or_else(|| "?".to_owned(), scale::to_comment);
        let timed = self.time_control.clock.is_some() || self.time_control.move_time.is_some();
        let time = timed.then(|| format!(" {:.3}s", thought.took.as_secs_f64()));
        format!("{score}/{}{}", thought.info.depth, time.unwrap_or_default())
    }

    /// The side's engine loses, and is ended.
    fn blame(&mut self, side: Side, fault: EngineFault, how: Message) -> Turn<G> {
        self.fault = Some((side, fault));
        // The next game starts it anew: an engine that hangs or answers nonsense is in an unknown state.
        self.slots[side.index()].release();
        Turn::Over(End::new(Outcome::Win(!side), how))
    }
}

/// The score that the comment of a move states, as matches write it (`+0.52/12`, `-M5/20`), in centipawns for the side
/// that moved, no more than a mate; `None` if it states none.
#[must_use]
pub fn comment_centipawns(comment: &str) -> Option<i32> {
    let (score, _) = comment.split_once('/')?;
    scale::of_comment(score).map(centipawns)
}

/// The score in centipawns, no more than a mate, however high the engine reports it.
pub(crate) fn centipawns(score: ScoreKind) -> i32 {
    match score {
        ScoreKind::Centipawns(score) => score.clamp(-MATE, MATE),
        ScoreKind::MateIn(_) | ScoreKind::TableWin(_) => MATE,
        ScoreKind::MatedIn(_) | ScoreKind::TableLoss(_) => -MATE,
    }
}
