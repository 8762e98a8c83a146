//! `juzhong match`.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::cli::args::engine_command::{
    OWN, OfEngine, Spoken, named_engine, parse_lettered, parse_option, parse_protocol, require_game,
};
use crate::cli::args::line_args::{BoardArgs, NotationArgs};
use crate::cli::args::openings::{read_openings, tell_left_out};
use crate::cli::commands::tournament;
use crate::cli::print::terminal::Terminal;
use crate::cli::{CliError, Context, OrExit, exit, interrupt, tell, with_game, write_answer};
use crate::language::{self, counted, counts, left, text, word};
use juzhong::answers::{MatchAnswer, MeansOfMoves, parse_rules};
use juzhong::bytes::journal::JournalError;
use juzhong::bytes::machine::cores;
use juzhong::bytes::visible::ShowPath;
use juzhong::contest::{
    ClockSetting, ContestError, ContestGame, Contested, Count, Decision, DrawRule, Effort,
    EloEstimate, EngineFault, MAX_ENGINES, MAX_PLIES, Match, MatchJournal, MatchOpenings,
    MatchTotals, Participant, Referee, ResignRule, Schedule, Sprt, TimeControl, Tournament,
    TournamentForm, built_in_openings, engine_letter,
};
use juzhong::engine::{Endgames, TableOptions};
use juzhong::game::{Game, Side};
use juzhong::message::message;
use juzhong::protocol::client::{EngineCommand, EngineEntry, EngineSizes, Timeouts};
use juzhong::record::Record;
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
    start: Start,
    #[command(flatten, next_help_heading = "Adjudication")]
    ends: Ends,
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
    output: Option<PathBuf>,
    #[command(flatten, next_help_heading = "Output")]
    notation: NotationArgs,
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
struct Start {
    /// Files and folders of openings: games in any format, lists of positions (FEN or EPD); gomoku: one opening per
    /// line, as moves (h8i9g7), offsets from the centre, or a position [default: the built-in lines].
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
    random_plies: u8,
    /// Random seed for the order of openings and the random plies.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// When games end.
#[derive(Debug, clap::Args)]
struct Ends {
    /// Repetition rules (xiangqi: none, check, asian, computer or chinese; default: asian).
    #[arg(long)]
    rules: Option<String>,
    /// Adjudicate games of N plies as draws.
    #[arg(long, value_name = "N", default_value_t = MAX_PLIES)]
    max_plies: usize,
    /// Adjudicate a draw from move FROM on, if the scores of both engines stay within CP centipawns for MOVES moves
    /// each, as in 40,8,10.
    #[arg(long, value_name = "FROM,MOVES,CP")]
    draw: Option<DrawRule>,
    /// Adjudicate a win if both engines agree on a score of at least CP centipawns for MOVES moves each, as in 3,800.
    #[arg(long, value_name = "MOVES,CP")]
    resign: Option<ResignRule>,
    /// Folder of endgame tables for adjudication.
    #[arg(long, value_name = "FOLDER")]
    tables: Option<PathBuf>,
}

/// Searched unless a limit is given.
const NODES: u64 = 20_000;
/// The interval at which the standing is reported.
const PAUSE: Duration = Duration::from_secs(10);

fn parse_elos(text: &str) -> Result<(f64, f64), String> {
    let elos = text.split_once(',').and_then(|(elo0, elo1)| {
        Some((elo0.trim().parse::<f64>().ok()?, elo1.trim().parse::<f64>().ok()?))
    });
    elos.ok_or_else(|| "write ELO0,ELO1 as in 0,8".to_owned())
}

pub(crate) fn run(args: &Args, context: &mut Context<'_>) -> Result<u8, CliError> {
    with_game!(context.common.game, G => play::<G>(args, context))
}

fn play<G: Contested + Terminal>(args: &Args, context: &mut Context<'_>) -> Result<u8, CliError> {
    let tournament = args.tournament::<G>(&context.engines)?;
    let sprt = args.sprt(tournament.participants.len())?;
    let mut reporter = Reporter::default();
    let mut played = Vec::new();
    if let Some(path) = &args.output {
        let settings = args.settings(&tournament, sprt)?;
        let (journal, games) = resume::<G>(path, &settings, &tournament.schedule())?;
        reporter.journal = Some((path.as_path(), journal.in_notation(args.notation.shown())));
        played = games;
    }
    tell_resumed(played.len());
    match tournament.into_match(sprt) {
        Ok(contest) => play_match(args, context, &contest, &played, &mut reporter),
        Err(tournament) => tournament::play(args, context, &tournament, &played, &mut reporter),
    }
}

fn play_match<G: Contested + Terminal>(
    args: &Args,
    context: &mut Context<'_>,
    contest: &Match<G>,
    played: &[ContestGame<G>],
    reporter: &mut Reporter<'_>,
) -> Result<u8, CliError> {
    let mut totals = MatchTotals::default();
    played.iter().for_each(|game| totals.add(game));
    let resumed = played.len();
    let outcome = contest.play(&mut totals, &interrupt::stop_flag(), &mut |game, totals| {
        reporter.add(game, || brief(contest, totals))
    });
    outcome.map_err(from_match)?;
    let commands = args.commands();
    let commands = [commands[0], commands[1]];
    if context.common.json {
        let answer = MatchAnswer::of(contest, &totals, commands, resumed);
        write_answer(context.out, &answer)?;
    } else {
        let report = Report { contest, totals: &totals, resumed, commands };
        write!(context.out, "{}", report.text())?;
    }
    Ok(args.exit_code(contest.is_decided(&totals), totals.has_faults()))
}

fn tell_resumed(resumed: usize) {
    if resumed > 0 {
        tell(counted!(
            resumed == 1,
            "juzhong: {resumed} game was played before",
            "juzhong: {resumed} games were played before"
        ));
    }
}

/// Keeps the games as they come, and reports what is worth a line.
pub(super) struct Reporter<'a> {
    journal: Option<(&'a Path, MatchJournal)>,
    reported: Instant,
    /// The messages of engines that were reported.
    warnings: HashSet<(usize, String)>,
}

impl Default for Reporter<'_> {
    fn default() -> Self {
        Self { journal: None, reported: Instant::now(), warnings: HashSet::new() }
    }
}

impl Reporter<'_> {
    /// Adds the next game; `brief` is a line about all so far.
    pub(super) fn add<G: Contested>(
        &mut self,
        game: &ContestGame<G>,
        brief: impl FnOnce() -> String,
    ) -> Result<(), ContestError> {
        if let Some((path, journal)) = &mut self.journal {
            let failed =
                |source| ContestError::Sink { what: path.shown().to_string().into(), source };
            journal.add(game).map_err(failed)?;
        }
        tell_fault(game);
        tell_warnings(game, &mut self.warnings);
        if self.reported.elapsed() >= PAUSE {
            self.reported = Instant::now();
            tell(brief());
        }
        Ok(())
    }
}

pub(super) fn from_match(error: ContestError) -> CliError {
    let code = match error {
        ContestError::NoOpenings => exit::BAD_DATA,
        ContestError::Engines { .. } => exit::USAGE,
        ContestError::Sink { .. } => exit::IO,
        _ => exit::UNAVAILABLE,
    };
    CliError::new(code, error)
}

/// Opens the games of a match or a tournament, and returns those that are over.
fn resume<G: Contested>(
    path: &Path,
    settings: &str,
    schedule: &Schedule,
) -> Result<(MatchJournal, Vec<ContestGame<G>>), CliError> {
    MatchJournal::open_scheduled::<G>(path, settings, schedule).map_err(|error| {
        let code = match error {
            JournalError::Foreign(_) => exit::BAD_DATA,
            JournalError::Changed(_) => exit::USAGE,
            _ => exit::CANNOT_CREATE,
        };
        CliError::new(code, error)
    })
}

impl Args {
    fn tournament<G: Contested + Terminal>(
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
        let participant = |(engine, command)| self.participant::<G>(engine, command, known);
        commands.into_iter().enumerate().map(participant).collect()
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
        let most = (cores / threads).max(1);
        let games = NonZero::new(self.concurrency.into()).map_or(most, NonZero::get);
        if games > most {
            tell(message!(
                "juzhong: {games} games at a time of engines of {threads} threads are more than {cores} cores can play: engines will be slower, and may lose on time"
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
            tell(message!("juzhong: interrupted; {next}"));
            return exit::INTERRUPTED;
        }
        if has_faults { exit::FAILED } else { exit::OK }
    }

    fn sprt(&self, engines: usize) -> Result<Option<Sprt>, CliError> {
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

    /// All that games depend on, and what decides when they are enough. Their number and how many
    /// are played at a time are no part of it.
    fn settings<G: Contested>(
        &self,
        contest: &Tournament<G>,
        sprt: Option<Sprt>,
    ) -> Result<String, CliError> {
        let mut text = String::new();
        let mut add = |what: &str, value: String| {
            let separator = if text.is_empty() { "" } else { "; " };
            let written = write!(text, "{separator}{what} {value}");
            debug_assert!(written.is_ok(), "writing to a string cannot fail");
        };
        for (engine, (participant, command)) in
            contest.participants.iter().zip(self.commands()).enumerate()
        {
            let options: Vec<String> =
                participant.options.iter().map(|(name, value)| format!("{name}={value}")).collect();
            let digest = digest_of(participant.command.as_ref())?;
            let protocol = participant.protocol.map_or(String::new(), |p| format!(" {p:?}"));
            let sizes = sizes_text(participant.sizes);
            let restart = if participant.restart { " anew" } else { "" };
            let name_in_games = participant.name.as_deref().unwrap_or_default();
            add(
                engine_letter(engine).encode_utf8(&mut [0; 4]),
                format!(
                    "{command} ({digest}){protocol}{sizes}{restart} [{}] {name_in_games}",
                    options.join(", ")
                ),
            );
        }
        if contest.participants.len() > 2 {
            add("tournament", contest.form.to_string());
        }
        add("pace", contest.time_control.to_string());
        add("margin", contest.time_control.margin.as_millis().to_string());
        let lines = digest(&openings_text(&contest.openings));
        add(
            "openings",
            format!("{lines} seed {} random {}", self.start.seed, self.start.random_plies),
        );
        add("rules", format!("{} {}", contest.referee.rules, self.ends.max_plies));
        add("ends", format!("{:?} {:?}", self.ends.draw, self.ends.resign));
        if let Some(tables) = &self.ends.tables {
            add("tables", tables.display().to_string());
        }
        if let Some(sprt) = sprt {
            add("sprt", format!("{} {} {} {}", sprt.elo0, sprt.elo1, sprt.alpha, sprt.beta));
        }
        Ok(text)
    }
}

fn openings_text<G: Contested>(openings: &MatchOpenings<G>) -> Vec<u8> {
    let text = |opening: &Record<G>| {
        let start = opening.start.as_ref().map(G::to_fen).unwrap_or_default();
        let moves: Vec<String> = opening.tree.moves.iter().map(|&mv| G::move_text(mv)).collect();
        format!("{start} {} {}\n", opening.start_clock, moves.join(" "))
    };
    openings.list().iter().flat_map(|opening| text(opening).into_bytes()).collect()
}

/// The sizes of an engine, where some are set.
fn sizes_text(EngineSizes { threads, hash_mib }: EngineSizes) -> String {
    let sizes = [("threads", threads), ("hash", hash_mib)];
    let sizes = sizes.into_iter().filter_map(|(name, value)| Some(format!(" {name} {}", value?)));
    sizes.collect()
}

/// Enough of a BLAKE3 digest to distinguish engines and openings.
fn digest(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex()[..16].to_owned()
}

/// The digest of an engine, so that a match does not go on with another one: of its program, and of
/// the files among its arguments, for the program may be an interpreter.
fn digest_of(command: Option<&EngineCommand>) -> Result<String, CliError> {
    let Some(EngineCommand { program, args }) = command else {
        return file_digest(std::env::current_exe().ok());
    };
    let names = [program.clone(), format!("{program}{}", std::env::consts::EXE_SUFFIX)];
    let mut paths: Vec<PathBuf> = names.iter().map(PathBuf::from).collect();
    if Path::new(program).components().count() == 1 {
        let folders = std::env::var_os("PATH").unwrap_or_default();
        let in_folder = |folder: PathBuf| names.iter().map(move |name| folder.join(name));
        paths = std::env::split_paths(&folders).flat_map(in_folder).collect();
    }
    let path = paths.into_iter().find(|path| path.is_file());
    let mut text = file_digest(path)?;
    for arg in args.iter().filter(|arg| Path::new(arg).is_file()) {
        text.push('+');
        text += &file_digest(Some(PathBuf::from(arg)))?;
    }
    Ok(text)
}

/// The digest of a file; of a large one, which may be a book, that of its size and time.
fn file_digest(path: Option<PathBuf>) -> Result<String, CliError> {
    const LARGE: u64 = 256 << 20;
    let Some(path) = path.filter(|path| path.is_file()) else { return Ok("unknown".to_owned()) };
    let there = path.metadata().or_exit_with(exit::UNAVAILABLE, || path.shown())?;
    if there.len() > LARGE {
        return Ok(digest(format!("{} {:?}", there.len(), there.modified().ok()).as_bytes()));
    }
    let bytes = juzhong::bytes::open::read(&path, LARGE)
        .or_exit_with(exit::UNAVAILABLE, || path.shown())?;
    Ok(digest(&bytes))
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

/// Says at once what an engine did wrong.
fn tell_fault<G: Contested>(game: &ContestGame<G>) {
    if let Some((side, fault)) = game.fault {
        let how = game.record.tag("Termination").unwrap_or_default();
        let number = game.number + 1;
        tell(text!(
            "juzhong: game {number}: engine {}: {}: {}",
            engine_letter(game.engine_of(side)),
            word(fault.name()),
            language::translated(how)
        ));
    }
}

/// Reports the engines' messages about their options and files, each one once.
fn tell_warnings<G: Contested>(game: &ContestGame<G>, reported: &mut HashSet<(usize, String)>) {
    /// Of an engine that keeps sending new messages.
    const MOST: usize = 100;
    for (engine, warnings) in game.engines.into_iter().zip(&game.warnings) {
        for warning in warnings {
            if reported.len() < MOST && reported.insert((engine, warning.clone())) {
                tell(message!("juzhong: engine {}: {warning}", engine_letter(engine)));
            }
        }
    }
}

/// The standing of the match, in a line.
fn brief<G: Contested>(contest: &Match<G>, totals: &MatchTotals) -> String {
    let Count { wins, draws, losses } = totals.results.total();
    let results = &totals.results;
    let elo = results.by_pairs().map(|estimate| format!(", {}", interval(&estimate)));
    let ratio = contest.sprt.map(|sprt| sprt.log_likelihood_ratio(&results.pairs));
    let ratio = ratio.map(|ratio| text!(", LLR {ratio:.2}"));
    let (elo, ratio) = (elo.unwrap_or_default(), ratio.unwrap_or_default());
    text!("{}: +{wins} ={draws} -{losses}{elo}{ratio}", counts::games(totals.games()))
}

pub(super) fn interval(estimate: &EloEstimate) -> String {
    let EloEstimate { elo, low, high, .. } = estimate;
    text!("Elo {elo:+.1} ({low:+.1} to {high:+.1})")
}

/// The result of a match, for people.
struct Report<'a, G: Contested> {
    contest: &'a Match<G>,
    totals: &'a MatchTotals,
    /// Games played before.
    resumed: usize,
    commands: [&'a str; 2],
}

impl<G: Contested + Terminal> Report<'_, G> {
    fn text(&self) -> String {
        let MatchTotals { results, effort, faults } = self.totals;
        let mut text = String::new();
        let mut line = |line: String| {
            text += &line;
            text.push('\n');
        };
        line(format!("a  {}\nb  {}", self.commands[0], self.commands[1]));
        let by_games = results.by_games();
        let percent = by_games.map_or(0.0, |estimate| 100.0 * estimate.score);
        line(text!("games   {}  {percent:.1} %", count_text(results.total())));
        for (count, colour) in results.colours.into_iter().zip(Side::ALL.map(G::side_name)) {
            line(text!("  as {} {}", left(word(colour), 5), count_text(count)));
        }
        if let Some((pairs, games)) = results.by_pairs().zip(by_games) {
            let [none, half, one, more, both] = results.pairs;
            line(text!("pairs   {none} {half} {one} {more} {both} (of 0, ½, 1, 1½, 2 points)"));
            line(text!(
                "by pairs  {}, better with {:.1} %",
                interval(&pairs),
                100.0 * pairs.superiority
            ));
            line(text!(
                "by games  {}, better with {:.1} %",
                interval(&games),
                100.0 * games.superiority
            ));
        }
        if let Some(sprt) = self.contest.sprt {
            let Sprt { elo0, elo1, .. } = sprt;
            let [lower, upper] = sprt.bounds();
            let ratio = sprt.log_likelihood_ratio(&results.pairs);
            let decision = match sprt.decide(&results.pairs) {
                Decision::Open => word("undecided"),
                Decision::H0 => word("not passed"),
                Decision::H1 => word("passed"),
            };
            line(text!(
                "SPRT({elo0}, {elo1})  LLR {ratio:.2} ({lower:.2} to {upper:.2}): {decision}"
            ));
        }
        for (engine, effort) in effort.iter().enumerate() {
            line(work_text(engine_letter(engine), *effort, &fault_text(faults[engine])));
        }
        if self.resumed > 0 {
            line(counted!(
                self.resumed == 1,
                "{} game was played before",
                "{} games were played before",
                self.resumed
            ));
        }
        text
    }
}

/// The means of an engine's moves, and its faults.
pub(super) fn work_text(name: char, effort: Effort, faults: &str) -> String {
    let MeansOfMoves { depth, nodes_per_second, ms_per_move: ms } = effort.into();
    text!("{name}  depth {depth:.1}, {nodes_per_second:.0} nodes/s, {ms:.1} ms a move{}", faults)
}

/// The number of faults of each kind, for the end of a line.
pub(super) fn fault_text(faults: [u64; 4]) -> String {
    let faults = EngineFault::ALL.iter().zip(faults).filter(|&(_, n)| n > 0);
    faults.map(|(fault, n)| format!(", {n} {}", word(fault.name()))).collect()
}

pub(super) fn count_text(Count { wins, draws, losses }: Count) -> String {
    text!("{wins} won, {draws} drawn, {losses} lost")
}
