//! Games as pictures that move, in GIF.

use std::borrow::Cow;
use std::io::Write;

use gif::{DisposalMethod, Encoder, Frame, Repeat};

use crate::picture::board::{BoardLook, Pictured, Scene, draw_board, grid_of};
use crate::picture::drawing::{Colour, Drawing};
use crate::picture::palette::Palette;
use crate::picture::points::Grid;
use crate::picture::raster::{Area, PictureError, checked_size, painted};

/// The most plies of a picture that moves.
pub const MAX_FILM_PLIES: usize = 3000;

/// The widest one, in pixels.
pub const MAX_FILM_WIDTH: u32 = 1200;

/// The time of a ply, and of the last one before the picture begins again, in hundredths of a second.
const PLY_TIME: u16 = 120;
const LAST_TIME: u16 = 400;

/// The reach of what is drawn around a point, in units of the drawing.
const REACH: f32 = 58.0;

/// A line of moves that is shown one after the other.
#[derive(Debug, Clone, Copy)]
pub struct Film<'a, G: Pictured> {
    /// The position at the start.
    pub start: &'a G,
    /// The legal moves from there.
    pub moves: &'a [G::Move],
    /// The way in which boards are drawn.
    pub look: BoardLook,
    /// Width in pixels.
    pub width: u32,
}

/// Writes a line of moves as an animated GIF: a frame for the start and one for each ply. A frame has only the part of the
/// board that changes.
///
/// # Errors
///
/// [`PictureError`].
pub fn write_gif<G: Pictured>(out: &mut dyn Write, film: &Film<'_, G>) -> Result<(), PictureError> {
    if film.moves.len() > MAX_FILM_PLIES {
        let (plies, most) = (film.moves.len(), MAX_FILM_PLIES);
        return Err(PictureError::TooLong { plies, most });
    }
    if film.width > MAX_FILM_WIDTH {
        return Err(PictureError::Width { most: MAX_FILM_WIDTH });
    }
    let first = film.drawing(film.start, 0);
    let [width, height] = checked_size(&first, film.width)?;
    let whole = Area { left: 0, top: 0, width, height };
    let mut palette = Palette::of(&film.samples(whole));
    let mut canvas = Canvas { width, indices: palette.indices(&painted(&first, width, whole)) };
    let mut encoder =
        Encoder::new(&mut *out, side(width), side(height), palette.bytes()).map_err(failed)?;
    encoder.set_repeat(Repeat::Infinite).map_err(failed)?;
    let start = film.frame(whole, Cow::Borrowed(&canvas.indices), 0);
    encoder.write_frame(&start).map_err(failed)?;
    let mut position = film.start.clone();
    for (ply, &mv) in film.moves.iter().enumerate().map(|(index, mv)| (index + 1, mv)) {
        position.make(mv);
        let area = film.changed(ply, [width, height]);
        let colours = painted(&film.drawing(&position, ply), width, area);
        let changed = canvas.update(area, &palette.indices(&colours));
        encoder.write_frame(&film.frame(area, Cow::Owned(changed), ply)).map_err(failed)?;
    }
    Ok(())
}

fn failed(error: gif::EncodingError) -> PictureError {
    match error {
        gif::EncodingError::Io(error) => PictureError::Io(error),
        other => PictureError::Io(std::io::Error::other(other)),
    }
}

/// A length of at most [`MAX_FILM_WIDTH`] pixels, or of a board's height with that width.
fn side(pixels: u32) -> u16 {
    u16::try_from(pixels).unwrap_or(u16::MAX)
}

impl<G: Pictured> Film<'_, G> {
    fn drawing(&self, position: &G, ply: usize) -> Drawing {
        let moves = &self.moves[..ply];
        draw_board(&Scene { position, moves, marks: &[], look: self.look })
    }

    /// The pictures at the start, after the first ply, in the middle and at the end: they have the colours of all.
    fn samples(&self, whole: Area) -> Vec<Vec<Colour>> {
        let plies = self.moves.len();
        let mut samples = Vec::new();
        let mut position = self.start.clone();
        for ply in 0..=plies {
            if [0, 1, plies / 2, plies].contains(&ply) {
                samples.push(painted(&self.drawing(&position, ply), self.width, whole));
            }
            if let Some(&mv) = self.moves.get(ply) {
                position.make(mv);
            }
        }
        samples
    }

    /// The part of the picture that a ply changes: the points of its move, and those of the move before, which is no longer
    /// the last one.
    fn changed(&self, ply: usize, [width, height]: [u32; 2]) -> Area {
        let grid: Grid = grid_of(self.start, self.look);
        let scale = width as f32 / grid.size()[0];
        let moves = &self.moves[ply.saturating_sub(2)..ply];
        let places = moves.iter().flat_map(|&mv| G::spots_of(mv)).map(|spot| grid.place(spot));
        let mut low = [f32::MAX; 2];
        let mut high = [0.0_f32; 2];
        for place in places {
            for axis in 0..2 {
                low[axis] = low[axis].min(place[axis] - REACH);
                high[axis] = high[axis].max(place[axis] + REACH);
            }
        }
        let [left, top] = low.map(|at| (at * scale).floor().max(0.0) as u32);
        // At least a pixel: GIF has no empty frames. Points lie within the picture, so `left` does, too.
        let right = ((high[0] * scale).ceil() as u32).clamp(left + 1, width);
        let bottom = ((high[1] * scale).ceil() as u32).clamp(top + 1, height);
        Area { left, top, width: right - left, height: bottom - top }
    }

    fn frame<'b>(&self, area: Area, buffer: Cow<'b, [u8]>, ply: usize) -> Frame<'b> {
        Frame {
            delay: if ply == self.moves.len() { LAST_TIME } else { PLY_TIME },
            dispose: DisposalMethod::Keep,
            transparent: Some(Palette::UNCHANGED),
            left: side(area.left),
            top: side(area.top),
            width: side(area.width),
            height: side(area.height),
            buffer,
            ..Frame::default()
        }
    }
}

/// The picture as it stands.
struct Canvas {
    width: u32,
    indices: Vec<u8>,
}

impl Canvas {
    /// Replaces a part; returns it with the pixels that stay left out.
    fn update(&mut self, area: Area, new: &[u8]) -> Vec<u8> {
        let mut changed = Vec::with_capacity(new.len());
        let rows = (area.top as usize..).zip(new.chunks_exact(area.width as usize));
        for (row, new) in rows {
            let begin = row * self.width as usize + area.left as usize;
            let old = &mut self.indices[begin..begin + new.len()];
            changed.extend(new.iter().zip(&*old).map(|(&new, &old)| frame_index(new, old)));
            old.copy_from_slice(new);
        }
        changed
    }
}

/// The index of a pixel in a frame: that of its new colour, or the one that leaves it as it is.
const fn frame_index(new: u8, old: u8) -> u8 {
    if new == old { Palette::UNCHANGED } else { new }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{Game, MoveList, Notation};
    use crate::gomoku::Board;
    use crate::xiangqi::Position;

    /// Left, top, width and height of each frame.
    fn frames(bytes: &[u8]) -> Vec<[u16; 4]> {
        let mut decoder = gif::DecodeOptions::new().read_info(bytes).expect("a GIF");
        let mut frames = Vec::new();
        while let Some(frame) = decoder.read_next_frame().expect("a frame") {
            frames.push([frame.left, frame.top, frame.width, frame.height]);
        }
        frames
    }

    /// Some moves from a position.
    fn moves_of<G: Pictured>(start: &G, plies: usize) -> Vec<G::Move> {
        let mut position = start.clone();
        let mut moves = Vec::new();
        for ply in 0..plies {
            let mut legal = MoveList::new();
            position.legal_moves(&mut legal);
            let Some(&mv) = legal.get(ply * 7 % legal.len().max(1)) else { break };
            position.make(mv);
            moves.push(mv);
        }
        moves
    }

    fn film<G: Pictured>(
        start: &G,
        moves: &[G::Move],
        width: u32,
    ) -> Result<Vec<u8>, PictureError> {
        let mut bytes = Vec::new();
        let look = BoardLook::default();
        write_gif(&mut bytes, &Film { start, moves, look, width }).map(|()| bytes)
    }

    #[test]
    fn there_is_a_frame_for_the_start_and_for_each_ply() {
        let start = Position::start();
        for plies in [0, 1, 30] {
            let moves = moves_of(&start, plies);
            let bytes = film(&start, &moves, 180).expect("a GIF");
            let frames = frames(&bytes);
            assert_eq!(frames.len(), moves.len() + 1);
            assert_eq!(frames[0], [0, 0, 180, 199]);
            assert_eq!(film(&start, &moves, 180).expect("a GIF"), bytes);
        }
        let start = Board::start();
        let moves = moves_of(&start, 9);
        let frames = frames(&film(&start, &moves, 200).expect("a GIF"));
        assert_eq!(frames.len(), 10);
        assert!(frames[1..].iter().all(|&[left, top, width, height]| {
            left + width <= 200 && top + height <= 200 && width < 200
        }));
    }

    #[test]
    fn a_part_of_the_board_is_all_that_changes() {
        let start = Position::start();
        let moves = moves_of(&start, 40);
        let look = BoardLook { is_flipped: true, ..BoardLook::default() };
        let film = Film { start: &start, moves: &moves, look, width: 150 };
        let mut position = start.clone();
        let first = film.drawing(&position, 0);
        let [width, height] = first.pixels(film.width);
        let whole = Area { left: 0, top: 0, width, height };
        let mut before = painted(&first, width, whole);
        for (ply, &mv) in (1..).zip(&moves) {
            position.make(mv);
            let after = painted(&film.drawing(&position, ply), width, whole);
            let area = film.changed(ply, [width, height]);
            for (at, (old, new)) in before.iter().zip(&after).enumerate() {
                let [x, y] = [at as u32 % width, at as u32 / width];
                let is_within = (area.left..area.left + area.width).contains(&x)
                    && (area.top..area.top + area.height).contains(&y);
                assert!(is_within || old == new, "ply {ply}, {x} {y}");
            }
            before = after;
        }
    }

    #[test]
    fn long_games_and_wide_pictures_are_refused() {
        let start = Board::start();
        let moves = vec![moves_of(&start, 1)[0]; MAX_FILM_PLIES + 1];
        assert!(matches!(film(&start, &moves, 100), Err(PictureError::TooLong { .. })));
        let wide = film(&start, &[], MAX_FILM_WIDTH + 1);
        assert!(matches!(wide, Err(PictureError::Width { .. })));
    }
}
