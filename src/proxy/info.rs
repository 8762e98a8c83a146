//! `info` lines of an engine in the dialect of the GUI.

use crate::game::ScoreKind;
use crate::protocol::{Info, Wire, scale};

/// An `info` line as the GUI wants it: none, one or several lines.
pub(crate) fn translate(line: &str, from: Wire, to: Wire) -> Vec<String> {
    let words: Vec<&str> = line.split_whitespace().collect();
    if let Some(&kind @ ("string" | "message")) = words.get(1) {
        let text = line.split_once(kind).map_or("", |(_, text)| text.trim_start());
        return vec![to.message(text)];
    }
    match (from.dialect.is_ucci(), to.dialect.is_ucci()) {
        (false, true) => to_ucci(line, &words, from, to),
        (true, false) => vec![to_uci(&words, from, to)],
        _ if from.ranks == to.ranks => vec![line.to_owned()],
        _ => {
            let words = words.into_iter().map(|word| with_ranks(word, from, to));
            vec![words.collect::<Vec<_>>().join(" ")]
        }
    }
}

/// A word with the ranks of the GUI if it is a move; all others stay as they are.
fn with_ranks(word: &str, from: Wire, to: Wire) -> String {
    to.ranks.theirs(&from.ranks.ours(word))
}

/// The score of a line, whatever its line of play.
fn score(words: &[&str], from: Wire) -> Option<ScoreKind> {
    let at = words.iter().position(|&word| word == "score")?;
    let mut info = Info::default();
    info.read(&format!("info {}", words[at..].join(" ")), from);
    info.score.map(|(score, _)| score)
}

/// UCCI's scores are bare numbers; Fairy-Stockfish writes `mate 3` there too.
fn to_uci(words: &[&str], from: Wire, to: Wire) -> String {
    let score = score(words, from);
    let translated = words.iter().enumerate().map(|(i, word)| {
        let is_score = i > 0 && words[i - 1] == "score" && word.parse::<i64>().is_ok();
        match score.filter(|_| is_score) {
            Some(score) => score.to_string(),
            None => with_ranks(word, from, to),
        }
    });
    translated.collect::<Vec<_>>().join(" ")
}

/// `info time … nodes …` and `info depth … score … pv …` are all that UCCI has beside the move looked
/// at, and the best line only.
fn to_ucci(line: &str, words: &[&str], from: Wire, to: Wire) -> Vec<String> {
    if word_after(words, "multipv").is_some_and(|number| number != "1") {
        return Vec::new();
    }
    let mut info = Info::default();
    info.read(line, from);
    let mut lines = Vec::new();
    if let (Some(time), Some(nodes)) = (word_after(words, "time"), word_after(words, "nodes")) {
        lines.push(format!("info time {time} nodes {nodes}"));
    }
    if info.score.is_some() || !info.pv.is_empty() {
        let mut words = vec![format!("info depth {}", info.depth)];
        words.extend(info.score.map(|(score, _)| format!("score {}", scale::to_ucci(score))));
        if !info.pv.is_empty() {
            words.push("pv".to_owned());
            words.extend(info.pv.iter().map(|mv| to.ranks.theirs(mv)));
        }
        lines.push(words.join(" "));
    }
    if let Some(mv) = word_after(words, "currmove") {
        lines.push(format!("info currmove {}", with_ranks(mv, from, to)));
    }
    lines
}

/// The word behind the first one that is `name`.
fn word_after<'w>(words: &[&'w str], name: &str) -> Option<&'w str> {
    let at = words.iter().position(|&word| word == name)?;
    words.get(at + 1).copied()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::protocol::{Dialect, Ranks};

    const UCI: Wire = Wire::of(Dialect::Uci);
    const FAIRY: Wire = Wire { ranks: Ranks::FromOne, ..UCI };
    const UCCI: Wire = Wire::of(Dialect::Ucci);

    #[test]
    fn info_lines_are_translated() {
        let line = "info depth 5 seldepth 9 multipv 1 score cp -12 nodes 77 time 3 pv h2e2 h9g7";
        assert_eq!(translate(line, UCI, UCI), [line]);
        assert_eq!(translate(line, UCI, Wire::of(Dialect::Cyclone)), [line]);
        assert_eq!(
            translate(line, UCI, UCCI),
            ["info time 3 nodes 77", "info depth 5 score -12 pv h2e2 h9g7"]
        );
        assert_eq!(
            translate("info depth 5 score mate 2 pv h3e3 h10g8", FAIRY, UCI),
            ["info depth 5 score mate 2 pv h2e2 h9g7"]
        );
        assert_eq!(translate("info depth 5 multipv 2 score cp 1 pv a0a1", UCI, UCCI), [""; 0]);
        assert_eq!(
            translate("info depth 5 score mate 2 pv h3e3", FAIRY, UCCI),
            ["info depth 5 score 9997 pv h2e2"]
        );
        for (said, heard) in [("12", "cp 12"), ("-9998", "mate -1"), ("mate 3", "mate 3")] {
            assert_eq!(
                translate(&format!("info depth 5 score {said} pv h2e2"), UCCI, FAIRY),
                [format!("info depth 5 score {heard} pv h3e3")]
            );
        }
        assert_eq!(
            translate("info depth 5 multipv 2 score 9999 pv h2e2", UCCI, UCI),
            ["info depth 5 multipv 2 score mate 1 pv h2e2"]
        );
        assert_eq!(translate("info message hallo  du", UCCI, UCI), ["info string hallo  du"]);
        assert_eq!(translate("info string h2e2", UCI, UCCI), ["info message h2e2"]);
        assert_eq!(translate("info depth 3 currmove a0a1", UCI, UCCI), ["info currmove a0a1"]);
    }

    proptest! {
        #[test]
        fn no_line_panics(line: String, words in "info( (pv|score|mate|cp|string|time|nodes|depth|-?[0-9]{1,20}|h2e2)){0,9}") {
            for line in [&line, &words] {
                for from in [UCI, UCCI, FAIRY] {
                    for to in [UCI, UCCI, FAIRY] {
                        let _unused = translate(line, from, to);
                    }
                }
            }
        }
    }
}
