//! The abilities that the terminal needs of a game beside the rules: drawing, typed moves, names.

use std::error::Error;
use std::fmt::{self, Display};
use std::io;
use std::str::FromStr;

use clap::ValueEnum;
use serde_json::Value;

use super::line_args::{BoardArgs, NotationArgs};
use super::play::commands;
use super::verdict_explanation::VerdictExplanation;
use super::{CliError, OrExit, evaluation, exit, point_values, tell};
use crate::cli::language::{self, Language, text};
use juzhong::book::Evaluator;
use juzhong::book::opening::Named;
use juzhong::game::{Adjudicate, Game, Line, MoveList, Notation, Outcome, Side};
use juzhong::gomoku::{Board, BoardError, DiagramStyle, Point, Variant};
use juzhong::protocol::client::{
    ClientEvaluator, EngineCommand, GoLimits, Timeouts, spawn_evaluators,
};
use juzhong::record::{Formats, TypedLine};
use juzhong::search::eval::xiangqi::explain;
use juzhong::tablebase::{Material, Pattern};
use juzhong::xiangqi::notation::{MoveNotation, format_move, parse_move};
use juzhong::xiangqi::{Move, Piece, Position, Role, RuleSet, Setup, Square};

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
    pub(crate) fn usual<G: Terminal>() -> Self {
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
    pub(crate) fn view<G: Terminal>(self, notation: NotationArgs) -> View {
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
    pub(crate) fn draw<G: Terminal>(
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
    pub(crate) fn usual<G: Terminal>(notation: MoveNotation) -> Self {
        let style = BoardStyle::usual::<G>();
        Self { style, ..Self::default() }.beside::<G>(notation)
    }

    /// The same with numbers at the edges, if moves are written with such beside it.
    fn beside<G: Terminal>(self, notation: MoveNotation) -> Self {
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
        let is_plain = !self.is_coloured || colour.is_empty() && !is_last;
        if !is_plain {
            drawing.push_str(colour);
            drawing.push_str(if is_last { "\u{1b}[7m" } else { "" });
        }
        drawing.push(sign);
        drawing.push_str(if is_plain { "" } else { "\u{1b}[0m" });
    }
}

/// The start of a game.
#[derive(Debug, Clone)]
pub(crate) struct Start<G> {
    pub(crate) position: G,
    /// Plies since the last irreversible move.
    pub(crate) clock: u32,
    /// Number of the move pair.
    pub(crate) fullmoves: u32,
}

/// The reason why a text gives no position to work with.
#[derive(Debug, Clone)]
pub(crate) enum Refusal {
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
            Self::Illegal { reasons, .. } => {
                let reasons = language::message(&reasons.join("; "));
                write!(f, "{}", text!("illegal position: {reasons}"))
            }
        }
    }
}

impl Error for Refusal {}

/// A game that can be shown and played in the terminal.
pub(crate) trait Terminal:
    Formats + Named + Adjudicate<Rules: FromStr<Err: Display>>
{
    /// Reads a position with its counters.
    fn read_start(text: &str) -> Result<Start<Self>, Refusal>;

    /// The text of a position on another board than the usual one: the start, or `fen` where it leaves the rules out.
    fn with_board(fen: Option<&str>, board: &BoardArgs) -> Result<String, String> {
        let _ = (fen, board);
        Err(format!(
            "{} has one board and one set of rules; leave --variant and --size out",
            Self::NAME
        ))
    }

    /// The start of another game on the same board, if that is not the usual start.
    fn other_start(&self) -> Option<Start<Self>> {
        None
    }

    /// What may be typed to place pieces.
    const SETUP: &'static str;

    /// The points where a move is forbidden by the rules though it is free, each with the reason.
    fn forbidden_points(&self) -> Vec<(Self::Move, &'static str)> {
        Vec::new()
    }

    /// The last position's text with counters, for a line from a start with that move number.
    fn line_text(line: &Line<Self>, fullmoves: u32) -> String;

    /// Draws the position with the last move marked; ends with a line break.
    fn draw(&self, view: View, last: Option<Self::Move>) -> String;

    /// True if the board has two sides that it can be seen from.
    const HAS_VIEWS: bool;

    /// The placement in `text`, a position legal or not, after changes as they are typed: `e0=K`, `a9=`, `clear`,
    /// the name of a side.
    fn rearranged(text: &str, changes: &[&str]) -> Result<String, String> {
        let _ = (text, changes);
        Err(Self::SETUP.to_owned())
    }

    /// Returns true if the pieces on the board are of a set of endgame tables; `None` where the game has no such
    /// sets.
    fn is_of_material(&self, pattern: &Pattern) -> Option<bool> {
        let _ = pattern;
        None
    }

    /// Foreign engines that score positions: so many processes of one.
    fn foreign_evaluators(
        command: &EngineCommand,
        options: &[(String, String)],
        limits: GoLimits,
        timeouts: Timeouts,
        count: usize,
    ) -> Result<Vec<Box<dyn Evaluator<Self>>>, CliError> {
        let _ = (options, limits, timeouts, count);
        let message = format!(
            "{}: no engines of other programs score gomoku; leave --engine out",
            command.program
        );
        Err(CliError::message(exit::USAGE, message))
    }

    /// The commands of `play`, for people.
    const PLAY_HELP: &'static str;

    /// Says that a side forces a win in `time`.
    fn sure_win(time: &str) -> String {
        text!("mates in {}", time)
    }

    /// Says that a side cannot avoid losing in `time`.
    fn sure_loss(time: &str) -> String {
        text!("is mated in {}", time)
    }

    /// Takes typed moves apart.
    fn typed(moves: &str) -> TypedLine {
        TypedLine::read(moves)
    }

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

    /// The evaluation taken apart, for programs.
    fn evaluation_json(&self) -> Value;

    /// The same for people.
    fn show_evaluation(&self, out: &mut dyn io::Write) -> io::Result<()>;

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
pub(crate) fn legal_moves<G: Notation>(position: &G) -> Vec<G::Move> {
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
            drawing: draw_setup(&setup, View::usual::<Self>(NotationArgs::default().shown()), None),
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

    fn draw(&self, view: View, last: Option<Move>) -> String {
        draw_setup(&self.to_setup(), view, last)
    }

    const HAS_VIEWS: bool = true;

    const PLAY_HELP: &'static str = commands::XIANGQI_HELP;

    const SETUP: &'static str = "write setup e0=K a9=r e3= red, setup clear, or setup FEN";

    fn rearranged(text: &str, changes: &[&str]) -> Result<String, String> {
        let mut setup = Setup::from_fen(text).map_err(|error| error.to_string())?;
        for &change in changes {
            rearrange(&mut setup, change)?;
        }
        // A placement by hand has no past.
        (setup.halfmove_clock, setup.fullmoves) = (0, 1);
        Ok(setup.to_fen())
    }

    fn is_of_material(&self, pattern: &Pattern) -> Option<bool> {
        Some(pattern.materials().contains(&Material::of(self).0))
    }

    fn foreign_evaluators(
        command: &EngineCommand,
        options: &[(String, String)],
        limits: GoLimits,
        timeouts: Timeouts,
        count: usize,
    ) -> Result<Vec<Box<dyn Evaluator<Self>>>, CliError> {
        let mut engines = spawn_evaluators(command, options, limits, timeouts, count)
            .or_exit(exit::UNAVAILABLE)?;
        // All of them say the same.
        for warning in engines.first_mut().map(ClientEvaluator::take_warnings).unwrap_or_default() {
            tell(format_args!("juzhong: {}: {warning}", command.program));
        }
        Ok(engines.into_iter().map(|engine| Box::new(engine) as _).collect())
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

    fn evaluation_json(&self) -> Value {
        evaluation::to_json(&explain(self))
    }

    fn show_evaluation(&self, out: &mut dyn io::Write) -> io::Result<()> {
        evaluation::show(&explain(self), out)
    }

    fn explain_verdict(
        line: &Line<Self>,
        rules: RuleSet,
        notation: NotationArgs,
    ) -> VerdictExplanation {
        VerdictExplanation::of(line, rules, notation)
    }
}

/// Makes one change to a placement.
fn rearrange(setup: &mut Setup, change: &str) -> Result<(), String> {
    let unknown = || format!("\"{change}\": write e0=K, e0= for none, clear, start, red or black");
    match change.to_ascii_lowercase().as_str() {
        "clear" => *setup = Setup { turn: setup.turn, ..Setup::empty() },
        "start" => *setup = Position::start().to_setup(),
        "red" => setup.turn = Side::First,
        "black" => setup.turn = Side::Second,
        _ => {
            let (square, piece) = change.split_once('=').ok_or_else(unknown)?;
            let square = Square::parse(square).ok_or_else(unknown)?;
            let mut letters = piece.chars();
            let piece = match (letters.next(), letters.next()) {
                (None | Some('.'), None) => None,
                (Some(letter), None) => Some(Piece::from_letter(letter).ok_or_else(unknown)?),
                _ => return Err(unknown()),
            };
            setup.board[square.index()] = piece;
        }
    }
    Ok(())
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
        let wide = |base: char| char::from_u32(u32::from(base) + u32::from(file)).unwrap_or('?');
        let (sign, is_narrow) = match (view.is_numbered, rank == 0) {
            (true, true) => (RED[usize::from(file)], false),
            (true, false) if is_wide => (wide('１'), true),
            (true, false) => (char::from(b'1' + file), true),
            (false, _) if is_wide => (wide('ａ'), true),
            (false, _) => (char::from(b'a' + file), true),
        };
        // A Chinese number takes two columns, those of a letter and the blank before it.
        drawing.push_str(if is_narrow || is_wide { " " } else { "" });
        drawing.push(sign);
    }
    drawing.push('\n');
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

    fn with_board(fen: Option<&str>, board: &BoardArgs) -> Result<String, String> {
        let variant = match &board.variant {
            Some(name) => Some(name.parse::<Variant>().map_err(|error| error.to_string())?),
            None => None,
        };
        let fen = fen
            .filter(|text| text.contains('/'))
            .map(|text| text.split_once(" moves ").map_or((text, ""), |(fen, moves)| (fen, moves)));
        let Some((fen, moves)) = fen else {
            let (width, height) = board.size.as_deref().map_or(Ok((15, 15)), read_size)?;
            let start = Self::with_variant(width, height, 5, variant.unwrap_or_default());
            return start.map(|board| board.to_fen()).map_err(|error| error.to_string());
        };
        if board.size.is_some() {
            return Err("the position of --fen has its size; leave --size out".to_owned());
        }
        let read = Self::from_fen(fen).map_err(|error| error.to_string())?;
        let fields = read.to_fen();
        let rules = fields.split(' ').take(3).collect::<Vec<_>>().join(" ");
        let moves = if moves.is_empty() { String::new() } else { format!(" moves {moves}") };
        Ok(format!("{rules} {}{moves}", variant.unwrap_or_else(|| read.variant())))
    }

    fn forbidden_points(&self) -> Vec<(Point, &'static str)> {
        let reason = |point| self.forbidden(point).map(|reason| (point, reason.name()));
        self.empty_points().filter_map(reason).collect()
    }

    fn line_text(line: &Line<Self>, _fullmoves: u32) -> String {
        line.position().to_fen()
    }

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
            is_last = sign == '(';
        }
        painted + letters
    }

    const HAS_VIEWS: bool = false;

    const PLAY_HELP: &'static str = commands::GOMOKU_HELP;

    fn sure_win(time: &str) -> String {
        text!("wins in {}", time)
    }

    fn sure_loss(time: &str) -> String {
        text!("loses in {}", time)
    }

    const SETUP: &'static str = "give the whole position as text: setup FEN";

    fn other_start(&self) -> Option<Start<Self>> {
        let start = Self::with_variant(self.width(), self.height(), self.row(), self.variant());
        let other = start.ok().filter(|start| *start != Self::start());
        other.map(|position| Start { position, clock: 0, fullmoves: 1 })
    }

    /// Moves are `h8`, which may stand together (`h8i9`) or be separated by commas, or `8,8`; their numbers have a full
    /// stop.
    fn typed(moves: &str) -> TypedLine {
        let mut typed = TypedLine::default();
        for word in moves.split_whitespace() {
            let is_number = |text: &str| text.chars().all(|c| c.is_ascii_digit() || c == '.');
            let word = match word.rsplit_once('.') {
                Some((number, rest)) if is_number(number) => rest,
                _ => word,
            };
            if is_result(word) || matches!(word, "startpos" | "position" | "moves") {
                continue;
            }
            if word.contains('/') {
                typed.fen = Some(word.to_owned());
            } else if numbered_point(word).is_some() {
                typed.moves.push(word.to_owned());
            } else {
                let words = word.split(',').filter(|word| !word.is_empty());
                typed.moves.extend(words.flat_map(points_apart));
            }
        }
        typed
    }

    fn read_move(&self, text: &str) -> Result<Self::Move, String> {
        let mv = <Self as Notation>::parse_move(text).or_else(|| numbered_point(text)).ok_or_else(
            || {
                let text: String = text.trim().chars().take(LONGEST_SHOWN).collect();
                format!("\"{text}\" is no point; write h8 or 8,8, say")
            },
        )?;
        if self.is_legal(mv) {
            return Ok(mv);
        }
        Err(match self.forbidden(mv) {
            Some(reason) => format!("{mv} is forbidden to Black: {}", reason.name()),
            None if self.outcome().is_some() => format!("{mv} comes after the end of the game"),
            None if !self.contains(mv) => format!("{mv} is off the board"),
            None => format!("{mv} is taken"),
        })
    }

    fn evaluation_json(&self) -> Value {
        point_values::to_json(self)
    }

    fn show_evaluation(&self, out: &mut dyn io::Write) -> io::Result<()> {
        point_values::show(self, out)
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

/// Characters of a typed word that are shown in messages, at most.
const LONGEST_SHOWN: usize = 24;

/// The parts of a text that begin with the letters after digits: `h8i9` is `h8` and `i9`.
fn points_apart(text: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut after_digit = false;
    for c in text.chars() {
        if after_digit && c.is_ascii_alphabetic() {
            parts.push(String::new());
        }
        after_digit = c.is_ascii_digit();
        parts.last_mut().into_iter().for_each(|part| part.push(c));
    }
    parts
}

/// Returns true for the result at the end of a game's moves, as PGN writes it.
fn is_result(word: &str) -> bool {
    matches!(word, "*" | "1-0" | "0-1" | "1/2-1/2")
}

/// A point by its column from the left and its row from below, both from 1: `8,8`.
fn numbered_point(text: &str) -> Option<Point> {
    let (column, row) = text.split_once(',')?;
    let number = |text: &str| text.trim().parse::<u8>().ok()?.checked_sub(1);
    Point::new(number(column)?, number(row)?)
}

/// Width and height of a board: `15`, `20x18`.
pub(crate) fn read_size(text: &str) -> Result<(u8, u8), String> {
    let (width, height) = text.split_once(['x', 'X']).unwrap_or((text, text));
    match (width.parse(), height.parse()) {
        (Ok(width), Ok(height)) => Ok((width, height)),
        _ => Err(format!("\"{text}\" is no size of a board; write 15 or 20x18, say")),
    }
}
