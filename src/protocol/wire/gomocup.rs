//! The lines of the Gomocup protocol, which Piskvork introduced: what managers say, and what engines answer.
//! Coordinates are `x,y`: the column from the left and the row from the top, both from 0.

use std::fmt;

use crate::bytes::visible::Visible;
use crate::protocol::wire::command::MAX_LINE;
use crate::protocol::wire::format::shortened;

/// A point as the protocol counts; it need not be on the board.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Cell {
    /// From the left.
    pub(crate) column: i64,
    /// From the top.
    pub(crate) row: i64,
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{},{}", self.column, self.row)
    }
}

/// The commands that a list of points follows, one on each line up to `DONE`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum List {
    /// `BOARD`: a position, in which the engine moves.
    Board,
    /// `YXBOARD`: a position, in which nothing is searched yet.
    Shown,
    /// `SWAP2BOARD`: the stones of a swap2 opening in order.
    Swap2,
    /// `YXBLOCK`: points that the engine does not play.
    Block,
    /// `YXBLOCKUNDO`: points that it plays again.
    Unblock,
    /// `YXQUERYDATABASEALL`: moves in order, after which the database is asked for the next.
    Query,
    /// `YXSOOSORVSTEP2` to `YXSOOSORVSTEP6`: the stones of a Soosõrv opening in order.
    Soosorv(Step),
}

/// A step of an opening in which Yixin Board asks its engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Step {
    /// Of Soosõrv's opening 2 to 6, of swap2 1 to 3.
    pub(crate) step: u8,
    /// The number of fifth moves that White has asked for, in the steps that have one.
    pub(crate) fifths: i64,
}

impl List {
    /// The command's word.
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Board => "BOARD",
            Self::Shown => "YXBOARD",
            Self::Swap2 => "SWAP2BOARD",
            Self::Block => "YXBLOCK",
            Self::Unblock => "YXBLOCKUNDO",
            Self::Query => "YXQUERYDATABASEALL",
            Self::Soosorv(Step { step, .. }) => match step {
                2 => "YXSOOSORVSTEP2",
                3 => "YXSOOSORVSTEP3",
                4 => "YXSOOSORVSTEP4",
                5 => "YXSOOSORVSTEP5",
                _ => "YXSOOSORVSTEP6",
            },
        }
    }
}

/// Words of Yixin Board that are understood and not obeyed, and the reason for that. Many of them are followed by a
/// list of points, which belongs to them.
const REFUSED: [(&str, &str); 21] = [
    ("YXBALANCETWO", NOT_OFFERED),
    ("YXSEARCHDEFEND", NOT_OFFERED),
    ("YXFORBID", NOT_OFFERED),
    ("YXBLOCKPATH", "points are blocked by YXBLOCK, lines are not"),
    ("YXBLOCKPATHUNDO", "points are blocked by YXBLOCK, lines are not"),
    ("YXBLOCKPATHEXCEPT", "points are blocked by YXBLOCK, lines are not"),
    ("YXSHOWHASHUSAGE", NOT_OFFERED),
    ("YXPRINTFEATURE", NOT_OFFERED),
    ("YXDRAW", "no draw is offered or accepted"),
    ("YXRESIGN", "no game is given up"),
    ("YXQUERYDATABASEONE", NO_DATABASE),
    ("YXSETBESTMOVEDATABASE", NO_DATABASE),
    ("YXCLEARBESTMOVEDATABASE", NO_DATABASE),
    ("YXEDITLABELDATABASE", NO_DATABASE),
    ("YXEDITTVDDATABASE", NO_DATABASE),
    ("YXDELETEDATABASEONE", NO_DATABASE),
    ("YXDELETEDATABASEALL", NO_DATABASE),
    ("YXDBCHECK", NO_DATABASE),
    ("YXDBFIX", NO_DATABASE),
    ("YXSAVEDATABASE", NO_DATABASE),
    ("YXDBTOTXTALL", NO_DATABASE),
];

/// Words of Yixin Board that the name of a file follows, on a line of its own.
const OF_FILES: [(&str, &str); 6] = [
    ("YXHASHDUMP", "the transposition table is kept in no file"),
    ("YXHASHLOAD", "the transposition table is kept in no file"),
    ("YXSETDATABASE", NO_DATABASE),
    ("YXDBTOPOS", NO_DATABASE),
    ("YXDBTOTXT", NO_DATABASE),
    ("YXTXTTODB", NO_DATABASE),
];

const NOT_OFFERED: &str = "this engine does not do that";
const NO_DATABASE: &str =
    "there is no database; opening books are named when the engine is started";

/// A line of a manager.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Command {
    /// `START n` or `RECTSTART w,h`: a new game on a board of this size.
    Start {
        /// Columns.
        width: i64,
        /// Rows.
        height: i64,
    },
    /// `START w h`, as Yixin Board says it: the first number of a point is its row from then on, and the board
    /// sets up a game before each search, so that no game need be over.
    StartByRows {
        /// Columns.
        width: i64,
        /// Rows.
        height: i64,
    },
    /// `RESTART`: a new game on the same board.
    Restart,
    /// `BEGIN`: the engine makes the first move.
    Begin,
    /// `TURN x,y`: the opponent has moved, the engine moves.
    Turn(Cell),
    /// `PLAY x,y`: the engine has to play this move.
    Play(Cell),
    /// `TAKEBACK x,y`: the last move is taken back.
    TakeBack(Cell),
    /// A list of points begins.
    List(List),
    /// A point of a list.
    Stone {
        /// The point.
        cell: Cell,
        /// 1 for a stone of the engine, 2 for one of the opponent, 3 for a point that no stone can be put on.
        owner: Option<i64>,
    },
    /// `DONE`: the list is complete.
    Done,
    /// `INFO key value`.
    Info {
        /// In lower case.
        key: String,
        /// The rest of the line.
        value: String,
    },
    /// `YXSTOP`: move at once.
    Stop,
    /// `YXNBEST n`: search this number of best lines, and move.
    Best(i64),
    /// `YXHASHCLEAR`: forget what was searched.
    ClearHash,
    /// `YXSHOWINFO`: say what the engine can be set to.
    ShowInfo,
    /// `YXSHOWFORBID`: say which points are forbidden.
    ShowForbidden,
    /// `YXBLOCKRESET`: every point may be played again.
    Unblock,
    /// `YXBLOCKPATHRESET`: every line may be played again, as always.
    UnblockPaths,
    /// `YXBALANCEONE n`: a move after which the engine's score is about n.
    Balance(i64),
    /// `YXSWAP2STEP1` to `YXSWAP2STEP3`: after no stones an opening is proposed; after those of `YXBOARD` a side is
    /// chosen.
    Swap2(Step),
    /// `YXSOOSORVSTEP1`: the first three stones are proposed.
    ProposeSoosorv,
    /// A word that is understood and not obeyed, and the reason.
    Refused {
        /// The word.
        word: &'static str,
        /// The reason.
        why: &'static str,
        /// The next line is the name of a file.
        names_file: bool,
    },
    /// `ABOUT`.
    About,
    /// `END`.
    End,
    /// Not known: its first word.
    Unknown(String),
}

impl Command {
    /// Reads a line; `None` for an empty one. Words may be in any case.
    ///
    /// # Errors
    ///
    /// What is wrong with it, for people.
    pub(crate) fn parse(line: &str) -> Option<Result<Self, String>> {
        if line.len() as u64 >= MAX_LINE && !line.ends_with('\n') {
            return Some(Err(format!("a line of more than {MAX_LINE} bytes is not obeyed")));
        }
        let line = line.trim();
        let word = line.split_whitespace().next()?;
        if word.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '-' | '+')) {
            return Some(stone(line));
        }
        let rest = line[word.len()..].trim_start();
        let upper = word.to_ascii_uppercase();
        Some(match upper.as_str() {
            "START" => start(rest),
            "RECTSTART" => {
                cell(&upper, rest).map(|size| Self::Start { width: size.column, height: size.row })
            }
            "RESTART" => Ok(Self::Restart),
            "BEGIN" => Ok(Self::Begin),
            "TURN" => cell(&upper, rest).map(Self::Turn),
            "PLAY" => cell(&upper, rest).map(Self::Play),
            "TAKEBACK" => cell(&upper, rest).map(Self::TakeBack),
            "BOARD" => Ok(Self::List(List::Board)),
            "SWAP2BOARD" => Ok(Self::List(List::Swap2)),
            "DONE" => Ok(Self::Done),
            "INFO" => Ok(info(rest)),
            "YXSTOP" | "STOP" => Ok(Self::Stop),
            "ABOUT" => Ok(Self::About),
            "END" => Ok(Self::End),
            _ => yixin(&upper, rest).unwrap_or_else(|| Ok(Self::Unknown(shortened(word)))),
        })
    }

    /// Returns true if it is a word of Yixin Board's that a list may follow though none is known of: the points and
    /// the `DONE` after it are part of it.
    pub(crate) fn may_have_list(&self) -> bool {
        match self {
            Self::Refused { .. } => true,
            Self::Unknown(word) => is_of_yixin(word),
            _ => false,
        }
    }

    /// Returns true if it can be obeyed while a search runs.
    pub(crate) fn is_urgent(&self) -> bool {
        match self {
            Self::Stop | Self::About | Self::End | Self::ShowInfo => true,
            // Its list waits, so that it has to wait, too.
            Self::Unknown(word) => !is_of_yixin(word),
            _ => false,
        }
    }
}

/// A word of Yixin Board's.
fn yixin(upper: &str, rest: &str) -> Option<Result<Command, String>> {
    Some(match upper {
        "YXBOARD" => Ok(Command::List(List::Shown)),
        "YXBLOCK" => Ok(Command::List(List::Block)),
        "YXBLOCKUNDO" => Ok(Command::List(List::Unblock)),
        "YXBLOCKRESET" => Ok(Command::Unblock),
        "YXBLOCKPATHRESET" => Ok(Command::UnblockPaths),
        "YXQUERYDATABASEALL" => Ok(Command::List(List::Query)),
        "YXBALANCEONE" if rest.is_empty() => Ok(Command::Balance(0)),
        "YXBALANCEONE" => number(upper, rest).map(Command::Balance),
        "YXSWAP2STEP1" => Ok(Command::Swap2(Step { step: 1, fifths: 0 })),
        "YXSWAP2STEP2" => Ok(Command::Swap2(Step { step: 2, fifths: 0 })),
        "YXSWAP2STEP3" => Ok(Command::Swap2(Step { step: 3, fifths: 0 })),
        "YXSOOSORVSTEP1" => Ok(Command::ProposeSoosorv),
        "YXSOOSORVSTEP2" => Ok(soosorv(2, 0)),
        "YXSOOSORVSTEP3" => Ok(soosorv(3, 0)),
        "YXSOOSORVSTEP4" => number(upper, rest).map(|fifths| soosorv(4, fifths)),
        "YXSOOSORVSTEP5" => number(upper, rest).map(|fifths| soosorv(5, fifths)),
        "YXSOOSORVSTEP6" => Ok(soosorv(6, 0)),
        "YXNBEST" => number(upper, rest).map(Command::Best),
        "YXHASHCLEAR" => Ok(Command::ClearHash),
        "YXSHOWINFO" => Ok(Command::ShowInfo),
        "YXSHOWFORBID" => Ok(Command::ShowForbidden),
        _ => return refused(upper, rest).map(Ok),
    })
}

/// Returns true if this is the form of Yixin Board's words.
fn is_of_yixin(word: &str) -> bool {
    word.get(..2).is_some_and(|start| start.eq_ignore_ascii_case("yx"))
}

/// `START n`, or `START w h`.
fn start(rest: &str) -> Result<Command, String> {
    if let Some(&[width, height]) = numbers(rest).as_deref() {
        return Ok(Command::StartByRows { width, height });
    }
    number("START", rest).map(|size| Command::Start { width: size, height: size })
}

const fn soosorv(step: u8, fifths: i64) -> Command {
    Command::List(List::Soosorv(Step { step, fifths }))
}

fn refused(upper: &str, rest: &str) -> Option<Command> {
    let of_file = OF_FILES.iter().find(|&&(word, _)| word == upper);
    let &(word, why) = of_file.or(REFUSED.iter().find(|&&(word, _)| word == upper))?;
    Some(Command::Refused { word, why, names_file: of_file.is_some() && rest.is_empty() })
}

/// The numbers of a text, separated by commas or blanks; `None` where something else stands.
fn numbers(text: &str) -> Option<Vec<i64>> {
    /// More than any command has.
    const MOST: usize = 4;
    let words = text.split(|c: char| c == ',' || c.is_whitespace()).filter(|word| !word.is_empty());
    words.take(MOST).map(|word| word.parse().ok()).collect()
}

fn cell(word: &str, rest: &str) -> Result<Cell, String> {
    match numbers(rest).as_deref() {
        Some(&[column, row]) => Ok(Cell { column, row }),
        _ => Err(format!("{word} wants: {word} x,y and not \"{}\"", shortened(rest))),
    }
}

fn number(word: &str, rest: &str) -> Result<i64, String> {
    match numbers(rest).as_deref() {
        Some(&[number]) => Ok(number),
        _ => Err(format!("{word} wants: {word} n and not \"{}\"", shortened(rest))),
    }
}

/// `x,y` or `x,y,f`.
fn stone(line: &str) -> Result<Command, String> {
    match numbers(line).as_deref() {
        Some(&[column, row]) => Ok(Command::Stone { cell: Cell { column, row }, owner: None }),
        Some(&[column, row, owner]) => {
            Ok(Command::Stone { cell: Cell { column, row }, owner: Some(owner) })
        }
        _ => Err(format!("\"{}\" is no point; write x,y or x,y,f", shortened(line))),
    }
}

fn info(rest: &str) -> Command {
    let (key, value) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    Command::Info { key: shortened(key).to_ascii_lowercase(), value: value.trim().to_owned() }
}

/// A line of an engine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Reply {
    /// `OK`.
    Done,
    /// Points, as a rule one: the move.
    Cells(Vec<Cell>),
    /// `SWAP`: the engine takes the other side.
    Swap,
    /// `MESSAGE …` and `DEBUG …`: the text.
    Message(String),
    /// `ERROR …`: the text.
    Error(String),
    /// `UNKNOWN …`: the command is not known.
    Unknown(String),
    /// `SUGGEST x,y`: a move that the manager may have played by `PLAY`.
    Suggestion(Cell),
    /// `name="…", version="…", …`: the answer to `ABOUT`, and the name in it.
    About(Option<String>),
    /// Anything else.
    Other,
}

impl Reply {
    /// Reads a line.
    pub(crate) fn read(line: &str) -> Self {
        let line = line.trim();
        let word = line.split_whitespace().next().unwrap_or_default();
        let rest = line[word.len()..].trim_start();
        match word.to_ascii_uppercase().as_str() {
            "OK" if word.len() == line.len() => Self::Done,
            "SWAP" if word.len() == line.len() => Self::Swap,
            "MESSAGE" | "DEBUG" => Self::Message(rest.to_owned()),
            "ERROR" => Self::Error(rest.to_owned()),
            "UNKNOWN" => Self::Unknown(rest.to_owned()),
            "SUGGEST" => cell("SUGGEST", rest).map_or(Self::Other, Self::Suggestion),
            _ if line.contains("=\"") || line.to_ascii_lowercase().starts_with("name=") => {
                Self::About(name_of(line))
            }
            _ => cells(line).map_or(Self::Other, Self::Cells),
        }
    }
}

/// Points separated by blanks.
fn cells(line: &str) -> Option<Vec<Cell>> {
    /// Of the answer to an empty `SWAP2BOARD`.
    const MOST: usize = 3;
    let cells: Vec<Cell> =
        line.split_whitespace().take(MOST + 1).map(cell_of).collect::<Option<_>>()?;
    (1..=MOST).contains(&cells.len()).then_some(cells)
}

/// The cell of a word `column,row`.
fn cell_of(word: &str) -> Option<Cell> {
    let (column, row) = word.split_once(',')?;
    Some(Cell { column: column.parse().ok()?, row: row.parse().ok()? })
}

/// The value of `name` in the answer to `ABOUT`.
fn name_of(line: &str) -> Option<String> {
    let at = line.to_ascii_lowercase().find("name")?;
    let value = line.get(at + 4..)?.trim_start().strip_prefix('=')?.trim_start();
    let name = match value.strip_prefix('"') {
        Some(quoted) => quoted.split('"').next()?,
        None => value.split(',').next()?,
    };
    Some(shortened(name.trim())).filter(|name| !name.is_empty())
}

/// `MESSAGE` and a text; what would end the line is escaped.
pub(crate) fn message(text: &str) -> String {
    format!("MESSAGE {}", Visible(text))
}

/// `ERROR` and a text; what would end the line is escaped.
pub(crate) fn error(text: &str) -> String {
    format!("ERROR {}", Visible(text))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn command(line: &str) -> Command {
        Command::parse(line).unwrap().unwrap()
    }

    fn setting(key: &str, value: &str) -> Command {
        Command::Info { key: key.into(), value: value.into() }
    }

    const fn at(column: i64, row: i64) -> Cell {
        Cell { column, row }
    }

    fn about(name: &str) -> Reply {
        Reply::About(Some(name.to_owned()))
    }

    #[test]
    fn commands_are_read() {
        assert_eq!(command("START 15\r\n"), Command::Start { width: 15, height: 15 });
        assert_eq!(command("rectstart 20, 10"), Command::Start { width: 20, height: 10 });
        let cell = Cell { column: 3, row: 14 };
        assert_eq!(command("TURN 3,14"), Command::Turn(cell));
        assert_eq!(command(" turn 3 14 "), Command::Turn(cell));
        assert_eq!(command("TAKEBACK 3,14"), Command::TakeBack(cell));
        assert_eq!(command("3,14"), Command::Stone { cell, owner: None });
        assert_eq!(command("3,14,2"), Command::Stone { cell, owner: Some(2) });
        assert_eq!(command("SWAP2BOARD"), Command::List(List::Swap2));
        assert_eq!(command("INFO Time_Left  -5"), setting("time_left", "-5"));
        assert_eq!(command("INFO folder C:\\my games"), setting("folder", "C:\\my games"));
        assert_eq!(command("INFO"), setting("", ""));
        assert_eq!(command("YXNBEST 3"), Command::Best(3));
        assert_eq!(command("HELLO there"), Command::Unknown("HELLO".to_owned()));
        assert!(Command::parse(" \r\n").is_none());
    }

    #[test]
    fn what_is_no_command_says_what_it_should_be() {
        for (line, part) in [
            ("TURN", "TURN x,y"),
            ("TURN 7", "TURN x,y"),
            ("TURN 7,x", "TURN x,y"),
            ("START 99999999999999999999", "START n"),
            ("1,2,3,4", "x,y,f"),
            ("7;7", "x,y,f"),
        ] {
            let error = Command::parse(line).unwrap().unwrap_err();
            assert!(error.contains(part), "{line}: {error}");
        }
        let long = "7".repeat(MAX_LINE as usize);
        assert!(Command::parse(&long).unwrap().unwrap_err().contains("more than"));
    }

    #[test]
    fn replies_are_read() {
        assert_eq!(Reply::read("OK\r"), Reply::Done);
        assert_eq!(Reply::read("7,8"), Reply::Cells(vec![at(7, 8)]));
        assert_eq!(Reply::read("7,8 0,1"), Reply::Cells(vec![at(7, 8), at(0, 1)]));
        assert_eq!(Reply::read("swap"), Reply::Swap);
        assert_eq!(Reply::read("SUGGEST 7,8"), Reply::Suggestion(at(7, 8)));
        assert_eq!(Reply::read("MESSAGE 7,8"), Reply::Message("7,8".to_owned()));
        assert_eq!(Reply::read("ERROR no"), Reply::Error("no".to_owned()));
        assert_eq!(Reply::read("name=\"Pela\", version=\"7.9\", country=\"CZ\""), about("Pela"));
        assert_eq!(Reply::read("version=\"1\",name = \"A b\""), about("A b"));
        assert_eq!(Reply::read("author=\"x\""), Reply::About(None));
        for line in
            ["", "hello", "7", "7,8,9", "7,8 9", "1,1 2,2 3,3 4,4", "99999999999999999999,1"]
        {
            assert_eq!(Reply::read(line), Reply::Other, "{line}");
        }
    }

    proptest! {
        #[test]
        fn cells_are_read_as_they_are_written(column: i64, row: i64) {
            let cell = Cell { column, row };
            prop_assert_eq!(Reply::read(&cell.to_string()), Reply::Cells(vec![cell]));
            prop_assert_eq!(command(&format!("TURN {cell}")), Command::Turn(cell));
        }

        #[test]
        fn no_line_panics(line: String, word in "(TURN|INFO|START|BOARD|name|MESSAGE)?[ ,0-9=\"x-]{0,30}") {
            for line in [line, word] {
                let _command = Command::parse(&line);
                let _reply = Reply::read(&line);
            }
        }
    }
}
