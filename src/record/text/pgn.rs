//! Reading PGN: each game is decoded, cut into tokens and replayed move by move. What cannot be
//! read or played refuses that game alone.
//!
//! Signs of value and words that are no moves are passed over and counted, unless they stand where a move must be:
//! where they resemble one, or where the numbers of the moves show that one is missing. A null move ends the main
//! line. Of several pieces that can make a move that one is meant with which the rest can be played.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::BTreeMap;

use crate::game::{Game, Outcome};
use crate::record::model::bad_game::BadGameReason;
use crate::record::model::chunk::{Chunk, Cut, Start};
use crate::record::model::chunk_reader::ChunkReader;
use crate::record::model::encoding::Encoding;
use crate::record::model::format::Format;
use crate::record::model::format_row::{
    Certainty, FormatInfo, FormatRow, ReadGames, Sniffer, Stage,
};
use crate::record::model::limits::{MAX_GAME_BYTES, MAX_PARTS, MAX_VARIATION_DEPTH};
use crate::record::model::parsed::{Note, ParsedGame, SkippedWords};
use crate::record::model::place::Place;
use crate::record::model::record::{Record, Tree, Variation};
use crate::record::model::recorded::Recorded;
use crate::record::model::sample::{Sample, beginning};
use crate::record::model::texts::tidy;
use crate::record::text::move_words::{START, from_one, is_move, is_move_text, read_start};
use crate::record::text::pgn_writer::read_comment;
use crate::record::text::scan::{Number, Scanner, Token};
use crate::record::text::split::{Block, Blocks, tag_name};
use crate::record::text::{pgn_writer, scan};
use crate::xiangqi::notation::{
    Dialect, Fault, MAX_MOVE_CHARS, MoveError, MoveText, Readings, fold, is_file_based, read_move,
    readings, resembles_move,
};
use crate::xiangqi::{Move, Position, Undo};

/// The row of PGN.
pub(crate) const ROW: FormatRow = FormatRow {
    info: FormatInfo {
        other_endings: &["pgns"],
        certainty: Certainty::If(begins_like_games),
        cut: Cut::Games(cut),
        ..FormatInfo::of_text(Format::Pgn, "pgn", &["pgn"])
    },
    sniff: &[
        Sniffer { stage: Stage::Blank, shows: |_| true },
        Sniffer { stage: Stage::Beginning, shows: |sample| tag_name(sample.head()).is_some() },
        Sniffer { stage: Stage::Lines, shows: has_line_of_tag },
        Sniffer { stage: Stage::Moves, shows: has_bare_moves },
    ],
    read: ReadGames::Chunk(read),
    write: Some(pgn_writer::written),
};

/// The lines of a text, wherever it comes from.
fn lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split(|&byte| matches!(byte, b'\n' | b'\r'))
}

/// Returns true if a line begins like a tag.
fn has_line_of_tag(sample: &Sample<'_>) -> bool {
    lines(sample.head()).any(|line| tag_name(line.trim_ascii_start()).is_some())
}

/// Returns true if a text without tags has moves and what only PGN has: numbers, comments, variations, or nothing but a
/// result.
fn has_bare_moves(sample: &Sample<'_>) -> bool {
    let text = sample.decoded();
    let is_template = ["{%", "{{", "{#"].iter().any(|mark| text.starts_with(mark));
    if is_template || begins_with_remark(text) {
        return !is_template;
    }
    let mut scanner = Scanner::new(text);
    let mut has_result = false;
    while let Some(token) = scanner.next() {
        if let Token::Move(first) = token {
            let is_numbered = scanner.token_start() > 0;
            return (is_numbered || text.contains(['{', '('])) && is_move(&first);
        }
        has_result |= matches!(token, Token::Result(_));
    }
    // Numbers alone are no game.
    has_result
}

/// Returns true if a text begins with a comment, a variation or a line that is passed over.
pub(crate) fn begins_with_remark(text: &str) -> bool {
    text.starts_with(['{', '(', ';', '%', '｛'])
}

/// Returns true if a text taken for PGN has a tag or begins with a move.
fn begins_like_games(head: &[u8]) -> bool {
    let sample = beginning(head);
    lines(sample).any(is_tag) || begins_with_a_move(&Encoding::detect(head).decode_lossy(sample))
}

/// Returns true if a line begins with a tag, up to the mark before its value.
fn is_tag(line: &[u8]) -> bool {
    let line = line.trim_ascii_start();
    tag_name(line).is_some_and(|name| line[name.len() + 1..].trim_ascii_start().starts_with(b"\""))
}

/// Returns true if the first word of a text that may be a move is one.
fn begins_with_a_move(text: &str) -> bool {
    if begins_with_remark(text) {
        return false;
    }
    let mut scanner = Scanner::new(text);
    while let Some(token) = scanner.next() {
        if let Token::Move(first) = token {
            return is_move(&first);
        }
    }
    false
}

/// Cuts a stretch between games.
fn cut(bytes: &[u8], open: &Chunk, target: usize) -> Vec<Chunk> {
    let blocks = (1..).zip(Blocks::new(bytes, open));
    let starts = blocks.map(|(game, Block { start: at, line, .. })| Start { at, line, game });
    open.cut_at(target, starts)
}

impl BadGameReason {
    /// Returns true if another encoding might make the text readable.
    const fn is_unreadable(&self) -> bool {
        matches!(self, Self::NotPgn(_) | Self::Move { error: MoveError::Unreadable(_), .. })
    }

    /// The ply of the main line that is at fault, from 1; 0 if it is none.
    pub(crate) const fn ply(&self) -> usize {
        match self {
            Self::Move { ply, .. } | Self::Unplayable { ply, .. } => *ply,
            Self::NotPgn(_) => 1,
            _ => 0,
        }
    }

    /// Returns true if another reading of the moves might make sense.
    const fn is_of_move(&self) -> bool {
        matches!(self, Self::NotPgn(_) | Self::Move { .. })
    }
}

/// Reads the games of a chunk.
fn read(reader: &mut ChunkReader<'_>) {
    let chunk = reader.chunk;
    let mut buffer = String::new();
    for (game, block) in (chunk.game..).zip(Blocks::new(reader.part(), chunk)) {
        let read = read_block(block, chunk, &mut buffer);
        hand_over(reader, Place::Line(block.line), game, read);
    }
}

/// Hands over what was read of a text of one game, which begins at that place and has that number.
pub(crate) fn hand_over(
    reader: &mut ChunkReader<'_>,
    place: Place,
    game: u64,
    read: Result<Option<BlockGame>, BlockFault>,
) {
    let (read, cut) = match read {
        Ok(None) => return,
        Ok(Some(read)) => (read, None),
        Err(BlockFault { lines, reason, part }) => {
            let bad = reader.bad(place.after_lines(lines), game, reason);
            match part.filter(|part| reader.chunk.options.keep.keeps(&part.record)) {
                Some(part) => (*part, Some(Box::new(bad))),
                None => return reader.refuse(bad),
            }
        }
    };
    reader.summary.cut_variations += read.cut_variations;
    reader.summary.undecoded += u64::from(read.is_undecoded);
    reader.summary.guessed += read.guessed;
    reader.summary.skipped_words += read.words.count();
    let BlockGame { record, end, note, words, nags, .. } = read;
    let words = words.into_game(place);
    reader.accept(ParsedGame { record, place, game, end, note, cut, words, nags });
}

/// The reason why a block is no game, and the number of lines between its first line and the fault.
#[derive(Debug)]
pub(crate) struct BlockFault {
    pub(crate) lines: u64,
    pub(crate) reason: BadGameReason,
    /// The moves before an illegal one, if there are some.
    pub(crate) part: Option<Box<BlockGame>>,
}

impl BlockFault {
    pub(crate) const fn new(lines: u64, reason: BadGameReason) -> Self {
        Self { lines, reason, part: None }
    }
}

#[derive(Debug)]
pub(crate) struct BlockGame {
    pub(crate) record: Record<Position>,
    pub(crate) end: Option<Outcome>,
    pub(crate) cut_variations: u64,
    /// Set if bytes of its text stand for no character.
    pub(crate) is_undecoded: bool,
    /// Moves that two pieces could make.
    pub(crate) guessed: u64,
    pub(crate) note: Option<Note>,
    pub(crate) words: WordsBetween,
    /// Glyphs of moves of the main line, by their indices.
    pub(crate) nags: BTreeMap<usize, u8>,
}

impl BlockGame {
    /// The same game in a text that has a number of lines before.
    pub(crate) fn after_lines(self, lines: u64) -> Self {
        Self { words: self.words.after_lines(lines), ..self }
    }
}

/// The words and signs between moves that are no moves, and were passed over.
#[derive(Debug, Default, Clone)]
pub(crate) struct WordsBetween {
    count: u64,
    /// The first of them, each with the number of lines before it.
    first: Vec<(u64, String)>,
}

/// Letters of a word that are kept.
const WORD_SHOWN: usize = 24;

impl WordsBetween {
    pub(crate) const fn count(&self) -> u64 {
        self.count
    }

    /// Drops the words from that number on.
    fn truncate(&mut self, count: u64) {
        self.count = self.count.min(count);
        self.first.truncate(usize::try_from(count).unwrap_or(usize::MAX));
    }

    /// Adds the last token.
    fn add(&mut self, scanner: &Scanner<'_>) {
        self.add_text(scanner, scanner.token_text());
    }

    /// Adds a text that stands in the last token.
    fn add_text(&mut self, scanner: &Scanner<'_>, text: &str) {
        self.count += 1;
        if self.first.len() < SkippedWords::SHOWN {
            let word = text.chars().take(WORD_SHOWN).collect();
            self.first.push((scanner.lines_before(scanner.token_start()), word));
        }
    }

    /// The same words in a text that has a number of lines before.
    fn after_lines(mut self, lines: u64) -> Self {
        self.first.iter_mut().for_each(|(line, _)| *line += lines);
        self
    }

    /// The words with the places of a text that begins at that one.
    fn into_game(self, begin: Place) -> Option<Box<SkippedWords>> {
        let Self { count, first } = self;
        let first = first.into_iter().map(|(lines, word)| (begin.after_lines(lines), word));
        let first = first.collect();
        (count > 0).then(|| Box::new(SkippedWords { count, first }))
    }
}

/// Reads one block; `None` if there is nothing in it but comments.
fn read_block(
    block: Block<'_>,
    chunk: &Chunk,
    buffer: &mut String,
) -> Result<Option<BlockGame>, BlockFault> {
    if block.bytes.len() > MAX_GAME_BYTES {
        let reason = BadGameReason::TooLong(block.bytes.len());
        return Err(BlockFault::new(0, reason));
    }
    let bytes = with_line_feeds(block.bytes, chunk.line_end);
    let mut encoding = chunk.encoding;
    if encoding.is_doubted(&bytes) {
        encoding = encoding.of_part(&bytes);
    }
    let Some(text) = encoding.decode(&bytes, buffer) else {
        return read_shown(Encoding::detect(&bytes), &bytes);
    };
    let read = GameReader::read(text);
    // Words that were passed over may be moves in another encoding.
    let is_strange = match &read {
        Err(fault) => fault.reason.is_unreadable(),
        Ok(game) => game.as_ref().is_some_and(|game| game.words.count() > 0) && !bytes.is_ascii(),
    };
    if !is_strange {
        return read;
    }
    let other = Encoding::detect(&bytes);
    if other == encoding {
        return read;
    }
    match (read, read_shown(other, &bytes)) {
        (Err(fault), Err(_)) => Err(fault),
        (Ok(Some(game)), Ok(Some(better))) if plies(&better) > plies(&game) => Ok(Some(better)),
        (Ok(game), _) => Ok(game),
        (Err(_), better) => better,
    }
}

const fn plies(game: &BlockGame) -> usize {
    game.record.tree.moves.len()
}

/// Reads a block that may have bytes without a character.
fn read_shown(encoding: Encoding, bytes: &[u8]) -> Result<Option<BlockGame>, BlockFault> {
    let (text, is_undecoded) = encoding.decode_shown(bytes);
    noting(GameReader::read(&text), is_undecoded)
}

/// Notes with a game, or with the moves before an illegal one, whether bytes of its text stand for no
/// character.
pub(crate) fn noting(
    read: Result<Option<BlockGame>, BlockFault>,
    is_undecoded: bool,
) -> Result<Option<BlockGame>, BlockFault> {
    match read {
        Ok(game) => Ok(game.map(|game| BlockGame { is_undecoded, ..game })),
        Err(mut fault) => {
            if let Some(part) = &mut fault.part {
                part.is_undecoded = is_undecoded;
            }
            Err(fault)
        }
    }
}

fn with_line_feeds(bytes: &[u8], line_end: u8) -> Cow<'_, [u8]> {
    if line_end == b'\n' {
        return Cow::Borrowed(bytes);
    }
    bytes.iter().map(|&b| if b == line_end { b'\n' } else { b }).collect()
}

/// Reads moves that stand in a text without tags; `tags` are those known from elsewhere.
pub(crate) fn read_moves(
    text: &str,
    tags: &[(String, String)],
) -> Result<Option<BlockGame>, BlockFault> {
    GameReader::of_game(text, &|| GameReader {
        tags: tags.to_vec(),
        is_bare: true,
        ..GameReader::new(text)
    })
}

/// The most times that moves which several pieces can make are guessed anew for one game.
const MOST_GUESSES: usize = 64;

/// The most text that is read for that, in bytes.
const GUESSED_BYTES: usize = 1 << 20;

/// Reads moves of a WXF file.
pub(crate) fn read_wxf(
    text: &str,
    tags: &[(String, String)],
) -> Result<Option<BlockGame>, BlockFault> {
    guessed(text, &|| GameReader { tags: tags.to_vec(), is_bare: true, ..GameReader::new(text) })
}

/// Reads a game. Of several pieces that can make a move that one is meant with which the rest can be played, else
/// those with which it goes furthest, the one in front first.
fn guessed<'a>(
    text: &'a str,
    reader: &dyn Fn() -> GameReader<'a>,
) -> Result<Option<BlockGame>, BlockFault> {
    let mut picks: Vec<usize> = Vec::new();
    let mut furthest: Option<BlockFault> = None;
    for _ in 0..(GUESSED_BYTES / text.len().max(1)).clamp(1, MOST_GUESSES) {
        let mut reader = GameReader { picks: picks.clone(), ..reader() };
        let fault = match reader.run() {
            Err(fault) if fault.reason.is_of_move() => fault,
            read => return read,
        };
        if furthest.as_ref().is_none_or(|other| other.reason.ply() < fault.reason.ply()) {
            furthest = Some(fault);
        }
        // Counts up like digits, the last choice fastest; choices behind the one that is counted up may be others then.
        picks.resize(reader.choices.len(), 0);
        while let (Some(pick), Some(&choices)) = (picks.last_mut(), reader.choices.last()) {
            *pick += 1;
            if *pick < choices {
                break;
            }
            picks.pop();
            reader.choices.pop();
        }
        if picks.is_empty() {
            break;
        }
    }
    furthest.map_or(Ok(None), Err)
}

/// A line of moves that is being read.
struct OpenVariation {
    tree: Tree<Position>,
    position: Position,
    last: Option<(Move, Undo)>,
}

impl OpenVariation {
    fn from(position: Position) -> Self {
        Self { tree: Tree::default(), position, last: None }
    }

    fn play(&mut self, mv: Move) {
        let undo = self.position.make(mv);
        self.last = Some((mv, undo));
        self.tree.moves.push(mv);
    }

    /// The position before the last move, where a variation begins.
    fn before(&self) -> Option<Position> {
        let (mv, undo) = self.last?;
        let mut before = self.position.clone();
        before.unmake(mv, undo);
        Some(before)
    }
}

impl Pending {
    /// The fault of a word that stands in the place of a move.
    fn reason(&self) -> BadGameReason {
        let error = MoveError::Unreadable(self.text.clone());
        BadGameReason::Move { ply: self.plies + 1, error }
    }
}

/// Reads one game.
struct GameReader<'a> {
    scanner: Scanner<'a>,
    tags: Vec<(String, String)>,
    /// The offset of the FEN tag that counts, the first.
    fen_at: Option<usize>,
    start: Option<Position>,
    start_clock: u32,
    dialect: Dialect,
    /// Comments before the start position is known.
    first_comments: Vec<(usize, String)>,
    /// The main line, and the variations that are open; empty until the moves begin.
    lines: Vec<OpenVariation>,
    cut_variations: u64,
    /// Variations and comments so far.
    parts: usize,
    /// The text has no tags and need not have any.
    is_bare: bool,
    /// Ranks of squares count from 1 to 10.
    is_from_one: bool,
    /// The choices between pieces that can all make a move of the main line, for one such move after the other.
    /// Beyond the end the piece in front is chosen.
    picks: Vec<usize>,
    /// The number of pieces that could make each such move so far.
    choices: Vec<usize>,
    /// Such moves so far, those of variations too.
    guessed: u64,
    words: WordsBetween,
    /// The word of the main line that was passed over last, until a number shows that no move is missing.
    pending: Option<Pending>,
    /// The last number of a move, and the plies before it.
    number: Option<(Number, usize)>,
    /// The plies from a number to the next one, where no word stood between them.
    step: Option<usize>,
    note: Option<Note>,
    /// Glyphs of moves of the main line, by their indices.
    nags: BTreeMap<usize, u8>,
}

/// A word of the main line that was passed over.
struct Pending {
    text: String,
    /// The plies before it.
    plies: usize,
    /// The offset at which it begins.
    at: usize,
    /// True if it is no sign of value.
    is_word: bool,
    /// The words before it.
    words: u64,
}

impl<'a> GameReader<'a> {
    fn read(text: &'a str) -> Result<Option<BlockGame>, BlockFault> {
        Self::of_game(text, &|| Self::new(text))
    }

    /// Reads a game as [`guessed`]; its ranks count from 0 or, if then a move of the main line cannot be played, from
    /// 1: all of it decides. If neither can be played to its end, the one that goes further holds, or, of two
    /// equal ones, the latter where ranks of 10 stand in the game.
    fn of_game(text: &'a str, reader: &dyn Fn() -> Self) -> Result<Option<BlockGame>, BlockFault> {
        let fault = match guessed(text, reader) {
            Err(fault) if fault.reason.is_of_move() => fault,
            read => return read,
        };
        match guessed(text, &|| Self { is_from_one: true, ..reader() }) {
            Ok(Some(game)) => Ok(Some(game)),
            Err(other) if other.reason.is_of_move() => {
                let goes_further = match other.reason.ply().cmp(&fault.reason.ply()) {
                    Ordering::Equal => has_rank_ten(text),
                    order => order.is_gt(),
                };
                Err(if goes_further { other } else { fault })
            }
            _ => Err(fault),
        }
    }

    fn new(text: &'a str) -> Self {
        Self {
            scanner: Scanner::new(text),
            tags: Vec::with_capacity(12),
            fen_at: None,
            start: None,
            start_clock: 0,
            dialect: Dialect::Any,
            first_comments: Vec::new(),
            lines: Vec::new(),
            cut_variations: 0,
            parts: 0,
            is_bare: false,
            is_from_one: false,
            picks: Vec::new(),
            choices: Vec::new(),
            guessed: 0,
            words: WordsBetween::default(),
            pending: None,
            number: None,
            step: None,
            note: None,
            nags: BTreeMap::new(),
        }
    }

    fn run(&mut self) -> Result<Option<BlockGame>, BlockFault> {
        let read = self.tokens().and_then(|result| self.check_words().map(|()| result));
        let (reason, at) = match read {
            Ok(result) => return Ok(self.finish(result)),
            Err(reason) => (reason, self.scanner.token_start()),
        };
        let (reason, at) = match reason {
            BadGameReason::Start(_) => (reason, self.fen_at.unwrap_or(at)),
            reason if reason.bad_ply().is_some() => self.blamed(reason, at),
            reason => (reason, at),
        };
        let lines = self.scanner.lines_before(at);
        let part = self.finish(None).filter(|game| plies(game) > 0 || reason.bad_ply().is_some());
        Err(BlockFault { lines, reason, part: part.map(Box::new) })
    }

    /// The fault of a move and its offset; of a word instead that was passed over right before it, if it was perhaps
    /// meant as a move: it has a digit, stands right behind a number, or the move is one of the other side.
    fn blamed(&mut self, reason: BadGameReason, at: usize) -> (BadGameReason, usize) {
        match &self.pending {
            Some(word) if word.plies + 1 == reason.ply() && self.is_meant(word, &reason) => {
                self.words.truncate(word.words);
                (word.reason(), word.at)
            }
            _ => (reason, at),
        }
    }

    /// Returns true if a word before the move at fault was perhaps meant as a move.
    fn is_meant(&self, word: &Pending, reason: &BadGameReason) -> bool {
        word.is_word
            && (word.text.contains(|c: char| c.is_ascii_digit())
                || self.number.is_some_and(|(_, plies)| plies == word.plies)
                || self.is_of_other_side(reason))
    }

    /// Returns true if the move at fault is one of the side that is not to move.
    fn is_of_other_side(&self, reason: &BadGameReason) -> bool {
        let (BadGameReason::Move { error, .. }, Some(line)) = (reason, self.lines.first()) else {
            return false;
        };
        let mut position = line.position.clone();
        if position.in_check() {
            return false;
        }
        position.pass();
        let text = error.text().chars().take(MAX_MOVE_CHARS).collect();
        self.can_be_played(&position, &text)
    }

    /// Returns true if a word is a legal move in a position.
    fn can_be_played(&self, position: &Position, text: &MoveText) -> bool {
        read_word(position, text, self.dialect, self.is_from_one).is_ok()
    }

    /// Refuses a text without any move or position, in which words were passed over.
    fn check_words(&mut self) -> Result<(), BadGameReason> {
        let has_moves = self.lines.first().is_some_and(|line| !line.tree.moves.is_empty());
        let is_position = self.start.is_some() && !self.is_bare;
        match &self.pending {
            Some(word) if word.is_word && !has_moves && !is_position => {
                self.scanner.return_to(word.at);
                Err(word.reason())
            }
            _ => Ok(()),
        }
    }

    /// Reads up to the result or the end.
    fn tokens(&mut self) -> Result<Option<Outcome>, BadGameReason> {
        loop {
            let token = self.scanner.next();
            // First of all, for what was passed over stands behind the last move, not behind this token.
            self.note_glyphs();
            let Some(token) = token else { break };
            match token {
                Token::Move(text) => self.play(&text)?,
                Token::Sign => self.pass_over(false)?,
                Token::Null if self.lines.len() > 1 => {
                    self.skip_variation()?;
                    self.close()?;
                }
                Token::Null => {
                    self.begin()?;
                    self.note = Some(Note::NullMove);
                    return Ok(self.last_result());
                }
                Token::Tag(name, value) => {
                    if !self.lines.is_empty() {
                        return Err(BadGameReason::LateTag(name.to_owned()));
                    }
                    if name.eq_ignore_ascii_case("FEN") {
                        self.fen_at.get_or_insert(self.scanner.token_start());
                    }
                    self.tags.push((name.to_owned(), value));
                    self.count_part()?;
                }
                Token::Comment(text) => self.comment(text)?,
                Token::OpenComment => return Err(BadGameReason::OpenComment),
                Token::Open => self.open()?,
                Token::Close if self.lines.len() < 2 => self.words.add(&self.scanner),
                Token::Close => self.close()?,
                Token::Result(result) if self.lines.len() <= 1 => {
                    self.begin()?;
                    self.after_result()?;
                    return Ok(result);
                }
                // The result of a variation says nothing of the game.
                Token::Result(_) => {}
            }
        }
        if self.lines.len() > 1 {
            return Err(BadGameReason::OpenVariation);
        }
        if !self.tags.is_empty() {
            self.begin()?;
        }
        Ok(None)
    }

    /// Notes the glyphs that were passed over, of the last move; of several of a move of the main line the first one stands
    /// beside the record, too.
    fn note_glyphs(&mut self) {
        let glyphs = self.scanner.take_glyphs();
        let is_main = self.lines.len() == 1;
        let Some(tree) = self.lines.last_mut().map(|line| &mut line.tree) else { return };
        let plies = tree.moves.len();
        let (Some(index), Some(&first)) = (plies.checked_sub(1), glyphs.first()) else { return };
        tree.glyphs.extend(glyphs.into_iter().map(|glyph| (plies, glyph)));
        if is_main {
            self.nags.entry(index).or_insert(first);
        }
    }

    /// The result behind a null move.
    fn last_result(&mut self) -> Option<Outcome> {
        let mut depth = 0_usize;
        while let Some(token) = self.scanner.next() {
            match token {
                Token::Open => depth += 1,
                Token::Close => depth = depth.saturating_sub(1),
                Token::Result(result) if depth == 0 => return result,
                _ => {}
            }
        }
        None
    }

    /// Looks at the first word after the result, where remarks may stand, but no move that goes on
    /// with the game or begins another.
    fn after_result(&mut self) -> Result<(), BadGameReason> {
        let Some(line) = self.lines.last() else { return Ok(()) };
        let mut scanner = self.scanner.clone();
        let text = loop {
            match scanner.next() {
                None => return Ok(()),
                Some(Token::Move(text)) => break text,
                Some(_) => {}
            }
        };
        let start = self.start.as_ref().unwrap_or(&START);
        if self.can_be_played(&line.position, &text) || self.can_be_played(start, &text) {
            self.scanner = scanner;
            return Err(BadGameReason::LateMove(text.iter().collect()));
        }
        Ok(())
    }

    fn tag(&self, name: &str) -> Option<&str> {
        self.tags.iter().find(|(n, _)| n.eq_ignore_ascii_case(name)).map(|(_, v)| v.trim())
    }

    /// Sets up the main line, unless that is done.
    fn begin(&mut self) -> Result<(), BadGameReason> {
        if !self.lines.is_empty() {
            return Ok(());
        }
        let fen = self.tag("FEN").unwrap_or_default();
        (self.start, self.start_clock) = read_start(fen).map_err(BadGameReason::Start)?;
        let is_algebraic = self.tag("Format").is_none()
            && (self.tag("Variant").is_some_and(|v| v.eq_ignore_ascii_case("xiangqi"))
                || self.tag("White").is_some() && self.tag("Red").is_none());
        if is_algebraic {
            self.dialect = Dialect::Algebraic;
        }
        let mut line = OpenVariation::from(self.start.as_ref().unwrap_or(&START).clone());
        line.tree.comments = std::mem::take(&mut self.first_comments);
        line.tree.moves.reserve(128);
        self.lines.push(line);
        Ok(())
    }

    #[inline]
    fn play(&mut self, text: &MoveText) -> Result<(), BadGameReason> {
        self.begin()?;
        let main_line = self.lines.len() == 1;
        self.take_number()?;
        let Some(line) = self.lines.last_mut() else { return Ok(()) };
        let read = read_word(&line.position, text, self.dialect, self.is_from_one);
        let fault = match read {
            Ok(mv) => {
                line.play(mv);
                return Ok(());
            }
            Err(fault) => fault,
        };
        match fault {
            Fault::Ambiguous(..) => {
                let found = word_readings(&line.position, text, self.dialect, self.is_from_one);
                if let Some(mv) = self.pick(&found, main_line)
                    && let Some(line) = self.lines.last_mut()
                {
                    line.play(mv);
                    return Ok(());
                }
            }
            Fault::Unreadable => {
                if let Some(shorter) = scan::without_sign(text)
                    && is_move_text(shorter)
                {
                    let sign: String = text[shorter.len()..].iter().collect();
                    self.words.add_text(&self.scanner, &sign);
                    let shorter = shorter.iter().copied().collect();
                    return self.play(&shorter);
                }
                if self.can_pass_over(text) {
                    return self.pass_over(true);
                }
            }
            _ => {}
        }
        self.refuse(text, fault)
    }

    /// Refuses the main line at a move, or cuts the open variation there.
    fn refuse(&mut self, text: &MoveText, fault: Fault) -> Result<(), BadGameReason> {
        let [line] = self.lines.as_slice() else {
            self.skip_variation()?;
            return self.close();
        };
        let error = fault.about(text.iter().collect());
        let ply = line.tree.moves.len() + 1;
        Err(if self.tags.is_empty() && ply == 1 && !self.is_bare {
            BadGameReason::NotPgn(text.iter().collect())
        } else {
            BadGameReason::Move { ply, error }
        })
    }

    /// One of the moves that a text may mean. In the main line the choice is kept, to be tried otherwise.
    fn pick(&mut self, found: &Readings, is_main_line: bool) -> Option<Move> {
        let index = match is_main_line {
            true => self.picks.get(self.choices.len()).copied().unwrap_or(0),
            false => 0,
        };
        let mv = found.get(index).or_else(|| found.first()).copied()?;
        if is_main_line {
            self.choices.push(found.len());
        }
        self.guessed += 1;
        Some(mv)
    }

    /// Returns true if a word that cannot be read as a move is certainly none, so that the game goes on behind it.
    fn can_pass_over(&self, text: &MoveText) -> bool {
        let [line] = self.lines.as_slice() else { return !resembles_move(text) };
        let is_known_game = !self.tags.is_empty() || self.is_bare || !line.tree.moves.is_empty();
        is_known_game && !resembles_move(text) && !is_move(text)
    }

    /// Passes over the last token, a word that is no move or a sign of value.
    fn pass_over(&mut self, is_word: bool) -> Result<(), BadGameReason> {
        self.take_number()?;
        let words = self.words.count();
        self.words.add(&self.scanner);
        let plies = match self.lines.as_slice() {
            [] => 0,
            [line] => line.tree.moves.len(),
            _ => return Ok(()),
        };
        if self.pending.as_ref().is_none_or(|word| !word.is_word || word.plies < plies) {
            let at = self.scanner.token_start();
            let text = self.scanner.token_text().chars().take(WORD_SHOWN).map(fold).collect();
            self.pending = Some(Pending { text, plies, at, is_word, words });
        }
        Ok(())
    }

    /// Takes the number before the last token, which counts in the main line.
    fn take_number(&mut self) -> Result<(), BadGameReason> {
        let is_main_line = self.lines.len() == 1;
        match self.scanner.take_number().filter(|_| is_main_line) {
            Some(number) => self.check_number(number),
            None => Ok(()),
        }
    }

    /// Compares the number before a move of the main line with the number before. If it is the next one, and fewer plies
    /// stand between them than between others, a word that was passed over stands in the place of a move.
    fn check_number(&mut self, number: Number) -> Result<(), BadGameReason> {
        let plies = self.lines.first().map_or(0, |line| line.tree.moves.len());
        let before = match self.number {
            // A number without a dot is one of a move where the others have none.
            Some((before, _))
                if number.is_second
                    || number.value != before.value + 1
                    || number.is_marked != before.is_marked =>
            {
                return Ok(());
            }
            before => before,
        };
        let pending = self.pending.take_if(|word| word.is_word || number.is_marked);
        let step = before.map(|(_, before)| plies - before);
        match (pending, step) {
            (Some(word), Some(step)) if step < self.step.unwrap_or(2) => {
                self.cut_at(word.plies);
                self.words.truncate(word.words);
                self.scanner.return_to(word.at);
                return Err(word.reason());
            }
            (None, Some(step)) => self.step = Some(step),
            _ => {}
        }
        self.number = Some((number, plies));
        Ok(())
    }

    /// Drops the moves of the main line from a ply on.
    fn cut_at(&mut self, plies: usize) {
        self.lines.truncate(1);
        let Some(line) = self.lines.first_mut() else { return };
        let Tree { moves, comments, glyphs, variations } = &mut line.tree;
        moves.truncate(plies);
        comments.retain(|(ply, _)| *ply <= plies);
        glyphs.retain(|(ply, _)| *ply <= plies);
        variations.retain(|variation| variation.ply < plies);
        // Played anew: only the last move can be taken back.
        line.position = self.start.as_ref().unwrap_or(&START).clone();
        for &mv in &line.tree.moves {
            line.position.make(mv);
        }
    }

    fn comment(&mut self, text: &str) -> Result<(), BadGameReason> {
        let text = tidy(&read_comment(text));
        if text.is_empty() {
            return Ok(());
        }
        match self.lines.last_mut() {
            Some(line) => line.tree.comments.push((line.tree.moves.len(), text)),
            None => self.first_comments.push((0, text)),
        }
        self.count_part()
    }

    const fn count_part(&mut self) -> Result<(), BadGameReason> {
        self.parts += 1;
        if self.parts > MAX_PARTS { Err(BadGameReason::TooManyParts) } else { Ok(()) }
    }

    fn open(&mut self) -> Result<(), BadGameReason> {
        self.scanner.take_number();
        // Before the first move there is nothing that it could replace.
        let Some(before) = self.lines.last().and_then(OpenVariation::before) else {
            return self.skip_variation();
        };
        if self.lines.len() > MAX_VARIATION_DEPTH {
            return Err(BadGameReason::TooDeep);
        }
        self.lines.push(OpenVariation::from(before));
        self.count_part()
    }

    fn close(&mut self) -> Result<(), BadGameReason> {
        self.scanner.take_number();
        if self.lines.len() < 2 {
            return Err(BadGameReason::NoVariation);
        }
        let Some(line) = self.lines.pop() else { return Ok(()) };
        let is_empty = line.tree.moves.is_empty() && line.tree.comments.is_empty();
        if let Some(parent) = self.lines.last_mut()
            && !is_empty
        {
            let ply = parent.tree.moves.len().saturating_sub(1);
            parent.tree.variations.push(Variation { ply, tree: line.tree });
        }
        Ok(())
    }

    /// Skips the rest of the open variation with all that is nested in it.
    fn skip_variation(&mut self) -> Result<(), BadGameReason> {
        self.cut_variations += 1;
        let mut depth = 1_usize;
        while let Some(token) = self.scanner.next() {
            match token {
                Token::Open => depth += 1,
                Token::Close => depth -= 1,
                Token::OpenComment => return Err(BadGameReason::OpenComment),
                _ => {}
            }
            if depth == 0 {
                return Ok(());
            }
        }
        Err(BadGameReason::OpenVariation)
    }

    fn finish(&mut self, result: Option<Outcome>) -> Option<BlockGame> {
        // After a fault within variations these are still open: they are left out.
        self.lines.truncate(1);
        let line = self.lines.pop()?;
        let end = line.position.end();
        let stated = self.tag("Result").and_then(scan::outcome);
        let record = Record {
            tags: std::mem::take(&mut self.tags),
            start: self.start.take(),
            start_clock: self.start_clock,
            result: stated.or(result),
            tree: line.tree,
        };
        Some(BlockGame {
            record,
            end,
            cut_variations: self.cut_variations,
            is_undecoded: false,
            guessed: self.guessed,
            note: self.note,
            words: std::mem::take(&mut self.words),
            nags: std::mem::take(&mut self.nags),
        })
    }
}

/// Reads a move whose ranks count from 0 or from 1.
#[inline]
fn read_word(
    position: &Position,
    text: &MoveText,
    dialect: Dialect,
    is_from_one: bool,
) -> Result<Move, Fault> {
    if !is_from_one || is_file_based(text) {
        return read_move(position, text, dialect);
    }
    read_move(position, &from_one(text).ok_or(Fault::Unreadable)?, dialect)
}

/// The moves that a text may mean whose ranks count from 0 or from 1.
fn word_readings(
    position: &Position,
    text: &MoveText,
    dialect: Dialect,
    is_from_one: bool,
) -> Readings {
    if !is_from_one || is_file_based(text) {
        return readings(position, text, dialect);
    }
    from_one(text).map_or_else(Readings::new, |text| readings(position, &text, dialect))
}

/// Returns true if a text has a square of rank 10.
fn has_rank_ten(text: &str) -> bool {
    text.as_bytes().array_windows().any(|[file, ten @ ..]: &[u8; 3]| {
        matches!(file.to_ascii_lowercase(), b'a'..=b'i') && ten == b"10"
    })
}
