use std::fmt::Display;
use std::io::{self, Write};

use clap::error::{ContextKind, ContextValue, ErrorKind};

use super::language::{self, text, word};
use juzhong::bytes::visible::VisibleLines;

/// Fine: every answered query, whatever the answer.
pub(crate) const OK: u8 = 0;
/// Verify, doctor or match failed, or a book query found no entry.
pub(crate) const FAILED: u8 = 1;
/// The command line is wrong.
pub(crate) const USAGE: u8 = 2;
/// Bad input data.
pub(crate) const BAD_DATA: u8 = 65;
/// Input is missing.
pub(crate) const NO_INPUT: u8 = 66;
/// An engine is unavailable.
pub(crate) const UNAVAILABLE: u8 = 69;
/// An output cannot be created.
pub(crate) const CANNOT_CREATE: u8 = 73;
/// Reading or writing failed.
pub(crate) const IO: u8 = 74;
/// Interrupted; run again to resume.
pub(crate) const INTERRUPTED: u8 = 75;

/// An error with the exit code it leads to.
#[derive(Debug)]
pub(crate) struct CliError {
    code: u8,
    error: anyhow::Error,
}

impl CliError {
    /// An error that ends the program with `code`.
    pub(crate) fn new(code: u8, error: impl Into<anyhow::Error>) -> Self {
        Self { code, error: error.into() }
    }

    /// An error made of a message.
    pub(crate) fn message(code: u8, message: impl Display) -> Self {
        Self { code, error: anyhow::anyhow!("{message}") }
    }

    /// The exit code.
    #[cfg(feature = "web")]
    pub(crate) const fn code(&self) -> u8 {
        self.code
    }

    /// The cause of that type.
    #[cfg(feature = "web")]
    pub(crate) fn cause<E: std::error::Error + Send + Sync + 'static>(&self) -> Option<&E> {
        self.error.downcast_ref()
    }

    /// The error with its causes, in the language of the work in hand.
    #[cfg(feature = "web")]
    pub(crate) fn text(&self) -> String {
        self.texts().join(language::colon())
    }

    /// The error and its causes.
    fn texts(&self) -> Vec<String> {
        self.error.chain().map(|cause| language::message(&cause.to_string())).collect()
    }

    /// The error, with what was being done.
    #[must_use]
    pub(crate) fn within(self, context: impl Display) -> Self {
        Self { error: self.error.context(context.to_string()), ..self }
    }

    /// Prints the error with its causes and returns the exit code. A closed pipe is no error.
    pub(super) fn report(&self) -> u8 {
        if let Some(error) = self.error.downcast_ref::<io::Error>()
            && error.kind() == io::ErrorKind::BrokenPipe
        {
            return OK;
        }
        let colon = language::colon();
        super::tell(format_args!("juzhong{colon}{}", self.texts().join(colon)));
        self.code
    }
}

impl From<io::Error> for CliError {
    /// An error of writing to standard output.
    fn from(error: io::Error) -> Self {
        Self::new(IO, error)
    }
}

impl From<serde_json::Error> for CliError {
    fn from(error: serde_json::Error) -> Self {
        Self::from(io::Error::from(error))
    }
}

/// Gives an error the exit code it leads to.
pub(crate) trait OrExit<T> {
    /// Ends the program with `code` on error.
    ///
    /// # Errors
    ///
    /// The error, with the code.
    fn or_exit(self, code: u8) -> Result<T, CliError>;

    /// Ends the program with `code` on error, saying what was being done.
    ///
    /// # Errors
    ///
    /// The error, with the code and the context.
    fn or_exit_with<D: Display>(self, code: u8, context: impl FnOnce() -> D)
    -> Result<T, CliError>;
}

impl<T, E: Into<anyhow::Error>> OrExit<T> for Result<T, E> {
    fn or_exit(self, code: u8) -> Result<T, CliError> {
        self.map_err(|error| CliError::new(code, error))
    }

    fn or_exit_with<D: Display>(
        self,
        code: u8,
        context: impl FnOnce() -> D,
    ) -> Result<T, CliError> {
        self.map_err(|error| CliError { code, error: error.into().context(context().to_string()) })
    }
}

/// Help and version go to `out` with code 0, usage errors to standard error with code 2.
pub(super) fn from_clap(error: &clap::Error, out: &mut dyn Write) -> u8 {
    let text = error.render().to_string();
    if error.use_stderr() {
        let text = in_plain_words(&text);
        let text = match text.strip_prefix("error: ") {
            Some(rest) => [word("error: "), &language::message(rest)].concat(),
            None => language::message(&text),
        };
        let text = language::rendered(text);
        eprint!("{}{}", VisibleLines(text), command_meant(error).unwrap_or_default());
        return USAGE;
    }
    match write!(out, "{}", language::rendered(text)).and_then(|()| out.flush()) {
        Ok(()) => OK,
        Err(error) => CliError::from(error).report(),
    }
}

/// The message with the remedy where the standard library only names the fault of a number.
pub(super) fn in_plain_words(text: &str) -> String {
    [
        ("invalid digit found in string", "write a whole number"),
        ("cannot parse integer from empty string", "write a whole number"),
        ("number too large to fit in target type", "the number is too large"),
        ("number too small to fit in target type", "the number is too small"),
        ("invalid float literal", "write a number"),
    ]
    .into_iter()
    .fold(text.to_owned(), |text, (fault, remedy)| text.replace(fault, remedy))
}

/// The command that was meant if only its last word was typed: `query` for `book query`.
fn command_meant(error: &clap::Error) -> Option<String> {
    if error.kind() != ErrorKind::InvalidSubcommand {
        return None;
    }
    let ContextValue::String(typed) = error.get(ContextKind::InvalidSubcommand)? else {
        return None;
    };
    let program = super::command_line();
    let groups = program.get_subcommands().filter(|group| group.find_subcommand(typed).is_some());
    let meant: Vec<String> =
        groups.map(|group| format!("juzhong {} {typed}", group.get_name())).collect();
    (!meant.is_empty())
        .then(|| format!("\n{}\n", text!("Did you mean {}?", meant.join(word(" or ")))))
}
