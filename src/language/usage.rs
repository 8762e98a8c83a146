//! Errors of a wrong command line, by the kind and the values that clap gives them.

use std::error::Error;
use std::num::{IntErrorKind, ParseFloatError, ParseIntError};

use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use juzhong::message::{Message, message};

use super::error_messages::message_of;
use super::{rendered, translated, word};

/// The remedy for what is no number.
const WHOLE_NUMBER: &str = "write a whole number";

/// The option that shows help.
const HELP: &str = "--help";

/// The text of an error about usage of `program`, put together as clap does it, in the language of the process. `range`
/// is asked for the numbers that the option takes where a number cannot be read.
pub(crate) fn text(
    error: &clap::Error,
    program: &clap::Command,
    range: impl Fn(&str) -> Option<String>,
) -> String {
    let Some(fault) = worded(error, reason(error, range)) else {
        // Help that is shown for want of arguments, or a fault that no command line of this program has.
        return rendered(error.render().to_string(), program);
    };
    let fault = format!("{}{}", word("error: "), translated(fault));
    let fault = [fault].into_iter().chain(details(error)).collect::<Vec<_>>().join("\n  ");
    let tips: Vec<String> =
        tips(error).into_iter().map(|tip| format!("  {}", translated(tip))).collect();
    let more = translated(message!("For more information, try '{}'.", HELP));
    let tips = (!tips.is_empty()).then(|| tips.join("\n"));
    let blocks = [Some(fault), tips, usage(error), Some(more)];
    let text = blocks.into_iter().flatten().collect::<Vec<_>>().join("\n\n");
    // Without what would be colours on a terminal: a value may bring some.
    StyledStr::from(text + "\n").to_string()
}

/// The usage of the command that was typed.
fn usage(error: &clap::Error) -> Option<String> {
    let Some(ContextValue::StyledStr(usage)) = error.get(ContextKind::Usage) else { return None };
    let usage = usage.to_string();
    Some(match usage.strip_prefix("Usage: ") {
        Some(rest) => [word("Usage: "), rest].concat(),
        None => usage,
    })
}

/// The reason why a value is refused: of a number with the numbers that go.
fn reason(error: &clap::Error, range: impl Fn(&str) -> Option<String>) -> Option<Message> {
    let fault = error.source()?;
    let value = string(error, ContextKind::InvalidValue).unwrap_or_default();
    if let Some(number) = fault.downcast_ref::<ParseIntError>() {
        return Some(match number.kind() {
            IntErrorKind::Empty | IntErrorKind::InvalidDigit => whole_number(error, range),
            IntErrorKind::PosOverflow => "the number is too large".into(),
            IntErrorKind::NegOverflow => "the number is too small".into(),
            _ => message_of(fault),
        });
    }
    if fault.is::<ParseFloatError>() && !value.is_empty() {
        return Some("write a number".into());
    }
    // Of a number outside of its range clap gives nothing but a finished text.
    match fault.to_string().strip_prefix(&format!("{value} is not in ")) {
        Some(range) => Some(message!("{} is not in {}", value, range)),
        None => Some(message_of(fault)),
    }
}

/// The remedy for what is no whole number, with the numbers that the option takes.
fn whole_number(error: &clap::Error, range: impl Fn(&str) -> Option<String>) -> Message {
    let option = string(error, ContextKind::InvalidArg).unwrap_or_default();
    let name = option.split(' ').next().unwrap_or_default().trim_start_matches('-');
    match range(name) {
        Some(range) => message!("write a whole number in {range}"),
        None => WHOLE_NUMBER.into(),
    }
}

/// The lines below the fault: what is missing or in the way, or what there is to choose from.
fn details(error: &clap::Error) -> Vec<String> {
    match error.kind() {
        ErrorKind::ArgumentConflict => listed(error, ContextKind::PriorArg).to_vec(),
        ErrorKind::MissingRequiredArgument => listed(error, ContextKind::InvalidArg).to_vec(),
        ErrorKind::InvalidValue => {
            let values = choices(listed(error, ContextKind::ValidValue));
            values.map(|it| translated(message!("[possible values: {}]", it))).into_iter().collect()
        }
        ErrorKind::MissingSubcommand => {
            let commands = choices(listed(error, ContextKind::ValidSubcommand));
            commands.map(|it| translated(message!("[subcommands: {}]", it))).into_iter().collect()
        }
        _ => Vec::new(),
    }
}

/// Texts of the context of an error; none where it has none.
fn listed(error: &clap::Error, kind: ContextKind) -> &[String] {
    strings(error, kind).unwrap_or_default()
}

/// Values with commas between them, those with blanks, or empty, in quotation marks.
fn choices(values: &[String]) -> Option<String> {
    let quoted =
        values.iter().map(|value| match value.is_empty() || value.contains(char::is_whitespace) {
            true => format!("{value:?}"),
            false => value.clone(),
        });
    (!values.is_empty()).then(|| quoted.collect::<Vec<_>>().join(", "))
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
        ErrorKind::ArgumentConflict => conflict(error, argument?)?,
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
        ErrorKind::TooFewValues => too_few_values(error, argument?)?,
        // No texts of this program: its command line seldom gives rise to them.
        ErrorKind::TooManyValues => {
            let place = argument?;
            format!("unexpected value '{value}' for '{place}' found; no more were expected").into()
        }
        ErrorKind::WrongNumberOfValues => {
            let wanted = number(error, ContextKind::ExpectedNumValues)?;
            let given = number(error, ContextKind::ActualNumValues)?;
            let were = if given > 1 { "were" } else { "was" };
            let place = argument?;
            format!("{wanted} values required for '{place}' but {given} {were} provided").into()
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

/// Too few values of an argument, as clap words it.
fn too_few_values(error: &clap::Error, argument: &str) -> Option<Message> {
    let least = number(error, ContextKind::MinValues)?;
    Some(match number(error, ContextKind::ActualNumValues)? {
        1 => message!("{} values required by '{}'; only {} was provided", least, argument, 1),
        given => {
            message!("{} values required by '{}'; only {} were provided", least, argument, given)
        }
    })
}

/// A number of the context of an error.
fn number(error: &clap::Error, kind: ContextKind) -> Option<isize> {
    match error.get(kind)? {
        ContextValue::Number(number) => Some(*number),
        _ => None,
    }
}

/// The fault of arguments that cannot stand together; several others follow in lines of their own.
fn conflict(error: &clap::Error, argument: &str) -> Option<Message> {
    match error.get(ContextKind::PriorArg)? {
        ContextValue::String(prior) if prior == argument => {
            Some(message!("the argument '{}' cannot be used multiple times", argument))
        }
        ContextValue::String(prior) => {
            Some(message!("the argument '{}' cannot be used with '{}'", argument, prior))
        }
        ContextValue::Strings(_) => {
            Some(message!("the argument '{}' cannot be used with:", argument))
        }
        _ => None,
    }
}

/// The hints at what was meant, in the order of clap.
fn tips(error: &clap::Error) -> Vec<Message> {
    let mut tips = Vec::new();
    tips.extend(similar(error, ContextKind::SuggestedSubcommand).map(|names| match names {
        Similar::One(one) => message!("tip: a similar subcommand exists: '{}'", one),
        Similar::Some(some) => message!("tip: some similar subcommands exist: {}", some),
    }));
    tips.extend(similar(error, ContextKind::SuggestedArg).map(|names| match names {
        Similar::One(one) => message!("tip: a similar argument exists: '{}'", one),
        Similar::Some(some) => message!("tip: some similar arguments exist: {}", some),
    }));
    tips.extend(similar(error, ContextKind::SuggestedValue).map(|names| match names {
        Similar::One(one) => message!("tip: a similar value exists: '{}'", one),
        Similar::Some(some) => message!("tip: some similar values exist: {}", some),
    }));
    if let Some(ContextValue::StyledStrs(suggested)) = error.get(ContextKind::Suggested) {
        let argument = string(error, ContextKind::InvalidArg).unwrap_or_default();
        tips.extend(suggested.iter().map(|text| suggestion(&text.to_string(), argument)));
    }
    tips
}

/// The names like the one that was typed.
enum Similar {
    One(String),
    /// Several, each in quotation marks.
    Some(String),
}

/// The similar names of a kind.
fn similar(error: &clap::Error, kind: ContextKind) -> Option<Similar> {
    match error.get(kind)? {
        ContextValue::String(one) => Some(Similar::One(one.clone())),
        ContextValue::Strings(all) => match all.as_slice() {
            [one] => Some(Similar::One(one.clone())),
            all => {
                let quoted: Vec<String> = all.iter().map(|name| format!("'{name}'")).collect();
                Some(Similar::Some(quoted.join(", ")))
            }
        },
        _ => None,
    }
}

/// The message of a suggestion about an argument, of which clap gives nothing but the finished text.
fn suggestion(text: &str, argument: &str) -> Message {
    let as_value =
        message!("tip: to pass '{}' as a value, use '{}'", argument, format!("-- {argument}"));
    let as_command =
        message!("tip: subcommand '{}' exists; to use it, remove the '--' before it", argument);
    // Messages are English as texts, and so is what clap has written: equal texts are the same suggestion.
    let whole = ["tip: ", text].concat();
    if let Some(known) = [as_value, as_command].into_iter().find(|it| it.to_string() == whole) {
        return known;
    }
    match text.strip_prefix('\'').and_then(|text| text.strip_suffix("' exists")) {
        Some(option) => message!("tip: '{}' exists", option),
        None => whole.into(),
    }
}

/// Texts of the context of an error.
fn strings(error: &clap::Error, kind: ContextKind) -> Option<&[String]> {
    match error.get(kind)? {
        ContextValue::Strings(texts) => Some(texts),
        _ => None,
    }
}

/// A text of the context of an error.
fn string(error: &clap::Error, kind: ContextKind) -> Option<&str> {
    match error.get(kind)? {
        ContextValue::String(text) => Some(text),
        _ => None,
    }
}
