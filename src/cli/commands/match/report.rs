//! The result of a match as people read it, and what the reports of tournaments share with it.

use crate::cli::print::terminal::Terminal;
use crate::language::{counted, counts, left, text, word};
use juzhong::answers::MeansOfMoves;
use juzhong::contest::{
    Contested, Count, Decision, Effort, EloEstimate, EngineFault, Match, MatchTotals, Sprt,
    engine_letter,
};
use juzhong::game::Side;

/// The standing of the match, in a line.
pub(super) fn brief<G: Contested>(contest: &Match<G>, totals: &MatchTotals) -> String {
    let Count { wins, draws, losses } = totals.results.total();
    let results = &totals.results;
    let elo = match results.by_pairs() {
        Some(EloEstimate { elo, low, high, .. }) => format!(", {}", interval(elo, low, high)),
        None => String::new(),
    };
    let ratio = match contest.sprt {
        Some(sprt) => {
            let ratio = sprt.log_likelihood_ratio(&results.pairs);
            text!(", LLR {ratio:.2}")
        }
        None => String::new(),
    };
    text!("{}: +{wins} ={draws} -{losses}{elo}{ratio}", counts::games(totals.games()))
}

/// An Elo difference with its bounds.
pub(super) fn interval(elo: f64, low: f64, high: f64) -> String {
    text!("Elo {elo:+.1} ({low:+.1} to {high:+.1})")
}

/// The games that were resumed, if there are any.
pub(super) fn played_before(games: usize) -> Option<String> {
    let line =
        counted!(games == 1, "{} game was played before", "{} games were played before", games);
    (games > 0).then_some(line)
}

/// The result of a match, for people.
pub(super) struct Report<'a, G: Contested> {
    pub(super) contest: &'a Match<G>,
    pub(super) totals: &'a MatchTotals,
    /// Games played before.
    pub(super) resumed: usize,
    pub(super) commands: [&'a str; 2],
}

impl<G: Contested + Terminal> Report<'_, G> {
    pub(super) fn text(&self) -> String {
        let [a, b] = self.commands;
        let mut lines = vec![format!("a  {a}"), format!("b  {b}")];
        lines.extend(self.results());
        lines.extend(self.strength());
        lines.extend(self.contest.sprt.map(|sprt| self.test(&sprt)));
        for (engine, &effort) in self.totals.effort.iter().enumerate() {
            let faults = fault_text(self.totals.faults[engine]);
            lines.push(work_text(engine_letter(engine), effort, &faults));
        }
        lines.extend(played_before(self.resumed));
        lines.into_iter().map(|line| line + "\n").collect()
    }

    /// The results of the first engine, in all and by its colour.
    fn results(&self) -> Vec<String> {
        let results = &self.totals.results;
        let percent = results.by_games().map_or(0.0, |estimate| 100.0 * estimate.score);
        let mut lines = vec![text!("games   {}  {percent:.1} %", count_text(results.total()))];
        for (count, side) in results.colours.into_iter().zip(Side::ALL) {
            let colour = left(word(G::side_name(side)), 5);
            lines.push(text!("  as {} {}", colour, count_text(count)));
        }
        lines
    }

    /// The pairs of games, and the strength by them and by games.
    fn strength(&self) -> Vec<String> {
        let results = &self.totals.results;
        let Some((pairs, games)) = results.by_pairs().zip(results.by_games()) else {
            return Vec::new();
        };
        let [none, half, one, more, both] = results.pairs;
        vec![
            text!("pairs   {none} {half} {one} {more} {both} (of 0, ½, 1, 1½, 2 points)"),
            text!(
                "by pairs  {}, better with {:.1} %",
                interval(pairs.elo, pairs.low, pairs.high),
                100.0 * pairs.superiority
            ),
            text!(
                "by games  {}, better with {:.1} %",
                interval(games.elo, games.low, games.high),
                100.0 * games.superiority
            ),
        ]
    }

    /// The state of the sequential test.
    fn test(&self, sprt: &Sprt) -> String {
        let pairs = &self.totals.results.pairs;
        let Sprt { elo0, elo1, .. } = sprt;
        let [lower, upper] = sprt.bounds();
        let ratio = sprt.log_likelihood_ratio(pairs);
        let decision = match sprt.decide(pairs) {
            Decision::Open => word("undecided"),
            Decision::H0 => word("not passed"),
            Decision::H1 => word("passed"),
        };
        text!("SPRT({elo0}, {elo1})  LLR {ratio:.2} ({lower:.2} to {upper:.2}): {decision}")
    }
}

/// The means of an engine's moves, and its faults.
pub(super) fn work_text(name: char, effort: Effort, faults: &str) -> String {
    let MeansOfMoves { depth, nodes_per_second, ms_per_move: ms } = effort.into();
    text!("{name}  depth {depth:.1}, {nodes_per_second:.0} nodes/s, {ms:.1} ms a move{}", faults)
}

/// The number of faults of each kind, for the end of a line.
pub(super) fn fault_text(faults: [u64; 4]) -> String {
    let faults = EngineFault::ALL.iter().zip(faults).filter(|&(_, n)| n > 0);
    faults.map(|(fault, n)| format!(", {n} {}", word(fault.name()))).collect()
}

pub(super) fn count_text(Count { wins, draws, losses }: Count) -> String {
    text!("{wins} won, {draws} drawn, {losses} lost")
}
