//! The commands that are typed while exercises are asked.

use crate::cli::prompt::{self, HelpLine, TypedCommand, completing_words, help_text, nearest};
use crate::language::word;

/// A command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Command {
    Hint,
    Show,
    Skip,
    Board,
    Moves,
    Help,
    Quit,
}

/// A row of the table of commands.
#[derive(Debug)]
struct Row {
    command: Command,
    word: &'static str,
    chinese: &'static str,
    help: &'static str,
}

impl TypedCommand for Row {
    fn word(&self) -> &'static str {
        self.word
    }

    fn chinese(&self) -> &'static str {
        self.chinese
    }
}

const fn row(
    command: Command,
    word: &'static str,
    chinese: &'static str,
    help: &'static str,
) -> Row {
    Row { command, word, chinese, help }
}

/// The commands in the order of the help.
const ALL: &[Row] = &[
    row(Command::Hint, "hint", "提示", "the piece that moves"),
    row(Command::Show, "show", "答案", "the answer; it counts as wrong"),
    row(Command::Skip, "skip", "跳过", "the next exercise; this one stays due"),
    row(Command::Board, "board", "棋盘", "draw the board again"),
    row(Command::Moves, "moves", "着法", "the legal moves"),
    row(Command::Help, "help", "帮助", "this list"),
    row(Command::Quit, "quit", "退出", "leave; what was answered is kept"),
];

/// Words that people try for a command.
const TRIED: [(Command, &[&str]); 7] = [
    (Command::Hint, &["tip", "clue", "线索", "提醒"]),
    (
        Command::Show,
        &["answer", "solution", "solve", "giveup", "give", "显示", "解答", "看答案", "放弃"],
    ),
    (Command::Skip, &["next", "pass", "later", "下一题", "下一个", "过"]),
    (Command::Board, &["draw", "display", "print", "盘面"]),
    (Command::Moves, &["legal", "走法"]),
    (Command::Help, &["?", "？", "h", "commands", "命令", "说明"]),
    (Command::Quit, &["exit", "q", "bye", "end", "stop", "结束", "离开"]),
];

/// The command of a typed line, if it is one.
pub(crate) fn command_of(line: &str) -> Option<Command> {
    let line = line.trim();
    let exact = prompt::command_of(line, ALL).map(|row| row.command);
    exact.or_else(|| matches!(line, "exit" | "?" | "？").then(|| tried(line)).flatten())
}

/// The command for which people try a word.
fn tried(word: &str) -> Option<Command> {
    let row = TRIED.iter().find(|(_, words)| words.contains(&word));
    row.map(|&(command, _)| command)
}

/// The end of an answer to what is not understood: the command that was meant, or where help is.
pub(crate) fn remedy(line: &str) -> String {
    let first = line.split_whitespace().next().unwrap_or_default().to_lowercase();
    let tried = tried(&first).and_then(|meant| ALL.iter().find(|row| row.command == meant));
    prompt::remedy(tried.or_else(|| nearest(&first, ALL)))
}

/// The words that complete a line.
pub(crate) fn words() -> Vec<&'static str> {
    completing_words(ALL)
}

/// The help.
pub(crate) fn help() -> String {
    let of_move = HelpLine::new(word("a move").to_owned(), word("your answer, in any notation"));
    let of_commands = ALL.iter().map(|row| HelpLine::new(row.name(), word(row.help)));
    help_text(&std::iter::once(of_move).chain(of_commands).collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_both_languages_and_words_tried_mean_a_command() {
        for &Row { command, word: english, chinese, .. } in ALL {
            assert_eq!(command_of(english), Some(command));
            assert_eq!(command_of(chinese), Some(command));
        }
        for (typed, meant) in
            [("hnt", "hint"), ("shwo", "show"), ("solution", "show"), ("next", "skip")]
        {
            assert!(command_of(typed).is_none() && remedy(typed).contains(meant), "{typed}");
        }
        assert_eq!(command_of("exit"), Some(Command::Quit));
        assert_eq!(command_of("h2e2"), None);
    }
}
