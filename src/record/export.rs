//! Games as Chinese programs and sites export them to text: free lines with what is known of the game,
//! then numbered moves.
//!
//! ```text
//! 标题：五七炮对屏风马
//! 红方：甲              黑方：乙
//! 结果：未知
//! FEN ：rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1
//!
//!   1. 炮二平五 马８进７
//!   2. 马二进三 车９平８
//! ```
//!
//! A game's moves begin with a line of number 1 and end before the next line that is neither blank nor
//! begins with a number, a move, a result or a comment. What stands before its moves, after those of the
//! game before, says what it is: known names before colons become tags, other lines are free.

use super::pgn::{self, BlockFault, BlockGame};
use super::{
    BadGame, BadGameReason, Chunk, MAX_GAME_BYTES, ParsedGame, Place, ReadSummary, plain, table,
};

/// Names before a colon, and the tags that they become.
const TAGS: [(&str, &str); 26] = [
    ("标题", "Title"),
    ("對局名稱", "Title"),
    ("对局名称", "Title"),
    ("赛事", "Event"),
    ("賽事", "Event"),
    ("比赛名称", "Event"),
    ("日期", "Date"),
    ("比赛日期", "Date"),
    ("地点", "Site"),
    ("比赛地点", "Site"),
    ("轮次", "Round"),
    ("组别", "Group"),
    ("台次", "Board"),
    ("时间规则", "TimeControl"),
    ("红方", "Red"),
    ("紅方", "Red"),
    ("黑方", "Black"),
    ("红队", "RedTeam"),
    ("黑队", "BlackTeam"),
    ("红等级分", "RedElo"),
    ("黑等级分", "BlackElo"),
    ("结果", "Result"),
    ("比赛结果", "Result"),
    ("FEN", "FEN"),
    ("ECCO", "ECCO"),
    ("结束方式", "Termination"),
];

/// The bounds of what is read of free lines: longer lines, and further tags of a game, are ignored.
const LONGEST_LINE: usize = 1 << 10;
const MOST_TAGS: usize = 1 << 10;

/// Returns true if a line of the text begins a game's moves.
pub(super) fn looks_like(text: &str) -> bool {
    text.lines().any(begins_moves)
}

/// Returns true if a line begins with the number 1 and a move.
fn begins_moves(line: &str) -> bool {
    let line = line.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
    let rest = line.strip_prefix(['1', '１']).and_then(|rest| rest.strip_prefix(['.', '．', '、']));
    rest.is_some_and(|rest| rest.split_whitespace().next().is_some_and(plain::begins_with_move))
}

/// Returns true if a line continues the moves.
fn goes_on(line: &str) -> bool {
    let Some(word) = line.split_whitespace().next() else { return true };
    word.starts_with(['{', '(', ';', '｛'])
        || word.starts_with(|c: char| c.is_ascii_digit() || ('０'..='９').contains(&c))
        || plain::begins_with_move(word)
}

/// Reads the games of a text.
pub(super) fn read(
    source: &str,
    bytes: &[u8],
    chunk: &Chunk,
    sink: &mut dyn FnMut(Result<ParsedGame, BadGame>),
) -> ReadSummary {
    let mut summary = ReadSummary::default();
    if bytes.len() > MAX_GAME_BYTES {
        let (source, place) = (source.to_owned(), Place::Line(1));
        sink(Err(BadGame { source, place, game: 1, reason: BadGameReason::TooLong(bytes.len()) }));
        return ReadSummary { bad: 1, ..summary };
    }
    let (text, is_undecoded) = chunk.encoding.decode_part(bytes);
    summary.undecoded += u64::from(is_undecoded);
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    for (number, game) in (1..).zip(games(&text)) {
        let line = game.line;
        pgn::hand_over(source, (Place::Line(line), number), chunk, game.read(), &mut summary, sink);
    }
    summary
}

/// A game's tags and its moves.
#[derive(Debug, Default)]
struct Game {
    tags: Vec<(String, String)>,
    /// The line on which its moves begin.
    line: u64,
    moves: String,
}

impl Game {
    fn read(&self) -> Result<Option<BlockGame>, BlockFault> {
        pgn::read_moves(&self.moves, &self.tags)
    }
}

/// The games of a text, in order.
fn games(text: &str) -> Vec<Game> {
    let (mut games, mut open): (Vec<Game>, Game) = (Vec::new(), Game::default());
    let mut in_moves = false;
    for (number, line) in (1..).zip(text.lines()) {
        let is_first = begins_moves(line);
        if in_moves && (is_first || !goes_on(line)) {
            games.push(std::mem::take(&mut open));
            in_moves = false;
        }
        if is_first {
            (in_moves, open.line) = (true, number);
        }
        if in_moves {
            open.moves.push_str(line);
            open.moves.push('\n');
        } else if open.tags.len() < MOST_TAGS {
            open.tags.extend(tags(line));
        }
    }
    if in_moves {
        games.push(open);
    }
    games
}

/// The tags that a line states: `名：value`, perhaps several after some blanks.
fn tags(line: &str) -> Vec<(String, String)> {
    let mut tags = Vec::new();
    if line.len() > LONGEST_LINE {
        return tags;
    }
    let mut rest = line.trim_start_matches('\u{feff}');
    while let Some((name, after)) = rest.split_once(['：', ':']) {
        let name: String = name.chars().filter(|c| !c.is_whitespace()).collect();
        let known = |text: &str| TAGS.iter().find(|(known, _)| text == *known);
        // The value ends where another known name begins.
        let end = TAGS.iter().filter_map(|(other, _)| {
            let at = after.find(other)?;
            after[at + other.len()..].trim_start().starts_with(['：', ':']).then_some(at)
        });
        let (value, next) = after.split_at(end.min().unwrap_or(after.len()));
        if let Some((_, tag)) = known(&name) {
            let value =
                value.split("  ").find(|part| !part.trim().is_empty()).unwrap_or_default().trim();
            let value =
                if *tag == "Result" { table::result(value).unwrap_or_default() } else { value };
            if !value.is_empty() {
                tags.push(((*tag).to_owned(), value.to_owned()));
            }
        }
        rest = next;
    }
    tags
}

#[cfg(test)]
mod tests {
    use super::super::{Format, read_games, result_text};

    #[test]
    fn free_lines_stand_above_the_moves() {
        let text = "\u{feff}标题：甲局\n\n红    方：甲(1)  耗时：  2分\n比赛日期：2016年  比赛地点：乙\n结果：红胜\nFEN ：rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1\n\n棋谱   红方           黑方\n  1. 炮二平五 马８进７\n  2. 马二进三\n\n标题：丙\n--\n1. 兵七进一 兵八进一\n";
        for bytes in [
            text.as_bytes().to_vec(),
            encoding_rs::GB18030.encode(text.trim_start_matches('\u{feff}')).0.into_owned(),
        ] {
            assert_eq!(Format::sniff(&bytes), Ok(Format::Text));
            let mut games = Vec::new();
            read_games("t", &bytes, &mut |game| {
                games.push(match game {
                    Ok(game) => {
                        let tags: Vec<_> =
                            game.record.tags.iter().map(|(n, v)| format!("{n}={v}")).collect();
                        let (moves, result) =
                            (game.record.tree.moves.len(), result_text(game.record.result));
                        assert!(game.record.start.is_none());
                        let tags: Vec<_> =
                            tags.into_iter().filter(|tag| !tag.starts_with("FEN")).collect();
                        format!("{} {moves} {result}", tags.join(" "))
                    }
                    Err(bad) => bad.to_string(),
                });
            });
            assert_eq!(games[0], "Title=甲局 Red=甲(1) Date=2016年 Site=乙 Result=1-0 3 1-0");
            assert!(games[1].starts_with("t:14: game 2: ply 2:"), "{games:?}");
            assert_eq!(games.len(), 2);
        }
        assert!(Format::sniff("标题：甲局\n\n1. 今天\n".as_bytes()).is_err());
    }
}
