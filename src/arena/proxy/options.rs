//! The options of the engine and ours, as one list.

use super::Dialect;
use crate::engine::EngineOptions;
use crate::protocol::{self, Settings};
use crate::xiangqi::{Position, RuleSet};

/// An option as its owner announces it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Announced {
    /// As written; UCI allows blanks.
    pub(super) name: String,
    /// From `type` on.
    kind: String,
}

impl Announced {
    /// Reads `option [name] <name> type …`.
    pub(super) fn read(line: &str) -> Option<Self> {
        let mut words = line.split_whitespace().peekable();
        words.next().filter(|&word| word == "option")?;
        words.next_if_eq(&"name");
        let mut name = Vec::new();
        while let Some(word) = words.next_if(|&word| word != "type") {
            name.push(word);
        }
        let kind = words.collect::<Vec<_>>().join(" ");
        (!name.is_empty()).then(|| Self { name: name.join(" "), kind })
    }

    /// Whether one of its values is `value`.
    pub(super) fn has_value(&self, value: &str) -> bool {
        self.kind.split_whitespace().any(|word| word == value)
    }

    fn is_button(&self) -> bool {
        self.kind.starts_with("type button")
    }
}

/// What the dialects call the same option: UCI's name and UCCI's.
const ALIASES: [(&str, &str); 6] = [
    ("Hash", "hashsize"),
    ("Threads", "threads"),
    ("Ponder", "ponder"),
    ("OwnBook", "usebook"),
    ("BookFile", "bookfiles"),
    ("Tables", "egtbpaths"),
];

/// Options that the proxy deals with towards either side by itself.
const MANAGED: [&str; 3] = [VARIANT, MILLISECONDS, "newgame"];
/// The game an engine for several plays.
pub(super) const VARIANT: &str = "ucivariant";
/// UCCI: whether times are in milliseconds.
pub(super) const MILLISECONDS: &str = "usemillisec";

/// What our names begin with.
const PREFIX: &str = "Jz";

/// A name as it is compared: in lower case, without blanks and the `_` that stands for them.
pub(super) fn plain(name: &str) -> String {
    name.chars().filter(|&c| c != ' ' && c != '_').map(|c| c.to_ascii_lowercase()).collect()
}

/// Whether two names mean the same option, in whichever dialect.
fn is_same(a: &str, b: &str) -> bool {
    let (a, b) = (plain(a), plain(b));
    let known = |name: &str| {
        ALIASES.iter().position(|(x, y)| [plain(x), plain(y)].contains(&name.to_owned()))
    };
    a == b || known(&a).is_some_and(|at| known(&b) == Some(at))
}

/// Whose an option is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Owner {
    /// Ours, by the name it has in `juzhong uci`.
    Ours(String),
    /// The engine's, by its own name.
    Engine(String),
    /// Between the proxy and the GUI, by its plain name.
    Managed(String),
}

/// Both lists and what ours are set to.
#[derive(Debug)]
pub(super) struct Options {
    settings: Settings<Position>,
    engine: Vec<Announced>,
}

/// Options of an engine that are remembered, at most.
const MAX_OPTIONS: usize = 1000;

impl Options {
    pub(super) fn new(own: EngineOptions<RuleSet>) -> Self {
        Self { settings: Settings::new(own), engine: Vec::new() }
    }

    /// What ours mean to the own engine.
    pub(super) fn own(&self) -> EngineOptions<RuleSet> {
        self.settings.engine_options()
    }

    /// Sets one of ours.
    pub(super) fn set_own(&mut self, name: &str, value: &str) -> Result<(), String> {
        self.settings.set_named(name, value)
    }

    /// Forgets the engine's.
    pub(super) fn forget_engine(&mut self) {
        self.engine.clear();
    }

    /// Takes in a line of the engine's introduction.
    pub(super) fn announce(&mut self, line: &str) {
        if self.engine.len() < MAX_OPTIONS {
            self.engine.extend(Announced::read(line));
        }
    }

    /// The engine's option of that name, in whichever dialect.
    pub(super) fn of_engine(&self, name: &str) -> Option<&Announced> {
        let exact = self.engine.iter().find(|option| plain(&option.name) == plain(name));
        exact.or_else(|| self.engine.iter().find(|option| is_same(&option.name, name)))
    }

    /// Keeps of the engine's options what an engine of ours needs beside the options that are
    /// shown as ours anyway.
    pub(super) fn keep_search_only(&mut self) {
        self.engine.retain(|option| {
            ["hash", "threads", "multipv", "ponder"].contains(&plain(&option.name).as_str())
        });
    }

    /// Our options, by the names in `juzhong uci`: those of books, tables and rules.
    fn ours(&self) -> Vec<Announced> {
        let text = self.settings.describe(protocol::Dialect::Uci);
        let beginnings = ["ownbook", "book", "usetables", "table", "probe", "rules", "seed"];
        let is_ours = |option: &Announced| {
            let name = plain(&option.name);
            beginnings.iter().any(|beginning| name.starts_with(beginning))
        };
        text.lines().filter_map(Announced::read).filter(is_ours).collect()
    }

    /// The name under which one of ours is shown: `Jz` before it, as often as it takes to differ
    /// from all names of the engine.
    fn shown(&self, name: &str) -> String {
        let mut shown = format!("{PREFIX}{name}");
        while self.engine.iter().any(|option| plain(&option.name) == plain(&shown)) {
            shown.insert_str(0, PREFIX);
        }
        shown
    }

    /// Whose the option is that a GUI means by `name`: ours by the name shown; else the engine's;
    /// else ours without the `Jz`; else, unknown, the engine's.
    pub(super) fn owner(&self, name: &str) -> Owner {
        if MANAGED.contains(&plain(name).as_str()) {
            return Owner::Managed(plain(name));
        }
        let ours = self.ours();
        if let Some(own) = ours.iter().find(|own| plain(&self.shown(&own.name)) == plain(name)) {
            return Owner::Ours(own.name.clone());
        }
        if let Some(option) = self.of_engine(name) {
            return Owner::Engine(option.name.clone());
        }
        match ours.iter().find(|own| is_same(&own.name, name)) {
            Some(own) => Owner::Ours(own.name.clone()),
            None => Owner::Engine(name.to_owned()),
        }
    }

    /// The `option` lines for a GUI.
    pub(super) fn lines(&self, dialect: Dialect) -> Vec<String> {
        // A GUI of Fairy-Stockfish chooses xiangqi, and with it ranks from 1, by its `UCI_Variant`.
        let is_shown = |option: &&Announced| {
            let name = plain(&option.name);
            let variant = name == VARIANT && dialect == Dialect::Uci;
            variant || !MANAGED.contains(&name.as_str())
        };
        let mut lines = Vec::new();
        if dialect == Dialect::Ucci {
            lines.push("option usemillisec type check default true".to_owned());
        }
        for option in self.engine.iter().filter(is_shown) {
            lines.push(line(dialect, &in_dialect(&option.name, dialect), &option.kind));
        }
        for own in self.ours() {
            lines.push(line(dialect, &self.shown(&own.name), &own.kind));
        }
        lines
    }

    /// The command that sets an option of an engine that speaks `dialect`.
    pub(super) fn command(&self, dialect: Dialect, name: &str, value: &str) -> String {
        let is_button = self.of_engine(name).is_some_and(Announced::is_button);
        match dialect {
            Dialect::Uci if is_button || value.is_empty() => format!("setoption name {name}"),
            Dialect::Uci => format!("setoption name {name} value {value}"),
            Dialect::Ucci => format!("setoption {name} {value}").trim_end().to_owned(),
        }
    }
}

fn line(dialect: Dialect, name: &str, kind: &str) -> String {
    match dialect {
        Dialect::Uci => format!("option name {name} {kind}"),
        Dialect::Ucci => format!("option {} {kind}", name.replace(' ', "_")),
    }
}

/// The dialect's own name of an option that both have.
fn in_dialect(name: &str, dialect: Dialect) -> String {
    let both =
        ALIASES[..3].iter().find(|(uci, ucci)| [plain(uci), plain(ucci)].contains(&plain(name)));
    match (both, dialect) {
        (None, _) => name.to_owned(),
        (Some((uci, _)), Dialect::Uci) => (*uci).to_owned(),
        (Some((_, ucci)), Dialect::Ucci) => (*ucci).to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(lines: &[&str]) -> Options {
        let mut options = Options::new(EngineOptions::default());
        lines.iter().for_each(|line| options.announce(line));
        options
    }

    #[test]
    fn both_lists_are_shown_and_found() {
        let options = options(&[
            "option name Hash type spin default 16 min 1 max 1024",
            "option name Clear Hash type button",
            "option name OwnBook type check default true",
            "option name UCI_Variant type combo default chess var chess var xiangqi",
        ]);
        let uci = options.lines(Dialect::Uci);
        assert_eq!(uci[0], "option name Hash type spin default 16 min 1 max 1024");
        assert!(uci.contains(&"option name JzOwnBook type check default true".to_owned()));
        assert!(uci.contains(&"option name JzTables type string default <empty>".to_owned()));
        assert!(!uci.iter().any(|line| line.contains("JzHash")));
        let ucci = options.lines(Dialect::Ucci);
        assert!(!ucci.iter().any(|line| line.contains("UCI_Variant")));
        assert_eq!(ucci[0], "option usemillisec type check default true");
        assert_eq!(ucci[1], "option hashsize type spin default 16 min 1 max 1024");
        assert_eq!(ucci[2], "option Clear_Hash type button");
        let engine = |name: &str| Owner::Engine(name.to_owned());
        let ours = |name: &str| Owner::Ours(name.to_owned());
        for (name, owner) in [
            ("HASH", engine("Hash")),
            ("hashsize", engine("Hash")),
            ("clear_hash", engine("Clear Hash")),
            ("usebook", engine("OwnBook")),
            ("jzownbook", ours("OwnBook")),
            ("bookfiles", ours("BookFile")),
            ("Tables", ours("Tables")),
            ("Nonsense", engine("Nonsense")),
            ("usemillisec", Owner::Managed("usemillisec".to_owned())),
        ] {
            assert_eq!(options.owner(name), owner, "{name}");
        }
        assert_eq!(options.command(Dialect::Uci, "Clear Hash", ""), "setoption name Clear Hash");
        assert_eq!(options.command(Dialect::Ucci, "hashsize", "16"), "setoption hashsize 16");
    }

    /// A proxy behind a proxy.
    #[test]
    fn names_never_clash() {
        let options = options(&[
            "option name JzTables type string default <empty>",
            "option name Tables type string default <empty>",
        ]);
        assert_eq!(options.owner("JzTables"), Owner::Engine("JzTables".to_owned()));
        assert_eq!(options.owner("Tables"), Owner::Engine("Tables".to_owned()));
        assert_eq!(options.owner("JzJzTables"), Owner::Ours("Tables".to_owned()));
        assert_eq!(options.owner("JzSeed"), Owner::Ours("Seed".to_owned()));
        let lines = options.lines(Dialect::Uci);
        assert_eq!(lines.iter().filter(|line| line.contains("name JzJzTables ")).count(), 1);
    }

    #[test]
    fn strange_announcements_do_no_harm() {
        for line in ["", "option", "option name", "option name type spin", "id name x"] {
            assert_eq!(Announced::read(line), None, "{line}");
        }
        let odd = Announced::read("option name a b").unwrap();
        assert_eq!((odd.name.as_str(), odd.kind.as_str()), ("a b", ""));
    }
}
