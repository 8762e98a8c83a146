//! Pictures of boards: how they are drawn, and the files they are written to.

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::ValueEnum;

use crate::cli::args::game_input::STANDARD;
use crate::cli::{CliError, Context, OrExit, exit};
use crate::language::text;
use juzhong::bytes::atomic::AtomicFile;
use juzhong::bytes::lock::FileLock;
use juzhong::picture::{
    BoardLook, Coordinates, MAX_WIDTH, MIN_WIDTH, Mark, PictureError, Pictured, PieceSet, Scene,
    draw_board, png, svg_file,
};
use juzhong::xiangqi::notation::MoveNotation;

/// Pixels of an SVG, and of a PNG, as the page in the browser makes them.
const SVG_WIDTH: u32 = 720;
const PNG_WIDTH: u32 = 1080;

/// The characters on pieces.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Pieces {
    /// Traditional characters.
    Traditional,
    /// Simplified characters.
    Simplified,
    /// Letters as in FENs.
    Letters,
}

/// The names of lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Edges {
    /// Letters and numbers, as in h2e2.
    Letters,
    /// Numbers of files, as in 炮二平五.
    Files,
    /// None.
    None,
}

/// The way in which boards are drawn.
#[derive(Debug, Clone, Copy, Default, clap::Args)]
pub(crate) struct LookArgs {
    /// Draw boards from the second side.
    #[arg(long, help_heading = "Pictures")]
    flip: bool,
    /// Characters on the pieces of xiangqi [default: traditional].
    #[arg(long, value_enum, value_name = "SET", help_heading = "Pictures")]
    pieces: Option<Pieces>,
    /// Names of lines at the edges [default: letters, with moves in Chinese files].
    #[arg(long, value_enum, value_name = "KIND", help_heading = "Pictures")]
    coordinates: Option<Edges>,
    /// Gomoku: draw the numbers of the moves on the stones.
    #[arg(long, help_heading = "Pictures")]
    numbers: bool,
}

impl LookArgs {
    /// The look of boards with moves in that notation beside them.
    pub(crate) fn look(self, notation: MoveNotation) -> BoardLook {
        let pieces = match self.pieces {
            None | Some(Pieces::Traditional) => PieceSet::Traditional,
            Some(Pieces::Simplified) => PieceSet::Simplified,
            Some(Pieces::Letters) => PieceSet::Letters,
        };
        let coordinates = match self.coordinates {
            None if notation == MoveNotation::Chinese => Coordinates::Files,
            None | Some(Edges::Letters) => Coordinates::Letters,
            Some(Edges::Files) => Coordinates::Files,
            Some(Edges::None) => Coordinates::None,
        };
        BoardLook { is_flipped: self.flip, pieces, coordinates, is_numbered: self.numbers }
    }
}

/// The files of the picture of a position.
#[derive(Debug, Clone, Default, clap::Args)]
pub(crate) struct PictureArgs {
    /// Write the position as a picture in SVG; - is standard output, in place of the text.
    #[arg(long, value_name = "FILE", help_heading = "Pictures")]
    svg: Option<PathBuf>,
    /// Write the position as a picture in PNG; - is standard output, in place of the text.
    #[arg(long, value_name = "FILE", help_heading = "Pictures")]
    png: Option<PathBuf>,
    /// Width of the pictures in pixels [default: 720, of PNG 1080].
    #[arg(long, value_name = "PIXELS", help_heading = "Pictures", value_parser = clap::value_parser!(u32).range(i64::from(MIN_WIDTH)..=i64::from(MAX_WIDTH)))]
    width: Option<u32>,
    /// Ring around a point (e4) or arrow (h2e2), after a letter for its colour perhaps: G (green), R (red), B (blue) or
    /// Y (yellow), as in Re4.
    #[arg(long, value_name = "MARK", num_args = 1.., help_heading = "Pictures")]
    mark: Vec<String>,
    #[command(flatten)]
    look: LookArgs,
}

impl PictureArgs {
    /// Returns true if standard output is for a picture.
    pub(crate) fn is_standard(&self) -> bool {
        let files = [&self.svg, &self.png];
        files.into_iter().flatten().any(|path| path == Path::new(STANDARD))
    }

    /// Returns true if a picture is to be written.
    pub(crate) const fn is_given(&self) -> bool {
        self.svg.is_some() || self.png.is_some()
    }

    /// Writes the pictures of a position, to which these moves led.
    pub(crate) fn write<G: Pictured>(
        &self,
        (position, moves): (&G, &[G::Move]),
        notation: MoveNotation,
        context: &mut Context<'_>,
    ) -> Result<(), CliError> {
        if self.is_standard() && (context.common.json || self.svg == self.png) {
            let message = "standard output takes one answer; name a file for the others";
            return Err(CliError::message(exit::USAGE, message));
        }
        let marks = self.mark.iter().map(|text| Mark::read::<G>(text));
        let marks = marks
            .collect::<Result<Vec<_>, _>>()
            .map_err(|error| CliError::new(exit::USAGE, error).within("--mark"))?;
        let scene = Scene { position, moves, marks: &marks, look: self.look.look(notation) };
        let drawing = draw_board(&scene);
        if let Some(path) = &self.svg {
            let title = text!("Position {}", position.to_fen());
            let svg = svg_file(&drawing, self.width.unwrap_or(SVG_WIDTH), &title);
            write_whole(path, svg.as_bytes(), context.out)?;
        }
        if let Some(path) = &self.png {
            let png = png(&drawing, self.width.unwrap_or(PNG_WIDTH)).map_err(refused)?;
            write_whole(path, &png, context.out)?;
        }
        Ok(())
    }
}

/// The exit code of a picture that is not made.
pub(crate) fn refused(error: PictureError) -> CliError {
    let code = match error {
        PictureError::Io(_) => exit::IO,
        _ => exit::USAGE,
    };
    CliError::new(code, error)
}

/// Writes a file that appears whole or not at all, in place of one that is there; or to standard output.
pub(crate) fn write_whole(path: &Path, bytes: &[u8], out: &mut dyn Write) -> Result<(), CliError> {
    if path == Path::new(STANDARD) {
        return Ok(out.write_all(bytes)?);
    }
    let _lock = FileLock::take_for_file(path)?;
    let mut file = AtomicFile::create(path).or_exit_at(exit::CANNOT_CREATE, path)?;
    file.write_all(bytes).or_exit_at(exit::IO, path)?;
    file.commit().or_exit_at(exit::CANNOT_CREATE, path)
}
