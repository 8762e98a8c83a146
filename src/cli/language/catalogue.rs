//! Texts and their translations, and the shapes by which finished messages are found again.

#[cfg(feature = "web")]
use std::collections::BTreeMap;
use std::collections::HashMap;

use polib::po_file;

/// The depth to which messages within messages are looked at.
const MAX_DEPTH: u32 = 4;
/// The longest message that is looked at, in bytes.
const MAX_MESSAGE: usize = 1 << 16;
/// The most parts of a message, with colons or semicolons between them, that are looked at.
const MAX_PARTS: usize = 12;
/// Shapes of fewer letters fit too many messages that they did not make, unless all values are numbers.
const MIN_LETTERS: usize = 8;

/// The translations of one language.
pub(crate) struct Catalogue {
    texts: HashMap<String, String>,
    /// Words that are translated as values in other texts too: those with the context `value`.
    values: HashMap<String, String>,
    /// Texts of the page in the browser: those with the context `page`.
    #[cfg(feature = "web")]
    page: BTreeMap<String, String>,
    /// The texts with places for values, those with most text first.
    shapes: Vec<Shape>,
    /// The number of the shape of a text.
    places: HashMap<String, usize>,
}

/// A text with places for values, as `format!` has it.
struct Shape {
    /// The texts before, between and after the values.
    literals: Vec<String>,
    /// The text itself.
    text: String,
    /// The names of the values; empty for those that are counted.
    names: Vec<String>,
    translation: String,
}

impl Catalogue {
    /// Reads a catalogue of this program's sources, which tests have read before.
    pub(crate) fn parse(po: &str) -> Self {
        let file = po_file::parse_from_reader(po.as_bytes());
        let mut catalogue = Self {
            texts: HashMap::new(),
            values: HashMap::new(),
            #[cfg(feature = "web")]
            page: BTreeMap::new(),
            shapes: Vec::new(),
            places: HashMap::new(),
        };
        for message in file.iter().flat_map(polib::catalog::Catalog::messages) {
            let translation = message.msgstr().unwrap_or_default();
            if translation.is_empty() {
                continue;
            }
            match message.msgctxt() {
                Some("value") => {
                    catalogue.values.insert(message.msgid().to_owned(), translation.to_owned());
                }
                Some("page") => {
                    #[cfg(feature = "web")]
                    catalogue.page.insert(message.msgid().to_owned(), translation.to_owned());
                }
                _ => catalogue.insert(message.msgid(), translation),
            }
        }
        catalogue
            .shapes
            .sort_by_key(|shape| std::cmp::Reverse((shape.letters(), shape.names.len())));
        let texts = catalogue.shapes.iter().map(|shape| shape.text.clone());
        catalogue.places = texts.zip(0..).collect();
        catalogue
    }

    fn insert(&mut self, text: &str, translation: &str) {
        let shape = Shape::of(text, translation);
        if !shape.names.is_empty() {
            self.shapes.push(shape);
        }
        self.texts.insert(text.to_owned(), translation.to_owned());
    }

    /// The translation of a text of the sources.
    pub(crate) fn get(&self, text: &str) -> Option<&str> {
        self.texts.get(text).or_else(|| self.values.get(text)).map(String::as_str)
    }

    /// The texts of the page.
    #[cfg(feature = "web")]
    pub(crate) const fn page_texts(&self) -> &BTreeMap<String, String> {
        &self.page
    }

    /// A finished text that the format string `key` made.
    pub(crate) fn text(&self, key: &str, english: &str) -> String {
        if let Some(&at) = self.places.get(key) {
            let shape = &self.shapes[at];
            let values = shape.values(english);
            return values.map_or_else(|| english.to_owned(), |values| shape.filled(&values));
        }
        self.get(key).map_or_else(|| english.to_owned(), unescaped)
    }

    /// A finished message, translated as far as its parts are known.
    pub(crate) fn message(&self, text: &str) -> String {
        let is_short = text.len() <= MAX_MESSAGE;
        let translated = is_short.then(|| self.translate(text, MAX_DEPTH)).flatten();
        translated.unwrap_or_else(|| text.to_owned())
    }

    fn translate(&self, text: &str, depth: u32) -> Option<String> {
        self.known(text, depth)
            .or_else(|| self.lines(text, depth.checked_sub(1)?))
            .or_else(|| self.parts(text, depth.checked_sub(1)?))
    }

    /// A message that is a text of the catalogue, with values in it or without.
    fn known(&self, text: &str, depth: u32) -> Option<String> {
        if let Some(translation) = self.texts.get(text) {
            return Some(unescaped(translation));
        }
        let depth = depth.checked_sub(1)?;
        self.shapes.iter().find_map(|shape| shape.translate(self, text, depth))
    }

    /// A message of several lines, or one with blanks around it.
    fn lines(&self, text: &str, depth: u32) -> Option<String> {
        if text.contains('\n') {
            let lines: Vec<Option<String>> =
                text.split('\n').map(|line| self.translate(line, depth)).collect();
            let is_known = lines.iter().any(Option::is_some);
            let lines = lines.into_iter().zip(text.split('\n'));
            let lines: Vec<String> =
                lines.map(|(known, line)| known.unwrap_or_else(|| line.to_owned())).collect();
            return is_known.then(|| lines.join("\n"));
        }
        let inner = text.trim();
        if inner.len() == text.len() || inner.is_empty() {
            return None;
        }
        Some(text.replace(inner, &self.translate(inner, depth)?))
    }

    /// Messages and names with colons or semicolons between them: the longest runs of parts that are known.
    fn parts(&self, text: &str, depth: u32) -> Option<String> {
        let mut marks: Vec<(usize, &str)> =
            [": ", "; "].iter().flat_map(|mark| text.match_indices(mark)).collect();
        marks.sort_unstable();
        if marks.is_empty() || marks.len() >= MAX_PARTS {
            return None;
        }
        let starts: Vec<usize> =
            [0].into_iter().chain(marks.iter().map(|(at, _)| at + 2)).collect();
        let ends: Vec<usize> = marks.iter().map(|&(at, _)| at).chain([text.len()]).collect();
        let (mut translated, mut is_known, mut from) = (String::new(), false, 0);
        while from < starts.len() {
            let run = |to: usize| {
                let part = &text[starts[from]..ends[to]];
                // All of it is not known, and a single word in front is a name.
                let is_name = from == 0 && !part.trim().contains(' ');
                let is_whole = part.len() == text.len();
                let known = (!is_name && !is_whole).then(|| self.known(part, depth));
                Some((known.flatten()?, to))
            };
            let run = (from..starts.len()).rev().find_map(run);
            is_known |= run.is_some();
            let (part, to) =
                run.unwrap_or_else(|| (text[starts[from]..ends[from]].to_owned(), from));
            translated += &part;
            if let Some((_, mark)) = marks.get(to) {
                translated.push(if *mark == ": " { '：' } else { '；' });
            }
            from = to + 1;
        }
        is_known.then_some(translated)
    }
}

/// A text without places for values: doubled braces are one.
fn unescaped(text: &str) -> String {
    text.replace("{{", "{").replace("}}", "}")
}

/// A piece of a format string.
enum Piece {
    Text(char),
    /// The name of a value, without how it is written.
    Value(String),
}

fn pieces(format: &str) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut chars = format.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '{' | '}' if chars.next_if_eq(&c).is_some() => pieces.push(Piece::Text(c)),
            // Texts that no macro formats may have a brace.
            '{' if chars.clone().any(|c| c == '}') => {
                let inside: String = chars.by_ref().take_while(|&c| c != '}').collect();
                let name = inside.split(':').next().unwrap_or_default();
                pieces.push(Piece::Value(name.trim().to_owned()));
            }
            c => pieces.push(Piece::Text(c)),
        }
    }
    pieces
}

impl Shape {
    fn of(text: &str, translation: &str) -> Self {
        let (mut literals, mut names) = (vec![String::new()], Vec::new());
        for piece in pieces(text) {
            match piece {
                Piece::Text(c) => literals.last_mut().expect("there is one").push(c),
                Piece::Value(name) => {
                    names.push(name);
                    literals.push(String::new());
                }
            }
        }
        Self { literals, text: text.to_owned(), names, translation: translation.to_owned() }
    }

    /// The number of letters outside the values.
    fn letters(&self) -> usize {
        let letters = self.literals.iter().flat_map(|literal| literal.chars());
        letters.filter(char::is_ascii_alphabetic).count()
    }

    /// The values of a message of this shape: each as short as can be, but the last.
    fn values<'a>(&self, text: &'a str) -> Option<Vec<&'a str>> {
        let (first, rest) = self.literals.split_first()?;
        let (last, between) = rest.split_last()?;
        let mut text = text.strip_prefix(first.as_str())?.strip_suffix(last.as_str())?;
        let mut values = Vec::with_capacity(self.names.len());
        for literal in between {
            let at = text.find(literal.as_str())?;
            values.push(&text[..at]);
            text = &text[at + literal.len()..];
        }
        values.push(text);
        Some(values)
    }

    /// The translation of a message of this shape, with the values translated that are messages.
    fn translate(&self, catalogue: &Catalogue, text: &str, depth: u32) -> Option<String> {
        let values = self.values(text)?;
        // Lines are looked at one by one.
        if values.iter().any(|value| value.contains('\n')) {
            return None;
        }
        let are_numbers = || !values.iter().any(|value| value.contains(char::is_alphabetic));
        if self.letters() < MIN_LETTERS && !are_numbers() {
            return None;
        }
        let mut translated = Vec::with_capacity(values.len());
        for (n, value) in values.into_iter().enumerate() {
            let word = catalogue.values.get(value).cloned();
            // Other single words are names or numbers.
            let message =
                || catalogue.translate(value, depth).filter(|_| value.trim().contains(' '));
            match word.or_else(message) {
                Some(message) => translated.push(message),
                // A message in the place of a name was cut in the wrong place.
                None if value.contains(": ") && !(n == 0 && self.literals[0].is_empty()) => {
                    return None;
                }
                None => translated.push(value.to_owned()),
            }
        }
        Some(self.filled(&translated))
    }

    /// The translation with these values.
    fn filled(&self, values: &[impl AsRef<str>]) -> String {
        let names = self.names.iter().enumerate();
        let mut unnamed = names.filter(|(_, name)| name.is_empty()).map(|(at, _)| at);
        let mut filled = String::new();
        for piece in pieces(&self.translation) {
            match piece {
                Piece::Text(c) => filled.push(c),
                Piece::Value(name) => {
                    let at = if name.is_empty() {
                        unnamed.next()
                    } else {
                        let named = self.names.iter().position(|own| *own == name);
                        named.or_else(|| name.parse().ok())
                    };
                    filled.push_str(at.and_then(|at| values.get(at)).map_or("", AsRef::as_ref));
                }
            }
        }
        filled
    }
}

#[cfg(test)]
mod tests {
    use super::Shape;
    use crate::cli::language::CHINESE;

    impl Shape {
        /// Values that no text has; those of one name are alike.
        fn samples(&self) -> Vec<String> {
            let names = self.names.iter().enumerate();
            names
                .map(
                    |(n, name)| {
                        if name.is_empty() { format!("<{n}>") } else { format!("<{name}>") }
                    },
                )
                .collect()
        }
    }

    #[test]
    fn translations_have_the_values_of_their_texts() {
        for shape in &CHINESE.shapes {
            let filled = shape.filled(&shape.samples());
            let samples = shape.samples();
            for value in &samples {
                let count = samples.iter().filter(|sample| *sample == value).count();
                assert_eq!(filled.matches(value).count(), count, "{}\n{filled}", shape.text);
            }
        }
    }

    #[test]
    fn messages_are_found_again_by_their_shape() {
        for shape in CHINESE.shapes.iter().filter(|shape| shape.letters() >= super::MIN_LETTERS) {
            let mut values = shape.samples().into_iter();
            let message: String = shape
                .literals
                .iter()
                .map(|literal| literal.clone() + &values.next().unwrap_or_default())
                .collect();
            let found = CHINESE.message(&message);
            assert_eq!(found, shape.filled(&shape.samples()), "{}", shape.text);
        }
    }

    #[test]
    fn parts_of_messages_are_translated() {
        let told = |text: &str| CHINESE.message(text);
        assert_eq!(told("a.book: cannot read the file"), "a.book：无法读取文件");
        assert_eq!(told("  book: cannot read the file\n"), "  book：无法读取文件\n");
        assert_eq!(told("nothing that is known"), "nothing that is known");
        assert_eq!(told("a: b: cannot read the file"), "a: b：无法读取文件");
        assert_eq!(
            told("the book: a b: cannot read the book: No such file or directory (os error 2)"),
            "the book: a b：无法读取开局库：没有那个文件或文件夹 (os error 2)"
        );
        let many = "a: ".repeat(20_000);
        assert_eq!(told(&many), many);
        assert_eq!(CHINESE.text("{} file", "3 file"), "3 个文件");
        // Values of reports are as they were given.
        assert_eq!(CHINESE.text("red      {red}", "red      Red"), "红方     Red");
    }
}
