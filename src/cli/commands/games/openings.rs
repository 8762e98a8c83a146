//! `games openings`: which openings were played more and less by the years.

use std::io::Write;
use std::path::PathBuf;

use clap::ValueEnum;

use super::index::{CollectionArgs, OpenIndex, open};
use crate::cli::args::game_filter::GameFilterArgs;
use crate::cli::args::game_input::STANDARD;
use crate::cli::args::picture::write_whole;
use crate::cli::print::opening_names::name_of;
use crate::cli::print::percent_of;
use crate::cli::print::terminal::Terminal;
use crate::cli::{CliError, Context, exit, with_game, write_answer};
use crate::language::{fitting, left, right, say, text};
use juzhong::answers::AnswerError;
use juzhong::answers::collection::{OpeningTrend, OpeningsAnswer};
use juzhong::book::Filter;
use juzhong::bytes::visible::Visible;
use juzhong::collection::{Collected, Conditions};
use juzhong::picture::{Plot, PlotKind, Series};

/// Columns of the name of an opening, and of each number.
const NAME: usize = 30;
const NUMBER: usize = 7;

/// Periods of the table at most.
const PERIODS: usize = 6;

/// Games of a period with which a plot begins or ends, at least.
const PLOTTED: u64 = 20;

/// The years of a point of the plot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
enum Period {
    /// Each year.
    #[default]
    Year,
    /// Ten years.
    Decade,
}

impl Period {
    const fn years(self) -> u16 {
        match self {
            Self::Year => 1,
            Self::Decade => 10,
        }
    }
}

/// Show the growth and fall of openings by year.
///
/// The share of each opening in the games of some years, and the score of the first side. Games that state no year are left
/// out; copies of a game count once. The codes and names are those that the index gives to games.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    collection: CollectionArgs,
    #[command(flatten, next_help_heading = "Conditions")]
    games: GameFilterArgs,
    /// Beginning of the code of the opening, or a part of its Chinese name.
    #[arg(long, value_name = "CODE|NAME", help_heading = "Conditions")]
    opening: Option<String>,
    /// Number of openings, the most frequent first.
    #[arg(long, value_name = "N", default_value_t = 8)]
    top: usize,
    /// Years of a point of the plot.
    #[arg(long, value_enum, value_name = "PERIOD", default_value = "year")]
    by: Period,
    /// Write a plot of the shares as SVG; - is standard output, in place of the table.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    svg: Option<PathBuf>,
}

impl Args {
    /// Returns true if standard output is for programs.
    pub(crate) fn writes_data(&self) -> bool {
        self.svg.as_ref().is_some_and(|path| path.as_os_str() == STANDARD)
    }
}

pub(crate) fn run(args: &Args, context: &mut Context<'_>) -> Result<u8, CliError> {
    with_game!(context.common.game, G => run_game::<G>(args, context))
}

fn run_game<G: Terminal + Collected>(
    args: &Args,
    context: &mut Context<'_>,
) -> Result<u8, CliError> {
    if args.writes_data() && context.common.json {
        let message = "standard output takes one answer; name a file for the others";
        return Err(CliError::message(exit::USAGE, message));
    }
    let OpenIndex { index, .. } = open::<G>(&args.collection)?;
    let mut filter = Filter::default();
    args.games.apply::<G>(&mut filter);
    let conditions = Conditions::of_filter(&filter);
    let opening = args.opening.clone().unwrap_or_default();
    let conditions = Conditions { opening, ..conditions };
    let mut answer = OpeningsAnswer::of(&index, &conditions).map_err(AnswerError::from)?;
    if answer.games == 0 {
        let message = "no game that meets the conditions states a year";
        return Err(CliError::message(exit::FAILED, message));
    }
    answer.openings.truncate(args.top);
    if let Some(path) = &args.svg {
        let plot = plot(&answer, args.by.years());
        write_whole(path, plot.svg_file().as_bytes(), context.out)?;
    }
    if args.writes_data() {
        // The plot is the answer.
    } else if context.common.json {
        write_answer(context.out, &answer)?;
    } else {
        table(&answer, context.out)?;
    }
    Ok(exit::OK)
}

/// The code and the name of an opening.
fn title(opening: &OpeningTrend) -> String {
    match (&opening.ecco, &opening.name) {
        (Some(code), Some(name)) => format!("{code} {}", name_of(code, name)),
        (Some(code), None) => code.clone(),
        (None, _) => text!("without a code"),
    }
}

/// The first years of periods of that many years, from the first game to the last one.
fn periods(answer: &OpeningsAnswer, years: u16) -> Vec<u16> {
    let [first, last] = [answer.years.first(), answer.years.last()];
    let [first, last] = [first, last].map(|year| year.map_or(0, |year| year.year));
    // Periods begin at multiples of their length.
    let [first, last] = [first, last].map(|year| year - year % years.max(1));
    (first..=last).step_by(usize::from(years.max(1))).collect()
}

/// The share of an opening in percent in each of these periods; 0 where there are no games.
fn shares(
    answer: &OpeningsAnswer,
    opening: &OpeningTrend,
    years: u16,
    periods: &[u16],
) -> Vec<f64> {
    let share = |&period: &u16| {
        let own = opening.years.iter().filter(|year| is_in(year.year, period, years));
        let own: u64 = own.map(|year| year.games).sum();
        percent_of(own, games_of(answer, years, period))
    };
    periods.iter().map(share).collect()
}

/// All games of a period of that many years.
fn games_of(answer: &OpeningsAnswer, years: u16, period: u16) -> u64 {
    let of_period = answer.years.iter().filter(|year| is_in(year.year, period, years));
    of_period.map(|year| year.games).sum()
}

/// Returns true if the year is one of the period, which has that many years.
fn is_in(year: u16, period: u16, years: u16) -> bool {
    (period..period.saturating_add(years)).contains(&year)
}

/// The plot of the openings that have a code. Periods of few games at both ends are left out: their shares say little.
fn plot(answer: &OpeningsAnswer, years: u16) -> Plot {
    let periods = periods(answer, years);
    let says_much = |&period: &u16| games_of(answer, years, period) >= PLOTTED;
    // There is at least one period, that of the first game.
    let first = periods.iter().position(says_much).unwrap_or(0);
    let last = periods.iter().rposition(says_much).unwrap_or(periods.len() - 1);
    let periods = &periods[first..=last];
    let named = answer.openings.iter().filter(|opening| opening.ecco.is_some());
    let series = named.map(|opening| Series {
        name: title(opening),
        values: shares(answer, opening, years, periods),
    });
    Plot {
        title: text!("Shares of openings by year, {} games", answer.games),
        labels: periods.iter().map(ToString::to_string).collect(),
        series: series.collect(),
        kind: PlotKind::Lines,
        unit: "%",
    }
}

/// Writes the openings with their shares in some periods.
fn table(answer: &OpeningsAnswer, out: &mut dyn Write) -> Result<(), CliError> {
    let span = periods(answer, 1).len();
    // The shortest periods of which all fit into the table.
    let wide = [1, 2, 5, 10, 20, 50, 100].into_iter();
    let years = wide.into_iter().find(|&years| periods(answer, years).len() <= PERIODS);
    let years = years.unwrap_or_else(|| u16::try_from(span).unwrap_or(u16::MAX));
    let periods = periods(answer, years);
    let heads = periods.iter().map(|period| match years {
        1 => right(&period.to_string(), NUMBER),
        _ => right(&format!("{period}-"), NUMBER),
    });
    let [opening, games] = [text!("opening"), text!("games")];
    let heads: String = heads.collect();
    writeln!(out, "{}{}{heads}", left(&opening, NAME), right(&games, NUMBER))?;
    for opening in &answer.openings {
        let name = left(&fitting(&title(opening), NAME), NAME);
        let games = right(&opening.games.to_string(), NUMBER);
        let shares = shares(answer, opening, years, &periods);
        let shares: String =
            shares.iter().map(|share| right(&format!("{share:.1}%"), NUMBER)).collect();
        writeln!(out, "{}{games}{shares}", Visible(name))?;
    }
    let [first, last] = [answer.years.first(), answer.years.last()];
    let [first, last] = [first, last].map(|year| year.map_or(0, |year| year.year));
    say!(out, "{} games, {first} to {last}", answer.games)?;
    Ok(())
}
