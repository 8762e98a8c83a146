//! Drawings: shapes in order, which are written as SVG or painted.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::picture::glyphs::{BOX, label};

/// A colour: red, green, blue.
pub type Colour = [u8; 3];

/// The inside of a shape.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fill {
    Flat(Colour),
    /// The face of a piece, lit from above on the left; for circles around the origin.
    Face,
}

/// A line along the outline of a shape.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Stroke {
    pub(crate) colour: Colour,
    pub(crate) width: f32,
    /// Round ends and corners.
    pub(crate) is_round: bool,
}

/// The form of a shape.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Figure {
    /// SVG's path data, as far as [`segments`](crate::picture::outline::segments) reads it.
    Path(Cow<'static, str>),
    Circle {
        centre: [f32; 2],
        radius: f32,
    },
    Rectangle {
        size: [f32; 2],
    },
}

/// A form with its colours, at a place.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Shape {
    pub(crate) figure: Figure,
    pub(crate) fill: Option<Fill>,
    pub(crate) stroke: Option<Stroke>,
    pub(crate) opacity: f32,
    /// The figure is scaled, then moved here.
    pub(crate) at: [f32; 2],
    pub(crate) scale: f32,
    /// The name by which a style sheet finds it.
    pub(crate) class: Option<&'static str>,
}

impl Shape {
    fn new(figure: Figure) -> Self {
        Self {
            figure,
            fill: None,
            stroke: None,
            opacity: 1.0,
            at: [0.0; 2],
            scale: 1.0,
            class: None,
        }
    }

    pub(crate) fn path(data: impl Into<Cow<'static, str>>) -> Self {
        Self::new(Figure::Path(data.into()))
    }

    pub(crate) fn circle(centre: [f32; 2], radius: f32) -> Self {
        Self::new(Figure::Circle { centre, radius })
    }

    pub(crate) fn rectangle(at: [f32; 2], size: [f32; 2]) -> Self {
        Self { at, ..Self::new(Figure::Rectangle { size }) }
    }

    pub(crate) fn filled(self, colour: Colour) -> Self {
        Self { fill: Some(Fill::Flat(colour)), ..self }
    }

    pub(crate) fn with_face(self) -> Self {
        Self { fill: Some(Fill::Face), ..self }
    }

    pub(crate) fn stroked(self, colour: Colour, width: f32) -> Self {
        Self { stroke: Some(Stroke { colour, width, is_round: false }), ..self }
    }

    pub(crate) fn rounded(self) -> Self {
        let stroke = self.stroke.map(|stroke| Stroke { is_round: true, ..stroke });
        Self { stroke, ..self }
    }

    pub(crate) fn opaque(self, opacity: f32) -> Self {
        Self { opacity, ..self }
    }

    /// Scales the figure and moves it.
    pub(crate) fn placed(self, at: [f32; 2], scale: f32) -> Self {
        Self { at, scale, ..self }
    }

    pub(crate) fn named(self, class: &'static str) -> Self {
        Self { class: Some(class), ..self }
    }
}

/// A part of a drawing.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Item {
    Shape(Shape),
    /// A group of shapes that is drawn more than once.
    Symbol {
        name: String,
        at: [f32; 2],
    },
}

/// Groups of shapes by their names, which drawings share.
pub(crate) type Symbols = BTreeMap<String, Vec<Shape>>;

/// Shapes in the order in which they are drawn, in a rectangle that begins at the origin, y downwards.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Drawing {
    /// Width and height in units of the drawing.
    pub(crate) size: [f32; 2],
    pub(crate) symbols: Symbols,
    pub(crate) items: Vec<Item>,
}

impl Drawing {
    pub(crate) fn new(size: [f32; 2]) -> Self {
        Self { size, ..Self::default() }
    }

    /// Width and height in pixels of a picture of that width.
    #[must_use]
    pub fn pixels(&self, width: u32) -> [u32; 2] {
        let [wide, tall] = self.size;
        [width, (width as f32 * tall / wide).round().max(1.0) as u32]
    }

    pub(crate) fn add(&mut self, shape: Shape) {
        self.items.push(Item::Shape(shape));
    }

    /// Draws a group of shapes, which are made at its first use.
    pub(crate) fn add_symbol(
        &mut self,
        name: &str,
        at: [f32; 2],
        shapes: impl FnOnce() -> Vec<Shape>,
    ) {
        // Asked before, so that later uses of a group make neither its name nor its shapes again.
        if !self.symbols.contains_key(name) {
            self.symbols.insert(name.to_owned(), shapes());
        }
        self.items.push(Item::Symbol { name: name.to_owned(), at });
    }

    /// All shapes, each with the place of its group.
    pub(crate) fn shapes(&self) -> impl Iterator<Item = (&Shape, [f32; 2])> {
        let groups = self.items.iter().map(move |item| self.group(item));
        groups.flat_map(|(shapes, at)| shapes.iter().map(move |shape| (shape, at)))
    }

    /// The shapes of a part, and the place of its group.
    fn group<'a>(&'a self, item: &'a Item) -> (&'a [Shape], [f32; 2]) {
        match item {
            Item::Shape(shape) => (std::slice::from_ref(shape), [0.0; 2]),
            Item::Symbol { name, at } => {
                (self.symbols.get(name).map_or(&[][..], Vec::as_slice), *at)
            }
        }
    }
}

/// A text of coordinates with its middle at a place, `size` units tall; characters without an outline are left out.
pub(crate) fn text(text: &str, middle: [f32; 2], size: f32, colour: Colour) -> Vec<Shape> {
    let labels: Vec<_> = text.chars().filter_map(label).collect();
    let scale = size / BOX;
    let width: f32 = labels.iter().map(|label| label.advance * scale).sum();
    let mut x = middle[0] - width / 2.0;
    let shapes = labels.into_iter().map(|label| {
        let advance = label.advance * scale;
        // The outline stands in the middle of a square of `size`, which is mostly wider than the character.
        let left = x + (advance - size) / 2.0;
        x += advance;
        Shape::path(label.path).filled(colour).placed([left, middle[1] - size * 0.516], scale)
    });
    shapes.collect()
}
