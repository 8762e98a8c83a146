//! Format strings, taken apart.

/// A piece of a format string.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Piece<'a> {
    /// A text.
    Text(&'a str),
    /// The place of a value: its name, which is empty if values are counted.
    Value(&'a str),
}

/// The pieces of a format string. A brace that nothing closes is a text.
pub fn pieces(template: &str) -> impl Iterator<Item = Piece<'_>> {
    let mut rest = template;
    std::iter::from_fn(move || {
        // Used only after a brace, which is one byte; elsewhere the byte 1 may be within a character.
        let after_brace = rest.get(1..).unwrap_or_default();
        let (piece, length) = match rest.chars().next()? {
            // Doubled braces are one.
            brace @ ('{' | '}') if after_brace.starts_with(brace) => (Piece::Text(&rest[..1]), 2),
            '{' if after_brace.contains('}') => {
                let end = after_brace.find('}').unwrap_or_default();
                let name = after_brace[..end].split(':').next().unwrap_or_default();
                (Piece::Value(name.trim()), end + 2)
            }
            first => {
                let from = first.len_utf8();
                // A text has at least one character, so that a brace which nothing closes makes progress, too.
                let end = rest[from..].find(['{', '}']).map_or(rest.len(), |at| from + at);
                (Piece::Text(&rest[..end]), end)
            }
        };
        rest = &rest[length..];
        Some(piece)
    })
}

#[cfg(test)]
mod tests {
    use super::{Piece, pieces};

    #[test]
    fn format_strings_are_taken_apart() {
        let found = |text| pieces(text).collect::<Vec<_>>();
        let (text, value) = (Piece::Text, Piece::Value);
        assert_eq!(found("a{}b{x:>3}"), [text("a"), value(""), text("b"), value("x")]);
        assert_eq!(found("{{胡}} }"), [text("{"), text("胡"), text("}"), text(" "), text("}")]);
        assert_eq!(found("START{ before"), [text("START"), text("{ before")]);
    }
}
