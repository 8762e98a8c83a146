//! Verdicts of the rules in words: the loop that ends a line and the limit of moves.

use std::fmt::{self, Display};
use std::io::{self, Write};

use serde::Serialize;

use super::line_args::{NotationArgs, line_texts};
use crate::cli::language::{left, say, text, word};
use juzhong::game::{BySide, Judgement, Line, Side, Verdict};
use juzhong::xiangqi::explain::{
    self, LimitReport, LoopReport, MoveReport, SideReport, explain_limit, explain_loop,
};
use juzhong::xiangqi::{Piece, Position, RuleSet, Square};

/// The explanation of a verdict; empty where no rule applies.
#[derive(Debug, Default, Serialize)]
pub(crate) struct VerdictExplanation {
    #[serde(rename = "loop", skip_serializing_if = "Option::is_none")]
    repeated: Option<Repeated>,
    #[serde(skip_serializing_if = "Option::is_none")]
    limit: Option<Limit>,
}

/// The loop that ends the line.
#[derive(Debug, Serialize)]
struct Repeated {
    /// The number of times that the position has occurred.
    occurrences: usize,
    /// The verdict of the rules on the loop, whether the position has occurred often enough or not.
    verdict: &'static str,
    reason: Option<&'static str>,
    #[serde(skip)]
    is_due: bool,
    moves: Vec<LoopStep>,
    red: Summary,
    black: Summary,
}

#[derive(Debug, Serialize)]
struct LoopStep {
    /// Number of the move in the line, from 1.
    ply: usize,
    side: &'static str,
    man: char,
    #[serde(rename = "move")]
    mv: String,
    /// The move in the notation that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    /// The pieces that check.
    checks: Vec<Man>,
    /// The pieces newly chased.
    chases: Vec<Chase>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    threatens_mate: bool,
}

#[derive(Debug, Serialize)]
struct Chase {
    #[serde(flatten)]
    victim: Man,
    /// The pieces that threaten to win it.
    by: Vec<Man>,
}

#[derive(Debug, Serialize)]
struct Man {
    man: char,
    at: String,
}

/// The common properties of all moves of a side in the loop.
#[derive(Debug, Serialize)]
struct Summary {
    perpetual_check: bool,
    /// Pieces with their squares at the end of the loop.
    perpetual_chase: Vec<Man>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    perpetual_attack: bool,
}

/// The count of moves without a capture.
#[derive(Debug, Serialize)]
struct Limit {
    plies: usize,
    counted: usize,
    checks: Checks,
}

#[derive(Debug, Serialize)]
struct Checks {
    red: u32,
    black: u32,
}

/// A verdict as programs read it.
pub(crate) const fn verdict_name(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::None => "none",
        Verdict::Draw => "draw",
        Verdict::Loses(Side::First) => "red_loses",
        Verdict::Loses(Side::Second) => "black_loses",
    }
}

const fn side_name(side: Side) -> &'static str {
    match side {
        Side::First => "red",
        Side::Second => "black",
    }
}

impl VerdictExplanation {
    /// The explanation of the verdict on the last position of `line`.
    pub(crate) fn of(line: &Line<Position>, rules: RuleSet, notation: NotationArgs) -> Self {
        let limit = |LimitReport { plies, counted, checks }| {
            let BySide { first: red, second: black } = checks;
            Limit { plies, counted, checks: Checks { red, black } }
        };
        Self {
            repeated: explain_loop(line, rules).map(|report| {
                let texts = notation
                    .asked()
                    .map(|notation| line_texts(line.start(), line.moves(), notation));
                Repeated::new(report, texts.as_deref())
            }),
            limit: explain_limit(line, rules).map(limit),
        }
    }

    /// Returns true where no rule applies.
    pub(crate) const fn is_empty(&self) -> bool {
        self.repeated.is_none() && self.limit.is_none()
    }

    /// Writes it for people.
    pub(crate) fn write(&self, out: &mut (impl Write + ?Sized)) -> io::Result<()> {
        if let Some(repeated) = &self.repeated {
            repeated.write(out)?;
        }
        let Some(Limit { plies, counted, checks }) = &self.limit else { return Ok(()) };
        say!(
            out,
            "limit    {plies} plies since the last capture, {counted} of them counted; \
             checks: Red {}, Black {}",
            checks.red,
            checks.black
        )
    }
}

impl Repeated {
    /// The loop of a line, whose moves have these texts.
    fn new(report: LoopReport, texts: Option<&[String]>) -> Self {
        let Judgement { verdict, reason, .. } = report.judgement;
        let BySide { first: red, second: black } = report.sides.map(Summary::from);
        let text = |ply: usize| texts.and_then(|texts| texts.get(ply)).cloned();
        let number = |(i, mv)| {
            let ply = report.start + i;
            LoopStep { text: text(ply), ..LoopStep::new(ply + 1, mv) }
        };
        Self {
            occurrences: report.occurrences,
            verdict: verdict_name(verdict),
            reason,
            is_due: report.is_due,
            moves: report.moves.into_iter().enumerate().map(number).collect(),
            red,
            black,
        }
    }
}

impl From<SideReport> for Summary {
    fn from(side: SideReport) -> Self {
        let SideReport { checks, chases, attacks } = side;
        let man = |(piece, at)| Man::new(piece, at);
        Self {
            perpetual_check: checks,
            perpetual_chase: chases.into_iter().map(man).collect(),
            perpetual_attack: attacks,
        }
    }
}

impl Man {
    fn new(piece: Piece, at: Square) -> Self {
        Self { man: piece.letter(), at: at.to_string() }
    }
}

impl LoopStep {
    fn new(ply: usize, report: MoveReport) -> Self {
        let chase = |chase: explain::Chase| Chase {
            victim: Man::new(chase.victim, chase.at),
            by: all_men(chase.by),
        };
        Self {
            ply,
            side: side_name(report.side),
            man: report.piece.letter(),
            mv: report.mv.to_string(),
            text: None,
            checks: all_men(report.checkers),
            chases: report.chases.into_iter().map(chase).collect(),
            threatens_mate: report.threatens_mate,
        }
    }

    /// Describes the move in words; empty if it does nothing that the rules restrict.
    fn words(&self) -> String {
        let mut words = Vec::new();
        if !self.checks.is_empty() {
            words.push(text!("check by {}", list(&self.checks)));
        }
        for Chase { victim, by } in &self.chases {
            words.push(text!("chases {} with {}", victim, list(by)));
        }
        if self.threatens_mate {
            words.push(text!("threatens mate"));
        }
        words.join("; ")
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

fn list(men: &[Man]) -> String {
    let words: Vec<String> = men.iter().map(ToString::to_string).collect();
    words.join(", ")
}

impl Repeated {
    fn write(&self, out: &mut (impl Write + ?Sized)) -> io::Result<()> {
        let Self { occurrences, verdict, moves, .. } = self;
        let first = moves.first().map_or(0, |step| step.ply);
        let last = moves.last().map_or(0, |step| step.ply);
        let reason = self.reason.map(|reason| format!(" ({})", word(reason))).unwrap_or_default();
        let yet = if self.is_due { "" } else { word(", once it has occurred often enough") };
        say!(
            out,
            "loop     moves {first} to {last}; the position has occurred {occurrences} times"
        )?;
        for step in moves {
            let LoopStep { ply, side, man, mv, text, .. } = step;
            let mv = text.as_ref().unwrap_or(mv);
            let side = left(word(side), 5);
            let line = format!("  {ply:>4}  {side}  {man} {mv}  {}", step.words());
            writeln!(out, "{}", line.trim_end())?;
        }
        say!(out, "  red    {}", self.red.words())?;
        say!(out, "  black  {}", self.black.words())?;
        say!(out, "  so     {}{reason}{yet}", word(verdict))
    }
}

impl Summary {
    fn words(&self) -> String {
        let mut words = Vec::new();
        if self.perpetual_check {
            words.push(text!("checks with every move"));
        }
        if !self.perpetual_chase.is_empty() {
            words.push(text!("newly chases {} with every move", list(&self.perpetual_chase)));
        }
        if self.perpetual_attack && !self.perpetual_check {
            words.push(text!("checks, chases or threatens mate with every move"));
        }
        if words.is_empty() {
            words.push(text!("neither checks nor chases one and the same man with every move"));
        }
        words.join("; ")
    }
}
