//! What clap says of a wrong command line, by its kind and its values.

use std::error::Error;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use juzhong::message::{Message, message};

use super::errors::message_of;
use super::{Language, rendered, told, word};

/// The texts with which the standard library names the fault of a number, and the remedies.
const NUMBERS: [(&str, &str); 5] = [
    ("invalid digit found in string", WHOLE_NUMBER),
    ("cannot parse integer from empty string", WHOLE_NUMBER),
    ("number too large to fit in target type", "the number is too large"),
    ("number too small to fit in target type", "the number is too small"),
    ("invalid float literal", "write a number"),
];
/// The remedy for what is no number.
const WHOLE_NUMBER: &str = "write a whole number";

/// The text of an error about usage of `program` as clap renders it, in the language of the process. `range` is asked
/// for the numbers that the option takes where a number cannot be read.
pub(crate) fn text(
    error: &clap::Error,
    program: &clap::Command,
    range: impl Fn(&str) -> Option<String>,
) -> String {
    let reason = reason(error, range);
    let mut text = error.render().to_string();
    if let (Some(fault), Some(reason)) = (error.source(), &reason) {
        text = text.replacen(&fault.to_string(), &reason.to_string(), 1);
    }
    if Language::current() == Language::En {
        return text;
    }
    for message in messages(error, reason) {
        text = text.replacen(&message.to_string(), &told(message), 1);
    }
    let text = match text.strip_prefix("error: ") {
        Some(rest) => [word("error: "), rest].concat(),
        None => text,
    };
    rendered(text, program)
}

/// The reason why a value is refused: of a number with the numbers that go.
fn reason(error: &clap::Error, range: impl Fn(&str) -> Option<String>) -> Option<Message> {
    let fault = error.source()?;
    let text = fault.to_string();
    if let Some((_, remedy)) = NUMBERS.into_iter().find(|(number, _)| *number == text) {
        let option = string(error, ContextKind::InvalidArg).unwrap_or_default();
        let name = option.split(' ').next().unwrap_or_default().trim_start_matches('-');
        let range = (remedy == WHOLE_NUMBER).then(|| range(name)).flatten();
        return Some(match range {
            Some(range) => message!("write a whole number in {range}"),
            None => remedy.into(),
        });
    }
    let value = string(error, ContextKind::InvalidValue).unwrap_or_default();
    match text.strip_prefix(&format!("{value} is not in ")) {
        Some(range) => Some(message!("{} is not in {}", value, range)),
        None => Some(message_of(fault)),
    }
}

/// The messages of which clap makes the text, the longest of several that begin alike first.
fn messages(error: &clap::Error, reason: Option<Message>) -> Vec<Message> {
    let mut messages: Vec<Message> = worded(error, reason).into_iter().collect();
    messages.extend(tips(error));
    let list = |kind| match error.get(kind) {
        Some(ContextValue::Strings(values)) if !values.is_empty() => Some(values.join(", ")),
        _ => None,
    };
    messages.extend(list(ContextKind::ValidValue).map(|it| message!("[possible values: {}]", it)));
    messages.extend(list(ContextKind::ValidSubcommand).map(|it| message!("[subcommands: {}]", it)));
    let text = error.render().to_string();
    let more = text.rsplit_once("For more information, try '");
    let more = more.and_then(|(_, more)| more.split_once("'."));
    messages.extend(more.map(|(help, _)| message!("For more information, try '{}'.", help)));
    messages
}

/// The fault of a value, without hints.
pub(crate) fn fault(error: &clap::Error) -> Message {
    worded(error, reason(error, |_| None)).unwrap_or_else(|| error.to_string().into())
}

/// The fault, as clap words it.
fn worded(error: &clap::Error, reason: Option<Message>) -> Option<Message> {
    let argument = string(error, ContextKind::InvalidArg);
    let value = string(error, ContextKind::InvalidValue).unwrap_or_default();
    Some(match error.kind() {
        ErrorKind::ArgumentConflict => conflict(error, argument?),
        ErrorKind::NoEquals => {
            message!("equal sign is needed when assigning values to '{}'", argument?)
        }
        ErrorKind::InvalidValue if value.is_empty() => {
            message!("a value is required for '{}' but none was supplied", argument?)
        }
        ErrorKind::InvalidValue => message!("invalid value '{}' for '{}'", value, argument?),
        ErrorKind::ValueValidation => match reason {
            Some(reason) => message!("invalid value '{}' for '{}': {}", value, argument?, reason),
            None => message!("invalid value '{}' for '{}'", value, argument?),
        },
        ErrorKind::TooFewValues => {
            let least = number(error, ContextKind::MinValues)?;
            match number(error, ContextKind::ActualNumValues)? {
                1 => {
                    message!(
                        "{} values required by '{}'; only {} was provided",
                        least,
                        argument?,
                        1
                    )
                }
                given => {
                    message!(
                        "{} values required by '{}'; only {} were provided",
                        least,
                        argument?,
                        given
                    )
                }
            }
        }
        ErrorKind::UnknownArgument => message!("unexpected argument '{}' found", argument?),
        ErrorKind::InvalidSubcommand => {
            let typed = string(error, ContextKind::InvalidSubcommand)?;
            message!("unrecognized subcommand '{}'", typed)
        }
        ErrorKind::MissingSubcommand => {
            let command = string(error, ContextKind::InvalidSubcommand)?;
            message!("'{}' requires a subcommand but one was not provided", command)
        }
        ErrorKind::MissingRequiredArgument => {
            "the following required arguments were not provided:".into()
        }
        ErrorKind::InvalidUtf8 => "invalid UTF-8 was detected in one or more arguments".into(),
        _ => return None,
    })
}

/// A number of the context of an error.
fn number(error: &clap::Error, kind: ContextKind) -> Option<isize> {
    match error.get(kind)? {
        ContextValue::Number(number) => Some(*number),
        _ => None,
    }
}

fn conflict(error: &clap::Error, argument: &str) -> Message {
    match error.get(ContextKind::PriorArg) {
        Some(ContextValue::String(prior)) if prior == argument => {
            message!("the argument '{}' cannot be used multiple times", argument)
        }
        Some(ContextValue::String(prior)) => {
            message!("the argument '{}' cannot be used with '{}'", argument, prior)
        }
        _ => message!("the argument '{}' cannot be used with:", argument),
    }
}

/// The hints at what was meant.
fn tips(error: &clap::Error) -> Vec<Message> {
    let mut tips = Vec::new();
    let quoted = |values: &[String]| {
        let quoted: Vec<String> = values.iter().map(|value| format!("'{value}'")).collect();
        quoted.join(", ")
    };
    match error.get(ContextKind::SuggestedArg) {
        Some(ContextValue::String(one)) => {
            tips.push(message!("tip: a similar argument exists: '{}'", one));
        }
        Some(ContextValue::Strings(some)) => {
            tips.push(message!("tip: some similar arguments exist: {}", quoted(some)));
        }
        _ => {}
    }
    match error.get(ContextKind::SuggestedSubcommand) {
        Some(ContextValue::Strings(some)) if some.len() == 1 => {
            tips.push(message!("tip: a similar subcommand exists: '{}'", some[0]));
        }
        Some(ContextValue::String(one)) => {
            tips.push(message!("tip: a similar subcommand exists: '{}'", one));
        }
        Some(ContextValue::Strings(some)) => {
            tips.push(message!("tip: some similar subcommands exist: {}", quoted(some)));
        }
        _ => {}
    }
    match error.get(ContextKind::SuggestedValue) {
        Some(ContextValue::String(one)) => {
            tips.push(message!("tip: a similar value exists: '{}'", one));
        }
        Some(ContextValue::Strings(some)) => {
            tips.push(message!("tip: some similar values exist: {}", quoted(some)));
        }
        _ => {}
    }
    if let Some(ContextValue::StyledStrs(suggested)) = error.get(ContextKind::Suggested) {
        let argument = string(error, ContextKind::InvalidArg).unwrap_or_default();
        tips.push(message!(
            "tip: to pass '{}' as a value, use '{}'",
            argument,
            format!("-- {argument}")
        ));
        tips.push(message!(
            "tip: subcommand '{}' exists; to use it, remove the '--' before it",
            argument
        ));
        let texts = suggested.iter().map(ToString::to_string);
        tips.extend(texts.filter_map(|text| {
            let option = text.strip_prefix('\'')?.strip_suffix("' exists")?;
            Some(message!("tip: '{}' exists", option))
        }));
    }
    tips
}

fn string(error: &clap::Error, kind: ContextKind) -> Option<&str> {
    match error.get(kind)? {
        ContextValue::String(text) => Some(text),
        _ => None,
    }
}
