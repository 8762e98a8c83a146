//! Messages for people.

use crate::message::{Message, ToMessage};
use std::error::Error;

/// An error with its causes.
#[must_use]
pub fn in_full(error: &(impl Error + ToMessage)) -> Message {
    error.message().with_causes(error)
}
