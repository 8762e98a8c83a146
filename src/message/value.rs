//! Values, as they come from the arguments of `message!`.

use std::fmt::Display;

use super::{ToMessage, Value};

/// A value of which [`build`] asks whether it has a message.
#[doc(hidden)]
#[derive(Debug)]
pub struct Shown<'a, T: ?Sized>(pub &'a T);

// Two traits with one method: the compiler looks for it behind one reference first, and only for values without a
// message behind two.

/// The value of what has a message.
#[doc(hidden)]
pub trait MessageValue {
    fn value(&self) -> Value;
}

impl<T: ToMessage + ?Sized> MessageValue for Shown<'_, T> {
    fn value(&self) -> Value {
        Value::Message(self.0.message())
    }
}

/// The value of what has only a text.
#[doc(hidden)]
pub trait TextValue {
    fn value(&self) -> Value;
}

impl<T: Display + ?Sized> TextValue for &Shown<'_, T> {
    fn value(&self) -> Value {
        Value::Text(self.0.to_string())
    }
}
