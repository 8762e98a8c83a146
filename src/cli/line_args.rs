//! Positions and moves as they are typed, and the notation in which moves are shown: one reader and one writer
//! for all commands.

use crate::cli::language::Language;
use juzhong::game::{Line, position_text};
use juzhong::xiangqi::notation::MoveNotation;

use super::terminal::{Refusal, Start, Terminal};
use super::{CliError, exit};

/// The position that a command starts from.
#[derive(Debug, Clone, Default, PartialEq, clap::Args)]
pub(crate) struct LineArgs {
    /// Position: a FEN or startpos, optionally followed by moves [default: starting position].
    #[arg(long)]
    pub(crate) fen: Option<String>,
    /// Moves to play from there, in any notation (h2e2, H2-E2, C2=5, 炮二平五), with or without move numbers: one quoted
    /// text or several arguments.
    #[arg(long, num_args = 1..)]
    pub(crate) moves: Vec<String>,
    #[command(flatten)]
    pub(crate) board: BoardArgs,
}

/// The board of games that have several.
#[derive(Debug, Clone, Default, PartialEq, Eq, clap::Args)]
pub(crate) struct BoardArgs {
    /// Gomoku rules: freestyle (five or more win), standard (exactly five) or renju [default: freestyle].
    #[arg(long)]
    pub(crate) variant: Option<String>,
    /// Gomoku board size, such as 15 or 20x18 [default: 15].
    #[arg(long)]
    pub(crate) size: Option<String>,
}

impl BoardArgs {
    /// The start position on this board.
    pub(crate) fn start<G: Terminal>(&self) -> Result<G, CliError> {
        let bad = |refusal| CliError::new(exit::USAGE, refusal);
        Ok(read_start::<G>(self.text_of::<G>(None).map_err(bad)?.as_deref()).map_err(bad)?.position)
    }

    /// The text of the start position on this board, and of `fen` if there is one, under these rules; `None` for the
    /// usual start.
    fn text_of<G: Terminal>(&self, fen: Option<&str>) -> Result<Option<String>, Refusal> {
        if *self == Self::default() {
            return Ok(fen.map(str::to_owned));
        }
        let fen = fen.map(position_text);
        G::with_board(fen.as_deref(), self).map(Some).map_err(Refusal::Unreadable)
    }

    /// As [`text_of`](Self::text_of); why there is no such text is an error.
    pub(crate) fn position_text<G: Terminal>(
        &self,
        fen: Option<&str>,
    ) -> Result<Option<String>, CliError> {
        let refused = |refusal| CliError::new(exit::BAD_DATA, refusal);
        self.text_of::<G>(fen).map_err(refused)
    }
}

/// The notation in which moves are shown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, clap::Args)]
pub(crate) struct NotationArgs {
    /// Move notation: uci, iccs, wxf or chinese [default: uci, with --lang zh chinese]. With --json, adds the move as
    /// text.
    #[arg(long, value_name = "NOTATION")]
    notation: Option<MoveNotation>,
}

impl NotationArgs {
    /// The choice of a notation, or none.
    #[cfg(feature = "web")]
    pub(crate) const fn of(notation: Option<MoveNotation>) -> Self {
        Self { notation }
    }

    /// The notation for people: without a choice, that of the language of the program.
    pub(crate) fn shown(self) -> MoveNotation {
        self.notation.unwrap_or_else(|| match Language::current() {
            Language::En => MoveNotation::default(),
            Language::Zh => MoveNotation::Chinese,
        })
    }

    /// The notation that was asked for, in which JSON has texts.
    pub(crate) const fn asked(self) -> Option<MoveNotation> {
        self.notation
    }
}

/// A line as it was typed.
#[derive(Debug, Clone)]
pub(crate) struct Typed<G: juzhong::game::Game> {
    pub(crate) line: Line<G>,
    /// Number of the move pair at the start of the line.
    pub(crate) fullmoves: u32,
    /// Plies since the last irreversible move at the start of the line.
    pub(crate) start_clock: u32,
}

impl<G: Terminal> Typed<G> {
    fn new(start: Start<G>) -> Self {
        let Start { position, clock, fullmoves } = start;
        Self { line: Line::new(position, clock), fullmoves, start_clock: clock }
    }

    /// Reads a FEN or `startpos`, with moves after it perhaps, as a UCI `position` command has them, or the FEN as it
    /// stands in a link.
    pub(crate) fn read(text: &str) -> Result<Self, Refusal> {
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

    /// Plays the moves of an option.
    pub(crate) fn play_on(&mut self, moves: &str, option: &str) -> Result<(), CliError> {
        let played = self.play(moves);
        played.map_err(|refusal| CliError::new(exit::BAD_DATA, refusal).within(option))
    }

    /// Plays typed moves.
    fn play(&mut self, moves: &str) -> Result<(), Refusal> {
        let (before, typed) = (self.line.len(), G::typed(moves));
        if let Some(fen) = typed.fen {
            let message = format!("a position among the moves: {fen}; give it by --fen");
            return Err(Refusal::Unreadable(message));
        }
        for text in &typed.moves {
            let mv = self.line.position().read_move(text).map_err(|reason| {
                let position = G::line_text(&self.line, self.fullmoves);
                let ply = self.line.len() - before + 1;
                Refusal::Unreadable(format!("move {ply}: {reason} (position: {position})"))
            })?;
            self.line.push(mv);
        }
        Ok(())
    }
}

impl LineArgs {
    /// Returns true if neither a position nor moves are given.
    pub(crate) fn is_empty(&self) -> bool {
        self.fen.is_none() && self.moves.is_empty() && self.board == BoardArgs::default()
    }

    /// Returns true if the line begins with the usual start of a game, and not by a FEN, so that its whole past is
    /// known.
    pub(crate) fn is_from_start(&self) -> bool {
        self.fen.as_deref().is_none_or(|text| !position_text(text).contains('/'))
    }

    /// The line that is asked for.
    pub(crate) fn read<G: Terminal>(&self) -> Result<Typed<G>, Refusal> {
        let mut typed = self.start()?;
        typed.play(&self.moves.join(" "))?;
        Ok(typed)
    }

    /// The line of `--fen`, or the start of a game.
    fn start<G: Terminal>(&self) -> Result<Typed<G>, Refusal> {
        match self.board.text_of::<G>(self.fen.as_deref())? {
            Some(text) => Typed::read(&text),
            None => read_start(None).map(Typed::new),
        }
    }

    /// As [`read`](Self::read); why there is no such line is an error that names the option.
    pub(crate) fn line<G: Terminal>(&self) -> Result<Typed<G>, CliError> {
        let bad = |refusal| match self.fen {
            Some(_) => CliError::new(exit::BAD_DATA, refusal).within("--fen"),
            None => CliError::new(exit::BAD_DATA, refusal),
        };
        let mut typed = self.start().map_err(bad)?;
        typed.play_on(&self.moves.join(" "), "--moves")?;
        Ok(typed)
    }
}

/// The position of a text, or the start of a game.
fn read_start<G: Terminal>(text: Option<&str>) -> Result<Start<G>, Refusal> {
    match text {
        Some(text) => G::read_start(text),
        None => Ok(Start { position: G::start(), clock: 0, fullmoves: 1 }),
    }
}

/// The rule set of that name, or the usual one.
pub(crate) fn parse_rules<G: Terminal>(name: Option<&str>) -> Result<G::Rules, CliError> {
    match name {
        Some(name) => name.parse().map_err(|error| CliError::message(exit::USAGE, error)),
        None => Ok(G::Rules::default()),
    }
}

/// The texts of moves that follow each other from a position.
pub(crate) fn line_texts<G: Terminal>(
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
