//! The help of the commands, in the language of the process.

use clap::builder::StyledStr;
use clap::{Arg, Command};

use super::{CHINESE, Language};

/// The texts that clap itself writes into help.
pub(crate) const OF_CLAP: [&str; 16] = [
    "Print help for the subcommand(s)",
    "Usage: ",
    "Usage:",
    "Options:",
    "Commands:",
    "Arguments:",
    "Possible values:",
    "Print help (see more with '--help')",
    "Print help (see a summary with '-h')",
    "Print help",
    "Print version",
    "Print this message or the help of the given subcommand(s)",
    "[default: ",
    "[possible values: ",
    "[alias: ",
    "[aliases: ",
];

/// The commands with their help in the language of the process.
pub(crate) fn localized(command: Command) -> Command {
    match Language::current() {
        Language::En => command,
        Language::Zh => with_texts(command, &|text| CHINESE.get(text).unwrap_or(text).to_owned()),
    }
}

/// Rendered help of `program` with the texts of clap, and of the values of options, in the language of the process.
pub(crate) fn rendered(help: String, program: &Command) -> String {
    if Language::current() == Language::En {
        return help;
    }
    let mut of_values = Vec::new();
    texts_of_values(program, &mut of_values);
    let texts = OF_CLAP.into_iter().chain(of_values.iter().map(String::as_str));
    // Some texts begin others.
    let mut texts: Vec<&str> = texts.collect();
    texts.sort_by_key(|text| std::cmp::Reverse(text.len()));
    texts.into_iter().fold(help, |help, text| match CHINESE.get(text) {
        Some(translation) => help.replace(text, translation),
        None => help,
    })
}

/// The texts of the values that options take, and the headings of groups of options; clap cannot replace them in a command.
pub(crate) fn texts_of_values(command: &Command, texts: &mut Vec<String>) {
    texts.extend(command.get_arguments().filter_map(Arg::get_help_heading).map(|heading| {
        // As it stands in the help: without the colon it may be a word of a sentence.
        format!("{heading}:")
    }));
    for value in command.get_arguments().flat_map(Arg::get_possible_values) {
        texts.extend(value.get_help().map(ToString::to_string));
    }
    for command in command.get_subcommands() {
        texts_of_values(command, texts);
    }
}

/// The command with every text of its help replaced, paragraph by paragraph.
pub(crate) fn with_texts(mut command: Command, replace: &dyn Fn(&str) -> String) -> Command {
    let text = |styled: &StyledStr| {
        let paragraphs: Vec<String> = styled.to_string().split("\n\n").map(replace).collect();
        paragraphs.join("\n\n")
    };
    if let Some(about) = command.get_about().map(text) {
        command = command.about(about);
    }
    if let Some(about) = command.get_long_about().map(text) {
        command = command.long_about(about);
    }
    if let Some(help) = command.get_after_help().map(text) {
        command = command.after_help(help);
    }
    if let Some(help) = command.get_after_long_help().map(text) {
        command = command.after_long_help(help);
    }
    command = command.mut_args(|mut arg| {
        if let Some(help) = arg.get_help().map(text) {
            arg = arg.help(help);
        }
        if let Some(help) = arg.get_long_help().map(text) {
            arg = arg.long_help(help);
        }
        arg
    });
    command.mut_subcommands(|command| with_texts(command, replace))
}
