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
//! 结果：红胜
//! ```
//!
//! A game's moves begin with a line of number 1. Later lines belong to them if they begin with a further
//! number and a move, with a move, or with a comment. Other lines are free: known names before colons become
//! tags, and the moves go on behind free lines without names of players or games where a line has the number
//! that comes next. A result directly behind the moves is that of the game before, as is one behind the
//! last moves; what else stands between the moves of two games says what the second one is. Numbered
//! moves outside of any game are a bad game.
//!
//! Remarks in round brackets are comments; moves in them are variations.

use std::borrow::Cow;

use crate::game::Outcome;
use crate::message::message;
use crate::record::model::bad_game::BadGameReason;
use crate::record::model::chunk::Chunk;
use crate::record::model::chunk_reader::ChunkReader;
use crate::record::model::encoding::Encoding;
use crate::record::model::format::Format;
use crate::record::model::format_row::{FormatInfo, FormatRow, ReadGames, Sniffer, Stage};
use crate::record::model::limits::MAX_GAME_BYTES;
use crate::record::model::parsed::Note;
use crate::record::model::place::Place;
use crate::record::text::pgn::{BlockFault, BlockGame};
use crate::record::text::pgn_writer::result_text;
use crate::record::text::split::Lines;
use crate::record::text::{move_words, pgn, scan, table};
use crate::xiangqi::notation::fold;

/// The row of exports to text.
pub(crate) const ROW: FormatRow = FormatRow {
    info: FormatInfo::of_text(Format::Text, "text", &[]),
    sniff: &[Sniffer { stage: Stage::FreeText, shows: |sample| looks_like(sample.decoded()) }],
    read: ReadGames::Chunk(read),
    write: None,
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

/// The tags that say how a game ended, and nothing of which game it is.
const ENDS: [&str; 2] = ["Result", "Termination"];

/// The bounds of what is read of free lines: longer lines, and further tags of a game, are ignored.
const LONGEST_LINE: usize = 1 << 10;
const MOST_TAGS: usize = 1 << 10;

/// The digits of the number of a move, at most.
const MOST_DIGITS: usize = 4;

/// Returns true if a line of the text begins a game's moves.
fn looks_like(text: &str) -> bool {
    text.lines().any(|line| {
        let line = line.trim_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
        numbered(line).is_some_and(Numbered::is_first)
    })
}

/// Reads the games of a text.
fn read(reader: &mut ChunkReader<'_>) {
    for (number, game) in (1..).zip(Games::new(reader.bytes, reader.chunk)) {
        let place = Place::Line(game.line);
        pgn::hand_over(reader, place, number, game.read());
    }
}

/// The number at the beginning of a line of moves, and what follows it.
#[derive(Debug, Clone, Copy)]
struct Numbered {
    number: u64,
    /// A mark such as a dot stands behind the number.
    is_marked: bool,
    /// Black's move follows, as in `1. ... 马８进７`.
    is_second: bool,
    /// A move follows, no comment and no end of the line.
    has_move: bool,
}

impl Numbered {
    /// Returns true if a game's moves begin here, wherever it is.
    const fn is_first(self) -> bool {
        self.number == 1 && self.is_marked && self.has_move && !self.is_second
    }
}

/// The number that a line of moves begins with.
fn numbered(line: &str) -> Option<Numbered> {
    let (number, rest) = split_number(line)?;
    let after = rest.trim_start_matches(|c: char| is_mark(c) || c.is_whitespace());
    let between = &rest[..rest.len() - after.len()];
    let dots = between.chars().filter(|&c| is_mark(c)).count();
    let is_marked = dots > 0;
    let is_second = dots > 1 || between.contains('…');
    let has_move = begins_with_move(after);
    let is_open = is_marked && (after.is_empty() || begins_comment(after));
    (has_move || is_open).then_some(Numbered { number, is_marked, is_second, has_move })
}

/// Returns true for the marks behind numbers of moves.
const fn is_mark(c: char) -> bool {
    matches!(c, '.' | '．' | '、' | '…')
}

/// A number at the beginning of a text, and what follows it.
fn split_number(text: &str) -> Option<(u64, &str)> {
    let mut number = 0;
    let mut digits = 0;
    let mut rest = text.chars();
    while let Some(digit) = rest.clone().next().and_then(|c| fold(c).to_digit(10)) {
        number = 10 * number + u64::from(digit);
        digits += 1;
        if digits > MOST_DIGITS {
            return None;
        }
        rest.next();
    }
    (digits > 0).then_some((number, rest.as_str()))
}

fn begins_with_move(text: &str) -> bool {
    let word = text.split(ends_word).next().unwrap_or_default();
    !word.is_empty() && move_words::begins_with_move(word)
}

/// Returns true for what ends a word that may be a move.
fn ends_word(c: char) -> bool {
    c.is_whitespace() || matches!(fold(c), '{' | '}' | '(' | ')' | ';' | '!' | '?' | ',')
}

fn begins_comment(text: &str) -> bool {
    text.chars().next().is_some_and(|c| matches!(fold(c), '{' | '(' | ';'))
}

/// Returns true if a line has numbers and moves and nothing else.
fn is_all_moves(line: &str) -> bool {
    line.split_whitespace().all(|word| {
        let after = split_number(word).map_or(word, |(_, after)| after);
        let after = after.trim_start_matches(['.', '．', '、', '…']);
        after.is_empty()
            || move_words::begins_with_move(after)
            || move_words::begins_with_move(word)
    })
}

/// The part of a game that a line belongs to.
#[derive(Debug, Clone, Copy)]
enum LinePart {
    /// To the moves of the game before.
    GoesOn,
    /// To the moves of a game that it begins, with the number that it has.
    Begins(u64),
    /// To neither.
    Between,
}

/// The games of a text, one after the other.
struct Games<'a> {
    lines: Lines<'a>,
    encoding: Encoding,
    /// The number of the last line that is not blank.
    last_line: u64,
    /// The game whose moves were read last.
    open: Option<Game>,
    between: Between,
    /// The brackets that are open behind the last line of moves.
    brackets: Brackets,
}

impl<'a> Games<'a> {
    const fn new(bytes: &'a [u8], chunk: &Chunk) -> Self {
        Self {
            lines: Lines::new(bytes, chunk),
            encoding: chunk.encoding,
            last_line: chunk.line,
            open: None,
            between: Between::new(),
            brackets: Brackets::NONE,
        }
    }

    /// Takes a line; returns the game before if it begins another.
    fn line(&mut self, number: u64, text: &str, is_undecoded: bool) -> Option<Game> {
        let text = text.trim();
        let after_blank = number > self.last_line + 1;
        self.last_line = number;
        let mut done = None;
        match self.part(text, after_blank) {
            LinePart::Between => {
                self.between.add(text, after_blank, is_undecoded);
                return None;
            }
            LinePart::GoesOn => {
                let between = std::mem::replace(&mut self.between, Between::new());
                if let Some(game) = &mut self.open {
                    between.interrupt(game);
                }
            }
            LinePart::Begins(first) => {
                let between = std::mem::replace(&mut self.between, Between::new());
                done = self.open.take();
                let mut game = Game::new(number, first);
                between.divide(done.as_mut(), Some(&mut game));
                self.open = Some(game);
                self.brackets = Brackets::NONE;
            }
        }
        if let Some(game) = &mut self.open {
            game.push(number, text, is_undecoded);
        }
        self.brackets.read(text);
        // Without brackets in this line, what was found before holds.
        if self.brackets.has_kind_in(text) && !self.is_closed_later() {
            self.brackets = Brackets::NONE;
        }
        done
    }

    fn part(&self, line: &str, after_blank: bool) -> LinePart {
        if self.brackets.is_open() {
            return LinePart::GoesOn;
        }
        let numbered = numbered(line);
        if numbered.is_some_and(Numbered::is_first) {
            return LinePart::Begins(1);
        }
        let Some(game) = self.open.as_ref().filter(|_| !self.between.is_head) else {
            let numbered = numbered.filter(|numbered| numbered.is_marked && numbered.has_move);
            return numbered
                .map_or(LinePart::Between, |numbered| LinePart::Begins(numbered.number));
        };
        let is_adjacent = self.between.last.is_none();
        let goes_on = match numbered {
            Some(Numbered { number, has_move, is_marked, .. }) => {
                let is_next = number == game.number || number == game.number + 1;
                if !is_adjacent && !is_next && has_move && is_marked {
                    return LinePart::Begins(number);
                }
                is_adjacent || is_next
            }
            None if scan::outcome(line).is_some() => false,
            None if is_adjacent && !after_blank && begins_with_move(line) => true,
            None => is_adjacent && begins_comment(line) || is_all_moves(line),
        };
        if goes_on { LinePart::GoesOn } else { LinePart::Between }
    }

    /// Returns true if the next bracket of the kind that is open closes it. Round ones end before the next
    /// game.
    fn is_closed_later(&self) -> bool {
        // Up to the next bracket only, so that the searches from all lines together take linear time.
        let is_brace = self.brackets.brace.is_some();
        for line in self.lines.clone() {
            let text = self.encoding.decode_shown(line.text).0;
            if !is_brace && numbered(text.trim()).is_some_and(Numbered::is_first) {
                return false;
            }
            let bracket = text.chars().map(fold).find(|&c| self.brackets.is_kind(c));
            if let Some(bracket) = bracket {
                return matches!(bracket, '}' | ')');
            }
        }
        false
    }
}

impl Iterator for Games<'_> {
    type Item = Game;

    fn next(&mut self) -> Option<Game> {
        while let Some(line) = self.lines.next() {
            let (text, is_undecoded) = self.encoding.decode_shown(line.text);
            if let Some(done) = self.line(line.line, &text, is_undecoded) {
                return Some(done);
            }
        }
        let mut last = self.open.take()?;
        std::mem::replace(&mut self.between, Between::new()).divide(Some(&mut last), None);
        Some(last)
    }
}

/// The brackets that are open at some place in a text.
#[derive(Debug, Clone, Copy)]
struct Brackets {
    /// The brace of the comment that is open.
    brace: Option<char>,
    /// Round ones that are open.
    round: usize,
}

impl Brackets {
    const NONE: Self = Self { brace: None, round: 0 };

    const fn is_open(self) -> bool {
        self.brace.is_some() || self.round > 0
    }

    /// Returns true if a line has brackets of the kind that is open.
    fn has_kind_in(self, line: &str) -> bool {
        self.is_open() && line.chars().any(|c| self.is_kind(fold(c)))
    }

    const fn is_kind(self, c: char) -> bool {
        match c {
            '{' | '}' => self.brace.is_some(),
            '(' | ')' => self.brace.is_none(),
            _ => false,
        }
    }

    fn read(&mut self, line: &str) {
        for c in line.chars() {
            match (self.brace, fold(c)) {
                (Some(open), _) => {
                    self.brace = Some(open).filter(|_| c != '}' && (c != '｝' || open != '｛'));
                }
                (None, '{') => self.brace = Some(c),
                (None, '(') => self.round += 1,
                (None, ')') => self.round = self.round.saturating_sub(1),
                (None, ';') => break,
                (None, _) => {}
            }
        }
    }
}

/// A line between the moves of two games that states something known.
#[derive(Debug)]
struct Stated {
    /// The number of blank stretches before it, counted from the moves before.
    paragraph: u64,
    /// It says how a game ended, and nothing else.
    is_end: bool,
    /// No line stands before it but such that say how a game ended.
    is_leading: bool,
    /// It stands behind names of a game or of players.
    is_in_head: bool,
    is_undecoded: bool,
    tags: Vec<(String, String)>,
}

/// The lines between the moves of two games.
#[derive(Debug)]
struct Between {
    paragraph: u64,
    stated: Vec<Stated>,
    /// Names of a game or of players stand in it.
    is_head: bool,
    /// The paragraph of the first line that does not say how a game ended, and of the last line.
    first_other: Option<u64>,
    last: Option<u64>,
}

impl Between {
    const fn new() -> Self {
        Self { paragraph: 0, stated: Vec::new(), is_head: false, first_other: None, last: None }
    }

    fn add(&mut self, line: &str, after_blank: bool, is_undecoded: bool) {
        self.paragraph += u64::from(after_blank);
        self.last = Some(self.paragraph);
        let mut tags = tags(line);
        if let Some(outcome) = scan::outcome(line).filter(|_| tags.is_empty()) {
            tags.push(("Result".to_owned(), result_text(Some(outcome)).to_owned()));
        }
        let is_end = !tags.is_empty() && tags.iter().all(|(name, _)| ENDS.contains(&&**name));
        let is_leading = self.first_other.is_none();
        let is_in_head = self.is_head;
        if !is_end {
            self.first_other.get_or_insert(self.paragraph);
            self.is_head |= !tags.is_empty();
        }
        if !tags.is_empty() && self.stated.len() < MOST_TAGS {
            let paragraph = self.paragraph;
            let stated = Stated { paragraph, is_end, is_leading, is_in_head, is_undecoded, tags };
            self.stated.push(stated);
        }
    }

    /// Gives what is stated to the game before or to the next one, as far as there are such.
    fn divide(mut self, mut before: Option<&mut Game>, mut next: Option<&mut Game>) {
        let has_result = before.as_ref().is_some_and(|game| game.has_tag("Result"));
        for stated in std::mem::take(&mut self.stated) {
            let is_of_before = next.is_none() || self.is_of_before(&stated, has_result);
            let is_of_before = is_of_before && stated.is_end && !stated.is_in_head;
            let before = before.as_deref_mut().filter(|_| is_of_before);
            if let Some(game) = before.or(next.as_deref_mut()) {
                game.add(stated);
            }
        }
    }

    /// Returns true if the end of a game that is stated before the head of another is that of the game before.
    fn is_of_before(&self, stated: &Stated, has_result: bool) -> bool {
        let is_adjacent = stated.paragraph == 0;
        let is_followed = self.last > Some(stated.paragraph);
        let is_alone = self.first_other.is_none_or(|other| other > stated.paragraph);
        is_adjacent && (stated.is_leading || is_followed)
            || stated.is_leading && (!has_result || is_alone && is_followed)
    }

    /// Gives all that is stated to a game whose moves go on behind it: a result among them is one that
    /// moves follow.
    fn interrupt(self, game: &mut Game) {
        for stated in self.stated {
            if let Some((_, result)) = stated.tags.iter().find(|(name, _)| name == "Result") {
                game.moves.push(' ');
                game.moves.push_str(result);
            }
            game.add(stated);
        }
    }
}

/// A game's tags and its moves.
#[derive(Debug)]
struct Game {
    tags: Vec<(String, String)>,
    /// The line on which its moves begin, and the last one of them.
    line: u64,
    last_line: u64,
    /// The number of its first move in the text, and of its last.
    first: u64,
    number: u64,
    moves: String,
    /// The length of the moves, kept or not.
    bytes: usize,
    is_undecoded: bool,
}

impl Game {
    const fn new(line: u64, first: u64) -> Self {
        Self {
            tags: Vec::new(),
            line,
            last_line: line,
            first,
            number: first,
            moves: String::new(),
            bytes: 0,
            is_undecoded: false,
        }
    }

    fn has_tag(&self, name: &str) -> bool {
        self.tags.iter().any(|(known, _)| known == name)
    }

    fn add(&mut self, stated: Stated) {
        if self.tags.len() < MOST_TAGS {
            self.tags.extend(stated.tags);
            self.is_undecoded |= stated.is_undecoded;
        }
    }

    /// Adds a line to the moves. Lines are counted from their beginning, so those between are kept as blank.
    fn push(&mut self, number: u64, line: &str, is_undecoded: bool) {
        let blank = (number - self.last_line) as usize;
        self.last_line = number;
        self.is_undecoded |= is_undecoded;
        self.bytes = self.bytes.saturating_add(blank + line.len());
        if self.bytes <= MAX_GAME_BYTES {
            self.moves.extend(std::iter::repeat_n('\n', blank));
            self.moves.push_str(line);
        }
        for word in line.split_whitespace() {
            let number = split_number(word).map(|(number, _)| number);
            self.number += u64::from(number == Some(self.number + 1));
        }
    }

    fn read(self) -> Result<Option<BlockGame>, BlockFault> {
        if self.bytes > MAX_GAME_BYTES {
            return Err(BlockFault::new(0, BadGameReason::TooLong(self.bytes)));
        }
        if self.first != 1 && !self.has_tag("FEN") {
            let what = message!("moves from number {} on, outside of any game", self.first);
            return Err(BlockFault::new(0, BadGameReason::Malformed(what)));
        }
        let results = self.tags.iter().filter(|tag| is_result(tag));
        let mut stated = results.map(|(_, value)| scan::outcome(value));
        let tags: Vec<_> = self.tags.iter().filter(|tag| !is_result(tag)).cloned().collect();
        let read = pgn::read_moves(&with_remarks(&self.moves), &tags);
        let first = stated.next().flatten();
        let is_disputed = stated.any(|other| other != first);
        match read {
            Ok(game) => Ok(game.map(|game| self.complete(game, first, is_disputed))),
            Err(BlockFault { part, lines, reason }) => {
                let part = part.map(|part| Box::new(self.complete(*part, first, is_disputed)));
                Err(BlockFault { part, lines, reason })
            }
        }
    }

    /// Adds the tags to the moves. `stated` is the first result among the tags; `is_disputed` if another tag contradicts it.
    fn complete(
        &self,
        mut game: BlockGame,
        stated: Option<Outcome>,
        is_disputed: bool,
    ) -> BlockGame {
        let written = game.record.result;
        let is_disputed =
            is_disputed || stated.is_some() && written.is_some_and(|w| Some(w) != stated);
        game.record.result = stated.or(written).filter(|_| !is_disputed);
        game.record.tags.clone_from(&self.tags);
        // Of several that say the same, the first stays.
        let mut is_kept = !is_disputed;
        game.record.tags.retain(|tag| !is_result(tag) || std::mem::replace(&mut is_kept, false));
        game.note = is_disputed.then_some(Note::TwoResults).or(game.note);
        game.is_undecoded = self.is_undecoded;
        game
    }
}

/// Returns true for a tag that states the result.
fn is_result((name, _): &(String, String)) -> bool {
    name == "Result"
}

/// The moves with remarks in round brackets as comments. Brackets that begin with a move are variations.
fn with_remarks(text: &str) -> Cow<'_, str> {
    if !text.contains(['(', '（']) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(|c| matches!(fold(c), '{' | ';' | '(')) {
        let (before, after) = rest.split_at(at);
        out.push_str(before);
        let mark = after.chars().next().unwrap_or_default();
        let mut len = mark.len_utf8();
        match fold(mark) {
            '{' => {
                let end = after.find(|c| c == '}' || c == '｝' && mark == '｛');
                len = end.unwrap_or(after.len());
            }
            ';' => len = after.find('\n').unwrap_or(after.len()),
            _ => {
                if let Some((remark, behind)) = remark(&after[len..]) {
                    out.push('{');
                    // A brace within would end the comment; its reader replaces the reference.
                    out.push_str(&remark.replace('}', "&#125;"));
                    out.push('}');
                    rest = behind;
                    continue;
                }
            }
        }
        out.push_str(&after[..len]);
        rest = &after[len..];
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// The remark behind a round bracket, and what follows the bracket that closes it; `None` if it is none.
fn remark(text: &str) -> Option<(&str, &str)> {
    let end = text.find(['(', ')', '（', '）'])?;
    let mut behind = text[end..].chars();
    let is_closed = behind.next().is_some_and(|c| fold(c) == ')');
    let inner = &text[..end];
    let words = split_number(inner.trim_start()).map_or(inner, |(_, after)| after);
    let words = words.trim_start_matches(|c: char| c.is_whitespace() || ".．、…".contains(c));
    let is_remark =
        is_closed && !words.is_empty() && !begins_with_move(words) && !begins_comment(words);
    is_remark.then_some((inner, behind.as_str()))
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
        // The value ends where another known name begins.
        let end = TAGS.iter().filter_map(|(other, _)| {
            let at = after.find(other)?;
            after[at + other.len()..].trim_start().starts_with(['：', ':']).then_some(at)
        });
        let (value, next) = after.split_at(end.min().unwrap_or(after.len()));
        if let Some((_, tag)) = TAGS.iter().find(|(known, _)| name == *known) {
            // Two blanks begin another column.
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
    use crate::record::model::format::Format;
    use crate::record::source::read_games;
    use crate::record::text::pgn_writer::result_text;

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

    /// The games of a text: title, players, result, moves and comments, or what is wrong with them.
    fn read_all(text: &str) -> Vec<String> {
        let mut games = Vec::new();
        read_games("t", text.as_bytes(), &mut |game| {
            games.push(match game {
                Ok(game) => {
                    let record = &game.record;
                    let tag = |name| record.tag(name).unwrap_or_default();
                    let comments = &record.tree.comments;
                    let comments: String = comments.iter().map(|(_, text)| &**text).collect();
                    let note = game.note.map_or("", |_| "!");
                    format!(
                        "{}{} {} {}{note}{comments}",
                        tag("Title"),
                        tag("Red"),
                        record.tree.moves.len(),
                        result_text(record.result)
                    )
                }
                Err(bad) => bad.to_string(),
            });
        });
        games
    }

    const TWO: &str = "1. 炮二平五 马８进７\n2. 马二进三 车９平８\n";

    #[test]
    fn a_result_behind_the_moves_is_that_of_their_game() {
        let texts = [
            format!("标题：a\n{TWO}结果：红胜\n\n标题：b\n{TWO}结果：黑胜\n"),
            format!("标题：a\n{TWO}红胜\n标题：b\n{TWO}0-1"),
            format!("标题：a\n{TWO}\n比赛结果：红胜\n\n标题：b\n{TWO}\n结果：黑胜\n"),
            format!("标题：a\n{TWO}黑方认输\n结果：红胜\n\n标题：b\n结果：黑胜\n{TWO}"),
            format!("标题：a\n结果：红胜\n{TWO}\n标题：b\n{TWO}\n\n黑胜\n"),
            format!("标题：a\n结果：红胜\n\n{TWO}\n结果：黑胜\n标题：b\n\n{TWO}"),
            format!(
                "标题：a\n结果：红胜\n{TWO}结果：红胜\n\n标题：b\n结果：黑胜\n{TWO}结果：黑胜\n"
            ),
        ];
        for text in texts {
            assert_eq!(read_all(&text), ["a 4 1-0", "b 4 0-1"], "{text}");
        }
        let text = format!("标题：a\n结果：红胜\n{TWO}\n标题：b\n{TWO}结果：和棋\n");
        assert_eq!(read_all(&text), ["a 4 1-0", "b 4 1/2-1/2"]);
    }

    #[test]
    fn results_that_contradict_each_other_are_noted() {
        for text in [
            format!("标题：a\n结果：红胜\n结果：黑胜\n{TWO}"),
            format!("标题：a\n结果：红胜\n{TWO}结果：黑胜\n\n标题：b\n{TWO}"),
            format!("标题：a\n结果：红胜\n{} 0-1\n", TWO.trim_end()),
        ] {
            assert_eq!(read_all(&text)[0], "a 4 *!", "{text}");
        }
        let text = format!("标题：a\n{TWO}结果：红胜\n3. 车一平二 炮８进４\n");
        assert!(read_all(&text)[0].contains("after the result"));
    }

    #[test]
    fn free_lines_interrupt_the_moves() {
        let text = format!(
            "标题：a\n{TWO}\n\n3. 车一平二 炮８进４\n\n广告：www.x.com\n4. 兵三进一 卒３进１\n"
        );
        assert_eq!(read_all(&text), ["a 8 *"]);
        let text = "标题：a\n1. 炮二平五 马８进７ 2. 马二进三\n 附注 这里\n2. ... 车９平８\n又一\n3. 车一平二 炮８进４\n";
        assert_eq!(read_all(text), ["a 6 *"]);
        let text =
            "标题：a\n1. 炮二平五 马８进７\n（第二回合后红优）\n2. 马二进三（好\n棋） 车９平８\n";
        assert_eq!(read_all(text), ["a 4 *第二回合后红优好\n棋"]);
        let text =
            "标题：a\n1. 炮二平五\n   马８进７\n附注\n 2. 马二进三\n又一\n   车９平８\n 黑方认输\n";
        assert_eq!(read_all(text), ["a 4 *"]);
        // The line of the fault is that of the text.
        let text = "标题：a\n1. 炮二平五 马８进７\n\n附注\n2. 马二进五 车９平８\n";
        assert!(read_all(text)[0].starts_with("t:5: game 1: ply 3:"), "{:?}", read_all(text));
    }

    #[test]
    fn numbered_moves_outside_of_a_game_are_a_bad_one() {
        let text = format!("标题：a\n{TWO}\n标题：b\n3. 车一平二 炮８进４\n");
        let games = read_all(&text);
        assert_eq!(games[0], "a 4 *");
        assert!(games[1].starts_with("t:6: game 2: moves from number 3"), "{games:?}");
        let text = format!("标题：a\n{TWO}附注\n5. 车一平二 炮８进４\n");
        assert_eq!(read_all(&text).len(), 2);
        let study = "标题：a\n1. 兵七进一\n\n标题：b\nFEN：3k5/9/9/9/9/9/9/9/9/R3K4 w - - 0 1\n30. 车九进一 将４进１\n";
        assert_eq!(read_all(study), ["a 1 *", "b 2 *"]);
    }

    #[test]
    fn titles_are_no_moves() {
        let text = format!("2015年全国赛 甲 先胜 乙\n{TWO}\n2016年全国赛 丙 先负 丁\n{TWO}");
        assert_eq!(read_all(&text), [" 4 *", " 4 *"]);
        let text = "第一局\n1. 炮二平五 马８进７\n2. 马二进三 {好棋\n继续\n\n1. 炮八平五} 车９平８\n\n第二局\n1. 兵七进一\n";
        assert_eq!(read_all(text), [" 4 *好棋\n继续\n\n1. 炮八平五", " 1 *"]);
        let text = format!("第一局\n1. 炮二平五 ((好棋\n继续) 马８进７\n\n第二局\n{TWO}");
        assert!(read_all(&text)[0].contains("never closed"), "{:?}", read_all(&text));
        assert_eq!(read_all(&text)[1], " 4 *");
        let text = format!("第一局\n1. 炮二平五 {{好棋\n{TWO}");
        assert!(read_all(&text)[0].contains("never closed"), "{:?}", read_all(&text));
        assert_eq!(read_all(&text)[1], " 4 *");
    }

    #[test]
    fn a_game_is_bounded_and_not_the_file() {
        let games = 2 + super::MAX_GAME_BYTES / TWO.len();
        let read = read_all(&format!("标题：a\n{TWO}").repeat(games));
        assert_eq!(read.len(), games);
        assert!(read.iter().all(|game| game == "a 4 *"));
        let long = format!(
            "标题：a\n1. 炮二平五 {{{}}}\n\n{TWO}",
            "x\n".repeat(super::MAX_GAME_BYTES / 2)
        );
        let read = read_all(&long);
        assert!(read[0].contains("a game of 41943"), "{:.80}", read[0]);
        assert_eq!(read[1..], [" 4 *"]);
    }
}
