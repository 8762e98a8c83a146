//! `games index`: the index of a collection, made or brought up to its files. The other commands begin with it.

use std::path::{Path, PathBuf};

use crate::cli::interrupt::stop_flag;
use crate::cli::print::bar::Bar;
use crate::cli::print::terminal::Terminal;
use crate::cli::{CliError, Context, OrExit, exit, notice, user_folders, with_game, write_answer};
use crate::language::say;
use juzhong::answers::AnswerError;
use juzhong::answers::collection::IndexAnswer;
use juzhong::bytes::visible::ShowPath;
use juzhong::collection::{Collected, GameIndex, IndexError, IndexReport, index_path, indexes_in};
use juzhong::message::message;

/// Attempts at an index that turns out to be damaged.
const TRIES: usize = 2;

/// Make the index of a collection of games, or bring it up to its files.
///
/// The index holds every game and position of the files and folders, so that searches read no game file. It lies in the
/// user's cache folder and is the one that serve --library uses. The other commands of this group make it themselves; new
/// and changed files are read, the rest is left alone. An interrupted run goes on where it was.
///
/// Several machines or processes may each index a part of the files, with an index folder of their own; when they have ended,
/// --from takes over the games from those indexes. The files must have the same paths and times here.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    collection: CollectionArgs,
    /// Take games over from this index, or from all indexes in this folder, instead of reading the files again; repeatable.
    #[arg(long, value_name = "INDEX", help_heading = "Index", conflicts_with = "no_update")]
    from: Vec<PathBuf>,
}

/// A collection and the place of its index.
#[derive(Debug, clap::Args)]
pub(crate) struct CollectionArgs {
    /// Files and folders of games, archives included.
    #[arg(required = true, value_name = "COLLECTION")]
    inputs: Vec<PathBuf>,
    /// Folder of indexes [default: that of the user's cache].
    #[arg(long, value_name = "DIR", help_heading = "Index")]
    index_folder: Option<PathBuf>,
    /// Search the index as it is, without looking for new and changed files.
    #[arg(long, help_heading = "Index")]
    no_update: bool,
}

/// An index that is open, and what is known of it.
pub(crate) struct OpenIndex {
    pub(crate) index: GameIndex,
    /// The outcome of the update; `None` if there was none.
    pub(crate) report: Option<IndexReport>,
}

pub(crate) fn run(args: &Args, context: &mut Context<'_>) -> Result<u8, CliError> {
    with_game!(context.common.game, G => run_game::<G>(args, context))
}

fn run_game<G: Terminal + Collected>(
    args: &Args,
    context: &mut Context<'_>,
) -> Result<u8, CliError> {
    let path = path_of::<G>(&args.collection)?;
    let others = made_indexes::<G>(&args.from, &path)?;
    let OpenIndex { index, report } = open_at::<G>(&path, &args.collection, &others)?;
    let report = report.unwrap_or_default();
    let bytes = index.path().metadata().map_or(0, |about| about.len());
    let answer = IndexAnswer::new(index.path().to_string_lossy().into_owned(), bytes, &report);
    if context.common.json {
        write_answer(context.out, &answer)?;
        return Ok(exit::OK);
    }
    let out = &mut context.out;
    say!(out, "index    {}", index.path().shown())?;
    say!(out, "size     {} MiB", bytes.div_ceil(1 << 20))?;
    if answer.taken > 0 {
        say!(
            out,
            "files    {} ({} read now, {} taken over)",
            answer.files,
            answer.read,
            answer.taken
        )?;
    } else {
        say!(out, "files    {} ({} read now)", answer.files, answer.read)?;
    }
    say!(out, "games    {} ({} different)", answer.games, answer.lines)?;
    if answer.bad > 0 {
        say!(out, "bad      {} games cannot be read", answer.bad)?;
    }
    if answer.unreadable > 0 {
        say!(out, "absent   {} files or folders cannot be read", answer.unreadable)?;
    }
    Ok(exit::OK)
}

/// Opens the index of a collection and brings it up to its files. While another process does that, the index is used as
/// it is.
pub(crate) fn open<G: Terminal + Collected>(args: &CollectionArgs) -> Result<OpenIndex, CliError> {
    open_at::<G>(&path_of::<G>(args)?, args, &[])
}

/// Opens the index at its place and brings it up to its files, with the games of other indexes.
fn open_at<G: Terminal + Collected>(
    path: &Path,
    args: &CollectionArgs,
    others: &[PathBuf],
) -> Result<OpenIndex, CliError> {
    let stop = stop_flag();
    let mut tries = 0;
    loop {
        tries += 1;
        let opened = GameIndex::open::<G>(path, &stop).and_then(|mut index| {
            let report = if args.no_update { None } else { update::<G>(&mut index, args, others)? };
            Ok(OpenIndex { index, report })
        });
        match opened {
            Err(error) if error.is_damage() && tries < TRIES => {
                notice(message!("{error}: it is made anew"));
                GameIndex::remove(path).map_err(AnswerError::from)?;
            }
            opened => return Ok(opened.map_err(AnswerError::from)?),
        }
    }
}

/// The files of these names, and the indexes in the folders among them, each once and without the own one.
fn made_indexes<G: Terminal>(names: &[PathBuf], own: &Path) -> Result<Vec<PathBuf>, CliError> {
    let mut paths = Vec::new();
    for name in names {
        // Also refuses what is not there.
        let path = name.canonicalize().or_exit_at(exit::NO_INPUT, name)?;
        if path.is_dir() {
            let found = indexes_in::<G>(&path).or_exit_at(exit::NO_INPUT, name)?;
            if found.is_empty() {
                let message = message!("{} has no index of {}", name.shown(), G::NAME);
                return Err(CliError::message(exit::NO_INPUT, message));
            }
            paths.extend(found);
        } else {
            paths.push(path);
        }
    }
    paths.sort_unstable();
    paths.dedup();
    let own = own.canonicalize().ok();
    paths.retain(|path| Some(path) != own.as_ref());
    Ok(paths)
}

/// The place of the index.
fn path_of<G: Terminal>(args: &CollectionArgs) -> Result<PathBuf, CliError> {
    let folder = args.index_folder.clone().or_else(index_folder);
    let Some(folder) = folder else {
        let message = "the user has no cache folder; name a folder with --index-folder";
        return Err(CliError::message(exit::CANNOT_CREATE, message));
    };
    for input in &args.inputs {
        input.metadata().or_exit_at(exit::NO_INPUT, input)?;
    }
    let first = args.inputs.first().map_or(Path::new(""), PathBuf::as_path);
    index_path::<G>(&folder, &args.inputs)
        .or_exit_with(exit::NO_INPUT, || first.shown().to_string())
}

/// Brings an index up to its files; `None` while another process does.
fn update<G: Collected>(
    index: &mut GameIndex,
    args: &CollectionArgs,
    others: &[PathBuf],
) -> Result<Option<IndexReport>, IndexError> {
    let bar = Bar::new();
    let updated = index.update_from::<G>(&args.inputs, others, &mut |progress| {
        if progress.bytes_done < progress.bytes {
            bar.show("reading games", progress.bytes_done, progress.bytes);
        }
    });
    // The bar is gone before the lines below are written.
    drop(bar);
    match updated {
        Ok(report) => {
            if report.unreadable > 0 {
                notice(message!("files or folders that cannot be read: {}", report.unreadable));
            }
            Ok(Some(report))
        }
        Err(error @ IndexError::Busy(_)) => {
            notice(message!("{error}; the index is used as it is"));
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

/// The folder of indexes of collections, in the user's folder for what can be made again.
pub(crate) fn index_folder() -> Option<PathBuf> {
    Some(user_folders::cache()?.join("collections"))
}
