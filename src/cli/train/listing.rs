//! Lists of exercises.

use super::Args;
use crate::cli::exit::by_kind;
use crate::cli::print::terminal::Terminal;
use crate::cli::{CliError, Context, exit, write_answer};
use crate::language::{left, say, text, word};
use juzhong::answers::{DueExercise, ListedExercise, TrainAnswer};
use juzhong::engine::Playable;
use juzhong::message::Message;
use juzhong::train::{Collection, Exercise, Opened};
use juzhong::xiangqi::notation::MoveNotation;

/// Lists all exercises of a game, or those that are due.
pub(crate) fn run<G: Terminal + Playable>(
    args: &Args,
    context: &mut Context<'_>,
) -> Result<u8, CliError> {
    let collection = Collection::read(&args.file).map_err(by_kind)?;
    let of_game = exercises_of::<G>(&collection);
    let day = args.day();
    let listed: Vec<&Exercise> =
        if args.due { collection.due(G::NAME, day) } else { of_game.clone().collect() };
    let file = args.file.to_string_lossy().into_owned();
    let opened = opened::<G>(&listed)?;
    let notation = args.notation.asked();
    if context.common.json && args.due {
        let exercises = opened.iter().map(|opened| DueExercise::of(opened, notation)).collect();
        write_answer(context.out, &TrainAnswer::of(file, day, of_game, exercises))?;
    } else if context.common.json {
        let exercises = opened.iter().map(|opened| ListedExercise::of(opened, notation)).collect();
        write_answer(context.out, &TrainAnswer::of(file, day, of_game, exercises))?;
    } else {
        for opened in &opened {
            show(opened, args.list, args.notation.shown(), context)?;
        }
        let TrainAnswer { total, due, new, next, .. } =
            TrainAnswer::<DueExercise>::of(file, day, of_game, Vec::new());
        say!(context.out, "{due} of {total} due on {day}, {new} of them new")?;
        if let Some(next) = next {
            say!(context.out, "the next day: {next}")?;
        }
    }
    Ok(exit::OK)
}

/// The exercises of a game.
fn exercises_of<G: Terminal + Playable>(
    collection: &Collection,
) -> impl Iterator<Item = &Exercise> + Clone {
    collection.exercises().iter().filter(|exercise| exercise.game == G::NAME)
}

/// Exercises whose texts are read.
pub(crate) fn opened<'a, G: Terminal + Playable>(
    exercises: &[&'a Exercise],
) -> Result<Vec<Opened<'a, G>>, CliError> {
    let opened: Result<Vec<_>, Message> =
        exercises.iter().map(|exercise| exercise.open::<G>()).collect();
    opened.map_err(|why| CliError::message(exit::BAD_DATA, why))
}

/// One line about an exercise.
fn show<G: Terminal + Playable>(
    opened: &Opened<'_, G>,
    with_answer: bool,
    notation: MoveNotation,
    context: &mut Context<'_>,
) -> Result<(), CliError> {
    let exercise = opened.exercise;
    let schedule = &exercise.schedule;
    let due = schedule.due.map_or_else(|| word("new").to_owned(), |day| day.to_string());
    let kind = word(exercise.kind.name());
    let (right, wrong, source) = (schedule.right, schedule.wrong, &exercise.source);
    let counts = text!("{right} right, {wrong} wrong");
    let line =
        format!("{}  {}  {}  {counts}  {source}", exercise.id, left(&due, 10), left(kind, 10));
    writeln!(context.out, "{line}")?;
    if with_answer {
        let position = opened.line.position();
        let moves = opened.accepted.iter().map(|&mv| position.write_move(mv, notation));
        let moves: Vec<String> = moves.collect();
        writeln!(context.out, "  {}  {}", position.to_fen(), moves.join(" "))?;
    }
    Ok(())
}
