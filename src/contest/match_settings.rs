//! The settings on which the games of a match or a tournament depend, as a text by which its file is recognised.

use std::fmt::{self, Display, Formatter};
use std::path::PathBuf;

use crate::contest::one_game::TimeControl;
use crate::contest::referee::{DrawRule, ResignRule};
use crate::contest::schedule::{TournamentForm, engine_letter};
use crate::contest::sprt::Sprt;
use crate::protocol::Dialect;
use crate::protocol::client::EngineSizes;

/// All that games depend on, and what decides when they are enough. Their number and how many are played at a time are no
/// part of it.
///
/// # Stability
///
/// [`MatchJournal`](super::MatchJournal) compares the text with that of the games in its file: another text for the same
/// settings would be another match to the files that exist.
#[derive(Debug, Clone, PartialEq)]
pub struct MatchSettings {
    /// The engines.
    pub engines: Vec<EngineSettings>,
    /// The form of a tournament; a match of two engines has none.
    pub form: Option<TournamentForm>,
    /// The limits of searches.
    pub time_control: TimeControl,
    /// The positions where games begin.
    pub openings: OpeningSettings,
    /// The name of the rules.
    pub rules: String,
    /// The plies after which a game is drawn.
    pub max_plies: usize,
    /// The rule for draws by the engines' scores.
    pub draw: Option<DrawRule>,
    /// The rule for wins by the engines' scores.
    pub resign: Option<ResignRule>,
    /// The folder of endgame tables that end games.
    pub tables: Option<PathBuf>,
    /// The test that ends a match.
    pub sprt: Option<Sprt>,
}

/// An engine, as far as games depend on it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EngineSettings {
    /// The command or the name by which it was given.
    pub command: String,
    /// A digest of its program.
    pub digest: String,
    /// Its protocol, if one is given.
    pub protocol: Option<Dialect>,
    /// Its sizes, where some are given.
    pub sizes: EngineSizes,
    /// True if it is started anew for every game.
    pub restart: bool,
    /// Its options.
    pub options: Vec<(String, String)>,
    /// Its name in the games, if one is given.
    pub name: Option<String>,
}

/// The beginnings of games.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpeningSettings {
    /// A digest of the openings.
    pub digest: String,
    /// The seed of their order and of random plies.
    pub seed: u64,
    /// The random plies after an opening that is used again.
    pub random_plies: usize,
}

impl Display for MatchSettings {
    /// One line, but for what commands, options and paths contain.
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (engine, settings) in self.engines.iter().enumerate() {
            let separator = if engine == 0 { "" } else { "; " };
            write!(f, "{separator}{} {settings}", engine_letter(engine))?;
        }
        if let Some(form) = self.form {
            write!(f, "; tournament {form}")?;
        }
        let Self { time_control, openings, rules, max_plies, draw, resign, .. } = self;
        write!(f, "; pace {time_control}; margin {}", time_control.margin.as_millis())?;
        write!(f, "; openings {openings}; rules {rules} {max_plies}")?;
        write!(f, "; ends {} {}", draw_text(*draw), resign_text(*resign))?;
        if let Some(tables) = &self.tables {
            write!(f, "; tables {}", tables.display())?;
        }
        if let Some(Sprt { elo0, elo1, alpha, beta }) = self.sprt {
            write!(f, "; sprt {elo0} {elo1} {alpha} {beta}")?;
        }
        Ok(())
    }
}

impl Display for EngineSettings {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self { command, digest, protocol, sizes, restart, options, name } = self;
        write!(f, "{command} ({digest})")?;
        if let Some(protocol) = protocol {
            write!(f, " {}", protocol_text(*protocol))?;
        }
        let EngineSizes { threads, hash_mib } = sizes;
        if let Some(threads) = threads {
            write!(f, " threads {threads}")?;
        }
        if let Some(hash_mib) = hash_mib {
            write!(f, " hash {hash_mib}")?;
        }
        if *restart {
            write!(f, " anew")?;
        }
        let options: Vec<String> =
            options.iter().map(|(name, value)| format!("{name}={value}")).collect();
        write!(f, " [{}] {}", options.join(", "), name.as_deref().unwrap_or_default())
    }
}

impl Display for OpeningSettings {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self { digest, seed, random_plies } = self;
        write!(f, "{digest} seed {seed} random {random_plies}")
    }
}

/// The word of files for a protocol.
const fn protocol_text(protocol: Dialect) -> &'static str {
    match protocol {
        Dialect::Uci => "Uci",
        Dialect::Cyclone => "Cyclone",
        Dialect::Ucci => "Ucci",
        Dialect::Gomocup => "Gomocup",
    }
}

/// The words of files for a rule of draws.
fn draw_text(rule: Option<DrawRule>) -> String {
    match rule {
        None => "None".to_owned(),
        Some(DrawRule { from, moves, score }) => {
            format!("Some(DrawRule {{ from: {from}, moves: {moves}, score: {score} }})")
        }
    }
}

/// The words of files for a rule of wins.
fn resign_text(rule: Option<ResignRule>) -> String {
    match rule {
        None => "None".to_owned(),
        Some(ResignRule { moves, score }) => {
            format!("Some(ResignRule {{ moves: {moves}, score: {score} }})")
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn engine(command: &str) -> EngineSettings {
        EngineSettings {
            command: command.to_owned(),
            digest: "0123456789abcdef".to_owned(),
            protocol: None,
            sizes: EngineSizes::default(),
            restart: false,
            options: Vec::new(),
            name: None,
        }
    }

    fn settings() -> MatchSettings {
        MatchSettings {
            engines: vec![engine("self"), engine("./other --fast")],
            form: None,
            time_control: TimeControl { nodes: Some(20_000), ..TimeControl::default() },
            openings: OpeningSettings { digest: "89abcdef".to_owned(), seed: 1, random_plies: 2 },
            rules: "asian".to_owned(),
            max_plies: 300,
            draw: None,
            resign: None,
            tables: None,
            sprt: None,
        }
    }

    #[test]
    fn texts_are_those_of_files_that_exist() {
        assert_eq!(
            settings().to_string(),
            "a self (0123456789abcdef) [] ; b ./other --fast (0123456789abcdef) [] ; pace nodes 20000; margin 0; \
             openings 89abcdef seed 1 random 2; rules asian 300; ends None None"
        );
    }

    #[test]
    fn everything_that_games_depend_on_is_named() {
        let all = EngineSettings {
            protocol: Some(Dialect::Ucci),
            sizes: EngineSizes { threads: Some(2), hash_mib: Some(64) },
            restart: true,
            options: [("Hash", "16"), ("Style", "")]
                .map(|(name, value)| (name.into(), value.into()))
                .into(),
            name: Some("Fish".to_owned()),
            ..engine("fish")
        };
        let of_all = MatchSettings {
            engines: vec![all, engine("self"), engine("self")],
            form: Some(TournamentForm::Gauntlet),
            time_control: TimeControl {
                depth: Some(8),
                margin: Duration::from_millis(100),
                ..TimeControl::default()
            },
            draw: Some(DrawRule { from: 40, moves: 8, score: 10 }),
            resign: Some(ResignRule { moves: 3, score: 800 }),
            tables: Some("tables".into()),
            sprt: Some(Sprt { elo0: 0.0, elo1: 8.0, alpha: 0.05, beta: 0.05 }),
            ..settings()
        };
        assert_eq!(
            of_all.to_string(),
            "a fish (0123456789abcdef) Ucci threads 2 hash 64 anew [Hash=16, Style=] Fish; b self (0123456789abcdef) \
             [] ; c self (0123456789abcdef) [] ; tournament gauntlet; pace depth 8; margin 100; openings 89abcdef seed \
             1 random 2; rules asian 300; ends Some(DrawRule { from: 40, moves: 8, score: 10 }) Some(ResignRule { \
             moves: 3, score: 800 }); tables tables; sprt 0 8 0.05 0.05"
        );
    }
}
