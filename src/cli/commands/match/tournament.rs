//! `juzhong match` with more than two engines.

use super::report::{count_text, fault_text, interval, played_before, work_text};
use super::{Args, Reporter, from_match};
use crate::cli::print::terminal::Terminal;
use crate::cli::{CliError, Context, interrupt, write_answer};
use crate::language::{columns, fitting, left, right, text, word};
use juzhong::answers::TournamentAnswer;
use juzhong::bytes::visible::Visible;
use juzhong::contest::{
    ContestGame, Contested, Count, CrossRow, CrossTable, Rating, Tournament, TournamentForm,
    TournamentTotals, engine_letter,
};
use juzhong::game::Side;

/// Columns of a name at most.
const NAME_WIDTH: usize = 30;

/// Plays a tournament on from the games that were played before.
pub(super) fn play<G: Contested + Terminal>(
    args: &Args,
    context: &mut Context<'_>,
    tournament: &Tournament<G>,
    played: &[ContestGame<G>],
    reporter: &mut Reporter<'_>,
) -> Result<u8, CliError> {
    let mut totals = tournament.no_totals();
    played.iter().for_each(|game| totals.add(game));
    let outcome = tournament.play(&mut totals, &interrupt::stop_flag(), &mut |game, totals| {
        reporter.add(game, || brief(tournament, totals))
    });
    outcome.map_err(from_match)?;
    if context.common.json {
        let answer = TournamentAnswer::of(tournament, &totals, &args.commands(), played.len());
        write_answer(context.out, &answer)?;
    } else {
        let table = CrossTable::of(&totals);
        let resumed = played.len();
        let report = Report { tournament, totals: &totals, table: &table, resumed, args };
        write!(context.out, "{}", report.text())?;
    }
    Ok(args.exit_code(tournament.is_finished(&totals), totals.has_faults()))
}

/// The state of the tournament, in a line.
fn brief<G: Contested>(tournament: &Tournament<G>, totals: &TournamentTotals) -> String {
    const MOST: usize = 5;
    let table = CrossTable::of(totals);
    let leaders: Vec<String> = table.rows.iter().take(MOST).map(leader).collect();
    let [games, all] = [totals.games(), tournament.all_games()];
    text!("{games} of {all} games: {}", leaders.join(", "))
}

/// An engine with its rating, where it has one.
fn leader(row: &CrossRow) -> String {
    let letter = engine_letter(row.engine);
    row.rating.map_or_else(|| letter.to_string(), |rating| format!("{letter} {:+.1}", rating.elo))
}

/// The result of a tournament, for people.
struct Report<'a, G: Contested> {
    tournament: &'a Tournament<G>,
    totals: &'a TournamentTotals,
    table: &'a CrossTable,
    /// Games played before.
    resumed: usize,
    args: &'a Args,
}

impl<G: Contested + Terminal> Report<'_, G> {
    fn text(&self) -> String {
        let mut lines = self.commands();
        lines.push(self.heading());
        lines.extend(self.ranking());
        lines.push(self.method());
        lines.push(text!("points of games"));
        lines.extend(self.cross_table());
        lines.extend(self.by_colour());
        lines.extend((0..self.totals.engines()).map(|engine| self.work(engine)));
        lines.extend(played_before(self.resumed));
        lines.into_iter().map(|line| format!("{}\n", line.trim_end())).collect()
    }

    fn commands(&self) -> Vec<String> {
        let commands = self.args.commands().into_iter().enumerate();
        commands.map(|(engine, command)| format!("{}  {command}", engine_letter(engine))).collect()
    }

    fn heading(&self) -> String {
        let form = match self.tournament.form {
            TournamentForm::RoundRobin => word("round robin"),
            TournamentForm::Gauntlet => word("gauntlet"),
        };
        let engines = self.totals.engines();
        let [games, all] = [self.totals.games(), self.tournament.all_games()];
        text!("{form}, {engines} engines, {games} of {all} games")
    }

    /// Each engine with its rating, the best one first.
    fn ranking(&self) -> Vec<String> {
        let names: Vec<String> = self.table.rows.iter().map(|row| self.name(row.engine)).collect();
        let width = names.iter().map(|name| columns(name)).max().unwrap_or(0);
        let rows = self.table.rows.iter().zip(&names);
        rows.map(|(row, name)| ranking_row(row, &left(name, width))).collect()
    }

    /// The name of an engine in its games, as it can be shown.
    fn name(&self, engine: usize) -> String {
        let name = self.totals.name(engine).unwrap_or_default();
        fitting(&Visible(name).to_string(), NAME_WIDTH)
    }

    /// The meaning of the ratings.
    fn method(&self) -> String {
        if self.table.with_prior {
            return text!(
                "Maximum-likelihood Elo (Bradley-Terry), mean 0, 95 % intervals; with one virtual draw for each engine, \
                 as these results alone give no finite ratings"
            );
        }
        text!("Maximum-likelihood Elo (Bradley-Terry), mean 0, 95 % intervals")
    }

    /// The points of each engine of its games with each, in the order of the ranking.
    fn cross_table(&self) -> Vec<String> {
        let rows = &self.table.rows;
        let letters: Vec<String> =
            rows.iter().map(|row| engine_letter(row.engine).to_string()).collect();
        let mut lines = vec![letters.clone()];
        lines.extend(rows.iter().map(|row| self.points_against(row)));
        let cells = lines.iter().chain([&letters]).flatten();
        let width = cells.map(|cell| columns(cell)).max().unwrap_or(0);
        let heads = std::iter::once("").chain(letters.iter().map(String::as_str));
        heads.zip(&lines).map(|(head, cells)| table_line(head, cells, width)).collect()
    }

    /// The points of an engine of its games with each, in the order of the ranking.
    fn points_against(&self, row: &CrossRow) -> Vec<String> {
        let others = self.table.rows.iter().map(|other| row.against[other.engine]);
        others.map(|count| count.map_or_else(|| "-".to_owned(), points_of_games)).collect()
    }

    /// The results of each engine with each colour.
    fn by_colour(&self) -> Vec<String> {
        self.table.rows.iter().map(colours_line::<G>).collect()
    }

    fn work(&self, engine: usize) -> String {
        let faults = fault_text(self.totals.faults(engine));
        work_text(engine_letter(engine), self.totals.effort(engine), &faults)
    }
}

/// The rank of an engine with its rating and points; the name has its width.
fn ranking_row(row: &CrossRow, name: &str) -> String {
    let CrossRow { rank, rating, .. } = row;
    let letter = engine_letter(row.engine);
    let rating = match *rating {
        Some(Rating { elo, low, high }) => interval(elo, low, high),
        None => word("not played").to_owned(),
    };
    let count = row.total();
    let points = points_of_games(count);
    format!("{rank:>2}  {letter}  {name}  {rating}  {points}{}", percent(count))
}

/// A line of a table whose cells have the same width.
fn table_line(head: &str, cells: &[String], width: usize) -> String {
    let cells: Vec<String> = cells.iter().map(|cell| right(cell, width)).collect();
    format!("{}  {}", left(head, 1), cells.join("  "))
}

/// The results of an engine with each colour.
fn colours_line<G: Contested + Terminal>(row: &CrossRow) -> String {
    let [first, second] = Side::ALL.map(|side| word(G::side_name(side)));
    let letter = engine_letter(row.engine);
    let [one, other] = row.colours.map(count_text);
    text!("{letter}  as {first} {one}; as {second} {other}")
}

fn points_of_games(count: Count) -> String {
    format!("{}/{}", count.points(), count.games())
}

/// The share of the points; nothing without games.
fn percent(count: Count) -> String {
    match count.games() {
        0 => String::new(),
        games => format!("  {:.1} %", 100.0 * count.points() / games as f64),
    }
}
