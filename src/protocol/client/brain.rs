//! An engine of gomoku that speaks the Gomocup protocol: what it was told, and what it is told next.

use std::time::Duration;

use crate::game::{Bound, Game, Line, Notation, ScoreKind, Side};
use crate::gomoku::{Board, Point, Variant};
use crate::message::{Message, message};
use crate::protocol::client::entry::EngineSizes;
use crate::protocol::client::go::GoLimits;
use crate::protocol::wire::format::Answer;
use crate::protocol::wire::gomocup::{Cell, Reply};
use crate::protocol::wire::info::Info;

/// The value of `time_left` and of other times without a limit, in milliseconds.
const UNLIMITED: i64 = i32::MAX as i64;

/// A position for the engine: where it begins, and the moves since.
#[derive(Debug, Clone)]
struct Setup {
    start: Board,
    moves: Vec<Point>,
}

/// The state of an engine as far as it follows from what it was told.
#[derive(Debug, Default)]
pub(crate) struct Brain {
    /// Names and values of `INFO` that were asked for.
    options: Vec<(String, String)>,
    /// Names and values that it knows.
    sent_options: Vec<(String, String)>,
    /// The position that it has; `None` before `START`, and where that is not known.
    known: Option<Setup>,
    /// Its board's columns and rows.
    size: Option<(u8, u8)>,
    /// The position to be searched.
    wanted: Option<Setup>,
}

/// The meaning of a line of the engine while it thinks.
#[derive(Debug)]
pub(crate) enum BrainReply {
    /// Its move, or that there is none.
    Answer(Answer),
    /// It asks for a line in return.
    Say(String),
    /// It refuses something it was sent, which need not be the search: a move may still come.
    Refusal(String),
    /// Nothing.
    Nothing,
}

impl Brain {
    /// An option: `INFO name value`.
    pub(crate) fn set_option(&mut self, name: &str, value: &str) {
        self.options.push((name.to_owned(), value.to_owned()));
    }

    /// Sizes: `max_memory` in bytes, and `thread_num`, which some engines know.
    pub(crate) fn set_sizes(&mut self, sizes: EngineSizes) {
        if let Some(mib) = sizes.hash_mib {
            self.set_option("max_memory", &mib.saturating_mul(1 << 20).to_string());
        }
        if let Some(threads) = sizes.threads {
            self.set_option("thread_num", &threads.to_string());
        }
    }

    /// The position to be searched next.
    ///
    /// # Errors
    ///
    /// If it is none of gomoku.
    pub(crate) fn set_line<G: Notation>(&mut self, line: &Line<G>) -> Result<(), Message> {
        let start = Board::from_fen(&line.start().to_fen()).map_err(|error| error.to_string())?;
        if start.row() != 5 {
            return Err(message!("{} in a row win; this protocol knows five only", start.row()));
        }
        let moves = line.moves().map(point_of::<G>).collect::<Result<_, _>>()?;
        self.wanted = Some(Setup { start, moves });
        Ok(())
    }

    /// Another game begins; returns true if the engine has to be told, by `RESTART`.
    pub(crate) fn new_game(&mut self) -> bool {
        self.known = None;
        self.size.is_some()
    }

    /// The engine has begun another game.
    pub(crate) fn restarted(&mut self) {
        if let Some((width, height)) = self.size {
            let start = Board::with_variant(width, height, 5, Variant::default()).ok();
            self.known = start.map(|start| Setup { start, moves: Vec::new() });
        }
    }

    /// The line that gives the engine the board it needs; `None` if it has it.
    pub(crate) fn start(&mut self) -> Option<String> {
        let board = &self.wanted.as_ref()?.start;
        let (width, height) = (board.width(), board.height());
        if self.size.replace((width, height)) == Some((width, height)) {
            return None;
        }
        // With a new board the engine may forget all that it was sent before, so that it is sent again.
        self.known = None;
        self.sent_options.clear();
        Some(if width == height {
            format!("START {width}")
        } else {
            format!("RECTSTART {width},{height}")
        })
    }

    /// The `INFO` lines that it needs before a search.
    pub(crate) fn infos(&mut self, limits: &GoLimits, longest: Duration) -> Vec<String> {
        let remaining =
            limits.clocks.and_then(|clocks| clocks.remaining.get(clocks.mover).copied());
        let turn = limits.move_time.or(remaining).unwrap_or(longest);
        let variant =
            self.wanted.as_ref().map_or(Variant::default(), |setup| setup.start.variant());
        let rule = match variant {
            Variant::Freestyle => 0,
            Variant::Standard => 1,
            Variant::Renju => 4,
        };
        let game = remaining.map_or(0, milliseconds).clamp(0, UNLIMITED);
        let has_game =
            self.sent_options.iter().any(|(name, value)| name == "timeout_match" && value != "0");
        let mut wanted = vec![
            ("timeout_turn", milliseconds(turn).clamp(0, UNLIMITED)),
            ("game_type", 1),
            ("rule", rule),
        ];
        // The time for a game stays what it was when the game began.
        if remaining.is_none() || !has_game || self.known.is_none() {
            wanted.push(("timeout_match", game));
        }
        // Zero stands for no limit, where one was set before.
        let nodes = limits.nodes.map(|nodes| i64::try_from(nodes).unwrap_or(i64::MAX));
        for (name, limit) in [("max_depth", limits.depth.map(i64::from)), ("max_node", nodes)] {
            let is_set = self.sent_options.iter().any(|(sent, _)| sent == name);
            wanted.extend(limit.or(is_set.then_some(0)).map(|limit| (name, limit)));
        }
        let options = std::mem::take(&mut self.options);
        let mut lines: Vec<(String, String)> =
            wanted.into_iter().map(|(name, value)| (name.to_owned(), value.to_string())).collect();
        lines.extend(options.iter().cloned());
        self.options = options;
        lines.retain(|line| !self.sent_options.contains(line));
        for (name, value) in &lines {
            self.sent_options.retain(|(sent, _)| sent != name);
            self.sent_options.push((name.clone(), value.clone()));
        }
        // Added after values that have not changed were removed: this one is said before every search.
        lines.push(("time_left".to_owned(), remaining.map_or(UNLIMITED, milliseconds).to_string()));
        lines.into_iter().map(|(name, value)| format!("INFO {name} {value}")).collect()
    }

    /// The lines that set the position up and ask for a move. What the engine knows already is not repeated.
    pub(crate) fn ask(&mut self) -> Vec<String> {
        let Some(wanted) = self.wanted.clone() else { return Vec::new() };
        let known = self.known.replace(wanted.clone());
        let Setup { start, moves } = wanted;
        if let Some(known) = known
            && known.start.to_fen() == start.to_fen()
            && let Some(rest) = moves.strip_prefix(known.moves.as_slice())
        {
            match rest {
                [] if start.stones() == 0 && moves.is_empty() => return vec!["BEGIN".to_owned()],
                &[last] => return vec![format!("TURN {}", cell(&start, last))],
                _ => {}
            }
        }
        if start.stones() == 0 && moves.is_empty() {
            return vec!["BEGIN".to_owned()];
        }
        board(&start, &moves)
    }

    /// Reads a line that comes while the engine thinks.
    pub(crate) fn hear(&mut self, line: &str, info: &mut Info) -> BrainReply {
        let Some(setup) = &mut self.known else { return BrainReply::Nothing };
        match Reply::read(line) {
            Reply::Cells(cells) => {
                let point = match cells.as_slice() {
                    &[cell] => point(&setup.start, cell),
                    _ => None,
                };
                setup.moves.extend(point);
                // An illegal move is for the referee.
                let best = Some(point.map_or_else(|| line.trim().to_owned(), |mv| mv.to_string()));
                BrainReply::Answer(Answer { best, ..Answer::default() })
            }
            Reply::Suggestion(cell) => BrainReply::Say(format!("PLAY {cell}")),
            Reply::Message(text) => {
                read_message(&text, info);
                BrainReply::Nothing
            }
            Reply::Error(text) => BrainReply::Refusal(format!("ERROR {text}")),
            Reply::Unknown(_) | Reply::Done | Reply::Swap | Reply::About(_) | Reply::Other => {
                BrainReply::Nothing
            }
        }
    }
}

/// The `BOARD` of the position after these moves, in their order; stones of which no order is known take turns.
fn board(start: &Board, moves: &[Point]) -> Vec<String> {
    let [first, second] = Side::ALL.map(|side| {
        start.points().filter(|&point| start.stone(point) == Some(side)).collect::<Vec<_>>()
    });
    let mut stones: Vec<(Point, Side)> = Vec::new();
    for index in 0..first.len().max(second.len()) {
        stones.extend(first.get(index).map(|&point| (point, Side::First)));
        stones.extend(second.get(index).map(|&point| (point, Side::Second)));
    }
    let mut turn = start.turn();
    for &mv in moves {
        stones.push((mv, turn));
        turn = !turn;
    }
    // The engine is to move: its own stones are 1.
    let line =
        |(point, side)| format!("{},{}", cell(start, point), if side == turn { 1 } else { 2 });
    let stones = stones.into_iter().map(line);
    std::iter::once("BOARD".to_owned()).chain(stones).chain(["DONE".to_owned()]).collect()
}

fn cell(board: &Board, point: Point) -> Cell {
    let row = i64::from(board.height()) - 1 - i64::from(point.row());
    Cell { column: point.column().into(), row }
}

fn point(board: &Board, cell: Cell) -> Option<Point> {
    let row = i64::from(board.height()).checked_sub(1)?.checked_sub(cell.row)?;
    let point = Point::new(u8::try_from(cell.column).ok()?, u8::try_from(row).ok()?)?;
    Some(point).filter(|&point| board.contains(point))
}

/// Reads what engines of this protocol say while they think, each in its own way: `depth 8-14 ev 35 n 12000`,
/// `Depth 8-14 | Eval -120 | Node 12K`.
fn read_message(text: &str, info: &mut Info) {
    let words = text.split(|c: char| c.is_whitespace() || matches!(c, '|' | ':' | '='));
    let mut words = words.filter(|word| !word.is_empty());
    while let Some(word) = words.next() {
        match word.to_ascii_lowercase().as_str() {
            "depth" => {
                let Some(depth) = words.next() else { return };
                let (depth, longest) = depth.split_once('-').unwrap_or((depth, depth));
                info.depth = depth.parse().unwrap_or(info.depth);
                info.seldepth = longest.parse().unwrap_or(info.seldepth);
            }
            "ev" | "eval" => info.score = words.next().and_then(score).or(info.score),
            "n" | "node" | "nodes" => {
                info.nodes = words.next().and_then(count).unwrap_or(info.nodes);
            }
            _ => {}
        }
    }
}

/// A time in milliseconds, or [`UNLIMITED`] if it has more.
fn milliseconds(time: Duration) -> i64 {
    i64::try_from(time.as_millis()).unwrap_or(UNLIMITED)
}

/// The point of a move, or its text if it is none.
fn point_of<G: Notation>(mv: G::Move) -> Result<Point, String> {
    let text = G::move_text(mv);
    Point::parse(&text).ok_or(text)
}

/// A number, or `+M5` for a win after five plies.
fn score(word: &str) -> Option<(ScoreKind, Bound)> {
    let score = if let Some(plies) = word.strip_prefix("+M") {
        ScoreKind::MateIn(plies.parse().ok()?)
    } else if let Some(plies) = word.strip_prefix("-M") {
        ScoreKind::MatedIn(plies.parse().ok()?)
    } else {
        ScoreKind::Centipawns(word.parse().ok()?)
    };
    Some((score, Bound::Exact))
}

/// A number, perhaps of thousands or millions.
fn count(word: &str) -> Option<u64> {
    let factor = match word.chars().last()?.to_ascii_lowercase() {
        'k' => 1_000,
        'm' => 1_000_000,
        _ => 1,
    };
    let digits = word.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    digits.parse::<u64>().ok()?.checked_mul(factor)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(moves: &str) -> Line<Board> {
        let mut line = Line::new(Board::start(), 0);
        moves.split_whitespace().for_each(|mv| line.push(Point::parse(mv).unwrap()));
        line
    }

    fn asked(brain: &mut Brain, moves: &str) -> String {
        brain.set_line(&line(moves)).unwrap();
        let start = brain.start().map_or_else(String::new, |start| start + " ");
        start + &brain.ask().join(" ")
    }

    #[test]
    fn the_engine_is_told_what_it_does_not_know() {
        let mut brain = Brain::default();
        assert!(!brain.new_game());
        assert_eq!(asked(&mut brain, ""), "START 15 BEGIN");
        let mut info = Info::default();
        let heard = brain.hear("7,7", &mut info);
        assert!(
            matches!(heard, BrainReply::Answer(answer) if answer.best.as_deref() == Some("h8"))
        );
        assert_eq!(asked(&mut brain, "h8 i9"), "TURN 8,6");
        // It has moved, but another move was played.
        brain.hear("0,0", &mut info);
        assert_eq!(asked(&mut brain, "h8 i9 a1 b1"), "BOARD 7,7,1 8,6,2 0,14,1 1,14,2 DONE");
        assert!(brain.new_game());
        assert_eq!(asked(&mut brain, "h8"), "BOARD 7,7,2 DONE");
        assert!(brain.new_game());
        brain.restarted();
        assert_eq!(asked(&mut brain, "h8"), "TURN 7,7");
        let fen = "15/15/15/15/15/15/15/7x7/8o6/15/15/15/15/15/15 x 5";
        brain.set_line(&Line::new(Board::from_fen(fen).unwrap(), 0)).unwrap();
        assert_eq!(brain.ask().join(" "), "BOARD 7,7,1 8,8,2 DONE");
        let wide = Board::with_variant(20, 10, 5, Variant::Renju).unwrap();
        brain.set_line(&Line::new(wide, 0)).unwrap();
        assert_eq!(brain.start().unwrap(), "RECTSTART 20,10");
        let four = Board::new(9, 9, 4).unwrap();
        assert!(brain.set_line(&Line::new(four, 0)).unwrap_err().to_string().contains("five only"));
        let xiangqi = Line::new(crate::xiangqi::Position::start(), 0);
        assert!(brain.set_line(&xiangqi).is_err());
    }

    #[test]
    fn limits_are_told_once() {
        let mut brain = Brain::default();
        brain.set_line(&line("")).unwrap();
        brain.set_option("max_memory", "1000");
        let longest = Duration::from_secs(9);
        let move_time = Some(Duration::from_millis(200));
        let limits = GoLimits { move_time, ..GoLimits::default() };
        let first = brain.infos(&limits, longest);
        let parts = ["timeout_turn 200", "rule 0", "timeout_match 0", "max_memory 1000"];
        assert!(parts.iter().all(|part| first.contains(&format!("INFO {part}"))), "{first:?}");
        assert_eq!(brain.infos(&limits, longest), ["INFO time_left 2147483647"]);
        let nodes = GoLimits { nodes: Some(500), ..GoLimits::default() };
        let lines = brain.infos(&nodes, longest);
        assert!(lines.contains(&"INFO max_node 500".to_owned()), "{lines:?}");
        assert!(lines.contains(&"INFO timeout_turn 9000".to_owned()), "{lines:?}");
        let lines = brain.infos(&limits, longest);
        assert!(lines.contains(&"INFO max_node 0".to_owned()), "{lines:?}");
        assert_eq!(brain.infos(&limits, longest), ["INFO time_left 2147483647"]);
    }

    #[test]
    fn messages_of_many_engines_are_read() {
        for (text, depth, score, nodes) in [
            ("depth 8-14 ev 35 n 12000 tm 40 pv h8 i9", 8, ScoreKind::Centipawns(35), 12_000),
            (
                "Depth 8-14 | Eval -120 | Node 12K | Time 9ms",
                8,
                ScoreKind::Centipawns(-120),
                12_000,
            ),
            ("depth 3 ev +M5 n 7M", 3, ScoreKind::MateIn(5), 7_000_000),
        ] {
            let mut info = Info::default();
            read_message(text, &mut info);
            assert_eq!((info.depth, info.nodes), (depth, nodes), "{text}");
            assert_eq!(info.score, Some((score, Bound::Exact)), "{text}");
        }
        let mut info = Info::default();
        for text in ["depth", "ev", "depth x ev y n z", "n 99999999999999999999M", "|||"] {
            read_message(text, &mut info);
        }
        assert_eq!(info, Info::default());
    }
}
