//! The answer of a tournament of several engines: ratings, the cross table, the pairings, the work of each.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::answers::match_report::{EngineInMatch, GameResults, ResultsByColour, ResultsOfTwo};
use crate::contest::{
    Contested, CrossRow, CrossTable, MatchTotals, Rating, Tournament, TournamentTotals,
    engine_letter,
};

/// The answer: schema `juzhong.tournament/1`. Engines are named by their letters: `a` is the first one.
#[derive(Debug, Serialize)]
pub struct TournamentAnswer {
    /// The schema.
    pub schema: &'static str,
    /// `finished` or `interrupted`.
    pub status: &'static str,
    /// `round-robin` or `gauntlet`.
    pub form: &'static str,
    /// The limits of the engines' searches.
    pub pace: String,
    /// Milliseconds by which an engine may exceed its time.
    pub margin_ms: u64,
    /// Openings.
    pub openings: usize,
    /// Openings that are left out because the game is over after them.
    pub openings_left_out: usize,
    /// Games that are over.
    pub games: usize,
    /// Games of the whole tournament.
    pub all_games: usize,
    /// The games that were played before.
    pub resumed: usize,
    /// True if results alone allow of no finite ratings, so that each engine was given one drawn game more, in equal
    /// parts against all others.
    pub virtual_draws: bool,
    /// The engines in the order in which they were named.
    pub engines: Vec<EngineInTournament>,
    /// The pairings in the order in which they play an opening.
    pub pairings: Vec<PairingAnswer>,
}

/// An engine in a tournament: its row of the cross table and its work.
#[derive(Debug, Serialize)]
pub struct EngineInTournament {
    /// Its letter.
    pub engine: char,
    /// Its name in the games; null before it has played.
    pub name: Option<String>,
    /// Its place by rating, from 1; engines of the same rating and points share one.
    pub rank: usize,
    /// Its rating; null before it has played.
    pub rating: Option<RatingAnswer>,
    /// Games that are over.
    pub games: u64,
    /// Points: one for a win, one half for a draw.
    pub points: f64,
    /// Its results.
    pub total: GameResults,
    /// Its results with each colour.
    #[serde(flatten)]
    pub by_colour: ResultsByColour,
    /// Its results against each engine that it meets, by their letters.
    pub against: BTreeMap<char, GameResults>,
    /// Command, means of its moves, faults.
    #[serde(flatten)]
    pub work: EngineInMatch,
}

/// A rating with its 95 % interval, in Elo; the mean of all engines is 0.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct RatingAnswer {
    /// Of greatest likelihood.
    pub elo: f64,
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

/// The results of a pairing, as those of a match: of its first engine.
#[derive(Debug, Serialize)]
pub struct PairingAnswer {
    /// The letters of the first and the second engine.
    pub engines: [char; 2],
    /// The results, of the first engine.
    #[serde(flatten)]
    pub results: ResultsOfTwo,
}

impl TournamentAnswer {
    /// The answer about a tournament that has come so far, of engines with these commands; `resumed` of its games were
    /// played before.
    #[must_use]
    pub fn of<G: Contested>(
        tournament: &Tournament<G>,
        totals: &TournamentTotals,
        commands: &[&str],
        resumed: usize,
    ) -> Self {
        let CrossTable { mut rows, with_prior } = CrossTable::of(totals);
        rows.sort_by_key(|row| row.engine);
        let engine = |(row, &command)| EngineInTournament::of::<G>(totals, row, command);
        let is_finished = tournament.is_finished(totals);
        Self {
            schema: "juzhong.tournament/1",
            status: if is_finished { "finished" } else { "interrupted" },
            form: tournament.form.name(),
            pace: tournament.time_control.to_string(),
            margin_ms: tournament.time_control.margin.as_millis() as u64,
            openings: tournament.openings.len(),
            openings_left_out: tournament.openings.left_out().len(),
            games: totals.games(),
            all_games: tournament.all_games(),
            resumed,
            virtual_draws: with_prior,
            engines: rows.iter().zip(commands).map(engine).collect(),
            pairings: totals.pairings().map(PairingAnswer::of::<G>).collect(),
        }
    }
}

impl EngineInTournament {
    fn of<G: Contested>(totals: &TournamentTotals, row: &CrossRow, command: &str) -> Self {
        let engine = row.engine;
        let total = row.total();
        let against = row.against.iter().enumerate();
        let against = against
            .filter_map(|(other, count)| Some((engine_letter(other), (*count)?.into())))
            .collect();
        Self {
            engine: engine_letter(engine),
            name: totals.name(engine).map(str::to_owned),
            rank: row.rank,
            rating: row.rating.map(RatingAnswer::from),
            games: total.games(),
            points: total.points(),
            total: total.into(),
            by_colour: ResultsByColour::of::<G>(row.colours),
            against,
            work: EngineInMatch::of(command, totals.effort(engine), totals.faults(engine)),
        }
    }
}

impl From<Rating> for RatingAnswer {
    fn from(rating: Rating) -> Self {
        let Rating { elo, low, high } = rating;
        Self { elo, low, high }
    }
}

impl PairingAnswer {
    fn of<G: Contested>((engines, totals): ([usize; 2], &MatchTotals)) -> Self {
        let results = ResultsOfTwo::of::<G>(&totals.results);
        Self { engines: engines.map(engine_letter), results }
    }
}
