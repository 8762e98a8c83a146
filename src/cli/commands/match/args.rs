//! The arguments of `juzhong match`, and the match or the tournament that they describe.

use std::num::NonZero;
use std::path::PathBuf;
use std::time::Duration;

use super::from_match;
use crate::cli::args::engine_command::{
    OWN, OfEngine, Spoken, named_engine, parse_lettered, parse_option, parse_protocol, require_game,
};
use crate::cli::args::line_args::{BoardArgs, NotationArgs};
use crate::cli::args::openings::{read_openings, tell_left_out};
use crate::cli::print::terminal::Terminal;
use crate::cli::{CliError, exit, notice};
use juzhong::answers::parse_rules;
use juzhong::bytes::machine::cores;
use juzhong::contest::{
    ClockSetting, ContestError, Contested, DrawRule, MAX_ENGINES, MAX_PLIES, MatchOpenings,
    Participant, Referee, ResignRule, Sprt, TimeControl, Tournament, TournamentForm,
    built_in_openings, engine_letter,
};
use juzhong::engine::{Endgames, TableOptions};
use juzhong::game::Game;
use juzhong::message::message;
use juzhong::protocol::client::{EngineEntry, Timeouts};
use juzhong::search::MAX_PLY;

/// Play a match between two engines, or a tournament of several.
///
/// Every opening is played twice, with colours exchanged. The exit code is 0 if all games were played, whatever the
/// result (a test that does not pass is a result), 1 if an engine crashed, hung, made an illegal move or lost on time
/// in any game, 69 if an engine does not start, and 75 after an interruption: the same command then resumes from the
/// games in its output.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The first engine; results are reported from its point of view. A name of the settings, a program with its
    /// arguments, or self for this program's own engine.
    #[arg(long, value_name = "NAME|CMD", default_value = OWN, help_heading = "Engines")]
    engine_a: String,
    /// The second engine.
    #[arg(long, value_name = "NAME|CMD", default_value = OWN, help_heading = "Engines")]
    engine_b: String,
    /// An engine, in place of --engine-a and --engine-b; repeated for each. They are called a, b, c and so on, in this order.
    /// Three or more play a tournament.
    #[arg(long, value_name = "NAME|CMD", conflicts_with_all = ["engine_a", "engine_b"],
        help_heading = "Engines")]
    engine: Vec<String>,
    /// Option for all engines; may be repeated. An empty value triggers a button option.
    #[arg(long, value_name = "NAME=VALUE", value_parser = parse_option, help_heading = "Engines")]
    option: Vec<(String, String)>,
    /// Option for the first engine; may be repeated.
    #[arg(long, value_name = "NAME=VALUE", value_parser = parse_option, help_heading = "Engines")]
    option_a: Vec<(String, String)>,
    /// Option for the second engine; may be repeated.
    #[arg(long, value_name = "NAME=VALUE", value_parser = parse_option, help_heading = "Engines")]
    option_b: Vec<(String, String)>,
    /// Option for the engine with that letter, as in c:Hash=64; may be repeated.
    #[arg(long, value_name = "LETTER:NAME=VALUE", value_parser = |text: &str| parse_lettered(text, parse_option),
        help_heading = "Engines")]
    engine_option: Vec<OfEngine<(String, String)>>,
    /// Protocol of the first engine: auto, uci, ucci, cyclone or, for gomoku, gomocup.
    #[arg(long, default_value = "auto", value_parser = parse_protocol, help_heading = "Engines")]
    protocol_a: Spoken,
    /// Protocol of the second engine.
    #[arg(long, default_value = "auto", value_parser = parse_protocol, help_heading = "Engines")]
    protocol_b: Spoken,
    /// Name of the first engine in the games [default: the name it reports].
    #[arg(long, value_name = "NAME", help_heading = "Engines")]
    name_a: Option<String>,
    /// Name of the second engine.
    #[arg(long, value_name = "NAME", help_heading = "Engines")]
    name_b: Option<String>,
    /// Protocol of the engine with that letter, as in c:ucci; may be repeated.
    #[arg(long, value_name = "LETTER:PROTOCOL",
        value_parser = |text: &str| parse_lettered(text, parse_protocol), help_heading = "Engines")]
    engine_protocol: Vec<OfEngine<Spoken>>,
    /// Name of the engine with that letter, as in c:Fish; may be repeated.
    #[arg(long, value_name = "LETTER:NAME",
        value_parser = |text: &str| parse_lettered(text, |name| Ok(name.to_owned())),
        help_heading = "Engines")]
    engine_name: Vec<OfEngine<String>>,
    /// Restart the engines for every game.
    #[arg(long, help_heading = "Engines")]
    restart: bool,
    #[command(flatten, next_help_heading = "Time and limits")]
    limits: Limits,
    #[command(flatten, next_help_heading = "Openings")]
    pub(super) start: Start,
    #[command(flatten, next_help_heading = "Adjudication")]
    pub(super) ends: Ends,
    /// Form of a tournament of three or more engines: round-robin (everybody against everybody) or gauntlet (the first
    /// against all others).
    #[arg(long, value_name = "FORM", default_value_t, help_heading = "Games and SPRT")]
    tournament: TournamentForm,
    /// Maximum number of games, of each pairing in a tournament, rounded up to an even number.
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..),
        help_heading = "Games and SPRT")]
    games: u32,
    /// Games played in parallel (0: as many as the cores allow for the option Threads of the engines).
    #[arg(long, value_name = "N", default_value_t = 1,
        value_parser = clap::value_parser!(u16).range(0..=256), help_heading = "Games and SPRT")]
    concurrency: u16,
    /// Stop as soon as an SPRT between two Elo differences is decided: 0,8 tests whether the first engine is stronger.
    #[arg(long, value_name = "ELO0,ELO1", allow_hyphen_values = true, value_parser = parse_elos,
        help_heading = "Games and SPRT")]
    sprt: Option<(f64, f64)>,
    /// Type I error (alpha) of the SPRT.
    #[arg(long, value_name = "P", default_value_t = 0.05, help_heading = "Games and SPRT")]
    alpha: f64,
    /// Type II error (beta) of the SPRT.
    #[arg(long, value_name = "P", default_value_t = 0.05, help_heading = "Games and SPRT")]
    beta: f64,
    /// Append each finished game to this file, as PGN (gomoku: JSON lines). A file with games of this match resumes it.
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    pub(super) output: Option<PathBuf>,
    #[command(flatten, next_help_heading = "Output")]
    pub(super) notation: NotationArgs,
}

/// How long engines may think.
#[derive(Debug, clap::Args)]
struct Limits {
    /// Nodes per move (20000 if no other limit is given).
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,
    /// Depth per move, in plies.
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..MAX_PLY as i64))]
    depth: Option<u32>,
    /// Milliseconds per move.
    #[arg(long, value_name = "MS", conflicts_with = "clock",
        value_parser = clap::value_parser!(u64).range(1..))]
    movetime: Option<u64>,
    /// Time per game plus increment per move, in seconds, as in 10+0.1.
    #[arg(long, value_name = "SECONDS+INCREMENT")]
    clock: Option<ClockSetting>,
    /// Milliseconds by which an engine may exceed its time without losing the game.
    #[arg(long, value_name = "MS", default_value_t = 100)]
    margin: u64,
    /// Seconds after which an engine without a time limit counts as hung.
    #[arg(long, value_name = "SECONDS", default_value_t = 300,
        value_parser = clap::value_parser!(u64).range(1..=86_400))]
    timeout: u64,
}

/// Where games begin.
#[derive(Debug, clap::Args)]
pub(super) struct Start {
    /// Files and folders of openings: games in any format, lists of positions (FEN, moves may follow, or EPD); gomoku: one
    /// opening per line, as moves (h8i9g7), offsets from the centre, or a position [default: the built-in lines].
    #[arg(long, value_name = "FILE", num_args = 1..)]
    openings: Vec<PathBuf>,
    #[command(flatten)]
    board: BoardArgs,
    /// Play the first N plies of each opening (0: all).
    #[arg(long, value_name = "N", default_value_t = 8)]
    plies: usize,
    /// Random plies after an opening that is used again.
    #[arg(long, value_name = "N", default_value_t = 2,
        value_parser = clap::value_parser!(u8).range(0..=20))]
    pub(super) random_plies: u8,
    /// Random seed for the order of openings and the random plies.
    #[arg(long, default_value_t = 1)]
    pub(super) seed: u64,
}

/// When games end.
#[derive(Debug, clap::Args)]
pub(super) struct Ends {
    /// Repetition rules (xiangqi: none, check, asian, computer or chinese; default: asian).
    #[arg(long)]
    rules: Option<String>,
    /// Adjudicate games of N plies as draws.
    #[arg(long, value_name = "N", default_value_t = MAX_PLIES)]
    pub(super) max_plies: usize,
    /// Adjudicate a draw from move FROM on, if the scores of both engines stay within CP centipawns for MOVES moves
    /// each, as in 40,8,10.
    #[arg(long, value_name = "FROM,MOVES,CP")]
    pub(super) draw: Option<DrawRule>,
    /// Adjudicate a win if both engines agree on a score of at least CP centipawns for MOVES moves each, as in 3,800.
    #[arg(long, value_name = "MOVES,CP")]
    pub(super) resign: Option<ResignRule>,
    /// Folder of endgame tables for adjudication.
    #[arg(long, value_name = "FOLDER")]
    pub(super) tables: Option<PathBuf>,
}

/// Searched unless a limit is given.
const NODES: u64 = 20_000;
fn parse_elos(text: &str) -> Result<(f64, f64), String> {
    let elos = text.split_once(',').and_then(|(elo0, elo1)| {
        Some((elo0.trim().parse::<f64>().ok()?, elo1.trim().parse::<f64>().ok()?))
    });
    elos.ok_or_else(|| "write ELO0,ELO1 as in 0,8".to_owned())
}

impl Args {
    pub(super) fn tournament<G: Contested + Terminal>(
        &self,
        known: &[EngineEntry],
    ) -> Result<Tournament<G>, CliError> {
        let start: G = self.start.board.start()?;
        let openings = match self.start.openings.is_empty() {
            true => built_in_openings(&start),
            false => read_openings(&self.start.openings, &start)?,
        };
        let Start { plies, seed, random_plies, .. } = self.start;
        let timeout = Duration::from_secs(self.limits.timeout);
        let referee = self.ends.referee()?;
        let openings =
            MatchOpenings::new(openings, plies, seed, random_plies.into()).judged_by(&referee);
        tell_left_out(openings.left_out());
        let participants = self.participants::<G>(known)?;
        let concurrency = self.concurrency(&participants);
        Ok(Tournament {
            participants,
            form: self.tournament,
            time_control: self.limits.time_control(),
            referee,
            openings,
            games: self.games as usize,
            concurrency,
            timeouts: Timeouts { search: timeout, ..Timeouts::default() },
        })
    }

    /// The commands of all engines.
    pub(super) fn commands(&self) -> Vec<&str> {
        if self.engine.is_empty() {
            return vec![&self.engine_a, &self.engine_b];
        }
        self.engine.iter().map(String::as_str).collect()
    }

    fn participants<G: Game>(&self, known: &[EngineEntry]) -> Result<Vec<Participant>, CliError> {
        let commands = self.commands();
        let engines = commands.len();
        if !(2..=MAX_ENGINES).contains(&engines) {
            return Err(from_match(ContestError::Engines { engines, least: 2, most: MAX_ENGINES }));
        }
        self.check_letters(engines)?;
        let commands = commands.into_iter().enumerate();
        commands.map(|(engine, command)| self.participant::<G>(engine, command, known)).collect()
    }

    /// Refuses what is meant for engines that there are not.
    fn check_letters(&self, engines: usize) -> Result<(), CliError> {
        let letters = [
            ("--engine-option", letters(&self.engine_option)),
            ("--engine-protocol", letters(&self.engine_protocol)),
            ("--engine-name", letters(&self.engine_name)),
        ];
        for (option, letters) in letters {
            if let Some(&engine) = letters.iter().find(|&&engine| engine >= engines) {
                let [letter, last] = [engine, engines - 1].map(engine_letter);
                let message =
                    message!("{option}: there is no engine {letter}; the last one is {last}");
                return Err(CliError::message(exit::USAGE, message));
            }
        }
        Ok(())
    }

    fn participant<G: Game>(
        &self,
        engine: usize,
        command: &str,
        known: &[EngineEntry],
    ) -> Result<Participant, CliError> {
        let entry = named_engine(command, known)?;
        let (options, protocol, name) = match engine {
            0 => (self.option_a.as_slice(), self.protocol_a, self.name_a.as_ref()),
            1 => (self.option_b.as_slice(), self.protocol_b, self.name_b.as_ref()),
            _ => (&[][..], Spoken(None), None),
        };
        let more: Vec<_> = of_engine(&self.engine_option, engine).cloned().collect();
        let typed = of_engine(&self.engine_protocol, engine).last().unwrap_or(&protocol).0;
        let entry = entry.map(|entry| EngineEntry { protocol: typed.or(entry.protocol), ..entry });
        entry.iter().try_for_each(|entry| require_game(entry, G::NAME))?;
        let kept = entry.as_ref().map_or(&[][..], |entry| &entry.options);
        Ok(Participant {
            protocol: entry.as_ref().map_or(typed, |entry| entry.protocol),
            sizes: entry.as_ref().map(EngineEntry::sizes).unwrap_or_default(),
            // The last value counts: first those of the settings, then those typed for all engines, then for this one.
            options: [kept, &self.option, options, &more].concat(),
            command: entry.map(|entry| entry.command),
            name: of_engine(&self.engine_name, engine).last().or(name).cloned(),
            restart: self.restart,
        })
    }

    /// Games at a time; says so if they are more than the cores allow.
    fn concurrency(&self, participants: &[Participant]) -> usize {
        let cores = cores().get();
        let threads = participants.iter().map(threads).max().unwrap_or(1);
        // The engines of a game think in turn, so that a game needs the threads of one of them.
        let most = (cores / threads).max(1);
        let games = NonZero::new(self.concurrency.into()).map_or(most, NonZero::get);
        if games > most {
            notice(message!(
                "{games} games at a time of engines of {threads} threads are more than {cores} cores can play: engines will be slower, and may lose on time"
            ));
        }
        games
    }

    /// The exit code of games that came to their end, or did not.
    pub(super) fn exit_code(&self, done: bool, has_faults: bool) -> u8 {
        if !done {
            let next = match self.output {
                Some(_) => "the same command goes on from its games",
                None => "with --output a match can go on",
            };
            notice(message!("interrupted; {next}"));
            return exit::INTERRUPTED;
        }
        if has_faults { exit::FAILED } else { exit::OK }
    }

    pub(super) fn sprt(&self, engines: usize) -> Result<Option<Sprt>, CliError> {
        let Self { alpha, beta, .. } = *self;
        let sprt = self.sprt.map(|(elo0, elo1)| Sprt { elo0, elo1, alpha, beta });
        match sprt {
            Some(_) if engines > 2 => {
                let message = "--sprt is for matches of two engines";
                Err(CliError::message(exit::USAGE, message))
            }
            Some(sprt) if !sprt.is_sound() => {
                let message = "--sprt: the first Elo must be the smaller one, and --alpha and \
                               --beta between 0 and 0.5";
                Err(CliError::message(exit::USAGE, message))
            }
            sprt => Ok(sprt),
        }
    }
}

/// The engines that something is meant for.
fn letters<T>(given: &[OfEngine<T>]) -> Vec<usize> {
    given.iter().map(|given| given.engine).collect()
}

/// A value that is meant for one engine.
fn of_engine<T>(given: &[OfEngine<T>], engine: usize) -> impl DoubleEndedIterator<Item = &T> {
    given.iter().filter(move |given| given.engine == engine).map(|given| &given.value)
}

/// The threads that an engine is told to search with.
fn threads(participant: &Participant) -> usize {
    let options = participant.options.iter().rev();
    let mut values = options.filter(|(name, _)| name.eq_ignore_ascii_case("Threads"));
    let threads = values.next().and_then(|(_, value)| value.parse().ok());
    threads.unwrap_or(1).max(1)
}

impl Limits {
    fn time_control(&self) -> TimeControl {
        let free = self.depth.is_none() && self.movetime.is_none() && self.clock.is_none();
        TimeControl {
            depth: self.depth,
            nodes: self.nodes.or(free.then_some(NODES)),
            move_time: self.movetime.map(Duration::from_millis),
            clock: self.clock,
            margin: Duration::from_millis(self.margin),
        }
    }
}

impl Ends {
    fn referee<G: Contested + Terminal>(&self) -> Result<Referee<G>, CliError> {
        let rules = parse_rules::<G>(self.rules.as_deref())?;
        let open = |folder: &PathBuf| {
            let folders = vec![folder.clone()];
            let options = TableOptions { folders, ..TableOptions::default() };
            G::Tables::open(&options, rules)
                .map_err(|message| CliError::message(exit::NO_INPUT, message))
        };
        let tables = self.tables.as_ref().map(open).transpose()?;
        let Self { max_plies, draw, resign, .. } = *self;
        Ok(Referee { rules, max_plies, draw, resign, tables })
    }
}
