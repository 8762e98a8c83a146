//! `juzhong tablebase mine`: positions of whole tables that teach something.

use std::io;

use super::Folder;
use super::probe::describe_by;
use super::sets::Sets;
use crate::cli::args::line_args::NotationArgs;
use crate::cli::{CliError, Context, OrExit, exit, write_answer};
use crate::language::{counts, say, text, word};
use juzhong::answers::AnswerError;
use juzhong::answers::tablebase::{MinedSet, move_texts};
use juzhong::game::{Game, Outcome, Side};
use juzhong::record::{PgnOptions, Record, Tree, write_pgn};
use juzhong::tablebase::{BestLine, LineEnd, Material, MinedPositions, Tables, Theme, Wdl};
use juzhong::xiangqi::Position;

/// Search tables for instructive positions.
///
/// Finds mutual zugzwangs, wins by only moves, the longest wins, results decided only by the repetition rules, and
/// wins of the weaker side. Counts them, each once up to symmetry, and shows a sample or all of them with the best
/// line.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  juzhong tablebase mine KRvKN --tables tables --theme zugzwang
  juzhong tablebase mine KRCvKR --tables tables --theme only-move --plies 15 --number 5 --format pgn
  juzhong tablebase mine KNPvKAB --tables tables --metric dtc --theme longest --all
  juzhong tablebase mine --men 4 --tables tables --theme by-rule --count")]
pub(crate) struct Args {
    #[command(flatten)]
    sets: Sets,
    /// Number of threads (default: one per core).
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    #[command(flatten, next_help_heading = "Tables")]
    folder: Folder,
    /// Theme: zugzwang (either side is worse off having the move), full-zugzwang (the side to move loses,
    /// whichever it is), only-move (each winning move is the only one, for --plies plies of best defence), longest (the
    /// longest wins; with --metric dtc, without a capture), by-rule (decided only by the repetition rules), weaker-side
    /// (the side with less material wins, not by an immediate capture).
    #[arg(long, value_name = "THEME", help_heading = "Positions")]
    theme: Theme,
    /// With --theme only-move: plies of best play in which each winning move is the only one [default: 9].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=200),
        help_heading = "Positions")]
    plies: Option<u16>,
    /// Positions to show per material set, drawn at random.
    #[arg(long, value_name = "N", default_value_t = 10, help_heading = "Positions")]
    number: usize,
    /// Random seed.
    #[arg(
        long,
        value_name = "N",
        default_value_t = 0,
        conflicts_with = "all",
        help_heading = "Positions"
    )]
    seed: u64,
    /// Show all positions.
    #[arg(long, conflicts_with = "number", help_heading = "Positions")]
    all: bool,
    /// Show only the number of positions.
    #[arg(long, conflicts_with_all = ["number", "seed", "all", "format"],
        help_heading = "Positions")]
    count: bool,
    /// Output format.
    #[arg(long, value_enum, default_value_t = Format::Text, help_heading = "Output")]
    format: Format,
    #[command(flatten, next_help_heading = "Output")]
    notation: NotationArgs,
}

/// How to write the positions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// Counts, and each position with its value and best line.
    Text,
    /// Positions only, one per line, as read by probe --fens.
    Fen,
    /// Games that start from the positions and follow the best line.
    Pgn,
}

pub(crate) fn run(args: &Args, context: &mut Context<'_>) -> Result<u8, CliError> {
    let materials = args.sets.materials()?;
    if context.common.json && args.format != Format::Text {
        let message = "--json and another --format exclude each other; leave one out";
        return Err(CliError::message(exit::USAGE, message));
    }
    let theme = match (args.theme, args.plies) {
        (Theme::OnlyMove { .. }, Some(plies)) => Theme::OnlyMove { plies },
        (_, Some(_)) => {
            return Err(CliError::message(exit::USAGE, "--plies needs --theme only-move"));
        }
        (theme, None) => theme,
    };
    let tables = args.folder.open()?;
    let threads = usize::from(args.threads.unwrap_or(0));
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let pool = pool.or_exit_with(exit::UNAVAILABLE, || "cannot start the threads")?;
    for material in materials {
        let found = pool.install(|| tables.mine(material, theme)).map_err(AnswerError::from)?;
        let set = MinedSet::new(&tables, material, theme);
        let search = Search { tables: &tables, material, theme, set, args };
        search.announce(&found, context)?;
        if args.all {
            found.positions().try_for_each(|position| search.show(&position, context))?;
        } else if !args.count {
            let some = found.sample(args.number, args.seed);
            some.iter().try_for_each(|position| search.show(position, context))?;
        }
        // The next table may take minutes.
        context.out.flush()?;
    }
    Ok(exit::OK)
}

/// One table searched for one theme.
struct Search<'a> {
    tables: &'a Tables,
    material: Material,
    theme: Theme,
    set: MinedSet,
    args: &'a Args,
}

impl Search<'_> {
    /// The counts, where they are shown.
    fn announce(&self, found: &MinedPositions, context: &mut Context<'_>) -> io::Result<()> {
        if context.common.json {
            return match self.args.count {
                true => write_answer(context.out, &self.set.counts(found)),
                false => Ok(()),
            };
        }
        if self.args.format != Format::Text {
            return Ok(());
        }
        let [red, black] = Side::ALL.map(|side| found.count_of(side));
        let (material, theme) = (self.material, theme_name(self.theme));
        let (rules, metric) = (self.tables.rules(), self.tables.metric());
        let positions = counts::positions(found.count());
        say!(
            context.out,
            "{material}, rules {rules}, metric {metric}, {theme}: {positions} ({red} with red to move, {black} with black)"
        )
    }

    fn show(&self, position: &Position, context: &mut Context<'_>) -> Result<(), CliError> {
        if self.args.format == Format::Fen {
            writeln!(context.out, "{}", position.to_fen())?;
            return Ok(());
        }
        let line = self.tables.best_line(position, 1000).map_err(AnswerError::from)?;
        if context.common.json {
            let notation = self.args.notation.asked();
            write_answer(context.out, &self.set.position(position, &line, notation))?;
        } else if self.args.format == Format::Pgn {
            self.write_pgn(position, &line, context)?;
        } else {
            let (rules, metric) = (self.tables.rules(), self.tables.metric());
            let value = describe_by(line.entry, rules, metric);
            writeln!(context.out, "{}\n  {value}", position.to_fen())?;
            if !line.moves.is_empty() {
                let moves = move_texts(&line, self.args.notation.shown()).join(" ");
                let end = word(line.end.name());
                say!(context.out, "  {moves}, {end}")?;
            }
        }
        Ok(())
    }

    fn write_pgn(
        &self,
        position: &Position,
        line: &BestLine,
        context: &mut Context<'_>,
    ) -> io::Result<()> {
        let winner = match line.entry.wdl {
            Wdl::Win => Some(Outcome::Win(position.turn())),
            Wdl::Loss => Some(Outcome::Win(!position.turn())),
            Wdl::Draw => Some(Outcome::Draw),
        };
        let (material, theme) = (self.material, theme_name(self.theme));
        let mut moves =
            Tree { moves: line.moves.iter().map(|step| step.mv).collect(), ..Tree::default() };
        let value = describe_by(line.entry, self.tables.rules(), self.tables.metric());
        moves.comments.push((0, value));
        if line.end != LineEnd::Mate && !moves.moves.is_empty() {
            moves.comments.push((moves.moves.len(), word(line.end.name()).to_owned()));
        }
        let record = Record {
            tags: vec![("Event".to_owned(), text!("{material}, {theme}"))],
            start: Some(position.clone()),
            start_clock: 0,
            result: winner,
            tree: moves,
        };
        let options = PgnOptions { notation: self.args.notation.shown(), ..PgnOptions::default() };
        write_pgn(&mut context.out, &record, &options)
    }
}

/// The theme in words.
fn theme_name(theme: Theme) -> &'static str {
    word(match theme {
        Theme::Zugzwang => "mutual zugzwang",
        Theme::FullZugzwang => "whoever is to move loses",
        Theme::OnlyMove { .. } => "wins by only moves",
        Theme::Longest => "longest wins",
        Theme::ByRule => "decided by the repetition rule alone",
        Theme::WeakerSide => "the weaker side wins",
    })
}
