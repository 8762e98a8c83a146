//! What is typed: commands, their help, and the words that complete them.

/// A typed line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Command<'a> {
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
    Open(&'a str, u64),
    Prev,
    Quit,
    Redo,
    Resign,
    Save(&'a str),
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

pub(super) const HELP: &str = "\
a move         in any notation (xiangqi: h2e2, C2=5, 炮二平五; gomoku: h8)
undo, redo     take back your last move; make it again
goto N, list   go to the position after N moves; the moves, numbered
next, prev     one move forward, one back; end: to the last one
new            begin a new game
switch         change sides
setup …        place men: setup e0=K a9=r e3= black, setup clear, setup FEN
save FILE      write the game (.pgn, .jsonl, .txt, .xqf, …)
open FILE [N]  read a game, the Nth of the file, to go through it
study [N]      try variations (from move N on); back: to the game as it was
hint           ask the engine for a move
eval           the value of every man on the board
level [N]      how strong the engine is, 1 to 10
book, table    what the opening books and endgame tables say
why            what the rules on repetition and moves say, and why
moves, fen     the legal moves; the position as text
board, flip    draw the board again; from the other side
resign         give up
quit           leave; Ctrl-D and Ctrl-C keep the game for the next time
";

/// The words that begin a command.
pub(super) const WORDS: [&str; 28] = [
    "back", "board", "book", "end", "eval", "exit", "fen", "flip", "goto", "help", "hint", "level",
    "list", "moves", "new", "next", "open", "prev", "quit", "redo", "resign", "save", "setup",
    "study", "switch", "table", "undo", "why",
];

/// Reads a line.
///
/// # Errors
///
/// What the command wants.
pub(super) fn parse(line: &str) -> Result<Command<'_>, String> {
    let line = line.trim();
    let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let rest = rest.trim();
    let number = |what: &str| rest.parse::<usize>().map_err(|_| format!("write {what}"));
    Ok(match word {
        "" => Command::Nothing,
        "goto" => Command::GoTo(number("goto N, where N is a number of the list")?),
        "level" if rest.is_empty() => Command::Level(None),
        "level" => {
            let number = number("level N, where N is 1 to 10")?;
            Command::Level(Some(u8::try_from(number).unwrap_or(u8::MAX)))
        }
        "study" if rest.is_empty() => Command::Study(None),
        "study" => Command::Study(Some(number("study, or study N with a number of the list")?)),
        "setup" => Command::Setup(rest),
        "save" => Command::Save(unquoted(rest)),
        "open" => file_and_game(rest)?,
        _ if !rest.is_empty() => Command::Move(line),
        "back" => Command::Back,
        "board" => Command::Board,
        "book" => Command::Book,
        "end" => Command::End,
        "eval" => Command::Eval,
        "exit" | "quit" => Command::Quit,
        "fen" => Command::Fen,
        "flip" => Command::Flip,
        "help" | "?" => Command::Help,
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

/// A file, and after it perhaps the number of a game.
fn file_and_game(text: &str) -> Result<Command<'_>, String> {
    let split = text.rsplit_once(char::is_whitespace).and_then(|(file, number)| {
        let number = number.parse().ok().filter(|&number: &u64| number > 0)?;
        Some((file.trim(), number))
    });
    let (file, game) = split.unwrap_or((text, 1));
    match unquoted(file) {
        "" => Err("write open FILE, or open FILE N for the Nth game of it".to_owned()),
        file => Ok(Command::Open(file, game)),
    }
}

/// The answer to a question, if it is one.
pub(super) fn yes_or_no(answer: &str) -> Option<bool> {
    match answer.trim().to_lowercase().as_str() {
        "y" | "yes" | "是" => Some(true),
        "n" | "no" | "否" => Some(false),
        _ => None,
    }
}

/// A name without the quotes around it.
fn unquoted(name: &str) -> &str {
    name.strip_prefix('"').and_then(|name| name.strip_suffix('"')).unwrap_or(name)
}

/// The candidates that begin like the typed text, whatever its case.
pub(super) fn completions<'a>(
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
        for word in WORDS {
            assert_ne!(parse(word), Ok(Command::Move(word)), "{word}");
            assert!(HELP.contains(word) || word == "exit" || word == "help", "{word}");
        }
        assert!(HELP.lines().all(|line| line.chars().count() < 80));
    }

    #[test]
    fn arguments_are_read() {
        assert_eq!(parse(" goto  12 "), Ok(Command::GoTo(12)));
        assert!(parse("goto").is_err() && parse("goto x").is_err() && parse("open").is_err());
        assert_eq!(parse("open a b.pgn 3"), Ok(Command::Open("a b.pgn", 3)));
        assert_eq!(parse("open \"a 3\""), Ok(Command::Open("a 3", 1)));
        assert_eq!(parse("open \"a 3\" 2"), Ok(Command::Open("a 3", 2)));
        assert_eq!(parse("save \"a b.pgn\""), Ok(Command::Save("a b.pgn")));
        assert_eq!(parse("level 400"), Ok(Command::Level(Some(255))));
        assert_eq!(parse("C2 = 5"), Ok(Command::Move("C2 = 5")));
        assert_eq!(parse("炮二平五"), Ok(Command::Move("炮二平五")));
    }

    #[test]
    fn completions_begin_like_what_was_typed() {
        let words = ["h2e2", "H2-E2", "hint", "炮二平五"];
        assert_eq!(completions("h", words), ["h2e2", "H2-E2", "hint"]);
        assert_eq!(completions("炮", words), ["炮二平五"]);
        assert!(completions("x", words).is_empty());
    }
}
