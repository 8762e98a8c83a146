//! Games and openings from files and folders.

use std::ops::ControlFlow;
use std::path::PathBuf;

use anyhow::{Context, bail};
use indicatif::{ProgressBar, ProgressStyle};
use juzhong::book::find_games;
use juzhong::bytes::visible::ShowPath;
use juzhong::bytes::{StopFlag, open};
use juzhong::contest::{Contested, read_positions};
use juzhong::game::{Adjudicate, Game, Horizon, Line, Outcome};
use juzhong::record::{Formats, ReadSummary, Record, read_packed};
use juzhong::xiangqi::{Position, RuleSet};
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

/// The result of a game of xiangqi that is over by the board, or by the usual rules on repetition and moves.
pub(crate) fn outcome_of(line: &Line<Position>) -> Option<Outcome> {
    let judged = || Position::judge(line, RuleSet::default(), Horizon::Game).verdict.outcome();
    line.position().outcome().or_else(judged)
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
