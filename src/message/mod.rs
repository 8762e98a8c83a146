//! Texts with their values apart from them, so that front ends can say them in other languages.
//!
//! A [`Message`] is what `format!` would have made a text of: the format string, which is the key of its translations,
//! and the values. Types whose texts are read by people make one ([`ToMessage`]): errors by the derive macro of that
//! name, which reads the attributes of `thiserror`, other texts by [`message!`]. Their `Display` is
//! the English text. This room knows no language but that; a [`Catalogue`] is handed in.

mod catalogue;
mod template;
mod value;

use std::borrow::Cow;
use std::error::Error;
use std::fmt::{self, Display, Write};
use std::io;

use serde::{Serialize, Serializer};

pub use catalogue::Catalogue;
pub use template::{Piece, pieces};
#[doc(hidden)]
pub use value::{MessageValue, Shown, TextValue};

/// Makes messages of the errors that `thiserror` describes.
pub use juzhong_macros::ToMessage;
#[doc(hidden)]
pub use juzhong_macros::build;

/// A text made of a format string and values.
#[derive(Debug, Clone, Default)]
pub struct Message {
    template: Cow<'static, str>,
    values: Vec<(Cow<'static, str>, Value)>,
}

/// A value of a message.
#[derive(Debug, Clone)]
pub enum Value {
    /// A name, a number, or a text that was made elsewhere.
    Text(String),
    /// A message within the message.
    Message(Message),
}

/// The types whose texts are messages.
pub trait ToMessage {
    /// The text, with its values apart from it.
    fn message(&self) -> Message;
}

/// Makes a [`Message`] of a format string and values, as `format!` takes them. Values that have messages themselves stay
/// messages, unless the format string says how they are written (`{:>4}`).
///
/// ```
/// use juzhong::message::message;
///
/// let count = 2;
/// let games = message!("{} has {count} games", "a.pgn");
/// assert_eq!(games.to_string(), "a.pgn has 2 games");
/// assert_eq!(games.template(), "{} has {count} games");
/// ```
#[macro_export]
#[doc(hidden)]
macro_rules! __message {
    ($($arguments:tt)*) => {
        $crate::message::build!($crate::message, $($arguments)*)
    };
}
#[doc(inline)]
pub use crate::__message as message;

/// The template of a text without values of its own.
const PLAIN: &str = "{}";

impl Message {
    /// A message of a format string and its values, in the order of their places, with their names.
    #[must_use]
    pub fn new(
        template: impl Into<Cow<'static, str>>,
        values: Vec<(Cow<'static, str>, Value)>,
    ) -> Self {
        Self { template: template.into(), values }
    }

    /// The format string.
    #[must_use]
    pub fn template(&self) -> &str {
        &self.template
    }

    /// The values with their names, in the order of their places.
    #[must_use]
    pub fn values(&self) -> &[(Cow<'static, str>, Value)] {
        &self.values
    }

    /// The text or message that this message has nothing around of; `None` if it has a text of its own.
    #[must_use]
    pub fn only_value(&self) -> Option<&Value> {
        match self.values.as_slice() {
            [(_, value)]
                if pieces(&self.template).all(|piece| matches!(piece, Piece::Value(_))) =>
            {
                Some(value)
            }
            _ => None,
        }
    }

    /// The same with each of its names and numbers changed.
    #[must_use]
    pub fn map_texts(self, change: fn(String) -> String) -> Self {
        let values = self.values.into_iter().map(|(name, value)| {
            let value = match value {
                Value::Text(text) => Value::Text(change(text)),
                Value::Message(message) => Value::Message(message.map_texts(change)),
            };
            (name, value)
        });
        Self { template: self.template, values: values.collect() }
    }

    /// The message of an error with the causes of that error, with colons between them.
    #[must_use]
    pub fn with_causes(self, error: &dyn Error) -> Self {
        let causes = std::iter::successors(error.source(), |&cause| cause.source());
        causes.fold(self, |message, cause| message.because(Self::of_cause(cause)))
    }

    /// The message of a cause, of which no more is known than that it is an error.
    fn of_cause(error: &(dyn Error + 'static)) -> Self {
        if let Some(message) = error.downcast_ref::<Self>() {
            return message.clone();
        }
        match error.downcast_ref::<io::Error>() {
            Some(error) => error.message(),
            None => Self::from(error.to_string()),
        }
    }

    /// Messages with semicolons between them.
    #[must_use]
    pub fn list(messages: impl IntoIterator<Item = Self>) -> Self {
        let joined = messages.into_iter().reduce(|list, next| message!("{}; {}", list, next));
        joined.unwrap_or_else(|| Self::from(""))
    }

    /// A message and its cause, with a colon between them.
    #[must_use]
    pub fn because(self, cause: impl Into<Self>) -> Self {
        let cause = cause.into();
        message!("{}: {}", self, cause)
    }
}

impl Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut values = self.values.iter();
        for piece in pieces(&self.template) {
            match piece {
                Piece::Text(text) => f.write_str(text)?,
                Piece::Value(_) => match values.next() {
                    Some((_, Value::Text(text))) => f.write_str(text)?,
                    Some((_, Value::Message(message))) => message.fmt(f)?,
                    None => f.write_char('?')?,
                },
            }
        }
        Ok(())
    }
}

/// Messages are alike if their English is.
impl PartialEq for Message {
    fn eq(&self, other: &Self) -> bool {
        self.to_string() == other.to_string()
    }
}

impl Eq for Message {}

impl PartialEq<&str> for Message {
    fn eq(&self, other: &&str) -> bool {
        let text = self.to_string();
        text == *other
    }
}

impl Error for Message {}

impl Serialize for Message {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl From<String> for Message {
    fn from(text: String) -> Self {
        Self::from(Value::Text(text))
    }
}

impl From<&str> for Message {
    fn from(text: &str) -> Self {
        Self::from(text.to_owned())
    }
}

impl From<&String> for Message {
    fn from(text: &String) -> Self {
        Self::from(text.as_str())
    }
}

impl From<&Self> for Message {
    fn from(message: &Self) -> Self {
        message.clone()
    }
}

impl From<fmt::Arguments<'_>> for Message {
    fn from(text: fmt::Arguments<'_>) -> Self {
        Self::from(text.to_string())
    }
}

impl From<Cow<'_, str>> for Message {
    fn from(text: Cow<'_, str>) -> Self {
        Self::from(text.into_owned())
    }
}

impl From<Value> for Message {
    fn from(value: Value) -> Self {
        match value {
            Value::Message(message) => message,
            text @ Value::Text(_) => Self::new(PLAIN, vec![(Cow::Borrowed(""), text)]),
        }
    }
}

impl ToMessage for Message {
    fn message(&self) -> Message {
        self.clone()
    }
}

impl<T: ToMessage + ?Sized> ToMessage for &T {
    fn message(&self) -> Message {
        T::message(self)
    }
}

impl<T: ToMessage + ?Sized> ToMessage for Box<T> {
    fn message(&self) -> Message {
        T::message(self)
    }
}

/// An error that a message was put in is that message.
impl ToMessage for io::Error {
    fn message(&self) -> Message {
        let within = self.get_ref().and_then(|error| error.downcast_ref::<Message>());
        within.cloned().unwrap_or_else(|| Message::from(self.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::{Message, ToMessage, Value, message};

    #[derive(Debug, thiserror::Error, ToMessage)]
    enum Fault {
        #[error("line {line}: {}", .what.to_uppercase())]
        Named { line: u32, what: String },
        #[error("{0:>4} of {1} within {{braces}}")]
        Numbered(u32, &'static str),
        #[error("{name} and {}", *.0 + 1, name = .0)]
        Counted(u32),
        #[error(transparent)]
        Other(Box<Self>),
        #[error(transparent)]
        File(std::io::Error),
        #[error("cannot go on: {0}")]
        Within(Box<Self>),
    }

    #[test]
    fn derived_messages_say_what_errors_say() {
        let faults = [
            Fault::Named { line: 3, what: "bad".to_owned() },
            Fault::Numbered(7, "x"),
            Fault::Counted(1),
            Fault::Other(Box::new(Fault::Counted(2))),
            Fault::File(std::io::Error::other(message!("{} is in use", "a.book"))),
            Fault::Within(Box::new(Fault::Numbered(7, "x"))),
        ];
        for fault in faults {
            assert_eq!(fault.message().to_string(), fault.to_string());
        }
    }

    #[test]
    fn messages_stay_within_messages() {
        let inner = message!("{} is in use", "a.book");
        let outer = message!("cannot write: {inner}, {:>3}", 5);
        assert_eq!(outer.to_string(), "cannot write: a.book is in use,   5");
        let [(_, Value::Message(within)), (_, Value::Text(number))] = outer.values() else {
            panic!("{outer:?}");
        };
        assert_eq!((within.template(), number.as_str()), ("{} is in use", "  5"));
        let error = std::io::Error::other(inner.clone());
        assert_eq!(error.message().template(), "{} is in use");
        assert_eq!(Message::list([inner.clone(), inner]).template(), "{}; {}");
    }
}
