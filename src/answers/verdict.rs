//! Verdicts of the rules of xiangqi: the loop that ends a line, and the count of moves without a capture.

use std::fmt::{self, Display};

use serde::Serialize;

use crate::answers::sides::side_name;
use crate::game::{BySide, Judgement, Line, Side, Verdict};
use crate::xiangqi::explain::{
    self, LimitReport, LoopReport, MoveReport, SideReport, explain_limit, explain_loop,
};
use crate::xiangqi::{Piece, Position, RuleSet, Square};

/// The explanation of a verdict; empty where no rule applies.
#[derive(Debug, Default, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
pub struct VerdictExplanation {
    /// The loop that ends the line.
    #[serde(rename = "loop", skip_serializing_if = "Option::is_none")]
    pub repeated: Option<Repeated>,
    /// The count of moves without a capture.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<Limit>,
}

/// The loop that ends the line.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema), schemars(rename = "Loop"))]
pub struct Repeated {
    /// The number of times that the position has occurred.
    pub occurrences: usize,
    /// The verdict of the rules on the loop, whether the position has occurred often enough or not.
    #[cfg_attr(feature = "schemas", schemars(extend("enum" = ["none", "draw", "red_loses", "black_loses"])))]
    pub verdict: &'static str,
    /// The reason for it.
    pub reason: Option<&'static str>,
    /// The position has occurred often enough.
    #[serde(skip)]
    pub is_due: bool,
    /// The moves of the loop.
    pub moves: Vec<LoopStep>,
    /// Of Red.
    pub red: SideConduct,
    /// Of Black.
    pub black: SideConduct,
}

/// A move of a loop.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
pub struct LoopStep {
    /// Number of the move in the line, from 1.
    pub ply: usize,
    /// `red` or `black`.
    #[cfg_attr(feature = "schemas", schemars(extend("enum" = ["red", "black"])))]
    pub side: &'static str,
    /// Its letter as in FENs.
    pub man: char,
    /// The move by its coordinates.
    #[serde(rename = "move")]
    pub mv: String,
    /// The move in the notation that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The pieces that check.
    pub checks: Vec<Man>,
    /// The pieces newly chased.
    pub chases: Vec<Chase>,
    /// It threatens mate.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub threatens_mate: bool,
}

/// A piece that is newly chased.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema), schemars(rename = "ChasedMan"))]
pub struct Chase {
    /// The piece.
    #[serde(flatten)]
    pub victim: Man,
    /// The pieces that threaten to win it.
    pub by: Vec<Man>,
}

/// A piece on its square.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
pub struct Man {
    /// Its letter as in FENs.
    pub man: char,
    /// Its square.
    pub at: String,
}

/// The common properties of all moves of a side in the loop.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
pub struct SideConduct {
    /// All of them check.
    pub perpetual_check: bool,
    /// Pieces with their squares at the end of the loop.
    pub perpetual_chase: Vec<Man>,
    /// All of them check, chase or threaten mate.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub perpetual_attack: bool,
}

/// The count of moves without a capture.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema), schemars(rename = "MoveLimit"))]
pub struct Limit {
    /// Plies since the last capture.
    pub plies: usize,
    /// The number of them that counts.
    pub counted: usize,
    /// The checks among them.
    pub checks: ChecksOfSides,
}

/// The checks of each side.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
pub struct ChecksOfSides {
    /// Red's.
    pub red: u32,
    /// Black's.
    pub black: u32,
}

/// A verdict as programs read it.
#[must_use]
pub const fn verdict_name(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::None => "none",
        Verdict::Draw => "draw",
        Verdict::Loses(Side::First) => "red_loses",
        Verdict::Loses(Side::Second) => "black_loses",
    }
}

impl VerdictExplanation {
    /// The explanation of the verdict on the last position of `line`, whose moves have these texts.
    #[must_use]
    pub fn of(line: &Line<Position>, rules: RuleSet, texts: Option<&[String]>) -> Self {
        Self {
            repeated: explain_loop(line, rules).map(|report| Repeated::new(report, texts)),
            limit: explain_limit(line, rules).map(Limit::from),
        }
    }

    /// Returns true where no rule applies.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.repeated.is_none() && self.limit.is_none()
    }
}

impl Repeated {
    /// The loop of a line, whose moves have these texts.
    fn new(report: LoopReport, texts: Option<&[String]>) -> Self {
        let Judgement { verdict, reason, .. } = report.judgement;
        let BySide { first: red, second: black } = report.sides.map(SideConduct::from);
        let moves = report.moves.into_iter().enumerate().map(|(i, mv)| {
            let ply = report.start + i;
            let text = texts.and_then(|texts| texts.get(ply)).cloned();
            LoopStep { text, ..LoopStep::new(ply + 1, mv) }
        });
        Self {
            occurrences: report.occurrences,
            verdict: verdict_name(verdict),
            reason,
            is_due: report.is_due,
            moves: moves.collect(),
            red,
            black,
        }
    }
}

impl From<LimitReport> for Limit {
    fn from(report: LimitReport) -> Self {
        let LimitReport { plies, counted, checks } = report;
        let BySide { first: red, second: black } = checks;
        Self { plies, counted, checks: ChecksOfSides { red, black } }
    }
}

impl From<SideReport> for SideConduct {
    fn from(side: SideReport) -> Self {
        let SideReport { checks, chases, attacks } = side;
        Self {
            perpetual_check: checks,
            perpetual_chase: all_men(chases),
            perpetual_attack: attacks,
        }
    }
}

impl Man {
    fn new(piece: Piece, at: Square) -> Self {
        Self { man: piece.letter(), at: at.to_string() }
    }
}

impl From<explain::Chase> for Chase {
    fn from(chase: explain::Chase) -> Self {
        Self { victim: Man::new(chase.victim, chase.at), by: all_men(chase.by) }
    }
}

impl LoopStep {
    fn new(ply: usize, report: MoveReport) -> Self {
        Self {
            ply,
            side: side_name::<Position>(report.side),
            man: report.piece.letter(),
            mv: report.mv.to_string(),
            text: None,
            checks: all_men(report.checkers),
            chases: report.chases.into_iter().map(Chase::from).collect(),
            threatens_mate: report.threatens_mate,
        }
    }
}

impl Display for Man {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.man, self.at)
    }
}

fn all_men(men: Vec<(Piece, Square)>) -> Vec<Man> {
    men.into_iter().map(|(piece, at)| Man::new(piece, at)).collect()
}
