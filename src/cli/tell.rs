//! Lines on standard error, and answers as JSON.

use std::io::Write;

use serde::Serialize;

use crate::language;
use juzhong::bytes::visible::VisibleLines;
use juzhong::message::Message;

/// Writes a line to standard error. If nobody reads it any more, the work goes on all the same.
pub(crate) fn tell(line: impl Into<Message>) {
    // In one piece, so that the lines of several processes do not mix.
    let line = format!("{}\n", VisibleLines(language::told(line)));
    let _unheard = std::io::stderr().lock().write_all(line.as_bytes());
}

/// Writes an answer as a line of JSON, with its members in the order of their names.
pub(crate) fn write_answer(out: &mut dyn Write, answer: &impl Serialize) -> std::io::Result<()> {
    writeln!(out, "{}", serde_json::to_value(answer)?)
}
