//! Texts and their translations into one language.

use std::collections::HashMap;

use super::template::{Piece, pieces};
use super::{Message, Value};

/// The translations of messages into one language, by their format strings.
///
/// ```
/// use juzhong::message::{Catalogue, message};
///
/// let texts = [("{} has {count} games".to_owned(), "{count} parties dans {}".to_owned())];
/// let french = Catalogue::new(texts.into(), [].into());
/// let count = 2;
/// assert_eq!(french.message(&message!("{} has {count} games", "a.pgn")), "2 parties dans a.pgn");
/// ```
#[derive(Debug, Default)]
pub struct Catalogue {
    texts: HashMap<String, String>,
    /// Words that are translated as values in messages too.
    values: HashMap<String, String>,
}

/// A text that was looked for.
struct Translated {
    text: String,
    /// The catalogue has it, or a part of it.
    is_known: bool,
}

impl Catalogue {
    /// A catalogue of texts, and of words that are translated as values in messages, too.
    #[must_use]
    pub const fn new(texts: HashMap<String, String>, values: HashMap<String, String>) -> Self {
        Self { texts, values }
    }

    /// The texts with their translations.
    #[must_use]
    pub const fn texts(&self) -> &HashMap<String, String> {
        &self.texts
    }

    /// The translation of a text of the sources.
    #[must_use]
    pub fn get(&self, text: &str) -> Option<&str> {
        self.texts.get(text).or_else(|| self.values.get(text)).map(String::as_str)
    }

    /// The translation of a message, with the values translated that the catalogue knows.
    #[must_use]
    pub fn message(&self, message: &Message) -> String {
        match message.only_value() {
            Some(Value::Text(text)) => self.plain(text).text,
            _ => self.translation(message, &|text| self.value(text)).text,
        }
    }

    /// The translation of a text of a report, whose names and numbers are as they were given.
    #[must_use]
    pub fn report(&self, message: &Message) -> String {
        self.translation(message, &Translated::unknown).text
    }

    fn translation(&self, message: &Message, value: &dyn Fn(&str) -> Translated) -> Translated {
        let values = message.values().iter().map(|(name, given)| {
            let translated = match given {
                Value::Text(text) => value(text),
                Value::Message(message) => self.translation(message, &|text| self.value(text)),
            };
            (&**name, translated)
        });
        let values: Vec<(&str, Translated)> = values.collect();
        if let Some(translation) = self.texts.get(message.template()) {
            return Translated { text: filled(translation, &values), is_known: true };
        }
        let is_known = values.iter().any(|(_, translated)| translated.is_known);
        Translated { text: with_marks(message.template(), &values, is_known), is_known }
    }

    /// A text that stands for itself: a finished text of the sources, or one that no catalogue can know.
    fn plain(&self, text: &str) -> Translated {
        let inner = text.trim();
        match self.texts.get(inner) {
            Some(translation) if !inner.is_empty() => {
                let translation = filled(translation, &[]);
                Translated { text: text.replace(inner, &translation), is_known: true }
            }
            _ => Translated::unknown(text),
        }
    }

    /// A value of a message. Single words are names, unless the catalogue has them as values.
    fn value(&self, text: &str) -> Translated {
        match self.values.get(text) {
            Some(word) => Translated { text: word.clone(), is_known: true },
            None if text.trim().contains(' ') => self.plain(text),
            None => Translated::unknown(text),
        }
    }
}

impl Translated {
    fn unknown(text: &str) -> Self {
        Self { text: text.to_owned(), is_known: false }
    }
}

/// A translation with its values. Places without names are counted; a number that is no name counts all places of the
/// text.
fn filled(translation: &str, values: &[(&str, Translated)]) -> String {
    let mut unnamed = values.iter().filter(|(name, _)| name.is_empty());
    let mut text = String::new();
    for piece in pieces(translation) {
        match piece {
            Piece::Text(piece) => text.push_str(piece),
            Piece::Value("") => {
                text.push_str(unnamed.next().map_or("", |(_, value)| &value.text));
            }
            Piece::Value(name) => {
                let named = values.iter().find(|(own, _)| *own == name);
                let counted = || values.get(name.parse::<usize>().ok()?);
                text.push_str(
                    named.or_else(counted).map_or("", |(_, translated)| &translated.text),
                );
            }
        }
    }
    text
}

/// A text that has no translation, with its values. If it is nothing but marks around messages that have one, the marks
/// are of their language.
fn with_marks(template: &str, values: &[(&str, Translated)], is_known: bool) -> String {
    let is_marks = is_known && pieces(template).all(has_no_letters);
    let mut values = values.iter();
    let pieces = pieces(template).map(|piece| match piece {
        Piece::Text(text) if is_marks => text.replace(": ", "：").replace("; ", "；"),
        Piece::Text(text) => text.to_owned(),
        Piece::Value(_) => {
            values.next().map_or_else(String::new, |(_, translated)| translated.text.clone())
        }
    });
    pieces.collect()
}

/// Returns true for a value, and for a text of nothing but marks.
fn has_no_letters(piece: Piece<'_>) -> bool {
    match piece {
        Piece::Text(text) => !text.contains(char::is_alphabetic),
        Piece::Value(_) => true,
    }
}
