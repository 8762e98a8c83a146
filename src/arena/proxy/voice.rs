//! Lines of an engine in the words of the other dialect.

use super::Dialect;
use crate::arena::Ranks;

/// How somebody speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Voice {
    pub(super) dialect: Dialect,
    pub(super) ranks: Ranks,
}

/// UCCI has no mates: this less the plies to it is the score of one, as in ElephantEye.
const UCCI_MATE: i64 = 10_000;
/// Plies of a mate at most.
const LONGEST_MATE: i64 = 200;
/// Where evaluations end.
const UCCI_EVALUATION: i64 = 8500;

/// An `info` line as the GUI wants it: none, one or several lines.
pub(super) fn info(line: &str, from: Voice, to: Voice) -> Vec<String> {
    let words: Vec<&str> = line.split_whitespace().collect();
    if let Some(&kind @ ("string" | "message")) = words.get(1) {
        let text = line.split_once(kind).map_or("", |(_, text)| text.trim_start());
        return vec![message(text, to.dialect)];
    }
    let moves = |word: &str| to.ranks.theirs(&from.ranks.ours(word));
    match (from.dialect, to.dialect) {
        (Dialect::Uci, Dialect::Ucci) => to_ucci(&words, moves),
        (Dialect::Ucci, Dialect::Uci) => vec![to_uci(&words, moves)],
        _ if from.ranks == to.ranks => vec![line.to_owned()],
        _ => vec![words.into_iter().map(moves).collect::<Vec<_>>().join(" ")],
    }
}

/// A message to people; what would end the line becomes a blank.
pub(super) fn message(text: &str, dialect: Dialect) -> String {
    let word = match dialect {
        Dialect::Uci => "string",
        Dialect::Ucci => "message",
    };
    let text: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    format!("info {word} {text}")
}

/// UCCI's scores are bare numbers; Fairy-Stockfish writes `mate 3` there too.
fn to_uci(words: &[&str], moves: impl Fn(&str) -> String) -> String {
    let word = |(i, word): (usize, &&str)| match word.parse() {
        Ok(score) if i > 0 && words[i - 1] == "score" => uci_score(score),
        _ => moves(word),
    };
    words.iter().enumerate().map(word).collect::<Vec<_>>().join(" ")
}

fn uci_score(score: i64) -> String {
    let plies = UCCI_MATE.saturating_sub(score.saturating_abs());
    match (plies, score > 0) {
        (0..=LONGEST_MATE, true) => format!("mate {}", (plies + 1) / 2),
        (0..=LONGEST_MATE, false) => format!("mate -{}", (plies + 1) / 2),
        _ => format!("cp {score}"),
    }
}

/// `info time … nodes …`, `info depth … score … pv …` and `info currmove …` are all that UCCI has,
/// and the best line only.
fn to_ucci(words: &[&str], moves: impl Fn(&str) -> String) -> Vec<String> {
    let after = |name: &str| {
        let at = words.iter().position(|&word| word == name)?;
        words.get(at + 1).copied()
    };
    if after("multipv").is_some_and(|number| number != "1") {
        return Vec::new();
    }
    let mut lines = Vec::new();
    if let (Some(time), Some(nodes)) = (after("time"), after("nodes")) {
        lines.push(format!("info time {time} nodes {nodes}"));
    }
    let line_of_play = words.iter().position(|&word| word == "pv");
    let score = words.iter().position(|&word| word == "score").and_then(|at| {
        let number: i64 = words.get(at + 2)?.parse().ok()?;
        let is_mate = words[at + 1] == "mate";
        Some(if is_mate {
            mate_score(number)
        } else {
            number.clamp(-UCCI_EVALUATION, UCCI_EVALUATION)
        })
    });
    if let Some(depth) = after("depth")
        && (score.is_some() || line_of_play.is_some())
    {
        let mut line = vec![format!("info depth {depth}")];
        line.extend(score.map(|score| format!("score {score}")));
        if let Some(at) = line_of_play {
            line.push("pv".to_owned());
            line.extend(words[at + 1..].iter().map(|mv| moves(mv)));
        }
        lines.push(line.join(" "));
    }
    if let Some(mv) = after("currmove") {
        lines.push(format!("info currmove {}", moves(mv)));
    }
    lines
}

/// Mate in so many moves as a number.
fn mate_score(moves: i64) -> i64 {
    let plies = moves.saturating_abs().saturating_mul(2).min(LONGEST_MATE);
    if moves > 0 { UCCI_MATE - (plies - 1) } else { plies - UCCI_MATE }
}

/// An answer to `go`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Answer {
    /// With ranks from 0; `None` if there is no move.
    pub(super) best: Option<String>,
    /// The answer expected.
    pub(super) ponder: Option<String>,
    /// UCCI: the engine offers a draw, or resigns.
    pub(super) offer: Option<&'static str>,
}

impl Answer {
    /// Reads `bestmove …` and `nobestmove`; `None` for other lines.
    pub(super) fn read(line: &str, ranks: Ranks) -> Option<Self> {
        let mut words = line.split_whitespace();
        match words.next() {
            Some("bestmove") => {}
            Some("nobestmove") => return Some(Self::default()),
            _ => return None,
        }
        let is_move = |mv: &&str| !matches!(*mv, "(none)" | "none" | "0000" | "a0a0" | "null");
        let mut answer =
            Self { best: words.next().filter(is_move).map(|mv| ranks.ours(mv)), ..Self::default() };
        while let Some(word) = words.next() {
            match word {
                "ponder" => {
                    answer.ponder = words.next().filter(is_move).map(|mv| ranks.ours(mv));
                }
                "draw" => answer.offer = Some("draw"),
                "resign" => answer.offer = Some("resign"),
                _ => {}
            }
        }
        Some(answer)
    }

    /// The line for a GUI.
    pub(super) fn text(&self, to: Voice) -> String {
        let Some(best) = &self.best else {
            return match to.dialect {
                Dialect::Uci => "bestmove (none)".to_owned(),
                Dialect::Ucci => "nobestmove".to_owned(),
            };
        };
        let mut words = vec![format!("bestmove {}", to.ranks.theirs(best))];
        let ponder = self.ponder.as_ref();
        words.extend(ponder.map(|ponder| format!("ponder {}", to.ranks.theirs(ponder))));
        words.extend(self.offer.filter(|_| to.dialect == Dialect::Ucci).map(str::to_owned));
        words.join(" ")
    }
}

/// The first move of an `info` line's line of play, with ranks from 0, unless it is not the best
/// line's.
pub(super) fn first_of_line(info: &str, ranks: Ranks) -> Option<String> {
    let mut words = info.split_whitespace().peekable();
    while let Some(word) = words.next() {
        match word {
            "string" | "message" => return None,
            "multipv" if words.peek().is_some_and(|&number| number != "1") => return None,
            "pv" => return words.next().map(|mv| ranks.ours(mv)),
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const UCI: Voice = Voice { dialect: Dialect::Uci, ranks: Ranks::FromZero };
    const FAIRY: Voice = Voice { dialect: Dialect::Uci, ranks: Ranks::FromOne };
    const UCCI: Voice = Voice { dialect: Dialect::Ucci, ranks: Ranks::FromZero };

    #[test]
    fn info_lines_are_translated() {
        let line = "info depth 5 seldepth 9 multipv 1 score cp -12 nodes 77 time 3 pv h2e2 h9g7";
        assert_eq!(info(line, UCI, UCI), [line]);
        assert_eq!(
            info(line, UCI, UCCI),
            ["info time 3 nodes 77", "info depth 5 score -12 pv h2e2 h9g7"]
        );
        assert_eq!(
            info("info depth 5 score mate 2 pv h3e3 h10g8", FAIRY, UCI),
            ["info depth 5 score mate 2 pv h2e2 h9g7"]
        );
        assert_eq!(info("info depth 5 multipv 2 score cp 1 pv a0a1", UCI, UCCI), [""; 0]);
        assert_eq!(
            info("info depth 5 score 12 pv h2e2", UCCI, FAIRY),
            ["info depth 5 score cp 12 pv h3e3"]
        );
        assert_eq!(info("info message hallo  du", UCCI, UCI), ["info string hallo  du"]);
        assert_eq!(info("info string h2e2", UCI, UCCI), ["info message h2e2"]);
        assert_eq!(info("info depth 3 currmove a0a1", UCI, UCCI), ["info currmove a0a1"]);
    }

    #[test]
    fn nearer_mates_score_higher() {
        assert_eq!([1, 2, -1, -2, 0].map(mate_score), [9999, 9997, -9998, -9996, -10_000]);
        assert_eq!(
            [9999, 9997, -9998, 300].map(uci_score),
            ["mate 1", "mate 2", "mate -1", "cp 300"]
        );
    }

    #[test]
    fn answers_are_read_and_written() {
        let read = |line| Answer::read(line, Ranks::FromZero).unwrap();
        assert_eq!(read("bestmove h2e2 ponder h9g7").text(FAIRY), "bestmove h3e3 ponder h10g8");
        assert_eq!(read("bestmove h2e2 draw").text(UCCI), "bestmove h2e2 draw");
        assert_eq!(read("bestmove h2e2 resign").text(UCI), "bestmove h2e2");
        assert_eq!(read("bestmove (none)").text(UCCI), "nobestmove");
        assert_eq!(read("nobestmove").text(UCI), "bestmove (none)");
        assert_eq!(Answer::read("bestmoves h2e2", Ranks::FromZero), None);
    }

    proptest! {
        #[test]
        fn no_line_panics(line: String, words in "info( (pv|score|mate|cp|string|time|nodes|depth|-?[0-9]{1,20}|h2e2)){0,9}") {
            for line in [&line, &words] {
                for from in [UCI, UCCI, FAIRY] {
                    for to in [UCI, UCCI, FAIRY] {
                        let _unused = (info(line, from, to), Answer::read(line, from.ranks));
                        let _unused = first_of_line(line, from.ranks);
                    }
                }
            }
        }
    }
}
