//! The commands that are typed while exercises are asked.

use crate::cli::play::nearest;
use crate::language::{Language, columns, left, text, word};

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

/// A row of the table of commands: the command, its words in both languages, and its help.
type Row = (Command, &'static str, &'static str, &'static str);

/// The commands in the order of the help.
const ALL: [Row; 7] = [
    (Command::Hint, "hint", "提示", "the piece that moves"),
    (Command::Show, "show", "答案", "the answer; it counts as wrong"),
    (Command::Skip, "skip", "跳过", "the next exercise; this one stays due"),
    (Command::Board, "board", "棋盘", "draw the board again"),
    (Command::Moves, "moves", "着法", "the legal moves"),
    (Command::Help, "help", "帮助", "this list"),
    (Command::Quit, "quit", "退出", "leave; what was answered is kept"),
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
    let named = ALL.iter().find(|(_, english, chinese, _)| *english == line || *chinese == line);
    let exact = named.map(|&(command, ..)| command);
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
    let near = || {
        let place = nearest(&first, ALL.iter().map(|row| (row.1, row.2)))?;
        Some(ALL[place].0)
    };
    let meant = tried(&first).or_else(near);
    let row = meant.and_then(|meant| ALL.iter().find(|(command, ..)| *command == meant));
    let Some((_, english, chinese, _)) = row else {
        return word("type help for what is understood").to_owned();
    };
    let command = match Language::current() {
        Language::En => (*english).to_owned(),
        Language::Zh => format!("{chinese} ({english})"),
    };
    text!("did you mean {command}?")
}

/// The words that complete a line.
pub(crate) fn words() -> Vec<&'static str> {
    let mut words: Vec<&str> = ALL.iter().map(|row| row.1).collect();
    words.sort_unstable();
    if Language::current() == Language::Zh {
        words.extend(ALL.iter().map(|row| row.2));
    }
    words
}

/// The help.
pub(crate) fn help() -> String {
    let form = |row: &Row| match Language::current() {
        Language::En => row.1.to_owned(),
        Language::Zh => format!("{} {}", row.2, row.1),
    };
    let mut lines = vec![(word("a move").to_owned(), word("your answer, in any notation"))];
    lines.extend(ALL.iter().map(|row| (form(row), word(row.3))));
    let width = lines.iter().map(|(form, _)| columns(form)).max().unwrap_or_default() + 2;
    lines.iter().map(|(form, text)| format!("{}{text}\n", left(form, width))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_both_languages_and_words_tried_mean_a_command() {
        for (command, english, chinese, _) in ALL {
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
