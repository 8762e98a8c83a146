//! Pages for reading: HTML that needs nothing else, no script among it, and that prints well.

use crate::picture::drawing::{Drawing, Symbols};
use crate::picture::plot::Plot;
use crate::picture::svg::{definitions, escaped, inline, push};

const STYLE: &str = include_str!("sheet.css");

/// A page that is being written. Texts are escaped.
#[derive(Debug, Default)]
pub struct HtmlPage {
    title: String,
    language: &'static str,
    /// The groups that its drawings share.
    symbols: Symbols,
    body: String,
}

impl HtmlPage {
    /// An empty page with a title, in a language by its tag.
    #[must_use]
    pub fn new(title: &str, language: &'static str) -> Self {
        Self { title: title.to_owned(), language, ..Self::default() }
    }

    /// Writes the text of an element.
    pub fn element(&mut self, name: &'static str, class: &'static str, text: &str) {
        self.begin(name, class);
        self.text(text);
        self.end(name);
    }

    /// Begins an element, which [`end`](Self::end) ends. An empty class is none.
    pub fn begin(&mut self, name: &'static str, class: &'static str) {
        if class.is_empty() {
            push(&mut self.body, format_args!("<{name}>"));
        } else {
            push(&mut self.body, format_args!("<{name} class=\"{class}\">"));
        }
    }

    /// Ends an element.
    pub fn end(&mut self, name: &'static str) {
        let is_block = !matches!(name, "span" | "b" | "td" | "th");
        push(&mut self.body, format_args!("</{name}>{}", if is_block { "\n" } else { "" }));
    }

    /// Writes a text.
    pub fn text(&mut self, text: &str) {
        self.body += &escaped(text);
    }

    /// Draws a diagram with a text below.
    pub fn figure(&mut self, drawing: &Drawing, caption: &str) {
        self.begin("figure", "");
        self.body += &inline(drawing, caption);
        self.element("figcaption", "", caption);
        self.end("figure");
        for (name, shapes) in &drawing.symbols {
            self.symbols.entry(name.clone()).or_insert_with(|| shapes.clone());
        }
    }

    /// Draws a plot, over the whole width.
    pub fn plot(&mut self, plot: &Plot) {
        self.begin("figure", "plot");
        self.body += &plot.inline();
        self.end("figure");
    }

    /// Writes a table: its heading, and rows of which the cells after the first `texts` are numbers.
    pub fn table(&mut self, texts: usize, heading: &[&str], rows: &[Vec<String>]) {
        self.begin("table", "");
        self.begin("thead", "");
        self.begin("tr", "");
        for (at, cell) in heading.iter().enumerate() {
            self.element("th", cell_class(at, texts), cell);
        }
        self.end("tr");
        self.end("thead");
        self.begin("tbody", "");
        for row in rows {
            self.begin("tr", "");
            for (at, cell) in row.iter().enumerate() {
                self.element("td", cell_class(at, texts), cell);
            }
            self.end("tr");
        }
        self.end("tbody");
        self.end("table");
    }

    /// The page.
    #[must_use]
    pub fn finish(self) -> String {
        let Self { title, language, symbols, body } = self;
        let title = escaped(&title);
        let symbols = match symbols.is_empty() {
            true => String::new(),
            false => format!(
                "<svg class=\"symbols\" aria-hidden=\"true\">{}</svg>\n",
                definitions(&symbols)
            ),
        };
        format!(
            "<!DOCTYPE html>\n<html lang=\"{language}\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta name=\"generator\" content=\"juzhong\">\n<title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n\
             <body>\n{symbols}{body}</body>\n</html>\n"
        )
    }
}

/// The class of a cell in a row whose first `texts` cells are no numbers.
const fn cell_class(at: usize, texts: usize) -> &'static str {
    if at < texts { "" } else { "n" }
}
