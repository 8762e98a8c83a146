//! `games find`: the games of a collection that meet conditions.

use std::io::Write;
use std::path::PathBuf;

use super::index::{CollectionArgs, OpenIndex, open};
use super::output::{GameOutput, OutputArgs, refuse_both};
use crate::cli::args::game_filter::GameFilterArgs;
use crate::cli::commands::book;
use crate::cli::interrupt::is_requested;
use crate::cli::print::opening_names::name_of;
use crate::cli::print::terminal::Terminal;
use crate::cli::{CliError, Context, exit, with_game, write_answer};
use crate::language::{fitting, left, say};
use juzhong::answers::AnswerError;
use juzhong::answers::collection::{FOLLOWING, FindAnswer, FindRequest, following};
use juzhong::book::Filter;
use juzhong::bytes::visible::Visible;
use juzhong::collection::{Collected, Conditions, FoundPage, GameIndex, IndexedGame, SortColumn};
use juzhong::game::Game;
use juzhong::record::result_text;

/// Games that are read from the index at once.
const PAGE: u64 = 20_000;

/// Columns of the players and of the opening.
const PLAYERS: usize = 34;
const OPENING: usize = 20;

/// Find games of a collection.
///
/// All conditions must be met. Names, events and words are found in simplified and traditional characters, in full and
/// half width, and in pinyin without tones. Lists games, or with -o writes them, for book build, review and other
/// commands to read: juzhong games find games/ --player hu -o - | juzhong book build - -o hu.book
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    collection: CollectionArgs,
    /// Words that are all among players, event, date, result, opening and name of the file.
    #[arg(long, value_name = "TEXT", help_heading = "Conditions")]
    words: Option<String>,
    #[command(flatten, next_help_heading = "Conditions")]
    games: GameFilterArgs,
    /// Beginning of the code of the opening, or a part of its Chinese name.
    #[arg(long, value_name = "CODE|NAME", help_heading = "Conditions")]
    opening: Option<String>,
    /// Position on the board at some time, or its mirror image: a FEN or startpos, optionally followed by moves. If given
    /// several times, one of them is enough.
    #[arg(long, value_name = "FEN", help_heading = "Conditions")]
    position: Vec<String>,
    /// Position at the end.
    #[arg(long, value_name = "FEN", help_heading = "Conditions")]
    last: Option<String>,
    /// Pieces on the board at some time, as in KRvKN, or a pattern, as in 'KRvK*', for either side.
    #[arg(long, value_name = "MATERIAL", help_heading = "Conditions")]
    material: Option<String>,
    /// Pieces on their points at some time, as in Ce2,ne5,.e6 (a dot for an empty point), or rows as in FEN, with ? for any
    /// point and * for the rest of a row. Mirror images count.
    #[arg(long, value_name = "PATTERN", help_heading = "Conditions")]
    pattern: Option<String>,
    /// Games that follow a book or a repertoire: some of their positions (--following) are in it.
    #[arg(long, value_name = "BOOK", help_heading = "Conditions")]
    book: Option<PathBuf>,
    /// Minimum number of positions in the book of --book, the start aside.
    #[arg(long, value_name = "N", default_value_t = FOLLOWING, help_heading = "Conditions")]
    following: usize,
    /// Minimum number of plies.
    #[arg(long, value_name = "N", help_heading = "Conditions")]
    min_plies: Option<u32>,
    /// Maximum number of plies.
    #[arg(long, value_name = "N", help_heading = "Conditions")]
    max_plies: Option<u32>,
    /// Words that are all in the comments.
    #[arg(long, value_name = "TEXT", help_heading = "Conditions")]
    comment: Option<String>,
    /// Order: place, first, second, event, date, result, opening, plies, rating or copies.
    #[arg(long, value_name = "COLUMN", default_value = "place", help_heading = "List")]
    sort: String,
    /// Reverse the order.
    #[arg(long, help_heading = "List")]
    descending: bool,
    /// List games with the same start and moves once.
    #[arg(long, help_heading = "List")]
    fold: bool,
    /// Maximum number of games [default: 50 in a list, all with -o].
    #[arg(long, value_name = "N", help_heading = "List")]
    limit: Option<u64>,
    /// Number of games to skip.
    #[arg(long, value_name = "N", default_value_t = 0, help_heading = "List")]
    skip: u64,
    #[command(flatten)]
    output: OutputArgs,
}

impl Args {
    /// Returns true if standard output is for programs.
    pub(crate) fn writes_data(&self) -> bool {
        self.output.is_standard()
    }

    /// The conditions on what records state.
    fn conditions<G: Game>(&self) -> Conditions {
        let mut filter = Filter::default();
        self.games.apply::<G>(&mut filter);
        Conditions {
            words: self.words.clone().unwrap_or_default(),
            opening: self.opening.clone().unwrap_or_default(),
            comment: self.comment.clone().unwrap_or_default(),
            plies: (self.min_plies, self.max_plies),
            ..Conditions::of_filter(&filter)
        }
    }

    fn boards(&self) -> FindRequest {
        FindRequest {
            positions: self.position.clone(),
            last: self.last.clone(),
            material: self.material.clone(),
            pattern: self.pattern.clone(),
        }
    }

    fn page(&self, limit: u64) -> Result<FoundPage, CliError> {
        let sort: SortColumn = self
            .sort
            .parse()
            .map_err(|error| CliError::new(exit::USAGE, error).within("--sort"))?;
        let fold_copies = self.fold || sort == SortColumn::Copies;
        Ok(FoundPage {
            sort,
            is_descending: self.descending,
            fold_copies,
            skip: self.skip,
            take: limit,
        })
    }
}

pub(crate) fn run(args: &Args, context: &mut Context<'_>) -> Result<u8, CliError> {
    with_game!(context.common.game, G => run_game::<G>(args, context))
}

fn run_game<G: Terminal + Collected>(
    args: &Args,
    context: &mut Context<'_>,
) -> Result<u8, CliError> {
    refuse_both(&args.output, context)?;
    let wanted = args.boards().read::<G>()?;
    let is_written = args.output.is_given();
    let page = args.page(args.limit.unwrap_or(if is_written { u64::MAX } else { 50 }))?;
    let OpenIndex { index, .. } = open::<G>(&args.collection)?;
    let mut conditions =
        wanted.among::<G>(args.conditions::<G>(), &index).map_err(AnswerError::from)?;
    if let Some(path) = &args.book {
        let book = book::open(path)?;
        conditions = following::<G>(conditions, &index, (&book, args.following))?;
    }
    let total = if is_written {
        write::<G>(args, (&index, &conditions), page, context)?
    } else {
        list(&index, &conditions, page, context)?
    };
    Ok(if total > 0 { exit::OK } else { exit::FAILED })
}

/// Lists the games; returns their number.
fn list(
    index: &GameIndex,
    conditions: &Conditions,
    page: FoundPage,
    context: &mut Context<'_>,
) -> Result<u64, CliError> {
    let found = index.find(conditions, &page).map_err(AnswerError::from)?;
    let total = found.total;
    if context.common.json {
        write_answer(context.out, &FindAnswer::from(found))?;
        return Ok(total);
    }
    let out = &mut context.out;
    for game in &found.games {
        show(game, out)?;
    }
    let shown = found.games.len() as u64;
    if shown < total {
        say!(out, "{total} games, {shown} of them listed; see --limit and --skip")?;
    } else {
        say!(out, "{total} games")?;
    }
    Ok(total)
}

/// A game in a line.
fn show(game: &IndexedGame, out: &mut dyn Write) -> Result<(), CliError> {
    let [first, second] = game.players.each_ref().map(|name| name.as_deref().unwrap_or("?"));
    let players = fitting(&format!("{first} - {second}"), PLAYERS);
    let year = game.year.map_or_else(|| "?".to_owned(), |year| year.to_string());
    let opening = match (&game.code, &game.opening) {
        (Some(code), Some(name)) => format!("{code} {}", name_of(code, name)),
        (Some(code), None) => code.clone(),
        _ => String::new(),
    };
    writeln!(
        out,
        "{:>7} {year:>4} {} {:<7} {:>4} {}",
        game.number,
        Visible(left(&players, PLAYERS)),
        result_text(game.result),
        game.plies,
        Visible(fitting(&opening, OPENING)),
    )?;
    Ok(())
}

/// Writes the games; returns their number.
fn write<G: Terminal>(
    args: &Args,
    (index, conditions): (&GameIndex, &Conditions),
    page: FoundPage,
    context: &mut Context<'_>,
) -> Result<u64, CliError> {
    let mut output = GameOutput::open::<G>(&args.output, context.out)?;
    let mut left = page.take;
    let mut skip = page.skip;
    while left > 0 {
        let part = FoundPage { skip, take: left.min(PAGE), ..page };
        let found = index.find(conditions, &part).map_err(AnswerError::from)?;
        for game in &found.games {
            if is_requested() {
                return Err(CliError::message(exit::INTERRUPTED, "interrupted"));
            }
            output.write::<G>(index, game)?;
        }
        let count = found.games.len() as u64;
        skip += count;
        left = left.saturating_sub(count);
        if count < part.take {
            break;
        }
    }
    output.close()
}
