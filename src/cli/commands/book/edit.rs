//! `book edit`: edits of a book, one or a script of them, and their undoing.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};

use crate::cli::args::input::Input;
use crate::cli::exit::{self, by_kind};
use crate::cli::interrupt::stop_flag;
use crate::cli::print::terminal::Terminal;
use crate::cli::{CliError, Context, OrExit, with_game, write_answer};
use crate::language::{counts, say};
use juzhong::answers::book::{
    EditAnswer, EditOutcome, EditRequest, EditStep, Undone, edit_history,
};
use juzhong::book::Editor;
use juzhong::bytes::visible::{ShowPath, Visible};
use juzhong::message::message;
use juzhong::record::Encoding;

/// The longest line of a script, in bytes; a longer one is refused.
const MAX_LINE: u64 = 1 << 20;

/// The longest script, in bytes: all of it is read before the first edit.
const MAX_SCRIPT: usize = 256 << 20;

/// The bytes beyond ASCII lines from which the encoding of a script is guessed.
const SAMPLE: usize = 64 << 10;

/// Edit a book: weights, priorities, comments and groups of moves; add and delete moves.
#[derive(Debug, clap::Args)]
#[command(group = clap::ArgGroup::new("what").required(true)
    .args(["mv", "add_line", "script", "undo", "history"]))]
pub(crate) struct Args {
    /// The book.
    book: PathBuf,
    #[command(flatten)]
    edit: EditArgs,
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

/// One edit, as the library's [`EditRequest`] has it.
#[derive(Debug, Default, Clone, PartialEq, clap::Args)]
struct EditArgs {
    /// Position: a FEN or startpos, optionally followed by moves [default: starting position].
    #[arg(long, help_heading = "Position and move")]
    fen: Option<String>,
    /// Moves to play from there, in any notation, with or without move numbers: one quoted text or several arguments.
    #[arg(long, num_args = 1.., help_heading = "Position and move")]
    moves: Vec<String>,
    /// The move to edit, in any notation.
    #[arg(long = "move", value_name = "MOVE", id = "mv", help_heading = "Position and move")]
    mv: Option<String>,
    /// Add a line of moves, in any notation; options other than --group apply to its last move.
    #[arg(long, value_name = "MOVES", help_heading = "Position and move")]
    add_line: Option<String>,
    /// Add the move, or every move of the line, to a line group.
    #[arg(long, value_name = "NAME", help_heading = "Changes")]
    group: Vec<String>,
    /// Remove the move from a line group.
    #[arg(long, value_name = "NAME", help_heading = "Changes")]
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

impl EditArgs {
    fn request(&self) -> EditRequest {
        let Self { fen, moves, mv, add_line, group, no_group, comment, .. } = self.clone();
        EditRequest {
            fen,
            moves,
            mv,
            add_line,
            group,
            no_group,
            weight: self.weight,
            clear_weight: self.clear_weight,
            priority: self.priority,
            comment,
            clear_comment: self.clear_comment,
            disable: self.disable,
            enable: self.enable,
            lock: self.lock,
            unlock: self.unlock,
            delete: self.delete,
        }
    }
}

pub(crate) fn run(args: &Args, context: &mut Context<'_>) -> Result<u8, CliError> {
    with_game!(context.common.game, G => run_game::<G>(args, context))
}

fn run_game<G: Terminal>(args: &Args, context: &mut Context<'_>) -> Result<u8, CliError> {
    let is_other = args.history || args.undo.is_some() || args.script.is_some();
    if is_other && args.edit != EditArgs::default() {
        let message = "--script, --undo and --history take no further options";
        return Err(CliError::message(exit::USAGE, message));
    }
    if args.history {
        tell(&args.book, &edit_history(&args.book)?, context)?;
        return Ok(exit::OK);
    }
    let mut editor = Editor::open(&args.book, &stop_flag()).map_err(by_kind)?;
    let was_backed = editor.book().is_backed().map_err(by_kind)?;
    let outcome = if let Some(count) = args.undo {
        EditOutcome::Undone(Undone::of(&editor.undo(count).map_err(by_kind)?))
    } else if let Some(script) = &args.script {
        let (edits, changed) = run_script::<G>(&mut editor, script)?;
        EditOutcome::Made { edits, changed }
    } else {
        let changed = args.edit.request().make::<G>(&mut editor)?;
        EditOutcome::Made { edits: 1, changed }
    };
    editor.commit().map_err(by_kind)?;
    tell(&args.book, &EditAnswer::of(&args.book, outcome), context)?;
    super::tell_unbacked(was_backed, &args.book);
    Ok(exit::OK)
}

fn tell(path: &Path, answer: &EditAnswer, context: &mut Context<'_>) -> Result<(), CliError> {
    if context.common.json {
        return Ok(write_answer(context.out, answer)?);
    }
    let book = path.shown();
    match &answer.outcome {
        EditOutcome::Made { changed, .. } => {
            let changed = counts::moves(changed);
            say!(context.out, "{book}: {changed} changed")?;
        }
        EditOutcome::Undone(Undone { undone }) => {
            for step in undone {
                say!(context.out, "undone: {}", Visible(&step.what))?;
            }
        }
        EditOutcome::Listed { history } => {
            for step in history {
                let EditStep { edit, step, what } = step;
                writeln!(context.out, "{edit:>5}.{step:<4} {}", Visible(what))?;
            }
        }
    }
    Ok(())
}

/// Makes every edit of a script. Returns how many there are and how many moves they changed.
fn run_script<G: Terminal>(editor: &mut Editor, path: &Path) -> Result<(u64, u64), CliError> {
    let (name, lines) = read_script(path)?;
    let place = |number: usize| format!("{name}:{}", number + 1);
    let encoding = encoding_of(&lines);
    if encoding != Encoding::Utf8 {
        crate::cli::notice(message!("{name}: read as {encoding}"));
    }
    let (mut edits, mut changed) = (0, 0);
    for (number, line) in lines.iter().enumerate() {
        let line = decode(line, encoding).or_exit_with(exit::BAD_DATA, || place(number))?;
        if line.trim().is_empty() {
            continue;
        }
        let request: EditRequest =
            serde_json::from_str(&line).or_exit_with(exit::BAD_DATA, || place(number))?;
        let made = request.make::<G>(editor);
        changed += made.map_err(|error| CliError::from(error).within(place(number)))?;
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
    if is_readable(lines, Encoding::Utf8) {
        return Encoding::Utf8;
    }
    // Lines of ASCII are the same in all candidates and would only fill the sample.
    let sample = lines.iter().filter(|line| !line.is_ascii()).flatten();
    let likely = Encoding::detect(&sample.copied().take(SAMPLE).collect::<Vec<u8>>());
    let candidates = [likely, Encoding::Gb18030, Encoding::Big5].into_iter();
    let mut others = candidates.filter(|&e| e != Encoding::Utf8);
    others.find(|&e| is_readable(lines, e)).unwrap_or(likely)
}

/// Returns true if every line can be read in that encoding.
fn is_readable(lines: &[Vec<u8>], encoding: Encoding) -> bool {
    lines.iter().all(|line| decode(line, encoding).is_ok())
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
