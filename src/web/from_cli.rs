//! What handlers take from the command line whose answers are still made there.

use super::params::Common;
use super::problem::Problem;
use crate::cli::line_args::{LineArgs, NotationArgs};
use crate::cli::{CliError, exit};
use juzhong::answers::{Described, LineRequest, Typed};
use juzhong::book::{BookError, EditError};

impl Common {
    /// The position with the moves before it.
    pub(crate) fn line(&self) -> Result<LineArgs, Problem> {
        let LineRequest { fen, moves, .. } = self.request()?;
        let moves = if moves.is_empty() { Vec::new() } else { vec![moves] };
        Ok(LineArgs { fen, moves, ..LineArgs::default() })
    }

    /// The notation in which texts of moves are wanted.
    pub(crate) fn notation(&self) -> Result<NotationArgs, Problem> {
        self.asked_notation().map(NotationArgs::of)
    }
}

/// The line that a request names, in the game `G`.
pub(crate) fn read_line<G: Described>(args: &LineArgs) -> Result<Typed<G>, Problem> {
    Ok(args.read::<G>()?)
}

/// Faults of the server's own files are not the client's, whatever exit code they lead to.
impl From<CliError> for Problem {
    fn from(error: CliError) -> Self {
        if let Some(error) = error.cause::<BookError>() {
            return error.into();
        }
        if let Some(error) = error.cause::<EditError>() {
            return error.into();
        }
        let text = error.text();
        match error.code() {
            exit::USAGE | exit::BAD_DATA => Self::bad_request(without_option(&text)),
            exit::NO_INPUT => Self::not_found("not_found", text),
            exit::UNAVAILABLE | exit::INTERRUPTED => Self::unavailable(text),
            _ => Self::internal(text),
        }
    }
}

/// A message of the command line without the name of the option in front, which requests do not have.
fn without_option(message: &str) -> &str {
    match message.strip_prefix("--").and_then(|rest| rest.split_once(": ")) {
        Some((option, message)) if !option.contains(' ') => message,
        _ => message,
    }
}
