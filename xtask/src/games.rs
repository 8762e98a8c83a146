//! Games and openings from files and folders.

use std::ops::ControlFlow;
use std::path::PathBuf;

use anyhow::{Context, bail};
use indicatif::{ProgressBar, ProgressStyle};
use juzhong::book::find_games;
use juzhong::bytes::visible::ShowPath;
use juzhong::bytes::{StopFlag, open};
use juzhong::contest::{Contested, read_positions};
use juzhong::game::{Adjudicate, BySide, Heuristics, Horizon, Line, Outcome, Side};
use juzhong::record::{Formats, ReadSummary, Record, read_packed};
use juzhong::search::{Limits, Searcher};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::Rng;

/// The games of files in any format, and folders of them; bad ones are left out and counted.
pub(crate) fn read_games<G: Formats>(
    inputs: &[PathBuf],
) -> anyhow::Result<(Vec<Record<G>>, ReadSummary)> {
    let mut games = Vec::new();
    let mut summary = ReadSummary::default();
    for file in find_games::<G>(inputs)?.files {
        let name = file.shown().to_string();
        let bytes = match open::read(&file, u64::MAX) {
            Err(error) if open::is_refused(&error) => {
                eprintln!("{name}: {error}");
                summary.bad += 1;
                continue;
            }
            bytes => bytes.with_context(|| name.clone())?,
        };
        summary += read_file(&name, &bytes, &mut games)?;
    }
    if summary.bad > 0 {
        eprintln!("{} bad games left out", summary.bad);
    }
    Ok((games, summary))
}

/// The result of a game that is over by the board, or by the usual rules on repetition and moves.
pub(crate) fn outcome_of<G: Adjudicate>(line: &Line<G>) -> Option<Outcome> {
    let judged = || G::judge(line, G::Rules::default(), Horizon::Game).verdict.outcome();
    line.position().outcome().or_else(judged)
}

/// The main line of an opening or game, at most so many plies of it.
pub(crate) fn line_of<G: Contested>(opening: &Record<G>, plies: usize) -> Line<G> {
    let start = opening.start.clone().unwrap_or_else(G::start);
    let mut line = Line::new(start, opening.start_clock);
    opening.tree.moves.iter().take(plies).for_each(|&mv| line.push(mv));
    line
}

/// A game in which both sides agree on an advantage of this many centipawns ...
const WON: i32 = 1_500;
/// ... for this many plies is won.
const WON_PLIES: u32 = 6;

/// Plays a game from the last position of `line` on, by the usual rules; one of `most_plies` plies is drawn.
pub(crate) fn play_out<G: Adjudicate + Heuristics>(
    mut line: Line<G>,
    players: &mut BySide<Searcher<G>>,
    limits: &Limits,
    most_plies: usize,
) -> Outcome {
    let mut agreement = Agreement::default();
    loop {
        if let Some(outcome) = outcome_of(&line) {
            return outcome;
        }
        if line.len() >= most_plies {
            return Outcome::Draw;
        }
        let turn = line.position().turn();
        let found = players[turn].run(&line, G::Rules::default(), limits, &(), &());
        let Some(mv) = found.best else { return Outcome::Draw };
        if let Some(winner) = agreement.note(turn, found.score.value()) {
            return Outcome::Win(winner);
        }
        line.push(mv);
    }
}

/// The run of plies in which both sides have called the same one won.
#[derive(Debug, Default)]
struct Agreement {
    winner: Option<Side>,
    plies: u32,
}

impl Agreement {
    /// Notes the score of the side to move; returns the winner once it is agreed on.
    fn note(&mut self, turn: Side, score: i32) -> Option<Side> {
        let ahead = if score > 0 { turn } else { !turn };
        let winner = (score.abs() >= WON).then_some(ahead);
        self.plies = if winner == self.winner { self.plies + 1 } else { 1 };
        self.winner = winner;
        winner.filter(|_| self.plies >= WON_PLIES)
    }
}

/// A number below `bound`.
pub(crate) fn below(chance: &mut ChaCha8Rng, bound: usize) -> usize {
    (chance.next_u64() % bound as u64) as usize
}

/// A bar that counts games or what else `things` are.
pub(crate) fn progress(count: u64, things: &str) -> anyhow::Result<ProgressBar> {
    let style = format!("{{pos}}/{{len}} {things} {{elapsed}} eta {{eta}}");
    Ok(ProgressBar::new(count).with_style(ProgressStyle::with_template(&style)?))
}

/// The games of files, and lists of openings, which begin like `start`.
pub(crate) fn read_openings<G: Contested>(
    inputs: &[PathBuf],
    start: &G,
) -> anyhow::Result<Vec<Record<G>>> {
    let mut openings = Vec::new();
    for file in find_games::<G>(inputs)?.files {
        let name = file.shown().to_string();
        let bytes = open::read(&file, u64::MAX).with_context(|| name.clone())?;
        let text = std::str::from_utf8(&bytes).ok();
        match text.and_then(|text| read_positions(text, start)) {
            Some(positions) => openings.extend(positions.with_context(|| name.clone())?),
            None if read_file(&name, &bytes, &mut openings)?.bad > 0 => {
                bail!("{name}: a game cannot be read")
            }
            None => {}
        }
    }
    if openings.is_empty() {
        bail!("no games and no positions in the openings");
    }
    Ok(openings)
}

fn read_file<G: Formats>(
    name: &str,
    bytes: &[u8],
    games: &mut Vec<Record<G>>,
) -> anyhow::Result<ReadSummary> {
    let temporary = std::env::temp_dir();
    read_packed::<G>(name, bytes, &temporary, &StopFlag::default(), &mut |_, game| {
        games.extend(game.ok().map(|game| game.record));
        ControlFlow::Continue(())
    })
    .with_context(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_sides_agree_on_a_winner() {
        let mut agreement = Agreement::default();
        let scores = [2_000, -1_600, 2_000, -3_000, 1_500, -9_000];
        let sides = [Side::First, Side::Second].into_iter().cycle();
        let told: Vec<_> =
            sides.clone().zip(scores).map(|(side, score)| agreement.note(side, score)).collect();
        assert_eq!(told[4..], [None, Some(Side::First)]);
        let mut agreement = Agreement::default();
        assert!(sides.zip([2_000; 9]).all(|(side, score)| agreement.note(side, score).is_none()));
    }
}
