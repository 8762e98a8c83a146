//! The lines that one program writes to the other, in the dialect that the other understands. Session, client
//! and proxy write and read these lines here and nowhere else; `go` has a module of its own.

use crate::bytes::visible::Visible;
use crate::game::{Line, Notation};
use crate::protocol::wire::dialect::Dialect;
use crate::protocol::wire::ranks::Ranks;

/// A word for a message: without control characters and not long.
pub(crate) fn shortened(word: &str) -> String {
    const LEN: usize = 40;
    let mut text: String = word.chars().filter(|c| !c.is_control()).take(LEN).collect();
    if word.chars().nth(LEN).is_some() {
        text.push('…');
    }
    text
}

/// The dialect and the conventions of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Wire {
    pub(crate) dialect: Dialect,
    /// The way in which ranks are counted in moves.
    pub(crate) ranks: Ranks,
    /// Milliseconds in UCCI's unit of time: 1000 until the option `usemillisec` is set.
    pub(crate) unit: u64,
}

impl Wire {
    /// That of a dialect before any option is set.
    pub(crate) const fn of(dialect: Dialect) -> Self {
        Self { dialect, ranks: Ranks::FromZero, unit: if dialect.is_ucci() { 1000 } else { 1 } }
    }

    /// A message to people; what would end the line is escaped.
    pub(crate) fn message(self, text: &str) -> String {
        format!("info {} {}", self.dialect.message_word(), Visible(text))
    }

    /// The command that sets an option, or presses a button where `value` is empty.
    pub(crate) fn set_option(self, name: &str, value: &str) -> String {
        let text = match (self.dialect.is_ucci(), value) {
            (true, value) => format!("setoption {name} {value}"),
            (false, "") => format!("setoption name {name}"),
            (false, value) => format!("setoption name {name} value {value}"),
        };
        text.trim_end().to_owned()
    }

    /// The `position` command: FEN (`None` for the start of a game) and moves in our coordinates.
    pub(crate) fn position<'a>(
        self,
        fen: Option<&str>,
        moves: impl IntoIterator<Item = &'a str>,
    ) -> String {
        let mut text =
            fen.map_or_else(|| "position startpos".to_owned(), |fen| format!("position fen {fen}"));
        for (i, mv) in moves.into_iter().enumerate() {
            text += if i == 0 { " moves " } else { " " };
            text += &self.ranks.theirs(mv);
        }
        text
    }

    /// The `position` command for the end of `line`, which begins at the position that `start` says
    /// (`None` for the usual one). UCCI wants the position after the last capture, and the moves
    /// since.
    pub(crate) fn line<G: Notation>(self, start: Option<&str>, line: &Line<G>) -> String {
        let moves: Vec<String> = line.moves().map(G::move_text).collect();
        let since = moves.len().saturating_sub(line.clock() as usize);
        let fen = match (self.dialect.is_ucci(), start) {
            (false, start) => start.map(str::to_owned),
            (true, Some(start)) if since == 0 => Some(start.to_owned()),
            (true, start) => Some(text_after(line, since, start)),
        };
        let first = if self.dialect.is_ucci() { since } else { 0 };
        self.position(fen.as_deref(), moves[first..].iter().map(String::as_str))
    }

    /// The answer to `go`. UCI has no words for offers.
    pub(crate) fn answer(self, answer: &Answer) -> String {
        let Some(best) = &answer.best else {
            let text = if self.dialect.is_ucci() { "nobestmove" } else { "bestmove (none)" };
            return text.to_owned();
        };
        let mut text = format!("bestmove {}", self.ranks.theirs(best));
        if let Some(ponder) = &answer.ponder {
            text += " ponder ";
            text += &self.ranks.theirs(ponder);
        }
        match answer.offer.filter(|_| self.dialect.is_ucci()) {
            Some(Offer::Draw) => text + " draw",
            Some(Offer::Resign) => text + " resign",
            None => text,
        }
    }

    /// The move that a word of an answer is; `None` if it stands for none.
    fn move_of(self, word: Option<&str>) -> Option<String> {
        let mv = word?;
        let is_none = matches!(mv, "(none)" | "none" | "0000" | "a0a0" | "null");
        (!is_none).then(|| self.ranks.ours(mv))
    }

    /// Reads `bestmove …` and `nobestmove`; `None` for other lines.
    pub(crate) fn read_answer(self, line: &str) -> Option<Answer> {
        let mut words = line.split_whitespace();
        match words.next() {
            Some("bestmove") => {}
            Some("nobestmove") => return Some(Answer::default()),
            _ => return None,
        }
        let mut answer = Answer { best: self.move_of(words.next()), ..Answer::default() };
        while let Some(word) = words.next() {
            match word {
                "ponder" => answer.ponder = self.move_of(words.next()),
                "draw" => answer.offer = Some(Offer::Draw),
                "resign" => answer.offer = Some(Offer::Resign),
                _ => {}
            }
        }
        Some(answer)
    }
}

/// The position after `count` moves of `line`, with the number that this move has in the game where
/// the position is a FEN.
fn text_after<G: Notation>(line: &Line<G>, count: usize, start: Option<&str>) -> String {
    let mut position = line.start().clone();
    for mv in line.moves().take(count) {
        position.make(mv);
    }
    let text = position.to_fen();
    let begun = start.and_then(|fen| fen.split_whitespace().nth(5)?.parse::<u64>().ok());
    let second = usize::from(line.start().turn().index() == 1);
    let number = begun.unwrap_or(1).saturating_add(((count + second) / 2) as u64);
    match text.rsplit_once(' ') {
        Some((rest, "1")) if text.split(' ').count() == 6 => format!("{rest} {number}"),
        _ => text,
    }
}

/// The addition of an engine of UCCI to its move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Offer {
    /// It offers a draw, or accepts one.
    Draw,
    /// It gives the game up.
    Resign,
}

/// An answer to `go`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Answer {
    /// In our coordinates; `None` if there is no move.
    pub(crate) best: Option<String>,
    /// The answer expected.
    pub(crate) ponder: Option<String>,
    /// The offer that comes with it.
    pub(crate) offer: Option<Offer>,
}

/// Distinguishes an engine's answer from the `nobestmove` by which UCCI answers a `stop` that comes when the
/// search has just ended: that line may come after the next search was requested.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Crossing {
    may_come: bool,
}

impl Crossing {
    /// A search has ended with a move; `stop_said` if `stop` was sent to it.
    pub(crate) const fn ended(&mut self, dialect: Dialect, stop_said: bool) {
        self.may_come = dialect.is_ucci() && stop_said;
    }

    /// Returns true if a line of the engine is that `nobestmove`. It comes before all that belongs to the
    /// next search.
    pub(crate) fn is(&mut self, line: &str) -> bool {
        match line.split_whitespace().next() {
            Some("nobestmove") => std::mem::take(&mut self.may_come),
            Some("bestmove" | "info") => {
                self.may_come = false;
                false
            }
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::xiangqi::{Move, Position, START_FEN};

    const UCI: Wire = Wire::of(Dialect::Uci);
    const FAIRY: Wire = Wire { ranks: Ranks::FromOne, ..UCI };
    const UCCI: Wire = Wire::of(Dialect::Ucci);

    /// The answer of an engine of UCI.
    fn answer(line: &str) -> Answer {
        UCI.read_answer(line).unwrap()
    }

    /// The state after the end of a search.
    fn crossing_after(dialect: Dialect, stop_said: bool) -> Crossing {
        let mut crossing = Crossing::default();
        crossing.ended(dialect, stop_said);
        crossing
    }

    fn line(moves: &str) -> Line<Position> {
        let mut line = Line::new(Position::start(), 0);
        moves.split_whitespace().for_each(|mv| line.push(Move::parse(mv).unwrap()));
        line
    }

    #[test]
    fn positions_are_written_as_the_other_wants_them() {
        let quiet = line("h2e2 h9g7");
        assert_eq!(FAIRY.line(None, &quiet), "position startpos moves h3e3 h10g8");
        let expected = format!("position fen {START_FEN} moves h2e2 h9g7");
        assert_eq!(UCCI.line(None, &quiet), expected);
        let capture = line("h2e2 h9g7 e2e6 a9a8");
        let start = "rnbakab1r/9/1c4nc1/p1p1C1p1p/9/9/P1P1P1P1P/1C7/9/RNBAKABNR b - - 0";
        let expected = format!("position fen {start} 2 moves a9a8");
        assert_eq!(UCCI.line(None, &capture), expected);
        let expected = format!("position fen {start} 8 moves a9a8");
        assert_eq!(UCCI.line(Some(&START_FEN.replace("0 1", "0 7")), &capture), expected);
        assert_eq!(UCI.line(Some("x"), &quiet), "position fen x moves h2e2 h9g7");
        assert_eq!(UCCI.position(Some("odd b"), ["a0a1"]), "position fen odd b moves a0a1");
    }

    #[test]
    fn options_are_set_in_both_grammars() {
        assert_eq!(UCI.set_option("Clear Hash", ""), "setoption name Clear Hash");
        assert_eq!(UCI.set_option("Hash", "16"), "setoption name Hash value 16");
        assert_eq!(UCCI.set_option("hashsize", "16"), "setoption hashsize 16");
        assert_eq!(UCCI.set_option("newgame", ""), "setoption newgame");
    }

    #[test]
    fn answers_are_read_and_written() {
        let expected = "bestmove h3e3 ponder h10g8";
        assert_eq!(FAIRY.answer(&answer("bestmove h2e2 ponder h9g7")), expected);
        assert_eq!(FAIRY.read_answer("bestmove H3E3").unwrap().best.unwrap(), "h2e2");
        let both = answer("bestmove h2e2 ponder h9g7 resign");
        assert_eq!(UCCI.answer(&both), "bestmove h2e2 ponder h9g7 resign");
        assert_eq!(UCCI.answer(&answer("bestmove h2e2 draw")), "bestmove h2e2 draw");
        assert_eq!(UCI.answer(&answer("bestmove h2e2 resign")), "bestmove h2e2");
        for nothing in ["bestmove (none)", "bestmove", "nobestmove"] {
            assert_eq!(answer(nothing), Answer::default());
        }
        assert_eq!(UCCI.answer(&Answer::default()), "nobestmove");
        assert_eq!(UCI.answer(&Answer::default()), "bestmove (none)");
        assert_eq!(UCI.read_answer("bestmoves h2e2"), None);
    }

    #[test]
    fn the_answer_to_a_late_stop_is_told_apart() {
        let mut late = crossing_after(Dialect::Ucci, true);
        assert_eq!(
            ["readyok", "nobestmove", "nobestmove"].map(|line| late.is(line)),
            [false, true, false]
        );
        let mut next = crossing_after(Dialect::Ucci, true);
        assert_eq!(["info depth 1", "nobestmove"].map(|line| next.is(line)), [false; 2]);
        assert!(!crossing_after(Dialect::Ucci, false).is("nobestmove"));
        assert!(!crossing_after(Dialect::Uci, true).is("nobestmove"));
    }

    #[test]
    fn messages_stay_on_one_line() {
        assert_eq!(UCI.message("a\nbestmove b"), "info string a\\nbestmove b");
        assert_eq!(UCCI.message("a\nbestmove b"), "info message a\\nbestmove b");
        assert!(shortened(&"x".repeat(1000)).len() < 100);
    }

    proptest! {
        #[test]
        fn no_line_panics(line: String, end in "[a-z0-9 -]{0,40}") {
            for wire in [UCI, FAIRY, UCCI] {
                for line in [&line, &format!("bestmove {end}")] {
                    let _unused = wire.read_answer(line).map(|answer| wire.answer(&answer));
                }
            }
        }
    }
}
