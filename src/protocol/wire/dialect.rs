//! The dialects of one language: UCI, UCI-Cyclone and UCCI, and the words in which they differ.

use std::str::FromStr;

/// The protocol that a program uses. Commands are understood in every dialect alike, but for the unit of
/// time: see [`Go`](crate::protocol::wire::go::Go).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Dialect {
    /// The Universal Chess Interface as xiangqi programs use it: ranks 0 to 9, or 1 to 10 once the
    /// option `UCI_Variant` is set to `xiangqi`.
    #[default]
    Uci,
    /// UCI-Cyclone: UCI with ranks 0 to 9 whatever the variant, and positions with or without the
    /// word `position`. Its handshake is `ucicyclone`, or `uci` before such a position.
    Cyclone,
    /// The Universal Chinese Chess Protocol, version 3.0.
    Ucci,
    /// The Gomocup protocol, which engines of gomoku speak. Only the client speaks it as a dialect; a session has
    /// its own [way](crate::protocol::serve_gomocup) with it.
    Gomocup,
}

impl Dialect {
    const ALL: [Self; 3] = [Self::Uci, Self::Cyclone, Self::Ucci];

    /// The dialect whose handshake `word` is.
    pub(crate) fn of_handshake(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|dialect| dialect.handshake() == word)
    }

    /// The word that begins a session.
    pub(crate) const fn handshake(self) -> &'static str {
        match self {
            Self::Uci => "uci",
            Self::Cyclone => "ucicyclone",
            Self::Ucci => "ucci",
            Self::Gomocup => "ABOUT",
        }
    }

    /// The word that ends the engine's introduction.
    pub(crate) const fn ok(self) -> &'static str {
        match self {
            Self::Uci | Self::Cyclone => "uciok",
            Self::Ucci => "ucciok",
            Self::Gomocup => "OK",
        }
    }

    /// Returns true if it is [`Gomocup`](Self::Gomocup).
    pub(crate) const fn is_gomocup(self) -> bool {
        matches!(self, Self::Gomocup)
    }

    /// Returns true if it is [`Ucci`](Self::Ucci).
    pub(crate) const fn is_ucci(self) -> bool {
        matches!(self, Self::Ucci)
    }

    /// The word of `info` after which a message to people follows.
    pub(crate) const fn message_word(self) -> &'static str {
        if self.is_ucci() { "message" } else { "string" }
    }
}

impl FromStr for Dialect {
    type Err = &'static str;

    /// `uci`, `ucci`, `cyclone`, `ucicyclone` or `gomocup`, in any case.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.to_ascii_lowercase().as_str() {
            "cyclone" => Ok(Self::Cyclone),
            "gomocup" => Ok(Self::Gomocup),
            word => Self::of_handshake(word).ok_or("choose uci, ucci, cyclone or gomocup"),
        }
    }
}
