//! The handshake with an engine, and the engine's introduction.

use std::time::{Duration, Instant};

use crate::protocol::client::Wire;
use crate::protocol::session::options::is_same;
use crate::protocol::wire::announced::Announced;
use crate::protocol::wire::dialect::Dialect;
use crate::protocol::wire::gomocup::Reply;
use crate::protocol::wire::ranks::Ranks;

/// An engine of unknown protocol that does not answer `uci` for this long is greeted in UCCI as well.
const SECOND_GREETING: Duration = Duration::from_secs(1);

/// Options that are remembered, at most.
const MAX_OPTIONS: usize = 1000;

/// The game that an engine for several plays.
pub(crate) const VARIANT: &str = "UCI_Variant";
/// UCCI: the option for times in milliseconds.
pub(crate) const MILLISECONDS: &str = "usemillisec";

/// An engine's introduction as it comes.
#[derive(Debug)]
pub(crate) struct Greeting {
    /// The dialect of the engine, where that is known.
    protocol: Option<Dialect>,
    began: Instant,
    /// The engine has begun its introduction.
    introduced: bool,
    /// It was greeted in both dialects.
    both: bool,
    /// It was also asked in the Gomocup protocol.
    asked_about: bool,
    pub(crate) name: Option<String>,
    pub(crate) author: Option<String>,
}

/// The state of an introduction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Introduced {
    /// More will come.
    NotYet,
    /// The engine uses this dialect.
    As(Dialect),
    /// It was greeted in another dialect too, so that its dialect is unknown now: it must be started again
    /// and greeted in this one.
    Again(Dialect),
}

impl Greeting {
    pub(crate) fn new(protocol: Option<Dialect>) -> Self {
        Self {
            protocol,
            began: Instant::now(),
            introduced: false,
            both: false,
            asked_about: false,
            name: None,
            author: None,
        }
    }

    /// The first word.
    pub(crate) fn word(&self) -> &'static str {
        self.protocol.unwrap_or_default().handshake()
    }

    /// Reads a line.
    pub(crate) fn hear(&mut self, line: &str) -> Introduced {
        let own = self.protocol.unwrap_or_default();
        if own.is_gomocup() {
            let Reply::About(name) = Reply::read(line) else { return Introduced::NotYet };
            self.name = name;
            return Introduced::As(own);
        }
        let mut words = line.split_whitespace();
        match (words.next(), words.next()) {
            (Some("uciok"), None) if self.both => return Introduced::Again(Dialect::Uci),
            (Some("ucciok"), None) => return Introduced::As(Dialect::Ucci),
            (Some("uciok"), None) if own.is_ucci() => return Introduced::As(Dialect::Uci),
            (Some("uciok"), None) => return Introduced::As(own),
            (Some("id"), Some("name")) => {
                let name = words.collect::<Vec<_>>().join(" ");
                self.name = Some(name).filter(|name| !name.is_empty());
            }
            (Some("id"), Some("author")) => {
                self.author = Some(words.collect::<Vec<_>>().join(" "));
            }
            (Some("option"), Some(_)) => {}
            _ if self.asked_about && matches!(Reply::read(line), Reply::About(_)) => {
                return Introduced::Again(Dialect::Gomocup);
            }
            _ => return Introduced::NotYet,
        }
        self.introduced = true;
        Introduced::NotYet
    }

    /// Returns true if it may know only UCCI and was greeted in UCI alone: UCCI allows an engine to end at
    /// any first word but its own.
    pub(crate) const fn may_want_ucci(&self) -> bool {
        self.protocol.is_none() && !self.introduced && !self.both
    }

    /// The time at which it is to be greeted in UCCI too.
    pub(crate) fn second(&self, timeout: Duration) -> Option<Instant> {
        self.may_want_ucci().then(|| self.began + SECOND_GREETING.min(timeout / 2))
    }

    /// The second word, now.
    pub(crate) const fn second_word(&mut self) -> &'static str {
        self.both = true;
        Dialect::Ucci.handshake()
    }

    /// The time at which it is to be asked in the Gomocup protocol too, after the second greeting.
    pub(crate) fn third(&self, timeout: Duration) -> Option<Instant> {
        let is_silent = self.both && !self.introduced && !self.asked_about;
        is_silent.then(|| self.began + 2 * SECOND_GREETING.min(timeout / 3))
    }

    /// The third word, now.
    pub(crate) const fn third_word(&mut self) -> &'static str {
        self.asked_about = true;
        Dialect::Gomocup.handshake()
    }

    /// The time at which it is given up.
    pub(crate) fn ends(&self, timeout: Duration) -> Instant {
        self.began + timeout
    }
}

/// The options that an engine has announced.
#[derive(Debug, Default)]
pub(crate) struct Announcements(Vec<Announced>);

impl Announcements {
    /// Reads a line of its introduction.
    pub(crate) fn hear(&mut self, line: &str) {
        if self.0.len() < MAX_OPTIONS {
            self.0.extend(Announced::read(line));
        }
    }

    pub(crate) fn iter(&self) -> std::slice::Iter<'_, Announced> {
        self.0.iter()
    }

    pub(crate) fn retain(&mut self, keep: impl FnMut(&Announced) -> bool) {
        self.0.retain(keep);
    }

    /// The option of that name, in any case, or of a name that means the same in the other dialect.
    pub(crate) fn find(&self, name: &str) -> Option<&Announced> {
        let exact = self.0.iter().find(|option| option.name.eq_ignore_ascii_case(name));
        exact.or_else(|| self.0.iter().find(|option| is_same(&option.name, name)))
    }

    /// The conventions of an engine that has these options and answered in `dialect`, and the options, by
    /// name and value, that must be set in it for that.
    ///
    /// An engine of UCI that lists `UCI_Variant` with `xiangqi` plays several games, and counts ranks
    /// from 1; in the other dialects there are ranks from 0 only. One of UCCI that lists
    /// `usemillisec` gets times in milliseconds.
    pub(crate) fn conventions(&self, dialect: Dialect) -> (Wire, Vec<(String, String)>) {
        let mut wire = Wire::of(dialect);
        let mut settings = Vec::new();
        let variant = self.find(VARIANT).filter(|option| option.has_value("xiangqi"));
        if let Some(variant) = variant.filter(|_| dialect == Dialect::Uci) {
            wire.ranks = Ranks::FromOne;
            settings.push((variant.name.clone(), "xiangqi".to_owned()));
        }
        if let Some(option) = self.find(MILLISECONDS).filter(|_| dialect.is_ucci()) {
            wire.unit = 1;
            settings.push((option.name.clone(), "true".to_owned()));
        }
        (wire, settings)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heard(protocol: Option<Dialect>, lines: &[&str]) -> Introduced {
        let mut greeting = Greeting::new(protocol);
        let heard: Vec<Introduced> = lines.iter().map(|line| greeting.hear(line)).collect();
        heard[lines.len() - 1]
    }

    #[test]
    fn what_answers_is_spoken() {
        let introduction = ["id name x", "option name y", "uciok"];
        assert_eq!(heard(None, &introduction), Introduced::As(Dialect::Uci));
        let cyclone = Some(Dialect::Cyclone);
        assert_eq!(heard(cyclone, &introduction), Introduced::As(Dialect::Cyclone));
        assert_eq!(heard(None, &["ucciok"]), Introduced::As(Dialect::Ucci));
        assert_eq!(heard(None, &["uciok no"]), Introduced::NotYet);
        let mut greeting = Greeting::new(None);
        assert!(greeting.may_want_ucci());
        assert_eq!(greeting.second_word(), "ucci");
        assert_eq!(greeting.hear("uciok"), Introduced::Again(Dialect::Uci));
        assert_eq!(greeting.hear("ucciok"), Introduced::As(Dialect::Ucci));
        assert!(!greeting.may_want_ucci());
    }

    #[test]
    fn a_silent_engine_is_asked_in_every_protocol() {
        let mut greeting = Greeting::new(None);
        let timeout = Duration::from_secs(20);
        assert!(greeting.third(timeout).is_none());
        greeting.second_word();
        assert!(greeting.third(timeout).is_some());
        assert_eq!(greeting.hear("name=\"x\""), Introduced::NotYet);
        assert_eq!(greeting.third_word(), "ABOUT");
        assert!(greeting.third(timeout).is_none());
        assert_eq!(greeting.hear("name=\"x\""), Introduced::Again(Dialect::Gomocup));
    }

    #[test]
    fn engines_of_gomoku_are_known_by_their_manners() {
        let gomocup = Some(Dialect::Gomocup);
        let about = ["MESSAGE hello", "name=\"Pela\", version=\"1\""];
        assert_eq!(heard(gomocup, &about), Introduced::As(Dialect::Gomocup));
        assert_eq!(heard(gomocup, &["uciok"]), Introduced::NotYet);
    }

    #[test]
    fn ranks_are_counted_from_one_in_uci_only() {
        let mut options = Announcements::default();
        options.hear("option name UCI_Variant type combo default chess var chess var xiangqi");
        options.hear("option UseMillisec type check default false");
        let (wire, settings) = options.conventions(Dialect::Uci);
        assert_eq!((wire.ranks, settings.len()), (Ranks::FromOne, 1));
        let (wire, settings) = options.conventions(Dialect::Cyclone);
        assert_eq!((wire.ranks, settings.len()), (Ranks::FromZero, 0));
        let (wire, settings) = options.conventions(Dialect::Ucci);
        assert_eq!((wire.ranks, wire.unit), (Ranks::FromZero, 1));
        assert_eq!(settings, [("UseMillisec".to_owned(), "true".to_owned())]);
        assert_eq!(Announcements::default().conventions(Dialect::Ucci).0.unit, 1000);
    }
}
