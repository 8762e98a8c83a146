//! The `info` lines of an engine that searches.

use std::str::SplitWhitespace;
use std::time::Duration;

use crate::game::{Bound, ScoreKind};
use crate::protocol::wire::dialect::Dialect;
use crate::protocol::wire::format::Wire;
use crate::protocol::wire::scale;

/// Moves of a line of play that are kept.
const MAX_PV: usize = 300;

/// The latest state of an engine's best line, from its `info` lines.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Info {
    /// Plies.
    pub depth: u32,
    /// The longest line looked at, in plies.
    pub seldepth: u32,
    /// Positions.
    pub nodes: u64,
    /// Since the search began, as the engine says.
    pub time: Duration,
    /// The score and how it relates to the value.
    pub score: Option<(ScoreKind, Bound)>,
    /// The line of play, in our coordinates.
    pub pv: Vec<String>,
}

impl Info {
    /// Reads a line. A line that is no `info` line, or of another line of play than the best, changes
    /// nothing; malformed parts of one are left out. A depth without score and line of play is that of an
    /// iteration only begun, and does not count. The line of play has our coordinates.
    pub(crate) fn read(&mut self, line: &str, from: Wire) {
        let mut words = line.split_whitespace();
        if words.next() != Some("info") {
            return;
        }
        let mut next = self.clone();
        let mut has_result = false;
        while let Some(word) = words.next() {
            match word {
                "string" | "message" => break,
                "multipv" if words.next().is_some_and(|n| n != "1") => return,
                "depth" => next.depth = number(&mut words).unwrap_or(next.depth),
                "seldepth" => next.seldepth = number(&mut words).unwrap_or(next.seldepth),
                "nodes" => next.nodes = number(&mut words).unwrap_or(next.nodes),
                "time" => {
                    next.time = number(&mut words).map_or(next.time, Duration::from_millis);
                }
                "score" => {
                    let score = read_score(&mut words, from.dialect);
                    has_result |= score.is_some();
                    next.score = score.or(next.score);
                }
                "lowerbound" => next.score = next.score.map(|(score, _)| (score, Bound::Lower)),
                "upperbound" => next.score = next.score.map(|(score, _)| (score, Bound::Upper)),
                "pv" => {
                    has_result = true;
                    next.pv = words.by_ref().take(MAX_PV).map(|mv| from.ranks.ours(mv)).collect();
                }
                _ => {}
            }
        }
        if !has_result {
            (next.depth, next.seldepth) = (self.depth, self.seldepth);
        }
        *self = next;
    }
}

fn number<T: std::str::FromStr>(words: &mut SplitWhitespace<'_>) -> Option<T> {
    words.next()?.parse().ok()
}

/// In UCCI a score is a number without a word before it, though Fairy-Stockfish writes `mate 3` there
/// too.
fn read_score(words: &mut SplitWhitespace<'_>, from: Dialect) -> Option<(ScoreKind, Bound)> {
    let score = match words.next()? {
        "cp" => ScoreKind::Centipawns(number(words)?),
        "mate" => ScoreKind::mate(number(words)?),
        word if from.is_ucci() => scale::of_ucci(word.parse().ok()?),
        word => ScoreKind::Centipawns(word.parse().ok()?),
    };
    Some((score, Bound::Exact))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const UCI: Wire = Wire::of(Dialect::Uci);
    const UCCI: Wire = Wire::of(Dialect::Ucci);

    #[test]
    fn the_best_line_counts() {
        let mut info = Info::default();
        info.read("info depth 5 seldepth 9 multipv 1 score cp -12 lowerbound nodes 77 time 3 pv h2e2 h9g7", UCI);
        let first = info.clone();
        assert_eq!(info.score, Some((ScoreKind::Centipawns(-12), Bound::Lower)));
        assert_eq!((info.depth, info.seldepth, info.nodes), (5, 9, 77));
        assert_eq!((info.time, info.pv.len()), (Duration::from_millis(3), 2));
        info.read("info depth 5 multipv 2 score cp 900 pv a0a1", UCI);
        info.read("info string score cp 5", UCI);
        info.read("info message score 5", UCI);
        info.read("information score cp 5", UCI);
        info.read("info currmove h2e2 score nonsense nodes many", UCI);
        info.read("info depth 6 currmove b0c2 currmovenumber 1", UCI);
        assert_eq!(info, first);
        info.read("info depth 6 score mate -3 nodes 100", UCI);
        assert_eq!(info.score, Some((ScoreKind::mate(-3), Bound::Exact)));
        info.read("info depth 7 score 38 pv h2e2 h9g7", UCI);
        assert_eq!((info.score, info.depth), (Some((ScoreKind::Centipawns(38), Bound::Exact)), 7));
        for (number, score) in [
            (9999, ScoreKind::mate(1)),
            (-9998, ScoreKind::mate(-1)),
            (9493, ScoreKind::Centipawns(9493)),
        ] {
            info.read(&format!("info depth 7 score {number}"), UCCI);
            assert_eq!(info.score, Some((score, Bound::Exact)));
        }
    }

    proptest! {
        #[test]
        fn garbage_never_panics(line: String, end in "[a-z0-9 -]{0,40}") {
            let mut info = Info::default();
            for from in [UCI, UCCI] {
                info.read(&line, from);
                info.read(&format!("info {end}"), from);
            }
        }
    }
}
