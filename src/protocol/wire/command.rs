//! The commands that a GUI sends, read from one line each. The words of all dialects are understood
//! together; where they mean different things, the session decides.

use crate::protocol::wire::dialect::Dialect;
use crate::protocol::wire::format::shortened;
use crate::protocol::wire::go::Go;

/// The longest line of a GUI that is obeyed, in bytes: a game of 50,000 plies.
pub(crate) const MAX_LINE: u64 = 1 << 18;

/// One line, understood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Command {
    /// `uci`, `ucicyclone` or `ucci`: introduce yourself.
    Handshake(Dialect),
    /// `isready`.
    IsReady,
    /// `ucinewgame`.
    NewGame,
    /// `setoption`: the text after it. UCI writes `name <name> [value <value>]`, UCCI `<name> [<value>]`, and
    /// some GUIs write the one to engines of the other.
    SetOption(String),
    /// `position`, or in UCI-Cyclone what comes after that word alone.
    Position {
        /// The position to set up.
        setup: Setup,
        /// The word `position` was left out.
        bare: bool,
    },
    /// `banmoves` (UCCI): moves not to be played in the position that was set up last.
    BanMoves(Vec<String>),
    /// `go`.
    Go(Box<Go>),
    /// `stop`.
    Stop,
    /// `ponderhit`: the move pondered on was played.
    PonderHit {
        /// The opponent offers a draw (UCCI).
        draw: bool,
    },
    /// `probe` (UCCI): asks for the transposition table's entry for this position.
    Probe(Setup),
    /// `debug on` and `debug off`.
    Debug(bool),
    /// `quit`.
    Quit,
    /// `d`: show the position.
    Display,
    /// Known, but nothing to do.
    Ignored,
    /// Not known: the line.
    Unknown(String),
}

/// A position: where it begins, and the moves since.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Setup {
    /// `None` for the start of a game. UCCI gives the position after the last capture.
    pub fen: Option<String>,
    /// In the GUI's coordinates.
    pub moves: Vec<String>,
}

impl Command {
    /// Reads a line; `None` for an empty one.
    ///
    /// # Errors
    ///
    /// What is wrong with it, for people.
    pub fn parse(line: &str) -> Option<Result<Self, String>> {
        if line.len() as u64 >= MAX_LINE && !line.ends_with('\n') {
            return Some(Err(format!("a line of more than {MAX_LINE} bytes is not obeyed")));
        }
        if line.contains(char::REPLACEMENT_CHARACTER) {
            let message =
                "a line that is neither UTF-8 nor GB18030 is not obeyed; send it in UTF-8";
            return Some(Err(message.to_owned()));
        }
        let line = line.trim();
        let mut words = line.split_whitespace();
        let first = words.next()?;
        let rest = words.collect::<Vec<_>>();
        if let Some(dialect) = Dialect::of_handshake(first) {
            return Some(Ok(Self::Handshake(dialect)));
        }
        Some(match first {
            "isready" => Ok(Self::IsReady),
            "ucinewgame" | "uccinewgame" | "uxinewgame" => Ok(Self::NewGame),
            "setoption" => Ok(Self::SetOption(line[first.len()..].trim_start().to_owned())),
            "position" => setup(&rest).map(|setup| Self::Position { setup, bare: false }),
            "fen" | "startpos" => {
                let words: Vec<&str> = std::iter::once(first).chain(rest).collect();
                setup(&words).map(|setup| Self::Position { setup, bare: true })
            }
            "banmoves" => Ok(Self::BanMoves(owned(&rest))),
            "go" => Ok(Self::Go(Box::new(Go::parse(&rest)))),
            "stop" => Ok(Self::Stop),
            "ponderhit" => Ok(Self::PonderHit { draw: rest.first() == Some(&"draw") }),
            "probe" => setup(&rest).map(Self::Probe),
            "debug" => match rest.first() {
                Some(&"on") => Ok(Self::Debug(true)),
                Some(&"off") => Ok(Self::Debug(false)),
                _ => Err("debug wants: debug on|off".to_owned()),
            },
            "quit" => Ok(Self::Quit),
            "d" => Ok(Self::Display),
            "register" => Ok(Self::Ignored),
            other if other.starts_with('#') => Ok(Self::Ignored),
            _ => Ok(Self::Unknown(line.to_owned())),
        })
    }

    /// Returns true if it can be obeyed while a search runs.
    pub(crate) const fn is_urgent(&self) -> bool {
        match self {
            Self::Handshake(_)
            | Self::IsReady
            | Self::Stop
            | Self::PonderHit { .. }
            | Self::Probe(_)
            | Self::Debug(_)
            | Self::Quit
            | Self::Ignored
            | Self::Unknown(_) => true,
            Self::NewGame
            | Self::SetOption(_)
            | Self::Position { .. }
            | Self::BanMoves(_)
            | Self::Go(_)
            | Self::Display => false,
        }
    }
}

fn owned(words: &[&str]) -> Vec<String> {
    words.iter().map(|&word| word.to_owned()).collect()
}

/// `startpos | fen <fields>`, then `[moves <moves>]`.
fn setup(words: &[&str]) -> Result<Setup, String> {
    let Some((&kind, rest)) = words.split_first() else {
        return Err("position wants: position startpos|fen <fen> [moves <moves>]".to_owned());
    };
    let end = rest.iter().position(|&word| word == "moves").unwrap_or(rest.len());
    let moves = owned(rest.get(end + 1..).unwrap_or_default());
    let fen = match kind {
        "startpos" if end == 0 => None,
        "fen" if end > 0 => Some(rest[..end].join(" ")),
        "fen" => return Err("position fen without a FEN".to_owned()),
        _ => {
            let word = rest.first().filter(|_| kind == "startpos").unwrap_or(&kind);
            return Err(format!("position: unexpected \"{}\"", shortened(word)));
        }
    };
    Ok(Setup { fen, moves })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn command(line: &str) -> Command {
        Command::parse(line).unwrap().unwrap()
    }

    fn set_option(text: &str) -> Command {
        Command::SetOption(text.to_owned())
    }

    fn position(fen: Option<&str>, moves: &[&str], bare: bool) -> Command {
        let setup = Setup { fen: fen.map(str::to_owned), moves: owned(moves) };
        Command::Position { setup, bare }
    }

    #[test]
    fn reads_handshakes_and_options() {
        assert_eq!(command("uci"), Command::Handshake(Dialect::Uci));
        assert_eq!(command("ucicyclone\r\n"), Command::Handshake(Dialect::Cyclone));
        assert_eq!(command(" ucci "), Command::Handshake(Dialect::Ucci));
        assert_eq!(command(" setoption  name Clear Hash \r\n"), set_option("name Clear Hash"));
        assert_eq!(command("setoption bookfiles /a  b"), set_option("bookfiles /a  b"));
    }

    #[test]
    fn reads_positions() {
        let moves = &["h2e2", "h9g7"];
        assert_eq!(command("position startpos moves h2e2 h9g7"), position(None, moves, false));
        assert_eq!(command("startpos moves h2e2 h9g7"), position(None, moves, true));
        let fen = Some("4k4/9 w - - 0 1");
        assert_eq!(command("position fen 4k4/9 w - - 0 1 moves"), position(fen, &[], false));
        assert_eq!(command("fen 4k4/9 w - - 0 1"), position(fen, &[], true));
        for bad in [
            "position",
            "position fen",
            "position fen moves a0a1",
            "position startpos x",
            "fen",
            "probe",
            "probe h2e2",
        ] {
            assert!(Command::parse(bad).unwrap().is_err(), "{bad}");
        }
    }

    #[test]
    fn reads_what_has_no_numbers() {
        assert_eq!(command("ponderhit draw"), Command::PonderHit { draw: true });
        assert_eq!(command("banmoves h2e2"), Command::BanMoves(owned(&["h2e2"])));
        assert!(matches!(command("go searchmoves h2e2 depth 3"), Command::Go(_)));
    }

    #[test]
    fn unknown_words_are_kept_and_blank_lines_nothing() {
        assert!(Command::parse("").is_none());
        assert!(Command::parse("  \r").is_none());
        let bad = Command::parse("setoption name BookFiles value \u{fffd}.obk").unwrap();
        assert!(bad.unwrap_err().contains("UTF-8"));
        assert_eq!(command(" xyzzy  a\r"), Command::Unknown("xyzzy  a".to_owned()));
    }
}
