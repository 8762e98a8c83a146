//! Typed lines: from an editor with history and completion where both ends are terminals, else as they come.

use std::io::{self, BufRead, IsTerminal, Write, stdin, stdout};

use rustyline::completion::{Completer, FilenameCompleter, Pair};
use rustyline::config::Configurer;
use rustyline::error::ReadlineError;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::history::{History, MemHistory, SearchDirection};
use rustyline::validate::Validator;
use rustyline::{CompletionType, Config, Editor, Helper};

use super::state_file::StateFile;
use juzhong::bytes::read_line;
use juzhong::message::{Message, ToMessage, message};

/// The longest typed line that is read, in bytes.
const MAX_LINE: u64 = 4096;
/// Lines that are remembered.
const MAX_HISTORY: usize = 500;

/// The place that typed lines come from.
pub(crate) enum Prompt {
    /// As they come.
    Lines,
    /// From an editor, which remembers them in a file.
    Editor(Box<Editor<Words, MemHistory>>, Option<StateFile>),
}

/// A line that was typed.
#[derive(Debug)]
pub(crate) enum Entered {
    Line(String),
    /// The reason for which there is no line.
    Unreadable(Message),
    /// The end of the input.
    End,
    Interrupt,
}

/// The words that complete a line.
pub(crate) struct Words {
    /// The words of commands.
    commands: Vec<&'static str>,
    /// Returns true for a typed line in which the name of a file comes next.
    wants_file: fn(&str) -> bool,
    /// Legal moves.
    moves: Vec<String>,
    files: FilenameCompleter,
}

impl Words {
    /// Words of commands; `wants_file` returns true for a typed line in which the name of a file comes next.
    pub(crate) fn new(commands: Vec<&'static str>, wants_file: fn(&str) -> bool) -> Self {
        Self { commands, wants_file, moves: Vec::new(), files: FilenameCompleter::new() }
    }
}

impl Completer for Words {
    type Candidate = Pair;

    fn complete(
        &self,
        line: &str,
        at: usize,
        context: &rustyline::Context<'_>,
    ) -> rustyline::Result<(usize, Vec<Pair>)> {
        let typed = line[..at].trim_start();
        if (self.wants_file)(typed) {
            return self.files.complete(line, at, context);
        }
        let moves = self.moves.iter().map(String::as_str);
        let found = completions(typed, self.commands.iter().copied().chain(moves));
        let found = found.into_iter().map(|word| Pair { display: word.clone(), replacement: word });
        Ok((at - typed.len(), found.collect()))
    }
}

impl Hinter for Words {
    type Hint = String;
}
impl Highlighter for Words {}
impl Validator for Words {}
impl Helper for Words {}

/// The candidates that begin like the typed text, whatever its case, each of them once.
fn completions<'a>(typed: &str, candidates: impl Iterator<Item = &'a str>) -> Vec<String> {
    let typed = typed.to_lowercase();
    let found = candidates.filter(|word| word.to_lowercase().starts_with(&typed));
    let mut found: Vec<String> = found.map(str::to_owned).collect();
    found.dedup();
    found
}

impl Prompt {
    /// An editor, which completes these words and remembers lines in the file of that name, if standard input and output
    /// are terminals.
    pub(crate) fn new(history: &str, words: impl FnOnce() -> Words) -> Self {
        if !stdin().is_terminal() || !stdout().is_terminal() {
            return Self::Lines;
        }
        match Self::editor(history, words()) {
            Ok(editor) => editor,
            Err(error) => {
                tracing::info!("no line editor: {error}");
                Self::Lines
            }
        }
    }

    fn editor(history: &str, words: Words) -> rustyline::Result<Self> {
        let config = Config::builder().completion_type(CompletionType::List).build();
        let mut editor = Editor::with_history(config, MemHistory::new())?;
        editor.set_max_history_size(MAX_HISTORY)?;
        editor.set_helper(Some(words));
        let file = StateFile::of(history);
        let lines = file.as_ref().and_then(|file| file.last_lines().ok()).unwrap_or_default();
        for line in lines {
            editor.add_history_entry(line)?;
        }
        Ok(Self::Editor(Box::new(editor), file))
    }

    /// True for an editor.
    pub(crate) const fn is_terminal(&self) -> bool {
        matches!(self, Self::Editor(..))
    }

    /// Reads the answer to a question, which is not remembered.
    pub(crate) fn ask(&mut self, question: &str, out: &mut dyn Write) -> io::Result<Entered> {
        self.line(question, Vec::new(), out)
    }

    /// Reads a command; `moves` complete it.
    pub(crate) fn read(
        &mut self,
        prompt: &str,
        moves: impl FnOnce() -> Vec<String>,
        out: &mut dyn Write,
    ) -> io::Result<Entered> {
        // Only the editor completes words, and to write every legal move takes time.
        let moves = if self.is_terminal() { moves() } else { Vec::new() };
        let entered = self.line(prompt, moves, out)?;
        if let (Self::Editor(editor, _), Entered::Line(line)) = (self, &entered)
            && editor.add_history_entry(line.as_str()).is_err()
        {
            tracing::debug!("the line is not remembered");
        }
        Ok(entered)
    }

    fn line(
        &mut self,
        prompt: &str,
        moves: Vec<String>,
        out: &mut dyn Write,
    ) -> io::Result<Entered> {
        out.flush()?;
        match self {
            Self::Lines => read_plain(prompt, out),
            Self::Editor(editor, _) => {
                if let Some(words) = editor.helper_mut() {
                    words.moves = moves;
                }
                match editor.readline(prompt) {
                    Ok(line) if line.len() as u64 > MAX_LINE => {
                        Ok(Entered::Unreadable(message!("a line of more than {MAX_LINE} bytes")))
                    }
                    Ok(line) => Ok(Entered::Line(line)),
                    Err(ReadlineError::Eof) => Ok(Entered::End),
                    Err(ReadlineError::Interrupted) => Ok(Entered::Interrupt),
                    Err(ReadlineError::Io(error)) => Err(error),
                    Err(error) => Err(io::Error::other(error)),
                }
            }
        }
    }

    /// Writes the lines to the file that remembers them. After an error there is none any more.
    pub(crate) fn remember(&mut self) -> io::Result<()> {
        let Self::Editor(editor, place) = self else { return Ok(()) };
        let Some(file) = place.take() else { return Ok(()) };
        let history = editor.history();
        let mut text = String::new();
        for index in 0..history.len() {
            let line = history.get(index, SearchDirection::Forward).map_err(io::Error::other)?;
            if let Some(line) = line {
                text.push_str(&line.entry);
                text.push('\n');
            }
        }
        if !text.is_empty() {
            file.write(&text)?;
        }
        // Not reached after an error: `place` stays empty then.
        *place = Some(file);
        Ok(())
    }
}

fn read_plain(prompt: &str, out: &mut dyn Write) -> io::Result<Entered> {
    write!(out, "{prompt}")?;
    out.flush()?;
    let mut input = stdin().lock();
    let Some(typed) = read_line(&mut input, MAX_LINE)? else { return Ok(Entered::End) };
    // What is left of a line that is too long is not the next line.
    if typed.is_cut {
        input.skip_until(b'\n')?;
    }
    Ok(match typed.text() {
        Ok(text) => Entered::Line(text),
        Err(error) => Entered::Unreadable(error.message()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The completions of a text among a few words.
    fn completed(typed: &str) -> Vec<String> {
        let words = ["h2e2", "H2-E2", "hint", "炮二平五", "退出", "退出"];
        completions(typed, words.into_iter())
    }

    #[test]
    fn completions_begin_like_what_was_typed() {
        assert_eq!(completed("h"), ["h2e2", "H2-E2", "hint"]);
        assert_eq!(completed("炮"), ["炮二平五"]);
        assert_eq!(completed("退"), ["退出"]);
        assert!(completed("x").is_empty());
    }
}
