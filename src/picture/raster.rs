//! Drawings painted: pixels, and PNG.

use tiny_skia::{
    Color, FillRule, GradientStop, LineCap, LineJoin, Paint, Path, PathBuilder, Pixmap, Point,
    RadialGradient, Rect, Shader, SpreadMode, Stroke, Transform,
};

use crate::picture::drawing::{Colour, Drawing, Figure, Fill, Shape};
use crate::picture::outline::{Segment, segments};
use crate::picture::theme;

/// The widest picture in pixels.
pub const MAX_WIDTH: u32 = 4096;

/// The narrowest.
pub const MIN_WIDTH: u32 = 16;

/// A rectangle of pixels: left, top, width and height.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Area {
    pub(crate) left: u32,
    pub(crate) top: u32,
    pub(crate) width: u32,
    pub(crate) height: u32,
}

/// The reason why there is no picture in pixels.
#[derive(Debug, thiserror::Error, crate::message::ToMessage)]
#[non_exhaustive]
pub enum PictureError {
    /// The width is not one of a picture.
    #[error("pictures of this kind are {MIN_WIDTH} to {most} pixels wide")]
    Width {
        /// The widest one.
        most: u32,
    },
    /// A picture of that many plies would be too long.
    #[error("{plies} plies are too many for a moving picture, which has at most {most}")]
    TooLong {
        /// Plies of the game.
        plies: usize,
        /// The most that a picture has.
        most: usize,
    },
    /// The output failed.
    #[error("cannot write")]
    Io(#[from] std::io::Error),
}

/// A drawing as PNG of that width.
///
/// # Errors
///
/// [`PictureError::Width`].
pub fn png(drawing: &Drawing, width: u32) -> Result<Vec<u8>, PictureError> {
    let [width, height] = checked_size(drawing, width)?;
    let colours = painted(drawing, width, Area { left: 0, top: 0, width, height });
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, width, height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    let written = encoder.write_header().and_then(|mut writer| {
        writer.write_image_data(colours.as_flattened())?;
        writer.finish()
    });
    written.map_err(|error| PictureError::Io(std::io::Error::other(error)))?;
    Ok(bytes)
}

/// Width and height of a picture.
pub(crate) fn checked_size(drawing: &Drawing, width: u32) -> Result<[u32; 2], PictureError> {
    if !(MIN_WIDTH..=MAX_WIDTH).contains(&width) {
        return Err(PictureError::Width { most: MAX_WIDTH });
    }
    Ok(drawing.pixels(width))
}

/// The colours of a part of a picture that is `width` pixels wide in all, on white.
pub(crate) fn painted(drawing: &Drawing, width: u32, area: Area) -> Vec<Colour> {
    let Some(mut pixels) = Pixmap::new(area.width, area.height) else { return Vec::new() };
    pixels.fill(Color::WHITE);
    let scale = width as f32 / drawing.size[0];
    let whole =
        Transform::from_scale(scale, scale).post_translate(-(area.left as f32), -(area.top as f32));
    for (shape, [x, y]) in drawing.shapes() {
        let [left, top] = shape.at;
        let own = Transform::from_row(shape.scale, 0.0, 0.0, shape.scale, left + x, top + y);
        // Its own scale and place come first, then those of the picture.
        paint(&mut pixels, shape, whole.pre_concat(own));
    }
    // The ground has no transparency, so that colours multiplied by their opacity are the colours.
    let colours = pixels.pixels().iter();
    colours.map(|pixel| [pixel.red(), pixel.green(), pixel.blue()]).collect()
}

fn paint(pixels: &mut Pixmap, shape: &Shape, transform: Transform) {
    let Some(path) = path_of(&shape.figure) else { return };
    if let Some(fill) = shape.fill {
        let paint = Paint { shader: shader(fill, shape.opacity), ..Paint::default() };
        pixels.fill_path(&path, &paint, FillRule::Winding, transform, None);
    }
    if let Some(line) = shape.stroke {
        let shader = shader(Fill::Flat(line.colour), shape.opacity);
        let mut stroke = Stroke { width: line.width, ..Stroke::default() };
        if line.is_round {
            stroke.line_cap = LineCap::Round;
            stroke.line_join = LineJoin::Round;
        }
        let paint = Paint { shader, ..Paint::default() };
        pixels.stroke_path(&path, &paint, &stroke, transform, None);
    }
}

fn path_of(figure: &Figure) -> Option<Path> {
    let data = match figure {
        Figure::Path(data) => data,
        Figure::Circle { centre: [x, y], radius } => {
            return PathBuilder::from_circle(*x, *y, *radius);
        }
        Figure::Rectangle { size: [width, height] } => {
            return Rect::from_xywh(0.0, 0.0, *width, *height).map(PathBuilder::from_rect);
        }
    };
    let mut path = PathBuilder::new();
    for segment in segments(data)? {
        match segment {
            Segment::Move([x, y]) => path.move_to(x, y),
            Segment::Line([x, y]) => path.line_to(x, y),
            Segment::Cubic([[x1, y1], [x2, y2], [x, y]]) => path.cubic_to(x1, y1, x2, y2, x, y),
            Segment::Close => path.close(),
        }
    }
    path.finish()
}

fn shader(fill: Fill, opacity: f32) -> Shader<'static> {
    match fill {
        Fill::Flat(flat) => Shader::SolidColor(color(flat, opacity)),
        Fill::Face => {
            let stops = theme::FACE.map(|(at, stop)| GradientStop::new(at, color(stop, opacity)));
            let [x, y] = theme::LIGHT_AT;
            let middle = Point::from_xy(x, y);
            let gradient = RadialGradient::new(
                middle,
                0.0,
                middle,
                theme::LIGHT_RADIUS,
                stops.to_vec(),
                SpreadMode::Pad,
                Transform::identity(),
            );
            gradient.unwrap_or_else(|| Shader::SolidColor(color(theme::FACE[1].1, opacity)))
        }
    }
}

/// A colour as the painter has it.
fn color([red, green, blue]: Colour, opacity: f32) -> Color {
    Color::from_rgba8(red, green, blue, (opacity * 255.0).round() as u8)
}
