//! Exercises from sources.

use std::io::Read;
use std::path::Path;

use super::Args;
use crate::cli::args::input::standard_input;
use crate::cli::exit::by_kind;
use crate::cli::interrupt::stop_flag;
use crate::cli::print::terminal::Terminal;
use crate::cli::{CliError, Context, OrExit, exit, notice, write_answer};
use crate::language::{counted, say};
use juzhong::answers::{AddedExercises, PassedOver, parse_rules};
use juzhong::bytes::open;
use juzhong::bytes::paths::folder_of;
use juzhong::bytes::visible::ShowPath;
use juzhong::engine::Playable;
use juzhong::message::message;
use juzhong::train::{
    Added, Collection, Examiner, Found, MAX_SOURCE_BYTES, SourceOptions, exercises_of,
    exercises_of_book, is_book,
};

/// Adds the exercises of all sources, or of none if one cannot be read.
pub(crate) fn run<G: Terminal + Playable>(
    args: &Args,
    context: &mut Context<'_>,
) -> Result<u8, CliError> {
    let stop = stop_flag();
    let options = SourceOptions {
        rules: parse_rules::<G>(args.rules.as_deref())?,
        side: args.side::<G>()?,
        is_repertoire: args.repertoire,
        depth: args.depth as usize,
        min_games: args.min_games,
        folder: folder_of(&args.file),
        stop: &stop,
    };
    let mut examiner = args.examiner::<G>()?;
    let mut sources = Vec::new();
    for source in &args.add {
        sources.push(read(source, &options, &mut examiner)?);
    }
    let added = Collection::update(&args.file, true, |collection| {
        let file = args.file.to_string_lossy().into_owned();
        Ok(put(collection, AddedExercises::to(file), sources))
    });
    report(&added.map_err(by_kind)?, context)?;
    Ok(exit::OK)
}

/// The exercises of one source.
fn read<G: Terminal + Playable>(
    source: &Path,
    options: &SourceOptions<'_, G::Rules>,
    examiner: &mut Examiner<G>,
) -> Result<Found, CliError> {
    let is_standard = source.as_os_str() == "-";
    let name = if is_standard { "stdin".to_owned() } else { source.shown().to_string() };
    if !is_standard && begins_as_book(source) {
        return exercises_of_book::<G>(source, options).map_err(by_kind);
    }
    let bytes = match is_standard {
        true => all_of_input(),
        false => open::read(source, MAX_SOURCE_BYTES),
    };
    let bytes = bytes.or_exit_with(exit::NO_INPUT, || message!("cannot read {name}"))?;
    exercises_of(&name, &bytes, options, examiner).map_err(by_kind)
}

/// Returns true if a file is there that begins like a book.
fn begins_as_book(path: &Path) -> bool {
    let mut beginning = [0; 16];
    let read = open::regular(path).and_then(|mut file| file.read_exact(&mut beginning));
    read.is_ok() && is_book(&beginning)
}

fn all_of_input() -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    // One byte more than the bound tells an input that is too large from one that has just that size.
    standard_input()?.take(MAX_SOURCE_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_SOURCE_BYTES {
        let text = message!("more than {MAX_SOURCE_BYTES} bytes");
        return Err(std::io::Error::new(std::io::ErrorKind::FileTooLarge, text));
    }
    Ok(bytes)
}

/// Puts the exercises of sources into a collection, and counts them.
fn put(collection: &mut Collection, answer: AddedExercises, sources: Vec<Found>) -> AddedExercises {
    let mut answer = answer;
    for source in sources {
        let Found { exercises, passed, reasons, is_cut } = source;
        for exercise in exercises {
            match collection.add(exercise) {
                Added::New => answer.added += 1,
                Added::Extended => answer.extended += 1,
                Added::Known => answer.known += 1,
            }
        }
        answer.passed += passed;
        answer.cut |= is_cut;
        let reasons = reasons.into_iter().map(|(place, reason)| PassedOver { place, reason });
        answer.reasons.extend(reasons);
    }
    answer.total = collection.exercises().len();
    answer
}

fn report(added: &AddedExercises, context: &mut Context<'_>) -> Result<(), CliError> {
    if context.common.json {
        write_answer(context.out, added)?;
        return Ok(());
    }
    for PassedOver { place, reason } in &added.reasons {
        notice(message!("{place}: {reason}"));
    }
    if added.cut {
        notice(
            "a source has more exercises than are taken of one; take less of it by --depth or --min-games, or divide it",
        );
    }
    let AddedExercises { added: new, extended, known, passed, total, .. } = added;
    say!(
        context.out,
        "{}; {extended} updated, {known} unchanged; {passed} games or positions skipped; {total} in all",
        counted!(*new == 1, "{} exercise added", "{} exercises added", new)
    )?;
    Ok(())
}
