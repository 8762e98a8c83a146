//! The commands of `play`: one table of them, and what is made of it.
//!
//! A row has the words of a command, what may follow them, what the help says of it, the games that have it, and the
//! function that carries it out. A typed line is read, the help is written and words are completed by these rows; the
//! tables of `docs/guide/playing.md` are held against them.

use std::mem::replace;

use super::arguments::{ESCAPES, file_and_game, file_name, leading_number, number, trimmed};
use super::setup::PlayGame;
use super::{TerminalGame, Turn};
use crate::cli::GameName;
use crate::cli::prompt::{HelpLine, TypedCommand, command_of, completing_words, help_text};
use crate::language::{self, Language, text, word};
use Action::{File, FileAndGame, Number, NumberOrNone, Plain, Rest};

/// A command: a row of the table.
pub(crate) struct Command<G: PlayGame> {
    /// The word that begins it.
    pub(crate) word: &'static str,
    /// Its Chinese word. Both are understood in every language.
    pub(crate) chinese: &'static str,
    action: Action<G>,
    help: ByGame,
    /// The place in the English help and in the Chinese one.
    places: [Place; 2],
    /// The only game whose help has it, if there is one; the others answer why they have no use for it.
    only: Option<GameName>,
}

/// The function that carries out a command, by what may follow its word. A number or a file comes with the text that
/// asks for it.
enum Action<G: PlayGame> {
    /// Nothing: a line that goes on is taken for a move.
    Plain(fn(&mut TerminalGame<'_, G>) -> Turn),
    Number(&'static str, fn(&mut TerminalGame<'_, G>, usize) -> Turn),
    NumberOrNone(&'static str, fn(&mut TerminalGame<'_, G>, Option<usize>) -> Turn),
    /// The rest of the line as it is, with the form of it that the help shows.
    Rest(ByGame, fn(&mut TerminalGame<'_, G>, &str) -> Turn),
    /// The name of a file, or nothing.
    File(fn(&mut TerminalGame<'_, G>, &str) -> Turn),
    /// The name of a file, perhaps with the number of a game in it.
    FileAndGame(&'static str, fn(&mut TerminalGame<'_, G>, &str, u64) -> Turn),
}

/// The place of a command in the help.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// It has a line.
    Line,
    /// In the line of the command before, beside it; without a text of its own if one tells of both.
    Beside,
    /// In the text of the command before.
    Within,
    Nowhere,
}

/// A text that may differ from game to game.
#[derive(Debug, Clone, Copy)]
struct ByGame {
    xiangqi: &'static str,
    gomoku: &'static str,
}

impl ByGame {
    const fn both(text: &'static str) -> Self {
        Self { xiangqi: text, gomoku: text }
    }

    /// The text of one game.
    const fn of(self, game: GameName) -> &'static str {
        match game {
            GameName::Xiangqi => self.xiangqi,
            GameName::Gomoku => self.gomoku,
        }
    }
}

/// A move, which is typed without a command, in the help.
const MOVE: ByGame = ByGame {
    xiangqi: "in any notation: h2e2, C2=5, 炮二平五",
    gomoku: "a point: h8, or 8,8 (column, row)",
};

impl<G: PlayGame> TypedCommand for Command<G> {
    fn word(&self) -> &'static str {
        self.word
    }

    fn chinese(&self) -> &'static str {
        self.chinese
    }
}

impl<G: PlayGame> Command<G> {
    /// The commands in the order of the help.
    #[expect(
        clippy::redundant_closure_for_method_calls,
        reason = "the path of a method is of one lifetime of the game, a function of the table of all"
    )]
    pub(crate) const ALL: &'static [Self] = &[
        Self::new("undo", "悔棋", Plain(|game| game.undo())).line("take back your last move"),
        Self::new("redo", "重走", Plain(|game| game.redo())).beside("play it again"),
        Self::new("retry", "重试", Plain(|game| game.retry()))
            .line("go back before your last move that gave a win or a draw away")
            .only_in(GameName::Xiangqi),
        Self::new(
            "goto",
            "跳到",
            Number("goto N, where N is a number of the list", |game, ply| game.go_to(ply)),
        )
        .line("go to the position after N moves"),
        Self::new("list", "列表", Plain(|game| game.list())).beside("the moves, numbered"),
        Self::new("next", "下一步", Plain(|game| game.next_move()))
            .line("one move forward, one back"),
        Self::new("prev", "上一步", Plain(|game| game.previous_move())).beside(""),
        Self::new("end", "末着", Plain(|game| game.last_move())).within("to the last move"),
        Self::new("new", "新局", Plain(|game| game.new_game())).line("begin a new game"),
        Self::new("switch", "换边", Plain(|game| game.switch())).line("change sides"),
        Self::new(
            "setup",
            "摆棋",
            Rest(ByGame { xiangqi: "…", gomoku: "FEN" }, |game, text| game.set_up(text)),
        )
        .line_by_game(
            "place pieces: setup e0=K a9=r e3= black, setup clear, setup FEN",
            "continue from this position",
        ),
        Self::new("save", "保存", File(|game, file| game.save(file))).line_by_game(
            "write the game (.pgn, .jsonl, .txt, .xqf, …)",
            "write the game (.jsonl, .sgf, .psq, .lib, …)",
        ),
        Self::new(
            "open",
            "打开",
            FileAndGame(
                "write open FILE, or open FILE N for the Nth game of it",
                |game, file, number| game.open(file, number),
            ),
        )
        .line("read a game, the Nth of the file, to go through it"),
        Self::new(
            "study",
            "试走",
            NumberOrNone("study, or study N with a number of the list", |game, from| {
                game.study(from)
            }),
        )
        .line("try variations (from move N on)"),
        Self::new("back", "返回", Plain(|game| game.end_study())).within("to the game as it was"),
        Self::new("hint", "提示", Plain(|game| game.hint())).line("ask the engine for a move"),
        Self::new("eval", "评估", Plain(|game| game.eval()))
            .line_by_game("the value of every piece on the board", "the values of the points"),
        Self::new(
            "level",
            "级别",
            NumberOrNone("level N, where N is at most 10", |game, number| game.level(number)),
        )
        .line("show or set the strength of the engine, up to 10"),
        Self::new("book", "开局库", Plain(|game| game.ask_books())).line_by_game(
            "what the opening books and endgame tables say",
            "what the opening books and the proved positions say",
        ),
        Self::new("table", "残局库", Plain(|game| game.ask_tables())).beside(""),
        Self::new("why", "理由", Plain(|game| game.why()))
            .line("what the rules on repetition and moves say, and why")
            .only_in(GameName::Xiangqi),
        Self::new("moves", "着法", Plain(|game| game.moves())).line("the legal moves"),
        Self::new("fen", "局面", Plain(|game| game.fen())).beside("the position as text"),
        Self::new("board", "棋盘", Plain(|game| game.board())).line("redraw the board"),
        Self::new("flip", "翻转", Plain(|game| game.flip()))
            .beside("flip it")
            .only_in(GameName::Xiangqi),
        Self::new("resign", "认输", Plain(|game| game.resign())).line("give up"),
        Self::new("help", "帮助", Plain(|game| game.help())).at(Place::Nowhere, Place::Line),
        Self::new("quit", "退出", Plain(|game| game.quit()))
            .line("leave; Ctrl-D and Ctrl-C keep the game for the next time")
            .at(Place::Line, Place::Beside),
        Self::new("exit", "退出", Plain(|game| game.quit())),
    ];

    const fn new(word: &'static str, chinese: &'static str, action: Action<G>) -> Self {
        let help = ByGame::both("");
        Self { word, chinese, action, help, places: [Place::Nowhere; 2], only: None }
    }

    /// The same with a line of the help.
    const fn line(self, help: &'static str) -> Self {
        self.line_by_game(help, help)
    }

    const fn line_by_game(mut self, xiangqi: &'static str, gomoku: &'static str) -> Self {
        self.help = ByGame { xiangqi, gomoku };
        self.at(Place::Line, Place::Line)
    }

    /// The same in the line of the command before.
    const fn beside(mut self, help: &'static str) -> Self {
        self.help = ByGame::both(help);
        self.at(Place::Beside, Place::Beside)
    }

    /// The same in the text of the command before; in Chinese with a line of its own.
    const fn within(mut self, help: &'static str) -> Self {
        self.help = ByGame::both(help);
        self.at(Place::Within, Place::Line)
    }

    const fn at(mut self, english: Place, chinese: Place) -> Self {
        self.places = [english, chinese];
        self
    }

    const fn only_in(mut self, game: GameName) -> Self {
        self.only = Some(game);
        self
    }

    /// The command of a word, in either language.
    fn of_word(word: &str) -> Option<&'static Self> {
        let word = if matches!(word, "?" | "？") { "help" } else { word };
        command_of(word, Self::ALL)
    }

    const fn takes_argument(&self) -> bool {
        !matches!(self.action, Plain(_))
    }

    const fn takes_file(&self) -> bool {
        matches!(self.action, File(_) | FileAndGame(..))
    }

    /// Carries out the command in a game; `rest` is what follows its word.
    pub(crate) fn carry_out(&self, rest: &str, game: &mut TerminalGame<'_, G>) -> Turn {
        match &self.action {
            Plain(run) => run(game),
            Number(wanted, run) => match number(rest) {
                Some(number) => run(game, number),
                None => game.ask_for(wanted),
            },
            NumberOrNone(_, run) if rest.is_empty() => run(game, None),
            NumberOrNone(wanted, run) => match number(rest) {
                Some(number) => run(game, Some(number)),
                None => game.ask_for(wanted),
            },
            Rest(_, run) => run(game, rest),
            File(run) => run(game, &file_name(rest, ESCAPES)),
            FileAndGame(wanted, run) => match file_and_game(rest, ESCAPES) {
                Some((file, number)) => run(game, &file, number),
                None => game.answer(*wanted),
            },
        }
    }

    /// The command as the help shows it, in the language of the program: its words, and what may follow.
    fn form(&self) -> String {
        let name = self.name();
        match &self.action {
            Plain(_) => name,
            Number(..) => format!("{name} N"),
            NumberOrNone(..) => format!("{name} [N]"),
            Rest(form, _) => format!("{name} {}", form.of(G::GAME)),
            File(_) => text!("{name} FILE"),
            FileAndGame(..) => text!("{name} FILE [N]"),
        }
    }

    /// The place in the help of the language of the program.
    fn place(&self) -> Place {
        let [english, chinese] = self.places;
        match (self.only, Language::current()) {
            (Some(game), _) if game != G::GAME => Place::Nowhere,
            (_, Language::En) => english,
            (_, Language::Zh) => chinese,
        }
    }
}

/// A typed line by its first word.
pub(crate) enum Typed<'a, G: PlayGame> {
    Nothing,
    /// A command, and what follows its word.
    Command(&'static Command<G>, &'a str),
    /// A move, perhaps.
    Move(&'a str),
}

/// Reads a line.
pub(crate) fn parse<G: PlayGame>(line: &str) -> Typed<'_, G> {
    let line = trimmed(line);
    match command_and_rest(line) {
        (Some(command), rest) if rest.is_empty() || command.takes_argument() => {
            Typed::Command(command, rest)
        }
        _ if line.is_empty() => Typed::Nothing,
        _ => Typed::Move(line),
    }
}

/// The command that begins a line, and what follows its word. No blank is needed between a Chinese word and a number.
fn command_and_rest<G: PlayGame>(line: &str) -> (Option<&'static Command<G>>, &str) {
    let (word, rest) = line.split_at(line.find(char::is_whitespace).unwrap_or(line.len()));
    if let Some(command) = Command::of_word(word) {
        return (Some(command), rest.trim_start());
    }
    // A Chinese word ends where its number begins, as in 跳到5.
    let chinese = &word[..leading_number(word)];
    match Command::<G>::of_word(chinese).filter(|_| !chinese.is_ascii()) {
        Some(command) => (Some(command), &line[chinese.len()..]),
        None => (None, rest.trim_start()),
    }
}

/// Returns true for a typed line in which the name of a file comes next.
pub(crate) fn wants_file<G: PlayGame>(typed: &str) -> bool {
    let typed = typed.trim_start();
    let command = command_and_rest::<G>(typed).0;
    typed.contains(char::is_whitespace) && command.is_some_and(Command::takes_file)
}

/// The words that complete a line.
pub(crate) fn words<G: PlayGame>() -> Vec<&'static str> {
    completing_words(Command::<G>::ALL)
}

/// The help of a game, in the language of the program.
pub(crate) fn help<G: PlayGame>() -> String {
    let mut lines = Vec::new();
    let mut line = HelpLine::new(word("a move").to_owned(), word(MOVE.of(G::GAME)));
    for command in Command::<G>::ALL {
        let text = word(command.help.of(G::GAME));
        match command.place() {
            Place::Line => lines.push(replace(&mut line, HelpLine::new(command.form(), text))),
            Place::Beside => {
                line.forms.push(command.form());
                line.texts.push(text.to_owned());
            }
            Place::Within => {
                line.texts.push(format!("{}{}{text}", command.word, language::colon()));
            }
            Place::Nowhere => {}
        }
    }
    lines.push(line);
    help_text(&lines)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::play::setup;
    use juzhong::gomoku::Board;
    use juzhong::xiangqi::Position;

    /// The command that a line is read as, and what follows it.
    fn read(line: &str) -> Option<(&'static str, &str)> {
        match parse::<Position>(line) {
            Typed::Command(command, rest) => Some((command.word, rest)),
            Typed::Nothing | Typed::Move(_) => None,
        }
    }

    #[test]
    fn both_words_of_a_command_mean_it() {
        for command in Command::<Position>::ALL {
            assert_eq!(read(command.word), Some((command.word, "")));
            let (chinese, _) = read(command.chinese).unwrap();
            let is_other_word = (command.word, chinese) == ("exit", "quit");
            assert!(chinese == command.word || is_other_word, "{chinese}");
        }
        assert_eq!(read("?"), Some(("help", "")));
    }

    #[test]
    fn games_have_the_same_words() {
        assert_eq!(words::<Position>(), words::<Board>());
        assert!(words::<Position>().is_sorted());
    }

    #[test]
    fn lines_are_commands_or_moves() {
        for (line, read_as) in [
            (" goto  12 ", ("goto", "12")),
            ("跳到 12", ("goto", "12")),
            ("跳到12", ("goto", "12")),
            ("跳到　１２", ("goto", "１２")),
            ("goto", ("goto", "")),
            ("级别", ("level", "")),
            ("setup e0=K  red", ("setup", "e0=K  red")),
            ("open a b.pgn 3", ("open", "a b.pgn 3")),
        ] {
            assert_eq!(read(line), Some(read_as), "{line}");
        }
        for line in ["悔棋2", "undo it", "C2 = 5", "炮二平五", "马８进７", "goto12", "Undo"]
        {
            assert!(
                matches!(parse::<Position>(line), Typed::Move(typed) if typed == line),
                "{line}"
            );
        }
        assert!(matches!(parse::<Position>("  "), Typed::Nothing));
    }

    #[test]
    fn files_are_completed_where_they_are_named() {
        for line in [" open ", "打开 a", "save \"a b"] {
            assert!(wants_file::<Position>(line), "{line}");
        }
        for line in ["open", "goto ", "", "h2e2 "] {
            assert!(!wants_file::<Position>(line), "{line}");
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
            let opened = |line: &str| match read(line) {
                Some(("open", rest)) => file_and_game(rest, ESCAPES),
                other => panic!("{line}: {other:?}"),
            };
            for quote in ["", "\"", "'"] {
                if quote == "'" && name.contains('\'') {
                    continue;
                }
                let line = format!("open {quote}{}/", folder.path().display());
                let (start, found) = completer.complete_path(&line, line.len()).unwrap();
                let typed = format!("{}{}", &line[..start], found[0].replacement);
                assert_eq!(opened(&typed), Some((path.clone(), 1)), "{typed}");
                if !quote.is_empty() {
                    let closed = format!("{typed}{quote} 2");
                    assert_eq!(opened(&closed), Some((path.clone(), 2)), "{closed}");
                }
                let typed = typed.replace("open ", "保存 ");
                let (word, rest) = read(&typed).unwrap();
                assert_eq!((word, file_name(rest, ESCAPES)), ("save", path.clone()), "{typed}");
            }
        }
    }

    /// The tables of the guide, each as the cells of its rows, without the heads.
    fn tables_of_guide() -> Vec<Vec<Vec<String>>> {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/guide/playing.md");
        let guide = std::fs::read_to_string(path).unwrap();
        let blocks = guide.split("\n\n").filter(|block| block.starts_with('|'));
        blocks.map(|block| block.lines().skip(2).map(cells).collect()).collect()
    }

    /// The cells of a row.
    fn cells(row: &str) -> Vec<String> {
        row.trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect()
    }

    /// The commands of a text, between back-ticks.
    fn in_ticks(text: &str) -> impl Iterator<Item = &str> {
        text.split('`').skip(1).step_by(2)
    }

    #[test]
    fn the_guide_lists_the_commands() {
        let tables = tables_of_guide();
        let mut listed: Vec<&str> = tables[0].iter().flat_map(|row| in_ticks(&row[0])).collect();
        listed.sort_unstable();
        let mut wanted = Vec::new();
        for command in Command::<Position>::ALL {
            // The guide names help before its table.
            if command.places[0] == Place::Nowhere {
                continue;
            }
            let forms: &[&str] = match command.action {
                Plain(_) => &[""],
                Number(..) => &[" N"],
                NumberOrNone(..) => &["", " N"],
                Rest(..) => &[" e0=K a9=r e3= black"],
                File(_) => &[" FILE", ""],
                FileAndGame(..) => &[" FILE", " FILE N"],
            };
            wanted.extend(forms.iter().map(|form| format!("{}{form}", command.word)));
        }
        wanted.sort_unstable();
        assert_eq!(listed, wanted);
    }

    #[test]
    fn the_guide_lists_the_chinese_words() {
        let mut wanted = Vec::new();
        for command in Command::<Position>::ALL {
            if command.places[1] != Place::Nowhere {
                wanted.push(format!("{} `{}`", command.chinese, command.word));
            }
            if command.word == "setup" {
                // Its own words stand in the same cell, the first Chinese one of each.
                let mut words = setup::WORDS.to_vec();
                words.dedup_by_key(|(_, english)| *english);
                let words: Vec<String> = words
                    .iter()
                    .map(|(chinese, english)| format!("{chinese} `{english}`"))
                    .collect();
                let cell = wanted.last_mut().unwrap();
                *cell = format!("{cell} ({})", words.join(", "));
            }
        }
        let tables = tables_of_guide();
        let listed: Vec<&String> =
            tables[1].iter().flatten().filter(|cell| !cell.is_empty()).collect();
        assert_eq!(listed, wanted.iter().collect::<Vec<_>>());
    }
}
