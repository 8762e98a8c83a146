//! The options of the engine and ours, as one list.

use crate::engine::EngineOptions;
use crate::protocol::client::{Announcements, MILLISECONDS, VARIANT};
use crate::protocol::{Announced, Dialect, Settings, folded, is_same, name_in};
use crate::xiangqi::{Position, RuleSet};

/// Options that the proxy deals with towards either side by itself.
const MANAGED: [(&str, Managed); 3] = [
    (VARIANT, Managed::Variant),
    (MILLISECONDS, Managed::Milliseconds),
    ("newgame", Managed::NewGame),
];

/// Such an option.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Managed {
    /// The way in which ranks are counted.
    Variant,
    /// UCCI's unit of time.
    Milliseconds,
    /// UCCI's word for a new game.
    NewGame,
}

/// The prefix of our names.
const PREFIX: &str = "Jz";

fn managed(name: &str) -> Option<Managed> {
    let found = MANAGED.iter().find(|(managed, _)| folded(managed) == folded(name));
    found.map(|&(_, managed)| managed)
}

/// The owner of an option.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Owner {
    /// Ours, by the name it has in `juzhong uci`.
    Ours(String),
    /// The engine's, by its own name.
    Engine(String),
    /// Between the proxy and the GUI.
    Managed(Managed),
}

/// Options set by the GUI that are remembered.
const MAX_SET: usize = 1000;

/// Both lists, and the values of ours.
#[derive(Debug)]
pub(crate) struct Options {
    settings: Settings<Position>,
    pub(crate) engine: Announcements,
    /// The options that the GUI has set in the engine, each once.
    set: Vec<(String, String)>,
}

impl Options {
    pub(crate) fn new(own: EngineOptions<RuleSet>) -> Self {
        Self { settings: Settings::new(own), engine: Announcements::default(), set: Vec::new() }
    }

    /// Remembers an option that the GUI sets in the engine, for those that come after it.
    pub(crate) fn remember(&mut self, name: &str, value: &str) {
        self.set.retain(|(set, _)| folded(set) != folded(name));
        if self.set.len() < MAX_SET {
            self.set.push((name.to_owned(), value.to_owned()));
        }
    }

    /// The options that the GUI has set in the engine.
    pub(crate) fn remembered(&self) -> Vec<(String, String)> {
        self.set.clone()
    }

    /// Returns true if the GUI wants the engine's opinion in every search: `MultiPV` above 1, or `UCI_AnalyseMode`.
    pub(crate) fn wants_analysis(&self) -> bool {
        self.set.iter().any(|(name, value)| match folded(name).as_str() {
            "multipv" => value.parse::<u32>().is_ok_and(|lines| lines > 1),
            "ucianalysemode" => value.eq_ignore_ascii_case("true"),
            _ => false,
        })
    }

    /// The meaning of ours for the own engine.
    pub(crate) fn own(&self) -> EngineOptions<RuleSet> {
        self.settings.engine_options()
    }

    /// Sets one of ours.
    pub(crate) fn set_own(&mut self, name: &str, value: &str) -> Result<(), String> {
        self.settings.set_named(name, value)
    }

    /// Keeps of the engine's options what an engine of ours needs beside the options that are
    /// shown as ours anyway.
    pub(crate) fn keep_search_only(&mut self) {
        self.engine.retain(|option| {
            ["hash", "threads", "multipv", "ponder", "evaluation"]
                .contains(&folded(&option.name).as_str())
        });
    }

    /// Our options, by the names in `juzhong uci`: those of books, tablebases and rules.
    fn ours(&self) -> Vec<Announced> {
        let text = self.settings.describe(Dialect::Uci);
        let beginnings = ["ownbook", "book", "usetables", "table", "probe", "rules", "seed"];
        let all = text.lines().filter_map(Announced::read);
        all.filter(|option| {
            let name = folded(&option.name);
            beginnings.iter().any(|beginning| name.starts_with(beginning))
        })
        .collect()
    }

    /// The name under which one of ours is shown: `Jz` before it, as often as needed to differ from all names
    /// of the engine.
    fn shown(&self, name: &str) -> String {
        let mut shown = format!("{PREFIX}{name}");
        while self.engine.iter().any(|option| folded(&option.name) == folded(&shown)) {
            shown.insert_str(0, PREFIX);
        }
        shown
    }

    /// The owner of the option that a GUI means by `name`: ours by the name shown; else the engine's; else
    /// ours without the `Jz`; else, unknown, the engine's.
    pub(crate) fn owner(&self, name: &str) -> Owner {
        if let Some(managed) = managed(name) {
            return Owner::Managed(managed);
        }
        let ours = self.ours();
        if let Some(own) = ours.iter().find(|own| folded(&self.shown(&own.name)) == folded(name)) {
            return Owner::Ours(own.name.clone());
        }
        if let Some(option) = self.engine.find(name) {
            return Owner::Engine(option.name.clone());
        }
        match ours.iter().find(|own| is_same(&own.name, name)) {
            Some(own) => Owner::Ours(own.name.clone()),
            None => Owner::Engine(name.to_owned()),
        }
    }

    /// The `option` lines for a GUI.
    pub(crate) fn lines(&self, dialect: Dialect) -> Vec<String> {
        let mut lines = Vec::new();
        if dialect.is_ucci() {
            lines.push("option usemillisec type check default false".to_owned());
        }
        for option in self.engine.iter().filter(|option| is_shown(option, dialect)) {
            lines.push(line(dialect, &name_in(dialect, &option.name), &option.kind));
        }
        for own in self.ours() {
            lines.push(line(dialect, &self.shown(&own.name), &own.kind));
        }
        lines
    }

    /// Name and value by which an option of the engine is set: its own name, in whatever dialect `name` is,
    /// and no value for a button; `None` if it has no such option.
    pub(crate) fn of_engine<'a>(&self, name: &str, value: &'a str) -> Option<(String, &'a str)> {
        let option = self.engine.find(name)?;
        Some((option.name.clone(), if option.is_button() { "" } else { value }))
    }
}

/// Returns true if a GUI of that dialect sees an option of the engine.
fn is_shown(option: &Announced, dialect: Dialect) -> bool {
    match managed(&option.name) {
        // A GUI of Fairy-Stockfish chooses xiangqi, and with it ranks from 1, by its `UCI_Variant`.
        Some(Managed::Variant) => dialect == Dialect::Uci,
        Some(_) => false,
        None => true,
    }
}

fn line(dialect: Dialect, name: &str, kind: &str) -> String {
    if dialect.is_ucci() {
        format!("option {} {kind}", name.replace(' ', "_"))
    } else {
        format!("option name {name} {kind}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(lines: &[&str]) -> Options {
        let mut options = Options::new(EngineOptions::default());
        lines.iter().for_each(|line| options.engine.hear(line));
        options
    }

    fn engine(name: &str) -> Owner {
        Owner::Engine(name.to_owned())
    }

    fn ours(name: &str) -> Owner {
        Owner::Ours(name.to_owned())
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
        assert_eq!(ucci[0], "option usemillisec type check default false");
        assert_eq!(ucci[1], "option hashsize type spin default 16 min 1 max 1024");
        assert_eq!(ucci[2], "option Clear_Hash type button");
        for (name, owner) in [
            ("HASH", engine("Hash")),
            ("hashsize", engine("Hash")),
            ("clear_hash", engine("Clear Hash")),
            ("usebook", engine("OwnBook")),
            ("jzownbook", ours("OwnBook")),
            ("bookfiles", ours("BookFile")),
            ("Tables", ours("Tables")),
            ("Nonsense", engine("Nonsense")),
            ("usemillisec", Owner::Managed(Managed::Milliseconds)),
        ] {
            assert_eq!(options.owner(name), owner, "{name}");
        }
        assert_eq!(options.of_engine("clear_hash", "x"), Some(("Clear Hash".to_owned(), "")));
        assert_eq!(options.of_engine("hashsize", "16"), Some(("Hash".to_owned(), "16")));
        assert_eq!(options.of_engine("nonsense", "16"), None);
    }

    /// A proxy behind a proxy.
    #[test]
    fn names_never_clash() {
        let options = options(&[
            "option name JzTables type string default <empty>",
            "option name Tables type string default <empty>",
        ]);
        assert_eq!(options.owner("JzTables"), engine("JzTables"));
        assert_eq!(options.owner("Tables"), engine("Tables"));
        assert_eq!(options.owner("JzJzTables"), ours("Tables"));
        assert_eq!(options.owner("JzSeed"), ours("Seed"));
        let lines = options.lines(Dialect::Uci);
        assert_eq!(lines.iter().filter(|line| line.contains("name JzJzTables ")).count(), 1);
    }
}
