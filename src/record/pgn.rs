//! Reading PGN: each game is decoded, cut into tokens and replayed move by move. What cannot be
//! read or played refuses that game alone.

use std::borrow::Cow;
use std::sync::LazyLock;

use super::parsed::board_outcome;
use super::scan::{self, Scanner, Token};
use super::split::{Block, Blocks};
use super::text::tidy;
use super::{
    BadGame, BadGameReason, Chunk, Encoding, MAX_GAME_BYTES, MAX_PARTS, MAX_VARIATION_DEPTH,
    ParsedGame, Place, ReadSummary, Record, Tree, Variation,
};
use crate::game::Outcome;
use crate::xiangqi::notation::{Dialect, MoveError, MoveText, read_move};
use crate::xiangqi::{FenError, Move, Position, START_FEN, Setup, Undo};

impl BadGameReason {
    /// Whether another encoding might give sense.
    const fn is_unreadable(&self) -> bool {
        matches!(self, Self::NotPgn(_) | Self::Move { error: MoveError::Unreadable(_), .. })
    }
}

/// Reads the games of one chunk of PGN; `bytes` is the whole source.
pub(super) fn read_chunk(
    source: &str,
    bytes: &[u8],
    chunk: &Chunk,
    sink: &mut dyn FnMut(Result<ParsedGame, BadGame>),
) -> ReadSummary {
    let mut summary = ReadSummary::default();
    let part = bytes.get(chunk.bytes.clone()).unwrap_or_default();
    let mut buffer = String::new();
    for (game, block) in (chunk.game..).zip(Blocks::new(part, chunk)) {
        match read_block(block, chunk, &mut buffer) {
            Ok(None) => {}
            Ok(Some(read)) => {
                summary.games += 1;
                summary.cut_variations += read.cut_variations;
                let place = Place::Line(block.line);
                let (record, end, note) = (read.record, read.end, None);
                sink(Ok(ParsedGame { record, place, game, end, note }));
            }
            Err(fault) => {
                summary.bad += 1;
                let place = Place::Line(block.line + fault.lines);
                let source = source.to_owned();
                sink(Err(BadGame { source, place, game, reason: fault.reason }));
            }
        }
    }
    summary
}

/// Why a block is no game, and how many lines below its first.
pub(super) struct BlockFault {
    pub(super) lines: u64,
    pub(super) reason: BadGameReason,
}

pub(super) struct BlockGame {
    pub(super) record: Record<Position>,
    pub(super) end: Option<Outcome>,
    pub(super) cut_variations: u64,
}

/// Reads one block; `None` if there is nothing in it but comments.
fn read_block(
    block: Block<'_>,
    chunk: &Chunk,
    buffer: &mut String,
) -> Result<Option<BlockGame>, BlockFault> {
    if block.bytes.len() > MAX_GAME_BYTES {
        let reason = BadGameReason::TooLong(block.bytes.len());
        return Err(BlockFault { lines: 0, reason });
    }
    let bytes = with_line_feeds(block.bytes, chunk.line_end);
    let Some(text) = chunk.encoding.decode(&bytes, buffer) else {
        return GameReader::read(&Encoding::detect(&bytes).decode_lossy(&bytes));
    };
    let fault = match GameReader::read(text) {
        Err(fault) if fault.reason.is_unreadable() => fault,
        read => return read,
    };
    let other = Encoding::detect(&bytes);
    if other == chunk.encoding {
        return Err(fault);
    }
    GameReader::read(&other.decode_lossy(&bytes)).or(Err(fault))
}

fn with_line_feeds(bytes: &[u8], line_end: u8) -> Cow<'_, [u8]> {
    if line_end == b'\n' {
        return Cow::Borrowed(bytes);
    }
    bytes.iter().map(|&b| if b == line_end { b'\n' } else { b }).collect()
}

pub(super) static START: LazyLock<Position> = LazyLock::new(Position::start);

/// The start position that a FEN states, `None` if it is the usual one or the text is blank, and
/// the plies since the last irreversible move.
pub(super) fn read_start(fen: &str) -> Result<(Option<Position>, u32), FenError> {
    let fen = fen.trim();
    if fen.is_empty() || fen == START_FEN {
        return Ok((None, 0));
    }
    let setup = Setup::from_fen(fen)?;
    let position = Position::from_setup(&setup)?;
    if position == *START {
        return Ok((None, 0));
    }
    Ok((Some(position), setup.halfmove_clock))
}

/// Reads moves that stand in a text without tags; `tags` are those known from elsewhere.
pub(super) fn read_moves(
    text: &str,
    tags: Vec<(String, String)>,
) -> Result<Option<BlockGame>, BlockFault> {
    GameReader { tags, is_bare: true, ..GameReader::new(text) }.run()
}

/// A line of moves that is being read.
struct Line {
    tree: Tree<Position>,
    position: Position,
    last: Option<(Move, Undo)>,
}

impl Line {
    fn from(position: Position) -> Self {
        Self { tree: Tree::default(), position, last: None }
    }

    fn play(&mut self, mv: Move) {
        let undo = self.position.play_unchecked(mv);
        self.last = Some((mv, undo));
        self.tree.moves.push(mv);
    }

    /// The position before the last move, where a variation begins.
    fn before(&self) -> Option<Position> {
        let (mv, undo) = self.last?;
        let mut before = self.position.clone();
        before.undo(mv, undo);
        Some(before)
    }
}

/// Reads one game.
struct GameReader<'a> {
    scanner: Scanner<'a>,
    tags: Vec<(String, String)>,
    /// Where the text has the FEN tag that counts, the first.
    fen_at: Option<usize>,
    start: Option<Position>,
    start_clock: u32,
    dialect: Dialect,
    /// Comments before the start position is known.
    first_comments: Vec<(usize, String)>,
    /// The main line, and the variations that are open; empty until the moves begin.
    lines: Vec<Line>,
    cut_variations: u64,
    /// Variations and comments so far.
    parts: usize,
    /// The text has no tags and need not have any.
    is_bare: bool,
}

impl<'a> GameReader<'a> {
    fn read(text: &'a str) -> Result<Option<BlockGame>, BlockFault> {
        Self::new(text).run()
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
        }
    }

    fn run(mut self) -> Result<Option<BlockGame>, BlockFault> {
        match self.tokens() {
            Ok(result) => Ok(self.finish(result)),
            Err(reason) => {
                let at = match reason {
                    BadGameReason::Start(_) => self.fen_at,
                    _ => None,
                };
                let at = at.unwrap_or_else(|| self.scanner.token_start());
                Err(BlockFault { lines: self.scanner.lines_before(at), reason })
            }
        }
    }

    /// Reads up to the result or the end.
    fn tokens(&mut self) -> Result<Option<Outcome>, BadGameReason> {
        while let Some(token) = self.scanner.next() {
            match token {
                Token::Move(text) => self.play(&text)?,
                Token::Tag(name, value) => {
                    if !self.lines.is_empty() {
                        return Err(BadGameReason::LateTag(name.to_owned()));
                    }
                    if name.eq_ignore_ascii_case("FEN") {
                        self.fen_at.get_or_insert(self.scanner.token_start());
                    }
                    self.tags.push((name.to_owned(), value));
                }
                Token::Comment(text) => self.comment(text)?,
                Token::OpenComment => return Err(BadGameReason::OpenComment),
                Token::Open => self.open()?,
                Token::Close => self.close()?,
                Token::Result(result) if self.lines.len() <= 1 => {
                    self.begin()?;
                    self.after_result()?;
                    return Ok(result);
                }
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
        let is_move = |position| read_move(position, &text, self.dialect).is_ok();
        if is_move(&line.position) || is_move(self.start.as_ref().unwrap_or(&START)) {
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
        let mut line = Line::from(self.start.as_ref().unwrap_or(&START).clone());
        line.tree.comments = std::mem::take(&mut self.first_comments);
        line.tree.moves.reserve(128);
        self.lines.push(line);
        Ok(())
    }

    #[inline]
    fn play(&mut self, text: &MoveText) -> Result<(), BadGameReason> {
        self.begin()?;
        let main_line = self.lines.len() == 1;
        let Some(line) = self.lines.last_mut() else { return Ok(()) };
        let fault = match read_move(&line.position, text, self.dialect) {
            Ok(mv) => {
                line.play(mv);
                return Ok(());
            }
            Err(fault) => fault,
        };
        if main_line {
            let error = fault.about(text.iter().collect());
            let ply = line.tree.moves.len() + 1;
            return Err(if self.tags.is_empty() && ply == 1 && !self.is_bare {
                BadGameReason::NotPgn(text.iter().collect())
            } else {
                BadGameReason::Move { ply, error }
            });
        }
        self.skip_variation()?;
        self.close()
    }

    fn comment(&mut self, text: &str) -> Result<(), BadGameReason> {
        let text = tidy(text);
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
        let Some(before) = self.lines.last().and_then(Line::before) else {
            return self.skip_variation();
        };
        if self.lines.len() > MAX_VARIATION_DEPTH {
            return Err(BadGameReason::TooDeep);
        }
        self.lines.push(Line::from(before));
        self.count_part()
    }

    fn close(&mut self) -> Result<(), BadGameReason> {
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

    fn finish(mut self, result: Option<Outcome>) -> Option<BlockGame> {
        let line = self.lines.pop()?;
        let end = board_outcome(&line.position);
        let stated = self.tag("Result").and_then(scan::outcome);
        let record = Record {
            tags: self.tags,
            start: self.start,
            start_clock: self.start_clock,
            result: stated.or(result),
            tree: line.tree,
        };
        Some(BlockGame { record, end, cut_variations: self.cut_variations })
    }
}
