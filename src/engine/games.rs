//! The endgame tables of each game.

#[cfg(not(feature = "book"))]
use super::endgames::NoTables;
use super::endgames::{ProbeBudget, RootRanking};
use super::playable::Playable;
#[cfg(feature = "book")]
use super::proofs::ProvedTables;
use super::root_ranking::RootRanker;
use super::tables::XiangqiTables;
use crate::game::Line;
use crate::gomoku::{Board, FreeRules, Point};
use crate::xiangqi::{FenError, Move, Position, RuleSet, Setup};

impl Playable for Position {
    type Tables = XiangqiTables;
    const RULES: &'static [RuleSet] = &RuleSet::ALL;
    /// By matches between neighbours, with the network: `docs/lab/levels.md`.
    const LEVEL_RATINGS: Option<[u16; 9]> =
        Some([34, 322, 800, 1_376, 1_545, 1_797, 1_992, 2_300, 2_553]);

    fn read_line(text: &str) -> Result<Line<Self>, FenError> {
        let setup = Setup::from_fen(text)?;
        let ply = 2 * setup.fullmoves.saturating_sub(1) as usize + setup.turn.index();
        Ok(Line::new(Self::from_setup(&setup)?, setup.halfmove_clock).begun_at(ply))
    }

    fn advise(
        tables: &XiangqiTables,
        line: &Line<Self>,
        probe_budget: &ProbeBudget<'_>,
    ) -> Option<RootRanking<Move>> {
        RootRanker::new(tables, line, tables.rules()).advise(probe_budget)
    }
}

impl Playable for Board {
    #[cfg(feature = "book")]
    type Tables = ProvedTables;
    #[cfg(not(feature = "book"))]
    type Tables = NoTables;
    const RULES: &'static [FreeRules] = &[FreeRules];
    const PLAYS_WITHOUT_SEARCH: bool = true;

    fn move_without_search(&self, banned: &[Point]) -> Option<Point> {
        self.best_point_but(banned)
    }

    #[cfg(feature = "book")]
    fn advise(
        tables: &ProvedTables,
        line: &Line<Self>,
        _: &ProbeBudget<'_>,
    ) -> Option<RootRanking<Point>> {
        tables.ranking(line.position())
    }

    #[cfg(not(feature = "book"))]
    fn advise(
        _tables: &NoTables,
        _line: &Line<Self>,
        _: &ProbeBudget<'_>,
    ) -> Option<RootRanking<Point>> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{Engine, EngineOptions, Level};
    use crate::game::{Heuristics, MoveList, Notation};
    use crate::search::Limits;

    #[test]
    fn gomoku_is_played_without_search_too() {
        let mut engine =
            Engine::<Board>::new(EngineOptions { hash_mib: 1, ..Default::default() }).unwrap();
        let mut line = Line::new(Board::start(), 0);
        for text in ["h8", "i9", "h9"] {
            let limits = Level::WITHOUT_SEARCH.within(Limits::nodes(1_000));
            let choice = engine.search(&line, &limits, &()).unwrap();
            assert_eq!((Some(choice.mv), choice.nodes), (line.position().best_point(), 0));
            line.push(Board::parse_move(text).unwrap());
        }
        assert_eq!(Level::least::<Position>(), Level::WEAKEST);
        assert_eq!(Level::least::<Board>(), Level::WITHOUT_SEARCH);
    }

    /// Two threats to make an open four, which no stone stops together: still a move, and a loss.
    #[test]
    fn threats_that_nothing_stops_are_lost_not_drawn() {
        for moves in [
            "k12 n12 j11 i10 g12 j10 k10 i12 i11 g11 k11",
            "i13 h9 h13 f11 g10 g9 f9 h11 h10 e11 g11 d12 f10",
            "b3 f6 b5 b6 e6 e5 g7 f7 c4 d5 d3 e2 e4 f5",
        ] {
            let mut line = Line::new(<Board as Notation>::start(), 0);
            for text in moves.split(' ') {
                line.push(Board::parse_move(text).unwrap());
            }
            let mut plausible = MoveList::new();
            line.position().plausible_moves(&mut plausible);
            assert!(!plausible.is_empty());
            let options = EngineOptions { hash_mib: 1, ..EngineOptions::default() };
            let mut engine = Engine::<Board>::new(options).unwrap();
            let choice = engine.search(&line, &Limits::depth(8), &()).unwrap();
            assert!(choice.score.is_some_and(crate::search::Score::is_lost), "{moves}: {choice:?}");
        }
    }
}
