//! Pictures of positions and games: drawings of boards as SVG and PNG.
//!
//! A [`Drawing`] is a list of shapes, which is [written as SVG](svg_file) or [painted](png). Boards look as those of the
//! page in the browser: the outlines of its pieces are read from its glyphs, those of coordinates from a file beside this
//! one, so that no picture needs a font.

mod board;
mod drawing;
mod glyphs;
mod gomoku;
mod outline;
mod points;
mod raster;
mod svg;
mod theme;
mod xiangqi;

pub use board::{BoardLook, Coordinates, Pictured, PieceSet, Scene, draw_board};
pub use drawing::{Colour, Drawing};
pub use points::{Grid, Mark, MarkColour, Spot, UnknownMark};
pub use raster::{MAX_WIDTH, MIN_WIDTH, PictureError, png};
pub use svg::svg_file;
