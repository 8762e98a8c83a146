//! Positions and moves as they are typed, and the notation in which moves are shown: one reader and one writer
//! for all commands.

use crate::cli::{CliError, exit};
use crate::language::Language;
use juzhong::answers::{BoardRequest, Described, LineRequest, Refusal, Typed};
use juzhong::xiangqi::notation::MoveNotation;

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
    /// The board as the library is asked for it.
    pub(crate) fn request(&self) -> BoardRequest {
        BoardRequest { variant: self.variant.clone(), size: self.size.clone() }
    }

    /// The start position on this board.
    pub(crate) fn start<G: Described>(&self) -> Result<G, CliError> {
        self.request().start().map_err(|refusal| CliError::new(exit::USAGE, refusal))
    }

    /// The text of the start position on this board, and of `fen` if there is one, under these rules; `None` for the
    /// usual start.
    pub(crate) fn position_text<G: Described>(
        &self,
        fen: Option<&str>,
    ) -> Result<Option<String>, CliError> {
        self.request().text_of::<G>(fen).map_err(|refusal| CliError::new(exit::BAD_DATA, refusal))
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
    /// The notation for people: without a choice, that of the language of the program.
    pub(crate) fn shown(self) -> MoveNotation {
        self.notation.unwrap_or_else(|| Language::current().notation())
    }

    /// The notation that was asked for, in which JSON has texts.
    pub(crate) const fn asked(self) -> Option<MoveNotation> {
        self.notation
    }
}

impl LineArgs {
    /// Returns true if neither a position nor moves are given.
    pub(crate) fn is_empty(&self) -> bool {
        self.fen.is_none() && self.moves.is_empty() && self.board == BoardArgs::default()
    }

    /// The line as the library is asked for it.
    pub(crate) fn request(&self) -> LineRequest {
        let moves = self.moves.join(" ");
        LineRequest { fen: self.fen.clone(), moves, board: self.board.request() }
    }

    /// The line that is asked for.
    pub(crate) fn read<G: Described>(&self) -> Result<Typed<G>, Refusal> {
        self.request().read()
    }

    /// As [`read`](Self::read); why there is no such line is an error that names the option.
    pub(crate) fn line<G: Described>(&self) -> Result<Typed<G>, CliError> {
        Ok(self.request().line()?)
    }
}
