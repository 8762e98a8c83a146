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
    let leader = |row: &CrossRow| {
        let elo = row.rating.map(|rating| format!(" {:+.1}", rating.elo)).unwrap_or_default();
        format!("{}{elo}", engine_letter(row.engine))
    };
    let leaders: Vec<String> = table.rows.iter().take(MOST).map(leader).collect();
    let [games, all] = [totals.games(), tournament.all_games()];
    text!("{games} of {all} games: {}", leaders.join(", "))
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
        let commands = self.args.commands();
        let line = |(engine, command)| format!("{}  {command}", engine_letter(engine));
        commands.into_iter().enumerate().map(line).collect()
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
        let line = |(row, name): (&CrossRow, &String)| {
            let CrossRow { rank, rating, .. } = row;
            let count = row.total();
            let (letter, name) = (engine_letter(row.engine), left(name, width));
            let rating = rating.as_ref().map_or_else(
                || word("not played").to_owned(),
                |&Rating { elo, low, high }| interval(elo, low, high),
            );
            let (points, percent) = (points_of_games(count), percent(count));
            format!("{rank:>2}  {letter}  {name}  {rating}  {points}{percent}")
        };
        self.table.rows.iter().zip(&names).map(line).collect()
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
        let letter = |row: &CrossRow| engine_letter(row.engine).to_string();
        let mut cells =
            vec![std::iter::once(String::new()).chain(rows.iter().map(letter)).collect()];
        for row in rows {
            let cell = |other: &CrossRow| match row.against[other.engine] {
                Some(count) => points_of_games(count),
                None => "-".to_owned(),
            };
            let line: Vec<String> =
                std::iter::once(letter(row)).chain(rows.iter().map(cell)).collect();
            cells.push(line);
        }
        let width = cells.iter().flatten().map(|cell| columns(cell)).max().unwrap_or(0);
        let line = |line: &Vec<String>| {
            let (head, cells) = line.split_first()?;
            let cells: Vec<String> = cells.iter().map(|cell| right(cell, width)).collect();
            Some(format!("{}  {}", left(head, 1), cells.join("  ")))
        };
        cells.iter().filter_map(line).collect()
    }

    /// The results of each engine with each colour.
    fn by_colour(&self) -> Vec<String> {
        let [first, second] = Side::ALL.map(|side| word(G::side_name(side)));
        let line = |row: &CrossRow| {
            let letter = engine_letter(row.engine);
            let [one, other] = row.colours.map(count_text);
            text!("{letter}  as {first} {one}; as {second} {other}")
        };
        self.table.rows.iter().map(line).collect()
    }

    fn work(&self, engine: usize) -> String {
        let faults = fault_text(self.totals.faults(engine));
        work_text(engine_letter(engine), self.totals.effort(engine), &faults)
    }
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
