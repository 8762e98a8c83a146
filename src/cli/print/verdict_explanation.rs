//! Verdicts of the rules in words: the loop that ends a line and the limit of moves.

use std::io::{self, Write};

use crate::language::{left, say, text, word};
use juzhong::answers::{Chase, Limit, LoopStep, Man, Repeated, SideConduct, VerdictExplanation};

/// Writes the explanation of a verdict for people.
pub(crate) fn write_explanation(
    explanation: &VerdictExplanation,
    out: &mut (impl Write + ?Sized),
) -> io::Result<()> {
    if let Some(repeated) = &explanation.repeated {
        write_loop(repeated, out)?;
    }
    let Some(Limit { plies, counted, checks }) = &explanation.limit else { return Ok(()) };
    say!(
        out,
        "limit    {plies} plies since the last capture, {counted} of them counted; \
         checks: Red {}, Black {}",
        checks.red,
        checks.black
    )
}

fn write_loop(repeated: &Repeated, out: &mut (impl Write + ?Sized)) -> io::Result<()> {
    let Repeated { occurrences, verdict, moves, .. } = repeated;
    let first = moves.first().map_or(0, |step| step.ply);
    let last = moves.last().map_or(0, |step| step.ply);
    let reason = repeated.reason.map(|reason| format!(" ({})", word(reason))).unwrap_or_default();
    let yet = if repeated.is_due { "" } else { word(", once it has occurred often enough") };
    say!(out, "loop     moves {first} to {last}; the position has occurred {occurrences} times")?;
    for step in moves {
        let LoopStep { ply, side, man, mv, text, .. } = step;
        let mv = text.as_ref().unwrap_or(mv);
        let side = left(word(side), 5);
        let line = format!("  {ply:>4}  {side}  {man} {mv}  {}", step_words(step));
        writeln!(out, "{}", line.trim_end())?;
    }
    say!(out, "  red    {}", conduct_words(&repeated.red))?;
    say!(out, "  black  {}", conduct_words(&repeated.black))?;
    say!(out, "  so     {}{reason}{yet}", word(verdict))
}

/// Describes the move in words; empty if it does nothing that the rules restrict.
fn step_words(step: &LoopStep) -> String {
    let mut words = Vec::new();
    if !step.checks.is_empty() {
        words.push(text!("check by {}", list(&step.checks)));
    }
    for Chase { victim, by } in &step.chases {
        words.push(text!("chases {} with {}", victim, list(by)));
    }
    if step.threatens_mate {
        words.push(text!("threatens mate"));
    }
    words.join("; ")
}

/// The properties that all moves of a side have.
fn conduct_words(conduct: &SideConduct) -> String {
    let mut words = Vec::new();
    if conduct.perpetual_check {
        words.push(text!("checks with every move"));
    }
    if !conduct.perpetual_chase.is_empty() {
        words.push(text!("newly chases {} with every move", list(&conduct.perpetual_chase)));
    }
    if conduct.perpetual_attack && !conduct.perpetual_check {
        words.push(text!("checks, chases or threatens mate with every move"));
    }
    if words.is_empty() {
        words.push(text!("neither checks nor chases one and the same man with every move"));
    }
    words.join("; ")
}

fn list(men: &[Man]) -> String {
    let words: Vec<String> = men.iter().map(ToString::to_string).collect();
    words.join(", ")
}
