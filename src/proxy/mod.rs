//! A foreign engine with this program's books and tablebases in front of it.
//!
//! To the GUI the proxy is one engine: a book move comes at once, a decided endgame is played by the
//! tablebases, everything else is passed through. Either side may use any of the protocols; differences are
//! translated. Whatever the engine does or leaves undone, each `go` has its answer in time: an engine that
//! crashes, falls silent or does not read is started again once, with its options and position; when it fails
//! again, this program plays on by itself.
//!
//! | module       | what it is for                                                        |
//! |--------------|-----------------------------------------------------------------------|
//! | `board`      | the position, for the engine and for us                               |
//! | `front`      | our book and tablebases, opened beside the session                    |
//! | `options`    | the options of the engine and ours as one list                        |
//! | `info`       | the engine's `info` lines in the dialect of the GUI                   |
//! | `backend`    | the engine that answers, its handshake                                |
//! | `failures`   | the failures of the engine, and who plays on                          |
//! | `own_engine` | this program's own engine as the backend                              |
//! | `search`     | a `go` without answer, and the time at which its answer must come     |
//! | `session`    | the state between all of these                                        |
//!
//! The syntax of the GUI's lines and of the engine's is known to [`protocol`](crate::protocol) alone.
//!
//! One thread reads the GUI, some belong to the engine; the caller's own receives the events of all from one
//! bounded channel, owns the state, and writes.

#![deny(clippy::panic, clippy::unwrap_used, clippy::expect_used, clippy::todo)]

mod backend;
mod board;
mod failures;
mod front;
mod info;
mod options;
mod own_engine;
mod search;
mod session;
mod start;

use std::io::{BufRead, Write};

use crate::bytes::StopFlag;
use crate::protocol::{channel, listen};
use session::Session;
pub use start::{ProxyError, ProxyOptions};

/// Runs a session until `quit`, the end of the input or until `stop` is set (it is looked at ten times a
/// second). At the end of the input endless searches are stopped, others may take ten seconds, so
/// that commands can be piped in. The engine's process is ended in any case.
///
/// # Errors
///
/// If the engine cannot be started, our own part not be set up, or `output` not be written to.
pub fn serve(
    input: impl BufRead + Send + 'static,
    output: &mut dyn Write,
    options: ProxyOptions,
    stop: &StopFlag,
) -> Result<(), ProxyError> {
    let (sender, events) = channel();
    let session = Session::new(options, (sender.clone(), events), output, stop)?;
    listen("proxy input", "quit", input, sender)?;
    Ok(session.run()?)
}
