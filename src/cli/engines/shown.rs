//! Engines and their trials, for people and for programs.

use std::io;

use super::trial::Trial;
use crate::cli::Context;
use crate::cli::args::engine_command::protocol_name;
use crate::language::{say, text};
use juzhong::answers::{AnnouncedOption, EngineAnswer, EngineOptionValue, EngineTrial};
use juzhong::bytes::visible::Visible;
use juzhong::protocol::Ranks;
use juzhong::protocol::client::{EngineCommand, EngineEntry};

/// An engine of the settings as programs read it.
pub(crate) fn answer_of(entry: &EngineEntry) -> EngineAnswer {
    EngineAnswer {
        name: entry.name.clone(),
        command: words_of(&entry.command),
        protocol: entry.protocol.map(protocol_name),
        game: entry.plays(),
        options: entry.options.iter().map(option_value).collect(),
        threads: entry.threads,
        hash: entry.hash,
        at_once: entry.at_once,
    }
}

/// An option of an engine with its value, as programs read it.
fn option_value((name, value): &(String, String)) -> EngineOptionValue {
    EngineOptionValue { name: name.clone(), value: value.clone() }
}

/// The program and its arguments.
pub(crate) fn words_of(command: &EngineCommand) -> Vec<String> {
    std::iter::once(&command.program).chain(&command.args).cloned().collect()
}

/// The command in one line.
pub(crate) fn command_text(command: &EngineCommand) -> String {
    command.text().unwrap_or_else(|| words_of(command).join(" "))
}

/// The values of an engine that are no defaults, in one line.
pub(crate) fn values_text(entry: &EngineEntry) -> String {
    let sizes = [("threads", entry.threads), ("hash", entry.hash)];
    let sizes = sizes.into_iter().filter_map(|(name, value)| Some(format!("{name} {}", value?)));
    let protocol = entry.protocol.map(|protocol| protocol_name(protocol).to_owned());
    let options = entry.options.iter().map(|(name, value)| format!("{name}={value}"));
    let at_once = (entry.at_once > 1).then(|| format!("at-once {}", entry.at_once));
    let game = entry.game.map(str::to_owned);
    protocol
        .into_iter()
        .chain(game)
        .chain(sizes)
        .chain(at_once)
        .chain(options)
        .collect::<Vec<_>>()
        .join(", ")
}

/// A trial as programs read it.
pub(crate) fn trial_answer(trial: &Trial) -> EngineTrial {
    EngineTrial {
        name: trial.name.clone(),
        protocol: protocol_name(trial.protocol),
        first_rank: first_rank(trial.ranks),
        options: trial.options.iter().map(announced_option).collect(),
        best: trial.best.clone(),
        depth: trial.depth,
        start_ms: trial.start.as_millis() as u64,
        ready_ms: trial.ready.as_millis() as u64,
        search_ms: trial.search.as_millis() as u64,
        end_ms: trial.end.as_millis() as u64,
        warnings: trial.warnings.clone(),
    }
}

/// An option as the engine announced it, as programs read it.
fn announced_option((name, announced): &(String, String)) -> AnnouncedOption {
    AnnouncedOption { name: name.clone(), announced: announced.clone() }
}

const fn first_rank(ranks: Ranks) -> u8 {
    match ranks {
        Ranks::FromZero => 0,
        Ranks::FromOne => 1,
    }
}

/// Prints a trial.
pub(crate) fn print_trial(trial: &Trial, context: &mut Context<'_>) -> io::Result<()> {
    let out = &mut *context.out;
    let (protocol, rank) = (protocol_name(trial.protocol), first_rank(trial.ranks));
    say!(out, "name      {}", Visible(&trial.name))?;
    say!(out, "protocol  {protocol}, ranks counted from {rank}")?;
    for (name, announced) in &trial.options {
        say!(out, "option    {}: {}", Visible(name), Visible(announced))?;
    }
    for warning in &trial.warnings {
        say!(out, "it says   {}", Visible(warning))?;
    }
    let [start, ready, search, end] =
        [trial.start, trial.ready, trial.search, trial.end].map(|time| time.as_millis());
    say!(out, "started   in {start} ms, ready for a game in {ready} ms")?;
    let best = trial.best.clone().unwrap_or_else(|| text!("no move"));
    say!(out, "searched  {best} at depth {}, in {search} ms", trial.depth)?;
    match trial.ended {
        true => say!(out, "ended     in {end} ms"),
        false => say!(out, "ended     killed: did not quit within {end} ms"),
    }
}
