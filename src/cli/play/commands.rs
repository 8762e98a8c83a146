//! What is typed: commands, their help, and the words that complete them.

use crate::cli::language::{self, text};

/// A typed line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Command<'a> {
    Nothing,
    Back,
    Board,
    Book,
    End,
    Eval,
    Fen,
    Flip,
    GoTo(usize),
    Help,
    Hint,
    /// Shows the level, or sets it.
    Level(Option<u8>),
    List,
    Moves,
    New,
    Next,
    /// A file, and the number of the game in it.
    Open(String, u64),
    Prev,
    Quit,
    Redo,
    Resign,
    Save(String),
    Setup(&'a str),
    /// Tries variations, from that ply on.
    Study(Option<usize>),
    Switch,
    Table,
    Undo,
    Why,
    /// A move, perhaps.
    Move(&'a str),
}

pub(crate) const XIANGQI_HELP: &str = "\
a move         in any notation: h2e2, C2=5, 炮二平五
undo, redo     take back your last move; play it again
goto N, list   go to the position after N moves; the moves, numbered
next, prev     one move forward, one back; end: to the last move
new            begin a new game
switch         change sides
setup …        place pieces: setup e0=K a9=r e3= black, setup clear, setup FEN
save FILE      write the game (.pgn, .jsonl, .txt, .xqf, …)
open FILE [N]  read a game, the Nth of the file, to go through it
study [N]      try variations (from move N on); back: to the game as it was
hint           ask the engine for a move
eval           the value of every piece on the board
level [N]      show or set the strength of the engine, up to 10
book, table    what the opening books and endgame tables say
why            what the rules on repetition and moves say, and why
moves, fen     the legal moves; the position as text
board, flip    redraw the board; flip it
resign         give up
quit           leave; Ctrl-D and Ctrl-C keep the game for the next time
";

pub(crate) const GOMOKU_HELP: &str = "\
a move         a point: h8, or 8,8 (column, row)
undo, redo     take back your last move; play it again
goto N, list   go to the position after N moves; the moves, numbered
next, prev     one move forward, one back; end: to the last move
new            begin a new game
switch         change sides
setup FEN      continue from this position
save FILE      write the game (.jsonl, .sgf, .psq, .lib, …)
open FILE [N]  read a game, the Nth of the file, to go through it
study [N]      try variations (from move N on); back: to the game as it was
hint           ask the engine for a move
eval           the values of the points
level [N]      show or set the strength of the engine, up to 10
book, table    what the opening books and the proved positions say
moves, fen     the legal moves; the position as text
board          redraw the board
resign         give up
quit           leave; Ctrl-D and Ctrl-C keep the game for the next time
";

/// The words that begin a command, in English and in Chinese; both are understood in every language.
pub(crate) const WORDS: [(&str, &str); 28] = [
    ("back", "返回"),
    ("board", "棋盘"),
    ("book", "开局库"),
    ("end", "末着"),
    ("eval", "评估"),
    ("exit", "退出"),
    ("fen", "局面"),
    ("flip", "翻转"),
    ("goto", "跳到"),
    ("help", "帮助"),
    ("hint", "提示"),
    ("level", "级别"),
    ("list", "列表"),
    ("moves", "着法"),
    ("new", "新局"),
    ("next", "下一步"),
    ("open", "打开"),
    ("prev", "上一步"),
    ("quit", "退出"),
    ("redo", "重走"),
    ("resign", "认输"),
    ("save", "保存"),
    ("setup", "摆棋"),
    ("study", "试走"),
    ("switch", "换边"),
    ("table", "残局库"),
    ("undo", "悔棋"),
    ("why", "理由"),
];

/// Words of a placement, in Chinese and as the games have them.
const PLACING: [(&str, &str); 6] = [
    ("清空", "clear"),
    ("开局", "start"),
    ("红", "red"),
    ("红方", "red"),
    ("黑", "black"),
    ("黑方", "black"),
];

/// The word that begins a line, in English if it is a command, and what follows. No blank is needed between a
/// Chinese word and a number.
fn word_and_rest(line: &str) -> (&str, &str) {
    let (word, rest) = line.split_at(line.find(char::is_whitespace).unwrap_or(line.len()));
    let number = word.find(|c| digit(c).is_some()).unwrap_or(word.len());
    let english = |word| WORDS.iter().find(|(_, chinese)| *chinese == word).map(|(word, _)| *word);
    match (english(word), english(&word[..number])) {
        (Some(word), _) => (word, rest.trim_start()),
        (None, Some(word)) => (word, &line[number..]),
        (None, None) => (word, rest.trim_start()),
    }
}

/// A digit, full-width ones too.
fn digit(c: char) -> Option<char> {
    let narrow = match c {
        '０'..='９' => char::from_u32(u32::from(c) - u32::from('０') + u32::from('0'))?,
        c => c,
    };
    narrow.is_ascii_digit().then_some(narrow)
}

fn number(text: &str) -> Option<usize> {
    text.chars().map(digit).collect::<Option<String>>()?.parse().ok()
}

/// Reads a line.
///
/// # Errors
///
/// What the command wants.
pub(crate) fn parse(line: &str) -> Result<Command<'_>, String> {
    let line = trimmed(line);
    let (word, rest) = word_and_rest(line);
    let number = |what: &str| number(rest).ok_or_else(|| text!("write {}", language::word(what)));
    Ok(match word {
        "" => Command::Nothing,
        "goto" => Command::GoTo(number("goto N, where N is a number of the list")?),
        "level" if rest.is_empty() => Command::Level(None),
        "level" => {
            let number = number("level N, where N is at most 10")?;
            Command::Level(Some(u8::try_from(number).unwrap_or(u8::MAX)))
        }
        "study" if rest.is_empty() => Command::Study(None),
        "study" => Command::Study(Some(number("study, or study N with a number of the list")?)),
        "setup" => Command::Setup(rest),
        "save" => Command::Save(file_name(rest, ESCAPES)),
        "open" => file_and_game(rest, ESCAPES)?,
        _ if !rest.is_empty() => Command::Move(line),
        "back" => Command::Back,
        "board" => Command::Board,
        "book" => Command::Book,
        "end" => Command::End,
        "eval" => Command::Eval,
        "exit" | "quit" => Command::Quit,
        "fen" => Command::Fen,
        "flip" => Command::Flip,
        "help" | "?" | "？" => Command::Help,
        "hint" => Command::Hint,
        "list" => Command::List,
        "moves" => Command::Moves,
        "new" => Command::New,
        "next" => Command::Next,
        "prev" => Command::Prev,
        "redo" => Command::Redo,
        "resign" => Command::Resign,
        "switch" => Command::Switch,
        "table" => Command::Table,
        "undo" => Command::Undo,
        "why" => Command::Why,
        _ => Command::Move(line),
    })
}

/// The changes of a placement, as the games understand them.
pub(crate) fn changes(text: &str) -> Vec<&str> {
    let known = |word| PLACING.iter().find(|(chinese, _)| *chinese == word).map(|(_, word)| *word);
    text.split_whitespace().map(|word| known(word).unwrap_or(word)).collect()
}

/// Returns true for a typed line in which the name of a file comes next.
pub(crate) fn wants_file(typed: &str) -> bool {
    let is_whole = typed.trim_start().contains(char::is_whitespace);
    is_whole && matches!(word_and_rest(typed.trim_start()).0, "open" | "save")
}

/// True where a backslash escapes: elsewhere it separates folders.
const ESCAPES: bool = !cfg!(windows);
/// The characters escaped in a name outside quotes, as completed names are.
const ESCAPED: &str = " \t\"\\'`@$><=;|&{(";
/// The characters escaped between double quotes.
const ESCAPED_IN_QUOTES: &str = "\"$\\`";

/// A line without the blanks around it; one that is escaped stays.
fn trimmed(line: &str) -> &str {
    let line = line.trim_start();
    let end = line.trim_end();
    let blank = line[end.len()..].chars().next();
    match blank.filter(|_| ESCAPES && ends_with_escape(end)) {
        Some(blank) => &line[..end.len() + blank.len_utf8()],
        None => end,
    }
}

/// Returns true if what follows is escaped.
fn ends_with_escape(text: &str) -> bool {
    text.bytes().rev().take_while(|&byte| byte == b'\\').count() % 2 == 1
}

/// A file, and after it perhaps the number of a game.
fn file_and_game(text: &str, escapes: bool) -> Result<Command<'static>, String> {
    let split = text.rsplit_once(char::is_whitespace).and_then(|(file, digits)| {
        let number = number(digits).filter(|&number| number > 0)?;
        let is_name = escapes && ends_with_escape(file) || is_open(file.trim_end(), escapes);
        (!is_name).then_some((file.trim_end(), number as u64))
    });
    let (file, game) = split.unwrap_or((text, 1));
    match file_name(file, escapes) {
        name if name.is_empty() => {
            Err("write open FILE, or open FILE N for the Nth game of it".to_owned())
        }
        name => Ok(Command::Open(name, game)),
    }
}

/// Returns true if a name begins with a quote and does not end with it.
fn is_open(name: &str, escapes: bool) -> bool {
    name.starts_with(['"', '\'']) && within_quotes(name, escapes).is_none()
}

/// The text between the quotes around a name.
fn within_quotes(name: &str, escapes: bool) -> Option<&str> {
    let quote = name.chars().next().filter(|quote| ['"', '\''].contains(quote))?;
    let inner = name[1..].strip_suffix(quote)?;
    let is_escaped = escapes && quote == '"' && ends_with_escape(inner);
    (!is_escaped).then_some(inner)
}

/// The name of a file as it is typed or completed: with a backslash before what is special, or in quotes, of which
/// the last may be missing.
fn file_name(typed: &str, escapes: bool) -> String {
    let inner = within_quotes(typed, escapes);
    match typed.chars().next() {
        Some('\'') => inner.unwrap_or(&typed[1..]).to_owned(),
        Some('"') => unescaped(inner.unwrap_or(&typed[1..]), ESCAPED_IN_QUOTES, escapes),
        _ => unescaped(typed, ESCAPED, escapes),
    }
}

/// A text without the backslashes before what is special.
fn unescaped(text: &str, special: &str, escapes: bool) -> String {
    let mut name = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let next = chars.next_if(|&next| escapes && c == '\\' && special.contains(next));
        name.push(next.unwrap_or(c));
    }
    name
}

/// The answer to a question, if it is one.
pub(crate) fn yes_or_no(answer: &str) -> Option<bool> {
    match answer.trim().to_lowercase().as_str() {
        "y" | "yes" | "是" => Some(true),
        "n" | "no" | "否" => Some(false),
        _ => None,
    }
}

/// The candidates that begin like the typed text, whatever its case.
pub(crate) fn completions<'a>(
    typed: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Vec<String> {
    let typed = typed.to_lowercase();
    let begins = |word: &&str| word.to_lowercase().starts_with(&typed);
    candidates.into_iter().filter(begins).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_is_a_command_and_in_the_help() {
        let catalogue = include_str!("../../../locale/zh.po");
        let chinese_help = catalogue.lines().find(|line| line.contains("悔棋 undo")).unwrap();
        for (english, chinese) in WORDS {
            assert_ne!(parse(english), Ok(Command::Move(english)), "{english}");
            let is_help = english == "exit" || english == "help";
            assert!(XIANGQI_HELP.contains(english) || is_help, "{english}");
            assert_eq!(parse(english), parse(chinese), "{english}");
            assert!(chinese_help.contains(chinese) || is_help, "{chinese}");
            assert!(chinese_help.contains(english) || is_help, "{english}");
        }
        let helps = [XIANGQI_HELP, GOMOKU_HELP];
        assert!(helps.iter().flat_map(|help| help.lines()).all(|line| line.chars().count() < 80));
        let lines = chinese_help.trim_start_matches("msgstr \"").trim_end_matches('"').split("\\n");
        for line in lines {
            assert!(language::columns(line) < 80, "{line}");
        }
    }

    fn opens(typed: &str, escapes: bool) -> (String, u64) {
        match file_and_game(typed, escapes) {
            Ok(Command::Open(name, number)) => (name, number),
            other => panic!("{typed}: {other:?}"),
        }
    }

    #[test]
    fn arguments_are_read() {
        assert_eq!(parse(" goto  12 "), Ok(Command::GoTo(12)));
        assert!(parse("goto").is_err() && parse("goto x").is_err() && parse("open").is_err());
        for typed in ["跳到 12", "跳到12", "跳到　１２"] {
            assert_eq!(parse(typed), Ok(Command::GoTo(12)), "{typed}");
        }
        assert_eq!(parse("悔棋2"), Ok(Command::Move("悔棋2")));
        assert_eq!(parse("level 400"), Ok(Command::Level(Some(255))));
        assert_eq!(parse("级别"), Ok(Command::Level(None)));
        assert_eq!(parse("C2 = 5"), Ok(Command::Move("C2 = 5")));
        assert_eq!(parse("炮二平五"), Ok(Command::Move("炮二平五")));
        assert_eq!(parse("马８进７"), Ok(Command::Move("马８进７")));
        assert_eq!(changes("清空 e0=K 红"), ["clear", "e0=K", "red"]);
        assert!(wants_file(" open ") && wants_file("打开 a") && !wants_file("open"));
    }

    #[test]
    fn files_are_named_as_they_are_typed_and_completed() {
        for (typed, name, number) in [
            ("a b.pgn 3", "a b.pgn", 3),
            ("\"a 3\"", "a 3", 1),
            ("\"a 3\" 2", "a 3", 2),
            ("'a 3' 2", "a 3", 2),
            ("\"a 3", "a 3", 1),
            ("it's.pgn", "it's.pgn", 1),
            ("a\"b\".pgn", "a\"b\".pgn", 1),
            ("C:\\games\\a.pgn", "C:\\games\\a.pgn", 1),
        ] {
            for escapes in [true, false] {
                assert_eq!(opens(typed, escapes), (name.to_owned(), number), "{typed}");
            }
        }
        for (typed, escaped, plain) in [
            ("a\\ 3", ("a 3", 1), ("a\\", 3)),
            ("a\\ b.pgn 2", ("a b.pgn", 2), ("a\\ b.pgn", 2)),
            ("a\\\"b.pgn", ("a\"b.pgn", 1), ("a\\\"b.pgn", 1)),
            ("a\\\\b.pgn", ("a\\b.pgn", 1), ("a\\\\b.pgn", 1)),
            ("\"a\\\\\"", ("a\\", 1), ("a\\\\", 1)),
            ("\"C:\\a\\", ("C:\\a\\", 1), ("C:\\a\\", 1)),
        ] {
            for (escapes, (name, number)) in [(true, escaped), (false, plain)] {
                assert_eq!(opens(typed, escapes), (name.to_owned(), number), "{typed}");
            }
        }
    }

    #[cfg(unix)]
    proptest::proptest! {
        #[test]
        fn completed_names_are_understood(name in "[a3 \"'\\\\(=$]{0,6}[a3\"'\\\\(=]") {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join(&name);
            std::fs::write(&path, "").unwrap();
            let path = path.display().to_string();
            let completer = rustyline::completion::FilenameCompleter::new();
            for quote in ["", "\"", "'"] {
                if quote == "'" && name.contains('\'') {
                    continue;
                }
                let line = format!("open {quote}{}/", folder.path().display());
                let (start, found) = completer.complete_path(&line, line.len()).unwrap();
                let typed = format!("{}{}", &line[..start], found[0].replacement);
                assert_eq!(parse(&typed), Ok(Command::Open(path.clone(), 1)), "{typed}");
                if !quote.is_empty() {
                    let closed = format!("{typed}{quote} 2");
                    assert_eq!(parse(&closed), Ok(Command::Open(path.clone(), 2)), "{closed}");
                }
                let typed = typed.replace("open ", "保存 ");
                let saved = parse(&typed).unwrap();
                assert_eq!(saved, Command::Save(path.clone()), "{typed}");
            }
        }
    }

    #[test]
    fn completions_begin_like_what_was_typed() {
        let words = ["h2e2", "H2-E2", "hint", "炮二平五"];
        assert_eq!(completions("h", words), ["h2e2", "H2-E2", "hint"]);
        assert_eq!(completions("炮", words), ["炮二平五"]);
        assert!(completions("x", words).is_empty());
    }
}
