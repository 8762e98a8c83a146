//! Exit codes, and errors with the code that they lead to.

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::Path;

use clap::error::{ContextKind, ContextValue, ErrorKind as UsageError};

use crate::language::error_messages::message_of;
use crate::language::{self, text, usage, word};
use juzhong::answers::{AnswerError, ErrorKind};
use juzhong::bytes::lock::LockError;
use juzhong::bytes::visible::{ShowPath, VisibleLines};
use juzhong::message::Message;

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
/// Left by Ctrl-C at a prompt.
pub(crate) const INTERRUPTED_BY_USER: u8 = 130;

/// An error with the exit code it leads to.
#[derive(Debug)]
pub(crate) struct CliError {
    code: u8,
    /// The work that failed, the innermost first.
    doing: Vec<Message>,
    error: anyhow::Error,
}

impl CliError {
    /// An error that ends the program with `code`.
    pub(crate) fn new(code: u8, error: impl Into<anyhow::Error>) -> Self {
        Self { code, doing: Vec::new(), error: error.into() }
    }

    /// An error made of a message.
    pub(crate) fn message(code: u8, message: impl Into<Message>) -> Self {
        Self::new(code, message.into())
    }

    /// The error and its causes.
    fn texts(&self) -> Vec<String> {
        let causes = self.error.chain().map(message_of);
        self.doing.iter().rev().cloned().chain(causes).map(language::translated).collect()
    }

    /// The error and its causes in one line.
    pub(crate) fn line(&self) -> String {
        self.texts().join(language::colon())
    }

    /// The error, with what was being done.
    #[must_use]
    pub(crate) fn within(mut self, context: impl Into<Message>) -> Self {
        self.doing.push(context.into());
        self
    }

    /// Prints the error with its causes and returns the exit code. A closed pipe is no error.
    pub(crate) fn report(&self) -> u8 {
        if let Some(error) = self.error.downcast_ref::<io::Error>()
            && error.kind() == io::ErrorKind::BrokenPipe
        {
            return OK;
        }
        crate::cli::notice(self.line());
        self.code
    }
}

impl From<io::Error> for CliError {
    /// An error of writing to standard output.
    fn from(error: io::Error) -> Self {
        Self::new(IO, error)
    }
}

impl From<LockError> for CliError {
    fn from(error: LockError) -> Self {
        match error {
            LockError::Busy(busy) => Self::new(CANNOT_CREATE, busy),
            LockError::File { path, source } => {
                Self::new(CANNOT_CREATE, source).within(path.shown().to_string())
            }
        }
    }
}

impl From<AnswerError> for CliError {
    fn from(error: AnswerError) -> Self {
        let code = code_of(error.kind());
        match error.parameter() {
            Some(name) => Self::new(code, error).within(format!("--{}", name.replace('_', "-"))),
            None => Self::new(code, error),
        }
    }
}

/// An error of the library, with the exit code of its kind.
pub(crate) fn by_kind(error: impl Into<AnswerError>) -> CliError {
    error.into().into()
}

/// The exit code of an error of that kind.
pub(crate) const fn code_of(kind: ErrorKind) -> u8 {
    match kind {
        ErrorKind::BadParameter => USAGE,
        ErrorKind::NotFound | ErrorKind::Absent => NO_INPUT,
        ErrorKind::Busy | ErrorKind::Unavailable => UNAVAILABLE,
        ErrorKind::CannotCreate | ErrorKind::Locked | ErrorKind::ReadOnly | ErrorKind::Full => {
            CANNOT_CREATE
        }
        ErrorKind::Io => IO,
        ErrorKind::Interrupted => INTERRUPTED,
        _ => BAD_DATA,
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
    fn or_exit_with<D: Into<Message>>(
        self,
        code: u8,
        context: impl FnOnce() -> D,
    ) -> Result<T, CliError>;

    /// Ends the program with `code` on error, naming the file or folder.
    ///
    /// # Errors
    ///
    /// The error, with the code and the path.
    fn or_exit_at(self, code: u8, path: &Path) -> Result<T, CliError>;
}

impl<T, E: Into<anyhow::Error>> OrExit<T> for Result<T, E> {
    fn or_exit(self, code: u8) -> Result<T, CliError> {
        self.map_err(|error| CliError::new(code, error))
    }

    fn or_exit_with<D: Into<Message>>(
        self,
        code: u8,
        context: impl FnOnce() -> D,
    ) -> Result<T, CliError> {
        self.map_err(|error| CliError::new(code, error).within(context()))
    }

    fn or_exit_at(self, code: u8, path: &Path) -> Result<T, CliError> {
        self.or_exit_with(code, || path.shown())
    }
}

/// Help and version go to `out` with code 0, usage errors to standard error with code 2.
///
/// `program` has the commands and their options, `args` is the command line, the program's name first.
pub(crate) fn from_clap(
    error: &clap::Error,
    program: &clap::Command,
    args: &[OsString],
    out: &mut dyn Write,
) -> u8 {
    if error.use_stderr() {
        let text = usage::text(error, program, |option| range(program, args, option));
        eprint!("{}{}", VisibleLines(text), command_meant(error, program).unwrap_or_default());
        return USAGE;
    }
    let text = error.render().to_string();
    match write!(out, "{}", language::rendered(text, program)).and_then(|()| out.flush()) {
        Ok(()) => OK,
        Err(error) => CliError::from(error).report(),
    }
}

/// The range of the numbers of an option of the command that was typed.
fn range(program: &clap::Command, args: &[OsString], option: &str) -> Option<String> {
    let mut command = program;
    for word in args.iter().skip(1) {
        command = command.find_subcommand(word).unwrap_or(command);
    }
    range_of(command, option)
}

/// The range of an option's numbers, as its reader names it where a number is outside; `None` where any number goes.
fn range_of(command: &clap::Command, name: &str) -> Option<String> {
    let arg = command.get_arguments().find(|arg| arg.get_long() == Some(name))?;
    // Without what it has to do with other options.
    let alone = clap::Arg::new("number").value_parser(arg.get_value_parser().clone());
    let alone = clap::Command::new("juzhong").no_binary_name(true).arg(alone);
    // What takes negative numbers takes any.
    fault_of(&alone, "-1")?;
    // At least one of the two is outside of any range that is not all of `u64`, and the fault names the range.
    let range = ["0", "18446744073709551615"].into_iter().find_map(|number| {
        let fault = fault_of(&alone, number)?;
        let (_, range) = fault.lines().next()?.rsplit_once(" is not in ")?;
        // Without the greatest number of all.
        let range = range.strip_suffix("18446744073709551615").unwrap_or(range);
        Some(range.trim_end_matches('=').to_owned())
    });
    Some(range.unwrap_or_else(|| "0..".to_owned()))
}

/// The text of the error of a command that has nothing but a number; `None` if it takes the number.
fn fault_of(command: &clap::Command, number: &str) -> Option<String> {
    // Behind `--`, for a number with a minus sign would be read as an option.
    let matches = command.clone().try_get_matches_from(["--", number]);
    matches.err().map(|error| error.to_string())
}

/// Words that people try for a command, in either language.
const TRIED: [(&str, &[&str]); 17] = [
    (
        "position --eval",
        &[
            "eval",
            "evaluate",
            "evaluation",
            "score",
            "估值",
            "评估",
            "评分",
            "分值",
            "局面分",
            "估分",
            "形势",
        ],
    ),
    ("position", &["board", "fen", "show", "moves", "局面", "棋盘", "摆棋", "着法", "显示"]),
    ("analyse", &["analyze", "analysis", "search", "think", "go", "分析", "思考", "搜索", "提示"]),
    ("play", &["game", "start", "new", "对局", "下棋", "对弈", "走棋", "人机", "新局"]),
    ("review", &["annotate", "check", "复盘", "评注", "点评"]),
    ("convert", &["import", "open", "save", "转换", "转换棋谱", "导出"]),
    ("book", &["opening", "openings", "books", "开局", "开局库", "棋库"]),
    (
        "tablebase",
        &["table", "tables", "tablebases", "egtb", "endgame", "残局", "残局库", "残局表"],
    ),
    (
        "serve",
        &["server", "web", "page", "gui", "browser", "网页", "页面", "服务", "服务器", "界面"],
    ),
    ("config", &["settings", "setting", "options", "设置", "配置", "选项"]),
    ("match", &["tournament", "sprt", "比赛", "对战", "联赛"]),
    ("solve", &["proof", "prove", "vcf", "求解", "证明", "解题"]),
    ("demo", &["example", "examples", "演示", "示例"]),
    ("engine", &["engines", "引擎"]),
    ("--game gomoku play", &["gomoku", "renju", "五子棋", "连珠"]),
    ("bench", &["benchmark", "speed", "测速"]),
    ("--help", &["帮助", "说明", "用法", "命令"]),
];

/// The command that was meant if another word for it was typed, or only its last word: `query` for `book query`.
fn command_meant(error: &clap::Error, program: &clap::Command) -> Option<String> {
    if error.kind() != UsageError::InvalidSubcommand {
        return None;
    }
    let ContextValue::String(typed) = error.get(ContextKind::InvalidSubcommand)? else {
        return None;
    };
    let tried = TRIED.into_iter().find(|(_, words)| {
        let typed = typed.to_lowercase();
        words.contains(&typed.as_str()) || words.contains(&&*language::simplified(&typed))
    });
    let tried = tried.map(|(command, _)| format!("juzhong {command}"));
    let groups = program.get_subcommands().filter(|group| group.find_subcommand(typed).is_some());
    let of_groups = groups.map(|group| format!("juzhong {} {typed}", group.get_name()));
    let meant: Vec<String> = of_groups.chain(tried).collect();
    (!meant.is_empty())
        .then(|| format!("\n{}\n", text!("Did you mean {}?", meant.join(word(" or ")))))
}
