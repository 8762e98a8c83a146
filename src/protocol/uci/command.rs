//! The commands that a GUI sends, read from one line each.

use std::iter::Peekable;
use std::time::Duration;

/// One line, understood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Command {
    Uci,
    IsReady,
    NewGame,
    SetOption {
        name: String,
        value: String,
    },
    Position {
        fen: Option<String>,
        moves: Vec<String>,
    },
    Go(Box<Go>),
    Stop,
    PonderHit,
    Quit,
    /// Show the position.
    Display,
    /// Known, but nothing to do.
    Ignored,
}

/// What `go` asks for. Times are capped at [`MAX_TIME`].
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Go {
    pub(super) first_time: Option<Duration>,
    pub(super) second_time: Option<Duration>,
    pub(super) first_increment: Duration,
    pub(super) second_increment: Duration,
    pub(super) moves_to_go: Option<u32>,
    pub(super) move_time: Option<Duration>,
    pub(super) depth: Option<u32>,
    pub(super) nodes: Option<u64>,
    pub(super) infinite: bool,
    pub(super) ponder: bool,
    /// Words that mean nothing here, and names without a number, to be reported.
    pub(super) ignored: Vec<String>,
}

/// Longer times are meant as "no limit" anyway: a year.
const MAX_TIME: Duration = Duration::from_secs(365 * 24 * 3600);

/// Reads a line; `None` for an empty one.
pub(super) fn parse(line: &str) -> Option<Result<Command, String>> {
    let mut words = line.split_whitespace();
    let first = words.next()?;
    let rest = words.collect::<Vec<_>>();
    Some(match first {
        "uci" => Ok(Command::Uci),
        "isready" => Ok(Command::IsReady),
        "ucinewgame" => Ok(Command::NewGame),
        "setoption" => set_option(&rest),
        "position" => position(&rest),
        "go" => Ok(Command::Go(Box::new(go(&rest)))),
        "stop" => Ok(Command::Stop),
        "ponderhit" => Ok(Command::PonderHit),
        "quit" => Ok(Command::Quit),
        "d" => Ok(Command::Display),
        "debug" | "register" => Ok(Command::Ignored),
        other => Err(format!("unknown command: {}", shortened(other))),
    })
}

/// `name <words> [value <words>]`.
fn set_option(words: &[&str]) -> Result<Command, String> {
    let Some((&"name", words)) = words.split_first() else {
        return Err("setoption wants: setoption name <name> [value <value>]".to_owned());
    };
    let end = words.iter().position(|&word| word == "value").unwrap_or(words.len());
    if end == 0 {
        return Err("setoption without a name".to_owned());
    }
    let value = words.get(end + 1..).unwrap_or_default().join(" ");
    Ok(Command::SetOption { name: words[..end].join(" "), value })
}

/// `startpos | fen <fields>`, then `[moves <moves>]`.
fn position(words: &[&str]) -> Result<Command, String> {
    let Some((&kind, rest)) = words.split_first() else {
        return Err("position wants: position startpos|fen <fen> [moves <moves>]".to_owned());
    };
    let end = rest.iter().position(|&word| word == "moves").unwrap_or(rest.len());
    let moves = rest.get(end + 1..).unwrap_or_default();
    let fen = match kind {
        "startpos" if end == 0 => None,
        "fen" if end > 0 => Some(rest[..end].join(" ")),
        "fen" => return Err("position fen without a FEN".to_owned()),
        _ => {
            let word = rest.first().filter(|_| kind == "startpos").unwrap_or(&kind);
            return Err(format!("position: unexpected \"{}\"", shortened(word)));
        }
    };
    Ok(Command::Position { fen, moves: moves.iter().map(|&m| m.to_owned()).collect() })
}

/// What cannot be understood is left out, so that every `go` has its answer.
fn go(words: &[&str]) -> Go {
    let mut go = Go::default();
    let mut words = words.iter().copied().peekable();
    while let Some(word) = words.next() {
        let understood = match word {
            "infinite" => set(&mut go.infinite, Some(true)),
            "ponder" => set(&mut go.ponder, Some(true)),
            "wtime" => set(&mut go.first_time, milliseconds(&mut words).map(Some)),
            "btime" => set(&mut go.second_time, milliseconds(&mut words).map(Some)),
            "winc" => set(&mut go.first_increment, milliseconds(&mut words)),
            "binc" => set(&mut go.second_increment, milliseconds(&mut words)),
            "movetime" => set(&mut go.move_time, milliseconds(&mut words).map(Some)),
            "movestogo" => set(&mut go.moves_to_go, small_number(&mut words).map(Some)),
            "depth" => set(&mut go.depth, small_number(&mut words).map(Some)),
            "nodes" => set(&mut go.nodes, number(&mut words).map(Some)),
            _ => None,
        };
        if understood.is_none() {
            go.ignored.push(shortened(word));
        }
    }
    go
}

fn set<T>(field: &mut T, value: Option<T>) -> Option<()> {
    *field = value?;
    Some(())
}

/// Clocks may have run below zero.
fn milliseconds<'w>(words: &mut Peekable<impl Iterator<Item = &'w str>>) -> Option<Duration> {
    let below_zero = |word: &&str| word.strip_prefix('-').and_then(digits).is_some();
    if words.next_if(below_zero).is_some() {
        return Some(Duration::ZERO);
    }
    number(words).map(|value| Duration::from_millis(value).min(MAX_TIME))
}

fn small_number<'w>(words: &mut Peekable<impl Iterator<Item = &'w str>>) -> Option<u32> {
    number(words).map(|value| u32::try_from(value).unwrap_or(u32::MAX))
}

/// Takes the next word if it is a number.
fn number<'w>(words: &mut Peekable<impl Iterator<Item = &'w str>>) -> Option<u64> {
    words.next_if(|word| digits(word).is_some()).and_then(digits)
}

/// Numbers beyond the type's largest are meant as "no limit" and become that.
fn digits(word: &str) -> Option<u64> {
    let is_number = !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| word.parse().unwrap_or(u64::MAX))
}

/// A word for a message: without control characters and not long.
pub(super) fn shortened(word: &str) -> String {
    const LEN: usize = 40;
    let mut text: String = word.chars().filter(|c| !c.is_control()).take(LEN).collect();
    if word.chars().nth(LEN).is_some() {
        text.push('…');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn command(line: &str) -> Command {
        parse(line).unwrap().unwrap()
    }

    #[test]
    fn reads_options_with_blanks_in_name_and_value() {
        let option = |name: &str, value: &str| Command::SetOption {
            name: name.to_owned(),
            value: value.to_owned(),
        };
        assert_eq!(command("setoption name Hash value 64"), option("Hash", "64"));
        assert_eq!(command(" setoption  name Clear Hash \r\n"), option("Clear Hash", ""));
        assert_eq!(command("setoption name Book value /a b/c.book"), option("Book", "/a b/c.book"));
        assert!(parse("setoption Hash 64").unwrap().is_err());
        assert!(parse("setoption name value 3").unwrap().is_err());
    }

    #[test]
    fn reads_positions() {
        let position = |fen: Option<&str>, moves: &[&str]| Command::Position {
            fen: fen.map(str::to_owned),
            moves: moves.iter().map(|&m| m.to_owned()).collect(),
        };
        assert_eq!(command("position startpos moves h2e2 h9g7"), position(None, &["h2e2", "h9g7"]));
        assert_eq!(
            command("position fen 4k4/9 w - - 0 1 moves"),
            position(Some("4k4/9 w - - 0 1"), &[])
        );
        for bad in ["position", "position fen", "position fen moves a0a1", "position startpos x"] {
            assert!(parse(bad).unwrap().is_err(), "{bad}");
        }
    }

    #[test]
    fn reads_go() {
        let line = "go wtime -5 btime 1000 winc 10 movestogo 3 searchmoves h2e2 ponder";
        let go = Go {
            first_time: Some(Duration::ZERO),
            second_time: Some(Duration::from_secs(1)),
            first_increment: Duration::from_millis(10),
            moves_to_go: Some(3),
            ponder: true,
            ignored: vec!["searchmoves".to_owned(), "h2e2".to_owned()],
            ..Go::default()
        };
        assert_eq!(command(line), Command::Go(Box::new(go)));
    }

    #[test]
    fn numbers_too_large_are_the_largest_and_bad_ones_left_out() {
        let go = |line: &str| go(&line.split(' ').skip(1).collect::<Vec<_>>());
        let huge = "99999999999999999999";
        assert_eq!(go(&format!("go depth {huge}")).depth, Some(u32::MAX));
        assert_eq!(go("go depth 99999999999").depth, Some(u32::MAX));
        assert_eq!(go(&format!("go nodes {huge}")).nodes, Some(u64::MAX));
        assert_eq!(go(&format!("go movetime {huge}")).move_time, Some(MAX_TIME));
        assert_eq!(go(&format!("go wtime -{huge}")).first_time, Some(Duration::ZERO));
        for (line, ignored) in [
            ("go depth", &["depth"][..]),
            ("go depth x nodes 5", &["depth", "x"]),
            ("go depth nodes 5", &["depth"]),
            ("go depth -1 nodes 5", &["depth", "-1"]),
        ] {
            let go = go(line);
            assert_eq!((go.depth, go.ignored), (None, ignored.iter().map(|&w| w.into()).collect()));
            assert_eq!(go.nodes.is_some(), line.ends_with('5'), "{line}");
        }
    }

    #[test]
    fn unknown_words_are_errors_and_blank_lines_nothing() {
        assert!(parse("").is_none());
        assert!(parse("  \r").is_none());
        assert!(parse("xyzzy").unwrap().unwrap_err().contains("xyzzy"));
        assert!(parse(&"x".repeat(1000)).unwrap().unwrap_err().len() < 100);
    }
}
