//! Reading PGN: each game is decoded, cut into tokens and replayed move by move. What cannot be
//! read or played refuses that game alone.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::sync::LazyLock;

use crate::game::{Game, Outcome, Side};
use crate::record::model::encoding::Encoding;
use crate::record::model::limits::MAX_GAME_BYTES;
use crate::record::model::parsed::{
    BadGame, BadGameReason, GameSink, MAX_PARTS, MAX_VARIATION_DEPTH, Note, ParsedGame, ReadSummary,
};
use crate::record::model::place::Place;
use crate::record::model::record::{Record, Tree, Variation};
use crate::record::model::recorded::Recorded;
use crate::record::model::texts::tidy;
use crate::record::text::pgn_writer::read_comment;
use crate::record::text::scan;
use crate::record::text::scan::{Scanner, Token};
use crate::record::text::split::{Block, Blocks, Chunk};
use crate::xiangqi::notation::{Dialect, Fault, MoveError, MoveText, read_move};
use crate::xiangqi::{FenError, Move, Position, START_FEN, Setup, Undo};

impl BadGameReason {
    /// Returns true if another encoding might make the text readable.
    const fn is_unreadable(&self) -> bool {
        matches!(self, Self::NotPgn(_) | Self::Move { error: MoveError::Unreadable(_), .. })
    }

    /// The ply of the main line that is at fault, from 1; 0 if it is none.
    pub(in crate::record) const fn ply(&self) -> usize {
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

/// Reads the games of one chunk of PGN; `bytes` is the whole source.
pub(in crate::record) fn read_chunk(
    source: &str,
    bytes: &[u8],
    chunk: &Chunk,
    sink: &mut GameSink<'_>,
) -> ReadSummary {
    let mut summary = ReadSummary::default();
    let part = bytes.get(chunk.bytes.clone()).unwrap_or_default();
    let mut buffer = String::new();
    for (game, block) in (chunk.game..).zip(Blocks::new(part, chunk)) {
        let read = read_block(block, chunk, &mut buffer);
        hand_over(source, (Place::Line(block.line), game), chunk, read, &mut summary, sink);
    }
    summary
}

/// Hands over what was read of a text of one game, which begins at that place and has that number.
pub(in crate::record) fn hand_over(
    source: &str,
    (place, game): (Place, u64),
    chunk: &Chunk,
    read: Result<Option<BlockGame>, BlockFault>,
    summary: &mut ReadSummary,
    sink: &mut GameSink<'_>,
) {
    let (read, cut) = match read {
        Ok(None) => return,
        Ok(Some(read)) => (read, None),
        Err(BlockFault { lines, reason, part }) => {
            let at = match place {
                Place::Line(line) => Place::Line(line + lines),
                place => place,
            };
            let bad = BadGame { source: source.to_owned(), place: at, game, reason };
            match part.filter(|_| chunk.keep_legal_part) {
                Some(part) => (*part, Some(Box::new(bad))),
                None => {
                    summary.bad += 1;
                    return sink(Err(bad));
                }
            }
        }
    };
    summary.games += 1;
    summary.kept += u64::from(cut.is_some());
    summary.cut_variations += read.cut_variations;
    summary.undecoded += u64::from(read.is_undecoded);
    summary.guessed += read.guessed;
    summary.noted += u64::from(read.note.is_some());
    let BlockGame { record, end, note, .. } = read;
    sink(Ok(ParsedGame { record, place, game, end, note, cut }));
}

/// The reason why a block is no game, and the number of lines between its first line and the fault.
#[derive(Debug)]
pub(in crate::record) struct BlockFault {
    pub(in crate::record) lines: u64,
    pub(in crate::record) reason: BadGameReason,
    /// The moves before an illegal one, if there are some.
    pub(in crate::record) part: Option<Box<BlockGame>>,
}

impl BlockFault {
    pub(in crate::record) const fn new(lines: u64, reason: BadGameReason) -> Self {
        Self { lines, reason, part: None }
    }
}

#[derive(Debug)]
pub(in crate::record) struct BlockGame {
    pub(in crate::record) record: Record<Position>,
    pub(in crate::record) end: Option<Outcome>,
    pub(in crate::record) cut_variations: u64,
    /// Set if bytes of its text stand for no character.
    pub(in crate::record) is_undecoded: bool,
    /// Moves that two pieces could make.
    pub(in crate::record) guessed: u64,
    pub(in crate::record) note: Option<Note>,
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
    let Some(text) = chunk.encoding.decode(&bytes, buffer) else {
        return read_shown(Encoding::detect(&bytes), &bytes);
    };
    let fault = match GameReader::read(text) {
        Err(fault) if fault.reason.is_unreadable() => fault,
        read => return read,
    };
    let other = Encoding::detect(&bytes);
    if other == chunk.encoding {
        return Err(fault);
    }
    read_shown(other, &bytes).or(Err(fault))
}

/// Reads a block that may have bytes without a character.
fn read_shown(encoding: Encoding, bytes: &[u8]) -> Result<Option<BlockGame>, BlockFault> {
    let (text, is_undecoded) = encoding.decode_shown(bytes);
    noting(GameReader::read(&text), is_undecoded)
}

/// Notes with a game, or with the moves before an illegal one, whether bytes of its text stand for no
/// character.
pub(in crate::record) fn noting(
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

pub(in crate::record) static START: LazyLock<Position> = LazyLock::new(Position::start);

/// The start position that a FEN states, `None` if it is the usual one or the text is blank, and
/// the plies since the last irreversible move.
pub(in crate::record) fn read_start(fen: &str) -> Result<(Option<Position>, u32), FenError> {
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
pub(in crate::record) fn read_moves(
    text: &str,
    tags: &[(String, String)],
) -> Result<Option<BlockGame>, BlockFault> {
    GameReader::of_game(text, &|| GameReader {
        tags: tags.to_vec(),
        is_bare: true,
        ..GameReader::new(text)
    })
}

/// The most times that moves which two pieces can make are guessed anew for one game.
const MOST_GUESSES: usize = 256;

/// The most text that is read for that, in bytes.
const GUESSED_BYTES: usize = 1 << 20;

/// Reads moves of a WXF file. Of two pieces that can make a move that one is meant with which the rest
/// can be played, else the one in front.
pub(in crate::record) fn read_wxf(
    text: &str,
    tags: &[(String, String)],
) -> Result<Option<BlockGame>, BlockFault> {
    let mut picks: Vec<bool> = Vec::new();
    let mut first = None;
    for _ in 0..(GUESSED_BYTES / text.len().max(1)).clamp(1, MOST_GUESSES) {
        let reader = GameReader {
            tags: tags.to_vec(),
            is_bare: true,
            picks: Some(picks.clone()),
            ..GameReader::new(text)
        };
        let fault = match reader.run() {
            Err(fault) if fault.reason.is_of_move() => fault,
            read => return read,
        };
        let asked = fault.part.as_ref().map_or(0, |part| part.guessed);
        first.get_or_insert(fault);
        picks.resize(asked as usize, false);
        while picks.pop_if(|is_rear| *is_rear).is_some() {}
        match picks.last_mut() {
            Some(is_rear) => *is_rear = true,
            None => break,
        }
    }
    first.map_or(Ok(None), Err)
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
    /// The choices between two pieces that can both make a move, for one such move after the other: true for
    /// the rear piece. Beyond the end the front one is chosen. `None` where such moves are refused.
    picks: Option<Vec<bool>>,
    /// Such moves so far.
    guessed: u64,
}

impl<'a> GameReader<'a> {
    fn read(text: &'a str) -> Result<Option<BlockGame>, BlockFault> {
        Self::of_game(text, &|| Self::new(text))
    }

    /// Reads a game; its ranks count from 0 or, if then a move of the main line cannot be played, from
    /// 1: all of it decides. If neither can be played to its end, the one that goes further holds, or, of two
    /// equal ones, the latter where ranks of 10 stand in the game.
    fn of_game(text: &str, reader: &dyn Fn() -> Self) -> Result<Option<BlockGame>, BlockFault> {
        let fault = match reader().run() {
            Err(fault) if fault.reason.is_of_move() => fault,
            read => return read,
        };
        match (Self { is_from_one: true, ..reader() }).run() {
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
            picks: None,
            guessed: 0,
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
                let lines = self.scanner.lines_before(at);
                let has_part = matches!(reason, BadGameReason::Move { ply, .. } if ply > 1);
                let part = if has_part { self.finish(None).map(Box::new) } else { None };
                Err(BlockFault { lines, reason, part })
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
                    self.count_part()?;
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
        let is_move = |position| read_word(position, &text, self.dialect, self.is_from_one).is_ok();
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
        let Some(line) = self.lines.last_mut() else { return Ok(()) };
        let read = read_word(&line.position, text, self.dialect, self.is_from_one);
        let fault = match (read, &self.picks) {
            (Ok(mv), _) => {
                line.play(mv);
                return Ok(());
            }
            (Err(Fault::Ambiguous(first, second)), Some(picks)) if main_line => {
                let is_rear = picks.get(self.guessed as usize).copied().unwrap_or(false);
                let mv = either(line.position.turn(), first, second, is_rear);
                line.play(mv);
                self.guessed += 1;
                return Ok(());
            }
            (Err(fault), _) => fault,
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
        self.lines.truncate(1);
        let line = self.lines.pop()?;
        let end = line.position.end();
        let stated = self.tag("Result").and_then(scan::outcome);
        let record = Record {
            tags: self.tags,
            start: self.start,
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
            note: None,
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
    if !is_from_one {
        return read_move(position, text, dialect);
    }
    read_move(position, &from_one(text).ok_or(Fault::Unreadable)?, dialect)
}

/// A move by squares whose ranks count from 1, with ranks that count from 0. `None` if it is none.
pub(in crate::record) fn from_one(text: &[char]) -> Option<MoveText> {
    let mut out = MoveText::new();
    let mut rest = text;
    while let Some((&c, after)) = rest.split_first() {
        rest = after;
        let rank = match (c, rest) {
            ('1', ['0', after @ ..]) => {
                rest = after;
                '9'
            }
            ('1'..='9', _) => char::from(c as u8 - 1),
            ('0', _) => return None,
            (c, _) => c,
        };
        out.try_push(rank).ok()?;
    }
    Some(out)
}

/// Returns true if a text has a square of rank 10.
fn has_rank_ten(text: &str) -> bool {
    text.as_bytes().array_windows().any(|[file, ten @ ..]: &[u8; 3]| {
        matches!(file.to_ascii_lowercase(), b'a'..=b'i') && ten == b"10"
    })
}

/// Of two moves, that of the piece in front, which is nearer to the opponent, or of the one behind.
fn either(side: Side, first: Move, second: Move, is_rear: bool) -> Move {
    let is_behind = match side {
        Side::First => first.from().rank() < second.from().rank(),
        Side::Second => first.from().rank() > second.from().rank(),
    };
    if is_behind == is_rear { first } else { second }
}
