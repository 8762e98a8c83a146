//! The abilities that the terminal needs of a game beside the rules: drawing, typed moves, names.

use std::error::Error;
use std::fmt::{self, Display, Write as _};
use std::str::FromStr;

use clap::ValueEnum;

use super::line_args::NotationArgs;
use super::verdict_explanation::VerdictExplanation;
use juzhong::game::{Adjudicate, Game, Line, MoveList, Notation, Outcome, Side};
use juzhong::gomoku::{Board, BoardError, DiagramStyle, Point};
use juzhong::search::eval::xiangqi::{Explanation, explain};
use juzhong::xiangqi::notation::{MoveNotation, format_move, parse_move};
use juzhong::xiangqi::{Move, Piece, Position, Role, RuleSet, Setup, Square};

/// How boards are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(super) enum BoardStyle {
    /// Letters as in FENs.
    #[default]
    Ascii,
    /// The game symbols of Unicode.
    Unicode,
    /// Chinese characters, full-width.
    Hanzi,
}

/// The start of a game.
#[derive(Debug, Clone)]
pub(super) struct Start<G> {
    pub(super) position: G,
    /// Plies since the last irreversible move.
    pub(super) clock: u32,
    /// Number of the move pair.
    pub(super) fullmoves: u32,
}

/// The reason why a text gives no position to work with.
#[derive(Debug, Clone)]
pub(super) enum Refusal {
    /// The text cannot be read.
    Unreadable(String),
    /// It can be read, but the position breaks the rules.
    Illegal {
        /// The position as read, in its usual text form.
        text: String,
        /// A drawing of the position, where it can be drawn.
        drawing: String,
        /// Every reason.
        reasons: Vec<String>,
    },
}

impl Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable(message) => f.write_str(message),
            Self::Illegal { reasons, .. } => write!(f, "illegal position: {}", reasons.join("; ")),
        }
    }
}

impl Error for Refusal {}

/// A game that can be shown and played in the terminal.
pub(super) trait Terminal: Notation + Adjudicate<Rules: FromStr<Err: Display>> {
    /// Reads a position with its counters.
    fn read_start(text: &str) -> Result<Start<Self>, Refusal>;

    /// The last position's text with counters, for a line from a start with that move number.
    fn line_text(line: &Line<Self>, fullmoves: u32) -> String;

    /// Draws the position with the last move marked; ends with a line break.
    fn draw(&self, style: BoardStyle, last: Option<Self::Move>) -> String;

    /// Reads a move that is legal here, in any notation of the game.
    fn read_move(&self, text: &str) -> Result<Self::Move, String>;

    /// Writes a legal move.
    fn write_move(&self, mv: Self::Move, notation: MoveNotation) -> String;

    /// Returns true if the side to move is in check, where the game has checks.
    fn in_check(&self) -> bool;

    /// The state of the position in a word: `ongoing`, or how it ended.
    fn status(&self) -> &'static str;

    /// The players' name of a side.
    fn side_name(side: Side) -> &'static str;

    /// The terms of the evaluation, where the game has them.
    fn explain(&self) -> Option<Explanation> {
        None
    }

    /// The explanation of the rules' verdict on the last position of `line`.
    fn explain_verdict(
        line: &Line<Self>,
        rules: Self::Rules,
        notation: NotationArgs,
    ) -> VerdictExplanation {
        let _ = (line, rules, notation);
        VerdictExplanation::default()
    }
}

/// The legal moves, by their coordinates.
pub(super) fn legal_moves<G: Notation>(position: &G) -> Vec<G::Move> {
    let mut list = MoveList::new();
    position.legal_moves(&mut list);
    let mut moves: Vec<G::Move> = list.iter().copied().collect();
    moves.sort_by_cached_key(|&mv| G::move_text(mv));
    moves
}

impl Terminal for Position {
    fn read_start(text: &str) -> Result<Start<Self>, Refusal> {
        let setup = Setup::from_fen(text).map_err(|e| Refusal::Unreadable(e.to_string()))?;
        let position = Self::from_setup(&setup).map_err(|errors| Refusal::Illegal {
            text: setup.to_fen(),
            drawing: draw_setup(&setup, BoardStyle::Ascii, None),
            reasons: errors.0.iter().map(ToString::to_string).collect(),
        })?;
        Ok(Start { position, clock: setup.halfmove_clock, fullmoves: setup.fullmoves })
    }

    fn line_text(line: &Line<Self>, fullmoves: u32) -> String {
        let black_began = usize::from(line.start().turn() == Side::Second);
        let pairs = u32::try_from((line.len() + black_began) / 2).unwrap_or(u32::MAX);
        let mut setup = line.position().to_setup();
        setup.halfmove_clock = line.clock();
        setup.fullmoves = fullmoves.saturating_add(pairs);
        setup.to_fen()
    }

    fn draw(&self, style: BoardStyle, last: Option<Move>) -> String {
        draw_setup(&self.to_setup(), style, last.map(Move::to))
    }

    fn read_move(&self, text: &str) -> Result<Self::Move, String> {
        parse_move(self, text).map_err(|error| error.to_string())
    }

    fn write_move(&self, mv: Self::Move, notation: MoveNotation) -> String {
        format_move(self, mv, notation)
    }

    fn in_check(&self) -> bool {
        Self::in_check(self)
    }

    fn status(&self) -> &'static str {
        match (self.has_legal_move(), Self::in_check(self)) {
            (true, _) => "ongoing",
            (false, true) => "checkmate",
            (false, false) => "stalemate",
        }
    }

    fn side_name(side: Side) -> &'static str {
        match side {
            Side::First => "Red",
            Side::Second => "Black",
        }
    }

    fn explain(&self) -> Option<Explanation> {
        Some(explain(self))
    }

    fn explain_verdict(
        line: &Line<Self>,
        rules: RuleSet,
        notation: NotationArgs,
    ) -> VerdictExplanation {
        VerdictExplanation::of(line, rules, notation)
    }
}

/// Draws a board; the piece on `last` stands in parentheses.
fn draw_setup(setup: &Setup, style: BoardStyle, last: Option<Square>) -> String {
    let mut drawing = String::new();
    for rank in (0..10).rev() {
        if rank == 4 && style == BoardStyle::Hanzi {
            drawing.push_str("   　　楚　河　　　　漢　界\n");
        }
        let written = write!(drawing, "{rank} ");
        debug_assert!(written.is_ok(), "writing to a string cannot fail");
        let mut closing = false;
        for file in 0..9 {
            let square = Square::at(file, rank);
            let is_last = last == Some(square);
            drawing.push(match (is_last, closing) {
                (true, _) => '(',
                (false, true) => ')',
                (false, false) => ' ',
            });
            drawing.push(symbol(setup.board[square.index()], style));
            closing = is_last;
        }
        drawing.push_str(if closing { ")\n" } else { "\n" });
    }
    drawing.push_str(match style {
        BoardStyle::Hanzi => "   ａ ｂ ｃ ｄ ｅ ｆ ｇ ｈ ｉ\n",
        BoardStyle::Ascii | BoardStyle::Unicode => "   a b c d e f g h i\n",
    });
    drawing
}

/// Red and Black differ by the character itself, as on a real set, so no colour is needed.
fn symbol(piece: Option<Piece>, style: BoardStyle) -> char {
    const HANZI: [char; 14] =
        ['帥', '俥', '傌', '炮', '兵', '仕', '相', '將', '車', '馬', '砲', '卒', '士', '象'];
    let Some(piece) = piece else {
        return match style {
            BoardStyle::Ascii => '.',
            BoardStyle::Unicode => '·',
            BoardStyle::Hanzi => '・',
        };
    };
    match style {
        BoardStyle::Ascii => piece.letter(),
        BoardStyle::Unicode => unicode_symbol(piece),
        BoardStyle::Hanzi => HANZI[piece.index()],
    }
}

/// The block Chess Symbols, U+1FA60 to U+1FA6D: general, mandarin, elephant, horse, chariot,
/// cannon, soldier, Red's seven before Black's.
fn unicode_symbol(piece: Piece) -> char {
    let offset = match piece.role() {
        Role::King => 0,
        Role::Advisor => 1,
        Role::Elephant => 2,
        Role::Horse => 3,
        Role::Rook => 4,
        Role::Cannon => 5,
        Role::Pawn => 6,
    };
    let side = if piece.side() == Side::First { 0 } else { 7 };
    char::from_u32(0x1fa60 + side + offset).unwrap_or('?')
}

impl Terminal for Board {
    fn read_start(text: &str) -> Result<Start<Self>, Refusal> {
        let position = Self::from_fen(text).map_err(|error| match error {
            BoardError::Count { .. } | BoardError::Over(_) => Refusal::Illegal {
                text: text.split_whitespace().collect::<Vec<_>>().join(" "),
                drawing: String::new(),
                reasons: vec![error.to_string()],
            },
            _ => Refusal::Unreadable(error.to_string()),
        })?;
        Ok(Start { position, clock: 0, fullmoves: 1 })
    }

    fn line_text(line: &Line<Self>, _fullmoves: u32) -> String {
        line.position().to_fen()
    }

    fn draw(&self, style: BoardStyle, last: Option<Point>) -> String {
        let style = match style {
            BoardStyle::Ascii => DiagramStyle::Ascii,
            BoardStyle::Unicode | BoardStyle::Hanzi => DiagramStyle::Unicode,
        };
        self.diagram(style, last)
    }

    fn read_move(&self, text: &str) -> Result<Self::Move, String> {
        let mv = <Self as Notation>::parse_move(text)
            .ok_or_else(|| "no point of that name; write h8, say".to_owned())?;
        if self.is_legal(mv) { Ok(mv) } else { Err(format!("{mv} is taken or off the board")) }
    }

    fn write_move(&self, mv: Self::Move, _notation: MoveNotation) -> String {
        Self::move_text(mv)
    }

    fn in_check(&self) -> bool {
        false
    }

    fn status(&self) -> &'static str {
        match self.outcome() {
            None => "ongoing",
            Some(Outcome::Win(_)) => "won",
            Some(Outcome::Draw) => "drawn",
        }
    }

    fn side_name(side: Side) -> &'static str {
        match side {
            Side::First => "Black",
            Side::Second => "White",
        }
    }
}
