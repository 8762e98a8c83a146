//! The catalogue of the program: the texts of the library and the program, and those of the page.

#[cfg(feature = "web")]
use std::collections::BTreeMap;
use std::collections::HashMap;

use juzhong::message::{self, Message};
use polib::po_file;

/// The translations of one language.
pub(crate) struct Catalogue {
    messages: message::Catalogue,
    /// Texts of the page in the browser: those with the context `page`.
    #[cfg(feature = "web")]
    page: BTreeMap<String, String>,
}

impl Catalogue {
    /// Reads a catalogue of this program's sources, which tests have read before.
    pub(crate) fn parse(po: &str) -> Self {
        let file = po_file::parse_from_reader(po.as_bytes());
        let mut texts = HashMap::new();
        let mut values = HashMap::new();
        #[cfg(feature = "web")]
        let mut page = BTreeMap::new();
        for message in file.iter().flat_map(polib::catalog::Catalog::messages) {
            let translation = message.msgstr().unwrap_or_default();
            if translation.is_empty() {
                continue;
            }
            let (text, translation) = (message.msgid().to_owned(), translation.to_owned());
            match message.msgctxt() {
                // Words that are translated as values in messages, too.
                Some("value") => {
                    values.insert(text, translation);
                }
                Some("page") => {
                    #[cfg(feature = "web")]
                    page.insert(text, translation);
                }
                _ => {
                    texts.insert(text, translation);
                }
            }
        }
        Self {
            messages: message::Catalogue::new(texts, values),
            #[cfg(feature = "web")]
            page,
        }
    }

    /// The translation of a text of the sources.
    pub(crate) fn get(&self, text: &str) -> Option<&str> {
        self.messages.get(text)
    }

    /// The texts of the page.
    #[cfg(feature = "web")]
    pub(crate) const fn page_texts(&self) -> &BTreeMap<String, String> {
        &self.page
    }

    /// The translation of a message, with the values translated that the catalogue knows.
    pub(crate) fn message(&self, message: &Message) -> String {
        self.messages.message(message)
    }

    /// The translation of a text of a report, whose names and numbers are as they were given.
    pub(crate) fn report(&self, message: &Message) -> String {
        self.messages.report(message)
    }
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
        for text in CHINESE.messages.texts().keys().filter(|text| !places(text).is_empty()) {
            // Values that no text has; those of one name are alike.
            let samples = places(text).into_iter().enumerate().map(|(n, name)| {
                let sample = if name.is_empty() { format!("<{n}>") } else { format!("<{name}>") };
                (name.to_owned().into(), Value::Text(sample))
            });
            let samples: Vec<_> = samples.collect();
            let translated = CHINESE.message(&Message::new(text.clone(), samples.clone()));
            for (_, sample) in &samples {
                let Value::Text(sample) = sample else { unreachable!() };
                let is_sample = |(_, other): &&(_, Value)| matches!(other, Value::Text(other) if other == sample);
                let count = samples.iter().filter(is_sample).count();
                assert_eq!(
                    translated.matches(sample.as_str()).count(),
                    count,
                    "{text}\n{translated}"
                );
            }
        }
    }

    #[test]
    fn messages_within_messages_are_translated() {
        let read = message!("{}: cannot read the book", "a b");
        let missing = "No such file or directory (os error 2)";
        let translated = |message: Message| CHINESE.message(&message);
        assert_eq!(translated(read.clone()), "a b：无法读取开局库");
        assert_eq!(translated("  cannot read the file\n".into()), "  cannot read the file\n");
        assert_eq!(translated("nothing that is known".into()), "nothing that is known");
        assert_eq!(
            translated(message!("{}: {}", "the book", read.because(missing))),
            "the book：a b：无法读取开局库：没有那个文件或文件夹 (os error 2)"
        );
        // Names alone keep their marks.
        assert_eq!(translated(message!("{}: {}", "a", "b")), "a: b");
        assert_eq!(CHINESE.report(&message!("{} file", 3)), "3 个文件");
        // Values of reports are as they were given.
        assert_eq!(CHINESE.report(&message!("red      {red}", red = "Red")), "红方     Red");
    }
}
