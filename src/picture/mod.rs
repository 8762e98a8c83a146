//! Pictures of positions and games: drawings of boards as SVG and PNG, games as GIF and as pages for reading.
//!
//! A [`Drawing`] is a list of shapes, which is [written as SVG](svg_file) or [painted](png()). Boards look as those of the
//! page in the browser: the outlines of its pieces are read from its glyphs, those of coordinates from a file beside this
//! one, so that no picture needs a font.

mod board;
mod drawing;
mod game_page;
mod gif;
mod glyphs;
mod gomoku;
mod html;
mod outline;
mod palette;
mod plot;
mod points;
mod presentation;
mod raster;
mod svg;
mod target;
#[cfg(test)]
mod tests;
mod theme;
mod xiangqi;

pub use board::{BoardLook, Coordinates, Pictured, PieceSet, Scene, draw_board};
pub use drawing::{Colour, Drawing};
pub use game_page::{MAX_DIAGRAMS, Reader, game_page};
pub use gif::{Film, MAX_FILM_PLIES, MAX_FILM_WIDTH, write_gif};
pub use html::HtmlPage;
pub use plot::{Plot, PlotKind, Series};
pub use points::{Grid, Mark, MarkColour, Spot, UnknownMark};
pub use presentation::{Presentation, PresentationOptions};
pub use raster::{MAX_WIDTH, MIN_WIDTH, PictureError, png};
pub use svg::svg_file;
pub use target::{Target, UnknownTarget};
