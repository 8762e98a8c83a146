//! Texts and their translations.

#[cfg(feature = "web")]
use std::collections::BTreeMap;
use std::collections::HashMap;

use juzhong::message::{Message, Piece, Value, pieces};
use polib::po_file;

/// The translations of one language.
pub(crate) struct Catalogue {
    texts: HashMap<String, String>,
    /// Words that are translated as values in messages too: those with the context `value`.
    values: HashMap<String, String>,
    /// Texts of the page in the browser: those with the context `page`.
    #[cfg(feature = "web")]
    page: BTreeMap<String, String>,
}

/// A text that was looked for.
struct Told {
    text: String,
    /// The catalogue has it, or a part of it.
    is_known: bool,
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
        };
        for message in file.iter().flat_map(polib::catalog::Catalog::messages) {
            let translation = message.msgstr().unwrap_or_default();
            if translation.is_empty() {
                continue;
            }
            let (text, translation) = (message.msgid().to_owned(), translation.to_owned());
            match message.msgctxt() {
                Some("value") => {
                    catalogue.values.insert(text, translation);
                }
                Some("page") => {
                    #[cfg(feature = "web")]
                    catalogue.page.insert(text, translation);
                }
                _ => {
                    catalogue.texts.insert(text, translation);
                }
            }
        }
        catalogue
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

    /// The translation of a message, with the values translated that the catalogue knows.
    pub(crate) fn message(&self, message: &Message) -> String {
        match message.only_value() {
            Some(Value::Text(text)) => self.plain(text).text,
            _ => self.told(message, &|text| self.value(text)).text,
        }
    }

    /// The translation of a text of a report, whose names and numbers are as they were given.
    pub(crate) fn report(&self, message: &Message) -> String {
        self.told(message, &Told::unknown).text
    }

    fn told(&self, message: &Message, value: &dyn Fn(&str) -> Told) -> Told {
        let values = message.values().iter().map(|(name, given)| {
            let told = match given {
                Value::Text(text) => value(text),
                Value::Message(message) => self.told(message, &|text| self.value(text)),
            };
            (&**name, told)
        });
        let values: Vec<(&str, Told)> = values.collect();
        if let Some(translation) = self.texts.get(message.template()) {
            return Told { text: filled(translation, &values), is_known: true };
        }
        let is_known = values.iter().any(|(_, told)| told.is_known);
        Told { text: with_marks(message.template(), &values, is_known), is_known }
    }

    /// A text that stands for itself: a finished text of the sources, or one that no catalogue can know.
    fn plain(&self, text: &str) -> Told {
        let inner = text.trim();
        match self.texts.get(inner) {
            Some(translation) if !inner.is_empty() => {
                let translation = filled(translation, &[]);
                Told { text: text.replace(inner, &translation), is_known: true }
            }
            _ => Told::unknown(text),
        }
    }

    /// A value of a message. Single words are names, unless the catalogue has them as values.
    fn value(&self, text: &str) -> Told {
        match self.values.get(text) {
            Some(word) => Told { text: word.clone(), is_known: true },
            None if text.trim().contains(' ') => self.plain(text),
            None => Told::unknown(text),
        }
    }
}

impl Told {
    fn unknown(text: &str) -> Self {
        Self { text: text.to_owned(), is_known: false }
    }
}

/// A translation with its values. Places without names are counted; a number that is no name counts all places of the
/// text.
fn filled(translation: &str, values: &[(&str, Told)]) -> String {
    let mut unnamed = values.iter().filter(|(name, _)| name.is_empty());
    let mut text = String::new();
    for piece in pieces(translation) {
        match piece {
            Piece::Text(piece) => text.push_str(piece),
            Piece::Value("") => text.push_str(unnamed.next().map_or("", |(_, told)| &told.text)),
            Piece::Value(name) => {
                let named = values.iter().find(|(own, _)| *own == name);
                let counted = || values.get(name.parse::<usize>().ok()?);
                text.push_str(named.or_else(counted).map_or("", |(_, told)| &told.text));
            }
        }
    }
    text
}

/// A text that has no translation, with its values. If it is nothing but marks around messages that have one, the marks
/// are of their language.
fn with_marks(template: &str, values: &[(&str, Told)], is_known: bool) -> String {
    let is_marks = |piece| match piece {
        Piece::Text(text) => !text.contains(char::is_alphabetic),
        Piece::Value(_) => true,
    };
    let is_marks = is_known && pieces(template).all(is_marks);
    let mut values = values.iter();
    let pieces = pieces(template).map(|piece| match piece {
        Piece::Text(text) if is_marks => text.replace(": ", "：").replace("; ", "；"),
        Piece::Text(text) => text.to_owned(),
        Piece::Value(_) => values.next().map_or_else(String::new, |(_, told)| told.text.clone()),
    });
    pieces.collect()
}

#[cfg(test)]
mod tests {
    use juzhong::message::{Message, Piece, Value, message, pieces};

    use crate::language::CHINESE;

    /// Names of the places of a text, as they stand in it.
    fn places(text: &str) -> Vec<&str> {
        let places = pieces(text).filter_map(|piece| match piece {
            Piece::Value(name) => Some(name),
            Piece::Text(_) => None,
        });
        places.collect()
    }

    #[test]
    fn translations_have_the_values_of_their_texts() {
        for text in CHINESE.texts.keys().filter(|text| !places(text).is_empty()) {
            // Values that no text has; those of one name are alike.
            let samples = places(text).into_iter().enumerate().map(|(n, name)| {
                let sample = if name.is_empty() { format!("<{n}>") } else { format!("<{name}>") };
                (name.to_owned().into(), Value::Text(sample))
            });
            let samples: Vec<_> = samples.collect();
            let told = CHINESE.message(&Message::new(text.clone(), samples.clone()));
            for (_, sample) in &samples {
                let Value::Text(sample) = sample else { unreachable!() };
                let is_sample = |(_, other): &&(_, Value)| matches!(other, Value::Text(other) if other == sample);
                let count = samples.iter().filter(is_sample).count();
                assert_eq!(told.matches(sample.as_str()).count(), count, "{text}\n{told}");
            }
        }
    }

    #[test]
    fn messages_within_messages_are_translated() {
        let read = message!("{}: cannot read the book", "a b");
        let missing = "No such file or directory (os error 2)";
        let told = |message: Message| CHINESE.message(&message);
        assert_eq!(told(read.clone()), "a b：无法读取开局库");
        assert_eq!(told("  cannot read the file\n".into()), "  cannot read the file\n");
        assert_eq!(told("nothing that is known".into()), "nothing that is known");
        assert_eq!(
            told(message!("{}: {}", "the book", read.because(missing))),
            "the book：a b：无法读取开局库：没有那个文件或文件夹 (os error 2)"
        );
        // Names alone keep their marks.
        assert_eq!(told(message!("{}: {}", "a", "b")), "a: b");
        assert_eq!(CHINESE.report(&message!("{} file", 3)), "3 个文件");
        // Values of reports are as they were given.
        assert_eq!(CHINESE.report(&message!("red      {red}", red = "Red")), "红方     Red");
    }
}
