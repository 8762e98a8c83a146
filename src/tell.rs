//! Lines on standard error.

use std::io::Write;

use crate::language;
use juzhong::bytes::visible::VisibleLines;
use juzhong::message::Message;

/// Writes a line to standard error, behind the name of the program.
pub(crate) fn notice(line: impl Into<Message>) {
    let colon = language::colon();
    tell(format!("juzhong{colon}{}", language::translated(line)));
}

/// Writes a line to standard error. If nobody reads it any more, the work goes on all the same.
pub(crate) fn tell(line: impl Into<Message>) {
    // In one piece, so that the lines of several processes do not mix.
    let line = format!("{}\n", VisibleLines(language::translated(line)));
    let _unheard = std::io::stderr().lock().write_all(line.as_bytes());
}
