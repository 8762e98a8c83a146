//! Boards in the terminal: their style, the side they are seen from, and the drawing of each game.

use std::io::{self, IsTerminal, stdout};

use clap::ValueEnum;

use crate::cli::args::line_args::NotationArgs;
use crate::language::{self, Language};
use juzhong::game::{Game, Side};
use juzhong::gomoku::{Board, DiagramStyle, Point};
use juzhong::xiangqi::notation::MoveNotation;
use juzhong::xiangqi::{Move, Piece, Position, Role, Setup, Square};

/// How boards are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum BoardStyle {
    /// Letters as in FENs.
    #[default]
    Ascii,
    /// Unicode game symbols.
    Unicode,
    /// Full-width Chinese characters.
    Hanzi,
}

impl BoardStyle {
    /// The style in the language of the program.
    pub(crate) fn usual<G: Drawn>() -> Self {
        let is_chinese = Language::current() == Language::Zh && language::has_unicode();
        // The stones of gomoku have no characters, and no sure width as symbols.
        if is_chinese && G::HAS_VIEWS { Self::Hanzi } else { Self::Ascii }
    }
}

/// The option of commands that show a board.
#[derive(Debug, Clone, Copy, Default, clap::Args)]
pub(crate) struct DrawingArgs {
    /// Board style [default: ascii, with --lang zh hanzi if the terminal supports UTF-8].
    #[arg(long, value_enum, value_name = "STYLE")]
    board: Option<BoardStyle>,
}

impl DrawingArgs {
    /// The view of a game's board, with moves in that notation beside it.
    pub(crate) fn view<G: Drawn>(self, notation: NotationArgs) -> View {
        let style = self.board.unwrap_or_else(BoardStyle::usual::<G>);
        View { style, ..View::default() }.beside::<G>(notation.shown())
    }
}

/// The option of commands that show a board if that is wanted.
#[derive(Debug, Clone, Copy, Default, clap::Args)]
pub(crate) struct ShownBoardArgs {
    /// Also show the board, in this style [default: with --lang zh hanzi, or ascii if the terminal does not support
    /// UTF-8; else no board].
    #[arg(long, value_enum, value_name = "STYLE")]
    board: Option<BoardStyle>,
}

impl ShownBoardArgs {
    /// Draws the last position of a line, if that is wanted.
    pub(crate) fn draw<G: Drawn>(
        self,
        position: &G,
        last: Option<G::Move>,
        notation: NotationArgs,
        out: &mut dyn io::Write,
    ) -> io::Result<()> {
        let is_usual = Language::current() == Language::Zh && G::HAS_VIEWS;
        if self.board.is_none() && !is_usual {
            return Ok(());
        }
        let view = DrawingArgs { board: self.board }.view::<G>(notation);
        write!(out, "{}", position.draw(view, last))
    }
}

/// Returns true if standard output is a terminal that may be written to in colour.
pub(crate) fn wants_colour() -> bool {
    let is_plain = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let is_dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    stdout().is_terminal() && !is_plain && !is_dumb
}

/// How a board is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct View {
    pub(crate) style: BoardStyle,
    /// Seen by the second side.
    pub(crate) is_flipped: bool,
    /// With the numbers of files at the edges, as Chinese notation has them, instead of letters.
    pub(crate) is_numbered: bool,
    /// In the colours of a terminal.
    pub(crate) is_coloured: bool,
}

impl View {
    /// The usual view of a game's board, with moves in that notation beside it: in Chinese with characters, unless
    /// the terminal has none.
    pub(crate) fn usual<G: Drawn>(notation: MoveNotation) -> Self {
        let style = BoardStyle::usual::<G>();
        Self { style, ..Self::default() }.beside::<G>(notation)
    }

    /// The same with numbers at the edges, if moves are written with such beside it.
    fn beside<G: Drawn>(self, notation: MoveNotation) -> Self {
        let has_numbers = notation == MoveNotation::Chinese && language::has_unicode();
        Self { is_numbered: has_numbers && G::HAS_VIEWS, ..self }
    }

    /// Appends a sign in the colour of its side; the last move in reverse.
    fn paint(self, drawing: &mut String, sign: char, side: Option<Side>, is_last: bool) {
        let colour = match side {
            Some(Side::First) => "\u{1b}[1;31m",
            Some(Side::Second) => "\u{1b}[1;32m",
            None => "",
        };
        // Signs without a colour are painted only where the last move is.
        let is_plain = !self.is_coloured || colour.is_empty() && !is_last;
        if !is_plain {
            drawing.push_str(colour);
            drawing.push_str(if is_last { "\u{1b}[7m" } else { "" });
        }
        drawing.push(sign);
        drawing.push_str(if is_plain { "" } else { "\u{1b}[0m" });
    }
}

/// A game whose positions are drawn.
pub(crate) trait Drawn: Game {
    /// True if the board has two sides that it can be seen from.
    const HAS_VIEWS: bool;

    /// Draws the position with the last move marked; ends with a line break.
    fn draw(&self, view: View, last: Option<Self::Move>) -> String;

    /// Draws a position that breaks the rules, where it can be drawn.
    fn draw_illegal(text: &str) -> String {
        let _ = text;
        String::new()
    }
}

impl Drawn for Position {
    const HAS_VIEWS: bool = true;

    fn draw(&self, view: View, last: Option<Move>) -> String {
        draw_setup(&self.to_setup(), view, last)
    }

    fn draw_illegal(text: &str) -> String {
        let view = View::usual::<Self>(NotationArgs::default().shown());
        Setup::from_fen(text).map_or_else(|_| String::new(), |setup| draw_setup(&setup, view, None))
    }
}

/// Draws a board; the piece that moved last stands in parentheses.
fn draw_setup(setup: &Setup, view: View, last: Option<Move>) -> String {
    let mut drawing = String::new();
    let (top, bottom) = if view.is_flipped { (0, 9) } else { (9, 0) };
    edge(&mut drawing, view, top);
    for row in 0..10 {
        let rank = if view.is_flipped { row } else { 9 - row };
        if row == 5 && view.style == BoardStyle::Hanzi {
            drawing.push_str(if view.is_flipped {
                "   　　漢　界　　　　楚　河\n"
            } else {
                "   　　楚　河　　　　漢　界\n"
            });
        }
        drawing.push(char::from(b'0' + rank));
        drawing.push(' ');
        let mut closing = false;
        for column in 0..9 {
            let file = if view.is_flipped { 8 - column } else { column };
            let square = Square::at(file, rank);
            let is_last = last.is_some_and(|mv| mv.to() == square);
            // The column between two squares has the parentheses of both: the left one closes, the right one opens.
            drawing.push(match (is_last, closing) {
                (true, _) => '(',
                (false, true) => ')',
                (false, false) => ' ',
            });
            let piece = setup.board[square.index()];
            let is_marked = is_last || last.is_some_and(|mv| mv.from() == square);
            view.paint(&mut drawing, symbol(piece, view.style), piece.map(Piece::side), is_marked);
            closing = is_last;
        }
        drawing.push_str(if closing { ")\n" } else { "\n" });
    }
    edge(&mut drawing, view, bottom);
    drawing
}

/// Draws the edge beside a rank: Red's files 九 to 一 beside rank 0 and Black's 1 to 9 beside rank 9; letters only
/// at the lower edge.
fn edge(drawing: &mut String, view: View, rank: u8) {
    const RED: [char; 9] = ['九', '八', '七', '六', '五', '四', '三', '二', '一'];
    let is_wide = view.style == BoardStyle::Hanzi;
    let is_lower = (rank == 0) != view.is_flipped;
    if !view.is_numbered && !is_lower {
        return;
    }
    drawing.push_str("  ");
    for column in 0..9 {
        let file = if view.is_flipped { 8 - column } else { column };
        let (sign, is_narrow) = match (view.is_numbered, rank == 0) {
            (true, true) => (RED[usize::from(file)], false),
            (true, false) if is_wide => (wide('１', file), true),
            (true, false) => (char::from(b'1' + file), true),
            (false, _) if is_wide => (wide('ａ', file), true),
            (false, _) => (char::from(b'a' + file), true),
        };
        // A Chinese number takes two columns, those of a letter and the blank before it.
        drawing.push_str(if is_narrow || is_wide { " " } else { "" });
        drawing.push(sign);
    }
    drawing.push('\n');
}

/// The sign of full width of a file, where that of file 0 is `base`.
fn wide(base: char, file: u8) -> char {
    // The full-width digits and letters are in the order of ASCII.
    char::from_u32(u32::from(base) + u32::from(file)).unwrap_or('?')
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

impl Drawn for Board {
    const HAS_VIEWS: bool = false;

    fn draw(&self, view: View, last: Option<Point>) -> String {
        let style = match view.style {
            BoardStyle::Ascii => DiagramStyle::Ascii,
            BoardStyle::Unicode | BoardStyle::Hanzi => DiagramStyle::Unicode,
        };
        let drawing = self.diagram(style, last);
        // The last line has letters, which may be those of the stones.
        let end = drawing.trim_end().rfind('\n').unwrap_or(drawing.len());
        let (stones, letters) = drawing.split_at(end);
        let mut painted = String::new();
        let mut is_last = false;
        for sign in stones.chars() {
            let side = match sign {
                'x' | '●' => Some(Side::First),
                'o' | '○' => Some(Side::Second),
                _ => None,
            };
            view.paint(&mut painted, sign, side, is_last);
            // The diagram has an opening parenthesis before the point of the last move, and nowhere else.
            is_last = sign == '(';
        }
        painted + letters
    }
}
