//! Boards of any game as drawings.

use crate::game::Game;
use crate::picture::drawing::{Drawing, Shape};
use crate::picture::points::{Grid, MOST_MARKS, Mark, Spot, add_mark, add_wood};
use crate::record::Formats;
use crate::xiangqi::notation::MoveNotation;

/// The characters on the pieces.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum PieceSet {
    /// Traditional characters.
    #[default]
    Traditional,
    /// Simplified characters.
    Simplified,
    /// The letters of FENs.
    Letters,
}

/// The names of lines at the edges of boards that have a choice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Coordinates {
    /// Letters and numbers, as in `h2e2`.
    #[default]
    Letters,
    /// Numbers of files on either side, as in `炮二平五`.
    Files,
    /// None.
    None,
}

/// The way in which boards are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct BoardLook {
    /// The second side sits below.
    pub is_flipped: bool,
    /// The characters on the pieces of xiangqi.
    pub pieces: PieceSet,
    /// The names of lines.
    pub coordinates: Coordinates,
    /// Stones of gomoku have the numbers of their moves.
    pub is_numbered: bool,
}

/// A position, the moves that led to it, and what is drawn on it.
#[derive(Debug, Clone, Copy)]
pub struct Scene<'a, G: Game> {
    /// The position.
    pub position: &'a G,
    /// The moves to it, as far as they are known; the last one is marked.
    pub moves: &'a [G::Move],
    /// Arrows and rings.
    pub marks: &'a [Mark],
    /// The way in which it is drawn.
    pub look: BoardLook,
}

/// A game whose positions are drawn.
pub trait Pictured: Formats {
    /// Moves with one number: a pair, or each has its own.
    const MOVES_A_NUMBER: usize;

    /// Columns and rows of the board.
    fn extent(&self) -> [u8; 2];

    /// The points of a move, the one where it begins first.
    fn spots_of(mv: Self::Move) -> Vec<Spot>;

    /// A legal move as text.
    fn text_of(&self, mv: Self::Move, notation: MoveNotation) -> String;

    /// Draws what is on the wood below the pieces.
    fn draw_ground(drawing: &mut Drawing, grid: Grid, look: BoardLook);

    /// Draws the marks of the last move and the pieces.
    fn draw_pieces(drawing: &mut Drawing, grid: Grid, scene: &Scene<'_, Self>);

    /// Draws the names of lines.
    fn draw_labels(drawing: &mut Drawing, grid: Grid, look: BoardLook);
}

/// The drawing of a position.
///
/// ```
/// use juzhong::game::Notation;
/// use juzhong::picture::{BoardLook, Scene, draw_board, png, svg_file};
/// use juzhong::xiangqi::Position;
///
/// let position = Position::start();
/// let scene =
///     Scene { position: &position, moves: &[], marks: &[], look: BoardLook::default() };
/// let drawing = draw_board(&scene);
/// assert!(svg_file(&drawing, 720, "the start").contains("<svg"));
/// assert!(png(&drawing, 540)?.starts_with(b"\x89PNG"));
/// # Ok::<(), juzhong::picture::PictureError>(())
/// ```
#[must_use]
pub fn draw_board<G: Pictured>(scene: &Scene<'_, G>) -> Drawing {
    let grid = grid_of(scene.position, scene.look);
    let mut drawing = Drawing::new(grid.size());
    let name = format!(
        "board-{}-{}x{}-{}",
        G::NAME,
        grid.columns,
        grid.rows,
        usize::from(grid.is_flipped)
    );
    drawing.add_symbol(&name, [0.0; 2], || ground_of::<G>(grid, scene.look));
    G::draw_pieces(&mut drawing, grid, scene);
    for &mark in scene.marks.iter().take(MOST_MARKS) {
        add_mark(&mut drawing, grid, mark);
    }
    drawing
}

/// The board without pieces.
fn ground_of<G: Pictured>(grid: Grid, look: BoardLook) -> Vec<Shape> {
    let mut drawing = Drawing::new(grid.size());
    add_wood(&mut drawing);
    G::draw_ground(&mut drawing, grid, look);
    G::draw_labels(&mut drawing, grid, look);
    drawing.shapes().map(|(shape, _)| shape.clone()).collect()
}

/// The points of a position's board.
pub(crate) fn grid_of<G: Pictured>(position: &G, look: BoardLook) -> Grid {
    let [columns, rows] = position.extent();
    Grid { columns, rows, is_flipped: look.is_flipped }
}
