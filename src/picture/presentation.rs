//! Formats in which games are shown but not read: a picture that moves, a page for reading.

use std::io::Write;

use crate::picture::board::{BoardLook, Pictured};
use crate::picture::game_page::{Reader, game_page};
use crate::picture::gif::{Film, write_gif};
use crate::picture::raster::PictureError;
use crate::record::{Dropped, Record};

/// A format in which a game is shown. Each file holds one game.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Presentation {
    /// An animated GIF of the game itself, without variations and comments.
    Gif,
    /// A page of HTML.
    Html,
}

/// The way in which games are shown.
#[derive(Debug, Clone, Copy)]
pub struct PresentationOptions<'a> {
    /// The way in which boards are drawn.
    pub look: BoardLook,
    /// Width of a picture in pixels.
    pub width: u32,
    /// The language of the page.
    pub reader: Reader<'a>,
}

impl Presentation {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Gif, Self::Html];

    /// The name on the command line, and the ending of files.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Gif => "gif",
            Self::Html => "html",
        }
    }

    /// The one of that name, whatever the case.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|presentation| presentation.name().eq_ignore_ascii_case(name))
    }

    /// Writes a game; returns what is left out.
    ///
    /// # Errors
    ///
    /// [`PictureError`].
    pub fn write<G: Pictured>(
        self,
        out: &mut dyn Write,
        record: &Record<G>,
        options: &PresentationOptions<'_>,
    ) -> Result<Dropped, PictureError> {
        let PresentationOptions { look, width, reader } = *options;
        match self {
            Self::Gif => {
                let start = record.start.clone().unwrap_or_else(G::start);
                let moves = &record.tree.moves;
                write_gif(out, &Film { start: &start, moves, look, width })?;
                Ok(Dropped::tree_of(record))
            }
            Self::Html => {
                out.write_all(game_page(record, look, reader).as_bytes())?;
                Ok(Dropped::default())
            }
        }
    }
}
