use std::str::SplitWhitespace;
use std::time::Duration;

use crate::engine::Bound;

/// Moves of a line of play that are kept.
const MAX_PV: usize = 300;

/// What an engine says of a position, for the side to move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EngineScore {
    /// In centipawns.
    Centipawns(i32),
    /// Mate in so many moves of the winner; negative or 0 if the side to move is mated.
    Mate(i32),
}

/// What an engine of UCCI adds to a move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Offer {
    /// It offers a draw, or accepts one.
    Draw,
    /// It gives the game up.
    Resign,
}

/// What an engine said last of its best line, in `info` lines.
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
    pub score: Option<(EngineScore, Bound)>,
    /// The line of play, in our coordinates.
    pub pv: Vec<String>,
}

impl Info {
    /// Takes in a line. What is no `info` line, or is of another line than the best, changes nothing;
    /// what is malformed in one is left out. A depth without score and line of play is that of an
    /// iteration only begun, and does not count.
    pub(super) fn read(&mut self, line: &str) {
        let mut words = line.split_whitespace();
        if words.next() != Some("info") {
            return;
        }
        let mut next = self.clone();
        let mut has_result = false;
        while let Some(word) = words.next() {
            match word {
                "string" => break,
                "multipv" if words.next().is_some_and(|n| n != "1") => return,
                "depth" => next.depth = number(&mut words).unwrap_or(next.depth),
                "seldepth" => next.seldepth = number(&mut words).unwrap_or(next.seldepth),
                "nodes" => next.nodes = number(&mut words).unwrap_or(next.nodes),
                "time" => {
                    next.time = number(&mut words).map_or(next.time, Duration::from_millis);
                }
                "score" => {
                    let score = read_score(&mut words);
                    has_result |= score.is_some();
                    next.score = score.or(next.score);
                }
                "lowerbound" => next.score = next.score.map(|(score, _)| (score, Bound::Lower)),
                "upperbound" => next.score = next.score.map(|(score, _)| (score, Bound::Upper)),
                "pv" => {
                    has_result = true;
                    next.pv = words.by_ref().take(MAX_PV).map(str::to_owned).collect();
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

/// In UCCI a score is a number without a word before it.
fn read_score(words: &mut SplitWhitespace<'_>) -> Option<(EngineScore, Bound)> {
    let score = match words.next()? {
        "cp" => EngineScore::Centipawns(number(words)?),
        "mate" => EngineScore::Mate(number(words)?),
        word => EngineScore::Centipawns(word.parse().ok()?),
    };
    Some((score, Bound::Exact))
}

/// The end of a search, moves in the engine's coordinates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Answer<'a> {
    pub(super) best: Option<&'a str>,
    pub(super) ponder: Option<&'a str>,
    pub(super) offer: Option<Offer>,
}

/// Reads a `bestmove` or `nobestmove` line; `None` for other lines.
pub(super) fn best_move(line: &str) -> Option<Answer<'_>> {
    let mut words = line.split_whitespace();
    match words.next() {
        Some("bestmove") => {}
        Some("nobestmove") => return Some(Answer::default()),
        _ => return None,
    }
    let real = |mv: &&str| !matches!(*mv, "(none)" | "none" | "0000" | "a0a0" | "null");
    let mut answer = Answer { best: words.next().filter(real), ..Answer::default() };
    while let Some(word) = words.next() {
        match word {
            "ponder" => answer.ponder = words.next().filter(real),
            "draw" => answer.offer = Some(Offer::Draw),
            "resign" => answer.offer = Some(Offer::Resign),
            _ => {}
        }
    }
    Some(answer)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_best_line_counts() {
        let mut info = Info::default();
        info.read("info depth 5 seldepth 9 multipv 1 score cp -12 lowerbound nodes 77 time 3 pv h2e2 h9g7");
        let first = info.clone();
        assert_eq!(info.score, Some((EngineScore::Centipawns(-12), Bound::Lower)));
        assert_eq!((info.depth, info.seldepth, info.nodes), (5, 9, 77));
        assert_eq!((info.time, info.pv.len()), (Duration::from_millis(3), 2));
        info.read("info depth 5 multipv 2 score cp 900 pv a0a1");
        info.read("info string score cp 5");
        info.read("information score cp 5");
        info.read("info currmove h2e2 score nonsense nodes many");
        info.read("info depth 6 currmove b0c2 currmovenumber 1");
        assert_eq!(info, first);
        info.read("info depth 6 score mate -3 nodes 100");
        assert_eq!(info.score, Some((EngineScore::Mate(-3), Bound::Exact)));
        info.read("info depth 7 score 38 pv h2e2 h9g7");
        assert_eq!(
            (info.score, info.depth),
            (Some((EngineScore::Centipawns(38), Bound::Exact)), 7)
        );
    }

    #[test]
    fn best_moves_are_read() {
        let none = Answer::default();
        let answer = |best, ponder, offer| Some(Answer { best: Some(best), ponder, offer });
        let expected = answer("h2e2", Some("h9g7"), None);
        assert_eq!(best_move("bestmove h2e2 ponder h9g7"), expected);
        assert_eq!(best_move("bestmove h2e2 draw"), answer("h2e2", None, Some(Offer::Draw)));
        let expected = answer("h2e2", Some("h9g7"), Some(Offer::Resign));
        assert_eq!(best_move("bestmove h2e2 ponder h9g7 resign"), expected);
        for nothing in ["bestmove (none)", "bestmove", "nobestmove"] {
            assert_eq!(best_move(nothing), Some(none));
        }
        assert_eq!(best_move("bestmoves h2e2"), None);
    }

    proptest! {
        #[test]
        fn garbage_never_panics(line: String, end in "[a-z0-9 -]{0,40}") {
            let mut info = Info::default();
            info.read(&line);
            info.read(&format!("info {end}"));
            let _unused = best_move(&line);
        }
    }
}
