use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use serde::{Deserialize, Deserializer};
use serde_json::{Value, json};

use super::super::input::Input;
use super::super::interrupt::stop_flag;
use super::super::line_args::{LineArgs, play_on};
use super::super::terminal::Terminal;
use super::super::{CliError, Context, GameName, OrExit, exit};
use super::{from_book, from_replace};
use crate::cli::language::{counts, say};
use juzhong::book::{Book, Change, EditError, Editor, JournalStep};
use juzhong::bytes::visible::{ShowPath, Visible};
use juzhong::game::Symmetric;
use juzhong::gomoku::Board;
use juzhong::message::message;
use juzhong::record::Encoding;
use juzhong::xiangqi::Position;

/// The longest line of a script, in bytes; a longer one is refused.
const MAX_LINE: u64 = 1 << 20;

/// The longest script, in bytes: all of it is read before the first edit.
const MAX_SCRIPT: usize = 256 << 20;

/// The bytes beyond ASCII lines from which the encoding of a script is guessed.
const SAMPLE: usize = 64 << 10;

#[derive(Debug, clap::Args)]
#[command(group = clap::ArgGroup::new("what").required(true)
    .args(["mv", "add_line", "script", "undo", "history"]))]
pub(crate) struct Args {
    /// The book.
    book: PathBuf,
    #[command(flatten)]
    request: Request,
    /// Apply the edits in a file (`-`: standard input), all or none: one JSON object per line, with the names of these
    /// options (`{"moves": "h2e2", "move": "h9g7", "weight": 5}`).
    #[arg(long, value_name = "FILE")]
    script: Option<PathBuf>,
    /// Undo the last edit, or the last N; each command is one edit.
    #[arg(long, value_name = "N", num_args = 0..=1, default_missing_value = "1",
        value_parser = clap::value_parser!(u64).range(1..))]
    undo: Option<u64>,
    /// List the edits that can be undone.
    #[arg(long)]
    history: bool,
}

/// One edit, from the command line or from a script.
#[derive(Debug, Default, Clone, PartialEq, clap::Args, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Request {
    /// Position: a FEN or startpos, optionally followed by moves [default: starting position].
    #[arg(long, help_heading = "Position and move")]
    fen: Option<String>,
    /// Moves to play from there, in any notation, with or without move numbers: one quoted text or several arguments.
    #[arg(long, num_args = 1.., help_heading = "Position and move")]
    #[serde(deserialize_with = "texts")]
    moves: Vec<String>,
    /// The move to edit, in any notation.
    #[arg(long = "move", value_name = "MOVE", id = "mv", help_heading = "Position and move")]
    #[serde(rename = "move")]
    mv: Option<String>,
    /// Add a line of moves, in any notation; options other than --group apply to its last move.
    #[arg(long, value_name = "MOVES", help_heading = "Position and move")]
    add_line: Option<String>,
    /// Add the move, or every move of the line, to a line group.
    #[arg(long, value_name = "NAME", help_heading = "Changes")]
    #[serde(deserialize_with = "texts")]
    group: Vec<String>,
    /// Remove the move from a line group.
    #[arg(long, value_name = "NAME", help_heading = "Changes")]
    #[serde(deserialize_with = "texts")]
    no_group: Vec<String>,
    /// Set the weight.
    #[arg(long, value_name = "N", help_heading = "Changes")]
    weight: Option<u64>,
    /// Reset the weight to that computed from the games.
    #[arg(long, conflicts_with = "weight", help_heading = "Changes")]
    clear_weight: bool,
    /// Set the priority: only the moves with the highest priority in a position are chosen.
    #[arg(long, value_name = "N", allow_hyphen_values = true, help_heading = "Changes")]
    priority: Option<i64>,
    /// Set the comment.
    #[arg(long, value_name = "TEXT", help_heading = "Changes")]
    comment: Option<String>,
    /// Remove the comment.
    #[arg(long, conflicts_with = "comment", help_heading = "Changes")]
    clear_comment: bool,
    /// Exclude the move from play.
    #[arg(long, help_heading = "Changes")]
    disable: bool,
    /// Allow the move in play again.
    #[arg(long, conflicts_with = "disable", help_heading = "Changes")]
    enable: bool,
    /// Lock the move against further changes, including those by merge, prune and repair.
    #[arg(long, help_heading = "Changes")]
    lock: bool,
    /// Unlock the move, also for the changes of this command.
    #[arg(long, conflicts_with = "lock", help_heading = "Changes")]
    unlock: bool,
    /// Delete the move. Its games stay counted; --undo or --add-line restores it.
    #[arg(long, help_heading = "Changes")]
    delete: bool,
}

/// One text, or a list of them.
fn texts<'de, D: Deserializer<'de>>(input: D) -> Result<Vec<String>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Texts {
        One(String),
        Many(Vec<String>),
    }
    Ok(match Texts::deserialize(input)? {
        Texts::One(text) => vec![text],
        Texts::Many(texts) => texts,
    })
}

pub(crate) fn run(args: &Args, context: &mut Context<'_>) -> Result<u8, CliError> {
    match context.common.game {
        GameName::Xiangqi => run_game::<Position>(args, context),
        GameName::Gomoku => run_game::<Board>(args, context),
    }
}

fn run_game<G: Terminal + Symmetric>(
    args: &Args,
    context: &mut Context<'_>,
) -> Result<u8, CliError> {
    let is_other = args.history || args.undo.is_some() || args.script.is_some();
    if is_other && args.request != Request::default() {
        let message = "--script, --undo and --history take no further options";
        return Err(CliError::message(exit::USAGE, message));
    }
    if args.history {
        return show_history(&args.book, context);
    }
    let mut editor = Editor::open(&args.book, &stop_flag()).map_err(from_edit)?;
    let was_backed = editor.book().is_backed().map_err(from_book)?;
    let answer = if let Some(count) = args.undo {
        let undone = editor.undo(count).map_err(from_edit)?;
        json!({"undone": undone.iter().map(step_answer).collect::<Vec<_>>()})
    } else if let Some(script) = &args.script {
        let (edits, changed) = run_script::<G>(&mut editor, script)?;
        json!({"edits": edits, "changed": changed})
    } else {
        let changed = make::<G>(&mut editor, &args.request)?;
        json!({"edits": 1, "changed": changed})
    };
    editor.commit().map_err(from_edit)?;
    tell(&args.book, answer, context)?;
    super::tell_unbacked(was_backed, &args.book);
    Ok(exit::OK)
}

/// Makes one edit of a book and writes it. Returns the number of moves changed.
///
/// # Errors
///
/// If the edit cannot be made; the book is as it was then.
#[cfg(feature = "web")]
pub(crate) fn edit<G: Terminal + Symmetric>(
    path: &Path,
    request: &Request,
) -> Result<u64, CliError> {
    let mut editor = Editor::open(path, &stop_flag()).map_err(from_edit)?;
    let changed = make::<G>(&mut editor, request)?;
    editor.commit().map_err(from_edit)?;
    Ok(changed)
}

/// Takes back the last edit of a book.
///
/// # Errors
///
/// If there is none, or the book cannot be written; the book is as it was then.
#[cfg(feature = "web")]
pub(crate) fn undo_last(path: &Path) -> Result<Value, CliError> {
    let mut editor = Editor::open(path, &stop_flag()).map_err(from_edit)?;
    let undone = editor.undo(1).map_err(from_edit)?;
    editor.commit().map_err(from_edit)?;
    Ok(json!({"undone": undone.iter().map(step_answer).collect::<Vec<_>>()}))
}

fn tell(path: &Path, mut answer: Value, context: &mut Context<'_>) -> Result<(), CliError> {
    let book = path.shown();
    if context.common.json {
        answer["schema"] = "juzhong.book.edit/1".into();
        answer["book"] = path.to_string_lossy().into();
        writeln!(context.out, "{answer}")?;
    } else if let Some(undone) = answer["undone"].as_array() {
        for step in undone {
            say!(context.out, "undone: {}", Visible(step["what"].as_str().unwrap_or_default()))?;
        }
    } else {
        let changed = counts::moves(&answer["changed"]);
        say!(context.out, "{book}: {changed} changed")?;
    }
    Ok(())
}

/// Makes every edit of a script. Returns how many there are and how many moves they changed.
fn run_script<G: Symmetric + Terminal>(
    editor: &mut Editor,
    path: &Path,
) -> Result<(u64, u64), CliError> {
    let (name, lines) = read_script(path)?;
    let place = |number: usize| format!("{name}:{}", number + 1);
    let encoding = encoding_of(&lines);
    if encoding != Encoding::Utf8 {
        super::super::tell(message!("juzhong: {name}: read as {encoding}"));
    }
    let (mut edits, mut changed) = (0, 0);
    for (number, line) in lines.iter().enumerate() {
        let line = decode(line, encoding).or_exit_with(exit::BAD_DATA, || place(number))?;
        if line.trim().is_empty() {
            continue;
        }
        let request: Request =
            serde_json::from_str(&line).or_exit_with(exit::BAD_DATA, || place(number))?;
        let made = make::<G>(editor, &request);
        changed += made.map_err(|error| error.within(place(number)))?;
        edits += 1;
    }
    Ok((edits, changed))
}

/// The name of a script and its lines, as they are.
fn read_script(path: &Path) -> Result<(String, Vec<Vec<u8>>), CliError> {
    let mut input = Input::open(path, MAX_LINE)?;
    let (mut lines, mut bytes) = (Vec::new(), 0);
    while let Some(line) = input.next_raw()? {
        bytes += line.bytes.len();
        if bytes > MAX_SCRIPT {
            let most = MAX_SCRIPT >> 20;
            let message = message!("{}: more than {most} MiB; divide the script", input.place());
            return Err(CliError::message(exit::BAD_DATA, message));
        }
        lines.push(line.bytes);
    }
    Ok((input.name().to_owned(), lines))
}

/// The encoding of a script as a whole, any that game files are in: single lines in another one can be valid
/// UTF-8 by chance. Preferred is one in which every line can be read.
fn encoding_of(lines: &[Vec<u8>]) -> Encoding {
    let fits = |encoding| lines.iter().all(|line| decode(line, encoding).is_ok());
    if fits(Encoding::Utf8) {
        return Encoding::Utf8;
    }
    let sample = lines.iter().filter(|line| !line.is_ascii()).flatten();
    let likely = Encoding::detect(&sample.copied().take(SAMPLE).collect::<Vec<u8>>());
    let candidates = [likely, Encoding::Gb18030, Encoding::Big5].into_iter();
    candidates.filter(|&e| e != Encoding::Utf8).find(|&e| fits(e)).unwrap_or(likely)
}

/// The text of a script's line. What cannot be read in full is refused, for it would be stored, and so is
/// what only a script in another encoding, or in two of them, would have.
fn decode(line: &[u8], encoding: Encoding) -> anyhow::Result<String> {
    if encoding != Encoding::Utf8
        && str::from_utf8(line).is_ok_and(|text| text.chars().any(is_ideograph))
    {
        bail!("this line is UTF-8, and others are not; save all of them as UTF-8");
    }
    let mut text = String::new();
    let decoded = encoding
        .decode(line, &mut text)
        .filter(|text| encoding == Encoding::Utf8 || !text.chars().any(is_private));
    let what = "not to be read as UTF-8, GB18030 or Big5 like the lines around it; save the script as UTF-8";
    decoded.map(str::to_owned).context(what)
}

fn is_ideograph(c: char) -> bool {
    matches!(c, '\u{3400}'..='\u{9fff}')
}

/// Returns true for characters without a meaning of their own, to which encodings map what they lack.
fn is_private(c: char) -> bool {
    matches!(c, '\u{e000}'..='\u{f8ff}' | '\u{f0000}'..)
}

/// Makes one edit and returns how many moves it changed.
fn make<G: Symmetric + Terminal>(editor: &mut Editor, request: &Request) -> Result<u64, CliError> {
    let Request { fen, moves, .. } = request;
    let mut typed =
        LineArgs { fen: fen.clone(), moves: moves.clone(), ..LineArgs::default() }.line::<G>()?;
    let changes = request.changes().or_exit(exit::USAGE)?;
    if let Some(line) = &request.add_line {
        let (start, before) = (typed.line.position().clone(), typed.line.len());
        play_on(&mut typed, line, "--add-line")?;
        let line: Vec<G::Move> = typed.line.moves().skip(before).collect();
        return editor.add_line(&start, &line, &request.group, &changes).map_err(from_edit);
    }
    let text = request.mv.as_deref().context("name a move or add a line").or_exit(exit::USAGE)?;
    if changes.is_empty() {
        return Err(CliError::message(exit::USAGE, "say what to change, such as --weight 5"));
    }
    let position = typed.line.position();
    let mv = position
        .read_move(text)
        .map_err(|reason| CliError::message(exit::BAD_DATA, message!("--move: {reason}")))?;
    editor.change(position, mv, &changes).map(u64::from).map_err(from_edit)
}

impl Request {
    /// The changes requested: unlocking comes first, locking last.
    fn changes(&self) -> anyhow::Result<Vec<Change>> {
        for (a, b, names) in [
            (self.mv.is_some(), self.add_line.is_some(), "move and add_line"),
            (self.weight.is_some(), self.clear_weight, "weight and clear_weight"),
            (self.comment.is_some(), self.clear_comment, "comment and clear_comment"),
            (self.disable, self.enable, "disable and enable"),
            (self.lock, self.unlock, "lock and unlock"),
            (self.delete, self.add_line.is_some(), "delete and add_line"),
        ] {
            if a && b {
                bail!("{names} exclude each other");
            }
        }
        // Every move of a line is put into its groups.
        let groups: &[String] = if self.add_line.is_some() { &[] } else { &self.group };
        let clear_weight = self.clear_weight.then_some(Change::Weight(None));
        let clear_comment = self.clear_comment.then_some(Change::Comment(None));
        let optional = [
            self.unlock.then_some(Change::Unlock),
            self.weight.map(|weight| Change::Weight(Some(weight))).or(clear_weight),
            self.priority.map(Change::Priority),
            self.comment.clone().map(|comment| Change::Comment(Some(comment))).or(clear_comment),
            self.disable.then_some(Change::Disabled(true)),
            self.enable.then_some(Change::Disabled(false)),
            self.delete.then_some(Change::Delete),
        ];
        let mut changes: Vec<Change> = optional.into_iter().flatten().collect();
        changes.extend(groups.iter().map(|name| Change::Group(name.clone(), true)));
        changes.extend(self.no_group.iter().map(|name| Change::Group(name.clone(), false)));
        changes.extend(self.lock.then_some(Change::Lock));
        Ok(changes)
    }
}

fn show_history(path: &Path, context: &mut Context<'_>) -> Result<u8, CliError> {
    let book = Book::open(path).map_err(from_book)?;
    let steps = book.history().map_err(from_book)?;
    if context.common.json {
        let answer = json!({
            "schema": "juzhong.book.edit/1",
            "book": path.to_string_lossy(),
            "history": steps.iter().map(step_answer).collect::<Vec<_>>(),
        });
        writeln!(context.out, "{answer}")?;
    } else {
        for step in &steps {
            writeln!(context.out, "{:>5}.{:<4} {}", step.edit, step.step, Visible(&step.what))?;
        }
    }
    Ok(exit::OK)
}

fn step_answer(step: &JournalStep) -> Value {
    json!({"edit": step.edit, "step": step.step, "what": step.what})
}

fn from_edit(error: EditError) -> CliError {
    let code = match error {
        EditError::Book(error) => return from_book(error),
        EditError::Replace(error) => return from_replace(error),
        _ => exit::BAD_DATA,
    };
    CliError::new(code, error)
}
