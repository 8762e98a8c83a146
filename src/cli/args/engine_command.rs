//! Engines as they are named on the command line: a name of the settings, or the command that starts one; its protocol,
//! its options.

use crate::cli::{CliError, exit, notice};
use juzhong::bytes::StopFlag;
use juzhong::contest::{MAX_ENGINES, engine_letter};
use juzhong::message::message;
use juzhong::protocol::Dialect;
use juzhong::protocol::client::{
    Client, ClientError, EngineCommand, EngineEntry, Timeouts, is_engine_name,
};

/// The name of the own engine.
pub(crate) const OWN: &str = "self";
/// Its other name, of old.
const OWN_OF_OLD: &str = "own";

/// Returns true if that is the name of the own engine.
pub(crate) fn is_own(name: &str) -> bool {
    name == OWN || name == OWN_OF_OLD
}

/// The protocol that an engine is given on the command line; `None` to find out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Spoken(pub(crate) Option<Dialect>);

/// Reads the name of a protocol.
pub(crate) fn parse_protocol(text: &str) -> Result<Spoken, String> {
    if text.eq_ignore_ascii_case("auto") {
        return Ok(Spoken(None));
    }
    match text.parse::<Dialect>() {
        Ok(dialect) => Ok(Spoken(Some(dialect))),
        Err(_) => Err("choose auto, uci, ucci, cyclone or gomocup".to_owned()),
    }
}

/// The name of a protocol.
pub(crate) const fn protocol_name(protocol: Dialect) -> &'static str {
    match protocol {
        Dialect::Uci => "uci",
        Dialect::Ucci => "ucci",
        Dialect::Cyclone => "cyclone",
        Dialect::Gomocup => "gomocup",
    }
}

/// Reads the seconds that an engine may take.
pub(crate) fn parse_seconds(text: &str) -> Result<f64, String> {
    let seconds = text.parse().ok().filter(|seconds| (0.1..=3600.0).contains(seconds));
    seconds.ok_or_else(|| "seconds go from 0.1 to 3600".to_owned())
}

/// Reads `NAME=VALUE`.
pub(crate) fn parse_option(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.trim().is_empty() => {
            Ok((name.trim().to_owned(), value.trim().to_owned()))
        }
        _ => Err("write NAME=VALUE".to_owned()),
    }
}

/// A value for one of several engines.
#[derive(Debug, Clone)]
pub(crate) struct OfEngine<T> {
    /// The number of the engine, from 0.
    pub(crate) engine: usize,
    pub(crate) value: T,
}

/// Reads `LETTER:VALUE`; `a` is the first engine.
pub(crate) fn parse_lettered<T>(
    text: &str,
    parse: impl Fn(&str) -> Result<T, String>,
) -> Result<OfEngine<T>, String> {
    // Without a colon both are empty, and no engine has an empty letter.
    let (letter, value) = text.split_once(':').unwrap_or_default();
    let engine = (0..MAX_ENGINES).find(|&engine| letter.trim().chars().eq([engine_letter(engine)]));
    let engine = engine.ok_or("write the letter of the engine and a colon first, as in c:")?;
    Ok(OfEngine { engine, value: parse(value)? })
}

/// The engine that a text names, of those of the settings first, else by the command that starts it; `None` for the own
/// one.
pub(crate) fn named_engine(
    text: &str,
    engines: &[EngineEntry],
) -> Result<Option<EngineEntry>, CliError> {
    if is_own(text) {
        return Ok(None);
    }
    if let Some(entry) = engines.iter().find(|entry| entry.name == text) {
        return Ok(Some(entry.clone()));
    }
    let command = EngineCommand::parse(text).filter(|command| !command.program.is_empty());
    let command = command.ok_or_else(|| {
        let message = message!("no program in \"{text}\", or a quote is not closed");
        CliError::message(exit::USAGE, message)
    })?;
    Ok(Some(EngineEntry::of_command(command)))
}

/// Refuses an engine that is known to play another game than the one of the command.
pub(crate) fn require_game(entry: &EngineEntry, game: &'static str) -> Result<(), CliError> {
    let Some(other) = entry.plays().filter(|&plays| plays != game) else { return Ok(()) };
    let name = &entry.name;
    let message = message!(
        "{name} is an engine for {other}, not for {game}; name another one, or add --game {other}"
    );
    Err(CliError::message(exit::USAGE, message))
}

/// Starts an engine with its options set, and tells its warnings. It is given up at once when `stop` is set.
pub(crate) fn started(
    entry: &EngineEntry,
    timeouts: Timeouts,
    stop: &StopFlag,
) -> Result<Client, CliError> {
    let mut client =
        entry.start_until(timeouts, stop).map_err(|error| not_started(error, entry))?;
    tell_engine_warnings(&mut client);
    Ok(client)
}

/// Tells the messages of an engine between searches, for people.
pub(crate) fn tell_engine_warnings(client: &mut Client) {
    for warning in client.take_warnings() {
        notice(message!("{}: {warning}", client.name()));
    }
}

/// The error of an engine that does not start. What looks like a name may be one of the settings, misspelt.
pub(crate) fn not_started(error: ClientError, entry: &EngineEntry) -> CliError {
    let is_start = matches!(error, ClientError::Start { .. });
    let fault = engine_fault(error);
    let program = &entry.command.program;
    // A bare word may have been meant as the name of an engine in the settings.
    match is_start && entry.name == *program && is_engine_name(program) {
        true => fault
            .within(message!("no engine of the settings is called {program}, and as a program")),
        false => fault,
    }
}

/// The error of an engine, with its remedy where that is known.
pub(crate) fn engine_fault(error: ClientError) -> CliError {
    match error.remedy() {
        Some(remedy) => CliError::new(exit::UNAVAILABLE, error).within(remedy),
        None => CliError::new(exit::UNAVAILABLE, error),
    }
}
