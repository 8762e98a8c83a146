//! `juzhong match`: a match of two engines, or a tournament of several.

mod args;
mod report;
mod settings;
mod tournament;

use std::collections::HashSet;
use std::path::Path;
use std::time::{Duration, Instant};

use crate::cli::print::terminal::Terminal;
use crate::cli::{CliError, Context, exit, interrupt, notice, tell, with_game, write_answer};
use crate::language::{self, text, word};
use juzhong::answers::MatchAnswer;
use juzhong::bytes::journal::JournalError;
use juzhong::bytes::visible::ShowPath;
use juzhong::contest::{
    ContestError, ContestGame, Contested, Match, MatchJournal, MatchTotals, Schedule, engine_letter,
};
use juzhong::message::message;

pub(crate) use args::Args;
use report::{Report, brief, played_before};

/// The interval at which the standing is reported.
const PAUSE: Duration = Duration::from_secs(10);

pub(crate) fn run(args: &Args, context: &mut Context<'_>) -> Result<u8, CliError> {
    with_game!(context.common.game, G => play::<G>(args, context))
}

fn play<G: Contested + Terminal>(args: &Args, context: &mut Context<'_>) -> Result<u8, CliError> {
    let tournament = args.tournament::<G>(&context.engines)?;
    let sprt = args.sprt(tournament.participants.len())?;
    let mut reporter = Reporter::default();
    let mut played = Vec::new();
    if let Some(path) = &args.output {
        let settings = settings::of(args, &tournament, sprt)?.to_string();
        let (journal, games) = resume::<G>(path, &settings, &tournament.schedule())?;
        reporter.journal = Some((path.as_path(), journal.in_notation(args.notation.shown())));
        played = games;
    }
    if let Some(line) = played_before(played.len()) {
        notice(line);
    }
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

/// Keeps the games as they come, and reports what is worth a line.
pub(crate) struct Reporter<'a> {
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
    fn add<G: Contested>(
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

pub(crate) fn from_match(error: ContestError) -> CliError {
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

/// Says at once what an engine did wrong.
fn tell_fault<G: Contested>(game: &ContestGame<G>) {
    if let Some((side, fault)) = game.fault {
        let how = game.record.tag("Termination").unwrap_or_default();
        let number = game.number + 1;
        notice(text!(
            "game {number}: engine {}: {}: {}",
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
            // The bound comes first: beyond it nothing is remembered, either.
            if reported.len() < MOST && reported.insert((engine, warning.clone())) {
                notice(message!("engine {}: {warning}", engine_letter(engine)));
            }
        }
    }
}
