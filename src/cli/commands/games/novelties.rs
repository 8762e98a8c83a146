//! `games novelties`: moves that were made for the first time.

use std::io::Write;
use std::path::PathBuf;

use clap::ValueEnum;

use super::index::{CollectionArgs, OpenIndex, open};
use super::output::{GameOutput, OutputArgs, refuse_both};
use crate::cli::args::game_filter::GameFilterArgs;
use crate::cli::commands::book;
use crate::cli::interrupt::stop_flag;
use crate::cli::print::terminal::Terminal;
use crate::cli::{CliError, Context, exit, with_game, write_answer};
use crate::language::{Language, counts, fitting, say, wrapped};
use juzhong::answers::AnswerError;
use juzhong::answers::collection::{Novelties, NoveltyRow};
use juzhong::book::Filter;
use juzhong::bytes::visible::Visible;
use juzhong::collection::{Collected, Conditions, GameIndex, NoveltyOrder, NoveltySearch};

/// Columns of the players and of the event.
const PLAYERS: usize = 36;
const EVENT: usize = 26;

/// Columns of a line of moves.
const MOVES: usize = 72;

/// Find moves that were made for the first time.
///
/// A move counts where its position was known before: by games of earlier years in the collection, or with --book by an
/// older book. Years, players and other conditions are those of the game that made it.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    collection: CollectionArgs,
    /// Older book to compare with, instead of earlier games of the collection.
    #[arg(long, value_name = "BOOK")]
    book: Option<PathBuf>,
    /// Minimum number of earlier games in the position.
    #[arg(long, value_name = "N", default_value_t = 5)]
    theory: u64,
    /// Maximum number of plies before the move.
    #[arg(long, value_name = "N", default_value_t = 60)]
    max_plies: u32,
    #[command(flatten, next_help_heading = "Conditions")]
    games: GameFilterArgs,
    /// Order of the list.
    #[arg(long, value_enum, default_value_t = Order::Latest, help_heading = "List")]
    sort: Order,
    /// Maximum number of moves.
    #[arg(long, value_name = "N", default_value_t = 30, help_heading = "List",
        value_parser = clap::value_parser!(u32).range(1..=100_000))]
    limit: u32,
    #[command(flatten)]
    output: OutputArgs,
}

/// The order of the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Order {
    /// The latest first.
    Latest,
    /// The most played since first.
    Played,
}

impl Args {
    /// Returns true if standard output is for programs.
    pub(crate) fn writes_data(&self) -> bool {
        self.output.is_standard()
    }

    fn search<G: Terminal>(&self, index: &GameIndex) -> Result<NoveltySearch, CliError> {
        let mut filter = Filter::default();
        self.games.apply::<G>(&mut filter);
        let conditions = Conditions::of_filter(&filter);
        let years = conditions.years;
        let others = Conditions { years: (None, None), ..conditions };
        let among = match others == Conditions::default() {
            true => None,
            false => Some(index.lines_meeting(&others).map_err(AnswerError::from)?),
        };
        let order = match self.sort {
            Order::Latest => NoveltyOrder::Latest,
            Order::Played => NoveltyOrder::MostPlayed,
        };
        Ok(NoveltySearch {
            theory: self.theory.max(1),
            max_plies: self.max_plies,
            years,
            among,
            order,
            take: self.limit as usize,
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
    let book = args.book.as_deref().map(book::open).transpose()?;
    let OpenIndex { index, .. } = open::<G>(&args.collection)?;
    let search = args.search::<G>(&index)?;
    let shown = Some(Language::current().notation()).filter(|_| !context.common.json);
    let notation = args.output.notation().or(shown);
    let found = Novelties::of::<G>(&index, book.as_ref(), &search, notation, &stop_flag())?;
    let code = if found.games.is_empty() { exit::FAILED } else { exit::OK };
    if args.output.is_given() {
        let mut output = GameOutput::open::<G>(&args.output, context.out)?;
        for game in &found.games {
            output.write::<G>(&index, game)?;
        }
        output.close()?;
        return Ok(code);
    }
    if context.common.json {
        write_answer(context.out, &found.answer)?;
        return Ok(code);
    }
    let novelties = &found.answer.novelties;
    for row in novelties {
        show(row, context.out)?;
    }
    if novelties.is_empty() {
        say!(context.out, "no novelties")?;
    }
    Ok(code)
}

/// A novelty in three lines.
fn show(row: &NoveltyRow, out: &mut dyn Write) -> Result<(), CliError> {
    let game = &row.game;
    let [first, second] = game.players.each_ref().map(|name| name.as_deref().unwrap_or("?"));
    let year = game.year.as_deref().unwrap_or("?");
    let shown = row.text.as_deref().or(row.moves.last().map(String::as_str)).unwrap_or_default();
    let ply = row.ply;
    let before = counts::games(row.games_before);
    let with = counts::games(row.games_with);
    say!(out, "{year:>4}  ply {ply}: {shown}  ({before} before it, {with} with it)")?;
    let players = fitting(&format!("{first} - {second}"), PLAYERS);
    let event = fitting(game.about.event.as_deref().unwrap_or_default(), EVENT);
    let about = format!("{} {players} {} {event}", game.id, game.about.result);
    writeln!(out, "      {}", Visible(about.trim_end()))?;
    for line in wrapped(&row.moves.join(" "), MOVES) {
        writeln!(out, "      {line}")?;
    }
    Ok(())
}
