//! The pieces of an XML text: tags, texts and CDATA sections. Total and in linear time: programs
//! write names and comments without escaping them, so what is no tag is text.

use crate::record::model::texts::unescape;

/// One piece.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Piece<'a> {
    /// `<name …>`, or `<name …/>` if closed.
    Open { name: &'a str, attributes: &'a str, is_closed: bool },
    /// `</name>`
    Close(&'a str),
    /// Text with its references replaced, or as it stands in a CDATA section.
    Text(String),
}

/// Reads pieces one by one; comments, declarations and instructions are passed over.
#[derive(Debug)]
pub(crate) struct Pieces<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Pieces<'a> {
    pub(crate) const fn new(text: &'a str) -> Self {
        Self { text, at: 0 }
    }

    /// The number of bytes of the text that were read.
    pub(crate) const fn at(&self) -> usize {
        self.at
    }

    /// The text up to `end`, which is passed; the rest of the text where it is missing.
    fn up_to(&mut self, end: &str) -> &'a str {
        let rest = &self.text[self.at..];
        let (taken, passed) =
            rest.find(end).map_or((rest.len(), rest.len()), |at| (at, at + end.len()));
        self.at += passed;
        &rest[..taken]
    }

    /// The inside of a tag up to the `>` that does not stand in quotation marks.
    fn inside(&mut self) -> &'a str {
        let rest = &self.text[self.at..];
        let mut quote = None;
        for (i, b) in rest.bytes().enumerate() {
            match (quote, b) {
                (None, b'>') => {
                    self.at += i + 1;
                    return &rest[..i];
                }
                (None, b'"' | b'\'') => quote = Some(b),
                (Some(open), _) if open == b => quote = None,
                _ => {}
            }
        }
        self.at = self.text.len();
        rest
    }
}

impl<'a> Iterator for Pieces<'a> {
    type Item = Piece<'a>;

    fn next(&mut self) -> Option<Piece<'a>> {
        loop {
            let rest = &self.text[self.at..];
            if rest.is_empty() {
                return None;
            }
            if rest.starts_with("<!--") {
                self.up_to("-->");
            } else if rest.starts_with("<![CDATA[") {
                self.at += "<![CDATA[".len();
                return Some(Piece::Text(self.up_to("]]>").to_owned()));
            } else if rest.starts_with("<?") || rest.starts_with("<!") {
                self.up_to(">");
            } else if rest.starts_with("</") {
                self.at += 2;
                return Some(Piece::Close(self.up_to(">").trim()));
            } else if is_tag(rest) {
                self.at += 1;
                let inside = self.inside();
                let (inside, is_closed) = match inside.strip_suffix('/') {
                    Some(inside) => (inside, true),
                    None => (inside, false),
                };
                let end = inside.find(char::is_whitespace).unwrap_or(inside.len());
                let (name, attributes) = inside.split_at(end);
                return Some(Piece::Open { name, attributes, is_closed });
            } else {
                // A text may begin with a `<` that opens no tag.
                let next = rest.bytes().skip(1).position(|b| b == b'<');
                let end = next.map_or(rest.len(), |at| at + 1);
                self.at += end;
                return Some(Piece::Text(unescape(&rest[..end], false)));
            }
        }
    }
}

fn is_tag(text: &str) -> bool {
    let mut bytes = text.bytes();
    bytes.next() == Some(b'<') && bytes.next().is_some_and(|b| b.is_ascii_alphabetic())
}

/// The value of an attribute.
pub(crate) fn attribute(text: &str, name: &str) -> Option<String> {
    quoted(text).find(|(found, _)| *found == name).map(|(_, value)| unescape(value, false))
}

/// The names and values of all attributes.
pub(crate) fn attributes(text: &str) -> impl Iterator<Item = (&str, String)> {
    quoted(text).map(|(name, value)| (name, unescape(value, false)))
}

/// Names and values up to one that is not in quotation marks, references not replaced.
fn quoted(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let (before, after) = rest.split_once('=')?;
        let after = after.trim_start();
        let quote = after.chars().next().filter(|c| matches!(c, '"' | '\''))?;
        let (value, next) = after[1..].split_once(quote)?;
        rest = next;
        Some((before.trim(), value))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> Piece<'_> {
        Piece::Text(text.to_owned())
    }

    fn open<'a>(name: &'a str, attributes: &'a str, is_closed: bool) -> Piece<'a> {
        Piece::Open { name, attributes, is_closed }
    }

    #[test]
    fn pieces_of_good_xml() {
        let xml =
            "<?xml version='1.0'?><!-- <a> --><A x=\"1>2\"/><B>c &lt; d<![CDATA[&lt;<x>]]></B>";
        let pieces: Vec<_> = Pieces::new(xml).collect();
        let expected = [
            open("A", " x=\"1>2\"", true),
            open("B", "", false),
            text("c < d"),
            text("&lt;<x>"),
            Piece::Close("B"),
        ];
        assert_eq!(pieces, expected);
    }

    #[test]
    fn pieces_of_bad_xml() {
        let pieces = |xml| Pieces::new(xml).collect::<Vec<_>>();
        assert_eq!(pieces("a & b <3 < <"), [text("a & b "), text("<3 "), text("< "), text("<")]);
        assert_eq!(pieces("<![CDATA[x"), [text("x")]);
        assert_eq!(pieces("</"), [Piece::Close("")]);
        assert_eq!(pieces("<a b=\"c"), [open("a", " b=\"c", false)]);
        assert_eq!(pieces("<!--"), []);
    }

    #[test]
    fn attributes_by_name() {
        let read = |name| attribute(" value=\"77-47\" end = '1' x=\"&amp;\"", name);
        assert_eq!(read("value").as_deref(), Some("77-47"));
        assert_eq!(read("end").as_deref(), Some("1"));
        assert_eq!(read("x").as_deref(), Some("&"));
        assert_eq!(read("y"), None);
        assert_eq!(attribute("a=b", "a"), None);
    }
}
