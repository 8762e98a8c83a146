//! The answer of a match between two engines: results, estimates of strength, the work of both.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::contest::{
    Contested, Count, Effort, EloEstimate, EngineFault, Match, MatchResults, MatchTotals, Sprt,
};
use crate::game::{Game, Side};

/// The answer: schema `juzhong.match/1`. Results are the first engine's.
#[derive(Debug, Serialize)]
pub struct MatchAnswer {
    /// The schema.
    pub schema: &'static str,
    /// `finished` or `interrupted`.
    pub status: &'static str,
    /// Both engines.
    pub engines: [EngineInMatch; 2],
    /// The limits of their searches.
    pub pace: String,
    /// Milliseconds by which an engine may exceed its time.
    pub margin_ms: u64,
    /// Openings.
    pub openings: usize,
    /// Openings that are left out because the game is over after them.
    pub openings_left_out: usize,
    /// Games that are over.
    pub games: usize,
    /// Those of them that were played before.
    pub resumed: usize,
    /// The results, of the first engine.
    #[serde(flatten)]
    pub results: ResultsOfTwo,
    /// The sequential test, if there is one.
    pub sprt: Option<SprtState>,
}

/// The results of two engines against each other, of the first one.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct ResultsOfTwo {
    /// The results with either colour.
    pub total: GameResults,
    /// The results with each colour.
    #[serde(flatten)]
    pub by_colour: ResultsByColour,
    /// Pairs of games in which the first engine had 0 to 4 half points.
    pub pairs: [u64; 5],
    /// The difference in strength by pairs; null without a whole one.
    pub pentanomial: Option<Strength>,
    /// The difference in strength by games; null without any.
    pub trinomial: Option<Strength>,
}

impl ResultsOfTwo {
    pub(crate) fn of<G: Contested>(results: &MatchResults) -> Self {
        Self {
            total: results.total().into(),
            by_colour: ResultsByColour::of::<G>(results.colours),
            pairs: results.pairs,
            pentanomial: results.by_pairs().map(Strength::from),
            trinomial: results.by_games().map(Strength::from),
        }
    }
}

/// An engine in a match. Means are 0 without moves.
#[derive(Debug, Serialize)]
pub struct EngineInMatch {
    /// The command that starts it.
    pub command: String,
    /// Moves.
    pub moves: u64,
    /// The means of its moves.
    #[serde(flatten)]
    pub means: MeansOfMoves,
    /// The number of its faults of each kind.
    pub faults: BTreeMap<&'static str, u64>,
}

/// The means of an engine's moves; 0 without any.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct MeansOfMoves {
    /// Plies searched.
    pub depth: f64,
    /// Positions searched in a second.
    pub nodes_per_second: f64,
    /// Milliseconds.
    pub ms_per_move: f64,
}

/// Games won, drawn and lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct GameResults {
    /// Won.
    pub wins: u64,
    /// Drawn.
    pub draws: u64,
    /// Lost.
    pub losses: u64,
}

/// Results with each colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum ResultsByColour {
    /// Of xiangqi.
    RedAndBlack {
        /// As the second side.
        as_black: GameResults,
        /// As the first side.
        as_red: GameResults,
    },
    /// Of gomoku.
    BlackAndWhite {
        /// As the first side.
        as_black: GameResults,
        /// As the second side.
        as_white: GameResults,
    },
}

/// A difference in strength with its 95 % interval. Elo is null where one side won everything.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Strength {
    /// Points a game, 0 to 1.
    pub score: f64,
    /// In Elo.
    pub elo: f64,
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
    /// The probability that the first engine is the stronger one, 0 to 1.
    pub los: f64,
}

/// A sequential test and its state.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct SprtState {
    /// The difference in Elo of the first hypothesis.
    pub elo0: f64,
    /// The difference in Elo of the second one.
    pub elo1: f64,
    /// The probability of accepting the second one where the first holds.
    pub alpha: f64,
    /// The probability of accepting the first one where the second holds.
    pub beta: f64,
    /// The log-likelihood ratio.
    pub llr: f64,
    /// The ratio at which the first hypothesis is accepted.
    pub lower: f64,
    /// The ratio at which the second one is accepted.
    pub upper: f64,
    /// `open`, `h0` or `h1`.
    pub decision: &'static str,
}

impl MatchAnswer {
    /// The answer about a match that has come so far, of engines with these commands; `resumed` of its games were played
    /// before.
    ///
    /// ```
    /// use juzhong::answers::{MatchAnswer, ResultsByColour};
    /// use juzhong::contest::{Match, MatchOpenings, MatchTotals, Participant, Referee, TimeControl};
    /// use juzhong::protocol::client::{EngineSizes, Timeouts};
    /// use juzhong::xiangqi::Position;
    ///
    /// let own_engine = || Participant {
    ///     command: None,
    ///     protocol: None,
    ///     sizes: EngineSizes::default(),
    ///     options: Vec::new(),
    ///     name: None,
    ///     restart: false,
    /// };
    /// let contest = Match::<Position> {
    ///     participants: [own_engine(), own_engine()],
    ///     time_control: TimeControl { nodes: Some(100), ..TimeControl::default() },
    ///     referee: Referee::default(),
    ///     openings: MatchOpenings::new(Vec::new(), 8, 1, 0),
    ///     games: 2,
    ///     concurrency: 1,
    ///     sprt: None,
    ///     timeouts: Timeouts::default(),
    /// };
    /// let answer = MatchAnswer::of(&contest, &MatchTotals::default(), ["self", "self"], 0);
    /// assert_eq!((answer.status, answer.games), ("interrupted", 0));
    /// assert!(matches!(answer.results.by_colour, ResultsByColour::RedAndBlack { .. }));
    /// ```
    #[must_use]
    pub fn of<G: Contested>(
        contest: &Match<G>,
        totals: &MatchTotals,
        commands: [&str; 2],
        resumed: usize,
    ) -> Self {
        let results = &totals.results;
        let engines = [0, 1].map(|index| {
            EngineInMatch::of(commands[index], totals.effort[index], totals.faults[index])
        });
        Self {
            schema: "juzhong.match/1",
            status: if contest.is_decided(totals) { "finished" } else { "interrupted" },
            engines,
            pace: contest.time_control.to_string(),
            margin_ms: contest.time_control.margin.as_millis() as u64,
            openings: contest.openings.len(),
            openings_left_out: contest.openings.left_out().len(),
            games: totals.games(),
            resumed,
            results: ResultsOfTwo::of::<G>(results),
            sprt: contest.sprt.map(|sprt| SprtState::of(sprt, &results.pairs)),
        }
    }
}

impl EngineInMatch {
    pub(crate) fn of(command: &str, effort: Effort, faults: [u64; 4]) -> Self {
        Self {
            command: command.to_owned(),
            moves: effort.moves,
            means: effort.into(),
            faults: EngineFault::ALL.map(EngineFault::name).into_iter().zip(faults).collect(),
        }
    }
}

impl From<Effort> for MeansOfMoves {
    fn from(effort: Effort) -> Self {
        let Effort { moves, depth, nodes, micros } = effort;
        Self {
            depth: ratio(depth, moves),
            nodes_per_second: 1e6 * ratio(nodes, micros),
            ms_per_move: ratio(micros, moves) / 1e3,
        }
    }
}

/// The ratio of two numbers; 0 where the second is.
fn ratio(a: u64, b: u64) -> f64 {
    if b == 0 { 0.0 } else { a as f64 / b as f64 }
}

impl From<Count> for GameResults {
    fn from(count: Count) -> Self {
        let Count { wins, draws, losses } = count;
        Self { wins, draws, losses }
    }
}

impl ResultsByColour {
    pub(crate) fn of<G: Game>([first, second]: [Count; 2]) -> Self {
        match G::BLACK {
            Side::First => Self::BlackAndWhite { as_black: first.into(), as_white: second.into() },
            Side::Second => Self::RedAndBlack { as_black: second.into(), as_red: first.into() },
        }
    }
}

impl From<EloEstimate> for Strength {
    fn from(estimate: EloEstimate) -> Self {
        let EloEstimate { score, elo, low, high, superiority } = estimate;
        Self { score, elo, low, high, los: superiority }
    }
}

impl SprtState {
    fn of(sprt: Sprt, pairs: &[u64; 5]) -> Self {
        let Sprt { elo0, elo1, alpha, beta } = sprt;
        let [lower, upper] = sprt.bounds();
        Self {
            elo0,
            elo1,
            alpha,
            beta,
            llr: sprt.log_likelihood_ratio(pairs),
            lower,
            upper,
            decision: sprt.decide(pairs).name(),
        }
    }
}
