//! Positions and moves as they are typed.

use crate::answers::described::{BoardRequest, Described, Refusal, Start};
use crate::answers::error::{AnswerError, ErrorKind};
use crate::game::{Game, Line, MoveList, Notation, position_text};
use crate::message::{ToMessage, message};
use crate::xiangqi::notation::MoveNotation;

/// A position with moves from it, as typed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LineRequest {
    /// A FEN or `startpos`, perhaps with moves after it, or a link with a FEN; the start of a game if there is none.
    pub fen: Option<String>,
    /// Moves from there in any notation, with or without numbers.
    pub moves: String,
    /// The board, where the game has several.
    pub board: BoardRequest,
}

impl LineRequest {
    /// The line.
    ///
    /// # Errors
    ///
    /// The position or a move cannot be read, or is illegal.
    pub fn read<G: Described>(&self) -> Result<Typed<G>, Refusal> {
        let mut typed = self.start()?;
        typed.play(&self.moves)?;
        Ok(typed)
    }

    /// As [`read`](Self::read), with an error that names the parameter at fault: `fen` or `moves`.
    ///
    /// # Errors
    ///
    /// The position or a move cannot be read, or is illegal.
    pub fn line<G: Described>(&self) -> Result<Typed<G>, AnswerError> {
        let parameter = self.fen.as_ref().map(|_| "fen");
        let start = self.start().map_err(AnswerError::from);
        let mut typed = start.map_err(|error| error.in_parameter(parameter))?;
        typed.play_parameter("moves", &self.moves)?;
        Ok(typed)
    }

    /// Returns true if the line begins with the usual start of a game, and not by a FEN, so that its whole past is
    /// known.
    #[must_use]
    pub fn is_from_start(&self) -> bool {
        self.fen.as_deref().is_none_or(|text| !position_text(text).contains('/'))
    }

    /// The line of the position alone.
    ///
    /// # Errors
    ///
    /// The position cannot be read, or is illegal.
    pub fn start<G: Described>(&self) -> Result<Typed<G>, Refusal> {
        match self.board.text_of::<G>(self.fen.as_deref())? {
            Some(text) => Typed::read(&text),
            None => read_start(None).map(Typed::new),
        }
    }
}

impl BoardRequest {
    /// The start position on this board.
    ///
    /// # Errors
    ///
    /// There is no such board.
    pub fn start<G: Described>(&self) -> Result<G, Refusal> {
        Ok(read_start::<G>(self.text_of::<G>(None)?.as_deref())?.position)
    }

    /// The text of the start position on this board, or of `fen` if there is one, under these rules; `None` for the
    /// usual start.
    ///
    /// # Errors
    ///
    /// There is no such board.
    pub fn text_of<G: Described>(&self, fen: Option<&str>) -> Result<Option<String>, Refusal> {
        if *self == Self::default() {
            return Ok(fen.map(str::to_owned));
        }
        let fen = fen.map(position_text);
        G::with_board(fen.as_deref(), self).map(Some).map_err(Refusal::Unreadable)
    }
}

/// A line as it was typed.
#[derive(Debug, Clone)]
pub struct Typed<G: Game> {
    /// The line.
    pub line: Line<G>,
    /// Number of the move pair at the start of the line, from 1.
    pub fullmoves: u32,
    /// Plies since the last irreversible move at the start of the line.
    pub start_clock: u32,
}

impl<G: Described> Typed<G> {
    /// The text of the position where the line begins, as engines are told it; `None` for the usual start.
    #[must_use]
    pub fn start_text(&self) -> Option<String> {
        let start = self.line.start();
        let is_usual = self.start_clock == 0 && start.to_fen() == G::start().to_fen();
        let start = Line::new(start.clone(), self.start_clock);
        (!is_usual).then(|| G::line_text(&start, self.fullmoves))
    }

    fn new(start: Start<G>) -> Self {
        let Start { position, clock, fullmoves } = start;
        Self { line: Line::new(position, clock), fullmoves, start_clock: clock }
    }

    /// Reads a FEN or `startpos`, with moves after it perhaps, as a UCI `position` command has them, or the FEN as it
    /// stands in a link.
    ///
    /// # Errors
    ///
    /// The position or a move cannot be read, or is illegal.
    pub fn read(text: &str) -> Result<Self, Refusal> {
        let text = position_text(text.trim().trim_start_matches('\u{feff}'));
        let text = text.trim();
        let text = text.strip_prefix("position ").unwrap_or(text).trim_start();
        let text = text.strip_prefix("fen ").unwrap_or(text).trim_start();
        let (fen, moves) = match text.strip_prefix("startpos") {
            Some(rest) if rest.is_empty() || rest.starts_with(char::is_whitespace) => (None, rest),
            _ => match text.split_once(" moves ") {
                Some((fen, moves)) => (Some(fen), moves),
                None => (Some(text), ""),
            },
        };
        let mut typed = Self::new(read_start(fen)?);
        typed.play(moves)?;
        Ok(typed)
    }

    /// Plays typed moves.
    ///
    /// # Errors
    ///
    /// One of them cannot be read, or is illegal; those before it are played.
    pub fn play(&mut self, moves: &str) -> Result<(), Refusal> {
        let (before, typed) = (self.line.len(), G::typed(moves));
        if let Some(fen) = typed.fen {
            let message = message!("a position among the moves: {fen}; give it by --fen");
            return Err(Refusal::Unreadable(message));
        }
        for text in &typed.moves {
            let mv = self.line.position().read_move(text).map_err(|reason| {
                let position = G::line_text(&self.line, self.fullmoves);
                let ply = self.line.len() - before + 1;
                Refusal::Unreadable(message!("move {ply}: {reason} (position: {position})"))
            })?;
            self.line.push(mv);
        }
        Ok(())
    }

    /// As [`play`](Self::play), of the moves of a parameter, which an error names.
    pub(crate) fn play_parameter(
        &mut self,
        parameter: &'static str,
        moves: &str,
    ) -> Result<(), AnswerError> {
        let played = self.play(moves).map_err(AnswerError::from);
        played.map_err(|error| error.in_parameter(parameter))
    }
}

/// The position of a text, or the start of a game.
fn read_start<G: Described>(text: Option<&str>) -> Result<Start<G>, Refusal> {
    match text {
        Some(text) => G::read_start(text),
        None => Ok(Start { position: G::start(), clock: 0, fullmoves: 1 }),
    }
}

/// The rule set of that name, or the usual one.
///
/// # Errors
///
/// There is none of that name.
pub fn parse_rules<G: Described>(name: Option<&str>) -> Result<G::Rules, AnswerError> {
    let Some(name) = name else { return Ok(G::Rules::default()) };
    let rules = name.parse::<G::Rules>();
    rules.map_err(|error| AnswerError::new(ErrorKind::BadParameter, error.message()))
}

/// The legal moves, by their coordinates.
#[must_use]
pub fn legal_moves<G: Notation>(position: &G) -> Vec<G::Move> {
    let mut list = MoveList::new();
    position.legal_moves(&mut list);
    let mut moves: Vec<G::Move> = list.iter().copied().collect();
    moves.sort_by_cached_key(|&mv| G::move_text(mv));
    moves
}

/// Moves by their coordinates.
#[must_use]
pub fn move_texts<G: Notation>(moves: &[G::Move]) -> Vec<String> {
    moves.iter().map(|&mv| G::move_text(mv)).collect()
}

/// The texts of moves that follow each other from a position.
pub fn line_texts<G: Described>(
    start: &G,
    moves: impl IntoIterator<Item = G::Move>,
    notation: MoveNotation,
) -> Vec<String> {
    let mut position = start.clone();
    moves
        .into_iter()
        .map(|mv| {
            let text = position.write_move(mv, notation);
            position.make(mv);
            text
        })
        .collect()
}

/// The texts of moves that follow each other from a position as one text, if a notation is wanted.
pub(crate) fn line_text<G: Described>(
    start: &G,
    moves: &[G::Move],
    notation: Option<MoveNotation>,
) -> Option<String> {
    notation.map(|notation| line_texts(start, moves.iter().copied(), notation).join(" "))
}
