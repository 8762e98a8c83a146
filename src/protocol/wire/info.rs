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
    /// The chances of a win, a draw and a loss that the engine states, of 1,000 together as a rule.
    pub wdl: Option<[u16; 3]>,
    /// The line of play, in our coordinates.
    pub pv: Vec<String>,
}

/// A line of play that an engine reports while it thinks, with all that is known of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InfoLine {
    /// Its number among several, 1 the best.
    pub multipv: u32,
    /// Depth, score and moves.
    pub info: Info,
}

/// An `info` line that was read.
pub(crate) struct ReadInfo {
    pub(crate) line: InfoLine,
    /// It has a score or moves.
    pub(crate) has_result: bool,
}

impl Info {
    /// Reads a line. A line that is no `info` line, or of another line of play than the best, changes
    /// nothing; malformed parts of one are left out. A depth without score and line of play is that of an
    /// iteration only begun, and does not count. The line of play has our coordinates.
    pub(crate) fn read(&mut self, line: &str, from: Wire) {
        if let Some(read) = self.next(line, from) {
            self.adopt(&read.line);
        }
    }

    /// Becomes what a line says, if that is of the best line of play.
    pub(crate) fn adopt(&mut self, line: &InfoLine) {
        if line.multipv == 1 {
            self.clone_from(&line.info);
        }
    }

    /// The state of knowledge after a line of the engine: of the best line of play all that was known before, of another one what
    /// the line itself says. `None` for other lines than `info`.
    pub(crate) fn next(&self, line: &str, from: Wire) -> Option<ReadInfo> {
        let mut words = line.split_whitespace();
        if words.next() != Some("info") {
            return None;
        }
        let mut multipv = 1;
        let Self { mut depth, mut seldepth, mut nodes, mut time, .. } = *self;
        let (mut score, mut bound, mut chances, mut pv) = (None, None, None, None);
        while let Some(word) = words.next() {
            match word {
                "string" | "message" => break,
                "multipv" => multipv = words.next().map_or(Some(1), |word| word.parse().ok())?,
                "depth" => depth = number(&mut words).unwrap_or(depth),
                "seldepth" => seldepth = number(&mut words).unwrap_or(seldepth),
                "nodes" => nodes = number(&mut words).unwrap_or(nodes),
                "time" => time = number(&mut words).map_or(time, Duration::from_millis),
                "score" => score = read_score(&mut words, from.dialect).or(score),
                "wdl" => chances = read_chances(&mut words),
                "lowerbound" => bound = Some(Bound::Lower),
                "upperbound" => bound = Some(Bound::Upper),
                "pv" => {
                    let moves = words.by_ref().take(MAX_PV);
                    pv = Some(moves.map(|mv| from.ranks.ours(mv)).collect());
                }
                _ => {}
            }
        }
        let has_result = score.is_some() || pv.is_some();
        if !has_result {
            (depth, seldepth) = (self.depth, self.seldepth);
        }
        let is_best = multipv == 1;
        // Those of an earlier score say nothing of this one.
        let wdl = if score.is_some() { chances } else { chances.or(self.wdl.filter(|_| is_best)) };
        let score = score.or(self.score.filter(|_| is_best));
        let score = score.map(|(score, old)| (score, bound.unwrap_or(old)));
        let pv = pv.unwrap_or_else(|| if is_best { self.pv.clone() } else { Vec::new() });
        let info = Self { depth, seldepth, nodes, time, score, wdl, pv };
        Some(ReadInfo { line: InfoLine { multipv, info }, has_result })
    }
}

fn number<T: std::str::FromStr>(words: &mut SplitWhitespace<'_>) -> Option<T> {
    words.next()?.parse().ok()
}

/// Three numbers that are chances together; `None` for anything else.
fn read_chances(words: &mut SplitWhitespace<'_>) -> Option<[u16; 3]> {
    let chances = [number::<u16>(words)?, number(words)?, number(words)?];
    let sum: u32 = chances.iter().map(|&chance| u32::from(chance)).sum();
    (1..=10_000).contains(&sum).then_some(chances)
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

    /// The chances that are known once a line has been read.
    fn chances_after(info: &mut Info, line: &str) -> Option<[u16; 3]> {
        info.read(line, UCI);
        info.wdl
    }

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

    #[test]
    fn chances_belong_to_their_score() {
        let mut info = Info::default();
        let stated = "info depth 5 score cp 30 wdl 300 650 50 pv h2e2";
        assert_eq!(chances_after(&mut info, stated), Some([300, 650, 50]));
        assert_eq!(chances_after(&mut info, "info currmove h2e2"), Some([300, 650, 50]));
        assert_eq!(chances_after(&mut info, "info depth 6 score cp 30 pv h2e2"), None);
        for odd in ["0 0 0", "-1 1 1", "9 9", "60000 60000 1", "x"] {
            let line = format!("info score cp 3 wdl {odd}");
            assert_eq!(chances_after(&mut info, &line), None, "{odd}");
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
