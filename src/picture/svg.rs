//! Drawings as SVG: no text, no style sheet, nothing that is loaded.

use std::borrow::Cow;
use std::fmt::Write as _;

use crate::picture::drawing::{Colour, Drawing, Figure, Fill, Item, Shape, Symbols};
use crate::picture::theme;

/// A drawing as a file of its own, with its name for readers of screens.
#[must_use]
pub fn svg_file(drawing: &Drawing, width: u32, title: &str) -> String {
    let [wide, tall] = drawing.pixels(width);
    let size = format!(" width=\"{wide}\" height=\"{tall}\"");
    let head = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
    let definitions = definitions(&drawing.symbols);
    let picture = element(drawing, &size, title, &definitions);
    format!("{head}{picture}\n")
}

/// A drawing within a page that has the [definitions] of its groups.
pub(crate) fn inline(drawing: &Drawing, title: &str) -> String {
    element(drawing, "", title, "")
}

fn element(drawing: &Drawing, attributes: &str, title: &str, definitions: &str) -> String {
    let [wide, tall] = drawing.size.map(number);
    let title = escaped(title);
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {wide} {tall}\"{attributes} role=\"img\"><title>{title}</title>{definitions}"
    );
    for item in &drawing.items {
        match item {
            Item::Shape(shape) => push_shape(&mut text, shape),
            Item::Symbol { name, at: [x, y] } => {
                let [x, y] = [number(*x), number(*y)];
                push(&mut text, format_args!("<use href=\"#{name}\" x=\"{x}\" y=\"{y}\"/>"));
            }
        }
    }
    text + "</svg>"
}

/// Groups of shapes by their names, and the light on the faces of pieces.
pub(crate) fn definitions(symbols: &Symbols) -> String {
    if symbols.is_empty() {
        return String::new();
    }
    let mut text = "<defs>".to_owned();
    let [x, y] = theme::LIGHT_AT.map(number);
    let radius = number(theme::LIGHT_RADIUS);
    push(
        &mut text,
        format_args!(
            "<radialGradient id=\"face\" gradientUnits=\"userSpaceOnUse\" cx=\"{x}\" cy=\"{y}\" r=\"{radius}\">"
        ),
    );
    for (offset, colour) in theme::FACE {
        let (offset, colour) = (number(offset), hex(colour));
        push(&mut text, format_args!("<stop offset=\"{offset}\" stop-color=\"{colour}\"/>"));
    }
    text += "</radialGradient>";
    for (name, shapes) in symbols {
        push(&mut text, format_args!("<g id=\"{name}\">"));
        for shape in shapes {
            push_shape(&mut text, shape);
        }
        text += "</g>";
    }
    text + "</defs>"
}

fn push_shape(text: &mut String, shape: &Shape) {
    match &shape.figure {
        Figure::Path(data) => push(text, format_args!("<path d=\"{data}\"")),
        Figure::Circle { centre: [x, y], radius } => {
            let [x, y, radius] = [*x, *y, *radius].map(number);
            push(text, format_args!("<circle cx=\"{x}\" cy=\"{y}\" r=\"{radius}\""));
        }
        Figure::Rectangle { size } => {
            let [width, height] = size.map(number);
            push(text, format_args!("<rect width=\"{width}\" height=\"{height}\""));
        }
    }
    if let Some(class) = shape.class {
        push(text, format_args!(" class=\"{class}\""));
    }
    match shape.fill {
        Some(Fill::Flat(colour)) => push(text, format_args!(" fill=\"{}\"", hex(colour))),
        Some(Fill::Face) => text.push_str(" fill=\"url(#face)\""),
        None => text.push_str(" fill=\"none\""),
    }
    if let Some(stroke) = shape.stroke {
        let (colour, width) = (hex(stroke.colour), number(stroke.width));
        push(text, format_args!(" stroke=\"{colour}\" stroke-width=\"{width}\""));
        if stroke.is_round {
            text.push_str(" stroke-linecap=\"round\" stroke-linejoin=\"round\"");
        }
    }
    if shape.opacity < 1.0 {
        push(text, format_args!(" opacity=\"{}\"", number(shape.opacity)));
    }
    if shape.at != [0.0; 2] || shape.scale != 1.0 {
        let [x, y] = shape.at.map(number);
        push(text, format_args!(" transform=\"translate({x} {y})"));
        if shape.scale != 1.0 {
            push(text, format_args!(" scale({:.4})", shape.scale));
        }
        text.push('"');
    }
    text.push_str("/>");
}

/// Appends a text with values.
pub(crate) fn push(text: &mut String, arguments: std::fmt::Arguments<'_>) {
    let written = text.write_fmt(arguments);
    debug_assert!(written.is_ok(), "writing to a string cannot fail");
}

/// A number with at most two decimals.
pub(crate) fn number(value: f32) -> String {
    let text = format!("{value:.2}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    // A negative number that is rounded to 0 keeps its sign.
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

pub(crate) fn hex([red, green, blue]: Colour) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}

/// A text as XML and HTML have it, in attributes too. Characters that XML does not have are replaced.
pub(crate) fn escaped(text: &str) -> Cow<'_, str> {
    if text.chars().all(is_plain) {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            c if is_of_xml(c) => escaped.push(c),
            _ => escaped.push(char::REPLACEMENT_CHARACTER),
        }
    }
    escaped.into()
}

/// Returns true for a character that is written as it is.
fn is_plain(c: char) -> bool {
    !matches!(c, '&' | '<' | '>' | '"' | '\'') && is_of_xml(c)
}

fn is_of_xml(c: char) -> bool {
    match c {
        '\t' | '\n' | '\r' => true,
        '\u{fffe}' | '\u{ffff}' => false,
        c => !c.is_control(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short_and_texts_harmless() {
        assert_eq!([1.0, 0.5, -0.001, 2.345].map(number), ["1", "0.5", "0", "2.35"]);
        assert_eq!(escaped("a&b<c>\"'\u{1}"), "a&amp;b&lt;c&gt;&quot;&#39;\u{fffd}");
        assert!(matches!(escaped("炮二平五"), Cow::Borrowed(_)));
    }
}
